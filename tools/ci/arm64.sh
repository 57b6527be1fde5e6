#!/bin/bash
# SPDX-License-Identifier: MIT
# The library, the tool and the module on ARM, cross-built with the distribution's packages: host
# tests under QEMU's user mode, the module on the distribution's kernel in a virtual machine, and
# results that are the same to the bit as here. TAP.
#
#	tools/ci/arm64.sh [prepare|build|host|same|module|node]...
#
# Nothing of it is installed: compiler, libraries and kernel are unpacked in build/arm64, so that
# this machine stays one of one architecture. (The compiler's package and gcc-multilib, which
# checks the UAPI for 32 bits, cannot be installed together.)
#
#	apt, deb	package lists of the other architecture, and its packages
#	cross		the compiler
#	sysroot		libraries; its usr/ is the guest's /usr
#	headers, kernel	for the module; modules as tools/vm/initramfs.sh wants them
#	drm		DRM's core with accel nodes, see below
#	out		what the Makefile builds
#
# The distribution's kernel has no accel nodes on ARM (DRM_ACCEL). So its DRM core, drm.ko, is built
# a second time from the same source with that one option set. All else is the stock kernel.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/../testing/e2e/lib.sh"

set -o pipefail
top=$(pwd -P)
unset MAKEFLAGS MFLAGS MAKELEVEL
dir=$top/build/arm64
sysroot=$dir/sysroot
cross=$dir/cross/usr/bin/aarch64-linux-gnu-gcc-12
arm=build/arm64/out
networks="blazeface alexa cls"
mkdir -p "$dir"

# apt with lists of its own, for ARM, from wherever this machine gets its packages
apt_arm() {
	apt-get -qq -o "Dir::State::Lists=$dir/apt/lists" -o "Dir::Cache=$dir/apt" \
		-o Dir::State::status=/dev/null -o APT::Architecture=arm64 \
		-o APT::Architectures::=arm64 -o Acquire::Languages=none \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

prepare() {
	local amd64 release tools deb
	amd64=$(tools/vm/kernel.sh) || return 1
	release=${amd64%-amd64}-arm64
	# of an older version of this script there is no libyaml
	[ "$(cat "$dir/release" 2>/dev/null)" != "$release" ] ||
		[ ! -e "$sysroot/usr/include/yaml.h" ] || return 0
	rm -rf "$dir"/{apt,deb,cross,sysroot,headers,kernel,drm}
	mkdir -p "$dir"/{apt/lists/partial,apt/archives/partial,deb,cross,sysroot/usr/lib} \
		"$dir"/{sysroot/usr/bin,headers,kernel}
	ln -s usr/lib "$sysroot/lib"
	ln -s usr/bin "$sysroot/bin"

	# a list that cannot be had matters only if a package is missing then
	apt_arm update || true
	(
		cd "$dir/deb" || exit 1
		apt_arm download "linux-headers-$release" "linux-image-$release" busybox-static \
			libc6 libc6-dev linux-libc-dev libcrypt1 libgcc-s1 libdrm2 libdrm-dev \
			libprotobuf-c1 libprotobuf-c-dev libpng16-16 libpng-dev zlib1g zlib1g-dev \
			libyaml-0-2 libyaml-dev
		mkdir -p here && cd here && chmod 755 .
		apt-get -qq download cpp-12-aarch64-linux-gnu gcc-12-aarch64-linux-gnu \
			libgcc-12-dev-arm64-cross libgcc-s1-arm64-cross
	) || return 1
	for deb in "$dir"/deb/here/*.deb; do
		dpkg-deb -x "$deb" "$dir/cross" || return 1
	done
	# the compiler looks for its assembler beside itself
	mkdir -p "$dir/cross/usr/aarch64-linux-gnu"
	ln -s /usr/aarch64-linux-gnu/bin "$dir/cross/usr/aarch64-linux-gnu/bin"
	# through a pipe, because dpkg would replace the links by folders
	for deb in "$dir"/deb/{lib,linux-libc,zlib,busybox}*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$sysroot" || return 1
	done
	find "$sysroot/usr" -lname '/*' -printf '%p %l\n' | while read -r link target; do
		ln -sfn "${target##*/}" "$link"
	done
	ln -sf busybox "$sysroot/usr/bin/sh"
	for deb in "$dir"/deb/linux-headers*.deb; do
		dpkg-deb -x "$deb" "$dir/headers" || return 1
	done
	# the programs that build modules are this machine's
	tools=$(dirname "$(readlink "$dir/headers/usr/src/linux-headers-$release/scripts")")
	mkdir -p "$dir/headers/usr/lib"
	ln -s "/usr/lib/${tools##*/}" "$dir/headers/usr/lib/"

	dpkg-deb -x "$dir/deb/linux-image-$release"_*.deb "$dir/kernel/x" &&
		mv "$dir/kernel/x/boot/vmlinuz-$release" "$dir/kernel/x/lib/modules" "$dir/kernel/" ||
		return 1
	rm -rf "$dir/kernel/x"
	drm_core "$release" || return 1
	touch "$dir/kernel/modules"
	echo "$release" >"$dir/release"
}

