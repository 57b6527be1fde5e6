// SPDX-License-Identifier: MIT
/*
 * DOC: GMEM, fit first
 *
 * One of the two GMEM planners in later versions of the same compiler; the other is "gmem-opsize".
 * It works on lifetimes and on a list of consecutive blocks from address 0 on, each taken or free.
 * Items are allocated in the order of their begin. For each:
 *
 * 1. blocks of dead items become free, and free neighbours are merged;
 * 2. the largest free block is taken, except the last, which is unlimited. A block that is too
 *    large for the item is split; one that is too small *grows*, and all blocks above move up. If
 * no block but the last is free, the item is placed there.
 *
 * So despite its name it is worst fit with growth. Items cannot move while they live: the address
 * of a block is known only when all blocks below it have stopped growing. So the list is recorded
 * after each item, and addresses are assigned from the last list to the first: an item without an
 * address gets that of its block in the list, or a higher one if the blocks below need it; an
 * address once assigned is kept.
 *
 * All blocks are multiples of the largest alignment, as in the source, which has only one.
 */
#include "strategy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A block of a list. */
struct block {
	uint32_t item;		/* the item in it, or LOOM_PLACE_NONE */
	uint64_t size_bytes;	/* its size */
};

/* State of a run. */
struct fitfirst {
	const struct loom_place_item *items;	/* the items of the problem */
	struct block *now;			/* the current list, without the last block */
	size_t num_now;				/* number of @now */
	struct block *album;			/* recorded lists, one behind the other */
	size_t num_album;			/* number of blocks in @album */
	size_t max_album;			/* number of blocks that @album has room for */
	size_t *ends;				/* by list: end of it in @album */
	size_t num_ends;			/* number of @ends */
	uint64_t align_bytes;			/* all sizes are multiples of this */
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
	/* a free block at the end is merged with the last */
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

static int record_list(struct fitfirst *f)
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

/* Assigns addresses, from the last list to the first. UINT64_MAX: none yet. */
static int assign_addresses(const struct fitfirst *f, uint64_t *offsets)
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

static int run(struct fitfirst *f, const struct loom_place_problem *problem,
	       struct loom_radix *births, uint64_t *offsets)
{
	int ret = loom_radix_reserve(births, problem->num_items);
	uint32_t i;

	for (i = 0; i < problem->num_items && !ret; i++) {
		offsets[i] = UINT64_MAX;
		if (!loom_place_has_room(&problem->items[i]))
			continue;
		births->entries[births->count++] = (struct loom_radix_entry){
			problem->items[i].lower, i,
		};
		if (!loom_place_join_align(&f->align_bytes, problem->items[i].align_bytes))
			return -ERANGE;
	}
	loom_radix_sort(births);
	for (i = 0; i < births->count && !ret; i++) {
		free_dead(f, births->entries[i].key);
		ret = allocate(f, births->entries[i].value);
		if (!ret)
			ret = record_list(f);
	}
	if (!ret)
		ret = assign_addresses(f, offsets);
	return ret;
}

static int place(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	size_t n = task->problem.num_items;
	struct fitfirst f = { .items = task->problem.items, .align_bytes = 1 };
	struct loom_radix births = { 0 };
	int ret = -ENOMEM;

	/* invariant: at most one free block between two taken ones */
	f.now = calloc(2 * n + 2, sizeof(*f.now));
	f.ends = calloc(n + 1, sizeof(*f.ends));
	if (f.now && f.ends)
		ret = run(&f, &task->problem, &births, answer->offsets);
	loom_radix_clear(&births);
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
