// SPDX-License-Identifier: MIT
/*
 * DOC: Several pools
 *
 * Pools are filled one after the other, the cheapest first. For each there are items that may go
 * there, and mostly not all of them fit. An item that is left out *spills* to the next pool that it
 * may go to, which costs its size times the difference: its loss. An item without another pool must
 * stay. Wanted: a set of items that can be placed within the capacity, such that the losses of the
 * others are small. This is a knapsack problem in which the test whether a set fits is NP-hard
 * itself.
 *
 * 1. If all items fit, as far as the default strategy can tell with a small budget, all stay.
 * 2. Else items are placed one by one into the lowest gap, if that ends within the capacity; those
 *    that must stay are first. Several orders are tried: large items first (few, and each saves
 *    most), short-lived ones (a byte saves the same however long it is in use, so they save most
 *    per byte and moment), small areas, and large losses. The order that loses least is kept.
 * 3. That order is then improved: an item that was left out is moved to the front, and the new
 *    order is kept unless it loses more.
 * 4. With few items, those still left out are tried once more, one by one, with the exact search,
 *    which finds room that the lowest gap does not.
 *
 * 5. With fewer items still, all sets are tried that lose less than the best one: items in order of
 *    their losses, each in or out. A set is left as soon as it loses too much, or more of it is
 *    alive at a moment than fits; what is complete is searched for a placement. So of two pools of
 *    which the second has room, the cost is the least, unless the budget is too small to say
 *    whether a set fits.
 *
 * Rejected: one search over the placements of all pools at once. The bound of such a search is weak
 * until most is placed, and pools differ so much in cost that the cheapest one decides anyway.
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "greedy.h"
#include "loom_core.h"
#include "profile.h"

#define MAX_TRIES	300
#define MAX_LOOKS	20000000
#define ITEM_LOOKS	100
#define FIT_BUDGET	50000
#define MAX_OFFERS	16
#define MAX_OFFER_ITEMS	200
/* items that all sets are tried of, and how many sets are looked at */
#define MAX_SET_ITEMS	24
#define MAX_SETS	20000
#define MAX_SET_FITS	200
#define SET_BUDGET	5000

/**
 * struct choice - state of the choice of items that stay
 * @greedy: the engine
 * @losses: by item: what it costs to leave it out
 * @order: the order that is tried
 * @best: the best order so far
 * @room: memory to sort in
 * @keep: by item: it stays, with the order that is tried
 */
struct choice {
	struct loom_greedy greedy;
	const struct loom_place_loss *losses;
	uint32_t *order;
	uint32_t *best;
	uint32_t *room;
	bool *keep;
};

/* Moves items that must stay to the front, stably. */
static void put_first(struct choice *choice, uint32_t n)
{
	uint32_t *order = choice->order, *sorted = choice->room, k = 0, i;

	for (i = 0; i < n; i++)
		if (choice->losses[order[i]].must)
			sorted[k++] = order[i];
	for (i = 0; i < n; i++)
		if (!choice->losses[order[i]].must)
			sorted[k++] = order[i];
	memcpy(order, sorted, n * sizeof(*order));
}

/**
 * struct outcome - what an order gives
 * @loss: sum of the losses of what was left out
 * @bytes: sum of its sizes
 * @stuck: number of items left out that must stay
 */
struct outcome {
	uint64_t loss;
	uint64_t bytes;
	uint32_t stuck;
};

static int try_order(struct choice *choice, struct outcome *outcome)
{
	const struct loom_place_task *task = choice->greedy.task;
	uint64_t offset;
	uint32_t i;
	int ret;

	memset(outcome, 0, sizeof(*outcome));
	loom_greedy_reset(&choice->greedy);
	for (i = 0; i < task->problem.num_items; i++) {
		uint32_t index = choice->order[i];
		const struct loom_place_item *item = &task->problem.items[index];

		choice->keep[index] = true;
		if (!loom_place_has_room(item) || loom_place_is_fixed(item))
			continue;
		ret = loom_greedy_lowest(&choice->greedy, index, &offset);
		if (ret && ret != -ERANGE)
			return ret;
		if (!ret && item->size_bytes <= task->capacity_bytes &&
		    offset <= task->capacity_bytes - item->size_bytes) {
			loom_greedy_put(&choice->greedy, index, offset);
			continue;
		}
		choice->keep[index] = false;
		outcome->loss = loom_place_add(outcome->loss, choice->losses[index].loss);
		outcome->bytes = loom_place_add(outcome->bytes, item->size_bytes);
		outcome->stuck += choice->losses[index].must;
	}
	return 0;
}

