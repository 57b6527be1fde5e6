// SPDX-License-Identifier: MIT
/*
 * DOC: Meaning of a placement problem
 *
 * Aliases, gaps and pairs are resolved here, once, for the strategies, the bound and the
 * check:
 *
 * - an alias lies in its owner, at an offset; aliases of aliases in the first owner. An owner and
 *   its aliases have one lifetime, from the first to the last moment of any of them, because bytes
 *   are never freed in between. So the gaps of an owner count only if it has no alias, and those of
 *   an alias are ignored;
 * - constraints of an alias apply to its owner: the alignment (which must divide the offset in the
 *   owner), the pools, a fixed offset, the excluded ranges, and pairs that must be kept apart. The
 *   last two are stricter than required, because the owner may be larger;
 * - the pool's alignment applies to owners: the layout of a concatenation determines the offsets of
 *   its operands.
 */
#include "problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE	LOOM_PLACE_NONE

static int check_gaps(const struct loom_place_item *item, uint32_t index,
		      struct loom_place_fault *fault)
{
	int64_t from = item->lower;
	uint32_t i;

	if (item->num_gaps && !item->gaps)
		return loom_place_fail(fault, -EINVAL, index, NONE, "there are no gaps");
	for (i = 0; i < item->num_gaps; i++) {
		const struct loom_place_gap *gap = &item->gaps[i];

		if (gap->lower >= gap->upper)
			return loom_place_fail(fault, -EINVAL, index, NONE,
					       "gap %u ends before it begins", i);
		if (gap->lower < from || gap->upper > item->upper)
			return loom_place_fail(fault, -EINVAL, index, NONE,
					       "gap %u is %s", i, i && gap->lower < from ?
					       "not behind the one before" :
					       "not within the lifetime");
		if (gap->window_lower < gap->window_upper &&
		    gap->window_upper > item->size_bytes)
			return loom_place_fail(fault, -EINVAL, index, NONE,
					       "the window of gap %u is not within the item", i);
		from = gap->upper;
	}
	return 0;
}

static int check_excluded(const struct loom_place_item *item, uint32_t index,
			  struct loom_place_fault *fault)
{
	uint64_t from = 0;
	uint32_t i;

	if (item->num_excluded && !item->excluded)
		return loom_place_fail(fault, -EINVAL, index, NONE,
				       "there are no excluded ranges");
	for (i = 0; i < item->num_excluded; i++) {
		const struct loom_place_range *range = &item->excluded[i];

		if (range->lower >= range->upper || range->lower < from)
			return loom_place_fail(fault, -EINVAL, index, NONE,
					       "excluded range %u is %s", i,
					       range->lower >= range->upper ? "empty" :
					       "not behind the one before");
		from = range->upper;
	}
	return 0;
}

/* Checks the fields of one item. */
static int check_item(const struct loom_place_item *item, uint32_t index,
		      struct loom_place_fault *fault)
{
	uint64_t image;
	int ret;

	if (item->flags & ~(LOOM_PLACE_FIXED | LOOM_PLACE_ALIAS))
		return loom_place_fail(fault, -EINVAL, index, NONE, "flags 0x%x are not known",
				       item->flags);
	if (item->lower >= item->upper)
		return loom_place_fail(fault, -EINVAL, index, NONE,
				       "lifetime [%lld, %lld) is empty", (long long)item->lower,
				       (long long)item->upper);
	if (item->size_bytes > INT64_MAX || item->align_bytes > INT64_MAX)
		return loom_place_fail(fault, -ERANGE, index, NONE, "%s leaves 63 bits",
				       item->size_bytes > INT64_MAX ? "size" : "alignment");
	if (!item->width != !item->height)
		return loom_place_fail(fault, -EINVAL, index, NONE,
				       "an image has a width and a height");
	if (__builtin_mul_overflow(item->width, item->height, &image) || image > INT64_MAX)
		return loom_place_fail(fault, -ERANGE, index, NONE, "image leaves 63 bits");
	ret = check_gaps(item, index, fault);
	if (!ret)
		ret = check_excluded(item, index, fault);
	return ret;
}

static int join_fixed(struct loom_place_item *owner, const struct loom_place_item *item,
		      uint32_t index, struct loom_place_fault *fault)
{
	uint64_t at;

	if (!loom_place_is_fixed(item))
		return 0;
	if (item->fixed < item->alias_offset)
		return loom_place_fail(fault, -EINVAL, index, item->alias,
				       "its owner would begin before 0");
	at = item->fixed - item->alias_offset;
	if (loom_place_is_fixed(owner) && owner->fixed != at)
		return loom_place_fail(fault, -EINVAL, index, item->alias,
				       "fixed elsewhere than its owner");
	owner->flags |= LOOM_PLACE_FIXED;
	owner->fixed = at;
	return 0;
}

