#!/bin/bash
# SPDX-License-Identifier: MIT
# The same on the device node, in one boot of the VM: nine networks, four of them with all
# their intermediates, most in groups in SRAM of three sizes, the ONNX backend cases, refusals.
# 10-models-host.sh compared the host's results with ONNX Runtime; the node has to give these bits.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/refusals.sh
. "$(dirname "$0")/refusals.sh"

host=$out/host
vm=$out/vm
fresh_out
mkdir -p "$vm"
ok 'pictures and refusals are made' make_pictures && make_refusals || finish

for name in $all_models; do
	ok "$name runs on the host" model_run "$name" host "$host/$name" --sram $node_sram
done
for name in $deep_models; do
	ok "$name runs on the host, all tensors kept" model_run_deep "$name" host "$host/$name.deep"
done
for name in $image_models; do
	ok "$name runs on the host in images" model_run "$name" host "$host/$name.image" \
		--image all --grouping layerwise --sram $node_sram
	ok "$name runs on the host in images and groups" model_run "$name" host "$host/$name.images" \
		--image all --sram $node_sram
done
model_run mel host "$host/mel" || ok 'mel runs on the host' false
for group in $node_groups; do
	ok "${group%:*} runs on the host in groups, ${group#*:} per lane" \
		model_run_group "$group" host "$host/${group/:/.}"
done
build/e2e/onnx_backend --device host --digest "$host/digest" >/dev/null

ok 'the VM boots, runs all of it and says nothing in its log' tools/vm/run --timeout 800 \
	--modparams 'job_timeout_ms=600000' --log "$out/dmesg.log" --out "$vm" \
	-- bash tools/testing/e2e/in-vm.sh "$vm" "$refusal_dir"

status_0() {
	cat "$vm/$1.err"
	[ "$(cat "$vm/$1.status")" = 0 ]
}
on_node() {	# NAME: it did run there, and counted what the host did
	grep -q '"device": "/dev/accel/accel' "$vm/$1/run.json" || return 1
	for key in dram_read_bytes dram_write_bytes sram_read_bytes sram_write_bytes macs steps commands \
		cycles dma_cycles compute_cycles energy_fj; do
		[ "$(json_number "$vm/$1/run.json" $key)" = "$(json_number "$host/$1/run.json" $key)" ] || {
			echo "$key differs"
			return 1
		}
	done
}
for name in $all_models; do
	ok "$name runs on the node" status_0 "$name"
	ok "$name: node and host count the same" on_node "$name"
	ok "$name: node and host give the same bits" same_bits "$host/$name" "$vm/$name"
done
for name in $deep_models; do
	ok "$name: all tensors are the same bits on node and host" \
		same_bits "$host/$name.deep" "$vm/$name.deep"
done

for name in $image_models; do
	ok "$name runs on the node in images" status_0 "$name.image"
	ok "$name: in images node and host count the same" on_node "$name.image"
	ok "$name: in images node and host give the same bits" \
		same_bits "$host/$name.image" "$vm/$name.image"
	ok "$name: and those that it gives without" same_bits "$vm/$name" "$vm/$name.image"
	ok "$name runs on the node in images and groups" status_0 "$name.images"
	ok "$name: in images and groups node and host count the same" on_node "$name.images"
	ok "$name: in images and groups node and host give the same bits" \
		same_bits "$host/$name.images" "$vm/$name.images"
done

in_groups() {	# NAME:SRAM
	local dir=${1/:/.}
	status_0 "$dir" && on_node "$dir" && same_bits "$host/$dir" "$vm/$dir" &&
	same_bits "$host/${1%:*}" "$vm/$dir"
}
for group in $node_groups; do
	ok "${group%:*}: in groups, ${group#*:} per lane, the node counts as the host does, the same bits" \
		in_groups "$group"
done

backend_passed() {
	grep '^not ok' "$vm/backend.tap"
	tail -n 1 "$vm/backend.tap"
	[ "$(cat "$vm/backend.status")" = 0 ]
}
ok 'the ONNX backend cases pass on the node' backend_passed
note "$(tail -n 1 "$vm/backend.tap")"
ok 'at least 100 of them ran there' test "$(wc -l <"$vm/digest")" -ge 100
ok 'their results are the same bits on node and host' cmp "$host/digest" "$vm/digest"

all_refused() {
	grep -A2 '^not ok' "$vm/refusals.tap"
	! grep -q '^not ok' "$vm/refusals.tap" && grep -q '^ok 20 ' "$vm/refusals.tap"
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
	status_0 whole && same_bits "$host/mlsd" "$vm/whole" && [ "$(cat "$vm/barred.status")" != 0 ] &&
	grep -q 'another process has its SRAM buffer' "$vm/barred.err"
}
ok 'a plan for all of the SRAM runs alone, and says why not beside others' all_of_it

reports=$vm/report
fits() {
	cat "$reports/fit.tap"
	! grep -q '^not ok' "$reports/fit.tap" && grep -q '^1\.\.21$' "$reports/fit.tap"
}
ok 'what a memory report says would fit does fit' fits
# a header; 8 banks of DRAM with reserved bytes and a hole each, and 16 of SRAM with a hole each
report_files() {
	cat "$reports"/*.err
	[ "$(wc -l <"$reports/idle/idle-l1_usage_summary.csv")" = 2 ] &&
	[ "$(wc -l <"$reports/idle/idle-memory_usage_summary.csv")" = 25 ] &&
	[ "$(wc -l <"$reports/idle/idle-detailed_memory_usage.csv")" = 33 ] &&
	grep -q 'largest interleaved buffer that fits 4.00 MiB' "$reports/idle.text"
}
ok 'loom report writes three files of an idle device' report_files
# allocated and free are all there is, in every bank and for both plans
plan_files() {
	cat "$reports/plans.err"
	[ "$(wc -l <"$reports/plans/l1_usage_summary.csv")" = 3 ] &&
	[ "$(wc -l <"$reports/plans/memory_usage_summary.csv")" = 49 ] &&
	awk -F, 'NR > 1 && ($5 != $6 + $7 || $8 > $7 || !$6) { exit 1 }' \
		"$reports/plans/memory_usage_summary.csv"
}
ok 'plans on the node add their rows to the memory reports' plan_files
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
for when in models backend refusals attack report killed; do
	ok "nothing is left allocated after: $when" cmp "$vm/info.before" "$vm/info.$when"
done
ok 'the one that was killed was at work' grep -qx 137 "$vm/killed.status"
ok 'and after all that it still reads' grep -qx 'text: Loom 42' "$vm/text"
finish
