// SPDX-License-Identifier: MIT
/* Where the values of a graph live. See storage.h. */
#include "storage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHT_ALIGN	4096

static int fail(struct loom_error *err, int code, const char *text, const char *name)
{
	if (err)
		snprintf(err->text, sizeof(err->text), text, name);
	return code;
}

bool loom_storage_moves_only(const struct loom_node *node)
{
	switch (node->op) {
	case LOOM_GOP_RESHAPE:
	case LOOM_GOP_TRANSPOSE:
	case LOOM_GOP_SLICE:
	case LOOM_GOP_EXPAND:
		return true;
	default:
		return false;
	}
}

/* A value of its own, row-major. */
void loom_storage_set_root(struct loom_location *location, enum loom_location_kind kind,
			   const struct loom_value *value)
{
	u32 elem = loom_dtype_bytes(value->dtype), i;
	s64 stride = elem;

	location->kind = kind;
	location->root = value->id;
	/* what a view that could not be said left there is gone */
	location->ref = (struct loom_ref){ .dtype = value->dtype, .rank = value->rank };
	for (i = value->rank; i-- > 0;) {
		location->ref.dims[i] = value->dims[i];
		location->ref.strides[i] = stride;
		stride *= value->dims[i];
	}
	if (!value->rank) {
		location->ref.rank = 1;
		location->ref.dims[0] = 1;
		location->ref.strides[0] = elem;
	}
}

bool loom_storage_view(const struct loom_node *node, const struct loom_ref *operand,
		       struct loom_ref *ref)
{
	const struct loom_value *y = node->output;
	u64 dims[LOOM_GRAPH_RANK];
	u32 lead, i;

	*ref = *operand;
	switch (node->op) {
	case LOOM_GOP_RESHAPE:
		for (i = 0; i < y->rank; i++)
			dims[i] = y->dims[i];
		return loom_ref_reshape(ref, y->rank, dims);
	case LOOM_GOP_TRANSPOSE:
		for (i = 0; i < y->rank; i++) {
			ref->dims[i] = operand->dims[node->transpose.perm[i]];
			ref->strides[i] = operand->strides[node->transpose.perm[i]];
		}
		return true;
	case LOOM_GOP_SLICE:
		for (i = 0; i < y->rank; i++) {
			ref->offset += node->slice.start[i] * operand->strides[i];
			ref->dims[i] = y->dims[i];
			ref->strides[i] = operand->strides[i] * node->slice.step[i];
		}
		return true;
	case LOOM_GOP_EXPAND:
		while (ref->rank < y->rank)
			loom_ref_insert(ref, 0);
		lead = ref->rank - y->rank;	/* 1 where a scalar stays one */
		for (i = 0; i < y->rank; i++) {
			if (ref->dims[i + lead] != (u64)y->dims[i])
				ref->strides[i + lead] = 0;
			ref->dims[i + lead] = y->dims[i];
		}
		return true;
	default:
		return false;
	}
}

/* The next free bytes of a slot. */
static void take_slot(struct loom_storage *storage, u32 slot, u64 size_bytes, u64 *offset)
{
	struct drm_loom_plan_slot *s = &storage->build->slots[slot];

	*offset = (s->size + LOOM_NEURON_ALIGN_BYTES - 1) / LOOM_NEURON_ALIGN_BYTES *
		  LOOM_NEURON_ALIGN_BYTES;
	s->size = *offset + size_bytes;
}

u32 loom_storage_slot(struct loom_storage *storage, enum loom_slot_kind kind, u32 flags)
{
	u32 slot = loom_build_slot(storage->build, 0, flags);

	if (!storage->build->status && slot < DRM_LOOM_MAX_SLOTS)
		storage->slot_kinds[slot] = kind;
	return slot;
}

static bool one_slot_each(const struct loom_graph *graph)
{
	return (u64)graph->num_inputs + graph->num_outputs + 3 <= DRM_LOOM_MAX_SLOTS;
}

