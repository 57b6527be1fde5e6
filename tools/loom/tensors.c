// SPDX-License-Identifier: MIT
/* Where and when the tensors of a plan are, as JSON. */
#include "tool.h"

#include <stdlib.h>

#include <drm/loom_accel_plan.h>

#define NO_GROUP	UINT32_MAX

static const void *table_of(const struct loom_program *program,
			    const struct drm_loom_table *table)
{
	return (const char *)program->plan + table->offset;
}

static uint32_t group_of_node(const struct loom_program *program, uint32_t node)
{
	uint32_t low = 0, high = program->num_groups;

	while (low + 1 < high) {
		uint32_t middle = low + (high - low) / 2;

		if (program->groups[middle].first_node <= node)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* By tensor: the group of the first command that has it as an operand. From malloc. */
static uint32_t *find_groups(const struct loom_program *program)
{
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_command *commands = table_of(program, &header->commands);
	const struct drm_loom_plan_view *views = table_of(program, &header->views);
	uint32_t *groups = malloc(((size_t)header->tensors.count + 1) * sizeof(*groups));
	uint32_t i, k;

	for (i = 0; groups && i < header->tensors.count; i++)
		groups[i] = NO_GROUP;
	for (i = 0; groups && program->num_groups && i < header->commands.count; i++) {
		const uint32_t node = program->command_nodes[i];

		for (k = 0; node != LOOM_NODE_NONE && k < commands[i].operands; k++) {
			const uint32_t tensor = views[commands[i].first_view + k].tensor;

			if (groups[tensor] == NO_GROUP)
				groups[tensor] = group_of_node(program, node);
		}
	}
	return groups;
}

static void put_tensor(const struct loom_program *program, uint32_t index, uint32_t group,
		       struct json *json)
{
	static const char *const kinds[LOOM_LABELS] = {
		[LOOM_LABEL_ROWS] = "rows", [LOOM_LABEL_LINE] = "line",
		[LOOM_LABEL_RESIDENT] = "resident", [LOOM_LABEL_HELD] = "held",
		[LOOM_LABEL_WEIGHT] = "weight", [LOOM_LABEL_TEMP] = "temp",
	};
	static const char *const slots[] = {
		[LOOM_SLOT_KIND_WEIGHTS] = "weights", [LOOM_SLOT_KIND_INPUT] = "input",
		[LOOM_SLOT_KIND_OUTPUT] = "output", [LOOM_SLOT_KIND_OBSERVED] = "observed",
		[LOOM_SLOT_KIND_ARENA] = "arena", [LOOM_SLOT_KIND_IMAGE] = "image",
	};
	const struct drm_loom_plan_header *header = program->plan;
	const struct drm_loom_plan_tensor *tensor =
		(const struct drm_loom_plan_tensor *)table_of(program, &header->tensors) + index;
	const struct loom_program_label *label = &program->labels[index];
	bool in_slot = tensor->region != DRM_LOOM_REGION_SRAM ||
		       tensor->flags & DRM_LOOM_TENSOR_SLOT;
	int64_t dims[DRM_LOOM_MAX_RANK];
	uint32_t i;

	for (i = 0; i < tensor->rank; i++)
		dims[i] = tensor->dims[i];
	json_open(json, NULL, '{');
	json_string(json, "name", label->name ? label->name : "");
	json_string(json, "kind", in_slot ? slots[program->slots[tensor->slot].kind] :
					    kinds[label->kind] ? kinds[label->kind] : "");
	json_string(json, "region", loom_region_name(tensor->region));
	if (in_slot)
		json_u64(json, "slot", tensor->slot);
	json_u64(json, "offset", tensor->offset);
	json_u64(json, "bytes", tensor->size);
	json_string(json, "dtype", loom_dtype_name(tensor->dtype));
	json_dims(json, "dims", tensor->rank, dims);
	json_u64(json, "first_step", tensor->first_step);
	json_u64(json, "last_step", tensor->last_step);
	json_u64(json, "slice", label->slice);
	if (group != NO_GROUP)
		json_u64(json, "group", group);
	json_close(json, '}');
}

int tool_tensors_json(const struct loom_program *program, struct json *json)
{
	uint32_t *groups = find_groups(program);
	uint32_t i;

	if (!groups)
		return tool_fail("no memory");
	json_open(json, "plan_tensors", '[');
	for (i = 0; i < program->num_labels; i++)
		put_tensor(program, i, groups[i], json);
	json_close(json, ']');
	free(groups);
	return 0;
}
