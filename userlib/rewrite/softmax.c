// SPDX-License-Identifier: MIT
/* SOFTMAX as e^(x - max) over its sum, or its logarithm. F16 is computed in F32, if there is. */
#include "rewrite.h"

struct loom_value *loom_rewrite_softmax(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_emitter *em = &rw->em;
	struct loom_value *x = node->inputs[0], *e, *sum;
	u32 axes = 1U << node->softmax.axis;

	if (!loom_dtype_is_float(x->dtype))
		return NULL;
	x = loom_put_wide(rw, x);
	if (!x)
		return NULL;
	x = loom_emit_binary(em, LOOM_GBIN_SUB, x,
			     loom_emit_reduce(em, LOOM_GREDUCE_MAX, x, axes, true));
	e = loom_emit_fn(em, LOOM_GFN_EXP, x);
	sum = loom_emit_reduce(em, LOOM_GREDUCE_SUM, e, axes, true);
	if (node->softmax.log)
		x = loom_emit_binary(em, LOOM_GBIN_SUB, x, loom_emit_fn(em, LOOM_GFN_LOG, sum));
	else
		x = loom_emit_binary(em, LOOM_GBIN_DIV, e, sum);
	return loom_emit_cast(em, x, node->output->dtype);
}
