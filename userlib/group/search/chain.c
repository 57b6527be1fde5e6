// SPDX-License-Identifier: MIT
/*
 * DOC: Chains
 *
 * Consecutive groups that share residents are a *chain*. A resident occupies the same offset in
 * each of them, so the offset must suit all.
 *
 * First, groups are placed one after the other, and a resident keeps the offset chosen by the group
 * that makes it. If that fails, the whole chain is placed as one problem: the positions of each
 * group follow those of the one before it, and a resident is alive from its first group to its
 * last. Residents are pinned to the offsets found, and the groups are placed again. If that fails
 * as well, residents are pinned to offsets that suit a group without a placement.
 */
#include "group/search/divide.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_place.h"

/* Limit on the times that residents of a chain are pinned to suit a single group. */
#define PINS		4
/* Limit on the items of a chain that is placed as one problem. */
#define MOST_ITEMS	4000
/* Search nodes to place a chain, and the cost of a failed search in units of &loom_group.work. */
#define BUDGET		20000
#define MISFIT_WORK	200000
/*
 * After so many groups without a placement, each further one blocks a choice of residents; after
 * MOST_MISFITS, no value may be resident at any cut.
 */
#define MISFITS		4
#define MOST_MISFITS	24

/**
 * struct chain - a chain as one placement problem
 * @group: scratch group
 * @items: objects that need SRAM
 * @gaps: by item: gaps in its lifetime
 * @count: number of items
 * @cap: capacity in items
 * @now: positions so far
 * @resident: by value: its item, plus one; 0: it has none
 */
struct chain {
	struct loom_group *group;
	struct loom_place_item *items;
	struct loom_place_gap *gaps;
	u32 count;
	u32 cap;
	s64 now;
	u32 *resident;
};

static struct loom_place_item *add_item(struct chain *c, u64 bytes, s64 lower, s64 upper)
{
	struct loom_place_item *items;
	struct loom_place_gap *gaps;
	u32 cap = c->cap;

	/* the capacity is that of both, so the second sets it */
	items = loom_memory_grow(c->items, c->count, &cap, sizeof(*items));
	if (!items)
		return NULL;
	c->items = items;
	gaps = loom_memory_grow(c->gaps, c->count, &c->cap, sizeof(*gaps));
	if (!gaps)
		return NULL;
	c->gaps = gaps;
	c->items[c->count] = (struct loom_place_item){
		.size_bytes = bytes,
		.align_bytes = c->group->list->lower->sram.align_bytes,
		.lower = c->now + lower,
		.upper = c->now + upper,
		.pools = 1,
	};
	return &c->items[c->count++];
}

/* The lifetime of an item, in positions of its group, which begin at -1 in groups of one slice. */
static void find_life(const struct loom_group *group, const struct loom_group_item *item,
		      s64 *lower, s64 *upper, struct loom_place_gap *gap)
{
	s32 period = group->period, first, last;

	*lower = 0;
	*upper = period;
	gap->lower = gap->upper;
	if (item->whole || item->to - item->from + 1 >= period)
		return;
	if (group->slices == 1) {
		if (item->from < -1 || item->to > period - 2)
			return;
		*lower = item->from + 1;
		*upper = item->to + 2;
		return;
	}
	first = (item->from % period + period) % period;
	last = (item->to % period + period) % period;
	if (first <= last) {
		*lower = first;
		*upper = last + 1;
	} else if (last + 1 < first) {
		gap->lower = last + 1;
		gap->upper = first;
	}
}

static int add_own(struct chain *c, const struct loom_group_item *item)
{
	struct loom_place_gap gap = { .lower = 0 };
	struct loom_place_item *to;
	s64 lower, upper;
	u32 i;

	find_life(c->group, item, &lower, &upper, &gap);
	for (i = 0; i < item->buffers; i++) {
		to = add_item(c, item->bytes, lower, upper);
		if (!to)
			return -ENOMEM;
		to->num_gaps = gap.lower < gap.upper;
		c->gaps[c->count - 1] = (struct loom_place_gap){
			.lower = c->now + gap.lower, .upper = c->now + gap.upper,
		};
	}
	return 0;
}

