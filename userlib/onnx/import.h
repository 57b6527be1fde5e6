/* SPDX-License-Identifier: MIT */
/*
 * DOC: Importers
 *
 * An importer turns one source node into canonical nodes. It is one function here and one line in
 * table.c. It reads operands and attributes through the calls below, emits nodes (graph/emit.h) and
 * names its results with loom_import_result().
 *
 * Errors are sticky, see graph/emit.h: after the first, every call returns NULL, zero or nothing,
 * and loom_source_convert() checks once, after the importer returned.
 */
#ifndef LOOM_ONNX_IMPORT_H
#define LOOM_ONNX_IMPORT_H

#include "graph/emit.h"
#include "source.h"

/**
 * struct loom_import - the source node that is being imported
 * @em: emits its canonical nodes
 * @graph: the same as that of @em
 * @options: for values of inputs
 * @node: the source node
 * @opset: of the model
 * @round: suffix for names of computed values: the rounds of the enclosing bodies; "" if there are
 *	none
 * @repeat: converts the body of the node once more, with the values of its inputs; returns those of
 *	its results, none of which is NULL; false after an error
 */
struct loom_import {
	struct loom_emitter *em;
	struct loom_graph *graph;
	const struct loom_graph_options *options;
	const struct loom_source_node *node;
	int opset;
	const char *round;
	bool (*repeat)(struct loom_import *im, struct loom_value *const *inputs,
		       struct loom_value **outputs, uint32_t round);
};

