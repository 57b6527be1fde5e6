// SPDX-License-Identifier: MIT
/* A plan's bytes as text. Takes any bytes: each table is checked before it is read. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom.h"
#include "loom_core.h"
#include "loom_op.h"
#include "loom_program.h"

/**
 * struct dump - the state of dumping
 * @file: output
 * @bytes: the plan
 * @size: its size
 * @header: a copy of its header
 */
struct dump {
	FILE *file;
	const u8 *bytes;
	size_t size;
	struct drm_loom_plan_header header;
};

/* Entry @index of a table, copied; false if it is not inside the bytes. */
static bool entry(const struct dump *d, const struct drm_loom_table *table, u32 index,
		  void *out, size_t out_bytes)
{
	u64 at;

	if (index >= table->count || table->stride != out_bytes || table->offset > d->size)
		return false;
	at = (u64)index * table->stride;
	if (at > d->size - table->offset || out_bytes > d->size - table->offset - at)
		return false;
	memcpy(out, d->bytes + table->offset + at, out_bytes);
	return true;
}

static void dump_dims(struct dump *d, u32 rank, const u32 *dims)
{
	u32 i;

	fputc('[', d->file);
	for (i = 0; i < rank && i < DRM_LOOM_MAX_RANK; i++)
		fprintf(d->file, "%s%u", i ? "," : "", dims[i]);
	fputc(']', d->file);
}

static void dump_slots(struct dump *d)
{
	struct drm_loom_plan_slot slot;
	u32 i;

	for (i = 0; entry(d, &d->header.slots, i, &slot, sizeof(slot)); i++)
		fprintf(d->file, "slot %u: %" PRIu64 " bytes%s%s%s\n", i, (uint64_t)slot.size,
			slot.flags & DRM_LOOM_SLOT_READ ? " read" : "",
			slot.flags & DRM_LOOM_SLOT_WRITE ? " write" : "",
			slot.flags & DRM_LOOM_SLOT_SRAM ? " per bank of sram" : "");
}

static void dump_images(struct dump *d)
{
	struct drm_loom_plan_image image;
	u32 i;

	for (i = 0; entry(d, &d->header.images, i, &image, sizeof(image)); i++)
		fprintf(d->file, "image: slot %u, %u rows of %u %s, pitch %u bytes\n", image.slot,
			image.height, image.width, loom_dtype_name(image.dtype),
			image.pitch_bytes);
}

static void dump_tensors(struct dump *d)
{
	struct drm_loom_plan_tensor tensor;
	u32 i;

	for (i = 0; entry(d, &d->header.tensors, i, &tensor, sizeof(tensor)); i++) {
		fprintf(d->file, "tensor %u: %s", i, loom_dtype_name(tensor.dtype));
		dump_dims(d, tensor.rank, tensor.dims);
		if (tensor.region == DRM_LOOM_REGION_ROM)
			fprintf(d->file, " rom");
		if (tensor.region != DRM_LOOM_REGION_SRAM)
			fprintf(d->file, " slot %u", tensor.slot);
		else
			fprintf(d->file, " sram lane axis %u", tensor.lane_axis);
		if (tensor.flags & DRM_LOOM_TENSOR_SLOT)
			fprintf(d->file, " slot %u", tensor.slot);
		fprintf(d->file, " %" PRIu64 "+%" PRIu64 " steps %u-%u\n",
			(uint64_t)tensor.offset, (uint64_t)tensor.size, tensor.first_step,
			tensor.last_step);
	}
}

static void dump_view(struct dump *d, u32 index)
{
	struct drm_loom_plan_view view;
	u32 i;

	if (!entry(d, &d->header.views, index, &view, sizeof(view))) {
		fprintf(d->file, " (no view %u)", index);
		return;
	}
	fprintf(d->file, " t%u", view.tensor);
	if (view.offset)
		fprintf(d->file, "+%" PRIu64, (uint64_t)view.offset);
	dump_dims(d, view.rank, view.dims);
	fputc('<', d->file);
	for (i = 0; i < view.rank && i < DRM_LOOM_MAX_RANK; i++)
		fprintf(d->file, "%s%" PRId64, i ? "," : "", (int64_t)view.strides[i]);
	fputc('>', d->file);
}

