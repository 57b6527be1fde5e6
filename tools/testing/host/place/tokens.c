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

#define MAX_ITEMS	8
#define NO		LOOM_PLACE_NONE
#define COUNT(array)	((uint32_t)(sizeof(array) / sizeof((array)[0])))

/**
 * struct row - an item
 * @size: bytes; 0: an image, 4 bytes an element
 * @width: of an image
 * @height: of an image
 * @lower: begin
 * @upper: end
 * @storage_class: class
 * @want: the storage that it must get
 */
struct row {
	uint64_t size;
	uint64_t width;
	uint64_t height;
	int64_t lower;
	int64_t upper;
	uint32_t storage_class;
	uint32_t want;
};

/**
 * struct shape - what a storage must be
 * @size: bytes
 * @width: of an image
 * @height: of an image
 */
struct shape {
	uint64_t size;
	uint64_t width;
	uint64_t height;
};

static void fill(struct loom_place_item *items, const struct row *rows, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		items[i] = (struct loom_place_item){
			.size_bytes = rows[i].size ? rows[i].size :
						     4 * rows[i].width * rows[i].height,
			.width = rows[i].width,
			.height = rows[i].height,
			.lower = rows[i].lower,
			.upper = rows[i].upper,
			.storage_class = rows[i].storage_class,
		};
}

static void check_problem(const char *strategy, const char *what,
			  const struct loom_place_problem *problem, const struct row *rows,
			  const struct shape *shapes, uint32_t num_shapes)
{
	const struct loom_place_options how = { .strategy = strategy };
	struct loom_place_result result;
	struct loom_place_fault fault;
	uint64_t offset = 0;
	bool good;
	uint32_t i;

	if (loom_place(problem, &how, &result, &fault))
		tap_fatal("%s: %s", what, fault.text);
	good = !loom_place_check(problem, result.offsets, result.pools, &fault) &&
	       result.num_storages == num_shapes && !strcmp(result.strategy, strategy);
	for (i = 0; i < problem->num_items; i++) {
		if (result.storage_of[i] == rows[i].want &&
		    result.offsets[i] >= result.storages[rows[i].want].offset)
			continue;
		tap_note("item %u is in storage %u, not in %u", i, result.storage_of[i],
			 rows[i].want);
		good = false;
	}
	for (i = 0; i < result.num_storages && i < num_shapes; i++) {
		const struct loom_place_storage *s = &result.storages[i];

		if (s->size_bytes != shapes[i].size || s->width != shapes[i].width ||
		    s->height != shapes[i].height || s->offset != offset || s->pool) {
			tap_note("storage %u: %llu bytes, %llu x %llu at %llu", i,
				 (unsigned long long)s->size_bytes, (unsigned long long)s->width,
				 (unsigned long long)s->height, (unsigned long long)s->offset);
			good = false;
		}
		offset += shapes[i].size;
	}
	good = good && result.height_bytes[0] == offset;
	tap_ok(good, "%s: %s", strategy, what);
	loom_place_result_free(&result);
}

static void check(const char *strategy, const char *what, const struct row *rows, uint32_t count,
		  const struct shape *shapes, uint32_t num_shapes)
{
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = { .items = items, .num_items = count };

	fill(items, rows, count);
	check_problem(strategy, what, &problem, rows, shapes, num_shapes);
}

static void test_smallest_that_fits(void)
{
	/* 100, 60 and 40 are free. 50 wants [50, 800]: the smallest is 60 */
	static const struct row rows[] = {
		{ 100, 0, 0, 0, 1, 0, 0 }, { 60, 0, 0, 0, 1, 0, 1 }, { 40, 0, 0, 0, 1, 0, 2 },
		{ 50, 0, 0, 1, 2, 0, 1 },
	};
	static const struct shape shapes[] = { { 100, 0, 0 }, { 60, 0, 0 }, { 40, 0, 0 } };

	check("tokens", "the smallest that is large enough", rows, COUNT(rows), shapes,
	      COUNT(shapes));
}

