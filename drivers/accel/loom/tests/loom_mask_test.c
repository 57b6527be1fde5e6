// SPDX-License-Identifier: GPL-2.0
#include "bank_model.h"

/*
 * Blocks on some banks, against a model with the set of banks that have allocated each byte; and
 * sets of banks, against an array of bool. Blocks are allocated one by one and freed as soon as
 * possible, so that KASAN finds stale references of a chunk.
 */

#define MASK_BYTES	512
#define MASK_BLOCKS	256

/**
 * struct mask_setting - a random test
 * @what: description
 * @banks: number of banks
 * @base: first byte of the bank
 * @bytes: size of the bank
 * @max_size: of a block
 * @max_align_log2: of a block
 * @range_percent: how many requests have bounds
 * @all_percent: how many are on all banks
 * @groups: if not zero, masks are one of so many, else any
 */
struct mask_setting {
	const char *what;
	u32 banks;
	u64 base;
	u32 bytes;
	u32 max_size;
	u32 max_align_log2;
	u32 range_percent;
	u32 all_percent;
	u32 groups;
};

static const struct mask_setting mask_settings[] = {
	{ "any of 140", 140, 0, 512, 12, 0, 0, 5, 0 },
	{ "any of 5, ranges and alignments", 5, 7, 500, 24, 4, 40, 20, 0 },
	{ "a sixth of 256", 256, 64, 512, 6, 0, 0, 10, 6 },
	{ "one of 13, and all", 13, 16, 480, 20, 3, 10, 30, 13 },
	{ "up to the last address", 65, U64_MAX - 400, 400, 32, 6, 20, 10, 2 },
};

KUNIT_ARRAY_PARAM_DESC(mask_setting, mask_settings, what);

struct mask_model {
	struct bank_model base;
	const struct mask_setting *setting;
	struct loom_bank_block *block[MASK_BLOCKS];
	struct loom_mask mask[MASK_BLOCKS];
	struct loom_mask taken[MASK_BYTES];
	u32 partial;
};

static u32 model_random(struct mask_model *model, u32 below)
{
	return bank_model_random(&model->base, below);
}

static bool mask_taken(const struct bank_model *base, u32 at,
		       const struct loom_bank_request *request)
{
	const struct mask_model *model = container_of(base, struct mask_model, base);

	return loom_mask_overlaps(&model->taken[at], request->mask);
}

static struct loom_mask model_mask(struct mask_model *model)
{
	const struct mask_setting *setting = model->setting;
	struct loom_mask mask = { { 0 } };
	u32 group, percent, i;

	if (model_random(model, 100) < setting->all_percent)
		return loom_mask_all(setting->banks);
	if (setting->groups) {
		group = model_random(model, setting->groups);
		for (i = group; i < setting->banks; i += setting->groups)
			loom_mask_set(&mask, i);
		return mask;
	}
	percent = 1 + model_random(model, 100);
	for (i = 0; i < setting->banks; i++)
		if (model_random(model, 100) < percent)
			loom_mask_set(&mask, i);
	if (!loom_mask_count(&mask))
		loom_mask_set(&mask, model_random(model, setting->banks));
	return mask;
}

static void model_request(struct mask_model *model, struct loom_bank_request *request,
			  const struct loom_mask *mask)
{
	const struct mask_setting *setting = model->setting;

	*request = (struct loom_bank_request) {
		.size = 1 + model_random(model, setting->max_size),
		.align = 1ULL << model_random(model, setting->max_align_log2 + 1),
		.high = U64_MAX,
		.mask = mask,
		.top_down = model_random(model, 2),
	};
	/* now and then what cannot fit for long */
	if (!model_random(model, 20))
		request->size *= 1 + model_random(model, 20);
	if (model_random(model, 100) >= setting->range_percent)
		return;
	request->low = setting->base + model_random(model, setting->bytes);
	if (check_add_overflow(request->low, (u64)model_random(model, setting->bytes),
			       &request->high))
		request->high = U64_MAX;
}

/* Take or give back the bytes of block @i in its banks. */
static void model_toggle(struct mask_model *model, u32 i)
{
	u64 at = model->block[i]->start - model->setting->base;
	u64 end = at + model->block[i]->size;
	u32 w;

	for (; at < end; at++)
		for (w = 0; w < LOOM_MASK_WORDS; w++)
			model->taken[at].word[w] ^= model->mask[i].word[w];
}

static void model_free(struct kunit *test, struct mask_model *model, u32 i)
{
	model_toggle(model, i);
	KUNIT_ASSERT_EQ(test, 0, loom_bank_free(&model->base.bank, model->block[i]));
	KUNIT_ASSERT_EQ(test, -EINVAL, loom_bank_free(&model->base.bank, model->block[i]));
	kfree(model->block[i]);
	model->block[i] = NULL;
}

static void model_alloc(struct kunit *test, struct mask_model *model, u32 i)
{
	struct loom_mask mask = model_mask(model);
	struct loom_bank_request request;

	model_request(model, &request, &mask);
	model->block[i] = bank_model_alloc(test, &model->base, &request);
	if (!model->block[i])
		return;
	model->mask[i] = mask;
	model_toggle(model, i);
	model->partial += !loom_mask_same(&mask, &model->base.bank.all);
}

