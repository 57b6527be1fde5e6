/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_BUILDER_H
#define LOOM_BUILDER_H

/*
 * A small builder of plans, and the plans that many tests run. It writes bytes as the UAPI header
 * describes them and shares no code with the library, so that the two check each other.
 */
#include "loom_node.h"

/*
 * Tensors are [lanes][columns] of F32: a row lies in a lane, so an SRAM tensor takes a
 * row of bytes per bank. Commands go into the step that was begun last.
 */
struct loom_builder {
	uint32_t lanes;
	uint32_t columns;
	uint64_t scratch_bytes;
	/* of native commands; version 0: there are none */
	struct drm_loom_format format;
	struct drm_loom_plan_slot slots[DRM_LOOM_MAX_SLOTS + 1];
	struct drm_loom_plan_tensor tensors[DRM_LOOM_MAX_SLOTS + 8];
	struct drm_loom_plan_step steps[8];
	struct drm_loom_plan_command *commands;
	struct drm_loom_plan_view *views;
	unsigned char attrs[1024];
	uint32_t slot_count, tensor_count, step_count, command_count, view_count, attr_bytes;
};

static inline void loom_builder_init(struct loom_builder *builder, uint32_t lanes,
				     uint32_t columns)
{
	*builder = (struct loom_builder) { .lanes = lanes, .columns = columns };
}

static inline uint64_t loom_builder_row_bytes(const struct loom_builder *builder)
{
	return (uint64_t)builder->columns * sizeof(float);
}

static inline uint64_t loom_builder_tensor_bytes(const struct loom_builder *builder)
{
	return builder->lanes * loom_builder_row_bytes(builder);
}

static inline uint32_t loom_builder_tensor(struct loom_builder *builder, uint32_t region,
					   uint32_t slot, uint64_t offset, uint32_t first_step,
					   uint32_t last_step)
{
	uint64_t row = loom_builder_row_bytes(builder);
	struct drm_loom_plan_tensor *tensor = &builder->tensors[builder->tensor_count];

	*tensor = (struct drm_loom_plan_tensor) {
		.region = region,
		.slot = slot,
		.offset = offset,
		.size = region == DRM_LOOM_REGION_SRAM ? row : row * builder->lanes,
		.first_step = first_step,
		.last_step = last_step,
		.dtype = DRM_LOOM_DTYPE_F32,
		.rank = 2,
		.dims = { builder->lanes, builder->columns },
		.strides = { row, sizeof(float) },
	};
	if (region == DRM_LOOM_REGION_SRAM && builder->scratch_bytes < offset + row)
		builder->scratch_bytes = offset + row;
	return builder->tensor_count++;
}

/* A slot that is one tensor. Return: the tensor. */
static inline uint32_t loom_builder_slot(struct loom_builder *builder, uint32_t flags,
					 uint32_t first_step, uint32_t last_step)
{
	builder->slots[builder->slot_count] = (struct drm_loom_plan_slot) {
		.size = loom_builder_tensor_bytes(builder),
		.flags = flags,
	};
	return loom_builder_tensor(builder, DRM_LOOM_REGION_DRAM, builder->slot_count++, 0,
				   first_step, last_step);
}

static inline void loom_builder_step(struct loom_builder *builder)
{
	builder->steps[builder->step_count++] = (struct drm_loom_plan_step) {
		.first_command = builder->command_count,
	};
}

static inline struct drm_loom_plan_view *loom_builder_view(struct loom_builder *builder,
							   uint32_t tensor)
{
	struct drm_loom_plan_view *view = &builder->views[builder->view_count++];

	*view = (struct drm_loom_plan_view) {
		.tensor = tensor,
		.dtype = DRM_LOOM_DTYPE_F32,
		.rank = 2,
		.dims = { builder->lanes, builder->columns },
		.strides = { loom_builder_row_bytes(builder), sizeof(float) },
	};
	return view;
}

/* y = op(x) on whole tensors. Attributes with the same bytes are stored once. */
static inline struct drm_loom_plan_view *loom_builder_command(struct loom_builder *builder,
							      uint32_t opcode, const void *attr,
							      uint32_t attr_size, uint32_t y,
							      uint32_t x)
{
	struct drm_loom_plan_step *step = &builder->steps[builder->step_count - 1];
	struct drm_loom_plan_view *views;
	uint32_t offset = 0;

	builder->commands = realloc(builder->commands, (builder->command_count + 1) *
				    sizeof(*builder->commands));
	builder->views = realloc(builder->views, (builder->view_count + 2) *
				 sizeof(*builder->views));
	if (!builder->commands || !builder->views)
		exit(KSFT_FAIL);
	while (attr_size && offset < builder->attr_bytes &&
	       (offset + attr_size > builder->attr_bytes ||
		memcmp(&builder->attrs[offset], attr, attr_size)))
		offset += 8;
	if (attr_size && offset >= builder->attr_bytes) {
		memcpy(&builder->attrs[offset], attr, attr_size);
		builder->attr_bytes = offset + (attr_size + 7) / 8 * 8;
	}
	builder->commands[builder->command_count++] = (struct drm_loom_plan_command) {
		.opcode = opcode,
		.operands = 2,
		.first_view = builder->view_count,
		.attr_size = attr_size,
		.attr_offset = attr_size ? offset : 0,
	};
	if (opcode <= DRM_LOOM_OP_FILL)
		step->dma_commands++;
	else
		step->compute_commands++;
	loom_builder_view(builder, y);
	loom_builder_view(builder, x);
	views = &builder->views[builder->view_count - 2];
	return views;
}

