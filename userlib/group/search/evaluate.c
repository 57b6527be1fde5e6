// SPDX-License-Identifier: MIT
/*
 * From an estimate to an exact cost: a group is fitted, and placed if requested, with the slice
 * counts and axes of the best estimates, until no other estimate is better. See divide.c.
 */
#include "group/search/divide.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In graphs of up to so many units, the thinnest slices are tried, regardless of their estimate. */
#define THIN_UNITS 128
/* Limit on the candidates tried, in order of their estimates. */
#define TRIES 8
/*
 * Fitting is repeated with ROUNDS / 2 SRAM budgets, each without and with overlap: items whose sum
 * fits may have no placement.
 */
#define ROUNDS 24
/* After so many rounds in a row above the known cost, smaller budgets are skipped. */
#define DEAR_ROUNDS 4
/* Limit on failed placements of a chosen group with full effort. */
#define LONG_VISITS 4
#define CANDIDATES (LOOM_GROUP_SLICE_COUNTS * DRM_LOOM_MAX_RANK + 1)

/**
 * struct candidate - slices to try for a group
 * @cost: the estimate
 * @slices: number of slices
 * @axis: axis that is cut
 */
struct candidate {
	struct loom_group_cost cost;
	u32 slices;
	u32 axis;
};

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->cost.price != y->cost.price)
		return x->cost.price < y->cost.price ? -1 : 1;
	if (x->cost.tie != y->cost.tie)
		return x->cost.tie < y->cost.tie ? -1 : 1;
	if (x->slices != y->slices)
		return x->slices < y->slices ? -1 : 1;
	return x->axis < y->axis ? -1 : x->axis > y->axis;
}

/* Writes the slice counts of one axis that fit by the estimate. Returns their number. */
static u32 estimate_axis(struct loom_group_divide *d, const struct loom_group_cut *cut, u32 axis,
			 const u32 *counts, u32 num_counts, struct candidate *to)
{
	struct loom_group_cost costs[LOOM_GROUP_SLICE_COUNTS];
	u32 count = 0, i;

	loom_group_estimate_begin(d->estimate, cut->first_unit, cut->in, axis, counts, num_counts);
	for (i = 0; i < cut->num_units; i++)
		if (!loom_group_estimate_append(d->estimate, i))
			return 0;
	d->work += (u64)num_counts * cut->num_units;
	loom_watch_spend((u64)num_counts * cut->num_units);
	loom_group_estimate_take(d->estimate, cut->num_units, cut->in, cut->out, costs);
	for (i = 0; i < num_counts; i++)
		if (costs[i].price != U64_MAX)
			to[count++] = (struct candidate){ costs[i], counts[i], axis };
	return count;
}

static u32 find_candidates(struct loom_group_divide *d, const struct loom_group_cut *cut,
			   struct candidate *candidates)
{
	const struct loom_group_use *use = loom_group_first_result(d->list, cut->first_unit);
	static const u32 whole[] = { 1 };
	u32 counts[LOOM_GROUP_SLICE_COUNTS], count, n, axis;

	n = estimate_axis(d, cut, 0, whole, 1, candidates);
	for (axis = 0; axis < use->rank; axis++) {
		if (loom_group_skip_axis(d->list, use, axis))
			continue;
		count = loom_group_slice_counts(use->dims[axis], counts);
		n += estimate_axis(d, cut, axis, counts, count, &candidates[n]);
	}
	qsort(candidates, n, sizeof(*candidates), compare);
	return n;
}

/*
 * Finds offsets for all items of the group at a lower cost than @cut: with loads that overlap
 * computation if that costs no more; else without; else in a smaller budget, which may cost more.
 * Stops after @most failed placements.
 */
static int place_less(struct loom_group_divide *d, struct loom_group_cut *cut, u32 most)
{
	const struct loom_slice_limits *sram = &d->list->lower->sram;
	struct loom_group *group = d->group;
	u64 height, budget, least = U64_MAX, known = cut->cost.price;
	u32 round, dear = 0;
	int ret;

	for (round = 0; round < ROUNDS && most && dear < DEAR_ROUNDS; round++) {
		bool overlap = round & 1;

		if ((overlap && !sram->overlap) ||
		    (cut->cost.price != U64_MAX && cut->cost.price <= least && round > 1))
			continue;
		budget = sram->bytes - sram->bytes / 64 * (round / 2);
		memcpy(group->parts, d->saved, group->num_parts * sizeof(*d->saved));
		group->overlap = overlap;
		ret = loom_group_fit(group, budget);
		if (ret == -ENOSPC)
			continue;
		if (ret)
			return ret;
		if (!round)
			least = group->cost.price;
		/* overlap must not move more bytes; a smaller budget must be cheaper */
		dear++;
		if (overlap ? group->cost.price > cut->cost.price
			    : !loom_group_cheaper(&group->cost, &cut->cost))
			continue;
		if (!group->quick_only && group->cost.price >= known)
			continue;
		dear = 0;
		ret = loom_group_place(group, sram->bytes, &height);
		d->work += 10ULL * group->num_items + 100;
		most -= ret == -ENOSPC;
		if (ret == -ENOSPC)
			continue;
		if (ret)
			return ret;
		cut->overlap = overlap;
		cut->budget_bytes = budget;
		cut->cost = group->cost;
	}
	return 0;
}

