#!/bin/sh
# SPDX-License-Identifier: MIT
# In the guest of test.sh: the driver on the device. TAP. $1: the folder of the selftests; then
# which of them are run.
set -u
dir=$1
shift

# shellcheck source=tools/testing/tap.sh
. tools/testing/tap.sh

modules=build/module/drivers/accel/loom
busybox insmod $modules/loom.ko && busybox insmod $modules/loom_pci.ko
ok $? 'the modules load'
device=$(dirname "$(find /sys/bus/pci/drivers/loom_pci/ -name '0000:*' | head -n 1)/.")
[ -d "$device/accel" ]
ok $? 'there is a node'
for figure in temp1_input power1_input energy1_input freq1_input; do
	value=$(cat "$device"/hwmon/hwmon*/$figure)
	[ "${value:-0}" -gt 0 ]
	ok $? "$figure is $value"
done
# selftest PROGRAM: run it; 4 is that it has nothing to do here
selftest() {
	status=0
	LOOM_EFFORT=${LOOM_EFFORT:-20} "$dir/loom_$1" >/tmp/selftest 2>&1 || status=$?
	[ $status != 4 ] || status=0
	ok $status "loom_$1: $(grep -c '^ok' /tmp/selftest) passed" ||
		sed 's/^/# /' /tmp/selftest
}

for program; do
	selftest "$program"
done
sleep 7
[ "$(cat "$device/power/runtime_status")" = suspended ]
ok $? 'idle, it sleeps'
for round in 1 2 3; do
	echo "${device##*/}" >/sys/bus/pci/drivers/loom_pci/unbind &&
		echo "${device##*/}" >/sys/bus/pci/drivers/loom_pci/bind && [ -d "$device/accel" ]
	ok $? "unbound and bound, round $round"
done
selftest own
# The device still moves bytes of who was killed: that keeps the module, and on a slow machine it
# takes a moment.
for wait in $(seq 60); do
	! busybox rmmod loom_pci 2>/tmp/rmmod || break
	sleep 1
done
[ ! -d /sys/module/loom_pci ] && busybox rmmod loom
ok $? "the modules unload, try $wait" || cat /tmp/rmmod
# the last, as the kernel has no room for BAR2 when the device is found again
tools/ci/pci/guest.sh
ok $? 'the device on the bus'
finish
