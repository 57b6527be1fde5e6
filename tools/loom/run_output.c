// SPDX-License-Identifier: MIT
/* Outputs of a run: --output, the folders, a text; and its time. */
#include "run.h"

#include <string.h>

/* Index of the output that is meant, or -1; *@next is the next one that has no file. */
static int tool_run_find_output(const struct tool_run *run, const char *typed, uint32_t *next,
				const char **path)
{
	struct loom_tensor_info info;
	size_t length;
	uint32_t i;

	for (i = 0; !tool_model_output(&run->model, i, &info); i++) {
		length = strlen(info.name);
		if (!strncmp(typed, info.name, length) && typed[length] == '=') {
			*path = typed + length + 1;
			return i;
		}
	}
	*path = typed;
	if (tool_name_length(typed) || *next == i)
		return -1;
	return (*next)++;
}

/* Error for a name that is no output. */
static int tool_run_no_output(const struct tool_run *run, const char *typed)
{
	struct loom_tensor_info info;
	char text[TOOL_TEXT] = "";
	size_t at = 0;
	uint32_t i;

	for (i = 0; !tool_model_output(&run->model, i, &info); i++)
		at = tool_name_add(text, at, info.name);
	if (tool_name_length(typed))
		return tool_fail("%s: there is no output '%.*s', but %s", run->model.path,
				 tool_name_length(typed), typed, text);
	return tool_fail("--output %s: there are %u outputs only", typed, i);
}

int tool_run_check_outputs(const struct tool_run *run)
{
	const char *path;
	uint32_t i, next = 0;
	int ret = 0;

	for (i = 0; i < run->num_outputs && !ret; i++) {
		if (tool_run_find_output(run, run->outputs[i], &next, &path) < 0)
			return tool_run_no_output(run, run->outputs[i]);
		ret = tool_output_check(path);
	}
	if (!ret)
		ret = tool_output_check_dir(run->save_inputs);
	if (!ret)
		ret = tool_output_check_dir(run->save_outputs);
	if (!ret)
		ret = tool_output_check_dir(run->observe);
	return ret ? ret : tool_output_check_dir(run->reports);
}

int tool_run_save_outputs(const struct tool_run *run)
{
	const char *path;
	uint32_t i, next = 0;
	int index;

	for (i = 0; i < run->num_outputs; i++) {
		index = tool_run_find_output(run, run->outputs[i], &next, &path);
		if (index < 0 || (uint32_t)index >= run->num_results)
			return tool_run_no_output(run, run->outputs[i]);
		if (tool_output_save(&run->results[index], path))
			return TOOL_FAILED;
	}
	return 0;
}

static int tool_run_save_observed(const struct tool_run *run)
{
	const struct loom_program *program = run->model.program;
	struct loom_array array;
	struct loom_error err;
	uint32_t i;
	int ret;

	for (i = 0; i < program->num_observed + program->num_outputs; i++) {
		if (i < program->num_observed)
			ret = loom_session_get_observed(run->session, i, &array, &err);
		else
			ret = loom_session_get_output(run->session, i - program->num_observed,
						      &array, &err);
		if (ret)
			return tool_fail("%s: %s", run->model.path, err.text);
		ret = tool_output_save_in(run->observe, &array);
		loom_array_clear(&array);
		if (ret)
			return ret;
	}
	return 0;
}

/* A text, or classes. */
static int tool_run_read(struct tool_run *run)
{
	if (!run->num_results)
		return tool_fail("%s: the model has no output", run->top ? "--top" : "--labels");
	if (run->top)
		return tool_top_find(&run->results[0], run->top, run->labels, &run->classes);
	return tool_labels_decode(run->labels, &run->results[0], &run->text);
}

double tool_run_seconds(const struct drm_loom_chip *chip, uint64_t cycles)
{
	return chip->frequency_hz ? (double)cycles / chip->frequency_hz : 0;
}

int tool_run_save(struct tool_run *run)
{
	int ret = tool_run_save_outputs(run);

	if (!ret)
		ret = tool_output_save_all(run->save_outputs, run->results, run->num_results);
	if (!ret && run->observe)
		ret = tool_run_save_observed(run);
	if (!ret && (run->labels || run->top))
		ret = tool_run_read(run);
	return ret;
}

int tool_run_repeat(struct tool_run *run, int (*once)(void *arg, struct tool_progress *progress),
		    void *arg)
{
	struct tool_progress progress;
	int64_t start, took;
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < run->repeat; i++) {
		tool_progress_begin(&progress, "loom: running", run->progress);
		start = tool_now_ns();
		ret = once(arg, &progress);
		took = tool_now_ns() - start;
		tool_progress_end(&progress);
		if (!i || took < run->best_ns)
			run->best_ns = took;
	}
	return ret;
}
