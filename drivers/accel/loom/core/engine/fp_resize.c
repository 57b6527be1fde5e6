// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"

/**
 * DOC: Resize
 *
 * An output is a sum over 1, 2 or 4 taps per axis, and the taps of an axis depend on the coordinate
 * on that axis only. So each axis is computed alone: first the coordinate of the output in the
 * input, in binary32 and with the operations in the order of ONNX's definition (nearest neighbours
 * change when a coordinate is off by one unit in the last place), then indices and weights.
 *
 * Coordinates are those of the whole input and output; the views may be slices. Indices are clamped
 * to the whole input, then to the slice: if a plan's slice of the input is too small, the results
 * are wrong, but nothing outside of the view is read.
 *
 * Taps on W are computed once for RESIZE_WIDTH outputs, and used for all rows in the same run of
 * units. Those on D and H serve all channels of the run where rows are short, and so do the copies
 * that nearest neighbours are: a strip of one column, 160 high, takes 14 ns for an element where
 * they do not, and 0.5 where they do.
 */

#define RESIZE_TAPS	4
#define RESIZE_WIDTH	16
/* Rows below this take longer for their taps on D and H than for their elements. */
#define RESIZE_SHORT	32

/**
 * struct resize_taps - the taps of an output on an axis
 * @n: number of taps
 * @index: of each tap, in x
 * @step: on W: bytes to each tap
 * @weight: of each tap
 * @outside: the output lies outside of the input, and is extrapolated
 */
struct resize_taps {
	u32 n;
	u32 index[RESIZE_TAPS];
	s64 step[RESIZE_TAPS];
	float weight[RESIZE_TAPS];
	bool outside;
};

/**
 * struct resize - a resize with its operands prepared
 * @memory: where the operands lie
 * @attr: its attributes
 * @y: the output
 * @x: the input
 * @d: taps of the current index on D
 * @h: taps of the current index on H
 * @w: taps of the current outputs on W
 * @y_step: bytes to those outputs
 */
struct resize {
	const struct loom_memory *memory;
	const struct drm_loom_attr_resize *attr;
	const struct loom_view *y;
	const struct loom_view *x;
	struct resize_taps d;
	struct resize_taps h;
	struct resize_taps w[RESIZE_WIDTH];
	s64 y_step[RESIZE_WIDTH];
};

/* The coordinate of output @i in the whole input. */
static float resize_coord(const struct drm_loom_attr_resize *attr, u32 axis, u32 i)
{
	float scale = loom_f32_of_bits(attr->scale[axis]);
	float in = (float)attr->in_size[axis];
	float out = (float)attr->out_size[axis];
	float start, end, x = (float)i;

	if (attr->coord == DRM_LOOM_COORD_TF_CROP_AND_RESIZE) {
		start = loom_f32_of_bits(attr->roi_start[axis]);
		end = loom_f32_of_bits(attr->roi_end[axis]);
		if (attr->out_size[axis] == 1)
			return 0.5f * (start + end) * (in - 1.0f);
		return start * (in - 1.0f) + x * (end - start) * (in - 1.0f) / (out - 1.0f);
	}
	if (scale == 1.0f)
		return x;
	switch (attr->coord) {
	case DRM_LOOM_COORD_ASYMMETRIC:
		return x / scale;
	case DRM_LOOM_COORD_PYTORCH_HALF_PIXEL:
		return attr->out_size[axis] == 1 ? 0.0f : (x + 0.5f) / scale - 0.5f;
	case DRM_LOOM_COORD_ALIGN_CORNERS:
		return attr->out_size[axis] == 1 ? 0.0f : x * (in - 1.0f) / (out - 1.0f);
	case DRM_LOOM_COORD_HALF_PIXEL_SYMMETRIC:
		/* out / in may differ from the given scale: the rest is divided among both ends */
		return in / 2.0f * (1.0f - out / (scale * in)) + (x + 0.5f) / scale - 0.5f;
	}
	return (x + 0.5f) / scale - 0.5f;
}

