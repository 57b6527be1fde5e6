#!/bin/bash
# SPDX-License-Identifier: MIT
# loom place: files in, answers, pictures and summaries out; errors name the line; no file is left
# half written. With the ASan build.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/refusals.sh
. "$(dirname "$0")/refusals.sh"

fresh_out
make -s build/asan/loom || { echo 'Bail out! no build/asan/loom'; exit 1; }
export ASAN_OPTIONS=exitcode=99:detect_leaks=1
loom=build/asan/loom
refusing_loom=$loom

# file NAME: standard input becomes a file
file() {
	cat >"$out/$1"
}

file five.csv <<'END'
id,lower,upper,size
b1,0,3,4
b2,3,9,4
b3,0,9,4
b4,9,21,4
b5,0,21,4
END
file gaps.csv <<'END'
upper,gaps,size,id,lower,alignment,colour
30,4-8 12-16@0:8,16,"a, the ""first""",0,8,red
8,,8,b,5,,green
15,13-14,8,c,12,4,blue
END

says() {	# WANT COMMAND...
	local want=$1 said
	shift
	said=$("$@") || return 1
	printf '%s\n' "$said"
	printf '%s\n' "$said" | grep -Eq -- "$want"
}

ok 'a file is placed' says '^height +12 bytes, 12 B, 1.0000 of the bound$' $loom place $out/five.csv
ok 'and the answer proved' says 'proved optimal' $loom place $out/five.csv
ok 'a capacity that is enough' says 'fits in 12 bytes, 0 to spare' $loom place $out/five.csv \
	--capacity 12
ok 'as low as possible, though there is room' says 'fits in 16384 bytes, 16372 to spare' \
	$loom place $out/five.csv --capacity 16k --minimize
ok 'columns without a meaning are named' says "^ignored +column 'colour'\$" $loom place $out/gaps.csv

answer() {
	$loom place $out/gaps.csv -o $out/answer.csv --json >$out/answer.json || return 1
	cat $out/answer.csv $out/answer.json
	[ "$(head -n 1 $out/answer.csv)" = 'upper,gaps,size,id,lower,alignment,colour,offset' ] &&
	[ "$(wc -l <$out/answer.csv)" = 4 ] && ! compgen -G "$out/*.part" &&
	[ "$(json_number $out/answer.json height_bytes)" = 16 ] &&
	[ "$(json_number $out/answer.json bound_bytes)" = 16 ] &&
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' $out/answer.json
}
ok 'the answer is the file with a column more, the summary JSON' answer

again() {
	$loom place $out/answer.csv -o $out/again.csv >/dev/null && cmp $out/answer.csv $out/again.csv
}
ok 'an answer that is read again is the same answer' again

# the same items as JSON, and what is wrong with one is said of the line that it begins on
file items.json <<'END'
{"from": "a dump", "items": [
  {"id": "a, the \"first\"", "lower": 0, "upper": 30, "size": 16, "alignment": 8,
   "gaps": "4-8 12-16@0:8", "colour": "red"},
  {"id": "b", "lower": 5, "upper": 8, "size": 8},
  {"id": "c", "lower": 12, "upper": 15, "size": "8", "alignment": 4, "gaps": "13-14", "colour": null}
]}
END
as_json() {
	local offsets
	$loom place $out/items.json --json >$out/items.out && $loom place $out/items.json -o - \
		>$out/items.csv && cat $out/items.csv &&
	[ "$(json_number $out/items.out height_bytes)" = 16 ] &&
	offsets=$(awk -F, 'NR > 1 { print $NF }' $out/items.csv | xargs) &&
	[ "$offsets" = "$(awk -F, 'NR > 1 { print $NF }' $out/answer.csv | xargs)" ]
}
ok 'items as JSON' as_json
json_says() {	# WANT
	local said
	said=$($loom place - 2>&1) && return 1
	printf '%s\n' "$said"
	[ "$(printf '%s\n' "$said" | wc -l)" = 1 ] && printf '%s\n' "$said" | grep -Fq -- "$1"
}
wrong_json() {
	sed 's/"size": 8}/"size": -8}/' $out/items.json | json_says "input:4: column 'size': '-8'" &&
	sed 's/"lower": 5/"lower": [5]/' $out/items.json | json_says 'input:4: members of an item' &&
	sed 's/"from"/"items": [], "from"/' $out/items.json | json_says 'input:1: "items" is there twice' &&
	sed 's/items/things/' $out/items.json | json_says 'input:1: members of an item' &&
	head -n 4 $out/items.json | json_says "a '" && echo '[]' | json_says 'there are no items' &&
	echo '[{"id": "a' | json_says 'a text does not end' &&
	echo '[{"a\u12g4": 1}]' | json_says 'an escape that JSON does not have'
}
ok 'what is wrong with JSON' wrong_json

