// SPDX-License-Identifier: MIT
/*
 * Lower bounds on the height of any placement, and refusal of infeasible problems. See DOC:
 * Placing, problem.h.
 *
 * DOC: Bounds by alignment
 *
 * Consider the parts alive at one moment: k begin at multiples of A because their items are aligned
 * to it, and u others do not. In order of offsets the k parts have k - 1 segments between them,
 * each from the end of one part to the begin of the next. Both ends of a segment are known modulo
 * A, so it is empty only if the size of the part is a multiple of A; otherwise it holds at least
 * the pad, the distance to the next multiple. The u others lie in at most u of the segments. The
 * other segments stay empty, so their pads are lost, and the height is at least
 *
 *	the sum of all sizes + the k - 1 - u smallest pads.
 *
 * With u = 0 this is the sum of all sizes rounded up, less the largest pad, which may be on top.
 * The bound is computed for each alignment that items have, and for all moments in one sweep: pads
 * are ranked, and a Fenwick tree over the ranks sums the smallest pads alive.
 *
 * loom_place_check_reason() computes the same for one moment and one alignment, by sorting.
 */
#include "problem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

/*
 * Upper limit on the number of alignments examined, largest first. It suffices if all are powers of
 * two.
 */
#define MAX_CLASSES	64

/* The pads of one alignment, alive at a moment. */
struct sweep {
	uint32_t *counts;	/* tree over the ranks of pads: how many are alive */
	uint64_t *sums;		/* the same: how many bytes they are */
	uint32_t *ranks;	/* by part: from 1, or 0 if it is not of this class */
	uint64_t *pads;		/* the pads, ascending */
	uint32_t num_pads;	/* number of @pads; so many ranks there are */
};

static bool is_aligned(const struct loom_place_problem *problem, const struct loom_place_part *part,
		       uint64_t align)
{
	return !part->first && !(problem->items[part->item].align_bytes % align);
}

/* Distance to the next multiple. */
static uint64_t pad_of(const struct loom_place_part *part, uint64_t align)
{
	return (align - part->size_bytes % align) % align;
}

/*
 * Fills in the pads of a class, and the ranks of the parts. Returns false if all pads are zero.
 * @sort: scratch memory with room for all parts
 */
static bool find_pads(struct sweep *sweep, const struct loom_place_problem *problem,
		      const struct loom_place_part *parts, size_t num_parts, uint64_t align,
		      struct loom_radix *sort)
{
	size_t i;

	sort->count = 0;
	for (i = 0; i < num_parts; i++) {
		sweep->ranks[i] = 0;
		if (is_aligned(problem, &parts[i], align))
			sort->entries[sort->count++] = (struct loom_radix_entry){
				(int64_t)pad_of(&parts[i], align), (int64_t)i,
			};
	}
	loom_radix_sort(sort);
	sweep->num_pads = 0;
	for (i = 0; i < sort->count; i++) {
		if (!i || sort->entries[i].key != sort->entries[i - 1].key)
			sweep->pads[sweep->num_pads++] = (uint64_t)sort->entries[i].key;
		sweep->ranks[sort->entries[i].value] = sweep->num_pads;
	}
	memset(sweep->counts, 0, (sweep->num_pads + 1) * sizeof(*sweep->counts));
	memset(sweep->sums, 0, (sweep->num_pads + 1) * sizeof(*sweep->sums));
	return sweep->num_pads > 1 || (sweep->num_pads && sweep->pads[0]);
}

static void change(struct sweep *sweep, uint32_t rank, bool begins)
{
	uint64_t pad = sweep->pads[rank - 1];
	uint32_t i;

	/* sums may wrap around, but the ones that are read are checked */
	for (i = rank; i <= sweep->num_pads; i += i & -i) {
		sweep->counts[i] += begins ? 1 : -1U;
		sweep->sums[i] += begins ? pad : -pad;
	}
}

/* The sum of the @count smallest pads that are alive. */
static uint64_t sum_smallest(const struct sweep *sweep, uint32_t count)
{
	uint32_t at = 0, step = 1;
	uint64_t sum = 0, rest;

	while (step <= sweep->num_pads / 2)
		step *= 2;
	for (; step; step /= 2) {
		if (at + step > sweep->num_pads || sweep->counts[at + step] > count)
			continue;
		at += step;
		count -= sweep->counts[at];
		sum += sweep->sums[at];
	}
	if (!count || at >= sweep->num_pads)
		return sum;
	return __builtin_mul_overflow(sweep->pads[at], (uint64_t)count, &rest) ?
	       UINT64_MAX : loom_place_add(sum, rest);
}

static void sweep_class(struct sweep *sweep, const struct loom_place_part *parts,
			const struct loom_radix *events, uint64_t align,
			struct loom_place_reason *reason)
{
	uint32_t aligned = 0, others = 0;
	uint64_t bytes = 0, bound;
	size_t i;

