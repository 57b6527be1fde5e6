// SPDX-License-Identifier: MIT
/*
 * Selection of the nodes to claim: nodes that the importer supports and whose values have types of
 * Loom are grouped into parts, and each part is imported and planned without groups. If a part
 * fails, the node that makes it fail is excluded, and parts are made again.
 */
#include "ort.h"
#include "partition.h"

#include "base/error.h"
#include "onnx/onnx.h"
#include "onnx/proto.h"
#include "planner/planner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trial sizes of open dimensions except for the first: not too small, and multiples. */
static const int64_t trial_sizes[] = { 64, 320, 1280, 8, 1 };

/**
 * struct claim - the graph, and the nodes claimed so far
 * @ep: the session
 * @graph: the graph
 * @edges: values between nodes
 * @num_edges: number of @edges
 * @wanted: for each node, whether it may be claimed
 * @good: for each node: hash of the nodes of a part that begins with it and passed its trial
 * @chosen: for each node, whether it is in the part on trial
 * @parts: for each node, its part
 * @num_parts: number of parts
 */
struct claim {
	struct loom_ort_ep *ep;
	const struct loom_ort_graph *graph;
	struct loom_partition_edge *edges;
	uint32_t num_edges;
	bool *wanted;
	uint64_t *good;
	bool *chosen;
	uint32_t *parts;
	uint32_t num_parts;
};

static bool types_known(const struct loom_ort_graph *graph, const uint32_t *values, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (values[i] != LOOM_ORT_NONE &&
		    !loom_onnx_dtype(graph->values[values[i]].elem))
			return false;
	return true;
}

/* Whether a node has branches or a body; false also if ONNX Runtime does not say. */
static bool has_graphs(const struct loom_ort_node *node)
{
	size_t count = 0;
	OrtStatus *status = loom_ort.api->Node_GetNumSubgraphs(node->node, &count);

	loom_ort.api->ReleaseStatus(status);
	return count;
}

/* Static checks, before a trial. */
static bool may_be(const struct claim *claim, const struct loom_ort_node *node)
{
	const struct loom_ort_graph *graph = claim->graph;

	if (claim->ep->options.branches && has_graphs(node))
		return false;
	return (!*node->domain || !strcmp(node->domain, "ai.onnx")) &&
	       loom_importer_find(node->op) &&
	       types_known(graph, node->inputs, node->num_inputs) &&
	       types_known(graph, node->outputs, node->num_outputs);
}

static int find_edges(struct claim *claim)
{
	const struct loom_ort_graph *graph = claim->graph;
	size_t most = 1;
	uint32_t i, k;

	for (i = 0; i < graph->num_nodes; i++)
		most += graph->nodes[i].num_inputs;
	claim->edges = calloc(most, sizeof(*claim->edges));
	if (!claim->edges)
		return -ENOMEM;
	for (i = 0; i < graph->num_nodes; i++) {
		const struct loom_ort_node *node = &graph->nodes[i];

		for (k = 0; k < node->num_inputs; k++) {
			uint32_t value = node->inputs[k], from;

			from = value == LOOM_ORT_NONE ? value : graph->values[value].producer;
			if (from != LOOM_ORT_NONE)
				claim->edges[claim->num_edges++] =
					(struct loom_partition_edge){ from, i };
		}
	}
	return 0;
}

/* Whether an option names an axis as INPUT:AXIS, with decimal digits only. */
static bool names_axis(const char *name, const struct loom_ort_port *port, uint32_t axis)
{
	size_t length = strlen(port->name);
	char number[12];

	snprintf(number, sizeof(number), "%u", axis);
	return !strncmp(name, port->name, length) && name[length] == ':' &&
	       !strcmp(name + length + 1, number);
}

