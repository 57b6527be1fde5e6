// SPDX-License-Identifier: MIT
/* The table of ONNX operators: one line each. Operators without a line are not supported. */
#include "onnx.h"

#include "import.h"
#include "loom_core.h"

#include <stdlib.h>
#include <string.h>

/* attributes shared by several operators */
#define OLD_UNARY	"consumed_inputs<6"
#define OLD_BINARY	"axis<7 broadcast<7 consumed_inputs<6"
#define WINDOW		"auto_pad kernel_shape pads strides"
#define CONV		WINDOW " dilations group"
#define ARG		"axis keepdims select_last_index>=12"
#define REDUCE		"axes<18 keepdims noop_with_empty_axes>=18"

/* long lists of attributes */
#define VALUES		"value_float>=12 value_floats>=12 value_int>=12 value_ints>=12"
#define RESIZE_11	"coordinate_transformation_mode>=11 cubic_coeff_a>=11 exclude_outside>=11 "
#define RESIZE_18	"antialias>=18 axes>=18 keep_aspect_ratio_policy>=18 "
#define RESIZE_MODE	"extrapolation_value>=11 mode nearest_mode>=11"

#define ROI_ALIGN	"coordinate_transformation_mode>=16 mode output_height output_width " \
			"sampling_ratio spatial_scale"

#define SCAN		SCAN_AXES "scan_input_directions>=9 scan_output_directions>=9"
#define SCAN_AXES	"scan_input_axes>=9 scan_output_axes>=9 "

#define ATTENTION	"is_causal kv_num_heads q_num_heads"
#define PACKED		"do_rotary mask_filter_value num_heads " SHARED " scale unidirectional"
#define SHARED		"past_present_share_buffer"
#define GROUPED		"do_rotary kv_num_heads local_window_size num_heads " CACHE
#define CACHE		"k_quant_type kv_cache_bit_width v_quant_type"

#define RECURRENT	"activation_alpha activation_beta activations clip direction hidden_size "

