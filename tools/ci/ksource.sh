#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpack the few parts of the kernel's source that we use unchanged into build/ksource: the
# linters, the kernel-doc directive, the kselftest frame, and the files that the patches of
# upstream/series.sh change. They are not copied into this tree.
set -eu

cd "$(dirname "$0")/../.."
tarball=/usr/src/linux-source-6.12.tar.xz
dir=build/ksource

[ -f $tarball ] || {
	echo "ksource: no $tarball, try: make deps-check" >&2
	exit 1
}
if [ -f $dir/.stamp ] && [ -f $dir/scripts/unifdef.c ] && [ -z "$(find $tarball -newer $dir/.stamp)" ]; then
	exit 0
fi
echo "ksource: unpacking the kernel's linters and kselftest frame"
mkdir -p build
tmp=$(mktemp -d build/.ksource.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
xz -dc -T2 $tarball | tar -x -C "$tmp" --strip-components=1 --wildcards \
	'*/scripts/checkpatch.pl' '*/scripts/unifdef.c' '*/scripts/spelling.txt' '*/scripts/const_structs.checkpatch' \
	'*/scripts/kernel-doc' '*/Documentation/sphinx/*' '*/scripts/Makefile.*' '*/scripts/subarch.include' \
	'*/tools/testing/selftests/kselftest*' '*/tools/testing/selftests/lib.mk' \
	'*/tools/testing/selftests/run_kselftest.sh' \
	'linux-source-*/MAINTAINERS' '*/drivers/accel/Kconfig' '*/drivers/accel/Makefile' \
	'*/Documentation/accel/index.rst' 'linux-source-*/tools/testing/selftests/Makefile'
# modification times are those of unpacking, not of the release
touch "$tmp/.stamp"
rm -rf $dir
mv "$tmp" $dir
