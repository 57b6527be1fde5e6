#!/bin/bash
# SPDX-License-Identifier: MIT
# The networks and ONNX backend cases of e2e 40 on the device on the bus and on the host: the same
# bits, bytes and cycles. TAP; SKIP with the reason where there is no QEMU for it.
#
#	tools/ci/pci/models.sh			here
#	tools/ci/pci/models.sh guest DIR	in the guest
#	tools/ci/pci/models.sh mcu DIR		in the guest, on a microcontroller
set -u

cd "$(dirname "$0")/../../.." || exit 1
# shellcheck source=tools/testing/e2e/lib.sh
. tools/testing/e2e/lib.sh
# shellcheck source=tools/testing/e2e/networks.sh
. tools/testing/e2e/networks.sh

if [ $# = 2 ]; then
	modules=build/module/drivers/accel/loom
	busybox insmod $modules/loom.ko && busybox insmod $modules/loom_pci.ko || exit 1
fi
if [ "${1:-}" = mcu ]; then
	model_run alexa /dev/accel/accel0 "$2/mcu" --sram 128k 2>"$2/mcu.err"
	echo $? >"$2/mcu.status"
	exit 0
fi
if [ "${1:-}" = guest ]; then
	networks_in_guest /dev/accel/accel0 "$2"
	backend_in_guest /dev/accel/accel0 "$2"
	bash tools/testing/ort/test.sh bus >"$2/ort.tap" 2>&1
	exit 0
fi

if ! reason=$(tools/vm/qemu.sh 2>&1 >/dev/null); then
	echo "ok 1 # SKIP ${reason##*$'\n'}"
	echo 1..1
	exit 0
fi

fresh_out
mkdir -p "$vm"
ok 'pictures are made' make_pictures || finish
networks_on_host
ok 'the VM boots, runs all of it and says nothing in its log' tools/vm/run --no-module \
	--pci '--chip soft' --timeout 1200 --log "$out/dmesg.log" --out "$vm" \
	-- tools/ci/pci/models.sh guest "$vm"
networks_compare

# skipped, or four lines that are ok
ort_on_bus() {
	grep '^1\.\.0 # SKIP' "$vm/ort.tap" && return
	cat "$vm/ort.tap"
	grep -q '^1\.\.4$' "$vm/ort.tap" && ! grep -q '^not ok' "$vm/ort.tap"
}
ok 'ONNX Runtime finds the device by itself and runs three models there, if it can be had' ort_on_bus

# One lane and no DRAM: slots are in an SRAM of the device's own, with pages of 4 bytes, and are
# copied. (Of a device without such memory they are mapped: e2e 42.)
ok 'alexa runs on the host, as a microcontroller' model_run alexa host "$host/mcu" \
	--chip stm32f746 --sram 128k
ok 'the VM boots with a microcontroller on the bus, and says nothing in its log' tools/vm/run \
	--no-module --pci '--chip stm32f746' --timeout 600 --log "$out/dmesg-mcu.log" --out "$vm" \
	-- tools/ci/pci/models.sh mcu "$vm"
ok 'alexa runs on the microcontroller' status_0 mcu
ok 'alexa: the microcontroller and the host count the same' on_node mcu
ok 'alexa: the microcontroller and the host give the same bits' same_bits "$host/mcu" "$vm/mcu"
finish
