/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOOM_LAYOUT_H
#define LOOM_LAYOUT_H

#include <drm/loom_accel.h>

#include "loom_core.h"
#include "loom_mask.h"

/* Default page of a buffer, if the alignment is not larger. */
#define LOOM_LAYOUT_PAGE_BYTES	4096ULL

/**
 * struct loom_layout - distribution of a buffer over banks
 * @size: bytes as the client sees them
 * @page_bytes: unit that is dealt out
 * @page_pitch_bytes: bytes between pages in a bank: @page_bytes, aligned
 * @pages: number of pages; the last may be short
 * @banks: number of banks that it uses
 * @bytes_per_bank: bytes allocated in each of them
 * @padding_bytes: unused bytes of these, in all banks
 * @align_padding_bytes: of these: between the end of a page and the next; of an image between the
 *	end of a row and the next
 * @page_columns: sharded: pages in a row of the array, else zero
 * @shard_rows: sharded: rows of pages in a shard
 * @shard_columns: sharded: columns of pages in a shard
 * @shards_across: sharded: shards side by side in the array
 * @grid_columns: sharded: banks side by side in the grid
 * @grid_rows: sharded: rows of banks in the grid
 * @column_major: sharded: the second shard goes to the bank below the first, not to its right
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
	u64 align_padding_bytes;
	u64 page_columns;
	u64 shard_rows;
	u64 shard_columns;
	u64 shards_across;
	u32 grid_columns;
	u32 grid_rows;
	bool column_major;
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
 * loom_layout_page_bytes() - bytes of a page
 * @asked: &drm_loom_bo_create.page_bytes, zero for the default
 * @align_bytes: alignment of a page in a bank
 *
 * Return: bytes.
 */
u32 loom_layout_page_bytes(u32 asked, u64 align_bytes);

/**
 * loom_layout_is_top_down() - whether a buffer is allocated from the top
 * @region: an &enum drm_loom_region
 * @direction: an &enum drm_loom_direction
 * @bytes_per_bank: of the buffer
 *
 * Return: true if so.
 */
bool loom_layout_is_top_down(u32 region, u32 direction, u64 bytes_per_bank);

/**
 * loom_layout_map() - bank and address of a byte
 * @layout: the layout
 * @base: address of the buffer in every bank
 * @offset: byte of the buffer, below its size
 * @bank: out: its number among the banks of the buffer's mask, from the lowest; if sharded, its
 *	position in the grid, row by row
 * @address: out: address in the bank
 */
void loom_layout_map(const struct loom_layout *layout, u64 base, u64 offset, u32 *bank,
		     u64 *address);

#ifdef CONFIG_DRM_ACCEL_LOOM_LAYOUTS
/**
 * struct loom_layout_shards - arguments of loom_layout_sharded()
 * @kind: LOOM_LAYOUT_SHARDED_*
 * @size: bytes, not zero
 * @page_bytes: unit that is dealt out, not zero
 * @page_columns: pages in a row of the array, not zero; there are as many rows as @size takes
 * @shard_rows: rows of pages in a shard; zero when sharded by width: all of them
 * @shard_columns: columns of pages in a shard; zero when sharded by height: all of them
 * @grid_columns: banks side by side; divides @banks
 * @banks: banks of the grid
 * @column_major: shards go down the columns of the grid, not along its rows
 * @align_bytes: alignment of a page in a bank
 */
struct loom_layout_shards {
	u32 kind;
	u64 size;
	u64 page_bytes;
	u32 page_columns;
	u32 shard_rows;
	u32 shard_columns;
	u32 grid_columns;
	u32 banks;
	bool column_major;
	u64 align_bytes;
};

/**
 * loom_layout_sharded() - shard i in the i-th bank of a grid
 * @layout: out
 * @shards: the arguments
 *
 * Return: 0; -EINVAL for a zero where it must not be, a shape that is not of the kind, or more
 * shards than banks; -EOVERFLOW.
 */
int __must_check loom_layout_sharded(struct loom_layout *layout,
				     const struct loom_layout_shards *shards);

/**
 * loom_layout_uses() - whether a bank of the grid has a shard
 * @layout: the layout
 * @place: number of the bank in the grid, row by row; if not sharded, among its banks
 *
 * A grid may have more banks than shards.
 *
 * Return: true if it has.
 */
bool loom_layout_uses(const struct loom_layout *layout, u32 place);

/**
 * loom_layout_shards_of() - the shards that a client asks for
 * @args: the request
 * @page_bytes: as loom_layout_page_bytes()
 * @banks: number of banks
 * @align_bytes: alignment of a page in a bank
 *
 * Return: the shards, not checked.
 */
struct loom_layout_shards loom_layout_shards_of(const struct drm_loom_bo_create *args,
						u64 page_bytes, u32 banks, u64 align_bytes);

/**
 * loom_layout_keep_used() - remove the banks that have no page of a sharded buffer
 * @layout: its layout
 * @mask: in and out: its banks
 */
void loom_layout_keep_used(const struct loom_layout *layout, struct loom_mask *mask);

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
 * loom_layout_map_shard() - place of a page of a sharded buffer
 * @layout: the layout
 * @page: number of the page
 * @bank: out: as for loom_layout_map()
 * @slot: out: number of the page in that bank
 */
void loom_layout_map_shard(const struct loom_layout *layout, u64 page, u32 *bank, u64 *slot);
#else
/* all buffers are interleaved */
static inline bool loom_layout_uses(const struct loom_layout *layout, u32 place)
{
	return true;
}

static inline void loom_layout_map_shard(const struct loom_layout *layout, u64 page, u32 *bank,
					 u64 *slot)
{
}
#endif

#endif /* LOOM_LAYOUT_H */
