// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv.h"

/*
 * Convolution of any type in any layout: one tile of outputs at a time. The terms and their order
 * are those of fp_conv.c. F16 is summed in binary32, F64 in binary64, integers in 32 bits that
 * wrap. A call can stop between two taps.
 */

/**
 * struct conv_walk - the taps of a tile, one by one
 * @conv: the convolution
 * @tile: the outputs
 * @xc: x's channel
 * @wc: the weights' channel
 * @part: pays for it; @sums are those of the tile
 * @tap: channel, kd, kh, kw of the next tap, kept in @part
 * @w: the weight
 * @x: first byte of the row of x, less what W adds to it
 * @at: index on W of the input of output @low
 * @low: first output of the tile whose input lies in x; that of the others is zero
 * @high: behind the last such; @low if there is none
 */
struct conv_walk {
	const struct loom_conv *conv;
	const struct loom_tile *tile;
	struct loom_row xc;
	struct loom_row wc;
	struct loom_part *part;
	u32 *tap;
	const u8 *w;
	u8 *x;
	s64 at;
	u32 low;
	u32 high;
};

static void conv_walk_begin(struct conv_walk *walk, const struct loom_conv *conv,
			    const struct loom_tile *tile, struct loom_part *part)
{
	const struct loom_memory *memory = conv->memory;
	const u32 *index = tile->index;

	if (!part->begun) {
		loom_part_charge(part, 2 * LOOM_UNIT_COST + 2 * tile->count);
		loom_part_begin(part);
		part->units = 1;
		memset(&part->sums, 0, LOOM_TILE * sizeof(part->sums.f64[0]));
	}
	*walk = (struct conv_walk){
		.conv = conv, .tile = tile, .part = part, .tap = part->index,
	};
	walk->xc = loom_row_along(&conv->x, memory,
				  conv->x_origin + loom_view_step(&conv->x, memory, 0, index[0]),
				  1, index[1] / conv->outputs * conv->inputs + walk->tap[0]);
	walk->wc = loom_row_along(conv->w, memory,
				  conv->w_origin + loom_view_step(conv->w, memory, 0, index[1]),
				  1, walk->tap[0]);
}

static void conv_walk_step(struct conv_walk *walk)
{
	u32 i;

	for (i = 3; i > 0; i--) {
		if (++walk->tap[i] < walk->conv->w->dims[i + 1])
			return;
		walk->tap[i] = 0;
	}
	walk->tap[0]++;
	loom_row_next(&walk->xc);
	loom_row_next(&walk->wc);
}

/* Coordinate in x of the tile's first output with the next tap. */
static s64 conv_walk_at(const struct conv_walk *walk, u32 i)
{
	const struct drm_loom_attr_conv *attr = walk->conv->attr;

	return (s64)walk->tile->index[2 + i] * attr->stride[i] +
	       (s64)walk->tap[1 + i] * attr->dilation[i] - attr->pad[i];
}

/* The next tap whose row lies in x; false behind the last, and where @part does not pay for it. */
static bool conv_walk_next(struct conv_walk *walk)
{
	const struct loom_conv *conv = walk->conv;
	const struct loom_memory *memory = conv->memory;
	const struct loom_view *x = &conv->x, *w = conv->w;
	s64 step = conv->attr->stride[2];
	u32 count = walk->tile->count;
	s64 id, ih, at;

	for (; walk->tap[0] < conv->inputs; conv_walk_step(walk)) {
		if (!loom_part_ready(walk->part))
			return false;
		loom_part_charge(walk->part, LOOM_TAP_COST);
		id = conv_walk_at(walk, 0);
		ih = conv_walk_at(walk, 1);
		if (id < 0 || id >= x->dims[2] || ih < 0 || ih >= x->dims[3])
			continue;

		at = conv_walk_at(walk, 2);
		walk->low = 0;
		walk->high = count;
		if (at < 0)
			walk->low = min((u64)count, (u64)((-at + step - 1) / step));
		if (at + (s64)(count - 1) * step >= (s64)x->dims[4])
			walk->high = at < (s64)x->dims[4] ? (x->dims[4] - 1 - at) / step + 1 : 0;
		if (walk->low >= walk->high) {
			walk->low = count;
			walk->high = count;
		}
		walk->at = at + walk->low * step;
		walk->x = walk->xc.at + loom_view_step(x, memory, 2, id) +
			  loom_view_step(x, memory, 3, ih);
		walk->w = walk->wc.at + loom_view_step(w, memory, 2, walk->tap[1]) +
			  loom_view_step(w, memory, 3, walk->tap[2]) +
			  loom_view_step(w, memory, 4, walk->tap[3]);
		conv_walk_step(walk);
		loom_part_charge(walk->part, LOOM_ROW_COST + 2 * count);
		return true;
	}
	return false;
}

