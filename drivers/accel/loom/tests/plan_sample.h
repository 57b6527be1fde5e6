/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_PLAN_SAMPLE_H
#define LOOM_TESTS_PLAN_SAMPLE_H

/*
 * One valid plan that has some of everything: two slices of a convolution that overlap transfers
 * with work, an activation in place, a tensor written in slices and read through an alias, a
 * reshape said with strides, a fill, a broadcast, casts.
 */

#include "plan_builder.h"

enum sample_slot {
	SLOT_WEIGHTS,
	SLOT_INPUT,
	SLOT_OUTPUT,
	SLOT_ARENA,
};

enum sample_tensor {
	T_W,		/* f32 [8,4,1,3,3] in the weights */
	T_BIAS,		/* f32 [8] */
	T_X,		/* f32 [1,4,1,8,8] in the input */
	T_Y,		/* f32 [1,8,1,8,8] in the output */
	T_MID,		/* f32 [1,8,1,8,8] in the arena */
	T_MID_FLAT,	/* T_MID as [8,64] */
	T_SW,		/* SRAM: the weights */
	T_SBIAS,
	T_SX0,		/* SRAM: rows 0 to 4 of x */
	T_SX1,		/* SRAM: rows 3 to 7 of x */
	T_SY0,		/* SRAM: rows 0 to 3 of the result */
	T_SY1,		/* SRAM: rows 4 to 7 */
	T_SZ,		/* SRAM: f32 [8,64] */
	T_SONE,		/* SRAM: f32 [8,1], all ones */
	T_SI8,		/* SRAM: i8 [8,64] */
	T_SZ2,		/* SRAM: f32 [8,64] */
	T_COUNT,
};

enum sample_command {
	C_LOAD_W,	/* step 0 */
	C_LOAD_BIAS,
	C_LOAD_X0,
	C_LOAD_X1,	/* step 1, beside */
	C_CONV0,
	C_RELU0,
	C_STORE0,	/* step 2, beside */
	C_CONV1,
	C_STORE1,	/* step 3 */
	C_FILL_ONE,
	C_LOAD_Z,	/* step 4 */
	C_ADD,		/* step 5 */
	C_CAST,
	C_CAST_BACK,
	C_STORE_Z,	/* step 6 */
	C_COUNT,
};

#define SAMPLE_STEPS	7
#define SAMPLE_SCRATCH	4096
#define SAMPLE_TOPOLOGY	"tiny"
#define F32_ONE		0x3f800000

/* Slot sizes are exact for slots 1 and 2, so that one byte more is one too many. */
static inline void sample_add_tensors(struct plan_builder *pb)
{
	pb_add_slot(pb, 2048, DRM_LOOM_SLOT_READ);
	pb_add_slot(pb, 1024, DRM_LOOM_SLOT_READ);
	pb_add_slot(pb, 2048, DRM_LOOM_SLOT_WRITE);
	pb_add_slot(pb, 4096, DRM_LOOM_SLOT_WRITE);

	pb_add_dram(pb, SLOT_WEIGHTS, 0, 0, 0, DRM_LOOM_DTYPE_F32, PB_SHAPE(8, 4, 1, 3, 3));
	pb_add_dram(pb, SLOT_WEIGHTS, 1152, 0, 0, DRM_LOOM_DTYPE_F32, PB_SHAPE(8));
	pb_add_dram(pb, SLOT_INPUT, 0, 0, 1, DRM_LOOM_DTYPE_F32, PB_SHAPE(1, 4, 1, 8, 8));
	pb_add_dram(pb, SLOT_OUTPUT, 0, 6, 6, DRM_LOOM_DTYPE_F32, PB_SHAPE(1, 8, 1, 8, 8));
	pb_add_dram(pb, SLOT_ARENA, 1024, 2, 4, DRM_LOOM_DTYPE_F32, PB_SHAPE(1, 8, 1, 8, 8));
	pb_add_alias(pb, T_MID, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(8, 64));
	pb_add_sram(pb, 0, 0, 2, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(8, 4, 1, 3, 3));
	pb_add_sram(pb, 288, 0, 2, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(8));
	pb_add_sram(pb, 320, 0, 1, DRM_LOOM_DTYPE_F32, 1, PB_SHAPE(1, 4, 1, 5, 8));
	pb_add_sram(pb, 512, 1, 2, DRM_LOOM_DTYPE_F32, 1, PB_SHAPE(1, 4, 1, 5, 8));
	pb_add_sram(pb, 1024, 1, 2, DRM_LOOM_DTYPE_F32, 1, PB_SHAPE(1, 8, 1, 4, 8));
	pb_add_sram(pb, 2048, 2, 3, DRM_LOOM_DTYPE_F32, 1, PB_SHAPE(1, 8, 1, 4, 8));
	pb_add_sram(pb, 0, 4, 5, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(8, 64));
	pb_add_sram(pb, 1024, 3, 5, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(8, 1));
	pb_add_sram(pb, 2048, 5, 5, DRM_LOOM_DTYPE_I8, 0, PB_SHAPE(8, 64));
	pb_add_sram(pb, 3072, 5, 6, DRM_LOOM_DTYPE_F32, 0, PB_SHAPE(8, 64));
}

