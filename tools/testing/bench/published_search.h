/* SPDX-License-Identifier: MIT */
#ifndef LOOM_BENCH_PUBLISHED_SEARCH_H
#define LOOM_BENCH_PUBLISHED_SEARCH_H

/*
 * The published search (Moffitt, MiniMalloc, ASPLOS 2023), written from its description, as what
 * the solver is compared with. Items are taken by the least offset that they can have, then by a
 * static order, and placed only there. Its rules:
 *
 * canonical	no (offset, index) below that of the item placed last
 * dominance	no offset at which another item would already have ended
 * inference	in each section what is left has to fit above the floor
 * hatless	if nothing is left above an item and it fails, so do its siblings
 * pieces	where no item crosses, the two sides are solved on their own
 *
 * Three static orders take turns: width, area, total; total, area, width; total, width, area. Each
 * is begun anew with twice the nodes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loom_place.h"

#define PUBLISHED_MAX	512

enum published_answer {
	PUBLISHED_FOUND,
	PUBLISHED_NONE,
	PUBLISHED_LIMIT,
};

struct published_item {
	uint64_t size;
	uint32_t first;
	uint32_t last;
	uint64_t total;
	uint32_t id;
	uint32_t num_meets;
	uint16_t meets[PUBLISHED_MAX];
};

struct published {
	struct published_item items[PUBLISHED_MAX];
	uint32_t num_items;
	uint32_t num_sections;
	uint64_t totals[PUBLISHED_MAX];
	uint64_t floors[PUBLISHED_MAX];
	uint64_t mins[PUBLISHED_MAX];
	uint64_t offsets[PUBLISHED_MAX];
	bool placed[PUBLISHED_MAX];
	uint64_t capacity;
	uint64_t nodes;
	uint64_t node_limit;
	double end;
	bool late;
};

static inline double published_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const char *published_order;

static uint64_t published_key(const struct published_item *item, char key)
{
	uint64_t width = item->last - item->first;

	return key == 'W' ? width : key == 'A' ? width * item->size : item->total;
}

static int published_compare(const void *a, const void *b)
{
	const struct published_item *x = a, *y = b;
	const char *key;

	for (key = published_order; *key; key++) {
		uint64_t p = published_key(x, *key), q = published_key(y, *key);

		if (p != q)
			return p > q ? -1 : 1;
	}
	return x->id < y->id ? -1 : 1;
}

static int published_times(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Sections: between an end that follows a begin and the next such end. */
static void published_init(struct published *p, const struct loom_place_problem *problem)
{
	int64_t times[2 * PUBLISHED_MAX][2], ends[PUBLISHED_MAX];
	uint32_t i, k, n = problem->num_items;
	bool begun = false;

	memset(p, 0, sizeof(*p));
	p->num_items = n;
	for (i = 0; i < n; i++) {
		times[2 * i][0] = problem->items[i].lower;
		times[2 * i][1] = 1;
		times[2 * i + 1][0] = problem->items[i].upper;
		times[2 * i + 1][1] = 0;
	}
	qsort(times, 2 * n, sizeof(times[0]), published_times);
	for (i = 0; i < 2 * n; i++) {
		if (!times[i][1] && begun)
			ends[p->num_sections++] = times[i][0];
		begun = times[i][1];
	}
	for (i = 0; i < n; i++) {
		struct published_item *item = &p->items[i];

		item->size = problem->items[i].size_bytes;
		item->id = i;
		while (ends[item->first] <= problem->items[i].lower)
			item->first++;
		for (k = item->first; k < p->num_sections && ends[k] <= problem->items[i].upper;)
			k++;
		item->last = k;
		for (k = item->first; k < item->last; k++)
			p->totals[k] += item->size;
	}
	for (i = 0; i < n; i++)
		for (k = p->items[i].first; k < p->items[i].last; k++)
			if (p->totals[k] > p->items[i].total)
				p->items[i].total = p->totals[k];
}

static void published_arrange(struct published *p, const char *order)
{
	uint32_t i, k, n = p->num_items;

	published_order = order;
	qsort(p->items, n, sizeof(p->items[0]), published_compare);
	for (i = 0; i < n; i++) {
		p->items[i].num_meets = 0;
		for (k = 0; k < n; k++)
			if (k != i && p->items[i].first < p->items[k].last &&
			    p->items[k].first < p->items[i].last)
				p->items[i].meets[p->items[i].num_meets++] = k;
	}
	memset(p->mins, 0, sizeof(p->mins));
	memset(p->floors, 0, sizeof(p->floors));
	memset(p->placed, 0, sizeof(p->placed));
	memset(p->totals, 0, sizeof(p->totals));
	for (i = 0; i < n; i++)
		for (k = p->items[i].first; k < p->items[i].last; k++)
			p->totals[k] += p->items[i].size;
	p->nodes = 0;
}

