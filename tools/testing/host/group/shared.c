// SPDX-License-Identifier: MIT
/*
 * Groups by their first unit, whose memory equal runs and copies share: random changes, against
 * groups of which each first unit has its own.
 */
#include "draw.h"
#include "group/search/divide.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS		300
#define CHANGES		80
#define UNITS		12
#define PERIOD		3
#define MOST		5
#define EDGES		((MOST + 1) * LOOM_GROUP_CHOICES * LOOM_GROUP_CHOICES)

/* The rows, and two copies from different times, as the memo has them. */
#define COPIES		3

static struct loom_group_list list;
static struct loom_group_choices choices[UNITS + 1];
static u32 class_first[UNITS], class_next[UNITS];
static struct loom_group_repeat repeat = { .first = class_first, .next = class_next };
static u8 moved[UNITS + 1], dirty[UNITS + 1];
static u64 pending[UNITS / 64 + 1];
static struct loom_group_row *rows[COPIES];
static struct loom_group_edge want[COPIES][UNITS][EDGES];
static u32 lengths[COPIES][UNITS];

static struct loom_group_edge *want_at(u32 copy, u32 first, u32 n, u32 in, u32 out)
{
	return &want[copy][first][(n * LOOM_GROUP_CHOICES + in) * LOOM_GROUP_CHOICES + out];
}

/* Runs of @repeat.window units are equal if they begin at the same place of the period. */
static void set_up(struct loom_group_divide *d)
{
	u32 i, last[PERIOD];

	repeat.window = 1 + draw(MOST);
	list.num_units = UNITS;
	list.choices = choices;
	for (i = 0; i <= UNITS; i++)
		choices[i].count = i < PERIOD ? 1 + draw(LOOM_GROUP_CHOICES) :
						choices[i % PERIOD].count;
	for (i = 0; i < UNITS; i++) {
		bool repeats = i >= PERIOD && i + repeat.window <= UNITS;

		class_next[i] = LOOM_GROUP_NONE;
		class_first[i] = repeats ? i % PERIOD : i;
		if (repeats)
			class_next[last[i % PERIOD]] = i;
		last[i % PERIOD] = i;
	}
	*d = (struct loom_group_divide){
		.list = &list, .repeat = &repeat,
		.dirty = dirty, .moved = moved, .pending = pending,
	};
	memset(want, 0, sizeof(want));
	memset(lengths, 0, sizeof(lengths));
	rows[0] = calloc(UNITS + 1, sizeof(*rows[0]));
	if (!rows[0])
		tap_fatal("no memory");
	d->rows = rows[0];
}

static void must(int ret)
{
	if (ret)
		tap_fatal("no memory");
}

/* Groups of @d->least units more, from the first of the class where there is one. */
static void grow(struct loom_group_divide *d)
{
	u32 least = d->least, most = min(least + 1 + draw(2), (u32)MOST), i, n, in, out;

	for (i = 0; i < UNITS; i++) {
		const u32 like = class_first[i];

		n = min(most, UNITS - i);
		if (like == i) {
			must(loom_group_reserve(d, i, n));
		} else {
			must(loom_group_take_rest(d, i));
			n = max(min(min(lengths[0][like], repeat.window), n), lengths[0][i]);
			for (; lengths[0][i] < n; lengths[0][i]++)
				memcpy(want_at(0, i, lengths[0][i] + 1, 0, 0),
				       want_at(0, like, lengths[0][i] + 1, 0, 0),
				       sizeof(want[0][0]) / (MOST + 1));
			continue;
		}
		for (n = lengths[0][i] + 1; n <= d->rows[i].num_units; n++)
			for (in = 0; in < choices[i].count; in++)
				for (out = 0; out < choices[i + n].count; out++) {
					struct loom_group_edge *edge =
						loom_group_own_edge(d, i, n, in, out);

					must(edge ? 0 : -1);
					*edge = (struct loom_group_edge){
						.cost = { .price = draw(50) }, .state = draw(3),
					};
					*want_at(0, i, n, in, out) = *edge;
				}
		lengths[0][i] = d->rows[i].num_units;
		loom_group_trim(d, i);
	}
	d->least = most;
}

