// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers on some banks, sharded buffers, and what is said when there is no room.
 */
#include "loom_selftest.h"

#define MAX_BANKS	DRM_LOOM_MAX_BANKS

FIXTURE(masks)
{
	int fd;
	struct drm_loom_region_info sram;
};

FIXTURE_SETUP(masks)
{
	uint32_t context;

	self->fd = loom_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, loom_exclusive(self->fd, &context));
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_SRAM, &self->sram));
	ASSERT_LE(4, self->sram.banks);
	if (self->sram.blocks)
		SKIP(return, "somebody else uses the device");
}

FIXTURE_TEARDOWN(masks)
{
	close(self->fd);
}

static int query_banks(int fd, uint32_t region, struct drm_loom_bank_info *banks)
{
	uint32_t size = MAX_BANKS * sizeof(*banks);

	return loom_query(fd, DRM_LOOM_QUERY_BANKS, region, banks, &size);
}

/* On the banks of the first 64 whose bits are set. Return: 0 or -errno. */
static int create_on(int fd, uint64_t size, uint64_t mask, uint32_t direction,
		     struct drm_loom_bo_info *info)
{
	struct drm_loom_bo_create args = {
		.size = size,
		.region = DRM_LOOM_REGION_SRAM,
		.direction = direction,
		.page_bytes = 64,
		.bank_mask = (uintptr_t)&mask,
		.bank_mask_words = 1,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	return ret ? ret : loom_bo_info(fd, args.handle, info);
}

/* The map of the SRAM, to who sees own blocks only: two at the top, and nothing of others. */
static int check_two_own(int fd, const struct drm_loom_bo_info *low,
			 const struct drm_loom_bo_info *high)
{
	const uint32_t own = DRM_LOOM_BLOCK_ALLOCATED | DRM_LOOM_BLOCK_OWN | DRM_LOOM_BLOCK_PARTIAL;
	struct drm_loom_block *blocks;
	uint32_t count, at = 0;
	int ret;

	if (loom_become_nobody())
		return 100;
	blocks = loom_query_blocks(fd, DRM_LOOM_REGION_SRAM, &count);
	if (!blocks)
		return 101;
	if (count && blocks[0].flags == DRM_LOOM_BLOCK_RESERVED)
		at++;
	ret = (count == at + 3 ? 0 : 1) |
	      (blocks[at].flags == DRM_LOOM_BLOCK_HIDDEN ? 0 : 2) |
	      (blocks[at].address + blocks[at].bytes == low->address ? 0 : 4);
	if (ret)
		return ret;
	return (blocks[at + 1].address == low->address ? 0 : 8) |
	       (blocks[at + 1].bytes == low->bytes_per_bank ? 0 : 16) |
	       (blocks[at + 2].address == high->address ? 0 : 32) |
	       (blocks[at + 2].bytes == high->bytes_per_bank ? 0 : 64) |
	       (blocks[at + 1].flags == own && blocks[at + 2].flags == own ? 0 : 128);
}

TEST_F(masks, the_ends_of_own_blocks_do_not_tell_where_others_are)
{
	/* twice as much may be had by a client that is not exclusive */
	const uint64_t bytes = self->sram.share_bytes / 2 < 4096 ?
			       self->sram.share_bytes / 2 / 64 * 64 : 4096;
	struct drm_loom_bo_info high, low, theirs;
	int other = loom_open(), status;
	pid_t child;

	if (geteuid())
		SKIP(return, "no capability to drop");
	ASSERT_GE(other, 0);
	/* in a list of all banks the other one would hide the upper one, and begin in the lower */
	ASSERT_EQ(0, create_on(self->fd, bytes, 1, DRM_LOOM_DIRECTION_DEFAULT, &high));
	ASSERT_EQ(0, create_on(self->fd, 2 * bytes, 1, DRM_LOOM_DIRECTION_DEFAULT, &low));
	ASSERT_EQ(0, create_on(other, 2 * bytes, 2, DRM_LOOM_DIRECTION_DEFAULT, &theirs));
	ASSERT_EQ(high.address, low.address + low.bytes_per_bank);
	ASSERT_LT(low.address, theirs.address);
	ASSERT_LT(theirs.address, high.address);
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(check_two_own(self->fd, &low, &high));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	close(other);
}

TEST_F(masks, who_is_not_in_the_mask_is_not_charged)
{
	struct drm_loom_bank_info before[MAX_BANKS], with[MAX_BANKS], after[MAX_BANKS];
	struct drm_loom_region_info region;
	struct drm_loom_bo_info info;
	uint32_t i;

	ASSERT_EQ(0, query_banks(self->fd, DRM_LOOM_REGION_SRAM, before));
	ASSERT_EQ(0, create_on(self->fd, 64 * 64, 0x5, DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_EQ(2, info.banks);
	EXPECT_EQ(0x5, info.bank_mask[0]);
	EXPECT_EQ(0, info.bank_mask[1] | info.bank_mask[2] | info.bank_mask[3]);
	EXPECT_EQ(32 * 64, info.bytes_per_bank);
	EXPECT_EQ(0, info.padding_bytes);
	ASSERT_EQ(0, query_banks(self->fd, DRM_LOOM_REGION_SRAM, with));
	for (i = 0; i < self->sram.banks; i++) {
		uint64_t more = i == 0 || i == 2 ? info.bytes_per_bank : 0;

		EXPECT_EQ(before[i].allocated_bytes + more, with[i].allocated_bytes);
		EXPECT_EQ(before[i].free_bytes - more, with[i].free_bytes);
		EXPECT_EQ(with[i].total_bytes, with[i].allocated_bytes + with[i].free_bytes);
		EXPECT_EQ(before[i].blocks + !!more, with[i].blocks);
	}
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_SRAM, &region));
	EXPECT_EQ(info.bytes_per_bank, region.allocated_bytes);
	ASSERT_EQ(0, loom_bo_close(self->fd, info.handle));
	ASSERT_EQ(0, query_banks(self->fd, DRM_LOOM_REGION_SRAM, after));
	EXPECT_EQ(0, memcmp(before, after, self->sram.banks * sizeof(*before)));
}

/* Kilobytes of the kernel's own memory that nobody could make it give back; 0: it does not say. */
static uint64_t kernel_kilobytes(void)
{
	unsigned long long kilobytes = 0;
	char text[4096], *line;

	if (loom_read_file("/proc/meminfo", text, sizeof(text)))
		return 0;
	line = strstr(text, "SUnreclaim:");
	if (!line || sscanf(line, "SUnreclaim: %llu", &kilobytes) != 1)
		return 0;
	return kilobytes;
}

/* Each of these could need a chunk of the list of such buffers, of 20 KiB, and does not. */
TEST_F(masks, what_was_not_needed_is_given_back)
{
	const uint32_t rounds = loom_effort(2000), first = 100;
	struct drm_loom_bo_info info;
	uint64_t before = 0;
	uint32_t i;

	for (i = 0; i < first + rounds; i++) {
		if (i == first)
			before = kernel_kilobytes();
		ASSERT_EQ(0, create_on(self->fd, 64, 0x3, DRM_LOOM_DIRECTION_DEFAULT, &info));
		ASSERT_EQ(0, loom_bo_close(self->fd, info.handle));
	}
	if (!before)
		SKIP(return, "nothing tells how much memory the kernel has");
	/* some of what was freed may be kept for a while, by KASAN above all */
	EXPECT_GT(before + rounds * 16, kernel_kilobytes());
}

TEST_F(masks, the_slack_of_one_is_room_for_the_other)
{
	struct drm_loom_bo_info a, b, all, more;
	uint64_t total = self->sram.total_bytes, every;

	every = self->sram.banks == 64 ? ~0ull : (1ull << self->sram.banks) - 1;
	ASSERT_EQ(0, create_on(self->fd, total / 2, 0x1, DRM_LOOM_DIRECTION_DEFAULT, &a));
	ASSERT_EQ(0, create_on(self->fd, total / 2, 0x2, DRM_LOOM_DIRECTION_DEFAULT, &b));
	EXPECT_EQ(a.address, b.address);
	EXPECT_EQ(self->sram.bank_bytes, a.address + a.bytes_per_bank);
	/* a buffer on all banks overlaps neither, whether its mask is full or zero */
	ASSERT_EQ(0, create_on(self->fd, 64 * self->sram.banks, every, DRM_LOOM_DIRECTION_DEFAULT,
			       &all));
	EXPECT_EQ(a.address, all.address + 64);
	EXPECT_EQ(self->sram.banks, all.banks);
	/* the other banks still have their upper half */
	ASSERT_EQ(0, create_on(self->fd, total / 2, 0x4, DRM_LOOM_DIRECTION_DEFAULT, &more));
	EXPECT_EQ(a.address, more.address);
	EXPECT_EQ(-ENOSPC, create_on(self->fd, total, 0x5, DRM_LOOM_DIRECTION_DEFAULT, &more));
}

TEST_F(masks, one_bank_can_be_full_while_the_next_is_empty)
{
	struct drm_loom_bo_info info;
	uint32_t i, handle;

	for (i = 0; i < self->sram.banks; i++) {
		EXPECT_EQ(0, create_on(self->fd, self->sram.total_bytes, 1ull << i,
				       DRM_LOOM_DIRECTION_DEFAULT, &info));
		EXPECT_EQ(-ENOSPC, create_on(self->fd, 64, 1ull << i, DRM_LOOM_DIRECTION_DEFAULT,
					     &info));
		EXPECT_EQ(-ENOSPC, loom_bo_create(self->fd, 64, DRM_LOOM_REGION_SRAM, &handle));
	}
}

TEST_F(masks, blocks_of_each_bank_tile_it)
{
	struct drm_loom_block blocks[64];
	struct drm_loom_bo_info info;
	uint32_t bank, i;

	ASSERT_EQ(0, create_on(self->fd, 640, 0x1, DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, create_on(self->fd, 1280, 0x3, DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, create_on(self->fd, 640, 0x2, DRM_LOOM_DIRECTION_BOTTOM_UP, &info));
	for (bank = 0; bank < 3; bank++) {
		struct drm_loom_query query = {
			.type = DRM_LOOM_QUERY_BANK_BLOCKS,
			.index = DRM_LOOM_REGION_SRAM | bank << 16,
			.ptr = (uintptr_t)blocks,
			.size = sizeof(blocks),
			.stride = sizeof(*blocks),
		};
		uint64_t at = 0;
		uint32_t used = 0;

		ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
		for (i = 0; i < query.size / sizeof(*blocks); i++) {
			EXPECT_EQ(at, blocks[i].address);
			at += blocks[i].bytes;
			if (!(blocks[i].flags & DRM_LOOM_BLOCK_ALLOCATED))
				continue;
			used++;
			EXPECT_EQ(DRM_LOOM_BLOCK_ALLOCATED | DRM_LOOM_BLOCK_OWN |
					  DRM_LOOM_BLOCK_PARTIAL,
				  blocks[i].flags);
			EXPECT_EQ(640, blocks[i].bytes);
		}
		EXPECT_EQ(self->sram.bank_bytes, at);
		EXPECT_EQ(bank < 2 ? 2 : 0, used);
	}
	i = sizeof(blocks);
	EXPECT_EQ(-EINVAL, loom_query(self->fd, DRM_LOOM_QUERY_BANK_BLOCKS,
				      DRM_LOOM_REGION_SRAM | self->sram.banks << 16, blocks, &i));
	EXPECT_EQ(-EINVAL, loom_query(self->fd, DRM_LOOM_QUERY_BANK_BLOCKS, DRM_LOOM_REGION_COUNT,
				      blocks, &i));
	EXPECT_EQ(-EINVAL,
		  loom_query(self->fd, DRM_LOOM_QUERY_BANKS, DRM_LOOM_REGION_COUNT, blocks, &i));
	EXPECT_EQ(-EINVAL, loom_query(self->fd, DRM_LOOM_QUERY_NO_SPACE, 1, blocks, &i));
}

TEST_F(masks, masks_that_are_none_are_refused)
{
	uint64_t words[5] = { 1 }, none[4] = {}, outside[4] = {};
	const struct drm_loom_bo_create good = {
		.size = 64,
		.region = DRM_LOOM_REGION_SRAM,
		.bank_mask = (uintptr_t)words,
		.bank_mask_words = 1,
	};
	struct drm_loom_bo_create args = good;

	outside[self->sram.banks / 64] = 1ull << self->sram.banks % 64;
	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args = good;
	args.bank_mask_words = 4;
	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args = good;
	args.bank_mask_words = 5;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args.bank_mask_words = 0;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args = good;
	args.bank_mask = 0;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args.bank_mask = (uintptr_t)none;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args.bank_mask = (uintptr_t)outside;
	args.bank_mask_words = 4;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args.bank_mask = (uintptr_t)loom_unmapped();
	EXPECT_EQ(-EFAULT, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args = good;
	args.pad = 1;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args = good;
	args.no_space_size = 8;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	args = good;
	args.direction = DRM_LOOM_DIRECTION_TINY_APART + 1;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
}

/* Words behind the counted ones, and in front of them, are not part of the mask. */
TEST_F(masks, no_more_words_are_read_than_there_are)
{
	const uint64_t words[] = { UINT64_MAX, 1, UINT64_MAX };
	struct drm_loom_bo_create args = {
		.size = 64,
		.region = DRM_LOOM_REGION_SRAM,
		.bank_mask = (uintptr_t)&words[1],
		.bank_mask_words = 1,
	};
	struct drm_loom_bo_info info;

	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, loom_bo_info(self->fd, args.handle, &info));
	EXPECT_EQ(1, info.banks);
	EXPECT_EQ(1, info.bank_mask[0]);
	EXPECT_EQ(0, info.bank_mask[1] | info.bank_mask[2] | info.bank_mask[3]);
}

TEST_F(masks, tiny_ones_go_to_the_other_end)
{
	struct drm_loom_bo_info info;
	const uint64_t base = self->sram.bank_bytes - self->sram.total_bytes;

	ASSERT_EQ(0, create_on(self->fd, DRM_LOOM_TINY_BYTES, 0x1, DRM_LOOM_DIRECTION_TINY_APART,
			       &info));
	EXPECT_EQ(base, info.address);
	ASSERT_EQ(0, create_on(self->fd, DRM_LOOM_TINY_BYTES + 1, 0x1,
			       DRM_LOOM_DIRECTION_TINY_APART, &info));
	EXPECT_EQ(self->sram.bank_bytes, info.address + info.bytes_per_bank);
	ASSERT_EQ(0, create_on(self->fd, 64, 0x1, DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_LT(base + self->sram.total_bytes / 2, info.address);
}

/* ------------------------------------------------------------------ shards */

TEST_F(masks, shards_lie_where_the_header_says)
{
	uint64_t mask = 0xf, taken;
	struct drm_loom_bo_create args = {
		.region = DRM_LOOM_REGION_SRAM,
		.layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK,
		/* 5 rows of 3 pages, the last one short */
		.size = 15 * 128 - 7,
		.page_bytes = 128,
		.page_columns = 3,
		.shard_rows = 3,
		.shard_columns = 2,
		.grid_columns = 2,
		.bank_mask = (uintptr_t)&mask,
		.bank_mask_words = 1,
	};
	struct drm_loom_bo_info info;

	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, loom_bo_info(self->fd, args.handle, &info));
	EXPECT_EQ(DRM_LOOM_LAYOUT_SHARDED_BLOCK, info.layout);
	EXPECT_EQ(15 * 128 - 7, info.size);
	EXPECT_EQ(4, info.banks);
	EXPECT_EQ(6 * 128, info.bytes_per_bank);
	EXPECT_EQ(24 * 128 - info.size, info.padding_bytes);
	EXPECT_EQ(0, info.align_padding_bytes);
	EXPECT_EQ(3, info.page_columns);
	EXPECT_EQ(3, info.shard_rows);
	EXPECT_EQ(2, info.shard_columns);
	EXPECT_EQ(2, info.shards_across);
	EXPECT_EQ(2, info.grid_columns);
	EXPECT_EQ(DRM_LOOM_SHARD_ROW_MAJOR, info.shard_order);
	ASSERT_EQ(0, loom_bo_close(self->fd, args.handle));

	/* by height, two shards for four banks: banks without a shard are not used */
	args.layout = DRM_LOOM_LAYOUT_SHARDED_HEIGHT;
	args.shard_columns = 0;
	args.shard_order = DRM_LOOM_SHARD_COLUMN_MAJOR;
	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, loom_bo_info(self->fd, args.handle, &info));
	taken = info.bank_mask[0];
	EXPECT_EQ(2, info.banks);
	/* the second one lies below the first in the grid */
	EXPECT_EQ(0x5, taken);
	EXPECT_EQ(9 * 128, info.bytes_per_bank);
	EXPECT_EQ(DRM_LOOM_SHARD_COLUMN_MAJOR, info.shard_order);

	args.layout = DRM_LOOM_LAYOUT_SHARDED_WIDTH;
	args.shard_rows = 0;
	args.shard_columns = 1;
	args.shard_order = DRM_LOOM_SHARD_ROW_MAJOR;
	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, loom_bo_info(self->fd, args.handle, &info));
	EXPECT_EQ(3, info.banks);
	EXPECT_EQ(0x7, info.bank_mask[0]);
	EXPECT_EQ(5 * 128, info.bytes_per_bank);
	EXPECT_EQ(15 * 128 - info.size, info.padding_bytes);
}

TEST_F(masks, shapes_that_are_none_are_refused)
{
	const struct drm_loom_bo_create good = {
		.region = DRM_LOOM_REGION_SRAM,
		.layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK,
		.size = 4 * 64,
		.page_bytes = 64,
		.page_columns = 2,
		.shard_rows = 1,
		.shard_columns = 1,
		.grid_columns = self->sram.banks,
	};
	struct drm_loom_bo_create bad[16], args = good;
	uint32_t count = 0, i;

	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	for (i = 0; i < LOOM_ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[count++].size = 0;
	bad[count++].page_columns = 0;
	bad[count++].shard_rows = 0;
	bad[count++].shard_columns = 0;
	bad[count++].grid_columns = 0;
	bad[count++].grid_columns = self->sram.banks + 1;
	bad[count++].shard_order = 2;
	bad[count++].layout = DRM_LOOM_LAYOUT_SHARDED_HEIGHT;
	bad[count++].layout = DRM_LOOM_LAYOUT_SHARDED_WIDTH;
	bad[count++].layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK + 1;
	bad[count++].layout = DRM_LOOM_LAYOUT_INTERLEAVED;
	bad[count++].width = 1;
	bad[count++].page_bytes = (1 << 20) + 1;
	/* more shards than banks */
	bad[count++].size = 64ull * 2 * self->sram.banks;
	for (i = 0; i < count; i++)
		EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &bad[i])) {
			TH_LOG("shape %u", i);
		}
}

TEST_F(masks, bytes_of_a_sharded_buffer_are_a_line)
{
	struct drm_loom_bo_create args = {
		.region = DRM_LOOM_REGION_DRAM,
		.layout = DRM_LOOM_LAYOUT_SHARDED_HEIGHT,
		.size = 3 * 4096,
		.page_bytes = 4096,
		.page_columns = 1,
		.shard_rows = 2,
		.grid_columns = 1,
	};
	unsigned char *map;

	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	map = loom_bo_map(self->fd, args.handle, args.size);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, map[0]);
	memset(map, 7, args.size);
	EXPECT_EQ(7, map[args.size - 1]);
	munmap(map, args.size);
}

