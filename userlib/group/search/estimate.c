// SPDX-License-Identifier: MIT
/*
 * DOC: Estimated costs of groups
 *
 * Evaluating a group (strip.c, schedule.c) is exact, but too slow for the hundreds of thousands of
 * groups of a large graph. An estimate considers slices in the middle of the picture only: the lag
 * of an operator in rows, the rows kept for a reader, and from that the SRAM of strips, line
 * buffers and weights, for several slice counts at once. It ignores the first and the last slice,
 * alignment, and uneven distribution over the lanes; no plan relies on it. divide.c asks for
 * estimates first, and evaluates groups with good estimates.
 *
 * Rows are fixed-point numbers in units of 1/ONE, because strides divide them.
 */
#include "group/search/search.h"

#include <stdlib.h>
#include <string.h>

#include "loom_clock.h"
#include "group/model/member.h"

#define ONE	256

/**
 * struct tracked - state of a value in a pass
 * @epoch: the pass of this state; in other passes the value is unknown
 * @inside: the group makes it
 * @partial: the group makes only a part of it, which goes to DRAM
 * @resident: it is in SRAM as a whole before the group
 * @axis: axis that is cut, or -1
 * @rows: elements along it
 * @row_bytes: SRAM per lane of a row; of the whole value if no axis is cut
 * @lag: its lag behind the inputs, in 1/ONE rows
 * @kept: rows that the next slice reads again, likewise
 * @first: first op that touches it
 * @last: last op that touches it
 */
struct tracked {
	u32 epoch;
	bool inside;
	bool partial;
	bool resident;
	s8 axis;
	u64 rows;
	u64 row_bytes;
	s64 lag;
	s64 kept;
	u32 first;
	u32 last;
};

/**
 * struct operand_bytes - sizes of an operand that no other op uses, such as weights
 * @dram_bytes: bytes loaded for it
 * @lane_bytes: SRAM per lane for all of it
 */
struct operand_bytes {
	u64 dram_bytes;
	u64 lane_bytes;
};

/**
 * struct loom_group_estimate - the state of a pass, which appends the units of a group
 * @list: the graph
 * @tracked: by value
 * @epoch: number of the pass
 * @weights: by op and operand: sizes of constants
 * @first_unit: first unit of the group
 * @first_op: its first op
 * @num_ops: ops so far
 * @cut_axis: axis of the first result that is cut
 * @counts: numbers of slices, ascending; a single 1: the group is not cut
 * @num_counts: number of @counts
 * @profile: by op and slice count: SRAM per lane of live strips, besides their line buffers
 * @peak: by slice count: the largest of that
 * @lines: by slice count: SRAM per lane of line buffers
 * @standing_bytes: SRAM per lane of residents from before the group
 * @open: values made here that may be read behind the group
 * @num_open: number of @open
 * @moved_bytes: DRAM bytes moved regardless of held weights
 * @held_bytes: SRAM per lane of all weights, if they are held
 * @weight_bytes: DRAM bytes of all weights, loaded once
 * @loads: number of operands that are weights
 * @num_lines: values with a line buffer
 * @dma: by slice count: if time is the price: cycles of strips that are moved in any case
 * @compute: likewise: cycles of the compute stream
 * @summed_ops: ops of the group when the three below were computed
 * @stored_bytes: DRAM bytes of all open values
 * @stored: by slice count: @dma, with strips of all open values
 * @copied: by slice count: cycles of line buffers, which are copied twice for each slice
 */
struct loom_group_estimate {
	const struct loom_group_list *list;
	struct tracked *tracked;
	u32 epoch;
	struct operand_bytes (*weights)[LOOM_KERNEL_OPERANDS];
	u32 first_unit;
	u32 first_op;
	u32 num_ops;
	u32 cut_axis;
	u32 counts[LOOM_GROUP_SLICE_COUNTS];
	u32 num_counts;
	u64 (*profile)[LOOM_GROUP_SLICE_COUNTS];
	u64 peak[LOOM_GROUP_SLICE_COUNTS];
	u64 lines[LOOM_GROUP_SLICE_COUNTS];
	u64 standing_bytes;
	u32 *open;
	u32 num_open;
	u64 moved_bytes;
	u64 held_bytes;
	u64 weight_bytes;
	u64 loads;
	u64 num_lines;
	u64 dma[LOOM_GROUP_SLICE_COUNTS];
	u64 compute[LOOM_GROUP_SLICE_COUNTS];
	u32 summed_ops;
	u64 stored_bytes;
	u64 stored[LOOM_GROUP_SLICE_COUNTS];
	u64 copied[LOOM_GROUP_SLICE_COUNTS];
};

