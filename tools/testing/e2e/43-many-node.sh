#!/bin/bash
# SPDX-License-Identifier: MIT
# Several items on two nodes and through both of them, also with the host: the bits of one item
# after the other on the host. Between nodes nothing is copied by the processor. TAP.
#
#	43-many-node.sh			two soft devices
#	43-many-node.sh pci		two devices on the bus; SKIP where there is no QEMU for them
#	43-many-node.sh mixed		one on the bus and a soft one
#	43-many-node.sh guest DIR	the part that runs in the guest
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/many.sh
. "$(dirname "$0")/many.sh"

# NAME INPUT DIM...
networks=('alexa onnx::Flatten_0 1 16 96' 'embedding input_1 1 76 32 1')
# by name: arguments of loom run
ways='both stages back three host repeated'
way_args() {
	case $1 in
	both)		echo --devices 0,1 ;;
	stages)		echo --devices 0,1 --pipeline ;;
	back)		echo --devices 1,0 --pipeline ;;
	three)		echo --devices 0,1,0 --pipeline ;;
	host)		echo --devices host,1,0 --pipeline ;;
	repeated)	echo --devices 0,1 --pipeline --repeat 3 ;;
	esac
}

if [ "${1:-}" = guest ]; then
	out=$2
	for network in "${networks[@]}"; do
		name=${network%% *}
		for way in $ways; do
			# shellcheck disable=SC2046 # words
			many "$name" "$way" $(way_args "$way") >"$out/$name/$way.text" 2>&1
			echo $? >"$out/$name/$way.status"
		done
		# compiled on the host, run on both
		$loom run "$out/$name/net.loom" --items $items --json --devices 0,1 \
			--input "$out/$name/all.npy" -o "$out/$name/file.bin" \
			>"$out/$name/file.json" 2>"$out/$name/file.text" &&
			cmp "$out/$name/want.bin" "$out/$name/file.bin" >>"$out/$name/file.text" 2>&1
		echo $? >"$out/$name/file.status"
	done
	# the other way round: compiled for the node, run there
	name=alexa
	{
		$loom compile "$(model_file $name)" --device soft -o "$out/$name/node.loom" &&
		$loom verify "$out/$name/node.loom" &&
		$loom run "$out/$name/node.loom" --device soft --json --input "$out/$name/item.1" \
			-o "$out/$name/node.bin" >"$out/$name/node.json" &&
		cmp "$out/$name/one.1.bin" "$out/$name/node.bin"
	} >"$out/$name/node.text" 2>&1
	echo $? >"$out/$name/node.status"
	exit 0
fi

mode=${1:-soft}
vm=(tools/vm/run --timeout 1200)
modules=build/module/drivers/accel/loom
load=
unload=:
case $mode in
soft)
	# two workers compute on it
	load='mount -t configfs none /sys/kernel/config; cd /sys/kernel/config/loom && mkdir other &&
		echo 2 >other/threads && echo 1 >other/live && cd - >/dev/null'
	unload='build/loom device remove other' ;;
pci|mixed)
	if ! reason=$(tools/vm/qemu.sh 2>&1 >/dev/null); then
		echo "ok 1 # SKIP ${reason##*$'\n'}"
		echo 1..1
		exit 0
	fi
	vm+=(--no-module --pci '--chip soft')
	load="busybox insmod $modules/loom.ko && busybox insmod $modules/loom_pci.ko"
	[ "$mode" = mixed ] && load="$load && busybox insmod $modules/loom_soft.ko" ||
		vm+=(--pci '--chip soft') ;;
esac

# passed NAME WAY: the same bits
passed() {
	cat "$out/$1/$2.text"
	[ "$(cat "$out/$1/$2.status")" = 0 ]
}

# linked NAME WAY: all that a node takes from another one comes without a copy
linked() {
	python3 - "$out/$1/$2.json" <<-'EOF'
		import json, sys
		devices = json.load(open(sys.argv[1]))["run"]["devices"]
		pairs = zip(devices, devices[1:])
		nodes = [b for a, b in pairs if "accel" in a["device"] and "accel" in b["device"]]
		assert nodes and all(b["linked_bytes"] == b["in_bytes"] > 0 for b in nodes), devices
	EOF
}

# compile NAME INPUT DIM...
compile() {
	local dims=${*:3}
	$loom compile "$(model_file "$1")" --sram $node_sram --shape "$2=${dims// /,}" \
		-o "$out/$1/net.loom"
}

out=$out.$mode
fresh_out
for network in "${networks[@]}"; do
	name=${network%% *}
	# shellcheck disable=SC2086 # words
	ok "$name: the items are drawn" draw $network || finish
	ok "$name: one after the other on the host" alone "$name" || finish
	# shellcheck disable=SC2086 # words
	ok "$name: is compiled for the floor of a node" compile $network || finish
done
ok 'the VM boots, and says nothing in its log' "${vm[@]}" --log "$out/dmesg.log" --out "$out" -- \
	sh -c "$load >/dev/null && sleep 1 && tools/testing/e2e/43-many-node.sh guest $out; $unload"
for network in "${networks[@]}"; do
	name=${network%% *}
	for way in $ways; do
		ok "$name, $(way_args "$way"): the bits of one device" passed "$name" "$way"
	done
	for way in stages back repeated; do
		ok "$name, $(way_args "$way"): nothing is copied" linked "$name" "$way"
	done
	ok "$name, from the file of the host: the bits of one device" passed "$name" file
	ok "and no planning" grep -q '"plan_seconds": 0[,.]' "$out/$name/file.json"
done
ok 'compiled on the node, run on the node: the bits of the host' passed alexa node
finish
