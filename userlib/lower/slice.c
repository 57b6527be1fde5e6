// SPDX-License-Identifier: MIT
/*
 * Cutting one kernel so that it fits and moves few bytes, see slice.h. In a group, operators are
 * sliced together: group/.
 */
#include "slice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CANDIDATES	40
/* Limit on the pieces of an axis. */
#define MAX_PIECES	((u64)DRM_LOOM_MAX_STEPS / 8)
/* Limit on the cuts tried per search; beyond, fewer lengths per axis are tried. */
#define MAX_CUTS	10000

/**
 * struct candidate - a chunk length of an axis, and its measures
 * @chunk: elements of the result
 * @pieces: number of pieces
 * @sum: by operand: elements along its axes that follow this one, summed over the pieces
 * @rows: by operand: maximum of them in a piece, counted per lane
 */
struct candidate {
	u64 chunk;
	u64 pieces;
	u64 sum[LOOM_KERNEL_OPERANDS];
	u64 rows[LOOM_KERNEL_OPERANDS];
};

/**
 * struct candidates - the chunk lengths of an axis, from the longest
 * @count: number of @list
 * @list: the lengths
 */
struct candidates {
	u32 count;
	struct candidate list[MAX_CANDIDATES];
};

/**
 * struct search - the state of a search
 * @kernel: the kernel
 * @sram: the limits
 * @rank: axes of the result
 * @axes: axes that are cut: those, or the summed one as well
 * @follows: by operand: bit per axis of the result that it depends on
 * @full: by operand: elements along the axes that depend on none
 * @full_rows: the same per lane
 * @lengths: by axis
 * @pick: by axis: current candidate
 * @overlap: double buffers
 * @found: @best is valid
 * @best: the best so far
 * @least_bytes: scratch of the smallest cut so far
 */
struct search {
	const struct loom_kernel *kernel;
	const struct loom_slice_limits *sram;
	u32 rank;
	u32 axes;
	u32 follows[LOOM_KERNEL_OPERANDS];
	u64 full[LOOM_KERNEL_OPERANDS];
	u64 full_rows[LOOM_KERNEL_OPERANDS];
	struct candidates lengths[DRM_LOOM_MAX_RANK];
	u32 pick[DRM_LOOM_MAX_RANK];
	bool overlap;
	bool found;
	struct loom_slicing best;
	u64 least_bytes;
};

/* Saturating: sizes of a hostile model must not wrap. */
static u64 times(u64 a, u64 b)
{
	u64 product;

	return __builtin_mul_overflow(a, b, &product) ? U64_MAX : product;
}

static u64 plus(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? U64_MAX : sum;
}

static u64 lane_rows(const struct search *s, const struct loom_operand *operand, u32 axis, u64 dim)
{
	return axis == operand->lane_axis ? loom_div_round_up(dim, s->sram->lanes) : dim;
}

/* Whether the axis of an operand depends on an axis that is cut. */
static bool depends(const struct search *s, const struct loom_map *map)
{
	return map->kind != LOOM_MAP_FULL ||
	       (s->axes > s->rank && loom_kernel_is_summed(s->kernel, map));
}

static void prepare_operands(struct search *s)
{
	u32 i, k;

	for (i = 0; i < s->kernel->num_operands; i++) {
		const struct loom_operand *operand = &s->kernel->operands[i];

		s->full[i] = 1;
		s->full_rows[i] = 1;
		s->follows[i] = 0;
		for (k = 0; k < operand->ref.rank; k++) {
			if (depends(s, &operand->map[k])) {
				s->follows[i] |= 1U << operand->map[k].axis;
				continue;
			}
			s->full[i] = times(s->full[i], operand->ref.dims[k]);
			s->full_rows[i] = times(s->full_rows[i],
						lane_rows(s, operand, k, operand->ref.dims[k]));
		}
	}
}

/* The elements of operand @index on the axes that follow @axis, for one piece. */
static void measure_piece(const struct search *s, u32 index, u32 axis, u64 lo, u64 hi,
			  struct candidate *candidate)
{
	const struct loom_operand *operand = &s->kernel->operands[index];
	u64 elems = 1, rows = 1, in_lo, in_hi;
	u32 k;

