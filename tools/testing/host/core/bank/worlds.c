// SPDX-License-Identifier: MIT
/*
 * All sequences of a few requests and releases on a bank of a few bytes, against a model that keeps
 * for each byte who has it in which bank: addresses, refusals, and what a walk reports. In each
 * state, every scratch that a plan could have meets a block where the model says that it does.
 *
 *	worlds [--large]	longer sequences
 */
#include "loom_span.h"
#include "model.h"
#include "tap.h"

#define BYTES		6
#define BANKS		2
#define MAX_LENGTH	6
#define MAX_CHOICES	64

/**
 * struct world - what may be asked for
 * @name: for people
 * @base: first address
 * @sizes: the largest
 * @aligns: bytes up to which a block is aligned, a power of two
 * @masks: as a bit mask, of sets of banks: 8 for both
 * @ranges: also in the middle of the bank only
 * @lengths: of a sequence, and of a longer one
 * @policy: which place is chosen; where it is not the first that fits, any is right
 */
struct world {
	const char *name;
	u64 base;
	u32 sizes;
	u32 aligns;
	u32 masks;
	bool ranges;
	u32 lengths[2];
	enum loom_bank_policy policy;
};

#define FIRST	LOOM_BANK_FIRST_FIT
#define BEST	LOOM_BANK_BEST_FIT
#define NEAR	LOOM_BANK_NEAR_FIT

static const struct world worlds[] = {
	{ "blocks on all banks", 1, 3, 2, 0x8, true, { 4, 5 }, FIRST },
	{ "blocks on some banks", 2, 3, 2, 0xe, false, { 3, 4 }, FIRST },
	{ "longer", 0, 2, 1, 0xe, false, { 4, 6 }, FIRST },
	{ "best fit", 1, 3, 2, 0xe, false, { 3, 4 }, BEST },
	{ "near fit", 1, 3, 2, 0xe, false, { 3, 4 }, NEAR },
	{ "near fit, in ranges", 0, 3, 1, 0xa, true, { 3, 4 }, NEAR },
};

/* Next step of a sequence: one of these requests, or the release of an earlier step's block. */
static struct loom_bank_request choices[MAX_CHOICES];
static struct loom_mask masks[1 << BANKS];
static u32 choice_count;
static u32 sequence[MAX_LENGTH];
static u32 length, longest;
static u64 sequences, requests, refused, wrong;

static void list_choices(const struct world *world)
{
	u32 size, align, rest, mask;
	bool range;

	choice_count = 0;
	for (size = 1; size <= world->sizes; size++) {
		for (align = 1; align <= world->aligns; align *= 2) {
			/* direction, range, mask */
			for (rest = 0; rest < 4 << BANKS; rest++) {
				range = rest & 2;
				mask = rest >> 2;
				if (!(world->masks >> mask & 1) || (range && !world->ranges))
					continue;
				choices[choice_count++] = (struct loom_bank_request){
					.size = size, .align = align, .mask = &masks[mask],
					.low = range ? world->base + 1 : 0,
					.high = range ? world->base + BYTES - 1 : U64_MAX,
					.top_down = rest & 1,
				};
			}
		}
	}
}

/* taken[i]: banks in which a byte is taken, as a bit mask */
static u32 mask_bits(const struct loom_mask *mask)
{
	return loom_mask_has(mask, 0) | loom_mask_has(mask, 1) << 1;
}

static bool is_free(const struct loom_bank_request *request, const void *taken, u32 i)
{
	return !(((const u32 *)taken)[i] & mask_bits(request->mask));
}

/* Owner of a block, for walks that report the blocks of one client only. */
static bool is_of(const struct loom_bank_block *block, u64 who)
{
	return block->start % 2 == who;
}

/*
 * Bytes that a walk over one bank reports as taken, and whether its spans tile the bank. Of all
 * blocks, if @who is negative.
 */
static bool walk_fits(struct loom_bank *bank, const struct world *world, const u32 *taken,
		      u32 index, int who)
{
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	u64 at = world->base, i;
	bool hole = false;

	loom_bank_walk(bank, &masks[1 << index], &iter);
	if (who >= 0) {
		iter.wanted = is_of;
		iter.who = who;
	}
	while (loom_bank_next(&iter, &span)) {
		if (span.start != at || span.end <= at || (hole && !span.block))
			return false;
		hole = !span.block;
		for (i = at; i < span.end; i++)
			if (!!span.block != (taken[i - world->base] >> index & 1))
				return false;
		at = span.end;
	}
	return at == world->base + BYTES;
}

/* The bytes that blocks of one client have, from the sequence. */
static void list_taken(const struct world *world, const struct loom_bank_block *blocks, u64 who,
		       u32 *taken)
{
	u32 place, i;

	memset(taken, 0, BYTES * sizeof(*taken));
	for (place = 0; place < length; place++) {
		if (!loom_bank_allocated(&blocks[place]) || !is_of(&blocks[place], who))
			continue;
		for (i = 0; i < blocks[place].size; i++)
			taken[blocks[place].start - world->base + i] |=
				mask_bits(choices[sequence[place]].mask);
	}
}

/* The first byte that is taken in one of some banks. */
static u64 first_taken(const struct world *world, const u32 *taken, u32 bits)
{
	u32 i = 0;

	while (i < BYTES && !(taken[i] & bits))
		i++;
	return world->base + i;
}

/*
 * Whether all blocks come once and in order; and for every scratch whose ends do not grow from a
 * bank to the next, whether one of them overlaps it in the first of its banks if and only if a byte
 * of it is taken: so the module looks for what is in the way of a plan.
 */
