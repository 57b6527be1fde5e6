# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the end-to-end tests: TAP, and the models with their inputs.
#
# A test starts in the top of the tree. Its files are in $out, build/e2e-out/NAME.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit 1

# LOOM_UNDER: command that our programs run under, as "qemu-x86_64 -cpu max"
under=${LOOM_UNDER:-}
# the tool with the judge in it: see judge.c
loom="$under build/e2e/loom"
loom=${loom# }
models=build/models
# each test plans by itself: no programs can be kept where a file is. 21-program-host.sh has a cache
export XDG_CACHE_HOME=$PWD/build/e2e-out/no-cache
mkdir -p "$XDG_CACHE_HOME" && : >"$XDG_CACHE_HOME/loom"
out=build/e2e-out/$(basename "$0" .sh)
tap_count=0
tap_failed=0

# ok NAME COMMAND...: passes if COMMAND does; shows the output of COMMAND if it fails
ok() {
	local name=$1 log
	shift
	tap_count=$((tap_count + 1))
	if log=$("$@" 2>&1); then
		echo "ok $tap_count - $name"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $name"
	printf '%s\n' "$log" | sed 's/^/# /' | tail -n 20
	return 1
}

# skip WHY: instead of a test
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $*"
}

note() {
	echo "# $*"
}

# refusal STATUS TEXT COMMAND...: it ends with that status and one line with that text, and prints
# nothing else
refusal() {
	local want=$1 text=$2 status=0
	shift 2
	"$@" >"$out/stdout" 2>"$out/stderr" || status=$?
	cat "$out/stdout" "$out/stderr"
	[ $status = "$want" ] && [ ! -s "$out/stdout" ] && [ "$(wc -l <"$out/stderr")" = 1 ] &&
	grep -qF -- "$text" "$out/stderr" && ! LC_ALL=C grep -q '[[:cntrl:]]' "$out/stderr"
}

# prints STATUS TEXT COMMAND...: it ends with that status, and this is all that it prints
prints() {
	local want=$1 text=$2 said status=0
	shift 2
	said=$("$@" 2>&1) || status=$?
	printf '%s\n' "$said"
	[ $status = "$want" ] && [ "$said" = "$text" ]
}

# adopt FILE [PREFIX]: tests of another program become some of this one
adopt() {
	local line prefix=${2:-}
	while IFS= read -r line; do
		case $line in
		'ok '*)		ok "$prefix${line#ok *- }" true ;;
		'not ok '*)	ok "$prefix${line#not ok *- }" false ;;
		1..*)		;;
		*)		printf '%s\n' "$line" ;;
		esac
	done <"$1"
}

finish() {
	echo "1..$tap_count"
	[ $tap_failed = 0 ] && [ $tap_count != 0 ]
	exit
}

fresh_out() {
	rm -rf "$out"
	mkdir -p "$out"
}

# The inputs of the networks, in $pictures; the same on every machine. The line is one on
# which recognition is well-conditioned: of ten lines tried, its attention amplifies the rounding of
# the layers before it a hundredfold on one ("Loom reads", off by 2e-4 whatever the order of
# sums), and comparing floats is no use there.
# Two tests that run at the same time may both draw them: so under another name, then renamed.
pictures=build/e2e-out/pictures
make_pictures() {
	local p=build/e2e/pictures d
	[ -x build/textline ] || make -s build/textline || return 1
	mkdir -p build/e2e-out
	(
		flock 9
		if [ $pictures/done -nt $p ] && [ $pictures/done -nt build/textline ] &&
		   [ $pictures/done -nt "${BASH_SOURCE[0]}" ]; then
			exit 0
		fi
		d=$(mktemp -d build/e2e-out/.pictures.XXXXXX) && draw_pictures $p "$d" &&
		: >"$d/done" && chmod 755 "$d" && rm -rf $pictures && mv "$d" $pictures
	) 9>build/e2e-out/.pictures.lock
}

