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
 * It is decided for a plan as a whole: either all constants that can be are read in place, or none
 * is, and of two finished plans the better one is taken (planner/alternatives.c).
 *
 * Rejected: a decision for each operand while groups are fitted, as between held and streamed
 * weights. Whether reading in place is worth it depends on the objective (for the least SRAM it
 * always is, and a byte of flash that is read again costs nothing), and fitting knows none.
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

	for (i = 1; i < kernel->num_operands && lower->in_place; i++) {
		if (kernel->operands[i].role != LOOM_ROLE_LOAD)
			continue;
		region = region_of(lower, &kernel->operands[i].ref);
		if (region < DRM_LOOM_REGION_COUNT && region != DRM_LOOM_REGION_SRAM &&
		    lower->chip->region[region].flags & DRM_LOOM_CHIP_IN_PLACE)
			kernel->operands[i].role = LOOM_ROLE_DIRECT;
	}
}
