// SPDX-License-Identifier: MIT
#include "bound.h"

/**
 * DOC: Bottlenecks of groups
 *
 * A group would take the time of its longer stream if the streams overlapped completely. So its
 * time is the parts of that stream, plus the rest, in which the other stream worked alone: on a
 * chip whose streams alternate, or in steps with work for one stream only. Invariant: the parts add
 * up to the cycles of the group exactly.
 *
 * The rest is at most the shorter stream, so it would hardly ever be the largest part, although
 * alternation is the bottleneck of a group that loads and computes in turn. So parts are compared
 * by the possible gain: half of the time of a resource, if it is made twice as fast, against all of
 * the time in which the streams could have overlapped.
 *
 * Rejected: the longer stream of each step by itself. A group that loads in one step and computes
 * in the next is then bound by neither and both, and the remedy, overlap, is not visible.
 */

const char *loom_bound_name(enum loom_bound bound)
{
	static const char *const names[] = {
		[LOOM_BOUND_DRAM] = "dram",
		[LOOM_BOUND_COPY] = "copy",
		[LOOM_BOUND_DMA_START] = "dma_start",
		[LOOM_BOUND_MACS] = "macs",
		[LOOM_BOUND_OPS] = "ops",
		[LOOM_BOUND_IN_PLACE] = "in_place",
		[LOOM_BOUND_COMPUTE_START] = "compute_start",
		[LOOM_BOUND_TURNS] = "turns",
	};

	return (u32)bound < ARRAY_SIZE(names) ? names[bound] : "?";
}

void loom_bound_fill(struct loom_program_group *group)
{
	u64 *parts = group->part_cycles;
	u32 i;

	memset(parts, 0, sizeof(group->part_cycles));
	if (group->dma_cycles >= group->compute_cycles) {
		parts[LOOM_BOUND_DMA_START] = group->dma_start_cycles;
		parts[LOOM_BOUND_COPY] = group->copy_cycles;
		parts[LOOM_BOUND_DRAM] =
			group->dma_cycles - group->dma_start_cycles - group->copy_cycles;
		parts[LOOM_BOUND_TURNS] = group->cycles - group->dma_cycles;
	} else {
		parts[LOOM_BOUND_COMPUTE_START] = group->compute_start_cycles;
		parts[LOOM_BOUND_MACS] = group->mac_cycles;
		parts[LOOM_BOUND_OPS] = group->op_cycles;
		parts[LOOM_BOUND_IN_PLACE] = group->compute_cycles - group->compute_start_cycles -
					     group->mac_cycles - group->op_cycles;
		parts[LOOM_BOUND_TURNS] = group->cycles - group->compute_cycles;
	}
	group->bound = LOOM_BOUND_DRAM;
	for (i = 0; i < LOOM_BOUND_TURNS; i++)
		if (parts[i] > parts[group->bound])
			group->bound = i;
	if (parts[LOOM_BOUND_TURNS] > parts[group->bound] / 2)
		group->bound = LOOM_BOUND_TURNS;
}
