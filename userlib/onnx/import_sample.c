// SPDX-License-Identifier: MIT
/*
 * Importers of GridSample and RoiAlign, which sample a picture at positions from the data. An
 * interpolated sample is a sum over all rows and columns, with weights of which few are not 0:
 *
 *	y(p) = sum over h and w of weight(y_p - h) * weight(x_p - w) * data(h, w)
 *
 * Weights are computed by a few elementwise functions, and the sum over columns is a matrix
 * product. Outside of the data there is no row or column, so everything is 0 there. The cost: data
 * that are not finite make all samples of their row NaN. DeformConv has more samples than a picture
 * has elements, and gathers the four around each (loom_import_bilinear()).
 */
#include "import.h"
#include "pick.h"

#include "base/dtype.h"

#include <errno.h>

/* of rank 4: pictures, columns, rows */
enum { N, C, H, W, RANK };

/* limit on the size of a matrix product that is kept between two steps */
#define BETWEEN_MAX	(4 * LOOM_PICK_MAX)

enum sample_mode {
	SAMPLE_LINEAR,
	SAMPLE_NEAREST,
	SAMPLE_CUBIC,
};

enum sample_pad {
	SAMPLE_ZEROS,
	SAMPLE_BORDER,
	SAMPLE_REFLECTION,
};

static struct loom_value *with(struct loom_import *im, enum loom_gbin fn, struct loom_value *a,
			       double number)
{
	return a ? loom_emit_binary(im->em, fn, a, loom_emit_scalar(im->em, a->dtype, number)) :
		   NULL;
}

/* number - a */
static struct loom_value *minus(struct loom_import *im, double number, struct loom_value *a)
{
	return a ? loom_emit_binary(im->em, LOOM_GBIN_SUB,
				    loom_emit_scalar(im->em, a->dtype, number), a) : NULL;
}

static struct loom_value *within(struct loom_import *im, struct loom_value *a, double low,
				 double high)
{
	return with(im, LOOM_GBIN_MIN, with(im, LOOM_GBIN_MAX, a, low), high);
}

/* c[0] + c[1] * a + c[2] * a^2 + c[3] * a^3 */
static struct loom_value *polynomial(struct loom_import *im, struct loom_value *a,
				     const double *c)
{
	struct loom_value *y = with(im, LOOM_GBIN_MUL, a, c[3]);
	int i;

	for (i = 2; i > 0; i--)
		y = loom_emit_binary(im->em, LOOM_GBIN_MUL, with(im, LOOM_GBIN_ADD, y, c[i]), a);
	return with(im, LOOM_GBIN_ADD, y, c[0]);
}

/* Weight of an element at distance @d from a sample. */
static struct loom_value *emit_weight(struct loom_import *im, struct loom_value *d,
				      enum sample_mode mode)
{
	/* Keys's cubic convolution, with a = -0.75 */
	static const double near[] = { 1, 0, -2.25, 1.25 }, far[] = { 3, -6, 3.75, -0.75 };
	struct loom_value *zero, *hits;

	d = loom_emit_fn(im->em, LOOM_GFN_ABS, d);
	if (mode == SAMPLE_LINEAR)
		return loom_emit_fn(im->em, LOOM_GFN_RELU, minus(im, 1, d));
	if (mode == SAMPLE_NEAREST) {
		hits = with(im, LOOM_GBIN_EQUAL, d, 0);
		return d ? loom_emit_cast(im->em, hits, d->dtype) : NULL;
	}
	zero = d ? loom_emit_scalar(im->em, d->dtype, 0) : NULL;
	return loom_emit_select(im->em, with(im, LOOM_GBIN_LESS, d, 1), polynomial(im, d, near),
				loom_emit_select(im->em, with(im, LOOM_GBIN_LESS, d, 2),
						 polynomial(im, d, far), zero));
}

/* Numbers 0 to @size - 1 along @axis, of the type of the positions @at; NULL: an error. */
static struct loom_value *emit_numbers(struct loom_import *im, const struct loom_value *at,
				       uint32_t axis, int64_t size)
{
	struct loom_value *numbers = loom_pick_numbers(im, RANK, axis, size);

	if (!at || im->em->status)
		return NULL;
	if (at->num_elems > LOOM_PICK_MAX / size) {
		loom_import_fail(im, -EOPNOTSUPP, "%lld samples of %lld elements are not supported",
				 (long long)at->num_elems, (long long)size);
		return NULL;
	}
	return loom_emit_cast(im->em, numbers, at->dtype);
}

