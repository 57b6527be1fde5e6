// SPDX-License-Identifier: MIT
/*
 * A run of several items, on one or more devices: each item on any of them, or all items through
 * all of them. The frames of a stream are items that run in their order, on one.
 */
#include "run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "loom_parallel.h"

#define MOST_DEVICES	64

/**
 * struct many - a run on several devices
 * @run: from the command line
 * @targets: the devices
 * @sessions: by device
 * @programs: by device: the model's, that of an earlier device or of a stage, or its own
 * @own: by device: its own program, or NULL
 * @shares: by device: its part of the work
 * @count: number of devices
 * @pipeline: the network in stages, or NULL
 * @batch: the items
 * @moved: bytes copied and copies avoided in the last run
 */
struct many {
	struct tool_run *run;
	struct loom_target *targets[MOST_DEVICES];
	struct loom_session *sessions[MOST_DEVICES];
	const struct loom_program *programs[MOST_DEVICES];
	struct loom_program *own[MOST_DEVICES];
	struct loom_share shares[MOST_DEVICES];
	uint32_t count;
	struct loom_pipeline *pipeline;
	struct loom_batch batch;
	struct loom_session_moved moved;
};

static int open_target(struct many *many, const char *name)
{
	const struct drm_loom_chip *preset = many->run->model.preset;
	const char *digit = name;
	char path[TOOL_TEXT];
	struct loom_error err;

	while (isdigit((unsigned char)*digit))
		digit++;
	if (*name && !*digit) {
		snprintf(path, sizeof(path), "/dev/accel/accel%s", name);
		name = path;
	}
	if (many->count == MOST_DEVICES)
		return tool_usage(many->run->command, "--devices takes up to %d devices",
				  MOST_DEVICES);
	if (preset && !many->run->planned && strcmp(name, "host"))
		return tool_usage(many->run->command, "--chip needs devices that are all host");
	if (loom_target_open(name, preset, &many->targets[many->count], &err))
		return tool_fail("%s", err.text);
	many->count++;
	return 0;
}

static int open_targets(struct many *many)
{
	char *at, *rest = NULL;
	int ret = 0;

	if (!many->run->devices)
		return open_target(many, many->run->device);
	at = strtok_r(many->run->devices, ",", &rest);
	if (!at)
		return tool_usage(many->run->command,
				  "--devices takes names with commas between them");
	for (; at && !ret; at = strtok_r(NULL, ",", &rest))
		ret = open_target(many, at);
	return ret;
}

/* Those of the same chip have the same program. */
static int plan_one(struct many *many, uint32_t index)
{
	const struct drm_loom_chip *chip = loom_target_chip(many->targets[index]);
	struct loom_planner_options options = many->run->model.planner;
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < index && !many->programs[index]; i++)
		if (!memcmp(loom_target_chip(many->targets[i]), chip, sizeof(*chip)))
			many->programs[index] = many->programs[i];
	if (many->programs[index])
		return 0;
	if (many->run->planned) {
		many->programs[index] = many->programs[0];
		return tool_program_fits(&many->run->model, chip);
	}
	options.chip = chip;
	if (loom_program_create(many->run->model.graph, &options, &many->own[index], &err))
		return tool_fail("%s: %s", loom_target_name(many->targets[index]), err.text);
	many->programs[index] = many->own[index];
	return 0;
}

static int plan_for_each(struct many *many)
{
	struct tool_model *model = &many->run->model;
	uint32_t i;
	int ret;

	model->planner.chip = loom_target_chip(many->targets[0]);
	ret = tool_model_plan(model);
	many->programs[0] = model->program;
	for (i = 1; i < many->count && !ret; i++)
		ret = plan_one(many, i);
	return ret;
}

static int plan_stages(struct many *many)
{
	const struct drm_loom_chip *chips[MOST_DEVICES] = { NULL };
	struct tool_model *model = &many->run->model;
	int64_t start = tool_now_ns();
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < many->count; i++)
		chips[i] = loom_target_chip(many->targets[i]);
	if (loom_pipeline_create(model->graph, &model->planner, chips, many->count,
				 &many->pipeline, &err))
		return tool_fail("%s", err.text);
	model->plan_ns = tool_now_ns() - start;
	for (i = 0; i < many->count; i++)
		many->programs[i] = many->pipeline->stages[i].program;
	return 0;
}

