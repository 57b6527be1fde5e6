// SPDX-License-Identifier: MIT
/*
 * Banks with more blocks than a search reads: the tree stays flat, and a request whose place lies
 * beyond the limit gets a hole in all banks, or is refused. The number of chunks that a search
 * reads does not grow with the bank.
 */
#include <stdlib.h>

#include "bank/place.h"
#include "masks.h"
#include "model.h"
#include "tap.h"

#define MANY	(LOOM_BANK_CHUNKS * LOOM_CHUNK_BLOCKS + 1000)
#define LARGE	100000
/* of the region where small blocks lie, in 128 bytes */
#define FIRST	100ULL

static struct loom_bank bank;
static struct loom_bank_block blocks[LARGE];

static void begin(u64 limit, enum loom_bank_policy policy)
{
	memset(blocks, 0, sizeof(blocks));
	if (loom_bank_init(&bank, 0, limit, 2, policy))
		tap_fatal("init");
}

/* Takes exactly @size bytes at @start, on the banks of a bit mask. */
static int take_at(u32 i, u64 start, u64 size, u64 banks)
{
	const struct loom_mask mask = { { banks } };
	const struct loom_bank_request request = {
		.size = size, .align = 1, .low = start, .high = start + size, .mask = &mask,
	};

	return bank_take(&bank, &blocks[i], &request);
}

static void fill(u64 size, u64 banks)
{
	for (u32 i = 0; i < MANY; i++)
		if (take_at(i, (FIRST + i) * 128, size, banks))
			tap_fatal("no place for block %u", i);
}

/* Where a request comes to lie; U64_MAX: refused. It is given back. */
static u64 place(struct loom_bank_request request)
{
	struct loom_bank_block block = { 0 };
	int ret = bank_take(&bank, &block, &request);
	u64 start = block.start;

	if (ret == -ENOSPC)
		return U64_MAX;
	if (ret || loom_bank_free(&bank, &block))
		tap_fatal("a request fails with %d", ret);
	return start;
}

/* The holes are large enough but for the alignment, all that a search reads. */
static void test_alignment(enum loom_bank_policy policy)
{
	const u64 end = FIRST + MANY;
	struct loom_bank_request request = { .size = 64, .align = 128, .high = U64_MAX };

	begin((end + FIRST) * 128, policy);
	fill(32, 3);
	/* nothing is free below */
	if (take_at(MANY, 0, FIRST * 128, 3))
		tap_fatal("no space");
	tap_ok(place(request) == end * 128, "policy %d: above %u holes that do not fit", policy,
	       MANY);
	request.high = end * 128;
	tap_ok(place(request) == U64_MAX, "policy %d: none of the holes", policy);
	request.top_down = true;
	request.high = U64_MAX;
	loom_bank_free(&bank, &blocks[MANY]);
	if (take_at(MANY, end * 128, FIRST * 128, 3))
		tap_fatal("no space");
	tap_ok(place(request) == (FIRST - 1) * 128, "policy %d: from the top, below them", policy);
	loom_bank_fini(&bank);
}

/* A place on some banks is beyond the limit. */
static void test_masks(void)
{
	const struct loom_mask first = { { 1 } }, second = { { 2 } };
	const u64 end = FIRST + MANY;
	struct loom_bank_request request = {
		.size = 64, .align = 64, .low = FIRST * 128, .high = U64_MAX, .mask = &first,
	};

	/* with a hole on one bank behind most of the blocks */
	begin((end + FIRST) * 128, LOOM_BANK_FIRST_FIT);
	fill(128, 1);
	loom_bank_free(&bank, &blocks[MANY - 10]);
	if (take_at(MANY, (end - 10) * 128, 128, 2))
		tap_fatal("no space");
	tap_ok(place(request) == end * 128, "a hole in all banks above %u blocks", MANY);
	request.mask = &second;
	tap_ok(place(request) == FIRST * 128, "blocks on other banks are passed by");
	request.mask = &first;
	request.high = end * 128;
	tap_ok(place(request) == U64_MAX, "refused without one, though it has a place");
	request.low = (end - 100) * 128;
	tap_ok(place(request) == (end - 10) * 128, "and placed if it is not so far away");
	request.low = 0;
	request.top_down = true;
	/* the hole is near the top, so another one near the bottom is too far away */
	if (take_at(MANY - 10, (end - 10) * 128, 128, 1))
		tap_fatal("no space");
	tap_ok(place(request) == FIRST * 128 - 64, "from the top, below all of them");
	loom_bank_fini(&bank);
}

/* Rising, then random replacement: the two shapes that a naive tree dies of. */
static void test_height(enum loom_bank_policy policy)
{
	int height, emptied;

	begin((u64)1 << 40, policy);
	for (u32 n = 0; n < 3 * LARGE; n++) {
		u32 i = n < LARGE ? n : random_below(LARGE);
		const struct loom_bank_request request = {
			.size = 64 * (1 + random_below(100)), .align = 64, .high = U64_MAX,
			.top_down = n < LARGE ? n % 3 == 0 : random_below(2),
		};

		if (loom_bank_allocated(&blocks[i]) ? loom_bank_free(&bank, &blocks[i]) :
						      bank_take(&bank, &blocks[i], &request))
			tap_fatal("no place, or none given back");
	}
	height = bank_check(&bank);
	for (u32 i = 0; i < LARGE; i++)
		if (loom_bank_allocated(&blocks[i]))
			loom_bank_free(&bank, &blocks[i]);
	emptied = bank_check(&bank);
	/* 2 ln(4000) = 17 on average */
	tap_ok(height > 0 && height < 45 && !emptied && !bank.blocks && !loom_bank_fini(&bank),
	       "policy %d: %u blocks, tree of %d", policy, LARGE, height);
}

int main(void)
{
	random_state = 1127;
	for (u32 policy = LOOM_BANK_FIRST_FIT; policy <= LOOM_BANK_NEAR_FIT; policy++) {
		test_alignment(policy);
		test_height(policy);
	}
	test_masks();
	return tap_end();
}
