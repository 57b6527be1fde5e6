// SPDX-License-Identifier: MIT
/*
 * All strategies on random problems: what they return is a placement, not below the bound, the
 * same each time. The judge is a comparison of all pairs, written here; loom_place_check() and
 * loom_place_bound() are judged by it, too.
 */
#include "place.h"
#include "tap.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(seed >> 33) % below;
}

#define MAX_ITEMS	80

struct random_problem {
	struct loom_place_problem problem;
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_op ops[MAX_ITEMS];
	uint32_t inputs[MAX_ITEMS][3];
};

/* A graph: each operator makes an item out of some that were made before, some in place. */
static void make_graph(struct random_problem *r, uint32_t n)
{
	static const uint32_t aligns[] = { 1, 1, 4, 64, 48 };
	uint32_t align = aligns[draw(5)], i, k;

	memset(r, 0, sizeof(*r));
	r->problem = (struct loom_place_problem){
		.items = r->items, .num_items = n, .ops = r->ops, .num_ops = n,
	};
	for (i = 0; i < n; i++) {
		struct loom_place_op *op = &r->ops[i];
		uint32_t from = 0;

		op->inputs = r->inputs[i];
		op->output = i;
		op->num_inputs = i ? draw(i < 3 ? i + 1 : 4) : 0;
		for (k = 0; k < op->num_inputs; k++) {
			/* mostly what is recent, sometimes what is old */
			from = draw(4) ? i - 1 - draw(i < 6 ? i : 6) : draw(i);
			r->inputs[i][k] = from;
			r->items[from].upper = i + 1;
		}
		r->items[i] = (struct loom_place_item){
			.size_bytes = draw(8) ? 1 + draw(1000) : 0,
			.align_bytes = align,
			.lower = i,
			.upper = i + 1,
			.fixed = LOOM_PLACE_ANYWHERE,
			.alias = LOOM_PLACE_NONE,
		};
		if (op->num_inputs && !draw(6)) {
			op->in_place = true;
			r->items[i].alias = r->inputs[i][0];
			r->items[i].size_bytes = r->items[r->inputs[i][0]].size_bytes;
		}
	}
}

/* No graph, but fixed offsets that do not meet, and negative times. */
static void make_fixed(struct random_problem *r, uint32_t n)
{
	uint64_t top = 0;
	uint32_t i;

	memset(r, 0, sizeof(*r));
	r->problem = (struct loom_place_problem){ .items = r->items, .num_items = n };
	for (i = 0; i < n; i++) {
		r->items[i] = (struct loom_place_item){
			.size_bytes = 1 + draw(500),
			.align_bytes = 1U << draw(5),
			.lower = (int64_t)draw(60) - 30,
			.fixed = LOOM_PLACE_ANYWHERE,
			.alias = LOOM_PLACE_NONE,
		};
		r->items[i].upper = r->items[i].lower + 1 + draw(20);
		if (!draw(5)) {
			top = (top + 31) / 32 * 32;
			r->items[i].fixed = top;
			top += r->items[i].size_bytes;
		}
	}
}

/* The item whose bytes an item has, and how long these are needed. */
static uint32_t owner(const struct loom_place_problem *p, uint32_t i)
{
	while (p->items[i].alias != LOOM_PLACE_NONE)
		i = p->items[i].alias;
	return i;
}

static void owner_life(const struct loom_place_problem *p, uint32_t i, int64_t *lower,
		       int64_t *upper)
{
	uint32_t k;

	*lower = p->items[i].lower;
	*upper = p->items[i].upper;
	for (k = i; k < p->num_items; k++) {
		if (owner(p, k) != i)
			continue;
		if (p->items[k].lower < *lower)
			*lower = p->items[k].lower;
		if (p->items[k].upper > *upper)
			*upper = p->items[k].upper;
	}
}

static bool valid(const struct loom_place_problem *p, const uint64_t *at, uint64_t height)
{
	uint32_t i, k;

	for (i = 0; i < p->num_items; i++) {
		const struct loom_place_item *a = &p->items[i];
		int64_t a_lower, a_upper, b_lower, b_upper;

		if (at[i] % a->align_bytes || at[i] + a->size_bytes > height)
			return false;
		if (a->fixed != LOOM_PLACE_ANYWHERE && at[i] != a->fixed)
			return false;
		if (owner(p, i) != i) {
			if (at[i] != at[owner(p, i)])
				return false;
			continue;
		}
		owner_life(p, i, &a_lower, &a_upper);
		for (k = 0; k < i; k++) {
			const struct loom_place_item *b = &p->items[k];

			if (owner(p, k) != k || !a->size_bytes || !b->size_bytes)
				continue;
			owner_life(p, k, &b_lower, &b_upper);
			if (a_lower < b_upper && b_lower < a_upper &&
			    at[i] < at[k] + b->size_bytes && at[k] < at[i] + a->size_bytes)
				return false;
		}
	}
	return true;
}

static uint64_t slow_bound(const struct loom_place_problem *p)
{
	uint64_t bound = 0;
	uint32_t i, k;

	for (i = 0; i < p->num_items; i++) {
		uint64_t live = 0;

		for (k = 0; k < p->num_items; k++) {
			int64_t lower, upper;

			if (owner(p, k) != k)
				continue;
			owner_life(p, k, &lower, &upper);
			if (lower <= p->items[i].lower && p->items[i].lower < upper)
				live += p->items[k].size_bytes;
		}
		if (live > bound)
			bound = live;
		if (p->items[i].fixed != LOOM_PLACE_ANYWHERE &&
		    bound < p->items[i].fixed + p->items[i].size_bytes)
			bound = p->items[i].fixed + p->items[i].size_bytes;
	}
	return bound;
}

