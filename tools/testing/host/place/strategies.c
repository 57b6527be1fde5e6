// SPDX-License-Identifier: MIT
/*
 * Strategies that have no test program of their own, each by an example that the comment beside it
 * solves by hand. Where two strategies differ in one rule, the example shows the difference.
 */
#include "rows.h"

#include <string.h>

#define MAX_ITEMS	64

static void check(const char *strategy, const char *what, const struct row *rows, uint32_t count,
		  const uint64_t *want, uint64_t height)
{
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = { .items = items, .num_items = count };
	struct loom_place_result result;
	bool good;
	uint32_t i;

	rows_fill(items, rows, count);
	good = rows_place(strategy, &problem, strategy, &result);
	good = good && result.height_bytes[0] == height;
	for (i = 0; i < count; i++) {
		if (result.offsets[i] == want[i])
			continue;
		tap_note("item %u is at %llu, not at %llu", i,
			 (unsigned long long)result.offsets[i], (unsigned long long)want[i]);
		good = false;
	}
	tap_ok(good, "%s: %s", strategy, what);
	loom_place_result_free(&result);
}

static void test_size(void)
{
	/*
	 * In order: 1 (60) at 0. 3 (50) does not overlap it in time: 0. 0 (40) overlaps both: 60. 2
	 * (30) overlaps 1, and begins when 0 ends: 60.
	 */
	static const struct row rows[] = {
		ROW(40, 0, 2), ROW(60, 1, 3), ROW(30, 2, 4), ROW(50, 0, 1),
	};
	static const uint64_t want[] = { 60, 0, 60, 0 };

	check("greedy-size", "largest first", rows, COUNT(rows), want, 100);
}

static void test_ties(void)
{
	/* equal sizes: the longer lifetime goes first, then the lower index */
	static const struct row rows[] = {
		ROW(10, 0, 1), ROW(10, 0, 3), ROW(10, 0, 1),
	};
	static const uint64_t want[] = { 10, 0, 20 };

	check("greedy-size", "of equal ones, what lives longer, then what comes first", rows,
	      COUNT(rows), want, 30);
}

static void test_gaps(void)
{
	/* gaps of 20 at 10 and of 5 at 40 */
	static const struct row rows[] = {
		ROW_FIXED(10, 0, 1, 0), ROW_FIXED(10, 0, 1, 30), ROW_FIXED(5, 0, 1, 45),
		ROW(5, 0, 1), ROW(25, 0, 1),
	};
	/* 25 fits in neither and goes to the top; 5 fits in both */
	static const uint64_t lowest[] = { 0, 30, 45, 10, 50 };
	static const uint64_t tightest[] = { 0, 30, 45, 40, 50 };

	check("greedy-size", "the lowest gap that fits", rows, COUNT(rows), lowest, 75);
	check("gmem-opsize", "the smallest gap that fits, else the top", rows, COUNT(rows),
	      tightest, 75);
}

static void test_breadth(void)
{
	/*
	 * Alive at 0: 70 + 40 = 110; at 1: 40 + 30; at 2: 40 + 30 + 45 = 115, the broadest. So 3
	 * (45) at 0, 1 (40) at 45, 2 (30) at 85, and at last 0 (70), which overlaps 1 only: the
	 * gap below is too small, so 85.
	 */
	static const struct row rows[] = {
		ROW(70, 0, 1), ROW(40, 0, 3), ROW(30, 1, 3), ROW(45, 2, 3),
	};
	static const uint64_t want[] = { 85, 45, 85, 0 };
	/* by size: 0 at 0, 3 at 0, 1 at 70, 2 at 110 as the gap from 45 to 70 is too small */
	static const uint64_t by_size[] = { 0, 70, 110, 0 };

	check("greedy-breadth", "the broadest moment first", rows, COUNT(rows), want, 155);
	check("greedy-size", "has another answer", rows, COUNT(rows), by_size, 140);
}

static void test_conflict(void)
{
	/* 0 overlaps four others in time, each of these only 0: it goes first, to the bottom */
	static const struct row rows[] = {
		ROW(5, 0, 4), ROW(50, 0, 1), ROW(40, 1, 2), ROW(30, 2, 3), ROW(20, 3, 4),
	};
	static const uint64_t want[] = { 0, 5, 5, 5, 5 };

	check("greedy-conflict", "what overlaps most others first", rows, COUNT(rows), want, 55);
}

static void test_area(void)
{
	/* 0: 10 x 10, 1: 50 x 1, 2: 20 x 6 = 120, the first */
	static const struct row rows[] = {
		ROW(10, 0, 10), ROW(50, 0, 1), ROW(20, 0, 6),
	};
	static const uint64_t want[] = { 20, 30, 0 };

	check("greedy-area", "largest size times lifetime first", rows, COUNT(rows), want, 80);
}

static void test_total(void)
{
	/*
	 * Alive at 0: 10 + 30 + 20 = 60, at 1: 10 + 30, at 2: 10 + 45. The broadest is 0, where 0
	 * lives longest, then 1, then 2; 3 is next, above 0. By breadth 1 would be the first.
	 */
	static const struct row rows[] = {
		ROW(10, 0, 3), ROW(30, 0, 2), ROW(20, 0, 1), ROW(45, 2, 3),
	};
	static const uint64_t want[] = { 0, 10, 40, 10 };

	check("greedy-total", "the broadest moment first, of it what lives longest", rows,
	      COUNT(rows), want, 60);
}

