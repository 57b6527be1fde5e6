// SPDX-License-Identifier: MIT
/*
 * Finds the nodes that do not fit, not even in the smallest slices. Nodes are lowered into a sink
 * that examines the operands of kernels, which must fit, and discards the commands.
 */
#include "planner.h"

#include "lower/operators.h"

/**
 * struct need - needs of the kernels of a node
 * @lower: the state of lowering
 * @too_large: one does not fit
 */
struct need {
	const struct loom_lower *lower;
	bool too_large;
};

/* Images may be used in DRAM, without any SRAM. */
static void leave_images(const struct loom_lower *lower, struct loom_kernel *kernel)
{
	const struct loom_stage *first = &kernel->stages[0];

	if (lower->load_images || !lower->storage->num_images || !kernel->num_stages ||
	    (first->opcode != DRM_LOOM_OP_CONV && first->opcode != DRM_LOOM_OP_POOL))
		return;
	if (kernel->operands[first->operand[1]].role == LOOM_ROLE_LOAD)
		kernel->operands[first->operand[1]].role = LOOM_ROLE_DIRECT;
	kernel->direct = kernel->num_stages == 1;
}

static int see_kernel(void *context, struct loom_kernel *kernel)
{
	struct need *need = context;
	const struct loom_slice_limits *sram = &need->lower->sram;

	leave_images(need->lower, kernel);
	if (kernel->unit_cost > DRM_LOOM_MAX_UNIT_COST) {
		need->too_large = true;
		return 0;
	}
	if (loom_slice_least(kernel, sram) <= sram->bytes)
		return 0;
	loom_slice_spread(kernel, sram->lanes);
	if (loom_slice_least(kernel, sram) > sram->bytes)
		need->too_large = true;
	return 0;
}

static int see_copy(void *context, const struct loom_ref *to, const struct loom_ref *from)
{
	(void)context;
	(void)to;
	(void)from;
	return 0;
}

static int see_fill(void *context, const struct loom_ref *to, u64 bits)
{
	(void)context;
	(void)to;
	(void)bits;
	return 0;
}

u32 loom_large_find(struct loom_lower *lower, bool *too_large)
{
	static const struct loom_sink_ops ops = {
		.symbolic = true, .merged = true, .kernel = see_kernel, .copy = see_copy,
		.fill = see_fill,
	};
	struct loom_lower look = *lower;
	u32 count = 0, i;

	/* other errors of a node are reported by lowering */
	look.err = NULL;
	if (look.in_place != LOOM_IN_PLACE_NEVER)
		look.in_place = LOOM_IN_PLACE_ALWAYS;
	for (i = 0; i < lower->graph->num_nodes; i++) {
		const struct loom_node *node = lower->graph->nodes[i];
		struct need need = { .lower = lower };

		look.sink = (struct loom_sink){ .ops = &ops, .context = &need };
		loom_lower_node(&look, node);
		if (!need.too_large && loom_lower_run_cost(node) <= DRM_LOOM_MAX_UNIT_COST)
			continue;
		too_large[node->output->id] = true;
		count++;
	}
	return count;
}
