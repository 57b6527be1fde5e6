// SPDX-License-Identifier: MIT
/*
 * Programs in the order of the graph and in that of least memory: the same bits come out of both,
 * with the same traffic, and never from a larger arena. Graphs are random: matrices of eight
 * columns that are computed, joined, cut (views) and transposed (views); half of their leaves
 * are outputs. And by hand: nearness to a concatenation is the same however nodes are listed.
 */
#include "graph/graph.h"
#include "planner/orders.h"
#include "lower/storage.h"
#include "host/lower/case.h"
#include "outcome.h"

#define COLUMNS		8
#define MAX_VALUES	64
#define GRAPHS		300

static char names[MAX_VALUES][8];
static int64_t rows[MAX_VALUES];
static uint32_t used[MAX_VALUES], num_values;

static const char *fresh(int64_t num_rows)
{
	snprintf(names[num_values], sizeof(names[0]), "v%u", num_values);
	rows[num_values] = num_rows;
	used[num_values] = 0;
	return names[num_values++];
}

/* One of the last values: real networks mostly read recent ones. */
static uint32_t pick(void)
{
	uint32_t value = num_values - 1 - draw(min(num_values, 6U));

	used[value]++;
	return value;
}

static void add_cut(struct test_case *test)
{
	static char constants[4][8];
	uint32_t x = pick(), i;
	int64_t begin = draw((uint32_t)rows[x]), end = range(begin + 1, rows[x]);
	const int64_t numbers[3] = { begin, end, 0 };
	char operands[64];

	for (i = 0; i < 3; i++) {
		snprintf(constants[i], sizeof(constants[i]), "c%u.%u", num_values, i);
		ints(test, constants[i], 1, &numbers[i]);
	}
	snprintf(operands, sizeof(operands), "%s %s %s %s", names[x], constants[0], constants[1],
		 constants[2]);
	node(test, "Slice", operands, fresh(end - begin));
}

static void add_join(struct test_case *test)
{
	uint32_t a = pick(), b = pick();
	char operands[32];

	snprintf(operands, sizeof(operands), "%s %s", names[a], names[b]);
	if (rows[a] == rows[b] || rows[a] == 1 || rows[b] == 1) {
		node(test, draw(2) ? "Add" : "Mul", operands, fresh(max(rows[a], rows[b])));
	} else if (rows[a] + rows[b] < 200) {
		attr_int(test, "axis", 0);
		node(test, "Concat", operands, fresh(rows[a] + rows[b]));
	} else {
		attr_int(test, "axis", 0);
		node(test, "Softmax", names[a], fresh(rows[a]));
		used[b]--;
	}
}

static void add_turn(struct test_case *test)
{
	char middle[16];
	uint32_t x = pick();

	snprintf(middle, sizeof(middle), "t%u", num_values);
	attr_ints(test, "perm", 2, (int64_t[]){ 1, 0 });
	node(test, "Transpose", names[x], middle);
	attr_ints(test, "perm", 2, (int64_t[]){ 1, 0 });
	node(test, "Transpose", middle, fresh(rows[x]));
}

static void add_function(struct test_case *test)
{
	static const char *const functions[] = { "Relu", "Sigmoid", "Neg", "Abs" };
	uint32_t x = pick();

	node(test, functions[draw(ARRAY_SIZE(functions))], names[x], fresh(rows[x]));
}

static struct test_case make_graph(uint32_t number)
{
	struct test_case test;
	uint32_t count, i;

	num_values = 0;
	case_begin(&test, number * 977 + 5, 13);
	for (i = 0; i < 2; i++) {
		int64_t num_rows = range(1, 30);

		input(&test, fresh(num_rows), DRM_LOOM_DTYPE_F32, 2,
		      (int64_t[]){ num_rows, COLUMNS });
	}
	for (count = range(6, 40); count--;) {
		uint32_t kind = draw(10);

		if (kind < 4)
			add_join(&test);
		else if (kind < 7)
			add_function(&test);
		else if (kind < 9)
			add_cut(&test);
		else
			add_turn(&test);
	}
	for (i = 2; i < num_values; i++)
		if (i + 1 == num_values || (!used[i] && draw(2)))
			loom_graph_add_output(test.graph, names[i]);
	case_finish(&test);
	return test;
}

static void run(const struct test_case *test, const struct loom_program *program,
		struct outcome *outcome)
{
	struct loom_error err;

	if (outcome_run(outcome, program, loom_preset_find("tiny"), test->inputs, test->num_inputs,
			&err))
		tap_fatal("%s", err.text);
}

static struct loom_program *plan(const struct test_case *test, const char *placer, uint32_t flags)
{
	struct loom_planner_options options = {
		.grouping = "layerwise",
		.chip = loom_preset_find("tiny"), .placer = placer, .flags = flags,
		/* nothing moves to other steps */
		.objective = LOOM_OBJECTIVE_BYTES,
	};

	return case_plan(test, &options);
}

/**
 * struct tally - what was seen
 * @moved: graphs that got another order
 * @proved: orders that are optimal
 * @bits: results that differ
 * @larger: arenas that grew
 * @costs: plans that cost more or less
 * @lies: programs whose statistics contradict each other
 * @traffic: DRAM bytes of all graphs, in either order
 * @arenas: their arenas
 */
struct tally {
	uint32_t moved;
	uint32_t proved;
	uint32_t bits;
	uint32_t larger;
	uint32_t costs;
	uint32_t lies;
	uint64_t traffic[2];
	uint64_t arenas[2];
};

