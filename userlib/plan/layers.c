// SPDX-License-Identifier: MIT
#include "build.h"
#include "cost.h"
#include "loom_op.h"
#include "time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * DOC: Costs of layers
 *
 * Commands know their nodes, but a step takes as long as the longer of its streams, and may hold
 * commands of several nodes. Each step is divided between the nodes of the commands that it waits
 * for, in proportion to their cycles. So the cycles of all layers add up to those of the plan, and
 * a layer whose loads hide behind the work of others takes no time for them.
 */

/**
 * struct layering - what the walk over a plan needs
 * @program: the program
 * @chip: its chip
 * @costs: by command
 * @layers: by node; the last one is of commands without a node
 */
struct layering {
	const struct loom_program *program;
	const struct drm_loom_chip *chip;
	struct loom_clock_cost *costs;
	struct loom_program_layer *layers;
};

static struct loom_program_layer *layer_of(const struct layering *l, u32 command)
{
	u32 node = l->program->command_nodes[command];

	return &l->layers[node == LOOM_NODE_NONE ? l->program->num_nodes : node];
}

/* Cycles of the multiply-accumulates if all lanes were full all the time. */
static double full_cycles(const struct drm_loom_chip *chip, const struct loom_command *command)
{
	const struct drm_loom_chip_type *type = &chip->type[command->views[1].dtype];
	double rate = type->mac_rate ? type->mac_rate : type->op_rate / 2.0;
	u32 depthwise = chip->array[command->views[1].dtype].depthwise_rate;

	/* of two rates the higher one */
	rate = depthwise > rate ? depthwise : rate;
	return rate ? command->macs * 1000.0 / rate / chip->region[DRM_LOOM_REGION_SRAM].banks : 0;
}

static void add_command(const struct layering *l, u32 index,
			const struct drm_loom_plan_tensor *tensors,
			const struct drm_loom_plan_command *command,
			const struct drm_loom_plan_view *views, const u8 *attrs)
{
	struct loom_program_layer *layer = layer_of(l, index);
	struct loom_clock_cost *cost = &l->costs[index];
	struct loom_plan_decoded decoded;
	u32 i;

	loom_plan_decode(tensors, command->opcode, attrs + command->attr_offset, views,
			 command->operands, &decoded);
	loom_clock_command(l->chip, &decoded.command, cost);
	layer->commands++;
	layer->macs += decoded.command.macs;
	if (decoded.command.macs)
		layer->full_cycles += full_cycles(l->chip, &decoded.command);
	layer->energy_fj = loom_clock_add(layer->energy_fj, cost->energy_fj);
	if (decoded.command.op->stream == LOOM_STREAM_DMA)
		layer->dma_cycles = loom_clock_add(layer->dma_cycles, cost->cycles);
	else
		layer->compute_cycles = loom_clock_add(layer->compute_cycles, cost->cycles);
	for (i = 0; i < command->operands; i++) {
		u64 bytes = loom_build_bytes(command->opcode, views, i);

		if (tensors[views[i].tensor].region == DRM_LOOM_REGION_ROM)
			layer->rom_read_bytes += bytes;
		else if (tensors[views[i].tensor].region == DRM_LOOM_REGION_DRAM)
			*(i ? &layer->dram_read_bytes : &layer->dram_write_bytes) += bytes;
	}
}

/* Divides the cycles of a step between the layers of the commands that it waits for. */
static void divide_step(const struct layering *l, const struct drm_loom_plan_step *step)
{
	u32 first = step->first_command, dma_end = first + step->dma_commands, i;
	u32 end = dma_end + step->compute_commands;
	u64 dma = 0, compute = 0, cycles, all, sum = 0, given = 0;
	bool overlap = l->chip->flags & DRM_LOOM_CHIP_OVERLAP;

	for (i = first; i < end; i++) {
		u64 *stream = i < dma_end ? &dma : &compute;

		*stream = loom_clock_add(*stream, l->costs[i].cycles);
	}
	cycles = loom_clock_step(overlap, dma, compute);
	if (overlap && dma > compute)
		end = dma_end;
	else if (overlap)
		first = dma_end;
	all = overlap ? max(dma, compute) : loom_clock_add(dma, compute);
	for (i = first; i < end && all; i++) {
		u64 until;

		sum = loom_clock_add(sum, l->costs[i].cycles);
		until = (u64)((__uint128_t)cycles * sum / all);
		layer_of(l, i)->cycles += until - given;
		given = until;
	}
	/* the cycle of a step that waits for nothing */
	l->layers[l->program->num_nodes].cycles += cycles - given;
}

/* Shapes are notes of lowering, in the order of nodes; the last kernel of a node has its result. */
static void add_shapes(const struct layering *l)
{
	const struct loom_program *program = l->program;
	u32 node = 0, i;

	for (i = 0; i < program->num_kernels; i++) {
		const struct loom_program_kernel *kernel = &program->kernels[i];
		u32 at = node;

		while (at < program->num_nodes && strcmp(program->nodes[at].name, kernel->node))
			at++;
		if (at == program->num_nodes)
			continue;
		node = at;
		l->layers[node].rank = kernel->rank;
		memcpy(l->layers[node].dims, kernel->dims, sizeof(kernel->dims));
	}
}

int loom_program_layers(const struct loom_program *program, const struct drm_loom_chip *chip,
			struct loom_program_layer **layers, uint32_t *num_layers)
{
	const struct drm_loom_plan_header *header = program->plan;
	const u8 *plan = program->plan;
	const struct drm_loom_plan_tensor *tensors = (const void *)(plan + header->tensors.offset);
	const struct drm_loom_plan_command *commands =
		(const void *)(plan + header->commands.offset);
	const struct drm_loom_plan_view *views = (const void *)(plan + header->views.offset);
	const struct drm_loom_plan_step *steps = (const void *)(plan + header->steps.offset);
	struct layering l = { .program = program, .chip = chip };
	u32 i;

	l.costs = calloc((size_t)header->commands.count + 1, sizeof(*l.costs));
	l.layers = calloc((size_t)program->num_nodes + 1, sizeof(*l.layers));
	if (!l.costs || !l.layers) {
		free(l.costs);
		free(l.layers);
		return -ENOMEM;
	}
	for (i = 0; i < header->commands.count; i++)
		add_command(&l, i, tensors, &commands[i], &views[commands[i].first_view],
			    plan + header->attrs.offset);
	for (i = 0; i < header->steps.count; i++)
		divide_step(&l, &steps[i]);
	add_shapes(&l);
	free(l.costs);
	*layers = l.layers;
	*num_layers = program->num_nodes + 1;
	return 0;
}
