// SPDX-License-Identifier: GPL-2.0
/*
 * Labels of buffers: which are refused, where they stand, and who sees them.
 */
#include "loom_selftest.h"

static int set_label(int fd, uint32_t handle, const char *text, uint32_t size)
{
	struct drm_loom_bo_label args = {
		.handle = handle, .size = size, .ptr = (uintptr_t)text,
	};

	return loom_call(fd, DRM_IOCTL_LOOM_BO_LABEL, &args);
}

/* Whether the list of a region has a block with a label of exactly these characters. */
static bool is_listed(int fd, uint32_t region, const char *text)
{
	char label[DRM_LOOM_LABEL_BYTES] = {};
	struct drm_loom_block *blocks;
	uint32_t count, i;
	bool found = false;

	memcpy(label, text, strlen(text));
	blocks = loom_query_blocks(fd, region, &count);
	for (i = 0; blocks && i < count; i++)
		found |= !memcmp(blocks[i].label, label, sizeof(label));
	free(blocks);
	return found;
}

/* SRAM buffer below the floor of scratch, on all banks. */
static int create_low(int fd, uint32_t *handle)
{
	struct drm_loom_bo_create args = {
		.size = 4096, .region = DRM_LOOM_REGION_SRAM,
		.direction = DRM_LOOM_DIRECTION_BOTTOM_UP,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

static int submit_conflict(const struct loom_client *client, uint32_t plan,
			   struct drm_loom_conflict *conflict, uint32_t size)
{
	struct loom_job job;

	memset(conflict, 0x55, sizeof(*conflict));
	loom_job_init(&job, client, plan, 2, 0);
	job.args.conflict = (uintptr_t)conflict;
	job.args.conflict_size = size;
	return loom_job_submit(client->fd, &job);
}

FIXTURE(label)
{
	struct loom_client client;
};

FIXTURE_SETUP(label)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
}

FIXTURE_TEARDOWN(label)
{
	loom_client_close(&self->client);
}

TEST_F(label, only_printable_ascii_of_a_buffer)
{
	static const char wrong[] = { '\0', '\n', '\x1b', '\x1f', '\x7f', (char)0x80, (char)0xff };
	char full[DRM_LOOM_LABEL_BYTES + 1];
	int fd = self->client.fd;
	uint32_t in = self->client.in, i;
	char text[3] = "a b";

	memset(full, '~', sizeof(full));
	EXPECT_EQ(0, set_label(fd, in, full, DRM_LOOM_LABEL_BYTES));
	EXPECT_EQ(-EINVAL, set_label(fd, in, full, DRM_LOOM_LABEL_BYTES + 1));
	EXPECT_EQ(-EINVAL, set_label(fd, in, full, UINT32_MAX));
	for (i = 0; i < sizeof(wrong); i++) {
		text[1] = wrong[i];
		EXPECT_EQ(-EINVAL, set_label(fd, in, text, sizeof(text)));
	}
	EXPECT_EQ(-EFAULT, set_label(fd, in, (void *)8, 1));
	EXPECT_EQ(-ENOENT, set_label(fd, 0, "a", 1));
	EXPECT_EQ(-ENOENT, set_label(fd, 12345, "a", 1));
	/* a refused call changes nothing */
	full[DRM_LOOM_LABEL_BYTES] = '\0';
	EXPECT_TRUE(is_listed(fd, DRM_LOOM_REGION_DRAM, full));
	EXPECT_EQ(0, set_label(fd, in, NULL, 0));
	EXPECT_FALSE(is_listed(fd, DRM_LOOM_REGION_DRAM, full));
}

TEST_F(label, stands_in_lists_of_blocks)
{
	struct drm_loom_block blocks[64], *block;
	struct drm_loom_query query = {
		.type = DRM_LOOM_QUERY_BANK_BLOCKS, .index = DRM_LOOM_REGION_DRAM,
		.ptr = (uintptr_t)blocks, .size = sizeof(blocks), .stride = sizeof(*blocks),
	};
	bool found = false;

	ASSERT_EQ(0, set_label(self->client.fd, self->client.in, "first", 5));
	ASSERT_EQ(0, set_label(self->client.fd, self->client.out, "out of the net", 14));
	EXPECT_TRUE(is_listed(self->client.fd, DRM_LOOM_REGION_DRAM, "first"));
	EXPECT_TRUE(is_listed(self->client.fd, DRM_LOOM_REGION_DRAM, "out of the net"));
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_QUERY, &query));
	for (block = blocks; block < blocks + query.size / sizeof(*blocks); block++)
		found |= !strncmp(block->label, "first", DRM_LOOM_LABEL_BYTES);
	EXPECT_TRUE(found);
	/* the last label counts, and goes with the buffer */
	ASSERT_EQ(0, set_label(self->client.fd, self->client.in, "second", 6));
	EXPECT_FALSE(is_listed(self->client.fd, DRM_LOOM_REGION_DRAM, "first"));
	EXPECT_TRUE(is_listed(self->client.fd, DRM_LOOM_REGION_DRAM, "second"));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, self->client.in));
	EXPECT_FALSE(is_listed(self->client.fd, DRM_LOOM_REGION_DRAM, "second"));
}

