/* SPDX-License-Identifier: MIT */
/*
 * DOC: Ordering
 *
 * A graph has many topological orders, and each has its own peak: the largest number of bytes alive
 * at one moment. The peak is a lower bound on the height of every placement, so no placer can make
 * up for a bad order.
 *
 * The input is operators, their operands and the bytes of each result; the output is an order with
 * a low peak, a lower bound on all peaks, and whether the two are equal. In its *step* an operator
 * needs the bytes alive before it and its result; after it, the results that it was the last to
 * read are freed. Finding the order of least peak is NP-hard (Sethi 1975, as pebbling), but the
 * graphs of networks are easy: long, narrow, and full of operators that every order passes at the
 * same point.
 *
 * Steps of loom_order() (order.c):
 *
 * 1. *Series.* Where all operators before a point precede all those after it, the graph is cut: the
 *    parts are independent, and the peak is the largest of theirs. One pass over the edges finds
 *    all cuts (window.c). Parts are processed by falling peak; one whose peak is not above what
 *    another needs in any order keeps its order.
 * 2. *Series-parallel* parts are composed (series_parallel.c): a sequence is a list of segments,
 *    each with a hill and a net; parallel sequences are merged by falling, then rising segments
 *    (Liu 1987 for trees, Abdel-Wahab and Kameda 1978; Kayaaslan et al. 2018 for memory). Exact
 *    where the last reader of each result is fixed, or where the relaxation that leaves it open
 *    has the same peak as the order that was found.
 * 3. *Exact search* (exact.c) over down-sets, as in Ahn et al. 2020 (SERENITY), but not level by
 *    level: all states that can be reached below a threshold, depth first, then the least threshold
 *    that opens a new one. Operators that only reduce the bytes alive, without a hill above the
 *    threshold, are run without a branch. So the states visited are those whose peak is below the
 *    optimum, not all of a level, and if the budget runs out the threshold is a proven bound.
 * 4. *Beyond the budget* (greedy.c): greedy, depth first from the outputs, a beam; then windows
 *    around the peak are searched exactly until none improves.
 *
 * window.h declares what these files share: the graph, windows of it, and the methods. Methods know
 * windows only; order.c calls them.
 *
 * The result depends only on the problem and the budget, which counts states, not time. It is never
 * worse than the given order, which is kept, part by part, where the peak does not depend on it.
 *
 * Rejected: an ILP (OLLA, MODeL), which needs a solver as a dependency and far more time; dynamic
 * programming by levels, which holds all states of a level, however far above the optimum;
 * rematerialisation and in-place arithmetic, which change the graph rather than its order.
 */
#ifndef LOOM_ORDER_H
#define LOOM_ORDER_H

#include <stdbool.h>

#include "loom_core.h"

/** LOOM_ORDER_NONE - no operator */
#define LOOM_ORDER_NONE		U32_MAX
/** LOOM_ORDER_BUDGET - default number of states, far above the need of known networks */
#define LOOM_ORDER_BUDGET	100000

/**
 * struct loom_order_op - an operator, and its result
 * @inputs: operators whose results it reads; each must precede it in the given order. Inputs of the
 *	graph are omitted
 * @num_inputs: number of @inputs
 * @owner: the operator in whose bytes the result lies: itself, with @size_bytes of its own; one
 *	before it, of which it is a view; one behind it, of which it is a part (an operand of a
 *	concatenation). LOOM_ORDER_NONE: memory that is not counted (an output's place)
 * @size_bytes: bytes of the result, if it is its own owner
 *
 * Bytes are alive from the first operator that touches them to the last. No result may be computed
 * into bytes that another operator still reads.
 */
struct loom_order_op {
	const u32 *inputs;
	u32 num_inputs;
	u32 owner;
	u64 size_bytes;
};

/**
 * struct loom_order_result - an order and its bounds
 * @order: operators in the order to run them in; the caller must provide the array
 * @given_bytes: peak of the given order
 * @peak_bytes: peak of @order
 * @bound_bytes: no order has a lower peak
 * @proved: @peak_bytes is @bound_bytes
 * @states: states visited
 */
struct loom_order_result {
	u32 *order;
	u64 given_bytes;
	u64 peak_bytes;
	u64 bound_bytes;
	bool proved;
	u64 states;
};

/**
 * loom_order() - find an order with a low peak
 * @ops: the operators, in the given order, which must be topological
 * @num_ops: number of @ops
 * @budget: states that may be visited; 0: LOOM_ORDER_BUDGET
 * @result: [in, out] @order must have room for @num_ops; the rest is set
 *
 * Return: 0; -EINVAL for inputs that do not precede their operator, or an owner without bytes of
 * its own; -ERANGE where sizes leave 62 bits; -ENOMEM.
 */
int loom_order(const struct loom_order_op *ops, u32 num_ops, u64 budget,
	       struct loom_order_result *result);

/**
 * loom_order_peak() - the peak of any order
 * @ops: the operators
 * @num_ops: number of @ops
 * @order: a permutation
 * @peak_bytes: [out] the largest number of bytes alive at one moment
 *
 * Shares no code with loom_order(), whose answers tests check by it.
 *
 * Return: 0; -EINVAL if @order is not topological; -ENOMEM.
 */
int loom_order_peak(const struct loom_order_op *ops, u32 num_ops, const u32 *order,
		    u64 *peak_bytes);

#endif /* LOOM_ORDER_H */
