// SPDX-License-Identifier: MIT
/*
 * DOC: Dividing a graph into groups
 *
 * The cheapest way to run units [0, n) ends with a group [i, n): a dynamic program over the last
 * cut. What a group costs is asked of the group itself, for a ladder of slice counts and for each
 * axis that its first result could be cut along; a group grows by one unit at a time, so that
 * what is known about its rows stays. Once it does not fit with all weights streamed, a longer
 * one does not, either.
 *
 * Fewest DRAM bytes win, then fewest cycles, then what was tried first. A node alone is lowered
 * as without groups, so the division never moves more than no groups at all would.
 */
#include "group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct ban - a group that could not be placed: it and what is longer is not tried again
 * @first_unit: its first unit
 * @num_units: its length
 * @slices: number of slices
 * @want_axis: axis that is cut
 */
struct ban {
	u32 first_unit;
	u32 num_units;
	u32 slices;
	u32 want_axis;
};

/**
 * struct row - the groups that begin with a unit
 * @cuts: by number of units less one: the cheapest; no units: there is none
 * @num_cuts: number of @cuts
 */
struct row {
	struct loom_group_cut *cuts;
	u32 num_cuts;
};

/**
 * struct divide - the state of dividing
 * @list: what is divided
 * @group: room to try groups in
 * @rows: by first unit: groups that begin there
 * @best: by number of units from the front: cost of the cheapest division of them
 * @last: by number of units: the last group of that division
 * @bans: what could not be placed
 * @num_bans: number of @bans
 * @cap_bans: room in @bans
 */
struct divide {
	struct loom_group_list *list;
	struct loom_group *group;
	struct row *rows;
	struct loom_group_cost *best;
	struct loom_group_cut *last;
	struct ban *bans;
	u32 num_bans;
	u32 cap_bans;
};

static bool cheaper(const struct loom_group_cost *a, const struct loom_group_cost *b)
{
	return a->bytes != b->bytes ? a->bytes < b->bytes : a->cycles < b->cycles;
}

/* A group; the cheapest of those with the same units is kept. */
static int offer(struct divide *d, const struct loom_group_cut *cut)
{
	struct row *row = &d->rows[cut->first_unit];
	struct loom_group_cut *kept, *cuts;

	if (cut->num_units > row->num_cuts) {
		cuts = realloc(row->cuts, cut->num_units * sizeof(*cuts));
		if (!cuts)
			return -ENOMEM;
		memset(&cuts[row->num_cuts], 0,
		       (cut->num_units - row->num_cuts) * sizeof(*cuts));
		row->cuts = cuts;
		row->num_cuts = cut->num_units;
	}
	kept = &row->cuts[cut->num_units - 1];
	if (!kept->num_units || cheaper(&cut->cost, &kept->cost))
		*kept = *cut;
	return 0;
}

static bool is_banned(const struct divide *d, const struct loom_group_cut *cut)
{
	u32 i;

	for (i = 0; i < d->num_bans; i++) {
		const struct ban *ban = &d->bans[i];

		if (ban->first_unit == cut->first_unit && ban->slices == cut->slices &&
		    ban->want_axis == cut->want_axis && cut->num_units >= ban->num_units)
			return true;
	}
	return false;
}

/* Nothing is loaded twice: more slices could not move less. */
static bool is_least(const struct loom_group *group)
{
	u32 index, i;

	for (index = 0; index < group->num_parts && group->slices > 1; index++) {
		const struct loom_group_part *part = &group->parts[index];
		const struct loom_kernel *kernel = &part->op->kernel;

		for (i = 1; i < kernel->num_operands; i++)
			if (part->root[i] == LOOM_GROUP_NONE && !(part->held >> i & 1) &&
			    kernel->operands[i].role == LOOM_ROLE_LOAD)
				return false;
	}
	return true;
}

/*
 * Groups that begin with a unit, for a number of slices and an axis. Those of up to @least units
 * are known already, and cannot be cheaper.
 */
