#!/bin/bash
# SPDX-License-Identifier: MIT
# TensorFlow Lite files: read and run beside the reference kernels (bytes) and Arm NN (floats);
# memory plans written into them, read back by a reader that shares nothing with the writer; plans
# of others judged; damaged files refused with one line.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
tflite=tools/testing/tflite
ok 'networks are written' python3 $tflite/nets.py "$out/nets"
ok 'and plans of others' python3 $tflite/plans.py "$out/plans"

# --- running ------------------------------------------------------------------------------------

# bytes NAME STEPS: a network of bytes gives what the reference kernels do, to so many steps
bytes() {
	local n=$out/nets/$1
	$loom run "$n.tflite" --device host -i "$n.in" --save-outputs "$n.out" >/dev/null &&
	python3 $tflite/compare.py b "$2" "$n".out/*.npy "$n.want"
}
for name in one_conv one_depthwise one_add one_mul one_dense mobile words auto branches gates \
	    residual; do
	ok "$name as by the reference kernels" bytes $name 1
done
# halves, which would be rounded to the even side
ok 'one_mean to the bit' bytes one_mean 0

# operator NAME KIND MOST INPUTS RESULTS: one operator, all of its results
operator() {
	local n=$out/operators/$1 i args=()
	for ((i = 0; i < $4; i++)); do
		args+=(-i "input$i=$n.in$i")
	done
	$loom run "$n.tflite" --device host "${args[@]}" --save-outputs "$n.out" >"$n.log" || return 1
	[ "$(grep -c '^result ' "$n.log")" = "$5" ] || return 1
	i=0
	for name in $(sed -n 's/^result *\([^ ]*\) .*/\1/p' "$n.log"); do
		python3 $tflite/compare.py "$2" "$3" "$n.out/$name.npy" "$n.want$i" || return 1
		i=$((i + 1))
	done
}
ok 'operators are written' eval "python3 $tflite/operators.py $out/operators >$out/operators.txt"
while read -r name kind most inputs results; do
	ok "operator $name" operator "$name" "$kind" "$most" "$inputs" "$results"
done <"$out/operators.txt"

# of two subgraphs, the first one is what runs
first_of_two() {
	local which
	for which in chain subgraphs; do
		$loom run "$out/plans/$which.tflite" --device host -i random:2 \
			--save-outputs "$out/$which" >/dev/null || return 1
	done
	cmp "$out/chain/y.npy" "$out/subgraphs/y.npy"
}
ok 'of two subgraphs the first one runs' first_of_two

names() {
	$loom run "$out/plans/names.tflite" --device host -i random:2 --save-outputs "$out/names" >/dev/null &&
	cmp "$out/chain/y.npy" "$out/names/t:3.npy"
}
ok 'a name that comes twice is another one' names

# signatures name the subgraph, its inputs and its outputs
signature_whole() {
	$loom run "$out/plans/signatures.tflite#whole" --device host -i random:2 \
		--save-outputs "$out/whole" >/dev/null &&
	cmp "$out/chain/y.npy" "$out/whole/classes.npy"
}
ok 'a signature has names of its own' signature_whole
signature_begin() {
	local small large
	small=$($loom model "$out/plans/signatures.tflite#begin" --json) &&
	large=$($loom model "$out/plans/signatures.tflite#whole" --json) &&
	[[ $small = *picture* && $large = *picture* && $small != "$large" ]]
}
ok 'another signature is another subgraph' signature_begin

