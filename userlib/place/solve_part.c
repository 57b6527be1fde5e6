// SPDX-License-Identifier: MIT
/*
 * DOC: The solver's parts
 *
 * Items that do not overlap in time, not even through others, are independent. Each connected
 * component is a part, with its sections, its sets of items and its bound.
 *
 * A section is a maximal set of items that are alive at one moment: there is one wherever an item
 * ends after another has begun. The sets of items at other moments are subsets of these.
 */
#include "problem.h"
#include "solve_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* items of a part that is searched: sets by item take the square of this, in bits */
#define MAX_SMALL	4096
/* words of all sets of items by section; sections examined for all pairs to be kept apart */
#define MAX_WORDS	(1 << 22)
#define MAX_VISITS	(1 << 28)

/* The alignment that all items have in common. */
static uint64_t common_align(const struct loom_place_problem *problem)
{
	uint64_t align = 0;
	uint32_t i;

	for (i = 0; i < problem->num_items && align != 1; i++) {
		align = loom_place_divisor(align, problem->items[i].align_bytes);
		if (loom_place_is_fixed(&problem->items[i]))
			align = loom_place_divisor(align, problem->items[i].fixed);
	}
	return align ? align : 1;
}

/*
 * A divisor of all offsets of a placement in which no item can sink: these are sums of sizes,
 * raised to multiples of alignments.
 */
static uint64_t common_unit(const struct loom_place_problem *problem)
{
	uint64_t align = common_align(problem), unit = 0, before;
	uint32_t i, k;

	for (i = 0; i < problem->num_items; i++) {
		const struct loom_place_item *item = &problem->items[i];

		unit = loom_place_divisor(unit, loom_place_align_up(item->size_bytes, align));
		if (loom_place_is_fixed(item))
			unit = loom_place_divisor(unit, item->fixed);
		/* an item may start at the upper end of an excluded range */
		for (k = 0; k < item->num_excluded; k++)
			unit = loom_place_divisor(unit, item->excluded[k].upper);
	}
	/*
	 * alignments that divide the unit hold by themselves; a smaller unit may lose another one
	 */
	for (before = 0; unit != before;) {
		before = unit;
		for (i = 0; i < problem->num_items; i++)
			if (unit % problem->items[i].align_bytes)
				unit = loom_place_divisor(unit, problem->items[i].align_bytes);
	}
	return unit ? unit : 1;
}

uint64_t loom_solve_snap(const struct solve_part *part, uint32_t item, uint64_t offset)
{
	uint64_t align = part->aligns[item], unit = part->unit;
	uint64_t size_bytes = part->sizes[item] * unit - part->pads[item];
	uint32_t k = part->excluded[item], end = part->excluded[item + 1];

	for (;;) {
		if (align > 1)
			offset = loom_place_align_up(offset, align);
		while (k < end && part->ranges[k].upper <= offset * unit)
			k++;
		if (k == end || offset * unit + size_bytes <= part->ranges[k].lower)
			break;
		offset = (part->ranges[k].upper + unit - 1) / unit;
	}
	if (part->fixed[item] != SOLVE_NEVER)
		return offset <= part->fixed[item] ? part->fixed[item] : SOLVE_NEVER;
	return offset;
}

/* Adds events for the moments at which an item is alive, at least in part. */
static int add_events(const struct loom_place_item *item, uint32_t index, struct loom_radix *events)
{
	int ret = loom_radix_reserve(events, 2 + 2 * (size_t)item->num_gaps);
	int64_t from = item->lower;
	uint32_t k;

	for (k = 0; k <= item->num_gaps && !ret; k++) {
		const struct loom_place_gap *gap = k < item->num_gaps ? &item->gaps[k] : NULL;
		int64_t to = gap ? gap->lower : item->upper;

		if (gap && gap->window_upper > gap->window_lower)
			continue;
		if (from < to)
			loom_place_add_events(events, from, to, index);
		if (gap)
			from = gap->upper;
	}
	return ret;
}

static uint32_t find_root(uint32_t *up, uint32_t i)
{
	while (up[i] != i) {
		up[i] = up[up[i]];
		i = up[i];
	}
	return i;
}

static void unite(uint32_t *up, uint32_t a, uint32_t b)
{
	a = find_root(up, a);
	b = find_root(up, b);
	/* the lowest index is the root, so that parts are in the order of their first items */
	if (a < b)
		up[b] = a;
	else
		up[a] = b;
}

