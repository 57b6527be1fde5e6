// SPDX-License-Identifier: MIT
/*
 * Very many items with sizes and lifetimes by power laws, from a few to thousands alive at a time:
 * placements are valid, and within 5 % of the bound. Times are printed but not checked; they are
 * measured by bench_place.
 */
#include "loom_core.h"
#include "loom_place.h"
#include "place_item.h"
#include "tap.h"

#include <math.h>
#include <time.h>

/* Sanitizers make it many times slower, and find faults with fewer items, too. */
#ifdef __SANITIZE_ADDRESS__
#define NUM_ITEMS	6000
#define NUM_MIXED	2000
#else
#define NUM_ITEMS	20000
/* enough items for the box strategy */
#define NUM_MIXED	20000
#endif

static uint64_t seed = 1;

static double draw(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)((seed >> 40) + 1) / (1 << 24);
}

/* From 1 to @most, by a power law. */
static double power(double most, double exponent)
{
	double x = pow(draw(), -1 / exponent);

	return x < most ? x : most;
}

/**
 * struct many - how items are made
 * @what: description
 * @span: moments, in multiples of the number of items
 * @size: exponent of the power law of sizes
 * @life: exponent of the power law of lifetimes
 * @aligned: sizes are aligned to 64 bytes
 */
struct many {
	const char *what;
	double span;
	double size;
	double life;
	bool aligned;
};

static void make(struct loom_place_item *items, uint32_t count, const struct many *many)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		int64_t lower = (int64_t)(draw() * count * many->span);

		items[i] = (struct loom_place_item){
			.size_bytes = (uint64_t)(64 * power(1024, many->size)),
			.align_bytes = many->aligned ? 64 : 1,
			.lower = lower,
			.upper = lower + (int64_t)power(count, many->life),
		};
		if (many->aligned)
			items[i].size_bytes = (items[i].size_bytes + 63) / 64 * 64;
	}
}

static void test_many(const struct many *many)
{
	struct loom_place_item *items = calloc(NUM_ITEMS, sizeof(*items));
	struct loom_place_problem problem = { .items = items, .num_items = NUM_ITEMS };
	struct loom_place_result result;
	struct loom_place_fault fault;
	double seconds, ratio;
	uint64_t bound;
	clock_t start;
	bool good;

	if (!items)
		tap_fatal("no memory");
	make(items, NUM_ITEMS, many);
	start = clock();
	if (loom_place(&problem, NULL, &result, &fault))
		tap_fatal("%s: %s", many->what, fault.text);
	seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	good = !loom_place_bound(&problem, &bound) &&
	       !loom_place_check(&problem, result.offsets, NULL, &fault);
	ratio = (double)result.height_bytes[0] / (double)bound;
	tap_ok(good && ratio >= 1 && ratio <= 1.05, "%s: within 5 %% of the bound", many->what);
	tap_note("%u items, %s: %.3f s of processor time, %.4f of the bound", NUM_ITEMS,
		 result.strategy, seconds, ratio);
	loom_place_result_free(&result);
	free(items);
}

/* Adds aliases, gaps, excluded ranges, fixed offsets and pairs that are kept apart. */
static void mix(struct loom_place_item *items, struct loom_place_gap *gaps,
		const struct loom_place_range *range, struct loom_place_pair *apart)
{
	uint64_t top = 0;
	uint32_t i;

	for (i = 1; i < NUM_MIXED; i++) {
		struct loom_place_item *item = &items[i];

		if (i % 31 == 0 && item->size_bytes <= items[i - 1].size_bytes &&
		    !item_is_alias(&items[i - 1])) {
			item_lies_in(item, i - 1);
		} else if (i % 37 == 0 && item->upper - item->lower > 2) {
			gaps[i] = (struct loom_place_gap){ item->lower + 1, item->upper - 1, 0, 8 };
			item->gaps = &gaps[i];
			item->num_gaps = 1;
		} else if (i % 97 == 0) {
			item->excluded = range;
			item->num_excluded = 1;
		} else if (i % (NUM_MIXED / 8) == 5) {
			item_fix(item, top);
			top += (item->size_bytes + 63) / 64 * 64;
		}
	}
	for (i = 0; i < NUM_MIXED / 100; i++)
		apart[i] = (struct loom_place_pair){ i * 100, i * 100 + 50, 0 };
}

static void test_mixed(const struct many *many)
{
	struct loom_place_item *items = calloc(NUM_MIXED, sizeof(*items));
	struct loom_place_gap *gaps = calloc(NUM_MIXED, sizeof(*gaps));
	struct loom_place_pair *apart = calloc(NUM_MIXED / 100, sizeof(*apart));
	const struct loom_place_range range = { 4096, 8192 };
	struct loom_place_problem problem = {
		.items = items, .num_items = NUM_MIXED,
		.apart = apart, .num_apart = NUM_MIXED / 100,
	};
	struct loom_place_result result;
	struct loom_place_fault fault;
	double ratio;

	if (!items || !gaps || !apart)
		tap_fatal("no memory");
	make(items, NUM_MIXED, many);
	mix(items, gaps, &range, apart);
	if (loom_place(&problem, NULL, &result, &fault))
		tap_fatal("%s: %s", many->what, fault.text);
	ratio = (double)result.height_bytes[0] / (double)result.bound_bytes[0];
	tap_ok(!loom_place_check(&problem, result.offsets, NULL, &fault) && ratio <= 1.05,
	       "%s, some fixed, with gaps, excluded, aliases, apart: %.4f of the bound",
	       many->what, ratio);
	loom_place_result_free(&result);
	free(items);
	free(gaps);
	free(apart);
}

int main(void)
{
	static const struct many all[] = {
		{ "some alive", 4, 0.7, 0.7, true },
		{ "hundreds alive", 1, 1.2, 0.3, false },
		{ "thousands alive", 1, 1.2, 0.1, false },
		{ "most of all alive", 0.1, 2, 0.05, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		test_many(&all[i]);
	test_mixed(&all[0]);
	test_mixed(&all[3]);
	return tap_end();
}