static void test_range(void)
{
	/* 5 wants [5, 80]: 81 is too large for it, so it gets one of its own */
	static const struct row beyond[] = { { 81, 0, 0, 0, 1, 0, 0 }, { 5, 0, 0, 1, 2, 0, 1 } };
	static const struct shape two[] = { { 81, 0, 0 }, { 5, 0, 0 } };
	static const struct row within[] = { { 80, 0, 0, 0, 1, 0, 0 }, { 5, 0, 0, 1, 2, 0, 0 } };
	static const struct shape one[] = { { 80, 0, 0 } };
	/* 64 wants [4, 64) then: 3 is too small to grow, 4 is not */
	static const struct row small[] = { { 3, 0, 0, 0, 1, 0, 0 }, { 64, 0, 0, 1, 2, 0, 1 } };
	static const struct shape both[] = { { 3, 0, 0 }, { 64, 0, 0 } };
	static const struct row large[] = { { 4, 0, 0, 0, 1, 0, 0 }, { 64, 0, 0, 1, 2, 0, 0 } };
	static const struct shape grown[] = { { 64, 0, 0 } };

	check("tokens", "not one that is more than 16 times as large", beyond, COUNT(beyond), two,
	      COUNT(two));
	check("tokens", "one that is 16 times as large", within, COUNT(within), one, COUNT(one));
	check("tokens", "none that is less than a 16th grows", small, COUNT(small), both,
	      COUNT(both));
	check("tokens", "one that is a 16th grows", large, COUNT(large), grown, COUNT(grown));
}

static void test_growth(void)
{
	/* 30 and 40 are free. 50 wants [50, 800]: none. Then [3, 50): the largest, 40, grows */
	static const struct row rows[] = {
		{ 30, 0, 0, 0, 1, 0, 0 }, { 40, 0, 0, 0, 1, 0, 1 }, { 50, 0, 0, 1, 2, 0, 1 },
		/* at 2 the tokens of 30 and 50 are free: 45 has one of 50 now */
		{ 45, 0, 0, 2, 3, 0, 1 },
	};
	static const struct shape shapes[] = { { 30, 0, 0 }, { 50, 0, 0 } };

	check("tokens", "else the largest that is smaller, which grows", rows, COUNT(rows), shapes,
	      COUNT(shapes));
}

static void test_operand(void)
{
	/*
	 * A chain of equal sizes: 1 reads 0 while it is made, so 0 lives in [0, 2) and is not free
	 * yet; 2 gets the token of 0.
	 */
	static const struct row rows[] = {
		{ 64, 0, 0, 0, 2, 0, 0 }, { 64, 0, 0, 1, 3, 0, 1 }, { 64, 0, 0, 2, 4, 0, 0 },
		{ 64, 0, 0, 3, 4, 0, 1 },
	};
	static const struct shape shapes[] = { { 64, 0, 0 }, { 64, 0, 0 } };

	check("tokens", "a result is requested before its operand is released", rows, COUNT(rows),
	      shapes, COUNT(shapes));
}

static void test_class(void)
{
	static const struct row rows[] = { { 64, 0, 0, 0, 1, 1, 0 }, { 64, 0, 0, 1, 2, 2, 1 } };
	static const struct shape shapes[] = { { 64, 0, 0 }, { 64, 0, 0 } };

	check("tokens", "only items of one class share", rows, COUNT(rows), shapes, COUNT(shapes));
	check("tokens-2d", "only items of one class share", rows, COUNT(rows), shapes,
	      COUNT(shapes));
}

static void test_alias(void)
{
	/* 1 is a reshape of 0, and keeps its token taken when 2 comes at 2; 3 gets it at 3 */
	static const struct row rows[] = {
		{ 64, 0, 0, 0, 2, 0, 0 }, { 64, 0, 0, 1, 3, 0, 0 }, { 64, 0, 0, 2, 4, 0, 1 },
		{ 64, 0, 0, 3, 4, 0, 0 },
	};
	static const struct shape shapes[] = { { 64, 0, 0 }, { 64, 0, 0 } };
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = { .items = items, .num_items = COUNT(rows) };

	fill(items, rows, COUNT(rows));
	item_lies_in(&items[1], 0);
	check_problem("tokens", "a reshape shares its operand's token", &problem, rows, shapes,
		      COUNT(shapes));
}

