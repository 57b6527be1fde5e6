// SPDX-License-Identifier: MIT
/* Updates: states of which a run changes some rows, so that it has to write only those. */
#include "update.h"

#include <errno.h>

#include "base/dtype.h"
#include "emit.h"
#include "loom_core.h"

int loom_graph_note_update(struct loom_graph *graph, const struct loom_graph_update *update)
{
	struct loom_graph_update *updates = loom_pool_grow(graph->pool, graph->updates,
							   graph->num_updates,
							   &graph->cap_updates, sizeof(*updates));

	if (!updates)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	updates[graph->num_updates++] = *update;
	graph->updates = updates;
	return 0;
}

/* The value that @value is a copy of. */
static struct loom_value *origin(struct loom_value *value)
{
	while (value->producer && value->producer->op == LOOM_GOP_RESHAPE &&
	       loom_dims_equal(value, value->producer->inputs[0]))
		value = value->producer->inputs[0];
	return value;
}

static struct loom_value *turned(struct loom_value *value, const uint32_t **perm)
{
	value = origin(value);
	*perm = NULL;
	if (!value->producer || value->producer->op != LOOM_GOP_TRANSPOSE)
		return value;
	*perm = value->producer->transpose.perm;
	return origin(value->producer->inputs[0]);
}

static bool is_inverse(const uint32_t *a, const uint32_t *b, uint32_t rank)
{
	uint32_t i;

	for (i = 0; i < rank; i++)
		if (a[b[i]] != i)
			return false;
	return true;
}

/*
 * The update that makes @output of @input; @perm: it does so with their axes turned, and this is
 * how the result is turned back.
 */
static const struct loom_graph_update *find(const struct loom_graph *graph,
					    struct loom_value *output, struct loom_value *input,
					    const uint32_t **perm)
{
	const struct loom_graph_update *update;
	const uint32_t *before;
	struct loom_value *value = turned(output, perm);
	uint32_t i;

	for (i = 0; i < graph->num_updates; i++) {
		update = &graph->updates[i];
		if (update->value == origin(output) && origin(update->base) == input) {
			*perm = NULL;
			return update;
		}
		if (*perm && origin(update->value) == value &&
		    turned(update->base, &before) == input && before &&
		    is_inverse(before, *perm, input->rank))
			return update;
	}
	return NULL;
}

/* Whether a state that holds @base can be updated so, and whether that writes less. */
static bool fits(const struct loom_graph_update *update, const uint32_t *perm)
{
	const struct loom_value *base = update->base, *rows = update->rows;
	const struct loom_value *places = update->places;
	int64_t count, groups, outer = 1;
	uint32_t i;

	if (!base->num_elems || base->rank <= update->axis || rows->rank > base->rank ||
	    rows->dtype != base->dtype || loom_dtype_bits(base->dtype) % 8 ||
	    (places->dtype != DRM_LOOM_DTYPE_I32 && places->dtype != DRM_LOOM_DTYPE_I64))
		return false;
	i = base->rank - rows->rank;
	count = update->axis < i ? 1 : rows->dims[update->axis - i];
	if (count < 1 || count >= base->dims[update->axis] || places->num_elems % count)
		return false;
	groups = places->num_elems / count;
	for (i = 0; i < update->axis && outer < groups; i++)
		outer *= base->dims[i];
	return groups == 1 || (groups == outer && !perm);
}

/* Adds an output of @value, which must not be an output of the program if it is behind those. */
static int add_output(struct loom_graph *graph, struct loom_value *value, const char *name,
		      const char *what)
{
	name = loom_pool_print(graph->pool, "%s.%s", name, what);
	if (!name || !value)
		return loom_graph_fail(graph, -ENOMEM, "out of memory");
	return loom_graph_add_result(graph, value, name, graph->num_nodes);
}

static int add_places(struct loom_graph *graph, struct loom_graph_state *state,
		      struct loom_value *places)
{
	uint32_t i;

	for (i = graph->num_outputs - graph->num_hidden; i < graph->num_outputs; i++)
		if (origin(graph->outputs[i]) == origin(places))
			break;
	state->places = i;
	if (i < graph->num_outputs || add_output(graph, places, state->name, "places"))
		return graph->status;
	graph->num_hidden++;
	return 0;
}

int loom_graph_update_in_place(struct loom_graph *graph, struct loom_graph_state *state)
{
	struct loom_value *output = graph->outputs[state->output];
	struct loom_emitter em = { .graph = graph };
	const struct loom_graph_update *update;
	int64_t dims[LOOM_GRAPH_RANK];
	struct loom_value *rows;
	const uint32_t *perm;
	uint32_t i, k;

	update = find(graph, output, graph->inputs[state->input], &perm);
	if (!update || !fits(update, perm))
		return 0;
	rows = update->rows;
	for (i = 0; i < update->base->rank; i++)
		dims[i] = update->base->dims[i];
	k = update->base->rank - rows->rank;
	dims[update->axis] = update->axis < k ? 1 : rows->dims[update->axis - k];
	loom_emit_source(&em, state->name, "Update", graph->num_nodes);
	rows = loom_emit_expand(&em, rows, update->base->rank, dims);
	if (perm)
		rows = loom_emit_transpose(&em, rows, perm);
	loom_emit_name_values(&em, loom_pool_print(graph->pool, "%s.new", state->name));
	if (add_places(graph, state, update->places))
		return graph->status;
	/* the rows take the place of the whole among the outputs */
	i = graph->num_outputs;
	if (add_output(graph, rows, state->name, "rows"))
		return graph->status;
	graph->outputs[state->output] = graph->outputs[i];
	graph->num_outputs = i;
	output->is_output = false;
	state->axis = update->axis;
	for (i = 0; perm && i < output->rank; i++)
		if (perm[i] == update->axis)
			state->axis = i;
	return graph->status;
}
