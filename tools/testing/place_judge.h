/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_PLACE_JUDGE_H
#define LOOM_TESTS_PLACE_JUDGE_H

/*
 * Whether a placement is one, and what its sub-banks cost, without code of the library: all pairs,
 * at all moments at which something changes.
 */

#include "place_item.h"

#define JUDGE_ITEMS	48

static inline uint32_t judge_owner(const struct loom_place_problem *p, uint32_t i)
{
	while (item_is_alias(&p->items[i]))
		i = p->items[i].alias;
	return i;
}

static inline uint64_t judge_offset(const struct loom_place_problem *p, uint32_t i)
{
	uint64_t offset = 0;

	for (; item_is_alias(&p->items[i]); i = p->items[i].alias)
		offset += p->items[i].alias_offset;
	return offset;
}

/**
 * struct judge_group - an owner and its aliases
 * @lower: first moment at which any is alive
 * @upper: last, exclusive
 * @align: least common multiple of their alignments
 * @shared: there are aliases
 */
struct judge_group {
	int64_t lower;
	int64_t upper;
	uint64_t align;
	bool shared;
};

static inline void judge_groups(const struct loom_place_problem *p, struct judge_group *groups)
{
	uint64_t align, join;
	uint32_t i, o;

	for (i = 0; i < p->num_items; i++) {
		o = judge_owner(p, i);
		align = p->items[i].align_bytes ? p->items[i].align_bytes : 1;
		if (o == i)
			groups[i] = (struct judge_group){
				p->items[i].lower, p->items[i].upper, align, false,
			};
		for (join = groups[o].align; join % align; join += groups[o].align)
			;
		groups[o].align = join;
		if (p->items[i].lower < groups[o].lower)
			groups[o].lower = p->items[i].lower;
		if (p->items[i].upper > groups[o].upper)
			groups[o].upper = p->items[i].upper;
		groups[o].shared |= o != i;
	}
}

/* Bytes [*from, *to) of an owner that are occupied at a moment. */
static inline bool judge_there(const struct loom_place_problem *p, const struct judge_group *groups,
			       uint32_t i, int64_t moment, uint64_t *from, uint64_t *to)
{
	const struct loom_place_item *item = &p->items[i];
	uint32_t k;

	*from = 0;
	*to = item->size_bytes;
	if (moment < groups[i].lower || moment >= groups[i].upper)
		return false;
	for (k = 0; k < item->num_gaps && !groups[i].shared; k++) {
		if (moment < item->gaps[k].lower || moment >= item->gaps[k].upper)
			continue;
		*from = item->gaps[k].window_lower;
		*to = item->gaps[k].window_upper;
	}
	return *from < *to;
}

/* Whether both have a byte at a moment. */
static inline bool judge_share(const struct loom_place_problem *p, const struct judge_group *groups,
			       const uint64_t *at, uint32_t a, uint32_t b, int64_t moment)
{
	uint64_t a_from, a_to, b_from, b_to;

	return judge_there(p, groups, a, moment, &a_from, &a_to) &&
	       judge_there(p, groups, b, moment, &b_from, &b_to) &&
	       at[a] + a_from < at[b] + b_to && at[b] + b_from < at[a] + a_to;
}

/* Whether they do when @a, or a gap of it, begins or ends. */
static inline bool judge_begin(const struct loom_place_problem *p, const struct judge_group *groups,
			       const uint64_t *at, uint32_t a, uint32_t b)
{
	const struct loom_place_item *item = &p->items[a];
	bool share = judge_share(p, groups, at, a, b, groups[a].lower);
	uint32_t k;

	for (k = 0; k < item->num_gaps && !share; k++)
		share = judge_share(p, groups, at, a, b, item->gaps[k].lower) ||
			judge_share(p, groups, at, a, b, item->gaps[k].upper);
	return share;
}

static inline bool judge_overlap(const struct loom_place_problem *p, const uint64_t *at, uint32_t a,
				 uint32_t b)
{
	return at[a] < at[b] + p->items[b].size_bytes && at[b] < at[a] + p->items[a].size_bytes;
}

static inline bool judge_item(const struct loom_place_problem *p, const uint64_t *at,
			      const uint32_t *pools, uint32_t i)
{
	const struct loom_place_item *a = &p->items[i];
	uint32_t o = judge_owner(p, i), k;
	const struct loom_place_pool *pool = p->num_pools ? &p->pools[pools[i]] : NULL;

	if (at[i] % (a->align_bytes ? a->align_bytes : 1))
		return false;
	if (item_is_fixed(a) && at[i] != a->fixed)
		return false;
	if (at[i] != at[o] + judge_offset(p, i) || pools[i] != pools[o])
		return false;
	for (k = 0; k < a->num_excluded && p->items[o].size_bytes; k++)
		if (at[o] < a->excluded[k].upper &&
		    a->excluded[k].lower < at[o] + p->items[o].size_bytes)
			return false;
	if (!pool)
		return true;
	if (a->pools && !(a->pools >> pools[i] & 1))
		return false;
	if (o == i && a->size_bytes && pool->align_bytes && at[i] % pool->align_bytes)
		return false;
	return !a->size_bytes || at[i] + a->size_bytes <= pool->capacity_bytes;
}

static inline bool judge_valid(const struct loom_place_problem *p, const uint64_t *at,
			       const uint32_t *pools)
{
	struct judge_group groups[JUDGE_ITEMS];
	uint32_t i, k;

	judge_groups(p, groups);
	for (i = 0; i < p->num_items; i++) {
		if (!judge_item(p, at, pools, i))
			return false;
		for (k = 0; k < i; k++)
			if (judge_owner(p, i) == i && judge_owner(p, k) == k &&
			    pools[i] == pools[k] &&
			    (judge_begin(p, groups, at, i, k) ||
			     judge_begin(p, groups, at, k, i)))
				return false;
	}
	for (i = 0; i < p->num_apart; i++) {
		uint32_t a = p->apart[i].first, b = p->apart[i].second;

		if (!p->items[a].size_bytes || !p->items[b].size_bytes || pools[a] != pools[b])
			continue;
		a = judge_owner(p, a);
		b = judge_owner(p, b);
		if (a != b && judge_overlap(p, at, a, b))
			return false;
	}
	return true;
}

/* The weight of all sub-bank conflicts of a placement. */
static inline uint64_t judge_weigh(const struct loom_place_problem *p,
				   const struct loom_place_result *r)
{
	uint64_t weight = 0, size, a, b;
	uint32_t i;

	for (i = 0; i < p->num_conflicts; i++) {
		const struct loom_place_pair *pair = &p->conflicts[i];
		uint64_t a_bytes = p->items[pair->first].size_bytes;
		uint64_t b_bytes = p->items[pair->second].size_bytes;

		size = p->pools[r->pools[pair->first]].sub_bank_bytes;
		if (r->pools[pair->first] != r->pools[pair->second] || !size || !a_bytes ||
		    !b_bytes)
			continue;
		a = r->offsets[pair->first];
		b = r->offsets[pair->second];
		if (a / size <= (b + b_bytes - 1) / size && b / size <= (a + a_bytes - 1) / size)
			weight += pair->weight;
	}
	return weight;
}

#endif /* LOOM_TESTS_PLACE_JUDGE_H */
