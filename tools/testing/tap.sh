# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by scripts that print TAP, on the host and in the VM.
tap_count=0
tap_failed=0

# ok STATUS NAME: one test, and whether it passed
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count $2"
		return 0
	fi
	tap_failed=1
	echo "not ok $tap_count $2"
	return 1
}

# no more tests: ends the script
finish() {
	echo "1..$tap_count"
	exit $tap_failed
}
