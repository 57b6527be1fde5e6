#!/bin/bash
# SPDX-License-Identifier: MIT
# What `make run` does once the packages are there: build, draw a line of type, plan the network for
# the width of it, boot the VM, run the program on the device node to read the line.
#
# TEXT is the line; MODEL and INPUT (and ARGS, more options of `loom run`) run something else instead.
# With MODEL or ARGS it is the VM that plans, for the device that it has, which takes ten times as long
# where its processor is emulated. DEVICE=pci: on loom-sim, a device on the bus of the VM, whose engine
# is not emulated; with a QEMU that is fetched for it.
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

case ${DEVICE:-soft} in
soft)	module=loom.ko
	node=soft
	vm=(tools/vm/run --timeout 600)
	guest=() ;;
pci)	module=loom_pci.ko
	node=/dev/accel/accel0
	vm=(tools/vm/run --no-module --pci '--chip soft' --timeout 1200)
	# shellcheck disable=SC2016 # the guest's
	guest=(bash -c 'for ko in loom loom_pci; do
			busybox insmod build/module/drivers/accel/loom/$ko.ko || exit
		done; exec "$@"' guest) ;;
*)	echo "run: DEVICE=soft or DEVICE=pci, not '$DEVICE'" >&2
	exit 2 ;;
esac

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
if [ "${DEVICE:-soft}" = pci ]; then
	say 'fetching a QEMU that takes the device'
	tools/vm/qemu.sh >build/run.log 2>&1 || { cat build/run.log >&2; exit 1; }
fi

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
	say "booting the VM: stock kernel, $module, $(basename "$model")"
	# shellcheck disable=SC2086
	exec "${vm[@]}" "${share[@]}" -- "${guest[@]}" build/loom run "$model" --device "$node" \
		$progress "${args[@]}"
fi

say 'fetching the model: PP-OCRv4 recognition'
tools/ci/models.sh ppocr_rec.onnx ppocr_keys.txt
build 'drawing the line of type: build/run.png' build/textline
build/textline build/run.png "$text"
if [ -z "${ARGS:-}" ]; then
	say 'planning the network: build/run.loom'
	# the SRAM that a node keeps for scratch, out of which a plan may run on any node
	build/loom compile build/models/ppocr_rec.onnx --chip soft --sram 192k \
		--input build/run.png --output build/run.loom >build/run.log
	grep -e ^start-up -e ^wrote build/run.log
	args=(build/run.loom)
else
	# shellcheck disable=SC2206 # words on purpose
	args=(build/models/ppocr_rec.onnx $ARGS)
fi
say "booting the VM: stock kernel, $module, the network on /dev/accel/accel0"
# shellcheck disable=SC2086
"${vm[@]}" -- "${guest[@]}" build/loom run "${args[@]}" --device "$node" $progress \
	--input build/run.png --labels build/models/ppocr_keys.txt | tee build/run.out

echo
echo "the picture says:  $text"
echo "the node read:     $(sed -n 's/^text: //p' build/run.out)"
