// SPDX-License-Identifier: MIT
/*
 * Chooses, of several programs, the best by the objective: the one that moves the fewest DRAM
 * bytes, or that takes the fewest cycles by the chip's clock.
 *
 * A search whose budget is spent may have missed what simple rules find, and the cost of a node
 * alone is an estimate while groups are chosen: in very little SRAM no groups at all may be
 * better. So a strategy that looks for the best is compared with no groups and with the other
 * strategies, and the best program is taken. The program of a strategy that is only a baseline is
 * taken as it is, if there is one.
 *
 * By time, the search is done several times, with different weights of both streams, and once for
 * the fewest bytes. What is finished is counted exactly, and the fastest program is taken. Each
 * search has a share of the effort, and the best way is searched once more with a larger one:
 * what decides is which way it is, and all effort in each, as by bytes, takes three times as long
 * for plans that are no faster (six networks on four chips: 55 s instead of 18, and 1.116 instead
 * of 1.115 of LB2 in the geometric mean). Only if the larger share has brought much, the best two
 * orders get all. Last, what is best by bytes with all effort is a candidate by time, too, unless
 * the graph is large (M-LSD in 128 KiB of one lane: 9.53 instead of 10.03 million cycles).
 * In graphs that are larger, a search takes as long with a tenth of the effort as with half of it:
 * there, what is compared are plans for bytes, and one search is for time.
 * Nothing more is tried once no plan can be faster by more than a thousandth: LB2 of least/ holds
 * for all.
 *
 * Likewise for operands of concatenations, which can be computed in the result or be values of
 * their own (lower/storage_join.c), and for the order of the nodes (graph/sort.h): these are
 * decided before groups are, and which is better depends on the groups.
 *
 * If the chip can compute on constants where they lie, there is a program of each way that does
 * so, one that does so where it would not hold them, and one that loads them. A strategy that was
 * asked for as a baseline loads them.
 */
#include "base/error.h"
#include "orders.h"
#include "planner.h"

#include <errno.h>

static const struct planner_way nothing_special = { .join = LOOM_JOIN_NONE };
static const struct loom_group_aim bytes;

/*
 * What to search for where time counts, one after the other: the longer stream step by step, as a
 * group is written; both streams in all, wherever loads will find time; and more of the former. A
 * division that is best by a sum over groups need not be the fastest plan, see group/schedule/.
 */
static const struct loom_group_aim times[] = {
	{ .time = true, .dma = 16, .compute = 16, .steps = 32 },
	{ .time = true, .dma = 32, .compute = 32, .steps = 0 },
	{ .time = true, .dma = 4, .compute = 4, .steps = 56 },
};

/* One in so many of the effort, by time: to find out which way is best, and then in that way. */
#define SCOUT_SHARE	10
#define LAST_SHARE	4
/* In large graphs little depends on it: most of the time goes by before the search begins. */
#define LARGE_SHARE	2
/* It has brought much if it saves more than one cycle in so many. */
#define MUCH		64
/* A plan is fast enough if it takes so little more than what no plan is below. */
#define ENOUGH		1000
/* So near to it, other rooms for what is loaded early bring nothing that is worth the time. */
#define NEAR_BOUND	64

/* In graphs of more nodes, a plan for less SRAM is not tried: it takes too long. */
#define MANY_NODES	400

static u64 dram_traffic(const struct loom_program *program)
{
	return program->stats.dram_read_bytes + program->stats.dram_write_bytes;
}

static u64 traffic(const struct loom_program *program)
{
	return dram_traffic(program) + program->stats.rom_read_bytes;
}

/* A lower bound: inputs, outputs and weights have to be moved once each. */
static u64 least_traffic(const struct loom_program *program, bool weights)
{
	u64 bytes = weights ? program->stats.weights_bytes : 0;
	u32 i;

	for (i = 0; i < program->num_inputs; i++)
		bytes += program->inputs[i].size_bytes;
	for (i = 0; i < program->num_outputs; i++)
		bytes += program->outputs[i].size_bytes;
	return bytes;
}

