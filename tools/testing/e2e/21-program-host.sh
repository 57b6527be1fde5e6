#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs in files: runs of the files of `loom compile`, without planning, give the bits of runs of
# the model. Files that are damaged, planned for something else or cannot be written are refused.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
ok 'pictures are made' make_pictures

# plan_args NAME: values of all that the model leaves open; run_args NAME: arguments of both runs.
plan_args() {
	case $1 in
	rec)	echo --shape x=1,3,48,320 ;;
	voice)	echo --dim batch=1 --shape input=1,512 --value sr=16000 --state hn=h --state cn=c ;;
	esac
}
run_args() {
	case $1 in
	rec)	echo --input $pictures/line.png ;;
	voice)	echo --frames 1000 --input input=$pictures/voice.1000.npy ;;
	*)	model_args "$1" ;;
	esac
}

# the arguments are words
# shellcheck disable=SC2046
compile() {
	$loom compile "$(model_file "$1")" $(plan_args "$1") -o "$out/$1.loom" "${@:2}"
}
# shellcheck disable=SC2046
run_model() {
	local plan
	plan=$(plan_args "$1")
	# the shape of frames is known from the file with them
	[ "$1" != voice ] || plan=${plan/--shape input=1,512/}
	$loom run "$(model_file "$1")" $plan $(run_args "$1") --device host --json \
		--save-outputs "$out/$1.model" >"$out/$1.model.json"
}
# shellcheck disable=SC2046
run_file() {
	$loom run "$out/$1.loom" $(run_args "$1") --device host --json \
		--save-outputs "$out/$1.file" >"$out/$1.file.json"
}

# the plan is the same, and from the file it took nothing
no_planning() {
	python3 - "$out/$1" <<-'EOF_PY'
		import json, sys
		model, file = (json.load(open(f"{sys.argv[1]}.{k}.json")) for k in ("model", "file"))
		times = "import_seconds", "plan_seconds"
		assert all(model[t] > 0 for t in times) and all(file[t] == 0 for t in times)
		assert file["load_seconds"] > 0 and "load_seconds" not in model
		for key in model:
		    if key not in ("model", "run", *times):
		        assert model[key] == file[key], key
		for key in "cycles", "macs", "dram_read_bytes", "sram_write_bytes":
		    assert key not in model["run"] or model["run"][key] == file["run"][key], key
		print(f'{sys.argv[1]}: {model["import_seconds"] + model["plan_seconds"]:.3f} s until the '
		      f'model can run, {file["load_seconds"]:.3f} s until the file can')
	EOF_PY
}

for model in blazeface rec voice; do
	ok "$model is compiled" compile $model
	ok "$model runs" run_model $model
	ok "the file of $model runs" run_file $model
	ok "and gives the same bits" diff -r "$out/$model.model" "$out/$model.file"
	ok "and took no planning" no_planning $model && no_planning $model | sed 's/^/# /'
done

again() {
	cp "$out/blazeface.loom" "$out/first.loom" && compile blazeface &&
	cmp "$out/first.loom" "$out/blazeface.loom" &&
	$loom compile $models/blazeface.onnx -o - | cmp - "$out/first.loom"
}
ok 'the same model gives the same file' again

# sizes from the file that a run would have: those of the equal --shape
from_input() {
	local width
	$loom compile $models/ppocr_rec.onnx --input $pictures/line.png -o "$out/sized.loom" &&
	width=$($loom plan $models/ppocr_rec.onnx --input x=$pictures/line.png --stop-after graph |
		sed -n 's/^input  *x f32 \[1,3,48,\([0-9]*\)\]$/\1/p') && [ "$width" -gt 48 ] &&
	$loom compile $models/ppocr_rec.onnx --shape "x=1,3,48,$width" -o "$out/shaped.loom" &&
	cmp "$out/sized.loom" "$out/shaped.loom" &&
	$loom plan $models/ppocr_rec.onnx -i $pictures/line.png -o - >"$out/sized.plan" &&
	$loom plan $models/ppocr_rec.onnx --shape "x=1,3,48,$width" -o - | cmp - "$out/sized.plan"
}
ok 'an input gives the sizes that the model leaves open' from_input