# draw_pictures PROGRAM DIR
draw_pictures() {
	local p=$1 d=$2
	$p face "$d/face.ppm" 256 &&
	$p room "$d/room.ppm" 320 &&
	build/textline -h 48 "$d/line.png" 'Loom 42' &&
	$p turn "$d/turned.ppm" "$d/line.png" &&
	build/textline -h 34 "$d/page1.png" 'Invoice 2024-117' &&
	build/textline -h 28 "$d/page2.png" 'Total 38.50 EUR' &&
	$p page "$d/page.ppm" 256 96 "$d/page1.png" "$d/page2.png" &&
	$p speech "$d/alexa.npy" 1 1 16 96 &&
	$p speech "$d/hey_mycroft.npy" 2 1 16 96 &&
	$p speech "$d/weather.npy" 3 1 22 96 &&
	$p speech "$d/embedding.npy" 4 2 76 32 1 &&
	$p speech "$d/mel.npy" 5 1 1760 &&
	$p voice "$d/voice.1000.npy" 1000 512 &&
	$p voice "$d/voice.200.npy" 200 512
}

# The nine models, and the arguments of `loom run` for each.
all_models="rec det cls blazeface mlsd alexa weather hey_mycroft embedding"

# The tenth takes no picture; it is run in groups, too.
group_models="$all_models mel"

# of the detector of voices
frames=1000

model_file() {
	case $1 in
	rec|det|cls)	echo $models/ppocr_"$1".onnx ;;
	blazeface)	echo $models/blazeface.onnx ;;
	mlsd)		echo $models/mlsd_tiny.onnx ;;
	mel)		echo $models/melspectrogram.onnx ;;
	voice)		echo $models/silero_vad.onnx ;;
	*)		echo $models/oww_"$1".onnx ;;
	esac
}

# Options that `loom compile` takes, too; the sizes of the inputs must be added there.
plan_args() {
	case $1 in
	cls)		echo --shape x=1,3,48,192 ;;
	# a detector of voices, whose state stays on the device from frame to frame
	voice)		echo --dim batch=1 --value sr=16000 --state hn=h --state cn=c ;;
	esac
}

input_args() {
	case $1 in
	rec)		echo --input $pictures/line.png ;;
	# normalised as by its authors
	det)		echo --input $pictures/page.ppm --mean .485,.456,.406 --std .229,.224,.225 ;;
	cls)		echo --input $pictures/turned.ppm ;;
	blazeface)	echo --input $pictures/face.ppm ;;
	# plain pixels, and a fourth channel of ones
	mlsd)		echo --input $pictures/room.ppm --scale 1 --mean 0 --std 1,1,1,255 ;;
	voice)		echo --frames $frames --input "input=$pictures/voice.$frames.npy" ;;
	*)		echo --input "$pictures/$1.npy" ;;
	esac
}

model_args() {
	plan_args "$1"
	input_args "$1"
}

# Models whose intermediates are compared, too. Not M-LSD: it asks with Equal whether a score is the
# largest around it, and of two that are equal but for rounding either may be.
deep_models="rec det blazeface embedding"

# SRAM of plans on the node: the floor of its banks. Runs on the host must name it where both make
# the same plan.
node_sram=192k

# Models that run with their intermediates in images, on the node, too.
image_models="rec cls blazeface"

# Networks that run in groups on the node, and the SRAM per lane. The VM is slow, and it plans, too:
# tools/ci/check-models.sh node runs all of them in all three sizes.
node_groups="alexa:4k alexa:16k alexa:64k weather:4k weather:16k weather:64k
	hey_mycroft:4k hey_mycroft:16k hey_mycroft:64k embedding:4k embedding:64k
	blazeface:16k blazeface:64k mel:4k mel:16k mel:64k cls:16k"

# model_run_group NAME:SRAM DEVICE DIR [ARG...]
model_run_group() {
	model_run "${1%:*}" "$2" "$3" --grouping layergroup --sram "${1#*:}" "${@:4}"
}

# The effort of plans of model_run and compile_like, unless arguments name another. A test that is not
# about the planner sets 1: plans by default take three times as long as these.
effort=2

# model_run NAME DEVICE DIR [ARG...]: the outputs go to DIR, the inputs to DIR/in, the summary to
# DIR/run.json
model_run() {
	local name=$1 device=$2 dir=$3
	shift 3
	mkdir -p "$dir"
	# shellcheck disable=SC2046 # lists of words
	$loom run "$(model_file "$name")" $(model_args "$name") --device "$device" --json --effort $effort \
		--save-inputs "$dir/in" --save-outputs "$dir" "$@" >"$dir/run.json"
}

