// SPDX-License-Identifier: MIT
/*
 * DOC: Candidates
 *
 * A group's cost is an estimate while groups are searched, and the best division by a sum over
 * groups need not be the best plan. So the planner writes several programs, counts each exactly,
 * and keeps the best by the objective: the fewest cycles, or the fewest DRAM bytes.
 *
 * The table &rows lists the candidates in the order in which they are tried. A row proposes trials:
 * a graph in one of its orders, options, and a &struct planner_candidate. Later rows start from the
 * best program of earlier ones. Each row says from which effort level it runs; all trials of a
 * level are also trials of the level above, so its plan is never worse. No further row
 * runs once the best program is within 1/ENOUGH of a lower bound. `make bench-time` prints how
 * often each row has won.
 *
 * Trials of a row run in several threads (base/tasks.h). The plan does not depend on their number.
 *
 * A search that runs out of budget may miss results of simple rules, and in very little SRAM no
 * groups at all may be best: nodes by themselves are a candidate at each level. With the objective
 * of time, each search has a share of the effort that options allow, because the kind of candidate
 * matters more than the effort in it. In graphs of more than PLANNER_LARGE_GRAPH nodes, a tenth of
 * the effort takes as long as half of it: fewer candidates run there.
 *
 * If the chip computes on constants in place, each trial is written with all constants in place,
 * with only the streamed ones in place, and with all loaded. A strategy that was requested as a
 * baseline is one trial with constants loaded.
 *
 * Rejected: the strategy "layergroup-dp", and a full search by bytes for plans by time. Both rarely
 * won, for a fifth of the time.
 */
#include "base/error.h"
#include "base/tasks.h"
#include "orders.h"
#include "planner.h"

#include <errno.h>
#include <string.h>

static const struct planner_candidate layerwise_candidate = { .join = LOOM_JOIN_NONE };
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
/* In large graphs the share matters little: most of the time is spent before the search begins. */
#define LARGE_SHARE	2
/* An improvement is large if it saves more than 1/MUCH of the cycles. */
#define MUCH		64
/* A plan is fast enough within 1/ENOUGH of the lower bound. */
#define ENOUGH		1000
/* Within 1/NEAR_BOUND of the lower bound, other rooms for prefetch cost more than they gain. */
#define NEAR_BOUND	64
/* A candidate is given up if its estimate is not within 1/NEAR_BAR of that of the best. */
#define NEAR_BAR	12

/* In graphs of more nodes, plans for less SRAM are skipped: they take too long. */
#define MANY_NODES	400

/* In graphs of more nodes, all levels plan as the lowest one: each candidate takes seconds. */
#define ONCE_NODES	16384

/* In graphs of more nodes, the rules of "layergroup-text" are not tried: their time is cubic. */
#define TEXT_NODES	1024

static u64 dram_traffic(const struct loom_program *program)
{
	return program->stats.dram_read_bytes + program->stats.dram_write_bytes;
}

static u64 traffic(const struct loom_program *program)
{
	return dram_traffic(program) + program->stats.rom_read_bytes;
}

/* Lower bound on the traffic: inputs, outputs and weights must be moved once each. */
static u64 least_traffic(const struct loom_program *program, bool weights)
{
	u64 bytes = weights ? program->stats.weights_bytes : 0;
	u32 i;

	for (i = 0; i < program->num_inputs; i++)
		bytes += program->inputs[i].size_bytes;
	for (i = 0; i < program->num_outputs; i++)
		bytes += program->outputs[i].size_bytes;
	return bytes;
}

static bool is_better(enum loom_planner_objective objective, const struct loom_program *a,
		      const struct loom_program *b)
{
	if (objective == LOOM_OBJECTIVE_TIME && a->stats.cycles != b->stats.cycles)
		return a->stats.cycles < b->stats.cycles;
	/* for the least scratch, other DRAM traffic counts, but weights in ROM do not */
	if (objective == LOOM_OBJECTIVE_SRAM && dram_traffic(a) != dram_traffic(b))
		return dram_traffic(a) < dram_traffic(b);
	if (objective == LOOM_OBJECTIVE_SRAM && a->stats.sram_bytes != b->stats.sram_bytes)
		return a->stats.sram_bytes < b->stats.sram_bytes;
	if (traffic(a) != traffic(b))
		return traffic(a) < traffic(b);
	return a->stats.cycles < b->stats.cycles;
}

