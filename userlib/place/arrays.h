/* SPDX-License-Identifier: MIT */
/* Arrays that are allocated one by one, checked together and freed together. */
#ifndef LOOM_PLACE_ARRAYS_H
#define LOOM_PLACE_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* All zero: no arrays. */
struct loom_arrays {
	union loom_array_head *last;	/* of the last array */
	bool failed;			/* some array is NULL */
};

/* In front of an array, which has the alignment of malloc(). */
union loom_array_head {
	union loom_array_head *before;
	max_align_t align;
};

/** loom_arrays_take() - a new array of @count elements, zeroed; NULL without memory */
static inline void *loom_arrays_take(struct loom_arrays *arrays, size_t count, size_t elem_bytes)
{
	union loom_array_head *head = NULL;
	size_t bytes;

	if (!__builtin_mul_overflow(count, elem_bytes, &bytes) &&
	    !__builtin_add_overflow(bytes, sizeof(*head), &bytes))
		head = calloc(1, bytes);
	if (!head) {
		arrays->failed = true;
		return NULL;
	}
	head->before = arrays->last;
	arrays->last = head;
	return head + 1;
}

/** loom_arrays_free() - frees all */
static inline void loom_arrays_free(struct loom_arrays *arrays)
{
	union loom_array_head *head = arrays->last, *before;

	for (; head; head = before) {
		before = head->before;
		free(head);
	}
}

#endif /* LOOM_PLACE_ARRAYS_H */
