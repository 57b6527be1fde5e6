// SPDX-License-Identifier: MIT
/*
 * Importers of losses: for each position, the negated value of the target class. They are rarely
 * part of inference, but models exported in training form have them.
 */
#include "import.h"

#include <errno.h>

enum { NONE, SUM, MEAN };

/* @target is [N, D...] for data [N, C, D...] */
static bool targets_fit(struct loom_import *im, const struct loom_value *x,
			const struct loom_value *target, const struct loom_value *weights)
{
	uint32_t i;
	bool fit = x->rank >= 2 && target->rank == x->rank - 1 &&
		   loom_dtype_is_int(target->dtype) && loom_dtype_is_float(x->dtype) &&
		   x->dims[0] == target->dims[0] && x->num_elems;

	for (i = 2; fit && i < x->rank; i++)
		fit = x->dims[i] == target->dims[i - 1];
	if (weights && fit)
		fit = weights->rank == 1 && weights->dims[0] == x->dims[1] &&
		      weights->dtype == x->dtype;
	if (!fit)
		loom_import_fail(im, -EINVAL, "its operands do not fit together");
	return fit;
}

/* Weight of each position: that of its class, 0 if it is ignored; NULL for 1. */
static struct loom_value *emit_weights(struct loom_import *im, const struct loom_value *x,
				       struct loom_value *target, struct loom_value *at,
				       struct loom_value *weights)
{
	struct loom_value *ignored, *y;

	y = weights ? loom_emit_reshape(im->em, weights, 3, (int64_t[]){ 1, x->dims[1], 1 }) : NULL;
	if (y)
		y = loom_emit_expand(im->em, y, 3, (int64_t[]){
			x->dims[0], x->dims[1], loom_value_trailing(x, 2) });
	y = y ? loom_emit_gather(im->em, y, at, 1) : NULL;
	if (!loom_attr_find(im, "ignore_index"))
		return y;
	ignored = loom_emit_scalar(im->em, target->dtype,
				   (double)loom_attr_int(im, "ignore_index", 0));
	target = loom_emit_reshape(im->em, target, 3, (int64_t[]){
		x->dims[0], 1, loom_value_trailing(x, 2) });
	ignored = loom_emit_binary(im->em, LOOM_GBIN_EQUAL, target, ignored);
	if (!y)
		y = loom_emit_scalar(im->em, x->dtype, 1);
	return loom_emit_select(im->em, ignored, loom_emit_scalar(im->em, x->dtype, 0), y);
}

static void import_loss(struct loom_import *im, struct loom_value *x)
{
	static const char *const reductions[] = { "mean", "none", "sum", NULL };
	static const int kinds[] = { MEAN, NONE, SUM };
	struct loom_value *target = loom_import_operand(im, 1), *at, *y, *counts, *zero;
	struct loom_value *weights = loom_import_optional(im, 2);
	int kind = kinds[loom_attr_choice(im, "reduction", reductions)];

	if (!x || !target || !targets_fit(im, x, target, weights))
		return;
	at = loom_emit_cast(im->em, target, DRM_LOOM_DTYPE_I32);
	at = loom_emit_reshape(im->em, at, 3, (int64_t[]){
		x->dims[0], 1, loom_value_trailing(x, 2) });
	/* a negative one is no class, and is not counted from the last */
	zero = loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, 0);
	at = loom_emit_select(im->em, loom_emit_binary(im->em, LOOM_GBIN_LESS, at, zero),
			      loom_emit_scalar(im->em, DRM_LOOM_DTYPE_I32, (double)x->dims[1]), at);
	y = loom_emit_reshape(im->em, x, 3, (int64_t[]){
		x->dims[0], x->dims[1], loom_value_trailing(x, 2) });
	y = loom_emit_fn(im->em, LOOM_GFN_NEG, loom_emit_gather(im->em, y, at, 1));
	counts = emit_weights(im, x, target, at, weights);
	if (counts)
		y = loom_emit_binary(im->em, LOOM_GBIN_MUL, y, counts);
	if (kind == NONE) {
		loom_import_result(im, 0, loom_emit_reshape(im->em, y, target->rank, target->dims));
		return;
	}
	if (kind == MEAN && !counts) {
		loom_import_result(im, 0, loom_emit_reduce(im->em, LOOM_GREDUCE_MEAN, y, 7, false));
		return;
	}
	y = loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, y, 7, false);
	if (kind == MEAN)
		y = loom_emit_binary(im->em, LOOM_GBIN_DIV, y,
				     loom_emit_reduce(im->em, LOOM_GREDUCE_SUM, counts, 7, false));
	loom_import_result(im, 0, y);
}

void loom_import_nll_loss(struct loom_import *im, int unused)
{
	(void)unused;
	import_loss(im, loom_import_operand(im, 0));
}

void loom_import_softmax_loss(struct loom_import *im, int unused)
{
	struct loom_value *x = loom_import_operand(im, 0);

	(void)unused;
	if (!x)
		return;
	if (x->rank < 2) {
		loom_import_fail(im, -EINVAL, "data of rank %u have no classes", x->rank);
		return;
	}
	x = loom_import_softmax_along(im, x, 1, true);
	import_loss(im, x);
	loom_import_result(im, 1, x);
}
