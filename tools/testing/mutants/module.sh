#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Goes through a list of broken modules, in the VM: each is loaded, selftests run on it until one
# fails, and it is unloaded. What is found is said at once on stdout, for module.py, which boots the
# VM again if this ends before the list does: after an oops, or with a module that cannot be
# unloaded.
#
#	module.sh LIST TESTS EFFORT
#
# LIST has a line for each: a number, loom.ko, and selftests in the order in which they are run,
# those that need a small device with ":tiny" behind the name; the modules of its back ends lie
# beside LIST. TESTS has a line for each selftest: its name, the seconds that it may take, and how
# many of its tests are skipped with a module that is not broken. Number 0 is that module, by which
# those that are not in TESTS are measured. EFFORT: percentage of the rounds of random tests.
set -u

list=$1
tests=$2
top=$PWD
here=$(dirname "$list")
programs=$top/build/kselftest/install/loom

say() {
	echo "mutants: $*"
}

fail() {
	say "trouble $number $*"
	exit 0
}

# Whether the kernel's log is fine since this module was loaded.
healthy() {
	{
		dmesg
		echo 'loom-vm: clean end'
	} >/run/mutant.log
	"$top/tools/vm/dmesg-check" /run/mutant.log >/run/mutant.trouble && return
	fail "$(tail -n 1 /run/mutant.trouble)"
}

load() {
	insmod "$@" 2>/run/mutant.error && return
	healthy
	fail "$(cat /run/mutant.error)"
}

# A selftest, and what it has begun.
stop() {
	for process in /proc/[0-9]*; do
		case $(readlink "$process/exe") in
		"$programs"/*)	kill -9 "${process#/proc/}" ;;
		esac
	done
}

# Kills a selftest after so many seconds. They are counted one by one: on a busy machine the clock
# goes on while this VM does not.
watch() {
	left=$1
	while [ "$left" -gt 0 ]; do
		sleep 1
		left=$((left - 1))
	done
	: >/run/mutant.late
	stop
}

# Runs a selftest until one of its tests fails. Sets status, and what.
run() {
	status=0
	what=
	skips=0
	rm -f /run/mutant.late
	"$programs/${1%:tiny}" </dev/null >/run/mutant.out 2>&1 &
	pid=$!
	watch "$2" &
	watcher=$!
	# no program is started for a line: each takes its time here
	while read -r line; do
		case $line in
		"not ok"*)	what=$line; break ;;
		*"# SKIP"*)	skips=$((skips + 1)) ;;
		esac
	done </run/mutant.out
	[ -z "$what" ] || stop
	wait $pid || status=$?
	kill $watcher
	wait $watcher
	# 4: it is skipped as a whole
	case $status in
	0|4)	[ $skips -le "$3" ] || what="$skips tests are skipped" ;;
	*)	[ ! -e /run/mutant.late ] || what="no end after $2 s"
		[ -n "$what" ] || what="status $status"
		stop ;;
	esac
}

unload() {
	tries=0
	# what was killed may take a moment to end
	for module in loom_template loom_soft loom; do
		grep -q "^$module " /proc/modules || continue
		until rmmod "$module" 2>/run/mutant.error; do
			tries=$((tries + 1))
			[ $tries != 50 ] || {
				healthy
				fail "$(cat /run/mutant.error)"
			}
			sleep 0.2
		done
	done
}

# Loads the modules with another device than they have now.
become() {
	[ "$device" != "$1" ] || return 0
	unload
	case $1 in
	tiny)	load "$ko" topology=tiny ;;
	*)	load "$ko" ;;
	esac
	load "$here/loom_soft.ko"
	[ "$1" != own ] || load "$here/loom_template.ko" own=1
	device=$1
}

# who waits for a lock that nobody gives back ends the VM, and who never leaves a loop
echo 1 >/proc/sys/kernel/hung_task_panic
echo 1 >/proc/sys/kernel/softlockup_panic
mkfifo /run/mutant.out
cp "$tests" /run/mutant.tests
# random tests are a part of what they can be
export LOOM_EFFORT="$3"
while read -r number ko names <&3; do
	dmesg -C
	echo "mutant $number" >/dev/kmsg
	say "begin $number"
	device=
	for test in $names; do
		say "test $number $test"
		case $test in
		*:tiny)		become tiny ;;
		loom_own)	become own ;;
		*)		become soft ;;
		esac
		begin=$(cut -d ' ' -f 1 /proc/uptime)
		[ "$number" != 0 ] || echo "$test 1200 9999" >>/run/mutant.tests
		limits=$(sed -n "s/^$test //p" /run/mutant.tests)
		run "$test" "${limits% *}" "${limits#* }"
		[ -z "$what" ] || {
			say "failed $number $test $what"
			break
		}
		healthy
		say "passed $number $test"
		[ "$number" = 0 ] || continue
		# on a busy machine it may take several times as long
		end=$(cut -d ' ' -f 1 /proc/uptime)
		seconds=$(awk "BEGIN { s = 5 * ($end - $begin); printf \"%d\", s < 60 ? 60 : s }")
		sed -i '$d' /run/mutant.tests
		echo "$test $seconds $skips" >>/run/mutant.tests
		say "limits $number $test $seconds $skips"
	done
	unload
	healthy
	say "end $number"
done 3<"$list"
