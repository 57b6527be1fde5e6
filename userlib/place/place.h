/* SPDX-License-Identifier: MIT */
/*
 * DOC: Inside placing
 *
 * loom_place() (place.c) does in this order what is the same for all strategies:
 *
 * 1. the problem is proved to be one, and made ready (resolve.c): aliases lie in their first
 *    owner, which lives as long as they do; alignments are at least 1; pairs are those of owners;
 * 2. what cannot be is refused: fixed items that collide, a bound above the capacity;
 * 3. with several pools, items are dealt out to them (pool.c);
 * 4. the strategy places what is in each pool;
 * 5. conflicts for sub-banks are made fewer (conflict.c), and all is summed up.
 *
 * A strategy is a function with the signature of &loom_place_strategy.place, a file, and a line
 * in the table of place.c. It sees one pool, and only what is in it.
 */
#ifndef LOOM_PLACE_INTERNAL_H
#define LOOM_PLACE_INTERNAL_H

#include "loom_place.h"

/* Search nodes where nobody says how many: a second or two. With many items a node takes longer. */
#define LOOM_PLACE_BUDGET	800000
#define LOOM_PLACE_BUDGET_ITEMS	256

/**
 * struct loom_place_task - what a strategy is given: the problem of one pool
 * @problem: without pools; conflicts, if the pool has sub-banks, are those within it. Items:
 *	alignment at least 1 and that of the pool; an alias names its first owner; owners live as
 *	long as their aliases and have gaps only if they have no alias. Pairs: of different owners,
 *	first below second, in order, each once. Operators: with operands of this pool only
 * @capacity_bytes: of the pool, at most INT64_MAX
 * @budget: search nodes
 * @fit_only: anything within the capacity will do
 * @hint: by item: a placement within the capacity that is known already, or NULL
 */
struct loom_place_task {
	struct loom_place_problem problem;
	uint64_t capacity_bytes;
	uint64_t budget;
	bool fit_only;
	const uint64_t *hint;
};

/**
 * struct loom_place_answer - what a strategy returns
 * @offsets: by item. Those of aliases and of items without size do not matter
 * @bound_bytes: in: a bound; out: perhaps a higher one
 * @nodes: search nodes visited
 * @strategy: whose answer it is; preset
 * @storages: of token strategies, from malloc; else NULL. Their pool is set by the caller
 * @num_storages: number of @storages
 * @storage_of: by item, from malloc; if there are @storages
 */
struct loom_place_answer {
	uint64_t *offsets;
	uint64_t bound_bytes;
	uint64_t nodes;
	const char *strategy;
	struct loom_place_storage *storages;
	uint32_t num_storages;
	uint32_t *storage_of;
};

/**
 * enum loom_place_limits - what a strategy cannot do; gaps and alignments all of them can
 * @LOOM_PLACE_NEEDS_OPS: work without operators
 * @LOOM_PLACE_NO_FIXED: fixed offsets
 * @LOOM_PLACE_NO_EXCLUDED: excluded ranges
 * @LOOM_PLACE_NO_APART: pairs that are to be kept apart
 */
enum loom_place_limits {
	LOOM_PLACE_NEEDS_OPS	= 1 << 0,
	LOOM_PLACE_NO_FIXED	= 1 << 1,
	LOOM_PLACE_NO_EXCLUDED	= 1 << 2,
	LOOM_PLACE_NO_APART	= 1 << 3,
};

/**
 * struct loom_place_strategy - a strategy
 * @name: what it is asked for by
 * @text: one line about it
 * @limits: enum loom_place_limits
 * @calms: conflicts for sub-banks are made fewer afterwards
 * @place: gives each item that is no alias and has a size an offset. It need not keep to the
 *	capacity. Return: 0; -ENOMEM; -ERANGE where offsets leave 63 bits; -EINVAL for operators
 *	that make no sense. Deterministic
 */
struct loom_place_strategy {
	const char *name;
	const char *text;
	unsigned int limits;
	bool calms;
	int (*place)(const struct loom_place_task *task, struct loom_place_answer *answer);
};

/** loom_place_strategy_find() - by name; NULL: the default. NULL if there is none such */
const struct loom_place_strategy *loom_place_strategy_find(const char *name);
/** loom_place_allows() - says whether @strategy can do @problem at all */
bool loom_place_allows(const struct loom_place_strategy *strategy,
		       const struct loom_place_problem *problem);
