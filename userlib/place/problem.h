/* SPDX-License-Identifier: MIT */
/*
 * The lowest layer of place/: the meaning of a placement problem, and facts that need no placement.
 * resolve.c validates a problem, check.c validates a placement, bound.c refuses infeasible
 * problems, profile.c sums up the bytes alive.
 */
#ifndef LOOM_PLACE_PROBLEM_H
#define LOOM_PLACE_PROBLEM_H

#include "arrays.h"
#include "loom_place.h"
#include "profile.h"

/* The problem of one pool, input of a strategy. */
struct loom_place_task {
	/*
	 * without pools; its conflicts, if the pool has sub-banks, are those within it. Items:
	 * alignment at least 1 and that of the pool; an alias names its first owner; owners live
	 * as long as their aliases and have gaps only if they have no alias. Pairs: of different
	 * owners, first below second, ascending, each once. Operators: with operands of this pool
	 * only
	 */
	struct loom_place_problem problem;
	uint64_t capacity_bytes;		/* of the pool, at most INT64_MAX */
	uint64_t budget;			/* search nodes */
	bool fit_only;				/* any placement within the capacity will do */
	/* by the CPU time clock of the thread: when to stop looking for a lower one; 0: never */
	int64_t deadline_ns;
	/* by item: a placement within the capacity that is known already, or NULL */
	const uint64_t *hint;
	/* greedy strategies: give up with -ERANGE once the height is not below this; 0: never */
	uint64_t below_bytes;
	unsigned int jobs;			/* threads that may be used, at least 1 */
};

/* The result of a strategy. */
struct loom_place_answer {
	/* by item. Those of aliases and of items without size do not matter */
	uint64_t *offsets;
	/* in: a lower bound of the height; out: the same or a higher one */
	uint64_t bound_bytes;
	uint64_t nodes;				/* search nodes visited */
	const char *strategy;			/* name of the strategy that found it; preset */
	/* of token strategies, from malloc; else NULL. Their pool is set by the caller */
	struct loom_place_storage *storages;
	uint32_t num_storages;			/* number of @storages */
	uint32_t *storage_of;			/* by item, from malloc; if there are @storages */
};

/* problem.c */

/** loom_place_is_fixed() - says whether &loom_place_item.fixed holds an offset */
static inline bool loom_place_is_fixed(const struct loom_place_item *item)
{
	return item->flags & LOOM_PLACE_FIXED;
}

/** loom_place_is_alias() - says whether &loom_place_item.alias names an owner */
static inline bool loom_place_is_alias(const struct loom_place_item *item)
{
	return item->flags & LOOM_PLACE_ALIAS;
}

/** loom_place_has_room() - says whether an item occupies bytes of its own */
static inline bool loom_place_has_room(const struct loom_place_item *item)
{
	return !loom_place_is_alias(item) && item->size_bytes;
}

/** loom_place_owner() - the item that the bytes of @item belong to: itself if it is no alias */
static inline uint32_t loom_place_owner(const struct loom_place_item *items, uint32_t item)
{
	return loom_place_is_alias(&items[item]) ? items[item].alias : item;
}

/** loom_place_begin_in_owner() - first byte of @item, from the begin of its owner */
static inline uint64_t loom_place_begin_in_owner(const struct loom_place_item *item)
{
	return loom_place_is_alias(item) ? item->alias_offset : 0;
}

