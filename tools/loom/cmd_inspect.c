// SPDX-License-Identifier: MIT
/* loom inspect and loom verify: contents and integrity of a program file. */
#include "tool.h"

#include <string.h>

#include "loom_program_file.h"

/**
 * struct tool_inspect_options - the command line
 * @json: print JSON
 * @tensors: list the tensors of the plan, too
 * @layers: a table of the layers
 * @csv: as CSV, instead of all else
 */
struct tool_inspect_options {
	bool json;
	bool tensors;
	bool layers;
	bool csv;
};

static void tool_inspect_version(char *text, uint32_t library)
{
	snprintf(text, TOOL_TEXT, "%u.%u.%u", library / 1000000, library / 1000 % 1000,
		 library % 1000);
}

static uint64_t tool_inspect_bytes(const struct tool_model *model)
{
	struct loom_program_section section = { 0 };
	uint32_t i;

	for (i = 0; !loom_program_file_section(model->file, i, &section); i++)
		;
	return section.offset + section.size_bytes;
}

static void tool_inspect_print(const struct tool_model *model)
{
	struct loom_program_section section;
	char a[TOOL_TEXT], b[TOOL_TEXT];
	uint32_t i;

	tool_model_print(model, TOOL_STAGE_PLAN);
	if (loom_program_file_count(model->file) > 1)
		printf("program    %llu, counted from 0, of %u\n",
		       (unsigned long long)model->which, loom_program_file_count(model->file));
	tool_inspect_version(b, loom_program_file_origin(model->file)->library);
	printf("file       %s, written by loom %s; objective %s\n",
	       tool_bytes(a, tool_inspect_bytes(model)), b,
	       loom_objective_name(model->planner.objective));
	for (i = 0; !loom_program_file_section(model->file, i, &section); i++) {
		printf("section    %-13s %12llu bytes from %llu", section.name,
		       (unsigned long long)section.size_bytes, (unsigned long long)section.offset);
		if (section.count)
			printf(", %u records", section.count);
		printf("\n");
	}
}

static int tool_inspect_json(const struct tool_model *model,
			     const struct tool_inspect_options *options)
{
	struct loom_program_section section;
	char version[TOOL_TEXT];
	struct json json;
	uint32_t i;
	int ret = 0;

	json_begin(&json, stdout);
	tool_model_json(model, TOOL_STAGE_PLAN, &json);
	json_double(&json, "load_seconds", model->load_ns / 1e9);
	json_u64(&json, "program", model->which);
	json_u64(&json, "programs", loom_program_file_count(model->file));
	json_u64(&json, "file_bytes", tool_inspect_bytes(model));
	tool_inspect_version(version, loom_program_file_origin(model->file)->library);
	json_string(&json, "library", version);
	json_string(&json, "objective", loom_objective_name(model->planner.objective));
	json_u64(&json, "frequency_hz", model->chip.frequency_hz);
	json_open(&json, "sections", '[');
	for (i = 0; !loom_program_file_section(model->file, i, &section); i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "name", section.name);
		json_u64(&json, "offset", section.offset);
		json_u64(&json, "bytes", section.size_bytes);
		json_u64(&json, "records", section.count);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	tool_explain_json_groups(model->program, &json);
	if (options->layers)
		ret = tool_layers_json(model, &json);
	if (!ret && options->tensors)
		ret = tool_tensors_json(model->program, &json);
	json_end(&json);
	return ret;
}

static int tool_inspect_parse(const struct tool_command *command, int argc, char **argv,
			      const struct option *longs, struct tool_model *model,
			      struct tool_inspect_options *options)
{
	int option, ret = 0;

	opterr = 0;
	while (!ret && (option = tool_getopt(command, argc, argv, "", longs)) != -1) {
		if (option == 'j')
			options->json = true;
		else if (option == 't')
			options->tensors = true;
		else if (option == 'L')
			options->layers = true;
		else if (option == 'C')
			options->csv = true;
		else if (option == 'p')
			ret = tool_program_parse(command, model, optarg);
		else
			return tool_bad_option(command, argv);
	}
	if (ret)
		return ret;
	if (options->tensors && !options->json)
		return tool_usage(command, "--tensors is for --json");
	if (options->csv && (!options->layers || options->json))
		return tool_usage(command, "--csv is for --layers, without --json");
	if (optind + 1 != argc)
		return tool_usage(command, "takes one program file");
	model->path = argv[optind];
	return 0;
}

