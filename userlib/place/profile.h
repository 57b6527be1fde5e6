/* SPDX-License-Identifier: MIT */
/*
 * DOC: Profile
 *
 * How many bytes of a placement problem are alive at each moment. The largest such sum is what no
 * placement in one pool can beat; when that is, a message about a capacity that is too small
 * wants to say, and a picture wants to show.
 *
 * Gaps make items come and go, and windows keep a part of them, so both the profile and the picture
 * work on *parts*: a rectangle of time and bytes that is there without a break.
 */
#ifndef LOOM_PLACE_PROFILE_H
#define LOOM_PLACE_PROFILE_H

#include "loom_place.h"

/**
 * struct loom_place_part - some bytes of an item for some time
 * @item: whose
 * @lower: first moment
 * @upper: first moment after it, above @lower
 * @first: first byte, from the item's begin
 * @size_bytes: number of bytes, not 0
 */
struct loom_place_part {
	uint32_t item;
	int64_t lower;
	int64_t upper;
	uint64_t first;
	uint64_t size_bytes;
};

/**
 * loom_place_parts() - a problem's items, taken apart at their gaps
 * @problem: valid, or out of a file that was checked
 * @parts: [out] by item, then by time; from malloc
 * @num_parts: [out] number of @parts
 *
 * An alias has no parts: its owner is there for as long as it is.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_place_parts(const struct loom_place_problem *problem, struct loom_place_part **parts,
		     size_t *num_parts);

/**
 * struct loom_place_profile - bytes alive at each moment
 * @moments: at which something changes, ascending
 * @bytes: alive from a moment to the next; 0 at the last
 * @num_moments: number of both
 * @peak: index of the first moment with the largest sum; 0 if there is none
 */
struct loom_place_profile {
	int64_t *moments;
	uint64_t *bytes;
	size_t num_moments;
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

#endif /* LOOM_PLACE_PROFILE_H */
