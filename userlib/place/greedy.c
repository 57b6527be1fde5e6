// SPDX-License-Identifier: MIT
/*
 * DOC: Greedy placing
 *
 * Items are processed in some order, and each is placed in the lowest gap between the items placed
 * before that are alive at the same time. The classic order is largest first: items that are hard
 * to fit are placed while there is room, and the small ones fill the gaps.
 *
 * Items placed so far are found by lifetime: parts (items without their gaps) are sorted by begin.
 * Each group of 16 stores the latest end of its placed parts, as does each group of 16 groups, and
 * so on. Parts that begin before an item ends are a prefix; in it, groups that end before the item
 * begins are skipped. Finding the k parts that overlap an item in time costs little more than O(k +
 * log n), sorting them by offset with a radix sort O(k).
 *
 * Every obstacle of an item is a span of offsets at which it must not begin: an item that is placed
 * and alive at the same time or must be kept apart, or an excluded range. So finding a gap is one
 * pass over sorted spans. Rejected: a sorted list of all placed items, hardly any of which are
 * alive at the same time.
 */
#include "greedy.h"

#include "base/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"

#define GROUP	16

static uint32_t num_parts_of(const struct loom_greedy *g)
{
	return g->first_part[g->task->problem.num_items];
}

/* Changes a slot, and the groups that it is in. */
static void set_slot(struct loom_greedy *g, uint32_t at, struct loom_greedy_slot slot)
{
	uint32_t count = num_parts_of(g), k;
	unsigned int i;

	g->slots[at] = slot;
	for (i = 0; i < g->num_levels; i++) {
		int64_t latest = INT64_MIN;

		for (k = at / GROUP * GROUP; k < count && k / GROUP == at / GROUP; k++)
			latest = max(latest, i ? g->latest[i - 1][k] : g->slots[k].upper);
		at /= GROUP;
		if (g->latest[i][at] == latest)
			break;
		g->latest[i][at] = latest;
		count = (count + GROUP - 1) / GROUP;
	}
}

static int add_span(struct loom_greedy *g, int64_t after, int64_t until)
{
	int ret = loom_radix_reserve(&g->sort, 1);

	if (!ret)
		g->sort.entries[g->sort.count++] = (struct loom_radix_entry){ after, until };
	return ret;
}

/* Collects the spans of positions [@from, @to) of slots. */
static int visit_slots(struct loom_greedy *g, uint32_t from, uint32_t to,
		       const struct loom_place_part *part)
{
	int64_t below = part->first + part->size_bytes, above = part->first;
	struct loom_radix_entry *span;
	int ret = loom_radix_reserve(&g->sort, to - from);

	if (ret)
		return ret;
	span = &g->sort.entries[g->sort.count];
	for (; from < to; from++) {
		const struct loom_greedy_slot *slot = &g->slots[from];

		/* branch-free, as a branch would be unpredictable: the span is kept by advancing */
		span->key = slot->begin - below;
		span->value = slot->end - above;
		span += slot->upper > part->lower;
	}
	g->sort.count = span - g->sort.entries;
	return 0;
}

/* Adds spans of [from, to) of @level: slots at 0, groups of the level below above that. */
static int visit_levels(struct loom_greedy *g, const uint32_t *count, unsigned int level,
			uint32_t from, uint32_t to, const struct loom_place_part *part)
{
	int ret = 0;

	if (!level)
		return visit_slots(g, from, to, part);
	for (; from < to && !ret; from++) {
		uint32_t first = from * GROUP, last = first + GROUP;

		if (g->latest[level - 1][from] <= part->lower)
			continue;
		if (last > count[level - 1])
			last = count[level - 1];
		ret = visit_levels(g, count, level - 1, first, last, part);
	}
	return ret;
}

