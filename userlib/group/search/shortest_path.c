// SPDX-License-Identifier: MIT
/*
 * The cheapest path through all cuts, by the known costs of groups: the dynamic program of
 * divide.c. A large graph has a million candidate groups, and few of them change between two
 * searches: so the cheapest path to a cut is kept, and recomputed only if a group that ends there
 * has changed, or the path to its begin. The result is the same as that of a full recomputation.
 */
#include "group/search/divide.h"

#include "base/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Margin on an estimated cost, as a fraction (1/ONE) of its distance from the lower bound. */
#define ONE	64
/* Number of groups visited that count as one unit of &loom_group.work. */
#define VISITS_PER_WORK	16
/* The caller of the library is asked again after so many. */
#define VISITS_TO_ASK	32768

/* An estimated price with its margin. */
static u64 price_of(const struct loom_group_divide *d, u64 price, u32 first, u32 end)
{
	u64 least = d->rest[first] - d->rest[end];

	return price > least ? price + (s64)(price - least) * d->margin / ONE : price;
}

/* The cost of a group, with the margin of its certainty. */
static struct loom_group_cost with_margin(const struct loom_group_divide *d,
					  const struct loom_group_edge *edge, u32 first, u32 end)
{
	struct loom_group_cost cost = edge->cost;

	if (edge->state == LOOM_GROUP_EDGE_ESTIMATED)
		cost.price = price_of(d, cost.price, first, end);
	return cost;
}

static bool is_open(const struct loom_group_divide *d, u32 to)
{
	u32 at = to / LOOM_GROUP_CHOICES;

	return !(d->list->no_cut && at == d->list->no_cut) && !d->blocked[to] &&
	       !(d->no_residents && to % LOOM_GROUP_CHOICES);
}

static void relax(struct loom_group_divide *d, u32 from, u32 to, const struct loom_group_cost *cost,
		  bool layerwise)
{
	struct loom_group_cost sum = {
		.price = d->best[from].price + cost->price,
		.tie = d->best[from].tie + cost->tie,
	};

	if (d->best[from].price == U64_MAX || !loom_group_cheaper(&sum, &d->best[to]))
		return;
	d->best[to] = sum;
	d->back[to] = (struct loom_group_back){
		.first_unit = from / LOOM_GROUP_CHOICES,
		.in = from % LOOM_GROUP_CHOICES,
		.layerwise = layerwise,
	};
}

/* The cheapest path to a cut with its residents, over all edges that lead to it. */
static void look_back(struct loom_group_divide *d, u32 to, enum loom_group_edge_state state)
{
	u32 at = to / LOOM_GROUP_CHOICES, out = to % LOOM_GROUP_CHOICES;
	u32 outs = loom_group_num_choices(d, at);
	u32 first = at > d->longest ? at - d->longest : 0, in;

	d->best[to] = (struct loom_group_cost){ .price = U64_MAX, .tie = U64_MAX };
	if (out >= outs || !is_open(d, to))
		return;
	for (; first < at; first++) {
		const struct loom_group_row *row = &d->rows[first];
		const struct loom_group_edge *edge;

		if (first + 1 == at && !out)
			relax(d, first * LOOM_GROUP_CHOICES, to, &row->layerwise.cost, true);
		if (at - first > row->num_units)
			continue;
		edge = loom_group_edges(row, at - first) + out;
		for (in = 0; in < loom_group_num_choices(d, first); in++, edge += outs) {
			struct loom_group_cost cost;
			u32 from = first * LOOM_GROUP_CHOICES + in;

			if (edge->state < state || d->best[from].price == U64_MAX)
				continue;
			cost = with_margin(d, edge, first, at);
			relax(d, from, to, &cost, false);
		}
		d->visits += in;
	}
}

static bool is_marked(const u8 *set, u32 to)
{
	return set[to / LOOM_GROUP_CHOICES] >> to % LOOM_GROUP_CHOICES & 1;
}

/* Marks a cut with its residents, in @set, for the next visit. */
static void mark(struct loom_group_divide *d, u8 *set, u32 to)
{
	u32 at = to / LOOM_GROUP_CHOICES;

	set[at] |= 1U << to % LOOM_GROUP_CHOICES;
	d->pending[at / 64] |= 1ULL << at % 64;
}

