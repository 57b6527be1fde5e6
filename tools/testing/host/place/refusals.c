// SPDX-License-Identifier: MIT
/*
 * Numbers that claim a proof, on small random problems with all features, beside an exhaustive
 * search that shares no code with the library: no bound is above the least height, the capacity
 * that a refusal names is needed, and a problem is refused or fits when it is given that capacity.
 */
#include "draw.h"
#include "loom_place.h"
#include "place_item.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

#define ITEMS		5
#define POOLS		3
#define MOMENTS		6
#define TOP		48
#define NONE		LOOM_PLACE_NONE
#define PROBLEMS	4000

/**
 * struct small - a problem with all that it points to, and a table for the search
 * @problem: the problem
 * @items: its items
 * @gaps: one for each item
 * @excluded: one for each item
 * @apart: a pair
 * @pools: the pools
 * @windows: an item keeps bytes in a gap, about which the search of the library proves nothing
 * @meet: by two items and the distance of the second from the first, plus TOP: they collide
 */
struct small {
	struct loom_place_problem problem;
	struct loom_place_item items[ITEMS];
	struct loom_place_gap gaps[ITEMS];
	struct loom_place_range excluded[ITEMS];
	struct loom_place_pair apart[1];
	struct loom_place_pool pools[POOLS];
	bool windows;
	bool meet[ITEMS][ITEMS][2 * TOP + 1];
};

/* --- the exhaustive search ------------------------------------------------------------------ */

/* Whether an item has byte @byte of itself at a moment. */
static bool has_byte(const struct loom_place_item *item, int moment, int byte)
{
	if (moment < item->lower || moment >= item->upper)
		return false;
	if (item->num_gaps && moment >= item->gaps->lower && moment < item->gaps->upper)
		return byte >= (int)item->gaps->window_lower &&
		       byte < (int)item->gaps->window_upper;
	return byte < (int)item->size_bytes;
}

static bool collide(const struct loom_place_item *a, const struct loom_place_item *b, int distance)
{
	int moment, byte;

	for (moment = 0; moment < MOMENTS; moment++)
		for (byte = 0; byte < (int)a->size_bytes; byte++)
			if (byte >= distance && has_byte(a, moment, byte) &&
			    has_byte(b, moment, byte - distance))
				return true;
	return false;
}

static bool is_pair(const struct small *s, uint32_t a, uint32_t b)
{
	return s->problem.num_apart &&
	       ((s->apart[0].first == a && s->apart[0].second == b) ||
		(s->apart[0].first == b && s->apart[0].second == a));
}

static void make_table(struct small *s)
{
	uint32_t a, b;
	int d;

	for (a = 0; a < s->problem.num_items; a++)
		for (b = 0; b < s->problem.num_items; b++)
			for (d = -TOP; d <= TOP; d++)
				s->meet[a][b][d + TOP] =
					collide(&s->items[a], &s->items[b], d) ||
					(is_pair(s, a, b) && d < (int)s->items[a].size_bytes &&
					 d > -(int)s->items[b].size_bytes);
}

/* Whether item @i and those after it have places among those before, in pools as dealt. */
static bool search(const struct small *s, const uint32_t *dealt, const int *heights, int *at,
		   uint32_t i)
{
	const struct loom_place_item *item = &s->items[i];
	const int size = (int)item->size_bytes;
	int step, first, last, o;
	uint32_t k;

	if (i == s->problem.num_items)
		return true;
	step = item->align_bytes ? (int)item->align_bytes : 1;
	first = item_is_fixed(item) ? (int)item->fixed : 0;
	last = heights[dealt[i]] - size;
	if (item_is_fixed(item) && first < last)
		last = first;
	for (o = first; o <= last; o += step) {
		if (item->num_excluded && o < (int)item->excluded->upper &&
		    (int)item->excluded->lower < o + size)
			continue;
		for (k = 0; k < i; k++)
			if (dealt[k] == dealt[i] && s->meet[k][i][o - at[k] + TOP])
				break;
		at[i] = o;
		if (k == i && search(s, dealt, heights, at, i + 1))
			return true;
	}
	return false;
}

/* Whether there is a placement in pools of these heights. */
static bool exists(const struct small *s, const int *heights)
{
	uint32_t dealt[ITEMS] = { 0 }, i;
	int at[ITEMS];

	for (;;) {
		for (i = 0; i < s->problem.num_items; i++)
			if (s->items[i].pools && !(s->items[i].pools >> dealt[i] & 1))
				break;
		if (i == s->problem.num_items && search(s, dealt, heights, at, 0))
			return true;
		for (i = 0; i < s->problem.num_items && ++dealt[i] == s->problem.num_pools; i++)
			dealt[i] = 0;
		if (i == s->problem.num_items)
			return false;
	}
}

