// SPDX-License-Identifier: MIT
/*
 * DOC: Exact order
 *
 * A state is a set of operators that have run, closed under predecessors. The bytes alive depend on
 * the set only, not on the order within it, so each state is visited once: depth first, over the
 * states that can be reached without a step above a threshold. A state with ready operators whose
 * steps are above it is kept with the least of these steps, the threshold it waits for. If the end
 * is not reached, the threshold rises to the least that any state waits for, and the search
 * continues from such states. Invariant: the threshold is a lower bound on the peak. It starts at a
 * proven one and remains one whenever it rises; the search ends when it reaches the peak of the
 * best order known.
 *
 * Some operators are run without a branch: a chain, each made ready by the one before, that does
 * not exceed the threshold, and whose end is the first point with no more bytes alive than at its
 * begin. Proof: any other continuation runs some prefix of the chain, perhaps none, and the rest
 * later. Running the whole chain now adds no bytes alive at any step between: the net of the rest
 * is not above zero, because that of the prefix is above zero and that of the whole is not; and the
 * rest frees the same storages either way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "window.h"

/** memory for states; a search that needs more ends early */
#define STORE_BYTES	((size_t)96 << 20)

/**
 * struct state - a set of operators that have run
 * @live_bytes: bytes alive
 * @hash: of the set
 * @trail: entry of the operator that ran last
 * @ready_at: position of its ready operators
 * @num_ready: number of them
 * @done: number of operators in the set
 */
struct state {
	u64 live_bytes;
	u64 hash;
	u32 trail;
	u32 ready_at;
	u32 num_ready;
	u32 done;
};

/** struct step - an operator that ran, and the entry of the one before it */
struct step {
	u32 before;
	u32 op;
};

/** struct wait - a state that is visited again when the threshold reaches @need_bytes */
struct wait {
	u64 need_bytes;
	u32 state;
};

/**
 * struct scratch - a state under construction
 * @state: without its ready operators
 * @bits: the set
 * @ready: operators whose predecessors have all run
 */
struct scratch {
	struct state state;
	u64 *bits;
	u32 *ready;
};

/**
 * struct exact - the search
 * @window: the window to order
 * @words: 64-bit words of a set
 * @limit: capacity of @states
 * @threshold_bytes: no step may need more than this
 * @keys: by operator: part of a hash
 * @states: all states that were made
 * @bits: their sets
 * @num_states: number of them
 * @slots: hash table of states, number + 1, 0 is free
 * @num_slots: a power of two
 * @ready: ready operators of states
 * @num_ready: number of them
 * @cap_ready: capacity of @ready
 * @trail: steps
 * @num_trail: number of them
 * @cap_trail: capacity of @trail
 * @stack: states whose successors are still to be pushed
 * @num_stack: number of them
 * @waits: heap of states that wait for a threshold, the least first
 * @num_waits: number of them
 * @cap_waits: capacity of @waits
 * @budget: states left
 * @work: the state that is being expanded
 * @trial: the state at the end of a chain that is tried
 * @child: a successor before it becomes a state
 */
struct exact {
	const struct order_window *window;
	u32 words;
	u32 limit;
	u64 threshold_bytes;
	u64 *keys;
	struct state *states;
	u64 *bits;
	u32 num_states;
	u32 *slots;
	u32 num_slots;
	u32 *ready;
	size_t num_ready;
	size_t cap_ready;
	struct step *trail;
	size_t num_trail;
	size_t cap_trail;
	u32 *stack;
	u32 num_stack;
	struct wait *waits;
	size_t num_waits;
	size_t cap_waits;
	u64 budget;
	struct scratch work;
	struct scratch trial;
	struct scratch child;
};

#define NO_STEP		U32_MAX

/* Makes room for one more entry by doubling the size. */
static int make_room(void **table, size_t count, size_t *cap, size_t elem_bytes)
{
	size_t more = *cap ? *cap * 2 : 1024;
	void *grown;

	if (count < *cap)
		return 0;
	grown = realloc(*table, more * elem_bytes);
	if (!grown)
		return -ENOMEM;
	*table = grown;
	*cap = more;
	return 0;
}

/*
 * Runs ready operator @at of @scratch. Returns the number of operators that became ready, which are
 * the last ones; negative: no memory.
 */
