// SPDX-License-Identifier: MIT
/* Operators and storages with their lists, and windows of them. See window.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

static void *array(size_t count, size_t elem_bytes)
{
	return calloc(count + 1, elem_bytes);
}

static void list_clear(struct order_list *list)
{
	free(list->at);
	free(list->items);
}

static int list_init(struct order_list *list, size_t num_lists, size_t num_items)
{
	list->at = array(num_lists + 1, sizeof(*list->at));
	list->items = array(num_items, sizeof(*list->items));
	return list->at && list->items ? 0 : -ENOMEM;
}

/* Inverts a relation: by item, the lists that contain it, ascending. */
static int list_turn(struct order_list *turned, const struct order_list *list, u32 num_lists,
		     u32 num_turned)
{
	u32 num_items = list->at[num_lists], i, k;

	if (list_init(turned, num_turned, num_items))
		return -ENOMEM;
	for (i = 0; i < num_items; i++)
		turned->at[list->items[i] + 1]++;
	for (i = 0; i < num_turned; i++)
		turned->at[i + 1] += turned->at[i];
	for (i = 0; i < num_lists; i++)
		for (k = list->at[i]; k < list->at[i + 1]; k++)
			turned->items[turned->at[list->items[k]]++] = i;
	/* each start has moved to its end, which is the next one's start */
	memmove(&turned->at[1], &turned->at[0], num_turned * sizeof(*turned->at));
	turned->at[0] = 0;
	return 0;
}

/* Adds an entry to the list of operator @i, unless stamp[entry] shows that it is in it. */
static void list_add(struct order_list *list, u32 *end, u32 *stamp, u32 i, u32 entry)
{
	if (stamp[entry] == i + 1)
		return;
	stamp[entry] = i + 1;
	list->items[(*end)++] = entry;
}

static bool owns(const struct loom_order_op *ops, u32 owner)
{
	return owner != LOOM_ORDER_NONE && ops[owner].size_bytes;
}

static int graph_lists(struct order_graph *graph, const struct loom_order_op *ops, u64 num_edges)
{
	u32 n = graph->num_ops, end, i, k;

	if (list_init(&graph->preds, n, num_edges) || list_init(&graph->touches, n, num_edges))
		return -ENOMEM;
	for (i = 0, end = 0; i < n; i++) {
		for (k = 0; k < ops[i].num_inputs; k++)
			list_add(&graph->preds, &end, graph->stamp, i, ops[i].inputs[k]);
		/* a view of an operator that is no input is useless, but valid */
		if (ops[i].owner < i)
			list_add(&graph->preds, &end, graph->stamp, i, ops[i].owner);
		graph->preds.at[i + 1] = end;
	}
	memset(graph->stamp, 0, n * sizeof(*graph->stamp));
	for (i = 0, end = 0; i < n; i++) {
		graph->made[i] = LOOM_ORDER_NONE;
		if (owns(ops, ops[i].owner)) {
			list_add(&graph->touches, &end, graph->stamp, i, ops[i].owner);
			/* an operator behind the owner is not a maker: the owner has run by then */
			if (ops[i].owner >= i)
				graph->made[i] = ops[i].owner;
		}
		for (k = 0; k < ops[i].num_inputs; k++)
			if (owns(ops, ops[ops[i].inputs[k]].owner))
				list_add(&graph->touches, &end, graph->stamp, i,
					 ops[ops[i].inputs[k]].owner);
		graph->touches.at[i + 1] = end;
	}
	memset(graph->stamp, 0, n * sizeof(*graph->stamp));
	if (list_turn(&graph->succs, &graph->preds, n, n))
		return -ENOMEM;
	return list_turn(&graph->users, &graph->touches, n, n);
}

