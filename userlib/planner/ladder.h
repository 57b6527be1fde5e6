/* SPDX-License-Identifier: MIT */
/*
 * The state of choosing among plans, see alternatives.c, and the table of candidates, rows.c.
 */
#ifndef LOOM_PLANNER_LADDER_H
#define LOOM_PLANNER_LADDER_H

#include "orders.h"
#include "planner.h"

/**
 * struct planner_choice - the best program so far and its origin
 * @program: the program, or NULL
 * @graph: the graph, in the order of the program
 * @options: its options
 * @candidate: its internal settings
 * @least_cycles: lower bound on the cycles of all programs; 0: unknown
 * @bar_cycles: by time: threshold for other programs, see &struct planner_bar
 * @most_cycles: with more, no other program is tried
 * @memo: estimates of groups, for the next search
 * @starved: a trial ran out of memory: otherwise the same graph might have another program
 */
struct planner_choice {
	struct loom_program *program;
	const struct loom_graph *graph;
	struct loom_planner_options options;
	struct planner_candidate candidate;
	u64 least_cycles;
	u64 bar_cycles;
	u64 most_cycles;
	struct loom_group_memo *memo;
	bool starved;
};

/**
 * struct planner_trial - a program to be written
 * @row: the kind of candidate; NULL: there are no others
 * @graph: in its order
 * @options: its options
 * @candidate: its internal settings
 */
struct planner_trial {
	const char *row;
	const struct loom_graph *graph;
	struct loom_planner_options options;
	struct planner_candidate candidate;
};

/* Limits on the trials of rows that run together, and of all rows of a plan. */
#define PLANNER_ROW_TRIALS	8
#define PLANNER_MOST_TRIALS	64

/**
 * struct planner_ladder - the state of choosing
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
struct planner_ladder {
	const struct loom_orders *orders;
	struct loom_planner_options options;
	bool by_time;
	bool large;
	struct planner_choice best;
	struct planner_candidate first;
	u64 cycles[LOOM_SORT_COUNT];
	u64 text_cycles[LOOM_SORT_COUNT];
	u64 before;
	bool starved;
	struct planner_trial tried[PLANNER_MOST_TRIALS];
	u32 num_tried;
};

/**
 * struct planner_row - a kind of candidate
 * @name: of the table that `make bench-time` prints
 * @effort: lowest effort level that tries it
 * @along: its trials run together with those of the row before
 * @propose: writes its trials. Returns their number
 */
struct planner_row {
	const char *name;
	u32 effort;
	bool along;
	u32 (*propose)(const struct planner_ladder *l, struct planner_trial *trials);
};

extern const struct planner_row planner_rows[];
extern const u32 planner_num_rows;

/* Without groups. */
extern const struct planner_candidate planner_layerwise;

/** planner_first() - the settings of the first candidate */
struct planner_candidate planner_first(const struct planner_ladder *l);

/* By time: whether the program is within 1/@part of the lower bound. */
static inline bool planner_is_within(const struct planner_choice *best, u64 part)
{
	return best->program->stats.cycles <= best->least_cycles + best->least_cycles / part;
}

static inline struct planner_trial planner_trial_of(const struct planner_ladder *l,
						    const struct loom_graph *graph,
						    const struct planner_candidate *candidate)
{
	return (struct planner_trial){
		.graph = graph, .options = l->options, .candidate = *candidate,
	};
}

#endif /* LOOM_PLANNER_LADDER_H */
