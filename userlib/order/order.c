// SPDX-License-Identifier: MIT
/* Parts in series, each improved as far as the peak requires. See DOC: Ordering in order.h. */
#include "order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

/** minimum and maximum number of operators of a window around the peak */
#define IMPROVE_MIN_OPS		12
#define IMPROVE_MAX_OPS		96
/** states that the search of one window may visit */
#define IMPROVE_STATES		2000

/**
 * struct part - operators that are consecutive in every order
 * @first: index of the first
 * @num_ops: number of operators
 * @peak_bytes: in the given order
 * @window: made if the part has more than one operator
 */
struct part {
	u32 first;
	u32 num_ops;
	u64 peak_bytes;
	struct order_window window;
};

/**
 * struct ordering - state of loom_order()
 * @graph: with the current order
 * @parts: the parts between cuts, in order
 * @num_parts: number of @parts
 * @todo: indices of parts with more than one operator, by falling peak
 * @num_todo: number of them
 * @budget: states left
 * @bound_bytes: lower bound of the peak of all orders
 * @peak_bytes: largest peak of the parts done so far
 */
struct ordering {
	struct order_graph graph;
	struct part *parts;
	u32 num_parts;
	struct part **todo;
	u32 num_todo;
	u64 budget;
	u64 bound_bytes;
	u64 peak_bytes;
};

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = *(struct part *const *)a, *y = *(struct part *const *)b;

	if (x->peak_bytes != y->peak_bytes)
		return x->peak_bytes > y->peak_bytes ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int find_parts(struct ordering *ordering)
{
	struct order_graph *graph = &ordering->graph;
	u32 n = graph->num_ops, first, end, at;
	bool *cut = calloc((size_t)n + 2, sizeof(*cut));
	int ret = -ENOMEM;

	ordering->parts = calloc((size_t)n + 1, sizeof(*ordering->parts));
	ordering->todo = calloc((size_t)n + 1, sizeof(*ordering->todo));
	if (cut && ordering->parts && ordering->todo)
		ret = order_splits(&graph->preds, &graph->succs, graph->order, n, graph->place,
				   NULL, 0, cut);
	for (first = 0; first < n && !ret; first = end) {
		struct part *part = &ordering->parts[ordering->num_parts++];

		for (end = first + 1; !cut[end]; end++)
			;
		part->first = first;
		part->num_ops = end - first;
		part->peak_bytes = order_graph_peak(graph, first, end - first, &at);
		if (part->num_ops > 1)
			ordering->todo[ordering->num_todo++] = part;
		else
			ordering->bound_bytes = max(ordering->bound_bytes, part->peak_bytes);
	}
	ordering->peak_bytes = ordering->bound_bytes;
	if (!ret && ordering->num_todo)
		qsort(ordering->todo, ordering->num_todo, sizeof(*ordering->todo), compare_parts);
	free(cut);
	return ret;
}

static bool good_enough(const struct order_window *window, u64 goal_bytes)
{
	return window->peak_bytes <= max(window->bound_bytes, goal_bytes);
}

/* Tries methods from cheap to expensive until the peak is @goal_bytes, which another part needs. */
static int solve_window(struct order_window *window, u64 goal_bytes, u64 *budget)
{
	u64 share;
	int ret;

	if (good_enough(window, goal_bytes))
		return 0;
	ret = order_series_parallel(window);
	if (ret || good_enough(window, goal_bytes))
		return ret;
	ret = order_greedy(window);
	if (ret || good_enough(window, goal_bytes))
		return ret;
	share = *budget / 2;
	*budget -= share;
	ret = order_exact(window, goal_bytes, &share);
	*budget += share;
	if (ret || good_enough(window, goal_bytes))
		return ret;
	share = *budget / 2;
	*budget -= share;
	ret = order_beam(window, &share);
	*budget += share;
	return ret;
}

