// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_bank.h"

enum { LOW, HIGH };

static void loom_flat_put(struct loom_flat *flat, u32 index, struct loom_bank_block *block)
{
	flat->start[index] = block->start + block->size;
	flat->size[index] = block->hole;
	flat->block[index] = block;
	block->flat_index = index;
}

void loom_flat_build(struct loom_flat *flat, struct loom_bank_block *head)
{
	struct loom_bank_block *block;

	flat->count = 0;
	for (block = head; block; block = block->neighbour[HIGH])
		if (block->hole)
			loom_flat_put(flat, flat->count++, block);
}

/* The last one takes its place. */
static void loom_flat_remove(struct loom_flat *flat, u32 index)
{
	u32 last = --flat->count;

	if (index == last)
		return;
	flat->start[index] = flat->start[last];
	flat->size[index] = flat->size[last];
	flat->block[index] = flat->block[last];
	flat->block[index]->flat_index = index;
}

void loom_flat_set(struct loom_flat *flat, struct loom_bank_block *block, u64 hole)
{
	u32 index = block->flat_index;

	if (!block->hole && !hole)
		return;
	if (!block->hole) {
		block->hole = hole;
		loom_flat_put(flat, flat->count++, block);
		return;
	}
	block->hole = hole;
	if (hole)
		flat->size[index] = hole;
	else
		loom_flat_remove(flat, index);
}

void loom_flat_cut(struct loom_flat *flat, u32 index, struct loom_bank_block *block,
		   bool top_down)
{
	struct loom_bank_block *node = flat->block[index];
	u64 left = node->hole - block->size;

	node->hole = top_down ? left : 0;
	block->hole = top_down ? 0 : left;
	if (!left) {
		loom_flat_remove(flat, index);
		return;
	}
	flat->size[index] = left;
	if (top_down)
		return;
	flat->start[index] += block->size;
	flat->block[index] = block;
	block->flat_index = index;
}

void loom_flat_hand_over(struct loom_flat *flat, struct loom_bank_block *from,
			 struct loom_bank_block *block, u64 hole)
{
	block->hole = hole;
	from->hole = 0;
	loom_flat_put(flat, from->flat_index, block);
}

/* What makes one hole better than another. */
enum flat_rule { FLAT_FIRST, FLAT_TIGHTEST, FLAT_NEAREST };

/*
 * Of up to so many holes the best is found in one pass; of more, so many are one of the parts.
 * Measured.
 */
static __always_inline u32 flat_few(enum flat_rule rule)
{
	return rule == FLAT_NEAREST ? 32 : 20;
}

/* At least so many bytes, from @edge of the bank. */
struct flat_wish {
	u64 bytes;
	u64 edge;
};

/* What a hole costs; none that is too small costs less than one that is large enough. */
static __always_inline u64 flat_cost(const struct loom_flat *flat, u32 index,
				     struct flat_wish wish, enum flat_rule rule,
				     bool top_down)
{
	u64 start = flat->start[index], size = flat->size[index];
	u64 too_small = -(u64)(size < wish.bytes);

	if (rule == FLAT_FIRST)
		return (top_down ? ~(start + size) : start) | too_small;
	/* that wraps around for one that is too small */
	if (rule == FLAT_TIGHTEST)
		return size - wish.bytes;
	return (size - wish.bytes +
		loom_flat_far(top_down ? wish.edge - start - size : start - wish.edge)) |
	       too_small;
}

/* Of the holes from @from to @to that cost so much, the first from the end that is named. */
static __always_inline u32 flat_first_of(const struct loom_flat *flat, u32 from, u32 to, u64 cost,
					 struct flat_wish wish, enum flat_rule rule, bool top_down)
{
	u32 found = U32_MAX, i;

	for (i = from; i < to; i++) {
		bool higher;

		if (flat_cost(flat, i, wish, rule, top_down) != cost)
			continue;
		higher = found != U32_MAX && flat->start[i] > flat->start[found];
		if (found == U32_MAX || higher == top_down)
			found = i;
	}
	return found;
}

