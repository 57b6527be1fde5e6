// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_conv.h"

/*
 * The transposed convolution, from the output's side: which inputs reach output i? Tap kw does
 * where i + pad - kw * dilation is a multiple of the stride, and it is the same input step for
 * every stride-th output. So a tile's sums are kept sorted by phase, (i % stride, i / stride),
 * and in that order the outputs of a tap are side by side and so are their inputs. Sums are in the
 * order kd, kh, kw, channel: a tap reaches the same outputs in every channel. A call can stop
 * between two channels.
 *
 * Units of binary32 and binary16 are numbered so that those of four channels for the same
 * positions follow each other. They share what is read of x, which is most of the time where it
 * has to be gathered from lanes: 2.4 times as fast for a strip of two rows, lanes on W.
 */

/* Channels that are computed together. */
#define DECONV_CHANNELS	4

/**
 * struct deconv - the taps of a tile, one by one
 * @c: the convolution; @inputs and @outputs are per group
 * @fours: channels of a group that are computed by four
 * @tile: the outputs, of the first channel
 * @nb: output channels
 * @cols: sums of a phase
 * @part: pays for it; @sums are the tile's, LOOM_TILE for each channel if those are several, @at is
 *	the next channel
 * @tap: kd, kh, kw of the current tap, kept in @part
 * @xc: x's first channel of the group
 * @wc: the weights' first channel
 * @x: bytes from a channel to the row of x, less what W adds to it
 * @w: bytes from a channel's weights to the tap's
 * @wo: bytes to the weights of each output channel
 * @at: index on W of the first input
 * @sum: index of the first sum
 * @count: number of sums
 */
struct deconv {
	struct loom_conv c;
	u32 fours;
	struct loom_tile tile;
	u32 nb;
	u32 cols;
	struct loom_part *part;
	u32 *tap;
	struct loom_row xc;
	struct loom_row wc;
	s64 x;
	s64 w;
	s64 wo[DECONV_CHANNELS];
	u32 at;
	u32 sum;
	u32 count;
};

/* Channels of a group that are computed by four: as many as there are, where the sums have room. */
static u32 deconv_fours(const struct loom_conv *c)
{
	const u32 tile = LOOM_TILE;
	u32 step = c->attr->stride[2], most = min(c->y.dims[4], tile);

	if (c->y.dtype == DRM_LOOM_DTYPE_F64 || loom_div_round_up(most, step) * step > tile)
		return 0;
	return c->outputs - c->outputs % DECONV_CHANNELS;
}

/* Finds a unit. Return: how many, from this, are of the same positions. */
static u32 deconv_seek(struct deconv *v, u64 unit)
{
	const u32 *dims = v->c.y.dims;
	u64 plane = (u64)dims[2] * dims[3] * loom_tile_per_row(dims[4]), in_group, rest, at;
	u64 group = div64_u64_rem(unit, plane * v->c.outputs, &in_group);
	u32 groups = v->c.attr->groups, o, same = 1, i;
	struct loom_tile tile;

	if (in_group < plane * v->fours) {
		o = DECONV_CHANNELS * (u32)div64_u64_rem(in_group, DECONV_CHANNELS * plane, &rest);
		o += rest % DECONV_CHANNELS;
		same = DECONV_CHANNELS - rest % DECONV_CHANNELS;
		at = rest / DECONV_CHANNELS;
	} else {
		o = div64_u64_rem(in_group, plane, &at);
	}
	loom_tile_get(&tile, dims + 2, 3, at);
	v->tile.index[0] = group / groups;
	v->tile.index[1] = group % groups * v->c.outputs + o;
	for (i = 0; i < 3; i++)
		v->tile.index[2 + i] = tile.index[i];
	v->tile.count = tile.count;
	return same;
}

/* Finds a unit, and how many of @count from there are computed with it. */
static void deconv_begin(struct deconv *v, u64 unit, u64 count)
{
	u32 together = deconv_seek(v, unit), i;

	v->nb = together == DECONV_CHANNELS && count >= DECONV_CHANNELS ? DECONV_CHANNELS : 1;
	if (v->part->begun)
		v->nb = v->part->units;
	v->cols = (v->tile.count + v->c.attr->stride[2] - 1) / v->c.attr->stride[2];
	for (i = 0; i < v->nb; i++)
		v->wo[i] = loom_view_step(v->c.w, v->c.memory, 1,
					  v->tile.index[1] % v->c.outputs + i);
	if (v->part->begun)
		return;
	loom_part_charge(v->part, (2 * LOOM_UNIT_COST + 2 * v->tile.count) * v->nb);
	loom_part_begin(v->part);
	v->part->units = v->nb;
	memset(&v->part->sums, 0, sizeof(v->part->sums));
}

