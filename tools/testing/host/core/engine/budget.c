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
	u32 bytes = loom_dtype_stride(dtype);

	return (struct loom_view){
		.region = DRM_LOOM_REGION_SRAM, .dtype = dtype, .elem_bytes = bytes, .rank = 5,
		.lane_axis = 1, .offset = offset, .dims = { n, LANES, 1, 1, 1, 1 },
		.strides = { n > 1 ? bytes : 0, (s64)bytes * n },
	};
}

static bool check(struct loom_command *command, u32 opcode, const void *attr,
		  const struct loom_view *views, u32 operands)
{
	struct loom_check check = { .command = command, .opcodes = U64_MAX };

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

/* Some elements take several times as long as is counted for them when a plan is checked. */
static void test_weights(void)
{
	static const struct {
		const char *name;
		struct drm_loom_attr_binary attr;
		u32 dtype;
		u32 weight;
	} rows[] = {
		{ "fmod of F64", { .kind = DRM_LOOM_BINARY_FMOD }, DRM_LOOM_DTYPE_F64, 2 },
		{ "pow of I64", { .kind = DRM_LOOM_BINARY_POW }, DRM_LOOM_DTYPE_I64, 4 },
		{ "fmod of F32", { .kind = DRM_LOOM_BINARY_FMOD }, DRM_LOOM_DTYPE_F32, 1 },
	};
	const u64 budget = 1 << 20;
	struct loom_command command;
	struct loom_view views[3];
	u64 units, most;
	u32 i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (j = 0; j < ARRAY_SIZE(views); j++)
			views[j] = column(rows[i].dtype, ROWS, j * PITCH / 4);
		if (!check(&command, DRM_LOOM_OP_BINARY, &rows[i].attr, views, 3))
			tap_fatal("%s was refused", rows[i].name);
		units = done(&command, budget);
		most = budget / (rows[i].weight * command.unit_cost);
		tap_ok(units && units <= most && most < command.units,
		       "%s: %llu units for %llu, at most %llu", rows[i].name,
		       (unsigned long long)units, (unsigned long long)budget,
		       (unsigned long long)most);
	}
}

/* The most that one call does, in element operations, and how many calls a command takes. */
static u64 most(struct loom_command *command, u32 *calls)
{
	struct loom_step step = { .commands = 1 };
	struct loom_plan plan = {
		.lanes = LANES, .step_count = 1, .command_count = 1, .steps = &step,
		.commands = command,
	};
	struct loom_engine engine;
	u64 before, least = 0;
	bool ended;

	*calls = 0;
	loom_engine_init(&engine, &plan, &memory);
	do {
		before = engine.work;
		ended = loom_engine_run(&engine, LOOM_ENGINE_PIECE);
		least = engine.work - before > least ? engine.work - before : least;
		++*calls;
	} while (!ended);
	return least;
}

/* Strides of zero, so that a sum may be as long as is allowed in little memory. */
static struct loom_view long_view(u32 dtype, u32 rank, const u32 *dims, u64 offset)
{
	u32 bytes = loom_dtype_stride(dtype), i;
	struct loom_view view = {
		.region = DRM_LOOM_REGION_SRAM, .dtype = dtype, .elem_bytes = bytes, .rank = rank,
		.lane_axis = rank - 1, .offset = offset,
	};

	for (i = 0; i < DRM_LOOM_MAX_RANK; i++)
		view.dims[i] = i < rank ? dims[i] : 1;
	return view;
}

