/* SPDX-License-Identifier: MIT */
/*
 * Random placement problems whose items differ in their alignments. The comment of a row of a table
 * explains it; a seed gives the same problem everywhere.
 */
#ifndef LOOM_TESTS_PLACE_MIXED_H
#define LOOM_TESTS_PLACE_MIXED_H

#include "place_make.h"

enum mixed_align {
	/* pages, and a few small things at any byte */
	MIXED_PAGES,
	/* lines of a cache and pages, as many of each */
	MIXED_LINES,
	/* 1 to 65536, powers of two */
	MIXED_POWERS,
	/* items as large as a page are aligned to a page, smaller ones to 64 bytes */
	MIXED_BY_SIZE,
	MIXED_ALIGNS,
};

static const char *const mixed_align_names[MIXED_ALIGNS] = {
	"pages and bytes", "pages and lines", "powers of two", "by size",
};

enum mixed_size {
	/* up to 64 KiB */
	MIXED_EVEN,
	/* two sizes far apart, with a bit more or less */
	MIXED_BIMODAL,
	/* many small ones, few large ones */
	MIXED_SKEWED,
	/* few sizes, as of the layers of a network, many times each */
	MIXED_FEW,
	MIXED_SIZES,
};

static const char *const mixed_size_names[MIXED_SIZES] = {
	"even", "bimodal", "skewed", "few",
};

enum mixed_life {
	/* all are about equally long */
	MIXED_LONG,
	/* most are short, few live for all of the time */
	MIXED_SHORT,
	/* the way there and back of a network that is trained */
	MIXED_STACK,
	MIXED_LIVES,
};

static const char *const mixed_life_names[MIXED_LIVES] = { "long", "short", "stack" };

/**
 * struct mixed_form - what is made
 * @align: which alignments
 * @size: which sizes
 * @life: which lifetimes
 * @items: how many
 * @seed: of the random numbers
 */
struct mixed_form {
	enum mixed_align align;
	enum mixed_size size;
	enum mixed_life life;
	uint32_t items;
	uint64_t seed;
};

static inline uint64_t mixed_draw_size(struct place_made *made, enum mixed_size size,
				       const uint64_t *few)
{
	if (size == MIXED_EVEN)
		return 1 + make_draw(made, 65536);
	if (size == MIXED_BIMODAL)
		return make_draw(made, 8) ? 64 + make_draw(made, 4000) :
			(1 << 18) - make_draw(made, 20000);
	if (size == MIXED_SKEWED)
		return (uint64_t)(64 * make_power(made, 4096, 0.6));
	return few[make_draw(made, 8)];
}

static inline uint64_t mixed_draw_align(struct place_made *made, enum mixed_align align,
					uint64_t size)
{
	if (align == MIXED_PAGES)
		return make_draw(made, 10) ? 4096 : 1;
	if (align == MIXED_LINES)
		return make_draw(made, 2) ? 4096 : 64;
	if (align == MIXED_POWERS)
		return 1ULL << make_draw(made, 17);
	return size >= 4096 ? 4096 : 64;
}

static inline struct place_made mixed_make(struct mixed_form form)
{
	struct place_made made = {
		.random = form.seed * 1000033 + form.items * 131 + form.align * 16 +
			  form.size * 4 + form.life,
	};
	uint64_t few[8], size;
	uint32_t i;

	made.items = calloc((size_t)form.items + 1, sizeof(*made.items));
	if (!made.items)
		exit(1);
	for (i = 0; i < 8; i++)
		few[i] = (1 + make_draw(&made, 63)) << (7 + make_draw(&made, 6));
	for (i = 0; i < form.items; i++) {
		uint64_t lower = make_draw(&made, form.items), life;

		size = mixed_draw_size(&made, form.size, few);
		if (form.life == MIXED_LONG) {
			life = form.items / 20 + 1 + make_draw(&made, form.items / 20 + 1);
		} else if (form.life == MIXED_SHORT) {
			life = (uint64_t)make_power(&made, form.items, 0.5);
		} else if (make_draw(&made, 3)) {
			life = 1 + make_draw(&made, 8);
		} else {
			lower /= 2;
			life = form.items - 2 * lower + make_draw(&made, 3);
		}
		make_piece(&made, lower, lower + life, size);
		made.items[i].align_bytes = mixed_draw_align(&made, form.align, size);
	}
	return made;
}

#endif /* LOOM_TESTS_PLACE_MIXED_H */
