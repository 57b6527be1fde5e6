// SPDX-License-Identifier: MIT
/*
 * A bank with few blocks of both kinds keeps them in one chunk, and goes over to other structures
 * and back as they become more and fewer. None of this must show: beside it is a bank that never
 * does so, and every address, refusal, walk and sum is the same. When it goes over is said in
 * core/bank/few.c, and is counted here.
 */
#include <string.h>

#include "bank/few.h"
#include "masks.h"
#include "tap.h"

#define HISTORIES	1500
#define STEPS		800
#define BLOCKS		100

/* With few blocks in a chunk, and without. */
enum { FEW, PLAIN, WAYS };

struct history {
	struct loom_bank bank[WAYS];
	struct loom_bank_block block[WAYS][BLOCKS];
	struct loom_partial_chunk *spare[WAYS];
	struct loom_mask set[4];
	u32 banks;
	u64 unit;
	u64 units;
	u32 all_percent;
	u32 live;
};

struct seen {
	u32 placed, refused, few, to_few, to_many;
};

static bool begin(struct history *h, enum loom_bank_policy policy)
{
	static const u32 banks[] = { 2, 5, 63, 64, 65, 140, 192, 193, 256 };
	u64 base;
	bool ready = true;

	memset(h, 0, sizeof(*h));
	h->banks = banks[random_below(ARRAY_SIZE(banks))];
	h->unit = 1ULL << random_below(20);
	h->units = 30 + random_below(1000);
	h->all_percent = random_below(101);
	base = random_below(4) ? random_below(50) * h->unit : 0 - (h->units + 1) * h->unit;
	for (u32 i = 0; i < ARRAY_SIZE(h->set); i++)
		h->set[i] = mask_draw(random_below(2) ? MASK_HALF : MASK_FEW, h->banks, 1);
	for (u32 way = 0; way < WAYS; way++)
		ready &= !loom_bank_init(&h->bank[way], base, base + h->units * h->unit, h->banks,
					 policy);
	h->bank[FEW].few_most = random_below(3) ? LOOM_FEW_BLOCKS :
						  random_below(LOOM_FEW_BLOCKS + 1);
	h->bank[PLAIN].few_most = 0;
	return ready;
}

static struct loom_bank_request draw_request(const struct history *h)
{
	struct loom_bank_request request = {
		.size = (1 + random_below(random_below(8) ? 8 : 60)) * h->unit,
		.align = h->unit << random_below(random_below(4) ? 1 : 6),
		.high = U64_MAX,
		.top_down = random_below(2),
	};

	if (!random_below(50))
		request.align = 1ULL << 63;
	if (random_below(100) >= h->all_percent)
		request.mask = &h->set[random_below(ARRAY_SIZE(h->set))];
	if (!random_below(3)) {
		request.low = h->bank[FEW].base + random_below(h->units) * h->unit;
		if (!random_below(2) ||
		    check_add_overflow(request.low, random_below(100) * h->unit, &request.high))
			request.high = U64_MAX;
	}
	return request;
}

static const char *take(struct history *h, u32 i, struct seen *seen)
{
	struct loom_bank_request request = draw_request(h);
	int ret[WAYS];

	for (u32 way = 0; way < WAYS; way++) {
		if (!h->spare[way])
			h->spare[way] = loom_bank_chunk_create();
		request.spare = &h->spare[way];
		ret[way] = loom_bank_alloc(&h->bank[way], &h->block[way][i], &request);
	}
	if (ret[FEW] != ret[PLAIN])
		return "refused or not";
	seen->refused += ret[FEW] != 0;
	seen->placed += !ret[FEW];
	h->live += !ret[FEW];
	if (ret[FEW])
		return ret[FEW] == -ENOSPC ? NULL : "another error than no space";
	return h->block[FEW][i].start == h->block[PLAIN][i].start ? NULL : "another address";
}

static bool same_walks(struct history *h, const struct loom_mask *mask)
{
	struct loom_bank_span span[WAYS];
	struct loom_bank_iter iter[WAYS];
	struct loom_bank_block *block;
	bool more[WAYS], same = true;
	u64 last = 0;
	u32 count = 0;

	for (u32 way = 0; way < WAYS; way++)
		loom_bank_walk(&h->bank[way], mask, &iter[way]);
	do {
		for (u32 way = 0; way < WAYS; way++)
			more[way] = loom_bank_next(&iter[way], &span[way]);
		same &= more[FEW] == more[PLAIN];
		if (more[FEW] && same)
			same = span[FEW].start == span[PLAIN].start &&
			       span[FEW].end == span[PLAIN].end &&
			       !span[FEW].block == !span[PLAIN].block;
	} while (more[FEW] && same);
	loom_bank_walk(&h->bank[FEW], NULL, &iter[FEW]);
	while ((block = loom_bank_next_block(&iter[FEW]))) {
		same &= block->start >= last && block->bank == &h->bank[FEW];
		last = block->start;
		count++;
	}
	return same && count == h->live;
}

