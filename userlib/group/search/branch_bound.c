// SPDX-License-Identifier: MIT
/*
 * All groups, for all numbers of slices on the ladder and each axis: branch and bound, starting
 * from the divisions that estimates have led to. See divide.c.
 */
#include "group/search/divide.h"

#include <errno.h>
#include <string.h>

/* Number of units of a graph up to which everything is tried. */
#define SMALL_GRAPH	16

/**
 * struct search - the state of searching
 * @d: the state of dividing
 * @bound: price of a known division
 * @more: with more slices a group could fit that does not, or be cheaper
 */
struct search {
	struct loom_group_divide *d;
	u64 bound;
	bool more;
};

/* Whether a path of price @price up to a unit can still lead to the cheapest division. */
static bool may_win(const struct search *s, u64 price, u32 unit)
{
	return price != U64_MAX && price + s->d->rest[unit] < s->bound;
}

/* Evaluates the group with residents @out behind it. -ENOSPC: it does not fit. */
static int consider(struct search *s, struct loom_group_cut *cut, u8 out)
{
	struct loom_group_divide *d = s->d;
	struct loom_group *group = d->group;
	const struct loom_group_edge *edge;
	u64 floor, path = d->best[cut->first_unit * LOOM_GROUP_CHOICES + cut->in].price;
	int ret;

	if (!loom_group_set_residents(group, cut->in, out))
		return 0;
	cut->num_units = group->num_units;
	cut->out = out;
	ret = loom_group_reserve(d, cut->first_unit, cut->num_units);
	if (ret)
		return ret;
	edge = loom_group_edge(d, cut->first_unit, cut->num_units, cut->in, out);
	floor = loom_group_cost_floor(group);
	if (edge->state >= LOOM_GROUP_EDGE_FITTED && edge->cost.price <= floor)
		return 0;
	if (!may_win(s, path + floor, cut->first_unit + cut->num_units))
		return 0;
	ret = loom_group_fit_either(d, &cut->cost);
	s->more |= ret || cut->cost.price > floor;
	if (ret)
		return ret;
	if (edge->state >= LOOM_GROUP_EDGE_FITTED && edge->cost.price <= cut->cost.price)
		return 0;
	if (!may_win(s, path + cut->cost.price, cut->first_unit + cut->num_units))
		return 0;
	ret = loom_group_enter(d, cut, LOOM_GROUP_EDGE_FITTED);
	if (ret)
		return ret;
	s->bound = min(s->bound, loom_group_known_price(d));
	return 0;
}

/*
 * Grows a group until it does not fit even if all of its results go to DRAM. Weights held for more
 * residents do not affect the next group.
 */
static int grow(struct search *s, struct loom_group_cut *cut)
{
	struct loom_group_divide *d = s->d;
	struct loom_group *group = d->group;
	u32 end, out;
	int ret;

	loom_group_begin(group, cut->first_unit, cut->slices, cut->cut_axis);
	while (loom_group_append(group) && !loom_group_is_spent(d)) {
		end = cut->first_unit + group->num_units;
		/* once for all residents behind it, and for longer groups */
		loom_group_measure(group);
		for (out = 0; out < d->list->choices[end].count; out++) {
			memcpy(s->d->saved_whole, group->parts,
			       group->num_parts * sizeof(*group->parts));
			ret = consider(s, cut, out);
			memcpy(group->parts, s->d->saved_whole,
			       group->num_parts * sizeof(*group->parts));
			if (ret == -ENOSPC && !out)
				return 0;
			if (ret && ret != -ENOSPC)
				return ret;
		}
	}
	return 0;
}

/* In small graphs, all possible numbers of slices. */
static u32 all_slice_counts(const struct loom_group_list *list, u64 dim, u32 *counts)
{
	u32 count = 0;

	if (list->num_units > SMALL_GRAPH)
		return loom_group_slice_counts(dim, counts);
	while (count + 2 <= dim && count + 2 <= LOOM_GROUP_SLICES) {
		counts[count] = count + 2;
		count++;
	}
	return count;
}

/* Tries groups that begin with a unit, with residents @in before it. */
static int try_slices(struct search *s, u32 first, u8 in)
{
	struct loom_group_divide *d = s->d;
	const struct loom_group_use *use = loom_group_first_result(d->list, first);
	struct loom_group_cut cut = { .first_unit = first, .slices = 1, .in = in };
	u32 counts[LOOM_GROUP_SLICES], count, axis, i;
	int ret;

	s->more = false;
	ret = grow(s, &cut);
	if (!s->more)
		return ret;
	for (axis = 0; axis < use->rank && !ret; axis++) {
		if (loom_group_skip_axis(d->list, use, axis))
			continue;
		cut.cut_axis = axis;
		count = all_slice_counts(d->list, use->dims[axis], counts);
		for (i = 0; i < count && !ret && !loom_group_is_spent(d); i++) {
			cut.slices = counts[i];
			s->more = false;
			ret = grow(s, &cut);
			if (!s->more)
				break;
		}
	}
	return ret;
}

int loom_group_search_all(struct loom_group_divide *d)
{
	struct search s = { .d = d };
	u64 budget = d->budget, done;
	u32 first, in;
	int ret = 0;

	s.bound = loom_group_known_price(d);
	for (first = 0; first < d->list->num_units && !ret; first++) {
		/* results are entered for all units of a class */
		if (d->list->units[first].ungroupable || d->repeat->first[first] != first)
			continue;
		/* an equal share of the remaining work for each */
		done = d->work + d->group->work;
		if (done > budget)
			break;
		d->budget = done + (budget - done) / (d->list->num_units - first);
		for (in = 0; in < d->list->choices[first].count && !ret; in++)
			if (may_win(&s, d->best[first * LOOM_GROUP_CHOICES + in].price, first) &&
			    !loom_group_is_spent(d))
				ret = try_slices(&s, first, in);
	}
	d->budget = budget;
	return ret;
}
