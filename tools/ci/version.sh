#!/bin/bash
# SPDX-License-Identifier: MIT
# The version, as userlib/include/loom_version.h says, if it is the same wherever it is written: one
# line for each place where it is not, and status 1.
#
#	tools/ci/version.sh
set -u

cd "$(dirname "$0")/../.." || exit 1
header=userlib/include/loom_version.h
number() {
	sed -n "s/^#define LOOM_VERSION_$1[[:space:]]*\([0-9]*\)\$/\1/p" $header
}
version=$(number MAJOR).$(number MINOR).$(number PATCH)
status=0

# same PLACE WANTED FOUND
same() {
	[ "$2" = "$3" ] && return
	echo "version: $1 says '$3', and $header '$2'" >&2
	status=1
}

[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || {
	echo "version: $header has none" >&2
	exit 1
}
same Makefile "$version" "$(make -s help | sed -n '1s/^Loom //p')"
same Documentation/CHANGELOG.rst "$version" \
	"$(sed -n 's/^\([0-9.]*\) ([0-9-]*)$/\1/p' Documentation/CHANGELOG.rst | head -n 1)"
# these take it from the header when they are installed, and may name no other
same tools/install/dkms.conf @VERSION@ \
	"$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' tools/install/dkms.conf)"
same tools/install/debian "" "$(cd tools/install/debian && ls changelog 2>/dev/null)"
# a release is what its tag says
tag=$(git describe --exact-match --tags --match 'v*' 2>/dev/null)
[ -z "$tag" ] || same "the tag of this commit" "v$version" "$tag"
[ $status != 0 ] || echo "$version"
exit $status
