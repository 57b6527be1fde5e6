/* SPDX-License-Identifier: MIT */
/**
 * DOC: Placing, as a library of its own
 *
 * Loom's placement of sizes and lifetimes, for programs that need nothing else of Loom: arrays in,
 * offsets out. Link with ``-lloomplace`` (``pkg-config loomplace``); it depends on the C library
 * alone. Item i is sizes[i] bytes that are alive in [lowers[i], uppers[i]). Items that are alive at
 * the same time get offsets at which they share no byte; the highest end is minimized, or kept
 * below a capacity.
 *
 * Memory: arrays are the caller's, are read during the call only, and are never kept. Offsets are
 * written at the end, so they are unchanged on failure. Memory that a call allocates is freed
 * before it returns, and comes from the caller's functions if there are any. With a workspace,
 * calls for up to 4096 items allocate nothing, once it has been as large, where a greedy order is
 * at the bound or within the capacity: so are the arenas of most networks. Others are searched.
 *
 * The interface is stable: structs begin with their size, so a later library, whose structs may be
 * longer, accepts those of an earlier header. Zero is the default of new fields.
 *
 * Thread safe: calls share no state. errno is preserved.
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
 * struct loomplace_memory - allocation functions of a call
 * @allocate: must return at least @bytes bytes, aligned for any type, or NULL: the call then
 *	returns -ENOMEM
 * @release: must free memory of @allocate
 * @context: argument of both
 *
 * They are called in the thread of the call. All memory is released before the call returns.
 */
struct loomplace_memory {
	void *(*allocate)(void *context, size_t bytes);
	void (*release)(void *context, void *memory);
	void *context;
};

/* Memory that calls use in turn: at any time, at most one call may use it. */
struct loomplace_workspace;

/**
 * struct loomplace_problem - the items and limits of a placement
 * @struct_bytes: sizeof(struct loomplace_problem)
 * @num_items: number of items, below 2^32 - 1
 * @sizes: by item: bytes; 0 takes no room
 * @lowers: by item: first moment of its lifetime
 * @uppers: by item: first moment after it, above the lower one
 * @alignments: by item: its offset is a multiple of it; 0 means 1. NULL: all are 1
 * @fixed: by item: the offset that it must have, or LOOMPLACE_FREE. NULL: all are free
 * @capacity_bytes: any placement below it suffices; 0: the lowest is looked for
 * @budget: limit on the search, in nodes; 0: a second or so. The result is a function of the
 *	problem and this number
 * @time_ns: stop after so many nanoseconds of CPU time; 0: the budget alone decides. With a limit
 *	the result depends on the machine
 * @memory: allocation functions; NULL: malloc()
 * @workspace: memory that calls use in turn; NULL: none
 * @first_gap: by item, and one more: index of its first gap. NULL: there are none
 * @gap_lowers: by gap: first moment at which the item is not alive; ascending in each item
 * @gap_uppers: by gap: first moment after it, within the lifetime
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
	struct loomplace_workspace *workspace;
	const size_t *first_gap;
	const int64_t *gap_lowers;
	const int64_t *gap_uppers;
};

/**
 * struct loomplace_answer - result of a call
 * @struct_bytes: sizeof(struct loomplace_answer); the caller must set it
 * @height_bytes: the highest end of an item
 * @bound_bytes: no placement is lower than this
 * @proved: not 0: the height is at the bound
 * @item: on failure: an item at fault, or LOOMPLACE_NONE
 * @other: on failure: the item that it collides with, or LOOMPLACE_NONE
 * @missing_bytes: -ENOSPC: the capacity is proved to fall short by at least so much; 0: not proved
 * @text: on failure: the reason in one line; else ""
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
 * loomplace_workspace_create() - make a workspace
 * @memory: its allocation functions, which are copied; NULL: malloc()
 * @workspace: [out] it must be freed with loomplace_workspace_destroy(); NULL on failure
 *
 * Return: 0, -EINVAL if a function is missing, or -ENOMEM.
 */
int loomplace_workspace_create(const struct loomplace_memory *memory,
			       struct loomplace_workspace **workspace);

/**
 * loomplace_workspace_destroy() - free a workspace
 * @workspace: it; may be NULL
 */
void loomplace_workspace_destroy(struct loomplace_workspace *workspace);

/**
 * loomplace_place() - place items
 * @problem: the problem
 * @offsets: [out] by item; unchanged on failure
 * @answer: [in, out] the result; may be NULL
 *
 * Return: 0; -EINVAL for an invalid problem (an empty lifetime, fixed items that collide, a size of
 * a struct that no header has); -ENOSPC if no placement within the capacity was found; -E2BIG for
 * too many items; -ERANGE where sizes or offsets leave 63 bits; -ENOMEM.
 */
int loomplace_place(const struct loomplace_problem *problem, uint64_t *offsets,
		    struct loomplace_answer *answer);

/**
 * loomplace_update() - place items that have changed, and move few bytes of the others
 * @problem: the items as they are now; no item may end above its @capacity_bytes, which must be set
 * @before: by item: its offset until now, or LOOMPLACE_FREE for a new one
 * @offsets: [out] by item; unchanged on failure
 * @moved_bytes: [out] sum of the sizes of items whose offset is not that of @before; may be NULL
 * @answer: [in, out] the result; may be NULL
 *
 * Among up to 64 items that may have to move, sets are tried in the order of their bytes, so the
 * first that suffices is the least; @budget nodes are for each try. Where there are more items, or
 * 400 tries do not suffice, no single item of the answer can stay.
 *
 * Return: as loomplace_place(); -EINVAL also for items with gaps.
 */
int loomplace_update(const struct loomplace_problem *problem, const uint64_t *before,
		     uint64_t *offsets, uint64_t *moved_bytes, struct loomplace_answer *answer);

/**
 * loomplace_place_shared() - place two problems that have items in common
 * @first: one problem; its budget, time and memory are those of the call
 * @second: the other problem
 * @shared: by item of @second: the item of @first that it is, or LOOMPLACE_NONE. It has the same
 *	offset in both, at which there is room for the larger size and both alignments
 * @offsets_first: [out] by item of @first; unchanged on failure
 * @offsets_second: [out] by item of @second; unchanged on failure
 * @answer: [in, out] the larger height, and a bound of it; may be NULL
 *
 * Moments of one problem have nothing to do with those of the other.
 *
 * Return: as loomplace_place(); -EINVAL also if capacities differ, if two items of @second are the
 * same of @first, or if a shared one has gaps, or is fixed at two offsets.
 */
int loomplace_place_shared(const struct loomplace_problem *first,
			   const struct loomplace_problem *second, const size_t *shared,
			   uint64_t *offsets_first, uint64_t *offsets_second,
			   struct loomplace_answer *answer);

/**
 * loomplace_check() - verify a placement of any origin
 * @problem: the problem
 * @offsets: by item
 * @answer: [in, out] its height and the bound, or the fault; may be NULL
 *
 * Return: 0; -EBADMSG if the placement is invalid; else as loomplace_place().
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
