// SPDX-License-Identifier: MIT
/*
 * Invalid problems are refused, and invalid placements are detected: each fault alone, with the
 * error, the items at fault, the shortfall in bytes, and a line of text.
 */
#include "loom_place.h"
#include "place_item.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

#define NONE		LOOM_PLACE_NONE
#define ANYWHERE	LOOM_PLACE_ANYWHERE
#define NUM_ITEMS	3

/**
 * struct fixture - three items of 64 bytes, all alive in [0, 10), and room to change them
 * @items: the items
 * @gaps: room for gaps of the first item
 * @ranges: room for excluded ranges of the first item
 * @pairs: room for pairs
 * @pools: the pools
 * @inputs: inputs of @op
 * @op: an operator
 * @problem: the problem made of these
 */
struct fixture {
	struct loom_place_item items[NUM_ITEMS];
	struct loom_place_gap gaps[2];
	struct loom_place_range ranges[2];
	struct loom_place_pair pairs[1];
	struct loom_place_pool pools[2];
	uint32_t inputs[1];
	struct loom_place_op op;
	struct loom_place_problem problem;
};

static struct fixture f;

static void reset(void)
{
	uint32_t i;

	memset(&f, 0, sizeof(f));
	for (i = 0; i < NUM_ITEMS; i++)
		f.items[i] = (struct loom_place_item){
			.size_bytes = 64, .upper = 10,
		};
	f.pools[0].capacity_bytes = 1024;
	f.pools[1].capacity_bytes = ANYWHERE;
	f.items[0].gaps = f.gaps;
	f.items[0].excluded = f.ranges;
	f.problem = (struct loom_place_problem){
		.items = f.items, .num_items = NUM_ITEMS, .pools = f.pools, .num_pools = 1,
		.apart = f.pairs, .conflicts = f.pairs, .ops = &f.op,
	};
}

static void refuses(const char *what, int error, uint32_t first, uint32_t second, uint64_t missing)
{
	struct loom_place_result result;
	struct loom_place_fault fault;
	int ret;

	memset(&result, 0xff, sizeof(result));
	ret = loom_place(&f.problem, NULL, &result, &fault);
	if (ret != error || fault.first != first || fault.second != second ||
	    fault.missing_bytes != missing)
		tap_note("%d, items %d and %d, %llu missing", ret, (int)fault.first,
			 (int)fault.second, (unsigned long long)fault.missing_bytes);
	tap_ok(ret == error && fault.first == first && fault.second == second &&
	       fault.missing_bytes == missing && fault.text[0] && !result.offsets &&
	       loom_place(&f.problem, NULL, &result, NULL) == error, "%s: %s", what, fault.text);
	reset();
}

static void test_items(void)
{
	reset();
	f.items[1].upper = 0;
	refuses("an empty lifetime", -EINVAL, 1, NONE, 0);
	f.items[1].lower = 11;
	refuses("a lifetime that ends before it begins", -EINVAL, 1, NONE, 0);
	f.items[2].size_bytes = 1ULL << 63;
	refuses("a size past 63 bits", -ERANGE, 2, NONE, 0);
	f.items[2].align_bytes = 1ULL << 63;
	refuses("an alignment past 63 bits", -ERANGE, 2, NONE, 0);
	f.items[0].size_bytes = INT64_MAX;
	f.pools[0].capacity_bytes = ANYWHERE;
	refuses("a sum past 63 bits", -ERANGE, 1, NONE, 0);
	f.items[0].align_bytes = 1ULL << 62;
	f.pools[0].align_bytes = 3;
	refuses("a common alignment past 63 bits", -ERANGE, 0, NONE, 0);
	f.items[1].width = 3;
	refuses("an image without a height", -EINVAL, 1, NONE, 0);
	f.problem.items = NULL;
	refuses("no items", -EINVAL, NONE, NONE, 0);
}

