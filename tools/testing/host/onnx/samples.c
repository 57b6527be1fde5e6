// SPDX-License-Identifier: MIT
/*
 * Samples of pictures at places that come with the data, and shifts of bits: corners that the ONNX
 * backend tests do not have. What is expected is written down.
 */
#include "form.h"

#define HALF(...)	{ DRM_LOOM_DTYPE_F16, __VA_ARGS__ }
#define U64(...)	{ DRM_LOOM_DTYPE_U64, __VA_ARGS__ }

/* one picture of two rows, at one place */
#define FOUR		F32(4, { 1, 1, 2, 2 }, { 1, 2, 3, 4 })
#define AT(x, y)	F32(4, { 1, 1, 1, 2 }, { x, y })
#define ONE(number)	F32(4, { 1, 1, 1, 1 }, { number })
/* the same, with two samples by bin */
#define TWO_SAMPLES	INT("sampling_ratio", 2)
#define QUARTER		{ .name = "spatial_scale", .type = LOOM_ATTR_FLOAT, .count = 1, \
			  .floats = (float[]){ 0.25f } }
#define FIRST		I64(1, { 1 }, { 0 })
#define REGION(...)	F32(2, { 1, 4 }, { __VA_ARGS__ })

static const struct form forms[] = {
	{ "the middle of four", "GridSample", 16, { }, 0, { FOUR, AT(0, 0) }, 2, 0,
	  { ONE(2.5) }, 1 },
	{ "corners are the middle of elements", "GridSample", 16, { INT("align_corners", 1) }, 1,
	  { FOUR, AT(1, -1) }, 2, 0, { ONE(2) }, 1 },
	{ "half of it is outside", "GridSample", 16, { }, 0, { FOUR, AT(-1, -0.5) }, 2, 0,
	  { ONE(0.5) }, 1 },
	{ "nothing far outside", "GridSample", 20, { TEXT("mode", "linear") }, 1,
	  { FOUR, AT(1e30, -3) }, 2, 0, { ONE(0) }, 1 },
	{ "the border far outside", "GridSample", 16, { TEXT("padding_mode", "border") }, 1,
	  { FOUR, AT(-5, 1e30) }, 2, 0, { ONE(3) }, 1 },
	{ "reflected by the border", "GridSample", 16, { TEXT("padding_mode", "reflection") }, 1,
	  { FOUR, AT(-2, -0.5) }, 2, 0, { ONE(1.5) }, 1 },
	{ "reflected by the first and the last element, more than once", "GridSample", 16,
	  { TEXT("padding_mode", "reflection"), INT("align_corners", 1) }, 2,
	  { FOUR, AT(6, -5) }, 2, 0, { ONE(1.5) }, 1 },
	{ "one column reflects to itself", "GridSample", 16,
	  { TEXT("padding_mode", "reflection"), INT("align_corners", 1) }, 2,
	  { F32(4, { 1, 1, 2, 1 }, { 5, 7 }), AT(9, 1) }, 2, 0, { ONE(7) }, 1 },
	{ "the nearest, of ties the even", "GridSample", 16, { TEXT("mode", "nearest") }, 1,
	  { F32(4, { 1, 1, 1, 4 }, { 1, 2, 3, 4 }),
	    F32(4, { 1, 1, 4, 2 }, { -1, 0, -0.5, 0, 0.5, 0, 0.99, 0 }) }, 2, 0,
	  { F32(4, { 1, 1, 1, 4 }, { 1, 1, 3, 4 }) }, 1 },
	{ "cubic is exact at an element", "GridSample", 16, { TEXT("mode", "bicubic") }, 1,
	  { FOUR, AT(0.5, 0.5) }, 2, 0, { ONE(4) }, 1 },
	{ "each picture has its own places, all channels the same", "GridSample", 16,
	  { TEXT("mode", "nearest") }, 1,
	  { F32(4, { 2, 2, 1, 2 }, { 1, 2, 10, 20, 3, 4, 30, 40 }),
	    F32(4, { 2, 2, 1, 2 }, { -0.5, 0, 0.5, 0, 0.5, 0, 0.5, 0 }) }, 2, 0,
	  { F32(4, { 2, 2, 2, 1 }, { 1, 2, 10, 20, 4, 4, 40, 40 }) }, 1 },
	{ "of half floats", "GridSample", 16, { }, 0,
	  { HALF(4, { 1, 1, 2, 2 }, { 1, 2, 3, 4 }), HALF(4, { 1, 1, 1, 2 }, { 0, 0 }) }, 2, 0,
	  { HALF(4, { 1, 1, 1, 1 }, { 2.5 }) }, 1 },
	{ "places that are known", "GridSample", 16, { }, 0, { FOUR, AT(0, 0) }, 2, 2,
	  { ONE(2.5) }, 1 },
	{ "the mean of all", "RoiAlign", 16, { TWO_SAMPLES }, 1,
	  { FOUR, REGION(0, 0, 2, 2), FIRST }, 3, 0, { ONE(2.5) }, 1 },
	{ "four bins", "RoiAlign", 16,
	  { INT("sampling_ratio", 1), INT("output_height", 2), INT("output_width", 2) }, 3,
	  { FOUR, REGION(0, 0, 2, 2), FIRST }, 3, 0, { FOUR }, 1 },
	{ "a region of a larger picture", "RoiAlign", 16,
	  { INT("sampling_ratio", 1), QUARTER }, 2,
	  { FOUR, REGION(4, 0, 8, 4), FIRST }, 3, 0, { ONE(2) }, 1 },
	{ "the border up to one element outside, nothing beyond", "RoiAlign", 16,
	  { INT("sampling_ratio", 1), INT("output_width", 2) }, 2,
	  { FOUR, REGION(-2, 0, 0, 1), FIRST }, 3, 0,
	  { F32(4, { 1, 1, 1, 2 }, { 0, 1 }) }, 1 },
	{ "at least one element, before opset 16", "RoiAlign", 10, { INT("sampling_ratio", 1) }, 1,
	  { FOUR, REGION(0, 0, 0, 0), FIRST }, 3, 0, { ONE(2.5) }, 1 },
	{ "each region of its own picture", "RoiAlign", 16, { INT("sampling_ratio", 1) }, 1,
	  { F32(4, { 2, 2, 1, 1 }, { 1, 2, 3, 4 }),
	    F32(2, { 3, 4 }, { 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1 }),
	    I64(1, { 3 }, { 1, 0, 1 }) }, 3, 0,
	  { F32(4, { 3, 2, 1, 1 }, { 3, 4, 1, 2, 3, 4 }) }, 1 },
	{ "up, until all bits are out", "BitShift", 11, { TEXT("direction", "LEFT") }, 1,
	  { U8(1, { 4 }, { 255, 255, 1, 3 }), U8(1, { 4 }, { 8, 255, 7, 0 }) }, 2, 0,
	  { U8(1, { 4 }, { 0, 0, 128, 3 }) }, 1 },
	{ "down, until all bits are out", "BitShift", 11, { TEXT("direction", "RIGHT") }, 1,
	  { U8(1, { 4 }, { 255, 255, 255, 3 }), U8(1, { 4 }, { 8, 255, 7, 0 }) }, 2, 0,
	  { U8(1, { 4 }, { 0, 0, 1, 3 }) }, 1 },
	{ "of 64 bits, by a number that is known", "BitShift", 11, { TEXT("direction", "RIGHT") },
	  1, { U64(1, { 2 }, { 0x1p63, 3 }), U64(1, { 1 }, { 63 }) }, 2, 2,
	  { U64(1, { 2 }, { 1, 0 }) }, 1 },
	{ "of what is known, too", "BitShift", 11, { TEXT("direction", "RIGHT") }, 1,
	  { U8(1, { 3 }, { 255, 255, 3 }), U8(1, { 3 }, { 8, 7, 0 }) }, 2, 3,
	  { U8(1, { 3 }, { 0, 1, 3 }) }, 1 },
	{ "of half floats", "QuantizeLinear", 19, { }, 0,
	  { HALF(1, { 6 }, { 1, 2, 3.25, -4, 600, 0.125 }), HALF(0, { 0 }, { 0.5 }),
	    U8(0, { 0 }, { 10 }) }, 3, 6, { U8(1, { 6 }, { 12, 14, 16, 2, 255, 10 }) }, 1 },
	{ "of half floats, each channel with a scale, in one that is no power of two",
	  "QuantizeLinear", 19, { INT("axis", 0) }, 1,
	  { HALF(2, { 2, 2 }, { 1, 2, 3, -4 }), HALF(1, { 2 }, { 0.0999755859375, 3 }),
	    I8(1, { 2 }, { 0, 1 }) }, 3, 6, { I8(2, { 2, 2 }, { 10, 20, 2, 0 }) }, 1 },
	{ "periods, more than one", "Pad", 19, { TEXT("mode", "wrap") }, 1,
	  { F32(1, { 3 }, { 1, 2, 3 }), I64(1, { 2 }, { 7, 8 }) }, 2, 2,
	  { F32(1, { 18 }, { 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2 }) }, 1 },
	{ "reflections, more than one", "Pad", 19, { TEXT("mode", "reflect") }, 1,
	  { F32(1, { 3 }, { 1, 2, 3 }), I64(1, { 2 }, { 5, 6 }) }, 2, 2,
	  { F32(1, { 14 }, { 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1 }) }, 1 },
	{ "of bytes", "BitwiseNot", 18, { }, 0, { U8(1, { 3 }, { 0, 255, 1 }) }, 1, 0,
	  { U8(1, { 3 }, { 255, 0, 254 }) }, 1 },
	{ "of numbers with a sign", "BitwiseNot", 18, { }, 0,
	  { I8(1, { 3 }, { 0, -128, 5 }) }, 1, 0,
	  { I8(1, { 3 }, { -1, 127, -6 }) }, 1 },
};

