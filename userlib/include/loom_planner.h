/* SPDX-License-Identifier: MIT */
/*
 * libloom: from a finished graph to a program (loom_program.h).
 */
#ifndef LOOM_PLANNER_H
#define LOOM_PLANNER_H

#include "loom.h"
#include "loom_place.h"
#include "loom_program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drm_loom_chip;

/**
 * enum loom_planner_flags - how to plan
 * @LOOM_PLANNER_OBSERVE_ALL: keep every value that the graph computes, see
 *	&loom_planner_options.observe
 * @LOOM_PLANNER_NO_OVERLAP: no double buffers: a step either moves data or computes
 * @LOOM_PLANNER_GIVEN_ORDER: nodes run in the order of the model, even if another one needs less
 *	memory or, with groups, moves fewer bytes. Results are the same to the bit either way
 * @LOOM_PLANNER_LOAD_IMAGES: images are loaded to SRAM like other values, even if convolution and
 *	pooling could read them in place
 * @LOOM_PLANNER_LOAD_WEIGHTS: constants are loaded to SRAM, even if the chip can compute on them
 *	where they are
 * @LOOM_PLANNER_EXPLAIN: compute for each cut between groups the cost of the division without
 *	it, see &struct loom_program_cut. Planning takes longer by a factor of the number of cuts
 * @LOOM_PLANNER_NO_RETIME: steps stay as the strategy has written them. Else, with
 *	LOOM_OBJECTIVE_TIME, transfers are moved to other steps, also of other groups, where they
 *	run beside arithmetic; but not in plans of strategies that are there to compare with
 * @LOOM_PLANNER_WHOLE_SUMS: a node is refused of which not even the smallest slice fits. Else what
 *	it sums is put together of partial sums, and floats may differ in the last bits from those
 *	of a larger SRAM, see &loom_program_stats.cut_nodes. By LOOM_OBJECTIVE_SRAM, that is done
 *	only for nodes that do not fit in all of the SRAM
 */
enum loom_planner_flags {
	LOOM_PLANNER_OBSERVE_ALL	= 1 << 0,
	LOOM_PLANNER_NO_OVERLAP		= 1 << 1,
	LOOM_PLANNER_GIVEN_ORDER	= 1 << 2,
	LOOM_PLANNER_LOAD_IMAGES	= 1 << 3,
	LOOM_PLANNER_EXPLAIN		= 1 << 4,
	LOOM_PLANNER_NO_RETIME		= 1 << 5,
	LOOM_PLANNER_LOAD_WEIGHTS	= 1 << 6,
	LOOM_PLANNER_WHOLE_SUMS		= 1 << 7,
};

/**
 * enum loom_planner_objective - cost that the planner minimises
 * @LOOM_OBJECTIVE_TIME: cycles by the chip's clock, then bytes. The default
 * @LOOM_OBJECTIVE_BYTES: bytes to and from memory outside of the SRAM
 * @LOOM_OBJECTIVE_SRAM: SRAM, then bytes: the scratch, and on a chip without DRAM also what buffers
 *	take in the SRAM
 *
 * It chooses between programs, and what the default grouping looks for; other groupings have an
 * objective of their own, and so have the programs that they make.
 */
enum loom_planner_objective {
	LOOM_OBJECTIVE_TIME,
	LOOM_OBJECTIVE_BYTES,
	LOOM_OBJECTIVE_SRAM,
};

/**
 * enum loom_planner_effort - how many candidates are compared
 * @LOOM_EFFORT_DEFAULT: LOOM_EFFORT_MORE
 * @LOOM_EFFORT_ONCE: one search for groups by each objective, and no groups; for interactive use
 * @LOOM_EFFORT_SOME: also other orders, joins and weights of both streams
 * @LOOM_EFFORT_MORE: also more work in the best of them, and other divisions near the best one
 * @LOOM_EFFORT_MOST: all divisions near the best one; may take minutes
 *
 * A level compares all that the level below does: its plan is never worse. The same graph, options
 * and level give the same bytes.
 */
enum loom_planner_effort {
	LOOM_EFFORT_DEFAULT,
	LOOM_EFFORT_ONCE,
	LOOM_EFFORT_SOME,
	LOOM_EFFORT_MORE,
	LOOM_EFFORT_MOST,
};

