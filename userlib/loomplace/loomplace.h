/* SPDX-License-Identifier: MIT */
/**
 * DOC: Placing, as a library of its own
 *
 * What Loom's placer can do with sizes and lifetimes, for programs that need nothing else of Loom:
 * arrays in, offsets out. Link with ``-lloomplace`` (``pkg-config loomplace``); it needs the C
 * library alone. Item i is sizes[i] bytes that are alive in [lowers[i], uppers[i]); items that are
 * alive at the same time get offsets at which they share no byte, and the highest end is low, or
 * below a capacity.
 *
 * Rules about memory: arrays are the caller's, are read during the call only, and are never kept.
 * Offsets are written when all is done, so on failure they are as they were. All memory that a call
 * needs is free again when it returns, and comes from the caller's functions if there are any.
 *
 * The interface is stable: structs begin with their size, so that a later library, with more at
 * their ends, takes those of an earlier header. What is new means nothing special if it is zero.
 *
 * Thread safe: calls share nothing. errno stays as it was.
 */
#ifndef LOOMPLACE_H
#define LOOMPLACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * define LOOMPLACE_NONE - no item
 */
#define LOOMPLACE_NONE		SIZE_MAX
/**
 * define LOOMPLACE_FREE - no fixed offset, the item may be anywhere
 */
#define LOOMPLACE_FREE		UINT64_MAX

/**
 * struct loomplace_memory - where the memory of a call comes from
 * @allocate: at least @bytes bytes, aligned for any type, or NULL if there are none: the call then
 *	returns -ENOMEM
 * @release: takes back what @allocate gave
 * @context: what both are called with
 *
 * They are called in the thread of the call. All that was allocated is released before it returns.
 */
struct loomplace_memory {
	void *(*allocate)(void *context, size_t bytes);
	void (*release)(void *context, void *memory);
	void *context;
};

/**
 * struct loomplace_problem - what is to be placed
 * @struct_bytes: sizeof(struct loomplace_problem)
 * @num_items: number of items, below 2^32 - 1
 * @sizes: by item: bytes; 0 takes no room
 * @lowers: by item: first moment of its lifetime
 * @uppers: by item: first moment after it, above the lower one
 * @alignments: by item: its offset is a multiple of it; 0 means 1. NULL: all are 1
 * @fixed: by item: the offset that it must have, or LOOMPLACE_FREE. NULL: all are free
 * @capacity_bytes: any placement below it will do; 0: the lowest is looked for
 * @budget: how long to look for it, in search nodes; 0: a second or so. The answer is a function of
 *	the problem and this number
 * @time_ns: stop after so many nanoseconds of the processor; 0: the budget alone decides. What
 *	comes out then depends on the machine
 * @memory: where memory comes from; NULL: malloc()
 */
struct loomplace_problem {
	size_t struct_bytes;
	size_t num_items;
	const uint64_t *sizes;
	const int64_t *lowers;
	const int64_t *uppers;
	const uint64_t *alignments;
	const uint64_t *fixed;
	uint64_t capacity_bytes;
	uint64_t budget;
	uint64_t time_ns;
	const struct loomplace_memory *memory;
};

/**
 * struct loomplace_answer - what came of it
 * @struct_bytes: sizeof(struct loomplace_answer); the one that the caller fills in
 * @height_bytes: the highest end of an item
 * @bound_bytes: no placement is lower than this
 * @proved: not 0: the height is at the bound
 * @item: on failure: an item at fault, or LOOMPLACE_NONE
 * @other: on failure: the item that it collides with, or LOOMPLACE_NONE
 * @missing_bytes: -ENOSPC: the capacity is proved to fall short by at least so much; 0: not proved
 * @text: on failure: one line that says why; else ""
 */
struct loomplace_answer {
	size_t struct_bytes;
	uint64_t height_bytes;
	uint64_t bound_bytes;
	int proved;
	size_t item;
	size_t other;
	uint64_t missing_bytes;
	char text[160];
};

/**
 * loomplace_place() - place items
 * @problem: what is to be placed
 * @offsets: [out] by item; as it was on failure
 * @answer: [in, out] what came of it; may be NULL
 *
 * Return: 0; -EINVAL for a problem that is none (an empty lifetime, fixed items that collide, a
 * size of a struct that no header has); -ENOSPC if no placement within the capacity was found;
 * -E2BIG for too many items; -ERANGE where sizes or offsets leave 63 bits; -ENOMEM.
 */
int loomplace_place(const struct loomplace_problem *problem, uint64_t *offsets,
		    struct loomplace_answer *answer);

/**
 * loomplace_check() - prove a placement, wherever it comes from
 * @problem: what was placed
 * @offsets: by item
 * @answer: [in, out] its height and the bound, or what is wrong; may be NULL
 *
 * Return: 0; -EBADMSG if it is none; else as loomplace_place().
 */
int loomplace_check(const struct loomplace_problem *problem, const uint64_t *offsets,
		    struct loomplace_answer *answer);

/**
 * loomplace_version() - the version of the library
 *
 * Return: such as "0.3.0"; it is the library's.
 */
const char *loomplace_version(void);

#ifdef __cplusplus
}
#endif

#endif /* LOOMPLACE_H */
