// SPDX-License-Identifier: MIT
/*
 * DOC: What a group might cost
 *
 * Asking a group what it costs (strip.c, schedule.c) is exact, and takes tens of
 * microseconds: too long for the hundreds of thousands of groups that a graph of 500 nodes has. A
 * guess looks at the middle of the picture only: how many rows an operator lags behind, how many
 * a reader keeps, and from that what strips, line buffers and weights take, for a ladder of slice
 * counts at once. It errs by the first and the last slice, by alignment and by what cannot be
 * dealt out evenly; nothing is promised on its word. divide.c asks for guesses first, and for
 * the truth where a guess is good.
 *
 * Rows are counted in 1/ONE, so that strides do not get lost.
 */
#include "group.h"

#include <stdlib.h>
#include <string.h>

#define ONE	256

/**
 * struct sight - a value as a pass sees it
 * @epoch: the pass that has seen it; else it is new
 * @inside: the group makes it
 * @partial: parts of it, which go to DRAM
 * @resident: it was there as a whole before the group
 * @axis: axis that is cut, or -1
 * @rows: elements along it
 * @row_bytes: SRAM per lane of one of them; of all if no axis is cut
 * @lag: how far it is behind, in 1/ONE rows
 * @kept: how much of it readers look at again, likewise
 * @first: first op that touches it
 * @last: last op that does
 */
struct sight {
	u32 epoch;
	bool inside;
	bool partial;
	bool resident;
	s8 axis;
	u64 rows;
	u64 row_bytes;
	s64 lag;
	s64 kept;
	u16 first;
	u16 last;
};

/**
 * struct burden - what an op has of its own
 * @dram_bytes: what is loaded for it
 * @lane_bytes: SRAM per lane for all of it
 * @least_bytes: SRAM per lane for the smallest chunk
 */
struct burden {
	u64 dram_bytes;
	u64 lane_bytes;
	u64 least_bytes;
};

/**
 * struct loom_group_guess - room for passes
 * @list: the graph
 * @sights: by value
 * @epoch: number of the pass
 * @weights: by op and operand: what of its own is constant
 * @first_unit: first unit of the group
 * @first_op: first op of it
 * @num_ops: ops so far
 * @want_axis: axis of the first result that is cut
 * @rungs: numbers of slices, ascending; a single 1: the group is not cut
 * @num_rungs: number of @rungs
 * @profile: by op and rung: strips alive
 * @peak: by rung: the largest of that
 * @lines: by rung: line buffers
 * @standing_bytes: what is there as a whole from before
 * @open: values made here that others, too, will read
 * @num_open: number of @open
 * @moved_bytes: loads and stores that there are in any case
 * @held_bytes: weights, in SRAM per lane
 * @weight_bytes: weights, in DRAM
 * @least_bytes: the largest of the smallest chunks
 */
struct loom_group_guess {
	const struct loom_group_list *list;
	struct sight *sights;
	u32 epoch;
	struct burden (*weights)[LOOM_KERNEL_OPERANDS];
	u32 first_unit;
	u32 first_op;
	u32 num_ops;
	u32 want_axis;
	u32 rungs[LOOM_GROUP_RUNGS];
	u32 num_rungs;
	u64 (*profile)[LOOM_GROUP_RUNGS];
	u64 peak[LOOM_GROUP_RUNGS];
	u64 lines[LOOM_GROUP_RUNGS];
	u64 standing_bytes;
	u32 open[LOOM_GROUP_ROOTS];
	u32 num_open;
	u64 moved_bytes;
	u64 held_bytes;
	u64 weight_bytes;
	u64 least_bytes;
};

static u64 align_up(const struct loom_group_list *list, u64 bytes)
{
	u64 align = list->lower->sram.align_bytes;

	return loom_div_round_up(bytes, align) * align;
}

static u64 ref_bytes(const struct loom_ref *ref)
{
	u64 bytes = loom_dtype_bytes(ref->dtype);
	u32 i;

	for (i = 0; i < ref->rank; i++)
		bytes *= ref->dims[i];
	return bytes;
}

static u64 value_bytes(const struct loom_group_use *use)
{
	u64 bytes = use->elem_bytes;
	u32 i;

	for (i = 0; i < use->rank; i++)
		bytes *= use->dims[i];
	return bytes;
}

