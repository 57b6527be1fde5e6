/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_DATA_H
#define LOOM_TESTS_RULE_CASES_DATA_H

/* Cases of the rules about data: reads of unwritten bytes, and conflicts. */
#include "rule_case.h"

CHANGE(read_only) { pb_slot(pb, SLOT_OUTPUT)->flags = DRM_LOOM_SLOT_READ; }
CHANGE(read_only_arena) { pb_slot(pb, SLOT_ARENA)->flags = DRM_LOOM_SLOT_READ; }

CHANGE(uninit_never) { pb_slot(pb, SLOT_WEIGHTS)->flags = DRM_LOOM_SLOT_WRITE; }
CHANGE(uninit_slice)
{
	/* the second slice is stored where the first one is: rows 4 to 7 stay unwritten */
	pb_operand(pb, C_STORE1, 0)->offset = 0;
}

CHANGE(uninit_row)
{
	/* all but one row of one channel */
	*pb_operand(pb, C_STORE1, 0) = pb_slice(pb, pb_all(pb, T_MID), 3, 4, 3);
	*pb_operand(pb, C_STORE1, 1) = pb_slice(pb, pb_all(pb, T_SY1), 3, 0, 3);
}

CHANGE(uninit_lane)
{
	*pb_operand(pb, C_FILL_ONE, 0) = pb_slice(pb, pb_all(pb, T_SONE), 0, 0, 7);
}

CHANGE(uninit_dead)
{
	/* the bytes were written, but by a tensor that is gone */
	pb_tensor(pb, T_SZ)->offset = 3072;
	pb_tensor(pb, T_SZ)->first_step = 3;
	pb_tensor(pb, T_SZ)->last_step = 4;
	pb_tensor(pb, T_SZ2)->first_step = 5;
	*pb_operand(pb, C_ADD, 0) = pb_all(pb, T_SZ2);
	*pb_operand(pb, C_ADD, 1) = pb_all(pb, T_SZ2);
}

CHANGE(uninit_order)
{
	struct drm_loom_plan_command command = *pb_command(pb, C_CAST);

	*pb_command(pb, C_CAST) = *pb_command(pb, C_CAST_BACK);
	*pb_command(pb, C_CAST_BACK) = command;
}

CHANGE(in_place_shifted)
{
	*pb_operand(pb, C_RELU0, 0) = pb_slice(pb, pb_all(pb, T_SY0), 3, 0, 2);
	*pb_operand(pb, C_RELU0, 1) = pb_slice(pb, pb_all(pb, T_SY0), 3, 1, 2);
}

CHANGE(in_place_transposed)
{
	static const u32 order[] = { 0, 1, 2, 4, 3 };
	struct drm_loom_plan_view half = pb_slice(pb, pb_all(pb, T_SY0), 4, 0, 4);

	*pb_operand(pb, C_RELU0, 0) = half;
	*pb_operand(pb, C_RELU0, 1) = pb_transpose(half, order);
}

CHANGE(in_place_broadcast)
{
	*pb_operand(pb, C_ADD, 2) = pb_slice(pb, pb_all(pb, T_SZ), 1, 0, 1);
}

CHANGE(in_place_not_elementwise)
{
	struct drm_loom_attr_softmax attr = { .axis = 1 };

	memcpy(pb_attr(pb, C_RELU0), &attr, sizeof(attr));
	pb_command(pb, C_RELU0)->attr_size = sizeof(attr);
	pb_command(pb, C_RELU0)->opcode = DRM_LOOM_OP_SOFTMAX;
}

CHANGE(in_place_size)
{
	/* reads f32, writes i8 over them */
	struct drm_loom_plan_tensor *alias;

	pb_add_alias(pb, T_SZ, DRM_LOOM_DTYPE_I8, 0, PB_SHAPE(8, 64));
	alias = pb_tensor(pb, T_COUNT);
	alias->first_step = 5;
	*pb_operand(pb, C_CAST, 0) = pb_all(pb, T_COUNT);
}

CHANGE(hazard_read)
{
	/* step 1: the convolution takes what is just being loaded */
	*pb_operand(pb, C_CONV0, 1) = pb_all(pb, T_SX1);
}

CHANGE(hazard_write)
{
	/* step 2: stores what the convolution is just writing; written before, in step 1 */
	struct drm_loom_plan_view y = pb_all(pb, T_SY0);

	*pb_operand(pb, C_CONV1, 0) = y;
}

