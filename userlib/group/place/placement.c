// SPDX-License-Identifier: MIT
/*
 * Offsets of the items of a group in SRAM. Time is the positions of one slice; an item that is
 * alive over the end of the period is also alive at its begin, with a gap between. All slices use
 * the same offsets.
 */
#include "group/place/place.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_place.h"

/*
 * Search nodes for a placement, and for a hypothetical one. With more than FULL_ITEMS items, nodes
 * are slower, and their number is reduced accordingly.
 */
#define BUDGET		20000
#define FULL_ITEMS	128
#define QUICK_BUDGET	300

static void describe(const struct loom_group *group, const struct loom_group_item *item,
		     struct loom_place_item *to, struct loom_place_gap *gap)
{
	s32 first = loom_group_wrap(group, item->from), last = loom_group_wrap(group, item->to);

	*to = (struct loom_place_item){
		.size_bytes = item->bytes,
		.align_bytes = group->list->lower->sram.align_bytes,
		.upper = group->period,
		.flags = item->fixed ? LOOM_PLACE_FIXED : 0,
		.fixed = item->offset[0],
		.pools = 1,
	};
	if (item->whole || item->to - item->from + 1 >= group->period)
		return;
	if (first <= last) {
		to->lower = first;
		to->upper = last + 1;
	} else if (last + 1 < first) {
		gap->lower = last + 1;
		gap->upper = first;
		to->gaps = gap;
		to->num_gaps = 1;
	}
}

static int find_conflicts(const struct loom_group *group, struct loom_place_pair **pairs,
			  u32 *num_pairs)
{
	u32 *places = calloc((size_t)group->num_items + 1, sizeof(*places)), n = 0, i;
	int ret = -ENOMEM;

	for (i = 0; i < group->num_items && places; i++) {
		places[i] = n;
		n += group->items[i].buffers;
	}
	if (places)
		ret = loom_group_conflicts(group, places, pairs, num_pairs);
	free(places);
	return ret;
}

/* Digest of all inputs of a placement, including its effort. */
static struct loom_digest digest_of(const struct loom_group *group,
				    const struct loom_place_problem *problem)
{
	struct loom_digest digest = { { 0 } };
	u32 i;

	loom_digest_add(&digest, group->quick_only);
	loom_digest_add(&digest, problem->pools[0].capacity_bytes);
	loom_digest_add(&digest, problem->num_items);
	for (i = 0; i < problem->num_items; i++) {
		const struct loom_place_item *item = &problem->items[i];

		loom_digest_add(&digest, item->size_bytes);
		loom_digest_add(&digest, (u64)item->lower);
		loom_digest_add(&digest, (u64)item->upper);
		loom_digest_add(&digest, item->flags & LOOM_PLACE_FIXED ? item->fixed + 1 : 0);
		loom_digest_add(&digest, item->num_gaps ? (u64)item->gaps->lower + 1 : 0);
		loom_digest_add(&digest, item->num_gaps ? (u64)item->gaps->upper : 0);
	}
	for (i = 0; i < problem->num_conflicts; i++) {
		loom_digest_add(&digest, problem->conflicts[i].first);
		loom_digest_add(&digest, problem->conflicts[i].second);
		loom_digest_add(&digest, problem->conflicts[i].weight);
	}
	return digest;
}

/* Tries quick strategies first, then the full effort, or nothing. */
static int find_places(struct loom_group *group, const struct loom_place_problem *problem,
		       struct loom_place_result *result)
{
	static const char *const quick[] = { "greedy-size", "greedy-area", "exact" };
	struct loom_place_options how = { .fit_only = true, .budget = BUDGET };
	const struct loom_digest digest = digest_of(group, problem);
	int ret = -ENOSPC;
	u32 i;

	/* a division is tried many times, and most of its groups are unchanged */
	if (loom_seen_has(&group->misfits, &digest))
		return -ENOSPC;
	if (problem->num_items > FULL_ITEMS)
		how.budget = BUDGET * FULL_ITEMS / problem->num_items;
	if (!group->quick_only)
		ret = loom_place(problem, &how, result, NULL);
	how.budget = QUICK_BUDGET;
	for (i = 0; i < ARRAY_SIZE(quick) && ret == -ENOSPC; i++) {
		/* a search of fewer nodes than items cannot have placed them all */
		if (i == ARRAY_SIZE(quick) - 1 && problem->num_items > QUICK_BUDGET)
			break;
		how.strategy = quick[i];
		ret = loom_place(problem, &how, result, NULL);
	}
	if (ret == -ENOSPC && loom_seen_add(&group->misfits, &digest))
		return -ENOMEM;
	return ret;
}

static int place_items(struct loom_group *group, u32 count, struct loom_place_item *items,
		       struct loom_place_gap *gaps, u64 budget_bytes, u64 *height_bytes)
{
	struct loom_place_pool pool = {
		.capacity_bytes = budget_bytes,
		.sub_bank_bytes = group->list->lower->sram.sub_bank_bytes,
	};
	struct loom_place_problem problem = {
		.items = items, .num_items = count, .pools = &pool, .num_pools = 1,
	};
	struct loom_place_pair *pairs = NULL;
	struct loom_place_result result;
	u32 n = 0, i, k;
	int ret = 0;

