// SPDX-License-Identifier: MIT
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "loom_file.h"
#include "loom_program_file.h"
#include "loom_report.h"

enum {
	TOOL_RUN_INPUT = TOOL_OPT_FIRST,
	TOOL_RUN_OUTPUT,
	TOOL_RUN_DEVICE,
	TOOL_RUN_LABELS,
	TOOL_RUN_OBSERVE,
	TOOL_RUN_SAVE_INPUTS,
	TOOL_RUN_SAVE_OUTPUTS,
	TOOL_RUN_REPEAT,
	TOOL_RUN_JSON,
	TOOL_RUN_PROGRESS,
	TOOL_RUN_REPORTS,
	TOOL_RUN_DEVICES,
	TOOL_RUN_ITEMS,
	TOOL_RUN_FRAMES,
	TOOL_RUN_PIPELINE,
	TOOL_RUN_TOP,
	TOOL_RUN_THREADS,
	TOOL_RUN_PROGRAM,
};

static int tool_run_add_output(struct tool_run *run, const char *typed)
{
	const char **grown = realloc(run->outputs, (run->num_outputs + 1) * sizeof(*grown));

	if (!grown)
		return tool_fail("no memory");
	grown[run->num_outputs++] = typed;
	run->outputs = grown;
	return 0;
}

static int tool_run_set_count(const char *option, const char *text, uint32_t *count)
{
	int64_t number;

	if (tool_parse_number(text, false, &number) || number < 1 || number > 1000000)
		return tool_usage(&tool_run, "%s takes a count, not '%s'", option, text);
	*count = number;
	return 0;
}

static int tool_run_option(struct tool_run *run, int option, char *value)
{
	switch (option) {
	case TOOL_RUN_INPUT:
		return tool_inputs_add(&run->inputs, value);
	case TOOL_RUN_OUTPUT:
		return tool_run_add_output(run, value);
	case TOOL_RUN_DEVICE:
		run->device = value;
		return 0;
	case TOOL_RUN_LABELS:
		run->labels = value;
		return 0;
	case TOOL_RUN_OBSERVE:
		run->observe = value;
		run->model.planner.flags |= LOOM_PLANNER_OBSERVE_ALL;
		return 0;
	case TOOL_RUN_SAVE_INPUTS:
		run->save_inputs = value;
		return 0;
	case TOOL_RUN_SAVE_OUTPUTS:
		run->save_outputs = value;
		return 0;
	case TOOL_RUN_REPORTS:
		run->reports = value;
		return 0;
	case TOOL_RUN_REPEAT:
		return tool_run_set_count("--repeat", value, &run->repeat);
	case TOOL_RUN_DEVICES:
		run->devices = value;
		return 0;
	case TOOL_RUN_ITEMS:
		return tool_run_set_count("--items", value, &run->inputs.items);
	case TOOL_RUN_FRAMES:
		run->frames = true;
		return tool_run_set_count("--frames", value, &run->inputs.items);
	case TOOL_RUN_PIPELINE:
		run->pipeline = true;
		return 0;
	case TOOL_RUN_TOP:
		return tool_run_set_count("--top", value, &run->top);
	case TOOL_RUN_THREADS:
		return tool_run_set_count("--threads", value, &run->threads);
	case TOOL_RUN_PROGRAM:
		run->program = true;
		return tool_program_parse(&tool_run, &run->model, value);
	case TOOL_RUN_JSON:
		run->json = true;
		return 0;
	case TOOL_RUN_PROGRESS:
		run->progress = true;
		return 0;
	case TOOL_INPUTS_SCALE ... TOOL_INPUTS_FIT:
		return tool_inputs_set(&tool_run, &run->inputs, option, value);
	}
	return tool_model_option(&tool_run, &run->model, option, value);
}

