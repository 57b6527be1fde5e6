/* SPDX-License-Identifier: MIT */
/*
 * DOC: The graph
 *
 * The planner's input: values with static shapes, and nodes of the two dozen operators of enum
 * loom_gop, in topological order, with everything explicit: no automatic padding, no negative axes,
 * no omitted attributes, no dependence on the format or version of the model file. This is the
 * *canonical* form. A front end makes it from the *source* form, named nodes as in the file, with
 * the calls of emit.h; this folder is independent of the origin of a graph.
 *
 * Invariants of a finished graph:
 *
 * - nodes[] is in topological order, and in the file's order wherever that is one;
 * - every value has a dtype, a rank and dimensions >= 0; it is an input (@is_input), a constant
 *   (@data != NULL) or has exactly one @producer;
 * - every graph output has a producer: an output that is an input or a constant of the model is
 *   copied by a RESHAPE node;
 * - nothing is dead: every node's results reach an output;
 * - operands broadcast by numpy's rule where op.h says so, and are never broadcast elsewhere;
 * - @inputs entries of a node are NULL only where the operand lists in attrs.h say "or NULL".
 *
 * Everything a graph owns comes from its pool and lives until loom_graph_destroy().
 *
 * Files, from the lowest; each uses only those above it in this list:
 *
 *	op.h function.h attrs.h node.h	operators, functions, attributes, nodes
 *	value.c		values and the elements of constants
 *	names.c		names of operators and functions, for dumps and messages
 *	graph.c		the graph itself: create, destroy, outputs, errors, what a caller may ask
 *	walk.c		visiting all elements of a shape
 *	fold_math.c fold_move.c fold.c	constant folding: arithmetic, movement, the choice of both
 *	emit.c		making canonical nodes: shapes of results, calls of the folder
 *	prune.c		removes nodes that no output needs, counts uses
 *	simplify.c	pass: reassembles functions that exporters have split
 *	affine.c	pass: folds multiplications and additions into the layer before
 *	fuse.c		pass: fuses activations into the node before
 *	integer.c	pass: layers of floats between bytes become layers of bytes
 *	sort.c sort_greedy.c	other orders of the nodes, none of which is that of the file
 *	number.c	pass: numbers values by such an order
 *	state.c		outputs that are inputs of the next run
 *	part.c		a run of nodes as a graph of its own
 *	info.c		information about its nodes, for callers
 *	dump.c		a graph as text
 *
 * To add an operator: an enum value in op.h with its name in names.c, a struct in attrs.h and its
 * line in node.h if it has attributes, a line in dump.c, a folder in fold.c if shape arithmetic
 * needs it; then lower/ must make commands of it.
 *
 * Rejected: one enum value per ONNX operator. ONNX has several operators for the same arithmetic
 * and changes them by version; the importers (onnx/import_*.c) handle that once, so that neither
 * planner nor device ever sees it. Rejected as well: shape inference as a separate pass. A node
 * gets its shape when it is emitted, so no node without one ever exists.
 */
#ifndef LOOM_GRAPH_H
#define LOOM_GRAPH_H

#include "base/pool.h"
#include "base/watch.h"
#include "loom.h"
#include "node.h"
#include "value.h"

struct loom_source;

/** &loom_graph_state.places of a state that is written whole */
#define LOOM_STATE_WHOLE	UINT32_MAX

/**
 * struct loom_graph_state - an output that is an input of the next run
 *
 * A state that is updated in place has only its new rows among the outputs of the graph.
 *
 * @output: index of the output, or of its new rows
 * @input: index of the input, of the same type and dimensions
 * @name: the output's name
 * @places: index of the output with the places of the rows along @axis, or LOOM_STATE_WHOLE
 * @axis: of rows
 */
struct loom_graph_state {
	uint32_t output;
	uint32_t input;
	const char *name;
	uint32_t places;
	uint32_t axis;
};

/**
 * struct loom_graph_update - a value that is another one with some rows replaced
 * @value: the result
 * @base: the value whose other rows it keeps
 * @rows: the rows, broadcast to the dimensions of @base but for @axis
 * @places: I32 or I64: where each of them is along @axis, once or for each of the first dimensions
 *	of @base. A row whose place is outside is dropped; of two at one place the last counts
 * @axis: of rows, of @base
 */
struct loom_graph_update {
	struct loom_value *value;
	struct loom_value *base;
	struct loom_value *rows;
	struct loom_value *places;
	uint32_t axis;
};

