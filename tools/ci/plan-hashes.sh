#!/bin/bash
# SPDX-License-Identifier: MIT
# Prints a hash of the plan of every network by every strategy in SRAM of every size, as in `make
# check-models`: two builds make the same plans if they print the same.
#
#	tools/ci/plan-hashes.sh [NAME...]
# shellcheck source=tools/testing/e2e/lib.sh
. tools/testing/e2e/lib.sh

out=build/plan-hashes
names=${*:-$group_models}
failed=0
make_pictures || exit 1
for name in $names; do
	[ -d "$out/$name/in" ] || model_run "$name" host "$out/$name" || exit 1
	build/e2e/model_matrix --hash "$(model_file "$name")" "$out/$name" flat presets soft \
		>"$out/$name.log" || failed=1
	grep -E '^hash|^Bail|refused' "$out/$name.log"
done
exit $failed
