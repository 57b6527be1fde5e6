// SPDX-License-Identifier: MIT
#include "inputs.h"

#include "loom_replay.h"
#include "loom_report.h"
#include "loom_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct tool_plan_options - the command line
 * @stage: where to stop
 * @json: the summary is JSON
 * @dump: print what @stage made as text
 * @output: file for the plan's bytes, or NULL
 * @place_csv: file for the arena as a placement problem, or NULL
 * @place_svg: file for a picture of the arena, or NULL
 * @svg: file for a picture of the plan, or NULL
 * @steps: the steps that are drawn
 * @trace: file for the time of the plan as Chrome trace events, or NULL
 * @explain: say why groups end where they end
 * @layers: a table of the layers
 * @csv: as CSV, instead of the summary
 * @tensors: list the tensors of the plan, too
 * @replay: check the plan by replaying it
 * @reports: folder for reports of a device with this plan alone, or NULL
 */
struct tool_plan_options {
	enum tool_stage stage;
	bool json;
	bool dump;
	const char *output;
	const char *place_csv;
	const char *place_svg;
	const char *svg;
	struct loom_program_svg_options steps;
	const char *trace;
	bool explain;
	bool layers;
	bool csv;
	bool tensors;
	bool replay;
	const char *reports;
};

static int tool_plan_set_stage(const char *name, enum tool_stage *stage)
{
	static const char *const names[] = {
		[TOOL_STAGE_GRAPH] = "graph",
		[TOOL_STAGE_SLICE] = "slices",
		[TOOL_STAGE_PLACE] = "place",
		[TOOL_STAGE_PLAN] = "plan",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name)) {
			*stage = i;
			return 0;
		}
	}
	return tool_usage(&tool_plan, "--stop-after takes graph, slices, place or plan, not '%s'",
			  name);
}

/* Number of results on standard output: files, --dump, --json. */
static unsigned int tool_plan_to_stdout(const struct tool_plan_options *options)
{
	const char *const files[] = {
		options->output, options->place_csv, options->place_svg, options->svg,
		options->trace,
	};
	unsigned int i, count = options->json || options->dump || options->csv;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		count += files[i] && !strcmp(files[i], "-");
	return count;
}

/* Not an exit status: the option has done all that was asked for. */
#define TOOL_PLAN_DONE	(TOOL_USAGE + 1)

