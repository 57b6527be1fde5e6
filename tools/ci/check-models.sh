#!/bin/bash
# SPDX-License-Identifier: MIT
# Every network by every strategy in SRAM of every size, see tests/e2e/model_matrix.c: what
# tests/e2e/12-groups-host.sh does of a part. Takes long.
#
#	tools/ci/check-models.sh [NAME...]	a table on standard output, and what went wrong
# shellcheck source=tests/e2e/lib.sh
. tests/e2e/lib.sh

out=build/check-models
names=${*:-$group_models}
mkdir -p $out
make_pictures || exit 1
begin=$(date +%s)
failed=0
for name in $names; do
	compare "$name" >"$out/$name.log" || {
		echo "not ok - $name does not agree with ONNX Runtime"
		cat "$out/$name.log"
		failed=1
		continue
	}
	build/e2e/model_matrix --table "$(model_file "$name")" "$out/$name" flat presets soft \
		>"$out/$name.tap" || failed=1
	sed -n 's/^# |/|/p' "$out/$name.tap"
	grep -A1 '^not ok\|^Bail' "$out/$name.tap"
	grep '^ok.*refused' "$out/$name.tap"
done
echo "$(cat $out/*.tap | grep -c '^ok.*as promised') cells ran," \
	"$(cat $out/*.tap | grep -c '^ok.*refused:') do not fit, $(($(date +%s) - begin)) s"
exit $failed