/* A program file is already planned, so options for planning are errors. */
static int tool_run_check_planned(struct tool_run *run)
{
	const char *option = run->model.option ? run->model.option :
			     run->pipeline ? "pipeline" : NULL;

	run->planned = loom_program_file_is(run->model.path);
	if (!run->planned && run->program)
		return tool_usage(&tool_run, "--program is for a program file");
	if (!run->planned || !option)
		return 0;
	return tool_usage(&tool_run, "--%s says how to plan, and %s is planned already", option,
			  run->model.path);
}

static int tool_run_parse(int argc, char **argv, struct tool_run *run)
{
	static const struct option longs[] = {
		{ "input", required_argument, NULL, TOOL_RUN_INPUT },
		{ "output", required_argument, NULL, TOOL_RUN_OUTPUT },
		{ "device", required_argument, NULL, TOOL_RUN_DEVICE },
		{ "labels", required_argument, NULL, TOOL_RUN_LABELS },
		{ "observe-all", required_argument, NULL, TOOL_RUN_OBSERVE },
		{ "save-inputs", required_argument, NULL, TOOL_RUN_SAVE_INPUTS },
		{ "save-outputs", required_argument, NULL, TOOL_RUN_SAVE_OUTPUTS },
		{ "repeat", required_argument, NULL, TOOL_RUN_REPEAT },
		{ "json", no_argument, NULL, TOOL_RUN_JSON },
		{ "progress", no_argument, NULL, TOOL_RUN_PROGRESS },
		{ "scale", required_argument, NULL, TOOL_INPUTS_SCALE },
		{ "mean", required_argument, NULL, TOOL_INPUTS_MEAN },
		{ "std", required_argument, NULL, TOOL_INPUTS_STD },
		{ "order", required_argument, NULL, TOOL_INPUTS_ORDER },
		{ "fit", required_argument, NULL, TOOL_INPUTS_FIT },
		{ "memory-reports", required_argument, NULL, TOOL_RUN_REPORTS },
		{ "devices", required_argument, NULL, TOOL_RUN_DEVICES },
		{ "items", required_argument, NULL, TOOL_RUN_ITEMS },
		{ "frames", required_argument, NULL, TOOL_RUN_FRAMES },
		{ "pipeline", no_argument, NULL, TOOL_RUN_PIPELINE },
		{ "top", required_argument, NULL, TOOL_RUN_TOP },
		{ "threads", required_argument, NULL, TOOL_RUN_THREADS },
		{ "program", required_argument, NULL, TOOL_RUN_PROGRAM },
		{ NULL, 0, NULL, 0 },
	};
	const char *single;
	int option, ret = 0;

	opterr = 0;
	while (!ret && (option = tool_model_getopt(&tool_run, argc, argv, "i:o:", longs)) != -1) {
		if (option == '?')
			return tool_bad_option(&tool_run, argv);
		if (option == 'i')
			option = TOOL_RUN_INPUT;
		if (option == 'o')
			option = TOOL_RUN_OUTPUT;
		ret = tool_run_option(run, option, optarg);
	}
	if (ret)
		return ret;
	if (optind + 1 != argc)
		return tool_usage(&tool_run, "takes one model, or one program file");
	run->model.path = argv[optind];
	if (tool_run_check_planned(run))
		return TOOL_USAGE;
	if (!run->devices && run->model.preset && strcmp(run->device, "host"))
		return tool_usage(&tool_run, "--chip needs --device host");
	if (run->pipeline && !run->devices)
		return tool_usage(&tool_run, "--pipeline needs --devices");
	if (run->frames && run->devices)
		return tool_usage(&tool_run, "--frames is for one --device");
	if (run->model.num_states && run->devices)
		return tool_usage(&tool_run, "--state is for one --device");
	if (run->threads && run->devices)
		return tool_usage(&tool_run, "--threads is for one --device");
	single = run->observe ? "--observe-all" : run->reports ? "--memory-reports" :
		 run->labels ? "--labels" : run->top ? "--top" : NULL;
	if ((run->devices || run->frames || run->inputs.items > 1) && single)
		return tool_usage(&tool_run, "%s is for one item on one --device", single);
	return 0;
}

