/* SPDX-License-Identifier: MIT */
/* A hash table from names to pointers. Its memory comes from a pool; no entry is ever removed. */
#ifndef LOOM_BASE_NAMES_H
#define LOOM_BASE_NAMES_H

#include <stdint.h>

struct loom_name_slot;
struct loom_pool;

/**
 * struct loom_names - a hash table from names to pointers
 * @pool: owner of its memory
 * @slots: open addressing; the number of slots is a power of two
 * @num_slots: number of @slots
 * @num_names: number of names
 */
struct loom_names {
	struct loom_pool *pool;
	struct loom_name_slot *slots;
	uint32_t num_slots;
	uint32_t num_names;
};

/** loom_names_find() - the pointer stored under @name, or NULL */
void *loom_names_find(const struct loom_names *names, const char *name);
/**
 * loom_names_set() - store a pointer under a name, replacing the one stored there
 * @names: the table
 * @name: kept, not copied
 * @thing: not NULL
 *
 * Return: 0 or -ENOMEM.
 */
int loom_names_set(struct loom_names *names, const char *name, void *thing);

#endif /* LOOM_BASE_NAMES_H */
