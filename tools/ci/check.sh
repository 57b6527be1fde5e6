#!/bin/bash
# SPDX-License-Identifier: MIT
# Build everything, run the tests, print the sum. If a part fails, the others still run. Two parts run
# at a time, the longest first: a VM without KVM keeps one processor busy, and so do most tests.
#
#	tools/ci/check.sh [PART...]	of those below, or all that is in the first group
#	tools/ci/check.sh GROUP...	with a sum of its own: more, what takes minutes, and the host's tests
#					with sanitizers; pci, the device on the bus; debug, what runs on
#					the instrumented kernel; rest, nearly all of the three.
#					LOOM_KERNEL=backports: that of debug-kernel.sh
#					LOOM_FAULTS_PLAN: rounds of pci/faults.sh
set -u
shopt -s nullglob

cd "$(dirname "$0")/../.." || exit 1
# options of a calling make are not meant for the makes called here
unset MAKEFLAGS MFLAGS MAKELEVEL
# parts *build come first in any case; then the longest first
all='build host e2e-host e2e-node kselftest lint e2e-models run own backend ort e2e vm install'
debug='debug-build debug-kselftest debug-template debug-tiny debug-sleep debug-small'
more='more-build asan-build asan more-e2e more-node more-tsan more-series'
pci='pci-build pci-faults pci-device pci-models pci-pair'
# all of these but the models on the bus and a small device, whose tests others have on other devices, and
# data races: CI has 90 minutes
rest="$more $pci $debug"
rest=${rest/ more-tsan/}
rest=${rest/ pci-models/}
rest=${rest/ debug-tiny/}
order='debug-kselftest asan asan-long pci-faults'
for part in $all $pci $debug $more; do
	case " $order " in
	*" $part "*)	;;
	*)		order+=" $part" ;;
	esac
done
parts=${*:-$all}
folder=build/check
groups=
for name in $parts; do
	case $name in
	more|pci|debug|rest)
		groups+=" ${!name}"
		folder+=-$name ;;
	esac
done
parts=${groups:-$parts}
if [ "$parts" = " $debug" ] && [ "${LOOM_KERNEL:-6.12}" != 6.12 ]; then
	folder=$folder-$LOOM_KERNEL
fi
results=$folder/results
for part in $parts; do
	case " $order " in
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

# Programs of planner, placer and threads that take 10 s or more with sanitizers: check-long.sh has
# them (`asan-long` below), and others and the fuzzers run the same code.
asan_long='group/explain group/exhaustive group/figures group/least_sram
	group/long parallel/batch parallel/pipeline place/orders
	place/property place/rewriting place/starved plan/cost planner/watch run/threads'

# with_sanitizers NAME
with_sanitizers() {
	LOOM_SANITIZED=1 UBSAN_OPTIONS=print_stacktrace=1 \
		tap "asan-${1//\//-}" -- "build/asan/host/$1"
}

# Those that are for `make check-more`, here and in the VM: they take minutes, or the build with
# sanitizers.
more_here='12 14 15 18 25 30'
more_in_vm='42 43'

# e2e PATTERN...: the end-to-end tests whose numbers are like that, but for those of the two lists
# that are not named. If there is none for the first, that is a failure: a pattern without quotes is replaced
# by files of that name here, by nothing.
e2e() {
	local pattern test number
	compgen -G "tools/testing/e2e/${1-none}-*.sh" >/dev/null ||
		tap "e2e-${1-without-pattern}" --plain -- false
	for pattern; do
		for test in tools/testing/e2e/$pattern-*.sh; do
			number=$(basename "${test%%-*}")
			case " $more_here $more_in_vm " in
			*" $number "*)	[ "$pattern" = "$number" ] || continue ;;
			esac
			tap "e2e-$(basename "$test" .sh)" --cpu 4400 -- bash "$test"
		done
	done
}

# built PREFIX TARGET...: by make, after what comes from elsewhere
built() {
	local prefix=$1 target
	shift
	tap "${prefix}models" --plain -- tools/ci/models.sh
	tap "${prefix}oracle" --plain -- tools/ci/ort.sh
	tap "${prefix}ksource" --plain -- tools/ci/ksource.sh
	for target; do
		tap "${prefix}make-${target//\//-}" --plain -- make -k -j2 "$target"
	done
}

