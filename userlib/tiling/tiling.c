// SPDX-License-Identifier: MIT
/*
 * DOC: Tilings
 *
 * Where the load is nearly the bound at all moments, a low placement wastes next to nothing, which
 * is a stronger constraint than a search finds. The items alive at a moment are a column. Let the
 * items E end and the items B begin at one moment, with equal sums of bytes; then no other item
 * moves. So nothing is wasted only if B gets exactly the room of E. Mostly that is one room without
 * a gap: the items of E are consecutive in the column, and so are those of B. So each moment is a
 * constraint on the order of items, and the orders that meet all constraints are kept in a PQ-tree
 * (pq_tree.c), from the first moment to the last. This needs no decisions: any order left in the
 * end gives a placement without waste.
 *
 * - One order of the last column is selected, and time runs backwards: the items that began are
 *   replaced by those that ended, in their former order. This gives one order of all items, in
 *   which any two that are alive together are in the order of their columns. Stacking all items in
 *   that order gives a valid placement, even where bytes are wasted.
 * - Two rooms may change at one moment. If some items that end have the same sum of bytes as some
 *   that begin, they may be a room of their own. That can be a coincidence; so if a later
 *   constraint fails, decisions are reversed, one at a time, and kept if the first failure comes
 *   later.
 * - Wasted bytes are items as well, called air. An end that is not replaced creates air, and
 *   adjacent items that begin consume it; candidates for that air are tried.
 * - If a constraint fails, each item that begins gets the room of one that ends.
 *
 * A sweep is nearly linear in the number of changes. With less load it is of no use, so it is
 * skipped. Alignment counts only when items are stacked: an end without a common multiple costs a
 * pad then. Among equal items in a room, the most aligned are lowest, so that pads come last.
 *
 * Rejected: a beam search over partial placements from the bottom up, each extended by one item and
 * ranked by the bytes wasted so far. It is no better than dives: waste begins in the first rows,
 * and nothing shows which row caused it.
 */
#include "tiling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_core.h"
#include "moments.h"
#include "pq_tree.h"
#include "rooms.h"
#include "tops.h"

#define NONE		LOOM_PQ_NONE
/* load test: all but 1 / FULL of the moments have at least 1 - 1 / FULL of the bound */
#define FULL		16
/* candidates for air at a moment */
#define MAX_AIR		8
/* candidates for rooms at a moment */
#define MAX_PICKS	8
/* visits counted for stacking an item */
#define LAY_VISITS	16

/**
 * struct change - replacement of items by others
 * @first: in the log: first that ended, in their order; behind them, those that began
 * @num_out: number of items that ended
 * @num_in: number of items that began
 * @below: an item that was below the first that ended, or NONE
 * @above: an item that was above the last, or NONE
 */
struct change {
	size_t first;
	uint32_t num_out;
	uint32_t num_in;
	uint32_t below;
	uint32_t above;
};

/* Links of items stacked on one another. */
struct links {
	uint32_t *below;
	uint32_t *above;
};

/**
 * struct loom_tiling - the problem, and scratch memory for a sweep
 * @items: the items
 * @num_items: number of @items
 * @bound: the largest load
 * @unit: common divisor of all sizes
 * @num_moments: moments at which items begin or end
 * @first: by item: moment of its begin
 * @last: by item: moment of its end
 * @begins: items by begin
 * @ends: items by end
 * @bytes: by leaf: sizes of items, then of air
 * @num_leaves: items, and air so far
 * @nothing: a leaf of size 0 that is always in the tree
 * @pq: the tree
 * @rooms: scratch memory to find rooms
 * @air: air that is in the tree
 * @num_air: number of @air
 * @picks: by moment: index of the candidate room that is selected
 * @extended: look for larger rooms as well
 * @choices: moments of the last sweep with a choice
 * @num_choices: number of @choices
 * @log: items of all changes
 * @num_log: number of @log
 * @changes: all changes of the last sweep
 * @num_changes: number of @changes
 * @failed: moment of the first constraint that failed, or NONE
 * @complete: the last sweep was not stopped
 * @max_visits: a sweep stops after so many
 * @column: the column
 * @order: all leaves
 * @stamps: by leaf: the last change it was seen in
 * @out: items that end at a moment
 * @in: items that begin
 * @tops: top of each moment: two trees over the moments
 * @offsets: by item: the placement
 */
