// SPDX-License-Identifier: MIT
/*
 * All plans of small worlds, each judged by the verifier and by the simulator that looks at every
 * byte. Plans that the verifier accepts must be free of faults; where all views are intervals,
 * plans that it refuses must have one.
 *
 * A world is a memory of a few units, and all ways to have a few tensors in it, alive for all
 * intervals of a few steps, and all sequences of a few commands over all views of them. The order
 * of tensors in the table changes nothing, so only one is tried. A plan that both refuse is not
 * continued: both look at commands in their order, and what is wrong stays so.
 *
 *	worlds [--large]	worlds for an hour instead of seconds
 */
#define ORACLE_SLOT_BYTES	16
#define ORACLE_SLOTS		2
#define ORACLE_LANES		2
#define ORACLE_BANK_BYTES	16
#define ORACLE_ELEMENTS		64

#include "chips.h"
#include "oracle.h"
#include "tap.h"

#define MAX_TENSORS	3
#define MAX_COMMANDS	4
#define MAX_VIEWS	512

/**
 * struct world - what there is
 * @name: for people
 * @units: bytes of the memory, of each bank
 * @lanes: banks; a tensor has two axes, if there are more than one
 * @strided: tensors are in a buffer, views step over them, either way, and stand still
 * @exact: refused plans must have a fault
 * @tensors: most
 * @steps: of each plan
 * @commands: most
 */
struct world {
	const char *name;
	u32 units;
	u32 lanes;
	bool strided;
	bool exact;
	u32 tensors;
	u32 steps;
	u32 commands;
};

static const struct world small[] = {
	{ "intervals", 3, 1, false, true, 2, 2, 3 },
	{ "three tensors", 2, 1, false, true, 3, 2, 2 },
	{ "one tensor, four commands", 2, 1, false, true, 1, 2, 4 },
	{ "lanes", 2, 2, false, false, 2, 1, 2 },
	{ "strides", 4, 1, true, false, 1, 1, 2 },
};

static const struct world large[] = {
	{ "intervals", 4, 1, false, true, 2, 3, 3 },
	{ "three of each", 2, 1, false, true, 3, 3, 3 },
	{ "one tensor, four commands", 3, 1, false, true, 1, 2, 4 },
	{ "lanes", 2, 2, false, false, 2, 2, 2 },
	{ "strides", 6, 1, true, false, 1, 2, 3 },
};

/* A command of the plan that is being built: its step, its operation, its views. */
struct command {
	u32 step;
	u32 op;
	u32 views[2];
};

static const u16 opcodes[] = { DRM_LOOM_OP_FILL, DRM_LOOM_OP_COPY, DRM_LOOM_OP_UNARY };

static struct drm_loom_chip chip = CHIP("world", (1, 1, 1 << 20, 0, 16), (1, 1, 16, 0, 1));
static const struct world *world;
static struct oracle oracle;
/* the tables of tensors that are possible, and those of this plan */
static struct drm_loom_plan_tensor kinds[1024];
static u32 kind_count, tensor_count;
static u32 tensors[MAX_TENSORS];
static struct drm_loom_plan_view views[MAX_VIEWS];
static u32 view_count;
static struct command commands[MAX_COMMANDS];
static u32 command_count;
static u64 plans, fine, unsafe, cautious, by_rule[DRM_LOOM_RULE_END];

static void add_kind(struct plan_builder *pb, u32 tensor)
{
	if (kind_count == ARRAY_SIZE(kinds))
		tap_fatal("more tensors than there is room for");
	if (pb_tensor(pb, tensor)->offset + pb_tensor(pb, tensor)->size <= world->units)
		kinds[kind_count++] = *pb_tensor(pb, tensor);
	pb->tensors.count = 0;
}

/* The next digit of a number whose digits have bases of their own, the lowest first. */
static u32 digit(u32 *number, u32 base)
{
	u32 low = *number % base;

	*number /= base;
	return low;
}

