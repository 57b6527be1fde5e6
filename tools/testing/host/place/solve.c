// SPDX-License-Identifier: MIT
/*
 * The solver against an oracle: a search without pruning rules, except by the best answer so far
 * and by the sum of what is alive. Tiny problems by all offsets: refusals.c.
 */
#include "draw.h"
#include "place/solve.h"
#include "tap.h"
#include "place_item.h"

#include <string.h>

#include "loom_core.h"

#define MAX_ITEMS	64
#define BUDGET		200000

/* A problem with room for what its items point to. */
struct sample {
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_gap gaps[MAX_ITEMS];
	struct loom_place_range ranges[MAX_ITEMS];
	struct loom_place_pair apart[MAX_ITEMS];
	uint32_t num_items;
	uint32_t num_apart;
};

/* --- the reference checker ------------------------------------------------------------------ */

/* The bytes of an item that are occupied at a moment: an empty range if none are. */
static struct loom_place_range there(const struct loom_place_item *item, int64_t time)
{
	uint32_t k;

	if (time < item->lower || time >= item->upper)
		return (struct loom_place_range){ 0, 0 };
	for (k = 0; k < item->num_gaps; k++)
		if (time >= item->gaps[k].lower && time < item->gaps[k].upper)
			return (struct loom_place_range){ item->gaps[k].window_lower,
							  item->gaps[k].window_upper };
	return (struct loom_place_range){ 0, item->size_bytes };
}

static bool is_apart(const struct sample *s, uint32_t a, uint32_t b)
{
	uint32_t k;

	for (k = 0; k < s->num_apart; k++)
		if ((s->apart[k].first == a && s->apart[k].second == b) ||
		    (s->apart[k].first == b && s->apart[k].second == a))
			return true;
	return false;
}

/* Compares two items at all moments, which are small numbers here. */
static bool collide(const struct sample *s, uint32_t a, uint64_t at, uint32_t b, uint64_t bt)
{
	const struct loom_place_item *x = &s->items[a], *y = &s->items[b];
	int64_t time;

	if (is_apart(s, a, b) && at < bt + y->size_bytes && bt < at + x->size_bytes)
		return true;
	for (time = x->lower; time < x->upper; time++) {
		struct loom_place_range p = there(x, time), q = there(y, time);

		if (p.lower < p.upper && q.lower < q.upper &&
		    at + p.lower < bt + q.upper && bt + q.lower < at + p.upper)
			return true;
	}
	return false;
}

static bool may_be_at(const struct loom_place_item *item, uint64_t offset)
{
	uint32_t k;

	if (offset % item->align_bytes)
		return false;
	if (item_is_fixed(item) && item->fixed != offset)
		return false;
	for (k = 0; k < item->num_excluded; k++)
		if (offset < item->excluded[k].upper &&
		    offset + item->size_bytes > item->excluded[k].lower)
			return false;
	return true;
}

static bool is_valid(const struct sample *s, const uint64_t *offsets, uint64_t height)
{
	uint64_t top = 0;
	uint32_t i, k;

	for (i = 0; i < s->num_items; i++) {
		if (!may_be_at(&s->items[i], offsets[i]))
			return false;
		for (k = 0; k < i; k++)
			if (collide(s, i, offsets[i], k, offsets[k]))
				return false;
		if (offsets[i] + s->items[i].size_bytes > top)
			top = offsets[i] + s->items[i].size_bytes;
	}
	return top == height;
}

/* --- the oracles --------------------------------------------------------------------------- */

struct oracle {
	const struct sample *s;
	bool overlaps[MAX_ITEMS][MAX_ITEMS];
	uint32_t ids[MAX_ITEMS];
	uint32_t num_ids;
	bool placed[MAX_ITEMS];
	uint64_t offsets[MAX_ITEMS];
	uint64_t best;
	uint64_t bound;
	uint64_t steps;
};

