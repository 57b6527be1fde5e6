// SPDX-License-Identifier: MIT
/*
 * NATIVE: a node that a native kernel computes (native/) is a kernel of one stage, whose operands
 * follow the result as its callbacks say. The payload is written with the command, because only
 * then it is known where the operands lie.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_clock.h"
#include "native/native.h"
#include "operators.h"

/* Axes of operands and lane axes as they are without a callback. */
static void set_defaults(const struct loom_kernel *kernel, u32 lanes, struct loom_native_cut *cut)
{
	static const u8 prefer[DRM_LOOM_MAX_RANK] = { 0, 1, 2, 3, 4, 5 };
	u32 i;

	memset(cut, 0, sizeof(*cut));
	cut->lanes = lanes;
	for (i = 0; i < kernel->num_operands; i++) {
		const struct loom_ref *ref = &kernel->operands[i].ref;
		u32 *lane = i ? &cut->inputs[i - 1].lane_axis : &cut->lane_axis;

		*lane = loom_lane_pick(ref->dims, lanes, prefer, ref->rank);
	}
}

/* A window of the kernel; -1: there are too many. */
static int find_window(struct loom_kernel *kernel, const struct loom_native_axis *axis, u64 in)
{
	const struct loom_window window = {
		.stride = axis->stride, .extent = axis->extent, .pad = axis->pad, .in = (s64)in,
	};
	int i;

	for (i = 0; i < (int)ARRAY_SIZE(kernel->window); i++) {
		if (!kernel->window[i].in)
			kernel->window[i] = window;
		if (!memcmp(&kernel->window[i], &window, sizeof(window)))
			return i;
	}
	return -1;
}

static int refuse_axis(struct loom_lower *lower, const struct loom_kernel *kernel, u32 index,
		       u32 axis, const char *why)
{
	bool temp = kernel->operands[index].role == LOOM_ROLE_TEMP;
	u32 inputs = kernel->native->node.num_inputs;

	return loom_lower_fail(lower, -EINVAL, "its native kernel: %s %u, axis %u: %s",
			       temp ? "temporary" : "input", temp ? index - 1 - inputs : index - 1,
			       axis, why);
}

/* Makes operand @index follow the result as the kernel says. */
static int map_operand(struct loom_lower *lower, struct loom_kernel *kernel, u32 index,
		       const struct loom_native_operand *how)
{
	static const u8 kinds[] = {
		[LOOM_NATIVE_WHOLE] = LOOM_MAP_FULL,
		[LOOM_NATIVE_SAME] = LOOM_MAP_SAME,
		[LOOM_NATIVE_WINDOW] = LOOM_MAP_WINDOW,
	};
	struct loom_operand *operand = &kernel->operands[index];
	const struct loom_ref *y = &kernel->operands[0].ref;
	int window;
	u32 k;

	if (how->lane_axis >= operand->ref.rank)
		return refuse_axis(lower, kernel, index, how->lane_axis, "it has no such axis");
	operand->lane_axis = how->lane_axis;
	for (k = 0; k < operand->ref.rank; k++) {
		const struct loom_native_axis *axis = &how->axes[k];

		if (axis->follow > LOOM_NATIVE_WINDOW || axis->axis >= y->rank)
			return refuse_axis(lower, kernel, index, k, "the result has no such axis");
		operand->map[k].kind = kinds[axis->follow];
		operand->map[k].axis = axis->axis;
		if (axis->follow == LOOM_NATIVE_SAME && operand->ref.dims[k] != y->dims[axis->axis])
			return refuse_axis(lower, kernel, index, k,
					   "it is not as long as the result");
		if (axis->follow != LOOM_NATIVE_WINDOW)
			continue;
		if (axis->stride < 1 || axis->extent < 1)
			return refuse_axis(lower, kernel, index, k, "a window has no elements");
		window = find_window(kernel, axis, operand->ref.dims[k]);
		if (window < 0)
			return refuse_axis(lower, kernel, index, k, "more than 3 windows differ");
		operand->map[k].spatial = (u8)window;
	}
	return 0;
}

