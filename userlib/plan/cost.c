// SPDX-License-Identifier: MIT
#include "cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

/**
 * struct reader - a plan's tables
 * @program: the program
 * @chip: what it is for
 * @header: of its plan
 * @tensors: tensors of its plan
 * @steps: steps of its plan
 * @commands: commands of its plan
 * @views: operands of its plan
 * @costs: what was counted, by step
 */
struct reader {
	const struct loom_program *program;
	const struct drm_loom_chip *chip;
	const struct drm_loom_plan_header *header;
	const struct drm_loom_plan_tensor *tensors;
	const struct drm_loom_plan_step *steps;
	const struct drm_loom_plan_command *commands;
	const struct drm_loom_plan_view *views;
	struct loom_step_cost *costs;
};

static void open_plan(struct reader *r, const struct loom_program *program)
{
	const u8 *plan = program->plan;

	r->program = program;
	r->header = program->plan;
	r->tensors = (const void *)(plan + r->header->tensors.offset);
	r->steps = (const void *)(plan + r->header->steps.offset);
	r->commands = (const void *)(plan + r->header->commands.offset);
	r->views = (const void *)(plan + r->header->views.offset);
}

static u64 view_bytes(const struct drm_loom_plan_view *view)
{
	u64 bytes = loom_dtype_bytes(view->dtype);
	u32 i;

	for (i = 0; i < view->rank; i++)
		bytes *= view->dims[i];
	return bytes;
}

static bool is_dram(const struct reader *r, const struct drm_loom_plan_view *view)
{
	return r->tensors[view->tensor].region == DRM_LOOM_REGION_DRAM;
}

/* The conflict sub-banks that a view of SRAM touches. */
static u64 view_banks(const struct reader *r, const struct drm_loom_plan_view *view)
{
	const struct drm_loom_chip_region *sram = &r->chip->region[DRM_LOOM_REGION_SRAM];
	const struct drm_loom_plan_tensor *tensor = &r->tensors[view->tensor];
	u64 size = sram->bank_bytes / max(sram->sub_banks, 1U), at, end, mask = 0;
	s64 low = view->offset, high = low;
	u32 i;

	/* one sub-bank only: no conflicts */
	if (sram->sub_banks < 2 || !size)
		return 0;
	for (i = 0; i < view->rank; i++) {
		s64 first = 0, last = view->dims[i] - 1;

		if (i == view->lane_axis) {
			first = view->lane_start / sram->banks;
			last = (view->lane_start + last) / sram->banks;
		}
		low += min(first * (s64)view->strides[i], last * (s64)view->strides[i]);
		high += max(first * (s64)view->strides[i], last * (s64)view->strides[i]);
	}
	at = sram->reserved_bytes + tensor->offset + (u64)low;
	end = sram->reserved_bytes + tensor->offset + (u64)high + loom_dtype_bytes(view->dtype);
	for (at /= size; at * size < end && at < 64; at++)
		mask |= 1ULL << at;
	return mask;
}

static void count_dma(const struct reader *r, const struct drm_loom_plan_command *command,
		      struct loom_step_cost *cost)
{
	const struct drm_loom_plan_view *views = &r->views[command->first_view];
	u64 dram = 0, sram = 0;
	u32 i;

	for (i = 0; i < command->operands; i++) {
		u64 bytes = view_bytes(&views[i]);

		if (!is_dram(r, &views[i])) {
			sram = max(sram, bytes);
			cost->dma_banks |= view_banks(r, &views[i]);
			continue;
		}
		dram += bytes;
	}
	cost->dma_cycles += dram ? loom_div_round_up(dram, LOOM_CYCLE_BYTES) :
				   loom_div_round_up(sram, LOOM_CYCLE_WORK);
}

static void count_compute(const struct reader *r, const struct drm_loom_plan_command *command,
			  struct loom_step_cost *cost)
{
	const struct drm_loom_plan_view *views = &r->views[command->first_view];
	u64 macs = loom_build_macs(command->opcode, views), work = macs, dram = 0;
	u32 i;

