#!/bin/bash
# SPDX-License-Identifier: MIT
# What runs on the instrumented kernel, each in a VM of its own that must end with a clean log
# and without a leak.
#
#	tools/ci/debug.sh instruments	each instrument detects a fault made for it. TAP
#	tools/ci/debug.sh kunit		the module's KUnit suites. KTAP
#	tools/ci/debug.sh series	the first series of patches, its KUnit and selftests. TAP
#	tools/ci/debug.sh sleep		the device sleeps in the middle of jobs. KTAP
#	tools/ci/debug.sh template	the skeleton of a back end, whose device hangs, lies and dies, with
#					memory of its own
#	tools/ci/debug.sh devices	a storm of devices that come and go while jobs run. KTAP
#	tools/ci/debug.sh kselftest	the selftests
#	tools/ci/debug.sh tiny		selftests that fill the device, on a small one
#
# `make module-debug` comes first. LOOM_KERNEL=backports: the kernel of debug-kernel.sh.
set -u

cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
kernel=$(tools/vm/debug-kernel.sh) || exit 1
dir=build/debug
[ "${LOOM_KERNEL:-6.12}" = 6.12 ] || dir=build/debug-$LOOM_KERNEL
# a fifth of the rounds of the stock kernel, which is ten times as fast
export LOOM_EFFORT=20
module=$dir/module/drivers/accel/loom
vm=(tools/vm/run --kernel "$kernel" --mem 2G --module "$module/loom.ko")
mkdir -p $dir

# sick LOG ARG...: boots to provoke faults, so the run must not pass
sick() {
	local log=$1 status=0
	shift
	tools/vm/run --kernel "$kernel" --mem 2G --no-module --timeout 900 \
		--append kasan_multi_shot \
		--log "$log" -- tools/testing/instruments/guest.sh "$@" 2>$dir/sick.err || status=$?
	[ $status = 126 ] && grep -q 'trouble in the kernel log' $dir/sick.err
}

# test_module FOLDER: build the module in tools/testing/FOLDER
test_module() {
	mkdir -p "$dir/$1"
	rsync -rlpt tools/testing/"$1"/{Kbuild,*.c} "$dir/$1/"
	make -C "$kernel/build" M="$PWD/$dir/$1" modules >"$dir/$1.log" 2>&1 || {
		cat "$dir/$1.log"
		return 1
	}
}

instruments() {
	local ko=$dir/instruments/instruments.ko status=0
	test_module instruments || return 1
	# lockdep reports once only, and is switched off by a report of KASAN. So its fault comes
	# first, and the one about fences has a boot of its own.
	sick $dir/dmesg-instruments.log $ko \
		'lock-order=possible circular locking dependency' \
		'shift=UBSAN: shift-out-of-bounds' \
		'index=UBSAN: array-index-out-of-bounds' \
		'atomic-sleep=BUG: sleeping function called from invalid context' \
		'timer=ODEBUG: init active' \
		'list=list_del corruption' \
		'slab-bounds=KASAN: slab-out-of-bounds in' \
		'use-after-free=KASAN: slab-use-after-free in' \
		'vmalloc-bounds=KASAN: vmalloc-out-of-bounds in' \
		'stack-bounds=KASAN: stack-out-of-bounds in' \
		'leak=' >$dir/instruments.tap || status=1
	sick $dir/dmesg-instruments-fence.log $ko \
		'fence=possible circular locking dependency' >$dir/fence.tap || status=1
	awk -v status=$status -v leak="$(grep -c 'memory leak: .*size 12345' \
		$dir/dmesg-instruments.log)" '
		function result(good, what) { print (good ? "ok " : "not ok ") ++n " " what }
		/^(not )?ok / { good = /^ok/; sub(/^(not )?ok [0-9]+ /, ""); result(good, $0); next }
		/^1\.\./ { ended++; next }
		{ print }
		END {
			result(ended == 2, "both boots came to their end")
			result(leak > 0, "the leak is found by the scan at the end")
			result(!status, "the runner fails the runs for it")
			print "1.." n
		}' $dir/instruments.tap $dir/fence.tap
}

case ${1:-} in
instruments)
	instruments ;;
kunit)
	"${vm[@]}" --log $dir/dmesg-kunit.log --timeout 1200 -- sh -c "
		busybox insmod $module/loom_kunit.ko || exit 1
		cat /sys/kernel/debug/kunit/*/results
		busybox rmmod loom_kunit" ;;
series)
	KDIR=$kernel/build SERIES=core tools/ci/upstream/series.sh ;;
sleep)
	test_module sleep && tools/ci/kselftest.sh stage &&
	"${vm[@]}" --log $dir/dmesg-sleep.log --timeout 900 --out build/kselftest/install -- sh -c "
		busybox insmod $PWD/$dir/sleep/loom_sleep.ko || exit 1
		LOOM_EFFORT=$LOOM_EFFORT build/kselftest/install/loom/loom_suspend" ;;
template)
	test_module sleep &&
	LOOM_SLEEP=$PWD/$dir/sleep/loom_sleep.ko tools/ci/kselftest.sh own \
		--kernel "$kernel" --mem 2G --module "$module/loom.ko" --timeout 2400 \
		--log $dir/dmesg-template.log ;;
devices)
	tools/ci/kselftest.sh stage &&
	"${vm[@]}" --log $dir/dmesg-devices.log --timeout 1500 --out build/kselftest/install -- \
		env LOOM_STORM_DEVICES="${LOOM_STORM_DEVICES:-200}" \
		build/kselftest/install/loom/loom_configfs -t a_storm_of_devices_leaves_nothing ;;
kselftest)
	LOOM_STORM_DEVICES=30 tools/ci/kselftest.sh run --kernel "$kernel" \
		--mem 2G --module "$module/loom.ko" --timeout 3000 \
		--log $dir/dmesg-kselftest.log ;;
tiny)
	only='loom_submit loom_fail_nth loom_caps'
	# needs a controller that 6.12 has not
	[ "${LOOM_KERNEL:-6.12}" = 6.12 ] || only+=' loom_dmem'
	TESTS=$only tools/ci/kselftest.sh run --kernel "$kernel" \
		--mem 2G --module "$module/loom.ko" --timeout 1500 --modparams topology=tiny \
		--log $dir/dmesg-tiny.log ;;
*)
	echo "usage: $0 instruments|kunit|series|sleep|template|devices|kselftest|tiny" >&2
	exit 2 ;;
esac
