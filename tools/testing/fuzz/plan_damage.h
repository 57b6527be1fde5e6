/* SPDX-License-Identifier: MIT */
#ifndef LOOM_FUZZ_PLAN_DAMAGE_H
#define LOOM_FUZZ_PLAN_DAMAGE_H

/*
 * Damages one field of an entry of a table, so that the rest of the plan still makes sense: to the
 * next number, to a multiple, to what another entry of the table has there; or several fields that
 * have to agree, so that one rule alone is broken. Words at random, see plan_arena.h, hardly ever
 * come to the edge of a window, a lifetime or a range.
 */
#include "loom_core.h"
#include "plan_arena.h"
#include "random.h"

#include <stddef.h>
#include <string.h>

/**
 * struct damage_field - a field of an entry
 * @at: where it is
 * @bytes: how wide it is
 * @count: so many in a row
 */
struct damage_field {
	u16 at;
	u8 bytes;
	u8 count;
};

static const struct damage_field damage_tensor[] = {
	{ offsetof(struct drm_loom_plan_tensor, region), 4, 1 },
	{ offsetof(struct drm_loom_plan_tensor, slot), 4, 1 },
	{ offsetof(struct drm_loom_plan_tensor, parent), 4, 1 },
	{ offsetof(struct drm_loom_plan_tensor, flags), 4, 1 },
	{ offsetof(struct drm_loom_plan_tensor, dtype), 1, 1 },
	{ offsetof(struct drm_loom_plan_tensor, rank), 1, 1 },
	{ offsetof(struct drm_loom_plan_tensor, lane_axis), 1, 1 },
	{ offsetof(struct drm_loom_plan_tensor, first_step), 4, 1 },
	{ offsetof(struct drm_loom_plan_tensor, last_step), 4, 1 },
	{ offsetof(struct drm_loom_plan_tensor, offset), 8, 1 },
	{ offsetof(struct drm_loom_plan_tensor, size), 8, 1 },
	{ offsetof(struct drm_loom_plan_tensor, dims), 4, DRM_LOOM_MAX_RANK },
	{ offsetof(struct drm_loom_plan_tensor, strides), 8, DRM_LOOM_MAX_RANK },
}, damage_view[] = {
	{ offsetof(struct drm_loom_plan_view, tensor), 4, 1 },
	{ offsetof(struct drm_loom_plan_view, dtype), 1, 1 },
	{ offsetof(struct drm_loom_plan_view, rank), 1, 1 },
	{ offsetof(struct drm_loom_plan_view, lane_axis), 1, 1 },
	{ offsetof(struct drm_loom_plan_view, lane_start), 4, 1 },
	{ offsetof(struct drm_loom_plan_view, offset), 8, 1 },
	{ offsetof(struct drm_loom_plan_view, dims), 4, DRM_LOOM_MAX_RANK },
	{ offsetof(struct drm_loom_plan_view, strides), 8, DRM_LOOM_MAX_RANK },
}, damage_image[] = {
	{ offsetof(struct drm_loom_plan_image, slot), 4, 1 },
	{ offsetof(struct drm_loom_plan_image, dtype), 4, 1 },
	{ offsetof(struct drm_loom_plan_image, width), 4, 1 },
	{ offsetof(struct drm_loom_plan_image, height), 4, 1 },
	{ offsetof(struct drm_loom_plan_image, pitch_bytes), 4, 1 },
}, damage_slot[] = {
	{ offsetof(struct drm_loom_plan_slot, size), 8, 1 },
	{ offsetof(struct drm_loom_plan_slot, flags), 4, 1 },
}, damage_step[] = {
	{ offsetof(struct drm_loom_plan_step, first_command), 4, 1 },
	{ offsetof(struct drm_loom_plan_step, dma_commands), 4, 1 },
	{ offsetof(struct drm_loom_plan_step, compute_commands), 4, 1 },
}, damage_command[] = {
	{ offsetof(struct drm_loom_plan_command, opcode), 2, 1 },
	{ offsetof(struct drm_loom_plan_command, operands), 2, 1 },
	{ offsetof(struct drm_loom_plan_command, first_view), 4, 1 },
	{ offsetof(struct drm_loom_plan_command, attr_offset), 8, 1 },
	{ offsetof(struct drm_loom_plan_command, attr_size), 4, 1 },
}, damage_attr[] = {
	{ .at = 0, .bytes = 4, .count = 1 },
};