struct loom_tiling {
	const struct loom_tiling_item *items;
	uint32_t num_items;
	uint64_t bound;
	uint64_t unit;
	uint32_t num_moments;
	uint32_t *first;
	uint32_t *last;
	uint32_t *begins;
	uint32_t *ends;
	uint64_t *bytes;
	uint32_t num_leaves;
	uint32_t nothing;
	struct loom_pq *pq;
	struct loom_rooms *rooms;
	uint32_t *air;
	uint32_t num_air;
	uint32_t *picks;
	bool extended;
	uint32_t *choices;
	uint32_t num_choices;
	uint32_t *log;
	size_t num_log;
	struct change *changes;
	uint32_t num_changes;
	uint32_t failed;
	bool complete;
	uint64_t max_visits;
	struct links column;
	struct links order;
	uint32_t *stamps;
	uint32_t *out;
	uint32_t *in;
	uint64_t *tops;
	uint64_t *offsets;
};

static uint32_t add_air(struct loom_tiling *t, uint64_t bytes)
{
	uint32_t leaf = t->num_leaves++;

	t->bytes[leaf] = bytes;
	t->air[t->num_air++] = leaf;
	return leaf;
}

static void remove_air(struct loom_tiling *t, uint32_t leaf)
{
	uint32_t i;

	for (i = 0; i < t->num_air; i++) {
		if (t->air[i] == leaf) {
			t->air[i] = t->air[--t->num_air];
			return;
		}
	}
}

static uint64_t sum_of(const struct loom_tiling *t, const uint32_t *leaves, uint32_t count)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		sum += t->bytes[leaves[i]];
	return sum;
}

/* --- one change ------------------------------------------------------------------------------- */

/* Replaces leaves by others, if they can be consecutive, and logs it. */
static bool replace(struct loom_tiling *t, const uint32_t *out, uint32_t num_out,
		    const uint32_t *in, uint32_t num_in, uint64_t *visits)
{
	struct loom_pq_change change = {
		.out = out, .num_out = num_out, .in = in, .num_in = num_in,
		.order = t->log + t->num_log,
	};

	if (!loom_pq_replace(t->pq, &change, visits))
		return false;
	memcpy(t->log + t->num_log + num_out, in, num_in * sizeof(*in));
	t->changes[t->num_changes++] = (struct change){
		t->num_log, num_out, num_in, change.below, change.above,
	};
	t->num_log += num_out + num_in;
	return true;
}

/* The smallest air of at least @bytes behind @after in that order, or NONE. */
static uint32_t find_air(const struct loom_tiling *t, uint64_t bytes, uint32_t after)
{
	uint32_t best = NONE, i;

	for (i = 0; i < t->num_air; i++) {
		uint32_t leaf = t->air[i];

		if (t->bytes[leaf] < bytes ||
		    (after != NONE && (t->bytes[leaf] < t->bytes[after] ||
				       (t->bytes[leaf] == t->bytes[after] && leaf <= after))))
			continue;
		if (best == NONE || t->bytes[leaf] < t->bytes[best] ||
		    (t->bytes[leaf] == t->bytes[best] && leaf < best))
			best = leaf;
	}
	return best;
}

