// SPDX-License-Identifier: MIT
/*
 * DOC: Series-parallel order
 *
 * Give each operator a fixed net: its result, less what it is the last to read. Then the peak is a
 * largest cumulative cost, and for series-parallel precedence that has an optimal order in almost
 * linear time (Abdel-Wahab and Kameda 1978; Liu 1987 for trees).
 *
 * A sequence is a list of *segments*, each with a hill (the most that is alive in it, above its
 * begin) and a net (its end above its begin). Its *falls* come first, segments with a net of 0
 * or less, down to the deepest valley; then its *rises*. A segment that would never be parted from
 * its neighbour is one with it: so falls have rising hills, and rises, seen from the end of time,
 * too. Sequences side by side: all falls by rising hill, then all rises by falling hill above
 * their end. In series: one list is appended to the other, segment by segment.
 *
 * What is not fixed is who reads a storage last if several could. The order is made as if those
 * were last that are last in the best order known, a few times over. The bound is made by a
 * relaxation: such a storage costs only in the steps that make or read it, and is gone in between.
 * Where the two meet, or no storage is of that kind, the order is optimal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "order_priv.h"

/** how deep series and parallel may nest; nobody builds such a graph by hand */
#define MAX_DEPTH	64
/** orders that are made one from the other */
#define ROUNDS		3
/** words of a reachability matrix that are worth it */
#define REACH_WORDS	((size_t)4 << 20)

/**
 * struct segment - operators that stay together
 * @hill: most above the begin
 * @net: end above begin
 * @head: first operator
 * @tail: last operator
 */
struct segment {
	s64 hill;
	s64 net;
	u32 head;
	u32 tail;
};

/**
 * struct sequence - segments, falls first
 * @segments: from malloc
 * @num_falls: how many of them are falls
 * @num: number of them
 * @cap: room
 */
struct sequence {
	struct segment *segments;
	u32 num_falls;
	u32 num;
	u32 cap;
};

/**
 * struct compose - a composition
 * @window: of what
 * @next: by operator: the one behind it in its segment
 * @last: by storage: who is said to read it last, or LOOM_ORDER_NONE: not fixed
 * @relaxed: storages that are not fixed cost only in the steps that make or read them
 * @place: by operator: index in the set at hand
 * @inside: by operator: number of the set that it is in
 * @sets: number of sets so far
 * @prime: something was not series-parallel, and kept its order
 */
struct compose {
	const struct order_window *window;
	u32 *next;
	const u32 *last;
	bool relaxed;
	u32 *place;
	u32 *inside;
	u32 sets;
	bool prime;
};

static struct segment join(struct compose *compose, struct segment a, struct segment b)
{
	compose->next[a.tail] = b.head;
	return (struct segment){
		.hill = max(a.hill, a.net + b.hill),
		.net = a.net + b.net,
		.head = a.head,
		.tail = b.tail,
	};
}