static int tool_inspect_show(const struct tool_model *model,
			     const struct tool_inspect_options *options)
{
	if (options->json)
		return tool_inspect_json(model, options);
	if (!options->csv)
		tool_inspect_print(model);
	return options->layers ? tool_layers_print(model, options->csv) : 0;
}

static int tool_inspect_run(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "tensors", no_argument, NULL, 't' },
		{ "layers", no_argument, NULL, 'L' },
		{ "csv", no_argument, NULL, 'C' },
		{ "program", required_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	struct tool_inspect_options options = { 0 };
	struct tool_model model = { 0 };
	int ret = tool_inspect_parse(&tool_inspect, argc, argv, longs, &model, &options);

	if (!ret)
		ret = tool_program_open(&model);
	model.planner.chip = &model.chip;
	if (!ret)
		ret = tool_inspect_show(&model, &options);
	tool_model_clear(&model);
	return ret;
}

static void tool_verify_show(const struct tool_model *model, bool as_json)
{
	uint32_t i, count = loom_program_file_count(model->file);
	unsigned long long steps = 0, commands = 0, tensors = 0;
	struct json json;

	for (i = 0; i < count; i++) {
		const struct loom_program_stats *stats =
			&loom_program_file_at(model->file, i)->stats;

		steps += stats->steps;
		commands += stats->commands;
		tensors += stats->tensors;
	}
	if (as_json) {
		json_begin(&json, stdout);
		json_string(&json, "model", model->path);
		json_string(&json, "chip", model->chip.name);
		json_u64(&json, "programs", count);
		json_u64(&json, "steps", steps);
		json_u64(&json, "commands", commands);
		json_u64(&json, "tensors", tensors);
		json_double(&json, "load_seconds", model->load_ns / 1e9);
		json_end(&json);
		return;
	}
	printf("%s: whole, and its ", model->path);
	if (count > 1)
		printf("%u plans", count);
	else
		printf("plan");
	printf(" of %llu steps, %llu commands and %llu tensors %s safe on '%s'\n", steps, commands,
	       tensors, count > 1 ? "are" : "is", model->chip.name);
}

/* Loading a file verifies it completely, and reports the first error. */
static int tool_verify_run(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	struct tool_inspect_options options = { 0 };
	struct tool_model model = { 0 };
	int ret = tool_inspect_parse(&tool_verify, argc, argv, longs, &model, &options);

	if (!ret)
		ret = tool_program_open(&model);
	if (!ret)
		tool_verify_show(&model, options.json);
	tool_model_clear(&model);
	return ret;
}

const struct tool_command tool_inspect = {
	.name = "inspect",
	.usage = "FILE [--program N] [--json [--tensors]] [--layers [--csv]]",
	.text = "describe a program file: chip, inputs, outputs, costs, sections",
	.help =
		"  --program N          of a file with several, the Nth from 0\n"
		"  --json               print JSON, with the groups\n"
		"  --tensors            with --json: place and live range of each tensor of the plan\n"
		"  --layers             add a table: time, utilisation and bytes of each layer\n"
		"  --csv                with --layers: print the table alone, as CSV\n",
	.examples =
		"  loom inspect net.loom --layers\n"
		"  loom inspect net.loom --json --tensors\n",
	.run = tool_inspect_run,
};

const struct tool_command tool_verify = {
	.name = "verify",
	.usage = "FILE [--json]",
	.text = "check that a program file is complete, and its plan safe",
	.help =
		"  --json               print JSON; a fault is a line on stderr, as without it\n",
	.examples =
		"  loom verify net.loom\n"
		"  loom verify net.loom --json\n",
	.run = tool_verify_run,
};
