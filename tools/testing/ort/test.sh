#!/bin/bash
# SPDX-License-Identifier: MIT
# The execution provider in ONNX Runtime, beside ONNX Runtime's own: outputs, what is claimed, programs
# in models, threads. Without the headers (make ep says why) all of it is skipped.
#
#	tools/testing/ort/test.sh		on the host device
#	tools/testing/ort/test.sh node		three models on the node of the machine that it runs on
#	tools/testing/ort/test.sh bus		the same, on a device that ONNX Runtime finds by itself
#	tools/testing/ort/test.sh asan		threads and programs on the host device, with sanitizers
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"

host=build/ort-tests/host
make=build/ort-tests/make
ep=build/ort-tests/libloom_ep.so
ort=$(echo "$PWD"/build/ort/node_modules/onnxruntime-node/bin/*/linux/x64/libonnxruntime.so.1)

if [ ! -x $host ] || [ ! -e $ep ]; then
	echo "1..0 # SKIP $(tail -n 1 build/ort-headers.log 2>/dev/null || echo 'make ep-tests was not run')"
	exit 0
fi
if [ ! -e "$ort" ]; then
	echo '1..0 # SKIP there is no ONNX Runtime for this machine'
	exit 0
fi

ep_run() {	# COMMAND [ARGUMENT...]
	$host "$ort" "$PWD/$ep" "$@"
}

# Under AddressSanitizer. ONNX Runtime itself leaks a few bytes; ours are those that the provider has
# allocated, which may be unloaded by then.
ep_asan() {
	local log
	log=$(build/asan/ort-tests/host "$ort" "$PWD/build/asan/libloom_ep.so" "$@" 2>&1)
	echo "$log"
	grep -q '^good$' <<<"$log" &&
		! grep -qE 'ERROR: AddressSanitizer|runtime error|libloom_ep|unknown module|userlib/' <<<"$log"
}

# not COMMAND...: it fails
not() {
	! "$@"
}

# says PATTERN COMMAND...: it passes, and prints that
says() {
	local pattern=$1 log
	shift
	log=$("$@" 2>&1) || { echo "$log"; return 1; }
	echo "$log"
	grep -q -- "$pattern" <<<"$log"
}

# Open dimensions are those that the networks are used with, but for smaller pictures.
model() {	# NAME
	case $1 in
	ppocr_rec)	echo shape=x:1,3,48,96 ;;
	ppocr_det)	echo shape=x:1,3,64,64 ;;
	ppocr_cls)	echo shape=x:1,3,48,192 ;;
	melspectrogram)	echo shape=input:1,1280 ;;
	# its state has dimensions without names
	silero_vad)	echo shape=input:1,512 dims=input:1=512 ;;
	# which of its numbers are the largest around them: with these before that, see with_output
	mlsd_tiny)	echo "scale=100 peaks=scores,$mlsd_before" ;;
	esac
}

mlsd_before=WireFrameModel_with_alpha/Decoder/Sigmoid_4:0
# with_output TENSOR MODEL: one output more, of floats. Protobuf merges a message that comes twice:
# graph { output { name, type { tensor_type { elem_type } } } }
with_output() {
	local byte='\\x%02x' length=${#1}
	cat "$2"
	# shellcheck disable=SC2059 # the format is made
	printf "$(printf "\\x3a$byte\\x62$byte\\x0a$byte" $((length + 10)) $((length + 8)) "$length")%s" "$1"
	printf '\x12\x04\x0a\x02\x08\x01'
}

# the program in context1.onnx becomes unsafe, with sums that are right
forged() {
	cp "$out/context1.onnx" "$out/forged.onnx" && $make tensor "$out/forged.onnx"
}

case ${1:-} in
node|bus)
	[ "$1" = bus ] && how=found || how=made
	ok "the node is the device, $how" says \
		"LoomExecutionProvider Loom type 2 .* $how /dev/accel/accel0\$" ep_run devices
	for name in oww_alexa oww_weather oww_hey_mycroft; do
		ok "$name on the node" says '^nodes \([0-9]*\) of \1, parts 1,' \
			ep_run compare $models/$name.onnx
	done
	finish ;;
asan)
	out=$out-asan
	mixed=$out/mixed.onnx
	fresh_out
	ok 'a model with an operator that Loom has not' $make mixed $models/oww_hey_mycroft.onnx "$mixed" 10
	ok 'AddressSanitizer: 4 threads, 2 sessions' ep_asan threads "$mixed"
	ok 'AddressSanitizer: registered, run and unregistered, three times' ep_asan reload "$mixed"
	ok 'AddressSanitizer: programs are written' ep_asan context "$mixed" "$out/asan.onnx"
	ok 'AddressSanitizer: and loaded by 4 threads' ep_asan threads "$out/asan.onnx" \
		reference="$mixed"
	ok 'a model with a program inside' ep_run context "$mixed" "$out/context1.onnx" \
		ep.context_embed_mode=1
	ok 'the program is unsafe' forged
	ok 'AddressSanitizer: it is refused' says 'refused by rule' ep_asan refuse "$out/forged.onnx"
	finish ;;
esac

fresh_out
ok 'without a node this process is the device' says 'LoomExecutionProvider Loom type 2 .* host$' \
	ep_run devices
with_output $mlsd_before $models/mlsd_tiny.onnx >"$out/mlsd_tiny.onnx"
for name in ppocr_rec ppocr_det ppocr_cls blazeface mlsd_tiny oww_alexa oww_weather oww_hey_mycroft \
	oww_embedding silero_vad hey_jarvis melspectrogram; do
	file=$out/$name.onnx
	[ -e "$file" ] || file=$models/$name.onnx
	# shellcheck disable=SC2046 # words
	ok "$name: whole, as ONNX Runtime to 1e-4" says '^nodes \([0-9]*\) of \1, parts 1,' \
		ep_run compare "$file" effort_ms=50 $(model $name)
done

# The eleventh node of a chain of 25: the nodes before and those behind are a part each.
mixed=$out/mixed.onnx
ok 'a model with an operator that Loom has not' $make mixed $models/oww_hey_mycroft.onnx "$mixed" 10
ok 'it runs mixed, in two parts' says '^nodes 25 of 26, parts 2,' ep_run compare "$mixed"
ok 'with other options, too' says '^nodes 25 of 26, parts 2,' ep_run compare "$mixed" \
	objective=bytes chip=tiny sram=8192 effort_ms=20 device=host sessions=1
ok 'what the importer refuses is found and left out' says '^nodes 1 of [0-9]*, parts 1,' ep_run compare \
	$models/silero_vad.onnx shape=input:1,512
ok 'an axis that is none names nothing' says '^nodes 1 of [0-9]*, parts 1,' ep_run compare \
	$models/silero_vad.onnx shape=input:1,512 dims=input:1x=512
ok 'branches by themselves, where their node stays' says '^nodes 99 of 238, parts 41,' ep_run compare \
	$models/silero_vad.onnx shape=input:1,512 dims=input:1=512 branches=1
printf 'name: few\nextends: soft\noperations: {except: [matmul, conv, deconv, reduce, pool]}\n' >"$out/few.yaml"
ok 'what the chip cannot do, too' says '^nodes 22 of 25, parts 4,' ep_run compare \
	$models/oww_hey_mycroft.onnx chip="$out/few.yaml"
ok 'shapes come and go' says '^nodes 65 of 65, parts 1,' ep_run compare $models/oww_embedding.onnx \
	runs=5 plans=2 effort_ms=20 shape=input_1:{1,2,3,1,3},76,32,1

# the second session finds what the first one has planned, a third does not look
cached() {
	local XDG_CACHE_HOME="$PWD/$out/cache" i
	export XDG_CACHE_HOME
	mkdir -p "$XDG_CACHE_HOME"
	for i in 1 2; do
		ep_run compare $models/oww_hey_mycroft.onnx || return
		[ "$(find "$XDG_CACHE_HOME/loom" -name '*.loom' | wc -l)" = 1 ] || return
	done
	rm -r "$XDG_CACHE_HOME/loom"
	ep_run compare $models/oww_hey_mycroft.onnx cache=0 && [ ! -e "$XDG_CACHE_HOME/loom" ]
}
ok 'programs are kept in the cache of the user' cached

ok 'two sessions on half of the lanes each: bits of one on all of them' \
	says '^4 workers, 2 sessions, apart 0' \
	ep_run threads $models/blazeface.onnx lanes=8 sessions=1 effort=0

parts=$out/parts.onnx
ok 'a model of open shapes with two such operators' $make mixed $models/oww_embedding.onnx "$parts" 10 30
ok 'shapes come and go in three parts, one between the others' says '^nodes 65 of 67, parts 3,' \
	ep_run compare "$parts" runs=4 plans=2 effort_ms=20 shape=input_1:{1,2,1},76,32,1
ok 'a batch of none in between' says '^nodes 65 of 67, parts 3,' ep_run compare "$parts" \
	runs=2 plans=2 effort_ms=20 shape=input_1:{1,0,1},76,32,1
ok 'a value that is said is taken for granted' says '^nodes 2 of 2, parts 1,' ep_run compare \
	$models/silero_vad.onnx shape=input:1,512 dims=input:1=512 values=sr=16000
ok 'and is looked at in each run' says 'input "sr": 16000, but option values says 8000' not ep_run compare \
	$models/silero_vad.onnx shape=input:1,512 dims=input:1=512 values=sr=8000

refused() {	# PATTERN ARGUMENT...
	local pattern=$1
	shift
	says "refused: .*$pattern" ep_run refuse "$@"
}
ok 'an objective that is none' refused 'option objective: time, bytes or sram, not "fast"' "$mixed" \
	objective=fast
ok 'branches that are no number' refused 'option branches: "2" is no number up to 1' "$mixed" branches=2
ok 'branches and programs' refused 'option branches: programs are not written' "$mixed" branches=1 \
	ep.context_enable=1
ok 'values and programs' refused 'option values: programs are not written' "$mixed" values=sr=1 \
	ep.context_enable=1
ok 'values that are none' refused 'option values: NAME=NUMBER,... is expected, not "sr"' "$mixed" values=sr
ok 'an option that is none' refused 'there is no option speed' "$mixed" speed=1
ok 'more lanes than there are' refused 'option lanes: 17, and host has 16 lanes' "$mixed" lanes=17
ok 'more SRAM than there is' refused 'SRAM' "$mixed" sram=100000000
ok 'a device that is none' refused '/dev/accel/none' "$mixed" device=/dev/accel/none

# Programs in models and beside them, each in a process of its own.
for embed in 0 1; do
	new=$out/context$embed.onnx
	ok "a model with programs, embedded: $embed" ep_run context "$mixed" "$new" \
		ep.context_embed_mode=$embed
	ok "embedded: $embed: loaded by another process, run, equal" says '^nodes 2 of 3, parts 2,' \
		ep_run loaded "$mixed" "$new"
done
tampered() {	# CHANGE PATTERN: of the second program; another model runs in the same process
	cp "$out/context0_1.loom" "$out/whole" &&
	$make "$1" "$out/context0_1.loom" &&
	refused "context0_1.loom: $2" "$out/context0.onnx" alive="$mixed"
	local status=$?
	mv "$out/whole" "$out/context0_1.loom"
	return $status
}
ok 'a program with a bit flipped is refused by its checksum, and ONNX Runtime goes on' \
	tampered flip 'damaged: the checksum'
ok 'with sums made right, an unsafe plan is refused by the verifier, and ONNX Runtime goes on' \
	tampered unsafe 'the plan was refused by rule'
ok 'the same inside of a model' forged
ok 'is refused by the verifier' refused 'the plan was refused by rule' "$out/forged.onnx" alive="$mixed"
ok 'open dimensions make no program' says 'refused: .*dimensions of .* are open' \
	not ep_run context $models/oww_embedding.onnx "$out/open.onnx"

profile() {
	local file
	file=$(ep_run compare "$mixed" profile="$out/profile" | sed -n 's/^profile //p')
	python3 - "$file" <<-'END'
		import json, sys
		events = [e["args"] for e in json.load(open(sys.argv[1])) if "dram_read_bytes" in e["args"]]
		assert len(events) == 2, events
		assert all(int(e["cycles"]) > 0 and int(e["macs"]) > 0 for e in events), events
	END
}
ok 'cycles and bytes of both parts are in the profile' profile
finish
