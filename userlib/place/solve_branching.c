// SPDX-License-Identifier: MIT
/*
 * Ways to search: which item is tried first, and which section is decided about.
 */
#include "solve_priv.h"

#include <errno.h>
#include <stdlib.h>

#include "loom_core.h"

enum {
	ORDER_AREA,
	ORDER_WIDTH,
	ORDER_SIZE,
	ORDER_TOTAL_AREA,
	ORDER_TOTAL_WIDTH,
	ORDER_TOTAL_SIZE,
	ORDER_LONG,
	ORDER_TALL,
};

static const struct solve_way ways[] = {
	{ ORDER_TOTAL_WIDTH, .weigh = true, .again = true },
	{ ORDER_TOTAL_AREA, .local = true, .weigh = true, .again = true },
	{ ORDER_SIZE, .again = true },
	{ .order = ORDER_WIDTH },
	{ ORDER_TOTAL_SIZE, .weigh = true, .again = true },
	{ ORDER_LONG, .weigh = true, .again = true },
	{ .order = ORDER_TALL },
	{ ORDER_WIDTH, .local = true },
	{ ORDER_TOTAL_SIZE, .again = true },
	{ ORDER_TOTAL_AREA, .local = true },
};

struct key {
	uint64_t first;
	uint64_t second;
	uint32_t item;
};

const struct solve_way *loom_way_list(unsigned int index)
{
	return index < ARRAY_SIZE(ways) ? &ways[index] : NULL;
}

unsigned int loom_way_count(void)
{
	return ARRAY_SIZE(ways);
}

static int compare_keys(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	if (a->first != b->first)
		return a->first > b->first ? -1 : 1;
	if (a->second != b->second)
		return a->second > b->second ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static struct key make_key(const struct solve_part *part, unsigned int order, uint32_t item)
{
	uint64_t size = part->sizes[item], width = part->first[item + 1] - part->first[item];
	uint64_t area = multiply(size, width), total = 0;
	uint32_t k;

	for (k = part->first[item]; k < part->first[item + 1]; k++)
		if (part->totals[part->sections[k]] > total)
			total = part->totals[part->sections[k]];
	switch (order) {
	case ORDER_AREA:
		return (struct key){ area, size, item };
	case ORDER_WIDTH:
		return (struct key){ width, size, item };
	case ORDER_SIZE:
		return (struct key){ size, width, item };
	case ORDER_TOTAL_AREA:
		return (struct key){ total, area, item };
	case ORDER_TOTAL_WIDTH:
		return (struct key){ total, width, item };
	case ORDER_TOTAL_SIZE:
		return (struct key){ total, size, item };
	case ORDER_LONG:
		return (struct key){ multiply(area, width), size, item };
	default:
		return (struct key){ multiply(area, size), width, item };
	}
}

int loom_way_rank(const struct solve_part *part, const struct solve_way *way, uint32_t *rank)
{
	uint32_t n = part->num_items, i;
	struct key *keys = malloc(n * sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		keys[i] = make_key(part, way->order, i);
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (i = 0; i < n; i++)
		rank[keys[i].item] = i;
	free(keys);
	return 0;
}
