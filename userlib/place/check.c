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

/* Parts of one pool in order of their first byte. */
struct sorted {
	const struct loom_place_part *parts;	/* the parts */
	struct loom_radix sort;			/* first bytes, and numbers of parts */
	struct loom_radix events;		/* of parts by their place in @sort */
	struct bits alive;			/* the same, those alive */
};

static bool touch(const struct sorted *sorted, size_t low, size_t high)
{
	const struct loom_radix_entry *entries = sorted->sort.entries;

	return low != SIZE_MAX && high != SIZE_MAX &&
	       (uint64_t)entries[low].key + sorted->parts[entries[low].value].size_bytes >
	       (uint64_t)entries[high].key;
}

static int sweep(struct sorted *sorted, struct loom_place_fault *fault)
{
	const struct loom_radix_entry *entries = sorted->sort.entries, *event;
	size_t i, below, above, at;

	for (i = 0; i < sorted->events.count; i++) {
		event = &sorted->events.entries[i];
		at = loom_place_event_of(event);
		if (!loom_place_event_begins(event)) {
			bits_remove(&sorted->alive, at);
			continue;
		}
		below = bits_below(&sorted->alive, at);
		above = bits_above(&sorted->alive, at);
		if (touch(sorted, below, at) || touch(sorted, at, above)) {
			if (touch(sorted, below, at))
				above = below;
			return loom_place_fail(fault, -EBADMSG,
					       sorted->parts[entries[at].value].item,
					       sorted->parts[entries[above].value].item,
					       "share byte %lld at moment %lld",
					       (long long)max(entries[at].key, entries[above].key),
					       (long long)event->key);
		}
		bits_put(&sorted->alive, at);
	}
	return 0;
}

int loom_place_sweep(const struct loom_place_problem *problem, const uint64_t *offsets,
		     const uint32_t *pools, bool only_fixed, struct loom_place_fault *fault)
{
	const uint32_t num_pools = pools ? problem->num_pools : 1;
	struct sorted sorted = { .parts = NULL };
	struct loom_radix *sort = &sorted.sort;
	struct loom_place_part *parts;
	size_t num_parts, i;
	uint32_t pool, of;
	int ret;

	ret = loom_place_parts(problem, &parts, &num_parts);
	if (ret)
		return ret;
	sorted.parts = parts;
	if (loom_radix_reserve(sort, num_parts) ||
	    loom_radix_reserve(&sorted.events, 2 * num_parts) ||
	    bits_make(&sorted.alive, num_parts))
		ret = -ENOMEM;
	for (pool = 0; pool < num_pools && !ret; pool++) {
		sort->count = 0;
		sorted.events.count = 0;
		for (i = 0; i < num_parts; i++) {
			of = parts[i].item;
			if ((!pools || pools[of] == pool) &&
			    (!only_fixed || loom_place_is_fixed(&problem->items[of])))
				sort->entries[sort->count++] = (struct loom_radix_entry){
					(int64_t)(offsets[of] + parts[i].first), (int64_t)i,
				};
		}
		loom_radix_sort(sort);
		for (i = 0; i < sort->count; i++)
			loom_place_add_events(&sorted.events, parts[sort->entries[i].value].lower,
					      parts[sort->entries[i].value].upper, i);
		loom_place_sort_events(&sorted.events);
		ret = sweep(&sorted, fault);
	}
	bits_clear(&sorted.alive);
	loom_radix_clear(sort);
	loom_radix_clear(&sorted.events);
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

/*
 * Sums the bytes that the parts alive at the reason's moment need, with either the pads of its
 * alignment or the offsets that no item may touch. Pads may lie at such offsets, so the two are
 * never added.
 */
static int sum_at(const struct loom_place_problem *problem,
		  const struct loom_place_part *parts, size_t num_parts,
		  const struct loom_place_reason *reason, struct loom_radix *pads, uint64_t *needed)
{
	uint64_t align = reason->align_bytes, bytes = 0;
	size_t others = 0, i;
	int ret;

	for (i = 0; i < num_parts; i++) {
		if (reason->moment < parts[i].lower || reason->moment >= parts[i].upper)
			continue;
		bytes = loom_place_add(bytes, parts[i].size_bytes);
		if (!parts[i].first &&
		    !(problem->items[parts[i].item].align_bytes % align))
			pads->entries[pads->count++] = (struct loom_radix_entry){
				(int64_t)((align - parts[i].size_bytes % align) % align), 0,
			};
		else
			others++;
	}
	*needed = bytes;
	ret = loom_place_raise(problem, needed);
	loom_radix_sort(pads);
	for (i = 0; i + others + 1 < pads->count; i++)
		bytes = loom_place_add(bytes, (uint64_t)pads->entries[i].key);
	*needed = bytes > *needed ? bytes : *needed;
	return ret;
}

int loom_place_check_reason(const struct loom_place_problem *problem,
			    const struct loom_place_reason *reason)
{
	struct loom_place_resolved resolved = { 0 };
	struct loom_place_part *parts = NULL;
	struct loom_radix pads = { 0 };
	uint64_t needed = 0;
	size_t num_parts = 0;
	const int saved = errno;
	int ret;

	if (!problem || !reason || !reason->align_bytes)
		return -EINVAL;
	ret = loom_place_resolve_one(&resolved, problem);
	if (!ret && reason->item != LOOM_PLACE_NONE) {
		const struct loom_place_item *item;

		item = reason->item < problem->num_items ? &resolved.items[reason->item] : NULL;
		if (item && loom_place_has_room(item) && loom_place_is_fixed(item))
			needed = item->fixed + item->size_bytes;
	} else if (!ret) {
		ret = loom_place_parts(&resolved.problem, &parts, &num_parts);
		if (!ret)
			ret = loom_radix_reserve(&pads, num_parts);
		if (!ret)
			ret = sum_at(&resolved.problem, parts, num_parts, reason, &pads, &needed);
	}
	loom_radix_clear(&pads);
	free(parts);
	loom_place_resolved_clear(&resolved);
	errno = saved;
	if (ret)
		return ret;
	return reason->bound_bytes <= needed ? 0 : -EBADMSG;
}
