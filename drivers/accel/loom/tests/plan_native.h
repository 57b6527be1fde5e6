/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_PLAN_NATIVE_H
#define LOOM_TESTS_PLAN_NATIVE_H

/* The sample with a native command: operands of every kind, and a transfer beside it. */
#include "plan_sample.h"

/* Tensors in SRAM behind those of the sample, each f32 [8,16]. */
enum native_tensor {
	T_OUT0 = T_COUNT,
	T_OUT1,
	T_TEMP,
	T_INOUT,
	T_IN,
	T_BESIDE,
	T_COPY,
	T_NATIVE_COUNT,
};

enum native_command {
	C_FILL_INOUT = C_COUNT,	/* step 7 */
	C_FILL_IN,
	C_FILL_BESIDE,		/* step 8, beside */
	C_NATIVE,
	C_READ_OUT0,		/* step 9 */
	C_READ_OUT1,
	C_READ_INOUT,
	C_AGAIN,		/* step 10, if at all */
};

#define NATIVE_STEP	8

/* Operands of the native command. */
enum native_operand {
	O_OUT0,
	O_OUT1,
	O_TEMP,
	O_INOUT,
	O_IN,
	O_COUNT,
};

struct native_attr {
	struct drm_loom_attr_native attr;
	struct pb_payload payload;
};

static inline struct native_attr *native_attr(struct plan_builder *pb)
{
	return pb_attr(pb, C_NATIVE);
}

static inline void use_native(struct plan_builder *pb)
{
	const struct native_attr attr = {
		.attr = {
			.cycles = 1000, .payload_bytes = sizeof(attr.payload),
			.outputs = 2, .temporaries = 1, .inouts = 1,
		},
	};
	const struct drm_loom_attr_fill fill = {};
	u32 i;

	pb->header.version = DRM_LOOM_PLAN_VERSION_NATIVE;
	pb->format = PB_FORMAT;
	for (i = T_OUT0; i < T_NATIVE_COUNT; i++)
		pb_add_sram(pb, (i - T_OUT0) * 512, 7, 9, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(8, 16));
	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(pb, T_INOUT)));
	pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(pb, T_IN)));
	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_FILL, &fill, sizeof(fill), PB_VIEWS(pb_all(pb, T_BESIDE)));
	pb_add(pb, DRM_LOOM_OP_NATIVE, &attr, sizeof(attr),
	       PB_VIEWS(pb_all(pb, T_OUT0), pb_all(pb, T_OUT1), pb_all(pb, T_TEMP),
			pb_all(pb, T_INOUT), pb_all(pb, T_IN)));
	pb_begin_step(pb);
	for (i = 0; i < 3; i++)
		pb_add(pb, DRM_LOOM_OP_COPY, NULL, 0,
		       PB_VIEWS(pb_all(pb, T_COPY),
				pb_all(pb, i == 2 ? T_INOUT : T_OUT0 + i)));
}

/* A tensor of the native command in a slot of its own in SRAM. */
static inline void native_in_slot(struct plan_builder *pb, u32 tensor, u32 flags)
{
	struct drm_loom_plan_tensor *t = pb_tensor(pb, tensor);

	t->offset = 0;
	t->flags |= DRM_LOOM_TENSOR_SLOT;
	t->slot = pb_add_slot(pb, t->size, flags | DRM_LOOM_SLOT_SRAM);
}

/* A tensor in DRAM that can stand for an operand. */
static inline u32 native_in_dram(struct plan_builder *pb, bool image)
{
	u32 slot = pb_add_slot(pb, 512, DRM_LOOM_SLOT_READ | DRM_LOOM_SLOT_WRITE);

	if (image)
		pb_add_image(pb, slot, DRM_LOOM_DTYPE_F32, 16, 8, 64);
	return pb_add_dram(pb, slot, 0, 7, 9, DRM_LOOM_DTYPE_F32, PB_SHAPE(8, 16));
}

/* A second one in a step of its own. */
static inline u32 native_again(struct plan_builder *pb)
{
	struct native_attr attr = *native_attr(pb);
	u32 i;

	for (i = T_OUT0; i < T_COPY; i++)
		pb_tensor(pb, i)->last_step = 10;
	pb_begin_step(pb);
	return pb_add(pb, DRM_LOOM_OP_NATIVE, &attr, sizeof(attr),
		      PB_VIEWS(pb_all(pb, T_OUT0), pb_all(pb, T_OUT1), pb_all(pb, T_TEMP),
			       pb_all(pb, T_INOUT), pb_all(pb, T_IN)));
}

#endif /* LOOM_TESTS_PLAN_NATIVE_H */
