#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2317 # try calls functions
# A back end outside of the tree: the template is copied from the installed kernel development
# part, renamed by the commands of Documentation/porting.rst, built, loaded in the VM, and runs
# jobs. On 6.12, and on the backports kernel if its modules were built. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/testing/tap.sh
mkdir -p build
top=$PWD
root=$(mktemp -d "$top/build/.kit.XXXXXX")
trap 'rm -rf "$root"' EXIT

try() {	# NAME COMMAND...
	"${@:2}" >"$root/log" 2>&1
	ok $? "$1" || sed 's/^/# /' "$root/log"
}
skip() {	# NAME REASON
	tap_count=$((tap_count + 1))
	echo "ok $tap_count $1 # SKIP $2"
}

try 'make install-kit into DESTDIR' make -s install-kit DESTDIR="$root/dest"
kit=$(echo "$root"/dest/usr/src/loom-*/kit)
export LOOM_KIT=$kit

# the commands of the page, in a folder of its own; the installed files are in $root
commands() {
	awk '/^\.\. kit-test:/ { on = 1; next }
		on && /^   \$ / { print substr($0, 6); block = 1 }
		block && /^[^ ]/ { exit }' Documentation/porting.rst |
		sed "s,/usr/src/loom-VERSION/kit,$kit,"
}
build() {	# FOLDER KDIR SYMVERS
	mkdir "$root/$1" && commands >"$root/commands" || return 1
	(
		cd "$root/$1" || exit 1
		unset MAKEFLAGS MFLAGS MAKELEVEL
		KDIR=$2 LOOM_SYMVERS=$3 bash -e "$root/commands"
	) && cp "$root/log" "$root/$1/build.log" && [ -f "$root/$1/mychip/loom_mychip.ko" ]
}
private() {	# FOLDER: all of Loom's headers are those of the installed part, and no warning
	grep -q "$kit/include/backend/backend.h" "$root/$1"/mychip/.mychip.o.cmd &&
		! cat "$root/$1"/mychip/.*.cmd | grep -qE "$top/(drivers|uapi)" &&
	 ! grep -q 'warning:' "$root/$1/build.log"
}

# the selftest of native commands, for a device of another name
selftest() {
	tools/ci/ksource.sh || return 1
	mkdir -p "$root/selftests/loom/template"
	cp build/ksource/tools/testing/selftests/*.h "$root/selftests/"
	cp selftests/*.h "$root/selftests/loom/"
	sed 's/loom-template/loom-mychip/' selftests/template/loom_native.c \
		>"$root/selftests/loom/template/native.c"
	# shellcheck disable=SC2046 # flags
	gcc -O2 -D_GNU_SOURCE= -isystem uapi \
		$(pkg-config --cflags-only-I libdrm | sed 's/-I/-isystem /g') \
		-o "$root/native" "$root/selftests/loom/template/native.c" -lpthread
}
jobs() {	# FOLDER OPTIONS...: loads it, runs jobs
	local folder=$1
	shift
	# shellcheck disable=SC2016 # of the guest
	tools/vm/run --log "$root/dmesg" --timeout 300 --share "$root" "$@" -- sh -c '
		busybox insmod "$1/mychip/loom_mychip.ko" own=1 && "$2"' sh "$root/$folder" "$root/native" &&
		! grep -q ' # SKIP' "$root/log"
}

on() {	# FOLDER KDIR MODULES OPTIONS...
	local folder=$1 kdir=$2 modules=$3
	shift 3
	try "$folder: the page's commands copy, rename and build a back end" build "$folder" \
		"$kdir" "$modules/Module.symvers"
	try "$folder: it includes nothing private, without a warning" private "$folder"
	try "$folder: it is loaded and runs jobs" jobs "$folder" \
		--module "$modules/drivers/accel/loom/loom.ko" "$@"
}

try 'the selftest builds' selftest
on 6.12 "$(find /usr/src -maxdepth 1 -name 'linux-headers-6.12.*-amd64' | sort -V | tail -n 1)" \
	"$top/build/module"
newest=$top/build/debug-backports/module
if [ -f "$newest/drivers/accel/loom/loom.ko" ] &&
	kernel=$(LOOM_KERNEL=backports tools/vm/debug-kernel.sh); then
	on backports "$kernel/build" "$newest" --kernel "$kernel" --timeout 900
else
	skip 'backports: a back end runs jobs' \
		'no modules, try: make module-debug KERNEL=backports'
fi
finish
