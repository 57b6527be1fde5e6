#!/bin/bash
# SPDX-License-Identifier: MIT
# What `make run` does once the packages are there: build, draw a line of type,
# boot the VM, run the network on the device node to read the line.
#
# TEXT is the line; MODEL and INPUT (and ARGS, more options of `loom run`) run
# something else instead.
set -eu -o pipefail

cd "$(dirname "$0")/../.."
text=${TEXT:-Loom reads this line}
jobs=-j$(nproc)

say() {
	printf '\033[1m%s\033[0m\n' "* $*"
}
[ -t 1 ] || say() { echo "* $*"; }
# the tool in the VM cannot see whether stderr is a terminal here
progress=
[ ! -t 2 ] || progress=--progress

build() {	# STAGE TARGET...
	say "$1"
	shift
	make -s "$jobs" "$@" >build/run.log 2>&1 || {
		tail -n 40 build/run.log >&2
		echo "run: the build failed" >&2
		exit 1
	}
}

mkdir -p build
build 'building library, tool and module' tools module

if [ -n "${MODEL:-}" ]; then
	[ -n "${INPUT:-}" ] || { echo 'run: MODEL=path needs INPUT=path' >&2; exit 2; }
	model=$(realpath "$MODEL")
	share=(--share "$model")
	args=()
	for input in $INPUT; do
		# NAME=FILE or FILE
		file=$(realpath "${input#*=}")
		share+=(--share "$file")
		case $input in
		*=*)	args+=(--input "${input%%=*}=$file") ;;
		*)	args+=(--input "$file") ;;
		esac
	done
	# shellcheck disable=SC2206 # words on purpose
	args+=(${ARGS:-})
	say "booting the VM: stock kernel, loom.ko, $(basename "$model")"
	# shellcheck disable=SC2086
	exec tools/vm/run --timeout 600 "${share[@]}" -- build/loom run "$model" --device soft $progress "${args[@]}"
fi

say 'fetching the model: PP-OCRv4 recognition'
tools/ci/models.sh ppocr_rec.onnx ppocr_keys.txt
build 'drawing the line of type: build/run.png' build/textline
build/textline build/run.png "$text"
say 'booting the VM: stock kernel, loom.ko, the network on /dev/accel/accel0'
# shellcheck disable=SC2086
tools/vm/run --timeout 600 -- build/loom run build/models/ppocr_rec.onnx \
	--device soft $progress --input build/run.png --labels build/models/ppocr_keys.txt ${ARGS:-} | tee build/run.out

echo
echo "the picture says:  $text"
echo "the node read:     $(sed -n 's/^text: //p' build/run.out)"
