/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_PLAN_BUILDER_H
#define LOOM_TESTS_PLAN_BUILDER_H

/*
 * Builds plans for tests of the verifier. It is apart from the library's emitter on
 * purpose: it checks nothing, and every table can be changed by hand before the blob is made.
 */

#include "code_round.h"
#include "loom_op.h"
#include "loom_verify.h"

#ifdef __KERNEL__
#include <linux/slab.h>
#else
#include <stdlib.h>
#include <string.h>
#endif

/* Zeroed, and never NULL: a test has nothing to say about its own memory. */
static inline void *pb_alloc(size_t size)
{
#ifdef __KERNEL__
	return kvzalloc(size, GFP_KERNEL | __GFP_NOFAIL);
#else
	void *ptr = calloc(1, size);

	if (!ptr)
		abort();
	return ptr;
#endif
}

static inline void pb_free(void *ptr)
{
#ifdef __KERNEL__
	kvfree(ptr);
#else
	free(ptr);
#endif
}

struct pb_table {
	void *data;
	u32 count;
	u32 room;
	u32 stride;
};

struct plan_builder {
	struct drm_loom_plan_header header;
	struct drm_loom_format format;
	struct pb_table slots;
	struct pb_table tensors;
	struct pb_table steps;
	struct pb_table commands;
	struct pb_table views;
	struct pb_table attrs;
	struct pb_table images;
	bool compute;
};

static inline void *pb_push(struct pb_table *table, u32 count)
{
	void *data;
	char *at;

	if (table->count + count > table->room) {
		table->room = 2 * (table->count + count);
		data = pb_alloc((size_t)table->room * table->stride);
		if (table->count)
			memcpy(data, table->data, (size_t)table->count * table->stride);
		pb_free(table->data);
		table->data = data;
	}
	at = (char *)table->data + (size_t)table->count * table->stride;
	memset(at, 0, (size_t)count * table->stride);
	table->count += count;
	return at;
}

static inline void pb_init(struct plan_builder *pb, u32 lanes, u64 scratch_bytes)
{
	memset(pb, 0, sizeof(*pb));
	pb->header.magic = DRM_LOOM_PLAN_MAGIC;
	pb->header.version = DRM_LOOM_PLAN_VERSION;
	pb->header.lanes = lanes;
	pb->header.scratch_bytes = scratch_bytes;
	pb->slots.stride = sizeof(struct drm_loom_plan_slot);
	pb->tensors.stride = sizeof(struct drm_loom_plan_tensor);
	pb->steps.stride = sizeof(struct drm_loom_plan_step);
	pb->commands.stride = sizeof(struct drm_loom_plan_command);
	pb->views.stride = sizeof(struct drm_loom_plan_view);
	pb->attrs.stride = 1;
	pb->images.stride = sizeof(struct drm_loom_plan_image);
}

static inline void pb_fini(struct plan_builder *pb)
{
	pb_free(pb->slots.data);
	pb_free(pb->tensors.data);
	pb_free(pb->steps.data);
	pb_free(pb->commands.data);
	pb_free(pb->views.data);
	pb_free(pb->attrs.data);
	pb_free(pb->images.data);
}

static inline struct drm_loom_plan_slot *pb_slot(struct plan_builder *pb, u32 slot)
{
	return (struct drm_loom_plan_slot *)pb->slots.data + slot;
}

static inline struct drm_loom_plan_tensor *pb_tensor(struct plan_builder *pb, u32 tensor)
{
	return (struct drm_loom_plan_tensor *)pb->tensors.data + tensor;
}

static inline struct drm_loom_plan_step *pb_step(struct plan_builder *pb, u32 step)
{
	return (struct drm_loom_plan_step *)pb->steps.data + step;
}

static inline struct drm_loom_plan_command *pb_command(struct plan_builder *pb, u32 command)
{
	return (struct drm_loom_plan_command *)pb->commands.data + command;
}

