// SPDX-License-Identifier: MIT
/*
 * DOC: Greedy placing
 *
 * Take the items in some order, put each into the lowest gap between those placed before that
 * live at the same time. Largest first is the classic: what is hard to fit goes while there is
 * still room, and the small ones fill the gaps.
 *
 * Items placed so far are found by lifetime in an augmented tree: parts (items without their gaps)
 * sorted by begin are an implicit balanced tree in which each node knows the latest end of what is
 * placed below it. Finding the k parts that an item meets costs O(k + log n), sorting them by
 * offset O(k log k).
 *
 * Whatever stands in the way of an item is a span of offsets at which it must not begin: something
 * that is placed and alive at the same time, or to be kept apart, or a range that is excluded. A
 * window of a gap is one that is shorter than the item. So there is one kind of obstacle, and
 * looking for room is one walk over sorted spans.
 *
 * Rejected: testing each pair (60k items: four billion), and a sorted list of all that is placed
 * (long lists, of which hardly anything is alive at the same time).
 */
#include "place_greedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "place_profile.h"

static bool has_part(const struct loom_greedy *g, uint32_t part)
{
	return g->placed[g->parts[part].item];
}

/* The subtree of positions [low, high) has its root in the middle. */
static void tree_put(struct loom_greedy *g, uint32_t part)
{
	uint32_t low = 0, high = g->first_part[g->task->problem.num_items], at = g->rank[part];

	for (;;) {
		uint32_t mid = low + (high - low) / 2;

		if (g->latest[mid] < g->parts[part].upper)
			g->latest[mid] = g->parts[part].upper;
		if (at == mid)
			break;
		if (at < mid)
			high = mid;
		else
			low = mid + 1;
	}
}

static int64_t latest_of(const struct loom_greedy *g, uint32_t low, uint32_t high)
{
	return low < high ? g->latest[low + (high - low) / 2] : INT64_MIN;
}

/* All parts of the item are known not to be placed. */
static void tree_take(struct loom_greedy *g, uint32_t part)
{
	uint32_t low = 0, high = g->first_part[g->task->problem.num_items], at = g->rank[part];
	struct {
		uint32_t low;
		uint32_t high;
	} path[33];
	unsigned int depth = 0;

	for (;;) {
		uint32_t mid = low + (high - low) / 2;

		path[depth].low = low;
		path[depth++].high = high;
		if (at == mid)
			break;
		if (at < mid)
			high = mid;
		else
			low = mid + 1;
	}
	while (depth--) {
		uint32_t mid = path[depth].low + (path[depth].high - path[depth].low) / 2;
		int64_t left = latest_of(g, path[depth].low, mid);
		int64_t right = latest_of(g, mid + 1, path[depth].high);
		int64_t own = has_part(g, g->by_lower[mid]) ? g->parts[g->by_lower[mid]].upper :
							      INT64_MIN;

		if (own < left)
			own = left;
		g->latest[mid] = own < right ? right : own;
	}
}

static int add_span(struct loom_greedy *g, int64_t after, int64_t until)
{
	if (g->num_spans == g->max_spans) {
		size_t max = 2 * g->max_spans + 64;
		struct loom_greedy_span *spans = realloc(g->spans, max * sizeof(*spans));

		if (!spans)
			return -ENOMEM;
		g->spans = spans;
		g->max_spans = max;
	}
	g->spans[g->num_spans++] = (struct loom_greedy_span){ after, until };
	return 0;
}

/* @other is in the way of @part. */
static int add_part(struct loom_greedy *g, const struct loom_place_part *part,
		    const struct loom_place_part *other)
{
	int64_t begin = g->offsets[other->item] + other->first;

	return add_span(g, begin - (int64_t)(part->first + part->size_bytes),
			begin + (int64_t)other->size_bytes - (int64_t)part->first);
}

static int tree_collect(struct loom_greedy *g, uint32_t low, uint32_t high,
			const struct loom_place_part *part)
{
	int ret;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct loom_place_part *other = &g->parts[g->by_lower[mid]];

		if (g->latest[mid] <= part->lower)
			return 0;
		ret = tree_collect(g, low, mid, part);
		if (ret || other->lower >= part->upper)
			return ret;
		if (other->upper > part->lower && g->placed[other->item]) {
			ret = add_part(g, part, other);
			if (ret)
				return ret;
		}
		low = mid + 1;
	}
	return 0;
}

