// SPDX-License-Identifier: MIT
/*
 * Several pools, and sub-banks: small problems solved by hand, and random ones compared with an
 * exhaustive search.
 */
#include "place_judge.h"
#include "rows.h"

#include <errno.h>
#include <string.h>

#define MAX_ITEMS	12

static void check(const char *what, const struct loom_place_pool *pools, uint32_t num_pools,
		  const struct row *rows, uint32_t count, uint64_t cost)
{
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = {
		.items = items, .num_items = count, .pools = pools, .num_pools = num_pools,
	};
	struct loom_place_result result;
	bool good;
	uint32_t i;

	rows_fill(items, rows, count);
	good = rows_place(what, &problem, NULL, &result);
	good = good && result.num_pools == num_pools && result.spill_cost == cost;
	if (result.spill_cost != cost)
		tap_note("costs %llu, not %llu", (unsigned long long)result.spill_cost,
			 (unsigned long long)cost);
	for (i = 0; i < count; i++) {
		if (result.pools[i] == rows[i].want)
			continue;
		tap_note("item %u is in pool %u, not in %u", i, result.pools[i], rows[i].want);
		good = false;
	}
	tap_ok(good, "%s", what);
	loom_place_result_free(&result);
}

static const struct loom_place_pool two[] = { { 100, 0, 1, 0 }, { 1000, 0, 10, 0 } };

static void test_what_fits(void)
{
	/* 60 + 40 fit in the cheap pool and cost 100; 61 + 40 do not, so 61 cost 610 */
	static const struct row rows[] = {
		ROW_POOL(60, 0, 2, 0, 0), ROW_POOL(61, 0, 2, 0, 1), ROW_POOL(40, 0, 2, 0, 0),
	};
	/* the same if the cheap one comes last */
	static const struct loom_place_pool turned[] = { { 1000, 0, 10, 0 }, { 100, 0, 1, 0 } };
	static const struct row other[] = {
		ROW_POOL(60, 0, 2, 0, 1), ROW_POOL(61, 0, 2, 0, 0), ROW_POOL(40, 0, 2, 0, 1),
	};

	check("the cheap pool is filled as far as it goes", two, COUNT(two), rows, COUNT(rows),
	      710);
	check("by cost, not by number", turned, COUNT(turned), other, COUNT(other), 710);
}

static void test_all_fit(void)
{
	static const struct row rows[] = { ROW_POOL(60, 0, 2, 0, 0), ROW_POOL(60, 2, 4, 0, 0) };

	check("what is not alive together shares the cheap pool", two, COUNT(two), rows,
	      COUNT(rows), 120);
}

static void test_sets(void)
{
	/* 0 may not be in the cheap pool, 1 must be there; 2 is larger but may be in either */
	static const struct row rows[] = {
		ROW_POOL(10, 0, 2, 2, 1), ROW_POOL(50, 0, 2, 1, 0), ROW_POOL(60, 0, 2, 3, 1),
		ROW_POOL(50, 0, 2, 0, 0),
	};

	check("sets of pools are respected, and who has no choice goes first", two, COUNT(two),
	      rows, COUNT(rows), 800);
}

static void test_short_lives(void)
{
	/* one of 100 for four moments, or one of 90 for each: 360 bytes saved instead of 100 */
	static const struct row rows[] = {
		ROW_POOL(100, 0, 4, 0, 1), ROW_POOL(90, 0, 1, 0, 0), ROW_POOL(90, 1, 2, 0, 0),
		ROW_POOL(90, 2, 3, 0, 0), ROW_POOL(90, 3, 4, 0, 0),
	};

	check("many that take turns are worth more than one that stays", two, COUNT(two), rows,
	      COUNT(rows), 1360);
}

