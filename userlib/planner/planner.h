/* SPDX-License-Identifier: MIT */
/*
 * DOC: The planner
 *
 * This room is the driver of planning: graph in, program out (loom_planner.h, loom_program.h). It
 * is given a finished graph and options: the chip, a grouping, a placer, an SRAM limit. It
 * gives a program: the plan's bytes and what a runtime needs to feed it. The same graph and options
 * give the same bytes.
 *
 * It decides nothing about a node itself, but says who does, and in which order:
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

/**
 * struct planner_bar - what a program has to beat, by an estimate before its tensors are placed
 * @cycles: estimate of another program; U64_MAX: there is none. A program whose estimate is not
 *	below is given up with -ERANGE
 * @always: it is made nevertheless
 * @estimate: [out] that of the program; 0: there is none
 */
struct planner_bar {
	u64 cycles;
	bool always;
	u64 estimate;
};

/**
 * struct planner_way - what is tried, and is not for a caller to choose
 * @join: which operands of concatenations are joined, if there are groups
 * @stream_in_place: only constants that would be streamed are read where they are, not all
 * @aim: what groups are to have the least of, if their strategy asks for that
 * @share: one in so many of the effort that options allow; 0: all of it
 * @group_bytes: groups are made for so much SRAM per lane, and what is left is for what is loaded
 *	early; 0: for all that there is
 * @division: groups that are not searched for, but given; NULL: search
 * @bar: by time: what a program has to beat; NULL: nothing
 * @memo: estimates of groups, for the next search; NULL: nothing is kept
 * @alternatives: [out] other divisions, and the program says why each cut is there; NULL: no
 */
