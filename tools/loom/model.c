// SPDX-License-Identifier: MIT
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loom_cache.h"
#include "loom_clock.h"
#include "loom_program_file.h"
#include "loom_tflite.h"

enum {
	TOOL_OPT_DIM = 256,
	TOOL_OPT_SHAPE,
	TOOL_OPT_CHIP,
	TOOL_OPT_STRATEGY,
	TOOL_OPT_GROUPING,
	TOOL_OPT_OBJECTIVE,
	TOOL_OPT_MAX_RECOMPUTE,
	TOOL_OPT_MAX_BYTES,
	TOOL_OPT_MAX_CYCLES,
	TOOL_OPT_TIME_BUDGET,
	TOOL_OPT_EFFORT,
	TOOL_OPT_JOBS,
	TOOL_OPT_MAX_MEMORY,
	TOOL_OPT_MAX_WORK,
	TOOL_OPT_NO_CACHE,
	TOOL_OPT_SRAM,
	TOOL_OPT_NO_OVERLAP,
	TOOL_OPT_NO_RETIME,
	TOOL_OPT_WHOLE_SUMS,
	TOOL_OPT_KEEP_ALL,
	TOOL_OPT_NODE_ORDER,
	TOOL_OPT_IMAGE,
	TOOL_OPT_LOAD_IMAGES,
	TOOL_OPT_LOAD_WEIGHTS,
	TOOL_OPT_VALUE,
	TOOL_OPT_STATE,
	TOOL_OPT_LANES,
};

static const struct option tool_model_options[] = {
	{ "dim", required_argument, NULL, TOOL_OPT_DIM },
	{ "shape", required_argument, NULL, TOOL_OPT_SHAPE },
	{ "value", required_argument, NULL, TOOL_OPT_VALUE },
	{ "state", required_argument, NULL, TOOL_OPT_STATE },
	{ "chip", required_argument, NULL, TOOL_OPT_CHIP },
	{ "topology", required_argument, NULL, TOOL_OPT_CHIP },
	{ "lanes", required_argument, NULL, TOOL_OPT_LANES },
	{ "strategy", required_argument, NULL, TOOL_OPT_STRATEGY },
	{ "grouping", required_argument, NULL, TOOL_OPT_GROUPING },
	{ "objective", required_argument, NULL, TOOL_OPT_OBJECTIVE },
	{ "max-recompute", required_argument, NULL, TOOL_OPT_MAX_RECOMPUTE },
	{ "max-bytes", required_argument, NULL, TOOL_OPT_MAX_BYTES },
	{ "max-cycles", required_argument, NULL, TOOL_OPT_MAX_CYCLES },
	{ "time-budget", required_argument, NULL, TOOL_OPT_TIME_BUDGET },
	{ "effort", required_argument, NULL, TOOL_OPT_EFFORT },
	{ "jobs", required_argument, NULL, TOOL_OPT_JOBS },
	{ "max-memory", required_argument, NULL, TOOL_OPT_MAX_MEMORY },
	{ "max-work", required_argument, NULL, TOOL_OPT_MAX_WORK },
	{ "no-cache", no_argument, NULL, TOOL_OPT_NO_CACHE },
	{ "sram", required_argument, NULL, TOOL_OPT_SRAM },
	{ "no-overlap", no_argument, NULL, TOOL_OPT_NO_OVERLAP },
	{ "no-retime", no_argument, NULL, TOOL_OPT_NO_RETIME },
	{ "whole-sums", no_argument, NULL, TOOL_OPT_WHOLE_SUMS },
	{ "keep-all", no_argument, NULL, TOOL_OPT_KEEP_ALL },
	{ "node-order", required_argument, NULL, TOOL_OPT_NODE_ORDER },
	{ "image", required_argument, NULL, TOOL_OPT_IMAGE },
	{ "load-images", no_argument, NULL, TOOL_OPT_LOAD_IMAGES },
	{ "load-weights", no_argument, NULL, TOOL_OPT_LOAD_WEIGHTS },
};

/* The model's options, a command's, and the zeroes at the end. */
#define TOOL_MAX_OPTIONS	64