/* The lowest offset not below @from, or LOOM_PLACE_ANYWHERE. */
static uint64_t lowest(const struct oracle *o, uint32_t i, uint64_t from)
{
	const struct loom_place_item *item = &o->s->items[i];
	uint64_t offset = from, before;
	uint32_t k;

	do {
		before = offset;
		for (k = 0; k < o->num_ids; k++) {
			uint32_t j = o->ids[k];
			uint64_t top = o->offsets[j] + o->s->items[j].size_bytes;

			if (o->placed[j] && o->overlaps[i][j] && top > offset)
				offset = top;
		}
		for (k = 0; k < item->num_excluded; k++)
			if (offset < item->excluded[k].upper &&
			    offset + item->size_bytes > item->excluded[k].lower)
				offset = item->excluded[k].upper;
		while (offset % item->align_bytes)
			offset++;
	} while (offset != before);
	if (!item_is_fixed(item))
		return offset;
	return offset <= item->fixed ? item->fixed : LOOM_PLACE_ANYWHERE;
}

/* Tries all orders from the bottom up, each item as low as it goes. */
static void try_orders(struct oracle *o, uint32_t left, uint64_t from, uint64_t height)
{
	uint32_t k;

	o->steps++;
	if (!left && height < o->best)
		o->best = height;
	for (k = 0; k < o->num_ids && left && o->best > o->bound; k++) {
		uint32_t i = o->ids[k];
		uint64_t offset, top;

		if (o->placed[i])
			continue;
		offset = lowest(o, i, 0);
		if (offset == LOOM_PLACE_ANYWHERE || offset < from)
			continue;
		top = offset + o->s->items[i].size_bytes;
		if (top < height)
			top = height;
		if (top >= o->best)
			continue;
		o->placed[i] = true;
		o->offsets[i] = offset;
		try_orders(o, left - 1, offset, top);
		o->placed[i] = false;
	}
}

static uint64_t live_sum(const struct oracle *o)
{
	uint64_t most = 0;
	uint32_t k, j;

	for (k = 0; k < o->num_ids; k++) {
		uint64_t sum = 0;

		for (j = 0; j < o->num_ids; j++) {
			struct loom_place_range p = there(&o->s->items[o->ids[j]],
							  o->s->items[o->ids[k]].lower);

			sum += p.upper - p.lower;
		}
		if (sum > most)
			most = sum;
	}
	return most;
}

static void collect(struct oracle *o, uint32_t i, bool *seen)
{
	uint32_t k;

	seen[i] = true;
	o->ids[o->num_ids++] = i;
	for (k = 0; k < o->s->num_items; k++)
		if (o->overlaps[i][k] && !seen[k])
			collect(o, k, seen);
}

/* The least height; LOOM_PLACE_ANYWHERE if there is no placement, 0 if it takes too long. */
static uint64_t ask_oracle(const struct sample *s)
{
	static struct oracle o;
	bool seen[MAX_ITEMS] = { false };
	uint64_t height = 0;
	uint32_t i, k;

	memset(&o, 0, sizeof(o));
	o.s = s;
	for (i = 0; i < s->num_items; i++)
		for (k = 0; k < s->num_items; k++)
			o.overlaps[i][k] = k != i && collide(s, i, 0, k, 0);
	for (i = 0; i < s->num_items; i++) {
		if (seen[i])
			continue;
		o.num_ids = 0;
		collect(&o, i, seen);
		o.best = LOOM_PLACE_ANYWHERE;
		o.bound = live_sum(&o);
		o.steps = 0;
		try_orders(&o, o.num_ids, 0, 0);
		if (o.best > height)
			height = o.best;
	}
	return height;
}

/* --- samples ------------------------------------------------------------------------------- */

static void add_item(struct sample *s, int64_t lower, int64_t upper, uint64_t size)
{
	s->items[s->num_items++] = (struct loom_place_item){
		.size_bytes = size,
		.align_bytes = 1,
		.lower = lower,
		.upper = upper,
	};
}

static int compare_begins(const void *a, const void *b)
{
	const struct loom_place_item *x = a, *y = b;

	return (x->lower > y->lower) - (x->lower < y->lower);
}

/* Groups of items that are disjoint in time, so that the oracle can solve each. */
static void make_plain(struct sample *s, uint32_t n, uint32_t group, uint32_t sizes)
{
	uint32_t span = 3 + draw(8);

	memset(s, 0, sizeof(*s));
	while (s->num_items < n) {
		int64_t base = s->num_items / group * 100, lower = base + draw(span);

		add_item(s, lower, lower + 1 + draw(span), 1 + draw(sizes));
	}
	/* the solver's callers sort */
	qsort(s->items, n, sizeof(*s->items), compare_begins);
}

/*
 * Groups that occupy all bytes at all times: two items, then each is replaced by two that are as
 * large in sum, then pairs of these by one item. The two of a pair have to be adjacent, or there is
 * no contiguous room for it. Plain samples nearly always reach their bound; these do not.
 */