# The scripts of Documentation/microcontrollers.rst. ExecuTorch, IREE and TVM cannot be had here:
# these stand for their objects, with the members that the scripts read, and for IREE's text.
make_lifetimes() {
	python3 - "$out" <<'END'
import importlib.util, sys
from types import SimpleNamespace as Made

def script(name):
    path = f"Documentation/examples/python/lifetimes/{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

# a constant, and what no node uses, are none of the arena's
script("executorch").dump([
    Made(lifetime=[0, 2], allocated_memory=48, const=False),
    Made(lifetime=[None, None], allocated_memory=4096, const=True),
    Made(lifetime=[1, 3], allocated_memory=32, const=False),
    Made(lifetime=[None, None], allocated_memory=64, const=False),
    Made(lifetime=[3, 4], allocated_memory=40, const=False)], sys.argv[1] + "/executorch.json")

class Info:
    def __init__(self, name_hint, size_bytes, alignment=16):
        self.name_hint, self.size_bytes, self.alignment = name_hint, size_bytes, alignment
        self.conflicts = []

a, b, c = infos = [Info("sid_1", 100), Info("sid_2", 60), Info("sid_2", 64)]
a.conflicts, b.conflicts, c.conflicts = [b], [a, c], [b]
script("tvm").dump(infos, sys.argv[1] + "/tvm.json")
END
	python3 Documentation/examples/python/lifetimes/iree.py >"$out/iree.json" <<'END'
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %c512_0 = arith.constant 512 : index
    %c64 = arith.constant 64 : index
    %1:4 = stream.resource.pack on(#hal.device.affinity<@__device_0>) slices({
      [0, 1] = %c4096,
      [1, 2] = %c512_0,
      [2, 3] = %c4096
    }) : index
END
}
lifetimes() {	# NAME ITEMS BYTES
	cat "$out/$1.json"
	$loom place "$out/$1.json" --json >"$out/lifetimes.out" &&
		[ "$(json_number "$out/lifetimes.out" items)" = "$2" ] &&
		[ "$(json_number "$out/lifetimes.out" height_bytes)" = "$3" ]
}
ok 'lifetimes as other compilers have them' make_lifetimes
# two of 48 and 32 bytes at 1 and 2; of 32 and 40, at a multiple of 16, at 3
ok 'lifetimes of ExecuTorch' lifetimes executorch 3 80
ok 'lifetimes of IREE' lifetimes iree 3 4608
# 100 and 60 bytes, at a multiple of 16: the second first
ok 'lifetimes of TVM' lifetimes tvm 3 164

streams() {
	$loom place - -o - <$out/gaps.csv >$out/streams.csv && cmp $out/answer.csv $out/streams.csv
}
ok 'standard input and output' streams

in_place() {
	cp $out/gaps.csv $out/own.csv &&
	$loom place $out/own.csv -o $out/own.csv >/dev/null && cmp $out/answer.csv $out/own.csv
}
ok 'a file may be replaced by its answer' in_place

picture() {
	$loom place $out/gaps.csv --svg $out/gaps.svg >/dev/null &&
	$loom place $out/gaps.csv --svg - >$out/again.svg && cmp $out/gaps.svg $out/again.svg &&
	python3 - $out/gaps.svg <<-'END'
		import sys
		import xml.etree.ElementTree as tree
		svg = "{http://www.w3.org/2000/svg}"
		titles = [t.text for t in tree.parse(sys.argv[1]).iter(svg + "title")]
		print(titles)
		assert len(titles) == 3
		assert titles[0].startswith('a, the "first": 16 B (16) at 0 to 16, alive 0 to 30')
	END
}
ok 'the picture is XML with every item in it, twice the same' picture
picture_names() {
	printf 'id,lower,upper,size\n"a<b>&""c""\001\377]]>",0,9,16\n' >$out/names.csv
	$loom place $out/names.csv --svg $out/names.svg >/dev/null &&
	python3 - $out/names.svg <<-'END'
		import sys
		import xml.etree.ElementTree as tree
		title, = tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}title")
		assert title.text.startswith('a<b>&"c"\ufffd\ufffd]]>: 16 B (16) at 0 to 16'), title.text
	END
}
ok 'whatever the names are' picture_names

