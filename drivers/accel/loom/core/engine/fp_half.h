/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_HALF_H
#define LOOM_FP_HALF_H

#include "fp_vec.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

/*
 * Numbers of binary16 as binary32, which has all of them, and back, rounded to the nearest. Without
 * branches, so that loops over them are vectorised; by one instruction where there is one.
 */

/* A NaN is any NaN. */
static __always_inline float loom_half_widen(u16 h)
{
#ifdef __F16C__
	return _cvtsh_ss(h);
#else
	u32 sign = (u32)(h & 0x8000) << 16, a = h & 0x7fff;
	u32 bits = (a << 13) + (a >= 0x7c00 ? 224U << 23 : 112U << 23);
	/* below 2^-14 a multiple of 2^-24, exact in binary32 */
	u32 small = loom_bits_of_f32((float)(s32)a * 0x1p-24f);

	return loom_f32_of_bits(sign | (a < 0x0400 ? small : bits));
#endif
}

/* A NaN is the canonical one. */
static __always_inline u16 loom_half_narrow(float f)
{
	u32 bits = loom_bits_of_f32(f);
	u32 a = bits & 0x7fffffff;
	u32 sign = (bits >> 16) & 0x8000;
	/* below 2^-14: the addition rounds at 2^-24 */
	u32 small = loom_bits_of_f32(loom_f32_of_bits(a) + 0.5f) - 0x3f000000;
	u32 half = (a - (112U << 23) + 0xfff + ((a >> 13) & 1)) >> 13;

	half = a < 0x38800000 ? small : half;
	/* 65520: halfway past the largest */
	half = a >= 0x477ff000 ? 0x7c00 : half;
	return a > 0x7f800000 ? 0x7e00 : sign | half;
}

/* @n of them, which do not overlap. */
static __always_inline void loom_halves_widen(float *restrict to, const u8 *restrict from, u32 n)
{
	u32 i = 0;
	u16 h;

#ifdef __F16C__
	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u *)
									 (from + 2 * i))));
#endif
	for (; i < n; i++) {
		memcpy(&h, from + 2 * i, sizeof(h));
		to[i] = loom_half_widen(h);
	}
}

static __always_inline void loom_halves_narrow(u16 *restrict to, const float *restrict from, u32 n)
{
	u32 i = 0;

#ifdef __F16C__
	const __m256 nan = _mm256_set1_ps(__builtin_nanf(""));

	for (; i + 8 <= n; i += 8) {
		__m256 v = _mm256_loadu_ps(from + i);

		v = _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
		_mm_storeu_si128((__m128i_u *)(to + i),
				 _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT |
						 _MM_FROUND_NO_EXC));
	}
#endif
	for (; i < n; i++)
		to[i] = loom_half_narrow(from[i]);
}

#endif /* LOOM_FP_HALF_H */