static int resolve_alias(struct loom_place_item *items, uint32_t index,
			 struct loom_place_fault *fault)
{
	struct loom_place_item *item = &items[index], *owner;
	uint64_t end;

	if (item->alias >= index)
		return loom_place_fail(fault, -EINVAL, index, NONE,
				       "its owner does not come before it");
	owner = &items[item->alias];
	if (__builtin_add_overflow(item->alias_offset, item->size_bytes, &end) ||
	    end > owner->size_bytes)
		return loom_place_fail(fault, -EINVAL, index, item->alias,
				       "does not lie within its owner");
	if (loom_place_is_alias(owner)) {
		item->alias_offset += owner->alias_offset;
		item->alias = owner->alias;
		owner = &items[item->alias];
	}
	if (item->alias_offset % item->align_bytes)
		return loom_place_fail(fault, -EINVAL, index, item->alias,
				       "its place in its owner is not aligned to %llu",
				       (unsigned long long)item->align_bytes);
	if (!loom_place_join_align(&owner->align_bytes, item->align_bytes))
		return loom_place_fail(fault, -ERANGE, index, item->alias,
				       "common alignment leaves 63 bits");
	owner->pools &= item->pools;
	if (!owner->pools)
		return loom_place_fail(fault, -EINVAL, index, item->alias,
				       "shares no pool with its owner");
	if (owner->upper < item->upper)
		owner->upper = item->upper;
	if (owner->lower > item->lower)
		owner->lower = item->lower;
	owner->gaps = NULL;
	owner->num_gaps = 0;
	item->gaps = NULL;
	item->num_gaps = 0;
	return join_fixed(owner, item, index, fault);
}

static int check_fixed(const struct loom_place_item *item, uint32_t index,
		       struct loom_place_fault *fault)
{
	uint32_t i;

	if (!loom_place_is_fixed(item) || loom_place_is_alias(item))
		return 0;
	if (item->fixed > INT64_MAX - item->size_bytes)
		return loom_place_fail(fault, -ERANGE, index, NONE,
				       "its end leaves 63 bits");
	if (item->fixed % item->align_bytes)
		return loom_place_fail(fault, -EINVAL, index, NONE,
				       "fixed offset %llu is not aligned to %llu",
				       (unsigned long long)item->fixed,
				       (unsigned long long)item->align_bytes);
	if (item->pools & (item->pools - 1))
		return loom_place_fail(fault, -EINVAL, index, NONE,
				       "a fixed offset needs exactly one pool");
	for (i = 0; i < item->num_excluded && item->size_bytes; i++)
		if (item->excluded[i].lower < item->fixed + item->size_bytes &&
		    item->fixed < item->excluded[i].upper)
			return loom_place_fail(fault, -EINVAL, index, NONE,
					       "fixed in a range that is excluded");
	return 0;
}

/* An excluded range and the owner that it applies to. */
struct owned_range {
	uint32_t owner;
	struct loom_place_range range;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct owned_range *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	if (x->range.lower != y->range.lower)
		return x->range.lower < y->range.lower ? -1 : 1;
	return (x->range.upper > y->range.upper) - (x->range.upper < y->range.upper);
}

/* Adds the excluded ranges of aliases to those of their owners. */
static int resolve_excluded(struct loom_place_resolved *resolved)
{
	size_t total = 0, n = 0, i;
	struct owned_range *all;
	uint32_t k, r, out = 0;

	for (k = 0; k < resolved->problem.num_items; k++)
		if (loom_place_is_alias(&resolved->items[k]))
			total += resolved->items[k].num_excluded;
	if (!total)
		return 0;
	for (k = 0; k < resolved->problem.num_items; k++)
		if (!loom_place_is_alias(&resolved->items[k]))
			total += resolved->items[k].num_excluded;
	all = calloc(total, sizeof(*all));
	resolved->ranges = calloc(total, sizeof(*resolved->ranges));
	if (!all || !resolved->ranges) {
		free(all);
		return -ENOMEM;
	}
	for (k = 0; k < resolved->problem.num_items; k++) {
		struct loom_place_item *item = &resolved->items[k];

		for (r = 0; r < item->num_excluded; r++)
			all[n++] = (struct owned_range){
				loom_place_owner(resolved->items, k), item->excluded[r],
			};
		item->excluded = NULL;
		item->num_excluded = 0;
	}
	qsort(all, total, sizeof(*all), compare_ranges);
	for (i = 0; i < total; i++) {
		struct loom_place_item *owner = &resolved->items[all[i].owner];
		struct loom_place_range *last = NULL;

		if (owner->num_excluded)
			last = &resolved->ranges[out - 1];
		if (last && last->upper >= all[i].range.lower) {
			if (last->upper < all[i].range.upper)
				last->upper = all[i].range.upper;
			continue;
		}
		if (!last)
			owner->excluded = &resolved->ranges[out];
		resolved->ranges[out++] = all[i].range;
		owner->num_excluded++;
	}
	free(all);
	return 0;
}

