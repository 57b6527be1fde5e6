// SPDX-License-Identifier: MIT
/* See DOC: Profile. */

#include "problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool loom_place_next_part(const struct loom_place_item *item, uint32_t *at,
			  struct loom_place_part *part)
{
	const struct loom_place_gap *gap;

	for (; *at <= 2 * item->num_gaps; ++*at) {
		gap = item->gaps + *at / 2;
		part->first = *at % 2 ? gap->window_lower : 0;
		part->size_bytes = *at % 2 ? gap->window_upper - gap->window_lower :
					     item->size_bytes;
		part->lower = *at % 2 ? gap->lower : *at ? gap[-1].upper : item->lower;
		part->upper = *at / 2 == item->num_gaps ? item->upper :
			      *at % 2 ? gap->upper : gap->lower;
		if (part->lower < part->upper &&
		    (!(*at % 2) || gap->window_lower < gap->window_upper)) {
			++*at;
			return true;
		}
	}
	return false;
}

int loom_place_parts(const struct loom_place_problem *problem, struct loom_place_part **parts,
		     size_t *num_parts)
{
	size_t most = 1;
	uint32_t i, at;

	*num_parts = 0;
	for (i = 0; i < problem->num_items; i++)
		most += 1 + 2 * (size_t)problem->items[i].num_gaps;
	*parts = calloc(most, sizeof(**parts));
	if (!*parts)
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++) {
		const struct loom_place_item *item = &problem->items[i];

		at = 0;
		while (loom_place_has_room(item) &&
		       loom_place_next_part(item, &at, &(*parts)[*num_parts]))
			(*parts)[(*num_parts)++].item = i;
	}
	return 0;
}

static int compare_events(const void *a, const void *b)
{
	const struct loom_place_event *x = a, *y = b;

	if (x->moment != y->moment)
		return x->moment < y->moment ? -1 : 1;
	if (x->begins != y->begins)
		return x->begins ? 1 : -1;
	return (x->of > y->of) - (x->of < y->of);
}

void loom_place_sort_events(struct loom_place_event *events, size_t count)
{
	qsort(events, count, sizeof(*events), compare_events);
}

struct loom_place_event *loom_place_part_events(const struct loom_place_part *parts,
						size_t num_parts)
{
	struct loom_place_event *events = calloc(2 * num_parts + 1, sizeof(*events));
	size_t count = 0, i;

	for (i = 0; i < num_parts && events; i++)
		loom_place_add_events(events, &count, parts[i].lower, parts[i].upper, i);
	if (events)
		loom_place_sort_events(events, count);
	return events;
}

/* Sums up from event *@at to the end of its moment. Returns -ERANGE beyond 63 bits. */
static int sum_moment(const struct loom_place_part *parts, const struct loom_place_event *events,
		      size_t num_events, size_t *at, uint64_t *alive, uint32_t *culprit)
{
	const int64_t moment = events[*at].moment;

	for (; *at < num_events && events[*at].moment == moment; ++*at) {
		const struct loom_place_part *part = &parts[events[*at].of];

		*alive += events[*at].begins ? part->size_bytes : -part->size_bytes;
		if (*alive > INT64_MAX) {
			*culprit = part->item;
			return -ERANGE;
		}
	}
	return 0;
}

int loom_place_profile_make(struct loom_place_profile *profile,
			    const struct loom_place_part *parts, size_t num_parts,
			    uint32_t *culprit)
{
	struct loom_place_event *events = loom_place_part_events(parts, num_parts);
	uint64_t alive = 0;
	size_t at = 0, n;
	int ret = -ENOMEM;

	memset(profile, 0, sizeof(*profile));
	*culprit = LOOM_PLACE_NONE;
	profile->moments = calloc(2 * num_parts + 1, sizeof(*profile->moments));
	profile->bytes = calloc(2 * num_parts + 1, sizeof(*profile->bytes));
	if (events && profile->moments && profile->bytes)
		ret = 0;
	while (at < 2 * num_parts && !ret) {
		n = profile->num_moments++;
		profile->moments[n] = events[at].moment;
		ret = sum_moment(parts, events, 2 * num_parts, &at, &alive, culprit);
		profile->bytes[n] = alive;
		if (alive > profile->bytes[profile->peak])
			profile->peak = n;
	}
	free(events);
	if (ret)
		loom_place_profile_clear(profile);
	return ret;
}

void loom_place_profile_clear(struct loom_place_profile *profile)
{
	free(profile->moments);
	free(profile->bytes);
	memset(profile, 0, sizeof(*profile));
}

size_t loom_place_profile_find(const struct loom_place_profile *profile, int64_t moment)
{
	size_t low = 0, high = profile->num_moments;

	while (low + 1 < high) {
		const size_t middle = low + (high - low) / 2;

		if (profile->moments[middle] <= moment)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int loom_place_find_peak(const struct loom_place_problem *problem, struct loom_place_peak *peak)
{
	struct loom_place_event *events = NULL;
	struct loom_place_part *parts;
	size_t num_parts, at = 0;
	uint64_t alive = 0;
	int64_t moment;
	int ret;

	*peak = (struct loom_place_peak){ .culprit = LOOM_PLACE_NONE };
	ret = loom_place_parts(problem, &parts, &num_parts);
	if (!ret)
		events = loom_place_part_events(parts, num_parts);
	if (!events)
		ret = -ENOMEM;
	while (!ret && at < 2 * num_parts) {
		moment = events[at].moment;
		ret = sum_moment(parts, events, 2 * num_parts, &at, &alive, &peak->culprit);
		if (!ret && (!peak->bytes || alive > peak->bytes)) {
			peak->bytes = alive;
			peak->moment = moment;
		}
	}
	free(events);
	free(parts);
	return ret;
}
