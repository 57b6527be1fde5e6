/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_FUZZ_H
#define LOOM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** LLVMFuzzerTestOneInput() - tries one input; the name is the one that libFuzzer looks for */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * The sanitizers' own: UBSan, where it is a library of its own, knows no callback, but aborts if it
 * is asked to.
 */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
const char *__ubsan_default_options(void);

#endif /* LOOM_TESTS_FUZZ_H */