static const struct loom_importer importers[] = {
	{ "Abs", loom_import_unary, LOOM_GFN_ABS, 5, OLD_UNARY },
	{ "Acos", loom_import_trig, LOOM_GFN_ACOS, 5, "" },
	{ "Acosh", loom_import_trig, LOOM_GFN_ACOSH, 5, "" },
	{ "Add", loom_import_binary, LOOM_GBIN_ADD, 1, OLD_BINARY },
	{ "AffineGrid", loom_import_affine_grid, 0, 5, "align_corners" },
	{ "And", loom_import_binary, LOOM_GBIN_AND, 5, "axis<7 broadcast<7" },
	{ "ArgMax", loom_import_arg, LOOM_GREDUCE_MAX, 5, ARG },
	{ "ArgMin", loom_import_arg, LOOM_GREDUCE_MIN, 5, ARG },
	{ "Asin", loom_import_trig, LOOM_GFN_ASIN, 5, "" },
	{ "Asinh", loom_import_trig, LOOM_GFN_ASINH, 5, "" },
	{ "Atan", loom_import_trig, LOOM_GFN_ATAN, 5, "" },
	{ "Atanh", loom_import_trig, LOOM_GFN_ATANH, 5, "" },
	{ "Attention", loom_import_attention, 0, 5,
		ATTENTION " qk_matmul_output_mode scale softcap softmax_precision" },
	{ "AveragePool", loom_import_pool, LOOM_GPOOL_AVG, 1,
		WINDOW " ceil_mode>=10 count_include_pad>=7 dilations>=19" },
	{ "BatchNormalization", loom_import_batch_norm, 0, 2,
		"consumed_inputs<6 epsilon is_test<7 momentum spatial<9 training_mode>=14" },
	{ "BitShift", loom_import_bit_shift, 0, 5, "direction" },
	{ "BitwiseNot", loom_import_bit_not, 0, 5, "" },
	{ "BlackmanWindow", loom_import_window, 2, 5, "output_datatype periodic" },
	{ "Cast", loom_import_cast, 0, 3, "round_mode>=24 saturate>=19 to" },
	{ "CastLike", loom_import_cast_like, 0, 5, "round_mode>=24 saturate>=19" },
	{ "Ceil", loom_import_unary, LOOM_GFN_CEIL, 5, OLD_UNARY },
	{ "Celu", loom_import_unary, LOOM_GFN_CELU, 5, "alpha" },
	{ "CenterCropPad", loom_import_center, 0, 5, "axes" },
	{ "Clip", loom_import_clip, 0, 1, "consumed_inputs<6 max<11 min<11" },
	{ "Col2Im", loom_import_col2im, 0, 5, "dilations pads strides" },
	{ "Compress", loom_import_compress, 0, 5, "axis" },
	{ "Concat", loom_import_concat, 0, 1, "axis" },
	{ "Constant", loom_import_constant, 0, 1,
		VALUES " sparse_value>=11 value value_string>=12 value_strings>=12" },
	{ "ConstantOfShape", loom_import_constant_of_shape, 0, 4, "value" },
	{ "Conv", loom_import_conv, 0, 1, CONV },
	{ "ConvInteger", loom_import_conv_integer, 0, 4, CONV },
	{ "ConvTranspose", loom_import_conv_transpose, 0, 3,
		CONV " output_padding output_shape" },
	{ "Cos", loom_import_trig, LOOM_GFN_COS, 5, "" },
	{ "Cosh", loom_import_trig, LOOM_GFN_COSH, 5, "" },
	{ "CumSum", loom_import_cum_sum, 0, 5, "exclusive reverse" },
	{ "DFT", loom_import_dft, 0, 5, "axis<20 inverse onesided" },
	{ "DeformConv", loom_import_deform_conv, 0, 5,
		"dilations group kernel_shape offset_group pads strides" },
	{ "DepthToSpace", loom_import_depth_to_space, 0, 5, "blocksize mode>=11" },
	{ "DequantizeLinear", loom_import_dequantize, 0, 3,
		"axis>=13 block_size>=21 output_dtype>=23" },
	{ "Div", loom_import_binary, LOOM_GBIN_DIV, 2, OLD_BINARY },
	{ "Dropout", loom_import_dropout, 0, 4, "consumed_inputs<6 is_test<7 ratio<12 seed>=12" },
	{ "DynamicQuantizeLinear", loom_import_dynamic_quantize, 0, 4, "" },
	{ "Einsum", loom_import_einsum, 0, 5, "equation" },
	{ "Elu", loom_import_unary, LOOM_GFN_ELU, 5, "alpha consumed_inputs<6" },
	{ "Equal", loom_import_binary, LOOM_GBIN_EQUAL, 3, "axis<7 broadcast<7" },
	{ "Erf", loom_import_unary, LOOM_GFN_ERF, 4, "" },
	{ "Exp", loom_import_unary, LOOM_GFN_EXP, 5, OLD_UNARY },
	{ "Expand", loom_import_expand, 0, 4, "" },
	{ "EyeLike", loom_import_eye_like, 0, 5, "dtype k" },
	{ "Flatten", loom_import_flatten, 0, 1, "axis" },
	{ "Floor", loom_import_unary, LOOM_GFN_FLOOR, 5, OLD_UNARY },
	{ "Gather", loom_import_gather, 0, 4, "axis" },
	{ "GatherElements", loom_import_gather_elements, 0, 5, "axis" },
	{ "GatherND", loom_import_gather_nd, 0, 5, "batch_dims>=12" },
	{ "GRU", loom_import_gru, 0, 5,
		RECURRENT "layout>=14 linear_before_reset>=3 output_sequence<7" },
	{ "Gelu", loom_import_gelu, 0, 5, "approximate" },
	{ "Gemm", loom_import_gemm, 0, 1, "alpha beta broadcast<7 transA transB" },
	{ "GlobalAveragePool", loom_import_global_pool, LOOM_GREDUCE_MEAN, 1, "" },
	{ "GlobalLpPool", loom_import_global_norm, 0, 5, "p" },
	{ "GlobalMaxPool", loom_import_global_pool, LOOM_GREDUCE_MAX, 5, "" },
	{ "Greater", loom_import_binary, LOOM_GBIN_GREATER, 5, "axis<7 broadcast<7" },
	{ "GreaterOrEqual", loom_import_binary, LOOM_GBIN_GREATER_EQUAL, 5, "" },
	{ "GridSample", loom_import_grid_sample, 0, 5, "align_corners mode padding_mode" },
	{ "GroupNormalization", loom_import_group_norm, 0, 5, "epsilon num_groups stash_type>=21" },
	{ "HammingWindow", loom_import_window, 1, 5, "output_datatype periodic" },
	{ "HannWindow", loom_import_window, 0, 5, "output_datatype periodic" },
	{ "HardSigmoid", loom_import_unary, LOOM_GFN_HARD_SIGMOID, 2,
		"alpha beta consumed_inputs<6" },
	{ "HardSwish", loom_import_unary, LOOM_GFN_HARD_SWISH, 4, "" },
	{ "Hardmax", loom_import_hardmax, 0, 5, "axis" },
	{ "Identity", loom_import_identity, 0, 4, "" },
	{ "If", loom_import_if, 0, 5, "" },
	{ "InstanceNormalization", loom_import_instance_norm, 0, 5, "consumed_inputs<6 epsilon" },
	{ "IsInf", loom_import_isinf, 0, 5, "detect_negative detect_positive" },
	{ "IsNaN", loom_import_unary, LOOM_GFN_ISNAN, 5, "" },
	{ "LRN", loom_import_lrn, 0, 5, "alpha beta bias size" },
	{ "LSTM", loom_import_lstm, 0, 5, RECURRENT "input_forget layout>=14 output_sequence<7" },
	{ "LayerNormalization", loom_import_layer_norm, 0, 4, "axis epsilon stash_type" },
	{ "LeakyRelu", loom_import_unary, LOOM_GFN_LEAKY_RELU, 2, "alpha consumed_inputs<6" },
	{ "Less", loom_import_binary, LOOM_GBIN_LESS, 5, "axis<7 broadcast<7" },
	{ "LessOrEqual", loom_import_binary, LOOM_GBIN_LESS_EQUAL, 5, "" },
	{ "Log", loom_import_unary, LOOM_GFN_LOG, 5, OLD_UNARY },
	{ "LogSoftmax", loom_import_softmax, true, 5, "axis" },
	{ "Loop", loom_import_loop, 0, 5, "body" },
	{ "LpNormalization", loom_import_lp_norm, 0, 5, "axis p" },
	{ "LpPool", loom_import_pool, LOOM_GPOOL_LP, 5,
		WINDOW " ceil_mode>=18 dilations>=18 p" },
	{ "MatMul", loom_import_matmul, 0, 3, "" },
	{ "MatMulInteger", loom_import_matmul_integer, 0, 5, "" },
	{ "Max", loom_import_variadic, LOOM_GBIN_MAX, 2, OLD_UNARY },
	{ "MaxPool", loom_import_pool, LOOM_GPOOL_MAX, 1,
		WINDOW " ceil_mode>=10 dilations>=10 storage_order>=8" },
	{ "MaxUnpool", loom_import_max_unpool, 0, 5, "kernel_shape pads strides" },
	{ "Mean", loom_import_mean, 0, 5, OLD_UNARY },
	{ "MeanVarianceNormalization", loom_import_mvn, 0, 5, "axes" },
	{ "MelWeightMatrix", loom_import_mel_matrix, 0, 5, "output_datatype" },
	{ "Min", loom_import_variadic, LOOM_GBIN_MIN, 4, OLD_UNARY },
	{ "Mish", loom_import_unary, LOOM_GFN_MISH, 5, "" },
	{ "Mod", loom_import_mod, 0, 5, "fmod" },
	{ "Mul", loom_import_binary, LOOM_GBIN_MUL, 1, OLD_BINARY },
	{ "Neg", loom_import_unary, LOOM_GFN_NEG, 5, OLD_UNARY },
	{ "NegativeLogLikelihoodLoss", loom_import_nll_loss, 0, 5,
		"ignore_index reduction" },
	{ "NonMaxSuppression", loom_import_boxes, 0, 5, "center_point_box" },
	{ "NonZero", loom_import_non_zero, 0, 5, "" },
	{ "Not", loom_import_unary, LOOM_GFN_NOT, 5, "" },
	{ "OneHot", loom_import_one_hot, 0, 5, "axis" },
	{ "Or", loom_import_binary, LOOM_GBIN_OR, 5, "axis<7 broadcast<7" },
	{ "PRelu", loom_import_prelu, 0, 4, OLD_UNARY },
	{ "Pad", loom_import_pad, 0, 4, "mode paddings<2 pads>=2<11 value<11" },
	{ "Pow", loom_import_pow, 0, 2, "axis<7 broadcast<7" },
	{ "QLinearConv", loom_import_qlinear_conv, 0, 5, CONV },
	{ "QLinearMatMul", loom_import_qlinear_matmul, 0, 5, "" },
	{ "QuantizeLinear", loom_import_quantize, 0, 3,
		"axis>=13 block_size>=21 output_dtype>=21 precision>=23 saturate>=19" },
	{ "RMSNormalization", loom_import_rms_norm, 0, 5, "axis epsilon stash_type" },
	{ "RNN", loom_import_rnn, 0, 5, RECURRENT "layout>=14 output_sequence<7" },
	{ "Range", loom_import_range, 0, 5, "" },
	{ "Reciprocal", loom_import_unary, LOOM_GFN_RECIPROCAL, 5, OLD_UNARY },
	{ "ReduceL1", loom_import_reduce, LOOM_GREDUCE_L1, 5, REDUCE },
	{ "ReduceL2", loom_import_reduce, LOOM_GREDUCE_L2, 5, REDUCE },
	{ "ReduceLogSum", loom_import_reduce, LOOM_GREDUCE_LOG_SUM, 5, REDUCE },
	{ "ReduceLogSumExp", loom_import_reduce, LOOM_GREDUCE_LOG_SUM_EXP, 5, REDUCE },
	{ "ReduceMax", loom_import_reduce, LOOM_GREDUCE_MAX, 5, REDUCE },
	{ "ReduceMean", loom_import_reduce, LOOM_GREDUCE_MEAN, 2, REDUCE },
	{ "ReduceMin", loom_import_reduce, LOOM_GREDUCE_MIN, 5, REDUCE },
	{ "ReduceProd", loom_import_reduce, LOOM_GREDUCE_PROD, 5, REDUCE },
	{ "ReduceSum", loom_import_reduce, LOOM_GREDUCE_SUM, 5,
		"axes<13 keepdims noop_with_empty_axes>=13" },
	{ "ReduceSumSquare", loom_import_reduce, LOOM_GREDUCE_SUM_SQUARE, 5, REDUCE },
	{ "Relu", loom_import_unary, LOOM_GFN_RELU, 1, OLD_UNARY },
	{ "Reshape", loom_import_reshape, 0, 1, "allowzero>=14 consumed_inputs<5 shape<5" },
	{ "Resize", loom_import_resize, 0, 3,
		RESIZE_11 RESIZE_18 RESIZE_MODE },
	{ "ReverseSequence", loom_import_reverse_sequence, 0, 5, "batch_axis time_axis" },
	{ "RoiAlign", loom_import_roi_align, 0, 5, ROI_ALIGN },
	{ "RotaryEmbedding", loom_import_rotary, false, 5,
		"interleaved num_heads rotary_embedding_dim" },
	{ "Round", loom_import_unary, LOOM_GFN_ROUND, 5, "" },
	{ "STFT", loom_import_stft, 0, 5, "onesided" },
	{ "Scan", loom_import_scan, 0, 5, SCAN " body directions<9 num_scan_inputs" },
	{ "Scatter", loom_import_scatter_elements, 0, 5, "axis" },
	{ "ScatterElements", loom_import_scatter_elements, 0, 5, "axis reduction>=16" },
	{ "ScatterND", loom_import_scatter_nd, 0, 5, "reduction>=16" },
	{ "Selu", loom_import_unary, LOOM_GFN_SELU, 5, "alpha consumed_inputs<6 gamma" },
	{ "Shape", loom_import_shape, 0, 3, "end>=15 start>=15" },
	{ "Shrink", loom_import_unary, LOOM_GFN_SHRINK, 5, "bias lambd" },
	{ "Sigmoid", loom_import_unary, LOOM_GFN_SIGMOID, 1, OLD_UNARY },
	{ "Sign", loom_import_unary, LOOM_GFN_SIGN, 5, "" },
	{ "SimplifiedLayerNormalization", loom_import_rms_norm, 0, 5, "axis epsilon stash_type" },
	{ "Sin", loom_import_trig, LOOM_GFN_SIN, 5, "" },
	{ "Sinh", loom_import_trig, LOOM_GFN_SINH, 5, "" },
	{ "Size", loom_import_size, 0, 5, "" },
	{ "Slice", loom_import_slice, 0, 3, "axes<10 ends<10 starts<10" },
	{ "Softmax", loom_import_softmax, false, 1, "axis" },
	{ "SoftmaxCrossEntropyLoss", loom_import_softmax_loss, 0, 5,
		"ignore_index reduction" },
	{ "Softplus", loom_import_unary, LOOM_GFN_SOFTPLUS, 5, "" },
	{ "Softsign", loom_import_unary, LOOM_GFN_SOFTSIGN, 5, "" },
	{ "SpaceToDepth", loom_import_space_to_depth, 0, 5, "blocksize" },
	{ "Split", loom_import_split, 0, 4, "axis num_outputs>=18 split<13" },
	{ "Sqrt", loom_import_unary, LOOM_GFN_SQRT, 2, OLD_UNARY },
	{ "Squeeze", loom_import_squeeze, 0, 3, "axes<13" },
	{ "Sub", loom_import_binary, LOOM_GBIN_SUB, 2, OLD_BINARY },
	{ "Sum", loom_import_variadic, LOOM_GBIN_ADD, 5, OLD_UNARY },
	{ "Swish", loom_import_swish, false, 5, "alpha" },
	{ "Tan", loom_import_trig, LOOM_GFN_TAN, 5, "" },
	{ "Tanh", loom_import_unary, LOOM_GFN_TANH, 4, OLD_UNARY },
	{ "TensorScatter", loom_import_tensor_scatter, 0, 5, "axis mode" },
	{ "ThresholdedRelu", loom_import_unary, LOOM_GFN_THRESHOLDED_RELU, 5, "alpha" },
	{ "Tile", loom_import_tile, 0, 5, "" },
	{ "TopK", loom_import_top, 0, 5, "axis k<10 largest>=11 sorted>=11" },
	{ "Transpose", loom_import_transpose, 0, 2, "perm" },
	{ "Trilu", loom_import_trilu, 0, 5, "upper" },
	{ "Unique", loom_import_unique, 0, 5, "axis sorted" },
	{ "Unsqueeze", loom_import_unsqueeze, 0, 4, "axes<13" },
	{ "Upsample", loom_import_upsample, 0, 5, "height_scale<7 mode scales>=7<9 width_scale<7" },
	{ "Where", loom_import_where, 0, 5, "" },
	{ "Xor", loom_import_binary, LOOM_GBIN_XOR, 5, "axis<7 broadcast<7" },

	/* operators of ONNX Runtime, made by its quantiser and its optimiser */
	{ "com.microsoft.Attention", loom_import_packed_attention, 0, 5,
		PACKED " qkv_hidden_sizes rotary_embedding_dim" },
	{ "com.microsoft.BiasGelu", loom_import_bias_gelu, LOOM_GFN_GELU, 5, "" },
	{ "com.microsoft.DequantizeLinear", loom_import_dequantize, 0, 5, "axis block_size" },
	{ "com.microsoft.DynamicQuantizeMatMul", loom_import_dynamic_matmul, false, 5, "" },
	{ "com.microsoft.EmbedLayerNormalization", loom_import_embed_norm, 0, 5,
		"epsilon mask_index_type" },
	{ "com.microsoft.FastGelu", loom_import_bias_gelu, LOOM_GFN_GELU_TANH, 5, "" },
	{ "com.microsoft.FusedConv", loom_import_fused_conv, 0, 5,
		CONV " activation activation_params" },
	{ "com.microsoft.FusedGemm", loom_import_fused_gemm, 0, 5,
		"activation activation_alpha activation_beta alpha beta transA transB" },
	{ "com.microsoft.FusedMatMul", loom_import_fused_matmul, 0, 5,
		"alpha transA transB transBatchA transBatchB" },
	{ "com.microsoft.Gelu", loom_import_bias_gelu, LOOM_GFN_GELU, 5, "" },
	{ "com.microsoft.GatherBlockQuantized", loom_import_gather_blocks, 0, 5,
		"bits block_size gather_axis quantize_axis" },
	{ "com.microsoft.GroupQueryAttention", loom_import_grouped_attention, 0, 5,
		GROUPED " qk_output rotary_interleaved scale smooth_softmax softcap" },
	{ "com.microsoft.MatMulIntegerToFloat", loom_import_dynamic_matmul, true, 5, "" },
	{ "com.microsoft.MatMulNBits", loom_import_matmul_bits, 0, 5,
		"K N accuracy_level bits block_size" },
	{ "com.microsoft.MultiHeadAttention", loom_import_multi_head, 0, 5,
		"mask_filter_value num_heads scale unidirectional" },
	{ "com.microsoft.QAttention", loom_import_quantised_attention, 0, 5, PACKED },
	{ "com.microsoft.QGemm", loom_import_steps_gemm, 0, 5, "alpha transA transB" },
	{ "com.microsoft.QLinearAdd", loom_import_steps_binary, LOOM_GBIN_ADD, 5, "" },
	{ "com.microsoft.QLinearAveragePool", loom_import_steps_pool, false, 5,
		WINDOW " ceil_mode channels_last count_include_pad" },
	{ "com.microsoft.QLinearConcat", loom_import_steps_concat, 0, 5, "axis" },
	{ "com.microsoft.QLinearGlobalAveragePool", loom_import_steps_pool, true, 5,
		"channels_last" },
	{ "com.microsoft.QLinearLeakyRelu", loom_import_steps_unary, LOOM_GFN_LEAKY_RELU, 5,
		"alpha" },
	{ "com.microsoft.QLinearMul", loom_import_steps_binary, LOOM_GBIN_MUL, 5, "" },
	{ "com.microsoft.QLinearSigmoid", loom_import_steps_unary, LOOM_GFN_SIGMOID, 5, "" },
	{ "com.microsoft.QLinearSoftmax", loom_import_steps_softmax, 0, 5, "axis opset" },
	{ "com.microsoft.QuantizeLinear", loom_import_quantize, 0, 5, "axis block_size" },
	{ "com.microsoft.QuickGelu", loom_import_swish, true, 5, "alpha" },
	{ "com.microsoft.RotaryEmbedding", loom_import_rotary, true, 5,
		"interleaved is_packed_batching num_heads rotary_embedding_dim scale" },
	{ "com.microsoft.SkipLayerNormalization", loom_import_skip_norm, false, 5, "epsilon" },
	{ "com.microsoft.SkipSimplifiedLayerNormalization", loom_import_skip_norm, true, 5,
		"epsilon" },
};

/* Whether the opset is in the range that follows a name: "", "<N", ">=N" or ">=N<M". */
static bool in_range(const char *range, int opset)
{
	char *end = (char *)range;

	if (range[0] == '>' && opset < strtol(range + 2, &end, 10))
		return false;
	return *end != '<' || opset < strtol(end + 1, NULL, 10);
}

bool loom_importer_knows(const struct loom_importer *importer, const char *attr, int opset)
{
	const char *at = importer->attrs;
	size_t length;

	for (; *at; at += strspn(at, " ")) {
		length = strcspn(at, "<> ");
		if (strlen(attr) == length && !strncmp(at, attr, length))
			return in_range(at + length, opset);
		at += strcspn(at, " ");
	}
	return false;
}

const struct loom_importer *loom_importer_get(uint32_t index)
{
	return index < ARRAY_SIZE(importers) ? &importers[index] : NULL;
}

const struct loom_importer *loom_importer_find(const char *op_type)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(importers); i++) {
		if (!strcmp(importers[i].op_type, op_type))
			return &importers[i];
	}
	return NULL;
}