inspected() {
	$loom inspect "$out/voice.loom" &&
	$loom inspect "$out/voice.loom" | grep -q '^state  *hn is h of the next run$' &&
	$loom inspect --json "$out/voice.loom" | python3 -c '
import json, os, sys
file = json.load(sys.stdin)
assert file["file_bytes"] == os.path.getsize(sys.argv[1])
assert [s["input"] for s in file["states"]] == ["h", "c"]
assert {"chip", "plan", "names", "data"} <= {s["name"] for s in file["sections"]}
assert file["objective"] == "time" and file["steps"] > 0' "$out/voice.loom"
}
ok 'what is in a file' inspected
# the rows of a file are those of its plan, and add up to it
layers() {
	$loom inspect "$out/voice.loom" --layers --csv >"$out/layers.csv" &&
	$loom inspect "$out/voice.loom" --json --layers | python3 -c '
import csv, json, sys
plan = json.load(sys.stdin)
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == len(plan["layers"]) > 3
for key in ("macs", "cycles", "dma_cycles", "compute_cycles", "dram_read_bytes", "dram_write_bytes"):
    assert sum(int(row[key]) for row in rows) == sum(l[key] for l in plan["layers"]) == plan[key], key
assert abs(plan["chip_ms"] * plan["inferences_per_second"] - 1e3) < 1e-3
assert 0 < plan["mac_utilisation"] <= 1 and 0 < plan["dram_utilisation"] <= 1
for row, layer in zip(rows, plan["layers"]):
    assert row["name"] == layer["name"] and row["operator"] == layer["op"]
    assert row["shape"] == "x".join(map(str, layer["dims"]))
    assert 0 <= layer["mac_utilisation"] <= 1
' "$out/layers.csv" &&
	$loom inspect "$out/voice.loom" --layers | grep -q 'operator  *shape  *MMAC  *cycles'
}
ok 'the layers of a file add up to it, as a table, CSV and JSON' layers
ok 'a file is whole' $loom verify "$out/rec.loom"

# the text recogniser for two widths: its weights are there once, and each gives its own bits
joined() {
	local single both number file
	$loom join "$out/rec.loom" "$out/sized.loom" -o "$out/both.loom" || return
	single=$(stat -c %s "$out/rec.loom") both=$(stat -c %s "$out/both.loom")
	echo "one width $single bytes, two $both"
	[ $((5 * both)) -lt $((6 * single)) ] && number=0 &&
	for file in rec sized; do
		$loom run "$out/both.loom" --program $number --device host -i $pictures/line.png \
			--save-outputs "$out/both.$number" &&
		$loom run "$out/$file.loom" --device host -i $pictures/line.png \
			--save-outputs "$out/one.$number" &&
		diff -r "$out/one.$number" "$out/both.$number" || return
		number=$((number + 1))
	done
	$loom verify "$out/both.loom" | grep -q ' its 2 plans ' &&
	$loom inspect "$out/both.loom" --program 1 --json |
		python3 -c 'import json, sys; f = json.load(sys.stdin); assert (f["program"], f["programs"]) == (1, 2)'
}
ok 'two programs in a file' joined

other_chip() {
	$loom compile $models/oww_alexa.onnx --chip blackhole -o "$out/alexa.loom" &&
	$loom run "$out/alexa.loom" --device host -i random:1 | grep '^chip  *blackhole:'
}
ok 'a file is run on the chip it is for' other_chip
two_hosts() {
	$loom run "$out/alexa.loom" --devices host,host --items 4 -i random:1 \
		--save-outputs "$out/two" &&
	$loom run $models/oww_alexa.onnx --chip blackhole --devices host --items 4 -i random:1 \
		--save-outputs "$out/one" && diff -r "$out/one" "$out/two"
}
ok 'and on two of them' two_hosts

said() {	# STATUS TEXT ARG...
	refusal "$1" "$2" $loom "${@:3}"
}
file="$out/blazeface.loom"
for option in '--chip tiny' '--shape x=1' '--state a=b' '--sram 4k' '--keep-all' '--pipeline'; do
	# shellcheck disable=SC2086
	ok "$option is for planning" said 2 "${option%% *} says how to plan" run "$file" $option \
		--input random:1
done
ok 'a state needs one device' said 2 'it is for one --device' run "$out/voice.loom" \
	--devices host,host -i random:1