/** loom_place_add() - saturating sum: UINT64_MAX on overflow */
static inline uint64_t loom_place_add(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

/** loom_place_cost() - of an item at @byte_cost per byte; loom_place() checks that it fits */
static inline uint64_t loom_place_cost(const struct loom_place_item *item, uint64_t byte_cost)
{
	return item->size_bytes * byte_cost * (item->weight ? item->weight : 1);
}

/** loom_place_left_ns() - time until a deadline, at least 0; INT64_MAX if there is none */
int64_t loom_place_left_ns(int64_t deadline_ns);
/** loom_place_fail() - fills in @fault, if there is one, and returns @code */
int __attribute__((format(printf, 5, 6)))
loom_place_fail(struct loom_place_fault *fault, int code, uint32_t first, uint32_t second,
		const char *format, ...);
/** loom_place_no_space() - fills in @fault: @pools need @needed bytes at least; returns -ENOSPC */
int loom_place_no_space(struct loom_place_fault *fault, uint32_t item, uint32_t pools,
			uint64_t needed, uint64_t capacity, const char *what);
/** loom_place_align() - raises @offset to a multiple of @align_bytes; false past 63 bits */
bool loom_place_align(uint64_t *offset, uint64_t align_bytes);
/** loom_place_align_up() - the multiple of @align at @at or above; it must be representable */
static inline uint64_t loom_place_align_up(uint64_t at, uint64_t align)
{
	return align == 1 ? at : (at + align - 1) / align * align;
}

/** loom_place_divisor() - the greatest common divisor */
uint64_t loom_place_divisor(uint64_t a, uint64_t b);
/** loom_place_join_align() - raises an alignment until @other divides it; false past 63 bits */
bool loom_place_join_align(uint64_t *align_bytes, uint64_t other);
/** loom_place_height() - the largest end of an item that has room */
uint64_t loom_place_height(const struct loom_place_problem *problem, const uint64_t *offsets);

/**
 * loom_place_raise() - raise a height by the offsets below it that no item may touch
 * @problem: the items; their ranges are ascending
 * @bytes: [in, out] bytes that are needed at once; the least height that leaves room for them
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_raise(const struct loom_place_problem *problem, uint64_t *bytes);

/* Pairs that must be kept apart, by item. */
struct loom_place_apart {
	/* by item: index of its first partner in @with; one more entry at the end */
	uint32_t *first;
	uint32_t *with;			/* partners */
};

/** loom_place_apart_make() - 0 or -ENOMEM; clear with loom_place_apart_clear() */
int loom_place_apart_make(struct loom_place_apart *apart, const struct loom_place_problem *problem);
/** loom_place_apart_clear() - frees what @apart holds */
void loom_place_apart_clear(struct loom_place_apart *apart);

/* resolve.c */

/* A validated problem, see &struct loom_place_task. */
struct loom_place_resolved {
	/*
	 * pools are at least one, with capacities of at most INT64_MAX; items have sets of pools
	 * that are not empty; conflicts are as given
	 */
	struct loom_place_problem problem;
	struct loom_place_item *items;		/* storage of &loom_place_problem.items */
	struct loom_place_pair *apart;		/* storage of &loom_place_problem.apart */
	struct loom_place_pool *pools;		/* storage of &loom_place_problem.pools */
	struct loom_place_range *ranges;	/* excluded ranges that @items point to */
	struct loom_place_peak peak;		/* of all items, or 0 bytes if it is not known */
};

/**
 * loom_place_resolve() - validate a problem and resolve aliases, alignments and lifetimes
 * @resolved: [out] clear with loom_place_resolved_clear(), on failure, too
 * @problem: the problem
 * @fault: [out] what is wrong, on failure; may be NULL
 *
 * Return: 0, -EINVAL, -ERANGE or -ENOMEM.
 */
int loom_place_resolve(struct loom_place_resolved *resolved,
		       const struct loom_place_problem *problem, struct loom_place_fault *fault);
/** loom_place_resolve_one() - loom_place_resolve() of a problem as if it had one pool */
int loom_place_resolve_one(struct loom_place_resolved *resolved,
			   const struct loom_place_problem *problem);
/** loom_place_resolved_clear() - frees what @resolved holds */
void loom_place_resolved_clear(struct loom_place_resolved *resolved);

/* check.c */

/**
 * loom_place_sweep() - find two items that share a byte at a moment
 * @problem: resolved
 * @offsets: by item
 * @pools: by item; NULL: all in one
 * @only_fixed: look at fixed items only
 * @fault: [out] the two items, the byte and the moment
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int loom_place_sweep(const struct loom_place_problem *problem, const uint64_t *offsets,
		     const uint32_t *pools, bool only_fixed, struct loom_place_fault *fault);

/* bound.c */

/** loom_place_find_bound() - of a resolved problem, whose peak is @known, or 0 bytes */
int loom_place_find_bound(const struct loom_place_problem *problem,
			  const struct loom_place_peak *known, uint64_t *bound_bytes);
/** loom_place_pools_of() - the pools of an owner whose capacity it does not exceed by itself */
uint32_t loom_place_pools_of(const struct loom_place_resolved *resolved, uint32_t owner);
/**
 * loom_place_check_feasible() - refuse problems that no strategy can place
 * @resolved: the problem
 * @fault: [out] what is wrong, on failure; may be NULL
 *
 * Refuses fixed items that collide, and capacities below a bound. Finds the peak if there is one
 * pool.
 *
 * Return: 0, -EINVAL, -ENOSPC, -ERANGE or -ENOMEM.
 */
int loom_place_check_feasible(struct loom_place_resolved *resolved,
			      struct loom_place_fault *fault);

/*
 * canonical.c: a placement must depend neither on the order of items nor on the direction of time
 */

/* A problem in a canonical form. Only one of two directions of time is current. */
struct loom_place_canonical {
	/*
	 * the problem: items with a size, ascending by begin, end, size, and so on; no operators
	 * and no conflicts
	 */
	struct loom_place_task task;
	const struct loom_place_task *given;	/* the original problem */
	struct loom_place_item *items;		/* its items, in place */
	bool backward;				/* they are reversed in time */
	struct loom_arrays arrays;		/* all arrays below */
	/* by direction: by item: its number in the original problem */
	uint32_t *orders[2];
	uint32_t *global;			/* that of the current one; NULL: not sorted */
	struct loom_place_gap *gaps;		/* storage of &loom_place_item.gaps, if reversed */
	const struct loom_place_gap **given_gaps;	/* by original item, if reversed */
	struct loom_place_pair *apart;		/* storage of &loom_place_problem.apart */
	uint64_t *hint;				/* storage of &loom_place_task.hint */
};

/**
 * loom_place_canonical_make() - prepare to sort a problem
 * @canonical: [out] clear with loom_place_canonical_clear(), on failure, too
 * @task: the problem; its items must be writable
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_canonical_make(struct loom_place_canonical *canonical,
			      const struct loom_place_task *task);
/** loom_place_canonical_turn() - sorts the items, in reversed time if @backward. 0 or -ENOMEM */
int loom_place_canonical_turn(struct loom_place_canonical *canonical, bool backward);
/** loom_place_canonical_release() - restores the items */
void loom_place_canonical_release(struct loom_place_canonical *canonical);
/** loom_place_canonical_clear() - restores the items, and frees what @canonical holds */
void loom_place_canonical_clear(struct loom_place_canonical *canonical);
/** loom_place_canonical_is_backward() - the direction that compares lower, after both turns */
bool loom_place_canonical_is_backward(struct loom_place_canonical *canonical);

#endif /* LOOM_PLACE_PROBLEM_H */
