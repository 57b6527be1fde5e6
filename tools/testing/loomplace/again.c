// SPDX-License-Identifier: MIT
/*
 * Placements that follow another one: updates move as few bytes as brute force does, and items that
 * two problems share have one offset. Built and run by `make check` in userlib/loomplace. TAP.
 */
#include <errno.h>
#include <loomplace.h>
#include <stdio.h>
#include <string.h>

#define MAX_ITEMS	6
#define LARGE_ITEMS	300

static unsigned int count, failed;

static void ok(int good, const char *what)
{
	failed += !good;
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++count, what);
}

static unsigned long long state = 1;

static unsigned int draw(unsigned int below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(state >> 33) % below;
}

/* Arrays of a problem, and of its placement. */
struct arrays {
	uint64_t sizes[LARGE_ITEMS], before[LARGE_ITEMS], offsets[LARGE_ITEMS];
	int64_t lowers[LARGE_ITEMS], uppers[LARGE_ITEMS];
};

static struct arrays one, two;

static struct loomplace_problem make(struct arrays *a, size_t n, unsigned int moments,
				     unsigned int bytes)
{
	size_t i;

	for (i = 0; i < n; i++) {
		a->sizes[i] = 1 + draw(bytes);
		a->lowers[i] = draw(moments);
		a->uppers[i] = a->lowers[i] + 1 + draw(moments / 2);
		a->before[i] = LOOMPLACE_FREE;
		a->offsets[i] = 0;
	}
	return (struct loomplace_problem){
		.struct_bytes = sizeof(struct loomplace_problem), .num_items = n,
		.sizes = a->sizes, .lowers = a->lowers, .uppers = a->uppers,
	};
}

static int fits(const struct arrays *a, size_t i, const uint64_t *at, size_t k)
{
	return a->lowers[i] >= a->uppers[k] || a->lowers[k] >= a->uppers[i] ||
	       at[i] >= at[k] + a->sizes[k] || at[k] >= at[i] + a->sizes[i];
}

static int is_placement(const struct arrays *a, size_t n, uint64_t capacity)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		if (a->offsets[i] + a->sizes[i] > capacity)
			return 0;
		for (k = 0; k < i; k++)
			if (!fits(a, i, a->offsets, k))
				return 0;
	}
	return 1;
}

/* The fewest bytes that move, over all placements of the items from @i on, less than @best. */
static uint64_t least_moved(const struct arrays *a, size_t n, uint64_t capacity, uint64_t *at,
			    size_t i, uint64_t moved, uint64_t best)
{
	size_t k;

	if (moved >= best || i == n)
		return moved < best ? moved : best;
	for (at[i] = 0; at[i] + a->sizes[i] <= capacity; at[i]++) {
		int moves = a->before[i] != LOOMPLACE_FREE && at[i] != a->before[i];

		for (k = 0; k < i && fits(a, i, at, k); k++)
			;
		if (k == i)
			best = least_moved(a, n, capacity, at, i + 1,
					   moved + (moves ? a->sizes[i] : 0), best);
	}
	return best;
}

/* Places, changes some items, and places again with little room. */
static void test_least(void)
{
	unsigned int trial, wrong = 0, moving = 0, refused = 0;
	struct loomplace_answer answer = { .struct_bytes = sizeof(answer) };
	uint64_t at[MAX_ITEMS], moved, least;
	size_t i;

	for (trial = 0; trial < 1000; trial++) {
		size_t n = 2 + draw(MAX_ITEMS - 1);
		struct loomplace_problem problem = make(&one, n, 6, 5);
		int ret;

		if (loomplace_place(&problem, one.before, &answer))
			wrong++;
		i = draw((unsigned int)n);
		one.sizes[i] = 1 + draw(5);
		one.uppers[i] += draw(3);
		if (draw(2))
			one.before[draw((unsigned int)n)] = LOOMPLACE_FREE;
		problem.capacity_bytes = answer.height_bytes + draw(3);
		least = least_moved(&one, n, problem.capacity_bytes, at, 0, 0, UINT64_MAX);
		ret = loomplace_update(&problem, one.before, one.offsets, &moved, &answer);
		refused += ret == -ENOSPC;
		wrong += ret ? ret != -ENOSPC || least != UINT64_MAX || !answer.text[0] :
			 moved != least || !is_placement(&one, n, problem.capacity_bytes);
		moving += !ret && moved;
	}
	ok(!wrong && moving > 50 && refused > 50,
	   "1000 updates move as few bytes as brute force, or are refused as it refuses");
}