/* A native command on whole tensors, by a structure that ends with its payload. */
static inline void loom_builder_native(struct loom_builder *builder, const void *attr,
				       uint32_t attr_size, const uint32_t *tensors, uint32_t count)
{
	uint32_t i;

	builder->commands = realloc(builder->commands, (builder->command_count + 1) *
				    sizeof(*builder->commands));
	builder->views = realloc(builder->views, (builder->view_count + count) *
				 sizeof(*builder->views));
	if (!builder->commands || !builder->views)
		exit(KSFT_FAIL);
	builder->commands[builder->command_count++] = (struct drm_loom_plan_command) {
		.opcode = DRM_LOOM_OP_NATIVE,
		.operands = count,
		.first_view = builder->view_count,
		.attr_size = attr_size,
		.attr_offset = builder->attr_bytes,
	};
	memcpy(&builder->attrs[builder->attr_bytes], attr, attr_size);
	builder->attr_bytes += (attr_size + 7) / 8 * 8;
	builder->steps[builder->step_count - 1].compute_commands++;
	for (i = 0; i < count; i++)
		loom_builder_view(builder, tensors[i]);
}

/* The blob, to be freed by the caller. The builder is empty afterwards. */
static inline void *loom_builder_finish(struct loom_builder *builder, uint64_t *size)
{
	struct drm_loom_plan_header header = {
		.magic = DRM_LOOM_PLAN_MAGIC,
		.version = builder->format.version ? DRM_LOOM_PLAN_VERSION_NATIVE :
						     DRM_LOOM_PLAN_VERSION,
		.lanes = builder->lanes,
		.scratch_bytes = builder->scratch_bytes,
	};
	struct {
		struct drm_loom_table *table;
		const void *entries;
		uint32_t count, stride;
	} tables[] = {
		{ &header.slots, builder->slots, builder->slot_count, sizeof(*builder->slots) },
		{ &header.tensors, builder->tensors, builder->tensor_count,
		  sizeof(*builder->tensors) },
		{ &header.steps, builder->steps, builder->step_count, sizeof(*builder->steps) },
		{ &header.commands, builder->commands, builder->command_count,
		  sizeof(*builder->commands) },
		{ &header.views, builder->views, builder->view_count, sizeof(*builder->views) },
		{ &header.attrs, builder->attrs, builder->attr_bytes, 1 },
	};
	unsigned char *blob;
	unsigned int i;

	header.size = sizeof(header) + (builder->format.version ? sizeof(builder->format) : 0);
	for (i = 0; i < LOOM_ARRAY_SIZE(tables); i++) {
		*tables[i].table = (struct drm_loom_table) {
			.offset = header.size,
			.count = tables[i].count,
			.stride = tables[i].stride,
		};
		header.size += (uint64_t)tables[i].count * tables[i].stride;
	}
	blob = malloc(header.size);
	if (!blob)
		exit(KSFT_FAIL);
	memcpy(blob, &header, sizeof(header));
	if (builder->format.version)
		memcpy(blob + sizeof(header), &builder->format, sizeof(builder->format));
	for (i = 0; i < LOOM_ARRAY_SIZE(tables); i++)
		if (tables[i].count)
			memcpy(blob + tables[i].table->offset, tables[i].entries,
			       (uint64_t)tables[i].count * tables[i].stride);
	free(builder->commands);
	free(builder->views);
	*size = header.size;
	return blob;
}

#ifdef _LOOM_ACCEL_OPS_H_
/* y = the sum over x, which is read @repeat times with a stride of zero. */
static inline void loom_builder_sum(struct loom_builder *builder, uint32_t y, uint32_t x,
				    uint32_t repeat)
{
	struct drm_loom_attr_reduce attr = { .kind = DRM_LOOM_REDUCE_SUM };
	struct drm_loom_plan_view *views;

	views = loom_builder_command(builder, DRM_LOOM_OP_REDUCE, &attr, sizeof(attr), y, x);
	views[0].rank = 3;
	views[0].dims[2] = 1;
	views[0].strides[2] = 0;
	views[1].rank = 3;
	views[1].dims[2] = repeat;
	views[1].strides[2] = 0;
}
#endif

