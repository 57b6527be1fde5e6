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
 * 5. With fewer items still, all assignments of items to pools that cost less than the result so
 *    far are enumerated: items by descending difference in cost, each in the cheapest pool first. A
 *    branch is pruned if it costs too much, if more bytes are alive in a pool than fit, or if a
 *    pool holds all of a set that had no placement before. Complete assignments are searched for
 *    placements. So the cost is minimal, unless the budget is too small to decide what fits.
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
#include "profile.h"

#define MAX_TRIES	300
#define MAX_VISITS	20000000
#define ITEM_VISITS	100
#define FIT_BUDGET	50000
#define MAX_OFFERS	16
#define MAX_OFFER_ITEMS	200
/* Limits of the enumeration: items with a choice of pools; visits; searches for placements. */
#define MAX_DEAL_ITEMS		24
#define MAX_DEAL_VISITS		20000000
#define MAX_DEAL_MOMENTS	4096
#define MAX_DEAL_FITS		300
#define DEAL_BUDGET		5000

/**
 * struct choice - state of the choice of items that stay
 * @greedy: the engine
 * @losses: by item: cost of leaving it out
 * @order: the current order
 * @best: the best order so far
 * @room: scratch memory for sorting
 * @keep: by item: it stays, with the current order
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
 * struct outcome - result of an order
 * @loss: sum of the losses of items left out
 * @bytes: sum of their sizes
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
		ret = try_to_fit(task, items, out->offsets, &fits);
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

	ret = try_to_fit(task, task->problem.items, out->offsets, &out->fits);
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

/* --- all pools at once ------------------------------------------------------------------------ */

/**
 * struct deal - enumeration of assignments of items to pools
 * @resolved: the problem
 * @options: the caller's
 * @deadline_ns: when to stop
 * @by_cost: pools, the cheapest first
 * @parts: of all items, with indices of moments for times
 * @first_part: by item, and one more
 * @num_moments: number of moments
 * @load: by pool, then by moment: bytes alive
 * @order: items with a choice, by descending difference in cost
 * @num_order: number of @order
 * @rest: by position in @order: lower bound on the cost of the items from there on
 * @sets: by pool: its items of @order, as bits
 * @unfit: sets without a placement
 * @num_unfit: number of @unfit
 * @pools: by item: its pool at present
 * @offsets: by item: of a complete assignment
 * @visits: moments and sets visited
 * @fits: number of searches for placements
 * @out: the best assignment so far
 */
struct deal {
	const struct loom_place_resolved *resolved;
	const struct loom_place_options *options;
	int64_t deadline_ns;
	uint32_t by_cost[LOOM_PLACE_MAX_POOLS];
	struct loom_place_part *parts;
	uint32_t *first_part;
	size_t num_moments;
	uint64_t *load;
	uint32_t order[MAX_DEAL_ITEMS];
	uint32_t num_order;
	uint64_t rest[MAX_DEAL_ITEMS + 1];
	uint32_t sets[LOOM_PLACE_MAX_POOLS];
	struct {
		uint32_t pool;
		uint32_t set;
	} unfit[MAX_DEAL_FITS];
	unsigned int num_unfit;
	uint32_t *pools;
	uint64_t *offsets;
	uint64_t visits;
	unsigned int fits;
	struct loom_place_deal *out;
};

static uint64_t cost_in(const struct deal *deal, uint32_t item, uint32_t pool)
{
	return loom_place_cost_known(&deal->resolved->items[item],
				     deal->resolved->pools[pool].cost);
}

/* Adds an item to a pool, or removes it; returns false if the load then exceeds the capacity. */
static bool move_load(struct deal *deal, uint32_t item, uint32_t pool, bool out)
{
	uint64_t *load = &deal->load[pool * deal->num_moments];
	bool fits = true;
	uint32_t i;
	int64_t m;

	/* an item that is never alive counts as one visit as well */
	deal->visits++;
	for (i = deal->first_part[item]; i < deal->first_part[item + 1]; i++) {
		const struct loom_place_part *part = &deal->parts[i];

		deal->visits += (uint64_t)(part->upper - part->lower);
		for (m = part->lower; m < part->upper; m++) {
			load[m] += out ? -part->size_bytes : part->size_bytes;
			fits = fits && load[m] <= deal->resolved->pools[pool].capacity_bytes;
		}
	}
	return fits;
}

