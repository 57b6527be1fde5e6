/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_ROUNDS_H
#define LOOM_ROUNDS_H

/*
 * A plan that takes as long as asked for: it loads a tensor, applies an operator to it @rounds
 * times, and stores it. The bytes are laid out by hand, so that a test can change any of them.
 */
#include "loom_selftest.h"

/* The plan; commands and views follow. */
struct loom_rounds {
	struct drm_loom_plan_header header;
	struct drm_loom_plan_slot slots[2];
	struct drm_loom_plan_tensor tensors[3];
	struct drm_loom_plan_step steps[3];
	struct drm_loom_attr_unary attr;
	/* commands, then views */
	unsigned char tail[];
};

static inline struct drm_loom_plan_tensor loom_rounds_tensor(uint32_t region, uint32_t slot,
							     uint32_t lanes, uint32_t first,
							     uint32_t last)
{
	uint64_t row = LOOM_COLUMNS * sizeof(float);

	return (struct drm_loom_plan_tensor) {
		.region = region,
		.slot = slot,
		.size = region == DRM_LOOM_REGION_SRAM ? row : row * lanes,
		.first_step = first,
		.last_step = last,
		.dtype = DRM_LOOM_DTYPE_F32,
		.rank = 2,
		.dims = { lanes, LOOM_COLUMNS },
		.strides = { row, sizeof(float) },
	};
}

static inline struct drm_loom_plan_view loom_rounds_view(uint32_t tensor, uint32_t lanes)
{
	return (struct drm_loom_plan_view) {
		.tensor = tensor,
		.dtype = DRM_LOOM_DTYPE_F32,
		.rank = 2,
		.dims = { lanes, LOOM_COLUMNS },
		.strides = { LOOM_COLUMNS * sizeof(float), sizeof(float) },
	};
}

/*
 * Fills in a plan that reads slot 0 and writes slot 1, with @rounds commands in between. Return:
 * its bytes, zero if @room_bytes are too few; without @room it only counts.
 */
static inline uint64_t loom_rounds_fill(void *room, uint64_t room_bytes, uint32_t lanes,
					uint32_t kind, uint32_t rounds)
{
	uint32_t count = rounds + 2, i;
	uint64_t size = sizeof(struct loom_rounds) + count * (sizeof(struct drm_loom_plan_command) +
						       2 * sizeof(struct drm_loom_plan_view));
	struct loom_rounds *plan = room;
	struct drm_loom_plan_command *commands = (void *)plan->tail;
	struct drm_loom_plan_view *views = (void *)(commands + count);
	uint64_t bytes = lanes * LOOM_COLUMNS * sizeof(float);

	if (!room)
		return size;
	if (size > room_bytes)
		return 0;
	memset(room, 0, size);
	plan->header = (struct drm_loom_plan_header) {
		.magic = DRM_LOOM_PLAN_MAGIC,
		.version = DRM_LOOM_PLAN_VERSION,
		.size = size,
		.lanes = lanes,
		.scratch_bytes = LOOM_COLUMNS * sizeof(float),
		.slots = { offsetof(struct loom_rounds, slots), 2, sizeof(plan->slots[0]) },
		.tensors = { offsetof(struct loom_rounds, tensors), 3, sizeof(plan->tensors[0]) },
		.steps = { offsetof(struct loom_rounds, steps), 3, sizeof(plan->steps[0]) },
		.commands = { offsetof(struct loom_rounds, tail), count, sizeof(commands[0]) },
		.views = { (char *)views - (char *)plan, 2 * count, sizeof(views[0]) },
		.attrs = { offsetof(struct loom_rounds, attr), sizeof(plan->attr), 1 },
	};
	plan->slots[0] = (struct drm_loom_plan_slot) { .size = bytes, .flags = DRM_LOOM_SLOT_READ };
	plan->slots[1] = (struct drm_loom_plan_slot){ .size = bytes, .flags = DRM_LOOM_SLOT_WRITE };
	plan->tensors[0] = loom_rounds_tensor(DRM_LOOM_REGION_DRAM, 0, lanes, 0, 0);
	plan->tensors[1] = loom_rounds_tensor(DRM_LOOM_REGION_DRAM, 1, lanes, 2, 2);
	plan->tensors[2] = loom_rounds_tensor(DRM_LOOM_REGION_SRAM, 0, lanes, 0, 2);
	plan->steps[0] = (struct drm_loom_plan_step) { .first_command = 0, .dma_commands = 1 };
	plan->steps[1] = (struct drm_loom_plan_step) {
		.first_command = 1,
		.compute_commands = rounds,
	};
	plan->steps[2] = (struct drm_loom_plan_step) {
		.first_command = rounds + 1,
		.dma_commands = 1,
	};
	plan->attr.kind = kind;
	for (i = 0; i < count; i++) {
		commands[i] = (struct drm_loom_plan_command) {
			.opcode = i == 0 ? DRM_LOOM_OP_LOAD :
				  i == count - 1 ? DRM_LOOM_OP_STORE : DRM_LOOM_OP_UNARY,
			.operands = 2,
			.first_view = 2 * i,
			.attr_size = i && i < count - 1 ? sizeof(plan->attr) : 0,
		};
		views[2 * i] = loom_rounds_view(i == count - 1 ? 1 : 2, lanes);
		views[2 * i + 1] = loom_rounds_view(i == 0 ? 0 : 2, lanes);
	}
	return size;
}

static inline int loom_rounds_create(int fd, uint32_t lanes, uint32_t kind, uint32_t rounds,
				     uint32_t *plan)
{
	uint64_t size = loom_rounds_fill(NULL, 0, lanes, kind, rounds);
	void *blob = malloc(size);
	int ret = -ENOMEM;

	if (blob && loom_rounds_fill(blob, size, lanes, kind, rounds))
		ret = loom_plan_create(fd, blob, size, NULL, plan);
	free(blob);
	return ret;
}

static inline int loom_plan_create_null(int fd, uint32_t lanes, uint32_t *plan)
{
	uint64_t size;
	void *blob = loom_plan_blob_null(lanes, &size);
	int ret = loom_plan_create(fd, blob, size, NULL, plan);

	free(blob);
	return ret;
}

#endif /* LOOM_ROUNDS_H */