static void test_gaps(void)
{
	f.items[0].num_gaps = 1;
	f.gaps[0] = (struct loom_place_gap){ 3, 3, 0, 0 };
	refuses("an empty gap", -EINVAL, 0, NONE, 0);
	f.items[0].num_gaps = 1;
	f.gaps[0] = (struct loom_place_gap){ -1, 3, 0, 0 };
	refuses("a gap before the lifetime", -EINVAL, 0, NONE, 0);
	f.items[0].num_gaps = 1;
	f.gaps[0] = (struct loom_place_gap){ 3, 11, 0, 0 };
	refuses("a gap past the lifetime", -EINVAL, 0, NONE, 0);
	f.items[0].num_gaps = 2;
	f.gaps[0] = (struct loom_place_gap){ 3, 6, 0, 0 };
	f.gaps[1] = (struct loom_place_gap){ 5, 8, 0, 0 };
	refuses("gaps that overlap", -EINVAL, 0, NONE, 0);
	f.items[0].num_gaps = 1;
	f.gaps[0] = (struct loom_place_gap){ 3, 6, 10, 65 };
	refuses("a window past the item", -EINVAL, 0, NONE, 0);
	f.items[0].num_gaps = 1;
	f.items[0].gaps = NULL;
	refuses("gaps that are not there", -EINVAL, 0, NONE, 0);
}

static void test_ranges(void)
{
	f.items[0].num_excluded = 1;
	f.ranges[0] = (struct loom_place_range){ 8, 8 };
	refuses("an empty excluded range", -EINVAL, 0, NONE, 0);
	f.items[0].num_excluded = 2;
	f.ranges[0] = (struct loom_place_range){ 8, 16 };
	f.ranges[1] = (struct loom_place_range){ 15, 20 };
	refuses("excluded ranges that overlap", -EINVAL, 0, NONE, 0);
	f.items[0].num_excluded = 1;
	f.ranges[0] = (struct loom_place_range){ 0, ANYWHERE };
	refuses("everything excluded", -ERANGE, NONE, NONE, 0);
}

static void test_fixed(void)
{
	item_fix(&f.items[1], 100);
	item_fix(&f.items[2], 128);
	refuses("a fixed pair that collides", -EINVAL, 2, 1, 0);
	item_fix(&f.items[1], 100);
	f.items[1].align_bytes = 64;
	refuses("a fixed offset that is not aligned", -EINVAL, 1, NONE, 0);
	item_fix(&f.items[1], 100);
	f.pools[0].align_bytes = 64;
	refuses("or not to the pool", -EINVAL, 1, NONE, 0);
	item_fix(&f.items[1], INT64_MAX);
	refuses("a fixed end past 63 bits", -ERANGE, 1, NONE, 0);
	item_fix(&f.items[1], 1000);
	refuses("a fixed end past the capacity", -ENOSPC, 1, NONE, 40);
	item_fix(&f.items[0], 100);
	f.items[0].num_excluded = 1;
	f.ranges[0] = (struct loom_place_range){ 163, 170 };
	refuses("fixed where it is excluded", -EINVAL, 0, NONE, 0);
	item_fix(&f.items[0], 0);
	f.problem.num_pools = 2;
	refuses("fixed in any of two pools", -EINVAL, 0, NONE, 0);
	item_fix(&f.items[0], 0);
	f.items[0].upper = 5;
	item_fix(&f.items[1], 32);
	f.items[1].lower = 5;
	f.pairs[0] = (struct loom_place_pair){ 1, 0, 0 };
	f.problem.num_apart = 1;
	refuses("a fixed pair that is to be kept apart", -EINVAL, 0, 1, 0);
}

static void test_aliases(void)
{
	item_lies_in(&f.items[1], 1);
	refuses("an alias of itself", -EINVAL, 1, NONE, 0);
	item_lies_in(&f.items[1], 2);
	refuses("an alias of what comes later", -EINVAL, 1, NONE, 0);
	item_lies_in(&f.items[1], 0);
	f.items[1].alias_offset = 1;
	refuses("an alias that leaves its owner", -EINVAL, 1, 0, 0);
	item_lies_in(&f.items[1], 0);
	f.items[1].alias_offset = UINT64_MAX;
	refuses("an alias offset that overflows", -EINVAL, 1, 0, 0);
	item_lies_in(&f.items[1], 0);
	f.items[1].alias_offset = 20;
	f.items[1].size_bytes = 8;
	f.items[1].align_bytes = 8;
	refuses("an alias that cannot be aligned", -EINVAL, 1, 0, 0);
	f.items[0].pools = 1;
	item_lies_in(&f.items[1], 0);
	f.items[1].pools = 2;
	f.problem.num_pools = 2;
	refuses("an alias in another pool", -EINVAL, 1, 0, 0);
	item_fix(&f.items[0], 64);
	item_lies_in(&f.items[1], 0);
	item_fix(&f.items[1], 128);
	refuses("an alias fixed elsewhere", -EINVAL, 1, 0, 0);
	item_lies_in(&f.items[1], 0);
	f.pairs[0] = (struct loom_place_pair){ 0, 1, 0 };
	f.problem.num_apart = 1;
	refuses("an alias that is to be kept apart", -EINVAL, 0, 1, 0);
}