static u64 align_up(const struct loom_group_list *list, u64 bytes)
{
	u64 align = list->lower->sram.align_bytes;

	return loom_div_round_up(bytes, align) * align;
}

static bool is_const(const struct loom_group_list *list, u32 value)
{
	return list->lower->graph->values[value]->data;
}

/* Adds the sizes of an operand that no other op uses. */
static void add_operand_bytes(const struct loom_group_list *list,
			      const struct loom_operand *operand, struct operand_bytes *to)
{
	u64 elems = 1, dim;
	u32 k;

	for (k = 0; k < operand->ref.rank; k++) {
		dim = operand->ref.dims[k];
		if (k == operand->lane_axis)
			dim = loom_div_round_up(dim, list->lower->sram.lanes);
		elems *= dim;
	}
	to->lane_bytes += align_up(list, loom_dtype_row_bytes(operand->ref.dtype, elems));
	if (operand->role == LOOM_ROLE_LOAD)
		to->dram_bytes += loom_group_ref_bytes(&operand->ref);
}

static void weigh(struct loom_group_estimate *est)
{
	const struct loom_group_list *list = est->list;
	u32 i, k;

	for (i = 0; i < list->num_ops; i++) {
		const struct loom_group_op *op = list->ops[i];

		for (k = 1; k < op->kernel.num_operands && op->kind == LOOM_GROUP_COMPUTE; k++) {
			const struct loom_operand *operand = &op->kernel.operands[k];

			if (operand->role == LOOM_ROLE_FILL ||
			    (operand->role == LOOM_ROLE_LOAD &&
			     is_const(list, op->access[k].value)))
				add_operand_bytes(list, operand, &est->weights[i][k]);
		}
	}
}

struct loom_group_estimate *loom_group_estimate_make(const struct loom_group_list *list)
{
	struct loom_group_estimate *est = calloc(1, sizeof(*est));

	if (!est)
		return NULL;
	est->list = list;
	est->tracked = calloc((size_t)list->lower->graph->num_values + 1, sizeof(*est->tracked));
	est->weights = calloc((size_t)list->num_ops + 1, sizeof(*est->weights));
	est->profile = calloc((size_t)list->num_ops + 1, sizeof(*est->profile));
	est->open = calloc((size_t)list->num_ops + 1, sizeof(*est->open));
	if (est->tracked && est->weights && est->profile && est->open) {
		weigh(est);
		return est;
	}
	loom_group_estimate_free(est);
	return NULL;
}

void loom_group_estimate_free(struct loom_group_estimate *est)
{
	if (!est)
		return;
	free(est->tracked);
	free(est->weights);
	free(est->profile);
	free(est->open);
	free(est);
}

static struct tracked *find_tracked(struct loom_group_estimate *est, u32 value)
{
	struct tracked *tracked = &est->tracked[value];

	return tracked->epoch == est->epoch ? tracked : NULL;
}

static u64 strip_bytes(const struct loom_group_estimate *est, const struct tracked *tracked,
		       u32 index)
{
	u64 slices = est->counts[index], rows;

	if (tracked->axis < 0)
		return tracked->row_bytes;
	rows = loom_div_round_up(tracked->rows, slices) +
	       (u64)loom_div_round_up((u64)tracked->kept, (u64)ONE);
	if (tracked->inside && slices < LOOM_GROUP_DRAIN)
		rows += (u64)tracked->lag / ONE;
	return align_up(est->list, min(rows, tracked->rows) * tracked->row_bytes);
}

static u64 line_bytes(const struct loom_group_estimate *est, const struct tracked *tracked)
{
	u64 rows = loom_div_round_up((u64)tracked->kept, (u64)ONE);

	return tracked->axis < 0 ? 0 : align_up(est->list, rows * tracked->row_bytes);
}