static void make_full(struct sample *s, uint32_t n, uint32_t sizes)
{
	uint64_t size[4], part;
	uint32_t i, k, mate;

	memset(s, 0, sizeof(*s));
	for (i = 0; s->num_items + 8 <= n; i++) {
		int64_t time = 100 * i;

		for (k = 0; k < 4; k += 2) {
			part = 2 + draw(sizes);
			size[k] = 1 + draw(part - 1);
			size[k + 1] = part - size[k];
			add_item(s, time, time + 2 + k / 2, part);
		}
		/* one replaces the first of four and any other, then one the two that are left */
		mate = 1 + draw(3);
		for (k = 0; k < 4; k++)
			add_item(s, time + 2 + k / 2, time + 6 - (!k || k == mate), size[k]);
		add_item(s, time + 5, time + 8, size[0] + size[mate]);
		add_item(s, time + 6, time + 8, size[1 + (mate == 1)] + size[3 - (mate == 3)]);
	}
	while (s->num_items < n)
		add_item(s, -2, -1, 1 + draw(sizes));
}

enum {
	WITH_GAPS = 1,
	WITH_FIXED = 2,
	WITH_RANGES = 4,
	WITH_APART = 8,
	WITH_ALIGN = 16,
};

static void add_features(struct sample *s, unsigned int with, uint32_t sizes)
{
	uint32_t i, k;

	for (i = 0; i < s->num_items; i++) {
		struct loom_place_item *item = &s->items[i];

		if ((with & WITH_GAPS) && item->upper - item->lower > 2 && draw(2)) {
			s->gaps[i].lower = item->lower + 1;
			s->gaps[i].upper = item->upper - 1;
			item->gaps = &s->gaps[i];
			item->num_gaps = 1;
		}
		if ((with & WITH_ALIGN) && draw(2))
			item->align_bytes = 1 + draw(4);
		if ((with & WITH_RANGES) && draw(3) == 0) {
			s->ranges[i].lower = draw(2 * sizes);
			s->ranges[i].upper = s->ranges[i].lower + 1 + draw(4);
			item->excluded = &s->ranges[i];
			item->num_excluded = 1;
		}
		if ((with & WITH_FIXED) && draw(6) == 0) {
			item_fix(item, draw(2 * sizes) / item->align_bytes * item->align_bytes);
			for (k = 0; k < i && may_be_at(item, item->fixed); k++)
				if (item_is_fixed(&s->items[k]) &&
				    collide(s, i, item->fixed, k, s->items[k].fixed))
					break;
			if (k < i || !may_be_at(item, item->fixed))
				item->flags &= ~LOOM_PLACE_FIXED;
		}
	}
	for (i = 0; (with & WITH_APART) && i < s->num_items / 4; i++) {
		struct loom_place_pair pair = { draw(s->num_items), draw(s->num_items), 0 };

		/* only within a group, and not two items that are fixed at the same offset */
		if (pair.first == pair.second ||
		    s->items[pair.first].lower / 100 != s->items[pair.second].lower / 100 ||
		    item_is_fixed(&s->items[pair.first]) ||
		    item_is_fixed(&s->items[pair.second]))
			continue;
		s->apart[s->num_apart++] = pair;
	}
}

/* --- the solver ---------------------------------------------------------------------------- */

/* Height and bound after a call. */
struct solved {
	uint64_t height_bytes;
	uint64_t bound_bytes;
	uint64_t nodes;
};

/* Continues with the placement in @offsets, unless the height of @from is LOOM_PLACE_ANYWHERE. */
static struct solved go_on(const struct sample *s, uint64_t capacity, bool fit_only,
			   uint64_t budget, uint64_t *offsets, struct solved from)
{
	const struct loom_place_task task = {
		.problem = {
			.items = s->items, .num_items = s->num_items, .apart = s->apart,
			.num_apart = s->num_apart,
		},
		.capacity_bytes = capacity, .fit_only = fit_only, .budget = budget,
	};
	struct loom_place_answer answer = { .offsets = offsets, .bound_bytes = from.bound_bytes };
	uint64_t height = from.height_bytes;

	if (loom_place_solve(&task, &answer, &height))
		tap_fatal("no memory");
	return (struct solved){ height, answer.bound_bytes, answer.nodes };
}

