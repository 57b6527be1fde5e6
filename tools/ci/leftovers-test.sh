#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that leftovers.sh finds each kind of leftover in a checkout made for it, and nothing in a
# clean one. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/testing/tap.sh
script=$PWD/tools/ci/leftovers.sh
mkdir -p build
dir=$(mktemp -d "$PWD/build/.leftovers.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# finds NAME WANT: the script fails, and WANT is the one line that it prints; an empty WANT: it passes
finds() {
	local said status=0
	said=$("$script" "$dir") || status=$?
	[ "$said" = "$2" ] && [ "$status" = "$([ -z "$2" ]; echo $?)" ]
	ok $? "$1" || printf '# status %s\n# %s\n' "$status" "$said"
}

git init -q "$dir"
echo 'int a;' >"$dir/a.c"
git -C "$dir" add a.c
finds 'a clean tree' ''
for name in a.c.orig a.c.rej a.c.bak .a.c.swp a.c~; do
	: >"$dir/$name"
	finds "$name, not added" "$name: left behind by a tool"
	git -C "$dir" add -f "$name"
	finds "$name, added" "$name: left behind by a tool"
	git -C "$dir" rm -qf "$name"
done
printf '%s HEAD\n' '<<<<<<<' >>"$dir/a.c"
finds 'a line of a merge' 'a.c:2:<<<<<<< HEAD: left behind by a merge'
printf 'int a;\nall: ../%s/x.csv\n' shared >"$dir/a.c"
finds 'a path beside the checkout' 'a.c:2:all: ../shared/x.csv: a path outside of the tree'
printf 'int a;\ncd /%s/me/loom\n' home >"$dir/a.c"
finds 'a path of one machine' 'a.c:2:cd /home/me/loom: a path outside of the tree'
printf 'int a;\ncd %s/build\n' "$dir" >"$dir/a.c"
finds 'the path of the checkout' "a.c:2:cd $dir/build: a path outside of the tree"
finish