ok 'a program is not planned' said 1 'planned already' plan "$file"
ok 'no such input' said 1 "there is no input 'y'" run "$file" -i y=random:1
ok 'no program' said 1 'not a program file' inspect README.md
ok '--csv without --layers' said 2 '--csv is for --layers' inspect "$out/voice.loom" --csv
ok 'no file' said 1 'No such file' verify "$out/nothing.loom"
ok 'nowhere to write' said 1 "$out/no/net.loom" compile $models/blazeface.onnx \
	-o "$out/no/net.loom"
ok 'no output' said 2 '--output' compile $models/blazeface.onnx
ok 'a file does not join itself' said 2 'two program files' join "$file" -o "$out/never.loom"
ok 'nor one for another chip' said 1 "is for chip 'soft', and $out/alexa.loom for blackhole" \
	join "$file" "$out/alexa.loom" -o "$out/never.loom"
ok 'no third program' said 1 'there is no program 2: it has 2' run "$out/both.loom" --program 2 \
	-i random:1
ok 'no program in a model' said 2 'for a program file' run $models/blazeface.onnx --program 0 \
	-i random:1

for command in plan "compile -o $out/never.loom"; do
	# the arguments are words
	# shellcheck disable=SC2086
	{
		rec="$command $models/ppocr_rec.onnx"
		line=$pictures/line.png
		ok "${command%% *}: no such input" said 1 "there is no input 'y', but 'x'" $rec -i y=$line
		ok 'no such file' said 1 'nowhere.png: No such file' $rec -i nowhere.png
		ok 'no such file for the input' said 1 'nowhere.png: No such file' $rec -i x=nowhere.png
		ok 'one too many' said 1 "takes 1 input, '$line' is one too many" $rec -i $line -i $line
		ok 'one twice' said 1 "input 'x' is given twice" $rec -i x=$line -i x=$line
		ok 'another shape' said 1 'takes [1,16,96]' $command $models/oww_alexa.onnx \
			-i $pictures/weather.npy
		ok 'a size that is given, too' said 1 '[1,1,1,1]' $rec --shape x=1,1,1,1 -i $line
		ok 'no option of contents' said 2 "option '--mean'" $rec -i $line --mean 0
	}
done
ok 'nothing was written' test ! -e "$out/never.loom"

damage() {
	cp "$file" "$out/damaged.loom" && chmod +w "$out/damaged.loom" &&
	printf '\125' | dd of="$out/damaged.loom" bs=1 seek="$1" conv=notrunc status=none
}
ok 'a byte is another one' damage 40000
ok 'which is seen' said 1 "damaged: the checksum of section 'plan' is wrong" verify \
	"$out/damaged.loom"
ok 'and is not run' said 1 "damaged: the checksum of section 'plan' is wrong" run \
	"$out/damaged.loom" --device host -i random:1
cut_short() {
	head -c 90000 "$file" >"$out/short.loom"
	said 1 'damaged: it has 90000 bytes, and should have' run "$out/short.loom" -i random:1
}
ok 'a file that is cut' cut_short

# a failure leaves the file that was there, and nothing half done
untouched() {
	local before
	before=$(sha256sum <"$file")
	! $loom compile README.md -o "$file" && ! $loom compile $models/ppocr_rec.onnx -o "$file" &&
	[ "$before" = "$(sha256sum <"$file")" ] && ! compgen -G "$out/*.part"
}
ok 'a failure leaves the old file' untouched