static void test_life(void)
{
	/* 0 lives for 4, 3 for 3, 2 for 2, 1 for 1 */
	static const struct row rows[] = {
		ROW(10, 0, 4), ROW(50, 0, 1), ROW(20, 1, 3), ROW(30, 0, 3),
	};
	static const uint64_t want[] = { 0, 40, 40, 10 };

	check("greedy-life", "what lives longest first", rows, COUNT(rows), want, 90);
}

static void test_tail(void)
{
	/* 2 ends last; of 0 and 3, which end together, 3 is larger; 1 is the last */
	static const struct row rows[] = {
		ROW(10, 0, 3), ROW(50, 0, 2), ROW(20, 1, 4), ROW(30, 2, 3),
	};
	static const uint64_t want[] = { 50, 60, 0, 20 };

	check("greedy-tail", "what ends last first", rows, COUNT(rows), want, 110);
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

static void test_fitfirst_split(void)
{
	/*
	 * At 1 the list is: 20 free, item 1, 40 free, item 3. 4 (10) takes the larger one and
	 * splits it, though it would fit in the first: worst fit.
	 */
	static const struct row rows[] = {
		ROW(20, 0, 1), ROW(5, 0, 9), ROW(40, 0, 1), ROW(5, 0, 9), ROW(10, 1, 9),
	};
	static const uint64_t want[] = { 0, 20, 25, 65, 25 };

	check("gmem-fitfirst", "the largest free block is taken, and split", rows, COUNT(rows),
	      want, 70);
}

static void test_fitfirst_grow(void)
{
	/*
	 * At 1: 10 free, item 1, end. 2 (25) takes the 10, which grow to 25 and push 1 up. 1
	 * cannot move while it lives, so it has been at 25 from the beginning.
	 */
	static const struct row rows[] = {
		ROW(10, 0, 1), ROW(5, 0, 9), ROW(25, 1, 9),
	};
	static const uint64_t want[] = { 0, 25, 0 };

	check("gmem-fitfirst", "a block that is too small grows, and what is above moves up", rows,
	      COUNT(rows), want, 30);
}

static void test_fitfirst_join(void)
{
	/* at 1, the blocks of 0 and 1 become one of 20, in which 3 fits; 4 comes to the end */
	static const struct row rows[] = {
		ROW(10, 0, 1), ROW(10, 0, 1), ROW(5, 0, 9), ROW(20, 1, 9), ROW(7, 1, 9),
	};
	static const uint64_t want[] = { 0, 10, 20, 0, 25 };

	check("gmem-fitfirst", "free neighbours become one; else the end", rows, COUNT(rows), want,
	      32);
}

static void test_naive(void)
{
	static const struct row rows[] = {
		ROW(10, 0, 1), ROW(20, 5, 6), ROW(30, 7, 9),
	};
	static const uint64_t want[] = { 0, 10, 30 };

	static const struct row fixed[] = {
		ROW(100, 0, 1), ROW(300, 1, 2), ROW_FIXED(50, 2, 3, 20),
	};
	static const uint64_t above[] = { 70, 170, 20 };
	struct loom_place_item items[COUNT(fixed)];
	const struct loom_place_problem problem = { .items = items, .num_items = COUNT(fixed) };
	struct loom_place_result result;
	bool good;

	check("naive", "one after the other", rows, COUNT(rows), want, 60);
	check("naive", "what is fixed first, the others above it", fixed, COUNT(fixed), above, 470);
	rows_fill(items, fixed, COUNT(fixed));
	items[1].align_bytes = 64;
	items[2].flags = 0;
	good = rows_place("naive", &problem, "naive", &result);
	tap_ok(good && result.height_bytes[0] == 128 + 300 + 50,
	       "naive: and what alignment leaves");
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
	static const char *const names[] = { "exact", "auto", "hill-climb" };
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

static uint64_t height_of(const struct loom_place_problem *problem, const char *strategy)
{
	const struct loom_place_options how = { .strategy = strategy, .budget = 20000 };
	struct loom_place_result result;
	uint64_t height;

	if (loom_place(problem, &how, &result, NULL))
		tap_fatal("%s fails", strategy);
	height = result.height_bytes[0];
	loom_place_result_free(&result);
	return height;
}

/* hill-climb is never worse than the best greedy order, and mostly better if that is improvable. */
static void test_climb(void)
{
	static const char *const orders[] = {
		"greedy-size", "greedy-area", "greedy-breadth", "greedy-conflict",
	};
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = { .items = items, .num_items = MAX_ITEMS };
	uint32_t better = 0, worse = 0, above = 0, round, i;
	uint64_t bound;

	for (round = 0; round < 30; round++) {
		uint64_t best = UINT64_MAX, height;
		struct row row;

		for (i = 0; i < MAX_ITEMS; i++) {
			row = (struct row)ROW(1 + draw(100), draw(40), 0);
			row.upper = row.lower + 1 + draw(12);
			rows_fill(&items[i], &row, 1);
		}
		for (i = 0; i < COUNT(orders); i++) {
			height = height_of(&problem, orders[i]);
			best = height < best ? height : best;
		}
		if (loom_place_bound(&problem, &bound))
			tap_fatal("no bound");
		height = height_of(&problem, "hill-climb");
		worse += height > best;
		better += height < best;
		above += best > bound;
	}
	tap_ok(!worse, "hill-climb: never worse than the best greedy order");
	tap_ok(2 * better > above, "hill-climb: better in %u of the %u that can be", better, above);
}

int main(void)
{
	test_size();
	test_ties();
	test_gaps();
	test_breadth();
	test_conflict();
	test_area();
	test_total();
	test_life();
	test_tail();
	test_aligned();
	test_fitfirst_split();
	test_fitfirst_grow();
	test_fitfirst_join();
	test_naive();
	test_exact();
	test_climb();
	return tap_end();
}
