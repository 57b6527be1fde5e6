// SPDX-License-Identifier: GPL-2.0
/* QUERY: its answers are true, sizes are negotiated, and wrong arguments are refused. */

#include <sys/sysinfo.h>

#include "loom_selftest.h"

FIXTURE(query)
{
	int fd;
	struct drm_loom_device_info info;
};

FIXTURE_SETUP(query)
{
	self->fd = loom_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, loom_query_device(self->fd, &self->info));
}

FIXTURE_TEARDOWN(query)
{
	close(self->fd);
}

TEST_F(query, the_device_describes_itself)
{
	const struct drm_loom_device_info *info = &self->info;
	struct drm_loom_region_info sram;

	EXPECT_NE(NULL, memchr(info->name, 0, sizeof(info->name)));
	EXPECT_NE(0, info->name[0]);
	EXPECT_EQ(DRM_LOOM_PLAN_VERSION, info->plan_version);
	EXPECT_NE(0, info->lanes);
	EXPECT_NE(0, info->compute_units);
	EXPECT_EQ(((1u << DRM_LOOM_DTYPE_END) - 1) & ~1u, info->dtypes);
	EXPECT_EQ(DRM_LOOM_MAX_PLAN_BYTES, info->max_plan_bytes);
	EXPECT_EQ(DRM_LOOM_MAX_UNIT_COST, info->max_unit_cost);
	EXPECT_EQ(DRM_LOOM_MAX_TENSORS, info->max_tensors);
	EXPECT_EQ(DRM_LOOM_MAX_COMMANDS, info->max_commands);
	EXPECT_EQ(DRM_LOOM_MAX_SLOTS, info->max_slots);
	EXPECT_NE(0, info->job_timeout_ms);
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(sram.banks, info->lanes);
}

TEST_F(query, the_device_has_every_opcode_of_the_header)
{
	static const unsigned int opcodes[] = {
		DRM_LOOM_OP_LOAD,     DRM_LOOM_OP_STORE,      DRM_LOOM_OP_COPY,
		DRM_LOOM_OP_FILL,     DRM_LOOM_OP_CONV,	      DRM_LOOM_OP_DECONV,
		DRM_LOOM_OP_POOL,     DRM_LOOM_OP_MATMUL,     DRM_LOOM_OP_BINARY,
		DRM_LOOM_OP_UNARY,    DRM_LOOM_OP_SELECT,     DRM_LOOM_OP_REDUCE,
		DRM_LOOM_OP_SOFTMAX,  DRM_LOOM_OP_RESIZE,     DRM_LOOM_OP_CAST,
		DRM_LOOM_OP_QUANTIZE, DRM_LOOM_OP_DEQUANTIZE, DRM_LOOM_OP_TOPK,
		DRM_LOOM_OP_GATHER,   DRM_LOOM_OP_MATMUL_ADD,
	};
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(opcodes); i++)
		all |= 1ull << opcodes[i];
	EXPECT_EQ(all, self->info.opcodes);
}

/* Those of other devices: template/loom_native.c. */
TEST_F(query, the_engine_has_no_native_commands)
{
	struct drm_loom_format format = { .id = 1, .version = 1 };
	uint32_t lanes = self->info.lanes, size = sizeof(format), plan;
	struct drm_loom_reject reject;
	struct loom_builder builder;
	uint64_t bytes;
	void *blob;

	EXPECT_EQ(0, loom_query(self->fd, DRM_LOOM_QUERY_FORMATS, 0, &format, &size));
	EXPECT_EQ(0, size);
	loom_builder_init(&builder, lanes, LOOM_COLUMNS);
	builder.format = format;
	blob = loom_builder_finish(&builder, &bytes);
	EXPECT_EQ(-EBADMSG, loom_plan_create(self->fd, blob, bytes, &reject, &plan));
	EXPECT_EQ(DRM_LOOM_RULE_FORMAT, reject.rule);
	free(blob);
}

