// SPDX-License-Identifier: MIT
/*
 * Nodes that do not fit into the SRAM, not even in the smallest slices, are computed in pieces that
 * fit, see rewrite/rewrite.h. A graph of nodes that fit is planned unchanged.
 */
#include "planner.h"

#include "base/error.h"
#include "rewrite/rewrite.h"

#include <errno.h>
#include <stdlib.h>

/* A node of many axes loses one in each round. */
#define ROUNDS	12

static int cut_once(struct loom_graph *graph, const struct loom_planner_options *options,
		    const bool *too_large, bool *changed, struct loom_error *err)
{
	return loom_rewrite_cut(graph, options->chip, loom_planner_sram_bytes(options), too_large,
				changed, err);
}

int loom_planner_fit(const struct loom_graph *graph, const struct loom_planner_options *options,
		     struct loom_graph **own, u32 *cut, bool *fits, struct loom_error *err)
{
	bool changed = true, mine = !*own;
	u32 rounds = options->flags & LOOM_PLANNER_WHOLE_SUMS ? 0 : ROUNDS;
	u32 round, count = 0;
	int ret = 0;

	*cut = 0;
	*fits = true;
	for (round = 0; round < rounds && changed && !ret; round++) {
		const struct loom_graph *now = *own ? *own : graph;
		bool *too_large = calloc((size_t)now->num_values + 1, sizeof(*too_large));

		if (!too_large)
			return loom_error_set(err, -ENOMEM, "out of memory");
		count = loom_planner_too_large(now, options, too_large);
		changed = false;
		if (count && !*own && loom_rewrite_clone(graph, own))
			ret = loom_error_set(err, -ENOMEM, "out of memory");
		if (count && !ret)
			ret = cut_once(*own, options, too_large, &changed, err);
		free(too_large);
		if (!round && changed)
			*cut = count;
	}
	*fits = changed || !count;
	/* nothing could be cut: report the original nodes that do not fit */
	if (mine && *own && (ret || !*cut)) {
		loom_graph_destroy(*own);
		*own = NULL;
	}
	return ret;
}
