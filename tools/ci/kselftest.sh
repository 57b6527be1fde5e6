#!/bin/sh
# SPDX-License-Identifier: MIT
# Stage, build and run the kernel selftests.
#
#	tools/ci/kselftest.sh stage	build into build/kselftest/install
#	tools/ci/kselftest.sh run	and run it in the VM, on the device node
#	tools/ci/kselftest.sh nodev	and run it where there is no device: all must SKIP
#	tools/ci/kselftest.sh template	and run loom_template and loom_native, on the skeleton
#	tools/ci/kselftest.sh own	that, loom_own and loom_resets, with memory of its own, and a
#				native kernel of the library, whose result must be that of the host
#	tools/ci/kselftest.sh both	template with the stock runner, then own, in one VM
#	tools/ci/kselftest.sh guest TEST...	these, in the guest
#
# LOOM_SLEEP: tools/testing/sleep/loom_sleep.ko as built for that kernel, for these three.
# TESTS: tests that "run" runs instead of all. LOOM_EFFORT: percentage of the rounds of random and
# repeated tests; see loom_node.h.
#
# The stock runner starts Perl and twenty more programs for each test: in an emulated machine they
# take as long as the tests. "guest" prints the same lines without them.
#
# lib.mk finds its neighbours by relative paths, so our folder and the
# stock files are staged in one tree laid out like the kernel's.
set -eu

cd "$(dirname "$0")/../.."
top=$(pwd -P)
# lib.mk takes a make above it for the kernel's
unset MAKEFLAGS MFLAGS MAKELEVEL
tree=$top/build/kselftest/tree/tools/testing/selftests
out=$top/build/kselftest/out
install=$top/build/kselftest/install

stage() {
	new=$top/build/kselftest/new
	tools/ci/ksource.sh
	mkdir -p "$tree" "$out"
	exec 9>"$top/build/kselftest/.lock"
	flock 9
	rm -rf "$new"
	mkdir -p "$new/loom"
	rsync -rlptm build/ksource/tools/testing/selftests/ "$tree/"
	rsync -rlptm --delete selftests/ "$tree/loom/"
	# lib.mk does not know where the UAPI headers are
	for header in uapi/drm/*.h; do
		find "$out" -type f ! -newer "$header" -delete
	done
	make -s -C "$tree/loom" OUTPUT="$out" INSTALL_PATH="$new/loom" \
		KHDR_INCLUDES="-isystem $top/uapi $(pkg-config --cflags-only-I libdrm |
			sed 's/-I/-isystem /g')" install >&2
	cp "$tree/run_kselftest.sh" "$new/"
	rsync -rlptm "$tree/kselftest" "$new/"
	make -s -C "$tree/loom" OUTPUT="$out" COLLECTION=loom emit_tests >"$new/kselftest-list.txt"
	# unchanged files stay as they are: a VM may be running them
	rsync -rlpc --delete "$new/" "$install/"
	exec 9>&-
}

guest() {
	cd "$install/loom"
	number=0
	echo "1..$#"
	for test; do
		number=$((number + 1))
		echo "# selftests: loom: $test"
		{
			"./$test" 2>&1 && status=0 || status=$?
			echo $status >/tmp/status
		} | sed 's/^/# /'
		read -r status </tmp/status
		case $status in
		0)	echo "ok $number selftests: loom: $test" ;;
		4)	echo "ok $number selftests: loom: $test # SKIP" ;;
		*)	echo "not ok $number selftests: loom: $test # exit=$status" ;;
		esac
	done
}

# all but those that only say SKIP on a soft device: they are for devices of loom_template.ko, or on
# the bus
run() {
	: "${TESTS:=$(sed -En '/_(faults|fuzz|native|own|resets|rounds|template)$/!s/^loom://p' \
		"$install/kselftest-list.txt")}"
	# shellcheck disable=SC2086 # a list of words on purpose
	tools/vm/run --out "$install" --timeout 600 "$@" -- \
		/usr/bin/env LOOM_EFFORT="${LOOM_EFFORT:-100}" LOOM_STORM_DEVICES="${LOOM_STORM_DEVICES:-6}" \
		stdbuf -oL tools/ci/kselftest.sh guest $TESTS
}

case ${1:-} in
stage)
	stage ;;
run)
	stage
	shift
	run --log build/vm/kselftest.log "$@" ;;
guest)
	shift
	guest "$@" ;;
template|own|both)
	case $1 in
	template)	owns=0 ;;
	own)		owns=1 ;;
	both)		owns='0 1' ;;
	esac
	log=build/vm/kselftest-$1.log
	stage
	make -s build/examples/native_kernel build/loom >&2
	# not in the installed folder: staging deletes all files there that are not tests
	build/examples/native_kernel host | tail -n 1 >build/kselftest/native_kernel.txt
	shift
	# its folder is that of the module, wherever that is
	# shellcheck disable=SC2016
	tools/vm/run --out "$install" --timeout 600 --log "$log" "$@" -- \
		/usr/bin/env LOOM_EFFORT="${LOOM_EFFORT:-100}" stdbuf -oL sh -c '
			for own in $2; do
				[ ! -d /sys/module/loom_template ] || busybox rmmod loom_template &&
				busybox insmod "${LOOM_MODULE%/*}/loom_template.ko" own="$own" &&
				{ [ -z "$1" ] || busybox insmod "$1" device=loom-template; } || exit 1
				if [ "$own" = 0 ]; then
					"$3/run_kselftest.sh" -t loom:loom_template -t loom:loom_native
				else
					tools/ci/kselftest.sh guest loom_template loom_native loom_own loom_resets
				fi || exit 1
			done
			node=$(ls /sys/bus/platform/devices/loom-template/accel)
			[ "$own" = 0 ] || {
				build/examples/native_kernel "/dev/accel/$node" /tmp/native.loom |
					tail -n 1 | diff build/kselftest/native_kernel.txt - &&
				build/loom run /tmp/native.loom --device "/dev/accel/$node" --json \
					-i a=random:1 -i b=random:2 -i c=random:3 >/tmp/native.json &&
				grep -q "\"native_cycles\": 752" /tmp/native.json
			} || exit 1' sh "${LOOM_SLEEP:-}" "$owns" "$install" ;;
nodev)
	stage
	# without the runner, which takes ten times as long as they do
	# shellcheck disable=SC2016
	tools/vm/run --out "$install" --timeout 600 --no-module --log build/vm/kselftest-nodev.log -- \
		sh -c 'cd "$1/loom" || exit 1
			for program in $(sed s/^loom:// ../kselftest-list.txt); do
				"./$program"
				echo "$program ended with $?"
			done' sh "$install" >build/kselftest/nodev.log
	sed 's/^/# /' build/kselftest/nodev.log
	echo 1..1
	# A program either skips as a whole, with status 4, or prints SKIP for each of its results.
	if awk '/^(not )?ok / { inner++; if (!/# SKIP/) bad = 1 }
		/ ended with [0-9]+$/ { programs++; bad += $4 != 4 && ($4 || !inner); inner = 0 }
		END { exit bad || !programs }' build/kselftest/nodev.log; then
		echo 'ok 1 without a device every selftest skips'
	else
		echo 'not ok 1 without a device every selftest skips'
		exit 1
	fi ;;
*)
	echo "usage: $0 stage|run|nodev|template|own|both" >&2
	exit 2 ;;
esac
