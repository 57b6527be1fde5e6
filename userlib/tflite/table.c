// SPDX-License-Identifier: MIT
/* The table of operators: one line each. Those without a line are not supported. */
#include "convert.h"

#include "loom_core.h"

#include <string.h>

/* The argument is the ONNX operator of the result, unless the converter says otherwise. */
static const struct {
	uint16_t code;
	loom_tflite_converter *convert;
	const char *op_type;
} converters[] = {
	{ 0, loom_tflite_binary, "Add" },
	{ 1, loom_tflite_pool, "AveragePool" },
	{ 2, loom_tflite_concat, NULL },
	{ 3, loom_tflite_conv, NULL },
	{ 4, loom_tflite_depthwise, NULL },
	{ 5, loom_tflite_blocks, "DepthToSpace" },
	{ 6, loom_tflite_dequantize_op, NULL },
	{ 8, loom_tflite_unary, "Floor" },
	{ 9, loom_tflite_fully_connected, NULL },
	{ 14, loom_tflite_unary, "Sigmoid" },
	{ 17, loom_tflite_pool, "MaxPool" },
	{ 18, loom_tflite_binary, "Mul" },
	{ 19, loom_tflite_clip, "1" },
	{ 20, loom_tflite_clip, "2" },
	{ 21, loom_tflite_clip, "3" },
	{ LOOM_TFLITE_RESHAPE, loom_tflite_reshape_op, NULL },
	{ 23, loom_tflite_resize_bilinear, NULL },
	{ 25, loom_tflite_softmax, "Softmax" },
	{ 26, loom_tflite_blocks, "SpaceToDepth" },
	{ 28, loom_tflite_unary, "Tanh" },
	{ 34, loom_tflite_pad, NULL },
	{ 36, loom_tflite_gather, NULL },
	{ 39, loom_tflite_transpose_op, NULL },
	{ 40, loom_tflite_reduce, "ReduceMean" },
	{ 41, loom_tflite_binary, "Sub" },
	{ 42, loom_tflite_binary, "Div" },
	{ LOOM_TFLITE_SQUEEZE, loom_tflite_reshape_op, NULL },
	{ 45, loom_tflite_strided_slice, NULL },
	{ 47, loom_tflite_unary, "Exp" },
	{ 49, loom_tflite_split, NULL },
	{ 50, loom_tflite_softmax, "LogSoftmax" },
	{ 53, loom_tflite_cast, NULL },
	{ 54, loom_tflite_prelu, NULL },
	{ 55, loom_tflite_binary, "Max" },
	{ 57, loom_tflite_binary, "Min" },
	{ 59, loom_tflite_unary, "Neg" },
	{ 60, loom_tflite_pad, NULL },
	{ 65, loom_tflite_slice, NULL },
	{ 66, loom_tflite_unary, "Sin" },
	{ 67, loom_tflite_transpose_conv, NULL },
	{ LOOM_TFLITE_EXPAND_DIMS, loom_tflite_reshape_op, NULL },
	{ 73, loom_tflite_unary, "Log" },
	{ 74, loom_tflite_reduce, "ReduceSum" },
	{ 75, loom_tflite_unary, "Sqrt" },
	{ 76, loom_tflite_rsqrt, NULL },
	{ 77, loom_tflite_shape, NULL },
	{ 78, loom_tflite_binary, "Pow" },
	{ 81, loom_tflite_reduce, "ReduceProd" },
	{ 82, loom_tflite_reduce, "ReduceMax" },
	{ 83, loom_tflite_pack, NULL },
	{ 88, loom_tflite_unpack, NULL },
	{ 89, loom_tflite_reduce, "ReduceMin" },
	{ 92, loom_tflite_squared, NULL },
	{ 97, loom_tflite_resize_nearest, NULL },
	{ 98, loom_tflite_leaky_relu, "LeakyRelu" },
	{ 99, loom_tflite_squared, "Sub" },
	{ 100, loom_tflite_mirror_pad, NULL },
	{ 101, loom_tflite_unary, "Abs" },
	{ 102, loom_tflite_split, "Split" },
	{ 104, loom_tflite_unary, "Ceil" },
	{ 108, loom_tflite_unary, "Cos" },
	{ 111, loom_tflite_unary, "Elu" },
	{ 114, loom_tflite_quantize_op, NULL },
	{ 116, loom_tflite_unary, "Round" },
	{ 117, loom_tflite_unary, "HardSwish" },
	{ 124, loom_tflite_same, NULL },
	{ 126, loom_tflite_batch_matmul, NULL },
	{ 150, loom_tflite_gelu, "Gelu" },
};

/* Custom ones, by name. */
static const struct {
	const char *name;
	loom_tflite_converter *convert;
	const char *op_type;
} customs[] = {
	/* of MediaPipe's models */
	{ "Convolution2DTransposeBias", loom_tflite_transpose_conv, "ConvTranspose" },
};

loom_tflite_converter *loom_tflite_find(const struct loom_tflite_operator *op, const char **op_type)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(customs); i++) {
		if (op->custom && !strcmp(op->custom, customs[i].name)) {
			*op_type = customs[i].op_type;
			return customs[i].convert;
		}
	}
	for (i = 0; i < ARRAY_SIZE(converters); i++) {
		if (!op->custom && op->code == converters[i].code) {
			*op_type = converters[i].op_type;
			return converters[i].convert;
		}
	}
	return NULL;
}
