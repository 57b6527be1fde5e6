// SPDX-License-Identifier: MIT
/*
 * DOC: Static orders
 *
 * Greedy planners differ in the order of items. An order sorts by a key of two numbers, the largest
 * first. Ties are broken by begin and end, so that the order of rows does not matter. Aliases and
 * items without size are in the order as well; the engine skips them.
 */
#include "greedy.h"

#include <errno.h>
#include <stdlib.h>

/* Sort key of an item, largest first. */
struct key {
	uint64_t high;				/* compared first */
	uint64_t low;				/* compared second */
	/* ties: its begin, end and alignment, and then this, smallest first */
	uint32_t item;
	const struct loom_place_item *of;	/* the item */
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	if (x->low != y->low)
		return x->low > y->low ? -1 : 1;
	if (x->of->lower != y->of->lower)
		return x->of->lower < y->of->lower ? -1 : 1;
	if (x->of->upper != y->of->upper)
		return x->of->upper < y->of->upper ? -1 : 1;
	if (x->of->align_bytes != y->of->align_bytes)
		return x->of->align_bytes > y->of->align_bytes ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

static struct key *make_keys(const struct loom_place_problem *problem)
{
	return calloc((size_t)problem->num_items + 1, sizeof(struct key));
}

/* Sorts by the keys unless @ret is an error, and frees them. Returns @ret. */
static int sort_by_keys(struct key *keys, int ret, const struct loom_place_problem *problem,
			uint32_t *order)
{
	uint32_t i;

	for (i = 0; i < problem->num_items && !ret; i++)
		keys[i].of = &problem->items[keys[i].item];
	if (!ret)
		qsort(keys, problem->num_items, sizeof(*keys), compare_keys);
	for (i = 0; i < problem->num_items && !ret; i++)
		order[i] = keys[i].item;
	free(keys);
	return ret;
}

static uint64_t life(const struct loom_place_item *item)
{
	return (uint64_t)item->upper - (uint64_t)item->lower;
}

static uint64_t size(const struct loom_place_item *item)
{
	return item->size_bytes;
}

/* Saturates. */
static uint64_t area(const struct loom_place_item *item)
{
	uint64_t bytes;

	return __builtin_mul_overflow(item->size_bytes, life(item), &bytes) ? UINT64_MAX : bytes;
}

/* Maps moments to unsigned numbers of the same order. */
static uint64_t end(const struct loom_place_item *item)
{
	return (uint64_t)item->upper ^ 1ULL << 63;
}

static int sort_by(const struct loom_place_problem *problem,
		   uint64_t (*high)(const struct loom_place_item *item),
		   uint64_t (*low)(const struct loom_place_item *item), uint32_t *order)
{
	struct key *keys = make_keys(problem);
	uint32_t i;

	if (!keys)
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++) {
		const struct loom_place_item *item = &problem->items[i];

		keys[i] = (struct key){ high(item), low(item), i, NULL };
	}
	return sort_by_keys(keys, 0, problem, order);
}

int loom_place_order_size(const struct loom_place_problem *problem, uint32_t *order)
{
	return sort_by(problem, size, life, order);
}

int loom_place_order_life(const struct loom_place_problem *problem, uint32_t *order)
{
	return sort_by(problem, life, size, order);
}

int loom_place_order_area(const struct loom_place_problem *problem, uint32_t *order)
{
	return sort_by(problem, area, size, order);
}

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Number of @times below @time, or not above it if @equal. */
static uint32_t count_below(const int64_t *times, uint32_t count, int64_t time, bool equal)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (times[mid] < time || (equal && times[mid] == time))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Begins and ends of the items that have room, each sorted. */
struct times {
	struct loom_arrays arrays;
	int64_t *lowers;
	int64_t *uppers;
	uint32_t count;		/* number of each */
};

static int make_times(struct times *times, const struct loom_place_problem *problem)
{
	uint32_t i;

	*times = (struct times){ .count = 0 };
	times->lowers = loom_arrays_take(&times->arrays, problem->num_items, sizeof(int64_t));
	times->uppers = loom_arrays_take(&times->arrays, problem->num_items, sizeof(int64_t));
	if (times->arrays.failed)
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++) {
		if (!loom_place_has_room(&problem->items[i]))
			continue;
		times->lowers[times->count] = problem->items[i].lower;
		times->uppers[times->count++] = problem->items[i].upper;
	}
	qsort(times->lowers, times->count, sizeof(int64_t), compare_times);
	qsort(times->uppers, times->count, sizeof(int64_t), compare_times);
	return 0;
}

/*
 * By number of items that overlap in time, itself included, then by size: all but those that end
 * before it begins and those that begin after it ends. Gaps are ignored.
 */