static int scratch_run(struct exact *exact, struct scratch *scratch, u32 at)
{
	const struct order_window *window = exact->window;
	u32 op = scratch->ready[at], fresh = 0, k;
	struct state *state = &scratch->state;

	if (make_room((void **)&exact->trail, exact->num_trail, &exact->cap_trail,
		      sizeof(*exact->trail)) || exact->num_trail >= NO_STEP)
		return -ENOMEM;
	state->live_bytes += order_window_net(window, scratch->bits, op);
	state->hash ^= exact->keys[op];
	state->done++;
	scratch->bits[op / 64] |= 1ULL << (op % 64);
	exact->trail[exact->num_trail] = (struct step){ .before = state->trail, .op = op };
	state->trail = exact->num_trail++;
	/* invariant: ready operators are sorted by the time at which they became ready */
	memmove(&scratch->ready[at], &scratch->ready[at + 1],
		(state->num_ready - at - 1) * sizeof(*scratch->ready));
	state->num_ready--;
	for (k = window->succs.at[op]; k < window->succs.at[op + 1]; k++) {
		u32 succ = window->succs.items[k];

		if (!order_window_is_ready(window, scratch->bits, succ))
			continue;
		scratch->ready[state->num_ready++] = succ;
		fresh++;
	}
	exact->budget -= exact->budget > 0;
	return fresh;
}

static void scratch_copy(const struct exact *exact, struct scratch *to, const struct scratch *from)
{
	to->state = from->state;
	memcpy(to->bits, from->bits, exact->words * sizeof(*to->bits));
	memcpy(to->ready, from->ready, from->state.num_ready * sizeof(*to->ready));
}

static void scratch_load(const struct exact *exact, struct scratch *to, u32 state)
{
	to->state = exact->states[state];
	memcpy(to->bits, &exact->bits[(size_t)state * exact->words],
	       exact->words * sizeof(*to->bits));
	memcpy(to->ready, &exact->ready[to->state.ready_at],
	       to->state.num_ready * sizeof(*to->ready));
}

/* The number of the state with this set; or ~slot, negative, its slot in the table. */
static s64 state_find(const struct exact *exact, const struct scratch *scratch)
{
	u32 slot = scratch->state.hash & (exact->num_slots - 1);

	for (; exact->slots[slot]; slot = (slot + 1) & (exact->num_slots - 1)) {
		u32 number = exact->slots[slot] - 1;

		if (exact->states[number].hash == scratch->state.hash &&
		    !memcmp(&exact->bits[(size_t)number * exact->words], scratch->bits,
			    exact->words * sizeof(*exact->bits)))
			return number;
	}
	return -(s64)slot - 1;
}

/* Pushes @scratch as a new state, unless its set was visited before. */
static int state_push(struct exact *exact, const struct scratch *scratch)
{
	s64 found = state_find(exact, scratch);
	u32 number = exact->num_states, k;
	struct state *state;

	if (found >= 0)
		return 0;
	if (number == exact->limit) {
		exact->budget = 0;
		return 0;
	}
	exact->slots[-found - 1] = number + 1;
	exact->num_states++;
	state = &exact->states[number];
	*state = scratch->state;
	state->ready_at = exact->num_ready;
	memcpy(&exact->bits[(size_t)number * exact->words], scratch->bits,
	       exact->words * sizeof(*exact->bits));
	for (k = 0; k < state->num_ready; k++) {
		if (make_room((void **)&exact->ready, exact->num_ready, &exact->cap_ready,
			      sizeof(*exact->ready)) || exact->num_ready >= U32_MAX)
			return -ENOMEM;
		exact->ready[exact->num_ready++] = scratch->ready[k];
	}
	exact->stack[exact->num_stack++] = number;
	return 0;
}

static int wait_push(struct exact *exact, u64 need_bytes, u32 state)
{
	size_t at = exact->num_waits;

	if (make_room((void **)&exact->waits, at, &exact->cap_waits, sizeof(*exact->waits)))
		return -ENOMEM;
	exact->num_waits++;
	for (; at && exact->waits[(at - 1) / 2].need_bytes > need_bytes; at = (at - 1) / 2)
		exact->waits[at] = exact->waits[(at - 1) / 2];
	exact->waits[at] = (struct wait){ .need_bytes = need_bytes, .state = state };
	return 0;
}

static struct wait wait_pop(struct exact *exact)
{
	struct wait least = exact->waits[0], last = exact->waits[--exact->num_waits];
	size_t at = 0, next;