struct planner_way {
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
 * @graph: what is planned
 * @options: for what, and how
 * @way: likewise
 * @build: the tables
 * @storage: where values are
 * @lower: the state of lowering
 * @err: where errors go, or NULL
 */
struct planner {
	const struct loom_graph *graph;
	const struct loom_planner_options *options;
	struct planner_way way;
	struct loom_build build;
	struct loom_storage storage;
	struct loom_lower lower;
	struct loom_error *err;
};

/**
 * loom_planner_create() - plans a graph by the strategy of the options and no other
 * @graph: finished
 * @options: what to plan for
 * @way: likewise
 * @program: [out] the program
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_program_create() does.
 */
int loom_planner_create(const struct loom_graph *graph, const struct loom_planner_options *options,
			const struct planner_way *way, struct loom_program **program,
			struct loom_error *err);
/** loom_planner_within() - the same, and it recomputes no more than the options allow; as above */
int loom_planner_within(const struct loom_graph *graph, const struct loom_planner_options *options,
			const struct planner_way *way, struct loom_program **program,
			struct loom_error *err);
/**
 * loom_planner_explain() - improves a program by other divisions, and explains its cuts
 * @graph: of which the program was made, in its order
 * @options: likewise; and whether to explain it
 * @way: likewise
 * @program: [in, out] the program; it is replaced
 *
 * Return: 0 or -errno; the program is valid in any case.
 */
int loom_planner_explain(const struct loom_graph *graph, const struct loom_planner_options *options,
			 const struct planner_way *way, struct loom_program **program);
/** loom_planner_best() - the best program by the objective, in the SRAM that there is; as above */
int loom_planner_best(const struct loom_graph *graph, const struct loom_planner_options *options,
		      struct loom_program **program, struct loom_error *err);
/** loom_planner_least_sram() - the program that needs the least SRAM; as above */
int loom_planner_least_sram(const struct loom_graph *graph,
			    const struct loom_planner_options *options,
			    struct loom_program **program, struct loom_error *err);
/**
 * loom_planner_least() - what no plan of a graph is below
 * @graph: finished, in operations that the chip has
 * @options: what is planned for
 * @least: [out] the figures; zero if the graph cannot be looked at
 *
 * Return: 0 or -errno.
 */
int loom_planner_least(const struct loom_graph *graph, const struct loom_planner_options *options,
		       struct loom_program_least *least);
/**
 * loom_large_find() - which nodes do not fit, not even in the smallest slices
 * @lower: whose storage is decided; nothing is written
 * @too_large: [out] by id of the result: the node does not fit. Zeroed before
 *
 * What does not fit of a node are the sums or the maxima that its operation takes as a whole: a
 * slice of the result needs all of them. Its kernels are cut as if it ran by itself, but with
 * constants in place where the chip can, and images where they are.
 *
 * Return: how many they are.
 */
u32 loom_large_find(struct loom_lower *lower, bool *too_large);
/**
 * loom_planner_too_large() - which nodes do not fit, see loom_large_find()
 * @graph: finished, in operations that the chip has
 * @options: what is planned for
 * @too_large: [out] by id of the result. Zeroed before
 *
 * Return: how many they are; of a graph that cannot be looked at, 0.
 */
u32 loom_planner_too_large(const struct loom_graph *graph,
			   const struct loom_planner_options *options, bool *too_large);
/**
 * loom_planner_fit() - a graph of nodes that fit
 * @graph: finished, in operations that the chip has
 * @options: what is planned for
 * @own: [in, out] what is planned instead of @graph and may be changed; NULL: there is none
 * @cut: [out] how many nodes were put together of pieces
 * @fits: [out] false: there is a node that does not fit, and cannot be cut
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
 * loom_planner_plan() - plans a graph for a chip, but by nodes that fit another one
 * @graph: finished
 * @fits: what nodes are to fit
 * @options: what is planned for
 * @program: [out] the program
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_program_create() does.
 */
int loom_planner_plan(const struct loom_graph *graph, const struct loom_planner_options *fits,
		      const struct loom_planner_options *options, struct loom_program **program,
		      struct loom_error *err);
/** loom_planner_compact() - places the scratch anew where less of the SRAM will do. 0 or -ENOMEM */
int loom_planner_compact(struct planner *p);
/** loom_planner_finish() - a program of complete tables, which takes the notes. 0 or -errno */
int loom_planner_finish(struct planner *p, struct loom_program **program);

/** loom_planner_note_least() - a program says what no plan is below */
void loom_planner_note_least(struct loom_program *program, const struct loom_program_least *least);
/** loom_planner_note_cut() - a program says how many nodes were put together of pieces */
void loom_planner_note_cut(struct loom_program *program, u32 cut);
/** loom_planner_note_candidate() - the row of alternatives.c that has made a program */
void loom_planner_note_candidate(struct loom_program *program, const char *name);
/** loom_planner_candidate() - the same, for benchmarks; NULL: it was the only one */
const char *loom_planner_candidate(const struct loom_program *program);
/** loom_planner_cuts() - the notes of a program's cuts, to be filled in */
struct loom_program_cut *loom_planner_cuts(struct loom_program *program);
/** loom_planner_own() - the program was made of @graph, and is to destroy it; may be NULL */
void loom_planner_own(struct loom_program *program, struct loom_graph *graph);
/**
 * loom_planner_sram_bytes() - bytes of each lane's SRAM that a plan may use
 * @options: the chip, and a limit if there is one; else the chip's own holds
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

/** loom_planner_effort() - the effort level of options, from 0 to 3 */
static inline u32 loom_planner_effort(const struct loom_planner_options *options)
{
	return (options->effort ? options->effort : LOOM_EFFORT_MORE) - LOOM_EFFORT_ONCE;
}

/** loom_planner_check() - 0, or -EINVAL for a chip or a limit that makes no sense */
int loom_planner_check(const struct loom_planner_options *options, struct loom_error *err);

/* each node for itself: what is asked for where groups are not wanted; NULL asks for the default */
#define LOOM_GROUPING_NONE	"layerwise"

/** loom_grouping_is_on() - options ask for groups */
bool loom_grouping_is_on(const struct loom_planner_options *options);
/** loom_grouping_is_known() - the grouping of the options exists */
bool loom_grouping_is_known(const struct loom_planner_options *options);
/** loom_grouping_strategy() - the strategy of the options; NULL: none is asked for, or unknown */
const struct loom_group_strategy *
loom_grouping_strategy(const struct loom_planner_options *options);
/** loom_grouping_own_name() - the name of the grouping of the options, that of the table */
const char *loom_grouping_own_name(const struct loom_planner_options *options);

#endif /* LOOM_PLANNER_ROOM_H */
