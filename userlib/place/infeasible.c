// SPDX-License-Identifier: MIT
/* What cannot be, whoever places: fixed items that collide, and capacities under the bound. */
#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "loom_core.h"

static int check_fixed_pairs(const struct loom_place_ready *ready, struct loom_place_fault *fault)
{
	uint32_t n = ready->problem.num_items, i;
	uint64_t *at = calloc((size_t)n + 1, sizeof(*at));
	uint32_t *pools = calloc((size_t)n + 1, sizeof(*pools));
	int ret = at && pools ? 0 : -ENOMEM;

	for (i = 0; i < n && !ret; i++) {
		at[i] = ready->items[i].fixed;
		pools[i] = __builtin_ctz(ready->items[i].pools);
	}
	if (!ret)
		ret = loom_place_sweep(&ready->problem, at, pools, true, fault);
	for (i = 0; i < ready->problem.num_apart && !ret; i++) {
		const struct loom_place_pair *pair = &ready->apart[i];
		const struct loom_place_item *a = &ready->items[pair->first];
		const struct loom_place_item *b = &ready->items[pair->second];

		if (a->fixed != LOOM_PLACE_ANYWHERE && b->fixed != LOOM_PLACE_ANYWHERE &&
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

int loom_place_no_space(struct loom_place_fault *fault, uint32_t item, uint64_t needed,
			uint64_t capacity, const char *what)
{
	loom_place_fail(fault, -ENOSPC, item, LOOM_PLACE_NONE,
			"%s %llu bytes, %llu more than the capacity of %llu", what,
			(unsigned long long)needed, (unsigned long long)(needed - capacity),
			(unsigned long long)capacity);
	if (fault)
		fault->missing_bytes = needed - capacity;
	return -ENOSPC;
}

static int check_sizes(const struct loom_place_ready *ready, struct loom_place_fault *fault)
{
	uint32_t i, p;

	for (i = 0; i < ready->problem.num_items; i++) {
		const struct loom_place_item *item = &ready->items[i];
		uint64_t end = item->size_bytes, most = 0;

		if (!loom_place_has_room(item))
			continue;
		for (p = 0; p < ready->problem.num_pools; p++)
			if (item->pools >> p & 1 && most < ready->pools[p].capacity_bytes)
				most = ready->pools[p].capacity_bytes;
		if (item->fixed != LOOM_PLACE_ANYWHERE)
			end += item->fixed;
		if (end > most)
			return loom_place_no_space(fault, i, end, most, "needs");
	}
	return 0;
}

/* What may only go to @pools, at the moment at which it is most. */
static int check_peak(const struct loom_place_ready *ready, uint32_t pools,
		      struct loom_place_fault *fault)
{
	struct loom_place_problem some = ready->problem;
	struct loom_place_item *items = calloc((size_t)some.num_items + 1, sizeof(*items));
	struct loom_place_peak peak;
	uint64_t capacity = 0;
	char what[64];
	uint32_t i;
	int ret;

	if (!items)
		return -ENOMEM;
	for (i = 0; i < some.num_items; i++) {
		items[i] = ready->items[i];
		if (items[i].pools & ~pools)
			items[i].size_bytes = 0;
	}
	for (i = 0; i < some.num_pools; i++)
		if (pools >> i & 1 &&
		    (__builtin_add_overflow(capacity, ready->pools[i].capacity_bytes, &capacity) ||
		     capacity > INT64_MAX))
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

static int check_peaks(const struct loom_place_ready *ready, struct loom_place_fault *fault)
{
	uint32_t seen[LOOM_PLACE_MAX_POOLS + 1], num_seen = 0, i, k;
	int ret;

	/* every set of pools that items have, as long as these are few, and all together */
	seen[num_seen++] = UINT32_MAX;
	for (i = 0; i < ready->problem.num_items && ready->problem.num_pools > 1; i++) {
		for (k = 0; k < num_seen && seen[k] != ready->items[i].pools; k++)
			;
		if (k == num_seen && num_seen < ARRAY_SIZE(seen))
			seen[num_seen++] = ready->items[i].pools;
	}
	for (k = 0; k < num_seen; k++) {
		ret = check_peak(ready, seen[k], fault);
		if (ret)
			return ret;
	}
	return 0;
}

int loom_place_possible(const struct loom_place_ready *ready, struct loom_place_fault *fault)
{
	int ret = check_fixed_pairs(ready, fault);

	if (!ret)
		ret = check_sizes(ready, fault);
	if (!ret)
		ret = check_peaks(ready, fault);
	return ret;
}
