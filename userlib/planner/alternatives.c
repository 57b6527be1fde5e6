// SPDX-License-Identifier: MIT
/*
 * DOC: Candidates
 *
 * A group's cost is an estimate while groups are searched, and the best division by a sum over
 * groups need not be the best plan. So the planner writes several programs, counts each exactly,
 * and keeps the best by the objective: the fewest cycles, or the fewest DRAM bytes.
 *
 * The table &planner_rows (rows.c) lists the candidates in the order in which they are tried. A row
 * proposes trials: a graph in one of its orders, options, and a &struct planner_candidate. Later
 * rows start from the best program of earlier ones. Each row says from which effort level it runs;
 * all trials of a level are also trials of the level above, so its plan is never worse. No further
 * row runs once the best program is within 1/ENOUGH of a lower bound. `make bench-time` prints how
 * often each row has won.
 *
 * Trials of a row, and of rows that run along with it, run in several threads (base/tasks.h). The
 * plan does not depend on their number.
 *
 * A search that runs out of budget may miss results of simple rules, and in very little SRAM no
 * groups at all may be best: nodes by themselves are a candidate at each level. With the objective
 * of time, each search has a share of the effort that options allow, because the kind of candidate
 * matters more than the effort in it. In graphs of more than PLANNER_LARGE_GRAPH nodes each takes
 * long: fewer run there.
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
#include "ladder.h"

#include <errno.h>
#include <string.h>

/* A plan is fast enough within 1/ENOUGH of the lower bound. */
#define ENOUGH		1000
/* A candidate is given up if its estimate is not within 1/NEAR_BAR of that of the best. */
#define NEAR_BAR	12

/* In graphs of more nodes, all levels plan as the lowest one: each candidate takes seconds. */
#define ONCE_NODES	16384

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

/* Whether the program is provably the best, or will not do. */
static bool is_best(const struct planner_choice *best, enum loom_planner_objective objective)
{
	const struct loom_program *program = best->program;

	if (!program)
		return false;
	/* or nothing more is asked for */
	if (loom_watch_is_over() || program->stats.cycles > best->most_cycles)
		return true;
	if (objective == LOOM_OBJECTIVE_TIME)
		return planner_is_within(best, ENOUGH);
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

static bool is_same_trial(const struct planner_trial *a, const struct planner_trial *b)
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
	struct planner_ladder *l;
	struct planner_trial trials[VARIANTS * PLANNER_ROW_TRIALS];
	u32 count;
	struct loom_program *programs[VARIANTS * PLANNER_ROW_TRIALS];
	int rets[VARIANTS * PLANNER_ROW_TRIALS];
	struct planner_bar bars[VARIANTS * PLANNER_ROW_TRIALS];
	u64 after[VARIANTS * PLANNER_ROW_TRIALS];
	struct loom_error *err;
};

/* The threshold that the best program sets; U64_MAX: there is none. */
static u64 bar_of(const struct planner_choice *best)
{
	return best->program ? best->bar_cycles + best->bar_cycles / NEAR_BAR : U64_MAX;
}

static void run_trial(void *arg, u32 i)
{
	struct batch *batch = arg;
	const struct planner_trial *trial = &batch->trials[i];
	struct planner_candidate how = trial->candidate;

	if (i >= LOOM_TASKS_LAG)
		batch->bars[i].cycles = batch->after[i - LOOM_TASKS_LAG];
	how.memo = batch->l->best.memo;
	how.bar = &batch->bars[i];
	batch->rets[i] = loom_planner_within(trial->graph, &trial->options, &how,
					     &batch->programs[i], i ? NULL : batch->err);
}

