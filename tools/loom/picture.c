// SPDX-License-Identifier: MIT
#include "tool.h"

#include <stdlib.h>
#include <string.h>

/* The picture of a plan, and which of its steps are drawn; its trace. */

int tool_picture_parse_steps(const char *text, struct loom_program_svg_options *options)
{
	unsigned long long first, last;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	first = strtoull(text, &end, 10);
	if (*end != '-' || end[1] < '0' || end[1] > '9')
		return -1;
	last = strtoull(end + 1, &end, 10);
	if (*end || last < first || last >= UINT32_MAX)
		return -1;
	options->first_step = first;
	options->num_steps = last - first + 1;
	return 0;
}

static void tool_picture_title(const struct tool_model *model, char *title, size_t size_bytes)
{
	const char *slash = strrchr(model->path, '/');

	snprintf(title, size_bytes, "%s, %s", slash ? slash + 1 : model->path,
		 model->planner.grouping);
}

int tool_picture_save(const struct tool_model *model, const char *path,
		      const struct loom_program_svg_options *steps)
{
	struct loom_program_svg_options options = *steps;
	size_t size_bytes;
	char title[256], *text;
	int ret;

	tool_picture_title(model, title, sizeof(title));
	options.title = title;
	if (options.first_step >= model->program->stats.steps && options.first_step)
		return tool_fail("%s: there is no step %u, the plan has %llu", path,
				 options.first_step,
				 (unsigned long long)model->program->stats.steps);
	ret = loom_program_svg(model->program, model->planner.chip, &options, &text,
			       &size_bytes);
	if (ret)
		return tool_fail("%s: %s", path, strerror(-ret));
	ret = tool_save(path, text, size_bytes);
	free(text);
	return ret;
}

int tool_picture_trace(const struct tool_model *model, const char *path)
{
	size_t size_bytes;
	char title[256], *text;
	int ret;

	tool_picture_title(model, title, sizeof(title));
	ret = loom_program_trace(model->program, model->planner.chip, title, &text, &size_bytes);
	if (ret)
		return tool_fail("%s: %s", path, strerror(-ret));
	ret = tool_save(path, text, size_bytes);
	free(text);
	return ret;
}
