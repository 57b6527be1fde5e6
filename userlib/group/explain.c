// SPDX-License-Identifier: MIT
/*
 * DOC: Why a cut is where it is
 *
 * Two questions are asked of each cut between two groups. Could both be one group? Slice counts and
 * axes are tried, with the same residents before and after: the answer is the least cost, or the
 * least SRAM that is missing. And what would the whole graph cost without a cut here? The graph is
 * divided once more with the cut forbidden: one search for all cuts, in which groups that were
 * evaluated for one are known for the next, with as much effort for all of them as a plan is given.
 * Only that residents have the same place in all groups of such a division is not looked at: what
 * would be cheaper than the plan then is said to be as good.
 *
 * Rejected: a search of its own for each cut. It takes as long as planning does, and a network of
 * some hundred nodes has fifty cuts.
 */
#include "emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* SRAM per lane that is missing: for the strips alone, or if these fit, for all items. */
static u64 lack_bytes(struct loom_group *group)
{
	u64 budget_bytes = group->list->lower->sram.bytes, peak_bytes;
	s32 position;

	peak_bytes = loom_group_peak(group, group->num_shared, &position, NULL);
	if (peak_bytes <= budget_bytes)
		peak_bytes = loom_group_peak(group, group->num_items, &position, NULL);
	return peak_bytes > budget_bytes ? peak_bytes - budget_bytes : 0;
}

/* A price as bytes or cycles: weights of cycles are shares of their sum. */
static u64 readable(const struct loom_group_list *list, u64 price)
{
	const struct loom_group_aim *aim = &list->aim;

	return aim->time ? price / (aim->dma + aim->compute + aim->steps) : price;
}

/* Tries two groups as one, in @slices slices of @axis, and notes the better answer. */
static int join_as(struct loom_group *group, const struct loom_group_cut *a,
		   const struct loom_group_cut *b, u32 slices, u32 axis, bool overlap,
		   struct loom_program_cut *note)
{
	u64 budget_bytes = group->list->lower->sram.bytes, lack;
	u32 i;
	int ret;

	loom_group_begin(group, a->first_unit, slices, axis);
	group->overlap = overlap;
	for (i = 0; i < a->num_units + b->num_units; i++)
		if (!loom_group_append(group))
			return 0;
	if (!loom_group_set_residents(group, a->in, b->out))
		return 0;
	ret = loom_group_fit(group, budget_bytes);
	if (!ret && (note->why != LOOM_CUT_COST ||
		     readable(group->list, group->cost.price) < note->joined)) {
		note->why = LOOM_CUT_COST;
		note->joined = readable(group->list, group->cost.price);
	}
	if (ret != -ENOSPC)
		return ret;
	lack = lack_bytes(group);
	if (lack && (note->why == LOOM_CUT_SHAPE ||
		     (note->why == LOOM_CUT_SRAM && lack < note->short_bytes))) {
		note->why = LOOM_CUT_SRAM;
		note->short_bytes = lack;
	}
	return 0;
}

static int join(struct loom_group *group, const struct loom_group_cut *a,
		const struct loom_group_cut *b, u32 slices, u32 axis, struct loom_program_cut *note)
{
	int ret = join_as(group, a, b, slices, axis, false, note);

	/* overlap needs more room; it is of use where cycles count step by step */
	if (ret || !group->list->aim.steps || !group->list->lower->sram.overlap)
		return ret;
	ret = join_as(group, a, b, slices, axis, true, note);
	return ret == -ENOSPC ? 0 : ret;
}

static int try_joins(struct loom_group *group, const struct loom_group_cut *a,
		     const struct loom_group_cut *b, struct loom_program_cut *note)
{
	const struct loom_group_use *use = loom_group_first_result(group->list, a->first_unit);
	u32 axis, slices;
	int ret = join(group, a, b, 1, 0, note);

	for (axis = 0; axis < use->rank && !ret; axis++)
		for (slices = 2; slices <= use->dims[axis] && slices <= LOOM_GROUP_SLICES && !ret;
		     slices = slices < 4 ? slices + 1 : slices + slices / 3)
			ret = join(group, a, b, slices, axis, note);
	return ret;
}

/* Whether both sides could be one group. */
static int explain_join(struct loom_group *group, const struct loom_group_cut *a,
			const struct loom_group_cut *b, struct loom_program_cut *note)
{
	const struct loom_group_unit *units = group->list->units;
	u32 i;
	int ret;

	for (i = a->first_unit; i < b->first_unit + b->num_units; i++) {
		if (!units[i].ungroupable)
			continue;
		note->why = LOOM_CUT_ALONE;
		note->node = units[i].node;
		return 0;
	}
	note->why = LOOM_CUT_SHAPE;
	ret = try_joins(group, a, b, note);
	/* it fits with some number of slices: what others lack does not matter */
	if (note->why == LOOM_CUT_COST)
		note->short_bytes = 0;
	return ret;
}

static u64 sum_up(const struct loom_group_list *list, const struct loom_group_cut *cuts,
		  u32 num_cuts)
{
	u64 price = 0;
	u32 i;

	for (i = 0; i < num_cuts; i++)
		price += cuts[i].cost.price;
	return readable(list, price);
}

/* The best divisions that have no cut where the given one has some. */
static int explain_without(struct loom_group_list *list, struct loom_group *group,
			   const struct loom_group_cut *cuts, u32 num_cuts,
			   struct loom_program_cut *notes)
{
	struct loom_group_without *without = calloc(num_cuts, sizeof(*without));
	u32 count = 0, i;
	int ret;

	if (!without)
		return -ENOMEM;
	for (i = 0; i + 1 < num_cuts; i++)
		if (notes[i].why != LOOM_CUT_ALONE)
			without[count++] = (struct loom_group_without){
				.unit = cuts[i + 1].first_unit, .price = U64_MAX,
			};
	ret = count ? loom_group_divide_without(list, group, without, count) : 0;
	for (i = 0, count = 0; i + 1 < num_cuts && (!ret || ret == -ENOSPC); i++) {
		const struct loom_group_without *found = &without[count];

		if (notes[i].why == LOOM_CUT_ALONE)
			continue;
		count++;
		if (found->price == U64_MAX)
			continue;
		notes[i].without = max(readable(list, found->price), notes[i].with);
		notes[i].around_first = list->units[found->around_first].node;
		notes[i].around_last = list->units[found->around_last].node;
	}
	free(without);
	return ret == -ENOSPC ? 0 : ret;
}

int loom_group_explain(struct loom_group_list *list, const struct loom_group_rules *rules,
		       u64 budget, const struct loom_group_cut *cuts, u32 num_cuts)
{
	struct loom_program_cut *notes = calloc((size_t)num_cuts + 1, sizeof(*notes));
	struct loom_group *group = loom_group_make(list, rules);
	int ret = notes && group ? 0 : -ENOMEM;
	u32 i;

	list->lower->cuts = notes;
	for (i = 0; i + 1 < num_cuts && !ret; i++) {
		ret = explain_join(group, &cuts[i], &cuts[i + 1], &notes[i]);
		notes[i].cycles = list->aim.time;
		notes[i].apart = sum_up(list, &cuts[i], 2);
		notes[i].with = sum_up(list, cuts, num_cuts);
		notes[i].without = LOOM_CUT_NONE;
	}
	if (!ret && num_cuts > 1) {
		group->budget = budget;
		ret = explain_without(list, group, cuts, num_cuts, notes);
	}
	loom_group_free(group);
	return ret;
}
