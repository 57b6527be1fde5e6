// SPDX-License-Identifier: MIT
/*
 * Nodes that native kernels stand for. Runs are found in the source form, before any operator is
 * looked up: the last node of a run gets the operands of all, and the others are removed. Nodes of
 * branches and bodies are in no run, because a node of a run may be in another.
 */
#include "import.h"
#include "source.h"

#include "native/native.h"

#include <errno.h>
#include <string.h>

/**
 * struct runs - the search for runs
 * @graph: the graph
 * @uses: by name: the only node that reads the tensor, or @many
 * @many: stands for several readers
 */
struct runs {
	struct loom_graph *graph;
	struct loom_names uses;
	struct loom_source_node many;
};

static int out_of_memory(struct loom_graph *graph)
{
	return loom_graph_fail(graph, -ENOMEM, "out of memory");
}

static int note_use(struct runs *runs, const char *name, struct loom_source_node *reader)
{
	if (!*name)
		return 0;
	if (loom_names_find(&runs->uses, name))
		reader = &runs->many;
	return loom_names_set(&runs->uses, name, reader) ? out_of_memory(runs->graph) : 0;
}

static int note_uses(struct runs *runs, const struct loom_graph_options *options)
{
	const struct loom_source *source = runs->graph->source;
	uint32_t i, k;
	int ret = 0;

	runs->uses.pool = runs->graph->pool;
	for (i = 0; i < source->num_nodes && !ret; i++)
		for (k = 0; k < source->nodes[i]->desc.num_inputs && !ret; k++)
			ret = note_use(runs, source->nodes[i]->desc.inputs[k], source->nodes[i]);
	for (i = 0; i < source->num_outputs && !ret; i++)
		ret = note_use(runs, source->outputs[i], &runs->many);
	for (i = 0; i < options->num_outputs && !ret; i++)
		ret = note_use(runs, options->outputs[i], &runs->many);
	return ret;
}

/* The node that makes an operand of @node for nobody else, and is @op; NULL: there is none. */
static struct loom_source_node *find_before(const struct runs *runs,
					    const struct loom_source_node *node, const char *op)
{
	const struct loom_source *source = runs->graph->source;
	uint32_t i;

	for (i = 0; i < node->desc.num_inputs; i++) {
		const char *name = node->desc.inputs[i];
		struct loom_source_node *before = loom_names_find(&source->producers, name);

		if (before && !strcmp(before->desc.op_type, op) && !before->native &&
		    !before->branch && !before->body && before->desc.num_outputs == 1 &&
		    loom_names_find(&runs->uses, name) == node)
			return before;
	}
	return NULL;
}

/* The nodes of a run that ends with @last; false: it is none of this kernel. */
static bool find_run(const struct runs *runs, const struct loom_native_kernel *kernel,
		     struct loom_source_node *last, struct loom_source_node **run)
{
	uint32_t i = kernel->num_ops - 1;

	if (strcmp(kernel->ops[i], last->desc.op_type))
		return false;
	for (run[i] = last; i > 0; i--) {
		run[i - 1] = find_before(runs, run[i], kernel->ops[i - 1]);
		if (!run[i - 1])
			return false;
	}
	return true;
}

/* Makes the last node of a run all of it. */
static int fuse(struct loom_graph *graph, const struct loom_native_kernel *kernel,
		struct loom_source_node **run)
{
	struct loom_source_node *last = run[kernel->num_ops - 1];
	const char **inputs, *op = run[0]->desc.op_type, *link = "";
	uint32_t count = 0, i, k;

	for (i = 0; i < kernel->num_ops; i++)
		count += run[i]->desc.num_inputs;
	inputs = loom_pool_array(graph->pool, count, sizeof(*inputs));
	last->run = loom_pool_array(graph->pool, kernel->num_ops, sizeof(*last->run));
	if (!inputs || !last->run)
		return out_of_memory(graph);
	for (i = 0, count = 0; i < kernel->num_ops; i++) {
		last->run[i] = loom_pool_copy(graph->pool, &run[i]->desc, sizeof(run[i]->desc));
		for (k = 0; k < run[i]->desc.num_inputs; k++)
			if (!i || strcmp(run[i]->desc.inputs[k], link))
				inputs[count++] = run[i]->desc.inputs[k];
		link = run[i]->desc.outputs[0];
		if (i)
			op = loom_pool_print(graph->pool, "%s+%s", op, run[i]->desc.op_type);
		if (!last->run[i] || !op)
			return out_of_memory(graph);
		/* removed below */
		run[i]->native = kernel;
		run[i]->mark = LOOM_SOURCE_DONE;
	}
	last->mark = LOOM_SOURCE_NEW;
	last->desc.inputs = inputs;
	last->desc.num_inputs = count;
	last->desc.op_type = op;
	return 0;
}

static int find_runs(struct runs *runs, const struct loom_native_set *set, uint32_t num_ops)
{
	const struct loom_source *source = runs->graph->source;
	struct loom_source_node *run[LOOM_NATIVE_OPS];
	uint32_t i, k;

	for (i = 0; i < source->num_nodes; i++) {
		struct loom_source_node *node = source->nodes[i];

		for (k = 0; k < set->num_kernels && !node->native && !node->branch; k++)
			if (set->kernels[k].num_ops == num_ops &&
			    find_run(runs, &set->kernels[k], node, run) &&
			    fuse(runs->graph, &set->kernels[k], run))
				return runs->graph->status;
	}
	return 0;
}

