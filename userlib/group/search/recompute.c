// SPDX-License-Identifier: MIT
/*
 * DOC: Recomputed halos, where that is cheaper
 *
 * Line buffers need SRAM, and make operators lag behind each other; where SRAM is scarce, a group
 * that loads and computes halos again (halo.c) may move fewer bytes. So a finished division is
 * improved: the dynamic program over cuts is repeated with single nodes, groups that recompute, and
 * the groups of the division. The latter are kept unchanged, as runs from one cut without residents
 * to the next such cut. The division never becomes more expensive.
 *
 * As in branch_bound.c, a group grows by one unit at a time for each number of slices and each
 * axis, until it does not fit. It is evaluated exactly only if its cost with all weights held, a
 * lower bound, is below the best known; it is placed only if its exact cost is as well.
 */
#include "group/search/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In graphs of more units, groups begin and end only at cuts of the given division. */
#define ALL_CUTS	160
/*
 * The full effort is the rest of the budget, or 1/PART of the budget if that is more. It is spent
 * only if 1/ENOUGH of the price could be saved, else proportionally less, in SHARES steps.
 */
#define PART		2
#define ENOUGH		4
#define SHARES		64
/* Number of SRAM budgets for fitting: items whose sum fits may have no placement. */
#define ROUNDS		4
/* Cost of a failed placement for each item, in units of &loom_group.work. */
#define MISFIT_WORK	200

/**
 * struct stop - a cut, and the cheapest path to it
 * @cost: of that path; price U64_MAX: there is none
 * @to_go: price of the given division from the next cut without residents to the end
 * @rest: lower bound on the price from here to the end: weights and outputs, once
 * @from: unit at which the last edge of the path begins
 * @kept: the last edge is a run of groups of the given division
 * @cut: else: the last edge, a group or a single node
 * @first_cut: first group of the run of the given division that begins here
 * @num_cuts: number of groups in that run; 0: no run begins here
 * @kept_end: unit before which that run ends, at the next cut without residents
 * @kept_cost: cost of that run
 * @wanted: groups may begin and end here
 */
struct stop {
	struct loom_group_cost cost;
	u64 to_go;
	u64 rest;
	u32 from;
	bool kept;
	struct loom_group_cut cut;
	u32 first_cut;
	u32 num_cuts;
	u32 kept_end;
	struct loom_group_cost kept_cost;
	bool wanted;
};

/**
 * struct recompute - the state of improving a division
 * @list: the graph
 * @group: scratch group
 * @cuts: the division
 * @num_cuts: number of @cuts
 * @stops: by the unit that follows the cut; one more at the end
 * @saved: parts of a group while it grows
 * @total: price of the division
 * @work_end: nothing more is tried once &loom_group.work reaches this
 * @last: no group that ends after this cut can lower the cost
 * @more: some group did not fit, or exceeded its lower bound: more slices may help
 */
struct recompute {
	struct loom_group_list *list;
	struct loom_group *group;
	const struct loom_group_cut *cuts;
	u32 num_cuts;
	struct stop *stops;
	struct loom_group_part *saved;
	u64 total;
	u64 work_end;
	u32 last;
	bool more;
};

/*
 * Offers a path to @to: an edge from @from of cost @cost. Returns true if it is the cheapest so
 * far.
 */
static bool relax(struct recompute *a, u32 from, u32 to, const struct loom_group_cost *cost)
{
	const struct loom_group_cost *path = &a->stops[from].cost;
	struct loom_group_cost sum;

	if (path->price == U64_MAX || check_add_overflow(path->price, cost->price, &sum.price) ||
	    check_add_overflow(path->tie, cost->tie, &sum.tie))
		return false;
	if (!loom_group_cheaper(&sum, &a->stops[to].cost))
		return false;
	a->stops[to].cost = sum;
	a->stops[to].from = from;
	a->stops[to].kept = false;
	return true;
}

/* Enters the given division: the path to each cut without residents, and the rest from there. */
static void take_stock(struct recompute *a)
{
	struct loom_group_cost sum = { .price = 0 }, none = { .price = 0 };
	u32 n = a->list->num_units, from = 0, i;
	u64 to_go = 0;

	for (i = 0; i <= n; i++) {
		a->stops[i].cost = (struct loom_group_cost){
			.price = U64_MAX, .tie = U64_MAX,
		};
		a->stops[i].wanted = n <= ALL_CUTS || i == n;
	}
	a->stops[0].cost = sum;
	for (i = 0; i < a->num_cuts; i++) {
		u32 end = a->cuts[i].first_unit + a->cuts[i].num_units;

		struct stop *begin = &a->stops[from];

		a->stops[a->cuts[i].first_unit].wanted = true;
		sum.price += a->cuts[i].cost.price;
		sum.tie += a->cuts[i].cost.tie;
		if (!begin->num_cuts++) {
			begin->first_cut = i;
			begin->kept_cost = none;
		}
		begin->kept_cost.price += a->cuts[i].cost.price;
		begin->kept_cost.tie += a->cuts[i].cost.tie;
		begin->kept_end = end;
		if (a->cuts[i].out)
			continue;
		a->stops[end].cost = sum;
		a->stops[end].from = from;
		a->stops[end].kept = true;
		from = end;
	}
	a->total = sum.price;
	for (i = n + 1; i-- > 0;) {
		if (a->stops[i].cost.price != U64_MAX)
			to_go = a->total - a->stops[i].cost.price;
		a->stops[i].to_go = to_go;
	}
}

