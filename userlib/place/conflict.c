// SPDX-License-Identifier: MIT
/*
 * DOC: Sub-banks
 *
 * A pool may consist of sub-banks of equal size, one behind the other, each of which serves one
 * stream at a time. A pair of items that are streamed at the same time is a conflict; its weight is
 * the cost of sharing a sub-bank. A conflict is tolerated, an overflow of the pool is not. So this
 * step follows the placement: items are moved within the capacity (or, without one, the height
 * reached) while that reduces the sum of weights.
 *
 * An item with a cost is removed, and all gaps where it fits are examined. The candidates are the
 * ends of each gap, the sub-bank behind the last and the one before the first of each partner, and
 * the next border of a sub-bank. The item moves to the offset of least cost, the lowest of these,
 * if that is less than before. Items are visited by descending cost, until no item improves.
 *
 * To leave local minima, the procedure is repeated from another placement: items with conflicts
 * first, by size, each at its offset of least cost. The better result is kept. Rejected: repetition
 * in pseudorandom orders, because no plan of a network changes by it.
 */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "greedy.h"

#define MAX_ROUNDS	16

/* A conflict, listed for one of its two owners. */
struct side {
	uint64_t begin;		/* first byte that is streamed, from the owner's begin */
	uint64_t size_bytes;	/* number of bytes streamed */
	uint32_t other;		/* the partner: an owner */
	uint64_t other_begin;	/* first byte of the partner that is streamed, from its begin */
	uint64_t other_bytes;	/* number of its bytes streamed */
	uint64_t weight;	/* cost of a common sub-bank */
};

/* State of the reduction. */
struct sub_banks {
	struct loom_arrays arrays;
	struct loom_greedy greedy;	/* the engine */
	uint64_t sub_bank_bytes;	/* size of a sub-bank */
	uint64_t limit;			/* no item may end above it */
	/* by item: index of its first side; one more entry at the end */
	uint32_t *first;
	struct side *sides;		/* by item */
	uint32_t *payers;		/* items with conflicts */
	uint32_t num_payers;		/* number of @payers */
	struct loom_radix sort;		/* the same by cost */
};

/* Cost of @item at offset @at. */
static uint64_t weight_at(const struct sub_banks *banks, uint32_t item, uint64_t at)
{
	uint64_t size = banks->sub_bank_bytes, weight = 0, begin, other;
	uint32_t i;

	for (i = banks->first[item]; i < banks->first[item + 1]; i++) {
		const struct side *side = &banks->sides[i];

		if (!banks->greedy.placed[side->other])
			continue;
		begin = at + side->begin;
		other = banks->greedy.offsets[side->other] + side->other_begin;
		if (begin / size <= (other + side->other_bytes - 1) / size &&
		    other / size <= (begin + side->size_bytes - 1) / size)
			weight += side->weight;
	}
	return weight;
}

/* The best offset so far. */
struct offer {
	uint64_t offset;
	uint64_t weight;	/* cost of the item there */
};

static void consider(const struct sub_banks *banks, uint32_t item, uint64_t at, uint64_t first,
		     uint64_t last, struct offer *best)
{
	uint64_t align = banks->greedy.task->problem.items[item].align_bytes, weight;

	if (at < first || at > last || !loom_place_align(&at, align) || at > last)
		return;
	weight = weight_at(banks, item, at);
	if (weight > best->weight || (weight == best->weight && at >= best->offset))
		return;
	best->offset = at;
	best->weight = weight;
}

/* Evaluates the candidate offsets in the free range [@first, @last]. */
static void consider_range(const struct sub_banks *banks, uint32_t item, uint64_t first,
			   uint64_t last, struct offer *best)
{
	uint64_t align = banks->greedy.task->problem.items[item].align_bytes;
	uint64_t size = banks->sub_bank_bytes, begin, end;
	uint32_t i;

	consider(banks, item, first, first, last, best);
	consider(banks, item, last / align * align, first, last, best);
	for (i = banks->first[item]; i < banks->first[item + 1]; i++) {
		const struct side *side = &banks->sides[i];

		/* on the next border */
		begin = (first + side->begin + size - 1) / size * size;
		if (begin >= side->begin)
			consider(banks, item, begin - side->begin, first, last, best);
		if (!banks->greedy.placed[side->other])
			continue;
		begin = banks->greedy.offsets[side->other] + side->other_begin;
		end = ((begin + side->other_bytes - 1) / size + 1) * size;
		if (end >= side->begin)
			consider(banks, item, end - side->begin, first, last, best);
		begin = begin / size * size;
		if (begin >= side->begin + side->size_bytes)
			consider(banks, item, (begin - side->begin - side->size_bytes) / align *
				 align, first, last, best);
	}
}

