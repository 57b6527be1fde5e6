#!/bin/bash
# SPDX-License-Identifier: MIT
# In a VM of run.sh: modules that count what they run, and the tests that make them run. TAP; the
# counters are in DIR/KERNEL-PART.counters, or -some.counters if not all tests were asked for. They are
# written after each test, so that a machine that dies has not run for nothing.
#
#	tools/testing/kgcov/guest.sh PART stock|debug BUILD DIR [TEST...]
#
#	kunit	the module's own tests
#	node	the soft device: all selftests, sleep
#	faults	allocations that fail
#	tiny	a small one, and small limits
#	template	the skeleton of a back end, without and with memory of its own
#	bus	a device on the bus: selftests, faults, resets, sleep, and it comes and goes
#	fuzz	sequences of ioctls on the soft device that grow by what they reach,
#		LOOM_GUIDED_SECONDS of them
#
# BUILD is what run.sh has built for that kernel, TEST the tests of the part that shall run.
set -u
# shellcheck source=tools/testing/tap.sh
. tools/testing/tap.sh

part=$1
kernel=$2
build=$3
dir=$4
shift 4
counters=$dir/$kernel-$part${1:+-some}.counters
modules=$build/module/drivers/accel/loom
selftests=build/kselftest/install/loom
export LOOM_MODULE=$PWD/$modules/loom.ko LOOM_EFFORT=${LOOM_EFFORT:-3}

# Those of a module that is there now, where the kernel has not called them: loom_gcov.c.
constructors() {
	[ "$kernel" = stock ] || return 0
	awk -v module="[$1]" '$3 == "_sub_I_00100_0" && $4 == module { print $1 }' /proc/kallsyms |
		while read -r address; do
			echo "$address" >/sys/kernel/debug/loom_gcov/constructors || return
		done
}

load() {
	local module=$1 name
	shift
	name=$(basename "$module" .ko)
	busybox insmod "$module" "$@" && constructors "$name"
	ok $? "$name $* loads" || finish
}

# A device may still move bytes of who was killed, and fences of who has ended keep the module.
unload() {
	local module
	for module; do
		for _ in $(seq 60); do
			! busybox rmmod "$module" 2>/tmp/rmmod || break
			sleep 1
		done
		[ ! -d "/sys/module/$module" ]
		ok $? "$module unloads" || cat /tmp/rmmod
	done
}

counters() {
	cat /sys/kernel/debug/loom_gcov/counters >"$counters"
}

# selftest PROGRAM [ARG...]: 4 is that it has nothing to do here
selftest() {
	local status=0 begin=$SECONDS
	timeout $((15000 + ${LOOM_GUIDED_SECONDS:-0})) "$selftests/loom_$1" "${@:2}" >/tmp/selftest 2>&1 || status=$?
	[ $status != 4 ] || status=0
	ok $status "loom_$*: $(grep -c '^ok' /tmp/selftest) passed in $((SECONDS - begin)) s" ||
		sed 's/^/# /' /tmp/selftest
	counters
}

# those that are asked for, else those of $tests
selftests() {
	local test
	[ $# != 0 ] || set -- "${tests[@]}"
	for test; do
		selftest "$test"
	done
}

# All that do not need a device on the bus; the one that loads the modules again, whose counters nobody
# asks for, is the last.
all() {
	local path
	for path in selftests/loom_*.c selftests/guided/*.c selftests/sram/*.c selftests/loom_unplug.c; do
		path=${path##*/loom_}
		echo "${path%.c}"
	done | tac | awk '!seen[$0]++' | tac
}

busybox insmod "$build/kgcov/loom_gcov.ko" || exit 1
case $part in
kunit)
	load "$modules"/loom.ko
	load "$modules"/loom_soft.ko
	load "$modules"/loom_kunit.ko
	! grep -h '^not ok' /sys/kernel/debug/kunit/*/results
	ok $? 'KUnit'
	unload loom_kunit loom_soft loom ;;
faults)
	load "$modules"/loom.ko
	load "$modules"/loom_soft.ko
	selftest fail_nth
	# constructors of a module that is refused are called by this kernel only
	selftest unplug -t a_topology_that_there_is_not_is_no_device
	unload loom_soft loom ;;
node)
	load "$modules"/loom.ko
	load "$modules"/loom_soft.ko
	load "$build/sleep/loom_sleep.ko"
	selftest suspend
	unload loom_sleep
	mapfile -t tests < <(all)
	selftests "$@"
	unload loom_soft loom ;;
fuzz)
	load "$modules"/loom.ko
	load "$modules"/loom_soft.ko
	selftest guided
	grep '^# .* \(sequences\|accepted\)' /tmp/selftest
	unload loom_soft loom ;;
tiny)
	load "$modules"/loom.ko topology=tiny sram_floor_percent=25
	load "$modules"/loom_soft.ko
	tests=(neighbours caps)
	selftests "$@"
	unload loom_soft loom ;;
template)
	tests=(template own)
	for own in 0 1; do
		load "$modules"/loom.ko
		load "$modules"/loom_template.ko own=$own
		load "$build/sleep/loom_sleep.ko" device=loom-template
		selftests "$@"
		unload loom_sleep loom_template loom
	done ;;
bus)
	load "$modules"/loom.ko
	load "$modules"/loom_pci.ko
	device=$(dirname "$(find /sys/bus/pci/drivers/loom_pci/ -name '0000:*' | head -n 1)/.")
	[ -d "$device/accel" ]
	ok $? 'there is a node'
	for figure in "$device"/hwmon/hwmon*/*_input; do
		value=$(cat "$figure")
		[ "${value:-0}" -gt 0 ]
		ok $? "${figure##*/} is $value"
	done
	tests=(own neighbours submit image timeout bo)
	selftests "$@"
	echo "${device##*/}" >/sys/bus/pci/drivers/loom_pci/unbind &&
		echo "${device##*/}" >/sys/bus/pci/drivers/loom_pci/bind && [ -d "$device/accel" ]
	ok $? 'unbound and bound'
	load "$build/sleep/loom_sleep.ko" "device=${device##*/}"
	export LOOM_FAULTS_ROUNDS=1 LOOM_FAULTS_SEED=1 LOOM_ROUNDS=2 LOOM_FUZZ_SECONDS=20
	selftest rounds -t resets
	selftest rounds -t sleeps
	selftest fuzz
	selftest faults
	selftest rounds -t pulls
	unload loom_sleep loom_pci loom ;;
*)
	echo "guest: no part $part" >&2
	exit 2 ;;
esac
counters
busybox rmmod loom_gcov
ok $? 'loom_gcov unloads'
finish
