#!/bin/bash
# SPDX-License-Identifier: MIT
# The ONNX backend tests once more, with ASan and UBSan and at another level of optimisation: the
# bits must not depend on it.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
watched() {
	make -s build/asan/e2e/onnx_backend || return 1
	build/asan/e2e/onnx_backend --digest "$out/digest" >"$out/tap" 2>"$out/err" || {
		grep '^not ok' "$out/tap"
		head -n 12 "$out/err"
		return 1
	}
}
ok 'all cases pass with nothing to complain about' watched
note "$(tail -n 1 "$out/tap")"
build/e2e/onnx_backend --digest "$out/digest.plain" >/dev/null
ok 'results are the same bits, however the engine was compiled' \
	cmp "$out/digest.plain" "$out/digest"
finish
