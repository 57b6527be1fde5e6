// SPDX-License-Identifier: MIT
/* Unset fields of an item are zero, which has no special meaning, for every strategy. */
#include <errno.h>
#include <string.h>

#include "loom_place.h"
#include "tap.h"

#define ITEMS	4

static const struct loom_place_item items[ITEMS] = {
	{ .size_bytes = 100, .lower = 0, .upper = 2 },
	{ .size_bytes = 50, .lower = 1, .upper = 3 },
	{ .size_bytes = 100, .lower = 2, .upper = 4 },
	{ .size_bytes = 30, .lower = 1, .upper = 4 },
};

static void test_strategy(const char *name)
{
	const struct loom_place_problem problem = { .items = items, .num_items = ITEMS };
	const struct loom_place_options options = { .strategy = name };
	struct loom_place_result result;
	struct loom_place_fault fault = { .text = "" };
	int ret = loom_place(&problem, &options, &result, &fault);

	if (ret == -EINVAL && strstr(fault.text, "operator")) {
		tap_skip("%s goes operator by operator", name);
		return;
	}
	tap_ok(!ret && result.height_bytes[0] >= 180 && result.offsets[0] != result.offsets[1] &&
	       !loom_place_check(&problem, result.offsets, NULL, &fault), "%s: %s", name,
	       ret ? fault.text : "as without");
	loom_place_result_free(&result);
}

/* A reason may come from anywhere. */
static void test_reasons(const struct loom_place_problem *problem,
			 const struct loom_place_problem *invalid)
{
	static const struct loom_place_item huge[3] = {
		{ .size_bytes = 1, .align_bytes = 1ULL << 62, .lower = 0, .upper = 1 },
		{ .size_bytes = 1, .align_bytes = 1ULL << 62, .lower = 0, .upper = 1 },
		{ .size_bytes = 1, .align_bytes = 1ULL << 62, .lower = 0, .upper = 1 },
	};
	const struct loom_place_problem wide = { .items = huge, .num_items = 3 };
	struct loom_place_reason reason = { .item = LOOM_PLACE_NONE }, other;
	struct loom_place_result result;
	struct loom_place_fault fault;

	tap_ok(loom_place_check_reason(problem, &reason) == -EINVAL,
	       "nothing is aligned to 0 bytes");
	reason.align_bytes = 1;
	tap_ok(!loom_place_check_reason(problem, &reason), "at least 0 bytes are needed");
	reason.bound_bytes = 1;
	reason.item = ITEMS;
	tap_ok(loom_place_check_reason(problem, &reason) == -EBADMSG,
	       "an item that is not there needs none");
	reason.item = 0;
	tap_ok(loom_place_check_reason(problem, &reason) == -EBADMSG,
	       "one that is not fixed proves nothing");
	tap_ok(loom_place_check_reason(invalid, &reason) == -EINVAL &&
	       loom_place_bound_reason(invalid, &other) == -EINVAL && !other.align_bytes,
	       "an invalid problem has no bound");
	tap_ok(loom_place_bound_reason(&wide, &other) == -ERANGE && !other.align_bytes &&
	       loom_place(&wide, NULL, &result, &fault) == -ERANGE && !result.offsets,
	       "pads may leave 63 bits: %s", fault.text);
}

int main(void)
{
	const struct loom_place_problem problem = { .items = items, .num_items = ITEMS };
	struct loom_place_item odd = items[0];
	const struct loom_place_problem one = { .items = &odd, .num_items = 1 };
	const uint64_t same[ITEMS] = { 0, 0, 0, 0 }, apart[ITEMS] = { 0, 100, 0, 150 };
	struct loom_place_result result;
	struct loom_place_fault fault;
	const char *name;
	uint64_t bound;
	unsigned int i;

	tap_ok(!loom_place_bound(&problem, &bound) && bound == 180, "the bound is their sum");
	tap_ok(loom_place_check(&problem, same, NULL, &fault) == -EBADMSG,
	       "none of them lies in another: %s", fault.text);
	tap_ok(!loom_place_check(&problem, apart, NULL, &fault), "nor has to be at 0");
	for (i = 0; (name = loom_place_strategy_name(i)); i++)
		test_strategy(name);
	odd.flags = 1 << 2;
	tap_ok(loom_place(&one, NULL, &result, &fault) == -EINVAL && strstr(fault.text, "0x4") &&
	       !result.offsets, "%s", fault.text);
	tap_ok(loom_place_check(&one, same, NULL, &fault) == -EINVAL, "for a proof, too");
	test_reasons(&problem, &one);
	odd.flags = LOOM_PLACE_FIXED;
	tap_ok(!loom_place(&one, NULL, &result, &fault) && !result.offsets[0] &&
	       loom_place_check(&one, apart + 1, NULL, &fault) == -EBADMSG,
	       "fixed at 0 if that is said");
	loom_place_result_free(&result);
	odd.flags = LOOM_PLACE_ALIAS;
	tap_ok(loom_place(&one, NULL, &result, &fault) == -EINVAL,
	       "in item 0 if that is said: %s", fault.text);
	return tap_end();
}
