// SPDX-License-Identifier: MIT
/* Decides where the values of a graph live. See storage.h. */
#include "storage.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Limit on the nesting of concatenations whose operands are computed in an output. */
#define MAX_NESTED	32

/* Allocates the next free bytes of a slot. */
static void take_slot(struct loom_storage *storage, u32 slot, u64 size_bytes, u64 *offset)
{
	struct drm_loom_plan_slot *s = &storage->build->slots[slot];

	*offset = (s->size + LOOM_NEURON_ALIGN_BYTES - 1) / LOOM_NEURON_ALIGN_BYTES *
		  LOOM_NEURON_ALIGN_BYTES;
	s->size = *offset + size_bytes;
}

static bool one_slot_each(const struct loom_graph *graph)
{
	return (u64)graph->num_inputs + graph->num_outputs + 4 <= DRM_LOOM_MAX_SLOTS;
}

/*
 * Places an input in @slot, which is made on first use; if there are few inputs, each has a slot.
 */
static void place_input(struct loom_storage *storage, const struct loom_value *value, u32 *slot)
{
	struct loom_location *location = &storage->locations[value->id];

	if (!value->num_elems || location->kind == LOOM_LOCATION_INPUT || storage->build->status)
		return;
	if (*slot == LOOM_LOCATION_NO_TENSOR || one_slot_each(storage->graph))
		*slot = loom_storage_slot(storage, LOOM_SLOT_KIND_INPUT, DRM_LOOM_SLOT_READ);
	if (storage->build->status)
		return;
	loom_storage_set_root(location, LOOM_LOCATION_INPUT, value);
	location->slot = *slot;
	take_slot(storage, *slot, value->size_bytes, &location->offset);
}

static bool is_exchanged(const struct loom_graph_state *state)
{
	return state->places == LOOM_STATE_WHOLE;
}

/*
 * A state and its output exchange places by exchanging the bindings of both slots. If there are too
 * many for a slot each, all of them share a slot on either side, with the same offsets. Those that
 * are updated in place share one then, apart from inputs, so that sessions can share it.
 */
static void place_inputs(struct loom_storage *storage)
{
	const struct loom_graph *graph = storage->graph;
	u32 slot, exchanged, i;

	for (exchanged = 2; exchanged-- && !one_slot_each(graph);) {
		slot = LOOM_LOCATION_NO_TENSOR;
		for (i = 0; i < graph->num_states; i++)
			if (is_exchanged(&graph->states[i]) == exchanged)
				place_input(storage, graph->inputs[graph->states[i].input], &slot);
	}
	slot = LOOM_LOCATION_NO_TENSOR;
	for (i = 0; i < graph->num_inputs; i++)
		place_input(storage, graph->inputs[i], &slot);
}

/* Whether @value can be computed in the place of an output, as far as decided so far. */
static bool can_assign(const struct loom_storage *storage, const bool *observed,
		       const struct loom_value *value)
{
	return value->producer && value->num_elems && !value->is_output && !observed[value->id] &&
	       storage->locations[value->id].kind == LOOM_LOCATION_NONE;
}

/* The view @value of @owner (or @owner itself) if @owner is at @ref. */
static bool view_of(const struct loom_value *owner, const struct loom_value *value,
		    const struct loom_ref *ref, struct loom_ref *view)
{
	struct loom_ref from;

	if (value == owner) {
		*view = *ref;
		return true;
	}
	return view_of(owner, value->producer->inputs[0], ref, &from) &&
	       loom_storage_view(value->producer, &from, view);
}

static bool is_same(const struct loom_ref *a, const struct loom_ref *b)
{
	u32 i;

	if (a->rank != b->rank || a->offset != b->offset)
		return false;
	for (i = 0; i < a->rank; i++)
		if (a->dims[i] != b->dims[i] ||
		    (a->dims[i] > 1 && a->strides[i] != b->strides[i]))
			return false;
	return true;
}

/**
 * struct assigner - outputs that are computed in their final place
 * @storage: places of values
 * @observed: by value id: it is visible outside, in another place
 * @place: place of the output
 */
struct assigner {
	struct loom_storage *storage;
	const bool *observed;
	const struct loom_output_place *place;
};

/*
 * Finds the computed value that @value at @ref is a view of, and its place, @ref. NULL: there is
 * none, or other readers would see the elements in another order.
 */
static const struct loom_value *find_owner(const struct assigner *s, const struct loom_value *value,
					   struct loom_ref *ref, bool *own)
{
	const struct loom_value *owner = value;
	struct loom_ref want = *ref, from;