/* The joint view of some banks: the walk and its sums must agree with the model for each byte. */
static void model_check_view(struct kunit *test, struct mask_model *model,
			     const struct loom_mask *mask)
{
	u64 at = model->setting->base, allocated = 0, largest = 0, hole = 0;
	struct loom_bank_stats stats;
	struct loom_bank_iter iter;
	struct loom_bank_span span;
	bool after_hole = false;

	loom_bank_walk(&model->base.bank, mask, &iter);
	while (loom_bank_next(&iter, &span)) {
		/* wherever it is interrupted */
		loom_bank_resume(&model->base.bank, &iter);
		KUNIT_ASSERT_EQ(test, at, span.start);
		KUNIT_ASSERT_LT(test, span.start, span.end);
		KUNIT_ASSERT_FALSE(test, after_hole && !span.block);
		after_hole = !span.block;
		for (; at < span.end; at++) {
			u64 offset = at - model->setting->base;
			bool taken = loom_mask_overlaps(&model->taken[offset], mask);

			KUNIT_ASSERT_EQ(test, taken, !!span.block);
			allocated += taken;
			hole = taken ? 0 : hole + 1;
			largest = max(largest, hole);
		}
	}
	KUNIT_ASSERT_EQ(test, model->base.bank.limit, at);
	loom_bank_stats(&model->base.bank, mask, &stats);
	KUNIT_ASSERT_EQ(test, allocated, stats.allocated);
	KUNIT_ASSERT_EQ(test, model->setting->bytes - allocated, stats.free);
	KUNIT_ASSERT_EQ(test, largest, stats.largest_free);
}

static void model_check(struct kunit *test, struct mask_model *model)
{
	u32 index = model_random(model, model->setting->banks), i;
	struct loom_mask one = { { 0 } }, some = model_mask(model);
	u64 bytes = 0;

	for (i = model->setting->bytes; i--;)
		bytes += loom_mask_has(&model->taken[i], index);
	KUNIT_ASSERT_EQ(test, bytes, loom_bank_bytes(&model->base.bank, index));
	loom_mask_set(&one, index);
	model_check_view(test, model, &one);
	model_check_view(test, model, &some);
	model_check_view(test, model, &model->base.bank.all);
}

static void mask_random(struct kunit *test)
{
	struct mask_model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);
	u32 n, i;

	KUNIT_ASSERT_NOT_NULL(test, model);
	model->setting = test->param_value;
	model->base.base = model->setting->base;
	model->base.bytes = model->setting->bytes;
	model->base.taken = mask_taken;
	prandom_seed_state(&model->base.random, 21);
	KUNIT_ASSERT_EQ(test, 0,
			loom_bank_init(&model->base.bank, model->setting->base,
				       model->setting->base + model->setting->bytes,
				       model->setting->banks, LOOM_BANK_FIRST_FIT));
	for (n = 0; n < 3000; n++) {
		i = model_random(model, MASK_BLOCKS);
		if (!model->block[i])
			model_alloc(test, model, i);
		else if (model_random(model, 2))
			model_free(test, model, i);
		if (n % 32 == 0)
			model_check(test, model);
	}
	model_check(test, model);
	KUNIT_EXPECT_LT(test, 0, model->base.refused);
	KUNIT_EXPECT_LT(test, 100, model->partial);
	for (i = 0; i < MASK_BLOCKS; i++)
		if (model->block[i])
			model_free(test, model, i);
	model_check(test, model);
	KUNIT_EXPECT_EQ(test, 0, loom_bank_fini(&model->base.bank));
}

static void mask_refuses(struct kunit *test)
{
	struct loom_mask none = { { 0 } }, outside = { { 0 } }, first = { { 1 } };
	struct loom_bank_request request = { .size = 64, .align = 64, .high = U64_MAX };
	struct loom_bank *bank = kunit_kzalloc(test, sizeof(*bank), GFP_KERNEL);
	struct loom_bank_chunk *spare = NULL;
	struct loom_bank_block *block = kunit_kzalloc(test, sizeof(*block), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bank);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_EQ(test, -EINVAL, loom_bank_init(bank, 0, 256, 0, LOOM_BANK_FIRST_FIT));
	KUNIT_EXPECT_EQ(test, -EINVAL, loom_bank_init(bank, 0, 256, DRM_LOOM_MAX_BANKS + 1,
						      LOOM_BANK_FIRST_FIT));
	KUNIT_ASSERT_EQ(test, 0, loom_bank_init(bank, 0, 256, 70, LOOM_BANK_FIRST_FIT));
	loom_mask_set(&outside, 70);
	request.mask = &none;
	KUNIT_EXPECT_EQ(test, -EINVAL, loom_bank_alloc(bank, block, &request));
	request.mask = &outside;
	KUNIT_EXPECT_EQ(test, -EINVAL, loom_bank_alloc(bank, block, &request));
	/* without room to note it, and with a place for that which is empty */
	request.mask = &first;
	KUNIT_EXPECT_EQ(test, -ENOMEM, loom_bank_alloc(bank, block, &request));
	request.spare = &spare;
	KUNIT_EXPECT_EQ(test, -ENOMEM, loom_bank_alloc(bank, block, &request));
	KUNIT_EXPECT_FALSE(test, loom_bank_allocated(block));
	KUNIT_EXPECT_EQ(test, 0, loom_bank_bytes(bank, 0));
	KUNIT_EXPECT_EQ(test, 0, loom_bank_fini(bank));
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

static struct kunit_case mask_cases[] = {
	KUNIT_CASE(mask_sets),
	KUNIT_CASE(mask_refuses),
	KUNIT_CASE(mask_fini_lets_go),
	KUNIT_CASE_PARAM(mask_random, mask_setting_gen_params),
	{}
};

static struct kunit_suite mask_suite = {
	.name = "loom_mask",
	.test_cases = mask_cases,
};

kunit_test_suite(mask_suite);
