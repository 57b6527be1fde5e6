// SPDX-License-Identifier: MIT
/*
 * What an image has in bytes of no element: of all its banks what is not an element, and of its
 * rows what the pitch is larger than they are.
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

int main(void)
{
	test_image(16, 4, 0, 1);
	test_image(10, 3, 0, 1);
	test_image(10, 3, 128, 1);
	test_image(10, 3, 128, 2);
	test_image(33, 7, 0, 4);
	test_image(33, 7, 256, 16);
	return tap_end();
}