TEST_F(query, every_region_adds_up)
{
	struct drm_loom_region_info info;
	uint32_t region;

	for (region = UINT32_MAX; loom_next_region(self->fd, &region);) {
		ASSERT_EQ(0, loom_query_region(self->fd, region, &info));
		EXPECT_NE(0, info.banks);
		EXPECT_NE(0, info.sub_banks);
		EXPECT_NE(0, info.align_bytes);
		EXPECT_EQ(0, info.align_bytes & (info.align_bytes - 1));
		EXPECT_LE(info.reserved_bytes + info.total_bytes, info.bank_bytes);
		EXPECT_EQ(info.total_bytes, info.allocated_bytes + info.free_bytes);
		EXPECT_LE(info.largest_free_bytes, info.free_bytes);
		EXPECT_LE(info.scratch_bytes, info.free_bytes);
		EXPECT_EQ(0, info.flags & ~DRM_LOOM_REGION_OWN);
		/* whole pages of the processor's, of memory that is not the processor's */
		EXPECT_EQ(0, info.map_bytes % LOOM_PAGE);
		if (!info.flags)
			EXPECT_EQ(0, info.map_bytes);
	}
}

TEST_F(query, a_region_that_the_chip_lacks_is_empty)
{
	const struct drm_loom_region_info none = {};
	struct drm_loom_region_info info;
	struct drm_loom_bank_info bank;
	struct drm_loom_block block;
	uint32_t region, handle, size, absent = 0;

	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++) {
		ASSERT_EQ(0, loom_query_region(self->fd, region, &info));
		if (info.banks)
			continue;
		absent++;
		EXPECT_EQ(0, memcmp(&none, &info, sizeof(info)));
		size = sizeof(block);
		EXPECT_EQ(0, loom_query(self->fd, DRM_LOOM_QUERY_BLOCKS, region, &block, &size));
		EXPECT_EQ(0, size);
		size = sizeof(bank);
		EXPECT_EQ(0, loom_query(self->fd, DRM_LOOM_QUERY_BANKS, region, &bank, &size));
		EXPECT_EQ(0, size);
		size = sizeof(block);
		EXPECT_EQ(-EINVAL, loom_query(self->fd, DRM_LOOM_QUERY_BANK_BLOCKS, region, &block,
					      &size));
		EXPECT_EQ(-EINVAL, loom_bo_create(self->fd, LOOM_PAGE, region, &handle));
	}
	if (!absent)
		SKIP(return, "the chip has all regions");
}

TEST_F(query, a_buffer_shows_in_the_figures_and_goes_again)
{
	struct drm_loom_region_info before, with, after;
	struct drm_loom_bo_info info;
	uint32_t handle, region;

	for (region = UINT32_MAX; loom_next_region(self->fd, &region);) {
		ASSERT_EQ(0, loom_query_region(self->fd, region, &before));
		ASSERT_EQ(0, loom_bo_create(self->fd, 12345, region, &handle));
		ASSERT_EQ(0, loom_bo_info(self->fd, handle, &info));
		ASSERT_EQ(0, loom_query_region(self->fd, region, &with));
		EXPECT_EQ(before.allocated_bytes + info.bytes_per_bank, with.allocated_bytes);
		EXPECT_EQ(before.blocks + 1, with.blocks);
		ASSERT_EQ(0, loom_bo_close(self->fd, handle));
		ASSERT_EQ(0, loom_query_region(self->fd, region, &after));
		EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
	}
}