/**
 * loom_place_call() - runs a strategy
 * @strategy: which
 * @task: what
 * @answer: see there
 *
 * A strategy that follows operators believes them. If items live longer than those say, what it
 * returns is no placement, and is refused.
 *
 * Return: what it returned, or -EINVAL for that.
 */
int loom_place_call(const struct loom_place_strategy *strategy, const struct loom_place_task *task,
		    struct loom_place_answer *answer);
/** loom_place_has_room() - says whether an item takes room of its own */
static inline bool loom_place_has_room(const struct loom_place_item *item)
{
	return item->alias == LOOM_PLACE_NONE && item->size_bytes;
}

/** loom_place_height() - the top of what has room, as placed */
uint64_t loom_place_height(const struct loom_place_problem *problem, const uint64_t *offsets);
/** loom_place_align() - raises @offset to a multiple of @align; false past 63 bits */
bool loom_place_align(uint64_t *offset, uint64_t align_bytes);
/** loom_place_join_align() - raises @align until @other divides it; false past 63 bits */
bool loom_place_join_align(uint64_t *align_bytes, uint64_t other);

/**
 * struct loom_place_ready - a problem that was proved to be one, see &struct loom_place_task
 * @problem: pools are at least one, with capacities of at most INT64_MAX; items know their pools
 *	as a set that is not empty; conflicts are as they came
 * @items: what @problem points to
 * @apart: likewise
 * @pools: likewise
 * @ranges: what items point to
 */
struct loom_place_ready {
	struct loom_place_problem problem;
	struct loom_place_item *items;
	struct loom_place_pair *apart;
	struct loom_place_pool *pools;
	struct loom_place_range *ranges;
};

/**
 * loom_place_resolve() - prove that a problem is one, and make it ready
 * @ready: [out] clear with loom_place_ready_clear(), on failure, too
 * @problem: the problem
 * @fault: [out] what is wrong, on failure; may be NULL
 *
 * Return: 0, -EINVAL, -ERANGE or -ENOMEM.
 */
int loom_place_resolve(struct loom_place_ready *ready, const struct loom_place_problem *problem,
		       struct loom_place_fault *fault);
/** loom_place_ready_clear() - frees what @ready holds */
void loom_place_ready_clear(struct loom_place_ready *ready);
/** loom_place_fail() - fills in @fault, if there is one, and returns @code */
int __attribute__((format(printf, 5, 6)))
loom_place_fail(struct loom_place_fault *fault, int code, uint32_t first, uint32_t second,
		const char *format, ...);

/**
 * loom_place_sweep() - find two items that share a byte at a moment
 * @problem: ready
 * @offsets: by item
 * @pools: by item; NULL: all in one
 * @only_fixed: look at fixed items only
 * @fault: [out] first and second, if any; not the text
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int loom_place_sweep(const struct loom_place_problem *problem, const uint64_t *offsets,
		     const uint32_t *pools, bool only_fixed, struct loom_place_fault *fault);

/**
 * struct loom_place_peak - the most that is alive at one moment
 * @bytes: how much: a bound
 * @moment: when
 * @culprit: -ERANGE: item at which a sum leaves 63 bits
 */
struct loom_place_peak {
	uint64_t bytes;
	int64_t moment;
	uint32_t culprit;
};

/** loom_place_find_peak() - of the items of a problem that is ready. 0, -ERANGE or -ENOMEM */
int loom_place_find_peak(const struct loom_place_problem *problem, struct loom_place_peak *peak);

/**
 * struct loom_place_apart - pairs by item
 * @first: by item: index of its first partner in @with; one more entry at the end
 * @with: partners
 */
struct loom_place_apart {
	uint32_t *first;
	uint32_t *with;
};

/** loom_place_apart_make() - 0 or -ENOMEM; clear with loom_place_apart_clear() */
int loom_place_apart_make(struct loom_place_apart *apart, const struct loom_place_problem *problem);
/** loom_place_apart_clear() - frees what @apart holds */
void loom_place_apart_clear(struct loom_place_apart *apart);

