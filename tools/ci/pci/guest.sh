#!/bin/sh
# SPDX-License-Identifier: MIT
# In the guest of driver.sh: checks of the device that its kernel finds on the bus. TAP.
set -u
# shellcheck source=tools/testing/tap.sh
. "$(dirname "$0")/../../testing/tap.sh"

find_device() {
	device=
	for d in /sys/bus/pci/devices/*; do
		[ "$(cat "$d/vendor")" != 0x4c4f ] || device=$d
	done
}

# bar NUMBER: first byte, last byte, flags
bar() { sed -n "$(($1 + 1))p" "$device/resource"; }

find_device
[ -n "$device" ] && [ "$(cat "$device/device")" = 0x4f4d ]
ok $? 'the device is on the bus'
[ "$(cat "$device/class")" = 0x120000 ]
ok $? 'it is a processing accelerator'
bar 0 | awk '{ exit !($2 - $1 == 16383 || substr($2, 15) == "3fff") }'
ok $? 'BAR0 has 16 KiB'
# IORESOURCE_MEM, PREFETCH, MEM_64
bar 2 | grep -q '0x000000000014220c$'
ok $? 'BAR2 is memory, prefetchable, of 64 bits'
[ -e "$device/msi_irqs" ] || [ "$(cat "$device/irq")" = 0 ]
ok $? 'there is no INTx'
grep -q flr "$device/reset_method" && echo 1 >"$device/reset"
ok $? 'a function level reset works'
echo 1 >"$device/remove" && echo 1 >/sys/bus/pci/rescan
find_device
[ -n "$device" ]
ok $? 'removed, it is found again'
finish
