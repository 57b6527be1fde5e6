// SPDX-License-Identifier: MIT
/*
 * loom_order() against all orders of small graphs, and properties of its answers for any graph.
 */
#include "draw.h"
#include "order/order.h"
#include "tap.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define MAX_OPS		20000
#define MAX_EDGES	(8 * MAX_OPS)

static struct loom_order_op ops[MAX_OPS];
static u32 edges[MAX_EDGES], num_ops, num_edges;
static void begin(u64 number)
{
	seed = number * 0x9e3779b97f4a7c15 + 1;
	num_ops = 0;
	num_edges = 0;
}

/* Adds an operator that reads all entries of edges[] from @first_edge on. */
static u32 add(u32 first_edge, u64 size_bytes)
{
	ops[num_ops] = (struct loom_order_op){
		.inputs = &edges[first_edge],
		.num_inputs = num_edges - first_edge,
		.owner = num_ops,
		.size_bytes = size_bytes,
	};
	return num_ops++;
}

static u32 add_reader(u32 input, u64 size_bytes)
{
	edges[num_edges++] = input;
	return add(num_edges - 1, size_bytes);
}

/* Makes some operands parts of a result that reads them, together with their views. */
static void join_parts(void)
{
	u32 i, k, j;

	for (i = 0; i < num_ops; i++) {
		if (ops[i].owner != i || ops[i].num_inputs < 2 || draw(3))
			continue;
		for (k = 0; k < ops[i].num_inputs; k++) {
			u32 part = ops[i].inputs[k];

			if (ops[part].owner != part || !draw(3))
				continue;
			ops[i].size_bytes += ops[part].size_bytes;
			for (j = 0; j < num_ops; j++)
				if (ops[j].owner == part)
					ops[j].owner = i;
		}
	}
}

/* A random graph, in which some results are views, some are parts of others, some own no bytes. */
static void random_graph(u64 number, u32 count, u32 density)
{
	u32 first, i, k;

	begin(number);
	for (i = 0; i < count; i++) {
		first = num_edges;
		for (k = 0; k < i; k++)
			if (draw(100) < density)
				edges[num_edges++] = k;
		add(first, draw(4) ? 1 + draw(20) : 1 + draw(200));
		if (!draw(8))
			ops[i].owner = LOOM_ORDER_NONE;
		else if (!draw(6) && ops[i].num_inputs)
			ops[i].owner = ops[edges[first + draw(ops[i].num_inputs)]].owner;
	}
	if (number % 2)
		join_parts();
}

/*
 * Series-parallel: between @from and the result, @depth levels. Where things fork, the operator
 * that they fork from has a result of its own that all of them read, or, if @fixed, none.
 */
static u32 random_sp(u32 from, u32 depth, bool fixed)
{
	u32 ends[4], count = 2 + draw(2), fork, first, i;

	if (!depth || !draw(4)) {
		for (i = 1 + draw(2); i--;)
			from = add_reader(from, 1 + draw(100));
		return from;
	}
	if (!draw(3))
		return random_sp(random_sp(from, depth - 1, fixed), depth - 1, fixed);
	fork = add_reader(from, fixed ? 0 : 1 + draw(100));
	for (i = 0; i < count; i++)
		ends[i] = random_sp(fork, depth - 1, fixed);
	first = num_edges;
	for (i = 0; i < count; i++)
		edges[num_edges++] = ends[i];
	return add(first, 1 + draw(100));
}

/* The owners that operators of @set touch, one bit each. */
static u32 touched(u32 set)
{
	u32 owners = 0, i, k;

	for (i = 0; i < num_ops; i++) {
		if (!(set >> i & 1))
			continue;
		if (ops[i].owner != LOOM_ORDER_NONE)
			owners |= 1U << ops[i].owner;
		for (k = 0; k < ops[i].num_inputs; k++)
			if (ops[ops[i].inputs[k]].owner != LOOM_ORDER_NONE)
				owners |= 1U << ops[ops[i].inputs[k]].owner;
	}
	return owners;
}

/* Bytes alive when the operators of @set run or have run, and those of @rest have not finished. */
static u64 alive(u32 set, u32 rest)
{
	u32 owners = touched(set) & touched(rest), i;
	u64 live = 0;

	for (i = 0; i < num_ops; i++)
		if (owners >> i & 1)
			live += ops[i].size_bytes;
	return live;
}

