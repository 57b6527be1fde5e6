// SPDX-License-Identifier: MIT
/* The table of strategies, and what is the same for all: aliases, bound, proof. See place.h. */
#include "place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "loom_planner.h"

/* The first is the default. It has no function of its own: it runs the others. */
static const struct loom_placer placers[] = {
	{
		.name = "best",
		.text = "runs all of the following and takes the lowest",
	},
	{
		.name = "greedy-size",
		.text = "largest first, each into the lowest gap that fits",
		.place = loom_place_greedy_size,
	},
	{
		.name = "greedy-area",
		.text = "largest size times lifetime first, each into the lowest gap that fits",
		.place = loom_place_greedy_area,
	},
	{
		.name = "greedy-breadth",
		.text = "what lives when most is alive first, each into the lowest gap that fits",
		.place = loom_place_greedy_breadth,
	},
	{
		.name = "climb",
		.text = "the best greedy order, changed bit by bit as long as that helps",
		.place = loom_place_climb,
	},
	{
		.name = "gmem",
		.text = "operator by operator, each takes a whole block whose tensor is dead",
		.needs_ops = true,
		.place = loom_place_gmem,
	},
	{
		.name = "naive",
		.text = "one after the other, nothing is reused",
		.place = loom_place_naive,
	},
};

#define NUM_PLACERS ARRAY_SIZE(placers)

const struct loom_placer *loom_placer_find(const char *name)
{
	size_t i;

	if (!name)
		return &placers[0];
	for (i = 0; i < NUM_PLACERS; i++)
		if (!strcmp(placers[i].name, name))
			return &placers[i];
	return NULL;
}

const char *loom_placer_name(unsigned int index)
{
	return index < NUM_PLACERS ? placers[index].name : NULL;
}

const char *loom_placer_text(unsigned int index)
{
	return index < NUM_PLACERS ? placers[index].text : NULL;
}

/*
 * The same problem with each owner living as long as its aliases. Refuses what is no problem.
 * Aliases of aliases end up at the first owner.
 */
static int resolve(const struct loom_place_problem *problem, struct loom_place_item *items)
{
	uint32_t i;

	for (i = 0; i < problem->num_items; i++) {
		struct loom_place_item *item = &items[i], *owner;

		*item = problem->items[i];
		if (!item->align_bytes)
			item->align_bytes = 1;
		if (item->lower >= item->upper || item->size_bytes > INT64_MAX ||
		    item->align_bytes > INT64_MAX)
			return -EINVAL;
		if (item->fixed != LOOM_PLACE_ANYWHERE &&
		    (item->fixed > INT64_MAX - item->size_bytes ||
		     item->fixed % item->align_bytes))
			return -EINVAL;
		if (item->alias == LOOM_PLACE_NONE)
			continue;
		if (item->alias >= i || item->fixed != LOOM_PLACE_ANYWHERE)
			return -EINVAL;
		if (items[item->alias].alias != LOOM_PLACE_NONE)
			item->alias = items[item->alias].alias;
		owner = &items[item->alias];
		if (item->size_bytes > owner->size_bytes || owner->align_bytes % item->align_bytes)
			return -EINVAL;
		if (owner->upper < item->upper)
			owner->upper = item->upper;
		if (owner->lower > item->lower)
			owner->lower = item->lower;
	}
	return 0;
}

static int place_one(const struct loom_placer *placer, const struct loom_place_problem *problem,
		     uint64_t *offsets, uint64_t *height_bytes)
{
	int ret = placer->place(problem, offsets);
	uint64_t height = 0;
	uint32_t i;

	if (ret)
		return ret;
	for (i = 0; i < problem->num_items; i++) {
		const struct loom_place_item *item = &problem->items[i];

		if (item->alias != LOOM_PLACE_NONE)
			offsets[i] = offsets[item->alias];
		else if (item->fixed != LOOM_PLACE_ANYWHERE)
			offsets[i] = item->fixed;
		if (offsets[i] > INT64_MAX - item->size_bytes)
			return -ERANGE;
		if (height < offsets[i] + item->size_bytes)
			height = offsets[i] + item->size_bytes;
	}
	*height_bytes = height;
	return 0;
}

/* Runs what the problem allows; the earlier in the table wins a tie. */
static int place_best(const struct loom_place_problem *problem, uint64_t *offsets,
		      uint64_t *height_bytes, const struct loom_placer **winner)
{
	uint64_t *trial = calloc(problem->num_items + 1, sizeof(*trial));
	uint64_t height;
	bool fixed = false;
	int ret = 0;
	size_t i;

	if (!trial)
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++)
		fixed |= problem->items[i].fixed != LOOM_PLACE_ANYWHERE;
	*winner = NULL;
	for (i = 1; i < NUM_PLACERS && !ret; i++) {
		if (placers[i].needs_ops && (!problem->ops || fixed))
			continue;
		ret = place_one(&placers[i], problem, trial, &height);
		if (ret || (*winner && height >= *height_bytes))
			continue;
		*winner = &placers[i];
		*height_bytes = height;
		memcpy(offsets, trial, problem->num_items * sizeof(*trial));
	}
	free(trial);
	return ret;
}

