#!/bin/bash
# SPDX-License-Identifier: MIT
# The same on the device node, in one boot of the VM: eight networks, two of them with all
# their intermediates, most in groups in SRAM of three sizes, the ONNX backend cases, refusals.
# 10-models-host.sh compared the host's results with ONNX Runtime; the node has to give these bits.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/refusals.sh
. "$(dirname "$0")/refusals.sh"
# shellcheck source=tools/testing/e2e/networks.sh
. "$(dirname "$0")/networks.sh"

fresh_out
mkdir -p "$vm"
ok 'pictures and refusals are made' make_pictures && make_refusals || finish

networks_on_host
# of all the SRAM that there is, for a client that has it to itself
ok 'rec is compiled for all of the SRAM' compile_like rec "$host/rec/run.json" "$vm/whole.loom" \
	--sram 256k

ok 'the VM boots, runs all of it and says nothing in its log' tools/vm/run --timeout 2000 \
	--modparams 'job_timeout_ms=600000' --log "$out/dmesg.log" --out "$vm" \
	-- bash tools/testing/e2e/in-vm.sh "$vm" "$refusal_dir"

networks_compare

all_refused() {
	grep -A2 '^not ok' "$vm/refusals.tap"
	! grep -q '^not ok' "$vm/refusals.tap" && grep -q '^ok 14 ' "$vm/refusals.tap"
}
ok 'what has to be refused is refused on the node' all_refused

# cls, while a process without privileges keeps all the SRAM that it gets: all above the floor
beside_attacker() {
	local taken
	taken=$(awk '/^taken/ { print $2 }' "$vm/attack.text")
	echo "# the attacker has ${taken:-nothing} bytes of each bank"
	[ "$taken" = 65536 ] && status_0 attacked && same_bits "$host/cls" "$vm/attacked"
}
ok 'a plan by the defaults runs whatever others have of the SRAM' beside_attacker
all_of_it() {
	status_0 whole && same_bits "$host/rec" "$vm/whole" && [ "$(cat "$vm/barred.status")" != 0 ] &&
	grep -q 'another process has its SRAM buffer' "$vm/barred.err"
}
ok 'a plan for all of the SRAM runs alone, and says why not beside others' all_of_it

ort_on_node() {
	cat "$vm/ort.tap"
	grep -q '^1\.\.4$' "$vm/ort.tap" && ! grep -q '^not ok' "$vm/ort.tap"
}
if reason=$(sed -n 's/^1\.\.0 # SKIP //p' "$vm/ort.tap" | grep .); then
	skip "three models run on the node in ONNX Runtime: $reason"
else
	ok 'three models run on the node in ONNX Runtime' ort_on_node
fi

