/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_HOSTILE_PLANS_H
#define LOOM_TESTS_HOSTILE_PLANS_H

/*
 * Valid plans that keep the verifier busy: each is the worst known case of one of its passes. They
 * are for the topology "tiny".
 *
 * Commands share their operands where they can: then a command has few bytes to pay for its work.
 */
#include "plan_builder.h"

/**
 * struct hostile_plan - generator of plans of any size
 * @name: object whose number grows
 * @build: builds a plan with about @commands commands
 * @rule: the rule that rejects a large one, or zero
 */
struct hostile_plan {
	const char *name;
	void (*build)(struct plan_builder *pb, u32 commands);
	u32 rule;
};

/* A command of the step begun last, with the operands of another one. */
static inline void hostile_repeat(struct plan_builder *pb, u32 like, u32 times)
{
	struct drm_loom_plan_step *step = pb_step(pb, pb->steps.count - 1);
	struct drm_loom_plan_command model = *pb_command(pb, like), *commands;
	u32 i;

	commands = pb_push(&pb->commands, times);
	for (i = 0; i < times; i++)
		commands[i] = model;
	if (loom_op_get(model.opcode)->stream == LOOM_STREAM_COMPUTE)
		step->compute_commands += times;
	else
		step->dma_commands += times;
}

static inline void hostile_fill(struct plan_builder *pb, struct drm_loom_plan_view view)
{
	struct drm_loom_attr_fill fill = {};
	u32 at;

	if (pb->attrs.count) {
		at = pb_add(pb, DRM_LOOM_OP_FILL, NULL, 0, PB_VIEWS(view));
		pb_command(pb, at)->attr_size = sizeof(fill);
		return;
	}
	pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(view));
}

static inline struct drm_loom_plan_view hostile_cell(struct plan_builder *pb, u32 tensor, u32 row,
						     u32 rows, u32 column, u32 columns)
{
	struct drm_loom_plan_view view = pb_slice(pb, pb_all(pb, tensor), 0, row, rows);

	return pb_slice(pb, view, 1, column, columns);
}

#define HOSTILE_COLUMNS 8

/* Rows that are written to different ends, so none can be joined with the next one. */
static inline u32 hostile_rows(struct plan_builder *pb, u32 rows)
{
	u32 tensor, i;

	pb_add_slot(pb, (u64)rows * HOSTILE_COLUMNS * 4, DRM_LOOM_SLOT_WRITE);
	pb_add_slot(pb, (u64)rows * HOSTILE_COLUMNS * 4, DRM_LOOM_SLOT_WRITE);
	tensor = pb_add_dram(pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_F32, PB_SHAPE(rows, HOSTILE_COLUMNS));
	pb_add_dram(pb, 1, 0, 0, 0, DRM_LOOM_DTYPE_F32, PB_SHAPE(rows, HOSTILE_COLUMNS));
	pb_begin_step(pb);
	for (i = 0; i < rows; i++)
		hostile_fill(pb, hostile_cell(pb, tensor, i, 1, 0, 1 + (i & 1)));
	return tensor;
}

/* A column of a tensor whose rows are all different is read again and again. */
static inline void hostile_reads(struct plan_builder *pb, u32 commands)
{
	u32 rows = commands / 8, tensor, at;

	pb_init(pb, 4, 0);
	tensor = hostile_rows(pb, rows);
	at = pb_add(pb, DRM_LOOM_OP_COPY, NULL, 0,
		    PB_VIEWS(hostile_cell(pb, 1, 0, rows, 0, 1),
			     hostile_cell(pb, tensor, 0, rows, 0, 1)));
	hostile_repeat(pb, at, commands - rows);
}

/* A column of such a tensor is written again and again. */
static inline void hostile_writes(struct plan_builder *pb, u32 commands)
{
	u32 rows = commands / 8, tensor;

	pb_init(pb, 4, 0);
	tensor = hostile_rows(pb, rows);
	hostile_fill(pb, hostile_cell(pb, tensor, 0, rows, 4, 1));
	hostile_repeat(pb, pb->commands.count - 1, commands - rows);
}

