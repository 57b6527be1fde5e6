/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_LAYOUT_H
#define LOOM_LAYOUT_H

#include "loom_core.h"

/**
 * struct loom_layout - how a buffer is dealt out over banks
 * @size: bytes as the client sees them
 * @page_bytes: unit that is dealt out
 * @page_pitch_bytes: bytes between pages in a bank: @page_bytes, aligned
 * @pages: number of pages; the last may be short
 * @banks: number of banks
 * @bytes_per_bank: what it takes in each bank
 * @padding_bytes: what it takes in all banks and does not use
 * @width: elements in a row of an image, else zero
 * @height: rows of an image, else zero
 * @dtype: type of an image, else zero
 */
struct loom_layout {
	u64 size;
	u64 page_bytes;
	u64 page_pitch_bytes;
	u64 pages;
	u32 banks;
	u64 bytes_per_bank;
	u64 padding_bytes;
	u32 width;
	u32 height;
	u32 dtype;
};

/**
 * loom_layout_interleaved() - page p in bank p % banks
 * @layout: out
 * @size: bytes, not zero
 * @page_bytes: unit that is dealt out, not zero
 * @banks: number of banks, not zero
 * @align_bytes: alignment of a page in a bank
 *
 * Return: 0; -EINVAL for a zero; -EOVERFLOW.
 */
int __must_check loom_layout_interleaved(struct loom_layout *layout, u64 size, u64 page_bytes,
					 u32 banks, u64 align_bytes);

/**
 * loom_layout_image() - row r in bank r % banks
 * @layout: out: a page is a row with its padding
 * @width: elements in a row, not zero
 * @height: rows, not zero
 * @dtype: an &enum drm_loom_dtype
 * @pitch_bytes: bytes from a row to the next, a multiple of @align_bytes and of an element; zero
 *	picks the smallest
 * @banks: number of banks, not zero
 * @align_bytes: alignment of a row in a bank, not zero
 *
 * Return: 0; -EINVAL for what is no image, a row that does not fit in its pitch, or a pitch of more
 * than 32 bits; -EOVERFLOW.
 */
int __must_check loom_layout_image(struct loom_layout *layout, u32 width, u32 height, u32 dtype,
				   u32 pitch_bytes, u32 banks, u64 align_bytes);

/**
 * loom_layout_map() - where a byte lies
 * @layout: the layout
 * @base: address of the buffer in every bank
 * @offset: byte of the buffer, below its size
 * @bank: out
 * @address: out: address in the bank
 */
void loom_layout_map(const struct loom_layout *layout, u64 base, u64 offset, u32 *bank,
		     u64 *address);

#endif /* LOOM_LAYOUT_H */