/* The next tap in order; false behind the last. */
static bool deconv_step(struct deconv *v)
{
	u32 i;

	for (i = 3; i-- > 0;) {
		if (++v->tap[i] < v->c.w->dims[2 + i])
			return true;
		v->tap[i] = 0;
	}
	/* back to the first: the tile is complete */
	v->part->begun = false;
	return false;
}

/* Where the tap puts output 0 of the tile in the input, times the stride. */
static s64 deconv_at(const struct deconv *v, u32 i)
{
	const struct drm_loom_attr_conv *attr = v->c.attr;

	return (s64)v->tile.index[2 + i] + attr->pad[i] - (s64)v->tap[i] * attr->dilation[i];
}

/* The one input that the tap reaches on D or H. */
static bool deconv_input(const struct deconv *v, u32 i, u32 *index)
{
	s64 at = deconv_at(v, i);
	s64 step = v->c.attr->stride[i];

	if (at < 0 || at % step || at / step >= v->c.x.dims[2 + i])
		return false;
	*index = at / step;
	return true;
}

/* The inputs that the tap reaches on W. */
static bool deconv_inputs(struct deconv *v)
{
	s64 step = v->c.attr->stride[2];
	s64 size = v->c.x.dims[4];
	s64 at = deconv_at(v, 2);
	s64 phase = (step - at % step) % step;
	s64 low = 0, high, q;

	if (at < 0)
		phase = -at % step;
	if (phase >= v->tile.count)
		return false;
	q = (at + phase) / step;
	high = (v->tile.count - phase + step - 1) / step;
	if (q < 0)
		low = -q;
	high = min(high, size - q);
	if (low >= high)
		return false;
	v->at = q + low;
	v->sum = phase * v->cols + low;
	v->count = high - low;
	return true;
}

/* Looks where the current tap reaches; false: nowhere. */
static bool deconv_look(struct deconv *v)
{
	const struct loom_memory *memory = v->c.memory;
	const struct loom_view *x = &v->c.x, *w = v->c.w;
	u32 id, ih;

	loom_part_charge(v->part, 2 * LOOM_TAP_COST);
	if (!deconv_input(v, 0, &id) || !deconv_input(v, 1, &ih) || !deconv_inputs(v))
		return false;
	v->x = loom_view_step(x, memory, 2, id) + loom_view_step(x, memory, 3, ih);
	v->w = loom_view_step(w, memory, 2, v->tap[0]) + loom_view_step(w, memory, 3, v->tap[1]) +
	       loom_view_step(w, memory, 4, v->tap[2]);
	return true;
}

/* The channels from the next to as many as @part pays for. Return: behind the last. */
static u32 deconv_channels(struct deconv *v)
{
	u32 cost = LOOM_ROW_COST + 2 * v->count * v->nb, o = v->tile.index[1];
	const struct loom_memory *memory = v->c.memory;
	u32 at = v->part->at;
	u32 first = o / v->c.outputs * v->c.inputs + at;

	v->xc = loom_row_along(&v->c.x, memory, v->c.x_origin +
			       loom_view_step(&v->c.x, memory, 0, v->tile.index[0]), 1, first);
	v->wc = loom_row_along(v->c.w, memory, v->c.w_origin, 0, first);
	return at + loom_part_pay(v->part, v->c.inputs - at, cost);
}

/* Whether there is more to add that @part pays for. */
static bool deconv_go_on(struct deconv *v)
{
	struct loom_part *part = v->part;

	/* a tap that reaches nothing is left before its first channel */
	if (part->at == v->c.inputs || !part->at) {
		part->at = 0;
		if (!deconv_step(v))
			return false;
	}
	return loom_part_ready(part);
}

/* Index of output @i among the sums. */
static u32 deconv_sum(const struct deconv *v, u32 i)
{
	u32 step = v->c.attr->stride[2];

	return i % step * v->cols + i / step;
}

static void deconv_add_f32(float *restrict acc, const float *restrict x, float w, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		acc[i] += w * x[i];
}

/* Weight of the tap for output channel @i. */
static __always_inline float deconv_weight(const struct deconv *v, u32 i, u32 dtype)
{
	const u8 *at = v->wc.at + v->w + v->wo[i];
	u16 h;

	if (dtype == DRM_LOOM_DTYPE_F32)
		return loom_get_f32(at);
	memcpy(&h, at, sizeof(h));
	return loom_half_to_f32(h);
}

