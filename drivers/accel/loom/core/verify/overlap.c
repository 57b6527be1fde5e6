// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

/**
 * DOC: Tensors that are alive together
 *
 * A sweep over the steps keeps the live tensors ordered by address. Invariant: they are disjoint,
 * otherwise the sweep would have stopped; so a tensor whose live range begins must be compared with
 * its two neighbours only. Aliases lie in their parents, in bytes and in steps, and are left out.
 *
 * All addresses are known beforehand, so they are sorted once and each tensor gets its rank. The
 * live ones are then a set of small numbers, kept as a hierarchical bitmap: a bit for each rank,
 * and on the next level a bit for each word that is not zero. A neighbour is found in four words
 * for a million tensors, in memory that fits a cache. Rejected: a search tree, twenty times as slow
 * at that size because each of its steps is a cache miss. Tensors are sorted by radix, by those
 * bits only in which their addresses differ, steps by counting.
 *
 * The sorted records contain the compared fields, the start and end of a tensor. So the table of
 * tensors, five times as large, is read once: by tensor.c, which adds each tensor here when its own
 * rules are proved. Neighbours in address are neighbours in memory, and the rank of a tensor is
 * prefetched some tensors ahead. Tensors that overlap no other one of the whole plan, alive or not,
 * are marked by a bit per rank and not fetched.
 */

/* 64 ^ 4 is enough: DRM_LOOM_MAX_TENSORS is 2 ^ 20. */
#define LOOM_RANK_LEVELS 4

/* Places per block of a sort; work is counted beforehand, one unit per place. */
#define LOOM_SORT_BLOCK 256

/* Bits of an address that are sorted by at a time. */
#define LOOM_SORT_BITS 10
#define LOOM_SORT_MASK ((1U << LOOM_SORT_BITS) - 1)

/* Prefetch distance of the sweep, in tensors. */
#define LOOM_SWEEP_AHEAD 12

/**
 * struct loom_place - address range of a tensor
 * @start: first byte, in its space
 * @end: first byte behind it
 * @space: slot, or LOOM_SPACE_SCRATCH
 * @tensor: its index
 */
struct loom_place {
	u64 start;
	u64 end;
	u32 space;
	u32 tensor;
};

/**
 * struct loom_sweep - the sweep
 * @places: sorted by space, then by first byte
 * @spare: as many, for sorting
 * @place_count: number of @places
 * @rank: by tensor: index in @places
 * @differ: the bits that are not the same in all of @places
 * @next_first: by tensor: next one with the same first step, plus one; after the last the first
 * @next_last: by tensor: next one with the same last step, plus one; zero for none
 * @first: by step: last of the tensors that begin there, plus one; zero for none
 * @last: by step: one of the tensors that end there, plus one; zero for none
 * @reach: a bit for each rank: it overlaps the next one, whether or not both are alive. One that
 *	does not overlaps none of a higher rank, as those start no earlier
 * @alive: by level: a bit for each rank, or for each word of the level below
 * @at: by value of a digit: where the next place with that value goes
 */
struct loom_sweep {
	struct loom_place *places;
	struct loom_place *spare;
	u32 place_count;
	struct loom_place differ;
	u32 *rank;
	u32 *next_first;
	u32 *next_last;
	u32 *first;
	u32 *last;
	u64 *reach;
	u64 *alive[LOOM_RANK_LEVELS];
	u32 at[1U << LOOM_SORT_BITS];
};

/* --- the live tensors, as a hierarchical bitmap of ranks */

static void loom_alive_add(struct loom_sweep *sweep, u32 rank)
{
	u32 level;

	for (level = 0; level < LOOM_RANK_LEVELS; level++, rank /= 64)
		sweep->alive[level][rank / 64] |= 1ULL << rank % 64;
}

static void loom_alive_remove(struct loom_sweep *sweep, u32 rank)
{
	u32 level;

	for (level = 0; level < LOOM_RANK_LEVELS; level++, rank /= 64) {
		sweep->alive[level][rank / 64] &= ~(1ULL << rank % 64);
		if (sweep->alive[level][rank / 64])
			return;
	}
}

