// SPDX-License-Identifier: MIT
/* loom place of TensorFlow Lite files: memory plans for its runtime on microcontrollers. */
#include "place.h"

#include <stdlib.h>
#include <string.h>

int tool_place_load_tflite(struct tool_placing *place)
{
	struct loom_error err;
	size_t size_bytes;
	char *text;
	int ret;

	ret = loom_tflite_memory_load(place->path, &place->memory, &err);
	if (!ret && place->reorder)
		ret = loom_tflite_memory_reorder(place->memory, &err);
	if (ret)
		return tool_fail("%s", err.text);
	/* names of tensors become ids, which are unique */
	ret = loom_place_csv_format(&place->memory->problem, place->memory->ids, NULL, &text,
				    &size_bytes);
	if (ret)
		return tool_fail("%s: %s", place->path, strerror(-ret));
	ret = loom_place_csv_parse(text, size_bytes, place->path, &place->csv, &err);
	free(text);
	return ret ? tool_fail("%s", err.text) : 0;
}

/* The first range of --forbid that bytes from @lower up to @upper touch, or NULL. */
static const struct loom_place_range *tool_place_touched(const struct tool_placing *place,
							 uint64_t lower, uint64_t upper)
{
	unsigned int i;

	for (i = 0; i < place->num_forbidden; i++)
		if (upper > place->forbidden[i].lower && lower < place->forbidden[i].upper)
			return &place->forbidden[i];
	return NULL;
}

/* Whether a tensor touches what is forbidden. Return: 0, or TOOL_FAILED after a line. */
static int tool_place_check_forbidden(const struct tool_placing *place)
{
	const struct loom_tflite_memory *memory = place->memory;
	const struct loom_place_range *range;
	uint32_t i;

	for (i = 0; i < memory->problem.num_items; i++) {
		const int64_t at = memory->offsets[memory->tensors[i]];

		if (at < 0)
			continue;
		range = tool_place_touched(place, at, at + memory->problem.items[i].size_bytes);
		if (!range)
			continue;
		return tool_fail("%s: memory plan: '%s' at %lld touches the forbidden %llu-%llu",
				 memory->name, memory->ids[i], (long long)at,
				 (unsigned long long)range->lower,
				 (unsigned long long)range->upper);
	}
	return 0;
}

int tool_place_check_tflite(const struct tool_placing *place)
{
	struct loom_tflite_verdict verdict;
	struct loom_error err;
	char text[TOOL_TEXT];
	struct json json;
	int ret;

	ret = loom_tflite_memory_check(place->memory, &verdict, &err);
	if (!ret && verdict.arena_bytes > place->capacity_bytes)
		return tool_fail("%s: a capacity of %llu bytes falls short by %llu of its plan",
				 place->memory->name, (unsigned long long)place->capacity_bytes,
				 (unsigned long long)(verdict.arena_bytes -
						      place->capacity_bytes));
	if (ret)
		return tool_fail("%s", err.text);
	ret = tool_place_check_forbidden(place);
	if (ret)
		return ret;
	if (place->json) {
		json_begin(&json, stdout);
		json_string(&json, "file", place->path);
		json_u64(&json, "tensors", place->memory->num_tensors);
		json_u64(&json, "placed", verdict.num_placed);
		json_u64(&json, "left", verdict.num_left);
		json_u64(&json, "shared", verdict.num_shared);
		json_u64(&json, "arena_bytes", verdict.arena_bytes);
		json_u64(&json, "bound_bytes", verdict.bound_bytes);
		json_end(&json);
		return 0;
	}
	printf("file       %s\n", place->path);
	printf("plan       valid: no two tensors that are alive together share a byte\n");
	printf("tensors    %u placed, %u left to the runtime, %u reshaped where they are\n",
	       verdict.num_placed, verdict.num_left, verdict.num_shared);
	printf("arena      %llu bytes, %s\n", (unsigned long long)verdict.arena_bytes,
	       tool_bytes(text, verdict.arena_bytes));
	printf("bound      %llu bytes, %s\n", (unsigned long long)verdict.bound_bytes,
	       tool_bytes(text, verdict.bound_bytes));
	return 0;
}

