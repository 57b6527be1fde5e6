// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>

#include "core/loom_op.h"
#include "loom_tile.h"
#include "memory.h"
#include "native.h"

/*
 * Data moves of plans with native commands, in a chip with local memory: element by element, as
 * slow as that is. A chip must translate them to descriptors of its DMA engine.
 */

/* Byte @byte of the element at @index. */
static u8 *template_data_at(const struct template_native *run, const struct loom_view *view,
			    const u32 *index, u32 byte)
{
	u32 lanes = loom_plan_object_plan(loom_job_plan(run->job))->lanes, bank = 0, axis;
	struct loom_device *loom = loom_job_device(run->job);
	const struct drm_loom_chip_region *regions = loom_device_chip(loom)->region;
	u64 at = view->offset + byte, lane;

	for (axis = 0; axis < view->rank; axis++) {
		lane = index[axis];
		if (view->region == DRM_LOOM_REGION_SRAM && axis == view->lane_axis) {
			lane += view->lane_start;
			bank = lane % lanes;
			lane /= lanes;
		}
		at += lane * view->strides[axis];
	}
	if (view->region != DRM_LOOM_REGION_SRAM) {
		at = loom_job_slot_byte(run->job, view->slot, at, &bank);
		at += run->banks[view->slot * regions[DRM_LOOM_REGION_DRAM].banks + bank];
	} else if (view->bound) {
		at += run->base.at[view->slot];
	} else {
		at += regions[DRM_LOOM_REGION_SRAM].reserved_bytes;
	}
	return template_memory_at(loom, view->region, bank, at);
}

/**
 * template_data_run() - run LOAD, STORE, COPY or FILL
 * @run: the job; template_native.stop ends it soon
 * @command: the command
 *
 * Return: cycles, of an element each.
 */
u64 template_data_run(const struct template_native *run, const struct loom_command *command)
{
	const struct loom_view *y = &command->views[0], *x = &command->views[command->operands - 1];
	const struct drm_loom_attr_fill *fill = command->attr;
	u32 index[DRM_LOOM_MAX_RANK] = {}, axis, byte;
	u64 count = 0;

	do {
		for (byte = 0; byte < y->elem_bytes; byte++)
			*template_data_at(run, y, index, byte) = fill ?
				fill->bits >> (8 * byte) :
				*template_data_at(run, x, index, byte);
		if (!(++count % LOOM_TILE)) {
			if (READ_ONCE(run->stop) ||
			    READ_ONCE(to_template_memory(loom_job_device(run->job))->off))
				break;
			cond_resched();
		}
		axis = y->rank;
		while (axis-- > 0 && ++index[axis] == y->dims[axis])
			index[axis] = 0;
	} while (axis < y->rank);
	return count;
}
