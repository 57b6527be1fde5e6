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
 * @slices: number of slices; 0: any
 * @want_axis: axis that is cut
 * @in: what stays before it
 * @out: what stays after it
 */
struct ban {
	u32 first_unit;
	u32 num_units;
	u32 slices;
	u32 want_axis;
	u8 in;
	u8 out;
};

/* So many numbers of slices are tried where a group has no place. */
#define MOST_BANS	2
/* So many budgets, with overlap and without. */
#define ROUNDS		24
#define STATES	(LOOM_GROUP_STAYS * LOOM_GROUP_STAYS)

/**
 * struct row - the groups that begin with a unit
 * @cuts: by number of units less one, and by what stays before and after: the cheapest; no units:
 *	there is none
 * @num_cuts: number of @cuts over STATES
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
 * @best: by number of units from the front, and what stays then: cost of the cheapest division
 * @last: likewise: the last group of that division
 * @bans: what could not be placed
 * @num_bans: number of @bans
 * @cap_bans: room in @bans
 * @saved: parts of a group, to come back to
 * @rest: by unit: what it and those behind it have to move in any case: weights and outputs, once
 * @bound_bytes: a division that costs so much is known
 * @fitted: the group at work was fitted: its parts may have changed
 * @more: with more slices a group could fit that does not, or be cheaper
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
	struct loom_group_part *saved;
	u64 *rest;
	u64 bound_bytes;
	bool fitted;
	bool more;
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
		cuts = realloc(row->cuts, cut->num_units * STATES * sizeof(*cuts));
		if (!cuts)
			return -ENOMEM;
		memset(&cuts[row->num_cuts * STATES], 0,
		       (cut->num_units - row->num_cuts) * STATES * sizeof(*cuts));
		row->cuts = cuts;
		row->num_cuts = cut->num_units;
	}
	kept = &row->cuts[(cut->num_units - 1) * STATES + cut->in * LOOM_GROUP_STAYS + cut->out];
	if (!kept->num_units || cheaper(&cut->cost, &kept->cost))
		*kept = *cut;
	return 0;
}

static bool is_banned(const struct divide *d, const struct loom_group_cut *cut)
{
	u32 i;

	for (i = 0; i < d->num_bans; i++) {
		const struct ban *ban = &d->bans[i];

		if (ban->first_unit == cut->first_unit && ban->in == cut->in &&
		    ban->out == cut->out && cut->num_units >= ban->num_units &&
		    (!ban->slices || (ban->slices == cut->slices &&
				      ban->want_axis == cut->want_axis)))
			return true;
	}
	return false;
}

/* The cheapest group that is known with the same units and what stays. */
static const struct loom_group_cut *known(const struct divide *d, const struct loom_group_cut *cut)
{
	const struct row *row = &d->rows[cut->first_unit];
	const struct loom_group_cut *kept;

	if (cut->num_units > row->num_cuts)
		return NULL;
	kept = &row->cuts[(cut->num_units - 1) * STATES + cut->in * LOOM_GROUP_STAYS + cut->out];
	return kept->num_units ? kept : NULL;
}

/* What the cheapest way to a group's begin costs. */
static const struct loom_group_cost *way_to(const struct divide *d,
					    const struct loom_group_cut *cut)
{
	return &d->best[cut->first_unit * LOOM_GROUP_STAYS + cut->in];
}

/* A group at the end of the cheapest way to its begin. */
static void extend(struct divide *d, const struct loom_group_cut *cut)
{
	const struct loom_group_cost *from = way_to(d, cut);
	u32 to = (cut->first_unit + cut->num_units) * LOOM_GROUP_STAYS + cut->out;
	struct loom_group_cost sum = {
		.bytes = from->bytes + cut->cost.bytes,
		.cycles = from->cycles + cut->cost.cycles,
	};

	if (from->bytes == U64_MAX || !cheaper(&sum, &d->best[to]))
		return;
	d->best[to] = sum;
	d->last[to] = *cut;
}

/* Whether a way that costs @bytes up to a unit can still lead to the cheapest division. */
static bool may_win(const struct divide *d, u64 bytes, u32 unit)
{
	return bytes != U64_MAX && bytes + d->rest[unit] < d->bound_bytes;
}

