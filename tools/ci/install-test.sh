#!/bin/bash
# SPDX-License-Identifier: MIT
# `make install` into an empty root; then programs in C and C++ use it from there through
# pkg-config, with the shared library. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/testing/tap.sh
mkdir -p build
root=$(mktemp -d "$PWD/build/.install.XXXXXX")
trap 'rm -rf "$root"' EXIT

try() {	# NAME COMMAND...
	"${@:2}" >"$root/log" 2>&1
	ok $? "$1" || sed 's/^/# /' "$root/log"
}

try 'make install into DESTDIR' make -s install DESTDIR="$root" PREFIX=/opt/loom
again() {
	local dkms
	dkms=$(echo "$root"/usr/src/loom-*)
	echo '#error of an older install' >"$dkms/drivers/accel/loom/loom_older.c"
	make -s install DESTDIR="$root" PREFIX=/opt/loom
	[ ! -e "$dkms/drivers/accel/loom/loom_older.c" ]
}
try 'make install again leaves no source of an older one' again
try 'loom.pc names the prefix, not the root' grep -qx 'prefix=/opt/loom' \
	"$root/opt/loom/lib/pkgconfig/loom.pc"
# a root is no place to link from: its loom.pc is changed to name the files where they lie
mkdir "$root/pc"
sed "s,^prefix=,prefix=$root," "$root/opt/loom/lib/pkgconfig/loom.pc" >"$root/pc/loom.pc"
export PKG_CONFIG_PATH=$root/pc
export LD_LIBRARY_PATH=$root/opt/loom/lib

{
	for header in "$root"/opt/loom/include/loom/*.h; do
		echo "#include <${header##*/}>"
	done
	cat <<-'END'
		#include <string.h>
		int main(void)
		{
			struct loom_array array;

			memset(&array, 0, sizeof(array));
			loom_array_clear(&array);
			return 0;
		}
	END
} >"$root/use.c"
cp "$root/use.c" "$root/use.cc"
build() {	# COMPILER SOURCE
	# shellcheck disable=SC2046 # lists of flags
	"$1" -Wall -Werror $(pkg-config --cflags loom) -o "$root/use" "$root/$2" \
		$(pkg-config --libs loom)
}
try 'a C program builds with pkg-config alone' build gcc use.c
try 'and runs with the shared library' "$root/use"
try 'a C++ program builds' build g++ use.cc
examples() {
	local example
	for example in Documentation/examples/*.c; do
		# shellcheck disable=SC2046
		gcc -Wall -Werror -o "$root/use" "$example" $(pkg-config --cflags --libs loom libdrm) || return 1
	done
}
try 'the examples build with pkg-config alone' examples

# the placer by itself: its program has no other library, shared or static
sed "s,^prefix=,prefix=$root," "$root/opt/loom/lib/pkgconfig/loomplace.pc" >"$root/pc/loomplace.pc"
# shellcheck disable=SC2046 # lists of flags
alone() {	# static|shared
	local lib
	lib=$(pkg-config --libs loomplace)
	[ "$1" = shared ] || lib="$root/opt/loom/lib/libloomplace.a -lm"
	mkdir -p "$root/alone" && cp "$root/opt/loom/include/loomplace.h" "$root/alone" &&
		gcc -Wall -Wextra -Werror -I"$root/alone" -o "$root/use" \
			tools/testing/loomplace/alone.c $lib &&
		"$root/use" || return 1
	! ldd "$root/use" | grep -q 'libloom\.so' &&
		{ [ "$1" = static ] || ldd "$root/use" | grep -q "$root.*libloomplace.so"; }
}
try 'libloomplace is used alone, shared' alone shared
try 'and static' alone static
placer_symbols() {
	[ "$(nm -D --defined-only "$root/opt/loom/lib/libloomplace.so" | cut -d' ' -f3 | sort | tr '\n' ' ')" = \
		"$(sed -n 's/^[a-z].*\(loomplace_[a-z_]*\)(.*/\1/p' userlib/loomplace/loomplace.h | sort | tr '\n' ' ')" ]
}
try 'nothing but its interface can be seen' placer_symbols
try 'it builds from its own folder' make -s -C userlib/loomplace O="$root/placer" check
try 'its wheel passes its tests in an environment of its own' \
	tools/testing/loomplace/wheel.sh "$root"
