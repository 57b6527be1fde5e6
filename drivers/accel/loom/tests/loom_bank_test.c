// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "loom_bank.h"
#include "loom_compat.h"

/*
 * Tests of the bank allocator through its public interface only, and of sets of banks against an
 * array of bool. Blocks are allocated one by one and freed as soon as possible, so that KASAN finds
 * stale references of a bank. Where blocks lie is left to tools/testing/host/core/bank/model.c,
 * which compares random histories with a byte map.
 */

#define BANK_BASE	64
#define BANK_LIMIT	4096

static const struct loom_bank_request bank_request = { .size = 64, .align = 64, .high = U64_MAX };

/* One bank, first fit. */
static int __must_check bank_init(struct loom_bank *bank, u64 base, u64 limit)
{
	return loom_bank_init(bank, base, limit, 1, LOOM_BANK_FIRST_FIT);
}

/* loom_bank_alloc() with a chunk if it needs one. */
static int bank_take(struct loom_bank *bank, struct loom_bank_block *block,
		     const struct loom_bank_request *request)
{
	struct loom_bank_chunk *spare = loom_bank_chunk_create();
	struct loom_bank_request with = *request;
	int ret;

	with.spare = &spare;
	ret = loom_bank_alloc(bank, block, &with);
	loom_port_free(spare);
	return ret;
}

static int bank_test_init(struct kunit *test)
{
	struct loom_bank *bank = kunit_kzalloc(test, sizeof(*bank), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bank);
	KUNIT_ASSERT_EQ(test, 0, bank_init(bank, BANK_BASE, BANK_LIMIT));
	test->priv = bank;
	return 0;
}

static void bank_test_exit(struct kunit *test)
{
	loom_bank_fini(test->priv);
}

static struct loom_bank_block *bank_block(struct kunit *test)
{
	struct loom_bank_block *block = kunit_kzalloc(test, sizeof(*block), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, block);
	return block;
}

/* A new block for the request, at the place where it must come to lie. */
static struct loom_bank_block *bank_expect(struct kunit *test,
					   const struct loom_bank_request *request, u64 start)
{
	struct loom_bank_block *block = bank_block(test);

	KUNIT_ASSERT_EQ(test, 0, bank_take(test->priv, block, request));
	KUNIT_EXPECT_EQ(test, start, block->start);
	KUNIT_EXPECT_EQ(test, request->size, block->size);
	KUNIT_EXPECT_TRUE(test, loom_bank_allocated(block));
	return block;
}

/* Blocks are apart, and the sums of blocks and holes are what stats says. */
static void bank_check(struct kunit *test, struct loom_bank *bank)
{
	struct loom_bank_stats stats;
	struct loom_bank_block *block;
	struct loom_bank_iter iter;
	u64 at = bank->base, allocated = 0, largest = 0;
	u32 blocks = 0;

	loom_bank_walk(bank, NULL, &iter);
	while ((block = loom_bank_next_block(&iter))) {
		KUNIT_ASSERT_GE(test, block->start, at);
		largest = max(largest, block->start - at);
		at = block->start + block->size;
		allocated += block->size;
		blocks++;
	}
	KUNIT_ASSERT_GE(test, bank->limit, at);
	largest = max(largest, bank->limit - at);
	loom_bank_stats(bank, NULL, &stats);
	KUNIT_EXPECT_EQ(test, bank->limit - bank->base, stats.total);
	KUNIT_EXPECT_EQ(test, allocated, stats.allocated);
	KUNIT_EXPECT_EQ(test, stats.total - allocated, stats.free);
	KUNIT_EXPECT_EQ(test, largest, stats.largest_free);
	KUNIT_EXPECT_EQ(test, blocks, stats.blocks);
}

static void bank_init_refuses(struct kunit *test)
{
	struct loom_bank *bank = kunit_kzalloc(test, sizeof(*bank), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bank);
	KUNIT_EXPECT_EQ(test, -EINVAL, bank_init(bank, 64, 64));
	KUNIT_EXPECT_EQ(test, -EINVAL, bank_init(bank, 65, 64));
	KUNIT_EXPECT_EQ(test, 0, bank_init(bank, 64, 65));
	KUNIT_EXPECT_EQ(test, 0, loom_bank_fini(bank));
}

static void bank_directions(struct kunit *test)
{
	struct loom_bank_request request = bank_request;
	struct loom_bank_block *first, *last;

	first = bank_expect(test, &request, 64);
	bank_expect(test, &request, 128);
	request.top_down = true;
	last = bank_expect(test, &request, 4032);
	bank_expect(test, &request, 3968);
	bank_check(test, test->priv);

	KUNIT_EXPECT_EQ(test, 0, loom_bank_free(test->priv, first));
	KUNIT_EXPECT_EQ(test, 0, loom_bank_free(test->priv, last));
	bank_expect(test, &request, 4032);
	request.top_down = false;
	bank_expect(test, &request, 64);
	bank_check(test, test->priv);
}

