#!/bin/bash
# SPDX-License-Identifier: MIT
# The device on the bus: loom-sim attached to QEMU, seen by the stock kernel, with the host's memory
# mapped and asked for. TAP; SKIP with the reason where there is no QEMU for it.
set -u

cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/pci
if ! reason=$(tools/vm/qemu.sh 2>&1 >/dev/null); then
	echo "ok 1 # SKIP ${reason##*$'\n'}"
	echo 1..1
	exit 0
fi

n=0
failed=0
for options in '--chip tiny' '--chip soft --dma messages'; do
	n=$((n + 1))
	log=build/pci/guest-$n.log
	if tools/vm/run --no-module --pci "$options" --log "build/pci/dmesg-$n.log" \
		-- tools/ci/pci-guest.sh >$log 2>build/pci/err-$n.log; then
		echo "ok $n - $options: $(grep -c '^ok' $log) of $(grep -c '^ok\|^not ok' $log)"
	else
		failed=1
		echo "not ok $n - $options"
		sed 's/^/# /' $log build/pci/err-$n.log
	fi
done
echo "1..$n"
exit $failed