# Every option that writes a file: through two links, into a pipe, onto a full disk. Nodes are those
# of the test: a writer that replaces them destroys none of the machine's.
full=$out/nodes/full
mkdir -p "$out/nodes/far" && mknod -m 666 "$full" c 1 7 2>/dev/null || full=/dev/full
# writes NAME COMMAND...: FILE in it is where to
writes() {
	local link=$out/nodes/link target=$out/nodes/far/target pipe=$out/nodes/pipe reader said
	rm -rf "$link" "$pipe" "$out/nodes/far/"*
	ln -s far/link "$link" && ln -s target "$out/nodes/far/link" && mkfifo "$pipe" || return 1
	shift
	"${@/FILE/$link}" >"$out/log" && [ -L "$link" ] && [ -L "$out/nodes/far/link" ] &&
	[ -s "$target" ] && [ "$(ls "$out/nodes/far" | wc -l)" = 2 ] || return 1
	cat "$pipe" >"$out/nodes/through" &
	reader=$!
	"${@/FILE/$pipe}" >"$out/log" && wait $reader && [ -p "$pipe" ] &&
	cmp "$target" "$out/nodes/through" || return 1
	said=$("${@/FILE/$full}" 2>&1 >"$out/log")
	[ $? = 1 ] && [ -c "$full" ] && echo "$said" &&
	[ "$said" = "loom: $full: cannot be written: No space left on device" ]
}
printf 'id,lower,upper,size\na,0,2,8\nb,1,3,8\n' >"$out/two.csv"
while read -r -a words; do
	ok "it writes: loom ${words[*]}" writes "${words[*]}" "$loom" "${words[@]}"
done <<-END
	compile $models/oww_alexa.onnx -o FILE
	plan $models/oww_alexa.onnx -o FILE
	plan $models/oww_alexa.onnx --svg FILE
	plan $models/oww_alexa.onnx --trace FILE
	plan $models/oww_alexa.onnx --grouping layerwise --place-csv FILE
	plan $models/oww_alexa.onnx --grouping layerwise --place-svg FILE
	view $models/oww_alexa.onnx -o FILE
	run $models/oww_alexa.onnx --device host -i random:1 -o FILE
	place $out/two.csv -o FILE
	place $out/two.csv --svg FILE
END
ok 'and standard output' eval '! $loom chips >/dev/full 2>"$out/said" &&
	grep "^loom: standard output cannot be written: No space left on device$" "$out/said"'

# Every option that takes a number, with such as do not fit and such as are none: one line, status 2.
whole=(18446744073709551617 9223372036854775808 4294967297x 1e99 ' 5' +5 -1 5x 0x '' nan
	99999999999999999G)
wide=(18446744073709551617 18446744073709551616 5x " 5" +5 -1 nan "")
real=(nan inf 1e400 5x '' 0x1p99999)
# numbers NAME COMMAND...: NUMBER in it is the text
numbers() {
	local -n texts=$1
	local text
	shift
	for text in "${texts[@]}"; do
		said 2 '' "${@/NUMBER/$text}" || { echo "it took '$text'"; return 1; }
	done
}
net=$models/oww_alexa.onnx
while read -r -a words; do
	ok "no ${words[0]} number: loom ${words[*]:1}" numbers "${words[@]}"
done <<-END
	whole plan $net --dim N=NUMBER
	whole plan $net --shape onnx::Flatten_0=1,NUMBER,96
	whole plan $net --sram NUMBER
	whole plan $net --time-budget NUMBER
	whole plan $net --max-memory NUMBER
	whole plan $net --max-work NUMBER
	whole plan $net --objective sram --max-bytes NUMBER
	whole plan $net --objective sram --max-cycles NUMBER
	whole plan $net --svg $out/no.svg --svg-steps NUMBER-9
	whole run $net --device host -i random:1 --repeat NUMBER
	whole run $net --device host -i random:1 --items NUMBER
	whole run $net --device host -i random:1 --frames NUMBER
	whole run $net --device host -i random:1 --top NUMBER
	whole run $net --device host -i random:1 --threads NUMBER
	whole place $out/two.csv --capacity NUMBER
	whole place $out/two.csv --budget NUMBER
	whole place $out/two.csv --jobs NUMBER
	whole place $out/two.csv --pool a=8,NUMBER
	whole place $out/two.csv --forbid NUMBER-9
	whole sweep $net --vary lanes=1/2 -o $out/no.csv --jobs NUMBER
	whole sweep $net --vary lanes=1/2 -o $out/no.csv --shard NUMBER/2
	whole sweep $net --vary lanes=NUMBER -o $out/no.csv
	whole device add soft --timeout NUMBER
	real plan $net --max-recompute NUMBER
	real place $out/two.csv --time NUMBER
	real top --interval NUMBER
	real run $net --device host -i random:1 --scale NUMBER
	real run $net --device host -i random:1 --mean NUMBER
END
while read -r -a words; do
	loom="timeout 20 build/loom-sim" ok "no number: loom-sim ${words[*]}" numbers wide "${words[@]}"