int loom_group_place_best(struct loom_group_divide *d, struct loom_group_cut *cut)
{
	struct loom_group *group = d->group;
	int ret;

	memcpy(d->saved, group->parts, group->num_parts * sizeof(*d->saved));
	group->quick_only = true;
	ret = place_less(d, cut, U32_MAX);
	group->quick_only = false;
	/* offsets of residents are final: a second attempt with full effort, for a lower cost */
	if (!ret && !group->unpinned)
		ret = place_less(d, cut, LONG_VISITS);
	memcpy(group->parts, d->saved, group->num_parts * sizeof(*d->saved));
	return ret;
}

int loom_group_fit_either(struct loom_group_divide *d, struct loom_group_cost *cost)
{
	struct loom_group *group = d->group;
	u64 budget = d->list->lower->sram.bytes;
	int ret;

	memcpy(d->saved, group->parts, group->num_parts * sizeof(*d->saved));
	group->overlap = false;
	ret = loom_group_fit(group, budget);
	if (ret)
		return ret;
	*cost = group->cost;
	if (!d->list->aim.steps || !d->list->lower->sram.overlap)
		return 0;
	memcpy(group->parts, d->saved, group->num_parts * sizeof(*d->saved));
	group->overlap = true;
	if (!loom_group_fit(group, budget) && loom_group_cheaper(&group->cost, cost))
		*cost = group->cost;
	return 0;
}

/* Tries a slice count and axis; keeps it if it is the best. */
static int try_candidate(struct loom_group_divide *d, const struct candidate *candidate,
			 enum loom_group_edge_state state, struct loom_group_cut *best)
{
	struct loom_group_cut cut = *best;
	int ret;

	cut.slices = candidate->slices;
	cut.cut_axis = candidate->axis;
	ret = loom_group_remake(d->group, &cut);
	if (ret)
		return ret == -EINVAL ? -ENOSPC : ret;
	if (state == LOOM_GROUP_EDGE_PLACED)
		ret = loom_group_place_best(d, &cut);
	else
		ret = loom_group_fit_either(d, &cut.cost);
	if (!ret && loom_group_cheaper(&cut.cost, &best->cost))
		*best = cut;
	return ret;
}

/* Tries a few slices more or fewer, because each slice loads streamed operands again. */
static int polish(struct loom_group_divide *d, enum loom_group_edge_state state, u64 floor,
		  struct loom_group_cut *best)
{
	const struct loom_group_use *use = loom_group_first_result(d->list, best->first_unit);
	const u64 dim = use->dims[best->cut_axis];
	const struct candidate found = { best->cost, best->slices, best->cut_axis };
	s32 step;
	int ret;

	for (step = -LOOM_GROUP_POLISH; step <= LOOM_GROUP_POLISH; step++) {
		struct candidate next = found;

		next.slices += step;
		if (!step || !loom_group_is_slice_count(dim, next.slices))
			continue;
		if (best->cost.price <= floor)
			return 0;
		ret = try_candidate(d, &next, state, best);
		if (ret && ret != -ENOSPC)
			return ret;
	}
	return 0;
}

/* Whether no other candidate cuts the same axis into more slices. */
static bool is_thinnest(const struct candidate *candidates, u32 count, u32 index)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (candidates[i].axis == candidates[index].axis &&
		    candidates[i].slices > candidates[index].slices)
			return false;
	return candidates[index].slices > 1;
}

int loom_group_evaluate(struct loom_group_divide *d, u32 first, u32 num_units, u8 in, u8 out,
			enum loom_group_edge_state state)
{
	const struct loom_group_edge *edge = loom_group_edge(d, first, num_units, in, out);
	struct loom_group_cut best = {
		.first_unit = first,
		.num_units = num_units,
		.in = in,
		.out = out,
		.cost = { .price = U64_MAX },
	};
	struct candidate candidates[CANDIDATES + 1];
	u64 least = U64_MAX;
	u32 count, tries = 0, i;
	int ret = 0;

	if (edge->state >= state)
		return 0;
	count = 0;
	/* the candidate that was fitted goes first */
	if (edge->state == LOOM_GROUP_EDGE_FITTED)
		candidates[count++] = (struct candidate){ edge->cost, edge->slices, edge->axis };
	count += find_candidates(d, &best, &candidates[count]);
	for (i = 0; i < count; i++)
		least = min(least, candidates[i].cost.price);
	/* of equal estimates, skip to later ones: they have more slices, and fit more likely */
	for (i = 0; i < count && tries < TRIES;
	     i = i + 1 < count ? min(2 * i + 1, count - 1) : count) {
		if (best.cost.price <= candidates[i].cost.price)
			break;
		ret = try_candidate(d, &candidates[i], state, &best);
		if (ret && ret != -ENOSPC)
			return ret;
		tries++;
	}
	/* with many slices, estimates of streamed bytes are least exact: try those anyway */
	for (i = 0; i < count && best.cost.price > least; i++) {
		if (state != LOOM_GROUP_EDGE_FITTED || d->list->num_units > THIN_UNITS ||
		    !is_thinnest(candidates, count, i))
			continue;
		ret = try_candidate(d, &candidates[i], state, &best);
		if (ret && ret != -ENOSPC)
			return ret;
	}
	if (state == LOOM_GROUP_EDGE_PLACED && best.cost.price != U64_MAX && best.slices > 2) {
		ret = polish(d, state, least, &best);
		if (ret)
			return ret;
	}
	/* must not become more expensive in cycles alone: the search would look for another path */
	if (edge->state && best.cost.price <= edge->cost.price)
		best.cost.tie = min(best.cost.tie, edge->cost.tie);
	ret = best.cost.price == U64_MAX ? loom_group_remove(d, &best) :
					   loom_group_enter(d, &best, state);
	return ret ? ret : 1;
}
