// SPDX-License-Identifier: MIT
#include "cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "build.h"
#include "loom_clock.h"
#include "time.h"

/**
 * struct reader - a plan's tables
 * @program: the program
 * @chip: the chip of the program
 * @header: of its plan
 * @tensors: tensors of its plan
 * @steps: steps of its plan
 * @commands: commands of its plan
 * @views: operands of its plan
 * @attrs: attributes of its plan
 * @costs: costs by step
 */
struct reader {
	const struct loom_program *program;
	const struct drm_loom_chip *chip;
	const struct drm_loom_plan_header *header;
	const struct drm_loom_plan_tensor *tensors;
	const struct drm_loom_plan_step *steps;
	const struct drm_loom_plan_command *commands;
	const struct drm_loom_plan_view *views;
	const u8 *attrs;
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
	r->attrs = plan + r->header->attrs.offset;
}

static bool is_dram(const struct reader *r, const struct drm_loom_plan_view *view)
{
	return r->tensors[view->tensor].region == DRM_LOOM_REGION_DRAM;
}

/* The conflict sub-banks that a view of SRAM touches; unknown for memory bound to a slot. */
static u64 view_banks(const struct reader *r, const struct drm_loom_plan_view *view)
{
	const struct drm_loom_chip_region *sram = &r->chip->region[DRM_LOOM_REGION_SRAM];
	const struct drm_loom_plan_tensor *tensor = &r->tensors[view->tensor];
	u64 size = sram->bank_bytes / max(sram->sub_banks, 1U), at, end, mask = 0;

	/* one sub-bank only: no conflicts */
	if (sram->sub_banks < 2 || !size || loom_build_in_slot(tensor))
		return 0;
	loom_plan_span(sram->banks, tensor, view, &at, &end);
	at += sram->reserved_bytes;
	end += sram->reserved_bytes;
	for (at /= size; at * size < end && at < 64; at++)
		mask |= 1ULL << at;
	return mask;
}

static void decode_command(const struct reader *r, const struct drm_loom_plan_command *command,
			   struct loom_plan_decoded *decoded)
{
	loom_plan_decode(r->tensors, command->opcode, r->attrs + command->attr_offset,
			 &r->views[command->first_view], command->operands, decoded);
}

/* Cycles of arithmetic times the lanes that have work, row of elements by row. */
static u64 lane_cycles(const struct drm_loom_chip *chip, const struct loom_command *command,
		       u64 cycles)
{
	const struct loom_view *by = loom_clock_dealt(command);

	return (u64)((__uint128_t)cycles * loom_clock_elements(by) / loom_clock_rounds(chip, by));
}

static bool stays_in_sram(const struct reader *r, const struct drm_loom_plan_command *command)
{
	const struct drm_loom_plan_view *views = &r->views[command->first_view];
	u32 i;

	for (i = 0; i < command->operands; i++)
		if (r->tensors[views[i].tensor].region != DRM_LOOM_REGION_SRAM)
			return false;
	return true;
}

static void count_command(const struct reader *r, const struct drm_loom_plan_command *command,
			  bool dma, struct loom_step_cost *cost)
{
	const struct drm_loom_plan_view *views = &r->views[command->first_view];
	u64 *banks = dma ? &cost->dma_banks : &cost->compute_banks;
	u64 *cycles = dma ? &cost->dma_cycles : &cost->compute_cycles;
	u64 *starts = dma ? &cost->dma_start_cycles : &cost->compute_start_cycles;
	struct loom_plan_decoded decoded;
	struct loom_clock_cost clock;
	u32 i;

	decode_command(r, command, &decoded);
	loom_plan_clock(r->chip, &decoded.command, &clock);
	*cycles = loom_clock_add(*cycles, clock.cycles);
	*starts = loom_clock_add(*starts, clock.start);
	cost->mac_cycles = loom_clock_add(cost->mac_cycles, clock.macs);
	cost->op_cycles = loom_clock_add(cost->op_cycles, clock.ops);
	if (!dma)
		cost->lane_cycles = loom_clock_add(cost->lane_cycles,
						   lane_cycles(r->chip, &decoded.command,
							       clock.macs + clock.ops));
	else if (stays_in_sram(r, command))
		cost->copy_cycles = loom_clock_add(cost->copy_cycles, clock.memory);
	cost->energy_fj = loom_clock_add(cost->energy_fj, clock.energy_fj);
	cost->macs += decoded.command.macs;
	for (i = 0; i < command->operands; i++)
		if (!is_dram(r, &views[i]))
			*banks |= view_banks(r, &views[i]);
}