static bool is_better(enum loom_planner_objective objective, const struct loom_program *a,
		      const struct loom_program *b)
{
	if (objective == LOOM_OBJECTIVE_TIME && a->stats.cycles != b->stats.cycles)
		return a->stats.cycles < b->stats.cycles;
	/* in the scratch that is given, what has to go elsewhere counts, weights in ROM do not */
	if (objective == LOOM_OBJECTIVE_SRAM && dram_traffic(a) != dram_traffic(b))
		return dram_traffic(a) < dram_traffic(b);
	if (objective == LOOM_OBJECTIVE_SRAM && a->stats.sram_bytes != b->stats.sram_bytes)
		return a->stats.sram_bytes < b->stats.sram_bytes;
	if (traffic(a) != traffic(b))
		return traffic(a) < traffic(b);
	return a->stats.cycles < b->stats.cycles;
}

/* Keeps the better one of both. */
static void keep_better(enum loom_planner_objective objective, struct loom_program **best,
			struct loom_program *other)
{
	if (!*best || is_better(objective, other, *best)) {
		loom_program_destroy(*best);
		*best = other;
	} else {
		loom_program_destroy(other);
	}
}

/**
 * struct choice - how the best program so far was made
 * @program: the program, or NULL
 * @graph: the graph, in the order of the program
 * @options: its options
 * @way: what else was decided
 * @least_cycles: no program takes fewer; 0: that is not known
 * @tried_cycles: the fewest since this was set
 * @starved: there was no memory for a way: without it, the same graph would have another program
 */
struct choice {
	struct loom_program *program;
	const struct loom_graph *graph;
	struct loom_planner_options options;
	struct planner_way way;
	u64 least_cycles;
	u64 tried_cycles;
	bool starved;
};

/* By time: no plan takes less by more than one cycle in @part. */
static bool is_within(const struct choice *best, u64 part)
{
	return best->program->stats.cycles <= best->least_cycles + best->least_cycles / part;
}

/* Whether nothing can be better than what was found. */
static bool is_best(const struct choice *best, enum loom_planner_objective objective)
{
	const struct loom_program *program = best->program;

	if (!program)
		return false;
	if (objective == LOOM_OBJECTIVE_TIME)
		return is_within(best, ENOUGH);
	/* without DRAM, what is in the SRAM besides the scratch is to be small, too */
	if (objective == LOOM_OBJECTIVE_SRAM)
		return dram_traffic(program) && dram_traffic(program) <=
		       least_traffic(program, !program->stats.rom_read_bytes);
	return objective == LOOM_OBJECTIVE_BYTES &&
	       traffic(program) <= least_traffic(program, true);
}

/* The chip can compute on constants where they lie, and may. */
static bool can_in_place(const struct loom_planner_options *options)
{
	const struct drm_loom_chip *chip = options->chip;
	u32 i;

	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		if (i != DRM_LOOM_REGION_SRAM && chip->region[i].banks &&
		    chip->region[i].flags & DRM_LOOM_CHIP_IN_PLACE)
			return !(options->flags & LOOM_PLANNER_LOAD_WEIGHTS);
	return false;
}

/* All orders of a graph have the same bound. */
static void find_least(const struct loom_graph *graph, const struct loom_planner_options *options,
		       struct choice *best)
{
	struct loom_program_least least;

	best->starved |= loom_planner_least(graph, options, &least) == -ENOMEM;
	best->least_cycles = least.held_cycles;
}

