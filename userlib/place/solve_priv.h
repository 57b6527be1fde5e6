/* SPDX-License-Identifier: MIT */
/*
 * Inside the solver: parts (what is solved on its own), orders and searches. See the DOC in
 * solve.c. Everything here counts in units: the greatest common divisor of all that can
 * make an offset.
 */
#ifndef LOOM_PLACE_SOLVE_PRIV_H
#define LOOM_PLACE_SOLVE_PRIV_H

#include "solve.h"

/* more than any capacity: no offset, no floor */
#define SOLVE_NEVER	(1ULL << 63)

/**
 * struct solve_part - items that meet each other, directly or by way of others
 * @num_items: items in the part
 * @num_sections: maximal sets of items that are there at one moment
 * @item_words: 64-bit words of a set of items
 * @section_words: 64-bit words of a set of sections
 * @ids: by item: its index in the problem
 * @apart: pairs that are to be kept apart
 * @num_apart: number of @apart
 * @unit: bytes of a unit
 * @sizes: by item, rounded up
 * @pads: by item: bytes that rounding added
 * @aligns: by item: 1 where the unit takes care of it
 * @fixed: by item: offset or SOLVE_NEVER
 * @excluded: by item: first of its ranges in @ranges; one entry more than items
 * @ranges: excluded ranges in bytes, ascending in each item
 * @first: by item: first of its sections in @sections; one entry more than items
 * @sections: sections of the items, ascending in each
 * @meets: sets of items, by item: what it must not overlap with
 * @members: sets of items, by section
 * @totals: by section: sum of sizes
 * @twins: by item: the item before it that is the same in all respects, or LOOM_PLACE_NONE
 * @bound_bytes: no placement of the part is lower
 * @small: the sets are there: it can be searched
 * @plain: each item's sections are neighbours and no pair is apart: it falls to pieces where no
 *	item crosses
 * @free: no item is fixed, excluded or aligned
 * @windows: some item is partly there in a gap. The search takes it to be there in full, so
 *	what it finds is valid, but what it does not find may be
 */
struct solve_part {
	uint32_t num_items;
	uint32_t num_sections;
	uint32_t item_words;
	uint32_t section_words;
	uint32_t *ids;
	struct loom_place_pair *apart;
	uint32_t num_apart;
	uint64_t unit;
	uint64_t *sizes;
	uint64_t *pads;
	uint64_t *aligns;
	uint64_t *fixed;
	uint32_t *excluded;
	struct loom_place_range *ranges;
	uint32_t *first;
	uint32_t *sections;
	uint64_t *meets;
	uint64_t *members;
	uint64_t *totals;
	uint32_t *twins;
	uint64_t bound_bytes;
	bool small;
	bool plain;
	bool free;
	bool windows;
};

/**
 * loom_solve_split() - take a problem apart into what can be solved on its own
 * @solve: the problem
 * @parts: [out] from malloc, with loom_solve_unsplit()
 * @num_parts: [out] number of @parts
 *
 * Return: 0 or -ENOMEM.
 */
int loom_solve_split(const struct loom_solve *solve, struct solve_part **parts,
		     uint32_t *num_parts);
void loom_solve_unsplit(struct solve_part *parts, uint32_t num_parts);

/**
 * loom_solve_snap() - the lowest place that an item can take
 * @part: its part
 * @item: the item
 * @offset: not below this
 *
 * Return: the offset, or SOLVE_NEVER.
 */
uint64_t loom_solve_snap(const struct solve_part *part, uint32_t item, uint64_t offset);

/* What a search has to say. */
enum solve_answer {
	SOLVE_FOUND,		/* @offsets hold a placement */
	SOLVE_NONE,		/* there is none, proved */
	SOLVE_LATER,		/* its nodes are used up: go on later */
	SOLVE_NOMEM,
};

/**
 * struct solve_memo - states that were searched in full and hold no placement
 * @keys: pairs of hashes; a pair of zeroes is free
 * @mask: number of pairs, a power of 2, less 1
 * @used: number of pairs in use
 *
 * A state is what is left and how low each item may still be; how it came about does not matter.
 * So searches of all ways share what they learn, under one capacity.
 */
struct solve_memo {
	uint64_t *keys;
	uint64_t mask;
	uint64_t used;
};

/**
 * struct solve_way - how a search decides
 * @order: static order of items, see solve_branching.c: what is tried first
 * @local: any section whose items cannot sink any more, not only the lowest
 * @weigh: prefer sections that failed often
 * @again: begin anew with each slice, in an order nearby; else go on
 */
struct solve_way {
	unsigned int order;
	bool local;
	bool weigh;
	bool again;
};

struct solve_search;

/**
 * loom_search_create() - a search that has not begun
 * @part: what to place
 * @way: how
 * @rank: by item: the lower, the earlier it is tried; a copy is made
 * @search: [out] free with loom_search_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_search_create(const struct solve_part *part, const struct solve_way *way,
		       const uint32_t *rank, struct solve_search **search);
void loom_search_destroy(struct solve_search *search);
/* begins again, perhaps under another capacity, which @memo is for; weights are kept */
void loom_search_reset(struct solve_search *search, uint64_t capacity_bytes,
		       struct solve_memo *memo);
/* another order, near the one of its rank */
void loom_search_shuffle(struct solve_search *search, uint64_t seed);
/* goes on for a number of nodes, which is updated: what is left of them */
enum solve_answer loom_search_run(struct solve_search *search, uint64_t *nodes);
/* how near it came to an end: items that were left, at the fewest */
uint32_t loom_search_least_left(const struct solve_search *search);
/* by item, in units; after SOLVE_FOUND */
const uint64_t *loom_search_offsets(const struct solve_search *search);

/** loom_way_list() - ways from 0, those that are good at most things first; NULL past the last */
const struct solve_way *loom_way_list(unsigned int index);
/** loom_way_rank() - by item: its place in the order of a way; 0 or -ENOMEM */
int loom_way_rank(const struct solve_part *part, const struct solve_way *way, uint32_t *rank);

struct solve_hunt;

/**
 * loom_hunt_create() - all ways, in turn, for one part under one capacity
 * @part: what to place
 * @capacity_bytes: how high it may be
 * @slice: nodes of the first turn of each way
 * @way: which is first
 * @seed: hunts with other seeds go other ways from the second slice on
 * @hunt: [out] free with loom_hunt_destroy()
 *
 * Return: 0 or -ENOMEM.
 */
int loom_hunt_create(const struct solve_part *part, uint64_t capacity_bytes, uint64_t slice,
		     unsigned int way, uint64_t seed, struct solve_hunt **hunt);
/* how many ways there are */
unsigned int loom_way_count(void);
void loom_hunt_destroy(struct solve_hunt *hunt);
/* another order, near the one of its rank */
void loom_search_shuffle(struct solve_search *search, uint64_t seed);
/* goes on for a number of nodes, which is updated; @offsets: by item, in bytes, if found */
enum solve_answer loom_hunt_run(struct solve_hunt *hunt, uint64_t *nodes, uint64_t *offsets);

/* whose turn it was last */
unsigned int loom_hunt_way(const struct solve_hunt *hunt);

#endif /* LOOM_PLACE_SOLVE_PRIV_H */
