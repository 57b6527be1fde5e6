// SPDX-License-Identifier: MIT
/*
 * Tilings: rectangles that were cut into pieces are put together again, in any order of rows and in
 * both directions of time; what is not full is refused, and what lacks pieces is still valid.
 */
#include "tiling/tiling.h"

#include <string.h>

#include "place_make.h"
#include "tap.h"

#define LOOKS		(1ULL << 30)

static struct place_made make(enum make_kind kind, uint32_t pieces, enum make_mix mix,
			      uint64_t seed)
{
	return place_make((struct make_form){ kind, pieces, seed % 2 ? 1024 : 1, mix, seed });
}

static bool overlaps(const struct loom_tiling_item *a, const struct loom_tiling_item *b)
{
	return a->lower < b->upper && b->lower < a->upper;
}

static bool is_valid(const struct loom_tiling_item *items, uint32_t count, const uint64_t *offsets,
		     uint64_t height)
{
	uint32_t i, k;

	for (i = 0; i < count; i++) {
		if (offsets[i] + items[i].size_bytes > height ||
		    offsets[i] % items[i].align_bytes)
			return false;
		for (k = 0; k < i; k++)
			if (overlaps(&items[i], &items[k]) &&
			    offsets[i] < offsets[k] + items[k].size_bytes &&
			    offsets[k] < offsets[i] + items[i].size_bytes)
				return false;
	}
	return true;
}

/* The height over the optimum of what tilings alone find; 0 if it is refused or not valid. */
static double tile(const struct place_made *made, uint32_t count, uint64_t visits)
{
	struct loom_tiling_item *items = calloc(count, sizeof(*items));
	uint64_t *offsets = calloc(count, sizeof(*offsets));
	struct loom_tiling_try try = { .max_visits = visits, .offsets = offsets };
	struct loom_tiling *tiling;
	double ratio = 0;
	uint32_t i;

	if (!items || !offsets)
		tap_fatal("no memory");
	for (i = 0; i < count; i++)
		items[i] = (struct loom_tiling_item){
			made->items[i].lower, made->items[i].upper, made->items[i].size_bytes,
			made->items[i].align_bytes,
		};
	if (loom_tiling_create(items, count, &tiling))
		tap_fatal("no memory");
	if (tiling)
		loom_tiling_run(tiling, &try);
	if (tiling && try.height_bytes != UINT64_MAX &&
	    is_valid(items, count, offsets, try.height_bytes))
		ratio = (double)try.height_bytes / (double)made->height;
	loom_tiling_destroy(tiling);
	free(items);
	free(offsets);
	return ratio;
}

static void test_alone(void)
{
	double worst = 0, ratio;
	bool valid = true;
	int kind, mix;

	for (kind = MAKE_GUILLOTINE; kind <= MAKE_SKYLINE; kind++) {
		for (mix = MAKE_PLAIN; mix < MAKE_MIXES; mix++) {
			struct place_made made = make(kind, 600, mix, 1);

			ratio = tile(&made, made.num_items, LOOKS);
			valid &= ratio >= 1;
			worst = ratio > worst ? ratio : worst;
			free(made.items);
		}
	}
	tap_ok(valid && worst < 1.001, "put together again: %.6f of the optimum", worst);
}

static void test_lacking(void)
{
	struct place_made made = make(MAKE_SKYLINE, 600, MAKE_PLAIN, 2);
	double ratio = tile(&made, made.num_items - 4, LOOKS);

	tap_ok(ratio > 0, "with pieces missing, a placement is valid: %.3f", ratio);
	tap_ok(tile(&made, made.num_items, 1) == 0, "without time there is none");
	tap_ok(tile(&made, made.num_items / 2, LOOKS) == 0, "what is half full is refused");
	tap_ok(tile(&made, 1, LOOKS) == made.items[0].size_bytes / (double)made.height,
	       "one item alone");
	free(made.items);
}

static uint64_t place(const struct place_made *made, uint64_t budget)
{
	struct loom_place_pool pool = { .capacity_bytes = LOOM_PLACE_ANYWHERE, .align_bytes = 1 };
	const struct loom_place_problem problem = {
		.items = made->items, .num_items = made->num_items, .pools = &pool, .num_pools = 1,
	};
	const struct loom_place_options options = { .budget = budget };
	struct loom_place_result result;
	struct loom_place_fault fault;
	uint64_t height;

	if (loom_place(&problem, &options, &result, &fault))
		return 0;
	height = loom_place_check(&problem, result.offsets, NULL, &fault) ? 0 :
		 result.height_bytes[0];
	loom_place_result_free(&result);
	return height;
}

static void test_rewritten(void)
{
	struct place_made made = make(MAKE_PINWHEEL, 1000, MAKE_MIXED, 1);
	unsigned int k, same = 0;

	for (k = 0; k < 4; k++) {
		same += place(&made, 100000) == made.height;
		make_shuffle(&made);
		if (k % 2)
			make_mirror(made.items, made.num_items);
	}
	tap_ok(same == 4, "1000 pieces, mixed: the optimum in any order and direction: %u", same);
	free(made.items);
}

static void test_joined(void)
{
	struct place_made made = make(MAKE_GUILLOTINE, 700, MAKE_PLAIN, 2);
	uint32_t i, n = made.num_items;

	/* the same again right behind it */
	made.items = realloc(made.items, 2 * (size_t)n * sizeof(*made.items));
	if (!made.items)
		tap_fatal("no memory");
	for (i = 0; i < n; i++) {
		made.items[n + i] = made.items[i];
		made.items[n + i].lower += MAKE_MOMENTS;
		made.items[n + i].upper += MAKE_MOMENTS;
	}
	made.num_items = 2 * n;
	tap_ok(place(&made, 100000) == made.height, "two in a row: the optimum");
	free(made.items);
}

int main(void)
{
	test_alone();
	test_lacking();
	test_rewritten();
	test_joined();
	return tap_end();
}
