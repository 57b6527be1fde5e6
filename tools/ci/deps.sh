#!/bin/sh
# SPDX-License-Identifier: MIT
# Install the Debian packages that a make target needs, and only those missing.
#
#	tools/ci/deps.sh build	compile the library and the tools
#	tools/ci/deps.sh run	build, plus the module and the VM it runs in
#	tools/ci/deps.sh check	run, plus the linters and the test oracles
#	tools/ci/deps.sh debug	check, plus what a kernel takes to be built
#	tools/ci/deps.sh more	check, plus a cluster of one node, and packages
#	tools/ci/deps.sh cpus	check, plus what runs programs on processors of other kinds
#	tools/ci/deps.sh arm64	check, plus what runs and assembles programs for ARM
#	tools/ci/deps.sh deb	build and docs, plus what makes packages and looks at them
#	tools/ci/deps.sh docs	what turns Documentation/ into pages
#
# A program that is already installed, from any source, is not installed again.
set -eu

mode=${1:-run}

# "package" or "package:command": the command alone decides where it is given
build="gcc make pkg-config libc6-dev libdrm-dev protobuf-c-compiler
	libprotobuf-c-dev libonnx-dev libpng-dev libyaml-dev python3"
run="linux-headers-6.12-amd64
	qemu-system-x86 busybox-static cpio xz-utils kmod:modinfo bc rsync
	python3 perl libfreetype-dev fonts-dejavu-core nodejs:node npm:npm"
check="linux-source-6.12 sparse g++ g++-multilib shellcheck libonnx-testdata git
	python3-sphinx:sphinx-build furo mandoc man-db:man python3-numpy python3-pyflakes
	chromium"
docs="python3-sphinx:sphinx-build furo mandoc linux-source-6.12 perl"
debug="flex bison libelf-dev bc debian-archive-keyring"
more="slurmctld slurmd slurm-client munge mmdebstrap"
cpus="qemu-user:qemu-x86_64"
arm64="binutils-aarch64-linux-gnu qemu-user-static:qemu-aarch64-static
	qemu-system-arm:qemu-system-aarch64"
deb="build-essential dpkg-dev debhelper dh-dkms dh-python lintian rsync python3 nodejs:node npm:npm"

case $mode in
build)	want=$build ;;
run)	want="$build $run" ;;
check)	want="$build $run $check" ;;
debug)	want="$build $run $check $debug" ;;
more)	want="$build $run $check $docs $deb $more" ;;
cpus)	want="$build $run $check $cpus" ;;
arm64)	want="$build $run $check $arm64" ;;
deb)	want="$build $docs $deb python3-sphinx" ;;
docs)	want=$docs ;;
*)	echo "usage: $0 build|run|check|debug|more|cpus|arm64|deb|docs" >&2; exit 2 ;;
esac

missing=
for item in $want; do
	package=${item%%:*}
	if [ "$package" != "$item" ]; then
		command -v "${item#*:}" >/dev/null && continue
	elif dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
		continue
	fi
	missing="$missing $package"
done
if [ -z "$missing" ]; then
	exit 0
fi

sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
install() {
	# shellcheck disable=SC2086 # a list of words on purpose
	$sudo apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
		$missing >/dev/null
}
# The package lists may be missing or outdated: update them once, and only if needed.
install 2>/dev/null || {
	echo "deps: refreshing the package lists"
	$sudo apt-get -qq update
	install
}