/* Replaces items by ones that need @lack bytes more, with adjacent air, if there is any. */
static bool replace_with_air(struct loom_tiling *t, uint32_t num_out, uint32_t num_in,
			     uint64_t lack, uint64_t *visits)
{
	uint32_t air = NONE, rest = num_in, tries;

	for (tries = 0; tries < MAX_AIR; tries++) {
		air = find_air(t, lack, air);
		*visits += t->num_air;
		if (air == NONE)
			return false;
		t->out[num_out] = air;
		rest = num_in;
		if (t->bytes[air] > lack) {
			t->in[rest++] = t->num_leaves;
			t->bytes[t->num_leaves] = t->bytes[air] - lack;
		}
		if (!replace(t, t->out, num_out + 1, t->in, rest, visits))
			continue;
		remove_air(t, air);
		if (rest > num_in)
			add_air(t, t->bytes[air] - lack);
		return true;
	}
	return false;
}

static bool replace_all(struct loom_tiling *t, uint32_t num_out, uint32_t num_in, uint64_t *visits)
{
	uint64_t ends = sum_of(t, t->out, num_out), begins = sum_of(t, t->in, num_in);

	if (ends < begins)
		return replace_with_air(t, num_out, num_in, begins - ends, visits);
	if (ends > begins || !num_in) {
		t->in[num_in] = t->num_leaves;
		t->bytes[t->num_leaves] = ends - begins;
		if (!replace(t, t->out, num_out, t->in, num_in + 1, visits))
			return false;
		add_air(t, ends - begins);
		return true;
	}
	return replace(t, t->out, num_out, t->in, num_in, visits);
}

/* Each item that begins gets the room of one that ends, or more. */
static void replace_each(struct loom_tiling *t, uint32_t num_out, uint32_t num_in, uint64_t *visits)
{
	uint32_t i, k, count, begun = 0, *in = t->in + num_in;

	/* an item that begins goes to the first room that is large enough, or to the last */
	for (i = 0; i < num_out; i++) {
		uint64_t room = t->bytes[t->out[i]];

		count = 0;
		for (k = begun; k < num_in; k++) {
			uint32_t leaf = t->in[k];

			if (t->bytes[leaf] > room && i + 1 < num_out)
				continue;
			room -= min(room, t->bytes[leaf]);
			in[count++] = leaf;
			t->in[k] = t->in[begun];
			t->in[begun++] = leaf;
		}
		*visits += num_in;
		if (room || !count)
			in[count++] = add_air(t, room);
		replace(t, &t->out[i], 1, in, count, visits);
	}
}

/* --- rooms ------------------------------------------------------------------------------------ */

/* Moves the leaves of a set to the end; returns their number. */
static uint32_t move_behind(uint32_t *leaves, uint32_t count, uint64_t set)
{
	uint32_t moved[LOOM_ROOMS_SIDE], num = 0, kept = 0, i;

	for (i = 0; i < count; i++) {
		if (set >> i & 1)
			moved[num++] = leaves[i];
		else
			leaves[kept++] = leaves[i];
	}
	memcpy(leaves + kept, moved, num * sizeof(*leaves));
	return num;
}

static void find_rooms(struct loom_tiling *t, uint32_t num_out, uint32_t num_in, bool extended,
		       uint64_t *visits)
{
	uint64_t outs[LOOM_ROOMS_SIDE], ins[LOOM_ROOMS_SIDE];
	uint32_t i;

	for (i = 0; i < num_out && i < LOOM_ROOMS_SIDE; i++)
		outs[i] = t->bytes[t->out[i]];
	for (i = 0; i < num_in && i < LOOM_ROOMS_SIDE; i++)
		ins[i] = t->bytes[t->in[i]];
	loom_rooms_find(t->rooms, outs, num_out, ins, num_in, extended, visits);
}

/*
 * Moves the items of a room of their own to the end of @out and @in. The room is number @skip, by
 * size, of those for which the ending items can be consecutive both in it and outside of it.
 * Returns false if there are no more, and then nothing is moved.
 */
