/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_TESTS_RULE_CASES_IMAGE_H
#define LOOM_TESTS_RULE_CASES_IMAGE_H

/*
 * The sample with an image in it: what is fine, and what is not. Part of rule_cases.h.
 */

/**
 * struct image_parts - what cases change
 * @image: the image
 * @mid: T_MID
 * @flat: T_MID_FLAT
 * @x: what is loaded of T_MID_FLAT
 */
struct image_parts {
	struct drm_loom_plan_image *image;
	struct drm_loom_plan_tensor *mid;
	struct drm_loom_plan_tensor *flat;
	struct drm_loom_plan_view *x;
};

static struct image_parts make_image(struct plan_builder *pb)
{
	sample_use_image(pb);
	return (struct image_parts){
		.image = pb_image(pb, 0),
		.mid = pb_tensor(pb, T_MID),
		.flat = pb_tensor(pb, T_MID_FLAT),
		.x = pb_operand(pb, C_LOAD_Z, 1),
	};
}

CHANGE(image_slot)
{
	struct image_parts p = make_image(pb);

	p.image->slot = 4;
}

CHANGE(image_slot_sram)
{
	make_image(pb);
	pb_slot(pb, SLOT_ARENA)->flags |= DRM_LOOM_SLOT_SRAM;
}

CHANGE(image_slot_all_ones)
{
	struct image_parts p = make_image(pb);

	p.image->slot = ~0U;
}

CHANGE(image_twice)
{
	make_image(pb);
	pb_push(&pb->images, 1);
	*pb_image(pb, 1) = *pb_image(pb, 0);
}

CHANGE(image_dtype_zero)
{
	struct image_parts p = make_image(pb);

	p.image->dtype = 0;
}

CHANGE(image_dtype)
{
	struct image_parts p = make_image(pb);

	p.image->dtype = DRM_LOOM_DTYPE_END;
}

CHANGE(image_width_zero)
{
	struct image_parts p = make_image(pb);

	p.image->width = 0;
}

CHANGE(image_width)
{
	struct image_parts p = make_image(pb);

	p.image->width = 81;
}

CHANGE(image_width_wraps)
{
	struct image_parts p = make_image(pb);

	p.image->width = 1 << 30;
}

CHANGE(image_height_zero)
{
	struct image_parts p = make_image(pb);

	p.image->height = 0;
}

CHANGE(image_height)
{
	struct image_parts p = make_image(pb);

	p.image->height = 17;
}

CHANGE(image_pitch_zero)
{
	struct image_parts p = make_image(pb);

	p.image->pitch_bytes = 0;
}

CHANGE(image_pitch_align)
{
	struct image_parts p = make_image(pb);

	p.image->pitch_bytes += 32;
	p.image->height = 10;
	pb_slot(pb, SLOT_ARENA)->size = 3520;
}

CHANGE(image_size)
{
	make_image(pb);
	pb_slot(pb, SLOT_ARENA)->size -= 12;
}

CHANGE(image_pad)
{
	struct image_parts p = make_image(pb);

	p.image->pad = 1;
}

CHANGE(tensor_image_dtype)
{
	struct image_parts p = make_image(pb);

	p.image->dtype = DRM_LOOM_DTYPE_I32;
}

CHANGE(tensor_image_column)
{
	struct image_parts p = make_image(pb);

	p.mid->offset += 56;
	p.flat->offset += 56;
}

CHANGE(tensor_image_stride)
{
	struct image_parts p = make_image(pb);

	p.mid->strides[1] += 4;
	p.mid->strides[0] *= 2;
	p.mid->size += 28;
}

CHANGE(tensor_image_row)
{
	struct image_parts p = make_image(pb);

	p.flat->dims[1] = 65;
}

CHANGE(tensor_image_line)
{
	struct image_parts p = make_image(pb);

	p.flat->rank = 1;
	p.flat->dims[1] = 0;
	p.flat->strides[1] = 0;
	p.flat->dims[0] = 512;
	p.flat->strides[0] = 4;
}