static void place_inputs(struct loom_storage *storage)
{
	u32 slot = LOOM_LOCATION_NO_TENSOR, i;

	for (i = 0; i < storage->graph->num_inputs && !storage->build->status; i++) {
		const struct loom_value *value = storage->graph->inputs[i];
		struct loom_location *location = &storage->locations[value->id];

		if (!value->num_elems)
			continue;
		if (slot == LOOM_LOCATION_NO_TENSOR || one_slot_each(storage->graph))
			slot = loom_storage_slot(storage, LOOM_SLOT_KIND_INPUT, DRM_LOOM_SLOT_READ);
		if (storage->build->status)
			return;
		loom_storage_set_root(location, LOOM_LOCATION_INPUT, value);
		location->slot = slot;
		take_slot(storage, slot, value->size_bytes, &location->offset);
	}
}

/*
 * The value that is to be computed into an output's place: the output itself, or what it is a
 * plain reshape of, if nobody else has a claim on that.
 */
static const struct loom_value *claim(const struct loom_storage *storage, const bool *observed,
				      const struct loom_value *output)
{
	const struct loom_value *value = output;

	while (value->producer && value->producer->op == LOOM_GOP_RESHAPE) {
		value = value->producer->inputs[0];
		if (!value->producer || value->is_output || observed[value->id] ||
		    storage->locations[value->id].kind != LOOM_LOCATION_NONE)
			return output;
	}
	if (value != output && loom_storage_moves_only(value->producer))
		return output;
	return value;
}

static void place_outputs(struct loom_storage *storage, const bool *observed)
{
	const struct loom_graph *graph = storage->graph;
	bool each = one_slot_each(graph);
	u32 slot = LOOM_LOCATION_NO_TENSOR, i;

	for (i = 0; i < graph->num_outputs && !storage->build->status; i++) {
		const struct loom_value *value = graph->outputs[i];
		struct loom_output_place *place = &storage->outputs[i];
		const struct loom_value *owner;
		struct loom_location *location;

		place->slot = LOOM_LOCATION_NO_TENSOR;
		if (!value->num_elems)
			continue;
		if (slot == LOOM_LOCATION_NO_TENSOR || each)
			slot = loom_storage_slot(storage, LOOM_SLOT_KIND_OUTPUT,
						 DRM_LOOM_SLOT_WRITE);
		if (storage->build->status)
			return;
		place->slot = slot;
		take_slot(storage, slot, value->size_bytes, &place->offset);
		owner = claim(storage, observed, value);
		location = &storage->locations[value->id];
		if (location->kind != LOOM_LOCATION_NONE) {
			storage->copies[storage->num_copies].value = value;
			storage->copies[storage->num_copies++].output = i;
			continue;
		}
		if (owner != value) {
			/* a mark that it is taken; the view is made when its node comes */
			location->kind = LOOM_LOCATION_VIEW;
			location = &storage->locations[owner->id];
		}
		loom_storage_set_root(location, LOOM_LOCATION_OUTPUT, owner);
		location->slot = place->slot;
		location->offset = place->offset;
	}
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
			if (value->producer)
				observed[value->id] = true;
		}
		if (!found)
			return fail(err, -EINVAL, "the graph has no value '%s' to observe",
				    options->observe[i]);
	}
	for (i = 0; i < graph->num_outputs; i++)
		observed[graph->outputs[i]->id] = false;
	return 0;
}

/* Nodes in order: who is a view, who is observed, who goes to the arena. */
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
		/* a reshape that is no view has to be dense */
		if (!loom_storage_moves_only(node) && loom_image_claim(storage, y))
			continue;
		storage->num_neurons++;
		storage->neuron_bytes += y->size_bytes;
	}
}