static int open_sessions(struct many *many)
{
	struct loom_error err;
	uint32_t i;

	for (i = 0; i < many->count; i++)
		if (loom_session_create(many->targets[i], many->programs[i], &many->sessions[i],
					&err))
			return tool_fail("%s: %s", loom_target_name(many->targets[i]), err.text);
	return 0;
}

/* Inputs in the order of the graph's; names and data stay those of the command's arrays. */
static int sort_inputs(const struct many *many, struct loom_array *inputs)
{
	const struct loom_array *array;
	struct loom_tensor_info info;
	uint32_t i;

	for (i = 0; !tool_model_input(&many->run->model, i, &info); i++) {
		array = tool_inputs_given(&many->run->inputs, &many->run->model, &info);
		if (!array)
			return TOOL_FAILED;
		inputs[i] = *array;
	}
	return 0;
}

static void count_moved(struct many *many, const struct loom_session_moved *before)
{
	loom_session_moved(many->sessions[0], &many->moved);
	many->moved.in_bytes -= before->in_bytes;
	many->moved.out_bytes -= before->out_bytes;
	many->moved.kept_bytes -= before->kept_bytes;
}

static int run_once(void *arg, struct tool_progress *progress)
{
	struct many *many = arg;
	struct tool_run *run = many->run;
	struct loom_session_moved before;
	struct loom_error err;
	uint32_t i;
	int ret;

	loom_session_moved(many->sessions[0], &before);
	/* each run must start with the initial states */
	ret = loom_session_reset_states(many->sessions[0]);
	if (ret)
		return tool_fail("%s: making the states zero: %s", run->model.path, strerror(-ret));

	for (i = 0; i < run->num_results; i++)
		loom_array_clear(&run->results[i]);
	many->batch.progress = tool_progress_tick;
	many->batch.arg = progress;
	if (many->pipeline)
		ret = loom_pipeline_run(many->pipeline, many->sessions, &many->batch,
					run->results, many->shares, &err);
	else
		ret = loom_batch_run(many->sessions, many->count, &many->batch, run->results,
				     many->shares, &err);
	count_moved(many, &before);
	return ret ? tool_fail("%s: %s", run->model.path, err.text) : 0;
}

static int execute(struct many *many)
{
	struct tool_run *run = many->run;
	uint32_t num_inputs = tool_model_num_inputs(&run->model);
	struct loom_array *inputs = calloc(num_inputs + 1, sizeof(*inputs));
	int ret;

	run->results = calloc(tool_model_num_outputs(&run->model) + 1, sizeof(*run->results));
	if (!inputs || !run->results) {
		free(inputs);
		return tool_fail("no memory");
	}
	run->num_results = tool_model_num_outputs(&run->model);
	many->batch = (struct loom_batch) {
		.inputs = inputs, .num_inputs = num_inputs, .num_items = run->inputs.items,
	};
	ret = sort_inputs(many, inputs);
	if (!ret)
		ret = tool_run_repeat(run, run_once, many);
	free(inputs);
	return ret;
}

static double per_second(uint32_t items, int64_t ns)
{
	return ns > 0 ? items * 1e9 / ns : 0;
}

static double chip_seconds(const struct many *many, uint32_t index)
{
	return tool_run_seconds(loom_target_chip(many->targets[index]),
				many->programs[index]->stats.cycles);
}

static void print_device(const struct many *many, uint32_t i)
{
	const struct loom_share *share = &many->shares[i];
	char a[TOOL_TEXT], b[TOOL_TEXT];

	printf("device %u   %s: %u items, busy for %.3f s, %.2f items/s; %.3f ms on the chip\n", i,
	       loom_target_name(many->targets[i]), share->items, share->busy_ns / 1e9,
	       per_second(share->items, share->busy_ns), chip_seconds(many, i) * 1e3);
	if (many->pipeline) {
		const struct loom_pipeline_stage *stage = &many->pipeline->stages[i];

		printf("           stage %u: %llu nodes; takes %s and gives %s for each item", i,
		       (unsigned long long)stage->program->stats.nodes,
		       tool_bytes(a, stage->in_bytes), tool_bytes(b, stage->out_bytes));
		if (share->linked_bytes)
			printf("; %s come without a copy", tool_bytes(a, share->linked_bytes));
		printf("\n");
	}
}

