// SPDX-License-Identifier: MIT
/*
 * The cheapest path through random groups that change one by one: incremental updates, compared
 * with the shortest complete program there is, ties included.
 */
#include "draw.h"
#include "group/search/divide.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS		200
#define CHANGES		60
#define MOST_UNITS	14

static struct loom_group_list list;
static struct loom_group_choices choices[MOST_UNITS + 1];
static struct loom_group_row rows[MOST_UNITS];
static struct loom_group_block *flat[MOST_UNITS];
static struct loom_group_span spans[MOST_UNITS][MOST_UNITS + 1];
static struct loom_group_cost best[(MOST_UNITS + 1) * LOOM_GROUP_CHOICES];
static struct loom_group_cost want[(MOST_UNITS + 1) * LOOM_GROUP_CHOICES];
static struct loom_group_back back[(MOST_UNITS + 1) * LOOM_GROUP_CHOICES];
static struct loom_group_back want_back[(MOST_UNITS + 1) * LOOM_GROUP_CHOICES];
static bool blocked[(MOST_UNITS + 1) * LOOM_GROUP_CHOICES];
static struct loom_group_cost was[(MOST_UNITS + 1) * LOOM_GROUP_CHOICES];
static u8 moved[MOST_UNITS + 1], dirty[MOST_UNITS + 1], open[MOST_UNITS + 1];
static u64 pending[MOST_UNITS / 64 + 1];
static u64 rest[MOST_UNITS + 1];

/* Few different costs: ties are what is easily got wrong. */
static struct loom_group_edge random_edge(void)
{
	return (struct loom_group_edge){
		.cost = { .price = 10 + draw(30), .tie = draw(3) },
		.state = draw(4),
	};
}

static struct loom_group_edge *flat_edge(u32 first, u32 n, u32 in, u32 out)
{
	return &flat[first]->edges[spans[first][n - 1].begin + in * choices[first + n].count + out];
}

static void set_edge(u32 first, u32 n, u32 in, u32 out)
{
	struct loom_group_edge *edge = flat_edge(first, n, in, out);

	*edge = random_edge();
	loom_group_note(&rows[first], n, edge);
}

static void set_up(struct loom_group_divide *d)
{
	u32 i, n, in, out;

	list.num_units = 1 + draw(MOST_UNITS);
	list.choices = choices;
	for (i = 0; i <= list.num_units; i++)
		choices[i].count = i && i < list.num_units ? 1 + draw(LOOM_GROUP_CHOICES) : 1;
	memset(rows, 0, sizeof(rows));
	memset(blocked, 0, sizeof(blocked));
	memset(dirty, 0, sizeof(dirty));
	memset(moved, 0, sizeof(moved));
	memset(pending, 0, sizeof(pending));
	for (i = list.num_units; i-- > 0;) {
		rest[i] = rest[i + 1] + draw(8);
		rows[i].num_units = draw(list.num_units - i + 1);
		rows[i].spans = spans[i];
		rows[i].block = flat[i];
		rows[i].layerwise = random_edge();
		for (n = 1; n <= rows[i].num_units; n++) {
			spans[i][n].begin = spans[i][n - 1].begin +
					    choices[i].count * choices[i + n].count;
			spans[i][n - 1].least = U64_MAX;
			spans[i][n - 1].state = LOOM_GROUP_EDGE_NONE;
			for (in = 0; in < choices[i].count; in++)
				for (out = 0; out < choices[i + n].count; out++)
					set_edge(i, n, in, out);
		}
	}
	*d = (struct loom_group_divide){
		.list = &list, .rows = rows, .best = best, .back = back, .rest = rest,
		.blocked = blocked, .dirty = dirty, .moved = moved,
		.pending = pending, .open = open, .was = was,
	};
}

static void offer(u32 from, u32 to, u64 bytes, u64 cycles, bool layerwise)
{
	u64 sum = want[from].price + bytes, count = want[from].tie + cycles;

	if (want[from].price == U64_MAX || blocked[to] || sum > want[to].price ||
	    (sum == want[to].price && count >= want[to].tie))
		return;
	want[to] = (struct loom_group_cost){ .price = sum, .tie = count };
	want_back[to] = (struct loom_group_back){
		.first_unit = from / LOOM_GROUP_CHOICES,
		.in = from % LOOM_GROUP_CHOICES,
		.layerwise = layerwise,
	};
}

