// SPDX-License-Identifier: MIT
/*
 * RESIZE, axis by axis. With nearest neighbours the result is runs of elements in equal steps,
 * copied; interpolation is a product with a constant matrix, whose columns are the weights of an
 * element of the result. Coordinates are those of the engine (graph/nearest.h).
 */
#include "graph/nearest.h"
#include "rewrite.h"

#include <math.h>
#include <string.h>

/* Limit on the runs of an axis, each of which is a copy. */
#define MAX_RUNS	1024

static s64 clamp(float at, s64 in)
{
	if (!(at > 0))
		return 0;
	return at < (float)(in - 1) ? (s64)at : in - 1;
}

/* Repeats each element of the axis @times times. */
static struct loom_value *repeat(struct loom_rewriter *rw, struct loom_value *x, u32 axis,
				 s64 times)
{
	s64 dims[LOOM_GRAPH_RANK];
	u32 rank;

	x = loom_put_axis(rw, x, axis + 1);
	if (!x)
		return NULL;
	memcpy(dims, x->dims, sizeof(dims));
	dims[axis + 1] = times;
	rank = x->rank;
	x = loom_emit_expand(&rw->em, x, rank, dims);
	dims[axis] *= times;
	memmove(dims + axis + 1, dims + axis + 2, (rank - axis - 2) * sizeof(dims[0]));
	return loom_emit_reshape(&rw->em, x, rank - 1, dims);
}

static bool repeats(const struct loom_gresize *r, u32 axis, s64 in, s64 out)
{
	s64 i;

	if (out % in)
		return false;
	for (i = 0; i < out; i++)
		if (loom_nearest_device(r, axis, in, out, i) != i / (out / in))
			return false;
	return true;
}

/* Copies @count elements from @start in steps of @step; with step 0 the same one. */
static struct loom_value *run(struct loom_rewriter *rw, struct loom_value *x, u32 axis, s64 start,
			      s64 step, s64 count)
{
	s64 dims[LOOM_GRAPH_RANK];

	if (step)
		return loom_put_window(rw, x, axis, start, step, count);
	x = loom_put_window(rw, x, axis, start, 1, 1);
	if (!x)
		return NULL;
	memcpy(dims, x->dims, sizeof(dims));
	dims[axis] = count;
	return loom_emit_expand(&rw->em, x, x->rank, dims);
}

static struct loom_value *nearest_axis(struct loom_rewriter *rw, const struct loom_gresize *r,
				       struct loom_value *x, u32 axis, s64 out)
{
	struct loom_value *parts[MAX_RUNS];
	s64 in = x->dims[axis], i = 0;
	u32 n = 0;

	if (x->rank < LOOM_GRAPH_RANK && repeats(r, axis, in, out))
		return repeat(rw, x, axis, out / in);
	while (i < out) {
		s64 start = loom_nearest_device(r, axis, in, out, i), count = 1, step = 1;

		if (i + 1 < out)
			step = loom_nearest_device(r, axis, in, out, i + 1) - start;
		while (i + count < out &&
		       loom_nearest_device(r, axis, in, out, i + count) == start + count * step)
			count++;
		if (n == MAX_RUNS)
			return NULL;
		parts[n++] = run(rw, x, axis, start, count > 1 ? step : 1, count);
		i += count;
	}
	return loom_emit_concat(&rw->em, n, parts, axis);
}

/* Weights of Keys' cubic convolution around @at, added to a column; see the engine. */
static void cubic(const struct loom_gresize *r, float at, s64 in, double *column)
{
	float low = floorf(at), s = at - low, a = r->cubic_a, sum = 0;
	float d[] = { s + 1, s, 1 - s, 2 - s }, w[4];
	u32 i;

	for (i = 0; i < 4; i++) {
		float tap = low + (float)i - 1;

		if (i == 0 || i == 3)
			w[i] = ((a * d[i] - 5 * a) * d[i] + 8 * a) * d[i] - 4 * a;
		else
			w[i] = ((a + 2) * d[i] - (a + 3)) * d[i] * d[i] + 1;
		if (r->exclude_outside && (tap < 0 || tap > (float)(in - 1)))
			w[i] = 0;
		sum += w[i];
	}
	for (i = 0; i < 4; i++)
		column[clamp(low + (float)i - 1, in)] += r->exclude_outside ? w[i] / sum : w[i];
}

