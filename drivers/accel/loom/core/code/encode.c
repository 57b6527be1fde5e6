// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "code.h"

#include "loom_op.h"

void loom_code_lay(const struct loom_code_header *header, struct loom_code_tables *tables)
{
	tables->ends = sizeof(*header);
	tables->slots = tables->ends + header->lanes * (u64)sizeof(struct loom_code_end);
	tables->steps = tables->slots + header->slots * (u64)sizeof(struct loom_code_slot);
	tables->commands = tables->steps + header->steps * (u64)sizeof(struct loom_code_step);
	tables->views = tables->commands +
			header->commands * (u64)sizeof(struct loom_code_command);
	tables->attrs = tables->views + header->views * (u64)sizeof(struct loom_code_view);
	tables->size = tables->attrs + ((u64)header->attr_bytes + 7) / 8 * 8;
}

u64 loom_code_sum(const u64 *words, u64 count)
{
	u64 sum = LOOM_CODE_MAGIC, i;

	/* each step is a bijection of the sum, and of the word */
	for (i = 0; i < count; i++) {
		sum = (sum ^ words[i]) * 0x9e3779b97f4a7c15ULL;
		sum = sum << 29 | sum >> 35;
	}
	return sum;
}

static void loom_code_count(const struct loom_plan *plan, struct loom_code_header *header,
			    struct loom_code_tables *tables)
{
	*header = (struct loom_code_header) {
		.magic = LOOM_CODE_MAGIC,
		.version = LOOM_CODE_VERSION,
		.scratch_bytes = plan->scratch_bytes,
		.lanes = plan->lanes,
		.slots = plan->slot_count,
		.steps = plan->step_count,
		.commands = plan->command_count,
		.views = plan->view_count,
		.attr_bytes = plan->attr_bytes,
		.tensors = plan->tensor_count,
	};
	loom_code_lay(header, tables);
	header->size = tables->size;
}

u64 loom_code_bytes(const struct loom_plan *plan)
{
	struct loom_code_header header;
	struct loom_code_tables tables;

	loom_code_count(plan, &header, &tables);
	return tables.size;
}

static void loom_code_slots(const struct loom_plan *plan, struct loom_code_slot *out)
{
	u32 i;

	for (i = 0; i < plan->slot_count; i++) {
		const struct loom_slot *slot = &plan->slots[i];

		out[i] = (struct loom_code_slot) {
			.size = slot->size,
			.flags = slot->flags,
			.dtype = slot->dtype,
			.width = slot->width,
			.height = slot->height,
			.pitch_bytes = slot->pitch_bytes,
		};
	}
}

static void loom_code_steps(const struct loom_plan *plan, struct loom_code_step *out)
{
	u32 i;

	for (i = 0; i < plan->step_count; i++)
		out[i] = (struct loom_code_step) {
			.dma_commands = plan->steps[i].dma_commands,
			.compute_commands = plan->steps[i].commands - plan->steps[i].dma_commands,
		};
}

static void loom_code_view(const struct loom_view *view, struct loom_code_view *out)
{
	u32 i;

	*out = (struct loom_code_view) {
		.slot = view->slot,
		.tensor = view->tensor,
		.region = view->region,
		.dtype = view->dtype,
		.rank = view->rank,
		.lane_axis = view->lane_axis,
		.lane_start = view->lane_start,
		.flags = (view->bound ? LOOM_CODE_VIEW_BOUND : 0) |
			 (view->image ? LOOM_CODE_VIEW_IMAGE : 0),
		.offset = view->offset,
	};
	for (i = 0; i < DRM_LOOM_MAX_RANK; i++) {
		out->dims[i] = view->dims[i];
		out->strides[i] = view->strides[i];
	}
}

/*
 * Commands may share views and attributes, so the tables are kept; only unused entries are zeroed.
 */
static void loom_code_command(const struct loom_plan *plan, const struct loom_command *command,
			      const struct loom_code_tables *tables, u8 *bytes,
			      struct loom_code_command *out)
{
	struct loom_code_view *views = (void *)(bytes + tables->views);
	u32 first = command->views - plan->views, at = 0, i;

	if (command->attr) {
		at = (const u8 *)command->attr - (const u8 *)plan->attrs;
		memcpy(bytes + tables->attrs + at, command->attr, command->op->attr_size);
	}
	*out = (struct loom_code_command) {
		.opcode = command->op->opcode,
		.operands = command->operands,
		.first_view = first,
		.attr_offset = at,
	};
	for (i = 0; i < command->operands; i++)
		loom_code_view(&command->views[i], &views[first + i]);
}

int loom_code_encode(const struct loom_plan *plan, void *out)
{
	struct loom_code_header *header = out;
	struct loom_code_tables tables;
	struct loom_code_command *commands;
	u8 *bytes = out;
	u32 i;

	if (!LOOM_CODE_LITTLE_ENDIAN || plan->native)
		return -EOPNOTSUPP;
	loom_code_count(plan, header, &tables);
	memset(bytes + tables.views, 0, tables.size - tables.views);
	for (i = 0; i < plan->lanes; i++)
		((struct loom_code_end *)(void *)(bytes + tables.ends))[i].bytes =
			plan->scratch_ends[i];
	loom_code_slots(plan, (void *)(bytes + tables.slots));
	loom_code_steps(plan, (void *)(bytes + tables.steps));
	commands = (void *)(bytes + tables.commands);
	for (i = 0; i < plan->command_count; i++) {
		if (i % LOOM_CODE_PIECE == LOOM_CODE_PIECE - 1 && !loom_port_relax())
			return -EINTR;
		loom_code_command(plan, &plan->commands[i], &tables, bytes, &commands[i]);
	}
	header->sum = loom_code_sum(&header->scratch_bytes, loom_code_words(tables.size));
	return 0;
}
