// SPDX-License-Identifier: MIT
/*
 * Groups at the same place of equal runs of units fit at the same cost, for all choices of
 * residents and several numbers of slices, or both do not fit; and there are such runs.
 */
#include "case.h"
#include "list.h"
#include "host/lower/rounds.h"

#define ROUNDS	100
#define NODES	120
#define WINDOW	3

static u32 num_classes, num_pairs, num_compared, num_fit;

/*
 * Few kinds of nodes, which read values of late: runs that are equal, and many that differ in one
 * wire, one shape or one reader behind them only.
 */
static void make_nodes(struct test_case *test)
{
	const int64_t dims[] = { 1, 4, 12, 8 }, kernel[] = { 4, 4, 3, 3 };
	char names[24], last[8] = "t0";
	u32 i;

	input(test, "x", DRM_LOOM_DTYPE_F32, 4, dims);
	weight(test, "w", 4, kernel);
	weight(test, "v", 4, kernel);
	node(test, "Neg", "x", last);
	for (i = 1; i < NODES; i++) {
		u32 kind = draw(16), dilation = 1 + !draw(6);

		snprintf(names, sizeof(names), "%s", last);
		if (kind < 2)
			snprintf(names, sizeof(names), "%s t%u", last, i - 1 - draw(min(i, 3U)));
		else if (kind < 4)
			snprintf(names, sizeof(names), "%s %s", last, draw(4) ? "w" : "v");
		else if (kind == 4 && !draw(3))
			snprintf(names, sizeof(names), "%s t0", last);
		if (kind == 2 || kind == 3) {
			attr_ints(test, "pads", 4,
				  (int64_t[]){ dilation, dilation, dilation, dilation });
			attr_ints(test, "dilations", 2, (int64_t[]){ dilation, dilation });
		}
		snprintf(last, sizeof(last), "t%u", i % 1000);
		if (kind == 2 || kind == 3)
			node(test, "Conv", names, last);
		else
			node(test, strchr(names, ' ') ? "Add" : "Relu", names, last);
		if (!draw(20) || i + 1 == NODES)
			loom_graph_add_output(test->graph, last);
	}
}

/* The cost of a group, or its error. */
static int fit(struct list_case *c, u32 first, const struct loom_group_cut *cut,
	       struct loom_group_cost *cost)
{
	struct loom_group_cut own = *cut;
	int ret;

	own.first_unit = first;
	ret = loom_group_refit(c->group, &own);
	*cost = ret ? (struct loom_group_cost){ .price = 0 } : c->group->cost;
	return ret;
}

static bool is_same(struct list_case *c, u32 a, u32 b, const struct loom_group_cut *cut)
{
	struct loom_group_cost costs[2];
	int ret = fit(c, a, cut, &costs[0]);

	num_compared++;
	num_fit += !ret;
	return ret == fit(c, b, cut, &costs[1]) && costs[0].price == costs[1].price &&
	       costs[0].tie == costs[1].tie && costs[0].peak_bytes == costs[1].peak_bytes;
}

/* All groups of up to WINDOW units that begin with two units of a class. */
static bool are_same(struct list_case *c, u32 a, u32 b)
{
	struct loom_group_cut cut = { .budget_bytes = c->lower.sram.bytes };
	const struct loom_group_choices *choices = c->list.choices;
	u32 in, out;

	for (cut.num_units = 1; cut.num_units <= WINDOW; cut.num_units++) {
		u32 to_a = a + cut.num_units, to_b = b + cut.num_units;

		if (to_b > c->list.num_units || choices[a].count != choices[b].count ||
		    choices[to_a].count != choices[to_b].count)
			return false;
		for (in = 0; in < choices[a].count; in++)
			for (out = 0; out < choices[to_a].count; out++)
				for (cut.slices = 1; cut.slices <= 4; cut.slices += 3) {
					cut.in = in;
					cut.out = out;
					cut.cut_axis = 2;
					cut.overlap = cut.slices > 1;
					if (!is_same(c, a, b, &cut))
						return false;
				}
	}
	return true;
}

static bool try_round(u32 round)
{
	const struct loom_slice_limits sram = {
		.lanes = 4, .bytes = 512U << round % 4, .align_bytes = 16, .overlap = true,
	};
	struct loom_group_repeat repeat = { .window = 0 };
	struct test_case test;
	struct list_case c;
	bool good = true;
	u32 i;

	make_case_of(&test, round * 7919 + 3, 14, make_nodes);
	list_begin(&c, test.graph, &sram);
	c.group->unpinned = true;
	c.list.aim = (struct loom_group_aim){ round % 2, 16, 16, 32, false };
	if (loom_group_repeat_find(&c.list, WINDOW, &repeat))
		tap_fatal("no memory");
	for (i = 0; i < c.list.num_units && good; i++) {
		num_classes += repeat.first[i] == i;
		if (repeat.next[i] == LOOM_GROUP_NONE)
			continue;
		num_pairs++;
		good = are_same(&c, i, repeat.next[i]);
	}
	if (!good)
		tap_note("round %u: groups at units %u and %u differ", round, i - 1,
			 repeat.next[i - 1]);
	loom_group_repeat_free(&repeat);
	list_end(&c);
	free_case(&test);
	return good;
}

int main(int argc, char **argv)
{
	struct rounds rounds;

	rounds = rounds_run(argc, argv, ROUNDS, try_round);
	tap_ok(!rounds.bad, "groups of equal runs cost the same: %u of %u graphs wrong", rounds.bad,
	       rounds.count);
	tap_ok(argc > 1 || (5 * num_pairs > num_classes && 4 * num_fit > num_compared),
	       "%u pairs of equal runs beside %u classes, %u of %u groups fit", num_pairs,
	       num_classes, num_fit, num_compared);
	return tap_end();
}