/**
 * struct damage_table - a table of a plan
 * @at: of its struct drm_loom_table in the header
 * @entry_bytes: size of an entry; attributes are words here
 * @fields: of an entry
 * @count: number of @fields
 */
struct damage_table {
	size_t at;
	u32 entry_bytes;
	const struct damage_field *fields;
	u32 count;
};

static const struct damage_table damage_tables[] = {
	{ offsetof(struct drm_loom_plan_header, slots), sizeof(struct drm_loom_plan_slot),
	  damage_slot, ARRAY_SIZE(damage_slot) },
	{ offsetof(struct drm_loom_plan_header, tensors), sizeof(struct drm_loom_plan_tensor),
	  damage_tensor, ARRAY_SIZE(damage_tensor) },
	{ offsetof(struct drm_loom_plan_header, steps), sizeof(struct drm_loom_plan_step),
	  damage_step, ARRAY_SIZE(damage_step) },
	{ offsetof(struct drm_loom_plan_header, commands), sizeof(struct drm_loom_plan_command),
	  damage_command, ARRAY_SIZE(damage_command) },
	{ offsetof(struct drm_loom_plan_header, views), sizeof(struct drm_loom_plan_view),
	  damage_view, ARRAY_SIZE(damage_view) },
	{ offsetof(struct drm_loom_plan_header, images), sizeof(struct drm_loom_plan_image),
	  damage_image, ARRAY_SIZE(damage_image) },
	{ offsetof(struct drm_loom_plan_header, attrs), 4,
	  damage_attr, ARRAY_SIZE(damage_attr) },
	/* these have many entries or fields, and most checks are about them */
	{ offsetof(struct drm_loom_plan_header, attrs), 4,
	  damage_attr, ARRAY_SIZE(damage_attr) },
	{ offsetof(struct drm_loom_plan_header, tensors), sizeof(struct drm_loom_plan_tensor),
	  damage_tensor, ARRAY_SIZE(damage_tensor) },
	{ offsetof(struct drm_loom_plan_header, views), sizeof(struct drm_loom_plan_view),
	  damage_view, ARRAY_SIZE(damage_view) },
};

/* Another value for a field; @other: of the same field elsewhere. */
static u64 damage_value(u64 *seed, u64 value, u64 other)
{
	static const u8 steps[] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	u64 step = steps[random_xorshift(seed, ARRAY_SIZE(steps))];

	switch (random_xorshift(seed, 8)) {
	case 0:
		return other;
	case 1:
		return value + 1;
	case 2:
		return value - 1;
	case 3:
		return value + step;
	case 4:
		return value - step;
	case 5:
		return value ^ 1ULL << random_xorshift(seed, 6);
	case 6:
		return random_xorshift(seed, 16);
	default:
		return random_xorshift(seed, 2) ? -value : value * 2;
	}
}

/* @blob: a plan whose tables are where a plan_builder puts them, or that is damaged already. */
static void plan_damage_field(u64 *seed, u8 *blob, u64 size)
{
	const struct damage_table *table;
	const struct damage_field *field;
	struct drm_loom_table where;
	u64 value = 0, other = 0, at;
	u32 count;

	table = &damage_tables[random_xorshift(seed, ARRAY_SIZE(damage_tables))];
	memcpy(&where, blob + table->at, sizeof(where));
	count = table->entry_bytes == 4 ? where.count / 4 : where.count;
	if (!count || where.offset > size || count > (size - where.offset) / table->entry_bytes)
		return;
	field = &table->fields[random_xorshift(seed, table->count)];
	at = field->at + (u64)field->bytes * random_xorshift(seed, field->count);
	memcpy(&other, blob + where.offset + at +
	       (u64)table->entry_bytes * random_xorshift(seed, count), field->bytes);
	at += where.offset + (u64)table->entry_bytes * random_xorshift(seed, count);
	memcpy(&value, blob + at, field->bytes);
	value = damage_value(seed, value, other);
	memcpy(blob + at, &value, field->bytes);
}