static void test_apart(void)
{
	static const struct row rows[] = {
		{ 64, 0, 0, 0, 1, 0, 0 }, { 70, 0, 0, 0, 1, 0, 1 }, { 64, 0, 0, 1, 2, 0, 1 },
	};
	static const struct shape shapes[] = { { 64, 0, 0 }, { 70, 0, 0 } };
	const struct loom_place_pair apart = { 0, 2, 0 };
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_problem problem = {
		.items = items, .num_items = COUNT(rows), .apart = &apart, .num_apart = 1,
	};

	fill(items, rows, COUNT(rows));
	check_problem("tokens", "items that are to be kept apart do not share", &problem, rows,
		      shapes, COUNT(shapes));
}

static void test_least_waste(void)
{
	/* for 7 x 7: 10 x 10 wastes 51, 8 x 8 wastes 15, 7 x 6 would have to grow */
	static const struct row rows[] = {
		{ 0, 10, 10, 0, 1, 0, 0 }, { 0, 8, 8, 0, 1, 0, 1 }, { 0, 7, 6, 0, 1, 0, 2 },
		{ 0, 7, 7, 1, 2, 0, 1 },
	};
	static const struct shape shapes[] = { { 400, 10, 10 }, { 256, 8, 8 }, { 168, 7, 6 } };

	check("tokens-2d", "of those that need no growth, the one that wastes least", rows,
	      COUNT(rows), shapes, COUNT(shapes));
	check("tokens-2d-v1", "of those that need no growth, the one that wastes least", rows,
	      COUNT(rows), shapes, COUNT(shapes));
}

static void test_least_added(void)
{
	/* for 7 x 7: 6 x 7 becomes 7 x 7, adds 7; 7 x 5 adds 14; 4 x 9 becomes 7 x 9, adds 27 */
	static const struct row rows[] = {
		{ 0, 7, 5, 0, 1, 0, 0 }, { 0, 4, 9, 0, 1, 0, 1 }, { 0, 6, 7, 0, 1, 0, 2 },
		{ 0, 7, 7, 1, 2, 0, 2 },
	};
	static const struct shape shapes[] = { { 140, 7, 5 }, { 144, 4, 9 }, { 196, 7, 7 } };

	check("tokens-2d", "else the one to which least is added", rows, COUNT(rows), shapes,
	      COUNT(shapes));
	check("tokens-2d-v1", "else the one to which least is added", rows, COUNT(rows), shapes,
	      COUNT(shapes));
}

static void test_both_axes(void)
{
	/* 4 x 8 and 6 x 6: 6 x 8, adds 16, which is not more than 36 */
	static const struct row rows[] = { { 0, 4, 8, 0, 1, 0, 0 }, { 0, 6, 6, 1, 2, 0, 0 } };
	static const struct shape shapes[] = { { 192, 6, 8 } };

	check("tokens-2d", "a storage is the maximum of its items per axis", rows, COUNT(rows),
	      shapes, COUNT(shapes));
}

static void test_accept(void)
{
	/* 10 x 1 for 3 x 3: 10 x 3, adds 20, more than 9. 6 x 1: 6 x 3, adds 12. 5 x 1: adds 10 */
	static const struct row refused[] = { { 0, 5, 1, 0, 1, 0, 0 }, { 0, 3, 3, 1, 2, 0, 1 } };
	static const struct shape two[] = { { 20, 5, 1 }, { 36, 3, 3 } };
	/* 4 x 1: 4 x 3, adds 8, not more than 9 */
	static const struct row taken[] = { { 0, 4, 1, 0, 1, 0, 0 }, { 0, 3, 3, 1, 2, 0, 0 } };
	static const struct shape one[] = { { 48, 4, 3 } };

	check("tokens-2d-v1", "growth by more than the image itself is refused", refused,
	      COUNT(refused), two, COUNT(two));
	check("tokens-2d-v1", "growth by less is not", taken, COUNT(taken), one, COUNT(one));
	check("tokens-2d", "growth by more than the image itself is refused", refused,
	      COUNT(refused), two, COUNT(two));
	check("tokens-2d", "growth by less is not", taken, COUNT(taken), one, COUNT(one));
}

