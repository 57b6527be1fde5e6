#!/bin/bash
# SPDX-License-Identifier: MIT
# Every test that the argument for the verifier names is there: a case of the tables, or a program.
set -u

cd "$(dirname "$0")/../../.." || exit 1
. tools/testing/tap.sh

page=Documentation/verifier.rst
names=$(sed -n '/^The argument$/,/^That the sentences/p' $page | grep -o '``[a-z0-9_]*``' | tr -d '`' | sort -u)
missing=0
count=0
for name in $names; do
	count=$((count + 1))
	ls tools/testing/host/core/*/"$name.c" >/dev/null 2>&1 && continue
	grep -qrw -e "C($name)" -e "P($name)" -e "KUNIT_CASE($name)" drivers/accel/loom/tests && continue
	echo "# $page: there is no test $name"
	missing=$((missing + 1))
done
[ "$missing" = 0 ] && [ "$count" -gt 50 ]
ok $? "tests that the argument for the verifier names: $count, $missing of them missing"
finish