kbuild() {
	make -C "$dir/headers/usr/src/linux-headers-$1" ARCH=arm64 CC="$cross" -j"$(nproc)" "${@:2}"
}

# drm_core RELEASE: DRM's core with accel nodes, in place of the one of the package
drm_core() {
	local drm=$dir/drm/drivers/gpu/drm
	mkdir -p "$dir/drm"
	xz -dc -T2 /usr/src/linux-source-6.12.tar.xz |
		tar -x -C "$dir/drm" --strip-components=1 --wildcards --no-wildcards-match-slash \
			'*/drivers/gpu/drm/*.[ch]' '*/drivers/gpu/drm/Makefile' \
			'*/drivers/accel/drm_accel.c' || return 1
	# the core and nothing else
	sed -i '/^obj-\$(CONFIG_DRM)[[:space:]]/{s/.*/obj-m += drm.o/;q};/^obj-/d' "$drm/Makefile"
	# its tracepoints include a header by a path that begins in include/trace
	mkdir -p "$dir/drm/include/trace"
	kbuild "$1" M="$drm" CONFIG_DRM_ACCEL=y \
		KCFLAGS="-DCONFIG_DRM_ACCEL=1 -I$dir/drm/include/trace" modules || return 1
	rm -f "$dir/kernel/modules/$1/kernel/drivers/gpu/drm/drm.ko"*
	aarch64-linux-gnu-strip -g -o "$dir/kernel/modules/$1/kernel/drivers/gpu/drm/drm.ko" \
		"$drm/drm.ko"
}

# There is no compiler for C++ in build/arm64, and this machine's is not meant for its headers.
cross_make() {
	PKG_CONFIG_SYSROOT_DIR=$sysroot \
	PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig \
		make -s -j"$(nproc)" O=$arm CC="$cross --sysroot=$sysroot" \
		AR=aarch64-linux-gnu-ar CXX= "$@"
}

module() {
	local release
	release=$(cat "$dir/release") || return 1
	mkdir -p "$dir/module"
	rsync -rlptm --delete --exclude='*.mod.c' --include='*/' --include='*.[ch]' \
		--include='Kbuild*' --exclude='*' Kbuild drivers uapi "$dir/module/"
	# the headers say that there are no accel nodes
	kbuild "$release" M="$dir/module" KCFLAGS=-DCONFIG_DRM_ACCEL=1 \
		KBUILD_EXTRA_SYMBOLS="$dir/drm/drivers/gpu/drm/Module.symvers" modules \
		>"$dir/module.log" 2>&1 || {
		tail -n 40 "$dir/module.log"
		return 1
	}
	! grep 'warning:' "$dir/module.log"
}

