#!/bin/bash
# SPDX-License-Identifier: MIT
# Run the benchmarks and print their figures: those called vm_* in the VM, on the
# device node, the others here. Every one measures its own baseline in the same
# run; none passes or fails on a time.
#
#	tools/ci/bench.sh [NAME...]
#	tools/ci/bench.sh pci		devices on the bus, beside a soft one
#	tools/ci/bench.sh pci-pair	in the guest: one device on the bus and two
set -u

cd "$(dirname "$0")/../.." || exit 1
failed=0

modules=build/module/drivers/accel/loom
load="busybox insmod $modules/loom.ko && busybox insmod $modules/loom_pci.ko"

# The same batch on one device and on two, and through two stages. Jobs take as long as the chip's
# clock says, times the pace that the devices were started with.
pair() {
	local devices seconds one=
	for devices in 0 0,1 '0,1 --pipeline'; do
		echo "--devices $devices"
		# shellcheck disable=SC2086 # words
		build/loom run build/models/ppocr_rec.onnx --shape x=1,3,48,320 \
			--items 12 --repeat 2 --sram 192k --input build/bench/lines.bin \
			--output /tmp/text.bin --devices $devices |
			grep --line-buffered '^ran on\|^device\|^ *stage' | tee /tmp/ran
		cksum </tmp/text.bin
		seconds=$(sed -n 's/^ran on.* in \([0-9.]*\) s,.*/\1/p' /tmp/ran)
		one=${one:-$seconds}
		awk -v one="$one" -v this="$seconds" \
			'BEGIN { printf "%.2f times as fast as one\n", one / this }'
	done
}

bus() {
	local reason
	if ! reason=$(tools/vm/qemu.sh 2>&1 >/dev/null); then
		echo "${reason##*$'\n'}"
		return 0
	fi
	echo '== a device on the bus, accel0, and a soft one, accel1'
	tools/vm/run --no-module --timeout 600 --pci '--chip soft' \
		--log build/vm/bench.log -- sh -c "
		$load && busybox insmod $modules/loom_soft.ko && sleep 1
		for node in 0 1; do
			for bench in vm_submit vm_bus; do
				echo \"== \$bench, accel\$node\"
				LOOM_NODE=/dev/accel/accel\$node build/bench/\$bench || exit 1
			done
		done" || return
	# a job takes the processor a tenth of that time, so most of it is idle
	echo '== one device on the bus and two, at the pace of a slow chip'
	head -c $((12 * 3 * 48 * 320 * 4)) </dev/zero >build/bench/lines.bin
	tools/ci/pci/busy.sh tools/vm/run --no-module --timeout 900 \
		--pci '--chip soft --pace 800' --pci '--chip soft --pace 800' \
		--log build/vm/bench.log -- sh -c "
		$load && sleep 1 && exec tools/ci/bench.sh pci-pair"
}

case ${1:-} in
pci)
	bus
	exit ;;
pci-pair)
	pair
	exit ;;
esac

shopt -s nullglob
benches=("${@/#/build/bench/}")
if [ $# = 0 ]; then
	for source in tools/testing/bench/*.c; do
		benches+=("build/bench/$(basename "$source" .c)")
	done
fi

for bench in "${benches[@]}"; do
	name=${bench##*/}
	case $name in
	vm_*)
		echo "== $name (in the VM, on the device node)"
		tools/vm/run --timeout 600 --log build/vm/bench.log -- "$bench" || failed=1 ;;
	*)
		echo "== $name"
		"$bench" || failed=1 ;;
	esac
done
exit $failed
