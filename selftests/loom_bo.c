// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers: where they are put, what is refused, how they are mapped, copied and shared.
 */
#include <sys/time.h>

#include "loom_selftest.h"

FIXTURE(bo)
{
	int fd;
	struct drm_loom_region_info region[DRM_LOOM_REGION_COUNT];
};

FIXTURE_SETUP(bo)
{
	uint32_t i, context;

	self->fd = loom_open();
	ASSERT_GE(self->fd, 0);
	/* all of the SRAM, from the first byte on: see sram/loom_sram.c for what others may have */
	ASSERT_EQ(0, loom_exclusive(self->fd, &context));
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		ASSERT_EQ(0, loom_query_region(self->fd, i, &self->region[i]));
}

FIXTURE_TEARDOWN(bo)
{
	close(self->fd);
}

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

TEST_F(bo, takes_what_the_layout_says)
{
	static const uint64_t sizes[] = { 1, 63, 4095, 4096, 4097, 65536, 123457 };
	static const uint32_t pages[] = { 0, 4096, 8192 };
	uint32_t region, s, p;

	for (region = UINT32_MAX; loom_next_region(self->fd, &region);)
		for (s = 0; s < LOOM_ARRAY_SIZE(sizes); s++)
			for (p = 0; p < LOOM_ARRAY_SIZE(pages); p++) {
				const struct drm_loom_region_info *r = &self->region[region];
				uint64_t page = pages[p] ?: 4096, pitch, per_bank;
				struct drm_loom_bo_create args = {
					.size = sizes[s],
					.region = region,
					.page_bytes = pages[p],
				};
				struct drm_loom_bo_info info;

				pitch = div_up(page, r->align_bytes) * r->align_bytes;
				per_bank = div_up(div_up(sizes[s], page), r->banks) * pitch;
				if (per_bank > r->largest_free_bytes)
					continue;
				ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
				ASSERT_NE(0, args.handle);
				ASSERT_EQ(0, loom_bo_info(self->fd, args.handle, &info));
				EXPECT_EQ(args.handle, info.handle);
				EXPECT_EQ(region, info.region);
				EXPECT_EQ(sizes[s], info.size);
				EXPECT_EQ(page, info.page_bytes);
				EXPECT_EQ(pitch, info.page_pitch_bytes);
				EXPECT_EQ(r->banks, info.banks);
				EXPECT_EQ(per_bank, info.bytes_per_bank);
				EXPECT_EQ(per_bank * r->banks - sizes[s], info.padding_bytes);
				EXPECT_EQ(DRM_LOOM_LAYOUT_INTERLEAVED, info.layout);
				EXPECT_EQ(0, info.flags);
				EXPECT_EQ(0, info.pad);
				EXPECT_EQ(0, info.address % r->align_bytes);
				EXPECT_GE(info.address, r->reserved_bytes);
				EXPECT_LE(info.address + per_bank, r->bank_bytes);
				ASSERT_EQ(0, loom_bo_close(self->fd, args.handle));
			}
}

/* First and second buffer of an empty region. */
static void place_two(struct __test_metadata *_metadata, int fd, uint32_t region,
		      uint32_t direction, uint64_t address[2], uint64_t *bytes)
{
	struct drm_loom_bo_info info;
	uint32_t handle[2], i;

	for (i = 0; i < 2; i++) {
		struct drm_loom_bo_create args = {
			.size = 4096, .region = region, .direction = direction,
		};

		ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
		handle[i] = args.handle;
		ASSERT_EQ(0, loom_bo_info(fd, args.handle, &info));
		address[i] = info.address;
		*bytes = info.bytes_per_bank;
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, loom_bo_close(fd, handle[i]));
}

