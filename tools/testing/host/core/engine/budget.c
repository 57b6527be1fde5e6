// SPDX-License-Identifier: MIT
/*
 * How long one call of the engine takes, on plans that are built to take longer than the cost that
 * is counted for them.
 */
#include <string.h>

#include "loom_engine.h"
#include "loom_op.h"
#include "tap.h"

#define LANES	16
#define ROWS	4096
#define PITCH	(ROWS * 64)

static u8 scratch[LANES * PITCH];

static const struct loom_memory memory = {
	.lanes = LANES, .scratch = scratch, .lane_pitch = PITCH,
};

/* [n, LANES, 1, 1, 1]: every tile is one element */
static struct loom_view column(u32 dtype, u32 n, u64 offset)
{
	u32 bytes = loom_dtype_bytes(dtype);

	return (struct loom_view){
		.region = DRM_LOOM_REGION_SRAM, .dtype = dtype, .elem_bytes = bytes, .rank = 5,
		.lane_axis = 1, .offset = offset, .dims = { n, LANES, 1, 1, 1, 1 },
		.strides = { n > 1 ? bytes : 0, (s64)bytes * n },
	};
}

static bool check(struct loom_command *command, u32 opcode, const void *attr,
		  const struct loom_view *views, u32 operands)
{
	struct loom_check check = { .command = command };

	*command = (struct loom_command){
		.op = loom_op_get(opcode), .attr = attr, .views = views, .operands = operands,
	};
	return command->op->check(&check);
}

/* Units of a command that one call executes. */
static u64 done(struct loom_command *command, u64 budget)
{
	struct loom_step step = { .commands = 1 };
	struct loom_plan plan = {
		.lanes = LANES, .step_count = 1, .command_count = 1, .steps = &step,
		.commands = command,
	};
	struct loom_engine engine;

	loom_engine_init(&engine, &plan, &memory);
	return loom_engine_run(&engine, budget) ? command->units : engine.unit;
}

/* A unit of one element takes as long as one of many: it must not be counted as one element. */
static void test_small_units(void)
{
	static const struct drm_loom_attr_resize resize = {
		.in_size = { 1, 1, 1 }, .out_size = { 1, 1, 1 },
	};
	static const struct drm_loom_attr_pool pool = {
		.kernel = { 1, 1, 1 }, .stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 },
	};
	static const struct drm_loom_attr_softmax softmax = { .axis = 4 };
	static const struct {
		const char *name;
		u32 opcode;
		const void *attr;
	} ops[] = {
		{ "resize", DRM_LOOM_OP_RESIZE, &resize },
		{ "pool", DRM_LOOM_OP_POOL, &pool },
		{ "softmax", DRM_LOOM_OP_SOFTMAX, &softmax },
		{ "copy", DRM_LOOM_OP_COPY, NULL },
	};
	const u64 budget = 32768;
	struct loom_command command;
	struct loom_view views[2];
	u64 units;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		views[0] = column(DRM_LOOM_DTYPE_F32, ROWS, 0);
		views[1] = column(DRM_LOOM_DTYPE_F32, ROWS, PITCH / 2);
		if (!check(&command, ops[i].opcode, ops[i].attr, views, 2))
			tap_fatal("%s was refused", ops[i].name);
		units = done(&command, budget);
		tap_ok(command.units == ROWS * LANES && units && units <= budget / 16,
		       "%s of one element: %llu units for %llu", ops[i].name,
		       (unsigned long long)units, (unsigned long long)budget);
	}
}

/* The remainder of the largest and the smallest number is a division of 190 steps. */
static void test_fmod(void)
{
	static const struct drm_loom_attr_binary attr = { .kind = DRM_LOOM_BINARY_FMOD };
	static const struct {
		const char *name;
		u32 dtype;
		u32 steps;
	} types[] = {
		{ "F64", DRM_LOOM_DTYPE_F64, 190 },
		{ "F32", DRM_LOOM_DTYPE_F32, 25 },
		{ "I64", DRM_LOOM_DTYPE_I64, 1 },
	};
	struct loom_command command;
	struct loom_view views[3];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		views[0] = column(types[i].dtype, 1, 0);
		views[1] = column(types[i].dtype, 1, 64);
		views[2] = column(types[i].dtype, 1, 128);
		if (!check(&command, DRM_LOOM_OP_BINARY, &attr, views, 3))
			tap_fatal("fmod was refused");
		tap_ok(command.unit_cost >= types[i].steps, "fmod of %s counts its %u divisions",
		       types[i].name, types[i].steps);
	}
}

int main(void)
{
	test_small_units();
	test_fmod();
	return tap_end();
}
