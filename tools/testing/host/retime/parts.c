// SPDX-License-Identifier: MIT
/*
 * A transfer is cut along an axis only if its parts are boxes of the tensor that they write: else
 * the verifier would lose track of what is written. Along the lanes, too.
 */
#include "chips.h"
#include "retime/grid.h"
#include "tap.h"

static const struct drm_loom_chip chip = CHIP_SRAM("four-lanes", (4, 1, 8000, 0, 16));

static struct drm_loom_plan_tensor tensor_of(uint32_t rank, const uint32_t *dims, uint32_t lane)
{
	struct drm_loom_plan_tensor tensor = {
		.region = DRM_LOOM_REGION_SRAM, .dtype = DRM_LOOM_DTYPE_F32, .rank = rank,
		.lane_axis = lane,
	};
	uint64_t bytes = 4;
	uint32_t i;

	for (i = rank; i--; bytes *= i == lane ? (dims[i] + 3) / 4 : dims[i]) {
		tensor.dims[i] = dims[i];
		tensor.strides[i] = bytes;
	}
	tensor.size = bytes;
	return tensor;
}

/* The view of rows of a tensor, with the strides of one of these dims. */
static struct drm_loom_plan_view view_of(uint32_t tensor, const uint32_t *dims)
{
	const struct drm_loom_plan_tensor like = tensor_of(4, dims, 3);
	struct drm_loom_plan_view view = {
		.tensor = tensor, .dtype = DRM_LOOM_DTYPE_F32, .rank = 4, .lane_axis = 3,
	};
	uint32_t i;

	for (i = 0; i < 4; i++) {
		view.dims[i] = dims[i];
		view.strides[i] = like.strides[i];
	}
	return view;
}

/* The axis along which a copy of rows to a tensor is cut, which is read afterwards. */
static uint32_t axis_of_copy(const struct drm_loom_plan_tensor *to, const uint32_t *dims)
{
	const struct loom_retime_options options = { .chip = &chip, .room_bytes = 8000 };
	const struct drm_loom_plan_tensor from = tensor_of(4, dims, 3);
	const struct drm_loom_attr_softmax softmax = { .axis = 3 };
	struct drm_loom_plan_view copy[2], read[2];
	struct loom_build build;
	struct retime r = { .build = &build, .options = &options };
	uint32_t axis;

	loom_build_init(&build, 4);
	loom_build_tensor(&build, &from);
	loom_build_tensor(&build, to);
	loom_build_tensor(&build, &from);
	copy[0] = view_of(1, dims);
	copy[1] = view_of(0, dims);
	read[0] = view_of(2, dims);
	read[1] = view_of(1, dims);
	loom_build_command(&build, 0, DRM_LOOM_OP_COPY, copy, 2, NULL, 0);
	loom_build_command(&build, 1, DRM_LOOM_OP_SOFTMAX, read, 2, &softmax,
			   sizeof(softmax));
	if (retime_open(&r))
		tap_fatal("no plan");
	axis = r.jobs[0].axis;
	retime_close(&r);
	loom_build_clear(&build);
	return axis;
}

int main(void)
{
	const uint32_t rows[] = { 2, 2, 3, 12 }, flat[] = { 1, 144 };
	struct drm_loom_plan_tensor tensor = tensor_of(4, rows, 3);

	tap_ok(axis_of_copy(&tensor, rows) == 3, "rows are cut along their lanes");
	tensor = tensor_of(2, flat, 1);
	tap_ok(axis_of_copy(&tensor, rows) == RETIME_NONE,
	       "not if a lane of the tensor has more than one row");
	return tap_end();
}
