/* SPDX-License-Identifier: MIT */
#ifndef LOOM_FUZZ_PLAN_DAMAGE_H
#define LOOM_FUZZ_PLAN_DAMAGE_H

/*
 * Damages one field of an entry of a table, so that the rest of the plan still makes sense: to the
 * next number, to a multiple, to what another entry of the table has there; or a view is shifted
 * in its tensor. Words at random, see plan_arena.h, hardly ever come to the edge of a window, a
 * lifetime or a range. Included by plan.c alone.
 */
#include "loom_core.h"
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

#define DAMAGE_FIELD(_type, _member, _count) { \
	.at = offsetof(struct _type, _member), \
	.bytes = sizeof(((struct _type *)NULL)->_member) / (_count), .count = (_count) }
#define DAMAGE_TENSOR(_member, _count) DAMAGE_FIELD(drm_loom_plan_tensor, _member, _count)
#define DAMAGE_VIEW(_member, _count) DAMAGE_FIELD(drm_loom_plan_view, _member, _count)
#define DAMAGE_IMAGE(_member) DAMAGE_FIELD(drm_loom_plan_image, _member, 1)
#define DAMAGE_SLOT(_member) DAMAGE_FIELD(drm_loom_plan_slot, _member, 1)
#define DAMAGE_STEP(_member) DAMAGE_FIELD(drm_loom_plan_step, _member, 1)
#define DAMAGE_COMMAND(_member) DAMAGE_FIELD(drm_loom_plan_command, _member, 1)

static const struct damage_field damage_tensor[] = {
	DAMAGE_TENSOR(region, 1), DAMAGE_TENSOR(slot, 1), DAMAGE_TENSOR(parent, 1),
	DAMAGE_TENSOR(flags, 1), DAMAGE_TENSOR(dtype, 1), DAMAGE_TENSOR(rank, 1),
	DAMAGE_TENSOR(lane_axis, 1), DAMAGE_TENSOR(first_step, 1), DAMAGE_TENSOR(last_step, 1),
	DAMAGE_TENSOR(offset, 1), DAMAGE_TENSOR(size, 1), DAMAGE_TENSOR(dims, DRM_LOOM_MAX_RANK),
	DAMAGE_TENSOR(strides, DRM_LOOM_MAX_RANK),
}, damage_view[] = {
	DAMAGE_VIEW(tensor, 1), DAMAGE_VIEW(dtype, 1), DAMAGE_VIEW(rank, 1),
	DAMAGE_VIEW(lane_axis, 1), DAMAGE_VIEW(lane_start, 1), DAMAGE_VIEW(offset, 1),
	DAMAGE_VIEW(dims, DRM_LOOM_MAX_RANK), DAMAGE_VIEW(strides, DRM_LOOM_MAX_RANK),
}, damage_image[] = {
	DAMAGE_IMAGE(slot), DAMAGE_IMAGE(dtype), DAMAGE_IMAGE(width), DAMAGE_IMAGE(height),
	DAMAGE_IMAGE(pitch_bytes),
}, damage_slot[] = {
	DAMAGE_SLOT(size), DAMAGE_SLOT(flags),
}, damage_step[] = {
	DAMAGE_STEP(first_command), DAMAGE_STEP(dma_commands), DAMAGE_STEP(compute_commands),
}, damage_command[] = {
	DAMAGE_COMMAND(opcode), DAMAGE_COMMAND(operands), DAMAGE_COMMAND(first_view),
	DAMAGE_COMMAND(attr_offset), DAMAGE_COMMAND(attr_size),
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

#define DAMAGE_TABLE(_name, _bytes, _fields) { \
	offsetof(struct drm_loom_plan_header, _name), _bytes, _fields, ARRAY_SIZE(_fields) }

static const struct damage_table damage_tables[] = {
	DAMAGE_TABLE(slots, sizeof(struct drm_loom_plan_slot), damage_slot),
	DAMAGE_TABLE(tensors, sizeof(struct drm_loom_plan_tensor), damage_tensor),
	DAMAGE_TABLE(steps, sizeof(struct drm_loom_plan_step), damage_step),
	DAMAGE_TABLE(commands, sizeof(struct drm_loom_plan_command), damage_command),
	DAMAGE_TABLE(views, sizeof(struct drm_loom_plan_view), damage_view),
	DAMAGE_TABLE(images, sizeof(struct drm_loom_plan_image), damage_image),
	DAMAGE_TABLE(attrs, 4, damage_attr),
	/* there are many tensors and views, with many fields */
	DAMAGE_TABLE(tensors, sizeof(struct drm_loom_plan_tensor), damage_tensor),
	DAMAGE_TABLE(views, sizeof(struct drm_loom_plan_view), damage_view),
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
	bytes = loom_dtype_bytes(view.dtype);
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

#endif /* LOOM_FUZZ_PLAN_DAMAGE_H */