bool tool_model_is_state(const struct tool_model *model, const char *input)
{
	uint32_t i;

	for (i = 0; i < model->num_states; i++)
		if (!strcmp(model->states[i].input, input))
			return true;
	return false;
}

static int tool_model_set_chip(const struct tool_command *command, struct tool_model *model,
			       const char *name)
{
	struct loom_error err;
	int ret;

	ret = loom_chip_load(name, &model->chip, &err);
	if (ret == -ENXIO)
		return tool_usage(command, "%s", err.text);
	if (ret)
		return tool_fail("%s", err.text);
	model->preset = &model->chip;
	return 0;
}

int tool_model_default_chip(struct tool_model *model)
{
	if (loom_chip_find(loom_chip_name(0), &model->chip))
		return tool_fail("no memory");
	return 0;
}

static int tool_model_set_strategy(const struct tool_command *command, struct tool_model *model,
				   const char *name)
{
	unsigned int i;

	for (i = 0; loom_place_strategy_name(i); i++) {
		if (!strcmp(loom_place_strategy_name(i), name)) {
			model->planner.placer = name;
			return 0;
		}
	}
	return tool_usage(command, "there is no strategy '%s', try: loom plan --strategies", name);
}

static int tool_model_set_node_order(const struct tool_command *command,
				     struct tool_model *model, const char *name)
{
	model->node_order = true;
	if (!strcmp(name, "given"))
		model->planner.flags |= LOOM_PLANNER_GIVEN_ORDER;
	else if (!strcmp(name, "memory"))
		model->planner.flags &= ~LOOM_PLANNER_GIVEN_ORDER;
	else
		return tool_usage(command, "--node-order takes given or memory, not '%s'", name);
	return 0;
}

static int tool_model_add_images(struct tool_model *model, char *value)
{
	const char **grown;
	char *at, *rest = NULL;

	for (at = strtok_r(value, ",", &rest); at; at = strtok_r(NULL, ",", &rest)) {
		grown = realloc(model->images, (model->num_images + 1) * sizeof(*grown));
		if (!grown)
			return tool_fail("no memory");
		model->images = grown;
		grown[model->num_images++] = at;
	}
	return 0;
}

/* NAME, NAME:weight or NAME:nhwc. A name may have colons of its own. */
static int tool_model_set_scope(const struct tool_model *model, const char *image)
{
	static const char *const suffixes[] = {
		[LOOM_SCOPE_TEXTURE_WEIGHT] = ":weight",
		[LOOM_SCOPE_TEXTURE_NHWC] = ":nhwc",
	};
	enum loom_scope scope = LOOM_SCOPE_TEXTURE;
	char *name = strdup(image), *colon;
	size_t i;
	int ret;

	if (!name)
		return tool_fail("no memory");
	colon = strrchr(name, ':');
	for (i = 0; colon && i < ARRAY_SIZE(suffixes); i++) {
		if (!suffixes[i] || strcmp(suffixes[i], colon))
			continue;
		scope = i;
		*colon = '\0';
		break;
	}
	ret = loom_graph_set_scope(model->graph, strcmp(name, "all") ? name : NULL, scope);
	if (ret)
		ret = tool_fail("%s: there is no tensor '%s' to make an image of", model->path,
				name);
	free(name);
	return ret;
}

static int tool_model_set_grouping(const struct tool_command *command, struct tool_model *model,
				   const char *name)
{
	unsigned int i;

	for (i = 0; loom_grouping_name(i); i++) {
		if (!strcmp(loom_grouping_name(i), name)) {
			model->planner.grouping = name;
			return 0;
		}
	}
	return tool_usage(command, "there is no grouping '%s', try: loom plan --strategies", name);
}

static int tool_model_set_objective(const struct tool_command *command, struct tool_model *model,
				    const char *name)
{
	unsigned int i;

	for (i = 0; loom_objective_name(i); i++) {
		if (!strcmp(loom_objective_name(i), name)) {
			model->planner.objective = i;
			return 0;
		}
	}
	return tool_usage(command, "--objective takes time, bytes or sram, not '%s'", name);
}

