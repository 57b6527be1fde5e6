// SPDX-License-Identifier: MIT
/*
 * A bank fills and empties in waves, each with sets of banks of its own. How holes and blocks are
 * kept meanwhile (a list or a tree, both kinds joined or apart, with sums over chunks or without,
 * sums that were given up and begun anew) must not show: banks that go over from one to the other
 * at other sizes give the same addresses, no two blocks share a byte of a bank, and each bank
 * counts the bytes of its blocks.
 */
#include <string.h>

#include "bank/few.h"
#include "loom_bank.h"
#include "masks.h"
#include "tap.h"

#define BANKS		140
#define BYTES		(1 << 17)
#define BLOCKS		2400
#define STEPS		24000
#define WAVE		4000
#define SETS		60

/*
 * Of each: most chunks without sums, most blocks in the list, patience before both are joined, most
 * blocks of both kinds in one chunk.
 */
static const struct {
	u32 linear;
	u32 flat_most;
	u32 patience;
	u32 few_most;
} ways[] = {
	{ 1, 0, U32_MAX, 0 },
	{ 3, 16, 0, 10 },
	{ 5, 40, 1, 30 },
	{ LOOM_PARTIAL_LINEAR, LOOM_FLAT_BLOCKS, LOOM_JOIN_PATIENCE, LOOM_FEW_BLOCKS },
	{ 4, LOOM_FLAT_BLOCKS, 4, 0 },
};

#define WAYS ARRAY_SIZE(ways)

struct world {
	struct loom_bank bank[WAYS];
	struct loom_bank_block block[WAYS][BLOCKS];
	struct loom_mask set[SETS];
};

/* Return: 0, -ENOSPC, or something that must not be. */
static int take(struct loom_bank *bank, struct loom_bank_block *block,
		struct loom_bank_request request)
{
	struct loom_partial_chunk *spare = loom_bank_chunk_create();
	int ret;

	request.spare = &spare;
	ret = loom_bank_alloc(bank, block, &request);
	loom_port_free(spare);
	return ret;
}

static bool share(const struct loom_bank_block *a, const struct loom_bank_block *b)
{
	if (a == b || !loom_bank_allocated(b) || a->start >= b->start + b->size ||
	    b->start >= a->start + a->size)
		return false;
	return !a->partial || !b->partial || loom_mask_overlaps(&a->mask, &b->mask);
}

static const char *one_taken(struct world *w, u32 i, const struct loom_bank_request *request)
{
	int first = take(&w->bank[0], &w->block[0][i], *request);

	if (first && first != -ENOSPC)
		return "a refusal that is none";
	for (u32 k = 1; k < WAYS; k++)
		if (take(&w->bank[k], &w->block[k][i], *request) != first ||
		    (!first && w->block[k][i].start != w->block[0][i].start))
			return "another address in another way";
	for (u32 j = 0; !first && j < BLOCKS; j++)
		if (share(&w->block[0][i], &w->block[0][j]))
			return "two blocks share bytes of a bank";
	return NULL;
}

static const char *bytes_right(struct world *w)
{
	u32 index = random_below(BANKS);

	for (u32 k = 0; k < WAYS; k++) {
		u64 sum = 0;

		for (u32 j = 0; j < BLOCKS; j++) {
			const struct loom_bank_block *block = &w->block[k][j];

			if (loom_bank_allocated(block) &&
			    (!block->partial || loom_mask_has(&block->mask, index)))
				sum += block->size;
		}
		if (sum != loom_bank_bytes(&w->bank[k], index))
			return "other bytes than its blocks have";
	}
	return NULL;
}

static void draw_sets(struct world *w)
{
	for (u32 i = 0; i < SETS; i++) {
		u32 from = random_below(100), count = 1 + random_below(i % 3 ? 40 : 10);

		memset(&w->set[i], 0, sizeof(w->set[i]));
		for (u32 bank = from; bank < from + count && bank < BANKS; bank++)
			loom_mask_set(&w->set[i], bank);
	}
}

static struct loom_bank_request draw_request(const struct world *w, u32 wave)
{
	struct loom_bank_request request = {
		.size = 16 * (1 + random_below(20)),
		.align = 16 << random_below(5),
		.high = U64_MAX,
		.top_down = random_below(2),
	};

	if (random_below(3))
		request.mask = &w->set[random_below(4) ? (wave * 7 + random_below(6)) % SETS :
							 random_below(SETS)];
	if (!random_below(3)) {
		request.low = random_below(BYTES);
		request.high = request.low + random_below(BYTES);
	}
	return request;
}

