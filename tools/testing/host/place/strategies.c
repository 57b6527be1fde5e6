// SPDX-License-Identifier: MIT
/*
 * Strategies that have no test program of their own, each by an example that the comment beside it
 * solves by hand. Where two strategies differ in one rule, the example shows the difference.
 */
#include "place/strategy.h"
#include "rows.h"

#include <errno.h>
#include <string.h>

#define MAX_ITEMS	64
#define MAX_ROWS	5

/**
 * struct example - a problem, and its answer
 * @strategy: by which it is placed
 * @what: it shows
 * @rows: the items, as many as have a size
 * @want: their offsets
 * @height: of all
 */
struct example {
	const char *strategy;
	const char *what;
	struct row rows[MAX_ROWS];
	uint64_t want[MAX_ROWS];
	uint64_t height;
};

/* gaps of 20 at 10 and of 5 at 40; 25 fits in neither and goes to the top; 5 fits in both */
#define GAPS		{ ROW_FIXED(10, 0, 1, 0), ROW_FIXED(10, 0, 1, 30), \
			  ROW_FIXED(5, 0, 1, 45), ROW(5, 0, 1), ROW(25, 0, 1) }
#define BREADTH		{ ROW(70, 0, 1), ROW(40, 0, 3), ROW(30, 1, 3), ROW(45, 2, 3) }

static const struct example examples[] = {
	/*
	 * In order: 1 (60) at 0. 3 (50) does not overlap it in time: 0. 0 (40) overlaps both: 60. 2
	 * (30) overlaps 1, and begins when 0 ends: 60.
	 */
	{ "greedy-size", "largest first",
	  { ROW(40, 0, 2), ROW(60, 1, 3), ROW(30, 2, 4), ROW(50, 0, 1) }, { 60, 0, 60, 0 }, 100 },
	/* equal sizes: the longer lifetime goes first, then the lower index */
	{ "greedy-size", "of equal ones, what lives longer, then what comes first",
	  { ROW(10, 0, 1), ROW(10, 0, 3), ROW(10, 0, 1) }, { 10, 0, 20 }, 30 },
	{ "greedy-size", "the lowest gap that fits", GAPS, { 0, 30, 45, 10, 50 }, 75 },
	{ "gmem-opsize", "the smallest gap that fits, else the top", GAPS,
	  { 0, 30, 45, 40, 50 }, 75 },
	/*
	 * Alive at 0: 70 + 40 = 110; at 1: 40 + 30; at 2: 40 + 30 + 45 = 115, the broadest. So 3
	 * (45) at 0, 1 (40) at 45, 2 (30) at 85, and at last 0 (70), which overlaps 1 only: the
	 * gap below is too small, so 85.
	 */
	{ "greedy-breadth", "the broadest moment first", BREADTH, { 85, 45, 85, 0 }, 155 },
	/* by size: 0 at 0, 3 at 0, 1 at 70, 2 at 110 as the gap from 45 to 70 is too small */
	{ "greedy-size", "has another answer", BREADTH, { 0, 70, 110, 0 }, 140 },
	/* 0 overlaps four others in time, each of these only 0: it goes first, to the bottom */
	{ "greedy-conflict", "what overlaps most others first",
	  { ROW(5, 0, 4), ROW(50, 0, 1), ROW(40, 1, 2), ROW(30, 2, 3), ROW(20, 3, 4) },
	  { 0, 5, 5, 5, 5 }, 55 },
	/* 0: 10 x 10, 1: 50 x 1, 2: 20 x 6 = 120, the first */
	{ "greedy-area", "largest size times lifetime first",
	  { ROW(10, 0, 10), ROW(50, 0, 1), ROW(20, 0, 6) }, { 20, 30, 0 }, 80 },
	/*
	 * Alive at 0: 10 + 30 + 20 = 60, at 1: 10 + 30, at 2: 10 + 45. The broadest is 0, where 0
	 * lives longest, then 1, then 2; 3 is next, above 0. By breadth 1 would be the first.
	 */
	{ "greedy-total", "the broadest moment first, of it what lives longest",
	  { ROW(10, 0, 3), ROW(30, 0, 2), ROW(20, 0, 1), ROW(45, 2, 3) }, { 0, 10, 40, 10 }, 60 },
	/* 0 lives for 4, 3 for 3, 2 for 2, 1 for 1 */
	{ "greedy-life", "what lives longest first",
	  { ROW(10, 0, 4), ROW(50, 0, 1), ROW(20, 1, 3), ROW(30, 0, 3) }, { 0, 40, 40, 10 }, 90 },
	/* 2 ends last; of 0 and 3, which end together, 3 is larger; 1 is the last */
	{ "greedy-tail", "what ends last first",
	  { ROW(10, 0, 3), ROW(50, 0, 2), ROW(20, 1, 4), ROW(30, 2, 3) }, { 50, 60, 0, 20 }, 110 },
	/*
	 * At 1 the list is: 20 free, item 1, 40 free, item 3. 4 (10) takes the larger one and
	 * splits it, though it would fit in the first: worst fit.
	 */
	{ "gmem-fitfirst", "the largest free block is taken, and split",
	  { ROW(20, 0, 1), ROW(5, 0, 9), ROW(40, 0, 1), ROW(5, 0, 9), ROW(10, 1, 9) },
	  { 0, 20, 25, 65, 25 }, 70 },
	/*
	 * At 1: 10 free, item 1, end. 2 (25) takes the 10, which grow to 25 and push 1 up. 1
	 * cannot move while it lives, so it has been at 25 from the beginning.
	 */
	{ "gmem-fitfirst", "a block that is too small grows, and what is above moves up",
	  { ROW(10, 0, 1), ROW(5, 0, 9), ROW(25, 1, 9) }, { 0, 25, 0 }, 30 },
	/* at 1, the blocks of 0 and 1 become one of 20, in which 3 fits; 4 comes to the end */
	{ "gmem-fitfirst", "free neighbours become one; else the end",
	  { ROW(10, 0, 1), ROW(10, 0, 1), ROW(5, 0, 9), ROW(20, 1, 9), ROW(7, 1, 9) },
	  { 0, 10, 20, 0, 25 }, 32 },
	{ "naive", "one after the other", { ROW(10, 0, 1), ROW(20, 5, 6), ROW(30, 7, 9) },
	  { 0, 10, 30 }, 60 },
	{ "naive", "what is fixed first, the others above it",
	  { ROW(100, 0, 1), ROW(300, 1, 2), ROW_FIXED(50, 2, 3, 20) }, { 70, 170, 20 }, 470 },
};

