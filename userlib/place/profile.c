// SPDX-License-Identifier: MIT
/* See DOC: Profile. */
#include "profile.h"

#include "problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lifetime of an owner and its aliases. */
struct span {
	int64_t lower;	/* first moment */
	int64_t upper;	/* first moment after it */
	bool shared;	/* it has aliases */
};

static struct span *make_spans(const struct loom_place_problem *problem)
{
	const struct loom_place_item *item;
	struct span *spans;
	uint32_t i;

	spans = calloc(problem->num_items + 1ULL, sizeof(*spans));
	if (!spans)
		return NULL;
	for (i = 0; i < problem->num_items; i++) {
		item = &problem->items[i];
		spans[i] = (struct span){ item->lower, item->upper, false };
	}
	/* an owner precedes its aliases, so in reverse order each is complete when it is visited */
	for (i = problem->num_items; i-- > 0;) {
		const uint32_t owner = loom_place_owner(problem->items, i);

		if (owner >= i)
			continue;
		spans[owner].shared = true;
		if (spans[i].lower < spans[owner].lower)
			spans[owner].lower = spans[i].lower;
		if (spans[i].upper > spans[owner].upper)
			spans[owner].upper = spans[i].upper;
	}
	return spans;
}

/* Splits one item into parts and returns their number. With @parts NULL it only counts. */
static size_t item_parts(const struct loom_place_item *item, uint32_t index,
			 const struct span *span,
			 struct loom_place_part *parts)
{
	struct loom_place_part part = { .item = index, .size_bytes = item->size_bytes };
	const uint32_t num_gaps = span->shared ? 0 : item->num_gaps;
	const struct loom_place_gap *gap;
	int64_t from = span->lower;
	size_t count = 0;
	uint32_t i;

	if (loom_place_is_alias(item) || !item->size_bytes)
		return 0;
	for (i = 0; i <= num_gaps; i++) {
		gap = i < num_gaps ? &item->gaps[i] : NULL;
		part.lower = from;
		part.upper = gap ? gap->lower : span->upper;
		if (part.lower < part.upper) {
			if (parts)
				parts[count] = part;
			count++;
		}
		if (!gap)
			break;
		from = gap->upper;
		if (gap->window_lower >= gap->window_upper)
			continue;
		if (parts)
			parts[count] = (struct loom_place_part){
				index, gap->lower, gap->upper, gap->window_lower,
				gap->window_upper - gap->window_lower,
			};
		count++;
	}
	return count;
}

int loom_place_parts(const struct loom_place_problem *problem, struct loom_place_part **parts,
		     size_t *num_parts)
{
	struct span *spans = make_spans(problem);
	size_t count = 0;
	uint32_t i;

	*parts = NULL;
	*num_parts = 0;
	if (!spans)
		return -ENOMEM;
	for (i = 0; i < problem->num_items; i++)
		count += item_parts(&problem->items[i], i, &spans[i], NULL);
	*parts = calloc(count + 1, sizeof(**parts));
	if (!*parts) {
		free(spans);
		return -ENOMEM;
	}
	for (i = 0; i < problem->num_items; i++)
		*num_parts += item_parts(&problem->items[i], i, &spans[i],
						    *parts + *num_parts);
	free(spans);
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

static int sum_events(struct loom_place_profile *profile,
		      const struct loom_place_part *parts,
		      const struct loom_place_event *events, size_t num_events,
		      uint32_t *culprit)
{
	uint64_t alive = 0;
	size_t i;

	for (i = 0; i < num_events; i++) {
		if (events[i].begins)
			alive += parts[events[i].of].size_bytes;
		else
			alive -= parts[events[i].of].size_bytes;
		if (alive > INT64_MAX) {
			*culprit = parts[events[i].of].item;
			return -ERANGE;
		}
		if (i + 1 < num_events && events[i + 1].moment == events[i].moment)
			continue;
		profile->moments[profile->num_moments] = events[i].moment;
		profile->bytes[profile->num_moments] = alive;
		if (alive > profile->bytes[profile->peak])
			profile->peak = profile->num_moments;
		profile->num_moments++;
	}
	return 0;
}

int loom_place_profile_make(struct loom_place_profile *profile,
			    const struct loom_place_part *parts, size_t num_parts,
			    uint32_t *culprit)
{
	struct loom_place_event *events;
	size_t i;
	int ret = -ENOMEM;

	memset(profile, 0, sizeof(*profile));
	*culprit = LOOM_PLACE_NONE;
	events = calloc(2 * num_parts + 1, sizeof(*events));
	profile->moments = calloc(2 * num_parts + 1, sizeof(*profile->moments));
	profile->bytes = calloc(2 * num_parts + 1, sizeof(*profile->bytes));
	if (events && profile->moments && profile->bytes) {
		for (i = 0; i < num_parts; i++) {
			events[2 * i] = (struct loom_place_event){ parts[i].lower, true, i };
			events[2 * i + 1] = (struct loom_place_event){ parts[i].upper, false, i };
		}
		loom_place_sort_events(events, 2 * num_parts);
		ret = sum_events(profile, parts, events, 2 * num_parts, culprit);
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
	struct loom_place_profile profile;
	struct loom_place_part *parts;
	size_t num_parts;
	int ret;

	*peak = (struct loom_place_peak){ .culprit = LOOM_PLACE_NONE };
	ret = loom_place_parts(problem, &parts, &num_parts);
	if (ret)
		return ret;
	ret = loom_place_profile_make(&profile, parts, num_parts, &peak->culprit);
	if (!ret && num_parts) {
		peak->bytes = profile.bytes[profile.peak];
		peak->moment = profile.moments[profile.peak];
	}
	if (!ret)
		loom_place_profile_clear(&profile);
	free(parts);
	return ret;
}
