// SPDX-License-Identifier: MIT
/*
 * Thousands of short histories of a bank against a byte map: for each byte, the banks in which it
 * is taken. Every address, refusal, walk and sum must be that of the map, by each policy, and
 * after each step the chunks must be as chunk.c says. Memory for a chunk is missing now and then;
 * then a request fails, and nothing else may have changed.
 *
 *	model [HISTORIES [SEED]]
 */
#include <stdlib.h>

#include "loom_span.h"
#include "masks.h"
#include "model.h"
#include "tap.h"

#define STEPS		1500
#define BLOCKS		700
#define MOST_BYTES	1024
#define SETS		6

struct history {
	struct loom_bank bank;
	struct loom_bank_block block[BLOCKS];
	struct loom_mask mask[BLOCKS];
	struct loom_mask taken[MOST_BYTES];
	struct loom_mask set[SETS];
	struct loom_bank_chunk *spare;
	u32 banks;
	u64 base;
	u32 bytes;
	/* of requests: size and alignment are multiples of it; how many are on all banks */
	u32 unit;
	u32 all_percent;
};

/* Counts over all histories. */
struct seen {
	u32 placed, refused, starved, freed, most_chunks;
};

static bool is_free(const struct loom_bank_request *request, const void *taken, u32 i)
{
	const struct loom_mask *masks = taken;

	return !loom_mask_overlaps(&masks[i], request->mask);
}

/* The cost of a place in a hole, by the definition of the policy. */
static u64 cost_of(const struct history *h, u64 left, u64 distance)
{
	if (h->bank.policy == LOOM_BANK_BEST_FIT)
		return left;
	return left + distance / 16 + distance / 32;
}

/* Where best fit or near fit puts it. Return: an offset, or -1. */
static s64 place_by_policy(const struct history *h, const struct loom_bank_request *request)
{
	u64 least = 0, nearest = 0;
	s64 found = -1;
	u32 i, end;

	for (i = 0; i < h->bytes; i = end + 1) {
		u64 low, high, cost, distance;
		struct loom_bank_request in_hole = *request;
		s64 place;

		for (end = i; end < h->bytes && is_free(request, h->taken, end); end++)
			;
		low = max(request->low, h->base + i);
		high = min(request->high, h->base + end);
		if (low >= high)
			continue;
		in_hole.low = low;
		in_hole.high = high;
		place = model_first_fit(h->base, h->bytes, &in_hole, is_free, h->taken);
		if (place < 0)
			continue;
		distance = request->top_down ? h->bytes - (u64)place - request->size : (u64)place;
		cost = cost_of(h, high - low - request->size, distance);
		if (found >= 0 && (cost > least || (cost == least && distance >= nearest)))
			continue;
		found = place;
		least = cost;
		nearest = distance;
	}
	return found;
}

static bool begin(struct history *h)
{
	static const u32 banks[] = { 1, 2, 5, 63, 64, 65, 140, 256 };

	memset(h, 0, sizeof(*h));
	h->banks = banks[random_below(ARRAY_SIZE(banks))];
	h->bytes = 1 + random_below(MOST_BYTES);
	h->base = random_below(3) ? random_below(100) : U64_MAX - h->bytes;
	h->unit = random_below(3) ? 1 : 8;
	h->all_percent = random_below(3) ? random_below(100) : 100;
	for (u32 i = 0; i < SETS; i++)
		h->set[i] = mask_draw(h->banks < 10 ? MASK_HALF : MASK_ANY, h->banks, 1);
	return !loom_bank_init(&h->bank, h->base, h->base + h->bytes, h->banks, random_below(3));
}

static struct loom_mask draw_mask(const struct history *h)
{
	u32 of = random_below(3);

	if (random_below(100) < h->all_percent)
		return loom_mask_all(h->banks);
	if (!of)
		return h->set[random_below(SETS)];
	return mask_draw(of == 1 ? MASK_ONE : MASK_ANY, h->banks, 1);
}