/** loom_import_fail() - records the first error; code is a negative errno */
void loom_import_fail(struct loom_import *im, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* operands and results */

/** loom_import_has() - operand @index is present */
bool loom_import_has(const struct loom_import *im, uint32_t index);
/** loom_import_wants() - result @index is needed */
bool loom_import_wants(const struct loom_import *im, uint32_t index);
/** loom_import_operand() - operand @index, which must be present */
struct loom_value *loom_import_operand(struct loom_import *im, uint32_t index);
/** loom_import_optional() - operand @index, NULL if it was omitted */
struct loom_value *loom_import_optional(struct loom_import *im, uint32_t index);
/** loom_import_packed() - the same, but a constant of few bits may not be expanded yet */
struct loom_value *loom_import_packed(const struct loom_import *im, uint32_t index);
/** loom_import_filled() - @value, a constant of few bits with its elements; NULL without memory */
struct loom_value *loom_import_filled(struct loom_import *im, struct loom_value *value);
/** loom_import_known() - operand @index, whose value must be known now */
struct loom_value *loom_import_known(struct loom_import *im, uint32_t index);
/** loom_import_know() - @value, which must be known now */
struct loom_value *loom_import_know(struct loom_import *im, struct loom_value *value);
/**
 * loom_import_ints() - reads a known operand of integers, a scalar or a vector
 * @im: the node
 * @index: of the operand
 * @ints: [out] at most @max integers
 * @max: room in @ints; more is an error
 *
 * Return: number of integers.
 */
uint32_t loom_import_ints(struct loom_import *im, uint32_t index, int64_t *ints, uint32_t max);
/** loom_import_scalar() - the element of a known operand, @missing if it was omitted */
double loom_import_scalar(struct loom_import *im, uint32_t index, double missing);
/** loom_import_count() - the same, as an integer */
int64_t loom_import_count(struct loom_import *im, uint32_t index, int64_t missing);
/**
 * loom_import_decides() - whether a condition is known now
 * @im: the node that is being imported
 * @name: of the condition, in the source form
 * @holds: [out] its value
 *
 * Return: true if it is known.
 */
bool loom_import_decides(const struct loom_import *im, const char *name, bool *holds);
/** loom_import_result() - result @index of the node is @value */
void loom_import_result(struct loom_import *im, uint32_t index, struct loom_value *value);

/** loom_import_add_count() - adds the output NAME.count: how many rows of a result are there */
void loom_import_add_count(struct loom_import *im, struct loom_value *count);

/** loom_import_base() - the name that values without a name of their own are derived from */
const char *loom_import_base(const struct loom_import *im);

/* attributes */

/** loom_attr_find() - an attribute by name, or NULL */
const struct loom_attr *loom_attr_find(const struct loom_import *im, const char *name);
/** loom_attr_int() - an integer, @missing if it was omitted */
int64_t loom_attr_int(struct loom_import *im, const char *name, int64_t missing);
/** loom_attr_float() - a float, @missing if it was omitted */
float loom_attr_float(struct loom_import *im, const char *name, float missing);
/** loom_attr_string() - a string, @missing if it was omitted */
const char *loom_attr_string(struct loom_import *im, const char *name, const char *missing);
/** loom_attr_ints() - at most @max integers; returns their number, 0 if omitted */
uint32_t loom_attr_ints(struct loom_import *im, const char *name, int64_t *ints, uint32_t max);
/**
 * loom_attr_choice() - a string out of a list
 * @im: the node
 * @name: of the attribute
 * @choices: NULL-terminated; the first is the default
 *
 * Return: index of the string in @choices, 0 after an error.
 */
uint32_t loom_attr_choice(struct loom_import *im, const char *name, const char *const *choices);
/** loom_import_axis() - @axis counted from the front; an error outside [-rank, rank) */
uint32_t loom_import_axis(struct loom_import *im, int64_t axis, uint32_t rank);
/** loom_import_axes() - several axes; an error if one occurs twice; returns a mask */
uint32_t loom_import_axes(struct loom_import *im, const int64_t *axes, uint32_t num_axes,
			  uint32_t rank);

/** loom_import_clamp() - @x, but at least @low and at most @high */
int64_t loom_import_clamp(int64_t x, int64_t low, int64_t high);

/** loom_import_wide() - @x in f32 if it is f16, whose squares overflow from 256 on */
struct loom_value *loom_import_wide(struct loom_import *im, struct loom_value *x);

/** loom_import_part() - @count elements along @axis from @start on, in steps of @step */
struct loom_value *loom_import_part(struct loom_import *im, struct loom_value *x, uint32_t axis,
				    int64_t start, int64_t step, int64_t count);

/**
 * loom_import_stack() - concatenate values along their first axis
 * @im: the node
 * @parts: in order, at least one; their places are used
 * @count: number of @parts
 *
 * A few are put together at a time, and then the results of that: one CONCAT would keep all values
 * until the last is there, and a search for groups would weigh at each node which of them stay in
 * SRAM. In memory each part is where it belongs in the whole, so that nothing is copied twice.
 *
 * Return: all of them, NULL after an error.
 */
struct loom_value *loom_import_stack(struct loom_import *im, struct loom_value **parts,
				     int64_t count);

/** loom_import_plain_zero() - whether the device supports it: one constant for all, or NULL */
bool loom_import_plain_zero(const struct loom_value *zero);
/**
 * loom_import_less_zero() - remove a zero point from a product
 * @im: the node
 * @product: of an operand without it, I32
 * @zero: its zero point, broadcast to the product
 * @sums: of the other operand over the multiplied axes, broadcast likewise, I32
 * @other: zero point of the other operand that @product includes already, or NULL
 * @count: number of products per sum
 *
 * Return: the product with it.
 */
struct loom_value *loom_import_less_zero(struct loom_import *im, struct loom_value *product,
					 struct loom_value *zero, struct loom_value *sums,
					 struct loom_value *other, int64_t count);
/** loom_import_sums() - sums of bytes over axes, I32 */
struct loom_value *loom_import_sums(struct loom_import *im, struct loom_value *x, uint32_t axes,
				    bool keepdims);
/** loom_import_requantise() - saturate(round(sum * scale) + zero), with one zero point */
struct loom_value *loom_import_requantise(struct loom_import *im, struct loom_value *sum,
					  struct loom_value *scale, struct loom_value *zero);

/**
 * loom_import_steps_of() - DEQUANTIZE: (x - zero) * scale
 * @im: the node
 * @x: bytes, or other integers
 * @scale: one, or one for each channel along @axis
 * @zero: the same, NULL for 0
 * @axis: of channels, -1 if there is none
 *
 * Return: F32, NULL after an error.
 */
struct loom_value *loom_import_steps_of(struct loom_import *im, struct loom_value *x,
					struct loom_value *scale, struct loom_value *zero,
					int32_t axis);
/** loom_import_steps_by() - the same, with F32 scales and zero points that broadcast to @x */
struct loom_value *loom_import_steps_by(struct loom_import *im, struct loom_value *x,
					struct loom_value *scale, struct loom_value *zero);
/** loom_import_in_steps() - QUANTIZE: saturate(round(x / scale) + zero), @dtype without @zero */
struct loom_value *loom_import_in_steps(struct loom_import *im, struct loom_value *x,
					struct loom_value *scale, struct loom_value *zero,
					uint32_t dtype);

/**
 * loom_import_blocks_of() - (x - zero) * scale, with scales that blocks of elements share
 * @im: the node
 * @x: integers
 * @scale: as many dimensions as @x, one element for each @block along @axis
 * @zero: of the shape of @scale, or NULL
 * @middle: the zero point where @zero is NULL
 * @axis: of blocks
 * @block: number of elements; the last block may be smaller
 *
 * Return: of the type of @scale; a constant if all operands are, to which loom_value_expand() gives
 * elements; NULL after an error.
 */
struct loom_value *loom_import_blocks_of(struct loom_import *im, struct loom_value *x,
					 struct loom_value *scale, struct loom_value *zero,
					 int64_t middle, uint32_t axis, int64_t block);
/** loom_import_in_blocks() - round(x / scale) + zero likewise; @x, @scale and the result are F32 */
struct loom_value *loom_import_in_blocks(struct loom_import *im, struct loom_value *x,
					 struct loom_value *scale, struct loom_value *zero,
					 uint32_t axis, int64_t block);

/**
 * loom_import_quantise_range() - the range of the data, stretched to hold 0, in 255 steps
 * @im: the node
 * @x: F32
 * @x_scale: [out] one step
 * @x_zero: [out] where 0 is, U8
 *
 * Return: @x in steps, U8; NULL after an error.
 */
struct loom_value *loom_import_quantise_range(struct loom_import *im, struct loom_value *x,
					      struct loom_value **x_scale,
					      struct loom_value **x_zero);

/** loom_import_softmax_along() - Softmax or, with @log, LogSoftmax along one axis */
struct loom_value *loom_import_softmax_along(struct loom_import *im, struct loom_value *x,
					     uint32_t axis, bool log);
/** loom_import_normal() - LayerNormalization over the last axis; @beta may be NULL */
struct loom_value *loom_import_normal(struct loom_import *im, struct loom_value *x,
				      struct loom_value *gamma, struct loom_value *beta,
				      float epsilon);

/**
 * loom_import_bilinear() - samples of pictures, zero outside of them
 * @im: the node
 * @x: [N, C, rows * columns], of floats
 * @at: rows and columns of the samples, [N, 1, P], of the type of @x
 * @sizes: number of rows and columns, whose product @at can count exactly
 *
 * Return: [N, C, P]; NULL after an error.
 */
struct loom_value *loom_import_bilinear(struct loom_import *im, struct loom_value *x,
					struct loom_value *const *at, const int64_t *sizes);

/** loom_import_rows() - Gather: parts of @x along @axis, at @indices */
struct loom_value *loom_import_rows(struct loom_import *im, struct loom_value *x, uint32_t axis,
				    struct loom_value *indices);

/** loom_import_is_index() - whether a type is one for indices */
bool loom_import_is_index(uint32_t dtype);
/** loom_import_product() - @a times @b transposed, both matrices, and @c or NULL; of bytes I32 */
struct loom_value *loom_import_product(struct loom_import *im, struct loom_value *a,
				       struct loom_value *b, struct loom_value *c);
/** loom_import_scaled_product() - @alpha times matrices @a and @b; @trans_b: @b is transposed */
struct loom_value *loom_import_scaled_product(struct loom_import *im, struct loom_value *a,
					      struct loom_value *b, bool trans_b, float alpha);
/** loom_import_numpy_matmul() - MatMul of any ranks */
struct loom_value *loom_import_numpy_matmul(struct loom_import *im, struct loom_value *a,
					    struct loom_value *b);
/**
 * loom_import_bytes_product() - the product of two quantised matrices, as floats
 * @im: the node
 * @a: bytes
 * @a_scale: one
 * @a_zero: one, or NULL for 0
 * @b: bytes
 * @b_scale: one, or one for each column
 * @b_zero: the same, or NULL for 0
 *
 * Return: F32, NULL after an error.
 */
struct loom_value *loom_import_bytes_product(struct loom_import *im, struct loom_value *a,
					     struct loom_value *a_scale, struct loom_value *a_zero,
					     struct loom_value *b, struct loom_value *b_scale,
					     struct loom_value *b_zero);

/* the importers, one line each in table.c */

/** loom_import_native() - imports a node that has a native kernel; false: the kernel refuses it */
bool loom_import_native(struct loom_import *im);

void loom_import_binary(struct loom_import *im, int fn);
void loom_import_variadic(struct loom_import *im, int fn);
void loom_import_mean(struct loom_import *im, int unused);
void loom_import_mod(struct loom_import *im, int unused);
void loom_import_pow(struct loom_import *im, int unused);
void loom_import_prelu(struct loom_import *im, int unused);
void loom_import_bit_shift(struct loom_import *im, int unused);
void loom_import_bit_not(struct loom_import *im, int unused);
void loom_import_unary(struct loom_import *im, int fn);
void loom_import_trig(struct loom_import *im, int fn);
void loom_import_clip(struct loom_import *im, int unused);
void loom_import_gelu(struct loom_import *im, int unused);
void loom_import_isinf(struct loom_import *im, int unused);
void loom_import_cast(struct loom_import *im, int unused);
void loom_import_cast_like(struct loom_import *im, int unused);
void loom_import_where(struct loom_import *im, int unused);
void loom_import_if(struct loom_import *im, int unused);
void loom_import_conv(struct loom_import *im, int unused);
void loom_import_deform_conv(struct loom_import *im, int unused);
void loom_import_conv_integer(struct loom_import *im, int unused);
void loom_import_qlinear_conv(struct loom_import *im, int unused);
void loom_import_conv_transpose(struct loom_import *im, int unused);
void loom_import_pool(struct loom_import *im, int kind);
void loom_import_global_pool(struct loom_import *im, int kind);
void loom_import_matmul(struct loom_import *im, int unused);
void loom_import_matmul_integer(struct loom_import *im, int unused);
void loom_import_qlinear_matmul(struct loom_import *im, int unused);
void loom_import_gemm(struct loom_import *im, int unused);
void loom_import_lstm(struct loom_import *im, int unused);
void loom_import_gru(struct loom_import *im, int unused);
void loom_import_rnn(struct loom_import *im, int unused);
void loom_import_loop(struct loom_import *im, int unused);
void loom_import_scan(struct loom_import *im, int unused);
void loom_import_reduce(struct loom_import *im, int kind);
void loom_import_softmax(struct loom_import *im, int log);
void loom_import_batch_norm(struct loom_import *im, int unused);
void loom_import_layer_norm(struct loom_import *im, int unused);
void loom_import_instance_norm(struct loom_import *im, int unused);
void loom_import_group_norm(struct loom_import *im, int unused);
void loom_import_lp_norm(struct loom_import *im, int unused);
void loom_import_mvn(struct loom_import *im, int unused);
void loom_import_lrn(struct loom_import *im, int unused);
void loom_import_resize(struct loom_import *im, int unused);
void loom_import_upsample(struct loom_import *im, int unused);
void loom_import_grid_sample(struct loom_import *im, int unused);
void loom_import_roi_align(struct loom_import *im, int unused);
void loom_import_quantize(struct loom_import *im, int unused);
void loom_import_dequantize(struct loom_import *im, int unused);
void loom_import_dynamic_quantize(struct loom_import *im, int unused);
void loom_import_transpose(struct loom_import *im, int unused);
void loom_import_slice(struct loom_import *im, int unused);
void loom_import_split(struct loom_import *im, int unused);
void loom_import_concat(struct loom_import *im, int unused);
void loom_import_pad(struct loom_import *im, int unused);
void loom_import_expand(struct loom_import *im, int unused);
void loom_import_tile(struct loom_import *im, int unused);
void loom_import_gather(struct loom_import *im, int unused);
void loom_import_gather_elements(struct loom_import *im, int unused);
void loom_import_gather_nd(struct loom_import *im, int unused);
void loom_import_scatter_elements(struct loom_import *im, int unused);
void loom_import_arg(struct loom_import *im, int kind);
void loom_import_hardmax(struct loom_import *im, int unused);
void loom_import_one_hot(struct loom_import *im, int unused);
void loom_import_top(struct loom_import *im, int unused);
void loom_import_trilu(struct loom_import *im, int unused);
void loom_import_cum_sum(struct loom_import *im, int unused);
void loom_import_eye_like(struct loom_import *im, int unused);
void loom_import_non_zero(struct loom_import *im, int unused);
void loom_import_boxes(struct loom_import *im, int unused);
void loom_import_unique(struct loom_import *im, int unused);
void loom_import_reverse_sequence(struct loom_import *im, int unused);
void loom_import_steps_binary(struct loom_import *im, int fn);
void loom_import_steps_unary(struct loom_import *im, int fn);
void loom_import_steps_pool(struct loom_import *im, int global);
void loom_import_steps_softmax(struct loom_import *im, int unused);
void loom_import_steps_concat(struct loom_import *im, int unused);
void loom_import_steps_gemm(struct loom_import *im, int unused);
void loom_import_dynamic_matmul(struct loom_import *im, int scaled);
void loom_import_fused_conv(struct loom_import *im, int unused);
void loom_import_fused_gemm(struct loom_import *im, int unused);
void loom_import_fused_matmul(struct loom_import *im, int unused);
void loom_import_bias_gelu(struct loom_import *im, int fn);
void loom_import_swish(struct loom_import *im, int quick);
void loom_import_skip_norm(struct loom_import *im, int simplified);
void loom_import_rms_norm(struct loom_import *im, int unused);
void loom_import_compress(struct loom_import *im, int unused);
void loom_import_window(struct loom_import *im, int kind);
void loom_import_mel_matrix(struct loom_import *im, int unused);
void loom_import_dft(struct loom_import *im, int unused);
void loom_import_stft(struct loom_import *im, int unused);
void loom_import_nll_loss(struct loom_import *im, int unused);
void loom_import_softmax_loss(struct loom_import *im, int unused);
void loom_import_einsum(struct loom_import *im, int unused);
void loom_import_depth_to_space(struct loom_import *im, int unused);
void loom_import_space_to_depth(struct loom_import *im, int unused);
void loom_import_reshape(struct loom_import *im, int unused);
void loom_import_flatten(struct loom_import *im, int unused);
void loom_import_squeeze(struct loom_import *im, int unused);
void loom_import_unsqueeze(struct loom_import *im, int unused);
void loom_import_identity(struct loom_import *im, int unused);
void loom_import_dropout(struct loom_import *im, int unused);
void loom_import_constant(struct loom_import *im, int unused);
void loom_import_constant_of_shape(struct loom_import *im, int unused);
void loom_import_shape(struct loom_import *im, int unused);
void loom_import_size(struct loom_import *im, int unused);
void loom_import_range(struct loom_import *im, int unused);
void loom_import_scatter_nd(struct loom_import *im, int unused);
void loom_import_attention(struct loom_import *im, int unused);
void loom_import_rotary(struct loom_import *im, int first);
void loom_import_grouped_attention(struct loom_import *im, int unused);
void loom_import_multi_head(struct loom_import *im, int unused);
void loom_import_packed_attention(struct loom_import *im, int unused);
void loom_import_quantised_attention(struct loom_import *im, int unused);
void loom_import_embed_norm(struct loom_import *im, int unused);
void loom_import_matmul_bits(struct loom_import *im, int unused);
void loom_import_gather_blocks(struct loom_import *im, int unused);
void loom_import_tensor_scatter(struct loom_import *im, int unused);
void loom_import_center(struct loom_import *im, int unused);
void loom_import_col2im(struct loom_import *im, int unused);
void loom_import_affine_grid(struct loom_import *im, int unused);
void loom_import_global_norm(struct loom_import *im, int unused);
void loom_import_max_unpool(struct loom_import *im, int unused);

#endif /* LOOM_ONNX_IMPORT_H */
