#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs every network by every strategy in SRAM of every size, see tools/testing/e2e/model_matrix.c.
# tools/testing/e2e/12-groups-host.sh runs a part of it. Takes up to an hour.
#
#	tools/ci/check-models.sh [NAME...]	a table on standard output, and failures
#	tools/ci/check-models.sh node [NAME...]	on the device node, by the default strategy, in SRAM
#						of three sizes: the host's bits and counts
# shellcheck source=tools/testing/e2e/lib.sh
. tools/testing/e2e/lib.sh

out=build/check-models
node=
[ "${1-}" != node ] || { node=1; shift; }
names=${*:-$group_models}
mkdir -p $out
make_pictures || exit 1

# 64 KiB, 256 KiB and 1 MiB in the sixteen lanes
on_node() {
	local name sram
	node_groups=
	for name in $names; do
		for sram in 4k 16k 64k; do
			node_groups+=" $name:$sram"
		done
	done
	rm -rf $out/host $out/vm
	mkdir -p $out/host $out/vm
	for group in $node_groups; do
		ok "$group runs on the host" model_run_group "$group" host "$out/host/${group/:/.}"
	done
	ok 'the VM runs them' tools/vm/run --timeout 7200 --modparams 'job_timeout_ms=3600000' \
		--share $models/ --log $out/dmesg.log --out "$PWD/$out/vm" -- bash -c \
		". tools/testing/e2e/lib.sh; for group in $node_groups; do model_run_group \$group soft \
		\"$PWD/$out/vm/\${group/:/.}\"; done"
	for group in $node_groups; do
		ok "$group: node and host count the same" same_counts "${group/:/.}"
		ok "$group: node and host give the same bits" \
			same_bits "$out/host/${group/:/.}" "$out/vm/${group/:/.}"
	done
	finish
}

same_counts() {
	for key in dram_read_bytes dram_write_bytes sram_read_bytes sram_write_bytes macs steps commands \
		cycles dma_cycles compute_cycles energy_fj; do
		[ "$(json_number "$out/vm/$1/run.json" $key)" = \
		  "$(json_number "$out/host/$1/run.json" $key)" ] || return 1
	done
}

[ ! "$node" ] || on_node
begin=$(date +%s)
failed=0
for name in $names; do
	compare "$name" >"$out/$name.log" || {
		echo "not ok - $name does not agree with ONNX Runtime"
		cat "$out/$name.log"
		failed=1
		continue
	}
	build/e2e/model_matrix --table "$(model_file "$name")" "$out/$name" flat presets soft counts \
		>"$out/$name.tap" || failed=1
	sed -n 's/^# |/|/p' "$out/$name.tap"
	grep -A1 '^not ok\|^Bail' "$out/$name.tap"
	grep '^ok.*refused' "$out/$name.tap"
done
echo "$(cat $out/*.tap | grep -c '^ok.*as promised') cells ran," \
	"$(cat $out/*.tap | grep -c '^ok.*refused:') do not fit, $(($(date +%s) - begin)) s"
exit $failed
