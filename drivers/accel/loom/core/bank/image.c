// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_layout.h"

int loom_layout_image(struct loom_layout *layout, u32 width, u32 height, u32 dtype,
		      u32 pitch_bytes, u32 banks, u64 align_bytes)
{
	u64 row_bytes = loom_dtype_row_bytes(dtype, width), pitch = pitch_bytes, rest;
	int ret;

	if (!row_bytes || !height || !banks || !align_bytes)
		return -EINVAL;
	if (!pitch && !loom_round_up(row_bytes, align_bytes, &pitch))
		return -EINVAL;
	div64_u64_rem(pitch, align_bytes, &rest);
	if (rest || pitch > U32_MAX || pitch < row_bytes || pitch & (loom_dtype_stride(dtype) - 1))
		return -EINVAL;
	/* the product of two u32 fits */
	ret = loom_layout_interleaved(layout, height * pitch, pitch, banks, align_bytes);
	if (ret)
		return ret;
	layout->padding_bytes += height * (pitch - row_bytes);
	layout->align_padding_bytes = height * (pitch - row_bytes);
	layout->width = width;
	layout->height = height;
	layout->dtype = dtype;
	return 0;
}