static int resolve_items(struct loom_place_resolved *resolved,
			 const struct loom_place_problem *problem, struct loom_place_fault *fault)
{
	uint32_t all = resolved->problem.num_pools == 32 ? UINT32_MAX :
		       (1U << resolved->problem.num_pools) - 1;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < problem->num_items && !ret; i++) {
		struct loom_place_item *item = &resolved->items[i];

		*item = problem->items[i];
		if (!item->align_bytes)
			item->align_bytes = 1;
		item->pools = item->pools && problem->pools ? item->pools & all : all;
		if (!item->pools)
			return loom_place_fail(fault, -EINVAL, i, NONE,
					       "none of its pools is there");
		ret = check_item(item, i, fault);
		if (!ret && loom_place_is_alias(item))
			ret = resolve_alias(resolved->items, i, fault);
	}
	if (!ret)
		ret = resolve_excluded(resolved);
	for (i = 0; i < problem->num_items && !ret; i++) {
		struct loom_place_item *item = &resolved->items[i];

		/* with several pools, subproblem.c adds the alignment of the chosen one */
		if (!loom_place_is_alias(item) && !(item->pools & (item->pools - 1)) &&
		    !loom_place_join_align(&item->align_bytes,
					   resolved->pools[__builtin_ctz(item->pools)].align_bytes))
			return loom_place_fail(fault, -ERANGE, i, NONE,
					       "common alignment with its pool leaves 63 bits");
		ret = check_fixed(item, i, fault);
	}
	return ret;
}

static int check_pair(const struct loom_place_problem *problem, const struct loom_place_pair *pair,
		      const char *what, uint32_t index, struct loom_place_fault *fault)
{
	if (pair->first >= problem->num_items || pair->second >= problem->num_items)
		return loom_place_fail(fault, -EINVAL, NONE, NONE,
				       "%s %u: there is no such item", what, index);
	if (pair->first == pair->second)
		return loom_place_fail(fault, -EINVAL, pair->first, NONE,
				       "%s %u is of an item and itself", what, index);
	return 0;
}

/* Sorts the pairs, and drops those that are there twice. Numbers of items have 31 bits. */
static int sort_apart(struct loom_place_resolved *resolved, uint32_t count)
{
	struct loom_place_pair *apart = resolved->apart;
	struct loom_radix sort = { 0 };
	uint32_t n = 0, i;

	if (loom_radix_reserve(&sort, count))
		return -ENOMEM;
	for (; sort.count < count; sort.count++)
		sort.entries[sort.count].key = (int64_t)apart[sort.count].first << 32 |
					       apart[sort.count].second;
	loom_radix_sort(&sort);
	for (i = 0; i < count; i++)
		if (!i || sort.entries[i].key != sort.entries[i - 1].key)
			apart[n++] = (struct loom_place_pair){
				sort.entries[i].key >> 32, (uint32_t)sort.entries[i].key, 0,
			};
	loom_radix_clear(&sort);
	resolved->problem.num_apart = n;
	return 0;
}

static int resolve_apart(struct loom_place_resolved *resolved,
			 const struct loom_place_problem *problem, struct loom_place_fault *fault)
{
	uint32_t n = 0, i;
	int ret;

	if (problem->num_apart && !problem->apart)
		return loom_place_fail(fault, -EINVAL, NONE, NONE, "there are no pairs");
	for (i = 0; i < problem->num_apart; i++) {
		const struct loom_place_pair *pair = &problem->apart[i];
		const struct loom_place_item *a, *b;
		uint64_t begin_a, begin_b;
		uint32_t first, second;

		ret = check_pair(problem, pair, "pair to be kept apart", i, fault);
		if (ret)
			return ret;
		a = &resolved->items[pair->first];
		b = &resolved->items[pair->second];
		if (!a->size_bytes || !b->size_bytes)
			continue;
		first = loom_place_owner(resolved->items, pair->first);
		second = loom_place_owner(resolved->items, pair->second);
		if (first == second) {
			begin_a = loom_place_begin_in_owner(a);
			begin_b = loom_place_begin_in_owner(b);
			if (begin_a < begin_b + b->size_bytes && begin_b < begin_a + a->size_bytes)
				return loom_place_fail(fault, -EINVAL, pair->first, pair->second,
						       "are to be kept apart, but overlap");
			continue;
		}
		resolved->apart[n++] = (struct loom_place_pair){
			first < second ? first : second, first < second ? second : first, 0,
		};
	}
	return sort_apart(resolved, n);
}

