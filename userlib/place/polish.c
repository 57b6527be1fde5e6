// SPDX-License-Identifier: MIT
/*
 * DOC: Improving large placements
 *
 * Dives and ejections alternate, with about the same number of visits. Each rule of the dives is
 * tried once. After that every other dive repeats the rule with the fewest items left, with other
 * noise, and the remaining dives cycle through all rules. Ejections continue from the lowest
 * placement of all.
 */
#include "polish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "problem.h"

#define MAX_RULES	32
/* visits between two reads of the clock */
#define EJECT_SLICE	(4ULL << 20)
/* visits per item that the first dive may spend even beyond the budget */
#define LONG_DIVE	1200ULL

/* The state between two calls. */
struct loom_polish {
	const struct loom_place_item *items;
	uint32_t num_items;			/* number of @items */
	uint64_t goal_bytes;			/* sufficient height: stop there */
	struct loom_dive *dive;			/* dives */
	struct loom_eject *eject;		/* ejections, once there is a placement */
	/* by rule: fewest items that were left when a dive ended */
	uint32_t nearest[MAX_RULES];
	uint64_t dives;				/* how many there were */
	bool too_long;				/* a dive takes longer than the remaining budget */
	uint64_t dive_visits;			/* visits of all dives */
	uint64_t eject_visits;			/* visits of all ejections */
};

bool loom_polish_can(const struct loom_place_item *items, uint32_t num_items, uint32_t num_apart)
{
	uint64_t sum = 0, most = 1ULL << 60;
	uint32_t i;

	if (num_items < 2 || num_apart)
		return false;
	for (i = 0; i < num_items; i++) {
		const struct loom_place_item *item = &items[i];

		if (item->flags || item->num_gaps || item->num_excluded)
			return false;
		/* bounds each term so that no sum can overflow */
		if (item->size_bytes > most || item->align_bytes > most)
			return false;
		sum += item->size_bytes + item->align_bytes;
		if (sum > most)
			return false;
	}
	return true;
}

static unsigned int next_rule(const struct loom_polish *p)
{
	unsigned int rules = loom_dive_num_rules(), best = 0, k;

	if (p->dives < rules || p->dives % 2)
		return (unsigned int)(p->dives < rules ? p->dives : p->dives / 2 % rules);
	for (k = 1; k < rules; k++)
		if (p->nearest[k] < p->nearest[best])
			best = k;
	return best;
}

static void dive(struct loom_polish *p, uint64_t max_visits, int64_t deadline_ns,
		 uint64_t *offsets, uint64_t *height)
{
	struct loom_dive_try try = {
		.rule = next_rule(p), .seed = p->dives + 1, .limit_bytes = *height,
	};

	if (*height != LOOM_PLACE_ANYWHERE) {
		try.max_visits = max_visits;
		try.deadline_ns = deadline_ns;
	}
	loom_dive_run(p->dive, &try);
	p->too_long |= try.late;
	if (try.left < p->nearest[try.rule])
		p->nearest[try.rule] = try.left;
	p->dives++;
	p->dive_visits += try.visits;
	if (try.height_bytes >= *height)
		return;
	*height = try.height_bytes;
	memcpy(offsets, loom_dive_offsets(p->dive), p->num_items * sizeof(*offsets));
}

static int eject(struct loom_polish *p, uint64_t visits, int64_t deadline_ns, uint64_t *offsets,
		 uint64_t *height)
{
	uint64_t left = visits, slice;
	int ret = 0;

	if (!p->eject)
		ret = loom_eject_create(p->items, p->num_items, p->goal_bytes, &p->eject);
	if (ret)
		return ret;
	if (*height < loom_eject_height(p->eject))
		loom_eject_reset(p->eject, offsets, *height);
	while (left && loom_eject_height(p->eject) > p->goal_bytes &&
	       loom_place_left_ns(deadline_ns)) {
		slice = deadline_ns ? min(left, EJECT_SLICE) : left;
		left -= slice;
		loom_eject_run(p->eject, &slice);
		left += slice;
	}
	p->eject_visits += visits - left;
	if (loom_eject_height(p->eject) < *height) {
		*height = loom_eject_height(p->eject);
		memcpy(offsets, loom_eject_offsets(p->eject), p->num_items * sizeof(*offsets));
	}
	return 0;
}

int loom_polish_run(struct loom_polish *p, uint64_t *visits, int64_t deadline_ns, uint64_t *offsets,
		    uint64_t *height)
{
	uint64_t spent = p->dive_visits + p->eject_visits, end = spent + *visits;
	int ret = 0;

	while (spent < end && *height > p->goal_bytes && !ret) {
		if (*height == LOOM_PLACE_ANYWHERE ||
		    (!p->too_long && (p->dives < loom_dive_num_rules() ||
				      p->dive_visits <= p->eject_visits)))
			dive(p, end - spent + LONG_DIVE * p->num_items, deadline_ns, offsets,
			     height);
		else
			ret = eject(p, min(end - spent, p->dive_visits), deadline_ns, offsets,
				    height);
		if (!loom_place_left_ns(deadline_ns))
			break;
		spent = p->dive_visits + p->eject_visits;
	}
	spent = p->dive_visits + p->eject_visits;
	*visits = spent < end ? end - spent : 0;
	return ret;
}

int loom_polish_create(const struct loom_place_item *items, uint32_t num_items,
		       uint64_t goal_bytes, struct loom_polish **polish)
{
	struct loom_polish *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return -ENOMEM;
	p->items = items;
	p->num_items = num_items;
	p->goal_bytes = goal_bytes;
	memset(p->nearest, 0xff, sizeof(p->nearest));
	ret = loom_dive_create(items, num_items, goal_bytes, &p->dive);
	if (ret) {
		loom_polish_destroy(p);
		return ret;
	}
	*polish = p;
	return 0;
}

void loom_polish_destroy(struct loom_polish *p)
{
	if (!p)
		return;
	loom_dive_destroy(p->dive);
	loom_eject_destroy(p->eject);
	free(p);
}
