/* SPDX-License-Identifier: MIT */
#ifndef LOOM_TESTS_ONNX_FORM_H
#define LOOM_TESTS_ONNX_FORM_H

/*
 * Models of one node, with all operands and results written down, planned and run on the host; or
 * refused.
 */

#include <errno.h>
#include <math.h>

#include "graph/graph.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "model.h"
#include "outcome.h"

#define MOST		32
#define MOST_OPERANDS	9

/**
 * struct tensor - an operand, or what is expected
 * @dtype: its type; 0: it is left out
 * @rank: number of @dims
 * @dims: its shape
 * @elems: its elements
 */
struct tensor {
	uint32_t dtype;
	uint32_t rank;
	int64_t dims[4];
	double elems[MOST];
};

#define F32(...)	{ DRM_LOOM_DTYPE_F32, __VA_ARGS__ }
#define I64(...)	{ DRM_LOOM_DTYPE_I64, __VA_ARGS__ }
#define U8(...)		{ DRM_LOOM_DTYPE_U8, __VA_ARGS__ }
#define I8(...)		{ DRM_LOOM_DTYPE_I8, __VA_ARGS__ }
#define I32(...)	{ DRM_LOOM_DTYPE_I32, __VA_ARGS__ }

/**
 * struct form - a node, its operands, and its results
 * @what: it shows; or a part of the error, if there are no results
 * @op: operator
 * @opset: version
 * @attrs: of the node
 * @num_attrs: number of @attrs
 * @operands: of which those with @known are constants
 * @num_operands: number of @operands
 * @known: bit i: operand i is a constant
 * @results: the expected results
 * @num_results: number of @results; 0: the node is refused
 */
struct form {
	const char *what;
	const char *op;
	int opset;
	struct loom_attr attrs[4];
	uint32_t num_attrs;
	struct tensor operands[MOST_OPERANDS];
	uint32_t num_operands;
	uint32_t known;
	struct tensor results[2];
	uint32_t num_results;
};

#define INT(text, ...)	{ .name = text, .type = LOOM_ATTR_INT, .count = 1, \
			  .ints = (int64_t[]){ __VA_ARGS__ } }
#define INTS(text, n, ...)	{ .name = text, .type = LOOM_ATTR_INTS, .count = n, \
			  .ints = (int64_t[]){ __VA_ARGS__ } }
#define FLOATS(text, n, ...)	{ .name = text, .type = LOOM_ATTR_FLOATS, .count = n, \
			  .floats = (float[]){ __VA_ARGS__ } }
#define TEXT(text, is)	{ .name = text, .type = LOOM_ATTR_STRING, .count = 1, .string = is }

static inline void fill(struct loom_array *array, const struct tensor *tensor, const char *name)
{
	uint64_t i;

	if (loom_array_alloc(array, tensor->dtype, tensor->rank, tensor->dims))
		tap_fatal("no memory");
	array->name = (char *)name;
	for (i = 0; i < array->size_bytes / loom_dtype_size(tensor->dtype); i++)
		loom_array_set_element(array, i, tensor->elems[i]);
}

/* Bit by bit; all NaN are the same. */
static inline bool same(const struct loom_array *got, const struct tensor *want)
{
	struct loom_array expected;
	uint64_t i, size = loom_dtype_size(want->dtype);
	bool good;

	fill(&expected, want, NULL);
	good = got->dtype == want->dtype && got->rank == want->rank &&
	       !memcmp(got->dims, want->dims, want->rank * sizeof(*want->dims));
	for (i = 0; good && i < expected.size_bytes / size; i++)
		good = !memcmp((char *)got->data + i * size, (char *)expected.data + i * size,
			       size) ||
		       (isnan(loom_array_element(got, i)) &&
			isnan(loom_array_element(&expected, i)));
	loom_array_clear(&expected);
	return good;
}

/* A refused node is never run, so its operands may be of any size. */
static inline void try_refused(const struct form *form, struct loom_graph *graph)
{
	struct loom_error err = { .text = "" };
	int ret = loom_graph_finish(graph, NULL, &err);

	tap_ok(ret && strstr(err.text, form->what), "%s: refused: %s", form->op, form->what);
	if (!ret || !strstr(err.text, form->what))
		tap_note("%d: %s", ret, err.text);
	loom_graph_destroy(graph);
}

static inline void try_form(const struct form *form)
{
	static const char *const names[MOST_OPERANDS] = {
		"a", "b", "c", "d", "e", "f", "g", "h", "i",
	};
	struct loom_planner_options planner = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct loom_graph *graph = model_create(form->opset);
	struct outcome outcome = { .num_outputs = 0 };
	struct loom_array operands[MOST_OPERANDS] = { 0 };
	struct loom_error err = { .text = "" };
	char list[] = "a b c d e f g h i";
	bool good;
	uint32_t i;
	int ret;

	for (i = 0; i < form->num_operands; i++) {
		struct loom_tensor_info info = {
			.name = names[i], .dtype = form->operands[i].dtype,
			.rank = form->operands[i].rank,
		};

		if (!info.dtype) {
			list[2 * i] = '-';
			continue;
		}
		memcpy(info.dims, form->operands[i].dims, sizeof(form->operands[i].dims));
		if (form->num_results || form->known >> i & 1)
			fill(&operands[i], &form->operands[i], names[i]);
		if (form->known >> i & 1)
			loom_graph_add_const(graph, &operands[i]);
		else
			loom_graph_add_input(graph, &info);
	}
	list[2 * form->num_operands - 1] = '\0';
	model_add_node(graph, form->op, list, form->num_results == 2 ? "y z" : "y", form->attrs,
		       form->num_attrs);
	loom_graph_add_output(graph, "y");
	if (form->num_results == 2)
		loom_graph_add_output(graph, "z");
	if (!form->num_results) {
		try_refused(form, graph);
		goto clear;
	}
	ret = loom_graph_finish(graph, NULL, &err);
	if (!ret)
		ret = outcome_plan(&outcome, graph, &planner, operands, form->num_operands, &err);
	good = !ret;
	for (i = 0; good && i < form->num_results; i++)
		good = same(&outcome.outputs[i], &form->results[i]);
	tap_ok(good, "%s: %s", form->op, form->what);
	if (!good)
		tap_note("%d: %s", ret, err.text);
	outcome_clear(&outcome);
	loom_graph_destroy(graph);
clear:
	for (i = 0; i < form->num_operands; i++) {
		operands[i].name = NULL;
		loom_array_clear(&operands[i]);
	}
}

static inline void try_forms(const struct form *forms, uint32_t count)
{
	while (count--)
		try_form(forms++);
}

#endif /* LOOM_TESTS_ONNX_FORM_H */
