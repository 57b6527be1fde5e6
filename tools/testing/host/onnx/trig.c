// SPDX-License-Identifier: MIT
/* Trigonometric and hyperbolic functions of data, beside those of libm in double precision. */
#include <float.h>
#include <math.h>

#include "loom_chip_file.h"
#include "model.h"
#include "near.h"
#include "outcome.h"

#define COUNT	2000

/**
 * struct function - one of them
 * @op: operator
 * @fn: the same in libm
 * @low: where the numbers begin
 * @high: where they end
 * @relative: bound of the error by the result, in 1 / 10000000
 * @absolute: beside that, for what is left where numbers cancel each other, in the same
 */
struct function {
	const char *op;
	double (*fn)(double x);
	double low, high;
	double relative, absolute;
};

static const struct function functions[] = {
	{ "Sin", sin, -20, 20, 2, 2 },
	{ "Sin", sin, -0.1, 0.1, 2, 0 },
	{ "Sin", sin, 1000, 3000, 2, 3 },
	{ "Cos", cos, -20, 20, 2, 2 },
	{ "Cos", cos, 1000, 3000, 2, 3 },
	{ "Tan", tan, -1.5, 1.5, 4, 0 },
	{ "Asin", asin, -1, 1, 10, 0 },
	{ "Acos", acos, -1, 1, 4, 0 },
	{ "Atan", atan, -5, 5, 4, 0 },
	{ "Atan", atan, -1e30, 1e30, 2, 0 },
	{ "Sinh", sinh, -88, 88, 50, 0 },
	{ "Sinh", sinh, -1, 1, 10, 0 },
	{ "Cosh", cosh, -88, 88, 50, 0 },
	{ "Asinh", asinh, -1, 1, 20, 0 },
	{ "Asinh", asinh, -1e20, 1e20, 2, 0 },
	{ "Acosh", acosh, 1.01, 100, 20, 0 },
	{ "Atanh", atanh, -0.999, 0.999, 20, 0 },
};

static struct outcome run(const char *op, struct loom_array *x)
{
	struct loom_planner_options planner = {
		.grouping = "layerwise", .chip = loom_preset_find("soft"),
	};
	struct loom_graph *graph = model_create(22);
	struct outcome outcome = { .num_outputs = 0 };
	struct loom_error err;

	model_add_input(graph, "x", 1, x->dims);
	model_add_node(graph, op, "x", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	if (loom_graph_finish(graph, NULL, &err) ||
	    outcome_plan(&outcome, graph, &planner, x, 1, &err))
		tap_fatal("%s", err.text);
	loom_graph_destroy(graph);
	return outcome;
}

static void try_function(const struct function *function)
{
	static float numbers[COUNT];
	struct loom_array x = {
		.name = (char *)"x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { COUNT },
		.data = numbers, .size_bytes = sizeof(numbers),
	};
	double want, off, worst = 0, at = 0;
	struct outcome outcome;
	uint32_t i;

	for (i = 0; i < COUNT; i++)
		numbers[i] = (float)(function->low + (function->high - function->low) * i /
				     (COUNT - 1));
	outcome = run(function->op, &x);
	for (i = 0; i < COUNT; i++) {
		want = function->fn(numbers[i]);
		off = near_off(loom_array_element(&outcome.outputs[0], i), want);
		off *= 10000000;
		off /= function->relative * fabs(want) + function->absolute + DBL_MIN;
		if (!(off <= worst)) {
			worst = off;
			at = numbers[i];
		}
	}
	tap_ok(worst <= 1, "%s from %g to %g", function->op, function->low, function->high);
	if (!(worst <= 1))
		tap_note("%g times the bound at %g", worst, at);
	outcome_clear(&outcome);
}

/* Arguments without a result give NaN, and those with an infinite one give infinity. */
static void try_ends(const char *op, const float *in, const float *want, uint32_t count)
{
	struct loom_array x = {
		.name = (char *)"x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { count },
		.data = (void *)in, .size_bytes = count * sizeof(*in),
	};
	struct outcome outcome = run(op, &x);
	bool good = true;
	uint32_t i;

	for (i = 0; i < count; i++) {
		double y = loom_array_element(&outcome.outputs[0], i);

		good = good && (isnan(want[i]) ? isnan(y) : y == want[i]);
	}
	tap_ok(good, "%s at its ends", op);
	outcome_clear(&outcome);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		try_function(&functions[i]);
	try_ends("Sin", (float[]){ 0, INFINITY, NAN }, (float[]){ 0, NAN, NAN }, 3);
	try_ends("Asin", (float[]){ 0, 1, -1, 1.5f },
		 (float[]){ 0, (float)M_PI_2, -(float)M_PI_2, NAN }, 4);
	try_ends("Acos", (float[]){ 1, -1, 2 }, (float[]){ 0, (float)M_PI, NAN }, 3);
	try_ends("Atan", (float[]){ 0, INFINITY, -INFINITY, NAN },
		 (float[]){ 0, (float)M_PI_2, -(float)M_PI_2, NAN }, 4);
	try_ends("Sinh", (float[]){ 0, INFINITY, -INFINITY, NAN },
		 (float[]){ 0, INFINITY, -INFINITY, NAN }, 4);
	try_ends("Cosh", (float[]){ 0, -INFINITY, NAN }, (float[]){ 1, INFINITY, NAN }, 3);
	try_ends("Asinh", (float[]){ 0, INFINITY, -INFINITY, NAN },
		 (float[]){ 0, INFINITY, -INFINITY, NAN }, 4);
	try_ends("Acosh", (float[]){ 1, INFINITY, 0.5f, NAN },
		 (float[]){ 0, INFINITY, NAN, NAN }, 4);
	try_ends("Atanh", (float[]){ 0, 1, -1, 2 }, (float[]){ 0, INFINITY, -INFINITY, NAN }, 4);
	return tap_end();
}