/* A resident is a single item in all groups of the chain. */
static int add_resident(struct chain *c, u32 value, const struct loom_group_item *item)
{
	struct loom_place_gap gap = { .lower = 0 };
	s64 lower, upper;

	find_life(c->group, item, &lower, &upper, &gap);
	if (c->group->residency[value] & LOOM_GROUP_RESIDENT_IN && c->resident[value]) {
		c->items[c->resident[value] - 1].upper = c->now + upper;
		return 0;
	}
	if (!add_item(c, item->bytes, lower, upper))
		return -ENOMEM;
	c->resident[value] = c->count;
	return 0;
}

static bool is_resident(const struct loom_group *group, u32 item, u32 *value)
{
	u32 i;

	for (i = 0; i < group->num_residents; i++) {
		*value = group->residents[i];
		if (group->resident_items[i] == item)
			return true;
	}
	return false;
}

static int add_group(struct chain *c, const struct loom_group_cut *cut)
{
	struct loom_group *group = c->group;
	int ret = loom_group_refit(group, cut);
	u32 i, value;

	for (i = 0; i < group->num_items && !ret; i++)
		ret = is_resident(group, i, &value) ?
			add_resident(c, value, &group->items[i]) : add_own(c, &group->items[i]);
	for (i = 0; i < group->num_residents && !ret; i++)
		if (loom_group_takes_place(group, group->residents[i], &value))
			c->resident[group->residents[i]] = c->resident[value];
	if (!ret && c->count > MOST_ITEMS)
		ret = -ENOSPC;
	c->now += group->period;
	return ret;
}

static int place_chain(struct chain *c)
{
	const struct loom_slice_limits *sram = &c->group->list->lower->sram;
	const struct loom_place_pool pool = { .capacity_bytes = sram->bytes };
	const struct loom_place_problem problem = {
		.items = c->items, .num_items = c->count, .pools = &pool, .num_pools = 1,
	};
	const struct loom_place_options how = { .fit_only = true, .budget = BUDGET };
	struct loom_place_result result;
	u32 i;
	int ret;

	for (i = 0; i < c->count; i++)
		if (c->items[i].num_gaps)
			c->items[i].gaps = &c->gaps[i];
	ret = loom_place(&problem, &how, &result, NULL);
	c->group->work += ret ? MISFIT_WORK : 10ULL * c->count;
	if (ret)
		return ret == -EINVAL ? -ENOSPC : ret;
	for (i = 0; i < c->group->list->lower->graph->num_values; i++) {
		if (!c->resident[i])
			continue;
		c->group->locations[i].offset = result.offsets[c->resident[i] - 1];
		c->group->locations[i].pinned = true;
	}
	loom_place_result_free(&result);
	return 0;
}

/* Pins the residents of a chain to offsets that suit all its groups. -ENOSPC: none were found. */
static int pin_chain(struct loom_group_divide *d, const struct loom_group_cut *cuts, u32 num_cuts)
{
	struct chain c = { .group = d->group };
	int ret = -ENOMEM;
	u32 i;

	c.resident = calloc((size_t)d->list->lower->graph->num_values + 1, sizeof(*c.resident));
	if (c.resident)
		ret = 0;
	d->group->unpinned = true;
	for (i = 0; i < num_cuts && !ret; i++)
		ret = add_group(&c, &cuts[i]);
	d->group->unpinned = false;
	if (!ret)
		ret = place_chain(&c);
	free(c.items);
	free(c.gaps);
	free(c.resident);
	return ret;
}

