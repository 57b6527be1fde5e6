// SPDX-License-Identifier: MIT
/*
 * The layouts against a model that places one byte after the other: the bank and address of each
 * byte, that no two bytes share one, and how much padding there is.
 */
#include "loom_layout.h"
#include "random.h"
#include "tap.h"

/* Deal the bytes out page by page, bank by bank, row by row. */
static const char *check_bytes(const struct loom_layout *layout, u64 size, u64 page_bytes,
			       u32 banks, u64 align, u64 base)
{
	u64 pitch = page_bytes, rows = 0, used = 0, address, want;
	u32 bank, in_bank = 0;

	while (pitch % align)
		pitch++;
	for (u64 offset = 0; offset < size; offset++) {
		if (offset && offset % page_bytes == 0 && ++in_bank == banks) {
			in_bank = 0;
			rows++;
		}
		want = base + rows * pitch + offset % page_bytes;
		loom_layout_map(layout, base, offset, &bank, &address);
		if (bank != in_bank || address != want)
			return "a byte lies elsewhere";
		if (address - base >= layout->bytes_per_bank)
			return "a byte lies behind the block";
		used++;
	}
	rows++;
	if (layout->bytes_per_bank != rows * pitch)
		return "bytes per bank";
	if (layout->padding_bytes != rows * pitch * banks - used ||
	    layout->align_padding_bytes != layout->pages * (pitch - page_bytes))
		return "padding";
	if (layout->page_pitch_bytes != pitch || layout->page_bytes != page_bytes ||
	    layout->banks != banks || layout->size != size)
		return "fields";
	if (layout->pages != (size - 1) / page_bytes + 1)
		return "pages";
	return NULL;
}

static void test_random(void)
{
	const char *fault = NULL;
	u64 bytes = 0;
	u32 n;

	for (n = 0; n < 20000 && !fault; n++) {
		u64 size = 1 + random_below(n % 2 ? 300 : 5000);
		u64 page = n % 3 ? 1 + random_below(200) : (u64)1 << random_below(10);
		u32 banks = 1 + random_below(20);
		u64 align = (u64)1 << random_below(8);
		u64 base = random_below(100) * align;
		struct loom_layout layout;

		if (loom_layout_interleaved(&layout, size, page, banks, align))
			fault = "refused";
		else
			fault = check_bytes(&layout, size, page, banks, align, base);
		bytes += size;
	}
	tap_ok(!fault, "random: %u layouts, %llu bytes where the model has them%s%s", n,
	       (unsigned long long)bytes, fault ? ": " : "", fault ? fault : "");
}

/* A buffer whose bytes are known to be in all places of a bank exactly once. */
static void test_disjoint(void)
{
	static u8 seen[12][4096];
	struct loom_layout layout;
	bool good = true;
	u64 address;
	u32 bank;

	if (loom_layout_interleaved(&layout, 12 * 4096, 256, 12, 64))
		tap_fatal("refused");
	for (u64 offset = 0; offset < layout.size; offset++) {
		loom_layout_map(&layout, 0, offset, &bank, &address);
		good &= bank < 12 && address < 4096 && !seen[bank][address]++;
	}
	tap_ok(good && !layout.padding_bytes && layout.bytes_per_bank == 4096,
	       "a buffer of full rows fills the banks, without padding");
}

/* Figures of a 12-bank device with 32-byte alignment and 2 KiB tiles. */
static void test_figures(void)
{
	struct loom_layout layout;

	tap_ok(!loom_layout_interleaved(&layout, 13 * 2048, 2048, 12, 32) &&
	       layout.pages == 13 && layout.bytes_per_bank == 4096 &&
	       layout.padding_bytes == 11 * 2048, "13 tiles on 12 banks take two rows");
	tap_ok(!loom_layout_interleaved(&layout, 13 * 1088 + 1, 1000, 12, 32) &&
	       layout.page_pitch_bytes == 1024 && layout.pages == 15 &&
	       layout.bytes_per_bank == 2048 && layout.padding_bytes == 12 * 2048 - 14145,
	       "a page is padded to the alignment");
	tap_ok(!loom_layout_interleaved(&layout, 1, 4096, 8, 64) && layout.bytes_per_bank == 4096 &&
	       layout.padding_bytes == 8 * 4096 - 1, "one byte takes a page in each bank");
}