static bool is_const(const struct loom_group_list *list, u32 value)
{
	return list->lower->graph->values[value]->data;
}

/* An operand of an op's own, whole and in the smallest chunks. */
static void add_burden(const struct loom_group_list *list, const struct loom_operand *operand,
		       struct burden *to)
{
	u64 bytes = loom_dtype_bytes(operand->ref.dtype), most = 1, dim;
	u32 k;

	for (k = 0; k < operand->ref.rank; k++) {
		dim = operand->ref.dims[k];
		if (k == operand->lane_axis)
			dim = loom_div_round_up(dim, list->lower->sram.lanes);
		bytes *= dim;
		if (operand->map[k].kind == LOOM_MAP_SAME ||
		    operand->map[k].kind == LOOM_MAP_GROUP_PART)
			most = max(most, dim);
	}
	to->lane_bytes += align_up(list, bytes);
	to->least_bytes += align_up(list, bytes / most);
	if (operand->role == LOOM_ROLE_LOAD)
		to->dram_bytes += ref_bytes(&operand->ref);
}

static void weigh(struct loom_group_guess *guess)
{
	const struct loom_group_list *list = guess->list;
	u32 i, k;

	for (i = 0; i < list->num_ops; i++) {
		const struct loom_group_op *op = list->ops[i];

		for (k = 1; k < op->kernel.num_operands && op->kind == LOOM_GROUP_COMPUTE; k++) {
			const struct loom_operand *operand = &op->kernel.operands[k];

			if (operand->role == LOOM_ROLE_FILL ||
			    (operand->role == LOOM_ROLE_LOAD &&
			     is_const(list, op->access[k].value)))
				add_burden(list, operand, &guess->weights[i][k]);
		}
	}
}

struct loom_group_guess *loom_group_guess_make(const struct loom_group_list *list)
{
	struct loom_group_guess *guess = calloc(1, sizeof(*guess));

	if (!guess)
		return NULL;
	guess->list = list;
	guess->sights = calloc((size_t)list->lower->graph->num_values + 1, sizeof(*guess->sights));
	guess->weights = calloc((size_t)list->num_ops + 1, sizeof(*guess->weights));
	guess->profile = calloc(LOOM_GROUP_OPS, sizeof(*guess->profile));
	if (guess->sights && guess->weights && guess->profile) {
		weigh(guess);
		return guess;
	}
	loom_group_guess_free(guess);
	return NULL;
}

void loom_group_guess_free(struct loom_group_guess *guess)
{
	if (!guess)
		return;
	free(guess->sights);
	free(guess->weights);
	free(guess->profile);
	free(guess);
}

u32 loom_group_rungs(u64 dim, u32 *rungs)
{
	u64 most = dim < LOOM_GROUP_SLICES ? dim : LOOM_GROUP_SLICES, rows, slices;
	u32 count = 0;

	/* each number of rows, where they are few; steps of an eighth where they are many */
	for (rows = dim / 2; rows && count < LOOM_GROUP_RUNGS; rows -= max(rows / 8, (u64)1)) {
		slices = loom_div_round_up(dim, rows);
		if (slices > most)
			break;
		if (!count || rungs[count - 1] < slices)
			rungs[count++] = slices;
	}
	return count;
}

static struct sight *see(struct loom_group_guess *guess, u32 value)
{
	struct sight *sight = &guess->sights[value];

	return sight->epoch == guess->epoch ? sight : NULL;
}

static u64 strip_bytes(const struct loom_group_guess *guess, const struct sight *sight, u32 rung)
{
	u64 slices = guess->rungs[rung], rows;

	if (sight->axis < 0)
		return sight->row_bytes;
	rows = loom_div_round_up(sight->rows, slices) +
	       (u64)loom_div_round_up((u64)sight->kept, (u64)ONE);
	if (sight->inside && slices < LOOM_GROUP_DRAIN)
		rows += (u64)sight->lag / ONE;
	return align_up(guess->list, min(rows, sight->rows) * sight->row_bytes);
}

static u64 line_bytes(const struct loom_group_guess *guess, const struct sight *sight)
{
	u64 rows = loom_div_round_up((u64)sight->kept, (u64)ONE);

	return sight->axis < 0 ? 0 : align_up(guess->list, rows * sight->row_bytes);
}