static void arena_item(struct loom_storage *storage, struct loom_arena *arena, u32 op,
		       const struct loom_value *value)
{
	struct loom_location *location = &storage->locations[value->id];
	struct loom_place_item *item = &arena->items[arena->num_items];
	const struct loom_location *root = &storage->locations[location->root];
	u32 last = storage->span_last ? storage->span_last[op] : op;

	if (location->kind != LOOM_LOCATION_ARENA &&
	    ((location->kind != LOOM_LOCATION_VIEW && location->kind != LOOM_LOCATION_PART) ||
	     root->kind != LOOM_LOCATION_ARENA))
		return;
	/* the first part of a concatenation makes room for all of it */
	if (location->kind == LOOM_LOCATION_PART) {
		location->item = root->item;
		value = storage->graph->values[location->root];
		location = &storage->locations[location->root];
	}
	if (location->item != LOOM_PLACE_NONE) {
		arena->items[location->item].upper = max(arena->items[location->item].upper,
							      (int64_t)last + 1);
		storage->locations[storage->nodes[op]->output->id].item = location->item;
		return;
	}
	*item = (struct loom_place_item){
		.size_bytes = value->size_bytes,
		.align_bytes = LOOM_NEURON_ALIGN_BYTES,
		.lower = storage->span_first ? storage->span_first[op] : op,
		.upper = last + 1,
		.fixed = LOOM_PLACE_ANYWHERE,
		.alias = LOOM_PLACE_NONE,
	};
	if (location->kind == LOOM_LOCATION_VIEW) {
		item->alias = root->item;
		/* an expanded view is larger than what it shows */
		item->size_bytes = min(item->size_bytes,
				       arena->items[root->item].size_bytes);
		arena->ops[op].in_place = true;
	}
	arena->values[arena->num_items] = value;
	arena->ops[op].output = arena->num_items;
	storage->locations[storage->nodes[op]->output->id].item = arena->num_items;
	location->item = arena->num_items++;
}

static void arena_fill(struct loom_storage *storage, struct loom_arena *arena)
{
	u32 num_operands = 0, i, k;

	for (i = 0; i < storage->graph->num_values; i++)
		storage->locations[i].item = LOOM_PLACE_NONE;
	for (i = 0; i < storage->graph->num_nodes; i++) {
		const struct loom_node *node = storage->nodes[i];
		struct loom_place_op *op = &arena->ops[i];

		op->inputs = &arena->operands[num_operands];
		op->output = LOOM_PLACE_NONE;
		if (!node->output->num_elems)
			continue;
		for (k = 0; k < node->num_inputs; k++) {
			u32 item = node->inputs[k] ? storage->locations[node->inputs[k]->id].item :
						     LOOM_PLACE_NONE;

			if (item == LOOM_PLACE_NONE)
				continue;
			arena->operands[num_operands++] = item;
			op->num_inputs++;
			arena->items[item].upper =
				(storage->span_last ? storage->span_last[i] : i) + 1;
		}
		arena_item(storage, arena, i, node->output);
	}
}

/* What is where in the arena, for people. Aliases come behind their owners. */
static int note_neurons(struct loom_storage *storage, const struct loom_arena *arena,
			const u64 *offsets)
{
	u32 *note_of = calloc((size_t)arena->num_items + 1, sizeof(*note_of)), n = 0, i;

	storage->neurons = calloc((size_t)arena->num_items + 1, sizeof(*storage->neurons));
	if (!note_of || !storage->neurons) {
		free(note_of);
		return -ENOMEM;
	}
	for (i = 0; i < arena->num_items; i++) {
		const struct loom_place_item *item = &arena->items[i];
		struct loom_program_neuron *neuron;

		note_of[i] = item->alias == LOOM_PLACE_NONE ? n++ : note_of[item->alias];
		neuron = &storage->neurons[note_of[i]];
		if (item->alias == LOOM_PLACE_NONE) {
			neuron->name = arena->values[i]->name;
			neuron->offset = offsets[i];
			neuron->size_bytes = item->size_bytes;
			neuron->first_node = item->lower;
		}
		neuron->last_node = max(neuron->last_node, (u32)item->upper - 1);
	}
	free(note_of);
	return 0;
}

