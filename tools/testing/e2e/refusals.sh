# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced after lib.sh: models and inputs that have to be refused, each with one line that names the
# cause.
#
# refuse_all LOOM DEVICE: LOOM is the program. Of models that cannot be read, a node never hears.

refusal_dir=$out/refused

make_refusals() {
	local d=$refusal_dir onnx=/usr/share/libonnx-testdata/data/node
	mkdir -p $d
	# an operator that nobody has heard of: the name is changed in the bytes
	LC_ALL=C sed 's/Relu/Rexu/' $onnx/test_relu/model.onnx >$d/unknown_op.onnx
	cp $onnx/test_flatten_axis0/model.onnx $d/flatten.onnx
	head -c 300000 $models/blazeface.onnx >$d/truncated.onnx
	head -c 7 $models/blazeface.onnx >$d/stump.onnx
	: >$d/empty.onnx
	python3 tools/testing/wrong_models.py $d || return 1
	build/e2e/pictures speech $d/short.npy 1 1 16 95
	LC_ALL=C sed "1s/<f4/<i4/" $pictures/alexa.npy >$d/int.npy
	head -c 600 $pictures/alexa.npy >$d/cut.npy
	head -c $(($(wc -c <$pictures/line.png) / 2)) $pictures/line.png >$d/cut.png
	printf 'no array' >$d/noise.npy
	printf 'name: a\nextends: tiny\nmemory: {sram: {banks: 300}}\n' >$d/banks.yaml
	printf 'name: a\nextends: circle.yaml\n' >$d/circle.yaml
}

# refused NAME WANT ARG...: one line on stderr with WANT in it, nothing on stdout, status 1
refused() {
	local want=$1 said status lines
	shift
	said=$("$refusing_loom" "$@" 2>&1 >"$out/refused.stdout")
	status=$?
	lines=$(printf '%s\n' "$said" | wc -l)
	printf '%s\n' "$said"
	[ $status = 1 ] || { echo "status $status"; return 1; }
	[ "$lines" = 1 ] || { echo "$lines lines"; return 1; }
	[ ! -s "$out/refused.stdout" ] || { echo 'something on stdout'; return 1; }
	printf '%s' "$said" | grep -Eq -- "$want"
}

usage() {
	local said status
	said=$("$refusing_loom" "$@" 2>&1 >/dev/null)
	status=$?
	printf '%s\n' "$said"
	[ $status = 2 ] && [ "$(printf '%s\n' "$said" | wc -l)" = 1 ]
}

refuse_all() {
	local d=$refusal_dir device=$2 oww=$models/oww_alexa.onnx rec=$models/ppocr_rec.onnx
	refusing_loom=$1
	# shellcheck disable=SC2086
	{
	run() {
		local name=$1 want=$2
		shift 2
		ok "$name" refused "$want" run --device $device "$@"
	}
	[ $device != host ] || {
		run 'a size that nobody gives' 'silero.*"input".*batch' $models/silero_vad.onnx
		run 'an unknown operator is named' 'unknown_op.*node.*Rexu' $d/unknown_op.onnx
		run 'a truncated model' 'truncated' $d/truncated.onnx
		run 'a model cut off in its first bytes' 'stump' $d/stump.onnx
		run 'an empty model' 'empty' $d/empty.onnx
		run 'weights beside the model' '.x. f32 .4. was not given' $d/external.onnx
		run 'weights in a file that is too short' '"w": its 16 bytes .* "w.bin", which has 12' \
			$d/short_data.onnx
		run 'weights in the folder above' '"w": file "../good.bin" is not in' $d/parent.onnx
		run 'weights with a whole path' '"w": file "/dev/null" is not in' $d/absolute.onnx
		run 'weights by a link that leaves the folder' '"w": file "link.bin" is not in' \
			$d/symlink.onnx
		run 'branches of two shapes' '"the node".*If.*f32 .4. and f32 .1.' $d/branches.onnx
		run 'a loop that never ends' '"the node".*Loop.*more than 2048 times' $d/endless.onnx
		run 'a file that is no model' 'line.png' $pictures/line.png
		run 'a model that is not there' 'nowhere' nowhere.onnx
	}
	run 'a dimension that nobody gives' 'dimension 0' $rec
	run 'an input that nobody gives' 'Flatten_0.*not given' $oww
	run 'an input of the wrong size' '\[1,16,95\].*Flatten_0.*\[1,16,96\]' $oww -i $d/short.npy
	run 'an input of the wrong type' 'int.npy.*i32.*Flatten_0.*f32' $oww -i $d/int.npy
	run 'an input that is cut off' 'cut.npy' $oww -i $d/cut.npy
	run 'an input that is no array' 'noise.npy' $oww -i $d/noise.npy
	run 'an input that is not there' 'nowhere.npy' $oww -i nowhere.npy
	run 'a picture where none fits' 'face.ppm' $d/flatten.onnx -i $pictures/face.ppm
	run 'a picture that is cut off' 'cut.png' $rec -i $d/cut.png
	run 'one input too many' 'too many' $oww -i $pictures/alexa.npy -i $pictures/alexa.npy
	run 'an image of what there is not' 'oww_alexa.*nobody' $oww -i $pictures/alexa.npy \
		--image nobody
	run 'a shape that contradicts the model' 'x' $rec --shape x=1,3,47,64
	run 'an output that cannot be written' 'nowhere/out.npy' $oww -i $pictures/alexa.npy \
		-o nowhere/out.npy
	run 'a dictionary of the wrong size' 'page.ppm' $rec -i $pictures/line.png \
		--labels $pictures/page.ppm --grouping layerwise
	}
}