/* The group as it is, with what stays after it. -ENOSPC: it does not fit. */
static int consider(struct divide *d, struct loom_group_cut *cut, u8 out)
{
	struct loom_group *group = d->group;
	const struct loom_group_cut *kept;
	u64 floor;
	int ret;

	if (!loom_group_stay_differs(d->list, group->first_unit + group->num_units, out) ||
	    !loom_group_reside(group, cut->in, out))
		return 0;
	cut->num_units = group->num_units;
	cut->out = out;
	kept = known(d, cut);
	floor = loom_group_cost_floor(group);
	if (kept && kept->cost.bytes <= floor) {
		extend(d, kept);
		return 0;
	}
	if (is_banned(d, cut)) {
		d->more = true;
		return 0;
	}
	if (!may_win(d, way_to(d, cut)->bytes + floor, cut->first_unit + cut->num_units))
		return 0;
	d->fitted = true;
	ret = loom_group_fit(group, cut->budget_bytes);
	d->more |= ret || group->cost.bytes > floor;
	if (ret)
		return ret;
	cut->cost = group->cost;
	ret = offer(d, cut);
	if (!ret)
		extend(d, cut);
	return ret;
}

/*
 * Lets a group grow until it does not fit even if all that it makes goes to DRAM. What is held
 * while more stays after it is of no consequence for the next.
 */
static int grow(struct divide *d, struct loom_group_cut *cut)
{
	struct loom_group *group = d->group;
	struct loom_group_part *saved = d->saved;
	int ret;
	u8 out;

	loom_group_begin(group, cut->first_unit, cut->slices, cut->want_axis);
	group->overlap = false;
	while (loom_group_append(group)) {
		ret = consider(d, cut, LOOM_GROUP_STAY_NONE);
		if (ret)
			return ret == -ENOSPC ? 0 : ret;
		for (out = LOOM_GROUP_STAY_LAST; out < LOOM_GROUP_STAYS; out++) {
			if (!loom_group_stay_differs(d->list, cut->first_unit + group->num_units,
						     out))
				continue;
			memcpy(saved, group->parts, group->num_parts * sizeof(*saved));
			d->fitted = false;
			ret = consider(d, cut, out);
			if (d->fitted)
				memcpy(group->parts, saved, group->num_parts * sizeof(*saved));
			if (ret && ret != -ENOSPC)
				return ret;
		}
	}
	return 0;
}