/* All tensors: each size at each place, for each interval of steps. */
static void list_kinds(void)
{
	u32 sizes = world->units * world->lanes, heights = world->lanes > 1 ? sizes : 1;
	u32 all = world->steps * world->steps * world->units * sizes * heights * world->lanes;
	struct plan_builder pb;
	u32 i;

	kind_count = 0;
	pb_init(&pb, world->lanes, world->units);
	pb_add_slot(&pb, world->units, DRM_LOOM_SLOT_WRITE);
	for (i = 0; i < all; i++) {
		u32 rest = i, first = digit(&rest, world->steps), last = digit(&rest, world->steps);
		u32 offset = digit(&rest, world->units), columns = 1 + digit(&rest, sizes);
		u32 rows = 1 + digit(&rest, heights), axis = rest;

		if (first > last)
			continue;
		if (world->strided)
			add_kind(&pb, pb_add_dram(&pb, 0, offset, first, last, DRM_LOOM_DTYPE_I8,
						  PB_SHAPE(columns)));
		else if (world->lanes == 1)
			add_kind(&pb, pb_add_sram(&pb, offset, first, last, DRM_LOOM_DTYPE_I8, 0,
						  PB_SHAPE(columns)));
		else
			add_kind(&pb, pb_add_sram(&pb, offset, first, last, DRM_LOOM_DTYPE_I8,
						  axis, PB_SHAPE(rows, columns)));
	}
	pb_fini(&pb);
}

static void add_view(struct drm_loom_plan_view view)
{
	if (view_count == MAX_VIEWS)
		tap_fatal("more views than there is room for");
	views[view_count++] = view;
}

/* All boxes of a tensor; in a buffer, all that step over one evenly, or leave it. */
static void list_views(struct plan_builder *pb, u32 tensor)
{
	struct drm_loom_plan_view all = pb_all(pb, tensor), view;
	u32 rows = all.dims[0], columns = all.rank > 1 ? all.dims[1] : 1;
	u32 i, count = rows * rows * columns * columns * (world->strided ? 5 : 1);

	for (i = 0; i < count; i++) {
		u32 rest = i, start = digit(&rest, rows), high = 1 + digit(&rest, rows);
		u32 left = digit(&rest, columns), wide = 1 + digit(&rest, columns);

		if (start + high > rows || left + wide > columns)
			continue;
		view = pb_slice(pb, all, 0, start, high);
		if (all.rank > 1)
			view = pb_slice(pb, view, 1, left, wide);
		if (world->strided)
			view.strides[0] = (s64)rest - 2;
		/* the stride of one element changes nothing */
		if (!world->strided || high > 1 || view.strides[0] == 1)
			add_view(view);
	}
}

static void add_tensors(struct plan_builder *pb)
{
	u32 i;

	pb_init(pb, world->lanes, world->units);
	pb_add_slot(pb, world->units, DRM_LOOM_SLOT_WRITE);
	for (i = 0; i < tensor_count; i++)
		*(struct drm_loom_plan_tensor *)pb_push(&pb->tensors, 1) = kinds[tensors[i]];
}

static void add_commands(struct plan_builder *pb)
{
	static const struct drm_loom_attr_unary relu = { .kind = DRM_LOOM_UNARY_RELU };
	static const struct drm_loom_attr_fill fill;
	u32 step, i = 0;

	for (step = 0; step < world->steps; step++) {
		pb_begin_step(pb);
		for (; i < command_count && commands[i].step == step; i++) {
			u16 opcode = opcodes[commands[i].op];
			struct pb_views of = {
				.count = 1 + !!commands[i].op,
				.view = { views[commands[i].views[0]],
					  views[commands[i].views[1]] },
			};

			if (opcode == DRM_LOOM_OP_FILL)
				pb_add_views(pb, opcode, &fill, sizeof(fill), &of);
			else if (opcode == DRM_LOOM_OP_UNARY)
				pb_add_views(pb, opcode, &relu, sizeof(relu), &of);
			else
				pb_add_views(pb, opcode, NULL, 0, &of);
		}
	}
}