static int graph_check(const struct loom_order_op *ops, u32 num_ops, u64 *num_edges)
{
	u64 sum = 0;
	u32 i, k;

	for (*num_edges = 0, i = 0; i < num_ops; i++) {
		u32 owner = ops[i].owner;

		/* one more edge, to the owner */
		*num_edges += (u64)ops[i].num_inputs + 1;
		for (k = 0; k < ops[i].num_inputs; k++)
			if (ops[i].inputs[k] >= i)
				return -EINVAL;
		if (owner == LOOM_ORDER_NONE)
			continue;
		if (owner >= num_ops || ops[owner].owner != owner)
			return -EINVAL;
		if (owner == i && (check_add_overflow(sum, ops[i].size_bytes, &sum) || sum >> 62))
			return -ERANGE;
	}
	return *num_edges > U32_MAX / 2 ? -ERANGE : 0;
}

int order_graph_init(struct order_graph *graph, const struct loom_order_op *ops, u32 num_ops)
{
	u64 num_edges;
	u32 i;
	int ret;

	memset(graph, 0, sizeof(*graph));
	ret = graph_check(ops, num_ops, &num_edges);
	if (ret)
		return ret;
	graph->num_ops = num_ops;
	graph->size_bytes = array(num_ops, sizeof(*graph->size_bytes));
	graph->order = array(num_ops, sizeof(*graph->order));
	graph->place = array(num_ops, sizeof(*graph->place));
	graph->made = array(num_ops, sizeof(*graph->made));
	graph->first = array(num_ops, sizeof(*graph->first));
	graph->last = array(num_ops, sizeof(*graph->last));
	graph->before_bytes = array(num_ops, sizeof(*graph->before_bytes));
	graph->step_bytes = array(num_ops, sizeof(*graph->step_bytes));
	graph->local = array(num_ops, sizeof(*graph->local));
	graph->stamp = array(num_ops, sizeof(*graph->stamp));
	if (!graph->size_bytes || !graph->order || !graph->place || !graph->made ||
	    !graph->first || !graph->last || !graph->before_bytes || !graph->step_bytes ||
	    !graph->local || !graph->stamp)
		return -ENOMEM;
	for (i = 0; i < num_ops; i++) {
		graph->size_bytes[i] = ops[i].owner == i ? ops[i].size_bytes : 0;
		graph->order[i] = i;
	}
	return graph_lists(graph, ops, num_edges);
}

void order_graph_clear(struct order_graph *graph)
{
	list_clear(&graph->preds);
	list_clear(&graph->succs);
	list_clear(&graph->touches);
	list_clear(&graph->users);
	free(graph->size_bytes);
	free(graph->order);
	free(graph->place);
	free(graph->made);
	free(graph->first);
	free(graph->last);
	free(graph->before_bytes);
	free(graph->step_bytes);
	free(graph->local);
	free(graph->stamp);
	memset(graph, 0, sizeof(*graph));
}

/* Finds the first and last touch of @storage, unless this pass (@clock) has. */
static void find_ends(struct order_graph *graph, u32 storage)
{
	u32 first = graph->num_ops, last = 0, k;

	if (graph->stamp[storage] == graph->clock)
		return;
	graph->stamp[storage] = graph->clock;
	for (k = graph->users.at[storage]; k < graph->users.at[storage + 1]; k++) {
		first = min(first, graph->place[graph->users.items[k]]);
		last = max(last, graph->place[graph->users.items[k]]);
	}
	graph->first[storage] = first;
	graph->last[storage] = last;
}

void order_graph_measure(struct order_graph *graph, u32 first, u32 num_ops)
{
	const struct order_list *touches = &graph->touches;
	u64 live = graph->before_bytes[first];
	u32 i, k;

	for (i = first; i < first + num_ops; i++)
		graph->place[graph->order[i]] = i;
	graph->clock++;
	for (i = first; i < first + num_ops; i++) {
		u32 op = graph->order[i];

		for (k = touches->at[op]; k < touches->at[op + 1]; k++)
			find_ends(graph, touches->items[k]);
	}
	for (i = first; i < first + num_ops; i++) {
		u32 op = graph->order[i];

		graph->before_bytes[i] = live;
		for (k = touches->at[op]; k < touches->at[op + 1]; k++)
			if (graph->first[touches->items[k]] == i)
				live += graph->size_bytes[touches->items[k]];
		graph->step_bytes[i] = live;
		for (k = touches->at[op]; k < touches->at[op + 1]; k++)
			if (graph->last[touches->items[k]] == i)
				live -= graph->size_bytes[touches->items[k]];
	}
}

