/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_LIBC_MEMORY_H
#define LOOM_TESTS_LIBC_MEMORY_H

/*
 * malloc() and the like for the whole program, which fail as starved.h says: one source of a test
 * includes this. Allocations of a shared library are seen, too, which --wrap does not.
 */

#include <stdlib.h>

#include "starved.h"

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t number, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void __libc_free(void *memory);

void *malloc(size_t bytes)
{
	return fails() ? NULL : keep(__libc_malloc(bytes));
}

void *calloc(size_t number, size_t bytes)
{
	return fails() ? NULL : keep(__libc_calloc(number, bytes));
}

void *realloc(void *memory, size_t bytes)
{
	void *moved = fails() ? NULL : __libc_realloc(memory, bytes);

	return memory ? moved : keep(moved);
}

void free(void *memory)
{
	release(memory);
	__libc_free(memory);
}

#endif /* LOOM_TESTS_LIBC_MEMORY_H */