static int compare_spans(const void *a, const void *b)
{
	const struct loom_greedy_span *x = a, *y = b;

	if (x->after != y->after)
		return x->after < y->after ? -1 : 1;
	return (x->until > y->until) - (x->until < y->until);
}

int loom_greedy_look(struct loom_greedy *g, uint32_t item)
{
	const struct loom_place_item *it = &g->task->problem.items[item];
	int64_t size = it->size_bytes;
	uint32_t i;
	int ret = 0;

	g->num_spans = 0;
	for (i = g->first_part[item]; i < g->first_part[item + 1] && !ret; i++)
		ret = tree_collect(g, 0, g->first_part[g->task->problem.num_items], &g->parts[i]);
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
	if (g->num_spans)
		qsort(g->spans, g->num_spans, sizeof(*g->spans), compare_spans);
	return ret;
}

bool loom_place_align(uint64_t *offset, uint64_t align_bytes)
{
	uint64_t rest = *offset % align_bytes;

	if (rest && __builtin_add_overflow(*offset, align_bytes - rest, offset))
		return false;
	return *offset <= INT64_MAX;
}

bool loom_greedy_next(const struct loom_greedy *g, uint64_t align_bytes, size_t *at,
		      uint64_t *first, uint64_t *last)
{
	if (!loom_place_align(first, align_bytes))
		return false;
	for (; *at < g->num_spans; ++*at) {
		const struct loom_greedy_span *span = &g->spans[*at];

		if (span->after >= (int64_t)*first) {
			*last = span->after;
			return true;
		}
		if ((int64_t)*first >= span->until)
			continue;
		*first = span->until;
		if (!loom_place_align(first, align_bytes))
			return false;
	}
	*last = INT64_MAX;
	return true;
}

int loom_greedy_lowest(struct loom_greedy *g, uint32_t item, uint64_t *offset)
{
	const struct loom_place_item *it = &g->task->problem.items[item];
	uint64_t last;
	size_t at = 0;
	int ret;

	ret = loom_greedy_look(g, item);
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
	uint64_t first = 0, last, least = UINT64_MAX;
	size_t at = 0;
	int ret;

	ret = loom_greedy_look(g, item);
	if (ret)
		return ret;
	for (;;) {
		if (!loom_greedy_next(g, it->align_bytes, &at, &first, &last))
			return -ERANGE;
		if (last == INT64_MAX)
			break;
		if (last - first < least) {
			least = last - first;
			*offset = first;
		}
		first = g->spans[at].until > (int64_t)first ? g->spans[at].until : (int64_t)first;
	}
	if (least == UINT64_MAX)
		*offset = first;
	return *offset > INT64_MAX - it->size_bytes ? -ERANGE : 0;
}

void loom_greedy_put(struct loom_greedy *g, uint32_t item, uint64_t offset)
{
	uint32_t i;

	g->offsets[item] = offset;
	g->placed[item] = true;
	for (i = g->first_part[item]; i < g->first_part[item + 1]; i++)
		tree_put(g, i);
}

void loom_greedy_take(struct loom_greedy *g, uint32_t item)
{
	uint32_t i;

	g->placed[item] = false;
	for (i = g->first_part[item]; i < g->first_part[item + 1]; i++)
		tree_take(g, i);
}

void loom_greedy_reset(struct loom_greedy *g)
{
	const struct loom_place_problem *problem = &g->task->problem;
	uint32_t i;

	for (i = 0; i < g->first_part[problem->num_items]; i++)
		g->latest[i] = INT64_MIN;
	memset(g->placed, 0, problem->num_items * sizeof(*g->placed));
	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[i]) &&
		    problem->items[i].fixed != LOOM_PLACE_ANYWHERE)
			loom_greedy_put(g, i, problem->items[i].fixed);
}

int loom_greedy_run(struct loom_greedy *g, const uint32_t *order, loom_greedy_find find)
{
	uint64_t offset;
	uint32_t i;
	int ret;

	loom_greedy_reset(g);
	for (i = 0; i < g->task->problem.num_items; i++) {
		const struct loom_place_item *item = &g->task->problem.items[order[i]];

		if (!loom_place_has_room(item) || item->fixed != LOOM_PLACE_ANYWHERE)
			continue;
		ret = find(g, order[i], &offset);
		if (ret)
			return ret;
		loom_greedy_put(g, order[i], offset);
	}
	return 0;
}

