/* SPDX-License-Identifier: MIT */
/*
 * Memory of libloomplace. The Makefile renames calls of malloc() and its kin in its objects to
 * these functions, which call those of the library's caller, if any.
 */
#ifndef LOOMPLACE_MEMORY_H
#define LOOMPLACE_MEMORY_H

#include "loomplace.h"

/** place_memory_use() - sets this thread's functions; NULL: malloc(). Returns the previous ones */
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
