// SPDX-License-Identifier: MIT
/* Conversion of a graph to a list of ops, and of their operands to accesses. See list.h. */
#include "group/model/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lower/storage.h"

/* Records the dims of a value, in the shape of the value that owns the bytes. */
static void note_value(struct loom_group_list *list, u32 id)
{
	const struct loom_location *location = &list->lower->storage->locations[id];
	struct loom_group_use *use = &list->uses[id];
	u64 elems = 1;
	u32 i;

	if (use->dtype)
		return;
	use->dtype = location->ref.dtype;
	use->output = location->kind == LOOM_LOCATION_OUTPUT;
	use->rank = location->ref.rank > DRM_LOOM_MAX_RANK ? 0 : location->ref.rank;
	for (i = 0; i < use->rank; i++) {
		use->dims[i] = location->ref.dims[i];
		use->strides[i] = location->ref.strides[i];
		elems *= use->dims[i];
	}
	use->bytes = loom_dtype_row_bytes(use->dtype, elems);
}

/* Splits an offset in a value into indices. */
static void split_offset(const struct loom_group_use *use, s64 offset, u64 *index)
{
	u32 i;

	for (i = 0; i < use->rank; i++)
		index[i] = (u64)offset / use->strides[i] % use->dims[i];
}

/* The axis of a value that a stride steps along, and its step. */
static bool find_axis(const struct loom_group_use *use, s64 stride, s8 *axis, s64 *step)
{
	u64 bytes = stride < 0 ? 0 - (u64)stride : (u64)stride, inside;
	u32 i;

	for (i = use->rank; i-- > 0;) {
		inside = use->strides[i];
		if (use->dims[i] == 1 || bytes < inside || bytes >= inside * use->dims[i])
			continue;
		*axis = i;
		*step = stride / (s64)inside;
		return bytes % inside == 0;
	}
	return false;
}

/* Whether the steps along each axis stay on it, without a carry into the next. */
static bool stays_inside(const struct loom_group_access *access, const struct loom_group_use *use,
			 const struct loom_ref *ref)
{
	u32 i, k;

	for (i = 0; i < use->rank; i++) {
		s64 low = access->start[i], high = low;

		for (k = 0; k < ref->rank; k++) {
			if (access->axis[k] != (s8)i)
				continue;
			if (access->step[k] < 0)
				low += access->step[k] * (s64)(ref->dims[k] - 1);
			else
				high += access->step[k] * (s64)(ref->dims[k] - 1);
		}
		if (low < 0 || high >= (s64)use->dims[i])
			return false;
	}
	return true;
}

/*
 * Axes of the value along which a view of it can be distributed over the lanes: one axis of the
 * view runs along it step by step, and others in whole rows of lanes.
 */
static u32 find_lanes(const struct loom_group_access *access, const struct loom_group_use *use,
		      const struct loom_ref *ref, u32 num_lanes)
{
	u32 lanes = 0, i, k;

	for (i = 0; i < use->rank; i++) {
		u32 mapped = 0, plain = 0;
		bool unit = false, rows = true;

		for (k = 0; k < ref->rank; k++) {
			unit |= access->axis[k] < 0 && ref->dims[k] == 1;
			if (access->axis[k] != (s8)i)
				continue;
			mapped++;
			plain += access->step[k] == 1;
			rows &= access->step[k] == 1 || access->step[k] % num_lanes == 0;
		}
		if (mapped ? plain == 1 && rows : unit)
			lanes |= 1U << i;
	}
	return lanes;
}

static void find_access(const struct loom_group_list *list, const struct loom_ref *ref,
			struct loom_group_access *access)
{
	const struct loom_group_use *use = &list->uses[ref->tensor];
	u32 k;

	memset(access, 0, sizeof(*access));
	access->value = ref->tensor;
	for (k = 0; k < DRM_LOOM_MAX_RANK; k++)
		access->axis[k] = -1;
	if (!use->rank || ref->offset < 0 || ref->rank > DRM_LOOM_MAX_RANK)
		return;
	split_offset(use, ref->offset, access->start);
	for (k = 0; k < ref->rank; k++) {
		if (ref->dims[k] == 1 || !ref->strides[k])
			continue;
		if (!find_axis(use, ref->strides[k], &access->axis[k], &access->step[k]))
			return;
	}
	access->lanes = find_lanes(access, use, ref, list->lower->sram.lanes);
	access->plain = access->lanes && stays_inside(access, use, ref);
}

/*
 * Checks that a result is a box of its value. Several of its axes may divide one of the value's,
 * each of them with the extent of the next inner one as its step.
 */
