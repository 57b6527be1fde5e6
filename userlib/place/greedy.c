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
 * and alive at the same time or must be kept apart, or an excluded range. A window of a gap gives a
 * span that is shorter than that of its item. So finding a gap is one pass over sorted spans.
 *
 * Rejected: testing each pair (quadratic), and a sorted list of all placed items (long, and hardly
 * any of its entries are alive at the same time).
 */
#include "greedy.h"

#include "base/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GROUP	16

static uint32_t num_parts_of(const struct loom_greedy *g)
{
	return g->first_part[g->task->problem.num_items];
}

static void slot_put(struct loom_greedy *g, uint32_t at, int64_t upper, int64_t begin, int64_t end)
{
	unsigned int i;

	g->slots[at] = (struct loom_greedy_slot){ upper, begin, end };
	for (i = 0; i < g->num_levels; i++) {
		at /= GROUP;
		if (g->latest[i][at] >= upper)
			break;
		g->latest[i][at] = upper;
	}
}

static void slot_remove(struct loom_greedy *g, uint32_t at)
{
	uint32_t count = num_parts_of(g), k, from;
	unsigned int i;

	g->slots[at].upper = INT64_MIN;
	for (i = 0; i < g->num_levels; i++) {
		int64_t latest = INT64_MIN;

		from = at / GROUP * GROUP;
		for (k = from; k < from + GROUP && k < count; k++) {
			int64_t upper = i ? g->latest[i - 1][k] : g->slots[k].upper;

			if (latest < upper)
				latest = upper;
		}
		at /= GROUP;
		count = (count + GROUP - 1) / GROUP;
		g->latest[i][at] = latest;
	}
}

#define MAX_INSERTION	32
/* Bits per digit of the radix sort, with few spans and with many. */
#define DIGIT		8
#define LONG_DIGIT	12
#define MANY		1500
/* 64 bits are six long digits or eight short ones */
#define FEW_ENDS	(8 << DIGIT)
#define MAX_ENDS	(6 << LONG_DIGIT)