/* The plan in the file as a placement, if it is one of all tensors. */
static bool tool_place_take_plan(struct tool_placing *place)
{
	const struct loom_tflite_memory *memory = place->memory;
	const uint32_t num_items = memory->problem.num_items;
	struct loom_place_result *before = &place->before;
	struct loom_tflite_verdict verdict;
	uint32_t i;

	if (loom_tflite_memory_check(memory, &verdict, NULL) || verdict.num_left)
		return false;
	before->offsets = calloc(num_items + 1ULL, sizeof(*before->offsets));
	before->pools = calloc(num_items + 1ULL, sizeof(*before->pools));
	before->height_bytes = calloc(1, sizeof(*before->height_bytes));
	before->bound_bytes = calloc(1, sizeof(*before->bound_bytes));
	before->num_pools = 1;
	if (!before->offsets || !before->pools || !before->height_bytes || !before->bound_bytes) {
		loom_place_result_free(before);
		return false;
	}
	for (i = 0; i < num_items; i++)
		before->offsets[i] = (uint64_t)memory->offsets[memory->tensors[i]];
	before->height_bytes[0] = verdict.arena_bytes;
	before->bound_bytes[0] = verdict.bound_bytes;
	return true;
}

int tool_place_solve_before(struct tool_placing *place)
{
	const struct loom_place_options options = { .strategy = "greedy-size" };
	struct loom_tflite_memory *memory = place->memory;
	struct loom_tflite_memory *given = NULL;
	struct loom_place_fault fault;
	struct loom_error err;
	int ret;

	if (place->library &&
	    loom_tflite_memory_runtime(memory, place->result.offsets, place->library,
				       &place->runtime, &err))
		return tool_usage(place->command, "--runtime: %s", err.text);
	if (memory->has_record && !memory->num_moved && tool_place_take_plan(place))
		return 0;
	/* without the new order */
	if (memory->num_moved) {
		ret = loom_tflite_memory_load(place->path, &given, &err);
		if (ret)
			return tool_fail("%s", err.text);
		memory = given;
	}
	ret = loom_place(&memory->problem, &options, &place->before, &fault);
	loom_tflite_memory_destroy(given);
	return ret ? tool_fail("%s: %s", place->path, fault.text) : 0;
}

int tool_place_make_tflite(const struct tool_placing *place, struct tool_place_text *answer)
{
	struct loom_error err;
	void *bytes;
	int ret;

	ret = loom_tflite_memory_write(place->memory, place->result.offsets, &bytes,
				       &answer->size_bytes, &err);
	if (ret)
		return tool_fail("%s", err.text);
	answer->text = bytes;
	return tool_save_begin(&answer->save, place->output, answer->text, answer->size_bytes);
}

void tool_place_print_before(const struct tool_placing *place)
{
	const uint64_t before = place->before.height_bytes[0];
	char text[TOOL_TEXT];

	printf("before     %llu bytes, %s, %s\n", (unsigned long long)before,
	       tool_bytes(text, before), place->before.strategy ?
	       "placed by size when it starts" : "by the plan in the file");
	if (place->reorder)
		printf("order      %u of %u operators moved\n", place->memory->num_moved,
		       place->memory->num_operators);
}

void tool_place_print_runtime(const struct tool_placing *place)
{
	const struct loom_tflite_runtime *runtime = &place->runtime;
	char text[TOOL_TEXT];

	printf("runtime    %llu bytes of structures, scratch up to %llu, planning takes %llu\n",
	       (unsigned long long)runtime->persistent_bytes,
	       (unsigned long long)runtime->scratch_bytes,
	       (unsigned long long)runtime->start_bytes);
	printf("arena      %s%llu bytes, %s, with kernels of %s\n",
	       runtime->num_unknown ? "at least " : "",
	       (unsigned long long)runtime->arena_bytes,
	       tool_bytes(text, runtime->arena_bytes), place->library);
	if (runtime->num_unknown)
		printf("unknown    kernels of %u operators, the first is %s\n",
		       runtime->num_unknown, runtime->unknown);
}

void tool_place_put_runtime(const struct tool_placing *place, struct json *json)
{
	json_open(json, "runtime", '{');
	json_string(json, "library", place->library);
	json_u64(json, "persistent_bytes", place->runtime.persistent_bytes);
	json_u64(json, "scratch_bytes", place->runtime.scratch_bytes);
	json_u64(json, "head_bytes", place->runtime.head_bytes);
	json_u64(json, "start_bytes", place->runtime.start_bytes);
	json_u64(json, "arena_bytes", place->runtime.arena_bytes);
	json_u64(json, "unknown_operators", place->runtime.num_unknown);
	json_close(json, '}');
}
