// SPDX-License-Identifier: MIT
/*
 * Very many items with sizes and lifetimes by power laws, from a few to thousands alive at a time:
 * placed, proved, within 5 % of the bound. Times are notes: they are the benchmark's matter.
 */
#include "loom_core.h"
#include "loom_place.h"
#include "tap.h"

#include <math.h>
#include <time.h>

/* Sanitizers make it many times as slow, and look at every access in fewer items, too. */
#ifdef __SANITIZE_ADDRESS__
#define NUM_ITEMS	6000
#else
#define NUM_ITEMS	60000
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
 * @what: what they are like
 * @span: moments, in multiples of the number of items
 * @size: exponent of sizes
 * @life: exponent of lifetimes
 * @aligned: to 64 bytes
 */
struct many {
	const char *what;
	double span;
	double size;
	double life;
	bool aligned;
};

static void make(struct loom_place_item *items, const struct many *many)
{
	uint32_t i;

	for (i = 0; i < NUM_ITEMS; i++) {
		int64_t lower = (int64_t)(draw() * NUM_ITEMS * many->span);

		items[i] = (struct loom_place_item){
			.size_bytes = (uint64_t)(64 * power(1024, many->size)),
			.align_bytes = many->aligned ? 64 : 1,
			.lower = lower,
			.upper = lower + (int64_t)power(NUM_ITEMS, many->life),
			.fixed = LOOM_PLACE_ANYWHERE,
			.alias = LOOM_PLACE_NONE,
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
	make(items, many);
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
	return tap_end();
}
