// SPDX-License-Identifier: MIT
/*
 * What a layout has in bytes that nobody uses: in all of its banks, and of these between a page and
 * the next, or behind the rows of an image.
 */
#include "loom_layout.h"
#include "tap.h"

static void test_image(u32 width, u32 height, u32 pitch, u32 banks)
{
	u64 row = 4 * (u64)width, rows;
	struct loom_layout layout;

	if (loom_layout_image(&layout, width, height, DRM_LOOM_DTYPE_F32, pitch, banks, 64))
		tap_fatal("no image of %u x %u at %u", width, height, pitch);
	rows = height * (layout.page_bytes - row);
	tap_ok(layout.align_padding_bytes == rows &&
	       layout.padding_bytes == layout.banks * layout.bytes_per_bank - height * row,
	       "%u x %u at %u in %u banks: %llu bytes of no element, %llu of its rows", width,
	       height, pitch, banks, (unsigned long long)layout.padding_bytes,
	       (unsigned long long)layout.align_padding_bytes);
}

static void check_pages(const struct loom_layout *layout, u64 size, u64 pages, u64 behind)
{
	tap_ok(layout->pages == pages && layout->align_padding_bytes == pages * behind &&
	       layout->padding_bytes == layout->banks * layout->bytes_per_bank - size,
	       "%llu bytes in %u banks: %llu that nobody uses, %llu between pages",
	       (unsigned long long)size, layout->banks,
	       (unsigned long long)layout->padding_bytes,
	       (unsigned long long)layout->align_padding_bytes);
}

static void test_interleaved(u64 size, u64 page_bytes, u32 banks, u64 pages, u64 behind)
{
	struct loom_layout layout;

	if (loom_layout_interleaved(&layout, size, page_bytes, banks, 64))
		tap_fatal("no layout of %llu bytes", (unsigned long long)size);
	check_pages(&layout, size, pages, behind);
}

static void test_sharded(u64 size, u64 page_bytes, u64 pages, u64 behind)
{
	const struct loom_layout_shards shards = {
		.kind = DRM_LOOM_LAYOUT_SHARDED_BLOCK, .size = size, .page_bytes = page_bytes,
		.page_columns = 4, .shard_rows = 2, .shard_columns = 2, .banks = 8,
		.grid_columns = 4, .align_bytes = 64,
	};
	struct loom_layout layout;

	if (loom_layout_sharded(&layout, &shards))
		tap_fatal("no layout of %llu bytes", (unsigned long long)size);
	check_pages(&layout, size, pages, behind);
}

int main(void)
{
	test_interleaved(1000, 64, 4, 16, 0);
	test_interleaved(1000, 100, 4, 10, 28);
	test_interleaved(1001, 100, 3, 11, 28);
	test_sharded(1000, 64, 16, 0);
	test_sharded(1000, 100, 10, 28);
	test_sharded(1001, 100, 11, 28);
	test_image(16, 4, 0, 1);
	test_image(10, 3, 0, 1);
	test_image(10, 3, 128, 1);
	test_image(10, 3, 128, 2);
	test_image(33, 7, 0, 4);
	test_image(33, 7, 256, 16);
	return tap_end();
}
