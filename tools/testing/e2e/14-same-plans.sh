#!/bin/bash
# SPDX-License-Identifier: MIT
# A model has the same plan whoever compiled the library: two builds, one of them without
# optimisation to speak of, with sanitizers, and with a pattern in all variables that nobody has set
# (SANITIZE in the Makefile), write the same bytes.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out

# same NAME MODEL [ARG...]
same() {
	local name=$1 model=$models/$2
	shift 2
	$loom plan "$model" "$@" -o "$out/$name.plain" >"$out/$name.log" &&
	build/asan/loom plan "$model" "$@" -o "$out/$name.asan" >>"$out/$name.log" &&
	cmp "$out/$name.plain" "$out/$name.asan"
}

# The build with sanitizers plans ten times as slowly: by default once, else by little effort.
ok 'rec: the same bytes by default' same rec ppocr_rec.onnx --shape x=1,3,48,320
ok 'rec in another width: the same bytes' same rec-344 ppocr_rec.onnx --shape x=1,3,48,344 --effort 1
for grouping in layerwise layergroup; do
	ok "rec in images by $grouping: the same bytes" same rec-image-$grouping ppocr_rec.onnx \
		--shape x=1,3,48,320 --image all --grouping $grouping --objective time --effort 1
done
strategies=$($loom plan --strategies | sed '1,/^grouping:/d; s/ .*//')
ok 'the tool lists grouping strategies' test -n "$strategies"
for strategy in $strategies; do
	for sram in 4k 64k; do
		ok "blazeface by $strategy in $sram a lane: the same bytes" \
			same "blazeface-$strategy-$sram" blazeface.onnx --grouping $strategy --sram $sram \
			--effort 1
	done
done
ok 'cls on bm1688: the same bytes' \
	same cls ppocr_cls.onnx --shape x=1,3,48,192 --topology bm1688
finish
