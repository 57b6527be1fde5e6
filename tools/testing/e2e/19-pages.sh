#!/bin/bash
# SPDX-License-Identifier: MIT
# Pages, command by command. Headers and library are where pkg-config finds them, as if they were
# installed.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
prefix=$PWD/$out/prefix
mkdir -p "$prefix/include" "$prefix/lib"
cp -r userlib/include "$prefix/include/loom"
cp -r uapi/drm "$prefix/include/loom/drm"
cp -P build/libloom.so* "$prefix/lib"
sed "s,^prefix=.*,prefix=$prefix," build/loom.pc >"$prefix/lib/loom.pc"
export PKG_CONFIG_PATH=$prefix/lib LD_LIBRARY_PATH=$prefix/lib
export PYTHONPATH=$PWD/build/python LOOM_LIBRARY=$PWD/build/libloom.so.1

for page in chips tutorial planner states placement python; do
	tools/ci/pages/doc-commands.py Documentation/$page.rst "$out/$page" >"$out/$page.tap"
	status=$?
	adopt "$out/$page.tap" "$page: "
	ok "$page: all of it" [ $status = 0 ]
done

# README.md shows the end of "make run", whose plan needs no VM
readme() {
	local line
	$loom plan $models/ppocr_rec.onnx --shape x=1,3,48,344 --sram 192k >"$out/readme" || return 1
	grep -E '^(neurons|plan|scratch|traffic|groups|speed|bound) ' "$out/readme" | while read -r line; do
		grep -qxF "    $line" README.md || { echo "not in README.md: $line"; return 1; }
	done
}
ok 'README: the figures of make run' readme
picture() {
	$loom plan $models/oww_embedding.onnx --shape input_1=1,76,32,1 --sram 8k --objective bytes \
		--svg-steps 0-40 --svg "$out/layergroup.svg" >/dev/null &&
	cmp "$out/layergroup.svg" Documentation/static/layergroup.svg
}
ok 'README: the picture of a plan' picture
finish
