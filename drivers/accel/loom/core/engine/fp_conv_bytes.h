/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_FP_CONV_BYTES_H
#define LOOM_FP_CONV_BYTES_H

/*
 * Stages and weights of bytes, for fp_conv_wide.c. Sums are of 32 bits and wrap, so their order
 * does not matter: two input channels are added at once. A stage has both for each position, less
 * the zero point, as two halves of a word, and a weight is two halves of a word likewise, which
 * most processors multiply and add in one instruction.
 */

/**
 * struct bytes_type - how a byte is read
 * @flip: a sign bit that is turned, so that all are unsigned
 * @zero: value subtracted after that
 */
struct bytes_type {
	u8 flip;
	s16 zero;
};

static inline struct bytes_type bytes_type(u32 dtype, s32 zero)
{
	if (dtype == DRM_LOOM_DTYPE_I8)
		return (struct bytes_type){ 0x80, zero + 0x80 };
	return (struct bytes_type){ 0, zero };
}

static __always_inline u32 bytes_word(u8 low, u8 high, struct bytes_type type)
{
	u16 l = (u8)(low ^ type.flip) - type.zero, h = (u8)(high ^ type.flip) - type.zero;

	return l | (u32)h << 16;
}

static __always_inline void bytes_words(u32 *to, const u8 *low, const u8 *high,
					struct bytes_type type, const u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		to[i] = bytes_word(low[i], high[i], type);
}

/* Words of @n bytes that lie side by side: the last few of a row are done with some before them. */
static __always_inline void bytes_dense(u32 *to, const u8 *low, const u8 *high,
					struct bytes_type type, u32 n)
{
	if (n < 4) {
		bytes_words(to, low, high, type, n);
	} else if (n < 8) {
		bytes_words(to, low, high, type, 4);
		bytes_words(to + n - 4, low + n - 4, high + n - 4, type, 4);
	} else if (n < 16) {
		bytes_words(to, low, high, type, 8);
		bytes_words(to + n - 8, low + n - 8, high + n - 8, type, 8);
	} else {
		bytes_words(to, low, high, type, n);
	}
}

/* Stage the elements inside of x of a row of two channels, which begin at @low and @high. */
static __always_inline void bytes_stage(const struct loom_conv_f32 *f, const u8 *low,
					const u8 *high, u32 *to)
{
	const struct bytes_type type = bytes_type(f->c.x.dtype, f->c.attr->x_zero);
	const struct loom_conv_stage *stage = &f->stage;
	u32 n = stage->inside, i;

	if (stage->dense && n) {
		bytes_dense(to + stage->slot[0], low + stage->off[0], high + stage->off[0], type,
			    n);
		return;
	}
	for (i = 0; i < n; i++)
		to[stage->slot[i]] = bytes_word(low[stage->off[i]], high[stage->off[i]], type);
}

/* Bias and scale, and out: @n results of channel @i, that begin at @v. */
static noinline void bytes_emit(const struct loom_conv_f32 *f, const struct loom_conv_channels *ch,
				u32 i, const struct loom_row *row, u32 n, s32 *v)
{
	const struct loom_conv *c = &f->c;
	s32 bias;
	u8 bytes[LOOM_TILE];
	float scale;
	u32 j;

	if (c->bias) {
		memcpy(&bias, loom_conv_channel(c, c->bias, ch->o + i), sizeof(bias));
		for (j = 0; j < n; j++)
			v[j] = (s32)((u32)v[j] + (u32)bias);
	}
	if (!c->scale) {
		loom_row_write(row, 4, n, v);
		return;
	}
	scale = loom_get_f32(loom_conv_channel(c, c->scale, ch->o + i));
	for (j = 0; j < n; j++)
		bytes[j] = loom_requantise(v[j], scale, c->attr->y_zero, c->y.dtype);
	loom_row_write(row, 1, n, bytes);
}

#endif /* LOOM_FP_CONV_BYTES_H */