# floats NAME: a network of MediaPipe gives what Arm NN does
floats() {
	local d=$out/$1 i=0 name
	mkdir -p "$d" &&
	python3 $tflite/plain.py "$models/$1.tflite" "$d/plain.tflite" &&
	$loom run "$models/$1.tflite" --device host -i random:1 --save-inputs "$d/in" \
		--save-outputs "$d/out" >"$d/log" || return 1
	# an array of numpy's is bare bytes behind its header
	tail -c +129 "$d"/in/*.npy >"$d/in.0" &&
	build/armnn/reference "$d/plain.tflite" "$d" || return 1
	for name in $(sed -n 's/^result *\([^ ]*\) .*/\1/p' "$d/log"); do
		python3 $tflite/compare.py f 1e-4 "$d/out/$name.npy" "$d/want.$i" || return 1
		i=$((i + 1))
	done
	[ $i -gt 0 ]
}
nets='face_short face_full face_sparse hand_lite hand_full selfie selfie_wide'
if tools/ci/armnn.sh >"$out/armnn.log" 2>&1; then
	# the two others take as long as all of these
	for name in face_short face_sparse hand_lite selfie selfie_wide; do
		ok "$name as by Arm NN" floats $name
	done
else
	note "SKIP: networks of floats are not compared: $(tail -n 1 "$out/armnn.log")"
fi

stages() {
	$loom model "$models/selfie.tflite" | grep -q '^ConvTranspose  *1$' &&
	$loom compile "$out/nets/mobile.tflite" -o "$out/mobile.loom" >/dev/null &&
	$loom run "$out/mobile.loom" --device host -i "$out/nets/mobile.in" \
		--save-outputs "$out/compiled" >/dev/null &&
	cmp "$out"/compiled/*.npy "$out"/nets/mobile.out/*.npy &&
	$loom plan "$out/nets/residual.tflite" --replay | grep -q '^replay  *no faults'
}
ok 'model, compile, plan and replay take such a file' stages

# --- memory plans -------------------------------------------------------------------------------

# runtime NAME LIBRARY SUMS: persistent, scratch, head, start, arena, unknown operators
runtime() {
	local said
	said=$($loom place "$out/nets/$1.tflite" --runtime "$2" --json |
		sed -n '/"runtime"/,/}/s/.*_[a-z]*": \([0-9]*\).*/\1/p' | tr '\n' ' ')
	echo "$said"
	[ "$said" = "$3 " ]
}
# 4 tensors, 1 operator: 124 + 8 + 48 + 32 + options 28 = 240; data 56 ends at 304 by 16; 2 arrays of
# 7 channels at 336 and 368; each end: pointer, 40, 12 + 8: 384 + 60, 448 + 60. Tensors 256 + 144,
# planning 12 * 12 + 4 + 4 * 24 + 2 * 40; 508 + 400 by 16
ok 'the arena of a convolution' runtime one_conv reference '508 0 400 324 912 0'
# a row of 3 * 3 * 4 elements, 4 times, above both tensors, and its handle: at 372, so 384 as before
ok 'with a scratch buffer' runtime one_conv cmsis-nn '508 144 544 400 1056 0'
# 5 tensors, 2 operators: 132 + 60 + 64, options 36 and 16, at 308; data 76 ends at 384; 400 + 60, 464 + 60
ok 'of a reshape and a product' runtime one_dense cmsis-nn '524 0 512 388 1040 0'
ok 'and by the reference kernels' runtime one_dense reference '508 0 512 388 1024 0'
unknown() {
	$loom place "$out/nets/one_mul.tflite" --runtime cmsis-nn >"$out/unknown.txt" &&
	grep -q '^arena  *at least ' "$out/unknown.txt" &&
	grep -q '^unknown  *kernels of 1 operators, the first is MUL$' "$out/unknown.txt"
}
ok 'and of a kernel that is not known' unknown
no_library() {
	$loom place "$out/nets/one_mul.tflite" --runtime c 2>"$out/library.txt"
	[ $? = 2 ] && grep -q "no kernel library 'c': there are reference and cmsis-nn" "$out/library.txt"
}
ok 'usage: no such kernels' no_library

