// SPDX-License-Identifier: MIT
/*
 * What it takes to join blocks of both kinds, and to part them, when somebody provokes it: many
 * blocks on all banks, sums for many single banks, and requests that go from one kind to the other
 * and back. One call of the allocator joins all blocks, under its caller's lock. So it computes no
 * sums meanwhile, as each block would change those of all banks, and is due only after a number of
 * requests that grows with the number of blocks.
 */
#include "loom_bank.h"
#include "tap.h"

#define BANKS		140
#define BLOCKS		6000
/* blocks on all banks at the bottom with a hole behind each, more than a search passes in turns */
#define HOLES		24
/* partial blocks that are not in the way, and that sums are kept for */
#define SUMMED		1500
#define UNIT		64ULL
/* in units: above all blocks that the bank has */
#define FAR		1000000ULL

static struct loom_bank bank;
static struct loom_bank_block on_all[2 * BLOCKS], partial[SUMMED], in_holes[HOLES];

/* extents of subtrees that were computed as chunks came, went or were rotated */
static u64 sums;

/* requests are for the upper end */
static bool top_down;

static void (*update)(struct loom_treap *treap, struct loom_treap_node *node);

static void count_and_update(struct loom_treap *treap, struct loom_treap_node *node)
{
	if (bank.partials.indexed)
		sums += loom_mask_count(&bank.partials.maintained.banks);
	update(treap, node);
}

/* One unit at @low or above, below @high, on one bank or on all. */
static void take(struct loom_bank_block *block, u64 low, u64 high, u32 index)
{
	struct loom_partial_chunk *spare = loom_bank_chunk_create();
	struct loom_mask mask = { { 0 } };
	const struct loom_bank_request request = {
		.size = UNIT, .align = UNIT, .low = low * UNIT, .high = high * UNIT,
		.mask = index < BANKS ? &mask : NULL, .spare = &spare,
		.top_down = top_down,
	};

	if (index < BANKS)
		loom_mask_set(&mask, index);
	if (loom_bank_alloc(&bank, block, &request))
		tap_fatal("no space");
	loom_port_free(spare);
}

static void take_and_give(u64 low, u32 index)
{
	struct loom_bank_block block = { 0 };

	take(&block, low, 2 * FAR, index);
	if (loom_bank_free(&bank, &block))
		tap_fatal("not given back");
}

/* Asks for place on single banks until sums are kept for all of them. Return: for how many. */
static u32 sum_up(void)
{
	u32 kept = 0;

	for (u32 i = 0; i < 1000 * BANKS && kept < BANKS; i++) {
		take_and_give(FAR, i % BANKS);
		kept = loom_mask_count(&bank.partials.maintained.banks);
	}
	return kept;
}

/* Goes from one kind to the other and back until both are joined. Return: how often. */
static u32 provoke(void)
{
	u32 requests = 0;

	for (; !bank.partials.joined && requests < BLOCKS; requests++) {
		sums = 0;
		take_and_give(0, 0);
	}
	return requests;
}

/* Takes and gives blocks on all banks only, until both kinds are parted. Return: how many. */
static u32 endure(void)
{
	u32 requests = 0;

	for (; bank.partials.joined && requests < 100 * BLOCKS; requests++)
		take_and_give(3 * BLOCKS, BANKS);
	return requests;
}

static void begin(void)
{
	if (loom_bank_init(&bank, 0, 2 * FAR * UNIT, BANKS, LOOM_BANK_FIRST_FIT))
		tap_fatal("init");
	update = bank.partials.chunks.update;
	bank.partials.chunks.update = count_and_update;
	bank.partials.linear = 4;
}

/* Blocks on all banks with holes at the bottom, and blocks on single banks far above. */
static void fill(void)
{
	for (u32 i = 0; i < HOLES; i++)
		take(&on_all[i], 2 * i, 2 * i + 1, BANKS);
	for (u32 i = HOLES; i < BLOCKS; i++)
		take(&on_all[i], i + HOLES, i + HOLES + 1, BANKS);
	for (u32 i = 0; i < SUMMED; i++)
		take(&partial[i], FAR, 2 * FAR, i % BANKS);
	for (u32 i = 0; i < HOLES - 1; i++)
		take(&in_holes[i], 2 * i + 1, 2 * i + 2, 0);
}