static bool is_unfit(struct deal *deal, uint32_t pool)
{
	unsigned int i;

	deal->visits += deal->num_unfit;
	for (i = 0; i < deal->num_unfit; i++)
		if (deal->unfit[i].pool == pool && !(deal->unfit[i].set & ~deal->sets[pool]))
			return true;
	return false;
}

/* Searches for a placement of the items assigned to a pool. */
static int fit_pool(struct deal *deal, uint32_t pool, bool *fits)
{
	struct loom_place_subproblem sub;
	uint64_t *offsets = NULL;
	uint32_t i;
	int ret;

	deal->fits++;
	ret = loom_place_subproblem_make(&sub, deal->resolved, deal->pools, pool, deal->options,
					 NULL);
	sub.task.deadline_ns = deal->deadline_ns;
	sub.task.budget = sub.task.budget < DEAL_BUDGET ? sub.task.budget : DEAL_BUDGET;
	if (!ret)
		offsets = calloc((size_t)sub.task.problem.num_items + 1, sizeof(*offsets));
	if (!ret && !offsets)
		ret = -ENOMEM;
	if (!ret)
		ret = try_to_fit(&sub.task, sub.task.problem.items, offsets, fits);
	for (i = 0; i < sub.task.problem.num_items && !ret && *fits; i++)
		deal->offsets[sub.global[i]] = offsets[i];
	if (!ret && !*fits) {
		deal->unfit[deal->num_unfit].pool = pool;
		deal->unfit[deal->num_unfit++].set = deal->sets[pool];
	}
	loom_place_subproblem_clear(&sub);
	free(offsets);
	return ret == -ERANGE ? 0 : ret;
}

/* Keeps an assignment that costs less, if placements of all pools are found. */
static int keep_deal(struct deal *deal, uint64_t cost)
{
	const struct loom_place_problem *problem = &deal->resolved->problem;
	bool fits = true;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < problem->num_items; i++)
		deal->pools[i] = deal->pools[loom_place_owner(problem->items, i)];
	for (i = 0; i < problem->num_pools && fits && !ret; i++) {
		if (deal->fits == MAX_DEAL_FITS)
			return 0;
		fits = false;
		ret = fit_pool(deal, i, &fits);
	}
	if (ret || !fits)
		return ret;
	deal->out->cost = cost;
	deal->out->better = true;
	memcpy(deal->out->pools, deal->pools, problem->num_items * sizeof(*deal->pools));
	memcpy(deal->out->offsets, deal->offsets, problem->num_items * sizeof(*deal->offsets));
	return 0;
}

/* Enumerates the assignments that share the first @depth items, which cost @cost. */
static int try_deals(struct deal *deal, uint32_t depth, uint64_t cost)
{
	uint32_t item, pool, i;
	bool fits;
	int ret = 0;

	if (depth == deal->num_order)
		return keep_deal(deal, cost);
	item = deal->order[depth];
	for (i = 0; i < deal->resolved->problem.num_pools && !ret; i++) {
		pool = deal->by_cost[i];
		if (!(deal->resolved->items[item].pools >> pool & 1))
			continue;
		/* the remaining pools cost as much or more */
		if (cost + cost_in(deal, item, pool) + deal->rest[depth + 1] >= deal->out->cost ||
		    deal->visits > MAX_DEAL_VISITS || deal->fits == MAX_DEAL_FITS ||
		    !loom_place_left_ns(deal->deadline_ns))
			break;
		deal->pools[item] = pool;
		deal->sets[pool] |= 1U << depth;
		fits = move_load(deal, item, pool, false);
		if (fits && !is_unfit(deal, pool))
			ret = try_deals(deal, depth + 1, cost + cost_in(deal, item, pool));
		move_load(deal, item, pool, true);
		deal->sets[pool] &= ~(1U << depth);
	}
	return ret;
}

/* Difference in cost between the dearest and the cheapest pool of an item; [out] @least. */
static uint64_t stake(const struct deal *deal, uint32_t item, uint64_t *least)
{
	uint64_t cost, most = 0;
	uint32_t p;

	*least = UINT64_MAX;
	for (p = 0; p < deal->resolved->problem.num_pools; p++) {
		if (!(deal->resolved->items[item].pools >> p & 1))
			continue;
		cost = cost_in(deal, item, p);
		*least = cost < *least ? cost : *least;
		most = cost > most ? cost : most;
	}
	return most - *least;
}