static inline void sample_add_commands(struct plan_builder *pb)
{
	struct drm_loom_attr_conv conv = {
		.stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }, .pad = { 0, 1, 1 },
		.groups = 1, .flags = DRM_LOOM_ATTR_BIAS,
	};
	struct drm_loom_attr_unary relu = { .kind = DRM_LOOM_UNARY_RELU };
	struct drm_loom_attr_binary add = { .kind = DRM_LOOM_BINARY_ADD };
	struct drm_loom_attr_fill one = { .bits = F32_ONE };
	struct drm_loom_plan_view out;

	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_LOAD, NULL, 0, PB_VIEWS(pb_all(pb, T_SW), pb_all(pb, T_W)));
	pb_add(pb, DRM_LOOM_OP_LOAD, NULL, 0, PB_VIEWS(pb_all(pb, T_SBIAS), pb_all(pb, T_BIAS)));
	pb_add(pb, DRM_LOOM_OP_LOAD, NULL, 0,
	       PB_VIEWS(pb_all(pb, T_SX0), pb_slice(pb, pb_all(pb, T_X), 3, 0, 5)));
	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_LOAD, NULL, 0,
	       PB_VIEWS(pb_all(pb, T_SX1), pb_slice(pb, pb_all(pb, T_X), 3, 3, 5)));
	pb_add(pb, DRM_LOOM_OP_CONV, &conv, sizeof(conv),
	       PB_VIEWS(pb_all(pb, T_SY0), pb_all(pb, T_SX0), pb_all(pb, T_SW),
			pb_all(pb, T_SBIAS)));
	pb_add(pb, DRM_LOOM_OP_UNARY, &relu, sizeof(relu),
	       PB_VIEWS(pb_all(pb, T_SY0), pb_all(pb, T_SY0)));
	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_STORE, NULL, 0,
	       PB_VIEWS(pb_slice(pb, pb_all(pb, T_MID), 3, 0, 4), pb_all(pb, T_SY0)));
	conv.pad[1] = 0;
	pb_add(pb, DRM_LOOM_OP_CONV, &conv, sizeof(conv),
	       PB_VIEWS(pb_all(pb, T_SY1), pb_all(pb, T_SX1), pb_all(pb, T_SW),
			pb_all(pb, T_SBIAS)));
	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_STORE, NULL, 0,
	       PB_VIEWS(pb_slice(pb, pb_all(pb, T_MID), 3, 4, 4), pb_all(pb, T_SY1)));
	pb_add(pb, DRM_LOOM_OP_FILL, &one, sizeof(one), PB_VIEWS(pb_all(pb, T_SONE)));
	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_LOAD, NULL, 0, PB_VIEWS(pb_all(pb, T_SZ), pb_all(pb, T_MID_FLAT)));
	pb_begin_step(pb);
	pb_add(pb, DRM_LOOM_OP_BINARY, &add, sizeof(add),
	       PB_VIEWS(pb_all(pb, T_SZ), pb_all(pb, T_SZ), pb_all(pb, T_SONE)));
	pb_add(pb, DRM_LOOM_OP_CAST, NULL, 0, PB_VIEWS(pb_all(pb, T_SI8), pb_all(pb, T_SZ)));
	pb_add(pb, DRM_LOOM_OP_CAST, NULL, 0, PB_VIEWS(pb_all(pb, T_SZ2), pb_all(pb, T_SI8)));
	pb_begin_step(pb);
	/* y as [8,64], said with strides */
	out = pb_all(pb, T_Y);
	out.rank = 2;
	memset(out.dims, 0, sizeof(out.dims));
	memset(out.strides, 0, sizeof(out.strides));
	out.dims[0] = 8;
	out.dims[1] = 64;
	out.strides[0] = 256;
	out.strides[1] = 4;
	pb_add(pb, DRM_LOOM_OP_STORE, NULL, 0, PB_VIEWS(out, pb_all(pb, T_SZ2)));
}

static inline void sample_build(struct plan_builder *pb)
{
	pb_init(pb, 4, SAMPLE_SCRATCH);
	sample_add_tensors(pb);
	sample_add_commands(pb);
}

/*
 * The arena as an image of 16 rows of 80 elements, of which the sample uses 64: T_MID is 8 rows
 * from row 4, from column 3.
 */
#define IMAGE_PITCH	320
#define IMAGE_OFFSET	(4 * IMAGE_PITCH + 12)

static inline void sample_use_image(struct plan_builder *pb)
{
	struct drm_loom_plan_tensor *mid = pb_tensor(pb, T_MID);
	u32 i;

	pb_add_image(pb, SLOT_ARENA, DRM_LOOM_DTYPE_F32, 80, 16, IMAGE_PITCH);
	mid->offset = IMAGE_OFFSET;
	mid->size = 7 * IMAGE_PITCH + 256;
	mid->strides[0] = 8 * IMAGE_PITCH;
	mid->strides[1] = IMAGE_PITCH;
	for (i = 0; i < 2; i++)
		*pb_operand(pb, i ? C_STORE1 : C_STORE0, 0) =
			pb_slice(pb, pb_all(pb, T_MID), 3, 4 * i, 4);
	mid = pb_tensor(pb, T_MID_FLAT);
	mid->offset = IMAGE_OFFSET;
	mid->size = 7 * IMAGE_PITCH + 256;
	mid->strides[0] = IMAGE_PITCH;
	*pb_operand(pb, C_LOAD_Z, 1) = pb_all(pb, T_MID_FLAT);
}

/* The input is one, too, and the second convolution reads it where it is. */
static inline void sample_use_images(struct plan_builder *pb)
{
	sample_use_image(pb);
	pb_add_image(pb, SLOT_INPUT, DRM_LOOM_DTYPE_F32, 64, 4, 256);
	pb_tensor(pb, T_X)->last_step = 2;
	*pb_operand(pb, C_CONV1, 1) = pb_slice(pb, pb_all(pb, T_X), 3, 3, 5);
}

#endif /* LOOM_TESTS_PLAN_SAMPLE_H */
