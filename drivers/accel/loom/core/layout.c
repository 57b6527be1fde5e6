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

void loom_layout_map(const struct loom_layout *layout, u64 base, u64 offset, u32 *bank,
		     u64 *address)
{
	u64 page, row, in_page, in_row;

	page = div64_u64_rem(offset, layout->page_bytes, &in_page);
	row = div64_u64_rem(page, layout->banks, &in_row);
	*bank = (u32)in_row;
	*address = base + row * layout->page_pitch_bytes + in_page;
}
