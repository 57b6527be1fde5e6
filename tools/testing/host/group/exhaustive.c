// SPDX-License-Identifier: MIT
/*
 * The default planner against brute force, on random graphs of up to 12 operators with branches
 * and joins: all divisions, each number of slices that there is, each axis, each choice of what
 * stays at a cut. Brute force asks the same cost model, and does not have to place anything: it
 * may be better than what can be had. It must not be so by more than LIMIT; how often it is not
 * at all is printed.
 *
 *	group_exhaustive [ROUNDS]
 */
#include "case.h"
#include "list.h"

#define ROUNDS		60
#define MOST_UNITS	12
#define MOST_PARTS	256
#define BUDGET		4800000
/* In percent: residents may have a place in each group, and no place that suits all groups. */
#define LIMIT		10

static const struct loom_slice_limits srams[] = {
	{ .lanes = 1, .bytes = 3000, .align_bytes = 16, .overlap = true },
	{ .lanes = 1, .bytes = 9000, .align_bytes = 16, .overlap = true },
	{ .lanes = 4, .bytes = 2048, .align_bytes = 8, .overlap = true },
	{ .lanes = 8, .bytes = 4000, .align_bytes = 64, .overlap = false },
};

/* Bytes; both streams, wherever loads find time; steps as they are. */
static const struct loom_group_aim aims[] = {
	{ .time = false },
	{ .time = true, .dma = 2, .compute = 3 },
	{ .time = true, .dma = 1, .compute = 1, .steps = 6 },
};

static unsigned int num_plans, num_equal, num_unplaced, num_groups, num_sliced, num_above;
static double worst;

/* By number of units from the front, and what stays then. */
static u64 paths[MOST_UNITS + 1][LOOM_GROUP_CHOICES];

/* The last group on that way. */
static struct loom_group_cut last[MOST_UNITS + 1][LOOM_GROUP_CHOICES];

/* A group at the end of the way to its begin. */
static void offer(const struct loom_group_cut *cut)
{
	u64 price = paths[cut->first_unit][cut->in] + cut->cost.price;
	u32 end = cut->first_unit + cut->num_units;

	if (price >= paths[end][cut->out])
		return;
	paths[end][cut->out] = price;
	last[end][cut->out] = *cut;
}

/* All groups that begin with a unit, in one way of slicing. */
static void grow(struct loom_group *group, u32 first, u32 slices, u32 axis)
{
	const struct loom_group_list *list = group->list;
	static struct loom_group_part saved[MOST_PARTS];
	u32 end, in, out;
	bool fits = true;
	u64 floor;

	loom_group_begin(group, first, slices, axis);
	group->overlap = false;
	while (fits && loom_group_append(group)) {
		end = first + group->num_units;
		memcpy(saved, group->parts, group->num_parts * sizeof(*saved));
		for (in = 0; in < list->choices[first].count; in++) {
			for (out = 0; out < list->choices[end].count; out++) {
				if (paths[first][in] == U64_MAX ||
				    !loom_group_set_residents(group, in, out))
					continue;
				num_groups++;
				floor = loom_group_cost_floor(group);
				if (!loom_group_fit(group, list->lower->sram.bytes)) {
					const struct loom_group_cut cut = {
						.first_unit = first,
						.num_units = group->num_units,
						.slices = slices,
						.cut_axis = axis,
						.in = in,
						.out = out,
						.cost = group->cost,
						.budget_bytes = list->lower->sram.bytes,
					};

					num_above += floor > group->cost.price;
					offer(&cut);
				}
				memcpy(group->parts, saved, group->num_parts * sizeof(*saved));
			}
		}
		loom_group_set_residents(group, 0, 0);
		loom_group_schedule(group);
	}
}

