/* SPDX-License-Identifier: MIT */
/*
 * Placement problems whose least height is known, for benches and tests: a rectangle of time and
 * bytes is cut into pieces without a rest, so the height of the rectangle is the optimum, and the
 * pieces are shuffled. Also problems like traces of programs, and rewritings of problems that do
 * not change their answers. A seed gives the same problem everywhere.
 */
#ifndef LOOM_TESTS_PLACE_MAKE_H
#define LOOM_TESTS_PLACE_MAKE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loom_place.h"

/* The moments of a rectangle that is cut. */
#define MAKE_MOMENTS	(1 << 20)

/**
 * struct place_made - a problem that was made
 * @items: the items, in random order
 * @num_items: number of @items
 * @height: the least height, or 0 where it is not known
 * @random: state of the random numbers
 */
struct place_made {
	struct loom_place_item *items;
	uint32_t num_items;
	uint64_t height;
	uint64_t random;
};

static inline uint64_t make_draw(struct place_made *made, uint64_t below)
{
	uint64_t x = made->random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (x ^ x >> 31) % below;
}

/* A share of @whole between a fifth and four fifths, at least 1 where there are 2. */
static inline uint64_t make_cut(struct place_made *made, uint64_t whole)
{
	uint64_t cut = whole / 5 + make_draw(made, whole - 2 * (whole / 5) + 1);

	return cut < 1 ? 1 : cut >= whole ? whole - 1 : cut;
}

static inline void make_piece(struct place_made *made, uint64_t lower, uint64_t upper,
			      uint64_t bytes)
{
	made->items[made->num_items++] = (struct loom_place_item){
		.size_bytes = bytes,
		.align_bytes = 1,
		.lower = (int64_t)lower,
		.upper = (int64_t)upper,
	};
}

/**
 * struct make_box - a rectangle that is to be cut
 * @lower: first moment
 * @upper: behind the last
 * @bytes: its height
 * @pieces: into how many
 */
struct make_box {
	uint64_t lower;
	uint64_t upper;
	uint64_t bytes;
	uint32_t pieces;
};

static inline void make_guillotine(struct place_made *made, struct make_box box, bool pinwheel);

/* Pieces in proportion to an area, at least 1, with as many left as there are other parts. */
static inline uint32_t make_share(struct make_box box, double area, uint32_t given, uint32_t others)
{
	double whole = (double)(box.upper - box.lower) * (double)box.bytes;
	uint32_t share = (uint32_t)(box.pieces * (area / whole) + 0.5), most;

	most = box.pieces - given - others;
	return share < 1 ? 1 : share > most ? most : share;
}

/* Four arms around a middle, which no straight cut divides. */
static inline void make_pinwheel(struct place_made *made, struct make_box box)
{
	uint64_t width = box.upper - box.lower, x = 1 + make_draw(made, width / 2 - 1);
	uint64_t y = 1 + make_draw(made, box.bytes / 2 - 1), given = 0;
	uint64_t x2 = x + 1 + make_draw(made, width - x - 1);
	uint64_t y2 = y + 1 + make_draw(made, box.bytes - y - 1);
	struct make_box arms[] = {
		{ box.lower, box.lower + x2, y, 0 },
		{ box.lower + x2, box.upper, y2, 0 },
		{ box.lower + x, box.upper, box.bytes - y2, 0 },
		{ box.lower, box.lower + x, box.bytes - y, 0 },
		{ box.lower + x, box.lower + x2, y2 - y, 0 },
	};
	unsigned int i;

	for (i = 0; i < 5; i++) {
		arms[i].pieces = i == 4 ? box.pieces - (uint32_t)given :
				 make_share(box, (double)(arms[i].upper - arms[i].lower) *
					    (double)arms[i].bytes, (uint32_t)given, 4 - i);
		given += arms[i].pieces;
		make_guillotine(made, arms[i], true);
	}
}

static inline void make_guillotine(struct place_made *made, struct make_box box, bool pinwheel)
{
	while (box.pieces > 1) {
		uint64_t width = box.upper - box.lower;
		struct make_box rest = box;
		bool time;

		if (pinwheel && box.pieces >= 5 && width >= 8 && box.bytes >= 8 &&
		    make_draw(made, 2)) {
			make_pinwheel(made, box);
			return;
		}
		if (width < 2 && box.bytes < 2)
			break;
		/* mostly across the longer side, as shares of the whole rectangle */
		time = (double)width / MAKE_MOMENTS * (0.25 + (double)make_draw(made, 1000) / 500) >
		       (double)box.bytes / (double)made->height;
		time = (time && width >= 2) || box.bytes < 2;
		if (time) {
			box.upper = box.lower + make_cut(made, width);
			rest.lower = box.upper;
		} else {
			box.bytes = make_cut(made, box.bytes);
			rest.bytes -= box.bytes;
		}
		rest.pieces = make_share((struct make_box){
			time ? box.lower : 0, time ? rest.upper : 1,
			time ? 1 : box.bytes + rest.bytes, box.pieces },
			time ? (double)(rest.upper - rest.lower) : (double)rest.bytes, 0, 1);
		box.pieces -= rest.pieces;
		make_guillotine(made, rest, pinwheel);
	}
	make_piece(made, box.lower, box.upper, box.bytes);
}

