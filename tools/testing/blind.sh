#!/bin/bash
# SPDX-License-Identifier: MIT
# Each test program of the host that compares results notices when all of them are NaN (of integers
# -1), or those of each second run, where it compares runs with each other. TAP; programs may be
# named: group/random. All of them take minutes.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tools/testing/tap.sh
. tools/testing/tap.sh

# Programs that compare plans alone, or constants that were folded.
exempt='graph/pass plan/cost planner/program'
programs=$*
if [ -z "$programs" ]; then
	programs=$(cd tools/testing/host && grep -lE '"(outcome|nets|plain)\.h"' -- */*.c |
		sed 's/\.c$//')
fi
for program in $programs; do
	case " $exempt " in
	*" $program "*)	continue ;;
	esac
	seen=1
	for which in all second; do
		LOOM_NAN_OUTPUTS=$which "build/host/$program" >/dev/null 2>&1 || { seen=0; break; }
	done
	ok $seen "$program notices"
done
finish