static void raise_bound(struct solve_part *part, uint64_t bytes)
{
	if (bytes > part->bound_bytes)
		part->bound_bytes = bytes;
}

/* By item: its constraints, in units. */
static int fill_items(const struct loom_place_problem *problem, struct solve_part *part)
{
	uint64_t unit = part->unit;
	uint32_t n = part->num_items, i, k, count = 0;

	for (i = 0; i < n; i++)
		count += problem->items[part->ids[i]].num_excluded;
	part->sizes = loom_arrays_take(&part->arrays, n, sizeof(*part->sizes));
	part->pads = loom_arrays_take(&part->arrays, n, sizeof(*part->pads));
	part->aligns = loom_arrays_take(&part->arrays, n, sizeof(*part->aligns));
	part->fixed = loom_arrays_take(&part->arrays, n, sizeof(*part->fixed));
	part->excluded = loom_arrays_take(&part->arrays, n + 1, sizeof(*part->excluded));
	part->ranges = loom_arrays_take(&part->arrays, count + 1, sizeof(*part->ranges));
	if (part->arrays.failed)
		return -ENOMEM;
	part->free = true;
	count = 0;
	for (i = 0; i < n; i++) {
		const struct loom_place_item *item = &problem->items[part->ids[i]];

		part->sizes[i] = (item->size_bytes + unit - 1) / unit;
		part->pads[i] = part->sizes[i] * unit - item->size_bytes;
		part->aligns[i] = unit % item->align_bytes ? item->align_bytes / unit : 1;
		part->fixed[i] = !loom_place_is_fixed(item) ? SOLVE_NEVER :
				 item->fixed / unit;
		part->excluded[i] = count;
		for (k = 0; k < item->num_excluded; k++)
			if (item->excluded[k].upper > item->excluded[k].lower)
				part->ranges[count++] = item->excluded[k];
		for (k = 0; k < item->num_gaps; k++)
			part->windows |= item->gaps[k].window_upper > item->gaps[k].window_lower;
		part->free &= part->aligns[i] == 1 && part->fixed[i] == SOLVE_NEVER &&
			      count == part->excluded[i];
	}
	part->excluded[n] = count;
	for (i = 0; i < n; i++) {
		uint64_t lowest = loom_solve_snap(part, i, 0);

		if (lowest == SOLVE_NEVER)
			part->bound_bytes = LOOM_PLACE_ANYWHERE;
		else
			raise_bound(part, lowest * unit + problem->items[part->ids[i]].size_bytes);
	}
	return 0;
}

static uint64_t *add_section(struct solve_part *part)
{
	uint64_t *set = part->members + (size_t)part->num_sections++ * part->item_words;

	memset(set, 0, part->item_words * sizeof(*set));
	return set;
}

static bool has_member(const struct solve_part *part, uint32_t section, uint32_t item)
{
	const uint64_t *set = part->members + (size_t)section * part->item_words;

	return set[item / 64] >> item % 64 & 1;
}

/* A pair that must be kept apart is a section; so is an item that is never alive. */
static void add_sections(struct solve_part *part, uint64_t *seen)
{
	uint32_t real = part->num_sections, i, k, s, w;
	uint64_t *set;

	for (k = 0; k < part->num_apart; k++) {
		uint32_t a = part->apart[k].first, b = part->apart[k].second;

		for (s = 0; s < real; s++)
			if (has_member(part, s, a) && has_member(part, s, b))
				break;
		if (s < real || a == b)
			continue;
		set = add_section(part);
		set[a / 64] |= 1ULL << a % 64;
		set[b / 64] |= 1ULL << b % 64;
	}
	memset(seen, 0, part->item_words * sizeof(*seen));
	for (s = 0; s < part->num_sections; s++)
		for (w = 0; w < part->item_words; w++)
			seen[w] |= part->members[(size_t)s * part->item_words + w];
	for (i = 0; i < part->num_items; i++)
		if (!(seen[i / 64] >> i % 64 & 1))
			add_section(part)[i / 64] |= 1ULL << i % 64;
}

