// SPDX-License-Identifier: MIT
/*
 * Operators that answer with places, or write to places, where these come with the data: corners
 * that the ONNX backend tests do not have. What is expected is written down.
 */
#include <errno.h>
#include <math.h>

#include "graph/graph.h"
#include "loom_chip_file.h"
#include "loom_planner.h"
#include "model.h"
#include "outcome.h"

#define MOST	32

/**
 * struct tensor - an operand, or what is expected
 * @dtype: its type
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

#define F32(...)	DRM_LOOM_DTYPE_F32, __VA_ARGS__
#define I64(...)	DRM_LOOM_DTYPE_I64, __VA_ARGS__
#define U8(...)		DRM_LOOM_DTYPE_U8, __VA_ARGS__

/**
 * struct form - a node, its operands, and its results
 * @what: it shows
 * @op: operator
 * @opset: version
 * @attrs: of the node
 * @num_attrs: number of @attrs
 * @operands: of which those with @known are constants
 * @num_operands: number of @operands
 * @known: bit i: operand i is a constant
 * @results: what is expected
 * @num_results: number of @results
 */
struct form {
	const char *what;
	const char *op;
	int opset;
	struct loom_attr attrs[3];
	uint32_t num_attrs;
	struct tensor operands[3];
	uint32_t num_operands;
	uint32_t known;
	struct tensor results[2];
	uint32_t num_results;
};

#define INT(text, ...)	{ .name = text, .type = LOOM_ATTR_INT, .count = 1, \
			  .ints = (int64_t[]){ __VA_ARGS__ } }
#define TEXT(text, is)	{ .name = text, .type = LOOM_ATTR_STRING, .count = 1, .string = is }

