// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"
#include "fp_nest.h"

/*
 * Floating point to integer truncates. Values out of range become those of the x86 instructions in
 * ONNX Runtime: the "integer indefinite" value of 32 bits (64 bits for types with more than 31),
 * cut to the type.
 */
u64 loom_cast_integer(double d, u32 dtype)
{
	if (dtype == DRM_LOOM_DTYPE_BOOL)
		return d != 0.0;
	if (dtype == DRM_LOOM_DTYPE_U64 && d >= 0x1p63)
		return d < 0x1p64 ? (u64)(s64)(d - 0x1p63) ^ 1ULL << 63 : 0;
	if (dtype == DRM_LOOM_DTYPE_U64 || dtype == DRM_LOOM_DTYPE_I64 ||
	    dtype == DRM_LOOM_DTYPE_U32)
		return d >= -0x1p63 && d < 0x1p63 ? (u64)(s64)d : 1ULL << 63;
	return d > -0x1.00000002p31 && d < 0x1p31 ? (u64)(s64)d : 0xffffffff80000000ULL;
}

static noinline void cast_from_float(const struct loom_row *rows, u32 from, u32 to, u32 n)
{
	union loom_buf x_buf, y;
	u16 half[LOOM_TILE];
	const double *x;
	u32 i;

	/* binary32 and binary16 are exact in binary64: one rounding, whatever the types */
	x = loom_row_f64(&rows[1], from, n, &x_buf);
	switch (loom_dtype_class(to)) {
	case LOOM_CLASS_F32:
		if (to == DRM_LOOM_DTYPE_F16) {
			for (i = 0; i < n; i++)
				half[i] = loom_half_of_f64(x[i]);
			loom_row_write(&rows[0], 2, n, half);
			return;
		}
		for (i = 0; i < n; i++)
			y.f32[i] = (float)x[i];
		loom_row_put_f32(&rows[0], to, n, y.f32);
		break;
	case LOOM_CLASS_F64:
		loom_row_put_f64(&rows[0], n, x);
		break;
	case LOOM_CLASS_U64:
		for (i = 0; i < n; i++)
			y.u64[i] = loom_cast_integer(x[i], to);
		loom_row_put_u64(&rows[0], to, n, y.u64);
		break;
	}
}

static noinline void cast_from_integer(const struct loom_row *rows, u32 from, u32 to, u32 n)
{
	bool is_signed = loom_dtype_signed(from);
	union loom_buf x_buf, y;
	u16 half[LOOM_TILE];
	const u64 *x;
	u32 i;

	x = loom_row_u64(&rows[1], from, n, &x_buf);
	switch (to) {
	case DRM_LOOM_DTYPE_F32:
		for (i = 0; i < n; i++)
			y.f32[i] = is_signed ? (float)(s64)x[i] : (float)x[i];
		loom_row_put_f32(&rows[0], to, n, y.f32);
		break;
	case DRM_LOOM_DTYPE_F16:
		/* values that binary64 rounds are infinite in binary16 */
		for (i = 0; i < n; i++)
			half[i] = loom_half_of_f64(is_signed ? (double)(s64)x[i] : (double)x[i]);
		loom_row_write(&rows[0], 2, n, half);
		break;
	case DRM_LOOM_DTYPE_F64:
		for (i = 0; i < n; i++)
			y.f64[i] = is_signed ? (double)(s64)x[i] : (double)x[i];
		loom_row_put_f64(&rows[0], n, y.f64);
		break;
	case DRM_LOOM_DTYPE_BOOL:
		for (i = 0; i < n; i++)
			y.u64[i] = !!x[i];
		loom_row_put_u64(&rows[0], to, n, y.u64);
		break;
	default:
		loom_row_put_u64(&rows[0], to, n, x);
		break;
	}
}

u64 loom_fp_cast_run(const struct loom_command *command, const struct loom_memory *memory,
		     u64 first, u64 count, struct loom_part *part)
{
	u32 from = command->views[1].dtype;
	u32 to = command->views[0].dtype;
	struct loom_row rows[LOOM_NEST_VIEWS];
	struct loom_nest nest;

	loom_nest_begin(&nest, command, memory, first, count, 1, part);
	while (loom_nest_next(&nest, LOOM_TILE, rows)) {
		if (loom_dtype_class(from) == LOOM_CLASS_U64)
			cast_from_integer(rows, from, to, nest.n);
		else
			cast_from_float(rows, from, to, nest.n);
	}
	return nest.units;
}