/* All rows have the same gaps, and are then made different one by one, from the middle outwards. */
static inline void hostile_splits(struct plan_builder *pb, u32 commands)
{
	u32 columns = commands / 4, rows = commands, tensor, i;

	/* as large as the DRAM of the device may be; nothing is bound to it */
	pb_init(pb, 4, 0);
	pb_add_slot(pb, (u64)rows * columns, DRM_LOOM_SLOT_WRITE);
	tensor = pb_add_dram(pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_I8, PB_SHAPE(rows, columns));
	pb_begin_step(pb);
	for (i = 0; i + 1 < columns; i += 2)
		hostile_fill(pb, hostile_cell(pb, tensor, 0, rows, i, 1));
	for (i = 0; i < commands - columns / 2; i++)
		hostile_fill(pb, hostile_cell(pb, tensor, i * 2 % rows, 1, columns - 1, 1));
}

/* Cells in an order that makes the tree of ranges deep, and is then looked at from both ends. */
static inline void hostile_deep(struct plan_builder *pb, u32 commands)
{
	u32 cells = commands / 2, tensor, i, first, last;

	pb_init(pb, 4, 0);
	pb_add_slot(pb, cells * 2 * 4, DRM_LOOM_SLOT_WRITE);
	pb_add_slot(pb, 4, DRM_LOOM_SLOT_WRITE);
	tensor = pb_add_dram(pb, 0, 0, 0, 0, DRM_LOOM_DTYPE_F32, PB_SHAPE(cells * 2));
	pb_add_dram(pb, 1, 0, 0, 0, DRM_LOOM_DTYPE_F32, PB_SHAPE(1));
	pb_begin_step(pb);
	for (i = 0; i < cells; i++)
		hostile_fill(pb, pb_slice(pb, pb_all(pb, tensor), 0, 2 * i, 1));
	first = pb_add(pb, DRM_LOOM_OP_COPY, NULL, 0,
		       PB_VIEWS(pb_all(pb, 1), pb_slice(pb, pb_all(pb, tensor), 0, 0, 1)));
	last = pb_add(pb, DRM_LOOM_OP_COPY, NULL, 0,
		      PB_VIEWS(pb_all(pb, 1),
			       pb_slice(pb, pb_all(pb, tensor), 0, 2 * cells - 2, 1)));
	for (i = 0; i < cells / 2; i++) {
		hostile_repeat(pb, first, 1);
		hostile_repeat(pb, last, 1);
	}
}

/* One step with as many accesses as there can be, by both streams. */
static inline void hostile_hazards(struct plan_builder *pb, u32 commands)
{
	u32 at, i;

	pb_init(pb, 4, 4096);
	for (i = 0; i < 4; i++)
		pb_add_sram(pb, i * 256, 0, 1, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(4, 16));
	pb_add_sram(pb, 1024, 0, 1, DRM_LOOM_DTYPE_BOOL, 0, PB_SHAPE(4, 16));
	pb_add_sram(pb, 2048, 0, 1, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(4, 16));
	pb_begin_step(pb);
	for (i = 0; i < 6; i++)
		hostile_fill(pb, pb_all(pb, i));
	pb_begin_step(pb);
	at = pb_add(pb, DRM_LOOM_OP_COPY, NULL, 0, PB_VIEWS(pb_all(pb, 5), pb_all(pb, 0)));
	hostile_repeat(pb, at, commands / 8);
	at = pb_add(pb, DRM_LOOM_OP_SELECT, NULL, 0,
		    PB_VIEWS(pb_all(pb, 3), pb_all(pb, 4), pb_all(pb, 1), pb_all(pb, 2)));
	hostile_repeat(pb, at, commands - commands / 8);
}