	for (i = 0; i < events->count; i++) {
		const struct loom_radix_entry *event = &events->entries[i];
		const size_t of = loom_place_event_of(event);
		const bool begins = loom_place_event_begins(event);
		const uint32_t rank = sweep->ranks[of], by = begins ? 1 : -1U;

		bytes += begins ? parts[of].size_bytes : -parts[of].size_bytes;
		if (rank) {
			change(sweep, rank, begins);
			aligned += by;
		} else {
			others += by;
		}
		if (i + 1 < events->count && event[1].key == event->key)
			continue;
		if (aligned <= others + 1)
			continue;
		bound = loom_place_add(bytes, sum_smallest(sweep, aligned - 1 - others));
		if (bound <= reason->bound_bytes)
			continue;
		reason->bound_bytes = bound;
		reason->moment = event->key;
		reason->align_bytes = align;
	}
}

/* Finds the alignments of the items, the largest first. Returns their number. */
static unsigned int find_classes(const struct loom_place_problem *problem,
				 uint64_t classes[MAX_CLASSES])
{
	unsigned int count = 0, k;
	uint32_t i;

	for (i = 0; i < problem->num_items; i++) {
		uint64_t align = problem->items[i].align_bytes;

		for (k = 0; k < count && classes[k] > align; k++)
			;
		if (align == 1 || k == MAX_CLASSES || (k < count && classes[k] == align) ||
		    !loom_place_has_room(&problem->items[i]))
			continue;
		if (count < MAX_CLASSES)
			count++;
		memmove(&classes[k + 1], &classes[k], (count - 1 - k) * sizeof(*classes));
		classes[k] = align;
	}
	return count;
}

/* Raises a bound by the pads that alignment costs at one moment. */
static int find_by_pads(const struct loom_place_problem *problem, struct loom_place_reason *reason)
{
	uint64_t classes[MAX_CLASSES];
	unsigned int count = find_classes(problem, classes), k;
	struct loom_radix events = { 0 }, sort = { 0 };
	struct loom_place_part *parts;
	struct loom_arrays arrays = { 0 };
	struct sweep sweep;
	size_t num_parts;
	int ret;

	if (!count)
		return 0;
	ret = loom_place_parts(problem, &parts, &num_parts);
	if (ret)
		return ret;
	sweep.counts = loom_arrays_take(&arrays, num_parts + 1, sizeof(*sweep.counts));
	sweep.sums = loom_arrays_take(&arrays, num_parts + 1, sizeof(*sweep.sums));
	sweep.ranks = loom_arrays_take(&arrays, num_parts + 1, sizeof(*sweep.ranks));
	sweep.pads = loom_arrays_take(&arrays, num_parts + 1, sizeof(*sweep.pads));
	if (arrays.failed || loom_radix_reserve(&sort, num_parts) ||
	    loom_place_part_events(parts, num_parts, &events))
		ret = -ENOMEM;
	/* the parts must be countable in an int32_t; otherwise the plain sum is used */
	for (k = 0; k < count && num_parts < INT32_MAX && !ret; k++)
		if (find_pads(&sweep, problem, parts, num_parts, classes[k], &sort))
			sweep_class(&sweep, parts, &events, classes[k], reason);
	loom_arrays_free(&arrays);
	loom_radix_clear(&events);
	loom_radix_clear(&sort);
	free(parts);
	return ret;
}

static int find_reason(const struct loom_place_problem *problem,
		       const struct loom_place_peak *peak, struct loom_place_reason *reason)
{
	uint32_t i;
	int ret;

	*reason = (struct loom_place_reason){
		peak->bytes, peak->moment, 1, LOOM_PLACE_NONE,
	};
	ret = loom_place_raise(problem, &reason->bound_bytes);
	if (!ret)
		ret = find_by_pads(problem, reason);
	for (i = 0; i < problem->num_items && !ret; i++) {
		const struct loom_place_item *item = &problem->items[i];

		if (loom_place_has_room(item) && loom_place_is_fixed(item) &&
		    reason->bound_bytes < item->fixed + item->size_bytes) {
			reason->bound_bytes = item->fixed + item->size_bytes;
			reason->item = i;
		}
	}
	/* pads may be large; a bound beyond INT64_MAX has no valid offset */
	return ret ? ret : reason->bound_bytes > INT64_MAX ? -ERANGE : 0;
}

int loom_place_find_bound(const struct loom_place_problem *problem,
			  const struct loom_place_peak *known, uint64_t *bound_bytes)
{
	struct loom_place_peak peak = *known;
	struct loom_place_reason reason;
	int ret = peak.bytes ? 0 : loom_place_find_peak(problem, &peak);

	if (!ret)
		ret = find_reason(problem, &peak, &reason);
	*bound_bytes = ret ? 0 : reason.bound_bytes;
	return ret;
}

int loom_place_bound_reason(const struct loom_place_problem *problem,
			    struct loom_place_reason *reason)
{
	struct loom_place_resolved resolved;
	struct loom_place_peak peak;
	const int saved = errno;
	int ret;

	memset(reason, 0, sizeof(*reason));
	if (!problem)
		return -EINVAL;
	ret = loom_place_resolve_one(&resolved, problem);
	if (!ret)
		ret = loom_place_find_peak(&resolved.problem, &peak);
	if (!ret)
		ret = find_reason(&resolved.problem, &peak, reason);
	loom_place_resolved_clear(&resolved);
	if (ret)
		memset(reason, 0, sizeof(*reason));
	errno = saved;
	return ret;
}

