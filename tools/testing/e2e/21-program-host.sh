#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs in files: `loom compile`, and runs of what it wrote give the bits of runs of the model,
# without planning. What is damaged, planned for something else or cannot be written is refused.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
ok 'pictures are made' make_pictures

# What each model leaves open when it is planned; what both runs are given.
plan_args() {
	case $1 in
	rec)	echo --shape x=1,3,48,320 ;;
	voice)	echo --dim batch=1 --shape input=1,512 --value sr=16000 --state hn=h --state cn=c ;;
	esac
}
run_args() {
	case $1 in
	rec)	echo --input $pictures/line.png ;;
	voice)	echo --frames 1000 --input input=$pictures/voice.npy ;;
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
ok 'a file is whole' $loom verify "$out/rec.loom"

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

# said STATUS TEXT ARG...: fails with one line that has that text
said() {
	local want=$1 text=$2 status=0
	shift 2
	$loom "$@" >"$out/said" 2>"$out/said.err" || status=$?
	cat "$out/said.err"
	[ $status = "$want" ] && [ "$(wc -l <"$out/said.err")" = 1 ] &&
	grep -qF -- "$text" "$out/said.err"
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
ok 'no file' said 1 'No such file' verify "$out/nothing.loom"
ok 'nowhere to write' said 1 "$out/no/net.loom" compile $models/blazeface.onnx \
	-o "$out/no/net.loom"
ok 'no output' said 2 '--output' compile $models/blazeface.onnx

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

# every command that prints JSON, with all that it can be asked for
json_pages() {
	local j=$out/json net=$models/oww_alexa.onnx
	mkdir -p "$j" && printf 'id,size,start,end\na,10,0,3\nb,20,1,2\n' >"$j/items.csv" &&
	$loom plan $net --json --tensors --explain --replay >"$j/plan.json" &&
	$loom plan "$models/blazeface.onnx" --json --chip tiny --tensors --explain --objective bytes \
		>"$j/bytes.json" &&
	$loom compile $net -o "$j/net.loom" --json >"$j/compile.json" &&
	$loom inspect "$j/net.loom" --json --tensors >"$j/inspect.json" &&
	$loom verify "$j/net.loom" --json >"$j/verify.json" &&
	$loom run "$j/net.loom" --json -i random:1 --device host >"$j/run.json" &&
	$loom run $net --json -i random:1 --device host --items 2 >"$j/items.json" &&
	$loom model $net --json >"$j/model.json" &&
	$loom model $models/ppocr_rec.onnx --json >"$j/open.json" &&
	$loom place "$j/items.csv" --json --capacity 64 >"$j/place.json" &&
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
		compile="$j/compile.json" inspect="$j/inspect.json" verify="$j/verify.json" \
		run="$j/run.json" run="$j/items.json" model="$j/model.json" model="$j/open.json" \
		place="$j/place.json" chips="$j/chip.json" report="$j/report.json" \
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

# what is in a model: its multiply-accumulates are those of a plan that recomputes none
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
finish
