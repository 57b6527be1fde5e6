/* SPDX-License-Identifier: MIT */
/*
 * DOC: Ordering
 *
 * A graph has many topological orders, and each has its own peak: the most bytes that are alive at
 * one moment. No placement is lower than that, so what the order loses no placer wins back.
 *
 * An operator's *step* needs all that is alive before it and its result; after it, what it was
 * the last to read is gone. Finding the order with the least peak is NP-hard (Sethi 1975, as
 * pebbling), but the graphs of networks are friendly: long, narrow, and full of moments that every
 * order passes.
 *
 * What is done, by loom_order():
 *
 * 1. *Series.* Where all that comes before precedes all that comes after, the graph is cut: the
 *    parts do not know of each other, and the peak is the largest of theirs. One pass over the
 *    edges finds all cuts (window.c). Parts are taken by falling peak; one that is not above
 *    what another needs anyway keeps its order.
 * 2. *Series-parallel* parts are composed (series_parallel.c): a sequence is a list of
 *    segments, each with a hill and a net; sequences side by side are merged by falling, then rising segments
 *    (Liu 1987 for trees, Abdel-Wahab and Kameda 1978; Kayaaslan et al. 2018 for memory). Exact
 *    where for each result it is known who reads it last, or where the relaxation that needs not
 *    know it is as high as the order that was found.
 * 3. *Exact search* (exact.c) over down-sets, as Ahn et al. 2020 (SERENITY) do it, but not
 *    level by level: all states that can be reached below a threshold, depth first, then the least
 *    threshold that opens a new one. What runs downhill without a hill above the threshold
 *    is taken at once, without a branch. So the states are those whose peak is below the optimum,
 *    not those of a level, and if the budget runs out the threshold is a proven bound.
 * 4. *Search beyond* (greedy.c): greedy, depth first from the outputs, a beam; then windows
 *    around the peak are searched exactly until none gets better.
 *
 * The answer depends on the problem and the budget only, which counts states, not time. It is never
 * worse than the order that was given, and that one is kept, part by part, where the peak does
 * not depend on it.
 *
 * Rejected: an ILP (OLLA, MODeL) - a solver as a dependency, minutes for what takes milliseconds
 * here; the dynamic program by levels - it holds all states of a level, however hopeless;
 * rematerialisation and in-place arithmetic, which change the graph rather than its order.
 */
#ifndef LOOM_ORDER_H
#define LOOM_ORDER_H

#include <stdbool.h>

#include "loom_core.h"

/** LOOM_ORDER_NONE - no operator */
#define LOOM_ORDER_NONE		U32_MAX
/** LOOM_ORDER_BUDGET - states that are enough for every network we have seen, by far */
#define LOOM_ORDER_BUDGET	100000

/**
 * struct loom_order_op - an operator, and its result
 * @inputs: operators whose results it reads; each before it in the given order. What comes from
 *	outside the graph is left out
 * @num_inputs: number of @inputs
 * @owner: where the result lies: the operator itself, with @size_bytes of its own; one before it,
 *	whose bytes it is a view of; one behind it, whose result it is a part of (an operand of a
 *	concatenation); LOOM_ORDER_NONE: outside (an output's place)
 * @size_bytes: bytes of the result, if it is its own owner
 *
 * Bytes are there from the first operator that touches them to the last. Nothing is computed into
 * bytes that others still read.
 */
struct loom_order_op {
	const u32 *inputs;
	u32 num_inputs;
	u32 owner;
	u64 size_bytes;
};

/**
 * struct loom_order_result - an order and what is known about it
 * @order: operators in the order in which they shall run; room for all, from the caller
 * @given_bytes: peak of the given order
 * @peak_bytes: peak of @order
 * @bound_bytes: no order has a lower peak
 * @proved: the last two are the same
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
 * @ops: the operators, in the given order, which is topological
 * @num_ops: number of @ops
 * @budget: states that may be visited; 0: LOOM_ORDER_BUDGET
 * @result: [in, out] @order has room for @num_ops; the rest is set
 *
 * Return: 0; -EINVAL for inputs that are not before their operator, or an owner that does not own;
 * -ERANGE where sizes leave 62 bits; -ENOMEM.
 */
int loom_order(const struct loom_order_op *ops, u32 num_ops, u64 budget,
	       struct loom_order_result *result);

/**
 * loom_order_peak() - the peak of any order
 * @ops: the operators
 * @num_ops: number of @ops
 * @order: a permutation
 * @peak_bytes: [out] the most bytes alive at one moment
 *
 * Written for itself, to prove what loom_order() says.
 *
 * Return: 0; -EINVAL if @order is not topological; -ENOMEM.
 */
int loom_order_peak(const struct loom_order_op *ops, u32 num_ops, const u32 *order,
		    u64 *peak_bytes);

#endif /* LOOM_ORDER_H */
