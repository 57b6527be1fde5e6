// SPDX-License-Identifier: MIT
/*
 * DOC: Dives
 *
 * A placement is built from the bottom up, without backtracking. Time is divided into sections
 * (maximal sets of items that are alive at one moment), and over them lies a skyline: for each
 * section, the end of the item placed there last. A valley is a run of sections of the same height;
 * the lowest is filled first. Items that live within it can lie on its ground side by side. Dynamic
 * programming over the sections finds the best such set: the one that covers the most, where each
 * section is weighted by the height it will reach with all items still to be placed in it.
 * Uncovered sections are lost when the valley is filled up to its lower wall.
 *
 * Rules (below) weigh coverage against large or long items, few items, and items whose tops are
 * level with a wall; a little noise makes each dive different. No rule is best for all problems,
 * and dives are cheap: little more than linear in the number of items.
 *
 * Rejected: one item at a time, into the section with the fewest candidates (higher placements),
 * and learning from one dive to the next which items end too high.
 */
#include "polish.h"
#include "problem.h"
#include "profile.h"

#include "base/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

#define NEVER	UINT64_MAX
#define NONE	UINT32_MAX
/* weight of covering a section, where all have the same */
#define UNIT	256
/* visits between two reads of the clock */
#define VISITS_PER_TIME	(1 << 18)
/* visits counted for evaluating an item */
#define VALUE_VISITS	3
/* upper limit on the merits of items */
#define MERIT	1024

enum {
	MERIT_SIZE,
	MERIT_WIDTH,
	MERIT_AREA,
	NUM_MERITS,
};

/* How items are selected for a valley. */
struct rule {
	unsigned int merit;	/* the merit of an item that counts */
	unsigned int share;	/* its weight, in 1024ths of the sections that the item covers */
	int64_t each;		/* cost per item: few items are better */
	int64_t level;		/* benefit of a top that is level with a wall */
	/* additional weight of the sections that will become highest; 0: none */
	int64_t tight;
	unsigned int noise;	/* amplitude of the noise on an item's value, in 1024ths */
};

static const struct rule rules[] = {
	{ MERIT_SIZE, 64, 8192, 8192, 1024, 32 },
	{ MERIT_SIZE, 256, 4096, 4096, 1024, 64 },
	{ MERIT_SIZE, 128, 4096, 4096, 1024, 64 },
	{ MERIT_SIZE, 0, 4096, 4096, 1024, 256 },
	{ MERIT_SIZE, 256, 4096, 65536, 0, 32 },
	{ MERIT_WIDTH, 256, 4096, 8192, 1024, 32 },
	{ MERIT_SIZE, 0, 4096, 4096, 4096, 256 },
	{ MERIT_AREA, 256, 4096, 4096, 1024, 64 },
	{ MERIT_SIZE, 256, 2048, 8192, 1024, 32 },
	{ MERIT_SIZE, 1024, 4096, 4096, 1024, 1024 },
	{ MERIT_SIZE, 0, 4096, 4096, 65536, 256 },
	{ MERIT_SIZE, 0, 0, 4096, 0, 256 },
};

/* A valley by its first section; valid while the stamp equals that of the section. */
struct valley {
	uint64_t floor;
	uint32_t first;
	uint32_t stamp;
};

/* The state of a dive. */
struct loom_dive {
	struct loom_arrays arrays;
	const struct loom_place_item *items;
	uint32_t num_items;			/* number of @items */
	uint32_t num_sections;			/* number of sections */
	uint64_t max_align;			/* the largest alignment */
	uint64_t low_bytes;			/* sections that end below this are not tight */
	/* sums of bytes are shifted by it before multiplication */
	unsigned int shift;
	uint32_t *first;			/* by item: first section */
	uint32_t *last;				/* by item: behind its last section */
	uint16_t *merits[NUM_MERITS];		/* by merit, by item: rank, scaled */
	uint64_t *totals;			/* by section: bytes of all items */
	struct valley *heap;			/* valleys, lowest first */
	uint32_t num_heap;			/* number of @heap */
	uint32_t num_left;			/* items left */
	uint64_t height;			/* the largest end of an item placed so far */
	uint64_t *offsets;			/* by item: the placement */
	uint64_t *left;				/* by section: bytes of the items left */
	uint64_t *floors;			/* by section: the skyline */
	/* by item: the next one left that begins in the same section */
	uint32_t *next;
	uint32_t *previous;			/* by item: the one before, or NONE */
	uint32_t *head;				/* by section: first item left that begins there */
	uint32_t *ends;				/* by first section of a valley: behind its last */
	uint32_t *begins;			/* by last section of a valley: its first */
	/* by section: how often the valley that begins there has changed */
	uint32_t *stamps;
	/* by section: weights of the valley's sections before it */
	int64_t *sums;
	/* by section: the most that can be covered before it */
	int64_t *values;
	uint32_t *choices;			/* by section: item that ends there, or NONE */
	uint64_t random;			/* state of the noise */
};

