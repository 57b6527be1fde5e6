// SPDX-License-Identifier: MIT
/*
 * Real models: the shapes of what comes out, that only canonical shapes of nodes come out, that the
 * passes keep what they promise, and that what cannot be run is refused in one line.
 */
#include "graph/graph.h"
#include "loom_core.h"
#include "tap.h"
#include "graph/value.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MODELS	"build/models/"

struct model {
	const char *file;
	struct loom_dim_binding dims[4];
	uint32_t num_dims;
	const char *output;
	uint32_t rank;
	int64_t shape[4];
	uint32_t most_nodes;
};

static const struct model models[] = {
	{ "ppocr_rec.onnx", { { "x:0", 1 }, { "x:2", 48 }, { "x:3", 320 } }, 3,
	  "softmax_11.tmp_0", 3, { 1, 40, 6625 }, 215 },
	{ "ppocr_det.onnx", { { "x:0", 1 }, { "x:2", 320 }, { "x:3", 320 } }, 3,
	  "sigmoid_0.tmp_0", 4, { 1, 1, 320, 320 }, 155 },
	{ "ppocr_cls.onnx", { { "x:0", 1 }, { "x:2", 48 }, { "x:3", 192 } }, 3,
	  "softmax_0.tmp_0", 2, { 1, 2 }, 85 },
	{ "blazeface.onnx", { { NULL, 0 } }, 0, "Identity_2:0", 3, { 1, 512, 16 }, 80 },
	{ "mlsd_tiny.onnx", { { NULL, 0 } }, 0, "scores", 4, { 1, 160, 160, 1 }, 75 },
	{ "oww_alexa.onnx", { { NULL, 0 } }, 0, "13", 2, { 1, 1 }, 4 },
	{ "oww_weather.onnx", { { NULL, 0 } }, 0, "13", 2, { 1, 1 }, 4 },
	{ "oww_hey_mycroft.onnx", { { NULL, 0 } }, 0, "39", 2, { 1, 1 }, 22 },
	{ "oww_embedding.onnx", { { "input_1:0", 1 } }, 1, "conv2d_19", 4, { 1, 1, 1, 96 }, 50 },
};

static int import(const struct model *model, uint32_t flags, struct loom_graph **graph,
		  struct loom_error *err)
{
	struct loom_graph_options options = {
		.flags = flags, .dims = model->dims, .num_dims = model->num_dims,
	};
	char path[256];

	err->text[0] = '\0';
	snprintf(path, sizeof(path), MODELS "%s", model->file);
	return loom_graph_import_onnx(path, &options, graph, err);
}

static const struct loom_value *find_output(const struct loom_graph *graph, const char *name)
{
	uint32_t i;

	for (i = 0; i < graph->num_outputs; i++) {
		if (!strcmp(graph->outputs[i]->name, name))
			return graph->outputs[i];
	}
	return NULL;
}

/* Return: the invariant of a finished graph (graph.h) that does not hold, or NULL. */
static const char *broken_promise(const struct loom_graph *graph)
{
	bool *computed = calloc(graph->num_values, sizeof(*computed));
	const char *broken = NULL;
	uint32_t i, j;

	if (!computed)
		tap_fatal("no memory");
	for (i = 0; i < graph->num_inputs; i++)
		computed[graph->inputs[i]->id] = true;
	for (i = 0; i < graph->num_nodes && !broken; i++) {
		const struct loom_node *node = graph->nodes[i];

		for (j = 0; j < node->num_inputs; j++) {
			const struct loom_value *x = node->inputs[j];

			if (x && !x->data && !computed[x->id])
				broken = "an operand comes too late";
			if (!x && node->op != LOOM_GOP_CONV && node->op != LOOM_GOP_DECONV &&
			    node->op != LOOM_GOP_MATMUL)
				broken = "an operand is missing";
		}
		if (computed[node->output->id])
			broken = "a value is computed twice";
		if (node->output->producer != node)
			broken = "a producer is wrong";
		if (!node->output->num_uses && !node->output->is_output)
			broken = "a node is dead";
		computed[node->output->id] = true;
	}
	for (i = 0; i < graph->num_outputs && !broken; i++) {
		if (!graph->outputs[i]->producer || !computed[graph->outputs[i]->id])
			broken = "an output is not computed";
	}
	free(computed);
	return broken;
}