/* A node that is refused, with this line; its operands are zeroes. */
struct refused {
	const char *op;
	int opset;
	struct loom_attr attrs[3];
	uint32_t num_attrs;
	struct tensor operands[3];
	uint32_t num_operands;
	const char *line;
};

static const struct refused refusals[] = {
	{ "GridSample", 16, { TEXT("mode", "bicubic"), TEXT("padding_mode", "border") }, 2,
	  { FOUR, AT(0, 0) }, 2, "cubic with padding_mode border is not supported" },
	{ "GridSample", 16, { }, 0, { FOUR, F32(4, { 1, 1, 1, 3 }, { 0 }) }, 2,
	  "data f32 [1,1,2,2] with a grid f32 [1,1,1,3] are not supported" },
	{ "GridSample", 16, { }, 0, { FOUR, F32(4, { 2, 1, 1, 2 }, { 0 }) }, 2,
	  "with a grid f32 [2,1,1,2] are not supported" },
	{ "GridSample", 16, { }, 0, { F32(3, { 1, 2, 2 }, { 0 }), F32(3, { 1, 1, 1 }, { 0 }) }, 2,
	  "data f32 [1,2,2] with a grid f32 [1,1,1] are not supported" },
	{ "GridSample", 16, { }, 0,
	  { FOUR, { DRM_LOOM_DTYPE_F32, 4, { 1, 1 << 12, 1 << 12, 2 }, { 0 } } }, 2,
	  "samples of 2 elements are not supported" },
	{ "GridSample", 16, { }, 0,
	  { { DRM_LOOM_DTYPE_F32, 4, { 1, 1 << 20, 1 << 20, 1 }, { 0 } }, AT(0, 0) }, 2,
	  "1 samples of 1099511627776 rows are not supported" },
	{ "GridSample", 16, { TEXT("mode", "") }, 1, { FOUR, AT(0, 0) }, 2, "mode" },
	{ "GridSample", 16, { TEXT("mode", "best") }, 1, { FOUR, AT(0, 0) }, 2, "best" },
	{ "RoiAlign", 16, { TEXT("mode", "max"), TWO_SAMPLES }, 2,
	  { FOUR, REGION(0, 0, 1, 1), FIRST }, 3, "mode max is not supported" },
	{ "RoiAlign", 16, { }, 0, { FOUR, REGION(0, 0, 1, 1), FIRST }, 3, "sampling_ratio 0" },
	{ "RoiAlign", 16, { TWO_SAMPLES, INT("output_height", INT64_MAX) }, 2,
	  { FOUR, REGION(0, 0, 1, 1), FIRST }, 3,
	  "1 regions of 9223372036854775807 times 1 are not supported" },
	{ "RoiAlign", 16, { INT("sampling_ratio", INT64_MAX) }, 1,
	  { FOUR, REGION(0, 0, 1, 1), FIRST }, 3, "1 regions of 1 times 1 are not supported" },
	{ "RoiAlign", 16, { TWO_SAMPLES }, 1,
	  { FOUR, REGION(0, 0, 1, 1), I64(1, { 2 }, { 0 }) }, 3, "operands do not fit together" },
	{ "BitShift", 11, { }, 0, { U8(1, { 1 }, { 1 }), U8(1, { 1 }, { 1 }) }, 2,
	  "direction is \"\"" },
	{ "BitShift", 11, { TEXT("direction", "LEFT") }, 1,
	  { I32(1, { 1 }, { 1 }), I32(1, { 1 }, { 1 }) }, 2, "operands are i32 and i32" },
	{ "BitwiseNot", 18, { }, 0, { F32(1, { 1 }, { 1 }) }, 1, "operand of type f32" },
};

