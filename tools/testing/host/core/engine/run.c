// SPDX-License-Identifier: MIT
/*
 * The run of a plan: the same bits and counters with every budget; a call exceeds its budget by one
 * unit at most; nothing is done after the end.
 */
#include <math.h>
#include <string.h>

#include "loom_engine.h"
#include "loom_op.h"
#include "tap.h"

#define LANES	3
#define PITCH	65536

#define H	9
#define W	70
#define C	5
#define O	7

/*
 * A plan built by hand: load x and w, convolve, relu, an empty step, store. Memory around it is
 * filled, to see that nothing else is written.
 */
struct bench {
	u8 scratch[LANES * PITCH];
	u8 x[C * H * W * 4];
	u8 w[O * C * 9 * 4];
	u8 y[O * H * W * 4];
	u8 *slots[3];
	struct loom_memory memory;
	struct loom_view views[16];
	struct loom_command commands[6];
	struct loom_step steps[5];
	struct loom_plan plan;
};

static const struct drm_loom_attr_conv conv = {
	.stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }, .pad = { 0, 1, 1 }, .groups = 1,
};

/* Banks that the plan is built for. */
static u32 lanes = LANES;

static const struct drm_loom_attr_unary relu = { .kind = DRM_LOOM_UNARY_RELU };
static const struct drm_loom_attr_fill fill = { .bits = 0x3f800000 };

static struct loom_view dense(u32 region, u32 slot, u64 offset, const u32 *dims)
{
	struct loom_view v = {
		.region = region, .slot = slot, .dtype = DRM_LOOM_DTYPE_F32, .elem_bytes = 4,
		.rank = 5, .lane_axis = region == DRM_LOOM_REGION_SRAM, .offset = offset,
	};
	u64 stride = 4;
	u32 i;

	for (i = 6; i-- > 0;) {
		v.dims[i] = i < 5 ? dims[i] : 1;
		v.strides[i] = i < 5 ? stride : 0;
		if (i < 5)
			stride *= i == 1 && region == DRM_LOOM_REGION_SRAM ?
				  (dims[i] + lanes - 1) / lanes : dims[i];
	}
	return v;
}

static void add(struct bench *b, u32 opcode, const void *attr, u32 operands,
		const struct loom_view *views)
{
	struct loom_command *c = &b->commands[b->plan.command_count++];
	struct loom_check check = { .command = c, .opcodes = U64_MAX };

	memcpy(&b->views[b->plan.view_count], views, operands * sizeof(*views));
	c->op = loom_op_get(opcode);
	c->attr = attr;
	c->views = &b->views[b->plan.view_count];
	c->operands = operands;
	b->plan.view_count += operands;
	if (!c->op->check(&check))
		tap_fatal("command %u refused by rule %u", b->plan.command_count, check.rule);
}

static void step(struct bench *b, u32 commands, u32 dma)
{
	b->steps[b->plan.step_count++] = (struct loom_step){
		.first_command = b->plan.command_count,
		.commands = commands,
		.dma_commands = dma,
	};
}

static void build(struct bench *b)
{
	const u32 x[5] = { 1, C, 1, H, W }, w[5] = { O, C, 1, 3, 3 }, y[5] = { 1, O, 1, H, W };
	const u32 w_row[5] = { 1, O * C * 9, 1, 1, 1 };
	struct loom_view dx = dense(DRM_LOOM_REGION_DRAM, 0, 0, x);
	struct loom_view dy = dense(DRM_LOOM_REGION_DRAM, 2, 0, y);
	struct loom_view sx = dense(DRM_LOOM_REGION_SRAM, 0, 0, x);
	struct loom_view sy = dense(DRM_LOOM_REGION_SRAM, 0, 16384, y);
	struct loom_view dw = dense(DRM_LOOM_REGION_DRAM, 1, 0, w);
	struct loom_view sw = dense(DRM_LOOM_REGION_SRAM, 0, 40000, w);
	struct loom_view sf = dense(DRM_LOOM_REGION_SRAM, 0, 50000, w_row);
	u32 i;

	memset(b, 0, sizeof(*b));
	for (i = 0; i < sizeof(b->x) / 4; i++)
		((float *)(void *)b->x)[i] = sinf(i);
	for (i = 0; i < sizeof(b->w) / 4; i++)
		((float *)(void *)b->w)[i] = cosf(3 * i);
	memset(b->scratch, 0xa5, sizeof(b->scratch));
	memset(b->y, 0xa5, sizeof(b->y));
	b->slots[0] = b->x;
	b->slots[1] = b->w;
	b->slots[2] = b->y;
	b->memory = (struct loom_memory){
		.lanes = lanes, .scratch = b->scratch, .lane_pitch = PITCH, .slots = b->slots,
	};
	b->plan.lanes = lanes;
	b->plan.steps = b->steps;
	b->plan.commands = b->commands;
	b->plan.views = b->views;

	step(b, 2, 2);
	add(b, DRM_LOOM_OP_LOAD, NULL, 2, (struct loom_view[]){ sx, dx });
	add(b, DRM_LOOM_OP_LOAD, NULL, 2, (struct loom_view[]){ sw, dw });
	step(b, 2, 1);
	add(b, DRM_LOOM_OP_FILL, &fill, 1, &sf);
	add(b, DRM_LOOM_OP_CONV, &conv, 3, (struct loom_view[]){ sy, sx, sw });
	step(b, 1, 0);
	add(b, DRM_LOOM_OP_UNARY, &relu, 2, (struct loom_view[]){ sy, sy });
	step(b, 0, 0);
	step(b, 1, 1);
	add(b, DRM_LOOM_OP_STORE, NULL, 2, (struct loom_view[]){ dy, sy });
}