/* --- problems ------------------------------------------------------------------------------- */

static void make_item(struct small *s, uint32_t i)
{
	struct loom_place_item *item = &s->items[i];
	struct loom_place_gap *gap = &s->gaps[i];

	*item = (struct loom_place_item){
		.size_bytes = 1 + draw(6), .align_bytes = draw(2) ? 1 : 1 + draw(4),
		.lower = draw(MOMENTS - 1),
	};
	item->upper = item->lower + 1 + draw(MOMENTS - (uint32_t)item->lower);
	if (!draw(5)) {
		item->align_bytes = 1;
		item_fix(item, draw(12));
	} else if (!draw(5)) {
		s->excluded[i].lower = draw(8);
		s->excluded[i].upper = s->excluded[i].lower + 1 + draw(4);
		item->excluded = &s->excluded[i];
		item->num_excluded = 1;
	}
	if (draw(4) || item->upper - item->lower < 3)
		return;
	gap->lower = item->lower + 1;
	gap->upper = item->upper - 1;
	gap->window_lower = 0;
	gap->window_upper = draw(3) ? 0 : draw((uint32_t)item->size_bytes + 1);
	s->windows |= gap->window_upper;
	item->gaps = gap;
	item->num_gaps = 1;
}

static void make_small(struct small *s, uint32_t num_pools, uint32_t most_items)
{
	uint32_t i;

	memset(s, 0, sizeof(*s));
	s->problem = (struct loom_place_problem){
		.items = s->items, .num_items = 1 + draw(most_items), .apart = s->apart,
		.pools = s->pools, .num_pools = num_pools,
	};
	for (i = 0; i < s->problem.num_items; i++) {
		make_item(s, i);
		if (num_pools > 1 && !draw(3))
			s->items[i].pools = 1 + draw((1U << num_pools) - 1);
	}
	if (s->problem.num_items > 1 && !draw(3)) {
		s->apart[0] = (struct loom_place_pair){ 0, 1, 0 };
		s->problem.num_apart = 1;
	}
	for (i = 0; i < num_pools; i++)
		s->pools[i] = (struct loom_place_pool){ .cost = i };
	make_table(s);
}

/* --- one pool ------------------------------------------------------------------------------- */

/* Counts of faults, by kind. */
struct wrongs {
	unsigned int bound;
	unsigned int height;
	unsigned int needed;
	unsigned int again;
	unsigned int least;
	unsigned int refusals;
};

/* A refusal in @capacity: its number is needed, and is the last that is refused with a proof. */
static void try_capacity(struct small *s, const char *strategy, uint64_t capacity, uint64_t least,
			 struct wrongs *wrongs)
{
	const struct loom_place_options how = { .strategy = strategy, .fit_only = true };
	const bool searched = !strategy && !s->windows;
	struct loom_place_result result;
	struct loom_place_fault fault;
	uint64_t needed;
	int ret;

	s->pools[0].capacity_bytes = capacity;
	ret = loom_place(&s->problem, &how, &result, &fault);
	loom_place_result_free(&result);
	wrongs->height += ret && (ret != -ENOSPC || (searched && capacity >= least));
	wrongs->height += !ret && capacity < least;
	if (ret != -ENOSPC)
		return;
	wrongs->refusals++;
	needed = capacity + fault.missing_bytes;
	wrongs->needed += (fault.missing_bytes && needed > least) || fault.pools != 1;
	wrongs->least += searched && needed != least;
	if (!fault.missing_bytes)
		return;
	s->pools[0].capacity_bytes = needed;
	ret = loom_place(&s->problem, &how, &result, &fault);
	loom_place_result_free(&result);
	wrongs->again += ret && (ret != -ENOSPC || fault.missing_bytes);
}

/* Without a capacity. Returns the least height, or 0 if there is no placement. */
static uint64_t find_least(struct small *s, const char *strategy, struct wrongs *wrongs)
{
	const struct loom_place_options how = { .strategy = strategy };
	struct loom_place_result result;
	uint64_t bound;
	int least = 0, ret;

	s->pools[0].capacity_bytes = LOOM_PLACE_ANYWHERE;
	ret = loom_place(&s->problem, &how, &result, NULL);
	while (least < TOP && !exists(s, &least))
		least++;
	if (ret || least == TOP) {
		/* only fixed items that overlap are refused */
		wrongs->height += ret != -EINVAL || least != TOP;
		loom_place_result_free(&result);
		return 0;
	}
	wrongs->bound += loom_place_bound(&s->problem, &bound) || bound > (uint64_t)least ||
			 result.bound_bytes[0] > (uint64_t)least;
	wrongs->height += result.height_bytes[0] < (uint64_t)least ||
			  (result.proved && result.height_bytes[0] > (uint64_t)least);
	loom_place_result_free(&result);
	return (uint64_t)least;
}