/* Weights of elements 0 to @size - 1 along @axis, on which the positions @at have length 1. */
static struct loom_value *emit_weights(struct loom_import *im, struct loom_value *at, uint32_t axis,
				       int64_t size, enum sample_mode mode)
{
	struct loom_value *numbers = emit_numbers(im, at, axis, size);

	if (!numbers)
		return NULL;
	return emit_weight(im, loom_emit_binary(im->em, LOOM_GBIN_SUB, at, numbers), mode);
}

/* Reflects between @low and @low + @range. */
static struct loom_value *reflect(struct loom_import *im, struct loom_value *at, double low,
				  double range)
{
	if (range == 0)
		return within(im, at, low, low);
	at = loom_emit_fn(im->em, LOOM_GFN_ABS, with(im, LOOM_GBIN_SUB, at, low));
	at = with(im, LOOM_GBIN_FMOD, at, 2 * range);
	at = loom_emit_fn(im->em, LOOM_GFN_ABS, with(im, LOOM_GBIN_SUB, at, range));
	return minus(im, low + range, at);
}

/* Maps [-1, 1] to [0, size - 1], or to [-0.5, size - 0.5]; @pad determines positions outside. */
static struct loom_value *emit_place(struct loom_import *im, struct loom_value *at, int64_t size,
				     enum sample_mode mode, enum sample_pad pad)
{
	bool corners = loom_attr_int(im, "align_corners", 0);

	at = with(im, LOOM_GBIN_ADD, at, 1);
	if (corners)
		at = with(im, LOOM_GBIN_MUL, with(im, LOOM_GBIN_DIV, at, 2), size - 1);
	else
		at = with(im, LOOM_GBIN_DIV, with(im, LOOM_GBIN_SUB,
						  with(im, LOOM_GBIN_MUL, at, size), 1), 2);
	if (mode == SAMPLE_NEAREST)
		at = loom_emit_fn(im->em, LOOM_GFN_ROUND, at);
	if (pad == SAMPLE_REFLECTION)
		at = reflect(im, at, corners ? 0 : -0.5, corners ? size - 1 : size);
	return pad == SAMPLE_ZEROS ? at : within(im, at, 0, size - 1);
}

/*
 * The weights by emit_weights() of the four elements around positions @at, where those outside of
 * the data stand for elements inside.
 */
static struct loom_value *emit_taps(struct loom_import *im, struct loom_value *at, uint32_t axis,
				    int64_t size, enum sample_pad pad)
{
	bool corners = loom_attr_int(im, "align_corners", 0);
	struct loom_value *first = loom_emit_fn(im->em, LOOM_GFN_FLOOR, at), *sum = NULL;
	struct loom_value *numbers = first ? emit_numbers(im, at, axis, size) : NULL;
	int i;

	if (!numbers)
		return NULL;
	for (i = -1; i <= 2; i++) {
		struct loom_value *tap = with(im, LOOM_GBIN_ADD, first, i), *weight;

		weight = emit_weight(im, loom_emit_binary(im->em, LOOM_GBIN_SUB, at, tap),
				     SAMPLE_CUBIC);
		if (pad == SAMPLE_REFLECTION)
			tap = reflect(im, tap, corners ? 0 : -0.5, corners ? size - 1 : size);
		tap = loom_emit_binary(im->em, LOOM_GBIN_EQUAL, within(im, tap, 0, size - 1),
				       numbers);
		weight = loom_emit_select(im->em, tap, weight,
					  loom_emit_scalar(im->em, at->dtype, 0));
		sum = i < 0 ? weight : loom_emit_binary(im->em, LOOM_GBIN_ADD, sum, weight);
	}
	return sum;
}

/* Number @index of each position of the grid. */
static struct loom_value *emit_coordinate(struct loom_import *im, struct loom_value *grid,
					  int64_t index, const int64_t *dims)
{
	struct loom_value *at = loom_import_part(im, grid, grid ? grid->rank - 1 : 0, index, 1, 1);

	return loom_emit_reshape(im->em, at, RANK, dims);
}