static void apply_window(struct order_graph *graph, const struct order_window *window, u32 first)
{
	u32 i;

	for (i = 0; i < window->num_ops; i++)
		graph->order[first + i] = window->ops[window->best[i]];
}

static int solve_parts(struct ordering *ordering)
{
	struct part *part;
	int ret = 0;
	u32 i;

	/* first the lower bounds of all parts: the largest holds for the whole graph */
	for (i = 0; i < ordering->num_todo && !ret; i++) {
		part = ordering->todo[i];
		ret = order_window_init(&part->window, &ordering->graph, part->first,
					part->num_ops);
		ordering->bound_bytes = max(ordering->bound_bytes, part->window.floor_bytes);
	}
	for (i = 0; i < ordering->num_todo && !ret; i++) {
		u64 goal = max(ordering->bound_bytes, ordering->peak_bytes);

		part = ordering->todo[i];
		if (part->peak_bytes > goal)
			ret = solve_window(&part->window, goal, &ordering->budget);
		ordering->bound_bytes = max(ordering->bound_bytes, part->window.bound_bytes);
		ordering->peak_bytes = max(ordering->peak_bytes, part->window.peak_bytes);
	}
	/* parts that do not exceed the peak keep the given order */
	for (i = 0; i < ordering->num_todo && !ret; i++) {
		part = ordering->todo[i];
		if (part->peak_bytes > ordering->peak_bytes)
			apply_window(&ordering->graph, &part->window, part->first);
	}
	return ret;
}

/* Searches @num_ops operators from index @first exactly. Returns 1 if their peak is lower now. */
static int improve_at(struct ordering *ordering, u32 first, u32 num_ops)
{
	struct order_window window;
	u64 share = IMPROVE_STATES, work = num_ops, before;
	int ret;

	share = min(share, ordering->budget);
	ordering->budget -= share;
	ret = order_window_init(&window, &ordering->graph, first, num_ops);
	before = window.peak_bytes;
	if (!ret)
		ret = order_exact(&window, ordering->bound_bytes, &share);
	/* making the window costs about as much as this many states */
	share -= min(share, work);
	ordering->budget += share;
	if (!ret && window.peak_bytes < before) {
		apply_window(&ordering->graph, &window, first);
		order_graph_measure(&ordering->graph, first, num_ops);
		ret = 1;
	}
	order_window_clear(&window);
	return ret;
}

/* Tries windows with the peak at their begin, in the middle, and at the end; then larger ones. */
static int improve_once(struct ordering *ordering, u32 peak_at)
{
	u32 n = ordering->graph.num_ops, num, quarter, back;
	int ret = 0;

	for (num = IMPROVE_MIN_OPS; num <= IMPROVE_MAX_OPS && !ret; num *= 2) {
		for (quarter = 0; quarter < 4 && !ret && ordering->budget; quarter++) {
			back = min(peak_at, (num - 1) * quarter / 3);
			ret = improve_at(ordering, peak_at - back,
					 min(num, n - (peak_at - back)));
		}
		if (num >= n)
			break;
	}
	return ret;
}

static int improve(struct ordering *ordering)
{
	struct order_graph *graph = &ordering->graph;
	u32 at;
	int ret = 1;

	order_graph_measure(graph, 0, graph->num_ops);
	while (ret > 0) {
		ordering->peak_bytes = order_graph_peak(graph, 0, graph->num_ops, &at);
		if (ordering->peak_bytes <= ordering->bound_bytes || !ordering->budget)
			return 0;
		ret = improve_once(ordering, at);
	}
	return ret;
}

static void ordering_clear(struct ordering *ordering)
{
	u32 i;

	for (i = 0; i < ordering->num_todo; i++)
		order_window_clear(&ordering->todo[i]->window);
	free(ordering->parts);
	free(ordering->todo);
	order_graph_clear(&ordering->graph);
}

