/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TEST_RUN_NETWORK_H
#define LOOM_TEST_RUN_NETWORK_H

/* Small networks for the tests of sessions and reports: input x, constant c, output y, all f32. */

#include "loom.h"
#include "model.h"
#include "tap.h"

/**
 * struct network_node - a node with one or two operands
 * @op: its operator
 * @a: first operand
 * @b: second operand, or NULL
 * @y: its result
 */
struct network_node {
	const char *op;
	const char *a;
	const char *b;
	const char *y;
};

/* @dims: of x; @c: the constant, a scalar, or NULL for none. Ends the test if it fails. */
static inline struct loom_graph *network_make(uint32_t rank, const int64_t *dims, const float *c,
					      const struct network_node *nodes, uint32_t count)
{
	struct loom_graph *graph = model_create(13);
	struct loom_error err;
	uint32_t i;

	model_add_input(graph, "x", rank, dims);
	if (c)
		model_add_floats(graph, "c", 0, NULL, (float *)c);
	for (i = 0; i < count; i++) {
		const char *const inputs[] = { nodes[i].a, nodes[i].b };
		struct loom_node_desc node = {
			.op_type = nodes[i].op, .inputs = inputs, .outputs = &nodes[i].y,
			.num_inputs = nodes[i].b ? 2 : 1, .num_outputs = 1,
		};

		loom_graph_add_node(graph, &node);
	}
	loom_graph_add_output(graph, "y");
	if (loom_graph_finish(graph, NULL, &err))
		tap_fatal("%s", err.text);
	return graph;
}

#endif /* LOOM_TEST_RUN_NETWORK_H */
