// SPDX-License-Identifier: MIT
/*
 * DOC: Reasons for cuts
 *
 * Two questions are asked of each cut between two groups. Could both be one group, with everything
 * else unchanged? Slice counts and axes are tried, with halos kept or recomputed, and with the same
 * residents before and after: the answer is a division, or the least SRAM that is missing. And what
 * is the best division without a cut here? The graph is divided once more with the cut forbidden:
 * one search for all cuts, in which groups evaluated for one cut are known for the next, with as
 * much effort for all of them as for a plan.
 *
 * Both answers are divisions whose groups are placed, so that each can be written as a plan and
 * counted (planner/explain.c). Estimates are not compared here.
 *
 * Rejected: a separate search for each cut. It takes as long as planning does, and a large network
 * has dozens of cuts.
 */
#include "group/emit/emit.h"

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

/* Limit on the candidates for a joined group that are placed, the cheapest first. */
#define JOINS	4

/**
 * struct join - two groups as one
 * @group: scratch group
 * @cuts: candidates that fit, cheapest first
 * @count: number of @cuts
 * @note: whether they lack SRAM
 * @least: the candidate that lacks least
 */
struct join {
	struct loom_group *group;
	struct loom_group_cut cuts[JOINS];
	u32 count;
	struct loom_program_cut *note;
	struct loom_group_cut least;
};

static void keep_cut(struct join *join, const struct loom_group_cut *cut)
{
	u32 at = join->count;

	while (at && loom_group_cheaper(&cut->cost, &join->cuts[at - 1].cost))
		at--;
	if (at == JOINS)
		return;
	join->count = min(join->count + 1, (u32)JOINS);
	memmove(&join->cuts[at + 1], &join->cuts[at],
		(join->count - 1 - at) * sizeof(join->cuts[0]));
	join->cuts[at] = *cut;
}

static int try_cut(struct join *join, struct loom_group_cut *cut)
{
	struct loom_program_cut *note = join->note;
	struct loom_group *group = join->group;
	u64 lack;
	int ret;

	if (loom_group_remake(group, cut))
		return 0;
	cut->budget_bytes = group->list->lower->sram.bytes;
	ret = loom_group_fit(group, cut->budget_bytes);
	if (!ret) {
		cut->cost = group->cost;
		keep_cut(join, cut);
	}
	if (ret != -ENOSPC)
		return ret;
	lack = lack_bytes(group);
	if (lack && (note->why == LOOM_CUT_SHAPE || lack < note->short_bytes)) {
		note->why = LOOM_CUT_SRAM;
		note->short_bytes = lack;
		join->least = *cut;
	}
	return 0;
}

/* Tries slice counts near the one that lacks least, as many as for a division. */
static int try_near(struct join *join)
{
	const struct loom_group_list *list = join->group->list;
	struct loom_group_cut cut = join->least;
	const struct loom_group_use *use = loom_group_first_result(list, cut.first_unit);
	const u64 dim = use->dims[cut.cut_axis];
	const u32 slices = cut.slices;
	s32 step;
	int ret = 0;

	for (step = -LOOM_GROUP_POLISH; step <= LOOM_GROUP_POLISH && !ret; step++) {
		cut.slices = slices + step;
		if (step && slices > 1 && loom_group_is_slice_count(dim, cut.slices))
			ret = try_cut(join, &cut);
	}
	return ret;
}

static int try_cuts(struct join *join, struct loom_group_cut *cut)
{
	const struct loom_group_list *list = join->group->list;
	const struct loom_group_use *use = loom_group_first_result(list, cut->first_unit);
	u32 counts[LOOM_GROUP_SLICE_COUNTS], count, i;
	int ret;

	cut->slices = 1;
	ret = try_cut(join, cut);
	for (cut->cut_axis = 0; cut->cut_axis < use->rank && !ret; cut->cut_axis++) {
		if (loom_group_skip_axis(list, use, cut->cut_axis))
			continue;
		count = loom_group_slice_counts(use->dims[cut->cut_axis], counts);
		for (i = 0; i < count && !ret; i++) {
			cut->slices = counts[i];
			cut->recompute = false;
			ret = try_cut(join, cut);
			cut->recompute = true;
			if (!ret && counts[i] > 1 && !join->group->keep_halos)
				ret = try_cut(join, cut);
		}
	}
	return ret;
}

/* Places the joined group; all other groups and residents keep their offsets. */
static int enter_joined(const struct join *join, const struct loom_group_cut *cuts, u32 num_cuts,
			u32 index, const struct loom_group_cut *cut,
			struct loom_group_division *to)
{
	int ret = loom_group_division_set(to, join->group, cuts, num_cuts);

	if (ret)
		return ret;
	to->cuts[index] = *cut;
	memmove(&to->cuts[index + 1], &to->cuts[index + 2],
		(num_cuts - index - 2) * sizeof(*cuts));
	to->num_cuts = num_cuts - 1;
	to->price = loom_group_cuts_price(to->cuts, to->num_cuts);
	return 0;
}

