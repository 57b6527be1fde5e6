// SPDX-License-Identifier: MIT
/*
 * DOC: Series-parallel order
 *
 * Let each operator have a fixed net: its result, less the bytes that it is the last to read. Then
 * the peak is a maximum cumulative cost, and for series-parallel precedence the order of least peak
 * is found in almost linear time (Abdel-Wahab and Kameda 1978; Liu 1987 for trees).
 *
 * A sequence is a list of *segments*, each with a hill (its largest number of bytes alive, above
 * its begin) and a net (its end above its begin). Its *falls* come first, segments with a net of 0
 * or less, down to the deepest valley; then its *rises*. Segments that no optimal order would
 * separate are merged: so falls have rising hills, and so have rises, seen backwards in time.
 * Parallel sequences are merged as all falls by rising hill, then all rises by falling hill above
 * their end. In series, one list is appended to the other, segment by segment.
 *
 * A net is not fixed if several operators could be the last to read a storage, or the first to make
 * a part of it: such a storage is *unpinned*. The order is composed as if the last readers were
 * those of the best order known, and this is repeated a few times. The bound is that of a
 * relaxation, in which an unpinned storage costs only in the steps that touch it, and nothing in
 * between. Where the two are equal, or no storage is unpinned, the order is optimal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

/** recursion limit for nested series and parallel, far above the depth of networks */
#define MAX_DEPTH	64
/** limit on the orders composed, each with the last readers of the one before */
#define ROUNDS		3
/** words of a reachability matrix: larger ones are not made */
#define REACH_WORDS	((size_t)4 << 20)

/**
 * struct segment - operators that stay together
 * @hill: largest number of bytes alive, above the begin
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
 * @num_falls: number of falls among them
 * @num: number of @segments
 * @cap: capacity of @segments
 */
struct sequence {
	struct segment *segments;
	u32 num_falls;
	u32 num;
	u32 cap;
};

/**
 * struct compose - a composition
 * @window: the window to order
 * @next: by operator: the next one in its segment
 * @first: by storage: the operator that is assumed to touch it first
 * @last: by storage: the operator that is assumed to touch it last
 * @unpinned: by storage: @first or @last depends on the order
 * @relaxed: unpinned storages cost only in the steps that touch them
 * @place: by operator: index in the set that is being decomposed
 * @inside: by operator: number of its set
 * @sets: number of sets so far
 * @prime: some set was not series-parallel, and kept its order
 */
struct compose {
	const struct order_window *window;
	u32 *next;
	u32 *first;
	u32 *last;
	bool *unpinned;
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

/* Appends @segment to @sequence and merges segments that no optimal order separates. */
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
	u32 k;

	for (k = window->touches.at[op]; k < window->touches.at[op + 1]; k++) {
		u32 storage = window->touches.items[k];
		s64 size = window->size_bytes[storage];

		if (compose->relaxed && compose->unpinned[storage]) {
			segment.hill += size;
			continue;
		}
		if (window->num_makers[storage] && compose->first[storage] == op) {
			segment.hill += size;
			segment.net += size;
		}
		if (!window->keep[storage] && compose->last[storage] == op)
			segment.net -= size;
	}
	return segment;
}

/* A segment to be merged and its sequence, which breaks ties. */
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