/* Walks the blocks, which have to tile the bank. Return: bytes that are marked as our own. */
static uint64_t check_blocks(struct __test_metadata *_metadata, int fd, uint32_t region)
{
	struct drm_loom_region_info info;
	struct drm_loom_block *blocks;
	uint64_t address = 0, allocated = 0, largest = 0, own = 0;
	uint32_t count, used = 0, i;
	bool was_free = false;

	ASSERT_EQ(0, loom_query_region(fd, region, &info));
	blocks = loom_query_blocks(fd, region, &count);
	ASSERT_NE(NULL, blocks);
	for (i = 0; i < count; i++) {
		const struct drm_loom_block *block = &blocks[i];

		EXPECT_EQ(address, block->address);
		EXPECT_NE(0, block->bytes);
		EXPECT_EQ(0, block->pad);
		address += block->bytes;
		if (block->flags & DRM_LOOM_BLOCK_RESERVED) {
			EXPECT_EQ(0, i);
			EXPECT_EQ(DRM_LOOM_BLOCK_RESERVED, block->flags);
			EXPECT_LE(info.reserved_bytes, block->bytes);
			continue;
		}
		if (!(block->flags & DRM_LOOM_BLOCK_ALLOCATED)) {
			EXPECT_EQ(0, block->flags);
			/* two free neighbours would have been merged */
			EXPECT_FALSE(was_free);
			was_free = true;
			if (largest < block->bytes)
				largest = block->bytes;
			continue;
		}
		was_free = false;
		allocated += block->bytes;
		used++;
		if (block->flags & DRM_LOOM_BLOCK_OWN)
			own += block->bytes;
	}
	free(blocks);
	EXPECT_EQ(info.bank_bytes, address);
	EXPECT_EQ(info.allocated_bytes, allocated);
	EXPECT_EQ(info.blocks, used);
	EXPECT_EQ(info.largest_free_bytes, largest);
	return own;
}

TEST_F(query, blocks_tile_the_bank_and_know_their_owner)
{
	uint32_t handles[3], theirs, region, i;
	uint64_t bytes = 0;
	int other = loom_open();

	ASSERT_GE(other, 0);
	for (region = UINT32_MAX; loom_next_region(self->fd, &region);) {
		struct drm_loom_bo_info info;

		bytes = 0;
		for (i = 0; i < 3; i++) {
			ASSERT_EQ(0, loom_bo_create(self->fd, 5000 * (i + 1), region, &handles[i]));
			ASSERT_EQ(0, loom_bo_info(self->fd, handles[i], &info));
			bytes += info.bytes_per_bank;
		}
		ASSERT_EQ(0, loom_bo_create(other, 7777, region, &theirs));
		EXPECT_EQ(bytes, check_blocks(_metadata, self->fd, region));
		ASSERT_EQ(0, loom_bo_info(self->fd, handles[1], &info));
		/* a hole in the middle */
		ASSERT_EQ(0, loom_bo_close(self->fd, handles[1]));
		EXPECT_EQ(bytes - info.bytes_per_bank, check_blocks(_metadata, self->fd, region));
		ASSERT_EQ(0, loom_bo_info(other, theirs, &info));
		EXPECT_EQ(info.bytes_per_bank, check_blocks(_metadata, other, region));
	}
	close(other);
}

/* Checks that without the capability blocks of others are HIDDEN and merged. Return: 0 or not. */
static int check_hidden(int fd, uint32_t region, uint64_t own_bytes)
{
	struct drm_loom_region_info info;
	struct drm_loom_block *blocks;
	uint64_t address = 0, own = 0;
	bool was_hidden = false;
	uint32_t count, i;

	if (loom_query_region(fd, region, &info))
		return 1;
	blocks = loom_query_blocks(fd, region, &count);
	if (!blocks)
		return 2;
	for (i = 0; i < count; i++) {
		bool hidden = blocks[i].flags == DRM_LOOM_BLOCK_HIDDEN;

		if (blocks[i].address != address || !blocks[i].bytes)
			return 3;
		address += blocks[i].bytes;
		/* two neighbours would tell where a block of others begins or ends */
		if (hidden && was_hidden)
			return 4;
		was_hidden = hidden;
		if (hidden || blocks[i].flags == DRM_LOOM_BLOCK_RESERVED)
			continue;
		if (blocks[i].flags != (DRM_LOOM_BLOCK_ALLOCATED | DRM_LOOM_BLOCK_OWN))
			return 5;
		own += blocks[i].bytes;
	}
	free(blocks);
	if (address != info.bank_bytes)
		return 6;
	return own == own_bytes ? 0 : 7;
}

