// SPDX-License-Identifier: MIT
/*
 * The GMEM planner rule by rule. Each problem is small enough to be solved by hand, and the comment
 * beside it derives the answer; sizes and addresses are in bytes, alignment is 1.
 */
#include "loom_place.h"
#include "place_item.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

#define COUNT(array)	((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define MAX_STEPS	5
#define MAX_INPUTS	2

/**
 * struct step - an operator of a problem
 * @size: size of the result; item i is made by step i
 * @num_inputs: number of items it reads
 * @inputs: these
 * @reshape: in place of the first input
 * @want: offset of the result
 */
struct step {
	uint64_t size;
	uint32_t num_inputs;
	uint32_t inputs[MAX_INPUTS];
	bool reshape;
	uint64_t want;
};

/**
 * struct example - a graph, and its placement
 * @what: it shows
 * @height: of all
 * @steps: as many as have a size
 */
struct example {
	const char *what;
	uint64_t height;
	struct step steps[MAX_STEPS];
};

/* A step that reads no item, one, or two; and its item's offset. */
#define MAKE(size, at)		{ size, 0, { 0 }, false, at }
#define READ(size, a, at)	{ size, 1, { a }, false, at }
#define JOIN(size, a, b, at)	{ size, 2, { a, b }, false, at }
#define SHAPE(size, a, at)	{ size, 1, { a }, true, at }

static const struct example examples[] = {
	/* 0 and 1 are both read at the end: nothing is EOL, each opens a block */
	{ "a new block is opened at the top where nothing is EOL", 150,
	  { MAKE(100, 0), MAKE(40, 100), JOIN(10, 0, 1, 140) } },
	/*
	 * 1 reads 0: 0 is EOL but still an operand (5) and held (1): 1 opens a block at 100.
	 * After 1, 0 leaves. 2 reads 1: the block of 0 is free: 2 at 0. 3 reads 2: at 100.
	 */
	{ "a chain goes to and fro between two blocks: never onto its own operand", 200,
	  { MAKE(100, 0), READ(100, 0, 100), READ(100, 1, 0), READ(100, 2, 100) } },
	/*
	 * 0 is read again at the end: it stays in hold_edges, so 2 may not have its block. 3 reads
	 * 2 and 0; 1 is EOL since 2 ran: 3 at 100.
	 */
	{ "condition 1 and 3: what is still to be read is not reused", 200,
	  { MAKE(100, 0), READ(50, 0, 100), READ(50, 1, 150), JOIN(50, 2, 0, 100) } },
	/*
	 * 2 takes the block of 0 (at 0). When 3 is placed, the record of 0 is EOL and not
	 * held, but its address is in use by 2, which 4 will read: 3 may not go there. It may
	 * not go to 1 either, which it reads. New block. 1 is EOL after 3: 4 at 100.
	 */
	{ "condition 2: an old record does not give away the address of its new tenant", 260,
	  { MAKE(100, 0), READ(100, 0, 100), READ(60, 1, 0), READ(60, 1, 200),
	    JOIN(10, 2, 3, 100) } },
	/*
	 * When 2 is placed, block 0 is free, but too small: a new block, blocks do not grow. 3:
	 * both block 0 (10) and block 1 (100) are free: the first record wins.
	 */
	{ "condition 4: a block that is too small is passed by, the first that fits wins", 121,
	  { MAKE(10, 0), READ(100, 0, 10), READ(11, 1, 110), READ(10, 2, 0) } },
	/* blocks of 100 and 20 are free for an item of 20: the first one, though the second fits */
	{ "the first record that fits is taken, not the one that fits best", 125,
	  { MAKE(100, 0), MAKE(20, 100), JOIN(5, 0, 1, 120), READ(20, 2, 0) } },
	/*
	 * 2 (10 bytes) moves into the block of 0 (100). When both are dead the block still offers
	 * 100: 4 needs 90 and fits. 3 reads 2 and goes to block 1 (at 100, 10 bytes).
	 */
	{ "a block keeps its size, however small its tenants", 110,
	  { MAKE(100, 0), READ(10, 0, 100), READ(10, 1, 0), READ(10, 2, 100), READ(90, 3, 0) } },
	/*
	 * 0 is read twice by the same operator: ref_cnt 2, both go at once. 1 opens a block as 0
	 * is an operand; 2 may have block 0.
	 */
	{ "an operand that comes twice counts twice", 128,
	  { MAKE(64, 0), JOIN(64, 0, 0, 64), READ(64, 1, 0) } },
	{ "a reshape is in place, and its reader is not", 128,
	  { MAKE(64, 0), SHAPE(64, 0, 0), READ(64, 1, 64), READ(64, 2, 0) } },
	/*
	 * 1 reshapes 0, whose only reader it is. 0 leaves hold_edges, but 1 is at the same
	 * address: 2, which reads nothing of it, may not have it. 3 reads 1 and 2.
	 */
	{ "an address is in use as long as the reshape's result is", 192,
	  { MAKE(64, 0), SHAPE(64, 0, 0), MAKE(64, 64), JOIN(64, 1, 2, 128) } },
	/* 0 has no reader: it is alive while its operator runs, then its block is free */
	{ "a result that nobody reads leaves at once", 64, { MAKE(64, 0), MAKE(64, 0) } },
};

