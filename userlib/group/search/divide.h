/* SPDX-License-Identifier: MIT */
/*
 * The search of divide.c as a graph: nodes are cuts with their residents, edges are groups; a
 * division is a path from the first cut to the last. The cost of an edge becomes more certain step
 * by step: estimated, fitted, placed. From the bottom: rows.c has edges, shortest_path.c paths,
 * evaluate.c makes an edge certain, chain.c places the groups of a path, branch_bound.c tries all
 * edges, divide.c is the loop around them.
 */
#ifndef LOOM_GROUP_DIVIDE_H
#define LOOM_GROUP_DIVIDE_H

#include "group/search/memo.h"
#include "group/search/search.h"

#include <stdatomic.h>

/**
 * enum loom_group_edge_state - certainty of the cost of a group
 * @LOOM_GROUP_EDGE_NONE: it is impossible, or was not estimated to be possible
 * @LOOM_GROUP_EDGE_ESTIMATED: the cost is an estimate
 * @LOOM_GROUP_EDGE_FITTED: the cost is exact if there is a placement
 * @LOOM_GROUP_EDGE_PLACED: the cost is exact; there is a placement
 */
enum loom_group_edge_state {
	LOOM_GROUP_EDGE_NONE,
	LOOM_GROUP_EDGE_ESTIMATED,
	LOOM_GROUP_EDGE_FITTED,
	LOOM_GROUP_EDGE_PLACED,
};

/**
 * struct loom_group_edge - a group and its cost; a large graph has millions, so it is packed
 * @cost: its cost, as certain as @state
 * @budget_bytes: SRAM per lane that it was fitted into
 * @slices: number of slices
 * @axis: axis that is cut
 * @state: an &enum loom_group_edge_state
 * @overlap: see &struct loom_group
 */
struct loom_group_edge {
	struct loom_group_cost cost;
	u64 budget_bytes : 42;
	u64 slices : 16;
	u64 axis : 3;
	u64 state : 2;
	u64 overlap : 1;
};

/* more SRAM than this is as this much */
#define LOOM_GROUP_EDGE_BYTES	((1ULL << 42) - 1)

/**
 * struct loom_group_block - groups of one or several rows
 * @users: number of rows that have it, in all threads; only the owner of them all may change it
 * @cap_edges: capacity of @edges
 * @edges: the groups
 */
struct loom_group_block {
	atomic_uint users;
	u32 cap_edges;
	struct loom_group_edge edges[];
};

/**
 * struct loom_group_span - the groups of one length in a row
 * @least: lower bound on their prices, without the margin of estimates
 * @begin: index of the first; they are sorted by the choice of residents before the group, then
 *	after it
 * @state: upper bound on the certainty of their costs
 */
struct loom_group_span {
	u64 least;
	u32 begin;
	enum loom_group_edge_state state;
};

/**
 * struct loom_group_row - the groups that begin with a unit
 * @spans: by number of units less one, and one more for the end of the last
 * @num_units: length of the longest
 * @block: the groups, which other rows may share
 * @layerwise: the unit lowered without groups
 */
struct loom_group_row {
	struct loom_group_span *spans;
	u32 num_units;
	struct loom_group_block *block;
	struct loom_group_edge layerwise;
};

/**
 * struct loom_group_back - the last group on the cheapest path to a cut
 * @first_unit: its first unit
 * @in: choice of residents before it
 * @layerwise: it is one unit, lowered without groups
 */
struct loom_group_back {
	u32 first_unit;
	u8 in;
	bool layerwise;
};

/**
 * struct loom_group_divide - the state of dividing
 * @list: the graph
 * @group: scratch group
 * @estimate: scratch memory for estimates
 * @repeat: units that begin equal runs, as long as the current groups
 * @far: scratch for @repeat of longer groups
 * @known: groups of a division by another price
 * @num_known: number of @known
 * @rows: by first unit
 * @best: by cut and choice of residents: cost of the cheapest path to it
 * @back: likewise: its last group
 * @rest: by unit: lower bound on the price from it to the end: weights and outputs, once
 * @saved: parts of a group before a fit
 * @saved_whole: parts of a group while it grows
 * @usual_edges: number of groups of the last row that was estimated
 * @least: groups of at most so many units have been estimated
 * @most: groups of more units are not estimated now
 * @looked: work of estimating groups; it is not in @work
 * @look_until: limit on that
 * @margin: correction of estimates, in 1/64 of their distance from the lower bound
 * @banned: a chosen group has no placement
 * @misfits: number of groups without one because of residents
 * @blocked: by cut and choice of residents: forbidden, because there was no placement
 * @no_residents: no value may be resident at any cut
 * @path_state: certainty of groups in the last search of the cheapest path; NONE: there was
 *	not
 * @path_margin: @margin of that search
 * @dirty: by cut, a bit for each choice of residents: the path to it may have changed since
 * @moved: likewise: the path has become cheaper since
 * @pending: a bit for each cut with a bit in @dirty or @moved
 * @open: by cut, a bit for each choice of residents that is allowed, while all paths are searched
 * @was: by cut and choice of residents: cost of the path before it has become cheaper
 * @longest: units of the longest known group
 * @visits: groups visited that are not in @work yet
 * @budget: limit on the work
 * @work: work spent, besides &loom_group.work
 */
struct loom_group_divide {
	struct loom_group_list *list;
	struct loom_group *group;
	struct loom_group_estimate *estimate;
	const struct loom_group_repeat *repeat;
	struct loom_group_repeat far;
	const struct loom_group_cut *known;
	u32 num_known;
	struct loom_group_row *rows;
	struct loom_group_cost *best;
	struct loom_group_back *back;
	u64 *rest;
	struct loom_group_part *saved;
	struct loom_group_part *saved_whole;
	u32 usual_edges;
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
	u8 *dirty;
	u8 *moved;
	u64 *pending;
	u8 *open;
	struct loom_group_cost *was;
	u32 longest;
	u64 visits;
	u64 budget;
	u64 work;
};

