// SPDX-License-Identifier: MIT
#include "../tool.h"

#include <string.h>

#include <drm/loom_accel_plan.h>

/**
 * DOC: Explaining groups
 *
 * Lists the groups (their nodes, slices, bytes, and bottlenecks) and the cuts between them (the
 * values that cross it, whether the groups on both sides could be one, and the cost of the best
 * division without the cut). All of it is in the program; here it becomes text and JSON.
 */

/* Values that are listed by name at one cut. */
#define TOOL_EXPLAIN_NAMES	4

static const char *tool_explain_name(const char *name)
{
	return name ? name : "";
}

static void tool_explain_print_node(const struct loom_program *program, uint32_t index)
{
	const struct loom_program_node *node = &program->nodes[index];

	printf("%s '%s'", tool_explain_name(node->op), tool_explain_name(node->name));
}

static void tool_explain_print_weights(const struct loom_program_group *group)
{
	uint64_t held = group->held_bytes, all = group->weights_bytes;
	char a[TOOL_TEXT], b[TOOL_TEXT];

	if (!group->weights_bytes) {
		printf("           no weights\n");
		return;
	}
	printf("           weights %s", tool_bytes(a, group->weights_bytes));
	if (held && held >= all)
		printf(", held for all slices");
	else if (held)
		printf(": %s held for all slices, %s streamed", tool_bytes(a, held),
		       tool_bytes(b, all - held));
	/* a weight that is repeated for each channel counts as often: up to 2 % do not matter */
	if (group->weights_read_bytes <= all + all / 50)
		printf(", read once\n");
	else
		printf(", %s read\n", tool_bytes(a, group->weights_read_bytes));
}

static void tool_explain_print_group(const struct loom_program *program, uint32_t index)
{
	const struct loom_program_group *group = &program->groups[index];
	char a[TOOL_TEXT], b[TOOL_TEXT];

	printf("group %-4u ", index + 1);
	if (group->first_node == group->last_node) {
		printf("node %u: ", group->first_node);
		tool_explain_print_node(program, group->first_node);
	} else {
		printf("nodes %u-%u: ", group->first_node, group->last_node);
		tool_explain_print_node(program, group->first_node);
		printf(" to ");
		tool_explain_print_node(program, group->last_node);
	}
	printf("%s\n           %u slice%s", group->grouped ? "" : ", for itself", group->slices,
	       group->slices == 1 ? "" : "s");
	if (group->axis >= 0)
		printf(" along axis %d", group->axis);
	printf(", loads %s work, steps %u-%u\n", group->overlap ? "beside" : "before",
	       group->first_step, group->first_step + group->num_steps - 1);
	tool_explain_print_weights(group);
	printf("           DRAM %s read, %s written; ", tool_bytes(a, group->dram_read_bytes),
	       tool_bytes(b, group->dram_write_bytes));
	printf("%llu cycles; %s of SRAM per lane\n", (unsigned long long)group->cycles,
	       tool_bytes(a, group->sram_bytes));
}

/* Whether a tensor is alive on both sides of a cut, and was made before it. */
static bool tool_explain_crosses(const struct loom_program *program,
				 const struct drm_loom_plan_tensor *tensor, uint32_t index,
				 bool in_slot)
{
	uint32_t step = program->groups[index + 1].first_step;
	bool scratch = tensor->region == DRM_LOOM_REGION_SRAM &&
		       !(tensor->flags & DRM_LOOM_TENSOR_SLOT);

	return scratch != in_slot && tensor->first_step < step && tensor->last_step >= step &&
	       (scratch || program->slots[tensor->slot].flags & DRM_LOOM_SLOT_WRITE);
}

static const struct drm_loom_plan_tensor *tool_explain_tensors(const struct loom_program *program)
{
	const struct drm_loom_plan_header *header = program->plan;

	return (const void *)((const char *)program->plan + header->tensors.offset);
}