/* A program file can only report values that it was planned to keep. */
static int tool_run_check_observed(const struct tool_run *run)
{
	if (!run->planned || !run->observe || run->model.program->num_observed)
		return 0;
	return tool_fail("%s: it keeps no tensors: try loom compile --observe-all",
			 run->model.path);
}

static int tool_run_open(struct tool_run *run)
{
	int ret;

	ret = run->planned ? tool_program_open(&run->model) : tool_model_open(&run->model);
	if (!ret)
		ret = tool_run_check_observed(run);
	if (ret)
		return ret;
	if (run->planned && run->model.num_states && run->devices)
		return tool_usage(&tool_run, "%s has states: it is for one --device",
				  run->model.path);
	ret = tool_inputs_load(&run->inputs, &run->model);
	if (!ret)
		ret = tool_model_finish(&run->model);
	return ret ? ret : tool_run_check_outputs(run);
}

static int tool_run_set_inputs(struct tool_run *run)
{
	const struct loom_array *array;
	struct loom_tensor_info info;
	struct loom_error err;
	uint32_t i;

	for (i = 0; !tool_model_input(&run->model, i, &info); i++) {
		array = tool_inputs_given(&run->inputs, &run->model, &info);
		if (!array)
			return TOOL_FAILED;
		if (array->data && loom_session_set_input(run->session, i, array, &err))
			return tool_fail("%s: %s", run->model.path, err.text);
	}
	return 0;
}

static int tool_run_once(void *arg, struct tool_progress *progress)
{
	struct tool_run *run = arg;
	struct loom_error err;
	int ret;

	/* each run must start with the initial states */
	if (run->model.num_states) {
		ret = loom_session_reset_states(run->session);
		if (ret)
			return tool_fail("%s: making the states zero: %s", run->model.path,
					 strerror(-ret));
		if (tool_run_set_inputs(run))
			return TOOL_FAILED;
	}
	if (loom_session_run(run->session, tool_progress_tick, progress, &err))
		return tool_fail("%s: %s", run->model.path, err.text);
	return 0;
}

static int tool_run_collect(struct tool_run *run)
{
	uint32_t i, count = run->model.program->num_outputs;
	struct loom_error err;

	run->results = calloc(count + 1, sizeof(*run->results));
	if (!run->results)
		return tool_fail("no memory");
	run->num_results = count;
	for (i = 0; i < count; i++)
		if (loom_session_get_output(run->session, i, &run->results[i], &err))
			return tool_fail("%s: %s", run->model.path, err.text);
	return 0;
}

/* Time on the chip; from the plan's estimate if the driver does not count cycles. */
static double tool_run_chip_seconds(const struct tool_run *run,
				    const struct drm_loom_counters *counters)
{
	return tool_run_seconds(loom_target_chip(run->target),
				counters->cycles ? counters->cycles :
						   run->model.program->stats.cycles);
}

static void tool_run_print_clock(const struct tool_run *run,
				 const struct drm_loom_counters *counters)
{
	const struct drm_loom_chip *chip = loom_target_chip(run->target);
	uint64_t promised = run->model.program->stats.cycles;
	struct loom_native_figures native;

	if (counters->cycles)
		printf("clock      %llu cycles counted, %llu promised;",
		       (unsigned long long)counters->cycles, (unsigned long long)promised);
	else
		printf("clock      no cycles counted by this driver, %llu promised;",
		       (unsigned long long)promised);
	printf(" %.3f ms on %s at %.0f MHz", tool_run_chip_seconds(run, counters) * 1e3,
	       chip->name, chip->frequency_hz / 1e6);
	if (counters->cycles)
		printf("; DMA takes %.0f %% of it, computing %.0f %%",
		       100.0 * counters->dma_cycles / counters->cycles,
		       100.0 * counters->compute_cycles / counters->cycles);
	if (counters->energy_fj)
		printf("; %.3f mJ", counters->energy_fj / 1e12);
	printf("\n");
	loom_program_native(run->model.program, &native);
	if (native.commands)
		printf("native     %u commands, %llu cycles declared; computing: %llu counted\n",
		       native.commands, (unsigned long long)native.cycles,
		       (unsigned long long)counters->compute_cycles);
}