static bool grid_fits(struct loom_import *im, const struct loom_value *x,
		      const struct loom_value *grid)
{
	char text_x[LOOM_DIMS_TEXT], text_grid[LOOM_DIMS_TEXT];
	bool known = x->rank == RANK || x->rank == RANK + 1;

	if (known && grid->rank == x->rank && x->dims[N] == grid->dims[N] &&
	    grid->dims[x->rank - 1] == x->rank - 2 && loom_dtype_is_float(x->dtype) &&
	    loom_dtype_is_float(grid->dtype) && x->num_elems && grid->num_elems)
		return true;
	loom_import_fail(im, known ? -EINVAL : -EOPNOTSUPP,
			 "data %s %s with a grid %s %s are not supported",
			 loom_dtype_name(x->dtype),
			 loom_dims_print(text_x, sizeof(text_x), x->rank, x->dims),
			 loom_dtype_name(grid->dtype),
			 loom_dims_print(text_grid, sizeof(text_grid), grid->rank, grid->dims));
	return false;
}

/**
 * struct samples - a GridSample
 * @x: the data
 * @grid: the positions
 * @mode: interpolation
 * @pad: elements outside of the data
 * @points: positions for each batch
 */
struct samples {
	struct loom_value *x;
	struct loom_value *grid;
	enum sample_mode mode;
	enum sample_pad pad;
	int64_t points;
};

/*
 * Weights of elements along an axis of the data: [N,1,P,W] of the last one, [N,1,size,P] of others.
 */
static struct loom_value *emit_axis(struct loom_import *im, const struct samples *s, uint32_t axis)
{
	uint32_t last = s->x->rank - 1, along = axis == last ? W : H;
	int64_t dims[RANK] = { s->x->dims[N], 1, s->points, s->points }, size = s->x->dims[axis];
	bool taps = s->mode == SAMPLE_CUBIC && s->pad != SAMPLE_ZEROS;
	struct loom_value *at;

	dims[along] = 1;
	at = emit_coordinate(im, s->grid, last - axis, dims);
	at = emit_place(im, at, size, s->mode, taps ? SAMPLE_ZEROS : s->pad);
	return taps ? emit_taps(im, at, along, size, s->pad) :
		      emit_weights(im, at, along, size, s->mode);
}

/* Sums over the last axis, then those before, up to the first behind the channels: [N,C,P]. */
static struct loom_value *emit_samples(struct loom_import *im, const struct samples *s)
{
	struct loom_value *weights = emit_axis(im, s, s->x->rank - 1), *x = s->x;
	int64_t n = x->dims[N], rest = x->num_elems / n / x->dims[x->rank - 1];
	uint32_t axis;

	/* [N,1,rest,W] times [N,1,P,W] */
	x = loom_emit_reshape(im->em, x, RANK, (int64_t[]){ n, 1, rest, x->dims[x->rank - 1] });
	x = weights ? loom_import_product(im, x, weights, NULL) : NULL;
	for (axis = s->x->rank - 2; axis > C && x && !im->em->status; axis--) {
		int64_t size = s->x->dims[axis];

		/* each point has one weight for all channels */
		rest /= size;
		x = loom_emit_reshape(im->em, x, RANK, (int64_t[]){ n, rest, size, s->points });
		weights = emit_axis(im, s, axis);
		x = weights ? loom_emit_binary(im->em, LOOM_GBIN_MUL, x, weights) : NULL;
		x = loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, x, 1u << H, false);
	}
	return x;
}

void loom_import_grid_sample(struct loom_import *im, int unused)
{
	/* bilinear and bicubic are names of before opset 20 */
	static const char *const modes[] = { "linear", "bilinear", "nearest", "cubic", "bicubic",
					     NULL };
	static const enum sample_mode meant[] = { SAMPLE_LINEAR, SAMPLE_LINEAR, SAMPLE_NEAREST,
						  SAMPLE_CUBIC, SAMPLE_CUBIC };
	static const char *const pads[] = { "zeros", "border", "reflection", NULL };
	struct loom_value *x = loom_import_operand(im, 0), *grid = loom_import_operand(im, 1), *y;
	struct samples s = {
		.mode = meant[loom_attr_choice(im, "mode", modes)],
		.pad = loom_attr_choice(im, "padding_mode", pads),
	};
	int64_t dims[LOOM_GRAPH_RANK], rest;
	uint32_t dtype, i;

	(void)unused;
	if (!x || !grid || im->em->status || !grid_fits(im, x, grid))
		return;
	if (s.mode == SAMPLE_CUBIC && x->rank != RANK) {
		loom_import_fail(im, -EOPNOTSUPP, "cubic of data of rank %u is not defined",
				 x->rank);
		return;
	}
	s.points = loom_value_trailing(grid, 1) / grid->dims[grid->rank - 1];
	rest = x->num_elems / x->dims[x->rank - 1];
	if (s.points > BETWEEN_MAX / rest) {
		loom_import_fail(im, -EOPNOTSUPP, "%lld samples of %lld rows are not supported",
				 (long long)s.points, (long long)rest);
		return;
	}
	dtype = x->dtype == DRM_LOOM_DTYPE_F64 ? DRM_LOOM_DTYPE_F64 : DRM_LOOM_DTYPE_F32;
	s.grid = loom_emit_cast(im->em, grid, dtype);
	s.x = loom_emit_cast(im->em, x, dtype);
	for (i = 0; i < x->rank; i++)
		dims[i] = i < H ? x->dims[i] : grid->dims[i - 1];
	if (im->em->status)
		return;
	y = loom_emit_reshape(im->em, emit_samples(im, &s), x->rank, dims);
	loom_import_result(im, 0, loom_emit_cast(im->em, y, x->dtype));
}

