// SPDX-License-Identifier: MIT
/*
 * DOC: Integers that are computed once
 *
 * Exporters compute the same indices and masks in each layer: a decoder writes keys and values of
 * all layers at the same positions, and each ScatterND brings those into its own range. A node
 * whose result is BOOL or of integers of 32 bits or more, and whose operator, attributes and
 * operands are those of an earlier one, is replaced by that one. Constants are the same operand if
 * they have the same type, dimensions and elements.
 *
 * Rejected: floats and small integers, too. Their values are layers, and to keep one from a layer
 * to a later one takes more of the SRAM than to compute it again.
 */
#include "pass.h"

#include <errno.h>
#include <string.h>

#include "base/dtype.h"
#include "loom_core.h"

/* Constants with more bytes are compared by their identity. */
#define SMALL_BYTES	256

static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static bool is_small(const struct loom_value *value)
{
	return value->data && !value->held && !value->is_output &&
	       value->size_bytes <= SMALL_BYTES;
}

static uint64_t hash_operand(uint64_t hash, const struct loom_value *value)
{
	const uint8_t *bytes = value->data;
	size_t i;

	if (!is_small(value))
		return mix(hash, value->id);
	hash = mix(hash, value->dtype);
	for (i = 0; i < value->size_bytes; i++)
		hash = mix(hash, bytes[i]);
	return hash;
}

static bool is_same_operand(const struct loom_value *a, const struct loom_value *b)
{
	if (a == b)
		return true;
	return is_small(a) && is_small(b) && a->dtype == b->dtype && a->bits == b->bits &&
	       loom_dims_equal(a, b) && !memcmp(a->data, b->data, a->size_bytes);
}

static bool is_shared(const struct loom_node *node)
{
	const struct loom_value *y = node->output;

	switch (node->op) {
	case LOOM_GOP_BINARY:
	case LOOM_GOP_SELECT:
	case LOOM_GOP_CAST:
	case LOOM_GOP_RESHAPE:
	case LOOM_GOP_EXPAND:
	case LOOM_GOP_TRANSPOSE:
	case LOOM_GOP_SLICE:
		break;
	default:
		return false;
	}
	return (y->dtype == DRM_LOOM_DTYPE_BOOL || loom_dtype_size(y->dtype) >= 4) &&
	       !loom_dtype_is_float(y->dtype) && node->act.fn == LOOM_GFN_NONE;
}

static bool is_same(const struct loom_node *a, const struct loom_node *b)
{
	uint32_t i;

	if (a->op != b->op || a->num_inputs != b->num_inputs ||
	    a->output->dtype != b->output->dtype || a->output->scope != b->output->scope ||
	    !loom_dims_equal(a->output, b->output))
		return false;
	if ((a->op == LOOM_GOP_BINARY && a->binary.fn != b->binary.fn) ||
	    (a->op == LOOM_GOP_TRANSPOSE &&
	     memcmp(a->transpose.perm, b->transpose.perm,
		    a->output->rank * sizeof(*a->transpose.perm))) ||
	    (a->op == LOOM_GOP_SLICE &&
	     (memcmp(a->slice.start, b->slice.start, a->output->rank * sizeof(*a->slice.start)) ||
	      memcmp(a->slice.step, b->slice.step, a->output->rank * sizeof(*a->slice.step)))))
		return false;
	for (i = 0; i < a->num_inputs; i++)
		if (!is_same_operand(a->inputs[i], b->inputs[i]))
			return false;
	return true;
}

/* Notes of values are of those that replace them now. */
static void update_notes(struct loom_graph *graph, struct loom_value *const *now)
{
	uint32_t i, k;

	for (i = 0; i < graph->num_updates; i++) {
		struct loom_graph_update *update = &graph->updates[i];
		struct loom_value **values[] = {
			&update->value, &update->base, &update->rows, &update->places,
		};

		for (k = 0; k < ARRAY_SIZE(values); k++)
			if (now[(*values[k])->id])
				*values[k] = now[(*values[k])->id];
	}
}

int loom_graph_share_integers(struct loom_graph *graph)
{
	uint32_t mask = 15, i, k, *buckets, *next;
	struct loom_value **now;

	while (mask < graph->num_nodes)
		mask = mask * 2 + 1;
	buckets = loom_pool_array(graph->pool, mask + 1, sizeof(*buckets));
	next = loom_pool_array(graph->pool, graph->num_nodes + 1, sizeof(*next));
	now = loom_pool_array(graph->pool, graph->num_values + 1, sizeof(struct loom_value *));
	if (!buckets || !next || !now)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	for (i = 0; i < graph->num_nodes; i++) {
		struct loom_node *node = graph->nodes[i];
		uint64_t hash = node->op;

		for (k = 0; k < node->num_inputs; k++)
			if (node->inputs[k] && now[node->inputs[k]->id])
				node->inputs[k] = now[node->inputs[k]->id];
		if (!is_shared(node))
			continue;
		for (k = 0; k < node->num_inputs; k++)
			hash = hash_operand(hash, node->inputs[k]);
		hash = hash >> 32 & mask;
		for (k = buckets[hash]; k; k = next[k - 1])
			if (is_same(node, graph->nodes[k - 1]))
				break;
		if (k && !node->output->is_output)
			now[node->output->id] = graph->nodes[k - 1]->output;
		if (k)
			continue;
		next[i] = buckets[hash];
		buckets[hash] = i + 1;
	}
	update_notes(graph, now);
	return 0;
}
