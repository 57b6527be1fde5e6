// SPDX-License-Identifier: MIT
#include "inputs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void tool_inputs_init(struct tool_inputs *inputs)
{
	*inputs = (struct tool_inputs) {
		.items = 1,
		.picture = {
			.scale = 1.0f / 255.0f,
			.mean = { 0.5f, 0.5f, 0.5f, 0.5f },
			.std = { 0.5f, 0.5f, 0.5f, 0.5f },
		},
	};
}

int tool_inputs_add(struct tool_inputs *inputs, const char *typed)
{
	const char **grown = realloc(inputs->typed, (inputs->num_typed + 1) * sizeof(*grown));

	if (!grown)
		return tool_fail("no memory");
	grown[inputs->num_typed++] = typed;
	inputs->typed = grown;
	return 0;
}

/* ---------------------------------------------------------------- options for pictures */

/* One number for all channels, or one for each. */
static int tool_inputs_parse_floats(const struct tool_command *command, const char *option,
				    const char *text, float *floats)
{
	uint32_t count = 0, i;
	const char *at = text;
	char *end;

	for (;;) {
		floats[count] = strtof(at, &end);
		if (end == at || !isfinite(floats[count]))
			break;
		count++;
		if (!*end && count == 1)
			for (i = 1; i < 4; i++)
				floats[i] = floats[0];
		if (!*end && count == 3)
			floats[3] = floats[2];
		if (!*end && count != 2)
			return 0;
		if (*end != ',' || count == 4)
			break;
		at = end + 1;
	}
	return tool_usage(command, "%s takes one number, or one for each channel, not '%s'", option,
			  text);
}

static int tool_inputs_set_scale(const struct tool_command *command, struct tool_inputs *inputs,
				 const char *text)
{
	float scale;
	char *end;

	scale = strtof(text, &end);
	if (*end == '/' && end != text)
		scale /= strtof(end + 1, &end);
	if (*end || end == text || !isfinite(scale))
		return tool_usage(command, "--scale takes a number or a fraction, not '%s'", text);
	inputs->picture.scale = scale;
	return 0;
}

static int tool_inputs_set_std(const struct tool_command *command, struct tool_inputs *inputs,
			       const char *text)
{
	int ret = tool_inputs_parse_floats(command, "--std", text, inputs->picture.std);
	int i;

	for (i = 0; !ret && i < 4; i++)
		if (inputs->picture.std[i] == 0)
			return tool_usage(command, "--std cannot be zero");
	return ret;
}

static int tool_inputs_choose(const struct tool_command *command, const char *option,
			      const char *text, const char *a, const char *b, const char **choice)
{
	if (strcmp(text, a) && strcmp(text, b))
		return tool_usage(command, "%s takes %s or %s, not '%s'", option, a, b, text);
	*choice = text;
	return 0;
}

int tool_inputs_set(const struct tool_command *command, struct tool_inputs *inputs,
		    enum tool_inputs_option option, const char *value)
{
	struct tool_input_options *picture = &inputs->picture;

	switch (option) {
	case TOOL_INPUTS_SCALE:
		return tool_inputs_set_scale(command, inputs, value);
	case TOOL_INPUTS_MEAN:
		return tool_inputs_parse_floats(command, "--mean", value, picture->mean);
	case TOOL_INPUTS_STD:
		return tool_inputs_set_std(command, inputs, value);
	case TOOL_INPUTS_ORDER:
		return tool_inputs_choose(command, "--order", value, "rgb", "bgr",
					  &picture->order);
	case TOOL_INPUTS_FIT:
		return tool_inputs_choose(command, "--fit", value, "pad", "stretch",
					  &picture->fit);
	}
	return tool_usage(command, "unknown option");
}

/* ---------------------------------------------------------------- which file is which input */