/* Keeps the better of two programs. */
static void keep_better(enum loom_planner_objective objective, struct loom_program **best,
			struct loom_program *other)
{
	if (!*best || is_better(objective, other, *best)) {
		loom_program_destroy(*best);
		*best = other;
	} else {
		loom_program_destroy(other);
	}
}

/**
 * struct choice - the best program so far and its origin
 * @program: the program, or NULL
 * @graph: the graph, in the order of the program
 * @options: its options
 * @candidate: its internal settings
 * @least_cycles: lower bound on the cycles of all programs; 0: unknown
 * @bar_cycles: by time: threshold for other programs, see &struct planner_bar
 * @memo: estimates of groups, for the next search
 * @starved: a trial ran out of memory: otherwise the same graph might have another program
 */
struct choice {
	struct loom_program *program;
	const struct loom_graph *graph;
	struct loom_planner_options options;
	struct planner_candidate candidate;
	u64 least_cycles;
	u64 bar_cycles;
	struct loom_group_memo *memo;
	bool starved;
};

/* By time: whether the program is within 1/@part of the lower bound. */
static bool is_within(const struct choice *best, u64 part)
{
	return best->program->stats.cycles <= best->least_cycles + best->least_cycles / part;
}

/* Whether the program is provably the best. */
static bool is_best(const struct choice *best, enum loom_planner_objective objective)
{
	const struct loom_program *program = best->program;

	if (!program)
		return false;
	/* or nothing more is asked for */
	if (loom_watch_is_over())
		return true;
	if (objective == LOOM_OBJECTIVE_TIME)
		return is_within(best, ENOUGH);
	/* without DRAM, the data in the SRAM besides the scratch counts as well */
	if (objective == LOOM_OBJECTIVE_SRAM)
		return dram_traffic(program) && dram_traffic(program) <=
		       least_traffic(program, !program->stats.rom_read_bytes);
	return objective == LOOM_OBJECTIVE_BYTES &&
	       traffic(program) <= least_traffic(program, true);
}

/* Whether the chip and the options allow to compute on constants in place. */
static bool can_in_place(const struct loom_planner_options *options)
{
	const struct drm_loom_chip *chip = options->chip;
	u32 i;

	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		if (i != DRM_LOOM_REGION_SRAM && chip->region[i].banks &&
		    chip->region[i].flags & DRM_LOOM_CHIP_IN_PLACE)
			return !(options->flags & LOOM_PLANNER_LOAD_WEIGHTS);
	return false;
}

/**
 * struct trial - a program to be written
 * @row: the kind of candidate; NULL: there are no others
 * @graph: in its order
 * @options: its options
 * @candidate: its internal settings
 */
struct trial {
	const char *row;
	const struct loom_graph *graph;
	struct loom_planner_options options;
	struct planner_candidate candidate;
};

/* Limits on the trials of rows that run together, and of all rows of a plan. */
#define ROW_TRIALS	8
#define MOST_TRIALS	64

/**
 * struct ladder - the state of choosing
 * @orders: the graph in its orders
 * @options: the options, without explanations
 * @by_time: the objective is cycles
 * @large: the graph has so many nodes that fewer candidates run
 * @best: the best program so far
 * @first: how the first candidate was made
 * @cycles: by order: the fewest so far
 * @text_cycles: the same, by rules without a search
 * @before: cycles of the best program before the last rows
 * @starved: a trial of the batch had no memory
 * @tried: the trials so far
 * @num_tried: number of @tried
 */