/* The sections as sets, in the order of time. */
static int find_sections(const struct loom_place_problem *problem, struct solve_part *part)
{
	uint32_t n = part->num_items, words = part->item_words, i;
	uint64_t *live = calloc(words, sizeof(*live));
	struct loom_radix events = { 0 };
	bool begins, begun = false;
	int err = live ? 0 : -ENOMEM;
	size_t k;

	for (i = 0; i < n && !err; i++)
		err = add_events(&problem->items[part->ids[i]], i, &events);
	part->members = loom_arrays_take(&part->arrays,
					 (events.count / 2 + part->num_apart + n) * words,
					 sizeof(*part->members));
	if (!part->members)
		err = -ENOMEM;
	if (!err)
		loom_place_sort_events(&events);
	for (k = 0; k < events.count && !err; k++) {
		i = loom_place_event_of(&events.entries[k]);
		begins = loom_place_event_begins(&events.entries[k]);
		if (!begins && begun)
			memcpy(add_section(part), live, words * sizeof(*live));
		begun = begins;
		live[i / 64] ^= 1ULL << i % 64;
	}
	if (!err)
		add_sections(part, live);
	loom_radix_clear(&events);
	free(live);
	return err;
}

/* By section the sum of sizes; by item its sections, and the items that overlap it. */
static int fill_sets(struct solve_part *part)
{
	uint32_t n = part->num_items, words = part->item_words, i, s, v, w, total = 0;
	uint64_t set;

	part->section_words = (part->num_sections + 63) / 64;
	part->overlaps = loom_arrays_take(&part->arrays, (size_t)n * words,
					  sizeof(*part->overlaps));
	part->totals = loom_arrays_take(&part->arrays, part->num_sections, sizeof(*part->totals));
	part->first = loom_arrays_take(&part->arrays, n + 2, sizeof(*part->first));
	if (part->arrays.failed)
		return -ENOMEM;
	for (s = 0; s < part->num_sections; s++) {
		const uint64_t *members = part->members + (size_t)s * words;

		for (w = 0; w < words; w++) {
			for (set = members[w]; set; set &= set - 1) {
				i = w * 64 + __builtin_ctzll(set);
				part->first[i + 2]++;
				part->totals[s] += part->sizes[i];
				total++;
				for (v = 0; v < words; v++)
					part->overlaps[(size_t)i * words + v] |= members[v];
			}
		}
	}
	part->sections = loom_arrays_take(&part->arrays, total + 1, sizeof(*part->sections));
	if (part->arrays.failed)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		part->overlaps[(size_t)i * words + i / 64] &= ~(1ULL << i % 64);
		part->first[i + 2] += part->first[i + 1];
	}
	/* filled one entry ahead: each list ends where the next begins */
	for (s = 0; s < part->num_sections; s++) {
		for (w = 0; w < words; w++) {
			set = part->members[(size_t)s * words + w];
			for (; set; set &= set - 1) {
				i = w * 64 + __builtin_ctzll(set);
				part->sections[part->first[i + 1]++] = s;
			}
		}
	}
	part->plain = true;
	for (i = 0; i < n; i++)
		part->plain &= part->sections[part->first[i + 1] - 1] -
			       part->sections[part->first[i]] + 1 ==
			       part->first[i + 1] - part->first[i];
	part->small = true;
	return 0;
}

/* Whether the sets, and the time to make them, are within the limits. */
static bool is_small(const struct loom_place_problem *problem, const struct solve_part *part)
{
	uint64_t rows = (uint64_t)part->num_apart + 2 * (uint64_t)part->num_items, i;

	if (part->num_items > MAX_SMALL)
		return false;
	for (i = 0; i < part->num_items; i++)
		rows += problem->items[part->ids[i]].num_gaps;
	return rows * part->item_words <= MAX_WORDS && rows * part->num_apart <= MAX_VISITS;
}

/* The items of a section are stacked, and the topmost may lack its pad. */
static void bound_sections(struct solve_part *part)
{
	uint32_t s, i;

	for (s = 0; s < part->num_sections; s++) {
		const uint64_t *set = part->members + (size_t)s * part->item_words;
		uint64_t pad = 0;

		for (i = 0; i < part->num_items; i++)
			if ((set[i / 64] >> i % 64 & 1) && part->pads[i] > pad)
				pad = part->pads[i];
		raise_bound(part, part->totals[s] * part->unit - pad);
	}
}

/* Checks that all sums in the search stay far below SOLVE_NEVER. */
static bool is_countable(const struct solve_part *part)
{
	const uint64_t most = SOLVE_NEVER / 4;
	uint64_t sum = 0;
	uint32_t i, k;

	for (i = 0; i < part->num_items; i++) {
		if (part->sizes[i] > most - sum)
			return false;
		sum += part->sizes[i];
		if (part->fixed[i] != SOLVE_NEVER && part->fixed[i] > most)
			return false;
		for (k = part->excluded[i]; k < part->excluded[i + 1]; k++)
			if (part->ranges[k].upper / part->unit > most)
				return false;
	}
	return true;
}

