// SPDX-License-Identifier: MIT
/* What no placement can beat. See loom_place.h. */
#include "place.h"

#include <errno.h>
#include <stdlib.h>

#include "profile.h"

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

int loom_place_bound(const struct loom_place_problem *problem, uint64_t *bound_bytes)
{
	struct loom_place_item *items = calloc((size_t)problem->num_items + 1, sizeof(*items));
	struct loom_place_problem one = *problem;
	struct loom_place_ready ready;
	struct loom_place_peak peak;
	uint32_t i;
	int ret;

	*bound_bytes = 0;
	if (!items)
		return -ENOMEM;
	for (i = 0; i < problem->num_items && problem->items; i++) {
		items[i] = problem->items[i];
		items[i].pools = 0;
	}
	if (problem->items)
		one.items = items;
	one.pools = NULL;
	ret = loom_place_resolve(&ready, &one, NULL);
	if (!ret)
		ret = loom_place_find_peak(&ready.problem, &peak);
	if (!ret)
		*bound_bytes = peak.bytes;
	for (i = 0; i < problem->num_items && !ret; i++) {
		const struct loom_place_item *item = &ready.items[i];

		if (loom_place_has_room(item) && item->fixed != LOOM_PLACE_ANYWHERE &&
		    *bound_bytes < item->fixed + item->size_bytes)
			*bound_bytes = item->fixed + item->size_bytes;
	}
	loom_place_ready_clear(&ready);
	free(items);
	return ret;
}