static void test_refusals(void)
{
	struct loom_layout layout;
	const u64 max = U64_MAX;

	tap_ok(loom_layout_interleaved(&layout, 0, 1, 1, 1) == -EINVAL, "size 0 is EINVAL");
	tap_ok(loom_layout_interleaved(&layout, 1, 0, 1, 1) == -EINVAL, "page 0 is EINVAL");
	tap_ok(loom_layout_interleaved(&layout, 1, 1, 0, 1) == -EINVAL, "banks 0 is EINVAL");
	tap_ok(loom_layout_interleaved(&layout, 1, 1, 1, 0) == -EINVAL, "alignment 0 is EINVAL");
	tap_ok(!loom_layout_interleaved(&layout, max, 1, 1, 1) && layout.bytes_per_bank == max &&
	       !layout.padding_bytes, "2^64-1 bytes in one bank are just fine");
	tap_ok(loom_layout_interleaved(&layout, max, 2, 1, 1) == -EOVERFLOW,
	       "2^64-1 bytes and a byte of padding are EOVERFLOW");
	tap_ok(loom_layout_interleaved(&layout, 1, max, 1, 2) == -EOVERFLOW,
	       "a page that cannot be aligned is EOVERFLOW");
	tap_ok(loom_layout_interleaved(&layout, 1, (u64)1 << 63, 2, 1) == -EOVERFLOW,
	       "a total past 2^64 is EOVERFLOW");
	tap_ok(loom_layout_interleaved(&layout, max / 2 + 2, 1, 1, (u64)1 << 1) == -EOVERFLOW,
	       "a bank past 2^64 is EOVERFLOW");
	tap_ok(!loom_layout_interleaved(&layout, 1, 1, U32_MAX, (u64)1 << 31) &&
	       layout.padding_bytes == ((u64)U32_MAX << 31) - 1, "2^32-1 banks are just fine");
}

/* Every element of an image against one dealt out row by row. */
static const char *check_image(const struct loom_layout *layout, u32 width, u32 height, u32 bytes,
			       u64 pitch, u32 banks, u64 base)
{
	u64 address, in_bank = 0, used = (u64)width * height * bytes;
	u32 bank, row_bank = 0, y;

	for (y = 0; y < height; y++) {
		for (u64 x = 0; x < width * bytes; x++) {
			loom_layout_map(layout, base, y * pitch + x, &bank, &address);
			if (bank != row_bank || address != base + in_bank + x)
				return "an element lies elsewhere";
			if (address + 1 > base + layout->bytes_per_bank)
				return "an element lies behind the block";
		}
		if (++row_bank == banks) {
			row_bank = 0;
			in_bank += pitch;
		}
	}
	if (row_bank)
		in_bank += pitch;
	if (layout->bytes_per_bank != in_bank)
		return "bytes per bank";
	if (layout->padding_bytes != in_bank * banks - used ||
	    layout->align_padding_bytes != height * pitch - used)
		return "padding";
	if (layout->size != height * pitch || layout->pages != height ||
	    layout->page_bytes != pitch || layout->page_pitch_bytes != pitch ||
	    layout->banks != banks || layout->width != width || layout->height != height)
		return "fields";
	return NULL;
}

static void test_images(void)
{
	static const u32 dtypes[] = { DRM_LOOM_DTYPE_BOOL, DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_F32,
				      DRM_LOOM_DTYPE_F64 };
	const char *fault = NULL;
	u32 n;

	for (n = 0; n < 20000 && !fault; n++) {
		u32 dtype = dtypes[random_below(4)], bytes = loom_dtype_stride(dtype);
		u32 width = 1 + random_below(40), height = 1 + random_below(30);
		u32 banks = 1 + random_below(13);
		u64 align = (u64)8 << random_below(6), pitch = 0, want = width * bytes;
		struct loom_layout layout;

		while (want % align)
			want++;
		if (n % 2)
			pitch = want += align * random_below(4);
		if (loom_layout_image(&layout, width, height, dtype, pitch, banks, align))
			fault = "refused";
		else if (layout.dtype != dtype)
			fault = "type";
		else
			fault = check_image(&layout, width, height, bytes, want, banks,
					    random_below(100) * align);
	}
	tap_ok(!fault, "images: %u, their elements where the model has them%s%s", n,
	       fault ? ": " : "", fault ? fault : "");
}