int loom_arena_init(struct loom_arena *arena, struct loom_storage *storage)
{
	const struct loom_graph *graph = storage->graph;
	size_t num_operands = 1, n = (size_t)graph->num_nodes + 1;
	u32 i;

	memset(arena, 0, sizeof(*arena));
	for (i = 0; i < graph->num_nodes; i++)
		num_operands += graph->nodes[i]->num_inputs;
	arena->items = calloc(n, sizeof(*arena->items));
	arena->ops = calloc(n, sizeof(*arena->ops));
	arena->operands = calloc(num_operands, sizeof(*arena->operands));
	arena->values = calloc(n, sizeof(*arena->values));
	if (!arena->items || !arena->ops || !arena->operands || !arena->values)
		return -ENOMEM;
	arena_fill(storage, arena);
	arena->problem.items = arena->items;
	arena->problem.num_items = arena->num_items;
	arena->problem.ops = arena->ops;
	arena->problem.num_ops = graph->num_nodes;
	return 0;
}

/* The arena of the nodes in their order, placed. */
static int arena_make(struct loom_storage *storage, struct loom_arena *arena,
		      const struct loom_place_options *how, struct loom_error *err)
{
	struct loom_place_fault fault;
	int ret;

	ret = loom_arena_init(arena, storage);
	if (ret)
		return ret;
	ret = loom_place(&arena->problem, how, &arena->result, &fault);
	if (ret)
		return fail(err, ret, "the arena cannot be placed: %s", fault.text);
	return 0;
}

void loom_arena_clear(struct loom_arena *arena)
{
	loom_place_result_free(&arena->result);
	free(arena->items);
	free(arena->ops);
	free(arena->operands);
	free(arena->values);
	memset(arena, 0, sizeof(*arena));
}

static int arena_take(struct loom_storage *storage, const struct loom_arena *arena)
{
	u32 slot, i;

	storage->arena_bytes = arena->result.height_bytes[0];
	storage->bound_bytes = arena->result.bound_bytes[0];
	storage->placer = arena->result.strategy;
	if (arena->num_items) {
		slot = loom_storage_slot(storage, LOOM_SLOT_KIND_ARENA, DRM_LOOM_SLOT_WRITE);
		if (storage->build->status)
			return storage->build->status;
		storage->build->slots[slot].size = storage->arena_bytes;
		for (i = 0; i < arena->num_items; i++) {
			struct loom_location *location = &storage->locations[arena->values[i]->id];

			location->slot = slot;
			location->offset = arena->result.offsets[i];
		}
	}
	return note_neurons(storage, arena, arena->result.offsets);
}

/* Nodes run in the graph's order from now on. */
static void keep_order(struct loom_storage *storage)
{
	u32 i;

	for (i = 0; i < storage->graph->num_nodes; i++)
		storage->nodes[i] = storage->graph->nodes[i];
	storage->order.bytes = storage->order.given_bytes;
	storage->order.moved = false;
}

/*
 * A better order asks for less, but a placer may still find more: then the graph's order gets
 * its chance, too. @arena is the better one afterwards.
 */
static int arena_doubt(struct loom_storage *storage, struct loom_arena *arena,
		       const struct loom_place_options *how, struct loom_error *err)
{
	size_t size = storage->graph->num_nodes * sizeof(*storage->nodes);
	struct loom_storage_order order = storage->order;
	const struct loom_node **nodes = malloc(size);
	struct loom_arena given = { 0 };
	int ret;

	if (!nodes)
		return -ENOMEM;
	memcpy(nodes, storage->nodes, size);
	keep_order(storage);
	ret = arena_make(storage, &given, how, err);
	if (!ret && given.result.height_bytes[0] <= arena->result.height_bytes[0]) {
		loom_arena_clear(arena);
		*arena = given;
	} else {
		loom_arena_clear(&given);
		memcpy(storage->nodes, nodes, size);
		storage->order = order;
	}
	free(nodes);
	return ret;
}

