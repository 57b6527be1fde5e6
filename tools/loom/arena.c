// SPDX-License-Identifier: MIT
#include "tool.h"

#include <stdlib.h>
#include <string.h>

#include "loom_place_file.h"

/* The arena of a planned model as a placement problem: a file for other planners, and a picture. */

/* Alignment of every neuron, as the planner chooses it. */
#define TOOL_ARENA_ALIGN	64

/**
 * struct tool_arena - a model's arena
 * @problem: the neurons; its unit of time is a node
 * @items: of @problem
 * @names: by item
 * @offsets: by item
 */
struct tool_arena {
	struct loom_place_problem problem;
	struct loom_place_item *items;
	const char **names;
	uint64_t *offsets;
};

static void tool_arena_clear(struct tool_arena *arena)
{
	free(arena->items);
	free(arena->names);
	free(arena->offsets);
}

static int tool_arena_make(struct tool_arena *arena, const struct loom_program *program)
{
	const struct loom_program_neuron *neuron;
	uint32_t i;

	*arena = (struct tool_arena){
		.items = calloc(program->num_neurons + 1ULL, sizeof(*arena->items)),
		.names = calloc(program->num_neurons + 1ULL, sizeof(*arena->names)),
		.offsets = calloc(program->num_neurons + 1ULL, sizeof(*arena->offsets)),
	};
	if (!arena->items || !arena->names || !arena->offsets)
		return tool_fail("no memory");
	for (i = 0; i < program->num_neurons; i++) {
		neuron = &program->neurons[i];
		arena->names[i] = neuron->name;
		arena->offsets[i] = neuron->offset;
		arena->items[i] = (struct loom_place_item){
			.size_bytes = neuron->size_bytes,
			.align_bytes = TOOL_ARENA_ALIGN,
			.lower = neuron->first_node,
			.upper = neuron->last_node + 1LL,
		};
	}
	arena->problem.items = arena->items;
	arena->problem.num_items = program->num_neurons;
	return 0;
}

static int tool_arena_save_csv(const struct tool_arena *arena, const char *path)
{
	size_t size_bytes;
	char *text;
	int ret;

	ret = loom_place_csv_format(&arena->problem, arena->names, NULL, &text, &size_bytes);
	if (ret)
		return tool_fail("%s: %s", path, strerror(-ret));
	ret = tool_save(path, text, size_bytes);
	free(text);
	return ret;
}

static int tool_arena_save_svg(const struct tool_arena *arena, const struct tool_model *model,
			       const char *path)
{
	uint64_t height = model->program->stats.arena_bytes;
	uint64_t bound = model->program->stats.bound_bytes;
	const char *slash = strrchr(model->path, '/');
	char title[256];
	struct loom_place_result result = {
		.strategy = model->program->placer,
		.offsets = arena->offsets,
		.height_bytes = &height,
		.bound_bytes = &bound,
		.num_pools = 1,
		.proved = height == bound,
	};
	struct loom_place_svg_options options = {
		.title = title,
		.ids = arena->names,
		.time = "node",
	};
	size_t size_bytes;
	char *text;
	int ret;

	snprintf(title, sizeof(title), "%s%s", slash ? slash + 1 : model->path,
		 arena->problem.num_items ? "" : ": all values stay in SRAM");
	ret = loom_place_svg(&arena->problem, &result, &options, &text, &size_bytes);
	if (ret)
		return tool_fail("%s: %s", path, strerror(-ret));
	ret = tool_save(path, text, size_bytes);
	free(text);
	return ret;
}

int tool_arena_save(const struct tool_model *model, const char *csv_path, const char *svg_path)
{
	struct tool_arena arena;
	int ret;

	ret = tool_arena_make(&arena, model->program);
	if (!ret && !arena.problem.num_items)
		fprintf(stderr, "loom: %s: nothing is placed in DRAM, as all values stay in SRAM; "
			"loom plan --svg draws them there\n", csv_path ? csv_path : svg_path);
	if (!ret && csv_path)
		ret = tool_arena_save_csv(&arena, csv_path);
	if (!ret && svg_path)
		ret = tool_arena_save_svg(&arena, model, svg_path);
	tool_arena_clear(&arena);
	return ret;
}
