// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_bank.h"

enum { LOW, HIGH };

static void loom_flat_put(struct loom_flat *flat, u32 index, struct loom_bank_block *block)
{
	flat->start[index] = block->start + block->size;
	flat->size[index] = block->hole;
	flat->block[index] = block;
	block->flat_index = index;
	loom_flat_weigh(flat, index);
}

void loom_flat_build(struct loom_flat *flat, struct loom_bank_block *head, u64 limit,
		     bool is_near)
{
	flat->is_near = is_near;
	flat->base = head->start;
	flat->limit = limit;
	flat->count = LOOM_FLAT_SLOTS;
	loom_flat_clear(flat);
	loom_flat_refill(flat, head);
}

void loom_flat_clear(struct loom_flat *flat)
{
	while (flat->count)
		flat->size[--flat->count] = 0;
}

void loom_flat_refill(struct loom_flat *flat, struct loom_bank_block *head)
{
	struct loom_bank_block *block;

	for (block = head; block; block = block->neighbour[HIGH])
		if (block->hole)
			loom_flat_put(flat, flat->count++, block);
}

void loom_flat_remove(struct loom_flat *flat, u32 index)
{
	u32 last = --flat->count;

	flat->start[index] = flat->start[last];
	flat->size[index] = flat->size[last];
	flat->block[index] = flat->block[last];
	flat->block[index]->flat_index = index;
	flat->near[LOW][index] = flat->near[LOW][last];
	flat->near[HIGH][index] = flat->near[HIGH][last];
	flat->size[last] = 0;
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
	if (!hole) {
		loom_flat_remove(flat, index);
		return;
	}
	flat->size[index] = hole;
	loom_flat_weigh(flat, index);
}

void loom_flat_give(struct loom_flat *flat, struct loom_bank_block *block,
		    struct loom_bank_block *below)
{
	u64 above = block->hole;

	block->hole = 0;
	if (!below->hole) {
		below->hole = block->size + above;
		loom_flat_put(flat, above ? block->flat_index : flat->count++, below);
		return;
	}
	below->hole += block->size + above;
	flat->size[below->flat_index] = below->hole;
	loom_flat_weigh(flat, below->flat_index);
	if (above)
		loom_flat_remove(flat, block->flat_index);
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

/* What a hole costs; none that is too small costs less than one that is large enough. */
static __always_inline u64 flat_cost(const struct loom_flat *flat, u32 index,
				     u64 bytes, enum flat_rule rule, bool top_down)
{
	u64 start = flat->start[index], size = flat->size[index];
	u64 too_small = -(u64)(size < bytes);

	if (rule == FLAT_FIRST)
		return (top_down ? ~(start + size) : start) | too_small;
	/* that wraps around for one that is too small */
	if (rule == FLAT_TIGHTEST)
		return size - bytes;
	return flat->near[top_down ? HIGH : LOW][index] | too_small;
}

/* Of the holes that cost so much, the first from the end that is named. */
static __always_inline u32 flat_first_of(const struct loom_flat *flat, u64 cost, u64 bytes,
					 enum flat_rule rule, bool top_down)
{
	u32 found = U32_MAX, i;

	for (i = 0; i < flat->count; i++) {
		bool higher;

		if (flat_cost(flat, i, bytes, rule, top_down) != cost)
			continue;
		higher = found != U32_MAX && flat->start[i] > flat->start[found];
		if (found == U32_MAX || higher == top_down)
			found = i;
	}
	return found;
}

/* What the cheapest hole of so many from @i on costs: no loop, and none waits for another. */
static __always_inline u64 flat_least_2(const struct loom_flat *flat, u32 i, u64 bytes,
					enum flat_rule rule, bool top_down)
{
	return min(flat_cost(flat, i, bytes, rule, top_down),
		   flat_cost(flat, i + 1, bytes, rule, top_down));
}

static __always_inline u64 flat_least_4(const struct loom_flat *flat, u32 i, u64 bytes,
					enum flat_rule rule, bool top_down)
{
	return min(flat_least_2(flat, i, bytes, rule, top_down),
		   flat_least_2(flat, i + 2, bytes, rule, top_down));
}

static __always_inline u64 flat_least_8(const struct loom_flat *flat, u32 i, u64 bytes,
					enum flat_rule rule, bool top_down)
{
	return min(flat_least_4(flat, i, bytes, rule, top_down),
		   flat_least_4(flat, i + 4, bytes, rule, top_down));
}

/* Bit by hole: which of four cost so much. */
static __always_inline u32 flat_same_4(const struct loom_flat *flat, u32 i, u64 cost, u64 bytes,
				       enum flat_rule rule, bool top_down)
{
	return (u32)(flat_cost(flat, i, bytes, rule, top_down) == cost) |
	       (u32)(flat_cost(flat, i + 1, bytes, rule, top_down) == cost) << 1 |
	       (u32)(flat_cost(flat, i + 2, bytes, rule, top_down) == cost) << 2 |
	       (u32)(flat_cost(flat, i + 3, bytes, rule, top_down) == cost) << 3;
}

/*
 * Which of two holes is better is as good as random, so there is no branch for it; and to carry the
 * hole along with what it costs takes longer than to search it again, among eight. Behind the last
 * hole are empty ones.
 */
static __always_inline u32 flat_search(const struct loom_flat *flat, u64 bytes,
				       enum flat_rule rule, bool top_down)
{
	u64 least = U64_MAX;
	u32 from = 0, same, i;
	bool tied = false;

	for (i = 0; i < flat->count; i += 8) {
		u64 cost = flat_least_8(flat, i, bytes, rule, top_down);

		tied = cost < least ? false : tied | (cost == least);
		from = cost < least ? i : from;
		least = min(least, cost);
	}
	/* what costs so much is too small */
	if (least > (rule == FLAT_TIGHTEST ? U64_MAX - bytes : U64_MAX - 1))
		return U32_MAX;
	same = flat_same_4(flat, from, least, bytes, rule, top_down) |
	       flat_same_4(flat, from + 4, least, bytes, rule, top_down) << 4;
	if (rule != FLAT_FIRST && (tied || same & (same - 1)))
		return flat_first_of(flat, least, bytes, rule, top_down);
	return from + (u32)__builtin_ctz(same);
}

static __always_inline u32 flat_search_from(const struct loom_flat *flat, u64 bytes,
					    enum flat_rule rule, bool top_down)
{
	if (top_down)
		return flat_search(flat, bytes, rule, true);
	return flat_search(flat, bytes, rule, false);
}

u32 loom_flat_first(const struct loom_flat *flat, u64 bytes, bool top_down)
{
	return flat_search_from(flat, bytes, FLAT_FIRST, top_down);
}

u32 loom_flat_tightest(const struct loom_flat *flat, u64 bytes, bool top_down)
{
	return flat_search_from(flat, bytes, FLAT_TIGHTEST, top_down);
}

u32 loom_flat_nearest(const struct loom_flat *flat, u64 bytes, bool top_down)
{
	return flat_search_from(flat, bytes, FLAT_NEAREST, top_down);
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
