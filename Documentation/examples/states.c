// SPDX-License-Identifier: MIT
/*
 * A network that remembers: sum = x + before, where "before" is the sum of the run before. It is
 * planned once, for a chip, and its program written to a file. Then the file is opened, as another
 * process would do it later, without graph and planner, and runs on the host.
 *
 *	states FILE.loom [CHIP]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <loom.h>
#include <loom_chip_file.h>
#include <loom_file.h>
#include <loom_planner.h>
#include <loom_program_file.h>
#include <loom_run.h>

#define ELEMS	4
#define RUNS	3

/* A graph is finished once, and states are named there: output and input of equal shapes. */
static int build(struct loom_graph **graph, struct loom_error *err)
{
	static const struct loom_state_binding state = { .output = "sum", .input = "before" };
	static const struct loom_graph_options options = { .states = &state, .num_states = 1 };
	const char *const inputs[] = { "x", "before" }, *const outputs[] = { "sum" };
	const struct loom_node_desc add = {
		.op_type = "Add",
		.inputs = inputs,
		.num_inputs = 2,
		.outputs = outputs,
		.num_outputs = 1,
	};
	struct loom_tensor_info input = {
		.dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { ELEMS },
	};
	int ret = loom_graph_create("running sum", 17, graph), i;

	if (ret) {
		snprintf(err->text, sizeof(err->text), "graph: %s", strerror(-ret));
		return ret;
	}
	for (i = 0; i < 2; i++) {
		input.name = inputs[i];
		loom_graph_add_input(*graph, &input);
	}
	loom_graph_add_node(*graph, &add);
	loom_graph_add_output(*graph, "sum");
	return loom_graph_finish(*graph, &options, err);
}

/* A reader of the file learns its purpose from its origin. */
static int save(const char *path, const struct loom_program *program,
		const struct drm_loom_chip *chip, struct loom_error *err)
{
	const struct loom_program_origin origin = { .chip = chip };
	size_t size_bytes;
	void *bytes;
	int ret = loom_program_write(program, &origin, &bytes, &size_bytes, err);

	if (ret)
		return ret;
	ret = loom_file_save(path, bytes, size_bytes, err);
	free(bytes);
	return ret;
}

static int plan(const char *path, const struct drm_loom_chip *chip, struct loom_error *err)
{
	struct loom_planner_options options = { .chip = chip };
	struct loom_program *program = NULL;
	struct loom_graph *graph = NULL;
	int ret = build(&graph, err);

	if (!ret)
		ret = loom_program_create(graph, &options, &program, err);
	if (!ret)
		ret = save(path, program, chip, err);
	loom_program_destroy(program);
	loom_graph_destroy(graph);
	return ret;
}

/* The inputs of a program are all of its graph's: which of them are states, it says itself. */
static int find_input(const struct loom_program *program, const char *name, uint32_t *index)
{
	for (*index = 0; *index < program->num_inputs; ++*index)
		if (!strcmp(program->inputs[*index].name, name))
			return 0;
	return -ENOENT;
}

/* Only x is given: the last sum stays in place, and is read by the next run. */
static int run(struct loom_session *session, uint32_t input, struct loom_error *err)
{
	float x[ELEMS] = { 1, 2, 3, 4 };
	struct loom_array in = {
		.dtype = DRM_LOOM_DTYPE_F32, .rank = 1, .dims = { ELEMS },
		.data = x, .size_bytes = sizeof(x),
	};
	struct loom_array sum;
	int ret, i;

	ret = loom_session_set_input(session, input, &in, err);
	if (!ret)
		ret = loom_session_run(session, NULL, NULL, err);
	if (!ret)
		ret = loom_session_get_output(session, 0, &sum, err);
	if (ret)
		return ret;
	for (i = 0; i < ELEMS; i++)
		printf("%g%c", loom_array_element(&sum, i), i == ELEMS - 1 ? '\n' : ' ');
	loom_array_clear(&sum);
	return 0;
}

static int open_and_run(const char *path, struct loom_error *err)
{
	const struct loom_program *program = NULL;
	struct loom_program_file *file = NULL;
	struct loom_session *session = NULL;
	struct loom_target *target = NULL;
	uint32_t input = 0;
	int ret, i;

	ret = loom_program_load(path, &file, err);
	if (!ret) {
		program = loom_program_file_program(file);
		ret = loom_target_open("host", loom_program_file_origin(file)->chip, &target, err);
	}
	if (!ret)
		ret = loom_session_create(target, program, &session, err);
	if (!ret) {
		ret = find_input(program, "x", &input);
		if (ret)
			snprintf(err->text, sizeof(err->text), "%s: it has no input 'x'", path);
	}
	for (i = 0; i < RUNS && !ret; i++)
		ret = run(session, input, err);
	/* another stream: all states are zero again */
	if (!ret) {
		ret = loom_session_reset_states(session);
		if (ret)
			snprintf(err->text, sizeof(err->text), "states: %s", strerror(-ret));
	}
	if (!ret)
		ret = run(session, input, err);
	/* in reverse order of creation */
	loom_session_destroy(session);
	loom_target_close(target);
	loom_program_unload(file);
	return ret;
}

int main(int argc, char **argv)
{
	struct loom_error err = { 0 };
	struct drm_loom_chip chip;
	int ret;

	if (argc < 2) {
		fprintf(stderr, "states FILE.loom [CHIP]\n");
		return 1;
	}
	ret = loom_chip_load(argc > 2 ? argv[2] : "soft", &chip, &err);
	if (!ret)
		ret = plan(argv[1], &chip, &err);
	if (!ret)
		ret = open_and_run(argv[1], &err);
	if (ret)
		fprintf(stderr, "states: %s\n", err.text);
	return ret ? 1 : 0;
}