static void remove_fused(struct loom_source *source)
{
	uint32_t i, kept = 0;

	for (i = 0; i < source->num_nodes; i++)
		if (source->nodes[i]->mark != LOOM_SOURCE_DONE)
			source->nodes[kept++] = source->nodes[i];
	source->num_nodes = kept;
}

static void take_single(const struct loom_native_set *set, struct loom_source_node *node)
{
	uint32_t i;

	for (i = 0; i < set->num_kernels && !node->native; i++)
		if (set->kernels[i].num_ops == 1 &&
		    !strcmp(set->kernels[i].ops[0], node->desc.op_type))
			node->native = &set->kernels[i];
	for (i = 0; node->body && i < node->body->num_nodes; i++)
		take_single(set, node->body->nodes[i]);
}

int loom_source_take_natives(struct loom_graph *graph, const struct loom_graph_options *options)
{
	struct loom_source *source = graph->source;
	struct runs runs = { .graph = graph };
	uint32_t num_ops, i;

	graph->natives = options->natives;
	if (!options->natives)
		return 0;
	num_ops = options->flags & LOOM_GRAPH_KEEP_ALL ? 1 : loom_native_longest(options->natives);
	if (num_ops > 1 && note_uses(&runs, options))
		return graph->status;
	for (; num_ops > 1; num_ops--)
		if (find_runs(&runs, options->natives, num_ops))
			return graph->status;
	remove_fused(source);
	for (i = 0; i < source->num_nodes; i++)
		take_single(options->natives, source->nodes[i]);
	return 0;
}

/* The operands, without those that are left out at the end. */
static uint32_t take_inputs(struct loom_import *im, struct loom_value **inputs,
			    struct loom_native_tensor *tensors)
{
	uint32_t count = im->node->desc.num_inputs, i;

	while (count && !loom_import_has(im, count - 1))
		count--;
	if (count > LOOM_NATIVE_INPUTS) {
		loom_import_fail(im, -EOPNOTSUPP, "it has %u operands, a native kernel takes %d",
				 count, LOOM_NATIVE_INPUTS);
		return 0;
	}
	for (i = 0; i < count; i++) {
		inputs[i] = loom_import_operand(im, i);
		if (!inputs[i])
			return 0;
		tensors[i] = (struct loom_native_tensor){
			.dtype = inputs[i]->dtype, .rank = inputs[i]->rank, .data = inputs[i]->data,
		};
		memcpy(tensors[i].dims, inputs[i]->dims, sizeof(tensors[i].dims));
	}
	return count;
}

/* Checks the result that a kernel has inferred. */
static void check_result(struct loom_import *im, const struct loom_native_tensor *result)
{
	int64_t count;

	if (!loom_dtype_size(result->dtype))
		loom_import_fail(im, -EINVAL, "its native kernel infers the unknown type %u",
				 result->dtype);
	else if (result->rank > DRM_LOOM_MAX_RANK)
		loom_import_fail(im, -EINVAL, "its native kernel infers rank %u, more than %d",
				 result->rank, DRM_LOOM_MAX_RANK);
	else if (loom_dims_count(result->rank, result->dims, &count) || !count)
		loom_import_fail(im, -EINVAL, "its native kernel infers no valid shape");
}

bool loom_import_native(struct loom_import *im)
{
	const struct loom_native_kernel *kernel = im->node->native;
	struct loom_value *inputs[LOOM_NATIVE_INPUTS] = { NULL };
	struct loom_native_tensor *tensors;
	struct loom_native_call *call;
	const struct loom_node_desc **ops = im->node->run;
	struct loom_node *node;
	int ret;

	call = loom_pool_alloc(im->graph->pool, sizeof(*call));
	tensors = loom_pool_array(im->graph->pool, LOOM_NATIVE_INPUTS, sizeof(*tensors));
	if (!ops) {
		ops = loom_pool_array(im->graph->pool, 1, sizeof(*ops));
		if (ops)
			ops[0] = &im->node->desc;
	}
	if (!call || !tensors || !ops) {
		loom_import_fail(im, -ENOMEM, "out of memory");
		return true;
	}
	call->set = im->graph->natives;
	call->kernel = kernel;
	call->node = (struct loom_native_node){
		.name = im->node->desc.name, .ops = ops, .num_ops = kernel->num_ops,
		.inputs = tensors, .num_inputs = take_inputs(im, inputs, tensors),
	};
	if (im->em->status)
		return true;
	ret = kernel->infer(kernel->data, &call->node);
	if (ret == -EOPNOTSUPP)
		return false;
	if (ret)
		loom_import_fail(im, ret, "its native kernel fails: %s", strerror(-ret));
	else
		check_result(im, &call->node.result);
	node = loom_emit_begin(im->em, LOOM_GOP_NATIVE, call->node.result.dtype,
			       call->node.result.rank, call->node.result.dims,
			       call->node.num_inputs, inputs);
	if (node) {
		node->native.call = call;
		loom_import_result(im, 0, loom_emit_end(im->em, node));
	}
	return true;
}
