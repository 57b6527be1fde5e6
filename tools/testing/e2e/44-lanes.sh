#!/bin/bash
# SPDX-License-Identifier: MIT
# Three processes on lanes of their own of one device: the bits and counters of the host, and the
# names of their buffers. TAP.
#
#	44-lanes.sh		on the soft device
#	44-lanes.sh guest DIR	the part that runs in the guest
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" = guest ]; then
	vm=$2
	for i in 1 2; do
		$loom run "$vm/part.loom" --device soft --repeat 20 --json --input "input:0=random:$i" \
			--save-outputs "$vm/got.$i" >"$vm/got.$i.json" 2>"$vm/got.$i.err" &
		pids[i]=$!
	done
	# until their buffers are there
	for i in {1..50}; do
		$loom top --once --interval 0.1 >"$vm/top" 2>&1
		grep -q ' weights$' "$vm/top" && break
	done
	$loom info --blocks >"$vm/info" 2>&1
	$loom run "$models/blazeface.onnx" --device soft --lanes 4 --effort 0 --input input:0=random:1 \
		--save-outputs "$vm/direct" >"$vm/direct.text" 2>"$vm/direct.err"
	echo $? >"$vm/direct.status"
	for i in 1 2; do
		wait "${pids[i]}"
		echo $? >"$vm/got.$i.status"
	done
	LOOM_MEMORY_REPORTS=$vm/reports $loom run "$vm/voice.loom" --device soft --input input=random:5 \
		>"$vm/voice.text" 2>&1
	chmod 666 /dev/accel/*
	# shellcheck disable=SC2086 # words
	setpriv --reuid 65534 --clear-groups $loom run "$models/blazeface.onnx" \
		--device soft --lanes 9 --effort 0 --input input:0=random:1 >"$vm/nine.text" 2>&1
	echo $? >"$vm/nine.status"
	exit 0
fi

vm=$out/vm
fresh_out
mkdir -p "$vm"
chmod 777 "$vm"
# shellcheck disable=SC2086 # words
ok 'a model is planned for 6 of 16 lanes' $loom compile "$models/blazeface.onnx" --lanes 6 \
	-o "$vm/part.loom"
# shellcheck disable=SC2046 # words
ok 'and one with states, an arena, and all lanes' $loom compile "$models/silero_vad.onnx" $(plan_args voice) \
	--shape input=1,512 --effort 0 --grouping layerwise -o "$vm/voice.loom"
for i in 1 2; do
	$loom run "$vm/part.loom" --device host --json --input "input:0=random:$i" \
		--save-outputs "$vm/want.$i" >"$vm/want.$i.json"
done
whole_host() {
	$loom run "$models/blazeface.onnx" --device host --lanes 6 --input input:0=random:1 \
		--save-outputs "$vm/whole" && diff -r "$vm/want.1" "$vm/whole"
}
ok 'a host with all lanes runs such a plan, too' whole_host
# apart from the cycles that are promised and counted, and at least what all bytes take
contention() {
	local lanes busy
	for lanes in 8 9; do
		$loom plan "$models/blazeface.onnx" --effort 0 --lanes $lanes >"$out/plan.$lanes" || return 1
		grep '^partition ' "$out/plan.$lanes"
	done
	grep -qE '^partition  9 of 16 lanes; DRAM busy [0-9]+% of the cycles$' "$out/plan.9" || return 1
	busy=$(sed -n 's/^partition  8 .* busy \([0-9]*\)% .*: 2 of these .* need \([0-9.]*\)x .*/\1 \2/p' \
		"$out/plan.8")
	awk '{ exit !($1 > 50 && $1 <= 100 && $2 - $1 / 50 <= 0.02 && $1 / 50 - $2 <= 0.02) }' <<<"${busy:-0 0}"
}
ok 'two partitions at once contend for the DRAM, and one that has no equal does not' contention
ok 'the VM boots and says nothing in its log' tools/vm/run --timeout 800 --log "$out/dmesg.log" \
	--out "$vm" -- tools/testing/e2e/44-lanes.sh guest "$vm"

same() {
	cat "$vm/got.$1.err"
	[ "$(cat "$vm/got.$1.status")" = 0 ] && diff -r "$vm/want.$1" "$vm/got.$1" &&
	diff <(grep -E '"(cycles|macs|steps|commands)"' "$vm/want.$1.json") \
		<(grep -E '"(cycles|macs|steps|commands)"' "$vm/got.$1.json")
}
for i in 1 2; do
	ok "process $i beside the other: the bits and counters of the host" same $i
done
direct() {
	cat "$vm/direct.err"
	[ "$(cat "$vm/direct.status")" = 0 ] && diff -r "$vm/want.1" "$vm/direct"
}
ok 'a third process plans for the other four lanes, with the same results' direct
labels() {
	local name
	cat "$vm/voice.text"
	for name in weights arena 'state h' 'state c' 'input input' 'output output'; do
		grep -q ",buffer,\"$name\"\$" "$vm/reports/detailed_memory_usage.csv" || return 1
	done
}
ok 'buffers have the names of the values' labels
shown() {
	cat "$vm/top" "$vm/info"
	grep -qE '^ +[0-9.]+ (KiB|MiB)  weights$' "$vm/top" &&
	grep -qE '^  dram 0x[0-9a-f.x]+ .* allocated weights$' "$vm/info"
}
ok 'loom top and loom info show the names' shown
half() {
	cat "$vm/nine.text"
	[ "$(cat "$vm/nine.status")" = 1 ] && grep -q 'a user may own 8 without' "$vm/nine.text"
}
ok 'without a capability a user gets half of the lanes' half
finish
