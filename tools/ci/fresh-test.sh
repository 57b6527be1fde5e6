#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that fresh.sh checks again whatever may have another answer than before, and nothing else. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/ci/fresh.sh
. tools/testing/tap.sh
mkdir -p build
dir=$(mktemp -d "$PWD/build/.fresh.XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

checker() {
	printf '%s\n' "$@" >>checked
	! grep -n FAULT "$@" || return 0
	! grep -q SILENT "$@" || return 1
	[ ! -e change ] || { echo changed >b.c; rm change; }
}

# checks NAME STATUS SAID FILE...: it checks these files, has this status, and says that
checks() {
	local name=$1 want=$2 said_want=$3 said status=0
	shift 3
	: >checked
	said=$(fresh passed "$key" checker a.c b.c 'c d.c') || status=$?
	[ "$(sort checked)" = "$(printf '%s\n' "$@")" ] && [ "$said" = "$said_want" ] &&
		[ $((status != 0)) = "$want" ]
	ok $? "$name" || printf '# status %s, said "%s", checked %s\n' $status "$said" "$(tr '\n' ' ' <checked)"
}

key=1
echo a >a.c
echo b >b.c
echo c >'c d.c'
checks 'all, the first time' 0 '' a.c b.c 'c d.c'
checks 'nothing, the second time' 0 '' ''
echo FAULT >b.c
checks 'a fault is found' 0 '1:FAULT' b.c
checks 'and found again' 0 '1:FAULT' b.c
echo b >b.c
checks 'what passed before needs no check' 0 '' ''
key=2
checks 'another checker checks all' 0 '' a.c b.c 'c d.c'
echo FAULT >'c d.c'
key=3
checks 'a fault beside good files' 0 'c d.c:1:FAULT' a.c b.c 'c d.c'
checks 'none of them is taken for good' 0 'c d.c:1:FAULT' a.c b.c 'c d.c'
echo SILENT >'c d.c'
checks 'a failure without a word' 1 '' a.c b.c 'c d.c'
checks 'again' 1 '' a.c b.c 'c d.c'
echo c >'c d.c'
: >change
checks 'a file that changes meanwhile' 0 '' a.c b.c 'c d.c'
echo FAULT >b.c
checks 'is checked again' 0 'b.c:1:FAULT' a.c b.c 'c d.c'
rm passed
echo b >b.c
checks 'nothing is needed of before' 0 '' a.c b.c 'c d.c'
finish
