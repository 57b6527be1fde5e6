/* SPDX-License-Identifier: MIT */
/*
 * Memory of libloomplace. In its objects, calls of malloc() and its kin are renamed to these
 * (Makefile), which ask the caller of the library, if that has functions for it.
 */
#ifndef LOOMPLACE_MEMORY_H
#define LOOMPLACE_MEMORY_H

#include "loomplace.h"

/** place_memory_use() - from now on, in this thread; NULL: malloc(). Returns what it was before */
const struct loomplace_memory *place_memory_use(const struct loomplace_memory *memory);
/** place_memory_malloc() - as malloc(), and so on */
void *place_memory_malloc(size_t bytes);
void *place_memory_calloc(size_t count, size_t bytes);
void *place_memory_realloc(void *memory, size_t bytes);
void place_memory_free(void *memory);
/** place_memory_qsort() - as qsort(), which may allocate memory, too */
void place_memory_qsort(void *base, size_t count, size_t bytes,
			int (*compare)(const void *a, const void *b));

#endif /* LOOMPLACE_MEMORY_H */