selftests() {
	local test name
	mkdir -p "$dir/selftests"
	# shellcheck disable=SC2046 # a list of words
	for test in selftests/*.c; do
		name=$(basename "$test" .c)
		[ "$dir/selftests/$name" -nt "$test" ] ||
			"$cross" --sysroot="$sysroot" -Wall -O2 -std=gnu11 -D_GNU_SOURCE -isystem uapi \
			-isystem "$sysroot/usr/include/libdrm" \
			-I build/ksource/tools/testing/selftests/kselftest \
			-o "$dir/selftests/$name" "$test" -lpthread || return 1
	done
}

# tests that measure, and would measure QEMU
export LOOM_EFFORT=20
qemu() {
	qemu-aarch64-static -L "$sysroot" "$@"
}

host() {
	local name status
	while read -r name; do
		status=0
		(ulimit -t 900 && qemu "$arm/host/$name") >"$dir/log.host" 2>&1 || status=$?
		ok "under QEMU's user mode: $name" test $status = 0 || sed 's/^/# /' "$dir/log.host" |
			grep -v '# ok' | tail -n 20
	done < <(cd tools/testing/host && find . -name '*.c' -printf '%P\n' | sort | sed 's/\.c$//')
}

# run_model PROGRAM... NAME DIR: on the host device
run_model() {
	local dir=${*: -1} name=${*: -2:1}
	rm -rf "$dir"
	mkdir -p "$dir"
	# shellcheck disable=SC2046 # lists of words
	"${@:1:$#-2}" run "$(model_file "$name")" $(model_args "$name") --device host \
		--save-outputs "$dir" && [ -n "$(ls "$dir")" ]
}

plan_model() {
	local plan=${*: -1} name=${*: -2:1}
	# shellcheck disable=SC2046 # lists of words
	"${@:1:$#-2}" plan "$(model_file "$name")" $(model_shape "$name") -o "$plan"
}

model_shape() {
	case $1 in
	cls)	echo --shape x=1,3,48,192 ;;
	esac
}

same() {
	local name
	mkdir -p "$dir/same"
	for name in $networks; do
		ok "$name runs here" run_model build/loom "$name" "$dir/same/$name.here"
		ok "$name runs on ARM" run_model qemu $arm/loom "$name" "$dir/same/$name.arm"
		ok "$name: the same bits" diff -r "$dir/same/$name.here" "$dir/same/$name.arm"
		plan_model build/loom "$name" "$dir/same/$name.plan" >/dev/null
		plan_model qemu $arm/loom "$name" "$dir/same/$name.plan.arm" >/dev/null
		ok "$name: the same plan" cmp "$dir/same/$name.plan" "$dir/same/$name.plan.arm"
	done
	ok 'the ONNX backend cases run here' \
		build/e2e/onnx_backend --device host --digest "$dir/same/digest.here"
	ok 'the ONNX backend cases run on ARM' \
		qemu $arm/e2e/onnx_backend --device host --digest "$dir/same/digest.arm"
	ok 'the ONNX backend cases: the same bits' \
		cmp "$dir/same/digest.here" "$dir/same/digest.arm"
}

# the script that runs in the machine, with busybox
guest() {
	cat <<-EOF
	cd $top
	for test in $dir/selftests/*; do
		name=\${test##*/}
		timeout 6000 \$test >$dir/node/\$name.tap 2>&1
		echo \$? >$dir/node/\$name.status
	done
	EOF
	for name in $networks; do
		echo "mkdir -p $dir/node/$name"
		echo "$arm/loom run $(model_file "$name") $(model_args "$name") --device soft" \
			"--save-outputs $dir/node/$name >$dir/node/$name.out 2>&1"
	done
}

node() {
	local name status
	rm -rf "$dir/node"
	mkdir -p "$dir/node"
	guest >"$dir/node/guest"
	ok 'the machine boots, runs all of it and says nothing in its log' \
		tools/vm/run --arm64 --timeout 3000 --out "$dir/node" --log "$dir/dmesg.log" \
		--module "$dir/module/drivers/accel/loom/loom.ko" \
		--modparams job_timeout_ms=3000000 -- sh "$dir/node/guest"
	for test in selftests/*.c; do
		name=$(basename "$test" .c)
		status=$(cat "$dir/node/$name.status" 2>/dev/null)
		# 4 is a skip: the stock kernel injects no faults
		ok "$name: $(grep -c '^ok' "$dir/node/$name.tap" 2>/dev/null) tests on the node" \
			test "$status" = 0 -o "$status" = 4 || grep -B 3 '^not ok' "$dir/node/$name.tap" | sed 's/^/# /'
	done
	for name in $networks; do
		ok "$name on the node: the bits of this machine" \
			diff -r "$dir/same/$name.here" "$dir/node/$name"
	done
}

steps=${*:-prepare build host same module node}
for step in $steps; do
	case $step in
	prepare)	ok 'packages are unpacked, DRM has accel nodes' prepare || finish ;;
	build)		ok 'library, tool and tests are cross-built' \
				cross_make tools build-tests || finish ;;
	host)		host ;;
	same)		ok 'the pictures are drawn' make_pictures || finish
			same ;;
	module)		ok 'the module is built without a warning' module &&
				ok 'the selftests are built' selftests || finish ;;
	node)		node ;;
	*)		echo "usage: $0 [prepare|build|host|same|module|node]..." >&2
			exit 2 ;;
	esac
done
finish
