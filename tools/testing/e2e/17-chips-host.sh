#!/bin/bash
# SPDX-License-Identifier: MIT
# Chips by file and by name: the examples of Documentation/chips.rst, and a plan for each chip that
# has DRAM and for a file.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
make_pictures || { echo "Bail out! no pictures"; exit 1; }

for name in mynpu bm1688-slow; do
	sed -n "/:caption: $name.yaml/,/^[^ ]/p" Documentation/chips.rst |
		sed '1,2d; /^[^ ]/d; s/^   //' >"$out/$name.yaml"
done

shows() {	# FILE LINE...
	local file=$1 line text
	shift
	text=$($loom chips "$file") || return 1
	for line; do
		printf '%s\n' "$text" | grep -qx -- " *$line" || { echo "no '$line'"; return 1; }
	done
}
ok 'the chip of the page' shows "$out/mynpu.yaml" 'name: mynpu' 'frequency: 900 MHz' 'overlap: no' \
	'banks: 3' 'read: 7.111' 'latency: {read: 90, write: 90}' \
	'operations: {except: \[deconv, resize\]}'
ok 'the chip of the page that extends another' shows "$out/bm1688-slow.yaml" 'frequency: 700 MHz' \
	'read: 48.571' 'size: 64k'

same_chip() {	# the output of loom chips is the same chip
	$loom chips "$1" >"$out/shown.yaml" && $loom chips "$out/shown.yaml" | diff "$out/shown.yaml" -
}
ok 'what is shown is a file that says the same' same_chip "$out/mynpu.yaml"

names=$($loom chips | sed '1d; s/ .*//')
ok 'there are fourteen chips' test "$(echo "$names" | wc -l)" = 14
ok 'loom info --presets lists them, too' diff <($loom chips) <($loom info --presets)
ok 'the source of a chip is the file that is built in' \
	diff <($loom chips --source tiny) userlib/chips/tiny.yaml
for name in $names; do
	$loom chips "$name" | grep -q '^  dram:' || continue
	ok "$name is planned for by name" $loom plan $models/blazeface.onnx --effort 0 --chip "$name"
done
ok 'a file is planned for' $loom plan $models/oww_alexa.onnx --chip "$out/bm1688-slow.yaml"
ok 'and run on the host' $loom run $models/oww_alexa.onnx --device host \
	--chip "$out/bm1688-slow.yaml" --input $pictures/alexa.npy

# the list of the page, and the answer there
sed -n '/cat list.csv/,/^$/p' Documentation/reports.rst | sed '1d; /^$/d; s/^  //' >"$out/list.csv"
sed -n '/loom fit list.csv --chip soft/,/^$/p' Documentation/reports.rst | sed '1d; /^$/d; s/^  //' \
	>"$out/fit.page"
fits_not() {
	$loom fit "$out/list.csv" --chip soft >"$out/fit.text"
	test $? = 1 && diff "$out/fit.page" "$out/fit.text" || return 1
	! $loom fit "$out/list.csv" --chip soft --json >"$out/fit.json" &&
		tools/testing/json_paths.py Documentation/json.rst fit="$out/fit.json"
}
ok 'the list of the page does not fit, and why' fits_not
fits() {
	sed 's/224k/192k/' "$out/list.csv" >"$out/less.csv" && $loom fit "$out/less.csv" --chip soft &&
		$loom report --device host -o "$out" >"$out/report.text" &&
		$loom fit "$out/less.csv" --chip soft --snapshot "$out/detailed_memory_usage.csv"
}
ok 'and fits with less, in a snapshot, too' fits
# banks behind the lanes are in the reports, and hold what the lanes have no room for
storage() {
	printf 'name: cores\nextends: soft\nstorage_banks: 3\n' >"$out/cores.yaml"
	$loom plan $models/oww_alexa.onnx --effort 0 --chip "$out/cores.yaml" --memory-reports "$out/cores" &&
		[ "$(grep -c ',sram,1[678],262144,0,262144,262144,0,' "$out/cores/memory_usage_summary.csv")" = 3 ] &&
		printf 'name,size,region,banks\nkeys,768k,sram,16-18\n' >"$out/keys.csv" &&
		$loom fit "$out/keys.csv" --chip "$out/cores.yaml" \
			--snapshot "$out/cores/detailed_memory_usage.csv" &&
		! $loom fit "$out/keys.csv" --chip soft
}
ok 'banks that only store' storage
ok 'the JSON of all' sh -c "$loom chips --json | grep -c '\"name\"' | grep -qx 14"
finish