/* Groups that begin with a unit, with what stays before it. */
static int try_slices(struct divide *d, u32 first, u8 in)
{
	const struct loom_group_unit *unit = &d->list->units[first];
	const struct loom_group_use *use;
	struct loom_group_cut cut = {
		.first_unit = first,
		.in = in,
		.budget_bytes = d->list->lower->sram.bytes,
	};
	u32 slices, axis;
	int ret;

	cut.slices = 1;
	d->more = false;
	ret = grow(d, &cut);
	if (!d->more)
		return ret;
	use = &d->list->uses[d->list->ops[unit->first_op]->access[0].value];
	for (axis = 0; axis < use->rank && !ret; axis++) {
		/* columns are not cut where rows are as many */
		if (axis > 2 && use->dims[axis] <= use->dims[2])
			continue;
		cut.want_axis = axis;
		for (slices = 2; slices <= use->dims[axis] && slices <= LOOM_GROUP_SLICES && !ret;
		     slices = slices < 4 ? slices + 1 : slices + slices / 3) {
			cut.slices = slices;
			d->more = false;
			ret = grow(d, &cut);
			if (!d->more)
				break;
		}
	}
	return ret;
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
	int ret;
	u8 in;

	ret = offer(d, &alone);
	if (!ret)
		extend(d, &alone);
	for (in = 0; in < LOOM_GROUP_STAYS && !ret && !unit->alone; in++)
		if (loom_group_stay_differs(d->list, first, in) &&
		    may_win(d, d->best[first * LOOM_GROUP_STAYS + in].bytes, first))
			ret = try_slices(d, first, in);
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

static void forget_ways(struct divide *d)
{
	u32 i;

	d->best[0] = (struct loom_group_cost){ .bytes = 0 };
	for (i = 1; i < (d->list->num_units + 1) * LOOM_GROUP_STAYS; i++)
		d->best[i] = (struct loom_group_cost){ .bytes = U64_MAX, .cycles = U64_MAX };
}

/* The cheapest division by what is known of groups. */
static void combine(struct divide *d)
{
	u32 num_units = d->list->num_units, first, i;

	forget_ways(d);
	for (first = 0; first < num_units; first++)
		for (i = 0; i < d->rows[first].num_cuts * STATES; i++)
			if (d->rows[first].cuts[i].num_units)
				extend(d, &d->rows[first].cuts[i]);
}

/* The last group of the cheapest division up to a group's begin. */
static const struct loom_group_cut *before(const struct divide *d, const struct loom_group_cut *cut)
{
	return cut->first_unit ? &d->last[cut->first_unit * LOOM_GROUP_STAYS + cut->in] : NULL;
}

/* Walks back from the end and puts the groups in order. */
static int collect(const struct divide *d, struct loom_group_cut **cuts, u32 *num_cuts)
{
	const struct loom_group_cut *end = NULL, *cut;
	u32 count = 0;

	if (d->list->num_units)
		end = &d->last[d->list->num_units * LOOM_GROUP_STAYS];
	for (cut = end; cut; cut = before(d, cut))
		count++;
	*cuts = calloc((size_t)count + 1, sizeof(**cuts));
	if (!*cuts)
		return -ENOMEM;
	*num_cuts = count;
	for (cut = end; cut; cut = before(d, cut))
		(*cuts)[--count] = *cut;
	return 0;
}

/* How often a group with the same units and what stays had no place. */
static u32 count_bans(const struct divide *d, const struct loom_group_cut *cut)
{
	u32 count = 0, i;

	for (i = 0; i < d->num_bans; i++)
		count += d->bans[i].first_unit == cut->first_unit && d->bans[i].in == cut->in &&
			 d->bans[i].out == cut->out && d->bans[i].num_units == cut->num_units;
	return count;
}

/* A group fitted into a budget, and placed. */
static int settle_in(struct divide *d, const struct loom_group_cut *cut, u64 budget_bytes,
		     bool overlap)
{
	struct loom_group *group = d->group;
	u64 height;
	u32 i;
	int ret;

	loom_group_begin(group, cut->first_unit, cut->slices, cut->want_axis);
	group->overlap = overlap;
	for (i = 0; i < cut->num_units; i++)
		if (!loom_group_append(group))
			return -EINVAL;
	if (!loom_group_reside(group, cut->in, cut->out))
		return -EINVAL;
	ret = loom_group_fit(group, budget_bytes);
	return ret ? ret : loom_group_place(group, d->list->lower->sram.bytes, &height);
}

/*
 * The promise kept: offsets for all items. With loads beside work, if that costs no more; else one
 * after the other; else with a little less to place, which may cost more.
 */
static int settle(struct divide *d, struct loom_group_cut *cut)
{
	const struct loom_sram *sram = &d->list->lower->sram;
	const struct loom_group_cut promised = *cut;
	struct loom_group_cut best = { .cost.bytes = U64_MAX };
	u32 round, i;
	u64 budget;
	int ret;

	if (cut->alone)
		return 0;
	for (round = 0; round < ROUNDS && best.cost.bytes > promised.cost.bytes; round++) {
		bool overlap = !(round & 1);

		if (overlap && !sram->overlap)
			continue;
		budget = sram->bytes - sram->bytes / 64 * (round / 2);
		ret = settle_in(d, &promised, budget, overlap);
		if (ret && ret != -ENOSPC)
			return ret;
		if (ret || d->group->cost.bytes >= best.cost.bytes)
			continue;
		best = promised;
		best.overlap = overlap;
		best.budget_bytes = budget;
		best.cost = d->group->cost;
	}
	/* rather another number of slices than much more to move */
	if (best.cost.bytes == U64_MAX ||
	    (best.cost.bytes > promised.cost.bytes + promised.cost.bytes / 64 &&
	     count_bans(d, cut) < MOST_BANS))
		return -ENOSPC;
	*cut = best;
	ret = settle_in(d, cut, cut->budget_bytes, cut->overlap);
	for (i = 0; i < d->group->num_residents && !ret; i++)
		d->group->homes[d->group->residents[i]].offset =
			d->group->items[d->group->resident_items[i]].offset[0];
	return ret;
}

static int add_ban(struct divide *d, const struct loom_group_cut *cut)
{
	u32 cap = d->cap_bans ? 2 * d->cap_bans : 16;
	/* when it is not the slices, but what stays that is in the way */
	bool all = count_bans(d, cut) >= MOST_BANS && (cut->in || cut->out);
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
		.slices = all ? 0 : cut->slices,
		.want_axis = cut->want_axis,
		.in = cut->in,
		.out = cut->out,
	};
	return 0;
}