/* ----------------------------------------------------------------- no room */

/* Allocates what does not fit. Return: the record, which QUERY has to give once more. */
static struct drm_loom_no_space ask(struct __test_metadata *_metadata, int fd, uint64_t size,
				    uint64_t mask)
{
	struct drm_loom_no_space record, again;
	struct drm_loom_bo_create args = {
		.size = size,
		.region = DRM_LOOM_REGION_SRAM,
		.page_bytes = 64,
		.bank_mask = (uintptr_t)&mask,
		.bank_mask_words = 1,
		.no_space = (uintptr_t)&record,
		.no_space_size = sizeof(record),
	};
	uint32_t room = sizeof(again);

	memset(&record, 0xaa, sizeof(record));
	EXPECT_EQ(-ENOSPC, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	EXPECT_EQ(0, loom_query(fd, DRM_LOOM_QUERY_NO_SPACE, 0, &again, &room));
	EXPECT_EQ(sizeof(again), room);
	EXPECT_EQ(0, memcmp(&record, &again, sizeof(record)));
	EXPECT_EQ(DRM_LOOM_REGION_SRAM, record.region);
	EXPECT_EQ(size, record.size_bytes);
	EXPECT_EQ(__builtin_popcountll(mask), record.banks);
	EXPECT_EQ(record.bank_bytes, record.allocated_bytes + record.free_bytes);
	EXPECT_LE(record.common_free_bytes, record.free_bytes);
	EXPECT_LE(record.largest_free_bytes, record.common_free_bytes);
	return record;
}

TEST_F(masks, it_says_why_there_is_no_room)
{
	const uint64_t total = self->sram.total_bytes, quarter = total / 4;
	struct drm_loom_no_space record;
	struct drm_loom_bo_info parts[4], low, high;
	uint32_t i, size = sizeof(record);

	ASSERT_EQ(0, loom_query(self->fd, DRM_LOOM_QUERY_NO_SPACE, 0, &record, &size));
	EXPECT_EQ(DRM_LOOM_NO_SPACE_NONE, record.reason);

	record = ask(_metadata, self->fd, total + 64, 0x1);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_TOO_LARGE, record.reason);
	EXPECT_EQ(total, record.bank_bytes);
	EXPECT_EQ(total, record.largest_free_bytes);
	EXPECT_EQ(total + 64, record.bytes_per_bank);
	record = ask(_metadata, self->fd, UINT64_MAX, 0x3);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_TOO_LARGE, record.reason);
	EXPECT_EQ(UINT64_MAX, record.bytes_per_bank);

	/* four in a row, two of which that are not neighbours are freed */
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0,
			  create_on(self->fd, quarter, 0x1, DRM_LOOM_DIRECTION_DEFAULT, &parts[i]));
	record = ask(_metadata, self->fd, 64, 0x1);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_EXHAUSTED, record.reason);
	EXPECT_EQ(0, record.free_bytes);
	ASSERT_EQ(0, loom_bo_close(self->fd, parts[0].handle));
	ASSERT_EQ(0, loom_bo_close(self->fd, parts[2].handle));
	record = ask(_metadata, self->fd, 2 * quarter, 0x1);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_FRAGMENTED, record.reason);
	EXPECT_EQ(2 * quarter, record.free_bytes);
	EXPECT_EQ(2 * quarter, record.common_free_bytes);
	EXPECT_EQ(quarter, record.largest_free_bytes);
	EXPECT_EQ(2 * quarter, record.allocated_bytes);
	ASSERT_EQ(0, loom_bo_close(self->fd, parts[1].handle));
	ASSERT_EQ(0, loom_bo_close(self->fd, parts[3].handle));

	/* half of each bank is free, but not the same half */
	ASSERT_EQ(0, create_on(self->fd, 2 * quarter, 0x1, DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	ASSERT_EQ(0, create_on(self->fd, 2 * quarter, 0x2, DRM_LOOM_DIRECTION_TOP_DOWN, &high));
	record = ask(_metadata, self->fd, 2 * quarter, 0x3);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_LOCKSTEP, record.reason);
	EXPECT_EQ(2 * quarter, record.free_bytes);
	EXPECT_EQ(0, record.common_free_bytes);
}