static float resize_nearest(u32 mode, float x)
{
	float floor = loom_floorf(x);
	float part = x - floor;

	switch (mode) {
	case DRM_LOOM_NEAREST_ROUND_PREFER_FLOOR:
		return part > 0.5f ? floor + 1.0f : floor;
	case DRM_LOOM_NEAREST_ROUND_PREFER_CEIL:
		return part >= 0.5f ? floor + 1.0f : floor;
	case DRM_LOOM_NEAREST_FLOOR:
		return floor;
	}
	return part > 0.0f ? floor + 1.0f : floor;
}

/* The index in x that is closest to index @at of the whole input. */
static u32 resize_clamp(const struct resize *r, u32 axis, float at)
{
	float last = (float)(r->attr->in_size[axis] - 1);
	s64 end = r->x->dims[2 + axis], i;

	/* a NaN is 0; the last index may have been rounded up when it was converted */
	at = at > 0.0f ? at : 0.0f;
	i = (s64)(at < last ? at : last) - r->attr->in_start[axis];
	if (i < 0)
		return 0;
	return min(i, end - 1);
}

/* Keys' cubic convolution at the distances s + 1, s, 1 - s, 2 - s. */
static void resize_cubic(float a, float s, float *weight)
{
	float t = s + 1.0f;
	float u = 1.0f - s;
	float r = 2.0f - s;

	weight[0] = ((a * t - 5.0f * a) * t + 8.0f * a) * t - 4.0f * a;
	weight[1] = ((a + 2.0f) * s - (a + 3.0f)) * s * s + 1.0f;
	weight[2] = ((a + 2.0f) * u - (a + 3.0f)) * u * u + 1.0f;
	weight[3] = ((a * r - 5.0f * a) * r + 8.0f * a) * r - 4.0f * a;
}

static void resize_cubic_taps(const struct resize *r, u32 axis, float at, struct resize_taps *taps)
{
	const struct drm_loom_attr_resize *attr = r->attr;
	float last = (float)(attr->in_size[axis] - 1);
	float floor = loom_floorf(at);
	float sum = 0.0f;
	u32 i;

	taps->n = 4;
	resize_cubic(loom_f32_of_bits(attr->cubic_a), at - floor, taps->weight);
	for (i = 0; i < 4; i++) {
		float tap = floor + (float)i - 1.0f;

		if ((attr->flags & DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE) && (tap < 0.0f || tap > last))
			taps->weight[i] = 0.0f;
		taps->index[i] = resize_clamp(r, axis, tap);
		sum += taps->weight[i];
	}
	if (attr->flags & DRM_LOOM_RESIZE_EXCLUDE_OUTSIDE) {
		for (i = 0; i < 4; i++)
			taps->weight[i] /= sum;
	}
}

/* Taps of index @i of y on an axis (0 is D). */
static void resize_axis(const struct resize *r, u32 axis, u32 i, struct resize_taps *taps)
{
	const struct drm_loom_attr_resize *attr = r->attr;
	float at = resize_coord(attr, axis, (u32)attr->out_start[axis] + i);
	float last = (float)(attr->in_size[axis] - 1);
	float floor;

	taps->outside = attr->coord == DRM_LOOM_COORD_TF_CROP_AND_RESIZE &&
			!(at >= 0.0f && at <= last);
	switch (attr->mode) {
	case DRM_LOOM_RESIZE_NEAREST:
		taps->n = 1;
		taps->index[0] = resize_clamp(r, axis, resize_nearest(attr->nearest, at));
		taps->weight[0] = 1.0f;
		break;
	case DRM_LOOM_RESIZE_LINEAR:
		at = at > 0.0f ? at : 0.0f;
		at = at < last ? at : last;
		floor = loom_floorf(at);
		taps->n = 2;
		taps->index[0] = resize_clamp(r, axis, floor);
		taps->index[1] = resize_clamp(r, axis, floor + 1.0f);
		taps->weight[1] = at - floor;
		taps->weight[0] = 1.0f - taps->weight[1];
		break;
	case DRM_LOOM_RESIZE_CUBIC:
		resize_cubic_taps(r, axis, at, taps);
		break;
	}
}