CHANGE(hazard_both)
{
	/* step 1: both write the same rows */
	*pb_operand(pb, C_LOAD_X1, 0) = pb_slice(pb, pb_all(pb, T_SY0), 1, 0, 4);
	*pb_operand(pb, C_LOAD_X1, 1) = pb_slice(pb, pb_all(pb, T_X), 3, 4, 4);
}

CHANGE(work_rows)
{
	/* one more step: a column of rows of which no two are alike is read too often */
	struct drm_loom_attr_fill fill = {};
	u32 step = pb->steps.count, rows = 512, from, to, read, i;
	struct drm_loom_plan_command *command;

	for (i = 0; i < 2; i++)
		pb_add_slot(pb, rows * 8, DRM_LOOM_SLOT_WRITE);
	from = pb_add_dram(pb, pb->slots.count - 2, 0, step, step, DRM_LOOM_DTYPE_I8,
			   PB_SHAPE(rows, 8));
	to = pb_add_dram(pb, pb->slots.count - 1, 0, step, step, DRM_LOOM_DTYPE_I8,
			 PB_SHAPE(rows, 1));
	pb_begin_step(pb);
	for (i = 0; i < rows; i++) {
		struct drm_loom_plan_view row = pb_slice(pb, pb_all(pb, from), 0, i, 1);

		pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill),
		       PB_VIEWS(pb_slice(pb, row, 1, 0, 1 + (i & 1))));
	}
	read = pb_add(pb, DRM_LOOM_OP_COPY, NULL, 0,
		      PB_VIEWS(pb_all(pb, to), pb_slice(pb, pb_all(pb, from), 1, 0, 1)));
	for (i = 0; i < 200; i++) {
		command = pb_push(&pb->commands, 1);
		*command = *pb_command(pb, read);
		pb_step(pb, step)->dma_commands++;
	}
}

static const struct rule_case rule_cases_data[] = {
	{ DRM_LOOM_RULE_READ_ONLY, C(read_only), .valid = IN_RANGE | DRM_LOOM_REJECT_SLOT,
	  .step = 6, .command = C_STORE_Z, .operand = 0, .tensor = T_Y, .start = 0, .end = 2048 },
	{ DRM_LOOM_RULE_READ_ONLY, C(read_only_arena) },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_never), .valid = IN_RANGE | DRM_LOOM_REJECT_SLOT,
	  .step = 0, .command = C_LOAD_W, .operand = 1, .tensor = T_W, .start = 0, .end = 1152 },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_slice), .valid = IN_RANGE, .step = 4,
	  .command = C_LOAD_Z, .operand = 1, .tensor = T_MID_FLAT, .start = 1024, .end = 3072 },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_row) },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_lane), .valid = IN_RANGE, .step = 5,
	  .command = C_ADD, .operand = 2, .tensor = T_SONE, .start = 1024, .end = 1032 },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_dead) },
	{ DRM_LOOM_RULE_UNINITIALISED, C(uninit_order) },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_shifted), .valid = IN_RANGE | DRM_LOOM_REJECT_OTHER,
	  .step = 1, .command = C_RELU0, .operand = 1, .tensor = T_SY0, .other = T_SY0,
	  .start = 1056, .end = 1216 },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_transposed) },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_broadcast) },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_not_elementwise) },
	{ DRM_LOOM_RULE_IN_PLACE, C(in_place_size) },
	{ DRM_LOOM_RULE_HAZARD, C(hazard_read), .valid = IN_RANGE | DRM_LOOM_REJECT_OTHER,
	  .step = 1, .command = C_CONV0, .operand = 1, .tensor = T_SX1, .other = T_SX1,
	  .start = 512, .end = 672 },
	{ DRM_LOOM_RULE_HAZARD, C(hazard_write), .valid = IN_RANGE | DRM_LOOM_REJECT_OTHER,
	  .step = 2, .command = C_CONV1, .operand = 0, .tensor = T_SY0, .other = T_SY0,
	  .start = 1024, .end = 1280 },
	{ DRM_LOOM_RULE_HAZARD, C(hazard_both) },
	{ DRM_LOOM_RULE_WORK, C(work_rows), .valid = DRM_LOOM_REJECT_STEP, .step = 7 },
};

#endif /* LOOM_TESTS_RULE_CASES_DATA_H */