/* The best offset of @item, which must not be placed; LOOM_PLACE_ANYWHERE if it fits nowhere. */
static int find_offer(struct sub_banks *banks, uint32_t item, struct offer *best)
{
	const struct loom_place_item *it = &banks->greedy.task->problem.items[item];
	uint64_t first = 0, last, until;
	size_t at = 0;
	int ret;

	*best = (struct offer){ LOOM_PLACE_ANYWHERE, UINT64_MAX };
	ret = loom_greedy_find_spans(&banks->greedy, item);
	while (!ret && it->size_bytes <= banks->limit &&
	       loom_greedy_next(&banks->greedy, it->align_bytes, &at, &first, &last) &&
	       first <= banks->limit - it->size_bytes) {
		bool is_last = last == INT64_MAX;

		if (last > banks->limit - it->size_bytes)
			last = banks->limit - it->size_bytes;
		consider_range(banks, item, first, last, best);
		if (is_last)
			break;
		until = banks->greedy.sort.entries[at].value;
		first = first > until ? first : until;
	}
	return ret;
}

static uint64_t total_weight(const struct sub_banks *banks)
{
	uint64_t weight = 0;
	uint32_t i, item;

	/* each pair is counted twice, without overflow; only comparisons matter */
	for (i = 0; i < banks->num_payers; i++) {
		item = banks->payers[i];
		weight += weight_at(banks, item, banks->greedy.offsets[item]);
	}
	return weight;
}

/* Sorts by descending cost. */
static void sort_payers(struct sub_banks *banks)
{
	struct loom_radix *sort = &banks->sort;

	for (sort->count = 0; sort->count < banks->num_payers; sort->count++) {
		const uint32_t item = banks->payers[sort->count];
		const uint64_t at = banks->greedy.offsets[item];

		sort->entries[sort->count] = (struct loom_radix_entry){
			loom_radix_descending(weight_at(banks, item, at)), item,
		};
	}
	loom_radix_sort(sort);
}

static int improve(struct sub_banks *banks)
{
	const struct loom_place_item *items = banks->greedy.task->problem.items;
	bool better = true;
	struct offer best;
	uint32_t round, i;
	int ret;

	for (round = 0; round < MAX_ROUNDS && better; round++) {
		better = false;
		sort_payers(banks);
		for (i = 0; i < banks->num_payers; i++) {
			uint32_t item = (uint32_t)banks->sort.entries[i].value;
			uint64_t now = banks->greedy.offsets[item];
			uint64_t weight = weight_at(banks, item, now);

			if (!weight || loom_place_is_fixed(&items[item]))
				continue;
			loom_greedy_remove(&banks->greedy, item);
			ret = find_offer(banks, item, &best);
			if (ret)
				return ret;
			if (best.weight < weight) {
				now = best.offset;
				better = true;
			}
			loom_greedy_put(&banks->greedy, item, now);
		}
	}
	return 0;
}

static bool has_sides(const struct sub_banks *banks, uint32_t item)
{
	return banks->first[item + 1] > banks->first[item];
}

/* Places all items from scratch, by size. @fits: [out] all had room. */
static int restart(struct sub_banks *banks, bool *fits)
{
	const struct loom_place_problem *problem = &banks->greedy.task->problem;
	uint32_t *order = calloc((size_t)problem->num_items + 1, sizeof(*order)), i, k;
	struct offer best;
	int ret = order ? loom_place_order_size(problem, order) : -ENOMEM;

	loom_greedy_reset(&banks->greedy);
	*fits = true;
	/* first items with conflicts, in this order, then the others */
	for (k = 0; k < 2 && !ret; k++) {
		for (i = 0; i < problem->num_items && !ret && *fits; i++) {
			const struct loom_place_item *item = &problem->items[order[i]];

			if (!loom_place_has_room(item) || has_sides(banks, order[i]) == k ||
			    loom_place_is_fixed(item))
				continue;
			ret = find_offer(banks, order[i], &best);
			*fits = best.offset != LOOM_PLACE_ANYWHERE;
			if (*fits && !ret)
				loom_greedy_put(&banks->greedy, order[i], best.offset);
		}
	}
	free(order);
	return ret;
}