static void resize_columns(struct resize *r, u32 first, u32 n)
{
	u32 i, k;

	for (i = 0; i < n; i++) {
		struct resize_taps *taps = &r->w[i];

		resize_axis(r, 2, first + i, taps);
		for (k = 0; k < taps->n; k++)
			taps->step[k] = loom_view_step(r->x, r->memory, 4, taps->index[k]);
		r->y_step[i] = loom_view_step(r->y, r->memory, 4, first + i);
	}
}

/* Writes @n extrapolated outputs of any type. */
static void resize_fill(const struct resize *r, const struct loom_row *y, u32 n)
{
	float value = loom_f32_of_bits(r->attr->extrapolation);
	union loom_buf buf;
	struct loom_row row;
	u32 i;

	for (i = 0; i < n; i++) {
		switch (loom_dtype_class(r->y->dtype)) {
		case LOOM_CLASS_F32:
			buf.f32[i] = value;
			break;
		case LOOM_CLASS_F64:
			buf.f64[i] = value;
			break;
		case LOOM_CLASS_U64:
			buf.u64[i] = loom_cast_integer(value, r->y->dtype);
			break;
		}
	}
	row = *y;
	switch (loom_dtype_class(r->y->dtype)) {
	case LOOM_CLASS_F32:
		loom_row_put_f32(&row, r->y->dtype, n, buf.f32);
		break;
	case LOOM_CLASS_F64:
		loom_row_put_f64(&row, n, buf.f64);
		break;
	case LOOM_CLASS_U64:
		loom_row_put_u64(&row, r->y->dtype, n, buf.u64);
		break;
	}
}

/* Writes the outputs of the row that are outside of the input on W. */
static void resize_fill_columns(const struct resize *r, const struct loom_row *y, u32 n)
{
	struct loom_row at = *y;
	u32 i;

	if (r->attr->coord != DRM_LOOM_COORD_TF_CROP_AND_RESIZE)
		return;
	for (i = 0; i < n; i++, loom_row_next(&at)) {
		if (r->w[i].outside)
			resize_fill(r, &at, 1);
	}
}

/* Bytes from a channel of x to its row at indices on D and H. */
static s64 resize_row(const struct resize *r, u32 d, u32 h)
{
	return loom_view_step(r->x, r->memory, 2, d) + loom_view_step(r->x, r->memory, 3, h);
}

/* The same from a channel of y, of an index on D and H. */
static s64 resize_y_row(const struct resize *r, u32 d, u32 h)
{
	return loom_view_step(r->y, r->memory, 2, d) + loom_view_step(r->y, r->memory, 3, h);
}

/**
 * struct resize_moves - outputs that are copies of an input, for all channels
 * @count: how many
 * @from: bytes from a channel of x
 * @to: bytes from a channel of y
 */
struct resize_moves {
	u32 count;
	s64 from[LOOM_TILE];
	s64 to[LOOM_TILE];
};

static __always_inline void resize_move(const struct resize_moves *moves, const u8 *x, u8 *y,
					const u32 bytes)
{
	u32 i;

	for (i = 0; i < moves->count; i++)
		memcpy(y + moves->to[i], x + moves->from[i], bytes);
}

/* Of any type, in @channels channels. */
static noinline void resize_copies(const struct resize *r, const struct resize_moves *moves,
				   struct loom_row xc, struct loom_row yc, u32 channels)
{
	for (; channels; channels--) {
		switch (r->x->elem_bytes) {
		case 1:
			resize_move(moves, xc.at, yc.at, 1);
			break;
		case 2:
			resize_move(moves, xc.at, yc.at, 2);
			break;
		case 4:
			resize_move(moves, xc.at, yc.at, 4);
			break;
		default:
			resize_move(moves, xc.at, yc.at, 8);
			break;
		}
		loom_row_next(&xc);
		loom_row_next(&yc);
	}
}

/* Of one row of a channel, some of whose outputs may lie outside. */
static noinline void resize_nearest_row(const struct resize *r, const u8 *x, u32 n,
					const struct loom_row *y)
{
	const u8 *row = x + resize_row(r, r->d.index[0], r->h.index[0]);
	u32 bytes = r->x->elem_bytes, i;
	union loom_buf buf;

	for (i = 0; i < n; i++)
		memcpy(buf.u8 + i * bytes, row + r->w[i].step[0], bytes);
	loom_row_write(y, bytes, n, &buf);
}

