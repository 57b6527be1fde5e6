// SPDX-License-Identifier: MIT
/*
 * DOC: Boxes
 *
 * Greedy placing visits all pairs of items that overlap in time. With tens of thousands of items of
 * which thousands are alive at a time, these are hundreds of millions. Many of the items then have
 * nearly the same lifetime and can be stacked in a box that is placed as one item. The cost is the
 * time between begin and end of an item and those of its box.
 *
 * Lifetimes are classified by length, each class twice as long as the one before; in a class,
 * begins and ends are rounded to a fraction of that length, and items that agree in both are put
 * into boxes. A 32nd wastes 2 or 3 % in the mean; if there are still too many pairs the fraction is
 * made larger. A box is not higher than a 128th of the bound, as large boxes are hard to place.
 * Items larger than half of that stay alone, and so do items that are fixed or have gaps or
 * excluded ranges. Problems with pairs to be kept apart have no boxes.
 *
 * The idea of boxing is that of Buchsbaum et al. 2003; theirs has a proven ratio, recursion and
 * constants that only pay for far more items. Rejected: boxes of items that follow one another in
 * time, which help where lifetimes are short, and there greedy placing is fast anyway.
 */
#include "greedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

#define BOX_PARTS	128

/* An item and its rounded lifetime. */
struct cell {
	bool single;		/* it stays alone */
	unsigned int length;	/* class of its length */
	int64_t begin;		/* begin, in fractions of that length */
	int64_t end;		/* end, in fractions of that length */
	uint64_t size_bytes;	/* its size */
	uint32_t item;
};

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->single != y->single)
		return x->single ? 1 : -1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes > y->size_bytes ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

/* Items in boxes, and the placement problem of the boxes. */
struct boxes {
	const struct loom_place_task *task;	/* the problem */
	struct cell *cells;			/* items with a size */
	uint32_t num_cells;			/* number of @cells */
	uint64_t *inner;			/* by item: its offset in its box */
	uint32_t *box_of;			/* by item: its box, or LOOM_PLACE_NONE */
	struct loom_place_item *items;		/* the boxes */
	struct loom_place_task outer;		/* the problem of the boxes */
	uint64_t largest;			/* size limit of a box with several items */
};

static int64_t round_down(int64_t time, uint64_t step)
{
	return time / (int64_t)step - (time % (int64_t)step < 0);
}

/* @fine: number of steps per length class. */
static void make_cells(struct boxes *b, unsigned int fine)
{
	const struct loom_place_problem *problem = &b->task->problem;
	uint32_t i;

	b->num_cells = 0;
	for (i = 0; i < problem->num_items; i++) {
		const struct loom_place_item *item = &problem->items[i];
		struct cell *cell = &b->cells[b->num_cells];
		unsigned int length;
		uint64_t step;

		b->box_of[i] = LOOM_PLACE_NONE;
		if (!loom_place_has_room(item))
			continue;
		b->num_cells++;
		length = 63 - __builtin_clzll((uint64_t)item->upper - (uint64_t)item->lower);
		step = (1ULL << length) / fine;
		step += !step;
		*cell = (struct cell){
			loom_place_is_fixed(item) || item->num_gaps ||
			item->num_excluded || length > 61 ||
			item->size_bytes > b->largest / 2,
			length, round_down(item->lower, step), round_down(item->upper, step),
			item->size_bytes, i,
		};
	}
	qsort(b->cells, b->num_cells, sizeof(*b->cells), compare_cells);
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return !a->single && !b->single && a->length == b->length && a->begin == b->begin &&
	       a->end == b->end;
}

/* Puts an item on top of a box. Returns false if the box would become too large. */
static bool stack(struct boxes *b, struct loom_place_item *box, uint32_t index)
{
	const struct loom_place_item *item = &b->task->problem.items[index];
	uint64_t at = box->size_bytes, align = box->align_bytes;

	if (!loom_place_align(&at, item->align_bytes) || at > b->largest ||
	    item->size_bytes > b->largest - at ||
	    !loom_place_join_align(&align, item->align_bytes) || align > b->largest)
		return false;
	b->inner[index] = at;
	box->size_bytes = at + item->size_bytes;
	box->align_bytes = align;
	if (box->lower > item->lower)
		box->lower = item->lower;
	if (box->upper < item->upper)
		box->upper = item->upper;
	return true;
}