static int run(struct sub_banks *banks, uint64_t *offsets)
{
	const struct loom_place_problem *problem = &banks->greedy.task->problem;
	size_t n = problem->num_items;
	uint64_t weight;
	bool fits;
	uint32_t i;
	int ret;

	loom_greedy_reset(&banks->greedy);
	for (i = 0; i < n; i++)
		if (loom_place_has_room(&problem->items[i]) &&
		    !loom_place_is_fixed(&problem->items[i]))
			loom_greedy_put(&banks->greedy, i, offsets[i]);
	ret = improve(banks);
	if (ret)
		return ret;
	memcpy(offsets, banks->greedy.offsets, n * sizeof(*offsets));
	weight = total_weight(banks);
	if (!weight)
		return 0;
	ret = restart(banks, &fits);
	if (!ret && fits)
		ret = improve(banks);
	if (!ret && fits && total_weight(banks) < weight)
		memcpy(offsets, banks->greedy.offsets, n * sizeof(*offsets));
	return ret;
}

/* A conflict within one owner cannot be resolved, so it is ignored. */
static bool counts(const struct loom_place_item *items, const struct loom_place_pair *pair)
{
	return items[pair->first].size_bytes && items[pair->second].size_bytes && pair->weight &&
	       loom_place_owner(items, pair->first) != loom_place_owner(items, pair->second);
}

static void add_side(struct sub_banks *banks, const struct loom_place_item *items, uint32_t item,
		     uint32_t other, uint64_t weight)
{
	banks->sides[banks->first[loom_place_owner(items, item) + 1]++] = (struct side){
		.begin = loom_place_begin_in_owner(&items[item]),
		.size_bytes = items[item].size_bytes,
		.other = loom_place_owner(items, other),
		.other_begin = loom_place_begin_in_owner(&items[other]),
		.other_bytes = items[other].size_bytes,
		.weight = weight,
	};
}

static void fill_sides(struct sub_banks *banks, const struct loom_place_problem *problem)
{
	const struct loom_place_item *items = problem->items;
	uint32_t i;

	for (i = 0; i < problem->num_conflicts; i++) {
		if (!counts(items, &problem->conflicts[i]))
			continue;
		banks->first[loom_place_owner(items, problem->conflicts[i].first) + 2]++;
		banks->first[loom_place_owner(items, problem->conflicts[i].second) + 2]++;
	}
	for (i = 2; i < problem->num_items + 2; i++)
		banks->first[i] += banks->first[i - 1];
	for (i = 0; i < problem->num_conflicts; i++) {
		const struct loom_place_pair *pair = &problem->conflicts[i];

		if (!counts(items, pair))
			continue;
		add_side(banks, items, pair->first, pair->second, pair->weight);
		add_side(banks, items, pair->second, pair->first, pair->weight);
	}
	for (i = 0; i < problem->num_items; i++)
		if (has_sides(banks, i))
			banks->payers[banks->num_payers++] = i;
}

int loom_place_reduce_conflicts(const struct loom_place_task *task, uint64_t sub_bank_bytes,
				uint64_t limit_bytes, uint64_t *offsets)
{
	size_t n = (size_t)task->problem.num_items + 2;
	struct sub_banks banks = { .sub_bank_bytes = sub_bank_bytes, .limit = limit_bytes };
	int ret;

	ret = loom_greedy_init(&banks.greedy, task, true);
	if (ret)
		return ret;
	banks.first = loom_arrays_take(&banks.arrays, n, sizeof(*banks.first));
	banks.payers = loom_arrays_take(&banks.arrays, n, sizeof(*banks.payers));
	banks.sides = loom_arrays_take(&banks.arrays, 2 * (size_t)task->problem.num_conflicts + 1,
				       sizeof(*banks.sides));
	ret = banks.arrays.failed ? -ENOMEM : loom_radix_reserve(&banks.sort, n);
	if (!ret) {
		fill_sides(&banks, &task->problem);
		ret = run(&banks, offsets);
	}
	loom_radix_clear(&banks.sort);
	loom_arrays_free(&banks.arrays);
	loom_greedy_fini(&banks.greedy);
	return ret;
}
