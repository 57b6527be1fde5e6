// SPDX-License-Identifier: MIT
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include <drm/loom_accel_plan.h>

/**
 * struct view_plan - the tables of a plan
 * @program: the program
 * @header: the first bytes of its plan
 * @tensors: its table of tensors
 * @steps: its table of steps
 * @commands: its table of commands
 * @views: its table of operands
 * @times: by step
 * @spans: by command
 * @names: its names
 */
struct view_plan {
	const struct loom_program *program;
	const struct drm_loom_plan_header *header;
	const struct drm_loom_plan_tensor *tensors;
	const struct drm_loom_plan_step *steps;
	const struct drm_loom_plan_command *commands;
	const struct drm_loom_plan_view *views;
	struct loom_program_span *times;
	struct loom_program_span *spans;
	struct tool_names names;
};

static void view_chip(const struct drm_loom_chip *chip, struct json *json)
{
	const struct drm_loom_chip_region *sram = &chip->region[DRM_LOOM_REGION_SRAM];

	json_open(json, "chip", '{');
	json_string(json, "name", chip->name);
	json_u64(json, "frequency_hz", chip->frequency_hz);
	json_bool(json, "overlap", chip->flags & DRM_LOOM_CHIP_OVERLAP);
	json_u64(json, "lanes", sram->banks);
	json_u64(json, "sram_bytes", sram->bank_bytes - sram->reserved_bytes);
	json_u64(json, "sram_reserved_bytes", sram->reserved_bytes);
	json_u64(json, "sram_sub_banks", sram->sub_banks);
	json_u64(json, "dma_start", chip->dma_start);
	json_u64(json, "compute_start", chip->compute_start);
	json_u64(json, "dram_banks", chip->region[DRM_LOOM_REGION_DRAM].banks);
	json_close(json, '}');
}