/* The least peak of all orders, by a dynamic program over sets closed under predecessors. */
static u64 oracle(void)
{
	u64 *best = malloc(sizeof(*best) << num_ops), least, peak;
	u32 set, need, i, k;

	for (set = 0; set < 1U << num_ops; set++)
		best[set] = U64_MAX;
	best[0] = 0;
	for (set = 0; set < 1U << num_ops; set++) {
		if (best[set] == U64_MAX)
			continue;
		for (i = 0; i < num_ops; i++) {
			need = 0;
			for (k = 0; k < ops[i].num_inputs; k++)
				need |= 1U << ops[i].inputs[k];
			if (ops[i].owner < i)
				need |= 1U << ops[i].owner;
			if (set >> i & 1 || need & ~set)
				continue;
			/* its own step: it belongs to both sets */
			peak = max(best[set], alive(set | 1U << i, ~set));
			best[set | 1U << i] = min(best[set | 1U << i], peak);
		}
	}
	least = best[(1U << num_ops) - 1];
	free(best);
	return least;
}

static u32 order[MAX_OPS], other[MAX_OPS];

/* Tries every order, one by one. */
static void try_all(u32 at, u32 set, u64 *least)
{
	u64 peak;
	u32 i;

	if (at == num_ops) {
		if (!loom_order_peak(ops, num_ops, other, &peak))
			*least = min(*least, peak);
		return;
	}
	for (i = 0; i < num_ops; i++) {
		if (set >> i & 1)
			continue;
		other[at] = i;
		try_all(at + 1, set | 1U << i, least);
	}
}

/* Checks what must hold for every answer. */
static bool holds(const struct loom_order_result *result)
{
	u64 peak, given;
	u32 i;

	for (i = 0; i < num_ops; i++)
		other[i] = i;
	if (loom_order_peak(ops, num_ops, other, &given) ||
	    loom_order_peak(ops, num_ops, result->order, &peak))
		return false;
	if (given != result->given_bytes || peak != result->peak_bytes || peak > given ||
	    result->bound_bytes > peak || result->proved != !(result->bound_bytes < peak))
		return false;
	/* if the peak is not lower, the order must be the given one */
	return peak < given || !memcmp(result->order, other, num_ops * sizeof(*other));
}

static struct loom_order_result solve(u64 budget)
{
	struct loom_order_result result = { .order = order };

	if (loom_order(ops, num_ops, budget, &result))
		tap_fatal("no order");
	return result;
}

static void test_oracle(void)
{
	u64 least;
	u32 wrong = 0, i;

	for (i = 0; i < 100; i++) {
		random_graph(i, 2 + i % 6, 20 + i % 50);
		least = U64_MAX;
		try_all(0, 0, &least);
		wrong += least != oracle();
	}
	tap_ok(!wrong, "the oracle: 100 graphs of up to 7 operators, all permutations");
}

static void test_random(void)
{
	u32 wrong = 0, better = 0, bound = 0, i;
	struct loom_order_result result;
	u64 least;

	for (i = 0; i < 3000; i++) {
		random_graph(i, 1 + i % 9, 5 + i % 60);
		least = oracle();
		result = solve(0);
		wrong += !holds(&result) || !result.proved || result.peak_bytes != least;
		better += result.peak_bytes < result.given_bytes;
		/* with a tiny budget: still a valid bound and a valid order */
		result = solve(1 + i % 40);
		bound += !holds(&result) || result.bound_bytes > least;
	}
	tap_ok(!wrong, "3000 random graphs of up to 9 operators: optimal and proved (%u improved)",
	       better);
	tap_ok(!bound, "with 1 to 40 states: valid, and the bound is below the optimum");
	for (wrong = 0, i = 0; i < 60; i++) {
		random_graph(i + 5000, 14, 5 + i % 30);
		result = solve(0);
		wrong += !holds(&result) || !result.proved || result.peak_bytes != oracle();
	}
	tap_ok(!wrong, "60 random graphs of 14 operators, likewise");
}

static void test_sp(void)
{
	u32 wrong = 0, tested = 0, composed = 0, improved = 0, i;
	struct loom_order_result result;
	u64 least;

	for (i = 0; tested < 400; i++) {
		begin(i);
		random_sp(add(0, 1 + draw(100)), 3, i % 2);
		if (num_ops > 14 || num_ops < 5)
			continue;
		tested++;
		least = oracle();
		result = solve(0);
		wrong += !holds(&result) || !result.proved || result.peak_bytes != least;
		improved += result.peak_bytes < result.given_bytes;
		/* a budget of one state: proved by composition alone */
		result = solve(1);
		if (i % 2)
			composed += !holds(&result) || !result.proved ||
				    result.peak_bytes != least;
		else
			composed += !holds(&result) || result.bound_bytes > least;
	}
	tap_ok(!wrong, "400 series-parallel graphs of up to 14 operators: optimal (%u improved)",
	       improved);
	tap_ok(!composed, "those whose last readers are fixed need no search to be proved");
}

