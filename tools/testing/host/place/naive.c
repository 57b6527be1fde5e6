// SPDX-License-Identifier: MIT
/* The baseline of all strategies: the sum of the sizes, and what alignment leaves free. */
#include "loom_place.h"
#include "place_item.h"
#include "tap.h"

static uint64_t naive(const struct loom_place_item *items, uint32_t num_items)
{
	const struct loom_place_problem problem = { .items = items, .num_items = num_items };
	const struct loom_place_options how = { .strategy = "naive" };
	struct loom_place_result result;
	uint64_t height;

	if (loom_place(&problem, &how, &result, NULL))
		tap_fatal("not placed");
	if (loom_place_check(&problem, result.offsets, result.pools, NULL))
		tap_fatal("not valid");
	height = result.height_bytes[0];
	loom_place_result_free(&result);
	return height;
}

int main(void)
{
	struct loom_place_item items[3] = {
		{ .size_bytes = 100, .lower = 0, .upper = 1 },
		{ .size_bytes = 300, .lower = 1, .upper = 2 },
		{ .size_bytes = 50, .lower = 2, .upper = 3 },
	};

	tap_ok(naive(items, 3) == 450, "three that never meet need the sum of their sizes");
	items[1].align_bytes = 64;
	tap_ok(naive(items, 3) == 128 + 300 + 50, "and what alignment leaves free");
	items[1].align_bytes = 0;
	item_fix(&items[2], 20);
	tap_ok(naive(items, 3) == 70 + 400, "what is fixed comes first, the others lie above it");
	return tap_end();
}