struct ladder {
	const struct loom_orders *orders;
	struct loom_planner_options options;
	bool by_time;
	bool large;
	struct choice best;
	struct planner_candidate first;
	u64 cycles[LOOM_SORT_COUNT];
	u64 text_cycles[LOOM_SORT_COUNT];
	u64 before;
	bool starved;
	struct trial tried[MOST_TRIALS];
	u32 num_tried;
};

static struct trial trial_of(const struct ladder *l, const struct loom_graph *graph,
			     const struct planner_candidate *candidate)
{
	return (struct trial){ .graph = graph, .options = l->options, .candidate = *candidate };
}

static bool is_same_trial(const struct trial *a, const struct trial *b)
{
	const struct planner_candidate *x = &a->candidate, *y = &b->candidate;

	return a->graph == b->graph && a->options.grouping == b->options.grouping &&
	       x->join == y->join && x->stream_in_place == y->stream_in_place &&
	       loom_group_is_same_aim(&x->aim, &y->aim) && x->share == y->share &&
	       x->group_bytes == y->group_bytes;
}

/* Variants of a trial: constants in place, only the streamed ones in place, and all loaded. */
#define VARIANTS	3

/**
 * struct batch - trials that are independent of each other
 * @l: the state of choosing
 * @trials: the trials, with the variants of each
 * @count: number of @trials
 * @programs: by trial: its program, not merged yet
 * @rets: by trial: as of loom_planner_within()
 * @bars: by trial: its threshold and its estimate
 * @after: by trial: the threshold for others once it was merged
 * @err: [out] of the first one, or NULL
 */
struct batch {
	struct ladder *l;
	struct trial trials[VARIANTS * ROW_TRIALS];
	u32 count;
	struct loom_program *programs[VARIANTS * ROW_TRIALS];
	int rets[VARIANTS * ROW_TRIALS];
	struct planner_bar bars[VARIANTS * ROW_TRIALS];
	u64 after[VARIANTS * ROW_TRIALS];
	struct loom_error *err;
};

/* The threshold that the best program sets; U64_MAX: there is none. */
static u64 bar_of(const struct choice *best)
{
	return best->program ? best->bar_cycles + best->bar_cycles / NEAR_BAR : U64_MAX;
}

static void run_trial(void *arg, u32 i)
{
	struct batch *batch = arg;
	const struct trial *trial = &batch->trials[i];
	struct planner_candidate how = trial->candidate;

	if (i >= LOOM_TASKS_LAG)
		batch->bars[i].cycles = batch->after[i - LOOM_TASKS_LAG];
	how.memo = batch->l->best.memo;
	how.bar = &batch->bars[i];
	batch->rets[i] = loom_planner_within(trial->graph, &trial->options, &how,
					     &batch->programs[i], i ? NULL : batch->err);
}

/* The fewest cycles by orders. */
static void note_cycles(struct ladder *l, const struct trial *trial, u64 cycles)
{
	u32 i;

	for (i = 0; i < l->orders->count; i++)
		if (&l->orders->graphs[i] == trial->graph) {
			l->cycles[i] = min(l->cycles[i], cycles);
			if (trial->options.grouping == loom_group_text.name)
				l->text_cycles[i] = min(l->text_cycles[i], cycles);
		}
}

/* Keeps the program of a trial if it is better. */
static bool merge_trial(void *arg, u32 i)
{
	struct batch *batch = arg;
	struct ladder *l = batch->l;
	struct choice *best = &l->best;
	const struct trial *trial = &batch->trials[i];
	struct loom_program *program = batch->programs[i], *before = best->program;
	struct loom_program_least least;
	u64 cycles;

	batch->programs[i] = NULL;
	l->starved |= batch->rets[i] == -ENOMEM;
	if (batch->rets[i] == -ERANGE)
		note_cycles(l, trial, batch->bars[i].estimate);
	if (!batch->rets[i]) {
		/* all orders of a graph have the same bound */
		if (trial->options.objective == LOOM_OBJECTIVE_TIME && !before) {
			l->starved |= loom_planner_least(trial->graph, &trial->options, &least) ==
				      -ENOMEM;
			best->least_cycles = least.held_cycles;
		}
		cycles = program->stats.cycles;
		note_cycles(l, trial, cycles);
		keep_better(trial->options.objective, &best->program, program);
		if (best->program != before) {
			best->graph = trial->graph;
			best->options = trial->options;
			best->candidate = trial->candidate;
			best->bar_cycles = planner_bar_next(&batch->bars[i], cycles);
			loom_planner_note_candidate(program, trial->row);
		}
		loom_watch_spare(true);
	}
	batch->after[i] = bar_of(best);
	return !is_best(best, trial->options.objective);
}