static int place_arena(struct loom_storage *storage, const struct loom_place_options *how,
		       struct loom_error *err)
{
	struct loom_arena arena = { 0 };
	int ret;

	ret = arena_make(storage, &arena, how, err);
	if (!ret && storage->order.moved && !storage->span_first &&
	    arena.result.height_bytes[0] > storage->order.given_bytes)
		ret = arena_doubt(storage, &arena, how, err);
	if (!ret)
		ret = arena_take(storage, &arena);
	loom_arena_clear(&arena);
	return ret;
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
		if (options->join_concats)
			loom_storage_join(storage);
		ret = storage->build->status;
	}
	if (!ret)
		keep_order(storage);
	if (!ret && options->reorder)
		ret = loom_storage_order(storage);
	free(observed);
	return ret;
}

int loom_storage_place(struct loom_storage *storage, const struct loom_storage_options *options,
		       struct loom_error *err)
{
	const struct loom_place_options how = { .strategy = options->placer };
	int ret = place_arena(storage, &how, err);

	return ret ? ret : loom_image_place(storage, options, err);
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
	}
	return place_all(storage, options, err);
}

void loom_storage_finish(struct loom_storage *storage)
{
	if (storage->weights_slot != LOOM_LOCATION_NO_TENSOR)
		storage->build->slots[storage->weights_slot].size = storage->weights_end;
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
	free(storage->neurons);
	free(storage->pools);
	memset(storage, 0, sizeof(*storage));
}

/* A constant is read for the first time. */
static void place_weight(struct loom_storage *storage, const struct loom_value *value)
{
	struct loom_location *location = &storage->locations[value->id];

	if (storage->weights_slot == LOOM_LOCATION_NO_TENSOR)
		storage->weights_slot = loom_storage_slot(storage, LOOM_SLOT_KIND_WEIGHTS,
							  DRM_LOOM_SLOT_READ);
	loom_storage_set_root(location, LOOM_LOCATION_WEIGHT, value);
	location->slot = storage->weights_slot;
	location->offset = (storage->weights_end + WEIGHT_ALIGN - 1) / WEIGHT_ALIGN * WEIGHT_ALIGN;
	storage->weights_end = location->offset + value->size_bytes;
	storage->weights_bytes += value->size_bytes;
	storage->weights[storage->num_weights++] = value;
}

/* The tensor of a root, made when it is first touched. */
static u32 touch(struct loom_storage *storage, u32 id)
{
	struct loom_location *location = &storage->locations[id];
	const struct loom_value *value = storage->graph->values[id];
	struct drm_loom_plan_tensor tensor = { .region = DRM_LOOM_REGION_DRAM };
	u32 i;

	if (location->tensor != LOOM_LOCATION_NO_TENSOR)
		return location->tensor;
	if (value->data)
		place_weight(storage, value);
	tensor.slot = location->slot;
	tensor.offset = location->offset;
	tensor.size = value->size_bytes;
	tensor.dtype = value->dtype;
	if (location->ref.rank <= DRM_LOOM_MAX_RANK) {
		tensor.rank = location->ref.rank;
		for (i = 0; i < tensor.rank; i++) {
			tensor.dims[i] = location->ref.dims[i];
			tensor.strides[i] = location->ref.strides[i];
		}
	} else {
		tensor.rank = 1;
		tensor.dims[0] = value->num_elems;
		tensor.strides[0] = loom_dtype_bytes(value->dtype);
	}
	if (location->kind == LOOM_LOCATION_IMAGE)
		loom_image_tensor(storage, id, &tensor);
	location->tensor = loom_build_tensor(storage->build, &tensor);
	loom_build_label(storage->build, location->tensor, value->name, LOOM_LABEL_DRAM, 0);
	return location->tensor;
}