/* Operand of a command, as it stands in the view table. */
static inline struct drm_loom_plan_view *pb_operand(struct plan_builder *pb, u32 command,
						    u32 operand)
{
	return (struct drm_loom_plan_view *)pb->views.data + pb_command(pb, command)->first_view +
	       operand;
}

static inline void *pb_attr(struct plan_builder *pb, u32 command)
{
	return (char *)pb->attrs.data + pb_command(pb, command)->attr_offset;
}

static inline u32 pb_add_slot(struct plan_builder *pb, u64 size, u32 flags)
{
	struct drm_loom_plan_slot *slot = pb_push(&pb->slots, 1);

	slot->size = size;
	slot->flags = flags;
	return pb->slots.count - 1;
}

static inline struct drm_loom_plan_image *pb_image(struct plan_builder *pb, u32 image)
{
	return (struct drm_loom_plan_image *)pb->images.data + image;
}

/* Makes an image of a slot, and the slot as large as that. */
static inline u32 pb_add_image(struct plan_builder *pb, u32 slot, u32 dtype, u32 width, u32 height,
			       u32 pitch_bytes)
{
	*(struct drm_loom_plan_image *)pb_push(&pb->images, 1) = (struct drm_loom_plan_image){
		.slot = slot,
		.dtype = dtype,
		.width = width,
		.height = height,
		.pitch_bytes = pitch_bytes,
	};
	pb_slot(pb, slot)->size = (u64)height * pitch_bytes;
	return pb->images.count - 1;
}

/* Dense strides and the size that goes with them. */
static inline void pb_pack(struct plan_builder *pb, struct drm_loom_plan_tensor *tensor)
{
	u64 bytes = loom_dtype_stride(tensor->dtype);
	u32 i;

	for (i = tensor->rank; i-- > 0;) {
		u64 count = tensor->dims[i];

		if (tensor->region == DRM_LOOM_REGION_SRAM && i == tensor->lane_axis)
			count = (count + pb->header.lanes - 1) / pb->header.lanes;
		tensor->strides[i] = bytes;
		bytes *= count;
	}
	tensor->size = bytes;
}

struct pb_shape {
	u32 rank;
	u32 dims[DRM_LOOM_MAX_RANK];
};

/* Each by its name: sparse takes nested braces for twice the same in a call that it inlines. */
#define PB_DIMS(_0, _1, _2, _3, _4, _5, ...) \
	.dims[0] = _0, .dims[1] = _1, .dims[2] = _2, .dims[3] = _3, .dims[4] = _4, .dims[5] = _5
#define PB_SHAPE(...) ((struct pb_shape){ \
	.rank = sizeof((u32[]){ __VA_ARGS__ }) / sizeof(u32), \
	PB_DIMS(__VA_ARGS__, 0, 0, 0, 0, 0, 0) })

static inline u32 pb_add_dram(struct plan_builder *pb, u32 slot, u64 offset, u32 first, u32 last,
			      u8 dtype, struct pb_shape shape)
{
	struct drm_loom_plan_tensor *tensor = pb_push(&pb->tensors, 1);

	tensor->region = DRM_LOOM_REGION_DRAM;
	tensor->slot = slot;
	tensor->offset = offset;
	tensor->first_step = first;
	tensor->last_step = last;
	tensor->dtype = dtype;
	tensor->rank = shape.rank;
	memcpy(tensor->dims, shape.dims, sizeof(shape.dims));
	pb_pack(pb, tensor);
	return pb->tensors.count - 1;
}

static inline u32 pb_add_sram(struct plan_builder *pb, u64 offset, u32 first, u32 last, u8 dtype,
			      u8 lane_axis, struct pb_shape shape)
{
	u32 index = pb_add_dram(pb, 0, offset, first, last, dtype, shape);
	struct drm_loom_plan_tensor *tensor = pb_tensor(pb, index);

	tensor->region = DRM_LOOM_REGION_SRAM;
	tensor->lane_axis = lane_axis;
	pb_pack(pb, tensor);
	return index;
}