static const struct form forms[] = {
	{ "the first of equals", "ArgMax", 13, { INT("axis", 1) }, 1,
	  { { F32(2, { 2, 4 }, { 1, 7, 7, 2, -1, -9, -1, -3 }) } }, 1, 0,
	  { { I64(2, { 2, 1 }, { 1, 0 }) } }, 1 },
	{ "the last of equals", "ArgMin", 13,
	  { INT("axis", -1), INT("select_last_index", 1), INT("keepdims", 0) }, 3,
	  { { F32(2, { 2, 4 }, { 1, 7, 1, 2, -1, -9, -9, -3 }) } }, 1, 0,
	  { { I64(1, { 2 }, { 2, 2 }) } }, 1 },
	{ "of bytes", "ArgMax", 13, { INT("axis", 0) }, 1,
	  { { U8(2, { 3, 2 }, { 1, 200, 255, 3, 254, 201 }) } }, 1, 0,
	  { { I64(2, { 1, 2 }, { 1, 2 }) } }, 1 },
	{ "an index that exists where all is NaN", "ArgMax", 13, { INT("axis", 0) }, 1,
	  { { F32(1, { 3 }, { NAN, NAN, NAN }) } }, 1, 0, { { I64(1, { 1 }, { 2 }) } }, 1 },
	{ "all of a row, with infinities and equals", "TopK", 11, { INT("axis", -1) }, 1,
	  { { F32(1, { 6 }, { 3, -INFINITY, 5, 5, -INFINITY, INFINITY }) },
	    { I64(1, { 1 }, { 6 }) } }, 2, 2,
	  { { F32(1, { 6 }, { INFINITY, 5, 5, 3, -INFINITY, -INFINITY }) },
	    { I64(1, { 6 }, { 5, 2, 3, 0, 1, 4 }) } }, 2 },
	{ "the smallest, along the first axis", "TopK", 11,
	  { INT("axis", 0), INT("largest", 0) }, 2,
	  { { F32(2, { 3, 2 }, { 3, 1, 2, 2, 1, 3 }) }, { I64(1, { 1 }, { 2 }) } }, 2, 2,
	  { { F32(2, { 2, 2 }, { 1, 1, 2, 2 }) }, { I64(2, { 2, 2 }, { 2, 0, 1, 1 }) } }, 2 },
	{ "of integers, the smallest of which is an element", "TopK", 11, { INT("axis", 0) }, 1,
	  { { I64(1, { 3 }, { 4, -9, 7 }) }, { I64(1, { 1 }, { 3 }) } }, 2, 2,
	  { { I64(1, { 3 }, { 7, 4, -9 }) }, { I64(1, { 3 }, { 2, 0, 1 }) } }, 2 },
	{ "the last of two that write to a row", "ScatterND", 18, { }, 0,
	  { { F32(2, { 3, 2 }, { 1, 2, 3, 4, 5, 6 }) }, { I64(2, { 3, 1 }, { 2, 0, -1 }) },
	    { F32(2, { 3, 2 }, { 10, 11, 12, 13, 14, 15 }) } }, 3, 0,
	  { { F32(2, { 3, 2 }, { 12, 13, 3, 4, 14, 15 }) } }, 1 },
	{ "rows that are known", "ScatterND", 18, { }, 0,
	  { { F32(2, { 3, 2 }, { 1, 2, 3, 4, 5, 6 }) }, { I64(2, { 3, 1 }, { 2, 0, -1 }) },
	    { F32(2, { 3, 2 }, { 10, 11, 12, 13, 14, 15 }) } }, 3, 2,
	  { { F32(2, { 3, 2 }, { 12, 13, 3, 4, 14, 15 }) } }, 1 },
	{ "sums where two write", "ScatterND", 18, { TEXT("reduction", "add") }, 1,
	  { { F32(2, { 2, 2 }, { 1, 2, 3, 4 }) }, { I64(2, { 2, 2 }, { 1, 0, 1, 0 }) },
	    { F32(1, { 2 }, { 10, 20 }) } }, 3, 0,
	  { { F32(2, { 2, 2 }, { 1, 2, 33, 4 }) } }, 1 },
	{ "the larger where two write", "ScatterND", 18, { TEXT("reduction", "max") }, 1,
	  { { F32(1, { 3 }, { 1, -5, 3 }) }, { I64(2, { 2, 1 }, { 1, 1 }) },
	    { F32(1, { 2 }, { -7, -6 }) } }, 3, 0,
	  { { F32(1, { 3 }, { 1, -5, 3 }) } }, 1 },
	{ "elements, of fewer columns than there are", "ScatterElements", 16, { INT("axis", 0) }, 1,
	  { { F32(2, { 3, 3 }, { 0, 1, 2, 3, 4, 5, 6, 7, 8 }) },
	    { I64(2, { 2, 2 }, { 1, -1, 1, 0 }) }, { F32(2, { 2, 2 }, { 10, 11, 12, 13 }) } }, 3, 0,
	  { { F32(2, { 3, 3 }, { 0, 13, 2, 12, 4, 5, 6, 11, 8 }) } }, 1 },
	{ "NaN beside what is picked", "GatherElements", 13, { INT("axis", 1) }, 1,
	  { { F32(2, { 2, 3 }, { NAN, 1, INFINITY, 3, 4, 5 }) },
	    { I64(2, { 2, 2 }, { 1, -1, 0, 2 }) } }, 2, 0,
	  { { F32(2, { 2, 2 }, { 1, INFINITY, 3, 5 }) } }, 1 },
	{ "slices of each batch", "GatherND", 13, { INT("batch_dims", 1) }, 1,
	  { { F32(3, { 2, 2, 2 }, { 0, 1, 2, 3, 4, 5, 6, 7 }) }, { I64(2, { 2, 1 }, { 1, 0 }) } },
	  2, 0, { { F32(2, { 2, 2 }, { 2, 3, 4, 5 }) } }, 1 },
	{ "a sum of all before, backwards", "CumSum", 14, { INT("exclusive", 1), INT("reverse", 1) },
	  2, { { F32(1, { 7 }, { 1, 2, 4, 8, 16, 32, 64 }) }, { I64(1, { 1 }, { 0 }) } }, 2, 2,
	  { { F32(1, { 7 }, { 126, 124, 120, 112, 96, 64, 0 }) } }, 1 },
	{ "a product of matrices with batches that broadcast", "Einsum", 12,
	  { TEXT("equation", "...ij,...jk->...ik") }, 1,
	  { { F32(3, { 2, 1, 2 }, { 1, 2, 3, 4 }) }, { F32(2, { 2, 2 }, { 1, 2, 3, 4 }) } }, 2, 0,
	  { { F32(3, { 2, 1, 2 }, { 7, 10, 15, 22 }) } }, 1 },
	{ "an outer product, turned", "Einsum", 12, { TEXT("equation", "a, b -> ba") }, 1,
	  { { F32(1, { 2 }, { 1, 2 }) }, { F32(1, { 3 }, { 1, 10, 100 }) } }, 2, 0,
	  { { F32(2, { 3, 2 }, { 1, 2, 10, 20, 100, 200 }) } }, 1 },
	{ "three operands, one summed up before", "Einsum", 12,
	  { TEXT("equation", "ij,jk,kl->il") }, 1,
	  { { F32(2, { 1, 2 }, { 1, 2 }) }, { F32(2, { 2, 2 }, { 1, 0, 0, 1 }) },
	    { F32(2, { 2, 2 }, { 1, 2, 3, 4 }) } }, 3, 0,
	  { { F32(2, { 1, 2 }, { 7, 10 }) } }, 1 },
	{ "a trace", "Einsum", 12, { TEXT("equation", "ii->") }, 1,
	  { { F32(2, { 3, 3 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9 }) } }, 1, 0,
	  { { F32(0, { 0 }, { 15 }) } }, 1 },
	{ "what is implied: the alphabet", "Einsum", 12, { TEXT("equation", "ba") }, 1,
	  { { F32(2, { 2, 3 }, { 1, 2, 3, 4, 5, 6 }) } }, 1, 0,
	  { { F32(2, { 3, 2 }, { 1, 4, 2, 5, 3, 6 }) } }, 1 },
	{ "the first steps of each sequence", "ReverseSequence", 10,
	  { INT("time_axis", 1), INT("batch_axis", 0) }, 2,
	  { { F32(3, { 2, 3, 1 }, { 1, 2, 3, 4, 5, 6 }) }, { I64(1, { 2 }, { 2, 3 }) } }, 2, 2,
	  { { F32(3, { 2, 3, 1 }, { 2, 1, 3, 6, 5, 4 }) } }, 1 },
};