	while (owner->producer->op == LOOM_GOP_RESHAPE ||
	       owner->producer->op == LOOM_GOP_TRANSPOSE) {
		if (!loom_storage_unview(owner->producer, ref, &from))
			return NULL;
		owner = owner->producer->inputs[0];
		*ref = from;
		if (!can_assign(s->storage, s->observed, owner))
			return NULL;
		*own &= owner->num_uses == 1;
	}
	if (loom_storage_moves_only(owner->producer) || (!*own && !loom_ref_dense(ref)) ||
	    !view_of(owner, value, ref, &from) || !is_same(&from, &want))
		return NULL;
	return owner;
}

static void assign_operands(const struct assigner *s, const struct loom_value *whole, u32 depth);

/* Lets @owner be computed at @ref of the output; @holder: value whose place that is. */
static void assign(const struct assigner *s, const struct loom_value *owner,
		   const struct loom_ref *ref, u32 holder)
{
	struct loom_location *location = &s->storage->locations[owner->id];

	loom_storage_set_root(location, LOOM_LOCATION_OUTPUT, owner);
	location->ref = *ref;
	location->slot = s->place->slot;
	location->offset = s->place->offset;
	location->holder = holder;
}

static void assign_operand(const struct assigner *s, const struct loom_value *whole,
			   const struct loom_value *value, const struct loom_ref *part, u32 depth)
{
	const struct loom_location *location = &s->storage->locations[whole->id];
	struct loom_ref ref = *part;
	const struct loom_value *owner;
	bool own = true;

	if (!can_assign(s->storage, s->observed, value) || value->num_uses != 1)
		return;
	owner = find_owner(s, value, &ref, &own);
	if (!owner || !own)
		return;
	assign(s, owner, &ref, location->holder);
	s->storage->locations[owner->id].part_of = whole->id;
	assign_operands(s, owner, depth + 1);
}

/* If a concatenation is computed there and has no other readers, so are its operands. */
static void assign_operands(const struct assigner *s, const struct loom_value *whole, u32 depth)
{
	const struct loom_node *node = whole->producer;
	struct loom_ref part = s->storage->locations[whole->id].ref;
	u32 axis = node->concat.axis, i;

	if (node->op != LOOM_GOP_CONCAT || depth == MAX_NESTED)
		return;
	for (i = 0; i < node->num_inputs; i++) {
		part.dims[axis] = node->inputs[i]->dims[axis];
		assign_operand(s, whole, node->inputs[i], &part, depth);
		part.offset += (s64)part.dims[axis] * part.strides[axis];
	}
}

/* Whether a value is several outputs: all but the first are copied from it. */
static bool is_copied(const struct loom_graph *graph, const struct loom_value *value)
{
	u32 count = 0, i;

	for (i = 0; i < graph->num_outputs; i++)
		count += graph->outputs[i] == value;
	return count > 1;
}

/* Lets an output, or the value it is a view of, be computed in the output's slot. */
static void place_output(const struct assigner *s, const struct loom_value *value)
{
	struct loom_location *location = &s->storage->locations[value->id];
	const struct loom_value *owner = NULL;
	bool own = !value->num_uses && !is_copied(s->storage->graph, value);
	struct loom_ref ref;

	loom_storage_set_root(location, LOOM_LOCATION_NONE, value);
	ref = location->ref;
	if (value->producer)
		owner = find_owner(s, value, &ref, &own);
	if (!owner) {
		assign(s, value, &location->ref, value->id);
		return;
	}
	/* marks the output as decided; the view is made with its node */
	location->kind = LOOM_LOCATION_VIEW;
	assign(s, owner, &ref, owner->id);
	if (own)
		assign_operands(s, owner, 0);
}

/* As place_input(). */
static void take_output(struct loom_storage *storage, u32 index, u32 *slot)
{
	const struct loom_value *value = storage->graph->outputs[index];
	struct loom_output_place *place = &storage->outputs[index];

	if (!value->num_elems || place->slot != LOOM_LOCATION_NO_TENSOR || storage->build->status)
		return;
	if (*slot == LOOM_LOCATION_NO_TENSOR || one_slot_each(storage->graph))
		*slot = loom_storage_slot(storage, LOOM_SLOT_KIND_OUTPUT, DRM_LOOM_SLOT_WRITE);
	if (storage->build->status)
		return;
	place->slot = *slot;
	take_slot(storage, *slot, value->size_bytes, &place->offset);
}