/* Whether bytes that are written to a buffer are read from it; they differ in each bank. */
static bool keeps_bytes(int fd, uint32_t handle, uint64_t size)
{
	uint32_t *bytes = malloc(size), *back = calloc(1, size);
	bool same;
	uint64_t i;

	for (i = 0; i < size / sizeof(*bytes); i++)
		bytes[i] = i * 2654435761u + handle;
	same = loom_bo_copy(fd, DRM_IOCTL_LOOM_BO_WRITE, handle, 0, bytes, size) == (int64_t)size &&
	       loom_bo_copy(fd, DRM_IOCTL_LOOM_BO_READ, handle, 0, back, size) == (int64_t)size &&
	       !memcmp(bytes, back, size);
	free(bytes);
	free(back);
	return same;
}

TEST_F(masks, an_address_per_bank_needs_no_room_in_common)
{
	struct drm_loom_bank_info before[MAX_BANKS], after[MAX_BANKS];
	const uint64_t half = self->sram.total_bytes / 2 / 4096 * 4096;
	struct drm_loom_bo_info low, high, one, both, again;
	uint64_t addresses[MAX_BANKS] = { 0 }, single;
	struct drm_loom_no_space record;
	struct drm_loom_bo_create args = { .size = 64, .flags = 2 };

	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	if (half < 8192)
		SKIP(return, "the banks are too small");
	ASSERT_EQ(0, create_on(self->fd, half, 0x1, DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	ASSERT_EQ(0, create_on(self->fd, half, 0x2, DRM_LOOM_DIRECTION_TOP_DOWN, &high));
	ASSERT_EQ(0, query_banks(self->fd, DRM_LOOM_REGION_SRAM, before));
	record = ask(_metadata, self->fd, half, 0x3);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_LOCKSTEP, record.reason);
	ASSERT_EQ(0, loom_per_bank(self->fd, DRM_LOOM_REGION_SRAM, half / 4096 * 4096, 0x3, &both,
				   addresses));
	EXPECT_EQ(DRM_LOOM_BO_PER_BANK, both.flags);
	EXPECT_EQ(2, both.address_count);
	EXPECT_EQ(both.address, addresses[0]);
	EXPECT_LE(low.address + low.bytes_per_bank, addresses[0]);
	EXPECT_GE(high.address, addresses[1] + both.bytes_per_bank);
	EXPECT_EQ(0, addresses[2]);
	EXPECT_TRUE(keeps_bytes(self->fd, both.handle, both.size));
	/* others did not lose theirs */
	EXPECT_TRUE(keeps_bytes(self->fd, low.handle, low.size));
	EXPECT_TRUE(keeps_bytes(self->fd, high.handle, high.size));
	EXPECT_TRUE(keeps_bytes(self->fd, both.handle, both.size));

	/* as many as there is room for; zero and a hole in the user's memory are errors */
	again = (struct drm_loom_bo_info) {
		.handle = both.handle, .addresses = (uintptr_t)&single, .address_count = 1,
	};
	EXPECT_EQ(0, loom_call(self->fd, DRM_IOCTL_LOOM_BO_INFO, &again));
	EXPECT_EQ(2, again.address_count);
	EXPECT_EQ(addresses[0], single);
	again.address_count = 0;
	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_INFO, &again));
	again.addresses = 8;
	again.address_count = 1;
	EXPECT_EQ(-EFAULT, loom_call(self->fd, DRM_IOCTL_LOOM_BO_INFO, &again));

	/* in one bank there is one address, and a failure in one bank takes none in the others */
	ASSERT_EQ(0, loom_bo_close(self->fd, both.handle));
	ASSERT_EQ(0, loom_per_bank(self->fd, DRM_LOOM_REGION_SRAM, 4096, 0x1, &one, addresses));
	EXPECT_EQ(0, one.flags);
	EXPECT_EQ(one.address, addresses[0]);
	EXPECT_EQ(-ENOSPC, loom_per_bank(self->fd, DRM_LOOM_REGION_SRAM, 4 * half, 0x3, &both,
					 addresses));
	ASSERT_EQ(0, loom_bo_close(self->fd, one.handle));
	ASSERT_EQ(0, query_banks(self->fd, DRM_LOOM_REGION_SRAM, after));
	EXPECT_EQ(0, memcmp(before, after, self->sram.banks * sizeof(*before)));
}

