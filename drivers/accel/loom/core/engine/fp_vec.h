/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_VEC_H
#define LOOM_FP_VEC_H

#include "loom_core.h"

/*
 * Vectors of four floats, and floats as bits. Loops over tiles with fixed bounds are vectorised
 * as they are; the few inner kernels that need more use struct loom_vec, which every GCC target
 * takes. Convolution has wider ones, too (fp_conv_block.h). Rejected: intrinsics for arithmetic,
 * which tie the code to one machine.
 */

/* Kernel and glibc have it. */
#ifndef __always_inline
#define __always_inline __attribute__((__always_inline__))
#endif

/* For functions with tiles on their stack: their frames must not add up in one caller's. */
#ifndef noinline
#define noinline __attribute__((__noinline__))
#endif

/**
 * struct loom_vec - four floats that are computed together
 * @v: the floats
 */
struct loom_vec {
	float v __attribute__((vector_size(16)));
};

static __always_inline struct loom_vec loom_vec_load(const void *from)
{
	struct loom_vec r;

	memcpy(&r, from, sizeof(r));
	return r;
}

static __always_inline void loom_vec_store(void *to, struct loom_vec r)
{
	memcpy(to, &r, sizeof(r));
}

/* By way of arrays, here and below, which sparse understands; to the compiler it is the same. */
static __always_inline struct loom_vec loom_vec_splat(float f)
{
	const float lanes[4] = { f, f, f, f };

	return loom_vec_load(lanes);
}

static __always_inline float loom_get_f32(const void *from)
{
	float f;

	memcpy(&f, from, sizeof(f));
	return f;
}

/* Four of the lanes of @a and @b, which @pick counts through. */
static __always_inline struct loom_vec loom_vec_pick(struct loom_vec a, struct loom_vec b,
						     const s32 *pick)
{
#ifdef __clang__
	/* it has no shuffle by a vector; bits that move are the same bits */
	float from[8], to[4];
	u32 i;

	memcpy(from, &a, sizeof(a));
	memcpy(from + 4, &b, sizeof(b));
	for (i = 0; i < 4; i++)
		to[i] = from[pick[i] & 7];
	return loom_vec_load(to);
#else
	s32 order __attribute__((vector_size(16)));

	memcpy(&order, pick, sizeof(order));
	a.v = __builtin_shuffle(a.v, b.v, order);
	return a;
#endif
}

/* Moves the lanes of @a up, or down, by @n from 1 to 3; zeroes come in. */
static __always_inline struct loom_vec loom_vec_up(struct loom_vec a, const s32 n)
{
	const s32 pick[4] = { 4 - n, 5 - n, 6 - n, 7 - n };

	return loom_vec_pick(loom_vec_splat(0.0f), a, pick);
}

static __always_inline struct loom_vec loom_vec_down(struct loom_vec a, const s32 n)
{
	const s32 pick[4] = { n, n + 1, n + 2, n + 3 };

	return loom_vec_pick(a, loom_vec_splat(0.0f), pick);
}

/* Lanes of @a where @mask is all ones, zeroes where it is zero. */
static __always_inline struct loom_vec loom_vec_mask(struct loom_vec a, const s32 *mask)
{
	s32 bits __attribute__((vector_size(16)));
	s32 keep __attribute__((vector_size(16)));

	memcpy(&bits, &a, sizeof(bits));
	memcpy(&keep, mask, sizeof(keep));
	bits &= keep;
	memcpy(&a, &bits, sizeof(a));
	return a;
}

/* The even, or odd, ones of eight floats. */
static __always_inline struct loom_vec loom_vec_even(struct loom_vec a, struct loom_vec b)
{
	const s32 pick[4] = { 0, 2, 4, 6 };

	return loom_vec_pick(a, b, pick);
}

static __always_inline struct loom_vec loom_vec_odd(struct loom_vec a, struct loom_vec b)
{
	const s32 pick[4] = { 1, 3, 5, 7 };

	return loom_vec_pick(a, b, pick);
}

/* Four floats from four places. */
static __always_inline struct loom_vec loom_vec_gather(const u8 *base, const s64 *offset)
{
	float lanes[4];
	u32 i;

#pragma GCC unroll 4
	for (i = 0; i < 4; i++)
		lanes[i] = *(const float *)(base + offset[i]);
	return loom_vec_load(lanes);
}

static __always_inline float loom_f32_of_bits(u32 bits)
{
	return loom_get_f32(&bits);
}

static __always_inline u32 loom_bits_of_f32(float f)
{
	u32 bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static __always_inline double loom_f64_of_bits(u64 bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static __always_inline u64 loom_bits_of_f64(double d)
{
	u64 bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

#endif /* LOOM_FP_VEC_H */
