#!/bin/bash
# SPDX-License-Identifier: MIT
# The packages of `make deb`, as a user has them: installed in a clean Debian, where a compiled
# program runs, the C example builds through pkg-config, and DKMS builds the modules for the VM's
# kernel, which is then what the VM loads; and taken away again without a trace. TAP.
#
# The Debian is made by mmdebstrap from where this machine's apt gets its packages, and kept as
# build/deb-base.tar; skipped where that cannot be had.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/testing/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL
packages=$PWD/build/deb
base=build/deb-base.tar
mkdir -p build
work=$(mktemp -d "$PWD/build/.deb-test.XXXXXX")
root=$work/root
trap 'umount "$root/proc" 2>/dev/null; rm -rf "$work"' EXIT

skip() {
	echo "1..0 # SKIP deb-test: $*"
	exit 0
}

# try NAME COMMAND...
try() {
	local name=$1 status=0
	shift
	"$@" >"$work/log" 2>&1 || status=$?
	ok $status "$name" || { tail -n 30 "$work/log" | sed 's/^/# /'; return 1; }
}

inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive HOME=/tmp "$@"
}

[ "$(id -u)" = 0 ] || skip 'only root makes a chroot'
command -v mmdebstrap >/dev/null || skip 'no mmdebstrap, try: apt install mmdebstrap'
krel=$(tools/vm/kernel.sh) || skip 'no kernel of the VM'