strategies() {
	local name height count=0
	# those that follow operators, which a file has not, say so
	while read -r name _; do
		if $loom place $out/five.csv --strategy "$name" --json >$out/s.json 2>$out/s.err; then
			height=$(json_number $out/s.json height_bytes)
			echo "$name $height"
			[ "$height" -ge 12 ] || return 1
			count=$((count + 1))
		else
			cat $out/s.err
			grep -q "strategy '$name' needs operators" $out/s.err || return 1
		fi
	done < <($loom place --strategies)
	[ $count -ge 7 ]
}
ok 'every strategy that is listed' strategies

budget() {
	local a b
	a=$($loom place $out/five.csv --strategy exact --budget 3 -o - | cksum) &&
	b=$($loom place $out/five.csv --strategy exact --budget 3 -o - | cksum) && [ "$a" = "$b" ]
}
ok 'the same budget, the same answer' budget

arena() {
	$loom plan $models/blazeface.onnx --json --place-csv $out/arena.csv \
		--place-svg $out/arena.svg >$out/plan.json &&
	$loom place $out/arena.csv --json >$out/arena.json || return 1
	grep -q proved $out/arena.json && [ -s $out/arena.svg ] &&
	[ "$(json_number $out/plan.json neurons)" = "$(json_number $out/arena.json items)" ] &&
	[ "$(json_number $out/plan.json neuron_sum_bytes)" = "$(json_number $out/arena.json sum_bytes)" ] &&
	[ "$(json_number $out/plan.json neuron_peak_bytes)" = \
	  "$(json_number $out/arena.json height_bytes)" ]
}
ok "a model's arena as a file is placed as the model was" arena

# loom plan --explain has as many groups and cuts as the summary says, their bytes sum up to it, and
# each cut of the default strategy has a reason.
explain() {
	$loom plan $models/oww_embedding.onnx --shape input_1=1,76,32,1 --sram 8k --json \
		--explain --svg $out/plan.svg >$out/explain.json || return 1
	node -e '
		const p = JSON.parse(require("fs").readFileSync(process.argv[1]));
		const read = p.plan_groups.reduce((sum, g) => sum + g.dram_read_bytes, 0);
		process.exit(p.groups > 1 && p.plan_groups.length === p.groups &&
			     p.plan_cuts.length === p.groups - 1 && read === p.dram_read_bytes &&
			     (p.grouping !== "layergroup" || p.plan_cuts.every(c => c.why)) &&
			     p.plan_cuts.every(c => !c.dram_bytes === !c.in_dram.length &&
						    !c.sram_bytes === !c.in_sram.length) &&
			     p.plan_groups.every(g => g.part_cycles[g.bound] > 0 && g.cycles ===
				Object.values(g.part_cycles).reduce((a, b) => a + b)) ? 0 : 1);
	' $out/explain.json && [ "$(tail -n 1 $out/plan.svg)" = '</svg>' ]
}
ok 'why a model is cut where it is, for programs, and a picture' explain
ok 'a plan of few cycles is not 0.1 million of them' \
	says "^groups .* by 'layerwise', [0-9]+\.[0-9] thousand cycles, " \
	$loom plan $models/oww_alexa.onnx --grouping layerwise
file mcu.yaml <<'END'
name: mcu
frequency: 400 MHz
overlap: no
memory:
  sram: {banks: 1, size: 2M, align: 16, read: 8, write: 8}
types:
  f32: {macs: 1, ops: 1}
END
ok 'on a chip without DRAM, what crosses is in buffers in the SRAM' \
	says "cross in buffers in SRAM: 'Stateful.* [0-9.]+ KiB$" \
	$loom plan $models/blazeface.onnx --chip $out/mcu.yaml --sram 256k --explain

