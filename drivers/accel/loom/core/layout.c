// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_layout.h"

/**
 * DOC: Layouts
 *
 * How the bytes of a buffer, as a client counts them, lie in banks. The unit is the
 * page: a page is whole in one bank, and starts there on the region's alignment.
 * Because of lockstep each bank gives the room of the fullest one, so rows of
 * pages count: ceil(pages / banks) rows, each of one page pitch. What a bank gives
 * and does not need (the end of the last page, the gap between page and pitch, the
 * banks without a page in the last row) is padding, and is reported.
 *
 * An image is the same with rows of elements for pages: its pitch is what the client says, and
 * not a power of two. So the bytes between the end of a row and the pitch are in the linear
 * view, too, as they are in any picture with a pitch: nothing has to be copied to see it. What
 * was rejected is a linear view without them, which is not how anybody draws, and in which
 * a row of any width would straddle the processor's pages otherwise than in the bank.
 */

int loom_layout_interleaved(struct loom_layout *layout, u64 size, u64 page_bytes, u32 banks,
			    u64 align_bytes)
{
	u64 pages, pitch, per_bank, total;

	if (!size || !page_bytes || !banks || !align_bytes)
		return -EINVAL;
	pages = loom_div_round_up(size, page_bytes);
	if (!loom_round_up(page_bytes, align_bytes, &pitch) ||
	    check_mul_overflow(loom_div_round_up(pages, banks), pitch, &per_bank) ||
	    check_mul_overflow(per_bank, (u64)banks, &total))
		return -EOVERFLOW;
	*layout = (struct loom_layout){
		.size = size,
		.page_bytes = page_bytes,
		.page_pitch_bytes = pitch,
		.pages = pages,
		.banks = banks,
		.bytes_per_bank = per_bank,
		.padding_bytes = total - size,
	};
	return 0;
}

int loom_layout_image(struct loom_layout *layout, u32 width, u32 height, u32 dtype,
		      u32 pitch_bytes, u32 banks, u64 align_bytes)
{
	u64 row_bytes = (u64)width * loom_dtype_bytes(dtype), pitch = pitch_bytes, rest;
	int ret;

	if (!row_bytes || !height || !banks || !align_bytes)
		return -EINVAL;
	if (!pitch && !loom_round_up(row_bytes, align_bytes, &pitch))
		return -EINVAL;
	div64_u64_rem(pitch, align_bytes, &rest);
	if (rest || pitch > U32_MAX || pitch < row_bytes || pitch & (loom_dtype_bytes(dtype) - 1))
		return -EINVAL;
	/* the product of two u32 fits */
	ret = loom_layout_interleaved(layout, height * pitch, pitch, banks, align_bytes);
	if (ret)
		return ret;
	layout->padding_bytes += height * (pitch - row_bytes);
	layout->width = width;
	layout->height = height;
	layout->dtype = dtype;
	return 0;
}

void loom_layout_map(const struct loom_layout *layout, u64 base, u64 offset, u32 *bank,
		     u64 *address)
{
	u64 page, row, in_page, in_row;

	page = div64_u64_rem(offset, layout->page_bytes, &in_page);
	row = div64_u64_rem(page, layout->banks, &in_row);
	*bank = (u32)in_row;
	*address = base + row * layout->page_pitch_bytes + in_page;
}
