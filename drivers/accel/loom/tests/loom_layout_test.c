// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/prandom.h>

#include "loom_layout.h"

/*
 * The layouts: figures worked out by hand, and every byte against a model that deals bytes
 * out one after the other.
 */

/**
 * struct layout_figure - an interleaved layout, worked out by hand
 * @what: description
 * @size: bytes
 * @page_bytes: unit that is dealt out
 * @banks: number of banks
 * @align_bytes: alignment of a page
 * @pages: wanted
 * @per_bank: wanted bytes per bank
 * @padding: wanted
 */
struct layout_figure {
	const char *what;
	u64 size;
	u64 page_bytes;
	u32 banks;
	u64 align_bytes;
	u64 pages;
	u64 per_bank;
	u64 padding;
};

static const struct layout_figure layout_figures[] = {
	{ "13 tiles on 12 banks take two rows", 13 * 2048, 2048, 12, 32, 13, 4096, 11 * 2048 },
	{ "a page is padded to the alignment", 14145, 1000, 12, 32, 15, 2048, 12 * 2048 - 14145 },
	{ "a byte takes a page in each bank", 1, 4096, 8, 64, 1, 4096, 8 * 4096 - 1 },
	{ "full rows have no padding", 12 * 4096, 256, 12, 64, 192, 4096, 0 },
	{ "the largest size in one bank", U64_MAX, 1, 1, 1, U64_MAX, U64_MAX, 0 },
	{ "the most banks", 1, 1, U32_MAX, 1ULL << 31, 1, 1ULL << 31,
	  ((u64)U32_MAX << 31) - 1 },
};

KUNIT_ARRAY_PARAM_DESC(layout_figure, layout_figures, what);

static void layout_interleaved(struct kunit *test)
{
	const struct layout_figure *figure = test->param_value;
	struct loom_layout layout;

	KUNIT_ASSERT_EQ(test, 0, loom_layout_interleaved(&layout, figure->size, figure->page_bytes,
							 figure->banks, figure->align_bytes));
	KUNIT_EXPECT_EQ(test, figure->size, layout.size);
	KUNIT_EXPECT_EQ(test, figure->page_bytes, layout.page_bytes);
	KUNIT_EXPECT_EQ(test, figure->banks, layout.banks);
	KUNIT_EXPECT_EQ(test, figure->pages, layout.pages);
	KUNIT_EXPECT_EQ(test, figure->per_bank, layout.bytes_per_bank);
	KUNIT_EXPECT_EQ(test, figure->padding, layout.padding_bytes);
}

static const struct layout_refusal {
	const char *what;
	u64 size;
	u64 page_bytes;
	u32 banks;
	u64 align_bytes;
	int error;
} layout_refusals[] = {
	{ "size of zero", 0, 1, 1, 1, -EINVAL },
	{ "page of zero", 1, 0, 1, 1, -EINVAL },
	{ "no banks", 1, 1, 0, 1, -EINVAL },
	{ "alignment of zero", 1, 1, 1, 0, -EINVAL },
	{ "a byte of padding too much", U64_MAX, 2, 1, 1, -EOVERFLOW },
	{ "a page that cannot be aligned", 1, U64_MAX, 1, 2, -EOVERFLOW },
	{ "a total past 2^64", 1, 1ULL << 63, 2, 1, -EOVERFLOW },
	{ "a bank past 2^64", U64_MAX / 2 + 2, 1, 1, 2, -EOVERFLOW },
};

KUNIT_ARRAY_PARAM_DESC(layout_refusal, layout_refusals, what);

static void layout_interleaved_refuses(struct kunit *test)
{
	const struct layout_refusal *refusal = test->param_value;
	struct loom_layout layout;

	KUNIT_EXPECT_EQ(test, refusal->error,
			loom_layout_interleaved(&layout, refusal->size, refusal->page_bytes,
						refusal->banks, refusal->align_bytes));
}

/* Where bytes go when they are dealt out one by one. */
struct layout_dealer {
	u64 pitch;
	u64 page_bytes;
	u32 banks;
	u32 bank;
	u64 row;
	u64 in_page;
};

static void dealer_next(struct layout_dealer *dealer)
{
	if (++dealer->in_page < dealer->page_bytes)
		return;
	dealer->in_page = 0;
	if (++dealer->bank < dealer->banks)
		return;
	dealer->bank = 0;
	dealer->row++;
}

static void check_bytes(struct kunit *test, const struct loom_layout *layout, u64 base, u64 align)
{
	struct layout_dealer dealer = {
		.pitch = layout->page_bytes,
		.page_bytes = layout->page_bytes,
		.banks = layout->banks,
	};
	u64 offset, address;
	u32 bank;

	while (dealer.pitch & (align - 1))
		dealer.pitch++;
	KUNIT_ASSERT_EQ(test, dealer.pitch, layout->page_pitch_bytes);
	for (offset = 0; offset < layout->size; offset++, dealer_next(&dealer)) {
		loom_layout_map(layout, base, offset, &bank, &address);
		KUNIT_ASSERT_EQ(test, dealer.bank, bank);
		KUNIT_ASSERT_EQ(test, base + dealer.row * dealer.pitch + dealer.in_page, address);
		KUNIT_ASSERT_LT(test, address - base, layout->bytes_per_bank);
	}
	/* the dealer stands behind the last byte: a row that was begun is paid for */
	if (dealer.bank || dealer.in_page)
		dealer.row++;
	KUNIT_EXPECT_EQ(test, dealer.row * dealer.pitch, layout->bytes_per_bank);
}