/*
 * Pieces are laid on the lowest place of a skyline, each as wide as a random part of it and of
 * random height, until all is full.
 */
static inline void make_skyline(struct place_made *made, uint64_t bytes, uint32_t pieces)
{
	struct step {
		uint64_t lower, upper, floor;
	} *steps = calloc((size_t)pieces * 4 + 64, sizeof(*steps));
	double side = sqrt((double)pieces);
	uint64_t wide = (uint64_t)(MAKE_MOMENTS / side), tall = (uint64_t)((double)bytes / side);
	uint32_t count = 1, i, low;

	wide += !wide;
	tall += !tall;
	if (!steps)
		exit(1);
	steps[0] = (struct step){ 0, MAKE_MOMENTS, 0 };
	for (;;) {
		uint64_t width, height, room;

		for (low = 0, i = 1; i < count; i++)
			if (steps[i].floor < steps[low].floor)
				low = i;
		if (steps[low].floor == bytes)
			break;
		room = steps[low].upper - steps[low].lower;
		width = 1 + wide / 2 + make_draw(made, wide);
		height = 1 + tall / 2 + make_draw(made, tall);
		if (room < width + wide / 2)
			width = room;
		/* up to a neighbour, so that the next one can lie on both */
		for (i = 0; i < 2 && !make_draw(made, 2); i++) {
			uint32_t other = i ? low + 1 : low - 1;

			if (other < count && steps[other].floor > steps[low].floor &&
			    steps[other].floor < steps[low].floor + 2 * tall)
				height = steps[other].floor - steps[low].floor;
		}
		if (bytes - steps[low].floor < height + tall / 2)
			height = bytes - steps[low].floor;
		make_piece(made, steps[low].lower, steps[low].lower + width, height);
		if (width < room) {
			memmove(&steps[low + 1], &steps[low], (count - low) * sizeof(*steps));
			count++;
			steps[low].upper = steps[low].lower + width;
			steps[low + 1].lower = steps[low].upper;
		}
		steps[low].floor += height;
		/* neighbours at the same level become one step */
		if (low + 1 < count && steps[low + 1].floor == steps[low].floor) {
			steps[low].upper = steps[low + 1].upper;
			memmove(&steps[low + 1], &steps[low + 2],
				(count - low - 2) * sizeof(*steps));
			count--;
		}
		if (low && steps[low - 1].floor == steps[low].floor) {
			steps[low - 1].upper = steps[low].upper;
			memmove(&steps[low], &steps[low + 1], (count - low - 1) * sizeof(*steps));
			count--;
		}
	}
	free(steps);
}

enum make_kind {
	MAKE_GUILLOTINE,
	MAKE_PINWHEEL,
	MAKE_SKYLINE,
	MAKE_POWER,
	MAKE_BIMODAL,
	MAKE_STACK,
	MAKE_KINDS,
};

static const char *const make_names[MAKE_KINDS] = {
	"guillotine", "pinwheel", "skyline", "power", "bimodal", "stack",
};

static inline double make_power(struct place_made *made, double most, double exponent)
{
	double x = pow((double)(1 + make_draw(made, 1 << 24)) / (1 << 24), -1 / exponent);

	return x < most ? x : most;
}

/*
 * Like traces: sizes and lifetimes by power laws; two sizes far apart; a network that is trained,
 * with results that live until the way back, and short ones beside them.
 */
static inline void make_trace(struct place_made *made, enum make_kind kind, uint32_t pieces)
{
	uint32_t i;

	for (i = 0; i < pieces; i++) {
		uint64_t lower = make_draw(made, pieces), life, size;

		if (kind == MAKE_POWER) {
			size = (uint64_t)(64 * make_power(made, 1024, 1.2));
			life = (uint64_t)make_power(made, pieces / 8 + 1, 0.7);
		} else if (kind == MAKE_BIMODAL) {
			bool large = !make_draw(made, 20);

			size = large ? 1 << 20 : 512 + 512 * make_draw(made, 8);
			life = 1 + (uint64_t)make_power(made, 400, 0.8);
			if (large)
				size -= 4096 * make_draw(made, 64);
		} else {
			bool kept = !make_draw(made, 3);

			size = 256 * (1 + make_draw(made, 64)) << (2 * make_draw(made, 4));
			life = 1 + make_draw(made, 8);
			if (kept) {
				lower = make_draw(made, pieces / 2 + 1);
				life = pieces - 2 * lower + make_draw(made, 3) + 1;
				size /= 16;
			}
		}
		make_piece(made, lower, lower + life, size);
	}
}