# The time of a plan as Chrome trace events: those of each thread follow one another up to the end,
# and the groups' cycles are those of the summary.
trace() {
	$loom plan $models/blazeface.onnx --json --trace $out/trace.json >$out/traced.json || return 1
	node -e '
		const read = file => JSON.parse(require("fs").readFileSync(file));
		const [trace, plan] = process.argv.slice(1).map(read), at = {}, cycles = {};
		for (const e of trace.traceEvents.filter(e => e.ph === "X")) {
			if (e.ts < (at[e.tid] || 0) - 1e-6 || e.pid !== 1)
				process.exit(1);
			at[e.tid] = e.ts + e.dur;
			cycles[e.tid] = (cycles[e.tid] || 0) + e.args.cycles;
		}
		const names = trace.traceEvents.filter(e => e.name === "thread_name");
		process.exit(names.map(e => e.args.name).join() === "groups,DMA,compute" &&
			     cycles[1] === plan.cycles && trace.otherData.cycles === plan.cycles &&
			     Math.max(...Object.values(at)) <= at[1] + 1e-6 ? 0 : 1);
	' $out/trace.json $out/traced.json
}
ok 'the time of a plan for Perfetto: one thing at a time on each thread' trace

# --- errors

bad() {	# NAME WANT ARG...: the file NAME.csv comes from standard input
	local name=$1 want=$2
	shift 2
	file "$name.csv"
	echo old >$out/old.csv
	refused "$want" place "$out/$name.csv" -o $out/old.csv "$@" || return 1
	[ "$(cat $out/old.csv)" = old ] && ! compgen -G "$out/*.part"
}

ok 'a column that is missing' bad column 'column.csv:1: there is no column .size' <<'END'
id,lower,upper
END
ok 'a fixed pair that collides: both lines' bad pair "pair.csv:4: 'c' and 'a' on line 2: " <<'END'
id,lower,upper,size,offset
a,0,5,100,0
b,0,5,100,
c,4,6,100,64
END
ok 'a capacity under the bound: by how much, and when' bad short \
	'a capacity of 299 bytes falls short by 1: at least 300 are needed, which are alive at 4' \
	--capacity 299 <<'END'
id,lower,upper,size
a,0,5,100
b,2,6,100
c,4,9,100
END
ok 'a fixed item above the capacity' bad above "'b'" --capacity 150 <<'END'
id,lower,upper,size,offset
a,0,5,100,0
b,6,7,100,100
END
ok 'a file that is not there' refused 'nowhere.csv: No such file' place nowhere.csv
ok 'a folder' refused 'cannot be read: Is a directory' place $out

halves() {
	rm -f $out/half.csv
	refused 'nowhere/half.svg: nowhere: No such file' place $out/five.csv \
		-o $out/half.csv --svg nowhere/half.svg || return 1
	[ ! -e $out/half.csv ] && ! compgen -G "$out/*.part"
}
ok 'if one file cannot be written, neither is' halves

# several memories
file pools.csv <<'END'
id,lower,upper,size,pool,cost
a,0,4,600,,
b,0,2,500,sram dram,3
c,2,4,500,,
d,1,3,300,dram,
e,0,1,10,,1
END
# b and c save the most in the first, where a does not fit beside them
spilt() {
	$loom place $out/pools.csv --pool sram=1000 --pool dram= -o $out/spilt.csv || return 1
	cat $out/spilt.csv
	[ "$(cut -d, -f1,5 $out/spilt.csv | tail -n 5 | tr '\n' ' ')" = \
		'a,dram b,sram c,sram d,dram e,sram ' ] &&
	says '^cost +900$' $loom place $out/spilt.csv --pool sram=1000 --pool dram=
}
ok 'what does not fit spills where it costs least, and can be read back' spilt
ok 'a cost of a pool' says '^cost +4500$' $loom place $out/pools.csv --pool sram=1000 \
	--pool dram=,5
ok 'pools as JSON' says '"height_bytes": 510' $loom place $out/pools.csv --pool sram=1000 \
	--pool dram= --json
