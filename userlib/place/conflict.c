// SPDX-License-Identifier: MIT
/*
 * DOC: Sub-banks
 *
 * A pool may consist of sub-banks of equal size, one behind the other, each of which serves one
 * stream at a time. Pairs of items that are streamed at the same time have a weight, which is paid
 * if they touch a sub-bank both. Paying is allowed; not fitting is not. So this comes after the
 * placement: within the capacity (or, where there is none, the height that was reached) items move
 * as long as less is paid.
 *
 * An item that pays is taken out, and the room that is free for it looked through. Only some of
 * the offsets matter: the ends of each free range, the sub-bank behind the last and the one before
 * the first of each partner, and the next border of a sub-bank. The offset at which it pays least
 * is taken, the lowest of these, if it is less than before. This is repeated, those that pay most
 * first, until nobody can improve.
 *
 * What one move cannot do, another start can: the same from a placement in which the items with
 * conflicts went first, the largest of them at first, or in an order that is shuffled, always the
 * same way; each where it pays least. The best one wins.
 */
#include "greedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROUNDS	16
#define MAX_STARTS	16
#define MAX_LOOKS	4000000
#define ITEM_LOOKS	100

/**
 * struct side - a conflict, as one of its items sees it
 * @begin: first byte in the conflict, from the item's begin
 * @size_bytes: how many there are
 * @other: the partner: an owner
 * @other_begin: the same of it
 * @other_bytes: likewise
 * @weight: what it costs
 */
struct side {
	uint64_t begin;
	uint64_t size_bytes;
	uint32_t other;
	uint64_t other_begin;
	uint64_t other_bytes;
	uint64_t weight;
};

/**
 * struct payer - an item with conflicts
 * @weight: what it pays
 * @item: which
 */
struct payer {
	uint64_t weight;
	uint32_t item;
};

/**
 * struct calm - the state
 * @greedy: the engine
 * @sub_bank_bytes: size of a sub-bank
 * @limit: no item may end above it
 * @first: by item: index of its first side; one more entry at the end
 * @sides: by item
 * @payers: items with conflicts
 * @num_payers: number of @payers
 */
struct calm {
	struct loom_greedy greedy;
	uint64_t sub_bank_bytes;
	uint64_t limit;
	uint32_t *first;
	struct side *sides;
	struct payer *payers;
	uint32_t num_payers;
};

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* What @item pays if it lies at @at. */
static uint64_t weight_at(const struct calm *calm, uint32_t item, uint64_t at)
{
	uint64_t size = calm->sub_bank_bytes, weight = 0, begin, other;
	uint32_t i;

	for (i = calm->first[item]; i < calm->first[item + 1]; i++) {
		const struct side *side = &calm->sides[i];

		if (!calm->greedy.placed[side->other])
			continue;
		begin = at + side->begin;
		other = calm->greedy.offsets[side->other] + side->other_begin;
		if (begin / size <= (other + side->other_bytes - 1) / size &&
		    other / size <= (begin + side->size_bytes - 1) / size)
			weight = add_up(weight, side->weight);
	}
	return weight;
}

/**
 * struct offer - the best offset so far
 * @offset: where
 * @weight: what is paid there
 */
struct offer {
	uint64_t offset;
	uint64_t weight;
};

static void consider(const struct calm *calm, uint32_t item, uint64_t at, uint64_t first,
		     uint64_t last, struct offer *best)
{
	uint64_t align = calm->greedy.task->problem.items[item].align_bytes, weight;

	if (at < first || at > last || !loom_place_align(&at, align) || at > last)
		return;
	weight = weight_at(calm, item, at);
	if (weight > best->weight || (weight == best->weight && at >= best->offset))
		return;
	best->offset = at;
	best->weight = weight;
}

/* Offsets of interest in the free range [@first, @last]. */
static void consider_range(const struct calm *calm, uint32_t item, uint64_t first, uint64_t last,
			   struct offer *best)
{
	uint64_t align = calm->greedy.task->problem.items[item].align_bytes;
	uint64_t size = calm->sub_bank_bytes, begin, end;
	uint32_t i;

	consider(calm, item, first, first, last, best);
	consider(calm, item, last / align * align, first, last, best);
	for (i = calm->first[item]; i < calm->first[item + 1]; i++) {
		const struct side *side = &calm->sides[i];

		/* on the next border */
		begin = (first + side->begin + size - 1) / size * size;
		if (begin >= side->begin)
			consider(calm, item, begin - side->begin, first, last, best);
		if (!calm->greedy.placed[side->other])
			continue;
		begin = calm->greedy.offsets[side->other] + side->other_begin;
		end = ((begin + side->other_bytes - 1) / size + 1) * size;
		if (end >= side->begin)
			consider(calm, item, end - side->begin, first, last, best);
		begin = begin / size * size;
		if (begin >= side->begin + side->size_bytes)
			consider(calm, item, (begin - side->begin - side->size_bytes) / align *
				 align, first, last, best);
	}
}

