#!/bin/bash
# SPDX-License-Identifier: MIT
# loom view: the data in a page are the figures of the plan, the same input gives the same bytes, no
# name of a model can run, and what is clicked shows the same thing in all parts (where there is a browser).
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
view=tools/testing/view
bf=$models/blazeface.onnx
rec="$models/ppocr_rec.onnx --shape x=1,3,48,320"

# shown NAME ARG...: a page, and its data beside what loom plan says
shown() {
	local name=$1
	shift
	$loom view "$@" -o "$out/$name.html" && $loom plan "$@" --json >"$out/$name.json" &&
	python3 $view/data.py "$out/$name.html" plan "$out/$name.json" &&
	python3 $view/data.py "$out/$name.html" safe
}
ok 'a page of BlazeFace' shown bf $bf --explain
# shellcheck disable=SC2086
ok 'a page of PP-OCR rec' shown rec $rec
ok 'a page for a chip without DRAM' shown tiny $models/oww_alexa.onnx --explain --chip ethos-u55-256
ok 'a page of streams in turns, in images' shown image $bf --explain --chip cv181x --image all --grouping layerwise

# the same options and the same file give the same page, whatever the folder
again() {
	$loom view $bf --explain -o - | cmp - "$out/bf.html" &&
	(cd "$models" && "$OLDPWD/$loom" view blazeface.onnx --explain -o -) | cmp - "$out/bf.html"
}
ok 'the same plan gives the same page' again
from_file() {
	$loom compile $bf -o "$out/blazeface.loom" >/dev/null && $loom view "$out/blazeface.loom" -o "$out/file.html" &&
	$loom plan $bf --explain --json | sed 's,"model": ".*","model": "blazeface.loom",; s/"cuts".*//' \
		>"$out/file.json" &&
	python3 $view/data.py "$out/file.html" plan "$out/file.json"
}
ok 'a page of a program file' from_file
chain() {
	python3 $view/net.py "$out/chain.onnx" 64 && shown chain "$out/chain.onnx" --keep-all &&
	python3 $view/net.py "$out/none.onnx" 0 && shown none "$out/none.onnx"
}
ok 'pages of a network whose arrows are known, and of one without operators' chain

both() {
	$loom view "$out/blazeface.loom" $bf --sram 32k -o "$out/two.html" &&
	$loom plan $bf --sram 32k --explain --json >"$out/small.json" &&
	python3 $view/data.py "$out/two.html" plan "$out/file.json" 0 &&
	python3 $view/data.py "$out/two.html" plan "$out/small.json" 1 &&
	python3 $view/data.py "$out/two.html" safe
}
ok 'two plans in a page' both

# names that are what ends an element, a comment or a string
hostile() {
	python3 $view/net.py "$out/hostile.onnx" 48 hostile && shown hostile "$out/hostile.onnx" --explain &&
	cp "$out/hostile.onnx" "$out/<script>alert(1)<&>.onnx" &&
	$loom view "$out/<script>alert(1)<&>.onnx" -o "$out/named.html" &&
	python3 $view/data.py "$out/named.html" safe
}
ok 'hostile names are text' hostile

# about as many steps as are promised to be drawn smoothly
# shellcheck disable=SC2086
large() {
	$loom view $rec --sram 8k --grouping layerwise -o "$out/large.html" &&
	python3 $view/data.py "$out/large.html" size >"$out/size" && cat "$out/size" &&
	[ "$(sed 's/.*: \([0-9]*\) a step/\1/' "$out/size")" -lt 200 ]
}
ok 'a page of ten thousand steps is small' large && sed 's/^/# /' "$out/size"

# the advice for each group, to be compared in a browser
# shellcheck disable=SC2086
helps() {
	$loom plan $bf --explain >"$out/bf.txt" &&
	$loom plan $models/oww_alexa.onnx --explain --chip ethos-u55-256 >"$out/tiny.txt" &&
	$loom plan $bf --explain --chip cv181x --image all --grouping layerwise >"$out/image.txt" &&
	$loom plan $rec --explain --sram 8k --grouping layerwise >"$out/large.txt"
}
ok 'the same as text' helps

# said STATUS TEXT ARG...: fails, and writes nothing
said() {
	refusal "$1" "$2" $loom view "${@:3}" && [ ! -e "$out/no.html" ]
}
ok 'no model' said 2 'takes one model or program file, or two' -o "$out/no.html"
ok 'three models' said 2 'takes one model or program file, or two' $bf $bf $bf -o "$out/no.html"
ok 'no page' said 2 '--output FILE says where the page goes' $bf
ok 'no such option' said 2 "option '--colour'" $bf --colour -o "$out/no.html"
ok 'a program is not planned again' said 2 '--sram says how to plan' "$out/blazeface.loom" --sram 4k \
	-o "$out/no.html"
ok 'nor explained' said 2 '--explain says how to plan' "$out/blazeface.loom" --explain -o "$out/no.html"
ok 'no such file' said 1 'No such file' "$out/nothing.onnx" -o "$out/no.html"
ok 'the second is no model' said 1 'README.md' $bf README.md -o "$out/no.html"
ok 'nowhere to write' said 1 "$out/none/no.html" $bf -o "$out/none/no.html"
damage() {
	cp "$out/blazeface.loom" "$out/damaged.loom" && chmod +w "$out/damaged.loom" &&
	printf '\125' | dd of="$out/damaged.loom" bs=1 seek=40000 conv=notrunc status=none &&
	said 1 'damaged: the checksum' "$out/damaged.loom" -o "$out/no.html"
}
ok 'a damaged program' damage

if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then
	timeout 3000 python3 $view/clicks.py "$out" >"$out/clicks.tap" 2>"$out/clicks.err"
	status=$?
	adopt "$out/clicks.tap"
	ok 'all of it in a browser' [ $status = 0 ] || sed 's/^/# /' "$out/clicks.err"
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - pages in a browser # SKIP there is no chromium"
fi
finish