/* Places an item; what it raised is noted. False if something does not fit any more. */
static bool published_place(struct published *p, uint32_t i, uint32_t from, uint32_t to,
			    uint64_t *mins, uint64_t *floors, bool *hatless)
{
	const struct published_item *item = &p->items[i];
	uint64_t offset = p->mins[i], top = offset + item->size;
	bool changed[PUBLISHED_MAX] = { false }, fits = true;
	uint32_t k, s;

	memcpy(mins, p->mins, p->num_items * sizeof(*mins));
	memcpy(floors + from, p->floors + from, (to - from) * sizeof(*floors));
	p->offsets[i] = offset;
	p->placed[i] = true;
	*hatless = true;
	for (s = item->first; s < item->last; s++) {
		p->totals[s] -= item->size;
		changed[s] = true;
	}
	for (k = 0; k < item->num_meets; k++) {
		uint32_t j = item->meets[k];

		if (p->placed[j])
			continue;
		*hatless = false;
		if (p->mins[j] >= top)
			continue;
		p->mins[j] = top;
		fits &= top + p->items[j].size <= p->capacity;
		for (s = p->items[j].first; s < p->items[j].last; s++)
			changed[s] = true;
	}
	for (s = from; s < to; s++)
		if (changed[s])
			p->floors[s] = UINT64_MAX / 2;
	for (k = 0; k < p->num_items; k++) {
		if (p->placed[k] || p->items[k].first >= to || p->items[k].last <= from)
			continue;
		for (s = p->items[k].first; s < p->items[k].last; s++)
			if (changed[s] && p->mins[k] < p->floors[s])
				p->floors[s] = p->mins[k];
	}
	for (s = from; s < to && fits; s++) {
		uint64_t floor = p->floors[s] > offset ? p->floors[s] : offset;

		if (p->totals[s])
			fits = floor + p->totals[s] <= p->capacity;
	}
	return fits;
}

static enum published_answer published_search(struct published *p, uint32_t from, uint32_t to,
					      uint64_t last_offset, uint32_t last_index);

/* What is left in some sections, piece by piece. */
static enum published_answer published_pieces(struct published *p, uint32_t from, uint32_t to,
					      uint64_t offset, uint32_t index)
{
	bool crosses[PUBLISHED_MAX] = { false };
	enum published_answer answer;
	uint32_t i, s, begin = from;

	for (i = 0; i < p->num_items; i++) {
		if (p->placed[i] || p->items[i].first >= to || p->items[i].last <= from)
			continue;
		for (s = p->items[i].first + 1; s < p->items[i].last; s++)
			crosses[s] = true;
	}
	for (s = from + 1; s <= to; s++) {
		if (s < to && crosses[s])
			continue;
		answer = published_search(p, begin, s, offset, index);
		if (answer != PUBLISHED_FOUND)
			return answer;
		begin = s;
	}
	return PUBLISHED_FOUND;
}

static enum published_answer published_search(struct published *p, uint32_t from, uint32_t to,
					      uint64_t last_offset, uint32_t last_index)
{
	uint32_t order[PUBLISHED_MAX], count = 0, i, k, s;
	uint64_t mins[PUBLISHED_MAX], floors[PUBLISHED_MAX];
	uint64_t least = UINT64_MAX;
	enum published_answer answer = PUBLISHED_NONE;

	for (i = 0; i < p->num_items; i++) {
		if (p->placed[i] || p->items[i].first >= to || p->items[i].last <= from)
			continue;
		for (k = count++; k && p->mins[order[k - 1]] > p->mins[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
		if (p->mins[i] + p->items[i].size < least)
			least = p->mins[i] + p->items[i].size;
	}
	if (!count)
		return PUBLISHED_FOUND;
	for (k = 0; k < count && answer == PUBLISHED_NONE; k++) {
		uint64_t offset = p->mins[order[k]];
		bool hatless, fits;

		i = order[k];
		if (offset >= least)
			break;
		if (offset < last_offset || (offset == last_offset && i < last_index))
			continue;
		if (++p->nodes > p->node_limit)
			return PUBLISHED_LIMIT;
		if (!(p->nodes & 1023) && published_cpu() > p->end) {
			p->late = true;
			return PUBLISHED_LIMIT;
		}
		fits = published_place(p, i, from, to, mins, floors, &hatless);
		if (fits)
			answer = published_pieces(p, from, to, offset, i);
		if (answer == PUBLISHED_FOUND)
			break;
		p->placed[i] = false;
		for (s = p->items[i].first; s < p->items[i].last; s++)
			p->totals[s] += p->items[i].size;
		/* pieces that were solved before another one failed are taken back, too */
		for (s = 0; fits && s < count; s++) {
			uint32_t j = order[s], t;

			if (j == i || !p->placed[j])
				continue;
			p->placed[j] = false;
			for (t = p->items[j].first; t < p->items[j].last; t++)
				p->totals[t] += p->items[j].size;
		}
		memcpy(p->mins, mins, p->num_items * sizeof(*mins));
		memcpy(p->floors + from, floors + from, (to - from) * sizeof(*floors));
		if (fits && hatless)
			break;
	}
	return answer;
}

/**
 * published_run() - the published search, until it finds a placement or its time is up
 * @problem: plain items only, at most PUBLISHED_MAX
 * @capacity: what to fit in
 * @seconds: of processor time
 * @offsets: [out] by item
 * @nodes: [out] placements tried
 *
 * Return: whether it found one.
 */
static bool published_run(const struct loom_place_problem *problem, uint64_t capacity,
			  double seconds, uint64_t *offsets, uint64_t *nodes)
{
	static const char *const orders[] = { "WAT", "TAW", "TWA" };
	enum published_answer answer = PUBLISHED_LIMIT;
	static struct published p;
	uint64_t limit;
	uint32_t i;

	if (problem->num_items > PUBLISHED_MAX)
		return false;
	published_init(&p, problem);
	p.capacity = capacity;
	p.end = published_cpu() + seconds;
	*nodes = 0;
	for (limit = 1024; answer == PUBLISHED_LIMIT && !p.late; limit *= 2) {
		for (i = 0; i < 3 && answer == PUBLISHED_LIMIT && !p.late; i++) {
			published_arrange(&p, orders[i]);
			p.node_limit = limit;
			answer = published_pieces(&p, 0, p.num_sections, 0, 0);
			*nodes += p.nodes;
		}
	}
	for (i = 0; i < p.num_items; i++)
		offsets[p.items[i].id] = p.offsets[i];
	return answer == PUBLISHED_FOUND;
}

#endif /* LOOM_BENCH_PUBLISHED_SEARCH_H */