/* Tries one way, and keeps it if it is better. Return: as loom_planner_within() does. */
static int try_way(const struct loom_graph *graph, const struct loom_planner_options *options,
		   const struct planner_way *way, struct choice *best, struct loom_error *err)
{
	struct loom_program *before = best->program, *program = NULL;
	u64 cycles;
	int ret = loom_planner_within(graph, options, way, &program, err);

	best->starved |= ret == -ENOMEM;
	if (ret)
		return ret;
	if (options->objective == LOOM_OBJECTIVE_TIME && !before)
		find_least(graph, options, best);
	cycles = program->stats.cycles;
	best->tried_cycles = min(best->tried_cycles, cycles);
	keep_better(options->objective, &best->program, program);
	if (best->program != before) {
		best->graph = graph;
		best->options = *options;
		best->way = *way;
	}
	return 0;
}

/* The same with constants in place, with those that are not held in place, and with all loaded. */
static int try_one(const struct loom_graph *graph, const struct loom_planner_options *options,
		   const struct planner_way *way, struct choice *best, struct loom_error *err)
{
	struct loom_planner_options how = *options;
	struct planner_way mixed = *way;
	int ret = try_way(graph, options, way, best, err);

	if (!can_in_place(options) || ret == -ENOMEM || ret == -EINVAL ||
	    is_best(best, options->objective))
		return ret;
	mixed.stream_in_place = true;
	if (loom_grouping_is_on(options) && options->objective != LOOM_OBJECTIVE_SRAM &&
	    !try_way(graph, options, &mixed, best, NULL))
		ret = 0;
	if (is_best(best, options->objective))
		return ret;
	how.flags |= LOOM_PLANNER_LOAD_WEIGHTS;
	return try_way(graph, &how, way, best, NULL) ? ret : 0;
}

/* Joins other operands of concatenations: those that a way before has joined, too, are as good. */
static void try_joins(const struct loom_graph *graph, const struct loom_planner_options *options,
		      const struct planner_way *like, struct choice *best)
{
	static const enum loom_storage_join joins[] = {
		LOOM_JOIN_NEAR, LOOM_JOIN_NONE, LOOM_JOIN_OWN, LOOM_JOIN_FAR,
	};
	struct planner_way way = *like;
	u32 i, k;

	for (i = 1; i < ARRAY_SIZE(joins); i++) {
		for (k = 0; k < i; k++)
			if (!loom_storage_joins_differ(graph, joins[k], joins[i]))
				break;
		way.join = joins[i];
		if (k == i && !is_best(best, options->objective))
			try_one(graph, options, &way, best, NULL);
	}
}

/*
 * The next smaller size of a fixed series, four for each power of two, of the SRAM that there is.
 * 0: there is none.
 */
static u64 smaller_sram(const struct loom_planner_options *options)
{
	u64 bytes = loom_planner_sram_bytes(options), power = 1;

	if (bytes < 8)
		return 0;
	while (power <= (bytes - 1) / 2)
		power *= 2;
	return power + (bytes - 1 - power) / (power / 4) * (power / 4);
}

/*
 * A search for more SRAM may end with a worse plan: there are more divisions, and the budget is
 * the same. So a plan for a little less is a candidate, too.
 */
static void try_less(const struct loom_graph *graph, const struct loom_planner_options *options,
		     const struct planner_way *like, struct choice *best)
{
	struct planner_way way = *like;

	if (!best->program || graph->num_nodes > MANY_NODES ||
	    is_best(best, options->objective))
		return;
	way.group_bytes = smaller_sram(options);
	if (!way.group_bytes)
		return;
	try_one(graph, options, &way, best, NULL);
	try_joins(graph, options, &way, best);
}

static bool is_large(const struct loom_graph *graph)
{
	return graph->num_nodes > PLANNER_LARGE_GRAPH;
}

/*
 * By time, what groups leave of the SRAM is room for what is loaded early, also for other groups:
 * groups for less of it may be faster. It takes little effort to find out.
 */
