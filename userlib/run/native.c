// SPDX-License-Identifier: MIT
/* Native commands on the host: a callback runs them, because the engine cannot. */
#include "native.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "loom_engine.h"
#include "loom_op.h"
#include "native/native.h"
#include "run.h"

int loom_run_native_check(const struct loom_target *target, const struct loom_program *program,
			  struct loom_error *err)
{
	const struct loom_native_set *set = target->natives;
	struct drm_loom_plan_header_native header;

	if (program->plan_bytes < sizeof(header))
		return 0;
	memcpy(&header, program->plan, sizeof(header));
	if (header.plan.version != DRM_LOOM_PLAN_VERSION_NATIVE)
		return 0;
	if (set && set->run && !memcmp(&set->format, &header.format, sizeof(header.format)))
		return 0;
	return loom_error_set(err, -EOPNOTSUPP,
			      "the plan has native commands of format 0x%llx, version %u: the host runs them only with a callback (loom_target_set_natives)",
			      (unsigned long long)header.format.id, header.format.version);
}

static struct loom_native_view view_of(const struct loom_view *from,
				       const struct loom_memory *memory)
{
	bool scratch = from->region == DRM_LOOM_REGION_SRAM && !from->bound;
	struct loom_native_view view = {
		.dtype = from->dtype,
		.rank = from->rank,
		.lane_axis = from->lane_axis,
		.lane_start = from->lane_start,
		.lanes = memory->lanes,
		.bytes = (scratch ? memory->scratch : memory->slots[from->slot]) + from->offset,
		.lane_bytes = scratch ? memory->lane_pitch : 0,
	};
	u32 i;

	if (from->region == DRM_LOOM_REGION_SRAM && from->bound)
		view.lane_bytes = memory->slot_pitches[from->slot];
	/* an image has no lanes */
	if (from->region != DRM_LOOM_REGION_SRAM) {
		view.lanes = 1;
		view.lane_start = 0;
	}
	for (i = 0; i < from->rank; i++) {
		view.dims[i] = from->dims[i];
		view.strides[i] = from->strides[i];
	}
	return view;
}

static void zero(const struct loom_native_view *view, u32 elem_bytes)
{
	u32 index[DRM_LOOM_MAX_RANK] = { 0 }, axis;

	do {
		memset(loom_native_at(view, index), 0, elem_bytes);
		for (axis = view->rank; axis-- > 0;) {
			if (++index[axis] < view->dims[axis])
				break;
			index[axis] = 0;
		}
	} while (axis < view->rank);
}

int loom_run_native(const struct loom_native_set *set, const struct loom_command *command,
		    const struct loom_memory *memory)
{
	const struct drm_loom_attr_native *attr = command->attr;
	struct loom_native_view views[DRM_LOOM_MAX_NATIVE_OPERANDS];
	const struct loom_native_run run = {
		.payload = attr + 1,
		.payload_bytes = attr->payload_bytes,
		.outputs = attr->outputs,
		.temporaries = attr->temporaries,
		.inouts = attr->inouts,
		.operands = views,
		.num_operands = command->operands,
	};
	u32 i;

	for (i = 0; i < command->operands; i++) {
		views[i] = view_of(&command->views[i], memory);
		if (command->zero >> i & 1)
			zero(&views[i], command->views[i].elem_bytes);
	}
	return set->run(set->data, &run);
}
