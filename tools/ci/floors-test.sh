#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that the tree keeps its floors, and that floors.py finds violations planted in a copy of it:
# uses of rooms above or beside, circles, tags with two meanings. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tools/testing/tap.sh
mkdir -p build
dir=$(mktemp -d "$PWD/build/.floors.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# is NAME WANT GOT: a test that passes if both are the same
is() {
	[ "$2" = "$3" ]
	ok $? "$1" || printf 'wanted:\n%s\ngot:\n%s\n' "$2" "$3" | sed 's/^/# /'
}

# compile FILE...: their objects, where floors.py looks for them
compile() {
	local file
	for file; do
		gcc -c -I"$dir/userlib" -o "$dir/build/obj/${file%.c}.o" "$dir/$file" || exit 1
	done
}

# finds NAME WANT [STATUS]: floors.py prints one line more than for the tree itself: WANT
finds() {
	local said status=0
	said=$("$dir/tools/ci/floors.py" 2>&1) || status=$?
	is "$1" "status ${3:-1}: $2" "status $status: $(comm -13 "$dir/known" <(sort <<<"$said"))"
}

# list LINE: floors.txt is that of the tree, and LINE
list() {
	cp tools/ci/floors.txt "$dir/tools/ci/floors.txt"
	echo "$1" >>"$dir/tools/ci/floors.txt"
}

# clean FILE...: removes planted files
clean() {
	local file
	for file; do
		rm -f "$dir/$file" "$dir/build/obj/${file%.c}.o"
	done
}

said=$(tools/ci/floors.py 2>&1)
is 'the tree keeps its floors' 'status 0: ' "status $?: $(grep -v '^warning: ' <<<"$said")"

cp -r --parents userlib drivers/accel/loom/core tools/ci/floors.py tools/ci/floors.txt \
	build/obj/userlib build/obj/drivers/accel/loom/core "$dir"
# a room may be full: planted files take the place of one that nobody below or beside uses
rm "$dir/userlib/place/strategies.c" "$dir/build/obj/userlib/place/strategies.o"
printf 'build/\nknown\n' >"$dir/.gitignore"
git init -q "$dir"
# paths outside of the copy are not in its output
said=$("$dir/tools/ci/floors.py" 2>&1)
sort <<<"$said" >"$dir/known"

echo 'int loom_group_plan(void); int stray(void); int stray(void) { return loom_group_plan(); }' \
	>"$dir/userlib/place/stray.c"
compile userlib/place/stray.c
to=$(cd build/obj && nm -g -A userlib/group/*.o | sed -n 's/\.o:.* T loom_group_plan$/.c/p')
finds 'a call to a room above' \
	"userlib/place/stray.c uses loom_group_plan of $to: place stands below group"

echo 'int loom_order(void); int stray(void); int stray(void) { return loom_order(); }' \
	>"$dir/userlib/place/stray.c"
compile userlib/place/stray.c
to=$(cd build/obj && nm -g -A userlib/order/*.o | sed -n 's/\.o:.* T loom_order$/.c/p')
finds 'a call to a room on the same floor' \
	"userlib/place/stray.c uses loom_order of $to: place stands beside order"

list 'allow: place/stray.c order because it is a test'
finds 'an exception that takes effect' '' 0
cp tools/ci/floors.txt "$dir/tools/ci/floors.txt"

clean userlib/place/stray.c

echo '#include "lower/sink.h"' >"$dir/userlib/place/stray.c"
echo >"$dir/empty.c"
gcc -c -o "$dir/build/obj/userlib/place/stray.o" "$dir/empty.c"
rm "$dir/empty.c"
finds 'a header of a room above' \
	'userlib/place/stray.c includes userlib/lower/sink.h: place stands below lower'

clean userlib/place/stray.c

echo 'int right(void); int left(void); int left(void) { return right(); }' \
	>"$dir/userlib/order/left.c"
echo 'int right(void); int left(void); int right(void) { return left(); }' \
	>"$dir/userlib/order/right.c"
compile userlib/order/left.c userlib/order/right.c
order='userlib/order: a circle of files: left.c right.c:'
order="$order left.c uses right of right.c, right.c uses left of left.c"
finds 'a circle of files' "$order"

mkdir -p "$dir/module"
for file in left right; do
	cp "$dir/userlib/order/$file.c" "$dir/drivers/accel/loom/loom_$file.c"
	gcc -c -o "$dir/module/loom_$file.o" "$dir/drivers/accel/loom/loom_$file.c"
done
module_list=$dir/tools/ci/floors-module.txt
printf 'low\nhigh\nfiles: high loom_left.c loom_right.c\nfiles: low loom_gone.c\n' >"$module_list"
circle='drivers/accel/loom: a circle of files: loom_left.c loom_right.c:'
unknown="floors-module.txt: there is no room or file loom_gone.c
floors-module.txt: there is no room or file low"
said=$("$dir/tools/ci/floors.py" --module "$dir/module" 2>&1)
is 'a circle in the module' "status 1: $circle loom_left.c uses right of loom_right.c, \
loom_right.c uses left of loom_left.c
$unknown" "status $?: $said"
echo 'int left(void); int left(void) { return 0; }' | gcc -x c -c -o "$dir/module/loom_left.o" -
printf 'low\nhigh\nfiles: low loom_right.c\nfiles: high loom_left.c\n' >"$module_list"
said=$("$dir/tools/ci/floors.py" --module "$dir/module" 2>&1)
is 'a room of the module that uses one above' \
	'status 1: loom_right.c uses left of loom_left.c: low stands below high' "status $?: $said"

clean userlib/order/left.c userlib/order/right.c

tag=$(grep -rl '^struct loom_chunk {' userlib)
echo 'struct loom_chunk {' >"$dir/userlib/place/stray.h"
finds 'a tag with two meanings' \
	"loom_chunk has more than one definition: in $tag, userlib/place/stray.h"
clean userlib/place/stray.h

finish
