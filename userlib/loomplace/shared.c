// SPDX-License-Identifier: MIT
/*
 * DOC: Two problems with items in common
 *
 * The moments of the second problem are moved behind those of the first. An item of both then lives
 * from its begin in the first to its end in the second, and has a gap between its end in the first
 * and its begin in the second. So both are one problem, and one offset serves an item in both.
 */
#include "arrays.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "loom_core.h"
#include "memory.h"

/**
 * struct join - both problems as one
 * @first: one problem
 * @second: the other
 * @items: of both; those of @first are first
 * @num_items: number of @items
 * @gaps: by item of @first: when it is not alive
 * @where: by item of @second: its index in @items
 * @shift: added to moments of @second
 */
struct join {
	const struct loomplace_problem *first;
	const struct loomplace_problem *second;
	struct loom_place_item *items;
	uint32_t num_items;
	struct loom_place_gap *gaps;
	uint32_t *where;
	int64_t shift;
};

/* The moments of the second problem follow those of the first; -ERANGE if they leave 64 bits. */
static int find_shift(struct join *j, const struct loom_place_item *second)
{
	int64_t end = INT64_MIN, begin = INT64_MAX, last = INT64_MIN;
	size_t i;

	for (i = 0; i < j->first->num_items; i++)
		end = max(end, j->items[i].upper);
	for (i = 0; i < j->second->num_items; i++) {
		begin = min(begin, second[i].lower);
		last = max(last, second[i].upper);
	}
	if (!j->first->num_items || !j->second->num_items)
		return 0;
	return __builtin_sub_overflow(end, begin, &j->shift) ||
	       __builtin_add_overflow(last, j->shift, &last) ? -ERANGE : 0;
}

/* The least common multiple; 0 if it leaves 63 bits. */
static uint64_t common_align(uint64_t a, uint64_t b)
{
	uint64_t x = a ? a : 1, y = b ? b : 1, rest, product;

	a = x;
	b = y;
	while (y) {
		rest = x % y;
		x = y;
		y = rest;
	}
	return __builtin_mul_overflow(a / x, b, &product) || product > INT64_MAX ? 0 : product;
}

/* Gives an item of the first problem its life in the second. 0, -EINVAL or -ERANGE. */
static int share(struct join *j, uint32_t into, const struct loom_place_item *item)
{
	struct loom_place_item *owner = &j->items[into];
	struct loom_place_gap *gap = &j->gaps[into];

	if (owner->num_gaps || owner->lower >= owner->upper || item->lower >= item->upper)
		return -EINVAL;
	if ((item->flags & LOOM_PLACE_FIXED) && (owner->flags & LOOM_PLACE_FIXED) &&
	    item->fixed != owner->fixed)
		return -EINVAL;
	*gap = (struct loom_place_gap){ .lower = owner->upper, .upper = item->lower + j->shift };
	if (gap->lower < gap->upper)
		owner->gaps = gap;
	owner->num_gaps = gap->lower < gap->upper;
	owner->upper = item->upper + j->shift;
	owner->size_bytes = max(owner->size_bytes, item->size_bytes);
	owner->align_bytes = common_align(owner->align_bytes, item->align_bytes);
	if (item->flags & LOOM_PLACE_FIXED) {
		owner->flags = LOOM_PLACE_FIXED;
		owner->fixed = item->fixed;
	}
	return owner->align_bytes ? 0 : -ERANGE;
}

static int add_second(struct join *j, const struct loom_place_item *second, const size_t *shared)
{
	bool *taken = calloc(j->first->num_items + 1, sizeof(*taken));
	int ret = taken ? find_shift(j, second) : -ENOMEM;
	size_t i;

	for (i = 0; i < j->second->num_items && !ret; i++) {
		if (shared[i] != LOOMPLACE_NONE &&
		    (shared[i] >= j->first->num_items || taken[shared[i]])) {
			ret = -EINVAL;
			break;
		}
		if (shared[i] != LOOMPLACE_NONE) {
			taken[shared[i]] = true;
			j->where[i] = (uint32_t)shared[i];
			ret = share(j, j->where[i], &second[i]);
			continue;
		}
		j->where[i] = j->num_items;
		j->items[j->num_items] = second[i];
		j->items[j->num_items].lower += j->shift;
		j->items[j->num_items++].upper += j->shift;
	}
	free(taken);
	return ret;
}