static void test_three(void)
{
	static const struct loom_place_pool pools[] = {
		{ 50, 0, 1, 0 }, { 50, 0, 2, 0 }, { LOOM_PLACE_ANYWHERE, 0, 3, 0 },
	};
	static const struct row rows[] = {
		ROW_POOL(50, 0, 1, 0, 0), ROW_POOL(35, 0, 1, 0, 1), ROW_POOL(30, 0, 1, 0, 2),
		ROW_POOL(10, 0, 1, 0, 1),
	};

	check("what spills fills the next pool", pools, COUNT(pools), rows, COUNT(rows), 230);
}

static void test_align(void)
{
	/* in the first pool all begin at 0: only one has room */
	static const struct loom_place_pool pools[] = { { 64, 64, 1, 0 }, { 64, 2, 2, 0 } };
	static const struct row rows[] = { ROW_POOL(12, 0, 1, 0, 0), ROW_POOL(10, 0, 1, 0, 1) };

	check("each pool has its alignment", pools, COUNT(pools), rows, COUNT(rows), 32);
}

static void refuses(const char *what, const struct loom_place_pool *pools, uint32_t num_pools,
		    const struct row *rows, uint32_t count, uint64_t missing)
{
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = {
		.items = items, .num_items = count, .pools = pools, .num_pools = num_pools,
	};
	struct loom_place_result result;
	struct loom_place_fault fault;

	rows_fill(items, rows, count);
	tap_ok(loom_place(&problem, NULL, &result, &fault) == -ENOSPC &&
	       fault.missing_bytes == missing && !result.offsets, "%s: ENOSPC, %s", what,
	       fault.text);
}

static void test_full(void)
{
	static const struct loom_place_pool pools[] = { { 100, 0, 1, 0 }, { 50, 0, 2, 0 } };
	/* 160 at moment 1 in 150 */
	static const struct row sum[] = { ROW_POOL(80, 0, 2, 0, 0), ROW_POOL(80, 1, 3, 0, 0) };
	/* 60 at once in the second, which is the only one for them */
	static const struct row set[] = { ROW_POOL(30, 0, 2, 2, 0), ROW_POOL(30, 1, 3, 2, 0) };
	static const struct row one[] = { ROW_POOL(120, 0, 2, 0, 0) };
	/* nothing wrong with the sums, but 60 do not fit in 50, and 60 + 60 not in 100 */
	static const struct row parts[] = { ROW_POOL(60, 0, 2, 0, 0), ROW_POOL(60, 1, 3, 0, 0) };

	refuses("more than all pools have", pools, COUNT(pools), sum, COUNT(sum), 10);
	refuses("more than the pools of a set have", pools, COUNT(pools), set, COUNT(set), 10);
	refuses("an item larger than any pool", pools, COUNT(pools), one, COUNT(one), 20);
	refuses("what cannot be distributed", pools, COUNT(pools), parts, COUNT(parts), 20);
}

static void test_alias(void)
{
	static const struct row rows[] = {
		ROW_POOL(60, 0, 2, 0, 0), ROW_POOL(60, 0, 2, 0, 1), ROW_POOL(20, 1, 2, 0, 1),
		ROW_POOL(40, 0, 2, 0, 0),
	};
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = {
		.items = items, .num_items = COUNT(rows), .pools = two, .num_pools = 2,
	};
	struct loom_place_result result;
	bool good;

	rows_fill(items, rows, COUNT(rows));
	item_lies_in(&items[2], 1);
	items[2].alias_offset = 40;
	good = rows_place("alias", &problem, NULL, &result);
	tap_ok(good && result.pools[2] == result.pools[1] &&
	       result.offsets[2] == result.offsets[1] + 40 &&
	       result.spill_cost == 700, "an alias goes where its owner goes");
	loom_place_result_free(&result);
}

