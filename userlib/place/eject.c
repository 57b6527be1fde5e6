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
 * help either, the next target is nearer to the height; it is after a success as well, because the
 * rest is harder.
 *
 * These are ejection chains with penalties (Nagata and Braysy 2009, for vehicles), and partial
 * colourings (Blochliger and Zufferey 2008), with offsets for routes and colours.
 */
#include "greedy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "solve.h"

#define NOWHERE		UINT64_MAX
/* items that are skipped together when they end too early */
#define GROUP		32
#define BLOCK		(32 * GROUP)
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
#define CLOCK_VISITS	(1ULL << 19)

/* The state between two runs. */
struct loom_eject {
	struct loom_arrays arrays;
	const struct loom_place_item *items;	/* ascending by begin */
	uint32_t num_items;			/* number of @items */
	uint64_t goal_bytes;			/* sufficient height: stop there */
	uint64_t *best;				/* by item: the lowest placement; the caller's */
	uint64_t height;			/* its height */
	uint64_t *at;				/* by item: its offset, or NOWHERE */
	uint64_t *sizes;			/* by item */
	/* by item: cost of ejecting it, by its size and lifetime */
	uint32_t *weights;
	uint32_t *penalties;			/* by item: factor on that */
	uint32_t *since;			/* by item: the move that put it back */
	uint64_t target;			/* nothing may end above */
	uint64_t step;				/* distance of the target below the height */
	uint32_t moves;				/* moves so far; wraps around */
	uint64_t stall;				/* moves without progress */
	unsigned int joins;			/* merges of holes since the last progress */
	uint32_t fewest;			/* fewest items that were out under this target */
	uint32_t *out;				/* ejected items */
	uint32_t *where_out;			/* by item: its index in @out */
	uint32_t num_out;			/* number of @out */
	uint64_t random;			/* state of a pseudorandom sequence */
	uint64_t sink_visits;			/* estimated visits of one sink() */
	int64_t deadline_ns;			/* of the run, or 0 */
	uint64_t unread;			/* visits left at which the clock is read next */
	/* no item is aligned or fixed, so a placement can be turned upside down */
	bool turnable;
	int64_t *uppers;			/* by item: its end */
	int64_t *latest;			/* by group of items: the latest end */
	int64_t *later;				/* by block of groups: the latest end */
	bool gaps;				/* some item has gaps */
	uint32_t *near;				/* overlaps of an item */
	/* of a move: offsets from which on the cost changes by a value */
	struct loom_radix edges;
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

static bool is_late(struct loom_eject *e, uint64_t visits)
{
	if (visits > e->unread)
		return false;
	e->unread = visits > CLOCK_VISITS ? visits - CLOCK_VISITS : 0;
	return !loom_place_left_ns(e->deadline_ns);
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

/* Fills in the overlaps of @item. Returns their number. */
static uint32_t find_near(struct loom_eject *e, uint32_t item)
{
	const struct loom_place_item *items = e->items;
	const int64_t lower = items[item].lower;
	uint32_t end = count_before(e, items[item].upper), last, i, k, count = 0;

	for (i = 0; i < end; i = last) {
		last = i + BLOCK;
		if (!(i % BLOCK) && e->later[i / BLOCK] <= lower)
			continue;
		last = end - i < GROUP ? end : i + GROUP;
		if (e->latest[i / GROUP] <= lower)
			continue;
		for (k = i; k < last; k++) {
			e->near[count] = k;
			count += e->uppers[k] > lower && k != item;
		}
	}
	if (!e->gaps)
		return count;
	for (i = 0, last = count, count = 0; i < last; i++)
		if (meet(&items[e->near[i]], &items[item]))
			e->near[count++] = e->near[i];
	return count;
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
	return e->moves - e->since[item] < TENURE ? cost * TENURE_COST : cost;
}

/* Edges of the offsets at which @item would overlap another; @room: its highest offset. */
static uint32_t find_edges(struct loom_eject *e, uint32_t item, uint64_t room,
			   uint32_t count)
{
	const uint32_t *near = e->near;
	struct loom_radix_entry *edges = e->edges.entries;
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
		edges[num++] = (struct loom_radix_entry){ (int64_t)from, cost };
		if (end <= room)
			edges[num++] = (struct loom_radix_entry){ (int64_t)end, -cost };
	}
	e->edges.count = num;
	loom_radix_sort(&e->edges);
	return num;
}

/*
 * Finds the offset of least cost for @item below the target: the lowest one without cost, otherwise
 * any of those of least cost. Returns the cost; INT64_MAX if there is no offset.
 */
static int64_t find_place(struct loom_eject *e, uint32_t item, uint32_t count, uint64_t *where)
{
	uint64_t align = e->items[item].align_bytes, room, at = 0, next, low, high;
	int64_t cost = 0, best = INT64_MAX;
	uint32_t num, i = 0, ties = 0;

	if (e->sizes[item] > e->target)
		return INT64_MAX;
	room = e->target - e->sizes[item];
	num = find_edges(e, item, room, count);
	for (; at <= room && best; at = next) {
		while (i < num && (uint64_t)e->edges.entries[i].key <= at)
			cost += e->edges.entries[i++].value;
		/* offsets in [at, next) cost the same */
		next = i < num ? (uint64_t)e->edges.entries[i].key : room + 1;
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
static int move(struct loom_eject *e, uint64_t *visits)
{
	uint32_t pick = draw(e, e->num_out), tries, count, i, item;
	uint64_t where = 0;
	int64_t cost;

	for (tries = 0; tries < 2; tries++) {
		uint32_t other = draw(e, e->num_out);

		if (e->weights[e->out[other]] > e->weights[e->out[pick]])
			pick = other;
	}
	item = e->out[pick];
	count = find_near(e, item);
	if (loom_radix_reserve(&e->edges, 2 * (size_t)count))
		return -ENOMEM;
	cost = find_place(e, item, count, &where);
	e->moves++;
	spend(visits, 2 * (uint64_t)count + MOVE_VISITS);
	if (cost == INT64_MAX)
		return 0;
	if (cost && e->penalties[item] < UINT32_MAX)
		e->penalties[item]++;
	for (i = 0; i < count && cost; i++) {
		uint64_t begin = e->at[e->near[i]];

		if (begin != NOWHERE && begin < where + e->sizes[item] &&
		    where < begin + e->sizes[e->near[i]])
			eject_item(e, e->near[i]);
	}
	put_back(e, item, where);
	return 0;
}

/* --- holes ------------------------------------------------------------------------------------ */

/*
 * All placed items sink onto the items below them, unless that exceeds the budget; some, if the
 * time ends.
 */
static int sink(struct loom_eject *e, uint64_t *visits)
{
	struct loom_radix places = { 0 };
	uint32_t i, k, count, item;
	uint64_t at;

	if (e->sink_visits > *visits)
		return 0;
	if (loom_radix_reserve(&places, e->num_items))
		return -ENOMEM;
	for (i = 0; i < e->num_items; i++)
		if (e->at[i] != NOWHERE)
			places.entries[places.count++] = (struct loom_radix_entry){
				(int64_t)e->at[i], i,
			};
	loom_radix_sort(&places);
	for (i = 0; i < places.count && !is_late(e, *visits); i++) {
		item = (uint32_t)places.entries[i].value;
		if (loom_place_is_fixed(&e->items[item]))
			continue;
		count = find_near(e, item);
		at = 0;
		/* invariant: items below have sunk already, so they still end below this one */
		for (k = 0; k < count; k++)
			if (e->at[e->near[k]] < e->at[item])
				at = max(at, e->at[e->near[k]] + e->sizes[e->near[k]]);
		e->at[item] = loom_place_align_up(at, e->items[item].align_bytes);
		spend(visits, count);
	}
	loom_radix_clear(&places);
	return 0;
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
static int keep_placement(struct loom_eject *e, uint64_t *visits)
{
	int ret = sink(e, visits);
	uint32_t i;

	memcpy(e->best, e->at, e->num_items * sizeof(*e->at));
	e->height = 0;
	for (i = 0; i < e->num_items; i++)
		if (e->height < e->at[i] + e->sizes[i])
			e->height = e->at[i] + e->sizes[i];
	e->step -= e->step / 4;
	return ret;
}

static int count_stall(struct loom_eject *e, uint64_t *visits)
{
	int ret;

	if (e->num_out < e->fewest) {
		e->fewest = e->num_out;
		e->stall = 0;
		e->joins = 0;
		return 0;
	}
	if (++e->stall < STALL * ((uint64_t)e->fewest + STALL_ITEMS))
		return 0;
	e->stall = 0;
	if (e->joins++ < JOINS) {
		ret = sink(e, visits);
		if (e->turnable)
			turn(e);
		return ret;
	}
	e->step /= 2;
	begin_target(e);
	return 0;
}

int loom_eject_run(struct loom_eject *e, uint64_t *visits, int64_t deadline_ns, uint64_t *offsets,
		   uint64_t *height_bytes)
{
	int ret = 0;

	e->best = offsets;
	e->deadline_ns = deadline_ns;
	e->unread = *visits;
	if (*height_bytes > e->goal_bytes && *height_bytes < e->height) {
		e->height = *height_bytes;
		e->step = (*height_bytes - e->goal_bytes) / 8;
		begin_target(e);
	}
	while (!ret && *visits && e->height > e->goal_bytes && !is_late(e, *visits)) {
		if (e->num_out) {
			ret = move(e, visits);
			if (!ret)
				ret = count_stall(e, visits);
			continue;
		}
		ret = keep_placement(e, visits);
		if (e->height > e->goal_bytes)
			begin_target(e);
	}
	*height_bytes = min(*height_bytes, e->height);
	return ret;
}

/* --- begin and end ---------------------------------------------------------------------------- */

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
		e->uppers[i] = items[i].upper;
		e->latest[i / GROUP] = i % GROUP ? max(e->latest[i / GROUP], items[i].upper) :
				       items[i].upper;
		e->later[i / BLOCK] = i % BLOCK ? max(e->later[i / BLOCK], items[i].upper) :
				      items[i].upper;
		e->gaps |= items[i].num_gaps;
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
	const struct loom_place_problem problem = { .items = items, .num_items = num_items };
	size_t n = num_items;
	struct loom_eject *e;
	uint64_t pairs;

	if (loom_place_count_pairs(&problem, &pairs))
		return -ENOMEM;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->items = items;
	e->num_items = num_items;
	e->goal_bytes = goal_bytes;
	e->height = LOOM_PLACE_ANYWHERE;
	e->at = loom_arrays_take(&e->arrays, n, sizeof(*e->at));
	e->sizes = loom_arrays_take(&e->arrays, n, sizeof(*e->sizes));
	e->weights = loom_arrays_take(&e->arrays, n, sizeof(*e->weights));
	e->penalties = loom_arrays_take(&e->arrays, n, sizeof(*e->penalties));
	e->since = loom_arrays_take(&e->arrays, n, sizeof(*e->since));
	e->out = loom_arrays_take(&e->arrays, n, sizeof(*e->out));
	e->where_out = loom_arrays_take(&e->arrays, n, sizeof(*e->where_out));
	e->uppers = loom_arrays_take(&e->arrays, n, sizeof(*e->uppers));
	e->latest = loom_arrays_take(&e->arrays, n / GROUP + 1, sizeof(*e->latest));
	e->later = loom_arrays_take(&e->arrays, n / BLOCK + 1, sizeof(*e->later));
	e->near = loom_arrays_take(&e->arrays, n, sizeof(*e->near));
	if (e->arrays.failed) {
		loom_eject_destroy(e);
		return -ENOMEM;
	}
	e->sink_visits = 2 * pairs;
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
	loom_radix_clear(&e->edges);
	free(e);
}