static void test_image_refusals(void)
{
	static const struct {
		u32 width, height, dtype, pitch, banks;
		u64 align;
	} wrong[] = {
		{ 0, 1, DRM_LOOM_DTYPE_F32, 64, 1, 64 },
		{ 1, 0, DRM_LOOM_DTYPE_F32, 64, 1, 64 },
		{ 1, 1, 0, 64, 1, 64 },
		{ 1, 1, DRM_LOOM_DTYPE_END, 64, 1, 64 },
		{ 1, 1, U32_MAX, 64, 1, 64 },
		{ 1, 1, DRM_LOOM_DTYPE_F32, 64, 0, 64 },
		{ 1, 1, DRM_LOOM_DTYPE_F32, 64, 1, 0 },
		/* not aligned, too short, both in 32 bits and past them */
		{ 1, 1, DRM_LOOM_DTYPE_F32, 32, 1, 64 },
		{ 1, 1, DRM_LOOM_DTYPE_F32, 96, 1, 64 },
		{ 17, 1, DRM_LOOM_DTYPE_F32, 64, 1, 64 },
		{ 1 << 30, 1, DRM_LOOM_DTYPE_F32, 64, 1, 64 },
		{ 1 << 30, 1, DRM_LOOM_DTYPE_F32, 0, 1, 64 },
		{ U32_MAX, 1, DRM_LOOM_DTYPE_F64, 0, 1, 64 },
		{ U32_MAX, 1, DRM_LOOM_DTYPE_U8, 0, 1, 64 },
		/* elements of a second row would not be aligned */
		{ 1, 2, DRM_LOOM_DTYPE_F64, 12, 1, 4 },
	};
	struct loom_layout layout;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		tap_ok(loom_layout_image(&layout, wrong[i].width, wrong[i].height, wrong[i].dtype,
					 wrong[i].pitch, wrong[i].banks, wrong[i].align) == -EINVAL,
		       "image %u is EINVAL", i);
	tap_ok(!loom_layout_image(&layout, (1 << 30) - 16, U32_MAX, DRM_LOOM_DTYPE_F32, 0, 1, 64) &&
	       layout.size == (u64)U32_MAX * ((4ULL << 30) - 64), "the largest image is just fine");
	tap_ok(loom_layout_image(&layout, (1 << 30) - 16, U32_MAX, DRM_LOOM_DTYPE_F32, 0,
				 U32_MAX - 1, 64) == -EOVERFLOW,
	       "more than 2^64 bytes of rows are EOVERFLOW");
}

/*
 * Shards, dealt out the way they are explained: the array of pages is cut by shards, one shard
 * after the other goes to the next bank of the grid, and lays its pages out row by row, those
 * that the edge has clipped as well.
 */
static bool check_page(const struct loom_layout *layout, const struct loom_layout_shards *want,
		       u64 base, u64 page, u64 at, u32 place, u64 *used)
{
	u64 first = page * want->page_bytes, address;
	u32 bank;

	for (u64 i = 0; i < want->page_bytes && first + i < want->size; i++, ++*used) {
		loom_layout_map(layout, base, first + i, &bank, &address);
		if (bank != place || address != at + i)
			return false;
	}
	return true;
}