static bool is_better(const struct outcome *a, const struct outcome *b)
{
	if (a->stuck != b->stuck)
		return a->stuck < b->stuck;
	if (a->loss != b->loss)
		return a->loss < b->loss;
	return a->bytes < b->bytes;
}

static void take_outcome(struct choice *choice, struct loom_place_choice *out)
{
	uint32_t n = choice->greedy.task->problem.num_items;

	memcpy(choice->best, choice->order, n * sizeof(*choice->best));
	memcpy(out->keep, choice->keep, n * sizeof(*out->keep));
	memcpy(out->offsets, choice->greedy.offsets, n * sizeof(*out->offsets));
}

static void turn_around(uint32_t *order, uint32_t n)
{
	uint32_t i, swap;

	for (i = 0; i < n / 2; i++) {
		swap = order[i];
		order[i] = order[n - 1 - i];
		order[n - 1 - i] = swap;
	}
}

/* The item at position @from moves to position @to, before it. */
static void move_up(uint32_t *order, uint32_t from, uint32_t to)
{
	uint32_t item = order[from];

	memmove(&order[to + 1], &order[to], (from - to) * sizeof(*order));
	order[to] = item;
}

/* Moves a random item that was left out towards the front; false if there is none. */
static bool change(struct choice *choice, const struct loom_place_choice *out, uint64_t *state)
{
	uint32_t n = choice->greedy.task->problem.num_items, count = 0, found = 0, first = 0, i;

	memcpy(choice->order, choice->best, n * sizeof(*choice->order));
	for (i = 0; i < n; i++) {
		if (choice->losses[choice->order[i]].must)
			first = i + 1;
		else if (!out->keep[choice->order[i]] && !loom_greedy_random(state, ++count))
			found = i;
	}
	if (!count)
		return false;
	move_up(choice->order, found, first + loom_greedy_random(state, found - first + 1));
	return true;
}

static int choose_by_order(struct choice *choice, struct loom_place_choice *out)
{
	static const struct {
		const struct loom_place_order *order;
		bool around;
	} orders[] = {
		{ &loom_place_order_size, false },
		{ &loom_place_order_life, true },
		{ &loom_place_order_area, true },
		{ &loom_place_order_breadth, false },
		{ &loom_place_order_area, false },
	};
	const struct loom_place_problem *problem = &choice->greedy.task->problem;
	struct outcome best = { UINT64_MAX, UINT64_MAX, UINT32_MAX }, now;
	uint64_t pairs, looks, state = 1;
	uint32_t tries, i;
	int ret;

	ret = loom_place_count_pairs(problem, &pairs);
	for (i = 0; i < ARRAY_SIZE(orders) && !ret; i++) {
		ret = orders[i].order->make(problem, choice->order);
		if (ret)
			break;
		if (orders[i].around)
			turn_around(choice->order, problem->num_items);
		put_first(choice, problem->num_items);
		ret = try_order(choice, &now);
		if (ret || !is_better(&now, &best))
			continue;
		best = now;
		take_outcome(choice, out);
	}
	if (ret)
		return ret;
	looks = pairs + ITEM_LOOKS * (uint64_t)problem->num_items;
	tries = looks && MAX_LOOKS / looks < MAX_TRIES ? MAX_LOOKS / looks : MAX_TRIES;
	for (i = 0; i < tries && !ret && best.bytes; i++) {
		if (!change(choice, out, &state))
			break;
		ret = try_order(choice, &now);
		if (ret || is_better(&best, &now))
			continue;
		best = now;
		take_outcome(choice, out);
	}
	out->fits = !best.stuck;
	return ret;
}

static int choose(const struct loom_place_task *task, const struct loom_place_loss *losses,
		  struct loom_place_choice *out)
{
	size_t n = (size_t)task->problem.num_items + 1;
	struct choice choice = { .losses = losses };
	int ret;

