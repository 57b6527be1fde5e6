// SPDX-License-Identifier: MIT
/*
 * The ONNX backend tests of single nodes, with f16 wherever they have f32. ONNX allows f16 for
 * nearly all operators that take floats, so a node that is supported must be supported with f16,
 * and its results must be near the expected ones. Operators that ONNX keeps to f32 are listed.
 * Operators without such a test are in tools/testing/ort/forms.txt.
 */
#include "graph/graph.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "model.h"
#include "near.h"
#include "onnx/proto.h"
#include "onnx_file.h"
#include "outcome.h"

#include <dirent.h>
#include <fnmatch.h>
#include <math.h>

#define DATA		"/usr/share/libonnx-testdata/data/node"
#define FLOAT		ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
#define FLOAT16		ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16
#define MAX_TENSORS	64
/* beyond it, or nearly so, f16 has infinities */
#define LARGE		60000

/**
 * struct exception - a test that is left out
 * @test: its name, or a pattern
 * @why: the reason
 */
struct exception {
	const char *test;
	const char *why;
};

static const struct exception exceptions[] = {
	{ "test_dynamicquantizelinear", "ONNX has it for f32 only" },
	{ "test_dynamicquantizelinear_max_adjusted", "ONNX has it for f32 only" },
	{ "test_dynamicquantizelinear_min_adjusted", "ONNX has it for f32 only" },
	{ "test_nonmaxsuppression*", "ONNX has it for f32 only" },
	{ "*BFLOAT16*", "the files have bfloat16, which are not read here" },
	{ "test_qlinearconv", "ONNX has it with scales of f32 only" },
	{ "test_softmax_large_number", "10001 is 10000 in f16" },
	{ "test_softmax_large_number_expanded", "10001 is 10000 in f16" },
	{ "test_logsoftmax_large_number", "10001 is 10000 in f16" },
	{ "test_logsoftmax_large_number_expanded", "10001 is 10000 in f16" },
	{ "test_tan", "an input is near a pole" },
	{ "test_resize_downsample_scales_linear_align_corners", "wrong oracle" },
	{ "test_resize_downsample_scales_cubic_align_corners", "wrong oracle" },
};

static unsigned int num_refused, num_near, num_skipped;

/**
 * struct half_case - a backend test
 * @path: its folder
 * @model: its model, changed to f16
 * @inputs: [0] as in the files, [1] of f16
 * @outputs: as in the files
 * @num_inputs: number of @inputs
 * @num_outputs: number of @outputs
 */
struct half_case {
	char path[512];
	Onnx__ModelProto *model;
	struct loom_array inputs[2][MAX_TENSORS];
	struct loom_array outputs[MAX_TENSORS];
	uint32_t num_inputs;
	uint32_t num_outputs;
};

static void *take(size_t size_bytes)
{
	void *memory = calloc(1, size_bytes + 1);

	if (!memory)
		tap_fatal("no memory");
	return memory;
}

/* Those of @kind, "input" or "output", of the first data set. Return: how many there are. */
static uint32_t load_data_set(const char *folder, const char *kind, struct loom_array *arrays)
{
	char path[600];
	uint32_t count;

	for (count = 0; count < MAX_TENSORS; count++) {
		snprintf(path, sizeof(path), "%s/test_data_set_0/%s_%u.pb", folder, kind, count);
		if (loom_tensor_load_pb(path, &arrays[count], NULL))
			break;
	}
	return count;
}

/* Which operands are f32 whatever the others are: scales of Resize and Upsample. */
static bool stays_single(const Onnx__ModelProto *model, const char *name)
{
	size_t i;

	for (i = 0; i < model->graph->n_node; i++) {
		const Onnx__NodeProto *node = model->graph->node[i];
		size_t at = !strcmp(node->op_type, "Resize") ? node->n_input == 2 ? 1 : 2 :
			    !strcmp(node->op_type, "Upsample") ? 1 : SIZE_MAX;

		if (at < node->n_input && !strcmp(node->input[at], name))
			return true;
	}
	return false;
}

