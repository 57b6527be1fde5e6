// SPDX-License-Identifier: MIT
/*
 * Matrices of products, turned around. A product that is cut by columns loads a short piece of each
 * row of its matrix, and DRAM that works in bursts moves more bytes than these. In the transpose,
 * the elements of some columns follow each other. The bits of the product are the same.
 */
#include "rewrite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/pass.h"

/* Rows and columns that are copied together, because elements of a column are far apart. */
#define TILE	64

/*
 * Whether the matrix of a node is a constant that should be turned: whole columns fit, two at a
 * time. Where a column is loaded in parts, these are the short pieces. @sram_bytes: of all lanes
 */
static bool is_short(const struct loom_node *node, const struct drm_loom_chip *chip, u64 sram_bytes)
{
	const struct loom_value *b;
	u64 column;
	u32 bytes;

	if (node->op != LOOM_GOP_MATMUL || node->matmul.trans_b ||
	    !loom_chip_has(chip, DRM_LOOM_OP_MATMUL))
		return false;
	b = node->inputs[LOOM_GMATMUL_B];
	bytes = loom_dtype_stride(b->dtype);
	if (!b->data || b->held || b->rank < 2 || b->num_uses != 1 || bytes > 4)
		return false;
	column = (u64)b->dims[b->rank - 2] * bytes;
	return b->size_bytes > sram_bytes && column <= sram_bytes / 2 &&
	       column >= chip->region[DRM_LOOM_REGION_DRAM].burst_bytes;
}

static inline void turn_tile(char *to, const char *from, const s64 *dims, s64 row, s64 column,
			     size_t bytes)
{
	const s64 end = min(row + TILE, dims[0]), last = min(column + TILE, dims[1]);
	s64 i, k;

	for (i = column; i < last; i++)
		for (k = row; k < end; k++)
			memcpy(to + (i * dims[0] + k) * bytes, from + (k * dims[1] + i) * bytes,
			       bytes);
}

static void turn_matrix(char *to, const char *from, const s64 *dims, size_t bytes)
{
	s64 row, column;

	for (column = 0; column < dims[1]; column += TILE)
		for (row = 0; row < dims[0]; row += TILE)
			/* constants, so that a copy is one instruction */
			if (bytes == 1)
				turn_tile(to, from, dims, row, column, 1);
			else if (bytes == 2)
				turn_tile(to, from, dims, row, column, 2);
			else
				turn_tile(to, from, dims, row, column, 4);
}

/* Turns the matrices of @b, one by one; @spare, for one of them, if @to are its own elements. */
static void turn_all(char *to, const struct loom_value *b, char *spare)
{
	const s64 *dims = &b->dims[b->rank - 2];
	const u32 bytes = loom_dtype_stride(b->dtype);
	const size_t step = (size_t)dims[0] * dims[1] * bytes;
	const char *from = b->data;
	size_t at;

	for (at = 0; at < b->size_bytes; at += step) {
		if (spare)
			memcpy(spare, from + at, step);
		turn_matrix(to + at, spare ? spare : from + at, dims, bytes);
	}
}

/* The graph may change the elements of its constant. */
static int turn_own(struct loom_value *b)
{
	s64 *dims = &b->dims[b->rank - 2], columns = dims[1];
	char *spare = malloc((size_t)dims[0] * loom_dtype_row_bytes(b->dtype, columns));

	if (!spare)
		return -ENOMEM;
	turn_all(b->data, b, spare);
	free(spare);
	dims[1] = dims[0];
	dims[0] = columns;
	return 0;
}

static int turn_copy(struct loom_graph *graph, struct loom_node *node)
{
	const struct loom_value *b = node->inputs[LOOM_GMATMUL_B];
	s64 dims[LOOM_GRAPH_RANK];
	struct loom_value *to;

	memcpy(dims, b->dims, sizeof(dims));
	dims[b->rank - 2] = b->dims[b->rank - 1];
	dims[b->rank - 1] = b->dims[b->rank - 2];
	to = loom_value_create(graph, b->name, b->dtype, b->rank, dims);
	if (!to || loom_value_alloc(graph, to))
		return -ENOMEM;
	turn_all(to->data, b, NULL);
	node->inputs[LOOM_GMATMUL_B] = to;
	return 0;
}

int loom_rewrite_turn(const struct loom_graph *from, const struct drm_loom_chip *chip,
		      u64 sram_bytes, const bool *own, struct loom_graph **to)
{
	struct loom_node *node;
	u32 i, id;
	int ret = 0;

	if (chip->region[DRM_LOOM_REGION_DRAM].burst_bytes < 2)
		return 0;
	sram_bytes *= chip->region[DRM_LOOM_REGION_SRAM].banks;
	for (i = 0; i < from->num_nodes; i++)
		if (is_short(from->nodes[i], chip, sram_bytes))
			break;
	if (i == from->num_nodes)
		return 0;
	if (!*to)
		ret = loom_rewrite_clone(from, to);
	for (; !ret && i < (*to)->num_nodes; i++) {
		node = (*to)->nodes[i];
		if (!is_short(node, chip, sram_bytes))
			continue;
		id = node->inputs[LOOM_GMATMUL_B]->id;
		ret = own && own[id] ? turn_own((*to)->values[id]) : turn_copy(*to, node);
		node->matmul.trans_b = true;
	}
	return ret ? ret : loom_graph_prune(*to);
}