static bool blocks_fit(struct loom_bank *bank, const struct world *world, const u32 *taken)
{
	const struct loom_bank_block *block;
	u32 ends[BANKS], count, bits;
	struct loom_bank_iter iter;
	bool meets, want;
	u64 last;

	for (ends[0] = 0; ends[0] <= BYTES; ends[0]++) {
		for (ends[1] = 0; ends[1] <= ends[0]; ends[1]++) {
			meets = false;
			count = 0;
			last = 0;
			loom_bank_walk(bank, NULL, &iter);
			while ((block = loom_bank_next_block(&iter))) {
				if (!loom_bank_allocated(block) || block->start < last)
					return false;
				last = block->start;
				count++;
				bits = mask_bits(&loom_chunk_entry(block)->mask);
				meets |= block->start < world->base + ends[bits & 1 ? 0 : 1];
			}
			want = first_taken(world, taken, 1) < world->base + ends[0] ||
			       first_taken(world, taken, 2) < world->base + ends[1];
			if (meets != want || count != bank->blocks)
				return false;
		}
	}
	return true;
}

static bool state_fits(struct loom_bank *bank, const struct world *world,
		       const struct loom_bank_block *blocks, const u32 *taken)
{
	u32 index, i, bytes, who, part[BYTES];

	if (!blocks_fit(bank, world, taken))
		return false;
	for (who = 0; who < 2; who++) {
		list_taken(world, blocks, who, part);
		for (index = 0; index < BANKS; index++)
			if (!walk_fits(bank, world, part, index, who))
				return false;
	}

	for (index = 0; index < BANKS; index++) {
		for (i = 0, bytes = 0; i < BYTES; i++)
			bytes += taken[i] >> index & 1;
		if (loom_bank_bytes(bank, index) != bytes ||
		    !walk_fits(bank, world, taken, index, -1))
			return false;
	}
	return true;
}

/* Whether a block got a place that the request allows, of bytes that were free. */
static bool place_fits(const struct world *world, const struct loom_bank_block *block,
		       const struct loom_bank_request *request, const u32 *taken)
{
	u64 i;

	if (block->start < world->base || block->size != request->size ||
	    block->start + block->size > world->base + BYTES || block->start % request->align ||
	    block->start < request->low || block->start + block->size > request->high)
		return false;
	for (i = 0; i < block->size; i++)
		if (!is_free(request, taken, block->start - world->base + i))
			return false;
	return true;
}

/* Does one thing of the sequence. False if it is not done as the model says. */
static bool play(struct loom_bank *bank, const struct world *world, struct loom_bank_block *blocks,
		 u32 *taken, u32 place)
{
	u32 choice = sequence[place], i;
	struct loom_bank_request request;
	struct loom_bank_block *block;
	s64 want;
	int ret;

	if (choice >= choice_count) {
		place = choice - choice_count;
		block = &blocks[place];
		for (i = 0; i < block->size; i++)
			taken[block->start - world->base + i] &=
				~mask_bits(choices[sequence[place]].mask);
		return !loom_bank_free(bank, block) && !loom_bank_allocated(block);
	}
	request = choices[choice];
	want = model_first_fit(world->base, BYTES, &request, is_free, taken);
	ret = bank_take(bank, &blocks[place], &request);
	requests++;
	refused += want < 0;
	if (want < 0)
		return ret == -ENOSPC && !loom_bank_allocated(&blocks[place]);
	if (ret || !place_fits(world, &blocks[place], &request, taken))
		return false;
	if (world->policy == FIRST && blocks[place].start != world->base + want)
		return false;
	want = blocks[place].start - world->base;
	for (i = 0; i < request.size; i++)
		taken[want + i] |= mask_bits(request.mask);
	return true;
}

/* The sequence from its beginning, and all that continue it. */
static void all_sequences(const struct world *world)
{
	struct loom_bank_block blocks[MAX_LENGTH] = {};
	bool allocated[MAX_LENGTH], good = true;
	u32 taken[BYTES] = {}, left = 0, i;
	struct loom_bank bank;

	good = !loom_bank_init(&bank, world->base, world->base + BYTES, BANKS, world->policy);
	for (i = 0; i < length && good; i++)
		good = play(&bank, world, blocks, taken, i);
	good = good && state_fits(&bank, world, blocks, taken);
	for (i = 0; i < length; i++) {
		allocated[i] = loom_bank_allocated(&blocks[i]);
		left += allocated[i];
	}
	good &= loom_bank_fini(&bank) == left;
	sequences++;
	if (!good && !wrong++) {
		for (i = 0; i < length; i++)
			tap_note("%s: %u of %u", world->name, sequence[i], choice_count);
	}
	if (!good || length == longest)
		return;
	length++;
	for (i = 0; i < choice_count + length - 1; i++) {
		if (i >= choice_count && !allocated[i - choice_count])
			continue;
		sequence[length - 1] = i;
		all_sequences(world);
	}
	length--;
}

static void test_world(const struct world *world)
{
	sequences = 0;
	requests = 0;
	refused = 0;
	wrong = 0;
	list_choices(world);
	all_sequences(world);
	tap_ok(!wrong && refused > 100 && refused < requests / 2,
	       "%s: %llu sequences, %llu requests, %llu without a place, %llu wrong",
	       world->name, (unsigned long long)sequences, (unsigned long long)requests,
	       (unsigned long long)refused, (unsigned long long)wrong);
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "--large");
	u32 i, bank;

	for (i = 1; i < 1 << BANKS; i++)
		for (bank = 0; bank < BANKS; bank++)
			if (i >> bank & 1)
				loom_mask_set(&masks[i], bank);
	for (i = 0; i < ARRAY_SIZE(worlds); i++) {
		longest = worlds[i].lengths[all];
		test_world(&worlds[i]);
	}
	return tap_end();
}
