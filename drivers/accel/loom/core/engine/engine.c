// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_engine.h"
#include "loom_op.h"

/**
 * DOC: The engine
 *
 * A functional model of the device: it runs a decoded plan step by step, command by
 * command, and counts what it moves and computes. The two streams of a step touch
 * nothing that the other writes (the verifier has proved it), so running the DMA commands
 * first and the compute commands behind them has the same result as running both at
 * once.
 *
 * Commands are cut into units, and a call does as many as its budget pays for, so that the caller
 * decides how long a call takes (a kernel that has preemption disabled, for one). Results do not
 * depend on where the cuts are: no unit reads what another unit of its command writes, and each sum
 * is computed inside one unit in a fixed order.
 *
 * Rejected: counting per unit. A command's bytes and macs are counted when it ends, so
 * the counters of a cancelled run are those of what was completed.
 */

/*
 * Fixed cost of a command, and of a unit, in element operations, besides the work in it. In a unit
 * of one element it is most of the cost, and a plan may consist of such units.
 */
#define LOOM_COMMAND_COST	64
#define LOOM_UNIT_COST		32

static u64 engine_elements(const struct loom_view *view)
{
	u64 elements = 1;
	u32 i;

	for (i = 0; i < view->rank; i++)
		elements *= view->dims[i];
	return elements;
}

/* Computing on SRAM is not counted. Operands in images are read from, or written to, DRAM. */
static void engine_count_images(struct drm_loom_counters *counters,
				const struct loom_command *command)
{
	const struct loom_view *view;
	u64 bytes;
	u32 i;

	for (i = 0; i < command->operands; i++) {
		view = &command->views[i];
		if (view->region != DRM_LOOM_REGION_DRAM)
			continue;
		bytes = engine_elements(view) * view->elem_bytes;
		if (i)
			counters->dram_read_bytes += bytes;
		else
			counters->dram_write_bytes += bytes;
	}
}

static void engine_count(struct loom_engine *engine, const struct loom_command *command)
{
	struct drm_loom_counters *counters = &engine->counters;
	const struct loom_view *views = command->views;
	u64 bytes;

	counters->commands++;
	counters->macs += command->macs;
	if (command->op->stream != LOOM_STREAM_DMA) {
		engine_count_images(counters, command);
		return;
	}
	bytes = engine_elements(&views[0]) * views[0].elem_bytes;
	if (views[0].region == DRM_LOOM_REGION_DRAM)
		counters->dram_write_bytes += bytes;
	else
		counters->sram_write_bytes += bytes;
	if (command->operands < 2)
		return;
	if (views[1].region == DRM_LOOM_REGION_DRAM)
		counters->dram_read_bytes += bytes;
	else
		counters->sram_read_bytes += bytes;
}

/* Ends steps that have no commands left. Return: whether there is a command to do. */
static bool engine_advance(struct loom_engine *engine)
{
	const struct loom_plan *plan = engine->plan;

	while (engine->step < plan->step_count) {
		const struct loom_step *step = &plan->steps[engine->step];

		if (engine->command < step->first_command + step->commands)
			return true;
		engine->step++;
		engine->counters.steps++;
	}
	return false;
}

void loom_engine_init(struct loom_engine *engine, const struct loom_plan *plan,
		      const struct loom_memory *memory)
{
	*engine = (struct loom_engine){
		.plan = plan,
		.memory = memory,
	};
}

bool loom_engine_run(struct loom_engine *engine, u64 budget)
{
	bool first = true;

	while (engine_advance(engine)) {
		const struct loom_command *command = &engine->plan->commands[engine->command];
		u64 left = command->units - engine->unit;
		u64 cost = LOOM_UNIT_COST + command->unit_cost;
		u64 paid = budget > LOOM_COMMAND_COST ? budget - LOOM_COMMAND_COST : 0;
		u64 count = min(div64_u64(paid, cost), left);

		if (!count && left) {
			if (!first)
				return false;
			count = 1;
		}
		first = false;
		if (count)
			loom_engine_compute(command, engine->memory, engine->unit, count);
		/* no overflow: it is not more than the budget, or it is one unit */
		cost = LOOM_COMMAND_COST + count * cost;
		budget -= min(budget, cost);

		engine->unit += count;
		if (engine->unit == command->units) {
			engine_count(engine, command);
			engine->command++;
			engine->unit = 0;
		}
	}
	return true;
}
