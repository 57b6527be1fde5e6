#!/bin/bash
# SPDX-License-Identifier: MIT
# Run the benchmarks and print their figures: those called vm_* in the VM, on the
# device node, the others here. Every one measures its own baseline in the same
# run; none passes or fails on a time.
#
#	tools/ci/bench.sh [NAME...]
set -u

cd "$(dirname "$0")/../.." || exit 1
failed=0
shopt -s nullglob
benches=("${@/#/build/bench/}")
if [ $# = 0 ]; then
	for source in tools/testing/bench/*.c; do
		benches+=("build/bench/$(basename "$source" .c)")
	done
fi

for bench in "${benches[@]}"; do
	name=${bench##*/}
	case $name in
	vm_oversubscribe)
		echo "== $name (in the VM, on a device with a small DRAM)"
		tools/vm/run --timeout 900 --modparams topology=tiny --log build/vm/bench.log \
			-- "$bench" || failed=1 ;;
	vm_*)
		echo "== $name (in the VM, on the device node)"
		tools/vm/run --timeout 600 --log build/vm/bench.log -- "$bench" || failed=1 ;;
	*)
		echo "== $name"
		"$bench" || failed=1 ;;
	esac
done
exit $failed
