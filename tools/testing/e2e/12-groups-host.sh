#!/bin/bash
# SPDX-License-Identifier: MIT
# Networks in groups on the host device, by every strategy: see model_matrix.c. Small ones in SRAM
# of all sizes, large ones in one or two sizes; `make check-models` runs all of them in all sizes.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
mkdir -p "$out"
ok 'the pictures are drawn' make_pictures || finish

# matrix NAME WHERE...: a line for each cell that went wrong, and the sum
matrix() {
	local name=$1
	shift
	$under build/e2e/model_matrix "$(model_file "$name")" "$out/$name" "$@" >"$out/$name.tap"
	local status=$?
	grep -A1 '^not ok\|^Bail' "$out/$name.tap"
	tail -n 2 "$out/$name.tap" | head -n 1
	return $status
}

where() {
	case $1 in
	rec|det)		echo 64k ;;
	cls|blazeface)		echo 64k 256k 1024k bm1688 ;;
	*)			echo flat presets ;;
	esac
}

# the peaks of --explain, counted again from the tensors
peaks() {
	$loom plan "$@" --json --explain --tensors >"$out/peaks.json" && tools/testing/peaks.py "$out/peaks.json"
}
ok 'tensors of the peaks of groups' peaks $models/blazeface.onnx --chip bm1688
ok 'tensors of the peaks of layers' peaks $models/blazeface.onnx --chip cv181x --grouping layerwise

ok 'pictures and traces show what the plan has' tools/testing/drawings.py $loom "$out/drawings"

# where a search by time alone ends far from the bound, at 1.286
near_bound() {
	python3 tools/testing/bench/nets.py mixer "$out/mixer.onnx" 2 >"$out/nodes" &&
	$loom plan "$out/mixer.onnx" --sram 32k >"$out/mixer.txt" &&
	grep -q '^bound .*: 1\.2[0-5][0-9] times as many' "$out/mixer.txt"
}
ok 'a mixer in 32 KiB per lane is within 1.26 of the bound' near_bound

# mlsd takes a fifth of the time of all others: `make check-models` has it
for name in ${group_models/mlsd/}; do
	if [ "$name" = mel ]; then
		ok "$name: all outputs agree with ONNX Runtime to 1e-4" compare "$name"
	else
		ok "$name runs layer by layer" model_run "$name" host "$out/$name"
	fi
	# shellcheck disable=SC2046 # lists of words
	ok "$name: by every strategy the same bits, as promised, without faults, in $(where "$name")" \
		matrix "$name" $(where "$name")
	note "$(grep -c '^ok.*as promised' "$out/$name.tap") cells ran," \
		"$(grep -c '^ok.*refused' "$out/$name.tap") do not fit"
done
finish