/* The same groups once more, but for what is banned. */
static int try_again(struct divide *d, u32 first, u8 in)
{
	struct row *row = &d->rows[first];
	struct loom_group_cut *cut;
	u32 i;

	for (i = 0; i < row->num_cuts * STATES; i++) {
		cut = &row->cuts[i];
		if (cut->num_units && cut->in == in && !cut->alone)
			cut->num_units = 0;
	}
	return try_slices(d, first, in);
}

/* Places what was chosen. 1: something has no place, and is not to be chosen again. */
static int settle_all(struct divide *d, struct loom_group_cut *cuts, u32 num_cuts)
{
	bool again = false;
	u32 i;
	int ret;

	for (i = 0; i < num_cuts && !again; i++) {
		ret = settle(d, &cuts[i]);
		if (ret == -ENOSPC) {
			ret = add_ban(d, &cuts[i]);
			if (!ret)
				ret = try_again(d, cuts[i].first_unit, cuts[i].in);
			again = true;
		}
		if (ret)
			return ret;
	}
	return again;
}

/* What each unit has to move in any case, summed up from the end. */
static void sum_rest(struct divide *d)
{
	const struct loom_group_list *list = d->list;
	u32 u, i, k, a;

	for (u = list->num_units; u-- > 0;) {
		d->rest[u] = d->rest[u + 1];
		for (i = 0; i < list->units[u].num_ops; i++) {
			u32 index = list->units[u].first_op + i;
			const struct loom_kernel *kernel = &list->ops[index]->kernel;

			for (k = 0; k < kernel->num_operands; k++) {
				const struct loom_operand *operand = &kernel->operands[k];
				u32 value = list->ops[index]->access[k].value;
				u64 bytes = loom_dtype_bytes(operand->ref.dtype);

				for (a = 0; a < operand->ref.rank; a++)
					bytes *= operand->ref.dims[a];
				if (operand->role == LOOM_ROLE_STORE && list->uses[value].seen)
					d->rest[u] += bytes;
				if (operand->role == LOOM_ROLE_LOAD &&
				    list->lower->graph->values[value]->data &&
				    list->uses[value].last_reader == index)
					d->rest[u] += bytes;
			}
		}
	}
}

/* From the front, always the longest group: something to beat. */
static int find_bound(struct divide *d)
{
	u32 at = 0, end, num_units = d->list->num_units, i;
	u64 bytes = 0;
	int ret = 0;

	d->bound_bytes = U64_MAX;
	while (at < num_units && !ret) {
		const struct loom_group_cut *cut = NULL;

		d->best[at * LOOM_GROUP_STAYS].bytes = bytes;
		ret = try_from(d, at);
		for (i = 0; i < d->rows[at].num_cuts * STATES; i += STATES)
			if (d->rows[at].cuts[i].num_units)
				cut = &d->rows[at].cuts[i];
		end = cut ? at + cut->num_units : num_units;
		bytes += cut ? cut->cost.bytes : 0;
		at = end;
	}
	/* its groups are kept: another division has to be cheaper */
	d->bound_bytes = bytes;
	return ret;
}

static int divide(struct divide *d, struct loom_group_cut **cuts, u32 *num_cuts)
{
	u32 num_units = d->list->num_units, i;
	int ret = 0;

	for (i = 0; i < num_units; i++)
		cost_alone(d->list, &d->list->units[i]);
	sum_rest(d);
	forget_ways(d);
	ret = find_bound(d);
	forget_ways(d);
	for (i = 0; i < num_units && !ret; i++)
		ret = try_from(d, i);
	while (!ret) {
		combine(d);
		/* instead of what has no place, something a little dearer will do */
		d->bound_bytes = d->best[num_units * LOOM_GROUP_STAYS].bytes;
		d->bound_bytes += d->bound_bytes / 8;
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
	d.best = calloc(n * LOOM_GROUP_STAYS, sizeof(*d.best));
	d.last = calloc(n * LOOM_GROUP_STAYS, sizeof(*d.last));
	d.saved = calloc(LOOM_GROUP_OPS, sizeof(*d.saved));
	d.rest = calloc(n, sizeof(*d.rest));
	if (d.rows && d.best && d.last && d.saved && d.rest)
		ret = divide(&d, cuts, num_cuts);
	for (i = 0; i < list->num_units && d.rows; i++)
		free(d.rows[i].cuts);
	free(d.rows);
	free(d.best);
	free(d.last);
	free(d.bans);
	free(d.saved);
	free(d.rest);
	return ret;
}