/* A process without the capability sees its own label, and no other one. */
static int check_nobody(int own, int other)
{
	if (loom_become_nobody())
		return 100;
	return (is_listed(own, DRM_LOOM_REGION_DRAM, "secret") ? 0 : 1) |
	       (is_listed(other, DRM_LOOM_REGION_DRAM, "secret") ? 2 : 0);
}

TEST_F(label, of_others_needs_perfmon)
{
	int other = loom_open(), status;
	pid_t child;

	if (geteuid())
		SKIP(return, "no capability to drop");
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, set_label(self->client.fd, self->client.in, "secret", 6));
	EXPECT_TRUE(is_listed(other, DRM_LOOM_REGION_DRAM, "secret"));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(check_nobody(self->client.fd, other));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	close(other);
}

TEST_F(label, names_the_largest_buffer_where_there_is_no_room)
{
	struct drm_loom_region_info sram;
	struct drm_loom_no_space record = {};
	struct drm_loom_bo_info info;
	struct drm_loom_bo_create args = {
		.region = DRM_LOOM_REGION_SRAM, .no_space = (uintptr_t)&record,
		.no_space_size = sizeof(record),
	};
	uint32_t small, large, context;
	int fd = self->client.fd;

	ASSERT_EQ(0, loom_exclusive(fd, &context));
	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_SRAM, &sram));
	ASSERT_EQ(0, loom_bo_create(fd, 4096, DRM_LOOM_REGION_SRAM, &small));
	ASSERT_EQ(0, loom_bo_create(fd, 2 * 4096 * sram.banks, DRM_LOOM_REGION_SRAM, &large));
	ASSERT_EQ(0, set_label(fd, small, "small", 5));
	args.size = sram.total_bytes / 4096 * 4096 * sram.banks;
	EXPECT_EQ(-ENOSPC, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	EXPECT_EQ(0, strncmp("small", record.blocker, sizeof(record.blocker)));
	ASSERT_EQ(0, set_label(fd, large, "large", 5));
	EXPECT_EQ(-ENOSPC, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, loom_bo_info(fd, large, &info));
	EXPECT_EQ(0, strncmp("large", record.blocker, sizeof(record.blocker)));
	EXPECT_EQ(info.bytes_per_bank, record.blocker_bytes);
}

/* A client without capabilities and with no handle gets the conflict, and no label. */
static int check_conflict_of_others(const struct loom_client *other, uint32_t plan)
{
	static const char none[DRM_LOOM_LABEL_BYTES];
	struct drm_loom_conflict conflict;

	if (loom_become_nobody())
		return 100;
	if (submit_conflict(other, plan, &conflict, sizeof(conflict)) != -EBUSY)
		return 101;
	return (conflict.scratch.short_bytes ? 0 : 1) | (conflict.scratch.address ? 2 : 0) |
	       (memcmp(conflict.label, none, sizeof(none)) ? 4 : 0);
}

TEST_F(label, names_the_buffer_in_the_scratch)
{
	uint32_t context, handle, plan, theirs;
	struct drm_loom_conflict conflict;
	struct loom_client other;
	int status;
	pid_t child;

	if (geteuid())
		SKIP(return, "no right to an exclusive context beside another file");
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, create_low(self->client.fd, &handle));
	ASSERT_EQ(0, set_label(self->client.fd, handle, "in the way", 10));
	EXPECT_EQ(-EBUSY, submit_conflict(&self->client, plan, &conflict, sizeof(conflict)));
	EXPECT_EQ(handle, conflict.scratch.handle);
	EXPECT_EQ(0, strncmp("in the way", conflict.label, sizeof(conflict.label)));
	/* an older client has no room for the label */
	EXPECT_EQ(-EBUSY, submit_conflict(&self->client, plan, &conflict,
					  sizeof(conflict.scratch)));
	EXPECT_EQ(handle, conflict.scratch.handle);
	EXPECT_EQ(0x55, conflict.label[0]);

	ASSERT_EQ(0, loom_client_open(&other));
	theirs = loom_client_plan_unary(&other, DRM_LOOM_UNARY_ABS);
	ASSERT_NE(0, theirs);
	EXPECT_EQ(-EBUSY, submit_conflict(&other, theirs, &conflict, sizeof(conflict)));
	EXPECT_EQ(0, conflict.scratch.handle);
	EXPECT_EQ(0, strncmp("in the way", conflict.label, sizeof(conflict.label)));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(check_conflict_of_others(&other, theirs));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	loom_client_close(&other);
}
