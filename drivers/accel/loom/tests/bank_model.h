/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TESTS_BANK_MODEL_H
#define LOOM_TESTS_BANK_MODEL_H

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "loom_bank.h"

/*
 * First fit by trying every byte, and the step of a random test that allocates and compares. Which
 * bytes are taken is known to the model of a test, which embeds this one.
 */

/**
 * struct bank_model - a bank, and what a test needs to say where a block must come to lie
 * @base: first byte of the bank
 * @bytes: size of the bank
 * @taken: whether byte @at, counted from @base, is taken for a request
 * @random: the test's numbers
 * @bank: the bank, first fit
 * @refused: requests for which there was no place
 */
struct bank_model {
	u64 base;
	u32 bytes;
	bool (*taken)(const struct bank_model *model, u32 at,
		      const struct loom_bank_request *request);
	struct rnd_state random;
	struct loom_bank bank;
	u32 refused;
};

static inline u32 bank_model_random(struct bank_model *model, u32 below)
{
	return prandom_u32_state(&model->random) % below;
}

/* Where first fit puts it. Return: an offset, or -1. */
static inline s32 bank_model_place(const struct bank_model *model,
				   const struct loom_bank_request *request)
{
	u32 run = 0, i;
	s32 found = -1;

	/* run: free bytes from i on, so i goes down and the last hit is the lowest */
	for (i = model->bytes; i--;) {
		u64 address = model->base + i;

		run = model->taken(model, i, request) ? 0 : run + 1;
		if (run < request->size || address & (request->align - 1) ||
		    address < request->low || address > request->high ||
		    request->high - address < request->size)
			continue;
		found = i;
		if (request->top_down)
			break;
	}
	return found;
}

/* loom_bank_alloc() with a chunk if it needs one. */
static inline int bank_take(struct loom_bank *bank, struct loom_bank_block *block,
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

/* Return: a block where it must be, or NULL if there is rightly none; to be freed by the caller. */
static inline struct loom_bank_block *bank_model_alloc(struct kunit *test,
						       struct bank_model *model,
						       const struct loom_bank_request *request)
{
	s32 want = bank_model_place(model, request);
	struct loom_bank_block *block;
	int ret;

	block = kzalloc(sizeof(*block), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, block);
	ret = bank_take(&model->bank, block, request);
	if (ret) {
		kfree(block);
		KUNIT_ASSERT_EQ(test, -ENOSPC, ret);
		KUNIT_ASSERT_EQ(test, -1, want);
		model->refused++;
		return NULL;
	}
	KUNIT_ASSERT_NE(test, -1, want);
	KUNIT_ASSERT_EQ(test, model->base + (u64)want, block->start);
	KUNIT_ASSERT_EQ(test, request->size, block->size);
	return block;
}

#endif /* LOOM_TESTS_BANK_MODEL_H */
