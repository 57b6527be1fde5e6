// SPDX-License-Identifier: MIT
/*
 * DOC: Dividing a graph into groups
 *
 * The cheapest division of units [0, n) ends with a group [i, n), with some values resident in SRAM
 * before and after it: dynamic programming over cuts and the residents at them. Divisions are
 * compared by price, DRAM bytes or cycles, then by tie; the first found wins.
 *
 * First the cost of every possible group is estimated (estimate.c). Then the groups on the cheapest
 * path are evaluated exactly, their costs are entered, and the cheapest path is searched again,
 * until all groups on it are evaluated. Because estimates are inexact, this is repeated with four
 * margins: first estimates are considered slightly too low, at last some percent too high, so that
 * more and more groups are evaluated. Then, in small graphs only as a rule, all groups, slice
 * counts and axes that could beat the known division are evaluated (branch_bound.c). Finally the
 * groups on the cheapest path are placed.
 *
 * Effort is counted in work (see &loom_group.work) and not in seconds, so that a plan is the same
 * on every machine. The search ends when the budget is spent, with the best division of evaluated
 * groups. A node alone, lowered without groups, has a known cost from the start: the division never
 * costs more than no groups at all.
 *
 * In large graphs this is done for groups of limited length first; then longer ones are estimated
 * as far as a share of the budget lasts, the search is repeated, and the cheaper division is kept.
 * With long groups from the start, the budget would be spent before the cheapest paths are
 * evaluated.
 *
 * Rejected: evaluating all groups from the start. Small graphs still get that; for large ones it
 * takes far too long.
 */
#include "group/search/divide.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Successive values of &loom_group_divide.margin. */
static const s32 margins[] = { 4, 0, -4, -12 };

/*
 * In graphs of more units than this, groups of up to SHORT units are estimated and searched first,
 * then longer ones, as far as a share of the budget lasts.
 */
#define LARGE_GRAPH	256
#define SHORT		LOOM_GROUP_WINDOW
/* Units of one class have the longer groups of one of them, unless that has more units than this */
#define LONG		(4U * SHORT)
/* In graphs of more than LOOM_GROUP_MANY_UNITS units: limit on their edges in the whole graph. */
#define MOST_EDGES	(1U << 21)
/*
 * Approximate number of edges for longer groups in the whole graph: each unit has an equal share.
 */
#define LONG_EDGES	(1U << 20)
/* Cost of estimating a group, per operation and slice count, in 1/PART of a unit of work. */
#define PART		4

/* Estimates all groups that begin with a unit, cut along one axis, or in one slice. */
static int estimate_axis(struct loom_group_divide *d, u32 first, u8 in, u32 axis, const u32 *counts,
			 u32 num_counts)
{
	struct loom_group_cost costs[LOOM_GROUP_SLICE_COUNTS];
	u64 parts = 0;
	u32 n = 0, out, q;
	int ret = 0;

	loom_group_estimate_begin(d->estimate, first, in, axis, counts, num_counts);
	while (!ret && n < d->most && d->looked + parts / PART < d->look_until &&
	       loom_group_estimate_append(d->estimate, n)) {
		parts += num_counts * (1 + loom_group_num_choices(d, first + ++n));
		/* these were estimated before */
		if (n <= d->least)
			continue;
		ret = loom_group_reserve(d, first, n);
		for (out = 0; out < loom_group_num_choices(d, first + n) && !ret; out++) {
			struct loom_group_edge *edge = loom_group_own_edge(d, first, n, in, out);

			if (!edge)
				return -ENOMEM;
			loom_group_estimate_take(d->estimate, n, in, out, costs);
			for (q = 0; q < num_counts; q++) {
				if (costs[q].price == U64_MAX ||
				    (edge->state && !loom_group_cheaper(&costs[q], &edge->cost)))
					continue;
				edge->state = LOOM_GROUP_EDGE_ESTIMATED;
				edge->cost = costs[q];
				loom_group_note(&d->rows[first], n, edge);
			}
		}
	}
	d->looked += parts / PART;
	return ret;
}