static bool choose_room(struct loom_tiling *t, uint32_t num_out, uint32_t num_in, uint32_t skip,
			uint32_t *outs, uint32_t *ins, uint64_t *visits)
{
	uint32_t count = loom_rooms_count(t->rooms), out[LOOM_ROOMS_SIDE], i;

	if (!count)
		return false;
	memcpy(out, t->out, num_out * sizeof(*out));
	for (i = 0; i < count; i++) {
		struct loom_room room = loom_rooms_get(t->rooms, i);

		*outs = move_behind(t->out, num_out, room.out);
		if (loom_pq_can(t->pq, t->out + num_out - *outs, *outs, visits) &&
		    loom_pq_can(t->pq, t->out, num_out - *outs, visits) && !skip--) {
			*ins = move_behind(t->in, num_in, room.in);
			return true;
		}
		memcpy(t->out, out, num_out * sizeof(*out));
	}
	return false;
}

/*
 * Replaces the items of separate rooms, one room after the other; the remaining items are the last
 * room. The first decision of a moment is a choice: which room, or all in one room. If rooms are
 * likely found by coincidence, all in one room comes first, otherwise last.
 */
static void replace_rooms(struct loom_tiling *t, uint32_t moment, uint32_t *num_out,
			  uint32_t *num_in, uint64_t *visits)
{
	uint32_t pick = t->picks[moment], outs, ins;
	bool begun = false;

	while (*num_out > 1 && *num_in > 1) {
		bool can = loom_pq_can(t->pq, t->out, *num_out, visits), first, found;

		find_rooms(t, *num_out, *num_in, t->extended, visits);
		first = can && loom_rooms_by_chance(t->rooms, t->bound / t->unit);
		if (!begun && loom_rooms_count(t->rooms))
			t->choices[t->num_choices++] = moment;
		begun |= loom_rooms_count(t->rooms);
		if (first && !pick)
			return;
		found = choose_room(t, *num_out, *num_in, pick - first, &outs, &ins, visits);
		if (!found && !can && !t->extended) {
			find_rooms(t, *num_out, *num_in, true, visits);
			found = choose_room(t, *num_out, *num_in, pick, &outs, &ins, visits);
		}
		if (!found || !replace(t, t->out + *num_out - outs, outs,
				       t->in + *num_in - ins, ins, visits))
			return;
		*num_out -= outs;
		*num_in -= ins;
		pick = 0;
	}
}

/* --- a sweep ---------------------------------------------------------------------------------- */

/* Without any room, items go next to the leaf of size 0, which is always in the tree. */
static void replace_none(struct loom_tiling *t, uint32_t num_in, uint64_t *visits)
{
	uint32_t old = t->nothing;

	t->nothing = t->num_leaves++;
	t->bytes[t->nothing] = 0;
	t->in[num_in] = t->nothing;
	replace(t, &old, 1, t->in, num_in + 1, visits);
}

/* Replaces all items that end at a moment by those that begin. */
static void step(struct loom_tiling *t, uint32_t moment, uint32_t num_out, uint32_t num_in,
		 uint64_t *visits)
{
	replace_rooms(t, moment, &num_out, &num_in, visits);
	if (replace_all(t, num_out, num_in, visits))
		return;
	if (t->failed == NONE)
		t->failed = moment;
	if (num_out)
		replace_each(t, num_out, num_in, visits);
	else
		replace_none(t, num_in, visits);
}

/*
 * Forward sweep over all moments but the last: makes the changes, and the tree of the last column.
 * Stops at a constraint that fails, if that is no later than @stop.
 */
static void sweep(struct loom_tiling *t, uint32_t stop, uint64_t *visits)
{
	uint32_t n = t->num_items, begun = 0, ended = 0, moment, num_out, num_in;

	t->num_leaves = n;
	t->num_air = 0;
	t->num_choices = 0;
	t->num_changes = 0;
	t->num_log = 0;
	t->failed = NONE;
	t->complete = false;
	for (moment = 0; moment + 1 < t->num_moments; moment++) {
		if (*visits >= t->max_visits)
			return;
		num_out = 0;
		num_in = 0;
		while (ended < n && t->last[t->ends[ended]] == moment)
			t->out[num_out++] = t->ends[ended++];
		while (begun < n && t->first[t->begins[begun]] == moment)
			t->in[num_in++] = t->begins[begun++];
		if (moment) {
			step(t, moment, num_out, num_in, visits);
			if (t->failed <= stop)
				return;
			continue;
		}
		t->nothing = t->num_leaves++;
		t->bytes[t->nothing] = 0;
		t->in[num_in++] = t->nothing;
		if (sum_of(t, t->in, num_in) < t->bound) {
			t->in[num_in] = add_air(t, t->bound - sum_of(t, t->in, num_in));
			num_in++;
		}
		loom_pq_start(t->pq, t->in, num_in);
	}
	t->complete = true;
}

