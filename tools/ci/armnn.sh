#!/bin/sh
# SPDX-License-Identifier: MIT
# Arm NN of Debian 12 into build/armnn: the oracle that tests of TensorFlow Lite files compare
# with. Tests only; nothing of it is shipped or installed. Needs the network once; where it cannot
# be had those tests are skipped.
set -eu

cd "$(dirname "$0")/../.."
dir=build/armnn
packages='libarmnn22 libarmnn-dev libarmnntfliteparser22 libarmnntfliteparser-dev
	libarmnn-cpuref-backend22 libflatbuffers2'

if [ -x $dir/reference ] &&
	[ -z "$(find tools/testing/tflite/reference.cc -newer $dir/reference)" ]; then
	exit 0
fi
mkdir -p build
tmp=$(mktemp -d build/.armnn.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
echo 'armnn: fetching Arm NN'
# shellcheck disable=SC2086 # words
(cd "$tmp" && apt-get download -q $packages >log 2>&1) || {
	tail -n 3 "$tmp/log" >&2
	echo 'armnn: not to be had here' >&2
	exit 1
}
for package in "$tmp"/*.deb; do
	dpkg -x "$package" "$tmp/root"
done
libs=root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
g++ -std=c++14 -O1 -I"$tmp/root/usr/include" tools/testing/tflite/reference.cc \
	-o "$tmp/reference" -L"$tmp/$libs" -larmnn -larmnnTfLiteParser \
	-Wl,--disable-new-dtags -Wl,-rpath,"\$ORIGIN/$libs" -Wl,-rpath-link,"$tmp/$libs" \
	-DBACKENDS="\"$PWD/$dir/$libs/armnn22\""
rm -f "$tmp"/*.deb
rm -rf $dir
mv "$tmp" $dir