TEST_F(masks, what_an_empty_bank_would_hold_is_not_too_large)
{
	const uint64_t total = self->sram.total_bytes;
	struct drm_loom_no_space record;
	struct drm_loom_bo_info one;

	record = ask(_metadata, self->fd, total + 64, 0x1);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_TOO_LARGE, record.reason);
	EXPECT_EQ(0, record.allocated_bytes);
	ASSERT_EQ(0, create_on(self->fd, 64, 0x1, DRM_LOOM_DIRECTION_DEFAULT, &one));
	record = ask(_metadata, self->fd, total, 0x1);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_EXHAUSTED, record.reason);
	EXPECT_EQ(64, record.allocated_bytes);
	ASSERT_EQ(0, loom_bo_close(self->fd, one.handle));
}

/* -------------------------------------------------------------------- jobs */

FIXTURE(spread)
{
	struct loom_client client;
	uint32_t fence, plan, tolerant;
};

FIXTURE_SETUP(spread)
{
	struct drm_loom_plan_header *header;
	struct drm_loom_plan_slot *slots;
	uint64_t size;
	void *blob;

	ASSERT_EQ(0, loom_client_open(&self->client));
	if (!loom_device_works())
		SKIP(return, "the device runs no jobs");
	self->fence = loom_sync_create(self->client.fd, 0);
	self->plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_NEG);
	ASSERT_NE(0, self->plan);
	blob = loom_plan_blob_unary(self->client.info.lanes, DRM_LOOM_UNARY_NEG, &size);
	header = blob;
	slots = blob + header->slots.offset;
	slots[0].flags |= DRM_LOOM_SLOT_SPREAD;
	slots[1].flags |= DRM_LOOM_SLOT_SPREAD;
	self->tolerant = loom_client_plan(&self->client, blob, size);
	ASSERT_NE(0, self->tolerant);
}

