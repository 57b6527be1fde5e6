// SPDX-License-Identifier: MIT
/* Windows of pools that are larger than the data: what ONNX defines there, and what it does not. */
#include "form.h"

#define SQUARE		F32(4, { 1, 1, 2, 2 }, { 1, -4, 3, 2 })
#define KERNEL		INTS("kernel_shape", 2, 3, 3)
#define STRIDES		INTS("strides", 2, 2, 2)
#define CEIL		INT("ceil_mode", 1)

static const struct form forms[] = {
	{ "one window that the data do not fill", "MaxPool", 12, { KERNEL, STRIDES, CEIL }, 3,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 1, 1 }, { 3 }) }, 1 },
	{ "its mean is that of the data", "AveragePool", 12, { KERNEL, STRIDES, CEIL }, 3,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 1, 1 }, { 0.5 }) }, 1 },
	{ "also where padding counts, because there is none", "AveragePool", 12,
	  { KERNEL, STRIDES, CEIL, INT("count_include_pad", 1) }, 4,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 1, 1 }, { 0.5 }) }, 1 },
	{ "its norm is that of the data", "LpPool", 18, { KERNEL, STRIDES, CEIL, INT("p", 1) }, 4,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 1, 1 }, { 10 }) }, 1 },
	{ "the norm of a last window that is cut off", "LpPool", 18,
	  { INTS("kernel_shape", 1, 2), INTS("strides", 1, 2), CEIL, INT("p", 1) }, 4,
	  { F32(3, { 1, 1, 3 }, { 1, -2, -4 }) }, 1, 0,
	  { F32(3, { 1, 1, 2 }, { 3, 4 }) }, 1 },
	{ "no window, without rounding up", "MaxPool", 12, { KERNEL }, 1,
	  { SQUARE }, 1, 0, { F32(4, { 1, 1, 0, 0 }, { 0 }) }, 1 },
};

static void refuse(const char *op, const char *operands)
{
	struct loom_attr attrs[] = { KERNEL, INTS("strides", 2, 1, 1) };
	float weights[9] = { 1 };
	struct loom_graph *graph = model_create(12);
	struct loom_error err;
	int ret;

	model_add_input(graph, "a", 4, (int64_t[]){ 1, 1, 1, 1 });
	model_add_floats(graph, "b", 4, (int64_t[]){ 1, 1, 3, 3 }, weights);
	model_add_node(graph, op, operands, "y", attrs, 2);
	loom_graph_add_output(graph, "y");
	ret = loom_graph_finish(graph, NULL, &err);
	tap_ok(ret == -EINVAL && strstr(err.text, "larger than axis 2"), "%s", err.text);
	loom_graph_destroy(graph);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++)
		try_form(&forms[i]);
	refuse("MaxPool", "a");
	refuse("Conv", "a b");
	return tap_end();
}