	for (k = 0; k < operand->ref.rank; k++) {
		if (!depends(s, &operand->map[k]) || operand->map[k].axis != axis)
			continue;
		loom_kernel_range(s->kernel, operand, k, lo, hi, &in_lo, &in_hi);
		elems = times(elems, in_hi - in_lo);
		rows = times(rows, lane_rows(s, operand, k, in_hi - in_lo));
	}
	candidate->sum[index] = plus(candidate->sum[index], elems);
	candidate->rows[index] = max(candidate->rows[index], rows);
}

/* Whether exactly one axis of the operand follows @axis, with LOOM_MAP_SAME. */
static bool follows_plainly(const struct search *s, u32 index, u32 axis, u32 *which)
{
	const struct loom_operand *operand = &s->kernel->operands[index];
	u32 count = 0, k;

	for (k = 0; k < operand->ref.rank; k++) {
		if (!depends(s, &operand->map[k]) || operand->map[k].axis != axis)
			continue;
		if (operand->map[k].kind != LOOM_MAP_SAME && axis != s->rank)
			return false;
		*which = k;
		count++;
	}
	return count == 1;
}

static void measure_pieces(const struct search *s, u32 index, u32 axis, struct candidate *candidate)
{
	u64 dim = s->kernel->operands[0].ref.dims[axis], lo;
	u32 which = 0;

	if (follows_plainly(s, index, axis, &which)) {
		candidate->sum[index] = dim;
		candidate->rows[index] = lane_rows(s, &s->kernel->operands[index], which,
						   candidate->chunk);
		return;
	}
	for (lo = 0; lo < dim; lo += candidate->chunk)
		measure_piece(s, index, axis, lo, min(lo + candidate->chunk, dim), candidate);
}

static void add_candidate(struct search *s, u32 axis, u64 chunk)
{
	struct candidates *lengths = &s->lengths[axis];
	u64 dim = s->kernel->operands[0].ref.dims[axis];
	struct candidate *candidate = &lengths->list[lengths->count];
	u32 i;

	if (lengths->count && candidate[-1].chunk <= chunk)
		return;
	if (lengths->count == MAX_CANDIDATES) {
		/* the shortest length must always be a candidate */
		candidate--;
		lengths->count--;
	}
	memset(candidate, 0, sizeof(*candidate));
	candidate->chunk = chunk;
	candidate->pieces = loom_div_round_up(dim, chunk);
	for (i = 0; i < s->kernel->num_operands; i++)
		if (s->follows[i] & (1U << axis))
			measure_pieces(s, i, axis, candidate);
	lengths->count++;
}

/* The longest length up to @chunk that does not split a group of channels. */
static u64 fit_group(const struct search *s, u32 axis, u64 chunk)
{
	u64 group = s->kernel->group;

	if (axis != 1 || !group)
		return chunk;
	if (chunk >= group)
		return chunk / group * group;
	while (group % chunk)
		chunk--;
	return chunk;
}

/* Longest chunk of the last axis that a unit of work allows; 0: not even one element. */
static u64 unit_limit(const struct loom_kernel *kernel, u64 dim)
{
	const u64 tile = 64;

	if (kernel->unit_cost > DRM_LOOM_MAX_UNIT_COST)
		return 0;
	if (times(kernel->unit_cost, min(dim, tile)) <= DRM_LOOM_MAX_UNIT_COST)
		return dim;
	return kernel->unit_cost ? DRM_LOOM_MAX_UNIT_COST / kernel->unit_cost : dim;
}

static void make_axis_lengths(struct search *s, u32 axis, bool cut)
{
	u64 dim = s->kernel->operands[0].ref.dims[axis];
	u64 limit = axis == s->rank - 1 ? unit_limit(s->kernel, dim) : dim;
	bool lanes = axis == s->kernel->operands[0].lane_axis || axis == s->rank;
	/* more pieces than a plan has steps are useless, and take too long to measure */
	u64 most = min(dim, MAX_PIECES);
	u64 pieces = 1, chunk, last = 0;

	s->lengths[axis].count = 0;
	for (chunk = dim; ; chunk = loom_div_round_up(dim, pieces)) {
		/* whole rows of lanes, where there is more than one */
		if (lanes && chunk > s->sram->lanes && chunk < dim)
			chunk = loom_div_round_up(chunk, s->sram->lanes) * s->sram->lanes;
		chunk = min(chunk, limit);
		if (chunk < dim)
			chunk = fit_group(s, axis, chunk);
		if (!chunk)
			return;
		if (chunk != last)
			add_candidate(s, axis, chunk);
		last = chunk;
		if (chunk == 1 || pieces >= most || !cut)
			return;
		pieces = min(pieces < 12 ? pieces + 1 : pieces + pieces / 4, most);
	}
}

