/* SPDX-License-Identifier: MIT */
#ifndef LOOM_FUZZ_PLACE_PROBLEM_H
#define LOOM_FUZZ_PLACE_PROBLEM_H

/*
 * Placement problems out of arbitrary bytes: every input is a problem, and where the input runs out
 * the rest is zeroes. A tame problem is mostly valid, a wild one hardly ever. Included by place.c
 * alone.
 */

#include "loom_place.h"
#include "place_item.h"

/**
 * struct fuzz_bytes - the rest of an input; zeroes follow it
 * @at: next byte
 * @left: number of bytes
 */
struct fuzz_bytes {
	const uint8_t *at;
	size_t left;
};

static uint8_t fuzz_byte(struct fuzz_bytes *bytes)
{
	if (!bytes->left)
		return 0;
	bytes->left--;
	return *bytes->at++;
}

static uint64_t fuzz_number(struct fuzz_bytes *bytes, unsigned int count)
{
	uint64_t number = 0;

	while (count--)
		number = number << 8 | fuzz_byte(bytes);
	return number;
}

#define FUZZ_ITEMS	24
#define FUZZ_LISTS	3

/**
 * struct fuzz_problem - a problem and what it points to
 * @problem: the problem
 * @wild: nothing is made consistent
 * @follow: items live as long as operators need them
 * @items: of @problem
 * @gaps: by item
 * @excluded: by item
 * @ops: of @problem
 * @inputs: by operator
 * @pools: of @problem
 * @apart: of @problem
 * @conflicts: of @problem
 */
struct fuzz_problem {
	struct loom_place_problem problem;
	bool wild;
	bool follow;
	struct loom_place_item items[FUZZ_ITEMS];
	struct loom_place_gap gaps[FUZZ_ITEMS][FUZZ_LISTS];
	struct loom_place_range excluded[FUZZ_ITEMS][FUZZ_LISTS];
	struct loom_place_op ops[FUZZ_ITEMS];
	uint32_t inputs[FUZZ_ITEMS][FUZZ_LISTS];
	struct loom_place_pool pools[FUZZ_LISTS];
	struct loom_place_pair apart[FUZZ_LISTS];
	struct loom_place_pair conflicts[FUZZ_LISTS];
};

/* Bits of the first byte of an input. */
enum {
	FUZZ_BINARY	= 1 << 0,
	FUZZ_FIT_ONLY	= 1 << 1,
	FUZZ_WILD	= 1 << 2,
	FUZZ_FOLLOW	= 1 << 3,
};

/* Bits of the first byte of an item. */
enum {
	FUZZ_ITEM_LARGE		= 1 << 0,
	FUZZ_ITEM_ALIGNED	= 1 << 1,
	FUZZ_ITEM_FIXED		= 1 << 2,
	FUZZ_ITEM_ALIAS		= 1 << 3,
	FUZZ_ITEM_GAPS		= 1 << 4,
	FUZZ_ITEM_EXCLUDED	= 1 << 5,
	FUZZ_ITEM_IMAGE		= 1 << 6,
	FUZZ_ITEM_POOLS		= 1 << 7,
};

static void fuzz_make_gaps(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes, uint32_t index)
{
	struct loom_place_item *item = &fuzz->items[index];
	const uint32_t count = fuzz_byte(bytes) % (FUZZ_LISTS + 1);
	int64_t at = item->lower;

	item->gaps = fuzz->gaps[index];
	while (item->num_gaps < count) {
		struct loom_place_gap gap = {
			.lower = at + fuzz_byte(bytes) % 4,
			.window_lower = fuzz_byte(bytes) % 16,
			.window_upper = fuzz_byte(bytes) % 16,
		};

		gap.upper = gap.lower + fuzz_byte(bytes) % 4;
		if (!fuzz->wild && (gap.upper == gap.lower || gap.upper > item->upper ||
				    gap.window_upper > item->size_bytes))
			return;
		fuzz->gaps[index][item->num_gaps++] = gap;
		at = gap.upper;
	}
}

static void fuzz_make_excluded(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes, uint32_t index)
{
	struct loom_place_item *item = &fuzz->items[index];
	uint64_t at = 0;
	uint32_t i;

	item->num_excluded = fuzz_byte(bytes) % (FUZZ_LISTS + 1);
	item->excluded = fuzz->excluded[index];
	for (i = 0; i < item->num_excluded; i++) {
		struct loom_place_range *range = &fuzz->excluded[index][i];

		range->lower = at + fuzz_byte(bytes);
		range->upper = range->lower + fuzz_byte(bytes) + !fuzz->wild;
		at = range->upper;
	}
}

static void fuzz_make_alias(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes, uint32_t index)
{
	struct loom_place_item *item = &fuzz->items[index];
	const struct loom_place_item *owner;

	item_lies_in(item, fuzz_byte(bytes) % (index + fuzz->wild));
	item->alias_offset = fuzz_byte(bytes) % 8;
	if (fuzz->wild)
		return;
	owner = &fuzz->items[item->alias];
	item->align_bytes = 1;
	if (item->alias_offset > owner->size_bytes)
		item->alias_offset = 0;
	if (item->size_bytes > owner->size_bytes - item->alias_offset)
		item->size_bytes = owner->size_bytes - item->alias_offset;
}

