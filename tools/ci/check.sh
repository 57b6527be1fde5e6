#!/bin/bash
# SPDX-License-Identifier: MIT
# Build everything, run every test, print the sum. A part that fails does not
# keep the others from running.
#
#	tools/ci/check.sh [build|lint|host|asan|install|vm|kselftest|run|e2e]...
set -u
shopt -s nullglob

cd "$(dirname "$0")/../.." || exit 1
# what a make above us was told is not meant for the ones below
unset MAKEFLAGS MFLAGS MAKELEVEL
parts=${*:-build lint host asan install vm kselftest run e2e}
results=build/check/results
mkdir -p build/check
rm -f build/check/*

tap() {
	tools/ci/tap.py "$@"
}

for part in $parts; do
	echo "== $part"
	case $part in
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
	*)
		echo "check: no part $part" >&2
		exit 2 ;;
	esac
done

awk '{ passed += $1; failed += $2; skipped += $3 }
     END {
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0 || passed == 0
     }' "$results" >build/check/summary
status=$?
cat build/check/summary
exit $status
