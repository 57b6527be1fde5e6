/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_MATH_H
#define LOOM_FP_MATH_H

#include "fp_row.h"

/**
 * DOC: Elementary functions
 *
 * There is no libm in a kernel, and the one on the host would not have the same last bit. So
 * these are our own: argument reduction, and a polynomial of least greatest error on what is left
 * (found with a Remez exchange in 60 digits).
 *
 * Two kinds. Functions that networks apply to whole feature maps (exp, sigmoid, tanh, erf of
 * binary32) are inline, in binary32, without a branch or a table, so that a loop over a tile
 * becomes vector code on plain SSE2. Everything else is computed in binary64, where errors of a few
 * 2^-53 are lost when the result is rounded to binary32, and serves F64 as well.
 *
 * Special values are IEEE 754's: infinities, NaN, signed zeroes and subnormal results.
 */

double loom_exp(double x);
double loom_expm1(double x);
double loom_log(double x);
double loom_log1p(double x);
double loom_pow(double x, double y);
double loom_tanh(double x);
double loom_erf(double x);
double loom_fmod(double x, double y);

/* As CAST does it: truncated; a value out of range becomes some value of the type. */
u64 loom_cast_integer(double d, u32 dtype);

/* 2^23 and 2^52: adding these rounds to an integer, half to even */
#define LOOM_F32_ROUND	0x1p23f
#define LOOM_F64_ROUND	0x1p52

static __always_inline float loom_fabsf(float x)
{
	return __builtin_fabsf(x);
}

static __always_inline float loom_copysignf(float x, float sign)
{
	return loom_f32_of_bits((loom_bits_of_f32(x) & 0x7fffffff) |
				(loom_bits_of_f32(sign) & 0x80000000));
}

static __always_inline double loom_copysign(double x, double sign)
{
	return loom_f64_of_bits((loom_bits_of_f64(x) & ~(1ULL << 63)) |
				(loom_bits_of_f64(sign) & (1ULL << 63)));
}

static __always_inline float loom_rintf(float x)
{
	float a = loom_fabsf(x);
	float r = (a + LOOM_F32_ROUND) - LOOM_F32_ROUND;

	return a < LOOM_F32_ROUND ? loom_copysignf(r, x) : x;
}

static __always_inline float loom_floorf(float x)
{
	float r = loom_rintf(x);

	return r > x ? loom_copysignf(r - 1.0f, x) : r;
}

static __always_inline float loom_ceilf(float x)
{
	float r = loom_rintf(x);

	return r < x ? loom_copysignf(r + 1.0f, x) : r;
}

static __always_inline double loom_rint(double x)
{
	double a = __builtin_fabs(x);
	double r = (a + LOOM_F64_ROUND) - LOOM_F64_ROUND;

	return a < LOOM_F64_ROUND ? loom_copysign(r, x) : x;
}

static __always_inline double loom_floor(double x)
{
	double r = loom_rint(x);

	return r > x ? loom_copysign(r - 1.0, x) : r;
}

static __always_inline double loom_ceil(double x)
{
	double r = loom_rint(x);

	return r < x ? loom_copysign(r + 1.0, x) : r;
}

/* x = n ln2 + r. Adding 1.5 * 2^23 leaves n in the low bits; n * ln2's high part is exact. */
#define LOOM_EXPF_MAGIC	0x1.8p23f