/* Adds a value to the profile, or takes it out. What is there as a whole is counted elsewhere. */
static void count_sight(struct loom_group_guess *guess, const struct sight *sight, bool add)
{
	u64 line = line_bytes(guess, sight), extra;
	u32 q, k;

	if (sight->resident && guess->rungs[0] > 1)
		return;
	for (q = 0; q < guess->num_rungs; q++) {
		extra = strip_bytes(guess, sight, q);
		extra = extra > line ? extra - line : 0;
		guess->lines[q] += add ? line : 0 - line;
		for (k = sight->first; k <= sight->last; k++) {
			guess->profile[k][q] += add ? extra : 0 - extra;
			if (add)
				guess->peak[q] = max(guess->peak[q], guess->profile[k][q]);
		}
	}
}

/* SRAM per lane of a row of a value, or of all of it. */
static u64 row_bytes(const struct loom_group_list *list, const struct loom_group_use *use, s8 axis)
{
	u64 best = U64_MAX, bytes;
	u32 lane, i;

	for (lane = 0; lane < use->rank; lane++) {
		if (!(use->lanes >> lane & 1) && use->lanes)
			continue;
		bytes = use->elem_bytes;
		for (i = 0; i < use->rank; i++) {
			u64 dim = (s8)i == axis ? 1 : use->dims[i];

			bytes *= i == lane ? loom_div_round_up(dim, list->lower->sram.lanes) : dim;
		}
		best = min(best, bytes);
	}
	return best == U64_MAX ? S64_MAX / 4 : best;
}

static struct sight *new_sight(struct loom_group_guess *guess, u32 value, s8 axis, bool inside)
{
	const struct loom_group_use *use = &guess->list->uses[value];
	struct sight *sight = &guess->sights[value];

	*sight = (struct sight){
		.epoch = guess->epoch,
		.inside = inside,
		.axis = axis,
		.rows = axis >= 0 ? use->dims[axis] : 1,
		.row_bytes = row_bytes(guess->list, use, axis),
		.first = guess->num_ops,
		.last = guess->num_ops,
	};
	if (axis < 0)
		sight->row_bytes = align_up(guess->list, sight->row_bytes);
	return sight;
}

void loom_group_guess_begin(struct loom_group_guess *guess, u32 first_unit, u8 in, u32 want_axis,
			    const u32 *rungs, u32 num_rungs)
{
	const struct loom_group_list *list = guess->list;
	u32 i;

	guess->epoch++;
	guess->first_unit = first_unit;
	guess->first_op = list->units[first_unit].first_op;
	guess->num_ops = 0;
	guess->want_axis = want_axis;
	guess->num_rungs = num_rungs;
	memcpy(guess->rungs, rungs, num_rungs * sizeof(*rungs));
	memset(guess->peak, 0, sizeof(guess->peak));
	memset(guess->lines, 0, sizeof(guess->lines));
	guess->num_open = 0;
	guess->moved_bytes = 0;
	guess->held_bytes = 0;
	guess->weight_bytes = 0;
	guess->least_bytes = 0;
	guess->standing_bytes = 0;
	for (i = list->live_first[first_unit]; i < list->live_first[first_unit + 1]; i++) {
		u32 value = list->live[i];
		struct sight *sight;

		if (!loom_group_resides(list, value, first_unit, in))
			continue;
		sight = new_sight(guess, value, -1, false);
		sight->resident = true;
		guess->standing_bytes += list->uses[value].whole_bytes;
	}
}

/* The axis of the result that is cut, as operand @i wants it; -1: it does not care. */
static bool ask_operand(struct loom_group_guess *guess, const struct loom_group_op *op, u32 i,
			bool inside, s8 *cut)
{
	const struct loom_operand *operand = &op->kernel.operands[i];
	const struct loom_group_access *access = &op->access[i];
	const struct sight *sight;
	u32 k;

	*cut = -1;
	if (operand->role != LOOM_ROLE_LOAD)
		return true;
	sight = see(guess, access->value);
	if (!sight || sight->resident || sight->inside != inside)
		return true;
	if (inside && (sight->partial || !access->plain))
		return false;
	if (!access->plain || guess->rungs[0] == 1)
		return true;
	if (!loom_group_operand_axis(access, operand->ref.rank, sight->axis, &k) ||
	    operand->map[k].kind == LOOM_MAP_FULL)
		return !inside;
	*cut = operand->map[k].axis;
	return true;
}

