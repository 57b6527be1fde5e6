// SPDX-License-Identifier: MIT
/* What no placement can beat, and what cannot be placed at all. See DOC: Placing, problem.h. */
#include "problem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "loom_core.h"
#include "profile.h"

int loom_place_find_bound(const struct loom_place_problem *problem, uint64_t *bound_bytes)
{
	struct loom_place_peak peak;
	uint32_t i;
	int ret = loom_place_find_peak(problem, &peak);

	*bound_bytes = peak.bytes;
	for (i = 0; i < problem->num_items && !ret; i++) {
		const struct loom_place_item *item = &problem->items[i];

		if (loom_place_has_room(item) && loom_place_is_fixed(item) &&
		    *bound_bytes < item->fixed + item->size_bytes)
			*bound_bytes = item->fixed + item->size_bytes;
	}
	return ret;
}

int loom_place_bound(const struct loom_place_problem *problem, uint64_t *bound_bytes)
{
	struct loom_place_item *items = calloc((size_t)problem->num_items + 1, sizeof(*items));
	struct loom_place_problem one = *problem;
	struct loom_place_resolved resolved;
	uint32_t i;
	int ret;

	*bound_bytes = 0;
	if (!items)
		return -ENOMEM;
	for (i = 0; i < problem->num_items && problem->items; i++) {
		items[i] = problem->items[i];
		items[i].pools = 0;
	}
	if (problem->items)
		one.items = items;
	one.pools = NULL;
	ret = loom_place_resolve(&resolved, &one, NULL);
	if (!ret)
		ret = loom_place_find_bound(&resolved.problem, bound_bytes);
	loom_place_resolved_clear(&resolved);
	free(items);
	return ret;
}

static int check_fixed_pairs(const struct loom_place_resolved *resolved,
			     struct loom_place_fault *fault)
{
	uint32_t n = resolved->problem.num_items, i;
	uint64_t *at = calloc((size_t)n + 1, sizeof(*at));
	uint32_t *pools = calloc((size_t)n + 1, sizeof(*pools));
	int ret = at && pools ? 0 : -ENOMEM;

	for (i = 0; i < n && !ret; i++) {
		at[i] = loom_place_is_fixed(&resolved->items[i]) ? resolved->items[i].fixed : 0;
		pools[i] = __builtin_ctz(resolved->items[i].pools);
	}
	if (!ret)
		ret = loom_place_sweep(&resolved->problem, at, pools, true, fault);
	for (i = 0; i < resolved->problem.num_apart && !ret; i++) {
		const struct loom_place_pair *pair = &resolved->apart[i];
		const struct loom_place_item *a = &resolved->items[pair->first];
		const struct loom_place_item *b = &resolved->items[pair->second];

		if (loom_place_is_fixed(a) && loom_place_is_fixed(b) &&
		    a->pools == b->pools && a->fixed < b->fixed + b->size_bytes &&
		    b->fixed < a->fixed + a->size_bytes)
			ret = loom_place_fail(fault, -EINVAL, pair->first, pair->second,
					      "fixed on one another, and to be kept apart");
	}
	if (ret == -EBADMSG)
		ret = loom_place_fail(fault, -EINVAL, fault ? fault->first : 0,
				      fault ? fault->second : 0,
				      "fixed on one another, and alive together");
	free(at);
	free(pools);
	return ret;
}

static int check_sizes(const struct loom_place_resolved *resolved, struct loom_place_fault *fault)
{
	uint32_t i, p;

	for (i = 0; i < resolved->problem.num_items; i++) {
		const struct loom_place_item *item = &resolved->items[i];
		uint64_t end = item->size_bytes, most = 0;

		if (!loom_place_has_room(item))
			continue;
		for (p = 0; p < resolved->problem.num_pools; p++)
			if (item->pools >> p & 1 && most < resolved->pools[p].capacity_bytes)
				most = resolved->pools[p].capacity_bytes;
		if (loom_place_is_fixed(item))
			end += item->fixed;
		if (end > most)
			return loom_place_no_space(fault, i, end, most, "needs");
	}
	return 0;
}

/* Whether the peak of the items that may only go to @pools is within their capacities. */
static int check_peak(const struct loom_place_resolved *resolved, uint32_t pools,
		      struct loom_place_fault *fault)
{
	struct loom_place_problem some = resolved->problem;
	struct loom_place_item *items = calloc((size_t)some.num_items + 1, sizeof(*items));
	struct loom_place_peak peak;
	uint64_t capacity = 0;
	char what[64];
	uint32_t i;
	int ret;

	if (!items)
		return -ENOMEM;
	for (i = 0; i < some.num_items; i++) {
		items[i] = resolved->items[i];
		if (items[i].pools & ~pools)
			items[i].size_bytes = 0;
	}
	for (i = 0; i < some.num_pools; i++)
		if (pools >> i & 1 &&
		    (__builtin_add_overflow(capacity, resolved->pools[i].capacity_bytes,
					    &capacity) || capacity > INT64_MAX))
			capacity = INT64_MAX;
	some.items = items;
	ret = loom_place_find_peak(&some, &peak);
	snprintf(what, sizeof(what), "what is alive at moment %lld needs", (long long)peak.moment);
	if (ret == -ERANGE)
		loom_place_fail(fault, ret, peak.culprit, LOOM_PLACE_NONE,
				"the sum of what is alive leaves 63 bits");
	else if (!ret && peak.bytes > capacity)
		ret = loom_place_no_space(fault, LOOM_PLACE_NONE, peak.bytes, capacity, what);
	free(items);
	return ret;
}

static int check_peaks(const struct loom_place_resolved *resolved, struct loom_place_fault *fault)
{
	uint32_t seen[LOOM_PLACE_MAX_POOLS + 1], num_seen = 0, i, k;
	int ret;

	/* all pools together, and each set of pools that items have, up to a number */
	seen[num_seen++] = UINT32_MAX;
	for (i = 0; i < resolved->problem.num_items && resolved->problem.num_pools > 1; i++) {
		for (k = 0; k < num_seen && seen[k] != resolved->items[i].pools; k++)
			;
		if (k == num_seen && num_seen < ARRAY_SIZE(seen))
			seen[num_seen++] = resolved->items[i].pools;
	}
	for (k = 0; k < num_seen; k++) {
		ret = check_peak(resolved, seen[k], fault);
		if (ret)
			return ret;
	}
	return 0;
}

int loom_place_check_feasible(const struct loom_place_resolved *resolved,
			      struct loom_place_fault *fault)
{
	int ret = check_fixed_pairs(resolved, fault);

	if (!ret)
		ret = check_sizes(resolved, fault);
	if (!ret)
		ret = check_peaks(resolved, fault);
	return ret;
}