done <<-END
	--socket $out/no.socket --seed NUMBER
	--socket $out/no.socket --window NUMBER
	--socket $out/no.socket --firmware NUMBER.0.0
	--socket $out/no.socket --fault irq-late=NUMBER
END

socket_on_file() {
	echo keep >"$out/no.socket"
	! timeout 20 build/loom-sim --socket "$out/no.socket" && [ "$(cat "$out/no.socket")" = keep ]
}
ok 'loom-sim makes no socket where a file is' socket_on_file
sim_usage() {
	local status=0
	timeout 20 build/loom-sim "$@" 2>/dev/null || status=$?
	[ $status = 2 ]
}
while read -r -a words; do
	ok "no command line: loom-sim ${words[*]}" sim_usage "${words[@]}"
done <<-END

	--socket
	--socket $out/no.socket extra
	--nonsense
	--chip moon
	--pace 0
	--window 3M
	--firmware 1.2
	--fault rain
	--fault irq-lost=3
	--fault irq-late=soon
END

# every command that prints JSON, with all that it can be asked for
json_pages() {
	local j=$out/json net=$models/oww_alexa.onnx
	mkdir -p "$j" && printf 'id,size,start,end\na,10,0,3\nb,20,1,2\n' >"$j/items.csv" &&
	$loom plan $net --json --tensors --layers --explain --replay >"$j/plan.json" &&
	$loom plan "$models/blazeface.onnx" --json --chip tiny --tensors --explain --objective bytes \
		>"$j/bytes.json" &&
	! $loom plan $net --json --sram 128 >"$j/refused.json" &&
	$loom compile $net -o "$j/net.loom" --json >"$j/compile.json" &&
	$loom inspect "$j/net.loom" --json --tensors --layers >"$j/inspect.json" &&
	$loom verify "$j/net.loom" --json >"$j/verify.json" &&
	$loom run "$j/net.loom" --json -i random:1 --device host >"$j/run.json" &&
	$loom run $net --json -i random:1 --device host --items 2 >"$j/items.json" &&
	$loom run $net --json -i random:1 --device host --frames 2 >"$j/frames.json" &&
	$loom model $net --json >"$j/model.json" &&
	$loom model $models/ppocr_rec.onnx --json >"$j/open.json" &&
	$loom place "$j/items.csv" --json --capacity 64 >"$j/place.json" &&
	printf 'id,lower,upper,size,width,height,class\na,0,2,4096,32,64,f16\n' >"$j/images.csv" &&
	$loom place "$j/images.csv" --json --strategy tokens-2d >"$j/images.json" &&
	$loom chips wormhole --json >"$j/chip.json" &&
	$loom report --device host -o "$j" --json >"$j/report.json" &&
	$loom info --presets --json >"$j/presets.json" &&
	$loom plan --strategies --json >"$j/plan-strategies.json" &&
	$loom place --strategies --json >"$j/place-strategies.json" &&
	$loom view $net --json -o "$j/net.html" >"$j/view.json" &&
	$loom sweep $net --json --chip soft --vary sram=16k/64k -o "$j/sweep.csv" >"$j/sweep.json" &&
	$loom help --json >"$j/help.json" &&
	$loom version --json >"$j/version.json" &&
	tools/testing/json_paths.py Documentation/json.rst plan="$j/plan.json" plan="$j/bytes.json" \
		"plan, refused=$j/refused.json" compile="$j/compile.json" inspect="$j/inspect.json" verify="$j/verify.json" \
		run="$j/run.json" run="$j/items.json" run="$j/frames.json" model="$j/model.json" model="$j/open.json" \
		place="$j/place.json" place="$j/images.json" chips="$j/chip.json" report="$j/report.json" \
		"plan --strategies=$j/plan-strategies.json" \
		"place --strategies=$j/place-strategies.json" view="$j/view.json" \
		sweep="$j/sweep.json" help="$j/help.json" version="$j/version.json" &&
	cmp "$j/presets.json" <($loom chips --json) &&
	# a command that is added has its heading
	python3 -c '
import json, sys
page = open(sys.argv[1]).read().split("\n")
sys.exit(", ".join(c["name"] for c in json.load(open(sys.argv[2]))["commands"]
                   if "loom " + c["name"] not in page) or 0)' Documentation/json.rst "$j/help.json"
}
ok 'what is printed as JSON is what its page says' json_pages
wrong_page() {
	sed '/``results\[\].min``/d; s/``scratch_bytes`` int/``scratch_bytes`` string/' \
		Documentation/json.rst >"$out/json.rst" &&
	! tools/testing/json_paths.py "$out/json.rst" run="$out/json/run.json" >"$out/wrong" &&
	grep -q 'scratch_bytes is not string' "$out/wrong" && grep -q 'min is not in' "$out/wrong" &&
	[ "$(wc -l <"$out/wrong")" = 2 ]
}
ok 'and what is not there is missed' wrong_page
ok 'tensors are for JSON' said 2 'is for --json' plan $models/oww_alexa.onnx --tensors