static void try_rooms(const struct loom_planner_options *options, struct choice *best)
{
	u64 quarter = loom_planner_sram_bytes(options) / 4, before, quarters;
	const struct loom_graph *graph = best->graph;
	struct planner_way way = best->way;

	if (!best->program || !quarter || is_within(best, NEAR_BOUND))
		return;
	before = best->program->stats.cycles;
	quarters = is_large(graph) ? 3 : 2;
	for (; quarters < 4 && !is_within(best, NEAR_BOUND); quarters++) {
		way.share = is_large(graph) ? way.share : SCOUT_SHARE;
		way.group_bytes = quarters * quarter;
		try_one(graph, options, &way, best, NULL);
	}
	if (best->program->stats.cycles == before || is_large(graph) ||
	    is_best(best, options->objective))
		return;
	way = best->way;
	way.share = LAST_SHARE;
	try_one(graph, options, &way, best, NULL);
}

/* What the first searches are to have the least of, by time. */
static struct loom_group_aim first_aim(const struct loom_graph *graph)
{
	return is_large(graph) ? bytes : times[0];
}

/* Looks for other things, with the operands joined that were best. */
static void try_aims(const struct loom_graph *graph, const struct loom_planner_options *options,
		     struct choice *best)
{
	struct planner_way way = best->program ? best->way : nothing_special;
	u32 count = is_large(graph) ? 1 : ARRAY_SIZE(times), i;

	for (i = 0; i < count && !is_best(best, options->objective); i++) {
		if (is_large(graph))
			way.aim = times[0];
		else
			way.aim = i ? times[i] : bytes;
		try_one(graph, options, &way, best, NULL);
	}
}

/* All effort in an order, for what was best and for bytes. */
static void try_all(const struct loom_graph *graph, const struct loom_planner_options *options,
		    const struct planner_way *like, struct choice *best)
{
	struct planner_way way = *like;

	way.share = 0;
	if (is_best(best, options->objective))
		return;
	try_one(graph, options, &way, best, NULL);
	way.aim = bytes;
	if (like->aim.time && !is_best(best, options->objective))
		try_one(graph, options, &way, best, NULL);
}

/*
 * Once more the way that was best, with more effort; @cycles of the best program by order. Where
 * that has brought much, the search was far from its end: another order may be better, too.
 */
static void try_harder(const struct loom_orders *orders, const u64 *cycles,
		       const struct loom_planner_options *options, struct choice *best)
{
	struct planner_way way = best->way;
	const struct loom_graph *first = best->graph;
	u32 other = LOOM_SORT_COUNT, i;
	u64 before;

	if (!best->program || is_best(best, options->objective))
		return;
	before = best->program->stats.cycles;
	way.share = is_large(first) ? 0 : LAST_SHARE;
	try_one(first, options, &way, best, NULL);
	if (before - best->program->stats.cycles <= before / MUCH || is_large(first))
		return;
	for (i = 0; i < orders->count; i++)
		if (&orders->graphs[i] != first &&
		    (other == LOOM_SORT_COUNT || cycles[i] < cycles[other]))
			other = i;
	try_all(first, options, &way, best);
	if (other < LOOM_SORT_COUNT)
		try_all(&orders->graphs[other], options, &way, best);
}

/* Almost as fast as can be is not enough to say that no other strategy is faster. */
static void try_others(const struct loom_graph *graph, const struct loom_planner_options *options,
		       struct choice *best)
{
	const struct planner_way near = { .join = LOOM_JOIN_NEAR };
	struct loom_planner_options how = *options;
	const struct loom_group_strategy *strategy;
	u32 i;

	for (i = 0; (strategy = loom_group_strategy_get(i)) && best->program; i++) {
		if (!strategy->compete_nodes || graph->num_nodes > strategy->compete_nodes ||
		    (options->objective != LOOM_OBJECTIVE_TIME &&
		     is_best(best, options->objective)))
			continue;
		how.grouping = strategy->name;
		try_one(graph, &how, &near, best, NULL);
	}
}

