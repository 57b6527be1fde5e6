// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "fp.h"
#include "loom_op.h"
#include "loom_tile.h"

/* Channels, or rows, whose units are numbered in turn, and that share what they read. */
#define SHARE_TOGETHER	16
/* Shares of each processor: one that is late has little left when the others have ended. */
#define SHARE_EACH	4

/* Units of the output channels that share their inputs, or of one, if it has a group of its own. */
static u64 share_of_channels(const struct loom_command *command)
{
	const struct drm_loom_attr_conv *attr = command->attr;
	const struct loom_view *y = &command->views[0];
	u64 plane = (u64)y->dims[2] * y->dims[3] * loom_tile_per_row(y->dims[4]);
	u32 outputs = y->dims[1] / attr->groups, together = SHARE_TOGETHER;

	return plane * (outputs == 1 ? 1 : min(outputs, together));
}

static u64 share_of_rows(const struct loom_command *command)
{
	return 4ULL * loom_tile_per_row(command->views[0].dims[3]);
}

void loom_share_run(struct loom_command_share *share, const struct loom_command *command,
		    const struct loom_memory *memory, u64 budget)
{
	share->part.left = budget;
	share->unit += loom_engine_go_on(command, memory, share->unit, share->end - share->unit,
					 &share->part);
}

u64 loom_engine_share(const struct loom_command *command, u32 workers)
{
	u64 most = max(loom_div_round_up(command->units, (u64)workers * SHARE_EACH), 1ULL);
	u64 whole;

	switch (command->op->opcode) {
	case DRM_LOOM_OP_CONV:
	case DRM_LOOM_OP_DECONV:
		whole = share_of_channels(command);
		break;
	case DRM_LOOM_OP_MATMUL:
	case DRM_LOOM_OP_MATMUL_ADD:
		whole = share_of_rows(command);
		break;
	default:
		return most;
	}
	/* shares that are whole are best, if there are enough; else those begin well */
	if (loom_div_round_up(command->units, whole) < (u64)workers * SHARE_EACH)
		whole = SHARE_TOGETHER;
	return loom_div_round_up(most, whole) * whole;
}