/* A bilinear sample's share of one of the four elements around it. */
static struct loom_value *emit_corner(struct loom_import *im, struct loom_value *x,
				      struct loom_value *const *at, const int64_t *sizes,
				      const bool *after)
{
	struct loom_value *inside = NULL, *index = NULL, *weight = NULL, *first, *part, *here;
	uint32_t dtype = at[0]->dtype, i;

	for (i = 0; i < 2; i++) {
		first = loom_emit_fn(im->em, LOOM_GFN_FLOOR, at[i]);
		part = first ? loom_emit_binary(im->em, LOOM_GBIN_SUB, at[i], first) : NULL;
		part = after[i] ? part : minus(im, 1, part);
		first = after[i] ? with(im, LOOM_GBIN_ADD, first, 1) : first;
		here = loom_emit_binary(im->em, LOOM_GBIN_AND,
					with(im, LOOM_GBIN_GREATER_EQUAL, first, 0),
					with(im, LOOM_GBIN_LESS, first, sizes[i]));
		if (im->em->status)
			return NULL;
		inside = i ? loom_emit_binary(im->em, LOOM_GBIN_AND, inside, here) : here;
		weight = i ? loom_emit_binary(im->em, LOOM_GBIN_MUL, weight, part) : part;
		index = i ? loom_emit_binary(im->em, LOOM_GBIN_ADD,
					     with(im, LOOM_GBIN_MUL, index, sizes[1]), first) :
			    first;
	}
	/* an index past the end gives zero; positions may be infinite */
	weight = loom_emit_select(im->em, inside, weight, loom_emit_scalar(im->em, dtype, 0));
	index = loom_emit_select(im->em, inside, index,
				 loom_emit_scalar(im->em, dtype, sizes[0] * sizes[1]));
	x = loom_emit_gather(im->em, x, loom_emit_cast(im->em, index, DRM_LOOM_DTYPE_I32), 2);
	return x ? loom_emit_binary(im->em, LOOM_GBIN_MUL, x, weight) : NULL;
}

struct loom_value *loom_import_bilinear(struct loom_import *im, struct loom_value *x,
					struct loom_value *const *at, const int64_t *sizes)
{
	struct loom_value *sum = NULL, *corner;
	int i;

	for (i = 0; i < 4 && !im->em->status; i++) {
		corner = emit_corner(im, x, at, sizes, (bool[]){ i / 2, i % 2 });
		sum = i && corner ? loom_emit_binary(im->em, LOOM_GBIN_ADD, sum, corner) : corner;
	}
	return sum;
}

/**
 * struct roi_align - a RoiAlign
 * @rois: F32 [R,4]
 * @count: of them
 * @samples: by bin, along rows, and along columns
 * @scale: of the picture to what it was made of
 * @half: coordinates are those of the middle of elements
 */
struct roi_align {
	struct loom_value *rois;
	int64_t count;
	int64_t samples;
	double scale;
	bool half;
};

/*
 * Weights [R,1,bins,size] of elements along one axis: each bin is the mean of its samples. @from is
 * the index in a region of its begin, and @from + 2 that of its end.
 */