/* Upper limit on the price of a group from @from to @to that lowers the cost. */
static u64 limit_of(const struct recompute *a, u32 from, u32 to)
{
	u64 most = min(a->stops[to].cost.price, a->total - a->stops[to].to_go);

	return most > a->stops[from].cost.price ? most - a->stops[from].cost.price : 0;
}

/* Lower bound of a group's price: weights, outputs, and values that are read after it. */
static u64 least_price(const struct recompute *a, u32 from, u32 to)
{
	const struct loom_group_list *list = a->list;
	u64 price = a->stops[from].rest - a->stops[to].rest, bytes = 0;
	u32 i;

	for (i = list->live_first[to]; i < list->live_first[to + 1]; i++) {
		const struct loom_group_use *use = &list->uses[list->live[i]];

		if (use->output || list->ops[use->first_writer]->unit < from)
			continue;
		bytes += use->bytes;
	}
	return price + loom_group_bytes_price(list, bytes);
}

/* The last cut at which a group from @from on may end and lower the cost; @from: there is none. */
static u32 last_end(const struct recompute *a, u32 from)
{
	u32 to = a->list->num_units;

	while (to > from && (!a->stops[to].wanted ||
			     limit_of(a, from, to) <= least_price(a, from, to)))
		to--;
	return to;
}

/*
 * Finds offsets for all items at a price below @limit; loads overlap computation if that costs no
 * more.
 */
static int place(struct recompute *a, struct loom_group_cut *cut, u64 limit)
{
	const struct loom_slice_limits *sram = &a->list->lower->sram;
	struct loom_group *group = a->group;
	u32 round, turn;
	u64 height;
	int ret;

	cut->cost.price = limit;
	for (round = 0; round < ROUNDS && cut->cost.price == limit && group->work < a->work_end;
	     round++) {
		for (turn = 0; turn < 2; turn++) {
			u64 budget = sram->bytes - sram->bytes / 32 * round;

			if (!turn && !sram->overlap)
				continue;
			memcpy(group->parts, a->saved, group->num_parts * sizeof(*a->saved));
			group->overlap = !turn;
			ret = loom_group_fit(group, budget);
			if (!ret && group->cost.price >= cut->cost.price)
				continue;
			if (!ret) {
				group->quick_only = true;
				ret = loom_group_place(group, sram->bytes, &height);
				group->quick_only = false;
				group->work += (u64)group->num_items * (ret ? MISFIT_WORK : 10);
			}
			if (ret == -ENOSPC)
				continue;
			if (ret)
				return ret;
			cut->overlap = group->overlap;
			cut->budget_bytes = budget;
			cut->cost = group->cost;
		}
	}
	return cut->cost.price == limit ? -ENOSPC : 0;
}

/* Fits and places the current group, if it may be cheaper. -ENOSPC: it does not fit. */
static int consider(struct recompute *a, struct loom_group_cut *cut)
{
	struct loom_group *group = a->group;
	u32 end = cut->first_unit + group->num_units;
	u64 floor, limit = limit_of(a, cut->first_unit, end);
	int ret;

	if (!a->stops[end].wanted || limit <= least_price(a, cut->first_unit, end) ||
	    !loom_group_set_residents(group, 0, 0))
		return 0;
	floor = loom_group_cost_floor(group);
	/* a lower bound for all numbers of slices: more slices do not help either */
	if (floor >= limit)
		return 0;
	cut->num_units = group->num_units;
	memcpy(a->saved, group->parts, group->num_parts * sizeof(*a->saved));
	group->overlap = false;
	ret = loom_group_fit(group, a->list->lower->sram.bytes);
	a->more |= ret || group->cost.price > floor;
	if (!ret && group->cost.price < limit) {
		ret = place(a, cut, limit);
		if (!ret && relax(a, cut->first_unit, end, &cut->cost))
			a->stops[end].cut = *cut;
		/* another number of slices may have a placement */
		a->more |= ret;
		ret = ret == -ENOSPC ? 0 : ret;
	}
	memcpy(group->parts, a->saved, group->num_parts * sizeof(*a->saved));
	return ret;
}

static int grow(struct recompute *a, struct loom_group_cut *cut)
{
	int ret = 0;

	a->more = false;
	loom_group_begin_recompute(a->group, cut->first_unit, cut->slices, 1, cut->cut_axis);
	while (!ret && a->group->work < a->work_end &&
	       cut->first_unit + a->group->num_units < a->last && loom_group_append(a->group)) {
		a->group->work += cut->slices + (u64)cut->slices * a->group->num_parts / 16;
		ret = consider(a, cut);
	}
	return ret == -ENOSPC ? 0 : ret;
}