/*
 * Shifts a view in its tensor, or widens it by an element, after another axis was made shorter by
 * one: so the last of its rows does not leave the tensor, though the others leave their columns.
 */
static void plan_damage_window(u64 *seed, u8 *blob, u64 size)
{
	struct drm_loom_plan_view view;
	struct drm_loom_table where;
	u32 bytes, shorter, wider;
	u64 at;

	memcpy(&where, blob + offsetof(struct drm_loom_plan_header, views), sizeof(where));
	if (!where.count || where.offset > size ||
	    where.count > (size - where.offset) / sizeof(view))
		return;
	at = where.offset + random_xorshift(seed, where.count) * sizeof(view);
	memcpy(&view, blob + at, sizeof(view));
	bytes = loom_dtype_stride(view.dtype);
	if (!view.rank || view.rank > DRM_LOOM_MAX_RANK)
		return;
	shorter = random_xorshift(seed, view.rank);
	wider = random_xorshift(seed, view.rank);
	if (view.dims[shorter] > 1)
		view.dims[shorter]--;
	if (random_xorshift(seed, 2))
		view.dims[wider]++;
	else
		view.offset += bytes * (random_xorshift(seed, 9) - 4ULL);
	/* rows that were left out at the end, or at the begin */
	if (random_xorshift(seed, 2))
		view.offset += view.strides[shorter];
	memcpy(blob + at, &view, sizeof(view));
}

/**
 * struct damage_plan - the tables of a plan whose entries are damaged together
 * @slots: see &struct drm_loom_plan_header
 * @tensors: likewise
 * @steps: likewise
 * @commands: likewise
 * @views: likewise
 * @images: likewise
 * @header: with their numbers
 */
struct damage_plan {
	struct drm_loom_plan_slot *slots;
	struct drm_loom_plan_tensor *tensors;
	struct drm_loom_plan_step *steps;
	struct drm_loom_plan_command *commands;
	struct drm_loom_plan_view *views;
	struct drm_loom_plan_image *images;
	struct drm_loom_plan_header *header;
};

/* Return: false if the tables are not in @blob any more. */
static bool damage_find(struct damage_plan *plan, u8 *blob, u64 size)
{
	struct drm_loom_plan_header *h = (void *)blob;
	const struct {
		const struct drm_loom_table *table;
		u64 bytes;
		void **to;
	} tables[] = {
		{ &h->slots, sizeof(*plan->slots), (void **)&plan->slots },
		{ &h->tensors, sizeof(*plan->tensors), (void **)&plan->tensors },
		{ &h->steps, sizeof(*plan->steps), (void **)&plan->steps },
		{ &h->commands, sizeof(*plan->commands), (void **)&plan->commands },
		{ &h->views, sizeof(*plan->views), (void **)&plan->views },
		{ &h->images, sizeof(*plan->images), (void **)&plan->images },
	};
	u32 i;

	if (size < sizeof(*h) || (uintptr_t)blob % 8)
		return false;
	plan->header = h;
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		const struct drm_loom_table *t = tables[i].table;

		if (t->offset % 8 || t->offset > size ||
		    t->count > (size - t->offset) / tables[i].bytes)
			return false;
		*tables[i].to = blob + t->offset;
	}
	return h->tensors.count && h->steps.count && h->commands.count && h->views.count;
}

/* The operands of a command at random. Return: their number; 0: they are not in their table. */
static u32 damage_operands(u64 *seed, const struct damage_plan *plan,
			   struct drm_loom_plan_view **views)
{
	const struct drm_loom_plan_command *c =
		&plan->commands[random_xorshift(seed, plan->header->commands.count)];
	u32 count = plan->header->views.count;

	if (c->first_view > count || c->operands > count - c->first_view)
		return 0;
	*views = &plan->views[c->first_view];
	return c->operands;
}