static float resize_get_f32(const u8 *from, u32 dtype)
{
	u16 h;

	if (dtype == DRM_LOOM_DTYPE_F32)
		return loom_get_f32(from);
	memcpy(&h, from, sizeof(h));
	return loom_half_to_f32(h);
}

static noinline void resize_blend_f32(const struct resize *r, const u8 *x, u32 n,
				      const struct loom_row *y)
{
	float acc[RESIZE_WIDTH] = {};
	u32 d, h, w, i;

	for (d = 0; d < r->d.n; d++) {
		for (h = 0; h < r->h.n; h++) {
			float weight = r->d.weight[d] * r->h.weight[h];
			const u8 *row = x + resize_row(r, r->d.index[d], r->h.index[h]);

			if (weight == 0.0f)
				continue;
			for (i = 0; i < n; i++) {
				const struct resize_taps *taps = &r->w[i];
				float sum = 0.0f;

				for (w = 0; w < taps->n; w++) {
					if (taps->weight[w] != 0.0f)
						sum += taps->weight[w] *
						       resize_get_f32(row + taps->step[w],
								      r->x->dtype);
				}
				acc[i] += weight * sum;
			}
		}
	}
	loom_row_put_f32(y, r->y->dtype, n, acc);
}

static noinline void resize_blend_f64(const struct resize *r, const u8 *x, u32 n,
				      const struct loom_row *y)
{
	double acc[RESIZE_WIDTH] = {};
	u32 d, h, w, i;

	for (d = 0; d < r->d.n; d++) {
		for (h = 0; h < r->h.n; h++) {
			double weight = (double)r->d.weight[d] * r->h.weight[h];
			const u8 *row = x + resize_row(r, r->d.index[d], r->h.index[h]);

			if (weight == 0.0)
				continue;
			for (i = 0; i < n; i++) {
				const struct resize_taps *taps = &r->w[i];
				double sum = 0.0, v;

				for (w = 0; w < taps->n; w++) {
					if (taps->weight[w] == 0.0f)
						continue;
					memcpy(&v, row + taps->step[w], sizeof(v));
					sum += taps->weight[w] * v;
				}
				acc[i] += weight * sum;
			}
		}
	}
	loom_row_put_f64(y, n, acc);
}

static void resize_compute(const struct resize *r, const u8 *x, u32 n, const struct loom_row *y)
{
	if (r->attr->mode == DRM_LOOM_RESIZE_NEAREST)
		resize_nearest_row(r, x, n, y);
	else if (r->y->dtype == DRM_LOOM_DTYPE_F64)
		resize_blend_f64(r, x, n, y);
	else
		resize_blend_f32(r, x, n, y);
}

/* Channels of batch @n from channel @c on. */
static struct loom_row resize_channels(const struct resize *r, const struct loom_view *view,
				       u32 n, u32 c)
{
	u8 *base = loom_view_origin(view, r->memory) + loom_view_step(view, r->memory, 0, n);

	return loom_row_along(view, r->memory, base, 1, c);
}

/* Computes @n outputs of a row of @channels channels, by taps that are all there. */
static void resize_rows(struct resize *r, const u32 *index, struct loom_row xc, struct loom_row yc,
			u32 channels, u32 n)
{
	struct loom_row y = loom_row_along(r->y, r->memory, yc.at, 4, index[4]);
	s64 row = y.at - yc.at + resize_y_row(r, index[2], index[3]);

	for (; channels; channels--) {
		y.at = yc.at + row;
		if (r->d.outside || r->h.outside) {
			resize_fill(r, &y, n);
		} else {
			resize_compute(r, xc.at, n, &y);
			resize_fill_columns(r, &y, n);
		}
		loom_row_next(&xc);
		loom_row_next(&yc);
	}
}

/* Adds @n outputs of a row to those that are copies of an input. */
static void resize_note(const struct resize *r, const u32 *index, u32 n, struct resize_moves *moves)
{
	s64 from = resize_row(r, r->d.index[0], r->h.index[0]);
	s64 to = resize_y_row(r, index[2], index[3]);
	u32 i;

	for (i = 0; i < n; i++) {
		moves->from[moves->count] = from + r->w[i].step[0];
		moves->to[moves->count++] = to + r->y_step[i];
	}
}