static void take_outputs(struct loom_storage *storage)
{
	const struct loom_graph *graph = storage->graph;
	u32 slot = LOOM_LOCATION_NO_TENSOR, i;

	for (i = 0; i < graph->num_outputs; i++)
		storage->outputs[i].slot = LOOM_LOCATION_NO_TENSOR;
	for (i = 0; i < graph->num_states && !one_slot_each(graph); i++)
		if (is_exchanged(&graph->states[i]))
			take_output(storage, graph->states[i].output, &slot);
	slot = LOOM_LOCATION_NO_TENSOR;
	for (i = 0; i < graph->num_outputs; i++)
		take_output(storage, i, &slot);
}

static void place_outputs(struct loom_storage *storage, const bool *observed)
{
	const struct loom_graph *graph = storage->graph;
	u32 i;

	take_outputs(storage);
	for (i = 0; i < graph->num_outputs && !storage->build->status; i++) {
		const struct loom_value *value = graph->outputs[i];
		struct loom_output_place *place = &storage->outputs[i];
		struct loom_location *location = &storage->locations[value->id];

		if (!value->num_elems)
			continue;
		if (location->kind != LOOM_LOCATION_NONE) {
			storage->copies[storage->num_copies].value = value;
			storage->copies[storage->num_copies++].output = i;
			continue;
		}
		place_output(&(struct assigner){ storage, observed, place }, value);
	}
}

/* A value that was fused into another node or folded is in the graph, but computed by no node. */
static bool is_computed(const struct loom_graph *graph, const struct loom_value *value)
{
	u32 i;

	for (i = 0; i < graph->num_nodes; i++)
		if (graph->nodes[i]->output == value)
			return true;
	for (i = 0; i < graph->num_inputs; i++)
		if (graph->inputs[i] == value)
			return true;
	for (i = 0; i < graph->num_outputs; i++)
		if (graph->outputs[i] == value)
			return true;
	return false;
}

static int find_observed(const struct loom_storage *storage,
			 const struct loom_storage_options *options, bool *observed,
			 struct loom_error *err)
{
	const struct loom_graph *graph = storage->graph;
	u32 i, k;

	for (i = 0; i < graph->num_nodes && options->observe_all; i++)
		observed[graph->nodes[i]->output->id] = true;
	for (i = 0; i < options->num_observe; i++) {
		bool found = false;

		for (k = 0; k < graph->num_values; k++) {
			const struct loom_value *value = graph->values[k];

			if (!value->name || strcmp(value->name, options->observe[i]))
				continue;
			found = true;
			if (!is_computed(graph, value))
				return loom_error_set(err, -EINVAL,
						      "no node of the graph computes '%s' by itself, so that it cannot be observed",
						      value->name);
			if (value->producer)
				observed[value->id] = true;
		}
		if (!found)
			return loom_error_set(err, -EINVAL,
					      "the graph has no value '%s' to observe",
					      options->observe[i]);
	}
	for (i = 0; i < graph->num_outputs; i++)
		observed[graph->outputs[i]->id] = false;
	return 0;
}

/* Decides for results, in the order of nodes: observed, a view, an image or the arena. */
static void place_results(struct loom_storage *storage, const bool *observed)
{
	const struct loom_graph *graph = storage->graph;
	u32 slot = LOOM_LOCATION_NO_TENSOR, i;

	for (i = 0; i < graph->num_nodes && !storage->build->status; i++) {
		const struct loom_node *node = graph->nodes[i];
		const struct loom_value *y = node->output;
		struct loom_location *location = &storage->locations[y->id], *from;

		if (!y->num_elems || location->kind == LOOM_LOCATION_OUTPUT)
			continue;
		if (observed[y->id]) {
			if (slot == LOOM_LOCATION_NO_TENSOR)
				slot = loom_storage_slot(storage, LOOM_SLOT_KIND_OBSERVED,
							 DRM_LOOM_SLOT_WRITE);
			if (storage->build->status)
				return;
			loom_storage_set_root(location, LOOM_LOCATION_OUTPUT, y);
			location->slot = slot;
			take_slot(storage, slot, y->size_bytes, &location->offset);
			storage->observed[storage->num_observed++] = y;
			continue;
		}
		if (loom_storage_moves_only(node)) {
			from = &storage->locations[node->inputs[0]->id];
			if (from->kind == LOOM_LOCATION_NONE && node->inputs[0]->data)
				loom_storage_set_root(from, LOOM_LOCATION_WEIGHT, node->inputs[0]);
			if (loom_storage_view(node, &from->ref, &location->ref)) {
				location->kind = LOOM_LOCATION_VIEW;
				location->root = from->root;
				continue;
			}
		}
		loom_storage_set_root(location, LOOM_LOCATION_ARENA, y);
		/* a reshape that is no view must be dense: no image */
		if (!storage->in_sram && !loom_storage_moves_only(node) &&
		    loom_image_claim(storage, y))
			continue;
		storage->num_neurons++;
		storage->neuron_bytes += y->size_bytes;
	}
}

