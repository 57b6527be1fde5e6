// SPDX-License-Identifier: MIT
/*
 * DOC: Greedy orders
 *
 * The greedy rule runs the ready operator that adds the fewest bytes alive; ties go to the smallest
 * result, then to the one that became ready last. The depth-first rule computes operands right
 * before they are read. Both take O(n log n). The beam runs one operator per level and keeps the
 * states with the lowest peak, then those with the fewest bytes alive.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

/** maximum number of states per level of the beam */
#define BEAM_WIDTH	64

/**
 * struct offer - a ready operator in the heap
 * @net: bytes alive that it adds, at least 0
 * @size_bytes: of its result
 * @age: when it was pushed
 * @op: the operator
 */
struct offer {
	u64 net;
	u64 size_bytes;
	u32 age;
	u32 op;
};

/**
 * struct greedy - state of the greedy rule
 * @window: the window to order
 * @heap: offers, the best first; outdated ones are skipped
 * @num_heap: number of them
 * @cap_heap: capacity of @heap
 * @age: by operator: its last offer
 * @clock: offers so far
 * @left: by storage: users that have not run, one more if it is kept
 * @begun: by storage: it is alive, because a maker has run
 * @missing: by operator: predecessors that have not run
 * @done: by operator: has run
 */
struct greedy {
	const struct order_window *window;
	struct offer *heap;
	size_t num_heap;
	size_t cap_heap;
	u32 *age;
	u32 clock;
	u32 *left;
	bool *begun;
	u32 *missing;
	bool *done;
};

static bool is_better(const struct offer *a, const struct offer *b)
{
	if (a->net != b->net)
		return a->net < b->net;
	if (a->size_bytes != b->size_bytes)
		return a->size_bytes < b->size_bytes;
	return a->age > b->age;
}