static int try_from(struct recompute *a, u32 first)
{
	const struct loom_group_unit *unit = &a->list->units[first];
	const struct loom_group_use *use = loom_group_first_result(a->list, first);
	struct loom_group_cut cut = { .first_unit = first, .recompute = true };
	const struct loom_group_cut layerwise = {
		.first_unit = first,
		.num_units = 1,
		.layerwise = true,
		.cost = unit->layerwise,
	};
	u32 counts[LOOM_GROUP_SLICE_COUNTS], count, axis, i;
	int ret = 0;

	if (relax(a, first, first + 1, &layerwise.cost))
		a->stops[first + 1].cut = layerwise;
	a->last = last_end(a, first);
	if (a->last == first)
		return 0;
	for (axis = 0; axis < use->rank && !ret && !unit->ungroupable; axis++) {
		if (loom_group_skip_axis(a->list, use, axis))
			continue;
		cut.cut_axis = axis;
		count = loom_group_slice_counts(use->dims[axis], counts);
		for (i = 0; i < count && !ret; i++) {
			if (counts[i] < 2)
				continue;
			cut.slices = counts[i];
			ret = grow(a, &cut);
			if (!a->more)
				break;
		}
	}
	return ret;
}

/* Replaces the division by the cheapest path. */
static int collect(const struct recompute *a, struct loom_group_cut **cuts, u32 *num_cuts)
{
	struct loom_group_cut *found = calloc((size_t)a->list->num_units + 1, sizeof(*found));
	u32 at, count = 0, to;

	if (!found)
		return -ENOMEM;
	for (at = a->list->num_units; at; at = a->stops[at].from)
		count += a->stops[at].kept ? a->stops[a->stops[at].from].num_cuts : 1;
	*num_cuts = count;
	for (at = a->list->num_units; at; at = a->stops[at].from) {
		const struct stop *stop = &a->stops[at], *from = &a->stops[stop->from];

		to = count - (stop->kept ? from->num_cuts : 1);
		if (stop->kept)
			memcpy(&found[to], &a->cuts[from->first_cut],
			       from->num_cuts * sizeof(*found));
		else
			found[to] = stop->cut;
		count = to;
	}
	free(*cuts);
	*cuts = found;
	return 0;
}

/* Work to spend, proportional to the possible savings. */
static u64 choose_budget(const struct recompute *a)
{
	const struct loom_graph *graph = a->list->lower->graph;
	u64 budget = a->group->budget, least = 0, excess;
	u32 i;

	budget = max(budget - min(budget, a->group->work), budget / PART);

	for (i = 0; i < graph->num_inputs; i++)
		least += graph->inputs[i]->size_bytes;
	least = a->stops[0].rest + loom_group_bytes_price(a->list, least);
	excess = a->total - min(least, a->total);
	excess /= a->total / SHARES / ENOUGH + 1;
	return budget / SHARES * (excess < SHARES ? excess : SHARES);
}

static int improve(struct recompute *a, struct loom_group_cut **cuts, u32 *num_cuts)
{
	u32 n = a->list->num_units, i;
	u64 share, done;
	int ret = 0;

	take_stock(a);
	for (i = n; i-- > 0;)
		a->stops[i].rest = a->stops[i + 1].rest + loom_group_least_price(a->list, i);
	share = choose_budget(a);
	for (i = 0; i < n && !ret; i++) {
		if (!a->stops[i].wanted || a->stops[i].cost.price == U64_MAX)
			continue;
		if (a->stops[i].num_cuts &&
		    relax(a, i, a->stops[i].kept_end, &a->stops[i].kept_cost))
			a->stops[a->stops[i].kept_end].kept = true;
		/* each first unit gets an equal share of the remaining work */
		done = a->group->work;
		a->work_end = done + share / (n - i);
		ret = try_from(a, i);
		share -= min(share, a->group->work - done);
	}
	if (!ret && a->stops[n].cost.price < a->total)
		ret = collect(a, cuts, num_cuts);
	return ret;
}

int loom_group_recompute(struct loom_group_list *list, struct loom_group *group,
			 struct loom_group_cut **cuts, u32 *num_cuts)
{
	struct recompute a = {
		.list = list,
		.group = group,
		.cuts = *cuts,
		.num_cuts = *num_cuts,
	};
	int ret = -ENOMEM;

	a.stops = calloc((size_t)list->num_units + 1, sizeof(*a.stops));
	a.saved = calloc((size_t)list->num_ops + 1, sizeof(*a.saved));
	if (a.stops && a.saved)
		ret = list->num_units ? improve(&a, cuts, num_cuts) : 0;
	free(a.stops);
	free(a.saved);
	return ret;
}