TEST_F(bo, grows_from_the_end_that_was_asked_for)
{
	static const struct {
		uint32_t region, direction;
		bool down;
	} cases[] = {
		{ DRM_LOOM_REGION_DRAM, DRM_LOOM_DIRECTION_DEFAULT, false },
		{ DRM_LOOM_REGION_DRAM, DRM_LOOM_DIRECTION_BOTTOM_UP, false },
		{ DRM_LOOM_REGION_DRAM, DRM_LOOM_DIRECTION_TOP_DOWN, true },
		{ DRM_LOOM_REGION_SRAM, DRM_LOOM_DIRECTION_DEFAULT, true },
		{ DRM_LOOM_REGION_SRAM, DRM_LOOM_DIRECTION_BOTTOM_UP, false },
		{ DRM_LOOM_REGION_SRAM, DRM_LOOM_DIRECTION_TOP_DOWN, true },
	};
	uint64_t address[2], bytes;
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(cases); i++) {
		const struct drm_loom_region_info *r = &self->region[cases[i].region];

		if (r->blocks)
			SKIP(return, "somebody else uses the device");
		place_two(_metadata, self->fd, cases[i].region, cases[i].direction, address,
			  &bytes);
		if (cases[i].down) {
			EXPECT_EQ(r->bank_bytes, address[0] + bytes);
			EXPECT_EQ(address[0], address[1] + bytes);
		} else {
			EXPECT_EQ(loom_first_byte(r, LOOM_PAGE), address[0]);
			EXPECT_EQ(address[0] + bytes, address[1]);
		}
	}
}

TEST_F(bo, what_is_wrong_is_einval)
{
	const struct drm_loom_bo_create wrong[] = {
		{ .size = 0 },
		{ .size = 1, .region = DRM_LOOM_REGION_COUNT },
		{ .size = 1, .region = UINT32_MAX },
		{ .size = 1, .layout = 1 },
		{ .size = 1, .layout = UINT32_MAX },
		{ .size = 1, .direction = DRM_LOOM_DIRECTION_TINY_APART + 1 },
		{ .size = 1, .direction = UINT32_MAX },
		{ .size = 1, .flags = 2 },
		{ .size = 1, .flags = 1u << 31 },
		{ .size = 1, .page_bytes = (1u << 20) + 1 },
		{ .size = 1, .page_bytes = 2u << 20 },
		{ .size = 1, .page_bytes = 1u << 31 },
	};
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(wrong); i++) {
		struct drm_loom_bo_create args = wrong[i];

		EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args)) {
			TH_LOG("case %u", i);
		}
		EXPECT_EQ(0, args.handle);
	}
}

TEST_F(bo, every_page_size_from_the_alignment_to_a_mebibyte)
{
	uint64_t page;

	for (page = self->region[0].align_bytes; page <= 1u << 20; page *= 2) {
		struct drm_loom_bo_create args = { .size = 1, .page_bytes = page };

		EXPECT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
		EXPECT_EQ(0, loom_bo_close(self->fd, args.handle));
	}
}

/* Each page is padded to the alignment, and the bytes of the buffer are a line all the same. */
TEST_F(bo, pages_of_any_size_are_padded)
{
	static const uint32_t pages[] = { 1, 63, 65, 100, 4095, 12288, (1 << 20) - 1 };
	uint32_t i, b;

	for (i = 0; i < LOOM_ARRAY_SIZE(pages) * DRM_LOOM_REGION_COUNT; i++) {
		const struct drm_loom_region_info *r = &self->region[i % DRM_LOOM_REGION_COUNT];
		uint32_t page = pages[i / DRM_LOOM_REGION_COUNT];
		uint32_t region = i % DRM_LOOM_REGION_COUNT;
		uint64_t align = r->align_bytes, size = 3 * r->banks * page - 1, rows = 3;
		uint64_t pitch;
		struct drm_loom_bo_create args = {
			.size = size, .page_bytes = page, .region = region,
		};
		struct drm_loom_bo_info info;
		uint8_t *bytes, back[256];

		if (!r->banks)
			continue;
		pitch = (page + align - 1) / align * align;
		if (rows * pitch > r->share_bytes && region == DRM_LOOM_REGION_SRAM)
			continue;
		ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args)) {
			TH_LOG("region %u, pages of %u", region, page);
		}
		ASSERT_EQ(0, loom_bo_info(self->fd, args.handle, &info));
		EXPECT_EQ(page, info.page_bytes);
		EXPECT_EQ(pitch, info.page_pitch_bytes);
		EXPECT_EQ(rows * pitch, info.bytes_per_bank);
		EXPECT_EQ(0, info.address % align);
		EXPECT_EQ((size + page - 1) / page * (pitch - page),
			  info.align_padding_bytes);
		EXPECT_EQ(rows * pitch * r->banks - size, info.padding_bytes);
		bytes = loom_bo_map(self->fd, args.handle, size);
		if (bytes != MAP_FAILED) {
			for (b = 0; b < sizeof(back) && b < size; b++)
				bytes[size - 1 - b] = b * 7;
			b = b < size ? b : size;
			ASSERT_EQ(b, loom_bo_read(self->fd, args.handle, size - b, back, b));
			EXPECT_EQ(0, memcmp(back, bytes + size - b, b));
			munmap(bytes, size);
		}
		EXPECT_EQ(0, loom_bo_close(self->fd, args.handle));
	}
}

