// SPDX-License-Identifier: MIT
/*
 * Samples of pictures at places that come with the data, shifts of bits, and windows that are
 * larger than the data: corners that the ONNX backend tests do not have. Expected results are
 * written down.
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

/* windows */
#define SQUARE		F32(4, { 1, 1, 2, 2 }, { 1, -4, 3, 2 })
#define KERNEL		INTS("kernel_shape", 2, 3, 3)
#define STRIDES		INTS("strides", 2, 2, 2)
#define CEIL		INT("ceil_mode", 1)
#define PIXEL		F32(4, { 1, 1, 1, 1 }, { 0 })

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
	{ "one window that the data do not fill", "MaxPool", 12, { KERNEL, STRIDES, CEIL }, 3,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 1, 1 }, { 3 }) }, 1 },
	{ "its mean is that of the data", "AveragePool", 12, { KERNEL, STRIDES, CEIL }, 3,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 1, 1 }, { 0.5 }) }, 1 },
	{ "also where padding counts, because there is none", "AveragePool", 12,
	  { KERNEL, STRIDES, CEIL, INT("count_include_pad", 1) }, 4,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 1, 1 }, { 0.5 }) }, 1 },
	{ "its norm is that of the data", "LpPool", 18, { KERNEL, STRIDES, CEIL, INT("p", 1) }, 4,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 1, 1 }, { 10 }) }, 1 },
	{ "the norm of a last window that is cut off", "LpPool", 18,
	  { INTS("kernel_shape", 1, 2), INTS("strides", 1, 2), CEIL, INT("p", 1) }, 4,
	  { F32(3, { 1, 1, 3 }, { 1, -2, -4 }) }, 1, 0,
	  { F32(3, { 1, 1, 2 }, { 3, 4 }) }, 1 },
	{ "no window, without rounding up", "MaxPool", 12, { KERNEL }, 1,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 0, 0 }, { 0 }) }, 1 },
};

/* Their operands are of any size. */
static const struct form refusals[] = {
	{ "data f32 [1,1,2,2] with a grid f32 [1,1,1,3] are not supported", "GridSample", 16, { },
	  0, { FOUR, F32(4, { 1, 1, 1, 3 }, { 0 }) }, 2, 0, { }, 0 },
	{ "with a grid f32 [2,1,1,2] are not supported", "GridSample", 16, { }, 0, { FOUR, F32(4,
	  { 2, 1, 1, 2 }, { 0 }) }, 2, 0, { }, 0 },
	{ "data f32 [1,2,2] with a grid f32 [1,1,1] are not supported", "GridSample", 16, { }, 0,
	  { F32(3, { 1, 2, 2 }, { 0 }), F32(3, { 1, 1, 1 }, { 0 }) }, 2, 0, { }, 0 },
	{ "samples of 2 elements are not supported", "GridSample", 16, { }, 0,
	  { FOUR, { DRM_LOOM_DTYPE_F32, 4, { 1, 1 << 12, 1 << 12, 2 }, { 0 } } }, 2, 0, { }, 0 },
	{ "1 samples of 1099511627776 rows are not supported", "GridSample", 16, { }, 0, { {
	  DRM_LOOM_DTYPE_F32, 4, { 1, 1 << 20, 1 << 20, 1 }, { 0 } }, AT(0, 0) }, 2, 0, { }, 0 },
	{ "mode", "GridSample", 16, { TEXT("mode", "") }, 1, { FOUR, AT(0, 0) }, 2, 0, { }, 0 },
	{ "best", "GridSample", 16, { TEXT("mode", "best") }, 1, { FOUR, AT(0, 0) }, 2, 0, { }, 0
	  },
	{ "mode max is not supported", "RoiAlign", 16, { TEXT("mode", "max"), TWO_SAMPLES }, 2,
	  { FOUR, REGION(0, 0, 1, 1), FIRST }, 3, 0, { }, 0 },
	{ "sampling_ratio 0", "RoiAlign", 16, { }, 0, { FOUR, REGION(0, 0, 1, 1), FIRST }, 3, 0, {
	  }, 0 },
	{ "1 regions of 9223372036854775807 times 1 are not supported", "RoiAlign", 16, {
	  TWO_SAMPLES, INT("output_height", INT64_MAX) }, 2, { FOUR, REGION(0, 0, 1, 1), FIRST },
	  3, 0, { }, 0 },
	{ "1 regions of 1 times 1 are not supported", "RoiAlign", 16, { INT("sampling_ratio",
	  INT64_MAX) }, 1, { FOUR, REGION(0, 0, 1, 1), FIRST }, 3, 0, { }, 0 },
	{ "operands do not fit together", "RoiAlign", 16, { TWO_SAMPLES }, 1,
	  { FOUR, REGION(0, 0, 1, 1), I64(1, { 2 }, { 0 }) }, 3, 0, { }, 0 },
	{ "direction is \"\"", "BitShift", 11, { }, 0, { U8(1, { 1 }, { 1 }), U8(1, { 1 }, { 1 })
	  }, 2, 0, { }, 0 },
	{ "operands are i32 and i32", "BitShift", 11, { TEXT("direction", "LEFT") }, 1,
	  { I32(1, { 1 }, { 1 }), I32(1, { 1 }, { 1 }) }, 2, 0, { }, 0 },
	{ "operand of type f32", "BitwiseNot", 18, { }, 0, { F32(1, { 1 }, { 1 }) }, 1, 0, { }, 0
	  },
	/* windows that are larger than the data */
	{ "larger than axis 2", "MaxPool", 12, { KERNEL, INTS("strides", 2, 1, 1) }, 2, { PIXEL },
	  1, 0, { }, 0 },
	{ "larger than axis 2", "Conv", 12, { KERNEL, INTS("strides", 2, 1, 1) }, 2,
	  { PIXEL, F32(4, { 1, 1, 3, 3 }, { 1 }) }, 2, 2, { }, 0 },
};

int main(void)
{
	try_forms(forms, ARRAY_SIZE(forms));
	try_forms(refusals, ARRAY_SIZE(refusals));
	return tap_end();
}
