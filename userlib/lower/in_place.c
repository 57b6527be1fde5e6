// SPDX-License-Identifier: MIT
/*
 * DOC: Constants in place
 *
 * A chip may be able to compute on operands that lie in a memory other than the SRAM: flash that is
 * in the address space, or that a decoder of weights reads. A constant that is read where it lies
 * takes no SRAM and no DMA command. The price is that each command reads it anew, so that a kernel
 * in slices reads it once for each, and that the command waits for the other memory, if that is
 * slower than its arithmetic.
 *
 * A constant that a group loads once and holds is better loaded, if there is room. One that it
 * would stream costs the same bytes in place, and no SRAM: the group decides
 * (&loom_operand.in_place, and weights.c there). For the least SRAM all are in place, whatever is
 * read again. Which of both is better by another objective is not known before groups are made: of
 * finished plans the better one is taken (planner/alternatives.c), and one that loads everything is
 * among them.
 */
#include "lower.h"

#include "storage.h"

/* Where a constant lies that a kernel loads: a region, or DRM_LOOM_REGION_COUNT for none. */
static u32 region_of(const struct loom_lower *lower, const struct loom_ref *ref)
{
	const struct loom_storage *storage = lower->storage;
	u32 tensor = ref->tensor, slot;

	if (lower->sink.ops->symbolic) {
		/* a view of a value that is computed is none of a constant */
		if (!lower->graph->values[tensor]->data)
			return DRM_LOOM_REGION_COUNT;
		if (storage->in_rom && !(storage->copied && storage->copied[tensor]))
			return DRM_LOOM_REGION_ROM;
		return storage->in_sram ? DRM_LOOM_REGION_SRAM : DRM_LOOM_REGION_DRAM;
	}
	if (lower->build->status || tensor >= lower->build->num_tensors)
		return DRM_LOOM_REGION_COUNT;
	slot = lower->build->tensors[tensor].slot;
	if (slot != storage->weights_slot && slot != storage->copied_slot)
		return DRM_LOOM_REGION_COUNT;
	return lower->build->tensors[tensor].region;
}

void loom_lower_in_place(const struct loom_lower *lower, struct loom_kernel *kernel)
{
	u32 region, i;

	for (i = 1; i < kernel->num_operands && lower->in_place != LOOM_IN_PLACE_NEVER; i++) {
		if (kernel->operands[i].role != LOOM_ROLE_LOAD)
			continue;
		region = region_of(lower, &kernel->operands[i].ref);
		if (region == DRM_LOOM_REGION_COUNT || region == DRM_LOOM_REGION_SRAM ||
		    !(lower->chip->region[region].flags & DRM_LOOM_CHIP_IN_PLACE))
			continue;
		/* a node alone is cut as if nothing could be held */
		if (lower->in_place == LOOM_IN_PLACE_STREAMED && lower->sink.ops->symbolic)
			kernel->operands[i].in_place = true;
		else
			kernel->operands[i].role = LOOM_ROLE_DIRECT;
	}
}