/* The best offset of @item, which is not placed. LOOM_PLACE_ANYWHERE: there is none. */
static int find_offer(struct calm *calm, uint32_t item, struct offer *best)
{
	const struct loom_place_item *it = &calm->greedy.task->problem.items[item];
	uint64_t first = 0, last, until;
	size_t at = 0;
	int ret;

	*best = (struct offer){ LOOM_PLACE_ANYWHERE, UINT64_MAX };
	ret = loom_greedy_look(&calm->greedy, item);
	while (!ret && it->size_bytes <= calm->limit &&
	       loom_greedy_next(&calm->greedy, it->align_bytes, &at, &first, &last) &&
	       first <= calm->limit - it->size_bytes) {
		bool is_last = last == INT64_MAX;

		if (last > calm->limit - it->size_bytes)
			last = calm->limit - it->size_bytes;
		consider_range(calm, item, first, last, best);
		if (is_last)
			break;
		until = calm->greedy.spans[at].until;
		first = first > until ? first : until;
	}
	return ret;
}

static uint64_t total_weight(const struct calm *calm)
{
	uint64_t weight = 0;
	uint32_t i;

	/* each pair twice, for all alike */
	for (i = 0; i < calm->num_payers; i++)
		weight = add_up(weight, weight_at(calm, calm->payers[i].item,
						  calm->greedy.offsets[calm->payers[i].item]));
	return weight;
}

static int compare_payers(const void *a, const void *b)
{
	const struct payer *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

/* Those that pay most first. */
static void sort_payers(struct calm *calm)
{
	uint32_t i;

	for (i = 0; i < calm->num_payers; i++) {
		struct payer *payer = &calm->payers[i];

		payer->weight = weight_at(calm, payer->item, calm->greedy.offsets[payer->item]);
	}
	qsort(calm->payers, calm->num_payers, sizeof(*calm->payers), compare_payers);
}

static int improve(struct calm *calm)
{
	const struct loom_place_item *items = calm->greedy.task->problem.items;
	bool better = true;
	struct offer best;
	uint32_t round, i;
	int ret;

	for (round = 0; round < MAX_ROUNDS && better; round++) {
		better = false;
		sort_payers(calm);
		for (i = 0; i < calm->num_payers; i++) {
			uint32_t item = calm->payers[i].item;
			uint64_t now = calm->greedy.offsets[item];
			uint64_t weight = weight_at(calm, item, now);

			if (!weight || items[item].fixed != LOOM_PLACE_ANYWHERE)
				continue;
			loom_greedy_take(&calm->greedy, item);
			ret = find_offer(calm, item, &best);
			if (ret)
				return ret;
			if (best.weight < weight) {
				now = best.offset;
				better = true;
			}
			loom_greedy_put(&calm->greedy, item, now);
		}
	}
	return 0;
}

static bool has_sides(const struct calm *calm, uint32_t item)
{
	return calm->first[item + 1] > calm->first[item];
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33) % below;
}

static void shuffle(uint32_t *order, uint32_t n, uint64_t *state)
{
	uint32_t i, k, swap;

	for (i = n; i > 1; i--) {
		k = draw(state, i);
		swap = order[i - 1];
		order[i - 1] = order[k];
		order[k] = swap;
	}
}

/* All anew, shuffled unless @state is 0. @fits: false if not all had room. */
static int start_anew(struct calm *calm, uint64_t *state, bool *fits)
{
	const struct loom_place_problem *problem = &calm->greedy.task->problem;
	uint32_t *order = calloc((size_t)problem->num_items + 1, sizeof(*order)), i, k;
	struct offer best;
	int ret = order ? loom_place_order_size.make(problem, order) : -ENOMEM;

	if (!ret && *state)
		shuffle(order, problem->num_items, state);
	loom_greedy_reset(&calm->greedy);
	*fits = true;
	/* first those with conflicts, in order of size, then the others */
	for (k = 0; k < 2 && !ret; k++) {
		for (i = 0; i < problem->num_items && !ret && *fits; i++) {
			const struct loom_place_item *item = &problem->items[order[i]];

			if (!loom_place_has_room(item) || has_sides(calm, order[i]) == k ||
			    item->fixed != LOOM_PLACE_ANYWHERE)
				continue;
			ret = find_offer(calm, order[i], &best);
			*fits = best.offset != LOOM_PLACE_ANYWHERE;
			if (*fits && !ret)
				loom_greedy_put(&calm->greedy, order[i], best.offset);
		}
	}
	free(order);
	return ret;
}