static void tool_run_print(const struct tool_run *run)
{
	struct drm_loom_counters counters;
	char a[TOOL_TEXT], b[TOOL_TEXT];

	tool_model_print(&run->model, TOOL_STAGE_PLAN);
	tool_model_print_start(&run->model);
	loom_session_counters(run->session, &counters);
	printf("ran on     %s: %.3f s; the engine was busy for %.3f s",
	       loom_target_name(run->target), run->best_ns / 1e9, counters.busy_ns / 1e9);
	if (run->repeat > 1)
		printf(" (best of %u)", run->repeat);
	printf("\ncounted    DRAM %s read, %s written; %.1f MMAC; %llu steps, %llu commands\n",
	       tool_bytes(a, counters.dram_read_bytes), tool_bytes(b, counters.dram_write_bytes),
	       counters.macs / 1e6, (unsigned long long)counters.steps,
	       (unsigned long long)counters.commands);
	tool_run_print_clock(run, &counters);
	tool_outcome_print(run->results, run->num_results);
	tool_top_print(&run->classes);
	if (run->text.text)
		printf("text: %s\nconfidence: %.4f\n", run->text.text, run->text.confidence);
}

static void tool_run_print_json(const struct tool_run *run)
{
	struct loom_native_figures native;
	struct drm_loom_counters counters;
	struct json json;

	loom_program_native(run->model.program, &native);
	loom_session_counters(run->session, &counters);
	json_begin(&json, stdout);
	tool_model_json(&run->model, TOOL_STAGE_PLAN, &json);
	tool_model_json_start(&run->model, &json);
	json_open(&json, "run", '{');
	json_string(&json, "device", loom_target_name(run->target));
	json_double(&json, "seconds", run->best_ns / 1e9);
	json_u64(&json, "repeat", run->repeat);
	json_u64(&json, "dram_read_bytes", counters.dram_read_bytes);
	json_u64(&json, "dram_write_bytes", counters.dram_write_bytes);
	json_u64(&json, "rom_read_bytes", counters.rom_read_bytes);
	json_u64(&json, "sram_read_bytes", counters.sram_read_bytes);
	json_u64(&json, "sram_write_bytes", counters.sram_write_bytes);
	json_u64(&json, "macs", counters.macs);
	json_u64(&json, "steps", counters.steps);
	json_u64(&json, "commands", counters.commands);
	json_u64(&json, "cycles", counters.cycles);
	json_u64(&json, "dma_cycles", counters.dma_cycles);
	json_u64(&json, "compute_cycles", counters.compute_cycles);
	if (native.commands) {
		json_u64(&json, "native_commands", native.commands);
		json_u64(&json, "native_cycles", native.cycles);
	}
	json_u64(&json, "energy_fj", counters.energy_fj);
	json_double(&json, "chip_seconds", tool_run_chip_seconds(run, &counters));
	json_u64(&json, "jobs", counters.jobs);
	json_double(&json, "busy_seconds", counters.busy_ns / 1e9);
	json_close(&json, '}');
	tool_outcome_json(run->results, run->num_results, &json);
	if (run->top)
		tool_top_json(&run->classes, &json);
	if (run->text.text) {
		json_string(&json, "text", run->text.text);
		json_double(&json, "confidence", run->text.confidence);
	}
	json_end(&json);
}

static int tool_run_session(struct tool_run *run)
{
	struct loom_error err;
	int ret;

	if (loom_target_open(run->device, run->model.preset, &run->target, &err))
		return tool_fail("%s", err.text);
	if (run->reports && loom_report_enable(run->reports, &err))
		return tool_fail("%s", err.text);
	if (run->threads && loom_target_set_threads(run->target, run->threads, &err))
		return tool_fail("--threads: %s", err.text);
	run->model.planner.chip = loom_target_chip(run->target);
	ret = tool_model_plan(&run->model);
	if (ret)
		return ret;
	if (loom_session_create(run->target, run->model.program, &run->session, &err))
		return tool_fail("%s: %s", run->model.path, err.text);
	return tool_run_set_inputs(run);
}

