// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "verify.h"

/**
 * DOC: Images in plans
 *
 * A slot that is declared an image is rows of elements at a pitch. A tensor in it is a
 * window: the axes whose strides are multiples of the pitch step over rows, the others stay inside
 * of a row and span the window's columns. Any number of axes may be on either side, so a
 * feature map [N,C,H,W] is rows N * C of H * W columns, and data.c can still keep its coverage
 * axis by axis.
 *
 * Of a view in an image only the columns are checked: its first and last byte are proved to be in
 * the tensor, so with all columns inside of the window its rows are, too. An axis that runs from a
 * row into the next is refused, as texture units cannot do it; but if a row has no padding and the
 * window has all of its columns, rows follow each other without a gap, and there are no
 * columns to leave.
 *
 * Tensors that are alive together may share an image if their rows are disjoint: the rule about
 * overlap compares first and last bytes. Rejected: windows side by side in the same rows. That
 * takes a sweep over two dimensions, and the allocators that images were made for, which share
 * storage out by tokens, give each pool to one tensor at a time.
 */

/**
 * struct loom_columns - part of the rows of an image
 * @first: first byte, from the beginning of a row
 * @end: first byte behind
 */
struct loom_columns {
	u64 first;
	u64 end;
};

static bool loom_image_ok(const struct loom_verify *verify, const struct drm_loom_plan_image *image,
			  u32 number)
{
	const struct drm_loom_plan_slot *slot = &verify->slots[number];
	u64 align_bytes = verify->chip->region[DRM_LOOM_REGION_DRAM].align_bytes, rest;
	u32 elem_bytes = loom_dtype_stride(image->dtype);

	if (!elem_bytes || !image->width || !image->height || image->pad ||
	    verify->images[number] || slot->flags & (DRM_LOOM_SLOT_SRAM | DRM_LOOM_SLOT_ROM))
		return false;
	div64_u64_rem(image->pitch_bytes, align_bytes, &rest);
	/* Products of two u32 fit. */
	return !rest && !(image->pitch_bytes & (elem_bytes - 1)) &&
	       image->pitch_bytes >= loom_dtype_row_bytes(image->dtype, image->width) &&
	       slot->size == (u64)image->height * image->pitch_bytes;
}

int loom_verify_images(struct loom_verify *verify)
{
	const struct drm_loom_table *table = &verify->header->images;
	const struct drm_loom_plan_image *images;
	u32 i, number;

	images = (const void *)((const u8 *)verify->header + table->offset);
	for (i = 0; i < table->count; i++) {
		const struct drm_loom_plan_image *image = &images[i];

		if (image->slot >= verify->header->slots.count)
			return loom_reject(verify, DRM_LOOM_RULE_IMAGE);
		number = loom_index_nospec(image->slot, verify->header->slots.count);
		if (!loom_image_ok(verify, image, number))
			return loom_reject_slot(verify, DRM_LOOM_RULE_IMAGE, number);
		verify->images[number] = image;
	}
	return 0;
}

/* The columns that a tensor's axes reach. False if one steps neither in a row nor by rows. */
static bool loom_tensor_columns(const struct drm_loom_plan_tensor *tensor, u64 pitch,
				struct loom_columns *columns)
{
	u64 rest;
	u32 i;

	div64_u64_rem(tensor->offset, pitch, &columns->first);
	columns->end = columns->first + loom_dtype_stride(tensor->dtype);
	for (i = 0; i < tensor->rank; i++) {
		if (tensor->dims[i] == 1)
			continue;
		div64_u64_rem(tensor->strides[i], pitch, &rest);
		if (!rest)
			continue;
		if (tensor->strides[i] > pitch)
			return false;
		/* Part of the extent, which was computed without overflow. */
		columns->end += (tensor->dims[i] - 1) * tensor->strides[i];
	}
	return true;
}

/* The rules about its strides, extent and bounds were checked: its rows are in the slot. */
bool loom_tensor_image_ok(const struct loom_verify *verify,
			  const struct drm_loom_plan_tensor *tensor)
{
	const struct drm_loom_plan_image *image = loom_tensor_image(verify, tensor);
	struct loom_columns columns;

	if (!image)
		return true;
	return tensor->dtype == image->dtype &&
	       loom_tensor_columns(tensor, image->pitch_bytes, &columns) &&
	       columns.end <= loom_dtype_row_bytes(image->dtype, image->width);
}

/* The rules about its alignment and bounds were checked, and all rules about its tensor. */
bool loom_view_image_ok(const struct loom_verify *verify, const struct drm_loom_plan_view *raw,
			const struct drm_loom_plan_tensor *tensor)
{
	const struct drm_loom_plan_image *image = loom_tensor_image(verify, tensor);
	u64 first, below = 0, above = loom_dtype_stride(tensor->dtype), bytes, rest, pitch;
	struct loom_columns columns;
	u32 i;

	if (!image)
		return true;
	pitch = image->pitch_bytes;
	if (!loom_tensor_columns(tensor, pitch, &columns))
		return false;
	/* No seams. */
	if (!columns.first && columns.end == pitch)
		return true;
	for (i = 0; i < raw->rank; i++) {
		if (raw->dims[i] == 1)
			continue;
		bytes = raw->strides[i];
		if (raw->strides[i] < 0)
			bytes = 0 - bytes;
		div64_u64_rem(bytes, pitch, &rest);
		if (!rest)
			continue;
		if (bytes > pitch)
			return false;
		/* Parts of what is between the first and the last byte. */
		*(raw->strides[i] < 0 ? &below : &above) += (raw->dims[i] - 1) * bytes;
	}
	div64_u64_rem(tensor->offset + raw->offset, pitch, &first);
	return first >= columns.first + below && first + above <= columns.end;
}