/* Operands between each other's bytes, of as many axes as there can be. */
static inline void hostile_windows(struct plan_builder *pb, u32 commands)
{
	struct drm_loom_plan_view all, part[3];
	u32 mask, at, i;

	pb_init(pb, 4, 16384);
	pb_add_sram(pb, 0, 0, 1, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(4, 3, 3, 3, 3, 9));
	mask = pb_add_sram(pb, 8192, 0, 1, DRM_LOOM_DTYPE_BOOL, 0, PB_SHAPE(4, 3, 3, 3, 3, 3));
	pb_begin_step(pb);
	hostile_fill(pb, pb_all(pb, 0));
	hostile_fill(pb, pb_all(pb, mask));
	pb_begin_step(pb);
	all = pb_all(pb, 0);
	for (i = 0; i < 3; i++)
		part[i] = pb_slice(pb, all, 5, 3 * i, 3);
	at = pb_add(pb, DRM_LOOM_OP_SELECT, NULL, 0,
		    PB_VIEWS(part[0], pb_all(pb, mask), part[1], part[2]));
	hostile_repeat(pb, at, commands);
}

/* Aliases whose elements are where the parent has none of its own: each is looked up twice. */
static inline void hostile_aliases(struct plan_builder *pb, u32 commands)
{
	u32 at, i;

	pb_init(pb, 4, 16384);
	for (i = 0; i < 2; i++) {
		pb_add_sram(pb, i * 8192, 0, 1, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(4, 3, 3, 3, 3, 8));
		pb_add_alias(pb, 2 * i, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(4, 2, 3, 5, 7, 2));
	}
	pb_begin_step(pb);
	for (i = 0; i < 2; i++)
		hostile_fill(pb, pb_slice(pb, pb_all(pb, 2 * i + 1), 4, 0, 6));
	pb_begin_step(pb);
	at = pb_add(pb, DRM_LOOM_OP_COPY, NULL, 0,
		    PB_VIEWS(pb_slice(pb, pb_all(pb, 3), 4, 1, 5),
			     pb_slice(pb, pb_all(pb, 1), 4, 1, 5)));
	hostile_repeat(pb, at, commands);
}

/* Nothing but tensors, all alive at once. */
static inline void hostile_tensors(struct plan_builder *pb, u32 commands)
{
	u32 i;

	pb_init(pb, 4, 0);
	pb_add_slot(pb, (u64)commands * 64, DRM_LOOM_SLOT_WRITE);
	for (i = 0; i < commands; i++)
		pb_add_dram(pb, 0, (u64)(i * 40503ULL % commands) * 64, 0, 0, DRM_LOOM_DTYPE_F32,
			    PB_SHAPE(16));
	pb_begin_step(pb);
}

/* Nothing but steps. */
static inline void hostile_steps(struct plan_builder *pb, u32 commands)
{
	u32 i;

	pb_init(pb, 4, 0);
	for (i = 0; i < commands; i++)
		pb_begin_step(pb);
}

/* Nothing but attributes. */
static inline void hostile_attrs(struct plan_builder *pb, u32 commands)
{
	pb_init(pb, 4, 0);
	pb_push(&pb->attrs, commands * 64);
}

static const struct hostile_plan hostile_plans[] = {
	{ "reads", hostile_reads, DRM_LOOM_RULE_WORK },
	{ "writes", hostile_writes, DRM_LOOM_RULE_WORK },
	{ "splits", hostile_splits, DRM_LOOM_RULE_WORK },
	{ "deep", hostile_deep, 0 },
	{ "hazards", hostile_hazards, 0 },
	{ "windows", hostile_windows, 0 },
	{ "aliases", hostile_aliases, 0 },
	{ "tensors", hostile_tensors, 0 },
	{ "steps", hostile_steps, 0 },
	{ "attrs", hostile_attrs, 0 },
};

#endif /* LOOM_TESTS_HOSTILE_PLANS_H */