static void test_one_pool(const char *strategy)
{
	static struct small s;
	struct wrongs wrongs = { 0 };
	unsigned int round, i;
	uint64_t least;

	for (round = 0; round < PROBLEMS; round++) {
		make_small(&s, 1, ITEMS);
		least = find_least(&s, strategy, &wrongs);
		if (!least)
			continue;
		try_capacity(&s, strategy, least, least, &wrongs);
		for (i = 0; i < 3; i++)
			try_capacity(&s, strategy, i ? draw((uint32_t)least) : least - 1, least,
				     &wrongs);
	}
	tap_ok(!wrongs.bound, "%s: no bound is above the least height (%u are)",
	       strategy ? strategy : "auto", wrongs.bound);
	tap_ok(!wrongs.height, "and it is placed where it can be, and nowhere else (%u are not)",
	       wrongs.height);
	tap_ok(wrongs.refusals > PROBLEMS && !wrongs.needed,
	       "what a refusal says is needed (%u of %u are not)", wrongs.needed,
	       wrongs.refusals);
	tap_ok(!wrongs.again, "and asked for again it is not refused for another number (%u are)",
	       wrongs.again);
	tap_ok(!wrongs.least, "a search names the least capacity (%u are not)", wrongs.least);
}

/* --- several pools -------------------------------------------------------------------------- */

/* Whether the pools of a set fit it all when they grow by so much in sum, however it is dealt. */
static bool can_grow(const struct small *s, int *heights, uint32_t set, uint32_t pool, int bytes)
{
	bool found = false;
	int part;

	if (pool == s->problem.num_pools)
		return exists(s, heights);
	for (part = set >> pool & 1 ? bytes : 0; part >= 0 && !found; part--) {
		heights[pool] += part;
		found = can_grow(s, heights, set, pool + 1, bytes - part);
		heights[pool] -= part;
	}
	return found;
}

static void try_pools(struct small *s, struct wrongs *wrongs)
{
	struct loom_place_result result;
	struct loom_place_fault fault, again = { 0 };
	int heights[POOLS], ret;
	bool fits;
	uint32_t i;

	for (i = 0; i < s->problem.num_pools; i++) {
		heights[i] = (int)draw(9);
		s->pools[i].capacity_bytes = (uint64_t)heights[i];
	}
	ret = loom_place(&s->problem, NULL, &result, &fault);
	loom_place_result_free(&result);
	if (ret == -EINVAL)
		return;
	fits = exists(s, heights);
	wrongs->height += (ret && ret != -ENOSPC) || (!ret && !fits);
	if (ret != -ENOSPC)
		return;
	wrongs->refusals++;
	wrongs->least += !fault.pools || fault.pools >> s->problem.num_pools;
	if (!fault.missing_bytes)
		return;
	wrongs->needed += can_grow(s, heights, fault.pools, 0, (int)fault.missing_bytes - 1);
	if (fault.pools & (fault.pools - 1))
		return;
	/* a pool that grows by the number is not the one that falls short then */
	s->pools[__builtin_ctz(fault.pools)].capacity_bytes += fault.missing_bytes;
	ret = loom_place(&s->problem, NULL, &result, &again);
	loom_place_result_free(&result);
	wrongs->again += ret && again.missing_bytes && again.pools == fault.pools;
}

static void test_pools(uint32_t num_pools, uint32_t most_items)
{
	static struct small s;
	struct wrongs wrongs = { 0 };
	unsigned int round;

	for (round = 0; round < PROBLEMS / 2; round++) {
		make_small(&s, num_pools, most_items);
		try_pools(&s, &wrongs);
	}
	tap_ok(!wrongs.height, "%u pools: placed only where it can be (%u are not)", num_pools,
	       wrongs.height);
	tap_ok(wrongs.refusals > PROBLEMS / 8 && !wrongs.least,
	       "a refusal names pools (%u of %u do not)", wrongs.least, wrongs.refusals);
	tap_ok(!wrongs.needed, "which have to grow by its number in sum (%u need not)",
	       wrongs.needed);
	tap_ok(!wrongs.again, "and if one does, it is not named again (%u are)", wrongs.again);
}

int main(void)
{
	test_one_pool(NULL);
	test_one_pool("exact");
	test_one_pool("greedy-size");
	test_pools(2, 4);
	test_pools(3, 4);
	return tap_end();
}
