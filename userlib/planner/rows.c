// SPDX-License-Identifier: MIT
/* The table of candidates of alternatives.c: the trials that each row proposes, and when. */
#include "ladder.h"

const struct planner_candidate planner_layerwise = { .join = LOOM_JOIN_NONE };
static const struct loom_group_aim bytes;

/*
 * Aims of a search with the objective of time: the longer stream step by step, as groups are
 * written; both streams in total, wherever loads can be hidden; and more weight on the former. The
 * division that minimizes a sum over groups need not be the fastest plan, see group/schedule/.
 */
static const struct loom_group_aim times[] = {
	{ .time = true, .dma = 16, .compute = 16, .steps = 32 },
	{ .time = true, .dma = 32, .compute = 32, .steps = 0 },
	{ .time = true, .dma = 4, .compute = 4, .steps = 56 },
};

/* Share of the effort, by time: first to compare candidates, and then for more work on the best. */
#define SCOUT_SHARE	10
#define LAST_SHARE	4
/* In large graphs: less finds worse groups, and more takes as long as the last search. */
#define LARGE_SHARE	8
/* An improvement is large if it saves more than 1/MUCH of the cycles. */
#define MUCH		64
/* The same for another order in a large graph, which takes more time. */
#define FAR		16
/* Beyond 1/FAR_BOUND of the lower bound, it is tried in any case. */
#define FAR_BOUND	8
/* Within 1/NEAR_BOUND of the lower bound, other rooms for prefetch cost more than they gain. */
#define NEAR_BOUND	64
/* In graphs of more nodes, plans for less SRAM are skipped: they take too long. */
#define MANY_NODES	400

/* In graphs of more nodes, the rules of "layergroup-text" are not tried: their time is cubic. */
#define TEXT_NODES	1024

struct planner_candidate planner_first(const struct planner_ladder *l)
{
	struct planner_candidate first = { .join = LOOM_JOIN_NEAR };

	if (l->by_time) {
		first.aim = l->large ? bytes : times[0];
		first.share = l->large ? LARGE_SHARE : SCOUT_SHARE;
	}
	return first;
}

static u32 propose_layerwise(const struct planner_ladder *l, struct planner_trial *trials)
{
	trials[0] = planner_trial_of(l, &l->orders->graphs[0], &planner_layerwise);
	trials[0].options.grouping = LOOM_GROUPING_NONE;
	return 1;
}

static struct planner_trial text_of(const struct planner_ladder *l, u32 order)
{
	struct planner_trial trial = planner_trial_of(l, &l->orders->graphs[order], &l->first);

	trial.options.grouping = loom_group_text.name;
	return trial;
}

/* Rules without a search, which may be better where a search runs out of budget. */
static u32 propose_text(const struct planner_ladder *l, struct planner_trial *trials)
{
	trials[0] = text_of(l, 0);
	return l->orders->graphs[0].num_nodes <= TEXT_NODES;
}

/* The same for other orders. */
static u32 propose_texts(const struct planner_ladder *l, struct planner_trial *trials)
{
	u32 i;

	for (i = 1; i < l->orders->count && !l->large; i++)
		trials[i - 1] = text_of(l, i);
	return i - 1;
}

/* The order that is best by these rules, if it is not the first one. */
static u32 propose_order(const struct planner_ladder *l, struct planner_trial *trials)
{
	u32 best = 0, i;

	for (i = 1; i < l->orders->count; i++)
		if (l->text_cycles[i] < l->text_cycles[best])
			best = i;
	trials[0] = planner_trial_of(l, &l->orders->graphs[best], &l->first);
	return best > 0;
}

/* Minimal bytes, where the objective is cycles. */
static u32 propose_bytes(const struct planner_ladder *l, struct planner_trial *trials)
{
	struct planner_candidate candidate = l->first;

	candidate.aim = bytes;
	trials[0] = planner_trial_of(l, &l->orders->graphs[0], &candidate);
	return l->by_time;
}

static u32 propose_first(const struct planner_ladder *l, struct planner_trial *trials)
{
	trials[0] = planner_trial_of(l, &l->orders->graphs[0], &l->first);
	return 1;
}

/* The other orders of the nodes: the best one depends on the groups. */
static u32 propose_orders(const struct planner_ladder *l, struct planner_trial *trials)
{
	u32 i;

	for (i = 1; i < l->orders->count; i++)
		trials[i - 1] = planner_trial_of(l, &l->orders->graphs[i], &l->first);
	return l->orders->count - 1;
}

