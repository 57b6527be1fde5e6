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

void loom_flat_set(struct loom_flat *flat, struct loom_bank_block *block, u64 hole)
{
	u32 index = block->flat_index, last;

	if (!block->hole && !hole)
		return;
	if (!block->hole) {
		block->hole = hole;
		loom_flat_put(flat, flat->count++, block);
		return;
	}
	block->hole = hole;
	if (hole) {
		flat->size[index] = hole;
		return;
	}
	/* the last one takes its place */
	last = --flat->count;
	if (index == last)
		return;
	flat->start[index] = flat->start[last];
	flat->size[index] = flat->size[last];
	flat->block[index] = flat->block[last];
	flat->block[index]->flat_index = index;
}

void loom_flat_hand_over(struct loom_flat *flat, struct loom_bank_block *from,
			 struct loom_bank_block *block, u64 hole)
{
	block->hole = hole;
	from->hole = 0;
	loom_flat_put(flat, from->flat_index, block);
}

/* The least that is left over of a hole; if all are too small, more than any can leave. */
static u64 loom_flat_least(const struct loom_flat *flat, u64 bytes)
{
	u64 even = U64_MAX, odd = U64_MAX;
	u32 i;

	/* what is too small wraps around; two sums, so that one need not wait for the other */
	for (i = 0; i + 1 < flat->count; i += 2) {
		even = min(even, flat->size[i] - bytes);
		odd = min(odd, flat->size[i + 1] - bytes);
	}
	if (i < flat->count)
		even = min(even, flat->size[i] - bytes);
	return min(even, odd);
}

u32 loom_flat_tightest(const struct loom_flat *flat, u64 bytes, bool highest)
{
	u64 least = loom_flat_least(flat, bytes), size = least + bytes;
	u32 found = U32_MAX, i;

	if (!flat->count || size < bytes)
		return U32_MAX;
	/* a second pass costs less than to carry the index through the first */
	for (i = 0; i < flat->count; i++) {
		bool higher;

		if (flat->size[i] != size)
			continue;
		higher = found != U32_MAX && flat->start[i] > flat->start[found];
		if (found == U32_MAX || higher == highest)
			found = i;
	}
	return found;
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
