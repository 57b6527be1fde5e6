#!/bin/bash
# SPDX-License-Identifier: MIT
# Reports of `loom run` on the host: figures of the outputs, classes, random inputs; states that go
# from run to run.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
cls="$models/ppocr_cls.onnx --effort 0 --device host --shape x=1,3,48,192"

# run NAME ARG...: standard output in $out/NAME, what went wrong in $out/NAME.err
run() {
	local name=$1
	shift
	$loom run "$@" >"$out/$name" 2>"$out/$name.err"
}

# the arguments are words
# shellcheck disable=SC2086
{
	ok 'random numbers' run one $cls --input random:5 --save-inputs "$out/one.in" -o "$out/one.npy"
	ok 'the same ones again' run two $cls --input x=random:5 --save-inputs "$out/two.in"
	ok 'others' run three $cls --input random:6 --save-inputs "$out/three.in"
	ok 'classes' run top $cls --input random:5 --top 5 --json
	printf 'up\ndown\n' >"$out/labels"
	echo up >"$out/label"
	ok 'and their names' run named $cls --input random:5 --top 1 --labels "$out/labels"
}
ok 'a seed gives the same numbers' cmp "$out/one.in/x.npy" "$out/two.in/x.npy"
differ() {
	! cmp -s "$1" "$2"
}
ok 'another one gives others' differ "$out/one.in/x.npy" "$out/three.in/x.npy"