/* Drops every second length except the shortest. */
static void thin_lengths(struct candidates *lengths)
{
	u32 i, n = 0;

	for (i = 0; i < lengths->count; i++)
		if (!(i & 1) || i == lengths->count - 1)
			lengths->list[n++] = lengths->list[i];
	lengths->count = n;
}

static void make_lengths(struct search *s, u32 may_cut)
{
	u64 cuts = U64_MAX;
	u32 i, longest;

	for (i = 0; i < s->axes; i++)
		make_axis_lengths(s, i, may_cut & ~s->kernel->whole & (1U << i));
	while (cuts > MAX_CUTS) {
		cuts = 1;
		for (i = 0, longest = 0; i < s->axes; i++) {
			cuts *= s->lengths[i].count;
			if (s->lengths[longest].count < s->lengths[i].count)
				longest = i;
		}
		if (cuts <= MAX_CUTS || s->lengths[longest].count <= 2)
			break;
		thin_lengths(&s->lengths[longest]);
	}
}

static const struct candidate *picked(const struct search *s, u32 axis)
{
	return &s->lengths[axis].list[s->pick[axis]];
}

/* Whether an operand is used in DRAM and needs no buffer. */
static bool is_direct(const struct search *s, u32 index)
{
	return s->kernel->operands[index].role == LOOM_ROLE_DIRECT || (!index && s->kernel->direct);
}

/* Sizes and numbers of buffers of the current cut. */
static void measure_buffers(const struct search *s, u32 split, struct loom_slicing *tiling)
{
	bool once;
	u32 i, k;

	tiling->scratch_bytes = 0;
	for (i = 0; i < s->kernel->num_operands; i++) {
		const struct loom_operand *operand = &s->kernel->operands[i];
		u64 rows = s->full_rows[i], bytes;

		tiling->bytes[i] = 0;
		tiling->buffers[i] = 0;
		if (is_direct(s, i) ||
		    (loom_kernel_keeps_sums(s->kernel, i) && !(split >> LOOM_SUM_AXIS & 1)))
			continue;
		for (k = 0; k < s->axes; k++)
			if (s->follows[i] & (1U << k))
				rows = times(rows, picked(s, k)->rows[i]);
		bytes = loom_dtype_row_bytes(operand->ref.dtype, rows);
		bytes = plus(bytes, s->sram->align_bytes - 1);
		bytes -= bytes % s->sram->align_bytes;
		tiling->bytes[i] = bytes;
		/* a result is stored before another one leaves its sums */
		once = operand->role == LOOM_ROLE_TEMP ||
		       (!i && loom_kernel_keeps_sums(s->kernel, s->kernel->sums) &&
			split >> LOOM_SUM_AXIS & 1);
		tiling->buffers[i] = s->overlap && (s->follows[i] & split) && !once ? 2 : 1;
		tiling->scratch_bytes = plus(tiling->scratch_bytes,
					     times(bytes, tiling->buffers[i]));
	}
}

/* Bytes that GATHER reads in place: an element for each of the result, however it is cut. */
static u64 table_bytes(const struct search *s, const struct loom_operand *operand)
{
	u64 elems = 1;
	u32 i;

	for (i = 0; i < s->rank; i++)
		elems = times(elems, s->kernel->operands[0].ref.dims[i]);
	return loom_dtype_row_bytes(operand->ref.dtype, elems);
}

/* Bytes moved with the loops in this order. DIRECT operands are moved for each slice. */
static u64 measure_bytes(const struct search *s, const u32 *order)
{
	u64 total = 0;
	u32 i, k;

	for (i = 0; i < s->kernel->num_operands; i++) {
		const struct loom_operand *operand = &s->kernel->operands[i];
		u64 elems = s->full[i];
		bool inside = operand->role == LOOM_ROLE_DIRECT;

		if (!inside && operand->role != LOOM_ROLE_LOAD && operand->role != LOOM_ROLE_STORE)
			continue;
		if (inside && loom_kernel_is_table(s->kernel, i)) {
			total = plus(total, table_bytes(s, operand));
			continue;
		}
		for (k = s->axes; k-- > 0;) {
			const struct candidate *candidate = picked(s, order[k]);

			if (s->follows[i] & (1U << order[k])) {
				elems = times(elems, candidate->sum[i]);
				inside |= candidate->pieces > 1;
			} else if (inside) {
				elems = times(elems, candidate->pieces);
			}
		}
		total = plus(total, loom_dtype_row_bytes(operand->ref.dtype, elems));
	}
	return total;
}

