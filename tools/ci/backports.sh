#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetch the newest kernel source that Debian's backports have, without installing it and without
# root, if it is not there. Prints the tarball, build/backports/linux-source-VERSION.tar.xz.
#
# The packages come by name through a package list of our own under build/. It takes the mirror,
# proxy and keys from the machine's sources: this tree names none. `--update` looks for a newer one.
set -eu

cd "$(dirname "$0")/../.."
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

uri=$(tools/ci/mirror.sh)
[ -n "$uri" ] || {
	echo "backports: no Debian mirror in this machine's /etc/apt" >&2
	exit 1
}
key=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f $key ] || {
	echo "backports: no $key, try: make deps-debug" >&2
	exit 1
}

apt=$dir/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
echo "deb [signed-by=$key] $uri $suite main" >"$apt/sources.list"
: >"$apt/status"
get() {
	program=$1
	shift
	"$program" -qq -o Dir::State="$apt" -o Dir::State::status="$apt/status" \
		-o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" \
		-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
		-o Acquire::Languages=none -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false \
		-o APT::Sandbox::User="$(id -un)" "$@"
}
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
