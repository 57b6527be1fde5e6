/* SPDX-License-Identifier: MIT */
/*
 * A file as plain structs: all tables that are needed, read once and checked. Texts, options and
 * data remain in the file, which must outlive them.
 */
#ifndef LOOM_TFLITE_MODEL_H
#define LOOM_TFLITE_MODEL_H

#include "flat.h"
#include "schema.h"

#include "loom.h"
#include "loom_error.h"

struct loom_pool;

/**
 * struct loom_tflite_tensor - a tensor
 * @name: in the file; "" if it has none
 * @type: enum loom_tflite_type
 * @dtype: the same as an &enum drm_loom_dtype, 0 if Loom lacks it
 * @rank: number of dimensions
 * @dims: the dimensions, as the file was made for
 * @size_bytes: of all elements; 0 if the type is not known
 * @data: of a constant, else NULL
 * @data_bytes: number of @data
 * @is_variable: it keeps its value from run to run
 * @scales: factors of quantised elements; none: not quantised
 * @zeros: and their zero points; none: all are 0
 * @axis: along which they run, if there are several
 * @sparsity: encoding of omitted zeros in @data; its flat is NULL if there is none
 */
struct loom_tflite_tensor {
	const char *name;
	uint32_t type;
	uint32_t dtype;
	uint32_t rank;
	int64_t dims[LOOM_GRAPH_RANK];
	uint64_t size_bytes;
	const uint8_t *data;
	size_t data_bytes;
	bool is_variable;
	struct loom_flat_vector scales;
	struct loom_flat_vector zeros;
	uint32_t axis;
	struct loom_flat_table sparsity;
};

/**
 * struct loom_tflite_operator - an operator
 * @code: its number, of those of the schema
 * @custom: its name, if it is none of the schema's; else NULL
 * @inputs: tensors that it reads; -1 for an omitted one
 * @num_inputs: number of @inputs
 * @outputs: tensors that it computes
 * @num_outputs: number of @outputs
 * @options: its options, of a table of its own
 * @custom_options: bytes that only the operator @custom knows
 */
struct loom_tflite_operator {
	uint32_t code;
	const char *custom;
	const int32_t *inputs;
	uint32_t num_inputs;
	const int32_t *outputs;
	uint32_t num_outputs;
	struct loom_flat_table options;
	struct loom_flat_vector custom_options;
};

/**
 * struct loom_tflite_model - a file
 * @flat: its bytes
 * @name: of the file, without its directories
 * @pool: owner of all data that is not in the file
 * @root: the table of the model
 * @subgraph: the table of the subgraph that runs: that of the signature, or the first
 * @num_subgraphs: number of subgraphs
 * @buffers: all buffers
 * @metadata: all metadata
 * @tensors: of the subgraph
 * @num_tensors: number of @tensors
 * @operators: in the order in which they run
 * @num_operators: number of @operators
 * @inputs: tensors that are inputs
 * @num_inputs: number of @inputs
 * @outputs: tensors that are outputs
 * @num_outputs: number of @outputs
 */
struct loom_tflite_model {
	struct loom_flat flat;
	const char *name;
	struct loom_pool *pool;
	struct loom_flat_table root;
	struct loom_flat_table subgraph;
	uint32_t num_subgraphs;
	struct loom_flat_vector buffers;
	struct loom_flat_vector metadata;
	struct loom_tflite_tensor *tensors;
	uint32_t num_tensors;
	struct loom_tflite_operator *operators;
	uint32_t num_operators;
	const int32_t *inputs;
	uint32_t num_inputs;
	const int32_t *outputs;
	uint32_t num_outputs;
};

/**
 * loom_tflite_read() - a file as plain structs
 * @bytes: the file, which must outlive @model
 * @size_bytes: number of @bytes
 * @path: its name
 * @signature: key of the signature, or name of the subgraph, that runs; NULL for the first subgraph
 * @model: [out] free with loom_tflite_forget(), also after an error
 * @err: [out] one line on failure
 *
 * Inputs and outputs have the names that the signature gives them.
 *
 * Return: 0; -ENOENT if there is no such signature; -EINVAL for a broken file, -EOPNOTSUPP for one
 * of another kind, -ENOMEM.
 */
int loom_tflite_read(const void *bytes, size_t size_bytes, const char *path,
		     const char *signature, struct loom_tflite_model *model,
		     struct loom_error *err);
/** loom_tflite_forget() - frees what a model owns */
void loom_tflite_forget(struct loom_tflite_model *model);

/** loom_tflite_scale() - the factor of a quantised tensor, for @channel if there are several */
float loom_tflite_scale(const struct loom_tflite_tensor *tensor, uint32_t channel);
/** loom_tflite_zero() - and its zero point */
int64_t loom_tflite_zero(const struct loom_tflite_tensor *tensor, uint32_t channel);

/** loom_tflite_op_name() - "CONV_2D", ..., the name of a custom one, or "an unknown one" */
const char *loom_tflite_op_name(const struct loom_tflite_operator *op);

#endif /* LOOM_TFLITE_MODEL_H */