# too_small STRATEGY MODEL ARG...: the error names the missing bytes exactly: with these it fits,
# with one less it does not
too_small() {
	local strategy=$1 text missing sram=64
	shift
	text=$(refused 'node ".*operator [A-Za-z]*: .* [0-9]+ more than there are' plan "$@" \
		--grouping "$strategy" --sram $sram) || {
		printf '%s\n' "$text"
		return 1
	}
	missing=$(printf '%s' "$text" | sed 's/.* \([0-9]*\) more than there are.*/\1/')
	refused '1 more than there are' plan "$@" --grouping "$strategy" \
		--sram $((sram + missing - 1)) &&
	"$refusing_loom" plan "$@" --grouping "$strategy" --sram $((sram + missing)) >/dev/null
}

small_all() {
	local strategy
	refusing_loom=$1
	for strategy in $("$1" plan --strategies | sed '1,/^grouping:/d; s/ .*//'); do
		ok "$strategy: a network in too little SRAM, by operator and bytes" \
			too_small "$strategy" $models/oww_alexa.onnx
		ok "$strategy: another one" too_small "$strategy" $models/oww_embedding.onnx \
			--dim input_1:0=1 --effort 0
	done
}

chips_all() {
	local d=$refusal_dir
	refusing_loom=$1
	ok 'a chip with too many banks, by line and key' refused \
		"$d/banks.yaml:3: memory.sram.banks: is above 256" chips $d/banks.yaml
	ok 'the same for run' refused "$d/banks.yaml:3: memory.sram.banks: is above 256" \
		run $models/oww_alexa.onnx --chip $d/banks.yaml --device host
	ok 'a chip that extends itself' refused "circle.yaml:2: extends: 'circle.yaml' extends" \
		chips $d/circle.yaml
	ok 'more SRAM than there is' refused "chip 'tiny' has 64512" \
		plan $models/oww_alexa.onnx --chip tiny --sram 64k
	ok 'all of it is fine' $1 plan $models/oww_alexa.onnx --chip tiny --sram 63k
	ok 'a chip without DRAM whose SRAM is too small' refused "chip 'stm32f746' has no DRAM" \
		plan $models/blazeface.onnx --chip stm32f746
	ok 'a model is not a chip' refused 'onnx: is larger than 64 KiB' \
		chips ./$models/blazeface.onnx
}

usage_all() {
	ok 'usage: no model' usage run
	ok 'usage: an unknown option' usage run --frobnicate x.onnx
	ok 'usage: an unknown order of the nodes' usage plan --node-order=bgr x.onnx
	ok 'usage: an unknown objective' usage plan --objective=fun x.onnx
	ok 'usage: steps that are no range' usage plan --svg=x.svg --svg-steps=9-3 x.onnx
	ok 'usage: an unknown order of the channels' usage run --order=memory x.onnx
	ok 'usage: an unknown command' usage frobnicate
	ok 'usage: an option without its value' usage run x.onnx --input
	ok 'usage: a dimension without a size' usage plan x.onnx --dim N
	ok 'usage: an unknown chip' usage plan x.onnx --chip moon
	ok 'usage: an unknown chip by the old name of the option' usage plan x.onnx --topology moon
	ok 'usage: a chip for a device that has one' usage run x.onnx --chip tiny --device soft
	ok 'usage: two chips to show' usage chips tiny soft
	ok 'usage: the source of no chip' usage chips --source
	ok 'usage: the source of a file' usage chips --source x.yaml
}
