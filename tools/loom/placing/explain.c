// SPDX-License-Identifier: MIT
/* loom place --explain: the items that cause a lower bound, and the bound without them. */
#include "../place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So many are shown by name. */
#define TOOL_PLACE_SHOWN	10

/**
 * struct tool_peak - one pool, and the items alive at its peak
 * @problem: the items of the pool
 * @items: the array of @problem
 * @of: by item: its number in the file
 * @reason: of the bound
 * @alive: items that make it, the largest first
 * @num_alive: number of @alive
 */
struct tool_peak {
	struct loom_place_problem problem;
	struct loom_place_item *items;
	uint32_t *of;
	struct loom_place_reason reason;
	uint32_t *alive;
	uint32_t num_alive;
};

static bool tool_peak_has(const struct tool_peak *peak, uint32_t index)
{
	const struct loom_place_item *item = &peak->items[index];
	int64_t moment = peak->reason.moment;
	uint32_t i;

	if (peak->reason.item != LOOM_PLACE_NONE)
		return index == peak->reason.item;
	if (!item->size_bytes || moment < item->lower || moment >= item->upper)
		return false;
	for (i = 0; i < item->num_gaps; i++)
		if (moment >= item->gaps[i].lower && moment < item->gaps[i].upper)
			return item->gaps[i].window_lower < item->gaps[i].window_upper;
	return true;
}

static int tool_peak_compare(const void *a, const void *b, void *arg)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct loom_place_item *items = arg;

	if (items[x].size_bytes != items[y].size_bytes)
		return items[x].size_bytes > items[y].size_bytes ? -1 : 1;
	return (x > y) - (x < y);
}

/* Whether an item lies in the pools @set; without a placement, whether it fits in no others. */
static bool tool_peak_is_in(const struct tool_placing *place, uint32_t index, uint32_t set)
{
	const struct loom_place_item *item = &place->problem.items[index];
	uint64_t end = item->size_bytes + (item->flags & LOOM_PLACE_FIXED ? item->fixed : 0);
	uint32_t p;

	if (place->result.pools)
		return set >> place->result.pools[index] & 1;
	for (p = 0; p < place->num_pools; p++)
		if (!(set >> p & 1) && (!item->pools || item->pools >> p & 1) &&
		    end <= place->pools[p].capacity_bytes)
			return false;
	return true;
}

static int tool_peak_make(struct tool_peak *peak, const struct tool_placing *place, uint32_t set)
{
	size_t n = (size_t)place->problem.num_items + 1;
	uint32_t i;
	int ret;

	peak->items = calloc(n, sizeof(*peak->items));
	peak->of = calloc(n, sizeof(*peak->of));
	peak->alive = calloc(n, sizeof(*peak->alive));
	if (!peak->items || !peak->of || !peak->alive)
		return -1;
	for (i = 0; i < place->problem.num_items; i++) {
		if (!tool_peak_is_in(place, i, set))
			continue;
		peak->of[peak->problem.num_items] = i;
		peak->items[peak->problem.num_items++] = place->problem.items[i];
	}
	peak->problem.items = peak->items;
	ret = loom_place_bound_reason(&peak->problem, &peak->reason);
	for (i = 0; i < peak->problem.num_items && !ret; i++)
		if (tool_peak_has(peak, i))
			peak->alive[peak->num_alive++] = i;
	qsort_r(peak->alive, peak->num_alive, sizeof(*peak->alive), tool_peak_compare,
		peak->items);
	return ret || loom_place_check_reason(&peak->problem, &peak->reason) ? -1 : 0;
}

static void tool_peak_clear(struct tool_peak *peak)
{
	free(peak->items);
	free(peak->of);
	free(peak->alive);
}

/* The bound without @count of the items that make it, from @first on. */
static int tool_peak_without(const struct tool_peak *peak, uint32_t first, uint32_t count,
			     struct loom_place_reason *reason)
{
	size_t n = (size_t)peak->problem.num_items + 1;
	struct loom_place_item *items = calloc(n, sizeof(*items));
	bool *out = calloc(n, sizeof(*out));
	const struct loom_place_problem *all = &peak->problem;
	struct loom_place_problem rest = { .items = items };
	uint32_t i;
	int ret = -1;

	for (i = 0; i < count && out; i++)
		out[peak->alive[first + i]] = true;
	for (i = 0; i < all->num_items && items && out; i++)
		if (!out[i])
			items[rest.num_items++] = all->items[i];
	if (items && out)
		ret = loom_place_bound_reason(&rest, reason);
	free(items);
	free(out);
	return ret;
}

/* Bytes below the peak that --forbid excludes. */
static uint64_t tool_peak_forbidden(const struct tool_placing *place, uint64_t peak)
{
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < place->num_forbidden && place->forbidden[i].lower < peak; i++)
		bytes += place->forbidden[i].upper - place->forbidden[i].lower;
	return bytes;
}

