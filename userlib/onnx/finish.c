// SPDX-License-Identifier: MIT
/* Completion of a graph that was built or read: all passes in order. */
#include "source.h"

#include "base/error.h"
#include "base/watch.h"
#include "graph/pass.h"
#include "loom_core.h"

#include <errno.h>

/* the last of enum loom_graph_flags, and all before it */
#define FLAGS	(2 * LOOM_GRAPH_BIND_VALUES - 1)

/* Smaller constants are not worth the search for others that share their elements. */
#define FREED_BYTES_MIN	((size_t)1 << 20)

static bool is_shared(const struct loom_graph *graph, const struct loom_value *value)
{
	uint32_t i;

	for (i = 0; i < graph->num_values; i++)
		if (graph->values[i] != value && graph->values[i]->data == value->data)
			return true;
	return false;
}

/* Frees constants of few bits, a byte for each element, of which all readers have a packed copy. */
static void free_unread(struct loom_graph *graph)
{
	uint32_t i;

	for (i = 0; i < graph->num_values; i++) {
		struct loom_value *value = graph->values[i];

		if (!value->bits || !value->data || value->size_bytes < FREED_BYTES_MIN ||
		    value->num_uses || value->is_output || is_shared(graph, value))
			continue;
		loom_pool_free(graph->pool, value->data);
		value->data = NULL;
	}
}

static void finish(struct loom_graph *graph, const struct loom_graph_options *options)
{
	const bool output_all = options->flags & LOOM_GRAPH_OUTPUT_ALL;

	if (graph->status || loom_source_take_natives(graph, options) ||
	    loom_source_check(graph) || loom_source_order(graph) ||
	    loom_source_bind(graph, options) || loom_source_convert(graph, options) ||
	    loom_source_name_outputs(graph, options) ||
	    loom_graph_bind_states(graph, options->states, options->num_states) ||
	    (!(options->flags & LOOM_GRAPH_KEEP_ALL) && loom_graph_share_integers(graph)) ||
	    (!output_all && loom_graph_update_states(graph)) || loom_graph_prune(graph))
		return;
	loom_watch_at(LOOM_STAGE_SIMPLIFY);
	loom_watch_reach(0.9);
	if (!(options->flags & LOOM_GRAPH_KEEP_ALL)) {
		if (loom_graph_simplify(graph) || loom_graph_fold_affine(graph) ||
		    loom_graph_fuse(graph) || loom_graph_take_bytes(graph) ||
		    loom_graph_share_concats(graph))
			return;
	}
	if (output_all && loom_graph_output_all(graph))
		return;
	if (loom_graph_prune(graph))
		return;
	free_unread(graph);
	loom_graph_number(graph);
}

/* Checks options that would be read past their end, or through NULL. */
static int check_options(struct loom_graph *graph, const struct loom_graph_options *options)
{
	const struct {
		const char *what;
		const void *at;
		uint32_t count;
	} arrays[] = {
		{ "dims", options->dims, options->num_dims },
		{ "shapes", options->shapes, options->num_shapes },
		{ "outputs", options->outputs, options->num_outputs },
		{ "values", options->values, options->num_values },
		{ "constants", options->constants, options->num_constants },
		{ "states", options->states, options->num_states },
	};
	uint32_t i;

	if (options->flags & ~FLAGS)
		return loom_graph_fail(graph, -EINVAL, "graph flags 0x%x are not known",
				       options->flags);
	for (i = 0; i < ARRAY_SIZE(arrays); i++)
		if (arrays[i].count && !arrays[i].at)
			return loom_graph_fail(graph, -EINVAL, "there are %u %s, and they are NULL",
					       arrays[i].count, arrays[i].what);
	for (i = 0; i < options->num_dims; i++)
		if (!options->dims[i].name)
			return loom_graph_fail(graph, -EINVAL, "a binding has no dimension");
	for (i = 0; i < options->num_shapes; i++)
		if (!options->shapes[i].input)
			return loom_graph_fail(graph, -EINVAL, "a shape has no input");
	for (i = 0; i < options->num_outputs; i++)
		if (!options->outputs[i])
			return loom_graph_fail(graph, -EINVAL, "an output has no name");
	for (i = 0; i < options->num_states; i++)
		if (!options->states[i].output || !options->states[i].input)
			return loom_graph_fail(graph, -EINVAL, "a state has no %s",
					       options->states[i].output ? "input" : "output");
	return 0;
}

int loom_graph_finish(struct loom_graph *graph, const struct loom_graph_options *options,
		      struct loom_error *err)
{
	static const struct loom_graph_options defaults;
	struct loom_watch watch;

	if (!graph)
		return loom_error_set(err, -EINVAL, "no graph");
	/* options would be ignored silently; the error of a failed finish is sticky */
	if (graph->finished && !graph->status)
		return loom_error_set(err, -EINVAL, "%s: the graph is finished already",
				      graph->name);
	if (!options)
		options = &defaults;
	if (!check_options(graph, options)) {
		watch = loom_graph_watch(graph, options);
		loom_watch_begin(&watch);
		loom_watch_at(LOOM_STAGE_IMPORT);
		finish(graph, options);
		if (loom_watch_end(&watch, 0, &graph->error))
			graph->status = watch.status;
	}
	graph->finished = true;
	if (graph->status && err)
		*err = graph->error;
	return graph->status;
}