/* A unit that costs as much as the checks let pass is done in many calls, none of which is long. */
static void test_large_units(void)
{
	static const struct drm_loom_attr_reduce reduce = { .kind = DRM_LOOM_REDUCE_SUMSQ };
	static const struct drm_loom_attr_softmax softmax = { .axis = 1 };
	static const struct drm_loom_attr_topk topk = { .axis = 1, .count = 1 };
	static const struct drm_loom_attr_matmul matmul = {
		.alpha = 0x3f800000, .beta = 0x3f800000,
	};
	static const struct drm_loom_attr_conv conv = {
		.stride = { 1, 1, 1 }, .dilation = { 1, 1, 100 }, .groups = 1,
	};
	static const struct drm_loom_attr_conv outside = {
		.stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }, .groups = 1, .pad = { 1, 1, 1 },
	};
	static const struct drm_loom_attr_pool pool = {
		.kernel = { 1 << 10, 1 << 6, 1 << 6 }, .stride = { 1, 1, 1 },
		.dilation = { 1, 1, 1 },
	};
	static const u32 cap = DRM_LOOM_MAX_UNIT_COST;
	const struct {
		const char *name;
		u32 opcode;
		const void *attr;
		u32 operands, rank;
		u32 dims[3][5];
	} cases[] = {
		{ "reduce", DRM_LOOM_OP_REDUCE, &reduce, 2, 2, { { 1, 1 }, { 1, cap } } },
		{ "reduce, rows of one", DRM_LOOM_OP_REDUCE, &reduce, 2, 2,
		  { { 1, 1 }, { cap, 1 } } },
		{ "softmax", DRM_LOOM_OP_SOFTMAX, &softmax, 2, 2, { { 1, ROWS }, { 1, ROWS } } },
		{ "topk", DRM_LOOM_OP_TOPK, &topk, 3, 2,
		  { { 1, 1 }, { 1, cap / 2 }, { 1, cap / 2 } } },
		{ "matmul", DRM_LOOM_OP_MATMUL, &matmul, 3, 4,
		  { { 1, 1, 1, 1 }, { 1, 1, 1, cap }, { 1, 1, cap, 1 } } },
		{ "conv, channels", DRM_LOOM_OP_CONV, &conv, 3, 5,
		  { { 1, 1, 1, 1, 1 }, { 1, cap, 1, 1, 1 }, { 1, cap, 1, 1, 1 } } },
		{ "conv, 26x2 taps apart", DRM_LOOM_OP_CONV, &conv, 3, 5,
		  { { 1, 1, 1, 1, 8 }, { 1, 8192, 26, 26, 128 }, { 1, 8192, 1, 26, 2 } } },
		{ "conv, taps", DRM_LOOM_OP_CONV, &outside, 3, 5,
		  { { 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1 }, { 1, 1, 1 << 8, 1 << 7, 1 << 7 } } },
		{ "deconv, taps", DRM_LOOM_OP_DECONV, &outside, 3, 5,
		  { { 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1 }, { 1, 1, 1 << 8, 1 << 7, 1 << 7 } } },
		{ "pool", DRM_LOOM_OP_POOL, &pool, 2, 5,
		  { { 1, 1, 1, 1, 1 }, { 1, 1, 1 << 10, 1 << 6, 1 << 6 } } },
	};
	struct loom_command command;
	struct loom_view views[3];
	u32 i, j, calls;
	u64 work;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (j = 0; j < cases[i].operands; j++)
			views[j] = long_view(DRM_LOOM_DTYPE_F32, cases[i].rank, cases[i].dims[j],
					     64 * j);
		views[0].strides[cases[i].rank - 1] = 4;
		if (!check(&command, cases[i].opcode, cases[i].attr, views, cases[i].operands))
			tap_fatal("%s was refused", cases[i].name);
		work = most(&command, &calls);
		tap_ok(work < LOOM_ENGINE_PIECE + LOOM_ENGINE_EXCESS &&
		       calls >= command.unit_cost / LOOM_ENGINE_PIECE,
		       "%s: %llu operations, at most %llu in one of %u calls", cases[i].name,
		       (unsigned long long)command.unit_cost, (unsigned long long)work, calls);
	}
}

/* Where no tap meets x, neither an index in it nor its steps are bounded by anything. */
static void test_far_taps(void)
{
	static const struct drm_loom_attr_conv conv = {
		.stride = { 1 << 24, 1 << 24, 1 }, .dilation = { 1 << 24, 1 << 24, 1 },
		.groups = 1,
	};
	static const u32 y[5] = { 1, 1, 3, 3, 16 }, x[5] = { 1, 1, 1, 1, 16 };
	static const u32 w[5] = { 1, 1, 2, 2, 1 };
	struct loom_command command;
	struct loom_view views[3];
	float got[16], far[16];

	views[0] = long_view(DRM_LOOM_DTYPE_F32, 5, y, 0);
	views[1] = long_view(DRM_LOOM_DTYPE_F32, 5, x, 4096);
	views[2] = long_view(DRM_LOOM_DTYPE_F32, 5, w, 8192);
	views[0].strides[4] = 4;
	views[0].strides[3] = 64;
	views[0].strides[2] = 192;
	views[1].strides[4] = 4;
	views[1].strides[3] = 1LL << 50;
	views[1].strides[2] = 1LL << 50;
	views[0].lane_axis = 0;
	views[1].lane_axis = 0;
	views[2].lane_axis = 0;
	memset(scratch + 4096, 0, 128);
	*(float *)(scratch + 4096) = 3.0f;
	*(float *)(scratch + 8192) = 2.0f;
	if (!check(&command, DRM_LOOM_OP_CONV, &conv, views, 3))
		tap_fatal("conv was refused");
	loom_engine_compute(&command, &memory, 0, command.units);
	memcpy(got, scratch, sizeof(got));
	memcpy(far, scratch + 2 * 192 + 2 * 64, sizeof(far));
	tap_ok(got[0] == 6.0f && far[0] == 0.0f, "taps beyond x by 2^25 rows of 2^50 bytes");
}

int main(void)
{
	test_small_units();
	test_fmod();
	test_weights();
	test_large_units();
	test_far_taps();
	return tap_end();
}