/* Whether what was dealt to pool @p has a placement there, by the exact search. */
static bool fits(const struct loom_place_item *items, uint32_t count, const uint32_t *dealt,
		 const struct loom_place_pool *pools, uint32_t p)
{
	const struct loom_place_options how = { .strategy = "exact" };
	struct loom_place_item some[MAX_ITEMS];
	struct loom_place_problem problem = {
		.items = some, .pools = &pools[p], .num_pools = 1,
	};
	struct loom_place_result result;
	bool good;
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (dealt[i] != p)
			continue;
		some[problem.num_items] = items[i];
		some[problem.num_items++].pools = 0;
	}
	good = !loom_place(&problem, &how, &result, NULL);
	loom_place_result_free(&result);
	return good;
}

/* The least cost: all distributions over the pools. */
static uint64_t least_cost(const struct loom_place_item *items, uint32_t count,
			   const struct loom_place_pool *pools, uint32_t num_pools)
{
	uint32_t dealt[MAX_ITEMS] = { 0 }, p, i;
	uint64_t best = UINT64_MAX, cost;

	for (;;) {
		bool good = true;

		for (i = 0, cost = 0; i < count; i++) {
			cost += items[i].size_bytes * (items[i].weight ? items[i].weight : 1) *
				pools[dealt[i]].cost;
			good = good && (!items[i].pools || items[i].pools >> dealt[i] & 1);
		}
		for (p = 0; p < num_pools && good && cost < best; p++)
			good = fits(items, count, dealt, pools, p);
		if (good && cost < best)
			best = cost;
		for (i = 0; i < count && ++dealt[i] == num_pools; i++)
			dealt[i] = 0;
		if (i == count)
			return best;
	}
}

static void make_random(struct loom_place_item *item, uint32_t number, uint32_t num_pools)
{
	struct row row = ROW(1 + draw(60), draw(8), 0);

	row.upper = row.lower + 1 + draw(6);
	rows_fill(item, &row, 1);
	item->weight = number % 4;
	if (num_pools == 2)
		return;
	item->align_bytes = draw(3) ? 1 : 8;
	item->pools = draw(4) ? 0 : 1 + draw((1U << num_pools) - 1);
}

static void test_random(uint32_t num_pools, uint32_t most_items)
{
	uint32_t same = 0, feasible = 0, wrong = 0, round, i;

	for (round = 0; round < 100; round++) {
		const uint32_t count = 3 + draw(most_items - 2);
		struct loom_place_pool pools[4];
		struct loom_place_item items[MAX_ITEMS];
		struct loom_place_problem problem = {
			.items = items, .num_items = count, .pools = pools,
			.num_pools = num_pools,
		};
		struct loom_place_result result;
		uint64_t best;

		for (i = 0; i < num_pools; i++)
			pools[i] = (struct loom_place_pool){
				30 + draw(80), i % 2 ? 4 : 0, 1 + draw(9), 0,
			};
		/* room for most of it in one of them */
		pools[draw(num_pools)].capacity_bytes += 100;
		for (i = 0; i < count; i++)
			make_random(&items[i], round + i, num_pools);
		best = least_cost(items, count, pools, num_pools);
		if (best == UINT64_MAX) {
			wrong += !loom_place(&problem, NULL, &result, NULL);
			loom_place_result_free(&result);
			continue;
		}
		feasible++;
		if (loom_place(&problem, NULL, &result, NULL)) {
			wrong++;
			continue;
		}
		wrong += result.spill_cost < best || (result.proved && result.spill_cost > best) ||
			 loom_place_check(&problem, result.offsets, result.pools, NULL);
		same += result.spill_cost == best;
		loom_place_result_free(&result);
	}
	tap_ok(!wrong && feasible > 50, "%u pools: placed where it can be, and nowhere else",
	       num_pools);
	tap_ok(same == feasible, "%u pools: %u of %u cost as little as can be", num_pools, same,
	       feasible);
}