static int push(struct sequence *sequence, struct segment segment)
{
	if (sequence->num == sequence->cap) {
		u32 cap = sequence->cap ? 2 * sequence->cap : 4;
		struct segment *grown;

		grown = realloc(sequence->segments, cap * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		sequence->segments = grown;
		sequence->cap = cap;
	}
	sequence->segments[sequence->num++] = segment;
	return 0;
}

/* In series: @segment comes behind all of @sequence. */
static int append(struct compose *compose, struct sequence *sequence, struct segment segment)
{
	struct segment *top;

	while (sequence->num > sequence->num_falls) {
		top = &sequence->segments[sequence->num - 1];
		if (segment.net >= 0 && segment.hill - segment.net < top->hill - top->net)
			return push(sequence, segment);
		segment = join(compose, *top, segment);
		sequence->num--;
	}
	if (segment.net > 0)
		return push(sequence, segment);
	while (sequence->num) {
		top = &sequence->segments[sequence->num - 1];
		if (top->hill < segment.hill)
			break;
		segment = join(compose, *top, segment);
		sequence->num--;
	}
	sequence->num_falls = sequence->num + 1;
	return push(sequence, segment);
}

static struct segment of_op(const struct compose *compose, u32 op)
{
	const struct order_window *window = compose->window;
	struct segment segment = { .head = op, .tail = op };
	u32 own = window->own[op], k;

	if (own != LOOM_ORDER_NONE) {
		segment.hill = window->size_bytes[own];
		if (window->keep[own] ||
		    (window->users.at[own] < window->users.at[own + 1] &&
		     !(compose->relaxed && compose->last[own] == LOOM_ORDER_NONE)))
			segment.net = segment.hill;
	}
	for (k = window->reads.at[op]; k < window->reads.at[op + 1]; k++) {
		u32 read = window->reads.items[k];

		if (window->keep[read])
			continue;
		if (compose->last[read] == op)
			segment.net -= window->size_bytes[read];
		else if (compose->relaxed && compose->last[read] == LOOM_ORDER_NONE)
			segment.hill += window->size_bytes[read];
	}
	return segment;
}

/* A segment on its way into a merged list; ties go by where it comes from. */
struct rank {
	s64 key;
	u32 from;
	struct segment segment;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Side by side. */
static int merge(const struct sequence *parts, u32 num_parts, struct sequence *merged)
{
	u32 num = 0, falls = 0, rises = 0, i, k;
	struct rank *ranks;
	int ret = 0;

	for (i = 0; i < num_parts; i++) {
		num += parts[i].num;
		rises += parts[i].num_falls;	/* where rises begin */
	}
	ranks = calloc((size_t)num + 1, sizeof(*ranks));
	if (!ranks)
		return -ENOMEM;
	merged->num_falls = rises;
	for (i = 0; i < num_parts; i++) {
		for (k = 0; k < parts[i].num; k++) {
			const struct segment *segment = &parts[i].segments[k];
			bool fall = k < parts[i].num_falls;
			u32 at = fall ? falls++ : rises++;

			ranks[at].key = fall ? segment->hill : segment->net - segment->hill;
			ranks[at].from = at;
			ranks[at].segment = *segment;
		}
	}
	qsort(ranks, merged->num_falls, sizeof(*ranks), compare_ranks);
	qsort(&ranks[merged->num_falls], num - merged->num_falls, sizeof(*ranks), compare_ranks);
	for (i = 0; i < num && !ret; i++)
		ret = push(merged, ranks[i].segment);
	free(ranks);
	return ret;
}

static int solve(struct compose *compose, const u32 *ops, u32 num_ops, u32 depth,
		 struct sequence *sequence);

static u32 find_root(u32 *parent, u32 i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

/* Gives each of @ops the index of its component, in order of their first operators. */
static u32 components(const struct compose *compose, const u32 *ops, u32 num_ops, u32 token,
		      u32 *parent, u32 *component)
{
	const struct order_list *succs = &compose->window->succs;
	u32 num = 0, i, k;

	for (i = 0; i < num_ops; i++)
		parent[i] = i;
	for (i = 0; i < num_ops; i++) {
		for (k = succs->at[ops[i]]; k < succs->at[ops[i] + 1]; k++) {
			u32 to = succs->items[k], a, b;

			if (compose->inside[to] != token)
				continue;
			a = find_root(parent, i);
			b = find_root(parent, compose->place[to]);
			parent[max(a, b)] = min(a, b);
		}
	}
	for (i = 0; i < num_ops; i++) {
		u32 root = find_root(parent, i);

		component[i] = root == i ? num++ : component[root];
	}
	return num;
}

static int solve_parallel(struct compose *compose, const u32 *ops, u32 num_ops,
			  const u32 *component, u32 num, u32 depth, struct sequence *sequence)
{
	u32 *begin = calloc((size_t)num + 2, sizeof(*begin)), i;
	u32 *sorted = calloc((size_t)num_ops + 1, sizeof(*sorted));
	struct sequence *parts = calloc(num, sizeof(*parts));
	int ret = begin && sorted && parts ? 0 : -ENOMEM;

	for (i = 0; i < num_ops && !ret; i++)
		begin[component[i] + 2]++;
	for (i = 0; i < num && !ret; i++)
		begin[i + 2] += begin[i + 1];
	for (i = 0; i < num_ops && !ret; i++)
		sorted[begin[component[i] + 1]++] = ops[i];
	for (i = 0; i < num && !ret; i++)
		ret = solve(compose, &sorted[begin[i]], begin[i + 1] - begin[i], depth + 1,
			    &parts[i]);
	if (!ret)
		ret = merge(parts, num, sequence);
	for (i = 0; parts && i < num; i++)
		free(parts[i].segments);
	free(parts);
	free(sorted);
	free(begin);
	return ret;
}

static int solve_series(struct compose *compose, const u32 *ops, u32 num_ops, const bool *cut,
			u32 depth, struct sequence *sequence)
{
	u32 first, end, i;
	int ret = 0;

	for (first = 0; first < num_ops && !ret; first = end) {
		struct sequence part = { 0 };

		for (end = first + 1; !cut[end]; end++)
			;
		if (end - first == num_ops && num_ops > 1)
			compose->prime = true;
		if (end - first == 1 || end - first == num_ops) {
			for (i = first; i < end && !ret; i++)
				ret = append(compose, sequence, of_op(compose, ops[i]));
			continue;
		}
		ret = solve(compose, &ops[first], end - first, depth + 1, &part);
		for (i = 0; i < part.num && !ret; i++)
			ret = append(compose, sequence, part.segments[i]);
		free(part.segments);
	}
	return ret;
}

/* A set of operators without one on a path between two that is not in it; @sequence is empty. */
static int solve(struct compose *compose, const u32 *ops, u32 num_ops, u32 depth,
		 struct sequence *sequence)
{
	u32 *parent = calloc((size_t)num_ops + 1, sizeof(*parent)), token = ++compose->sets, num, i;
	u32 *component = calloc((size_t)num_ops + 1, sizeof(*component));
	bool *cut = calloc((size_t)num_ops + 2, sizeof(*cut));
	int ret = parent && component && cut ? 0 : -ENOMEM;

	for (i = 0; i < num_ops; i++) {
		compose->place[ops[i]] = i;
		compose->inside[ops[i]] = token;
	}
	if (!ret) {
		num = components(compose, ops, num_ops, token, parent, component);
		if (num > 1 && depth < MAX_DEPTH) {
			ret = solve_parallel(compose, ops, num_ops, component, num, depth,
					     sequence);
		} else {
			if (depth < MAX_DEPTH)
				ret = order_splits(&compose->window->preds,
						   &compose->window->succs, ops, num_ops,
						   compose->place, compose->inside, token, cut);
			/* no cut but the ends: prime */
			cut[num_ops] = true;
			if (!ret)
				ret = solve_series(compose, ops, num_ops, cut, depth, sequence);
		}
	}
	free(parent);
	free(component);
	free(cut);
	return ret;
}

/* An order under @last, and its peak as this model sees it. */
static int compose_order(struct compose *compose, u32 *order, u64 *peak_bytes)
{
	const struct order_window *window = compose->window;
	struct sequence sequence = { 0 };
	s64 live = window->entry_bytes, peak;
	u32 num = 0, i, op;
	int ret;

	/* what is there before and not fixed costs nothing in between either */
	for (i = 0; i < window->num_storages; i++)
		if (compose->relaxed && compose->last[i] == LOOM_ORDER_NONE &&
		    window->owner[i] == LOOM_ORDER_NONE && !window->keep[i])
			live -= window->size_bytes[i];
	peak = live;
	for (i = 0; i < window->num_ops; i++)
		order[i] = i;
	compose->sets = 0;
	compose->prime = false;
	ret = solve(compose, order, window->num_ops, 0, &sequence);
	for (i = 0; i < sequence.num && !ret; i++) {
		const struct segment *segment = &sequence.segments[i];

		peak = max(peak, live + segment->hill);
		live += segment->net;
		for (op = segment->head; op != segment->tail; op = compose->next[op])
			order[num++] = op;
		order[num++] = op;
	}
	*peak_bytes = peak;
	free(sequence.segments);
	return ret;
}

/* By storage: who reads it last in @order. */
static void find_last(const struct order_window *window, const u32 *order, u32 *last)
{
	u32 i, k;

	for (i = 0; i < window->num_ops; i++)
		for (k = window->reads.at[order[i]]; k < window->reads.at[order[i] + 1]; k++)
			last[window->reads.items[k]] = order[i];
}

/*
 * Storages whose last reader is the same in every order keep it, the others have none. Who
 * precedes whom is a matrix of bits; where that would be too large, only sole readers are sure.
 */
static int keep_fixed(const struct order_window *window, u32 *last, bool *all)
{
	size_t words = window->num_ops / 64 + 1;
	u64 *before = NULL;
	u32 i, k, w;

	if (words * window->num_ops <= REACH_WORDS) {
		before = calloc(words * window->num_ops, sizeof(*before));
		if (!before)
			return -ENOMEM;
	}
	for (i = 0; i < window->num_ops && before; i++) {
		u64 *mine = &before[words * i];

		for (k = window->preds.at[i]; k < window->preds.at[i + 1]; k++) {
			u32 pred = window->preds.items[k];

			for (w = 0; w < words; w++)
				mine[w] |= before[words * pred + w];
			mine[pred / 64] |= 1ULL << (pred % 64);
		}
	}
	*all = true;
	for (i = 0; i < window->num_storages; i++) {
		u32 reader = last[i];
		bool fixed = true;

		for (k = window->users.at[i]; k < window->users.at[i + 1]; k++) {
			u32 user = window->users.items[k];

			fixed &= user == reader ||
				 (before && before[words * reader + user / 64] >> (user % 64) & 1);
		}
		if (window->keep[i] || fixed)
			continue;
		last[i] = LOOM_ORDER_NONE;
		*all = false;
	}
	free(before);
	return 0;
}

/* What no order can be below, if the window is series-parallel. */
static int raise_bound(struct compose *compose, struct order_window *window, u32 *last, u32 *order)
{
	u64 peak;
	bool all;
	int ret;

	find_last(window, window->best, last);
	ret = keep_fixed(window, last, &all);
	compose->relaxed = true;
	if (!ret)
		ret = compose_order(compose, order, &peak);
	if (!ret)
		ret = order_window_offer(window, order);
	if (!ret && !compose->prime)
		window->bound_bytes = max(window->bound_bytes, min(peak, window->peak_bytes));
	return ret;
}

static int make_orders(struct compose *compose, struct order_window *window, u32 *last, u32 *order)
{
	u64 model, before;
	u32 round;
	int ret = 0;

	find_last(window, window->best, last);
	compose->relaxed = false;
	for (round = 0; round < ROUNDS && !ret; round++) {
		before = window->peak_bytes;
		ret = compose_order(compose, order, &model);
		if (!ret)
			ret = order_window_offer(window, order);
		if (round && window->peak_bytes == before)
			break;
		find_last(window, order, last);
	}
	return ret;
}

int order_sp(struct order_window *window)
{
	struct compose compose = { .window = window };
	u32 *last = malloc(((size_t)window->num_storages + 1) * sizeof(*last));
	u32 *order = calloc((size_t)window->num_ops + 1, sizeof(*order));
	int ret = -ENOMEM;
	u32 i;

	compose.last = last;
	compose.next = calloc((size_t)window->num_ops + 1, sizeof(*compose.next));
	compose.place = calloc((size_t)window->num_ops + 1, sizeof(*compose.place));
	compose.inside = calloc((size_t)window->num_ops + 1, sizeof(*compose.inside));
	if (last && order && compose.next && compose.place && compose.inside) {
		for (i = 0; i < window->num_storages; i++)
			last[i] = LOOM_ORDER_NONE;
		ret = make_orders(&compose, window, last, order);
	}
	if (!ret && window->peak_bytes > window->bound_bytes)
		ret = raise_bound(&compose, window, last, order);
	free(last);
	free(order);
	free(compose.next);
	free(compose.place);
	free(compose.inside);
	return ret;
}
