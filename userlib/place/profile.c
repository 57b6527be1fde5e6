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

	for (; loom_place_has_room(item) && *at <= 2 * item->num_gaps; ++*at) {
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
		at = 0;
		while (loom_place_next_part(&problem->items[i], &at, &(*parts)[*num_parts]))
			(*parts)[(*num_parts)++].item = i;
	}
	return 0;
}

void loom_place_sort_events(struct loom_radix *events)
{
	struct loom_radix_entry *sorted = events->spare;
	size_t count = 0, i;
	unsigned int begins;

	for (begins = 0; begins < 2; begins++)
		for (i = 0; i < events->count; i++)
			if (loom_place_event_begins(&events->entries[i]) == begins)
				sorted[count++] = events->entries[i];
	events->spare = events->entries;
	events->entries = sorted;
	loom_radix_sort(events);
}

int loom_place_part_events(const struct loom_place_part *parts, size_t num_parts,
			   struct loom_radix *events)
{
	size_t i;

	*events = (struct loom_radix){ .count = 0 };
	if (loom_radix_reserve(events, 2 * num_parts + 1))
		return -ENOMEM;
	for (i = 0; i < num_parts; i++)
		loom_place_add_events(events, parts[i].lower, parts[i].upper, i);
	loom_place_sort_events(events);
	return 0;
}

int loom_place_item_events(const struct loom_place_problem *problem, struct loom_radix *events)
{
	uint32_t i;

	*events = (struct loom_radix){ .count = 0 };
	if (loom_radix_reserve(events, 2 * (size_t)problem->num_items))
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++)
		if (loom_place_has_room(&problem->items[i]))
			loom_place_add_events(events, problem->items[i].lower,
					      problem->items[i].upper, i);
	loom_place_sort_events(events);
	return 0;
}

int loom_place_profile_make(struct loom_place_profile *profile,
			    const struct loom_place_part *parts, size_t num_parts,
			    uint32_t *culprit)
{
	struct loom_radix events;
	uint64_t alive = 0;
	size_t n = 0, i;
	int ret = loom_place_part_events(parts, num_parts, &events);

	memset(profile, 0, sizeof(*profile));
	*culprit = LOOM_PLACE_NONE;
	profile->moments = calloc(2 * num_parts + 1, sizeof(*profile->moments));
	profile->bytes = calloc(2 * num_parts + 1, sizeof(*profile->bytes));
	if (!profile->moments || !profile->bytes)
		ret = -ENOMEM;
	for (i = 0; i < events.count && !ret; i++) {
		const struct loom_radix_entry *event = &events.entries[i];
		const struct loom_place_part *part = &parts[loom_place_event_of(event)];

		if (!n || profile->moments[n - 1] != event->key)
			profile->moments[n++] = event->key;
		alive += loom_place_event_begins(event) ? part->size_bytes : -part->size_bytes;
		profile->bytes[n - 1] = alive;
		if (alive > INT64_MAX) {
			*culprit = part->item;
			ret = -ERANGE;
		}
	}
	profile->num_moments = n;
	for (i = 0; i < n && !ret; i++)
		if (profile->bytes[i] > profile->bytes[profile->peak])
			profile->peak = i;
	loom_radix_clear(&events);
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
	struct loom_place_profile profile;
	struct loom_place_part *parts;
	size_t num_parts;
	int ret;

	*peak = (struct loom_place_peak){ .culprit = LOOM_PLACE_NONE };
	ret = loom_place_parts(problem, &parts, &num_parts);
	if (ret)
		return ret;
	ret = loom_place_profile_make(&profile, parts, num_parts, &peak->culprit);
	free(parts);
	if (!ret) {
		peak->bytes = profile.bytes[profile.peak];
		peak->moment = profile.moments[profile.peak];
		loom_place_profile_clear(&profile);
	}
	return ret;
}