/* No slots, no steps. */
static inline void *loom_plan_blob_null(uint32_t lanes, uint64_t *size)
{
	struct loom_builder builder;

	loom_builder_init(&builder, lanes, LOOM_COLUMNS);
	return loom_builder_finish(&builder, size);
}

/*
 * First half of the following plans: slot 0 is loaded to the scratch in step 0, step 1 is begun.
 * The second half, loom_builder_store(), stores the result to slot 1 in step 2.
 */
static inline void loom_builder_load(struct loom_builder *builder, uint32_t lanes, uint32_t *x,
				     uint32_t *y, uint32_t *out)
{
	uint32_t in;

	loom_builder_init(builder, lanes, LOOM_COLUMNS);
	in = loom_builder_slot(builder, DRM_LOOM_SLOT_READ, 0, 0);
	*out = loom_builder_slot(builder, DRM_LOOM_SLOT_WRITE, 2, 2);
	*x = loom_builder_tensor(builder, DRM_LOOM_REGION_SRAM, 0, 0, 0, 1);
	*y = loom_builder_tensor(builder, DRM_LOOM_REGION_SRAM, 0, loom_builder_row_bytes(builder),
				 1, 2);
	loom_builder_step(builder);
	loom_builder_command(builder, DRM_LOOM_OP_LOAD, NULL, 0, *x, in);
	loom_builder_step(builder);
}

static inline void *loom_builder_store(struct loom_builder *builder, uint32_t out, uint32_t y,
				       uint64_t *size)
{
	loom_builder_step(builder);
	loom_builder_command(builder, DRM_LOOM_OP_STORE, NULL, 0, out, y);
	return loom_builder_finish(builder, size);
}

/* Slot 1 = slot 0. */
static inline void *loom_plan_blob_copy(uint32_t lanes, uint64_t *size)
{
	struct loom_builder builder;
	uint32_t out, x, y;

	loom_builder_load(&builder, lanes, &x, &y, &out);
	loom_builder_command(&builder, DRM_LOOM_OP_COPY, NULL, 0, y, x);
	return loom_builder_store(&builder, out, y, size);
}

#ifdef _LOOM_ACCEL_OPS_H_
/*
 * Slot 1 = op(slot 0), and op of that again, @rounds times, by way of two tensors in the scratch.
 * Steps: load, compute, store.
 */
static inline void *loom_plan_blob_rounds(uint32_t lanes, uint32_t kind, uint32_t rounds,
					  uint64_t *size)
{
	struct drm_loom_attr_unary attr = { .kind = kind };
	struct loom_builder builder;
	uint32_t out, x, y, i;

	loom_builder_load(&builder, lanes, &x, &y, &out);
	for (i = 0; i < rounds; i++)
		loom_builder_command(&builder, DRM_LOOM_OP_UNARY, &attr, sizeof(attr), y,
				     i ? y : x);
	return loom_builder_store(&builder, out, y, size);
}

static inline void *loom_plan_blob_unary(uint32_t lanes, uint32_t kind, uint64_t *size)
{
	return loom_plan_blob_rounds(lanes, kind, 1, size);
}

/*
 * Slot 1 = the sum over slot 0, which is read @repeat times with a stride of zero, all of it
 * @rounds times: much work in few bytes of plan.
 */
static inline void *loom_plan_blob_work(uint32_t lanes, uint32_t repeat, uint32_t rounds,
					uint64_t *size)
{
	struct loom_builder builder;
	uint32_t out, x, y;

	loom_builder_load(&builder, lanes, &x, &y, &out);
	while (rounds--)
		loom_builder_sum(&builder, y, x, repeat);
	return loom_builder_store(&builder, out, y, size);
}

/* Longer than any test waits, on any machine. */
static inline void *loom_plan_blob_endless(uint32_t lanes, uint64_t *size)
{
	return loom_plan_blob_work(lanes, 65536, 2000, size);
}

/* loom_plan_blob_work() without scratch, of two slots in SRAM buffers. */
static inline void *loom_plan_blob_bound(uint32_t lanes, uint32_t repeat, uint32_t rounds,
					 uint64_t *size)
{
	struct loom_builder builder;
	uint32_t i;

	loom_builder_init(&builder, lanes, LOOM_COLUMNS);
	for (i = 0; i < 2; i++) {
		loom_builder_slot(&builder, DRM_LOOM_SLOT_SRAM |
				  (i ? DRM_LOOM_SLOT_WRITE : DRM_LOOM_SLOT_READ), 0, 0);
		builder.slots[i].size = LOOM_ROW_BYTES;
		builder.tensors[i].region = DRM_LOOM_REGION_SRAM;
		builder.tensors[i].flags = DRM_LOOM_TENSOR_SLOT;
		builder.tensors[i].size = LOOM_ROW_BYTES;
	}
	loom_builder_step(&builder);
	while (rounds--)
		loom_builder_sum(&builder, 1, 0, repeat);
	return loom_builder_finish(&builder, size);
}
#endif

#endif /* LOOM_BUILDER_H */