static void tool_explain_print_crossing(const struct loom_program *program, uint32_t index,
					bool in_slot)
{
	const struct drm_loom_plan_tensor *tensors = tool_explain_tensors(program);
	uint32_t count = 0, i;
	char a[TOOL_TEXT];

	for (i = 0; i < program->num_labels; i++) {
		if (!tool_explain_crosses(program, &tensors[i], index, in_slot))
			continue;
		if (count++ < TOOL_EXPLAIN_NAMES)
			printf("%s '%s' %s", count == 1 ? ":" : ",", program->labels[i].name,
			       tool_bytes(a, tensors[i].size));
	}
	if (count > TOOL_EXPLAIN_NAMES)
		printf(" and %u more", count - TOOL_EXPLAIN_NAMES);
	printf("\n");
}

/* How much more than the plan another one costs. */
static void tool_explain_print_difference(const struct loom_program_cut *cut, uint64_t cost)
{
	uint64_t than = cut->with, by = cost > than ? cost - than : than - cost;
	char a[TOOL_TEXT];

	if (!by)
		printf("just as much");
	else if (cut->cycles)
		printf("%llu cycles %s", (unsigned long long)by, cost > than ? "more" : "less");
	else
		printf("%s %s", tool_bytes(a, by), cost > than ? "more" : "less");
}

static void tool_explain_print_why(const struct loom_program *program, uint32_t index)
{
	const struct loom_program_cut *cut = &program->cuts[index];
	char a[TOOL_TEXT];

	switch (cut->why) {
	case LOOM_CUT_NO_CHOICE:
		return;
	case LOOM_CUT_ALONE:
		printf("           no choice: ");
		tool_explain_print_node(program, cut->node);
		printf(" runs for itself\n");
		break;
	case LOOM_CUT_SHAPE:
		printf("           no choice: together they neither fit whole nor can be cut\n");
		break;
	case LOOM_CUT_SRAM:
		printf("           as one group: %s of SRAM per lane too little\n",
		       tool_bytes(a, cut->short_bytes));
		break;
	case LOOM_CUT_COST:
		printf("           as one group: ");
		if (cut->joined == LOOM_CUT_NONE)
			printf("no placement was found");
		else
			tool_explain_print_difference(cut, cut->joined);
		printf("\n");
		break;
	}
	if (cut->without == LOOM_CUT_NONE) {
		printf("           no division without it was found\n");
		return;
	}
	printf("           best division without it: ");
	tool_explain_print_difference(cut, cut->without);
	printf(", with nodes %u-%u as one group\n", cut->around_first, cut->around_last);
}

static void tool_explain_print_cut(const struct tool_model *model, uint32_t index)
{
	const struct loom_program *program = model->program;
	const struct loom_program_cut *cut = &program->cuts[index];
	char a[TOOL_TEXT];

	printf("cut        ");
	if (!cut->dram_bytes && !cut->sram_bytes)
		printf("nothing crosses\n");
	if (cut->dram_bytes) {
		printf("%s cross in %s", tool_bytes(a, cut->dram_bytes),
		       tool_bound_memory(model));
		tool_explain_print_crossing(program, index, true);
	}
	if (cut->sram_bytes) {
		printf("%s%s per lane stay in SRAM", cut->dram_bytes ? "           " : "",
		       tool_bytes(a, cut->sram_bytes));
		tool_explain_print_crossing(program, index, false);
	}
	tool_explain_print_why(program, index);
}

void tool_explain_print(const struct tool_model *model)
{
	const struct loom_program *program = model->program;
	struct tool_peaks *peaks = tool_peaks_open(program);
	uint32_t i;

	tool_least_explain(model);
	tool_bound_print_all(model);
	if (peaks)
		tool_peaks_print_arena(peaks);
	for (i = 0; i < program->num_groups; i++) {
		tool_explain_print_group(program, i);
		if (peaks)
			tool_peaks_print_group(peaks, i);
		tool_bound_print(model, i);
		if (i + 1 < program->num_groups)
			tool_explain_print_cut(model, i);
	}
	tool_peaks_close(peaks);
}

static void tool_explain_json_group(const struct loom_program *program, uint32_t index,
				    struct json *json)
{
	const struct loom_program_group *group = &program->groups[index];
	uint32_t i;

