// SPDX-License-Identifier: MIT
#include "../inputs.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "loom_program_file.h"

#define VIEW_PLANS	2

/* @count records of @size bytes; NULL for none, or if *@failed was set for want of memory */
static void *view_copy_array(const void *from, uint32_t count, size_t size, bool *failed)
{
	void *to = count ? malloc(count * size) : NULL;

	if (to)
		memcpy(to, from, count * size);
	else if (count)
		*failed = true;
	return to;
}

/* The same options for another model. */
static int view_copy(struct tool_model *to, const struct tool_model *from)
{
	bool failed = false;

	*to = *from;
	to->dims = view_copy_array(from->dims, from->num_dims, sizeof(*to->dims), &failed);
	to->shapes = view_copy_array(from->shapes, from->num_shapes, sizeof(*to->shapes), &failed);
	to->fixed = view_copy_array(from->fixed, from->num_fixed, sizeof(*to->fixed), &failed);
	to->states = view_copy_array(from->states, from->num_states, sizeof(*to->states), &failed);
	to->images = view_copy_array(from->images, from->num_images, sizeof(*to->images), &failed);
	if (from->preset)
		to->preset = &to->chip;
	return failed ? tool_fail("no memory") : 0;
}

static int view_plan(struct tool_model *model, struct tool_inputs *inputs)
{
	int ret;

	if (loom_program_file_is(model->path)) {
		/* options of another model do not apply to a file */
		const char *path = model->path;

		tool_model_clear(model);
		*model = (struct tool_model){ .path = path };
		ret = tool_program_open(model);
		model->planner.chip = &model->chip;
		return ret;
	}
	ret = model->preset ? 0 : tool_model_default_chip(model);
	model->planner.chip = &model->chip;
	if (!ret)
		ret = tool_model_open(model);
	if (!ret)
		ret = tool_inputs_load(inputs, model);
	if (!ret)
		ret = tool_model_finish(model);
	return ret ? ret : tool_model_plan(model);
}

/* Options that say how to plan are for models. */
static int view_check(const struct tool_model *models, uint32_t count)
{
	uint32_t i;

	if (!models->option)
		return 0;
	for (i = 0; i < count; i++)
		if (!loom_program_file_is(models[i].path))
			return 0;
	return tool_usage(&tool_view, "--%s says how to plan, and %s is planned already",
			  models->option, models->path);
}

/* Options that are not the model's own, but for models only. */
static void view_explain(struct tool_model *model)
{
	model->planner.flags |= LOOM_PLANNER_EXPLAIN;
	if (!model->option)
		model->option = "explain";
}

static int view_input(struct tool_model *model, struct tool_inputs *inputs, const char *typed)
{
	uint32_t i;
	int ret = 0;

	if (!model->option)
		model->option = "input";
	for (i = 0; !ret && i < VIEW_PLANS; i++)
		ret = tool_inputs_add(&inputs[i], typed);
	return ret;
}

static int view_parse(int argc, char **argv, struct tool_model *models, struct tool_inputs *inputs,
		      uint32_t *count, const char **output, bool *json)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "explain", no_argument, NULL, 'e' },
		{ NULL, 0, NULL, 0 },
	};
	int option, ret = 0;

	opterr = 0;
	while (!ret && (option = tool_model_getopt(&tool_view, argc, argv, "i:o:", longs)) != -1) {
		if (option == '?')
			return tool_bad_option(&tool_view, argv);
		if (option == 'i')
			ret = view_input(models, inputs, optarg);
		else if (option == 'o')
			*output = optarg;
		else if (option == 'e')
			view_explain(models);
		else if (option == 'j')
			*json = true;
		else
			ret = tool_model_option(&tool_view, models, option, optarg);
	}
	if (ret)
		return ret;
	if (optind + 1 != argc && optind + VIEW_PLANS != argc)
		return tool_usage(&tool_view, "takes one model or program file, or two");
	if (!*output)
		return tool_usage(&tool_view, "--output FILE says where the page goes");
	if (*json && !strcmp(*output, "-"))
		return tool_usage(&tool_view, "only one thing can go to standard output");
	models->path = argv[optind];
	*count = argc - optind;
	if (*count == 1)
		return 0;
	ret = view_copy(&models[1], models);
	models[1].path = argv[optind + 1];
	return ret;
}

static int view_run(int argc, char **argv)
{
	struct tool_model models[VIEW_PLANS] = { 0 };
	struct tool_inputs inputs[VIEW_PLANS];
	const char *output = NULL;
	uint32_t i, count = 1;
	bool json = false;
	int ret;

	for (i = 0; i < VIEW_PLANS; i++)
		tool_inputs_init(&inputs[i]);
	ret = view_parse(argc, argv, models, inputs, &count, &output, &json);
	if (!ret)
		ret = view_check(models, count);
	if (!ret)
		ret = tool_output_check(output);
	for (i = 0; !ret && i < count; i++)
		ret = view_plan(&models[i], &inputs[i]);
	if (!ret)
		ret = tool_view_page(models, count, output, json);
	for (i = 0; i < VIEW_PLANS; i++) {
		tool_model_clear(&models[i]);
		tool_inputs_clear(&inputs[i]);
	}
	return ret;
}

const struct tool_command tool_view = {
	.name = "view",
	.usage = "MODEL|FILE [MODEL|FILE] --output PAGE [OPTION...]",
	.text = "write a page to explore a plan in a browser, or to compare two",
	.help =
		TOOL_MODEL_HELP
		TOOL_INPUTS_PLAN_HELP
		"  -o, --output PAGE    the page: one self-contained HTML file\n"
		"  --json               print name and size of the page as JSON\n"
		"  --explain            add the reason of each cut between groups\n",
	.examples =
		"  loom view net.onnx -o net.html\n"
		"  loom view small.loom large.loom -o both.html\n",
	.run = view_run,
};
