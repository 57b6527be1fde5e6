// SPDX-License-Identifier: MIT
/*
 * Operators of com.microsoft, which ONNX Runtime's quantiser and optimiser write. Scales are powers
 * of two, so that nothing but the last rounding rounds.
 */
#include "form.h"

#define ONE(type, is)	type(0, { 0 }, { is })
#define HALF		ONE(F32, 0.5)
#define QUARTER		ONE(F32, 0.25)
#define MS		"com.microsoft."
#define SCALES		F32(1, { 2 }, { 1, 1 })
#define MATRIX		F32(2, { 2, 3 }, { 0 })

static const struct form forms[] = {
	{ "sums in steps of the result, cut off at its ends", MS "QLinearAdd", 17, { }, 0,
	  { U8(1, { 4 }, { 10, 12, 0, 255 }), HALF, ONE(U8, 10),
	    U8(1, { 4 }, { 4, 8, 0, 255 }), QUARTER, ONE(U8, 4), HALF, ONE(U8, 1) }, 8, 0xf6,
	  { U8(1, { 4 }, { 1, 5, 0, 255 }) }, 1 },
	{ "one number for all", MS "QLinearMul", 17, { }, 0,
	  { I8(2, { 2, 2 }, { -8, 0, 8, 16 }), HALF, ONE(I8, 0), ONE(I8, 3), ONE(F32, 1),
	    ONE(I8, 1), HALF, ONE(I8, -1) }, 8, 0xfe,
	  { I8(2, { 2, 2 }, { -17, -1, 15, 31 }) }, 1 },
	{ "a function between steps", MS "QLinearLeakyRelu", 17,
	  { { .name = "alpha", .type = LOOM_ATTR_FLOAT, .count = 1,
	      .floats = (float[]){ 0.5f } } }, 1,
	  { U8(1, { 3 }, { 0, 8, 12 }), HALF, ONE(U8, 8), QUARTER, ONE(U8, 16) }, 5, 0x1e,
	  { U8(1, { 3 }, { 8, 16, 24 }) }, 1 },
	{ "channels last", MS "QLinearGlobalAveragePool", 17, { INT("channels_last", 1) }, 1,
	  { U8(4, { 1, 2, 1, 3 }, { 1, 2, 3, 5, 6, 9 }), HALF, ONE(U8, 0), QUARTER,
	      ONE(U8, 0) }, 5, 0x1e, { U8(4, { 1, 1, 1, 3 }, { 6, 8, 12 }) }, 1 },
	{ "windows", MS "QLinearAveragePool", 17,
	  { INTS("kernel_shape", 1, 2), INTS("strides", 1, 2) }, 2,
	  { U8(3, { 1, 1, 4 }, { 1, 3, 10, 20 }), HALF, ONE(U8, 1), HALF, ONE(U8, 0) }, 5, 0x1e,
	  { U8(3, { 1, 1, 2 }, { 1, 14 }) }, 1 },
	{ "parts in steps of their own", MS "QLinearConcat", 17, { INT("axis", 0) }, 1,
	  { HALF, ONE(U8, 0), U8(1, { 2 }, { 3, 5 }), ONE(F32, 1), ONE(U8, 1),
	    U8(1, { 1 }, { 7 }), QUARTER, ONE(U8, 3) }, 8, 0xdb,
	  { U8(1, { 3 }, { 4, 8, 2 }) }, 1 },
	{ "a bias, and scales of columns", MS "QGemm", 17, { }, 0,
	  { U8(2, { 1, 2 }, { 3, 5 }), HALF, ONE(U8, 1), I8(2, { 2, 2 }, { 1, 2, 3, 4 }),
	    F32(1, { 2 }, { 1, 2 }), I8(1, { 2 }, { 0, 0 }), I32(1, { 2 }, { 2, -4 }),
	    ONE(F32, 1), ONE(U8, 10) }, 9, 0x1fe,
	  { U8(2, { 1, 2 }, { 18, 26 }) }, 1 },
	{ "a factor of the product and of the bias", MS "QGemm", 17,
	  { { .name = "alpha", .type = LOOM_ATTR_FLOAT, .count = 1,
	      .floats = (float[]){ 0.5f } } }, 1,
	  { U8(2, { 1, 2 }, { 3, 5 }), HALF, ONE(U8, 1), I8(2, { 2, 2 }, { 1, 2, 3, 4 }),
	    F32(1, { 2 }, { 1, 2 }), I8(1, { 2 }, { 0, 0 }), I32(1, { 2 }, { 2, -4 }) }, 7, 0x7e,
	  { F32(2, { 1, 2 }, { 4, 8 }) }, 1 },
	{ "columns as rows, without steps of the result", MS "QGemm", 17, { INT("transB", 1) }, 1,
	  { U8(2, { 1, 2 }, { 3, 5 }), HALF, ONE(U8, 1), I8(2, { 2, 2 }, { 1, 3, 2, 4 }),
	    F32(1, { 2 }, { 1, 2 }), I8(1, { 2 }, { 0, 0 }) }, 6, 0x3e,
	  { F32(2, { 1, 2 }, { 7, 20 }) }, 1 },
	{ "floats of bytes", MS "MatMulIntegerToFloat", 17, { }, 0,
	  { U8(2, { 1, 2 }, { 3, 5 }), I8(2, { 2, 2 }, { 1, 2, 3, 4 }), HALF,
	    F32(1, { 2 }, { 1, 2 }), ONE(U8, 1), I8(1, { 2 }, { 1, 0 }),
	    F32(1, { 2 }, { 100, 200 }) }, 7, 0x7e,
	  { F32(2, { 1, 2 }, { 104, 220 }) }, 1 },
	{ "an operand that is cut into 255 steps", MS "DynamicQuantizeMatMul", 17, { }, 0,
	  { F32(2, { 1, 2 }, { 0, 255 }), I8(2, { 2, 1 }, { 9, 3 }), HALF, ONE(I8, 1) },
	  4, 0xe, { F32(2, { 1, 1 }, { 255 }) }, 1 },
	{ "a sum, and then an activation", MS "FusedConv", 17,
	  { TEXT("activation", "Clip"), FLOATS("activation_params", 2, 0, 6) }, 2,
	  { F32(3, { 1, 1, 3 }, { 1, 2, -3 }), F32(3, { 1, 1, 1 }, { 2 }),
	    F32(1, { 1 }, { 1 }), F32(3, { 1, 1, 3 }, { 1, 5, 0 }) }, 4, 6,
	  { F32(3, { 1, 1, 3 }, { 4, 6, 0 }) }, 1 },
	{ "both matrices turned, and a factor", MS "FusedMatMul", 17,
	  { INT("transA", 1), INT("transB", 1), { .name = "alpha", .type = LOOM_ATTR_FLOAT,
	    .count = 1, .floats = (float[]){ 0.5f } } }, 3,
	  { F32(2, { 2, 1 }, { 2, 4 }), F32(2, { 1, 2 }, { 3, 5 }) }, 2, 0,
	  { F32(2, { 1, 1 }, { 13 }) }, 1 },
	{ "of a sum, which is a result, too", MS "SkipSimplifiedLayerNormalization", 17,
	  { { .name = "epsilon", .type = LOOM_ATTR_FLOAT, .count = 1,
	      .floats = (float[]){ 0 } } }, 1,
	  { F32(2, { 1, 2 }, { 3, 1 }), F32(2, { 1, 2 }, { -1, 1 }),
	    F32(1, { 2 }, { 3, 5 }) }, 3, 4, { F32(2, { 1, 2 }, { 3, 5 }) }, 1 },
	{ "parameters of groups", "GroupNormalization", 18,
	  { INT("num_groups", 2), { .name = "epsilon", .type = LOOM_ATTR_FLOAT, .count = 1,
	    .floats = (float[]){ 0 } } }, 2,
	  { F32(3, { 1, 4, 1 }, { 1, 3, 10, 30 }), F32(1, { 2 }, { 2, 4 }),
	    F32(1, { 2 }, { 1, 0 }) }, 3, 6,
	  { F32(3, { 1, 4, 1 }, { -1, 3, -4, 4 }) }, 1 },
};