/* Adds the variants of a trial. */
static void add_variants(struct batch *batch, const struct trial *trial)
{
	struct trial *variants = &batch->trials[batch->count];

	variants[0] = *trial;
	batch->count++;
	if (!can_in_place(&trial->options))
		return;
	if (loom_grouping_is_on(&trial->options) &&
	    trial->options.objective != LOOM_OBJECTIVE_SRAM) {
		batch->trials[batch->count] = *trial;
		batch->trials[batch->count++].candidate.stream_in_place = true;
	}
	batch->trials[batch->count] = *trial;
	batch->trials[batch->count++].options.flags |= LOOM_PLANNER_LOAD_WEIGHTS;
}

/* Tries @count trials. Returns 0 if there is a program, or why the first one has failed. */
static int try_all(struct ladder *l, const struct trial *trials, u32 count, struct loom_error *err)
{
	struct batch batch = { .l = l, .err = err };
	struct loom_tasks tasks = {
		.jobs = loom_planner_jobs(&l->options),
		.run = run_trial, .merge = merge_trial, .arg = &batch,
	};
	bool given_up;
	u32 i;

	for (i = 0; i < count; i++)
		add_variants(&batch, &trials[i]);
	for (i = 0; i < batch.count; i++)
		batch.bars[i].cycles = bar_of(&l->best);
	tasks.count = batch.count;
	l->starved = false;
	loom_watch_spare(l->best.program);
	loom_tasks_run(&tasks);
	given_up = loom_watch_end_spare();
	l->best.starved |= l->starved && !given_up;
	for (i = 0; i < batch.count; i++)
		loom_program_destroy(batch.programs[i]);
	return l->best.program ? 0 : batch.rets[0];
}

static u32 propose_layerwise(const struct ladder *l, struct trial *trials)
{
	trials[0] = trial_of(l, &l->orders->graphs[0], &layerwise_candidate);
	trials[0].options.grouping = LOOM_GROUPING_NONE;
	return 1;
}

static struct trial text_of(const struct ladder *l, u32 order)
{
	struct trial trial = trial_of(l, &l->orders->graphs[order], &l->first);

	trial.options.grouping = loom_group_text.name;
	return trial;
}

/* Rules without a search, which may be better where a search runs out of budget. */
static u32 propose_text(const struct ladder *l, struct trial *trials)
{
	trials[0] = text_of(l, 0);
	return l->orders->graphs[0].num_nodes <= TEXT_NODES;
}

/* The same for other orders. */
static u32 propose_texts(const struct ladder *l, struct trial *trials)
{
	u32 i;

	for (i = 1; i < l->orders->count && !l->large; i++)
		trials[i - 1] = text_of(l, i);
	return i - 1;
}

/* The order that is best by these rules, if it is not the first one. */
static u32 propose_order(const struct ladder *l, struct trial *trials)
{
	u32 best = 0, i;

	for (i = 1; i < l->orders->count; i++)
		if (l->text_cycles[i] < l->text_cycles[best])
			best = i;
	trials[0] = trial_of(l, &l->orders->graphs[best], &l->first);
	return best > 0;
}

/* Minimal bytes, where the objective is cycles. */
static u32 propose_bytes(const struct ladder *l, struct trial *trials)
{
	struct planner_candidate candidate = l->first;

	candidate.aim = bytes;
	trials[0] = trial_of(l, &l->orders->graphs[0], &candidate);
	return l->by_time;
}

