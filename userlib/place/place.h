/* SPDX-License-Identifier: MIT */
/*
 * DOC: Inside placing
 *
 * Given items with sizes, lifetimes and constraints, and pools with capacities, this folder assigns
 * each item a pool and an offset so that items alive at the same time share no byte, and keeps the
 * top of each pool low or below its capacity. The interface is loom_place.h in include/. The folder
 * depends on core's macros only: it knows neither networks nor devices.
 *
 * loom_place() (place.c) does the work common to all strategies:
 *
 * 1. the problem is validated and resolved: aliases lie in their first owner, which lives
 *    as long as they do; alignments are at least 1; pairs are those of owners;
 * 2. impossible problems are refused: fixed items that collide, a bound above the capacity;
 * 3. with several pools, items are distributed over them;
 * 4. the strategy places what is in each pool;
 * 5. conflicts for sub-banks are reduced, and the result is summed up.
 *
 * Layers, from the bottom; a file depends only on lower layers or earlier files of this list:
 *
 * - the problem (problem.h, profile.h): problem.c (faults, alignment, heights), profile.c (bytes
 *   alive by moment), resolve.c (validity, aliases), check.c (proves a placement), bound.c (bounds
 *   and infeasibility), canonical.c (a form in which the order of rows does not show);
 * - greedy parts (greedy.h): greedy.c (the engine: gaps between what is placed), order.c (static
 *   orders), free.c (gaps where many items are alive at once);
 * - improvement (solve.h) of placements: eject.c (of any size, from above, by moving what is in the
 *   way), and the exact search (solve_search.h): solve_part.c (independent parts), solve_search.c
 *   (one branch and bound), solve_portfolio.c (many in turn), solve.c (targets between bound and
 *   height);
 * - strategies (strategy.h): greedy_strategies.c, gmem.c, gmem_fitfirst.c, tokens.c; strategy.c
 *   (limits, calls); auto.c (the default, and the search by itself); strategies.c (the table);
 * - the service (below): subproblem.c (the items of one pool), pool.c (who stays in a pool),
 *   conflict.c (sub-banks), place.c.
 *
 * A strategy sees one pool, and only what is in it. pool.c asks the strategy "auto" whether items
 * fit, and "auto" knows nothing of pools, so nothing here is recursive.
 *
 * Rejected: strategies that handle aliases, pools and conflicts themselves (each would repeat the
 * code), and an integer program for the whole (a dependency). Others are in solve.c.
 */
#ifndef LOOM_PLACE_INTERNAL_H
#define LOOM_PLACE_INTERNAL_H

#include "problem.h"
#include "strategy.h"

/* subproblem.c */

/*
 * Default number of search nodes, 2 to 3 seconds. Each node takes longer with more items, so these
 * share 800,000; few items get half as many again.
 */
#define LOOM_PLACE_BUDGET	2400000
#define LOOM_PLACE_BUDGET_ITEMS	256

/* The items of one pool, as a problem of its own. */
struct loom_place_subproblem {
	struct loom_arrays arrays;		/* all arrays below */
	struct loom_place_task task;		/* the problem */
	/* storage of &loom_place_problem.items; with one pool the whole problem's */
	struct loom_place_item *items;
	struct loom_place_op *ops;		/* storage of &loom_place_problem.ops */
	uint32_t *operands;			/* storage of &loom_place_op.operands */
	struct loom_place_pair *apart;		/* storage of &loom_place_problem.apart */
	struct loom_place_pair *conflicts;	/* storage of &loom_place_problem.conflicts */
	/* by item of the subproblem: its number in the whole */
	uint32_t *global;
	/* while it is made: by item of the whole: the reverse, or NONE */
	uint32_t *local;
};

/**
 * loom_place_subproblem_make() - make a problem of the items of one pool
 * @sub: [out] clear with loom_place_subproblem_clear(), on failure, too
 * @resolved: the whole problem
 * @pools: by item: its pool
 * @pool: the pool
 * @options: budget, and whether any placement that fits will do
 * @fault: [out] what is wrong, on failure; may be NULL
 *
 * Return: 0, -ERANGE or -ENOMEM.
 */
int loom_place_subproblem_make(struct loom_place_subproblem *sub,
			       const struct loom_place_resolved *resolved, const uint32_t *pools,
			       uint32_t pool, const struct loom_place_options *options,
			       struct loom_place_fault *fault);
/** loom_place_subproblem_clear() - frees what @sub holds */
void loom_place_subproblem_clear(struct loom_place_subproblem *sub);

/* pool.c */

/* Cost of leaving an item out of a pool. */
struct loom_place_loss {
	/* size times weight times the additional cost of a byte in the item's next pool */
	uint64_t loss;
	bool must;			/* there is no next pool: it must stay */
};

/* The items that stay in a pool. */
struct loom_place_choice {
	bool *keep;			/* by item; aliases are where their owners are */
	uint64_t *offsets;		/* by item: a placement of these, if it @fits */
	bool fits;			/* it is known that they fit */
};

/**
 * loom_place_choose() - decide which items stay in a pool
 * @task: all candidates
 * @losses: by item
 * @choice: [out] its arrays are the caller's
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_choose(const struct loom_place_task *task, const struct loom_place_loss *losses,
		      struct loom_place_choice *choice);

/**
 * loom_place_try_to_fit() - look for a placement in a pool, with a small budget
 * @task: the pool, and a problem
 * @items: the items to place instead of the problem's
 * @offsets: [out] by item, if it @fits
 * @fits: [out] one was found
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_try_to_fit(const struct loom_place_task *task, const struct loom_place_item *items,
			  uint64_t *offsets, bool *fits);

/* conflict.c */

/**
 * loom_place_reduce_conflicts() - move items so that fewer conflicts share a sub-bank
 * @task: the problem, with its conflicts
 * @sub_bank_bytes: size of a sub-bank
 * @limit_bytes: no item may end above it; not below the placement's height
 * @offsets: [in, out] a placement
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_reduce_conflicts(const struct loom_place_task *task, uint64_t sub_bank_bytes,
				uint64_t limit_bytes, uint64_t *offsets);

#endif /* LOOM_PLACE_INTERNAL_H */