FIXTURE_TEARDOWN(spread)
{
	loom_client_close(&self->client);
}

TEST_F(spread, only_a_slot_that_says_so_takes_a_spread_buffer)
{
	uint64_t mask = 1;
	struct drm_loom_bo_create on_one = {
		.size = self->client.bytes,
		.bank_mask = (uintptr_t)&mask,
		.bank_mask_words = 1,
	};
	struct drm_loom_bo_create sharded = {
		.size = self->client.bytes,
		.layout = DRM_LOOM_LAYOUT_SHARDED_WIDTH,
		.page_columns = 1,
		.shard_columns = 1,
		.grid_columns = 1,
	};
	struct loom_job job;
	float *in, *out;
	unsigned int i;

	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &on_one));
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &sharded));
	in = loom_bo_map(self->client.fd, on_one.handle, self->client.bytes);
	out = loom_bo_map(self->client.fd, sharded.handle, self->client.bytes);
	ASSERT_NE(MAP_FAILED, (void *)in);
	ASSERT_NE(MAP_FAILED, (void *)out);
	for (i = 0; i < self->client.bytes / sizeof(float); i++)
		in[i] = i + 1;

	loom_job_init(&job, &self->client, self->plan, 2, self->fence);
	job.bindings[0].handle = on_one.handle;
	EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));
	loom_job_init(&job, &self->client, self->plan, 2, self->fence);
	job.bindings[1].handle = sharded.handle;
	EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));

	loom_job_init(&job, &self->client, self->tolerant, 2, self->fence);
	job.bindings[0].handle = on_one.handle;
	job.bindings[1].handle = sharded.handle;
	ASSERT_EQ(0, loom_job_submit(self->client.fd, &job));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	for (i = 0; i < self->client.bytes / sizeof(float); i++)
		ASSERT_EQ(-(float)(i + 1), out[i]);
}

