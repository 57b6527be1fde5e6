#!/bin/bash
# SPDX-License-Identifier: MIT
# A QEMU with vfio-user-pci, for the device on the bus: the distribution's own (7.2) has none, that of
# trixie-backports has. Its packages and what they need are fetched by apt, which checks
# signatures and sums, and unpacked to build/qemu; nothing is installed and no root is needed.
# Prints the folder, in which
#
#	run ARG...	the emulator, with its own libraries
#
# Status 77, and a line why, if the packages cannot be had.
set -eu -o pipefail

cd "$(dirname "$0")/../.."
dir=$PWD/build/qemu
key=/usr/share/keyrings/debian-archive-keyring.gpg
suites='trixie trixie-backports'

skip() {
	echo "qemu: $*" >&2
	exit 77
}

mkdir -p build
exec 9>build/.qemu.lock
flock 9
[ ! -x "$dir/run" ] || {
	echo "$dir"
	exit 0
}
[ "$(dpkg --print-architecture)" = amd64 ] || skip 'packages are for amd64 only'
[ -f $key ] || skip "no $key"

# the mirror that this machine's own package sources name
# shellcheck disable=SC2016 # apt fills in the site
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' |
	sort -u | head -n 1)
[ -n "$mirror" ] || skip 'no mirror of Debian in the package sources'

rm -rf "$dir"
mkdir -p "$dir"/apt/state/lists/partial "$dir"/apt/cache/archives/partial "$dir/root"
# apt drops root for its downloads, and has to reach the folder then; where it cannot, it warns
chmod 755 "$dir" "$dir/apt"
for suite in $suites; do
	echo "deb [arch=amd64 signed-by=$key] $mirror $suite main"
done >"$dir/apt/sources.list"
: >"$dir/apt/status"
apt=(apt-get -qq
	-o "Dir::State=$dir/apt/state" -o "Dir::State::status=$dir/apt/status"
	-o "Dir::Cache=$dir/apt/cache" -o "Dir::Etc::sourcelist=$dir/apt/sources.list"
	-o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null
	-o Dir::Etc::preferences=/dev/null -o APT::Get::AllowUnauthenticated=false
	-o APT::Install-Recommends=false -o Acquire::Languages=none
	-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
	-o APT::Sandbox::User=root)
{
	"${apt[@]}" update &&
	"${apt[@]}" install -y --download-only -t trixie-backports qemu-system-x86 seabios
} >"$dir/apt.log" 2>&1 || skip "packages cannot be had: $(tail -n 1 "$dir/apt.log")"
for package in "$dir"/apt/cache/archives/*.deb; do
	dpkg-deb -x "$package" "$dir/root"
done
rm -rf "$dir/apt"

libs=$dir/root/usr/lib/x86_64-linux-gnu
cat >"$dir/run.new" <<END
#!/bin/sh
QEMU_MODULE_DIR='$libs/qemu' exec '$libs/ld-linux-x86-64.so.2' --library-path '$libs' \\
	'$dir/root/usr/bin/qemu-system-x86_64' \\
	-L '$dir/root/usr/share/qemu' -L '$dir/root/usr/share/seabios' "\$@"
END
chmod 755 "$dir/run.new"
# (the list of all devices loads modules of all kinds, which need more packages)
"$dir/run.new" -device vfio-user-pci,help >"$dir/help.log" 2>&1 ||
	skip "no vfio-user-pci in it: $(tail -n 1 "$dir/help.log")"
mv "$dir/run.new" "$dir/run"
echo "$dir"