/* Adds a value to the profile, or removes it. Residents are in @standing_bytes instead. */
static void count_tracked(struct loom_group_estimate *est, const struct tracked *tracked, bool add)
{
	u64 line = line_bytes(est, tracked), extra;
	u32 q, k;

	if (tracked->resident && est->counts[0] > 1)
		return;
	est->num_lines += !line ? 0 : add ? 1 : -1;
	for (q = 0; q < est->num_counts; q++) {
		extra = strip_bytes(est, tracked, q);
		extra = extra > line ? extra - line : 0;
		est->lines[q] += add ? line : 0 - line;
		for (k = tracked->first; k <= tracked->last; k++) {
			est->profile[k][q] += add ? extra : 0 - extra;
			if (add)
				est->peak[q] = max(est->peak[q], est->profile[k][q]);
		}
	}
}

/* Adds loads of @bytes in total, in each slice a part of them. */
static void add_moves(struct loom_group_estimate *est, u64 bytes)
{
	const struct drm_loom_chip *chip = est->list->lower->chip;
	const struct drm_loom_chip_region *dram = &chip->region[DRM_LOOM_REGION_DRAM];
	u64 rate, start;
	u32 q;

	if (!est->list->aim.time)
		return;
	rate = loom_clock_rate(bytes, dram->read_rate);
	start = chip->dma_start + dram->read_latency;
	for (q = 0; q < est->num_counts; q++)
		est->dma[q] += rate + est->counts[q] * start;
}

/* Adds moves of all strips of a value to @dma, by slice count: runs of them are whole bursts. */
static void add_strips(const struct loom_group_estimate *est, u32 value, s8 axis, bool store,
		       u64 *dma)
{
	const struct loom_group_use *use = &est->list->uses[value];
	const struct drm_loom_chip *chip = est->list->lower->chip;
	const struct drm_loom_chip_region *dram = &chip->region[DRM_LOOM_REGION_DRAM];
	u64 bytes = use->bytes, run = 1, start;
	u32 q, k;

	if (!est->list->aim.time)
		return;
	start = chip->dma_start + (store ? dram->write_latency : dram->read_latency);
	for (k = use->rank; k-- > 0 && (s8)k > axis;)
		run *= use->dims[k];
	run = loom_dtype_row_bytes(use->dtype, run);
	for (q = 0; q < est->num_counts; q++) {
		u64 slices = est->counts[q], moved = bytes, one;

		if (axis >= 0 && dram->burst_bytes > 1) {
			one = run * loom_div_round_up(use->dims[axis], slices);
			moved = bytes / one * loom_div_round_up(one, (u64)dram->burst_bytes) *
				dram->burst_bytes;
		}
		dma[q] += loom_clock_rate(moved, store ? dram->write_rate : dram->read_rate) +
			  slices * start;
	}
}

/* Adds the work of an op, or its moves inside of the SRAM. */
static void add_work(struct loom_group_estimate *est, const struct loom_group_op *op, s8 cut)
{
	u32 q;

	if (!est->list->aim.time)
		return;
	for (q = 0; q < est->num_counts; q++) {
		if (op->kind == LOOM_GROUP_COMPUTE)
			est->compute[q] += loom_group_sliced_work(est->list, op, cut,
								  est->counts[q]);
		else
			est->dma[q] += est->counts[q] * est->list->lower->chip->dma_start;
	}
}

/* SRAM per lane of a row along @axis, or of the whole value if that is -1. */
static u64 row_bytes(const struct loom_group_list *list, const struct loom_group_use *use, s8 axis)
{
	u64 best = U64_MAX, elems;
	u32 lane, i;

	for (lane = 0; lane < use->rank; lane++) {
		if (!(use->lanes >> lane & 1) && use->lanes)
			continue;
		elems = 1;
		for (i = 0; i < use->rank; i++) {
			u64 dim = (s8)i == axis ? 1 : use->dims[i];

			elems *= i == lane ? loom_div_round_up(dim, list->lower->sram.lanes) : dim;
		}
		best = min(best, loom_dtype_row_bytes(use->dtype, elems));
	}
	return best == U64_MAX ? S64_MAX / 4 : best;
}

static struct tracked *track(struct loom_group_estimate *est, u32 value, s8 axis, bool inside)
{
	const struct loom_group_use *use = &est->list->uses[value];
	struct tracked *tracked = &est->tracked[value];