/* The trial size of an open dimension. */
static int64_t trial_size(const struct loom_ort_options *options, const struct loom_ort_port *port,
			  uint32_t axis, int64_t other)
{
	uint32_t i;

	for (i = 0; i < options->num_sizes; i++) {
		const char *name = options->sizes[i].name;

		if (!strcmp(name, port->dim_names[axis]) || names_axis(name, port, axis))
			return options->sizes[i].value;
	}
	/* the first axis is the batch: one item */
	return axis ? other : 1;
}

static int64_t *trial_dims(const struct loom_ort_options *options,
			   const struct loom_ort_model *model, int64_t other)
{
	int64_t *dims = calloc((size_t)loom_ort_plan_dims(model) + 1, sizeof(*dims));
	uint32_t i, axis, k = 0;

	for (i = 0; dims && i < model->num_inputs; i++) {
		const struct loom_ort_port *port = &model->inputs[i];

		for (axis = 0; axis < port->rank; axis++)
			dims[k++] = port->dims[axis] >= 0 ? port->dims[axis] :
							    trial_size(options, port, axis, other);
	}
	return dims;
}

/* Imports a model and plans it with the least effort. */
static int try_size(struct claim *claim, const struct loom_ort_model *model, int64_t other,
		    struct loom_error *err)
{
	const struct loom_ort_options *options = &claim->ep->options;
	const struct loom_planner_options how = {
		.chip = &claim->ep->chip,
		.grouping = LOOM_GROUPING_NONE,
		.objective = LOOM_OBJECTIVE_BYTES,
		.sram_limit_bytes = options->sram_bytes,
		.flags = LOOM_PLANNER_GIVEN_ORDER,
	};
	int64_t *dims = trial_dims(options, model, other);
	struct loom_program *program = NULL;
	struct loom_graph *graph = NULL;
	int ret = -ENOMEM;

	if (dims)
		ret = loom_ort_import(options, model, dims, &graph, err);
	if (!ret)
		ret = loom_program_create(graph, &how, &program, err);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	free(dims);
	return ret;
}

/**
 * try_part() - whether the chosen nodes can run together
 * @claim: the nodes, in @chosen
 * @limit: nodes from this number on are ignored
 * @size: [in, out] index in trial_sizes; -1: all of them, until one works
 * @works: [out] whether the nodes can run
 * @err: [out] the reason if not
 *
 * Return: NULL or an error.
 */
static OrtStatus *try_part(struct claim *claim, uint32_t limit, int *size, bool *works,
			   struct loom_error *err)
{
	const int sizes = sizeof(trial_sizes) / sizeof(*trial_sizes);
	struct loom_ort_model model;
	OrtStatus *status = loom_ort_model_make(claim->graph, claim->chosen, limit, &model);
	int first = *size < 0 ? 0 : *size, last = *size < 0 ? sizes - 1 : *size, i;

	*works = false;
	/* nodes that cannot be written as ONNX stay unclaimed, like all that Loom cannot run */
	if (status && loom_ort.api->GetErrorCode(status) != ORT_EP_FAIL) {
		loom_error_set(err, -EOPNOTSUPP, "%s", loom_ort.api->GetErrorMessage(status));
		loom_ort.api->ReleaseStatus(status);
		loom_ort_model_clear(&model);
		return NULL;
	}
	if (!model.is_open)
		last = first;
	for (i = first; i <= last && !status && !*works; i++) {
		struct loom_error why = { .text = "out of memory" };

		*works = !try_size(claim, &model, trial_sizes[i], &why);
		if (*works)
			*size = i;
		/* the error of the first size is reported */
		else if (i == first)
			*err = why;
	}
	loom_ort_model_clear(&model);
	return status;
}

/* Finds, by bisection, the first node without which the nodes before it can run. */
static OrtStatus *find_culprit(struct claim *claim, uint32_t first, uint32_t *culprit,
			       struct loom_error *err)
{
	uint32_t low = first, high = claim->graph->num_nodes;
	struct loom_error why;

	/* invariant: nodes below low can run, nodes below high cannot */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		bool works;
		int size = -1;