static struct solved run(const struct sample *s, uint64_t capacity, bool fit_only,
			 uint64_t budget, uint64_t *offsets)
{
	const struct loom_place_problem problem = {
		.items = s->items, .num_items = s->num_items, .apart = s->apart,
		.num_apart = s->num_apart,
	};
	struct solved none = { .height_bytes = LOOM_PLACE_ANYWHERE };

	loom_place_bound(&problem, &none.bound_bytes);
	return go_on(s, capacity, fit_only, budget, offsets, none);
}

/* Solves, and compares with the oracle's height; then tries to fit in one byte less. */
static bool agrees(const struct sample *s, uint64_t right, unsigned int number)
{
	uint64_t offsets[MAX_ITEMS];
	struct solved solve = run(s, LOOM_PLACE_ANYWHERE, false, BUDGET, offsets);

	if (right == LOOM_PLACE_ANYWHERE)
		return solve.height_bytes == LOOM_PLACE_ANYWHERE &&
		       solve.bound_bytes >= LOOM_PLACE_ANYWHERE / 8;
	if (solve.height_bytes != right || solve.bound_bytes != right ||
	    !is_valid(s, offsets, right)) {
		tap_note("sample %u: height %llu bound %llu, right is %llu", number,
			 (unsigned long long)solve.height_bytes,
			 (unsigned long long)solve.bound_bytes, (unsigned long long)right);
		return false;
	}
	solve = run(s, right, true, BUDGET, offsets);
	if (solve.height_bytes > right || !is_valid(s, offsets, solve.height_bytes)) {
		tap_note("sample %u: does not fit", number);
		return false;
	}
	solve = run(s, right - 1, true, BUDGET, offsets);
	if (solve.height_bytes != LOOM_PLACE_ANYWHERE || solve.bound_bytes < right) {
		tap_note("sample %u: bound %llu for a byte less than %llu", number,
			 (unsigned long long)solve.bound_bytes, (unsigned long long)right);
		return false;
	}
	return true;
}

static void test_plain(void)
{
	static const uint32_t groups[] = { 10, 10, 9, 8, 11, 6 };
	unsigned int i, good = 0, above = 0;
	static struct sample s;

	for (i = 0; i < 300; i++) {
		struct oracle o = { .s = &s };
		uint32_t n = 10 + i % 51, k;
		uint64_t right;

		if (i % 2)
			make_plain(&s, n, groups[i % 6], 4 + draw(12));
		else
			make_full(&s, n, 4 + draw(12));
		right = ask_oracle(&s);
		good += agrees(&s, right, i);
		for (k = 0; k < n; k++)
			o.ids[k] = k;
		o.num_ids = n;
		above += right > live_sum(&o);
	}
	tap_ok(good == 300, "300 samples of 10 to 60 items: exact is what the oracle says (%u)",
	       good);
	tap_ok(above >= 40, "some of them are higher than their bound (%u)", above);
}

static void test_features(void)
{
	static const struct {
		unsigned int with;
		const char *name;
	} kinds[] = {
		{ WITH_GAPS, "gaps" },
		{ WITH_FIXED, "fixed offsets" },
		{ WITH_RANGES, "excluded ranges" },
		{ WITH_APART, "pairs apart" },
		{ WITH_ALIGN, "alignment" },
		{ WITH_GAPS | WITH_FIXED | WITH_RANGES | WITH_APART | WITH_ALIGN, "all at once" },
	};
	unsigned int kind, i, good;
	static struct sample s;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		for (i = 0, good = 0; i < 60; i++) {
			uint32_t sizes = 4 + draw(8);

			if (i % 2 || kind > 4)
				make_plain(&s, 6 + i % 20, 7, sizes);
			else
				make_full(&s, 8 + i % 20, sizes);
			add_features(&s, kinds[kind].with, sizes);
			good += agrees(&s, ask_oracle(&s), i);
		}
		tap_ok(good == 60, "%s: exact is what the oracle says (%u of 60)",
		       kinds[kind].name, good);
	}
}

