// SPDX-License-Identifier: MIT
/* The placement of the arena, by live range. See arena.h. */
#include "arena.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	/* the first operand of a joined concatenation allocates the whole result */
	if (location->kind == LOOM_LOCATION_PART) {
		location->item = root->item;
		value = storage->graph->values[location->root];
		location = &storage->locations[location->root];
	}
	if (location->item != LOOM_PLACE_NONE) {
		item = &arena->items[location->item];
		item->upper = max(item->upper, (int64_t)last + 1);
		storage->locations[storage->nodes[op]->output->id].item = location->item;
		return;
	}
	*item = (struct loom_place_item){
		.size_bytes = value->size_bytes,
		.align_bytes = LOOM_NEURON_ALIGN_BYTES,
		.lower = storage->span_first ? storage->span_first[op] : op,
		.upper = last + 1,
	};
	if (location->kind == LOOM_LOCATION_VIEW) {
		item->flags = LOOM_PLACE_ALIAS;
		item->alias = root->item;
		/* an expanded view has more bytes than its value */
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

/* Records the contents of the arena, for reports. Aliases follow their owners. */
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

		note_of[i] = item->flags & LOOM_PLACE_ALIAS ? note_of[item->alias] : n++;
		neuron = &storage->neurons[note_of[i]];
		if (!(item->flags & LOOM_PLACE_ALIAS)) {
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

/* Places the arena for the nodes in their current order. */
static int arena_make(struct loom_storage *storage, struct loom_arena *arena,
		      const struct loom_place_options *how, struct loom_error *err)
{
	struct loom_place_fault fault;
	int ret;

	ret = loom_arena_init(arena, storage);
	if (ret)
		return ret;
	ret = loom_place(&arena->problem, how, &arena->result, &fault);
	return ret ? loom_error_set(err, ret, "the arena cannot be placed: %s", fault.text) : 0;
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

/*
 * An order with a lower peak may still be placed worse, because placing is a heuristic. Then the
 * graph's order is placed as well, and @arena becomes the smaller of both.
 */
static int arena_retry_given(struct loom_storage *storage, struct loom_arena *arena,
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
	loom_storage_keep_order(storage);
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
		ret = arena_retry_given(storage, &arena, how, err);
	if (!ret)
		ret = arena_take(storage, &arena);
	loom_arena_clear(&arena);
	return ret;
}

int loom_storage_place(struct loom_storage *storage, const struct loom_storage_options *options,
		       struct loom_error *err)
{
	const struct loom_place_options how = { .strategy = options->placer };
	int ret = place_arena(storage, &how, err);

	return ret ? ret : loom_image_place(storage, options, err);
}
