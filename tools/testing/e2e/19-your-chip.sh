#!/bin/bash
# SPDX-License-Identifier: MIT
# The page "Your chip", command by command.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
exec tools/ci/doc-commands.py Documentation/your-chip.rst "$out/folder"
