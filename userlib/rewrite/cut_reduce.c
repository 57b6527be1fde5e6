// SPDX-License-Identifier: MIT
/*
 * REDUCE in pieces: the inner axes first, as many as fit, then the others. An axis that is too long
 * by itself is split into two, and its remainder is a separate piece: so the pieces are distributed
 * over the lanes and cut like any other axis. Each call makes one such step; nodes that still do
 * not fit are cut in the next round.
 */
#include "rewrite.h"

#include <math.h>

/* By kind of reduction: the kind that combines the results of the pieces. */
static const enum loom_greduce_kind then[] = {
	[LOOM_GREDUCE_SUM] = LOOM_GREDUCE_SUM,
	[LOOM_GREDUCE_MEAN] = LOOM_GREDUCE_MEAN,
	[LOOM_GREDUCE_MAX] = LOOM_GREDUCE_MAX,
	[LOOM_GREDUCE_MIN] = LOOM_GREDUCE_MIN,
	[LOOM_GREDUCE_PROD] = LOOM_GREDUCE_PROD,
	/* the sum of a piece of unsigned bytes may look negative */
	[LOOM_GREDUCE_L1] = LOOM_GREDUCE_SUM,
	[LOOM_GREDUCE_L2] = LOOM_GREDUCE_L2,
	[LOOM_GREDUCE_SUM_SQUARE] = LOOM_GREDUCE_SUM,
};

/* The largest divisor of @length up to @most, if that is not much less; else @most. */
static s64 pick_length(s64 length, s64 most)
{
	s64 n;

	for (n = most; n > most / 4; n--)
		if (length % n == 0)
			return n;
	return most;
}

/*
 * Weights that turn the means of pieces of @piece elements, and of a shorter last one, into a mean.
 */
static struct loom_value *put_weights(struct loom_rewriter *rw, const struct loom_value *x,
				      u32 axis, s64 length, s64 piece)
{
	s64 dims[LOOM_GRAPH_RANK], i;
	struct loom_value *weights;
	u32 rank = x->rank - axis, k;

	for (k = 0; k < rank; k++)
		dims[k] = k ? 1 : x->dims[axis];
	weights = loom_emit_const(&rw->em, x->dtype, rank, dims);
	for (i = 0; weights && i < dims[0]; i++) {
		s64 count = i < dims[0] - 1 ? piece : length - i * piece;

		loom_value_set_float(weights, i, (double)count / (double)length);
	}
	return weights;
}

/* All whole pieces of @piece elements of axis @axis: [..., pieces, piece, ...]. */
static struct loom_value *put_pieces(struct loom_rewriter *rw, struct loom_value *x, u32 axis,
				     s64 piece)
{
	s64 dims[LOOM_GRAPH_RANK];
	u32 i;

	for (i = 0; i < x->rank; i++)
		dims[i + (i > axis)] = x->dims[i];
	dims[axis] = x->dims[axis] / piece;
	dims[axis + 1] = piece;
	x = loom_put_window(rw, x, axis, 0, 1, dims[axis] * piece);
	return x ? loom_emit_reshape(&rw->em, x, x->rank + 1, dims) : NULL;
}

/* Splits an axis that is too long; the results of its pieces lie along it. */
static struct loom_value *cut_axis(struct loom_rewriter *rw, enum loom_greduce_kind kind,
				   struct loom_value *x, u32 axis, s64 most)
{
	s64 length = x->dims[axis], piece = pick_length(length, most), rest = length % piece;
	struct loom_value *parts[2];

	parts[0] = put_pieces(rw, x, axis, piece);
	parts[0] = loom_emit_reduce(&rw->em, kind, parts[0], 1U << (axis + 1), false);
	if (!rest)
		return loom_emit_reduce(&rw->em, then[kind], parts[0], 1U << axis, true);
	parts[1] = loom_put_window(rw, x, axis, length - rest, 1, rest);
	parts[1] = loom_emit_reduce(&rw->em, kind, parts[1], 1U << axis, true);
	if (!parts[0] || !parts[1])
		return NULL;
	x = loom_emit_concat(&rw->em, 2, parts, axis);
	if (kind == LOOM_GREDUCE_MEAN && x) {
		x = loom_emit_binary(&rw->em, LOOM_GBIN_MUL, x,
				     put_weights(rw, x, axis, length, piece));
		kind = LOOM_GREDUCE_SUM;
	}
	return loom_emit_reduce(&rw->em, then[kind], x, 1U << axis, true);
}

static struct loom_value *cut_axes(struct loom_rewriter *rw, enum loom_greduce_kind kind,
				   struct loom_value *x, u32 axes)
{
	s64 most = loom_put_most(rw, loom_dtype_size(x->dtype)), count = 1;
	u32 inner = 0, i;