static int tool_plan_check_outputs(const struct tool_plan_options *options)
{
	const char *const files[] = {
		options->output, options->place_csv, options->place_svg, options->svg,
		options->trace,
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (tool_output_check(files[i]))
			return TOOL_FAILED;
	return tool_output_check_dir(options->reports);
}

static int tool_plan_parse(int argc, char **argv, struct tool_model *model,
			   struct tool_inputs *inputs, struct tool_plan_options *options)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "dump", no_argument, NULL, 'd' },
		{ "stop-after", required_argument, NULL, 's' },
		{ "strategies", no_argument, NULL, 'l' },
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "place-csv", required_argument, NULL, 'c' },
		{ "place-svg", required_argument, NULL, 'p' },
		{ "replay", no_argument, NULL, 'r' },
		{ "svg", required_argument, NULL, 'v' },
		{ "svg-steps", required_argument, NULL, 't' },
		{ "trace", required_argument, NULL, 'T' },
		{ "explain", no_argument, NULL, 'e' },
		{ "layers", no_argument, NULL, 'L' },
		{ "csv", no_argument, NULL, 'C' },
		{ "tensors", no_argument, NULL, 'a' },
		{ "memory-reports", required_argument, NULL, 'm' },
		{ NULL, 0, NULL, 0 },
	};
	bool strategies = false;
	int option, ret = 0;

	opterr = 0;
	while (!ret && (option = tool_model_getopt(&tool_plan, argc, argv, "i:o:", longs)) != -1) {
		switch (option) {
		case 'j':
			options->json = true;
			break;
		case 'd':
			options->dump = true;
			break;
		case 's':
			ret = tool_plan_set_stage(optarg, &options->stage);
			break;
		case 'l':
			strategies = true;
			break;
		case 'i':
			ret = tool_inputs_add(inputs, optarg);
			break;
		case 'o':
			options->output = optarg;
			break;
		case 'c':
			options->place_csv = optarg;
			break;
		case 'p':
			options->place_svg = optarg;
			break;
		case 'L':
			options->layers = true;
			break;
		case 'C':
			options->csv = true;
			break;
		case 'a':
			options->tensors = true;
			break;
		case 'r':
			options->replay = true;
			break;
		case 'v':
			options->svg = optarg;
			break;
		case 't':
			if (tool_picture_parse_steps(optarg, &options->steps))
				return tool_usage(&tool_plan,
						  "--svg-steps takes FIRST-LAST, not '%s'",
						  optarg);
			break;
		case 'T':
			options->trace = optarg;
			break;
		case 'e':
			options->explain = true;
			model->planner.flags |= LOOM_PLANNER_EXPLAIN;
			break;
		case 'm':
			options->reports = optarg;
			break;
		case '?':
			return tool_bad_option(&tool_plan, argv);
		default:
			ret = tool_model_option(&tool_plan, model, option, optarg);
		}
	}
	if (ret)
		return ret;
	if (strategies) {
		tool_strategies_print(true, options->json);
		return TOOL_PLAN_DONE;
	}
	if (optind + 1 != argc)
		return tool_usage(&tool_plan, "takes one model");
	if ((options->output || options->replay || options->svg || options->explain ||
	     options->trace || options->reports || options->layers) &&
	    options->stage != TOOL_STAGE_PLAN)
		return tool_usage(&tool_plan, "there is no plan yet where --stop-after stops");
	if (options->tensors && (!options->json || options->stage != TOOL_STAGE_PLAN))
		return tool_usage(&tool_plan, "--tensors is for --json, of a complete plan");
	if (options->csv && !options->layers)
		return tool_usage(&tool_plan, "--csv is for --layers");
	if (tool_plan_to_stdout(options) > 1)
		return tool_usage(&tool_plan, "only one thing can go to standard output");
	if ((options->place_csv || options->place_svg) && options->stage < TOOL_STAGE_PLACE)
		return tool_usage(&tool_plan, "nothing is placed yet where --stop-after stops");
	model->path = argv[optind];
	return tool_plan_check_outputs(options);
}

static void tool_plan_dump_slices(const struct loom_program *program)
{
	const struct loom_program_kernel *kernel;
	uint32_t i, d;

	for (i = 0; i < program->num_kernels; i++) {
		kernel = &program->kernels[i];
		printf("step %u: %s '%s' [", kernel->first_step, kernel->op, kernel->node);
		for (d = 0; d < kernel->rank; d++)
			printf("%s%llu", d ? "," : "", (unsigned long long)kernel->dims[d]);
		printf("] in %u of [", kernel->slices);
		for (d = 0; d < kernel->rank; d++)
			printf("%s%llu", d ? "," : "", (unsigned long long)kernel->chunk[d]);
		printf("]%s, scratch %llu\n", kernel->overlap ? " overlapped" : "",
		       (unsigned long long)kernel->scratch_bytes);
	}
}