static __always_inline float loom_expf_reduce(float x, u32 *n)
{
	float t = x * 0x1.715476p+0f + LOOM_EXPF_MAGIC;
	float k = t - LOOM_EXPF_MAGIC;

	*n = loom_bits_of_f32(t) - loom_bits_of_f32(LOOM_EXPF_MAGIC);
	return (x - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
}

/* exp(r) - 1 for |r| <= ln2 / 2 */
static __always_inline float loom_expf_poly(float r)
{
	float q = 0x1.6a2486p-10f;

	q = q * r + 0x1.123a5ep-7f;
	q = q * r + 0x1.5558f2p-5f;
	q = q * r + 0x1.555490p-3f;
	q = q * r + 0x1.fffffcp-2f;
	return r + (r * r) * q;
}

/* 2^n for -126 <= n <= 127 */
static __always_inline float loom_pow2f(u32 n)
{
	return loom_f32_of_bits((n + 127) << 23);
}

static __always_inline float loom_expf(float x)
{
	float c = x > 89.0f ? 89.0f : x;
	u32 n, half;
	float r;

	c = c < -105.0f ? -105.0f : c;
	r = loom_expf_reduce(c, &n);
	/* in two steps: 2^n may be out of range, or the result subnormal */
	half = (u32)((s32)n >> 1);
	return (1.0f + loom_expf_poly(r)) * loom_pow2f(half) * loom_pow2f(n - half);
}

/* exp(x) - 1 for x <= 0; larger x count as 0 */
static __always_inline float loom_expm1f_neg(float x)
{
	float c = x > 0.0f ? 0.0f : x;
	float r, s;
	u32 n;

	c = c < -20.0f ? -20.0f : c;
	r = loom_expf_reduce(c, &n);
	s = loom_pow2f(n);
	return s * loom_expf_poly(r) + (s - 1.0f);
}

static __always_inline float loom_sigmoidf(float x)
{
	float e = loom_expf(-loom_fabsf(x));

	return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

static __always_inline float loom_tanhf(float x)
{
	float a = loom_fabsf(x);
	float z = x * x;
	float p = -0x1.76b230p-8f;
	float large = 1.0f - 2.0f / (loom_expf(a + a) + 1.0f);
	float small;

	p = p * z + 0x1.5258a6p-6f;
	p = p * z + -0x1.b844a8p-5f;
	p = p * z + 0x1.11076cp-3f;
	p = p * z + -0x1.555534p-2f;
	small = x + (x * z) * p;
	return a < 0.625f ? small : loom_copysignf(large, x);
}

static __always_inline float loom_erff(float x)
{
	float a = loom_fabsf(x);
	float c = a > 4.0f ? 4.0f : a;
	float z = x * x;
	float p = 0x1.4ae4c6p-14f;
	float l = -0x1.0e9058p-22f;

	p = p * z + -0x1.a485f8p-11f;
	p = p * z + 0x1.5419fap-8f;
	p = p * z + -0x1.b7fbb6p-6f;
	p = p * z + 0x1.ce2d20p-4f;
	p = p * z + -0x1.81273ep-2f;
	p = p * z + 0x1.06eba8p-3f;

	/* l = -log(1 - erf(c)) */
	l = l * c + 0x1.a8ddbep-16f;
	l = l * c + -0x1.e66006p-12f;
	l = l * c + 0x1.18a99ap-8f;
	l = l * c + -0x1.9fba0ap-6f;
	l = l * c + 0x1.bcfcc6p-4f;
	l = l * c + 0x1.441db8p-1f;
	l = l * c + 0x1.21317cp+0f;
	l = l * c + -0x1.aca540p-13f;
	return a < 1.0f ? x + x * p : loom_copysignf(1.0f - loom_expf(-l), x);
}

/* A NaN on either side is the result. Two choices, since loops with || stay scalar. */
static __always_inline float loom_maxf(float a, float b)
{
	float r = a > b ? a : b;

	return a != a ? a : r;
}

static __always_inline float loom_minf(float a, float b)
{
	float r = a < b ? a : b;

	return a != a ? a : r;
}

static __always_inline double loom_max(double a, double b)
{
	double r = a > b ? a : b;

	return a != a ? a : r;
}

static __always_inline double loom_min(double a, double b)
{
	double r = a < b ? a : b;

	return a != a ? a : r;
}

/* saturate(round_half_even(sum * scale) + zero), for a type of one byte */
static __always_inline u8 loom_requantise(s32 sum, float scale, s32 zero, u32 dtype)
{
	float low = (dtype == DRM_LOOM_DTYPE_I8 ? -128.0f : 0.0f) - (float)zero;
	float high = (dtype == DRM_LOOM_DTYPE_I8 ? 127.0f : 255.0f) - (float)zero;
	float v = loom_rintf((float)sum * scale);

	/* integers below 2^9 now, and a NaN is the lowest */
	v = v > low ? v : low;
	v = v < high ? v : high;
	return (u8)((s32)v + zero);
}

/**
 * loom_tile_unary_f32() - a function on a tile
 * @v: the tile, at most LOOM_TILE elements, changed in place
 * @n: number of elements
 * @kind: an &enum drm_loom_unary
 * @p0: its first parameter
 * @p1: its second parameter
 */
void loom_tile_unary_f32(float *v, u32 n, u32 kind, float p0, float p1);
void loom_tile_unary_f64(double *v, u32 n, u32 kind, double p0, double p1);

/**
 * loom_tile_act_f32() - an activation on a tile of results
 * @v: the tile, at most LOOM_TILE elements, changed in place
 * @n: number of elements
 * @act: an &enum drm_loom_act
 * @p0: bits of its first parameter
 * @p1: bits of its second parameter
 */
void loom_tile_act_f32(float *v, u32 n, u32 act, u32 p0, u32 p1);
void loom_tile_act_f64(double *v, u32 n, u32 act, u32 p0, u32 p1);

#endif /* LOOM_FP_MATH_H */