static int grow(struct divide *d, u32 first, u32 slices, u32 axis, u32 *least)
{
	const struct loom_sram *sram = &d->list->lower->sram;
	struct loom_group *group = d->group;
	struct loom_group_cut cut = {
		.first_unit = first,
		.slices = slices,
		.want_axis = axis,
		.budget_bytes = sram->bytes,
	};
	int ret;

	loom_group_begin(group, first, slices, axis);
	group->overlap = false;
	while (loom_group_append(group)) {
		if (group->num_units <= *least)
			continue;
		ret = loom_group_fit(group, sram->bytes);
		if (ret)
			return ret == -ENOSPC ? 0 : ret;
		cut.num_units = group->num_units;
		cut.cost = group->cost;
		if (is_banned(d, &cut))
			return 0;
		ret = offer(d, &cut);
		if (ret)
			return ret;
		if (is_least(group) && *least + 1 == group->num_units)
			*least = group->num_units;
	}
	return 0;
}

static int try_from(struct divide *d, u32 first)
{
	const struct loom_group_unit *unit = &d->list->units[first];
	const struct loom_group_cut alone = {
		.first_unit = first,
		.num_units = 1,
		.alone = true,
		.cost = { .bytes = unit->alone_bytes, .cycles = unit->alone_cycles },
	};
	const struct loom_group_use *use;
	u32 slices, axis, least = 0;
	int ret;

	d->rows[first].num_cuts = 0;
	ret = offer(d, &alone);
	if (unit->alone || ret)
		return ret;
	ret = grow(d, first, 1, 0, &least);
	use = &d->list->uses[d->list->ops[unit->first_op]->access[0].value];
	for (axis = 0; axis < use->rank && !ret; axis++) {
		/* columns are not cut where rows are as many */
		if (axis > 2 && use->dims[axis] <= use->dims[2])
			continue;
		for (slices = 2; slices <= use->dims[axis] && slices <= LOOM_GROUP_SLICES && !ret;
		     slices = slices < 4 ? slices + 1 : slices + slices / 3)
			ret = grow(d, first, slices, axis, &least);
	}
	return ret;
}

/* What a node costs alone, by the slices that it would be cut into. */
static void cost_alone(struct loom_group_list *list, struct loom_group_unit *unit)
{
	const struct loom_sram *sram = &list->lower->sram;
	u64 need, elems;
	u32 i, k;

	for (i = 0; i < unit->num_ops; i++) {
		const struct loom_group_op *op = list->ops[unit->first_op + i];
		const struct loom_ref *y = &op->kernel.operands[0].ref;
		struct loom_tiling tiling;

		for (k = 0, elems = 1; k < y->rank; k++)
			elems *= y->dims[k];
		if (op->kind != LOOM_GROUP_COMPUTE) {
			unit->alone_bytes += elems * loom_dtype_bytes(y->dtype) *
					     (op->kind == LOOM_GROUP_COPY ? 2 : 1);
			unit->alone_cycles++;
		} else if (!loom_slice_choose(&op->kernel, sram, &tiling, &need)) {
			unit->alone_bytes += tiling.dram_bytes;
			unit->alone_cycles += tiling.slices;
		} else {
			/* merged axes may fit where these do not: a guess, and a bad one */
			unit->alone_bytes += 64 * elems * loom_dtype_bytes(y->dtype);
			unit->alone_cycles++;
		}
	}
}

/* The cheapest division by what is known of groups. */
static void combine(struct divide *d)
{
	u32 num_units = d->list->num_units, first, i;

	for (i = 1; i <= num_units; i++)
		d->best[i] = (struct loom_group_cost){ .bytes = U64_MAX, .cycles = U64_MAX };
	for (first = 0; first < num_units; first++) {
		for (i = 0; i < d->rows[first].num_cuts; i++) {
			const struct loom_group_cut *cut = &d->rows[first].cuts[i];
			struct loom_group_cost sum = {
				.bytes = d->best[first].bytes + cut->cost.bytes,
				.cycles = d->best[first].cycles + cut->cost.cycles,
			};

			if (!cut->num_units || !cheaper(&sum, &d->best[first + i + 1]))
				continue;
			d->best[first + i + 1] = sum;
			d->last[first + i + 1] = *cut;
		}
	}
}

/* Walks back from the end and puts the groups in order. */
static int collect(const struct divide *d, struct loom_group_cut **cuts, u32 *num_cuts)
{
	u32 count = 0, at;

	for (at = d->list->num_units; at; at = d->last[at].first_unit)
		count++;
	*cuts = calloc((size_t)count + 1, sizeof(**cuts));
	if (!*cuts)
		return -ENOMEM;
	*num_cuts = count;
	for (at = d->list->num_units; at; at = d->last[at].first_unit)
		(*cuts)[--count] = d->last[at];
	return 0;
}

