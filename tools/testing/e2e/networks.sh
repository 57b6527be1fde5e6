# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced after lib.sh by tests that compare a node with the host: networks, some of them with all
# their tensors, in images, or in groups in SRAM of several sizes, and the ONNX backend cases.
# shellcheck disable=SC2154,SC2317 # variables of lib.sh; functions called by ok

# Results of the host, and of the VM.
host=$out/host
vm=$out/vm
effort=1

# A machine that is emulated plans ten times as slowly as it is, so that the tests of a node would do
# little else. Models that take seconds here are compiled here, and run there from the file; the
# others are planned there, and must count the same as here.
node_programs='rec det cls blazeface mlsd embedding rec.images cls.images blazeface.images
	blazeface.16k blazeface.64k embedding.4k embedding.64k mel.4k mel.16k mel.64k cls.16k'

# All but the one that takes 40 s in the VM, where `make check-models` runs it.
node_models=${all_models/mlsd /}

# Of the models whose intermediates are compared with ONNX Runtime, those that are small.
node_deep='blazeface embedding'
frames=200

# compiled NAME[.KIND] [ARG...]: of those, from what ran on the host
compiled() {
	local what=$1
	shift
	case " ${node_programs//[$'\n\t']/ } " in
	*" $what "*)
		ok "$what is compiled for the node" compile_like "${what%%.*}" "$host/$what/run.json" \
			"$vm/$what.loom" "$@" ;;
	esac
}

networks_on_host() {
	local name group
	for name in $all_models; do
		ok "$name runs on the host" model_run "$name" host "$host/$name" --sram $node_sram
		compiled "$name" --sram $node_sram
	done
	for name in $node_deep; do
		ok "$name runs on the host, all tensors kept" model_run_deep "$name" host "$host/$name.deep"
	done
	for name in $image_models; do
		ok "$name runs on the host in images" model_run "$name" host "$host/$name.image" \
			--image all --grouping layerwise --sram $node_sram
		ok "$name runs on the host in images and groups" model_run "$name" host "$host/$name.images" \
			--image all --sram $node_sram
		compiled "$name.images" --image all --sram $node_sram
	done
	model_run mel host "$host/mel" || ok 'mel runs on the host' false
	for group in $node_groups; do
		ok "${group%:*} runs on the host in groups, ${group#*:} per lane" \
			model_run_group "$group" host "$host/${group/:/.}"
		compiled "${group/:/.}" --grouping layergroup --sram "${group#*:}"
	done
	ok 'a voice detector runs on the host, frame by frame' \
		model_run voice host "$host/voice" --sram $node_sram --grouping layerwise
	ok 'a decoder runs on the host, token by token' decode_run host "$host/decoder"
	build/e2e/onnx_backend --device host --digest "$host/digest" >/dev/null
}

# there WHAT DEVICE OUT COMMAND...: from a file if there is one for it, else by the command
there() {
	local what=$1 device=$2 out=$3
	shift 3
	if [ -e "$out/$what.loom" ]; then
		program_run "${what%%.*}" "$out/$what.loom" "$device" "$out/$what"
	else
		"$@"
	fi 2>"$out/$what.err"
	echo $? >"$out/$what.status"
}

# networks_in_guest DEVICE OUT
networks_in_guest() {
	local device=$1 out=$2 name group
	for name in $node_models; do
		there "$name" "$device" "$out" model_run "$name" "$device" "$out/$name"
	done
	# in groups on the host: the search for groups takes long in the VM if every value is observed
	for name in $node_deep; do
		there "$name.deep" "$device" "$out" model_run_deep "$name" "$device" \
			"$out/$name.deep" --grouping layerwise
	done
	for name in $image_models; do
		there "$name.image" "$device" "$out" model_run "$name" "$device" \
			"$out/$name.image" --image all --grouping layerwise
		there "$name.images" "$device" "$out" model_run "$name" "$device" \
			"$out/$name.images" --image all
	done
	for group in $node_groups; do
		there "${group/:/.}" "$device" "$out" model_run_group "$group" "$device" \
			"$out/${group/:/.}"
	done
	there voice "$device" "$out" model_run voice "$device" "$out/voice" --grouping layerwise
	decode_run "$device" "$out/decoder" >"$out/decoder.err"
	echo $? >"$out/decoder.status"
}

# backend_in_guest DEVICE OUT
backend_in_guest() {
	local device=$1 out=$2
	build/e2e/onnx_backend --device "$device" --digest "$out/digest" >"$out/backend.tap"
	echo $? >"$out/backend.status"
}

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
in_groups() {	# NAME:SRAM
	local dir=${1/:/.}
	status_0 "$dir" && on_node "$dir" && same_bits "$host/$dir" "$vm/$dir" &&
	same_bits "$host/${1%:*}" "$vm/$dir"
}
# frames of 2 KiB go in, as many numbers come out and the state in the end
states_stay() {
	[ "$(json_number "$vm/voice/run.json" in_bytes)" = $((frames * 2048)) ] &&
	[ "$(json_number "$vm/voice/run.json" out_bytes)" = $((frames * 4 + 1024)) ] &&
	[ "$(json_number "$vm/voice/run.json" kept_bytes)" = $((frames * 1024)) ]
}
kept_all() {	# NAME
	status_0 "$1" && same_bits "$host/$1" "$vm/$1"
}
digests_agree() {
	! grep -vxFf "$host/digest" "$vm/digest"
}
backend_passed() {
	grep '^not ok' "$vm/backend.tap"
	tail -n 1 "$vm/backend.tap"
	[ "$(cat "$vm/backend.status")" = 0 ]
}

# The node gives what the host gave.
networks_compare() {
	local name group
	for name in $node_models; do
		ok "$name runs on the node" status_0 "$name"
		ok "$name: node and host count the same" on_node "$name"
		ok "$name: node and host give the same bits" same_bits "$host/$name" "$vm/$name"
	done
	for name in $node_deep; do
		ok "$name: all tensors are the same bits on node and host" kept_all "$name.deep"
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
	for group in $node_groups; do
		ok "${group%:*}: in groups, ${group#*:} per lane, the node counts as the host does, the same bits" \
			in_groups "$group"
	done
	ok 'the voice detector runs frame by frame on the node' status_0 voice
	ok 'the voice detector: node and host count the same' on_node voice
	ok 'the voice detector: node and host give the same bits' same_bits "$host/voice" "$vm/voice"
	ok 'the voice detector: its states stay on the device' states_stay
	ok 'the decoder runs on the node, its keys and values stay there' status_0 decoder
	ok 'the decoder: node and host write the same tokens' cmp "$host/decoder/tokens" \
		"$vm/decoder/tokens"
	note "voice detector: $(json_number "$vm/voice/run.json" frame_seconds) s for a frame"
	note "decoder: $(cat "$vm/decoder/figures")"
	ok 'the ONNX backend cases pass on the node' backend_passed
	note "$(tail -n 1 "$vm/backend.tap")"
	ok 'at least 300 of them ran there' test "$(wc -l <"$vm/digest")" -ge 300
	ok 'their results are the same bits on node and host' digests_agree
}