/* --- back in time ----------------------------------------------------------------------------- */

static void insert_below(struct links *links, uint32_t leaf, uint32_t above)
{
	uint32_t below = links->below[above];

	links->below[leaf] = below;
	links->above[leaf] = above;
	links->below[above] = leaf;
	if (below != NONE)
		links->above[below] = leaf;
}

static void unlink_leaf(struct links *links, uint32_t leaf)
{
	uint32_t below = links->below[leaf], above = links->above[leaf];

	if (below != NONE)
		links->above[below] = above;
	if (above != NONE)
		links->below[above] = below;
}

/* Whether a leaf of the column is below another one, which must be different. */
static bool is_below(const struct loom_tiling *t, uint32_t leaf, uint32_t other, uint64_t *visits)
{
	uint32_t down = other, up = other;

	for (;; ++*visits) {
		if (down != NONE)
			down = t->column.below[down];
		if (down == leaf)
			return true;
		if (up != NONE)
			up = t->column.above[up];
		if (up == leaf || (up == NONE && down == NONE))
			return false;
	}
}

/* Undoes a change in the column; in the order of all leaves, both sides stay. */
static void undo(struct loom_tiling *t, uint32_t which, uint64_t *visits)
{
	const struct change *change = &t->changes[which];
	const uint32_t *out = t->log + change->first, *in = out + change->num_out;
	uint32_t lowest = in[0], i;
	bool turned = false;

	for (i = 0; i < change->num_in; i++)
		t->stamps[in[i]] = which + 1;
	while (t->column.below[lowest] != NONE && t->stamps[t->column.below[lowest]] == which + 1)
		lowest = t->column.below[lowest];
	if (change->below != NONE)
		turned = !is_below(t, change->below, lowest, visits);
	else if (change->above != NONE)
		turned = is_below(t, change->above, lowest, visits);
	for (i = 0; i < change->num_out; i++) {
		uint32_t leaf = out[turned ? change->num_out - 1 - i : i];

		insert_below(&t->column, leaf, lowest);
		insert_below(&t->order, leaf, lowest);
	}
	for (i = 0; i < change->num_in; i++)
		unlink_leaf(&t->column, in[i]);
	*visits += change->num_in + change->num_out;
}

/* Makes the order of all leaves; returns the lowest. */
static uint32_t find_order(struct loom_tiling *t, uint64_t *visits)
{
	uint32_t count = loom_pq_order(t->pq, t->out), i;

	for (i = 0; i < count; i++) {
		uint32_t leaf = t->out[i];

		t->column.below[leaf] = i ? t->out[i - 1] : NONE;
		t->column.above[leaf] = i + 1 < count ? t->out[i + 1] : NONE;
		t->order.below[leaf] = t->column.below[leaf];
		t->order.above[leaf] = t->column.above[leaf];
	}
	memset(t->stamps, 0, t->num_leaves * sizeof(*t->stamps));
	*visits += count;
	for (i = t->num_changes; i-- > 0;)
		undo(t, i, visits);
	for (i = t->out[0]; t->order.below[i] != NONE; i = t->order.below[i])
		;
	return i;
}

/* --- stacking items --------------------------------------------------------------------------- */

