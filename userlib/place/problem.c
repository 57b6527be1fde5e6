// SPDX-License-Identifier: MIT
/* Common parts of placement problems: faults, alignment, heights, pairs. */
#include "problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t loom_place_left_ns(int64_t deadline_ns)
{
	struct timespec now;
	int64_t left;

	if (!deadline_ns)
		return INT64_MAX;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	left = deadline_ns - (now.tv_sec * 1000000000LL + now.tv_nsec);
	return left > 0 ? left : 0;
}

int loom_place_fail(struct loom_place_fault *fault, int code, uint32_t first, uint32_t second,
		    const char *format, ...)
{
	va_list args;

	if (!fault)
		return code;
	fault->first = first;
	fault->second = second;
	fault->missing_bytes = 0;
	fault->pools = 0;
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return code;
}

int loom_place_no_space(struct loom_place_fault *fault, uint32_t item, uint32_t pools,
			uint64_t needed, uint64_t capacity, const char *what)
{
	loom_place_fail(fault, -ENOSPC, item, LOOM_PLACE_NONE,
			"%s %llu bytes, %llu more than the capacity of %llu", what,
			(unsigned long long)needed, (unsigned long long)(needed - capacity),
			(unsigned long long)capacity);
	if (!fault)
		return -ENOSPC;
	fault->missing_bytes = needed - capacity;
	fault->pools = pools;
	return -ENOSPC;
}

bool loom_place_align(uint64_t *offset, uint64_t align_bytes)
{
	/* avoid the division, which takes most of the time of a visit */
	uint64_t rest = align_bytes == 1 ? 0 : *offset % align_bytes;

	if (rest && __builtin_add_overflow(*offset, align_bytes - rest, offset))
		return false;
	return *offset <= INT64_MAX;
}

uint64_t loom_place_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

bool loom_place_join_align(uint64_t *align, uint64_t other)
{
	return other == 1 ||
	       (!__builtin_mul_overflow(*align, other / loom_place_divisor(*align, other), align) &&
		*align <= INT64_MAX);
}

uint64_t loom_place_height(const struct loom_place_problem *problem, const uint64_t *offsets)
{
	uint64_t height = 0;
	uint32_t i;

	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[i]) &&
		    height < offsets[i] + problem->items[i].size_bytes)
			height = offsets[i] + problem->items[i].size_bytes;
	return height;
}

/* Intersects the ascending ranges @a and @b; @out must have room for @num_a + @num_b ranges. */
static uint32_t intersect(const struct loom_place_range *a, uint32_t num_a,
			  const struct loom_place_range *b, uint32_t num_b,
			  struct loom_place_range *out)
{
	uint32_t i = 0, k = 0, count = 0;

	while (i < num_a && k < num_b) {
		struct loom_place_range both = {
			a[i].lower > b[k].lower ? a[i].lower : b[k].lower,
			a[i].upper < b[k].upper ? a[i].upper : b[k].upper,
		};

		if (both.lower < both.upper)
			out[count++] = both;
		if (a[i].upper < b[k].upper)
			i++;
		else
			k++;
	}
	return count;
}

/* Finds the offsets that no item may touch; the caller must free() them. */
static int find_forbidden(const struct loom_place_problem *problem,
			  struct loom_place_range **ranges, uint32_t *num_ranges)
{
	const struct loom_place_item *last = NULL;
	struct loom_place_range *out;
	uint32_t i;

	*ranges = NULL;
	*num_ranges = 0;
	for (i = 0; i < problem->num_items; i++) {
		const struct loom_place_item *item = &problem->items[i];

		/* mostly all items have the same ranges */
		if (!loom_place_has_room(item) ||
		    (last && last->excluded == item->excluded &&
		     last->num_excluded == item->num_excluded))
			continue;
		out = calloc((size_t)*num_ranges + item->num_excluded + 1, sizeof(*out));
		if (!out) {
			free(*ranges);
			*ranges = NULL;
			return -ENOMEM;
		}
		*num_ranges = intersect(last ? *ranges : item->excluded,
					last ? *num_ranges : item->num_excluded,
					item->excluded, item->num_excluded, out);
		free(*ranges);
		*ranges = out;
		if (!*num_ranges)
			break;
		last = item;
	}
	return 0;
}

int loom_place_raise(const struct loom_place_problem *problem, uint64_t *bytes)
{
	struct loom_place_range *ranges;
	uint32_t num_ranges, i;
	int ret;

	ret = find_forbidden(problem, &ranges, &num_ranges);
	for (i = 0; i < num_ranges && !ret && ranges[i].lower < *bytes; i++)
		*bytes = loom_place_add(*bytes, ranges[i].upper - ranges[i].lower);
	free(ranges);
	return ret;
}

int loom_place_apart_make(struct loom_place_apart *apart, const struct loom_place_problem *problem)
{
	uint32_t i;

	apart->first = calloc((size_t)problem->num_items + 2, sizeof(*apart->first));
	apart->with = calloc(2 * (size_t)problem->num_apart + 1, sizeof(*apart->with));
	if (!apart->first || !apart->with) {
		loom_place_apart_clear(apart);
		return -ENOMEM;
	}
	/* counts are two entries ahead, as filling in moves each to its end */
	for (i = 0; i < problem->num_apart; i++) {
		apart->first[problem->apart[i].first + 2]++;
		apart->first[problem->apart[i].second + 2]++;
	}
	for (i = 2; i < problem->num_items + 2; i++)
		apart->first[i] += apart->first[i - 1];
	for (i = 0; i < problem->num_apart; i++) {
		const struct loom_place_pair *pair = &problem->apart[i];

		apart->with[apart->first[pair->first + 1]++] = pair->second;
		apart->with[apart->first[pair->second + 1]++] = pair->first;
	}
	return 0;
}

void loom_place_apart_clear(struct loom_place_apart *apart)
{
	free(apart->first);
	free(apart->with);
	memset(apart, 0, sizeof(*apart));
}
