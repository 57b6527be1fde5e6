// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "tile.h"

#include "loom_op.h"

/* Instructions between two calls of loom_port_relax(). */
#define TILE_PIECE	1024

/**
 * struct tile_operand - what the check knows of an operand
 * @lanes: lanes, from the first one
 * @bytes: bytes in each lane
 * @defined: bytes that are defined in all lanes, from the first one
 */
struct tile_operand {
	u32 lanes;
	u64 bytes;
	u64 defined;
};

static bool tile_operand_get(struct tile_operand *operand, const struct loom_view *view, u32 lanes)
{
	s64 stride = view->elem_bytes;
	u32 i;

	if (view->region != DRM_LOOM_REGION_SRAM || view->lane_start ||
	    view->dims[view->lane_axis] > lanes)
		return false;
	for (i = view->rank; i-- > 0;) {
		if (i == view->lane_axis || view->dims[i] == 1)
			continue;
		if (view->strides[i] != stride)
			return false;
		/* below the extent of the tensor */
		stride *= view->dims[i];
	}
	if (stride > U32_MAX)
		return false;
	operand->lanes = view->dims[view->lane_axis];
	operand->bytes = stride;
	operand->defined = 0;
	return true;
}

static u32 tile_check_fields(const struct tile_insn *insn, u32 sources)
{
	u32 i;

	if (sources > 2 || !insn->bytes || !insn->lanes)
		return TILE_OP;
	for (i = sources; i < 2; i++)
		if (insn->from_at[i] || (insn->from[i] && (i || insn->op != TILE_FILL)))
			return TILE_OP;
	return 0;
}

/* Whether bytes [@at, @at + bytes) of an operand exist in the lanes of an instruction. */
static u32 tile_check_range(const struct loom_command *command, const struct tile_insn *insn,
			    const struct tile_operand *operands, u32 index, u32 at)
{
	if (index >= command->operands)
		return TILE_NO_OPERAND;
	if ((u32)insn->first_lane + insn->lanes > operands[index].lanes)
		return TILE_LANES;
	return (u64)at + insn->bytes > operands[index].bytes ? TILE_BYTES : 0;
}

static u32 tile_check_insn(struct loom_payload *payload, const struct tile_insn *insn,
			   struct tile_operand *operands)
{
	const struct loom_command *command = payload->command;
	u32 sources = tile_sources(insn), reason = tile_check_fields(insn, sources), i;
	u64 end = (u64)insn->to_at + insn->bytes;
	struct tile_operand *to;

	if (!reason)
		reason = tile_check_range(command, insn, operands, insn->to, insn->to_at);
	if (!reason && insn->to >= command->written)
		reason = TILE_NOT_WRITTEN;
	for (i = 0; !reason && i < sources; i++) {
		u32 from = loom_index_nospec(insn->from[i], DRM_LOOM_MAX_NATIVE_OPERANDS);
		u64 from_end = (u64)insn->from_at[i] + insn->bytes;

		reason = tile_check_range(command, insn, operands, insn->from[i],
					  insn->from_at[i]);
		if (reason)
			break;
		if (from == insn->to && insn->from_at[i] != insn->to_at &&
		    insn->from_at[i] < end && insn->to_at < from_end)
			return TILE_OVERLAP;
		if (from >= command->reads || from_end <= operands[from].defined)
			continue;
		if (from >= command->outputs)
			return TILE_UNDEFINED;
		/* zeroes are defined, too */
		payload->zero |= 1U << from;
	}
	if (reason)
		return reason;
	to = &operands[loom_index_nospec(insn->to, DRM_LOOM_MAX_NATIVE_OPERANDS)];
	if (insn->lanes == to->lanes && insn->to_at <= to->defined)
		to->defined = max(to->defined, end);
	return 0;
}

static int tile_check(struct loom_payload *payload)
{
	const struct loom_command *command = payload->command;
	struct tile_operand operands[DRM_LOOM_MAX_NATIVE_OPERANDS];
	const struct tile_insn *insn = payload->bytes;
	u32 i, count = payload->size / sizeof(*insn);

	payload->reason = TILE_SIZE;
	if (payload->size % sizeof(*insn))
		return -EBADMSG;
	payload->reason = TILE_OPERAND;
	for (i = 0; i < command->operands; i++)
		if (!tile_operand_get(&operands[i], &command->views[i], payload->lanes))
			return -EBADMSG;
	for (i = 0; i < count; i++) {
		if (i % TILE_PIECE == TILE_PIECE - 1 && !loom_port_relax())
			return -EINTR;
		payload->reason = tile_check_insn(payload, &insn[i], operands);
		payload->at = i * sizeof(*insn);
		if (payload->reason)
			return -EBADMSG;
	}
	for (i = 0; i < command->outputs; i++)
		if (operands[i].defined < operands[i].bytes)
			payload->zero |= 1U << i;
	return 0;
}

static const struct drm_loom_format tile_formats[] = {
	{ .id = TILE_FORMAT_ID, .version = TILE_FORMAT_VERSION },
};

const struct loom_native tile_native = {
	.formats = tile_formats,
	.count = ARRAY_SIZE(tile_formats),
	.check = tile_check,
};