static inline u32 loom_group_num_choices(const struct loom_group_divide *d, u32 at)
{
	return d->list->choices[at].count;
}

static inline bool loom_group_is_spent(const struct loom_group_divide *d)
{
	return d->work + d->group->work > d->budget || loom_watch_is_over();
}

/* The first of a row's groups of @num_units units. */
static inline const struct loom_group_edge *loom_group_edges(const struct loom_group_row *row,
							     u32 num_units)
{
	return &row->block->edges[row->spans[num_units - 1].begin];
}

/* An edge of @num_units units in a row has become cheaper or more certain. */
static inline void loom_group_note(struct loom_group_row *row, u32 num_units,
				   const struct loom_group_edge *edge)
{
	struct loom_group_span *span = &row->spans[num_units - 1];

	span->least = min(span->least, edge->cost.price);
	if (edge->state > span->state)
		span->state = edge->state;
}

/* rows.c */

/** loom_group_edge() - the edge of a group, which must have been reserved */
const struct loom_group_edge *loom_group_edge(const struct loom_group_divide *d, u32 first,
					      u32 num_units, u32 in, u32 out);
/** loom_group_own_edge() - an edge, to change it for this first unit alone; NULL: no memory */
struct loom_group_edge *loom_group_own_edge(struct loom_group_divide *d, u32 first, u32 num_units,
					    u32 in, u32 out);
/** loom_group_rows_copy() - a copy of @count rows, from malloc; NULL: no memory */
struct loom_group_row *loom_group_rows_copy(const struct loom_group_row *rows, u32 count);
/** loom_group_rows_free() - frees @count rows; @rows may be NULL */
void loom_group_rows_free(struct loom_group_row *rows, u32 count);
/** loom_group_rows_bytes() - memory of @count rows */
size_t loom_group_rows_bytes(const struct loom_group_row *rows, u32 count);
/** loom_group_reserve() - makes room for groups of up to @num_units units. 0 or -ENOMEM */
int loom_group_reserve(struct loom_group_divide *d, u32 first, u32 num_units);
/** loom_group_make_room() - makes room for as many groups as the last row has. 0 or -ENOMEM */
int loom_group_make_room(struct loom_group_divide *d, u32 first);
/** loom_group_trim() - gives back what room a row has beyond its groups */
void loom_group_trim(struct loom_group_divide *d, u32 first);
/** loom_group_take_rest() - takes groups not estimated yet from its class. 0 or -ENOMEM */
int loom_group_take_rest(struct loom_group_divide *d, u32 first);
/** loom_group_enter() - enters the exact cost of a group and of those equal to it. 0 or -ENOMEM */
int loom_group_enter(struct loom_group_divide *d, const struct loom_group_cut *cut,
		     enum loom_group_edge_state state);
/** loom_group_remove() - removes a group, and those equal to it, as impossible. 0 or -ENOMEM */
int loom_group_remove(struct loom_group_divide *d, const struct loom_group_cut *cut);

/* shortest_path.c */

/** loom_group_known_price() - price of the cheapest division of certain edges */
u64 loom_group_known_price(struct loom_group_divide *d);
/** loom_group_path() - the cheapest path of edges with at least this certainty; false: none */
bool loom_group_path(struct loom_group_divide *d, enum loom_group_edge_state state);
/** loom_group_path_change() - invalidates paths after a change of a group's cost */
void loom_group_path_change(struct loom_group_divide *d, u32 first, u32 num_units, u32 out);
/** loom_group_path_forget() - invalidates all paths after a change of permitted residents */
void loom_group_path_forget(struct loom_group_divide *d);

/* evaluate.c */

/**
 * loom_group_evaluate() - make the cost of a group certain
 * @d: the state of dividing
 * @first: its first unit
 * @num_units: its length
 * @in: choice of residents before it
 * @out: choice of residents after it
 * @state: FITTED or PLACED: the certainty needed
 *
 * Return: 1 if it was evaluated now; 0 if the certainty was sufficient before; or -errno.
 */
int loom_group_evaluate(struct loom_group_divide *d, u32 first, u32 num_units, u8 in, u8 out,
			enum loom_group_edge_state state);

/**
 * loom_group_fit_either() - fit @d->group without overlap, and if that may be faster, with it
 * @d: the state of dividing
 * @cost: [out] the lower cost of both
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int loom_group_fit_either(struct loom_group_divide *d, struct loom_group_cost *cost);

/**
 * loom_group_place_best() - find offsets for all items of @d->group with few DRAM bytes
 * @d: the state of dividing
 * @cut: in: the group, whose cost must be beaten; out: overlap, budget and cost of the result,
 *	unchanged if there is none
 *
 * Return: 0, also without a result, or an error.
 */
int loom_group_place_best(struct loom_group_divide *d, struct loom_group_cut *cut);

/* chain.c */

/**
 * loom_group_place_chains() - place groups in order, with residents at fixed offsets
 * @d: the state of dividing
 * @cuts: the groups
 * @num_cuts: number of @cuts
 *
 * Return: 0; 1 if one has no placement: it must not be chosen again; or an error.
 */
int loom_group_place_chains(struct loom_group_divide *d, struct loom_group_cut *cuts, u32 num_cuts);

/* branch_bound.c */

/** loom_group_search_all() - all groups, for all numbers of slices, while the budget lasts */
int loom_group_search_all(struct loom_group_divide *d);

#endif /* LOOM_GROUP_DIVIDE_H */