static int add_temporary(struct loom_lower *lower, struct loom_kernel *kernel,
			 const struct loom_native_temporary *temporary)
{
	struct loom_ref ref = { .dtype = temporary->dtype, .rank = temporary->rank };
	u32 index = loom_kernel_operand(kernel, LOOM_ROLE_TEMP, &ref), k;
	s64 stride = (s64)loom_dtype_size(ref.dtype);

	if (!stride || !ref.rank || ref.rank > DRM_LOOM_MAX_RANK)
		return refuse_axis(lower, kernel, index, 0, "its type or rank is not known");
	for (k = ref.rank; k-- > 0;) {
		if (temporary->dims[k] < 1 || temporary->dims[k] > U32_MAX)
			return refuse_axis(lower, kernel, index, k, "its length is not valid");
		kernel->operands[index].ref.dims[k] = (u64)temporary->dims[k];
		kernel->operands[index].ref.strides[k] = stride;
		stride *= temporary->dims[k];
	}
	return map_operand(lower, kernel, index, &temporary->operand);
}

static struct loom_native_view whole_view(const struct loom_operand *operand, u32 lanes)
{
	struct loom_native_view view = {
		.dtype = operand->ref.dtype,
		.rank = operand->ref.rank,
		.lane_axis = operand->lane_axis,
		.lanes = lanes,
	};
	s64 stride = (s64)loom_dtype_stride(view.dtype);
	u32 i;

	for (i = view.rank; i-- > 0;) {
		view.dims[i] = (u32)operand->ref.dims[i];
		view.strides[i] = stride;
		stride *= i == view.lane_axis ? loom_div_round_up(view.dims[i], lanes) :
						view.dims[i];
	}
	return view;
}

/* The only stage, and its cycles for the whole result, from which those of slices are estimated. */
static void add_stage(struct loom_kernel *kernel, u32 num_temporaries, u32 lanes)
{
	u32 operands[DRM_LOOM_MAX_NATIVE_OPERANDS] = { 0 }, count = 1, i;
	struct loom_native_view views[DRM_LOOM_MAX_NATIVE_OPERANDS];
	const struct loom_native_call *call = kernel->native;
	struct loom_native_slice slice = { .node = &call->node, .operands = views };
	const struct loom_operand *y = &kernel->operands[0];

	for (i = 0; i < num_temporaries; i++)
		operands[count++] = 1 + call->node.num_inputs + i;
	for (i = 0; i < call->node.num_inputs; i++)
		operands[count++] = 1 + i;
	loom_kernel_stage(kernel, DRM_LOOM_OP_NATIVE, count, operands);
	for (i = 0; i < count; i++)
		views[i] = whole_view(&kernel->operands[operands[i]], lanes);
	slice.num_operands = count;
	kernel->native_cycles = call->kernel->cycles(call->kernel->data, &slice);
	kernel->native_rounds = 1;
	for (i = 0; i < y->ref.rank; i++)
		kernel->native_rounds *= i == y->lane_axis ?
					 loom_div_round_up(y->ref.dims[i], lanes) : y->ref.dims[i];
}

static int add_operand(struct loom_lower *lower, struct loom_kernel *kernel, enum loom_role role,
		       const struct loom_value *value)
{
	struct loom_ref ref;
	int ret = role == LOOM_ROLE_STORE ? loom_storage_write(lower, value, &ref) :
					    loom_storage_read(lower, value, &ref);

	if (ret)
		return ret;
	if (!ref.rank)
		loom_ref_insert(&ref, 0);
	if (ref.rank > DRM_LOOM_MAX_RANK)
		return loom_lower_fail(lower, -EOPNOTSUPP, "'%s' has %u axes, the device has %d",
				       value->name, ref.rank, DRM_LOOM_MAX_RANK);
	loom_kernel_operand(kernel, role, &ref);
	return 0;
}