/* Adds what @part pays for; if the tile is complete then, @part->begun is false. */
static noinline void deconv_sum_f32(struct deconv *v, u32 dtype)
{
	struct loom_part *part = v->part;
	struct loom_row row;
	union loom_buf buf;
	const float *x;
	u32 end, i;

	do {
		if (!deconv_look(v))
			continue;
		end = deconv_channels(v);
		row = loom_row_along(&v->c.x, v->c.memory, v->xc.at + v->x, 4, v->at);
		for (; part->at < end; part->at++) {
			const u8 *channel = v->xc.at;

			x = loom_row_f32(&row, dtype, v->count, &buf);
			for (i = 0; i < v->nb; i++)
				deconv_add_f32(part->sums.f32 + i * LOOM_TILE + v->sum, x,
					       deconv_weight(v, i, dtype), v->count);
			loom_row_next(&v->xc);
			loom_row_next(&v->wc);
			row.at += v->xc.at - channel;
		}
	} while (deconv_go_on(v));
}

static noinline void deconv_sum_f64(struct deconv *v)
{
	struct loom_part *part = v->part;
	double *acc = part->sums.f64;
	double buf[LOOM_TILE];
	const double *x;
	double w;
	u32 end, i;

	do {
		if (!deconv_look(v))
			continue;
		for (end = deconv_channels(v); part->at < end; part->at++) {
			struct loom_row row = loom_row_along(&v->c.x, v->c.memory,
							     v->xc.at + v->x, 4, v->at);

			memcpy(&w, v->wc.at + v->w + v->wo[0], sizeof(w));
			x = loom_row_raw(&row, 8, v->count, buf);
			for (i = 0; i < v->count; i++)
				acc[v->sum + i] += w * x[i];
			loom_row_next(&v->xc);
			loom_row_next(&v->wc);
		}
	} while (deconv_go_on(v));
}

static float deconv_bias(const struct deconv *v)
{
	if (!v->c.bias)
		return 0.0f;
	return loom_get_f32(loom_conv_channel(&v->c, v->c.bias, v->tile.index[1]));
}

static noinline void deconv_emit_f32(const struct deconv *v, const struct loom_row *y, u32 dtype,
				     const float *acc)
{
	const struct drm_loom_attr_conv *attr = v->c.attr;
	float buf[LOOM_TILE], bias = deconv_bias(v);
	u32 n = v->tile.count, i;

	for (i = 0; i < n; i++)
		buf[i] = acc[deconv_sum(v, i)] + bias;
	loom_tile_act_f32(buf, n, attr->act, attr->act_p0, attr->act_p1);
	loom_row_put_f32(y, dtype, n, buf);
}

static noinline void deconv_emit_f64(const struct deconv *v, const struct loom_row *y)
{
	const struct drm_loom_attr_conv *attr = v->c.attr;
	const double *acc = v->part->sums.f64;
	double buf[LOOM_TILE], bias = deconv_bias(v);
	u32 n = v->tile.count, i;

	for (i = 0; i < n; i++)
		buf[i] = acc[deconv_sum(v, i)] + bias;
	loom_tile_act_f64(buf, n, attr->act, attr->act_p0, attr->act_p1);
	loom_row_put_f64(y, n, buf);
}

/* The results of all channels. */
static void deconv_emit(struct deconv *v)
{
	u32 dtype = v->c.y.dtype, i;
	struct loom_row row;

	for (i = 0; i < v->nb; i++) {
		row = loom_view_row(&v->c.y, v->c.memory, v->tile.index, 5, 4);
		if (dtype == DRM_LOOM_DTYPE_F64)
			deconv_emit_f64(v, &row);
		else
			deconv_emit_f32(v, &row, dtype, v->part->sums.f32 + i * LOOM_TILE);
		v->tile.index[1]++;
	}
}

u64 loom_fp_deconv_run(const struct loom_command *command, const struct loom_memory *memory,
		       u64 first, u64 count, struct loom_part *part)
{
	struct deconv v;
	u64 done = 0;

	loom_conv_begin(&v.c, command, memory);
	v.fours = deconv_fours(&v.c);
	v.part = part;
	v.tap = part->index;
	do {
		deconv_begin(&v, first + done, count - done);
		if (command->views[0].dtype == DRM_LOOM_DTYPE_F64)
			deconv_sum_f64(&v);
		else
			deconv_sum_f32(&v, command->views[0].dtype);
		if (part->begun)
			break;
		deconv_emit(&v);
		done += v.nb;
	} while (done < count && loom_part_ready(part));
	return done;
}
