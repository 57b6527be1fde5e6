// SPDX-License-Identifier: MIT
/*
 * GATHER: elements at indices from the data. All of the axis is needed for any part of the result,
 * but only what the indices say is read, if the device reads it where it is (in_place.c).
 */
#include "nest.h"
#include "operators.h"

static int gather_stages(struct loom_lower *lower, struct loom_kernel *kernel,
			 const struct loom_nest_axes *nest)
{
	static const u32 operands[] = { 0, 1, 2 };
	struct loom_stage *stage;
	u32 axis = 0;

	(void)lower;
	while (!(nest->apart >> axis & 1))
		axis++;
	stage = loom_kernel_stage(kernel, DRM_LOOM_OP_GATHER, 3, operands);
	stage->attr_bytes = sizeof(stage->gather);
	stage->gather.axis = axis;
	kernel->operands[1].map[axis].kind = LOOM_MAP_FULL;
	/* the result may be cut there, unlike that of operations on runs */
	kernel->whole &= ~(1U << axis);
	if (nest->rank > 1)
		kernel->last_resort = 1U << (nest->rank - 1);
	return 0;
}

int loom_lower_gather(struct loom_lower *lower, const struct loom_node *node)
{
	struct loom_nest_axes nest = {
		.node = node, .num_refs = 3, .stages = gather_stages,
		.apart = 1U << node->gather.axis,
	};
	int ret = loom_storage_write(lower, node->output, &nest.refs[0]);
	u32 i;

	for (i = 0; i < 2 && !ret; i++)
		ret = loom_storage_read(lower, node->inputs[i], &nest.refs[1 + i]);
	if (ret)
		return ret;
	nest.rank = nest.refs[0].rank;
	for (i = 0; i < nest.rank; i++)
		nest.dims[i] = nest.refs[0].dims[i];
	return loom_nest_lower(lower, &nest);
}