static int place(const struct join *j, uint64_t *offsets_first, uint64_t *offsets_second,
		 struct loomplace_answer *answer)
{
	const struct loom_place_pool pool = {
		.capacity_bytes = j->first->capacity_bytes ? j->first->capacity_bytes :
							     LOOM_PLACE_ANYWHERE,
	};
	const struct loom_place_problem problem = {
		.items = j->items, .num_items = j->num_items, .pools = &pool, .num_pools = 1,
	};
	const struct loom_place_options options = {
		.budget = j->first->budget, .time_ns = j->first->time_ns,
		.fit_only = j->first->capacity_bytes,
	};
	struct loom_place_fault fault = { LOOM_PLACE_NONE, LOOM_PLACE_NONE, 0, 0, "" };
	struct loom_place_result result;
	int ret = loom_place(&problem, &options, &result, &fault);
	size_t i;

	/* items of the fault are those of the joint problem */
	if (ret) {
		fault.first = LOOM_PLACE_NONE;
		fault.second = LOOM_PLACE_NONE;
		return place_fail_by(answer, ret, &fault);
	}
	for (i = 0; i < j->first->num_items; i++)
		offsets_first[i] = result.offsets[i];
	for (i = 0; i < j->second->num_items; i++)
		offsets_second[i] = result.offsets[j->where[i]];
	place_answer(answer, &result);
	loom_place_result_free(&result);
	return 0;
}

static int join(struct join *j, const size_t *shared)
{
	const size_t n = j->first->num_items, m = j->second->num_items;
	struct loom_place_item *first = place_make_items(j->first);
	struct loom_place_item *second = place_make_items(j->second);
	int ret = -ENOMEM;
	size_t i;

	j->items = calloc(n + m + 1, sizeof(*j->items));
	j->gaps = calloc(n + 1, sizeof(*j->gaps));
	j->where = calloc(m + 1, sizeof(*j->where));
	if (first && second && j->items && j->gaps && j->where) {
		for (i = 0; i < n; i++)
			j->items[i] = first[i];
		j->num_items = (uint32_t)n;
		ret = add_second(j, second, shared);
	}
	free(first);
	free(second);
	return ret;
}

int loomplace_place_shared(const struct loomplace_problem *first,
			   const struct loomplace_problem *second, const size_t *shared,
			   uint64_t *offsets_first, uint64_t *offsets_second,
			   struct loomplace_answer *answer)
{
	struct join j = { .first = first, .second = second };
	int ret = place_check_problem(first, offsets_first, answer), saved = errno;
	const struct loomplace_memory *outer;

	if (!ret)
		ret = place_check_problem(second, offsets_second, answer);
	if (!ret && ((second->num_items && !shared) ||
		     first->capacity_bytes != second->capacity_bytes))
		ret = place_fail(answer, -EINVAL, "shared items, and one capacity, are necessary");
	if (!ret && first->num_items + second->num_items >= LOOM_PLACE_NONE)
		ret = place_fail(answer, -E2BIG, "there are too many items");
	if (ret)
		return ret;
	outer = place_memory_use(first->memory);
	ret = join(&j, shared);
	if (ret)
		place_fail(answer, ret, ret == -ENOMEM ? "out of memory" :
			   ret == -ERANGE ? "moments or alignments leave 63 bits" :
			   "an item cannot be shared: it is shared twice, or fixed elsewhere");
	else
		ret = place(&j, offsets_first, offsets_second, answer);
	free(j.items);
	free(j.gaps);
	free(j.where);
	place_memory_use(outer);
	errno = saved;
	return ret;
}