static const char *check_shards(const struct loom_layout *layout,
				const struct loom_layout_shards *want, u64 base)
{
	u64 pages = (want->size + want->page_bytes - 1) / want->page_bytes;
	u64 rows = (pages + want->page_columns - 1) / want->page_columns, found = 0, used = 0;
	u64 pitch = want->page_bytes;
	u64 high = want->shard_rows ? want->shard_rows : rows;
	u64 wide = want->shard_columns ? want->shard_columns : want->page_columns;
	u32 x = 0, y = 0, shards = 0, grid_rows = want->banks / want->grid_columns;

	while (pitch % want->align_bytes)
		pitch++;
	for (u64 top = 0; top < rows; top += high)
		for (u64 left = 0; left < want->page_columns; left += wide) {
			u64 at = base;

			if (!loom_layout_uses(layout, y * want->grid_columns + x))
				return "a bank with a shard is not used";
			for (u64 row = top; row < top + high; row++)
				for (u64 column = left; column < left + wide; column++) {
					u64 page = row * want->page_columns + column;

					at += pitch;
					if (column >= want->page_columns || page >= pages)
						continue;
					found++;
					if (!check_page(layout, want, base, page, at - pitch,
							y * want->grid_columns + x, &used))
						return "a byte lies elsewhere";
				}
			if (at - base != layout->bytes_per_bank)
				return "bytes per bank";
			shards++;
			if (want->column_major ? ++y == grid_rows : ++x == want->grid_columns) {
				x = want->column_major ? x + 1 : 0;
				y = want->column_major ? 0 : y + 1;
			}
		}
	for (u32 place = 0, n = 0; place < want->banks; place++) {
		n += loom_layout_uses(layout, place);
		if (place + 1 == want->banks && n != shards)
			return "banks that are used";
	}
	if (found != pages || used != want->size || layout->banks != shards)
		return "not all";
	if (layout->padding_bytes != shards * layout->bytes_per_bank - want->size ||
	    layout->align_padding_bytes != pages * (pitch - want->page_bytes))
		return "padding";
	return NULL;
}

static struct loom_layout_shards random_shards(void)
{
	struct loom_layout_shards shards = {
		.kind = DRM_LOOM_LAYOUT_SHARDED_HEIGHT + random_below(3),
		.size = 1 + random_below(4000),
		.page_bytes = 1 + random_below(60),
		.page_columns = 1 + random_below(12),
		.shard_rows = 1 + random_below(9),
		.shard_columns = 1 + random_below(9),
		.grid_columns = 1 + random_below(8),
		.column_major = random_below(2),
		.align_bytes = (u64)1 << random_below(6),
	};

	shards.banks = shards.grid_columns * (1 + random_below(8));
	if (shards.kind == DRM_LOOM_LAYOUT_SHARDED_HEIGHT)
		shards.shard_columns = 0;
	if (shards.kind == DRM_LOOM_LAYOUT_SHARDED_WIDTH)
		shards.shard_rows = 0;
	return shards;
}

static void test_shards(void)
{
	const char *fault = NULL;
	u32 n, good = 0, many = 0;

	for (n = 0; n < 60000 && !fault; n++) {
		struct loom_layout_shards shards = random_shards();
		u64 pages = (shards.size + shards.page_bytes - 1) / shards.page_bytes;
		u64 rows = (pages + shards.page_columns - 1) / shards.page_columns;
		u64 high = shards.shard_rows ? shards.shard_rows : rows;
		u64 wide = shards.shard_columns ? shards.shard_columns : shards.page_columns;
		u64 count = ((rows + high - 1) / high) * ((shards.page_columns + wide - 1) / wide);
		struct loom_layout layout;
		int ret = loom_layout_sharded(&layout, &shards);

		if (count > shards.banks) {
			many++;
			if (ret != -EINVAL)
				fault = "more shards than banks";
			continue;
		}
		good++;
		fault = ret ? "refused" : check_shards(&layout, &shards,
						       random_below(100) * shards.align_bytes);
	}
	tap_ok(!fault && many, "shards: %u, their bytes where the model has them, %u too many%s%s",
	       good, many, fault ? ": " : "", fault ? fault : "");
}