/* Number of parts that begin before @moment, when that at @low does; mostly there are few more. */
static uint32_t count_before(const struct loom_greedy *g, uint32_t low, int64_t moment)
{
	uint32_t high = ++low, step = 1, mid;

	for (; high < num_parts_of(g) && g->lowers[high] < moment; step *= 2) {
		low = high + 1;
		high = min(num_parts_of(g), low + step);
	}
	while (low < high) {
		mid = low + (high - low) / 2;
		if (g->lowers[mid] < moment)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* @rank: position of @part */
static int visit_part(struct loom_greedy *g, uint32_t rank, const struct loom_place_part *part)
{
	uint32_t count[LOOM_GREEDY_LEVELS + 1];
	unsigned int i;

	count[0] = count_before(g, rank, part->upper);
	for (i = 0; i < g->num_levels; i++)
		count[i + 1] = (count[i] + GROUP - 1) / GROUP;
	return visit_levels(g, count, g->num_levels, 0, count[g->num_levels], part);
}

int loom_greedy_find_spans(struct loom_greedy *g, uint32_t item)
{
	const struct loom_place_item *it = &g->task->problem.items[item];
	int64_t size = it->size_bytes;
	uint32_t i = 0, k = g->first_part[item];
	struct loom_place_part part;
	int ret = 0;

	g->sort.count = 0;
	if (g->free)
		ret = loom_free_find(g->free, item, &g->sort);
	while (!ret && !g->free && loom_place_next_part(it, &i, &part))
		ret = visit_part(g, g->rank[k++], &part);
	for (i = g->apart.first[item]; i < g->apart.first[item + 1] && !ret; i++) {
		uint32_t other = g->apart.with[i];
		int64_t begin = g->offsets[other];

		if (g->placed[other])
			ret = add_span(g, begin - size,
				       begin + (int64_t)g->task->problem.items[other].size_bytes);
	}
	for (i = 0; i < it->num_excluded && !ret; i++) {
		const struct loom_place_range *range = &it->excluded[i];

		if (range->lower <= INT64_MAX)
			ret = add_span(g, (int64_t)range->lower - size,
				       range->upper < INT64_MAX ? range->upper : INT64_MAX);
	}
	if (!ret && loom_watch_spend(1 + g->sort.count / 4))
		ret = -ENOMEM;
	if (!ret)
		loom_radix_sort(&g->sort);
	return ret;
}

bool loom_greedy_next(const struct loom_greedy *g, uint64_t align_bytes, size_t *at,
		      uint64_t *first, uint64_t *last)
{
	const struct loom_radix_entry *spans = g->sort.entries;

	for (;;) {
		if (!loom_place_align(first, align_bytes))
			return false;
		while (*at < g->sort.count && spans[*at].value <= (int64_t)*first)
			++*at;
		*last = *at < g->sort.count ? spans[*at].key : INT64_MAX;
		if ((int64_t)*last < (int64_t)*first)
			*first = spans[*at].value;
		else if (!g->free || !loom_free_leap(g->free, first, last))
			return true;
	}
}

int loom_greedy_lowest(struct loom_greedy *g, uint32_t item, uint64_t *offset)
{
	const struct loom_place_item *it = &g->task->problem.items[item];
	uint64_t last;
	size_t at = 0;
	int ret;

	ret = loom_greedy_find_spans(g, item);
	if (ret)
		return ret;
	*offset = 0;
	if (!loom_greedy_next(g, it->align_bytes, &at, offset, &last) ||
	    *offset > INT64_MAX - it->size_bytes)
		return -ERANGE;
	return 0;
}

int loom_greedy_tightest(struct loom_greedy *g, uint32_t item, uint64_t *offset)
{
	const struct loom_place_item *it = &g->task->problem.items[item];
	uint64_t first = 0, last = 0, least = UINT64_MAX;
	size_t at = 0;
	int ret = loom_greedy_find_spans(g, item);

	while (!ret && last != INT64_MAX) {
		if (!loom_greedy_next(g, it->align_bytes, &at, &first, &last))
			return -ERANGE;
		/* the top only if there is no other */
		if (last == INT64_MAX ? least == UINT64_MAX : last - first < least) {
			least = last - first;
			*offset = first;
		}
		first = last + 1;
	}
	return ret ? ret : *offset > INT64_MAX - it->size_bytes ? -ERANGE : 0;
}

void loom_greedy_put(struct loom_greedy *g, uint32_t item, uint64_t offset)
{
	uint32_t k = g->first_part[item], at = 0;
	struct loom_place_part part;

	g->offsets[item] = offset;
	g->placed[item] = true;
	if (g->free)
		loom_free_put(g->free, item, offset);
	while (!g->free && loom_place_next_part(&g->task->problem.items[item], &at, &part))
		set_slot(g, g->rank[k++], (struct loom_greedy_slot){
			part.upper, offset + part.first, offset + part.first + part.size_bytes,
		});
}

void loom_greedy_remove(struct loom_greedy *g, uint32_t item)
{
	uint32_t i;

	g->placed[item] = false;
	for (i = g->first_part[item]; i < g->first_part[item + 1]; i++)
		set_slot(g, g->rank[i], (struct loom_greedy_slot){ .upper = INT64_MIN });
}

void loom_greedy_reset(struct loom_greedy *g)
{
	const struct loom_place_problem *problem = &g->task->problem;
	uint32_t count = g->free ? 0 : num_parts_of(g), i, k;

	for (i = 0; i < count; i++)
		g->slots[i] = (struct loom_greedy_slot){ .upper = INT64_MIN };
	for (k = 0; k < g->num_levels; k++) {
		count = (count + GROUP - 1) / GROUP;
		for (i = 0; i < count; i++)
			g->latest[k][i] = INT64_MIN;
	}
	if (g->free)
		loom_free_reset(g->free);
	memset(g->placed, 0, problem->num_items * sizeof(*g->placed));
	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[i]) &&
		    loom_place_is_fixed(&problem->items[i]))
			loom_greedy_put(g, i, problem->items[i].fixed);
}