/* A pitch or a height, and the size of the slot with it. */
static void damage_pitch(u64 *seed, struct damage_plan *plan)
{
	struct drm_loom_plan_image *image;

	if (!plan->header->images.count)
		return;
	image = &plan->images[random_xorshift(seed, plan->header->images.count)];
	if (random_xorshift(seed, 2))
		image->pitch_bytes = damage_value(seed, image->pitch_bytes, 0);
	else
		image->height = damage_value(seed, image->height, 0);
	if (image->slot < plan->header->slots.count)
		plan->slots[image->slot].size = (u64)image->height * image->pitch_bytes;
}

/* Axes of one element behind the last one, up to one too many. */
static void damage_add_axes(u8 *rank, __u32 *dims, void *strides, u32 count, u64 bytes)
{
	for (; count && *rank <= DRM_LOOM_MAX_RANK; count--, (*rank)++) {
		if (*rank == DRM_LOOM_MAX_RANK)
			continue;
		dims[*rank] = 1;
		memcpy((u64 *)strides + *rank, &bytes, sizeof(bytes));
	}
}

/* More axes for a tensor, for an operand, or for all of a command. */
static void damage_rank(u64 *seed, struct damage_plan *plan)
{
	u32 count = 1 + random_xorshift(seed, DRM_LOOM_MAX_RANK), how = random_xorshift(seed, 3);
	struct drm_loom_plan_tensor *tensor;
	struct drm_loom_plan_view *views;
	u32 operands = damage_operands(seed, plan, &views), one, i;

	if (!how) {
		tensor = &plan->tensors[random_xorshift(seed, plan->header->tensors.count)];
		damage_add_axes(&tensor->rank, tensor->dims, tensor->strides, count,
				loom_dtype_stride(tensor->dtype));
		return;
	}
	one = random_xorshift(seed, operands + !operands);
	for (i = 0; i < operands; i++)
		if (how == 1 || i == one)
			damage_add_axes(&views[i].rank, views[i].dims, views[i].strides, count,
					loom_dtype_stride(views[i].dtype));
}

/* One dim of an operand, or of all of a command, often with nothing to step over. */
static void damage_dims(u64 *seed, struct damage_plan *plan)
{
	struct drm_loom_plan_view *views;
	u32 operands = damage_operands(seed, plan, &views), one, axis, value, i;
	bool all = random_xorshift(seed, 2), flat = random_xorshift(seed, 2);

	one = random_xorshift(seed, operands + !operands);
	axis = random_xorshift(seed, DRM_LOOM_MAX_RANK);
	value = operands ? views[one].dims[axis] : 0;
	value = random_xorshift(seed, 2) ? 0 : (u32)damage_value(seed, value, 1);
	for (i = 0; i < operands; i++) {
		if ((!all && i != one) || axis >= views[i].rank)
			continue;
		views[i].dims[axis] = value;
		if (flat)
			views[i].strides[axis] = 0;
	}
}

/* Another type for a tensor and all that look at it. */
static void damage_type(u64 *seed, struct damage_plan *plan)
{
	u32 tensor = random_xorshift(seed, plan->header->tensors.count), i;
	u8 dtype = random_xorshift(seed, DRM_LOOM_DTYPE_END);

	plan->tensors[tensor].dtype = dtype;
	for (i = 0; i < plan->header->views.count; i++)
		if (plan->views[i].tensor == tensor)
			plan->views[i].dtype = dtype;
}

/*
 * Of two steps that follow each other, all is done in the first one, with tensors that live from
 * there; or a command goes to the other stream of its step.
 */
static void damage_order(u64 *seed, struct damage_plan *plan)
{
	const struct drm_loom_plan_header *h = plan->header;
	u32 index = random_xorshift(seed, h->steps.count), i, k;
	struct drm_loom_plan_step *a = &plan->steps[index], *b = a + 1;
	struct drm_loom_plan_command command;

	if (random_xorshift(seed, 2)) {
		i = random_xorshift(seed, 2) ? 1 : -1U;
		a->dma_commands += i;
		a->compute_commands -= i;
		return;
	}
	if (index + 1 == h->steps.count ||
	    (u64)b->first_command + b->dma_commands > h->commands.count ||
	    b->first_command < a->compute_commands)
		return;
	/* those of DMA in front of what the first step computes */
	for (i = 0; i < b->dma_commands; i++) {
		struct drm_loom_plan_command *at = &plan->commands[b->first_command + i];

		command = *at;
		memmove(at - a->compute_commands + 1, at - a->compute_commands,
			a->compute_commands * sizeof(*at));
		at[-(s64)a->compute_commands] = command;
	}
	a->dma_commands += b->dma_commands;
	a->compute_commands += b->compute_commands;
	b->first_command = a->first_command + a->dma_commands + a->compute_commands;
	b->dma_commands = 0;
	b->compute_commands = 0;
	for (k = 0; k < h->tensors.count; k++)
		if (plan->tensors[k].first_step == index + 1)
			plan->tensors[k].first_step = index;
}

