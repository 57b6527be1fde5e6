// SPDX-License-Identifier: MIT
/*
 * Runs a model, or a program file, and prints what comes out.
 *
 *	run_model MODEL.onnx|PROGRAM.loom [host|auto|/dev/accel/accelN] [INPUT.npy...]
 *
 * Inputs that are not given are filled with numbers that are the same on every machine.
 */
#include <stdio.h>
#include <string.h>

#include <loom.h>
#include <loom_chip_file.h>
#include <loom_file.h>
#include <loom_planner.h>
#include <loom_program_file.h>
#include <loom_run.h>

/* All objects to release in the end. NULL if they were not made, which is fine to release. */
struct app {
	struct loom_target *target;
	struct loom_graph *graph;
	struct loom_program *planned;
	struct loom_program_file *file;
	struct loom_session *session;
};

/* A file has its plan in it, for the chip that it was compiled for; a model is planned now. */
static int get_program(struct app *app, const char *path, const char *where,
		       const struct loom_program **program, struct loom_error *err)
{
	struct loom_planner_options options = { 0 };
	const struct drm_loom_chip *chip = NULL;
	int ret;

	if (loom_program_file_is(path)) {
		ret = loom_program_load(path, &app->file, err);
		if (ret)
			return ret;
		*program = loom_program_file_program(app->file);
		chip = loom_program_file_origin(app->file)->chip;
	}
	ret = loom_target_open(where, chip, &app->target, err);
	if (ret)
		return ret;
	if (app->file)
		return loom_program_file_fits(app->file, loom_target_chip(app->target), err);

	ret = loom_graph_import_onnx(path, NULL, &app->graph, err);
	if (ret)
		return ret;
	options.chip = loom_target_chip(app->target);
	ret = loom_program_create(app->graph, &options, &app->planned, err);
	*program = app->planned;
	return ret;
}

static int set_input(struct app *app, const struct loom_program_tensor *input, uint32_t index,
		     const char *path, struct loom_error *err)
{
	struct loom_array array = { 0 };
	int ret;

	if (path) {
		ret = loom_npy_load(path, &array, err);
	} else {
		ret = loom_array_alloc(&array, input->dtype, input->rank, input->dims);
		if (ret)
			snprintf(err->text, sizeof(err->text), "%s: %s", input->name,
				 strerror(-ret));
		else
			loom_array_randomize(&array, 1);
	}
	if (!ret)
		ret = loom_session_set_input(app->session, index, &array, err);
	loom_array_clear(&array);
	return ret;
}

static int print_output(struct app *app, uint32_t index, struct loom_error *err)
{
	struct loom_array_figures figures;
	struct loom_array array;
	int ret = loom_session_get_output(app->session, index, &array, err);

	if (ret)
		return ret;
	loom_array_figures(&array, &figures);
	printf("%s: %s, %zu bytes, min %g, max %g, mean %g\n", array.name,
	       loom_dtype_name(array.dtype), array.size_bytes, figures.min, figures.max,
	       figures.mean);
	loom_array_clear(&array);
	return 0;
}

static int run(struct app *app, int argc, char **argv, struct loom_error *err)
{
	const struct loom_program *program = NULL;
	uint32_t i;
	int ret;

	ret = get_program(app, argv[1], argc > 2 ? argv[2] : "auto", &program, err);
	if (ret)
		return ret;
	ret = loom_session_create(app->target, program, &app->session, err);
	for (i = 0; !ret && i < program->num_inputs; i++)
		ret = set_input(app, &program->inputs[i], i,
				i + 3 < (uint32_t)argc ? argv[i + 3] : NULL, err);
	if (!ret)
		ret = loom_session_run(app->session, NULL, NULL, err);
	for (i = 0; !ret && i < program->num_outputs; i++)
		ret = print_output(app, i, err);
	return ret;
}

int main(int argc, char **argv)
{
	struct loom_error err = { 0 };
	struct app app = { 0 };
	int ret;

	if (argc < 2) {
		fprintf(stderr, "usage: run_model MODEL|PROGRAM.loom [TARGET] [INPUT.npy...]\n");
		return 2;
	}
	ret = run(&app, argc, argv, &err);
	if (ret)
		fprintf(stderr, "run_model: %s\n", err.text);
	/* last made, first released: a session needs its program, a program its graph */
	loom_session_destroy(app.session);
	loom_program_unload(app.file);
	loom_program_destroy(app.planned);
	loom_graph_destroy(app.graph);
	loom_target_close(app.target);
	return ret != 0;
}
