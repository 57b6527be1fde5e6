#!/bin/bash
# SPDX-License-Identifier: MIT
# The faults of the kernel's core that Documentation/upstream proposes to mend. The semantic patches
# apply to every kernel source at hand; then, on the instrumented kernel and with a module without
# its filter, each fault is there without them, in a VM of its own, and gone with them. TAP.
#
#	tools/ci/upstream/faults.sh [apply]
set -u

cd "$(dirname "$0")/../../.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
out=$PWD/build/upstream
tests=tools/testing/upstream
stock=/usr/src/linux-source-6.12.tar.xz
mkdir -p "$out"
. tools/testing/tap.sh

newer=$(tools/ci/backports.sh 2>"$out/backports.log")
ok $? "there is a newer source: $(basename "$newer")"
for tarball in $stock $newer; do
	name=$(basename "$tarball" .tar.xz)
	tools/ci/upstream/patch.sh "$tarball" >"$out/$name.patch"
	ok $? "the semantic patches apply to $name: $(grep -cE '^[-+][^-+]' "$out/$name.patch") lines"
done
if [ "${1:-}" = apply ] || [ $tap_failed = 1 ]; then
	finish
fi

# built DIR COMMAND...: or the log, and the end
built() {
	"$@" >"$out/build.log" 2>&1 || {
		sed 's/^/# /' "$out/build.log"
		ok 1 "what the tests need is built"
		finish
	}
}
kernel=$(tools/vm/debug-kernel.sh) || exit 1
changed=$(tools/ci/upstream/kernel.sh "$out/linux-source-6.12.patch") || exit 1

# the module, with its filter taken out
mkdir -p "$out/module"
rsync -rlptm --delete --exclude=loom_drv.c --exclude='*.mod.c' --include='*/' \
	--include='*.[ch]' --include='Kbuild*' --exclude='*' Kbuild drivers uapi "$out/module/"
node=drivers/accel/loom/loom_drv.c
cp $node "$out/loom_drv.c"
built spatch --very-quiet --in-place --sp-file $tests/loom-no-filter.cocci "$out/loom_drv.c"
cmp -s "$out/loom_drv.c" "$out/module/$node" || cp "$out/loom_drv.c" "$out/module/$node"
! grep -q 'loom_drv_check(.*?:' "$out/module/$node"
ok $? "the filter is out of the module"
built make -C "$kernel/build" "M=$out/module" CONFIG_DRM_ACCEL_LOOM=m CONFIG_DRM_ACCEL_LOOM_SOFT=m -j2 modules
rsync -rlpt $tests/Kbuild $tests/sched_kill.c "$out/"
built make -C "$kernel/build" "M=$out" modules
# shellcheck disable=SC2046 # a list of words
built gcc -O2 -Wall -Wextra -Werror $(pkg-config --cflags libdrm) -o "$out/core_ioctls" \
	$tests/core_ioctls.c
ko=$out/module/drivers/accel/loom/loom.ko

# fault NAME COMMAND PATTERN...: the run must not pass, and its log must have each pattern
fault() {
	local name=$1 command=$2 log=$out/dmesg-$1.log status=0 pattern found=0
	shift 2
	tools/vm/run --kernel "$kernel" --module "$ko" --timeout 900 --append kasan_multi_shot \
		--log "$log" -- sh -c "$command" >"$out/$name.out" 2>&1 || status=$?
	for pattern; do
		grep -qE "$pattern" "$log" || found=1
	done
	[ $status = 126 ] && [ $found = 0 ]
	ok $? "without the patch $name: $*"
}
# by a client without privileges
client="chmod 666 /dev/accel/accel0; $out/core_ioctls"
fault get-magic "$client get-magic 65534" Oops 'drm_getmagic\+0x'
fault get-unique "$client get-unique 65534" Oops 'drm_getunique\+0x'
fault syncobj-count "$client syncobj-count 65534" 'WARNING: .*page_alloc' drm_syncobj_array_find
fault sched-stopped-entity "busybox insmod $out/sched_kill.ko" \
	'after its end the entity is queued' 'KASAN: slab-use-after-free in'

status=0
tools/vm/run --kernel "$changed" --module "$ko" --timeout 900 --log "$out/dmesg-changed.log" -- \
	$tests/guest.sh "$out" >"$out/changed.tap" 2>"$out/changed.err" || status=$?
while read -r line; do
	case $line in
	'ok '*)		ok 0 "with the patches ${line#ok * }" ;;
	'not ok '*)	ok 1 "with the patches ${line#not ok * }" ;;
	esac
done <"$out/changed.tap"
[ $status = 0 ] && grep -q '^1\.\.' "$out/changed.tap"
ok $? "with the patches the run passes, and its log is clean"
[ $status = 0 ] || sed 's/^/# /' "$out/changed.err"
finish
