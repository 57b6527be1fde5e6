// SPDX-License-Identifier: MIT
/* Scores, masks, weights and heads, for all operators that attend. */
#include "attend.h"
#include "onnx/pick.h"

#include <errno.h>
#include <math.h>

static struct loom_value *hidden_score(struct loom_import *im, uint32_t dtype)
{
	return loom_emit_scalar(im->em, dtype,
				dtype == DRM_LOOM_DTYPE_F16 ? -65504 : -0x1.fffffep127);
}

/* Checks shapes and types; queries, keys and values are there. */
static bool operands_fit(struct loom_import *im, const struct loom_attend *at)
{
	const struct loom_value *q = at->q, *k = at->k, *v = at->v;

	if (im->em->status || !q || !k || !v)
		return false;
	if (!loom_dtype_is_float(q->dtype) || k->dtype != q->dtype || v->dtype != q->dtype) {
		loom_import_fail(im, -EOPNOTSUPP,
				 "queries, keys and values of types %s, %s and %s are not supported",
				 loom_dtype_name(q->dtype), loom_dtype_name(k->dtype),
				 loom_dtype_name(v->dtype));
		return false;
	}
	if (q->rank == 4 && k->rank == 4 && v->rank == 4 && q->dims[0] == k->dims[0] &&
	    q->dims[0] == v->dims[0] && k->dims[1] == v->dims[1] && k->dims[1] > 0 &&
	    q->dims[1] % k->dims[1] == 0 && q->dims[3] == k->dims[3] && q->dims[3] > 0 &&
	    k->dims[2] == v->dims[2])
		return true;
	loom_import_fail(im, -EINVAL, "queries, keys and values do not fit together");
	return false;
}

void loom_attend_hide(struct loom_import *im, struct loom_attend *at, struct loom_value *seen)
{
	at->seen = at->seen && seen ? loom_emit_binary(im->em, LOOM_GBIN_AND, at->seen, seen) :
		   seen ? seen : at->seen;
}

void loom_attend_add(struct loom_import *im, struct loom_attend *at, struct loom_value *bias)
{
	at->bias = at->bias && bias ? loom_emit_binary(im->em, LOOM_GBIN_ADD, at->bias, bias) :
		   bias ? bias : at->bias;
}

void loom_attend_order(struct loom_import *im, struct loom_attend *at, struct loom_value *past,
		       int64_t window)
{
	struct loom_value *query, *position, *first;

	if (im->em->status || !at->q || !at->k || !past)
		return;
	query = loom_pick_numbers(im, 4, 2, at->q->dims[2]);
	query = loom_emit_binary(im->em, LOOM_GBIN_ADD, query, past);
	position = loom_pick_numbers(im, 4, 3, at->k->dims[2]);
	loom_attend_hide(im, at, loom_emit_binary(im->em, LOOM_GBIN_LESS_EQUAL, position, query));
	if (window < 0 || window >= at->k->dims[2])
		return;
	first = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)window);
	first = loom_emit_binary(im->em, LOOM_GBIN_SUB, query, first);
	loom_attend_hide(im, at,
			 loom_emit_binary(im->em, LOOM_GBIN_GREATER_EQUAL, position, first));
}

/* Mask or bias applied to @scores, whose shape it must not change. */
static struct loom_value *mask_scores(struct loom_import *im, const struct loom_attend *at,
				      struct loom_value *scores)
{
	struct loom_value *y = scores;

	if (at->bias)
		y = loom_emit_binary(im->em, LOOM_GBIN_ADD, y, at->bias);
	if (at->seen && y)
		y = loom_emit_select(im->em, at->seen, y, hidden_score(im, y->dtype));
	if (!y || loom_dims_equal(y, scores))
		return y;
	loom_import_fail(im, -EINVAL, "mask or bias does not broadcast to the scores");
	return NULL;
}

/* The softmax over positions and a sink, which is left out of the result. */
static struct loom_value *weigh(struct loom_import *im, const struct loom_attend *at,
				struct loom_value *scores)
{
	const uint32_t dtype = scores->dtype;
	const int64_t count = scores->dims[3];
	int64_t dims[] = { scores->dims[0], scores->dims[1], scores->dims[2], 1 };
	struct loom_value *parts[2];

