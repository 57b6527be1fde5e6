/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_MASKS_H
#define LOOM_TESTS_MASKS_H

#include "loom_mask.h"
#include "random.h"

/* Random sets of banks, by how programs use them. Draws from random_state. */

enum mask_style {
	/* all banks */
	MASK_ALL,
	/* one bank */
	MASK_ONE,
	/* one to eight banks */
	MASK_FEW,
	/* one of six sets: every fourth bank, a half */
	MASK_SIX,
	/* one of eight sets: rows of a grid by halves and thirds, columns, every second bank */
	MASK_EIGHT,
	/* a rectangle of a grid */
	MASK_GRID,
	/* each bank or not */
	MASK_HALF,
	/* each bank by a chance that is drawn before */
	MASK_ANY,
};

/* A rectangle of banks that lie in rows of @columns. */
static inline void mask_add_rectangle(struct loom_mask *mask, u32 banks, u32 columns)
{
	u32 rows = banks / columns;
	u32 x = random_below(columns), y = random_below(rows);
	u32 right = x + 1 + random_below(columns - x), bottom = y + 1 + random_below(rows - y);

	for (u32 i = 0; i < banks; i++)
		if (i % columns >= x && i % columns < right && i / columns >= y &&
		    i / columns < bottom)
			loom_mask_set(mask, i);
}

/* Whether a bank is in one of the eight sets. */
static inline bool mask_in_eight(u32 set, u32 bank, u32 banks, u32 columns)
{
	if (set < 2)
		return bank / (banks / 2) == set;
	if (set < 5)
		return bank / columns % 3 == set - 2;
	if (set < 7)
		return bank % 2 == set - 5;
	return bank % columns < 3;
}

/* A set of @banks, which lie in rows of @columns; never the empty one. */
static inline struct loom_mask mask_draw(enum mask_style style, u32 banks, u32 columns)
{
	struct loom_mask mask = { { 0 } };
	u32 i, set;

	switch (style) {
	case MASK_ALL:
		return loom_mask_all(banks);
	case MASK_ONE:
		break;
	case MASK_FEW:
		for (i = 1 + random_below(8); i--;)
			loom_mask_set(&mask, random_below(banks));
		break;
	case MASK_SIX:
		set = random_below(6);
		for (i = 0; i < banks; i++)
			if (set < 4 ? i % 4 == set : i / (banks / 2) == set - 4)
				loom_mask_set(&mask, i);
		break;
	case MASK_EIGHT:
		set = random_below(8);
		for (i = 0; i < banks; i++)
			if (mask_in_eight(set, i, banks, columns))
				loom_mask_set(&mask, i);
		break;
	case MASK_GRID:
		mask_add_rectangle(&mask, banks, columns);
		break;
	case MASK_HALF:
		for (i = 0; i < banks; i++)
			if (random_below(2))
				loom_mask_set(&mask, i);
		break;
	case MASK_ANY:
		set = 1 + random_below(100);
		for (i = 0; i < banks; i++)
			if (random_below(100) < set)
				loom_mask_set(&mask, i);
		break;
	}
	if (!loom_mask_count(&mask))
		loom_mask_set(&mask, random_below(banks));
	return mask;
}

#endif /* LOOM_TESTS_MASKS_H */
