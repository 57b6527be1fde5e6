#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests that the tree keeps its floors, and that floors.py finds violations planted in a copy of it:
# uses of rooms above or beside, circles, files and folders that are too large, mistakes in
# floors.txt. TAP.
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

# refuses NAME WANT: floors.py does not do the check, because of WANT
refuses() {
	local said status=0
	said=$("$dir/tools/ci/floors.py" 2>&1) || status=$?
	is "$1" "status 2: floors: $2" "status $status: $said"
}

# list LINE: floors.txt is that of the tree, and LINE as line $lines
list() {
	cp tools/ci/floors.txt "$dir/tools/ci/floors.txt"
	echo "$1" >>"$dir/tools/ci/floors.txt"
	lines=$(wc -l <"$dir/tools/ci/floors.txt")
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
# a room may be full: what is planted takes the place of a file that nobody below or beside uses
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

echo 'int loom_order(void) __attribute__((weak)); int stray(void);' \
	'int stray(void) { return loom_order ? loom_order() : 0; }' >"$dir/userlib/place/stray.c"
compile userlib/place/stray.c
finds 'a weak use of a room on the same floor' \
	"userlib/place/stray.c uses loom_order of $to: place stands beside order"

echo 'int loom_order(void); int loom_order(void) { return 0; }' >"$dir/userlib/order/stray.c"
clean userlib/place/stray.c
compile userlib/order/stray.c
finds 'a symbol with two definitions' \
	"loom_order is defined more than once: in $to, userlib/order/stray.c"
clean userlib/order/stray.c

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
printf 'low high\nfiles: low loom_right.c\n' >"$module_list"
said=$("$dir/tools/ci/floors.py" --module "$dir/module" 2>&1)
is 'a file of the module in no room' 'status 1: loom_left.c is in no room of floors-module.txt
floors-module.txt: there is no room or file high' "status $?: $said"
gcc -c -o "$dir/module/loom_left.o" "$dir/drivers/accel/loom/loom_left.c"
mkdir -p "$dir"/{,build/obj/}tools/sim
for file in left right; do
	mv "$dir/drivers/accel/loom/loom_$file.c" "$dir/tools/sim"
	mv "$dir/module/loom_$file.o" "$dir/build/obj/tools/sim"
done
circle='tools/sim: a circle of files: loom_left.c loom_right.c:'
circle="$circle loom_left.c uses right of loom_right.c, loom_right.c uses left of loom_left.c"
finds 'a circle of files in a tool' "$circle
$order"
rm -r "$dir"/{,build/obj/}tools/sim
said=$("$dir/tools/ci/floors.py" --module "$dir/module" 2>&1)
is 'a module without sources' 'status 2: floors: no source in drivers/accel/loom' "status $?: $said"

list 'circle: order/left.c order/right.c because it is a test'
said=$("$dir/tools/ci/floors.py" 2>&1)
is 'a circle that has a reason' '' "$(comm -13 "$dir/known" <(sort <<<"$said"))"
clean userlib/order/left.c userlib/order/right.c
finds 'a reason that nothing needs' \
	'floors.txt: there is no circle of order/left.c order/right.c: remove the line'

list 'allow: place group'
refuses 'an exception without a reason' "floors.txt:$lines: no reason is given (because ...)"
list 'allow: place group order because it is a test'
refuses 'an exception of three' "floors.txt:$lines: an arrow goes from one to another"
list 'allow: * group because it is a test'
refuses 'an exception for everything' "floors.txt:$lines: * would allow everything"
list 'header: place'
refuses 'a header line without headers' "floors.txt:$lines: a room and its headers are wanted"
list 'place'
refuses 'a room on two floors' "floors.txt:$lines: place stands on two floors"

list 'allow: place group because it is a test'
finds 'an exception that nothing needs' 'floors.txt: place does not use group: remove the line'
list 'allow: attic/* group because it is a test'
finds 'an exception for a room that does not exist' \
	'floors.txt: allow: there is no room or file attic/*'
list 'allow: place attic because it is a test'
finds 'an exception to a room that does not exist' \
	'floors.txt: allow: there is no room or file attic'
list 'attic'
finds 'a floor for a room that does not exist' \
	'floors.txt: there is no room attic: userlib/attic/ has no files'
list 'header: attic loom_run.h'
finds 'a header of a room that does not exist' 'attic is on no floor of floors.txt'
list 'header: run loom_attic.h'
finds 'a header that does not exist' \
	'floors.txt: header: there is no public header loom_attic.h'
cp tools/ci/floors.txt "$dir/tools/ci/floors.txt"

yes '/* more */' | head -n 801 >"$dir/userlib/place/long.h"
finds 'a file that is too long' 'warning: userlib/place/long.h has 801 lines, more than 800' 0
clean userlib/place/long.h

mkdir -p "$dir/full"
for i in $(seq 41); do
	: >"$dir/full/$i.txt"
done
finds 'a folder with too many files' 'warning: full has 41 files, more than 40' 0
rm -r "$dir/full"

tag=$(grep -rl '^struct loom_chunk {' userlib)
echo 'struct loom_chunk {' >"$dir/userlib/place/stray.h"
finds 'a tag with two meanings' \
	"loom_chunk has more than one definition: in $tag, userlib/place/stray.h"
clean userlib/place/stray.h

: >"$dir/userlib/place/loom_stray.h"
finds 'a public header in a room' \
	'userlib/place/loom_stray.h is a public header: it belongs into userlib/include'
clean userlib/place/loom_stray.h

sed -i '/DOC:/d' "$dir/userlib/order/order.h"
finds 'a room that does not say what it is for' \
	'userlib/order/order.h does not open with a DOC: essay that says what the room does'
cp userlib/order/order.h "$dir/userlib/order/order.h"

rm "$dir/userlib/order/order.h"
finds 'a room without a header' \
	'userlib/order/order.h does not open with a DOC: essay that says what the room does'
cp userlib/order/order.h "$dir/userlib/order/order.h"

: >"$dir/userlib/stray.h"
finds 'a header in no room' 'userlib/stray.h is in no room'
clean userlib/stray.h

mkdir "$dir/userlib/attic"
: >"$dir/userlib/attic/stray.h"
finds 'a room on no floor' 'attic is on no floor of floors.txt'
rm -r "$dir/userlib/attic"

: >"$dir/userlib/place/stray.c"
refuses 'a source without an object' 'no object of userlib/place/stray.c: make lib first'
compile userlib/place/stray.c
touch -d '1 minute ago' "$dir/build/obj/userlib/place/stray.o"
refuses 'an object that is older than its source' \
	'the object of userlib/place/stray.c is older than the source: make lib first'
clean userlib/place/stray.c

list 'optional: attic because it is not built everywhere'
finds 'a room that is not built everywhere, nor there' 'floors.txt: optional: there is no room attic'
list ''
: >"$dir/userlib/ort/stray.c"
said=$("$dir/tools/ci/floors.py" 2>&1)
is 'a source without an object, in a room that is not built everywhere' "$(cat "$dir/known")" \
	"$(sort <<<"$said")"

finish