unsigned int loom_dive_num_rules(void)
{
	return ARRAY_SIZE(rules);
}

static uint32_t draw(struct loom_dive *d, uint32_t below)
{
	d->random = d->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(((d->random >> 32) * below) >> 32);
}

/* --- valleys ---------------------------------------------------------------------------------- */

static bool is_lower(const struct valley *a, const struct valley *b)
{
	return a->floor != b->floor ? a->floor < b->floor : a->first < b->first;
}

/* Invariant: at most two entries for each item, and two for each rise. */
static void push(struct loom_dive *d, uint32_t first)
{
	struct valley valley = { d->floors[first], first, ++d->stamps[first] };
	uint32_t i = d->num_heap++;

	for (; i && is_lower(&valley, &d->heap[(i - 1) / 2]); i = (i - 1) / 2)
		d->heap[i] = d->heap[(i - 1) / 2];
	d->heap[i] = valley;
}

/* Pops the lowest valid valley; returns false if there is none. */
static bool pop(struct loom_dive *d, struct valley *lowest)
{
	while (d->num_heap) {
		struct valley last = d->heap[--d->num_heap];
		uint32_t i = 0, k;

		*lowest = d->num_heap ? d->heap[0] : last;
		for (; (k = 2 * i + 1) < d->num_heap; i = k) {
			if (k + 1 < d->num_heap && is_lower(&d->heap[k + 1], &d->heap[k]))
				k++;
			if (!is_lower(&d->heap[k], &last))
				break;
			d->heap[i] = d->heap[k];
		}
		if (d->num_heap)
			d->heap[i] = last;
		if (d->stamps[lowest->first] == lowest->stamp)
			return true;
	}
	return false;
}

static void set_floor(struct loom_dive *d, uint32_t first, uint32_t end, uint64_t floor)
{
	uint32_t s;

	for (s = first; s < end; s++)
		d->floors[s] = floor;
	d->ends[first] = end;
	d->begins[end - 1] = first;
}

/* Joins a run of sections with neighbours of the same height; returns its end. */
static uint32_t join(struct loom_dive *d, uint32_t first)
{
	uint64_t floor = d->floors[first];
	uint32_t end = d->ends[first];

	if (floor == NEVER) {
		d->stamps[first]++;
		return end;
	}
	if (first && d->floors[first - 1] == floor)
		first = d->begins[first - 1];
	if (end < d->num_sections && d->floors[end] == floor) {
		d->stamps[end]++;
		end = d->ends[end];
	}
	d->ends[first] = end;
	d->begins[end - 1] = first;
	push(d, first);
	return end;
}

/*
 * --- selection of items for a valley -----------------------------------------------------------
 */

/* Weight of covering a section: larger, the higher it will become. */
static int64_t weight_of(const struct loom_dive *d, const struct rule *rule, uint32_t section)
{
	uint64_t will = d->floors[section] + d->left[section], span = d->low_bytes / 8;

	if (!rule->tight)
		return UNIT;
	if (will <= d->low_bytes)
		return UNIT / 16;
	will -= d->low_bytes;
	will = will > span * 8 ? span * 8 : will;
	return UNIT / 16 + (int64_t)((will >> d->shift) * rule->tight / ((span >> d->shift) + 1));
}

/* A valley and its walls. */
struct walls {
	uint32_t first;		/* first section */
	uint32_t end;		/* behind the last */
	uint64_t floor;		/* its height */
	uint64_t before;	/* height of the wall before it, or NEVER */
	uint64_t behind;	/* height of the wall behind it, or NEVER */
};

