// SPDX-License-Identifier: MIT
/*
 * Builds a small network by calls, without a model file: y = Relu(x W + b). Plans it for a chip,
 * runs it in this process, and compares the result with what it has to be.
 *
 *	build_graph [CHIP]
 */
#include <stdio.h>
#include <string.h>

#include <loom.h>
#include <loom_chip_file.h>
#include <loom_planner.h>
#include <loom_run.h>

#define ROWS	2
#define DEPTH	3
#define COLUMNS	4

static const float x[ROWS][DEPTH] = { { 1, 2, 3 }, { -1, 0, 1 } };
static const float w[DEPTH][COLUMNS] = { { 1, 0, -1, 2 }, { 0, 1, 0, -2 }, { 1, 1, -1, 0 } };
static const float b[COLUMNS] = { 0.5, 0, 1, 0 };

/* An array over memory of ours: calls that take one copy what they need of it. */
static struct loom_array array_of(const char *name, const float *data, int64_t rows,
				  int64_t columns)
{
	return (struct loom_array) {
		.name = (char *)name,
		.dtype = DRM_LOOM_DTYPE_F32,
		.rank = rows ? 2 : 1,
		.dims = { rows ? rows : columns, rows ? columns : 0 },
		.data = (void *)data,
		.size_bytes = (size_t)(rows ? rows : 1) * columns * sizeof(float),
	};
}

static int add_node(struct loom_graph *graph, const char *op, const char *in0, const char *in1,
		    const char *out)
{
	const char *const inputs[] = { in0, in1 };
	struct loom_node_desc node = {
		.name = out,
		.op_type = op,
		.inputs = inputs,
		.num_inputs = in1 ? 2 : 1,
		.outputs = &out,
		.num_outputs = 1,
	};

	return loom_graph_add_node(graph, &node);
}

/*
 * Names tie nodes together, and the order of calls does not matter. The first error sticks, and
 * loom_graph_finish() reports it: so nobody looks at the others' results.
 */
static int build(struct loom_graph **graph, struct loom_error *err)
{
	struct loom_tensor_info input = {
		.name = "x", .dtype = DRM_LOOM_DTYPE_F32, .rank = 2, .dims = { ROWS, DEPTH },
	};
	struct loom_array weights = array_of("w", &w[0][0], DEPTH, COLUMNS);
	struct loom_array bias = array_of("b", b, 0, COLUMNS);
	int ret = loom_graph_create("two layers", 17, graph);

	if (ret) {
		snprintf(err->text, sizeof(err->text), "graph: %s", strerror(-ret));
		return ret;
	}
	loom_graph_add_input(*graph, &input);
	loom_graph_add_const(*graph, &weights);
	loom_graph_add_const(*graph, &bias);
	add_node(*graph, "MatMul", "x", "w", "xw");
	add_node(*graph, "Add", "xw", "b", "sum");
	add_node(*graph, "Relu", "sum", NULL, "y");
	loom_graph_add_output(*graph, "y");
	return loom_graph_finish(*graph, NULL, err);
}

static int check(const struct loom_array *y)
{
	int wrong = 0, i, j, k;

	for (i = 0; i < ROWS; i++)
		for (j = 0; j < COLUMNS; j++) {
			float want = b[j];

			for (k = 0; k < DEPTH; k++)
				want += x[i][k] * w[k][j];
			want = want < 0 ? 0 : want;
			wrong += loom_array_element(y, i * COLUMNS + j) != want;
			printf("%g%c", loom_array_element(y, i * COLUMNS + j),
			       j == COLUMNS - 1 ? '\n' : ' ');
		}
	return wrong;
}

int main(int argc, char **argv)
{
	struct loom_array in = array_of("x", &x[0][0], ROWS, DEPTH), out = { 0 };
	struct loom_planner_options options = { 0 };
	struct loom_program *program = NULL;
	struct loom_session *session = NULL;
	struct loom_target *target = NULL;
	struct loom_error err = { 0 };
	struct loom_graph *graph = NULL;
	struct drm_loom_chip chip;
	int wrong = 0, ret;

	ret = loom_chip_load(argc > 1 ? argv[1] : "soft", &chip, &err);
	if (!ret)
		ret = build(&graph, &err);
	options.chip = &chip;
	if (!ret)
		ret = loom_program_create(graph, &options, &program, &err);
	if (!ret)
		ret = loom_target_open("host", &chip, &target, &err);
	if (!ret)
		ret = loom_session_create(target, program, &session, &err);
	if (!ret)
		ret = loom_session_set_input(session, 0, &in, &err);
	if (!ret)
		ret = loom_session_run(session, NULL, NULL, &err);
	if (!ret)
		ret = loom_session_get_output(session, 0, &out, &err);
	if (!ret) {
		printf("%llu steps, %llu bytes of SRAM per lane\n",
		       (unsigned long long)program->stats.steps,
		       (unsigned long long)program->stats.scratch_bytes);
		wrong = check(&out);
	} else {
		fprintf(stderr, "build_graph: %s\n", err.text);
	}
	loom_array_clear(&out);
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	return ret || wrong;
}