/*
 * Runs it to the end. Return: number of calls, 0 if it did not end, or if a call says that it did
 * nothing, or more than it may, or all of them less than there was to do.
 */
static u32 run(struct bench *b, u64 budget, struct drm_loom_counters *counters)
{
	struct loom_engine engine;
	u32 calls = 0;
	u64 before;
	bool done;

	build(b);
	loom_engine_init(&engine, &b->plan, &b->memory);
	do {
		before = engine.work;
		done = loom_engine_run(&engine, budget);
		if (++calls > 100000 || engine.work <= before ||
		    (budget < U64_MAX && engine.work - before >= budget + LOOM_ENGINE_EXCESS))
			return 0;
	} while (!done);
	/* work is each multiplication at least, in how many calls ever */
	if (engine.work < engine.counters.macs)
		return 0;
	*counters = engine.counters;
	/* and once more: nothing left to do, nothing counted */
	if (!loom_engine_run(&engine, budget) ||
	    memcmp(counters, &engine.counters, sizeof(*counters)))
		return 0;
	return calls;
}

/* A step takes time even if there is nothing to do in it. */
static void test_empty_steps(void)
{
	static struct loom_step steps[20000];
	const struct loom_plan plan = { .lanes = LANES, .step_count = ARRAY_SIZE(steps),
					.steps = steps };
	const u32 budget = 4000;
	struct loom_engine engine;
	u32 before, most = 0;
	bool done;

	loom_engine_init(&engine, &plan, NULL);
	do {
		before = engine.step;
		done = loom_engine_run(&engine, budget);
		most = max(most, engine.step - before);
	} while (!done);
	tap_ok(engine.counters.steps == ARRAY_SIZE(steps) && engine.work == ARRAY_SIZE(steps) &&
	       most < 2 * budget, "of steps with nothing to do a call ends %u", most);
}

/*
 * Rows of two bytes, four of them side by side: they are copied eight bytes at a time, but not by a
 * call that must copy some of them only.
 */
static void test_narrow_rows(void)
{
	static struct bench b;
	struct loom_view views[2] = {
		{ .region = DRM_LOOM_REGION_SRAM, .dtype = DRM_LOOM_DTYPE_I8, .elem_bytes = 1,
		  .rank = 4, .dims = { 1, 3, 4, 2, 1, 1 }, .strides = { 0, 16, 2, 1 } },
	};
	struct loom_command command = {
		.op = loom_op_get(DRM_LOOM_OP_COPY), .views = views, .operands = 2,
	};
	struct loom_check check = { .command = &command, .opcodes = U64_MAX };
	bool same = true;
	u32 unit, i;

	build(&b);
	views[1] = views[0];
	views[1].offset = 64;
	if (!command.op->check(&check) || command.units != 12)
		tap_fatal("a copy of 12 rows was refused");
	for (unit = 0; unit < command.units; unit++) {
		for (i = 0; i < 128; i++)
			b.scratch[i] = i;
		loom_engine_compute(&command, &b.memory, unit, 1);
		for (i = 0; i < 128; i++) {
			u32 first = unit / 4 * 16 + unit % 4 * 2;
			bool moved = i >= first && i < first + 2;

			same = same && b.scratch[i] == (moved ? i + 64 : i);
		}
	}
	tap_ok(same, "a row of two bytes is copied without those beside it");
}

