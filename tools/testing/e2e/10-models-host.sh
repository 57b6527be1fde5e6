#!/bin/bash
# SPDX-License-Identifier: MIT
# The nine networks on the host device, against ONNX Runtime: all outputs, and every
# intermediate of three of them. npy_compare.c explains the bounds.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
ok 'the pictures are drawn' make_pictures || finish

compare_deep() {	# NAME
	local name=$1
	model_run_deep "$name" host "$out/$name.deep" || return 1
	oracle "$name" "$out/$name.deep" "$out/$name.deep.ort" --all || return 1
	build/e2e/npy_compare --dirs "$out/$name.deep" "$out/$name.deep.ort" >"$out/$name.deep.log" || {
		cat "$out/$name.deep.log"
		return 1
	}
}

# The engine counts what the planner promised.
promise_kept() {	# NAME
	local key said
	for key in dram_read_bytes dram_write_bytes sram_read_bytes sram_write_bytes macs steps commands \
		cycles dma_cycles compute_cycles energy_fj; do
		said=$(figures "$out/$1/run.json" | grep "\"$key\"" | tr -d ' ,')
		[ "$(wc -l <<<"$said")" = 2 ] && [ "$(sort -u <<<"$said" | wc -l)" = 1 ] || {
			echo "$said"
			return 1
		}
	done
}

for name in $all_models; do
	ok "$name: all outputs agree with ONNX Runtime to 1e-4" compare "$name"
	ok "$name: traffic, work and steps are those that the plan promised" promise_kept "$name"
done
# Plans below are for bits, bytes and the same counts, not for how good they are.
effort=1
# Without groups, nodes may run in an order that needs less memory: only the arena may differ. With
# groups, less is moved. By time, steps would depend on what fits beside what.
order_agrees() {	# NAME
	local key
	model_run "$1" host "$out/$1.memory" --grouping=layerwise --objective=bytes &&
	model_run "$1" host "$out/$1.given" --node-order=given --objective=bytes &&
	same_bits "$out/$1" "$out/$1.memory" && same_bits "$out/$1" "$out/$1.given" || return 1
	for key in dram_read_bytes dram_write_bytes steps; do
		[ "$(json_number "$out/$1.memory/run.json" $key)" = \
		  "$(json_number "$out/$1.given/run.json" $key)" ] || return 1
	done
	for key in dram_read_bytes dram_write_bytes; do
		[ "$(json_number "$out/$1/run.json" $key)" -le \
		  "$(json_number "$out/$1.memory/run.json" $key)" ] || return 1
	done
	[ "$(json_number "$out/$1.memory/run.json" neuron_peak_bytes)" -le \
	  "$(json_number "$out/$1.given/run.json" neuron_peak_bytes)" ]
}
# The outputs do not depend on how a network is sliced to fit in SRAM.
small_sram_agrees() {	# NAME BYTES
	model_run "$1" host "$out/$1.sram" --sram "$2" &&
	[ "$(json_number "$out/$1/run.json" steps)" -lt \
	  "$(json_number "$out/$1.sram/run.json" steps)" ] &&
	same_bits "$out/$1" "$out/$1.sram"
}
# mlsd alone takes longer than all others
for name in ${all_models/mlsd /}; do
	ok "$name: the same bits with 4 KiB of SRAM per lane" small_sram_agrees "$name" 4096
done

for name in $deep_models; do
	ok "$name: the same bits without groups, and the same traffic in the order of the model" \
		order_agrees "$name"
done
# All computed values are in images, most of them shared. CONV and POOL read them in place or, in the
# second run, from SRAM. In groups most stay in the SRAM.
images_agree() {	# NAME
	local pools
	model_run "$1" host "$out/$1.image" --image all --grouping layerwise &&
	build/e2e/npy_compare --dirs "$out/$1.image" "$out/$1.ort" &&
	promise_kept "$1.image" && same_bits "$out/$1" "$out/$1.image" || return 1
	model_run "$1" host "$out/$1.loaded" --image all --grouping layerwise --load-images &&
	promise_kept "$1.loaded" && same_bits "$out/$1" "$out/$1.loaded" || return 1
	model_run "$1" host "$out/$1.images" --image all --sram 16k --objective time &&
	promise_kept "$1.images" && same_bits "$out/$1" "$out/$1.images" || return 1
	pools=$(json_number "$out/$1.image/run.json" image_pools)
	[ "$pools" -gt 0 ] && [ "$pools" -le "$(json_number "$out/$1.image/run.json" images)" ] &&
	[ "$(json_number "$out/$1.image/run.json" sram_write_bytes)" -le \
	  "$(json_number "$out/$1.loaded/run.json" sram_write_bytes)" ]
}
for name in $image_models embedding; do
	ok "$name: in images it agrees with ONNX Runtime to 1e-4, and to the bit with itself" \
		images_agree "$name"
	note "$name: $(json_number "$out/$name.image/run.json" images) values of" \
		"$(json_number "$out/$name.image/run.json" image_value_bytes) bytes in" \
		"$(json_number "$out/$name.image/run.json" image_pools) images of" \
		"$(json_number "$out/$name.image/run.json" image_bytes)"
done
for name in $deep_models; do
	ok "$name: all intermediates agree with ONNX Runtime to 1e-4" compare_deep "$name"
	note "$name: $(tail -n 1 "$out/$name.deep.log" 2>/dev/null)"
done

# Another order of the channels gives another result.
channels_matter() {
	model_run blazeface host "$out/blazeface.bgr" --order bgr &&
	! same_bits "$out/blazeface" "$out/blazeface.bgr" >/dev/null 2>&1
}
ok 'blazeface: blue first is another picture' channels_matter

# With meaningful inputs the networks give meaningful results.
reads() {	# TEXT
	local got
	build/textline -h 48 "$out/reads.png" "$1" &&
	got=$($loom run $models/ppocr_rec.onnx --device host --effort 0 --input "$out/reads.png" \
		--labels $models/ppocr_keys.txt | sed -n 's/^text: //p') || return 1
	echo "read: $got"
	[ "$got" = "$1" ]
}
ok 'recognition reads a line' reads 'Loom plans memory'
ok 'recognition reads digits and signs' reads 'Total: 1,048.576 bytes (95%)'

class() {	# PICTURE CLASS
	$loom run $models/ppocr_cls.onnx --device host --effort 0 --input "$1" --shape x=1,3,48,192 \
		--output "$out/class.bin" >/dev/null || return 1
	# the larger one of two floats, both positive: bits compare as integers do
	od -An -tu4 "$out/class.bin" | awk -v want="$2" '{ exit ($2 > $1) != want }'
}
ok 'the classifier says that a line is upright' class $pictures/line.png 0
ok 'the classifier says that a turned line is turned' class $pictures/turned.ppm 1
finish
