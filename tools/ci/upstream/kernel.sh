#!/bin/bash
# SPDX-License-Identifier: MIT
# Build the instrumented kernel with the changes to its core that Documentation/upstream proposes,
# if it is not there. Prints the folder, build/upstream-kernel/KEY, for tools/vm/run --kernel.
# Modules that were built against the kernel without the changes load into it: no type changes.
#
#	tools/ci/upstream/kernel.sh PATCH
set -eu -o pipefail

patch=$(realpath "$1")
cd "$(dirname "$0")/../../.."
top=$(pwd -P)
unset MAKEFLAGS MFLAGS MAKELEVEL
base=$(tools/vm/debug-kernel.sh)

key=$({
	stat -L -c '%s %Y' /usr/src/linux-source-6.12.tar.xz
	gcc -dumpfullversion -dumpversion
	ld --version | head -n 1
	cat "$base/config" "$patch" tools/ci/upstream/kernel.sh
} | sha256sum | cut -c 1-16)
dir=$top/build/upstream-kernel/$key

mkdir -p build/upstream-kernel
exec 9>build/upstream-kernel/.lock
flock 9
if [ -f "$dir/bzImage" ]; then
	echo "$dir"
	exit 0
fi

log=$top/build/upstream-kernel/build.log
echo "upstream-kernel: building the changed kernel, once (the log: $log)" >&2
: >"$log"
rm -rf "$dir"
mkdir -p "$dir/build"
# hard links: patch(1) writes a new file and leaves the old one alone
cp -al "$base/source" "$dir/source"
patch -s -p1 -d "$dir/source" <"$patch"
cp "$base/config" "$dir/build/.config"
build() {
	nice -n 10 make -C "$dir/source" O="$dir/build" LOCALVERSION=-loom-debug \
		KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_USER=loom KBUILD_BUILD_HOST=loom \
		"$@" >>"$log" 2>&1 || {
		tail -n 60 "$log" >&2
		echo "upstream-kernel: the build failed, see $log" >&2
		exit 1
	}
}
build olddefconfig
cmp -s "$base/config" "$dir/build/.config" || {
	echo "upstream-kernel: the configuration became another" >&2
	exit 1
}
build -j"$(nproc)" bzImage
cp "$dir/build/arch/x86/boot/bzImage" "$dir/.bzImage"
rm -rf "$dir/build" "$dir/source"
mv "$dir/.bzImage" "$dir/bzImage"

# remove kernels of other keys
find build/upstream-kernel -mindepth 1 -maxdepth 1 -type d ! -name "$key" -exec rm -rf {} +
echo "$dir"