/* @fine: see make_cells(). */
static void make_boxes(struct boxes *b, unsigned int fine)
{
	const struct loom_place_problem *problem = &b->task->problem;
	struct loom_place_problem *outer = &b->outer.problem;
	uint32_t i;

	make_cells(b, fine);
	outer->num_items = 0;
	for (i = 0; i < b->num_cells; i++) {
		uint32_t index = b->cells[i].item;

		if (!i || !same_cell(&b->cells[i - 1], &b->cells[i]) ||
		    !stack(b, &b->items[outer->num_items - 1], index)) {
			b->items[outer->num_items++] = problem->items[index];
			b->inner[index] = 0;
		}
		b->box_of[index] = outer->num_items - 1;
	}
	outer->items = b->items;
}

/*
 * Finds the finest boxes with at most @max_pairs pairs. The finest setting often suffices;
 * otherwise bisection, because each try sorts all items twice.
 */
static int make_fine_boxes(struct boxes *b, uint64_t max_pairs)
{
	static const unsigned int fine[] = { 32, 24, 20, 16, 14, 12, 10, 8, 6, 4 };
	unsigned int low = 0, high = ARRAY_SIZE(fine) - 1, made = 0;
	uint64_t pairs = 0;
	int ret;

	make_boxes(b, fine[made]);
	ret = loom_place_count_pairs(&b->outer.problem, &pairs);
	if (!ret && pairs <= max_pairs)
		return 0;
	/* invariant: @low has too many pairs; @high has few enough, or is the coarsest */
	while (!ret && low + 1 < high) {
		made = low + (high - low) / 2;
		make_boxes(b, fine[made]);
		ret = loom_place_count_pairs(&b->outer.problem, &pairs);
		if (pairs > max_pairs)
			low = made;
		else
			high = made;
	}
	if (!ret && made != high)
		make_boxes(b, fine[high]);
	return ret;
}

static int run(struct boxes *b, struct loom_place_answer *answer, uint64_t max_pairs)
{
	const struct loom_place_problem *problem = &b->task->problem;
	struct loom_place_answer outer = { .bound_bytes = answer->bound_bytes };
	uint32_t i;
	int ret;

	ret = make_fine_boxes(b, max_pairs);
	outer.offsets = calloc((size_t)b->outer.problem.num_items + 1, sizeof(*outer.offsets));
	if (!outer.offsets)
		ret = -ENOMEM;
	if (!ret)
		ret = loom_place_greedy(&b->outer, loom_place_order_size, loom_greedy_lowest,
					&outer);
	for (i = 0; i < problem->num_items && !ret; i++)
		if (b->box_of[i] != LOOM_PLACE_NONE)
			answer->offsets[i] = outer.offsets[b->box_of[i]] + b->inner[i];
	free(outer.offsets);
	return ret;
}

int loom_place_boxes(const struct loom_place_task *task, struct loom_place_answer *answer,
		     uint64_t max_pairs)
{
	size_t n = (size_t)task->problem.num_items + 1;
	struct loom_arrays arrays = { 0 };
	struct boxes b = {
		.task = task,
		.cells = loom_arrays_take(&arrays, n, sizeof(*b.cells)),
		.inner = loom_arrays_take(&arrays, n, sizeof(*b.inner)),
		.box_of = loom_arrays_take(&arrays, n, sizeof(*b.box_of)),
		.items = loom_arrays_take(&arrays, n, sizeof(*b.items)),
		.outer = { .capacity_bytes = task->capacity_bytes },
		.largest = answer->bound_bytes / BOX_PARTS,
	};
	int ret = arrays.failed ? -ENOMEM : run(&b, answer, max_pairs);

	loom_arrays_free(&arrays);
	return ret;
}