static int tool_model_set_recompute(const struct tool_command *command, struct tool_model *model,
				    const char *value)
{
	char *end;
	double factor = strtod(value, &end);

	/* round, otherwise 1.23 would be a thousandth less */
	if (end == value || *end || !(factor >= 1 && factor <= 1000))
		return tool_usage(command, "--max-recompute takes a factor from 1 on, not '%s'",
				  value);
	model->planner.max_recompute_permille = (uint32_t)(factor * 1000 + 0.5);
	return 0;
}

int tool_model_getopt(const struct tool_command *command, int argc, char **argv,
		      const char *shorts, const struct option *own)
{
	struct option all[TOOL_MAX_OPTIONS] = { 0 };
	size_t i, count = ARRAY_SIZE(tool_model_options);

	memcpy(all, tool_model_options, sizeof(tool_model_options));
	for (i = 0; own[i].name && count < TOOL_MAX_OPTIONS - 1; i++)
		all[count++] = own[i];
	/* an option that is left out would be an abbreviation of another one */
	if (own[i].name)
		abort();
	return tool_getopt(command, argc, argv, shorts, all);
}

int tool_model_option(const struct tool_command *command, struct tool_model *model, int option,
		      char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tool_model_options) && !model->option; i++)
		if (tool_model_options[i].val == option)
			model->option = tool_model_options[i].name;
	switch (option) {
	case TOOL_OPT_DIM:
		return tool_model_parse_dim(command, model, value);
	case TOOL_OPT_SHAPE:
		return tool_model_parse_shape(command, model, value);
	case TOOL_OPT_VALUE:
		return tool_model_parse_value(command, model, value);
	case TOOL_OPT_STATE:
		return tool_model_parse_state(command, model, value);
	case TOOL_OPT_CHIP:
		return tool_model_set_chip(command, model, value);
	case TOOL_OPT_LANES:
		return tool_set_number(command, "--lanes", "lanes", value, false,
				       &model->lanes);
	case TOOL_OPT_STRATEGY:
		return tool_model_set_strategy(command, model, value);
	case TOOL_OPT_GROUPING:
		return tool_model_set_grouping(command, model, value);
	case TOOL_OPT_OBJECTIVE:
		return tool_model_set_objective(command, model, value);
	case TOOL_OPT_MAX_RECOMPUTE:
		return tool_model_set_recompute(command, model, value);
	case TOOL_OPT_MAX_BYTES:
		return tool_set_number(command, "--max-bytes", "bytes", value, true,
				       &model->planner.max_bytes);
	case TOOL_OPT_MAX_CYCLES:
		return tool_set_number(command, "--max-cycles", "cycles", value, false,
				       &model->planner.max_cycles);
	case TOOL_OPT_TIME_BUDGET:
		return tool_set_number(command, "--time-budget", "milliseconds", value, false,
				       &model->planner.grouping_budget);
	case TOOL_OPT_EFFORT:
		if (strlen(value) != 1 || value[0] < '0' || value[0] > '3')
			return tool_usage(command, "--effort takes 0, 1, 2 or 3, not '%s'", value);
		model->planner.effort = LOOM_EFFORT_ONCE + (value[0] - '0');
		return 0;
	case TOOL_OPT_JOBS:
		return tool_set_jobs(command, value, &model->planner.jobs);
	case TOOL_OPT_MAX_MEMORY:
		return tool_set_number(command, "--max-memory", "bytes", value, true,
				       &model->planner.max_memory_bytes);
	case TOOL_OPT_MAX_WORK:
		return tool_set_number(command, "--max-work", "units of work", value, true,
				       &model->planner.max_work);
	case TOOL_OPT_NO_CACHE:
		model->no_cache = true;
		return 0;
	case TOOL_OPT_SRAM:
		return tool_set_number(command, "--sram", "bytes", value, true,
				       &model->planner.sram_limit_bytes);
	case TOOL_OPT_IMAGE:
		return tool_model_add_images(model, value);
	case TOOL_OPT_LOAD_IMAGES:
		model->planner.flags |= LOOM_PLANNER_LOAD_IMAGES;
		return 0;
	case TOOL_OPT_LOAD_WEIGHTS:
		model->planner.flags |= LOOM_PLANNER_LOAD_WEIGHTS;
		return 0;
	case TOOL_OPT_NO_OVERLAP:
		model->planner.flags |= LOOM_PLANNER_NO_OVERLAP;
		return 0;
	case TOOL_OPT_NO_RETIME:
		model->planner.flags |= LOOM_PLANNER_NO_RETIME;
		return 0;
	case TOOL_OPT_WHOLE_SUMS:
		model->planner.flags |= LOOM_PLANNER_WHOLE_SUMS;
		return 0;
	case TOOL_OPT_KEEP_ALL:
		model->graph_flags |= LOOM_GRAPH_KEEP_ALL;
		return 0;
	case TOOL_OPT_NODE_ORDER:
		return tool_model_set_node_order(command, model, value);
	}
	return tool_usage(command, "unknown option");
}