static int place_all(struct loom_storage *storage, const struct loom_storage_options *options,
		     struct loom_error *err)
{
	bool *observed = calloc((size_t)storage->graph->num_values + 1, sizeof(*observed));
	int ret;

	if (!observed)
		return -ENOMEM;
	ret = find_observed(storage, options, observed, err);
	if (!ret) {
		place_inputs(storage);
		place_outputs(storage, observed);
		place_results(storage, observed);
		if (options->join != LOOM_JOIN_NONE)
			ret = loom_storage_join(storage, options->join);
	}
	if (!ret)
		ret = storage->build->status;
	if (!ret)
		loom_storage_keep_order(storage);
	if (!ret && options->reorder)
		ret = loom_storage_order(storage);
	free(observed);
	return ret;
}

/* Finds constants that copies read: no command copies between ROM and DRAM. */
static int find_copied(struct loom_storage *storage)
{
	const struct loom_graph *graph = storage->graph;
	u32 i, k;

	/* constants for the SRAM are loaded, even if they are copied on other chips */
	if (!storage->in_rom || storage->in_sram)
		return 0;
	storage->copied = calloc((size_t)graph->num_values + 1, sizeof(*storage->copied));
	if (!storage->copied)
		return -ENOMEM;
	for (i = 0; i < graph->num_nodes; i++) {
		const struct loom_node *node = graph->nodes[i];

		if (!loom_storage_moves_only(node) && node->op != LOOM_GOP_CONCAT &&
		    node->op != LOOM_GOP_PAD)
			continue;
		for (k = 0; k < node->num_inputs; k++)
			if (node->inputs[k]->data)
				storage->copied[node->inputs[k]->id] = true;
	}
	return 0;
}

int loom_storage_init(struct loom_storage *storage, const struct loom_graph *graph,
		      struct loom_build *build, const struct loom_storage_options *options,
		      struct loom_error *err)
{
	u32 i;

	memset(storage, 0, sizeof(*storage));
	storage->graph = graph;
	storage->build = build;
	storage->weights_slot = LOOM_LOCATION_NO_TENSOR;
	storage->copied_slot = LOOM_LOCATION_NO_TENSOR;
	storage->in_sram = options->in_sram;
	storage->in_rom = options->in_rom;
	storage->locations = calloc((size_t)graph->num_values + 1, sizeof(*storage->locations));
	storage->weights = calloc((size_t)graph->num_values + 1, sizeof(*storage->weights));
	storage->observed = calloc((size_t)graph->num_values + 1, sizeof(*storage->observed));
	storage->outputs = calloc((size_t)graph->num_outputs + 1, sizeof(*storage->outputs));
	storage->copies = calloc((size_t)graph->num_outputs + 1, sizeof(*storage->copies));
	storage->nodes = calloc((size_t)graph->num_nodes + 1, sizeof(*storage->nodes));
	if (!storage->locations || !storage->weights || !storage->observed || !storage->outputs ||
	    !storage->copies || !storage->nodes)
		return -ENOMEM;
	for (i = 0; i < graph->num_values; i++) {
		storage->locations[i].tensor = LOOM_LOCATION_NO_TENSOR;
		storage->locations[i].item = LOOM_PLACE_NONE;
		storage->locations[i].root = i;
		storage->locations[i].holder = i;
		storage->locations[i].axes = i;
	}
	if (find_copied(storage))
		return -ENOMEM;
	return place_all(storage, options, err);
}

void loom_storage_finish(struct loom_storage *storage)
{
	if (storage->weights_slot != LOOM_LOCATION_NO_TENSOR)
		storage->build->slots[storage->weights_slot].size = storage->weights_end;
	if (storage->copied_slot != LOOM_LOCATION_NO_TENSOR)
		storage->build->slots[storage->copied_slot].size = storage->copied_end;
}

void loom_storage_clear(struct loom_storage *storage)
{
	free(storage->locations);
	free(storage->weights);
	free(storage->observed);
	free(storage->outputs);
	free(storage->copies);
	free(storage->nodes);
	free(storage->span_first);
	free(storage->span_last);
	free(storage->copied);
	free(storage->neurons);
	free(storage->pools);
	memset(storage, 0, sizeof(*storage));
}
