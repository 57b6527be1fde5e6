/* SPDX-License-Identifier: MIT */
/*
 * DOC: The planner
 *
 * The driver of planning: graph in, program out (loom_planner.h, loom_program.h). The input is a
 * finished graph and options: the chip, a grouping, a placer, an SRAM limit. The output is a
 * program: the plan's bytes and the data a runtime needs to feed it. Invariant: the same graph and
 * options give the same bytes.
 *
 * It decides nothing about a node itself, but calls the folders that do, in this order:
 *
 *	options -> the graph in operations that the chip has (rewrite/), and that fit
 *	        -> storage (where values live: lower/storage.h)
 *	        -> no groups: the arena is placed, then each node is lowered by itself
 *	           groups: the strategy chooses them, then the arena is placed, then groups are
 *	           written (group/)
 *	        -> by time: transfers go to where they run beside arithmetic (retime/)
 *	        -> the plan's tables become bytes (plan/build.h), and are costed (plan/cost.h)
 *
 *	check.c		whether the options make sense
 *	lacks.c		which nodes the chip cannot do
 *	program.c	one program by one strategy
 *			(and what no plan is below, least/)
 *	within.c	and one that recomputes no more than it may
 *	manifest.c	what it says besides the plan
 *	create.c	where planning begins
 *	fit.c		what does not fit is put together of pieces
 *	large.c		which nodes do not fit
 *	alternatives.c	the better one of several strategies, orders, and of constants in place and
 *			loaded
 *	explain.c	the programs that a plan's cuts are explained by
 *	orders.c	a graph in several orders
 *	least_sram.c	the program that needs the least SRAM
 *	grouping.c	strategies by name
 *	objective.c	objectives by name
 *	reference.c	the program that others are compared with
 *
 * Options reach the rooms below as plain fields (&struct loom_storage_options,
 * &struct loom_group_options): they do not know what a grouping is called, or that others exist.
 *
 * Rejected: choosing between strategies while groups are searched. Costs are estimates
 * there; a finished plan is counted to the byte.
 */
#ifndef LOOM_PLANNER_ROOM_H
#define LOOM_PLANNER_ROOM_H

#include "base/watch.h"
#include "group/group.h"
#include "loom_chip.h"
#include "loom_planner.h"
#include "lower/lower.h"
#include "lower/storage.h"
#include "plan/build.h"

/* In graphs of more nodes, all effort takes too long. */
#define PLANNER_LARGE_GRAPH	256
/* Graphs of at most so many nodes: all candidates are made, because estimates are coarse. */
#define PLANNER_SMALL_GRAPH	32

/**
 * struct planner_bar - threshold for a program, by an estimate before its tensors are placed
 * @cycles: estimate of another program; U64_MAX: none. A program whose estimate is not below is
 *	rejected with -ERANGE
 * @always: the program is made nevertheless
 * @estimate: [out] that of the program; 0: none
 */
struct planner_bar {
	u64 cycles;
	bool always;
	u64 estimate;
};

/**
 * planner_bar_next() - threshold that a program sets for others
 * @bar: of the program
 * @cycles: that it takes
 *
 * Return: its estimate, which other estimates compare with, unless its tensors could not be placed
 * as well as that.
 */
static inline u64 planner_bar_next(const struct planner_bar *bar, u64 cycles)
{
	return cycles <= bar->estimate + bar->estimate / 512 ? bar->estimate : cycles;
}

/**
 * struct planner_candidate - a candidate: internal search settings; not part of the options
 * @join: operands of concatenations that are joined, if there are groups
 * @stream_in_place: only constants that would be streamed are read in place, not all
 * @aim: objective of groups, if their strategy uses it
 * @share: divisor of the effort that options allow; 0: all of it
 * @group_bytes: SRAM per lane for groups, the rest is for prefetch; 0: all of it
 * @division: given groups; NULL: search
 * @bar: by time: threshold for the program; NULL: none
 * @memo: estimates of groups, for the next search; NULL: none are kept
 * @alternatives: [out] other divisions, and the program explains its cuts; NULL: no
 */
struct planner_candidate {
	enum loom_storage_join join;
	bool stream_in_place;
	struct loom_group_aim aim;
	u32 share;
	u64 group_bytes;
	const struct loom_group_division *division;
	struct planner_bar *bar;
	struct loom_group_memo *memo;
	struct loom_group_alternatives *alternatives;
};

