// SPDX-License-Identifier: MIT
/*
 * Operands of a concatenation are computed in their final place: they become parts of its result,
 * and the CONCAT does not copy them. Concatenations are visited from the last to the first, so that
 * a part of a part is a part of the whole.
 *
 * The same holds for the operand of a RESHAPE that is no view of it, such as one that joins the
 * heads of an attention: if the operand is a transposed value without other readers, its node
 * writes into the place of the result, in that order of elements.
 *
 * Joining has a cost. The whole result is allocated from its first part on, in the arena or in
 * SRAM; groups treat it as one value, which cannot stay in SRAM over a cut between its parts. The
 * operands that are joined are an option, and the planner tries several (planner/alternatives.c),
 * none of which is best for all networks.
 */
#include "storage.h"

#include <errno.h>
#include <stdlib.h>

/* Limit on the nodes between an operand's producer and the CONCAT for the operand to be near. */
#define NEAR	16

static bool reads_once(const struct loom_node *node, const struct loom_value *value)
{
	u32 count = 0, i;

	for (i = 0; i < node->num_inputs; i++)
		count += node->inputs[i] == value;
	return count == 1;
}

/*
 * By id of the result: the position of each node in the planned order. Its position in the model's
 * file is irrelevant, because the same model may be written in any order. NULL: no memory.
 */
static u32 *find_places(const struct loom_graph *graph)
{
	u32 *places = calloc((size_t)graph->num_values + 1, sizeof(*places)), i;

	for (i = 0; i < graph->num_nodes && places; i++)
		places[graph->nodes[i]->output->id] = i;
	return places;
}

/*
 * Whether operand @value of a CONCAT should be part of its result, as far as the graph determines
 * it.
 */
static bool is_joined(const struct loom_node *node, const struct loom_value *value,
		      enum loom_storage_join join, const u32 *places)
{
	if (!value->producer || !value->num_elems || loom_storage_moves_only(value->producer) ||
	    !reads_once(node, value) || join == LOOM_JOIN_NONE)
		return false;
	if (join == LOOM_JOIN_OWN && value->num_uses > 1)
		return false;
	return join == LOOM_JOIN_FAR || places[node->output->id] <= places[value->id] + NEAR;
}

/*
 * The computed value that @whole copies the elements of, in another order, and its place in @whole,
 * @ref. NULL: there is none, it has other readers, or @whole is a view of it anyway.
 */
static const struct loom_value *find_source(const struct loom_value *whole, struct loom_ref *ref)
{
	const struct loom_value *value = whole;
	struct loom_location place = { .kind = LOOM_LOCATION_NONE };
	bool turned = false;

	if (whole->producer->op != LOOM_GOP_RESHAPE || !whole->num_elems)
		return NULL;
	loom_storage_set_root(&place, LOOM_LOCATION_ARENA, whole);
	while (value->producer->op == LOOM_GOP_RESHAPE ||
	       value->producer->op == LOOM_GOP_TRANSPOSE) {
		if (!loom_storage_unview(value->producer, &place.ref, ref))
			return NULL;
		place.ref = *ref;
		turned |= value->producer->op == LOOM_GOP_TRANSPOSE;
		value = value->producer->inputs[0];
		if (!value->producer || value->num_uses != 1 || value->is_output)
			return NULL;
	}
	return turned && !loom_storage_moves_only(value->producer) && !loom_ref_dense(ref) ? value :
											     NULL;
}

bool loom_storage_joins_sources(const struct loom_graph *graph)
{
	struct loom_ref ref;
	u32 i;

	for (i = 0; i < graph->num_nodes; i++)
		if (find_source(graph->nodes[i]->output, &ref))
			return true;
	return false;
}

bool loom_storage_joins_differ(const struct loom_graph *graph, enum loom_storage_join a,
			       enum loom_storage_join b)
{
	u32 *places = find_places(graph), i, k;
	/* without memory, both are tried */
	bool differ = !places;

	for (i = 0; i < graph->num_nodes && !differ; i++) {
		const struct loom_node *node = graph->nodes[i];

		for (k = 0; k < node->num_inputs && node->op == LOOM_GOP_CONCAT; k++)
			differ |= is_joined(node, node->inputs[k], a, places) !=
				  is_joined(node, node->inputs[k], b, places);
	}
	free(places);
	return differ || ((a == LOOM_JOIN_NONE) != (b == LOOM_JOIN_NONE) &&
			  loom_storage_joins_sources(graph));
}

static void join_operands(struct loom_storage *storage, const struct loom_node *node,
			  enum loom_storage_join join, const u32 *places)
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
		if (location->kind != LOOM_LOCATION_ARENA || !is_joined(node, value, join, places))
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

/* Lets the operand of a RESHAPE be computed in its result. Views of it are updated later. */
static void join_source(struct loom_storage *storage, const struct loom_value *whole)
{
	struct loom_location *location = &storage->locations[whole->id], *part;
	const struct loom_value *source, *value;
	struct loom_ref ref;

	if (location->kind != LOOM_LOCATION_ARENA)
		return;
	source = find_source(whole, &ref);
	if (!source || storage->locations[source->id].kind != LOOM_LOCATION_ARENA)
		return;
	value = whole->producer->inputs[0];
	for (; value != source; value = value->producer->inputs[0])
		if (storage->locations[value->id].kind != LOOM_LOCATION_VIEW)
			return;
	part = &storage->locations[source->id];
	part->kind = LOOM_LOCATION_PART;
	part->part_of = whole->id;
	part->root = whole->id;
	part->ref = ref;
	location->axes = source->id;
	storage->num_neurons--;
	storage->neuron_bytes -= source->size_bytes;
}

/* Updates a view of a value that has moved. If strides cannot express it now, it gets bytes. */
static void update_view(struct loom_storage *storage, const struct loom_node *node)
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

int loom_storage_join(struct loom_storage *storage, enum loom_storage_join join)
{
	const struct loom_graph *graph = storage->graph;
	u32 *places = find_places(graph), i;

	if (!places)
		return -ENOMEM;
	for (i = graph->num_nodes; i-- > 0;)
		join_source(storage, graph->nodes[i]->output);
	for (i = graph->num_nodes; i-- > 0;)
		if (graph->nodes[i]->op == LOOM_GOP_CONCAT && graph->nodes[i]->output->num_elems)
			join_operands(storage, graph->nodes[i], join, places);
	for (i = 0; i < graph->num_nodes; i++)
		if (loom_storage_moves_only(graph->nodes[i]))
			update_view(storage, graph->nodes[i]);
	free(places);
	return 0;
}