	for (i = 0; i < group->num_items; i++)
		for (k = 0; k < group->items[i].buffers; k++, n++)
			describe(group, &group->items[i], &items[n], &gaps[n]);
	/* streams are kept apart in plans only, not in hypothetical placements */
	if (pool.sub_bank_bytes && group->overlap && !group->unpinned)
		ret = find_conflicts(group, &pairs, &problem.num_conflicts);
	problem.conflicts = pairs;
	if (!ret)
		ret = find_places(group, &problem, &result);
	free(pairs);
	/* fixed items collide: groups do not agree on the offset of a resident */
	if (ret)
		return ret == -EINVAL ? -ENOSPC : ret;
	for (i = 0, n = 0; i < group->num_items; i++)
		for (k = 0; k < group->items[i].buffers; k++)
			group->items[i].offset[k] = result.offsets[n++];
	*height_bytes = result.height_bytes[0];
	loom_place_result_free(&result);
	return 0;
}

/* The largest gap between fixed items, if @extra more bytes are fixed at @at. */
static u64 largest_gap(const struct loom_group *group, u64 at, u64 extra, u64 budget_bytes)
{
	u64 end = 0, most = 0, next, next_end;
	u32 i;

	while (end < budget_bytes) {
		next = budget_bytes;
		next_end = budget_bytes;
		if (extra && at >= end && at < next) {
			next = at;
			next_end = at + extra;
		}
		for (i = 0; i < group->num_residents; i++) {
			const struct loom_group_item *item =
				&group->items[group->resident_items[i]];

			if (!item->fixed || item->offset[0] < end || item->offset[0] >= next)
				continue;
			next = item->offset[0];
			next_end = item->offset[0] + item->bytes;
		}
		most = max(most, next - end);
		end = next_end;
	}
	return most;
}

static bool is_free(const struct loom_group *group, u64 at, u64 bytes)
{
	u32 i;

	for (i = 0; i < group->num_residents; i++) {
		const struct loom_group_item *item = &group->items[group->resident_items[i]];

		if (item->fixed && item->offset[0] < at + bytes &&
		    at < item->offset[0] + item->bytes)
			return false;
	}
	return true;
}

/* Fixes an item at the end of a free run that maximizes the largest remaining run. */
static bool fix_resident(const struct loom_group *group, struct loom_group_item *item,
			 u64 budget_bytes)
{
	u64 align = group->list->lower->sram.align_bytes, best = 0, at, gap;
	bool found = false;
	u32 i;

	for (i = 0; i < 2 * group->num_residents + 2; i++) {
		const struct loom_group_item *other;

		if (i < 2) {
			at = i ? (budget_bytes - item->bytes) / align * align : 0;
		} else {
			other = &group->items[group->resident_items[i / 2 - 1]];
			if (!other->fixed || (!(i & 1) && other->offset[0] < item->bytes))
				continue;
			at = other->offset[0];
			at = i & 1 ? at + other->bytes : at - item->bytes;
		}
		if (at + item->bytes > budget_bytes || !is_free(group, at, item->bytes))
			continue;
		gap = largest_gap(group, at, item->bytes, budget_bytes);
		if (found && gap <= best)
			continue;
		found = true;
		best = gap;
		item->offset[0] = at;
	}
	item->fixed = found;
	return found;
}

static int place(struct loom_group *group, u64 budget_bytes, u64 *height_bytes)
{
	struct loom_place_item *items;
	struct loom_place_gap *gaps;
	u32 count = 0, i;
	int ret = -ENOMEM;

	for (i = 0; i < group->num_items; i++) {
		if (group->items[i].buffers > ARRAY_SIZE(group->items[i].offset))
			return -ENOSPC;
		count += group->items[i].buffers;
	}
	items = calloc((size_t)count + 1, sizeof(*items));
	gaps = calloc((size_t)count + 1, sizeof(*gaps));
	if (items && gaps)
		ret = place_items(group, count, items, gaps, budget_bytes, height_bytes);
	free(items);
	free(gaps);
	return ret;
}

int loom_group_own_place(struct loom_group *group, u64 budget_bytes, u64 *height_bytes)
{
	bool made[LOOM_GROUP_RESIDENTS] = { false }, fixed = false;
	struct loom_group_item *item;
	u32 i;
	int ret;

	/* residents are at the ends, which leaves room in the middle for later ones */
	for (i = 0; i < group->num_residents; i++) {
		item = &group->items[group->resident_items[i]];
		made[i] = !item->fixed;
		if (item->bytes > budget_bytes)
			return -ENOSPC;
		if (made[i])
			fixed |= fix_resident(group, item, budget_bytes);
	}
	ret = place(group, budget_bytes, height_bytes);
	if (ret != -ENOSPC || !fixed)
		return ret;
	for (i = 0; i < group->num_residents; i++)
		if (made[i])
			group->items[group->resident_items[i]].fixed = false;
	return place(group, budget_bytes, height_bytes);
}