# planned FILE [OPTION...]: a plan is proved, written, and read back by both
planned() {
	local file=$1 new height
	shift
	new=$out/$(basename "$file" .tflite).planned.tflite
	$loom place "$file" "$@" -o "$new" --json >"$out/place.json" || return 1
	grep -q '"proved": true' "$out/place.json" || return 1
	height=$(json_number "$out/place.json" height_bytes)
	[ "$height" -le "$(json_number "$out/place.json" before_bytes)" ] &&
	$loom place --check "$new" --json >"$out/check.json" &&
	[ "$(json_number "$out/check.json" arena_bytes)" = "$height" ] &&
	[ "$(json_number "$out/check.json" left)" = 0 ] &&
	python3 $tflite/record.py "$new" "$height" "$file"
}
for file in $nets; do
	ok "a plan for $file" planned "$models/$file.tflite"
done
for name in vww kws resnet8 anomaly mobilenet_v2; do
	ok "a plan for $name" planned "$out/nets/big_$name.tflite"
done
for name in mobile branches; do
	ok "a plan for $name, operators in any order" planned "$out/nets/$name.tflite" --reorder
done

runs_planned() {
	$loom run "$out/mobile.planned.tflite" --device host -i "$out/nets/mobile.in" \
		--save-outputs "$out/again" >/dev/null &&
	cmp "$out"/again/*.npy "$out"/nets/mobile.out/*.npy
}
ok 'a planned model gives what it gave' runs_planned
twice() {
	local height
	height=$(json_number "$out/check.json" arena_bytes)
	$loom place "$out/branches.planned.tflite" -o "$out/twice.tflite" >/dev/null &&
	python3 $tflite/record.py "$out/twice.tflite" "$height"
}
ok 'a plan replaces one that is there' twice

reordered() {
	planned "$out/plans/diamond.tflite" &&
	[ "$(json_number "$out/place.json" height_bytes)" = 1344 ] &&
	planned "$out/plans/diamond.tflite" --reorder | grep 'operators moved' &&
	[ "$(json_number "$out/place.json" height_bytes)" = 768 ] &&
	[ "$(json_number "$out/place.json" before_bytes)" = 1344 ] &&
	$loom run "$out/plans/diamond.tflite" --device host -i random:3 \
		--save-outputs "$out/d1" >/dev/null &&
	$loom run "$out/diamond.planned.tflite" --device host -i random:3 \
		--save-outputs "$out/d2" >/dev/null && cmp "$out/d1/y.npy" "$out/d2/y.npy"
}
ok 'another order needs less, and computes the same' reordered

pictures_of() {
	$loom place "$out/nets/big_vww.tflite" --svg "$out/after.svg" --svg-before "$out/before.svg" \
		>"$out/vww.txt" && cat "$out/vww.txt" &&
	grep -q '^before  *64512 bytes' "$out/vww.txt" && grep -q '^height  *55296 bytes' "$out/vww.txt" &&
	python3 -c 'import sys, xml.dom.minidom as x; [x.parse(f) for f in sys.argv[1:]]' \
		"$out/after.svg" "$out/before.svg" && ! cmp -s "$out/after.svg" "$out/before.svg"
}
ok 'the arena before and after, drawn' pictures_of

says() {	# WANT COMMAND...
	refusal 1 "$@"
}
ok 'a capacity is missed by so many bytes' says 'falls short by 1: at least 55296 are needed' \
	$loom place "$out/nets/big_vww.tflite" --capacity 55295 -o "$out/none.tflite"
ok 'and nothing is written' [ ! -e "$out/none.tflite" ]
ok 'and it fits where it does' $loom place "$out/nets/big_vww.tflite" --capacity 55296
ok 'a plan is larger than a capacity' says 'falls short by 16 of its plan' \
	$loom place --check "$out/plans/plan_right.tflite" --capacity 80
ok 'no order for what may do more than compute' says 'operators have to stay in their order' \
	$loom place "$models/selfie.tflite" --reorder

# of an arena of 60 KiB the runtime's own structures take 4 KiB, at its end as they do, or below
around() {	# FROM-TO HEIGHT
	local new=$out/around.tflite
	$loom place "$out/nets/big_vww.tflite" --capacity 60k --forbid "$1" -o "$new" >/dev/null &&
	$loom place --check "$new" --capacity 60k --forbid "$1" | grep "^arena *$2 bytes" &&
	python3 $tflite/record.py "$new" "$2"
}
ok "around the runtime's own bytes at the end" around 57344-61440 55296
ok 'and at the beginning' around 0-4096 59392
ok 'which a plan without them touches' says "at 48 touches the forbidden 0-4096" \
	$loom place --check "$out/plans/plan_right.tflite" --forbid 0-4096
ok 'what is left of the arena is too small' says 'falls short by' \
	$loom place "$out/nets/big_vww.tflite" --capacity 60k --forbid 55280-61440
usage() {	# FILE OPTION...
	$loom place --check "$@" 2>"$out/stderr"
	[ $? = 2 ] && grep -q 'places nothing' "$out/stderr"
}
for option in '-o x' '--svg x' --minimize --reorder --explain '--strategy auto'; do
	# shellcheck disable=SC2086 # words
	ok "nothing is placed by --check: $option" usage "$out/plans/plan_right.tflite" $option
done

# --- plans of others ----------------------------------------------------------------------------

judged() {	# NAME WANT
	$loom place --check "$out/plans/plan_$1.tflite" | grep -E -- "$2"
}
ok 'a plan of another' judged right '^arena +96 bytes'
ok 'a reshape where its operand is' judged shared '2 left|1 reshaped where they are'
ok 'a plan of some tensors' judged partly '2 placed, 2 left'
while read -r name want; do
	ok "a wrong plan: $name" says "$want" $loom place --check "$out/plans/plan_$name.tflite"
done <<'END'
overlap 'a' at 0 and 'x' at 32 share bytes
shifted share bytes
odd 'b' has an offset that is no multiple of 16
negative 'b' has a negative offset
constant tensor 4 has an offset, but is a constant
variable tensor 6 has an offset, but is a variable
few 4 offsets and has 4, for 7 tensors
lies 9 offsets and has 7, for 7 tensors
short 7 bytes are no list of integers
END
ok 'no plan' says 'it has no memory plan' $loom place --check "$out/plans/chain.tflite"

# --- damaged files ------------------------------------------------------------------------------

while read -r name want; do
	ok "refused: $name" says "$want" $loom plan "$out/plans/$name.tflite"
done <<'END'
custom is not supported
no_tensor operator 3: there is no tensor 99, only 7
backwards is read before it is computed
few_weights tensor 4: 95 bytes of data for a tensor of 96
scale operator 0 (CONV_2D): a scale of -1
branches operator IF is not supported
version version 4 of the schema, only 3 is supported
root byte 0: an offset leads out of the file
END
ok 'no such signature' says "it has no signature 'nope', only 'whole', 'begin'" \
	$loom plan "$out/plans/signatures.tflite#nope"
ok 'a signature of no subgraph' says 'the signature has a subgraph 7, there are 2' \
	$loom plan "$out/plans/signature_nowhere.tflite#begin"
ok 'no plan for several subgraphs' says 'it has 2 subgraphs, memory can be planned for one' \
	$loom place "$out/plans/subgraphs.tflite"
ok 'no plan for what cannot run' says 'reads tensor 2 before it is computed' \
	$loom place "$out/plans/backwards.tflite"
truncated() {
	local size
	size=$(wc -c <"$out/plans/chain.tflite")
	for at in 8 12 40 100 300 700 1000 1500 $((size - 64)); do
		head -c $at "$out/plans/chain.tflite" >"$out/cut.tflite"
		says cut.tflite: $loom plan "$out/cut.tflite" &&
		says cut.tflite: $loom place "$out/cut.tflite" || return 1
	done
}
ok 'truncated files' truncated

finish