u64 order_graph_peak(const struct order_graph *graph, u32 first, u32 num_ops, u32 *at)
{
	u64 peak = 0;
	u32 i;

	*at = first;
	for (i = first; i < first + num_ops; i++) {
		if (graph->step_bytes[i] <= peak)
			continue;
		peak = graph->step_bytes[i];
		*at = i;
	}
	return peak;
}

/* Numbers storages in the order in which operators touch them. */
static u32 window_storage(struct order_window *window, struct order_graph *graph, u32 storage,
			  u32 end)
{
	u32 number = window->num_storages;

	if (graph->stamp[storage] == graph->clock)
		return graph->local[storage];
	graph->stamp[storage] = graph->clock;
	graph->local[storage] = number;
	window->size_bytes[number] = graph->size_bytes[storage];
	window->keep[number] = graph->last[storage] >= end;
	window->num_storages++;
	return number;
}

static int window_storages(struct order_window *window, struct order_graph *graph, u32 first)
{
	u32 end = first + window->num_ops, at = 0, i, k;

	graph->clock++;
	for (i = 0; i < window->num_ops; i++) {
		u32 op = window->ops[i], made = graph->made[op];

		for (k = graph->touches.at[op]; k < graph->touches.at[op + 1]; k++)
			window->touches.items[at++] =
				window_storage(window, graph, graph->touches.items[k], end);
		window->touches.at[i + 1] = at;
		window->made[i] = LOOM_ORDER_NONE;
		if (made == LOOM_ORDER_NONE || graph->first[made] < first)
			continue;
		window->made[i] = graph->local[made];
		window->num_makers[window->made[i]]++;
	}
	return list_turn(&window->users, &window->touches, window->num_ops, window->num_storages);
}

static int window_edges(struct order_window *window, struct order_graph *graph)
{
	u32 at = 0, i, k;

	graph->clock++;
	for (i = 0; i < window->num_ops; i++) {
		u32 op = window->ops[i];

		graph->local[op] = i;
		graph->stamp[op] = graph->clock;
		/* predecessors in the window were numbered before */
		for (k = graph->preds.at[op]; k < graph->preds.at[op + 1]; k++)
			if (graph->stamp[graph->preds.items[k]] == graph->clock)
				window->preds.items[at++] = graph->local[graph->preds.items[k]];
		window->preds.at[i + 1] = at;
	}
	return list_turn(&window->succs, &window->preds, window->num_ops, window->num_ops);
}

/*
 * A lower bound: in any order, a step needs the bytes alive across the window and those it touches.
 */
static u64 window_floor(const struct order_window *window)
{
	u64 crossing = window->entry_bytes, floor, need;
	u32 i, k;

	for (i = 0; i < window->num_storages; i++)
		if (!window->num_makers[i] && !window->keep[i])
			crossing -= window->size_bytes[i];
	floor = window->num_ops ? crossing : 0;
	for (i = 0; i < window->num_ops; i++) {
		need = crossing;
		for (k = window->touches.at[i]; k < window->touches.at[i + 1]; k++) {
			u32 storage = window->touches.items[k];

			if (window->num_makers[storage] || !window->keep[storage])
				need += window->size_bytes[storage];
		}
		floor = max(floor, need);
	}
	return floor;
}

