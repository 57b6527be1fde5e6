/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_LIBC_MEMORY_H
#define LOOM_TESTS_LIBC_MEMORY_H

/*
 * Calls for memory of the C library, by names that a test can use that defines malloc() and the
 * like itself. Such a test sees allocations of a shared library, too, which --wrap does not.
 */

#include <stddef.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t number, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void __libc_free(void *memory);

#endif /* LOOM_TESTS_LIBC_MEMORY_H */