TEST_F(bo, more_than_the_banks_hold_is_enospc)
{
	uint32_t region, handle;

	for (region = UINT32_MAX; loom_next_region(self->fd, &region);) {
		const struct drm_loom_region_info *r = &self->region[region];

		EXPECT_EQ(-ENOSPC, loom_bo_create(self->fd, r->total_bytes * r->banks + 1, region,
						  &handle));
		EXPECT_EQ(-ENOSPC, loom_bo_create(self->fd, 1ull << 62, region, &handle));
		EXPECT_EQ(-ENOSPC, loom_bo_create(self->fd, UINT64_MAX, region, &handle));
		EXPECT_EQ(-ENOSPC, loom_bo_create(self->fd, UINT64_MAX - 4095, region, &handle));
	}
}

TEST_F(bo, a_full_sram_is_enospc_and_can_be_emptied)
{
	const struct drm_loom_region_info *r = &self->region[DRM_LOOM_REGION_SRAM];
	uint64_t piece = r->total_bytes / 8 / 4096 * 4096 * r->banks;
	struct drm_loom_region_info now;
	uint32_t handles[64], count = 0, i;
	int ret = 0;

	if (!piece)
		SKIP(return, "an SRAM that is too small for this");
	while (count < 64 && !(ret = loom_bo_create(self->fd, piece, DRM_LOOM_REGION_SRAM,
						    &handles[count])))
		count++;
	EXPECT_EQ(-ENOSPC, ret);
	ASSERT_GE(count, 4);
	/* free every second one: room for two in sum, but not in one piece */
	for (i = 0; i < count; i += 2)
		ASSERT_EQ(0, loom_bo_close(self->fd, handles[i]));
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_SRAM, &now));
	if (now.largest_free_bytes < 2 * (piece / r->banks)) {
		EXPECT_GE(now.free_bytes, 2 * (piece / r->banks));
		EXPECT_EQ(-ENOSPC, loom_bo_create(self->fd, 2 * piece, DRM_LOOM_REGION_SRAM,
						  &handles[0]));
	}
	ASSERT_EQ(0, loom_bo_create(self->fd, piece, DRM_LOOM_REGION_SRAM, &handles[0]));
	ASSERT_EQ(0, loom_bo_close(self->fd, handles[0]));
	for (i = 1; i < count; i += 2)
		ASSERT_EQ(0, loom_bo_close(self->fd, handles[i]));
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_SRAM, &now));
	EXPECT_EQ(r->allocated_bytes, now.allocated_bytes);
	EXPECT_EQ(r->largest_free_bytes, now.largest_free_bytes);
}

TEST_F(bo, its_mapping_is_linear_and_of_its_size)
{
	/* not a whole number of pages: the rest of the last page is mapped, too, and no more */
	const uint64_t size = 10 * LOOM_PAGE + 5, room = 11 * LOOM_PAGE;
	struct drm_loom_bo_info info;
	uint32_t *map, *again;
	uint32_t handle, i, wrong = 0;

	ASSERT_EQ(0, loom_bo_create(self->fd, size, DRM_LOOM_REGION_DRAM, &handle));
	ASSERT_EQ(0, loom_bo_info(self->fd, handle, &info));
	EXPECT_EQ(0, info.mmap_offset % LOOM_PAGE);
	EXPECT_NE(0, info.mmap_offset);
	map = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, info.mmap_offset);
	ASSERT_NE(MAP_FAILED, map);
	for (i = 0; i < room / 4; i++)
		map[i] = i * 2654435761u;
	again = mmap(NULL, room, PROT_READ, MAP_SHARED, self->fd, info.mmap_offset);
	ASSERT_NE(MAP_FAILED, again);
	for (i = 0; i < room / 4; i++)
		wrong += again[i] != i * 2654435761u;
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, room + LOOM_PAGE, PROT_READ, MAP_SHARED, self->fd,
				   info.mmap_offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, LOOM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->fd,
				   info.mmap_offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, LOOM_PAGE, PROT_READ, MAP_SHARED, self->fd,
				   info.mmap_offset + (1ull << 40)));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, LOOM_PAGE, PROT_READ, MAP_SHARED, self->fd, 0));

	/* the mapping keeps the bytes when the handle goes */
	ASSERT_EQ(0, loom_bo_close(self->fd, handle));
	EXPECT_EQ(2654435761u, map[1]);
	map[1] = 7;
	EXPECT_EQ(7, again[1]);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, LOOM_PAGE, PROT_READ, MAP_SHARED, self->fd,
				   info.mmap_offset));
}