static void test_large(void)
{
	struct loomplace_answer answer = { .struct_bytes = sizeof(answer) };
	struct loomplace_problem problem = make(&one, LARGE_ITEMS, 200, 1000);
	uint64_t moved = 1, sum = 0;
	size_t i;

	problem.budget = 1000;
	ok(!loomplace_place(&problem, one.before, &answer), "300 items are placed");
	problem.capacity_bytes = answer.height_bytes;
	ok(!loomplace_update(&problem, one.before, one.offsets, &moved, &answer) && !moved &&
	   !memcmp(one.before, one.offsets, sizeof(one.before)), "nothing changes, nothing moves");
	for (i = 0; i < LARGE_ITEMS; i += 30) {
		one.sizes[i] += 300;
		sum += one.sizes[i];
	}
	problem.capacity_bytes += problem.capacity_bytes / 8;
	ok(!loomplace_update(&problem, one.before, one.offsets, &moved, &answer) &&
	   is_placement(&one, LARGE_ITEMS, problem.capacity_bytes) && moved <= sum,
	   "ten items grow, and no more bytes move than theirs");
	problem.capacity_bytes = 0;
	ok(loomplace_update(&problem, one.before, one.offsets, NULL, &answer) == -EINVAL,
	   "an update without a capacity");
}

/* Two that are never alive together, though the life of one begins and ends around the other's. */
static void test_gaps(void)
{
	static const size_t first_gap[] = { 0, 1, 1 }, wrong_gap[] = { 0, 3, 1 };
	static const int64_t gap_lowers[] = { 2 }, gap_uppers[] = { 4 };
	struct loomplace_answer answer = { .struct_bytes = sizeof(answer) };
	struct loomplace_problem problem = make(&one, 2, 8, 1);
	uint64_t whole;

	one.lowers[0] = 0;
	one.uppers[0] = 8;
	one.lowers[1] = 2;
	one.uppers[1] = 4;
	loomplace_place(&problem, one.offsets, &answer);
	whole = answer.height_bytes;
	problem.first_gap = first_gap;
	ok(loomplace_place(&problem, one.offsets, &answer) == -EINVAL, "gaps without moments");
	problem.gap_lowers = gap_lowers;
	problem.gap_uppers = gap_uppers;
	ok(!loomplace_place(&problem, one.offsets, &answer) && whole == 2 &&
	   answer.height_bytes == 1 && !loomplace_check(&problem, one.offsets, &answer),
	   "an item in the gap of another takes its place");
	problem.capacity_bytes = 9;
	ok(loomplace_update(&problem, one.before, one.offsets, NULL, &answer) == -EINVAL,
	   "an update refuses gaps");
	problem.first_gap = wrong_gap;
	ok(loomplace_place(&problem, one.offsets, &answer) == -EINVAL, "gaps out of order");
}

static void test_shared(void)
{
	struct loomplace_answer answer = { .struct_bytes = sizeof(answer) }, alone = answer;
	size_t shared[40], i, trial;
	unsigned int wrong = 0;

	for (trial = 0; trial < 50; trial++) {
		struct loomplace_problem a = make(&one, 50, 30, 100);
		struct loomplace_problem b = make(&two, 40, 20, 100);

		a.budget = 1000;
		for (i = 0; i < 40; i++) {
			shared[i] = draw(2) ? i + 5 : LOOMPLACE_NONE;
			if (shared[i] != LOOMPLACE_NONE)
				two.sizes[i] = one.sizes[shared[i]];
		}
		if (loomplace_place_shared(&a, &b, shared, one.offsets, two.offsets, &answer) ||
		    loomplace_place(&a, one.before, &alone) ||
		    answer.height_bytes < alone.bound_bytes ||
		    !is_placement(&one, 50, answer.height_bytes) ||
		    !is_placement(&two, 40, answer.height_bytes))
			wrong++;
		for (i = 0; i < 40; i++)
			wrong += shared[i] != LOOMPLACE_NONE &&
				 two.offsets[i] != one.offsets[shared[i]];
		shared[0] = 3;
		shared[1] = 3;
		wrong += loomplace_place_shared(&a, &b, shared, one.offsets, two.offsets,
						&answer) != -EINVAL;
	}
	ok(!wrong, "items that two problems share have one offset");
}

int main(void)
{
	test_least();
	test_large();
	test_gaps();
	test_shared();
	printf("1..%u\n", count);
	return !!failed;
}
