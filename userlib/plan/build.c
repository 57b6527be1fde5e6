// SPDX-License-Identifier: MIT
/* Assembly of a plan's tables. See build.h. */
#include "build.h"

#include "loom_op.h"

#include "base/watch.h"

#include <stdlib.h>

void loom_build_init(struct loom_build *build, u32 lanes)
{
	memset(build, 0, sizeof(*build));
	build->lanes = lanes;
	build->node = LOOM_NODE_NONE;
}

void loom_build_clear(struct loom_build *build)
{
	free(build->slots);
	free(build->tensors);
	free(build->commands);
	free(build->views);
	free(build->attrs);
	free(build->images);
	free(build->labels);
	free(build->command_nodes);
	memset(build, 0, sizeof(*build));
}

/* Makes room for @more elements behind the first @count; on failure sets the status. */
static bool grow(struct loom_build *build, void *array, size_t count, size_t *cap, size_t more,
		 size_t elem_bytes)
{
	void **pointer = array, *larger;
	size_t room = *cap ? *cap : 64;

	if (build->status)
		return false;
	if (count + more <= *cap)
		return true;
	while (room < count + more)
		room *= 2;
	if (room > SIZE_MAX / 2 / elem_bytes) {
		build->status = -E2BIG;
		return false;
	}
	larger = realloc(*pointer, room * elem_bytes);
	if (!larger) {
		build->status = -ENOMEM;
		return false;
	}
	*pointer = larger;
	*cap = room;
	return true;
}

u32 loom_build_slot(struct loom_build *build, u64 size_bytes, u32 flags)
{
	struct drm_loom_plan_slot *slot;

	if (!grow(build, &build->slots, build->num_slots, &build->cap_slots, 1, sizeof(*slot)))
		return 0;
	slot = &build->slots[build->num_slots];
	memset(slot, 0, sizeof(*slot));
	slot->size = size_bytes;
	slot->flags = flags;
	return build->num_slots++;
}

void loom_build_image(struct loom_build *build, const struct drm_loom_plan_image *image)
{
	if (grow(build, &build->images, build->num_images, &build->cap_images, 1, sizeof(*image)))
		build->images[build->num_images++] = *image;
}

u32 loom_build_tensor(struct loom_build *build, const struct drm_loom_plan_tensor *tensor)
{
	struct drm_loom_plan_tensor *copy;

	if (!grow(build, &build->tensors, build->num_tensors, &build->cap_tensors, 1,
		  sizeof(*copy)) ||
	    !grow(build, &build->labels, build->num_tensors, &build->cap_labels, 1,
		  sizeof(*build->labels)))
		return 0;
	if (build->num_tensors >= DRM_LOOM_MAX_TENSORS) {
		build->status = -E2BIG;
		return 0;
	}
	copy = &build->tensors[build->num_tensors];
	*copy = *tensor;
	copy->first_step = U32_MAX;
	copy->last_step = 0;
	build->labels[build->num_tensors] = (struct loom_program_label){ .name = "" };
	return build->num_tensors++;
}

void loom_build_label(struct loom_build *build, u32 tensor, const char *name,
		      enum loom_label_kind kind, u32 slice)
{
	if (build->status)
		return;
	build->labels[tensor] = (struct loom_program_label){
		.name = name ? name : "",
		.kind = kind,
		.slice = slice,
	};
}

static u64 view_elems(const struct drm_loom_plan_view *view)
{
	u64 elems = 1;
	u32 i;

	for (i = 0; i < view->rank; i++)
		elems *= view->dims[i];
	return elems;
}

u64 loom_build_bytes(u32 opcode, const struct drm_loom_plan_view *views, u32 i)
{
	return loom_dtype_row_bytes(views[i].dtype,
				    view_elems(&views[loom_op_counted(opcode, i)]));
}

/*
 * Counts the bytes of DMA, and those of images that a command uses in DRAM. Bytes that a command
 * reads and writes in SRAM are not counted.
 */
static void count_moved(struct loom_build *build, u32 opcode,
			const struct drm_loom_plan_view *views, u32 i, bool dma)
{
	struct drm_loom_counters *c = &build->counters;
	u64 bytes = loom_build_bytes(opcode, views, i);

	if (build->tensors[views[i].tensor].region == DRM_LOOM_REGION_ROM)
		c->rom_read_bytes += bytes;
	else if (build->tensors[views[i].tensor].region == DRM_LOOM_REGION_DRAM)
		*(i ? &c->dram_read_bytes : &c->dram_write_bytes) += bytes;
	else if (dma)
		*(i ? &c->sram_read_bytes : &c->sram_write_bytes) += bytes;
}

