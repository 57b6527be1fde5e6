#!/bin/bash
# SPDX-License-Identifier: MIT
# A model all of whose names have control characters, and bytes that are no UTF-8: nothing that a
# terminal obeys comes out of any command that reads it, nor out of its errors.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
python3 - "$out" <<-'EOF' || exit 1
	import sys
	sys.path.insert(0, "tools/testing")
	import wrong_models as onnx

	def field(number, value):
	    return onnx.field(number, value)

	EVIL = b"\x1b[31m\x07\x7f\xc2\x9b5n\xff\x0d\xe2\x80\xae\xe2\x80\xa8-"

	def evil(text):
	    return EVIL + text.encode()

	def node(op, inputs, output):
	    return (b"".join(field(1, evil(name)) for name in inputs) + field(2, evil(output)) +
	            field(3, evil("node of " + output)) + field(4, op))

	def value(name):
	    return onnx.value_info(evil(name), [4, 64])

	def write(path, nodes):
	    graph = (b"".join(field(1, one) for one in nodes) + field(2, evil("graph")) +
	             field(11, value("x")) + field(12, value("y")))
	    with open(path, "wb") as file:
	        file.write(field(1, 8) + field(2, evil("producer")) + field(7, graph) +
	                   field(8, field(1, "") + field(2, 13)) +
	                   field(14, field(1, evil("key")) + field(2, evil("value"))))

	out = sys.argv[1]
	write(out + "/good.onnx", [node("Neg", ["x"], "a"), node("Exp", ["a"], "b"),
	                           node("Tanh", ["b"], "y")])
	write(out + "/bad.onnx", [node("Neg", ["x"], "a"), node("Add", ["a", "nothing"], "y")])
	write(out + "/unknown.onnx", [node(b"Ne\x1b[31mg", ["x"], "y")])
	with open(out + "/items.csv", "wb") as file:
	    file.write(b"id,lower,upper,size,\x1b[31mcolumn\n" + EVIL.replace(b"\r", b"") +
	               b"a,0,2,5,1\nb,1,3,5,1\n")
	with open(out + "/chip.yaml", "wb") as file:
	    file.write(b"name: soft\nfoo\xc2\x9bbar: 3\n")
	with open(out + "/x.npy", "wb") as file:
	    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 64), }"
	    head += b" " * (117 - len(head)) + b"\n"
	    file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(1024))
	EOF

# clean STATUS COMMAND...: it ends with that status, and what it prints is text and newlines alone
clean() {
	local want=$1 got=0
	shift
	"$@" >"$out/printed" 2>&1 || got=$?
	cat -v "$out/printed"
	[ $got = "$want" ] && is_clean "$out/printed" &&
		! grep -q $'\xe2\x80\xae\|\xe2\x80\xa8' "$out/printed"
}

# is_clean FILE: valid UTF-8 without control characters but newlines and tabs
is_clean() {
	python3 -c '
import sys
text = open(sys.argv[1], "rb").read().decode()
bad = [c for c in text if c not in "\n\t" and (ord(c) < 32 or 127 <= ord(c) < 160)]
sys.exit(f"{len(bad)} control characters" if bad or not text else 0)' "$1"
}

good=$out/good.onnx
for grouping in layerwise layergroup; do
	ok "plan, $grouping" clean 0 $loom plan "$good" --grouping $grouping
done
ok 'plan --explain' clean 0 $loom plan "$good" --explain
ok 'plan --dump' clean 0 $loom plan "$good" --stop-after=slices --dump
ok 'plan --json' clean 0 $loom plan "$good" --json
ok 'plan with a picture and a trace' clean 0 $loom plan "$good" --svg "$out/plan.svg" \
	--trace "$out/plan.json" --place-csv "$out/plan.csv"
ok 'the picture' is_clean "$out/plan.svg"
ok 'the trace' is_clean "$out/plan.json"
ok 'both are what they should be' python3 -c '
import json, sys, xml.etree.ElementTree
xml.etree.ElementTree.parse(sys.argv[1])
json.load(open(sys.argv[2]))' "$out/plan.svg" "$out/plan.json"
ok 'place of what was planned' clean 0 $loom place "$out/plan.csv"
ok 'model' clean 0 $loom model "$good"
# json_name: JSON loses no character that the terminal does not get
json_name() {
	clean 0 $loom model "$good" --json &&
		python3 -c '
import json, sys
name = json.load(open(sys.argv[1]))["inputs"][0]["name"]
sys.exit(name != "\x1b[31m\x07\x7f\x9b5n\ufffd\r\u202e\u2028-x" and repr(name))' "$out/printed"
}

ok 'model --json' clean 0 $loom model "$good" --json
ok 'names in JSON are those of the model' json_name
ok 'compile refuses it' clean 1 $loom compile "$good" -o "$out/good.loom"
ok 'run' clean 0 $loom run "$good" --device host -i "$out/x.npy"
ok 'run without an input' clean 1 $loom run "$good" --device host
ok 'view' clean 0 $loom view "$good" -o "$out/good.html"
ok 'its page' is_clean "$out/good.html"
ok 'an operand that there is not' clean 1 $loom plan "$out/bad.onnx"
ok 'an operator that there is not' clean 1 $loom model "$out/unknown.onnx"
ok 'a table of items' clean 0 $loom place "$out/items.csv" --explain
ok 'a description of a chip' clean 1 $loom plan "$good" --chip "$out/chip.yaml"
ok 'a command that there is not' clean 2 $loom $'\e[31m'
ok 'an option that there is not' clean 2 $loom plan $'--\e[31m'
ok 'a file that there is not' clean 1 $loom plan $'\e[31m.onnx'
finish
