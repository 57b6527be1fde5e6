#!/bin/bash
# SPDX-License-Identifier: MIT
# Build the driver as a part of a kernel tree: drivers/accel/loom, the UAPI header, and one line
# each in drivers/accel/Kconfig and Makefile. With W=1 (more warnings of the compiler, and
# kernel-doc), sparse, and KUnit tests; a warning is an error. TAP.
#
# The tree is that of the instrumented kernel (LOOM_KERNEL, see debug-kernel.sh), by hard links.
set -eu -o pipefail

cd "$(dirname "$0")/../.."
unset MAKEFLAGS MFLAGS MAKELEVEL
kernel=$(tools/vm/debug-kernel.sh)
tree=$PWD/build/intree/${LOOM_KERNEL:-6.12}
log=$tree.log

rm -rf "$tree"
mkdir -p "$tree"
cp -al "$kernel/source" "$tree/source"
cp -a "$kernel/build" "$tree/build"
rm -rf "$tree/source/drivers/accel/loom"
rsync -rlptm --exclude='*.mod.c' --include='*/' --include='*.[ch]' --include='Kbuild*' \
	--include=Kconfig --exclude='*' drivers/accel/loom "$tree/source/drivers/accel/"
cp uapi/drm/*.h "$tree/source/include/uapi/drm/"
# sed makes a new file, so the kernel that this is linked with keeps its own
# shellcheck disable=SC2016 # make's variable
sed -i '$a obj-$(CONFIG_DRM_ACCEL_LOOM) += loom/' "$tree/source/drivers/accel/Makefile"

"$tree/source/scripts/config" --file "$tree/build/.config" --module DRM_ACCEL_LOOM \
	--module DRM_ACCEL_LOOM_KUNIT_TEST
kbuild() {
	make -C "$tree/source" O="$tree/build" LOCALVERSION=-loom-debug "$@"
}
# builtins that sparse does not know, as in lint.sh
cf=
for builtin in fabs fabsf shuffle sqrt sqrtf; do
	cf="$cf -D__builtin_$builtin="
done
echo 1..2
status=0
kbuild olddefconfig prepare >"$log" 2>&1 || { tail -n 30 "$log"; exit 1; }
grep -q '^CONFIG_DRM_ACCEL_LOOM=m' "$tree/build/.config" || {
	echo "intree: the driver cannot be chosen" >&2
	exit 1
}
kbuild -j"$(nproc)" W=1 C=1 CF="$cf" drivers/accel/loom/ >"$log" 2>&1 || status=1
sed -n 's/^/# /p' "$log" | grep -E 'warning:|error:|Error ' || true
if [ $status = 0 ]; then echo "ok 1 builds in a kernel tree"; else
	echo "not ok 1 builds in a kernel tree"; fi
# sparse and gcc name the file that they warn about
if ! grep -qE 'loom.*(warning|error):' "$log"; then
	echo "ok 2 W=1, kernel-doc and sparse have nothing to say"
else
	status=1
	echo "not ok 2 W=1, kernel-doc and sparse have nothing to say"
fi
exit $status