/* The same network in another number of banks; one is as if there were none. */
static void test_banks(const struct bench *whole)
{
	static struct bench other;
	struct drm_loom_counters counters;
	u32 calls;

	for (lanes = 1; lanes < LANES; lanes++) {
		calls = run(&other, U64_MAX, &counters);
		tap_ok(calls == 1 && !memcmp(whole->y, other.y, sizeof(other.y)),
		       "%u banks: the same bits", lanes);
	}
}

/* As far as caches of 64 sets go, which is what they have that are the first to be asked. */
static bool pitch_spreads(u64 bytes)
{
	u64 pitch = loom_engine_pitch(bytes), sets = 0;
	u32 i;

	for (i = 0; i < 64; i++)
		sets |= 1ULL << (i * pitch / 64 % 64);
	return pitch >= bytes && pitch < bytes + 128 && pitch % 64 == 0 && sets == ~0ULL;
}

/*
 * Runs it to the end with commands of @least or more computed in shares, the last first: as many
 * processors would, in any order. Return: number of commands that were, or 0 if that went wrong.
 */
static u32 run_shared(struct bench *b, u64 least, u32 workers, u64 budget,
		      struct drm_loom_counters *counters)
{
	const struct loom_command *command;
	struct loom_engine engine;
	u32 shared = 0, calls = 0;
	bool done;

	build(b);
	loom_engine_init(&engine, &b->plan, &b->memory);
	engine.share_least = least;
	do {
		done = loom_engine_run(&engine, budget);
		command = loom_engine_shared(&engine);
		if (++calls > 100000 || (command && (done || engine.unit ||
						     command->units * command->unit_cost < least)))
			return 0;
		if (command) {
			u64 size = loom_engine_share(command, workers);
			u64 n = (command->units + size - 1) / size;

			while (n--) {
				struct loom_command_share share = {
					.unit = n * size,
					.end = min((n + 1) * size, command->units),
				};

				while (share.unit < share.end)
					loom_share_run(&share, command, &b->memory, budget);
			}
			loom_engine_shared_end(&engine);
			shared++;
		}
	} while (!done);
	*counters = engine.counters;
	return loom_engine_shared(&engine) ? 0 : shared;
}

static void test_shared(const struct bench *whole, const struct drm_loom_counters *counters)
{
	static const struct {
		u64 least;
		u32 workers;
		u32 commands;
	} rows[] = {
		/* all six; the convolution and what is as long; the convolution alone */
		{ 1, 1, 6 }, { 1, 5, 6 }, { O * H * W, 2, 4 }, { (u64)O * C * 9 * H * W / 2, 3, 1 },
	};
	static struct bench part;
	struct drm_loom_counters again;
	u32 i, shared;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		shared = run_shared(&part, rows[i].least, rows[i].workers, i % 2 ? 100 : 10000,
				    &again);
		tap_ok(shared == rows[i].commands &&
		       !memcmp(whole->scratch, part.scratch, sizeof(part.scratch)) &&
		       !memcmp(whole->y, part.y, sizeof(part.y)) &&
		       !memcmp(counters, &again, sizeof(again)),
		       "%u commands are shared among %u: the same bits and counters", shared,
		       rows[i].workers);
	}
}

/*
 * Only the next command of the current step is shared: not one of the step behind, before this
 * one is counted, nor one behind the end of the plan.
 */
static void test_shared_where(void)
{
	static struct bench b;
	struct loom_engine engine;
	bool empty, next;

	build(&b);
	b.steps[0] = (struct loom_step){ 0 };
	b.steps[1] = (struct loom_step){ .commands = 2, .dma_commands = 2 };
	loom_engine_init(&engine, &b.plan, &b.memory);
	engine.share_least = 1;
	empty = !loom_engine_shared(&engine);
	next = !loom_engine_run(&engine, 1) && engine.step == 1 &&
	       loom_engine_shared(&engine) == &b.commands[0];
	tap_ok(empty && next, "a command is shared when its step begins, not before");

	b.plan.step_count = 1;
	loom_engine_init(&engine, &b.plan, &b.memory);
	engine.share_least = 1;
	tap_ok(loom_engine_run(&engine, 1) && !loom_engine_shared(&engine),
	       "nothing is shared behind the end of a plan");
}

