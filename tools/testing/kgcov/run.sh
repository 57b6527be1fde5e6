#!/bin/bash
# SPDX-License-Identifier: MIT
# Which lines of the module its selftests and KUnit reach: the module built for gcov, on the kernels that
# the other tests run on, neither of which has gcov (loom_gcov.c). A VM for each part of guest.sh;
# counters of parts that have run before are added, unless the module was built again. The table is
# report.py's.
#
#	tools/testing/kgcov/run.sh [PART...]	those of guest.sh; none: only the table
#
# Parts that need KUnit or failing allocations run on the instrumented kernel, others on the stock
# one, which is ten times as fast; LOOM_COVERAGE_KERNEL=debug takes the instrumented one for all.
#
# LEAST: percent below which it fails. TESTS: which selftests of the part. SHOW=1: the text of lines
# that were not reached. LOOM_EFFORT: percentage of the rounds of random tests. FUZZ_SECONDS, SEED: of
# the part fuzz.
set -u -o pipefail

cd "$(dirname "$0")/../../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
top=build/coverage-module
status=0

# prepare KERNEL: the modules for it, once
prepared=
prepare() {
	local build=$top folder kdir kunit=()
	case " $prepared " in
	*" $1 "*)	return ;;
	esac
	if [ "$1" = debug ]; then
		kdir=$(tools/vm/debug-kernel.sh)/build || exit 1
		kunit=(CONFIG_DRM_ACCEL_LOOM_KUNIT_TEST=m)
	else
		tools/vm/kernel.sh >/dev/null || exit 1
		build+=-stock
		kdir=$(find /usr/src -maxdepth 1 -name 'linux-headers-6.12.*-amd64' | sort -V |
			tail -n 1)
	fi
	mkdir -p $top/out
	for folder in kgcov sleep; do
		mkdir -p "$build/$folder"
		rsync -rlpt "tools/testing/$folder"/{Kbuild,*.[ch]} "$build/$folder/"
		make -C "$kdir" M="$PWD/$build/$folder" modules >"$build/$folder.log" 2>&1 || {
			cat "$build/$folder.log"
			exit 1
		}
	done
	# versions of symbols from there are looked at only when this is made
	[ ! "$build/kgcov/Module.symvers" -nt "$build/module/Module.symvers" ] ||
		rm -f "$build/module/Module.symvers"
	# as the kernel's own CFLAGS_GCOV
	make --no-print-directory module KDIR="$kdir" module_dir="$build/module" \
		MODULE_LOG="$build/module.log" KCFLAGS='--coverage -fno-tree-loop-im' \
		KBUILD_EXTRA_SYMBOLS="$PWD/$build/kgcov/Module.symvers" CONFIG_DRM_ACCEL_LOOM=m \
		CONFIG_DRM_ACCEL_LOOM_SOFT=m CONFIG_DRM_ACCEL_LOOM_PCI=m \
		"${kunit[@]}" >/dev/null || exit 1
	find $top/out -name "$1-*.counters" ! -newer "$build/module/drivers/accel/loom/loom.ko" \
		-delete
	prepared+=" $1"
}

part() {
	local vm=(tools/vm/run --no-module --mem 2G --timeout "${TIMEOUT:-7200}") kernel=stock
	local build=$top-stock
	case $1:${LOOM_COVERAGE_KERNEL:-} in
	kunit:*|faults:*|*:debug)
		kernel=debug
		build=$top
		vm+=(--kernel "$(tools/vm/debug-kernel.sh)") ;;
	esac
	prepare $kernel
	if [ "$1" = bus ]; then
		if ! reason=$(tools/vm/qemu.sh 2>&1 >/dev/null); then
			echo "# no part bus: ${reason##*$'\n'}"
			return
		fi
		vm+=(--iommu --pci '--chip tiny')
	fi
	echo "# $1, on the $kernel kernel"
	# shellcheck disable=SC2086 # words
	"${vm[@]}" --out build/kselftest/install --out $top/out --log "$top/dmesg-$1.log" -- \
		env LOOM_EFFORT="${LOOM_EFFORT:-10}" LOOM_GUIDED_SECONDS="${FUZZ_SECONDS:-3}" \
		LOOM_GUIDED_SEED="${SEED:-1}" tools/testing/kgcov/guest.sh "$1" $kernel \
		$build $top/out ${TESTS:-} | tee "$top/$1.tap" || status=1
}

[ $# = 0 ] || tools/ci/kselftest.sh stage
for name; do
	part "$name"
done
python3 tools/testing/kgcov/report.py --least "${LEAST:-0}" ${SHOW:+--all} \
	$top/out/*.counters || status=1
exit $status