/**
 * struct planner - the state of planning
 * @graph: the graph
 * @options: the options
 * @candidate: the internal settings
 * @build: the tables
 * @storage: places of values
 * @lower: the state of lowering
 * @err: receives errors, or NULL
 */
struct planner {
	const struct loom_graph *graph;
	const struct loom_planner_options *options;
	struct planner_candidate candidate;
	struct loom_build build;
	struct loom_storage storage;
	struct loom_lower lower;
	struct loom_error *err;
};

/**
 * loom_planner_create() - plan a graph by the strategy of the options only
 * @graph: finished
 * @options: the options
 * @candidate: the internal settings
 * @program: [out] the program
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_program_create() does.
 */
int loom_planner_create(const struct loom_graph *graph, const struct loom_planner_options *options,
			const struct planner_candidate *candidate, struct loom_program **program,
			struct loom_error *err);
/** loom_planner_within() - the same, with limited recomputation; returns the same */
int loom_planner_within(const struct loom_graph *graph, const struct loom_planner_options *options,
			const struct planner_candidate *candidate, struct loom_program **program,
			struct loom_error *err);
/**
 * loom_planner_explain() - improve a program by other divisions, and explain its cuts
 * @graph: the graph of the program, in its order
 * @options: those of the program; and whether to explain it
 * @candidate: its internal settings
 * @program: [in, out] the program; it is replaced
 *
 * Return: 0 or -errno; the program is valid in any case.
 */
int loom_planner_explain(const struct loom_graph *graph, const struct loom_planner_options *options,
			 const struct planner_candidate *candidate, struct loom_program **program);
/**
 * loom_planner_best() - the best program by the objective, in the SRAM that there is
 * @graph: finished, in operations of the chip
 * @options: the options
 * @most_cycles: a first program with more is kept, without a search for a better one
 * @program: [out] the program
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_program_create() does.
 */
int loom_planner_best(const struct loom_graph *graph, const struct loom_planner_options *options,
		      u64 most_cycles, struct loom_program **program, struct loom_error *err);
/** loom_planner_least_sram() - the program that needs the least SRAM; as above */
int loom_planner_least_sram(const struct loom_graph *graph,
			    const struct loom_planner_options *options,
			    struct loom_program **program, struct loom_error *err);
/**
 * loom_planner_least() - compute lower bounds over all plans of a graph
 * @graph: finished, in operations of the chip
 * @options: the options
 * @least: [out] the figures; zero if they cannot be computed
 *
 * Return: 0 or -errno.
 */
int loom_planner_least(const struct loom_graph *graph, const struct loom_planner_options *options,
		       struct loom_program_least *least);
/**
 * loom_large_find() - find the nodes that do not fit, not even in the smallest slices
 * @lower: its storage must be decided; no commands are written
 * @too_large: [out] by id of the result: the node does not fit. Must be zeroed before
 *
 * A node does not fit if its operation sums or compares too many elements for one element of the
 * result. Its kernels are cut as if it ran by itself, but with constants in place if the chip
 * supports it, and images in place.
 *
 * Return: their number.
 */
u32 loom_large_find(struct loom_lower *lower, bool *too_large);
/**
 * loom_planner_too_large() - find the nodes that do not fit, see loom_large_find()
 * @graph: finished, in operations of the chip
 * @options: the options
 * @too_large: [out] by id of the result. Must be zeroed before
 *
 * Return: their number; 0 for a graph that cannot be lowered.
 */
u32 loom_planner_too_large(const struct loom_graph *graph,
			   const struct loom_planner_options *options, bool *too_large);
/**
 * loom_planner_fit() - make all nodes of a graph fit
 * @graph: finished, in operations of the chip
 * @options: the options
 * @own: [in, out] graph that replaces @graph and may be changed; NULL: there is none
 * @cut: [out] number of nodes that are computed in pieces
 * @fits: [out] false: a node does not fit, and cannot be cut
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0 or -errno.
 */
int loom_planner_fit(const struct loom_graph *graph, const struct loom_planner_options *options,
		     struct loom_graph **own, u32 *cut, bool *fits, struct loom_error *err);
/** loom_planner_watch() - the watch that options ask for, to begin with */
struct loom_watch loom_planner_watch(const struct loom_graph *graph,
				     const struct loom_planner_options *options);
