// SPDX-License-Identifier: MIT
/* What a tensor costs in units of work, whatever it is used for: all that is done with each. */
#include "plan_work.h"

/* Tensors beside each other, alive in the one step. */
static u64 work_of(u32 count)
{
	const struct drm_loom_chip *chip = loom_preset_find("tiny");
	struct plan_builder pb;
	u32 i;

	pb_init(&pb, chip->region[DRM_LOOM_REGION_SRAM].banks, 0);
	pb_add_slot(&pb, count, DRM_LOOM_SLOT_READ);
	for (i = 0; i < count; i++)
		pb_add_dram(&pb, 0, i, 0, 0, DRM_LOOM_DTYPE_I8, PB_SHAPE(1));
	pb_begin_step(&pb);
	return plan_work(&pb, chip);
}

int main(void)
{
	u64 few = work_of(1), many = work_of(201), each = (many - few) / 200;

	/*
	 * It is checked, which lists it, and enters the step. It is sorted by one digit in two
	 * passes, numbered, and leaves the step.
	 */
	tap_ok(each == 2 * LOOM_WORK_TENSOR + 2 + 1 + 1, "%llu units for each tensor",
	       (unsigned long long)each);
	return tap_end();
}