/* Whether both sides could be one group. */
static int explain_join(struct loom_group_list *list, struct loom_group *group,
			const struct loom_group_cut *cuts, u32 num_cuts, u32 index,
			struct loom_program_cut *note, struct loom_group_division *to)
{
	const struct loom_group_cut *a = &cuts[index], *b = &cuts[index + 1];
	const struct loom_group_unit *units = list->units;
	struct join join = { .group = group, .note = note };
	struct loom_group_cut cut = {
		.first_unit = a->first_unit,
		.num_units = a->num_units + b->num_units,
		.in = a->in,
		.out = b->out,
	};
	u32 i;
	int ret;

	for (i = cut.first_unit; i < cut.first_unit + cut.num_units; i++) {
		if (!units[i].ungroupable)
			continue;
		note->why = LOOM_CUT_ALONE;
		note->node = units[i].node;
		return 0;
	}
	note->why = LOOM_CUT_SHAPE;
	ret = try_cuts(&join, &cut);
	if (!ret && !join.count && note->why == LOOM_CUT_SRAM)
		ret = try_near(&join);
	/* it fits with some number of slices: the lack of others is irrelevant */
	if (ret || !join.count)
		return ret;
	note->why = LOOM_CUT_COST;
	note->short_bytes = 0;
	for (i = 0; i < join.count; i++) {
		ret = loom_group_place_one(list, group, &join.cuts[i]);
		if (!ret)
			return enter_joined(&join, cuts, num_cuts, index, &join.cuts[i], to);
		if (ret != -ENOSPC)
			return ret;
	}
	return 0;
}

/* Finds the best divisions without single cuts of the given one. */
static int explain_without(struct loom_group_list *list, struct loom_group *group,
			   const struct loom_group_cut *cuts, u32 num_cuts,
			   const struct loom_program_cut *notes,
			   struct loom_group_division *divisions)
{
	struct loom_group_without *without = calloc(num_cuts, sizeof(*without));
	u32 count = 0, i;
	int ret;

	if (!without)
		return -ENOMEM;
	for (i = 0; i + 1 < num_cuts; i++)
		if (notes[i].why != LOOM_CUT_ALONE)
			without[count++] = (struct loom_group_without){
				.unit = cuts[i + 1].first_unit, .division = &divisions[i],
			};
	ret = count ? loom_group_divide_without(list, group, without, count) : 0;
	free(without);
	return ret == -ENOSPC ? 0 : ret;
}

/* The offsets of a plan's residents also hold for a group that is placed in it. */
static void pin_residents(struct loom_group *group, const struct loom_group *plan)
{
	u32 i;

	for (i = 0; i < group->list->lower->graph->num_values; i++) {
		group->locations[i] = plan->locations[i];
		group->locations[i].pinned = true;
	}
}

int loom_group_explain(struct loom_group_list *list, const struct loom_group *plan,
		       const struct loom_group_cut *cuts, u32 num_cuts, u64 sram_bytes,
		       struct loom_group_alternatives *to)
{
	const u64 plan_bytes = list->lower->sram.bytes;
	struct loom_program_cut *notes = calloc((size_t)num_cuts + 1, sizeof(*notes));
	struct loom_group *group = loom_group_make(list, plan->rules);
	int ret = notes && group ? 0 : -ENOMEM;
	u32 i;

	loom_group_alternatives_clear(to);
	to->joined = calloc((size_t)num_cuts + 1, sizeof(*to->joined));
	to->without = calloc((size_t)num_cuts + 1, sizeof(*to->without));
	if (!to->joined || !to->without)
		ret = -ENOMEM;
	else
		to->count = num_cuts ? num_cuts - 1 : 0;
	to->price = loom_group_cuts_price(cuts, num_cuts);
	list->lower->cuts = notes;
	if (!ret)
		pin_residents(group, plan);
	for (i = 0; i + 1 < num_cuts && !ret; i++) {
		ret = explain_join(list, group, cuts, num_cuts, i, &notes[i], &to->joined[i]);
		if (!ret && notes[i].why == LOOM_CUT_SRAM && sram_bytes > plan_bytes) {
			notes[i] = (struct loom_program_cut){ .why = LOOM_CUT_NO_CHOICE };
			list->lower->sram.bytes = sram_bytes;
			ret = explain_join(list, group, cuts, num_cuts, i, &notes[i],
					   &to->joined[i]);
			list->lower->sram.bytes = plan_bytes;
		}
		notes[i].joined = LOOM_CUT_NONE;
		notes[i].without = LOOM_CUT_NONE;
	}
	if (!ret && num_cuts > 1) {
		group->budget = plan->budget;
		ret = explain_without(list, group, cuts, num_cuts, notes, to->without);
	}
	loom_group_free(group);
	return ret;
}