static void test_rest(void)
{
	f.pairs[0] = (struct loom_place_pair){ 0, 3, 0 };
	f.problem.num_apart = 1;
	refuses("a pair of what there is not", -EINVAL, NONE, NONE, 0);
	f.pairs[0] = (struct loom_place_pair){ 2, 2, 0 };
	f.problem.num_conflicts = 1;
	refuses("a conflict with itself", -EINVAL, 2, NONE, 0);
	f.items[2].pools = 2;
	refuses("a pool that there is not", -EINVAL, 2, NONE, 0);
	f.problem.num_pools = 0;
	refuses("no pools", -EINVAL, NONE, NONE, 0);
	f.problem.num_pools = 33;
	refuses("too many pools", -EINVAL, NONE, NONE, 0);
	f.op = (struct loom_place_op){ f.inputs, 1, 0, false };
	f.inputs[0] = 3;
	f.problem.num_ops = 1;
	refuses("an operand that there is not", -EINVAL, NONE, NONE, 0);
	f.op.output = 3;
	f.problem.num_ops = 1;
	refuses("a result that there is not", -EINVAL, NONE, NONE, 0);
	f.items[1].size_bytes = 2000;
	refuses("an item larger than the capacity", -ENOSPC, NONE, NONE, 1104);
	f.pools[0].capacity_bytes = 150;
	refuses("a capacity under the bound", -ENOSPC, NONE, NONE, 42);
}

/* 90 and 98 bytes in 256, around a fixed item: less in sum, but one of them has no room. */
static void test_proved(void)
{
	struct loom_place_result result;
	struct loom_place_fault fault;
	int ret;

	item_fix(&f.items[0], 96);
	f.items[1].size_bytes = 90;
	f.items[2].size_bytes = 98;
	f.pools[0].capacity_bytes = 256;
	ret = loom_place(&f.problem, NULL, &result, &fault);
	tap_ok(ret == -ENOSPC && fault.text[0], "what does not fit around a fixed item: %s",
	       fault.text);
	f.items[2].size_bytes = 96;
	tap_ok(!loom_place(&f.problem, NULL, &result, &fault) && result.proved &&
	       result.height_bytes[0] <= 256, "what just fits is found");
	loom_place_result_free(&result);
	reset();
}

static void test_options(void)
{
	struct loom_place_options how = { .strategy = "no such thing" };
	struct loom_place_result result;
	struct loom_place_fault fault;

	tap_ok(loom_place(&f.problem, &how, &result, &fault) == -EINVAL &&
	       strstr(fault.text, "no such thing"), "an unknown strategy: %s", fault.text);
	how.strategy = "gmem";
	f.problem.ops = NULL;
	tap_ok(loom_place(&f.problem, &how, &result, &fault) == -EINVAL, "no operators: %s",
	       fault.text);
	f.problem.num_items = 0;
	how.strategy = NULL;
	tap_ok(!loom_place(&f.problem, &how, &result, &fault) && !result.height_bytes[0] &&
	       result.proved, "nothing needs nothing");
	loom_place_result_free(&result);
	reset();
	f.items[1].size_bytes = 0;
	tap_ok(!loom_place(&f.problem, NULL, &result, &fault) && result.height_bytes[0] == 128 &&
	       !result.offsets[1], "what has no size takes no room");
	loom_place_result_free(&result);
	how.fit_only = true;
	tap_ok(!loom_place(&f.problem, &how, &result, &fault) && result.height_bytes[0] <= 1024,
	       "anything within the capacity is enough");
	loom_place_result_free(&result);
	reset();
}

/* --- placements ------------------------------------------------------------------------------- */

