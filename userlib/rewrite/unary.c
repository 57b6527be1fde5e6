// SPDX-License-Identifier: MIT
/* Functions of one variable as a short chain of functions of two variables with constants. */
#include "rewrite.h"

static struct loom_value *between(struct loom_rewriter *rw, struct loom_value *x, double low,
				  double high)
{
	x = loom_put_number(rw, LOOM_GBIN_MAX, x, low);
	return loom_put_number(rw, LOOM_GBIN_MIN, x, high);
}

static struct loom_value *line(struct loom_rewriter *rw, struct loom_value *x, double slope,
			       double offset)
{
	x = loom_put_number(rw, LOOM_GBIN_MUL, x, slope);
	return loom_put_number(rw, LOOM_GBIN_ADD, x, offset);
}

struct loom_value *loom_rewrite_unary(struct loom_rewriter *rw, const struct loom_node *node)
{
	const struct loom_gact *act = &node->unary;
	struct loom_value *x = node->inputs[0];
	struct loom_emitter *em = &rw->em;

	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_BINARY))
		return NULL;
	switch (act->fn) {
	case LOOM_GFN_RELU:
		return loom_put_number(rw, LOOM_GBIN_MAX, x, 0);
	case LOOM_GFN_CLIP:
		return between(rw, x, act->alpha, act->beta);
	case LOOM_GFN_LEAKY_RELU:
		return loom_put_number(rw, LOOM_GBIN_PRELU, x, act->alpha);
	case LOOM_GFN_HARD_SIGMOID:
		return between(rw, line(rw, x, act->alpha, act->beta), 0, 1);
	case LOOM_GFN_HARD_SWISH:
		return loom_emit_binary(em, LOOM_GBIN_MUL, x,
					between(rw, line(rw, x, 1.0 / 6, 0.5), 0, 1));
	case LOOM_GFN_NEG:
		return loom_put_number(rw, LOOM_GBIN_MUL, x, -1);
	case LOOM_GFN_ABS:
		return loom_emit_binary(em, LOOM_GBIN_MAX, x,
					loom_put_number(rw, LOOM_GBIN_MUL, x, -1));
	case LOOM_GFN_SQRT:
		return loom_put_number(rw, LOOM_GBIN_POW, x, 0.5);
	case LOOM_GFN_RECIPROCAL:
		return loom_emit_binary(em, LOOM_GBIN_DIV, loom_emit_scalar(em, x->dtype, 1), x);
	case LOOM_GFN_NOT:
		return loom_emit_binary(em, LOOM_GBIN_XOR, x,
					loom_emit_scalar(em, DRM_LOOM_DTYPE_BOOL, 1));
	default:
		return NULL;
	}
}