/* Other orders than the first one, which was tried; the best cycles of each. */
static void try_orders(const struct loom_orders *orders, const struct loom_planner_options *options,
		       const struct planner_way *way, struct choice *best, u64 *cycles)
{
	u32 i;

	for (i = 0; i < orders->count; i++) {
		if (i)
			best->tried_cycles = U64_MAX;
		if (i && !is_best(best, options->objective))
			try_one(&orders->graphs[i], options, way, best, NULL);
		cycles[i] = best->tried_cycles;
	}
}

/*
 * By bytes, which order is best depends on whether operands of concatenations are joined, and it
 * was looked for where they are: PNASNet in 2 MiB moves a fifth more in the best of these than in
 * another where none is. @tried has been tried with all joins.
 */
static void try_apart(const struct loom_orders *orders, const struct loom_graph *tried,
		      const struct loom_planner_options *options, struct choice *best)
{
	const struct planner_way apart = { .join = LOOM_JOIN_NONE };
	u32 i;

	for (i = 0; i < orders->count && !is_best(best, options->objective); i++)
		if (&orders->graphs[i] != tried &&
		    loom_storage_joins_differ(&orders->graphs[i], LOOM_JOIN_NEAR, LOOM_JOIN_NONE))
			try_one(&orders->graphs[i], options, &apart, best, NULL);
}

/*
 * By time, what is best by bytes with all effort: with little effort, the search for the former
 * may end with a plan that is slower than that one, by some tenths of a percent.
 */
static void try_bytes(const struct loom_orders *orders, const struct loom_planner_options *options,
		      struct choice *best)
{
	struct planner_way way = { .join = LOOM_JOIN_NEAR };
	struct loom_planner_options how = *options;
	struct choice least = { .tried_cycles = U64_MAX };
	u64 cycles[LOOM_SORT_COUNT];

	if (!best->program || is_large(&orders->graphs[0]) ||
	    is_best(best, options->objective))
		return;
	how.objective = LOOM_OBJECTIVE_BYTES;
	try_one(&orders->graphs[0], &how, &way, &least, NULL);
	try_orders(orders, &how, &way, &least, cycles);
	best->starved |= least.starved;
	if (!least.program)
		return;
	try_joins(least.graph, &how, &way, &least);
	try_less(least.graph, &how, &way, &least);
	best->starved |= least.starved;
	loom_program_destroy(least.program);
	how = least.options;
	how.objective = options->objective;
	try_one(least.graph, &how, &least.way, best, NULL);
}

/* Whether another division may be better, and is worth looking for. */
static bool may_improve(const struct choice *best)
{
	const struct loom_group_strategy *strategy = loom_grouping_strategy(&best->options);

	return strategy && strategy->competes && !is_large(best->graph) &&
	       best->program->num_groups > 1 &&
	       (best->options.objective == LOOM_OBJECTIVE_TIME ||
		!is_best(best, best->options.objective));
}

/* Takes the best program, unless there was no memory to find it. */
static int take_best(struct choice *best, int ret, struct loom_program **program,
		     struct loom_error *err)
{
	if (best->starved)
		ret = loom_error_set(err, -ENOMEM, "out of memory");
	if (ret)
		loom_program_destroy(best->program);
	*program = ret ? NULL : best->program;
	return ret;
}

static int choose(const struct loom_graph *graph, const struct loom_orders *orders,
		  const struct loom_planner_options *options, struct loom_program **program,
		  struct loom_error *err)
{
	const struct loom_graph *order = &orders->graphs[0];
	struct loom_planner_options how = *options;
	struct choice best = { .tried_cycles = U64_MAX };
	struct planner_way way = { .join = LOOM_JOIN_NEAR };
	const struct loom_group_strategy *strategy = loom_grouping_strategy(options);
	bool compete = strategy && strategy->competes;
	bool by_time = compete && options->objective == LOOM_OBJECTIVE_TIME;
	u64 cycles[LOOM_SORT_COUNT];
	int ret;

