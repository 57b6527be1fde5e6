// SPDX-License-Identifier: MIT
/*
 * SELECT. For floats, with p = condition ? inf : -inf, it is max(min(a, p), min(b, -p)): exact
 * except for a NaN in the operand that is not selected, which wins. For integers it is a * c + b *
 * (1 - c) with c = 1 or 0, which wraps back; for BOOL, AND and OR.
 */
#include "rewrite.h"

#include <math.h>

static struct loom_value *select_float(struct loom_rewriter *rw, struct loom_value *c,
				       struct loom_value *a, struct loom_value *b)
{
	struct loom_emitter *em = &rw->em;
	struct loom_value *p, *q;

	c = loom_emit_cast(em, c, a->dtype);
	/* 2 * c - 1 is 1 or -1, so that there is no 0 * inf */
	c = loom_put_number(rw, LOOM_GBIN_SUB, loom_emit_binary(em, LOOM_GBIN_ADD, c, c), 1);
	p = loom_put_number(rw, LOOM_GBIN_MUL, c, INFINITY);
	q = loom_put_number(rw, LOOM_GBIN_MUL, c, -INFINITY);
	return loom_emit_binary(em, LOOM_GBIN_MAX, loom_emit_binary(em, LOOM_GBIN_MIN, a, p),
				loom_emit_binary(em, LOOM_GBIN_MIN, b, q));
}

static struct loom_value *select_int(struct loom_rewriter *rw, struct loom_value *c,
				     struct loom_value *a, struct loom_value *b)
{
	struct loom_emitter *em = &rw->em;
	struct loom_value *other;

	c = loom_emit_cast(em, c, a->dtype);
	other = loom_emit_binary(em, LOOM_GBIN_SUB, loom_emit_scalar(em, a->dtype, 1), c);
	return loom_emit_binary(em, LOOM_GBIN_ADD, loom_emit_binary(em, LOOM_GBIN_MUL, a, c),
				loom_emit_binary(em, LOOM_GBIN_MUL, b, other));
}

static struct loom_value *select_bool(struct loom_rewriter *rw, struct loom_value *c,
				      struct loom_value *a, struct loom_value *b)
{
	struct loom_emitter *em = &rw->em;
	struct loom_value *other;

	other = loom_emit_binary(em, LOOM_GBIN_XOR, c,
				 loom_emit_scalar(em, DRM_LOOM_DTYPE_BOOL, 1));
	return loom_emit_binary(em, LOOM_GBIN_OR, loom_emit_binary(em, LOOM_GBIN_AND, a, c),
				loom_emit_binary(em, LOOM_GBIN_AND, b, other));
}

struct loom_value *loom_rewrite_select(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *c = node->inputs[0], *a = node->inputs[1], *b = node->inputs[2];

	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_BINARY))
		return NULL;
	if (a->dtype == DRM_LOOM_DTYPE_BOOL)
		return select_bool(rw, c, a, b);
	if (!loom_chip_has(rw->chip, DRM_LOOM_OP_CAST))
		return NULL;
	return loom_dtype_is_float(a->dtype) ? select_float(rw, c, a, b) :
					       select_int(rw, c, a, b);
}