static void check(const struct example *example)
{
	struct loom_place_item items[MAX_ROWS];
	struct loom_place_problem problem = { .items = items };
	struct loom_place_result result;
	bool good;
	uint32_t i;

	while (problem.num_items < MAX_ROWS && example->rows[problem.num_items].size)
		problem.num_items++;
	rows_fill(items, example->rows, problem.num_items);
	good = rows_place(example->strategy, &problem, example->strategy, &result);
	good = good && result.height_bytes[0] == example->height;
	for (i = 0; i < problem.num_items; i++) {
		if (result.offsets[i] == example->want[i])
			continue;
		tap_note("item %u is at %llu, not at %llu", i,
			 (unsigned long long)result.offsets[i],
			 (unsigned long long)example->want[i]);
		good = false;
	}
	tap_ok(good, "%s: %s", example->strategy, example->what);
	loom_place_result_free(&result);
}

/* One after the other, and what alignment leaves. */
static void test_naive(void)
{
	struct loom_place_item items[] = {
		{ .size_bytes = 100, .upper = 1 },
		{ .size_bytes = 300, .align_bytes = 64, .lower = 1, .upper = 2 },
		{ .size_bytes = 50, .lower = 2, .upper = 3 },
	};
	const struct loom_place_problem problem = { .items = items, .num_items = COUNT(items) };
	struct loom_place_result result;
	bool good = rows_place("naive", &problem, "naive", &result);

	tap_ok(good && result.height_bytes[0] == 128 + 300 + 50,
	       "naive: and what alignment leaves");
	loom_place_result_free(&result);
}

