#!/bin/bash
# SPDX-License-Identifier: MIT
# Build everything, run every test, print the sum. A part that fails does not
# keep the others from running. What runs here and what runs in a VM go side by
# side: a VM without KVM boots on one processor, and so do most tests.
#
#	tools/ci/check.sh [build|lint|host|asan|install|vm|kselftest|run|e2e]...
set -u
shopt -s nullglob

cd "$(dirname "$0")/../.." || exit 1
# what a make above us was told is not meant for the ones below
unset MAKEFLAGS MFLAGS MAKELEVEL
all='build lint host asan install vm kselftest run e2e'
parts=${*:-$all}
results=build/check/results
for part in $parts; do
	case " $all " in
	*" $part "*)	;;
	*)		echo "check: no part $part" >&2; exit 2 ;;
	esac
done
mkdir -p build/check
rm -f build/check/*

tap() {
	tools/ci/tap.py "$@"
}

run_part() {
	local test name target
	echo "== $1"
	case $1 in
	build)
		tap models --plain -- tools/ci/models.sh
		tap oracle --plain -- tools/ci/ort.sh
		for target in lib tools build-tests build-asan build-bench module; do
			tap make-$target --plain -- make -k -j2 $target
		done ;;
	lint)
		tap lint -- tools/ci/lint.sh ;;
	host)
		for test in tests/host/*.c; do
			name=$(basename "$test" .c)
			tap "host-$name" -- "build/tests/$name"
		done ;;
	asan)
		for test in tests/host/*.c; do
			name=$(basename "$test" .c)
			LOOM_SANITIZED=1 UBSAN_OPTIONS=print_stacktrace=1 \
				tap "asan-$name" -- "build/asan/tests/$name"
		done
		for test in tests/fuzz/*.c; do
			name=$(basename "$test" .c)
			UBSAN_OPTIONS=print_stacktrace=1 tap "fuzz-$name" --plain -- \
				"build/asan/fuzz/$name" --seconds 5 --fail "build/check/fuzz-$name.fail"
		done ;;
	install)
		tap install -- tools/ci/install-test.sh ;;
	vm)
		tap vm -- tools/ci/vm-test.sh ;;
	kselftest)
		tap kselftest --kselftest -- tools/ci/kselftest.sh run
		tap kselftest-nodev -- tools/ci/kselftest.sh nodev ;;
	run)
		tap make-run -- tools/ci/demo-test.sh ;;
	e2e)
		for test in tests/e2e/[0-9]*.sh; do
			tap "e2e-$(basename "$test" .sh)" --timeout 900 -- bash "$test"
		done ;;
	esac
}

# wanted PART...: those of them that were asked for
wanted() {
	local part
	for part; do
		case " $parts " in
		*" $part "*)	echo "$part" ;;
		esac
	done
}

run_parts() {
	local part
	for part in $(wanted "$@"); do
		run_part "$part"
	done
}

run_parts build lint
run_parts host asan install &
run_parts vm kselftest run e2e
wait

awk '{ passed += $1; failed += $2; skipped += $3 }
     END {
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0 || passed == 0
     }' "$results" >build/check/summary
status=$?
cat build/check/summary
exit $status
