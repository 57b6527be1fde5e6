#!/bin/bash
# SPDX-License-Identifier: MIT
# Random tests that take too long for `make check`: a million operations on the allocator and the
# engine, and fifty thousand on the device node, in a VM for each of two topologies. TAP.
#
#	tools/ci/check-long.sh [host|node]...
set -u

cd "$(dirname "$0")/../.." || exit 1
seed=${LOOM_RANDOM_SEED:-$(date +%s)}
ops=${LOOM_RANDOM_OPS:-50000}
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

parts=${*:-host node}
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
	*)
		echo "usage: $0 [host|node]..." >&2
		exit 2 ;;
	esac
done
echo "1..$count"
exit $failed
