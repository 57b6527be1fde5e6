// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "loom_bank.h"
#include "loom_compat.h"

/*
 * Tests of the end of a bank, for KASAN, and of sets of banks against an array of bool. Addresses
 * and refusals are left to tools/testing/host/core/bank/model.c, which compares random histories
 * with a byte map.
 */

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

/* loom_bank_fini() detaches its blocks: freeing one later must not access its chunks. */
static void bank_fini_lets_go(struct kunit *test)
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
	KUNIT_CASE(bank_fini_lets_go),
	KUNIT_CASE(mask_sets),
	{}
};

static struct kunit_suite bank_suite = {
	.name = "loom_bank",
	.test_cases = bank_cases,
};

kunit_test_suite(bank_suite);

MODULE_DESCRIPTION("KUnit tests of the Loom driver");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LOOM_COMPAT_NS_KUNIT);
MODULE_IMPORT_NS(LOOM_COMPAT_NS);
