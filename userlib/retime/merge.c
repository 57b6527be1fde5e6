// SPDX-License-Identifier: MIT
/*
 * Merges positions into steps. A run of positions can be one step if no computation in it depends
 * on a job in it, or vice versa, and no tensor begins in it where another has ended in it. That
 * never takes longer than the single positions. A dynamic program finds the division into runs with
 * the fewest cycles, ties by the fewest steps.
 */
#include "grid.h"

#include <errno.h>
#include <stdlib.h>

/* Limit on the positions of a step. */
#define LONGEST		64

/**
 * struct best - the best division of the positions before one
 * @cycles: its cycles
 * @steps: its steps
 * @from: begin of its last run
 */
struct best {
	u64 cycles;
	u32 steps;
	u32 from;
};

/* Whether a tensor that ends at @at overlaps the bytes of one that begins in (@at, @to]. */
static bool is_reused(const struct retime *r, u32 at, u32 to)
{
	u32 i, k, p;

	for (i = r->positions[at].ends; i != RETIME_NONE; i = r->tensors[i].at[1].next) {
		const struct retime_tensor *a = &r->tensors[i];

		for (p = at + 1; p <= to; p++) {
			for (k = r->positions[p].begins; k != RETIME_NONE;
			     k = r->tensors[k].at[0].next) {
				const struct retime_tensor *b = &r->tensors[k];

				if (a->space == b->space && a->start < b->start + b->bytes &&
				    b->start < a->start + a->bytes)
					return true;
			}
		}
	}
	return false;
}

static bool is_empty(const struct retime_position *p)
{
	return p->compute == RETIME_NONE && !p->num_pieces;
}

/* The best of all divisions whose last run ends with position @to. */
static void extend(const struct retime *r, struct best *best, u32 to)
{
	u32 low = 0, high = RETIME_NONE, from, i, count = 0;
	u64 work = 0, moved = 0;

	best[to + 1].cycles = U64_MAX;
	for (from = to + 1; from-- > 0 && count < LONGEST; count++) {
		const struct retime_position *p = &r->positions[from];
		u64 cycles;

		if (p->group != r->positions[to].group ||
		    (from < to && is_reused(r, from, to)))
			break;
		for (i = p->pieces; i != RETIME_NONE; i = r->pieces[i].next) {
			low = max(low, r->jobs[r->pieces[i].job].low);
			high = min(high, r->jobs[r->pieces[i].job].high);
		}
		if (low > from || high < to)
			break;
		work += p->work;
		moved += p->moved;
		cycles = best[from].cycles + max(work, moved);
		if (cycles < best[to + 1].cycles ||
		    (cycles == best[to + 1].cycles && best[from].steps < best[to + 1].steps - 1)) {
			best[to + 1].cycles = cycles;
			best[to + 1].steps = best[from].steps + 1;
			best[to + 1].from = from;
		}
	}
}

u64 retime_merge(struct retime *r)
{
	struct best *best = calloc((size_t)r->num_positions + 1, sizeof(*best));
	u32 i, k, end;
	u64 cycles;

	if (!best)
		return 0;
	for (i = 0; i < r->num_positions; i++) {
		if (is_empty(&r->positions[i])) {
			best[i + 1] = best[i];
			best[i + 1].from = i;
			continue;
		}
		extend(r, best, i);
	}
	cycles = best[r->num_positions].cycles;
	r->num_steps = best[r->num_positions].steps;
	for (end = r->num_positions, k = r->num_steps; end > 0; end = i) {
		bool empty = is_empty(&r->positions[end - 1]);
		u32 from = best[end].from;

		k -= !empty;
		for (i = end; i-- > from;)
			r->positions[i].run = k;
		i = from;
	}
	free(best);
	return cycles ? cycles : 1;
}