/* Adds joins of operands of concatenations that differ from each other; the first was tried. */
static u32 add_joins(const struct planner_ladder *l, const struct loom_graph *graph,
		     const struct planner_candidate *like, struct planner_trial *trials)
{
	static const enum loom_storage_join joins[] = {
		LOOM_JOIN_NEAR, LOOM_JOIN_NONE, LOOM_JOIN_OWN, LOOM_JOIN_FAR,
	};
	struct planner_candidate candidate = *like;
	u32 count = 0, i, k;

	for (i = 1; i < ARRAY_SIZE(joins); i++) {
		for (k = 0; k < i; k++)
			if (!loom_storage_joins_differ(graph, joins[k], joins[i]))
				break;
		candidate.join = joins[i];
		if (k == i)
			trials[count++] = planner_trial_of(l, graph, &candidate);
	}
	return count;
}

static u32 propose_joins(const struct planner_ladder *l, struct planner_trial *trials)
{
	const struct loom_graph *graph = l->best.program ? l->best.graph : &l->orders->graphs[0];

	return add_joins(l, graph, &l->first, trials);
}

/* Other weights of both streams, and bytes, with the best order and joins. */
static u32 propose_aims(const struct planner_ladder *l, struct planner_trial *trials)
{
	struct planner_candidate candidate = l->best.candidate;
	u32 count = 0, i;

	if (!l->by_time || !l->best.program)
		return 0;
	if (l->large) {
		candidate.aim = times[0];
		trials[0] = planner_trial_of(l, l->best.graph, &candidate);
		return 1;
	}
	for (i = 0; i <= ARRAY_SIZE(times); i++) {
		candidate.aim = i ? times[i - 1] : bytes;
		trials[count++] = planner_trial_of(l, l->best.graph, &candidate);
	}
	return count;
}

/*
 * In a large graph, orders are compared by bytes, which takes less time. If another aim is better
 * by far, so may be the order that keeps the fewest bytes alive: the last.
 */
static u32 propose_last_order(const struct planner_ladder *l, struct planner_trial *trials)
{
	const struct loom_graph *last = &l->orders->graphs[l->orders->count - 1];
	struct planner_candidate candidate = l->best.candidate;

	if (!l->by_time || !l->large || !l->best.program || l->best.graph == last ||
	    planner_is_within(&l->best, NEAR_BOUND) ||
	    (l->before - l->best.program->stats.cycles <= l->before / FAR &&
	     planner_is_within(&l->best, FAR_BOUND)))
		return 0;
	/* by bytes, it was tried among the others */
	candidate.aim = times[0];
	trials[0] = planner_trial_of(l, last, &candidate);
	return 1;
}

/* The best candidate, with more effort. */
static u32 propose_more_work(const struct planner_ladder *l, struct planner_trial *trials)
{
	struct planner_candidate candidate = l->best.candidate;
	u32 count = 0;

	if (!l->by_time || !l->best.program)
		return 0;
	candidate.share = l->large ? 0 : LAST_SHARE;
	trials[count++] = planner_trial_of(l, l->best.graph, &candidate);
	/* how well a value that is joined can be cut shows late */
	if (candidate.join != LOOM_JOIN_NONE && !planner_is_within(&l->best, NEAR_BOUND) &&
	    loom_storage_joins_sources(l->best.graph)) {
		candidate.join = LOOM_JOIN_NONE;
		trials[count++] = planner_trial_of(l, l->best.graph, &candidate);
	}
	return count;
}

/* Adds two trials with all effort in an order: for the aim of the best candidate, and for bytes. */
static u32 add_all_work(const struct planner_ladder *l, const struct loom_graph *graph,
			struct planner_trial *trials)
{
	struct planner_candidate candidate = l->best.candidate;

	candidate.share = 0;
	trials[0] = planner_trial_of(l, graph, &candidate);
	candidate.aim = bytes;
	trials[1] = planner_trial_of(l, graph, &candidate);
	return 2;
}

/* A large gain by more effort shows that the search was far from converged. */
static u32 propose_all_work(const struct planner_ladder *l, struct planner_trial *trials)
{
	if (!l->by_time || l->large || !l->best.program ||
	    l->before - l->best.program->stats.cycles <= l->before / MUCH)
		return 0;
	return add_all_work(l, l->best.graph, trials);
}

/*
 * With little effort, divisions by bytes may win because searches by time were far from converged.
 */
static u32 propose_time(const struct planner_ladder *l, struct planner_trial *trials)
{
	struct planner_candidate candidate = l->best.candidate;

	if (!l->by_time || l->large || !l->best.program || candidate.aim.time ||
	    planner_is_within(&l->best, FAR_BOUND))
		return 0;
	candidate.aim = times[0];
	candidate.aim.after_bytes = true;
	candidate.share = 0;
	trials[0] = planner_trial_of(l, l->best.graph, &candidate);
	return 1;
}

