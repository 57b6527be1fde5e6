/* SPDX-License-Identifier: MIT */
/* Lists that are sorted by a number. */
#ifndef LOOM_PLACE_RADIX_H
#define LOOM_PLACE_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* An element of a list. */
struct loom_radix_entry {
	int64_t key;			/* the list is sorted by it */
	int64_t value;			/* anything */
};

/* A list. All zero: empty. */
struct loom_radix {
	struct loom_radix_entry *entries;	/* the elements */
	struct loom_radix_entry *spare;	/* scratch memory */
	/* by value of a digit: position of the next entry with that value */
	uint32_t *ends;
	size_t count;			/* number of @entries */
	size_t max;			/* number that @entries and @spare have room for */
};

/** loom_radix_reserve() - makes room for @count more. 0, or -ENOMEM and the list is empty */
int loom_radix_reserve(struct loom_radix *sort, size_t count);
/** loom_radix_sort() - sorts by key, stably */
void loom_radix_sort(struct loom_radix *sort);
/** loom_radix_clear() - frees what @sort holds, and makes it empty */
void loom_radix_clear(struct loom_radix *sort);

/** loom_radix_descending() - a key by which larger numbers come first */
static inline int64_t loom_radix_descending(uint64_t number)
{
	return (int64_t)(~number ^ 1ULL << 63);
}

#endif /* LOOM_PLACE_RADIX_H */
