/* SPDX-License-Identifier: MIT */
/*
 * The search of divide.c as a graph: cuts, with the residents that they have, are its nodes, and
 * groups are its edges; a division is a path from the first cut to the last. What is known of an
 * edge becomes more certain step by step: estimated, fitted, placed. From the bottom:
 * shortest_path.c has edges and paths, evaluate.c makes an edge certain, chain.c places the groups
 * of a path, branch_bound.c tries all edges, divide.c is the loop around them.
 */
#ifndef LOOM_GROUP_DIVIDE_H
#define LOOM_GROUP_DIVIDE_H

#include "group/search/memo.h"
#include "group/search/search.h"

/**
 * enum loom_group_edge_state - what is known about a group
 * @LOOM_GROUP_EDGE_NONE: it is not possible, or was not estimated to be
 * @LOOM_GROUP_EDGE_ESTIMATED: what it costs by an estimate
 * @LOOM_GROUP_EDGE_FITTED: what it costs if there is a placement for it
 * @LOOM_GROUP_EDGE_PLACED: what it costs; there is a placement
 */
enum loom_group_edge_state {
	LOOM_GROUP_EDGE_NONE,
	LOOM_GROUP_EDGE_ESTIMATED,
	LOOM_GROUP_EDGE_FITTED,
	LOOM_GROUP_EDGE_PLACED,
};

/**
 * struct loom_group_edge - a group, by what is known of it
 * @cost: what it costs, as certain as @state says
 * @budget_bytes: SRAM per lane that it was fitted into
 * @slices: number of slices
 * @axis: axis that is cut
 * @state: an &enum loom_group_edge_state
 * @overlap: see &struct loom_group
 */
struct loom_group_edge {
	struct loom_group_cost cost;
	u64 budget_bytes;
	u16 slices;
	u8 axis;
	u8 state;
	bool overlap;
};

/**
 * struct loom_group_row - the groups that begin with a unit
 * @begin: by number of units less one: index in @edges of the first group of that length; those
 *	are sorted by the choice of residents before the group, then after it
 * @num_units: length of the longest
 * @edges: the groups
 * @cap_edges: room in @edges
 * @layerwise: the unit lowered as without groups
 */
struct loom_group_row {
	u32 *begin;
	u32 num_units;
	struct loom_group_edge *edges;
	u32 cap_edges;
	struct loom_group_edge layerwise;
};

/**
 * struct loom_group_back - the last group on the cheapest path to a cut
 * @first_unit: its first unit
 * @in: choice of residents before it
 * @layerwise: it is one unit, lowered as without groups
 */
struct loom_group_back {
	u32 first_unit;
	u8 in;
	bool layerwise;
};

/**
 * struct loom_group_divide - the state of dividing
 * @list: what is divided
 * @group: room to try groups in
 * @estimate: room for estimates
 * @repeat: which units begin equal runs, as long as the groups that are looked for now
 * @far: room for @repeat of longer groups
 * @rows: by first unit
 * @best: by cut and choice of residents: cost of the cheapest path to it
 * @back: likewise: its last group
 * @rest: by unit: what it and those behind it have to move in any case: weights and outputs, once
 * @saved: parts of a group, to come back to after a fit
 * @saved_whole: likewise, while it grows
 * @least: groups of so many units have been estimated
 * @most: groups of more units are not estimated now
 * @looked: work that was done to estimate groups; it is not in @work
 * @look_until: where that has to end
 * @margin: what is added to estimates, in 1/64 of what they are above the least possible
 * @banned: a group that was chosen has no placement
 * @misfits: number of groups that had none because of residents
 * @blocked: by cut and choice of residents: not to be used, there was no placement for it
 * @no_residents: no value may be resident at any cut
 * @path_state: how certain groups had to be when the cheapest path was looked for; NONE: it was
 *	not
 * @path_margin: what @margin was then
 * @dirty: by cut and choice of residents: the path to it may have changed since
 * @moved: likewise: the path has become cheaper since
 * @was: likewise: what it cost before
 * @dirty_from: the first cut whose path may have changed
 * @longest: units of the longest group that is known
 * @looks: groups that were looked at and are not in @work yet
 * @budget: work that may be done
 * @work: work that was done, besides &loom_group.work
 */
