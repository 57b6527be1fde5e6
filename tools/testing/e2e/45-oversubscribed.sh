#!/bin/bash
# SPDX-License-Identifier: MIT
# A device whose DRAM is small, in one boot: two processes with real networks that have three times
# the DRAM between them, and the selftests that need buffers to be evicted.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

vm=$out/vm
fresh_out
mkdir -p "$vm"
tests='submit random'
[ -x build/kselftest/install/loom/loom_random ] || tools/ci/kselftest.sh stage 2>/dev/null
for name in $tests; do
	cp "build/kselftest/install/loom/loom_$name" "$vm/" 2>/dev/null
done

# in_vm: runs the programs one by one; their output and exit status go to $vm
ok 'the VM boots, runs all of it and says nothing in its log' tools/vm/run --timeout 800 \
	--modparams topology=tiny --log "$out/dmesg.log" --out "$vm" -- sh -c "
		build/e2e/oversubscribed >$vm/oversubscribe.log 2>&1
		echo \$? >$vm/oversubscribe.status
		for name in $tests; do
			$vm/loom_\$name >$vm/\$name.log 2>&1
			echo \$? >$vm/\$name.status
		done"

status_0() {
	grep -v '^#  ' "$vm/$1.log"
	[ "$(cat "$vm/$1.status")" = 0 ]
}
ok 'two networks with three times the DRAM: every result is right' status_0 oversubscribe
while read -r line; do
	note "$line"
done <"$vm/oversubscribe.log"
for name in $tests; do
	ok "loom_$name on a small device" status_0 "$name"
done
ok 'what does not fit was driven out' grep -q \
	'^ok .*what_does_not_fit_is_evicted_and_comes_back$' "$vm/submit.log"
finish