/* All blocks on some banks go. */
static void give_partial(void)
{
	int ret = 0;

	for (u32 i = 0; i < SUMMED; i++)
		ret |= loom_bank_free(&bank, &partial[i]);
	for (u32 i = 0; i < HOLES - 1; i++)
		ret |= loom_bank_free(&bank, &in_holes[i]);
	if (ret)
		tap_fatal("not given back");
}

/*
 * A program with few blocks makes joining them fail again and again, which takes few requests for a
 * few blocks, and goes. One with many does not have to wait for that. Return: how often it failed.
 */
static u32 discourage(u32 few)
{
	static struct loom_bank_block lasting;
	u32 setbacks, i;

	for (i = 0; i < few; i++)
		take(&on_all[i], 0, FAR, BANKS);
	take(&lasting, 2 * FAR - 1, 2 * FAR, 0);
	for (i = 0; i < 100000 && bank.partials.setbacks < 6; i++) {
		/* those on all banks have a place at once, and save nothing */
		top_down = bank.partials.joined || i % 8 == 0;
		take_and_give(0, top_down ? BANKS : 0);
	}
	top_down = false;
	setbacks = bank.partials.setbacks;
	for (i = 0; i < few; i++)
		if (loom_bank_free(&bank, &on_all[i]))
			tap_fatal("not given back");
	return setbacks;
}

/* Blocks on all banks that go, while those on some banks remain: so do the chunks for them. */
static u32 let_go(void)
{
	for (u32 i = 0; i < BLOCKS; i++)
		if (loom_bank_free(&bank, &on_all[i]))
			tap_fatal("not given back");
	return bank.partials.idle_count;
}

int main(void)
{
	u32 blocks = BLOCKS, requests, kept;

	begin();
	kept = discourage(100);
	fill();
	requests = provoke();
	tap_ok(kept == 6 && bank.partials.joined,
	       "%u blocks are joined after %u requests, though %u times that was in vain for 100",
	       BLOCKS, requests, kept);
	kept = let_go();
	tap_ok(bank.partials.count == SUMMED + HOLES && kept <= bank.partials.chunk_count + 4,
	       "when they are gone, %u chunks are kept beside %u", kept,
	       bank.partials.chunk_count);
	tap_ok(loom_bank_fini(&bank) == SUMMED + HOLES, "the blocks on some banks are left");

	begin();
	fill();
	kept = sum_up();
	tap_ok(kept == BANKS && !bank.partials.joined, "sums are kept for %u banks", kept);
	requests = provoke();
	/* a chunk comes with each, and one of 32 blocks would do; each saves a few hundred steps */
	tap_ok(bank.partials.joined && requests >= BLOCKS / 20,
	       "%u blocks on all banks are joined after %u requests", BLOCKS, requests);
	tap_ok(sums < BLOCKS, "the one that joins them computes %llu sums",
	       (unsigned long long)sums);

	/*
	 * Sums again; then blocks on all banks until there is no chunk for the next one. Until then
	 * both remain joined, although requests for single banks far above cost more so.
	 */
	bank.partials.patience = U32_MAX;
	kept = sum_up();
	tap_ok(kept == BANKS && bank.partials.joined, "sums are kept for %u banks of both kinds",
	       kept);
	while (bank.partials.joined && blocks < 2 * BLOCKS) {
		sums = 0;
		take(&on_all[blocks++], 3 * BLOCKS, 2 * FAR, BANKS);
	}
	tap_ok(!bank.partials.joined && sums < BLOCKS,
	       "parted after %u blocks more; that computes %llu sums", blocks - BLOCKS,
	       (unsigned long long)sums);
	kept = bank.partials.idle_count;
	tap_ok(kept <= bank.partials.chunk_count + 2, "%u chunks are kept beside %u", kept,
	       bank.partials.chunk_count);
	bank.partials.patience = LOOM_JOIN_PATIENCE;
	requests = provoke();
	tap_ok(bank.partials.joined && requests >= BLOCKS / 20,
	       "they are joined again after %u requests", requests);
	/* nothing searches for the other kind any more */
	kept = endure();
	tap_ok(!bank.partials.joined && kept >= BLOCKS / 32 && kept <= 4 * BLOCKS,
	       "parted after %u requests that do not pay for it", kept);
	kept = provoke();
	tap_ok(bank.partials.joined && kept > requests, "the next time takes longer: %u", kept);
	give_partial();
	kept = bank.partials.idle_count;
	tap_ok(!bank.partials.joined && kept <= 2, "%u chunks are kept for no block on some banks",
	       kept);
	tap_ok(loom_bank_fini(&bank) == blocks, "no block is lost");
	return tap_end();
}