static void view_slots(const struct view_plan *v, struct json *json)
{
	const struct drm_loom_plan_slot *slots =
		(const void *)((const char *)v->program->plan + v->header->slots.offset);
	uint32_t i;

	json_open(json, "slots", '[');
	for (i = 0; i < v->program->num_slots; i++) {
		const struct loom_program_slot *slot = &v->program->slots[i];

		json_open(json, NULL, '{');
		json_u64(json, "kind", slot->kind);
		json_u64(json, "bytes", slot->size_bytes);
		json_string(json, "in", slots[i].flags & DRM_LOOM_SLOT_SRAM ? "SRAM" :
			    slots[i].flags & DRM_LOOM_SLOT_ROM ? "ROM" : "DRAM");
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void view_names(const struct view_plan *v, struct json *json)
{
	uint32_t i;

	json_open(json, "names", '[');
	for (i = 0; i < v->names.count; i++)
		json_string(json, NULL, v->names.names[i]);
	json_close(json, ']');
	json_open(json, "dtypes", '[');
	for (i = 0; i < DRM_LOOM_DTYPE_END; i++)
		json_string(json, NULL, loom_dtype_name(i) ? loom_dtype_name(i) : "");
	json_close(json, ']');
}

/* Write a column; @value is an expression in the row i. */
#define VIEW_COLUMN(json, key, count, put, value)				\
	do {									\
		struct tool_column column = tool_column_open(json, key);	\
		uint32_t i;							\
		for (i = 0; i < (count); i++)					\
			put(&column, value);					\
		tool_column_close(&column);					\
	} while (0)

static void view_nodes(const struct view_plan *v, struct json *json)
{
	const struct loom_program *p = v->program;

	json_open(json, "nodes", '{');
	json_u64(json, "count", p->num_nodes);
	VIEW_COLUMN(json, "name", p->num_nodes, tool_column_step,
		    tool_names_find(&v->names, p->nodes[i].name));
	VIEW_COLUMN(json, "op", p->num_nodes, tool_column_step,
		    tool_names_find(&v->names, p->nodes[i].op));
	json_close(json, '}');
}

static void view_steps(const struct view_plan *v, struct json *json)
{
	const uint32_t count = v->header->steps.count;

	json_open(json, "steps", '{');
	json_u64(json, "count", count);
	VIEW_COLUMN(json, "cycles", count, tool_column_put,
		    v->times[i].end - v->times[i].first);
	VIEW_COLUMN(json, "dma", count, tool_column_put, v->steps[i].dma_commands);
	VIEW_COLUMN(json, "compute", count, tool_column_put, v->steps[i].compute_commands);
	json_close(json, '}');
}

static uint64_t view_bytes(const struct drm_loom_plan_view *view)
{
	uint64_t bytes = loom_dtype_size(view->dtype);
	uint32_t i;

	for (i = 0; i < view->rank; i++)
		bytes *= view->dims[i];
	return bytes;
}

/* The node of a command, from 1 on; those of none have 0. */
static uint32_t view_node(const struct view_plan *v, uint32_t command)
{
	const uint32_t node = v->program->command_nodes[command];

	return node == LOOM_NODE_NONE ? 0 : node + 1;
}

static void view_commands(const struct view_plan *v, struct json *json)
{
	const uint32_t count = v->header->commands.count;
	struct tool_column column;
	uint32_t i, k;

	json_open(json, "commands", '{');
	json_u64(json, "count", count);
	VIEW_COLUMN(json, "opcode", count, tool_column_step, v->commands[i].opcode);
	VIEW_COLUMN(json, "node", count, tool_column_step, view_node(v, i));
	VIEW_COLUMN(json, "cycles", count, tool_column_put,
		    v->spans[i].end - v->spans[i].first);
	VIEW_COLUMN(json, "bytes", count, tool_column_put,
		    view_bytes(&v->views[v->commands[i].first_view]));
	VIEW_COLUMN(json, "operands", count, tool_column_put, v->commands[i].operands);
	column = tool_column_open(json, "tensors");
	for (i = 0; i < count; i++)
		for (k = 0; k < v->commands[i].operands; k++)
			tool_column_step(&column,
					 v->views[v->commands[i].first_view + k].tensor);
	tool_column_close(&column);
	json_close(json, '}');
}

/* Where a tensor lies: 0: in the scratch, else a slot, from 1 on. */
static uint32_t view_place(const struct drm_loom_plan_tensor *tensor)
{
	return tensor->region == DRM_LOOM_REGION_SRAM && !(tensor->flags & DRM_LOOM_TENSOR_SLOT) ?
		0 : tensor->slot + 1;
}

static void view_tensors(const struct view_plan *v, struct json *json)
{
	const struct drm_loom_plan_tensor *t = v->tensors;
	const struct loom_program_label *labels = v->program->labels;
	const uint32_t count = v->header->tensors.count;
	struct tool_column column;
	uint32_t i, k;

	json_open(json, "tensors", '{');
	json_u64(json, "count", count);
	VIEW_COLUMN(json, "name", count, tool_column_step,
		    tool_names_find(&v->names, labels[i].name));
	VIEW_COLUMN(json, "kind", count, tool_column_put, labels[i].kind);
	VIEW_COLUMN(json, "slice", count, tool_column_step, labels[i].slice);
	VIEW_COLUMN(json, "place", count, tool_column_put, view_place(&t[i]));
	VIEW_COLUMN(json, "parent", count, tool_column_put,
		    t[i].flags & DRM_LOOM_TENSOR_ALIAS ? (int64_t)t[i].parent - i : 0);
	VIEW_COLUMN(json, "offset", count, tool_column_put, t[i].offset);
	VIEW_COLUMN(json, "bytes", count, tool_column_put, t[i].size);
	VIEW_COLUMN(json, "first", count, tool_column_step, t[i].first_step);
	VIEW_COLUMN(json, "steps", count, tool_column_put,
		    (int64_t)t[i].last_step - t[i].first_step);
	VIEW_COLUMN(json, "dtype", count, tool_column_put, t[i].dtype);
	VIEW_COLUMN(json, "rank", count, tool_column_put, t[i].rank);
	column = tool_column_open(json, "dims");
	for (i = 0; i < count; i++)
		for (k = 0; k < t[i].rank; k++)
			tool_column_put(&column, t[i].dims[k]);
	tool_column_close(&column);
	json_close(json, '}');
}

/* Bottlenecks of groups, with the names of "loom plan --explain --json". */
static void view_bounds(struct json *json)
{
	uint32_t i;

	json_open(json, "bounds", '[');
	for (i = 0; i < LOOM_BOUNDS; i++)
		json_string(json, NULL, loom_bound_name(i));
	json_close(json, ']');
}

static void view_groups(const struct view_plan *v, struct json *json)
{
	const struct loom_program_group *g = v->program->groups;
	const uint32_t count = v->program->num_groups;
	struct tool_column column;
	uint32_t i, k;

	view_bounds(json);
	json_open(json, "groups", '{');
	json_u64(json, "count", count);
	VIEW_COLUMN(json, "first_node", count, tool_column_step, g[i].first_node);
	VIEW_COLUMN(json, "last_node", count, tool_column_step, g[i].last_node);
	VIEW_COLUMN(json, "first_step", count, tool_column_step, g[i].first_step);
	VIEW_COLUMN(json, "steps", count, tool_column_put, g[i].num_steps);
	VIEW_COLUMN(json, "slices", count, tool_column_put, g[i].slices);
	VIEW_COLUMN(json, "cycles", count, tool_column_put, g[i].cycles);
	VIEW_COLUMN(json, "dma_cycles", count, tool_column_put, g[i].dma_cycles);
	VIEW_COLUMN(json, "compute_cycles", count, tool_column_put, g[i].compute_cycles);
	VIEW_COLUMN(json, "mac_cycles", count, tool_column_put, g[i].mac_cycles);
	VIEW_COLUMN(json, "op_cycles", count, tool_column_put, g[i].op_cycles);
	VIEW_COLUMN(json, "lane_cycles", count, tool_column_put, g[i].lane_cycles);
	VIEW_COLUMN(json, "macs", count, tool_column_put, g[i].macs);
	VIEW_COLUMN(json, "dram_read_bytes", count, tool_column_put, g[i].dram_read_bytes);
	VIEW_COLUMN(json, "dram_write_bytes", count, tool_column_put, g[i].dram_write_bytes);
	VIEW_COLUMN(json, "weights_bytes", count, tool_column_put, g[i].weights_bytes);
	VIEW_COLUMN(json, "sram_bytes", count, tool_column_put, g[i].sram_bytes);
	VIEW_COLUMN(json, "bound", count, tool_column_put, g[i].bound);
	column = tool_column_open(json, "parts");
	for (i = 0; i < count; i++)
		for (k = 0; k < LOOM_BOUNDS; k++)
			tool_column_put(&column, g[i].part_cycles[k]);
	tool_column_close(&column);
	json_close(json, '}');
}

static void view_cuts(const struct view_plan *v, struct json *json)
{
	const struct loom_program_cut *c = v->program->cuts;
	const uint32_t count = v->program->num_groups ? v->program->num_groups - 1 : 0;

	json_open(json, "cuts", '{');
	json_u64(json, "count", count);
	VIEW_COLUMN(json, "dram_bytes", count, tool_column_put, c[i].dram_bytes);
	VIEW_COLUMN(json, "sram_bytes", count, tool_column_put, c[i].sram_bytes);
	VIEW_COLUMN(json, "why", count, tool_column_put, c[i].why);
	VIEW_COLUMN(json, "short_bytes", count, tool_column_put, c[i].short_bytes);
	json_close(json, '}');
}

static void view_tables(const struct view_plan *v, struct json *json)
{
	view_slots(v, json);
	view_names(v, json);
	view_nodes(v, json);
	view_groups(v, json);
	view_cuts(v, json);
	tool_peaks_json_arena(v->program, 5, json);
	view_steps(v, json);
	view_commands(v, json);
	view_tensors(v, json);
}

static void view_open(struct view_plan *v, const struct loom_program *program)
{
	const char *plan = program->plan;
	const struct drm_loom_plan_header *header = program->plan;

	*v = (struct view_plan){
		.program = program,
		.header = header,
		.tensors = (const void *)(plan + header->tensors.offset),
		.steps = (const void *)(plan + header->steps.offset),
		.commands = (const void *)(plan + header->commands.offset),
		.views = (const void *)(plan + header->views.offset),
	};
}

const char *tool_view_title(const struct tool_model *model)
{
	const char *slash = strrchr(model->path, '/');

	return slash ? slash + 1 : model->path;
}

int tool_view_data(const struct tool_model *model, struct json *json)
{
	struct tool_model shown = *model;
	struct view_plan v;
	int ret = 0;

	view_open(&v, model->program);
	if (loom_program_times(model->program, model->planner.chip, &v.times, &v.spans))
		return tool_fail("no memory");
	ret = tool_names_make(&v.names, model->program);
	if (!ret) {
		/* pages are shared, so they must not contain paths of this machine */
		shown.path = tool_view_title(model);
		json_open(json, NULL, '{');
		json_open(json, "figures", '{');
		tool_model_json(&shown, TOOL_STAGE_PLAN, json);
		json_close(json, '}');
		json_string(json, "objective",
			    loom_objective_name(model->planner.objective));
		view_chip(model->planner.chip, json);
		view_tables(&v, json);
		json_close(json, '}');
	}
	tool_names_clear(&v.names);
	free(v.times);
	free(v.spans);
	return ret;
}