/* It gives its place back when its handle goes; the bytes stay for who has them mapped. */
TEST_F(bo, a_mapping_outlives_its_handle)
{
	uint32_t size = 32 * LOOM_PAGE, region, handle, i;
	struct drm_loom_region_info info;
	unsigned char *map;

	for (region = UINT32_MAX; loom_next_region(self->fd, &region);) {
		ASSERT_EQ(0, loom_bo_create(self->fd, size, region, &handle));
		map = loom_bo_map(self->fd, handle, size);
		ASSERT_NE(MAP_FAILED, map);
		map[0] = 0x5a;
		ASSERT_EQ(0, loom_bo_close(self->fd, handle));
		ASSERT_EQ(0, loom_query_region(self->fd, region, &info));
		EXPECT_EQ(self->region[region].allocated_bytes, info.allocated_bytes);
		/* some pages are there already, the others come now */
		for (i = 0; i < size; i += LOOM_PAGE) {
			EXPECT_EQ(i ? 0 : 0x5a, map[i]);
			map[i] = i + 1;
		}
		ASSERT_EQ(0, munmap(map, size));
	}
}

TEST_F(bo, a_child_sees_the_same_mapping)
{
	unsigned char *map;
	uint32_t handle;
	int status;
	pid_t child;

	ASSERT_EQ(0, loom_bo_create(self->fd, LOOM_PAGE, DRM_LOOM_REGION_DRAM, &handle));
	map = loom_bo_map(self->fd, handle, LOOM_PAGE);
	ASSERT_NE(MAP_FAILED, map);
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		map[9] = 99;
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(99, map[9]);
}

TEST_F(bo, another_file_has_no_part_in_it)
{
	struct drm_loom_bo_info info, other_info;
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC };
	uint32_t handle;
	int other = loom_open();

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_bo_create(self->fd, LOOM_PAGE, DRM_LOOM_REGION_DRAM, &handle));
	ASSERT_EQ(0, loom_bo_info(self->fd, handle, &info));
	EXPECT_EQ(-ENOENT, loom_bo_info(other, handle, &other_info));
	EXPECT_EQ(-ENOENT, loom_bo_wait(other, handle, 0));
	EXPECT_EQ(-EINVAL, loom_bo_close(other, handle));
	prime.handle = handle;
	EXPECT_EQ(-ENOENT, loom_call(other, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, LOOM_PAGE, PROT_READ, MAP_SHARED, other,
				   info.mmap_offset));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(0, loom_bo_info(self->fd, handle, &info));
	close(other);
}

TEST_F(bo, handles_that_are_none_are_enoent)
{
	static const uint32_t wrong[] = { 0, 1000, 0x7fffffff, 0x80000000, UINT32_MAX };
	struct drm_loom_bo_info info;
	struct drm_loom_bo_wait wait = { .pad = 1 };
	uint32_t handle;
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(-ENOENT, loom_bo_info(self->fd, wrong[i], &info));
		EXPECT_EQ(-ENOENT, loom_bo_wait(self->fd, wrong[i], 0));
		/* DRM's own ioctl, which has an errno of its own */
		EXPECT_EQ(-EINVAL, loom_bo_close(self->fd, wrong[i]));
	}
	ASSERT_EQ(0, loom_bo_create(self->fd, 1, DRM_LOOM_REGION_DRAM, &handle));
	info = (struct drm_loom_bo_info) { .handle = handle, .pad = 1 };
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_INFO, &info));
	wait.handle = handle;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_WAIT, &wait));
	ASSERT_EQ(0, loom_bo_close(self->fd, handle));
	EXPECT_EQ(-EINVAL, loom_bo_close(self->fd, handle));
	EXPECT_EQ(-ENOENT, loom_bo_info(self->fd, handle, &info));
}