static int ordering_run(struct ordering *ordering, struct loom_order_result *result)
{
	u32 n = ordering->graph.num_ops, i;
	int ret;

	order_graph_measure(&ordering->graph, 0, n);
	result->given_bytes = order_graph_peak(&ordering->graph, 0, n, &i);
	ret = find_parts(ordering);
	if (!ret)
		ret = solve_parts(ordering);
	if (!ret)
		ret = improve(ordering);
	if (ret)
		return ret;
	result->peak_bytes = min(ordering->peak_bytes, result->given_bytes);
	result->bound_bytes = ordering->bound_bytes;
	result->proved = result->peak_bytes == result->bound_bytes;
	for (i = 0; i < n; i++)
		result->order[i] = result->peak_bytes < result->given_bytes ?
				   ordering->graph.order[i] : i;
	return 0;
}

int loom_order(const struct loom_order_op *ops, u32 num_ops, u64 budget,
	       struct loom_order_result *result)
{
	struct ordering ordering = { .budget = budget ? budget : LOOM_ORDER_BUDGET };
	int ret;

	ret = order_graph_init(&ordering.graph, ops, num_ops);
	if (!ret)
		ret = ordering_run(&ordering, result);
	result->states = (budget ? budget : LOOM_ORDER_BUDGET) - ordering.budget;
	ordering_clear(&ordering);
	return ret;
}

/* Owners that @op touches: its own, then those of its inputs. */
static u32 touched(const struct loom_order_op *ops, u32 op, u32 index)
{
	return ops[index ? ops[op].inputs[index - 1] : op].owner;
}

/* The peak of @order; @place, @last: scratch memory by operator and by owner. */
static int measure(const struct loom_order_op *ops, u32 num_ops, const u32 *order, u32 *place,
		   u32 *last, u64 *peak_bytes)
{
	u64 live = 0;
	u32 op, owner, k, at;

	for (op = 0; op < num_ops; op++) {
		place[op] = LOOM_ORDER_NONE;
		last[op] = LOOM_ORDER_NONE;
	}
	for (at = 0; at < num_ops; at++) {
		op = order[at];
		if (op >= num_ops || place[op] != LOOM_ORDER_NONE)
			return -EINVAL;
		place[op] = at;
		for (k = 0; k < ops[op].num_inputs; k++)
			if (ops[op].inputs[k] >= num_ops ||
			    place[ops[op].inputs[k]] == LOOM_ORDER_NONE)
				return -EINVAL;
		if (ops[op].owner < op && place[ops[op].owner] == LOOM_ORDER_NONE)
			return -EINVAL;
		for (k = 0; k <= ops[op].num_inputs; k++) {
			owner = touched(ops, op, k);
			if (owner < num_ops)
				last[owner] = at;
		}
	}
	/* from here on, @place is 1 for owners whose bytes are alive, else 0 */
	for (op = 0; op < num_ops; op++)
		place[op] = 0;
	*peak_bytes = 0;
	for (at = 0; at < num_ops; at++) {
		op = order[at];
		for (k = 0; k <= ops[op].num_inputs; k++) {
			owner = touched(ops, op, k);
			if (owner >= num_ops || place[owner])
				continue;
			place[owner] = 1;
			live += ops[owner].size_bytes;
		}
		*peak_bytes = max(*peak_bytes, live);
		for (k = 0; k <= ops[op].num_inputs; k++) {
			owner = touched(ops, op, k);
			if (owner >= num_ops || last[owner] != at)
				continue;
			/* free it once, even if the operator touches it twice */
			last[owner] = LOOM_ORDER_NONE;
			live -= ops[owner].size_bytes;
		}
	}
	return 0;
}

int loom_order_peak(const struct loom_order_op *ops, u32 num_ops, const u32 *order,
		    u64 *peak_bytes)
{
	u32 *place = calloc((size_t)num_ops + 1, sizeof(*place));
	u32 *last = calloc((size_t)num_ops + 1, sizeof(*last));
	int ret = -ENOMEM;

	if (place && last)
		ret = measure(ops, num_ops, order, place, last, peak_bytes);
	free(place);
	free(last);
	return ret;
}
