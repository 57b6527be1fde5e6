// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp.h"
#include "loom_clock.h"
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
 * decides how long a call takes (a kernel that has preemption disabled, for one). A plan may have
 * units of millions of operations. So every operation whose units are sums can stop inside of one:
 * &struct loom_part keeps the partial sums, in the type of the accumulation, and the next call adds
 * the next terms. Other operations have units of 64 elements. Results do not depend on where the
 * cuts are: no unit reads what another unit of its command writes, and each sum is computed in a
 * fixed order.
 *
 * An operation charges what it does while it does it: elements, and what comes on top for each row,
 * tap or unit, taps that fall outside included. Rejected: a cost of a unit that is known before, as
 * the checks of operations compute it. Convolutions with taps outside, or with one output for each
 * row, took a hundred times longer than it says.
 *
 * Rejected: counting per unit. A command's bytes, macs and cycles are counted when it ends, and the
 * time of a step, which is that of both streams together, when the step ends; so the counters of a
 * cancelled run are those of what was completed.
 */

/* Fixed cost of a command, in element operations, besides the work in it. */
#define LOOM_COMMAND_COST	64
/* With less than that left a call does not go on with a command. */
#define LOOM_SCRAPS		1024

static u64 engine_elements(const struct loom_view *view)
{
	u64 elements = 1;
	u32 i;

	for (i = 0; i < view->rank; i++)
		elements *= view->dims[i];
	return elements;
}

static void engine_count_read(struct drm_loom_counters *counters, u32 region, u64 bytes)
{
	switch (region) {
	case DRM_LOOM_REGION_DRAM:
		counters->dram_read_bytes += bytes;
		break;
	case DRM_LOOM_REGION_SRAM:
		counters->sram_read_bytes += bytes;
		break;
	case DRM_LOOM_REGION_ROM:
		counters->rom_read_bytes += bytes;
		break;
	}
}

/* Computing on SRAM is not counted. Other operands are read, or written, where they are. */
static void engine_count_in_place(struct drm_loom_counters *counters,
				  const struct loom_command *command)
{
	const struct loom_view *view;
	u64 bytes;
	u32 i;

	for (i = 0; i < command->operands; i++) {
		view = &command->views[i];
		if (view->region == DRM_LOOM_REGION_SRAM)
			continue;
		bytes = engine_elements(&command->views[loom_op_counted(command->op->opcode, i)]) *
			view->elem_bytes;
		if (!i)
			counters->dram_write_bytes += bytes;
		else
			engine_count_read(counters, view->region, bytes);
	}
}

static void engine_count(struct loom_engine *engine, const struct loom_command *command)
{
	struct drm_loom_counters *counters = &engine->counters;
	const struct loom_view *views = command->views;
	u64 bytes;

	counters->commands++;
	counters->macs += command->macs;
	counters->energy_fj = loom_clock_add(counters->energy_fj, command->energy_fj);
	if (command->op->stream != LOOM_STREAM_DMA) {
		engine->step_compute = loom_clock_add(engine->step_compute, command->cycles);
		engine_count_in_place(counters, command);
		return;
	}
	engine->step_dma = loom_clock_add(engine->step_dma, command->cycles);
	bytes = engine_elements(&views[0]) * views[0].elem_bytes;
	if (views[0].region == DRM_LOOM_REGION_DRAM)
		counters->dram_write_bytes += bytes;
	else
		counters->sram_write_bytes += bytes;
	if (command->operands < 2)
		return;
	engine_count_read(counters, views[1].region, bytes);
}

/* The current step has ended. */
static void engine_count_step(struct loom_engine *engine)
{
	struct drm_loom_counters *counters = &engine->counters;
	u64 cycles = loom_clock_step(engine->plan->overlap, engine->step_dma, engine->step_compute);

	counters->steps++;
	counters->cycles = loom_clock_add(counters->cycles, cycles);
	counters->dma_cycles = loom_clock_add(counters->dma_cycles, engine->step_dma);
	counters->compute_cycles = loom_clock_add(counters->compute_cycles, engine->step_compute);
	engine->step_dma = 0;
	engine->step_compute = 0;
}

void loom_engine_init(struct loom_engine *engine, const struct loom_plan *plan,
		      const struct loom_memory *memory)
{
	*engine = (struct loom_engine){
		.plan = plan,
		.memory = memory,
	};
}

const struct loom_command *loom_engine_shared(const struct loom_engine *engine)
{
	const struct loom_plan *plan = engine->plan;
	const struct loom_command *command = &plan->commands[engine->command];
	const struct loom_step *step = &plan->steps[engine->step];

	if (!engine->share_least || engine->step == plan->step_count ||
	    engine->command == step->first_command + step->commands || engine->unit ||
	    engine->part.begun)
		return NULL;
	/* no overflow: the cost of a plan was checked */
	return command->units * command->unit_cost >= engine->share_least ? command : NULL;
}

static void engine_next(struct loom_engine *engine)
{
	engine_count(engine, &engine->plan->commands[engine->command]);
	engine->command++;
	engine->unit = 0;
}

void loom_engine_shared_end(struct loom_engine *engine)
{
	engine_next(engine);
}

/* Goes on with a command. Return: whether it has ended. */
static bool engine_command(struct loom_engine *engine)
{
	const struct loom_command *command = &engine->plan->commands[engine->command];
	u64 left = command->units - engine->unit;

	loom_part_charge(&engine->part, LOOM_COMMAND_COST);
	if (left)
		engine->unit += loom_engine_go_on(command, engine->memory, engine->unit, left,
						  &engine->part);
	if (engine->unit < command->units)
		return false;
	engine_next(engine);
	return true;
}

/* Return: whether the plan has ended. */
static bool engine_steps(struct loom_engine *engine)
{
	const struct loom_plan *plan = engine->plan;
	struct loom_part *part = &engine->part;

	while (engine->step < plan->step_count) {
		const struct loom_step *step = &plan->steps[engine->step];

		if (engine->command == step->first_command + step->commands) {
			/* a plan may have a million steps with nothing to do */
			if (part->left < -LOOM_SCRAPS)
				return false;
			loom_part_charge(part, 1);
			engine->step++;
			engine_count_step(engine);
			continue;
		}
		if (part->left < LOOM_SCRAPS || loom_engine_shared(engine) ||
		    !engine_command(engine))
			return false;
	}
	return true;
}

bool loom_engine_run(struct loom_engine *engine, u64 budget)
{
	/* so much that it goes on by something */
	u64 most = max(budget, 2ULL * LOOM_SCRAPS);
	s64 left = most > S64_MAX ? S64_MAX : most;
	bool done;

	engine->part.left = left;
	done = engine_steps(engine);
	engine->work += left - engine->part.left;
	return done;
}

void loom_engine_count(const struct loom_plan *plan, struct drm_loom_counters *counters)
{
	struct loom_engine engine;

	loom_engine_init(&engine, plan, NULL);
	for (; engine.step < plan->step_count; engine.step++) {
		const struct loom_step *step = &plan->steps[engine.step];

		while (engine.command < step->first_command + step->commands)
			engine_count(&engine, &plan->commands[engine.command++]);
		engine_count_step(&engine);
	}
	*counters = engine.counters;
}