void loom_greedy_fini(struct loom_greedy *g)
{
	free(g->offsets);
	free(g->placed);
	free(g->parts);
	free(g->first_part);
	free(g->by_lower);
	free(g->rank);
	free(g->latest);
	free(g->spans);
	loom_place_apart_clear(&g->apart);
}

/**
 * struct start - a part and when it begins
 * @lower: when
 * @part: which
 */
struct start {
	int64_t lower;
	uint32_t part;
};

static int compare_starts(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->lower != y->lower)
		return x->lower < y->lower ? -1 : 1;
	return (x->part > y->part) - (x->part < y->part);
}

static int init_tree(struct loom_greedy *g, uint32_t num_parts)
{
	struct start *starts = calloc((size_t)num_parts + 1, sizeof(*starts));
	uint32_t i;

	g->by_lower = calloc((size_t)num_parts + 1, sizeof(*g->by_lower));
	g->rank = calloc((size_t)num_parts + 1, sizeof(*g->rank));
	g->latest = calloc((size_t)num_parts + 1, sizeof(*g->latest));
	if (!starts || !g->by_lower || !g->rank || !g->latest) {
		free(starts);
		return -ENOMEM;
	}
	for (i = 0; i < num_parts; i++)
		starts[i] = (struct start){ g->parts[i].lower, i };
	qsort(starts, num_parts, sizeof(*starts), compare_starts);
	for (i = 0; i < num_parts; i++) {
		g->by_lower[i] = starts[i].part;
		g->rank[starts[i].part] = i;
	}
	free(starts);
	return 0;
}

int loom_greedy_init(struct loom_greedy *g, const struct loom_place_task *task)
{
	size_t n = task->problem.num_items, num_parts, i;
	int ret;

	memset(g, 0, sizeof(*g));
	g->task = task;
	ret = loom_place_parts(&task->problem, &g->parts, &num_parts);
	if (!ret && num_parts > INT32_MAX)
		ret = -ENOMEM;
	if (!ret)
		ret = loom_place_apart_make(&g->apart, &task->problem);
	if (!ret)
		ret = init_tree(g, num_parts);
	g->offsets = calloc(n + 1, sizeof(*g->offsets));
	g->placed = calloc(n + 1, sizeof(*g->placed));
	g->first_part = calloc(n + 2, sizeof(*g->first_part));
	if (!g->offsets || !g->placed || !g->first_part)
		ret = -ENOMEM;
	if (ret) {
		loom_greedy_fini(g);
		return ret;
	}
	for (i = 0; i < num_parts; i++)
		g->first_part[g->parts[i].item + 1]++;
	for (i = 0; i < n; i++)
		g->first_part[i + 1] += g->first_part[i];
	return 0;
}

int loom_place_greedy(const struct loom_place_task *task, const struct loom_place_order *order,
		      loom_greedy_find find, struct loom_place_answer *answer)
{
	size_t n = task->problem.num_items;
	uint32_t *items = calloc(n + 1, sizeof(*items));
	struct loom_greedy g;
	int ret = items ? order->make(&task->problem, items) : -ENOMEM;

	if (!ret)
		ret = loom_greedy_init(&g, task);
	if (!ret) {
		ret = loom_greedy_run(&g, items, find);
		memcpy(answer->offsets, g.offsets, n * sizeof(*g.offsets));
		loom_greedy_fini(&g);
	}
	free(items);
	return ret;
}

int loom_place_greedy_size(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_size, loom_greedy_lowest, answer);
}

int loom_place_greedy_area(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_area, loom_greedy_lowest, answer);
}

int loom_place_greedy_breadth(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_breadth, loom_greedy_lowest, answer);
}

int loom_place_greedy_conflict(const struct loom_place_task *task,
			       struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_conflict, loom_greedy_lowest, answer);
}

/* GMEM's later planner: largest first, the smallest gap that fits, else the top. */
int loom_place_opsize(const struct loom_place_task *task, struct loom_place_answer *answer)
{
	return loom_place_greedy(task, &loom_place_order_size, loom_greedy_tightest, answer);
}
