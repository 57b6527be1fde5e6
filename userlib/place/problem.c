// SPDX-License-Identifier: MIT
/* What everything that handles placement problems needs: faults, alignment, heights, pairs. */
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
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return code;
}

int loom_place_no_space(struct loom_place_fault *fault, uint32_t item, uint64_t needed,
			uint64_t capacity, const char *what)
{
	loom_place_fail(fault, -ENOSPC, item, LOOM_PLACE_NONE,
			"%s %llu bytes, %llu more than the capacity of %llu", what,
			(unsigned long long)needed, (unsigned long long)(needed - capacity),
			(unsigned long long)capacity);
	if (fault)
		fault->missing_bytes = needed - capacity;
	return -ENOSPC;
}

bool loom_place_align(uint64_t *offset, uint64_t align_bytes)
{
	uint64_t rest = *offset % align_bytes;

	if (rest && __builtin_add_overflow(*offset, align_bytes - rest, offset))
		return false;
	return *offset <= INT64_MAX;
}

static uint64_t divisor(uint64_t a, uint64_t b)
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
	return !__builtin_mul_overflow(*align, other / divisor(*align, other), align) &&
	       *align <= INT64_MAX;
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