/* Damages the declaration of a native command: format, sharing, counts, strides, operands. */
static void damage_native(u64 *seed, struct damage_plan *plan)
{
	struct drm_loom_plan_header *h = plan->header;
	struct drm_loom_plan_command *c = &plan->commands[random_xorshift(seed, h->commands.count)];
	struct drm_loom_plan_command *last = NULL;
	struct drm_loom_attr_native *attr;
	struct drm_loom_plan_view *view;

	for (; c < plan->commands + h->commands.count; c++) {
		if (c->opcode != DRM_LOOM_OP_NATIVE)
			continue;
		if (last)
			break;
		last = c;
	}
	if (!last || last->first_view >= h->views.count || h->attrs.offset > h->size ||
	    h->attrs.count > h->size - h->attrs.offset || h->attrs.count < sizeof(*attr) ||
	    last->attr_offset > h->attrs.count - sizeof(*attr))
		return;
	attr = (void *)((u8 *)h + h->attrs.offset + last->attr_offset);
	/* of its operands, or some behind them */
	view = &plan->views[last->first_view +
			    random_xorshift(seed, min(h->views.count - last->first_view, 5U))];
	switch (random_xorshift(seed, 7)) {
	case 0:
		h->version = DRM_LOOM_PLAN_VERSION;
		return;
	case 1:
		if (c == plan->commands + h->commands.count)
			return;
		if (random_xorshift(seed, 2))
			c->first_view = last->first_view;
		else
			c->attr_offset = last->attr_offset;
		return;
	case 2:
		attr->outputs = random_xorshift(seed, 3);
		attr->temporaries = random_xorshift(seed, 3);
		attr->inouts = random_xorshift(seed, 3);
		last->operands = 1 + random_xorshift(seed, 5);
		return;
	case 3:
		view->strides[random_xorshift(seed, DRM_LOOM_MAX_RANK)] = 0;
		return;
	default:
		/* of this command, or of one behind it or just before it */
		plan->views[h->views.count - 1 - random_xorshift(seed, min(h->views.count, 16U))] =
			*view;
	}
}

static void (*const damage_together[])(u64 *seed, struct damage_plan *plan) = {
	damage_pitch, damage_rank, damage_dims, damage_type, damage_order,
};

/**
 * plan_damage_some() - damages a plan so that it is hard to notice
 * @seed: state of a generator
 * @blob: a plan whose tables are where a plan_builder puts them, or that is damaged already
 * @size: its bytes
 */
static inline void plan_damage_some(u64 *seed, u8 *blob, u64 size)
{
	struct damage_plan plan;
	u32 how = random_xorshift(seed, 12);

	if (size >= sizeof(struct drm_loom_plan_header) && random_xorshift(seed, 2) &&
	    ((struct drm_loom_plan_header *)blob)->version == DRM_LOOM_PLAN_VERSION_NATIVE &&
	    ((struct drm_loom_plan_header *)blob)->size == size &&
	    damage_find(&plan, blob, size))
		damage_native(seed, &plan);
	else if (how < 6)
		plan_damage_field(seed, blob, size);
	else if (how < 7)
		plan_damage_window(seed, blob, size);
	else if (how < 9)
		plan_damage(seed, blob, size);
	else if (damage_find(&plan, blob, size))
		damage_together[random_xorshift(seed, ARRAY_SIZE(damage_together))](seed, &plan);
}

#endif /* LOOM_FUZZ_PLAN_DAMAGE_H */
