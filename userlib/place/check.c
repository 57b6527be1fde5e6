// SPDX-License-Identifier: MIT
/*
 * DOC: Verifying a placement
 *
 * A sweep over time. Invariant: parts alive never overlap, because the sweep ends at the first
 * overlap. So a part that begins must be compared with two neighbours only: the parts alive whose
 * first bytes are the next below and the next above its own.
 *
 * Parts (an item without its gaps) are numbered in order of their first byte, pool by pool, and
 * those alive are a set of these numbers: words of bits, above them words that say which words are
 * not empty, and so on. Inserting, removing and finding a neighbour take one word per level, four
 * levels for 16 million parts. Rejected: a sorted array of the parts alive, half of which moves for
 * each event, and a balanced tree, which is more code than this whole file.
 */
#include "problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

#define MAX_LEVELS	6

/* A set of numbers. */
struct bits {
	uint64_t *words[MAX_LEVELS];	/* by level, the numbers themselves at 0 */
	unsigned int num_levels;	/* number of @words */
};

static void bits_clear(struct bits *bits)
{
	unsigned int i;

	for (i = 0; i < bits->num_levels; i++)
		free(bits->words[i]);
}

static int bits_make(struct bits *bits, size_t count)
{
	bits->num_levels = 0;
	do {
		count = count / 64 + 1;
		bits->words[bits->num_levels] = calloc(count, sizeof(**bits->words));
		if (!bits->words[bits->num_levels++])
			return -ENOMEM;
	} while (count > 1);
	return 0;
}

static void bits_put(struct bits *bits, size_t at)
{
	unsigned int i;

	for (i = 0; i < bits->num_levels; i++, at /= 64)
		bits->words[i][at / 64] |= 1ULL << at % 64;
}

static void bits_remove(struct bits *bits, size_t at)
{
	unsigned int i;

	for (i = 0; i < bits->num_levels; i++, at /= 64) {
		bits->words[i][at / 64] &= ~(1ULL << at % 64);
		if (bits->words[i][at / 64])
			break;
	}
}

/* The largest number below @at, or SIZE_MAX. */
static size_t bits_below(const struct bits *bits, size_t at)
{
	unsigned int i;

	for (i = 0; i < bits->num_levels; i++, at /= 64) {
		uint64_t word = bits->words[i][at / 64] & ((1ULL << at % 64) - 1);

		if (!word)
			continue;
		at = at / 64 * 64 + 63 - __builtin_clzll(word);
		while (i--)
			at = at * 64 + 63 - __builtin_clzll(bits->words[i][at]);
		return at;
	}
	return SIZE_MAX;
}

/* The smallest number above @at, or SIZE_MAX. */
static size_t bits_above(const struct bits *bits, size_t at)
{
	unsigned int i;

	for (i = 0; i < bits->num_levels; i++, at /= 64) {
		uint64_t word = bits->words[i][at / 64] & ~((2ULL << at % 64) - 1);

		if (!word)
			continue;
		at = at / 64 * 64 + __builtin_ctzll(word);
		while (i--)
			at = at * 64 + __builtin_ctzll(bits->words[i][at]);
		return at;
	}
	return SIZE_MAX;
}

/* Where a part lies. */
struct place {
	uint32_t pool;	/* its pool */
	uint64_t begin;	/* first byte */
	uint64_t end;	/* first byte behind it */
	uint32_t item;
	size_t part;	/* number of the part */
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->pool != y->pool)
		return x->pool < y->pool ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->part > y->part) - (x->part < y->part);
}

static bool touch(const struct place *places, size_t low, size_t high)
{
	return low != SIZE_MAX && high != SIZE_MAX && places[low].pool == places[high].pool &&
	       places[low].end > places[high].begin;
}

static int sweep(const struct place *places, const struct loom_place_event *events,
		 size_t num_events, struct bits *alive, struct loom_place_fault *fault)
{
	size_t i, below, above, at;
	uint64_t begin;

	for (i = 0; i < num_events; i++) {
		at = events[i].of;
		if (!events[i].begins) {
			bits_remove(alive, at);
			continue;
		}
		below = bits_below(alive, at);
		above = bits_above(alive, at);
		if (touch(places, below, at) || touch(places, at, above)) {
			if (touch(places, below, at))
				above = below;
			begin = max(places[at].begin, places[above].begin);
			return loom_place_fail(fault, -EBADMSG, places[at].item,
					       places[above].item,
					       "share byte %llu at moment %lld",
					       (unsigned long long)begin,
					       (long long)events[i].moment);
		}
		bits_put(alive, at);
	}
	return 0;
}

