/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_IMAGE_H
#define LOOM_TESTS_RULE_CASES_IMAGE_H

/* Cases of the rules about images, and plans with an image that are valid. */
#include "rule_case.h"
#include "rule_cases_view.h"

/**
 * struct image_parts - the sample with an image in it, and what cases change of it
 * @pb: the plan
 * @image: the image
 * @mid: T_MID
 * @flat: T_MID_FLAT
 * @x: loaded part of T_MID_FLAT
 */
struct image_parts {
	struct plan_builder *pb;
	struct drm_loom_plan_image *image;
	struct drm_loom_plan_tensor *mid;
	struct drm_loom_plan_tensor *flat;
	struct drm_loom_plan_view *x;
};

static struct image_parts make_image(struct plan_builder *pb)
{
	sample_use_image(pb);
	return (struct image_parts){
		.pb = pb,
		.image = pb_image(pb, 0),
		.mid = pb_tensor(pb, T_MID),
		.flat = pb_tensor(pb, T_MID_FLAT),
		.x = pb_operand(pb, C_LOAD_Z, 1),
	};
}

/* A change of the sample with an image in it, whose parts are p. */
#define CHANGE_IMAGE(_name) \
	static void change_parts_##_name(struct image_parts p); \
	CHANGE(_name) { change_parts_##_name(make_image(pb)); } \
	static void change_parts_##_name(struct image_parts p)

CHANGE_IMAGE(image_slot)
{
	p.image->slot = 4;
}

CHANGE_IMAGE(image_slot_sram)
{
	pb_slot(p.pb, SLOT_ARENA)->flags |= DRM_LOOM_SLOT_SRAM;
}

CHANGE_IMAGE(image_slot_all_ones)
{
	p.image->slot = ~0U;
}

CHANGE_IMAGE(image_twice)
{
	pb_push(&p.pb->images, 1);
	*pb_image(p.pb, 1) = *pb_image(p.pb, 0);
}

CHANGE_IMAGE(image_dtype_zero)
{
	p.image->dtype = 0;
}

CHANGE_IMAGE(image_dtype)
{
	p.image->dtype = DRM_LOOM_DTYPE_END;
}

CHANGE_IMAGE(image_width_zero)
{
	p.image->width = 0;
}

CHANGE_IMAGE(image_width)
{
	p.image->width = 81;
}

CHANGE_IMAGE(image_width_wraps)
{
	p.image->width = 1 << 30;
}

CHANGE_IMAGE(image_height_zero)
{
	p.image->height = 0;
}

CHANGE_IMAGE(image_height)
{
	p.image->height = 17;
}

CHANGE_IMAGE(image_pitch_zero)
{
	p.image->pitch_bytes = 0;
}

CHANGE_IMAGE(image_pitch_align)
{
	p.image->pitch_bytes += 32;
	p.image->height = 10;
	pb_slot(p.pb, SLOT_ARENA)->size = 3520;
}

CHANGE_IMAGE(image_size)
{
	pb_slot(p.pb, SLOT_ARENA)->size -= 12;
}

CHANGE_IMAGE(image_pad)
{
	p.image->pad = 1;
}

CHANGE_IMAGE(tensor_image_dtype)
{
	p.image->dtype = DRM_LOOM_DTYPE_I32;
}

CHANGE_IMAGE(tensor_image_column)
{
	p.mid->offset += 56;
	p.flat->offset += 56;
}

CHANGE_IMAGE(tensor_image_stride)
{
	p.mid->strides[1] += 4;
	p.mid->strides[0] *= 2;
	p.mid->size += 28;
}

CHANGE_IMAGE(tensor_image_row)
{
	p.flat->dims[1] = 65;
}

CHANGE_IMAGE(tensor_image_line)
{
	p.flat->rank = 1;
	p.flat->dims[1] = 0;
	p.flat->strides[1] = 0;
	p.flat->dims[0] = 512;
	p.flat->strides[0] = 4;
}

CHANGE_IMAGE(tensor_image_alias)
{
	/* the alias has another type, of the same size */
	pb_tensor(p.pb, T_MID_FLAT)->dtype = DRM_LOOM_DTYPE_I32;
	pb_operand(p.pb, C_LOAD_Z, 1)->dtype = DRM_LOOM_DTYPE_I32;
}

CHANGE_IMAGE(view_image_right)
{
	p.x->offset += 4;
	p.x->dims[0] = 7;
}

CHANGE_IMAGE(view_image_left)
{
	p.x->offset = IMAGE_PITCH;
	p.x->strides[1] = -4;
	p.x->dims[0] = 7;
}

CHANGE_IMAGE(view_image_seam)
{
	p.x->dims[0] = 1;
	p.x->dims[1] = 512;
}

CHANGE_IMAGE(view_image_diagonal)
{
	p.x->strides[0] = IMAGE_PITCH + 4;
	p.x->dims[0] = 4;
	p.x->dims[1] = 60;
}

CHANGE_IMAGE(view_image_padding)
{
	p.x->offset = 256;
	p.x->dims[0] = 7;
	p.x->dims[1] = 1;
}

CHANGE_IMAGE(view_image_bounds)
{
	p.x->dims[0] = 9;
}

CHANGE_IMAGE(view_image_compute)
{
	/* an image is no operand of an addition */
	change_region_compute(p.pb);
}

CHANGE_IMAGE(view_image_weights)
{
	/* weights are no operand that may be an image */
	struct drm_loom_plan_view *w = pb_operand(p.pb, C_CONV1, 2);

	pb_slot(p.pb, SLOT_ARENA)->flags |= DRM_LOOM_SLOT_READ;
	*w = pb_all(p.pb, T_MID);
	w->dims[0] = 8;
	w->strides[0] = 0;
	w->dims[1] = 4;
	w->dims[3] = 3;
	w->dims[4] = 3;
}

CHANGE_IMAGE(image_overlap)
{
	u32 low;

	/* two elements in the row of T_MID's last, beside it */
	low = pb_add_dram(p.pb, SLOT_ARENA, 11 * IMAGE_PITCH, 3, 3, DRM_LOOM_DTYPE_F32,
			  PB_SHAPE(1, 2));
	pb_tensor(p.pb, low)->size = 8;
}

/* Plans with an image that are valid. */
CHANGE(fine_image)
{
	make_image(pb);
}

CHANGE_IMAGE(fine_image_column)
{
	p.mid->offset += 52;
	p.flat->offset += 52;
}

CHANGE_IMAGE(fine_image_backwards)
{
	p.x->offset = 7 * IMAGE_PITCH + 252;
	p.x->strides[1] = -4;
	p.x->strides[0] = -IMAGE_PITCH;
}

CHANGE_IMAGE(fine_image_columns)
{
	p.x->dims[0] = 64;
	p.x->dims[1] = 8;
	p.x->strides[0] = 4;
	p.x->strides[1] = IMAGE_PITCH;
	*pb_operand(p.pb, C_LOAD_Z, 0) = pb_transpose(pb_all(p.pb, T_SZ), (u32[]){ 1, 0 });
}

CHANGE_IMAGE(fine_image_below)
{
	pb_add_dram(p.pb, SLOT_ARENA, 12 * IMAGE_PITCH, 3, 3, DRM_LOOM_DTYPE_F32, PB_SHAPE(1, 80));
}

CHANGE_IMAGE(fine_image_later)
{
	pb_add_dram(p.pb, SLOT_ARENA, 5 * IMAGE_PITCH, 5, 6, DRM_LOOM_DTYPE_F32, PB_SHAPE(1, 80));
}

CHANGE(fine_image_seamless)
{
	/* rows without padding follow each other: 8 rows of 64 are 16 of 32 */
	struct drm_loom_plan_view *x = pb_operand(pb, C_LOAD_Z, 1);
	struct drm_loom_plan_view *y = pb_operand(pb, C_LOAD_Z, 0);

	pb_add_image(pb, SLOT_ARENA, DRM_LOOM_DTYPE_F32, 64, 16, 256);
	x->rank = 3;
	x->dims[0] = 8;
	x->dims[1] = 2;
	x->dims[2] = 32;
	x->strides[0] = 256;
	x->strides[1] = 128;
	x->strides[2] = 4;
	y->rank = 3;
	y->dims[1] = 2;
	y->dims[2] = 32;
	y->strides[1] = 128;
	y->strides[2] = 4;
}

#define FINE(_name) { .what = #_name, .change = change_fine_##_name }

static const struct rule_case rule_cases_fine[] = {
	FINE(image),
	FINE(image_column),
	FINE(image_backwards),
	FINE(image_columns),
	FINE(image_below),
	FINE(image_later),
	FINE(image_seamless),
};

static const struct rule_case rule_cases_image[] = {
	{ DRM_LOOM_RULE_IMAGE, C(image_slot) },
	{ DRM_LOOM_RULE_IMAGE, C(image_slot_sram), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_IMAGE, C(image_slot_all_ones) },
	{ DRM_LOOM_RULE_IMAGE, C(image_twice), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_IMAGE, C(image_dtype_zero), .valid = DRM_LOOM_REJECT_SLOT },
	{ DRM_LOOM_RULE_IMAGE, C(image_dtype) },
	{ DRM_LOOM_RULE_IMAGE, C(image_width_zero) },
	{ DRM_LOOM_RULE_IMAGE, C(image_width) },
	{ DRM_LOOM_RULE_IMAGE, C(image_width_wraps) },
	{ DRM_LOOM_RULE_IMAGE, C(image_height_zero) },
	{ DRM_LOOM_RULE_IMAGE, C(image_height) },
	{ DRM_LOOM_RULE_IMAGE, C(image_pitch_zero) },
	{ DRM_LOOM_RULE_IMAGE, C(image_pitch_align) },
	{ DRM_LOOM_RULE_IMAGE, C(image_size) },
	{ DRM_LOOM_RULE_IMAGE, C(image_pad) },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_dtype), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_MID },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_column), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_MID },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_stride) },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_line), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_MID_FLAT },
	{ DRM_LOOM_RULE_TENSOR_IMAGE, C(tensor_image_alias), .valid = DRM_LOOM_REJECT_TENSOR,
	  .tensor = T_MID_FLAT },
	{ DRM_LOOM_RULE_TENSOR_EXTENT, C(tensor_image_row) },
	{ DRM_LOOM_RULE_TENSOR_OVERLAP, C(image_overlap),
	  .valid = DRM_LOOM_REJECT_STEP | DRM_LOOM_REJECT_OTHER | DRM_LOOM_REJECT_RANGE, .step = 3,
	  .tensor = T_COUNT, .other = T_MID, .start = 11 * IMAGE_PITCH,
	  .end = 11 * IMAGE_PITCH + 8 },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_right), .valid = IN_VIEW, .step = 4,
	  .command = C_LOAD_Z, .operand = 1, .tensor = T_MID_FLAT },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_left) },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_seam) },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_diagonal) },
	{ DRM_LOOM_RULE_VIEW_IMAGE, C(view_image_padding) },
	{ DRM_LOOM_RULE_VIEW_BOUNDS, C(view_image_bounds) },
	{ DRM_LOOM_RULE_VIEW_REGION, C(view_image_compute) },
	{ DRM_LOOM_RULE_VIEW_REGION, C(view_image_weights) },
};

#endif /* LOOM_TESTS_RULE_CASES_IMAGE_H */
