# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced after lib.sh by tests that run several items on several devices.
# shellcheck disable=SC2154 # variables of lib.sh

items=5

# draw NAME INPUT DIM...: all items as an array, and each as bare bytes, in $out/NAME
draw() {
	local name=$1 dims=${*:3} bytes=4 dim
	mkdir -p "$out/$name"
	for dim in $dims; do
		bytes=$((bytes * dim))
	done
	# the first dimension is that of the items
	# shellcheck disable=SC2086 # a list of numbers
	build/e2e/pictures speech "$out/$name/all.npy" 9 $((items * $3)) ${dims#* } &&
	tail -c $((items * bytes)) "$out/$name/all.npy" |
		split -b "$bytes" -d -a 1 - "$out/$name/item."
}

# alone NAME: one item after the other
alone() {
	local name=$1 i
	for ((i = 0; i < items; i++)); do
		$loom run "$(model_file "$name")" --device host --effort 1 --input "$out/$name/item.$i" \
			-o "$out/$name/one.$i.bin" || return 1
	done
	cat "$out/$name"/one.?.bin >"$out/$name/want.bin"
}

# many NAME WHAT ARG...
many() {
	local name=$1 what=$2
	$loom run "$(model_file "$name")" --effort 1 --items $items --json --input "$out/$name/all.npy" \
		-o "$out/$name/$what.bin" "${@:3}" >"$out/$name/$what.json" &&
	cmp "$out/$name/want.bin" "$out/$name/$what.bin"
}

# ran NAME WHAT COUNT: the devices ran so many items in all
ran() {
	python3 - "$out/$1/$2.json" "$3" <<-'EOF'
		import json, sys
		run = json.load(open(sys.argv[1]))["run"]
		assert sum(d["items"] for d in run["devices"]) == int(sys.argv[2]), run
	EOF
}
