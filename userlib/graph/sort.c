// SPDX-License-Identifier: MIT
#include "sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether operand @a of a node is computed before @b, which precedes it in the list. */
static bool goes_first(const struct loom_sort *sort, enum loom_graph_sort how, uint32_t a,
		       uint32_t b)
{
	return how == LOOM_SORT_LAST || how == LOOM_SORT_LAST_LATE ||
	       sort->height[a] < sort->height[b];
}

/* Sorts the operands of a node and computes its height. Producers must have theirs already. */
static void add_operands(struct loom_sort *sort, enum loom_graph_sort how, uint32_t index,
			 const uint32_t *node_of)
{
	const struct loom_node *node = sort->graph->nodes[index];
	uint32_t *list = &sort->operands[sort->begin[index]], count = 0, i, k;

	for (i = 0; i < node->num_inputs; i++) {
		uint32_t from;

		sort->varies[index] |= node->inputs[i] && node->inputs[i]->is_input;
		if (!node->inputs[i] || !node->inputs[i]->producer)
			continue;
		from = node_of[node->inputs[i]->id];
		sort->varies[index] |= sort->varies[from];
		for (k = 0; k < count && list[k] != from; k++)
			;
		if (k < count)
			continue;
		if (sort->height[from] + 1 > sort->height[index])
			sort->height[index] = sort->height[from] + 1;
		list[count++] = from;
	}
	/* lists are short, except for concatenations: a stable insertion sort */
	for (i = 1; i < count; i++) {
		uint32_t from = list[i];

		for (k = i; k && goes_first(sort, how, from, list[k - 1]); k--)
			list[k] = list[k - 1];
		list[k] = from;
	}
	sort->begin[index + 1] = sort->begin[index] + count;
}

/* Appends a node to the order, after its operands that are not in it yet. */
static void put(struct loom_sort *sort, uint32_t root)
{
	uint32_t depth = 1;

	if (sort->done[root])
		return;
	sort->done[root] = true;
	sort->stack[0] = root;
	while (depth) {
		uint32_t node = sort->stack[depth - 1], operand;

		if (sort->begin[node] + sort->next[node] == sort->begin[node + 1]) {
			sort->order[sort->count++] = node;
			depth--;
			continue;
		}
		operand = sort->operands[sort->begin[node] + sort->next[node]++];
		if (sort->done[operand])
			continue;
		sort->done[operand] = true;
		sort->stack[depth++] = operand;
	}
}

static void forget(struct loom_sort *sort)
{
	uint32_t num_nodes = sort->graph->num_nodes;

	memset(sort->done, 0, num_nodes * sizeof(*sort->done));
	memset(sort->next, 0, num_nodes * sizeof(*sort->next));
	sort->count = 0;
}

/* Whether a node waits until its result is read. */
static bool waits(const struct loom_sort *sort, enum loom_graph_sort how, uint32_t index)
{
	const struct loom_node *node = sort->graph->nodes[index];
	size_t bytes = 0;
	uint32_t i;

	if (!sort->varies[index])
		return node->output->num_uses;
	if (how == LOOM_SORT_LOW || how == LOOM_SORT_LAST)
		return false;
	for (i = 0; i < node->num_inputs; i++)
		if (node->inputs[i] && node->inputs[i]->producer)
			bytes += node->inputs[i]->size_bytes;
	return node->output->num_uses && node->output->size_bytes > bytes;
}

/* Reorders nodes that wait: they move directly before their first reader. */
static int make_late(struct loom_sort *sort, enum loom_graph_sort how)
{
	uint32_t num_nodes = sort->graph->num_nodes, i;
	uint32_t *was = malloc(((size_t)num_nodes + 1) * sizeof(*was));

	if (!was)
		return -ENOMEM;
	memcpy(was, sort->order, num_nodes * sizeof(*was));
	forget(sort);
	for (i = 0; i < num_nodes; i++)
		if (!waits(sort, how, was[i]))
			put(sort, was[i]);
	free(was);
	return 0;
}

static int order_nodes(struct loom_sort *sort, enum loom_graph_sort how, uint32_t *node_of)
{
	const struct loom_graph *graph = sort->graph;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < graph->num_nodes; i++)
		node_of[graph->nodes[i]->output->id] = i;
	for (i = 0; i < graph->num_nodes; i++)
		add_operands(sort, how, i, node_of);
	for (i = 0; i < graph->num_outputs; i++)
		put(sort, node_of[graph->outputs[i]->id]);
	if (how == LOOM_SORT_GREEDY_LATE)
		ret = loom_sort_greedy(sort);
	if (!ret)
		ret = make_late(sort, how);
	return ret;
}

int loom_graph_sort(const struct loom_graph *graph, enum loom_graph_sort how,
		    struct loom_node **nodes)
{
	struct loom_sort sort = { .graph = graph };
	size_t n = (size_t)graph->num_nodes + 1, num_operands = 1;
	uint32_t *node_of = calloc((size_t)graph->num_values + 1, sizeof(*node_of));
	int ret = -ENOMEM;
	uint32_t i;

	for (i = 0; i < graph->num_nodes; i++)
		num_operands += graph->nodes[i]->num_inputs;
	sort.begin = calloc(n, sizeof(*sort.begin));
	sort.operands = calloc(num_operands, sizeof(*sort.operands));
	sort.height = calloc(n, sizeof(*sort.height));
	sort.varies = calloc(n, sizeof(*sort.varies));
	sort.order = calloc(n, sizeof(*sort.order));
	sort.done = calloc(n, sizeof(*sort.done));
	sort.stack = calloc(n, sizeof(*sort.stack));
	sort.next = calloc(n, sizeof(*sort.next));
	if (node_of && sort.begin && sort.operands && sort.height && sort.varies && sort.order &&
	    sort.done && sort.stack && sort.next)
		ret = order_nodes(&sort, how, node_of);
	for (i = 0; i < graph->num_nodes && !ret; i++)
		nodes[i] = graph->nodes[sort.order[i]];
	free(node_of);
	free(sort.begin);
	free(sort.operands);
	free(sort.height);
	free(sort.varies);
	free(sort.order);
	free(sort.done);
	free(sort.stack);
	free(sort.next);
	return ret;
}
