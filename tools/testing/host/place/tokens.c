// SPDX-License-Identifier: MIT
/*
 * Storage tokens, rule by rule. In each problem some items live in [0, 1) and leave their tokens
 * free, and a request comes at 1. The comment beside it derives the answer by hand; sizes are in
 * bytes, those of images in elements of 4 bytes.
 */
#include "loom_place.h"
#include "place_item.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

#define MAX_ITEMS	4
#define MAX_STORAGES	3
#define COUNT(array)	((uint32_t)(sizeof(array) / sizeof((array)[0])))
/* strategies by bit */
#define ONE		(1 << 0)
#define TWO		(1 << 1)
#define V1		(1 << 2)
/* item 1 lies in item 0; items 0 and 2 are kept apart */
#define SHARES		(1 << 3)
#define APART		(1 << 4)

static const char *const names[] = { "tokens", "tokens-2d", "tokens-2d-v1" };

/**
 * struct shape - what an item or a storage is
 * @size: bytes; 0: an image, 4 bytes an element
 * @width: of an image
 * @height: of an image
 */
struct shape {
	uint64_t size;
	uint64_t width;
	uint64_t height;
};

static uint64_t bytes_of(const struct shape *shape)
{
	return shape->size ? shape->size : 4 * shape->width * shape->height;
}

#define BYTES(size)		{ size, 0, 0 }
#define IMAGE(width, height)	{ 0, width, height }

/**
 * struct row - an item
 * @shape: of it
 * @lower: begin
 * @upper: end
 * @want: the storage that it must get
 * @storage_class: class
 */
struct row {
	struct shape shape;
	int64_t lower;
	int64_t upper;
	uint32_t want;
	uint32_t storage_class;
};

#define ROW(size, lower, upper, want)	{ BYTES(size), lower, upper, want, 0 }
#define ROW_2D(width, height, lower, upper, want) \
					{ IMAGE(width, height), lower, upper, want, 0 }

/**
 * struct example - a problem, and its answer
 * @strategies: that give it, with SHARES and APART
 * @what: it shows
 * @rows: the items, as many as have a size
 * @storages: those that there must be
 */
struct example {
	uint32_t strategies;
	const char *what;
	struct row rows[MAX_ITEMS];
	struct shape storages[MAX_STORAGES];
};

