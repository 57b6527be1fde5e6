// SPDX-License-Identifier: MIT
/* Contents of a program besides the plan's bytes: slots, tensors, notes, costs. */
#include "planner.h"

#include <errno.h>
#include <stdlib.h>

#include "plan/cost.h"

/**
 * struct owned - a program and the memory it owns
 * @program: the caller's part; first, as the two are cast to one another
 * @slots: &loom_program.slots
 * @inputs: &loom_program.inputs
 * @outputs: &loom_program.outputs
 * @states: &loom_program.states
 * @updates: &loom_program.updates
 * @observed: &loom_program.observed
 * @weights: &loom_program.weights
 * @kernels: &loom_program.kernels
 * @neurons: &loom_program.neurons
 * @labels: &loom_program.labels
 * @nodes: &loom_program.nodes
 * @groups: &loom_program.groups
 * @cuts: &loom_program.cuts
 * @command_nodes: &loom_program.command_nodes
 * @graph: the planned graph, if it is not the caller's
 * @expanded: owner of constants of it, or NULL
 * @row: see loom_planner_candidate()
 */
struct owned {
	struct loom_program program;
	struct loom_program_slot *slots;
	struct loom_program_tensor *inputs;
	struct loom_program_tensor *outputs;
	struct loom_program_state *states;
	struct loom_program_update *updates;
	struct loom_program_tensor *observed;
	struct loom_program_tensor *weights;
	struct loom_program_kernel *kernels;
	struct loom_program_neuron *neurons;
	struct loom_program_label *labels;
	struct loom_program_node *nodes;
	struct loom_program_group *groups;
	struct loom_program_cut *cuts;
	u32 *command_nodes;
	struct loom_graph *graph;
	struct loom_graph *expanded;
	const char *row;
};

static void describe(struct loom_program_tensor *tensor, const struct loom_value *value)
{
	u32 i;

	tensor->name = value->name;
	tensor->dtype = value->dtype;
	tensor->rank = value->rank;
	for (i = 0; i < value->rank; i++)
		tensor->dims[i] = value->dims[i];
	tensor->size_bytes = value->size_bytes;
	tensor->open_dims = value->open_dims;
}

static void describe_located(const struct planner *p, struct loom_program_tensor *tensor,
			     const struct loom_value *value)
{
	const struct loom_location *location = &p->storage.locations[value->id];

	describe(tensor, value);
	tensor->slot = location->slot;
	tensor->offset = location->offset;
}

static void describe_output(const struct planner *p, struct loom_program_tensor *tensor, u32 index)
{
	describe(tensor, p->graph->outputs[index]);
	if (tensor->size_bytes)
		tensor->slot = p->storage.outputs[index].slot;
	tensor->offset = p->storage.outputs[index].offset;
}

/* A state that is updated in place is an output where it is an input. */
static void fill_state(const struct planner *p, struct owned *o, u32 index)
{
	const struct loom_graph_state *state = &p->graph->states[index];
	struct loom_program_update *update = &o->updates[o->program.num_updates];

	o->states[index] = (struct loom_program_state){ state->output, state->input };
	if (state->places == LOOM_STATE_WHOLE)
		return;
	o->program.num_updates++;
	update->state = index;
	update->axis = state->axis;
	describe_output(p, &update->rows, state->output);
	describe_output(p, &update->places, state->places);
	o->outputs[state->output] = o->inputs[state->input];
	o->outputs[state->output].name = state->name;
	o->outputs[state->output].open_dims = 0;
}

static int make_tables(const struct planner *p, struct owned *o)
{
	o->slots = calloc(p->build.num_slots + 1, sizeof(*o->slots));
	o->inputs = calloc((size_t)p->graph->num_inputs + 1, sizeof(*o->inputs));
	o->outputs = calloc((size_t)p->graph->num_outputs + 1, sizeof(*o->outputs));
	o->states = calloc((size_t)p->graph->num_states + 1, sizeof(*o->states));
	o->updates = calloc((size_t)p->graph->num_states + 1, sizeof(*o->updates));
	o->observed = calloc((size_t)p->storage.num_observed + 1, sizeof(*o->observed));
	o->weights = calloc((size_t)p->storage.num_weights + 1, sizeof(*o->weights));
	o->nodes = calloc((size_t)p->graph->num_nodes + 1, sizeof(*o->nodes));
	if (!o->slots || !o->inputs || !o->outputs || !o->states || !o->updates || !o->observed ||
	    !o->weights || !o->nodes)
		return -ENOMEM;
	o->program.nodes = o->nodes;
	o->program.slots = o->slots;
	o->program.inputs = o->inputs;
	o->program.outputs = o->outputs;
	o->program.states = o->states;
	o->program.updates = o->updates;
	o->program.observed = o->observed;
	o->program.weights = o->weights;
	return 0;
}