/* The fewest cycles by orders. */
static void note_cycles(struct planner_ladder *l, const struct planner_trial *trial, u64 cycles)
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
	struct planner_ladder *l = batch->l;
	struct planner_choice *best = &l->best;
	const struct planner_trial *trial = &batch->trials[i];
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
static void add_variants(struct batch *batch, const struct planner_trial *trial)
{
	struct planner_trial *variants = &batch->trials[batch->count];

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
static int try_all(struct planner_ladder *l, const struct planner_trial *trials, u32 count,
		   struct loom_error *err)
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

/* Whether another division may be better, by more than the cost of finding it. */
static bool may_improve(const struct planner_choice *best)
{
	const struct loom_group_strategy *strategy = loom_grouping_strategy(&best->options);

	return strategy && strategy->competes && best->graph->num_nodes <= PLANNER_LARGE_GRAPH &&
	       best->program->num_groups > 1 &&
	       (best->options.objective == LOOM_OBJECTIVE_TIME ||
		!is_best(best, best->options.objective));
}

/* Takes the best program, unless there was no memory to find it. */
static int take_best(struct planner_choice *best, int ret, struct loom_program **program,
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
static u32 add_trials(struct planner_ladder *l, const struct planner_row *row,
		      struct planner_trial *fresh, u32 count)
{
	struct planner_trial trials[PLANNER_ROW_TRIALS];
	u32 proposed = row->propose(l, trials), i, k;

	for (i = 0; i < proposed; i++) {
		for (k = 0; k < l->num_tried; k++)
			if (is_same_trial(&l->tried[k], &trials[i]))
				break;
		if (k < l->num_tried || count == PLANNER_ROW_TRIALS)
			continue;
		if (l->num_tried < PLANNER_MOST_TRIALS)
			l->tried[l->num_tried++] = trials[i];
		fresh[count] = trials[i];
		fresh[count++].row = row->name;
	}
	return count;
}

/* Tries all rows of an effort level. Returns 0, or why the first trial has failed. */
static int try_rows(struct planner_ladder *l, u32 effort, struct loom_error *err)
{
	struct planner_trial fresh[PLANNER_ROW_TRIALS];
	int ret = 0;
	u32 i = 0, count;

	while (i < planner_num_rows) {
		loom_watch_reach(0.1 + 0.6 * i / planner_num_rows);
		count = 0;
		do {
			if (planner_rows[i].effort <= effort)
				count = add_trials(l, &planner_rows[i], fresh, count);
		} while (++i < planner_num_rows && planner_rows[i].along);
		/* after they proposed: "all work" asks how much the rows before it gained */
		if (l->best.program)
			l->before = l->best.program->stats.cycles;
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
		  const struct loom_planner_options *options, u64 most_cycles,
		  struct loom_program **program, struct loom_error *err)
{
	const struct loom_group_strategy *strategy = loom_grouping_strategy(options);
	bool compete = strategy && strategy->competes;
	struct planner_ladder l = {
		.orders = orders,
		.options = *options,
		.by_time = compete && options->objective == LOOM_OBJECTIVE_TIME,
		.large = graph->num_nodes > PLANNER_LARGE_GRAPH,
	};
	u32 effort = graph->num_nodes > ONCE_NODES ? 0 : loom_planner_effort(options);
	struct loom_group_memo memo = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct planner_trial last;
	int ret;

	/* only the final plan is explained */
	if (compete)
		l.options.flags &= ~LOOM_PLANNER_EXPLAIN;
	/* a baseline must follow its published text exactly */
	else if (strategy)
		l.options.flags |= LOOM_PLANNER_NO_RETIME | LOOM_PLANNER_LOAD_WEIGHTS;
	l.first = planner_first(&l);
	memset(l.cycles, 0xff, sizeof(l.cycles));
	memset(l.text_cycles, 0xff, sizeof(l.text_cycles));
	l.best.memo = &memo;
	l.best.most_cycles = most_cycles;
	if (compete)
		ret = try_rows(&l, effort, err);
	else
		ret = try_all(&l, l.tried, planner_rows[0].propose(&l, l.tried), err);
	if (ret == -ENOMEM || ret == -EINVAL)
		goto out;
	if (!l.best.program) {
		l.options.grouping = LOOM_GROUPING_NONE;
		last = planner_trial_of(&l, graph, &planner_layerwise);
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
	int ret = choose(graph, orders, options, U64_MAX, &other, NULL);

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
			  const struct loom_planner_options *options, u64 most_cycles,
			  struct loom_program **program, struct loom_error *err)
{
	struct loom_orders orders;
	int ret;

	loom_watch_at(LOOM_STAGE_ORDER);
	ret = loom_orders_make(&orders, graph, options->flags & LOOM_PLANNER_GIVEN_ORDER);
	if (ret)
		return loom_error_set(err, ret, "out of memory");
	ret = choose(graph, &orders, options, most_cycles, program, err);
	if (!ret && (*program)->stats.cycles <= most_cycles &&
	    (choose_loaded(graph, &orders, options, program) ||
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
	struct planner_ladder l = {
		.orders = &orders, .options = *options, .best = { .most_cycles = U64_MAX },
	};
	const struct planner_trial trial = planner_trial_of(&l, graph, &planner_layerwise);

	return take_best(&l.best, try_all(&l, &trial, 1, err), program, err);
}

int loom_planner_best(const struct loom_graph *graph, const struct loom_planner_options *options,
		      u64 most_cycles, struct loom_program **program, struct loom_error *err)
{
	if (loom_grouping_is_on(options))
		return create_grouped(graph, options, most_cycles, program, err);
	return create_plain(graph, options, program, err);
}