reports=$vm/report
fits() {
	cat "$reports/fit.tap"
	! grep -q '^not ok' "$reports/fit.tap" && grep -q '^1\.\.30$' "$reports/fit.tap"
}
ok 'what a memory report says would fit does fit, and a buffer of the caller is bound' fits
stopped() {
	cat "$reports/stopped.tap"
	! grep -q '^not ok' "$reports/stopped.tap" && grep -q '^1\.\.4$' "$reports/stopped.tap"
}
ok "what a run that was stopped counts is not the next one's" stopped
shared() {
	cat "$reports/shared.tap"
	! grep -q '^not ok' "$reports/shared.tap" && grep -q '^1\.\.19$' "$reports/shared.tap"
}
ok 'two processes compute with the same weights' shared
# a header; 8 banks of DRAM with reserved bytes and a hole each, and 16 of SRAM with a hole each
report_files() {
	cat "$reports"/*.err
	[ "$(wc -l <"$reports/idle/idle-l1_usage_summary.csv")" = 2 ] &&
	[ "$(wc -l <"$reports/idle/idle-memory_usage_summary.csv")" = 25 ] &&
	[ "$(wc -l <"$reports/idle/idle-detailed_memory_usage.csv")" = 33 ] &&
	grep -q 'largest interleaved buffer that fits 4.00 MiB' "$reports/idle.text"
}
ok 'loom report writes three files of an idle device' report_files
# of info, and of both regions in report and in top; of who has the capability there is none
nobody_is_told_less() {
	cat "$reports/nobody.err"
	[ "$(grep -c CAP_PERFMON "$reports/nobody")" = 5 ] &&
	! grep -q CAP_PERFMON "$reports/idle.text" "$reports/top"
}
ok 'info, report and top say when figures are rounded' nobody_is_told_less
# allocated and free are all there is, in every bank and for both plans
plan_files() {
	cat "$reports/plans.err"
	[ "$(wc -l <"$reports/plans/l1_usage_summary.csv")" = 3 ] &&
	[ "$(wc -l <"$reports/plans/memory_usage_summary.csv")" = 49 ] &&
	awk -F, 'NR > 1 && ($5 != $6 + $7 || $8 > $7 || !$6) { exit 1 }' \
		"$reports/plans/memory_usage_summary.csv"
}
ok 'plans on the node add their rows to the memory reports' plan_files
# a recording: buffers that were freed, at places that do not overlap, and no instance that is left
recorded() {
	cat "$reports/record.text" "$reports/record.csv"
	[ "$(tail -n 1 "$reports/record.text")" = 'status 0' ] &&
	grep -qE '^[1-9][0-9]* buffers in dram, no room for 0$' "$reports/record.text" &&
	grep -q ',"weights",' "$reports/record.csv" &&
	grep -qE '^  weights +1 +[0-9.]+ .iB +1 +[0-9.]+ .iB  ' "$reports/record.text" &&
	$loom place "$reports/record.csv"
}
ok 'a recording of buffers is a placement, with labels and late frees' recorded
# the process, some engine time, its bytes in a bank
top_shows() {
	cat "$reports/top.err" "$reports/top"
	grep -q 'soft): 1 client, engine [1-9]' "$reports/top" &&
	grep -qE "^A +$(cat "$reports/top.pid") .* (KiB|MiB) .* loom\$" "$reports/top" &&
	grep -q '^dram banks 0-7, each: ' "$reports/top" &&
	grep -q '^sram banks 0-15, each: ' "$reports/top" &&
	grep -q '  used \[=' "$reports/top" &&
	grep -q ': 0 clients, engine 0.0 %' "$reports/top.after"
}
ok 'loom top shows who is at work, and when it is gone' top_shows
ok 'what is printed as JSON is what its page says' tools/testing/json_paths.py Documentation/json.rst \
	"top=$reports/top.json" "info=$reports/info.json" "report=$reports/report.json"
# example NAME LINE: it printed this and nothing else
example() {
	cat "$vm/$1.text"
	[ "$(cat "$vm/$1.text")" = "$2" ]
}
ok 'an example uses nothing but ioctls' example raw_ioctls \
	'16 lanes, 256 elements, 0 wrong; y[0] 0, y[255] 127'
ok 'an example queues jobs on a timeline' example async_syncobj \
	'8 jobs, timeline at 8, y[1] is 256, 0 wrong'
ok 'an example shares a buffer without a copy' example zero_copy \
	'two clients, one buffer between them: y[1] is 4, 0 wrong'
ok 'an example runs sessions at once, in buffers of its own' example many_runs \
	'10 items, 3 sessions, 0 wrong'
ok 'an example runs a model' example run_model \
	"$(build/examples/run_model $models/oww_alexa.onnx host)"
ok 'an example in Python has four runs under way' example run_async.py '4 at once, twice: 4 as alone'
ok 'an example in Python copies nothing' example zero_copy.py '10 runs, 0 bytes copied, 0 wrong
two clients, one buffer between them: 0 wrong'
ok 'an example in C++ has two runs under way' example run_async.cpp \
	"$(build/examples/cpp/run_async $models/oww_alexa.onnx host)"
for when in models backend refusals attack examples report killed; do
	ok "nothing is left allocated after: $when" cmp "$vm/info.before" "$vm/info.$when"
done
ok 'the one that was killed was at work' grep -qx 137 "$vm/killed.status"
ok 'and after all that it still reads' grep -qx 'text: Loom 42' "$vm/text"
finish
