// SPDX-License-Identifier: MIT
/*
 * DOC: Fusing activations
 *
 * A function of one variable that is the only reader of a CONV, DECONV, MATMUL or BINARY is applied
 * to each result before it is stored, which saves one pass over memory. fusable[] lists the
 * functions that the device can apply in this way; lowering turns them into an attribute
 * (lower/function.c).
 */
#include "pass.h"

#include <errno.h>

static const bool fusable[LOOM_GFN_COUNT] = {
	[LOOM_GFN_RELU] = true,
	[LOOM_GFN_CLIP] = true,
	[LOOM_GFN_LEAKY_RELU] = true,
	[LOOM_GFN_SIGMOID] = true,
	[LOOM_GFN_HARD_SIGMOID] = true,
	[LOOM_GFN_HARD_SWISH] = true,
	[LOOM_GFN_TANH] = true,
};

static bool takes_activation(const struct loom_node *node)
{
	switch (node->op) {
	case LOOM_GOP_CONV:
	case LOOM_GOP_DECONV:
	case LOOM_GOP_MATMUL:
	case LOOM_GOP_BINARY:
		break;
	default:
		return false;
	}
	return !node->act.fn && loom_dtype_is_float(node->output->dtype) &&
	       node->output->num_uses == 1 && !node->output->is_output;
}

int loom_graph_fuse(struct loom_graph *graph)
{
	struct loom_node **users = loom_graph_users(graph);
	uint32_t i;

	if (!users)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < graph->num_nodes; i++) {
		struct loom_node *node = graph->nodes[i], *next;

		if (!takes_activation(node))
			continue;
		next = users[node->output->id];
		if (next->op != LOOM_GOP_UNARY || !fusable[next->unary.fn])
			continue;
		node->act = next->unary;
		/* its own result has no readers any more, so the UNARY will be pruned */
		node->output = next->output;
		node->output->producer = node;
		next->output = next->inputs[0];
	}
	return loom_graph_prune(graph);
}
