#!/bin/bash
# SPDX-License-Identifier: MIT
# What takes too long for `make check`: checkpatch on tests; a million operations on the allocator and the
# engine, and fifty thousand on the device node, in a VM for each of two topologies; a storm of ten
# thousand rounds over clients, bystanders and the device itself; one of two hundred devices, on the
# instrumented kernel;
# all plans of larger worlds, fuzzers for ten minutes each, faults that tests have to notice, and the
# search for commands that take longer than they say; all models by all strategies; networks of torchvision,
# where that is installed; a device on the bus that breaks, each fault two hundred times, and is
# reset, pulled and put to sleep, and two of them beside each other; packages; a sweep by Slurm; host
# tests, and end-to-end tests that take no VM, on a processor with
# AVX2 and on one without; the first series of patches; then what `make check-arm64` does. TAP.
#
#	tools/ci/check-long.sh [PART...]	lint, host, worlds, fuzz, mutants, cost, node, storm,
#						models, torchvision, pci, packages, slurm,
#						cpus, upstream, arm64
#
# LOOM_RANDOM_SEED, LOOM_RANDOM_OPS, LOOM_STORM_ROUNDS, LOOM_FAULTS_SEED: to repeat a run, or for a
# shorter one.
set -u

cd "$(dirname "$0")/../.." || exit 1
seed=${LOOM_RANDOM_SEED:-$(date +%s)}
ops=${LOOM_RANDOM_OPS:-50000}
rounds=${LOOM_STORM_ROUNDS:-10000}
fuzz_seconds=${FUZZ_SECONDS:-600}
. tools/testing/tap.sh

# run NAME COMMAND...
run() {
	local name=$1 status=0
	shift
	"$@" >build/long.log 2>&1 || status=$?
	grep -v '^#  ' build/long.log | sed 's/^/# /'
	ok $status "$name"
}

# in_vm NAME SECONDS PROGRAM VARIABLE=VALUE...: a selftest, in a VM for each of two topologies
in_vm() {
	local name=$1 seconds=$2 program=$3 topology
	shift 3
	tools/ci/kselftest.sh stage || exit 1
	for topology in soft tiny; do
		run "$name, topology $topology, seed $seed" \
			tools/vm/run --timeout "$seconds" --modparams "topology=$topology" \
			--log "build/vm/$program-$topology.log" --out build/kselftest/install -- \
			env "$@" "build/kselftest/install/loom/$program"
	done
}

# on_cpu CPU: emulated, so all takes ten times as long, and there are a fifth of the random rounds
on_cpu() {
	local under="qemu-x86_64 -cpu $1" name test
	for name in $(cd tools/testing/host && find . -name '*.c' -printf '%P\n' | sort | sed 's/\.c$//'); do
		# shellcheck disable=SC2086 # words
		run "$name, on $1" env LOOM_EFFORT=20 $under "build/host/$name"
	done
	for test in tools/testing/e2e/{1[0-8],2[0134],26,30}-*.sh; do
		run "$(basename "$test" .sh), on $1" env "LOOM_UNDER=$under" bash "$test"
	done
}

all='lint host worlds fuzz mutants cost node storm models torchvision pci packages slurm cpus upstream arm64'
parts=${*:-$all}
for part in $parts; do
	case $part in
	lint)
		mapfile -t files < <(git ls-files 'tools/testing/*.[ch]')
		run "checkpatch on tests" tools/ci/lint.sh "${files[@]}" ;;
	host)
		run "30000 histories of banks, seed $seed" build/host/core/bank/model 30000 "$seed"
		run "240 random graphs beside each plan's figures" build/host/plan/cost 40 240
		run "60 random graphs in the least SRAM" build/host/group/least_sram 12 60
		run "1000 chains of images" build/host/planner/image 200 1000
		run "tests that are green whatever the results are" tools/testing/blind.sh
		run "programs that take long with sanitizers" tools/ci/check.sh asan-build asan-long
		run "threads, with the sanitizer that sees data races" make -s tsan ;;
	worlds)
		run "all plans of larger worlds" build/host/core/verify/worlds --large
		run "all sequences of requests to a bank" build/host/core/bank/worlds --large ;;
	fuzz)
		run "fuzzers, $fuzz_seconds seconds each" make -s fuzz "FUZZ_SECONDS=$fuzz_seconds" ;;
	mutants)
		run "removed checks, each noticed by its fuzzers" make -s planted
		run "200 faults, each noticed by a test" make -s mutants COUNT=200 "SEED=$seed" ;;
	cost)
		run "no plan takes the verifier longer than it says" \
			build/host/core/verify/attack 20000 "$seed"
		# 500 us where the loop takes 154 us, see Documentation/figures.rst
		for numbers in normal denormal; do
			run "no call of the engine takes 3.2 loops, or twice its share, $numbers numbers" \
				build/bench/bench_units 60 "$seed" "$numbers" 3.2 2
		done ;;
	node)
		in_vm "$ops operations on the node" 3000 loom_random \
			"LOOM_RANDOM_OPS=$ops" "LOOM_RANDOM_SEED=$seed" ;;
	storm)
		in_vm "a storm of $rounds rounds" 14000 loom_storm \
			"LOOM_STORM_ROUNDS=$rounds" "LOOM_STORM_SEED=$seed"
		run "a storm of 200 devices" tools/ci/debug.sh devices ;;
	models)
		run "every network by every strategy, on the host" make -s check-models
		run "every network, on the node" tools/ci/check-models.sh node
		run "more networks of npm packages" tools/testing/ort/npm.sh
		run "48 models of each operator, seed $seed" \
			/usr/bin/python3 tools/testing/ort/operators.py --count 48 --seed "$seed" ;;
	torchvision)
		run "networks of torchvision" tools/testing/torchvision/networks.sh ;;
	pci)
		run "a device on the bus that breaks" tools/ci/pci/faults.sh faults 200 \
			resets 1000 pulls 200 sleeps 100 fuzz 3600
		run "two devices on the bus" tools/testing/e2e/43-many-node.sh pci ;;
	packages)
		tools/ci/deps.sh more || exit 1
		run "packages, as a user has them" tools/ci/deb-test.sh ;;
	slurm)
		tools/ci/deps.sh more || exit 1
		run "a sweep by Slurm" tools/ci/slurm.sh ;;
	cpus)
		tools/ci/deps.sh cpus || exit 1
		on_cpu max
		# all that the library asks for
		on_cpu max,-avx2,-f16c ;;
	upstream)
		run "the first series of patches" env SERIES=core tools/ci/upstream/series.sh ;;
	arm64)
		run "make check-arm64" make -s check-arm64 ;;
	*)
		echo "usage: $0 [${all// /|}]..." >&2
		exit 2 ;;
	esac
done
finish
