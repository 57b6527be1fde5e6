/* SPDX-License-Identifier: MIT */
/*
 * The source form of a graph, as built or read, with names checked only. Inputs may have open
 * dimensions; nodes have ONNX operators and attributes.
 */
#ifndef LOOM_ONNX_SOURCE_H
#define LOOM_ONNX_SOURCE_H

#include "base/names.h"
#include "graph/graph.h"

/** a dimension that the model leaves open */
#define LOOM_DIM_OPEN	(-1)

/**
 * struct loom_source_input - an input as declared
 * @name: its name
 * @dtype: enum drm_loom_dtype
 * @has_shape: the model specifies its shape, at least in part
 * @rank: number of dimensions
 * @dims: sizes, or LOOM_DIM_OPEN
 * @dim_names: names of open dimensions, NULL if there is none
 */
struct loom_source_input {
	const char *name;
	uint32_t dtype;
	bool has_shape;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	const char *dim_names[LOOM_GRAPH_RANK];
};

/** enum loom_source_mark - state of a node in the depth-first search */
enum loom_source_mark {
	LOOM_SOURCE_NEW,
	LOOM_SOURCE_OPEN,
	LOOM_SOURCE_DONE,
};

/**
 * struct loom_source_branch - one of the two graphs of a node If
 *
 * Its nodes are among all others, with unique names, and the node If has the results of both
 * branches as operands. If the condition is known at conversion, those of the other branch are
 * omitted.
 *
 * @condition: name of the deciding tensor
 * @when: its value for this branch
 * @outer: the branch of the node If, or NULL
 */
struct loom_source_branch {
	const char *condition;
	bool when;
	const struct loom_source_branch *outer;
};

/**
 * struct loom_source_body - the body of a node Loop or Scan
 *
 * Its nodes have unique names, and are converted to new ones in each round, see convert.c. Outer
 * values that they read are additional operands of the node.
 *
 * @nodes: in the order of the file, with those of branches in it
 * @num_nodes: number of @nodes
 * @cap_nodes: capacity of @nodes
 * @inputs: names of its inputs
 * @num_inputs: number of @inputs
 * @outputs: names of its results
 * @num_outputs: number of @outputs
 * @num_operands: number of operands of the node in the file
 * @names: of its inputs and values, to detect duplicates
 */
struct loom_source_body {
	struct loom_source_node **nodes;
	uint32_t num_nodes;
	uint32_t cap_nodes;
	const char **inputs;
	uint32_t num_inputs;
	const char **outputs;
	uint32_t num_outputs;
	uint32_t num_operands;
	struct loom_names names;
};

/**
 * struct loom_source_node - a node of the source form
 * @desc: operator, operands, results and attributes, all in the pool; the name is never NULL
 * @branch: its branch, or NULL
 * @body: its body, or NULL
 * @index: its place in the file
 * @native: its native kernel, or NULL
 * @run: the nodes that the kernel fuses, if there are several, up to this one
 * @mark: state of loom_source_order()
 * @product: its product, which an earlier node computed with its own; NULL: none did
 */
struct loom_source_node {
	struct loom_node_desc desc;
	const struct loom_source_branch *branch;
	const struct loom_source_body *body;
	uint32_t index;
	const struct loom_native_kernel *native;
	const struct loom_node_desc **run;
	enum loom_source_mark mark;
	struct loom_value *product;
};

/**
 * struct loom_source - the source form
 * @inputs: declared inputs, without those that have an initialiser
 * @num_inputs: number of @inputs
 * @cap_inputs: capacity of @inputs
 * @nodes: nodes in the file's order, topological after loom_source_order()
 * @num_nodes: number of @nodes
 * @cap_nodes: capacity of @nodes
 * @outputs: names of the outputs
 * @num_outputs: number of @outputs
 * @cap_outputs: capacity of @outputs
 * @branch: branch of nodes added from now on, or NULL
 * @num_branches: number of branches and bodies so far
 * @body: body of nodes added from now on, or NULL
 * @repeats: body of the next node added, or NULL
 * @written: number of nodes of bodies that were converted
 * @declared: input name to struct loom_source_input
 * @producers: tensor name to struct loom_source_node
 * @values: tensor name to struct loom_value, for constants, inputs and what was converted
 */
struct loom_source {
	struct loom_source_input **inputs;
	uint32_t num_inputs;
	uint32_t cap_inputs;
	struct loom_source_node **nodes;
	uint32_t num_nodes;
	uint32_t cap_nodes;
	const char **outputs;
	uint32_t num_outputs;
	uint32_t cap_outputs;
	const struct loom_source_branch *branch;
	uint32_t num_branches;
	struct loom_source_body *body;
	const struct loom_source_body *repeats;
	uint32_t written;
	struct loom_names declared;
	struct loom_names producers;
	struct loom_names values;
};

/** loom_source_set_opset() - the version of the operators; 0, or the error of one not supported */
int loom_source_set_opset(struct loom_graph *graph, int opset);

/** loom_graph_add_open_input() - declares an input that may have open dimensions */
int loom_graph_add_open_input(struct loom_graph *graph, const struct loom_source_input *input);

/**
 * loom_source_name_in_body() - define an input or a value of a body
 * @graph: being read
 * @body: the body
 * @name: of the tensor, in the source form; in the pool
 *
 * Return: 0, -EINVAL if the name is in use, -ENOMEM.
 */
int loom_source_name_in_body(struct loom_graph *graph, struct loom_source_body *body,
			     const char *name);

/** loom_source_set_bits() - the constant has elements of fewer bits in the model */
void loom_source_set_bits(struct loom_graph *graph, const char *name, uint32_t bits);
/** loom_source_take_natives() - finds the nodes of native kernels, and fuses runs of nodes */
int loom_source_take_natives(struct loom_graph *graph, const struct loom_graph_options *options);
/** loom_source_check() - refuses operators and attributes that are not in the table */
int loom_source_check(struct loom_graph *graph);
/** loom_source_order() - sorts the source nodes topologically */
int loom_source_order(struct loom_graph *graph);
/** loom_source_bind() - gives every input a static shape */
int loom_source_bind(struct loom_graph *graph, const struct loom_graph_options *options);
/** loom_source_bind_value() - makes an input a constant, if &loom_graph_options.values has it */
int loom_source_bind_value(struct loom_graph *graph, const struct loom_graph_options *options,
			   struct loom_value *value);
/** loom_source_convert() - converts source nodes to canonical ones, and folds constants */
int loom_source_convert(struct loom_graph *graph, const struct loom_graph_options *options);
/** loom_source_name_outputs() - makes the outputs, also requested ones, outputs of the graph */
int loom_source_name_outputs(struct loom_graph *graph, const struct loom_graph_options *options);

#endif /* LOOM_ONNX_SOURCE_H */
