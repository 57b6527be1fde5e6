#!/bin/bash
# SPDX-License-Identifier: MIT
# What runs on the instrumented kernel, each in a VM of its own that must end with a clean log
# and without a leak.
#
#	tools/ci/debug.sh instruments	each instrument detects a fault made for it. TAP
#	tools/ci/debug.sh kunit		the module's KUnit suites. KTAP
#	tools/ci/debug.sh kselftest	the selftests with the stock runner
#	tools/ci/debug.sh tiny		selftests that fill the device, on a small one
#
# `make module-debug` comes first.
set -u

cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
kernel=$(tools/vm/debug-kernel.sh) || exit 1
# a fifth of the rounds of the stock kernel, which is ten times as fast
export LOOM_EFFORT=20
module=build/debug/module/drivers/accel/loom
vm=(tools/vm/run --kernel "$kernel" --mem 2G --module "$module/loom.ko")
mkdir -p build/debug

# sick LOG ARG...: boots to provoke faults, so the run must not pass
sick() {
	local log=$1 status=0
	shift
	tools/vm/run --kernel "$kernel" --mem 2G --no-module --timeout 900 \
		--append kasan_multi_shot \
		--log "$log" -- tools/testing/instruments/guest.sh "$@" 2>build/debug/sick.err || status=$?
	[ $status = 126 ] && grep -q 'trouble in the kernel log' build/debug/sick.err
}

instruments() {
	local ko=build/debug/instruments/instruments.ko status=0
	mkdir -p build/debug/instruments
	rsync -rlpt tools/testing/instruments/{Kbuild,instruments.c} build/debug/instruments/
	make -C "$kernel/build" M="$PWD/build/debug/instruments" modules \
		>build/debug/instruments.log 2>&1 || { cat build/debug/instruments.log; return 1; }
	# lockdep reports once only, and is switched off by a report of KASAN. So its fault comes
	# first, and the one about fences has a boot of its own.
	sick build/debug/dmesg-instruments.log $ko \
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
		'leak=' >build/debug/instruments.tap || status=1
	sick build/debug/dmesg-instruments-fence.log $ko \
		'fence=possible circular locking dependency' >build/debug/fence.tap || status=1
	awk -v status=$status -v leak="$(grep -c 'memory leak: .*size 12345' \
		build/debug/dmesg-instruments.log)" '
		function result(good, what) { print (good ? "ok " : "not ok ") ++n " " what }
		/^(not )?ok / { good = /^ok/; sub(/^(not )?ok [0-9]+ /, ""); result(good, $0); next }
		/^1\.\./ { ended++; next }
		{ print }
		END {
			result(ended == 2, "both boots came to their end")
			result(leak > 0, "the leak is found by the scan at the end")
			result(!status, "the runner fails the runs for it")
			print "1.." n
		}' build/debug/instruments.tap build/debug/fence.tap
}

case ${1:-} in
instruments)
	instruments ;;
kunit)
	"${vm[@]}" --log build/debug/dmesg-kunit.log --timeout 1200 -- sh -c "
		busybox insmod $module/loom_kunit.ko || exit 1
		cat /sys/kernel/debug/kunit/*/results
		busybox rmmod loom_kunit" ;;
kselftest)
	KSELFTEST_ARGS='--override-timeout 1800' tools/ci/kselftest.sh run --kernel "$kernel" \
		--mem 2G --module "$module/loom.ko" --timeout 3000 \
		--log build/debug/dmesg-kselftest.log ;;
tiny)
	only='-t loom:loom_neighbours -t loom:loom_fail_nth -t loom:loom_caps'
	KSELFTEST_ARGS="--override-timeout 1800 $only" \
		tools/ci/kselftest.sh run --kernel "$kernel" \
		--mem 2G --module "$module/loom.ko" --timeout 1500 --modparams topology=tiny \
		--log build/debug/dmesg-tiny.log ;;
*)
	echo "usage: $0 instruments|kunit|kselftest|tiny" >&2
	exit 2 ;;
esac
