#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that the tree keeps its floors, and that floors.py finds violations planted in a copy of it:
# uses of rooms above or beside, circles, files and folders that are too large. TAP.
set -u

cd "$(dirname "$0")/../.." || exit 1
mkdir -p build
dir=$(mktemp -d "$PWD/build/.floors.XXXXXX")
trap 'rm -rf "$dir"' EXIT
count=0
failed=0

# is NAME WANT GOT: a test that passes if both are the same
is() {
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count $1"
	else
		failed=1
		echo "not ok $count $1"
		printf 'wanted:\n%s\ngot:\n%s\n' "$2" "$3" | sed 's/^/# /'
	fi
}

# compile FILE...: their objects, where floors.py looks for them
compile() {
	local file
	for file; do
		gcc -c -I"$dir/userlib" -o "$dir/build/obj/${file%.c}.o" "$dir/$file" || exit 1
	done
}

# finds NAME WANT: floors.py prints one line more than for the tree itself: WANT
finds() {
	local said status=0
	said=$("$dir/tools/ci/floors.py" 2>&1) || status=$?
	is "$1" "status 1: $2" "status $status: $(comm -13 "$dir/known" <(sort <<<"$said"))"
}

# clean FILE...: removes planted files
clean() {
	local file
	for file; do
		rm -f "$dir/$file" "$dir/build/obj/${file%.c}.o"
	done
}

said=$(tools/ci/floors.py 2>&1)
is 'the tree keeps its floors' 'status 0: ' "status $?: $said"
sort <<<"$said" >"$dir/known"

cp -r --parents userlib drivers/accel/loom/core tools/ci/floors.py tools/ci/floors.txt \
	build/obj/userlib build/obj/drivers/accel/loom/core "$dir"
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

echo '#include "lower/sink.h"' >"$dir/userlib/place/stray.c"
echo >"$dir/empty.c"
gcc -c -o "$dir/build/obj/userlib/place/stray.o" "$dir/empty.c"
rm "$dir/empty.c"
finds 'a header of a room above' \
	'userlib/place/stray.c includes userlib/lower/sink.h: place stands below lower'

echo 'int loom_group_plan(void); int stray(void); int stray(void) { return loom_group_plan(); }' \
	>"$dir/drivers/accel/loom/core/bank/stray.c"
clean userlib/place/stray.c
compile drivers/accel/loom/core/bank/stray.c
to=$(cd build/obj && nm -g -A userlib/group/*.o | sed -n 's/\.o:.* T loom_group_plan$/.c/p')
finds 'a call from core to the library' \
	"drivers/accel/loom/core/bank/stray.c uses loom_group_plan of $to: core/bank stands below group"
clean drivers/accel/loom/core/bank/stray.c

echo 'int right(void); int left(void); int left(void) { return right(); }' \
	>"$dir/userlib/order/left.c"
echo 'int right(void); int left(void); int right(void) { return left(); }' \
	>"$dir/userlib/order/right.c"
compile userlib/order/left.c userlib/order/right.c
circle='userlib/order: a circle of files: left.c right.c:'
circle="$circle left.c uses right of right.c, right.c uses left of left.c"
finds 'a circle of files' "$circle"

cp "$dir/tools/ci/floors.txt" "$dir/floors.orig"
echo 'circle: order/left.c order/right.c because it is a test' >>"$dir/tools/ci/floors.txt"
said=$("$dir/tools/ci/floors.py" 2>&1)
is 'a circle that has a reason' '' "$(comm -13 "$dir/known" <(sort <<<"$said"))"
clean userlib/order/left.c userlib/order/right.c
finds 'a reason that nothing needs' \
	'floors.txt: there is no circle of order/left.c order/right.c: remove the line'
cp "$dir/floors.orig" "$dir/tools/ci/floors.txt"

echo 'allow: place group' >>"$dir/tools/ci/floors.txt"
lines=$(wc -l <"$dir/tools/ci/floors.txt")
said=$("$dir/tools/ci/floors.py" 2>&1)
is 'an exception without a reason' \
	"status 2: floors: floors.txt:$lines: no reason is given (because ...)" "status $?: $said"
mv "$dir/floors.orig" "$dir/tools/ci/floors.txt"

yes '/* more */' | head -n 801 >"$dir/userlib/place/long.h"
finds 'a file that is too long' 'userlib/place/long.h has 801 lines: at most 800 are allowed'
clean userlib/place/long.h

mkdir -p "$dir/full"
for i in $(seq 41); do
	: >"$dir/full/$i.txt"
done
finds 'a folder with too many files' 'full has 41 files: at most 40 are allowed'
rm -r "$dir/full"

: >"$dir/userlib/place/loom_stray.h"
finds 'a public header in a room' \
	'userlib/place/loom_stray.h is a public header: it belongs into userlib/include'
clean userlib/place/loom_stray.h

sed -i '/DOC:/d' "$dir/userlib/order/order.h"
finds 'a room that does not say what it is for' \
	'userlib/order/order.h does not open with a DOC: essay that says what the room does'
cp userlib/order/order.h "$dir/userlib/order/order.h"

mkdir "$dir/userlib/attic"
: >"$dir/userlib/attic/stray.h"
finds 'a room on no floor' 'attic is on no floor of floors.txt'
rm -r "$dir/userlib/attic"

: >"$dir/userlib/place/stray.c"
said=$("$dir/tools/ci/floors.py" 2>&1)
is 'a source without an object' \
	'status 2: floors: no object of userlib/place/stray.c: make lib first' "status $?: $said"

echo "1..$count"
exit $failed
