// SPDX-License-Identifier: MIT
/*
 * Constants that are held packed, expanded here and not by the device. A node that depends on
 * packed constants and other constants alone is computed by the folder of constants, which gives
 * the bits of the device. A result that other nodes read becomes a constant.
 *
 * Results in between are freed once all their readers are computed. If the only reader computes one
 * element from one of the same size, its result takes their place.
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
 * @place: by value id: the id of the result that takes its place at last, often its own
 * @scratch: by value id: owner of its elements, if nothing else reads it
 */
struct expansion {
	const struct loom_graph *from;
	bool *inside;
	u32 *readers;
	bool *read;
	u32 *place;
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

/* Whether a node may write its result over the elements of its first operand. */
static bool is_in_place(const struct expansion *e, const struct loom_node *node)
{
	const struct loom_value *x = node->inputs[0], *y = node->output;

	return e->inside[x->id] && !e->read[x->id] && e->readers[x->id] == 1 &&
	       (node->op == LOOM_GOP_UNARY || node->op == LOOM_GOP_BINARY ||
		node->op == LOOM_GOP_CAST) &&
	       x->size_bytes == y->size_bytes && x->num_elems == y->num_elems;
}

static void find_places(struct expansion *e)
{
	u32 i;

	for (i = 0; i < e->from->num_values; i++)
		e->place[i] = i;
	for (i = e->from->num_nodes; i-- > 0;) {
		const struct loom_node *node = e->from->nodes[i];

		if (e->inside[node->output->id] && is_in_place(e, node))
			e->place[node->inputs[0]->id] = e->place[node->output->id];
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
	free(e->place);
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
		.place = calloc(count, sizeof(*e->place)),
		.scratch = calloc(count, sizeof(struct loom_graph *)),
	};
	if (!e->inside || !e->readers || !e->read || !e->place || !e->scratch) {
		end(e);
		return -ENOMEM;
	}
	find_inside(e);
	find_places(e);
	return 0;
}

/* The elements of a value, if it has any. */
static void *elements(const struct expansion *e, const struct loom_graph *to, u32 id)
{
	const struct loom_graph *scratch = e->scratch[e->place[id]];

	return scratch ? scratch->values[0]->data : to->values[e->place[id]]->data;
}

/* Makes the place of a result: in @to, or if no other node reads it, in a graph of its own. */
static int make_place(struct expansion *e, const struct loom_value *y, struct loom_graph *to)
{
	const u32 id = e->place[y->id];
	struct loom_graph *graph = to;
	int ret = 0;

	if (elements(e, to, y->id))
		return 0;
	if (!e->read[id]) {
		ret = loom_graph_alloc("", &e->scratch[id]);
		if (ret)
			return ret;
		graph = e->scratch[id];
		if (!loom_value_copy(graph, y))
			return -ENOMEM;
	}
	return loom_value_alloc(graph, graph->values[graph == to ? id : 0]);
}

static int compute(struct expansion *e, const struct loom_node *node, struct loom_graph *to)
{
	const struct loom_value *y = node->output;
	struct loom_value **inputs = calloc((size_t)node->num_inputs + 1, sizeof(*inputs));
	struct loom_value *copies = calloc((size_t)node->num_inputs + 1, sizeof(*copies));
	struct loom_node own = *node;
	u32 i, id;
	int ret = inputs && copies ? make_place(e, y, to) : -ENOMEM;

	for (i = 0; i <= node->num_inputs && !ret; i++) {
		copies[i] = i < node->num_inputs ? *node->inputs[i] : *y;
		copies[i].held = false;
		copies[i].data = elements(e, to, copies[i].id);
		inputs[i] = &copies[i];
	}
	if (!ret) {
		own.inputs = inputs;
		own.output = inputs[node->num_inputs];
		ret = loom_fold_node(to, &own);
	}
	free(inputs);
	free(copies);
	for (i = 0; i < node->num_inputs; i++) {
		id = node->inputs[i]->id;
		if (--e->readers[id])
			continue;
		/* not if the result has its place */
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

int loom_rewrite_expand(const struct loom_graph *from, const struct drm_loom_chip *chip,
			u64 sram_bytes, struct loom_graph **to)
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
	/* in place: copies would take as much memory again */
	if (!ret)
		ret = loom_rewrite_turn(*to, chip, sram_bytes, e.inside, to);
	if (ret) {
		loom_graph_destroy(*to);
		*to = NULL;
	}
	end(&e);
	return ret;
}
