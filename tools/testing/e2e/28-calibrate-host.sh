#!/bin/bash
# SPDX-License-Identifier: MIT
# loom calibrate: times by a chip that differs from its description are fitted, of networks and of
# layers; the same command writes the same bytes; errors.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/refusals.sh
. "$(dirname "$0")/refusals.sh"

fresh_out
refusing_loom=$loom
cat >"$out/real.yaml" <<'END'
name: real
extends: soft
memory:
  dram: {read: 8, write: 8}
compute: {start: 300}
END
cat >"$out/said.yaml" <<'END'
name: said
extends: soft
compute: {start: 100}
END
cp "$models/ppocr_cls.onnx" "$models/blazeface.onnx" "$models/hey_jarvis.onnx" "$out"

# plan MODEL CHIP ARG...
plan() {
	local model=$1 chip=$2
	shift 2
	if [ "$model" = ppocr_cls ]; then
		set -- --shape x=1x3x48x192 "$@"
	fi
	$loom plan "$out/$model.onnx" --chip "$out/$chip.yaml" "$@"
}

# milliseconds of a plan
ms() {
	plan "$1" "$2" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["chip_ms"])'
}

table() {
	printf 'layer,model,ms\n# a comment\n'
	printf ',ppocr_cls.onnx@x=1x3x48x192,%s\n' "$(ms ppocr_cls real)"
	printf ',"blazeface.onnx",%s\n' "$(ms blazeface real)"
}

fits() {
	table >"$out/measured.csv"
	$loom calibrate "$out/said.yaml" "$out/measured.csv" -o "$out/fitted.yaml" \
		--svg "$out/fitted.svg" >"$out/said.txt" || return 1
	cat "$out/said.txt"
	grep -q '^# measured: .*: blazeface.onnx$' "$out/fitted.yaml" &&
		[ "$(grep -c '<circle' "$out/fitted.svg")" = 4 ] &&
		python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' \
			"$out/fitted.svg"
}

# The worst row of that kind is off by less than that.
worst() {
	awk -v kind="$1" -v most="$2" '$1 == kind { found = $(NF - 4) < most } END { exit !found }' \
		"$out/said.txt"
}

predicts() {
	python3 -c 'import sys; a, b = map(float, sys.argv[1:]); print(a, b); sys.exit(not .9 < a / b < 1.11)' \
		"$(ms hey_jarvis fitted)" "$(ms hey_jarvis real)"
}

layers() {
	plan ppocr_cls real --layers --csv >"$out/layers.csv" &&
		python3 - "$out/layers.csv" >"$out/layered.csv" <<'END' || return 1
import csv, sys
print("model,layer,us")
for row in list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))[:40]:
    if int(row["cycles"]) > 1000:
        print(f'ppocr_cls.onnx@x=1x3x48x192,{row["name"]},{int(row["cycles"]) / 1000}')
END
	$loom calibrate "$out/said.yaml" "$out/layered.csv" -o "$out/by_layer.yaml" >"$out/said.txt" &&
		tail -n 3 "$out/said.txt" && worst fitted 1.5
}

again() {
	$loom calibrate "$out/said.yaml" "$out/measured.csv" -o - >"$out/again.yaml" &&
		cmp "$out/fitted.yaml" "$out/again.yaml"
}

json() {
	$loom calibrate "$out/said.yaml" "$out/measured.csv" -o "$out/json.yaml" --json >"$out/said.json" &&
		cmp "$out/fitted.yaml" "$out/json.yaml" &&
		tools/testing/json_paths.py Documentation/json.rst calibrate="$out/said.json"
}

# refuses TEXT TABLE
refuses() {
	printf '%b' "$2" >"$out/bad.csv"
	refused "$1" calibrate soft "$out/bad.csv" -o "$out/none.yaml" && [ ! -e "$out/none.yaml" ]
}

ok 'times of networks are fitted' fits
ok 'closely' worst fitted 1.05
ok 'and a network that was not measured is predicted' predicts
ok 'times of layers are fitted' layers
ok 'the same table gives the same description' again
ok 'the times as JSON' json
ok 'and not where the description goes' usage calibrate soft "$out/measured.csv" -o - --json
ok 'a table without a model column' refuses "no column 'model'" 'net,us\na,1\n'
ok 'a table without times' refuses "column 'us' or 'ms'" 'model\na\n'
ok 'a time that is none' refuses "bad.csv:2: 'fast' is not a time" 'model,us\na.onnx,fast\n'
ok 'a row that is short' refuses 'bad.csv:3: 1 fields' 'model,us\n\na.onnx\n'
ok 'an empty table' refuses 'no times' 'model,us\n'
ok 'a model that is not there' refuses 'absent.onnx' 'model,us\nabsent.onnx,1\n'
ok 'a layer that is not there' refuses "bad.csv:2: no layer 'Conv 9'" \
	'model,layer,us\nblazeface.onnx,Conv 9,1\n'
finish
