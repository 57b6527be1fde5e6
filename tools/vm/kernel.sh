#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpack the stock Debian kernel that belongs to the installed headers into
# build/kernel, without installing it: this machine's boot is not touched.
# Prints the kernel release.
set -eu

cd "$(dirname "$0")/../.."
headers=$(find /usr/src -maxdepth 1 -name 'linux-headers-6.12.*-amd64' | sort -V | tail -n 1)
[ -n "$headers" ] || {
	echo "vm: no 6.12 kernel headers, try: make deps-run" >&2
	exit 1
}
krel=${headers##*/linux-headers-}
dir=build/kernel

mkdir -p build
exec 9>build/.kernel.lock
flock 9
if [ ! -f "$dir/vmlinuz-$krel" ]; then
	echo "vm: fetching linux-image-$krel" >&2
	tmp=$(mktemp -d build/.kernel.XXXXXX)
	trap 'rm -rf "$tmp"' EXIT
	# apt drops privileges to fetch: it wants a folder anyone may write to
	chmod 755 "$tmp"
	(
		cd "$tmp"
		apt-get -qq download "linux-image-$krel" 2>log >&2 || {
			if [ "$(id -u)" = 0 ]; then apt-get -qq update; else sudo apt-get -qq update; fi
			apt-get -qq download "linux-image-$krel" 2>log >&2
		} || {
			cat log >&2
			echo "vm: no linux-image-$krel; update linux-headers-6.12-amd64 and try again" >&2
			exit 1
		}
	)
	dpkg-deb -x "$tmp"/*.deb "$tmp/x"
	mkdir "$tmp/kernel"
	mv "$tmp/x/boot/vmlinuz-$krel" "$tmp/x/boot/config-$krel" "$tmp/x/lib/modules" "$tmp/kernel"
	# newer than any initramfs that was built from another kernel
	touch "$tmp/kernel/modules"
	rm -rf "$dir"
	mv "$tmp/kernel" "$dir"
fi
echo "$krel"
