// SPDX-License-Identifier: MIT
/*
 * DOC: GMEM, fit first
 *
 * What became of the GMEM planner in later versions of its compiler, one of two; the other is
 * "gmem-opsize". It works on lifetimes and on a list of blocks, one behind the other from 0 on,
 * each taken or free. Items come in the order in which they are made. For each:
 *
 * 1. blocks of items that are dead become free, free neighbours become one;
 * 2. the largest free block is taken, but the last, which has no end. What is too large for the
 *    item is split; what is too small *grows*, and all that lies above moves up. If nothing but
 *    the last block is free, the item goes there.
 *
 * So what the name calls fit first is in truth worst fit with growth. Items cannot move while
 * they live: a block's place is known only when everything below it has stopped growing. So the
 * list is written down after each item, and places are given out from the last list to the first:
 * an item without a place gets the one that its block has in that list, or what those below push
 * it to; an item that has one keeps it.
 *
 * All blocks are multiples of the largest alignment, as in the source, which knows only one.
 */
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct block - a block of a list
 * @item: whose it is, or LOOM_PLACE_NONE
 * @size_bytes: its size
 */
struct block {
	uint32_t item;
	uint64_t size_bytes;
};

/**
 * struct fitfirst - the state
 * @items: what is to be placed
 * @now: the list, without the last block
 * @num_now: number of @now
 * @album: lists that were written down, one behind the other
 * @num_album: number of blocks in @album
 * @max_album: room in @album
 * @ends: by list: end of it in @album
 * @num_ends: number of @ends
 * @align_bytes: what all sizes are multiples of
 */
struct fitfirst {
	const struct loom_place_item *items;
	struct block *now;
	size_t num_now;
	struct block *album;
	size_t num_album;
	size_t max_album;
	size_t *ends;
	size_t num_ends;
	uint64_t align_bytes;
};

static void free_dead(struct fitfirst *f, int64_t now)
{
	size_t n = 0, i;

	for (i = 0; i < f->num_now; i++) {
		struct block block = f->now[i];

		if (block.item != LOOM_PLACE_NONE && f->items[block.item].upper <= now)
			block.item = LOOM_PLACE_NONE;
		if (block.item == LOOM_PLACE_NONE && n && f->now[n - 1].item == LOOM_PLACE_NONE)
			f->now[n - 1].size_bytes += block.size_bytes;
		else
			f->now[n++] = block;
	}
	/* what is free at the end is part of the last block */
	if (n && f->now[n - 1].item == LOOM_PLACE_NONE)
		n--;
	f->num_now = n;
}

static int allocate(struct fitfirst *f, uint32_t item)
{
	uint64_t size = f->items[item].size_bytes, most = 0;
	size_t at = f->num_now, i;

	if (!loom_place_align(&size, f->align_bytes))
		return -ERANGE;
	for (i = 0; i < f->num_now; i++) {
		if (f->now[i].item == LOOM_PLACE_NONE && f->now[i].size_bytes > most) {
			most = f->now[i].size_bytes;
			at = i;
		}
	}
	if (most > size) {
		memmove(&f->now[at + 1], &f->now[at], (f->num_now++ - at) * sizeof(*f->now));
		f->now[at + 1].size_bytes -= size;
	} else if (at == f->num_now) {
		f->num_now++;
	}
	f->now[at] = (struct block){ item, size };
	return 0;
}

static int write_down(struct fitfirst *f)
{
	if (f->num_album + f->num_now > f->max_album) {
		size_t max = 2 * f->max_album + f->num_now + 64;
		struct block *album = realloc(f->album, max * sizeof(*album));

		if (!album)
			return -ENOMEM;
		f->album = album;
		f->max_album = max;
	}
	memcpy(&f->album[f->num_album], f->now, f->num_now * sizeof(*f->now));
	f->num_album += f->num_now;
	f->ends[f->num_ends++] = f->num_album;
	return 0;
}

/* Places, from the last list to the first. UINT64_MAX: has none yet. */
static int give_places(const struct fitfirst *f, uint64_t *offsets)
{
	size_t list, i;

	for (list = f->num_ends; list-- > 0;) {
		uint64_t start = 0, end = 0;

		for (i = list ? f->ends[list - 1] : 0; i < f->ends[list]; i++) {
			const struct block *block = &f->album[i];
			uint64_t at = start;

			if (block->item == LOOM_PLACE_NONE)
				at = end;
			else if (offsets[block->item] != UINT64_MAX)
				at = offsets[block->item];
			else
				offsets[block->item] = at > end ? at : end;
			if (at < end)
				at = end;
			if (at > INT64_MAX - block->size_bytes)
				return -ERANGE;
			end = at + block->size_bytes;
			start += block->size_bytes;
		}
	}
	return 0;
}

/**
 * struct birth - an item and when it comes
 * @lower: when
 * @item: which
 */
struct birth {
	int64_t lower;
	uint32_t item;
};

static int compare_births(const void *a, const void *b)
{
	const struct birth *x = a, *y = b;

	if (x->lower != y->lower)
		return x->lower < y->lower ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

static int run(struct fitfirst *f, const struct loom_place_problem *problem,
	       struct birth *births, uint64_t *offsets)
{
	uint32_t n = 0, i;
	int ret = 0;

	for (i = 0; i < problem->num_items; i++) {
		offsets[i] = UINT64_MAX;
		if (!loom_place_has_room(&problem->items[i]))
			continue;
		births[n++] = (struct birth){ problem->items[i].lower, i };
		if (!loom_place_join_align(&f->align_bytes, problem->items[i].align_bytes))
			return -ERANGE;
	}
	qsort(births, n, sizeof(*births), compare_births);
	for (i = 0; i < n && !ret; i++) {
		free_dead(f, births[i].lower);
		ret = allocate(f, births[i].item);
		if (!ret)
			ret = write_down(f);
	}
	if (!ret)
		ret = give_places(f, offsets);
	return ret;
}

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	size_t n = task->problem.num_items;
	struct fitfirst f = { .items = task->problem.items, .align_bytes = 1 };
	struct birth *births = calloc(n + 1, sizeof(*births));
	int ret = -ENOMEM;

	/* between two taken blocks there is at most one that is free */
	f.now = calloc(2 * n + 2, sizeof(*f.now));
	f.ends = calloc(n + 1, sizeof(*f.ends));
	if (births && f.now && f.ends)
		ret = run(&f, &task->problem, births, answer->offsets);
	free(births);
	free(f.now);
	free(f.album);
	free(f.ends);
	return ret;
}

const struct loom_place_strategy loom_place_strategy_gmem_fitfirst = {
	.name = "gmem-fitfirst",
	.text = "by begin, each takes the largest free block, which grows if it must",
	.limits = LOOM_PLACE_NO_FIXED | LOOM_PLACE_NO_EXCLUDED | LOOM_PLACE_NO_APART,
	.place = place,
};