	for (i = 0; i < command->operands; i++) {
		u64 bytes = view_bytes(&views[i]);

		if (!macs)
			work = max(work, bytes / loom_dtype_bytes(views[i].dtype));
		if (is_dram(r, &views[i]))
			dram += bytes;
		else
			cost->compute_banks |= view_banks(r, &views[i]);
	}
	/* an image that is used in DRAM */
	cost->compute_cycles += max(loom_div_round_up(work, LOOM_CYCLE_WORK),
				    loom_div_round_up(dram, LOOM_CYCLE_BYTES));
	cost->macs += macs;
}

static void count_step(const struct reader *r, u32 index)
{
	const struct drm_loom_plan_step *step = &r->steps[index];
	struct loom_step_cost *cost = &r->costs[index];
	u32 i, k;

	for (i = 0; i < step->dma_commands + step->compute_commands; i++) {
		const struct drm_loom_plan_command *command =
			&r->commands[step->first_command + i];

		if (i < step->dma_commands)
			count_dma(r, command, cost);
		else
			count_compute(r, command, cost);
		for (k = 0; k < command->operands; k++) {
			const struct drm_loom_plan_view *view =
				&r->views[command->first_view + k];
			u32 slot = r->tensors[view->tensor].slot;

			if (!is_dram(r, view))
				continue;
			if (!k)
				cost->dram_write_bytes += view_bytes(view);
			else
				cost->dram_read_bytes += view_bytes(view);
			if (r->program->slots[slot].kind == LOOM_SLOT_KIND_WEIGHTS)
				cost->weights_read_bytes += view_bytes(view);
		}
	}
}

/* SRAM alive per step: a tensor adds its size at its first step and subtracts it after its last. */
static void count_alive(const struct reader *r)
{
	u32 num_steps = r->header->steps.count, i;
	u64 now = 0;

	for (i = 0; i < r->header->tensors.count; i++) {
		const struct drm_loom_plan_tensor *tensor = &r->tensors[i];

		if (tensor->region != DRM_LOOM_REGION_SRAM || tensor->first_step >= num_steps)
			continue;
		r->costs[tensor->first_step].sram_bytes += tensor->size;
		r->costs[tensor->last_step + 1].sram_bytes -= tensor->size;
	}
	for (i = 0; i <= num_steps; i++) {
		now += r->costs[i].sram_bytes;
		r->costs[i].sram_bytes = now;
	}
}

int loom_plan_cost(const struct loom_program *program, const struct drm_loom_chip *chip,
		   struct loom_step_cost **steps)
{
	struct reader r = { .chip = chip };
	u32 i;

	open_plan(&r, program);
	r.costs = calloc((size_t)r.header->steps.count + 1, sizeof(*r.costs));
	if (!r.costs)
		return -ENOMEM;
	for (i = 0; i < r.header->steps.count; i++)
		count_step(&r, i);
	count_alive(&r);
	*steps = r.costs;
	return 0;
}

static u32 group_end(const struct loom_program_group *group)
{
	return group->first_step + group->num_steps;
}

static void fill_group(struct loom_program_group *group, const struct loom_step_cost *costs)
{
	u32 i;

	for (i = group->first_step; i < group_end(group); i++) {
		group->dram_read_bytes += costs[i].dram_read_bytes;
		group->dram_write_bytes += costs[i].dram_write_bytes;
		group->weights_read_bytes += costs[i].weights_read_bytes;
		group->macs += costs[i].macs;
		group->cycles += loom_step_cycles(&costs[i]);
		group->sram_bytes = max(group->sram_bytes, costs[i].sram_bytes);
	}
}