int order_window_init(struct order_window *window, struct order_graph *graph, u32 first,
		      u32 num_ops)
{
	u64 num_touches = 0, num_preds = 0;
	u32 *left, i;
	int ret;

	memset(window, 0, sizeof(*window));
	window->num_ops = num_ops;
	window->entry_bytes = graph->before_bytes[first];
	for (i = 0; i < num_ops; i++) {
		u32 op = graph->order[first + i];

		num_touches += graph->touches.at[op + 1] - graph->touches.at[op];
		num_preds += graph->preds.at[op + 1] - graph->preds.at[op];
	}
	window->ops = array(num_ops, sizeof(*window->ops));
	window->made = array(num_ops, sizeof(*window->made));
	window->best = array(num_ops, sizeof(*window->best));
	window->size_bytes = array(num_touches, sizeof(*window->size_bytes));
	window->num_makers = array(num_touches, sizeof(*window->num_makers));
	window->keep = array(num_touches, sizeof(*window->keep));
	if (!window->ops || !window->made || !window->best || !window->size_bytes ||
	    !window->num_makers || !window->keep ||
	    list_init(&window->preds, num_ops, num_preds) ||
	    list_init(&window->touches, num_ops, num_touches))
		return -ENOMEM;
	for (i = 0; i < num_ops; i++) {
		window->ops[i] = graph->order[first + i];
		window->best[i] = i;
	}
	ret = window_storages(window, graph, first);
	if (!ret)
		ret = window_edges(window, graph);
	if (ret)
		return ret;
	left = array(window->num_storages, sizeof(*left));
	if (!left)
		return -ENOMEM;
	window->peak_bytes = order_window_peak(window, window->best, left);
	window->floor_bytes = window_floor(window);
	window->bound_bytes = window->floor_bytes;
	free(left);
	return 0;
}

void order_window_clear(struct order_window *window)
{
	list_clear(&window->preds);
	list_clear(&window->succs);
	list_clear(&window->touches);
	list_clear(&window->users);
	free(window->ops);
	free(window->made);
	free(window->best);
	free(window->size_bytes);
	free(window->num_makers);
	free(window->keep);
	memset(window, 0, sizeof(*window));
}

u64 order_window_peak(const struct order_window *window, const u32 *order, u32 *left)
{
	const struct order_list *touches = &window->touches;
	u64 live = window->entry_bytes, peak = live;
	u32 i, k;

	/* number of users that have not run, one more for storages alive behind the window */
	for (i = 0; i < window->num_storages; i++)
		left[i] = window->users.at[i + 1] - window->users.at[i] + window->keep[i];
	for (i = 0; i < window->num_ops; i++) {
		u32 op = order[i], made = window->made[op];

		if (made != LOOM_ORDER_NONE &&
		    left[made] == window->users.at[made + 1] - window->users.at[made] +
		    window->keep[made])
			live += window->size_bytes[made];
		peak = max(peak, live);
		for (k = touches->at[op]; k < touches->at[op + 1]; k++)
			if (!--left[touches->items[k]])
				live -= window->size_bytes[touches->items[k]];
	}
	return peak;
}

int order_window_offer(struct order_window *window, const u32 *order)
{
	u32 *left = array(window->num_storages, sizeof(*left));
	u64 peak;

	if (!left)
		return -ENOMEM;
	peak = order_window_peak(window, order, left);
	free(left);
	if (peak < window->peak_bytes) {
		window->peak_bytes = peak;
		memcpy(window->best, order, window->num_ops * sizeof(*order));
	}
	return 0;
}

