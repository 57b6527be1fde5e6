// SPDX-License-Identifier: MIT
/* Rows of a table at indices that come with the data, as a product; what is no such table. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "loom_planner.h"
#include "loom_run.h"
#include "model.h"
#include "tap.h"

#define ROWS	37
#define COLUMNS	5

static float table[ROWS * COLUMNS];

static struct loom_graph *make(uint32_t dtype, uint32_t rank, const int64_t *dims, int64_t along)
{
	struct loom_tensor_info indices = { .name = "indices", .dtype = dtype, .rank = rank };
	struct loom_attr axis = {
		.name = "axis", .type = LOOM_ATTR_INT, .count = 1, .ints = &along,
	};
	struct loom_graph *graph = model_create(13);

	memcpy(indices.dims, dims, rank * sizeof(*dims));
	loom_graph_add_input(graph, &indices);
	model_add_floats(graph, "table", 2, (int64_t[]){ ROWS, COLUMNS }, table);
	model_add_node(graph, "Gather", "table indices", "y", &axis, 1);
	loom_graph_add_output(graph, "y");
	return graph;
}

/* What the host gives for indices. */
static void run(struct loom_graph *graph, const struct loom_array *indices, struct loom_array *y)
{
	struct loom_planner_options options = { .grouping = "layerwise" };
	struct loom_program *program;
	struct loom_session *session;
	struct loom_target *target;
	struct loom_error err;

	if (loom_graph_finish(graph, NULL, &err) ||
	    loom_target_open("host", NULL, &target, &err))
		tap_fatal("%s", err.text);
	options.chip = loom_target_chip(target);
	if (loom_program_create(graph, &options, &program, &err) ||
	    loom_session_create(target, program, &session, &err) ||
	    loom_session_set_input(session, 0, indices, &err) ||
	    loom_session_run(session, NULL, NULL, &err) ||
	    loom_session_get_output(session, 0, y, NULL))
		tap_fatal("%s", err.text);
	loom_session_destroy(session);
	loom_program_destroy(program);
	loom_target_close(target);
}

static void expect_rows(uint32_t dtype, uint32_t rank, const int64_t *dims, const int64_t *at,
			int64_t axis, const char *what)
{
	struct loom_graph *graph = make(dtype, rank, dims, axis);
	struct loom_array indices, y;
	bool good;
	uint64_t i, count;

	if (loom_array_alloc(&indices, dtype, rank, dims))
		tap_fatal("no memory");
	count = indices.size_bytes / loom_dtype_size(dtype);
	for (i = 0; i < count; i++)
		loom_array_set_element(&indices, i, (double)at[i]);
	run(graph, &indices, &y);
	good = y.rank == rank + 1 && !memcmp(y.dims, dims, rank * sizeof(*dims)) &&
	       y.dims[rank] == COLUMNS;
	for (i = 0; good && i < count; i++)
		good = !memcmp((float *)y.data + i * COLUMNS,
			       &table[(at[i] < 0 ? at[i] + ROWS : at[i]) * COLUMNS],
			       COLUMNS * sizeof(float));
	tap_ok(good, "%s", what);
	loom_array_clear(&indices);
	loom_array_clear(&y);
	loom_graph_destroy(graph);
}

/* Elements of columns, or of rows that a product would turn into NaN, are picked one by one. */
static void expect_elements(int64_t axis, float first, const int64_t *at, const char *what)
{
	const int64_t count = 3, inner = axis ? 1 : COLUMNS, outer = axis ? ROWS : 1;
	struct loom_graph *graph;
	struct loom_array indices, y;
	int64_t o, i, n, size = axis ? COLUMNS : ROWS, index;
	const float *got;
	bool good = true;

	table[0] = first;
	graph = make(DRM_LOOM_DTYPE_I64, 1, &count, axis);
	if (loom_array_alloc(&indices, DRM_LOOM_DTYPE_I64, 1, &count))
		tap_fatal("no memory");
	for (i = 0; i < count; i++)
		loom_array_set_element(&indices, (uint64_t)i, (double)at[i]);
	run(graph, &indices, &y);
	for (o = 0; o < outer; o++)
		for (i = 0; i < count; i++)
			for (n = 0; n < inner; n++) {
				index = at[i] < 0 ? at[i] + size : at[i];
				got = (float *)y.data + (o * count + i) * inner + n;
				good = good && !memcmp(got, &table[(o * size + index) * inner + n],
						       sizeof(*got));
			}
	tap_ok(good, "%s", what);
	loom_array_clear(&indices);
	loom_array_clear(&y);
	loom_graph_destroy(graph);
	table[0] = 1;
}

static void expect_refusal(uint32_t dtype, const char *what)
{
	struct loom_graph *graph = make(dtype, 1, (int64_t[]){ 3 }, 0);
	struct loom_error err;
	int ret = loom_graph_finish(graph, NULL, &err);

	tap_ok(ret == -ENODATA && strstr(err.text, "indices"), "%s", what);
	loom_graph_destroy(graph);
}

/* More comparisons than a device does in reasonable time: the indices have to be known then. */
static void expect_too_many(void)
{
	struct loom_tensor_info indices = {
		.name = "indices", .dtype = DRM_LOOM_DTYPE_I64, .rank = 1, .dims = { 1 << 10 },
	};
	struct loom_graph *graph = model_create(13);
	struct loom_error err;
	int ret;

	loom_graph_add_input(graph, &indices);
	model_add_input(graph, "data", 2, (int64_t[]){ 1 << 10, 1 << 5 });
	model_add_node(graph, "Gather", "data indices", "y", NULL, 0);
	loom_graph_add_output(graph, "y");
	ret = loom_graph_finish(graph, NULL, &err);
	tap_ok(ret == -ENODATA && strstr(err.text, "indices"), "too many are refused: %s",
	       err.text);
	loom_graph_destroy(graph);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i < ROWS * COLUMNS; i++)
		table[i] = 1 + (float)i * 0.37f;
	expect_rows(DRM_LOOM_DTYPE_I64, 0, (int64_t[]){ 0 }, (int64_t[]){ 7 },
		    0, "a scalar picks a row");
	expect_rows(DRM_LOOM_DTYPE_I64, 1, (int64_t[]){ 1 }, (int64_t[]){ ROWS - 1 },
		    -2, "the last row, of an axis that is counted from the end");
	expect_rows(DRM_LOOM_DTYPE_I32, 2, (int64_t[]){ 2, 3 },
		    (int64_t[]){ 0, 5, 36, -1, -37, 5 }, 0, "several, some of them from the end");
	expect_elements(1, 1, (int64_t[]){ 4, 0, -2 }, "columns");
	expect_elements(0, INFINITY, (int64_t[]){ 1, 0, -1 }, "rows of a table with infinities");
	expect_elements(0, NAN, (int64_t[]){ 36, -37, 5 }, "rows of one with NaN");
	expect_refusal(DRM_LOOM_DTYPE_U8, "bytes are no indices");
	expect_too_many();
	return tap_end();
}