/* Stacks all items from @lowest on; returns the height. */
static uint64_t lay(struct loom_tiling *t, uint32_t lowest, uint64_t *visits)
{
	uint64_t height = 0, at, align;
	uint32_t i;

	memset(t->tops, 0, 4 * (size_t)t->num_moments * sizeof(*t->tops));
	for (i = lowest; i != NONE; i = t->order.above[i]) {
		*visits += LAY_VISITS;
		if (i >= t->num_items)
			continue;
		align = t->items[i].align_bytes;
		at = loom_tops_find(t->tops, t->num_moments, t->first[i], t->last[i]);
		at = (at + align - 1) / align * align;
		t->offsets[i] = at;
		at += t->items[i].size_bytes;
		loom_tops_raise(t->tops, t->num_moments, t->first[i], t->last[i], at);
		height = max(height, at);
	}
	return height;
}

/* --- decisions -------------------------------------------------------------------------------- */

/* The last moment before @before with a choice, or NONE. */
static uint32_t find_choice(const struct loom_tiling *t, uint32_t before)
{
	uint32_t i;

	for (i = t->num_choices; i-- > 0;)
		if (t->choices[i] < before)
			return t->choices[i];
	return NONE;
}

/* Keeps the placement of the last sweep if it is lower. */
static void keep_placement(struct loom_tiling *t, struct loom_tiling_try *try)
{
	uint64_t height;

	if (!t->complete)
		return;
	height = lay(t, find_order(t, &try->visits), &try->visits);
	if (height >= try->height_bytes)
		return;
	try->height_bytes = height;
	memcpy(try->offsets, t->offsets, t->num_items * sizeof(*t->offsets));
}

/* Tries other candidates at a moment, until the first constraint that fails comes later. */
static bool pick_other(struct loom_tiling *t, uint32_t moment, uint32_t failed,
		       struct loom_tiling_try *try)
{
	uint32_t old = t->picks[moment], pick;

	for (pick = 0; pick < MAX_PICKS; pick++) {
		if (pick == old)
			continue;
		if (try->visits >= try->max_visits)
			break;
		t->picks[moment] = pick;
		sweep(t, failed, &try->visits);
		if (t->complete || (t->failed > failed && t->failed != NONE))
			return true;
		/*
		 * earlier moments are the same, so a pick behind the last candidate is all in one
		 * room
		 */
		if (find_choice(t, moment + 1) != moment)
			break;
	}
	t->picks[moment] = old;
	return false;
}

/* Reverses decisions while the first constraint that fails comes later. */
static void search(struct loom_tiling *t, struct loom_tiling_try *try)
{
	uint32_t failed, moment;

	sweep(t, 0, &try->visits);
	keep_placement(t, try);
	failed = t->failed;
	moment = failed == NONE ? NONE : find_choice(t, failed + 1);
	while (moment != NONE && try->visits < try->max_visits) {
		if (!pick_other(t, moment, failed, try)) {
			moment = find_choice(t, moment);
			continue;
		}
		failed = t->failed;
		moment = failed == NONE ? NONE : find_choice(t, failed + 1);
	}
	sweep(t, 0, &try->visits);
	keep_placement(t, try);
}

void loom_tiling_run(struct loom_tiling *t, struct loom_tiling_try *try)
{
	try->height_bytes = UINT64_MAX;
	t->max_visits = try->max_visits;
	t->extended = false;
	search(t, try);
	if (t->failed == NONE || try->visits >= try->max_visits)
		return;
	t->extended = true;
	search(t, try);
}

/* --- begin and end ---------------------------------------------------------------------------- */

/* Whether the load is nearly the bound at nearly all moments; computes the bound. */
static bool is_full(struct loom_tiling *t)
{
	uint32_t begun, ended, moment, full = 0;
	uint64_t load;
	int pass;

	for (pass = 0; pass < 2; pass++) {
		load = 0;
		begun = 0;
		ended = 0;
		for (moment = 0; moment + 1 < t->num_moments; moment++) {
			while (ended < t->num_items && t->last[t->ends[ended]] == moment)
				load -= t->items[t->ends[ended++]].size_bytes;
			while (begun < t->num_items && t->first[t->begins[begun]] == moment)
				load += t->items[t->begins[begun++]].size_bytes;
			if (!pass)
				t->bound = max(t->bound, load);
			else
				full += load >= t->bound / FULL * (FULL - 1);
		}
	}
	return full >= (uint64_t)(t->num_moments - 1) * (FULL - 1) / FULL;
}