int loom_place_sweep(const struct loom_place_problem *problem, const uint64_t *offsets,
		     const uint32_t *pools, bool only_fixed, struct loom_place_fault *fault)
{
	struct bits alive = { .num_levels = 0 };
	struct loom_place_part *parts;
	size_t num_parts, num_events = 0, n = 0, i;
	struct place *places;
	struct loom_place_event *events;
	int ret;

	ret = loom_place_parts(problem, &parts, &num_parts);
	if (ret)
		return ret;
	places = calloc(num_parts + 1, sizeof(*places));
	events = calloc(2 * num_parts + 1, sizeof(*events));
	ret = places && events ? bits_make(&alive, num_parts) : -ENOMEM;
	for (i = 0; i < num_parts && !ret; i++) {
		const struct loom_place_part *part = &parts[i];
		uint64_t begin = offsets[part->item] + part->first;

		if (only_fixed && !loom_place_is_fixed(&problem->items[part->item]))
			continue;
		places[n++] = (struct place){
			pools ? pools[part->item] : 0, begin, begin + part->size_bytes,
			part->item, i,
		};
	}
	if (!ret) {
		qsort(places, n, sizeof(*places), compare_places);
		for (i = 0; i < n; i++) {
			const struct loom_place_part *part = &parts[places[i].part];

			loom_place_add_events(events, &num_events, part->lower, part->upper, i);
		}
		loom_place_sort_events(events, num_events);
		ret = sweep(places, events, num_events, &alive, fault);
	}
	bits_clear(&alive);
	free(places);
	free(events);
	free(parts);
	return ret;
}

/* Checks the constraints of one item. @align: as given, without that of aliases. */
static int check_item(const struct loom_place_resolved *resolved, uint32_t index, uint64_t align,
		      uint64_t at, uint32_t pool, struct loom_place_fault *fault)
{
	const struct loom_place_item *item = &resolved->items[index];
	const struct loom_place_pool *in;
	uint32_t i;

	if (pool >= resolved->problem.num_pools || !(item->pools >> pool & 1))
		return loom_place_fail(fault, -EBADMSG, index, LOOM_PLACE_NONE,
				       "is in pool %u, which it may not be", pool);
	in = &resolved->pools[pool];
	if ((align && at % align) ||
	    (!loom_place_is_alias(item) && item->size_bytes && at % in->align_bytes))
		return loom_place_fail(fault, -EBADMSG, index, LOOM_PLACE_NONE,
				       "offset %llu is not aligned", (unsigned long long)at);
	if (at > INT64_MAX - item->size_bytes ||
	    (item->size_bytes && at + item->size_bytes > in->capacity_bytes)) {
		loom_place_fail(fault, -EBADMSG, index, LOOM_PLACE_NONE,
				"at offset %llu it leaves the capacity of %llu",
				(unsigned long long)at, (unsigned long long)in->capacity_bytes);
		if (fault && at <= INT64_MAX - item->size_bytes)
			fault->missing_bytes = at + item->size_bytes - in->capacity_bytes;
		return -EBADMSG;
	}
	if (loom_place_is_fixed(item) && at != item->fixed)
		return loom_place_fail(fault, -EBADMSG, index, LOOM_PLACE_NONE,
				       "is at offset %llu, and not at %llu, where it is fixed",
				       (unsigned long long)at, (unsigned long long)item->fixed);
	for (i = 0; i < item->num_excluded && item->size_bytes; i++)
		if (at < item->excluded[i].upper && item->excluded[i].lower < at + item->size_bytes)
			return loom_place_fail(fault, -EBADMSG, index, LOOM_PLACE_NONE,
					       "at offset %llu it is in a range that is excluded",
					       (unsigned long long)at);
	return 0;
}

static int check_alias(const struct loom_place_resolved *resolved, uint32_t index,
		       const uint64_t *offsets, const uint32_t *pools,
		       struct loom_place_fault *fault)
{
	const struct loom_place_item *item = &resolved->items[index];

	if (!loom_place_is_alias(item) ||
	    (offsets[index] == offsets[item->alias] + item->alias_offset &&
	     (!pools || pools[index] == pools[item->alias])))
		return 0;
	return loom_place_fail(fault, -EBADMSG, index, item->alias,
			       "does not lie where it belongs in its owner");
}

