// SPDX-License-Identifier: MIT
/*
 * The layouts against a model that deals out one byte after the other:
 * where each byte lies, that no two meet, and what is left over.
 */
#include "loom_layout.h"
#include "tap.h"

static u64 random_state = 7;

static u64 random_below(u64 n)
{
	u64 z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (z ^ (z >> 31)) % n;
}

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
	if (layout->padding_bytes != rows * pitch * banks - used)
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
	if (layout->padding_bytes != in_bank * banks - used)
		return "padding";
	if (layout->size != height * pitch || layout->pages != height ||
	    layout->page_bytes != pitch || layout->page_pitch_bytes != pitch ||
	    layout->banks != banks || layout->width != width || layout->height != height)
		return "fields";
	return NULL;
}

static void test_images(void)
{
	static const u32 dtypes[] = { LOOM_DTYPE_BOOL, LOOM_DTYPE_F16, LOOM_DTYPE_F32,
				      LOOM_DTYPE_F64 };
	const char *fault = NULL;
	u32 n;

	for (n = 0; n < 20000 && !fault; n++) {
		u32 dtype = dtypes[random_below(4)], bytes = loom_dtype_bytes(dtype);
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
		{ 0, 1, LOOM_DTYPE_F32, 64, 1, 64 },
		{ 1, 0, LOOM_DTYPE_F32, 64, 1, 64 },
		{ 1, 1, 0, 64, 1, 64 },
		{ 1, 1, LOOM_DTYPE_END, 64, 1, 64 },
		{ 1, 1, U32_MAX, 64, 1, 64 },
		{ 1, 1, LOOM_DTYPE_F32, 64, 0, 64 },
		{ 1, 1, LOOM_DTYPE_F32, 64, 1, 0 },
		/* not aligned, too short, both in 32 bits and past them */
		{ 1, 1, LOOM_DTYPE_F32, 32, 1, 64 },
		{ 1, 1, LOOM_DTYPE_F32, 96, 1, 64 },
		{ 17, 1, LOOM_DTYPE_F32, 64, 1, 64 },
		{ 1 << 30, 1, LOOM_DTYPE_F32, 64, 1, 64 },
		{ 1 << 30, 1, LOOM_DTYPE_F32, 0, 1, 64 },
		{ U32_MAX, 1, LOOM_DTYPE_F64, 0, 1, 64 },
		{ U32_MAX, 1, LOOM_DTYPE_U8, 0, 1, 64 },
		/* elements of a second row would not be aligned */
		{ 1, 2, LOOM_DTYPE_F64, 12, 1, 4 },
	};
	struct loom_layout layout;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		tap_ok(loom_layout_image(&layout, wrong[i].width, wrong[i].height, wrong[i].dtype,
					 wrong[i].pitch, wrong[i].banks, wrong[i].align) == -EINVAL,
		       "image %u is EINVAL", i);
	tap_ok(!loom_layout_image(&layout, (1 << 30) - 16, U32_MAX, LOOM_DTYPE_F32, 0, 1, 64) &&
	       layout.size == (u64)U32_MAX * ((4ULL << 30) - 64), "the largest image is just fine");
	tap_ok(loom_layout_image(&layout, (1 << 30) - 16, U32_MAX, LOOM_DTYPE_F32, 0, U32_MAX - 1,
				 64) == -EOVERFLOW, "more than 2^64 bytes of rows are EOVERFLOW");
}

int main(void)
{
	test_random();
	test_disjoint();
	test_figures();
	test_refusals();
	test_images();
	test_image_refusals();
	return tap_end();
}
