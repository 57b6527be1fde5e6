// SPDX-License-Identifier: MIT
/*
 * Pairs of products. In a feed-forward layer, a second product sums the results of a first one. If
 * these do not fit into the SRAM, both become one node: slices of the summed axis compute some
 * columns of the first product, and add their terms to the sums of the second one. The bits are
 * those of two nodes.
 */
#include "rewrite.h"

#include <errno.h>

#include "graph/pass.h"

static bool is_matrix(const struct loom_value *value)
{
	return value->data && value->rank == 2;
}

/* Whether a product is y = act(A * B + c) in F32, by a matrix, with c a vector or NULL. */
static bool is_plain(const struct loom_node *node)
{
	const struct loom_value *c = node->inputs[LOOM_GMATMUL_C];

	return node->op == LOOM_GOP_MATMUL && node->output->dtype == DRM_LOOM_DTYPE_F32 &&
	       is_matrix(node->inputs[LOOM_GMATMUL_B]) && !node->matmul.trans_a &&
	       !node->matmul.trans_b && node->matmul.alpha == 1 && node->matmul.beta == 1 &&
	       !node->inputs[LOOM_GMATMUL_UP] &&
	       (!c || (c->dtype == DRM_LOOM_DTYPE_F32 && c->rank == 1));
}

/* The first product of a pair that ends with @node, or NULL. */
static const struct loom_node *first_of(const struct loom_node *node, u64 sram_bytes)
{
	const struct loom_value *middle;
	const struct loom_node *first;

	if (!is_plain(node))
		return NULL;
	middle = node->inputs[LOOM_GMATMUL_A];
	first = middle->producer;
	if (!first || !is_plain(first) || middle->num_uses != 1 || middle->is_output ||
	    middle->size_bytes < sram_bytes)
		return NULL;
	/* two cuts of one matrix are not as wide as what it makes */
	return middle->dims[middle->rank - 1] >= node->output->dims[node->output->rank - 1] ?
	       first : NULL;
}

static void join(struct loom_node *node, const struct loom_node *first)
{
	node->inputs[LOOM_GMATMUL_A] = first->inputs[LOOM_GMATMUL_A];
	node->inputs[LOOM_GMATMUL_UP] = first->inputs[LOOM_GMATMUL_B];
	node->inputs[LOOM_GMATMUL_UP_C] = first->inputs[LOOM_GMATMUL_C];
	node->matmul.up_act = first->act;
}

int loom_rewrite_pairs(const struct loom_graph *from, const struct drm_loom_chip *chip,
		       u64 sram_bytes, struct loom_graph **to)
{
	const struct loom_node *first;
	u32 i;
	int ret;

	*to = NULL;
	sram_bytes *= chip->region[DRM_LOOM_REGION_SRAM].banks;
	for (i = 0; i < from->num_nodes; i++)
		if (first_of(from->nodes[i], sram_bytes))
			break;
	if (i == from->num_nodes || !loom_chip_has(chip, DRM_LOOM_OP_MATMUL_ADD) ||
	    !loom_chip_has(chip, DRM_LOOM_OP_MATMUL))
		return 0;
	ret = loom_rewrite_clone(from, to);
	for (i = 0; !ret && i < (*to)->num_nodes; i++) {
		first = first_of((*to)->nodes[i], sram_bytes);
		if (first)
			join((*to)->nodes[i], first);
	}
	if (!ret)
		ret = loom_graph_prune(*to);
	if (!ret)
		return 0;
	loom_graph_destroy(*to);
	*to = NULL;
	return ret;
}
