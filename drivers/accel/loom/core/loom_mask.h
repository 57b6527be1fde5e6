/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_MASK_H
#define LOOM_MASK_H

#include "loom_core.h"

#define LOOM_MASK_WORDS	(DRM_LOOM_MAX_BANKS / 64)

/**
 * struct loom_mask - a set of banks
 * @word: bank b is bit b % 64 of word b / 64
 */
struct loom_mask {
	u64 word[LOOM_MASK_WORDS];
};

static inline void loom_mask_set(struct loom_mask *mask, u32 bank)
{
	mask->word[bank / 64] |= 1ULL << bank % 64;
}

static inline bool loom_mask_has(const struct loom_mask *mask, u32 bank)
{
	return mask->word[bank / 64] >> bank % 64 & 1;
}

/* The first @banks of them. */
static inline struct loom_mask loom_mask_all(u32 banks)
{
	struct loom_mask mask = { { 0 } };
	u32 i;

	for (i = 0; i < LOOM_MASK_WORDS; i++)
		if (banks >= (i + 1) * 64)
			mask.word[i] = U64_MAX;
		else if (banks > i * 64)
			mask.word[i] = (1ULL << (banks - i * 64)) - 1;
	return mask;
}

/* Whether both have a bank in common. */
static inline bool loom_mask_overlaps(const struct loom_mask *a, const struct loom_mask *b)
{
	u64 both = 0;
	u32 i;

	for (i = 0; i < LOOM_MASK_WORDS; i++)
		both |= a->word[i] & b->word[i];
	return both;
}

static inline bool loom_mask_same(const struct loom_mask *a, const struct loom_mask *b)
{
	u64 other = 0;
	u32 i;

	for (i = 0; i < LOOM_MASK_WORDS; i++)
		other |= a->word[i] ^ b->word[i];
	return !other;
}

/* Whether each bank of @a is one of @b. */
static inline bool loom_mask_within(const struct loom_mask *a, const struct loom_mask *b)
{
	u64 outside = 0;
	u32 i;

	for (i = 0; i < LOOM_MASK_WORDS; i++)
		outside |= a->word[i] & ~b->word[i];
	return !outside;
}

static inline void loom_mask_add(struct loom_mask *mask, const struct loom_mask *more)
{
	u32 i;

	for (i = 0; i < LOOM_MASK_WORDS; i++)
		mask->word[i] |= more->word[i];
}

static inline u32 loom_mask_count(const struct loom_mask *mask)
{
	u32 count = 0, i;
	u64 word;

	for (i = 0; i < LOOM_MASK_WORDS; i++)
		for (word = mask->word[i]; word; word &= word - 1)
			count++;
	return count;
}

/* The first bank at @bank or behind it, or DRM_LOOM_MAX_BANKS. */
static inline u32 loom_mask_next(const struct loom_mask *mask, u32 bank)
{
	while (bank < DRM_LOOM_MAX_BANKS) {
		u64 word = mask->word[bank / 64] >> bank % 64;

		if (word)
			return bank + (u32)__builtin_ctzll(word);
		bank = (bank / 64 + 1) * 64;
	}
	return DRM_LOOM_MAX_BANKS;
}

#endif /* LOOM_MASK_H */
