#!/bin/sh
# SPDX-License-Identifier: MIT
# Build the initramfs of the test VM, if it is not there or out of date:
# busybox, our init, and the stock modules that loom.ko and the file shares
# need, in the order in which they load. Everything else (the host's /usr, this tree
# and loom.ko) is mounted over 9p at run time.
#
#	tools/vm/initramfs.sh KERNEL-RELEASE	for the stock kernel
#	tools/vm/initramfs.sh KERNEL-RELEASE build/arm64
#						for the one there, with the busybox there
#	tools/vm/initramfs.sh			for one that has all of it built in
set -eu

cd "$(dirname "$0")/../.."
krel=${1:-}
from=${2:-build}
busybox=/bin/busybox
[ "$from" = build ] || busybox=$from/sysroot/usr/bin/busybox
out=build/vm/initramfs-${krel:-debug}.cpio
stock=${krel:+$from/kernel/modules}
modules="9p 9pnet_virtio overlay drm drm_kms_helper ttm drm_ttm_helper gpu-sched drm_exec
	drm_buddy drm_shmem_helper vgem configfs"

if [ -f "$out" ] && [ -z "$(find tools/vm/init tools/vm/initramfs.sh $stock \
	-maxdepth 0 -newer "$out")" ]; then
	exit 0
fi

mkdir -p build/vm
root=$(mktemp -d build/vm/.initramfs.XXXXXX)
trap 'rm -rf "$root"' EXIT
# it becomes the guest's /, where others than root have to get to their files
chmod 755 "$root"
mkdir -p "$root/dev" "$root/proc" "$root/sys" "$root/usr" "$root/tmp" "$root/run" "$root/etc" \
	"$root/modules" "$root/busybox" "$root/var/tmp" "$root/root"
for link in bin sbin lib lib64; do
	ln -s usr/$link "$root/$link"
done
cp "$busybox" "$root/busybox/busybox"
cp tools/vm/init "$root/init"
chmod 755 "$root/init"
echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
printf '%s\n' 'nobody:x:65534:65534:nobody:/nonexistent:/bin/false' >>"$root/etc/passwd"
printf '%s\n' 'root:x:0:' 'render:x:104:' 'nogroup:x:65534:' >"$root/etc/group"
# on Debian, awk, cc and others are symbolic links into this folder
[ ! -d /etc/alternatives ] || cp -a /etc/alternatives "$root/etc/"

stock_modules() {
	base=$from/kernel/modules/$krel
	[ -f "$base/modules.dep" ] || {
		# modules.dep is not in the package: it is made on installation
		mkdir -p "$from/kernel/lib"
		ln -sfn ../modules "$from/kernel/lib/modules"
		/sbin/depmod -b "$from/kernel" "$krel"
	}
	# modules.dep names what each module needs, the deepest last
	for module in $modules; do
		grep -E "/$module\.ko(\.xz)?:" "$base/modules.dep" || {
			echo "vm: the kernel has no module $module" >&2
			exit 1
		}
	done | while IFS=: read -r file needs; do
		for one in $needs; do echo "$one"; done | tac
		echo "$file"
	done | awk '!seen[$0]++' >"$root/modules/.paths"
	while read -r path; do
		name=$(basename "$path" .xz)
		case $path in
		*.xz)	xz -dc "$base/$path" >"$root/modules/$name" ;;
		*)	cp "$base/$path" "$root/modules/$name" ;;
		esac
		echo "$name" >>"$root/modules/order"
	done <"$root/modules/.paths"
	rm "$root/modules/.paths"
}

: >"$root/modules/order"
[ -z "$krel" ] || stock_modules

(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet --owner=0:0) >"$root.cpio"
mv "$root.cpio" "$out"