static bool is_box(const struct loom_group_access *access, const struct loom_ref *ref)
{
	u64 extent[DRM_LOOM_MAX_RANK];
	u32 left = 0, before, i, k;

	if (!access->plain)
		return false;
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		extent[i] = 1;
	for (k = 0; k < ref->rank; k++) {
		if (access->axis[k] < 0 && ref->dims[k] != 1)
			return false;
		if (access->axis[k] >= 0)
			left |= 1U << k;
	}
	do {
		before = left;
		for (k = 0; k < ref->rank; k++) {
			if (!(left >> k & 1) || access->step[k] != (s64)extent[access->axis[k]])
				continue;
			extent[access->axis[k]] *= ref->dims[k];
			left &= ~(1U << k);
		}
	} while (left && left != before);
	return !left;
}

/* An op with a copy of its kernel in one block, no larger than needed: large graphs have many. */
static struct loom_group_op *make_op(enum loom_group_kind kind, const struct loom_kernel *kernel)
{
	const size_t operands = kernel->num_operands * sizeof(*kernel->operands);
	const size_t stages = kernel->num_stages * sizeof(*kernel->stages);
	struct loom_group_op *op;
	u32 i;

	op = calloc(1, sizeof(*op) + operands + kernel->num_operands * sizeof(*op->access) +
		       stages);
	if (!op)
		return NULL;
	op->kind = kind;
	op->kernel = *kernel;
	op->kernel.operands = (struct loom_operand *)(op + 1);
	op->access = (struct loom_group_access *)(op->kernel.operands + kernel->num_operands);
	op->kernel.stages = (struct loom_stage *)(op->access + kernel->num_operands);
	memcpy(op->kernel.operands, kernel->operands, operands);
	memcpy(op->kernel.stages, kernel->stages, stages);
	/* attributes of the whole are the caller's; those of the stage are the same */
	for (i = 0; i < kernel->num_stages && kernel->resize; i++)
		if (kernel->stages[i].opcode == DRM_LOOM_OP_RESIZE)
			op->kernel.resize = &op->kernel.stages[i].resize;
	return op;
}

static struct loom_group_op *add_op(struct loom_group_list *list, enum loom_group_kind kind,
				    const struct loom_kernel *kernel)
{
	struct loom_group_op **ops, *op;

	ops = loom_memory_grow(list->ops, list->num_ops, &list->cap_ops, sizeof(*ops));
	if (!ops)
		return NULL;
	list->ops = ops;
	op = make_op(kind, kernel);
	if (!op)
		return NULL;
	list->ops[list->num_ops++] = op;
	op->unit = list->num_units - 1;
	list->units[op->unit].num_ops++;
	return op;
}

/* Whether rows and columns differ for an op: one can be cut where the other cannot. */
static bool is_asymmetric(const struct loom_group_op *op)
{
	const struct loom_kernel *kernel = &op->kernel;
	u32 i;

	if (kernel->operands[0].ref.rank < 4)
		return true;
	if ((kernel->whole >> 2 & 1) != (kernel->whole >> 3 & 1))
		return true;
	for (i = 0; i < kernel->num_operands; i++) {
		const struct loom_operand *operand = &kernel->operands[i];
		const struct loom_group_access *access = &op->access[i];

		if (operand->role != LOOM_ROLE_STORE && operand->role != LOOM_ROLE_LOAD)
			continue;
		if (operand->ref.rank < 4 || operand->map[2].kind != operand->map[3].kind ||
		    (access->axis[2] >= 0 && access->axis[2] != 2) ||
		    (access->axis[3] >= 0 && access->axis[3] != 3))
			return true;
	}
	return false;
}

/* A native kernel relies on the lane axes of its operands. */
static void keep_lanes(const struct loom_operand *operand, struct loom_group_access *access)
{
	s8 axis = access->axis[operand->lane_axis];

	/* the lanes go by the inner axis of those that divide the value's */
	if (axis >= 0 && access->step[operand->lane_axis] != 1)
		axis = -1;
	access->lanes = axis < 0 ? 0 : access->lanes & 1U << axis;
	access->plain = access->plain && access->lanes;
}

/* Records the readers and writers of values. */
static void note_op(struct loom_group_list *list, struct loom_group_op *op)
{
	struct loom_group_unit *unit = &list->units[op->unit];
	u32 index = list->num_ops - 1, i;

	for (i = 0; i < op->kernel.num_operands; i++) {
		const struct loom_operand *operand = &op->kernel.operands[i];
		struct loom_group_use *use;

		if (operand->role != LOOM_ROLE_STORE && operand->role != LOOM_ROLE_LOAD)
			continue;
		note_value(list, operand->ref.tensor);
		use = &list->uses[operand->ref.tensor];
		find_access(list, &operand->ref, &op->access[i]);
		if (op->kernel.native)
			keep_lanes(operand, &op->access[i]);
		if (operand->role == LOOM_ROLE_LOAD) {
			use->last_reader = index;
			use->read = true;
			continue;
		}
		if (use->first_writer == U32_MAX)
			use->first_writer = index;
		use->last_writer = index;
		if (!is_box(&op->access[i], &operand->ref))
			unit->ungroupable = true;
	}
	list->asymmetric |= is_asymmetric(op);
}