static int place(const char *name, const struct loom_place_problem *p, uint64_t *at,
		 uint64_t *height)
{
	const struct loom_place_options how = { .strategy = name, .budget = 500 };
	struct loom_place_result result;
	int ret = loom_place(p, &how, &result, NULL);

	if (ret)
		return ret;
	memcpy(at, result.offsets, p->num_items * sizeof(*at));
	*height = result.height_bytes[0];
	loom_place_result_free(&result);
	return 0;
}

/* One strategy on one problem. False if anything is wrong. */
static bool try_placer(const char *name, const struct random_problem *r, uint64_t bound,
		       uint64_t *height)
{
	uint64_t at[MAX_ITEMS], again[MAX_ITEMS], height_again;
	uint32_t i, k;
	const struct loom_place_problem *p = &r->problem;

	memset(at, 0, sizeof(at));
	memset(again, 0, sizeof(again));
	if (place(name, p, at, height) || place(name, p, again, &height_again))
		return false;
	if (memcmp(at, again, sizeof(at)) || *height != height_again || *height < bound)
		return false;
	if (!valid(p, at, *height) || loom_place_check(p, at, NULL, NULL))
		return false;
	/* what is pushed onto another has to be found by the proof if it is found by the judge */
	for (i = 0; i < 10; i++) {
		k = draw(p->num_items);
		memcpy(again, at, sizeof(at));
		again[k] = at[draw(p->num_items)];
		if (valid(p, again, INT64_MAX) != !loom_place_check(p, again, NULL, NULL))
			return false;
	}
	return true;
}

static void test_random(const char *what, void (*make)(struct random_problem *, uint32_t))
{
	static struct random_problem r;
	uint64_t bound, height, best, lowest;
	unsigned int bad = 0, bad_bound = 0, bad_best = 0, round, i;

	for (round = 0; round < 60; round++) {
		make(&r, 1 + draw(MAX_ITEMS - 1));
		if (loom_place_bound(&r.problem, &bound) || bound != slow_bound(&r.problem))
			bad_bound++;
		lowest = UINT64_MAX;
		best = 0;
		for (i = 0; loom_place_strategy_name(i); i++) {
			const char *name = loom_place_strategy_name(i);

			if (!loom_place_allows(loom_place_strategy_find(name), &r.problem))
				continue;
			if (!try_placer(name, &r, bound, &height)) {
				tap_note("%s fails in round %u", name, round);
				bad++;
			}
			if (!i)
				best = height;
			else if (height < lowest)
				lowest = height;
		}
		bad_best += best > lowest;
	}
	tap_ok(!bad, "%s: all strategies place, proved, each time the same", what);
	tap_ok(!bad_bound, "%s: the bound is the largest sum alive", what);
	tap_ok(!bad_best, "%s: auto is the lowest of all", what);
}

/* Lifetimes as in a long program: 60000 items, some hundred alive together. */
static void test_many(const char *name)
{
	const uint32_t n = 60000;
	struct loom_place_item *items = calloc(n, sizeof(*items));
	struct loom_place_op *ops = calloc(n, sizeof(*ops));
	uint32_t *inputs = calloc(n, sizeof(*inputs)), i;
	struct loom_place_problem p = {
		.items = items, .num_items = n, .ops = ops, .num_ops = n,
	};
	uint64_t *at = calloc(n, sizeof(*at)), height = 0, bound = 0;
	clock_t start = clock();
	bool good;

	if (!items || !ops || !inputs || !at)
		tap_fatal("no memory");
	for (i = 0; i < n; i++) {
		items[i] = (struct loom_place_item){
			.size_bytes = 64 * (1 + draw(1000)), .align_bytes = 64,
			.lower = i, .upper = i + 1,
			.fixed = LOOM_PLACE_ANYWHERE, .alias = LOOM_PLACE_NONE,
		};
		ops[i].inputs = &inputs[i];
		ops[i].output = i;
		if (i) {
			inputs[i] = i - 1 - draw(i < 300 ? i : 300);
			ops[i].num_inputs = 1;
			items[inputs[i]].upper = i + 1;
		}
	}
	good = !place(name, &p, at, &height) && !loom_place_check(&p, at, NULL, NULL) &&
	       !loom_place_bound(&p, &bound);
	tap_ok(good && height >= bound, "%s places 60000 items", name);
	tap_note("%s: %.2f s, height %.3f of the bound", name,
		 (double)(clock() - start) / CLOCKS_PER_SEC, (double)height / (double)bound);
	free(items);
	free(ops);
	free(inputs);
	free(at);
}

static void test_limits(void)
{
	struct loom_place_item items[2] = {
		{ .size_bytes = INT64_MAX, .upper = 2, .fixed = LOOM_PLACE_ANYWHERE,
		  .alias = LOOM_PLACE_NONE },
		{ .size_bytes = 1, .upper = 2, .fixed = LOOM_PLACE_ANYWHERE,
		  .alias = LOOM_PLACE_NONE },
	};
	struct loom_place_problem p = { .items = items, .num_items = 2 };
	uint64_t at[2], height;

	tap_ok(place("greedy-size", &p, at, &height) == -ERANGE,
	       "what does not fit in 63 bits: ERANGE");
	items[0].size_bytes = UINT64_MAX;
	tap_ok(place("naive", &p, at, &height) == -ERANGE, "a size past 63 bits: ERANGE");
	p.num_items = 0;
	tap_ok(!place(NULL, &p, at, &height) && !height, "nothing needs nothing");
	tap_ok(place("no such thing", &p, at, &height) == -EINVAL,
	       "an unknown strategy is refused");
}

int main(void)
{
	test_random("graphs", make_graph);
	test_random("fixed offsets", make_fixed);
	test_limits();
	test_many("greedy-size");
	test_many("gmem");
	return tap_end();
}