/* An alias with the lifetime and the first byte of its parent. */
static inline u32 pb_add_alias(struct plan_builder *pb, u32 parent, u8 dtype, u8 lane_axis,
			       struct pb_shape shape)
{
	struct drm_loom_plan_tensor *tensor = pb_push(&pb->tensors, 1);

	*tensor = *pb_tensor(pb, parent);
	tensor->flags |= DRM_LOOM_TENSOR_ALIAS;
	tensor->parent = parent;
	tensor->dtype = dtype;
	tensor->lane_axis = lane_axis;
	tensor->rank = shape.rank;
	memset(tensor->strides, 0, sizeof(tensor->strides));
	memcpy(tensor->dims, shape.dims, sizeof(shape.dims));
	pb_pack(pb, tensor);
	return pb->tensors.count - 1;
}

/* All of a tensor. */
static inline struct drm_loom_plan_view pb_all(struct plan_builder *pb, u32 tensor)
{
	const struct drm_loom_plan_tensor *of = pb_tensor(pb, tensor);
	struct drm_loom_plan_view view = {
		.tensor = tensor,
		.dtype = of->dtype,
		.rank = of->rank,
		.lane_axis = of->lane_axis,
	};
	u32 i;

	for (i = 0; i < of->rank; i++) {
		view.dims[i] = of->dims[i];
		view.strides[i] = of->strides[i];
	}
	return view;
}

static inline bool pb_on_lanes(struct plan_builder *pb, const struct drm_loom_plan_view *view,
			       u32 axis)
{
	return pb_tensor(pb, view->tensor)->region == DRM_LOOM_REGION_SRAM &&
	       axis == view->lane_axis;
}

/* Elements [start, start + count) of an axis. */
static inline struct drm_loom_plan_view pb_slice(struct plan_builder *pb,
						 struct drm_loom_plan_view view, u32 axis,
						 u32 start, u32 count)
{
	if (pb_on_lanes(pb, &view, axis))
		view.lane_start += start;
	else
		view.offset += start * (u64)view.strides[axis];
	view.dims[axis] = count;
	return view;
}

static inline struct drm_loom_plan_view pb_transpose(struct drm_loom_plan_view view,
						     const u32 *order)
{
	struct drm_loom_plan_view out = view;
	u32 i;

	for (i = 0; i < view.rank; i++) {
		out.dims[i] = view.dims[order[i]];
		out.strides[i] = view.strides[order[i]];
		if (order[i] == view.lane_axis)
			out.lane_axis = i;
	}
	return out;
}

static inline void pb_begin_step(struct plan_builder *pb)
{
	struct drm_loom_plan_step *step = pb_push(&pb->steps, 1);

	step->first_command = pb->commands.count;
}

struct pb_views {
	u32 count;
	struct drm_loom_plan_view view[DRM_LOOM_MAX_OPERANDS];
};

#define PB_VIEWS(...) ((struct pb_views){ \
	sizeof((struct drm_loom_plan_view[]){ __VA_ARGS__ }) / \
	sizeof(struct drm_loom_plan_view), { __VA_ARGS__ } })

/*
 * A command of the step begun last; the stream is that of the opcode. The views have a scope of
 * their own, and so do not all lie on the kernel's small stack at the same time.
 */
#define pb_add(pb, opcode, attr, attr_size, ...) ({ \
	const struct pb_views _views = __VA_ARGS__; \
	pb_add_views(pb, opcode, attr, attr_size, &_views); })