static int list_kernel(void *context, struct loom_kernel *kernel)
{
	struct loom_group_list *list = context;
	struct loom_group_op *op = add_op(list, LOOM_GROUP_COMPUTE, kernel);
	const u64 tile = 64;
	u64 row, cost;

	if (!op)
		return -ENOMEM;
	note_op(list, op);
	list->units[op->unit].ungroupable |= kernel->alone;
	/* the device processes rows in tiles, so a row of too much work must be cut */
	row = kernel->operands[0].ref.dims[kernel->operands[0].ref.rank - 1];
	if (check_mul_overflow(kernel->unit_cost, min(row, tile), &cost) ||
	    cost > DRM_LOOM_MAX_UNIT_COST)
		list->units[op->unit].ungroupable = true;
	return 0;
}

/* Adds operand @index of a move: all of its axes follow the result. */
static void add_moved(struct loom_kernel *kernel, enum loom_role role, const struct loom_ref *ref)
{
	struct loom_operand *operand;
	u32 i, index = loom_kernel_operand(kernel, role, ref);

	operand = &kernel->operands[index];
	for (i = 0; i < ref->rank; i++) {
		operand->map[i].kind = LOOM_MAP_SAME;
		operand->map[i].axis = i;
	}
}

static int list_copy(void *context, const struct loom_ref *to, const struct loom_ref *from)
{
	struct loom_kernel_room room;
	struct loom_kernel kernel = loom_kernel_in(&room);
	struct loom_group_list *list = context;
	struct loom_group_op *op;

	add_moved(&kernel, LOOM_ROLE_STORE, to);
	add_moved(&kernel, LOOM_ROLE_LOAD, from);
	op = add_op(list, LOOM_GROUP_COPY, &kernel);
	if (!op)
		return -ENOMEM;
	note_op(list, op);
	return 0;
}

static int list_fill(void *context, const struct loom_ref *to, u64 bits)
{
	struct loom_kernel_room room;
	struct loom_kernel kernel = loom_kernel_in(&room);
	struct loom_group_list *list = context;
	struct loom_group_op *op;

	add_moved(&kernel, LOOM_ROLE_STORE, to);
	kernel.operands[0].bits = bits;
	op = add_op(list, LOOM_GROUP_FILL, &kernel);
	if (!op)
		return -ENOMEM;
	note_op(list, op);
	return 0;
}

/* The sink that collects ops instead of writing commands. */
static const struct loom_sink_ops list_sink = {
	.symbolic = true,
	.kernel = list_kernel,
	.copy = list_copy,
	.fill = list_fill,
};

int loom_group_list_make(struct loom_group_list *list, struct loom_lower *lower)
{
	const struct loom_graph *graph = lower->graph;
	const struct loom_sink sink = lower->sink;
	u32 i;
	int ret = 0;

	memset(list, 0, sizeof(*list));
	list->lower = lower;
	list->units = calloc((size_t)graph->num_nodes + 1, sizeof(*list->units));
	list->uses = calloc((size_t)graph->num_values + 1, sizeof(*list->uses));
	if (!list->units || !list->uses)
		return -ENOMEM;
	for (i = 0; i < graph->num_values; i++) {
		list->uses[i].first_writer = U32_MAX;
		list->uses[i].lanes = U32_MAX;
	}
	lower->sink = (struct loom_sink){ .ops = &list_sink, .context = list };
	for (i = 0; i < graph->num_nodes && !ret; i++) {
		struct loom_group_unit *unit = &list->units[list->num_units++];

		unit->node = i;
		unit->first_op = list->num_ops;
		ret = loom_lower_node(lower, lower->storage->nodes[i]);
		if (!unit->num_ops)
			list->num_units--;
	}
	lower->sink = sink;
	if (!ret)
		ret = loom_group_live_make(list);
	return ret ? ret : loom_group_repeat_find(list, LOOM_GROUP_WINDOW, &list->repeat);
}

void loom_group_list_place(struct loom_group_list *list)
{
	u32 i, k;

	for (i = 0; i < list->num_ops && list->lower->storage->num_images; i++) {
		struct loom_kernel *kernel = &list->ops[i]->kernel;

		for (k = 0; k < kernel->num_operands; k++) {
			struct loom_operand *operand = &kernel->operands[k];

			if (operand->role == LOOM_ROLE_STORE || operand->role == LOOM_ROLE_LOAD)
				loom_image_ref(list->lower->storage, operand->ref.tensor,
					       &operand->ref);
		}
	}
}

void loom_group_list_clear(struct loom_group_list *list)
{
	u32 i;

	for (i = 0; i < list->num_ops; i++)
		free(list->ops[i]);
	free(list->ops);
	free(list->units);
	free(list->uses);
	free(list->live_first);
	free(list->live);
	free(list->choices);
	loom_group_repeat_free(&list->repeat);
	memset(list, 0, sizeof(*list));
}