	json_open(json, NULL, '{');
	json_u64(json, "first_node", group->first_node);
	json_u64(json, "last_node", group->last_node);
	json_open(json, "nodes", '[');
	for (i = group->first_node; i <= group->last_node; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", tool_explain_name(program->nodes[i].name));
		json_string(json, "op", tool_explain_name(program->nodes[i].op));
		json_close(json, '}');
	}
	json_close(json, ']');
	json_bool(json, "grouped", group->grouped);
	json_u64(json, "slices", group->slices);
	if (group->axis >= 0)
		json_u64(json, "axis", group->axis);
	json_bool(json, "overlap", group->overlap);
	json_u64(json, "first_step", group->first_step);
	json_u64(json, "steps", group->num_steps);
	json_u64(json, "weights_bytes", group->weights_bytes);
	json_u64(json, "weights_held_bytes", group->held_bytes);
	json_u64(json, "weights_read_bytes", group->weights_read_bytes);
	json_u64(json, "dram_read_bytes", group->dram_read_bytes);
	json_u64(json, "dram_write_bytes", group->dram_write_bytes);
	json_u64(json, "macs", group->macs);
	json_u64(json, "cycles", group->cycles);
	tool_bound_json(group, json);
	json_u64(json, "sram_bytes", group->sram_bytes);
	json_close(json, '}');
}

static void tool_explain_json_crossing(const struct loom_program *program, uint32_t index,
				       bool in_slot, const char *key, struct json *json)
{
	const struct drm_loom_plan_tensor *tensors = tool_explain_tensors(program);
	uint32_t i;

	json_open(json, key, '[');
	for (i = 0; i < program->num_labels; i++)
		if (tool_explain_crosses(program, &tensors[i], index, in_slot))
			json_string(json, NULL, program->labels[i].name);
	json_close(json, ']');
}

static void tool_explain_json_cut(const struct loom_program *program, uint32_t index,
				  struct json *json)
{
	static const char *const whys[] = {
		[LOOM_CUT_ALONE] = "alone",
		[LOOM_CUT_SHAPE] = "shape",
		[LOOM_CUT_SRAM] = "sram",
		[LOOM_CUT_COST] = "cost",
	};
	const struct loom_program_cut *cut = &program->cuts[index];

	json_open(json, NULL, '{');
	json_u64(json, "after_node", program->groups[index].last_node);
	json_u64(json, "dram_bytes", cut->dram_bytes);
	json_u64(json, "sram_bytes", cut->sram_bytes);
	tool_explain_json_crossing(program, index, true, "in_dram", json);
	tool_explain_json_crossing(program, index, false, "in_sram", json);
	if (cut->why != LOOM_CUT_NO_CHOICE) {
		json_string(json, "why", whys[cut->why]);
		if (cut->why == LOOM_CUT_ALONE)
			json_u64(json, "node", cut->node);
		if (cut->why == LOOM_CUT_SRAM)
			json_u64(json, "short_bytes", cut->short_bytes);
		if (cut->why == LOOM_CUT_COST && cut->joined != LOOM_CUT_NONE)
			json_u64(json, cut->cycles ? "joined_cycles" : "joined_bytes", cut->joined);
		json_u64(json, cut->cycles ? "with_cycles" : "with_bytes", cut->with);
		if (cut->without != LOOM_CUT_NONE) {
			json_u64(json, cut->cycles ? "without_cycles" : "without_bytes",
				 cut->without);
			json_u64(json, "around_first_node", cut->around_first);
			json_u64(json, "around_last_node", cut->around_last);
		}
	}
	json_close(json, '}');
}

void tool_explain_json_groups(const struct loom_program *program, struct json *json)
{
	uint32_t i;

	json_open(json, "plan_groups", '[');
	for (i = 0; i < program->num_groups; i++)
		tool_explain_json_group(program, i, json);
	json_close(json, ']');
}

void tool_explain_json(const struct tool_model *model, struct json *json)
{
	const struct loom_program *program = model->program;
	uint32_t i;

	json_open(json, "plan_cuts", '[');
	for (i = 0; i + 1 < program->num_groups; i++)
		tool_explain_json_cut(program, i, json);
	json_close(json, ']');
}
