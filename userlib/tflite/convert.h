/* SPDX-License-Identifier: MIT */
/*
 * DOC: From operators of TensorFlow Lite to those of ONNX
 *
 * An operator becomes one node or several, by the calls that build a graph by hand (loom.h), so all
 * later passes (shapes, folding, fusing, integer layers) are shared. Two differences are handled
 * here:
 *
 * *Layout.* Files have channels last, nodes have them first. A tensor of four dimensions is needed
 * in *rows* (N, H, W, C: as in the file) or in *planes* (N, C, H, W), and has a name for each form
 * that exists. A convolution reads and writes planes, a function of one element takes either form;
 * a missing form is made by a transposition, so most networks have one at their input and one where
 * they become flat.
 *
 * *Bytes.* A quantised tensor exists *raw*, as in the file, and *real*, behind DequantizeLinear.
 * Arithmetic uses real numbers, followed by QuantizeLinear; graph/integer.c turns these into
 * integer layers, with exact sums. Operators that only move elements move raw ones.
 *
 * Errors are sticky: after the first, every call returns NULL without effect.
 */
#ifndef LOOM_TFLITE_CONVERT_H
#define LOOM_TFLITE_CONVERT_H

#include "model.h"

#include <stdbool.h>

struct loom_graph;

/** enum loom_tflite_layout - position of the channels */
enum loom_tflite_layout {
	LOOM_TFLITE_ROWS,
	LOOM_TFLITE_PLANES,
	LOOM_TFLITE_LAYOUTS,
};

/** maximum number of attributes of a node, and of operands except for Concat */
#define LOOM_TFLITE_ATTRS	8

/**
 * struct loom_tflite_forms - the names of a tensor's forms
 * @name: of the tensor, unique
 * @raw: as elements of its type, by layout; NULL: not yet
 * @real: as real numbers, if it is quantised
 * @is_output: of the model
 */
struct loom_tflite_forms {
	const char *name;
	const char *raw[LOOM_TFLITE_LAYOUTS];
	const char *real[LOOM_TFLITE_LAYOUTS];
	bool is_output;
};

/**
 * struct loom_tflite_convert - a model that is converted to a graph
 * @model: the model
 * @graph: the graph
 * @pool: owner of the names
 * @forms: by tensor
 * @op: the operator
 * @index: its number
 * @num_names: number of names made for it
 * @attrs: those of the next node
 * @num_attrs: number of @attrs
 * @pending: the last node, not added yet, so that it may get another name; no type: none
 * @pending_name: name of its result
 */
struct loom_tflite_convert {
	const struct loom_tflite_model *model;
	struct loom_graph *graph;
	struct loom_pool *pool;
	struct loom_tflite_forms *forms;
	const struct loom_tflite_operator *op;
	uint32_t index;
	uint32_t num_names;
	struct loom_attr attrs[LOOM_TFLITE_ATTRS];
	uint32_t num_attrs;
	struct loom_node_desc pending;
	const char *pending_name;
};