/* Places a chosen group, and records the offsets of its residents. */
static int place_cut(struct loom_group_divide *d, struct loom_group_cut *cut, bool pin)
{
	struct loom_group *group = d->group;
	struct loom_group_cut best = *cut;
	u64 height;
	u32 i;
	int ret;

	best.cost.price = U64_MAX;
	ret = loom_group_remake(group, cut);
	if (!ret)
		ret = loom_group_place_best(d, &best);
	if (!ret && best.cost.price > cut->cost.price + cut->cost.price / 64)
		ret = -ENOSPC;
	if (ret)
		return ret;
	group->overlap = best.overlap;
	ret = loom_group_fit(group, best.budget_bytes);
	if (!ret)
		ret = loom_group_place(group, d->list->lower->sram.bytes, &height);
	for (i = 0; i < group->num_residents && !ret; i++) {
		struct loom_group_location *location = &group->locations[group->residents[i]];

		location->offset = group->items[group->resident_items[i]].offset[0];
		location->pinned |= pin;
	}
	if (!ret)
		*cut = best;
	return ret;
}

/* Finds the chain of group @at: [@from, @to). */
static void find_chain(const struct loom_group_cut *cuts, u32 num_cuts, u32 at, u32 *from, u32 *to)
{
	*from = at;
	*to = at + 1;
	while (*from && cuts[*from].in)
		--*from;
	while (*to < num_cuts && cuts[*to].in)
		++*to;
}

/*
 * Places all groups, with residents at one offset throughout a chain. *@failed: the first failure.
 */
static int place_cuts(struct loom_group_divide *d, struct loom_group_cut *cuts, u32 num_cuts,
		      u32 *failed)
{
	u32 from, to, tried = U32_MAX, pins = 0, i;
	struct loom_group_cut want;
	int ret;

	for (i = 0; i < num_cuts; i++) {
		if (cuts[i].layerwise)
			continue;
		ret = place_cut(d, &cuts[i], false);
		if (!ret)
			continue;
		*failed = i;
		find_chain(cuts, num_cuts, i, &from, &to);
		if (ret != -ENOSPC || to - from == 1)
			return ret;
		if (tried != from) {
			tried = from;
			pins = 0;
			ret = pin_chain(d, &cuts[from], to - from);
		}
		if (ret) {
			if (ret != -ENOSPC || pins++ == PINS)
				return ret;
			want = cuts[i];
			d->group->unpinned = true;
			ret = place_cut(d, &want, true);
			d->group->unpinned = false;
			if (ret)
				return ret;
		}
		i = from - 1;
	}
	return 0;
}

/* Bans a group without a placement because of the residents' offsets from further paths. */
static int ban(struct loom_group_divide *d, const struct loom_group_cut *cut)
{
	u32 end = cut->first_unit + cut->num_units;
	struct loom_group_edge *edge = loom_group_own_edge(d, cut->first_unit, cut->num_units,
							   cut->in, cut->out);

	if (!edge)
		return -ENOMEM;
	edge->state = LOOM_GROUP_EDGE_NONE;
	loom_group_path_forget(d);
	/* many similar paths exist, and most of them have no placement either */
	if (d->misfits++ < MISFITS)
		return 0;
	if (cut->in)
		d->blocked[cut->first_unit * LOOM_GROUP_CHOICES + cut->in] = true;
	else if (cut->out)
		d->blocked[end * LOOM_GROUP_CHOICES + cut->out] = true;
	d->no_residents = d->misfits > MOST_MISFITS;
	return 0;
}

int loom_group_place_chains(struct loom_group_divide *d, struct loom_group_cut *cuts, u32 num_cuts)
{
	u32 failed = 0, i;
	int ret;

	for (i = 0; i < d->list->lower->graph->num_values; i++)
		d->group->locations[i].pinned = false;
	ret = place_cuts(d, cuts, num_cuts, &failed);
	if (ret != -ENOSPC)
		return ret;
	ret = ban(d, &cuts[failed]);
	return ret ? ret : 1;
}