static void compare(struct test_case *test, const char *placer, struct tally *tally)
{
	struct loom_program *given = plan(test, placer, LOOM_PLANNER_GIVEN_ORDER);
	struct loom_program *memory = plan(test, placer, 0);
	const struct loom_program_stats *g = &given->stats, *m = &memory->stats;
	struct outcome outcomes[2];

	run(test, given, &outcomes[0]);
	run(test, memory, &outcomes[1]);
	tally->bits += !outcome_same(&outcomes[0], &outcomes[1]);
	outcome_clear(&outcomes[0]);
	outcome_clear(&outcomes[1]);
	tally->larger += m->arena_bytes > g->arena_bytes;
	tally->costs += m->dram_read_bytes != g->dram_read_bytes ||
			m->dram_write_bytes != g->dram_write_bytes || m->steps != g->steps;
	tally->moved += m->order_bytes < m->given_order_bytes;
	tally->proved += m->order_proved;
	tally->lies += m->order_bytes > m->given_order_bytes || g->given_order_bytes ||
		       g->order_bytes || m->bound_bytes > m->order_bytes;
	tally->traffic[0] += g->dram_read_bytes + g->dram_write_bytes;
	tally->traffic[1] += m->dram_read_bytes + m->dram_write_bytes;
	tally->arenas[0] += g->arena_bytes;
	tally->arenas[1] += m->arena_bytes;
	if (m->order_bytes == m->given_order_bytes)
		tally->lies += given->plan_bytes != memory->plan_bytes ||
			       !!memcmp(given->plan, memory->plan, given->plan_bytes);
	loom_program_destroy(given);
	loom_program_destroy(memory);
}

static struct tally try_all(const char *placer)
{
	struct tally tally = { .moved = 0 };
	struct test_case test;
	uint32_t i;

	for (i = 0; i < GRAPHS; i++) {
		test = make_graph(i);
		compare(&test, placer, &tally);
		free_case(&test);
	}
	tap_note("placed by %s: of %u graphs %u got another order, %u are proved",
		 placer ? placer : "auto", GRAPHS, tally.moved, tally.proved);
	tap_note("arenas of %llu instead of %llu bytes in all, traffic of %llu instead of %llu",
		 (unsigned long long)tally.arenas[1], (unsigned long long)tally.arenas[0],
		 (unsigned long long)tally.traffic[1], (unsigned long long)tally.traffic[0]);
	tap_ok(tally.moved > GRAPHS / 10, "there are graphs that gain");
	tap_ok(!tally.bits, "the outputs are the same to the bit in either order");
	tap_ok(!tally.lies, "what cannot gain gives the same plan, and the figures fit");
	return tally;
}

/* --- by hand */

#define CHAIN		20

static void add_chain(struct test_case *test)
{
	char from[8] = "x", to[8];
	uint32_t i;

	for (i = 0; i < CHAIN; i++) {
		snprintf(to, sizeof(to), "c%u", i);
		node(test, "Tanh", from, to);
		memcpy(from, to, sizeof(to));
	}
}

/* Whether p, which is as far from the concatenation as the chain is long, is not near. */
static bool is_far(bool first)
{
	struct loom_node *nodes[CHAIN + 8];
	struct loom_graph sorted;
	struct test_case test;
	char operands[16];
	bool far;

	case_begin(&test, 1, 14);
	input(&test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ 4, COLUMNS });
	if (first)
		node(&test, "Neg", "x", "p");
	add_chain(&test);
	if (!first)
		node(&test, "Neg", "x", "p");
	snprintf(operands, sizeof(operands), "p c%u", CHAIN - 1);
	attr_int(&test, "axis", 0);
	node(&test, "Concat", operands, "y");
	loom_graph_add_output(test.graph, "y");
	case_finish(&test);
	if (test.graph->num_nodes > ARRAY_SIZE(nodes) ||
	    loom_graph_sort(test.graph, LOOM_SORT_LOW, nodes))
		tap_fatal("no memory");
	sorted = *test.graph;
	sorted.nodes = nodes;
	far = loom_storage_joins_differ(&sorted, LOOM_JOIN_NEAR, LOOM_JOIN_FAR);
	free_case(&test);
	return far;
}

/* Of a chain, with @branch beside it. Return: number of orders; 0: two are equal. */
static uint32_t count_orders(bool branch)
{
	struct loom_orders orders;
	struct test_case test;
	uint32_t count, i, k;
	char operands[16];

	case_begin(&test, 1, 14);
	input(&test, "x", DRM_LOOM_DTYPE_F32, 2, (int64_t[]){ 4, COLUMNS });
	if (branch)
		node(&test, "Neg", "x", "b");
	add_chain(&test);
	snprintf(operands, sizeof(operands), "%s c%u", branch ? "b" : "x", CHAIN - 1);
	node(&test, "Add", operands, "y");
	loom_graph_add_output(test.graph, "y");
	case_finish(&test);
	if (loom_orders_make(&orders, test.graph, false))
		tap_fatal("no orders");
	count = orders.count;
	for (i = 0; i < orders.count; i++)
		for (k = 0; k < i; k++)
			if (!memcmp(orders.graphs[i].nodes, orders.graphs[k].nodes,
				    test.graph->num_nodes * sizeof(struct loom_node *)))
				count = 0;
	loom_orders_clear(&orders);
	free_case(&test);
	return count;
}

int main(void)
{
	static const char *const placers[] = { NULL, "greedy-size" };
	struct tally tally;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(placers); i++) {
		tally = try_all(placers[i]);
		tap_ok(!tally.larger, "no arena is larger for it");
		tap_ok(!tally.costs, "nor is anything else: traffic, steps");
	}
	tap_ok(is_far(true) && is_far(false),
	       "what is near to a concatenation does not depend on how nodes are listed");
	tap_ok(count_orders(false) == 1 && count_orders(true) > 1,
	       "a chain has one order, with a branch it has %u", count_orders(true));
	return tap_end();
}
