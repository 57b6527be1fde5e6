/* SPDX-License-Identifier: MIT */
/*
 * When each step and command of a plan runs, in cycles from its beginning: what pictures and
 * traces have in common.
 */
#ifndef LOOM_PLAN_TIMELINE_H
#define LOOM_PLAN_TIMELINE_H

#include "cost.h"
#include "loom_op.h"

/**
 * struct loom_timeline - a plan in time
 * @program: the plan
 * @chip: what it runs on
 * @steps: its table of steps
 * @commands: its table of commands
 * @views: its table of operands
 * @num_steps: number of @steps
 * @costs: by step
 * @begin: by step, and of the end: the cycle in which it begins
 * @cycles: by command: how long it takes
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
 * loom_timeline_open() - puts a plan in time
 * @t: [out] to be closed, whatever this returns
 * @program: as the planner made it
 * @chip: what it was planned for
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
/** loom_timeline_commands() - the first command of a stream in a step, and how many there are */
u32 loom_timeline_commands(const struct loom_timeline *t, u32 step, enum loom_stream stream,
			   u32 *count);
/** loom_timeline_node() - the node that a stream of a step works longest for, or LOOM_NODE_NONE */
u32 loom_timeline_node(const struct loom_timeline *t, u32 step, enum loom_stream stream);
/** loom_timeline_ps() - picoseconds from the beginning of the plan to a cycle */
u64 loom_timeline_ps(const struct drm_loom_chip *chip, u64 cycle);

#endif /* LOOM_PLAN_TIMELINE_H */