	for (; (next = 2 * at + 1) < exact->num_waits; at = next) {
		if (next + 1 < exact->num_waits &&
		    exact->waits[next + 1].need_bytes < exact->waits[next].need_bytes)
			next++;
		if (exact->waits[next].need_bytes >= last.need_bytes)
			break;
		exact->waits[at] = exact->waits[next];
	}
	exact->waits[at] = last;
	return least;
}

/* Of the last @fresh ready operators the one with the least net, or LOOM_ORDER_NONE. */
static u32 row_next(const struct exact *exact, const struct scratch *scratch, u32 fresh)
{
	const struct order_window *window = exact->window;
	u32 num = scratch->state.num_ready, found = LOOM_ORDER_NONE, i;
	u64 live = scratch->state.live_bytes;
	s64 least = 0, net;

	for (i = num - fresh; i < num; i++) {
		u32 op = scratch->ready[i];

		if (order_window_step(window, scratch->bits, live, op) > exact->threshold_bytes)
			continue;
		net = order_window_net(window, scratch->bits, op);
		if (found == LOOM_ORDER_NONE || net < least) {
			found = i;
			least = net;
		}
	}
	return found;
}

/*
 * Tries a chain from ready operator @at on. Returns 1 if it ends with no more bytes alive, and was
 * run.
 */
static int row_try(struct exact *exact, u32 at)
{
	struct scratch *work = &exact->work, *trial = &exact->trial;
	u32 op = work->ready[at];
	int fresh;

	if (order_window_step(exact->window, work->bits, work->state.live_bytes, op) >
	    exact->threshold_bytes)
		return 0;
	if (order_window_net(exact->window, work->bits, op) <= 0) {
		fresh = scratch_run(exact, work, at);
		return fresh < 0 ? fresh : 1;
	}
	scratch_copy(exact, trial, work);
	while (exact->budget) {
		fresh = scratch_run(exact, trial, at);
		if (fresh < 0)
			return fresh;
		if (trial->state.live_bytes <= work->state.live_bytes) {
			scratch_copy(exact, work, trial);
			return 1;
		}
		at = row_next(exact, trial, fresh);
		if (at == LOOM_ORDER_NONE)
			return 0;
	}
	return 0;
}

static int run_downhill(struct exact *exact)
{
	u32 i = 0;
	int ret;

	while (i < exact->work.state.num_ready && exact->budget) {
		ret = row_try(exact, i);
		if (ret < 0)
			return ret;
		i = ret ? 0 : i + 1;
	}
	return 0;
}

static bool by_live(const struct exact *exact, u32 a, u32 b)
{
	return exact->states[a].live_bytes < exact->states[b].live_bytes;
}

/* Pushes all successors of a state, the one with the fewest bytes alive last. */
static int branch(struct exact *exact, u32 number)
{
	const struct order_window *window = exact->window;
	u32 first = exact->num_stack, *stack = exact->stack, i, k;
	const struct scratch *work = &exact->work;
	u64 need = U64_MAX, step;
	int ret;

	for (i = 0; i < work->state.num_ready && exact->budget; i++) {
		step = order_window_step(window, work->bits, work->state.live_bytes,
					 work->ready[i]);
		if (step > exact->threshold_bytes) {
			need = min(need, step);
			continue;
		}
		scratch_copy(exact, &exact->child, work);
		ret = scratch_run(exact, &exact->child, i);
		if (ret >= 0)
			ret = state_push(exact, &exact->child);
		if (ret < 0)
			return ret;
	}
	for (i = first + 1; i < exact->num_stack; i++)
		for (k = i; k > first && by_live(exact, stack[k - 1], stack[k]); k--) {
			u32 other = stack[k];

			stack[k] = stack[k - 1];
			stack[k - 1] = other;
		}
	return need == U64_MAX ? 0 : wait_push(exact, need, number);
}

static int keep_order(struct exact *exact, struct order_window *window, u32 trail)
{
	u32 *order = malloc(window->num_ops * sizeof(*order)), i;
	int ret;

	if (!order)
		return -ENOMEM;
	for (i = window->num_ops; i-- > 0; trail = exact->trail[trail].before)
		order[i] = exact->trail[trail].op;
	ret = order_window_offer(window, order);
	free(order);
	return ret;
}

/* Visits a state. Returns 1 if the end was reached. */
static int visit(struct exact *exact, struct order_window *window, u32 number)
{
	int ret;

	scratch_load(exact, &exact->work, number);
	ret = run_downhill(exact);
	if (ret)
		return ret;
	if (exact->work.state.done == window->num_ops) {
		ret = keep_order(exact, window, exact->work.state.trail);
		return ret ? ret : 1;
	}
	return branch(exact, number);
}