int loom_greedy_reserve(struct loom_greedy_sort *s, size_t count)
{
	struct loom_greedy_span *spans;
	uint32_t *ends;
	size_t max;

	if (s->num_spans + count <= s->max_spans)
		return 0;
	max = 2 * s->max_spans + count;
	spans = realloc(s->spans, max * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	s->spans = spans;
	spans = realloc(s->spare, max * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	s->spare = spans;
	ends = realloc(s->ends, (max < MANY ? FEW_ENDS : MAX_ENDS) * sizeof(*ends));
	if (!ends)
		return -ENOMEM;
	s->ends = ends;
	s->max_spans = max;
	return 0;
}

static int add_span(struct loom_greedy *g, int64_t after, int64_t until)
{
	int ret = loom_greedy_reserve(&g->sort, 1);

	if (!ret)
		g->sort.spans[g->sort.num_spans++] = (struct loom_greedy_span){ after, until };
	return ret;
}

/* Collects the spans of positions [@from, @to) of slots. */
static int visit_slots(struct loom_greedy *g, uint32_t from, uint32_t to,
		       const struct loom_place_part *part)
{
	int64_t below = part->first + part->size_bytes, above = part->first;
	struct loom_greedy_span *span;
	int ret = loom_greedy_reserve(&g->sort, to - from);

	if (ret)
		return ret;
	span = &g->sort.spans[g->sort.num_spans];
	for (; from < to; from++) {
		const struct loom_greedy_slot *slot = &g->slots[from];

		/* branch-free, as a branch would be unpredictable: the span is kept by advancing */
		span->after = slot->begin - below;
		span->until = slot->end - above;
		span += slot->upper > part->lower;
	}
	g->sort.num_spans = span - g->sort.spans;
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

/* Number of parts that begin before @moment. */
static uint32_t count_before(const struct loom_greedy *g, int64_t moment)
{
	uint32_t low = 0, high = num_parts_of(g);

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (g->lowers[mid] < moment)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int visit_part(struct loom_greedy *g, const struct loom_place_part *part)
{
	uint32_t count[LOOM_GREEDY_LEVELS + 1];
	unsigned int i;

	count[0] = count_before(g, part->upper);
	for (i = 0; i < g->num_levels; i++)
		count[i + 1] = (count[i] + GROUP - 1) / GROUP;
	return visit_levels(g, count, g->num_levels, 0, count[g->num_levels], part);
}

static void insertion_sort(struct loom_greedy_span *spans, size_t count)
{
	size_t i, k;

	for (i = 1; i < count; i++) {
		struct loom_greedy_span span = spans[i];

		for (k = i; k && spans[k - 1].after > span.after; k--)
			spans[k] = spans[k - 1];
		spans[k] = span;
	}
}

/* One pass of the radix sort, into the spare spans, which become the spans. */
static void sort_digit(struct loom_greedy_sort *s, uint64_t least, unsigned int shift,
		       uint64_t mask, uint32_t *ends)
{
	struct loom_greedy_span *from = s->spans, *to = s->spare;
	uint32_t sum = 0, count;
	size_t i;

	for (i = 0; i <= mask; i++) {
		count = ends[i];
		ends[i] = sum;
		sum += count;
	}
	for (i = 0; i < s->num_spans; i++)
		to[ends[(((uint64_t)from[i].after - least) >> shift) & mask]++] = from[i];
	s->spans = to;
	s->spare = from;
}

/* Sorts by @bits bits from @shift on, in as few digits as possible, counted in one pass. */
static void sort_digits(struct loom_greedy_sort *s, uint64_t least, unsigned int shift,
			unsigned int bits)
{
	const unsigned int most = s->num_spans < MANY ? DIGIT : LONG_DIGIT;
	const unsigned int digits = (bits + most - 1) / most;
	const unsigned int digit = (bits + digits - 1) / digits;
	const uint64_t mask = (1ULL << digit) - 1;
	unsigned int k;
	size_t i;

	memset(s->ends, 0, ((size_t)digits << digit) * sizeof(*s->ends));
	for (i = 0; i < s->num_spans; i++) {
		uint64_t key = ((uint64_t)s->spans[i].after - least) >> shift;

		for (k = 0; k < digits; k++, key >>= digit)
			s->ends[(k << digit) + (key & mask)]++;
	}
	for (k = 0; k < digits; k++)
		sort_digit(s, least, shift + k * digit, mask, &s->ends[k << digit]);
}

/* Low bits that all offsets share need no pass. */
void loom_greedy_sort(struct loom_greedy_sort *s)
{
	int64_t least = INT64_MAX;
	uint64_t differ = 0;
	unsigned int shift;
	size_t i;

	if (s->num_spans <= MAX_INSERTION) {
		insertion_sort(s->spans, s->num_spans);
		return;
	}
	for (i = 0; i < s->num_spans; i++)
		least = s->spans[i].after < least ? s->spans[i].after : least;
	for (i = 0; i < s->num_spans; i++)
		differ |= (uint64_t)s->spans[i].after - (uint64_t)least;
	if (!differ)
		return;
	shift = __builtin_ctzll(differ);
	sort_digits(s, least, shift, 64 - __builtin_clzll(differ) - shift);
}

void loom_greedy_sort_clear(struct loom_greedy_sort *s)
{
	free(s->spans);
	free(s->spare);
	free(s->ends);
}

int loom_greedy_find_spans(struct loom_greedy *g, uint32_t item)
{
	const struct loom_place_item *it = &g->task->problem.items[item];
	int64_t size = it->size_bytes;
	struct loom_place_part part;
	uint32_t i = 0;
	int ret = 0;

	g->sort.num_spans = 0;
	while (!ret && loom_place_next_part(it, &i, &part))
		ret = visit_part(g, &part);
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
	if (!ret && loom_watch_spend(1 + g->sort.num_spans / 4))
		ret = -ENOMEM;
	if (!ret)
		loom_greedy_sort(&g->sort);
	return ret;
}

bool loom_greedy_next(const struct loom_greedy *g, uint64_t align_bytes, size_t *at,
		      uint64_t *first, uint64_t *last)
{
	if (!loom_place_align(first, align_bytes))
		return false;
	for (; *at < g->sort.num_spans; ++*at) {
		const struct loom_greedy_span *span = &g->sort.spans[*at];

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
	uint64_t first = 0, last, least = UINT64_MAX;
	size_t at = 0;
	int ret;

	ret = loom_greedy_find_spans(g, item);
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
		if (g->sort.spans[at].until > (int64_t)first)
			first = g->sort.spans[at].until;
	}
	if (least == UINT64_MAX)
		*offset = first;
	return *offset > INT64_MAX - it->size_bytes ? -ERANGE : 0;
}

void loom_greedy_put(struct loom_greedy *g, uint32_t item, uint64_t offset)
{
	uint32_t k = g->first_part[item], at = 0;
	struct loom_place_part part;

	g->offsets[item] = offset;
	g->placed[item] = true;
	while (loom_place_next_part(&g->task->problem.items[item], &at, &part))
		slot_put(g, g->rank[k++], part.upper, offset + part.first,
			 offset + part.first + part.size_bytes);
}

void loom_greedy_remove(struct loom_greedy *g, uint32_t item)
{
	uint32_t i;

	g->placed[item] = false;
	for (i = g->first_part[item]; i < g->first_part[item + 1]; i++)
		slot_remove(g, g->rank[i]);
}

void loom_greedy_reset(struct loom_greedy *g)
{
	const struct loom_place_problem *problem = &g->task->problem;
	uint32_t count = num_parts_of(g), i, k;

	for (i = 0; i < count; i++)
		g->slots[i] = (struct loom_greedy_slot){ .upper = INT64_MIN };
	for (k = 0; k < g->num_levels; k++) {
		count = (count + GROUP - 1) / GROUP;
		for (i = 0; i < count; i++)
			g->latest[k][i] = INT64_MIN;
	}
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
	loom_greedy_sort_clear(&g->sort);
	loom_place_apart_clear(&g->apart);
}

/* A part and its begin. */
struct start {
	int64_t lower;	/* first moment */
	uint32_t part;
};

static int compare_starts(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->lower != y->lower)
		return x->lower < y->lower ? -1 : 1;
	return (x->part > y->part) - (x->part < y->part);
}

static int init_levels(struct loom_greedy *g, uint32_t count)
{
	while (count > 1 && g->num_levels < LOOM_GREEDY_LEVELS) {
		count = (count + GROUP - 1) / GROUP;
		g->latest[g->num_levels++] = loom_arrays_take(&g->arrays, count,
							      sizeof(**g->latest));
	}
	return g->arrays.failed ? -ENOMEM : 0;
}

/* Ranks the parts by begin. */
static int init_slots(struct loom_greedy *g)
{
	const struct loom_place_problem *problem = &g->task->problem;
	uint32_t num_parts = num_parts_of(g), count = 0, at, i;
	struct start *starts = calloc((size_t)num_parts + 1, sizeof(*starts));
	struct loom_place_part part;
	bool sorted = true;

	g->rank = loom_arrays_take(&g->arrays, num_parts, sizeof(*g->rank));
	g->lowers = loom_arrays_take(&g->arrays, num_parts, sizeof(*g->lowers));
	g->slots = loom_arrays_take(&g->arrays, num_parts, sizeof(*g->slots));
	if (!starts || g->arrays.failed) {
		free(starts);
		return -ENOMEM;
	}
	for (i = 0; i < problem->num_items; i++) {
		at = 0;
		while (loom_place_has_room(&problem->items[i]) &&
		       loom_place_next_part(&problem->items[i], &at, &part)) {
			sorted = sorted && (!count || starts[count - 1].lower <= part.lower);
			starts[count] = (struct start){ part.lower, count };
			count++;
		}
	}
	/* in canonical order they mostly are */
	if (!sorted)
		qsort(starts, num_parts, sizeof(*starts), compare_starts);
	for (i = 0; i < num_parts; i++) {
		g->lowers[i] = starts[i].lower;
		g->rank[starts[i].part] = i;
	}
	free(starts);
	return init_levels(g, num_parts);
}

int loom_greedy_init(struct loom_greedy *g, const struct loom_place_task *task)
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
		while (loom_place_has_room(&task->problem.items[i]) &&
		       loom_place_next_part(&task->problem.items[i], &at, &part))
			num_parts++;
		g->first_part[i + 1] = num_parts;
		ret = num_parts > INT32_MAX ? -ENOMEM : 0;
	}
	if (!ret)
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
		ret = loom_greedy_init(&g, task);
	if (!ret) {
		ret = loom_greedy_run(&g, items, find,
				      task->below_bytes ? task->below_bytes : LOOM_PLACE_ANYWHERE);
		memcpy(answer->offsets, g.offsets, n * sizeof(*g.offsets));
		loom_greedy_fini(&g);
	}
	free(items);
	return ret;
}
