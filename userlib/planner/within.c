// SPDX-License-Identifier: MIT
/* A program by one candidate, with limited recomputation. */
#include "planner.h"

#include "base/error.h"

#include <errno.h>

#define NOTHING		1000

/* Multiply-accumulates in thousandths of those without recomputation; 0: no limit. */
static u32 most_permille(const struct loom_planner_options *options)
{
	if (!options->max_recompute_permille && options->objective == LOOM_OBJECTIVE_SRAM)
		return NOTHING;
	return options->max_recompute_permille;
}

static bool is_too_much(const struct loom_planner_options *options,
			const struct loom_program *program)
{
	u64 once = program->stats.macs - program->stats.recomputed_macs;
	u32 permille = most_permille(options);

	return permille && (double)program->stats.macs * 1000 > (double)once * permille;
}

/*
 * A program that recomputes too much is replaced by one that recomputes nothing. Slices of some
 * operators do more work in any case: those of DECONV count work on its padding.
 */
int loom_planner_within(const struct loom_graph *graph, const struct loom_planner_options *options,
			const struct planner_candidate *candidate, struct loom_program **program,
			struct loom_error *err)
{
	struct loom_planner_options how = *options;
	u64 recomputed;
	int ret;

	*program = NULL;
	how.max_recompute_permille = most_permille(options);
	ret = loom_planner_create(graph, &how, candidate, program, err);
	if (ret || !is_too_much(options, *program))
		return ret;
	loom_program_destroy(*program);
	*program = NULL;
	how.max_recompute_permille = NOTHING;
	ret = loom_planner_create(graph, &how, candidate, program, err);
	if (ret || !is_too_much(options, *program))
		return ret;
	recomputed = (*program)->stats.recomputed_macs;
	loom_program_destroy(*program);
	*program = NULL;
	return loom_error_set(err, -ENOSPC,
			      "slices that fit into the SRAM recompute %llu multiply-accumulates: more than is allowed",
			      (unsigned long long)recomputed);
}
