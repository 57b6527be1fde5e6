#!/bin/bash
# SPDX-License-Identifier: MIT
# Build everything, run every test, print the sum. If a part fails, the others still
# run. Parts on this machine and parts in a VM run in parallel, because a VM without
# KVM boots on one processor, and most tests use one.
#
#	tools/ci/check.sh [build|lint|host|e2e-host|asan|install|vm|kselftest|run|e2e]...
#	tools/ci/check.sh more		what takes minutes, with a sum of its own
#	tools/ci/check.sh pci		the device on the bus, with a sum of its own
#	tools/ci/check.sh debug		what runs on the instrumented kernel, with a sum of its own.
#				LOOM_KERNEL=backports: that of debug-kernel.sh
set -u
shopt -s nullglob

cd "$(dirname "$0")/../.." || exit 1
# options of a calling make are not meant for the makes called here
unset MAKEFLAGS MFLAGS MAKELEVEL
all='build vm kselftest run e2e lint host asan install e2e-host'
debug='debug-build debug-small debug-kselftest'
more='more-build more-slurm more-rewritings more-series'
pci='pci-build pci-device pci-models pci-pairs pci-faults'
parts=${*:-$all}
folder=build/check
case $parts in
more|pci|debug)
	folder=build/check-$parts
	parts=${!parts} ;;
esac
if [ "$parts" = "$debug" ] && [ "${LOOM_KERNEL:-6.12}" != 6.12 ]; then
	folder=$folder-$LOOM_KERNEL
fi
results=$folder/results
for part in $parts; do
	case " $all $debug $more $pci " in
	*" $part "*)	;;
	*)		echo "check: no part $part" >&2; exit 2 ;;
	esac
done
mkdir -p $folder
rm -f $folder/*

tap() {
	tools/ci/tap.py --folder $folder "$@"
}

# By room and name: place/solve is the program of tools/testing/host/place/solve.c.
host_tests() {
	(cd tools/testing/host && find . -name '*.c' -printf '%P\n' | sort | sed 's/\.c$//')
}

run_part() {
	local test name target
	echo "== $1"
	case $1 in
	build)
		tap models --plain -- tools/ci/models.sh
		tap oracle --plain -- tools/ci/ort.sh
		tap ksource --plain -- tools/ci/ksource.sh
		for target in lib tools build-tests build-bench module; do
			tap make-$target --plain -- make -k -j2 $target
		done ;;
	lint)
		tap lint -- tools/ci/lint.sh
		tap lint-floors -- tools/ci/floors-test.sh
		tap lint-leftovers -- tools/ci/leftovers-test.sh
		tap docs --plain -- make docs ;;
	host)
		for name in $(host_tests); do
			tap "host-${name//\//-}" -- "build/host/$name"
		done ;;
	asan)
		tap make-build-asan --plain -- make -k -j2 build-asan
		for name in $(host_tests); do
			LOOM_SANITIZED=1 UBSAN_OPTIONS=print_stacktrace=1 \
				tap "asan-${name//\//-}" -- "build/asan/host/$name"
		done
		for test in tools/testing/fuzz/*.c; do
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
		tap kselftest-template -- tools/ci/kselftest.sh template
		tap kselftest-own --kselftest -- tools/ci/kselftest.sh own
		tap kselftest-nodev -- tools/ci/kselftest.sh nodev ;;
	run)
		tap make-run -- tools/ci/demo-test.sh ;;
	e2e-host)
		for test in tools/testing/e2e/[123]*.sh; do
			tap "e2e-$(basename "$test" .sh)" --timeout 2200 -- bash "$test"
		done ;;
	e2e)
		for test in tools/testing/e2e/[4-9]*.sh; do
			tap "e2e-$(basename "$test" .sh)" --timeout 2200 -- bash "$test"
		done ;;
	more-build)
		for target in tools models build/e2e/rewritings; do
			tap "more-${target//\//-}" --plain -- make -k -j2 $target
		done ;;
	more-slurm)
		tap more-slurm --timeout 900 -- tools/ci/slurm.sh ;;
	more-rewritings)
		tap more-rewritings --timeout 1500 -- build/e2e/rewritings mobilenet_v2 googlenet \
			resnet50 ppocr_rec.onnx ppocr_cls.onnx blazeface.onnx ;;
	more-series)
		tap more-series -- tools/ci/upstream/series.sh ;;
	pci-build)
		for target in tools models module build-tests; do
			tap "pci-${target//\//-}" --plain -- make -k -j2 $target
		done
		tap pci-kernel --plain --timeout 5400 -- tools/vm/debug-kernel.sh
		tap pci-module-debug --plain -- make module-debug ;;
	pci-device)
		tap pci-device --timeout 2400 -- tools/ci/pci-test.sh ;;
	pci-models)
		tap pci-models --timeout 1500 -- tools/ci/pci-models.sh ;;
	pci-pairs)
		for pair in pci mixed; do
			tap "pci-pair-$pair" --timeout 900 -- tools/testing/e2e/43-many-node.sh $pair
		done ;;
	pci-faults)
		tap pci-faults --timeout 3000 -- tools/ci/pci/faults.sh faults 10 resets 50 \
			pulls 10 sleeps 10 fuzz 60 ;;
	debug-build)
		tap debug-kernel --plain --timeout 5400 -- tools/vm/debug-kernel.sh
		tap debug-module --plain -- make module-debug ;;
	debug-small)
		tap debug-instruments --no-skip --timeout 1800 -- tools/ci/debug.sh instruments
		tap debug-kunit --kunit --no-skip --timeout 1500 -- tools/ci/debug.sh kunit ;;
	debug-kselftest)
		tap debug-tiny --kselftest --no-skip --timeout 1800 -- tools/ci/debug.sh tiny
		tap debug-template --kselftest --no-skip --timeout 2500 -- tools/ci/debug.sh template
		tap debug-sleep --no-skip --timeout 1000 -- tools/ci/debug.sh sleep
		tap debug-devices --no-skip --timeout 1600 -- tools/ci/debug.sh devices
		tap debug-kselftest --kselftest --timeout 3300 -- tools/ci/debug.sh kselftest ;;
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

run_parts build more-build debug-build pci-build
run_parts lint host asan install e2e-host more-rewritings debug-small pci-faults &
run_parts vm kselftest run e2e more-slurm more-series debug-kselftest pci-device pci-models pci-pairs
wait

awk '{ passed += $1; failed += $2; skipped += $3 }
     END {
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0 || passed == 0
     }' "$results" >$folder/summary
status=$?
cat $folder/summary
exit $status
