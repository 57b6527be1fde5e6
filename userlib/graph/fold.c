// SPDX-License-Identifier: MIT
#include "fold.h"

#include <errno.h>

static int (*const folders[LOOM_GOP_COUNT])(const struct loom_node *node) = {
	[LOOM_GOP_BINARY] = loom_fold_binary,
	[LOOM_GOP_UNARY] = loom_fold_unary,
	[LOOM_GOP_SELECT] = loom_fold_select,
	[LOOM_GOP_REDUCE] = loom_fold_reduce,
	[LOOM_GOP_CAST] = loom_fold_cast,
	[LOOM_GOP_QUANTIZE] = loom_fold_quantize,
	[LOOM_GOP_DEQUANTIZE] = loom_fold_dequantize,
	[LOOM_GOP_TRANSPOSE] = loom_fold_transpose,
	[LOOM_GOP_SLICE] = loom_fold_slice,
	[LOOM_GOP_CONCAT] = loom_fold_concat,
	[LOOM_GOP_PAD] = loom_fold_pad,
	[LOOM_GOP_EXPAND] = loom_fold_expand,
};

int loom_fold_node(struct loom_graph *graph, struct loom_node *node)
{
	int64_t from = 0;
	uint32_t i;
	int err;

	/* constants never change, so a reshaped one can share the elements */
	if (node->op == LOOM_GOP_RESHAPE && node->inputs[0]->data) {
		node->output->data = node->inputs[0]->data;
		return 0;
	}
	if (!folders[node->op])
		return -EAGAIN;
	for (i = 0; i < node->num_inputs; i++) {
		if (!node->inputs[i]->data)
			return -EAGAIN;
		from += node->inputs[i]->num_elems;
	}
	if (node->output->num_elems > from && node->output->num_elems > LOOM_FOLD_GROW_ELEMS)
		return -EAGAIN;
	err = loom_value_alloc(graph, node->output);
	if (err)
		return err;
	err = folders[node->op](node);
	/* the node stays, and the device computes it */
	if (err)
		node->output->data = NULL;
	else if (node->op == LOOM_GOP_DEQUANTIZE)
		node->output->quantised = node;
	return err;
}