/* What the cheapest hole from @from to @to costs. */
static __always_inline u64 flat_least(const struct loom_flat *flat, u32 from, u32 to,
				      struct flat_wish wish, enum flat_rule rule, bool top_down)
{
	u64 even = U64_MAX, odd = U64_MAX;
	u32 i;

	/* two minima, so that one need not wait for the other */
	for (i = from; i + 1 < to; i += 2) {
		even = min(even, flat_cost(flat, i, wish, rule, top_down));
		odd = min(odd, flat_cost(flat, i + 1, wish, rule, top_down));
	}
	if (i < to)
		even = min(even, flat_cost(flat, i, wish, rule, top_down));
	return min(even, odd);
}

/*
 * Of many holes. To carry the hole along with what it costs takes longer than to search it again,
 * among a few; among all if two may cost the same.
 */
static __always_inline u32 flat_search_many(const struct loom_flat *flat, struct flat_wish wish,
					    enum flat_rule rule, bool top_down)
{
	u64 least = U64_MAX;
	bool tied = false;
	u32 few = flat_few(rule), from = 0, i;

	for (i = 0; i < flat->count; i += few) {
		u64 cost = flat_least(flat, i, min(i + few, flat->count), wish, rule, top_down);

		if (cost > least)
			continue;
		tied = cost == least;
		least = cost;
		from = i;
	}
	if (tied)
		return flat_first_of(flat, 0, flat->count, least, wish, rule, top_down);
	return flat_first_of(flat, from, min(from + few, flat->count), least, wish, rule,
			     top_down);
}

/* Which of two holes is better is as good as random: there is no branch for it. */
static __always_inline u32 flat_search(const struct loom_flat *flat, struct flat_wish wish,
				       enum flat_rule rule, bool top_down)
{
	u64 least = U64_MAX, found = 0, tied = 0;
	u32 i;

	if (flat->count > flat_few(rule)) {
		found = flat_search_many(flat, wish, rule, top_down);
	} else {
		for (i = 0; i < flat->count; i++) {
			u64 cost = flat_cost(flat, i, wish, rule, top_down);
			u64 better = -(u64)(cost < least);

			tied = (tied & ~better) | (cost == least);
			found = (found & ~better) | (i & better);
			least = min(least, cost);
		}
		if (tied)
			found = flat_first_of(flat, 0, flat->count, least, wish, rule, top_down);
	}
	return flat->count && flat->size[found] >= wish.bytes ? (u32)found : U32_MAX;
}

static __always_inline u32 flat_search_from(const struct loom_flat *flat,
					    struct flat_wish wish,
					    enum flat_rule rule, bool top_down)
{
	if (top_down)
		return flat_search(flat, wish, rule, true);
	return flat_search(flat, wish, rule, false);
}

u32 loom_flat_first(const struct loom_flat *flat, u64 bytes, bool top_down)
{
	return flat_search_from(flat, (struct flat_wish){ .bytes = bytes }, FLAT_FIRST, top_down);
}

u32 loom_flat_tightest(const struct loom_flat *flat, u64 bytes, bool top_down)
{
	return flat_search_from(flat, (struct flat_wish){ .bytes = bytes }, FLAT_TIGHTEST,
				top_down);
}

u32 loom_flat_nearest(const struct loom_flat *flat, u64 bytes, u64 edge, bool top_down)
{
	return flat_search_from(flat, (struct flat_wish){ .bytes = bytes, .edge = edge },
				FLAT_NEAREST, top_down);
}

struct loom_bank_block *loom_flat_at(const struct loom_flat *flat, u64 address)
{
	struct loom_bank_block *found = NULL;
	u64 best = 0;
	u32 i;

	for (i = 0; i < flat->count; i++) {
		if (flat->start[i] > address || flat->start[i] < best)
			continue;
		best = flat->start[i];
		found = flat->block[i];
	}
	return found;
}

u64 loom_flat_largest(const struct loom_flat *flat)
{
	u64 largest = 0;
	u32 i;

	for (i = 0; i < flat->count; i++)
		largest = max(largest, flat->size[i]);
	return largest;
}
