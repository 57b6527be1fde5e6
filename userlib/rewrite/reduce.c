// SPDX-License-Identifier: MIT
/*
 * REDUCE as POOL: the reduced axes become one long axis, and the window covers it. Without POOL, or
 * for longer axes, as BINARY of both halves of an axis, repeatedly.
 */
#include "rewrite.h"

#include <string.h>

#define MAX_ELEMENTS	4096

/* Reduces an axis to one element: of an odd number of elements the last is set aside. */
static struct loom_value *halve(struct loom_rewriter *rw, struct loom_value *x, u32 axis,
				enum loom_gbin fn)
{
	struct loom_value *rest = NULL, *a, *b;

	while (x && x->dims[axis] > 1) {
		s64 half = x->dims[axis] / 2;

		if (x->dims[axis] % 2) {
			a = loom_put_window(rw, x, axis, 2 * half, 1, 1);
			rest = rest ? loom_emit_binary(&rw->em, fn, rest, a) : a;
		}
		a = loom_put_window(rw, x, axis, 0, 1, half);
		b = loom_put_window(rw, x, axis, half, 1, half);
		x = loom_emit_binary(&rw->em, fn, a, b);
	}
	return rest ? loom_emit_binary(&rw->em, fn, x, rest) : x;
}

static struct loom_value *reduce_halves(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *x = node->inputs[0], *y = node->output;
	enum loom_greduce_kind kind = node->reduce.kind;
	enum loom_gbin fn = LOOM_GBIN_ADD;
	double count = 1;
	u32 i;

	if (kind == LOOM_GREDUCE_MAX || kind == LOOM_GREDUCE_MIN)
		fn = kind == LOOM_GREDUCE_MAX ? LOOM_GBIN_MAX : LOOM_GBIN_MIN;
	else if (kind == LOOM_GREDUCE_PROD)
		fn = LOOM_GBIN_MUL;
	else if (kind != LOOM_GREDUCE_SUM && kind != LOOM_GREDUCE_MEAN)
		return NULL;
	for (i = 0; i < node->inputs[0]->rank; i++) {
		if (!(node->reduce.axes >> i & 1))
			continue;
		count *= (double)node->inputs[0]->dims[i];
		x = halve(rw, x, i, fn);
	}
	if (kind == LOOM_GREDUCE_MEAN && x)
		x = loom_put_number(rw, LOOM_GBIN_DIV, x, count);
	return loom_emit_reshape(&rw->em, x, y->rank, y->dims);
}

static struct loom_value *reduce_pool(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *x = node->inputs[0], *y = node->output;
	enum loom_greduce_kind kind = node->reduce.kind;
	u32 perm[LOOM_GRAPH_RANK], n = 0, i;
	struct loom_node *pool;
	s64 count = 1, dims[3];

	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_POOL) ||
	    (kind != LOOM_GREDUCE_MAX && !loom_dtype_is_float(x->dtype)) ||
	    (kind != LOOM_GREDUCE_MAX && kind != LOOM_GREDUCE_MEAN && kind != LOOM_GREDUCE_SUM))
		return NULL;
	for (i = 0; i < x->rank; i++)
		if (!(node->reduce.axes >> i & 1))
			perm[n++] = i;
	for (i = 0; i < x->rank; i++) {
		if (!(node->reduce.axes >> i & 1))
			continue;
		perm[n++] = i;
		count *= x->dims[i];
	}
	if (count > MAX_ELEMENTS)
		return NULL;
	dims[0] = 1;
	dims[1] = x->num_elems / count;
	dims[2] = count;
	x = loom_emit_transpose(&rw->em, x, perm);
	x = loom_emit_reshape(&rw->em, x, 3, dims);
	dims[2] = 1;
	pool = x ? loom_emit_begin(&rw->em, LOOM_GOP_POOL, x->dtype, 3, dims, 1, &x) : NULL;
	if (pool)
		pool->pool = (struct loom_gpool){
			.kind = kind == LOOM_GREDUCE_MAX ? LOOM_GPOOL_MAX : LOOM_GPOOL_AVG,
			.num_spatial = 1, .kernel = { count }, .strides = { 1 },
			.dilations = { 1 },
		};
	x = loom_emit_end(&rw->em, pool);
	if (kind == LOOM_GREDUCE_SUM)
		x = loom_put_number(rw, LOOM_GBIN_MUL, x, (double)count);
	return loom_emit_reshape(&rw->em, x, y->rank, y->dims);
}

struct loom_value *loom_rewrite_reduce(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *x = node->inputs[0], *y;

	if (!x->num_elems || x->dtype == DRM_LOOM_DTYPE_BOOL)
		return NULL;
	y = reduce_pool(rw, node);
	return y || !loom_chip_has(rw->chip, DRM_LOOM_OP_BINARY) ? y : reduce_halves(rw, node);
}