static void note(const struct drm_loom_reject *reject, u32 faults)
{
	u32 i;

	tap_note("verifier says %s, simulator %#x, of this plan:", loom_rule_name(reject->rule),
		 faults);
	for (i = 0; i < tensor_count; i++)
		tap_note("  tensor at %llu, %u by %u, steps %u to %u",
			 (unsigned long long)kinds[tensors[i]].offset, kinds[tensors[i]].dims[0],
			 kinds[tensors[i]].dims[1], kinds[tensors[i]].first_step,
			 kinds[tensors[i]].last_step);
	for (i = 0; i < command_count; i++)
		tap_note("  step %u: operation %u, views %u, %u", commands[i].step,
			 opcodes[commands[i].op], commands[i].views[0], commands[i].views[1]);
}

/* Return: whether the plan may be continued. */
static bool judge(void)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	u32 faults;
	int ret;

	add_tensors(&pb);
	add_commands(&pb);
	ret = pb_verify(&pb, &chip, &plan, &reject);
	loom_plan_destroy(plan);
	faults = oracle_judge(&oracle, &pb);
	pb_fini(&pb);
	plans++;
	by_rule[reject.rule]++;
	fine += !faults && !ret;
	if ((!ret && faults && !unsafe++) || (ret && !faults && !cautious++ && world->exact))
		note(&reject, faults);
	return !faults && !ret;
}

static bool same_dims(u32 a, u32 b)
{
	return views[a].dims[0] == views[b].dims[0] && views[a].dims[1] == views[b].dims[1];
}

/* Commands stand in the order of steps, and in a step those of the DMA stream first. */
static bool may_follow(const struct command *last, const struct command *next)
{
	if (next->step < last->step)
		return false;
	return next->step > last->step || opcodes[last->op] != DRM_LOOM_OP_UNARY ||
	       opcodes[next->op] == DRM_LOOM_OP_UNARY;
}

static void all_commands(void)
{
	u32 ops = world->strided ? 2 : ARRAY_SIZE(opcodes), i;

	if (!judge() || command_count == world->commands)
		return;
	command_count++;
	for (i = 0; i < world->steps * ops * view_count * view_count; i++) {
		struct command *next = &commands[command_count - 1];
		u32 rest = i;

		next->step = digit(&rest, world->steps);
		next->op = digit(&rest, ops);
		next->views[0] = digit(&rest, view_count);
		next->views[1] = rest;
		if (next->op ? !same_dims(next->views[0], next->views[1]) : next->views[1])
			continue;
		if (command_count == 1 || may_follow(next - 1, next))
			all_commands();
	}
	command_count--;
}

static void all_tensors(u32 first)
{
	struct plan_builder pb;
	u32 i;

	view_count = 0;
	add_tensors(&pb);
	for (i = 0; i < tensor_count; i++)
		list_views(&pb, i);
	pb_fini(&pb);
	all_commands();
	if (tensor_count == world->tensors)
		return;
	tensor_count++;
	for (i = first; i < kind_count; i++) {
		tensors[tensor_count - 1] = i;
		all_tensors(i);
	}
	tensor_count--;
}

static void test_world(const struct world *of)
{
	u32 rule, rules = 0;

	world = of;
	chip.region[DRM_LOOM_REGION_SRAM].banks = world->lanes;
	plans = 0;
	fine = 0;
	unsafe = 0;
	cautious = 0;
	memset(by_rule, 0, sizeof(by_rule));
	list_kinds();
	all_tensors(0);
	for (rule = DRM_LOOM_RULE_HEADER; rule < DRM_LOOM_RULE_END; rule++)
		rules += !!by_rule[rule];
	tap_ok(!unsafe, "%s: of %llu plans, %llu are accepted, none is unsafe", world->name,
	       (unsigned long long)plans, (unsigned long long)fine);
	if (world->exact)
		tap_ok(!cautious, "%s: the others are, by %u rules", world->name, rules);
	else
		tap_note("%s: refused out of caution: %llu", world->name,
			 (unsigned long long)cautious);
	tap_ok(fine > 100 && rules > 3, "%s: there are enough of both kinds to say so",
	       world->name);
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "--large");
	u32 i, count = all ? ARRAY_SIZE(large) : ARRAY_SIZE(small);

	for (i = 0; i < count; i++)
		test_world(all ? &large[i] : &small[i]);
	return tap_end();
}
