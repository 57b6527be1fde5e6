/* SPDX-License-Identifier: MIT */
/*
 * DOC: Memory pools
 *
 * A graph is built once, changed by a few passes and freed as a whole, so its memory comes from a
 * pool: no value, node or name is freed alone, and error paths have nothing to undo. Elements of a
 * large constant may be freed early.
 *
 * A pool has a budget. A hostile model of a few hundred bytes may ask for constants of many
 * gigabytes (ConstantOfShape, Expand, Tile); it gets -ENOMEM instead of the machine's memory.
 */
#ifndef LOOM_BASE_POOL_H
#define LOOM_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loom_pool;

/** budget of a graph: twice the 2 GiB that a protobuf can hold */
#define LOOM_POOL_BUDGET_BYTES	((size_t)4 << 30)

/** loom_pool_create() - an empty pool of at most @budget_bytes, NULL without memory */
struct loom_pool *loom_pool_create(size_t budget_bytes);
/** loom_pool_destroy() - frees all memory of @pool; NULL is fine */
void loom_pool_destroy(struct loom_pool *pool);
/** loom_pool_bytes() - what @pool has of its budget */
size_t loom_pool_bytes(const struct loom_pool *pool);
/** loom_pool_is_full() - an allocation was past the budget: it was no lack of memory */
bool loom_pool_is_full(const struct loom_pool *pool);
/** loom_pool_alloc() - zeroed, 16-byte aligned; NULL without memory or past the budget */
void *loom_pool_alloc(struct loom_pool *pool, size_t size_bytes);
/** loom_pool_free() - frees an allocation of more than 64 KiB early; others stay until the end */
void loom_pool_free(struct loom_pool *pool, const void *memory);
/** loom_pool_array() - room for @count elements, checked against overflow */
void *loom_pool_array(struct loom_pool *pool, size_t count, size_t elem_bytes);
/** loom_pool_copy() - a copy of @size_bytes bytes at @data */
void *loom_pool_copy(struct loom_pool *pool, const void *data, size_t size_bytes);
/** loom_pool_string() - a copy of a string; NULL becomes "" */
char *loom_pool_string(struct loom_pool *pool, const char *text);
/** loom_pool_print() - a formatted string */
char *loom_pool_print(struct loom_pool *pool, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * loom_pool_map() - maps a file for reading until the pool goes
 * @pool: unmaps it; the same file is mapped once
 * @fd: the file, which may be closed
 * @bytes: [out] the file, which counts not against the budget
 * @size_bytes: [out] number of @bytes
 *
 * A file that is cut meanwhile ends the process that reads the part that is missing (SIGBUS).
 *
 * Return: 0, -ENODEV for what has no bytes to be mapped, or another -errno.
 */
int loom_pool_map(struct loom_pool *pool, int fd, const void **bytes, size_t *size_bytes);
/** loom_pool_is_unchanged() - the mapped files are as they were, as far as their status tells */
bool loom_pool_is_unchanged(const struct loom_pool *pool);
/** loom_pool_has_mapped() - @data is in a file that loom_pool_map() has mapped */
bool loom_pool_has_mapped(const struct loom_pool *pool, const void *data);
/**
 * loom_pool_grow() - makes room for one more element
 * @pool: where the array lives
 * @array: the array, NULL at first
 * @count: elements in use
 * @cap: elements there is room for, updated
 * @elem_bytes: size of an element
 *
 * Return: the array, possibly elsewhere, or NULL without memory.
 */
void *loom_pool_grow(struct loom_pool *pool, void *array, uint32_t count, uint32_t *cap,
		     size_t elem_bytes);

#endif /* LOOM_BASE_POOL_H */