	ret = loom_greedy_init(&choice.greedy, task);
	if (ret)
		return ret;
	choice.order = calloc(n, sizeof(*choice.order));
	choice.best = calloc(n, sizeof(*choice.best));
	choice.room = calloc(n, sizeof(*choice.room));
	choice.keep = calloc(n, sizeof(*choice.keep));
	ret = -ENOMEM;
	if (choice.order && choice.best && choice.room && choice.keep)
		ret = choose_by_order(&choice, out);
	free(choice.order);
	free(choice.best);
	free(choice.room);
	free(choice.keep);
	loom_greedy_fini(&choice.greedy);
	return ret;
}

/* Whether a placement of @items in the pool is found with a small budget; [out] @offsets. */
static int try_to_fit(const struct loom_place_task *task, const struct loom_place_item *items,
		      uint64_t *offsets, bool *fits)
{
	struct loom_place_task some = *task;
	struct loom_place_answer answer = { 0 };
	struct loom_place_peak peak;
	size_t n = task->problem.num_items;
	int ret;

	*fits = false;
	some.problem.items = items;
	some.fit_only = true;
	some.hint = NULL;
	some.budget = some.budget < FIT_BUDGET ? some.budget : FIT_BUDGET;
	ret = loom_place_find_peak(&some.problem, &peak);
	if (ret || peak.bytes > task->capacity_bytes)
		return ret == -ERANGE ? 0 : ret;
	answer.bound_bytes = peak.bytes;
	answer.offsets = calloc(n + 1, sizeof(*answer.offsets));
	if (!answer.offsets)
		return -ENOMEM;
	ret = loom_place_strategy_auto.place(&some, &answer);
	if (!ret && loom_place_height(&some.problem, answer.offsets) <= task->capacity_bytes) {
		*fits = true;
		memcpy(offsets, answer.offsets, n * sizeof(*offsets));
	}
	free(answer.offsets);
	return ret == -ERANGE ? 0 : ret;
}

/* The item with the largest loss that is left out and was not tried, or LOOM_PLACE_NONE. */
static uint32_t next_offer(const struct loom_place_problem *problem,
			   const struct loom_place_loss *losses, const bool *done)
{
	uint32_t best = LOOM_PLACE_NONE, i;

	for (i = 0; i < problem->num_items; i++) {
		if (done[i] || !loom_place_has_room(&problem->items[i]))
			continue;
		if (best == LOOM_PLACE_NONE || losses[i].loss > losses[best].loss)
			best = i;
	}
	return best;
}

static int offer(const struct loom_place_task *task, const struct loom_place_loss *losses,
		 struct loom_place_choice *out)
{
	size_t n = task->problem.num_items;
	struct loom_place_item *items = calloc(n + 1, sizeof(*items));
	bool *done = calloc(n + 1, sizeof(*done)), fits;
	uint32_t offers, i;
	int ret = items && done ? 0 : -ENOMEM;

	for (i = 0; i < n && !ret; i++) {
		items[i] = task->problem.items[i];
		done[i] = out->keep[i];
		if (!out->keep[i])
			items[i].size_bytes = 0;
	}
	for (offers = 0; offers < MAX_OFFERS && !ret; offers++) {
		i = next_offer(&task->problem, losses, done);
		if (i == LOOM_PLACE_NONE)
			break;
		done[i] = true;
		items[i].size_bytes = task->problem.items[i].size_bytes;
		ret = try_to_fit(task, items, out->offsets, &fits);
		out->keep[i] = fits;
		if (!fits)
			items[i].size_bytes = 0;
	}
	free(items);
	free(done);
	return ret;
}

/**
 * struct sets - a search over sets of items
 * @task: all items
 * @losses: by item
 * @order: items that may be left out, those with the largest losses first
 * @num_order: number of @order
 * @items: those of the set; what is left out has no size
 * @out: the best set so far
 * @best: what it loses
 * @looks: sets looked at
 * @fits: sets that were searched for a placement
 */
