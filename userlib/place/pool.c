// SPDX-License-Identifier: MIT
/*
 * DOC: Several pools
 *
 * Pools are filled one after the other, the cheapest first. Each has candidate items, of which
 * mostly not all fit. An item that is left out *spills* to its next pool, which costs its size
 * times the difference in cost: its loss. An item without another pool must stay. The goal is a set
 * of items that can be placed within the capacity and leaves out the least loss. This is a knapsack
 * problem in which the test whether a set fits is NP-hard itself.
 *
 * 1. If all items fit, as far as the default strategy finds with a small budget, all stay.
 * 2. Else items are placed one by one into the lowest gap, if that ends within the capacity; those
 *    that must stay are first. Several orders are tried: large items first (few, and each saves
 *    most), short-lived ones (a byte saves the same however long it is in use, so they save most
 *    per byte and moment), small areas, and large losses. The order that loses least is kept.
 * 3. That order is then improved: an item that was left out is moved to the front, and the new
 *    order is kept unless it loses more.
 * 4. With few items, those still left out are tried once more, one by one, with the exact search,
 *    which finds room that the lowest gap does not.
 *
 * 5. With fewer items still, place.c enumerates all assignments that cost less, so the cost is
 *    minimal, unless the budget is too small to decide what fits.
 *
 * Rejected: one search over the placements of all pools at once. The bound of such a search is weak
 * until most is placed.
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "greedy.h"
#include "loom_core.h"

#define MAX_TRIES	300
#define MAX_VISITS	20000000
#define ITEM_VISITS	100
#define FIT_BUDGET	50000
#define MAX_OFFERS	16
#define MAX_OFFER_ITEMS	200

/* State of the choice of items that stay. */
struct choice {
	struct loom_arrays arrays;
	struct loom_greedy greedy;		/* the engine */
	const struct loom_place_loss *losses;	/* by item: cost of leaving it out */
	uint32_t *order;			/* the current order */
	uint32_t *best;				/* the best order so far */
	uint32_t *room;				/* scratch memory for sorting */
	bool *keep;				/* by item: it stays, with the current order */
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

/* Result of an order. */
struct outcome {
	uint64_t loss;	/* sum of the losses of items left out */
	uint64_t bytes;	/* sum of their sizes */
	uint32_t stuck;	/* number of items left out that must stay */
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
		outcome->loss += choice->losses[index].loss;
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

static void keep_outcome(struct choice *choice, struct loom_place_choice *out)
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
		loom_place_order *order;
		bool around;
	} orders[] = {
		{ loom_place_order_size, false },
		{ loom_place_order_life, true },
		{ loom_place_order_area, true },
		{ loom_place_order_breadth, false },
		{ loom_place_order_area, false },
	};
	const struct loom_place_problem *problem = &choice->greedy.task->problem;
	struct outcome best = { UINT64_MAX, UINT64_MAX, UINT32_MAX }, now;
	uint64_t pairs, visits, state = 1;
	uint32_t tries, i;
	int ret;

	ret = loom_place_count_pairs(problem, &pairs);
	for (i = 0; i < ARRAY_SIZE(orders) && !ret; i++) {
		ret = orders[i].order(problem, choice->order);
		if (ret)
			break;
		if (orders[i].around)
			turn_around(choice->order, problem->num_items);
		put_first(choice, problem->num_items);
		ret = try_order(choice, &now);
		if (ret || !is_better(&now, &best))
			continue;
		best = now;
		keep_outcome(choice, out);
	}
	if (ret)
		return ret;
	visits = pairs + ITEM_VISITS * (uint64_t)problem->num_items;
	tries = visits && MAX_VISITS / visits < MAX_TRIES ? MAX_VISITS / visits : MAX_TRIES;
	for (i = 0; i < tries && !ret && best.bytes; i++) {
		if (!change(choice, out, &state))
			break;
		ret = try_order(choice, &now);
		if (ret || is_better(&best, &now))
			continue;
		best = now;
		keep_outcome(choice, out);
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

	ret = loom_greedy_init(&choice.greedy, task, true);
	if (ret)
		return ret;
	choice.order = loom_arrays_take(&choice.arrays, n, sizeof(*choice.order));
	choice.best = loom_arrays_take(&choice.arrays, n, sizeof(*choice.best));
	choice.room = loom_arrays_take(&choice.arrays, n, sizeof(*choice.room));
	choice.keep = loom_arrays_take(&choice.arrays, n, sizeof(*choice.keep));
	ret = choice.arrays.failed ? -ENOMEM : choose_by_order(&choice, out);
	loom_arrays_free(&choice.arrays);
	loom_greedy_fini(&choice.greedy);
	return ret;
}

int loom_place_try_to_fit(const struct loom_place_task *task, const struct loom_place_item *items,
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

/* The item with the largest loss that was left out and not tried yet, or LOOM_PLACE_NONE. */
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
		ret = loom_place_try_to_fit(task, items, out->offsets, &fits);
		out->keep[i] = fits;
		if (!fits)
			items[i].size_bytes = 0;
	}
	free(items);
	free(done);
	return ret;
}

int loom_place_choose(const struct loom_place_task *task, const struct loom_place_loss *losses,
		      struct loom_place_choice *out)
{
	uint32_t n = task->problem.num_items, i;
	int ret;

	ret = loom_place_try_to_fit(task, task->problem.items, out->offsets, &out->fits);
	for (i = 0; i < n; i++)
		out->keep[i] = true;
	if (ret || out->fits)
		return ret;
	ret = choose(task, losses, out);
	if (!ret && out->fits && n <= MAX_OFFER_ITEMS)
		ret = offer(task, losses, out);
	/* no set is known to fit: keep the items that must stay and let the strategy try */
	for (i = 0; i < n && !ret && !out->fits; i++)
		out->keep[i] = losses[i].must;
	return ret;
}