	/* reasons are asked for once, of the plan that is taken */
	if (compete)
		how.flags &= ~LOOM_PLANNER_EXPLAIN;
	/* a baseline stays as it is in the text that it is from */
	else if (strategy)
		how.flags |= LOOM_PLANNER_NO_RETIME | LOOM_PLANNER_LOAD_WEIGHTS;
	if (by_time) {
		way.aim = first_aim(graph);
		way.share = is_large(graph) ? LARGE_SHARE : SCOUT_SHARE;
	}
	ret = try_one(order, &how, &way, &best, err);
	if (ret == -ENOMEM || ret == -EINVAL)
		return ret;
	if (compete) {
		try_orders(orders, &how, &way, &best, cycles);
		order = best.program ? best.graph : order;
		try_joins(order, &how, &way, &best);
	}
	if (compete && options->objective == LOOM_OBJECTIVE_BYTES) {
		try_apart(orders, order, &how, &best);
		try_less(order, &how, &way, &best);
	}
	if (by_time) {
		try_aims(order, &how, &best);
		try_harder(orders, cycles, &how, &best);
		try_rooms(&how, &best);
		try_bytes(orders, &how, &best);
	}
	how.grouping = LOOM_GROUPING_NONE;
	if (ret || compete)
		try_one(graph, &how, &nothing_special, &best, best.program ? NULL : err);
	if (compete)
		try_others(&orders->graphs[0], &how, &best);
	if (!best.program)
		return take_best(&best, ret, program, err);
	best.options.flags |= options->flags & LOOM_PLANNER_EXPLAIN;
	ret = 0;
	if (compete && !best.starved &&
	    (options->flags & LOOM_PLANNER_EXPLAIN || may_improve(&best)))
		ret = loom_planner_explain(best.graph, &best.options, &best.way, &best.program);
	return take_best(&best, ret, program, err);
}

/*
 * By time, which way is tried next depends on the best one so far. With all constants loaded from
 * the start, that leads elsewhere, and now and then to a faster plan.
 */
static int choose_loaded(const struct loom_graph *graph, const struct loom_orders *orders,
			 const struct loom_planner_options *options, struct loom_program **program)
{
	const struct loom_group_strategy *strategy = loom_grouping_strategy(options);
	struct loom_planner_options how = *options;
	struct loom_program *loaded;
	int ret;

	if (options->objective != LOOM_OBJECTIVE_TIME || !strategy || !strategy->competes ||
	    !can_in_place(options))
		return 0;
	how.flags |= LOOM_PLANNER_LOAD_WEIGHTS;
	ret = choose(graph, orders, &how, &loaded, NULL);
	if (!ret)
		keep_better(options->objective, program, loaded);
	return ret == -ENOMEM ? ret : 0;
}

static int create_grouped(const struct loom_graph *graph,
			  const struct loom_planner_options *options,
			  struct loom_program **program, struct loom_error *err)
{
	struct loom_orders orders;
	int ret;

	ret = loom_orders_make(&orders, graph, options->flags & LOOM_PLANNER_GIVEN_ORDER);
	if (ret)
		return loom_error_set(err, ret, "out of memory");
	ret = choose(graph, &orders, options, program, err);
	if (!ret && choose_loaded(graph, &orders, options, program)) {
		loom_program_destroy(*program);
		*program = NULL;
		ret = loom_error_set(err, -ENOMEM, "out of memory");
	}
	loom_orders_clear(&orders);
	return ret;
}

static int create_plain(const struct loom_graph *graph, const struct loom_planner_options *options,
			struct loom_program **program, struct loom_error *err)
{
	struct choice best = { .program = NULL };
	int ret = try_one(graph, options, &nothing_special, &best, err);

	return take_best(&best, ret, program, err);
}

int loom_planner_best(const struct loom_graph *graph, const struct loom_planner_options *options,
		      struct loom_program **program, struct loom_error *err)
{
	if (loom_grouping_is_on(options))
		return create_grouped(graph, options, program, err);
	return create_plain(graph, options, program, err);
}