/* Whether all taps of the tile are done. */
static bool conv_walk_ended(const struct conv_walk *walk)
{
	if (walk->tap[0] < walk->conv->inputs)
		return false;
	walk->part->begun = false;
	return true;
}

/* The inputs of outputs @low to @high, side by side. */
static const void *conv_walk_inputs(const struct conv_walk *walk, void *buffer)
{
	const struct loom_conv *conv = walk->conv;

	if (walk->low == walk->high)
		return buffer;
	return loom_axis_raw(&conv->x, conv->memory, walk->x, 4, walk->at, conv->attr->stride[2],
			     walk->high - walk->low, buffer);
}

static noinline void conv_tile_f32(const struct loom_conv *conv, const struct loom_tile *tile,
				   const struct loom_row *y, struct loom_part *part)
{
	const struct drm_loom_attr_conv *attr = conv->attr;
	float *acc = part->sums.f32, buffer[LOOM_TILE];
	u32 dtype = conv->x.dtype, i;
	struct loom_row row = { .stride = conv->x.elem_bytes };
	struct conv_walk walk;
	union loom_buf buf;
	const float *x;
	float w;
	u16 h;

	conv_walk_begin(&walk, conv, tile, part);
	while (conv_walk_next(&walk)) {
		if (dtype == DRM_LOOM_DTYPE_F16) {
			memcpy(&h, walk.w, sizeof(h));
			w = loom_half_to_f32(h);
		} else {
			w = loom_get_f32(walk.w);
		}
		row.at = (u8 *)conv_walk_inputs(&walk, buffer);
		x = loom_row_f32(&row, dtype, walk.high - walk.low, &buf);
		for (i = 0; i < walk.low; i++)
			acc[i] += w * 0.0f;
		for (; i < walk.high; i++)
			acc[i] += w * x[i - walk.low];
		for (; i < tile->count; i++)
			acc[i] += w * 0.0f;
	}
	if (!conv_walk_ended(&walk))
		return;
	if (conv->bias) {
		w = loom_get_f32(loom_conv_channel(conv, conv->bias, tile->index[1]));
		for (i = 0; i < tile->count; i++)
			acc[i] += w;
	}
	loom_tile_act_f32(acc, tile->count, attr->act, attr->act_p0, attr->act_p1);
	loom_row_put_f32(y, dtype, tile->count, acc);
}

static noinline void conv_tile_f64(const struct loom_conv *conv, const struct loom_tile *tile,
				   const struct loom_row *y, struct loom_part *part)
{
	const struct drm_loom_attr_conv *attr = conv->attr;
	double *acc = part->sums.f64;
	double buffer[LOOM_TILE];
	struct conv_walk walk;
	const double *x;
	double w;
	u32 i;

	conv_walk_begin(&walk, conv, tile, part);
	while (conv_walk_next(&walk)) {
		memcpy(&w, walk.w, sizeof(w));
		x = conv_walk_inputs(&walk, buffer);
		for (i = 0; i < walk.low; i++)
			acc[i] += w * 0.0;
		for (; i < walk.high; i++)
			acc[i] += w * x[i - walk.low];
		for (; i < tile->count; i++)
			acc[i] += w * 0.0;
	}
	if (!conv_walk_ended(&walk))
		return;
	if (conv->bias) {
		w = loom_get_f32(loom_conv_channel(conv, conv->bias, tile->index[1]));
		for (i = 0; i < tile->count; i++)
			acc[i] += w;
	}
	loom_tile_act_f64(acc, tile->count, attr->act, attr->act_p0, attr->act_p1);
	loom_row_put_f64(y, tile->count, acc);
}

