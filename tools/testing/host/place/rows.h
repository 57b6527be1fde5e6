/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_PLACE_ROWS_H
#define LOOM_TESTS_PLACE_ROWS_H

/*
 * Small placement problems as tables: a row for each item. A test program includes this once.
 */

#include "draw.h"
#include "loom_place.h"
#include "tap.h"

#define FREE		LOOM_PLACE_ANYWHERE
#define COUNT(array)	((uint32_t)(sizeof(array) / sizeof((array)[0])))

/**
 * struct row - an item
 * @size: bytes
 * @lower: begin
 * @upper: end
 * @fixed: the offset that it must have, or FREE
 * @pools: bit by pool: it may go there; 0: anywhere
 * @want: the pool that it must end up in
 */
struct row {
	uint64_t size;
	int64_t lower;
	int64_t upper;
	uint64_t fixed;
	uint32_t pools;
	uint32_t want;
};

#define ROW(size, lower, upper)				{ size, lower, upper, FREE, 0, 0 }
#define ROW_FIXED(size, lower, upper, fixed)		{ size, lower, upper, fixed, 0, 0 }
#define ROW_POOL(size, lower, upper, pools, want)	{ size, lower, upper, FREE, pools, want }

static inline void rows_fill(struct loom_place_item *items, const struct row *rows, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		items[i] = (struct loom_place_item){
			.size_bytes = rows[i].size,
			.lower = rows[i].lower,
			.upper = rows[i].upper,
			.pools = rows[i].pools,
			.flags = rows[i].fixed == FREE ? 0 : LOOM_PLACE_FIXED,
			.fixed = rows[i].fixed,
		};
}

/* Places, or ends the program; says whether the placement is proved to be one. */
static inline bool rows_place(const char *what, const struct loom_place_problem *problem,
			      const char *strategy, struct loom_place_result *result)
{
	const struct loom_place_options how = { .strategy = strategy };
	struct loom_place_fault fault;

	if (loom_place(problem, &how, result, &fault))
		tap_fatal("%s: %s", what, fault.text);
	return !loom_place_check(problem, result->offsets, result->pools, &fault);
}

#endif /* LOOM_TESTS_PLACE_ROWS_H */