static void try_refused(const struct refused *refused)
{
	static const char *const names[] = { "a", "b", "c" };
	struct loom_graph *graph = model_create(refused->opset);
	struct loom_error err = { .text = "" };
	char list[] = "a b c";
	uint32_t i;
	int ret;

	for (i = 0; i < refused->num_operands; i++) {
		struct loom_tensor_info info = {
			.name = names[i], .dtype = refused->operands[i].dtype,
			.rank = refused->operands[i].rank,
		};

		memcpy(info.dims, refused->operands[i].dims, sizeof(refused->operands[i].dims));
		loom_graph_add_input(graph, &info);
	}
	list[2 * refused->num_operands - 1] = '\0';
	model_add_node(graph, refused->op, list, "y", refused->attrs, refused->num_attrs);
	loom_graph_add_output(graph, "y");
	ret = loom_graph_finish(graph, NULL, &err);
	tap_ok(ret && strstr(err.text, refused->line), "%s", refused->line);
	if (!ret || !strstr(err.text, refused->line))
		tap_note("%d: %s", ret, err.text);
	loom_graph_destroy(graph);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++)
		try_form(&forms[i]);
	for (i = 0; i < ARRAY_SIZE(refusals); i++)
		try_refused(&refusals[i]);
	return tap_end();
}
