// SPDX-License-Identifier: MIT
/*
 * DOC: Free offsets
 *
 * Where thousands of items are alive at once, hardly a byte is free below the first gap that fits.
 * So the gaps of stretches of time are stored, not the items: those that no item touches that is
 * alive in one stretch, in two, in four, and so on (unions), and those between items that are alive
 * throughout a stretch (covers). Gaps smaller than every item are forgotten.
 *
 * Time is counted in events, the begins and ends of items. In the way of an item are the unions of
 * the stretches between those of its two events, or their covers if there is none between, and
 * items with an event in these two. An offset that is free in all lists is found by leaping from
 * list to list; most items with events end below it.
 *
 * Rejected: stretches so short that no items are listed (memory); not sorting them (many leaps).
 */
#include "greedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

/* Events of a stretch, at least; stretches are items, divided by pairs of each, times that. */
#define STRETCH		512
#define FINENESS	15

/* Free offsets in a stretch, ascending. The last gap has no end. */
struct list {
	struct loom_place_range *gaps;		/* the gaps */
	uint32_t count;			/* number of @gaps */
	uint32_t max;			/* number that there is room for */
	uint32_t at;			/* of a search: none below is large enough */
};

struct loom_free {
	struct loom_arrays arrays;	/* all arrays but those of gaps */
	const struct loom_place_problem *problem;	/* the problem */
	uint64_t least;			/* size of the smallest item */
	uint32_t *begins;		/* by item: its first event */
	uint32_t *ends;			/* by item: its last event */
	uint32_t *events;		/* by event: its item */
	uint32_t num_events;		/* number of @events */
	struct loom_radix_entry *bytes;	/* by item: first byte and first behind, or 0 and 0 */
	unsigned int shift;		/* of an event, to get its stretch */
	uint32_t count;			/* stretches, a power of two */
	struct list *unions;		/* a tree of them: those of stretches from @count on */
	struct list *covers;		/* by stretch */
	bool failed;			/* a list had no memory */
	struct list *search[2 * 32];	/* obstacles of the current item */
	uint32_t num_search;		/* number of @search */
	uint64_t size;			/* of the current item */
};

/* Removes [@begin, @end), and what is smaller than @least then. */
static int take(struct list *list, uint64_t least, uint64_t begin, uint64_t end)
{
	uint32_t low = 0, high = list->count - 1, keep = 0;
	struct loom_place_range *gaps = list->gaps, rest[2];

	/* the first gap that ends above @begin */
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (gaps[mid].upper <= begin)
			low = mid + 1;
		else
			high = mid;
	}
	while (high < list->count && gaps[high].lower < end)
		high++;
	if (low == high)
		return 0;
	if (gaps[low].lower + least <= begin)
		rest[keep++] = (struct loom_place_range){ gaps[low].lower, begin };
	if (end + least <= gaps[high - 1].upper)
		rest[keep++] = (struct loom_place_range){ end, gaps[high - 1].upper };
	if (list->count == list->max) {
		gaps = realloc(gaps, (list->max + list->max / 8) * sizeof(*gaps));
		if (!gaps)
			return -ENOMEM;
		list->gaps = gaps;
		list->max += list->max / 8;
	}
	if (low + keep != high)
		memmove(&gaps[low + keep], &gaps[high], (list->count - high) * sizeof(*gaps));
	memcpy(&gaps[low], rest, keep * sizeof(*gaps));
	list->count -= high - low - keep;
	return 0;
}

void loom_free_put(struct loom_free *f, uint32_t item, uint64_t offset)
{
	const uint64_t end = offset + f->problem->items[item].size_bytes;
	uint32_t first = f->begins[item] >> f->shift, last = f->ends[item] >> f->shift, k;

	f->bytes[item] = (struct loom_radix_entry){ (int64_t)offset, (int64_t)end };
	for (k = first + 1; k < last; k++)
		f->failed |= !!take(&f->covers[k], f->least, offset, end);
	for (first += f->count, last += f->count; first; first /= 2, last /= 2)
		for (k = first; k <= last; k++)
			f->failed |= !!take(&f->unions[k], f->least, offset, end);
}

bool loom_free_leap(struct loom_free *f, uint64_t *first, uint64_t *last)
{
	const uint64_t before = *first, size = f->size;
	uint32_t i = f->num_search, same = 0, at;
	const struct loom_place_range *gaps;

	/* the lists of the longest stretches are last, and have the fewest gaps */
	for (; same < f->num_search; same++) {
		i = i ? i - 1 : f->num_search - 1;
		gaps = f->search[i]->gaps;
		at = f->search[i]->at;
		while (at + 16 < f->search[i]->count && gaps[at + 16].upper < *first + size)
			at += 16;
		while (gaps[at].upper < *first + size || gaps[at].upper - gaps[at].lower < size)
			at++;
		f->search[i]->at = at;
		if (*first < gaps[at].lower) {
			*first = gaps[at].lower;
			same = 0;
		}
	}
	for (i = 0; i < f->num_search; i++)
		*last = min(*last, f->search[i]->gaps[f->search[i]->at].upper - size);
	return *first != before;
}