/* The group that a step belongs to. */
static u32 find_group(const struct loom_program *program, u32 step)
{
	u32 low = 0, high = program->num_groups;

	while (low + 1 < high) {
		u32 middle = (low + high) / 2;

		if (program->groups[middle].first_step <= step)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Adds each value to every cut that it is alive at. */
static void fill_cuts(const struct reader *r, struct loom_program_cut *cuts)
{
	const struct loom_program_group *groups = r->program->groups;
	u32 i, k;

	for (i = 0; i < r->header->tensors.count; i++) {
		const struct drm_loom_plan_tensor *tensor = &r->tensors[i];
		bool dram = tensor->region == DRM_LOOM_REGION_DRAM;

		if (tensor->first_step >= r->header->steps.count ||
		    (dram && !(r->program->slots[tensor->slot].flags & DRM_LOOM_SLOT_WRITE)))
			continue;
		for (k = find_group(r->program, tensor->first_step);
		     k + 1 < r->program->num_groups &&
		     groups[k + 1].first_step <= tensor->last_step; k++) {
			if (dram)
				cuts[k].dram_bytes += tensor->size;
			else
				cuts[k].sram_bytes += tensor->size;
		}
	}
}

static bool is_weight(const struct reader *r, u32 tensor)
{
	return r->tensors[tensor].region == DRM_LOOM_REGION_DRAM &&
	       r->program->slots[r->tensors[tensor].slot].kind == LOOM_SLOT_KIND_WEIGHTS;
}

/* Counts each weight once per group that reads it. @seen: by tensor: the last such group */
static void fill_weights(const struct reader *r, struct loom_program_group *group, u32 *seen,
			 u32 number)
{
	const struct drm_loom_plan_step *steps = &r->steps[group->first_step];
	const struct drm_loom_plan_command *from, *to;
	u32 last = group->num_steps - 1, tensor, i;

	from = &r->commands[steps[0].first_command];
	to = &r->commands[steps[last].first_command + steps[last].dma_commands +
			  steps[last].compute_commands];
	for (; from < to; from++) {
		for (i = 0; i < from->operands; i++) {
			tensor = r->views[from->first_view + i].tensor;
			if (!is_weight(r, tensor) || seen[tensor] == number)
				continue;
			seen[tensor] = number;
			group->weights_bytes += r->tensors[tensor].size;
		}
	}
}

static int fill_tensors(const struct reader *r, struct loom_program_group *groups,
			struct loom_program_cut *cuts)
{
	u32 *seen = calloc((size_t)r->header->tensors.count + 1, sizeof(*seen)), i;

	if (!seen)
		return -ENOMEM;
	fill_cuts(r, cuts);
	for (i = 0; i < r->program->num_groups; i++)
		fill_weights(r, &groups[i], seen, i + 1);
	free(seen);
	return 0;
}

int loom_plan_cost_fill(struct loom_program *program, struct loom_program_group *groups,
			struct loom_program_cut **cuts, const struct drm_loom_chip *chip)
{
	struct reader r = { .chip = chip };
	struct loom_step_cost *costs;
	u32 i;
	int ret;

	open_plan(&r, program);
	if (!*cuts)
		*cuts = calloc((size_t)program->num_groups + 1, sizeof(**cuts));
	if (!*cuts)
		return -ENOMEM;
	program->cuts = *cuts;
	ret = loom_plan_cost(program, chip, &costs);
	if (ret)
		return ret;
	/* outputs that are the same value as another are copied at the end */
	if (program->num_groups)
		groups[program->num_groups - 1].num_steps = r.header->steps.count -
			groups[program->num_groups - 1].first_step;
	for (i = 0; i < program->num_groups; i++)
		fill_group(&groups[i], costs);
	for (i = 0; i < r.header->steps.count; i++) {
		program->stats.cycles += loom_step_cycles(&costs[i]);
		program->stats.sram_peak_bytes = max(program->stats.sram_peak_bytes,
						     costs[i].sram_bytes);
		program->stats.conflict_steps += (costs[i].dma_banks & costs[i].compute_banks) != 0;
	}
	free(costs);
	return fill_tensors(&r, groups, *cuts);
}