pools_json() {
	$loom place $out/pools.csv --pool sram=1000 --pool dram= --json >$out/pools.json &&
		$loom place $out/pools.csv --json >$out/one.json &&
		tools/testing/json_paths.py Documentation/json.rst place=$out/pools.json \
			place=$out/one.json
}
ok 'as their page says' pools_json
ok 'what fits nowhere is named in bytes' refused '300 more than the capacity of 1100' \
	place $out/pools.csv --pool sram=500 --pool dram=600
# z fits in either, x and w in the second only
file four.csv <<'END'
id,lower,upper,size
x,0,2,5
y,2,4,4
z,0,4,3
w,1,2,16
END
ok 'a refusal names the pool and what is bound to it' refused \
	"pool 'b': what is alive at moment 1 needs 21 bytes, 1 more than the capacity of 20; bound there: 'w' of 16, 'x' of 5" \
	place $out/four.csv --pool a=4 --pool b=20
ok 'and as much is enough' says '^result' $loom place $out/four.csv --pool a=4 --pool b=21
# the hole between the fixed items is too small: the need is not the next multiple of 32
file holes.csv <<'END'
id,lower,upper,size,alignment,offset
linear,0,10,430080,32,305120
other,0,10,300000,32,950016
slice,5,6,305152,32,
END
ok 'a refusal names the capacity that is needed' refused \
	'falls short by 159744: at least 1555168 are needed' place $out/holes.csv --capacity 1395424
ok 'and no less is enough' refused 'falls short by 1: at least 1555168' \
	place $out/holes.csv --capacity 1555167
ok 'but that is' says 'fits in 1555168 bytes' $loom place $out/holes.csv --capacity 1555168
ok 'a pool that there is not' refused "pools.csv:3: column 'pool': there is no pool 'sram dram'" \
	place $out/pools.csv --pool cache=2000
ok 'what makes the peak of a pool' says "600 bytes 'a': without it 300, at 1" \
	$loom place $out/pools.csv --pool sram=1000 --pool dram= --explain
ok 'and of one memory' says 'without all of them 500, at 2' $loom place $out/pools.csv --explain
plain_names() {
	printf 'id,lower,upper,size,\033x\n"a\033[31m\302\233",0,2,5,1\nb,1,3,7,2\n' >$out/odd.csv
	$loom place $out/odd.csv --explain --svg $out/odd.svg >$out/odd.txt || return 1
	grep -qF "'a?[31m??'" $out/odd.txt && grep -qF "column '?x'" $out/odd.txt &&
		! grep -q "$(printf '\033')" $out/odd.txt $out/odd.svg
}
ok 'names without what a terminal would obey' plain_names
ok 'addresses that nothing may touch' says '^height +2548 bytes' $loom place $out/pools.csv \
	--forbid 1k-2k --forbid 0-100
ok 'which are part of the peak' says 'by 3 items and 1124 bytes that nothing may touch' \
	$loom place $out/pools.csv --forbid 1k-2k --forbid 0-100 --explain
ok 'threads' says '^height +12 bytes' $loom place $out/five.csv --jobs 3
ok 'usage: no threads' usage place --jobs 0 $out/five.csv
ok 'usage: a pool without a name' usage place --pool =5 $out/five.csv
ok 'usage: a pool twice' usage place --pool a=5 --pool a=6 $out/five.csv
ok 'usage: a picture of several pools' usage place --pool a=5000 --pool b= --svg $out/two.svg \
	$out/five.csv
ok 'usage: --explain with --json' usage place --explain --json $out/five.csv
ok 'usage: --explain beside an answer' usage place --explain -o - $out/five.csv
ok 'usage: a pool of much' usage place --pool a=much $out/five.csv
ok 'usage: pools and a capacity' usage place --pool a=5 --capacity 9 $out/five.csv
ok 'usage: a range that is empty' usage place --forbid 9-9 $out/five.csv
ok 'usage: ranges that overlap' usage place --forbid 0-9 --forbid 8-10 $out/five.csv