static void print_frames(const struct many *many)
{
	const struct tool_run *run = many->run;
	const struct loom_session_moved *moved = &many->moved;
	char a[TOOL_TEXT], b[TOOL_TEXT];

	printf("ran on     %s: %u frames in %.3f s", loom_target_name(many->targets[0]),
	       run->inputs.items, run->best_ns / 1e9);
	if (run->repeat > 1)
		printf(" (best of %u)", run->repeat);
	printf("; a frame takes %.3f ms, and %.3f ms on the chip\n",
	       many->shares[0].busy_ns / 1e6 / run->inputs.items, chip_seconds(many, 0) * 1e3);
	printf("copied     %s in and %s out by the processor", tool_bytes(a, moved->in_bytes),
	       tool_bytes(b, moved->out_bytes));
	if (run->model.num_states)
		printf("; %s of states stay on the device from frame to frame",
		       tool_bytes(a, moved->kept_bytes / run->inputs.items));
	printf("\n");
}

static void print(const struct many *many)
{
	const struct tool_run *run = many->run;
	uint32_t i;

	if (run->frames) {
		tool_model_print(&run->model, TOOL_STAGE_PLAN);
		tool_model_print_start(&run->model);
		print_frames(many);
		tool_outcome_print(run->results, run->num_results);
		return;
	}
	tool_model_print(&run->model, many->pipeline ? TOOL_STAGE_GRAPH : TOOL_STAGE_PLAN);
	tool_model_print_start(&run->model);
	printf("ran on     %u %s: %u items in %.3f s, %.2f items/s", many->count,
	       many->pipeline ? "stages" : many->count == 1 ? "device" : "devices",
	       run->inputs.items, run->best_ns / 1e9, per_second(run->inputs.items, run->best_ns));
	if (run->repeat > 1)
		printf(" (best of %u)", run->repeat);
	printf("\n");
	for (i = 0; i < many->count; i++)
		print_device(many, i);
	tool_outcome_print(run->results, run->num_results);
}

static void print_json(const struct many *many)
{
	const struct tool_run *run = many->run;
	struct json json;
	uint32_t i;

	json_begin(&json, stdout);
	tool_model_json(&run->model, many->pipeline ? TOOL_STAGE_GRAPH : TOOL_STAGE_PLAN, &json);
	tool_model_json_start(&run->model, &json);
	json_open(&json, "run", '{');
	json_u64(&json, "items", run->inputs.items);
	json_double(&json, "seconds", run->best_ns / 1e9);
	json_double(&json, "items_per_second", per_second(run->inputs.items, run->best_ns));
	json_u64(&json, "repeat", run->repeat);
	json_bool(&json, "pipeline", many->pipeline);
	if (run->frames) {
		json_u64(&json, "frames", run->inputs.items);
		json_double(&json, "frame_seconds",
			    many->shares[0].busy_ns / 1e9 / run->inputs.items);
		json_u64(&json, "in_bytes", many->moved.in_bytes);
		json_u64(&json, "out_bytes", many->moved.out_bytes);
		json_u64(&json, "kept_bytes", many->moved.kept_bytes);
	}
	json_open(&json, "devices", '[');
	for (i = 0; i < many->count; i++) {
		const struct loom_program *program = many->programs[i];

		json_open(&json, NULL, '{');
		json_string(&json, "device", loom_target_name(many->targets[i]));
		json_u64(&json, "items", many->shares[i].items);
		json_double(&json, "busy_seconds", many->shares[i].busy_ns / 1e9);
		json_u64(&json, "cycles", program->stats.cycles);
		json_double(&json, "chip_seconds", chip_seconds(many, i));
		if (many->pipeline) {
			json_u64(&json, "nodes", program->stats.nodes);
			json_u64(&json, "in_bytes", many->pipeline->stages[i].in_bytes);
			json_u64(&json, "out_bytes", many->pipeline->stages[i].out_bytes);
			json_u64(&json, "linked_bytes", many->shares[i].linked_bytes);
		}
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	tool_outcome_json(run->results, run->num_results, &json);
	json_end(&json);
}

int tool_run_many(struct tool_run *run)
{
	struct many many = { .run = run };
	uint32_t i;
	int ret;

	ret = open_targets(&many);
	if (!ret)
		ret = run->pipeline ? plan_stages(&many) : plan_for_each(&many);
	if (!ret)
		ret = open_sessions(&many);
	if (!ret)
		ret = execute(&many);
	if (!ret)
		ret = tool_run_save(run);
	if (!ret && run->json)
		print_json(&many);
	else if (!ret)
		print(&many);
	for (i = 0; i < many.count; i++) {
		loom_session_destroy(many.sessions[i]);
		loom_program_destroy(many.own[i]);
		loom_target_close(many.targets[i]);
	}
	loom_pipeline_destroy(many.pipeline);
	return ret;
}