TEST_F(query, without_a_capability_only_own_blocks_are_shown)
{
	uint32_t mine, theirs, region;
	struct drm_loom_bo_info info;
	int other = loom_open(), status;
	uint64_t own[DRM_LOOM_REGION_COUNT];
	pid_t child;

	if (geteuid())
		SKIP(return, "no capability to drop");
	ASSERT_GE(other, 0);
	for (region = UINT32_MAX; loom_next_region(self->fd, &region);) {
		ASSERT_EQ(0, loom_bo_create(other, 7777, region, &theirs));
		ASSERT_EQ(0, loom_bo_create(self->fd, 5000, region, &mine));
		ASSERT_EQ(0, loom_bo_info(self->fd, mine, &info));
		own[region] = info.bytes_per_bank;
		ASSERT_EQ(0, loom_bo_create(other, 7777, region, &theirs));
		ASSERT_EQ(0, loom_bo_create(other, 100, region, &theirs));
	}
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		if (loom_become_nobody())
			_exit(100);
		_exit(check_hidden(self->fd, DRM_LOOM_REGION_DRAM, own[DRM_LOOM_REGION_DRAM]) ?:
		      10 * check_hidden(self->fd, DRM_LOOM_REGION_SRAM,
					own[DRM_LOOM_REGION_SRAM]));
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	/* the one who has it sees all, with the same file */
	EXPECT_EQ(own[0], check_blocks(_metadata, self->fd, 0));
	close(other);
}

/* Whether a sum is @own plus whole steps, as one has without CAP_PERFMON. */
static bool in_steps(uint64_t sum, uint64_t own, uint64_t total)
{
	return sum >= own && sum <= total && (sum == total || (sum - own) % (total / 64) == 0);
}

/* As nobody: of region @id @fd has @own bytes per bank, and others have some. */
static int check_steps(int fd, uint32_t id, uint64_t own, const struct drm_loom_region_info *exact)
{
	struct drm_loom_bank_info banks[DRM_LOOM_MAX_BANKS];
	struct drm_loom_no_space record = {};
	struct drm_loom_region_info info;
	uint32_t size = sizeof(banks), i;
	struct drm_loom_bo_create large = {
		.size = (exact->total_bytes + 4096) * exact->banks, .region = id,
		.no_space = (uintptr_t)&record, .no_space_size = sizeof(record),
	};

	if (loom_query_region(fd, id, &info) ||
	    loom_query(fd, DRM_LOOM_QUERY_BANKS, id, banks, &size))
		return 2;
	if (!in_steps(info.allocated_bytes, own, info.total_bytes) ||
	    info.allocated_bytes < exact->allocated_bytes ||
	    info.free_bytes != info.total_bytes - info.allocated_bytes)
		return 3;
	if (!in_steps(info.total_bytes - info.largest_free_bytes, 0, info.total_bytes) &&
	    info.largest_free_bytes != info.free_bytes)
		return 4;
	if (info.blocks != 1 || info.scratch_bytes < info.scratch_floor_bytes)
		return 5;
	for (i = 0; i < info.banks; i++)
		if (banks[i].allocated_bytes != info.allocated_bytes || banks[i].blocks != 1 ||
		    banks[i].largest_free_bytes != info.largest_free_bytes)
			return 6;
	if (loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &large) != -ENOSPC)
		return 7;
	if (record.allocated_bytes != info.allocated_bytes ||
	    record.largest_free_bytes != info.largest_free_bytes ||
	    record.common_free_bytes != info.free_bytes)
		return 8;
	return 0;
}

/* As nobody: a sum that a device counts of the host's memory. */
static int check_host_steps(int fd)
{
	struct drm_loom_device_info info;
	struct sysinfo host;
	uint64_t total;

	if (sysinfo(&host) || loom_query_device(fd, &info))
		return 9;
	total = (uint64_t)host.totalram * host.mem_unit;
	if (!(info.flags & DRM_LOOM_DEVICE_ROUNDED))
		return 10;
	if (!in_steps(info.bo_bytes, info.file_bo_bytes, total) ||
	    info.bo_bytes == info.file_bo_bytes)
		return 11;
	return in_steps(info.plans_bytes, info.file_plans_bytes, total) ? 0 : 12;
}