/* Error for "NAME=FILE" that is no file, without an input NAME. */
static int tool_inputs_no_name(const struct tool_model *model, const char *typed)
{
	const char *names[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	int length = tool_name_length(typed);
	char text[TOOL_TEXT] = "";
	bool has_shape;
	size_t at = 0;
	uint32_t i;

	if (!length || !access(typed, F_OK))
		return 0;
	for (i = 0; !tool_model_declared(model, i, &info, names, &has_shape); i++)
		at = tool_name_add(text, at, info.name);
	return tool_fail("%s: there is no input '%.*s', but %s", model->path, length, typed, text);
}

/* "NAME=FILE" if there is an input NAME; otherwise a file for the next input without one. */
static int tool_inputs_find(const struct tool_inputs *inputs, const struct tool_model *model,
			    const char *typed, const char **path)
{
	const char *names[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	bool has_shape;
	uint32_t i;

	for (i = 0; i < inputs->num_arrays; i++) {
		if (tool_model_declared(model, i, &info, names, &has_shape))
			break;
		if (!strncmp(typed, info.name, strlen(info.name)) &&
		    typed[strlen(info.name)] == '=') {
			*path = typed + strlen(info.name) + 1;
			return i;
		}
	}
	*path = typed;
	for (i = 0; !tool_model_declared(model, i, &info, names, &has_shape); i++)
		if (!inputs->arrays[i].data && !tool_input_is_fixed(model, info.name))
			return i;
	return -ENOENT;
}

/* A state has one item, its initial value. */
static uint32_t tool_inputs_items(const struct tool_inputs *inputs, const struct tool_model *model,
				  uint32_t index)
{
	const char *names[LOOM_GRAPH_RANK];
	struct loom_tensor_info info;
	bool has_shape;

	if (tool_model_declared(model, index, &info, names, &has_shape))
		return 1;
	return tool_model_is_state(model, info.name) ? 1 : inputs->items;
}

static int tool_inputs_load_one(struct tool_inputs *inputs, const struct tool_model *model,
				const char *typed)
{
	const char *path;
	int index;

	index = tool_inputs_find(inputs, model, typed, &path);
	if (path == typed && tool_inputs_no_name(model, typed))
		return TOOL_FAILED;
	if (index < 0)
		return tool_fail("%s: takes %u input%s, '%s' is one too many", model->path,
				 inputs->num_arrays, inputs->num_arrays == 1 ? "" : "s", typed);
	if (inputs->arrays[index].data)
		return tool_fail("input '%s' is given twice", inputs->arrays[index].name);
	return tool_input_load(model, index, path, tool_inputs_items(inputs, model, index),
			       &inputs->picture, &inputs->arrays[index]);
}

/* Moves the inputs that were given to the front; from here on they are found by name. */
static int tool_inputs_bind(struct tool_inputs *inputs, struct tool_model *model)
{
	int64_t dims[LOOM_GRAPH_RANK];
	uint32_t i, rank, count = 0;
	int ret = 0;

	for (i = 0; i < inputs->num_arrays; i++) {
		struct loom_array array = inputs->arrays[i];

		if (!array.data)
			continue;
		memset(&inputs->arrays[i], 0, sizeof(inputs->arrays[i]));
		inputs->arrays[count++] = array;
		rank = tool_input_item(model, i, tool_inputs_items(inputs, model, i), &array,
				       dims);
		if (!ret)
			ret = tool_model_add_shape(model, array.name, rank, dims);
	}
	inputs->num_arrays = count;
	model->values = inputs->arrays;
	model->num_values = count;
	return ret;
}

int tool_inputs_load(struct tool_inputs *inputs, struct tool_model *model)
{
	uint32_t i;
	int ret;

	inputs->num_arrays = tool_model_num_declared(model);
	inputs->arrays = calloc(inputs->num_arrays + 1, sizeof(*inputs->arrays));
	if (!inputs->arrays) {
		inputs->num_arrays = 0;
		return tool_fail("no memory");
	}
	for (i = 0; i < inputs->num_typed; i++) {
		ret = tool_inputs_load_one(inputs, model, inputs->typed[i]);
		if (ret)
			return ret;
	}
	return tool_inputs_bind(inputs, model);
}

const struct loom_array *tool_inputs_given(const struct tool_inputs *inputs,
					   const struct tool_model *model,
					   const struct loom_tensor_info *info)
{
	static const struct loom_array none;
	char dims[TOOL_TEXT];
	uint32_t i;

	for (i = 0; i < inputs->num_arrays; i++)
		if (!strcmp(inputs->arrays[i].name, info->name))
			return &inputs->arrays[i];
	if (tool_model_is_state(model, info->name))
		return &none;
	tool_fail("input '%s' %s %s was not given: --input %s=FILE", info->name,
		  loom_dtype_name(info->dtype), tool_dims(dims, info->rank, info->dims),
		  info->name);
	return NULL;
}

void tool_inputs_clear(struct tool_inputs *inputs)
{
	uint32_t i;

	for (i = 0; i < inputs->num_arrays; i++)
		loom_array_clear(&inputs->arrays[i]);
	free(inputs->arrays);
	free(inputs->typed);
}