/*
 * The promise kept: offsets for all items. With loads beside work, if that fits as well; else
 * one after the other; else with a little less to place.
 */
static int settle(struct divide *d, struct loom_group_cut *cut)
{
	const struct loom_sram *sram = &d->list->lower->sram;
	u64 budget, height, bytes = cut->cost.bytes;
	u32 round, i;
	int ret = 0;

	if (cut->alone)
		return 0;
	for (round = 0; round < 24; round++) {
		bool overlap = sram->overlap && !(round & 1);

		budget = sram->bytes - sram->bytes / 64 * (round / 2);
		loom_group_begin(d->group, cut->first_unit, cut->slices, cut->want_axis);
		d->group->overlap = overlap;
		for (i = 0; i < cut->num_units; i++)
			if (!loom_group_append(d->group))
				return -EINVAL;
		ret = loom_group_fit(d->group, budget);
		if (!ret && round < 2 && d->group->cost.bytes > bytes)
			continue;
		if (!ret)
			ret = loom_group_place(d->group, sram->bytes, &height);
		if (ret && ret != -ENOSPC)
			return ret;
		if (ret)
			continue;
		cut->overlap = overlap;
		cut->budget_bytes = budget;
		cut->cost = d->group->cost;
		return 0;
	}
	return -ENOSPC;
}

static int add_ban(struct divide *d, const struct loom_group_cut *cut)
{
	u32 cap = d->cap_bans ? 2 * d->cap_bans : 16;
	struct ban *bans;

	if (d->num_bans == d->cap_bans) {
		bans = realloc(d->bans, cap * sizeof(*bans));
		if (!bans)
			return -ENOMEM;
		d->bans = bans;
		d->cap_bans = cap;
	}
	d->bans[d->num_bans++] = (struct ban){
		.first_unit = cut->first_unit,
		.num_units = cut->num_units,
		.slices = cut->slices,
		.want_axis = cut->want_axis,
	};
	return 0;
}

/* Places what was chosen. 1: something has no place, and is not to be chosen again. */
static int settle_all(struct divide *d, struct loom_group_cut *cuts, u32 num_cuts)
{
	bool again = false;
	u32 i;
	int ret;

	for (i = 0; i < num_cuts; i++) {
		ret = settle(d, &cuts[i]);
		if (ret == -ENOSPC) {
			ret = add_ban(d, &cuts[i]);
			if (!ret)
				ret = try_from(d, cuts[i].first_unit);
			again = true;
		}
		if (ret)
			return ret;
	}
	return again;
}

static int divide(struct divide *d, struct loom_group_cut **cuts, u32 *num_cuts)
{
	u32 num_units = d->list->num_units, i;
	int ret = 0;

	for (i = 0; i < num_units; i++)
		cost_alone(d->list, &d->list->units[i]);
	for (i = 0; i < num_units && !ret; i++)
		ret = try_from(d, i);
	while (!ret) {
		combine(d);
		free(*cuts);
		*cuts = NULL;
		ret = collect(d, cuts, num_cuts);
		if (!ret)
			ret = settle_all(d, *cuts, *num_cuts);
		if (!ret)
			return 0;
		ret = min(ret, 0);
	}
	return ret;
}

int loom_group_divide(struct loom_group_list *list, struct loom_group *group,
		      struct loom_group_cut **cuts, u32 *num_cuts)
{
	struct divide d = { .list = list, .group = group };
	size_t n = (size_t)list->num_units + 1;
	int ret = -ENOMEM;
	u32 i;

	d.rows = calloc(n, sizeof(*d.rows));
	d.best = calloc(n, sizeof(*d.best));
	d.last = calloc(n, sizeof(*d.last));
	if (d.rows && d.best && d.last)
		ret = divide(&d, cuts, num_cuts);
	for (i = 0; i < list->num_units && d.rows; i++)
		free(d.rows[i].cuts);
	free(d.rows);
	free(d.best);
	free(d.last);
	free(d.bans);
	return ret;
}
