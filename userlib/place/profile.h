/* SPDX-License-Identifier: MIT */
/*
 * DOC: Profile
 *
 * The bytes of a placement problem that are alive at each moment. The largest sum, the peak, is a
 * lower bound on the height of every placement in one pool. Messages about a capacity that is too
 * small name its moment, and pictures show the whole profile.
 *
 * In its gaps an item keeps no bytes, or only a window of them, so profiles and pictures are made
 * of *parts*: rectangles of time and bytes.
 */
#ifndef LOOM_PLACE_PROFILE_H
#define LOOM_PLACE_PROFILE_H

#include "loom_place.h"
#include "radix.h"

/* A range of an item's bytes over a range of time. */
struct loom_place_part {
	uint32_t item;			/* the item */
	int64_t lower;			/* first moment */
	int64_t upper;			/* first moment after it, above @lower */
	uint64_t first;			/* first byte, from the item's begin */
	uint64_t size_bytes;		/* number of bytes, not 0 */
};

/**
 * loom_place_next_part() - the next part of an item
 * @item: of a resolved problem; without room it has none
 * @at: [in, out] where to continue; 0 at first
 * @part: [out] the part, without its number of the item
 *
 * Return: false if there is none left.
 */
bool loom_place_next_part(const struct loom_place_item *item, uint32_t *at,
			  struct loom_place_part *part);
/**
 * loom_place_parts() - split a problem's items at their gaps
 * @problem: resolved
 * @parts: [out] by item, then by time; from malloc
 * @num_parts: [out] number of @parts
 *
 * An alias has no parts: its owner lives as long.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_parts(const struct loom_place_problem *problem, struct loom_place_part **parts,
		     size_t *num_parts);

/*
 * Events: the key of an entry is the moment, the value is twice the number of an object, and one
 * more where it begins.
 */

/** loom_place_event_of() - the number of the object that begins or ends */
static inline size_t loom_place_event_of(const struct loom_radix_entry *event)
{
	return (size_t)event->value >> 1;
}

/** loom_place_event_begins() - says whether it begins */
static inline bool loom_place_event_begins(const struct loom_radix_entry *event)
{
	return event->value & 1;
}

/** loom_place_add_events() - appends begin and end of object @of; there must be room */
static inline void loom_place_add_events(struct loom_radix *events, int64_t lower, int64_t upper,
					 size_t of)
{
	const int64_t value = (int64_t)of << 1;

	events->entries[events->count++] = (struct loom_radix_entry){ lower, value | 1 };
	events->entries[events->count++] = (struct loom_radix_entry){ upper, value };
}

/** loom_place_sort_events() - by moment; ends first, as lifetimes are half-open; stably */
void loom_place_sort_events(struct loom_radix *events);
/** loom_place_part_events() - of all parts, sorted. 0 or -ENOMEM; clear in either case */
int loom_place_part_events(const struct loom_place_part *parts, size_t num_parts,
			   struct loom_radix *events);
/** loom_place_item_events() - the same of all items with room, without their gaps */
int loom_place_item_events(const struct loom_place_problem *problem, struct loom_radix *events);

/* Bytes alive at each moment. */
struct loom_place_profile {
	int64_t *moments;		/* at which something changes, ascending */
	uint64_t *bytes;		/* alive from a moment to the next; 0 at the last */
	size_t num_moments;		/* number of both */
	/* index of the first moment with the largest sum; 0 if there is none */
	size_t peak;
};

/**
 * loom_place_profile_make() - sums up parts
 * @profile: [out] clear with loom_place_profile_clear(); empty on failure
 * @parts: the parts
 * @num_parts: number of @parts
 * @culprit: [out] on -ERANGE: item with which a sum leaves 63 bits
 *
 * Return: 0, -ERANGE or -ENOMEM.
 */
int loom_place_profile_make(struct loom_place_profile *profile,
			    const struct loom_place_part *parts, size_t num_parts,
			    uint32_t *culprit);
/** loom_place_profile_clear() - frees what @profile holds */
void loom_place_profile_clear(struct loom_place_profile *profile);
/** loom_place_profile_find() - index of @moment, which is one of @profile's */
size_t loom_place_profile_find(const struct loom_place_profile *profile, int64_t moment);

/* The largest sum of bytes alive at one moment. */
struct loom_place_peak {
	uint64_t bytes;			/* the sum: a lower bound on every placement's height */
	int64_t moment;			/* when */
	uint32_t culprit;		/* -ERANGE: item with which a sum leaves 63 bits */
};

/** loom_place_find_peak() - of a resolved problem. Returns 0, -ERANGE or -ENOMEM */
int loom_place_find_peak(const struct loom_place_problem *problem, struct loom_place_peak *peak);

#endif /* LOOM_PLACE_PROFILE_H */
