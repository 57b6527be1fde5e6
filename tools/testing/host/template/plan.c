// SPDX-License-Identifier: MIT
/*
 * The plans of Documentation/examples/native_kernel.c, in slices of several sizes: the template's
 * check, as the module has it, proves each payload and that it writes its output in full, and the
 * template's chip computes the sums. The engine stands in for the transfers, which that chip lacks.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../../drivers/accel/loom/template/translate.h"
#include "loom_chip.h"
#include "loom_engine.h"
#include "loom_op.h"
#include "loom_verify.h"
#include "tap.h"

/* unused: its parts are called one by one */
int example(int argc, char **argv);

#define main	example
#include "../../../../Documentation/examples/native_kernel.c"
#undef main

#define LANES	4

static u8 *at(const struct loom_memory *memory, const struct tile_place *place, u32 lane)
{
	return memory->scratch + lane * memory->lane_pitch + place->offset;
}

static void run_command(const struct loom_command *command, const struct loom_memory *memory)
{
	struct tile_move moves[8], *move;
	u32 count, i, lane;

	if (command->op != &loom_op_native) {
		loom_engine_compute(command, memory, 0, command->units);
		return;
	}
	count = tile_translate(command, moves);
	for (i = 0; i < count; i++) {
		move = &moves[i];
		for (lane = move->first_lane; lane < move->first_lane + move->lanes; lane++)
			tile_run(move, at(memory, &move->to, lane),
				 at(memory, &move->from[0], lane),
				 at(memory, &move->from[1], lane));
	}
}

/* Fills the inputs with numbers that tell elements apart, runs the plan, and compares the sums. */
static bool computes(const struct loom_program *program, const struct loom_plan *plan)
{
	struct loom_memory memory = {
		.lanes = LANES, .lane_pitch = loom_engine_pitch(plan->scratch_bytes),
	};
	u8 *slots[DRM_LOOM_MAX_SLOTS] = { NULL };
	const u8 *x[3], *y;
	bool good = true;
	u32 i, k;

	memory.scratch = calloc(LANES, memory.lane_pitch);
	memory.slots = slots;
	for (i = 0; i < plan->slot_count; i++)
		slots[i] = calloc(1, plan->slots[i].size);
	for (i = 0; i < 3; i++) {
		u8 *to = slots[program->inputs[i].slot] + program->inputs[i].offset;

		x[i] = to;
		for (k = 0; k < ROWS * COLUMNS; k++)
			to[k] = (u8)(k * (2 * i + 1) + k / 251);
	}
	for (i = 0; i < plan->command_count; i++)
		run_command(&plan->commands[i], &memory);
	y = slots[program->outputs[0].slot] + program->outputs[0].offset;
	for (k = 0; k < ROWS * COLUMNS; k++)
		good &= y[k] == (u8)(x[0][k] + x[1][k] + x[2][k]);
	for (i = 0; i < plan->slot_count; i++)
		free(slots[i]);
	free(memory.scratch);
	return good;
}

static void test_plan(const struct loom_graph *graph, u64 sram_limit_bytes, u32 least)
{
	struct loom_planner_options options = {
		.chip = loom_preset_find("tiny"), .sram_limit_bytes = sram_limit_bytes,
	};
	struct loom_native_figures native;
	struct drm_loom_reject reject;
	struct loom_program *program;
	struct loom_plan *plan;
	struct loom_error err;
	u32 zeroed = 0, i;

	if (loom_program_create(graph, &options, &program, &err))
		tap_fatal("%s", err.text);
	loom_program_native(program, &native);
	if (!tap_ok(!loom_plan_create_native(program->plan, program->plan_bytes, options.chip,
					     &tile_native, &plan, &reject) &&
		    native.commands >= least, "%u commands are proved", native.commands))
		tap_fatal("rule %u, reason %llu", reject.rule, (unsigned long long)reject.reason);
	for (i = 0; i < plan->command_count; i++)
		zeroed += plan->commands[i].zero;
	tap_ok(!zeroed && computes(program, plan), "and write sums to all of their outputs");
	loom_plan_destroy(plan);
	loom_program_destroy(program);
}

int main(void)
{
	struct loom_native_set *natives;
	struct loom_graph *graph;
	struct loom_error err;

	if (make_natives(&natives, &err) || make_graph(natives, &graph, &err))
		tap_fatal("%s", err.text);
	test_plan(graph, 0, 1);
	test_plan(graph, 8192, 3);
	test_plan(graph, 1024, 20);
	loom_graph_destroy(graph);
	loom_native_destroy(natives);
	return tap_end();
}