/* DRAM bytes, and of a cut of the summed axis those that the starts of its commands are worth. */
static u64 price(const struct search *s, const struct loom_slicing *tiling)
{
	u64 starts = s->axes > s->rank ? times(tiling->slices, s->sram->start_bytes) : 0;

	return plus(tiling->dram_bytes, starts);
}

static void consider(struct search *s, const struct loom_slicing *tiling)
{
	if (s->found && (price(s, tiling) > price(s, &s->best) ||
			 (price(s, tiling) == price(s, &s->best) &&
			  tiling->slices >= s->best.slices)))
		return;
	s->found = true;
	s->best = *tiling;
}

/* Tries all orders of the axes that are cut, inside of the loops over those that are not. */
static void try_orders(struct search *s, struct loom_slicing *tiling, u32 fixed)
{
	u32 i, swap, end = s->axes;

	/* sums stay where they are while their terms are added */
	if (end > s->rank && picked(s, s->rank)->pieces > 1)
		end--;
	if (fixed + 1 >= end) {
		tiling->dram_bytes = measure_bytes(s, tiling->order);
		consider(s, tiling);
		return;
	}
	for (i = fixed; i < end; i++) {
		swap = tiling->order[fixed];
		tiling->order[fixed] = tiling->order[i];
		tiling->order[i] = swap;
		try_orders(s, tiling, fixed + 1);
		swap = tiling->order[fixed];
		tiling->order[fixed] = tiling->order[i];
		tiling->order[i] = swap;
	}
}

/* Whether the order of loops matters: some operand does not follow all axes that are cut. */
static bool order_matters(const struct search *s, u32 split)
{
	u32 i;

	for (i = 0; i < s->kernel->num_operands; i++)
		if (s->kernel->operands[i].role == LOOM_ROLE_LOAD &&
		    (s->follows[i] & split) != split)
			return true;
	return false;
}

static void try_cut(struct search *s)
{
	struct loom_slicing tiling = { .slices = 1 };
	u32 split = 0, num_split = 0, uncut = 0, i;

	for (i = 0; i < s->axes; i++) {
		tiling.chunk[i] = picked(s, i)->chunk;
		tiling.slices = times(tiling.slices, picked(s, i)->pieces);
		if (picked(s, i)->pieces > 1) {
			split |= 1U << i;
			num_split++;
		}
	}
	tiling.overlap = s->overlap && num_split;
	measure_buffers(s, split, &tiling);
	s->least_bytes = min(s->least_bytes, tiling.scratch_bytes);
	if (tiling.scratch_bytes > s->sram->bytes)
		return;
	/* uncut axes first: their loops have one iteration */
	for (i = 0; i < s->axes; i++)
		if (!(split & (1U << i)))
			tiling.order[uncut++] = i;
	for (i = 0; i < s->axes; i++)
		if (split & (1U << i))
			tiling.order[uncut++] = i;
	if (num_split > 1 && num_split <= 4 && order_matters(s, split)) {
		try_orders(s, &tiling, s->axes - num_split);
		return;
	}
	tiling.dram_bytes = measure_bytes(s, tiling.order);
	consider(s, &tiling);
}

static void try_cuts(struct search *s, u32 axis)
{
	if (axis == s->axes) {
		try_cut(s);
		return;
	}
	for (s->pick[axis] = 0; s->pick[axis] < s->lengths[axis].count; s->pick[axis]++) {
		try_cuts(s, axis + 1);
		/* a single slice is optimal */
		if (s->found && s->best.slices == 1)
			return;
	}
}

/* Searches cuts of the preferred axes; if none fits, of all axes. */
static void search_all(struct search *s, bool overlap)
{
	u32 all = (1U << s->axes) - 1;

	s->overlap = overlap;
	s->found = false;
	make_lengths(s, all & ~s->kernel->last_resort);
	try_cuts(s, 0);
	if (s->found || !s->kernel->last_resort)
		return;
	make_lengths(s, all);
	try_cuts(s, 0);
}

/* Chooses a cut of the first @axes axes; returns false if none fits. */
static bool choose_axes(struct search *s, u32 axes, struct loom_slicing *tiling)
{
	s->axes = axes;
	prepare_operands(s);
	search_all(s, false);
	if (!s->found)
		return false;
	*tiling = s->best;
	if (s->best.slices == 1 || !s->sram->overlap)
		return true;
	search_all(s, true);
	if (s->found && price(s, &s->best) <=
			plus(price(s, tiling), price(s, tiling) / (axes > s->rank ? 4 : 10)))
		*tiling = s->best;
	return true;
}