u64 loom_build_macs(u32 opcode, const struct drm_loom_plan_view *views)
{
	const u32 *w = views[2].dims;

	switch (opcode) {
	case DRM_LOOM_OP_CONV:
		return view_elems(&views[0]) * w[1] * w[2] * w[3] * w[4];
	case DRM_LOOM_OP_DECONV:
		return view_elems(&views[1]) * w[1] * w[2] * w[3] * w[4];
	case DRM_LOOM_OP_MATMUL:
	case DRM_LOOM_OP_MATMUL_ADD:
		return view_elems(&views[0]) * views[1].dims[3];
	}
	return 0;
}

static bool in_sram(const struct loom_build *build, const struct drm_loom_plan_view *view)
{
	return build->tensors[view->tensor].region == DRM_LOOM_REGION_SRAM;
}

static bool in_sram_slot(const struct loom_build *build, const struct drm_loom_plan_view *view)
{
	const struct drm_loom_plan_tensor *tensor = &build->tensors[view->tensor];

	return tensor->region == DRM_LOOM_REGION_SRAM && tensor->flags & DRM_LOOM_TENSOR_SLOT;
}

/* An axis of one element in all views, or U32_MAX. */
static u32 single_axis(const struct drm_loom_plan_view *view)
{
	u32 i;

	for (i = 0; i < view->rank; i++)
		if (view->dims[i] == 1)
			return i;
	return U32_MAX;
}

static void put_axis(struct drm_loom_plan_view *view)
{
	memmove(&view->dims[1], &view->dims[0], view->rank * sizeof(view->dims[0]));
	memmove(&view->strides[1], &view->strides[0], view->rank * sizeof(view->strides[0]));
	view->dims[0] = 1;
	view->strides[0] = 0;
	view->lane_axis++;
	view->rank++;
}

/*
 * Opcode of a move from or to a slot in the SRAM, on a chip of one lane. A LOAD or STORE becomes a
 * move within the region, and a copy of constants a move from ROM, if they are there. The lane axis
 * of a tensor there has one element, see lower/storage.h, and its views must have such an axis as
 * well.
 */
static u32 stay_in_sram(struct loom_build *build, u32 opcode, struct drm_loom_plan_view *views,
			u32 operands)
{
	u32 axis = single_axis(&views[0]), i;

	if (axis == U32_MAX && views[0].rank == DRM_LOOM_MAX_RANK) {
		build->status = -E2BIG;
		return opcode;
	}
	for (i = 0; i < operands; i++) {
		struct drm_loom_plan_view *view = &views[i];

		if (axis == U32_MAX) {
			put_axis(view);
			if (in_sram_slot(build, view) || !in_sram(build, view))
				view->lane_axis = 0;
		} else if (in_sram_slot(build, view)) {
			view->lane_axis = axis;
		}
		if (in_sram_slot(build, view)) {
			view->strides[view->lane_axis] = build->tensors[view->tensor].strides[0];
			view->lane_start = 0;
		}
	}
	if (opcode == DRM_LOOM_OP_FILL)
		return opcode;
	return in_sram(build, &views[1]) ? DRM_LOOM_OP_COPY : DRM_LOOM_OP_LOAD;
}

