// SPDX-License-Identifier: MIT
/*
 * Thousands of short histories of a bank against a byte map. A bank keeps what it has in one of
 * several ways, by how much that is: holes in a list or blocks in a tree, partial blocks scanned or
 * summed up, those on all banks noted among them or not, or all blocks in one chunk. Here the sizes
 * at which it goes over from one to the other are so small, and are drawn anew so often, that each
 * history goes through all of them in both directions. Memory for chunks is missing now and then;
 * then a request fails, and nothing else may have changed.
 */
#include "bank/few.h"
#include "masks.h"
#include "model.h"
#include "tap.h"

#define HISTORIES	3000
#define STEPS		1000
#define BLOCKS		260
#define MOST_BYTES	512
#define SETS		6

struct history {
	struct loom_bank bank;
	struct loom_bank_block block[BLOCKS];
	struct loom_mask mask[BLOCKS];
	/* by byte: the banks in which it is taken */
	struct loom_mask taken[MOST_BYTES];
	struct loom_mask set[SETS];
	struct loom_partial_chunk *spare;
	u32 banks;
	u64 base;
	u32 bytes;
};

/* What all histories together have come through. */
struct seen {
	u32 placed, refused, starved, freed;
	u32 to_tree, to_list, to_sums, to_scan, to_one, to_two, to_few, to_many;
};

static bool byte_is_free(const struct loom_bank_request *request, const void *taken, u32 i)
{
	const struct loom_mask *masks = taken;

	return !loom_mask_overlaps(&masks[i], request->mask);
}

static bool begin(struct history *h)
{
	static const u32 banks[] = { 1, 2, 5, 63, 64, 65, 140, 256 };

	memset(h, 0, sizeof(*h));
	h->banks = banks[random_below(ARRAY_SIZE(banks))];
	h->bytes = 16 + random_below(MOST_BYTES - 16);
	h->base = random_below(3) ? random_below(100) : U64_MAX - h->bytes;
	for (u32 i = 0; i < SETS; i++)
		h->set[i] = mask_draw(h->banks < 10 ? MASK_HALF : MASK_ANY, h->banks, 1);
	return !loom_bank_init(&h->bank, h->base, h->base + h->bytes, h->banks, random_below(3));
}

static struct loom_mask draw_mask(const struct history *h)
{
	u32 of = random_below(10);

	if (of < 2)
		return loom_mask_all(h->banks);
	if (of < 5)
		return h->set[random_below(SETS)];
	return mask_draw(of < 8 ? MASK_ONE : MASK_ANY, h->banks, 1);
}

static void change(struct history *h, u32 i)
{
	u64 first = h->block[i].start - h->base;

	for (u64 k = first; k < first + h->block[i].size; k++)
		for (u32 w = 0; w < LOOM_MASK_WORDS; w++)
			h->taken[k].word[w] ^= h->mask[i].word[w];
}

/* Whether the bytes of a block are free in its banks, and are bytes of the bank. */
static bool is_clear(const struct history *h, u32 i)
{
	const struct loom_bank_block *block = &h->block[i];
	u64 first = block->start - h->base;

	if (first >= h->bytes || block->size > h->bytes - first)
		return false;
	for (u64 k = first; k < first + block->size; k++)
		if (loom_mask_overlaps(&h->taken[k], &h->mask[i]))
			return false;
	return true;
}

/* Return: what is wrong, or NULL. */
static const char *ask(struct history *h, u32 i, struct seen *seen)
{
	struct loom_bank_request request = {
		.size = 1 + random_below(random_below(16) ? 4 : 60),
		.align = 1ULL << random_below(random_below(4) ? 2 : 7),
		.high = U64_MAX,
		.mask = &h->mask[i],
		.spare = random_below(5) ? &h->spare : NULL,
		.top_down = random_below(2),
	};
	bool by_policy = false;
	s64 want;
	int ret;

	h->mask[i] = draw_mask(h);
	if (!random_below(3)) {
		request.low = h->base + random_below(h->bytes);
		if (check_add_overflow(request.low, (u64)random_below(h->bytes), &request.high))
			request.high = U64_MAX;
	}
	if (!h->spare && random_below(4))
		h->spare = loom_bank_chunk_create();
	want = model_first_fit(h->base, h->bytes, &request, byte_is_free, h->taken);
	ret = loom_bank_alloc(&h->bank, &h->block[i], &request);
	if (ret == -ENOMEM && !loom_mask_same(&h->mask[i], &h->bank.all) && want >= 0 &&
	    (!request.spare || !h->spare)) {
		seen->starved++;
		return loom_bank_allocated(&h->block[i]) ? "a block without memory for it" : NULL;
	}
	if (ret == -ENOSPC && want < 0) {
		seen->refused++;
		return NULL;
	}
	if (ret || want < 0)
		return "refused or not";
	by_policy = loom_mask_same(&h->mask[i], &h->bank.all) &&
		    h->bank.policy != LOOM_BANK_FIRST_FIT;
	if (!by_policy && h->block[i].start - h->base != (u64)want)
		return "another place than first fit has";
	if (!is_clear(h, i))
		return "bytes that others have";
	if (h->block[i].start % request.align || h->block[i].start < request.low ||
	    h->block[i].start + request.size > request.high)
		return "a place that was not asked for";
	change(h, i);
	seen->placed++;
	return NULL;
}

