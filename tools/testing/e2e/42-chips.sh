#!/bin/bash
# SPDX-License-Identifier: MIT
# Chips written from scratch: networks on them on the host, compared with ONNX Runtime, and on device
# nodes that loom device makes of the same files, side by side in one boot: the same bits, and the
# cycles that were promised. Then what the page "Your chip" has root type.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

vm=$out/vm
effort=1
fresh_out
mkdir -p "$vm"
ok 'pictures are made' make_pictures || finish

# In the order in which their nodes are made. 256 lanes have little to do and never overlap.
chips="one odd wide mcu flash"
cat >"$out/one.yaml" <<'END'
name: one
frequency: 200 MHz
overlap: yes
compute: {start: 7}
dma: {start: 11}
memory:
  dram: {banks: 1, size: 64M, align: 64, read: 3.2, write: 2.5, burst: 32}
  sram: {banks: 1, size: 1M, align: 16, read: 8, write: 8}
types:
  f32: {macs: 2, ops: 1}
  i8: {macs: 8, ops: 4}
  u8: {macs: 8, ops: 4}
  i32: {ops: 1}
  i64: {ops: 0.5}
  bool: {ops: 4}
operations: all
END
cat >"$out/odd.yaml" <<'END'
name: odd
extends: one.yaml
memory:
  dram: {banks: 3, size: 33333333}
  sram: {banks: 3, size: 99999, reserved: 1000, sub_banks: 3, read: 30}
END
cat >"$out/wide.yaml" <<'END'
name: wide
extends: one.yaml
overlap: no
memory:
  sram: {banks: 256, size: 16k, read: 512, write: 512}
END
cat >"$out/mcu.yaml" <<'END'
name: mcu
extends: stm32f746
END
cat >"$out/flash.yaml" <<'END'
name: flash
extends: one.yaml
memory:
  rom: {banks: 2, size: 4M, align: 32, in_place: yes, read: 1.7, latency: {read: 13}}
  sram: {banks: 2, size: 512k}
END
sram_of() {
	case $1 in
	one)	echo --sram 512k ;;
	odd)	echo --sram 64k ;;
	wide)	echo --sram 8k ;;
	mcu)	echo --sram 128k ;;
	flash)	echo --objective sram --sram 400k --max-bytes 1M ;;
	esac
}
networks_of() {
	case $1 in
	mcu)	echo alexa ;;
	*)	echo alexa cls ;;
	esac
}

# shellcheck disable=SC2046
on_host() {	# CHIP NETWORK
	model_run "$2" host "$out/$1.$2" --chip "$out/$1.yaml" $(sram_of "$1") &&
		oracle "$2" "$out/$1.$2" "$out/$1.$2.ort" &&
		build/e2e/npy_compare --dirs "$out/$1.$2" "$out/$1.$2.ort"
}
for chip in $chips; do
	for network in $(networks_of "$chip"); do
		ok "$chip, $network: on the host, as ONNX Runtime" on_host "$chip" "$network"
	done
done

# Constants in ROM take no SRAM if they are computed on where they are.
scratch_of() {	# ARG...
	$loom plan "$(model_file cls)" --shape x=1,3,48,192 --chip "$out/flash.yaml" --json \
		--objective sram --max-bytes 1M "$@" >"$out/scratch.json" &&
		json_number "$out/scratch.json" scratch_bytes
}
in_place() {
	local there loaded
	there=$(scratch_of) && loaded=$(scratch_of --load-weights) || return 1
	echo "$there bytes of SRAM, $loaded if constants are loaded"
	[ "$there" -lt "$loaded" ]
}
ok 'flash: constants are computed on in place' in_place

# The script for the VM, a line for each run.
{
	echo 'set -x'
	echo 'mount -t configfs none /sys/kernel/config 2>/dev/null'
	echo ". tools/testing/e2e/lib.sh; loom=$loom effort=$effort"
	for chip in $chips; do
		echo "$loom device add '$out/$chip.yaml' --timeout 600000 >'$vm/$chip.node' || exit 1"
	done
	echo "$loom device list >'$vm/list'"
	for chip in $chips; do
		for network in $(networks_of "$chip"); do
			echo "model_run $network \"\$(sed 's/.* //' '$vm/$chip.node')\" '$vm/$chip.$network' $(sram_of "$chip") 2>'$vm/$chip.$network.err'"
		done
	done
	for chip in $chips; do
		echo "$loom device remove $chip || exit 1"
	done
	# without privileges, in a process of its own
	echo "setpriv --reuid 65534 --clear-groups $loom device add soft 2>'$vm/denied'; echo \$? >>'$vm/denied'"
	echo "cp '$out/mychip.yaml' /tmp; cd /tmp; PATH=\$OLDPWD/build:\$PATH; set -e"
	tools/ci/pages/doc-commands.py --root Documentation/chips.rst
	echo "cd - >/dev/null; ls /sys/kernel/config/loom /dev/accel >'$vm/left'"
} >"$out/vm.sh"
sed -n '/:caption: mychip.yaml/,/^[^ ]/p' Documentation/chips.rst | sed '1,2d; /^[^ ]/d; s/^   //' \
	>"$out/mychip.yaml"

ok 'the VM boots, runs all of it and says nothing in its log' tools/vm/run --timeout 800 \
	--log "$out/dmesg.log" --out "$vm" -- bash "$out/vm.sh"
ok 'all devices were there at once' test "$(grep -c /dev/accel/ "$vm/list")" = 5
on_node() {	# CHIP NETWORK
	local key
	cat "$vm/$1.$2.err"
	grep -q '"device": "/dev/accel/accel' "$vm/$1.$2/run.json" || return 1
	for key in cycles dma_cycles compute_cycles dram_read_bytes dram_write_bytes rom_read_bytes \
		   macs; do
		[ "$(json_number "$vm/$1.$2/run.json" $key)" = \
		  "$(json_number "$out/$1.$2/run.json" $key)" ] || { echo "$key differs"; return 1; }
	done
	same_bits "$out/$1.$2" "$vm/$1.$2"
}
for chip in $chips; do
	for network in $(networks_of "$chip"); do
		ok "$chip, $network: on the node: the bits and the cycles of the host" \
			on_node "$chip" "$network"
	done
done
denied() {
	cat "$vm/denied"
	grep -q 'only root makes and removes devices' "$vm/denied" && grep -qx 1 "$vm/denied"
}
ok 'a process without privileges is told so' denied
ok 'nothing is left' test "$(grep -c . "$vm/left")" = 3
sed 's/^/# /' "$vm/left"
finish
