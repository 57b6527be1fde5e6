// SPDX-License-Identifier: MIT
/* The operators of a model, and whether they are supported. */
#include "onnx.h"
#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	const struct loom_operator_info *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int loom_graph_operators(const struct loom_graph *graph, struct loom_operator_info **operators,
			 uint32_t *count)
{
	const struct loom_source *source = graph->source;
	struct loom_operator_info *list;
	uint32_t i, kinds = 0;

	*operators = NULL;
	*count = 0;
	if (!source)
		return -EINVAL;
	list = calloc((size_t)source->num_nodes + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (i = 0; i < source->num_nodes; i++) {
		list[i].name = source->nodes[i]->desc.op_type;
		list[i].nodes = 1;
	}
	qsort(list, source->num_nodes, sizeof(*list), by_name);
	for (i = 0; i < source->num_nodes; i++) {
		if (kinds && !strcmp(list[kinds - 1].name, list[i].name))
			list[kinds - 1].nodes++;
		else
			list[kinds++] = list[i];
	}
	for (i = 0; i < kinds; i++)
		list[i].supported = loom_importer_find(list[i].name);
	*operators = list;
	*count = kinds;
	return 0;
}
