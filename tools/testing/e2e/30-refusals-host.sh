#!/bin/bash
# SPDX-License-Identifier: MIT
# What has to be refused on the host, with the ASan build: a leak or a wild access ends it with
# another status than 1.
# shellcheck source=tools/testing/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tools/testing/e2e/refusals.sh
. "$(dirname "$0")/refusals.sh"

fresh_out
make_pictures && make_refusals || { echo 'Bail out! no pictures'; exit 1; }
make -s build/asan/loom || { echo 'Bail out! no build/asan/loom'; exit 1; }
export ASAN_OPTIONS=exitcode=99:detect_leaks=1
refuse_all build/asan/loom host
small_all build/asan/loom
chips_all build/asan/loom
usage_all
finish