/**
 * loom_place_improve() - the exact search, from an answer
 * @task: the problem
 * @answer: [in, out] an answer
 * @height: its height; LOOM_PLACE_ANYWHERE: it is none
 *
 * Return: 0, also if nothing better was found; or -ENOMEM.
 */
int loom_place_improve(const struct loom_place_task *task, struct loom_place_answer *answer,
		       uint64_t height);

/**
 * struct loom_place_share - what is in one pool, as a problem of its own
 * @task: the problem
 * @items: what @task points to
 * @ops: likewise
 * @operands: what @ops point to
 * @apart: what @task points to
 * @conflicts: likewise
 * @global: by item of the share: its number outside
 * @local: by number outside: its number in the share, or LOOM_PLACE_NONE
 */
struct loom_place_share {
	struct loom_place_task task;
	struct loom_place_item *items;
	struct loom_place_op *ops;
	uint32_t *operands;
	struct loom_place_pair *apart;
	struct loom_place_pair *conflicts;
	uint32_t *global;
	uint32_t *local;
};

/**
 * loom_place_share_make() - make a problem of what is in a pool
 * @share: [out] clear with loom_place_share_clear(), on failure, too
 * @ready: all
 * @pools: by item: its pool
 * @pool: which one
 * @options: budget, and whether anything that fits will do
 * @fault: [out] what is wrong, on failure; may be NULL
 *
 * Return: 0, -ERANGE or -ENOMEM.
 */
int loom_place_share_make(struct loom_place_share *share, const struct loom_place_ready *ready,
			  const uint32_t *pools, uint32_t pool,
			  const struct loom_place_options *options, struct loom_place_fault *fault);
/** loom_place_share_clear() - frees what @share holds */
void loom_place_share_clear(struct loom_place_share *share);
/** loom_place_share_bound() - what is alive, and where fixed items end. 0, -ERANGE or -ENOMEM */
int loom_place_share_bound(const struct loom_place_share *share, uint64_t *bound_bytes);

/** loom_place_possible() - refuses what cannot be. 0, -EINVAL, -ENOSPC, -ERANGE or -ENOMEM */
int loom_place_possible(const struct loom_place_ready *ready, struct loom_place_fault *fault);
/** loom_place_no_space() - fills in @fault: @needed bytes are proved; returns -ENOSPC */
int loom_place_no_space(struct loom_place_fault *fault, uint32_t item, uint64_t needed,
			uint64_t capacity, const char *what);

/**
 * struct loom_place_loss - what it costs not to have an item in a pool
 * @loss: its size times what a byte costs more in the next pool that it may go to
 * @must: there is none
 */
struct loom_place_loss {
	uint64_t loss;
	bool must;
};

/**
 * struct loom_place_choice - what is to be in a pool
 * @keep: by item; aliases are where their owners are
 * @offsets: by item: a placement of these, if it @fits
 * @fits: it is known that they fit
 */
struct loom_place_choice {
	bool *keep;
	uint64_t *offsets;
	bool fits;
};

/**
 * loom_place_choose() - decide who may stay in a pool
 * @task: all that could
 * @losses: by item
 * @choice: [out] its arrays are the caller's
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_choose(const struct loom_place_task *task, const struct loom_place_loss *losses,
		      struct loom_place_choice *choice);

/**
 * loom_place_calm() - move items so that fewer conflicts share a sub-bank
 * @task: the problem, with its conflicts
 * @sub_bank_bytes: size of a sub-bank
 * @limit_bytes: no item may end above it; not below the placement's height
 * @offsets: [in, out] a placement
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_calm(const struct loom_place_task *task, uint64_t sub_bank_bytes,
		    uint64_t limit_bytes, uint64_t *offsets);

/* The strategies. */
int loom_place_auto(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_exact(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_climb(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_greedy_size(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_greedy_area(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_greedy_breadth(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_greedy_conflict(const struct loom_place_task *task,
			       struct loom_place_answer *answer);
int loom_place_gmem(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_fitfirst(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_opsize(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_tokens(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_tokens_2d(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_tokens_2d_v1(const struct loom_place_task *task, struct loom_place_answer *answer);
int loom_place_naive(const struct loom_place_task *task, struct loom_place_answer *answer);

#endif /* LOOM_PLACE_INTERNAL_H */
