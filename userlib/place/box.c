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
/* Steps that a length is divided in. */
#define FINEST		32
#define COARSEST	4
/* Classes of lengths. */
#define SINGLE		64
/* Pairs of boxes that overlap in time. */
#define MAX_PAIRS	70000000ULL

/* Items in boxes, and the placement problem of the boxes. */
struct boxes {
	const struct loom_place_task *task;	/* the problem */
	struct loom_radix sort;			/* items with a size, those of a box together */
	struct loom_radix events;		/* of the boxes, before there are @items */
	uint64_t *inner;			/* by item: its offset in its box */
	uint32_t *box_of;			/* by item: its box, or LOOM_PLACE_NONE */
	struct loom_place_item *items;		/* the boxes */
	struct loom_place_task outer;		/* the problem of the boxes */
	uint64_t largest;			/* size limit of a box with several items */
};

static int64_t round_down(int64_t time, int64_t step)
{
	return time / step - (time % step < 0);
}

/*
 * Rounds a lifetime. @fine: number of steps in the shortest length of a class; @cell: end and begin
 * in such steps, and the class; those from SINGLE on are of items that stay alone
 */
static void find_cell(const struct boxes *b, uint32_t index, unsigned int fine, int64_t cell[3])
{
	const struct loom_place_item *item = &b->task->problem.items[index];
	int64_t length = 63 - __builtin_clzll((uint64_t)item->upper - (uint64_t)item->lower);
	int64_t step = max((int64_t)((1ULL << length) / fine), 1);

	cell[0] = round_down(item->upper, step);
	cell[1] = round_down(item->lower, step);
	cell[2] = length;
	if (loom_place_is_fixed(item) || item->num_gaps || item->num_excluded || length > 61 ||
	    item->size_bytes > b->largest / 2)
		cell[2] += SINGLE;
}

/* Sorts by cell, and by descending size in each; those that stay alone are last. */
static void sort_cells(struct boxes *b, unsigned int fine)
{
	const struct loom_place_problem *problem = &b->task->problem;
	struct loom_radix *sort = &b->sort;
	unsigned int pass;
	int64_t cell[3];
	uint32_t i;

	sort->count = 0;
	for (i = 0; i < problem->num_items; i++) {
		b->box_of[i] = LOOM_PLACE_NONE;
		if (loom_place_has_room(&problem->items[i]))
			sort->entries[sort->count++] = (struct loom_radix_entry){
				-(int64_t)problem->items[i].size_bytes, i,
			};
	}
	loom_radix_sort(sort);
	for (pass = 0; pass < 3; pass++) {
		for (i = 0; i < sort->count; i++) {
			find_cell(b, (uint32_t)sort->entries[i].value, fine, cell);
			sort->entries[i].key = cell[pass];
		}
		loom_radix_sort(sort);
	}
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

/* Puts the sorted items into boxes, and notes the events of these. */
static void stack_all(struct boxes *b, unsigned int fine)
{
	const struct loom_place_problem *problem = &b->task->problem;
	uint32_t *count = &b->outer.problem.num_items, i;
	int64_t last[3] = { 0 }, cell[3];
	struct loom_place_item box = { 0 };

	*count = 0;
	for (i = 0; i < b->sort.count; i++) {
		uint32_t index = (uint32_t)b->sort.entries[i].value;

		find_cell(b, index, fine, cell);
		if (!i || cell[2] >= SINGLE || memcmp(last, cell, sizeof(cell)) ||
		    !stack(b, &box, index)) {
			box = problem->items[index];
			++*count;
			b->inner[index] = 0;
		}
		b->box_of[index] = *count - 1;
		b->events.count = 2 * (size_t)(*count - 1);
		loom_place_add_events(&b->events, box.lower, box.upper, *count - 1);
		memcpy(last, cell, sizeof(cell));
	}
}

/* Makes the boxes out of the items that are in them. */
static int fill_boxes(struct boxes *b)
{
	const struct loom_place_problem *problem = &b->task->problem;
	struct loom_place_item *box;
	uint32_t i;

	b->items = calloc((size_t)b->outer.problem.num_items + 1, sizeof(*b->items));
	for (i = 0; i < problem->num_items && b->items; i++) {
		const struct loom_place_item *item = &problem->items[i];

		if (b->box_of[i] == LOOM_PLACE_NONE)
			continue;
		box = &b->items[b->box_of[i]];
		if (!box->size_bytes)
			*box = *item;
		box->lower = min(box->lower, item->lower);
		box->upper = max(box->upper, item->upper);
		box->size_bytes = max(box->size_bytes, b->inner[i] + item->size_bytes);
		loom_place_join_align(&box->align_bytes, item->align_bytes);
	}
	b->outer.problem.items = b->items;
	return b->items ? 0 : -ENOMEM;
}

/* Makes boxes about as fine as MAX_PAIRS allows, or the coarsest. */
static int make_boxes(struct boxes *b)
{
	const size_t n = b->task->problem.num_items;
	uint64_t fine = FINEST, pairs;

	for (;;) {
		if (loom_radix_reserve(&b->sort, n) || loom_radix_reserve(&b->events, 2 * n))
			return -ENOMEM;
		sort_cells(b, (unsigned int)fine);
		stack_all(b, (unsigned int)fine);
		loom_place_sort_events(&b->events);
		pairs = loom_place_count_overlaps(&b->events, NULL);
		loom_radix_clear(&b->sort);
		loom_radix_clear(&b->events);
		if (fine == COARSEST || pairs <= MAX_PAIRS)
			return fill_boxes(b);
		/* fewer steps have fewer pairs, about in proportion */
		fine = max(fine / 2, fine * MAX_PAIRS / pairs);
		fine = fine > COARSEST ? fine : COARSEST;
	}
}

static int run(struct boxes *b, struct loom_place_answer *answer)
{
	const struct loom_place_problem *problem = &b->task->problem;
	struct loom_place_answer outer = { .bound_bytes = answer->bound_bytes };
	uint32_t i;
	int ret;

	ret = make_boxes(b);
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

int loom_place_boxes(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	size_t n = (size_t)task->problem.num_items + 1;
	struct loom_arrays arrays = { 0 };
	struct boxes b = {
		.task = task,
		.inner = loom_arrays_take(&arrays, n, sizeof(*b.inner)),
		.box_of = loom_arrays_take(&arrays, n, sizeof(*b.box_of)),
		.outer = {
			.capacity_bytes = task->capacity_bytes, .deadline_ns = task->deadline_ns,
			.below_bytes = task->below_bytes,
		},
		.largest = answer->bound_bytes / BOX_PARTS,
	};
	int ret = arrays.failed ? -ENOMEM : run(&b, answer);

	loom_arrays_free(&arrays);
	loom_radix_clear(&b.sort);
	free(b.items);
	return ret;
}
