/* SPDX-License-Identifier: MIT */
/*
 * DOC: The source form of a graph
 *
 * What the builder's calls or the ONNX parser said, checked for nothing but names: inputs with
 * open dimensions, and nodes with ONNX operators. Finishing a graph takes these passes, each a
 * function over the structs here and in graph.h:
 *
 *	loom_source_order()	source nodes in topological order
 *	loom_source_check()	no operator that is not in the table; before anything is asked for
 *	loom_source_bind()	every input gets a static shape
 *	loom_graph_convert()	source nodes become canonical ones, constants fold as they appear
 *	loom_graph_name_outputs()	outputs, the extra ones too, get a node of their own
 *	loom_graph_simplify()	what exporters took apart is put together again
 *	loom_graph_fold_affine()	mul and add of constants go into the Conv before them
 *	loom_graph_fuse()	activations go into the node before them
 *	loom_graph_prune()	what no output needs goes away
 */
#ifndef LOOM_SOURCE_H
#define LOOM_SOURCE_H

#include "graph/graph.h"
#include "base/pool.h"

/** a dimension that the model leaves open */
#define LOOM_DIM_OPEN	(-1)

/**
 * struct loom_source_input - an input as declared
 * @name: its name
 * @dtype: enum loom_dtype
 * @has_shape: the model says something about its shape
 * @rank: number of dimensions
 * @dims: sizes, or LOOM_DIM_OPEN
 * @dim_names: names of open dimensions, NULL where there is none
 */
struct loom_source_input {
	const char *name;
	uint32_t dtype;
	bool has_shape;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	const char *dim_names[LOOM_GRAPH_RANK];
};

/** enum loom_source_mark - where the depth-first search stands with a node */
enum loom_source_mark {
	LOOM_SOURCE_NEW,
	LOOM_SOURCE_OPEN,
	LOOM_SOURCE_DONE,
};

/**
 * struct loom_source_node - a node as it came
 * @desc: operator, operands, results and attributes, all in the pool; the name is never NULL
 * @index: its place in the file
 * @mark: state of loom_source_order()
 */
struct loom_source_node {
	struct loom_node_desc desc;
	uint32_t index;
	enum loom_source_mark mark;
};

/**
 * struct loom_source - the source form
 * @inputs: declared inputs, without those that have an initialiser
 * @num_inputs: number of @inputs
 * @cap_inputs: room in @inputs
 * @nodes: nodes in the file's order, topological after loom_source_order()
 * @num_nodes: number of @nodes
 * @cap_nodes: room in @nodes
 * @outputs: names of the outputs
 * @num_outputs: number of @outputs
 * @cap_outputs: room in @outputs
 * @declared: input name to struct loom_source_input
 * @producers: tensor name to struct loom_source_node
 * @values: tensor name to struct loom_value, for constants, inputs and what was converted
 * @finished: loom_graph_finish() ran
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
	struct loom_names declared;
	struct loom_names producers;
	struct loom_names values;
	bool finished;
};

/**
 * loom_graph_fail() - records the first error of a graph
 * @graph: where
 * @code: negative errno
 * @format: what is wrong; the graph's name goes in front of it
 *
 * Return: @code, or that of an earlier error.
 */
int loom_graph_fail(struct loom_graph *graph, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** loom_graph_add_open_input() - declares an input that may have open dimensions */
int loom_graph_add_open_input(struct loom_graph *graph, const struct loom_source_input *input);

int loom_source_order(struct loom_graph *graph);
int loom_source_check(struct loom_graph *graph);
int loom_source_bind(struct loom_graph *graph, const struct loom_graph_options *options);
int loom_graph_convert(struct loom_graph *graph, const struct loom_graph_options *options);
int loom_graph_name_outputs(struct loom_graph *graph, const struct loom_graph_options *options);
int loom_graph_simplify(struct loom_graph *graph);
int loom_graph_fold_affine(struct loom_graph *graph);
int loom_graph_fuse(struct loom_graph *graph);
int loom_graph_prune(struct loom_graph *graph);

/** loom_source_bind_value() - makes an input a constant, if its value was given */
int loom_source_bind_value(struct loom_graph *graph, const struct loom_graph_options *options,
			   struct loom_value *value);
/** loom_graph_append() - adds @node at the end of the canonical nodes; 0 or -ENOMEM */
int loom_graph_append(struct loom_graph *graph, struct loom_node *node);
/** loom_graph_count_uses() - sets &loom_value.num_uses and producers from scratch */
void loom_graph_count_uses(struct loom_graph *graph);

/**
 * loom_graph_users() - by value id, the last node that uses it: the one, where num_uses is 1
 * @graph: the graph
 *
 * Return: an array in the pool, NULL without memory.
 */
struct loom_node **loom_graph_users(const struct loom_graph *graph);

#endif /* LOOM_SOURCE_H */