/* Whether the largest alignment rounds both heights to the same offset. */
static bool is_level(const struct loom_dive *d, uint64_t top, uint64_t wall)
{
	return top == wall || (d->max_align > 1 && wall != NEVER &&
			       loom_place_align_up(top, d->max_align) ==
			       loom_place_align_up(wall, d->max_align));
}

static int64_t value_of(struct loom_dive *d, const struct rule *rule, const struct walls *walls,
			uint32_t item)
{
	int64_t value = 16 * (d->sums[d->last[item]] - d->sums[d->first[item]]), part;
	uint64_t at = loom_place_align_up(walls->floor, d->items[item].align_bytes);

	value -= rule->each;
	/* bytes lost below it, as a share */
	if (at > walls->floor)
		value -= (int64_t)((double)value * (double)(at - walls->floor) /
				   (double)(at - walls->floor + d->items[item].size_bytes));
	part = value / MERIT;
	value += part * d->merits[rule->merit][item] / MERIT * rule->share;
	if (rule->noise)
		value += part * draw(d, rule->noise);
	at += d->items[item].size_bytes;
	if (d->first[item] == walls->first && is_level(d, at, walls->before))
		value += rule->level;
	if (d->last[item] == walls->end && is_level(d, at, walls->behind))
		value += rule->level;
	return value < 1 ? 1 : value;
}

/* Selects the best set of items side by side, into choices. Returns false if there is none. */
static bool choose(struct loom_dive *d, const struct rule *rule, const struct walls *walls,
		   uint64_t *visits)
{
	bool any = false;
	int64_t value;
	uint32_t s, i;

	d->sums[walls->first] = 0;
	d->values[walls->first] = 0;
	d->choices[walls->first] = NONE;
	for (s = walls->first; s < walls->end; s++) {
		d->sums[s + 1] = d->sums[s] + weight_of(d, rule, s);
		d->values[s + 1] = -1;
	}
	for (s = walls->first; s < walls->end; s++) {
		if (d->values[s] >= d->values[s + 1]) {
			d->values[s + 1] = d->values[s];
			d->choices[s + 1] = NONE;
		}
		for (i = d->head[s]; i != NONE; i = d->next[i]) {
			++*visits;
			if (d->last[i] > walls->end)
				continue;
			*visits += VALUE_VISITS;
			any = true;
			value = d->values[s] + value_of(d, rule, walls, i);
			if (value > d->values[d->last[i]]) {
				d->values[d->last[i]] = value;
				d->choices[d->last[i]] = i;
			}
		}
	}
	*visits += walls->end - walls->first;
	return any;
}

/* Places an item on the ground of the valley; returns its end. */
static uint64_t lay(struct loom_dive *d, const struct walls *walls, uint32_t item)
{
	uint64_t at = loom_place_align_up(walls->floor, d->items[item].align_bytes), end;
	uint64_t size = d->items[item].size_bytes;
	uint32_t s;

	end = at + size;
	d->offsets[item] = at;
	if (d->previous[item] != NONE)
		d->next[d->previous[item]] = d->next[item];
	else
		d->head[d->first[item]] = d->next[item];
	if (d->next[item] != NONE)
		d->previous[d->next[item]] = d->previous[item];
	for (s = d->first[item]; s < d->last[item]; s++)
		d->left[s] -= size;
	set_floor(d, d->first[item], d->last[item], end);
	return end;
}

/* Places all selected items, from the last to the first. */
static void lay_chosen(struct loom_dive *d, const struct walls *walls)
{
	uint32_t s = walls->end, covered = s, item;
	uint64_t end;

	for (;;) {
		item = d->choices[s];
		if ((item != NONE || s == walls->first) && s < covered) {
			set_floor(d, s, covered, walls->floor);
			push(d, s);
		}
		if (s == walls->first)
			break;
		if (item == NONE) {
			s--;
			continue;
		}
		end = lay(d, walls, item);
		d->height = end > d->height ? end : d->height;
		s = d->first[item];
		covered = s;
		d->num_left--;
	}
	/* a separate pass, because a run that is joined may begin before the valley */
	for (s = walls->first; s < walls->end;)
		s = d->floors[s] == walls->floor ? d->ends[s] : join(d, s);
}