run_part() {
	local test name target
	echo "== $1"
	case $1 in
	build)
		built '' lib tools build-tests build-bench module ep-tests ;;
	lint)
		tap lint -- tools/ci/lint.sh
		tap lint-tap -- tools/ci/tap-test.sh
		tap docs --plain -- make docs ;;
	host)
		for name in $(host_tests); do
			tap "host-${name//\//-}" -- "build/host/$name"
		done
		# seconds; check-long.sh has all of them
		tap host-blind -- tools/testing/blind.sh onnx/{branches,loops,nan,recurrent} ;;
	asan-build)
		for target in build-asan ep-asan; do
			tap make-$target --plain -- make -k -j2 $target
		done ;;
	asan)
		for name in $(host_tests); do
			case " ${asan_long//[$'\n\t']/ } " in
			*" $name "*)	;;
			*)		with_sanitizers "$name" ;;
			esac
		done
		for test in tools/testing/fuzz/*.c; do
			name=$(basename "$test" .c)
			UBSAN_OPTIONS=print_stacktrace=1 tap "fuzz-$name" --plain -- \
				"build/asan/fuzz/$name" --seconds 5 --fail "$folder/fuzz-$name.fail"
		done
		# some of them; check-long.sh has all
		tap planted --plain -- tools/testing/mutants/planted.py --quick
		tap ort-asan -- tools/testing/ort/test.sh asan ;;
	asan-long)
		for name in $asan_long; do
			with_sanitizers "$name"
		done ;;
	install)
		tap install -- tools/ci/install-test.sh ;;
	vm)
		tap vm -- tools/ci/vm-test.sh ;;
	kselftest)
		tap kselftest --kselftest -- tools/ci/kselftest.sh run ;;
	own)
		tap kselftest-own --kselftest -- tools/ci/kselftest.sh both
		tap kselftest-nodev -- tools/ci/kselftest.sh nodev ;;
	run)
		tap make-run -- tools/ci/demo-test.sh ;;
	e2e-host)
		e2e '1[1-9]' ;;
	e2e-models)
		e2e 10
		tap golden -- tools/testing/golden.py ;;
	ort)
		tap ort --cpu 2400 -- tools/testing/ort/test.sh
		tap ort-functions -- /usr/bin/python3 tools/testing/ort/functions.py
		tap ort-external -- /usr/bin/python3 tools/testing/ort/external.py
		tap ort-forms -- /usr/bin/python3 tools/testing/ort/forms.py
		tap ort-bodies -- /usr/bin/python3 tools/testing/ort/bodies.py
		tap ort-operators --cpu 600 -- /usr/bin/python3 tools/testing/ort/operators.py ;;
	backend)
		e2e '[23]*' ;;
	e2e-node)
		e2e 40 ;;
	e2e)
		e2e '4[1-9]' '[5-9]*' ;;
	more-build)
		built more- lib tools build-tests build-bench module ep-tests ;;
	more-e2e)
		# shellcheck disable=SC2086 # words
		e2e $more_here ;;
	more-node)
		# shellcheck disable=SC2086 # words
		e2e $more_in_vm
		tap more-kit --cpu 900 -- tools/ci/kit-test.sh ;;
	more-tsan)
		tap more-tsan-build --plain -- make tsan-build
		for test in build/tsan/host/*/*; do
			name=${test#build/tsan/host/}
			# minutes: check-long.sh has it
			[ "$name" != planner/watch ] || continue
			tap "more-tsan-${name//\//-}" -- "$test"
		done ;;
	more-series)
		tap more-series -- tools/ci/upstream/series.sh ;;
	pci-build)
		for target in tools models module build-tests ep-tests; do
			tap "pci-${target//\//-}" --plain -- make -k -j2 $target
		done
		tap pci-kernel --plain --cpu 20000 -- tools/vm/debug-kernel.sh
		tap pci-module-debug --plain -- make module-debug ;;
	pci-device)
		tap pci-device --cpu 4800 -- tools/ci/pci/test.sh ;;
	pci-models)
		tap pci-models --cpu 3000 -- tools/ci/pci/models.sh ;;
	pci-pair)
		# one on the bus and one in software; check-long.sh has two on the bus
		tap pci-pair-mixed --cpu 1800 -- tools/testing/e2e/43-many-node.sh mixed ;;
	pci-faults)
		# shellcheck disable=SC2086 # words
		tap pci-faults --cpu 10000 -- tools/ci/pci/faults.sh ${LOOM_FAULTS_PLAN:-faults 10 \
			resets 50 pulls 10 sleeps 10 fuzz 60} ;;
	debug-build)
		tap debug-kernel --plain --cpu 20000 -- tools/vm/debug-kernel.sh
		tap debug-module --plain -- make module-debug ;;
	debug-small)
		tap debug-instruments --skips '' --cpu 3600 -- tools/ci/debug.sh instruments
		tap debug-kunit --kunit --skips '' --cpu 3000 -- tools/ci/debug.sh kunit
		tap debug-series --skips '' --cpu 3000 -- tools/ci/debug.sh series ;;
	debug-kselftest)
		tap debug-kselftest --kselftest --cpu 6600 -- tools/ci/debug.sh kselftest ;;
	debug-template)
		tap debug-template --kselftest --skips '' --cpu 5000 -- tools/ci/debug.sh template ;;
	debug-tiny)
		tap debug-tiny --kselftest --skips 'filling memory takes minutes' --cpu 3600 -- tools/ci/debug.sh tiny ;;
	debug-sleep)
		tap debug-sleep --skips '' --cpu 2000 -- tools/ci/debug.sh sleep ;;
	esac
}

# at_once N PART...: those of them that were asked for, N at a time
at_once() {
	local most=$1 running=0 part
	shift
	for part; do
		case " $parts " in
		*" $part "*)	;;
		*)		continue ;;
		esac
		if [ $running = "$most" ]; then
			wait -n
			running=$((running - 1))
		fi
		run_part "$part" &
		running=$((running + 1))
	done
	wait
}

builds=
others=
for part in $order; do
	case $part in
	*build)	builds+=" $part" ;;
	*)	others+=" $part" ;;
	esac
done
# shellcheck disable=SC2086 # words
at_once 1 $builds
# shellcheck disable=SC2086
at_once 2 $others

awk '{ passed += $1; failed += $2; skipped += $3 }
     END {
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0 || passed == 0
     }' "$results" >$folder/summary
status=$?
cat $folder/summary
if [ -s $folder/skips ]; then
	echo 'skipped, by reason:'
	sort $folder/skips | uniq -c | sort -k1,1rn
fi
if [ -s $folder/failures ]; then
	echo 'failed:'
	cat $folder/failures
fi
exit $status