/* The first marked cut from @at; U32_MAX: none. Units are many, and marks few. */
static u32 next_marked(const struct loom_group_divide *d, u32 at)
{
	u32 words = d->list->num_units / 64 + 1, w = at / 64;
	u64 word = w < words ? d->pending[w] & ~0ULL << at % 64 : 0;

	while (!word && ++w < words)
		word = d->pending[w];
	return word ? 64 * w + (u32)__builtin_ctzll(word) : U32_MAX;
}

/* A path has become more expensive: those that continue it are recomputed. */
static void mark_dearer(struct loom_group_divide *d, u32 from)
{
	u32 first = from / LOOM_GROUP_CHOICES, in = from % LOOM_GROUP_CHOICES, n, out;

	for (n = 1; n <= max(d->rows[first].num_units, 1U); n++) {
		u32 begin = (first + n) * LOOM_GROUP_CHOICES;

		for (out = 0; out < loom_group_num_choices(d, first + n); out++)
			if (d->back[begin + out].first_unit == first &&
			    d->back[begin + out].in == in)
				mark(d, d->dirty, begin + out);
		d->visits += out;
	}
}

/* A path to @from that has become cheaper is extended to @to; the first of equal ones wins. */
static void go_on(struct loom_group_divide *d, u32 from, u32 to, const struct loom_group_cost *cost,
		  bool layerwise)
{
	struct loom_group_back *back = &d->back[to];
	const struct loom_group_cost was = d->best[to];
	struct loom_group_cost sum = {
		.price = d->best[from].price + cost->price,
		.tie = d->best[from].tie + cost->tie,
	};
	u32 key = 2 * from + !layerwise;

	if (!is_open(d, to) || loom_group_cheaper(&was, &sum) ||
	    (!loom_group_cheaper(&sum, &was) &&
	     2 * (back->first_unit * LOOM_GROUP_CHOICES + back->in) + !back->layerwise <= key))
		return;
	if (!is_marked(d->moved, to))
		d->was[to] = was;
	mark(d, d->moved, to);
	d->best[to] = sum;
	*back = (struct loom_group_back){
		.first_unit = from / LOOM_GROUP_CHOICES,
		.in = from % LOOM_GROUP_CHOICES,
		.layerwise = layerwise,
	};
}

static void go_on_from(struct loom_group_divide *d, u32 from, enum loom_group_edge_state state)
{
	u32 first = from / LOOM_GROUP_CHOICES, in = from % LOOM_GROUP_CHOICES, n, out;
	const struct loom_group_row *row = &d->rows[first];

	if (!in)
		go_on(d, from, (first + 1) * LOOM_GROUP_CHOICES, &row->layerwise.cost, true);
	for (n = 1; n <= row->num_units; n++) {
		u32 outs = loom_group_num_choices(d, first + n);
		const struct loom_group_edge *edge = loom_group_edges(row, n) + in * outs;

		for (out = 0; out < outs; out++, edge++) {
			struct loom_group_cost cost;

			if (edge->state < state)
				continue;
			cost = with_margin(d, edge, first, first + n);
			go_on(d, from, (first + n) * LOOM_GROUP_CHOICES + out, &cost, false);
		}
		d->visits += outs;
	}
}

void loom_group_path_change(struct loom_group_divide *d, u32 first, u32 num_units, u32 out)
{
	mark(d, d->dirty, (first + num_units) * LOOM_GROUP_CHOICES + out);
	d->longest = max(d->longest, num_units);
}

void loom_group_path_forget(struct loom_group_divide *d)
{
	d->path_state = LOOM_GROUP_EDGE_NONE;
}

/* Extends the paths to cut @first by all edges from it, which are side by side in memory. */
static void relax_row(struct loom_group_divide *d, u32 first, enum loom_group_edge_state state)
{
	const struct loom_group_row *row = &d->rows[first];
	u32 ins = loom_group_num_choices(d, first), from = first * LOOM_GROUP_CHOICES;
	u64 nearest = U64_MAX;
	u32 n, in, out;

	for (in = 0; in < ins; in++)
		nearest = min(nearest, d->best[from + in].price);
	if (d->open[first + 1] & 1)
		relax(d, from, from + LOOM_GROUP_CHOICES, &row->layerwise.cost, true);
	for (n = 1; n <= row->num_units; n++) {
		const struct loom_group_edge *edge = loom_group_edges(row, n);
		const struct loom_group_span *span = &row->spans[n - 1];
		u32 outs = loom_group_num_choices(d, first + n), to = from + n * LOOM_GROUP_CHOICES;
		u64 farthest = 0;

		d->visits += ins * (u32)__builtin_popcount(d->open[first + n]);
		if (span->state < state || nearest == U64_MAX || span->least == U64_MAX)
			continue;
		for (out = 0; out < outs; out++)
			farthest = max(farthest, d->best[to + out].price);
		/* none is cheap enough */
		if (nearest + min(span->least, price_of(d, span->least, first, first + n)) >
		    farthest)
			continue;
		for (in = 0; in < ins; in++) {
			for (out = 0; out < outs; out++, edge++) {
				struct loom_group_cost cost;

				if (edge->state < state || !(d->open[first + n] >> out & 1))
					continue;
				cost = with_margin(d, edge, first, first + n);
				relax(d, from + in, to + out, &cost, false);
			}
		}
	}
}