/* Whether sections can still end below the limit, with all of their items left on top. */
static bool can_end_below(const struct loom_dive *d, uint32_t first, uint32_t end, uint64_t limit)
{
	uint32_t s;

	for (s = first; s < end; s++)
		if (d->left[s] && d->floors[s] + d->left[s] >= limit)
			return false;
	return true;
}

static void reset(struct loom_dive *d, uint64_t seed)
{
	uint32_t i;

	d->random = seed;
	memcpy(d->left, d->totals, d->num_sections * sizeof(*d->left));
	memset(d->stamps, 0, d->num_sections * sizeof(*d->stamps));
	memset(d->head, 0xff, d->num_sections * sizeof(*d->head));
	for (i = d->num_items; i-- > 0;) {
		d->previous[i] = NONE;
		d->next[i] = d->head[d->first[i]];
		if (d->next[i] != NONE)
			d->previous[d->next[i]] = i;
		d->head[d->first[i]] = i;
	}
	d->num_heap = 0;
	d->num_left = d->num_items;
	d->height = 0;
	set_floor(d, 0, d->num_sections, 0);
	push(d, 0);
}

/* Whether a limit on visits or time is exceeded; reads the clock now and then. */
static bool is_late(struct loom_dive_try *try, uint64_t *next)
{
	if (try->max_visits && try->visits > try->max_visits)
		return true;
	if (try->visits < *next)
		return false;
	*next = try->visits + VISITS_PER_TIME;
	return loom_watch_spend(VISITS_PER_TIME / 16) || !loom_place_left_ns(try->deadline_ns);
}

/* Places all items; returns false if they cannot end below the limit, or a limit is exceeded. */
static bool rise(struct loom_dive *d, const struct rule *rule, struct loom_dive_try *try)
{
	uint64_t limit = try->limit_bytes, next = try->visits + VISITS_PER_TIME;
	struct valley lowest;

	while (d->num_left && pop(d, &lowest)) {
		uint32_t first = lowest.first, end = d->ends[first];
		struct walls walls = {
			first, end, lowest.floor,
			first ? d->floors[first - 1] : NEVER,
			end < d->num_sections ? d->floors[end] : NEVER,
		};
		uint64_t wall = walls.before < walls.behind ? walls.before : walls.behind;

		try->late = is_late(try, &next);
		if (try->late)
			return false;
		if (choose(d, rule, &walls, &try->visits)) {
			lay_chosen(d, &walls);
			if (d->height >= limit)
				return false;
			continue;
		}
		set_floor(d, first, end, wall);
		if (wall != NEVER && !can_end_below(d, first, end, limit))
			return false;
		join(d, first);
	}
	return !d->num_left;
}

void loom_dive_run(struct loom_dive *d, struct loom_dive_try *try)
{
	const struct rule *rule = &rules[try->rule % ARRAY_SIZE(rules)];
	bool good;

	reset(d, try->seed);
	try->visits = d->num_items;
	try->late = false;
	good = rise(d, rule, try);
	try->left = d->num_left;
	try->height_bytes = good ? d->height : LOOM_PLACE_ANYWHERE;
}

const uint64_t *loom_dive_offsets(const struct loom_dive *d)
{
	return d->offsets;
}

/* --- sections and merits ---------------------------------------------------------------------- */

static int find_sections(struct loom_dive *d)
{
	struct loom_place_event *events = malloc(2 * (size_t)d->num_items * sizeof(*events));
	size_t k;
	bool begun = false;
	uint32_t i, s = 0;

	if (!events)
		return -ENOMEM;
	for (i = 0; i < d->num_items; i++) {
		const struct loom_place_item *item = &d->items[i];

		events[2 * (size_t)i] = (struct loom_place_event){ item->lower, true, i };
		events[2 * (size_t)i + 1] = (struct loom_place_event){ item->upper, false, i };
	}
	loom_place_sort_events(events, 2 * (size_t)d->num_items);
	for (k = 0; k < 2 * (size_t)d->num_items; k++) {
		i = (uint32_t)events[k].of;
		if (events[k].begins) {
			d->first[i] = s;
		} else {
			s += begun;
			d->last[i] = s;
		}
		begun = events[k].begins;
	}
	d->num_sections = s;
	free(events);
	return 0;
}

/* An item and its key of a ranking. */
struct merit {
	uint64_t first;
	uint64_t second;
	uint32_t item;
};