static u32 loom_lowest_bit(u64 word)
{
	return __builtin_ctzll(word);
}

static u32 loom_highest_bit(u64 word)
{
	return 63 - __builtin_clzll(word);
}

/* The nearest live rank above @rank (@up) or below it. False if there is none. */
static bool loom_alive_near(const struct loom_sweep *sweep, u32 rank, bool up, u32 *found)
{
	u32 level, bit;
	u64 word;

	for (level = 0; level < LOOM_RANK_LEVELS; level++, rank /= 64) {
		word = sweep->alive[level][rank / 64];
		bit = rank % 64;
		/* two shifts: one by 64 is undefined */
		word &= up ? ~0ULL << bit << 1 : (1ULL << bit) - 1;
		if (word)
			break;
	}
	if (level == LOOM_RANK_LEVELS)
		return false;
	rank = rank / 64 * 64 + (up ? loom_lowest_bit(word) : loom_highest_bit(word));
	while (level-- > 0) {
		word = sweep->alive[level][rank];
		rank = rank * 64 + (up ? loom_lowest_bit(word) : loom_highest_bit(word));
	}
	*found = rank;
	return true;
}

/* --- sorting */

static bool loom_place_overlaps(const struct loom_place *a, const struct loom_place *b)
{
	return a->space == b->space && max(a->start, b->start) < min(a->end, b->end);
}

/* A digit of a place: the bits of its start from @shift on, or if that is 64, its space. */
static u32 loom_place_digit(const struct loom_place *place, u32 shift)
{
	if (shift == 64)
		return place->space;
	return (place->start >> shift) & LOOM_SORT_MASK;
}

/* Counts the work for a block of @count places or tensors from @from. @end: behind the block. */
static int __must_check loom_sweep_block(struct loom_verify *verify, u32 from, u32 count, u32 *end)
{
	*end = min(count, from + LOOM_SORT_BLOCK);
	return loom_verify_work(verify, *end - from);
}

/* By one digit, keeping the order of equals. */
static int __must_check loom_place_sort_digit(struct loom_verify *verify,
					      struct loom_sweep *sweep, u32 shift)
{
	struct loom_place *swap;
	u32 i, end, sum = 0;
	u32 *at = sweep->at;
	int ret;

	memset(at, 0, sizeof(sweep->at));
	for (i = 0; i < sweep->place_count;) {
		ret = loom_sweep_block(verify, i, sweep->place_count, &end);
		if (ret)
			return ret;
		for (; i < end; i++)
			at[loom_place_digit(&sweep->places[i], shift)]++;
	}
	for (i = 0; i < ARRAY_SIZE(sweep->at); i++) {
		u32 count = at[i];

		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < sweep->place_count;) {
		ret = loom_sweep_block(verify, i, sweep->place_count, &end);
		if (ret)
			return ret;
		for (; i < end; i++)
			sweep->spare[at[loom_place_digit(&sweep->places[i], shift)]++] =
				sweep->places[i];
	}
	swap = sweep->places;
	sweep->places = sweep->spare;
	sweep->spare = swap;
	return 0;
}

static int __must_check loom_sweep_sort_places(struct loom_verify *verify,
					       struct loom_sweep *sweep)
{
	u64 differ = sweep->differ.start;
	u32 i, end, shift;
	int ret;

	/* Each pass clears a bit of @differ at least: at most seven digits are sorted. */
	while (differ) {
		shift = loom_lowest_bit(differ);
		ret = loom_place_sort_digit(verify, sweep, shift);
		if (ret)
			return ret;
		differ &= ~((u64)LOOM_SORT_MASK << shift);
	}
	if (sweep->differ.space) {
		ret = loom_place_sort_digit(verify, sweep, 64);
		if (ret)
			return ret;
	}
	for (i = 0; i < sweep->place_count;) {
		ret = loom_sweep_block(verify, i, sweep->place_count, &end);
		if (ret)
			return ret;
		for (; i < end; i++) {
			sweep->rank[sweep->places[i].tensor] = i;
			if (i + 1 < sweep->place_count &&
			    loom_place_overlaps(&sweep->places[i], &sweep->places[i + 1]))
				sweep->reach[i / 64] |= 1ULL << i % 64;
		}
	}
	return 0;
}