	*tracked = (struct tracked){
		.epoch = est->epoch,
		.inside = inside,
		.axis = axis,
		.rows = axis >= 0 ? use->dims[axis] : 1,
		.row_bytes = row_bytes(est->list, use, axis),
		.first = est->num_ops,
		.last = est->num_ops,
	};
	if (axis < 0)
		tracked->row_bytes = align_up(est->list, tracked->row_bytes);
	return tracked;
}

void loom_group_estimate_begin(struct loom_group_estimate *est, u32 first_unit, u8 in, u32 cut_axis,
			       const u32 *counts, u32 num_counts)
{
	const struct loom_group_list *list = est->list;
	u64 mask;

	est->epoch++;
	est->first_unit = first_unit;
	est->first_op = list->units[first_unit].first_op;
	est->num_ops = 0;
	est->summed_ops = U32_MAX;
	est->cut_axis = cut_axis;
	est->num_counts = num_counts;
	memcpy(est->counts, counts, num_counts * sizeof(*counts));
	memset(est->peak, 0, sizeof(est->peak));
	memset(est->lines, 0, sizeof(est->lines));
	est->num_open = 0;
	est->moved_bytes = 0;
	est->held_bytes = 0;
	est->weight_bytes = 0;
	est->loads = 0;
	est->num_lines = 0;
	memset(est->dma, 0, sizeof(est->dma));
	memset(est->compute, 0, sizeof(est->compute));
	est->standing_bytes = 0;
	for (mask = list->choices[first_unit].masks[in]; mask; mask &= mask - 1) {
		u32 value = loom_group_live_at(list, first_unit, mask);

		track(est, value, -1, false)->resident = true;
		est->standing_bytes += list->uses[value].whole_bytes;
	}
}

/* Residents are in SRAM as a whole, so they do not determine the cut axis. */
static struct loom_group_known known_of(const struct tracked *tracked)
{
	if (!tracked || tracked->resident)
		return (struct loom_group_known){ .known = false };
	return (struct loom_group_known){
		.known = true,
		.inside = tracked->inside,
		.partial = tracked->partial,
		.axis = tracked->axis,
	};
}

static bool choose_cut(struct loom_group_estimate *est, const struct loom_group_op *op, s8 *cut)
{
	struct loom_group_known known[LOOM_KERNEL_OPERANDS];
	u32 i;

	for (i = 1; i < op->kernel.num_operands; i++)
		known[i] = known_of(find_tracked(est, op->access[i].value));
	return loom_group_member_cut(op, known, est->counts[0] > 1, est->cut_axis, cut);
}

/*
 * The lag of the result because of operand @i, which lags behind by @lag, in 1/ONE rows of the
 * result. A row of the result reads the operand from row index times *@stride on, plus *@before.
 */
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

/* Counts an op's weights. A weight that is cut like the result is loaded in parts, each once. */
static void take_weights(struct loom_group_estimate *est, u32 index, s8 cut)
{
	const struct loom_kernel *kernel = &est->list->ops[index]->kernel;
	u32 i, axis;

	for (i = 1; i < kernel->num_operands; i++) {
		const struct operand_bytes *weight = &est->weights[index][i];

		if (cut >= 0 && weight->lane_bytes &&
		    loom_group_follower(&kernel->operands[i], cut, &axis)) {
			est->moved_bytes += weight->dram_bytes;
			add_moves(est, weight->dram_bytes);
			continue;
		}
		est->loads += weight->dram_bytes != 0;
		est->weight_bytes += weight->dram_bytes;
		est->held_bytes += weight->lane_bytes;
	}
}

/* A strip that an op reads; @stride and @before: see lag_behind(). */
struct reading {
	struct tracked *tracked;
	s64 stride;
	s64 before;
};

/*
 * Counts operand @i, which must not be a constant. Returns false if this op cannot be in the group.
 */
