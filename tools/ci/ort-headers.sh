#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetch the headers of ONNX Runtime, without installing them and without root, if they are not
# there: Debian's libonnxruntime-dev, unpacked in build/ort-headers. ORT_INCLUDE says where else they
# are. The last line of what it prints says why they are not to be had; then it fails.
#
# The package comes from the suites that have one that is new enough, the newest first.
set -eu

cd "$(dirname "$0")/../.."
. tools/ci/apt.sh
dir=$PWD/build/ort-headers
include=${ORT_INCLUDE:-build/ort-headers/usr/include/onnxruntime}
# of the interface; older ones have no profiles of providers
least=25

new_enough() {
	version=$(sed -n 's/^#define ORT_API_VERSION \([0-9]*\)$/\1/p' "$include/onnxruntime_c_api.h" \
		2>/dev/null)
	[ "${version:-0}" -ge $least ]
}

give_up() {
	echo "ep: skipped, $*"
	exit 1
}

new_enough && exit 0
[ "$include" = build/ort-headers/usr/include/onnxruntime ] ||
	give_up "no headers of ONNX Runtime 1.$least or newer in $include"
command -v apt-get >/dev/null || give_up 'no headers of ONNX Runtime, and no apt-get to fetch them'
uri=$(mirror)
[ -n "$uri" ] || give_up "no headers of ONNX Runtime, and no Debian mirror in this machine's /etc/apt"
[ -f $key ] || give_up "no headers of ONNX Runtime, and no $key to check them with"

mkdir -p "$dir"
exec 9>"$dir/.lock"
flock 9
new_enough && exit 0
apt_begin "$dir/apt" "$uri" experimental sid
get apt-get update || give_up 'the package lists of Debian experimental and sid could not be fetched'
version=$(get apt-cache madison libonnxruntime-dev | awk '{ print $3 }' | sort -rV | head -n 1)
[ -n "$version" ] || give_up 'Debian has no libonnxruntime-dev for this machine'
tmp=$(mktemp -d "$dir/.fetch.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && get apt-get download "libonnxruntime-dev=$version") ||
	give_up "libonnxruntime-dev $version could not be fetched"
dpkg-deb --fsys-tarfile "$tmp"/*.deb | tar -x -C "$tmp" ./usr/include
rm -rf "${dir:?}/usr"
mv "$tmp/usr" "$dir/"
rm -rf "$apt"
new_enough || give_up "libonnxruntime-dev $version is older than 1.$least"