int loom_greedy_run(struct loom_greedy *g, const uint32_t *order, loom_greedy_find find,
		    uint64_t below)
{
	uint64_t offset;
	uint32_t i;
	int ret;

	loom_greedy_reset(g);
	for (i = 0; i < g->task->problem.num_items; i++) {
		const struct loom_place_item *item = &g->task->problem.items[order[i]];

		if (!loom_place_has_room(item) || loom_place_is_fixed(item))
			continue;
		ret = find(g, order[i], &offset);
		if (ret)
			return ret;
		/* the height never decreases; a run that is to beat another one may be late */
		if (offset + item->size_bytes >= below ||
		    (below != LOOM_PLACE_ANYWHERE && !(i % 64) &&
		     !loom_place_left_ns(g->task->deadline_ns)))
			return -ERANGE;
		loom_greedy_put(g, order[i], offset);
	}
	return 0;
}

void loom_greedy_fini(struct loom_greedy *g)
{
	loom_arrays_free(&g->arrays);
	loom_free_destroy(g->free);
	loom_radix_clear(&g->sort);
	loom_place_apart_clear(&g->apart);
}

/* Ranks the parts by begin. In canonical order they mostly are. */
static int init_slots(struct loom_greedy *g)
{
	const struct loom_place_problem *problem = &g->task->problem;
	uint32_t num_parts = num_parts_of(g), at, i;
	struct loom_radix starts = { 0 };
	struct loom_place_part part;

	g->rank = loom_arrays_take(&g->arrays, num_parts, sizeof(*g->rank));
	g->lowers = loom_arrays_take(&g->arrays, num_parts, sizeof(*g->lowers));
	g->slots = loom_arrays_take(&g->arrays, num_parts, sizeof(*g->slots));
	if (loom_radix_reserve(&starts, num_parts) || g->arrays.failed) {
		loom_radix_clear(&starts);
		return -ENOMEM;
	}
	for (i = 0; i < problem->num_items; i++) {
		at = 0;
		for (; loom_place_next_part(&problem->items[i], &at, &part); starts.count++)
			starts.entries[starts.count] = (struct loom_radix_entry){
				part.lower, (int64_t)starts.count,
			};
	}
	loom_radix_sort(&starts);
	for (i = 0; i < num_parts; i++) {
		g->lowers[i] = starts.entries[i].key;
		g->rank[starts.entries[i].value] = i;
	}
	loom_radix_clear(&starts);
	while (num_parts > 1 && g->num_levels < LOOM_GREEDY_LEVELS) {
		num_parts = (num_parts + GROUP - 1) / GROUP;
		g->latest[g->num_levels++] = loom_arrays_take(&g->arrays, num_parts,
							      sizeof(**g->latest));
	}
	return g->arrays.failed ? -ENOMEM : 0;
}

int loom_greedy_init(struct loom_greedy *g, const struct loom_place_task *task, bool remove)
{
	size_t n = task->problem.num_items, num_parts = 0, i;
	struct loom_place_part part;
	uint32_t at;
	int ret;

	memset(g, 0, sizeof(*g));
	g->task = task;
	g->offsets = loom_arrays_take(&g->arrays, n, sizeof(*g->offsets));
	g->placed = loom_arrays_take(&g->arrays, n, sizeof(*g->placed));
	g->first_part = loom_arrays_take(&g->arrays, n + 1, sizeof(*g->first_part));
	ret = g->arrays.failed ? -ENOMEM : loom_place_apart_make(&g->apart, &task->problem);
	for (i = 0; i < n && !ret; i++) {
		at = 0;
		while (loom_place_next_part(&task->problem.items[i], &at, &part))
			num_parts++;
		g->first_part[i + 1] = num_parts;
		ret = num_parts > INT32_MAX ? -ENOMEM : 0;
	}
	if (!ret && num_parts <= n && !remove)
		g->free = loom_free_create(&task->problem);
	if (!ret && !g->free)
		ret = init_slots(g);
	if (ret)
		loom_greedy_fini(g);
	return ret;
}

int loom_place_greedy(const struct loom_place_task *task, loom_place_order *order,
		      loom_greedy_find find, struct loom_place_answer *answer)
{
	size_t n = task->problem.num_items;
	uint32_t *items = calloc(n + 1, sizeof(*items));
	struct loom_greedy g;
	int ret = items ? order(&task->problem, items) : -ENOMEM;

	if (!ret)
		ret = loom_greedy_init(&g, task, false);
	if (!ret) {
		ret = loom_greedy_run(&g, items, find,
				      task->below_bytes ? task->below_bytes : LOOM_PLACE_ANYWHERE);
		memcpy(answer->offsets, g.offsets, n * sizeof(*g.offsets));
		loom_greedy_fini(&g);
	}
	free(items);
	return ret;
}
