// SPDX-License-Identifier: MIT
/*
 * All steps of a few commands on a memory of a few bytes: which of them the hazard rule refuses,
 * against one bit for each byte that says which stream reads and which one writes it. Views are
 * intervals here, where the rule is exact: it has to refuse those that meet and no other, and its
 * record has to name two operands that do and the bytes in which they do.
 *
 * A command writes an interval, and reads one or none. All orders are tried, as the place in the
 * plan decides between accesses that begin at the same byte.
 *
 *	hazards [--large]	larger worlds
 */
#include "tap.h"
#include "verify/verify.h"

#define MAX_BYTES	8
#define SPACES		2
#define MAX_COMMANDS	4
#define MAX_INTERVALS	(SPACES * MAX_BYTES * (MAX_BYTES + 1) / 2)

/**
 * struct world - what there is
 * @name: for people
 * @bytes: of each space
 * @spaces: a slot, and the scratch behind it
 * @commands: of a step, of both streams, at least one of each
 */
struct world {
	const char *name;
	u32 bytes;
	u32 spaces;
	u32 commands;
};

static const struct world small[] = {
	{ "two commands", 4, 2, 2 },
	{ "two commands, more bytes", 7, 1, 2 },
	{ "three commands", 4, 1, 3 },
	{ "three commands, two spaces", 2, 2, 3 },
	{ "four commands", 2, 1, 4 },
};

static const struct world large[] = {
	{ "two commands", 8, 2, 2 },
	{ "three commands", 5, 1, 3 },
	{ "three commands, two spaces", 3, 2, 3 },
	{ "four commands", 3, 1, 4 },
};

/* The operands that are possible, and of a command the first, and the second or none. */
static struct loom_view intervals[MAX_INTERVALS];
static u32 interval_count;

static struct loom_view views[MAX_COMMANDS][2];
static struct drm_loom_plan_command raw[MAX_COMMANDS];
static struct loom_command commands[MAX_COMMANDS];
static struct drm_loom_plan_tensor tensors[2 * MAX_COMMANDS];
static struct drm_loom_reject reject;
static struct loom_plan plan = { .commands = commands };
static struct loom_verify verify = {
	.commands = raw, .tensors = tensors, .plan = &plan, .reject = &reject,
};

static u64 steps, refused, wrong, wrong_records;

static void list_intervals(const struct world *world)
{
	u32 space, start, end;

	interval_count = 0;
	for (space = 0; space < world->spaces; space++)
		for (start = 0; start < world->bytes; start++)
			for (end = start + 1; end <= world->bytes; end++)
				intervals[interval_count++] = (struct loom_view){
					.region = space ? DRM_LOOM_REGION_SRAM :
							  DRM_LOOM_REGION_DRAM,
					.start = start, .end = end,
				};
}

/* The bytes of a view, one bit for each of both spaces. */
static u32 bits(const struct loom_view *view)
{
	u32 all = 0, i;

	for (i = view->start; i < view->end; i++)
		all |= 1U << (i + (view->region == DRM_LOOM_REGION_SRAM ? MAX_BYTES : 0));
	return all;
}

/* Whether a byte that one stream writes is touched by the other. */
static bool meets(u32 dma, u32 count)
{
	u32 touched[2] = {}, written[2] = {}, i, operand;

	for (i = 0; i < count; i++) {
		for (operand = 0; operand < commands[i].operands; operand++) {
			touched[i >= dma] |= bits(&views[i][operand]);
			if (!operand)
				written[i >= dma] |= bits(&views[i][operand]);
		}
	}
	return (written[0] & touched[1]) || (written[1] & touched[0]);
}