static void change(struct history *h, u32 i)
{
	u64 first = h->block[i].start - h->base;

	for (u64 k = first; k < first + h->block[i].size; k++)
		for (u32 w = 0; w < LOOM_MASK_WORDS; w++)
			h->taken[k].word[w] ^= h->mask[i].word[w];
}

static struct loom_bank_request draw_request(struct history *h, u32 i)
{
	struct loom_bank_request request = {
		.size = h->unit * (1 + random_below(random_below(16) ? 4 :
						    h->bytes / h->unit / 2 + 1)),
		.align = (u64)h->unit << random_below(random_below(4) ? 2 : 7),
		.high = U64_MAX,
		.mask = &h->mask[i],
		.spare = random_below(5) ? &h->spare : NULL,
		.top_down = random_below(2),
	};

	/* also ranges that begin before the bank or end behind it */
	if (!random_below(3)) {
		request.low = (h->base > 20 ? h->base - 20 : 0) + random_below(h->bytes + 20);
		if (check_add_overflow(request.low, (u64)random_below(h->bytes + 20),
				       &request.high))
			request.high = U64_MAX;
	}
	return request;
}

/* Return: the fault, or NULL. */
static const char *ask(struct history *h, u32 i, struct seen *seen)
{
	struct loom_bank_request request;
	bool stocked = h->bank.idle, all;
	s64 want;
	int ret;

	h->mask[i] = draw_mask(h);
	request = draw_request(h, i);
	if (!h->spare && random_below(4))
		h->spare = loom_bank_chunk_create();
	stocked |= request.spare && h->spare;
	all = loom_mask_same(&h->mask[i], &h->bank.all);
	want = all && h->bank.policy != LOOM_BANK_FIRST_FIT ?
	       place_by_policy(h, &request) :
	       model_first_fit(h->base, h->bytes, &request, is_free, h->taken);
	ret = loom_bank_alloc(&h->bank, &h->block[i], &request);
	if (ret == -ENOMEM && want >= 0 && !stocked) {
		seen->starved++;
		return loom_bank_allocated(&h->block[i]) ? "a block without memory for it" : NULL;
	}
	if (ret == -ENOSPC && want < 0) {
		seen->refused++;
		return loom_bank_allocated(&h->block[i]) ? "refused, but taken" : NULL;
	}
	if (ret || want < 0)
		return "refused or not";
	if (h->block[i].start - h->base != (u64)want || h->block[i].size != request.size)
		return "another place";
	if (h->block[i].partial == all)
		return "on other banks";
	if (loom_bank_alloc(&h->bank, &h->block[i], &request) != -EINVAL)
		return "allocated twice";
	change(h, i);
	seen->placed++;
	return NULL;
}

static const char *give(struct history *h, u32 i)
{
	change(h, i);
	if (loom_bank_free(&h->bank, &h->block[i]))
		return "a block that is not given back";
	return loom_bank_free(&h->bank, &h->block[i]) != -EINVAL ? "freed twice" : NULL;
}

/* Every byte of some banks, as a walk sees it, which is interrupted now and then. */
static const char *check_walk(struct history *h, const struct loom_mask *mask)
{
	u64 at = h->base, allocated = 0, largest = 0, hole = 0;
	struct loom_bank_stats stats;
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	u32 blocks = 0;
	bool was_hole = false;

	loom_bank_walk(&h->bank, mask, &iter);
	while (loom_bank_next(&iter, &span)) {
		if (random_below(2))
			loom_bank_resume(&h->bank, &iter);
		if (span.start != at || span.end <= at || (was_hole && !span.block))
			return "spans that do not tile the bank";
		if (span.block && (span.block->start > at ||
				   span.block->start + span.block->size != span.end))
			return "a span that is not that of its block";
		was_hole = !span.block;
		for (; at < span.end; at++) {
			bool taken = loom_mask_overlaps(&h->taken[at - h->base], mask);

			if (taken != !!span.block)
				return "a walk that sees something else";
			allocated += taken;
			hole = taken ? 0 : hole + 1;
			largest = max(largest, hole);
		}
	}
	for (u32 i = 0; i < BLOCKS; i++)
		blocks += loom_bank_allocated(&h->block[i]) &&
			  loom_mask_overlaps(&h->mask[i], mask);
	loom_bank_stats(&h->bank, mask, &stats);
	if (at != h->base + h->bytes || stats.total != h->bytes || stats.allocated != allocated ||
	    stats.free != h->bytes - allocated || stats.largest_free != largest ||
	    stats.blocks != blocks)
		return "other sums";
	return NULL;
}

