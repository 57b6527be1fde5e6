// SPDX-License-Identifier: MIT
/*
 * Numbering of values by the structure of the graph, independent of the order in the model file:
 * the planner breaks ties between values by the lower number.
 */
#include "pass.h"
#include "sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct numbers - values in their new order
 * @values: the values
 * @count: number of @values
 * @given: by old number: it has a new one
 */
struct numbers {
	struct loom_value **values;
	uint32_t count;
	bool *given;
};

static void give(struct numbers *numbers, struct loom_value *value)
{
	if (!value || numbers->given[value->id])
		return;
	numbers->given[value->id] = true;
	numbers->values[numbers->count++] = value;
}

static void give_all(struct loom_graph *graph, struct loom_node *const *nodes,
		     struct numbers *numbers)
{
	uint32_t i, k;

	for (i = 0; i < graph->num_inputs; i++)
		give(numbers, graph->inputs[i]);
	for (i = 0; i < graph->num_nodes; i++) {
		for (k = 0; k < nodes[i]->num_inputs; k++)
			give(numbers, nodes[i]->inputs[k]);
		give(numbers, nodes[i]->output);
	}
	/* values that are not used any more */
	for (i = 0; i < graph->num_values; i++)
		give(numbers, graph->values[i]);
	for (i = 0; i < graph->num_values; i++) {
		graph->values[i] = numbers->values[i];
		graph->values[i]->id = i;
	}
}

int loom_graph_number(struct loom_graph *graph)
{
	struct loom_node **nodes = calloc((size_t)graph->num_nodes + 1, sizeof(*nodes));
	struct numbers numbers = { .count = 0 };
	int ret = -ENOMEM;

	numbers.values = calloc((size_t)graph->num_values + 1, sizeof(*numbers.values));
	numbers.given = calloc((size_t)graph->num_values + 1, sizeof(*numbers.given));
	if (nodes && numbers.values && numbers.given)
		ret = loom_graph_sort(graph, LOOM_SORT_LOW, nodes);
	if (!ret)
		give_all(graph, nodes, &numbers);
	free(nodes);
	free(numbers.values);
	free(numbers.given);
	return ret ? loom_graph_fail(graph, ret, "out of memory") : 0;
}
