#!/bin/bash
# SPDX-License-Identifier: MIT
# loom sweep: a grid in one go, killed and resumed, and in shards gives the same table; errors.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/refusals.sh
. "$(dirname "$0")/refusals.sh"

fresh_out
refusing_loom=$loom
# by bytes, as the table is planned five times
grid="$models/blazeface.onnx $models/ppocr_cls.onnx@x=1x3x48x192 --objective bytes --effort 0"
grid="$grid --vary sram=1k..512k:x8,lanes=8/33"

# sweep NAME ARG...: the grid into a table
# shellcheck disable=SC2086
sweep() {
	local name=$1
	shift
	$loom sweep $grid -o "$out/$name.csv" "$@"
}

journal_rows() {
	wc -l <"$out/$1.csv.journal" 2>/dev/null || echo 0
}

# Killed when some rows are there and others are not; the machine may be slow, so this is no sleep.
# The program itself is put into the background, not the function: a shell would be killed then.
killed() {
	# shellcheck disable=SC2086
	$loom sweep $grid -o "$out/killed.csv" --jobs 2 &
	local pid=$! tries=0
	while [ "$(journal_rows killed)" -lt 4 ]; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || return 1
		sleep 0.02
	done
	kill -KILL $pid
	wait $pid 2>/dev/null
	[ ! -e "$out/killed.csv" ] && [ "$(journal_rows killed)" -lt 17 ]
}

# The processes that a killed sweep has started go with it: the lock is free soon.
resumed() {
	local tries=0 said
	printf '15,build/mod' >>"$out/killed.csv.journal"
	until said=$(sweep killed --jobs 2 2>&1); do
		printf '%s\n' "$said" | grep -q 'another sweep' || { echo "$said"; return 1; }
		tries=$((tries + 1))
		[ $tries -lt 100 ] || return 1
		sleep 0.1
	done
	cmp "$out/whole.csv" "$out/killed.csv" && [ ! -e "$out/killed.csv.journal" ]
}

shards() {
	local i
	for i in 2 0 1; do
		sweep shards --shard $i/3 --jobs 1 || return 1
	done
	[ ! -e "$out/shards.csv" ] && [ "$(cat "$out"/shards.csv.journal.* | wc -l)" = 19 ] &&
		sweep shards && cmp "$out/whole.csv" "$out/shards.csv" &&
		[ -z "$(ls "$out"/shards.csv.journal* 2>/dev/null)" ]
}

# A sweep reports how many bytes are missing, and with that much more SRAM the model fits.
short_is_right() {
	local model=$models/ppocr_cls.onnx@x=1x3x48x192 short
	$loom sweep "$model" --vary sram=128 -o "$out/short.csv" || return 1
	grep -q ',too-large,' "$out/short.csv" || return 1
	short=$(sed -n '2s/.*,too-large,\([0-9]*\),.*/\1/p' "$out/short.csv")
	[ "$short" -gt 0 ] || return 1
	$loom plan "$models/ppocr_cls.onnx" --shape x=1,3,48,192 --sram $((128 + short)) >/dev/null
}

picture_is_whole() {
	python3 - "$out/plots/blazeface.svg" "$out/plots/ppocr_cls.svg" <<'END'
import sys
import xml.etree.ElementTree as tree

for path in sys.argv[1:]:
    root = tree.parse(path).getroot()
    circles = [e for e in root.iter() if e.tag.endswith("circle")]
    assert len(circles) >= 16, (path, len(circles))
    for circle in circles:
        x, y = float(circle.get("cx")), float(circle.get("cy"))
        assert 0 < x < float(root.get("width")) and 0 < y < float(root.get("height")), path
END
}

torn_of_another() {
	printf 'loom-sweep 1 0123456789abcdef 16\n' >"$out/other.csv.journal"
	refused 'is of another sweep' sweep $models/blazeface.onnx --vary lanes=8 -o "$out/other.csv"
}

wrong() {	# WANT ARG...
	local want=$1 said status
	shift
	said=$($loom sweep "$@" 2>&1)
	status=$?
	printf '%s\n' "$said"
	[ $status = 2 ] && printf '%s\n' "$said" | grep -Eq -- "$want"
}

ok '16 points in one go' sweep whole --plots "$out/plots"
ok 'a row for each' test "$(wc -l <"$out/whole.csv")" = 17
ok 'no row is of a time of this machine: the same again, with one process' \
	sh -c "$loom sweep $grid -o $out/again.csv -j 1 && cmp $out/whole.csv $out/again.csv"
ok 'killed in the middle' killed
ok 'and resumed: the same table' resumed
ok 'in three shards: the same table' shards
ok 'what does not fit says by how much' short_is_right
ok 'the plots are XML with a dot for each point that fits' picture_is_whole
ok 'a journal of another sweep is refused' torn_of_another
ok 'no model' wrong 'takes one model or more' --vary lanes=8
ok 'nothing varied' wrong 'takes --vary' x.onnx
ok 'an unknown figure' wrong "'colour' is nothing that can be varied" x.onnx --vary colour=1
ok 'a range without a step' wrong 'sram takes FROM..TO' x.onnx --vary sram=1k..4k
ok 'a range that ends before it begins' wrong 'sram takes FROM..TO' x.onnx --vary sram=4k..1k:x2
ok 'a factor of one' wrong 'sram takes FROM..TO' x.onnx --vary sram=1k..4k:x1
ok 'a negative value' wrong 'lanes takes FROM..TO' x.onnx --vary lanes=-1
ok 'the same figure twice' wrong 'lanes is varied twice' x.onnx --vary lanes=1,lanes=2
ok 'a shard that does not exist' wrong '--shard takes' x.onnx --vary lanes=1 --shard 3/3
ok 'too many points' wrong 'more than' $models/blazeface.onnx \
	--vary lanes=1..99999:+1,dram=1..99999:+1
finish
