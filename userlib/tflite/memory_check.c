// SPDX-License-Identifier: MIT
/* Checks the memory plan of a file, and finds another order of its operators. */
#include "memory.h"

#include "base/error.h"
#include "order/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether the result is the operand with other dimensions. */
static bool is_reshape(const struct loom_tflite_operator *op)
{
	return !op->custom && op->num_inputs && op->inputs[0] >= 0 && op->num_outputs == 1 &&
	       (op->code == LOOM_TFLITE_RESHAPE || op->code == LOOM_TFLITE_SQUEEZE ||
		op->code == LOOM_TFLITE_EXPAND_DIMS);
}

static int bad(const struct loom_tflite_arena *arena, struct loom_error *err, const char *id,
	       const char *what)
{
	return loom_error_set(err, -EBADMSG, "%.100s: memory plan: tensor '%.80s' %s",
			      arena->view.name, id, what);
}

/* Checks of the plan that need no lifetimes. */
static int check_offsets(const struct loom_tflite_arena *arena, struct loom_error *err)
{
	uint32_t i;

	if (*arena->fault)
		return loom_error_set(err, -EBADMSG, "%.100s: memory plan: %s", arena->view.name,
				      arena->fault);
	for (i = 0; i < arena->model.num_tensors; i++) {
		const struct loom_tflite_tensor *tensor = &arena->model.tensors[i];
		const uint32_t item = arena->item_of[i];

		if (arena->offsets[i] == -1)
			continue;
		if (item == LOOM_PLACE_NONE && (tensor->data || tensor->is_variable))
			return loom_error_set(err, -EBADMSG,
					      "%.100s: memory plan: tensor %u has an offset, but is a %s",
					      arena->view.name, i,
					      tensor->data ? "constant" : "variable");
		if (item == LOOM_PLACE_NONE)
			continue;
		if (arena->offsets[i] < 0)
			return bad(arena, err, arena->ids[item], "has a negative offset");
		if (arena->offsets[i] % LOOM_TFLITE_ALIGN)
			return bad(arena, err, arena->ids[item],
				   "has an offset that is no multiple of 16");
	}
	return 0;
}

/* For reshapes whose result has the offset of the operand, one item represents both. */
static void share(const struct loom_tflite_arena *arena, struct loom_place_item *items,
		  uint32_t *stands_for, uint32_t *num_shared)
{
	const struct loom_tflite_model *model = &arena->model;
	uint32_t i;

	for (i = 0; i < model->num_operators; i++) {
		const struct loom_tflite_operator *op = &model->operators[arena->order[i]];
		uint32_t from, to;

		if (!is_reshape(op))
			continue;
		from = arena->item_of[op->inputs[0]];
		to = arena->item_of[op->outputs[0]];
		if (from == LOOM_PLACE_NONE || to == LOOM_PLACE_NONE ||
		    arena->offsets[op->inputs[0]] < 0 ||
		    arena->offsets[op->inputs[0]] != arena->offsets[op->outputs[0]] ||
		    items[from].size_bytes != items[to].size_bytes)
			continue;
		/* operators are in order, so the item of the operand is known */
		stands_for[to] = stands_for[from];
		from = stands_for[from];
		if (items[to].upper > items[from].upper)
			items[from].upper = items[to].upper;
		++*num_shared;
	}
}

static int bound_of(const struct loom_tflite_arena *arena, uint64_t *bytes,
		    struct loom_error *err)
{
	int ret = loom_place_bound(&arena->view.problem, bytes);

	return ret ? loom_error_set(err, ret, "%.100s: its memory has no bound: %s",
				    arena->view.name, strerror(-ret)) : 0;
}