/* Costs whose sum would overflow are refused, not compared. */
static void test_dear(void)
{
	static const struct row rows[] = {
		ROW_POOL(1 << 20, 0, 2, 0, 0), ROW_POOL(1 << 20, 0, 2, 0, 0),
	};
	struct loom_place_pool pools[] = {
		{ 100, 0, 1, 0 }, { LOOM_PLACE_ANYWHERE, 0, 1ULL << 43, 0 },
	};
	static const struct loom_place_pair pairs[] = {
		{ 0, 1, 1ULL << 62 }, { 0, 1, 1ULL << 62 },
	};
	struct loom_place_item items[COUNT(rows)];
	struct loom_place_problem problem = {
		.items = items, .num_items = COUNT(rows), .pools = pools, .num_pools = 2,
	};
	struct loom_place_result result;
	struct loom_place_fault fault;

	rows_fill(items, rows, COUNT(rows));
	tap_ok(loom_place(&problem, NULL, &result, &fault) == -ERANGE && fault.first == 1 &&
	       !result.offsets, "costs past 64 bits in sum: %s", fault.text);
	items[0].weight = 2;
	tap_ok(loom_place(&problem, NULL, &result, &fault) == -ERANGE && !fault.first,
	       "and of one item: %s", fault.text);
	items[0].weight = 0;
	items[1].weight = 1;
	items[1].size_bytes--;
	tap_ok(!loom_place(&problem, NULL, &result, &fault) &&
	       result.spill_cost == UINT64_MAX - (1ULL << 43) + 1, "just below that is fine");
	loom_place_result_free(&result);
	problem.conflicts = pairs;
	problem.num_conflicts = 1;
	tap_ok(!loom_place(&problem, NULL, &result, &fault), "and so is a heavy conflict");
	loom_place_result_free(&result);
	problem.num_conflicts = 2;
	tap_ok(loom_place(&problem, NULL, &result, &fault) == -ERANGE && fault.second == 1,
	       "but two are too heavy: %s", fault.text);
}

/* --- sub-banks -------------------------------------------------------------------------------- */

static uint64_t weigh(const char *what, const struct loom_place_problem *problem, bool *good)
{
	struct loom_place_result result;
	uint64_t weight;

	*good = rows_place(what, problem, NULL, &result);
	weight = judge_weigh(problem, &result);
	*good = *good && weight == result.conflict_weight;
	loom_place_result_free(&result);
	return weight;
}

static void check_weight(const char *what, const struct loom_place_problem *problem, uint64_t want)
{
	uint64_t weight;
	bool good;

	weight = weigh(what, problem, &good);
	tap_ok(good && weight == want, "%s: weight %llu", what, (unsigned long long)weight);
}

static void test_sub_banks(void)
{
	static const struct row rows[] = {
		ROW_POOL(30, 0, 1, 0, 0), ROW_POOL(30, 0, 1, 0, 0), ROW_POOL(30, 0, 1, 0, 0),
	};
	/* three items at a time, four sub-banks of 64 bytes: one for each item */
	static const struct loom_place_pair all[] = { { 0, 1, 5 }, { 1, 2, 7 }, { 0, 2, 9 } };
	struct loom_place_pool pool = { 256, 0, 0, 64 };
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = {
		.items = items, .num_items = COUNT(rows), .pools = &pool, .num_pools = 1,
		.conflicts = all, .num_conflicts = COUNT(all),
	};

	rows_fill(items, rows, COUNT(rows));
	check_weight("each in a sub-bank of its own where there is room", &problem, 0);
	/* two sub-banks: one pair has to share one, the pair with the least weight */
	pool.capacity_bytes = 128;
	check_weight("where there is not, the lightest pair shares", &problem, 5);
	/* without a capacity, height comes before conflicts: 90 bytes, all use the first 64 */
	pool.capacity_bytes = LOOM_PLACE_ANYWHERE;
	check_weight("without a limit the height decides", &problem, 21);
	pool.sub_bank_bytes = 0;
	pool.capacity_bytes = 128;
	check_weight("without sub-banks there is nothing to pay", &problem, 0);
}

