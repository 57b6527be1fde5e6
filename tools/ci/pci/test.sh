#!/bin/bash
# SPDX-License-Identifier: MIT
# The device on the bus: loom-sim attached to QEMU, seen by the stock kernel, and driven by
# loom_pci, with the host's memory mapped and asked for. TAP; SKIP with the reason where there is no
# QEMU.
#
#	tools/ci/pci/test.sh			here
#	tools/ci/pci/test.sh pair DIR [MODULE]	in the guest: two devices share buffers and fences
set -u

cd "$(dirname "$0")/../../.." || exit 1
# shellcheck source=tools/testing/tap.sh
. tools/testing/tap.sh

if [ "${1:-}" = pair ]; then
	modules=build/module/drivers/accel/loom
	busybox insmod $modules/loom.ko && busybox insmod $modules/loom_pci.ko &&
		{ [ -z "${3:-}" ] || busybox insmod "$modules/$3.ko"; }
	ok $? 'the modules load'
	[ -e /dev/accel/accel0 ] && [ -e /dev/accel/accel1 ]
	ok $? 'there are two nodes'
	"$2/loom_import" >/tmp/selftest 2>&1
	ok $? "loom_import: $(grep -c '^ok' /tmp/selftest) passed" || sed 's/^/# /' /tmp/selftest
	busybox rmmod ${3:+"$3"} loom_pci && busybox rmmod loom
	ok $? 'the modules unload'
	finish
fi

mkdir -p build/pci
if ! reason=$(tools/vm/qemu.sh 2>&1 >/dev/null); then
	echo "ok 1 # SKIP ${reason##*$'\n'}"
	echo 1..1
	exit 0
fi

n=0
install=$PWD/build/kselftest/install
tools/ci/kselftest.sh stage

# guest OPTIONS SCRIPT [ARG...]: a VM with a device, or with one for each of OPTIONS, by commas
guest() {
	local options=$1 log one devices=()
	n=$((n + 1))
	log=build/pci/guest-$n.log
	shift
	while read -r one; do
		devices+=(--pci "$one")
	done < <(tr , '\n' <<<"$options")
	tools/vm/run --no-module "${devices[@]}" --out "$install" --timeout 1200 \
		--log "build/pci/dmesg-$n.log" -- "$@" >$log 2>build/pci/err-$n.log
	ok $? "$(basename "$1"), $options: $(grep -c '^ok' $log) of $(
		grep -c '^ok\|^not ok' $log)" || sed 's/^/# /' $log build/pci/err-$n.log
}

# tests that fill the device, on a small one; loom_own is about memory of the device's own
small='own caps fail_nth growth hostile image latency masks random sram displace submit'
small="$small timeout unplug"
# shellcheck disable=SC2086 # words
guest '--chip tiny' tools/ci/pci/driver.sh "$install/loom" $small
guest '--chip soft --dma messages' tools/ci/pci/driver.sh "$install/loom" own submit
# not again what needs no larger device
guest '--chip soft' tools/ci/pci/driver.sh "$install/loom" own bo caps contend context import lanes \
	observe plan query refusal scratch seal share sram displace submit unplug verify
# two of them, and one beside a soft device
guest '--chip tiny,--chip soft' tools/ci/pci/test.sh pair "$install/loom"
guest '--chip soft --dma messages,--chip tiny --dma messages' \
	tools/ci/pci/test.sh pair "$install/loom"
guest '--chip tiny' tools/ci/pci/test.sh pair "$install/loom" loom_soft
finish