static int check_places(const struct loom_tflite_arena *arena,
			struct loom_tflite_verdict *verdict, struct loom_place_item *items,
			uint32_t *stands_for, struct loom_error *err)
{
	const uint32_t num_items = arena->view.problem.num_items;
	struct loom_place_problem problem = { .items = items };
	struct loom_place_fault fault = { LOOM_PLACE_NONE, LOOM_PLACE_NONE, 0, 0, "" };
	uint64_t *offsets = calloc(num_items + 1ULL, sizeof(*offsets));
	uint32_t i, *item = calloc(num_items + 1ULL, sizeof(*item));
	int ret = -ENOMEM;

	for (i = 0; offsets && item && i < num_items; i++) {
		const int32_t offset = arena->offsets[arena->tensors[i]];

		if (offset < 0) {
			verdict->num_left++;
			continue;
		}
		verdict->num_placed++;
		if (offset + arena->items[i].size_bytes > verdict->arena_bytes)
			verdict->arena_bytes = offset + arena->items[i].size_bytes;
		if (stands_for[i] != i)
			continue;
		item[problem.num_items] = i;
		offsets[problem.num_items] = offset;
		items[problem.num_items++] = items[i];
	}
	if (offsets && item)
		ret = loom_place_check(&problem, offsets, NULL, &fault);
	if (ret == -ENOMEM) {
		loom_error_set(err, ret, "%.100s: out of memory", arena->view.name);
	} else if (ret && fault.first != LOOM_PLACE_NONE && fault.second != LOOM_PLACE_NONE) {
		const uint32_t a = item[fault.first], b = item[fault.second];

		ret = loom_error_set(err, -EBADMSG,
				     "%.100s: memory plan: '%.80s' at %llu and '%.80s' at %llu share bytes",
				     arena->view.name, arena->ids[a],
				     (unsigned long long)offsets[fault.first], arena->ids[b],
				     (unsigned long long)offsets[fault.second]);
	} else if (ret) {
		loom_error_set(err, ret, "%.100s: memory plan: %s", arena->view.name, fault.text);
	}
	free(offsets);
	free(item);
	return ret;
}

int loom_tflite_memory_check(const struct loom_tflite_memory *memory,
			     struct loom_tflite_verdict *verdict, struct loom_error *err)
{
	const struct loom_tflite_arena *arena = loom_tflite_arena_of(memory);
	const uint32_t num_items = memory->problem.num_items;
	struct loom_place_item *items;
	uint32_t i, *stands_for;
	int ret;

	memset(verdict, 0, sizeof(*verdict));
	if (!memory->has_record)
		return loom_error_set(err, -ENODATA, "%.100s: it has no memory plan", memory->name);
	ret = check_offsets(arena, err);
	if (ret)
		return ret;
	items = calloc(num_items + 1ULL, sizeof(*items));
	stands_for = calloc(num_items + 1ULL, sizeof(*stands_for));
	if (!items || !stands_for) {
		ret = loom_error_set(err, -ENOMEM, "%.100s: out of memory", memory->name);
		goto out;
	}
	for (i = 0; i < num_items; i++) {
		items[i] = arena->items[i];
		stands_for[i] = i;
	}
	share(arena, items, stands_for, &verdict->num_shared);
	ret = check_places(arena, verdict, items, stands_for, err);
	if (!ret)
		ret = bound_of(arena, &verdict->bound_bytes, err);
out:
	free(items);
	free(stands_for);
	return ret;
}

/* --- order ------------------------------------------------------------------------------ */

/**
 * struct ordering - a model as an ordering problem
 *
 * An input is an operator without operands. A result beyond the first is an operator that reads the
 * first.
 *
 * @ops: inputs, then operators, each with its results beyond the first behind it
 * @num_ops: number of @ops
 * @inputs: memory for the operands of @ops
 * @op_of: by operation: the operator, or LOOM_ORDER_NONE
 * @made_by: by tensor: the operation that computes it, or LOOM_ORDER_NONE
 */
struct ordering {
	struct loom_order_op *ops;
	uint32_t num_ops;
	uint32_t *inputs;
	uint32_t *op_of;
	uint32_t *made_by;
};

static void add_result(const struct loom_tflite_arena *arena, struct ordering *ordering,
		       uint32_t tensor, uint32_t *inputs, uint32_t num_inputs, uint32_t op)
{
	struct loom_order_op *result = &ordering->ops[ordering->num_ops];
	const uint32_t item = arena->item_of[tensor];

	result->inputs = inputs;
	result->num_inputs = num_inputs;
	result->owner = ordering->num_ops;
	result->size_bytes = item == LOOM_PLACE_NONE ? 0 : arena->items[item].size_bytes;
	ordering->op_of[ordering->num_ops] = op;
	ordering->made_by[tensor] = ordering->num_ops++;
}

static void make_ordering(const struct loom_tflite_arena *arena, struct ordering *ordering)
{
	const struct loom_tflite_model *model = &arena->model;
	uint32_t i, k, num_inputs, *inputs = ordering->inputs;

	for (i = 0; i < model->num_tensors; i++)
		ordering->made_by[i] = LOOM_ORDER_NONE;
	for (i = 0; i < model->num_inputs; i++)
		if (ordering->made_by[model->inputs[i]] == LOOM_ORDER_NONE)
			add_result(arena, ordering, (uint32_t)model->inputs[i], inputs, 0,
				   LOOM_ORDER_NONE);
	for (i = 0; i < model->num_operators; i++) {
		const struct loom_tflite_operator *op = &model->operators[i];

		num_inputs = 0;
		for (k = 0; k < op->num_inputs; k++) {
			const uint32_t from = op->inputs[k] < 0 ? LOOM_ORDER_NONE :
					      ordering->made_by[op->inputs[k]];

			if (from != LOOM_ORDER_NONE)
				inputs[num_inputs++] = from;
		}
		for (k = 0; k < op->num_outputs; k++) {
			if (k) {
				inputs[0] = ordering->made_by[op->outputs[0]];
				num_inputs = 1;
			}
			add_result(arena, ordering, (uint32_t)op->outputs[k], inputs, num_inputs,
				   k ? LOOM_ORDER_NONE : i);
			inputs += num_inputs;
		}
	}
}

