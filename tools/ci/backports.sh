#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetch the newest kernel source that Debian's backports have, without installing it and without
# root, if it is not there. Prints the tarball, build/backports/linux-source-VERSION.tar.xz.
# `--update` looks for a newer one.
set -eu

cd "$(dirname "$0")/../.."
. tools/ci/apt.sh
dir=$PWD/build/backports
suite=${LOOM_BACKPORTS_SUITE:-trixie-backports}

mkdir -p "$dir"
exec 9>"$dir/.lock"
flock 9
newest() { find "$dir" -maxdepth 1 -name 'linux-source-*.tar.xz' | sort -V | tail -n 1; }
tarball=$(newest)
if [ -n "$tarball" ] && [ "${1:-}" != --update ]; then
	echo "$tarball"
	exit 0
fi

uri=$(mirror)
[ -n "$uri" ] || {
	echo "backports: no Debian mirror in this machine's /etc/apt" >&2
	exit 1
}
[ -f $key ] || {
	echo "backports: no $key, try: make deps-debug" >&2
	exit 1
}

apt_begin "$dir/apt" "$uri" "$suite"
echo "backports: reading the package list of $suite" >&2
get apt-get update >&2
# linux-source depends on the newest one
package=$(get apt-cache depends linux-source | sed -n 's/.*Depends: *\(linux-source-[0-9.]*\).*/\1/p' |
	head -n 1)
[ -n "$package" ] || {
	echo "backports: $suite has no linux-source" >&2
	exit 1
}
if [ "$tarball" = "$dir/$package.tar.xz" ]; then
	echo "backports: $package is there; remove it to fetch another build of it" >&2
	echo "$tarball"
	exit 0
fi
echo "backports: fetching $package" >&2
tmp=$(mktemp -d "$dir/.fetch.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && get apt-get download "$package" >&2)
dpkg-deb --fsys-tarfile "$tmp"/*.deb | tar -x -C "$tmp" "./usr/src/$package.tar.xz"
rm -f "$dir"/linux-source-*.tar.xz
mv "$tmp/usr/src/$package.tar.xz" "$dir/"
newest
