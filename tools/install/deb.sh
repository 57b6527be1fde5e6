#!/bin/bash
# SPDX-License-Identifier: MIT
# Build the packages for Debian: build/deb/*.deb, looked at by lintian. The tree is copied to
# build/deb/loom-VERSION, and tools/install/debian beside it as debian/, with a changelog out of
# Documentation/CHANGELOG.rst. The same tree gives the same packages, to the byte. The package of the
# execution provider needs headers of ONNX Runtime; where they cannot be had, it is left out.
#
#	tools/install/deb.sh [FOLDER]	build/deb unless given
set -eu -o pipefail

cd "$(dirname "$0")/../.."
# options of a calling make are not meant for the makes called here
unset MAKEFLAGS MFLAGS MAKELEVEL
out=${1:-build/deb}
version=$(tools/ci/version.sh)
tree=$out/loom-$version

fail() {
	echo "deb: $*" >&2
	exit 1
}

command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null ||
	fail 'debhelper is missing, try: make deb, which installs it'
mkdir -p "$out"
rm -rf "$tree" "$out"/*.deb "$out"/*.changes "$out"/*.buildinfo "$out"/*.log
mkdir "$tree"
# what a release has: neither products nor what git ignores
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
	git ls-files -co --exclude-standard -z
else
	find . -path ./build -prune -o -type f -printf '%P\0'
fi | rsync -a --from0 --ignore-missing-args --files-from=- . "$tree"
cp -R tools/install/debian "$tree/debian"
tools/install/debian-changelog.awk -v version="$version" Documentation/CHANGELOG.rst \
	>"$tree/debian/changelog"
# what is large, and the same wherever it is from
mkdir -p "$tree/build"
if [ -n "${ORT_INCLUDE:-}" ]; then
	ORT_INCLUDE=$(realpath -m "$ORT_INCLUDE")
	export ORT_INCLUDE
fi
provider=pkg.loom.onnxruntime
if ! tools/ci/ort-headers.sh >build/ort-headers.log 2>&1; then
	why=$(tail -n 1 build/ort-headers.log)
	echo "deb: loom-onnxruntime is left out: ${why#ep: skipped, }"
	provider=
fi
for kept in models ksource ort-headers; do
	[ ! -d build/$kept ] || ln -s "$PWD/build/$kept" "$tree/build/$kept"
done

echo "deb: building loom $version"
(
	cd "$tree"
	# modes of files are those of the one who builds, otherwise
	umask 022
	DEB_BUILD_PROFILES="$provider ${DEB_BUILD_PROFILES:-}" \
	DEB_BUILD_OPTIONS="parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}" \
		dpkg-buildpackage -us -uc -b >../build.log 2>&1
) || {
	tail -n 30 "$out/build.log" >&2
	fail "the build failed, see $out/build.log"
}
lintian -i --fail-on warning "$out"/*.changes >"$out/lintian.log" 2>&1 || {
	cat "$out/lintian.log" >&2
	fail 'lintian found something'
}
[ -n "${LOOM_KEEP_TREE:-}" ] || rm -rf "$tree"
for deb in "$out"/*.deb; do
	echo "deb: $(stat -c '%s %n' "$deb" | awk '{ printf "%s %.1f MiB", $2, $1 / 1048576 }')"
done
