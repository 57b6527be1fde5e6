// SPDX-License-Identifier: MIT
/*
 * Gives addresses to buffers of one's own: no network, no device, no chip. Five buffers of a video
 * pipeline share one memory; buffers that are never live together may share bytes.
 *
 *	place_items [CAPACITY]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <loom_place.h>

static const char *const names[] = { "frame", "luma", "edges", "blur", "result" };

/*
 * Lifetimes are half-open: [0, 2) is alive in moments 0 and 1. Other fields are zero, and mean
 * nothing special.
 */
#define ITEMS	5
#define ITEM(size, align, from, to) {							\
	.size_bytes = (size), .align_bytes = (align), .lower = (from), .upper = (to),	\
}

static const struct loom_place_item items[ITEMS] = {
	ITEM(6144, 64, 0, 2),
	ITEM(2048, 64, 1, 4),
	ITEM(2048, 64, 2, 5),
	ITEM(4096, 4096, 3, 6),
	ITEM(1024, 64, 5, 7),
};

int main(int argc, char **argv)
{
	struct loom_place_problem problem = {
		.items = items,
		.num_items = ITEMS,
	};
	struct loom_place_pool pool = { .capacity_bytes = LOOM_PLACE_ANYWHERE };
	struct loom_place_result result;
	struct loom_place_fault fault;
	uint64_t bound;
	uint32_t i;
	int ret;

	if (argc > 1) {
		pool.capacity_bytes = strtoull(argv[1], NULL, 0);
		problem.pools = &pool;
		problem.num_pools = 1;
	}

	/* bytes alive at the busiest moment: a lower bound on the height of any placement */
	ret = loom_place_bound(&problem, &bound);
	if (ret) {
		fprintf(stderr, "place_items: %s\n", strerror(-ret));
		return 1;
	}
	ret = loom_place(&problem, NULL, &result, &fault);
	if (ret) {
		fprintf(stderr, "place_items: %s\n", fault.text);
		return 1;
	}
	for (i = 0; i < problem.num_items; i++)
		printf("%-6s %5llu .. %5llu\n", names[i], (unsigned long long)result.offsets[i],
		       (unsigned long long)(result.offsets[i] + items[i].size_bytes));
	printf("height %llu, bound %llu, by '%s'%s\n", (unsigned long long)result.height_bytes[0],
	       (unsigned long long)bound, result.strategy,
	       result.proved ? ": nothing is lower" : "");

	/* the checker shares no code with any strategy, and takes placements of anybody */
	ret = loom_place_check(&problem, result.offsets, NULL, &fault);
	printf("check: %s\n", ret ? fault.text : "no two buffers meet");

	/* and it does see it when they do */
	result.offsets[1] = result.offsets[2];
	if (!ret && !loom_place_check(&problem, result.offsets, NULL, &fault))
		ret = -1;
	else if (!ret)
		printf("moved: %s\n", fault.text);
	loom_place_result_free(&result);
	return ret != 0;
}
