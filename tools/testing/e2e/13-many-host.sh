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

network alexa onnx::Flatten_0 1 16 96
network embedding input_1 1 76 32 1
all=$out/alexa/all.npy
refused() {	# STATUS TEXT ARG...
	refusal "$1" "$2" $loom run "$(model_file alexa)" "${@:3}"
}
ok '--pipeline without devices' refused 2 'needs --devices' --pipeline -i "$all"
ok 'no number of items' refused 2 "not 'none'" --items none -i "$all"
ok 'no device of that name' refused 1 "no device 'moon'" --items 5 --devices host,moon -i "$all"
ok 'no node of that number' refused 1 accel77 --items 5 --devices host,77 -i "$all"
ok 'a chip that is not the host' refused 2 '--chip' --items 5 --chip tiny --devices host,0 -i "$all"
ok 'other items than there are' refused 1 '[5,16,96]' --items 4 --devices host,host -i "$all"
ok 'what one device only can do' refused 2 '--observe-all' --items 5 --observe-all "$out" -i "$all"
ok 'more stages than nodes' refused 1 'cannot be cut' --items 5 --pipeline -i "$all" \
	--devices "$(printf 'host,%.0s' {1..40})"
finish
