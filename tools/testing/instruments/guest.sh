#!/bin/sh
# SPDX-License-Identifier: MIT
# In the VM: each fault in turn; the log of the kernel has to match its pattern. TAP.
#
#	guest.sh MODULE FAULT=PATTERN...
ko=$1
shift
. "$(dirname "$0")/../tap.sh"

grep -q 'debug_locks: *1$' /proc/lockdep_stats
ok $? "lockdep is on"
[ -w /sys/kernel/debug/kmemleak ]
ok $? "kmemleak is there"
[ -w /proc/self/fail-nth ] && [ -d /sys/kernel/debug/failslab ] &&
	[ -d /sys/kernel/debug/fail_page_alloc ]
ok $? "faults can be injected"

# a fault without a pattern is reported later: another script looks for it
for fault; do
	busybox dmesg -c >/dev/null
	busybox insmod "$ko" "fault=${fault%%=*}" 2>/dev/null
	[ -n "${fault#*=}" ] || continue
	busybox dmesg | grep -qE "${fault#*=}"
	ok $? "${fault%%=*} is found: ${fault#*=}" || busybox dmesg | tail -n 30 | sed 's/^/# /'
done
finish