static int resolve_pools(struct loom_place_resolved *resolved,
			 const struct loom_place_problem *problem, struct loom_place_fault *fault)
{
	uint32_t i;

	if (!problem->pools) {
		resolved->pools[0] = (struct loom_place_pool){ INT64_MAX, 1, 0, 0 };
		return 0;
	}
	for (i = 0; i < problem->num_pools; i++) {
		struct loom_place_pool *pool = &resolved->pools[i];

		*pool = problem->pools[i];
		if (pool->capacity_bytes > INT64_MAX)
			pool->capacity_bytes = INT64_MAX;
		if (pool->sub_bank_bytes > INT64_MAX)
			pool->sub_bank_bytes = INT64_MAX;
		if (!pool->align_bytes)
			pool->align_bytes = 1;
		if (pool->align_bytes > INT64_MAX)
			return loom_place_fail(fault, -ERANGE, NONE, NONE,
					       "pool %u: alignment leaves 63 bits", i);
	}
	return 0;
}

static int check_ops(const struct loom_place_problem *problem, struct loom_place_fault *fault)
{
	uint32_t i, k;

	for (i = 0; i < problem->num_ops && problem->ops; i++) {
		const struct loom_place_op *op = &problem->ops[i];
		bool good = op->output == NONE || op->output < problem->num_items;

		good = good && (op->inputs || !op->num_inputs);
		for (k = 0; k < op->num_inputs && good; k++)
			good = op->inputs[k] < problem->num_items;
		if (!good)
			return loom_place_fail(fault, -EINVAL, NONE, NONE,
					       "operator %u: there is no such item", i);
	}
	return 0;
}

int loom_place_resolve(struct loom_place_resolved *resolved,
		       const struct loom_place_problem *problem, struct loom_place_fault *fault)
{
	uint32_t num_pools = problem->pools ? problem->num_pools : 1, i;
	int ret;

	memset(resolved, 0, sizeof(*resolved));
	if (fault)
		memset(fault, 0, sizeof(*fault));
	if (!num_pools || num_pools > LOOM_PLACE_MAX_POOLS)
		return loom_place_fail(fault, -EINVAL, NONE, NONE,
				       "%u pools, there can be 1 to %u", num_pools,
				       LOOM_PLACE_MAX_POOLS);
	if (problem->num_items && !problem->items)
		return loom_place_fail(fault, -EINVAL, NONE, NONE, "there are no items");
	if (problem->num_items > INT32_MAX || problem->num_apart > INT32_MAX)
		return loom_place_fail(fault, -EINVAL, NONE, NONE, "too many items or pairs");
	resolved->items = calloc((size_t)problem->num_items + 1, sizeof(*resolved->items));
	resolved->apart = calloc((size_t)problem->num_apart + 1, sizeof(*resolved->apart));
	resolved->pools = calloc(num_pools, sizeof(*resolved->pools));
	if (!resolved->items || !resolved->apart || !resolved->pools)
		return -ENOMEM;
	resolved->problem = *problem;
	resolved->problem.items = resolved->items;
	resolved->problem.apart = resolved->apart;
	resolved->problem.pools = resolved->pools;
	resolved->problem.num_pools = num_pools;
	if (!problem->ops)
		resolved->problem.num_ops = 0;
	ret = resolve_pools(resolved, problem, fault);
	if (!ret)
		ret = resolve_items(resolved, problem, fault);
	if (!ret)
		ret = resolve_apart(resolved, problem, fault);
	if (!ret)
		ret = check_ops(problem, fault);
	if (!ret && problem->num_conflicts && !problem->conflicts)
		ret = loom_place_fail(fault, -EINVAL, NONE, NONE, "there are no pairs");
	for (i = 0; i < problem->num_conflicts && !ret; i++)
		ret = check_pair(problem, &problem->conflicts[i], "conflict", i, fault);
	return ret;
}

void loom_place_resolved_clear(struct loom_place_resolved *resolved)
{
	free(resolved->items);
	free(resolved->apart);
	free(resolved->pools);
	free(resolved->ranges);
	memset(resolved, 0, sizeof(*resolved));
}

int loom_place_resolve_one(struct loom_place_resolved *resolved,
			   const struct loom_place_problem *problem)
{
	struct loom_place_problem one = *problem;

	one.pools = NULL;
	return loom_place_resolve(resolved, &one, NULL);
}