static void halve_array(const struct loom_array *from, struct loom_array *to)
{
	uint64_t i;

	if (loom_array_alloc(to, from->dtype == DRM_LOOM_DTYPE_F32 ? DRM_LOOM_DTYPE_F16 :
			     from->dtype, from->rank, from->dims))
		tap_fatal("no memory");
	if (to->dtype == from->dtype)
		memcpy(to->data, from->data, from->size_bytes);
	else
		for (i = 0; i < from->size_bytes / sizeof(float); i++)
			loom_array_set_element(to, i, loom_array_element(from, i));
}

static void halve_tensor(Onnx__TensorProto *proto)
{
	struct loom_array from = { 0 }, to = { 0 };
	struct loom_error err;
	void *owned = NULL;

	if (proto->data_type != FLOAT)
		return;
	if (loom_onnx_tensor(proto, NULL, &from, &owned, &err))
		tap_fatal("%s", err.text);
	halve_array(&from, &to);
	free(owned);
	if (proto->has_raw_data)
		free(proto->raw_data.data);
	if (proto->n_float_data)
		free(proto->float_data);
	proto->float_data = NULL;
	proto->n_float_data = 0;
	proto->has_raw_data = true;
	proto->raw_data.len = to.size_bytes;
	proto->raw_data.data = to.data;
	proto->data_type = FLOAT16;
}

static void halve_info(const Onnx__ModelProto *model, Onnx__ValueInfoProto *info)
{
	Onnx__TypeProto *type = info->type;

	if (type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE &&
	    type->tensor_type->elem_type == FLOAT && !stays_single(model, info->name))
		type->tensor_type->elem_type = FLOAT16;
}

static void halve_node(Onnx__NodeProto *node)
{
	static const char *const types[] = { "to", "dtype", "output_datatype", "output_dtype" };
	size_t i, k;

	for (i = 0; i < node->n_attribute; i++) {
		Onnx__AttributeProto *attr = node->attribute[i];

		if (attr->t)
			halve_tensor(attr->t);
		for (k = 0; k < ARRAY_SIZE(types); k++)
			if (!strcmp(attr->name, types[k]) && attr->i == FLOAT)
				attr->i = FLOAT16;
	}
}

/* With all graphs in it. */
static void halve_graph(const Onnx__ModelProto *model, Onnx__GraphProto *graph)
{
	size_t i, k;

	for (i = 0; i < graph->n_input; i++)
		halve_info(model, graph->input[i]);
	for (i = 0; i < graph->n_output; i++)
		halve_info(model, graph->output[i]);
	for (i = 0; i < graph->n_value_info; i++)
		halve_info(model, graph->value_info[i]);
	for (i = 0; i < graph->n_initializer; i++)
		if (!stays_single(model, graph->initializer[i]->name))
			halve_tensor(graph->initializer[i]);
	for (i = 0; i < graph->n_node; i++) {
		halve_node(graph->node[i]);
		for (k = 0; k < graph->node[i]->n_attribute; k++)
			if (graph->node[i]->attribute[k]->g)
				halve_graph(model, graph->node[i]->attribute[k]->g);
	}
}

static int import(const Onnx__ModelProto *model, const struct loom_array *values, uint32_t count,
		  struct loom_graph **graph, struct loom_error *err)
{
	struct loom_graph_options options = { .values = values, .num_values = count };
	size_t size = onnx__model_proto__get_packed_size(model);
	uint8_t *bytes = take(size);
	int ret;

	onnx__model_proto__pack(model, bytes);
	ret = loom_graph_import_onnx_bytes(bytes, size, "halves", &options, graph, err);
	free(bytes);
	return ret;
}

/* Far more than rounding is worth, but an operator that is another one is further away. */
static bool are_near(const struct loom_array *got, const struct loom_array *want)
{
	uint64_t i, count = want->size_bytes / loom_dtype_size(want->dtype);
	double most = 0;

	for (i = 0; i < count; i++) {
		double element = fabs(loom_array_element(want, i));

		if (element <= LARGE && element > most)
			most = element;
	}
	for (i = 0; i < count; i++) {
		double element = loom_array_element(want, i);

		if (fabs(element) <= LARGE &&
		    !near_within(loom_array_element(got, i), element, 0.02 + 0.01 * most, 0)) {
			tap_note("element %llu: %g instead of %g", (unsigned long long)i,
				 loom_array_element(got, i), element);
			return false;
		}
	}
	return true;
}

