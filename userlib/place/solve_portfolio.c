// SPDX-License-Identifier: MIT
/*
 * DOC: The solver's portfolio
 *
 * No branching rule is good for all parts, but the rule that is good for a part shows early. So a
 * portfolio gives each search a slice of nodes in turn, then longer ones. A search is suspended
 * between its slices, and all searches share one memo. From the second round on, every other turn
 * is an extra one of the search that had the fewest items left.
 */
#include "solve_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "radix.h"

/* --- branching rules -------------------------------------------------------------------------- */

/* Properties that items are sorted by, the largest first. */
enum {
	BY_AREA,
	BY_WIDTH,
	BY_SIZE,
	BY_TOTAL,
	BY_LONG,
	BY_TALL,
};

static const struct solve_branching branchings[] = {
	{ BY_TOTAL, BY_WIDTH, .weighted = true, .restart = true },
	{ BY_TOTAL, BY_AREA, .local = true, .weighted = true, .restart = true },
	{ BY_SIZE, BY_WIDTH, .restart = true },
	{ .first = BY_WIDTH, .second = BY_SIZE },
	{ BY_TOTAL, BY_SIZE, .weighted = true, .restart = true },
	{ BY_LONG, BY_SIZE, .weighted = true, .restart = true },
	{ .first = BY_TALL, .second = BY_WIDTH },
	{ BY_WIDTH, BY_SIZE, .local = true },
	{ BY_TOTAL, BY_SIZE, .restart = true },
	{ BY_TOTAL, BY_AREA, .local = true },
};

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t property(const struct solve_part *part, unsigned int by, uint32_t item)
{
	uint64_t size = part->sizes[item], width = part->first[item + 1] - part->first[item];
	uint64_t area = multiply(size, width), total = 0;
	uint32_t k;

	for (k = part->first[item]; k < part->first[item + 1]; k++)
		total = max(total, part->totals[part->sections[k]]);
	switch (by) {
	case BY_AREA:
		return area;
	case BY_WIDTH:
		return width;
	case BY_SIZE:
		return size;
	case BY_TOTAL:
		return total;
	case BY_LONG:
		return multiply(area, width);
	default:
		return multiply(area, size);
	}
}

static int make_rank(const struct solve_part *part, const struct solve_branching *branching,
		     uint32_t *rank)
{
	const unsigned int by[] = { branching->second, branching->first };
	struct loom_radix sort = { 0 };
	unsigned int k;
	uint32_t i;

	if (loom_radix_reserve(&sort, part->num_items))
		return -ENOMEM;
	for (; sort.count < part->num_items; sort.count++)
		sort.entries[sort.count].value = (int64_t)sort.count;
	for (k = 0; k < ARRAY_SIZE(by); k++) {
		for (i = 0; i < part->num_items; i++) {
			struct loom_radix_entry *entry = &sort.entries[i];

			entry->key = loom_radix_descending(property(part, by[k], entry->value));
		}
		loom_radix_sort(&sort);
	}
	for (i = 0; i < part->num_items; i++)
		rank[sort.entries[i].value] = i;
	loom_radix_clear(&sort);
	return 0;
}

/* --- turns ------------------------------------------------------------------------------------ */

#define MEMO_MIN	(1 << 12)
#define MEMO_MAX	(1 << 20)

/* A portfolio. */
struct solve_portfolio {
	const struct solve_part *part;
	uint64_t capacity_bytes;	/* no item may end above it */
	struct solve_memo memo;		/* shared by the searches */
	/* by branching rule; NULL before its first slice */
	struct solve_search *searches[ARRAY_SIZE(branchings)];
	unsigned int first;		/* rule of the first turn */
	unsigned int turn;		/* rule whose regular turn it is */
	unsigned int current;		/* rule whose turn it is: @turn, or that of an extra turn */
	bool later_round;		/* each rule has had a turn */
	bool extra;			/* this is an extra turn */
	uint64_t seed;			/* of the next perturbed order */
	uint64_t slice;			/* nodes of a turn */
	uint64_t left;			/* nodes left of this turn */
};

unsigned int loom_portfolio_branching(const struct solve_portfolio *p)
{
	return p->current;
}