static const char *compare(struct history *h)
{
	const struct loom_mask *mask = random_below(2) ? &h->set[random_below(4)] : NULL;
	u64 address = h->bank[FEW].base + random_below(h->units) * h->unit;
	struct loom_bank_block *found[WAYS];
	struct loom_bank_stats stats[WAYS];
	u32 index = random_below(h->banks);

	for (u32 way = 0; way < WAYS; way++) {
		loom_bank_stats(&h->bank[way], mask, &stats[way]);
		found[way] = loom_bank_find(&h->bank[way], address);
	}
	if (stats[FEW].total != stats[PLAIN].total ||
	    stats[FEW].allocated != stats[PLAIN].allocated ||
	    stats[FEW].free != stats[PLAIN].free || stats[FEW].blocks != stats[PLAIN].blocks ||
	    stats[FEW].largest_free != stats[PLAIN].largest_free)
		return "other statistics";
	if (!found[FEW] != !found[PLAIN] ||
	    (found[FEW] && (found[FEW]->start != found[PLAIN]->start || found[FEW]->partial)))
		return "another block at an address";
	if (loom_bank_lowest(&h->bank[FEW]) != loom_bank_lowest(&h->bank[PLAIN]))
		return "another lowest block";
	if (loom_bank_bytes(&h->bank[FEW], index) != loom_bank_bytes(&h->bank[PLAIN], index))
		return "other bytes in a bank";
	return same_walks(h, mask) ? NULL : "another walk";
}

static const char *run(struct history *h, struct seen *seen)
{
	const char *fault = NULL;
	u32 most = 5 + random_below(BLOCKS - 5);

	for (u32 step = 0; step < STEPS && !fault; step++) {
		u32 i = random_below(BLOCKS);
		bool taken = loom_bank_allocated(&h->block[FEW][i]);
		bool was_few = h->bank[FEW].is_few;

		if (!random_below(60))
			most = random_below(3) ? 2 + random_below(20) : BLOCKS;
		if (!taken && h->live < most) {
			fault = take(h, i, seen);
		} else if (taken && (h->live >= most || !random_below(2))) {
			for (u32 way = 0; way < WAYS; way++)
				if (loom_bank_free(&h->bank[way], &h->block[way][i]))
					fault = "a block that is not given back";
			h->live--;
		}
		seen->few += h->bank[FEW].is_few;
		seen->to_few += !was_few && h->bank[FEW].is_few;
		seen->to_many += was_few && !h->bank[FEW].is_few;
		if (!fault && step % 7 == 0)
			fault = compare(h);
	}
	return fault;
}

static void test_policy(enum loom_bank_policy policy, const char *name)
{
	static struct history h;
	struct seen seen = { 0 };
	const char *fault = NULL;
	u32 n;

	for (n = 0; n < HISTORIES && !fault; n++) {
		if (!begin(&h, policy))
			tap_fatal("init");
		fault = run(&h, &seen);
		for (u32 way = 0; way < WAYS; way++) {
			if (loom_bank_fini(&h.bank[way]) != h.live && !fault)
				fault = "a block is lost";
			loom_port_free(h.spare[way]);
		}
		for (u32 i = 0; i < BLOCKS && !fault; i++)
			if (loom_bank_allocated(&h.block[FEW][i]))
				fault = "a block of a bank that is none";
	}
	tap_ok(!fault && seen.placed > 50000 && seen.refused > 5000,
	       "%s: %u histories, %u placed, %u refused%s%s", name, n, seen.placed, seen.refused,
	       fault ? ": " : "", fault ? fault : "");
	tap_ok(seen.few > HISTORIES * STEPS / 4 && seen.to_few > HISTORIES &&
	       seen.to_many > HISTORIES / 4, "%s: few for %u steps, begun %u times, ended %u times",
	       name, seen.few, seen.to_few, seen.to_many);
}

/* Asks for a unit on all banks, or on the first. Return: what it is answered. */
static int ask(struct loom_bank *bank, struct loom_bank_block *block, bool on_all,
	       struct loom_partial_chunk **spare)
{
	struct loom_mask first = { { 1 } };
	const struct loom_bank_request request = {
		.size = 1, .align = 1, .high = U64_MAX, .mask = on_all ? NULL : &first,
		.spare = spare,
	};

	return loom_bank_alloc(bank, block, &request);
}

