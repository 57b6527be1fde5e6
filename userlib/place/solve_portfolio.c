// SPDX-License-Identifier: MIT
/*
 * A hunt: all ways, in turn, for one part under one capacity. No way is good at everything, and
 * which one is good shows early; so each gets a slice of nodes, then each a longer one. A search
 * is suspended between its slices, and what one has learned all know.
 */
#include "solve_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WAYS	16	/* not fewer than there are */
#define MEMO_LEAST	(1 << 12)
#define MEMO_MOST	(1 << 20)

/**
 * struct solve_hunt - a hunt
 * @part: what to place
 * @capacity_bytes: how high it may be
 * @memo: what all know
 * @searches: by way; NULL before its first slice
 * @num_ways: how many ways there are
 * @first: whose turn was the first
 * @turn: whose turn it is by rote
 * @way: whose turn it is
 * @again: not the first round
 * @extra: not by rote
 * @seed: of the orders of those that begin anew
 * @slice: how long a turn is
 * @left: of the turn
 */
struct solve_hunt {
	const struct solve_part *part;
	uint64_t capacity_bytes;
	struct solve_memo memo;
	struct solve_search *searches[MAX_WAYS];
	unsigned int num_ways;
	unsigned int first;
	unsigned int turn;
	unsigned int way;
	bool again;
	bool extra;
	uint64_t seed;
	uint64_t slice;
	uint64_t left;
};

unsigned int loom_hunt_way(const struct solve_hunt *h)
{
	return h->way;
}

int loom_hunt_create(const struct solve_part *part, uint64_t capacity_bytes, uint64_t slice,
		     unsigned int way, uint64_t seed, struct solve_hunt **hunt)
{
	struct solve_hunt *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	h->part = part;
	h->capacity_bytes = capacity_bytes;
	h->memo.mask = MEMO_LEAST - 1;
	h->memo.keys = calloc(2 * MEMO_LEAST, sizeof(*h->memo.keys));
	if (!h->memo.keys) {
		free(h);
		return -ENOMEM;
	}
	h->num_ways = loom_way_count();
	h->first = way % h->num_ways;
	h->turn = h->first;
	h->way = h->first;
	h->seed = seed;
	h->slice = slice;
	*hunt = h;
	return 0;
}

void loom_hunt_destroy(struct solve_hunt *hunt)
{
	unsigned int k;

	if (!hunt)
		return;
	for (k = 0; k < hunt->num_ways; k++)
		loom_search_destroy(hunt->searches[k]);
	free(hunt->memo.keys);
	free(hunt);
}

/* A memo that gets full becomes larger, up to a point; without memory it stays as it is. */
static void grow_memo(struct solve_memo *memo)
{
	uint64_t mask = memo->mask * 4 + 3, k, *keys;

	if (memo->used < memo->mask / 2 || mask >= MEMO_MOST)
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

/* The search whose turn it is. */
static struct solve_search *begin_turn(struct solve_hunt *h)
{
	const struct solve_way *way = loom_way_list(h->way);
	struct solve_search **search = &h->searches[h->way];
	uint32_t *rank;

	if (*search && h->left)
		return *search;
	h->left = h->slice;
	grow_memo(&h->memo);
	if (!*search) {
		rank = malloc(h->part->num_items * sizeof(*rank));
		if (!rank || loom_way_rank(h->part, way, rank) ||
		    loom_search_create(h->part, way, rank, search)) {
			free(rank);
			return NULL;
		}
		free(rank);
		if (h->seed && way->again)
			loom_search_shuffle(*search, ++h->seed);
		loom_search_reset(*search, h->capacity_bytes, &h->memo);
	} else if (way->again) {
		loom_search_shuffle(*search, ++h->seed);
		loom_search_reset(*search, h->capacity_bytes, &h->memo);
	}
	return *search;
}

/* The way that came nearest, first among equals. */
static unsigned int nearest_way(const struct solve_hunt *h)
{
	unsigned int best = h->turn, k;

	for (k = 0; k < h->num_ways; k++)
		if (h->searches[k] && loom_search_least_left(h->searches[k]) <
				      loom_search_least_left(h->searches[best]))
			best = k;
	return best;
}

static void end_turn(struct solve_hunt *h)
{
	h->extra = !h->extra && h->again;
	if (h->extra) {
		h->way = nearest_way(h);
		return;
	}
	h->turn = (h->turn + 1) % h->num_ways;
	h->way = h->turn;
	if (h->turn == h->first) {
		h->slice += h->slice / 4;
		h->again = true;
	}
}

enum solve_answer loom_hunt_run(struct solve_hunt *h, uint64_t *nodes, uint64_t *offsets)
{
	enum solve_answer answer;
	uint32_t i;

	while (*nodes) {
		struct solve_search *search = begin_turn(h);
		uint64_t given;

		if (!search)
			return SOLVE_NOMEM;
		given = h->left < *nodes ? h->left : *nodes;
		*nodes -= given;
		h->left -= given;
		answer = loom_search_run(search, &given);
		*nodes += given;
		if (answer == SOLVE_FOUND)
			for (i = 0; i < h->part->num_items; i++)
				offsets[i] = loom_search_offsets(search)[i] * h->part->unit;
		if (answer != SOLVE_LATER)
			return answer;
		if (!h->left)
			end_turn(h);
	}
	return SOLVE_LATER;
}