static bool take_operand(struct loom_group_estimate *est, const struct loom_group_op *op, u32 i,
			 s8 cut, struct reading *readings, u32 *num_readings, s64 *lag)
{
	const struct loom_operand *operand = &op->kernel.operands[i];
	const struct loom_group_access *access = &op->access[i];
	const struct loom_group_list *list = est->list;
	struct tracked *tracked = find_tracked(est, access->value);
	const struct loom_group_known known = known_of(tracked);
	struct operand_bytes own = { 0 };
	bool follows, strip;
	u32 axis = 0;

	if (tracked && tracked->resident) {
		readings[*num_readings] = (struct reading){ .tracked = tracked };
		(*num_readings)++;
		return true;
	}
	strip = loom_group_member_strip(op, i, &known, cut, &axis, &follows);
	if (!tracked || !tracked->inside) {
		if (op->kind == LOOM_GROUP_COPY && !tracked) {
			est->moved_bytes += loom_group_ref_bytes(&operand->ref);
			add_moves(est, loom_group_ref_bytes(&operand->ref));
			return true;
		}
		if (!strip) {
			add_operand_bytes(list, operand, &own);
			est->moved_bytes += follows ? own.dram_bytes : 0;
			est->loads += !follows;
			if (follows)
				add_moves(est, own.dram_bytes);
			est->weight_bytes += follows ? 0 : own.dram_bytes;
			est->held_bytes += follows ? 0 : own.lane_bytes;
			return true;
		}
		if (!tracked) {
			tracked = track(est, access->value, cut >= 0 ? access->axis[axis] : -1,
					false);
			est->moved_bytes += min(loom_group_ref_bytes(&operand->ref),
						list->uses[access->value].bytes);
			add_strips(est, access->value, tracked->axis, false, est->dma);
			count_tracked(est, tracked, true);
		}
	}
	readings[*num_readings] = (struct reading){ .tracked = tracked };
	if (cut >= 0) {
		if (!loom_group_operand_axis(access, operand->ref.rank, tracked->axis, &axis))
			return false;
		*lag = max(*lag, lag_behind(&op->kernel, i, axis, cut, tracked->lag,
					    &readings[*num_readings].stride,
					    &readings[*num_readings].before));
	}
	(*num_readings)++;
	return true;
}

static bool take_result(struct loom_group_estimate *est, const struct loom_group_op *op, s8 cut,
			s64 lag)
{
	const struct loom_group_access *access = &op->access[0];
	const struct loom_group_use *use = &est->list->uses[access->value];
	struct tracked *tracked = find_tracked(est, access->value);
	const struct loom_group_known known = known_of(tracked);
	s8 axis = cut >= 0 ? access->axis[cut] : -1;
	bool partial = use->first_writer < est->first_op;
	u64 bytes = loom_group_ref_bytes(&op->kernel.operands[0].ref);

	if (use->output || partial)
		est->moved_bytes += bytes;
	if (use->output || partial)
		add_strips(est, access->value, axis, true, est->dma);
	if (tracked) {
		if (tracked->resident || !loom_group_member_writes(&known, axis, partial))
			return false;
		count_tracked(est, tracked, false);
		tracked->lag = max(tracked->lag, lag);
		tracked->last = est->num_ops;
		count_tracked(est, tracked, true);
		return true;
	}
	tracked = track(est, access->value, axis, true);
	tracked->lag = lag;
	tracked->partial = partial;
	count_tracked(est, tracked, true);
	if (!use->output && !partial)
		est->open[est->num_open++] = access->value;
	return true;
}

static bool append_op(struct loom_group_estimate *est, u32 index)
{
	const struct loom_group_op *op = est->list->ops[index];
	struct reading readings[LOOM_KERNEL_OPERANDS];
	u32 num_readings = 0, i;
	s64 lag = 0;
	s8 cut;

	if (!choose_cut(est, op, &cut))
		return false;
	memset(est->profile[est->num_ops], 0, sizeof(*est->profile));
	for (i = 1; i < op->kernel.num_operands; i++) {
		if (op->kernel.operands[i].role != LOOM_ROLE_LOAD ||
		    is_const(est->list, op->access[i].value))
			continue;
		if (!take_operand(est, op, i, cut, readings, &num_readings, &lag))
			return false;
	}
	for (i = 0; i < num_readings; i++) {
		struct tracked *tracked = readings[i].tracked;
		s64 kept = tracked->kept;

		if (cut >= 0 && !tracked->resident) {
			kept = max(kept, lag * readings[i].stride / ONE - tracked->lag -
						 readings[i].before);
			kept = min(kept, (s64)tracked->rows * ONE);
		}
		count_tracked(est, tracked, false);
		tracked->kept = kept;
		tracked->last = est->num_ops;
		count_tracked(est, tracked, true);
	}
	if (!take_result(est, op, cut, lag))
		return false;
	take_weights(est, index, cut);
	add_work(est, op, cut);
	est->num_ops++;
	return true;
}

