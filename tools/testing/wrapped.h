/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_WRAPPED_H
#define LOOM_TESTS_WRAPPED_H

/*
 * Calls for memory that the linker gives to a test (--wrap, see the Makefile), and what they would
 * have reached.
 */

#include <stddef.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t number, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t number, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

#endif /* LOOM_TESTS_WRAPPED_H */
