// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_layout.h"

/**
 * DOC: Layouts
 *
 * How the bytes of a buffer, in the client's linear view, are distributed over banks. The unit is
 * the page: a page lies in one bank, and starts there on the region's alignment. Because of
 * lockstep, every bank provides as many bytes as the fullest one: ceil(pages / banks) rows of
 * pages, each of one page pitch. Bytes that are provided but not used (the end of the last page,
 * the gap between page and pitch, banks without a page in the last row) are padding, and reported.
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
		/* no overflow: at most the total size, which holds as many pages */
		.align_padding_bytes = pages * (pitch - page_bytes),
	};
	return 0;
}

u32 loom_layout_page_bytes(u32 asked, u64 align_bytes)
{
	return asked ? asked : max(LOOM_LAYOUT_PAGE_BYTES, align_bytes);
}

bool loom_layout_is_top_down(u32 region, u32 direction, u64 bytes_per_bank)
{
	bool top_down = region == DRM_LOOM_REGION_SRAM;

	switch (direction) {
	case DRM_LOOM_DIRECTION_BOTTOM_UP:
		return false;
	case DRM_LOOM_DIRECTION_TOP_DOWN:
		return true;
	case DRM_LOOM_DIRECTION_TINY_APART:
		return top_down != (bytes_per_bank <= DRM_LOOM_TINY_BYTES);
	}
	return top_down;
}

void loom_layout_map(const struct loom_layout *layout, u64 base, u64 offset, u32 *bank,
		     u64 *address)
{
	u64 page, slot, in_page, in_row;

	page = div64_u64_rem(offset, layout->page_bytes, &in_page);
	if (layout->page_columns) {
		loom_layout_map_shard(layout, page, bank, &slot);
	} else {
		slot = div64_u64_rem(page, layout->banks, &in_row);
		*bank = (u32)in_row;
	}
	*address = base + slot * layout->page_pitch_bytes + in_page;
}
