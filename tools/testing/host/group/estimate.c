// SPDX-License-Identifier: MIT
/*
 * Estimates of the groups of random graphs, for each choice of residents before and after a group:
 * every cost is written, as many fit as is said, and the same group has the same estimate again,
 * whatever was in the array before.
 */
#include "list.h"
#include "rounds.h"

#define ROUNDS	60

static u32 num_estimates, num_refused;

/* What was in @costs before shall not be there afterwards. */
static u32 take(struct loom_group_estimate *est, u32 num_units, u8 in, u8 out, u32 num_counts,
		int pattern, struct loom_group_cost *costs)
{
	memset(costs, pattern, num_counts * sizeof(*costs));
	return loom_group_estimate_take(est, num_units, in, out, costs);
}

static bool estimate_is_whole(struct loom_group_estimate *est, u32 num_units, u8 in, u8 out,
			      u32 num_counts)
{
	struct loom_group_cost a[LOOM_GROUP_SLICE_COUNTS], b[LOOM_GROUP_SLICE_COUNTS];
	u32 fit = take(est, num_units, in, out, num_counts, 0, a), q;

	num_estimates++;
	num_refused += !fit;
	if (take(est, num_units, in, out, num_counts, 0x5a, b) != fit)
		return false;
	for (q = 0; q < num_counts; q++) {
		if (a[q].price != b[q].price || a[q].tie != b[q].tie)
			return false;
		fit -= a[q].price != U64_MAX;
	}
	return !fit;
}

static bool try_axis(struct list_case *c, struct loom_group_estimate *est, u32 first, u8 in,
		     u32 axis, const u32 *counts, u32 num_counts)
{
	u32 n = 0;
	u8 out;

	loom_group_estimate_begin(est, first, in, axis, counts, num_counts);
	while (loom_group_estimate_append(est, n)) {
		n++;
		for (out = 0; out < c->list.choices[first + n].count; out++)
			if (!estimate_is_whole(est, n, in, out, num_counts))
				return false;
	}
	return true;
}

static bool try_list(struct list_case *c)
{
	struct loom_group_estimate *est;
	static const u32 whole[] = { 1 };
	bool good = true;
	u32 first;
	u8 in;

	est = loom_group_estimate_make(&c->list);
	if (!est)
		tap_fatal("no memory");
	for (first = 0; first < c->list.num_units; first++) {
		const struct loom_group_use *use = loom_group_first_result(&c->list, first);

		for (in = 0; in < c->list.choices[first].count && good; in++) {
			u32 counts[LOOM_GROUP_SLICE_COUNTS], count, axis;

			good = try_axis(c, est, first, in, 0, whole, 1);
			for (axis = 0; axis < use->rank && good; axis++) {
				count = loom_group_slice_counts(use->dims[axis], counts);
				good = !count || try_axis(c, est, first, in, axis, counts, count);
			}
		}
	}
	loom_group_estimate_free(est);
	return good;
}

/* Bytes of SRAM per lane: too little for most groups, for some, for none. */
static bool try_round(u32 round)
{
	static const u64 sram_bytes[] = { 1 << 10, 8 << 10, 256 << 10 };
	const struct loom_sram sram = {
		.lanes = 4,
		.bytes = sram_bytes[round % ARRAY_SIZE(sram_bytes)],
		.align_bytes = 16,
	};
	struct test_case test;
	struct list_case c;
	bool good;

	make_case(&test, round * 7919 + 5);
	list_begin(&c, test.graph, &sram);
	good = try_list(&c);
	list_end(&c);
	free_case(&test);
	return good;
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_run(argc, argv, ROUNDS, try_round);

	tap_ok(!rounds.bad, "%u of %u graphs: every cost of an estimate is written",
	       rounds.count - rounds.bad, rounds.count);
	tap_note("%u estimates, %u of groups that do not fit", num_estimates, num_refused);
	if (argc > 1)
		return tap_end();
	tap_ok(num_estimates > 1000 && num_refused > 100, "some groups fit, others do not");
	return tap_end();
}
