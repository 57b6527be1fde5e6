#!/bin/bash
# SPDX-License-Identifier: MIT
# Whether every test that the argument for the verifier names is there: a case of the tables, or a
# program. Prints those that are not, and fails.
set -u

cd "$(dirname "$0")/../../.." || exit 1
page=Documentation/verifier.rst
names=$(sed -n '/^The argument$/,/^That the sentences/p' $page | grep -o '``[a-z0-9_]*``' |
	tr -d '`' | sort -u)
failed=0
count=0
for name in $names; do
	count=$((count + 1))
	ls tools/testing/host/core/*/"$name.c" >/dev/null 2>&1 && continue
	grep -qrw -e "C($name)" -e "P($name)" -e "KUNIT_CASE($name)" drivers/accel/loom/tests && continue
	echo "$page: there is no test $name"
	failed=1
done
[ "$count" -gt 50 ] || { echo "$page: the argument names $count tests"; exit 1; }
exit $failed