/* SRAM per lane plus a margin: a group that just does not fit by the estimate may fit. */
static u64 optimistic_bytes(const struct loom_group_estimate *est)
{
	u64 budget = est->list->lower->sram.bytes;

	return budget + budget / 8;
}

/* Whether no slice count fits, even if no weights are held. */
static bool is_over(const struct loom_group_estimate *est)
{
	u64 budget = optimistic_bytes(est);
	u32 q;

	for (q = 0; q < est->num_counts; q++)
		if (est->lines[q] + est->peak[q] <= budget)
			return false;
	return true;
}

bool loom_group_estimate_append(struct loom_group_estimate *est, u32 num_units)
{
	const struct loom_group_list *list = est->list;
	const struct loom_group_unit *unit;
	u32 at = est->first_unit + num_units, i;

	if (at >= list->num_units || list->units[at].ungroupable)
		return false;
	unit = &list->units[at];
	for (i = 0; i < unit->num_ops; i++)
		if (!append_op(est, unit->first_op + i))
			return false;
	return !is_over(est);
}

/* Sums up the costs shared by all choices of residents behind the group: as if none stayed. */
static void sum_up(struct loom_group_estimate *est, u32 end)
{
	const struct loom_group_list *list = est->list;
	const struct loom_lower *lower = list->lower;
	u32 end_op = end < list->num_units ? list->units[end].first_op : list->num_ops;
	u32 i, kept = 0, q;

	if (est->summed_ops == est->num_ops)
		return;
	est->summed_ops = est->num_ops;
	est->stored_bytes = 0;
	memcpy(est->stored, est->dma, est->num_counts * sizeof(*est->dma));
	for (i = 0; i < est->num_open; i++) {
		u32 value = est->open[i];
		const struct loom_group_use *use = &list->uses[value];

		if (use->last_writer < end_op && (!use->read || use->last_reader < end_op))
			continue;
		est->open[kept++] = value;
		est->stored_bytes += use->bytes;
		add_strips(est, value, est->tracked[value].axis, true, est->stored);
	}
	est->num_open = kept;
	for (q = 0; q < est->num_counts && list->aim.time; q++) {
		u64 lines = est->lines[q] * lower->sram.lanes;

		est->copied[q] = 2 * (est->counts[q] - 1) *
				 (est->num_lines * lower->chip->dma_start +
				  loom_clock_memory(&lower->chip->region[DRM_LOOM_REGION_SRAM],
						    lines, lines));
	}
}

/* DRAM bytes of values that are read behind the group and are not resident then; and cycles. */
static u64 store_bytes(const struct loom_group_estimate *est, u32 end, u8 out, u64 *dma)
{
	const struct loom_group_list *list = est->list;
	u32 end_op = end < list->num_units ? list->units[end].first_op : list->num_ops, q;
	u64 mask = list->choices[end].masks[out], bytes = est->stored_bytes;
	u64 kept[LOOM_GROUP_SLICE_COUNTS] = { 0 };

	for (; mask; mask &= mask - 1) {
		u32 value = loom_group_live_at(list, end, mask);
		const struct loom_group_use *use = &list->uses[value];

		/* of the values live here, the group has made the open ones */
		if (use->first_writer < est->first_op || use->output ||
		    use->last_writer >= end_op)
			continue;
		bytes -= use->bytes;
		add_strips(est, value, est->tracked[value].axis, true, kept);
	}
	for (q = 0; q < est->num_counts; q++)
		dma[q] = est->stored[q] - kept[q];
	return bytes;
}

/* DRAM bytes of residents that are read behind the group but not resident there: stored first. */
static u64 flush_bytes(const struct loom_group_estimate *est, u32 end, u8 in, u8 out)
{
	const struct loom_group_list *list = est->list;
	u64 mask = list->choices[est->first_unit].masks[in], bytes = 0;
	u32 end_op;

	end_op = end < list->num_units ? list->units[end].first_op : list->num_ops;
	for (; mask; mask &= mask - 1) {
		u32 value = loom_group_live_at(list, est->first_unit, mask);
		const struct loom_group_use *use = &list->uses[value];

		if (use->last_reader >= end_op && !use->output &&
		    !loom_group_is_resident(list, value, end, out))
			bytes += use->bytes;
	}
	return bytes;
}