static void layout_every_byte(struct kunit *test)
{
	struct loom_layout layout;
	struct rnd_state random;
	u32 n;

	prandom_seed_state(&random, 7);
	for (n = 0; n < 1000; n++) {
		u64 size = 1 + prandom_u32_state(&random) % (n % 2 ? 300 : 2000);
		u64 page_bytes = 1 + prandom_u32_state(&random) % 200;
		u32 banks = 1 + prandom_u32_state(&random) % 20;
		u64 align = 1ULL << prandom_u32_state(&random) % 8;

		KUNIT_ASSERT_EQ(test, 0, loom_layout_interleaved(&layout, size, page_bytes, banks,
								 align));
		check_bytes(test, &layout, align * (n % 100), align);
		KUNIT_ASSERT_EQ(test, layout.bytes_per_bank * banks - size, layout.padding_bytes);
	}
}

static void layout_image_every_byte(struct kunit *test)
{
	static const u32 dtypes[] = { DRM_LOOM_DTYPE_BOOL, DRM_LOOM_DTYPE_F16, DRM_LOOM_DTYPE_F32,
				      DRM_LOOM_DTYPE_F64 };
	struct loom_layout layout;
	struct rnd_state random;
	u32 n;

	prandom_seed_state(&random, 8);
	for (n = 0; n < 500; n++) {
		u32 dtype = dtypes[n % ARRAY_SIZE(dtypes)];
		u32 width = 1 + prandom_u32_state(&random) % 40;
		u32 height = 1 + prandom_u32_state(&random) % 30;
		u32 banks = 1 + prandom_u32_state(&random) % 13;
		u64 align = 8ULL << prandom_u32_state(&random) % 6;
		u64 row = loom_dtype_row_bytes(dtype, width);
		u64 pitch = (row + align - 1) / align * align + align * (n % 3);

		KUNIT_ASSERT_EQ(test, 0, loom_layout_image(&layout, width, height, dtype,
							   n % 3 ? pitch : 0, banks, align));
		KUNIT_ASSERT_EQ(test, pitch, layout.page_bytes);
		KUNIT_ASSERT_EQ(test, height * pitch, layout.size);
		check_bytes(test, &layout, align * (n % 100), align);
		KUNIT_ASSERT_EQ(test, layout.bytes_per_bank * banks - row * height,
				layout.padding_bytes);
		KUNIT_ASSERT_EQ(test, width, layout.width);
		KUNIT_ASSERT_EQ(test, height, layout.height);
		KUNIT_ASSERT_EQ(test, dtype, layout.dtype);
	}
}

static const struct image_refusal {
	const char *what;
	u32 width;
	u32 height;
	u32 dtype;
	u32 pitch_bytes;
	u32 banks;
	u64 align_bytes;
	int error;
} image_refusals[] = {
	{ "no columns", 0, 1, DRM_LOOM_DTYPE_F32, 64, 1, 64, -EINVAL },
	{ "no rows", 1, 0, DRM_LOOM_DTYPE_F32, 64, 1, 64, -EINVAL },
	{ "no type", 1, 1, 0, 64, 1, 64, -EINVAL },
	{ "a type past the last", 1, 1, DRM_LOOM_DTYPE_END, 64, 1, 64, -EINVAL },
	{ "a type of all ones", 1, 1, U32_MAX, 64, 1, 64, -EINVAL },
	{ "no banks", 1, 1, DRM_LOOM_DTYPE_F32, 64, 0, 64, -EINVAL },
	{ "no alignment", 1, 1, DRM_LOOM_DTYPE_F32, 64, 1, 0, -EINVAL },
	{ "a pitch below the alignment", 1, 1, DRM_LOOM_DTYPE_F32, 32, 1, 64, -EINVAL },
	{ "a pitch not aligned", 1, 1, DRM_LOOM_DTYPE_F32, 96, 1, 64, -EINVAL },
	{ "a row longer than the pitch", 17, 1, DRM_LOOM_DTYPE_F32, 64, 1, 64, -EINVAL },
	{ "a row of 2^32 bytes", 1 << 30, 1, DRM_LOOM_DTYPE_F32, 64, 1, 64, -EINVAL },
	{ "a pitch of 2^32 bytes", 1 << 30, 1, DRM_LOOM_DTYPE_F32, 0, 1, 64, -EINVAL },
	{ "the longest row", U32_MAX, 1, DRM_LOOM_DTYPE_F64, 0, 1, 64, -EINVAL },
	{ "rows that are not aligned to elements", 1, 2, DRM_LOOM_DTYPE_F64, 12, 1, 4, -EINVAL },
	{ "rows past 2^64 bytes", (1 << 30) - 16, U32_MAX, DRM_LOOM_DTYPE_F32, 0, U32_MAX - 1, 64,
	  -EOVERFLOW },
};

KUNIT_ARRAY_PARAM_DESC(image_refusal, image_refusals, what);

static void layout_image_refuses(struct kunit *test)
{
	const struct image_refusal *refusal = test->param_value;
	struct loom_layout layout;

	KUNIT_EXPECT_EQ(test, refusal->error,
			loom_layout_image(&layout, refusal->width, refusal->height, refusal->dtype,
					  refusal->pitch_bytes, refusal->banks,
					  refusal->align_bytes));
}

static struct kunit_case layout_cases[] = {
	KUNIT_CASE_PARAM(layout_interleaved, layout_figure_gen_params),
	KUNIT_CASE_PARAM(layout_interleaved_refuses, layout_refusal_gen_params),
	KUNIT_CASE(layout_every_byte),
	KUNIT_CASE(layout_image_every_byte),
	KUNIT_CASE_PARAM(layout_image_refuses, image_refusal_gen_params),
	{}
};

static struct kunit_suite layout_suite = {
	.name = "loom_layout",
	.test_cases = layout_cases,
};

kunit_test_suite(layout_suite);