static int estimate_from(struct loom_group_divide *d, u32 first)
{
	const struct loom_group_use *use = loom_group_first_result(d->list, first);
	static const u32 whole[] = { 1 };
	u32 counts[LOOM_GROUP_SLICE_COUNTS], count, axis, like = d->repeat->first[first];
	int ret = 0;
	u8 in;

	/* longer groups of its class are impossible, or are not estimated now */
	if (like != first && min(d->most, d->rows[like].num_units + 1) <= d->repeat->window)
		return loom_group_take_rest(d, first);
	ret = loom_group_make_room(d, first);
	for (in = 0; in < loom_group_num_choices(d, first) && !ret; in++) {
		ret = estimate_axis(d, first, in, 0, whole, 1);
		for (axis = 0; axis < use->rank && !ret; axis++) {
			if (loom_group_skip_axis(d->list, use, axis))
				continue;
			count = loom_group_slice_counts(use->dims[axis], counts);
			ret = estimate_axis(d, first, in, axis, counts, count);
		}
	}
	loom_group_trim(d, first);
	return ret;
}

/* Enters a node alone, lowered as without groups. */
static int offer_layerwise(struct loom_group_divide *d, u32 first)
{
	const struct loom_group_unit *unit = &d->list->units[first];
	const struct loom_group_edge *edge;
	struct loom_group_edge *own;
	int ret;

	ret = loom_group_reserve(d, first, 1);
	if (ret)
		return ret;
	d->rows[first].layerwise = (struct loom_group_edge){
		.state = LOOM_GROUP_EDGE_PLACED,
		.cost = unit->layerwise,
	};
	edge = loom_group_edge(d, first, 1, 0, 0);
	if (!edge->state || loom_group_cheaper(&edge->cost, &d->rows[first].layerwise.cost))
		return 0;
	own = loom_group_own_edge(d, first, 1, 0, 0);
	if (!own)
		return -ENOMEM;
	own->state = LOOM_GROUP_EDGE_NONE;
	return 0;
}

/* Makes all groups of the cheapest path as certain as @state. Returns 1 if some were not. */
static int evaluate_path(struct loom_group_divide *d, enum loom_group_edge_state state)
{
	u32 at = d->list->num_units * LOOM_GROUP_CHOICES, first;
	bool changed = false;
	int ret;

	for (; at / LOOM_GROUP_CHOICES; at = first * LOOM_GROUP_CHOICES + d->back[at].in) {
		const struct loom_group_back *back = &d->back[at];

		first = back->first_unit;
		if (back->layerwise)
			continue;
		ret = loom_group_evaluate(d, first, at / LOOM_GROUP_CHOICES - first, back->in,
					  at % LOOM_GROUP_CHOICES, state);
		if (ret < 0)
			return ret;
		changed |= ret;
		if (loom_group_edge(d, first, at / LOOM_GROUP_CHOICES - first, back->in,
				    at % LOOM_GROUP_CHOICES)
			    ->state == LOOM_GROUP_EDGE_NONE)
			d->banned = true;
	}
	return changed;
}

/* Evaluates groups until all of the cheapest path are, for each margin. */
static int search_paths(struct loom_group_divide *d)
{
	u32 i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(margins); i++) {
		d->margin = margins[i];
		do {
			if (loom_group_is_spent(d))
				return 0;
			if (!loom_group_path(d, LOOM_GROUP_EDGE_ESTIMATED))
				return -ENOSPC;
			ret = evaluate_path(d, LOOM_GROUP_EDGE_FITTED);
			if (ret < 0)
				return ret;
		} while (ret);
	}
	return 0;
}

/* Collects the groups of the cheapest path in order. */
static int collect(struct loom_group_divide *d, struct loom_group_cut **cuts, u32 *num_cuts)
{
	u32 end = d->list->num_units * LOOM_GROUP_CHOICES, at, count = 0;

	for (at = end; at / LOOM_GROUP_CHOICES;
	     at = d->back[at].first_unit * LOOM_GROUP_CHOICES + d->back[at].in)
		count++;
	*cuts = calloc((size_t)count + 1, sizeof(**cuts));
	if (!*cuts)
		return -ENOMEM;
	*num_cuts = count;
	for (at = end; at / LOOM_GROUP_CHOICES;
	     at = d->back[at].first_unit * LOOM_GROUP_CHOICES + d->back[at].in) {
		const struct loom_group_back *back = &d->back[at];
		u32 n = at / LOOM_GROUP_CHOICES - back->first_unit;
		const struct loom_group_edge *edge =
			back->layerwise ? &d->rows[back->first_unit].layerwise
					: loom_group_edge(d, back->first_unit, n, back->in,
							  at % LOOM_GROUP_CHOICES);

		(*cuts)[--count] = (struct loom_group_cut){
			.first_unit = back->first_unit,
			.num_units = n,
			.layerwise = back->layerwise,
			.slices = edge->slices,
			.cut_axis = edge->axis,
			.overlap = edge->overlap,
			.in = back->in,
			.out = back->layerwise ? 0 : at % LOOM_GROUP_CHOICES,
			.budget_bytes = edge->budget_bytes,
			.cost = edge->cost,
		};
	}
	return 0;
}

