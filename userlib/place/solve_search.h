/* SPDX-License-Identifier: MIT */
/*
 * Inside the exact search: parts (solved independently), searches, and portfolios of searches. See
 * DOC: The solver. Offsets and sizes here are in units: the greatest common divisor of all terms of
 * an offset.
 */
#ifndef LOOM_PLACE_SOLVE_SEARCH_H
#define LOOM_PLACE_SOLVE_SEARCH_H

#include "arrays.h"
#include "solve.h"

/* SOLVE_NEVER - above every capacity: no offset, no floor */
#define SOLVE_NEVER	(1ULL << 63)

/* Items that overlap in time, directly or through others. */
struct solve_part {
	struct loom_arrays arrays;		/* all arrays below */
	uint32_t num_items;			/* items in the part */
	/* number of sections: maximal sets of items that are alive at one moment */
	uint32_t num_sections;
	uint32_t item_words;			/* 64-bit words of a set of items */
	uint32_t section_words;			/* 64-bit words of a set of sections */
	uint32_t *ids;				/* by item: its index in the problem */
	struct loom_place_pair *apart;		/* pairs that must be kept apart */
	uint32_t num_apart;			/* number of @apart */
	uint64_t unit;				/* bytes of a unit */
	uint64_t *sizes;			/* by item, rounded up */
	uint64_t *pads;				/* by item: bytes that rounding added */
	/* by item, in units; 1 where every multiple of the unit is aligned */
	uint64_t *aligns;
	uint64_t *fixed;			/* by item: offset or SOLVE_NEVER */
	/* by item: first of its ranges in @ranges; one entry more than items */
	uint32_t *excluded;
	/* excluded ranges in bytes, ascending in each item */
	struct loom_place_range *ranges;
	/* by item: first of its sections in @sections; one entry more than items */
	uint32_t *first;
	uint32_t *sections;			/* sections of the items, ascending in each */
	/* sets of items, by item: those it must not share an address with */
	uint64_t *overlaps;
	uint64_t *members;			/* sets of items, by section */
	uint64_t *totals;			/* by section: sum of sizes */
	uint64_t bound_bytes;			/* no placement of the part is lower */
	/* it is small enough to be searched: the sets exist */
	bool small;
	/*
	 * each item's sections are consecutive and no pair is apart: it decomposes where no item
	 * crosses from a section to the next
	 */
	bool plain;
	bool free;				/* no item is fixed, excluded or aligned */
	/*
	 * some item keeps bytes in a gap. The search treats it as whole there, so a placement it
	 * finds is valid, but exhaustion proves no bound
	 */
	bool windows;
};

/**
 * loom_solve_split() - decompose a problem into parts
 * @problem: resolved: alignments at least 1, no aliases; each item has room
 * @parts: [out] free with loom_solve_unsplit()
 * @num_parts: [out] number of @parts
 *
 * Return: 0 or -ENOMEM.
 */
int loom_solve_split(const struct loom_place_problem *problem, struct solve_part **parts,
		     uint32_t *num_parts);
/** loom_solve_fill() - prepare a part for the search, if it is small, and find its bound */
int loom_solve_fill(const struct loom_place_problem *problem, struct solve_part *part);
/** loom_solve_unsplit() - frees parts */
void loom_solve_unsplit(struct solve_part *parts, uint32_t num_parts);

/**
 * loom_solve_snap() - the lowest offset that satisfies an item's own constraints
 * @part: its part
 * @item: the item
 * @offset: lower limit
 *
 * Return: the offset, or SOLVE_NEVER.
 */
uint64_t loom_solve_snap(const struct solve_part *part, uint32_t item, uint64_t offset);

/* Results of a search. */
enum solve_answer {
	SOLVE_FOUND,		/* a placement */
	SOLVE_NONE,		/* proved: there is no placement */
	SOLVE_LATER,		/* out of nodes: may go on later */
	SOLVE_NOMEM,
};

/*
 * States that were searched exhaustively without finding a placement.
 *
 * A state is the set of items left and the least offset of each, however it was reached. So all
 * searches under one capacity share a memo.
 */
struct solve_memo {
	uint64_t *keys;	/* pairs of hashes; a pair of zeroes is a free entry */
	uint64_t mask;	/* number of pairs, a power of 2, less 1 */
	uint64_t used;	/* number of pairs in use */
};

/* Branching rules of a search. */
struct solve_branching {
	/* the property that orders items, and that for ties: see solve_portfolio.c */
	unsigned int first;
	unsigned int second;
	/* branch on any section whose items cannot sink any more, not only on the lowest */
	bool local;
	bool weighted;		/* prefer sections that failed often */
	/* start over at each turn, in a perturbed order; otherwise resume */
	bool restart;
};

/* solve_search.c */

struct solve_search;

/**
 * loom_search_create() - a search that has not begun; call loom_search_reset() next
 * @part: the part
 * @branching: its rules
 * @rank: by item: the lower, the earlier it is tried; a copy is made
 * @search: [out] free with loom_search_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_search_create(const struct solve_part *part, const struct solve_branching *branching,
		       const uint32_t *rank, struct solve_search **search);
/** loom_search_destroy() - frees a search; NULL is fine */
void loom_search_destroy(struct solve_search *search);
/** loom_search_reset() - starts over under a capacity, that of @memo; keeps the weights */
void loom_search_reset(struct solve_search *search, uint64_t capacity_bytes,
		       struct solve_memo *memo);
/** loom_search_shuffle() - perturbs the order: ranks change by up to an eighth of their number */
void loom_search_shuffle(struct solve_search *search, uint64_t seed);
/** loom_search_run() - continues for @nodes nodes; [out] nodes left */
enum solve_answer loom_search_run(struct solve_search *search, uint64_t *nodes);
/** loom_search_least_left() - the fewest items that were left: the distance from a placement */
uint32_t loom_search_least_left(const struct solve_search *search);
/** loom_search_offsets() - by item, in units; after SOLVE_FOUND */
const uint64_t *loom_search_offsets(const struct solve_search *search);

/* solve_portfolio.c */

struct solve_portfolio;

/**
 * loom_portfolio_create() - searches with all branching rules, in turn, under one capacity
 * @part: the part
 * @capacity_bytes: no item may end above it
 * @slice: nodes of the first turn of each search
 * @branching: index of the rule that is first
 * @seed: of perturbed orders; 0: the first turns are unperturbed
 * @portfolio: [out] free with loom_portfolio_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_portfolio_create(const struct solve_part *part, uint64_t capacity_bytes, uint64_t slice,
			  unsigned int branching, uint64_t seed,
			  struct solve_portfolio **portfolio);
/** loom_portfolio_destroy() - frees a portfolio; NULL is fine */
void loom_portfolio_destroy(struct solve_portfolio *portfolio);
/** loom_portfolio_run() - continues for @nodes nodes; @offsets: by item, in bytes, if found */
enum solve_answer loom_portfolio_run(struct solve_portfolio *portfolio, uint64_t *nodes,
				     uint64_t *offsets);
/** loom_portfolio_branching() - index of the rule whose turn was last */
unsigned int loom_portfolio_branching(const struct solve_portfolio *portfolio);

#endif /* LOOM_PLACE_SOLVE_SEARCH_H */
