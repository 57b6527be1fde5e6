#!/bin/bash
# SPDX-License-Identifier: MIT
# Random tests that take too long for `make check`: a million operations on the allocator and the
# engine, and fifty thousand on the device node, in a VM for each of two topologies; a storm of ten
# thousand rounds over clients, bystanders and the device itself; then what `make check-upstream` and
# `make check-arm64` do. TAP.
#
#	tools/ci/check-long.sh [host|node|storm|upstream|arm64]...
#
# LOOM_RANDOM_SEED, LOOM_RANDOM_OPS, LOOM_STORM_ROUNDS: to repeat a run, or for a shorter one.
set -u

cd "$(dirname "$0")/../.." || exit 1
seed=${LOOM_RANDOM_SEED:-$(date +%s)}
ops=${LOOM_RANDOM_OPS:-50000}
rounds=${LOOM_STORM_ROUNDS:-10000}
count=0
failed=0

# run NAME COMMAND...
run() {
	local name=$1 status=0
	shift
	count=$((count + 1))
	"$@" >build/long.log 2>&1 || status=$?
	[ $status = 0 ] || failed=1
	grep -v '^#  ' build/long.log | sed 's/^/# /'
	if [ $status = 0 ]; then
		echo "ok $count $name"
	else
		echo "not ok $count $name"
	fi
}

node() {	# TOPOLOGY
	tools/vm/run --timeout 3000 --modparams "topology=$1" --log "build/vm/long-$1.log" \
		--out build/kselftest/install -- \
		env LOOM_RANDOM_OPS="$ops" LOOM_RANDOM_SEED="$seed" \
		build/kselftest/install/loom/loom_random
}

storm() {	# TOPOLOGY
	tools/vm/run --timeout 14000 --modparams "topology=$1" --log "build/vm/storm-$1.log" \
		--out build/kselftest/install -- \
		env LOOM_STORM_ROUNDS="$rounds" LOOM_STORM_SEED="$seed" \
		build/kselftest/install/loom/loom_storm
}

parts=${*:-host node storm upstream arm64}
for part in $parts; do
	case $part in
	host)
		run "a million operations on the core, seed $seed" \
			build/host/core/memory_random 1000000 "$seed" ;;
	node)
		tools/ci/kselftest.sh stage || exit 1
		for topology in soft tiny; do
			run "$ops operations on the node, topology $topology, seed $seed" \
				node $topology
		done ;;
	storm)
		tools/ci/kselftest.sh stage || exit 1
		for topology in soft tiny; do
			run "a storm of $rounds rounds, topology $topology, seed $seed" \
				storm $topology
		done ;;
	upstream|arm64)
		run "make check-$part" make -s "check-$part" ;;
	*)
		echo "usage: $0 [host|node|storm|upstream|arm64]..." >&2
		exit 2 ;;
	esac
done
echo "1..$count"
exit $failed