/* One byte as the integer it stands for. */
static __always_inline s32 conv_byte(u8 byte, bool is_signed)
{
	return is_signed ? (s8)byte : byte;
}

static noinline void conv_tile_int(const struct loom_conv *conv, const struct loom_tile *tile,
				   const struct loom_row *y, struct loom_part *part)
{
	const struct drm_loom_attr_conv *attr = conv->attr;
	bool x_signed = conv->x.dtype == DRM_LOOM_DTYPE_I8;
	bool w_signed = conv->w->dtype == DRM_LOOM_DTYPE_I8;
	s16 x_zero = attr->x_zero, xs[LOOM_TILE];
	s32 *acc = part->sums.s32;
	u8 buffer[LOOM_TILE];
	struct conv_walk walk;
	const u8 *x;
	s32 bias;
	u32 n, i;
	s16 w;

	conv_walk_begin(&walk, conv, tile, part);
	while (conv_walk_next(&walk)) {
		w = conv_byte(*walk.w, w_signed) - attr->w_zero;
		x = conv_walk_inputs(&walk, buffer);
		n = walk.high - walk.low;
		if (x_signed) {
			for (i = 0; i < n; i++)
				xs[i] = (s8)x[i] - x_zero;
		} else {
			for (i = 0; i < n; i++)
				xs[i] = x[i] - x_zero;
		}
		/* a product has 19 bits; the sum wraps, which only unsigned may in C */
		for (i = 0; i < n; i++)
			acc[walk.low + i] = (s32)((u32)acc[walk.low + i] + (u32)((s32)w * xs[i]));
	}
	if (!conv_walk_ended(&walk))
		return;
	if (conv->bias) {
		memcpy(&bias, loom_conv_channel(conv, conv->bias, tile->index[1]), sizeof(bias));
		for (i = 0; i < tile->count; i++)
			acc[i] = (s32)((u32)acc[i] + (u32)bias);
	}
	if (conv->scale) {
		float scale = loom_get_f32(loom_conv_channel(conv, conv->scale, tile->index[1]));

		for (i = 0; i < tile->count; i++)
			buffer[i] = loom_requantise(acc[i], scale, attr->y_zero, conv->y.dtype);
		loom_row_write(y, 1, tile->count, buffer);
	} else {
		loom_row_write(y, 4, tile->count, acc);
	}
}

static void conv_tile(const struct loom_conv *conv, const struct loom_tile *tile,
		      struct loom_part *part)
{
	struct loom_row row = loom_view_row(&conv->y, conv->memory, tile->index, 5, 4);

	if (loom_dtype_class(conv->y.dtype) == LOOM_CLASS_F32)
		conv_tile_f32(conv, tile, &row, part);
	else if (conv->y.dtype == DRM_LOOM_DTYPE_F64)
		conv_tile_f64(conv, tile, &row, part);
	else
		conv_tile_int(conv, tile, &row, part);
}

u64 loom_conv_run_plain(const struct loom_command *command, const struct loom_memory *memory,
			u64 first, u64 count, struct loom_part *part)
{
	const struct loom_view *y = &command->views[0];
	struct loom_conv conv;
	struct loom_tile tile;
	u64 done = 0;

	loom_conv_begin(&conv, command, memory);
	loom_tile_get(&tile, y->dims, 5, first);
	do {
		conv_tile(&conv, &tile, part);
		if (part->begun)
			break;
		loom_tile_next(&tile, y->dims, 5);
	} while (++done < count && loom_part_ready(part));
	return done;
}
