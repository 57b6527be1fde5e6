#!/bin/bash
# SPDX-License-Identifier: MIT
# The ONNX backend tests on the host device, all of them.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

fresh_out
exec $under build/e2e/onnx_backend --device host --digest "$out/digest"
