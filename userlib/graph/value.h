/* SPDX-License-Identifier: MIT */
/* Values: tensors of the graph and, for constants, their elements. */
#ifndef LOOM_GRAPH_VALUE_H
#define LOOM_GRAPH_VALUE_H

#include "base/array.h"
#include "base/dtype.h"
#include "loom.h"

struct loom_graph;
struct loom_node;
struct loom_value;

/**
 * struct loom_blocks - what a constant is expanded from: (x - zero) * scale
 * @x: integers, constants as the next two
 * @scale: one for @block elements along @axis
 * @zero: likewise, or NULL
 * @middle: the zero point where @zero is NULL
 * @axis: of the blocks
 * @block: number of elements
 */
struct loom_blocks {
	const struct loom_value *x;
	struct loom_value *scale;
	struct loom_value *zero;
	int64_t middle;
	uint32_t axis;
	int64_t block;
};

/**
 * struct loom_value - a tensor of the graph
 * @name: its name in the model, or one derived from that of the node's first result
 * @made_up: the name is not in the model
 * @id: index in &loom_graph.values
 * @dtype: enum drm_loom_dtype
 * @rank: number of dimensions
 * @dims: the dimensions, outermost first
 * @open_dims: of an input, bit i: the model leaves dimension i open
 * @bits: of a constant that the model has in fewer bits per element: so many, else 0
 * @held: of a constant: the device computes what depends on it, although it is known before a run
 * @num_elems: their product
 * @size_bytes: bytes of the whole tensor
 * @data: the elements of a constant, row-major and not aligned, which may be in a mapped file;
 *	else NULL
 * @quantised: of a constant, the DEQUANTIZE of constants that was folded into it, or NULL
 * @blocks: of a constant of a front end that is expanded from blocks, else NULL. Those of few bits
 *	have no @data before their first reader
 * @producer: the node that computes it, NULL for inputs and constants
 * @is_input: it is in &loom_graph.inputs
 * @is_output: it is in &loom_graph.outputs
 * @num_uses: number of operands that refer to it; the graph's outputs do not count
 * @scope: requested kind of storage
 */
struct loom_value {
	const char *name;
	bool made_up;
	uint32_t id;
	uint32_t dtype;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t open_dims;
	uint32_t bits;
	bool held;
	int64_t num_elems;
	size_t size_bytes;
	void *data;
	const struct loom_node *quantised;
	const struct loom_blocks *blocks;
	struct loom_node *producer;
	bool is_input;
	bool is_output;
	uint32_t num_uses;
	enum loom_scope scope;
};

/** loom_dims_equal() - the same rank and dimensions */
bool loom_dims_equal(const struct loom_value *a, const struct loom_value *b);

/**
 * loom_value_create() - adds a value to @graph
 * @graph: its owner
 * @name: kept, not copied; NULL: given later, see loom_emit_name_values()
 * @dtype: element type
 * @rank: number of dimensions
 * @dims: copied
 *
 * Return: the value, or NULL: no memory, unknown type, or too large.
 */
struct loom_value *loom_value_create(struct loom_graph *graph, const char *name, uint32_t dtype,
				     uint32_t rank, const int64_t *dims);
/** loom_value_copy() - adds a copy of another graph's value, which shares name and elements */
struct loom_value *loom_value_copy(struct loom_graph *graph, const struct loom_value *value);
/** loom_value_alloc() - gives @value zeroed data, makes it a constant; 0 or -ENOMEM */
int loom_value_alloc(struct loom_graph *graph, struct loom_value *value);

/** loom_value_expand() - gives a constant of &loom_value.blocks its data; 0 or -ENOMEM */
int loom_value_expand(struct loom_graph *graph, struct loom_value *value);

/** loom_value_float() - element @index as a double */
double loom_value_float(const struct loom_value *value, int64_t index);
/** loom_value_int() - element @index as an integer; floats truncate, NaN is 0 */
int64_t loom_value_int(const struct loom_value *value, int64_t index);
/** loom_value_set_float() - stores, rounding to the type; integers truncate and saturate */
void loom_value_set_float(struct loom_value *value, int64_t index, double element);
/** loom_value_set_int() - stores; integers wrap */
void loom_value_set_int(struct loom_value *value, int64_t index, int64_t element);

/** loom_value_strides() - row-major strides in elements */
void loom_value_strides(const struct loom_value *value, int64_t *strides);
/** loom_value_trailing() - product of the dimensions from @axis on */
int64_t loom_value_trailing(const struct loom_value *value, uint32_t axis);

#endif /* LOOM_GRAPH_VALUE_H */