# loom model counts as many multiply-accumulates as a plan that recomputes none
same_macs() {
	local model plan
	model=$($loom model "$@" --json | sed -n 's/^      "macs": \([0-9]*\).*/\1/p' |
		awk '{ sum += $1 } END { printf "%d\n", sum }')
	plan=$($loom plan "$@" --json --grouping layerwise | sed -n 's/^  "macs": \([0-9]*\).*/\1/p')
	echo "$model $plan"
	[ "$model" = "$plan" ]
}
ok 'loom model counts what is planned' same_macs $models/blazeface.onnx
ok 'where shapes are open, too' same_macs $models/ppocr_rec.onnx --shape x=1,3,48,96
shows_model() {
	$loom model $models/ppocr_rec.onnx >"$out/model.text" && cat "$out/model.text" &&
	grep -q '^input      x f32 \[?,3,48,?\]' "$out/model.text" &&
	grep -q '^Conv  *38$' "$out/model.text" && grep -q 'use --dim' "$out/model.text"
}
ok 'an open model shows what it takes' shows_model
unknown() {
	LC_ALL=C sed 's/Relu/Rexu/' /usr/share/libonnx-testdata/data/node/test_relu/model.onnx \
		>"$out/unknown.onnx"
	! $loom model "$out/unknown.onnx" >"$out/unknown.text" 2>"$out/unknown.err" &&
	grep -q '^Rexu .* not supported$' "$out/unknown.text" && [ "$(wc -l <"$out/unknown.err")" = 1 ]
}
ok 'what is not supported is in its table' unknown

# tensors that are kept in a program can be read where it runs
observed() {
	$loom compile $models/oww_alexa.onnx --observe-all -o "$out/kept.loom" &&
	$loom run "$out/kept.loom" -i random:1 --device host --observe-all "$out/kept" &&
	$loom run $models/oww_alexa.onnx -i random:1 --device host --observe-all "$out/kept-model" &&
	diff -r "$out/kept" "$out/kept-model"
}
ok 'a program keeps what --observe-all asks for' observed
ok 'and only then' said 1 'try loom compile --observe-all' run "$file" --device host -i random:1 \
	--observe-all "$out/kept-none"

# the second of two is found, with the same words and bits, and takes no time to plan
cached() {
	local cache="$PWD/$out/cache" kind
	for kind in first second; do
		XDG_CACHE_HOME=$cache $loom run $models/oww_alexa.onnx -i random:1 --device host \
			--save-outputs "$out/$kind" >/dev/null &&
		XDG_CACHE_HOME=$cache $loom plan $models/oww_alexa.onnx >"$out/$kind.text" || return
	done
	[ "$(find "$cache/loom" -name '*.loom' | wc -l)" = 1 ] &&
	cmp "$out/first.text" "$out/second.text" && diff -r "$out/first" "$out/second" &&
	XDG_CACHE_HOME="$PWD/$out/none" $loom plan --no-cache $models/oww_alexa.onnx \
		>"$out/third.text" &&
	cmp "$out/first.text" "$out/third.text" && [ ! -e "$out/none" ]
}
mkdir -p "$out/cache"
ok 'a program is kept, and found by plan and run' cached
ok 'a limit on memory' said 1 'limit of 65536 bytes of memory while reading the file' \
	plan $models/oww_alexa.onnx --max-memory 64k
ok 'a limit on work' said 1 'limit of 102400 units of work while' \
	plan $models/mlsd_tiny.onnx --max-work 100k
finish