/* Bytes if each operand is moved once. */
static u64 once_bytes(const struct loom_kernel *kernel)
{
	u64 bytes = 0, elems;
	u32 i, k;

	for (i = 0; i < kernel->num_operands; i++) {
		const struct loom_operand *operand = &kernel->operands[i];

		elems = operand->role == LOOM_ROLE_LOAD || operand->role == LOOM_ROLE_STORE;
		for (k = 0; k < operand->ref.rank; k++)
			elems = times(elems, operand->ref.dims[k]);
		bytes = plus(bytes, loom_dtype_row_bytes(operand->ref.dtype, elems));
	}
	return bytes;
}

int loom_slice_choose(const struct loom_kernel *kernel, const struct loom_slice_limits *sram,
		      struct loom_slicing *tiling, u64 *need_bytes)
{
	struct search *s = calloc(1, sizeof(*s));
	const struct loom_ref *y = &kernel->operands[0].ref;
	struct loom_slicing cut;
	int ret = 0;

	if (!s)
		return -ENOMEM;
	s->kernel = kernel;
	s->sram = sram;
	s->rank = y->rank;
	s->least_bytes = U64_MAX;
	if (!unit_limit(kernel, y->dims[y->rank - 1])) {
		free(s);
		return -EOVERFLOW;
	}
	if (!choose_axes(s, s->rank, tiling)) {
		/* without a cut of it, the summed axis may be too long, or the values in a pair */
		if (kernel->sums == LOOM_KERNEL_NO_SUMS || !choose_axes(s, s->rank + 1, tiling))
			ret = -ENOSPC;
		*need_bytes = s->least_bytes;
	} else if (kernel->sums != LOOM_KERNEL_NO_SUMS) {
		tiling->chunk[s->rank] = y->dims[LOOM_SUM_AXIS];
		tiling->order[s->rank] = LOOM_SUM_AXIS;
		if (tiling->dram_bytes > once_bytes(kernel) &&
		    choose_axes(s, s->rank + 1, &cut) &&
		    price(s, &cut) < price(s, tiling))
			*tiling = cut;
	}
	free(s);
	return ret;
}

u64 loom_slice_least(const struct loom_kernel *kernel, const struct loom_slice_limits *sram)
{
	struct search *s = calloc(1, sizeof(*s));
	const struct loom_ref *y = &kernel->operands[0].ref;
	struct loom_slicing tiling = { .slices = 1 };
	u32 i;

	if (!s)
		return 0;
	s->kernel = kernel;
	s->sram = sram;
	s->rank = kernel->operands[0].ref.rank;
	s->axes = loom_kernel_axes(kernel);
	prepare_operands(s);
	for (i = 0; i < s->axes; i++) {
		make_axis_lengths(s, i, !(kernel->whole >> i & 1));
		/* even one element is too much work for a unit */
		if (!s->lengths[i].count)
			break;
		s->pick[i] = s->lengths[i].count - 1;
	}
	/* sums apart need room if there is more than one term */
	if (i == s->axes)
		measure_buffers(s, s->axes > s->rank && y->dims[LOOM_SUM_AXIS] > 1 ?
				   1U << LOOM_SUM_AXIS : 0, &tiling);
	free(s);
	return tiling.scratch_bytes;
}

void loom_slice_spread(struct loom_kernel *kernel, u32 lanes)
{
	u32 i, k;

	/* a native kernel relies on its lane axes */
	for (i = 0; i < kernel->num_operands && !kernel->native; i++) {
		struct loom_operand *operand = &kernel->operands[i];
		double best = 0;

		for (k = 0; k < operand->ref.rank; k++) {
			u32 axis = operand->map[k].axis;
			bool whole = kernel->whole >> axis & 1;
			u64 end = whole ? kernel->operands[0].ref.dims[axis] : 1, lo, hi;
			double saved;

			if (loom_kernel_is_summed(kernel, &operand->map[k]))
				end = 0;
			loom_kernel_range(kernel, operand, k, 0, end, &lo, &hi);
			saved = (double)(hi - lo) / (double)loom_div_round_up(hi - lo, lanes);
			if (saved > best) {
				best = saved;
				operand->lane_axis = k;
			}
		}
	}
}