int loom_place_order_overlaps(const struct loom_place_problem *problem, uint32_t *order)
{
	struct key *keys = make_keys(problem);
	struct times times;
	int ret = make_times(&times, problem);
	uint32_t i;

	if (!keys)
		ret = -ENOMEM;
	for (i = 0; i < problem->num_items && !ret; i++) {
		const struct loom_place_item *item = &problem->items[i];

		keys[i] = (struct key){ 0, item->size_bytes, i, NULL };
		if (loom_place_has_room(item))
			keys[i].high = count_below(times.lowers, times.count, item->upper, false) -
				       count_below(times.uppers, times.count, item->lower, true);
	}
	loom_arrays_free(&times.arrays);
	return sort_by_keys(keys, ret, problem, order);
}

/* All pairs less those of which one item ends before the other begins. */
int loom_place_count_pairs(const struct loom_place_problem *problem, uint64_t *pairs)
{
	uint64_t before = 0;
	struct times times;
	uint32_t i, k = 0;
	int ret = make_times(&times, problem);

	for (i = 0; i < times.count && !ret; i++) {
		while (times.uppers[k] <= times.lowers[i])
			k++;
		before += k;
	}
	*pairs = ((uint64_t)times.count * times.count - 2 * before) / 2;
	loom_arrays_free(&times.arrays);
	return ret;
}

/* Largest of [low, high) in a max tree with @leaves leaves at @leaves. */
static uint64_t range_max(const uint64_t *tree, size_t leaves, size_t low, size_t high)
{
	uint64_t most = 0;

	for (low += leaves, high += leaves; low < high; low /= 2, high /= 2) {
		if (low & 1) {
			if (most < tree[low])
				most = tree[low];
			low++;
		}
		if (high & 1) {
			high--;
			if (most < tree[high])
				most = tree[high];
		}
	}
	return most;
}

/* By item: the broadest moment of its life, then @second. */
static int breadth_keys(const struct loom_place_problem *problem,
			const struct loom_place_profile *profile,
			uint64_t (*second)(const struct loom_place_item *item), struct key *keys)
{
	size_t n = profile->num_moments, i;
	uint64_t *tree = calloc(2 * n + 2, sizeof(*tree));

	if (!tree)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		tree[n + i] = profile->bytes[i];
	for (i = n; i-- > 1;)
		tree[i] = tree[2 * i] > tree[2 * i + 1] ? tree[2 * i] : tree[2 * i + 1];
	for (i = 0; i < problem->num_items; i++) {
		const struct loom_place_item *item = &problem->items[i];

		keys[i] = (struct key){ 0, second(item), i, NULL };
		if (!loom_place_has_room(item))
			continue;
		keys[i].high = range_max(tree, n, loom_place_profile_find(profile, item->lower),
					 loom_place_profile_find(profile, item->upper));
	}
	free(tree);
	return 0;
}

static int sort_by_breadth(const struct loom_place_problem *problem,
			   uint64_t (*second)(const struct loom_place_item *item), uint32_t *order)
{
	struct loom_place_profile profile;
	struct loom_place_part *parts;
	struct key *keys = NULL;
	size_t num_parts;
	uint32_t culprit;
	int ret;

	ret = loom_place_parts(problem, &parts, &num_parts);
	if (ret)
		return ret;
	ret = loom_place_profile_make(&profile, parts, num_parts, &culprit);
	free(parts);
	if (!ret)
		keys = make_keys(problem);
	if (keys)
		ret = breadth_keys(problem, &profile, second, keys);
	else if (!ret)
		ret = -ENOMEM;
	loom_place_profile_clear(&profile);
	return sort_by_keys(keys, ret, problem, order);
}

/*
 * The breadth of a moment is the sum of the bytes alive. Moments are visited broadest first, and
 * each places the items alive and not placed yet, largest first. So an item's key is the broadest
 * moment of its life.
 */
int loom_place_order_breadth(const struct loom_place_problem *problem, uint32_t *order)
{
	return sort_by_breadth(problem, size, order);
}

/* By breadth, then longest life first: few long items leave the gaps that short ones need. */
int loom_place_order_total(const struct loom_place_problem *problem, uint32_t *order)
{
	return sort_by_breadth(problem, life, order);
}

/* Latest end first, so that all items placed later end beside it or before. */
int loom_place_order_tail(const struct loom_place_problem *problem, uint32_t *order)
{
	return sort_by(problem, end, size, order);
}

/* Stable, because the second part of a key is the rank in the given order. */
int loom_place_order_by_alignment(const struct loom_place_problem *problem, uint32_t *order)
{
	struct key *keys = make_keys(problem);
	uint32_t i;

	if (!keys)
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++)
		keys[i] = (struct key){
			problem->items[order[i]].align_bytes, UINT64_MAX - i, order[i], NULL,
		};
	return sort_by_keys(keys, 0, problem, order);
}