in_cpp() {
	local example
	for example in Documentation/examples/cpp/*.cpp; do
		# shellcheck disable=SC2046
		g++ -std=c++17 -Wall -Werror -o "$root/use" "$example" $(pkg-config --cflags --libs loom) ||
			return 1
	done
	[ "$("$root/use" 2>&1)" != '' ]
}
try 'so do those in C++' in_cpp
# by the name of the library, as one who has it installed
in_python() {
	local packages
	packages=$(dirname "$(find "$root/opt" -path '*-packages/loom')")
	[ "$packages" = "$root/opt/loom/lib/python$(/usr/bin/python3 -c \
		'import sys; print("%d.%d" % sys.version_info[:2])')/dist-packages" ] &&
		[ "$(cd / && env -u LOOM_LIBRARY PYTHONDONTWRITEBYTECODE=1 "PYTHONPATH=$packages" \
			/usr/bin/python3 -c 'import loom; print(loom.__version__)')" = \
			"$(pkg-config --modversion loom)" ]
}
try 'Python finds its package, and the library by its name' in_python
debian() {
	make -s install DESTDIR="$root/debian" PREFIX=/usr >/dev/null &&
		[ -e "$root/debian/usr/lib/python3/dist-packages/loom/py.typed" ] &&
		[ -e "$root/debian/usr/include/loom/loom.hpp" ] && rm -rf "$root/debian"
}
try 'a package of the distribution has it where Debian looks' debian
exports() {
	local so version
	so=$(echo "$root"/opt/loom/lib/libloom.so.[0-9]*)
	readelf -d "$so" | grep -q "SONAME.*${so##*/}" || return 1
	version=$(sed -n 's/^\(LOOM_.*\) {/\1/p' build/gen/libloom.map)
	nm -D --defined-only "$so" | awk '{ print $3 }' | sort >"$root/has"
	{
		echo "$version"
		# not by the map that it was linked with
		grep -o '\bloom_[a-z0-9_]* (' userlib/libloom.abi | sed "s/ (/@@$version/"
	} | sort | diff - "$root/has"
}
try 'the library has its soname and exports what is public, with its version' exports
version() {
	cat >"$root/version.c" <<-'END'
		#include <loom_version.h>
		int main(void)
		{
			return loom_version() != LOOM_VERSION;
		}
	END
	build gcc version.c && "$root/use" &&
		"$root/opt/loom/bin/loom" --version | grep -qx "loom $(pkg-config --modversion loom)"
}
try 'header, library, tool and pkg-config are of one version' version
try 'the tool runs' "$root/opt/loom/bin/loom" --help
try 'and finds its script' "$root/opt/loom/bin/loom" sweep model.onnx --vary help
pages() {
	man -M "$root/opt/loom/share/man" -w loom && man -M "$root/opt/loom/share/man" -w loom-plan &&
		man -M "$root/opt/loom/share/man" loom_session_run | grep -q 'loom_session_run(struct'
}
try 'man shows the tool, a command and a function' pages
# check-more builds them from there with DKMS
sources() {
	local dkms
	dkms=$(echo "$root"/usr/src/loom-*)
	diff -r drivers "$dkms/drivers" && diff -r uapi "$dkms/uapi" && diff Kbuild "$dkms/Kbuild" &&
		grep -q '^PACKAGE_VERSION=' "$dkms/dkms.conf"
}
try 'all sources of the module are where dkms finds them' sources
# more-kit builds a back end from it
kit() {
	local kit
	kit=$(echo "$root"/usr/src/loom-*/kit)
	diff -r -x Makefile drivers/accel/loom/template "$kit/template" &&
		grep -qx "LOOM_KIT ?= ${kit#"$root"}" "$kit/template/Makefile" &&
		[ -f "$kit/include/backend/backend.h" ]
}
try 'the kernel development part has the template, and knows where it is' kit
lacks() {	# MAKE-VARIABLE WORD: without it, make says so in one line, and what to do
	! make -s lib O="$root/lacks" "$1" >"$root/lacks.log" 2>&1 &&
		grep -q "^$2.* is missing, try: make deps\$" "$root/lacks.log" &&
		[ "$(grep -vc '^make' "$root/lacks.log")" = 1 ]
}
try 'without a compiler, make says so' lacks CC=no-such-compiler no-such-compiler
try 'without onnx.proto, make says so' lacks ONNX_PROTO=onnx.proto onnx.proto
lacks_module() {
	PKG_CONFIG_LIBDIR=/nonexistent PKG_CONFIG_PATH='' lacks V=1 libdrm
}
try 'without a library, make says so' lacks_module
completes() {	# WORD...: completions of the last one by bash
	PATH=$root/opt/loom/bin:$PATH bash -c '
		. "$1" && shift && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _loom &&
		echo "${COMPREPLY[*]}"' bash \
		"$root/opt/loom/share/bash-completion/completions/loom" "$@"
}
completion() {
	[ "$(completes loom pl)" = 'place plan' ] && [ "$(completes loom help swe)" = sweep ] &&
		[ "$(completes loom run --lab)" = --labels ] &&
		[ "$(completes loom compile --inp)" = --input ] &&
		[ "$(completes loom plan --inp)" = --input ] && [ -z "$(completes loom run mod)" ]
}
try 'bash completes commands and options' completion
try 'the version is the same wherever it is written' tools/ci/version.sh
rules=$root/usr/lib/udev/rules.d/60-loom.rules
try 'the udev rule gives the node to group render' \
	grep -q 'SUBSYSTEM=="accel".*GROUP="render", MODE="0660"' "$rules"
tree_clean() {
	make -s uninstall DESTDIR="$root" PREFIX=/opt/loom &&
		[ -z "$(find "$root/opt" "$root/usr" -type f)" ]
}
try 'make uninstall leaves no file' tree_clean
finish