/* Estimates groups of more units than SHORT, with an equal share of the effort per first unit. */
static int estimate_long(struct loom_group_divide *d)
{
	u32 num_units = d->list->num_units, i;
	u64 end = d->looked + d->budget / 2, spent = 0, before;
	int ret = 0;

	d->least = SHORT;
	ret = loom_group_repeat_find(d->list, min(LONG, SHORT + LONG_EDGES / num_units), &d->far);
	d->repeat = &d->far;
	for (i = 0; i < num_units && !ret; i++) {
		if (d->list->units[i].ungroupable || d->rows[i].num_units < SHORT)
			continue;
		d->most = SHORT + LONG_EDGES / num_units / loom_group_num_choices(d, i);
		d->look_until = d->looked + (end - min(end, d->looked)) / (num_units - i);
		before = d->looked;
		ret = estimate_from(d, i);
		/* work that is saved by a class is not spent on other units */
		if (d->looked > before)
			spent = d->looked - before;
		else
			end -= min(spent, end);
	}
	loom_group_path_forget(d);
	return ret;
}

/* Finds the cheapest division whose groups and residents all have placements. */
static int place_division(struct loom_group_divide *d, struct loom_group_cut **cuts, u32 *num_cuts)
{
	int ret = 0;

	d->margin = 0;
	d->banned = false;
	/* half the budget again for placing */
	d->budget = d->work + d->group->work + d->budget / 2;
	while (!ret) {
		d->group->unpinned = true;
		do {
			if (loom_watch_spend(1))
				return -ENOMEM;
			/*
			 * after a failed placement, groups that are only estimated are tried as
			 * well
			 */
			if (!loom_group_path(d, d->banned && !loom_group_is_spent(d)
							? LOOM_GROUP_EDGE_ESTIMATED
							: LOOM_GROUP_EDGE_FITTED))
				return -ENOSPC;
			ret = evaluate_path(d, LOOM_GROUP_EDGE_PLACED);
		} while (ret > 0);
		if (ret)
			break;
		d->group->unpinned = false;
		free(*cuts);
		*cuts = NULL;
		ret = collect(d, cuts, num_cuts);
		if (!ret)
			ret = loom_group_place_chains(d, *cuts, *num_cuts);
		if (!ret)
			return 0;
		d->banned = true;
		ret = min(ret, 0);
	}
	return ret;
}

static struct loom_group_cost sum_of(const struct loom_group_cut *cuts, u32 num_cuts)
{
	struct loom_group_cost sum = { .price = 0 };
	u32 i;

	for (i = 0; i < num_cuts; i++) {
		sum.price += cuts[i].cost.price;
		sum.tie += cuts[i].cost.tie;
	}
	return sum;
}

/* Divides with longer groups as well; -ENOSPC: the result is no better than @price. */
static int divide_long(struct loom_group_divide *d, u64 price, struct loom_group_cut **cuts,
		       u32 *num_cuts)
{
	u64 budget = d->budget;
	int ret;

	d->no_residents = false;
	d->misfits = 0;
	memset(d->blocked, 0, ((size_t)d->list->num_units + 1) * LOOM_GROUP_CHOICES);
	d->group->unpinned = true;
	ret = estimate_long(d);
	if (ret)
		return ret;
	d->budget = d->work + d->group->work + budget / 2;
	ret = search_paths(d);
	if (!ret && loom_group_known_price(d) >= price)
		ret = -ENOSPC;
	d->budget = budget;
	return ret ? ret : place_division(d, cuts, num_cuts);
}

/*
 * Tries longer groups after a division is known, which is kept unless the other is cheaper. The
 * work is not counted: later steps have as much of the budget as without it.
 */
static int try_long(struct loom_group_divide *d, struct loom_group_cut **cuts, u32 *num_cuts)
{
	size_t count = (size_t)d->list->lower->graph->num_values + 1;
	struct loom_group_location *known = d->group->locations;
	struct loom_group_location *locations = calloc(count, sizeof(*locations));
	u64 before = d->work + d->group->work;
	struct loom_group_cost now = sum_of(*cuts, *num_cuts), other_cost;
	struct loom_group_cut *other = NULL;
	u32 num_other = 0;
	int ret;

	if (!locations)
		return -ENOMEM;
	/* the offsets of residents belong to the division */
	d->group->locations = locations;
	ret = divide_long(d, now.price, &other, &num_other);
	other_cost = sum_of(other, num_other);
	if (!ret && loom_group_cheaper(&other_cost, &now)) {
		free(known);
		free(*cuts);
		*cuts = other;
		*num_cuts = num_other;
	} else {
		d->group->locations = known;
		free(locations);
		free(other);
	}
	/* residents keep the offsets of the division, even if the search for another one failed */
	d->group->unpinned = false;
	d->work = before - d->group->work;
	return ret == -ENOSPC ? 0 : ret;
}