/* --- the sweep */

/* Refuses two tensors that share bytes, when the lifetime of @place begins. */
static int __must_check loom_sweep_reject(struct loom_verify *verify,
					  const struct loom_place *place,
					  const struct loom_place *other)
{
	loom_reject_overlap(verify, DRM_LOOM_RULE_TENSOR_OVERLAP, place->tensor, other->tensor,
			    max(place->start, other->start), min(place->end, other->end));
	/* the lifetime of this one begins later, so this is the first step they share */
	verify->reject->valid |= DRM_LOOM_REJECT_STEP;
	verify->reject->step = verify->tensors[place->tensor].first_step;
	return -EBADMSG;
}

/* Whether the place at @rank may overlap one of a higher rank. */
static bool loom_sweep_reaches(const struct loom_sweep *sweep, u32 rank)
{
	return sweep->reach[rank / 64] >> rank % 64 & 1;
}

static int __must_check loom_sweep_enter(struct loom_verify *verify, struct loom_sweep *sweep,
					 u32 index)
{
	const struct loom_place *places = sweep->places;
	u32 rank = sweep->rank[index], ahead, near;

	ahead = sweep->rank[min(index + LOOM_SWEEP_AHEAD, verify->header->tensors.count - 1)];
	if (loom_sweep_reaches(sweep, ahead))
		__builtin_prefetch(&places[ahead]);
	if (loom_alive_near(sweep, rank, false, &near) && loom_sweep_reaches(sweep, near) &&
	    loom_place_overlaps(&places[rank], &places[near]))
		return loom_sweep_reject(verify, &places[rank], &places[near]);
	if (loom_sweep_reaches(sweep, rank) && loom_alive_near(sweep, rank, true, &near) &&
	    loom_place_overlaps(&places[rank], &places[near]))
		return loom_sweep_reject(verify, &places[rank], &places[near]);
	loom_alive_add(sweep, rank);
	return 0;
}

/* The tensors whose lifetime begins in @step, in table order. */
static int __must_check loom_sweep_begin_lives(struct loom_verify *verify,
					       struct loom_sweep *sweep, u32 step)
{
	u32 last = sweep->first[step], i;
	int ret;

	if (!last)
		return 0;
	i = last;
	do {
		i = sweep->next_first[i - 1];
		ret = loom_verify_work(verify, LOOM_WORK_TENSOR);
		if (ret)
			return ret;
		ret = loom_sweep_enter(verify, sweep, i - 1);
		if (ret)
			return ret;
	} while (i != last);
	return 0;
}

static int __must_check loom_sweep_run(struct loom_verify *verify, struct loom_sweep *sweep)
{
	u32 step, i;
	int ret;

	ret = loom_sweep_sort_places(verify, sweep);
	if (ret)
		return ret;
	for (step = 0; step < verify->header->steps.count; step++) {
		ret = loom_verify_work(verify, 1);
		if (ret)
			return ret;
		ret = loom_sweep_begin_lives(verify, sweep, step);
		if (ret)
			return ret;
		for (i = sweep->last[step]; i; i = sweep->next_last[i - 1]) {
			ret = loom_verify_work(verify, 1);
			if (ret)
				return ret;
			loom_alive_remove(sweep, sweep->rank[i - 1]);
		}
	}
	return 0;
}

