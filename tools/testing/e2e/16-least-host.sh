#!/bin/bash
# SPDX-License-Identifier: MIT
# Lower bounds, worked out again element by element by a program of its own: least.py.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
exec python3 "$(dirname "$0")/../least.py" $loom "$out" 200