try 'packages are built, and lintian finds nothing' tools/install/deb.sh || finish
first=$(cd "$packages" && sha256sum ./*.deb)
echo "$first" | sed 's/^/# /'

# Sources of Debian that apt has here; a clean machine has no others. The base archive includes the
# packages that the tests need, so that it is fetched once for all.
sources() {
	# one format or the other
	cat /etc/apt/sources.list.d/debian*.sources 2>/dev/null || cat /etc/apt/sources.list
}
kept=$(find $base -mtime -7 2>/dev/null)
if [ -z "$kept" ] || ! tar -tf $base "./usr/src/linux-headers-$krel/Makefile" ./usr/bin/python3 >/dev/null 2>&1; then
	sources >"$work/sources"
	[ -s "$work/sources" ] || skip 'apt has no sources of Debian here'
	mmdebstrap --quiet --mode=root --variant=apt --include="gcc,libc6-dev,pkg-config,dkms,libdrm-dev,\
libpng-dev,libprotobuf-c-dev,libyaml-dev,python3,linux-headers-$krel,libjs-sphinxdoc" \
		--aptopt='Acquire::Retries "2"' --dpkgopt='path-exclude=/usr/share/locale/*' \
		"$(. /etc/os-release && echo "$VERSION_CODENAME")" "$work/base.tar" "$work/sources" \
		>"$work/log" 2>&1 || {
		tail -n 5 "$work/log" | sed 's/^/# /'
		skip 'mmdebstrap has no Debian here'
	}
	mv "$work/base.tar" $base
fi
mkdir "$root"
tar -xf $base -C "$root" || skip 'no Debian was unpacked'
mount -t proc proc "$root/proc" 2>/dev/null || true

# all that there is, but for what is of no package: logs, caches, what dpkg and ldconfig remember
trace() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/log \
		-o -path ./var/cache -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
		-o -path ./etc/ld.so.cache \) -prune -o -print | LC_ALL=C sort)
}
trace >"$work/before"
cp "$packages"/*.deb "$root/tmp"
names=$(cd "$packages" && printf '%s\n' ./*.deb | sed 's,^\./,,; s,_.*,,')
# shellcheck disable=SC2016 # the other shell's
try 'they install in a clean Debian' inside sh -c 'apt-get -qq install -y --no-install-recommends /tmp/*.deb' || finish

# a program file is compiled and run, and gives what the tree's own tool gives
models=build/models
program() {
	cp $models/blazeface.onnx "$root/tmp/" &&
		inside loom compile /tmp/blazeface.onnx -o /tmp/net.loom &&
		inside loom verify /tmp/net.loom &&
		inside loom run /tmp/net.loom --device host --input random:1 --output /tmp/out.npy &&
		[ -s "$root/tmp/out.npy" ]
}
if [ -s $models/blazeface.onnx ]; then
	try 'loom compile, verify and run, on the host' program
fi
example() {
	inside sh -c 'cd /usr/share/doc/loom-doc/examples && gcc -Wall -Werror \
		$(pkg-config --cflags loom) -o /tmp/example build_graph.c $(pkg-config --libs loom) &&
		ldd /tmp/example && /tmp/example'
}
try 'an example in C builds through pkg-config and runs' example
try 'and is linked with the shared library' inside sh -c 'ldd /tmp/example | grep "libloom.so.1 => /"'
static() {
	inside sh -c 'cd /usr/share/doc/loom-doc/examples && gcc $(pkg-config --cflags loom) \
		-o /tmp/static build_graph.c -Wl,-Bstatic -lloom -Wl,-Bdynamic \
		$(pkg-config --static --libs loom | sed "s/-lloom//") &&
		! ldd /tmp/static | grep libloom && /tmp/static'
}
try 'and with the static one' static
from_python() {
	inside python3 /usr/share/doc/loom-doc/examples/python/build_graph.py &&
		inside python3 -c 'import loom
with loom.Program("/tmp/net.loom") as net: print([one.name for one in net.inputs])'
}
try 'an example in Python runs' from_python
# ONNX Runtime of this machine, which is Debian, too, loads the provider of the package
ort=$(echo "$PWD"/build/ort/node_modules/onnxruntime-node/bin/*/linux/x64/libonnxruntime.so.1)
provider=$(echo "$root"/usr/lib/*/loom/libloom_ep.so)
if [ -e "$provider" ] && [ -e "$ort" ] && [ -x build/ort-tests/host ]; then
	try 'a network runs by the provider for ONNX Runtime' build/ort-tests/host "$ort" "$provider" \
		compare $models/oww_alexa.onnx
else
	echo '# SKIP the provider for ONNX Runtime: no package, or nothing to load it'
fi
if inside sh -c 'command -v man' >/dev/null; then
	try 'man loom' inside man loom
fi

modules=$root/lib/modules/$krel/updates/dkms
built() {
	local name
	inside dkms status && for name in loom loom_soft loom_pci; do
		xz -dkf "$modules/$name.ko.xz" 2>/dev/null
		modinfo "$modules/$name.ko" | grep -q "^vermagic: *$krel " || return
	done
}
try "DKMS has built the modules for $krel" built || {
	tail -n 30 "$root"/var/lib/dkms/loom/*/build/make.log 2>/dev/null | sed 's/^/# /'
	finish
}
# the tool of the package, with its libraries of this machine, which is Debian, too
mkdir "$work/modules" && cp "$modules"/*.ko "$root/usr/bin/loom" "$work/modules/" &&
	cp "$root/tmp/net.loom" "$work/modules/" 2>/dev/null
try 'the VM loads what DKMS has built, and its node answers' tools/vm/run --timeout 240 \
	--log "$work/dmesg" --share "$work/modules" --module "$work/modules/loom.ko" -- \
	"$work/modules/loom" info
if [ -s "$work/modules/net.loom" ]; then
	try 'the compiled program runs on the node' tools/vm/run --timeout 400 \
		--log "$work/dmesg" --share "$work/modules" --module "$work/modules/loom.ko" -- \
		"$work/modules/loom" run "$work/modules/net.loom" --input random:1 --device /dev/accel/accel0
fi

# shellcheck disable=SC2086 # words
gone() {
	inside apt-get -qq purge -y $names && trace | diff "$work/before" -
}
try 'purged, nothing of them is left' gone

# again, elsewhere and at another time of day, with other habits
again() {
	local out=build/.deb-again second
	(umask 077 && TZ=Pacific/Auckland LC_ALL=C tools/install/deb.sh $out) || return
	second=$(cd $out && sha256sum ./*.deb)
	rm -rf $out
	[ "$first" = "$second" ] || { printf '%s\n' "$first" "$second"; return 1; }
}
try 'built again, they are the same to the byte' again
finish