/*
 * All paths. If estimates are as before but for a lower margin, no path is dearer than before.
 * Returns false if the caller of the library has stopped it.
 */
static bool search_again(struct loom_group_divide *d, enum loom_group_edge_state state)
{
	u32 num_units = d->list->num_units, i;
	bool cheaper = d->path_state == state && d->margin < d->path_margin &&
		       next_marked(d, 0) > num_units;
	u64 asked = d->visits;

	d->longest = 1;
	memset(d->open, 0, num_units + 1);
	for (i = LOOM_GROUP_CHOICES; i < (num_units + 1) * LOOM_GROUP_CHOICES; i++) {
		u32 at = i / LOOM_GROUP_CHOICES, out = i % LOOM_GROUP_CHOICES;

		d->open[at] |= (u32)(out < loom_group_num_choices(d, at) && is_open(d, i)) << out;
		if (cheaper && d->best[i].price != U64_MAX)
			d->best[i].tie++;
		else
			d->best[i] = (struct loom_group_cost){ .price = U64_MAX, .tie = U64_MAX };
	}
	for (i = 0; i < num_units; i++) {
		d->longest = max(d->longest, d->rows[i].num_units);
		relax_row(d, i, state);
		if (d->visits - asked >= VISITS_TO_ASK) {
			asked = d->visits;
			if (loom_watch_spend(VISITS_TO_ASK / 8))
				return false;
		}
	}
	memset(d->dirty, 0, num_units + 1);
	memset(d->pending, 0, (num_units / 64 + 1) * sizeof(*d->pending));
	return true;
}

/* Updates the path to a cut with its residents, and propagates a change. */
static void visit(struct loom_group_divide *d, u32 at, u32 out, enum loom_group_edge_state state)
{
	bool dirty = d->dirty[at] >> out & 1, moved = d->moved[at] >> out & 1;
	u32 to = at * LOOM_GROUP_CHOICES + out;
	struct loom_group_cost was = moved ? d->was[to] : d->best[to];

	if (!dirty && !moved)
		return;
	if (dirty)
		look_back(d, to, state);
	if (at == d->list->num_units)
		return;
	if (loom_group_cheaper(&d->best[to], &was))
		go_on_from(d, to, state);
	else if (loom_group_cheaper(&was, &d->best[to]))
		mark_dearer(d, to);
}

bool loom_group_path(struct loom_group_divide *d, enum loom_group_edge_state state)
{
	bool anew = d->path_state != state || d->path_margin != d->margin;
	u32 num_units = d->list->num_units, at = 0, out, i;
	u64 asked = d->visits;

	d->best[0] = (struct loom_group_cost){ .price = 0 };
	for (i = 1; i < LOOM_GROUP_CHOICES; i++)
		d->best[i] = (struct loom_group_cost){ .price = U64_MAX, .tie = U64_MAX };
	if (anew && !search_again(d, state))
		return false;
	d->path_state = state;
	d->path_margin = d->margin;
	while ((at = next_marked(d, at)) <= num_units) {
		for (out = 0; out < LOOM_GROUP_CHOICES; out++)
			visit(d, at, out, state);
		d->dirty[at] = 0;
		d->moved[at] = 0;
		d->pending[at / 64] &= ~(1ULL << at % 64);
		if (d->visits - asked >= VISITS_TO_ASK) {
			asked = d->visits;
			if (loom_watch_spend(VISITS_TO_ASK / 8))
				return false;
		}
	}
	d->work += d->visits / VISITS_PER_WORK;
	d->visits %= VISITS_PER_WORK;
	return d->best[num_units * LOOM_GROUP_CHOICES].price != U64_MAX;
}

u64 loom_group_known_price(struct loom_group_divide *d)
{
	loom_group_path(d, LOOM_GROUP_EDGE_FITTED);
	return d->best[d->list->num_units * LOOM_GROUP_CHOICES].price;
}
