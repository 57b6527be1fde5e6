// SPDX-License-Identifier: MIT
/*
 * DOC: Ejection
 *
 * Ejection lowers a placement from above. The target is a little below the height; items that end
 * above it are ejected, and each ejected item is put back where the items in its way cost least.
 * Those are ejected in turn, until all lie below the target. The cost of an item rises each time
 * that it is ejected, so that a few items do not replace one another for ever; items that were just
 * put back are not ejected at once.
 *
 * A move visits only items that overlap one in time, so its cost does not depend on the size of the
 * problem; where few items determine the height, few moves lower it. Without progress, holes are
 * merged: all items sink onto the items below them, upside down every other time. If that does not
 * help either, the next target is nearer to the height.
 *
 * These are ejection chains with penalties (Nagata and Braysy 2009, for vehicles), and partial
 * colourings (Blochliger and Zufferey 2008), with offsets for routes and colours.
 */
#include "eject.h"
#include "greedy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "problem.h"

#define NOWHERE		UINT64_MAX
/* entries of all lists of overlaps; beyond, overlaps are recomputed for each move */
#define MAX_LISTED	(8U << 20)
#define GROUP		32
/* number of moves for which an item that was put back costs more, and the additional cost */
#define TENURE		10
#define TENURE_COST	8
/* moves without progress until holes are merged, per ejected item; merges until the target fails */
#define STALL		40
#define STALL_ITEMS	20
#define JOINS		3
/* cost of an offset at which a fixed item is in the way: more than any sum of others */
#define FIXED_COST	(1LL << 50)
/* visits counted for a move in addition to those of items */
#define MOVE_VISITS	50
/* visits between two reads of the clock */
#define CLOCK_VISITS	(4ULL << 20)

/* An item and its offset, to be sorted. */
struct place {
	uint64_t at;
	uint32_t item;
};

/* The state between two runs. */
struct loom_eject {
	struct loom_arrays arrays;
	const struct loom_place_item *items;	/* ascending by begin */
	uint32_t num_items;			/* number of @items */
	uint64_t goal_bytes;			/* sufficient height: stop there */
	uint64_t *best;				/* by item: the lowest placement */
	uint64_t height;			/* its height */
	uint64_t *at;				/* by item: its offset, or NOWHERE */
	uint64_t *sizes;			/* by item */
	/* by item: cost of ejecting it, by its size and lifetime */
	uint32_t *weights;
	uint32_t *penalties;			/* by item: factor on that */
	uint64_t *since;			/* by item: the move that put it back */
	uint64_t target;			/* nothing may end above */
	uint64_t step;				/* distance of the target below the height */
	uint64_t moves;				/* moves so far */
	uint64_t stall;				/* moves without progress */
	unsigned int joins;			/* merges of holes since the last progress */
	uint32_t fewest;			/* fewest items that were out under this target */
	uint32_t *out;				/* ejected items */
	uint32_t *where_out;			/* by item: its index in @out */
	uint32_t num_out;			/* number of @out */
	uint64_t random;			/* state of a pseudorandom sequence */
	uint64_t sink_visits;			/* estimated visits of one sink() */
	/* no item is aligned or fixed, so a placement can be turned upside down */
	bool turnable;
	size_t *first;				/* by item: first entry of its overlaps in @list */
	uint32_t *list;				/* overlaps of all items, or NULL */
	int64_t *latest;			/* by group of items: the latest end */
	uint32_t *near;				/* overlaps of an item, without @list */
	/* of a move: offsets from which on the cost changes by an amount */
	struct loom_greedy_sort edges;
	struct place *places;			/* scratch memory of sink() */
};

static uint32_t draw(struct loom_eject *e, uint32_t below)
{
	e->random = e->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(((e->random >> 32) * below) >> 32);
}

static void spend(uint64_t *visits, uint64_t count)
{
	*visits = *visits > count ? *visits - count : 0;
}

/* --- overlaps in time ------------------------------------------------------------------------- */