int loom_solve_fill(const struct loom_place_problem *problem, struct solve_part *part)
{
	int err;

	part->item_words = (part->num_items + 63) / 64;
	if (!is_small(problem, part))
		return 0;
	err = fill_items(problem, part);
	if (err || !is_countable(part))
		return err;
	err = find_sections(problem, part);
	if (!err)
		err = fill_sets(part);
	/* with windows a section's sum exceeds the bytes alive */
	if (!err && !part->windows)
		bound_sections(part);
	return err;
}

/* By item of the problem: the root of its part. */
static int find_parts(const struct loom_place_problem *problem, uint32_t *up)
{
	uint32_t n = problem->num_items, i, of, live = 0, any = 0;
	struct loom_radix events = { 0 };
	int err = loom_radix_reserve(&events, 2 * (size_t)n);
	size_t k;

	for (i = 0; i < n && !err; i++) {
		up[i] = i;
		err = add_events(&problem->items[i], i, &events);
	}
	if (!err)
		loom_place_sort_events(&events);
	for (k = 0; k < events.count && !err; k++) {
		if (!loom_place_event_begins(&events.entries[k])) {
			live--;
			continue;
		}
		of = loom_place_event_of(&events.entries[k]);
		if (live++)
			unite(up, any, of);
		any = of;
	}
	for (k = 0; k < problem->num_apart && !err; k++)
		unite(up, problem->apart[k].first, problem->apart[k].second);
	for (i = 0; i < n && !err; i++)
		up[i] = find_root(up, i);
	loom_radix_clear(&events);
	return err;
}

/* Both items of a pair are in the same part, as find_parts() united them. */
static int deal_pairs(const struct loom_place_problem *problem, struct solve_part *parts,
		      uint32_t num_parts, const uint32_t *which, const uint32_t *where)
{
	uint32_t i, k;

	for (k = 0; k < problem->num_apart; k++)
		parts[which[problem->apart[k].first]].num_apart++;
	for (i = 0; i < num_parts; i++) {
		parts[i].apart = loom_arrays_take(&parts[i].arrays, parts[i].num_apart,
						  sizeof(*parts[i].apart));
		if (!parts[i].apart)
			return -ENOMEM;
		parts[i].num_apart = 0;
	}
	for (k = 0; k < problem->num_apart; k++) {
		const struct loom_place_pair *pair = &problem->apart[k];
		struct solve_part *part = &parts[which[pair->first]];

		part->apart[part->num_apart++] = (struct loom_place_pair){
			where[pair->first], where[pair->second], 0,
		};
	}
	return 0;
}

int loom_solve_split(const struct loom_place_problem *problem, struct solve_part **parts,
		     uint32_t *num_parts)
{
	uint64_t unit = common_unit(problem);
	uint32_t n = problem->num_items, i, count = 0;
	struct loom_arrays arrays = { 0 };
	uint32_t *up = loom_arrays_take(&arrays, n, sizeof(*up));
	uint32_t *where = loom_arrays_take(&arrays, n, sizeof(*where));
	uint32_t *which = loom_arrays_take(&arrays, n, sizeof(*which));
	struct solve_part *made = NULL;
	int err = -ENOMEM;

	if (arrays.failed)
		goto out;
	err = find_parts(problem, up);
	if (err)
		goto out;
	for (i = 0; i < n; i++)
		which[i] = up[i] == i ? count++ : which[up[i]];
	err = -ENOMEM;
	made = calloc(count + 1, sizeof(*made));
	if (!made)
		goto out;
	for (i = 0; i < n; i++)
		where[i] = made[which[i]].num_items++;
	for (i = 0; i < count; i++) {
		made[i].unit = unit;
		made[i].ids = loom_arrays_take(&made[i].arrays, made[i].num_items,
					       sizeof(*made[i].ids));
		if (!made[i].ids)
			goto out;
	}
	for (i = 0; i < n; i++)
		made[which[i]].ids[where[i]] = i;
	err = deal_pairs(problem, made, count, which, where);
out:
	loom_arrays_free(&arrays);
	if (err) {
		loom_solve_unsplit(made, count);
		return err;
	}
	*parts = made;
	*num_parts = count;
	return 0;
}

void loom_solve_unsplit(struct solve_part *parts, uint32_t num_parts)
{
	uint32_t i;

	for (i = 0; parts && i < num_parts; i++)
		loom_arrays_free(&parts[i].arrays);
	free(parts);
}