static int check_all_steps(int fd, const uint64_t *own, const struct drm_loom_region_info *exact)
{
	struct drm_loom_region_info before, with;
	struct drm_loom_bo_info info;
	uint32_t region, handle;
	int ret;

	if (loom_become_nobody())
		return 1;
	for (region = UINT32_MAX; loom_next_region(fd, &region);) {
		ret = check_steps(fd, region, own[region], &exact[region]);
		if (ret)
			return 16 * region + ret;
		/* its own part is exact, so steps do not tell what others have */
		if (loom_query_region(fd, region, &before) ||
		    loom_bo_create(fd, 1, region, &handle) || loom_bo_info(fd, handle, &info) ||
		    loom_query_region(fd, region, &with) ||
		    with.allocated_bytes != before.allocated_bytes + info.bytes_per_bank)
			return 16 * region + 13;
	}
	return check_host_steps(fd);
}

TEST_F(query, without_a_capability_sums_of_others_come_in_steps)
{
	struct drm_loom_region_info exact[DRM_LOOM_REGION_COUNT];
	uint64_t own[DRM_LOOM_REGION_COUNT];
	struct drm_loom_bo_info info, theirs;
	uint32_t mine, region, handle;
	int other = loom_open(), status;
	pid_t child;

	if (geteuid())
		SKIP(return, "no capability to drop");
	ASSERT_GE(other, 0);
	for (region = UINT32_MAX; loom_next_region(self->fd, &region);) {
		ASSERT_EQ(0, loom_bo_create(other, 7777, region, &handle));
		ASSERT_EQ(0, loom_bo_info(other, handle, &theirs));
		ASSERT_EQ(0, loom_bo_create(self->fd, 5000, region, &mine));
		ASSERT_EQ(0, loom_bo_info(self->fd, mine, &info));
		own[region] = info.bytes_per_bank;
		/* a client with the capability is told all */
		ASSERT_EQ(0, loom_query_region(self->fd, region, &exact[region]));
		EXPECT_EQ(own[region] + theirs.bytes_per_bank, exact[region].allocated_bytes);
		EXPECT_EQ(2, exact[region].blocks);
	}
	EXPECT_EQ(0, self->info.flags & DRM_LOOM_DEVICE_ROUNDED);
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(check_all_steps(self->fd, own, exact));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	close(other);
	/* with nobody else there is nothing to hide */
	ASSERT_EQ(0, loom_query_region(self->fd, 0, &exact[0]));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(loom_become_nobody() || loom_query_region(self->fd, 0, &exact[1]) ||
		      memcmp(&exact[0], &exact[1], sizeof(exact[0])));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_F(query, what_is_not_a_query_is_einval)
{
	static const struct drm_loom_query wrong[] = {
		{ .type = 1000 },
		{ .type = DRM_LOOM_QUERY_FIT_LIST + 1 },
		{ .type = UINT32_MAX },
		{ .type = DRM_LOOM_QUERY_DEVICE, .index = 1 },
		{ .type = DRM_LOOM_QUERY_REGION, .index = DRM_LOOM_REGION_COUNT },
		{ .type = DRM_LOOM_QUERY_REGION, .index = UINT32_MAX },
		{ .type = DRM_LOOM_QUERY_BLOCKS, .index = DRM_LOOM_REGION_COUNT },
		{ .type = DRM_LOOM_QUERY_BLOCKS, .index = UINT32_MAX },
		{ .type = DRM_LOOM_QUERY_DEVICE, .stride = 1 },
	};
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(wrong); i++) {
		struct drm_loom_query args = wrong[i];

		EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_QUERY, &args)) {
			TH_LOG("case %u", i);
		}
	}
}

