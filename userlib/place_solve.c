// SPDX-License-Identifier: MIT
#include "place_solve_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUM_ORDERS	8

struct key {
	uint64_t a;
	uint64_t b;
	uint32_t item;
};

static int compare_keys(const void *x, const void *y)
{
	const struct key *a = x, *b = y;

	if (a->a != b->a)
		return a->a > b->a ? -1 : 1;
	if (a->b != b->b)
		return a->b > b->b ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

/* By item: its place in a static order. */
static int make_rank(const struct solve_part *part, unsigned int order, uint32_t *rank)
{
	uint32_t n = part->num_items, i, k;
	struct key *keys = malloc(n * sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		uint64_t size = part->sizes[i], width = part->first[i + 1] - part->first[i];
		uint64_t total = 0;
		uint64_t pairs[NUM_ORDERS][2];

		for (k = part->first[i]; k < part->first[i + 1]; k++)
			if (part->totals[part->sections[k]] > total)
				total = part->totals[part->sections[k]];
		pairs[0][0] = size * width, pairs[0][1] = size;
		pairs[1][0] = width, pairs[1][1] = size;
		pairs[2][0] = size, pairs[2][1] = width;
		pairs[3][0] = total, pairs[3][1] = size * width;
		pairs[4][0] = total, pairs[4][1] = width;
		pairs[5][0] = total, pairs[5][1] = size;
		pairs[6][0] = width * width * size, pairs[6][1] = 0;
		pairs[7][0] = size * size * width, pairs[7][1] = 0;
		keys[i] = (struct key){ pairs[order][0], pairs[order][1], i };
	}
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (i = 0; i < n; i++)
		rank[keys[i].item] = i;
	free(keys);
	return 0;
}

/* A portfolio of searches for one part under one capacity, in slices that grow. */
static enum solve_answer search_part(const struct solve_part *part, uint64_t capacity,
				     uint64_t *nodes, uint64_t *offsets)
{
	struct solve_search *searches[NUM_ORDERS] = { NULL };
	struct solve_memo memo = { calloc(2 << 16, sizeof(*memo.keys)), (1 << 16) - 1 };
	uint32_t *rank = malloc(part->num_items * sizeof(*rank));
	enum solve_answer answer = SOLVE_NOMEM;
	uint64_t slice, given;
	unsigned int k;

	if (!rank || !memo.keys)
		goto out;
	for (k = 0; k < NUM_ORDERS; k++) {
		if (make_rank(part, k, rank) || loom_search_create(part, rank, &searches[k]))
			goto out;
		loom_search_reset(searches[k], capacity, &memo);
	}
	answer = SOLVE_LATER;
	for (slice = 256; *nodes && answer == SOLVE_LATER; slice += slice / 2) {
		for (k = 0; k < NUM_ORDERS && answer == SOLVE_LATER && *nodes; k++) {
			given = slice < *nodes ? slice : *nodes;
			*nodes -= given;
			answer = loom_search_run(searches[k], &given);
			*nodes += given;
		}
	}
	if (answer == SOLVE_FOUND)
		memcpy(offsets, loom_search_offsets(searches[k - 1]),
		       part->num_items * sizeof(*offsets));
out:
	for (k = 0; k < NUM_ORDERS; k++)
		loom_search_destroy(searches[k]);
	free(memo.keys);
	free(rank);
	return answer;
}

static uint64_t part_height(const struct loom_solve *solve, const struct solve_part *part,
			    uint64_t unit)
{
	uint64_t height = 0;
	uint32_t i;

	for (i = 0; i < part->num_items; i++) {
		uint64_t top = solve->offsets[part->ids[i]] +
			       solve->items[part->ids[i]].size_bytes;

		if (top > height)
			height = top;
	}
	return (height + unit - 1) / unit;
}

int loom_place_solve(struct loom_solve *solve)
{
	uint64_t unit = loom_solve_unit(solve), bound = 0, capacity, *offsets = NULL;
	uint64_t nodes = solve->budget, limit = SOLVE_NEVER / unit;
	struct solve_part *parts;
	uint32_t num_parts, i, k;
	bool stuck = false, never = false;
	int err;

	if (solve->capacity_bytes / unit < limit)
		limit = solve->capacity_bytes / unit;
	err = loom_solve_split(solve, unit, &parts, &num_parts);
	if (err)
		return err;
	for (i = 0; i < num_parts; i++)
		if (parts[i].bound > bound)
			bound = parts[i].bound;
	offsets = malloc(((size_t)solve->num_items * 2 + 1) * sizeof(*offsets));
	if (!offsets) {
		err = -ENOMEM;
		goto out;
	}
	/* from the bound up, until every part has a placement or one cannot be placed */
	for (capacity = solve->fit_only && limit != SOLVE_NEVER / unit ? limit : bound;
	     capacity <= limit && !stuck; capacity++) {
		bool found = true;

		if (solve->height_bytes != LOOM_PLACE_ANYWHERE &&
		    (solve->height_bytes + unit - 1) / unit <= capacity)
			break;
		never = false;
		for (i = 0; i < num_parts && found; i++) {
			const struct solve_part *part = &parts[i];
			uint64_t *own = offsets + solve->num_items;
			enum solve_answer answer = SOLVE_LATER;

			if (solve->height_bytes != LOOM_PLACE_ANYWHERE &&
			    part_height(solve, part, unit) <= capacity) {
				for (k = 0; k < part->num_items; k++)
					offsets[part->ids[k]] = solve->offsets[part->ids[k]];
				continue;
			}
			if (part->small)
				answer = search_part(part, capacity, &nodes, own);
			if (answer == SOLVE_NOMEM) {
				err = -ENOMEM;
				goto out;
			}
			if (answer == SOLVE_FOUND) {
				for (k = 0; k < part->num_items; k++)
					offsets[part->ids[k]] = own[k] * unit;
				continue;
			}
			found = false;
			never = answer == SOLVE_NONE && !part->windows;
			stuck = !never;
		}
		if (never && bound < capacity + 1)
			bound = capacity + 1;
		if (!found)
			continue;
		solve->height_bytes = 0;
		for (i = 0; i < solve->num_items; i++) {
			solve->offsets[i] = offsets[i];
			if (offsets[i] + solve->items[i].size_bytes > solve->height_bytes)
				solve->height_bytes = offsets[i] + solve->items[i].size_bytes;
		}
		break;
	}
out:
	solve->nodes = solve->budget - nodes;
	solve->bound_bytes = bound > SOLVE_NEVER / unit ? SOLVE_NEVER : bound * unit;
	free(offsets);
	loom_solve_unsplit(parts, num_parts);
	return err;
}
