// SPDX-License-Identifier: MIT
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "loom_program_file.h"
#include "loom_run.h"

/* The chip of a device, where --device was given. */
static int tool_compile_chip(struct tool_model *model, const char *device)
{
	struct loom_target *target;
	struct loom_error err;

	if (!device)
		return model->preset ? 0 : tool_model_default_chip(model);
	if (loom_target_open(device, NULL, &target, &err))
		return tool_fail("%s", err.text);
	model->chip = *loom_target_chip(target);
	loom_target_close(target);
	return 0;
}

static void tool_compile_json(const struct tool_model *model, const char *output,
			      size_t size_bytes)
{
	struct json json;

	json_begin(&json, stdout);
	tool_model_json(model, TOOL_STAGE_PLAN, &json);
	tool_model_json_start(model, &json);
	json_string(&json, "file", output);
	json_u64(&json, "file_bytes", size_bytes);
	json_end(&json);
}

static int tool_compile_save(const struct tool_model *model, const char *output, bool json)
{
	const struct loom_program_origin origin = {
		.chip = model->planner.chip, .objective = model->planner.objective,
	};
	struct loom_error err;
	char text[TOOL_TEXT];
	size_t size_bytes;
	void *bytes;
	int ret;

	if (loom_program_write(model->program, &origin, &bytes, &size_bytes, &err))
		return tool_fail("%s: %s", model->path, err.text);
	ret = tool_save(output, bytes, size_bytes);
	free(bytes);
	if (ret || !strcmp(output, "-"))
		return ret;
	if (json) {
		tool_compile_json(model, output, size_bytes);
		return 0;
	}
	tool_model_print(model, TOOL_STAGE_PLAN);
	tool_model_print_start(model);
	printf("wrote      %s: %s\n", output, tool_bytes(text, size_bytes));
	return 0;
}

static int tool_compile_model(struct tool_model *model, struct tool_inputs *inputs,
			      const char *output, const char *device, bool json)
{
	int ret = tool_output_check(output);

	if (!ret)
		ret = tool_compile_chip(model, device);
	model->planner.chip = &model->chip;
	if (!ret)
		ret = tool_model_open(model);
	if (!ret)
		ret = tool_inputs_load(inputs, model);
	if (!ret)
		ret = tool_model_finish(model);
	if (!ret)
		ret = tool_model_plan(model);
	return ret ? ret : tool_compile_save(model, output, json);
}

static int tool_compile_parse(int argc, char **argv, struct tool_model *model,
			      struct tool_inputs *inputs, const char **output,
			      const char **device, bool *json)
{
	static const struct option longs[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "device", required_argument, NULL, 'd' },
		{ "observe-all", no_argument, NULL, 'a' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	int option, ret = 0;

	opterr = 0;
	while (!ret &&
	       (option = tool_model_getopt(&tool_compile, argc, argv, "i:o:", longs)) != -1) {
		if (option == '?')
			return tool_bad_option(&tool_compile, argv);
		if (option == 'i')
			ret = tool_inputs_add(inputs, optarg);
		else if (option == 'o')
			*output = optarg;
		else if (option == 'd')
			*device = optarg;
		else if (option == 'a')
			model->planner.flags |= LOOM_PLANNER_OBSERVE_ALL;
		else if (option == 'j')
			*json = true;
		else
			ret = tool_model_option(&tool_compile, model, option, optarg);
	}
	if (ret)
		return ret;
	if (optind + 1 != argc)
		return tool_usage(&tool_compile, "takes one model");
	if (!*output)
		return tool_usage(&tool_compile, "--output FILE says where the program goes");
	if (*device && model->preset)
		return tool_usage(&tool_compile, "--chip and --device are two answers");
	model->path = argv[optind];
	return 0;
}

static int tool_compile_run(int argc, char **argv)
{
	const char *output = NULL, *device = NULL;
	struct tool_model model = { 0 };
	struct tool_inputs inputs;
	bool json = false;
	int ret;

	tool_inputs_init(&inputs);
	ret = tool_compile_parse(argc, argv, &model, &inputs, &output, &device, &json);
	if (!ret)
		ret = tool_compile_model(&model, &inputs, output, device, json);
	tool_model_clear(&model);
	tool_inputs_clear(&inputs);
	return ret;
}

const struct tool_command tool_compile = {
	.name = "compile",
	.usage = "MODEL --output FILE [OPTION...]",
	.text = "plan a model and write a program file, which loom run takes",
	.help =
		TOOL_MODEL_HELP
		TOOL_INPUTS_PLAN_HELP
		"  -o, --output FILE    the program file, which loom run takes in place of the model\n"
		"  --device WHERE       plan for the chip of this device: soft, or a node's path\n"
		"  --observe-all        keep every computed tensor, for loom run --observe-all\n"
		"  --json               print the summary as JSON\n",
	.examples =
		"  loom compile net.onnx -o net.loom\n"
		"  loom compile net.onnx --device /dev/accel/accel0 -o net.loom\n",
	.run = tool_compile_run,
};
