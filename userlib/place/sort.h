/* SPDX-License-Identifier: MIT */
/* Lists that are sorted by a number. */
#ifndef LOOM_PLACE_SORT_H
#define LOOM_PLACE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* An element of a list. */
struct loom_sort_entry {
	int64_t key;			/* the list is sorted by it */
	int64_t value;			/* anything */
};

/* A list. All zero: empty. */
struct loom_sort {
	struct loom_sort_entry *entries;	/* the elements */
	struct loom_sort_entry *spare;	/* scratch memory */
	/* by value of a digit: position of the next entry with that value */
	uint32_t *ends;
	size_t count;			/* number of @entries */
	size_t max;			/* number that @entries and @spare have room for */
};

/** loom_sort_reserve() - makes room for @count more entries. 0, or -ENOMEM and the list is empty */
int loom_sort_reserve(struct loom_sort *sort, size_t count);
/** loom_sort_run() - sorts by key, stably */
void loom_sort_run(struct loom_sort *sort);
/** loom_sort_clear() - frees what @sort holds, and makes it empty */
void loom_sort_clear(struct loom_sort *sort);

/** loom_sort_descending() - a key by which larger numbers come first */
static inline int64_t loom_sort_descending(uint64_t number)
{
	return (int64_t)(~number ^ 1ULL << 63);
}

#endif /* LOOM_PLACE_SORT_H */