static const struct example examples[] = {
	/* 100, 60 and 40 are free. 50 wants [50, 800]: the smallest is 60 */
	{ ONE, "the smallest that is large enough",
	  { ROW(100, 0, 1, 0), ROW(60, 0, 1, 1), ROW(40, 0, 1, 2),
	    ROW(50, 1, 2, 1) }, { BYTES(100), BYTES(60), BYTES(40) } },
	/* 5 wants [5, 80]: 81 is too large for it, so it gets one of its own */
	{ ONE, "not one that is more than 16 times as large",
	  { ROW(81, 0, 1, 0), ROW(5, 1, 2, 1) }, { BYTES(81), BYTES(5) } },
	{ ONE, "one that is 16 times as large",
	  { ROW(80, 0, 1, 0), ROW(5, 1, 2, 0) }, { BYTES(80) } },
	/* 64 wants [4, 64) then: 3 is too small to grow, 4 is not */
	{ ONE, "none that is less than a 16th grows",
	  { ROW(3, 0, 1, 0), ROW(64, 1, 2, 1) }, { BYTES(3), BYTES(64) } },
	{ ONE, "one that is a 16th grows",
	  { ROW(4, 0, 1, 0), ROW(64, 1, 2, 0) }, { BYTES(64) } },
	/*
	 * 30 and 40 are free. 50 wants [50, 800]: none. Then [3, 50): the largest, 40, grows. At 2
	 * the tokens of 30 and 50 are free: 45 has one of 50 now.
	 */
	{ ONE, "else the largest that is smaller, which grows",
	  { ROW(30, 0, 1, 0), ROW(40, 0, 1, 1), ROW(50, 1, 2, 1),
	    ROW(45, 2, 3, 1) }, { BYTES(30), BYTES(50) } },
	/*
	 * A chain of equal sizes: 1 reads 0 while it is made, so 0 lives in [0, 2) and is not free
	 * yet; 2 gets the token of 0.
	 */
	{ ONE, "a result is requested before its operand is released",
	  { ROW(64, 0, 2, 0), ROW(64, 1, 3, 1), ROW(64, 2, 4, 0),
	    ROW(64, 3, 4, 1) }, { BYTES(64), BYTES(64) } },
	{ ONE | TWO, "only items of one class share",
	  { { BYTES(64), 0, 1, 0, 1 }, { BYTES(64), 1, 2, 1, 2 } }, { BYTES(64), BYTES(64) } },
	/* 1 is a reshape of 0, and keeps its token taken when 2 comes at 2; 3 gets it at 3 */
	{ ONE | SHARES, "a reshape shares its operand's token",
	  { ROW(64, 0, 2, 0), ROW(64, 1, 3, 0), ROW(64, 2, 4, 1),
	    ROW(64, 3, 4, 0) }, { BYTES(64), BYTES(64) } },
	{ ONE | APART, "items that are to be kept apart do not share",
	  { ROW(64, 0, 1, 0), ROW(70, 0, 1, 1), ROW(64, 1, 2, 1) },
	  { BYTES(64), BYTES(70) } },
	/* for 7 x 7: 10 x 10 wastes 51, 8 x 8 wastes 15, 7 x 6 would have to grow */
	{ TWO | V1, "of those that need no growth, the one that wastes least",
	  { ROW_2D(10, 10, 0, 1, 0), ROW_2D(8, 8, 0, 1, 1), ROW_2D(7, 6, 0, 1, 2),
	    ROW_2D(7, 7, 1, 2, 1) }, { IMAGE(10, 10), IMAGE(8, 8), IMAGE(7, 6) } },
	/* for 7 x 7: 6 x 7 becomes 7 x 7, adds 7; 7 x 5 adds 14; 4 x 9 becomes 7 x 9, adds 27 */
	{ TWO | V1, "else the one to which least is added",
	  { ROW_2D(7, 5, 0, 1, 0), ROW_2D(4, 9, 0, 1, 1), ROW_2D(6, 7, 0, 1, 2),
	    ROW_2D(7, 7, 1, 2, 2) }, { IMAGE(7, 5), IMAGE(4, 9), IMAGE(7, 7) } },
	/* 4 x 8 and 6 x 6: 6 x 8, adds 16, which is not more than 36 */
	{ TWO, "a storage is the maximum of its items per axis",
	  { ROW_2D(4, 8, 0, 1, 0), ROW_2D(6, 6, 1, 2, 0) }, { IMAGE(6, 8) } },
	/* 5 x 1 for 3 x 3: 5 x 3, adds 10, more than 9. 4 x 1: 4 x 3, adds 8 */
	{ TWO | V1, "growth by more than the image itself is refused",
	  { ROW_2D(5, 1, 0, 1, 0), ROW_2D(3, 3, 1, 2, 1) }, { IMAGE(5, 1), IMAGE(3, 3) } },
	{ TWO | V1, "growth by less is not",
	  { ROW_2D(4, 1, 0, 1, 0), ROW_2D(3, 3, 1, 2, 0) }, { IMAGE(4, 3) } },
	/* 60 x 1 is large enough for 10 x 1, but six times as wide; 50 x 1 is five times as wide */
	{ TWO, "a side that is more than five times as long is refused",
	  { ROW_2D(60, 1, 0, 1, 0), ROW_2D(10, 1, 1, 2, 1) },
	  { IMAGE(60, 1), IMAGE(10, 1) } },
	{ V1, "in the first version it is not",
	  { ROW_2D(60, 1, 0, 1, 0), ROW_2D(10, 1, 1, 2, 0) }, { IMAGE(60, 1) } },
	{ TWO, "one that is five times as long is not",
	  { ROW_2D(50, 1, 0, 1, 0), ROW_2D(10, 1, 1, 2, 0) }, { IMAGE(50, 1) } },
	/* an image and bytes do not share; bytes go by the rule of one dimension */
	{ TWO, "an image shares with images only",
	  { ROW_2D(4, 4, 0, 1, 0), ROW(50, 0, 1, 1), ROW(64, 1, 2, 1),
	    ROW_2D(4, 4, 1, 2, 0) }, { IMAGE(4, 4), BYTES(64) } },
	/* in one dimension they do: 0 has 64 bytes */
	{ ONE, "in one dimension images are bytes",
	  { ROW_2D(4, 4, 0, 1, 0), ROW(60, 1, 2, 0) }, { BYTES(64) } },
};

