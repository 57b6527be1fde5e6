// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"

/*
 * Pooling computes a tile of outputs along W at a time, with taps in the order kd, kh, kw. Maxima
 * are exact in any type that holds the elements; means are summed in binary64 and divided once. A
 * call can stop between two taps.
 */

/**
 * struct pool - a pooling with its operands prepared
 * @memory: where the operands lie
 * @attr: its attributes
 * @x: the input
 * @tile: the outputs
 * @part: pays for it; @sums are those of the tile
 * @tap: kd, kh, kw of the next tap, kept in @part
 * @base: address of the channel of x
 * @row: address of the row of x that the tap reads
 * @at: index on W of the element that the tap reads for output @low
 * @low: first output of the tile for which the tap is inside of x
 * @high: behind the last such
 */
struct pool {
	const struct loom_memory *memory;
	const struct drm_loom_attr_pool *attr;
	const struct loom_view *x;
	struct loom_part *part;
	struct loom_tile tile;
	u32 *tap;
	u8 *base;
	u8 *row;
	s64 at;
	u32 low;
	u32 high;
};

static s64 pool_at(const struct pool *p, u32 i)
{
	return (s64)p->tile.index[2 + i] * p->attr->stride[i] +
	       (s64)p->tap[i] * p->attr->dilation[i] - p->attr->pad_before[i];
}

/*
 * Moves on to the next tap that is inside of x for some output. False: there is none, or @part does
 * not pay for it now.
 */
static bool pool_next(struct pool *p)
{
	const struct drm_loom_attr_pool *attr = p->attr;
	const struct loom_view *x = p->x;
	s64 step = attr->stride[2];
	u32 count = p->tile.count;
	s64 id, ih, at;

	for (;; p->tap[2]++) {
		if (!loom_part_ready(p->part))
			return false;
		loom_part_charge(p->part, LOOM_TAP_COST);
		if (p->tap[2] == (u32)attr->kernel[2]) {
			p->tap[2] = 0;
			p->tap[1]++;
		}
		if (p->tap[1] == (u32)attr->kernel[1]) {
			p->tap[1] = 0;
			p->tap[0]++;
		}
		if (p->tap[0] == (u32)attr->kernel[0])
			return false;
		id = pool_at(p, 0);
		ih = pool_at(p, 1);
		if (id < 0 || id >= x->dims[2] || ih < 0 || ih >= x->dims[3]) {
			/* the whole row of taps is outside: skip the rest of it */
			p->tap[2] = attr->kernel[2] - 1;
			continue;
		}
		at = pool_at(p, 2);
		p->low = 0;
		p->high = count;
		if (at < 0)
			p->low = min((u64)count, (u64)((-at + step - 1) / step));
		if (at + (s64)(count - 1) * step >= (s64)x->dims[4])
			p->high = at < (s64)x->dims[4] ? (x->dims[4] - 1 - at) / step + 1 : 0;
		if (p->low >= p->high)
			continue;
		p->at = at + p->low * step;
		p->row = p->base + loom_view_step(x, p->memory, 2, id) +
			 loom_view_step(x, p->memory, 3, ih);
		p->tap[2]++;
		loom_part_charge(p->part, LOOM_ROW_COST + 2 * (p->high - p->low));
		return true;
	}
}

/* Whether all taps of the tile are done. */
static bool pool_ended(const struct pool *p)
{
	if (p->tap[0] < (u32)p->attr->kernel[0])
		return false;
	p->part->begun = false;
	return true;
}

/* Return: whether it is a new tile. */
static bool pool_tile_begin(struct pool *p)
{
	bool begins = !p->part->begun;

	if (begins) {
		/* the work after the taps has divisions for each output */
		loom_part_charge(p->part, LOOM_UNIT_COST + LOOM_ROW_COST * p->tile.count);
		loom_part_begin(p->part);
	}
	p->base = loom_view_origin(p->x, p->memory) +
		  loom_view_step(p->x, p->memory, 0, p->tile.index[0]) +
		  loom_view_step(p->x, p->memory, 1, p->tile.index[1]);
	return begins;
}

/* The elements that the tap reads for outputs @low to @high, as a dense row. */
static struct loom_row pool_inputs(const struct pool *p, void *buffer)
{
	const void *raw = loom_axis_raw(p->x, p->memory, p->row, 4, p->at, p->attr->stride[2],
					p->high - p->low, buffer);

	return (struct loom_row){ .at = (u8 *)raw, .stride = p->x->elem_bytes };
}

/* Number of taps on an axis, of the window of output @i, that lie in [@low, @high). */
static u64 pool_taps(const struct drm_loom_attr_pool *attr, u32 axis, u32 i, s64 low, s64 high)
{
	s64 dilation = attr->dilation[axis];
	s64 at = (s64)i * attr->stride[axis] - attr->pad_before[axis];
	s64 first = at < low ? (low - at + dilation - 1) / dilation : 0;
	s64 last = at < high ? (high - 1 - at) / dilation : -1;

	last = min(last, (s64)attr->kernel[axis] - 1);
	return last < first ? 0 : last - first + 1;
}

/* The divisor of the mean of output @i of the tile; zero if its window has no element. */
static u64 pool_divisor(const struct pool *p, u32 i)
{
	const struct drm_loom_attr_pool *attr = p->attr;
	u64 taps = 1;
	u32 axis;

	for (axis = 0; axis < 3; axis++) {
		u32 index = p->tile.index[2 + axis] + (axis == 2 ? i : 0);
		s64 size = p->x->dims[2 + axis];

		if (attr->flags & DRM_LOOM_POOL_COUNT_PAD)
			taps *= pool_taps(attr, axis, index, -(s64)attr->pad_before[axis],
					  size + attr->pad_after[axis]);
		else
			taps *= pool_taps(attr, axis, index, 0, size);
	}
	return taps;
}