int tool_model_open(struct tool_model *model)
{
	struct loom_graph_options options = {
		.max_memory_bytes = model->planner.max_memory_bytes,
		.max_work = model->planner.max_work,
	};
	int64_t start = tool_now_ns();
	struct loom_error err;

	if (loom_program_file_is(model->path))
		return tool_fail("%s: a program, which is planned already: try loom run",
				 model->path);
	if (loom_graph_open_within(model->path, &options, &model->graph, &err))
		return tool_fail("%s", err.text);
	model->import_ns = tool_now_ns() - start;
	return 0;
}

int tool_model_bind(struct tool_model *model, int *code, struct loom_error *err)
{
	struct loom_graph_options options = {
		.flags = model->graph_flags,
		.dims = model->dims,
		.num_dims = model->num_dims,
		.shapes = model->shapes,
		.num_shapes = model->num_shapes,
		.values = model->values,
		.num_values = model->num_values,
		.states = model->states,
		.num_states = model->num_states,
		.max_memory_bytes = model->planner.max_memory_bytes,
		.max_work = model->planner.max_work,
	};
	struct loom_array *constants = NULL;
	int64_t start = tool_now_ns();
	uint32_t i;
	int ret;

	ret = tool_input_values(model, &constants);
	options.constants = constants;
	options.num_constants = model->num_fixed;
	*code = ret ? 0 : loom_graph_finish(model->graph, &options, err);
	for (i = 0; constants && i < model->num_fixed; i++)
		loom_array_clear(&constants[i]);
	free(constants);
	model->import_ns += tool_now_ns() - start;
	return ret;
}

int tool_model_finish(struct tool_model *model)
{
	struct loom_error err;
	uint32_t i;
	int code, ret;

	if (model->file)
		return 0;
	/* groups run in orders of their own */
	if (!model->planner.grouping)
		model->planner.grouping = model->node_order ? "layerwise" : "layergroup";
	ret = tool_model_bind(model, &code, &err);
	if (!ret && code)
		ret = tool_fail("%s", err.text);
	for (i = 0; !ret && i < model->num_images; i++)
		ret = tool_model_set_scope(model, model->images[i]);
	return ret;
}

/*
 * Plans for --lanes of the chip, or a program file for the lanes that it was planned for: on a
 * device with more lanes that is a partition.
 */
static int tool_model_take_lanes(struct tool_model *model)
{
	uint32_t all = model->planner.chip->region[DRM_LOOM_REGION_SRAM].banks;
	uint64_t lanes = model->lanes;

	if (model->file)
		lanes = model->chip.region[DRM_LOOM_REGION_SRAM].banks;
	if (lanes > all && !model->file)
		return tool_fail("--lanes: %llu, and %s has %u lanes", (unsigned long long)lanes,
				 model->planner.chip->name, all);
	if (!lanes || lanes >= all)
		return 0;
	model->part = *model->planner.chip;
	model->part.region[DRM_LOOM_REGION_SRAM].banks = lanes;
	model->all_lanes = all;
	model->planner.chip = &model->part;
	return 0;
}