/* Moves the notes of lowering into the program. */
static void take_notes(struct planner *p, struct owned *o)
{
	o->kernels = p->lower.kernels;
	p->lower.kernels = NULL;
	o->program.kernels = o->kernels;
	o->program.num_kernels = p->lower.num_kernels;
	o->neurons = p->storage.neurons;
	p->storage.neurons = NULL;
	o->program.neurons = o->neurons;
	o->program.num_neurons = p->storage.num_neurons;
	o->labels = p->build.labels;
	p->build.labels = NULL;
	o->program.labels = o->labels;
	o->program.num_labels = p->build.num_tensors;
	o->groups = p->lower.groups;
	p->lower.groups = NULL;
	o->program.groups = o->groups;
	o->program.num_groups = p->lower.num_groups;
	o->cuts = p->lower.cuts;
	p->lower.cuts = NULL;
	o->program.cuts = o->cuts;
	o->command_nodes = p->build.command_nodes;
	p->build.command_nodes = NULL;
	o->program.command_nodes = o->command_nodes;
	o->program.num_commands = p->build.num_commands;
}

static int fill_tables(const struct planner *p, struct owned *o)
{
	struct loom_program *program = &o->program;
	u32 i;

	if (make_tables(p, o))
		return -ENOMEM;
	program->num_slots = p->build.num_slots;
	program->num_inputs = p->graph->num_inputs;
	program->num_outputs = p->graph->num_outputs - p->graph->num_hidden;
	program->num_states = p->graph->num_states;
	program->num_observed = p->storage.num_observed;
	program->num_weights = p->storage.num_weights;
	program->placer = p->storage.placer;

	program->num_nodes = p->graph->num_nodes;
	for (i = 0; i < program->num_nodes; i++) {
		o->nodes[i].name = p->storage.nodes[i]->name;
		o->nodes[i].op = p->storage.nodes[i]->source_op;
	}
	for (i = 0; i < program->num_slots; i++) {
		o->slots[i].kind = p->storage.slot_kinds[i];
		o->slots[i].flags = p->build.slots[i].flags;
		o->slots[i].size_bytes = p->build.slots[i].size;
	}
	for (i = 0; i < p->storage.num_pools; i++) {
		const struct loom_image_pool *pool = &p->storage.pools[i];
		struct loom_program_slot *slot = &o->slots[pool->slot];

		slot->dtype = pool->dtype;
		slot->width = pool->width;
		slot->height = pool->height;
		slot->pitch_bytes = pool->pitch_bytes;
		slot->num_values = pool->num_values;
	}
	for (i = 0; i < program->num_inputs; i++)
		describe_located(p, &o->inputs[i], p->graph->inputs[i]);
	for (i = 0; i < program->num_outputs; i++)
		describe_output(p, &o->outputs[i], i);
	for (i = 0; i < program->num_states; i++)
		fill_state(p, o, i);
	for (i = 0; i < program->num_observed; i++)
		describe_located(p, &o->observed[i], p->storage.observed[i]);
	for (i = 0; i < program->num_weights; i++) {
		describe_located(p, &o->weights[i], p->storage.weights[i]);
		o->weights[i].data = p->storage.weights[i]->data;
	}
	return 0;
}

/* Bytes of the scratch and the slots, as they are allocated. */
static u64 sram_bytes(const struct planner *p)
{
	u64 align = p->options->chip->region[DRM_LOOM_REGION_SRAM].align_bytes;
	u64 units = loom_div_round_up(p->lower.scratch_bytes, align);
	u32 i;

	for (i = 0; i < p->build.num_slots; i++)
		if (p->build.slots[i].flags & DRM_LOOM_SLOT_SRAM)
			units += loom_div_round_up(p->build.slots[i].size, align);
	return units * align;
}

