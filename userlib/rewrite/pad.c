// SPDX-License-Identifier: MIT
/* PAD with a constant, without FILL: the border is a constant, which is copied. */
#include "rewrite.h"

#include <string.h>

static struct loom_value *border(struct loom_rewriter *rw, const struct loom_value *x, u32 axis,
				 s64 count, u64 bits)
{
	s64 dims[LOOM_GRAPH_RANK];
	struct loom_value *one = loom_emit_const(&rw->em, x->dtype, 0, NULL);

	if (!one)
		return NULL;
	memcpy(one->data, &bits, loom_dtype_size(x->dtype));
	memcpy(dims, x->dims, sizeof(dims));
	dims[axis] = count;
	return loom_emit_expand(&rw->em, one, x->rank, dims);
}

struct loom_value *loom_rewrite_pad(struct loom_rewriter *rw, const struct loom_node *node)
{
	const struct loom_gpad *pad = &node->pad;
	struct loom_value *x = node->inputs[0];
	u32 axis;

	if (pad->mode != LOOM_GPAD_CONSTANT || !x->num_elems)
		return NULL;
	for (axis = 0; axis < node->output->rank && x; axis++) {
		struct loom_value *parts[3];
		u32 n = 0;

		if (pad->begin[axis])
			parts[n++] = border(rw, x, axis, pad->begin[axis], pad->value);
		parts[n++] = x;
		if (pad->end[axis])
			parts[n++] = border(rw, x, axis, pad->end[axis], pad->value);
		x = loom_emit_concat(&rw->em, n, parts, axis);
	}
	return x;
}
