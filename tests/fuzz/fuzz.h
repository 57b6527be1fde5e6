/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_FUZZ_H
#define LOOM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** LLVMFuzzerTestOneInput() - tries one input; the name is the one that libFuzzer looks for */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* LOOM_TESTS_FUZZ_H */