/* Sorts the items with a choice and assigns the others. Returns false if those do not fit. */
static bool order_deal(struct deal *deal, uint64_t *cost)
{
	const struct loom_place_resolved *resolved = deal->resolved;
	uint64_t least, other;
	uint32_t i, k;

	for (i = 0; i < resolved->problem.num_items; i++) {
		uint32_t pools = resolved->items[i].pools;

		if (!loom_place_has_room(&resolved->items[i]))
			continue;
		if (!(pools & (pools - 1))) {
			deal->pools[i] = (uint32_t)__builtin_ctz(pools);
			*cost += cost_in(deal, i, deal->pools[i]);
			if (!move_load(deal, i, deal->pools[i], false))
				return false;
			continue;
		}
		if (deal->num_order == MAX_DEAL_ITEMS)
			return false;
		for (k = deal->num_order++;
		     k && stake(deal, deal->order[k - 1], &other) < stake(deal, i, &least); k--)
			deal->order[k] = deal->order[k - 1];
		deal->order[k] = i;
	}
	for (k = deal->num_order; k--;) {
		stake(deal, deal->order[k], &least);
		deal->rest[k] = deal->rest[k + 1] + least;
	}
	return deal->num_order;
}

static void sort_pools(struct deal *deal)
{
	const struct loom_place_pool *pools = deal->resolved->pools;
	uint32_t p, k;

	for (p = 0; p < deal->resolved->problem.num_pools; p++) {
		for (k = p; k && pools[deal->by_cost[k - 1]].cost > pools[p].cost; k--)
			deal->by_cost[k] = deal->by_cost[k - 1];
		deal->by_cost[k] = p;
	}
}

/* Makes the parts of the items, in indices of moments, and the load, up to a limit. */
static int make_parts(struct deal *deal)
{
	struct loom_place_profile profile;
	uint32_t culprit, i;
	size_t num_parts, k = 0;
	int ret;

	ret = loom_place_parts(&deal->resolved->problem, &deal->parts, &num_parts);
	if (!ret)
		ret = loom_place_profile_make(&profile, deal->parts, num_parts, &culprit);
	if (ret)
		return ret;
	for (i = 0; i < deal->resolved->problem.num_items; i++) {
		deal->first_part[i] = (uint32_t)k;
		for (; k < num_parts && deal->parts[k].item == i; k++) {
			struct loom_place_part *part = &deal->parts[k];

			part->lower = (int64_t)loom_place_profile_find(&profile, part->lower);
			part->upper = (int64_t)loom_place_profile_find(&profile, part->upper);
		}
	}
	deal->first_part[i] = (uint32_t)k;
	deal->num_moments = profile.num_moments;
	loom_place_profile_clear(&profile);
	if (deal->num_moments > MAX_DEAL_MOMENTS)
		return 0;
	deal->load = calloc(deal->num_moments * deal->resolved->problem.num_pools + 1,
			    sizeof(*deal->load));
	return deal->load ? 0 : -ENOMEM;
}

int loom_place_deal_out(const struct loom_place_resolved *resolved,
			const struct loom_place_options *options, int64_t deadline_ns,
			struct loom_place_deal *out)
{
	size_t n = (size_t)resolved->problem.num_items + 1;
	struct deal deal = {
		.resolved = resolved, .options = options, .deadline_ns = deadline_ns, .out = out,
	};
	uint64_t cost = 0;
	int ret = -ENOMEM;

	if (resolved->problem.num_items > MAX_OFFER_ITEMS)
		return 0;
	sort_pools(&deal);
	deal.first_part = calloc(n + 1, sizeof(*deal.first_part));
	deal.pools = calloc(n, sizeof(*deal.pools));
	deal.offsets = calloc(n, sizeof(*deal.offsets));
	if (deal.first_part && deal.pools && deal.offsets)
		ret = make_parts(&deal);
	if (!ret)
		memcpy(deal.pools, out->pools, (n - 1) * sizeof(*deal.pools));
	if (!ret && deal.load && order_deal(&deal, &cost))
		ret = try_deals(&deal, 0, cost);
	free(deal.first_part);
	free(deal.pools);
	free(deal.offsets);
	free(deal.parts);
	free(deal.load);
	return ret;
}