static u64 brute_force(struct loom_group *group)
{
	const struct loom_group_list *list = group->list;
	u32 first, axis, slices, i, k;

	for (i = 0; i <= list->num_units; i++)
		for (k = 0; k < LOOM_GROUP_CHOICES; k++)
			paths[i][k] = U64_MAX;
	paths[0][0] = 0;
	for (first = 0; first < list->num_units; first++) {
		const struct loom_group_unit *unit = &list->units[first];
		const struct loom_group_use *use =
			&list->uses[list->ops[unit->first_op]->access[0].value];

		const struct loom_group_cut layerwise = {
			.first_unit = first,
			.num_units = 1,
			.layerwise = true,
			.cost = unit->layerwise,
		};

		if (paths[first][0] != U64_MAX)
			offer(&layerwise);
		if (unit->ungroupable)
			continue;
		grow(group, first, 1, 0);
		for (axis = 0; axis < use->rank; axis++)
			for (slices = 2; slices <= use->dims[axis]; slices++)
				grow(group, first, slices, axis);
	}
	return paths[list->num_units][0];
}

/* Whether what brute force has found can be placed, each group for itself. */
static bool has_places(struct loom_group *group)
{
	u32 at = group->list->num_units, choice = 0;
	u64 height;

	while (at) {
		const struct loom_group_cut *cut = &last[at][choice];

		if (!cut->layerwise &&
		    (loom_group_remake(group, cut) || loom_group_fit(group, cut->budget_bytes) ||
		     loom_group_place(group, cut->budget_bytes, &height)))
			return false;
		at = cut->first_unit;
		choice = cut->in;
	}
	return true;
}

/* Returns by how many percent brute force is better; below 0: its division has no place. */
static double compare(struct loom_group_list *list, struct loom_group *group)
{
	struct loom_group_cut *cuts = NULL;
	u64 ours = 0, best;
	u32 num_cuts = 0, i;
	bool placed;

	group->budget = BUDGET;
	if (loom_group_divide(list, group, &cuts, &num_cuts))
		tap_fatal("no division");
	for (i = 0; i < num_cuts; i++) {
		ours += cuts[i].cost.price;
		num_sliced += cuts[i].slices > 1;
	}
	group->unpinned = true;
	best = brute_force(group);
	group->overlap = false;
	placed = ours <= best || has_places(group);
	free(cuts);
	num_plans++;
	num_unplaced += !placed;
	if (!placed)
		return -1;
	num_equal += ours <= best;
	return ours <= best ? 0 : 100.0 * (double)(ours - best) / (double)best;
}

/* How much better brute force is at most, in percent; below 0: the graph is too large. */
static double try_graph(const struct loom_graph *graph, const struct loom_slice_limits *sram,
			const struct loom_group_aim *aim)
{
	struct list_case c;
	double percent = -1;

	list_begin(&c, graph, sram);
	c.list.aim = *aim;
	if (c.list.num_units && c.list.num_units <= MOST_UNITS)
		percent = compare(&c.list, c.group);
	list_end(&c);
	return percent;
}

static bool try_round(u32 round)
{
	struct test_case test;
	double percent;
	bool good = true;
	u32 i, k;

	make_case(&test, round * 104729 + 11);
	for (i = 0; i < ARRAY_SIZE(srams); i++) {
		for (k = 0; k < ARRAY_SIZE(aims); k++) {
			percent = try_graph(test.graph, &srams[i], &aims[k]);
			if (percent > 0)
				tap_note("round %u, SRAM %u, aim %u: %.2f %% more than brute force",
					 round, i, k, percent);
			worst = max(worst, percent);
			good &= percent <= LIMIT;
		}
	}
	free_case(&test);
	return good;
}

int main(int argc, char **argv)
{
	u32 rounds = argc > 1 ? (u32)atoi(argv[1]) : ROUNDS, round, bad = 0;

	for (round = 0; round < rounds; round++)
		bad += !try_round(round);
	tap_ok(!bad, "brute force is never better by more than %d %%", LIMIT);
	tap_note("%u of %u plans are as good as brute force; %u of brute force have no place",
		 num_equal, num_plans, num_unplaced);
	tap_note("worst: %.2f %% more; %u groups tried", worst, num_groups);
	tap_ok(!num_above, "no group is cheaper than its lower bound");
	tap_ok(num_equal > num_plans * 9 / 10, "nine in ten plans are as good");
	tap_ok(num_plans > rounds && num_sliced > num_plans / 4, "there were graphs and slices");
	return tap_end();
}
