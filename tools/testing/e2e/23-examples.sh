#!/bin/bash
# SPDX-License-Identifier: MIT
# The programs of Documentation/examples that need no device print the expected text.
# 40-node.sh runs those that do.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
examples=build/examples

for chip in '' tiny blackhole bm1684x; do
	# shellcheck disable=SC2086 # none is a word less
	built=$($examples/build_graph $chip | tail -n 2)
	ok "a graph is built and computes on ${chip:-the default chip}" [ "$built" = '4.5 5 0 0
0.5 1 1 0' ]
done
ok 'a chip that there is none of' prints 1 "build_graph: there is no chip 'nothing', did you mean 'tiny'?" \
	$examples/build_graph nothing

for chip in '' tiny blackhole; do
	# shellcheck disable=SC2086 # none is a word less
	ok "states go from run to run out of a file for ${chip:-the default chip}" prints 0 '1 2 3 4
2 4 6 8
3 6 9 12
1 2 3 4' $examples/states "$out/sum.loom" $chip
done
ok 'a file that cannot be written' prints 1 \
	'states: /nowhere/sum.loom: cannot be written: No such file or directory' \
	$examples/states /nowhere/sum.loom

ok 'items are placed as low as can be' prints 0 'frame      0 ..  6144
luma    6144 ..  8192
edges   4096 ..  6144
blur       0 ..  4096
result  4096 ..  5120
height 8192, bound 8192, by '"'greedy-size'"': nothing is lower
check: no two buffers meet
moved: share byte 4096 at moment 1' $examples/place_items
ok 'and not in less' prints 1 'place_items: what is alive at moment 1 needs 8192 bytes, 1 more than the capacity of 8191' \
	$examples/place_items 8191

# figures of the tool, as the program prints them
figures_of() {
	$loom run "$@" --device host -i random:1 |
		sed -n 's/^result  *\([^ ]*\) \([^ ]*\) .*: \(min .*\)/\1 \2 \3/p'
}
same_figures() {
	diff <($examples/run_model "$1" host | sed 's/: / /; s/, [0-9]* bytes,//') <(figures_of "$1") &&
		[ "$($examples/run_model "$1" host | wc -l)" = "$2" ]
}
ok 'a model runs as with the tool' same_figures $models/blazeface.onnx 4
$loom compile $models/blazeface.onnx --chip blackhole -o "$out/blazeface.loom" >/dev/null
ok 'so does a program file' same_figures "$out/blazeface.loom" 4
ok 'no model' prints 1 "run_model: $models/no.onnx: No such file or directory" \
	$examples/run_model $models/no.onnx host
ok 'another input' prints 1 "run_model: $($loom run $models/blazeface.onnx --device host \
	-i build/e2e-out/no.npy 2>&1 | sed 's/^loom: //')" \
	$examples/run_model $models/blazeface.onnx host build/e2e-out/no.npy

ok 'sessions run at once' prints 0 '10 items, 3 sessions, 0 wrong' $examples/many_runs host

ok 'a native kernel computes sums' prints 0 '1 native command, 752 cycles declared, 752 cycles of compute counted
3 9 15 21 27 33 39 45.. hash 43431640' $examples/native_kernel host

# make docs fails for a symbol that is in no page, and names it
unnamed() {
	tools/ci/pages/man.py $loom "$out/man" && sed -i '/^\.SS loom_place()/d' "$out/man/man3/loom_place.h.3" &&
	! tools/ci/pages/symbols.py "$out/nothing" "$out/man" >"$out/missing" &&
	grep "man3" "$out/missing" &&
	[ "$(grep man3 "$out/missing")" = \
	  "loom_place: of loom_place.h, not in $out/man/man3/loom_place.h.3" ] &&
	grep -q '^loom_session_run: of loom_run.h, not in .*/loom_run.html$' "$out/missing"
}
ok 'a symbol that is in no page is named' unnamed
finish