static struct loom_value *emit_bins(struct loom_import *im, const struct roi_align *roi,
				    int64_t from, int64_t bins, int64_t size)
{
	const int64_t dims[RANK] = { roi->count, 1, 1, 1 };
	struct loom_value *begin, *end, *length, *at, *weights, *holds;
	int64_t i, samples = bins * roi->samples;

	begin = loom_import_part(im, roi->rois, 1, from, 1, 1);
	begin = loom_emit_reshape(im->em, begin, RANK, dims);
	end = loom_import_part(im, roi->rois, 1, from + 2, 1, 1);
	end = loom_emit_reshape(im->em, end, RANK, dims);
	begin = with(im, LOOM_GBIN_MUL, begin, roi->scale);
	length = loom_emit_binary(im->em, LOOM_GBIN_SUB, with(im, LOOM_GBIN_MUL, end, roi->scale),
				  begin);
	if (roi->half)
		begin = with(im, LOOM_GBIN_SUB, begin, 0.5);
	else
		length = with(im, LOOM_GBIN_MAX, length, 1);

	at = loom_emit_const(im->em, DRM_LOOM_DTYPE_F32, RANK, (int64_t[]){ 1, 1, samples, 1 });
	for (i = 0; at && i < samples; i++)
		loom_value_set_float(at, i, (i + 0.5) / samples);
	at = loom_emit_binary(im->em, LOOM_GBIN_ADD, begin,
			      loom_emit_binary(im->em, LOOM_GBIN_MUL, length, at));
	/* up to one element outside the border's value counts, and beyond that 0 */
	holds = loom_emit_binary(im->em, LOOM_GBIN_AND, with(im, LOOM_GBIN_GREATER_EQUAL, at, -1),
				 with(im, LOOM_GBIN_LESS_EQUAL, at, size));
	weights = emit_weights(im, within(im, at, 0, size - 1), W, size, SAMPLE_LINEAR);
	weights = loom_emit_select(im->em, holds, weights,
				   loom_emit_scalar(im->em, DRM_LOOM_DTYPE_F32, 0));
	weights = loom_emit_reshape(im->em, weights, RANK, (int64_t[]){
		roi->count, bins, roi->samples, size });
	weights = loom_emit_reduce(im->em, LOOM_GREDUCE_MEAN, weights, 1u << 2, false);
	return loom_emit_reshape(im->em, weights, RANK, (int64_t[]){ roi->count, 1, bins, size });
}

/* The picture of each region, [R,C,H,W]; a single picture is unchanged. */
static struct loom_value *emit_pictures(struct loom_import *im, struct loom_value *x,
					struct loom_value *batch, int64_t count)
{
	struct loom_value *rows;

	if (!x || x->dims[N] == 1)
		return x;
	rows = loom_emit_reshape(im->em, x, 3, (int64_t[]){
		1, x->dims[N], loom_value_trailing(x, 1) });
	batch = loom_emit_cast(im->em, batch, DRM_LOOM_DTYPE_I64);
	batch = loom_emit_reshape(im->em, batch, 3, (int64_t[]){ 1, count, 1 });
	if (!rows || !batch)
		return NULL;
	rows = loom_emit_gather(im->em, rows, batch, 1);
	return loom_emit_reshape(im->em, rows, RANK, (int64_t[]){
		count, x->dims[C], x->dims[H], x->dims[W] });
}

static bool roi_fits(struct loom_import *im, const struct loom_value *x,
		     const struct loom_value *rois, const struct loom_value *batch)
{
	if (x->rank == RANK && rois->rank == 2 && rois->dims[1] == 4 && batch->rank == 1 &&
	    batch->dims[0] == rois->dims[0] && loom_dtype_is_int(batch->dtype) &&
	    loom_dtype_is_float(x->dtype) && rois->dtype == x->dtype && x->num_elems &&
	    rois->num_elems)
		return true;
	loom_import_fail(im, -EINVAL, "its operands do not fit together");
	return false;
}