static void fill(struct loom_array *array, const struct tensor *tensor, const char *name)
{
	uint64_t i;

	if (loom_array_alloc(array, tensor->dtype, tensor->rank, tensor->dims))
		tap_fatal("no memory");
	array->name = (char *)name;
	for (i = 0; i < array->size_bytes / loom_dtype_size(tensor->dtype); i++)
		loom_array_set_element(array, i, tensor->elems[i]);
}

static bool same(const struct loom_array *got, const struct tensor *want)
{
	struct loom_array expected;
	bool good;

	fill(&expected, want, NULL);
	good = got->dtype == want->dtype && got->rank == want->rank &&
	       !memcmp(got->dims, want->dims, want->rank * sizeof(*want->dims)) &&
	       !memcmp(got->data, expected.data, expected.size_bytes);
	loom_array_clear(&expected);
	return good;
}

static void try_form(const struct form *form)
{
	static const char *const names[] = { "a", "b", "c" };
	struct loom_planner_options planner = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct loom_graph *graph = model_create(form->opset);
	struct outcome outcome = { .num_outputs = 0 };
	struct loom_array operands[3];
	struct loom_error err = { .text = "" };
	bool good;
	uint32_t i;
	int ret;

	for (i = 0; i < form->num_operands; i++) {
		struct loom_tensor_info info = {
			.name = names[i], .dtype = form->operands[i].dtype,
			.rank = form->operands[i].rank,
		};

		memcpy(info.dims, form->operands[i].dims, sizeof(form->operands[i].dims));
		fill(&operands[i], &form->operands[i], names[i]);
		if (form->known >> i & 1)
			loom_graph_add_const(graph, &operands[i]);
		else
			loom_graph_add_input(graph, &info);
	}
	model_add_node(graph, form->op, form->num_operands == 1 ? "a" :
		       form->num_operands == 2 ? "a b" : "a b c",
		       form->num_results == 1 ? "y" : "y z", form->attrs, form->num_attrs);
	loom_graph_add_output(graph, "y");
	if (form->num_results == 2)
		loom_graph_add_output(graph, "z");
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
	for (i = 0; i < form->num_operands; i++) {
		operands[i].name = NULL;
		loom_array_clear(&operands[i]);
	}
}

/* A node that cannot be, of two operands with shapes that it would take. */
static void refuse(const char *op, const struct loom_attr *attr, const char *line)
{
	struct loom_graph *graph = model_create(12);
	struct loom_error err;
	int ret;

	model_add_input(graph, "a", 2, (int64_t[]){ 2, 3 });
	model_add_input(graph, "b", 2, (int64_t[]){ 3, 4 });
	model_add_node(graph, op, "a b", "y", attr, 1);
	loom_graph_add_output(graph, "y");
	ret = loom_graph_finish(graph, NULL, &err);
	tap_ok(ret == -EINVAL && strstr(err.text, line), "%s", err.text);
	loom_graph_destroy(graph);
}

int main(void)
{
	static const char *const equations[] = {
		"ij", "ij,jk,kl", "ijk,jk", "ij,jk->il", "ij;jk", "ij,jk->i.", "ij,jk->ik->", "ij,ik",
	};
	struct loom_attr equation = { .name = "equation", .type = LOOM_ATTR_STRING, .count = 1 };
	struct loom_attr axis = INT("axis", 1);
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++)
		try_form(&forms[i]);
	for (i = 0; i < ARRAY_SIZE(equations); i++) {
		equation.string = equations[i];
		refuse("Einsum", &equation, i + 1 < ARRAY_SIZE(equations) ? "does not fit" :
		       "an axis of 2 and one of 3");
	}
	refuse("GatherElements", &axis, "indices");
	return tap_end();
}
