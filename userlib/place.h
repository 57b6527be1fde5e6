/* SPDX-License-Identifier: MIT */
/*
 * DOC: Placing
 *
 * Give each item an offset so that items alive at the same time do not overlap, and keep the
 * top low. Every planner has this problem: neurons in the arena, slices in the SRAM, a file of
 * buffers on the command line. So there is one problem type and one signature, and a strategy
 * is a line in a table (place.c) and a file of its own.
 *
 * Time is any increasing integer: operators, steps. A lifetime [lower, upper) is half-open: an
 * item that ends where another begins does not meet it.
 *
 * An item may be an alias: a result computed in place of another item, at the same offset. Its
 * owner then lives as long as it does. Strategies that think in operators (gmem) are given
 * those, too; the others ignore them.
 *
 * Placing in general is NP-hard. loom_place_bound() says what no placement can beat, and
 * loom_place_check() proves a placement without knowing how it came about.
 */
#ifndef LOOM_PLACE_H
#define LOOM_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/** LOOM_PLACE_NONE - no item, no fixed offset */
#define LOOM_PLACE_NONE		UINT32_MAX
#define LOOM_PLACE_ANYWHERE	UINT64_MAX

/**
 * struct loom_place_item - something that needs a place for a time
 * @size_bytes: its size; 0 takes no room
 * @align_bytes: its offset is a multiple of this; 0 means 1
 * @lower: first moment that it is there
 * @upper: first moment that it is not there any more, above @lower
 * @fixed: the offset that it must have, or LOOM_PLACE_ANYWHERE
 * @alias: an item before this one in whose place it is, at the same offset and not larger, or
 *	LOOM_PLACE_NONE
 */
struct loom_place_item {
	uint64_t size_bytes;
	uint64_t align_bytes;
	int64_t lower;
	int64_t upper;
	uint64_t fixed;
	uint32_t alias;
};

/**
 * struct loom_place_op - an operator, for strategies that follow them
 * @inputs: items that it reads, one entry for each operand
 * @num_inputs: number of @inputs
 * @output: item that it makes, or LOOM_PLACE_NONE
 * @in_place: a reshape: the result takes the place of the first input
 */
struct loom_place_op {
	const uint32_t *inputs;
	uint32_t num_inputs;
	uint32_t output;
	bool in_place;
};

/**
 * struct loom_place_problem - what is to be placed
 * @items: the items
 * @num_items: number of @items
 * @ops: operators in order of execution; op i happens in [i, i + 1). May be NULL
 * @num_ops: number of @ops
 */
struct loom_place_problem {
	const struct loom_place_item *items;
	uint32_t num_items;
	const struct loom_place_op *ops;
	uint32_t num_ops;
};

/**
 * struct loom_placer - a strategy
 * @name: what it is asked for by
 * @text: one line about it
 * @needs_ops: it cannot do without &loom_place_problem.ops, and takes no fixed offsets
 * @place: gives each item that is no alias an offset; 0 or -errno. Fails for lack of memory, and
 *	with -ERANGE where offsets leave 63 bits. Deterministic
 */
struct loom_placer {
	const char *name;
	const char *text;
	bool needs_ops;
	int (*place)(const struct loom_place_problem *problem, uint64_t *offsets);
};

/**
 * loom_placer_find() - a strategy by name
 * @name: its name; NULL: the default
 *
 * Return: the strategy, or NULL.
 */
const struct loom_placer *loom_placer_find(const char *name);

/**
 * loom_place_run() - place a problem
 * @placer: how
 * @problem: what
 * @offsets: [out] one per item, aliases included
 * @height_bytes: [out] the top: largest offset + size
 * @winner: [out] the strategy whose answer it is, which "best" picks; may be NULL
 *
 * Return: 0; -EINVAL for a problem that is none (an empty lifetime, an alias that does not fit, no
 * operators where @placer needs them); -ENOMEM; -ERANGE.
 */
int loom_place_run(const struct loom_placer *placer, const struct loom_place_problem *problem,
		   uint64_t *offsets, uint64_t *height_bytes, const struct loom_placer **winner);

/**
 * loom_place_bound() - what no placement can be lower than
 * @problem: what is to be placed
 * @bound_bytes: [out] the largest sum of sizes alive at one moment
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_bound(const struct loom_place_problem *problem, uint64_t *bound_bytes);

/**
 * loom_place_check() - prove a placement
 * @problem: what was placed
 * @offsets: where
 * @first: [out] an item at fault
 * @second: [out] the item it meets, or LOOM_PLACE_NONE if it is misaligned, not where it is
 *	fixed, or not where its alias is
 *
 * A sweep over time with a sorted set, independent of any strategy.
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int loom_place_check(const struct loom_place_problem *problem, const uint64_t *offsets,
		     uint32_t *first, uint32_t *second);

/* The strategies; call them through loom_place_run(). */
int loom_place_gmem(const struct loom_place_problem *problem, uint64_t *offsets);
int loom_place_greedy_size(const struct loom_place_problem *problem, uint64_t *offsets);
int loom_place_greedy_area(const struct loom_place_problem *problem, uint64_t *offsets);
int loom_place_greedy_breadth(const struct loom_place_problem *problem, uint64_t *offsets);
int loom_place_climb(const struct loom_place_problem *problem, uint64_t *offsets);
int loom_place_naive(const struct loom_place_problem *problem, uint64_t *offsets);

#endif /* LOOM_PLACE_H */