/* Weights between bytes stay bytes: 1 each, not 4. */
static void bytes_stay(void)
{
	struct loom_planner_options planner = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	const struct tensor weights = I8(2, { 4, 4 }, { 1, 2, 3 }), scale = HALF;
	const struct tensor zero = ONE(U8, 3), zero_b = ONE(I8, 0);
	const struct tensor *operands[] = { &scale, &zero, &weights, &scale, &zero_b };
	static const char *const names[] = { "s", "z", "w", "t", "y" };
	struct loom_graph *graph = model_create(17);
	struct loom_program *program = NULL;
	struct loom_array array;
	struct loom_error err = { .text = "" };
	uint32_t i;
	int ret;

	loom_graph_add_input(graph, &(struct loom_tensor_info){
		.name = "a", .dtype = DRM_LOOM_DTYPE_U8, .rank = 2, .dims = { 2, 4 } });
	for (i = 0; i < ARRAY_SIZE(operands); i++) {
		fill(&array, operands[i], names[i]);
		loom_graph_add_const(graph, &array);
		array.name = NULL;
		loom_array_clear(&array);
	}
	model_add_node(graph, MS "QGemm", "a s z w t y - s z", "r", NULL, 0);
	loom_graph_add_output(graph, "r");
	ret = loom_graph_finish(graph, NULL, &err);
	if (!ret)
		ret = loom_program_create(graph, &planner, &program, &err);
	tap_ok(!ret && program->stats.weights_bytes < 64, "weights of QGemm stay bytes");
	if (program)
		tap_note("%llu bytes", (unsigned long long)program->stats.weights_bytes);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
}

static const struct form refusals[] = {
	{ "do not fit their operand", MS "QLinearAdd", 17, { }, 0,
	  { MATRIX, SCALES, { 0 }, MATRIX, SCALES, { 0 }, SCALES }, 7, 0x52, { }, 0 },
	{ "it has 3 operands", MS "QLinearConcat", 17, { }, 0, { SCALES, MATRIX, SCALES }, 3, 5, {
	  }, 0 },
	{ "are no matrices", MS "QGemm", 17, { }, 0,
	  { MATRIX, SCALES, { 0 }, SCALES, SCALES, { 0 }, { 0 }, SCALES }, 8, 0x9a, { }, 0 },
};

int main(void)
{
	try_forms(forms, ARRAY_SIZE(forms));
	try_forms(refusals, ARRAY_SIZE(refusals));
	bytes_stay();
	return tap_end();
}