/* Keeps @order if it lowers the peak of bytes alive. */
static int try_order(struct loom_tflite_arena *arena, const uint32_t *order,
		     struct loom_error *err)
{
	const uint32_t count = arena->model.num_operators;
	uint32_t *before = malloc((count + 1ULL) * sizeof(*before)), i;
	uint64_t bound = 0, after = 0;
	int ret, code;

	if (!before)
		return loom_error_set(err, -ENOMEM, "%.100s: out of memory", arena->view.name);
	memcpy(before, arena->order, count * sizeof(*before));
	ret = bound_of(arena, &bound, err);
	memcpy(arena->order, order, count * sizeof(*before));
	if (!ret)
		ret = loom_tflite_set_lifetimes(arena, err);
	if (!ret)
		ret = bound_of(arena, &after, err);
	if (ret || after >= bound) {
		memcpy(arena->order, before, count * sizeof(*before));
		/* also after an error, because lifetimes must be those of the order kept */
		code = loom_tflite_set_lifetimes(arena, ret ? NULL : err);
		ret = ret ? ret : code;
	}
	arena->view.num_moved = 0;
	for (i = 0; i < count; i++)
		arena->view.num_moved += arena->order[i] != i;
	free(before);
	return ret;
}

static int is_pure(const struct loom_tflite_arena *arena, struct loom_error *err)
{
	const struct loom_tflite_model *model = &arena->model;
	uint32_t i;

	for (i = 0; i < model->num_tensors; i++)
		if (model->tensors[i].is_variable)
			return loom_error_set(err, -EOPNOTSUPP,
					      "%.100s: tensor %u is a variable: operators have to stay in their order",
					      model->name, i);
	for (i = 0; i < model->num_operators; i++) {
		const struct loom_tflite_operator *op = &model->operators[i];

		if (op->custom || op->code >= LOOM_TFLITE_CALL_ONCE || !op->num_outputs)
			return loom_error_set(err, -EOPNOTSUPP,
					      "%.100s: operator %u (%.60s): operators have to stay in their order",
					      model->name, i, loom_tflite_op_name(op));
	}
	return 0;
}

int loom_tflite_memory_reorder(struct loom_tflite_memory *memory, struct loom_error *err)
{
	struct loom_tflite_arena *arena = loom_tflite_arena_of(memory);
	const struct loom_tflite_model *model = &arena->model;
	uint64_t num_operands = 1, room = model->num_inputs + 1ULL;
	struct loom_order_result result = { 0 };
	struct ordering ordering = { 0 };
	uint32_t i, count = 0, *order;
	int ret = is_pure(arena, err);

	if (ret)
		return ret;
	for (i = 0; i < model->num_operators; i++) {
		num_operands += model->operators[i].num_inputs + model->operators[i].num_outputs;
		room += model->operators[i].num_outputs;
	}
	ordering.ops = calloc(room, sizeof(*ordering.ops));
	ordering.inputs = calloc(num_operands, sizeof(*ordering.inputs));
	ordering.op_of = calloc(room, sizeof(*ordering.op_of));
	ordering.made_by = calloc(model->num_tensors + 1ULL, sizeof(*ordering.made_by));
	result.order = calloc(room, sizeof(*result.order));
	order = calloc(model->num_operators + 1ULL, sizeof(*order));
	ret = -ENOMEM;
	if (ordering.ops && ordering.inputs && ordering.op_of && ordering.made_by &&
	    result.order && order) {
		make_ordering(arena, &ordering);
		ret = loom_order(ordering.ops, ordering.num_ops, 0, &result);
	}
	if (ret) {
		loom_error_set(err, ret, "%.100s: no order can be found: %s", model->name,
			       strerror(-ret));
	} else {
		for (i = 0; i < ordering.num_ops; i++)
			if (ordering.op_of[result.order[i]] != LOOM_ORDER_NONE)
				order[count++] = ordering.op_of[result.order[i]];
		ret = try_order(arena, order, err);
	}
	free(ordering.ops);
	free(ordering.inputs);
	free(ordering.op_of);
	free(ordering.made_by);
	free(result.order);
	free(order);
	return ret;
}