# a recording: two buffers share 1024 addresses on different banks; b4 is freed without use
file record.csv <<'END'
id,lower,upper,size,offset,client,label,idle,floor,ceiling
b0,0,100,1024,64,0,,100,64,16448
b1,10,60,2048,1088,5,net/weights,40,64,16448
b2,20,40,4096,2112,5,"a, ""b""",40,64,16448
b3,25,90,1024,8192,6,d,70,64,16448
b4,50,80,4096,4096,5,"a, ""b""",50,64,16448
END
curves() {
	$loom report $out/record.csv --json --svg $out/curves.svg >$out/curves.json &&
	tools/testing/json_paths.py Documentation/json.rst "report FILE=$out/curves.json" &&
	python3 - $out/curves.json $out/curves.svg <<'END'
import json, sys
import xml.etree.ElementTree as xml
said = json.load(open(sys.argv[1]))
assert said["bank_bytes"] == 16384, said
assert [tuple(label.values()) for label in said["labels"]] == [
	('a, "b"', 2, 4096, 1, 4096, 30), ("(no label)", 1, 1024, 0, 0, 0),
	("net/weights", 1, 2048, 1, 2048, 20), ("d", 1, 1024, 1, 1024, 20)], said["labels"]
assert [tuple(point.values()) for point in said["points"]] == [
	(0, 1024, 15360, 0, [0, 1024, 0, 0], [0, 0, 0, 0]),
	(10, 3072, 13312, 0, [0, 1024, 2048, 0], [0, 0, 0, 0]),
	(20, 6144, 10240, 0, [3072, 1024, 2048, 0], [0, 0, 0, 0]),
	(25, 7168, 7232, .216, [3072, 1024, 2048, 1024], [0, 0, 0, 0]),
	(40, 4096, 7232, .412, [0, 1024, 2048, 1024], [0, 0, 2048, 0]),
	(50, 8192, 7232, .118, [4096, 1024, 2048, 1024], [4096, 0, 2048, 0]),
	(60, 6144, 7232, .294, [4096, 1024, 0, 1024], [4096, 0, 0, 0]),
	(70, 6144, 7232, .294, [4096, 1024, 0, 1024], [4096, 0, 0, 1024]),
	(80, 2048, 7232, .496, [0, 1024, 0, 1024], [0, 0, 0, 1024]),
	(90, 1024, 15360, 0, [0, 1024, 0, 0], [0, 0, 0, 0]),
	(100, 0, 16384, 0, [0, 0, 0, 0], [0, 0, 0, 0])], said["points"]
# the lowest late area, of a label that is late from 50 to 80 with two thirds of the scale
paths = [path.get("d") for path in xml.parse(sys.argv[2]).iter("{http://www.w3.org/2000/svg}path")]
late = [path for path in paths if path.startswith("M96 655H548")]
assert set(late) == {"M96 655H548V592H819V655H1000V655Z"}, paths
END
}
ok 'curves of a recording, and late frees, by label' curves
many_labels() {
	{ head -n 1 $out/record.csv; for i in {1..9}; do echo "$i,0,$i,64,$((64 * i)),1,l$i,0,64,16448"; done; } |
		$loom report - >$out/labels.txt || return 1
	grep -qE '^  l9 +1 +64 B +1 +64 B  0.000009 s$' $out/labels.txt &&
	grep -qE '^  \(others\) +2 +128 B +2 +128 B  0.000002 s$' $out/labels.txt && ! grep -q 'l2' $out/labels.txt
}
ok 'labels beyond the seven largest are summed up' many_labels
ok 'no recording' refused "five.csv: no column 'idle'" report $out/five.csv
sed 's/b3,25,90/b3,25,60/' $out/record.csv >$out/wrong.csv
ok 'idle after the end' refused "wrong.csv:5: column 'idle': 70 is outside" report $out/wrong.csv
ok 'usage: a picture of no recording' usage report --svg $out/x.svg

ok 'usage: no file' usage place
ok 'usage: two files' usage place a.csv b.csv
ok 'usage: an unknown option' usage place --frobnicate $out/five.csv
ok 'usage: an unknown strategy' usage place --strategy guess $out/five.csv
ok 'usage: a capacity that is no number' usage place --capacity much $out/five.csv
ok 'usage: a capacity of nothing' usage place --capacity 0 $out/five.csv
ok 'usage: two things on standard output' usage place $out/five.csv -o - --svg -
ok 'usage: a plan that is not placed yet has no picture' usage plan $models/blazeface.onnx \
	--stop-after graph --place-svg $out/x.svg
finish
