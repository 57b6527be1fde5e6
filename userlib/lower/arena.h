/* SPDX-License-Identifier: MIT */
/*
 * The arena: one slot for all neurons, placed by live range. Time is the number of the node. A view
 * is part of the item of its value.
 */
#ifndef LOOM_LOWER_ARENA_H
#define LOOM_LOWER_ARENA_H

#include "storage.h"

/**
 * struct loom_arena - the placement problem of the arena
 * @items: one for each neuron or view of a neuron
 * @num_items: number of @items
 * @ops: the nodes
 * @operands: storage of @ops.inputs
 * @values: by item: the value
 * @problem: the placement problem
 * @result: the placement, once there is one
 */
struct loom_arena {
	struct loom_place_item *items;
	u32 num_items;
	struct loom_place_op *ops;
	u32 *operands;
	const struct loom_value **values;
	struct loom_place_problem problem;
	struct loom_place_result result;
};

/** loom_arena_init() - makes the items of @storage, its nodes in order; cleared also on failure */
int loom_arena_init(struct loom_arena *arena, struct loom_storage *storage);
void loom_arena_clear(struct loom_arena *arena);

#endif /* LOOM_LOWER_ARENA_H */