/* Estimates all groups, or reuses the estimates of another search. */
static int estimate_all(struct loom_group_divide *d)
{
	struct loom_group_estimates key = {
		.digest = d->list->repeat.digest,
		.aim = d->list->aim,
		.sram = d->list->lower->sram,
		.num_units = d->list->num_units,
	};
	struct loom_group_row *rows;
	u32 i;
	int ret = 0;

	key.aim.after_bytes = false;
	rows = loom_group_memo_get(d->list->memo, &key);
	if (rows) {
		loom_group_rows_free(d->rows, key.num_units);
		d->rows = rows;
		return 0;
	}
	for (i = 0; i < key.num_units && !ret; i++) {
		if (!d->list->units[i].ungroupable)
			ret = estimate_from(d, i);
		if (!ret)
			ret = offer_layerwise(d, i);
	}
	if (!ret)
		loom_group_memo_add(d->list->memo, &key, d->rows);
	return ret;
}

/* Enters the groups of a division by another price. */
static int enter_known(struct loom_group_divide *d)
{
	struct loom_group_cut cut;
	u32 i;
	int ret = 0;

	for (i = 0; i < d->num_known && !ret; i++) {
		cut = d->known[i];
		if (cut.layerwise)
			continue;
		ret = loom_group_remake(d->group, &cut);
		if (!ret)
			ret = loom_group_fit_either(d, &cut.cost);
		if (!ret)
			ret = loom_group_reserve(d, cut.first_unit, cut.num_units);
		if (!ret)
			ret = loom_group_enter(d, &cut, LOOM_GROUP_EDGE_FITTED);
		ret = ret == -EINVAL || ret == -ENOSPC ? 0 : ret;
	}
	return ret;
}

/* Estimates all groups, and makes those of the cheapest paths certain. */
static int prepare(struct loom_group_divide *d)
{
	u32 num_units = d->list->num_units, i;
	int ret;

	for (i = 0; i < num_units; i++)
		loom_group_cost_layerwise(d->list, i);
	for (i = num_units; i-- > 0;)
		d->rest[i] = d->rest[i + 1] + loom_group_least_price(d->list, i);
	ret = estimate_all(d);
	d->group->unpinned = true;
	if (!ret)
		ret = enter_known(d);
	return ret ? ret : search_paths(d);
}

static int divide(struct loom_group_divide *d, struct loom_group_cut **cuts, u32 *num_cuts)
{
	u64 budget = d->budget;
	int ret = prepare(d);

	if (!ret)
		ret = loom_group_search_all(d);
	if (!ret)
		ret = place_division(d, cuts, num_cuts);
	if (!ret && d->list->num_units > LARGE_GRAPH &&
	    sum_of(*cuts, *num_cuts).price > d->rest[0]) {
		d->budget = budget;
		ret = try_long(d, cuts, num_cuts);
	}
	return ret;
}

static void end(struct loom_group_divide *d)
{
	d->group->work += d->work;
	loom_group_rows_free(d->rows, d->list->num_units);
	free(d->best);
	free(d->back);
	free(d->rest);
	free(d->blocked);
	free(d->dirty);
	free(d->moved);
	free(d->pending);
	free(d->open);
	free(d->was);
	free(d->saved);
	free(d->saved_whole);
	loom_group_repeat_free(&d->far);
	loom_group_estimate_free(d->estimate);
}

static int begin(struct loom_group_divide *d, struct loom_group_list *list,
		 struct loom_group *group)
{
	size_t n = (size_t)list->num_units + 1;