static bool pool_empty(const struct pool *p, u32 i)
{
	const struct drm_loom_attr_pool *attr = p->attr;
	u32 axis;

	for (axis = 0; axis < 3; axis++) {
		if (!pool_taps(attr, axis, p->tile.index[2 + axis] + (axis == 2 ? i : 0), 0,
			       p->x->dims[2 + axis]))
			return true;
	}
	return false;
}

static noinline void pool_avg(struct pool *p, bool begins, const struct loom_row *y)
{
	u32 dtype = p->x->dtype, n = p->tile.count, i;
	double *acc = p->part->sums.f64;
	union loom_buf raw, buf;
	struct loom_row row;
	const double *x;
	u64 divisor;

	for (i = 0; begins && i < n; i++)
		acc[i] = 0.0;
	while (pool_next(p)) {
		row = pool_inputs(p, &raw);
		x = loom_row_f64(&row, dtype, p->high - p->low, &buf);
		for (i = p->low; i < p->high; i++)
			acc[i] += x[i - p->low];
	}
	if (!pool_ended(p))
		return;
	for (i = 0; i < n; i++) {
		divisor = pool_divisor(p, i);
		acc[i] = divisor ? acc[i] / (double)divisor : 0.0;
		buf.f32[i] = (float)acc[i];
	}
	if (dtype == DRM_LOOM_DTYPE_F64)
		loom_row_put_f64(y, n, acc);
	else
		loom_row_put_f32(y, dtype, n, buf.f32);
}

static noinline void pool_max_f32(struct pool *p, bool begins, const struct loom_row *y)
{
	const float lowest = p->x->dtype == DRM_LOOM_DTYPE_F32 ? -0x1.fffffep127f : -65504.0f;
	u32 dtype = p->x->dtype, n = p->tile.count, i;
	union loom_buf raw, buf;
	float *acc = p->part->sums.f32;
	struct loom_row row;
	const float *x;

	for (i = 0; begins && i < n; i++)
		acc[i] = -__builtin_inff();
	while (pool_next(p)) {
		row = pool_inputs(p, &raw);
		x = loom_row_f32(&row, dtype, p->high - p->low, &buf);
		for (i = p->low; i < p->high; i++)
			acc[i] = loom_maxf(acc[i], x[i - p->low]);
	}
	if (!pool_ended(p))
		return;
	for (i = 0; i < n; i++) {
		if (acc[i] < lowest && pool_empty(p, i))
			acc[i] = lowest;
	}
	loom_row_put_f32(y, dtype, n, acc);
}

static noinline void pool_max_f64(struct pool *p, bool begins, const struct loom_row *y)
{
	u32 n = p->tile.count, i;
	double *acc = p->part->sums.f64;
	struct loom_row row;
	union loom_buf raw;
	const double *x;

	for (i = 0; begins && i < n; i++)
		acc[i] = -__builtin_inf();
	while (pool_next(p)) {
		row = pool_inputs(p, &raw);
		x = (const double *)row.at;
		for (i = p->low; i < p->high; i++)
			acc[i] = loom_max(acc[i], x[i - p->low]);
	}
	if (!pool_ended(p))
		return;
	for (i = 0; i < n; i++) {
		if (acc[i] == -__builtin_inf() && pool_empty(p, i))
			acc[i] = -0x1.fffffffffffffp1023;
	}
	loom_row_put_f64(y, n, acc);
}

static noinline void pool_max_u64(struct pool *p, bool begins, const struct loom_row *y)
{
	u32 dtype = p->x->dtype, n = p->tile.count, i;
	bool is_signed = loom_dtype_signed(dtype);
	u32 bits = 8 * p->x->elem_bytes;
	u64 *acc = p->part->sums.u64;
	union loom_buf raw, buf;
	struct loom_row row;
	const u64 *x;

	for (i = 0; begins && i < n; i++)
		acc[i] = is_signed ? (u64)((s64)(1ULL << 63) >> (64 - bits)) : 0;
	while (pool_next(p)) {
		row = pool_inputs(p, &raw);
		x = loom_row_u64(&row, dtype, p->high - p->low, &buf);
		for (i = p->low; i < p->high; i++) {
			u64 v = x[i - p->low];

			if (is_signed ? (s64)v > (s64)acc[i] : v > acc[i])
				acc[i] = v;
		}
	}
	if (!pool_ended(p))
		return;
	loom_row_put_u64(y, dtype, n, acc);
}

u64 loom_fp_pool_run(const struct loom_command *command, const struct loom_memory *memory,
		     u64 first, u64 count, struct loom_part *part)
{
	const struct drm_loom_attr_pool *attr = command->attr;
	const struct loom_view *y = &command->views[0];
	struct pool p = {
		.memory = memory, .attr = attr, .x = &command->views[1], .part = part,
		.tap = part->index,
	};
	struct loom_row row;
	bool begins;
	u64 done = 0;

	loom_tile_get(&p.tile, y->dims, 5, first);
	do {
		row = loom_view_row(y, memory, p.tile.index, 5, 4);
		begins = pool_tile_begin(&p);
		if (attr->kind == DRM_LOOM_POOL_AVG)
			pool_avg(&p, begins, &row);
		else if (y->dtype == DRM_LOOM_DTYPE_F64)
			pool_max_f64(&p, begins, &row);
		else if (loom_dtype_class(y->dtype) == LOOM_CLASS_F32)
			pool_max_f32(&p, begins, &row);
		else
			pool_max_u64(&p, begins, &row);
		if (part->begun)
			break;
		loom_tile_next(&p.tile, y->dims, 5);
	} while (++done < count && loom_part_ready(part));
	return done;
}