static void check_result(const char *strategy, const struct example *example,
			 const struct loom_place_problem *problem)
{
	const struct loom_place_options how = { .strategy = strategy };
	struct loom_place_result result;
	struct loom_place_fault fault;
	uint64_t offset = 0;
	uint32_t count = 0, i;
	bool good;

	while (count < MAX_STORAGES && bytes_of(&example->storages[count]))
		count++;
	if (loom_place(problem, &how, &result, &fault))
		tap_fatal("%s: %s", example->what, fault.text);
	good = !loom_place_check(problem, result.offsets, result.pools, &fault) &&
	       result.num_storages == count && !strcmp(result.strategy, strategy);
	for (i = 0; i < problem->num_items; i++) {
		uint32_t want = example->rows[i].want;

		if (result.storage_of[i] == want &&
		    result.offsets[i] >= result.storages[want].offset)
			continue;
		tap_note("item %u is in storage %u, not in %u", i, result.storage_of[i], want);
		good = false;
	}
	for (i = 0; i < result.num_storages && i < count; i++) {
		const struct loom_place_storage *s = &result.storages[i];
		const struct shape *want = &example->storages[i];

		if (s->size_bytes != bytes_of(want) ||
		    s->width != want->width || s->height != want->height ||
		    s->offset != offset || s->pool) {
			tap_note("storage %u: %llu bytes, %llu x %llu at %llu", i,
				 (unsigned long long)s->size_bytes, (unsigned long long)s->width,
				 (unsigned long long)s->height, (unsigned long long)s->offset);
			good = false;
		}
		offset += bytes_of(want);
	}
	good = good && result.height_bytes[0] == offset;
	tap_ok(good, "%s: %s", strategy, example->what);
	loom_place_result_free(&result);
}

static void check(const struct example *example)
{
	const struct loom_place_pair apart = { 0, 2, 0 };
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = {
		.items = items, .apart = &apart, .num_apart = !!(example->strategies & APART),
	};
	uint32_t i;

	for (i = 0; i < MAX_ITEMS && bytes_of(&example->rows[i].shape); i++)
		items[i] = (struct loom_place_item){
			.size_bytes = bytes_of(&example->rows[i].shape),
			.width = example->rows[i].shape.width,
			.height = example->rows[i].shape.height,
			.lower = example->rows[i].lower,
			.upper = example->rows[i].upper,
			.storage_class = example->rows[i].storage_class,
		};
	problem.num_items = i;
	if (example->strategies & SHARES)
		item_lies_in(&items[1], 0);
	for (i = 0; i < COUNT(names); i++)
		if (example->strategies >> i & 1)
			check_result(names[i], example, &problem);
}

static void test_refusals(void)
{
	const struct loom_place_range range = { 0, 8 };
	const struct loom_place_item good = { .size_bytes = 64, .upper = 1 };
	struct loom_place_item item;
	struct loom_place_problem problem = { .items = &item, .num_items = 1 };
	struct loom_place_result result;
	uint32_t i;

	for (i = 0; i < COUNT(names); i++) {
		const struct loom_place_options how = { .strategy = names[i] };

		item = good;
		item_fix(&item, 64);
		tap_ok(loom_place(&problem, &how, &result, NULL) == -EINVAL,
		       "%s: a fixed offset is refused", names[i]);
		item = good;
		item.excluded = &range;
		item.num_excluded = 1;
		tap_ok(loom_place(&problem, &how, &result, NULL) == -EINVAL,
		       "%s: an excluded range is refused", names[i]);
		item = good;
		item.width = INT64_MAX;
		item.height = 2;
		tap_ok(loom_place(&problem, &how, &result, NULL) == -ERANGE,
		       "%s: an image that leaves 63 bits is refused", names[i]);
	}
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < COUNT(examples); i++)
		check(&examples[i]);
	test_refusals();
	return tap_end();
}
