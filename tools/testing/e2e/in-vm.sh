#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs in the VM, everything in one boot; 40-node.sh checks what it writes to $1.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/refusals.sh
. "$(dirname "$0")/refusals.sh"
# shellcheck source=tools/testing/e2e/networks.sh
. "$(dirname "$0")/networks.sh"

out=$1
refusal_dir=$2

info() {
	$loom info --json >"$out/info.$1"
}

info before
networks_in_guest soft "$out"
info models
backend_in_guest soft "$out"
info backend
refuse_all $loom soft >"$out/refusals.tap"
info refusals

# All that is left is the floor of scratch; root may have more, if nobody else is there.
build/e2e/sram_attack >"$out/attack.text" 2>&1 &
for _ in $(seq 120); do
	grep -q taken "$out/attack.text" && break
	sleep 1
done
there attacked soft "$out" model_run cls soft "$out/attacked"
program_run rec "$out/whole.loom" soft "$out/barred" 2>"$out/barred.err"
echo $? >"$out/barred.status"
kill -9 $!
wait $! 2>/dev/null
program_run rec "$out/whole.loom" soft "$out/whole" 2>"$out/whole.err"
echo $? >"$out/whole.status"
info attack

# the programs that the pages show
for example in raw_ioctls async_syncobj zero_copy many_runs; do
	build/examples/$example >"$out/$example.text" 2>&1
done
build/examples/run_model $models/oww_alexa.onnx /dev/accel/accel0 >"$out/run_model.text" 2>&1
for example in 'run_async $models/oww_alexa.onnx' zero_copy; do
	eval "set -- $example"
	PYTHONPATH=build/python LOOM_LIBRARY=build/libloom.so.1 PYTHONDONTWRITEBYTECODE=1 python3 \
		"Documentation/examples/python/$1.py" "${@:2}" /dev/accel/accel0 >"$out/$1.py.text" 2>&1
done
build/examples/cpp/run_async $models/oww_alexa.onnx /dev/accel/accel0 \
	>"$out/run_async.cpp.text" 2>&1
info examples

bash tools/testing/e2e/in-vm-report.sh "$out/report" "$out"
info report

# A process that is killed while it runs: all its memory is freed.
# shellcheck disable=SC2046
$loom run "$out/mlsd.loom" $(input_args mlsd) --device soft >/dev/null 2>&1 &
sleep 2
kill -9 $!
wait $! 2>/dev/null
echo $? >"$out/killed.status"
for _ in $(seq 120); do
	info killed
	cmp -s "$out/info.before" "$out/info.killed" && break
	sleep 1
done

$loom run "$out/rec.loom" --input $pictures/line.png --labels $models/ppocr_keys.txt \
	>"$out/text" 2>&1
# ONNX Runtime in the VM: three models, or one line that says why not
bash tools/testing/ort/test.sh node >"$out/ort.tap" 2>&1