static bool choose_cut(struct loom_group_guess *guess, const struct loom_group_op *op, s8 *cut)
{
	const struct loom_kernel *kernel = &op->kernel;
	u32 i, k, inside;
	s8 asked;

	*cut = -1;
	for (inside = 2; inside-- > 0;) {
		for (i = 1; i < kernel->num_operands; i++) {
			if (!ask_operand(guess, op, i, inside, &asked))
				return false;
			if (inside && *cut >= 0 && asked >= 0 && asked != *cut)
				return false;
			if (*cut < 0)
				*cut = asked;
		}
	}
	if (guess->rungs[0] == 1)
		return true;
	if (*cut < 0) {
		if (!loom_group_operand_axis(&op->access[0], kernel->operands[0].ref.rank,
					     guess->want_axis, &k))
			return false;
		*cut = k;
	}
	if (kernel->whole >> *cut & 1 || op->access[0].axis[*cut] < 0)
		return false;
	return !(kernel->group > 1 && *cut == 1);
}

/* What reading operand @i means for it: how far the result is behind then, in its own rows. */
static s64 lag_behind(const struct loom_kernel *kernel, u32 i, u32 axis, s8 cut, s64 lag,
		      s64 *stride, s64 *before)
{
	u64 rows = kernel->operands[0].ref.dims[cut], middle = rows / 2, lo, hi;
	s64 after;

	loom_kernel_range(kernel, &kernel->operands[i], axis, middle, middle + 1, &lo, &hi);
	*stride = max((s64)(kernel->operands[i].ref.dims[axis] * ONE / rows), (s64)1);
	after = (s64)hi * ONE - (s64)(middle + 1) * *stride;
	*before = (s64)lo * ONE - (s64)middle * *stride;
	return max((lag + after) * ONE / *stride, (s64)0);
}

/* What an op has of its own: in parts, where it follows what is cut. */
static void take_weights(struct loom_group_guess *guess, u32 index, s8 cut)
{
	const struct loom_kernel *kernel = &guess->list->ops[index]->kernel;
	u64 least = 0;
	u32 i, axis;

	for (i = 1; i < kernel->num_operands; i++) {
		const struct burden *burden = &guess->weights[index][i];

		least += burden->least_bytes;
		if (cut >= 0 && burden->lane_bytes &&
		    loom_group_follower(&kernel->operands[i], cut, &axis)) {
			guess->moved_bytes += burden->dram_bytes;
			continue;
		}
		guess->weight_bytes += burden->dram_bytes;
		guess->held_bytes += burden->lane_bytes;
	}
	guess->least_bytes = max(guess->least_bytes, least);
}

/* A strip that an op reads. */
struct reading {
	struct sight *sight;
	s64 stride;
	s64 before;
};

/* Operand @i, if it is no constant. False: this op cannot be in the group. */
static bool take_operand(struct loom_group_guess *guess, const struct loom_group_op *op, u32 i,
			 s8 cut, struct reading *readings, u32 *num_readings, s64 *lag)
{
	const struct loom_operand *operand = &op->kernel.operands[i];
	const struct loom_group_access *access = &op->access[i];
	const struct loom_group_list *list = guess->list;
	struct sight *sight = see(guess, access->value);
	struct burden own = { 0 };
	u32 axis = 0;
	bool follows;

	if (sight && sight->resident) {
		readings[*num_readings] = (struct reading){ .sight = sight };
		(*num_readings)++;
		return true;
	}
	follows = cut >= 0 && loom_group_follower(operand, cut, &axis);
	if (!sight || !sight->inside) {
		bool strip = access->plain;

		if (op->kind == LOOM_GROUP_COPY && !sight) {
			guess->moved_bytes += ref_bytes(&operand->ref);
			return true;
		}
		if (cut >= 0)
			strip = strip && follows && access->axis[axis] >= 0 &&
				access->step[axis] > 0 &&
				(!sight || sight->axis == access->axis[axis]);
		if (!strip) {
			add_burden(list, operand, &own);
			guess->moved_bytes += follows ? own.dram_bytes : 0;
			guess->weight_bytes += follows ? 0 : own.dram_bytes;
			guess->held_bytes += follows ? 0 : own.lane_bytes;
			guess->least_bytes = max(guess->least_bytes, own.least_bytes);
			return true;
		}
		if (!sight) {
			sight = new_sight(guess, access->value, cut >= 0 ? access->axis[axis] : -1,
					  false);
			guess->moved_bytes += min(ref_bytes(&operand->ref),
						  value_bytes(&list->uses[access->value]));
			count_sight(guess, sight, true);
		}
	}
	readings[*num_readings] = (struct reading){ .sight = sight };
	if (cut >= 0) {
		if (!loom_group_operand_axis(access, operand->ref.rank, sight->axis, &axis))
			return false;
		*lag = max(*lag, lag_behind(&op->kernel, i, axis, cut, sight->lag,
					    &readings[*num_readings].stride,
					    &readings[*num_readings].before));
	}
	(*num_readings)++;
	return true;
}

