// SPDX-License-Identifier: MIT
/*
 * POOL, axis by axis: the elements that a window reads along an axis are views of the input, one
 * for each tap, which are summed or compared. Windows of the whole input become reductions. Maxima
 * have the same bits; sums are rounded to the type between axes, so F16 is summed in F32, if the
 * chip has it.
 */
#include "rewrite.h"

#include <math.h>

#define SPATIAL		2
#define MAX_TAPS	256

static bool is_whole(const struct loom_node *node)
{
	const struct loom_gpool *pool = &node->pool;
	u32 i;

	for (i = 0; i < pool->num_spatial; i++)
		if (pool->kernel[i] != node->inputs[0]->dims[SPATIAL + i] || pool->pads_begin[i] ||
		    pool->pads_end[i] || node->output->dims[SPATIAL + i] != 1 ||
		    pool->dilations[i] != 1)
			return false;
	return pool->kind != LOOM_GPOOL_LP;
}

/* The windows along an axis, each as one element. */
static struct loom_value *pool_axis(struct loom_rewriter *rw, const struct loom_node *node,
				    struct loom_value *x, u32 i, enum loom_gbin fn, u64 outside)
{
	const struct loom_gpool *pool = &node->pool;
	s64 out = node->output->dims[SPATIAL + i], k;
	s64 need = (out - 1) * pool->strides[i] + (pool->kernel[i] - 1) * pool->dilations[i] + 1;
	struct loom_value *y = NULL, *tap;

	if (!x)
		return NULL;
	x = loom_put_border(rw, x, SPATIAL + i, pool->pads_begin[i],
			    need - x->dims[SPATIAL + i] - pool->pads_begin[i], outside);
	for (k = 0; k < pool->kernel[i]; k++) {
		tap = loom_put_window(rw, x, SPATIAL + i, k * pool->dilations[i],
				      pool->strides[i], out);
		y = y ? loom_emit_binary(&rw->em, fn, y, tap) : tap;
	}
	return y;
}

/* Number of elements of each window that count, by position along an axis. */
static struct loom_value *pool_counts(struct loom_rewriter *rw, const struct loom_node *node,
				      u32 i, u32 dtype)
{
	const struct loom_gpool *pool = &node->pool;
	s64 dims[LOOM_GRAPH_SPATIAL] = { 1, 1, 1 }, in = node->inputs[0]->dims[SPATIAL + i];
	s64 first = pool->count_include_pad ? -pool->pads_begin[i] : 0;
	s64 end = pool->count_include_pad ? in + pool->pads_end[i] : in, o, k;
	struct loom_value *counts;

	dims[0] = node->output->dims[SPATIAL + i];
	counts = loom_emit_const(&rw->em, dtype, pool->num_spatial - i, dims);
	for (o = 0; counts && o < dims[0]; o++) {
		double count = 0;

		for (k = 0; k < pool->kernel[i]; k++) {
			s64 at = o * pool->strides[i] - pool->pads_begin[i] +
				 k * pool->dilations[i];

			count += at >= first && at < end;
		}
		loom_value_set_float(counts, o, count);
	}
	return counts;
}

static struct loom_value *pool_sums(struct loom_rewriter *rw, const struct loom_node *node,
				    struct loom_value *x)
{
	const struct loom_gpool *pool = &node->pool;
	struct loom_value *counts = NULL, *of;
	bool norm = pool->kind == LOOM_GPOOL_LP;
	u32 i;

	if (norm) {
		x = loom_emit_fn(&rw->em, LOOM_GFN_ABS, x);
		if (pool->p != 1)
			x = loom_put_number(rw, LOOM_GBIN_POW, x, (double)pool->p);
	}
	for (i = 0; i < pool->num_spatial && x; i++) {
		x = pool_axis(rw, node, x, i, LOOM_GBIN_ADD, 0);
		of = x ? pool_counts(rw, node, i, x->dtype) : NULL;
		counts = counts ? loom_emit_binary(&rw->em, LOOM_GBIN_MUL, counts, of) : of;
	}
	if (!norm)
		return loom_emit_binary(&rw->em, LOOM_GBIN_DIV, x, counts);
	return pool->p != 1 ? loom_put_number(rw, LOOM_GBIN_POW, x, 1 / (double)pool->p) : x;
}

static struct loom_value *pool_maxima(struct loom_rewriter *rw, const struct loom_node *node,
				      struct loom_value *x)
{
	u64 least = loom_put_bits(x->dtype, -INFINITY);
	u32 i;

	for (i = 0; i < node->pool.num_spatial; i++)
		x = pool_axis(rw, node, x, i, LOOM_GBIN_MAX, least);
	return x;
}

struct loom_value *loom_rewrite_pool(struct loom_rewriter *rw, const struct loom_node *node)
{
	const struct loom_gpool *pool = &node->pool;
	struct loom_value *x = node->inputs[0];
	u32 axes = ((1U << pool->num_spatial) - 1) << SPATIAL, i;

	if (pool->kind != LOOM_GPOOL_MAX && !loom_dtype_is_float(x->dtype))
		return NULL;
	if (is_whole(node) && loom_chip_has(rw->chip, DRM_LOOM_OP_REDUCE))
		return loom_emit_reduce(&rw->em, pool->kind == LOOM_GPOOL_MAX ?
					LOOM_GREDUCE_MAX : LOOM_GREDUCE_MEAN, x, axes, true);
	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_BINARY))
		return NULL;
	for (i = 0; i < pool->num_spatial; i++)
		if (pool->kernel[i] > MAX_TAPS)
			return NULL;
	if (pool->kind == LOOM_GPOOL_MAX)
		return pool_maxima(rw, node, x);
	x = loom_put_wide(rw, x);
	return x ? loom_emit_cast(&rw->em, pool_sums(rw, node, x), node->output->dtype) : NULL;
}
