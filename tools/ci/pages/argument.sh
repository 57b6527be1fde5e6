#!/bin/bash
# SPDX-License-Identifier: MIT
# Whether every test that the argument for the verifier names is there, a case of the tables or a
# program; whether every sentence of it names one; and whether every rule of the enumeration is
# shown by a case of that rule. Prints what is missing, and fails.
set -u

cd "$(dirname "$0")/../../.." || exit 1
page=Documentation/verifier.rst
argument=$(sed -n '/^The argument$/,/^Other tests show/p' $page)
names=$(echo "$argument" | grep -o '``[a-z0-9_]*``' | tr -d '`' | sort -u)
failed=0
count=0
for name in $names; do
	count=$((count + 1))
	[ -z "$(find tools/testing/host -name "$name.c")" ] || continue
	grep -qrw -e "C($name)" -e "P($name)" -e "KUNIT_CASE($name)" drivers/accel/loom/tests && continue
	echo "$page: there is no test $name"
	failed=1
done

# a row begins where the first column, as wide as the first run of the line above it, is not blank
width=$(echo "$argument" | sed -n 's/^\(==*\) .*/\1/p' | head -n 1 | tr -d '\n' | wc -c)
rows=$(echo "$argument" | awk '/^==* ==*$/ { rules++; next } rules == 2')
[ -n "$rows" ] || { echo "$page: the argument has no sentences"; exit 1; }
while IFS= read -r row; do
	sentence=${row:0:$width}
	[ -n "${sentence// /}" ] || continue
	[[ ${row:$width} =~ \`\`[a-z0-9_]+\`\` ]] && continue
	echo "$page: no test for: $sentence"
	failed=1
done <<<"$rows"

shown=$(for name in $names; do
	grep -rhoE "DRM_LOOM_RULE_[A-Z_]+, [CP]\\($name\\)" drivers/accel/loom/tests
done | grep -o 'DRM_LOOM_RULE_[A-Z_]*' | sort -u)
rules=$(sed -n '/^enum drm_loom_rule {/,/^};/p' uapi/drm/loom_accel_plan.h |
	grep -o '^	DRM_LOOM_RULE_[A-Z_]*' | grep -vw -e DRM_LOOM_RULE_NONE -e DRM_LOOM_RULE_END)
for rule in $rules; do
	grep -qx "$rule" <<<"$shown" && continue
	echo "$page: the argument has no case of $rule"
	failed=1
done

[ "$count" -gt 50 ] || { echo "$page: the argument names $count tests"; exit 1; }
exit $failed
