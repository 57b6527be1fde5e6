// SPDX-License-Identifier: MIT
/*
 * TOPK in halves, and then of the results of both. The halves keep their order, so that of
 * equal elements the first still comes first. Halves that do not fit are cut in the next round.
 */
#include "rewrite.h"

/* The halves of @node's first operand: those of the node before, if it compares the same. */
static const struct loom_topk_halves *put_halves(struct loom_rewriter *rw,
						 const struct loom_node *node)
{
	struct loom_topk_halves *halves = &rw->halves;
	s64 length = node->inputs[0]->dims[node->topk.axis], begin = length / 2;
	s64 count = node->output->dims[node->topk.axis];
	u32 i;

	if (halves->x == node->inputs[0] && halves->count == count &&
	    halves->topk.axis == node->topk.axis && halves->topk.smallest == node->topk.smallest)
		return halves;
	*halves = (struct loom_topk_halves){
		.x = node->inputs[0], .count = count, .topk = node->topk,
	};
	for (i = 0; i < 2; i++) {
		halves->half[i] = loom_put_window(rw, halves->x, node->topk.axis, i * begin, 1,
						  i ? length - begin : begin);
		halves->keys[i] = loom_emit_topk(&rw->em, halves->half[i], halves->half[i],
						 node->topk.axis, count, node->topk.smallest);
	}
	return halves;
}

struct loom_value *loom_cut_topk(struct loom_rewriter *rw, const struct loom_node *node)
{
	struct loom_value *from = node->num_inputs > 1 ? node->inputs[1] : NULL;
	struct loom_value *x = node->inputs[0], *keys, *picked[2], *half;
	s64 length = x->dims[node->topk.axis], count = node->output->dims[node->topk.axis];
	const struct loom_topk_halves *halves;
	bool smallest = node->topk.smallest;
	u32 axis = node->topk.axis, i;

	/* the last selection would be from no fewer */
	if (2 * count >= length)
		return NULL;
	halves = put_halves(rw, node);
	keys = loom_emit_concat(&rw->em, 2, halves->keys, axis);
	if (from == x)
		return loom_emit_topk(&rw->em, keys, keys, axis, count, smallest);
	for (i = 0; i < 2; i++) {
		s64 begin = i * (length / 2), size = i ? length - begin : length / 2;

		half = from ? loom_put_window(rw, from, axis, begin, 1, size) : NULL;
		picked[i] = loom_emit_topk(&rw->em, halves->half[i], half, axis, count, smallest);
		if (!from && i)
			picked[i] = loom_put_number(rw, LOOM_GBIN_ADD, picked[i], (double)begin);
	}
	return loom_emit_topk(&rw->em, keys, loom_emit_concat(&rw->em, 2, picked, axis), axis,
			      count, smallest);
}