/* Whether a value may overwrite a resident that ends here. */
static bool takes_place(const struct loom_group_estimate *est, u32 value, u32 end, u8 out)
{
	u32 over = est->list->uses[value].over;

	return over != U32_MAX && est->tracked[over].epoch == est->epoch &&
	       est->tracked[over].resident &&
	       !loom_group_is_resident(est->list, over, end, out);
}

/* SRAM per lane of values that become resident in the group. Returns false if one cannot. */
static bool staying_bytes(const struct loom_group_estimate *est, u32 end, u8 out, u64 *bytes)
{
	const struct loom_group_list *list = est->list;
	u64 mask = list->choices[end].masks[out];

	*bytes = 0;
	for (; mask; mask &= mask - 1) {
		u32 value = loom_group_live_at(list, end, mask);
		const struct tracked *tracked = &est->tracked[value];
		bool seen = tracked->epoch == est->epoch;

		if (seen && tracked->resident)
			continue;
		if (list->uses[value].first_writer < est->first_op)
			return false;
		if (est->counts[0] > 1 && takes_place(est, value, end, out))
			continue;
		/* in a group of one slice, @profile has the whole value up to its last use */
		if (est->counts[0] > 1 || tracked->last + 1 < est->num_ops)
			*bytes += list->uses[value].whole_bytes;
	}
	return true;
}

/* The price by time, for known bytes. */
static void price_time(const struct loom_group_estimate *est, u32 q, u64 dma, u64 streamed,
		       struct loom_group_cost *cost)
{
	const struct loom_lower *lower = est->list->lower;
	const struct drm_loom_chip_region *dram = &lower->chip->region[DRM_LOOM_REGION_DRAM];
	u64 slices = est->counts[q];
	u64 start = lower->chip->dma_start + dram->read_latency, loads = est->loads;
	struct loom_group_time time = { .dma = dma, .compute = est->compute[q] };

	if (est->weight_bytes && streamed)
		loads += est->loads * streamed / est->weight_bytes;
	time.dma += loom_clock_rate(est->weight_bytes + streamed, dram->read_rate) + loads * start;
	time.dma += est->copied[q];
	time.steps = max(time.dma, time.compute) + min(time.dma, time.compute) / (slices + 1);
	cost->tie = cost->price;
	cost->price = loom_group_time_price(est->list, &time);
}

u32 loom_group_estimate_take(struct loom_group_estimate *est, u32 num_units, u8 in, u8 out,
			     struct loom_group_cost *costs)
{
	const struct loom_group_list *list = est->list;
	u32 end = est->first_unit + num_units, found = 0, q;
	u64 budget = list->lower->sram.bytes, bytes, staying, need, moved, streamed;
	u64 dma[LOOM_GROUP_SLICE_COUNTS];

	for (q = 0; q < est->num_counts; q++)
		costs[q] = (struct loom_group_cost){ .price = U64_MAX };
	/* for all lengths, because it drops values without further readers */
	sum_up(est, end);
	if (!staying_bytes(est, end, out, &staying))
		return 0;
	bytes = est->moved_bytes + est->weight_bytes + store_bytes(est, end, out, dma) +
		flush_bytes(est, end, in, out);
	if (est->counts[0] > 1)
		staying += est->standing_bytes;
	for (q = 0; q < est->num_counts; q++) {
		u64 slices = est->counts[q];

		need = est->lines[q] + est->peak[q] + staying;
		if (need > optimistic_bytes(est))
			continue;
		found++;
		moved = bytes;
		streamed = 0;
		need += est->held_bytes;
		if (slices > 1 && need > budget && est->held_bytes) {
			need = min(need - budget, est->held_bytes);
			streamed = (slices - 1) * (need * est->weight_bytes / est->held_bytes);
		}
		costs[q].price = moved + streamed;
		costs[q].tie = slices * est->num_ops;
		if (list->aim.time)
			price_time(est, q, dma[q], streamed, &costs[q]);
	}
	return found;
}