int loom_place_run(const struct loom_placer *placer, const struct loom_place_problem *problem,
		   uint64_t *offsets, uint64_t *height_bytes, const struct loom_placer **winner)
{
	struct loom_place_problem resolved = *problem;
	const struct loom_placer *best = placer;
	struct loom_place_item *items;
	int ret;

	items = calloc((size_t)problem->num_items + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	resolved.items = items;
	ret = resolve(problem, items);
	if (!ret && placer->needs_ops && !problem->ops)
		ret = -EINVAL;
	if (!ret)
		ret = placer->place ? place_one(placer, &resolved, offsets, height_bytes) :
				      place_best(&resolved, offsets, height_bytes, &best);
	if (!ret && winner)
		*winner = best;
	free(items);
	return ret;
}

/* A moment at which an item appears or goes. */
struct event {
	int64_t time;
	bool begins;
	uint32_t item;
};

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* ends before begins: lifetimes are half-open */
	if (x->begins != y->begins)
		return x->begins - y->begins;
	return x->item < y->item ? -1 : x->item > y->item;
}

/* Events of all owners that take room, in order. */
static struct event *make_events(const struct loom_place_item *items, uint32_t num_items,
				 size_t *num_events)
{
	struct event *events = calloc((size_t)num_items * 2 + 1, sizeof(*events));
	size_t n = 0;
	uint32_t i;

	if (!events)
		return NULL;
	for (i = 0; i < num_items; i++) {
		if (items[i].alias != LOOM_PLACE_NONE || !items[i].size_bytes)
			continue;
		events[n++] = (struct event){ items[i].lower, true, i };
		events[n++] = (struct event){ items[i].upper, false, i };
	}
	qsort(events, n, sizeof(*events), compare_events);
	*num_events = n;
	return events;
}

int loom_place_bound(const struct loom_place_problem *problem, uint64_t *bound_bytes)
{
	struct loom_place_item *items = calloc((size_t)problem->num_items + 1, sizeof(*items));
	struct event *events = NULL;
	uint64_t live = 0, bound = 0;
	size_t n, i;
	int ret;

	if (!items)
		return -ENOMEM;
	ret = resolve(problem, items);
	if (!ret) {
		events = make_events(items, problem->num_items, &n);
		ret = events ? 0 : -ENOMEM;
	}
	for (i = 0; !ret && i < n; i++) {
		if (!events[i].begins)
			live -= items[events[i].item].size_bytes;
		else if (__builtin_add_overflow(live, items[events[i].item].size_bytes, &live))
			ret = -ERANGE;
		if (bound < live)
			bound = live;
	}
	*bound_bytes = bound;
	free(events);
	free(items);
	return ret;
}

/*
 * What is alive, as an array sorted by offset. Insertion moves memory, but only a neighbour on
 * either side has to be looked at, as what is in there does not overlap.
 */
struct alive {
	const uint64_t *offsets;
	uint32_t *items;
	size_t count;
};

static size_t alive_find(const struct alive *alive, uint64_t offset)
{
	size_t low = 0, high = alive->count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (alive->offsets[alive->items[mid]] < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int loom_place_check(const struct loom_place_problem *problem, const uint64_t *offsets,
		     uint32_t *first, uint32_t *second)
{
	struct loom_place_item *items = calloc((size_t)problem->num_items + 1, sizeof(*items));
	struct alive alive = { .offsets = offsets };
	struct event *events = NULL;
	size_t n = 0, i, at;
	int ret;

	alive.items = calloc((size_t)problem->num_items + 1, sizeof(*alive.items));
	ret = items && alive.items ? resolve(problem, items) : -ENOMEM;
	*second = LOOM_PLACE_NONE;
	for (i = 0; !ret && i < problem->num_items; i++) {
		*first = i;
		if (offsets[i] % items[i].align_bytes ||
		    offsets[i] > INT64_MAX - items[i].size_bytes ||
		    (items[i].fixed != LOOM_PLACE_ANYWHERE && offsets[i] != items[i].fixed) ||
		    (items[i].alias != LOOM_PLACE_NONE && offsets[i] != offsets[items[i].alias]))
			ret = -EBADMSG;
	}
	if (!ret) {
		events = make_events(items, problem->num_items, &n);
		ret = events ? 0 : -ENOMEM;
	}
	for (i = 0; !ret && i < n; i++) {
		uint32_t item = events[i].item;

		at = alive_find(&alive, offsets[item]);
		if (!events[i].begins) {
			memmove(&alive.items[at], &alive.items[at + 1],
				(--alive.count - at) * sizeof(*alive.items));
			continue;
		}
		*first = item;
		if (at < alive.count && offsets[alive.items[at]] <
					offsets[item] + items[item].size_bytes) {
			*second = alive.items[at];
			ret = -EBADMSG;
		}
		if (at && offsets[alive.items[at - 1]] + items[alive.items[at - 1]].size_bytes >
			  offsets[item]) {
			*second = alive.items[at - 1];
			ret = -EBADMSG;
		}
		memmove(&alive.items[at + 1], &alive.items[at],
			(alive.count++ - at) * sizeof(*alive.items));
		alive.items[at] = item;
	}
	free(events);
	free(alive.items);
	free(items);
	return ret;
}
