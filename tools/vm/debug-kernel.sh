#!/bin/bash
# SPDX-License-Identifier: MIT
# Build the instrumented kernel from the distribution's kernel source, if it is not there:
# allnoconfig and tools/vm/debug.config. Prints the folder, build/debug-kernel/KEY, in which
#
#	release		the kernel's release
#	bzImage		the kernel
#	build		is what modules are built against
#
# KEY is a hash of all inputs of the build: the source package, the compiler, the options,
# this script, and the driver's Kconfig, which is read in the kernel's tree and selects there
# what the driver needs. The driver itself is not built.
#
# LOOM_KERNEL=backports takes the newest source of the distribution's backports instead, with the
# options of tools/vm/debug-backports.config as well, and has a folder of its own,
# build/debug-kernel-backports: neither build removes the other.
set -eu -o pipefail

cd "$(dirname "$0")/../.."
top=$(pwd -P)
unset MAKEFLAGS MFLAGS MAKELEVEL
kconfig=$top/drivers/accel/loom/Kconfig
configs=("$top/tools/vm/debug.config")
case ${LOOM_KERNEL:-6.12} in
6.12)
	tarball=/usr/src/linux-source-6.12.tar.xz
	cache=build/debug-kernel ;;
backports)
	tarball=$(tools/ci/backports.sh)
	configs+=("$top/tools/vm/debug-backports.config")
	cache=build/debug-kernel-backports ;;
*)
	echo "debug-kernel: no kernel $LOOM_KERNEL, there are 6.12 and backports" >&2
	exit 2 ;;
esac

[ -f "$tarball" ] || {
	echo "debug-kernel: no $tarball, try: make deps-debug" >&2
	exit 1
}
key=$({
	stat -L -c '%s %Y' "$tarball"
	gcc -dumpfullversion -dumpversion
	ld --version | head -n 1
	cat "${configs[@]}" "$kconfig" tools/vm/debug-kernel.sh
} | sha256sum | cut -c 1-16)
dir=$top/$cache/$key

mkdir -p $cache
exec 9>$cache/.lock
flock 9
if [ -f "$dir/release" ]; then
	touch "$dir/release"
	echo "$dir"
	exit 0
fi

tmp=$(mktemp -d "$top/$cache/.build.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
log=$top/$cache/build.log
echo "debug-kernel: building an instrumented kernel, once (the log: $log)" >&2
: >"$log"

# The files that the kernel needs to configure and build itself on x86; of the many drivers that are
# not built only the Kconfig files and Makefiles.
echo "debug-kernel: unpacking" >&2
mkdir "$tmp/source"
xz -dc -T2 "$tarball" | tar -x -C "$tmp/source" --strip-components=1 --wildcards --wildcards-match-slash \
	--exclude='*/Documentation/*/*' --exclude='*/LICENSES/*' \
	--exclude='*/arch/[!x]*/*.[chS]' --exclude='*/arch/xtensa/*.[chS]' --exclude='*.dts*' \
	--exclude='*/sound/*.[ch]' --exclude='*/drivers/net/*/*.[ch]' \
	--exclude='*/drivers/gpu/drm/[ai]*/*.[ch]' --exclude='*/drivers/gpu/drm/nouveau/*.[ch]' \
	--exclude='*/drivers/media/*.[ch]' --exclude='*/drivers/staging/*.[ch]' \
	--exclude='*/drivers/scsi/*.[ch]' --exclude='*/drivers/infiniband/*.[ch]' \
	--exclude='*/drivers/iio/*.[ch]' --exclude='*/drivers/usb/*.[ch]' \
	--exclude='*/tools/testing/*' --exclude='*/tools/perf/*'

# Code that the driver neither calls nor lends memory to has no instruments: less to compile, and to run.
for plain in arch/x86/kernel/cpu arch/x86/pci block drivers/acpi drivers/acpi/acpica drivers/input \
	drivers/pci drivers/pci/hotplug drivers/pnp drivers/tty drivers/tty/vt fs/9p fs/iomap fs/netfs \
	fs/overlayfs fs/proc io_uring kernel/trace net/9p net/core net/unix; do
	sed -i '1a KASAN_SANITIZE := n\nUBSAN_SANITIZE := n' "$tmp/source/$plain/Makefile"
done

# Our Kconfig is put in its place, without the driver, so that the options it selects are built in.
mkdir "$tmp/source/drivers/accel/loom"
cp "$kconfig" "$tmp/source/drivers/accel/loom/Kconfig"
sed -i 's,^endif.*,source "drivers/accel/loom/Kconfig"\n&,' "$tmp/source/drivers/accel/Kconfig"
grep -q accel/loom "$tmp/source/drivers/accel/Kconfig" ||
	echo 'source "drivers/accel/loom/Kconfig"' >>"$tmp/source/drivers/accel/Kconfig"

# The build remembers absolute paths, so it is made in its final folder and not renamed afterwards.
rm -rf "$dir"
mv "$tmp" "$dir"
trap - EXIT
mkdir "$dir/build"
build() {
	make -C "$dir/source" O="$dir/build" LOCALVERSION=-loom-debug KBUILD_BUILD_TIMESTAMP=@0 \
		KBUILD_BUILD_USER=loom KBUILD_BUILD_HOST=loom "$@" >>"$log" 2>&1 || {
		tail -n 60 "$log" >&2
		echo "debug-kernel: the build failed, see $log" >&2
		exit 1
	}
}
cat "${configs[@]}" >"$dir/config"
build KCONFIG_ALLCONFIG="$dir/config" allnoconfig

# of an option that is set twice, the last
missing=$(awk '/^(# )?CONFIG_/ { name = $1 == "#" ? $2 : $1; sub(/=.*/, "", name); line[name] = $0 }
	END { for (name in line) print line[name] }' "$dir/config" |
	sort | grep -vxFf "$dir/build/.config" || true)
# an option that does not exist counts as not set
missing=$(while read -r line; do
	case $line in
	'# '*)	option=${line#\# }
		! grep -q "^${option%% *}=" "$dir/build/.config" || echo "$line" ;;
	?*)	echo "$line" ;;
	esac
done <<<"$missing")
[ -z "$missing" ] || {
	echo "debug-kernel: options that did not come to be:" >&2
	echo "$missing" >&2
	exit 1
}

echo "debug-kernel: compiling" >&2
build -j"$(nproc)" bzImage modules
cp "$dir/build/arch/x86/boot/bzImage" "$dir/bzImage"
cp "$dir/build/.config" "$dir/config"
find "$dir/build" -name '*.o' ! -path '*/scripts/*' ! -path '*/tools/*' -delete
find "$dir/build" -maxdepth 1 -name 'vmlinux*' ! -name vmlinux.symvers -delete
make -s -C "$dir/source" O="$dir/build" LOCALVERSION=-loom-debug kernelrelease >"$dir/.release"
mv "$dir/.release" "$dir/release"

# remove kernels of other keys
find $cache -mindepth 1 -maxdepth 1 -type d ! -name "$key" -exec rm -rf {} +
echo "$dir"
