#!/bin/bash
# SPDX-License-Identifier: MIT
# The language model of `make run-llm`: trained on a line that repeats, it continues the line, with
# floats and with matrices of 4 bits.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
line='ab cd'

states=()
for state in key_0 value_0 key_1 value_1; do
	states+=(--state "present_$state=past_$state")
done

train() {
	yes "$line" | head -n 60 >"$out/text"
	$under build/llm/train 60 "$out/text" >"$out/$1"
}

trains_again() {
	train again && cmp "$out/weights" "$out/again"
}

too_much() {
	# shellcheck disable=SC2086 # words
	refusal 1 "128 positions" $under build/llm/write "$out/32.loom" host 127 "$line"
}

# continues BITS: whether the model of so many bits continues the begin of the line
continues() {
	local tokens given
	python3 tools/llm/model.py "$out/weights" "$out/$1.onnx" --bits "$1" || return
	for tokens in 1 4; do
		$loom compile "$out/$1.onnx" --dim "tokens=$tokens" --chip soft --sram 192k \
			--effort 0 "${states[@]}" --output "$out/$1-$tokens.loom" || return
	done
	$loom join "$out/$1-1.loom" "$out/$1-4.loom" --output "$out/$1.loom" &&
	for given in 2 11; do
		$under build/llm/write "$out/$1.loom" host 40 "$(yes "$line" | head -c "$given")" \
			>"$out/$1.text" || return
		cat "$out/$1.text"
		yes "$line" | head -c $((40 + given)) | cmp - <(head -c $((40 + given)) "$out/$1.text") ||
			return
	done
}

smaller() {
	[ $((2 * $(stat -c %s "$out/4.onnx"))) -lt "$(stat -c %s "$out/32.onnx")" ]
}

ok 'a model is trained' train weights
ok 'once more it is the same' trains_again
ok 'it continues what it was trained on' continues 32
ok 'with 4 bits, too' continues 4
ok 'whose file is not half as large' smaller
ok 'it does not write more than it has positions for' too_much
finish
