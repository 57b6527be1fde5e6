// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "loom_layout.h"

/**
 * DOC: Shards and images
 *
 * A sharded buffer is a two-dimensional array of pages, cut into shards of one shape, of which each
 * bank gets one. Sharding by height cuts between rows, by width between columns, by block both
 * ways. All three are one formula; the kind only says which cuts are allowed. In the bank, a shard
 * is an array of its own, row by row, of its full shape even at the edge of the whole array:
 * clipped parts are padding, so that the address of a page depends only on its position in the
 * shard. Banks without a shard provide nothing.
 *
 * The pages of an image are its rows: their pitch is given by the client, and need not be a power
 * of two. The linear view includes the bytes between the end of a row and the pitch, as in any
 * picture with a pitch: it can be mapped without a copy. Rejected: a linear view without them,
 * which no drawing library expects, and in which rows would cross the processor's pages at other
 * places than in the bank.
 */

static bool loom_layout_shape(const struct loom_layout_shards *shards)
{
	switch (shards->kind) {
	case DRM_LOOM_LAYOUT_SHARDED_HEIGHT:
		return shards->shard_rows && !shards->shard_columns;
	case DRM_LOOM_LAYOUT_SHARDED_WIDTH:
		return !shards->shard_rows && shards->shard_columns;
	case DRM_LOOM_LAYOUT_SHARDED_BLOCK:
		return shards->shard_rows && shards->shard_columns;
	}
	return false;
}

int loom_layout_sharded(struct loom_layout *layout, const struct loom_layout_shards *shards)
{
	u64 pages, rows, pitch, shard_rows, shard_columns, across, down, shard, per_bank, total;
	u64 count;

	if (!shards->size || !shards->page_bytes || !shards->align_bytes ||
	    !shards->page_columns || !shards->banks || !shards->grid_columns ||
	    shards->banks % shards->grid_columns || !loom_layout_shape(shards))
		return -EINVAL;
	pages = loom_div_round_up(shards->size, shards->page_bytes);
	rows = loom_div_round_up(pages, shards->page_columns);
	shard_rows = shards->shard_rows ? shards->shard_rows : rows;
	shard_columns = shards->shard_columns ? shards->shard_columns : shards->page_columns;
	across = loom_div_round_up(shards->page_columns, shard_columns);
	down = loom_div_round_up(rows, shard_rows);
	if (check_mul_overflow(across, down, &count) || count > shards->banks)
		return -EINVAL;
	if (!loom_round_up(shards->page_bytes, shards->align_bytes, &pitch) ||
	    check_mul_overflow(shard_rows, shard_columns, &shard) ||
	    check_mul_overflow(shard, pitch, &per_bank) ||
	    check_mul_overflow(per_bank, count, &total))
		return -EOVERFLOW;
	*layout = (struct loom_layout){
		.size = shards->size,
		.page_bytes = shards->page_bytes,
		.page_pitch_bytes = pitch,
		.pages = pages,
		.banks = (u32)count,
		.bytes_per_bank = per_bank,
		.padding_bytes = total - shards->size,
		.align_padding_bytes = pages * (pitch - shards->page_bytes),
		.page_columns = shards->page_columns,
		.shard_rows = shard_rows,
		.shard_columns = shard_columns,
		.shards_across = across,
		.grid_columns = shards->grid_columns,
		.grid_rows = shards->banks / shards->grid_columns,
		.column_major = shards->column_major,
	};
	return 0;
}

/* The place in the grid, row by row, of shard @shard. */
static u32 loom_layout_place(const struct loom_layout *layout, u32 shard)
{
	if (!layout->column_major)
		return shard;
	return shard % layout->grid_rows * layout->grid_columns + shard / layout->grid_rows;
}

bool loom_layout_uses(const struct loom_layout *layout, u32 place)
{
	u32 shard = place;

	if (layout->column_major)
		shard = place % layout->grid_columns * layout->grid_rows +
			place / layout->grid_columns;
	return shard < layout->banks;
}

struct loom_layout_shards loom_layout_shards_of(const struct drm_loom_bo_create *args,
						u64 page_bytes, u32 banks, u64 align_bytes)
{
	return (struct loom_layout_shards) {
		.kind = args->layout,
		.size = args->size,
		.page_bytes = page_bytes,
		.page_columns = args->page_columns,
		.shard_rows = args->shard_rows,
		.shard_columns = args->shard_columns,
		.grid_columns = args->grid_columns,
		.banks = banks,
		.column_major = args->shard_order == DRM_LOOM_SHARD_COLUMN_MAJOR,
		.align_bytes = align_bytes,
	};
}

void loom_layout_keep_used(const struct loom_layout *layout, struct loom_mask *mask)
{
	u32 bank, place = 0;

	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1))
		if (!loom_layout_uses(layout, place++))
			mask->word[bank / 64] &= ~(1ULL << bank % 64);
}

void loom_layout_map_shard(const struct loom_layout *layout, u64 page, u32 *bank, u64 *slot)
{
	u64 row, column, down, across, in_row, in_column;

	row = div64_u64_rem(page, layout->page_columns, &column);
	down = div64_u64_rem(row, layout->shard_rows, &in_row);
	across = div64_u64_rem(column, layout->shard_columns, &in_column);
	*bank = loom_layout_place(layout, (u32)(down * layout->shards_across + across));
	*slot = in_row * layout->shard_columns + in_column;
}
