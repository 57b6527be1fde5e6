// SPDX-License-Identifier: MIT
/* A program of a graph: the graph in operations that the chip has, then the best program of it. */
#include "planner.h"
#include "rewrite/rewrite.h"

int loom_program_create(const struct loom_graph *graph,
			const struct loom_planner_options *options,
			struct loom_program **program, struct loom_error *err)
{
	struct loom_graph *rewritten = NULL;
	struct loom_program_least least;
	int ret = loom_planner_check(options, err);

	if (!ret)
		ret = loom_rewrite(graph, options->chip, &rewritten, err);
	if (ret)
		return ret;
	if (rewritten)
		graph = rewritten;
	if (options->objective == LOOM_OBJECTIVE_SRAM)
		ret = loom_planner_least_sram(graph, options, program, err);
	else
		ret = loom_planner_best(graph, options, program, err);
	if (ret) {
		loom_graph_destroy(rewritten);
		return ret;
	}
	/* a plan is worth having without them */
	loom_planner_least(graph, options, &least);
	loom_planner_note_least(*program, &least);
	loom_planner_own(*program, rewritten);
	return 0;
}