struct sets {
	const struct loom_place_task *task;
	const struct loom_place_loss *losses;
	uint32_t order[MAX_SET_ITEMS];
	uint32_t num_order;
	struct loom_place_item *items;
	struct loom_place_choice *out;
	uint64_t best;
	unsigned int looks;
	unsigned int fits;
};

/* Takes the set, if a placement of it is found. */
static int take_set(struct sets *sets, uint64_t loss)
{
	uint32_t n = sets->task->problem.num_items, i;
	struct loom_place_task own = *sets->task;
	bool fits;
	int ret;

	if (sets->fits++ >= MAX_SET_FITS)
		return 0;
	own.budget = own.budget < SET_BUDGET ? own.budget : SET_BUDGET;
	ret = try_to_fit(&own, sets->items, sets->out->offsets, &fits);
	if (ret || !fits)
		return ret;
	sets->best = loss;
	sets->out->fits = true;
	for (i = 0; i < n; i++)
		sets->out->keep[i] = !sets->task->problem.items[i].size_bytes ||
				     sets->items[i].size_bytes;
	return 0;
}

/* Tries all sets that agree with this one in the first @depth items. */
static int try_sets(struct sets *sets, uint32_t depth, uint64_t loss)
{
	struct loom_place_problem some = sets->task->problem;
	struct loom_place_peak peak;
	uint32_t item;
	int ret;

	if (loss >= sets->best || sets->looks++ >= MAX_SETS ||
	    !loom_place_left_ns(sets->task->deadline_ns))
		return 0;
	/* what was not decided is not there yet, so this can only rise */
	some.items = sets->items;
	ret = loom_place_find_peak(&some, &peak);
	if (ret || peak.bytes > sets->task->capacity_bytes)
		return ret == -ERANGE ? 0 : ret;
	if (depth == sets->num_order)
		return take_set(sets, loss);
	item = sets->order[depth];
	sets->items[item].size_bytes = sets->task->problem.items[item].size_bytes;
	ret = try_sets(sets, depth + 1, loss);
	sets->items[item].size_bytes = 0;
	if (!ret)
		ret = try_sets(sets, depth + 1,
			       loom_place_add(loss, sets->losses[item].loss));
	return ret;
}

static int choose_set(const struct loom_place_task *task, const struct loom_place_loss *losses,
		      struct loom_place_choice *out)
{
	uint32_t n = task->problem.num_items, i, k;
	struct sets sets = { .task = task, .losses = losses, .out = out };
	int ret;

	for (i = 0; i < n; i++) {
		if (!out->keep[i])
			sets.best = loom_place_add(sets.best, losses[i].loss);
		if (losses[i].must || !loom_place_has_room(&task->problem.items[i]))
			continue;
		if (sets.num_order == MAX_SET_ITEMS)
			return 0;
		for (k = sets.num_order++; k && losses[sets.order[k - 1]].loss < losses[i].loss;
		     k--)
			sets.order[k] = sets.order[k - 1];
		sets.order[k] = i;
	}
	sets.items = calloc((size_t)n + 1, sizeof(*sets.items));
	if (!sets.items)
		return -ENOMEM;
	memcpy(sets.items, task->problem.items, n * sizeof(*sets.items));
	for (i = 0; i < sets.num_order; i++)
		sets.items[sets.order[i]].size_bytes = 0;
	ret = try_sets(&sets, 0, 0);
	free(sets.items);
	return ret;
}

int loom_place_choose(const struct loom_place_task *task, const struct loom_place_loss *losses,
		      struct loom_place_choice *out)
{
	uint32_t n = task->problem.num_items, i;
	int ret;

	ret = try_to_fit(task, task->problem.items, out->offsets, &out->fits);
	for (i = 0; i < n; i++)
		out->keep[i] = true;
	if (ret || out->fits)
		return ret;
	ret = choose(task, losses, out);
	if (!ret && out->fits && n <= MAX_OFFER_ITEMS)
		ret = offer(task, losses, out);
	if (!ret && out->fits && n <= MAX_OFFER_ITEMS)
		ret = choose_set(task, losses, out);
	/* nothing is known to fit: keep what must stay and let the strategy try */
	for (i = 0; i < n && !ret && !out->fits; i++)
		out->keep[i] = losses[i].must;
	return ret;
}
