#!/bin/bash
# SPDX-License-Identifier: MIT
# Several items on several host devices, each item on one of them and all through all of them: the
# bits of one item after the other on one device.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/many.sh
. "$(dirname "$0")/many.sh"

fresh_out

network() {	# NAME INPUT DIM...
	ok "$1: the items are drawn" draw "$@" || return
	ok "$1: one after the other on one device" alone "$1" || return
	ok "$1: all on one device" many "$1" one --device host
	ok "$1: on two devices" many "$1" two --devices host,host
	ok "$1: each runs once" ran "$1" two $items
	ok "$1: on five devices, twice" many "$1" five --devices host,host,host,host,host --repeat 2
	ok "$1: through two stages" many "$1" stages2 --devices host,host --pipeline
	ok "$1: each stage runs all" ran "$1" stages2 $((2 * items))
	ok "$1: through three stages" many "$1" stages3 --devices host,host,host --pipeline
}

# said STATUS TEXT ARG...: ends with that status and one line that has that text
said() {
	local want=$1 text=$2 status=0
	shift 2
	$loom run "$(model_file alexa)" "$@" >"$out/said.out" 2>"$out/said" || status=$?
	cat "$out/said"
	[ $status = "$want" ] && [ "$(wc -l <"$out/said")" = 1 ] && grep -qF -- "$text" "$out/said"
}

network alexa onnx::Flatten_0 1 16 96
network embedding input_1 1 76 32 1
all=$out/alexa/all.npy
ok '--pipeline without devices' said 2 'needs --devices' --pipeline -i "$all"
ok 'no number of items' said 2 "not 'none'" --items none -i "$all"
ok 'no device of that name' said 1 "no device 'moon'" --items 5 --devices host,moon -i "$all"
ok 'no node of that number' said 1 accel77 --items 5 --devices host,77 -i "$all"
ok 'a chip that is not the host' said 2 '--chip' --items 5 --chip tiny --devices host,0 -i "$all"
ok 'other items than there are' said 1 '[5,16,96]' --items 4 --devices host,host -i "$all"
ok 'what one device only can do' said 2 '--observe-all' --items 5 --observe-all "$out" -i "$all"
ok 'more stages than nodes' said 1 'cannot be cut' --items 5 --pipeline -i "$all" \
	--devices "$(printf 'host,%.0s' {1..40})"
finish