static int compare_merits(const void *a, const void *b)
{
	const struct merit *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

static int fill_merits(struct loom_dive *d)
{
	struct merit *keys = malloc(d->num_items * sizeof(*keys));
	unsigned int m;
	uint32_t i;

	if (!keys)
		return -ENOMEM;
	for (m = 0; m < NUM_MERITS; m++) {
		for (i = 0; i < d->num_items; i++) {
			uint64_t size = d->items[i].size_bytes, width = d->last[i] - d->first[i];
			uint64_t area;

			if (__builtin_mul_overflow(size, width, &area))
				area = UINT64_MAX;
			keys[i] = (struct merit){
				m == MERIT_SIZE ? size : m == MERIT_WIDTH ? width : area,
				m == MERIT_SIZE ? width : size, i,
			};
		}
		qsort(keys, d->num_items, sizeof(*keys), compare_merits);
		for (i = 0; i < d->num_items; i++)
			d->merits[m][keys[i].item] =
				(uint16_t)((uint64_t)i * MERIT / d->num_items);
	}
	free(keys);
	return 0;
}

static int make_sections(struct loom_dive *d)
{
	size_t s = d->num_sections, i;

	d->head = loom_arrays_take(&d->arrays, s, sizeof(*d->head));
	d->totals = loom_arrays_take(&d->arrays, s + 1, sizeof(*d->totals));
	d->left = loom_arrays_take(&d->arrays, s, sizeof(*d->left));
	d->floors = loom_arrays_take(&d->arrays, s, sizeof(*d->floors));
	d->ends = loom_arrays_take(&d->arrays, s, sizeof(*d->ends));
	d->begins = loom_arrays_take(&d->arrays, s, sizeof(*d->begins));
	d->stamps = loom_arrays_take(&d->arrays, s, sizeof(*d->stamps));
	d->sums = loom_arrays_take(&d->arrays, s + 1, sizeof(*d->sums));
	d->values = loom_arrays_take(&d->arrays, s + 1, sizeof(*d->values));
	d->choices = loom_arrays_take(&d->arrays, s + 1, sizeof(*d->choices));
	/* an item adds up to two valleys and a rest, and each rise removes one */
	d->heap = loom_arrays_take(&d->arrays, 8 * (size_t)d->num_items + 16,
				   sizeof(*d->heap));
	if (d->arrays.failed)
		return -ENOMEM;
	for (i = 0; i < d->num_items; i++) {
		d->totals[d->first[i]] += d->items[i].size_bytes;
		d->totals[d->last[i]] -= d->items[i].size_bytes;
	}
	for (i = 1; i < s; i++)
		d->totals[i] += d->totals[i - 1];
	return 0;
}

int loom_dive_create(const struct loom_place_item *items, uint32_t num_items, uint64_t bound_bytes,
		     struct loom_dive **dive)
{
	struct loom_dive *d = calloc(1, sizeof(*d));
	size_t n = num_items, i;
	unsigned int m;
	int ret;

	if (!d)
		return -ENOMEM;
	d->items = items;
	d->num_items = num_items;
	d->low_bytes = bound_bytes - bound_bytes / 20;
	for (i = 0; i < num_items; i++)
		d->max_align = max(d->max_align, items[i].align_bytes);
	while (d->low_bytes >> d->shift >= 1ULL << 40)
		d->shift++;
	d->first = loom_arrays_take(&d->arrays, n, sizeof(*d->first));
	d->last = loom_arrays_take(&d->arrays, n, sizeof(*d->last));
	d->offsets = loom_arrays_take(&d->arrays, n, sizeof(*d->offsets));
	d->next = loom_arrays_take(&d->arrays, n, sizeof(*d->next));
	d->previous = loom_arrays_take(&d->arrays, n, sizeof(*d->previous));
	for (m = 0; m < NUM_MERITS; m++)
		d->merits[m] = loom_arrays_take(&d->arrays, n, sizeof(*d->merits[m]));
	ret = d->arrays.failed ? -ENOMEM : find_sections(d);
	if (!ret)
		ret = make_sections(d);
	if (!ret)
		ret = fill_merits(d);
	if (ret) {
		loom_dive_destroy(d);
		return ret;
	}
	*dive = d;
	return 0;
}

void loom_dive_destroy(struct loom_dive *d)
{
	if (!d)
		return;
	loom_arrays_free(&d->arrays);
	free(d);
}