static inline u32 pb_add_views(struct plan_builder *pb, u16 opcode, const void *attr,
			       u32 attr_size, const struct pb_views *views)
{
	struct drm_loom_plan_step *step = pb_step(pb, pb->steps.count - 1);
	struct drm_loom_plan_command *command = pb_push(&pb->commands, 1);
	const struct loom_op *op = loom_op_get(opcode);

	command->opcode = opcode;
	command->operands = views->count;
	command->first_view = pb->views.count;
	memcpy(pb_push(&pb->views, views->count), views->view,
	       views->count * sizeof(views->view[0]));
	if (attr_size) {
		command->attr_offset = pb->attrs.count;
		command->attr_size = attr_size;
		memcpy(pb_push(&pb->attrs, (attr_size + 7) & ~7U), attr, attr_size);
	}
	if (op && op->stream == LOOM_STREAM_COMPUTE)
		step->compute_commands++;
	else
		step->dma_commands++;
	return pb->commands.count - 1;
}

static inline u64 pb_place(u8 *blob, u64 at, const struct pb_table *table,
			   struct drm_loom_table *out)
{
	u64 bytes = (u64)table->count * table->stride;

	out->offset = at;
	out->count = table->count;
	out->stride = table->stride;
	if (blob && bytes)
		memcpy(blob + at, table->data, bytes);
	return (at + bytes + 7) & ~7ULL;
}

/* The blob, from pb_alloc(). */
static inline void *pb_blob(struct plan_builder *pb, u64 *size)
{
	struct drm_loom_plan_header *header = &pb->header;
	bool native = header->version == DRM_LOOM_PLAN_VERSION_NATIVE;
	u8 *blob = NULL;
	u64 at;

	for (;;) {
		at = sizeof(*header) + (native ? sizeof(pb->format) : 0);
		at = pb_place(blob, at, &pb->slots, &header->slots);
		at = pb_place(blob, at, &pb->tensors, &header->tensors);
		at = pb_place(blob, at, &pb->steps, &header->steps);
		at = pb_place(blob, at, &pb->commands, &header->commands);
		at = pb_place(blob, at, &pb->views, &header->views);
		at = pb_place(blob, at, &pb->attrs, &header->attrs);
		if (pb->images.count)
			at = pb_place(blob, at, &pb->images, &header->images);
		header->size = at;
		if (blob)
			break;
		blob = pb_alloc(at);
	}
	memcpy(blob, header, sizeof(*header));
	if (native)
		memcpy(blob + sizeof(*header), &pb->format, sizeof(pb->format));
	*size = at;
	return blob;
}

/* A payload of the tests: the answer of the check. */
struct pb_payload {
	u32 reason;
	u32 at;
	u32 zero;
	u32 refuse;
};

#define PB_FORMAT	((struct drm_loom_format){ .id = 0x7465737473ULL, .version = 3 })

static inline int pb_check_payload(struct loom_payload *payload)
{
	const struct pb_payload *says = payload->bytes;

	if (payload->size < sizeof(*says))
		return 0;
	payload->reason = says->reason;
	payload->at = says->at;
	payload->zero = says->zero;
	return says->refuse ? -EBADMSG : 0;
}

static inline const struct loom_native *pb_native(void)
{
	static const struct drm_loom_format formats[] = {
		{ .id = 0x7465737473ULL, .version = 2 }, { .id = 0x7465737473ULL, .version = 3 },
	};
	static const struct loom_native native = {
		.formats = formats, .count = ARRAY_SIZE(formats), .check = pb_check_payload,
	};

	return &native;
}

/*
 * Builds the blob and gives it to the verifier. An accepted plan must survive the round trip
 * through the encoding for a device, otherwise this returns 1, which no test expects.
 */
static inline int pb_verify(struct plan_builder *pb, const struct drm_loom_chip *chip,
			    struct loom_plan **plan, struct drm_loom_reject *reject)
{
	u64 size;
	void *blob = pb_blob(pb, &size);
	int ret = loom_plan_create_native(blob, size, chip, pb_native(), plan, reject);

	pb_free(blob);
	return ret ? ret : code_round(*plan, chip);
}

#endif /* LOOM_TESTS_PLAN_BUILDER_H */
