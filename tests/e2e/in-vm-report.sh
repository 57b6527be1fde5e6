#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs in the VM: what is in the banks, as told by reports; 40-node.sh looks at what it leaves in
# the folder that is its argument.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

out=$1
mkdir -p "$out"

build/e2e/report_fit >"$out/fit.tap" 2>&1
$loom report -o "$out/idle" --prefix idle- >"$out/idle.text" 2>"$out/idle.err"
# shellcheck disable=SC2046
LOOM_MEMORY_REPORTS=$out/plans $loom run "$(model_file blazeface)" $(model_args blazeface) \
	>/dev/null 2>"$out/plans.err"
# the same folder: continued
# shellcheck disable=SC2046
$loom run "$(model_file alexa)" $(model_args alexa) --memory-reports "$out/plans" \
	>/dev/null 2>>"$out/plans.err"