static void tool_plan_dump_places(const struct loom_program *program)
{
	const struct loom_program_tensor *weight;
	const struct loom_program_neuron *neuron;
	uint32_t i;

	for (i = 0; i < program->num_weights; i++) {
		weight = &program->weights[i];
		printf("weight '%s' %llu+%llu\n", weight->name,
		       (unsigned long long)weight->offset, (unsigned long long)weight->size_bytes);
	}
	for (i = 0; i < program->num_slots; i++) {
		const struct loom_program_slot *slot = &program->slots[i];

		if (slot->kind == LOOM_SLOT_KIND_IMAGE)
			printf("image slot %u: %u rows of %u %s, pitch %u, for %u values in turn\n",
			       i, slot->height, slot->width, loom_dtype_name(slot->dtype),
			       slot->pitch_bytes, slot->num_values);
	}
	for (i = 0; i < program->num_neurons; i++) {
		neuron = &program->neurons[i];
		printf("neuron '%s' %llu+%llu nodes %u-%u\n", neuron->name,
		       (unsigned long long)neuron->offset, (unsigned long long)neuron->size_bytes,
		       neuron->first_node, neuron->last_node);
	}
}

static int tool_plan_dump(const struct tool_model *model, enum tool_stage stage)
{
	char *text;
	int ret;

	if (stage == TOOL_STAGE_SLICE || stage == TOOL_STAGE_PLACE) {
		if (stage == TOOL_STAGE_SLICE)
			tool_plan_dump_slices(model->program);
		else
			tool_plan_dump_places(model->program);
		return 0;
	}
	if (stage == TOOL_STAGE_GRAPH)
		ret = loom_graph_dump(model->graph, &text);
	else
		ret = loom_plan_dump(model->program->plan, model->program->plan_bytes, &text);
	if (ret)
		return tool_fail("dump: %s", strerror(-ret));
	fputs(text, stdout);
	free(text);
	return 0;
}

static int tool_plan_print_json(const struct tool_model *model,
				const struct tool_plan_options *options,
				const struct loom_replay_report *report)
{
	const enum tool_stage stage = options->stage;
	struct json json;
	int ret = 0;

	json_begin(&json, stdout);
	tool_model_json(model, stage, &json);
	json_double(&json, "import_seconds", model->import_ns / 1e9);
	if (stage > TOOL_STAGE_GRAPH)
		json_double(&json, "plan_seconds", model->plan_ns / 1e9);
	if (stage == TOOL_STAGE_PLAN)
		tool_explain_json_groups(model->program, &json);
	if (options->explain) {
		tool_explain_json(model, &json);
		ret = tool_peaks_json(model->program, &json);
	}
	if (!ret && options->layers)
		ret = tool_layers_json(model, &json);
	if (!ret && options->tensors)
		ret = tool_tensors_json(model->program, &json);
	if (report)
		tool_replay_json(report, &json);
	json_end(&json);
	return ret;
}

static int tool_plan_show(const struct tool_model *model, const struct tool_plan_options *options,
			  const struct loom_replay_report *report)
{
	if (options->dump)
		return tool_plan_dump(model, options->stage);
	if (options->json)
		return tool_plan_print_json(model, options, report);
	if (options->csv)
		return tool_layers_print(model, true);
	if (!tool_plan_to_stdout(options)) {
		tool_model_print(model, options->stage);
		if (options->explain)
			tool_explain_print(model);
		if (report)
			tool_replay_print(report);
		if (options->layers)
			return tool_layers_print(model, false);
	}
	return 0;
}

/* Loads the plan on an empty host target, so that the reports show it alone. */
static int tool_plan_report(const struct tool_model *model, const char *dir)
{
	struct loom_session *session = NULL;
	struct loom_target *target;
	struct loom_error err;
	int ret;

	if (loom_target_open("host", model->planner.chip, &target, &err))
		return tool_fail("%s", err.text);
	ret = loom_report_enable(dir, &err);
	if (!ret)
		ret = loom_session_create(target, model->program, &session, &err);
	loom_session_destroy(session);
	loom_target_close(target);
	return ret ? tool_fail("%s", err.text) : 0;
}

/* The refusal of a model by the planner is a result, too. */
static void tool_plan_refused_json(const struct tool_model *model)
{
	const char *status = model->refusal == -ENOSPC ? "too-large" :
			     model->refusal == -EOPNOTSUPP ? "unsupported" :
			     model->refusal == -ENOMEM ? "no-memory" : "failed";
	struct json json;

	json_begin(&json, stdout);
	json_string(&json, "status", status);
	json_u64(&json, "short_bytes", model->refused.short_bytes);
	json_string(&json, "error", model->refused.text);
	json_end(&json);
}