/** loom_planner_unwatch() - loom_watch_end() for a call that returns @ret and has made @program */
int loom_planner_unwatch(struct loom_watch *watch, int ret, struct loom_program **program,
			 struct loom_error *err);

/**
 * enum loom_planner_form - form of weights of few bits
 * @LOOM_FORM_PACKED: the device expands them
 * @LOOM_FORM_EXPANDED: they are expanded before
 * @LOOM_FORM_ANY: the one whose plan is faster
 */
enum loom_planner_form {
	LOOM_FORM_PACKED,
	LOOM_FORM_EXPANDED,
	LOOM_FORM_ANY,
};

/**
 * loom_planner_plan() - plan a graph for a chip, but with nodes that fit another one
 * @graph: finished
 * @fits: options that nodes must fit
 * @options: the options
 * @form: of weights of few bits
 * @program: [out] the program
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_program_create() does.
 */
int loom_planner_plan(const struct loom_graph *graph, const struct loom_planner_options *fits,
		      const struct loom_planner_options *options, enum loom_planner_form form,
		      struct loom_program **program, struct loom_error *err);
/** loom_planner_compact() - places the scratch again if less SRAM suffices. 0 or -ENOMEM */
int loom_planner_compact(struct planner *p);
/** loom_planner_finish() - makes a program of complete tables and the notes. 0 or -errno */
int loom_planner_finish(struct planner *p, struct loom_program **program);

/** loom_planner_note_least() - records lower bounds in a program */
void loom_planner_note_least(struct loom_program *program, const struct loom_program_least *least);
/** loom_planner_note_cut() - records the number of nodes that are computed in pieces */
void loom_planner_note_cut(struct loom_program *program, u32 cut);
/** loom_planner_note_candidate() - records the row of alternatives.c that made a program */
void loom_planner_note_candidate(struct loom_program *program, const char *name);
/** loom_planner_candidate() - reads that row, for benchmarks; NULL: it was the only one */
const char *loom_planner_candidate(const struct loom_program *program);
/** loom_planner_cuts() - the notes of a program's cuts, to be filled in */
struct loom_program_cut *loom_planner_cuts(struct loom_program *program);
/** loom_planner_own() - makes the program own @graph, and @expanded; either may be NULL */
void loom_planner_own(struct loom_program *program, struct loom_graph *graph,
		      struct loom_graph *expanded);
/**
 * loom_planner_sram_bytes() - bytes of each lane's SRAM that a plan may use
 * @options: the chip, and a limit; without one the chip's own applies
 *
 * Return: bytes.
 */
static inline u64 loom_planner_sram_bytes(const struct loom_planner_options *options)
{
	const struct drm_loom_chip_region *sram = &options->chip->region[DRM_LOOM_REGION_SRAM];
	u64 bytes = sram->bank_bytes - sram->reserved_bytes, limit;

	limit = options->sram_limit_bytes ? options->sram_limit_bytes : sram->floor_bytes;
	return limit ? min(limit, bytes) : bytes;
}

/*
 * Threads of options. With a limit on work or memory there is one: the sums over several depend on
 * which runs when.
 */
static inline u32 loom_planner_jobs(const struct loom_planner_options *options)
{
	return options->max_work || options->max_memory_bytes ? 1 : options->jobs;
}

/** loom_planner_effort() - the effort level of options, from 0 to 3 */
static inline u32 loom_planner_effort(const struct loom_planner_options *options)
{
	return (options->effort ? options->effort : LOOM_EFFORT_MORE) - LOOM_EFFORT_ONCE;
}

/** loom_planner_check() - 0, or -EINVAL for an invalid chip or limit */
int loom_planner_check(const struct loom_planner_options *options, struct loom_error *err);

/* the name of a grouping without groups; NULL requests the default */
#define LOOM_GROUPING_NONE	"layerwise"

/** loom_grouping_is_on() - options ask for groups */
bool loom_grouping_is_on(const struct loom_planner_options *options);
/** loom_grouping_is_known() - whether the grouping of the options exists */
bool loom_grouping_is_known(const struct loom_planner_options *options);
/** loom_grouping_strategy() - the strategy of the options; NULL: none is requested, or unknown */
const struct loom_group_strategy *
loom_grouping_strategy(const struct loom_planner_options *options);
/** loom_grouping_own_name() - the name of the grouping of the options in the table */
const char *loom_grouping_own_name(const struct loom_planner_options *options);

#endif /* LOOM_PLANNER_ROOM_H */