static void add_list(struct loom_free *f, struct list *list)
{
	list->at = 0;
	f->search[f->num_search++] = list;
}

int loom_free_find(struct loom_free *f, uint32_t item, struct loom_radix *spans)
{
	const uint32_t begin = f->begins[item], end = f->ends[item];
	const uint32_t first = begin >> f->shift, last = end >> f->shift;
	const bool near = last - first < 2;
	uint64_t above = 0, ignored = 0;
	struct loom_radix_entry *span;
	uint32_t k, to, i;

	if (f->failed || loom_radix_reserve(spans, 2ULL << f->shift))
		return -ENOMEM;
	f->size = f->problem->items[item].size_bytes;
	f->num_search = 0;
	for (k = first; near && k <= last; k++)
		add_list(f, &f->covers[k]);
	for (k = first + 1 + f->count, to = last + f->count; k < to; k /= 2, to /= 2) {
		if (k & 1)
			add_list(f, &f->unions[k++]);
		if (to & 1)
			add_list(f, &f->unions[--to]);
	}
	loom_free_leap(f, &above, &ignored);
	span = spans->entries;
	for (k = first; k <= last; k += max(last - first, 1u)) {
		to = min((k + 1) << f->shift, near ? f->num_events : end);
		for (i = max(k << f->shift, near ? 0 : begin + 1); i < to; i++) {
			const uint32_t other = f->events[i];

			/* branch-free: the span is kept by advancing */
			span->key = f->bytes[other].key - (int64_t)f->size;
			span->value = f->bytes[other].value;
			span += (span->value > (int64_t)above) &
				(!near || (f->begins[other] < end && begin < f->ends[other]));
		}
	}
	spans->count = span - spans->entries;
	return 0;
}

void loom_free_reset(struct loom_free *f)
{
	struct list *list;

	memset(f->bytes, 0, f->problem->num_items * sizeof(*f->bytes));
	for (list = f->unions; list < f->unions + 3 * (size_t)f->count; list++) {
		list->max = max(list->max, 8u);
		list->count = 1;
		if (!list->gaps)
			list->gaps = calloc(list->max, sizeof(*list->gaps));
		if (list->gaps)
			list->gaps[0] = (struct loom_place_range){ 0, UINT64_MAX };
		f->failed |= !list->gaps;
	}
}

struct loom_free *loom_free_create(const struct loom_place_problem *problem)
{
	const size_t n = problem->num_items;
	struct loom_free *f = NULL;
	struct loom_radix events;
	uint64_t pairs, most;
	uint32_t item, i;

	if (!loom_free_pays(n, UINT64_MAX) || loom_place_item_events(problem, &events))
		return NULL;
	pairs = loom_place_count_overlaps(&events, NULL);
	if (loom_free_pays(n, pairs))
		f = calloc(1, sizeof(*f));
	if (!f)
		goto out;
	f->problem = problem;
	f->least = UINT64_MAX;
	f->num_events = (uint32_t)events.count;
	most = min(f->num_events / STRETCH, n * FINENESS / (pairs / n));
	for (f->count = 1; 2 * f->count <= most; f->count *= 2)
		;
	while ((f->num_events - 1) >> f->shift >= f->count)
		f->shift++;
	f->begins = loom_arrays_take(&f->arrays, n, sizeof(*f->begins));
	f->ends = loom_arrays_take(&f->arrays, n, sizeof(*f->ends));
	f->bytes = loom_arrays_take(&f->arrays, n, sizeof(*f->bytes));
	f->events = loom_arrays_take(&f->arrays, f->num_events, sizeof(*f->events));
	f->unions = loom_arrays_take(&f->arrays, 3 * (size_t)f->count, sizeof(*f->unions));
	f->covers = f->unions + 2 * (size_t)f->count;
	if (f->arrays.failed) {
		loom_free_destroy(f);
		f = NULL;
	}
	for (i = 0; f && i < f->num_events; i++) {
		item = (uint32_t)loom_place_event_of(&events.entries[i]);
		(loom_place_event_begins(&events.entries[i]) ? f->begins : f->ends)[item] = i;
		f->events[i] = item;
		f->least = min(f->least, problem->items[item].size_bytes);
	}
out:
	loom_radix_clear(&events);
	return f;
}

void loom_free_destroy(struct loom_free *f)
{
	uint32_t k;

	if (!f)
		return;
	for (k = 0; f->unions && k < 3 * f->count; k++)
		free(f->unions[k].gaps);
	loom_arrays_free(&f->arrays);
	free(f);
}