CHANGE(tensor_image_alias)
{
	/* the alias has another type, of the same size */
	make_image(pb);
	pb_tensor(pb, T_MID_FLAT)->dtype = DRM_LOOM_DTYPE_I32;
	pb_operand(pb, C_LOAD_Z, 1)->dtype = DRM_LOOM_DTYPE_I32;
}

CHANGE(view_image_right)
{
	struct image_parts p = make_image(pb);

	p.x->offset += 4;
	p.x->dims[0] = 7;
}

CHANGE(view_image_left)
{
	struct image_parts p = make_image(pb);

	p.x->offset = IMAGE_PITCH;
	p.x->strides[1] = -4;
	p.x->dims[0] = 7;
}

CHANGE(view_image_seam)
{
	struct image_parts p = make_image(pb);

	p.x->dims[0] = 1;
	p.x->dims[1] = 512;
}

CHANGE(view_image_diagonal)
{
	struct image_parts p = make_image(pb);

	p.x->strides[0] = IMAGE_PITCH + 4;
	p.x->dims[0] = 4;
	p.x->dims[1] = 60;
}

CHANGE(view_image_padding)
{
	struct image_parts p = make_image(pb);

	p.x->offset = 256;
	p.x->dims[0] = 7;
	p.x->dims[1] = 1;
}

CHANGE(view_image_bounds)
{
	struct image_parts p = make_image(pb);

	p.x->dims[0] = 9;
}

CHANGE(view_image_compute)
{
	/* an image is no operand of an addition */
	make_image(pb);
	change_region_compute(pb);
}

CHANGE(view_image_weights)
{
	/* weights are no operand that may be an image */
	struct drm_loom_plan_view *w = pb_operand(pb, C_CONV1, 2);

	make_image(pb);
	pb_slot(pb, SLOT_ARENA)->flags |= DRM_LOOM_SLOT_READ;
	*w = pb_all(pb, T_MID);
	w->dims[0] = 8;
	w->strides[0] = 0;
	w->dims[1] = 4;
	w->dims[3] = 3;
	w->dims[4] = 3;
}

CHANGE(image_overlap)
{
	u32 low;

	make_image(pb);
	/* two elements in the row of T_MID's last, beside it */
	low = pb_add_dram(pb, SLOT_ARENA, 11 * IMAGE_PITCH, 3, 3, DRM_LOOM_DTYPE_F32,
			  PB_SHAPE(1, 2));
	pb_tensor(pb, low)->size = 8;
}

/* Ways to be fine with images. */
CHANGE(fine_image)
{
	make_image(pb);
}

CHANGE(fine_image_column)
{
	struct image_parts p = make_image(pb);

	p.mid->offset += 52;
	p.flat->offset += 52;
}

CHANGE(fine_image_backwards)
{
	struct image_parts p = make_image(pb);

	p.x->offset = 7 * IMAGE_PITCH + 252;
	p.x->strides[1] = -4;
	p.x->strides[0] = -IMAGE_PITCH;
}

CHANGE(fine_image_columns)
{
	struct image_parts p = make_image(pb);

	p.x->dims[0] = 64;
	p.x->dims[1] = 8;
	p.x->strides[0] = 4;
	p.x->strides[1] = IMAGE_PITCH;
	*pb_operand(pb, C_LOAD_Z, 0) = pb_transpose(pb_all(pb, T_SZ), (u32[]){ 1, 0 });
}

CHANGE(fine_image_below)
{
	make_image(pb);
	pb_add_dram(pb, SLOT_ARENA, 12 * IMAGE_PITCH, 3, 3, DRM_LOOM_DTYPE_F32, PB_SHAPE(1, 80));
}

CHANGE(fine_image_later)
{
	make_image(pb);
	pb_add_dram(pb, SLOT_ARENA, 5 * IMAGE_PITCH, 5, 6, DRM_LOOM_DTYPE_F32, PB_SHAPE(1, 80));
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

#endif /* LOOM_TESTS_RULE_CASES_IMAGE_H */