static void linear(float at, s64 in, double *column)
{
	float low, part;

	at = at > 0 ? at : 0;
	at = at < (float)(in - 1) ? at : (float)(in - 1);
	low = floorf(at);
	part = at - low;
	column[clamp(low, in)] += 1 - part;
	column[clamp(low + 1, in)] += part;
}

/* The matrix [out, in] of an axis. */
static struct loom_value *matrix(struct loom_rewriter *rw, const struct loom_gresize *r, u32 dtype,
				 u32 axis, s64 in, s64 out)
{
	s64 dims[] = { out, in }, i, k;
	struct loom_value *m = loom_emit_const(&rw->em, dtype, 2, dims);
	double *column = loom_pool_array(rw->em.graph->pool, (size_t)in, sizeof(*column));

	if (!m || !column)
		return NULL;
	for (i = 0; i < out; i++) {
		float at = loom_resize_source(r, axis, in, out, i);

		memset(column, 0, (size_t)in * sizeof(*column));
		if (r->mode == LOOM_GRESIZE_CUBIC)
			cubic(r, at, in, column);
		else
			linear(at, in, column);
		for (k = 0; k < in; k++)
			loom_value_set_float(m, i * in + k, column[k]);
	}
	return m;
}

static struct loom_value *blend_axis(struct loom_rewriter *rw, const struct loom_gresize *r,
				     struct loom_value *x, u32 axis, s64 out)
{
	struct loom_value *operands[LOOM_GMATMUL_NUM_OPERANDS] = { NULL }, *m;
	s64 in = x->dims[axis], post = loom_value_trailing(x, axis + 1);
	s64 dims[LOOM_GRAPH_RANK], shape[] = { x->num_elems / in / post, in, post };
	u32 perm[] = { 1, 0 }, rank = x->rank;

	memcpy(dims, x->dims, sizeof(dims));
	dims[axis] = out;
	m = matrix(rw, r, x->dtype, axis, in, out);
	if (post == 1) {
		operands[LOOM_GMATMUL_A] = loom_emit_reshape(&rw->em, x, 2, shape);
		operands[LOOM_GMATMUL_B] = loom_emit_transpose(&rw->em, m, perm);
	} else {
		operands[LOOM_GMATMUL_A] = m;
		operands[LOOM_GMATMUL_B] = loom_emit_reshape(&rw->em, x, 3, shape);
	}
	return loom_emit_reshape(&rw->em, loom_put_product(rw, operands, x->dtype), rank, dims);
}

struct loom_value *loom_rewrite_resize(struct loom_rewriter *rw, const struct loom_node *node)
{
	const struct loom_gresize *r = &node->resize;
	struct loom_value *x = node->inputs[0];
	const struct loom_value *y = node->output;
	u32 axis;

	if (r->coord == LOOM_GRESIZE_TF_CROP_AND_RESIZE || !x->num_elems)
		return NULL;
	if (r->mode != LOOM_GRESIZE_NEAREST &&
	    (!loom_dtype_is_float(x->dtype) || r->coord == LOOM_GRESIZE_TF_HALF_PIXEL_FOR_NN ||
	     (r->exclude_outside && r->mode == LOOM_GRESIZE_LINEAR) ||
	     (!loom_chip_has(rw->chip, DRM_LOOM_OP_MATMUL) &&
	      !loom_chip_has(rw->chip, DRM_LOOM_OP_CONV))))
		return NULL;
	for (axis = 0; axis < y->rank && x; axis++) {
		if (x->dims[axis] == y->dims[axis] && r->scales[axis] == 1)
			continue;
		x = r->mode == LOOM_GRESIZE_NEAREST ?
		    nearest_axis(rw, r, x, axis, y->dims[axis]) :
		    blend_axis(rw, r, x, axis, y->dims[axis]);
	}
	return x;
}