static void change(struct loom_group_divide *d)
{
	struct loom_group_cut cut = { .first_unit = draw(UNITS), .cost = { .price = draw(50) } };
	enum loom_group_edge_state state = draw(4);
	/* the price of no group is no lower bound on those of others */
	struct loom_group_edge edge = { .cost.price = U64_MAX }, *own;
	u32 first = cut.first_unit, at;
	bool is_new;

	if (!lengths[0][first])
		return;
	cut.num_units = 1 + draw(lengths[0][first]);
	cut.in = draw(choices[first].count);
	cut.out = draw(choices[first + cut.num_units].count);
	is_new = !want_at(0, first, cut.num_units, cut.in, cut.out)->state;
	if (state)
		edge = (struct loom_group_edge){ .cost = cut.cost, .state = state };
	*want_at(0, first, cut.num_units, cut.in, cut.out) = edge;
	if (!draw(8)) {
		own = loom_group_own_edge(d, first, cut.num_units, cut.in, cut.out);
		must(own ? 0 : -1);
		*own = edge;
		return;
	}
	must(state ? loom_group_enter(d, &cut, state) : loom_group_remove(d, &cut));
	for (at = class_first[first]; at != LOOM_GROUP_NONE; at = class_next[at])
		if (cut.num_units <= repeat.window && at != first &&
		    lengths[0][at] >= cut.num_units &&
		    (is_new || want_at(0, at, cut.num_units, cut.in, cut.out)->state))
			*want_at(0, at, cut.num_units, cut.in, cut.out) = edge;
}

static void keep_copy(const struct loom_group_divide *d, u32 copy)
{
	loom_group_rows_free(rows[copy], UNITS);
	rows[copy] = loom_group_rows_copy(d->rows, UNITS);
	must(rows[copy] ? 0 : -1);
	memcpy(want[copy], want[0], sizeof(want[0]));
	memcpy(lengths[copy], lengths[0], sizeof(lengths[0]));
}

static bool is_other(const struct loom_group_edge *a, const struct loom_group_edge *b)
{
	return memcmp(a, b, sizeof(*a));
}

static u32 count_wrong(struct loom_group_divide *d)
{
	u32 copy, i, n, in, out, wrong = 0;

	for (copy = 0; copy < COPIES; copy++) {
		d->rows = rows[copy];
		for (i = 0; i < UNITS && d->rows; i++) {
			wrong += d->rows[i].num_units != lengths[copy][i];
			for (n = 1; n <= min(d->rows[i].num_units, lengths[copy][i]); n++)
				for (in = 0; in < choices[i].count; in++)
					for (out = 0; out < choices[i + n].count; out++)
						wrong += is_other(loom_group_edge(d, i, n, in, out),
								  want_at(copy, i, n, in, out));
		}
	}
	d->rows = rows[0];
	return wrong;
}

/* Whether copies that nothing was changed in take no memory of groups beside the rows. */
static bool is_shared(const struct loom_group_divide *d)
{
	size_t alone = loom_group_rows_bytes(d->rows, UNITS), both;

	keep_copy(d, 1);
	both = loom_group_rows_bytes(d->rows, UNITS) + loom_group_rows_bytes(rows[1], UNITS);
	return both < 2 * alone;
}

int main(void)
{
	u32 round, i, wrong = 0, apart = 0, copy;
	struct loom_group_divide d;

	for (round = 0; round < ROUNDS; round++) {
		set_up(&d);
		grow(&d);
		apart += !is_shared(&d);
		for (i = 0; i < CHANGES; i++) {
			if (!draw(12))
				keep_copy(&d, 1 + draw(COPIES - 1));
			else if (!draw(12))
				grow(&d);
			else
				change(&d);
			wrong += count_wrong(&d);
		}
		for (copy = 0; copy < COPIES; copy++) {
			loom_group_rows_free(rows[copy], UNITS);
			rows[copy] = NULL;
		}
	}
	tap_ok(!wrong, "%u groups of rows and copies are not what each would have by itself",
	       wrong);
	tap_ok(!apart, "a copy shares the groups of its rows");
	return tap_end();
}
