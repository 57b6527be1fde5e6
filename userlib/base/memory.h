/* SPDX-License-Identifier: MIT */
/*
 * Memory of the library: calls of malloc() and its kin are counted by the watch of the thread, see
 * watch.h. All files of the rooms that make graphs and programs include this first, by an option of
 * the compiler (Makefile), because a call that is not counted evades the limit. Blocks are those of
 * libc: either side may free the other's.
 */
#ifndef LOOM_BASE_MEMORY_H
#define LOOM_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct loom_watch;

/** loom_memory_malloc() - as malloc(), and so on; they fail past the limit of the watch */
void *loom_memory_malloc(size_t size_bytes);
void *loom_memory_calloc(size_t num, size_t each_bytes);
void *loom_memory_realloc(void *memory, size_t size_bytes);
void loom_memory_free(void *memory);
/**
 * loom_memory_grow() - room for one more element of an array
 * @array: the array, NULL at first
 * @count: elements in use
 * @cap: [in, out] elements there is room for, which doubles
 * @elem_bytes: size of an element
 *
 * Return: the array, possibly elsewhere, or NULL without memory.
 */
void *loom_memory_grow(void *array, uint32_t count, uint32_t *cap, size_t elem_bytes);
/** loom_memory_admit() - whether the watch lets a call have so much more */
bool loom_memory_admit(struct loom_watch *watch, size_t size_bytes);

#define malloc(size_bytes)		loom_memory_malloc(size_bytes)
#define calloc(num, each_bytes)		loom_memory_calloc(num, each_bytes)
#define realloc(memory, size_bytes)	loom_memory_realloc(memory, size_bytes)
#define free(memory)			loom_memory_free(memory)

#endif /* LOOM_BASE_MEMORY_H */