void loom_build_command(struct loom_build *build, u32 step, u32 opcode,
			const struct drm_loom_plan_view *given, u32 operands,
			const void *attr, u32 attr_bytes)
{
	struct drm_loom_plan_view views[DRM_LOOM_MAX_NATIVE_OPERANDS];
	struct loom_build_command *command;
	size_t padded = ((size_t)attr_bytes + 7) & ~(size_t)7;
	u32 i;

	if (!grow(build, &build->commands, build->num_commands, &build->cap_commands, 1,
		  sizeof(*command)) ||
	    !grow(build, &build->views, build->num_views, &build->cap_views, operands,
		  sizeof(*views)) ||
	    !grow(build, &build->attrs, build->attr_bytes, &build->cap_attrs, padded, 1))
		return;
	if (step >= DRM_LOOM_MAX_STEPS || build->num_commands >= DRM_LOOM_MAX_COMMANDS ||
	    build->num_views + operands > DRM_LOOM_MAX_VIEWS ||
	    build->attr_bytes + padded > DRM_LOOM_MAX_ATTR_BYTES) {
		build->status = -E2BIG;
		return;
	}
	memcpy(views, given, operands * sizeof(*given));
	if (opcode <= DRM_LOOM_OP_FILL &&
	    (in_sram_slot(build, &views[0]) ||
	     (operands > 1 && in_sram_slot(build, &views[1]))))
		opcode = stay_in_sram(build, opcode, views, operands);
	command = &build->commands[build->num_commands++];
	*command = (struct loom_build_command){
		.step = step,
		.opcode = opcode,
		.stream = opcode > DRM_LOOM_OP_FILL,
		.operands = operands,
		.first_view = build->num_views,
		.attr_offset = build->attr_bytes,
		.attr_bytes = attr_bytes,
		.node = build->node,
	};
	memcpy(&build->views[build->num_views], views, operands * sizeof(*views));
	build->num_views += operands;
	/* the first attributes create the table */
	if (attr_bytes) {
		memset(build->attrs + build->attr_bytes, 0, padded);
		memcpy(build->attrs + build->attr_bytes, attr, attr_bytes);
	}
	build->attr_bytes += padded;
	if (build->num_steps < step + 1)
		build->num_steps = step + 1;

	for (i = 0; i < operands; i++) {
		struct drm_loom_plan_tensor *tensor = &build->tensors[views[i].tensor];

		tensor->first_step = min(tensor->first_step, step);
		tensor->last_step = max(tensor->last_step, step);
		count_moved(build, opcode, views, i, !command->stream);
	}
	build->counters.macs += loom_build_macs(opcode, views);
	build->counters.commands++;
}

static struct drm_loom_plan_tensor *tensor_of(struct loom_build *build, size_t command, u32 operand)
{
	return &build->tensors[build->views[build->commands[command].first_view + operand].tensor];
}

u32 loom_build_squeeze(struct loom_build *build, u32 first)
{
	u32 *to, end = build->num_steps, next = first, i;
	struct drm_loom_plan_tensor *tensor;
	size_t from, k;

	if (build->status || end <= first)
		return first;
	to = calloc((size_t)end - first, sizeof(*to));
	if (!to) {
		build->status = -ENOMEM;
		return first;
	}
	/* commands of earlier steps come first: it takes no time for these */
	for (from = build->num_commands; from && build->commands[from - 1].step >= first; from--)
		to[build->commands[from - 1].step - first] = 1;
	for (i = 0; i < end - first; i++)
		to[i] = to[i] ? next++ : U32_MAX;
	/* lifetimes begin and end with commands */
	for (k = from; k < build->num_commands; k++)
		for (i = 0; i < build->commands[k].operands; i++) {
			tensor = tensor_of(build, k, i);
			if (tensor->first_step >= first)
				tensor->first_step = U32_MAX;
			if (tensor->last_step >= first)
				tensor->last_step = first;
		}
	for (k = from; k < build->num_commands; k++) {
		build->commands[k].step = to[build->commands[k].step - first];
		for (i = 0; i < build->commands[k].operands; i++) {
			tensor = tensor_of(build, k, i);
			tensor->first_step = min(tensor->first_step, build->commands[k].step);
			tensor->last_step = max(tensor->last_step, build->commands[k].step);
		}
	}
	free(to);
	build->num_steps = next;
	return next;
}

/* Assigns the offsets of the tables in the blob. */
static void lay_out(const struct loom_build *build, struct drm_loom_plan_header *header,
		    size_t header_bytes)
{
	const struct {
		struct drm_loom_table *table;
		size_t count;
		u32 stride;
	} tables[] = {
		{ &header->slots, build->num_slots, sizeof(struct drm_loom_plan_slot) },
		{ &header->tensors, build->num_tensors, sizeof(struct drm_loom_plan_tensor) },
		{ &header->steps, build->num_steps, sizeof(struct drm_loom_plan_step) },
		{ &header->commands, build->num_commands, sizeof(struct drm_loom_plan_command) },
		{ &header->views, build->num_views, sizeof(struct drm_loom_plan_view) },
		{ &header->attrs, build->attr_bytes, 1 },
		{ &header->images, build->num_images, sizeof(struct drm_loom_plan_image) },
	};
	u64 at = header_bytes;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		/* without images, a plan has the same bytes as before the format had images */
		if (tables[i].table == &header->images && !build->num_images)
			continue;
		tables[i].table->offset = at;
		tables[i].table->count = tables[i].count;
		tables[i].table->stride = tables[i].stride;
		at += (tables[i].count * tables[i].stride + 7) & ~7ULL;
	}
	header->size = at;
}

