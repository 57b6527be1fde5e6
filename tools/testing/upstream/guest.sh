#!/bin/sh
# SPDX-License-Identifier: MIT
# In the VM with the changed kernel: ioctls that caused an oops return an error. TAP.
#
#	guest.sh FOLDER		with the programs
dir=$1
. "$(dirname "$0")/../tap.sh"

chmod 666 /dev/accel/accel0
for fault in get-magic get-unique syncobj-count; do
	said=$("$dir/core_ioctls" $fault 65534)
	ok $? "$(echo "$said" | tail -n 1)"
done
for uid in 0 65534; do
	said=$("$dir/core_ioctls" sweep $uid)
	ok $? "$said"
done
busybox insmod "$dir/sched_kill.ko" 2>/dev/null
busybox dmesg | grep -q 'sched_kill: after its end the entity is in no queue'
ok $? "an entity that was killed is in no queue"
busybox dmesg | grep -q "sched_kill: the other entity's job has run"
ok $? "and others run their jobs"
finish
