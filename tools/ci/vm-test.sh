#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the VM runner: which runs must pass and which must fail. Without runs that have to
# fail, a passing run would prove nothing. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/testing/tap.sh
mkdir -p build/vm
out=$(mktemp -d "$PWD/build/vm/.test.XXXXXX")
trap 'rm -rf "$out"' EXIT

# want NAME STATUS PATTERN [OPTIONS...] -- COMMAND...
want() {
	local name=$1 status=$2 pattern=$3 got=0
	shift 3
	tools/vm/run --log "$out/dmesg" --timeout 60 "$@" >"$out/log" 2>&1 || got=$?
	[ $got = "$status" ] && grep -q -- "$pattern" "$out/log"
	ok $? "$name" || {
		echo "# status $got, wanted $status and '$pattern'"
		tail -n 30 "$out/log" | sed 's/^/# /'
	}
}

# sick NAME LINE...: a kernel log that has these lines, and nothing else, is trouble
sick() {
	local name=$1
	shift
	printf '%s\n' "$@" >"$out/sick"
	! tools/vm/dmesg-check "$out/sick" >"$out/log"
	ok $? "$name"
}

want "loom loads on the stock kernel, makes its node; a command's own status comes back" 42 accel/accel0 \
	-- sh -c 'ls /dev/accel/accel0; exit 42'
want "a panic fails the run" 126 'Kernel panic' --no-module \
	-- sh -c 'sleep 0.3; echo c >/proc/sysrq-trigger; sleep 20'
want "a guest that is busy for ever ends" 124 'no end after' --no-module --timeout 10 \
	-- sh -c 'while :; do :; done'
want "a guest that hangs ends" 124 'no end after' --no-module --timeout 10 -- sleep 600
sick "a WARNING fails the run" 'WARNING: CPU: 0 PID: 1 at made/up.c:1' 'loom-vm: clean end'
sick "a module that does not unload fails the run" 'loom-vm: rmmod failed: busy' 'loom-vm: clean end'
sick "a machine that stops before its end fails the run" 'loom-vm: begin'
finish
