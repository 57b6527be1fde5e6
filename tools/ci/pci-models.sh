#!/bin/bash
# SPDX-License-Identifier: MIT
# The networks and ONNX backend cases of e2e 40 on the device on the bus and on the host: the same
# bits, bytes and cycles. TAP; SKIP with the reason where there is no QEMU for it.
#
#	tools/ci/pci-models.sh			here
#	tools/ci/pci-models.sh guest DIR	in the guest
set -u

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tools/testing/e2e/lib.sh
. tools/testing/e2e/lib.sh
# shellcheck source=tools/testing/e2e/networks.sh
. tools/testing/e2e/networks.sh

if [ "${1:-}" = guest ]; then
	modules=build/module/drivers/accel/loom
	busybox insmod $modules/loom.ko && busybox insmod $modules/loom_pci.ko || exit 1
	networks_in_guest /dev/accel/accel0 "$2"
	backend_in_guest /dev/accel/accel0 "$2"
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
	-- tools/ci/pci-models.sh guest "$vm"
networks_compare
finish