static void imports(const struct model *model)
{
	struct loom_graph *graph, *again;
	const struct loom_value *output;
	char *text = NULL, *other = NULL;
	const char *broken;
	struct loom_error err;

	if (!tap_ok(!import(model, 0, &graph, &err), "%s %s", model->file, err.text))
		return;
	output = find_output(graph, model->output);
	tap_ok(output && output->rank == model->rank && output->dtype == DRM_LOOM_DTYPE_F32 &&
	       !memcmp(output->dims, model->shape, model->rank * sizeof(model->shape[0])),
	       "%s: shape of %s", model->file, model->output);
	broken = broken_promise(graph);
	tap_ok(!broken, "%s keeps the promises of graph.h%s%s", model->file, broken ? ": " : "",
	       broken ? broken : "");
	tap_ok(graph->num_nodes <= model->most_nodes, "%s: %u nodes, at most %u", model->file,
	       graph->num_nodes, model->most_nodes);
	if (!tap_ok(!import(model, 0, &again, &err), "%s again", model->file))
		return;
	tap_ok(!loom_graph_dump(graph, &text) && !loom_graph_dump(again, &other) &&
	       !strcmp(text, other), "%s: the same dump twice", model->file);
	free(text);
	free(other);
	loom_graph_destroy(graph);
	loom_graph_destroy(again);
}

/* every named tensor of the fused graph is there unfused, too, and of the same shape */
static void keeps_names(const struct model *model)
{
	struct loom_graph *fused, *all;
	struct loom_error err;
	uint32_t i, missing = 0, named = 0;

	if (import(model, 0, &fused, &err))
		return;
	if (!tap_ok(!import(model, LOOM_GRAPH_KEEP_ALL | LOOM_GRAPH_OUTPUT_ALL, &all, &err),
		    "%s with all tensors %s", model->file, err.text))
		return;
	for (i = 0; i < fused->num_nodes; i++) {
		const struct loom_value *value = fused->nodes[i]->output, *other;

		if (value->made_up)
			continue;
		other = find_output(all, value->name);
		missing += !other || !loom_dims_equal(other, value);
		named++;
	}
	tap_ok(!missing && named && all->num_outputs >= named && !broken_promise(all),
	       "%s: %u of %u tensors survive fusion, all under their names", model->file, named,
	       all->num_outputs);
	loom_graph_destroy(fused);
	loom_graph_destroy(all);
}

static void refuses(const char *file, int code, const char *text)
{
	const struct model model = { .file = file };
	struct loom_graph *graph;
	struct loom_error err;
	int got = import(&model, 0, &graph, &err);

	tap_ok(got == code && !strcmp(err.text, text), "%s", text);
	if (got != code || strcmp(err.text, text))
		tap_note("got %d: %s", got, err.text);
	loom_graph_destroy(graph);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		char path[256];

		snprintf(path, sizeof(path), MODELS "%s", models[i].file);
		if (access(path, R_OK)) {
			tap_skip("%s was not fetched", path);
			continue;
		}
		imports(&models[i]);
		keeps_names(&models[i]);
	}
	if (access(MODELS "silero_vad.onnx", R_OK)) {
		tap_skip("models that have to be refused were not fetched");
		return tap_end();
	}
	refuses("silero_vad.onnx", -EDESTADDRREQ,
		"silero_vad.onnx: input \"input\": dimension 0 (batch) is not bound, use --dim batch=VALUE, or dims of loom_graph_options; open as well: --dim sequence=VALUE");
	refuses("ppocr_rec.onnx", -EDESTADDRREQ,
		"ppocr_rec.onnx: input \"x\": dimension 0 (p2o.DynamicDimension.0) is not bound, use --dim p2o.DynamicDimension.0=VALUE, or dims of loom_graph_options; open as well: --dim p2o.DynamicDimension.1=VALUE");
	return tap_end();
}