/* Whether outputs are copies of an input. */
static bool resize_is_nearest(const struct resize *r)
{
	return r->attr->mode == DRM_LOOM_RESIZE_NEAREST &&
	       r->attr->coord != DRM_LOOM_COORD_TF_CROP_AND_RESIZE;
}

/* @n outputs on W of each of @rows rows from @index on, in @channels channels of a batch. */
static noinline void resize_plane(struct resize *r, u32 *index, u32 channels, u64 rows, u32 n)
{
	struct loom_row xc = resize_channels(r, r->x, index[0], index[1]);
	struct loom_row yc = resize_channels(r, r->y, index[0], index[1]);
	struct resize_moves moves = { .count = 0 };

	while (rows--) {
		resize_axis(r, 0, index[2], &r->d);
		resize_axis(r, 1, index[3], &r->h);
		if (resize_is_nearest(r)) {
			resize_note(r, index, n, &moves);
			if (!rows || moves.count + n > LOOM_TILE) {
				resize_copies(r, &moves, xc, yc, channels);
				moves.count = 0;
			}
		} else {
			resize_rows(r, index, xc, yc, channels, n);
		}
		if (++index[3] == r->y->dims[3]) {
			index[3] = 0;
			index[2]++;
		}
	}
}

/* @n outputs on W of each of @rows rows from @index on. */
static void resize_walk(struct resize *r, u32 *index, u64 rows, u32 n)
{
	const u32 *dims = r->y->dims;
	u64 plane = (u64)dims[2] * dims[3], done = (u64)index[2] * dims[3] + index[3], some;
	bool together = resize_is_nearest(r) || dims[4] < RESIZE_SHORT;
	u32 channels;

	while (rows) {
		channels = 1;
		some = min(rows, plane - done);
		if (together && some == plane)
			channels = min(div64_u64(rows, plane), (u64)dims[1] - index[1]);
		resize_plane(r, index, channels, some, n);
		rows -= channels * some;
		done = 0;
		index[2] = 0;
		index[3] = 0;
		index[1] += channels;
		if (index[1] == dims[1]) {
			index[1] = 0;
			index[0]++;
		}
	}
}

/* Computes tile number @digit of each of @rows rows, from row @row on. */
static void resize_tiles(struct resize *r, u64 row, u64 rows, u32 digit)
{
	const u32 *dims = r->y->dims;
	u32 tiles = loom_tile_per_row(dims[4]);
	struct loom_tile tile;
	u32 done, n;

	loom_tile_get(&tile, dims, 5, row * tiles + digit);
	for (done = 0; done < tile.count; done += n) {
		u32 index[5] = { tile.index[0], tile.index[1], tile.index[2], tile.index[3],
				 tile.index[4] + done };

		n = min(tile.count - done, (u32)RESIZE_WIDTH);
		resize_columns(r, index[4], n);
		resize_walk(r, index, rows, n);
	}
}

u64 loom_fp_resize_run(const struct loom_command *command, const struct loom_memory *memory,
		       u64 first, u64 count, struct loom_part *part)
{
	const struct loom_view *y = &command->views[0];
	u32 tiles = loom_tile_per_row(y->dims[4]);
	struct resize r = {
		.memory = memory,
		.attr = command->attr,
		.y = y,
		.x = &command->views[1],
	};
	u64 rows, done;
	u32 i;

	/* the taps of an output on W take as long as many of its products */
	count = loom_part_pay(part, count, 4 * LOOM_UNIT_COST + 2 * command->unit_cost +
			      LOOM_ROW_COST * min(y->dims[4], (u32)LOOM_TILE));
	done = count;
	while (count) {
		/* whole rows share the taps on W, tile by tile */
		rows = first % tiles ? 0 : count / tiles;
		for (i = 0; i < tiles && rows; i++)
			resize_tiles(&r, first / tiles, rows, i);
		first += rows * tiles;
		count -= rows * tiles;
		if (count) {
			resize_tiles(&r, first / tiles, 1, first % tiles);
			first++;
			count--;
		}
	}
	return done;
}