static int tool_plan_model(struct tool_model *model, struct tool_inputs *inputs,
			   const struct tool_plan_options *options)
{
	struct loom_replay_report *report = NULL;
	int ret = model->preset ? 0 : tool_model_default_chip(model);

	model->planner.chip = &model->chip;
	if (!ret)
		ret = tool_model_open(model);
	if (!ret)
		ret = tool_inputs_load(inputs, model);
	if (!ret)
		ret = tool_model_finish(model);
	if (!ret && options->stage > TOOL_STAGE_GRAPH)
		ret = tool_model_plan(model);
	if (model->refusal && options->json)
		tool_plan_refused_json(model);
	if (!ret && options->replay)
		ret = tool_replay(model, &report);
	if (!ret && options->output)
		ret = tool_save(options->output, model->program->plan, model->program->plan_bytes);
	if (!ret && (options->place_csv || options->place_svg))
		ret = tool_arena_save(model, options->place_csv, options->place_svg);
	if (!ret && options->svg)
		ret = tool_picture_save(model, options->svg, &options->steps);
	if (!ret && options->trace)
		ret = tool_picture_trace(model, options->trace);
	if (!ret && options->reports)
		ret = tool_plan_report(model, options->reports);
	if (!ret)
		ret = tool_plan_show(model, options, report);
	loom_replay_destroy(report);
	return ret;
}

static int tool_plan_run(int argc, char **argv)
{
	struct tool_plan_options options = { .stage = TOOL_STAGE_PLAN };
	struct tool_model model = { 0 };
	struct tool_inputs inputs;
	int ret;

	tool_inputs_init(&inputs);
	ret = tool_plan_parse(argc, argv, &model, &inputs, &options);
	if (!ret)
		ret = tool_plan_model(&model, &inputs, &options);
	tool_model_clear(&model);
	tool_inputs_clear(&inputs);
	return ret == TOOL_PLAN_DONE ? 0 : ret;
}

const struct tool_command tool_plan = {
	.name = "plan",
	.usage = "MODEL [OPTION...]",
	.text = "plan a model and print the costs of the plan; needs no device",
	.help =
		TOOL_MODEL_HELP
		TOOL_INPUTS_PLAN_HELP
		"  --strategies         list the strategies of placement and grouping\n"
		"  --stop-after STAGE   stop after graph, slices, place or plan (default)\n"
		"  --dump               print the result of the last stage instead of the summary\n"
		"  --json               print the summary as JSON\n"
		"  -o, --output FILE    write the plan's bytes\n"
		"  --replay             check the plan without running it: memory, races, values\n"
		"  --explain            list the groups with bottlenecks, reasons of cuts, and peaks of memory\n"
		"  --layers             add a table: time, utilisation and bytes of each layer\n"
		"  --csv                with --layers: print the table alone, as CSV\n"
		"  --tensors            with --json: place and live range of each tensor of the plan\n"
		"  --svg FILE           draw the plan: time against addresses, both streams\n"
		"  --svg-steps A-B      with --svg: draw these steps only\n"
		"  --trace FILE         write Chrome trace events of the time on the chip, for Perfetto\n"
		"  --memory-reports DIR add rows to DIR's CSV files: an empty device with this plan\n"
		"  --place-csv FILE     write the arena as a problem for loom place\n"
		"  --place-svg FILE     draw the arena, nodes against addresses\n",
	.examples =
		"  loom plan net.onnx --chip bm1688 --explain\n"
		"  loom plan net.onnx --chip bm1688 --layers --csv >layers.csv\n"
		"  loom plan net.onnx --objective bytes --sram 64k --svg plan.svg\n",
	.run = tool_plan_run,
};