/* The aligned ones first: 40 at 0, 10 at 48. 33 does not fit into the 8 between them, 8 does. */
static void test_aligned(void)
{
	struct loom_place_item items[] = {
		{ .size_bytes = 40, .align_bytes = 16, .lower = 0, .upper = 1 },
		{ .size_bytes = 8, .lower = 0, .upper = 1 },
		{ .size_bytes = 33, .lower = 0, .upper = 1 },
		{ .size_bytes = 10, .align_bytes = 16, .lower = 0, .upper = 1 },
	};
	static const uint64_t want[] = { 0, 40, 58, 48 };
	struct loom_place_problem problem = { .items = items, .num_items = COUNT(items) };
	struct loom_place_result result;
	bool good = rows_place("greedy-aligned", &problem, "greedy-aligned", &result);

	good = good && !memcmp(result.offsets, want, sizeof(want));
	tap_ok(good && result.height_bytes[0] == 91 && result.proved,
	       "greedy-aligned: the largest alignment first, and the rest into what it leaves");
	loom_place_result_free(&result);
	/* by size 33 is second, at 40; 10 at 80; 8 does not fit into the 7 below it */
	good = rows_place("greedy-size", &problem, "greedy-size", &result);
	tap_ok(good && result.height_bytes[0] == 98, "greedy-size: has another answer");
	loom_place_result_free(&result);
}

/* Without time for an order, "auto" must not take what is left in the offsets for a placement. */
static void test_late(void)
{
	const struct loom_place_strategy *aligned = loom_place_strategy_find("greedy-aligned");
	struct loom_place_item items[] = {
		{ .size_bytes = 40, .align_bytes = 16, .upper = 1 },
		{ .size_bytes = 8, .align_bytes = 1, .upper = 1 },
	};
	const struct loom_place_task task = {
		.problem = { .items = items, .num_items = COUNT(items) },
		.capacity_bytes = INT64_MAX, .below_bytes = 100, .deadline_ns = 1,
	};
	uint64_t offsets[COUNT(items)] = { 0 };
	struct loom_place_answer answer = { .offsets = offsets };

	tap_ok(aligned->place(&task, &answer) == -ERANGE,
	       "greedy-aligned: no placement after the deadline");
}

/* No offset is free from 1000 on, so the gap below is the tightest one. */
static void test_forbidden_top(void)
{
	static const struct loom_place_range top = { 1000, INT64_MAX };
	struct loom_place_item items[] = {
		{ .size_bytes = 100, .align_bytes = 1, .upper = 1 },
		{ .size_bytes = 50, .align_bytes = 1, .upper = 1 },
	};
	struct loom_place_problem problem = { .items = items, .num_items = COUNT(items) };
	struct loom_place_result result;
	uint32_t i;
	bool good;

	for (i = 0; i < COUNT(items); i++) {
		items[i].excluded = &top;
		items[i].num_excluded = 1;
	}
	good = rows_place("gmem-opsize", &problem, "gmem-opsize", &result);
	tap_ok(good && !result.offsets[0] && result.offsets[1] == 100,
	       "gmem-opsize: the top is no gap if it is forbidden");
	loom_place_result_free(&result);
}

static void test_exact(void)
{
	/*
	 * Alive: at 0: 30 + 20 + 10, at 1: 30 + 20 + 10, at 2: 20 + 40, so 60. All fit in 60 only
	 * if 1 lies at an end: 40 beside it, and 30 beside that.
	 */
	static const struct row rows[] = {
		ROW(30, 0, 2), ROW(20, 0, 3), ROW(10, 0, 1), ROW(10, 1, 2), ROW(40, 2, 3),
	};
	static const char *const names[] = { "exact", "auto" };
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = { .items = items, .num_items = COUNT(rows) };
	struct loom_place_result result;
	uint32_t i;

	rows_fill(items, rows, COUNT(rows));
	for (i = 0; i < COUNT(names); i++) {
		bool good = rows_place(names[i], &problem, names[i], &result);

		tap_ok(good && result.height_bytes[0] == 60 && result.proved,
		       "%s: at the bound, and says that this is proved", names[i]);
		loom_place_result_free(&result);
	}
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < COUNT(examples); i++)
		check(&examples[i]);
	test_aligned();
	test_late();
	test_forbidden_top();
	test_naive();
	test_exact();
	return tap_end();
}