static const char *check(struct history *h)
{
	struct loom_mask mask = draw_mask(h);
	u32 bank = random_below(h->banks), bytes = 0;
	struct loom_bank_block *block, *last = NULL;
	struct loom_bank_iter iter;
	u32 count = 0;

	for (u32 k = 0; k < h->bytes; k++)
		bytes += loom_mask_has(&h->taken[k], bank);
	if (loom_bank_bytes(&h->bank, bank) != bytes)
		return "other bytes than the blocks have";
	loom_bank_walk(&h->bank, NULL, &iter);
	for (; (block = loom_bank_next_block(&iter)); last = block, count++)
		if (last && block->start < last->start)
			return "blocks out of order";
	return count == h->bank.blocks ? check_walk(h, &mask) : "a walk that misses blocks";
}

static const char *run(struct history *h, struct seen *seen)
{
	const char *fault = NULL;
	u32 fills = 90;

	for (u32 step = 0; step < STEPS && !fault; step++) {
		u32 i = random_below(BLOCKS);

		/* whether it fills or empties */
		if (!random_below(300))
			fills = fills < 50 ? 90 : 8;
		if (!loom_bank_allocated(&h->block[i])) {
			if (random_below(100) < fills)
				fault = ask(h, i, seen);
		} else if (random_below(100) >= fills) {
			fault = give(h, i);
			seen->freed++;
		}
		if (!fault && step % 4 == 0 && bank_check(&h->bank) < 0)
			fault = "chunks";
		if (!fault && step % 60 == 59)
			fault = check(h);
	}
	return fault;
}

/* Return: whether as many blocks went with the bank as it had. */
static bool end(struct history *h, struct seen *seen)
{
	u32 live = 0, left = 0, chunks = 0;

	for (const struct loom_bank_chunk *chunk = h->bank.first; chunk;
	     chunk = chunk->neighbour[1])
		chunks++;
	seen->most_chunks = max(seen->most_chunks, chunks);
	for (u32 i = 0; i < BLOCKS; i++)
		live += loom_bank_allocated(&h->block[i]);
	live -= loom_bank_fini(&h->bank);
	loom_port_free(h->spare);
	for (u32 i = 0; i < BLOCKS; i++)
		left += loom_bank_allocated(&h->block[i]);
	return !live && !left;
}

static void test_histories(u32 histories)
{
	static struct history h;
	struct seen seen = { 0 };
	const char *fault = NULL;
	u32 n;

	for (n = 0; n < histories && !fault; n++) {
		if (!begin(&h))
			tap_fatal("init");
		fault = run(&h, &seen);
		if (!end(&h, &seen) && !fault)
			fault = "leak count";
	}
	tap_ok(!fault && seen.refused > n && seen.starved > n / 10 && seen.most_chunks > 4,
	       "%u histories: %u placed, %u refused, %u without memory, %u freed, %u chunks%s%s",
	       n, seen.placed, seen.refused, seen.starved, seen.freed, seen.most_chunks,
	       fault ? ": " : "", fault ? fault : "");
}