int loom_place_bound(const struct loom_place_problem *problem, uint64_t *bound_bytes)
{
	struct loom_place_reason reason;
	int ret = loom_place_bound_reason(problem, &reason);

	*bound_bytes = ret ? 0 : reason.bound_bytes;
	return ret;
}

static int check_fixed_pairs(const struct loom_place_resolved *resolved,
			     struct loom_place_fault *fault)
{
	uint32_t n = resolved->problem.num_items, *pools, i = 0;
	uint64_t *at;
	int ret;

	while (i < n && !loom_place_is_fixed(&resolved->items[i]))
		i++;
	if (i == n)
		return 0;
	at = calloc((size_t)n + 1, sizeof(*at));
	pools = calloc((size_t)n + 1, sizeof(*pools));
	ret = at && pools ? 0 : -ENOMEM;
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

uint32_t loom_place_pools_of(const struct loom_place_resolved *resolved, uint32_t owner)
{
	const struct loom_place_item *item = &resolved->items[owner];
	uint64_t end = item->size_bytes;
	uint32_t pools = item->pools, p;

	if (!loom_place_has_room(item))
		return pools;
	if (loom_place_is_fixed(item))
		end += item->fixed;
	for (p = 0; p < resolved->problem.num_pools; p++)
		if (end > resolved->pools[p].capacity_bytes)
			pools &= ~(1U << p);
	return pools;
}

static int check_sizes(const struct loom_place_resolved *resolved, struct loom_place_fault *fault)
{
	uint32_t i, p;

	for (i = 0; i < resolved->problem.num_items; i++) {
		const struct loom_place_item *item = &resolved->items[i];
		uint64_t end = item->size_bytes, most = 0;

		if (loom_place_pools_of(resolved, i))
			continue;
		if (loom_place_is_fixed(item))
			end += item->fixed;
		for (p = 0; p < resolved->problem.num_pools; p++)
			if (item->pools >> p & 1)
				most = max(most, resolved->pools[p].capacity_bytes);
		return loom_place_no_space(fault, i, item->pools, end, most, "needs");
	}
	return 0;
}

/* Checks that the peak of the items that fit only in @pools is within the capacities of @pools. */
static int check_peak(struct loom_place_resolved *resolved, uint32_t pools,
		      struct loom_place_fault *fault)
{
	struct loom_place_problem some = resolved->problem;
	struct loom_place_item *items = NULL;
	struct loom_place_peak peak;
	uint64_t capacity = 0;
	char what[64];
	uint32_t i;
	int ret;

	if (some.num_pools > 1) {
		items = calloc((size_t)some.num_items + 1, sizeof(*items));
		if (!items)
			return -ENOMEM;
		some.items = items;
	}
	for (i = 0; i < some.num_items && items; i++) {
		items[i] = resolved->items[i];
		if (loom_place_pools_of(resolved, i) & ~pools)
			items[i].size_bytes = 0;
	}
	for (i = 0; i < some.num_pools; i++)
		if (pools >> i & 1 &&
		    (__builtin_add_overflow(capacity, resolved->pools[i].capacity_bytes,
					    &capacity) || capacity > INT64_MAX))
			capacity = INT64_MAX;
	ret = loom_place_find_peak(&some, &peak);
	snprintf(what, sizeof(what), "what is alive at moment %lld needs", (long long)peak.moment);
	if (ret == -ERANGE)
		loom_place_fail(fault, ret, peak.culprit, LOOM_PLACE_NONE,
				"the sum of the bytes alive exceeds 63 bits");
	else if (!ret && peak.bytes > capacity)
		ret = loom_place_no_space(fault, LOOM_PLACE_NONE, pools, peak.bytes, capacity,
					  what);
	if (!items)
		resolved->peak = peak;
	free(items);
	return ret;
}

static int check_peaks(struct loom_place_resolved *resolved, struct loom_place_fault *fault)
{
	uint32_t seen[LOOM_PLACE_MAX_POOLS + 1], num_seen = 0, pools, i, k;
	int ret;

	/* all pools together, and each set of pools that items fit in, up to a limit */
	seen[num_seen++] = UINT32_MAX >> (32 - resolved->problem.num_pools);
	for (i = 0; i < resolved->problem.num_items && resolved->problem.num_pools > 1; i++) {
		pools = loom_place_pools_of(resolved, i);
		for (k = 0; k < num_seen && seen[k] != pools; k++)
			;
		if (k == num_seen && num_seen < ARRAY_SIZE(seen))
			seen[num_seen++] = pools;
	}
	for (k = 0; k < num_seen; k++) {
		ret = check_peak(resolved, seen[k], fault);
		if (ret)
			return ret;
	}
	return 0;
}

int loom_place_check_feasible(struct loom_place_resolved *resolved,
			      struct loom_place_fault *fault)
{
	int ret = check_fixed_pairs(resolved, fault);

	if (!ret)
		ret = check_sizes(resolved, fault);
	if (!ret)
		ret = check_peaks(resolved, fault);
	return ret;
}