static void fill_stats(const struct planner *p, struct loom_program *program)
{
	const struct drm_loom_counters *counted = &p->build.counters;
	struct loom_program_stats *stats = &program->stats;

	stats->nodes = p->graph->num_nodes;
	stats->neurons = p->storage.num_neurons;
	stats->neuron_sum_bytes = p->storage.neuron_bytes;
	stats->arena_bytes = p->storage.arena_bytes;
	stats->bound_bytes = p->storage.bound_bytes;
	stats->given_order_bytes = p->storage.order.given_bytes;
	stats->order_bytes = p->storage.order.bytes;
	stats->order_proved = p->storage.order.proved;
	stats->images = p->storage.num_images;
	stats->image_pools = p->storage.num_pools;
	stats->image_value_bytes = p->storage.image_value_bytes;
	stats->image_bytes = p->storage.image_bytes;
	stats->weights_bytes = p->storage.weights_bytes;
	stats->scratch_bytes = p->lower.scratch_bytes;
	stats->sram_bytes = sram_bytes(p);
	stats->sliced_nodes = p->lower.sliced_nodes;
	stats->plan_bytes = program->plan_bytes;
	stats->tensors = p->build.num_tensors;
	stats->groups = program->num_groups;
	/* a whole DECONV counts work on its pads, but its slices may not: then the sum is lower */
	if (counted->macs > p->lower.macs_once)
		stats->recomputed_macs = counted->macs - p->lower.macs_once;
	stats->macs = counted->macs;
	stats->steps = counted->steps;
	stats->commands = counted->commands;
	stats->dram_read_bytes = counted->dram_read_bytes;
	stats->dram_write_bytes = counted->dram_write_bytes;
	stats->sram_read_bytes = counted->sram_read_bytes;
	stats->sram_write_bytes = counted->sram_write_bytes;
	stats->rom_read_bytes = counted->rom_read_bytes;
}

int loom_planner_finish(struct planner *p, struct loom_program **program)
{
	struct owned *o = calloc(1, sizeof(*o));
	void *blob = NULL;
	int ret;

	if (!o)
		return -ENOMEM;
	ret = loom_build_finish(&p->build, p->lower.scratch_bytes, &blob, &o->program.plan_bytes);
	o->program.plan = blob;
	if (!ret)
		ret = fill_tables(p, o);
	if (ret) {
		loom_program_destroy(&o->program);
		return ret;
	}
	take_notes(p, o);
	fill_stats(p, &o->program);
	o->program.grouping = loom_grouping_own_name(p->options);
	ret = loom_plan_cost_fill(&o->program, o->groups, &o->cuts, p->options->chip);
	if (ret) {
		loom_program_destroy(&o->program);
		return ret;
	}
	*program = &o->program;
	return 0;
}

void loom_planner_note_least(struct loom_program *program, const struct loom_program_least *least)
{
	program->least = *least;
}

void loom_planner_note_cut(struct loom_program *program, u32 cut)
{
	program->stats.cut_nodes = cut;
}

void loom_planner_note_candidate(struct loom_program *program, const char *name)
{
	((struct owned *)program)->row = name;
}

const char *loom_planner_candidate(const struct loom_program *program)
{
	return ((const struct owned *)program)->row;
}

struct loom_program_cut *loom_planner_cuts(struct loom_program *program)
{
	return ((struct owned *)program)->cuts;
}

void loom_planner_own(struct loom_program *program, struct loom_graph *graph,
		      struct loom_graph *expanded)
{
	struct owned *o = (struct owned *)program;

	o->graph = graph;
	o->expanded = expanded;
}

void loom_program_destroy(struct loom_program *program)
{
	struct owned *o = (struct owned *)program;

	if (!o)
		return;
	free((void *)o->program.plan);
	free(o->slots);
	free(o->inputs);
	free(o->outputs);
	free(o->states);
	free(o->updates);
	free(o->observed);
	free(o->weights);
	free(o->kernels);
	free(o->neurons);
	free(o->labels);
	free(o->nodes);
	free(o->groups);
	free(o->cuts);
	free(o->command_nodes);
	loom_graph_destroy(o->graph);
	loom_graph_destroy(o->expanded);
	free(o);
}