static void fuzz_make_item(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes, uint32_t index)
{
	struct loom_place_item *item = &fuzz->items[index];
	const uint8_t flags = fuzz_byte(bytes);

	item->size_bytes = flags & FUZZ_ITEM_LARGE && fuzz->wild ? fuzz_number(bytes, 8) :
			   fuzz_byte(bytes);
	item->align_bytes = flags & FUZZ_ITEM_ALIGNED ? fuzz_byte(bytes) % 65 : 1;
	item->lower = (int8_t)fuzz_byte(bytes) % 16;
	item->upper = item->lower + fuzz_byte(bytes) % 16 + !fuzz->wild;
	item->flags = 0;
	if (flags & FUZZ_ITEM_IMAGE) {
		item->width = fuzz_byte(bytes) % 64;
		item->height = fuzz_byte(bytes) % 64;
		item->storage_class = fuzz_byte(bytes) & 1;
		if (item->width && item->height)
			item->size_bytes = item->width * item->height;
	}
	/* features that exclude one another, or hardly a problem would be valid */
	if (flags & FUZZ_ITEM_ALIAS && (index || fuzz->wild))
		fuzz_make_alias(fuzz, bytes, index);
	else if (flags & FUZZ_ITEM_FIXED && (fuzz->wild || fuzz_byte(bytes) < 32))
		item_fix(item, (uint64_t)fuzz_byte(bytes) *
			      (item->align_bytes ? item->align_bytes : 1));
	if (flags & FUZZ_ITEM_POOLS)
		item->pools = fuzz_byte(bytes) & (fuzz->wild ? 7 :
						  (1U << fuzz->problem.num_pools) - 1);
	if (flags & FUZZ_ITEM_GAPS)
		fuzz_make_gaps(fuzz, bytes, index);
	if (flags & FUZZ_ITEM_EXCLUDED)
		fuzz_make_excluded(fuzz, bytes, index);
}

/* Each operator makes an item from earlier ones; items live until their last reader. */
static void fuzz_follow(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes)
{
	uint32_t i, j;

	fuzz->problem.num_ops = fuzz->problem.num_items;
	fuzz->problem.ops = fuzz->ops;
	for (i = 0; i < fuzz->problem.num_ops; i++) {
		fuzz->items[i].lower = i;
		fuzz->items[i].upper = i + 1;
		fuzz->items[i].num_gaps = 0;
		fuzz->ops[i].output = i;
		fuzz->ops[i].inputs = fuzz->inputs[i];
		fuzz->ops[i].num_inputs = i ? fuzz_byte(bytes) % (FUZZ_LISTS + 1) : 0;
		for (j = 0; j < fuzz->ops[i].num_inputs; j++) {
			fuzz->inputs[i][j] = fuzz_byte(bytes) % i;
			fuzz->items[fuzz->inputs[i][j]].upper = i + 1;
		}
		fuzz->ops[i].in_place = fuzz->ops[i].num_inputs &&
					fuzz->items[i].alias == fuzz->inputs[i][0] &&
					!fuzz->items[i].alias_offset;
	}
}

static void fuzz_make_ops(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes)
{
	const uint32_t num_items = fuzz->problem.num_items;
	uint32_t i, j;

	fuzz->problem.num_ops = fuzz_byte(bytes) % (FUZZ_ITEMS + 1);
	fuzz->problem.ops = fuzz->problem.num_ops ? fuzz->ops : NULL;
	for (i = 0; i < fuzz->problem.num_ops; i++) {
		const uint8_t shape = fuzz_byte(bytes);

		fuzz->ops[i].num_inputs = shape % (FUZZ_LISTS + 1);
		fuzz->ops[i].inputs = fuzz->inputs[i];
		fuzz->ops[i].in_place = (shape & 0x70) == 0x70;
		for (j = 0; j < fuzz->ops[i].num_inputs; j++)
			fuzz->inputs[i][j] = fuzz_byte(bytes) % (num_items + (shape == 0xff));
		fuzz->ops[i].output = shape & 0x80 ? i % num_items :
				      fuzz_byte(bytes) % num_items;
	}
}

static uint32_t fuzz_make_pairs(struct loom_place_pair *pairs, struct fuzz_bytes *bytes,
				uint32_t num_items)
{
	const uint32_t count = fuzz_byte(bytes) % (FUZZ_LISTS + 1);
	uint32_t i;

	for (i = 0; i < count; i++) {
		pairs[i].first = fuzz_byte(bytes) % num_items;
		pairs[i].second = fuzz_byte(bytes) % num_items;
		pairs[i].weight = fuzz_byte(bytes);
	}
	return count;
}

static void fuzz_make(struct fuzz_problem *fuzz, struct fuzz_bytes *bytes)
{
	struct loom_place_problem *problem = &fuzz->problem;
	uint32_t i;

	problem->items = fuzz->items;
	problem->num_items = 1 + fuzz_byte(bytes) % FUZZ_ITEMS;
	problem->num_pools = fuzz_byte(bytes) % (FUZZ_LISTS + 1);
	problem->pools = problem->num_pools ? fuzz->pools : NULL;
	for (i = 0; i < problem->num_pools; i++) {
		const uint64_t capacity = fuzz_number(bytes, 2);

		fuzz->pools[i].capacity_bytes = capacity & 1 ? LOOM_PLACE_ANYWHERE : capacity;
		fuzz->pools[i].align_bytes = fuzz_byte(bytes) & 15;
		fuzz->pools[i].cost = fuzz_byte(bytes) & 3;
		fuzz->pools[i].sub_bank_bytes = fuzz_byte(bytes) & 0x70;
	}
	for (i = 0; i < problem->num_items; i++)
		fuzz_make_item(fuzz, bytes, i);
	if (fuzz->follow)
		fuzz_follow(fuzz, bytes);
	else
		fuzz_make_ops(fuzz, bytes);
	problem->apart = fuzz->apart;
	problem->num_apart = fuzz_make_pairs(fuzz->apart, bytes, problem->num_items);
	problem->conflicts = fuzz->conflicts;
	problem->num_conflicts = fuzz_make_pairs(fuzz->conflicts, bytes, problem->num_items);
}

#endif /* LOOM_FUZZ_PLACE_PROBLEM_H */
