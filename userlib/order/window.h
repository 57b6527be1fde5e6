/* SPDX-License-Identifier: MIT */
/*
 * The graph, windows of it (consecutive operators of the current order), and the methods that
 * improve a window. See DOC: Ordering in order.h.
 *
 * A *storage* is the bytes of an owner; it has the owner's number. Its *users* are the operators
 * that touch it: make it or a part of it, or read it through any view. It is alive from the first
 * to the last of them. Its *makers* are the users that can be the first.
 */
#ifndef LOOM_ORDER_WINDOW_H
#define LOOM_ORDER_WINDOW_H

#include "order.h"

/**
 * struct order_list - lists, one after the other
 * @at: list i is items[at[i]] to items[at[i + 1] - 1]
 * @items: the entries
 */
struct order_list {
	u32 *at;
	u32 *items;
};

/**
 * struct order_graph - all operators
 * @num_ops: number of operators
 * @size_bytes: by storage; 0 for operators without bytes of their own
 * @preds: by operator: those that it reads from or lies in, each once
 * @succs: by operator: those that have it as a predecessor
 * @made: by operator: the storage that it is a maker of, or LOOM_ORDER_NONE
 * @touches: by operator: storages that it touches
 * @users: by storage: operators that touch it
 * @order: the current order
 * @place: by operator: its index in @order
 * @first: by storage: smallest index of a user
 * @last: by storage: largest index of a user
 * @before_bytes: by index: bytes alive before that step
 * @step_bytes: by index: bytes alive in that step
 * @local: by operator or storage: its number in the window that is being made
 * @stamp: by operator or storage: the window that @local is of
 * @clock: number of windows so far
 */
struct order_graph {
	u32 num_ops;
	u64 *size_bytes;
	struct order_list preds;
	struct order_list succs;
	u32 *made;
	struct order_list touches;
	struct order_list users;
	u32 *order;
	u32 *place;
	u32 *first;
	u32 *last;
	u64 *before_bytes;
	u64 *step_bytes;
	u32 *local;
	u32 *stamp;
	u32 clock;
};

/**
 * struct order_window - consecutive operators of the current order, to be reordered
 * @num_ops: number of operators; they are numbered from 0, in the current order
 * @ops: by number: its number in the graph
 * @preds: within the window
 * @succs: within the window
 * @touches: by operator: storages, also numbered within the window
 * @users: by storage: operators within the window
 * @made: by operator: the storage that it is a maker of and that is not alive before, or
 *	LOOM_ORDER_NONE
 * @num_storages: number of storages that the window touches
 * @size_bytes: by storage
 * @num_makers: by storage: makers within the window; 0: it is alive before the window
 * @keep: by storage: it is alive behind the window
 * @entry_bytes: bytes alive before the window
 * @floor_bytes: the largest lower bound on a step, over all orders
 * @peak_bytes: of the best order known
 * @bound_bytes: of any order
 * @best: the best order known, in the window's numbers
 */
struct order_window {
	u32 num_ops;
	u32 *ops;
	struct order_list preds;
	struct order_list succs;
	struct order_list touches;
	struct order_list users;
	u32 *made;
	u32 num_storages;
	u64 *size_bytes;
	u32 *num_makers;
	bool *keep;
	u64 entry_bytes;
	u64 floor_bytes;
	u64 peak_bytes;
	u64 bound_bytes;
	u32 *best;
};

/* window.c */

/** order_graph_init() - from operators; the current order is the given one. 0 or -errno */
int order_graph_init(struct order_graph *graph, const struct loom_order_op *ops, u32 num_ops);
/** order_graph_clear() - frees what @graph holds */
void order_graph_clear(struct order_graph *graph);
/** order_graph_measure() - updates lifetimes and sums after a change of @num_ops entries */
void order_graph_measure(struct order_graph *graph, u32 first, u32 num_ops);
/** order_graph_peak() - the largest step from index @first on, and the first such index */
u64 order_graph_peak(const struct order_graph *graph, u32 first, u32 num_ops, u32 *at);
/** order_window_init() - of @num_ops operators from index @first on. 0 or -ENOMEM */
int order_window_init(struct order_window *window, struct order_graph *graph, u32 first,
		      u32 num_ops);
/** order_window_clear() - frees what @window holds */
void order_window_clear(struct order_window *window);
/** order_window_peak() - peak of @order, which must be topological; @left: scratch, by storage */
u64 order_window_peak(const struct order_window *window, const u32 *order, u32 *left);
/** order_window_net() - change of the bytes alive by @op; @bits: operators that have run */
s64 order_window_net(const struct order_window *window, const u64 *bits, u32 op);
/** order_window_step() - bytes that the step of @op needs with @live_bytes alive before it */
u64 order_window_step(const struct order_window *window, const u64 *bits, u64 live_bytes, u32 op);
/** order_window_is_ready() - all predecessors of @op are among @bits */
bool order_window_is_ready(const struct order_window *window, const u64 *bits, u32 op);
/** order_window_offer() - keeps @order if it is the best so far; 0 or -ENOMEM */
int order_window_offer(struct order_window *window, const u32 *order);
/**
 * order_splits() - find the points at which a sequence can be cut in series
 * @preds: of the operators
 * @succs: of the operators
 * @ops: the sequence, convex: all operators on a path between two of them are in it
 * @num_ops: number of @ops
 * @place: by operator: its index in @ops if it is one of them
 * @inside: by operator: it is one of @ops if this is @token; NULL: all are
 * @token: see @inside
 * @cut: [out] by index: all before it precede all from it on. @num_ops + 1 entries; the
 *	first and the last are true
 *
 * Return: 0 or -ENOMEM.
 */
int order_splits(const struct order_list *preds, const struct order_list *succs, const u32 *ops,
		 u32 num_ops, const u32 *place, const u32 *inside, u32 token, bool *cut);

/* series_parallel.c */

/** order_series_parallel() - offers a composed order, raises the bound. 0 or -ENOMEM */
int order_series_parallel(struct order_window *window);

/* exact.c */

/** ORDER_EXACT_OPS - limit on the operators of a window for exact search */
#define ORDER_EXACT_OPS		1024

/**
 * order_exact() - search all orders of the window that are better than its best
 * @window: [in, out] best, peak, bound
 * @goal_bytes: a sufficient peak
 * @budget: [in, out] states left
 *
 * Return: 0, also if the budget ran out; -ENOMEM.
 */
int order_exact(struct order_window *window, u64 goal_bytes, u64 *budget);

/* greedy.c */

/** order_greedy() - offers orders by simple rules, in O(n log n). 0 or -ENOMEM */
int order_greedy(struct order_window *window);
/** order_beam() - offers the order of a beam search as wide as the budget allows. 0 or -ENOMEM */
int order_beam(struct order_window *window, u64 *budget);

#endif /* LOOM_ORDER_WINDOW_H */