# compile_like NAME RUN FILE [ARG...]: the model as a program, for the sizes that a run of it had
compile_like() {
	local name=$1 run=$2 file=$3
	local -a shapes
	shift 3
	mapfile -t shapes < <(python3 - "$run" <<-'EOF'
		import json, sys
		for value in json.load(open(sys.argv[1]))["inputs"]:
		    print("--shape", value["name"] + "=" + ",".join(map(str, value["dims"])), sep="\n")
	EOF
	)
	# shellcheck disable=SC2046 # lists of words
	$loom compile "$(model_file "$name")" $(plan_args "$name") "${shapes[@]}" --effort $effort \
		-o "$file" "$@"
}

# program_run NAME FILE DEVICE DIR: as model_run
program_run() {
	mkdir -p "$4"
	# shellcheck disable=SC2046 # lists of words
	$loom run "$2" $(input_args "$1") --device "$3" --json --save-inputs "$4/in" \
		--save-outputs "$4" >"$4/run.json"
}

# figures REPORT...: promised and counted figures, without the lower bounds of all plans
figures() {
	cat "$@" | sed '/"least": {/,/}/d'
}

# model_run_deep NAME DEVICE DIR [ARG...]: every tensor of the model, under the model's names
model_run_deep() {
	model_run "$@" --keep-all --observe-all "$3"
}

# oracle NAME DIR WANT [--all]: runs ONNX Runtime on the very inputs of the run
oracle() {
	local name=$1 dir=$2 want=$3 file
	local -a feeds=()
	shift 3
	for file in "$dir"/in/*.npy; do
		feeds+=("$(basename "$file" .npy | tr % /)=$file")
	done
	node tools/testing/ort/ref.js "$(model_file "$name")" "$want" "$@" "${feeds[@]}"
}

# compare NAME: all outputs on the host against those of ONNX Runtime
compare() {
	local name=$1
	model_run "$name" host "$out/$name" || return 1
	oracle "$name" "$out/$name" "$out/$name.ort" || return 1
	build/e2e/npy_compare --dirs "$out/$name" "$out/$name.ort" || return 1
	# one output more or less would go unseen
	[ "$(find "$out/$name" -maxdepth 1 -name '*.npy' | wc -l)" = \
	  "$(find "$out/$name.ort" -name '*.npy' | wc -l)" ]
}

# same_bits A B: the same .npy files in two folders, identical
same_bits() {
	local file count=0
	for file in "$1"/*.npy; do
		cmp "$file" "$2/$(basename "$file")" || return 1
		count=$((count + 1))
	done
	[ "$count" = "$(find "$2" -maxdepth 1 -name '*.npy' | wc -l)" ] && [ $count -gt 0 ]
}

# decode_run DEVICE DIR: a small decoder transformer writes 200 tokens, its keys and values stay on
# the device. One program reads three tokens at once, the other one a token; they share weights and states.
decode_run() {
	local tokens state states=()
	for state in key_0 value_0 key_1 value_1; do
		states+=(--state "present_$state=past_$state")
	done
	mkdir -p "$2"
	python3 tools/llm/gpt_model.py "$2/gpt.onnx" || return
	for tokens in 3 1; do
		$loom compile "$2/gpt.onnx" --dim "tokens=$tokens" --chip soft --sram 192k \
			--grouping layerwise "${states[@]}" --output "$2/gpt-$tokens.loom" >/dev/null || return
	done
	$loom join "$2/gpt-3.loom" "$2/gpt-1.loom" --output "$2/gpt.loom" >/dev/null &&
	$under build/llm/write "$2/gpt.loom" "$1" 200 --tokens 1 2 3 >"$2/tokens" 2>"$2/figures" ||
	cat "$2/figures"
	# token, position and rows of two layers, of three tokens in the first run; logits; keys and values
	grep -q ': 1050 bytes in, 384 out; stayed on the device: 262144$' "$2/figures"
}

# json_number FILE KEY: the last number of that name
json_number() {
	sed -n "s/^ *\"$2\": \([0-9.e+-]*\),*$/\1/p" "$1" | tail -n 1
}