static void test_budget(void)
{
	uint64_t offsets[2][MAX_ITEMS], last = LOOM_PLACE_ANYWHERE, bound = 0, budget;
	bool same = true, falls = true, keeps = true, within = true;
	struct solved a, b;
	static struct sample s;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		make_plain(&s, 60, 60, 1000);
		last = LOOM_PLACE_ANYWHERE;
		bound = 0;
		for (budget = 0; budget < 60000; budget = budget * 3 + 1) {
			a = run(&s, LOOM_PLACE_ANYWHERE, false, budget, offsets[0]);
			b = run(&s, LOOM_PLACE_ANYWHERE, false, budget, offsets[1]);
			same &= a.height_bytes == b.height_bytes && a.nodes == b.nodes &&
				a.bound_bytes == b.bound_bytes &&
				(a.height_bytes == LOOM_PLACE_ANYWHERE ||
				 !memcmp(offsets[0], offsets[1],
					 s.num_items * sizeof(offsets[0][0])));
			falls &= a.height_bytes <= last && a.bound_bytes >= bound;
			within &= a.nodes <= budget;
			last = a.height_bytes;
			bound = a.bound_bytes;
		}
		if (last == LOOM_PLACE_ANYWHERE)
			continue;
		/* a placement that is given must be kept or improved */
		memcpy(offsets[0], offsets[1], sizeof(offsets[0]));
		b = go_on(&s, LOOM_PLACE_ANYWHERE, false, 5, offsets[0], a);
		keeps &= b.height_bytes <= last && is_valid(&s, offsets[0], b.height_bytes);
	}
	tap_ok(same, "the same budget gives the same answer");
	tap_ok(falls, "more budget is never worse, in height or in bound");
	tap_ok(within, "no budget is exceeded");
	tap_ok(keeps, "what was known before is kept or bettered");
}

static void test_edges(void)
{
	uint64_t offsets[MAX_ITEMS];
	static struct sample s;
	struct solved solve;
	uint32_t i;

	memset(&s, 0, sizeof(s));
	solve = run(&s, LOOM_PLACE_ANYWHERE, false, 10, offsets);
	tap_ok(solve.bound_bytes == 0 && solve.nodes == 0, "no items: nothing to do");

	/* sizes near the end of what 63 bits hold */
	add_item(&s, 0, 2, 3ULL << 60);
	add_item(&s, 1, 3, 1ULL << 60);
	add_item(&s, 2, 4, (3ULL << 60) - (7 << 20));
	solve = run(&s, LOOM_PLACE_ANYWHERE, false, 100, offsets);
	tap_ok(solve.height_bytes == 1ULL << 62 && solve.bound_bytes == solve.height_bytes &&
	       is_valid(&s, offsets, solve.height_bytes), "sizes of 2^60 and more");
	s.items[2].size_bytes++;
	solve = run(&s, LOOM_PLACE_ANYWHERE, false, 100, offsets);
	tap_ok(solve.height_bytes == LOOM_PLACE_ANYWHERE && solve.bound_bytes == 1ULL << 62,
	       "sizes of 2^60 and more units: a bound only");

	/* an item that is fixed in its excluded range */
	memset(&s, 0, sizeof(s));
	add_item(&s, 0, 2, 10);
	s.ranges[0] = (struct loom_place_range){ 5, 6 };
	s.items[0].excluded = &s.ranges[0];
	s.items[0].num_excluded = 1;
	item_fix(&s.items[0], 0);
	solve = run(&s, LOOM_PLACE_ANYWHERE, false, 100, offsets);
	tap_ok(solve.height_bytes == LOOM_PLACE_ANYWHERE &&
	       solve.bound_bytes == LOOM_PLACE_ANYWHERE, "no placement at all is a bound, too");

	/* odd sizes under a common alignment: only the topmost item need not be padded */
	memset(&s, 0, sizeof(s));
	for (i = 0; i < 5; i++) {
		add_item(&s, 0, 1, 100 + i);
		s.items[i].align_bytes = 64;
	}
	solve = run(&s, LOOM_PLACE_ANYWHERE, false, 1000, offsets);
	tap_ok(solve.height_bytes == 4 * 128 + 100 && solve.bound_bytes == solve.height_bytes,
	       "alignment: the bound knows of the holes (%llu)",
	       (unsigned long long)solve.height_bytes);
	solve = run(&s, 4 * 128 + 99, true, 1000, offsets);
	tap_ok(solve.height_bytes == LOOM_PLACE_ANYWHERE && solve.bound_bytes == 4 * 128 + 100,
	       "one byte less is proved not to be enough");
}

int main(void)
{
	test_plain();
	test_features();
	test_budget();
	test_edges();
	return tap_end();
}
