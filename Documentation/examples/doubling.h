/* SPDX-License-Identifier: MIT */
/* The plan of two examples: y = x + x, for the chip of the device. */
#ifndef DOUBLING_H
#define DOUBLING_H

#include <loom.h>
#include <loom_device.h>
#include <loom_planner.h>

#define ELEMENTS	1024

struct doubling {
	struct loom_graph *graph;
	struct loom_program *program;
};

/* Its program has two slots, for x and y; all that is in between stays in the SRAM. */
static inline int doubling_create(struct loom_device *device, struct doubling *doubling,
				  struct loom_error *err)
{
	struct loom_planner_options options = {
		.chip = loom_device_chip(device),
	};
	struct loom_tensor_info x = {
		.name = "x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { ELEMENTS },
	};
	const char *const inputs[] = { "x", "x" }, *const outputs[] = { "y" };
	struct loom_node_desc node = {
		.name = "double", .op_type = "Add", .inputs = inputs, .num_inputs = 2,
		.outputs = outputs, .num_outputs = 1,
	};
	int ret = loom_graph_create("doubling", 17, &doubling->graph);

	if (ret)
		return ret;
	loom_graph_add_input(doubling->graph, &x);
	loom_graph_add_node(doubling->graph, &node);
	loom_graph_add_output(doubling->graph, "y");
	ret = loom_graph_finish(doubling->graph, NULL, err);
	if (!ret)
		ret = loom_program_create(doubling->graph, &options, &doubling->program, err);
	return ret;
}

static inline void doubling_destroy(struct doubling *doubling)
{
	loom_program_destroy(doubling->program);
	loom_graph_destroy(doubling->graph);
}

#endif /* DOUBLING_H */
