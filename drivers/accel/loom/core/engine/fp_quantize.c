// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"
#include "fp_nest.h"

/*
 * The zero point is saturated with, not after, rounding: round(x / scale) + zero is
 * clamped as round(x / scale) to what the type leaves beside the zero point. So no sum overflows,
 * and a NaN is the lowest value.
 */
static noinline void quantize_tile(const struct loom_row *rows, u32 dtype, bool zero, u32 n)
{
	u32 bits = 8 * loom_dtype_bytes(dtype);
	bool is_signed = loom_dtype_signed(dtype);
	float low = is_signed ? -(float)(1 << (bits - 1)) : 0.0f;
	float high = low + (float)((1 << bits) - 1);
	union loom_buf x_buf, s_buf, z;
	const float *x, *s;
	float v, zf;
	u32 i;

	x = loom_row_f32(&rows[1], DRM_LOOM_DTYPE_F32, n, &x_buf);
	s = loom_row_f32(&rows[2], DRM_LOOM_DTYPE_F32, n, &s_buf);
	if (zero)
		loom_row_u64(&rows[3], dtype, n, &z);
	for (i = 0; i < n; i++) {
		zf = zero ? (float)(s32)z.u64[i] : 0.0f;
		v = loom_rintf(x[i] / s[i]);
		v = v > low - zf ? v : low - zf;
		v = v < high - zf ? v : high - zf;
		z.u64[i] = (u64)(s64)(s32)(v + zf);
	}
	loom_row_put_u64(&rows[0], dtype, n, z.u64);
}

static noinline void dequantize_tile(const struct loom_row *rows, u32 dtype, bool zero, u32 n)
{
	union loom_buf x, s_buf, z;
	const float *s;
	u32 i;

	/* types narrower than 64 bits are always widened to the buffer */
	loom_row_u64(&rows[1], dtype, n, &x);
	s = loom_row_f32(&rows[2], DRM_LOOM_DTYPE_F32, n, &s_buf);
	if (zero) {
		loom_row_u64(&rows[3], dtype, n, &z);
		for (i = 0; i < n; i++)
			x.u64[i] -= z.u64[i];
	}
	for (i = 0; i < n; i++)
		z.f32[i] = (float)(s64)x.u64[i] * s[i];
	loom_row_put_f32(&rows[0], DRM_LOOM_DTYPE_F32, n, z.f32);
}

u64 loom_fp_quantize_run(const struct loom_command *command, const struct loom_memory *memory,
			 u64 first, u64 count, struct loom_part *part)
{
	struct loom_row rows[LOOM_NEST_VIEWS];
	struct loom_nest nest;

	loom_nest_begin(&nest, command, memory, first, count, 1, part);
	while (loom_nest_next(&nest, LOOM_TILE, rows))
		quantize_tile(rows, command->views[0].dtype, command->operands > 3, nest.n);
	return nest.units;
}

u64 loom_fp_dequantize_run(const struct loom_command *command, const struct loom_memory *memory,
			   u64 first, u64 count, struct loom_part *part)
{
	struct loom_row rows[LOOM_NEST_VIEWS];
	struct loom_nest nest;

	loom_nest_begin(&nest, command, memory, first, count, 1, part);
	while (loom_nest_next(&nest, LOOM_TILE, rows))
		dequantize_tile(rows, command->views[1].dtype, command->operands > 3, nest.n);
	return nest.units;
}