TEST_F(bo, waiting_for_an_idle_buffer_is_no_wait)
{
	static const int64_t timeouts[] = { 0, 1, -1, INT64_MIN, INT64_MAX };
	uint32_t handle;
	unsigned int i;

	ASSERT_EQ(0, loom_bo_create(self->fd, 1, DRM_LOOM_REGION_DRAM, &handle));
	for (i = 0; i < LOOM_ARRAY_SIZE(timeouts); i++)
		EXPECT_EQ(0, loom_bo_wait(self->fd, handle, timeouts[i]));
}

TEST_F(bo, a_dma_buf_is_the_same_buffer)
{
	struct drm_prime_handle prime = { .flags = DRM_RDWR | DRM_CLOEXEC };
	struct drm_loom_region_info before, after;
	struct drm_loom_bo_info mine, theirs;
	unsigned char *map, *shared;
	uint32_t handle, imported;
	int other = loom_open();

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_DRAM, &before));
	ASSERT_EQ(0, loom_bo_create(self->fd, 3 * LOOM_PAGE, DRM_LOOM_REGION_DRAM, &handle));
	prime.handle = handle;
	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));

	/* imported into the file that exported it: the same handle */
	prime.handle = 0;
	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	EXPECT_EQ(handle, prime.handle);

	ASSERT_EQ(0, loom_call(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	imported = prime.handle;
	ASSERT_EQ(0, loom_bo_info(self->fd, handle, &mine));
	ASSERT_EQ(0, loom_bo_info(other, imported, &theirs));
	EXPECT_EQ(mine.address, theirs.address);
	EXPECT_EQ(mine.size, theirs.size);
	map = loom_bo_map(self->fd, handle, 3 * LOOM_PAGE);
	ASSERT_NE(MAP_FAILED, map);
	map[2 * LOOM_PAGE + 5] = 77;
	shared = loom_bo_map(other, imported, 3 * LOOM_PAGE);
	ASSERT_NE(MAP_FAILED, shared);
	EXPECT_EQ(77, shared[2 * LOOM_PAGE + 5]);

	/* it lives as long as any file has a handle */
	munmap(map, 3 * LOOM_PAGE);
	ASSERT_EQ(0, loom_bo_close(self->fd, handle));
	close(prime.fd);
	EXPECT_EQ(77, shared[2 * LOOM_PAGE + 5]);
	EXPECT_EQ(0, loom_bo_info(other, imported, &theirs));
	munmap(shared, 3 * LOOM_PAGE);
	close(other);
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_DRAM, &after));
	EXPECT_EQ(before.allocated_bytes, after.allocated_bytes);
}

