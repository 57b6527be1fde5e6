/* SPDX-License-Identifier: MIT */
/* Small models built by hand, with the public calls of loom.h: a line per tensor and per node. */
#ifndef LOOM_TEST_MODEL_H
#define LOOM_TEST_MODEL_H

#include "loom.h"
#include "loom_core.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static inline struct loom_graph *model_create(int opset)
{
	struct loom_graph *graph;

	if (loom_graph_create("test", opset, &graph))
		tap_fatal("no memory");
	return graph;
}

static inline void model_add_input(struct loom_graph *graph, const char *name, uint32_t rank,
				   const int64_t *dims)
{
	struct loom_tensor_info info = { .name = name, .dtype = DRM_LOOM_DTYPE_F32, .rank = rank };

	memcpy(info.dims, dims, rank * sizeof(dims[0]));
	loom_graph_add_input(graph, &info);
}

static inline void model_add_floats(struct loom_graph *graph, const char *name, uint32_t rank,
				    const int64_t *dims, float *floats)
{
	struct loom_array array = {
		.name = (char *)name, .dtype = DRM_LOOM_DTYPE_F32, .rank = rank, .data = floats,
		.size_bytes = sizeof(float),
	};
	uint32_t i;

	for (i = 0; i < rank; i++) {
		array.dims[i] = dims[i];
		array.size_bytes *= (size_t)dims[i];
	}
	loom_graph_add_const(graph, &array);
}

static inline void model_add_ints(struct loom_graph *graph, const char *name, int64_t count,
				  int64_t *ints)
{
	struct loom_array array = {
		.name = (char *)name, .dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { count },
		.data = ints, .size_bytes = (size_t)count * sizeof(*ints),
	};

	loom_graph_add_const(graph, &array);
}

/* @inputs: names of the operands with blanks between them, - for one that is left out */
static inline void model_add_node(struct loom_graph *graph, const char *op_type,
				  const char *inputs, const char *output,
				  const struct loom_attr *attrs, uint32_t num_attrs)
{
	const char *names[12], *results[4];
	char text[1024], *rest = text, *name, of[256], *others = of;
	struct loom_node_desc desc = {
		.name = op_type, .op_type = op_type, .inputs = names, .outputs = results,
		.attrs = attrs, .num_attrs = num_attrs,
	};

	snprintf(text, sizeof(text), "%s", inputs);
	while ((name = strsep(&rest, " ")) && desc.num_inputs < ARRAY_SIZE(names))
		names[desc.num_inputs++] = strcmp(name, "-") ? name : "";
	snprintf(of, sizeof(of), "%s", output);
	while ((name = strsep(&others, " ")) && desc.num_outputs < ARRAY_SIZE(results))
		results[desc.num_outputs++] = strcmp(name, "-") ? name : "";
	loom_graph_add_node(graph, &desc);
}

static inline int model_finish(struct loom_graph *graph, uint32_t flags, struct loom_error *err)
{
	struct loom_graph_options options = { .flags = flags };

	memset(err, 0, sizeof(*err));
	return loom_graph_finish(graph, &options, err);
}

#endif /* LOOM_TEST_MODEL_H */