static int tool_run_results(struct tool_run *run)
{
	int ret = tool_run_collect(run);

	if (!ret)
		ret = tool_run_save(run);
	if (ret)
		return ret;
	if (run->json)
		tool_run_print_json(run);
	else
		tool_run_print(run);
	return 0;
}

static void tool_run_clear(struct tool_run *run)
{
	uint32_t i;

	loom_session_destroy(run->session);
	loom_target_close(run->target);
	for (i = 0; i < run->num_results; i++)
		loom_array_clear(&run->results[i]);
	tool_model_clear(&run->model);
	tool_inputs_clear(&run->inputs);
	tool_top_clear(&run->classes);
	free(run->results);
	free(run->text.text);
	free(run->outputs);
}

static int tool_run_run(int argc, char **argv)
{
	struct tool_run run = {
		.command = &tool_run,
		.device = "auto",
		.repeat = 1,
	};
	int ret;

	tool_inputs_init(&run.inputs);
	ret = tool_run_parse(argc, argv, &run);
	if (!ret)
		ret = tool_run_open(&run);
	if (!ret)
		ret = tool_output_save_all(run.save_inputs, run.inputs.arrays,
					   run.inputs.num_arrays);
	if (!ret && (run.devices || run.frames || run.inputs.items > 1)) {
		ret = tool_run_many(&run);
	} else if (!ret) {
		ret = tool_run_session(&run);
		if (!ret)
			ret = tool_run_repeat(&run, tool_run_once, &run);
		if (!ret)
			ret = tool_run_results(&run);
	}
	tool_run_clear(&run);
	return ret;
}

const struct tool_command tool_run = {
	.collects = "output o",
	.name = "run",
	.usage = "MODEL|PROGRAM --input [NAME=]FILE... [OPTION...]",
	.text = "run a model on a device, or on the host with the same plan",
	.help =
		"  -i, --input [NAME=]FILE   .npy, .pb (ONNX TensorProto), PNG, PGM, PPM, or bare bytes;\n"
		"                       random:SEED for random numbers, to try a network\n"
		"  -o, --output [NAME=]FILE  write an output: .npy, or bare bytes\n"
		"  --device WHERE       host, soft (the first node), a node's path, or auto (default)\n"
		"  --devices A,B,..     several devices: each item runs on an idle one;\n"
		"                       a number N is /dev/accel/accelN\n"
		"  --pipeline           each device runs a part of the network, for all items\n"
		"  --items N            the inputs hold N independent items along their first\n"
		"                       dimension; an input with one item is the same for all\n"
		"  --frames N           the inputs hold N frames of a stream, which run in order;\n"
		"                       with --state, each frame begins with the last one's states\n"
		"  --top N              print the N classes of a classifier with the largest values\n"
		"  --labels FILE        with --top: names of the classes, one per line; else the\n"
		"                       dictionary of a text recogniser: print the text\n"
		"  --observe-all DIR    write every computed tensor to DIR\n"
		"  --save-inputs DIR    write every input to DIR; pictures as tensors\n"
		"  --save-outputs DIR   write every output to DIR\n"
		"  --memory-reports DIR add rows to DIR's CSV files when the plan has been loaded\n"
		"  --program N          of a program file with several, the Nth from 0\n"
		"  --threads N          with --device host: compute on N threads, with the same bits\n"
		"  --repeat N           run N times, report the fastest\n"
		"  --json               print the summary as JSON\n"
		"  --progress           print progress even if stderr is not a terminal\n"
		"\nConversion of a picture to an input: (pixel * scale - mean) / std\n"
		TOOL_INPUTS_PICTURE_HELP
		"\nPlanning of a model; its open dimensions come from the inputs:\n"
		TOOL_MODEL_HELP,
	.examples =
		"  loom run net.onnx --input x=x.npy --output y=y.npy\n"
		"  loom run net.loom --device host --input random:1\n",
	.run = tool_run_run,
};