# oracle_of MODEL NAME [INPUT=FILE]...: of the inputs that were saved, and these
oracle_of() {
	local file feeds=("${@:3}")
	for file in "$out/$2.in"/*.npy; do
		feeds+=("$(basename "$file" .npy)=$file")
	done
	node tools/testing/ort/ref.js "$1" "$out/$2.want" "${feeds[@]}" &&
	build/e2e/npy_compare --dirs "$out/$2.out" "$out/$2.want"
}

# a scalar of eight bytes
rate() {
	printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
		"{'descr': '<i8', 'fortran_order': False, 'shape': (), }" >"$out/rate.npy"
	printf '\x80\x3e\0\0\0\0\0\0' >>"$out/rate.npy"
}

# the figures are those of the file that was written
figures_fit() {
	python3 - "$out" <<-'EOF'
		import json, re, struct, sys
		out = sys.argv[1]
		data = open(f"{out}/one.npy", "rb").read()
		values = struct.unpack("<2f", data[-8:])
		run = json.load(open(f"{out}/top"))
		result = run["results"][0]
		assert result["numbers"] == 2 and result["nans"] == 0
		for key, want in ("min", min(values)), ("max", max(values)), ("mean", sum(values) / 2):
		    assert abs(result[key] - want) < 1e-6, (key, result[key], want)
		top = run["top"]
		assert [t["value"] for t in top] == sorted((t["value"] for t in top), reverse=True)
		assert abs(values[top[0]["class"]] - max(values)) < 1e-6 and len(top) == 2
		named = open(f"{out}/named").read()
		want = ["up", "down"][values.index(max(values))]
		assert re.search(rf"^top +class {values.index(max(values))}: 0\.\d+  {want}$", named, re.M)
		assert re.search(r"^result +\S+ f32 \[1,2\]: min 0\.\d+, max 0\.\d+, mean 0\.5$", named, re.M)
	EOF
}
# hey_jarvis has an If on its data, which is not on the path of most inputs
ok 'an If on data' run jarvis $models/hey_jarvis.onnx --device host -i random:3 \
	--save-inputs "$out/jarvis.in" --save-outputs "$out/jarvis.out"
ok 'as ONNX Runtime has it' oracle_of $models/hey_jarvis.onnx jarvis
# a voice detector: If on the rate of its samples, and LSTM
ok 'a rate of samples' rate
ok 'a voice detector' run voice $models/silero_vad.onnx --device host --dim batch=1 \
	--shape input=1,512 --value sr=16000 -i input=random:1 -i h=random:2 -i c=random:3 \
	--save-inputs "$out/voice.in" --save-outputs "$out/voice.out"
ok 'as ONNX Runtime has it' oracle_of $models/silero_vad.onnx voice "sr=$out/rate.npy"

# 1000 frames, two numbers of state each of two layers
ok 'pictures are made' make_pictures
ok 'the voice detector runs 1000 frames' model_run voice host "$out/stream"
stream_oracle() {
	printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 64), }" >"$out/zero.npy"
	head -c 512 /dev/zero >>"$out/zero.npy"
	node tools/testing/ort/stream.js frames $models/silero_vad.onnx "$out/stream.want" 1000 \
		hn=h:state cn=c:state "h=$out/zero.npy" "c=$out/zero.npy" "sr=$out/rate.npy" \
		"input=$pictures/voice.1000.npy" &&
	build/e2e/npy_compare --dirs "$out/stream" "$out/stream.want"
}
ok 'as ONNX Runtime has it, frame by frame' stream_oracle
hears() {
	python3 - "$out/stream/output.npy" <<-'EOF'
		import struct, sys
		data = open(sys.argv[1], "rb").read()[-4000:]
		voices = struct.unpack("<1000f", data)
		assert sum(v > .9 for v in voices) > 100 and sum(v < .3 for v in voices) > 100
	EOF
}
ok 'it hears voices and pauses' hears
# the first and the last 500 frames, in a dimension of their own
halves() {
	printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' \
		"{'descr': '<f4', 'fortran_order': False, 'shape': (500, 1, 512), }" |
		tee "$out/half0.npy" >"$out/half1.npy"
	tail -c 2048000 $pictures/voice.1000.npy | head -c 1024000 >>"$out/half0.npy"
	tail -c 1024000 $pictures/voice.1000.npy >>"$out/half1.npy"
}
in_halves() {
	local half=(--dim batch=1 --value sr=16000 --state hn=h --state cn=c --frames 500)
	halves &&
	$loom run $models/silero_vad.onnx --device host "${half[@]}" -i "input=$out/half0.npy" \
		--save-outputs "$out/half0" &&
	$loom run $models/silero_vad.onnx --device host "${half[@]}" -i "input=$out/half1.npy" \
		-i "h=$out/half0/hn.npy" -i "c=$out/half0/cn.npy" --repeat 2 --save-outputs "$out/half1" &&
	cmp "$out/half1/hn.npy" "$out/stream/hn.npy" && cmp "$out/half1/cn.npy" "$out/stream/cn.npy" &&
	cmp <(tail -c 2000 "$out/half1/output.npy") <(tail -c 2000 "$out/stream/output.npy")
}
ok 'a state is given and taken: the same in two halves' in_halves
ok 'a decoder writes 200 tokens' decode_run host "$out/decoder"
decoder_oracle() {
	node tools/testing/ort/stream.js decode "$out/decoder/gpt.onnx" 200 1 2 3 \
		>"$out/decoder/want" &&
	cmp "$out/decoder/tokens" "$out/decoder/want" &&
	[ "$(wc -w <"$out/decoder/tokens")" = 200 ] &&
	# it does not write the same for ever
	[ "$(tr ' ' '\n' <"$out/decoder/tokens" | sort -u | wc -l)" -gt 20 ]
}
ok 'the same that ONNX Runtime writes' decoder_oracle
ok 'figures and classes are those of the output' figures_fit

said() {	# TEXT ARG...
	refusal 1 "$1" $loom run "${@:2}"
}
# shellcheck disable=SC2086
{
	ok 'no seed' said 'the seed is a number' $cls --input random:
	ok 'not a seed' said 'the seed is a number' $cls --input random:-1
	ok 'too few labels' said 'has 1 lines, but output' $cls --input random:5 --top 1 \
		--labels "$out/label"
	ok 'no labels' said 'No such file' $cls --input random:5 --top 1 --labels "$out/none"
	: >"$out/labels.empty"
	ok 'a file without labels' said 'has 0 lines, but output' $cls --input random:5 --top 1 \
		--labels "$out/labels.empty"
	ok 'labels that are a folder' said 'Is a directory' $cls --input random:5 --top 1 --labels "$out"
	printf 'up\nd\0own\n' >"$out/labels.zero"
	ok 'labels that are no text' said 'line 2 is not text' $cls --input random:5 --top 1 \
		--labels "$out/labels.zero"
	printf '\xef\xbb\xbfup\r\ndown' >"$out/labels.crlf"
	ok 'labels as other systems write them' run crlf $cls --input random:5 --top 2 \
		--labels "$out/labels.crlf"
	(printf 'up\n'; head -c 3000000 /dev/zero | tr '\0' d; echo) >"$out/labels.long"
	ok 'a label of three megabytes' run long $cls --input random:5 --top 2 \
		--labels "$out/labels.long"
	printf 'u"\\\xc3\xbc\n\xf0\x9f\x98\x80\n' >"$out/labels.bytes"
	ok 'labels that JSON has to quote' run bytes $cls --input random:5 --top 2 \
		--labels "$out/labels.bytes" --json
	printf 'up\n\033[2J\n' >"$out/label"
	ok 'labels that a terminal would obey' said 'line 2 is not text' $cls --input random:5 --top 1 \
		--labels "$out/label"
	# another encoding; a control character of two bytes; half a pair; too long; cut off
	for bytes in 'caf\351' '\302\233' '\355\240\200' '\300\200' '\303'; do
		# shellcheck disable=SC2059
		printf "$bytes\\ndown\\n" >"$out/label"
		ok "labels of bytes $bytes" said 'line 1 is not text in UTF-8' $cls --input random:5 \
			--top 1 --labels "$out/label"
	done
}
odd_labels() {
	python3 - "$out" <<-'EOF'
		import json, re, sys
		out = sys.argv[1]
		lines = re.findall(rb"^(?:top)? +class (\d): \S+  (.*)$", open(f"{out}/crlf", "rb").read(), re.M)
		assert sorted(lines) == [(b"0", b"up"), (b"1", b"down")], lines
		assert re.search("  d{3000000}$", open(f"{out}/long").read(), re.M)
		top = json.loads(open(f"{out}/bytes", "rb").read().decode())["top"]
		labels = {t["class"]: t["label"] for t in top}
		assert labels == {0: 'u"\\\u00fc', 1: "\U0001f600"}, labels
	EOF
}
ok 'are printed as they are, and make JSON' odd_labels
bf="$models/blazeface.onnx --device host"
# shellcheck disable=SC2086
{
	ok 'a file for no input' said "there is no input 'nothing', but 'input:0'" $bf -i nothing=random:1
	ok 'a file for no output' said "there is no output 'nothing', but 'Identity:0'" $bf -i random:1 \
		-o nothing="$out/none.npy"
	ok 'a folder that is not there' said 'none: No such file' $bf -i random:1 -o "$out/none/a.npy"
	ok 'a folder in a folder that is not there' said 'none: No such file' $bf -i random:1 \
		--save-outputs "$out/none/a"
	ok 'a file that is a folder' said 'Is a directory' $bf -i random:1 -o "$out"
}
nothing() {
	! $loom plan $models/blazeface.onnx -o "$out/none/plan" --trace "$out/no.trace" 2>"$out/plan.err" &&
		grep -q 'none: No such file' "$out/plan.err" && [ ! -e "$out/no.trace" ] &&
		[ "$(wc -l <"$out/plan.err")" = 1 ]
}
ok 'a plan that cannot be written is not made' nothing
in_sram() {
	$loom plan $models/oww_alexa.onnx --place-svg "$out/arena.svg" >"$out/plan.out" \
		2>"$out/plan.err" && grep -q 'nothing is placed in DRAM' "$out/plan.err" &&
		grep -q '>oww_alexa.onnx: all values stay in SRAM<' "$out/arena.svg" &&
		grep -q '>nothing to draw: there are no items<' "$out/arena.svg"
}
ok 'who draws an arena of nothing is told so' in_sram
ok 'a value of no input' said 'has no such input' $models/oww_alexa.onnx --device host \
	-i random:1 --value nothing=1
ok 'too few values' said '2 values for [1,16,96]' $models/oww_alexa.onnx --device host \
	--value onnx::Flatten_0=1,2
ok 'not values' said 'is not a list of numbers' $models/oww_alexa.onnx --device host \
	--value "onnx::Flatten_0=$(yes 1 | head -n 1535 | tr '\n' ,)one"
ok 'a shape that is open' said 'give --shape' $models/ppocr_cls.onnx --device host -i random:1
ok 'a state of another shape' said 'state "output=h": the output is f32 [1,1], the input f32 [2,1,64]' \
	$models/silero_vad.onnx --device host --dim batch=1 --shape input=1,512 --value sr=16000 \
	--state output=h -i input=random:1 -i h=random:2 -i c=random:3
ok 'a state of nothing' said 'state "cn=d": there is no such input' \
	$models/silero_vad.onnx --device host --dim batch=1 --shape input=1,512 --value sr=16000 \
	--state cn=d -i input=random:1 -i h=random:2 -i c=random:3
usage() {
	local status=0
	$loom run "$@" >"$out/usage" 2>&1 || status=$?
	[ $status = 2 ]
}
ok 'a state without an input' usage $models/oww_alexa.onnx --state output
ok 'frames on two devices' usage $models/oww_alexa.onnx --devices host,host --frames 2 -i random:1
ok 'no row of classes' said 'is not one row of classes' $models/blazeface.onnx --device host \
	-i random:1 --top 3
finish