static u32 propose_first(const struct ladder *l, struct trial *trials)
{
	trials[0] = trial_of(l, &l->orders->graphs[0], &l->first);
	return 1;
}

/* The other orders of the nodes: the best one depends on the groups. */
static u32 propose_orders(const struct ladder *l, struct trial *trials)
{
	u32 i;

	for (i = 1; i < l->orders->count; i++)
		trials[i - 1] = trial_of(l, &l->orders->graphs[i], &l->first);
	return l->orders->count - 1;
}

/* Adds joins of operands of concatenations that differ from each other; the first was tried. */
static u32 add_joins(const struct ladder *l, const struct loom_graph *graph,
		     const struct planner_candidate *like, struct trial *trials)
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
			trials[count++] = trial_of(l, graph, &candidate);
	}
	return count;
}

static u32 propose_joins(const struct ladder *l, struct trial *trials)
{
	const struct loom_graph *graph = l->best.program ? l->best.graph : &l->orders->graphs[0];

	return add_joins(l, graph, &l->first, trials);
}

/* Other weights of both streams, and bytes, with the best order and joins. */
static u32 propose_aims(const struct ladder *l, struct trial *trials)
{
	struct planner_candidate candidate = l->best.candidate;
	u32 count = 0, i;

	if (!l->by_time || !l->best.program)
		return 0;
	if (l->large) {
		candidate.aim = times[0];
		trials[0] = trial_of(l, l->best.graph, &candidate);
		return 1;
	}
	for (i = 0; i <= ARRAY_SIZE(times); i++) {
		candidate.aim = i ? times[i - 1] : bytes;
		trials[count++] = trial_of(l, l->best.graph, &candidate);
	}
	return count;
}

/* The best candidate, with more effort. */
static u32 propose_more_work(const struct ladder *l, struct trial *trials)
{
	struct planner_candidate candidate = l->best.candidate;
	u32 count = 0;

	if (!l->by_time || !l->best.program)
		return 0;
	candidate.share = l->large ? 0 : LAST_SHARE;
	trials[count++] = trial_of(l, l->best.graph, &candidate);
	/* how well a value that is joined can be cut shows late */
	if (candidate.join != LOOM_JOIN_NONE && !is_within(&l->best, NEAR_BOUND) &&
	    loom_storage_joins_sources(l->best.graph)) {
		candidate.join = LOOM_JOIN_NONE;
		trials[count++] = trial_of(l, l->best.graph, &candidate);
	}
	return count;
}

/* All effort, for cycles and for bytes, in the best order and in the second best. */
static u32 propose_everything(const struct ladder *l, struct trial *trials)
{
	const struct loom_graph *graphs = l->orders->graphs;
	u32 first = 0, second = LOOM_SORT_COUNT, count = 0, i;
	struct planner_candidate candidate = l->best.candidate;

	if (!l->by_time || !l->best.program)
		return 0;
	while (&graphs[first] != l->best.graph)
		first++;
	for (i = 0; i < l->orders->count; i++)
		if (i != first &&
		    (second == LOOM_SORT_COUNT || l->cycles[i] < l->cycles[second]))
			second = i;
	candidate.share = 0;
	for (i = 0; i < 2; i++) {
		const u32 order = i ? second : first;

		if (order == LOOM_SORT_COUNT)
			continue;
		candidate.aim = l->best.candidate.aim;
		trials[count++] = trial_of(l, &graphs[order], &candidate);
		candidate.aim = bytes;
		trials[count++] = trial_of(l, &graphs[order], &candidate);
	}
	return count;
}

/* A large gain by more effort shows that the search was far from converged. */
static u32 propose_all_work(const struct ladder *l, struct trial *trials)
{
	if (l->large || !l->best.program ||
	    l->before - l->best.program->stats.cycles <= l->before / MUCH)
		return 0;
	return propose_everything(l, trials);
}