/* The answer is a placement, and this one. */
static void check_items(const char *what, const struct loom_place_problem *problem,
			const uint64_t *want, uint64_t want_height)
{
	const struct loom_place_options how = { .strategy = "gmem" };
	struct loom_place_result result;
	struct loom_place_fault fault;
	bool good;
	uint32_t i;

	if (loom_place(problem, &how, &result, &fault))
		tap_fatal("%s: %s", what, fault.text);
	good = result.height_bytes[0] == want_height &&
	       !loom_place_check(problem, result.offsets, NULL, &fault);
	for (i = 0; i < problem->num_items; i++) {
		if (result.offsets[i] != want[i])
			tap_note("item %u is at %llu, not at %llu", i,
				 (unsigned long long)result.offsets[i],
				 (unsigned long long)want[i]);
		good = good && result.offsets[i] == want[i];
	}
	tap_ok(good, "%s", what);
	loom_place_result_free(&result);
}

static void check(const struct example *example)
{
	struct loom_place_item items[MAX_STEPS];
	struct loom_place_op ops[MAX_STEPS];
	uint64_t want[MAX_STEPS];
	struct loom_place_problem problem = { .items = items, .ops = ops };
	uint32_t i, k;

	for (i = 0; i < MAX_STEPS && example->steps[i].size; i++) {
		const struct step *step = &example->steps[i];

		items[i] = (struct loom_place_item){
			.size_bytes = step->size, .lower = i, .upper = i + 1,
		};
		ops[i] = (struct loom_place_op){ step->inputs, step->num_inputs, i, step->reshape };
		if (step->reshape)
			item_lies_in(&items[i], step->inputs[0]);
		for (k = 0; k < step->num_inputs; k++)
			items[step->inputs[k]].upper = i + 1;
		want[i] = step->want;
	}
	problem.num_items = i;
	problem.num_ops = i;
	check_items(example->what, &problem, want, example->height);
}

static void test_long_life(void)
{
	/* 0 has no reader, but is a result of the graph: neither 1 nor 2 may have its block */
	struct loom_place_item items[3] = {
		{ .size_bytes = 64, .lower = 0, .upper = 2 },
		{ .size_bytes = 64, .lower = 1, .upper = 2 },
		{ .size_bytes = 64, .lower = 2, .upper = 3 },
	};
	const struct loom_place_op ops[3] = {
		{ NULL, 0, 0, false }, { NULL, 0, 1, false }, { NULL, 0, 2, false },
	};
	const struct loom_place_problem problem = {
		.items = items, .num_items = 3, .ops = ops, .num_ops = 3,
	};
	static const uint64_t want[] = { 0, 64, 0 }, longer[] = { 0, 64, 64 };

	check_items("what lives longer than it is read is held until it ends", &problem, want,
		    128);
	items[0].upper = 3;
	check_items("and not a moment less", &problem, longer, 128);
}

static void test_concat(void)
{
	/*
	 * 0 is the concatenation of 1 (at offset 0) and 2 (at 40). 1 is made first and opens the
	 * block of the whole at 0; 3, made between both, opens one at 100, and 2 goes to its offset
	 * in the first. 3 has no reader, so 4, which reads 0, gets the block of 3.
	 */
	static const uint32_t parts[] = { 1, 2 }, whole[] = { 0 };
	struct loom_place_item items[5] = {
		{ .size_bytes = 100, .lower = 3, .upper = 5 },
		{ .size_bytes = 40, .lower = 0, .upper = 4,
		  .flags = LOOM_PLACE_ALIAS, .alias = 0 },
		{ .size_bytes = 60, .lower = 2, .upper = 4,
		  .flags = LOOM_PLACE_ALIAS, .alias = 0, .alias_offset = 40 },
		{ .size_bytes = 50, .lower = 1, .upper = 2 },
		{ .size_bytes = 50, .lower = 4, .upper = 5 },
	};
	const struct loom_place_op ops[5] = {
		{ NULL, 0, 1, false }, { NULL, 0, 3, false }, { NULL, 0, 2, false },
		{ parts, 2, 0, false }, { whole, 1, 4, false },
	};
	const struct loom_place_problem problem = {
		.items = items, .num_items = 5, .ops = ops, .num_ops = 5,
	};
	static const uint64_t want[] = { 0, 0, 40, 100, 100 };

	check_items("the operands of a concatenation are made in their places", &problem, want,
		    150);
}

static void refuses(const char *what, const struct loom_place_problem *problem)
{
	const struct loom_place_options how = { .strategy = "gmem" };
	struct loom_place_result result;
	struct loom_place_fault fault;

	tap_ok(loom_place(problem, &how, &result, &fault) == -EINVAL && fault.text[0] &&
	       !result.offsets, "%s: EINVAL, %s", what, fault.text);
}

static void test_refusals(void)
{
	const uint32_t later[] = { 1 };
	struct loom_place_item items[2] = {
		{ .size_bytes = 8, .upper = 1 },
		{ .size_bytes = 8, .lower = 1, .upper = 2 },
	};
	struct loom_place_op ops[2] = {
		{ later, 1, 0, false },
		{ NULL, 0, 1, false },
	};
	struct loom_place_problem problem = { .items = items, .num_items = 2 };

	refuses("without operators", &problem);
	problem.ops = ops;
	problem.num_ops = 2;
	refuses("an operand that is not made yet", &problem);
	ops[0].num_inputs = 0;
	item_fix(&items[1], 8);
	refuses("a fixed offset", &problem);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < COUNT(examples); i++)
		check(&examples[i]);
	test_long_life();
	test_concat();
	test_refusals();
	return tap_end();
}
