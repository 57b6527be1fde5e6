// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>

#include "core/loom_op.h"
#include "data.h"
#include "template.h"

/*
 * Data moves of plans with native commands, in a chip with local memory: element by element, as
 * slow as that is. A chip must translate them to descriptors of its DMA engine.
 */

/* Byte @byte of the element at @index. */
static u8 *template_data_at(struct loom_job *job, const struct loom_view *view,
			    const struct template_slots *slots, const u32 *index, u32 byte)
{
	u32 lanes = loom_plan_object_plan(loom_job_plan(job))->lanes, bank = 0, axis;
	struct loom_device *loom = loom_job_device(job);
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
		at = loom_job_slot_byte(job, view->slot, at, &bank);
		at += slots->banks[view->slot * regions[DRM_LOOM_REGION_DRAM].banks + bank];
	} else if (view->bound) {
		at += slots->at[view->slot];
	} else {
		at += regions[DRM_LOOM_REGION_SRAM].reserved_bytes;
	}
	return template_memory_at(to_template_memory(loom), loom, view->region, bank, at);
}

/**
 * template_data_run() - run LOAD, STORE, COPY or FILL
 * @job: the job
 * @command: the command
 * @slots: its buffers
 * @stop: set by others: stop soon
 *
 * Return: cycles, of an element each.
 */
u64 template_data_run(struct loom_job *job, const struct loom_command *command,
		      const struct template_slots *slots, const bool *stop)
{
	const struct loom_view *y = &command->views[0], *x = &command->views[command->operands - 1];
	const struct drm_loom_attr_fill *fill = command->attr;
	u32 index[DRM_LOOM_MAX_RANK] = {}, axis, byte;
	u64 count = 0;

	do {
		for (byte = 0; byte < y->elem_bytes; byte++)
			*template_data_at(job, y, slots, index, byte) = fill ?
				fill->bits >> (8 * byte) :
				*template_data_at(job, x, slots, index, byte);
		if (!(++count % LOOM_TILE)) {
			if (READ_ONCE(*stop) ||
			    READ_ONCE(to_template_memory(loom_job_device(job))->off))
				break;
			cond_resched();
		}
		axis = y->rank;
		while (axis-- > 0 && ++index[axis] == y->dims[axis])
			index[axis] = 0;
	} while (axis < y->rank);
	return count;
}
