#!/bin/bash
# SPDX-License-Identifier: MIT
# Networks have the same bits with every set of vector instructions, and with two threads. With
# LOOM_SAME_BITS=all, more networks than anybody waits for.
exec build/e2e/same_bits "${LOOM_SAME_BITS:-quick}"