/* Without the payload, which only the device understands. */
static void dump_native(struct dump *d, u64 at)
{
	struct drm_loom_attr_native attr;

	memcpy(&attr, d->bytes + at, sizeof(attr));
	fprintf(d->file, " {%" PRIu64 " cycles, %u outputs, %u temporaries, %u in-outs, %u bytes}",
		(uint64_t)attr.cycles, attr.outputs, attr.temporaries, attr.inouts,
		attr.payload_bytes);
}

/* All attributes are 32-bit fields, but for those of FILL and NATIVE. */
static void dump_attr(struct dump *d, const struct drm_loom_plan_command *command)
{
	u64 at = d->header.attrs.offset + command->attr_offset;
	u32 word, i;

	if (!command->attr_size)
		return;
	if (command->attr_offset > d->size || at > d->size ||
	    command->attr_size > d->size - at) {
		fprintf(d->file, " (no attributes)");
		return;
	}
	if (command->opcode == DRM_LOOM_OP_NATIVE &&
	    command->attr_size >= sizeof(struct drm_loom_attr_native)) {
		dump_native(d, at);
		return;
	}
	fprintf(d->file, " {");
	for (i = 0; i + sizeof(word) <= command->attr_size; i += sizeof(word)) {
		memcpy(&word, d->bytes + at + i, sizeof(word));
		if (word < 1U << 24 || word > 0U - (1U << 24))
			fprintf(d->file, "%s%" PRId32, i ? " " : "", (int32_t)word);
		else
			fprintf(d->file, "%s0x%08" PRIx32, i ? " " : "", word);
	}
	fputc('}', d->file);
}

static void dump_command(struct dump *d, u32 index)
{
	struct drm_loom_plan_command command;
	const struct loom_op *op;
	u32 i;

	if (!entry(d, &d->header.commands, index, &command, sizeof(command))) {
		fprintf(d->file, "  (no command %u)\n", index);
		return;
	}
	op = loom_op_get(command.opcode);
	fprintf(d->file, "  %u: %s", index, op ? op->name : "?");
	for (i = 0; i < command.operands && i < DRM_LOOM_MAX_NATIVE_OPERANDS; i++)
		dump_view(d, command.first_view + i);
	dump_attr(d, &command);
	fputc('\n', d->file);
}

static void dump_steps(struct dump *d)
{
	struct drm_loom_plan_step step;
	u32 i, k;

	for (i = 0; entry(d, &d->header.steps, i, &step, sizeof(step)); i++) {
		u64 count = (u64)step.dma_commands + step.compute_commands;

		fprintf(d->file, "step %u: %u dma, %u compute\n", i, step.dma_commands,
			step.compute_commands);
		/* a wrong count ends with the table */
		for (k = 0; k < count && step.first_command + k < d->header.commands.count; k++)
			dump_command(d, step.first_command + k);
	}
}

int loom_plan_dump(const void *plan, size_t size_bytes, char **text)
{
	struct dump d = { .bytes = plan, .size = size_bytes };
	size_t length = 0;

	d.file = open_memstream(text, &length);
	if (!d.file)
		return -ENOMEM;
	if (size_bytes < sizeof(d.header)) {
		fprintf(d.file, "not a plan: %zu bytes are less than a header\n", size_bytes);
	} else {
		memcpy(&d.header, plan, sizeof(d.header));
		fprintf(d.file, "plan version %u%s, %" PRIu64
			" bytes, %u lanes, scratch %" PRIu64 " bytes per lane\n",
			d.header.version,
			d.header.magic == DRM_LOOM_PLAN_MAGIC ? "" : " (wrong magic)",
			(uint64_t)d.header.size, d.header.lanes,
			(uint64_t)d.header.scratch_bytes);
		dump_slots(&d);
		dump_images(&d);
		dump_tensors(&d);
		dump_steps(&d);
	}
	if (fclose(d.file))
		return -ENOMEM;
	return 0;
}