/* Every byte of some banks, as a walk sees it. */
static const char *check(struct history *h)
{
	struct loom_mask mask = draw_mask(h);
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	u64 at = h->base;
	u32 bank = random_below(h->banks), bytes = 0;

	loom_bank_walk(&h->bank, &mask, &iter);
	while (loom_bank_next(&iter, &span))
		for (; at < span.end; at++)
			if (loom_mask_overlaps(&h->taken[at - h->base], &mask) != !!span.block)
				return "a walk that sees something else";
	for (u32 k = 0; k < h->bytes; k++)
		bytes += loom_mask_has(&h->taken[k], bank);
	if (at != h->base + h->bytes || loom_bank_bytes(&h->bank, bank) != bytes)
		return "other bytes than the blocks have";
	return NULL;
}

static const char *run(struct history *h, struct seen *seen)
{
	const char *fault = NULL;
	u32 fills = 80;

	for (u32 step = 0; step < STEPS && !fault; step++) {
		u32 i = random_below(BLOCKS);
		bool was_flat = h->bank.is_flat, had_sums = h->bank.partials.indexed;
		bool was_joined = h->bank.partials.joined, was_few = h->bank.is_few;

		/* sizes of the ways, and whether it fills or empties */
		if (!random_below(40)) {
			h->bank.partials.linear = random_below(5);
			h->bank.partials.patience = random_below(4);
			h->bank.flat_most = random_below(2) ? random_below(12) : 100;
			h->bank.few_most = random_below(2) ? random_below(LOOM_FEW_BLOCKS + 1) : 0;
		}
		if (!random_below(200))
			fills = fills < 50 ? 85 : 8;
		if (!loom_bank_allocated(&h->block[i])) {
			if (random_below(100) < fills)
				fault = ask(h, i, seen);
		} else if (random_below(100) >= fills) {
			change(h, i);
			if (loom_bank_free(&h->bank, &h->block[i]))
				fault = "a block that is not given back";
			seen->freed++;
		}
		seen->to_tree += was_flat && !h->bank.is_flat;
		seen->to_list += !was_flat && h->bank.is_flat;
		seen->to_sums += !had_sums && h->bank.partials.indexed;
		seen->to_scan += had_sums && !h->bank.partials.indexed;
		seen->to_one += !was_joined && h->bank.partials.joined;
		seen->to_two += was_joined && !h->bank.partials.joined;
		seen->to_few += !was_few && h->bank.is_few;
		seen->to_many += was_few && !h->bank.is_few;
		if (!fault && step % 60 == 59)
			fault = check(h);
	}
	return fault;
}

int main(void)
{
	static struct history h;
	struct seen seen = { 0 };
	const char *fault = NULL;
	u32 n;

	random_state = 20261125;
	for (n = 0; n < HISTORIES && !fault; n++) {
		if (!begin(&h))
			tap_fatal("init");
		fault = run(&h, &seen);
		loom_bank_fini(&h.bank);
		loom_port_free(h.spare);
	}
	tap_ok(!fault, "%u histories: %u placed, %u refused, %u freed%s%s", n, seen.placed,
	       seen.refused, seen.freed, fault ? ": " : "", fault ? fault : "");
	tap_ok(seen.starved > 100, "%u requests had no memory for a chunk", seen.starved);
	tap_ok(seen.to_tree > 1000 && seen.to_list > 1000, "%u times to a tree, %u to a list",
	       seen.to_tree, seen.to_list);
	tap_ok(seen.to_sums > 500 && seen.to_scan > 500, "%u times to sums, %u to a scan",
	       seen.to_sums, seen.to_scan);
	tap_ok(seen.to_one > 1000 && seen.to_two > 1000, "%u times joined, %u parted",
	       seen.to_one, seen.to_two);
	tap_ok(seen.to_few > 1000 && seen.to_many > 1000, "%u times few, %u many", seen.to_few,
	       seen.to_many);
	return tap_end();
}