/*
 * No order has a peak up to the threshold: raises it to the least that a state waits for, which is
 * therefore a lower bound. Returns false if the best order known is optimal.
 */
static bool raise_threshold(struct exact *exact, struct order_window *window)
{
	u64 next = exact->num_waits ? exact->waits[0].need_bytes : U64_MAX;

	window->bound_bytes = max(window->bound_bytes, min(next, window->peak_bytes));
	if (next >= window->peak_bytes)
		return false;
	exact->threshold_bytes = next;
	while (exact->num_waits && exact->waits[0].need_bytes <= next)
		exact->stack[exact->num_stack++] = wait_pop(exact).state;
	return true;
}

static int search(struct exact *exact, struct order_window *window)
{
	int ret = 0;

	while (exact->budget) {
		if (!exact->num_stack) {
			if (!raise_threshold(exact, window))
				return 0;
			continue;
		}
		ret = visit(exact, window, exact->stack[--exact->num_stack]);
		if (ret < 0)
			return ret;
		if (ret)
			return 0;
	}
	return 0;
}

static int scratch_init(const struct exact *exact, struct scratch *scratch)
{
	scratch->bits = calloc(exact->words, sizeof(*scratch->bits));
	scratch->ready = calloc(exact->window->num_ops + 1, sizeof(*scratch->ready));
	return scratch->bits && scratch->ready ? 0 : -ENOMEM;
}

static int exact_init(struct exact *exact)
{
	u64 seed = 0x9e3779b97f4a7c15;
	size_t state_bytes;
	u32 i;

	exact->words = exact->window->num_ops / 64 + 1;
	state_bytes = sizeof(struct state) + exact->words * sizeof(u64) + 4 * sizeof(u32);
	exact->limit = min((u64)(STORE_BYTES / state_bytes), exact->budget + 1);
	for (exact->num_slots = 1024; exact->num_slots < 2 * exact->limit; exact->num_slots *= 2)
		;
	exact->keys = calloc(exact->window->num_ops + 1, sizeof(*exact->keys));
	exact->states = malloc(exact->limit * sizeof(*exact->states));
	exact->bits = malloc((size_t)exact->limit * exact->words * sizeof(*exact->bits));
	exact->slots = calloc(exact->num_slots, sizeof(*exact->slots));
	exact->stack = malloc(((size_t)exact->limit + 1) * sizeof(*exact->stack));
	if (!exact->keys || !exact->states || !exact->bits || !exact->slots || !exact->stack ||
	    scratch_init(exact, &exact->work) || scratch_init(exact, &exact->trial) ||
	    scratch_init(exact, &exact->child))
		return -ENOMEM;
	for (i = 0; i < exact->window->num_ops; i++)
		exact->keys[i] = loom_random_next(&seed);
	return 0;
}

static void exact_clear(struct exact *exact)
{
	struct scratch *const scratches[] = { &exact->work, &exact->trial, &exact->child };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(scratches); i++) {
		free(scratches[i]->bits);
		free(scratches[i]->ready);
	}
	free(exact->keys);
	free(exact->states);
	free(exact->bits);
	free(exact->slots);
	free(exact->stack);
	free(exact->ready);
	free(exact->trail);
	free(exact->waits);
}

static void push_start(struct exact *exact)
{
	struct scratch *work = &exact->work;
	u32 i;

	work->state = (struct state){
		.live_bytes = exact->window->entry_bytes,
		.trail = NO_STEP,
	};
	for (i = 0; i < exact->window->num_ops; i++)
		if (order_window_is_ready(exact->window, work->bits, i))
			work->ready[work->state.num_ready++] = i;
}

int order_exact(struct order_window *window, u64 goal_bytes, u64 *budget)
{
	struct exact exact = {
		.window = window,
		.threshold_bytes = max(goal_bytes, window->bound_bytes),
		.budget = *budget,
	};
	int ret;

	if (window->num_ops > ORDER_EXACT_OPS || window->peak_bytes <= exact.threshold_bytes ||
	    !exact.budget)
		return 0;
	ret = exact_init(&exact);
	if (!ret) {
		push_start(&exact);
		ret = state_push(&exact, &exact.work);
	}
	if (!ret)
		ret = search(&exact, window);
	*budget = exact.budget;
	exact_clear(&exact);
	return ret;
}
