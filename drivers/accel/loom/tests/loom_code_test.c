// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "loom_compat.h"
#include "plan_sample.h"

/*
 * Encoded plans for a device. The tests of the verifier check the round trip of each plan that they
 * build (code_round.h); these are invalid encodings.
 */

static void *code_sample(struct kunit *test, u64 *size)
{
	struct drm_loom_reject reject;
	struct plan_builder pb;
	struct loom_plan *plan;
	void *bytes;
	int ret;

	test->priv = (void *)loom_preset_find(SAMPLE_TOPOLOGY);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	sample_build(&pb);
	ret = pb_verify(&pb, test->priv, &plan, &reject);
	pb_fini(&pb);
	KUNIT_ASSERT_EQ(test, 0, ret);
	*size = loom_code_bytes(plan);
	bytes = pb_alloc(*size);
	ret = loom_code_encode(plan, bytes);
	loom_plan_destroy(plan);
	KUNIT_EXPECT_EQ(test, 0, ret);
	return bytes;
}

static void code_cut_short(struct kunit *test)
{
	struct loom_plan *plan;
	u64 size, cut;
	u8 *bytes = code_sample(test, &size);

	for (cut = 0; cut < size; cut += 8) {
		void *exact = pb_alloc(cut ? cut : 1);

		memcpy(exact, bytes, cut);
		KUNIT_EXPECT_EQ(test, -EBADMSG,
				loom_code_decode(exact, cut, test->priv, &plan));
		KUNIT_EXPECT_NULL(test, plan);
		pb_free(exact);
	}
	pb_free(bytes);
}

static void code_damaged(struct kunit *test)
{
	struct loom_plan *plan;
	u64 size, bit;
	u8 *bytes = code_sample(test, &size);

	for (bit = 0; bit < size * 8; bit += 5) {
		bytes[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_EQ(test, -EBADMSG,
				loom_code_decode(bytes, size, test->priv, &plan));
		bytes[bit / 8] ^= 1 << bit % 8;
	}
	pb_free(bytes);
}

/* Numbers changed, with a sum that fits: refused, or a plan that has all its numbers in bounds. */
static void code_odd(struct kunit *test)
{
	static const u64 odd[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 63, ~0ULL };
	struct loom_code_header *header;
	struct rnd_state random;
	struct loom_plan *plan;
	u64 size, save, at;
	u32 n;
	u8 *bytes = code_sample(test, &size);
	int ret;

	header = (void *)bytes;
	prandom_seed_state(&random, 4);
	for (n = 0; n < 1500; n++) {
		at = offsetof(struct loom_code_header, scratch_bytes);
		at += prandom_u32_state(&random) % ((size - at) / 8) * 8;
		memcpy(&save, bytes + at, 8);
		memcpy(bytes + at, &odd[n % ARRAY_SIZE(odd)], n & 8 ? 4 : 8);
		header->sum = loom_code_sum(&header->scratch_bytes, size / 8 - 3);
		ret = loom_code_decode(bytes, size, test->priv, &plan);
		KUNIT_EXPECT_TRUE(test, ret ? ret == -EBADMSG && !plan : !!plan);
		loom_plan_destroy(plan);
		memcpy(bytes + at, &save, 8);
	}
	pb_free(bytes);
}

static struct kunit_case code_cases[] = {
	KUNIT_CASE(code_cut_short),
	KUNIT_CASE(code_damaged),
	KUNIT_CASE_SLOW(code_odd),
	{}
};

static struct kunit_suite code_suite = {
	.name = "loom_code",
	.test_cases = code_cases,
};

kunit_test_suite(code_suite);