static void find_path(const struct loom_group_divide *d, enum loom_group_edge_state least)
{
	u32 first, n, in, out, i;

	for (i = 0; i < ARRAY_SIZE(want); i++)
		want[i] = (struct loom_group_cost){ .price = i ? U64_MAX : 0 };
	for (first = 0; first < list.num_units; first++) {
		offer(first * LOOM_GROUP_CHOICES, (first + 1) * LOOM_GROUP_CHOICES,
		      rows[first].layerwise.cost.price, rows[first].layerwise.cost.tie, true);
		for (n = 1; n <= rows[first].num_units; n++)
			for (in = 0; in < choices[first].count; in++)
				for (out = 0; out < choices[first + n].count; out++) {
					const struct loom_group_edge *e =
						flat_edge(first, n, in, out);
					u64 bytes = e->cost.price, must = rest[first] -
									  rest[first + n];

					if (e->state < least)
						continue;
					if (e->state == LOOM_GROUP_EDGE_ESTIMATED && bytes > must)
						bytes += (s64)(bytes - must) * d->margin / 64;
					offer(first * LOOM_GROUP_CHOICES + in,
					      (first + n) * LOOM_GROUP_CHOICES + out, bytes,
					      e->cost.tie, false);
				}
	}
}

static bool is_same(const struct loom_group_divide *d)
{
	u32 at, out, i;

	for (at = 1; at <= d->list->num_units; at++)
		for (out = 0; out < choices[at].count; out++) {
			i = at * LOOM_GROUP_CHOICES + out;
			if (want[i].price != best[i].price)
				return false;
			if (want[i].price == U64_MAX)
				continue;
			if (want[i].tie != best[i].tie ||
			    want_back[i].first_unit != back[i].first_unit ||
			    want_back[i].in != back[i].in ||
			    want_back[i].layerwise != back[i].layerwise)
				return false;
		}
	return true;
}

static void change(struct loom_group_divide *d)
{
	u32 first = draw(list.num_units), n, in, out;

	if (!draw(20)) {
		d->margin = (s32)draw(17) - 12;
	} else if (!draw(20)) {
		blocked[LOOM_GROUP_CHOICES + draw(list.num_units * LOOM_GROUP_CHOICES)] ^= true;
		loom_group_path_forget(d);
	} else if (rows[first].num_units) {
		n = 1 + draw(rows[first].num_units);
		in = draw(choices[first].count);
		out = draw(choices[first + n].count);
		set_edge(first, n, in, out);
		loom_group_path_change(d, first, n, out);
	}
}

int main(void)
{
	u32 round, i, k, paths = 0, found = 0, wrong = 0;
	struct loom_group_divide d;

	for (i = 0; i < MOST_UNITS; i++) {
		flat[i] = malloc(sizeof(*flat[i]) + MOST_UNITS * LOOM_GROUP_CHOICES *
							    LOOM_GROUP_CHOICES *
							    sizeof(flat[i]->edges[0]));
		if (!flat[i])
			tap_fatal("no memory");
	}
	for (round = 0; round < ROUNDS; round++) {
		enum loom_group_edge_state least = LOOM_GROUP_EDGE_ESTIMATED + draw(3);

		set_up(&d);
		for (i = 0; i < CHANGES; i++) {
			for (k = draw(4); k > 0; k--)
				change(&d);
			if (!draw(10))
				least = LOOM_GROUP_EDGE_ESTIMATED + draw(3);
			find_path(&d, least);
			found += loom_group_path(&d, least);
			wrong += !is_same(&d);
			paths++;
		}
	}
	tap_ok(!wrong, "paths that are kept are those that all anew would be");
	tap_note("%u paths, %u of them to the end, %u wrong", paths, found, wrong);
	tap_ok(found > paths / 4, "most of them lead to the end");
	return tap_end();
}