/* Tables of the format count elements in 32 bits. */
static int check_size(struct loom_lower *lower, const struct loom_value *value)
{
	if (value->num_elems > U32_MAX)
		return loom_lower_fail(lower, -E2BIG, "tensor '%s' has more than 2^32 elements",
				       value->name);
	return 0;
}

int loom_storage_read(struct loom_lower *lower, const struct loom_value *value,
		      struct loom_ref *ref)
{
	struct loom_storage *storage = lower->storage;
	struct loom_location *location = &storage->locations[value->id];
	bool symbolic = lower->sink.ops->symbolic;
	int ret = check_size(lower, value);

	if (ret)
		return ret;
	if (!value->num_elems)
		return loom_lower_fail(lower, -EOPNOTSUPP, "tensor '%s' is empty", value->name);
	if (symbolic && value->data && location->kind == LOOM_LOCATION_NONE)
		loom_storage_set_root(location, LOOM_LOCATION_WEIGHT, value);
	if (!symbolic && value->data && location->tensor == LOOM_LOCATION_NO_TENSOR)
		touch(storage, value->id);
	*ref = location->ref;
	ref->tensor = lower->sink.ops->symbolic ? location->root : touch(storage, location->root);
	return storage->build->status;
}

int loom_storage_write(struct loom_lower *lower, const struct loom_value *value,
		       struct loom_ref *ref)
{
	struct loom_storage *storage = lower->storage;
	const struct loom_location *location = &storage->locations[value->id];
	int ret = check_size(lower, value);

	if (ret)
		return ret;
	*ref = location->ref;
	ref->tensor = lower->sink.ops->symbolic ? location->root : touch(storage, location->root);
	return storage->build->status;
}

u32 loom_storage_tensor(struct loom_lower *lower, u32 value)
{
	return touch(lower->storage, value);
}

bool loom_storage_in_image(const struct loom_lower *lower, const struct loom_ref *ref)
{
	u32 slot = lower->build->tensors[ref->tensor].slot;

	return lower->storage->slot_kinds[slot] == LOOM_SLOT_KIND_IMAGE;
}

bool loom_storage_is_view(const struct loom_lower *lower, const struct loom_value *value)
{
	return lower->storage->locations[value->id].kind == LOOM_LOCATION_VIEW;
}

bool loom_storage_is_joined(const struct loom_lower *lower, const struct loom_value *value,
			    const struct loom_value *concat)
{
	const struct loom_location *location = &lower->storage->locations[value->id];

	return location->kind == LOOM_LOCATION_PART && location->part_of == concat->id;
}

int loom_storage_copy_late(struct loom_lower *lower)
{
	struct loom_storage *storage = lower->storage;
	u32 i;
	int ret;

	for (i = 0; i < storage->num_copies; i++) {
		const struct loom_value *value = storage->copies[i].value;
		u32 output = storage->copies[i].output;
		const struct loom_output_place *place = &storage->outputs[output];
		struct drm_loom_plan_tensor tensor = {
			.region = DRM_LOOM_REGION_DRAM,
			.slot = place->slot,
			.offset = place->offset,
			.size = value->size_bytes,
			.dtype = value->dtype,
			.rank = 1,
			.dims = { value->num_elems },
			.strides = { loom_dtype_bytes(value->dtype) },
		};
		u64 flat = value->num_elems;
		struct loom_ref from, to;

		lower->node = value->producer;
		ret = loom_storage_read(lower, value, &from);
		if (ret)
			return ret;
		to = from;
		to.tensor = loom_build_tensor(storage->build, &tensor);
		loom_build_label(storage->build, to.tensor, value->name, LOOM_LABEL_DRAM, 0);
		to.offset = 0;
		/* outputs are computed in place: dense */
		if (!loom_ref_reshape(&from, 1, &flat) || !loom_ref_reshape(&to, 1, &flat))
			return -EINVAL;
		ret = loom_sink_copy(lower, &to, &from);
		if (ret)
			return ret;
	}
	lower->step += storage->num_copies > 0;
	return 0;
}
