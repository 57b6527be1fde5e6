#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs in the VM: writes reports of the banks to the folder $1, which 40-node.sh checks. Its compiled
# networks are in the folder $2.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

out=$1
programs=$2
mkdir -p "$out"

build/e2e/report_fit >"$out/fit.tap" 2>&1
build/e2e/stopped >"$out/stopped.tap" 2>&1
build/e2e/shared_weights >"$out/shared.tap" 2>&1
$loom report -o "$out/idle" --prefix idle- >"$out/idle.text" 2>"$out/idle.err"
$loom info --json >"$out/info.json" 2>>"$out/idle.err"
$loom report --json -o "$out/idle-json" >"$out/report.json" 2>>"$out/idle.err"
# as anybody, who is told less: info, report and top say so
chmod 666 /dev/accel/accel*
mkdir -m 777 /tmp/nobody
for command in "info" "report -o /tmp/nobody" "top --once --interval 0.1"; do
	# shellcheck disable=SC2086 # words
	setpriv --reuid 65534 --regid 65534 --clear-groups $loom $command
done >"$out/nobody" 2>"$out/nobody.err"
# shellcheck disable=SC2046
LOOM_MEMORY_REPORTS=$out/plans $loom run "$(model_file blazeface)" $(model_args blazeface) --effort 0 \
	>/dev/null 2>"$out/plans.err"
# the same folder: rows are appended
# shellcheck disable=SC2046
$loom run "$(model_file alexa)" $(model_args alexa) --memory-reports "$out/plans" \
	>/dev/null 2>>"$out/plans.err"
# the buffers of a run, as a recording has them
[ -d /sys/kernel/tracing/instances ] || mount -t tracefs none /sys/kernel/tracing
$loom report --record "$out/record.csv" --region dram >"$out/record.text" 2>&1 &
recorder=$!
for _ in {1..200}; do
	grep -q 1 /sys/kernel/tracing/instances/loom-$recorder/events/loom/loom_full/enable 2>/dev/null && break
	sleep 0.1
done
# shellcheck disable=SC2046
$loom run "$(model_file alexa)" $(model_args alexa) >/dev/null 2>&1
kill -TERM $recorder
wait $recorder
echo "status $?" >>"$out/record.text"
ls /sys/kernel/tracing/instances >>"$out/record.text"
# loom top while it runs, until it shows the process at work: between two jobs the engine rests
# shellcheck disable=SC2046
$loom run "$programs/mlsd.loom" $(input_args mlsd) --repeat 1000 >/dev/null 2>&1 &
echo $! >"$out/top.pid"
for _ in {1..200}; do
	$loom top --once --interval 0.5 >"$out/top" 2>"$out/top.err"
	grep -q ': 1 client, engine [1-9]' "$out/top" && grep -q '^A ' "$out/top" && break
done
$loom top --json --interval 0.1 >"$out/top.json" 2>>"$out/top.err"
kill -9 "$(cat "$out/top.pid")"
wait 2>/dev/null
# the job that was at work when it was killed is stopped by then
for _ in {1..100}; do
	$loom top --once --interval 0.1 >"$out/top.after" 2>>"$out/top.err"
	grep -q ': 0 clients, engine 0.0 %' "$out/top.after" && break
done