/* A command that is begun is not shared, wherever it was left: processors would begin it again. */
static void test_shared_begun(void)
{
	static struct bench b;
	struct loom_engine engine;
	u32 between = 0, inside = 0, shared = 0;

	build(&b);
	loom_engine_init(&engine, &b.plan, &b.memory);
	while (!loom_engine_run(&engine, 1)) {
		if (!engine.unit && !engine.part.begun)
			continue;
		between += engine.unit && !engine.part.begun;
		inside += !engine.unit && engine.part.begun;
		engine.share_least = 1;
		shared += !!loom_engine_shared(&engine);
		engine.share_least = 0;
	}
	tap_ok(between && inside && !shared,
	       "of commands left %u times between units and %u times in the first none is shared",
	       between, inside);
}

int main(void)
{
	static const u64 budgets[] = { 0, 1, 63, 64, 65, 100, 3000, 10000, 1000000 };
	static struct bench whole, part;
	struct drm_loom_counters counters, again;
	struct loom_engine engine;
	const float *y = (const float *)(const void *)whole.y;
	double want = 0.0;
	u32 i, j, k, calls, least;
	bool good;

	calls = run(&whole, U64_MAX, &counters);
	tap_ok(calls == 1, "an unlimited budget ends a plan in one call");

	/* y[2, 4, 5] by hand */
	for (i = 0; i < C; i++) {
		for (j = 0; j < 3; j++) {
			for (k = 0; k < 3; k++)
				want += (double)sinf((i * H + 4 + j - 1) * W + 5 + k - 1) *
					cosf(3.0f * ((2 * C + i) * 9 + j * 3 + k));
		}
	}
	want = want < 0 ? 0 : want;
	tap_ok(fabs(y[(2 * H + 4) * W + 5] - want) < 0.00001, "the result is the convolution's");

	tap_ok(counters.steps == 5 && counters.commands == 6 && counters.jobs == 0,
	       "steps and commands, the empty step included");
	tap_ok(counters.macs == (u64)O * C * 9 * H * W, "macs of the convolution");
	tap_ok(counters.dram_read_bytes == sizeof(whole.x) + sizeof(whole.w) &&
	       counters.sram_write_bytes == sizeof(whole.x) + 2 * sizeof(whole.w) &&
	       counters.sram_read_bytes == sizeof(whole.y) &&
	       counters.dram_write_bytes == sizeof(whole.y),
	       "bytes of loads, fills and stores, by region and direction");

	for (i = 0; i < ARRAY_SIZE(budgets); i++) {
		calls = run(&part, budgets[i], &again);
		tap_ok(calls && !memcmp(whole.scratch, part.scratch, sizeof(part.scratch)) &&
		       !memcmp(whole.y, part.y, sizeof(part.y)) &&
		       !memcmp(&counters, &again, sizeof(again)),
		       "budget %llu: the same bits and counters in %u calls",
		       (unsigned long long)budgets[i], calls);
	}

	test_banks(&whole);
	test_narrow_rows();
	test_empty_steps();
	test_shared(&whole, &counters);
	test_shared_where();
	test_shared_begun();

	/* a call must not execute more units than budget / cost, and those done with the last */
	build(&part);
	loom_engine_init(&engine, &part.plan, &part.memory);
	while (engine.command < 3)
		loom_engine_run(&engine, 1);
	good = true;
	while (engine.command == 3) {
		u64 before = engine.unit, cost = part.commands[3].unit_cost;

		loom_engine_run(&engine, 16 * cost);
		if (engine.command == 3 && engine.unit - before > 16 + 3)
			good = false;
	}
	least = part.commands[3].units;
	tap_ok(good && least == O * H * 2, "a call does what it is paid for: %u units", least);

	tap_ok(pitch_spreads(1) && pitch_spreads(64) && pitch_spreads(65) && pitch_spreads(4096) &&
	       pitch_spreads(262144) && pitch_spreads(262145) && !loom_engine_pitch(0),
	       "banks begin in all sets of a cache");

	memset(&part.plan, 0, sizeof(part.plan));
	loom_engine_init(&engine, &part.plan, &part.memory);
	tap_ok(loom_engine_run(&engine, 1) && !engine.counters.steps, "a plan of nothing ends");
	return tap_end();
}
