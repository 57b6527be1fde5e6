// SPDX-License-Identifier: MIT
/* From a graph to a program: storage, then node by node, then the bytes. */
#include "planner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/cost.h"
#include "lower/storage.h"

/**
 * struct owned - a program with what it owns
 * @program: what the caller sees; first, so that one is the other
 * @slots: &loom_program.slots
 * @inputs: &loom_program.inputs
 * @outputs: &loom_program.outputs
 * @observed: &loom_program.observed
 * @weights: &loom_program.weights
 * @kernels: &loom_program.kernels
 * @neurons: &loom_program.neurons
 * @labels: &loom_program.labels
 * @nodes: &loom_program.nodes
 * @groups: &loom_program.groups
 * @cuts: &loom_program.cuts
 */
struct owned {
	struct loom_program program;
	struct loom_program_slot *slots;
	struct loom_program_tensor *inputs;
	struct loom_program_tensor *outputs;
	struct loom_program_tensor *observed;
	struct loom_program_tensor *weights;
	struct loom_program_kernel *kernels;
	struct loom_program_neuron *neurons;
	struct loom_program_label *labels;
	struct loom_program_node *nodes;
	struct loom_program_group *groups;
	struct loom_program_cut *cuts;
};

/**
 * struct planner - the state of planning
 * @graph: what is planned
 * @options: for what, and how
 * @build: the tables
 * @storage: where values are
 * @lower: the state of lowering
 * @err: where errors go, or NULL
 */
struct planner {
	const struct loom_graph *graph;
	const struct loom_planner_options *options;
	struct loom_build build;
	struct loom_storage storage;
	struct loom_lower lower;
	struct loom_error *err;
};

static int fail(struct loom_error *err, int code, const char *text)
{
	if (err)
		snprintf(err->text, sizeof(err->text), "%s", text);
	return code;
}

static void describe(struct loom_program_tensor *tensor, const struct loom_value *value)
{
	u32 i;

	tensor->name = value->name;
	tensor->dtype = value->dtype;
	tensor->rank = value->rank;
	for (i = 0; i < value->rank; i++)
		tensor->dims[i] = value->dims[i];
	tensor->size_bytes = value->size_bytes;
}

static void describe_located(const struct planner *p, struct loom_program_tensor *tensor,
			     const struct loom_value *value)
{
	const struct loom_location *location = &p->storage.locations[value->id];

	describe(tensor, value);
	tensor->slot = location->slot;
	tensor->offset = location->offset;
}

static int make_tables(const struct planner *p, struct owned *o)
{
	o->slots = calloc(p->build.num_slots + 1, sizeof(*o->slots));
	o->inputs = calloc((size_t)p->graph->num_inputs + 1, sizeof(*o->inputs));
	o->outputs = calloc((size_t)p->graph->num_outputs + 1, sizeof(*o->outputs));
	o->observed = calloc((size_t)p->storage.num_observed + 1, sizeof(*o->observed));
	o->weights = calloc((size_t)p->storage.num_weights + 1, sizeof(*o->weights));
	o->nodes = calloc((size_t)p->graph->num_nodes + 1, sizeof(*o->nodes));
	if (!o->slots || !o->inputs || !o->outputs || !o->observed || !o->weights || !o->nodes)
		return -ENOMEM;
	o->program.nodes = o->nodes;
	o->program.slots = o->slots;
	o->program.inputs = o->inputs;
	o->program.outputs = o->outputs;
	o->program.observed = o->observed;
	o->program.weights = o->weights;
	return 0;
}

/* What was noted on the way changes hands. */
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
}

static int fill_tables(const struct planner *p, struct owned *o)
{
	struct loom_program *program = &o->program;
	u32 i;

	if (make_tables(p, o))
		return -ENOMEM;
	program->num_slots = p->build.num_slots;
	program->num_inputs = p->graph->num_inputs;
	program->num_outputs = p->graph->num_outputs;
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
	for (i = 0; i < program->num_outputs; i++) {
		describe(&o->outputs[i], p->graph->outputs[i]);
		if (p->graph->outputs[i]->num_elems)
			o->outputs[i].slot = p->storage.outputs[i].slot;
		o->outputs[i].offset = p->storage.outputs[i].offset;
	}
	for (i = 0; i < program->num_observed; i++)
		describe_located(p, &o->observed[i], p->storage.observed[i]);
	for (i = 0; i < program->num_weights; i++) {
		describe_located(p, &o->weights[i], p->storage.weights[i]);
		o->weights[i].data = p->storage.weights[i]->data;
	}
	return 0;
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
	stats->sliced_nodes = p->lower.sliced_nodes;
	stats->plan_bytes = program->plan_bytes;
	stats->tensors = p->build.num_tensors;
	stats->groups = program->num_groups;
	/* a whole DECONV also counts what falls on its pads; its slices may not */
	if (counted->macs > p->lower.macs_once)
		stats->recomputed_macs = counted->macs - p->lower.macs_once;
	stats->macs = counted->macs;
	stats->steps = counted->steps;
	stats->commands = counted->commands;
	stats->dram_read_bytes = counted->dram_read_bytes;
	stats->dram_write_bytes = counted->dram_write_bytes;
	stats->sram_read_bytes = counted->sram_read_bytes;
	stats->sram_write_bytes = counted->sram_write_bytes;
}

