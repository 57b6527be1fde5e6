#!/bin/bash
# SPDX-License-Identifier: MIT
# A device on the bus that breaks, lies, dies, is reset, pulled and put to sleep while two clients
# use it: on the instrumented kernel, behind an IOMMU. TAP; SKIP with the reason where there is no
# QEMU for it.
#
#	tools/ci/pci/faults.sh PART ROUNDS...
#
#	faults N	each fault of the model N times, in an order from a seed
#	resets N	of the function, and by the driver
#	pulls N		removed and plugged in, by the emulator, by the kernel, and by its death
#	sleeps N	suspended and resumed
#	fuzz N		it says anything, at any time, for N seconds
#
# resets, sleeps and fuzz share a boot: the model does not die there.
#
# LOOM_FAULTS_SEED: to repeat a run. `make module-debug tools` comes first.
#
# An abort of QEMU while the model dies is a fault of QEMU's that is known; the run is taken up
# again where it ended, and that is counted. Any other is a failure.
set -u

cd "$(dirname "$0")/../../.." || exit 1
modules=build/debug/module/drivers/accel/loom

# guest COMMAND...: each of these commands, in the VM
if [ "${1:-}" = guest ]; then
	status=0
	busybox insmod $modules/loom.ko && busybox insmod $modules/loom_pci.ko &&
		busybox insmod build/debug/sleep/loom_sleep.ko device=0000:01:00.0 || exit 1
	shift
	for command; do
		echo "== $command"
		sh -c "$command" || status=1
		# nothing is left of anybody
		build/loom info >/tmp/info && cat /tmp/info &&
			awk '/^(dram|sram) / && $NF { bad = 1 } END { exit bad }' /tmp/info || status=1
	done
	busybox rmmod loom_sleep && busybox rmmod loom_pci && busybox rmmod loom || status=1
	exit $status
fi

# shellcheck source=tools/testing/tap.sh
. tools/testing/tap.sh
out=build/pci
install=$PWD/build/kselftest/install
seed=${LOOM_FAULTS_SEED:-$(date +%s)}
mkdir -p $out
if ! reason=$(tools/vm/qemu.sh 2>&1 >/dev/null); then
	echo "ok 1 # SKIP ${reason##*$'\n'}"
	echo 1..1
	exit 0
fi
kernel=$(tools/vm/debug-kernel.sh) || exit 1
tools/ci/kselftest.sh stage

# its module is built for the kernel
mkdir -p build/debug/sleep
rsync -rlpt tools/testing/sleep/{Kbuild,*.c} build/debug/sleep/
make -C "$kernel/build" M="$PWD/build/debug/sleep" modules >build/debug/sleep.log 2>&1 || {
	cat build/debug/sleep.log
	exit 1
}

# in_vm LOG 'VARIABLE=VALUE... PROGRAM ARG...'...: QEMU's own complaints are many
in_vm() {
	local log=$1
	shift
	tools/vm/run --kernel "$kernel" --mem 2G --no-module --iommu \
		--pci '--chip tiny' --out "$install" --timeout 20000 \
		--log "$out/dmesg-$log.log" -- \
		env LOOM_EFFORT=20 "LOOM_FAULTS_SEED=$seed" \
		"PATH=$install/loom:/usr/sbin:/usr/bin:/sbin:/bin:/busybox" \
		tools/ci/pci/faults.sh guest "$@" \
		>"$out/$log.log" 2> >(grep -v '^qemu-system' >"$out/$log.err")
}

# Whether QEMU has aborted while the model died, and the kernel was well until then.
known_abort() {
	grep -q 'QEMU ended with status 134' "$out/$1.err" &&
		grep '^# round' "$out/$1.log" | tail -n 1 | grep -q death &&
		tools/vm/dmesg-check "$out/dmesg-$1.log" | grep -q 'did not reach its end'
}

faults() {
	local from=0 part=0 aborts=0 status=0
	while :; do
		in_vm "faults-$part" "LOOM_FAULTS_ROUNDS=$1 LOOM_FAULTS_FROM=$from loom_faults"
		status=$?
		[ $status != 0 ] && known_abort "faults-$part" || break
		from=$(grep '^# round' "$out/faults-$part.log" | tail -n 1 | awk '{ print $3 }')
		aborts=$((aborts + 1))
		part=$((part + 1))
	done
	grep -h '^#' $out/faults-*.log | grep -v '^# round'
	echo "# QEMU has aborted $aborts times"
	ok $status "each fault $1 times, seed $seed" || cat "$out/faults-$part.err"
}

# together NAME 'COMMAND'...: in one boot
together() {
	in_vm "$@"
	local status=$? log=$out/$1
	shift
	grep '^#' "$log.log" | grep -v '^# round'
	ok $status "$*, seed $seed" || cat "$log.err"
}

# parts in which the model does not die
alive=()
while [ $# -gt 1 ]; do
	case $1 in
	faults)	rm -f $out/faults-*
		faults "$2" ;;
	pulls)	together pulls "LOOM_ROUNDS=$2 loom_rounds -t pulls" ;;
	resets|sleeps)
		alive+=("LOOM_ROUNDS=$2 loom_rounds -t $1") ;;
	fuzz)	alive+=("LOOM_FUZZ_SECONDS=$2 loom_fuzz") ;;
	*)	break ;;
	esac
	shift 2
done
[ $# = 0 ] || {
	echo "usage: $0 [faults|resets|pulls|sleeps|fuzz N]..." >&2
	exit 2
}
[ ${#alive[@]} = 0 ] || together alive "${alive[@]}"
finish