static int alloc_links(struct links *links, size_t count)
{
	links->below = malloc(count * sizeof(*links->below));
	links->above = malloc(count * sizeof(*links->above));
	return links->below && links->above ? 0 : -ENOMEM;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Allocates the memory of a sweep. */
static int alloc_sweep(struct loom_tiling *t)
{
	/* a moment creates at most one piece of air, or one for each item that ends */
	size_t n = t->num_items, moments = t->num_moments, leaves = 2 * n + moments + 4;
	size_t i;
	int ret = loom_pq_create((uint32_t)leaves, &t->pq);

	if (!ret)
		ret = loom_rooms_create(&t->rooms);
	if (ret)
		return ret;
	t->bytes = malloc(leaves * sizeof(*t->bytes));
	t->air = malloc(leaves * sizeof(*t->air));
	t->picks = calloc(moments, sizeof(*t->picks));
	t->choices = malloc(moments * sizeof(*t->choices));
	t->log = malloc(2 * leaves * sizeof(*t->log));
	t->changes = malloc(leaves * sizeof(*t->changes));
	t->stamps = malloc(leaves * sizeof(*t->stamps));
	t->out = malloc(leaves * sizeof(*t->out));
	t->in = malloc(leaves * sizeof(*t->in));
	t->tops = malloc(4 * moments * sizeof(*t->tops));
	t->offsets = malloc(n * sizeof(*t->offsets));
	if (!t->bytes || !t->air || !t->picks || !t->choices || !t->log || !t->changes ||
	    !t->stamps || !t->out || !t->in || !t->tops || !t->offsets)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		t->bytes[i] = t->items[i].size_bytes;
		t->unit = common_divisor(t->unit, t->bytes[i]);
	}
	ret = alloc_links(&t->column, leaves);
	return ret ? ret : alloc_links(&t->order, leaves);
}

int loom_tiling_create(const struct loom_tiling_item *items, uint32_t num_items,
		       struct loom_tiling **tiling)
{
	struct loom_tiling *t = calloc(1, sizeof(*t));
	struct loom_moments moments = { 0 };
	size_t n = num_items;
	int ret = -ENOMEM;

	*tiling = NULL;
	if (!t)
		return ret;
	t->items = items;
	t->num_items = num_items;
	t->first = malloc(n * sizeof(*t->first));
	t->last = malloc(n * sizeof(*t->last));
	t->begins = malloc(n * sizeof(*t->begins));
	t->ends = malloc(n * sizeof(*t->ends));
	moments = (struct loom_moments){ t->first, t->last, t->begins, t->ends, 0 };
	if (t->first && t->last && t->begins && t->ends)
		ret = loom_moments_find(items, num_items, &moments);
	t->num_moments = moments.count;
	if (!ret && is_full(t)) {
		ret = alloc_sweep(t);
		*tiling = ret ? NULL : t;
	}
	if (!*tiling)
		loom_tiling_destroy(t);
	return ret;
}

void loom_tiling_destroy(struct loom_tiling *t)
{
	if (!t)
		return;
	loom_pq_destroy(t->pq);
	loom_rooms_destroy(t->rooms);
	free(t->first);
	free(t->last);
	free(t->begins);
	free(t->ends);
	free(t->bytes);
	free(t->air);
	free(t->picks);
	free(t->choices);
	free(t->log);
	free(t->changes);
	free(t->column.below);
	free(t->column.above);
	free(t->order.below);
	free(t->order.above);
	free(t->stamps);
	free(t->out);
	free(t->in);
	free(t->tops);
	free(t->offsets);
	free(t);
}