static void test_waves(enum loom_bank_policy policy, const char *name)
{
	static struct world w;
	u32 placed = 0, joined[WAYS] = { 0 }, step;
	const char *fault = NULL;

	memset(&w, 0, sizeof(w));
	draw_sets(&w);
	for (u32 k = 0; k < WAYS; k++) {
		if (loom_bank_init(&w.bank[k], 4096, BYTES, BANKS, policy))
			tap_fatal("init");
		w.bank[k].partials.linear = ways[k].linear;
		w.bank[k].flat_most = ways[k].flat_most;
		w.bank[k].partials.patience = ways[k].patience;
		w.bank[k].few_most = ways[k].few_most;
	}
	for (step = 0; step < STEPS && !fault; step++) {
		u32 wave = step / WAVE, i = random_below(BLOCKS);
		bool fills = random_below(100) < (wave % 2 ? 2 : 80);

		if (fills && !loom_bank_allocated(&w.block[0][i])) {
			struct loom_bank_request request = draw_request(&w, wave);

			fault = one_taken(&w, i, &request);
			placed++;
		} else if (!fills && loom_bank_allocated(&w.block[0][i])) {
			for (u32 k = 0; k < WAYS; k++)
				if (loom_bank_free(&w.bank[k], &w.block[k][i]))
					fault = "a block that is not given back";
		}
		if (!fault && step % 97 == 0)
			fault = bytes_right(&w);
		for (u32 k = 0; k < WAYS; k++)
			joined[k] += w.bank[k].partials.joined;
	}
	tap_ok(!fault && placed > STEPS / 5, "%s: %u requests%s%s", name, placed,
	       fault ? ", " : "", fault ? fault : "");
	tap_ok(!joined[0] && joined[2] > STEPS / 5 && joined[4] > STEPS / 5,
	       "%s: both kinds were joined for %u, %u, %u, %u, %u steps", name, joined[0],
	       joined[1], joined[2], joined[3], joined[4]);
	for (u32 k = 0; k < WAYS; k++)
		loom_bank_fini(&w.bank[k]);
}

#define MANY 8000

/* As many of a set as it takes for sums to be kept for it. Return: how many. */
static u32 until_summed(struct loom_bank *bank, struct loom_bank_block *blocks,
			const struct loom_mask *set)
{
	struct loom_bank_request request = {
		.size = 64, .align = 64, .high = U64_MAX, .mask = set,
	};
	u32 count = 0;

	while (count < MANY - 1 && !bank->partials.maintained.classes)
		if (take(bank, &blocks[count++], request))
			tap_fatal("no space in an empty bank");
	return count;
}

/* Sums for a set are given up when the bank has emptied; then there are some for another set. */
static void test_forgotten(void)
{
	struct loom_mask few = { { 0 } }, more = { { 0 } };
	struct loom_bank_request request = {
		.size = 64, .align = 64, .high = U64_MAX, .mask = &few,
	};
	static struct loom_bank_block blocks[MANY];
	static struct loom_bank bank;
	u32 count, shared = 0;

	for (u32 i = 0; i < 24; i++) {
		loom_mask_set(&more, i);
		if (i < 20)
			loom_mask_set(&few, i);
	}
	if (loom_bank_init(&bank, 0, 1ULL << 40, BANKS, LOOM_BANK_NEAR_FIT))
		tap_fatal("init");
	count = until_summed(&bank, blocks, &few);
	tap_ok(count < MANY - 1, "sums are kept for a set of %u blocks", count);
	while (count)
		loom_bank_free(&bank, &blocks[--count]);
	count = until_summed(&bank, blocks, &more);
	if (take(&bank, &blocks[count], request))
		tap_fatal("no space");
	for (u32 i = 0; i < count; i++)
		shared += share(&blocks[count], &blocks[i]);
	tap_ok(count < MANY - 1 && !shared, "a set that had sums meets none of %u blocks", count);
	loom_bank_fini(&bank);
}

/*
 * A block on all banks goes between many that start where the bank does, each on one bank, of which
 * the first is long: whatever is skipped in a search, that one is not.
 */
static void test_stacked(enum loom_bank_policy policy, bool top_down)
{
	static struct loom_bank_block blocks[BANKS + 2];
	struct loom_bank_request request = { .align = 64, .high = U64_MAX };
	static struct loom_bank bank;
	struct loom_mask one;

	memset(blocks, 0, sizeof(blocks));
	if (loom_bank_init(&bank, 0, 1 << 16, BANKS, policy))
		tap_fatal("init");
	for (u32 i = 0; i < BANKS; i++) {
		memset(&one, 0, sizeof(one));
		loom_mask_set(&one, i);
		request.mask = &one;
		request.size = i ? 64 : 4096;
		if (take(&bank, &blocks[i], request))
			tap_fatal("no space in an empty bank");
	}
	request.mask = NULL;
	request.size = 64;
	request.low = 8192;
	if (take(&bank, &blocks[BANKS], request))
		tap_fatal("no space");
	request.low = 0;
	request.top_down = top_down;
	if (top_down)
		request.high = 4096 + 64;
	if (bank.partials.chunk_count < 3 || take(&bank, &blocks[BANKS + 1], request))
		tap_fatal("no space in three chunks");
	tap_ok(blocks[BANKS + 1].start == 4096,
	       "policy %d, %s: a block goes above %u that begin where the bank does", policy,
	       top_down ? "from the top" : "from the bottom", BANKS);
	loom_bank_fini(&bank);
}

int main(void)
{
	random_state = 1125;
	test_forgotten();
	for (u32 i = 0; i < 2; i++) {
		test_stacked(LOOM_BANK_FIRST_FIT, i);
		test_stacked(LOOM_BANK_BEST_FIT, i);
		test_stacked(LOOM_BANK_NEAR_FIT, i);
	}
	test_waves(LOOM_BANK_FIRST_FIT, "first fit");
	test_waves(LOOM_BANK_BEST_FIT, "best fit");
	test_waves(LOOM_BANK_NEAR_FIT, "near fit");
	return tap_end();
}