	for (i = x->rank; i-- > 0;) {
		if (!(axes >> i & 1) || x->dims[i] == 1)
			continue;
		if (count * x->dims[i] > most)
			break;
		count *= x->dims[i];
		inner |= 1U << i;
	}
	/* all inner axes, or the innermost one */
	if (count > 1)
		x = loom_emit_reduce(&rw->em, kind, x, inner, true);
	else if (i < x->rank && x->rank < LOOM_GRAPH_RANK && most > 1)
		x = cut_axis(rw, kind, x, i, most);
	else
		return NULL;
	if (count == 1)
		inner = 1U << i;
	axes &= ~inner;
	return axes ? loom_emit_reduce(&rw->em, then[kind], x, axes, true) : x;
}

/* log(sum(e^x)) as max + log(sum(e^(x - max))) */
static struct loom_value *log_sum_exp(struct loom_rewriter *rw, struct loom_value *x, u32 axes)
{
	struct loom_value *most = loom_emit_reduce(&rw->em, LOOM_GREDUCE_MAX, x, axes, true);

	x = loom_emit_fn(&rw->em, LOOM_GFN_EXP,
			 loom_emit_binary(&rw->em, LOOM_GBIN_SUB, x, most));
	x = loom_emit_reduce(&rw->em, LOOM_GREDUCE_SUM, x, axes, true);
	return loom_emit_binary(&rw->em, LOOM_GBIN_ADD, loom_emit_fn(&rw->em, LOOM_GFN_LOG, x),
				most);
}

/* Integers in 64 bits, the type in which the command sums them. NULL: the chip lacks it. */
static struct loom_value *put_long(struct loom_rewriter *rw, struct loom_value *x)
{
	if (x->dtype == DRM_LOOM_DTYPE_I64 || x->dtype == DRM_LOOM_DTYPE_U64)
		return x;
	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_CAST) ||
	    !loom_chip_has_type(rw->chip, DRM_LOOM_DTYPE_I64))
		return NULL;
	return loom_emit_cast(&rw->em, x, DRM_LOOM_DTYPE_I64);
}

/* Means and norms of integers truncate once, so the whole sum must be divided or rooted. */
static struct loom_value *cut_integers(struct loom_rewriter *rw, enum loom_greduce_kind kind,
				       struct loom_value *x, u32 axes)
{
	double count = 1;
	u32 i;

	for (i = 0; i < x->rank; i++)
		count *= axes >> i & 1 ? (double)x->dims[i] : 1;
	x = put_long(rw, x);
	if (kind == LOOM_GREDUCE_MEAN) {
		x = loom_emit_reduce(&rw->em, LOOM_GREDUCE_SUM, x, axes, true);
		return loom_put_number(rw, LOOM_GBIN_DIV, x, count);
	}
	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_UNARY) ||
	    !loom_chip_has_type(rw->chip, DRM_LOOM_DTYPE_F64))
		return NULL;
	x = loom_emit_reduce(&rw->em, LOOM_GREDUCE_SUM_SQUARE, x, axes, true);
	x = loom_emit_cast(&rw->em, x, DRM_LOOM_DTYPE_F64);
	x = loom_emit_fn(&rw->em, LOOM_GFN_SQRT, x);
	return loom_emit_cast(&rw->em, x, DRM_LOOM_DTYPE_I64);
}

struct loom_value *loom_cut_reduce(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *x = node->inputs[0], *y = node->output;
	enum loom_greduce_kind kind = node->reduce.kind;
	u32 axes = node->reduce.axes & ((1U << x->rank) - 1);

	if (kind != LOOM_GREDUCE_MAX && kind != LOOM_GREDUCE_MIN)
		x = loom_put_wide(rw, x);
	if (!x)
		return NULL;
	if (kind == LOOM_GREDUCE_LOG_SUM_EXP) {
		x = log_sum_exp(rw, x, axes);
	} else if (kind == LOOM_GREDUCE_LOG_SUM) {
		x = loom_emit_reduce(&rw->em, LOOM_GREDUCE_SUM, x, axes, true);
		x = loom_emit_fn(&rw->em, LOOM_GFN_LOG, x);
	} else if (!loom_dtype_is_float(x->dtype) &&
		   (kind == LOOM_GREDUCE_MEAN || kind == LOOM_GREDUCE_L2)) {
		x = cut_integers(rw, kind, x, axes);
	} else {
		x = cut_axes(rw, kind, x, axes);
	}
	if (!x)
		return NULL;
	x = loom_emit_cast(&rw->em, x, y->dtype);
	return loom_emit_reshape(&rw->em, x, y->rank, y->dims);
}
