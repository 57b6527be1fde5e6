// SPDX-License-Identifier: MIT
/*
 * Constants that are held packed, expanded here and not by the device. A node that depends on
 * packed constants and other constants alone is computed by the folder of constants, which gives
 * the bits of the device. A result that other nodes read becomes a constant.
 *
 * Results in between are freed once all their readers are computed, so that little memory is needed
 * besides the expanded constants.
 */
#include "rewrite.h"

#include "base/error.h"
#include "graph/fold.h"
#include "graph/pass.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct expansion - nodes that are computed here
 * @from: the graph
 * @inside: by value id: it is the result of such a node
 * @readers: by value id: readers among these nodes that are not computed yet
 * @read: by value id: another node or the caller reads it
 * @scratch: by value id: owner of its elements, if nothing else reads it
 */
struct expansion {
	const struct loom_graph *from;
	bool *inside;
	u32 *readers;
	bool *read;
	struct loom_graph **scratch;
};

static bool is_inside(const struct expansion *e, const struct loom_node *node)
{
	bool packed = false;
	u32 i;

	if (!loom_fold_has(node->op) || node->output->is_output)
		return false;
	for (i = 0; i < node->num_inputs; i++) {
		const struct loom_value *x = node->inputs[i];

		if (!x || (!x->data && !e->inside[x->id]))
			return false;
		packed |= x->held || e->inside[x->id];
	}
	return packed;
}

static void find_inside(struct expansion *e)
{
	u32 i, k;

	for (i = 0; i < e->from->num_nodes; i++) {
		const struct loom_node *node = e->from->nodes[i];
		bool inside = is_inside(e, node);

		e->inside[node->output->id] = inside;
		for (k = 0; k < node->num_inputs; k++) {
			if (!node->inputs[k])
				continue;
			e->read[node->inputs[k]->id] |= !inside;
			e->readers[node->inputs[k]->id] += inside;
		}
	}
}

static void end(struct expansion *e)
{
	u32 i;

	for (i = 0; e->scratch && i < e->from->num_values; i++)
		loom_graph_destroy(e->scratch[i]);
	free(e->inside);
	free(e->readers);
	free(e->read);
	free(e->scratch);
}

static int begin(struct expansion *e, const struct loom_graph *from)
{
	const size_t count = (size_t)from->num_values + 1;

	*e = (struct expansion){
		.from = from,
		.inside = calloc(count, sizeof(*e->inside)),
		.readers = calloc(count, sizeof(*e->readers)),
		.read = calloc(count, sizeof(*e->read)),
		.scratch = calloc(count, sizeof(struct loom_graph *)),
	};
	if (!e->inside || !e->readers || !e->read || !e->scratch) {
		end(e);
		return -ENOMEM;
	}
	find_inside(e);
	return 0;
}

/* A value of @graph like @value, with the elements that the expansion or @to has of it, if any. */
static struct loom_value *twin(const struct expansion *e, struct loom_graph *graph,
			       const struct loom_graph *to, const struct loom_value *value)
{
	struct loom_value *own = loom_value_copy(graph, value);
	const struct loom_graph *scratch = e->scratch[value->id];

	if (!own)
		return NULL;
	own->held = false;
	own->data = scratch ? scratch->values[scratch->num_values - 1]->data :
			      to->values[value->id]->data;
	return own;
}

/* Computes the result of a node: in @to, or if no other node reads it, in a graph of its own. */
static int compute(struct expansion *e, const struct loom_node *node, struct loom_graph *to)
{
	struct loom_value *y = node->output, **inputs;
	struct loom_node own = *node;
	struct loom_graph *graph;
	u32 i;
	int ret = loom_graph_alloc("", &graph);

	if (ret)
		return ret;
	inputs = loom_pool_array(graph->pool, node->num_inputs, sizeof(struct loom_value *));
	for (i = 0; inputs && i < node->num_inputs; i++) {
		inputs[i] = twin(e, graph, to, node->inputs[i]);
		if (!inputs[i])
			break;
	}
	own.inputs = inputs;
	own.output = e->read[y->id] ? to->values[y->id] : twin(e, graph, to, y);
	ret = !inputs || i < node->num_inputs || !own.output ? -ENOMEM :
	      loom_fold_node(e->read[y->id] ? to : graph, &own);
	if (!ret && !e->read[y->id])
		e->scratch[y->id] = graph;
	else
		loom_graph_destroy(graph);
	for (i = 0; i < node->num_inputs; i++) {
		const u32 id = node->inputs[i]->id;

		if (--e->readers[id])
			continue;
		loom_graph_destroy(e->scratch[id]);
		e->scratch[id] = NULL;
	}
	return ret;
}

/* Computes all nodes inside, and removes them from @to, whose values have the same ids. */
static int expand(struct expansion *e, struct loom_graph *to)
{
	u32 i, kept = 0;
	int ret = 0;

	to->most_grown_bytes = U64_MAX;
	for (i = 0; i < e->from->num_nodes && !ret; i++) {
		if (e->inside[e->from->nodes[i]->output->id])
			ret = compute(e, e->from->nodes[i], to);
		else
			to->nodes[kept++] = to->nodes[i];
	}
	to->num_nodes = kept;
	return ret ? ret : loom_graph_prune(to);
}

int loom_rewrite_expanded_bytes(const struct loom_graph *graph, u64 *bytes)
{
	struct expansion e;
	u32 i;
	int ret = begin(&e, graph);

	*bytes = 0;
	if (ret)
		return ret;
	for (i = 0; i < graph->num_values; i++)
		if (e.inside[i] && e.read[i])
			*bytes += graph->values[i]->size_bytes;
	end(&e);
	return 0;
}

int loom_rewrite_expand(const struct loom_graph *from, struct loom_graph **to)
{
	struct expansion e;
	int ret;

	*to = NULL;
	ret = begin(&e, from);
	if (ret)
		return ret;
	ret = loom_rewrite_clone(from, to);
	if (!ret)
		ret = expand(&e, *to);
	if (ret) {
		loom_graph_destroy(*to);
		*to = NULL;
	}
	end(&e);
	return ret;
}