void loom_import_roi_align(struct loom_import *im, int unused)
{
	static const char *const modes[] = { "avg", "max", NULL };
	static const char *const transforms[] = { "half_pixel", "output_half_pixel", NULL };
	struct loom_value *x = loom_import_operand(im, 0), *rois = loom_import_operand(im, 1);
	struct loom_value *batch = loom_import_operand(im, 2), *rows, *columns, *y;
	int64_t height = loom_attr_int(im, "output_height", 1);
	int64_t width = loom_attr_int(im, "output_width", 1);
	struct roi_align roi = {
		.samples = loom_attr_int(im, "sampling_ratio", 0),
		.scale = loom_attr_float(im, "spatial_scale", 1),
		.half = im->opset >= 16 &&
			!loom_attr_choice(im, "coordinate_transformation_mode", transforms),
	};

	(void)unused;
	if (!x || !rois || !batch || im->em->status || !roi_fits(im, x, rois, batch))
		return;
	roi.count = rois->dims[0];
	if (loom_attr_choice(im, "mode", modes))
		loom_import_fail(im, -EOPNOTSUPP, "mode max is not supported");
	else if (roi.samples < 1)
		loom_import_fail(im, -EOPNOTSUPP,
				 "as many samples as the data say are not supported: sampling_ratio %lld",
				 (long long)roi.samples);
	else if (height < 1 || width < 1 || height > LOOM_PICK_MAX / roi.samples / roi.count ||
		 width > LOOM_PICK_MAX / roi.samples / roi.count ||
		 width * roi.count > BETWEEN_MAX / (x->dims[C] * x->dims[H]) ||
		 (x->dims[N] > 1 && roi.count > BETWEEN_MAX / loom_value_trailing(x, 1)))
		loom_import_fail(im, -EOPNOTSUPP,
				 "%lld regions of %lld times %lld are not supported",
				 (long long)roi.count, (long long)height, (long long)width);
	if (im->em->status)
		return;
	roi.rois = loom_emit_cast(im->em, rois, DRM_LOOM_DTYPE_F32);
	rows = emit_bins(im, &roi, 1, height, x->dims[H]);
	columns = emit_bins(im, &roi, 0, width, x->dims[W]);
	y = emit_pictures(im, loom_emit_cast(im->em, x, DRM_LOOM_DTYPE_F32), batch, roi.count);
	/* [R,1,width,W] times [R,C,H,W], then [R,1,height,H] times [R,C,width,H] */
	y = loom_import_product(im, columns, y, NULL);
	y = loom_import_product(im, rows, y, NULL);
	loom_import_result(im, 0, loom_emit_cast(im->em, y, x->dtype));
}

/* Middles of elements, or elements with the outer ones at -1 and 1: [points, axes + 1], 1 last */
static struct loom_value *even_grid(struct loom_import *im, uint32_t dtype, uint32_t axes,
				    const int64_t *sizes, int64_t points)
{
	bool corners = loom_attr_int(im, "align_corners", 0);
	const int64_t dims[] = { points, axes + 1 };
	struct loom_value *grid = loom_emit_const(im->em, dtype, 2, dims);
	int64_t at, rest;
	uint32_t i;

	for (at = 0; grid && at < points; at++) {
		for (i = axes, rest = at; i-- > 0; rest /= sizes[i]) {
			double n = (double)sizes[i], number = (double)(rest % sizes[i]);

			/* the last axis is x, which comes first */
			loom_value_set_float(grid, at * (axes + 1) + axes - 1 - i,
					     corners ? n > 1 ? 2 * number / (n - 1) - 1 : -1 :
						       (2 * number + 1) / n - 1);
		}
		loom_value_set_float(grid, at * (axes + 1) + axes, 1);
	}
	return grid;
}

void loom_import_affine_grid(struct loom_import *im, int unused)
{
	struct loom_value *theta = loom_import_operand(im, 0), *grid;
	int64_t sizes[LOOM_GRAPH_RANK], points = 1;
	uint32_t i, rank = loom_import_ints(im, 1, sizes, 5), axes = rank - 2;

	(void)unused;
	if (!theta || im->em->status)
		return;
	if (rank < 4 || theta->rank != 3 || theta->dims[0] != sizes[0] || theta->dims[1] != axes ||
	    theta->dims[2] != axes + 1 || !loom_dtype_is_float(theta->dtype)) {
		loom_import_fail(im, -EINVAL, "matrices and size do not fit together");
		return;
	}
	for (i = 2; i < rank; i++) {
		if (sizes[i] < 1 || sizes[i] > LOOM_PICK_MAX || points > LOOM_PICK_MAX / sizes[i]) {
			loom_import_fail(im, -EOPNOTSUPP, "size %lld is not supported",
					 (long long)sizes[i]);
			return;
		}
		points *= sizes[i];
	}
	grid = even_grid(im, theta->dtype, axes, sizes + 2, points);
	grid = loom_import_scaled_product(im, grid, theta, true, 1);
	for (i = 1; i + 1 < rank; i++)
		sizes[i] = sizes[i + 1];
	sizes[rank - 1] = axes;
	loom_import_result(im, 0, loom_emit_reshape(im->em, grid, rank, sizes));
}