	*d = (struct loom_group_divide){
		.list = list,
		.group = group,
		.repeat = &list->repeat,
		.budget = group->budget,
		.most = list->num_units > LOOM_GROUP_MANY_UNITS ?
			max(MOST_EDGES / 4 / list->num_units, 1U) :
			list->num_units > LARGE_GRAPH ? SHORT : U32_MAX,
		.look_until = U64_MAX,
	};
	d->rows = calloc(n, sizeof(*d->rows));
	d->best = calloc(n * LOOM_GROUP_CHOICES, sizeof(*d->best));
	d->back = calloc(n * LOOM_GROUP_CHOICES, sizeof(*d->back));
	d->rest = calloc(n, sizeof(*d->rest));
	d->blocked = calloc(n * LOOM_GROUP_CHOICES, sizeof(*d->blocked));
	d->dirty = calloc(n, sizeof(*d->dirty));
	d->moved = calloc(n, sizeof(*d->moved));
	d->pending = calloc(n / 64 + 1, sizeof(*d->pending));
	d->open = calloc(n, sizeof(*d->open));
	d->was = calloc(n * LOOM_GROUP_CHOICES, sizeof(*d->was));
	d->estimate = loom_group_estimate_make(list);
	d->saved = calloc((size_t)list->num_ops + 1, sizeof(*d->saved));
	d->saved_whole = calloc((size_t)list->num_ops + 1, sizeof(*d->saved_whole));
	group->work = 0;
	if (d->rows && d->best && d->back && d->rest && d->blocked && d->dirty && d->moved &&
	    d->pending && d->open && d->was && d->estimate && d->saved && d->saved_whole)
		return 0;
	end(d);
	return -ENOMEM;
}

static int divide_from(struct loom_group_list *list, struct loom_group *group,
		       const struct loom_group_cut *known, u32 num_known,
		       struct loom_group_cut **cuts, u32 *num_cuts)
{
	struct loom_group_divide d;
	int ret = begin(&d, list, group);

	if (ret)
		return ret;
	d.known = known;
	d.num_known = num_known;
	ret = divide(&d, cuts, num_cuts);
	end(&d);
	return ret;
}

int loom_group_divide(struct loom_group_list *list, struct loom_group *group,
		      struct loom_group_cut **cuts, u32 *num_cuts)
{
	const struct loom_group_aim aim = list->aim;
	struct loom_group_cut *known = NULL;
	u32 num_known = 0;
	int ret = 0;

	if (aim.after_bytes) {
		list->aim = (struct loom_group_aim){ .time = false };
		ret = divide_from(list, group, NULL, 0, &known, &num_known);
		list->aim = aim;
	}
	if (!ret || ret == -ENOSPC)
		ret = divide_from(list, group, known, num_known, cuts, num_cuts);
	free(known);
	return ret;
}

/* The cheapest division without a cut before a unit, from known costs and @share of the effort. */
static int find_without(struct loom_group_divide *d, u64 share,
			const struct loom_group_without *without)
{
	struct loom_group_cut *cuts = NULL;
	u32 num_cuts = 0;
	int ret;

	loom_group_path_forget(d);
	d->no_residents = false;
	d->misfits = 0;
	memset(d->blocked, 0, ((size_t)d->list->num_units + 1) * LOOM_GROUP_CHOICES);
	d->group->unpinned = true;
	d->margin = 0;
	d->budget = d->work + d->group->work + share / 2;
	do {
		if (!loom_group_path(d, LOOM_GROUP_EDGE_ESTIMATED))
			return 0;
		ret = loom_group_is_spent(d) ? 0 : evaluate_path(d, LOOM_GROUP_EDGE_FITTED);
	} while (ret > 0);
	d->budget = share;
	if (!ret)
		ret = place_division(d, &cuts, &num_cuts);
	if (!ret)
		ret = loom_group_division_set(without->division, d->group, cuts, num_cuts);
	free(cuts);
	return ret == -ENOSPC ? 0 : ret;
}

int loom_group_divide_without(struct loom_group_list *list, struct loom_group *group,
			      const struct loom_group_without *without, u32 count)
{
	struct loom_group_divide d;
	int ret = begin(&d, list, group);
	u64 share = group->budget / (count + 1);
	u32 i;

	if (ret)
		return ret;
	ret = prepare(&d);
	for (i = 0; i < count && !ret; i++) {
		list->no_cut = without[i].unit;
		ret = find_without(&d, share, &without[i]);
	}
	list->no_cut = 0;
	end(&d);
	return ret;
}

int loom_group_place_one(struct loom_group_list *list, struct loom_group *group,
			 struct loom_group_cut *cut)
{
	struct loom_group_divide d;
	int ret = begin(&d, list, group);

	if (ret)
		return ret;
	cut->cost.price = U64_MAX;
	ret = loom_group_remake(group, cut);
	if (!ret)
		ret = loom_group_place_best(&d, cut);
	end(&d);
	return ret == -EINVAL || (!ret && cut->cost.price == U64_MAX) ? -ENOSPC : ret;
}
