// SPDX-License-Identifier: MIT
/* Where the outputs of a run go: --output and the folders. */
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

/* Says that there is no output for what was typed. */
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
