// SPDX-License-Identifier: MIT
/*
 * Operands of a concatenation computed where they end up: they are parts of its result, and the
 * CONCAT itself has nothing to do for them. From the last concatenation to the first, so that a
 * part of a part is a part of the whole.
 *
 * An operand that was made long before stays a value of its own: it would make room for the whole
 * from then on, and what has to be in SRAM for as long would be the whole, too.
 */
#include "storage.h"

/* Nodes between the two. */
#define LONG_BEFORE	16

static bool reads_once(const struct loom_node *node, const struct loom_value *value)
{
	u32 count = 0, i;

	for (i = 0; i < node->num_inputs; i++)
		count += node->inputs[i] == value;
	return count == 1;
}

static void join_operands(struct loom_storage *storage, const struct loom_node *node)
{
	const struct loom_location *whole = &storage->locations[node->output->id];
	u32 axis = node->concat.axis, i;
	u64 at = 0;

	if (whole->kind != LOOM_LOCATION_ARENA && whole->kind != LOOM_LOCATION_OUTPUT &&
	    whole->kind != LOOM_LOCATION_PART)
		return;
	for (i = 0; i < node->num_inputs; i++) {
		const struct loom_value *value = node->inputs[i];
		struct loom_location *location = &storage->locations[value->id];
		u64 here = at;

		at += value->dims[axis];
		if (location->kind != LOOM_LOCATION_ARENA || !value->num_elems ||
		    loom_storage_moves_only(value->producer) || !reads_once(node, value) ||
		    node->source > value->producer->source + LONG_BEFORE)
			continue;
		location->kind = LOOM_LOCATION_PART;
		location->part_of = node->output->id;
		location->root = whole->root;
		location->ref = whole->ref;
		location->ref.offset += (s64)here * whole->ref.strides[axis];
		location->ref.dims[axis] = value->dims[axis];
		storage->num_neurons--;
		storage->neuron_bytes -= value->size_bytes;
	}
}

/* Views of what has moved. One that cannot be said any more is a value of its own. */
static void look_again(struct loom_storage *storage, const struct loom_node *node)
{
	struct loom_location *location = &storage->locations[node->output->id];
	const struct loom_location *from;

	if (location->kind != LOOM_LOCATION_VIEW)
		return;
	from = &storage->locations[node->inputs[0]->id];
	if (loom_storage_view(node, &from->ref, &location->ref)) {
		location->root = from->root;
		return;
	}
	location->ref = (struct loom_ref){ .offset = 0 };
	loom_storage_set_root(location, LOOM_LOCATION_ARENA, node->output);
	storage->num_neurons++;
	storage->neuron_bytes += node->output->size_bytes;
}

void loom_storage_join(struct loom_storage *storage)
{
	const struct loom_graph *graph = storage->graph;
	u32 i;

	for (i = graph->num_nodes; i-- > 0;)
		if (graph->nodes[i]->op == LOOM_GOP_CONCAT && graph->nodes[i]->output->num_elems)
			join_operands(storage, graph->nodes[i]);
	for (i = 0; i < graph->num_nodes; i++)
		if (loom_storage_moves_only(graph->nodes[i]))
			look_again(storage, graph->nodes[i]);
}