/**
 * struct loom_planner_options - chip and options of a plan
 * @chip: of the device: from loom_chip_load(), or filled in from QUERY. Must not be
 *	NULL. Operations that it lacks are rewritten into others if possible
 * @placer: name of the placement strategy of the arena, see
 *	loom_place_strategy_name(); NULL: "auto"
 * @grouping: name of the strategy that groups nodes to run out of SRAM, see
 *	loom_grouping_name(); NULL: "layergroup", which is what `loom plan` takes
 * @sram_limit_bytes: limit on the bytes per lane of a plan; 0: the amount that can always run on a
 *	shared device (the chip's floor_bytes), or all of the SRAM if the chip does not say. Must
 *	not exceed the SRAM of the chip
 * @grouping_budget: deprecated, see @effort: how long groups are searched for, in milliseconds of a
 *	typical machine. It is counted in work, so the answer does not depend on the machine. 0: the
 *	default
 * @objective: enum loom_planner_objective
 * @effort: an &enum loom_planner_effort
 * @max_recompute_permille: multiply-accumulates that a plan may take, in thousandths of those
 *	without recomputation; not below 1000. 0: as many as it likes, and by LOOM_OBJECTIVE_SRAM
 *	none are recomputed. The default grouping and none keep to it, the others do not know it
 * @max_bytes: LOOM_OBJECTIVE_SRAM: bytes to and from DRAM that a plan may move; 0: any
 * @max_cycles: LOOM_OBJECTIVE_SRAM: cycles that it may take by the chip's clock; 0: any
 * @flags: enum loom_planner_flags
 * @observe: names of values that must be readable after the run: that a node computes, see
 *	LOOM_GRAPH_KEEP_ALL. Inputs and outputs are readable anyway
 * @num_observe: number of @observe
 * @jobs: limit on the threads that plan; 0: as many as there are processors. The plan does not
 *	depend on it. With @max_memory_bytes or @max_work there is one
 * @progress: is told how far the call is, and may stop it; NULL: nobody
 * @progress_data: for @progress
 * @max_memory_bytes: memory that the call may have,
 *	the graph included; mapped files do not count. 0: no limit.
 *	Past it the call returns -ENOMEM, and the error names the limit, the stage and the node
 * @max_work: work that the call may do, in units of about 50 ns, which are counted and not
 *	measured: the same call does the same work on every machine. 0: no limit. Past it the call
 *	returns -ETIME, with such an error
 */
struct loom_planner_options {
	const struct drm_loom_chip *chip;
	const char *placer;
	const char *grouping;
	uint64_t sram_limit_bytes;
	uint64_t grouping_budget;
	uint32_t objective;
	uint32_t effort;
	uint32_t max_recompute_permille;
	uint64_t max_bytes;
	uint64_t max_cycles;
	uint32_t flags;
	const char *const *observe;
	uint32_t num_observe;
	uint32_t jobs;
	loom_planning_fn progress;
	void *progress_data;
	uint64_t max_memory_bytes;
	uint64_t max_work;
};

/**
 * loom_program_create() - plan a graph
 * @graph: finished
 * @options: chip and options
 * @program: [out] the program, destroy with loom_program_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * The same graph and options give the same bytes.
 *
 * Return: 0; -EOPNOTSUPP for a node that the chip cannot do; -ENOSPC for one whose smallest
 * piece does not fit in the SRAM; -EINVAL for options that make no sense, and for a graph that is
 * not finished or has an error; -E2BIG past a cap of the plan format; -ENOMEM; -ECANCELED if
 * &loom_planner_options.progress has stopped it; -ETIME past &loom_planner_options.max_work.
 */
int loom_program_create(const struct loom_graph *graph,
			const struct loom_planner_options *options,
			struct loom_program **program, struct loom_error *err);

/**
 * loom_program_destroy() - frees a program
 * @program: from loom_program_create(), after its sessions were destroyed; NULL is fine
 */
void loom_program_destroy(struct loom_program *program);

/**
 * loom_program_create_reference() - a program that others of the same graph are compared with
 * @graph: finished
 * @options: those of the program that is to be compared, see &loom_replay_options.reference
 * @like: that program, whose form of weights of few bits is taken; NULL: the faster form is
 * @program: [out] destroy with loom_program_destroy()
 * @err: [out] one line on failure, may be NULL
 *
 * It runs layer by layer in so much SRAM that next to nothing is cut.
 *
 * Return: as loom_program_create() does.
 */
int loom_program_create_reference(const struct loom_graph *graph,
				  const struct loom_planner_options *options,
				  const struct loom_program *like, struct loom_program **program,
				  struct loom_error *err);

/**
 * loom_grouping_name() - names of grouping strategies, one by one
 * @index: from 0
 *
 * Return: the name, which is the library's; NULL past the last.
 */
const char *loom_grouping_name(unsigned int index);

/**
 * loom_grouping_text() - summary of a grouping strategy
 * @index: from 0, as for loom_grouping_name()
 *
 * Return: one line; NULL past the last.
 */
const char *loom_grouping_text(unsigned int index);

/**
 * loom_objective_name() - name of an objective
 * @objective: an &enum loom_planner_objective
 *
 * Return: the name, which is the library's; NULL past the last.
 */
const char *loom_objective_name(unsigned int objective);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_PLANNER_H */