static const struct bank_refusal {
	const char *what;
	struct loom_bank_request request;
	int error;
} bank_refusals[] = {
	{ "size of zero", { .align = 64, .high = U64_MAX }, -EINVAL },
	{ "alignment of zero", { .size = 64, .high = U64_MAX }, -EINVAL },
	{ "alignment of 48", { .size = 64, .align = 48, .high = U64_MAX }, -EINVAL },
	{ "range upside down", { .size = 64, .align = 64, .low = 1024, .high = 1023 }, -EINVAL },
	{ "size past the bank", { .size = 4096, .align = 1, .high = U64_MAX }, -ENOSPC },
	{ "largest size", { .size = U64_MAX, .align = 1, .high = U64_MAX }, -ENOSPC },
	{ "largest alignment", { .size = 64, .align = 1ULL << 63, .high = U64_MAX }, -ENOSPC },
	{ "largest alignment from the top",
	  { .size = 64, .align = 1ULL << 63, .high = U64_MAX, .top_down = true }, -ENOSPC },
	{ "range short of a byte", { .size = 64, .align = 64, .high = 127 }, -ENOSPC },
	{ "range behind the bank", { .size = 1, .align = 1, .low = 4096, .high = U64_MAX },
	  -ENOSPC },
	{ "range before the bank", { .size = 1, .align = 1, .high = 64 }, -ENOSPC },
};

KUNIT_ARRAY_PARAM_DESC(bank_refusal, bank_refusals, what);

static void bank_alloc_refuses(struct kunit *test)
{
	const struct bank_refusal *refusal = test->param_value;
	struct loom_bank_block *block = bank_block(test);

	KUNIT_EXPECT_EQ(test, refusal->error,
			bank_take(test->priv, block, &refusal->request));
	KUNIT_EXPECT_FALSE(test, loom_bank_allocated(block));
	bank_check(test, test->priv);
	/* and the block is as good as new */
	KUNIT_EXPECT_EQ(test, 0, bank_take(test->priv, block, &bank_request));
}

static void bank_free_refuses(struct kunit *test)
{
	struct loom_bank *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct loom_bank_block *block = bank_block(test);

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_ASSERT_EQ(test, 0, bank_init(other, BANK_BASE, BANK_LIMIT));
	KUNIT_EXPECT_EQ(test, -EINVAL, loom_bank_free(test->priv, block));
	KUNIT_ASSERT_EQ(test, 0, bank_take(test->priv, block, &bank_request));
	KUNIT_EXPECT_EQ(test, -EINVAL, bank_take(test->priv, block, &bank_request));
	KUNIT_EXPECT_EQ(test, -EINVAL, loom_bank_free(other, block));
	KUNIT_EXPECT_TRUE(test, loom_bank_allocated(block));
	KUNIT_EXPECT_EQ(test, 0, loom_bank_free(test->priv, block));
	KUNIT_EXPECT_EQ(test, -EINVAL, loom_bank_free(test->priv, block));
	bank_check(test, test->priv);
}

/* Freeing a block after loom_bank_fini() must not write to the bank. */
static void bank_fini_lets_go(struct kunit *test)
{
	struct loom_bank *bank = kzalloc(sizeof(*bank), GFP_KERNEL);
	struct loom_bank_block *block[3];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, bank);
	KUNIT_EXPECT_EQ(test, 0, bank_init(bank, BANK_BASE, BANK_LIMIT));
	for (i = 0; i < ARRAY_SIZE(block); i++) {
		block[i] = bank_block(test);
		KUNIT_EXPECT_EQ(test, 0, bank_take(bank, block[i], &bank_request));
	}
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(block), loom_bank_fini(bank));
	kfree(bank);
	for (i = 0; i < ARRAY_SIZE(block); i++) {
		KUNIT_EXPECT_FALSE(test, loom_bank_allocated(block[i]));
		KUNIT_EXPECT_EQ(test, -EINVAL, loom_bank_free(test->priv, block[i]));
	}
}