/*
 * SRAM that groups leave free is used for prefetch, also by other groups: groups for less SRAM may
 * be faster.
 */
static u32 propose_rooms(const struct ladder *l, struct trial *trials)
{
	u64 quarter = loom_planner_sram_bytes(&l->options) / 4, quarters;
	struct planner_candidate candidate = l->best.candidate;
	u32 count = 0;

	if (!l->by_time || !l->best.program || !quarter || is_within(&l->best, NEAR_BOUND))
		return 0;
	for (quarters = l->large ? 3 : 2; quarters < 4; quarters++) {
		candidate.share = l->large ? candidate.share : SCOUT_SHARE;
		candidate.group_bytes = quarters * quarter;
		trials[count++] = trial_of(l, l->best.graph, &candidate);
	}
	return count;
}

/* The best room for prefetch, with more effort. */
static u32 propose_room(const struct ladder *l, struct trial *trials)
{
	if (!l->best.program || !l->best.candidate.group_bytes || l->large)
		return 0;
	return propose_more_work(l, trials);
}

/* By bytes, the best order depends on whether operands of concatenations are joined. */
static u32 propose_apart(const struct ladder *l, struct trial *trials)
{
	const struct planner_candidate apart = { .join = LOOM_JOIN_NONE };
	const struct loom_graph *graphs = l->orders->graphs;
	u32 count = 0, i;

	for (i = 0; i < l->orders->count && l->options.objective == LOOM_OBJECTIVE_BYTES; i++)
		if (&graphs[i] != l->best.graph &&
		    loom_storage_joins_differ(&graphs[i], LOOM_JOIN_NEAR, LOOM_JOIN_NONE))
			trials[count++] = trial_of(l, &graphs[i], &apart);
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
static u32 propose_less(const struct ladder *l, struct trial *trials)
{
	struct planner_candidate candidate = l->first;

	candidate.group_bytes = smaller_sram(&l->options);
	if (!l->best.program || l->options.objective != LOOM_OBJECTIVE_BYTES ||
	    l->best.graph->num_nodes > MANY_NODES || !candidate.group_bytes)
		return 0;
	trials[0] = trial_of(l, l->best.graph, &candidate);
	return 1 + add_joins(l, l->best.graph, &candidate, &trials[1]);
}

/**
 * struct row - a kind of candidate
 * @name: of the table that `make bench-time` prints
 * @effort: lowest effort level that tries it
 * @along: its trials run together with those of the row before
 * @propose: writes its trials. Returns their number
 */
struct row {
	const char *name;
	u32 effort;
	bool along;
	u32 (*propose)(const struct ladder *l, struct trial *trials);
};

static const struct row rows[] = {
	{ "first", 0, false, propose_first },
	{ "orders", 1, true, propose_orders },
	{ "joins", 1, false, propose_joins },
	{ "aims", 1, false, propose_aims },
	{ "apart", 1, false, propose_apart },
	{ "less", 1, false, propose_less },
	{ "more work", 2, false, propose_more_work },
	{ "rooms", 2, true, propose_rooms },
	{ "all work", 2, false, propose_all_work },
	{ "room", 2, false, propose_room },
	{ "all work", 3, false, propose_everything },
	{ "layerwise", 0, false, propose_layerwise },
	{ "text", 0, false, propose_text },
	{ "bytes", 0, false, propose_bytes },
	{ "texts", 0, false, propose_texts },
	{ "order", 0, false, propose_order },
};

/* Whether another division may be better, by more than the cost of finding it. */
static bool may_improve(const struct choice *best)
{
	const struct loom_group_strategy *strategy = loom_grouping_strategy(&best->options);

	return strategy && strategy->competes && best->graph->num_nodes <= PLANNER_LARGE_GRAPH &&
	       best->program->num_groups > 1 &&
	       (best->options.objective == LOOM_OBJECTIVE_TIME ||
		!is_best(best, best->options.objective));
}

/* Takes the best program, unless there was no memory to find it. */
static int take_best(struct choice *best, int ret, struct loom_program **program,
		     struct loom_error *err)
{
	if (best->starved)
		ret = loom_error_set(err, -ENOMEM, "out of memory");
	if (ret)
		loom_program_destroy(best->program);
	*program = ret ? NULL : best->program;
	return ret;
}

/* Adds what a row proposes and has not been tried. Returns the number of @fresh trials. */
static u32 add_trials(struct ladder *l, const struct row *row, struct trial *fresh, u32 count)
{
	struct trial trials[ROW_TRIALS];
	u32 proposed = row->propose(l, trials), i, k;

	for (i = 0; i < proposed; i++) {
		for (k = 0; k < l->num_tried; k++)
			if (is_same_trial(&l->tried[k], &trials[i]))
				break;
		if (k < l->num_tried || count == ROW_TRIALS)
			continue;
		if (l->num_tried < MOST_TRIALS)
			l->tried[l->num_tried++] = trials[i];
		fresh[count] = trials[i];
		fresh[count++].row = row->name;
	}
	return count;
}

/* Tries all rows of an effort level. Returns 0, or why the first trial has failed. */
static int try_rows(struct ladder *l, u32 effort, struct loom_error *err)
{
	struct trial fresh[ROW_TRIALS];
	int ret = 0;
	u32 i = 0, count;

	while (i < ARRAY_SIZE(rows)) {
		loom_watch_reach(0.1 + 0.6 * i / ARRAY_SIZE(rows));
		if (l->best.program)
			l->before = l->best.program->stats.cycles;
		count = 0;
		do {
			if (rows[i].effort <= effort)
				count = add_trials(l, &rows[i], fresh, count);
		} while (++i < ARRAY_SIZE(rows) && rows[i].along);
		if (!count || is_best(&l->best, l->options.objective))
			continue;
		ret = try_all(l, fresh, count, err);
		if (ret == -ENOMEM || ret == -EINVAL)
			return ret;
		err = NULL;
	}
	return 0;
}

static int choose(const struct loom_graph *graph, const struct loom_orders *orders,
		  const struct loom_planner_options *options, struct loom_program **program,
		  struct loom_error *err)
{
	const struct loom_group_strategy *strategy = loom_grouping_strategy(options);
	bool compete = strategy && strategy->competes;
	struct ladder l = {
		.orders = orders,
		.options = *options,
		.by_time = compete && options->objective == LOOM_OBJECTIVE_TIME,
		.large = graph->num_nodes > PLANNER_LARGE_GRAPH,
		.first = { .join = LOOM_JOIN_NEAR },
	};
	u32 effort = graph->num_nodes > ONCE_NODES ? 0 : loom_planner_effort(options);
	struct loom_group_memo memo = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct trial last;
	int ret;

	/* only the final plan is explained */
	if (compete)
		l.options.flags &= ~LOOM_PLANNER_EXPLAIN;
	/* a baseline must follow its published text exactly */
	else if (strategy)
		l.options.flags |= LOOM_PLANNER_NO_RETIME | LOOM_PLANNER_LOAD_WEIGHTS;
	if (l.by_time) {
		l.first.aim = l.large ? bytes : times[0];
		l.first.share = l.large ? LARGE_SHARE : SCOUT_SHARE;
	}
	memset(l.cycles, 0xff, sizeof(l.cycles));
	memset(l.text_cycles, 0xff, sizeof(l.text_cycles));
	l.best.memo = &memo;
	if (compete)
		ret = try_rows(&l, effort, err);
	else
		ret = try_all(&l, l.tried, propose_first(&l, l.tried), err);
	if (ret == -ENOMEM || ret == -EINVAL)
		goto out;
	if (!l.best.program) {
		l.options.grouping = LOOM_GROUPING_NONE;
		last = trial_of(&l, graph, &layerwise_candidate);
		ret = try_all(&l, &last, 1, err);
	}
	if (!l.best.program)
		goto take;
	l.best.options.flags |= options->flags & LOOM_PLANNER_EXPLAIN;
	ret = 0;
	loom_watch_reach(0.75);
	if (compete && !l.best.starved && !loom_watch_is_over() &&
	    (options->flags & LOOM_PLANNER_EXPLAIN || (effort > 1 && may_improve(&l.best))))
		ret = loom_planner_explain(l.best.graph, &l.best.options, &l.best.candidate,
					   &l.best.program);
take:
	ret = take_best(&l.best, ret, program, err);
out:
	loom_group_memo_free(&memo);
	return ret;
}

/* Chooses for other options as well, and keeps the better plan of both. Returns 0 or -ENOMEM. */
static int choose_also(const struct loom_graph *graph, const struct loom_orders *orders,
		       const struct loom_planner_options *options, struct loom_program **program)
{
	struct loom_program *other;
	int ret = choose(graph, orders, options, &other, NULL);

	if (!ret)
		keep_better(options->objective, program, other);
	return ret == -ENOMEM ? ret : 0;
}

/*
 * The trials of a row depend on the best program so far. With all constants loaded from the start,
 * that leads elsewhere, and now and then to a better plan.
 */
static int choose_loaded(const struct loom_graph *graph, const struct loom_orders *orders,
			 const struct loom_planner_options *options, struct loom_program **program)
{
	const struct loom_group_strategy *strategy = loom_grouping_strategy(options);
	struct loom_planner_options how = *options;

	if (options->objective == LOOM_OBJECTIVE_SRAM || !strategy || !strategy->competes ||
	    !can_in_place(options) || loom_planner_effort(options) < 2 || loom_watch_is_over())
		return 0;
	how.flags |= LOOM_PLANNER_LOAD_WEIGHTS;
	return choose_also(graph, orders, &how, program);
}

/*
 * The plan of the level below LOOM_EFFORT_MOST: the final improvement depends on the best program
 * before it, and may be better from a worse one.
 */
static int choose_less(const struct loom_graph *graph, const struct loom_orders *orders,
		       const struct loom_planner_options *options, struct loom_program **program)
{
	struct loom_planner_options how = *options;
	int ret;

	if (options->effort != LOOM_EFFORT_MOST || loom_watch_is_over())
		return 0;
	how.effort = LOOM_EFFORT_MORE;
	ret = choose_also(graph, orders, &how, program);
	return ret ? ret : choose_loaded(graph, orders, &how, program);
}

static int create_grouped(const struct loom_graph *graph,
			  const struct loom_planner_options *options,
			  struct loom_program **program, struct loom_error *err)
{
	struct loom_orders orders;
	int ret;

	loom_watch_at(LOOM_STAGE_ORDER);
	ret = loom_orders_make(&orders, graph, options->flags & LOOM_PLANNER_GIVEN_ORDER);
	if (ret)
		return loom_error_set(err, ret, "out of memory");
	ret = choose(graph, &orders, options, program, err);
	if (!ret && (choose_loaded(graph, &orders, options, program) ||
		     choose_less(graph, &orders, options, program))) {
		loom_program_destroy(*program);
		*program = NULL;
		ret = loom_error_set(err, -ENOMEM, "out of memory");
	}
	loom_orders_clear(&orders);
	return ret;
}

static int create_plain(const struct loom_graph *graph, const struct loom_planner_options *options,
			struct loom_program **program, struct loom_error *err)
{
	const struct loom_orders orders = { .count = 0 };
	struct ladder l = { .orders = &orders, .options = *options };
	const struct trial trial = trial_of(&l, graph, &layerwise_candidate);

	return take_best(&l.best, try_all(&l, &trial, 1, err), program, err);
}

int loom_planner_best(const struct loom_graph *graph, const struct loom_planner_options *options,
		      struct loom_program **program, struct loom_error *err)
{
	if (loom_grouping_is_on(options))
		return create_grouped(graph, options, program, err);
	return create_plain(graph, options, program, err);
}