/* All effort in the best order and in the second best. */
static u32 propose_everything(const struct planner_ladder *l, struct planner_trial *trials)
{
	const struct loom_graph *graphs = l->orders->graphs;
	u32 second = LOOM_SORT_COUNT, count, i;

	if (!l->by_time || !l->best.program)
		return 0;
	for (i = 0; i < l->orders->count; i++)
		if (&graphs[i] != l->best.graph &&
		    (second == LOOM_SORT_COUNT || l->cycles[i] < l->cycles[second]))
			second = i;
	count = add_all_work(l, l->best.graph, trials);
	if (second < LOOM_SORT_COUNT)
		count += add_all_work(l, &graphs[second], &trials[count]);
	return count;
}

/*
 * SRAM that groups leave free is used for prefetch, also by other groups: groups for less SRAM may
 * be faster.
 */
static u32 propose_rooms(const struct planner_ladder *l, struct planner_trial *trials)
{
	u64 quarter = loom_planner_sram_bytes(&l->options) / 4, quarters;
	struct planner_candidate candidate = l->best.candidate;
	u32 count = 0;

	if (!l->by_time || !l->best.program || !quarter || planner_is_within(&l->best, NEAR_BOUND))
		return 0;
	for (quarters = l->large ? 3 : 2; quarters < 4; quarters++) {
		candidate.share = l->large ? candidate.share : SCOUT_SHARE;
		candidate.group_bytes = quarters * quarter;
		trials[count++] = planner_trial_of(l, l->best.graph, &candidate);
	}
	return count;
}

/* The best room for prefetch, with more effort; in a large graph, half of that room. */
static u32 propose_room(const struct planner_ladder *l, struct planner_trial *trials)
{
	struct planner_candidate candidate = l->best.candidate;

	if (!l->best.program || !candidate.group_bytes)
		return 0;
	if (!l->large)
		return propose_more_work(l, trials);
	candidate.group_bytes += (loom_planner_sram_bytes(&l->options) - candidate.group_bytes) / 2;
	trials[0] = planner_trial_of(l, l->best.graph, &candidate);
	return !planner_is_within(&l->best, NEAR_BOUND);
}

/* By bytes, the best order depends on whether operands of concatenations are joined. */
static u32 propose_apart(const struct planner_ladder *l, struct planner_trial *trials)
{
	const struct planner_candidate apart = { .join = LOOM_JOIN_NONE };
	const struct loom_graph *graphs = l->orders->graphs;
	u32 count = 0, i;

	for (i = 0; i < l->orders->count && l->options.objective == LOOM_OBJECTIVE_BYTES; i++)
		if (&graphs[i] != l->best.graph &&
		    loom_storage_joins_differ(&graphs[i], LOOM_JOIN_NEAR, LOOM_JOIN_NONE))
			trials[count++] = planner_trial_of(l, &graphs[i], &apart);
	return count;
}

/* The next smaller size below the SRAM in a fixed series, four for each power of two. 0: none. */
static u64 smaller_sram(const struct loom_planner_options *options)
{
	u64 sram_bytes = loom_planner_sram_bytes(options), power = 1;

	if (sram_bytes < 8)
		return 0;
	while (power <= (sram_bytes - 1) / 2)
		power *= 2;
	return power + (sram_bytes - 1 - power) / (power / 4) * (power / 4);
}

/*
 * A search for more SRAM may end with a worse plan: there are more divisions, and the budget is the
 * same. So plans for slightly less are candidates as well.
 */
static u32 propose_less(const struct planner_ladder *l, struct planner_trial *trials)
{
	struct planner_candidate candidate = l->first;

	candidate.group_bytes = smaller_sram(&l->options);
	if (!l->best.program || l->options.objective != LOOM_OBJECTIVE_BYTES ||
	    l->best.graph->num_nodes > MANY_NODES || !candidate.group_bytes)
		return 0;
	trials[0] = planner_trial_of(l, l->best.graph, &candidate);
	return 1 + add_joins(l, l->best.graph, &candidate, &trials[1]);
}

const struct planner_row planner_rows[] = {
	{ "first", 0, false, propose_first },
	{ "orders", 1, true, propose_orders },
	{ "joins", 1, false, propose_joins },
	{ "aims", 1, false, propose_aims },
	{ "last order", 2, false, propose_last_order },
	{ "apart", 1, false, propose_apart },
	{ "less", 1, false, propose_less },
	{ "more work", 2, false, propose_more_work },
	{ "rooms", 2, true, propose_rooms },
	{ "all work", 2, false, propose_all_work },
	{ "room", 2, true, propose_room },
	{ "time", 2, false, propose_time },
	{ "all work", 3, false, propose_everything },
	{ "layerwise", 0, false, propose_layerwise },
	{ "text", 0, false, propose_text },
	{ "bytes", 0, false, propose_bytes },
	{ "texts", 0, false, propose_texts },
	{ "order", 0, false, propose_order },
};

const u32 planner_num_rows = ARRAY_SIZE(planner_rows);
