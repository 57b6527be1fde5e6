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

#define MAX_ITEMS	16
#define MAX_INPUTS	3
#define NO		LOOM_PLACE_NONE

/**
 * struct step - an operator of a problem
 * @size: size of the result; item i is made by step i
 * @inputs: items it reads, ended by NO
 * @reshape: in place of the first input
 */
struct step {
	uint64_t size;
	uint32_t inputs[MAX_INPUTS + 1];
	bool reshape;
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

#define COUNT(array)	((uint32_t)(sizeof(array) / sizeof((array)[0])))

static void check(const char *what, const struct step *steps, uint32_t count,
		  const uint64_t *want, uint64_t want_height)
{
	struct loom_place_item items[MAX_ITEMS];
	struct loom_place_op ops[MAX_ITEMS] = { 0 };
	struct loom_place_problem problem = {
		.items = items, .num_items = count, .ops = ops, .num_ops = count,
	};
	uint32_t i, k;

	for (i = 0; i < count; i++) {
		items[i] = (struct loom_place_item){
			.size_bytes = steps[i].size,
			.lower = i,
			.upper = i + 1,
		};
		if (steps[i].reshape)
			item_lies_in(&items[i], steps[i].inputs[0]);
		ops[i].inputs = steps[i].inputs;
		ops[i].output = i;
		ops[i].in_place = steps[i].reshape;
		for (k = 0; steps[i].inputs[k] != NO; k++) {
			ops[i].num_inputs++;
			items[steps[i].inputs[k]].upper = i + 1;
		}
	}
	check_items(what, &problem, want, want_height);
}

static void test_new_blocks(void)
{
	/* 0 and 1 are both read at the end: nothing is EOL, each opens a block */
	static const struct step steps[] = {
		{ 100, { NO }, false },
		{ 40, { NO }, false },
		{ 10, { 0, 1, NO }, false },
	};
	static const uint64_t want[] = { 0, 100, 140 };

	check("a new block is opened at the top where nothing is EOL", steps, COUNT(steps), want,
	      150);
}

static void test_chain(void)
{
	/*
	 * 1 reads 0: 0 is EOL but still an operand (5) and held (1): 1 opens a block at 100.
	 * After 1, 0 leaves. 2 reads 1: the block of 0 is free: 2 at 0. 3 reads 2: at 100.
	 */
	static const struct step steps[] = {
		{ 100, { NO }, false },
		{ 100, { 0, NO }, false },
		{ 100, { 1, NO }, false },
		{ 100, { 2, NO }, false },
	};
	static const uint64_t want[] = { 0, 100, 0, 100 };

	check("a chain goes to and fro between two blocks: never onto its own operand", steps,
	      COUNT(steps), want, 200);
}

static void test_hold_edges(void)
{
	/* 0 is read again at the end: it stays in hold_edges, so 2 may not have its block */
	static const struct step steps[] = {
		{ 100, { NO }, false },
		{ 50, { 0, NO }, false },
		{ 50, { 1, NO }, false },
		{ 50, { 2, 0, NO }, false },
	};
	/* 3 reads 2 and 0; 1 is EOL since 2 ran: 3 at 100 */
	static const uint64_t want[] = { 0, 100, 150, 100 };

	check("condition 1 and 3: what is still to be read is not reused", steps, COUNT(steps),
	      want, 200);
}

static void test_in_using_addr(void)
{
	/*
	 * 2 takes the block of 0 (at 0). When 3 is placed, the record of 0 is EOL and not
	 * held, but its address is in use by 2, which 4 will read: 3 may not go there. It may
	 * not go to 1 either, which it reads. New block.
	 */
	static const struct step steps[] = {
		{ 100, { NO }, false },
		{ 100, { 0, NO }, false },
		{ 60, { 1, NO }, false },
		{ 60, { 1, NO }, false },
		{ 10, { 2, 3, NO }, false },
	};
	/* 4: 1 is EOL after 3: 4 at 100 */
	static const uint64_t want[] = { 0, 100, 0, 200, 100 };

	check("condition 2: an old record does not give away the address of its new tenant", steps,
	      COUNT(steps), want, 260);
}

static void test_size(void)
{
	/* when 2 is placed, block 0 is free, but too small: a new block, blocks do not grow */
	static const struct step steps[] = {
		{ 10, { NO }, false },
		{ 100, { 0, NO }, false },
		{ 11, { 1, NO }, false },
		{ 10, { 2, NO }, false },
	};
	/* 3: both block 0 (10) and block 1 (100) are free: the first record wins */
	static const uint64_t want[] = { 0, 10, 110, 0 };

	check("condition 4: a block that is too small is passed by, the first that fits wins",
	      steps, COUNT(steps), want, 121);
}

static void test_first_not_best(void)
{
	/* blocks of 100 and 20 are free for an item of 20: the first one, though the second fits */
	static const struct step steps[] = {
		{ 100, { NO }, false },
		{ 20, { NO }, false },
		{ 5, { 0, 1, NO }, false },
		{ 20, { 2, NO }, false },
	};
	static const uint64_t want[] = { 0, 100, 120, 0 };

	check("the first record that fits is taken, not the one that fits best", steps,
	      COUNT(steps), want, 125);
}

static void test_block_keeps_size(void)
{
	/*
	 * 2 (10 bytes) moves into the block of 0 (100). When both are dead the block still offers
	 * 100: 4 needs 90 and fits. 3 reads 2 and goes to block 1 (at 100, 10 bytes).
	 */
	static const struct step steps[] = {
		{ 100, { NO }, false },
		{ 10, { 0, NO }, false },
		{ 10, { 1, NO }, false },
		{ 10, { 2, NO }, false },
		{ 90, { 3, NO }, false },
	};
	static const uint64_t want[] = { 0, 100, 0, 100, 0 };

	check("a block keeps its size, however small its tenants", steps, COUNT(steps), want, 110);
}

static void test_ref_cnt(void)
{
	/*
	 * 0 is read twice by the same operator: ref_cnt 2, both go at once. 1 opens a block as 0
	 * is an operand; 2 may have block 0.
	 */
	static const struct step steps[] = {
		{ 64, { NO }, false },
		{ 64, { 0, 0, NO }, false },
		{ 64, { 1, NO }, false },
	};
	static const uint64_t want[] = { 0, 64, 0 };

	check("an operand that comes twice counts twice", steps, COUNT(steps), want, 128);
}

static void test_reshape(void)
{
	/* a reshape takes its operand's address; what reads it may not have that */
	static const struct step steps[] = {
		{ 64, { NO }, false },
		{ 64, { 0, NO }, true },
		{ 64, { 1, NO }, false },
		{ 64, { 2, NO }, false },
	};
	static const uint64_t want[] = { 0, 0, 64, 0 };

	check("a reshape is in place, and its reader is not", steps, COUNT(steps), want, 128);
}

static void test_reshape_holds(void)
{
	/*
	 * 1 reshapes 0, whose only reader it is. 0 leaves hold_edges, but 1 is at the same
	 * address: 2, which reads nothing of it, may not have it. 3 reads 1 and 2.
	 */
	static const struct step steps[] = {
		{ 64, { NO }, false },
		{ 64, { 0, NO }, true },
		{ 64, { NO }, false },
		{ 64, { 1, 2, NO }, false },
	};
	static const uint64_t want[] = { 0, 0, 64, 128 };

	check("an address is in use as long as the reshape's result is", steps, COUNT(steps), want,
	      192);
}

static void test_dead_result(void)
{
	/* 0 has no reader: it is alive while its operator runs, then its block is free */
	static const struct step steps[] = {
		{ 64, { NO }, false },
		{ 64, { NO }, false },
	};
	static const uint64_t want[] = { 0, 0 };

	check("a result that nobody reads leaves at once", steps, COUNT(steps), want, 64);
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
	test_new_blocks();
	test_chain();
	test_hold_edges();
	test_in_using_addr();
	test_size();
	test_first_not_best();
	test_block_keeps_size();
	test_ref_cnt();
	test_reshape();
	test_reshape_holds();
	test_dead_result();
	test_long_life();
	test_concat();
	test_refusals();
	return tap_end();
}
