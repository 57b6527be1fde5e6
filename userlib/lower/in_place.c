// SPDX-License-Identifier: MIT
/*
 * DOC: Constants in place
 *
 * A chip may support operands in a memory other than the SRAM: flash in the address space, or flash
 * behind a decoder of weights. A constant that is read in place needs no SRAM and no DMA command.
 * The cost is that each command reads it again, so a sliced kernel reads it once per slice, and the
 * command waits for the other memory if that is slower than its arithmetic.
 *
 * A constant that a group loads once and holds should be loaded, if there is room. A constant that
 * it would stream costs the same bytes in place, and no SRAM: the group decides
 * (&loom_operand.in_place, and weights.c there). With the objective of least SRAM all constants are
 * in place, however often they are read. For other objectives the better choice is not known before
 * groups are made: the planner compares finished plans (planner/alternatives.c), one of which loads
 * everything.
 *
 * GATHER reads some elements of its first operand, and needs no such support: it reads them from
 * any region. In a group, what is computed may be in the SRAM only, and is all there then.
 */
#include "lower.h"

#include "storage.h"

/* The region of a constant that a kernel loads, or DRM_LOOM_REGION_COUNT for none. */
static u32 region_of(const struct loom_lower *lower, const struct loom_ref *ref)
{
	const struct loom_storage *storage = lower->storage;
	u32 tensor = ref->tensor, slot;

	if (lower->sink.ops->symbolic) {
		/* a view of a computed value is no constant */
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

/* Whether what GATHER reads lies outside of the SRAM, and will do so in each plan. */
static bool is_outside(const struct loom_lower *lower, const struct loom_ref *ref)
{
	const struct loom_storage *storage = lower->storage;
	u32 tensor = ref->tensor;

	if (!lower->sink.ops->symbolic)
		return !lower->build->status && tensor < lower->build->num_tensors &&
		       lower->build->tensors[tensor].region != DRM_LOOM_REGION_SRAM;
	return !storage->in_sram &&
	       (lower->sink.ops->merged || lower->graph->values[tensor]->data ||
		storage->locations[tensor].kind == LOOM_LOCATION_INPUT);
}

void loom_lower_in_place(const struct loom_lower *lower, struct loom_kernel *kernel)
{
	u32 region, i;

	for (i = 1; i < kernel->num_operands; i++)
		if (loom_kernel_is_table(kernel, i) &&
		    is_outside(lower, &kernel->operands[i].ref))
			kernel->operands[i].role = LOOM_ROLE_DIRECT;
	for (i = 1; i < kernel->num_operands && lower->in_place != LOOM_IN_PLACE_NEVER; i++) {
		if (kernel->operands[i].role != LOOM_ROLE_LOAD)
			continue;
		region = region_of(lower, &kernel->operands[i].ref);
		if (region == DRM_LOOM_REGION_COUNT || region == DRM_LOOM_REGION_SRAM ||
		    !(lower->chip->region[region].flags & DRM_LOOM_CHIP_IN_PLACE))
			continue;
		/* a single node is cut as if nothing could be held */
		if (lower->in_place == LOOM_IN_PLACE_STREAMED && lower->sink.ops->symbolic)
			kernel->operands[i].in_place = true;
		else
			kernel->operands[i].role = LOOM_ROLE_DIRECT;
	}
}
