// SPDX-License-Identifier: MIT
/* From what was built or read to a graph that can be planned: all passes in their order. */
#include "source.h"

#include "graph/pass.h"

#include <errno.h>

/* the last of enum loom_graph_flags, and all before it */
#define FLAGS	(2 * LOOM_GRAPH_BIND_VALUES - 1)

static void finish(struct loom_graph *graph, const struct loom_graph_options *options)
{
	if (graph->status || loom_source_check(graph) || loom_source_order(graph) ||
	    loom_source_bind(graph, options) || loom_source_convert(graph, options) ||
	    loom_source_name_outputs(graph, options) || loom_graph_prune(graph))
		return;
	if (!(options->flags & LOOM_GRAPH_KEEP_ALL)) {
		if (loom_graph_simplify(graph) || loom_graph_fold_affine(graph) ||
		    loom_graph_fuse(graph) || loom_graph_take_bytes(graph) ||
		    loom_graph_share_concats(graph))
			return;
	}
	if ((options->flags & LOOM_GRAPH_OUTPUT_ALL) && loom_graph_output_all(graph))
		return;
	if (!loom_graph_prune(graph) && !loom_graph_number(graph))
		loom_graph_bind_states(graph, options->states, options->num_states);
}

int loom_graph_finish(struct loom_graph *graph, const struct loom_graph_options *options,
		      struct loom_error *err)
{
	static const struct loom_graph_options defaults;

	if (!graph->finished && options && options->flags & ~FLAGS)
		loom_graph_fail(graph, -EINVAL, "graph flags 0x%x are not known", options->flags);
	if (!graph->finished)
		finish(graph, options ? options : &defaults);
	graph->finished = true;
	if (graph->status && err)
		*err = graph->error;
	return graph->status;
}