/* loom_bank_fini() detaches its blocks: freeing one later must not access its chunks. */
static void mask_fini_lets_go(struct kunit *test)
{
	struct loom_mask mask = { { 0 } };
	struct loom_bank_request request = {
		.size = 8, .align = 8, .high = U64_MAX, .mask = &mask,
	};
	struct loom_bank *bank = kzalloc(sizeof(*bank), GFP_KERNEL);
	struct loom_bank_block *block[2 * LOOM_CHUNK_BLOCKS + 1] = {};
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, bank);
	KUNIT_EXPECT_EQ(test, 0, loom_bank_init(bank, 0, 8 * ARRAY_SIZE(block), 64,
						LOOM_BANK_FIRST_FIT));
	loom_mask_set(&mask, 63);
	for (i = 0; i < ARRAY_SIZE(block); i++) {
		block[i] = kunit_kzalloc(test, sizeof(*block[i]), GFP_KERNEL);
		KUNIT_EXPECT_EQ(test, 0, bank_take(bank, block[i], &request));
		KUNIT_EXPECT_EQ(test, 8 * i, block[i]->start);
	}
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(block), loom_bank_fini(bank));
	for (i = 0; i < ARRAY_SIZE(block); i++) {
		KUNIT_EXPECT_FALSE(test, loom_bank_allocated(block[i]));
		KUNIT_EXPECT_EQ(test, -EINVAL, loom_bank_free(bank, block[i]));
	}
	kfree(bank);
}

/* A set of banks, and the same as one bool for each. */
struct mask_set {
	struct loom_mask mask;
	bool has[DRM_LOOM_MAX_BANKS];
};

static void set_fill(struct mask_set *set, struct rnd_state *random)
{
	u32 percent = prandom_u32_state(random) % 101, i;

	memset(set, 0, sizeof(*set));
	for (i = 0; i < DRM_LOOM_MAX_BANKS; i++) {
		set->has[i] = prandom_u32_state(random) % 100 < percent;
		if (set->has[i])
			loom_mask_set(&set->mask, i);
	}
}

static void set_check(struct kunit *test, const struct mask_set *set)
{
	u32 next = DRM_LOOM_MAX_BANKS, count = 0, i;

	KUNIT_ASSERT_EQ(test, DRM_LOOM_MAX_BANKS, loom_mask_next(&set->mask, DRM_LOOM_MAX_BANKS));
	for (i = DRM_LOOM_MAX_BANKS; i--;) {
		KUNIT_ASSERT_EQ(test, set->has[i], loom_mask_has(&set->mask, i));
		if (set->has[i])
			next = i;
		KUNIT_ASSERT_EQ(test, next, loom_mask_next(&set->mask, i));
		count += set->has[i];
	}
	KUNIT_ASSERT_EQ(test, count, loom_mask_count(&set->mask));
}

static void mask_sets(struct kunit *test)
{
	struct mask_set *a = kunit_kzalloc(test, sizeof(*a), GFP_KERNEL);
	struct mask_set *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	struct rnd_state random;
	u32 n, i;

	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_ASSERT_NOT_NULL(test, b);
	prandom_seed_state(&random, 22);
	for (n = 0; n <= DRM_LOOM_MAX_BANKS; n++) {
		bool meets = false, same = true, within = true;

		a->mask = loom_mask_all(n);
		for (i = 0; i < DRM_LOOM_MAX_BANKS; i++)
			a->has[i] = i < n;
		set_check(test, a);

		set_fill(a, &random);
		/* a part of a, a itself, or another set altogether */
		set_fill(b, &random);
		for (i = 0; i < DRM_LOOM_MAX_BANKS && n % 3; i++)
			b->has[i] = n % 3 == 1 ? b->has[i] && a->has[i] : a->has[i];
		memset(&b->mask, 0, sizeof(b->mask));
		for (i = 0; i < DRM_LOOM_MAX_BANKS; i++) {
			if (b->has[i])
				loom_mask_set(&b->mask, i);
			meets |= a->has[i] && b->has[i];
			same &= a->has[i] == b->has[i];
			within &= a->has[i] || !b->has[i];
		}
		KUNIT_ASSERT_EQ(test, meets, loom_mask_overlaps(&a->mask, &b->mask));
		KUNIT_ASSERT_EQ(test, same, loom_mask_same(&a->mask, &b->mask));
		KUNIT_ASSERT_EQ(test, within, loom_mask_within(&b->mask, &a->mask));
		loom_mask_add(&a->mask, &b->mask);
		for (i = 0; i < DRM_LOOM_MAX_BANKS; i++)
			a->has[i] |= b->has[i];
		set_check(test, a);
	}
}

static struct kunit_case bank_cases[] = {
	KUNIT_CASE(bank_init_refuses),
	KUNIT_CASE(bank_directions),
	KUNIT_CASE_PARAM(bank_alloc_refuses, bank_refusal_gen_params),
	KUNIT_CASE(bank_free_refuses),
	KUNIT_CASE(bank_fini_lets_go),
	KUNIT_CASE(mask_sets),
	KUNIT_CASE(mask_fini_lets_go),
	{}
};

static struct kunit_suite bank_suite = {
	.name = "loom_bank",
	.init = bank_test_init,
	.exit = bank_test_exit,
	.test_cases = bank_cases,
};

kunit_test_suite(bank_suite);

MODULE_DESCRIPTION("KUnit tests of the Loom driver");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LOOM_COMPAT_NS_KUNIT);
MODULE_IMPORT_NS(LOOM_COMPAT_NS);