int tool_model_plan(struct tool_model *model)
{
	int64_t start = tool_now_ns();
	struct loom_planner_options options;
	struct tool_progress progress;

	if (tool_model_take_lanes(model))
		return TOOL_FAILED;
	options = model->planner;
	if (model->file)
		return tool_program_fits(model, model->planner.chip);
	tool_progress_begin(&progress, "loom: planning", false);
	if (progress.visible) {
		options.progress = tool_progress_plan;
		options.progress_data = &progress;
	}
	if (model->no_cache || options.flags & LOOM_PLANNER_EXPLAIN)
		model->refusal = loom_program_create(model->graph, &options, &model->planned,
						     &model->refused);
	else
		model->refusal = loom_program_obtain(model->graph, &options, &model->planned,
						     &model->cached, &model->refused);
	tool_progress_end(&progress);
	if (model->refusal)
		return tool_fail("%s", model->refused.text);
	model->program = model->cached ? loom_program_file_program(model->cached) : model->planned;
	model->plan_ns = tool_now_ns() - start;
	return 0;
}

void tool_model_clear(struct tool_model *model)
{
	loom_program_destroy(model->planned);
	loom_program_unload(model->file);
	loom_program_unload(model->cached);
	loom_graph_destroy(model->graph);
	free(model->dims);
	free(model->shapes);
	free(model->fixed);
	free(model->states);
	free(model->images);
}

/* The update of a state that is written in place, or NULL. */
static const struct loom_program_update *tool_update_of(const struct loom_program *program,
							uint32_t state)
{
	uint32_t i;

	for (i = 0; program && i < program->num_updates; i++)
		if (program->updates[i].state == state)
			return &program->updates[i];
	return NULL;
}

static int64_t tool_rows(const struct loom_program_update *update)
{
	return update->rows.dims[update->axis];
}

static void tool_model_print_ends(const struct tool_model *model)
{
	struct loom_tensor_info info;
	char dims[TOOL_TEXT];
	uint32_t i;

	for (i = 0; !tool_model_input(model, i, &info); i++)
		printf("input      %s %s %s\n", info.name, loom_dtype_name(info.dtype),
		       tool_dims(dims, info.rank, info.dims));
	for (i = 0; !tool_model_output(model, i, &info); i++)
		printf("output     %s %s %s\n", info.name, loom_dtype_name(info.dtype),
		       tool_dims(dims, info.rank, info.dims));
	for (i = 0; i < model->num_states; i++) {
		const struct loom_program_update *update = tool_update_of(model->program, i);

		printf("state      %s is %s of the next run", model->states[i].output,
		       model->states[i].input);
		if (update)
			printf("; a run writes %lld of its rows", (long long)tool_rows(update));
		putchar('\n');
	}
}

/* Apart from the promise, which is that of a partition with the DRAM to itself. */
static void tool_model_print_contention(const struct tool_model *model)
{
	const struct loom_program_stats *stats = &model->program->stats;
	const struct drm_loom_chip *chip = &model->part;
	uint32_t lanes = chip->region[DRM_LOOM_REGION_SRAM].banks;
	uint64_t bus = loom_clock_memory(&chip->region[DRM_LOOM_REGION_DRAM],
					 stats->dram_read_bytes, stats->dram_write_bytes);
	uint32_t partitions = model->all_lanes / lanes;
	double busy = stats->cycles ? (double)bus / stats->cycles : 0;

	printf("partition  %u of %u lanes; DRAM busy %.0f%% of the cycles", lanes,
	       model->all_lanes, 100 * busy);
	if (partitions > 1)
		printf(": %u of these at once need %.2fx the cycles at least", partitions,
		       partitions * busy > 1 ? partitions * busy : 1.0);
	printf("\n");
}

static void tool_model_print_place(const struct tool_model *model)
{
	const struct loom_program_stats *stats = &model->program->stats;
	char a[TOOL_TEXT], b[TOOL_TEXT];

	printf("chip       %s: %u lanes of %s, %u DRAM banks\n", model->planner.chip->name,
	       model->planner.chip->region[DRM_LOOM_REGION_SRAM].banks,
	       tool_bytes(a, model->planner.chip->region[DRM_LOOM_REGION_SRAM].bank_bytes),
	       model->planner.chip->region[DRM_LOOM_REGION_DRAM].banks);
	if (model->all_lanes)
		tool_model_print_contention(model);
	printf("weights    %s\n", tool_bytes(a, stats->weights_bytes));
	printf("neurons    %llu of %s in all, peak %s by '%s'",
	       (unsigned long long)stats->neurons, tool_bytes(a, stats->neuron_sum_bytes),
	       tool_bytes(b, stats->arena_bytes), model->program->placer);
	printf(", lower bound %s\n", tool_bytes(a, stats->bound_bytes));
	if (stats->images)
		printf("images     %llu values of %s in %llu images of %s\n",
		       (unsigned long long)stats->images,
		       tool_bytes(a, stats->image_value_bytes),
		       (unsigned long long)stats->image_pools,
		       tool_bytes(b, stats->image_bytes));
	if (stats->given_order_bytes)
		printf("node order %s alive at once, %s%s\n", tool_bytes(a, stats->order_bytes),
		       stats->order_bytes < stats->given_order_bytes ? "moved from " :
		       "as in the model",
		       stats->order_bytes < stats->given_order_bytes ?
		       tool_bytes(b, stats->given_order_bytes) : "");
}