static bool loom_sweep_alloc(struct loom_sweep *sweep, u32 tensors, u32 steps)
{
	u32 level, words = tensors;

	sweep->places = loom_port_alloc(tensors, sizeof(*sweep->places));
	sweep->spare = loom_port_alloc(tensors, sizeof(*sweep->spare));
	sweep->rank = loom_port_alloc(tensors, sizeof(*sweep->rank));
	sweep->next_first = loom_port_alloc(tensors, sizeof(*sweep->next_first));
	sweep->next_last = loom_port_alloc(tensors, sizeof(*sweep->next_last));
	sweep->reach = loom_port_alloc(tensors / 64 + 1, sizeof(*sweep->reach));
	sweep->first = loom_port_alloc(steps, sizeof(*sweep->first));
	sweep->last = loom_port_alloc(steps, sizeof(*sweep->last));
	if (!sweep->places || !sweep->spare || !sweep->rank || !sweep->next_first ||
	    !sweep->next_last || !sweep->reach || !sweep->first || !sweep->last)
		return false;
	for (level = 0; level < LOOM_RANK_LEVELS; level++) {
		words = words / 64 + 1;
		sweep->alive[level] = loom_port_alloc(words, sizeof(*sweep->alive[level]));
		if (!sweep->alive[level])
			return false;
	}
	return true;
}

static void loom_sweep_free(struct loom_sweep *sweep)
{
	u32 level;

	for (level = 0; level < LOOM_RANK_LEVELS; level++)
		loom_port_free(sweep->alive[level]);
	loom_port_free(sweep->last);
	loom_port_free(sweep->first);
	loom_port_free(sweep->reach);
	loom_port_free(sweep->next_last);
	loom_port_free(sweep->next_first);
	loom_port_free(sweep->rank);
	loom_port_free(sweep->spare);
	loom_port_free(sweep->places);
}

u64 loom_verify_overlap_bytes(u32 tensors, u32 steps)
{
	/* two bits for each rank, and a 32nd of that for all other levels */
	return sizeof(struct loom_sweep) + (LOOM_RANK_LEVELS + 1) * sizeof(u64) +
	       tensors * (u64)(2 * sizeof(struct loom_place) + 3 * sizeof(u32)) +
	       steps * (u64)(2 * sizeof(u32)) + tensors / 4 + tensors / 128;
}

int loom_overlap_begin(struct loom_verify *verify)
{
	verify->sweep = loom_port_alloc(1, sizeof(*verify->sweep));
	if (!verify->sweep ||
	    !loom_sweep_alloc(verify->sweep, verify->header->tensors.count,
			      verify->header->steps.count))
		return -ENOMEM;
	return 0;
}

void loom_overlap_add(struct loom_verify *verify, u32 index)
{
	const struct drm_loom_plan_tensor *tensor = &verify->tensors[index];
	struct loom_sweep *sweep = verify->sweep;
	u32 first = loom_index_nospec(tensor->first_step, verify->header->steps.count);
	u32 last = loom_index_nospec(tensor->last_step, verify->header->steps.count);
	struct loom_place *place;
	u32 before;

	if (tensor->flags & DRM_LOOM_TENSOR_ALIAS)
		return;
	place = &sweep->places[sweep->place_count++];
	place->start = tensor->offset;
	place->end = tensor->offset + tensor->size;
	place->space = loom_tensor_space(tensor);
	place->tensor = index;
	sweep->differ.start |= place->start ^ sweep->places[0].start;
	sweep->differ.space |= place->space ^ sweep->places[0].space;

	before = sweep->first[first];
	if (before) {
		sweep->next_first[index] = sweep->next_first[before - 1];
		sweep->next_first[before - 1] = index + 1;
	} else {
		sweep->next_first[index] = index + 1;
	}
	sweep->first[first] = index + 1;
	sweep->next_last[index] = sweep->last[last];
	sweep->last[last] = index + 1;
}

int loom_overlap_end(struct loom_verify *verify)
{
	int ret = loom_sweep_run(verify, verify->sweep);

	loom_overlap_free(verify);
	return ret;
}

void loom_overlap_free(struct loom_verify *verify)
{
	if (!verify->sweep)
		return;
	loom_sweep_free(verify->sweep);
	loom_port_free(verify->sweep);
	verify->sweep = NULL;
}