static bool runs(const struct half_case *test, struct loom_graph *graph, struct loom_error *err)
{
	struct loom_planner_options planner = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct outcome outcome = { .num_outputs = 0 };
	bool good = false;
	uint32_t i;

	if (!outcome_plan(&outcome, graph, &planner, test->inputs[1], test->num_inputs, err))
		good = outcome.num_outputs >= test->num_outputs;
	/* outputs whose size depends on data are padded; another one says how much is meant */
	for (i = 0; i < test->num_outputs && good; i++)
		good = are_near(&outcome.outputs[i], &test->outputs[i]);
	outcome_clear(&outcome);
	return good;
}

static void try_case(struct half_case *test, const char *name)
{
	struct loom_error err = { .text = "" };
	struct loom_graph *graph = NULL;
	bool good;
	int ret;

	if (import(test->model, test->inputs[0], test->num_inputs, &graph, &err)) {
		num_skipped++;
		return;
	}
	loom_graph_destroy(graph);
	graph = NULL;
	halve_graph(test->model, test->model->graph);
	ret = import(test->model, test->inputs[1], test->num_inputs, &graph, &err);
	num_refused += !!ret;
	good = !ret && runs(test, graph, &err);
	num_near += good;
	tap_ok(good, "%s: %s", name, err.text);
	loom_graph_destroy(graph);
}

static void run_case(const char *name)
{
	struct half_case *test = take(sizeof(*test));
	bool single = false;
	char path[600];
	uint32_t i;

	snprintf(test->path, sizeof(test->path), DATA "/%s", name);
	snprintf(path, sizeof(path), "%s/model.onnx", test->path);
	test->model = model_read(path);
	test->num_inputs = load_data_set(test->path, "input", test->inputs[0]);
	test->num_outputs = load_data_set(test->path, "output", test->outputs);
	for (i = 0; i < test->num_inputs; i++) {
		struct loom_array *from = &test->inputs[0][i], *to = &test->inputs[1][i];

		single |= from->dtype == DRM_LOOM_DTYPE_F32;
		if (test->model && stays_single(test->model, from->name)) {
			if (loom_array_alloc(to, from->dtype, from->rank, from->dims))
				tap_fatal("no memory");
			memcpy(to->data, from->data, from->size_bytes);
		} else {
			halve_array(from, to);
		}
		to->name = from->name;
	}
	for (i = 0; i < test->num_outputs; i++)
		single |= test->outputs[i].dtype == DRM_LOOM_DTYPE_F32;
	if (test->model && single)
		try_case(test, name);
	for (i = 0; i < test->num_inputs; i++) {
		test->inputs[1][i].name = NULL;
		loom_array_clear(&test->inputs[0][i]);
		loom_array_clear(&test->inputs[1][i]);
	}
	for (i = 0; i < test->num_outputs; i++)
		loom_array_clear(&test->outputs[i]);
	if (test->model)
		onnx__model_proto__free_unpacked(test->model, NULL);
	free(test);
}

static bool is_exception(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(exceptions); i++)
		if (!fnmatch(exceptions[i].test, name, 0)) {
			tap_note("%s is left out: %s", name, exceptions[i].why);
			return true;
		}
	return false;
}

int main(void)
{
	struct dirent **entries;
	int i, count;

	count = scandir(DATA, &entries, NULL, alphasort);
	if (count < 0) {
		tap_skip("libonnx-testdata is not installed");
		return tap_end();
	}
	for (i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.' && !is_exception(entries[i]->d_name))
			run_case(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	tap_note("%u near, %u refused, %u not supported with f32 either", num_near, num_refused,
		 num_skipped);
	return tap_end();
}