static bool bit_get(const u64 *bits, u32 i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

/* Whether some of the users of @storage except @op have run, and whether all have. */
static void users_done(const struct order_window *window, const u64 *bits, u32 storage, u32 op,
		       bool *some, bool *all)
{
	u32 k;

	*some = false;
	*all = true;
	for (k = window->users.at[storage]; k < window->users.at[storage + 1]; k++) {
		if (window->users.items[k] == op)
			continue;
		if (bit_get(bits, window->users.items[k]))
			*some = true;
		else
			*all = false;
		if (*some && !*all)
			break;
	}
}

s64 order_window_net(const struct order_window *window, const u64 *bits, u32 op)
{
	s64 net = 0;
	bool some, all;
	u32 k;

	for (k = window->touches.at[op]; k < window->touches.at[op + 1]; k++) {
		u32 storage = window->touches.items[k];

		users_done(window, bits, storage, op, &some, &all);
		if (storage == window->made[op] && !some)
			net += window->size_bytes[storage];
		if (all && !window->keep[storage])
			net -= window->size_bytes[storage];
	}
	return net;
}

u64 order_window_step(const struct order_window *window, const u64 *bits, u64 live_bytes, u32 op)
{
	u32 made = window->made[op];
	bool some = false, all;

	if (made == LOOM_ORDER_NONE)
		return live_bytes;
	if (window->num_makers[made] > 1)
		users_done(window, bits, made, op, &some, &all);
	return some ? live_bytes : live_bytes + window->size_bytes[made];
}

bool order_window_is_ready(const struct order_window *window, const u64 *bits, u32 op)
{
	u32 k;

	for (k = window->preds.at[op]; k < window->preds.at[op + 1]; k++)
		if (!bit_get(bits, window->preds.items[k]))
			return false;
	return true;
}

/*
 * Index p is a cut if each operator before it precedes each from it on. Ends are the operators
 * before p without a successor before p; begins are those from p on without a predecessor from p
 * on. It suffices that each end precedes each begin, and as no operator can lie between the two,
 * there has to be an edge for each pair. So edges are counted: with @pred the last predecessor of
 * an operator and @succ its first successor, it is an end for p in (place, succ], a begin for p in
 * (pred, place], and an edge (u, w) joins an end and a begin for p in (pred of w, succ of u].
 */
struct split_count {
	s64 ends;
	s64 begins;
	s64 edges;
};

static void split_count_op(struct split_count *count, u32 place, s64 pred, u32 succ)
{
	count[place + 1].ends++;
	count[succ + 1].ends--;
	count[pred + 1].begins++;
	count[place + 1].begins--;
}

static s64 last_pred(const struct order_list *preds, u32 op, const u32 *place, const u32 *inside,
		     u32 token)
{
	s64 last = -1;
	u32 k;

	for (k = preds->at[op]; k < preds->at[op + 1]; k++)
		if (!inside || inside[preds->items[k]] == token)
			last = max(last, (s64)place[preds->items[k]]);
	return last;
}

int order_splits(const struct order_list *preds, const struct order_list *succs, const u32 *ops,
		 u32 num_ops, const u32 *place, const u32 *inside, u32 token, bool *cut)
{
	struct split_count *count = array((size_t)num_ops + 2, sizeof(*count)), sum = { 0 };
	s64 *pred = array(num_ops, sizeof(*pred));
	u32 i, k;

	if (!count || !pred) {
		free(count);
		free(pred);
		return -ENOMEM;
	}
	for (i = 0; i < num_ops; i++)
		pred[i] = last_pred(preds, ops[i], place, inside, token);
	for (i = 0; i < num_ops; i++) {
		u32 succ = num_ops;

		for (k = succs->at[ops[i]]; k < succs->at[ops[i] + 1]; k++)
			if (!inside || inside[succs->items[k]] == token)
				succ = min(succ, place[succs->items[k]]);
		split_count_op(count, i, pred[i], succ);
		for (k = succs->at[ops[i]]; k < succs->at[ops[i] + 1]; k++) {
			u32 to = succs->items[k];

			if ((inside && inside[to] != token) || pred[place[to]] >= (s64)succ)
				continue;
			count[pred[place[to]] + 1].edges++;
			count[succ + 1].edges--;
		}
	}
	for (i = 0; i <= num_ops; i++) {
		sum.ends += count[i].ends;
		sum.begins += count[i].begins;
		sum.edges += count[i].edges;
		cut[i] = sum.edges == sum.ends * sum.begins;
	}
	cut[0] = true;
	cut[num_ops] = true;
	free(count);
	free(pred);
	return 0;
}