static inline void make_shuffle(struct place_made *made)
{
	uint32_t i, k;

	for (i = made->num_items; i-- > 1;) {
		struct loom_place_item item = made->items[i];

		k = (uint32_t)make_draw(made, i + 1);
		made->items[i] = made->items[k];
		made->items[k] = item;
	}
}

/* Backwards in time. */
static inline void make_mirror(struct loom_place_item *items, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		int64_t lower = items[i].lower;

		items[i].lower = -items[i].upper;
		items[i].upper = -lower;
	}
}

/**
 * enum make_mix - how items are aligned
 * @MAKE_PLAIN: not at all
 * @MAKE_MIXED: nine in ten to 4096 bytes; from others of these the rest is cut off at any byte
 * @MAKE_CRUMBLED: to 4096, 512, 64 bytes and none: from some the rest is cut off in pieces that
 *	differ in their lifetimes, too
 * @MAKE_MIXES: number of these
 */
enum make_mix {
	MAKE_PLAIN,
	MAKE_MIXED,
	MAKE_CRUMBLED,
	MAKE_MIXES,
};

static const char *const make_mix_names[MAKE_MIXES] = { "", "mixed", "crumbled" };

/**
 * struct make_form - what is made
 * @kind: how it is cut
 * @pieces: about how many
 * @unit: all sizes are multiples of it
 * @mix: alignments, of pieces of a rectangle
 * @seed: of the random numbers
 */
struct make_form {
	enum make_kind kind;
	uint32_t pieces;
	uint64_t unit;
	enum make_mix mix;
	uint64_t seed;
};

static inline void make_add(struct place_made *made, struct loom_place_item item, int64_t lower,
			    uint64_t bytes, uint64_t align)
{
	item.lower = lower;
	item.size_bytes = bytes;
	item.align_bytes = align;
	made->items[made->num_items++] = item;
}

/* Cuts the end of item @i off, which is aligned to 4096 bytes, and begins at any byte then. */
static inline void make_cut_off(struct place_made *made, uint32_t i)
{
	struct loom_place_item *item = &made->items[i];
	uint64_t cut = 1 + make_draw(made, item->size_bytes - 1), rest = item->size_bytes - cut;

	item->size_bytes = cut;
	make_add(made, *item, item->lower, rest, 1);
}

/* The same at a multiple of 512, cuts the end in time, and the later half at any byte. */
static inline void make_crumble(struct place_made *made, uint32_t i)
{
	struct loom_place_item *item = &made->items[i];
	uint64_t cut = 512 * (1 + make_draw(made, item->size_bytes / 512 - 1)), byte;
	uint64_t rest = item->size_bytes - cut;
	int64_t middle, upper = item->upper;

	item->size_bytes = cut;
	if (item->upper - item->lower < 2 || rest < 2) {
		make_add(made, *item, item->lower, rest, 512);
		return;
	}
	middle = item->lower + 1 +
		 (int64_t)make_draw(made, (uint64_t)(item->upper - item->lower) - 1);
	make_add(made, *item, item->lower, rest, 512);
	made->items[made->num_items - 1].upper = middle;
	byte = rest > 64 ? 64 * (1 + make_draw(made, rest / 64 - 1)) : 1;
	make_add(made, *item, middle, byte, 512);
	made->items[made->num_items - 1].upper = upper;
	make_add(made, *item, middle, rest - byte, byte % 64 ? 1 : 64);
	made->items[made->num_items - 1].upper = upper;
}

static inline struct place_made place_make(struct make_form form)
{
	struct place_made made = { .random = form.seed * 1000003 + form.pieces * 11 + form.kind };
	uint64_t unit = form.mix ? 4096 : form.unit, bytes;
	uint32_t i, count;

	/* as many steps as there may have to be, whatever the unit */
	bytes = form.pieces > 20000 ? 1 << 26 : 1 << 20;
	made.items = calloc((size_t)form.pieces * 4 + 64, sizeof(*made.items));
	if (!made.items)
		exit(1);
	if (form.kind >= MAKE_POWER) {
		make_trace(&made, form.kind, form.pieces);
		return made;
	}
	made.height = bytes;
	if (form.kind == MAKE_SKYLINE)
		make_skyline(&made, bytes, form.pieces);
	else
		make_guillotine(&made, (struct make_box){ 0, MAKE_MOMENTS, bytes, form.pieces },
				form.kind == MAKE_PINWHEEL);
	count = made.num_items;
	for (i = 0; i < count; i++) {
		struct loom_place_item *item = &made.items[i];

		item->size_bytes *= unit;
		if (!form.mix)
			continue;
		item->align_bytes = 4096;
		if (make_draw(&made, form.mix == MAKE_MIXED ? 9 : 6))
			continue;
		if (form.mix == MAKE_MIXED)
			make_cut_off(&made, i);
		else
			make_crumble(&made, i);
	}
	made.height *= unit;
	make_shuffle(&made);
	return made;
}

#endif /* LOOM_TESTS_PLACE_MAKE_H */