static int check_apart(const struct loom_place_resolved *resolved,
		       const struct loom_place_pair *pair, const uint64_t *offsets,
		       const uint32_t *pools, struct loom_place_fault *fault)
{
	uint32_t a = pair->first, b = pair->second;

	if ((pools && pools[a] != pools[b]) ||
	    offsets[a] >= offsets[b] + resolved->items[b].size_bytes ||
	    offsets[b] >= offsets[a] + resolved->items[a].size_bytes)
		return 0;
	return loom_place_fail(fault, -EBADMSG, a, b,
			       "share a byte, and are to be kept apart");
}

int loom_place_check(const struct loom_place_problem *problem, const uint64_t *offsets,
		     const uint32_t *pools, struct loom_place_fault *fault)
{
	struct loom_place_resolved resolved;
	const int saved = errno;
	uint32_t i;
	int ret;

	if (!problem || (problem->num_items && !offsets))
		return loom_place_fail(fault, -EINVAL, LOOM_PLACE_NONE, LOOM_PLACE_NONE,
				       problem ? "there are no offsets" : "there is no problem");
	ret = loom_place_resolve(&resolved, problem, fault);
	for (i = 0; i < problem->num_items && !ret; i++)
		ret = check_item(&resolved, i, problem->items[i].align_bytes, offsets[i],
				 pools ? pools[i] : 0, fault);
	for (i = 0; i < problem->num_items && !ret; i++)
		ret = check_alias(&resolved, i, offsets, pools, fault);
	for (i = 0; i < resolved.problem.num_apart && !ret; i++)
		ret = check_apart(&resolved, &resolved.apart[i], offsets, pools, fault);
	if (!ret)
		ret = loom_place_sweep(&resolved.problem, offsets, pools, false, fault);
	loom_place_resolved_clear(&resolved);
	errno = saved;
	return ret;
}

/* --- proof of a bound, see DOC: Bounds by alignment ------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Sums the bytes that the parts alive at the reason's moment need, with either the pads of its
 * alignment or the offsets that no item may touch. Pads may lie at such offsets, so the two are
 * never added.
 */
static int sum_at(const struct loom_place_problem *problem,
		  const struct loom_place_part *parts, size_t num_parts,
		  const struct loom_place_reason *reason, uint64_t *pads, uint64_t *needed)
{
	uint64_t align = reason->align_bytes, bytes = 0;
	uint32_t aligned = 0, others = 0;
	size_t i;
	int ret;

	for (i = 0; i < num_parts; i++) {
		if (reason->moment < parts[i].lower || reason->moment >= parts[i].upper)
			continue;
		bytes = loom_place_add(bytes, parts[i].size_bytes);
		if (!parts[i].first &&
		    !(problem->items[parts[i].item].align_bytes % align))
			pads[aligned++] = (align - parts[i].size_bytes % align) % align;
		else
			others++;
	}
	*needed = bytes;
	ret = loom_place_raise(problem, needed);
	qsort(pads, aligned, sizeof(*pads), compare_numbers);
	for (i = 0; aligned && i + others < aligned - 1; i++)
		bytes = loom_place_add(bytes, pads[i]);
	*needed = bytes > *needed ? bytes : *needed;
	return ret;
}

int loom_place_check_reason(const struct loom_place_problem *problem,
			    const struct loom_place_reason *reason)
{
	struct loom_place_problem one;
	struct loom_place_resolved resolved = { 0 };
	struct loom_place_part *parts = NULL;
	uint64_t *pads = NULL, needed = 0;
	size_t num_parts = 0;
	const int saved = errno;
	int ret;

	if (!problem || !reason || !reason->align_bytes)
		return -EINVAL;
	one = *problem;
	one.pools = NULL;
	one.num_pools = 0;
	ret = loom_place_resolve_one(&resolved, &one);
	if (!ret && reason->item != LOOM_PLACE_NONE) {
		const struct loom_place_item *item;

		item = reason->item < one.num_items ? &resolved.items[reason->item] : NULL;
		if (item && loom_place_has_room(item) && loom_place_is_fixed(item))
			needed = item->fixed + item->size_bytes;
	} else if (!ret) {
		ret = loom_place_parts(&resolved.problem, &parts, &num_parts);
		if (!ret)
			pads = calloc(num_parts + 1, sizeof(*pads));
		if (!ret && !pads)
			ret = -ENOMEM;
		if (!ret)
			ret = sum_at(&resolved.problem, parts, num_parts, reason, pads, &needed);
	}
	free(pads);
	free(parts);
	loom_place_resolved_clear(&resolved);
	errno = saved;
	if (ret)
		return ret;
	return reason->bound_bytes <= needed ? 0 : -EBADMSG;
}