static int set_up_lower(struct planner *p)
{
	const struct loom_topology *topology = p->options->topology;
	const struct loom_region_topology *sram;

	if (!topology)
		return fail(p->err, -EINVAL, "no topology to plan for");
	sram = &topology->region[DRM_LOOM_REGION_SRAM];
	if (!sram->banks || !sram->align_bytes || sram->bank_bytes <= sram->reserved_bytes)
		return fail(p->err, -EINVAL, "the topology has no SRAM");
	loom_build_init(&p->build, sram->banks);
	p->lower.graph = p->graph;
	p->lower.build = &p->build;
	p->lower.storage = &p->storage;
	p->lower.err = p->err;
	p->lower.sink = loom_emitter(&p->lower);
	p->lower.load_images = p->options->flags & LOOM_PLANNER_LOAD_IMAGES;
	p->lower.sram.lanes = sram->banks;
	p->lower.sram.bytes = sram->bank_bytes - sram->reserved_bytes;
	p->lower.sram.align_bytes = sram->align_bytes;
	p->lower.sram.sub_bank_bytes = sram->sub_banks > 1 ? sram->bank_bytes / sram->sub_banks : 0;
	p->lower.sram.overlap = !(p->options->flags & LOOM_PLANNER_NO_OVERLAP);
	if (p->options->sram_limit_bytes && p->options->sram_limit_bytes < p->lower.sram.bytes)
		p->lower.sram.bytes = p->options->sram_limit_bytes;
	return 0;
}

/* A node does not fit. What is missing is what the largest lacks: those from @next on are asked. */
static void find_largest(struct planner *p, u32 next)
{
	struct loom_error said = { "" };
	u32 i;

	p->lower.probe = true;
	for (i = next; i < p->graph->num_nodes && p->err; i++) {
		u64 need_bytes = p->lower.need_bytes;

		said = *p->err;
		loom_lower_node(&p->lower, p->storage.nodes[i]);
		/* whatever else is wrong with it comes up when the first is out of the way */
		if (p->lower.need_bytes == need_bytes)
			*p->err = said;
	}
}

static int write_plain(struct planner *p, const struct loom_storage_options *storage)
{
	int ret = loom_storage_place(&p->storage, storage, p->err);
	u32 i;

	for (i = 0; i < p->graph->num_nodes && !ret; i++)
		ret = loom_lower_alone(&p->lower, i);
	if (ret == -ENOSPC)
		find_largest(p, i);
	return ret ? ret : loom_storage_copy_late(&p->lower);
}

static int write_groups(struct planner *p, const struct loom_storage_options *storage)
{
	const struct loom_group_options options = {
		.strategy = loom_grouping_strategy(p->options),
		.budget_ms = p->options->grouping_budget,
		.explain = p->options->flags & LOOM_PLANNER_EXPLAIN,
		.storage = storage,
	};
	int ret = loom_storage_order_chains(&p->storage);

	return ret ? ret : loom_group_plan(&p->lower, &options);
}

static int write_plan(struct planner *p)
{
	const struct loom_planner_options *options = p->options;
	bool grouped = loom_grouping_is_on(options);
	struct loom_storage_options storage = {
		.placer = options->placer,
		.dram_align_bytes = options->topology->region[DRM_LOOM_REGION_DRAM].align_bytes,
		.observe_all = options->flags & LOOM_PLANNER_OBSERVE_ALL,
		.observe = options->observe,
		.num_observe = options->num_observe,
		/*
		 * Groups are made of neighbours: the order decides what stays out of DRAM, which is
		 * worth more than the arena. The model's order is the better one for that.
		 */
		.reorder = !grouped && !(options->flags & LOOM_PLANNER_GIVEN_ORDER),
		.join_concats = grouped,
	};
	int ret;

	if (!loom_grouping_is_known(options))
		return fail(p->err, -EINVAL, "there is no such grouping strategy");
	ret = loom_storage_init(&p->storage, p->graph, &p->build, &storage, p->err);
	/* images are in DRAM because the model says so; values of groups are not in DRAM */
	if (!ret && p->storage.num_images && grouped)
		return fail(p->err, -EINVAL, "values in images cannot run in groups");
	if (!ret)
		ret = grouped ? write_groups(p, &storage) : write_plain(p, &storage);
	loom_storage_finish(&p->storage);
	return ret;
}

