// SPDX-License-Identifier: MIT
/* A graph without ONNX: a front end needs nothing but the calls of graph/. */
#include "graph/emit.h"

#include "graph/pass.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

/* a graph with the input x of @dims, and an emitter that stands for its first node */
static struct loom_value *begin(struct loom_emitter *em, uint32_t rank, const int64_t *dims)
{
	struct loom_value *x;

	memset(em, 0, sizeof(*em));
	if (loom_graph_alloc("folder/m", &em->graph))
		tap_fatal("no memory");
	em->graph->inputs = loom_pool_array(em->graph->pool, 1, sizeof(*em->graph->inputs));
	em->graph->outputs = loom_pool_array(em->graph->pool, 1, sizeof(*em->graph->outputs));
	x = loom_value_create(em->graph, "x", DRM_LOOM_DTYPE_F32, rank, dims);
	if (!x || !em->graph->inputs || !em->graph->outputs)
		tap_fatal("no memory");
	x->is_input = true;
	em->graph->inputs[em->graph->num_inputs++] = x;
	loom_emit_source(em, "first", "ADD", 0);
	return x;
}

static void nodes_and_names(void)
{
	struct loom_emitter em;
	struct loom_value *x = begin(&em, 2, (int64_t[]){ 2, 3 }), *one, *sum, *y;
	struct loom_graph *graph = em.graph;

	one = loom_emit_scalar(&em, DRM_LOOM_DTYPE_F32, 1);
	sum = loom_emit_binary(&em, LOOM_GBIN_ADD, loom_emit_fn(&em, LOOM_GFN_EXP, x), one);
	y = loom_emit_reduce(&em, LOOM_GREDUCE_SUM, sum, 1u << 1, false);
	loom_emit_name_values(&em, "y");
	tap_ok(y && !em.status && y->rank == 1 && y->dims[0] == 2 && graph->num_nodes == 3 &&
	       !strcmp(one->name, "y:1") && one->made_up && y->producer == graph->nodes[2],
	       "nodes are emitted with shapes, and values named after the node");
	tap_ok(!loom_graph_add_result(graph, x, "copy", 1) && !loom_graph_prune(graph) &&
	       graph->num_nodes == 1 && graph->nodes[0]->op == LOOM_GOP_RESHAPE &&
	       graph->outputs[0] != x && x->num_uses == 1,
	       "an output that is an input is copied, what no output needs is pruned");
	loom_graph_destroy(graph);
}

static void constants_fold(void)
{
	struct loom_emitter em;
	struct loom_value *shape, *twice;

	begin(&em, 1, (int64_t[]){ 1 });
	shape = loom_emit_ints(&em, 3, (int64_t[]){ 2, 3, 4 });
	twice = loom_emit_binary(&em, LOOM_GBIN_ADD, shape, shape);
	tap_ok(twice && !em.graph->num_nodes && loom_value_int(twice, 2) == 8,
	       "a node of constants is a constant");
	loom_graph_destroy(em.graph);
}

static void errors_stick(void)
{
	static const char wanted[] =
		"m: node \"first\": operator ADD: shapes [2,3] and [2] do not fit together";
	struct loom_emitter em;
	struct loom_value *x = begin(&em, 2, (int64_t[]){ 2, 3 }), *other, *y;

	other = loom_emit_const(&em, DRM_LOOM_DTYPE_F32, 1, (int64_t[]){ 2 });
	y = loom_emit_binary(&em, LOOM_GBIN_MUL, x, other);
	tap_ok(!y && em.status == -EINVAL && em.graph->status == -EINVAL &&
	       !strcmp(em.graph->error.text, wanted), "%s", em.graph->error.text);
	tap_ok(!loom_emit_fn(&em, LOOM_GFN_EXP, y) && !loom_emit_fn(&em, LOOM_GFN_EXP, x) &&
	       !em.graph->num_nodes, "after an error nothing is emitted");
	loom_graph_destroy(em.graph);
}

int main(void)
{
	nodes_and_names();
	constants_fold();
	errors_stick();
	return tap_end();
}