int loom_portfolio_create(const struct solve_part *part, uint64_t capacity_bytes, uint64_t slice,
			  unsigned int branching, uint64_t seed, struct solve_portfolio **portfolio)
{
	struct solve_portfolio *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->part = part;
	p->capacity_bytes = capacity_bytes;
	p->memo.mask = MEMO_MIN - 1;
	p->memo.keys = calloc(2 * MEMO_MIN, sizeof(*p->memo.keys));
	if (!p->memo.keys) {
		free(p);
		return -ENOMEM;
	}
	p->first = branching % ARRAY_SIZE(branchings);
	p->turn = p->first;
	p->current = p->first;
	p->seed = seed;
	p->slice = slice;
	*portfolio = p;
	return 0;
}

void loom_portfolio_destroy(struct solve_portfolio *portfolio)
{
	unsigned int k;

	if (!portfolio)
		return;
	for (k = 0; k < ARRAY_SIZE(branchings); k++)
		loom_search_destroy(portfolio->searches[k]);
	free(portfolio->memo.keys);
	free(portfolio);
}

/* Doubles a memo that is half full, up to a limit; on failure it stays as it is. */
static void grow_memo(struct solve_memo *memo)
{
	uint64_t mask = memo->mask * 4 + 3, k, *keys;

	if (memo->used < memo->mask / 2 || mask >= MEMO_MAX)
		return;
	keys = calloc(2 * (mask + 1), sizeof(*keys));
	if (!keys)
		return;
	for (k = 0; k <= memo->mask; k++)
		memcpy(keys + (memo->keys[2 * k] & mask) * 2, memo->keys + 2 * k,
		       2 * sizeof(*keys));
	free(memo->keys);
	memo->keys = keys;
	memo->mask = mask;
}

/* The search of this turn, created or restarted if necessary; NULL: no memory. */
static struct solve_search *begin_turn(struct solve_portfolio *p)
{
	const struct solve_branching *branching = &branchings[p->current];
	struct solve_search **search = &p->searches[p->current];
	uint32_t *rank;

	if (*search && p->left)
		return *search;
	p->left = p->slice;
	grow_memo(&p->memo);
	if (!*search) {
		rank = malloc(p->part->num_items * sizeof(*rank));
		if (!rank || make_rank(p->part, branching, rank) ||
		    loom_search_create(p->part, branching, rank, search)) {
			free(rank);
			return NULL;
		}
		free(rank);
		if (p->seed && branching->restart)
			loom_search_shuffle(*search, ++p->seed);
		loom_search_reset(*search, p->capacity_bytes, &p->memo);
	} else if (branching->restart) {
		loom_search_shuffle(*search, ++p->seed);
		loom_search_reset(*search, p->capacity_bytes, &p->memo);
	}
	return *search;
}

/* The rule whose search had the fewest items left. */
static unsigned int nearest_branching(const struct solve_portfolio *p)
{
	unsigned int best = p->turn, k;

	for (k = 0; k < ARRAY_SIZE(branchings); k++)
		if (p->searches[k] && loom_search_least_left(p->searches[k]) <
		    loom_search_least_left(p->searches[best]))
			best = k;
	return best;
}

static void end_turn(struct solve_portfolio *p)
{
	p->extra = !p->extra && p->later_round;
	if (p->extra) {
		p->current = nearest_branching(p);
		return;
	}
	p->turn = (p->turn + 1) % ARRAY_SIZE(branchings);
	p->current = p->turn;
	if (p->turn == p->first) {
		p->slice += p->slice / 4;
		p->later_round = true;
	}
}

enum solve_answer loom_portfolio_run(struct solve_portfolio *p, uint64_t *nodes, uint64_t *offsets)
{
	enum solve_answer answer;
	uint32_t i;

	while (*nodes) {
		struct solve_search *search = begin_turn(p);
		uint64_t given;

		if (!search)
			return SOLVE_NOMEM;
		given = p->left < *nodes ? p->left : *nodes;
		*nodes -= given;
		p->left -= given;
		answer = loom_search_run(search, &given);
		*nodes += given;
		if (answer == SOLVE_FOUND)
			for (i = 0; i < p->part->num_items; i++)
				offsets[i] = loom_search_offsets(search)[i] * p->part->unit;
		if (answer != SOLVE_LATER)
			return answer;
		if (!p->left)
			end_turn(p);
	}
	return SOLVE_LATER;
}