TEST_F(query, a_pointer_to_nowhere_is_efault)
{
	char *unmapped = loom_unmapped();
	void *read_only = mmap(NULL, LOOM_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *const wrong[] = {
		(void *)8, unmapped, unmapped - 1, read_only,
		/* an address of the kernel, an invalid one, the last one */
		(void *)0xffffffff81000000ul, (void *)0x8000000000000000ul, (void *)-1ul,
	};
	uint32_t type, size;
	unsigned int i;

	ASSERT_NE(MAP_FAILED, read_only);
	for (type = DRM_LOOM_QUERY_DEVICE; type <= DRM_LOOM_QUERY_BLOCKS; type++)
		for (i = 0; i < LOOM_ARRAY_SIZE(wrong); i++) {
			size = 64;
			EXPECT_EQ(-EFAULT, loom_query(self->fd, type, 0, wrong[i], &size)) {
				TH_LOG("type %u case %u", type, i);
			}
		}
	/* no bytes are asked for: nothing is written, so nothing is wrong */
	size = 0;
	EXPECT_EQ(0, loom_query(self->fd, DRM_LOOM_QUERY_DEVICE, 0, unmapped, &size));
	/* an argument at an address that is not mapped */
	EXPECT_EQ(-EFAULT, loom_call(self->fd, DRM_IOCTL_LOOM_QUERY, unmapped));
	EXPECT_EQ(-EFAULT, loom_call(self->fd, DRM_IOCTL_LOOM_QUERY, NULL));
}

TEST_F(query, structures_may_grow_and_shrink)
{
	struct {
		struct drm_loom_query query;
		uint64_t more[2];
	} longer = {};
	struct {
		uint32_t type, index;
		uint64_t ptr;
	} shorter = {};
	unsigned long longer_cmd = DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_QUERY, longer);
	unsigned long shorter_cmd = DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_QUERY, shorter);

	EXPECT_EQ(0, loom_call(self->fd, longer_cmd, &longer));
	EXPECT_EQ(sizeof(struct drm_loom_device_info), longer.query.size);
	longer.more[1] = 1;
	EXPECT_EQ(-E2BIG, loom_call(self->fd, longer_cmd, &longer));
	EXPECT_EQ(0, loom_call(self->fd, shorter_cmd, &shorter));
}

TEST_F(query, the_version_names_the_driver)
{
	char name[64] = {}, desc[64] = {};
	struct drm_version version = {
		.name = name, .name_len = sizeof(name) - 1,
		.desc = desc, .desc_len = sizeof(desc) - 1,
	};

	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_VERSION, &version));
	EXPECT_STREQ("loom", name);
	EXPECT_NE(0, desc[0]);
}

#ifdef __x86_64__
/* As a process of 32 bits calls it: by the number that it has there, with what lies below 4 GiB. */
static int call_32(int nr, uint32_t a, uint32_t b, uint32_t c)
{
	int ret;

	asm volatile("int $0x80" : "=a"(ret) : "0"(nr), "b"(a), "c"(b), "d"(c)
		     : "memory", "cc", "r8", "r9", "r10", "r11");
	return ret;
}

/* Kernels without such processes end who tries. */
static bool has_32(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		call_32(20, 0, 0, 0); /* getpid() */
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

TEST_F(query, a_process_of_32_bits_gets_the_same)
{
	unsigned char *low = mmap(NULL, LOOM_PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct drm_loom_query *args = (void *)low;
	struct drm_loom_device_info *info = (void *)(low + 1024);
	uint32_t at = (uintptr_t)low, fd = self->fd;
	int ioctl_32 = 54;

	ASSERT_NE(MAP_FAILED, low);
	if (!has_32())
		SKIP(return, "no processes of 32 bits");
	*args = (struct drm_loom_query) {
		.type = DRM_LOOM_QUERY_DEVICE, .ptr = (uintptr_t)info, .size = sizeof(*info),
	};
	ASSERT_EQ(0, call_32(ioctl_32, fd, DRM_IOCTL_LOOM_QUERY, at));
	EXPECT_EQ(sizeof(*info), args->size);
	EXPECT_EQ(0, memcmp(info, &self->info, sizeof(*info)));
	args->type = 1000;
	EXPECT_EQ(-EINVAL, call_32(ioctl_32, fd, DRM_IOCTL_LOOM_QUERY, at));
	munmap(low, LOOM_PAGE);
	EXPECT_EQ(-EFAULT, call_32(ioctl_32, fd, DRM_IOCTL_LOOM_QUERY, at));
}
#endif