/* Whether the record names a compute operand, a tensor of the DMA stream, and what both touch. */
static bool record_fits(u32 dma, u32 count)
{
	const struct loom_view *compute, *other;
	u32 named = 0, i;

	if (reject.rule != DRM_LOOM_RULE_HAZARD || reject.command < dma ||
	    reject.command >= count || reject.operand >= commands[reject.command].operands ||
	    reject.other >= 2 * dma || reject.other % 2 >= commands[reject.other / 2].operands)
		return false;
	compute = &views[reject.command][reject.operand];
	other = &views[reject.other / 2][reject.other % 2];
	for (i = reject.start; i < reject.end; i++)
		named |= 1U << (i + (reject.region == DRM_LOOM_REGION_SRAM ? MAX_BYTES : 0));
	return reject.tensor == compute->tensor && (!reject.operand || !(reject.other % 2)) &&
	       named && named == (bits(compute) & bits(other)) &&
	       !(reject.valid & DRM_LOOM_REJECT_SLOT) ==
	       (reject.region == DRM_LOOM_REGION_SRAM);
}

/* The step whose first commands are of the DMA stream. */
static void judge(const struct world *world, u32 dma)
{
	struct drm_loom_plan_step step = {
		.dma_commands = dma, .compute_commands = world->commands - dma,
	};
	bool want = meets(dma, world->commands);
	int ret;
	u32 i;

	ret = loom_hazard_begin(&verify, &step);
	if (ret)
		tap_fatal("no memory");
	for (i = 0; i < world->commands; i++) {
		verify.command = i;
		loom_hazard_add(&verify, i >= dma);
	}
	verify.in_command = true;
	ret = loom_hazard_end(&verify);
	steps++;
	refused += want;
	if (ret != (want ? -EBADMSG : 0) && !wrong++)
		for (i = 0; i < world->commands; i++)
			tap_note("%s of %u bytes from %llu, reads %u from %llu",
				 i >= dma ? "compute" : "dma",
				 (u32)(views[i][0].end - views[i][0].start),
				 (unsigned long long)views[i][0].start,
				 commands[i].operands > 1 ?
				 (u32)(views[i][1].end - views[i][1].start) : 0,
				 (unsigned long long)views[i][1].start);
	wrong_records += ret && !record_fits(dma, world->commands);
}

/* Command @i and those behind it become all that they can be. */
static void all_commands(const struct world *world, u32 i)
{
	u32 write, read, dma;

	if (i == world->commands) {
		for (dma = 1; dma < world->commands; dma++)
			judge(world, dma);
		return;
	}
	for (write = 0; write < interval_count; write++) {
		views[i][0] = intervals[write];
		views[i][0].tensor = 2 * i;
		tensors[2 * i].region = views[i][0].region;
		/* the last one: it reads nothing */
		for (read = 0; read <= interval_count; read++) {
			raw[i].operands = read < interval_count ? 2 : 1;
			commands[i].operands = raw[i].operands;
			if (read < interval_count) {
				views[i][1] = intervals[read];
				views[i][1].tensor = 2 * i + 1;
				tensors[2 * i + 1].region = views[i][1].region;
			}
			all_commands(world, i + 1);
		}
	}
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "--large");
	u32 count = all ? ARRAY_SIZE(large) : ARRAY_SIZE(small), i;
	u64 sum = 0;

	for (i = 0; i < MAX_COMMANDS; i++)
		commands[i].views = views[i];
	for (i = 0; i < count; i++) {
		const struct world *world = all ? &large[i] : &small[i];

		steps = 0;
		refused = 0;
		wrong = 0;
		wrong_records = 0;
		list_intervals(world);
		all_commands(world, 0);
		sum += steps;
		tap_ok(!wrong && refused > 50 && refused < steps - 50,
		       "%s: %llu steps, %llu of them refused, %llu wrong", world->name,
		       (unsigned long long)steps, (unsigned long long)refused,
		       (unsigned long long)wrong);
		tap_ok(!wrong_records, "%s: each record names bytes that both streams touch",
		       world->name);
	}
	tap_note("%llu steps", (unsigned long long)sum);
	loom_port_free(verify.accesses);
	return tap_end();
}
