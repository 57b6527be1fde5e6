// SPDX-License-Identifier: MIT
/* A planned model from a program file, in place of a graph. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "loom_program_file.h"

/* States by name, as --state gives them. */
static int tool_program_states(struct tool_model *model)
{
	const struct loom_program *program = model->program;
	uint32_t i;

	model->states = calloc((size_t)program->num_states + 1, sizeof(*model->states));
	if (!model->states)
		return tool_fail("no memory");
	model->num_states = program->num_states;
	for (i = 0; i < program->num_states; i++)
		model->states[i] = (struct loom_state_binding){
			program->outputs[program->states[i].output].name,
			program->inputs[program->states[i].input].name,
		};
	return 0;
}

int tool_program_parse(const struct tool_command *command, struct tool_model *model,
		       const char *value)
{
	int64_t number;

	if (tool_parse_number(value, false, &number))
		return tool_usage(command, "--program takes a number from 0 on, not '%s'", value);
	model->which = number;
	return 0;
}

int tool_program_open(struct tool_model *model)
{
	const struct loom_program_tensor *input;
	int64_t start = tool_now_ns();
	struct loom_error err;
	uint32_t i;
	int ret = 0;

	if (loom_program_load(model->path, &model->file, &err))
		return tool_fail("%s", err.text);
	model->load_ns = tool_now_ns() - start;
	if (model->which >= loom_program_file_count(model->file))
		return tool_fail("%s: there is no program %llu: it has %u, counted from 0",
				 model->path, (unsigned long long)model->which,
				 loom_program_file_count(model->file));
	model->program = loom_program_file_at(model->file, model->which);
	/* chip of a run on the host */
	model->chip = *loom_program_file_origin(model->file)->chip;
	model->preset = &model->chip;
	model->planner.objective = loom_program_file_origin(model->file)->objective;
	/* open dimensions are bound, as if by --shape */
	for (i = 0; !ret && i < model->program->num_inputs; i++) {
		input = &model->program->inputs[i];
		ret = tool_model_add_shape(model, input->name, input->rank, input->dims);
	}
	return ret ? ret : tool_program_states(model);
}

int tool_program_fits(const struct tool_model *model, const struct drm_loom_chip *chip)
{
	struct loom_error err;

	if (loom_program_file_fits(model->file, chip, &err))
		return tool_fail("%s: %s", model->path, err.text);
	return 0;
}

/* ---------------------------------------------------------------- inputs and outputs of either */

static int tool_program_info(const struct loom_program_tensor *tensors, uint32_t count,
			     uint32_t index, struct loom_tensor_info *info)
{
	if (index >= count)
		return -1;
	*info = (struct loom_tensor_info){
		.name = tensors[index].name, .dtype = tensors[index].dtype,
		.rank = tensors[index].rank, .size_bytes = tensors[index].size_bytes,
	};
	memcpy(info->dims, tensors[index].dims, sizeof(info->dims));
	return 0;
}

int tool_model_input(const struct tool_model *model, uint32_t index, struct loom_tensor_info *info)
{
	if (!model->file)
		return loom_graph_input(model->graph, index, info);
	return tool_program_info(model->program->inputs, model->program->num_inputs, index, info);
}

int tool_model_output(const struct tool_model *model, uint32_t index,
		      struct loom_tensor_info *info)
{
	if (!model->file)
		return loom_graph_output(model->graph, index, info);
	return tool_program_info(model->program->outputs, model->program->num_outputs, index,
				 info);
}

uint32_t tool_model_num_inputs(const struct tool_model *model)
{
	return model->file ? model->program->num_inputs : loom_graph_num_inputs(model->graph);
}

uint32_t tool_model_num_outputs(const struct tool_model *model)
{
	return model->file ? model->program->num_outputs : loom_graph_num_outputs(model->graph);
}

uint32_t tool_model_num_declared(const struct tool_model *model)
{
	return model->file ? model->program->num_inputs : loom_graph_num_declared(model->graph);
}

int tool_model_declared(const struct tool_model *model, uint32_t index,
			struct loom_tensor_info *info, const char **dim_names, bool *has_shape)
{
	uint32_t i;

	if (!model->file)
		return loom_graph_declared(model->graph, index, info, dim_names, has_shape);
	for (i = 0; i < LOOM_GRAPH_RANK; i++)
		dim_names[i] = NULL;
	*has_shape = true;
	if (tool_model_input(model, index, info))
		return -1;
	for (i = 0; i < info->rank; i++)
		if (model->program->inputs[index].open_dims & 1u << i)
			info->dims[i] = -1;
	return 0;
}