/** loom_tflite_fail() - records the first error, about the operator */
void loom_tflite_fail(struct loom_tflite_convert *cv, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* operands and options */

/** loom_tflite_input() - operand @index, which must exist; NULL after an error */
const struct loom_tflite_tensor *loom_tflite_input(struct loom_tflite_convert *cv, uint32_t index);
/** loom_tflite_has() - operand @index is there */
bool loom_tflite_has(const struct loom_tflite_convert *cv, uint32_t index);
/** loom_tflite_output() - result @index, which must exist; NULL after an error */
const struct loom_tflite_tensor *loom_tflite_output(struct loom_tflite_convert *cv, uint32_t index);
/** loom_tflite_option() - option @field, which is an integer of @size_bytes */
int64_t loom_tflite_option(const struct loom_tflite_convert *cv, uint32_t field,
			   uint32_t size_bytes, int64_t missing);
/**
 * loom_tflite_ints() - read an operand of integers, which must be a constant
 * @cv: the operator
 * @index: of the operand
 * @ints: [out] at most @max integers
 * @max: room in @ints; more is an error
 *
 * Return: number of integers.
 */
uint32_t loom_tflite_ints(struct loom_tflite_convert *cv, uint32_t index, int64_t *ints,
			  uint32_t max);
/** loom_tflite_axis() - @axis counted from the front */
uint32_t loom_tflite_axis(struct loom_tflite_convert *cv, int64_t axis, uint32_t rank);
/** loom_tflite_is_plain() - whether it is a dense constant, stored contiguously */
bool loom_tflite_is_plain(const struct loom_tflite_tensor *tensor);
/** loom_tflite_is_quantised() - whether its integers represent real numbers */
bool loom_tflite_is_quantised(const struct loom_tflite_tensor *tensor);
/** loom_tflite_same_steps() - whether equal elements of both represent equal numbers */
bool loom_tflite_same_steps(const struct loom_tflite_tensor *a, const struct loom_tflite_tensor *b);

/* forms */

/** loom_tflite_where() - the axis in a layout of axis @axis of the file */
uint32_t loom_tflite_where(enum loom_tflite_layout layout, uint32_t axis);
/** loom_tflite_layout() - planes, if operand @index exists in planes already */
enum loom_tflite_layout loom_tflite_layout(const struct loom_tflite_convert *cv, uint32_t index);
/** loom_tflite_raw() - operand @index as elements of its type */
const char *loom_tflite_raw(struct loom_tflite_convert *cv, uint32_t index,
			    enum loom_tflite_layout layout);
/** loom_tflite_real() - operand @index as real numbers */
const char *loom_tflite_real(struct loom_tflite_convert *cv, uint32_t index,
			     enum loom_tflite_layout layout);
/**
 * loom_tflite_dequantize() - convert elements to real numbers by the steps of a tensor
 * @cv: the operator
 * @tensor: the tensor; if it is not quantised, @name is returned
 * @name: elements of its type
 * @axis: axis of its channels in @name
 *
 * Return: their name.
 */
const char *loom_tflite_dequantize(struct loom_tflite_convert *cv,
				   const struct loom_tflite_tensor *tensor, const char *name,
				   uint32_t axis);
/** loom_tflite_quantize() - the inverse; one step for all channels */
const char *loom_tflite_quantize(struct loom_tflite_convert *cv,
				 const struct loom_tflite_tensor *tensor, const char *name);
/** loom_tflite_result() - result @index, as elements of its type */
void loom_tflite_result(struct loom_tflite_convert *cv, uint32_t index,
			enum loom_tflite_layout layout, const char *raw);
/** loom_tflite_result_real() - result @index, as real numbers */
void loom_tflite_result_real(struct loom_tflite_convert *cv, uint32_t index,
			     enum loom_tflite_layout layout, const char *real);
/** loom_tflite_finish_output() - an output of the model under its own name, in rows */
void loom_tflite_finish_output(struct loom_tflite_convert *cv, uint32_t tensor);

/* nodes */

/** loom_tflite_attr_int() - an integer of the next node */
void loom_tflite_attr_int(struct loom_tflite_convert *cv, const char *name, int64_t value);
/** loom_tflite_attr_ints() - integers of the next node */
void loom_tflite_attr_ints(struct loom_tflite_convert *cv, const char *name, uint32_t count,
			   const int64_t *values);
/** loom_tflite_attr_float() - a float of the next node */
void loom_tflite_attr_float(struct loom_tflite_convert *cv, const char *name, float value);
/** loom_tflite_attr_string() - a text of the next node; kept, not copied */
void loom_tflite_attr_string(struct loom_tflite_convert *cv, const char *name, const char *value);
/** loom_tflite_nodes() - a node with any number of operands; returns the name of its result */
const char *loom_tflite_nodes(struct loom_tflite_convert *cv, const char *op_type,
			      uint32_t num_inputs, const char *const *inputs);
/** loom_tflite_node() - a node with up to three operands, of which NULL ends the list */
const char *loom_tflite_node(struct loom_tflite_convert *cv, const char *op_type, const char *a,
			     const char *b, const char *c);
/** loom_tflite_flush() - adds the node that is pending */
void loom_tflite_flush(struct loom_tflite_convert *cv);
/** loom_tflite_const() - a constant; returns its name */
const char *loom_tflite_const(struct loom_tflite_convert *cv, uint32_t dtype, uint32_t rank,
			      const int64_t *dims, const void *data);
/** loom_tflite_const_ints() - a constant vector of I64 */
const char *loom_tflite_const_ints(struct loom_tflite_convert *cv, uint32_t count,
				   const int64_t *ints);
/** loom_tflite_const_float() - a constant scalar of F32 */
const char *loom_tflite_const_float(struct loom_tflite_convert *cv, float value);
/** loom_tflite_transpose() - @name with axes moved; itself where nothing moves */
const char *loom_tflite_transpose(struct loom_tflite_convert *cv, const char *name, uint32_t rank,
				  const int64_t *perm);
/** loom_tflite_reshape() - @name with other dimensions */
const char *loom_tflite_reshape(struct loom_tflite_convert *cv, const char *name, uint32_t rank,
				const int64_t *dims);
/** loom_tflite_activate() - @name behind a fused activation */
const char *loom_tflite_activate(struct loom_tflite_convert *cv, int64_t activation,
				 const char *name);

/** loom_tflite_densify() - data that leave out zeros, with them; 0 or a negative errno */
int loom_tflite_densify(const struct loom_tflite_tensor *tensor, struct loom_pool *pool,
			void **data);

/**
 * loom_tflite_convert_model() - a model becomes nodes of a graph
 * @model: the model
 * @graph: the graph, without any
 *
 * Return: 0 or a negative errno, which is recorded in the graph.
 */
int loom_tflite_convert_model(struct loom_tflite_model *model, struct loom_graph *graph);

/** LOOM_TFLITE_OPSET - version of ONNX operators used for nodes */
#define LOOM_TFLITE_OPSET	17

/* the operators, one line each in table.c */

typedef void loom_tflite_converter(struct loom_tflite_convert *cv, const char *op_type);

loom_tflite_converter loom_tflite_conv;
loom_tflite_converter loom_tflite_depthwise;
loom_tflite_converter loom_tflite_transpose_conv;
loom_tflite_converter loom_tflite_fully_connected;
loom_tflite_converter loom_tflite_batch_matmul;
loom_tflite_converter loom_tflite_pool;
loom_tflite_converter loom_tflite_unary;
loom_tflite_converter loom_tflite_clip;
loom_tflite_converter loom_tflite_binary;
loom_tflite_converter loom_tflite_squared;
loom_tflite_converter loom_tflite_rsqrt;
loom_tflite_converter loom_tflite_prelu;
loom_tflite_converter loom_tflite_leaky_relu;
loom_tflite_converter loom_tflite_gelu;
loom_tflite_converter loom_tflite_softmax;
loom_tflite_converter loom_tflite_reduce;
loom_tflite_converter loom_tflite_quantize_op;
loom_tflite_converter loom_tflite_dequantize_op;
loom_tflite_converter loom_tflite_same;
loom_tflite_converter loom_tflite_cast;
loom_tflite_converter loom_tflite_resize_nearest;
loom_tflite_converter loom_tflite_resize_bilinear;
loom_tflite_converter loom_tflite_reshape_op;
loom_tflite_converter loom_tflite_transpose_op;
loom_tflite_converter loom_tflite_pad;
loom_tflite_converter loom_tflite_mirror_pad;
loom_tflite_converter loom_tflite_concat;
loom_tflite_converter loom_tflite_pack;
loom_tflite_converter loom_tflite_unpack;
loom_tflite_converter loom_tflite_slice;
loom_tflite_converter loom_tflite_strided_slice;
loom_tflite_converter loom_tflite_split;
loom_tflite_converter loom_tflite_gather;
loom_tflite_converter loom_tflite_shape;
loom_tflite_converter loom_tflite_blocks;

/** loom_tflite_find() - the converter of an operator, or NULL; [out] its argument */
loom_tflite_converter *loom_tflite_find(const struct loom_tflite_operator *op,
					const char **op_type);

#endif /* LOOM_TFLITE_CONVERT_H */