TEST_F(bo, what_is_no_dma_buf_is_not_imported)
{
	struct drm_prime_handle prime = { .fd = -1 };
	int pipefd[2];

	EXPECT_EQ(-EBADF, loom_call(self->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	prime.fd = 0x7fffffff;
	EXPECT_EQ(-EBADF, loom_call(self->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	ASSERT_EQ(0, pipe(pipefd));
	prime.fd = pipefd[0];
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	prime.fd = self->fd;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	prime = (struct drm_prime_handle) { .handle = 12345 };
	EXPECT_EQ(-ENOENT, loom_call(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	prime.flags = 0x40000000;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
}

/* ------------------------------------------------------------------ copies */

#define COPY_BYTES	0x100000

static void fill_random(uint8_t *bytes, uint64_t count)
{
	uint64_t i;

	for (i = 0; i < count; i++)
		bytes[i] = random();
}

/* Pieces of all sizes at all offsets, beside a mapping, which shows the same. */
TEST_F(bo, a_copy_is_what_is_mapped)
{
	static const uint64_t sizes[] = { 1, 7, 64, 4095, 4096, 4097, 100000, 262144, 262145 };
	uint8_t *bytes = malloc(COPY_BYTES), *map;
	uint32_t handle, region, i, round;

	ASSERT_NE(NULL, bytes);
	for (region = UINT32_MAX; loom_next_region(self->fd, &region);) {
		uint64_t size = region == DRM_LOOM_REGION_SRAM ? 4 * LOOM_PAGE : COPY_BYTES - 5;

		ASSERT_EQ(0, loom_bo_create(self->fd, size, region, &handle));
		map = loom_bo_map(self->fd, handle, size);
		ASSERT_NE(MAP_FAILED, map);
		for (i = 0; i < LOOM_ARRAY_SIZE(sizes); i++)
			for (round = 0; round < 4; round++) {
				uint64_t count = sizes[i] < size ? sizes[i] : size, at;

				/* the first bytes, the last ones, others */
				at = round ? size - count : 0;
				if (round > 1)
					at = random() % (size - count + 1);
				fill_random(bytes, count);
				ASSERT_EQ(count, loom_bo_write(self->fd, handle, at, bytes, count));
				ASSERT_EQ(0, memcmp(map + at, bytes, count));
				fill_random(bytes, count);
				memcpy(map + at, bytes, count);
				memset(bytes, 0, count);
				ASSERT_EQ(count, loom_bo_read(self->fd, handle, at, bytes, count));
				ASSERT_EQ(0, memcmp(map + at, bytes, count));
			}
		munmap(map, size);
		EXPECT_EQ(0, loom_bo_close(self->fd, handle));
	}
	free(bytes);
}

TEST_F(bo, new_buffers_are_read_as_zeroes)
{
	uint8_t *bytes = malloc(COPY_BYTES);
	uint32_t handle, region, i;

	ASSERT_NE(NULL, bytes);
	for (region = UINT32_MAX; loom_next_region(self->fd, &region);) {
		uint64_t size = region == DRM_LOOM_REGION_SRAM ? 4 * LOOM_PAGE : COPY_BYTES;

		for (i = 0; i < 4; i++) {
			memset(bytes, 0xff, size);
			ASSERT_EQ(0, loom_bo_create(self->fd, size, region, &handle));
			ASSERT_EQ(size, loom_bo_read(self->fd, handle, 0, bytes, size));
			EXPECT_EQ(0, bytes[0]);
			EXPECT_EQ(0, memcmp(bytes, bytes + 1, size - 1));
			memset(bytes, 0xa5, size);
			ASSERT_EQ(size, loom_bo_write(self->fd, handle, 0, bytes, size));
			ASSERT_EQ(0, loom_bo_close(self->fd, handle));
		}
	}
	free(bytes);
}

TEST_F(bo, copies_that_are_wrong)
{
	static const unsigned long cmds[] = { DRM_IOCTL_LOOM_BO_READ, DRM_IOCTL_LOOM_BO_WRITE };
	static const char constant[] = "constant";
	struct {
		struct drm_loom_bo_copy args;
		uint64_t later;
	} longer = {};
	const uint64_t size = 3 * LOOM_PAGE - 1;
	uint8_t byte = 0, *outside = (uint8_t *)loom_unmapped();
	uint32_t handle, gone, i, w;

	ASSERT_EQ(0, loom_bo_create(self->fd, size, DRM_LOOM_REGION_DRAM, &gone));
	ASSERT_EQ(0, loom_bo_create(self->fd, size, DRM_LOOM_REGION_DRAM, &handle));
	ASSERT_EQ(0, loom_bo_close(self->fd, gone));
	for (i = 0; i < 2; i++) {
		const struct {
			struct drm_loom_bo_copy args;
			int want;
		} wrong[] = {
			{ { handle, 1, 0, 1, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 1u << 31, 0, 1, (uintptr_t)&byte }, -EINVAL },
			{ { gone, 1, 0, 1, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 0, 0, 0, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 0, 0, size + 1, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 0, 1, size, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 0, size, 1, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 0, size - 1, 2, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 0, UINT64_MAX, 1, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 0, UINT64_MAX, 2, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 0, 1, UINT64_MAX, (uintptr_t)&byte }, -EINVAL },
			{ { handle, 0, 0, UINT64_MAX, (uintptr_t)&byte }, -EINVAL },
			{ { 0, 0, 0, 1, (uintptr_t)&byte }, -ENOENT },
			{ { gone, 0, 0, 1, (uintptr_t)&byte }, -ENOENT },
			{ { UINT32_MAX, 0, 0, 1, (uintptr_t)&byte }, -ENOENT },
			{ { handle, 0, 0, 1, 0 }, -EFAULT },
			{ { handle, 0, 0, 1, (uintptr_t)outside }, -EFAULT },
			{ { handle, 0, 0, 2, (uintptr_t)outside - 1 }, -EFAULT },
			{ { handle, 0, 0, size, (uintptr_t)outside - LOOM_PAGE }, -EFAULT },
			{ { handle, 0, 0, size, UINT64_MAX - 10 }, -EFAULT },
			{ { handle, 0, 0, size, 1ull << 63 }, -EFAULT },
		};

		for (w = 0; w < LOOM_ARRAY_SIZE(wrong); w++) {
			struct drm_loom_bo_copy args = wrong[w].args;

			EXPECT_EQ(wrong[w].want, loom_call(self->fd, cmds[i], &args)) {
				TH_LOG("case %u of ioctl %u", w, i);
			}
			EXPECT_EQ(0, memcmp(&args, &wrong[w].args, sizeof(args)));
		}
		EXPECT_EQ(-EFAULT, loom_call(self->fd, cmds[i], outside));
		/* of a later version */
		longer.args = (struct drm_loom_bo_copy) { handle, 0, 0, 1, (uintptr_t)&byte };
		longer.later = 1;
		EXPECT_EQ(-E2BIG, loom_call(self->fd, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
							   _IOC_NR(cmds[i]), sizeof(longer)),
					    &longer));
	}
	/* BO_READ needs writable memory */
	EXPECT_EQ(-EFAULT, loom_bo_read(self->fd, handle, 0, (void *)constant, 1));
	EXPECT_EQ(1, loom_bo_write(self->fd, handle, 0, constant, 1));
	munmap(outside - LOOM_PAGE, LOOM_PAGE);
}

/* The caller's memory is a mapping of the very buffer, not touched before, or of another. */
TEST_F(bo, copies_within_a_buffer)
{
	uint64_t size = 64 * LOOM_PAGE, half = size / 2, i, wrong = 0;
	uint32_t *bytes = malloc(half), handle, *map;

	ASSERT_NE(NULL, bytes);
	ASSERT_EQ(0, loom_bo_create(self->fd, size, DRM_LOOM_REGION_DRAM, &handle));
	for (i = 0; i < half / sizeof(*bytes); i++)
		bytes[i] = i * 2654435761u;
	ASSERT_EQ(half, loom_bo_write(self->fd, handle, 0, bytes, half));
	map = loom_bo_map(self->fd, handle, size);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(half, loom_bo_write(self->fd, handle, half, map, half));
	for (i = 0; i < half / sizeof(*bytes); i++)
		wrong += map[half / sizeof(*bytes) + i] != bytes[i];
	EXPECT_EQ(0, wrong);
	memset(map, 0, half);
	ASSERT_EQ(half, loom_bo_read(self->fd, handle, half, map, half));
	EXPECT_EQ(0, memcmp(map, bytes, half));
	munmap(map, size);
	free(bytes);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* Many signals: each call that succeeds gets ahead, and no byte is lost. */
TEST_F_TIMEOUT(bo, signals_end_a_copy_between_its_pieces, 60)
{
	const struct itimerval often = { .it_interval.tv_usec = 200, .it_value.tv_usec = 200 };
	const struct itimerval never = {};
	struct sigaction action = { .sa_handler = on_alarm };
	uint64_t size = 4 << 20, at, calls = 0;
	uint8_t *in = malloc(size), *out = calloc(1, size);
	int64_t ret = 0, end;
	uint32_t handle;

	ASSERT_NE(NULL, in);
	ASSERT_NE(NULL, out);
	fill_random(in, size);
	ASSERT_EQ(0, loom_bo_create(self->fd, size, DRM_LOOM_REGION_DRAM, &handle));
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	for (at = 0, end = loom_soon(); at < size && loom_now_ns() < end; at += ret, calls++) {
		ret = loom_bo_write(self->fd, handle, at, in + at, size - at);
		if (ret == -EINTR)
			ret = 0;
		else if (ret <= 0)
			break;
	}
	for (at = 0; at < size && loom_now_ns() < end; at += ret, calls++) {
		ret = loom_bo_read(self->fd, handle, at, out + at, size - at);
		if (ret == -EINTR)
			ret = 0;
		else if (ret <= 0)
			break;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_LE(0, ret);
	EXPECT_EQ(0, memcmp(in, out, size));
	TH_LOG("%llu calls", (unsigned long long)calls);
	free(in);
	free(out);
}