static void test_ratio(void)
{
	/* 60 x 1 is large enough for 10 x 1, but six times as wide */
	static const struct row six[] = { { 0, 60, 1, 0, 1, 0, 0 }, { 0, 10, 1, 1, 2, 0, 1 } };
	static const struct shape two[] = { { 240, 60, 1 }, { 40, 10, 1 } };
	static const struct row v1[] = { { 0, 60, 1, 0, 1, 0, 0 }, { 0, 10, 1, 1, 2, 0, 0 } };
	static const struct shape one[] = { { 240, 60, 1 } };
	/* 50 x 1 is five times as wide */
	static const struct row five[] = { { 0, 50, 1, 0, 1, 0, 0 }, { 0, 10, 1, 1, 2, 0, 0 } };
	static const struct shape fifty[] = { { 200, 50, 1 } };

	check("tokens-2d", "a side that is more than five times as long is refused", six,
	      COUNT(six), two, COUNT(two));
	check("tokens-2d-v1", "in the first version it is not", v1, COUNT(v1), one, COUNT(one));
	check("tokens-2d", "one that is five times as long is not", five, COUNT(five), fifty,
	      COUNT(fifty));
}

static void test_kinds(void)
{
	/* an image and bytes do not share; bytes go by the rule of one dimension */
	static const struct row rows[] = {
		{ 0, 4, 4, 0, 1, 0, 0 }, { 50, 0, 0, 0, 1, 0, 1 }, { 64, 0, 0, 1, 2, 0, 1 },
		{ 0, 4, 4, 1, 2, 0, 0 },
	};
	static const struct shape shapes[] = { { 64, 4, 4 }, { 64, 0, 0 } };
	/* in one dimension they do: 0 has 64 bytes */
	static const struct row bytes[] = { { 0, 4, 4, 0, 1, 0, 0 }, { 60, 0, 0, 1, 2, 0, 0 } };
	static const struct shape one[] = { { 64, 0, 0 } };

	check("tokens-2d", "an image shares with images only", rows, COUNT(rows), shapes,
	      COUNT(shapes));
	check("tokens", "in one dimension images are bytes", bytes, COUNT(bytes), one, COUNT(one));
}

static void test_refusals(void)
{
	static const char *const names[] = { "tokens", "tokens-2d", "tokens-2d-v1" };
	const struct loom_place_range range = { 0, 8 };
	struct loom_place_item items[1];
	static const struct row rows[] = { { 64, 0, 0, 0, 1, 0, 0 } };
	struct loom_place_problem problem = { .items = items, .num_items = 1 };
	struct loom_place_result result;
	uint32_t i;

	for (i = 0; i < COUNT(names); i++) {
		const struct loom_place_options how = { .strategy = names[i] };

		fill(items, rows, 1);
		item_fix(&items[0], 64);
		tap_ok(loom_place(&problem, &how, &result, NULL) == -EINVAL,
		       "%s: a fixed offset is refused", names[i]);
		fill(items, rows, 1);
		items[0].excluded = &range;
		items[0].num_excluded = 1;
		tap_ok(loom_place(&problem, &how, &result, NULL) == -EINVAL,
		       "%s: an excluded range is refused", names[i]);
		items[0].num_excluded = 0;
		items[0].width = INT64_MAX;
		items[0].height = 2;
		tap_ok(loom_place(&problem, &how, &result, NULL) == -ERANGE,
		       "%s: an image that leaves 63 bits is refused", names[i]);
	}
}

int main(void)
{
	test_smallest_that_fits();
	test_range();
	test_growth();
	test_operand();
	test_class();
	test_alias();
	test_apart();
	test_least_waste();
	test_least_added();
	test_both_axes();
	test_accept();
	test_ratio();
	test_kinds();
	test_refusals();
	return tap_end();
}
