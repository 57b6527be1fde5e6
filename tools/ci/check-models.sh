#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs every network by every strategy, for bytes and for time, in SRAM of every size, see
# tools/testing/e2e/model_matrix.c.
# tools/testing/e2e/12-groups-host.sh runs a part of it. Takes up to an hour.
#
#	tools/ci/check-models.sh [NAME...]	a table on standard output, and failures
#	tools/ci/check-models.sh node [NAME...]	on the device node, by the default strategy on three
#						chips, for time in SRAM of one size, for bytes in
#						three: the host's bits and counts
# shellcheck source=tools/testing/e2e/lib.sh
. tools/testing/e2e/lib.sh

out=build/check-models
node=
[ "${1-}" != node ] || { node=1; shift; }
names=${*:-$group_models}
mkdir -p $out
make_pictures || exit 1

# From 64 KiB in all lanes on. Counts, cycles among them, are those that the plan promises, too.
sizes() {	# CHIP: SRAM of each lane
	case $1 in
	soft)	echo 4k 16k 64k ;;
	bm1688)	echo 2k 16k 128k ;;
	cv181x)	echo 8k 16k 32k ;;
	esac
}

# The VM is slow, and plans for time take long: in one size.
objectives() {	# CHIP SRAM
	local -a list
	read -ra list <<<"$(sizes "$1")"
	echo bytes
	[ "$2" != "${list[1]}" ] || echo time
}

# run_by NAME:SRAM:OBJECTIVE DEVICE DIR [ARG...]
run_by() {
	model_run_group "${1%:*}" "$2" "$3" --objective "${1##*:}" "${@:4}"
}

on_chip() {	# CHIP
	local chip=$1 name sram objective host=$out/host/$1 vm=$out/vm/$1
	node_groups=
	for name in $names; do
		for sram in $(sizes "$chip"); do
			for objective in $(objectives "$chip" "$sram"); do
				node_groups+=" $name:$sram:$objective"
			done
		done
	done
	rm -rf "$host" "$vm"
	mkdir -p "$host" "$vm"
	for group in $node_groups; do
		ok "$chip: $group runs on the host" \
			run_by "$group" host "$host/${group//:/.}" --topology "$chip"
	done
	ok "$chip: the VM runs them" tools/vm/run --timeout 7200 \
		--modparams "job_timeout_ms=3600000 topology=$chip" \
		--share $models/ --log "$out/dmesg-$chip.log" --out "$PWD/$vm" -- bash -c \
		". tools/testing/e2e/lib.sh; $(declare -f run_by); for group in $node_groups; do \
		run_by \$group soft \"$PWD/$vm/\${group//:/.}\"; done"
	for group in $node_groups; do
		ok "$chip: $group: counted as promised, the same on node and host" \
			same_counts "${group//:/.}"
		ok "$chip: $group: node and host give the same bits" \
			same_bits "$host/${group//:/.}" "$vm/${group//:/.}"
	done
}

# Each count is there four times: promised and counted, on both.
same_counts() {
	local key
	for key in dram_read_bytes dram_write_bytes sram_read_bytes sram_write_bytes macs steps \
		commands cycles dma_cycles compute_cycles energy_fj; do
		[ "$(figures "$vm/$1/run.json" "$host/$1/run.json" | grep "\"$key\"" | tr -d ' ,' |
			sort | uniq -c | awk '{ print $1 }')" = 4 ] || {
			echo "$key differs"
			return 1
		}
	done
}

# Explaining changes no byte of a plan, even where many divisions are compared.
explain() {	# NAME
	# some need more SRAM
	build/loom plan "$(model_file "$1")" --chip tiny --no-cache -o "$out/$1.plain" || return 0
	build/loom plan "$(model_file "$1")" --chip tiny --no-cache --explain \
		-o "$out/$1.explained" && cmp "$out/$1.plain" "$out/$1.explained"
}

on_node() {
	local chip
	for chip in soft bm1688 cv181x; do
		on_chip $chip
	done
	finish
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
	explain "$name" >"$out/$name.log" 2>&1 || {
		echo "not ok - $name: explained, the plan on tiny is another one"
		tail -n 5 "$out/$name.log"
		failed=1
	}
done
echo "$(cat $out/*.tap | grep -c '^ok.*as promised') cells ran," \
	"$(cat $out/*.tap | grep -c '^ok.*refused:') do not fit, $(($(date +%s) - begin)) s"
exit $failed
