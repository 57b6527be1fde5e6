#!/bin/bash
# SPDX-License-Identifier: MIT
# Refusals on the host, with the ASan build: a leak or a wild access ends it with another status
# than 1. And small files that ask for much, with the usual build: each is planned, or refused with
# one line that names the node, within its CPU time and 1 GiB of addresses.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/refusals.sh
. "$(dirname "$0")/refusals.sh"

# limited SECONDS COMMAND...
limited() (
	ulimit -t "$1" && ulimit -v $((1 << 20)) || exit
	shift
	"$@"
)

# file KIND NUMBER...: writes that network to $file
file() {
	file=$out/$(tr ' ' - <<<"$*").onnx
	python3 tools/testing/bench/nets.py "$1" "$file" "${@:2}" >/dev/null
}

# plans SECONDS KIND NUMBER...
plans() {
	local seconds=$1
	shift
	file "$@" && ok "$* is planned in $seconds s" limited "$seconds" $loom plan "$file"
}

# refuses TEXT KIND NUMBER...
refuses() {
	local text=$1
	shift
	file "$@" && ok "$* is refused" refusal 1 "$text" limited 2 $loom plan "$file"
}

fresh_out
make_pictures && make_refusals || { echo 'Bail out! no pictures'; exit 1; }
make -s build/asan/loom || { echo 'Bail out! no build/asan/loom'; exit 1; }
export ASAN_OPTIONS=exitcode=99:detect_leaks=1
refuse_all build/asan/loom host
small_all build/asan/loom
chips_all build/asan/loom
usage_all

plans 10 topk 1000 100000
plans 10 topk 512 1024 4096
plans 10 wide_sum 3000
# 11 s on the developing machine
plans 30 lstm 100 64
refuses 'node "Concat.32": operator Concat: tensor '\''v32'\'' has more than 2^32' doubling 33
refuses 'node "Concat.1": operator Concat: tensor '\''v1~1@29'\'' has more than 2^32' loop_doubling 33
refuses 'node "LSTM.4": operator LSTM: written out it has more than 16384 nodes' lstm 2048 1
refuses 'node "Split.30000": operator Split: written out it has more than 16384 nodes' split 30000
file growth && ok 'constants that grow are refused' refusal 1 \
	'node "Expand.131": operator Expand: constants grow by more than 512 MiB' limited 10 $loom plan "$file"
finish