static bool take_result(struct loom_group_guess *guess, const struct loom_group_op *op, s8 cut,
			s64 lag)
{
	const struct loom_group_access *access = &op->access[0];
	const struct loom_group_use *use = &guess->list->uses[access->value];
	struct sight *sight = see(guess, access->value);
	s8 axis = cut >= 0 ? access->axis[cut] : -1;
	bool partial = use->first_writer < guess->first_op;
	u64 bytes = ref_bytes(&op->kernel.operands[0].ref);

	if (use->seen || partial)
		guess->moved_bytes += bytes;
	if (sight) {
		if (!sight->inside || sight->axis != axis || partial)
			return false;
		count_sight(guess, sight, false);
		sight->lag = max(sight->lag, lag);
		sight->last = guess->num_ops;
		count_sight(guess, sight, true);
		return true;
	}
	sight = new_sight(guess, access->value, axis, true);
	sight->lag = lag;
	sight->partial = partial;
	count_sight(guess, sight, true);
	if (guess->num_open == LOOM_GROUP_ROOTS)
		return false;
	if (!use->seen && !partial)
		guess->open[guess->num_open++] = access->value;
	return true;
}

static bool append_op(struct loom_group_guess *guess, u32 index)
{
	const struct loom_group_op *op = guess->list->ops[index];
	struct reading readings[LOOM_KERNEL_OPERANDS];
	u32 num_readings = 0, i;
	s64 lag = 0;
	s8 cut;

	if (guess->num_ops == LOOM_GROUP_OPS || !choose_cut(guess, op, &cut))
		return false;
	memset(guess->profile[guess->num_ops], 0, sizeof(*guess->profile));
	for (i = 1; i < op->kernel.num_operands; i++) {
		if (op->kernel.operands[i].role != LOOM_ROLE_LOAD ||
		    is_const(guess->list, op->access[i].value))
			continue;
		if (!take_operand(guess, op, i, cut, readings, &num_readings, &lag))
			return false;
	}
	for (i = 0; i < num_readings; i++) {
		struct sight *sight = readings[i].sight;
		s64 kept = sight->kept;

		if (cut >= 0 && !sight->resident) {
			kept = max(kept, lag * readings[i].stride / ONE - sight->lag -
				   readings[i].before);
			kept = min(kept, (s64)sight->rows * ONE);
		}
		count_sight(guess, sight, false);
		sight->kept = kept;
		sight->last = guess->num_ops;
		count_sight(guess, sight, true);
	}
	if (!take_result(guess, op, cut, lag))
		return false;
	take_weights(guess, index, cut);
	guess->num_ops++;
	return true;
}

/* What just does not fit by a guess may fit in truth. */
static u64 hopeful(const struct loom_group_guess *guess)
{
	u64 budget = guess->list->lower->sram.bytes;

	return budget + budget / 8;
}

/* Even the thinnest slices do not fit, with nothing held. */
static bool is_over(const struct loom_group_guess *guess)
{
	u64 budget = hopeful(guess);
	u32 q;

	for (q = 0; q < guess->num_rungs; q++)
		if (guess->lines[q] + guess->peak[q] <= budget)
			return false;
	return true;
}