	if (at->softmax_dtype)
		scores = loom_emit_cast(im->em, scores, at->softmax_dtype);
	if (at->sink && scores) {
		parts[0] = scores;
		parts[1] = loom_emit_expand(im->em, loom_emit_cast(im->em, at->sink, scores->dtype),
					    4, dims);
		scores = loom_emit_concat(im->em, 2, parts, 3);
	}
	scores = loom_import_softmax_along(im, scores, 3, false);
	if (at->sink)
		scores = loom_import_part(im, scores, 3, 0, 1, count);
	return loom_emit_cast(im->em, scores, dtype);
}

struct loom_value *loom_attend(struct loom_import *im, struct loom_attend *at)
{
	struct loom_value *x, *y, *cap;
	int64_t batch, heads, shared, queries, size, positions, rows;

	if (!operands_fit(im, at))
		return NULL;
	batch = at->q->dims[0];
	heads = at->q->dims[1];
	shared = at->k->dims[1];
	queries = at->q->dims[2];
	size = at->q->dims[3];
	positions = at->k->dims[2];
	rows = heads / shared * queries;
	x = loom_emit_reshape(im->em, at->q, 4, (int64_t[]){ batch, shared, rows, size });
	x = loom_import_scaled_product(im, x, at->k, true,
				       at->scale ? at->scale : (float)(1 / sqrt((double)size)));
	x = loom_emit_reshape(im->em, x, 4, (int64_t[]){ batch, heads, queries, positions });
	at->scores[LOOM_ATTEND_PRODUCT] = x;
	if (at->softcap && x) {
		cap = loom_emit_scalar(im->em, x->dtype, at->softcap);
		x = loom_emit_binary(im->em, LOOM_GBIN_DIV, x, cap);
		x = loom_emit_binary(im->em, LOOM_GBIN_MUL,
				     loom_emit_fn(im->em, LOOM_GFN_TANH, x), cap);
	}
	at->scores[LOOM_ATTEND_CAPPED] = x;
	x = x ? mask_scores(im, at, x) : NULL;
	at->scores[LOOM_ATTEND_MASKED] = x;
	x = x ? weigh(im, at, x) : NULL;
	at->scores[LOOM_ATTEND_WEIGHTS] = x;
	x = loom_emit_reshape(im->em, x, 4, (int64_t[]){ batch, shared, rows, positions });
	y = loom_import_scaled_product(im, x, at->v, false, 1);
	size = at->v->dims[3];
	return loom_emit_reshape(im->em, y, 4, (int64_t[]){ batch, heads, queries, size });
}

struct loom_value *loom_heads_split(struct loom_import *im, struct loom_value *x, int64_t heads)
{
	if (im->em->status || !x)
		return NULL;
	if (x->rank != 3 || heads < 1 || x->dims[2] % heads) {
		loom_import_fail(im, -EINVAL, "%lld heads do not divide an operand of rank %u",
				 (long long)heads, x->rank);
		return NULL;
	}
	x = loom_emit_reshape(im->em, x, 4, (int64_t[]){
		x->dims[0], x->dims[1], heads, x->dims[2] / heads });
	return loom_emit_transpose(im->em, x, (uint32_t[]){ 0, 2, 1, 3 });
}

struct loom_value *loom_heads_join(struct loom_import *im, struct loom_value *x)
{
	int64_t width;

	x = loom_emit_transpose(im->em, x, (uint32_t[]){ 0, 2, 1, 3 });
	if (!x)
		return NULL;
	width = x->dims[2] * x->dims[3];
	return loom_emit_reshape(im->em, x, 3, (int64_t[]){ x->dims[0], x->dims[1], width });
}

struct loom_value *loom_heads_append(struct loom_import *im, struct loom_value *past,
				     struct loom_value *x)
{
	struct loom_value *parts[] = { past, x };

	if (im->em->status || !x || !past)
		return x;
	if (past->rank == 4 && x->rank == 4 && past->dtype == x->dtype &&
	    past->dims[0] == x->dims[0] && past->dims[1] == x->dims[1] &&
	    past->dims[3] == x->dims[3])
		return past->dims[2] ? loom_emit_concat(im->em, 2, parts, 2) : x;
	loom_import_fail(im, -EINVAL, "past keys or values do not fit the new ones");
	return NULL;
}