static int offer_push(struct greedy *greedy, u32 op)
{
	const struct order_window *window = greedy->window;
	struct offer offer = { .op = op, .age = ++greedy->clock };
	u32 made = window->made[op], k;
	u64 freed = 0;
	size_t at;

	if (made != LOOM_ORDER_NONE && !greedy->begun[made])
		offer.size_bytes = window->size_bytes[made];
	for (k = window->touches.at[op]; k < window->touches.at[op + 1]; k++)
		if (greedy->left[window->touches.items[k]] == 1)
			freed += window->size_bytes[window->touches.items[k]];
	offer.net = offer.size_bytes > freed ? offer.size_bytes - freed : 0;
	greedy->age[op] = offer.age;
	if (greedy->num_heap == greedy->cap_heap) {
		size_t cap = greedy->cap_heap ? 2 * greedy->cap_heap : 256;
		struct offer *grown = realloc(greedy->heap, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		greedy->heap = grown;
		greedy->cap_heap = cap;
	}
	for (at = greedy->num_heap++; at && is_better(&offer, &greedy->heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		greedy->heap[at] = greedy->heap[(at - 1) / 2];
	greedy->heap[at] = offer;
	return 0;
}

static struct offer offer_pop(struct greedy *greedy)
{
	struct offer best = greedy->heap[0], last = greedy->heap[--greedy->num_heap];
	size_t at = 0, next;

	for (; (next = 2 * at + 1) < greedy->num_heap; at = next) {
		if (next + 1 < greedy->num_heap &&
		    is_better(&greedy->heap[next + 1], &greedy->heap[next]))
			next++;
		if (!is_better(&greedy->heap[next], &last))
			break;
		greedy->heap[at] = greedy->heap[next];
	}
	greedy->heap[at] = last;
	return best;
}

/*
 * A storage became alive or has one user left, so the nets of its users change: offer them again.
 */
static int offer_users(struct greedy *greedy, u32 storage)
{
	const struct order_list *users = &greedy->window->users;
	int ret = 0;
	u32 k;

	for (k = users->at[storage]; k < users->at[storage + 1] && !ret; k++) {
		u32 user = users->items[k];

		if (!greedy->done[user] && !greedy->missing[user])
			ret = offer_push(greedy, user);
	}
	return ret;
}

static int greedy_run(struct greedy *greedy, u32 op)
{
	const struct order_window *window = greedy->window;
	u32 made = window->made[op], k;
	int ret = 0;

	greedy->done[op] = true;
	if (made != LOOM_ORDER_NONE && !greedy->begun[made]) {
		greedy->begun[made] = true;
		if (window->num_makers[made] > 1)
			ret = offer_users(greedy, made);
	}
	for (k = window->touches.at[op]; k < window->touches.at[op + 1] && !ret; k++)
		if (--greedy->left[window->touches.items[k]] == 1)
			ret = offer_users(greedy, window->touches.items[k]);
	for (k = window->succs.at[op]; k < window->succs.at[op + 1] && !ret; k++)
		if (!--greedy->missing[window->succs.items[k]])
			ret = offer_push(greedy, window->succs.items[k]);
	return ret;
}

static int greedy_order(struct greedy *greedy, u32 *order)
{
	const struct order_window *window = greedy->window;
	u32 num = 0, i;
	int ret = 0;

	for (i = 0; i < window->num_storages; i++)
		greedy->left[i] = window->users.at[i + 1] - window->users.at[i] + window->keep[i];
	for (i = 0; i < window->num_ops; i++)
		greedy->missing[i] = window->preds.at[i + 1] - window->preds.at[i];
	for (i = window->num_ops; i-- > 0 && !ret;)
		if (!greedy->missing[i])
			ret = offer_push(greedy, i);
	while (greedy->num_heap && !ret) {
		struct offer offer = offer_pop(greedy);

		if (greedy->done[offer.op] || greedy->age[offer.op] != offer.age)
			continue;
		order[num++] = offer.op;
		ret = greedy_run(greedy, offer.op);
	}
	return ret;
}

/* Depth first from operators without successors; operands from the first on, or the last. */
static void depth_first(const struct order_window *window, bool backward, u32 *stack, u32 *next,
			u32 *order)
{
	u32 num = 0, depth = 0, i, k;

	/* index of the next operand; behind the last: done */
	for (i = 0; i < window->num_ops; i++)
		next[i] = 0;
	for (i = 0; i < window->num_ops; i++) {
		if (window->succs.at[i] < window->succs.at[i + 1])
			continue;
		stack[depth++] = i;
		next[i] = 1;
		while (depth) {
			u32 op = stack[depth - 1], at = window->preds.at[op];
			u32 num_preds = window->preds.at[op + 1] - at, pred;

			if (next[op] > num_preds) {
				order[num++] = op;
				depth--;
				continue;
			}
			k = next[op]++ - 1;
			pred = window->preds.items[at + (backward ? num_preds - 1 - k : k)];
			if (!next[pred]) {
				stack[depth++] = pred;
				next[pred] = 1;
			}
		}
	}
}

int order_greedy(struct order_window *window)
{
	size_t n = (size_t)window->num_ops + 1;
	struct greedy greedy = { .window = window };
	u32 *order = calloc(n, sizeof(*order));
	int ret = -ENOMEM;

	greedy.age = calloc(n, sizeof(*greedy.age));
	greedy.left = calloc((size_t)window->num_storages + 1, sizeof(*greedy.left));
	greedy.begun = calloc((size_t)window->num_storages + 1, sizeof(*greedy.begun));
	greedy.missing = calloc(n, sizeof(*greedy.missing));
	greedy.done = calloc(n, sizeof(*greedy.done));
	if (order && greedy.age && greedy.left && greedy.begun && greedy.missing && greedy.done) {
		ret = greedy_order(&greedy, order);
		if (!ret)
			ret = order_window_offer(window, order);
		if (!ret) {
			depth_first(window, false, greedy.age, greedy.missing, order);
			ret = order_window_offer(window, order);
		}
		if (!ret) {
			depth_first(window, true, greedy.age, greedy.missing, order);
			ret = order_window_offer(window, order);
		}
	}
	free(order);
	free(greedy.heap);
	free(greedy.age);
	free(greedy.left);
	free(greedy.begun);
	free(greedy.missing);
	free(greedy.done);
	return ret;
}

/**
 * struct beam_state - a set of operators that have run
 * @live_bytes: bytes alive
 * @peak_bytes: largest so far
 * @hash: of the set
 * @trail: entry of the last operator
 * @num_ready: number of @ready
 * @ready: operators that can run
 * @bits: the set
 */
struct beam_state {
	u64 live_bytes;
	u64 peak_bytes;
	u64 hash;
	u32 trail;
	u32 num_ready;
	u32 *ready;
	u64 *bits;
};

/**
 * struct beam_child - a state and the operator to run next
 * @peak_bytes: largest so far, with the operator
 * @live_bytes: bytes alive after it
 * @state: index of the state
 * @at: index of the operator among its ready ones
 */
struct beam_child {
	u64 peak_bytes;
	u64 live_bytes;
	u32 state;
	u32 at;
};

/**
 * struct beam - the search
 * @window: the window to order
 * @words: of a set
 * @width: states per level
 * @states: this level and the next
 * @num_states: states of this level
 * @children: of all states of this level
 * @num_children: number of them
 * @cap_children: capacity of @children
 * @trail: by level and state: the state of the level before, and the operator
 * @num_trail: number of them
 */
struct beam {
	const struct order_window *window;
	u32 words;
	u32 width;
	struct beam_state *states[2];
	u32 num_states;
	struct beam_child *children;
	u32 num_children;
	u32 cap_children;
	struct beam_step {
		u32 before;
		u32 op;
	} *trail;
	u32 num_trail;
};

static int compare_children(const void *a, const void *b)
{
	const struct beam_child *x = a, *y = b;

	if (x->peak_bytes != y->peak_bytes)
		return x->peak_bytes < y->peak_bytes ? -1 : 1;
	if (x->live_bytes != y->live_bytes)
		return x->live_bytes < y->live_bytes ? -1 : 1;
	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int beam_child_push(struct beam *beam, const struct beam_child *child)
{
	if (beam->num_children == beam->cap_children) {
		u32 cap = beam->cap_children ? 2 * beam->cap_children : 256;
		struct beam_child *grown = realloc(beam->children, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		beam->children = grown;
		beam->cap_children = cap;
	}
	beam->children[beam->num_children++] = *child;
	return 0;
}

/* Adds all successors of @state as children; or only one, if that adds no bytes alive. */
static int beam_branch(struct beam *beam, const struct beam_state *state, u32 number)
{
	const struct order_window *window = beam->window;
	u64 free_bytes = max(state->peak_bytes, window->bound_bytes);
	u32 first = beam->num_children, i;
	int ret = 0;

	for (i = 0; i < state->num_ready && !ret; i++) {
		u64 step = order_window_step(window, state->bits, state->live_bytes,
					     state->ready[i]);
		s64 net = order_window_net(window, state->bits, state->ready[i]);
		struct beam_child child = {
			.peak_bytes = max(free_bytes, step),
			.live_bytes = state->live_bytes + net,
			.state = number,
			.at = i,
		};

		if (net <= 0 && step <= free_bytes) {
			beam->num_children = first;
			return beam_child_push(beam, &child);
		}
		ret = beam_child_push(beam, &child);
	}
	return ret;
}

static void beam_make(struct beam *beam, const struct beam_child *child, struct beam_state *to)
{
	const struct order_window *window = beam->window;
	const struct beam_state *from = &beam->states[0][child->state];
	u32 op = from->ready[child->at], k;

	memcpy(to->bits, from->bits, beam->words * sizeof(*to->bits));
	memcpy(to->ready, from->ready, child->at * sizeof(*to->ready));
	memcpy(&to->ready[child->at], &from->ready[child->at + 1],
	       (from->num_ready - child->at - 1) * sizeof(*to->ready));
	to->num_ready = from->num_ready - 1;
	to->bits[op / 64] |= 1ULL << (op % 64);
	to->hash = from->hash + (op + 1) * 0x9e3779b97f4a7c15;
	to->peak_bytes = child->peak_bytes;
	to->live_bytes = child->live_bytes;
	for (k = window->succs.at[op]; k < window->succs.at[op + 1]; k++)
		if (order_window_is_ready(window, to->bits, window->succs.items[k]))
			to->ready[to->num_ready++] = window->succs.items[k];
	beam->trail[beam->num_trail] = (struct beam_step){ .before = from->trail, .op = op };
	to->trail = beam->num_trail;
}

/* Makes the best children with different sets the next level. */
static void beam_level(struct beam *beam)
{
	struct beam_state *level = beam->states[1];
	u32 num = 0, i, k;

	qsort(beam->children, beam->num_children, sizeof(*beam->children), compare_children);
	for (i = 0; i < beam->num_children && num < beam->width; i++) {
		beam_make(beam, &beam->children[i], &level[num]);
		for (k = 0; k < num; k++)
			if (level[k].hash == level[num].hash &&
			    !memcmp(level[k].bits, level[num].bits,
				    beam->words * sizeof(*level->bits)))
				break;
		if (k < num)
			continue;
		num++;
		beam->num_trail++;
	}
	beam->states[1] = beam->states[0];
	beam->states[0] = level;
	beam->num_states = num;
	beam->num_children = 0;
}

static int beam_search(struct beam *beam, struct order_window *window, u64 *budget)
{
	u32 *order, trail, i, k;
	u64 work;
	int ret = 0;

	for (i = 0; i < window->num_ops; i++) {
		for (k = 0; k < beam->num_states && !ret; k++) {
			work = beam->states[0][k].num_ready;
			*budget -= min(*budget, work);
			ret = beam_branch(beam, &beam->states[0][k], k);
		}
		if (ret || !*budget)
			return ret;
		beam_level(beam);
		/* the first state has the lowest peak of all: none can beat the best order known */
		if (beam->states[0]->peak_bytes >= window->peak_bytes)
			return 0;
	}
	order = calloc((size_t)window->num_ops + 1, sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (trail = beam->states[0]->trail; i-- > 0; trail = beam->trail[trail].before)
		order[i] = beam->trail[trail].op;
	ret = order_window_offer(window, order);
	free(order);
	return ret;
}

static int beam_init(struct beam *beam)
{
	const struct order_window *window = beam->window;
	struct beam_state *start;
	u32 level, i;

	beam->trail = malloc(((size_t)window->num_ops * beam->width + 1) * sizeof(*beam->trail));
	if (!beam->trail)
		return -ENOMEM;
	for (level = 0; level < 2; level++) {
		/* one more, because a child is made before its set is compared */
		beam->states[level] = calloc(beam->width + 1, sizeof(*beam->states[level]));
		if (!beam->states[level])
			return -ENOMEM;
		for (i = 0; i <= beam->width; i++) {
			struct beam_state *state = &beam->states[level][i];

			state->bits = calloc(beam->words, sizeof(*state->bits));
			state->ready = calloc((size_t)window->num_ops + 1, sizeof(*state->ready));
			if (!state->bits || !state->ready)
				return -ENOMEM;
		}
	}
	start = beam->states[0];
	start->live_bytes = window->entry_bytes;
	for (i = 0; i < window->num_ops; i++)
		if (order_window_is_ready(window, start->bits, i))
			start->ready[start->num_ready++] = i;
	beam->num_states = 1;
	return 0;
}

int order_beam(struct order_window *window, u64 *budget)
{
	struct beam beam = { .window = window, .words = window->num_ops / 64 + 1 };
	u32 level, i;
	int ret;

	beam.width = min((u64)BEAM_WIDTH, *budget / (4 * (u64)window->num_ops + 1));
	if (!beam.width)
		return 0;
	ret = beam_init(&beam);
	if (!ret)
		ret = beam_search(&beam, window, budget);
	for (level = 0; level < 2; level++) {
		for (i = 0; beam.states[level] && i <= beam.width; i++) {
			free(beam.states[level][i].bits);
			free(beam.states[level][i].ready);
		}
		free(beam.states[level]);
	}
	free(beam.trail);
	free(beam.children);
	return ret;
}