static void finds(const char *what, const uint64_t *offsets, const uint32_t *pools, uint32_t first,
		  uint32_t second)
{
	struct loom_place_fault fault = { 0 };
	int ret = loom_place_check(&f.problem, offsets, pools, &fault);

	if (ret != -EBADMSG || fault.first != first || fault.second != second)
		tap_note("%d, items %d and %d", ret, (int)fault.first, (int)fault.second);
	tap_ok(ret == -EBADMSG && fault.first == first && fault.second == second && fault.text[0] &&
	       loom_place_check(&f.problem, offsets, pools, NULL) == -EBADMSG, "%s: %s", what,
	       fault.text);
	reset();
}

static void test_check(void)
{
	static const uint64_t good[] = { 0, 64, 128 }, on_top[] = { 0, 63, 128 };
	static const uint64_t high[] = { 0, 64, 961 }, odd[] = { 0, 66, 130 };
	static const uint32_t other[] = { 0, 1, 0 }, beyond[] = { 0, 7, 0 };

	tap_ok(!loom_place_check(&f.problem, good, NULL, NULL), "a placement is one");
	finds("a shared byte", on_top, NULL, 1, 0);
	finds("past the capacity", high, NULL, 2, NONE);
	f.items[1].align_bytes = 4;
	finds("misaligned", odd, NULL, 1, NONE);
	f.pools[0].align_bytes = 4;
	finds("misaligned in the pool", odd, NULL, 1, NONE);
	item_fix(&f.items[1], 256);
	finds("not where it is fixed", good, NULL, 1, NONE);
	f.items[0].num_excluded = 1;
	f.ranges[0] = (struct loom_place_range){ 63, 64 };
	finds("where it is excluded", good, NULL, 0, NONE);
	item_lies_in(&f.items[1], 0);
	finds("an alias elsewhere", good, NULL, 1, 0);
	f.items[1].pools = 1;
	f.problem.num_pools = 2;
	finds("in a pool where it may not be", good, other, 1, NONE);
	finds("in a pool that there is not", good, beyond, 1, NONE);
	f.items[0].upper = 5;
	f.items[1].lower = 5;
	tap_ok(!loom_place_check(&f.problem, on_top, NULL, NULL), "what takes turns may share");
	f.items[0].upper = 5;
	f.items[1].lower = 5;
	f.pairs[0] = (struct loom_place_pair){ 1, 0, 0 };
	f.problem.num_apart = 1;
	finds("unless it is to be kept apart", on_top, NULL, 0, 1);
}

static void test_check_gaps(void)
{
	static const uint64_t same[] = { 0, 0, 128 }, upper[] = { 0, 32, 128 };

	f.items[0].num_gaps = 1;
	f.gaps[0] = (struct loom_place_gap){ 3, 7, 0, 0 };
	f.items[1].lower = 3;
	f.items[1].upper = 7;
	tap_ok(!loom_place_check(&f.problem, same, NULL, NULL), "a gap may be used");
	f.items[1].upper = 8;
	finds("but not longer than it is", same, NULL, 0, 1);
	f.items[0].num_gaps = 1;
	f.gaps[0] = (struct loom_place_gap){ 3, 7, 16, 32 };
	f.items[1].lower = 3;
	f.items[1].upper = 7;
	tap_ok(!loom_place_check(&f.problem, upper, NULL, NULL), "the bytes beside a window, too");
	finds("but not those in it", same, NULL, 0, 1);
}

static void test_forgotten(void)
{
	struct loom_place_result result;
	struct loom_place_fault fault;

	tap_ok(loom_place(NULL, NULL, &result, &fault) == -EINVAL && !result.offsets,
	       "no problem: %s", fault.text);
	tap_ok(loom_place_check(NULL, NULL, NULL, &fault) == -EINVAL, "nor one to check: %s",
	       fault.text);
	reset();
	tap_ok(loom_place_check(&f.problem, NULL, NULL, &fault) == -EINVAL, "no offsets: %s",
	       fault.text);
}

int main(void)
{
	test_forgotten();
	test_items();
	test_gaps();
	test_ranges();
	test_fixed();
	test_aliases();
	test_rest();
	test_proved();
	test_options();
	test_check();
	test_check_gaps();
	return tap_end();
}