		ORT_TRY(try_part(claim, middle, &size, &works, &why));
		if (works) {
			low = middle;
		} else {
			high = middle;
			*err = why;
		}
	}
	*culprit = low;
	return NULL;
}

/* Tries a part; @changed: [out] a node was excluded. */
static OrtStatus *validate_part(struct claim *claim, uint32_t part, bool *changed)
{
	const struct loom_ort_graph *graph = claim->graph;
	uint32_t first = LOOM_ORT_NONE, culprit, i;
	struct loom_error err = { .text = "" };
	uint64_t hash = 0xcbf29ce484222325;
	int size = -1;
	bool works;

	for (i = 0; i < graph->num_nodes; i++) {
		claim->chosen[i] = claim->parts[i] == part;
		if (!claim->chosen[i])
			continue;
		if (first == LOOM_ORT_NONE)
			first = i;
		hash = (hash ^ i) * 0x100000001b3;
	}
	if (claim->good[first] == hash)
		return NULL;
	ORT_TRY(try_part(claim, graph->num_nodes, &size, &works, &err));
	if (works) {
		claim->good[first] = hash;
		return NULL;
	}
	ORT_TRY(find_culprit(claim, first, &culprit, &err));
	/* guarantees progress even if a repeated trial has another result */
	if (!claim->chosen[culprit])
		culprit = first;
	loom_ort_log(claim->ep->logger, ORT_LOGGING_LEVEL_INFO,
		     "Loom: node \"%s\" (%s) stays: %s", graph->nodes[culprit].name,
		     graph->nodes[culprit].op, err.text);
	claim->wanted[culprit] = false;
	*changed = true;
	return NULL;
}

static OrtStatus *validate_parts(struct claim *claim)
{
	const struct loom_ort_graph *graph = claim->graph;
	bool changed = true;
	uint32_t i;

	while (changed) {
		changed = false;
		if (loom_partition(graph->num_nodes, claim->edges, claim->num_edges,
				   claim->wanted, claim->parts, &claim->num_parts))
			return loom_ort_no_memory();
		for (i = 0; i < claim->num_parts; i++)
			ORT_TRY(validate_part(claim, i, &changed));
	}
	return NULL;
}

OrtStatus *loom_ort_claim(struct loom_ort_ep *ep, const struct loom_ort_graph *graph,
			  uint32_t *parts, uint32_t *num_parts)
{
	size_t count = (size_t)graph->num_nodes + 1;
	struct claim claim = {
		.ep = ep,
		.graph = graph,
		.wanted = calloc(count, sizeof(bool)),
		.good = calloc(count, sizeof(uint64_t)),
		.chosen = calloc(count, sizeof(bool)),
		.parts = parts,
	};
	OrtStatus *status = NULL;
	uint32_t i, claimed = 0;

	if (!claim.wanted || !claim.good || !claim.chosen || find_edges(&claim))
		status = loom_ort_no_memory();
	for (i = 0; i < graph->num_nodes && !status; i++) {
		claim.wanted[i] = may_be(&claim, &graph->nodes[i]);
		if (!claim.wanted[i])
			loom_ort_log(ep->logger, ORT_LOGGING_LEVEL_INFO,
				     "Loom: node \"%s\" stays: operator %s, or a type of its values, is not supported",
				     graph->nodes[i].name, graph->nodes[i].op);
	}
	if (!status)
		status = validate_parts(&claim);
	for (i = 0; i < graph->num_nodes && !status; i++)
		claimed += claim.wanted[i];
	if (!status)
		loom_ort_log(ep->logger, ORT_LOGGING_LEVEL_INFO,
			     "Loom: %u of %u nodes in %u parts", claimed, graph->num_nodes,
			     claim.num_parts);
	*num_parts = claim.num_parts;
	free(claim.edges);
	free(claim.wanted);
	free(claim.good);
	free(claim.chosen);
	return status;
}