struct loom_group_divide {
	struct loom_group_list *list;
	struct loom_group *group;
	struct loom_group_estimate *estimate;
	const struct loom_group_repeat *repeat;
	struct loom_group_repeat far;
	struct loom_group_row *rows;
	struct loom_group_cost *best;
	struct loom_group_back *back;
	u64 *rest;
	struct loom_group_part *saved;
	struct loom_group_part *saved_whole;
	u32 least;
	u32 most;
	u64 looked;
	u64 look_until;
	s32 margin;
	bool banned;
	u32 misfits;
	bool *blocked;
	bool no_residents;
	enum loom_group_edge_state path_state;
	s32 path_margin;
	bool *dirty;
	bool *moved;
	struct loom_group_cost *was;
	u32 dirty_from;
	u32 longest;
	u64 looks;
	u64 budget;
	u64 work;
};

static inline bool loom_group_is_spent(const struct loom_group_divide *d)
{
	return d->work + d->group->work > d->budget || loom_watch_is_over();
}

/* shortest_path.c */

/** loom_group_edge() - what is known of a group; it must have been reserved */
struct loom_group_edge *loom_group_edge(struct loom_group_divide *d, u32 first, u32 num_units,
					u32 in, u32 out);
/** loom_group_rows_copy() - a copy of @count rows and their edges, from malloc; NULL: no memory */
struct loom_group_row *loom_group_rows_copy(const struct loom_group_row *rows, u32 count);
/** loom_group_rows_free() - frees @count rows and their edges; @rows may be NULL */
void loom_group_rows_free(struct loom_group_row *rows, u32 count);
/** loom_group_reserve() - makes room for groups of up to @num_units units. 0 or -ENOMEM */
int loom_group_reserve(struct loom_group_divide *d, u32 first, u32 num_units);
/** loom_group_known_price() - price of the cheapest division that is certain */
u64 loom_group_known_price(struct loom_group_divide *d);
/** loom_group_enter() - enters what is certain about a group and those that are equal to it */
void loom_group_enter(struct loom_group_divide *d, const struct loom_group_cut *cut,
		      enum loom_group_edge_state state);
/** loom_group_remove() - enters that a group, and those that are equal to it, are not possible */
void loom_group_remove(struct loom_group_divide *d, const struct loom_group_cut *cut);
/** loom_group_path() - the cheapest path, by groups that are so certain at least; false: none */
bool loom_group_path(struct loom_group_divide *d, enum loom_group_edge_state state);
/** loom_group_path_change() - what is known of a group has changed */
void loom_group_path_change(struct loom_group_divide *d, u32 first, u32 num_units, u32 out);
/** loom_group_path_forget() - what may stay has changed: all paths are looked for anew */
void loom_group_path_forget(struct loom_group_divide *d);

/* evaluate.c */

/**
 * loom_group_evaluate() - makes certain what a group costs
 * @d: the state of dividing
 * @first: its first unit
 * @num_units: its length
 * @in: choice of residents before it
 * @out: choice of residents after it
 * @state: FITTED or PLACED: what has to be known at least
 *
 * Return: 1 if it was evaluated now; 0 if that much was known before; or -errno.
 */
int loom_group_evaluate(struct loom_group_divide *d, u32 first, u32 num_units, u8 in, u8 out,
			enum loom_group_edge_state state);

/**
 * loom_group_fit_either() - fits @d->group without overlap, and where that may be faster, with it
 * @d: the state of dividing
 * @cost: [out] the lower cost of both
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int loom_group_fit_either(struct loom_group_divide *d, struct loom_group_cost *cost);

/**
 * loom_group_place_best() - finds offsets for all items of @d->group with few DRAM bytes
 * @d: the state of dividing
 * @cut: in: the group, whose cost is to be beaten; out: overlap, budget and cost of what was found,
 *	unchanged if nothing was
 *
 * Return: 0, even if nothing was found, or an error.
 */
int loom_group_place_best(struct loom_group_divide *d, struct loom_group_cut *cut);

/* chain.c */

/**
 * loom_group_place_chains() - places groups one after the other, with what stays where it is
 * @d: the state of dividing
 * @cuts: the groups
 * @num_cuts: number of @cuts
 *
 * Return: 0; 1 if one has no place: it is not to be chosen again; or an error.
 */
int loom_group_place_chains(struct loom_group_divide *d, struct loom_group_cut *cuts, u32 num_cuts);

/* branch_bound.c */

/** loom_group_search_all() - all groups, for all numbers of slices, while the budget lasts */
int loom_group_search_all(struct loom_group_divide *d);

#endif /* LOOM_GROUP_DIVIDE_H */
