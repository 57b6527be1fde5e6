// SPDX-License-Identifier: MIT
/* Writes steps, offsets and pieces to the tables of the plan. */
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct part - a command of the new plan
 * @step: its step
 * @command: number in the sequence
 * @from: first unit of its job
 * @units: number of units
 * @job: its job, or RETIME_NONE
 */
struct part {
	u32 step;
	u32 command;
	u32 from;
	u32 units;
	u32 job;
};

/* Sorts by command, then by step: the order in which units are assigned. */
static int by_step(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return x->step < y->step ? -1 : x->step > y->step;
}

/* Makes the parts of all jobs: pieces in the same step are merged. */
static u32 deal_jobs(struct retime *r, struct part *parts)
{
	u32 count = 0, i, k, n, from;

	for (i = 0; i < r->num_jobs; i++) {
		struct part *own = &parts[count];

		n = 0;
		for (k = r->jobs[i].pieces; k != RETIME_NONE; k = r->pieces[k].next_of_job) {
			if (!r->pieces[k].units)
				continue;
			own[n++] = (struct part){
				.step = r->positions[r->pieces[k].at].run,
				.command = r->jobs[i].command,
				.units = r->pieces[k].units,
				.job = i,
			};
		}
		qsort(own, n, sizeof(*own), by_step);
		for (k = 0, from = 0; k < n; k++) {
			if (k && own[k].step == parts[count - 1].step) {
				parts[count - 1].units += own[k].units;
			} else {
				parts[count] = own[k];
				parts[count++].from = from;
			}
			from += own[k].units;
		}
	}
	return count;
}

static int by_sequence(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return x->command < y->command ? -1 : x->command > y->command;
}

static u32 list_parts(struct retime *r, struct part *parts)
{
	u32 count = deal_jobs(r, parts), i;

	for (i = 0; i < r->build->num_commands; i++)
		if (retime_command(r, i)->stream)
			parts[count++] = (struct part){
				.step = r->positions[r->at[i]].run,
				.command = i,
				.job = RETIME_NONE,
			};
	qsort(parts, count, sizeof(*parts), by_sequence);
	return count;
}

/* The lifetimes of tensors that are used, and where those in the scratch lie. */
static void write_tensors(const struct retime *r, u64 *scratch_bytes)
{
	struct loom_build *build = r->build;
	u32 i, k;

	for (i = 0; i < build->num_tensors; i++) {
		struct drm_loom_plan_tensor *tensor = &build->tensors[i];

		if (r->tensors[i].space == RETIME_SCRATCH && r->tensors[i].first != RETIME_NONE) {
			tensor->offset = r->tensors[i].start;
			*scratch_bytes = max(*scratch_bytes, tensor->offset + tensor->size);
		}
		tensor->first_step = U32_MAX;
		tensor->last_step = 0;
	}
	for (i = 0; i < build->num_commands; i++) {
		const struct loom_build_command *command = &build->commands[i];

		for (k = 0; k < command->operands; k++) {
			struct drm_loom_plan_tensor *tensor =
				&build->tensors[build->views[command->first_view + k].tensor];

			tensor->first_step = min(tensor->first_step, command->step);
			tensor->last_step = max(tensor->last_step, command->step);
		}
	}
}

/* Maps each old step to its new begin; a step that vanished maps to the next one. */
static void map_steps(const struct retime *r, u32 *steps)
{
	u32 old = r->build->num_steps, i;

	for (i = 0; i <= old; i++)
		steps[i] = U32_MAX;
	for (i = 0; i < r->num_positions; i++)
		if (r->positions[i].compute != RETIME_NONE || r->positions[i].num_pieces)
			steps[r->positions[i].step] = min(steps[r->positions[i].step],
							  r->positions[i].run);
	steps[old] = r->num_steps;
	for (i = old; i-- > 0;)
		if (steps[i] == U32_MAX)
			steps[i] = steps[i + 1];
}

int retime_write(struct retime *r, u64 *scratch_bytes, u32 *steps)
{
	struct loom_build *build = r->build;
	size_t room = (size_t)r->num_pieces + build->num_commands + 1, num_views = 0;
	struct part *parts = calloc(room, sizeof(*parts));
	struct loom_build_command *commands = calloc(room, sizeof(*commands));
	struct drm_loom_plan_view *views;
	u32 count, i;

	views = calloc(build->num_views + 2 * (size_t)r->num_pieces + 1, sizeof(*views));
	if (!parts || !commands || !views) {
		free(parts);
		free(commands);
		free(views);
		return -ENOMEM;
	}
	map_steps(r, steps);
	count = list_parts(r, parts);
	for (i = 0; i < count; i++) {
		commands[i] = *retime_command(r, parts[i].command);
		commands[i].step = parts[i].step;
		commands[i].first_view = num_views;
		if (parts[i].job != RETIME_NONE)
			retime_cut(r, &r->jobs[parts[i].job], parts[i].from, parts[i].units,
				   &views[num_views]);
		else
			memcpy(&views[num_views], retime_views(r, parts[i].command),
			       commands[i].operands * sizeof(*views));
		num_views += commands[i].operands;
	}
	free(parts);
	free(build->commands);
	free(build->views);
	build->commands = commands;
	build->cap_commands = room;
	build->num_commands = count;
	build->views = views;
	build->cap_views = num_views;
	build->num_views = num_views;
	build->num_steps = r->num_steps;
	build->counters.commands = count;
	write_tensors(r, scratch_bytes);
	return 0;
}
