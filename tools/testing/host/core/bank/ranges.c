// SPDX-License-Identifier: MIT
/*
 * Every range that a request can name on a bank of a few bytes, also one that is smaller than the
 * request, lies beside the bank, or begins in a block: for all ways to have blocks there, from
 * several bases, by each policy, on all banks and on one.
 */
#include "model.h"
#include "tap.h"

#define BYTES	6

struct setting {
	u64 base;
	enum loom_bank_policy policy;
	bool masked;
};

/* A block for each run of ones in @taken. */
static void place_blocks(struct loom_bank *bank, struct loom_bank_block *blocks, u32 taken)
{
	struct loom_bank_request r = { .align = 1 };
	u32 i, end;

	for (i = 0; i < BYTES; i = end + 1) {
		for (end = i; end < BYTES && taken >> end & 1; end++)
			;
		if (end == i)
			continue;
		r.size = end - i;
		r.low = bank->base + i;
		r.high = bank->base + end;
		if (bank_take(bank, blocks++, &r))
			tap_fatal("no place for a block where nothing is");
	}
}

static bool is_place(const struct loom_bank_request *r, u64 base, u32 taken, u64 start)
{
	u64 i;

	if (start % r->align || start < r->low || start + r->size > r->high || start < base ||
	    start + r->size > base + BYTES)
		return false;
	for (i = start; i < start + r->size; i++)
		if (taken >> (i - base) & 1)
			return false;
	return true;
}

/* By first fit; U64_MAX for none. */
static u64 first_place(const struct loom_bank_request *r, u64 base, u32 taken)
{
	u64 found = U64_MAX, start;

	for (start = base; start < base + BYTES; start++)
		if (is_place(r, base, taken, start) && (r->top_down || found == U64_MAX))
			found = start;
	return found;
}

static bool request_fits(struct loom_bank *bank, const struct loom_bank_request *r, u32 taken)
{
	u64 want = first_place(r, bank->base, taken);
	struct loom_bank_block block = {};
	int ret;

	ret = bank_take(bank, &block, r);
	if (ret)
		return ret == (r->low > r->high ? -EINVAL : -ENOSPC) && want == U64_MAX &&
		       !loom_bank_allocated(&block);
	ret = bank->policy == LOOM_BANK_FIRST_FIT || r->mask ? block.start == want :
	      is_place(r, bank->base, taken, block.start);
	return !loom_bank_free(bank, &block) && ret && r->low <= r->high;
}

/* Return: requests that went wrong. */
static u32 try_setting(const struct setting *setting, u64 *requests)
{
	static const struct loom_mask one = { { 1 } };
	struct loom_bank_block blocks[BYTES];
	struct loom_bank_request r = { 0 };
	u32 taken, wrong = 0, turn;
	struct loom_bank bank;

	for (taken = 0; taken < 1 << BYTES; taken++) {
		if (loom_bank_init(&bank, setting->base, setting->base + BYTES, 2,
				   setting->policy))
			tap_fatal("no bank");
		memset(blocks, 0, sizeof(blocks));
		place_blocks(&bank, blocks, taken);
		for (r.size = 1; r.size <= BYTES + 1; r.size++)
			for (r.low = 0; r.low <= setting->base + BYTES + 1; r.low++)
				for (r.high = 0; r.high <= setting->base + BYTES + 1; r.high++)
					for (turn = 0; turn < 4; turn++, ++*requests) {
						r.align = 1 << turn / 2;
						r.top_down = turn % 2;
						r.mask = setting->masked ? &one : NULL;
						wrong += !request_fits(&bank, &r, taken);
					}
		loom_bank_fini(&bank);
	}
	return wrong;
}

int main(void)
{
	static const char * const names[] = { "first fit", "best fit", "near fit" };
	static const u64 bases[] = { 0, 1, 4 };
	u32 policy, masked, i;

	for (policy = LOOM_BANK_FIRST_FIT; policy <= LOOM_BANK_NEAR_FIT; policy++) {
		for (masked = 0; masked < 2; masked++) {
			u64 requests = 0;
			u32 wrong = 0;

			for (i = 0; i < ARRAY_SIZE(bases); i++)
				wrong += try_setting(&(struct setting){ bases[i], policy, masked },
						     &requests);
			tap_ok(!wrong, "%s%s: %u of %llu requests went wrong", names[policy],
			       masked ? ", on one bank" : "", wrong, (unsigned long long)requests);
		}
	}
	return tap_end();
}