static int run(struct calm *calm, uint64_t *offsets)
{
	const struct loom_place_problem *problem = &calm->greedy.task->problem;
	size_t n = problem->num_items;
	uint64_t weight, now, pairs, state = 0;
	uint32_t starts, i;
	bool fits;
	int ret;

	ret = loom_place_count_pairs(problem, &pairs);
	if (ret)
		return ret;
	pairs += ITEM_LOOKS * (uint64_t)n;
	starts = MAX_LOOKS / pairs < MAX_STARTS ? MAX_LOOKS / pairs : MAX_STARTS;
	loom_greedy_reset(&calm->greedy);
	for (i = 0; i < n; i++)
		if (loom_place_has_room(&problem->items[i]) &&
		    problem->items[i].fixed == LOOM_PLACE_ANYWHERE)
			loom_greedy_put(&calm->greedy, i, offsets[i]);
	if (!total_weight(calm))
		return 0;
	ret = improve(calm);
	if (ret)
		return ret;
	memcpy(offsets, calm->greedy.offsets, n * sizeof(*offsets));
	weight = total_weight(calm);
	for (i = 0; i <= starts && !ret && weight; i++) {
		ret = start_anew(calm, &state, &fits);
		if (!ret && fits)
			ret = improve(calm);
		now = total_weight(calm);
		if (!ret && fits && now < weight) {
			weight = now;
			memcpy(offsets, calm->greedy.offsets, n * sizeof(*offsets));
		}
		state += !state;
	}
	return ret;
}

static uint32_t owner_of(const struct loom_place_item *items, uint32_t i)
{
	return items[i].alias == LOOM_PLACE_NONE ? i : items[i].alias;
}

static uint64_t begin_of(const struct loom_place_item *item)
{
	return item->alias == LOOM_PLACE_NONE ? 0 : item->alias_offset;
}

/* Nothing can be done about two that lie in one another. */
static bool counts(const struct loom_place_item *items, const struct loom_place_pair *pair)
{
	return items[pair->first].size_bytes && items[pair->second].size_bytes && pair->weight &&
	       owner_of(items, pair->first) != owner_of(items, pair->second);
}

static void add_side(struct calm *calm, const struct loom_place_item *items, uint32_t item,
		     uint32_t other, uint64_t weight)
{
	calm->sides[calm->first[owner_of(items, item) + 1]++] = (struct side){
		begin_of(&items[item]), items[item].size_bytes, owner_of(items, other),
		begin_of(&items[other]), items[other].size_bytes, weight,
	};
}

static void fill_sides(struct calm *calm, const struct loom_place_problem *problem)
{
	const struct loom_place_item *items = problem->items;
	uint32_t i;

	for (i = 0; i < problem->num_conflicts; i++) {
		if (!counts(items, &problem->conflicts[i]))
			continue;
		calm->first[owner_of(items, problem->conflicts[i].first) + 2]++;
		calm->first[owner_of(items, problem->conflicts[i].second) + 2]++;
	}
	for (i = 2; i < problem->num_items + 2; i++)
		calm->first[i] += calm->first[i - 1];
	for (i = 0; i < problem->num_conflicts; i++) {
		const struct loom_place_pair *pair = &problem->conflicts[i];

		if (!counts(items, pair))
			continue;
		add_side(calm, items, pair->first, pair->second, pair->weight);
		add_side(calm, items, pair->second, pair->first, pair->weight);
	}
	for (i = 0; i < problem->num_items; i++)
		if (has_sides(calm, i))
			calm->payers[calm->num_payers++].item = i;
}

int loom_place_calm(const struct loom_place_task *task, uint64_t sub_bank_bytes,
		    uint64_t limit_bytes, uint64_t *offsets)
{
	size_t n = (size_t)task->problem.num_items + 2;
	struct calm calm = { .sub_bank_bytes = sub_bank_bytes, .limit = limit_bytes };
	int ret;

	ret = loom_greedy_init(&calm.greedy, task);
	if (ret)
		return ret;
	calm.first = calloc(n, sizeof(*calm.first));
	calm.payers = calloc(n, sizeof(*calm.payers));
	calm.sides = calloc(2 * (size_t)task->problem.num_conflicts + 1, sizeof(*calm.sides));
	ret = -ENOMEM;
	if (calm.first && calm.payers && calm.sides) {
		fill_sides(&calm, &task->problem);
		ret = run(&calm, offsets);
	}
	free(calm.first);
	free(calm.payers);
	free(calm.sides);
	loom_greedy_fini(&calm.greedy);
	return ret;
}