static void test_refusals(void)
{
	static const struct loom_bank_request good = { .size = 64, .align = 64, .high = U64_MAX };
	struct loom_mask none = { { 0 } }, outside = { { 0 } };
	static const struct {
		u64 size, align, low, high;
		int ret;
	} bad[] = {
		{ 0, 64, 0, U64_MAX, -EINVAL }, { 64, 0, 0, U64_MAX, -EINVAL },
		{ 64, 48, 0, U64_MAX, -EINVAL }, { 64, 64, 1024, 1023, -EINVAL },
		{ U64_MAX, 64, 0, U64_MAX, -ENOSPC }, { 64, 1ULL << 63, 0, U64_MAX, -ENOSPC },
		{ 64, 64, 0, 127, -ENOSPC },
	};
	struct loom_bank_block block = { 0 };
	struct loom_bank bank, other;
	u32 wrong = 0;

	tap_ok(loom_bank_init(&bank, 64, 64, 1, LOOM_BANK_FIRST_FIT) == -EINVAL &&
	       loom_bank_init(&bank, 65, 64, 1, LOOM_BANK_FIRST_FIT) == -EINVAL,
	       "a bank without a byte is refused");
	tap_ok(loom_bank_init(&bank, 0, 64, 0, LOOM_BANK_FIRST_FIT) == -EINVAL &&
	       loom_bank_init(&bank, 0, 64, DRM_LOOM_MAX_BANKS + 1, LOOM_BANK_FIRST_FIT) == -EINVAL,
	       "no bank, and one too many, are refused");
	if (loom_bank_init(&bank, 64, 4096, 70, LOOM_BANK_NEAR_FIT) ||
	    loom_bank_init(&other, 0, 4096, DRM_LOOM_MAX_BANKS, LOOM_BANK_FIRST_FIT))
		tap_fatal("init");
	for (u32 i = 0; i < 4 * ARRAY_SIZE(bad); i++) {
		struct loom_bank_request request = {
			.size = bad[i / 4].size, .align = bad[i / 4].align, .low = bad[i / 4].low,
			.high = bad[i / 4].high, .top_down = i & 1, .mask = i & 2 ? &none : NULL,
		};

		none.word[0] = 1;
		wrong += bank_take(&bank, &block, &request) != bad[i / 4].ret;
	}
	tap_ok(!wrong, "%u requests that are refused, %u were not", (u32)ARRAY_SIZE(bad) * 4,
	       wrong);
	none.word[0] = 0;
	loom_mask_set(&outside, 70);
	for (u32 i = 0; i < 2; i++) {
		struct loom_bank_request request = good;

		request.mask = i ? &outside : &none;
		tap_ok(bank_take(&bank, &block, &request) == -EINVAL, "%s",
		       i ? "a bank too many is EINVAL" : "no banks are EINVAL");
	}
	tap_ok(loom_bank_free(&bank, &block) == -EINVAL, "freeing what was never allocated");
	tap_ok(loom_bank_alloc(&bank, &block, &good) == -ENOMEM && !bank.blocks &&
	       !bank_check(&bank), "the first block needs a chunk, refusals change nothing");
	tap_ok(!bank_take(&bank, &block, &good) && block.start == 64, "with one it has a place");
	tap_ok(loom_bank_free(&other, &block) == -EINVAL && loom_bank_allocated(&block),
	       "freeing in another bank is EINVAL");
	tap_ok(!loom_bank_free(&bank, &block) && !loom_bank_alloc(&bank, &block, &good),
	       "a chunk is kept for the next block");
	tap_ok(loom_bank_fini(&bank) == 1 && loom_bank_free(&bank, &block) == -EINVAL &&
	       loom_bank_fini(&other) == 0, "a bank that ends lets its blocks go");
}

int main(int argc, char **argv)
{
	random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 20261127;
	test_refusals();
	test_histories(argc > 1 ? (u32)strtoul(argv[1], NULL, 0) : 600);
	return tap_end();
}
