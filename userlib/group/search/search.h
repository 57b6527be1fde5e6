/* SPDX-License-Identifier: MIT */
/*
 * DOC: The search for groups
 *
 * A search finds a *division*: cuts of the list of units into groups, each with its slices, in
 * order.
 *
 * cut.c describes a chosen group, and makes it again. estimate.c estimates the cost of a group
 * quickly. divide.c is the search of "layergroup" (see there and divide.h), for the lowest price:
 * DRAM bytes or cycles, see &struct loom_group_aim; recompute.c improves a division by groups that
 * recompute halos.
 */
#ifndef LOOM_GROUP_SEARCH_H
#define LOOM_GROUP_SEARCH_H

#include "group/place/place.h"

/* Limit on the numbers of slices tried for an axis. */
#define LOOM_GROUP_SLICE_COUNTS	40
/* Numbers of slices tried above and below the best. */
#define LOOM_GROUP_POLISH	3

/* cut.c: a chosen group */

/**
 * struct loom_group_cut - a chosen group
 * @first_unit: first unit
 * @num_units: number of units
 * @layerwise: it is one node, lowered without groups
 * @slices: number of slices
 * @cut_axis: see &struct loom_group
 * @overlap: see &struct loom_group
 * @recompute: see &struct loom_group
 * @batches: see &struct loom_group; 0 is equivalent to 1
 * @in: index in &loom_group_list.choices of the residents at the cut before it
 * @out: likewise at the cut after it
 * @budget_bytes: SRAM per lane that it was fitted into
 * @cost: its cost
 */
struct loom_group_cut {
	u32 first_unit;
	u32 num_units;
	bool layerwise;
	u32 slices;
	u32 cut_axis;
	bool overlap;
	bool recompute;
	u32 batches;
	u8 in;
	u8 out;
	u64 budget_bytes;
	struct loom_group_cost cost;
};

struct loom_group_division;

/**
 * struct loom_group_division - chosen groups
 * @cuts: in order; allocated
 * @num_cuts: number of @cuts; 0: there is no division
 * @price: sum of their costs
 * @locations: by value id: places of residents; allocated
 */
struct loom_group_division {
	struct loom_group_cut *cuts;
	u32 num_cuts;
	u64 price;
	struct loom_group_location *locations;
};

/**
 * struct loom_group_alternatives - alternative divisions of a plan
 * @joined: by cut: both sides are one group, and the others are unchanged
 * @without: by cut: the best division found without it
 * @count: number of cuts
 * @price: of the plan's own division
 */
struct loom_group_alternatives {
	struct loom_group_division *joined;
	struct loom_group_division *without;
	u32 count;
	u64 price;
};

/** loom_group_division_clear() - frees its memory */
void loom_group_division_clear(struct loom_group_division *division);
/** loom_group_alternatives_clear() - frees their memory */
void loom_group_alternatives_clear(struct loom_group_alternatives *alternatives);

/**
 * loom_group_division_set() - copy a division, with the locations of @group
 * @division: [out] without cuts; the caller must clear it
 * @group: has the places of its residents
 * @cuts: its groups
 * @num_cuts: number of @cuts
 *
 * Return: 0 or -ENOMEM.
 */
int loom_group_division_set(struct loom_group_division *division, const struct loom_group *group,
			    const struct loom_group_cut *cuts, u32 num_cuts);
/** loom_group_division_get() - the inverse: @cuts are from malloc, @group gets the locations */
int loom_group_division_get(const struct loom_group_division *division, struct loom_group *group,
			    struct loom_group_cut **cuts, u32 *num_cuts);
/** loom_group_cuts_price() - the sum of the costs of groups */
u64 loom_group_cuts_price(const struct loom_group_cut *cuts, u32 num_cuts);
/** loom_group_remake() - builds the group of a cut, not yet fitted; -EINVAL: impossible */
int loom_group_remake(struct loom_group *group, const struct loom_group_cut *cut);
/** loom_group_refit() - builds the group of a cut, and fits it as it was fitted before */
int loom_group_refit(struct loom_group *group, const struct loom_group_cut *cut);
/** loom_group_first_result() - the first value that a unit makes: its axes can be cut */
const struct loom_group_use *loom_group_first_result(const struct loom_group_list *list, u32 unit);
/** loom_group_skip_axis() - whether another axis is equivalent, or the axis cannot be cut */
bool loom_group_skip_axis(const struct loom_group_list *list, const struct loom_group_use *use,
			  u32 axis);
/** loom_group_slice_counts() - slice counts to try for @dim elements. Returns their number */
u32 loom_group_slice_counts(u64 dim, u32 *counts);
/** loom_group_is_slice_count() - whether @dim elements can be cut into @slices, two or more */
bool loom_group_is_slice_count(u64 dim, u32 slices);

/* estimate.c: estimated cost of a group */

struct loom_group_estimate;

/** loom_group_estimate_make() - allocates the state of estimates; NULL: no memory */
struct loom_group_estimate *loom_group_estimate_make(const struct loom_group_list *list);
/** loom_group_estimate_free() - frees it; NULL is fine */
void loom_group_estimate_free(struct loom_group_estimate *est);
/**
 * loom_group_estimate_begin() - an empty group
 * @est: the state
 * @first_unit: its first unit
 * @in: choice of residents before it
 * @cut_axis: axis of the first result to cut
 * @counts: numbers of slices, ascending; 1 must be the only one
 * @num_counts: number of @counts
 */
void loom_group_estimate_begin(struct loom_group_estimate *est, u32 first_unit, u8 in, u32 cut_axis,
			       const u32 *counts, u32 num_counts);
/** loom_group_estimate_append() - adds a unit after @num_units; false: impossible */
bool loom_group_estimate_append(struct loom_group_estimate *est, u32 num_units);
/**
 * loom_group_estimate_take() - estimate the cost of the group
 * @est: the group
 * @num_units: its number of units
 * @in: choice of residents before it
 * @out: choice of residents after it
 * @costs: [out] by slice count; U64_MAX bytes: it does not fit
 *
 * Return: number of slice counts that fit.
 */
u32 loom_group_estimate_take(struct loom_group_estimate *est, u32 num_units, u8 in, u8 out,
			     struct loom_group_cost *costs);

/* divide.c, recompute.c */

/** loom_group_divide() - the cheapest division; @group is a scratch group, @cuts from malloc */
int loom_group_divide(struct loom_group_list *list, struct loom_group *group,
		      struct loom_group_cut **cuts, u32 *num_cuts);
/**
 * struct loom_group_without - the division of a graph without a cut
 * @unit: no group may begin with this one
 * @division: [out] the cheapest division, all groups placed; no cuts: none was found. The caller
 *	must clear it
 */
struct loom_group_without {
	u32 unit;
	struct loom_group_division *division;
};

/** loom_group_divide_without() - divides without each of @count cuts, as one search for all */
int loom_group_divide_without(struct loom_group_list *list, struct loom_group *group,
			      const struct loom_group_without *without, u32 count);
/** loom_group_place_one() - places one group with fixed residents; sets @cut->cost. -ENOSPC */
int loom_group_place_one(struct loom_group_list *list, struct loom_group *group,
			 struct loom_group_cut *cut);
/** loom_group_recompute() - makes a division cheaper by groups that recompute their halos */
int loom_group_recompute(struct loom_group_list *list, struct loom_group *group,
			 struct loom_group_cut **cuts, u32 *num_cuts);

#endif /* LOOM_GROUP_SEARCH_H */