/* Merges parallel sequences: falls by rising hill, then rises by falling hill above their end. */
static int merge(const struct sequence *parts, u32 num_parts, struct sequence *merged)
{
	u32 num = 0, falls = 0, rises = 0, i, k;
	struct rank *ranks;
	int ret = 0;

	for (i = 0; i < num_parts; i++) {
		num += parts[i].num;
		rises += parts[i].num_falls;	/* index of the first rise */
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

/* Decomposes a convex set of operators; @sequence must be empty. */
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
			/* neither in series nor in parallel: keep the order */
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

/* Composes an order under the assumed @last; [out] its peak under that assumption. */
static int compose_order(struct compose *compose, u32 *order, u64 *peak_bytes)
{
	const struct order_window *window = compose->window;
	struct sequence sequence = { 0 };
	s64 live = window->entry_bytes, peak;
	u32 num = 0, i, op;
	int ret;

	/* relaxed: unpinned storages cost nothing between the steps that touch them */
	for (i = 0; i < window->num_storages; i++)
		if (compose->relaxed && compose->unpinned[i] && !window->num_makers[i])
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

/* By storage: the operators that touch it first and last in @order. */
static void find_ends(struct compose *compose, const u32 *order)
{
	const struct order_window *window = compose->window;
	u32 i, k;

	for (i = 0; i < window->num_storages; i++)
		compose->first[i] = LOOM_ORDER_NONE;
	for (i = 0; i < window->num_ops; i++) {
		for (k = window->touches.at[order[i]]; k < window->touches.at[order[i] + 1]; k++) {
			u32 storage = window->touches.items[k];

			if (compose->first[storage] == LOOM_ORDER_NONE)
				compose->first[storage] = order[i];
			compose->last[storage] = order[i];
		}
	}
}

/* Makes reachability as a matrix of bits; NULL if that would be too large. */
static int find_before(const struct order_window *window, size_t words, u64 **before)
{
	u32 i, k, w;

	*before = NULL;
	if (words * window->num_ops > REACH_WORDS)
		return 0;
	*before = calloc(words * window->num_ops, sizeof(**before));
	if (!*before)
		return -ENOMEM;
	for (i = 0; i < window->num_ops; i++) {
		u64 *mine = *before + words * i;

		for (k = window->preds.at[i]; k < window->preds.at[i + 1]; k++) {
			u32 pred = window->preds.items[k];

			for (w = 0; w < words; w++)
				mine[w] |= (*before)[words * pred + w];
			mine[pred / 64] |= 1ULL << (pred % 64);
		}
	}
	return 0;
}

/*
 * A storage is pinned if its first and last user are the same in every order. Without the matrix
 * that is known for a sole user only.
 */
static int find_unpinned(struct compose *compose)
{
	const struct order_window *window = compose->window;
	size_t words = window->num_ops / 64 + 1;
	u64 *before;
	u32 i, k;
	int ret;

	ret = find_before(window, words, &before);
	if (ret)
		return ret;
	for (i = 0; i < window->num_storages; i++) {
		const u64 *known = before ? &before[words * compose->last[i]] : NULL;

		compose->unpinned[i] = window->num_makers[i] > 1;
		if (window->keep[i])
			continue;
		for (k = window->users.at[i]; k < window->users.at[i + 1]; k++) {
			u32 user = window->users.items[k];

			if (user != compose->last[i] &&
			    !(known && known[user / 64] >> (user % 64) & 1))
				compose->unpinned[i] = true;
		}
	}
	free(before);
	return 0;
}

/* Raises the lower bound on all orders, if the window is series-parallel. */
static int raise_bound(struct compose *compose, struct order_window *window, u32 *order)
{
	u64 peak;
	int ret;

	find_ends(compose, window->best);
	ret = find_unpinned(compose);
	compose->relaxed = true;
	if (!ret)
		ret = compose_order(compose, order, &peak);
	if (!ret)
		ret = order_window_offer(window, order);
	if (!ret && !compose->prime)
		window->bound_bytes = max(window->bound_bytes, min(peak, window->peak_bytes));
	return ret;
}

static int make_orders(struct compose *compose, struct order_window *window, u32 *order)
{
	u64 model, before;
	u32 round;
	int ret = 0;

	find_ends(compose, window->best);
	compose->relaxed = false;
	for (round = 0; round < ROUNDS && !ret; round++) {
		before = window->peak_bytes;
		ret = compose_order(compose, order, &model);
		if (!ret)
			ret = order_window_offer(window, order);
		if (round && window->peak_bytes == before)
			break;
		if (!ret)
			find_ends(compose, order);
	}
	return ret;
}

int order_series_parallel(struct order_window *window)
{
	size_t n = (size_t)window->num_ops + 1, num_storages = (size_t)window->num_storages + 1;
	struct compose compose = { .window = window };
	u32 *order = calloc(n, sizeof(*order));
	int ret = -ENOMEM;

	compose.first = calloc(num_storages, sizeof(*compose.first));
	compose.last = calloc(num_storages, sizeof(*compose.last));
	compose.unpinned = calloc(num_storages, sizeof(*compose.unpinned));
	compose.next = calloc(n, sizeof(*compose.next));
	compose.place = calloc(n, sizeof(*compose.place));
	compose.inside = calloc(n, sizeof(*compose.inside));
	if (order && compose.first && compose.last && compose.unpinned && compose.next &&
	    compose.place && compose.inside)
		ret = make_orders(&compose, window, order);
	if (!ret && window->peak_bytes > window->bound_bytes)
		ret = raise_bound(&compose, window, order);
	free(order);
	free(compose.first);
	free(compose.last);
	free(compose.unpinned);
	free(compose.next);
	free(compose.place);
	free(compose.inside);
	return ret;
}