TEST_F(spread, only_a_slot_that_says_so_takes_an_address_per_bank)
{
	const int fd = self->client.fd;
	struct drm_loom_bo_info in, out;
	struct drm_loom_conflict record = {};
	struct drm_loom_plan_header *header;
	struct drm_loom_plan_slot *slots;
	float *values, *results;
	struct loom_job job;
	uint32_t i, plan;
	uint64_t size;
	void *blob;

	ASSERT_EQ(0, loom_uneven(fd, self->client.bytes, &in));
	ASSERT_EQ(0, loom_uneven(fd, self->client.bytes, &out));
	if (in.banks == 1)
		SKIP(return, "the DRAM has one bank");
	blob = loom_plan_blob_unary(self->client.info.lanes, DRM_LOOM_UNARY_NEG, &size);
	header = blob;
	slots = blob + header->slots.offset;
	slots[0].flags |= DRM_LOOM_SLOT_PER_BANK;
	slots[1].flags |= DRM_LOOM_SLOT_PER_BANK;
	plan = loom_client_plan(&self->client, blob, size);
	ASSERT_NE(0, plan);
	values = loom_bo_map(fd, in.handle, self->client.bytes);
	results = loom_bo_map(fd, out.handle, self->client.bytes);
	ASSERT_NE(MAP_FAILED, (void *)values);
	ASSERT_NE(MAP_FAILED, (void *)results);
	for (i = 0; i < self->client.bytes / sizeof(float); i++)
		values[i] = i + 1;

	/* one that takes spread buffers does not take these */
	loom_job_init(&job, &self->client, self->tolerant, 2, self->fence);
	job.bindings[1].handle = out.handle;
	job.args.conflict = (uintptr_t)&record;
	job.args.conflict_size = sizeof(record);
	EXPECT_EQ(-EINVAL, loom_job_submit(fd, &job));
	EXPECT_EQ(job.bindings[1].slot, record.per_bank_slot);
	EXPECT_EQ(out.handle, record.per_bank_handle);
	EXPECT_EQ(0, record.plan_lanes | record.scratch.bytes);

	loom_job_init(&job, &self->client, plan, 2, self->fence);
	job.bindings[0].handle = in.handle;
	job.bindings[1].handle = out.handle;
	ASSERT_EQ(0, loom_job_submit(fd, &job));
	ASSERT_EQ(0, loom_sync_wait(fd, self->fence, loom_soon()));
	for (i = 0; i < self->client.bytes / sizeof(float); i++)
		ASSERT_EQ(-(float)(i + 1), results[i]);
}