int loom_lower_native(struct loom_lower *lower, const struct loom_node *node)
{
	const struct loom_native_call *call = node->native.call;
	struct loom_kernel_room room;
	struct loom_kernel kernel = loom_kernel_in(&room);
	struct loom_native_cut cut;
	u32 i;
	int ret;

	kernel.unit_cost = 1;
	kernel.native = call;
	ret = add_operand(lower, &kernel, LOOM_ROLE_STORE, node->output);
	for (i = 0; i < node->num_inputs && !ret; i++)
		ret = add_operand(lower, &kernel, LOOM_ROLE_LOAD, node->inputs[i]);
	if (ret)
		return ret;
	set_defaults(&kernel, lower->sram.lanes, &cut);
	if (call->kernel->cut)
		ret = call->kernel->cut(call->kernel->data, &call->node, &cut);
	if (ret)
		return loom_lower_fail(lower, ret, "its native kernel cannot be cut: %s",
				       strerror(-ret));
	if (cut.lane_axis >= kernel.operands[0].ref.rank ||
	    cut.num_temporaries > LOOM_NATIVE_TEMPORARIES)
		return loom_lower_fail(lower, -EINVAL,
				       "its native kernel: lane axis %u of the result, %u temporaries",
				       cut.lane_axis, cut.num_temporaries);
	for (i = 0; i < kernel.operands[0].ref.rank; i++) {
		kernel.operands[0].map[i].kind = LOOM_MAP_SAME;
		kernel.operands[0].map[i].axis = i;
	}
	kernel.operands[0].lane_axis = cut.lane_axis;
	kernel.whole = ~cut.axes & ((1U << DRM_LOOM_MAX_RANK) - 1);
	kernel.alone = cut.alone;
	for (i = 0; i < node->num_inputs && !ret; i++)
		ret = map_operand(lower, &kernel, 1 + i, &cut.inputs[i]);
	for (i = 0; i < cut.num_temporaries && !ret; i++)
		ret = add_temporary(lower, &kernel, &cut.temporaries[i]);
	if (ret)
		return ret;
	add_stage(&kernel, cut.num_temporaries, lower->sram.lanes);
	return loom_sink_kernel(lower, &kernel);
}

static struct loom_native_view slice_view(const struct drm_loom_plan_view *from, const u64 *first,
					  u32 lanes)
{
	struct loom_native_view view = {
		.dtype = from->dtype,
		.rank = from->rank,
		.lane_axis = from->lane_axis,
		.lane_start = from->lane_start,
		.lanes = lanes,
	};
	u32 i;

	for (i = 0; i < from->rank; i++) {
		view.dims[i] = from->dims[i];
		view.strides[i] = from->strides[i];
		view.first[i] = (s64)first[i];
	}
	return view;
}

/* Adds a native command; its attributes are written behind each other with the payload. */
static int add_command(struct loom_lower *lower, const struct loom_kernel *kernel,
		       const struct loom_stage *stage, u32 step,
		       const struct drm_loom_plan_view *views, const u64 *const *first)
{
	const struct loom_native_call *call = kernel->native;
	struct loom_native_view operands[DRM_LOOM_MAX_NATIVE_OPERANDS];
	struct loom_native_slice slice = {
		.node = &call->node, .operands = operands, .num_operands = stage->operands,
	};
	u32 room = DRM_LOOM_MAX_PAYLOAD_BYTES, bytes = room, i;
	struct drm_loom_attr_native *attr = calloc(1, sizeof(*attr) + room);
	int ret;

	if (!attr)
		return -ENOMEM;
	for (i = 0; i < stage->operands; i++)
		operands[i] = slice_view(&views[i], first[stage->operand[i]], lower->sram.lanes);
	ret = call->kernel->write(call->kernel->data, &slice, attr + 1, &bytes);
	if (ret || bytes > room) {
		free(attr);
		return loom_lower_fail(lower, ret ? ret : -E2BIG,
				       "its native kernel writes no payload for a slice of '%s': %s",
				       call->node.name, strerror(ret ? -ret : E2BIG));
	}
	attr->cycles = call->kernel->cycles(call->kernel->data, &slice);
	attr->payload_bytes = bytes;
	attr->outputs = 1;
	attr->temporaries = (u8)(stage->operands - 1 - call->node.num_inputs);
	lower->build->format = call->set->format;
	loom_build_command(lower->build, step, DRM_LOOM_OP_NATIVE, views, stage->operands, attr,
			   (u32)sizeof(*attr) + bytes);
	free(attr);
	return lower->build->status;
}

void loom_lower_command(struct loom_lower *lower, const struct loom_kernel *kernel,
			const struct loom_stage *stage, u32 step,
			const struct drm_loom_plan_view *views,
			const u64 *const first[LOOM_KERNEL_OPERANDS])
{
	if (lower->build->status)
		return;
	if (stage->opcode == DRM_LOOM_OP_NATIVE)
		lower->build->status = add_command(lower, kernel, stage, step, views, first);
	else
		loom_build_command(lower->build, step, stage->opcode, views, stage->operands,
				   stage->attr_bytes ? &stage->conv : NULL, stage->attr_bytes);
}