/* Counting sort. */
size_t *loom_build_order(const struct loom_build *build)
{
	size_t buckets = (size_t)build->num_steps * 2, i, sum = 0;
	size_t *start = calloc(buckets + 1, sizeof(*start));
	size_t *order = calloc(build->num_commands + 1, sizeof(*order));

	if (!start || !order) {
		free(start);
		free(order);
		return NULL;
	}
	for (i = 0; i < build->num_commands; i++)
		start[build->commands[i].step * 2 + build->commands[i].stream]++;
	for (i = 0; i < buckets; i++) {
		size_t count = start[i];

		start[i] = sum;
		sum += count;
	}
	for (i = 0; i < build->num_commands; i++)
		order[start[build->commands[i].step * 2 + build->commands[i].stream]++] = i;
	free(start);
	return order;
}

static void write_commands(struct loom_build *build, const size_t *order, u8 *blob,
			   const struct drm_loom_plan_header *header)
{
	struct drm_loom_plan_step *steps = (void *)(blob + header->steps.offset);
	struct drm_loom_plan_command *commands = (void *)(blob + header->commands.offset);
	struct drm_loom_plan_view *views = (void *)(blob + header->views.offset);
	u8 *attrs = blob + header->attrs.offset;
	size_t num_views = 0, attr_bytes = 0, i;
	u32 first = 0;

	for (i = 0; i < build->num_commands; i++) {
		const struct loom_build_command *from = &build->commands[order[i]];
		struct drm_loom_plan_command *to = &commands[i];

		to->opcode = from->opcode;
		to->operands = from->operands;
		to->first_view = num_views;
		to->attr_size = from->attr_bytes;
		to->attr_offset = from->attr_bytes ? attr_bytes : 0;
		memcpy(&views[num_views], &build->views[from->first_view],
		       from->operands * sizeof(*views));
		num_views += from->operands;
		if (from->attr_bytes)
			memcpy(attrs + attr_bytes, build->attrs + from->attr_offset,
			       from->attr_bytes);
		attr_bytes += ((size_t)from->attr_bytes + 7) & ~(size_t)7;
		build->command_nodes[i] = from->node;
		if (from->stream)
			steps[from->step].compute_commands++;
		else
			steps[from->step].dma_commands++;
	}
	for (i = 0; i < build->num_steps; i++) {
		steps[i].first_command = first;
		first += steps[i].dma_commands + steps[i].compute_commands;
	}
}

int loom_build_finish(struct loom_build *build, u64 scratch_bytes, void **blob,
		      size_t *size_bytes)
{
	bool native = build->format.id;
	struct drm_loom_plan_header_native first = {
		.plan = {
			.magic = DRM_LOOM_PLAN_MAGIC,
			.version = native ? DRM_LOOM_PLAN_VERSION_NATIVE : DRM_LOOM_PLAN_VERSION,
			.lanes = build->lanes,
			.scratch_bytes = scratch_bytes,
		},
		.format = build->format,
	};
	size_t first_bytes = native ? sizeof(first) : sizeof(first.plan);
	struct drm_loom_plan_header *header = &first.plan;
	size_t *order;
	u8 *bytes;

	if (build->status)
		return build->status;
	lay_out(build, header, first_bytes);
	if (header->size > DRM_LOOM_MAX_PLAN_BYTES || build->num_slots > DRM_LOOM_MAX_SLOTS)
		return -E2BIG;
	order = loom_build_order(build);
	bytes = calloc(1, header->size);
	build->command_nodes = calloc(build->num_commands + 1, sizeof(*build->command_nodes));
	if (!order || !bytes || !build->command_nodes) {
		free(order);
		free(bytes);
		return -ENOMEM;
	}
	memcpy(bytes, &first, first_bytes);
	if (build->num_slots)
		memcpy(bytes + header->slots.offset, build->slots,
		       build->num_slots * sizeof(*build->slots));
	if (build->num_tensors)
		memcpy(bytes + header->tensors.offset, build->tensors,
		       build->num_tensors * sizeof(*build->tensors));
	if (build->num_images)
		memcpy(bytes + header->images.offset, build->images,
		       build->num_images * sizeof(*build->images));
	loom_watch_spend(build->num_commands);
	write_commands(build, order, bytes, header);
	build->counters.steps = build->num_steps;
	free(order);
	*blob = bytes;
	*size_bytes = header->size;
	return 0;
}
