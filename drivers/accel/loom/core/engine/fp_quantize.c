// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp_math.h"
#include "fp_nest.h"

/*
 * The zero point is saturated with, not after, rounding: round(x / scale) + zero is
 * clamped as round(x / scale) to what the type leaves beside the zero point. So no sum overflows,
 * and a NaN is the lowest value.
 */
/*
 * Fast path, the common case in networks: bytes with one scale and one zero point, in vector loops.
 */
static bool quantize_plain(const struct loom_row *rows, u32 dtype, bool zero)
{
	return loom_dtype_stride(dtype) == 1 && !rows[2].lanes && !rows[2].stride &&
	       (!zero || (!rows[3].lanes && !rows[3].stride));
}

/* The zero point of those. */
static s32 quantize_zero(const struct loom_row *rows, u32 dtype, bool zero)
{
	if (!zero)
		return 0;
	return dtype == DRM_LOOM_DTYPE_I8 ? (s8)*rows[3].at : *rows[3].at;
}

static noinline void quantize_bytes(const struct loom_row *rows, u32 dtype, bool zero, u32 n)
{
	float zf = (float)quantize_zero(rows, dtype, zero), scale = loom_get_f32(rows[2].at);
	float low = (dtype == DRM_LOOM_DTYPE_I8 ? -128.0f : 0.0f) - zf, high = low + 255.0f;
	union loom_buf x_buf;
	u8 to[LOOM_TILE];
	const float *x;
	float v;
	u32 i;

	x = loom_row_f32(&rows[1], DRM_LOOM_DTYPE_F32, n, &x_buf);
	for (i = 0; i < n; i++) {
		v = loom_rintf(x[i] / scale);
		v = v > low ? v : low;
		v = v < high ? v : high;
		to[i] = (u8)(s32)(v + zf);
	}
	loom_row_write(&rows[0], 1, n, to);
}

static noinline void quantize_tile(const struct loom_row *rows, u32 dtype, bool zero, u32 n)
{
	u32 bits = loom_dtype_bits(dtype);
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

static noinline void dequantize_bytes(const struct loom_row *rows, u32 dtype, bool zero, u32 n)
{
	s32 z = quantize_zero(rows, dtype, zero);
	float scale = loom_get_f32(rows[2].at);
	float to[LOOM_TILE];
	u8 buf[LOOM_TILE];
	const u8 *x;
	u32 i;

	x = loom_row_raw(&rows[1], 1, n, buf);
	if (dtype == DRM_LOOM_DTYPE_I8) {
		for (i = 0; i < n; i++)
			to[i] = (float)((s8)x[i] - z) * scale;
	} else {
		for (i = 0; i < n; i++)
			to[i] = (float)(x[i] - z) * scale;
	}
	loom_row_put_f32(&rows[0], DRM_LOOM_DTYPE_F32, n, to);
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
	u32 dtype = command->views[0].dtype;
	struct loom_row rows[LOOM_NEST_VIEWS];
	bool zero = command->operands > 3;
	struct loom_nest nest;

	loom_nest_begin(&nest, command, memory, first, count, 1, part);
	while (loom_nest_next(&nest, LOOM_TILE, rows)) {
		if (quantize_plain(rows, dtype, zero))
			quantize_bytes(rows, dtype, zero, nest.n);
		else
			quantize_tile(rows, dtype, zero, nest.n);
	}
	return nest.units;
}

u64 loom_fp_dequantize_run(const struct loom_command *command, const struct loom_memory *memory,
			   u64 first, u64 count, struct loom_part *part)
{
	u32 dtype = command->views[1].dtype;
	struct loom_row rows[LOOM_NEST_VIEWS];
	bool zero = command->operands > 3;
	struct loom_nest nest;

	loom_nest_begin(&nest, command, memory, first, count, 1, part);
	while (loom_nest_next(&nest, LOOM_TILE, rows)) {
		if (quantize_plain(rows, dtype, zero))
			dequantize_bytes(rows, dtype, zero, nest.n);
		else
			dequantize_tile(rows, dtype, zero, nest.n);
	}
	return nest.units;
}