bool loom_group_guess_append(struct loom_group_guess *guess, u32 num_units)
{
	const struct loom_group_list *list = guess->list;
	const struct loom_group_unit *unit;
	u32 at = guess->first_unit + num_units, i;

	if (at >= list->num_units || list->units[at].alone)
		return false;
	unit = &list->units[at];
	for (i = 0; i < unit->num_ops; i++)
		if (!append_op(guess, unit->first_op + i))
			return false;
	return !is_over(guess);
}

/* What goes to DRAM at the end because it does not stay. */
static u64 store_bytes(struct loom_group_guess *guess, u32 end, u8 out)
{
	const struct loom_group_list *list = guess->list;
	u32 end_op = end < list->num_units ? list->units[end].first_op : list->num_ops;
	u64 bytes = 0;
	u32 i, kept = 0;

	for (i = 0; i < guess->num_open; i++) {
		u32 value = guess->open[i];
		const struct loom_group_use *use = &list->uses[value];

		if (use->last_writer < end_op && (!use->read || use->last_reader < end_op))
			continue;
		guess->open[kept++] = value;
		if (use->last_writer >= end_op || !loom_group_resides(list, value, end, out))
			bytes += value_bytes(use);
	}
	guess->num_open = kept;
	return bytes;
}

/* What stayed before and is let go is stored first. */
static u64 flush_bytes(const struct loom_group_guess *guess, u32 end, u8 in, u8 out)
{
	const struct loom_group_list *list = guess->list;
	u32 first = guess->first_unit, end_op, i;
	u64 bytes = 0;

	end_op = end < list->num_units ? list->units[end].first_op : list->num_ops;
	for (i = list->live_first[first]; i < list->live_first[first + 1] && in; i++) {
		const struct loom_group_use *use = &list->uses[list->live[i]];

		if (loom_group_resides(list, list->live[i], first, in) &&
		    use->last_reader >= end_op && !use->seen &&
		    !loom_group_resides(list, list->live[i], end, out))
			bytes += value_bytes(use);
	}
	return bytes;
}

/* SRAM for what stays after the group; false: it cannot. */
static bool staying_bytes(const struct loom_group_guess *guess, u32 end, u8 out, u64 *bytes)
{
	const struct loom_group_list *list = guess->list;
	u32 i;

	*bytes = 0;
	for (i = list->live_first[end]; i < list->live_first[end + 1] && out; i++) {
		u32 value = list->live[i];
		const struct sight *sight = &guess->sights[value];
		bool seen = sight->epoch == guess->epoch;

		if (!loom_group_resides(list, value, end, out))
			continue;
		if (seen && sight->resident)
			continue;
		if (list->uses[value].first_writer < guess->first_op)
			return false;
		/* in one slice it is whole anyway, while it is used */
		if (guess->rungs[0] > 1 || sight->last + 1U < guess->num_ops)
			*bytes += list->uses[value].whole_bytes;
	}
	return true;
}

u32 loom_group_guess_take(struct loom_group_guess *guess, u32 num_units, u8 in, u8 out,
			  struct loom_group_cost *costs)
{
	const struct loom_group_list *list = guess->list;
	u32 end = guess->first_unit + num_units, found = 0, q;
	u64 budget = list->lower->sram.bytes, bytes, staying, need, moved;

	if (!staying_bytes(guess, end, out, &staying))
		return 0;
	bytes = guess->moved_bytes + guess->weight_bytes + store_bytes(guess, end, out) +
		flush_bytes(guess, end, in, out);
	if (guess->rungs[0] > 1)
		staying += guess->standing_bytes;
	for (q = 0; q < guess->num_rungs; q++) {
		u64 slices = guess->rungs[q];

		costs[q] = (struct loom_group_cost){ .bytes = U64_MAX };
		need = guess->lines[q] + guess->peak[q] + staying;
		if (need > hopeful(guess))
			continue;
		found++;
		moved = bytes;
		need += guess->held_bytes;
		if (slices > 1 && need > budget && guess->held_bytes) {
			need = min(need - budget, guess->held_bytes);
			moved += (slices - 1) * (need * guess->weight_bytes / guess->held_bytes);
		}
		costs[q].bytes = moved;
		costs[q].cycles = slices * guess->num_ops;
	}
	return found;
}