static int finish(struct planner *p, struct loom_program **program)
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
	ret = loom_plan_cost_fill(&o->program, o->groups, &o->cuts, p->options->topology);
	if (ret) {
		loom_program_destroy(&o->program);
		return ret;
	}
	*program = &o->program;
	return 0;
}

static int create(const struct loom_graph *graph, const struct loom_planner_options *options,
		  struct loom_program **program, struct loom_error *err)
{
	struct planner p = { .graph = graph, .options = options, .err = err };
	int ret;

	if (err)
		err->text[0] = '\0';
	ret = set_up_lower(&p);
	if (!ret)
		ret = write_plan(&p);
	if (!ret)
		ret = finish(&p, program);
	/* what a node did not say itself */
	if (ret && err && !err->text[0])
		fail(err, ret, ret == -E2BIG ? "the plan is past a cap of the plan format" :
			       ret == -ENOMEM ? "out of memory" : strerror(-ret));
	free(p.lower.kernels);
	free(p.lower.groups);
	free(p.lower.cuts);
	loom_storage_clear(&p.storage);
	loom_build_clear(&p.build);
	return ret;
}

static u64 traffic(const struct loom_program *program)
{
	return program->stats.dram_read_bytes + program->stats.dram_write_bytes;
}

/* What no plan can do without, but for constants that are repeated. */
static u64 least_traffic(const struct loom_program *program)
{
	u64 bytes = program->stats.weights_bytes;
	u32 i;

	for (i = 0; i < program->num_inputs; i++)
		bytes += program->inputs[i].size_bytes;
	for (i = 0; i < program->num_outputs; i++)
		bytes += program->outputs[i].size_bytes;
	return bytes;
}

/* Takes over what moves less. */
static void compete(struct loom_program **best, struct loom_program *rival)
{
	if (!*best || traffic(rival) < traffic(*best)) {
		loom_program_destroy(*best);
		*best = rival;
	} else {
		loom_program_destroy(rival);
	}
}

/* Strategies whose plan is taken if it moves less; with more nodes they would take too long. */
static const struct {
	const char *grouping;
	u32 most_nodes;
} rivals[] = {
	{ "layergroup-text", 1024 },
	{ "layergroup-dp", 256 },
};

/*
 * A search that ends when its budget is spent may have missed what simple rules find, and what a
 * node alone moves is an estimate while groups are chosen: in very little SRAM no groups at all may
 * be better. So these are asked, too, and what moves least is taken. A strategy that is there to
 * compare with is said to be as it is, if it has a plan at all.
 */
static int create_grouped(const struct loom_graph *graph,
			  const struct loom_planner_options *options,
			  struct loom_program **program, struct loom_error *err)
{
	struct loom_planner_options how = *options;
	struct loom_program *best = NULL, *rival = NULL;
	const struct loom_group_strategy *strategy = loom_grouping_strategy(options);
	bool frugal = strategy && strategy->frugal;
	int ret = create(graph, options, &best, err);
	u32 i;

	if (ret == -ENOMEM || ret == -EINVAL)
		return ret;
	how.grouping = NULL;
	if ((ret || frugal) && !create(graph, &how, &rival, ret ? err : NULL))
		compete(&best, rival);
	for (i = 0; i < ARRAY_SIZE(rivals) && frugal && best; i++) {
		if (graph->num_nodes > rivals[i].most_nodes ||
		    traffic(best) <= least_traffic(best))
			continue;
		how.grouping = rivals[i].grouping;
		rival = NULL;
		if (!create(graph, &how, &rival, NULL))
			compete(&best, rival);
	}
	if (!best)
		return ret;
	*program = best;
	return 0;
}

int loom_program_create(const struct loom_graph *graph,
			const struct loom_planner_options *options,
			struct loom_program **program, struct loom_error *err)
{
	if (loom_grouping_is_on(options))
		return create_grouped(graph, options, program, err);
	return create(graph, options, program, err);
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
	free(o->observed);
	free(o->weights);
	free(o->kernels);
	free(o->neurons);
	free(o->labels);
	free(o->nodes);
	free(o->groups);
	free(o->cuts);
	free(o);
}