static void count_step(const struct reader *r, u32 index)
{
	const struct drm_loom_plan_step *step = &r->steps[index];
	struct loom_step_cost *cost = &r->costs[index];
	u32 i, k;

	for (i = 0; i < step->dma_commands + step->compute_commands; i++) {
		const struct drm_loom_plan_command *command =
			&r->commands[step->first_command + i];

		count_command(r, command, i < step->dma_commands, cost);
		for (k = 0; k < command->operands; k++) {
			const struct drm_loom_plan_view *views = &r->views[command->first_view];

			if (is_dram(r, &views[k]))
				*(k ? &cost->dram_read_bytes : &cost->dram_write_bytes) +=
					loom_build_bytes(command->opcode, views, k);
		}
	}
	cost->cycles = loom_clock_step(r->chip->flags & DRM_LOOM_CHIP_OVERLAP, cost->dma_cycles,
				       cost->compute_cycles);
}

/* SRAM alive per step: a tensor adds its size at its first step and subtracts it after its last. */
static void count_alive(const struct reader *r)
{
	u32 num_steps = r->header->steps.count, i;
	u64 now = 0;

	for (i = 0; i < r->header->tensors.count; i++) {
		const struct drm_loom_plan_tensor *tensor = &r->tensors[i];

		if (loom_build_in_slot(tensor) || tensor->first_step >= num_steps)
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

int loom_plan_command_cycles(const struct loom_program *program, const struct drm_loom_chip *chip,
			     u64 **cycles)
{
	struct reader r = { .chip = chip };
	struct loom_plan_decoded decoded;
	struct loom_clock_cost cost;
	u32 i;

	open_plan(&r, program);
	*cycles = calloc((size_t)r.header->commands.count + 1, sizeof(**cycles));
	if (!*cycles)
		return -ENOMEM;
	for (i = 0; i < r.header->commands.count; i++) {
		decode_command(&r, &r.commands[i], &decoded);
		loom_plan_clock(chip, &decoded.command, &cost);
		(*cycles)[i] = cost.cycles;
	}
	return 0;
}

void loom_program_native(const struct loom_program *program, struct loom_native_figures *native)
{
	const struct drm_loom_attr_native *attr;
	struct reader r = { .chip = NULL };
	u32 i;

	open_plan(&r, program);
	memset(native, 0, sizeof(*native));
	for (i = 0; i < r.header->commands.count; i++) {
		if (r.commands[i].opcode != DRM_LOOM_OP_NATIVE)
			continue;
		attr = (const void *)(r.attrs + r.commands[i].attr_offset);
		native->commands++;
		native->cycles = loom_clock_add(native->cycles, attr->cycles);
	}
}

/* Sums up the work done in the time of a group, for any group. */
static void fill_group(struct loom_program_group *group, const struct loom_step_cost *costs)
{
	u32 i;

	for (i = group->first_step; i < group->first_step + group->num_steps; i++) {
		group->cycles = loom_clock_add(group->cycles, costs[i].cycles);
		group->dma_cycles = loom_clock_add(group->dma_cycles, costs[i].dma_cycles);
		group->compute_cycles = loom_clock_add(group->compute_cycles,
						       costs[i].compute_cycles);
		group->dma_start_cycles += costs[i].dma_start_cycles;
		group->compute_start_cycles += costs[i].compute_start_cycles;
		group->mac_cycles = loom_clock_add(group->mac_cycles, costs[i].mac_cycles);
		group->op_cycles = loom_clock_add(group->op_cycles, costs[i].op_cycles);
		group->copy_cycles = loom_clock_add(group->copy_cycles, costs[i].copy_cycles);
		group->lane_cycles = loom_clock_add(group->lane_cycles, costs[i].lane_cycles);
		group->sram_bytes = max(group->sram_bytes, costs[i].sram_bytes);
	}
	loom_bound_fill(group);
}

/* The group of a step. */
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

/* Adds each value to every cut at which it is alive. */
static void fill_cuts(const struct reader *r, struct loom_program_cut *cuts)
{
	const struct loom_program_group *groups = r->program->groups;
	u32 i, k;

	for (i = 0; i < r->header->tensors.count; i++) {
		const struct drm_loom_plan_tensor *tensor = &r->tensors[i];
		bool dram = loom_build_in_slot(tensor);

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
	return loom_build_in_slot(&r->tensors[tensor]) &&
	       r->program->slots[r->tensors[tensor].slot].kind == LOOM_SLOT_KIND_WEIGHTS;
}

u32 loom_plan_group(const struct loom_program *program, u32 step, u32 command)
{
	u32 node = program->command_nodes[command], low = 0, high = program->num_groups;

	if (node == LOOM_NODE_NONE)
		return find_group(program, step);
	while (low + 1 < high) {
		u32 middle = (low + high) / 2;

		if (program->groups[middle].first_node <= node)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Adds a command to its group. @seen: by tensor: the last group that has read this weight */
static void fill_command(const struct reader *r, struct loom_program_group *group, u32 number,
			 const struct drm_loom_plan_command *command, u32 *seen)
{
	const struct drm_loom_plan_view *views = &r->views[command->first_view];
	struct loom_plan_decoded decoded;
	struct loom_clock_cost clock;
	u32 i;

	for (i = 0; i < command->operands; i++) {
		const struct drm_loom_plan_view *view = &views[i];
		u64 bytes = loom_build_bytes(command->opcode, views, i);

		if (is_weight(r, view->tensor)) {
			group->weights_read_bytes += bytes;
			if (seen[view->tensor] != number + 1)
				group->weights_bytes += r->tensors[view->tensor].size;
			seen[view->tensor] = number + 1;
		}
		if (is_dram(r, view))
			*(i ? &group->dram_read_bytes : &group->dram_write_bytes) += bytes;
	}
	decode_command(r, command, &decoded);
	loom_plan_clock(r->chip, &decoded.command, &clock);
	group->energy_fj = loom_clock_add(group->energy_fj, clock.energy_fj);
	group->macs += decoded.command.macs;
}

/*
 * Sums up the moves and operations of each group, at any time. Each weight is counted once per
 * group that reads it, even if reads of two groups alternate, because groups are visited one by
 * one.
 */
static int fill_commands(const struct reader *r, struct loom_program_group *groups)
{
	u32 *seen = calloc((size_t)r->header->tensors.count + 1, sizeof(*seen));
	u32 *next = calloc((size_t)r->header->commands.count + 1, sizeof(*next));
	u32 *first = calloc((size_t)r->program->num_groups + 1, sizeof(*first));
	u32 i, k;

	if (!seen || !next || !first) {
		free(seen);
		free(next);
		free(first);
		return -ENOMEM;
	}
	/* commands by group; zero ends a list */
	for (i = r->header->steps.count; i-- > 0;) {
		const struct drm_loom_plan_step *step = &r->steps[i];
		u32 count = step->dma_commands + step->compute_commands;

		for (k = step->first_command + count; k-- > step->first_command;) {
			u32 group = loom_plan_group(r->program, i, k);

			next[k] = first[group];
			first[group] = k + 1;
		}
	}
	for (i = 0; i < r->program->num_groups; i++)
		for (k = first[i]; k; k = next[k - 1])
			fill_command(r, &groups[i], i, &r->commands[k - 1], seen);
	free(seen);
	free(next);
	free(first);
	return 0;
}

static void fill_stats(struct loom_program_stats *stats, const struct loom_step_cost *costs,
		       u32 num_steps)
{
	bool computes = false;
	u32 i;

	for (i = 0; i < num_steps; i++) {
		const struct loom_step_cost *cost = &costs[i];

		computes |= cost->compute_cycles != 0;
		if (!computes)
			stats->fill_cycles = loom_clock_add(stats->fill_cycles, cost->cycles);
		stats->drain_cycles = cost->compute_cycles || !computes ? 0 :
				      loom_clock_add(stats->drain_cycles, cost->cycles);

		stats->cycles = loom_clock_add(stats->cycles, cost->cycles);
		stats->dma_cycles = loom_clock_add(stats->dma_cycles, cost->dma_cycles);
		stats->compute_cycles = loom_clock_add(stats->compute_cycles, cost->compute_cycles);
		stats->energy_fj = loom_clock_add(stats->energy_fj, cost->energy_fj);
		stats->sram_peak_bytes = max(stats->sram_peak_bytes, cost->sram_bytes);
		stats->conflict_steps += (cost->dma_banks & cost->compute_banks) != 0;
	}
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
	/* outputs that equal another are copied at the end */
	if (program->num_groups)
		groups[program->num_groups - 1].num_steps = r.header->steps.count -
			groups[program->num_groups - 1].first_step;
	for (i = 0; i < program->num_groups; i++)
		fill_group(&groups[i], costs);
	fill_stats(&program->stats, costs, r.header->steps.count);
	free(costs);
	fill_cuts(&r, *cuts);
	return program->num_groups ? fill_commands(&r, groups) : 0;
}