static void tool_model_print_plan(const struct tool_model *model)
{
	const struct loom_program_stats *stats = &model->program->stats;
	const struct drm_loom_chip *chip = model->planner.chip;
	uint64_t align = chip->region[DRM_LOOM_REGION_SRAM].align_bytes;
	uint32_t lanes = chip->region[DRM_LOOM_REGION_SRAM].banks;
	char a[TOOL_TEXT], b[TOOL_TEXT], c[TOOL_TEXT];

	if (stats->cut_nodes)
		printf("sums       %llu nodes do not fit: put together of partial sums\n",
		       (unsigned long long)stats->cut_nodes);
	printf("plan       %llu nodes (%llu sliced), %llu tensors, %llu steps, %llu commands, %s\n",
	       (unsigned long long)stats->nodes, (unsigned long long)stats->sliced_nodes,
	       (unsigned long long)stats->tensors, (unsigned long long)stats->steps,
	       (unsigned long long)stats->commands, tool_bytes(a, stats->plan_bytes));
	printf("scratch    %s of SRAM per lane, %s alive at once",
	       tool_bytes(a, stats->scratch_bytes), tool_bytes(b, stats->sram_peak_bytes));
	printf("; %s in all lanes%s\n", tool_bytes(a, stats->sram_bytes * lanes),
	       stats->sram_bytes >= stats->scratch_bytes + align ? ", with buffers" : "");
	printf("traffic    DRAM %s read, %s written; %.1f MMAC",
	       tool_bytes(a, stats->dram_read_bytes), tool_bytes(b, stats->dram_write_bytes),
	       stats->macs / 1e6);
	if (chip->region[DRM_LOOM_REGION_ROM].banks)
		printf("; ROM %s read", tool_bytes(a, stats->rom_read_bytes));
	printf("; SRAM %s read, %s written\n", tool_bytes(a, stats->sram_read_bytes),
	       tool_bytes(c, stats->sram_write_bytes));
	printf("groups     %llu by '%s', %s, %.1f MMAC recomputed",
	       (unsigned long long)stats->groups, model->program->grouping,
	       tool_cycles(a, stats->cycles), stats->recomputed_macs / 1e6);
	printf("; both streams in one sub-bank in %llu steps\n",
	       (unsigned long long)stats->conflict_steps);
	tool_speed_print(model);
	tool_least_print(model);
}

void tool_model_print(const struct tool_model *model, enum tool_stage stage)
{
	printf("model      %s\n", model->path);
	tool_model_print_ends(model);
	if (stage >= TOOL_STAGE_PLACE)
		tool_model_print_place(model);
	if (stage >= TOOL_STAGE_PLAN)
		tool_model_print_plan(model);
}