/* Item 2 conflicts with all others, of which two are fixed: it needs a sub-bank of its own. */
static void test_sub_bank_fixed(void)
{
	static const struct row rows[] = {
		ROW_POOL(64, 0, 1, 0, 0), ROW_POOL(64, 0, 1, 0, 0), ROW_POOL(10, 0, 1, 0, 0),
		ROW_POOL(60, 0, 1, 0, 0),
	};
	static const struct loom_place_pair pairs[] = { { 0, 2, 1 }, { 1, 2, 1 }, { 3, 2, 1 } };
	const struct loom_place_pool pool = { 256, 0, 0, 64 };
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = {
		.items = items, .num_items = COUNT(rows), .pools = &pool, .num_pools = 1,
		.conflicts = pairs, .num_conflicts = COUNT(pairs),
	};

	rows_fill(items, rows, COUNT(rows));
	item_fix(&items[0], 0);
	item_fix(&items[1], 128);
	/* 2 and 3 get the two sub-banks that are left */
	check_weight("what is fixed stays, the others make way", &problem, 0);
}

/* The least weight over all placements of a few items on a grid of @step bytes. */
static uint64_t least_weight(const struct loom_place_problem *problem, uint32_t step)
{
	uint64_t best = UINT64_MAX, weight, at[MAX_ITEMS] = { 0 };
	const uint64_t size = problem->pools->sub_bank_bytes;
	uint32_t i;

	for (;;) {
		if (!loom_place_check(problem, at, NULL, NULL)) {
			weight = 0;
			for (i = 0; i < problem->num_conflicts; i++) {
				const struct loom_place_pair *p = &problem->conflicts[i];
				uint64_t a = at[p->first], b = at[p->second];
				uint64_t a_last = a + problem->items[p->first].size_bytes - 1;
				uint64_t b_last = b + problem->items[p->second].size_bytes - 1;

				if (a / size <= b_last / size && b / size <= a_last / size)
					weight += p->weight;
			}
			best = weight < best ? weight : best;
		}
		for (i = 0; i < problem->num_items; i++) {
			at[i] += step;
			if (at[i] + problem->items[i].size_bytes <= problem->pools->capacity_bytes)
				break;
			at[i] = 0;
		}
		if (i == problem->num_items)
			return best;
	}
}

static void test_random_weights(void)
{
	uint32_t same = 0, wrong = 0, feasible = 0, round, i;

	for (round = 0; round < 40; round++) {
		const struct loom_place_pool pool = { 64, 0, 0, 16 };
		struct loom_place_pair pairs[6];
		struct loom_place_item items[4];
		struct loom_place_problem problem = {
			.items = items, .num_items = 4, .pools = &pool, .num_pools = 1,
			.conflicts = pairs, .num_conflicts = 6,
		};
		uint64_t best, weight;
		bool good;

		for (i = 0; i < 4; i++) {
			struct row row = ROW(4 * (1 + draw(6)), draw(3), 0);

			row.upper = row.lower + 1 + draw(3);
			rows_fill(&items[i], &row, 1);
			items[i].align_bytes = 4;
		}
		for (i = 0; i < 6; i++)
			pairs[i] = (struct loom_place_pair){ i < 3 ? 0 : i < 5 ? 1 : 2,
							     i < 3 ? i + 1 : i < 5 ? i - 1 : 3,
							     draw(10) };
		best = least_weight(&problem, 4);
		if (best == UINT64_MAX)
			continue;
		feasible++;
		weight = weigh("random", &problem, &good);
		wrong += !good || weight < best;
		same += weight == best;
	}
	tap_ok(!wrong, "random weights: placed, and never less than can be");
	tap_ok(10 * same >= 9 * feasible, "random weights: %u of %u pay as little as can be", same,
	       feasible);
}

int main(void)
{
	test_what_fits();
	test_all_fit();
	test_sets();
	test_short_lives();
	test_three();
	test_align();
	test_full();
	test_alias();
	test_random(2, 8);
	test_random(3, 6);
	test_random(4, 5);
	test_dear();
	test_sub_banks();
	test_sub_bank_fixed();
	test_random_weights();
	return tap_end();
}
