// SPDX-License-Identifier: MIT
#include "fold.h"

#include <errno.h>

/* Operands are compared with those before up to here. */
#define FEW_OPERANDS	16

static loom_folder *const folders[LOOM_GOP_COUNT] = {
	[LOOM_GOP_BINARY] = loom_fold_binary,
	[LOOM_GOP_UNARY] = loom_fold_unary,
	[LOOM_GOP_SELECT] = loom_fold_select,
	[LOOM_GOP_REDUCE] = loom_fold_reduce,
	[LOOM_GOP_TOPK] = loom_fold_topk,
	[LOOM_GOP_GATHER] = loom_fold_gather,
	[LOOM_GOP_CAST] = loom_fold_cast,
	[LOOM_GOP_QUANTIZE] = loom_fold_quantize,
	[LOOM_GOP_DEQUANTIZE] = loom_fold_dequantize,
	[LOOM_GOP_TRANSPOSE] = loom_fold_transpose,
	[LOOM_GOP_SLICE] = loom_fold_slice,
	[LOOM_GOP_CONCAT] = loom_fold_concat,
	[LOOM_GOP_PAD] = loom_fold_pad,
	[LOOM_GOP_EXPAND] = loom_fold_expand,
};

/* Elements and bytes that it is made from; an operand that comes again adds nothing. */
static int64_t count_operands(const struct loom_node *node, size_t *bytes)
{
	int64_t elems = 0;
	uint32_t i, k;

	*bytes = 0;
	for (i = 0; i < node->num_inputs; i++) {
		/* to compare all of many takes the square of them */
		for (k = i < FEW_OPERANDS ? 0 : i; k < i; k++)
			if (node->inputs[k] == node->inputs[i])
				break;
		if (k < i)
			continue;
		elems += node->inputs[i]->num_elems;
		*bytes += node->inputs[i]->size_bytes;
	}
	return elems;
}

bool loom_fold_has(enum loom_gop op)
{
	return folders[op];
}

int loom_fold_node(struct loom_graph *graph, struct loom_node *node)
{
	size_t from_bytes;
	int64_t from;
	uint32_t i;
	int err;

	/* constants never change, so a reshaped one can share the elements */
	if (node->op == LOOM_GOP_RESHAPE && node->inputs[0]->data) {
		node->output->data = node->inputs[0]->data;
		return 0;
	}
	if (!folders[node->op])
		return -EAGAIN;
	for (i = 0; i < node->num_inputs; i++)
		if (!node->inputs[i]->data || node->inputs[i]->held)
			return -EAGAIN;
	from = count_operands(node, &from_bytes);
	if (node->output->num_elems > from && node->output->num_elems > LOOM_FOLD_GROW_ELEMS)
		return -EAGAIN;
	if (node->output->size_bytes > from_bytes) {
		graph->grown_bytes += node->output->size_bytes - from_bytes;
		if (graph->grown_bytes > graph->most_grown_bytes)
			return -E2BIG;
	}
	err = node->output->data ? 0 : loom_value_alloc(graph, node->output);
	if (err)
		return err;
	/* elements, and a call for each of many functions */
	if (loom_watch_spend((uint64_t)(from + node->output->num_elems) / 16))
		return -ENOMEM;
	err = loom_fold_by_table(node, folders[node->op]);
	if (err)
		err = folders[node->op](node);
	/* the node stays, and the device computes it */
	if (err)
		node->output->data = NULL;
	else if (node->op == LOOM_GOP_DEQUANTIZE)
		node->output->quantised = node;
	return err;
}