/* The first partial block begins it; no other needs memory, nor does it to go over. */
static void test_memory(void)
{
	static struct loom_bank_block block[LOOM_FEW_BLOCKS + 2];
	struct loom_partial_chunk *none = NULL, *spare = loom_bank_chunk_create();
	static struct loom_bank bank;
	bool few, most;
	u32 i;

	if (loom_bank_init(&bank, 0, 1000, 2, LOOM_BANK_NEAR_FIT))
		tap_fatal("init");
	tap_ok(!ask(&bank, &block[0], true, NULL) && !bank.is_few,
	       "a block on all banks does not begin it");
	tap_ok(ask(&bank, &block[1], false, &none) == -ENOMEM && !bank.is_few,
	       "a block on some banks without a chunk is refused");
	few = !ask(&bank, &block[1], false, &spare) && bank.is_few && !spare;
	for (i = 2; i < LOOM_FEW_BLOCKS; i++)
		few &= !ask(&bank, &block[i], i % 3, &none) && bank.is_few;
	tap_ok(few, "with a chunk it begins, and up to %u blocks need no more", i);
	most = !ask(&bank, &block[i], true, NULL) && !bank.is_few && bank.is_flat;
	tap_ok(most, "one block more ends it");
	while (i > LOOM_FEW_BLOCKS / 2)
		loom_bank_free(&bank, &block[i--]);
	tap_ok(!bank.is_few, "with %u blocks it is not begun again", i + 1);
	loom_bank_free(&bank, &block[i]);
	tap_ok(bank.is_few, "with %u it is", i);
	loom_port_free(spare);
	tap_ok(loom_bank_fini(&bank) == i, "no block is lost");
}

/* Without partial blocks it goes on for a while, but not in an empty bank. */
static void test_patience(void)
{
	struct loom_partial_chunk *spare = loom_bank_chunk_create();
	struct loom_bank_block block[3] = { 0 };
	static struct loom_bank bank;
	u32 changes = 0;

	if (loom_bank_init(&bank, 0, 1000, 2, LOOM_BANK_FIRST_FIT) ||
	    ask(&bank, &block[0], false, &spare) || ask(&bank, &block[1], true, NULL))
		tap_fatal("no space in an empty bank");
	loom_bank_free(&bank, &block[0]);
	while (bank.is_few && changes < 1000) {
		if (ask(&bank, &block[2], true, NULL) || loom_bank_free(&bank, &block[2]))
			tap_fatal("no space");
		changes++;
	}
	tap_ok(changes == LOOM_FEW_PATIENCE, "it ends after %u blocks more, none on some banks",
	       changes);
	if (ask(&bank, &block[0], false, &spare))
		tap_fatal("no space");
	tap_ok(bank.is_few, "the next such block begins it, with the chunk that is kept");
	loom_bank_free(&bank, &block[1]);
	loom_bank_free(&bank, &block[0]);
	tap_ok(!bank.is_few && !bank.partials.chunk_count && bank.partials.idle_count <= 2,
	       "an empty bank ends it at once");
	tap_ok(!loom_bank_fini(&bank), "no block is lost");
	loom_port_free(spare);
}

/* With one partial block among many it is not worth it, and what was learnt goes with the last. */
static void test_share(void)
{
	struct loom_partial_chunk *spare = NULL;
	struct loom_bank_block full[20] = { 0 }, part[6] = { 0 };
	static struct loom_bank bank;
	u32 i, begins = 0, ends = 0;

	if (loom_bank_init(&bank, 0, 1000, 2, LOOM_BANK_NEAR_FIT))
		tap_fatal("init");
	for (i = 0; i < 19; i++)
		if (ask(&bank, &full[i], true, NULL))
			tap_fatal("no space");
	for (i = 0; i < 6; i++, begins += !bank.is_few) {
		if (!spare)
			spare = loom_bank_chunk_create();
		if (ask(&bank, &part[i], false, &spare))
			tap_fatal("no space");
	}
	tap_ok(begins == 6 && !bank.is_few, "6 partial blocks among 25 do not begin it");
	loom_bank_free(&bank, &full[0]);
	tap_ok(bank.is_few, "6 among 24 do");
	for (i = 1; i < 4; i++)
		loom_bank_free(&bank, &part[i]);
	while (bank.is_few && ends < 1000) {
		loom_bank_free(&bank, &part[0]);
		if (ask(&bank, &part[0], false, &spare))
			tap_fatal("no space");
		ends++;
	}
	tap_ok(!bank.is_few, "3 among 21 do no longer, even if they come and go");
	for (i = 1; i < 4; i++)
		if (ask(&bank, &part[i], false, &spare))
			tap_fatal("no space");
	bank.partials.setbacks = 3;
	for (i = 0; i < 6; i++)
		loom_bank_free(&bank, &part[i]);
	tap_ok(bank.is_few && !bank.partials.setbacks,
	       "what joining both kinds has cost is forgotten with the last partial block");
	for (i = 1; i < 19; i++)
		loom_bank_free(&bank, &full[i]);
	tap_ok(!loom_bank_fini(&bank), "no block is lost");
	loom_port_free(spare);
}

int main(void)
{
	random_state = 1117;
	test_memory();
	test_patience();
	test_share();
	test_patience();
	test_policy(LOOM_BANK_FIRST_FIT, "first fit");
	test_policy(LOOM_BANK_BEST_FIT, "best fit");
	test_policy(LOOM_BANK_NEAR_FIT, "near fit");
	return tap_end();
}