/* Copies of a small graph in series: the cuts between them make each as easy as one alone. */
static void test_series(void)
{
	struct loom_order_result result;
	u32 last, i;

	begin(1);
	last = add(0, 10);
	for (i = 0; i < 400; i++) {
		u32 join = num_edges, small, large;

		/* the large branch is given first, but should run after the small one's hill */
		small = add_reader(last, 50);
		small = add_reader(small, 40);
		large = add_reader(last, 300 + i % 7);
		large = add_reader(large, 1);
		join = num_edges;
		edges[num_edges++] = small;
		edges[num_edges++] = large;
		last = add(join, 10);
	}
	result = solve(0);
	tap_ok(holds(&result) && result.proved && result.peak_bytes == 10 + 306 + 1 &&
	       result.given_bytes == 10 + 40 + 306,
	       "400 blocks in a row: the branch with the hill first, all of them proved");
	for (i = 0; i < 7; i++)
		if (order[i] != i)
			break;
	tap_ok(i == 7 || result.peak_bytes < 10 + 40 + 300,
	       "a block that does not matter for the peak keeps its order");
}

/* A wide graph of @count operators: layers, skips, a few joins. */
static void large_graph(u64 number, u32 count)
{
	u32 first, back, i, k;

	begin(number);
	for (i = 0; i < count; i++) {
		first = num_edges;
		for (k = 0; i && k < 1 + draw(2); k++) {
			back = 1 + draw(draw(10) ? 12 : 200);
			edges[num_edges++] = i - min(i, back);
		}
		add(first, 1 + draw(1000));
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void test_large(void)
{
	static const u32 counts[] = { 1250, 2500, 5000, 10000, 20000 };
	static u32 again[MAX_OPS];
	struct loom_order_result result;
	double begun;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		large_graph(i, counts[i]);
		begun = seconds();
		result = solve(0);
		begun = seconds() - begun;
		tap_ok(holds(&result), "%u operators: valid and not worse", counts[i]);
		tap_note("%.3f s, peak %.3f of the given order, bound %.3f, %llu states", begun,
			 (double)result.peak_bytes / result.given_bytes,
			 (double)result.bound_bytes / result.given_bytes,
			 (unsigned long long)result.states);
	}
	memcpy(again, order, sizeof(order));
	memset(order, 0xff, sizeof(order));
	result = solve(0);
	tap_ok(holds(&result) && !memcmp(again, order, sizeof(order)), "and the same again");
	/* nothing depends on anything: every order has the same peak */
	begin(9);
	for (i = 0; i < 10000; i++)
		add(0, i + 1);
	result = solve(0);
	tap_ok(holds(&result) && result.peak_bytes == 10000 && result.proved,
	       "10000 operators that nobody reads: the largest one, proved");
	/* a comb: a long spine, and each of its operators has a reader without successors */
	begin(10);
	add(0, 100);
	for (i = 0; i < 5000; i++) {
		u32 spine = num_ops - 1 - (i > 0);

		add_reader(spine, 100);
		add_reader(spine, 1 + i % 50);
	}
	result = solve(0);
	tap_ok(holds(&result) && result.proved, "a comb of 10001 operators: proved");
}

static void test_refusals(void)
{
	struct loom_order_result result = { .order = order };
	u64 peak;

	begin(1);
	add(0, 1);
	add_reader(0, 1);
	tap_ok(!loom_order(ops, 0, 0, &result) && !result.peak_bytes && result.proved,
	       "no operators need nothing");
	edges[0] = 1;
	tap_ok(loom_order(ops, 2, 0, &result) == -EINVAL, "an operator cannot read itself");
	edges[0] = 0;
	ops[0].owner = 2;
	tap_ok(loom_order(ops, 2, 0, &result) == -EINVAL, "nor be a part of what is not there");
	ops[0].owner = LOOM_ORDER_NONE;
	ops[1].owner = 0;
	tap_ok(loom_order(ops, 2, 0, &result) == -EINVAL, "nor of what owns nothing");
	ops[0].owner = 0;
	ops[1].owner = 1;
	ops[0].size_bytes = 1ULL << 61;
	ops[1].size_bytes = 1ULL << 61;
	tap_ok(loom_order(ops, 2, 0, &result) == -ERANGE, "sizes that leave 62 bits are refused");
	order[0] = 1;
	order[1] = 0;
	tap_ok(loom_order_peak(ops, 2, order, &peak) == -EINVAL, "an order has to be topological");
	order[0] = 0;
	tap_ok(loom_order_peak(ops, 2, order, &peak) == -EINVAL, "and a permutation");
}

int main(void)
{
	test_oracle();
	test_random();
	test_sp();
	test_series();
	test_large();
	test_refusals();
	return tap_end();
}
