/* SPDX-License-Identifier: MIT */
/*
 * Start and end of each step and command of a plan, in cycles from its begin. Shared by pictures
 * and traces.
 */
#ifndef LOOM_PLAN_TIMELINE_H
#define LOOM_PLAN_TIMELINE_H

#include "cost.h"
#include "loom_op.h"

/**
 * struct loom_timeline - timeline of a plan
 * @program: the plan
 * @chip: its chip
 * @steps: its table of steps
 * @commands: its table of commands
 * @views: its table of operands
 * @num_steps: number of @steps
 * @costs: by step
 * @begin: by step, and one more for the end: cycle of its begin
 * @cycles: by command: its cycles
 */
struct loom_timeline {
	const struct loom_program *program;
	const struct drm_loom_chip *chip;
	const struct drm_loom_plan_step *steps;
	const struct drm_loom_plan_command *commands;
	const struct drm_loom_plan_view *views;
	u32 num_steps;
	struct loom_step_cost *costs;
	u64 *begin;
	u64 *cycles;
};

/**
 * loom_timeline_open() - make the timeline of a plan
 * @t: [out] the caller must close it, also on failure
 * @program: from the planner
 * @chip: the chip it was planned for
 *
 * Return: 0 or -ENOMEM.
 */
int loom_timeline_open(struct loom_timeline *t, const struct loom_program *program,
		       const struct drm_loom_chip *chip);
/** loom_timeline_close() - frees what @t holds */
void loom_timeline_close(struct loom_timeline *t);

/** loom_timeline_busy() - cycles that a stream works in a step */
u64 loom_timeline_busy(const struct loom_timeline *t, u32 step, enum loom_stream stream);
/** loom_timeline_start() - the cycle in which a stream of a step begins to work */
u64 loom_timeline_start(const struct loom_timeline *t, u32 step, enum loom_stream stream);
/** loom_timeline_commands() - the first command of a stream in a step; [out] their number */
u32 loom_timeline_commands(const struct loom_timeline *t, u32 step, enum loom_stream stream,
			   u32 *count);
/** loom_timeline_node() - the node with the most work of a stream in a step, or LOOM_NODE_NONE */
u32 loom_timeline_node(const struct loom_timeline *t, u32 step, enum loom_stream stream);
/** loom_timeline_ps() - picoseconds from the beginning of the plan to a cycle */
u64 loom_timeline_ps(const struct drm_loom_chip *chip, u64 cycle);

#endif /* LOOM_PLAN_TIMELINE_H */