static void tool_peak_print_reason(const struct tool_placing *place, const struct tool_peak *peak,
				   const char *name)
{
	const struct loom_place_reason *reason = &peak->reason;
	char text[TOOL_TEXT];

	printf("peak       %s%s%llu bytes, %s, ", name ? name : "", name ? ": " : "",
	       (unsigned long long)reason->bound_bytes, tool_bytes(text, reason->bound_bytes));
	if (reason->item != LOOM_PLACE_NONE)
		printf("where '%s' ends, which is fixed\n",
		       place->csv->ids[peak->of[reason->item]]);
	else if (reason->align_bytes > 1)
		printf("at %lld, by %u items and what is lost to an alignment of %llu\n",
		       (long long)reason->moment, peak->num_alive,
		       (unsigned long long)reason->align_bytes);
	else if (tool_peak_forbidden(place, reason->bound_bytes))
		printf("at %lld, by %u items and %llu bytes that nothing may touch\n",
		       (long long)reason->moment, peak->num_alive,
		       (unsigned long long)tool_peak_forbidden(place, reason->bound_bytes));
	else
		printf("at %lld, by %u items\n", (long long)reason->moment, peak->num_alive);
}

static int tool_peak_print(struct tool_peak *peak, const struct tool_placing *place,
			   const char *name)
{
	struct loom_place_reason without;
	uint32_t i;

	tool_peak_print_reason(place, peak, name);
	for (i = 0; i < peak->num_alive && i < TOOL_PLACE_SHOWN; i++) {
		if (tool_peak_without(peak, i, 1, &without))
			return -1;
		printf("           %llu bytes '%s': without it %llu, at %lld\n",
		       (unsigned long long)peak->items[peak->alive[i]].size_bytes,
		       place->csv->ids[peak->of[peak->alive[i]]],
		       (unsigned long long)without.bound_bytes, (long long)without.moment);
	}
	if (i < peak->num_alive)
		printf("           and %u smaller ones\n", peak->num_alive - i);
	if (tool_peak_without(peak, 0, peak->num_alive, &without))
		return -1;
	printf("           without all of them %llu, at %lld\n",
	       (unsigned long long)without.bound_bytes, (long long)without.moment);
	return 0;
}

int tool_place_explain(const struct tool_placing *place)
{
	uint32_t pool;
	int ret = 0;

	for (pool = 0; pool < place->num_pools && !ret; pool++) {
		struct tool_peak peak = { 0 };

		ret = tool_peak_make(&peak, place, 1U << pool);
		if (!ret && peak.num_alive)
			ret = tool_peak_print(&peak, place, place->pool_names[pool]);
		tool_peak_clear(&peak);
	}
	return ret ? tool_fail("%s: its peak cannot be explained", place->path) : 0;
}

/* Items that fit in no pools but those of @fault, alive when they need most. */
static void tool_place_list_bound(const struct tool_placing *place,
				  const struct loom_place_fault *fault, FILE *out)
{
	struct tool_peak peak = { 0 };
	uint32_t i;

	if (!tool_peak_make(&peak, place, fault->pools)) {
		for (i = 0; i < peak.num_alive && i < TOOL_PLACE_SHOWN; i++)
			fprintf(out, "%s'%s' of %llu", i ? ", " : "; bound there: ",
				place->csv->ids[peak.of[peak.alive[i]]],
				(unsigned long long)peak.items[peak.alive[i]].size_bytes);
		if (i < peak.num_alive)
			fprintf(out, " and %u smaller ones", peak.num_alive - i);
	}
	tool_peak_clear(&peak);
}

int tool_place_refuse_pools(const struct tool_placing *place, const struct loom_place_fault *fault)
{
	const char *separator = "";
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);
	uint32_t i;
	int ret;

	if (!out)
		return tool_fail("%s: no memory", place->csv->path);
	for (i = 0; i < place->num_pools; i++) {
		if (!(fault->pools >> i & 1))
			continue;
		fprintf(out, "%s'%s'", separator, place->pool_names[i]);
		separator = " and ";
	}
	fprintf(out, ": ");
	if (fault->first != LOOM_PLACE_NONE)
		fprintf(out, "'%s' on line %u ",
			place->csv->ids[fault->first],
			place->csv->lines[fault->first]);
	fprintf(out, "%s", fault->text);
	if (fault->first == LOOM_PLACE_NONE)
		tool_place_list_bound(place, fault, out);
	ret = fclose(out);
	ret = ret ? tool_fail("%s: no memory", place->csv->path) :
		    tool_fail("%s: pool%s %s", place->csv->path,
			      fault->pools & (fault->pools - 1) ? "s" : "", line);
	free(line);
	return ret;
}