static void test_shard_figures(void)
{
	/* 5 x 7 tiles in blocks of 2 x 3 on a grid of 3 x 3: two edges are clipped */
	struct loom_layout_shards block = {
		.kind = DRM_LOOM_LAYOUT_SHARDED_BLOCK, .size = 35 * 2048, .page_bytes = 2048,
		.page_columns = 7, .shard_rows = 2, .shard_columns = 3, .grid_columns = 3,
		.banks = 9, .align_bytes = 16,
	};
	struct loom_layout layout;
	u64 address;
	u32 bank;

	tap_ok(!loom_layout_sharded(&layout, &block) && layout.banks == 9 &&
	       layout.bytes_per_bank == 6 * 2048 && layout.padding_bytes == (54 - 35) * 2048,
	       "clipped edges of blocks are paid for");
	loom_layout_map(&layout, 0, 34 * 2048, &bank, &address);
	tap_ok(bank == 8 && address == 0, "the last tile is the first of the last bank");
	block.column_major = true;
	tap_ok(!loom_layout_sharded(&layout, &block), "columns first");
	loom_layout_map(&layout, 0, 3 * 2048, &bank, &address);
	tap_ok(bank == 3 && address == 0, "the second shard is below the first");
	/* 10 tiles, 4 to a shard: the last is short; 3 of 8 banks take part */
	block = (struct loom_layout_shards){
		.kind = DRM_LOOM_LAYOUT_SHARDED_HEIGHT, .size = 10 * 2048, .page_bytes = 2048,
		.page_columns = 1, .shard_rows = 4, .grid_columns = 8, .banks = 8,
		.align_bytes = 16,
	};
	tap_ok(!loom_layout_sharded(&layout, &block) && layout.banks == 3 &&
	       layout.bytes_per_bank == 8192 && layout.padding_bytes == 2 * 2048 &&
	       loom_layout_uses(&layout, 2) && !loom_layout_uses(&layout, 3),
	       "banks without a shard pay nothing");
	block.page_bytes = 1000;
	tap_ok(!loom_layout_sharded(&layout, &block) && layout.pages == 21 && layout.banks == 6 &&
	       layout.page_pitch_bytes == 1008 && layout.align_padding_bytes == 21 * 8,
	       "what the alignment of pages takes is said");
}

static void test_shard_refusals(void)
{
	const struct loom_layout_shards good = {
		.kind = DRM_LOOM_LAYOUT_SHARDED_BLOCK,
		.size = 64,
		.page_bytes = 16,
		.page_columns = 2,
		.shard_rows = 1,
		.shard_columns = 1,
		.grid_columns = 2,
		.banks = 4,
		.align_bytes = 16,
	};
	struct loom_layout_shards bad[16];
	struct loom_layout layout;
	u32 count = 0;

	for (u32 i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[count++].size = 0;
	bad[count++].page_bytes = 0;
	bad[count++].page_columns = 0;
	bad[count++].shard_rows = 0;
	bad[count++].shard_columns = 0;
	bad[count++].grid_columns = 0;
	bad[count++].grid_columns = 3;
	bad[count++].banks = 0;
	bad[count++].banks = 2;
	bad[count++].align_bytes = 0;
	bad[count++].kind = DRM_LOOM_LAYOUT_INTERLEAVED;
	bad[count++].kind = DRM_LOOM_LAYOUT_SHARDED_HEIGHT;
	bad[count++].kind = DRM_LOOM_LAYOUT_SHARDED_WIDTH;
	bad[count++].kind = U32_MAX;
	bad[count++].size = U64_MAX;
	tap_ok(!loom_layout_sharded(&layout, &good), "what the wrong ones are made of is right");
	for (u32 i = 0; i < count; i++)
		tap_ok(loom_layout_sharded(&layout, &bad[i]) == -EINVAL, "shards %u are EINVAL", i);
	bad[0] = good;
	bad[0].shard_rows = U32_MAX;
	bad[0].shard_columns = U32_MAX;
	tap_ok(loom_layout_sharded(&layout, &bad[0]) == -EOVERFLOW,
	       "a shard past 2^64 is EOVERFLOW");
	bad[0] = good;
	bad[0].kind = DRM_LOOM_LAYOUT_SHARDED_WIDTH;
	bad[0].shard_rows = 0;
	bad[0].size = U64_MAX;
	bad[0].page_bytes = 1;
	tap_ok(loom_layout_sharded(&layout, &bad[0]) == -EOVERFLOW,
	       "a bank past 2^64 is EOVERFLOW");
}

int main(void)
{
	random_state = 7;
	test_random();
	test_shards();
	test_shard_figures();
	test_shard_refusals();
	test_disjoint();
	test_figures();
	test_refusals();
	test_images();
	test_image_refusals();
	return tap_end();
}