static void tool_model_json_ends(const struct tool_model *model, struct json *json)
{
	int (*const get[])(const struct tool_model *, uint32_t, struct loom_tensor_info *) = {
		tool_model_input, tool_model_output,
	};
	const struct loom_program_update *update;
	struct loom_tensor_info info;
	uint32_t i, side;

	for (side = 0; side < 2; side++) {
		json_open(json, side ? "outputs" : "inputs", '[');
		for (i = 0; !get[side](model, i, &info); i++) {
			json_open(json, NULL, '{');
			json_string(json, "name", info.name);
			json_string(json, "dtype", loom_dtype_name(info.dtype));
			json_dims(json, "dims", info.rank, info.dims);
			json_close(json, '}');
		}
		json_close(json, ']');
	}
	if (!model->num_states)
		return;
	json_open(json, "states", '[');
	for (i = 0; i < model->num_states; i++) {
		json_open(json, NULL, '{');
		json_string(json, "output", model->states[i].output);
		json_string(json, "input", model->states[i].input);
		update = tool_update_of(model->program, i);
		if (update)
			json_u64(json, "rows", (uint64_t)tool_rows(update));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void tool_model_json_plan(const struct tool_model *model, enum tool_stage stage,
				 struct json *json)
{
	const struct loom_program_stats *stats = &model->program->stats;

	json_string(json, "chip", model->planner.chip->name);
	/* key of version 0.1 */
	json_string(json, "topology", model->planner.chip->name);
	json_string(json, "strategy", model->program->placer);
	json_u64(json, "nodes", stats->nodes);
	json_u64(json, "weights_bytes", stats->weights_bytes);
	json_u64(json, "neurons", stats->neurons);
	json_u64(json, "neuron_sum_bytes", stats->neuron_sum_bytes);
	json_u64(json, "neuron_peak_bytes", stats->arena_bytes);
	json_u64(json, "neuron_bound_bytes", stats->bound_bytes);
	json_u64(json, "images", stats->images);
	json_u64(json, "image_pools", stats->image_pools);
	json_u64(json, "image_value_bytes", stats->image_value_bytes);
	json_u64(json, "image_bytes", stats->image_bytes);
	json_u64(json, "given_order_bytes", stats->given_order_bytes);
	json_u64(json, "order_bytes", stats->order_bytes);
	json_bool(json, "order_proved", stats->order_proved);
	if (stage < TOOL_STAGE_PLAN)
		return;
	json_u64(json, "sliced_nodes", stats->sliced_nodes);
	json_u64(json, "cut_nodes", stats->cut_nodes);
	json_u64(json, "scratch_bytes", stats->scratch_bytes);
	json_u64(json, "sram_bytes", stats->sram_bytes);
	json_u64(json, "plan_bytes", stats->plan_bytes);
	json_u64(json, "tensors", stats->tensors);
	json_u64(json, "steps", stats->steps);
	json_u64(json, "commands", stats->commands);
	json_u64(json, "macs", stats->macs);
	json_u64(json, "recomputed_macs", stats->recomputed_macs);
	json_string(json, "grouping", model->program->grouping);
	json_u64(json, "groups", stats->groups);
	json_u64(json, "cycles", stats->cycles);
	json_u64(json, "dma_cycles", stats->dma_cycles);
	json_u64(json, "compute_cycles", stats->compute_cycles);
	json_u64(json, "energy_fj", stats->energy_fj);
	json_u64(json, "sram_peak_bytes", stats->sram_peak_bytes);
	json_u64(json, "conflict_steps", stats->conflict_steps);
	json_u64(json, "dram_read_bytes", stats->dram_read_bytes);
	json_u64(json, "dram_write_bytes", stats->dram_write_bytes);
	json_u64(json, "rom_read_bytes", stats->rom_read_bytes);
	json_u64(json, "sram_read_bytes", stats->sram_read_bytes);
	json_u64(json, "sram_write_bytes", stats->sram_write_bytes);
	tool_speed_json(model, json);
	tool_least_json(model->program, json);
}

void tool_model_json(const struct tool_model *model, enum tool_stage stage, struct json *json)
{
	json_string(json, "model", model->path);
	tool_model_json_ends(model, json);
	if (stage >= TOOL_STAGE_PLACE)
		tool_model_json_plan(model, stage, json);
}

void tool_model_print_start(const struct tool_model *model)
{
	if (model->file)
		printf("start-up   %.3f s to load the program, and nothing to plan\n",
		       model->load_ns / 1e9);
	else
		printf("start-up   %.3f s to import the model, %.3f s to plan it\n",
		       model->import_ns / 1e9, model->plan_ns / 1e9);
}

void tool_model_json_start(const struct tool_model *model, struct json *json)
{
	if (model->file)
		json_double(json, "load_seconds", model->load_ns / 1e9);
	json_double(json, "import_seconds", model->import_ns / 1e9);
	json_double(json, "plan_seconds", model->plan_ns / 1e9);
}