/**
 * struct loom_graph - a graph; see DOC: The graph
 * @name: the file, without its directories
 * @opset: version of the operators in the model file, for messages and dumps
 * @pool: owner of all memory
 * @source: input of the front end (onnx/), until the graph is finished; opaque here, may be NULL
 * @values: all values ever made, by id; removed ones have no producer and no uses
 * @num_values: number of @values
 * @cap_values: capacity of @values
 * @nodes: in topological order
 * @num_nodes: number of @nodes
 * @cap_nodes: capacity of @nodes
 * @inputs: in the model's order, without initialisers and those bound as constants
 * @num_inputs: number of @inputs
 * @outputs: the model's, then the extra ones
 * @num_outputs: number of @outputs
 * @grown_bytes: by how much folded constants are larger than what they were made from, in sum
 * @most_grown_bytes: limit of @grown_bytes
 * @states: outputs that are inputs of the next run, in the order in which they were named
 * @num_states: number of @states
 * @num_hidden: outputs behind all others that are no outputs of the program: places of states
 * @updates: updates of rows that a front end found, until the states are bound
 * @num_updates: number of @updates
 * @cap_updates: capacity of @updates
 * @natives: kernels of its NATIVE nodes, or NULL
 * @status: 0 or the first error
 * @error: text of the first error
 * @finished: loom_graph_finish() was called; undefined for graphs made by the library itself, which
 *	have no @source
 */
struct loom_graph {
	const char *name;
	int opset;
	struct loom_pool *pool;
	struct loom_source *source;
	struct loom_value **values;
	uint32_t num_values;
	uint32_t cap_values;
	struct loom_node **nodes;
	uint32_t num_nodes;
	uint32_t cap_nodes;
	struct loom_value **inputs;
	uint32_t num_inputs;
	struct loom_value **outputs;
	uint32_t num_outputs;
	uint64_t grown_bytes;
	uint64_t most_grown_bytes;
	struct loom_graph_state *states;
	uint32_t num_states;
	uint32_t num_hidden;
	struct loom_graph_update *updates;
	uint32_t num_updates;
	uint32_t cap_updates;
	const struct loom_native_set *natives;
	int status;
	struct loom_error error;
	bool finished;
};

/**
 * loom_graph_alloc() - an empty graph, for a front end to fill
 * @name: name of the model file; its directories are left out
 * @graph: [out] the graph, destroy with loom_graph_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_graph_alloc(const char *name, struct loom_graph **graph);

/** loom_graph_watch() - the watch that options ask for; @graph may be NULL: it is not read yet */
struct loom_watch loom_graph_watch(const struct loom_graph *graph,
				   const struct loom_graph_options *options);

/** loom_graph_unwatch() - loom_watch_end() for a call that returns @ret and has made @graph */
int loom_graph_unwatch(struct loom_watch *watch, int ret, struct loom_graph **graph,
		       struct loom_error *err);

/**
 * loom_graph_fail() - records the first error of a graph
 * @graph: the graph
 * @code: negative errno
 * @format: the error; the graph's name is prefixed
 *
 * Return: @code, or that of an earlier error.
 */
int loom_graph_fail(struct loom_graph *graph, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * loom_graph_check() - check that a caller's graph is valid for most functions
 * @graph: must be finished, without an error, or made by the library
 * @err: [out] one line if it is not, may be NULL
 *
 * Return: 0 or -EINVAL.
 */
int loom_graph_check(const struct loom_graph *graph, struct loom_error *err);

/** loom_graph_append() - adds @node at the end of the nodes; 0 or -ENOMEM */
int loom_graph_append(struct loom_graph *graph, struct loom_node *node);

/**
 * loom_graph_append_copy() - adds a node as another graph has it, at the end of the nodes
 * @graph: the destination
 * @node: of the other graph; its name and attributes are shared
 * @values: by id in the other graph: the corresponding values of @graph
 *
 * Return: 0 or -ENOMEM.
 */
int loom_graph_append_copy(struct loom_graph *graph, const struct loom_node *node,
			   struct loom_value *const *values);

/**
 * loom_graph_add_result() - makes a value the next output of the graph
 * @graph: with room for one more in @outputs
 * @value: the value
 * @name: of the output; kept, not copied
 * @source: &loom_node.source of the copying node
 *
 * An output must be computed by a node and have its own name. Otherwise (@value is an input, a
 * constant, an output already, or has another name), a RESHAPE node copies it.
 *
 * Return: 0 or a negative errno, which is recorded.
 */
int loom_graph_add_result(struct loom_graph *graph, struct loom_value *value, const char *name,
			  uint32_t source);
/**
 * loom_graph_bind_states() - declare outputs to be inputs of the next run
 * @graph: with all its inputs and outputs
 * @states: by name
 * @count: number of @states
 *
 * Return: 0 or a negative errno, which is recorded.
 */
int loom_graph_bind_states(struct loom_graph *graph, const struct loom_state_binding *states,
			   uint32_t count);
/** loom_graph_update_states() - makes the states that can be updated in place, see update.h */
int loom_graph_update_states(struct loom_graph *graph);
/** loom_graph_output_all() - makes every computed value with a name in the model an output */
int loom_graph_output_all(struct loom_graph *graph);

#endif /* LOOM_GRAPH_H */
