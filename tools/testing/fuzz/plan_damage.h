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
	/* there are many tensors and views, with many fields */
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

#endif /* LOOM_FUZZ_PLAN_DAMAGE_H */
