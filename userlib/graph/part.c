// SPDX-License-Identifier: MIT
#include "part.h"

#include "pass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct parting - a part under construction
 * @graph: the whole
 * @part: the part
 * @twin: by id in @graph: the value in @part, or NULL
 * @inside: by id in @graph: a node of the part computes it
 * @outside: by id in @graph: a node outside of the part reads it
 */
struct parting {
	const struct loom_graph *graph;
	struct loom_graph *part;
	struct loom_value **twin;
	bool *inside;
	bool *outside;
};

static int add_value(struct parting *p, const struct loom_value *value)
{
	if (!value || p->twin[value->id])
		return 0;
	p->twin[value->id] = loom_value_copy(p->part, value);
	return p->twin[value->id] ? 0 : -ENOMEM;
}

static int add_node(struct parting *p, const struct loom_node *node)
{
	uint32_t i;
	int ret = add_value(p, node->output);

	for (i = 0; i < node->num_inputs && !ret; i++)
		ret = add_value(p, node->inputs[i]);
	return ret ? ret : loom_graph_append_copy(p->part, node, p->twin);
}

static void add_input(struct parting *p, const struct loom_value *value)
{
	struct loom_value *twin = p->twin[value->id];

	if (!twin || value->data || p->inside[value->id])
		return;
	twin->is_input = true;
	p->part->inputs[p->part->num_inputs++] = twin;
}

static void add_output(struct parting *p, const struct loom_value *value)
{
	struct loom_value *twin = p->twin[value->id];

	if (!p->inside[value->id] || twin->is_output)
		return;
	twin->is_output = true;
	p->part->outputs[p->part->num_outputs++] = twin;
}

static int add_ends(struct parting *p, struct loom_node *const *nodes)
{
	const struct loom_graph *graph = p->graph;
	size_t most = (size_t)graph->num_inputs + graph->num_outputs + graph->num_nodes;
	uint32_t i;

	p->part->inputs = loom_pool_array(p->part->pool, most, sizeof(*p->part->inputs));
	p->part->outputs = loom_pool_array(p->part->pool, most, sizeof(*p->part->outputs));
	if (!p->part->inputs || !p->part->outputs)
		return -ENOMEM;
	for (i = 0; i < graph->num_inputs; i++)
		add_input(p, graph->inputs[i]);
	for (i = 0; i < graph->num_nodes; i++)
		add_input(p, nodes[i]->output);
	for (i = 0; i < graph->num_outputs; i++)
		add_output(p, graph->outputs[i]);
	for (i = 0; i < graph->num_nodes; i++)
		if (p->outside[nodes[i]->output->id])
			add_output(p, nodes[i]->output);
	return 0;
}

static int fill(struct parting *p, struct loom_node *const *nodes, uint32_t first, uint32_t count)
{
	uint32_t i, k;
	int ret = 0;

	for (i = 0; i < p->graph->num_nodes; i++) {
		if (i >= first && i - first < count) {
			p->inside[nodes[i]->output->id] = true;
			continue;
		}
		for (k = 0; k < nodes[i]->num_inputs; k++)
			if (nodes[i]->inputs[k])
				p->outside[nodes[i]->inputs[k]->id] = true;
	}
	for (i = 0; i < count && !ret; i++)
		ret = add_node(p, nodes[first + i]);
	if (!ret)
		ret = add_ends(p, nodes);
	if (!ret)
		ret = loom_graph_prune(p->part);
	return ret ? ret : loom_graph_number(p->part);
}

int loom_graph_part(const struct loom_graph *graph, struct loom_node *const *nodes, uint32_t first,
		    uint32_t count, struct loom_graph **part)
{
	size_t n = (size_t)graph->num_values + 1;
	struct parting p = { .graph = graph };
	int ret = loom_graph_alloc(graph->name, &p.part);

	*part = NULL;
	if (ret)
		return ret;
	p.part->opset = graph->opset;
	p.part->natives = graph->natives;
	p.twin = calloc(n, sizeof(*p.twin));
	p.inside = calloc(n, sizeof(*p.inside));
	p.outside = calloc(n, sizeof(*p.outside));
	ret = p.twin && p.inside && p.outside ? fill(&p, nodes, first, count) : -ENOMEM;
	free(p.twin);
	free(p.inside);
	free(p.outside);
	if (ret)
		loom_graph_destroy(p.part);
	else
		*part = p.part;
	return ret;
}

int loom_graph_crossing(const struct loom_graph *graph, struct loom_node *const *nodes,
			uint64_t *bytes)
{
	uint32_t *last = calloc((size_t)graph->num_values + 1, sizeof(*last)), i, k;

	if (!last)
		return -ENOMEM;
	/* bytes that begin and end at each cut, then their prefix sums */
	memset(bytes, 0, ((size_t)graph->num_nodes + 1) * sizeof(*bytes));
	for (i = 0; i < graph->num_nodes; i++)
		for (k = 0; k < nodes[i]->num_inputs; k++)
			if (nodes[i]->inputs[k])
				last[nodes[i]->inputs[k]->id] = i;
	for (i = 0; i < graph->num_nodes; i++) {
		const struct loom_value *value = nodes[i]->output;

		if (last[value->id] <= i)
			continue;
		bytes[i + 1] += value->size_bytes;
		/* unsigned: subtracted bytes were added before */
		bytes[last[value->id] + 1] -= value->size_bytes;
	}
	for (i = 0; i < graph->num_nodes; i++)
		bytes[i + 1] += bytes[i];
	free(last);
	return 0;
}