/* Number of items that begin before @moment. */
static uint32_t count_before(const struct loom_eject *e, int64_t moment)
{
	uint32_t low = 0, high = e->num_items;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (e->items[mid].lower < moment)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The first moment from @moment on at which an item has its bytes. */
static int64_t next_alive(const struct loom_place_item *item, int64_t moment)
{
	uint32_t k;

	for (k = 0; k < item->num_gaps; k++)
		if (item->gaps[k].lower <= moment && moment < item->gaps[k].upper)
			moment = item->gaps[k].upper;
	return moment;
}

/* Whether two items whose lifetimes overlap have their bytes at the same moment. */
static bool meet(const struct loom_place_item *a, const struct loom_place_item *b)
{
	const int64_t end = a->upper < b->upper ? a->upper : b->upper;
	int64_t moment = a->lower > b->lower ? a->lower : b->lower, before;

	do {
		before = moment;
		moment = next_alive(b, next_alive(a, moment));
	} while (moment != before && moment < end);
	return moment < end;
}

static uint32_t find_near(const struct loom_eject *e, uint32_t item, uint32_t *near)
{
	const struct loom_place_item *items = e->items;
	int64_t lower = items[item].lower;
	uint32_t end = count_before(e, items[item].upper), group, last, i, count = 0;

	for (group = 0; group * GROUP < end; group++) {
		if (e->latest[group] <= lower)
			continue;
		last = end - group * GROUP < GROUP ? end : (group + 1) * GROUP;
		for (i = group * GROUP; i < last; i++)
			if (items[i].upper > lower && i != item && meet(&items[i], &items[item]))
				near[count++] = i;
	}
	return count;
}

static const uint32_t *near_of(const struct loom_eject *e, uint32_t item, uint32_t *count)
{
	if (e->list) {
		*count = (uint32_t)(e->first[item + 1] - e->first[item]);
		return e->list + e->first[item];
	}
	*count = find_near(e, item, e->near);
	return e->near;
}

/* --- moves ------------------------------------------------------------------------------------ */

static void eject_item(struct loom_eject *e, uint32_t item)
{
	e->at[item] = NOWHERE;
	e->where_out[item] = e->num_out;
	e->out[e->num_out++] = item;
}

static void put_back(struct loom_eject *e, uint32_t item, uint64_t at)
{
	uint32_t k = e->where_out[item];

	e->at[item] = at;
	e->out[k] = e->out[--e->num_out];
	e->where_out[e->out[k]] = k;
	e->since[item] = e->moves;
}

static int64_t cost_of(const struct loom_eject *e, uint32_t item)
{
	int64_t cost = (int64_t)e->weights[item] * e->penalties[item];

	if (loom_place_is_fixed(&e->items[item]))
		return FIXED_COST;
	return e->since[item] + TENURE > e->moves ? cost * TENURE_COST : cost;
}

/* Edges of the offsets at which @item would overlap another; @room: its highest offset. */
static uint32_t find_edges(struct loom_eject *e, uint32_t item, uint64_t room,
			   const uint32_t *near, uint32_t count)
{
	struct loom_greedy_span *edges = e->edges.spans;
	uint64_t size = e->sizes[item];
	uint32_t num = 0, i;

	for (i = 0; i < count; i++) {
		uint64_t begin = e->at[near[i]], end, from;
		int64_t cost;

		if (begin == NOWHERE)
			continue;
		end = begin + e->sizes[near[i]];
		from = begin >= size ? begin - size + 1 : 0;
		if (from > room)
			continue;
		cost = cost_of(e, near[i]);
		edges[num++] = (struct loom_greedy_span){ (int64_t)from, cost };
		if (end <= room)
			edges[num++] = (struct loom_greedy_span){ (int64_t)end, -cost };
	}
	e->edges.num_spans = num;
	loom_greedy_sort(&e->edges);
	return num;
}

/*
 * Finds the offset of least cost for @item below the target: the lowest one without cost, otherwise
 * any of those of least cost. Returns the cost; INT64_MAX if there is no offset.
 */
static int64_t find_place(struct loom_eject *e, uint32_t item, const uint32_t *near,
			  uint32_t count, uint64_t *where)
{
	uint64_t align = e->items[item].align_bytes, room, at = 0, next, low, high;
	int64_t cost = 0, best = INT64_MAX;
	uint32_t num, i = 0, ties = 0;

	if (e->sizes[item] > e->target)
		return INT64_MAX;
	room = e->target - e->sizes[item];
	num = find_edges(e, item, room, near, count);
	for (; at <= room && best; at = next) {
		while (i < num && (uint64_t)e->edges.spans[i].after <= at)
			cost += e->edges.spans[i++].until;
		/* offsets in [at, next) cost the same */
		next = i < num ? (uint64_t)e->edges.spans[i].after : room + 1;
		low = loom_place_align_up(at, align);
		high = align == 1 ? next - 1 : (next - 1) / align * align;
		if (cost > best || low > high)
			continue;
		if (cost < best)
			ties = 0;
		best = cost;
		if (!draw(e, ++ties))
			*where = cost && draw(e, 2) ? high : low;
	}
	return best < FIXED_COST ? best : INT64_MAX;
}

/* Puts back one of the larger ejected items, and ejects the items in its way. */
static void move(struct loom_eject *e, uint64_t *visits)
{
	uint32_t pick = draw(e, e->num_out), tries, count, i, item;
	const uint32_t *near;
	uint64_t where = 0;
	int64_t cost;

	for (tries = 0; tries < 2; tries++) {
		uint32_t other = draw(e, e->num_out);

		if (e->weights[e->out[other]] > e->weights[e->out[pick]])
			pick = other;
	}
	item = e->out[pick];
	near = near_of(e, item, &count);
	cost = find_place(e, item, near, count, &where);
	e->moves++;
	spend(visits, 2 * (uint64_t)count + MOVE_VISITS);
	if (cost == INT64_MAX)
		return;
	if (cost && e->penalties[item] < UINT32_MAX)
		e->penalties[item]++;
	for (i = 0; i < count && cost; i++) {
		uint64_t begin = e->at[near[i]];

		if (begin != NOWHERE && begin < where + e->sizes[item] &&
		    where < begin + e->sizes[near[i]])
			eject_item(e, near[i]);
	}
	put_back(e, item, where);
}

/* --- holes ------------------------------------------------------------------------------------ */

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

/* All placed items sink onto the items below them, unless that exceeds the budget. */
static void sink(struct loom_eject *e, uint64_t *visits)
{
	uint32_t num = 0, i, k, count;
	uint64_t at, align;

	if (e->sink_visits > *visits)
		return;
	for (i = 0; i < e->num_items; i++)
		if (e->at[i] != NOWHERE)
			e->places[num++] = (struct place){ e->at[i], i };
	qsort(e->places, num, sizeof(*e->places), compare_places);
	for (i = 0; i < num; i++) {
		uint32_t item = e->places[i].item;
		const uint32_t *near = near_of(e, item, &count);

		if (loom_place_is_fixed(&e->items[item]))
			continue;
		at = 0;
		/* invariant: items below have sunk already, so they still end below this one */
		for (k = 0; k < count; k++)
			if (e->at[near[k]] < e->at[item] &&
			    e->at[near[k]] + e->sizes[near[k]] > at)
				at = e->at[near[k]] + e->sizes[near[k]];
		align = e->items[item].align_bytes;
		e->at[item] = loom_place_align_up(at, align);
		spend(visits, count);
	}
}

static void turn(struct loom_eject *e)
{
	uint32_t i;

	for (i = 0; i < e->num_items; i++)
		if (e->at[i] != NOWHERE)
			e->at[i] = e->target - e->at[i] - e->sizes[i];
}

/* --- targets ---------------------------------------------------------------------------------- */

/*
 * Starts from the lowest placement and ejects the items above a target below it. Fixed items end
 * below the target, because they end below the goal.
 */
static void begin_target(struct loom_eject *e)
{
	uint64_t span = e->height - e->goal_bytes;
	uint32_t i;

	e->step = e->step > span ? span : e->step ? e->step : 1;
	e->target = e->height - e->step;
	memcpy(e->at, e->best, e->num_items * sizeof(*e->at));
	e->num_out = 0;
	for (i = 0; i < e->num_items; i++)
		if (e->at[i] + e->sizes[i] > e->target)
			eject_item(e, i);
	e->fewest = e->num_out;
	e->stall = 0;
	e->joins = 0;
}

/* All items lie below the target. */
static void keep_placement(struct loom_eject *e, uint64_t *visits)
{
	uint32_t i;

	sink(e, visits);
	memcpy(e->best, e->at, e->num_items * sizeof(*e->at));
	e->height = 0;
	for (i = 0; i < e->num_items; i++)
		if (e->height < e->at[i] + e->sizes[i])
			e->height = e->at[i] + e->sizes[i];
	e->step += e->step / 2;
}

static void count_stall(struct loom_eject *e, uint64_t *visits)
{
	if (e->num_out < e->fewest) {
		e->fewest = e->num_out;
		e->stall = 0;
		e->joins = 0;
		return;
	}
	if (++e->stall < STALL * ((uint64_t)e->fewest + STALL_ITEMS))
		return;
	e->stall = 0;
	if (e->joins++ < JOINS) {
		sink(e, visits);
		if (e->turnable)
			turn(e);
		return;
	}
	e->step /= 2;
	begin_target(e);
}

/* Continues from a placement. */
static void reset(struct loom_eject *e, const uint64_t *offsets, uint64_t height_bytes)
{
	memcpy(e->best, offsets, e->num_items * sizeof(*e->best));
	e->height = height_bytes;
	e->step = (height_bytes - e->goal_bytes) / 8;
	begin_target(e);
}

void loom_eject_run(struct loom_eject *e, uint64_t *visits, int64_t deadline_ns, uint64_t *offsets,
		    uint64_t *height_bytes)
{
	uint64_t next = *visits;

	if (*height_bytes > e->goal_bytes && *height_bytes < e->height)
		reset(e, offsets, *height_bytes);
	while (*visits && e->height > e->goal_bytes) {
		if (*visits <= next) {
			if (!loom_place_left_ns(deadline_ns))
				break;
			next = *visits > CLOCK_VISITS ? *visits - CLOCK_VISITS : 0;
		}
		if (e->num_out) {
			move(e, visits);
			count_stall(e, visits);
			continue;
		}
		keep_placement(e, visits);
		if (e->height > e->goal_bytes)
			begin_target(e);
	}
	if (e->height >= *height_bytes)
		return;
	*height_bytes = e->height;
	memcpy(offsets, e->best, e->num_items * sizeof(*offsets));
}

/* --- begin and end ---------------------------------------------------------------------------- */

/* Makes the lists of overlaps, unless they are too long together; @most: the longest. */
static int make_lists(struct loom_eject *e, uint32_t *most)
{
	uint32_t n = e->num_items, i, count;
	size_t total = 0;

	for (i = 0; i < n; i++)
		if (!(i % GROUP) || e->latest[i / GROUP] < e->items[i].upper)
			e->latest[i / GROUP] = e->items[i].upper;
	for (i = 0, *most = 0; i < n && total <= MAX_LISTED; i++) {
		count = find_near(e, i, e->near);
		e->first[i] = total;
		total += count;
		*most = count > *most ? count : *most;
	}
	e->sink_visits = total * n / i;
	if (total > MAX_LISTED) {
		*most = n;
		return 0;
	}
	e->first[n] = total;
	e->list = loom_arrays_take(&e->arrays, total + 1, sizeof(*e->list));
	if (!e->list)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		find_near(e, i, e->list + e->first[i]);
	return 0;
}

static double root_area(const struct loom_place_item *item)
{
	return sqrt((double)item->size_bytes * (double)(item->upper - item->lower));
}

static void fill_items(struct loom_eject *e)
{
	const struct loom_place_item *items = e->items;
	uint32_t n = e->num_items, i;
	double sum = 0;

	e->turnable = true;
	for (i = 0; i < n; i++) {
		e->sizes[i] = items[i].size_bytes;
		e->penalties[i] = 1;
		e->since[i] = 0;
		e->turnable &= items[i].align_bytes == 1 && !loom_place_is_fixed(&items[i]);
		sum += root_area(&items[i]);
	}
	for (i = 0; i < n; i++) {
		double weight = 1 + 64 * root_area(&items[i]) * n / sum;

		e->weights[i] = weight < 1e6 ? (uint32_t)weight : 1000000;
	}
}

bool loom_eject_can(const struct loom_place_item *items, uint32_t num_items, uint32_t num_apart)
{
	uint64_t sum = 0, most = 1ULL << 60;
	uint32_t i, k;

	if (num_items < 2 || num_apart)
		return false;
	for (i = 0; i < num_items; i++) {
		const struct loom_place_item *item = &items[i];

		if (item->num_excluded || (loom_place_is_fixed(item) && item->fixed > most))
			return false;
		for (k = 0; k < item->num_gaps; k++)
			if (item->gaps[k].window_lower < item->gaps[k].window_upper)
				return false;
		/* bounds each term so that no sum can overflow */
		if (item->size_bytes > most || item->align_bytes > most)
			return false;
		sum += item->size_bytes + item->align_bytes;
		if (sum > most)
			return false;
	}
	return true;
}

int loom_eject_create(const struct loom_place_item *items, uint32_t num_items, uint64_t goal_bytes,
		      struct loom_eject **eject)
{
	struct loom_eject *e = calloc(1, sizeof(*e));
	size_t n = num_items;
	uint32_t most = 0;
	int ret = -ENOMEM;

	if (!e)
		return ret;
	e->items = items;
	e->num_items = num_items;
	e->goal_bytes = goal_bytes;
	e->height = LOOM_PLACE_ANYWHERE;
	e->best = loom_arrays_take(&e->arrays, n, sizeof(*e->best));
	e->at = loom_arrays_take(&e->arrays, n, sizeof(*e->at));
	e->sizes = loom_arrays_take(&e->arrays, n, sizeof(*e->sizes));
	e->weights = loom_arrays_take(&e->arrays, n, sizeof(*e->weights));
	e->penalties = loom_arrays_take(&e->arrays, n, sizeof(*e->penalties));
	e->since = loom_arrays_take(&e->arrays, n, sizeof(*e->since));
	e->out = loom_arrays_take(&e->arrays, n, sizeof(*e->out));
	e->where_out = loom_arrays_take(&e->arrays, n, sizeof(*e->where_out));
	e->first = loom_arrays_take(&e->arrays, n + 1, sizeof(*e->first));
	e->latest = loom_arrays_take(&e->arrays, n / GROUP + 1, sizeof(*e->latest));
	e->near = loom_arrays_take(&e->arrays, n, sizeof(*e->near));
	e->places = loom_arrays_take(&e->arrays, n, sizeof(*e->places));
	if (!e->arrays.failed)
		ret = make_lists(e, &most);
	if (!ret)
		ret = loom_greedy_reserve(&e->edges, 2 * (size_t)most + 1);
	if (ret || e->arrays.failed) {
		loom_eject_destroy(e);
		return -ENOMEM;
	}
	fill_items(e);
	e->random = 1;
	/* no item counts as just put back */
	e->moves = TENURE;
	*eject = e;
	return 0;
}

void loom_eject_destroy(struct loom_eject *e)
{
	if (!e)
		return;
	loom_arrays_free(&e->arrays);
	loom_greedy_sort_clear(&e->edges);
	free(e);
}
