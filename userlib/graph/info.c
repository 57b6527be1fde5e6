// SPDX-License-Identifier: MIT
/* Information about the nodes of a finished graph, for people and tools. */
#include "graph.h"

#include <errno.h>
#include <string.h>

uint32_t loom_graph_num_nodes(const struct loom_graph *graph)
{
	return loom_graph_check(graph, NULL) ? 0 : graph->num_nodes;
}

static uint64_t count(uint32_t first, uint32_t rank, const int64_t *dims)
{
	uint64_t product = 1;
	uint32_t i;

	for (i = first; i < rank; i++)
		product *= (uint64_t)dims[i];
	return product;
}

/* As lowering counts them: each element of the result is a sum of products. */
static uint64_t macs_of(const struct loom_node *node)
{
	const struct loom_value *a = node->inputs[0], *y = node->output;
	const struct loom_value *b = node->num_inputs > 1 ? node->inputs[1] : NULL;

	switch (node->op) {
	case LOOM_GOP_CONV:
		return count(0, y->rank, y->dims) * count(1, b->rank, b->dims);
	case LOOM_GOP_DECONV:
		return count(0, a->rank, a->dims) * count(1, b->rank, b->dims);
	case LOOM_GOP_MATMUL:
		return count(0, y->rank, y->dims) *
		       (uint64_t)a->dims[a->rank - (node->matmul.trans_a && a->rank > 1 ? 2 : 1)];
	default:
		return 0;
	}
}

int loom_graph_node(const struct loom_graph *graph, uint32_t index, struct loom_node_info *info)
{
	const struct loom_node *node;
	uint32_t i;

	memset(info, 0, sizeof(*info));
	if (loom_graph_check(graph, NULL))
		return -EINVAL;
	if (index >= graph->num_nodes)
		return -ENOENT;
	node = graph->nodes[index];
	info->name = node->name;
	info->op = node->source_op;
	info->computes = loom_gop_name(node->op);
	info->output.name = node->output->name;
	info->output.dtype = node->output->dtype;
	info->output.rank = node->output->rank;
	memcpy(info->output.dims, node->output->dims, sizeof(info->output.dims));
	info->output.size_bytes = node->output->size_bytes;
	for (i = 0; i < node->num_inputs; i++)
		if (node->inputs[i] && node->inputs[i]->data)
			info->const_bytes += node->inputs[i]->size_bytes;
	info->macs = macs_of(node);
	return 0;
}
