// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's machinery, from the node: every ioctl once in earnest, buffers that come
 * and go, fences in and out, jobs that take too long, clients that vanish, a
 * device that vanishes. What the verifier refuses is tested elsewhere.
 */
#define _GNU_SOURCE
#include <linux/dma-buf.h>
#include <signal.h>
#include <sys/wait.h>

#include "../kselftest_harness.h"
#include "loom_test.h"

/* ------------------------------------------------------------ the fixture */

FIXTURE(loom)
{
	int fd;
	uint32_t lanes;
	uint32_t context;
	struct drm_loom_device_info info;
	/* 16 rows of a plan, read and written */
	uint32_t in, out;
	uint64_t bytes;
};

FIXTURE_SETUP(loom)
{
	struct drm_loom_query query = {
		.type = LOOM_QUERY_DEVICE,
		.ptr = (uintptr_t)&self->info,
		.size = sizeof(self->info),
	};

	self->fd = node_open();
	if (self->fd < 0)
		SKIP(return, "no loom device");
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
	ASSERT_EQ(sizeof(self->info), query.size);
	self->lanes = self->info.lanes;
	self->bytes = (uint64_t)self->lanes * TENSOR_COLUMNS * sizeof(float);
	ASSERT_EQ(0, context_create(self->fd, LOOM_PRIORITY_NORMAL, &self->context));
	ASSERT_NE(0, self->context);
	ASSERT_EQ(0, bo_create(self->fd, self->bytes, LOOM_REGION_DRAM, &self->in));
	ASSERT_EQ(0, bo_create(self->fd, self->bytes, LOOM_REGION_DRAM, &self->out));
}

FIXTURE_TEARDOWN(loom)
{
	if (self->fd >= 0)
		close(self->fd);
}

struct job {
	struct drm_loom_submit args;
	struct drm_loom_binding bindings[2];
	struct drm_loom_sync in, out;
};

/* A job that reads in, writes out, and signals @syncobj if that is not zero. */
static struct job *job_init(struct job *job, const FIXTURE_DATA(loom) * self, uint32_t plan,
			    uint32_t slots, uint32_t syncobj)
{
	*job = (struct job) {
		.args = {
			.context = self->context,
			.plan = plan,
			.bindings = { sizeof(job->bindings[0]), slots, (uintptr_t)job->bindings },
			.in_syncs = { sizeof(job->in), 0, (uintptr_t)&job->in },
			.out_syncs = { sizeof(job->out), !!syncobj, (uintptr_t)&job->out },
		},
		.bindings = { { 0, self->in, 0 }, { 1, self->out, 0 } },
		.out = { .handle = syncobj },
	};
	return job;
}

static int job_submit(int fd, struct job *job)
{
	return call(fd, DRM_IOCTL_LOOM_SUBMIT, &job->args);
}

/* Rounds that take at least some seconds on any machine. */
#define LONG_ROUNDS	200000

/* ------------------------------------------------------------------ tests */

TEST_F(loom, only_what_an_accel_node_needs_gets_through)
{
	struct drm_unique unique = {};
	struct drm_auth auth = {};
	struct drm_set_client_cap cap = {};
	struct drm_get_cap get_cap = { .capability = DRM_CAP_SYNCOBJ_TIMELINE };

	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IOCTL_GET_UNIQUE, &unique));
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IOCTL_GET_MAGIC, &auth));
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IOCTL_SET_CLIENT_CAP, &cap));
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IOCTL_SET_MASTER, NULL));
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IO(DRM_COMMAND_BASE + 0x0a), NULL));
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IO(DRM_COMMAND_BASE + 0x5f), NULL));
	/* the number of GET_UNIQUE, the type of a terminal's: isatty() must be harmless */
	EXPECT_EQ(-ENOTTY, call(self->fd, 0x5401, NULL));
	EXPECT_EQ(0, isatty(self->fd));
	EXPECT_EQ(0, call(self->fd, DRM_IOCTL_GET_CAP, &get_cap));
	EXPECT_EQ(1, get_cap.value);
}

TEST_F(loom, a_longer_structure_must_end_in_zeroes)
{
	struct {
		struct drm_loom_query query;
		uint64_t more;
	} args = { .query = { .type = LOOM_QUERY_DEVICE } };
	unsigned long cmd = DRM_IOWR(DRM_COMMAND_BASE + DRM_LOOM_QUERY, args);

	EXPECT_EQ(0, call(self->fd, cmd, &args));
	args.more = 1;
	EXPECT_EQ(-E2BIG, call(self->fd, cmd, &args));
}

TEST_F(loom, queries_negotiate_their_size)
{
	struct drm_loom_query query = { .type = LOOM_QUERY_REGION };
	unsigned char buffer[sizeof(struct drm_loom_region_info)];
	struct drm_loom_region_info region;

	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
	ASSERT_EQ(sizeof(region), query.size);
	memset(buffer, 0xaa, sizeof(buffer));
	query.ptr = (uintptr_t)buffer;
	query.size = 10;
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
	ASSERT_EQ(sizeof(region), query.size);
	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &region));
	EXPECT_EQ(0, memcmp(buffer, &region, 10));
	EXPECT_EQ(0xaa, buffer[10]);

	query.index = LOOM_REGION_COUNT;
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
	query.index = 0;
	query.pad = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
	query.pad = 0;
	query.type = 99;
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
	query.type = LOOM_QUERY_REGION;
	query.ptr = 8;
	EXPECT_EQ(-EFAULT, call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
}

TEST_F(loom, blocks_tile_the_bank)
{
	struct drm_loom_block blocks[64];
	struct drm_loom_query query = { .type = LOOM_QUERY_BLOCKS };
	struct drm_loom_region_info region;
	struct drm_loom_bo_info info;
	uint64_t address = 0;
	bool found = false;
	unsigned int i;

	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &region));
	ASSERT_EQ(0, bo_info(self->fd, self->in, &info));
	query.ptr = (uintptr_t)blocks;
	query.size = sizeof(blocks);
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
	ASSERT_LE(query.size, sizeof(blocks));
	for (i = 0; i < query.size / sizeof(blocks[0]); i++) {
		EXPECT_EQ(address, blocks[i].address);
		EXPECT_EQ(0, blocks[i].pad);
		address += blocks[i].bytes;
		if (blocks[i].address == info.address) {
			EXPECT_EQ(LOOM_BLOCK_ALLOCATED | LOOM_BLOCK_OWN, blocks[i].flags);
			EXPECT_EQ(info.bytes_per_bank, blocks[i].bytes);
			found = true;
		}
	}
	EXPECT_TRUE(found);
	EXPECT_EQ(region.bank_bytes, address);
	EXPECT_EQ(region.total_bytes, region.allocated_bytes + region.free_bytes);
}

TEST_F(loom, a_buffer_is_zeroed_mapped_and_has_an_address)
{
	struct drm_loom_region_info before, region;
	struct drm_loom_bo_info info;
	uint64_t size = 1000001, i;
	unsigned char *map;
	uint32_t handle;

	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &before));
	ASSERT_EQ(0, bo_create(self->fd, size, LOOM_REGION_DRAM, &handle));
	ASSERT_EQ(0, bo_info(self->fd, handle, &info));
	EXPECT_EQ(size, info.size);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(before.banks, info.banks);
	EXPECT_EQ(0, info.address % before.align_bytes);
	EXPECT_GE(info.address, before.reserved_bytes);
	EXPECT_LE(info.address + info.bytes_per_bank, before.bank_bytes);
	EXPECT_EQ(info.bytes_per_bank * info.banks - size, info.padding_bytes);
	EXPECT_EQ(4096, info.page_bytes);
	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &region));
	EXPECT_EQ(before.allocated_bytes + info.bytes_per_bank, region.allocated_bytes);

	map = bo_map(self->fd, handle, size);
	ASSERT_NE(MAP_FAILED, map);
	for (i = 0; i < size; i++)
		if (map[i])
			break;
	EXPECT_EQ(size, i);
	memset(map, 0x5a, size);
	EXPECT_EQ(0, munmap(map, size));

	EXPECT_EQ(0, bo_wait(self->fd, handle, 0));
	EXPECT_EQ(0, bo_close(self->fd, handle));
	EXPECT_EQ(-ENOENT, bo_info(self->fd, handle, &info));
	EXPECT_EQ(-ENOENT, bo_wait(self->fd, handle, 0));
	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &region));
	EXPECT_EQ(before.allocated_bytes, region.allocated_bytes);
}

TEST_F(loom, sram_from_the_top_dram_from_the_bottom)
{
	struct drm_loom_region_info sram, dram;
	struct drm_loom_bo_create args = { .size = 1, .page_bytes = 4096 };
	struct drm_loom_bo_info info;

	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_SRAM, &sram));
	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &dram));

	args.region = LOOM_REGION_SRAM;
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, bo_info(self->fd, args.handle, &info));
	EXPECT_EQ(sram.bank_bytes, info.address + info.bytes_per_bank);

	args.direction = LOOM_DIRECTION_BOTTOM_UP;
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, bo_info(self->fd, args.handle, &info));
	EXPECT_GE(info.address, sram.reserved_bytes);
	EXPECT_LT(info.address, sram.reserved_bytes + sram.align_bytes);

	args.region = LOOM_REGION_DRAM;
	args.direction = LOOM_DIRECTION_TOP_DOWN;
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, bo_info(self->fd, args.handle, &info));
	EXPECT_EQ(dram.bank_bytes, info.address + info.bytes_per_bank);
}

TEST_F(loom, buffers_that_make_no_sense)
{
	const struct drm_loom_bo_create good = { .size = 4096 };
	struct drm_loom_region_info region;
	struct drm_loom_bo_create args;

#define REFUSED(error, field, value) do {						\
	args = good;									\
	args.field = value;								\
	EXPECT_EQ(-(error), call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));		\
} while (0)

	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &region));
	REFUSED(EINVAL, size, 0);
	REFUSED(EINVAL, region, LOOM_REGION_COUNT);
	REFUSED(EINVAL, layout, 1);
	REFUSED(EINVAL, page_bytes, 3000);
	REFUSED(EINVAL, page_bytes, region.align_bytes / 2);
	REFUSED(EINVAL, page_bytes, 2 << 20);
	REFUSED(EINVAL, direction, 3);
	REFUSED(EINVAL, flags, 1);
	REFUSED(ENOSPC, size, region.total_bytes * region.banks + 1);
	REFUSED(ENOSPC, size, UINT64_MAX);
	REFUSED(ENOSPC, size, 1ULL << 63);
}

TEST_F(loom, sram_that_is_full_is_enospc)
{
	struct drm_loom_region_info sram;
	uint32_t handles[256], n = 0;
	uint64_t size;
	int ret = 0;

	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_SRAM, &sram));
	size = sram.total_bytes / 16 * sram.banks;
	while (n < 256) {
		ret = bo_create(self->fd, size, LOOM_REGION_SRAM, &handles[n]);
		if (ret)
			break;
		n++;
	}
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_GE(n, 8);
	while (n--)
		EXPECT_EQ(0, bo_close(self->fd, handles[n]));
	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(0, sram.allocated_bytes);
}

TEST_F(loom, a_null_plan_signals_its_syncobjs)
{
	uint32_t plan, binary, timeline;
	struct drm_loom_sync syncs[2];
	struct job job;

	ASSERT_EQ(0, plan_create_null(self->fd, self->lanes, &plan));
	ASSERT_NE(0, plan);
	binary = syncobj_create(self->fd, 0);
	timeline = syncobj_create(self->fd, 0);
	job_init(&job, self, plan, 0, 0);
	syncs[0] = (struct drm_loom_sync) { .handle = binary };
	syncs[1] = (struct drm_loom_sync) { .handle = timeline, .point = 7ULL << 32 };
	job.args.out_syncs = (struct drm_loom_array) { sizeof(syncs[0]), 2, (uintptr_t)syncs };
	ASSERT_EQ(0, job_submit(self->fd, &job));
	EXPECT_EQ(0, syncobj_wait(self->fd, binary, now_ns() + 10 * SECOND_NS));
	EXPECT_EQ(0, timeline_wait(self->fd, timeline, 7ULL << 32, now_ns() + 10 * SECOND_NS));

	/* and one that waits for the point */
	job_init(&job, self, plan, 0, binary);
	job.args.in_syncs.count = 1;
	job.in = syncs[1];
	ASSERT_EQ(0, job_submit(self->fd, &job));
	EXPECT_EQ(0, syncobj_wait(self->fd, binary, now_ns() + 10 * SECOND_NS));
	job.in.point++;
	EXPECT_EQ(-EINVAL, job_submit(self->fd, &job));
}

TEST_F(loom, a_plan_computes)
{
	struct drm_loom_context_query query;
	uint32_t plan, i, wrong = 0;
	float *in, *out;
	struct job job;

	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_RELU, 1, &plan));
	in = bo_map(self->fd, self->in, self->bytes);
	out = bo_map(self->fd, self->out, self->bytes);
	ASSERT_NE(MAP_FAILED, in);
	ASSERT_NE(MAP_FAILED, out);
	for (i = 0; i < self->bytes / sizeof(float); i++)
		in[i] = (int)(i % 1000) - 500;
	job_init(&job, self, plan, 2, 0);
	ASSERT_EQ(0, job_submit(self->fd, &job));
	ASSERT_EQ(0, bo_wait(self->fd, self->out, now_ns() + 30 * SECOND_NS));
	for (i = 0; i < self->bytes / sizeof(float); i++)
		wrong += out[i] != (in[i] < 0 ? 0 : in[i]);
	EXPECT_EQ(0, wrong);

	ASSERT_EQ(0, context_query(self->fd, self->context, &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, query.resets);
	EXPECT_EQ(1, query.counters.jobs);
	EXPECT_EQ(3, query.counters.steps);
	EXPECT_EQ(3, query.counters.commands);
	EXPECT_EQ(self->bytes, query.counters.dram_read_bytes);
	EXPECT_EQ(self->bytes, query.counters.dram_write_bytes);
	EXPECT_LT(0, query.counters.busy_ns);
}

TEST_F(loom, bindings_that_do_not_fit)
{
	uint32_t plan, sram, small, fence;
	struct job good, job;

#define BAD(error, statement) do {						\
	memcpy(&job, &good, sizeof(job));					\
	job.args.bindings.ptr = (uintptr_t)job.bindings;			\
	job.args.in_syncs.ptr = (uintptr_t)&job.in;				\
	job.args.out_syncs.ptr = (uintptr_t)&job.out;				\
	statement;								\
	EXPECT_EQ(-(error), job_submit(self->fd, &job)) {			\
		TH_LOG("%s", #statement);					\
	}									\
} while (0)

	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_RELU, 1, &plan));
	ASSERT_EQ(0, bo_create(self->fd, 4096, LOOM_REGION_SRAM, &sram));
	ASSERT_EQ(0, bo_create(self->fd, self->bytes - 1, LOOM_REGION_DRAM, &small));
	fence = syncobj_create(self->fd, 0);
	job_init(&good, self, plan, 2, fence);

	BAD(EINVAL, job.args.flags = 1);
	BAD(EINVAL, job.args.pad = 1);
	BAD(ENOENT, job.args.context += 77);
	BAD(ENOENT, job.args.context = 0);
	BAD(ENOENT, job.args.plan += 77);
	BAD(EINVAL, job.args.bindings.count = 1);
	BAD(E2BIG, job.args.bindings.count = LOOM_MAX_SLOTS + 1);
	BAD(E2BIG, job.args.bindings.count = UINT32_MAX);
	BAD(EINVAL, job.args.bindings.stride = 8);
	BAD(EINVAL, job.args.bindings.stride = UINT32_MAX);
	BAD(EFAULT, job.args.bindings.ptr = 64);
	BAD(EFAULT, job.args.bindings.ptr = UINT64_MAX - 7);
	BAD(EINVAL, job.bindings[1].slot = 0);
	BAD(EINVAL, job.bindings[1].slot = 2);
	BAD(EINVAL, job.bindings[1].slot = UINT32_MAX);
	BAD(ENOENT, job.bindings[0].handle += 99);
	BAD(ENOENT, job.bindings[0].handle = 0);
	BAD(EINVAL, job.bindings[0].handle = sram);
	BAD(EINVAL, job.bindings[0].handle = small);
	BAD(EINVAL, job.bindings[0].offset = 1);
	BAD(EINVAL, job.bindings[0].offset = 64);
	BAD(EINVAL, job.bindings[0].offset = UINT64_MAX - 63);
	BAD(EINVAL, job.bindings[0].handle = self->out);
	BAD(E2BIG, job.args.in_syncs.count = LOOM_MAX_SYNCS + 1);
	BAD(E2BIG, job.args.out_syncs.count = LOOM_MAX_SYNCS + 1);
	BAD(ENOENT, job.args.in_syncs.count = 1);
	BAD(EINVAL, (job.args.in_syncs.count = 1, job.in.handle = fence));
	BAD(ENOENT, job.out.handle += 99);
	BAD(EINVAL, job.out.flags = 1);
	BAD(EFAULT, job.args.out_syncs.ptr = 64);

	/* longer elements are fine if they end in zeroes */
	{
		struct {
			struct drm_loom_binding binding;
			uint64_t more;
		} longer[2] = { { good.bindings[0], 0 }, { good.bindings[1], 0 } };

		good.args.bindings.ptr = (uintptr_t)longer;
		good.args.bindings.stride = sizeof(longer[0]);
		EXPECT_EQ(0, job_submit(self->fd, &good));
		longer[1].more = 1;
		EXPECT_EQ(-E2BIG, job_submit(self->fd, &good));
	}
	EXPECT_EQ(0, syncobj_wait(self->fd, fence, now_ns() + 30 * SECOND_NS));
}

TEST_F(loom, scratch_and_sram_buffers_do_not_meet)
{
	struct drm_loom_bo_create args = {
		.size = 1,
		.region = LOOM_REGION_SRAM,
		.direction = LOOM_DIRECTION_BOTTOM_UP,
	};
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info info;
	uint32_t plan, fence;
	struct job job;

	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_EXP, LONG_ROUNDS, &plan));
	fence = syncobj_create(self->fd, 0);
	job_init(&job, self, plan, 2, fence);

	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	EXPECT_EQ(-EBUSY, job_submit(self->fd, &job));
	ASSERT_EQ(0, bo_close(self->fd, args.handle));

	ASSERT_EQ(0, job_submit(self->fd, &job));
	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(TENSOR_COLUMNS * sizeof(float), sram.scratch_bytes);
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, bo_info(self->fd, args.handle, &info));
	EXPECT_GE(info.address, sram.reserved_bytes + sram.scratch_bytes);
	EXPECT_EQ(-ETIME, syncobj_wait(self->fd, fence, 0));
	EXPECT_EQ(-ETIME, bo_wait(self->fd, self->out, 0));
	EXPECT_EQ(-ETIME, bo_wait(self->fd, self->out, now_ns() + SECOND_NS / 10));
}

TEST_F(loom, contexts_and_plans_are_the_files_own)
{
	struct drm_loom_context_destroy destroy = { .context = self->context };
	struct drm_loom_context_query query;
	struct drm_loom_plan_destroy plan = {};
	uint32_t context;
	int other = node_open();

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, plan_create_null(self->fd, self->lanes, &plan.plan));
	EXPECT_EQ(-ENOENT, context_query(other, self->context, &query));
	EXPECT_EQ(-ENOENT, call(other, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &destroy));
	EXPECT_EQ(-ENOENT, call(other, DRM_IOCTL_LOOM_PLAN_DESTROY, &plan));
	EXPECT_EQ(-ENOENT, bo_wait(other, self->in, 0));
	close(other);

	EXPECT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &destroy));
	EXPECT_EQ(-ENOENT, call(self->fd, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &destroy));
	EXPECT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &plan));
	EXPECT_EQ(-ENOENT, call(self->fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &plan));
	EXPECT_EQ(-EINVAL, context_create(self->fd, 3, &context));
	EXPECT_EQ(0, context_create(self->fd, LOOM_PRIORITY_HIGH, &context));
}

TEST_F(loom, high_priority_is_for_the_privileged)
{
	pid_t child = fork();
	int status;

	ASSERT_GE(child, 0);
	if (!child) {
		uint32_t context;

		if (setuid(65534))
			_exit(1);
		_exit(context_create(self->fd, LOOM_PRIORITY_HIGH, &context) == -EACCES &&
		      !context_create(self->fd, LOOM_PRIORITY_LOW, &context) ? 0 : 2);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(loom, a_plan_that_is_none)
{
	struct drm_loom_reject reject;
	unsigned char bytes[16] = {};
	struct drm_loom_plan_create args = {
		.ptr = (uintptr_t)bytes,
		.size = sizeof(bytes),
		.reject = (uintptr_t)&reject,
		.reject_size = sizeof(reject),
	};

	memset(&reject, 0xaa, sizeof(reject));
	EXPECT_EQ(-EBADMSG, call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	EXPECT_EQ(LOOM_RULE_HEADER, reject.rule);
	/* half a record is written if that is what there is room for */
	memset(&reject, 0xaa, sizeof(reject));
	args.reject_size = 4;
	EXPECT_EQ(-EBADMSG, call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	EXPECT_EQ(LOOM_RULE_HEADER, reject.rule);
	EXPECT_EQ(0xaaaaaaaa, reject.valid);
	args.reject = 0;
	EXPECT_EQ(-EBADMSG, call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args.reject = 8;
	EXPECT_EQ(-EFAULT, call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args.reject = 0;
	args.size = 0;
	EXPECT_EQ(-EBADMSG, call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args.size = LOOM_MAX_PLAN_BYTES + 1;
	EXPECT_EQ(-E2BIG, call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args.size = UINT64_MAX;
	EXPECT_EQ(-E2BIG, call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args.size = 4096;
	args.ptr = 64;
	EXPECT_EQ(-EFAULT, call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	args.flags = 1;
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
}

TEST_F(loom, a_dma_buf_is_the_same_buffer)
{
	struct drm_prime_handle prime = { .handle = self->in, .flags = DRM_RDWR | DRM_CLOEXEC };
	unsigned char *map, *shared;
	int other = node_open();

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	ASSERT_EQ(0, call(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	map = bo_map(self->fd, self->in, 4096);
	ASSERT_NE(MAP_FAILED, map);
	map[5] = 77;
	shared = bo_map(other, prime.handle, 4096);
	ASSERT_NE(MAP_FAILED, shared);
	EXPECT_EQ(77, shared[5]);
	munmap(shared, 4096);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, prime.fd, 0);
	ASSERT_NE(MAP_FAILED, shared);
	EXPECT_EQ(77, shared[5]);
	close(other);
	close(prime.fd);
	EXPECT_EQ(77, shared[5]);
}

/* vgem is the neighbour in the VM: its buffers and fences come from elsewhere. */
struct vgem_fence_attach {
	__u32 handle;
	__u32 flags;
	__u32 out_fence;
	__u32 pad;
};

struct vgem_fence_signal {
	__u32 fence;
	__u32 flags;
};

#define VGEM_FENCE_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_FENCE_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)

static int vgem_open(void)
{
	char name[16];
	struct drm_version version = { .name = name, .name_len = sizeof(name) };
	int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);

	if (fd >= 0 && !call(fd, DRM_IOCTL_VERSION, &version) && version.name_len == 4 &&
	    !memcmp(name, "vgem", 4))
		return fd;
	close(fd);
	return -ENODEV;
}

/* A dma-buf of vgem with a fence on it that signals on demand, or after ten seconds. */
static int vgem_create(int vgem, uint32_t *fence)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	struct vgem_fence_attach attach = { .flags = 1 };
	struct drm_prime_handle prime = { .flags = DRM_RDWR | DRM_CLOEXEC };
	int ret = call(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);

	attach.handle = dumb.handle;
	prime.handle = dumb.handle;
	ret = ret ?: call(vgem, VGEM_FENCE_ATTACH, &attach);
	ret = ret ?: call(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	*fence = attach.out_fence;
	return ret ?: prime.fd;
}

/* The fence of a dma-buf in a syncobj of ours. */
static int syncobj_import(int fd, uint32_t syncobj, int dmabuf)
{
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW };
	struct drm_syncobj_handle handle = {
		.handle = syncobj,
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
	};
	int ret = call(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export);

	if (ret)
		return ret;
	handle.fd = export.fd;
	ret = call(fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &handle);
	close(export.fd);
	return ret;
}

TEST_F(loom, buffers_of_others_are_refused_ours_are_taken)
{
	struct drm_prime_handle prime = { .handle = self->in, .flags = DRM_RDWR | DRM_CLOEXEC };
	int vgem = vgem_open();
	uint32_t fence, plan;
	struct job job;

	if (vgem < 0)
		SKIP(return, "no vgem");
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	ASSERT_EQ(0, call(vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	close(prime.fd);
	/* it is pinned now, and can be used as before */
	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_RELU, 1, &plan));
	ASSERT_EQ(0, job_submit(self->fd, job_init(&job, self, plan, 2, 0)));
	EXPECT_EQ(0, bo_wait(self->fd, self->out, now_ns() + 20 * SECOND_NS));
	EXPECT_EQ(0, bo_close(self->fd, self->in));

	prime.fd = vgem_create(vgem, &fence);
	ASSERT_GE(prime.fd, 0);
	EXPECT_EQ(-EINVAL, call(self->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	close(prime.fd);
	close(vgem);
}

TEST_F_TIMEOUT(loom, a_job_waits_for_the_fences_of_others, 60)
{
	struct vgem_fence_signal signal = {};
	uint32_t plan, in, out, other_out;
	struct job job;
	int dmabuf, vgem = vgem_open();

	if (vgem < 0)
		SKIP(return, "no vgem");
	dmabuf = vgem_create(vgem, &signal.fence);
	ASSERT_GE(dmabuf, 0);
	in = syncobj_create(self->fd, 0);
	out = syncobj_create(self->fd, 0);
	other_out = syncobj_create(self->fd, 0);
	ASSERT_EQ(0, syncobj_import(self->fd, in, dmabuf));
	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_RELU, 1, &plan));
	job_init(&job, self, plan, 2, out);
	job.args.in_syncs.count = 1;
	job.in.handle = in;
	ASSERT_EQ(0, job_submit(self->fd, &job));
	EXPECT_EQ(-ETIME, syncobj_wait(self->fd, out, now_ns() + SECOND_NS / 5));
	EXPECT_EQ(-ETIME, bo_wait(self->fd, self->out, 0));

	/* others overtake it */
	ASSERT_EQ(0, context_create(self->fd, LOOM_PRIORITY_NORMAL, &self->context));
	ASSERT_EQ(0, job_submit(self->fd, job_init(&job, self, plan, 2, other_out)));
	EXPECT_EQ(0, syncobj_wait(self->fd, other_out, now_ns() + 5 * SECOND_NS));
	EXPECT_EQ(-ETIME, syncobj_wait(self->fd, out, 0));

	ASSERT_EQ(0, call(vgem, VGEM_FENCE_SIGNAL, &signal));
	EXPECT_EQ(0, syncobj_wait(self->fd, out, now_ns() + 5 * SECOND_NS));
	close(dmabuf);
	close(vgem);
}

TEST_F_TIMEOUT(loom, closing_while_a_job_waits_for_another_fence, 60)
{
	struct vgem_fence_signal signal = {};
	struct drm_loom_region_info before, after;
	int dmabuf, vgem = vgem_open(), other = node_open();
	int64_t end;
	uint32_t plan, in;
	struct job job;

	if (vgem < 0)
		SKIP(return, "no vgem");
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, region_info(other, LOOM_REGION_DRAM, &before));
	dmabuf = vgem_create(vgem, &signal.fence);
	ASSERT_GE(dmabuf, 0);
	in = syncobj_create(self->fd, 0);
	ASSERT_EQ(0, syncobj_import(self->fd, in, dmabuf));
	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_RELU, 1, &plan));
	job_init(&job, self, plan, 2, 0);
	job.args.in_syncs.count = 1;
	job.in.handle = in;
	ASSERT_EQ(0, job_submit(self->fd, &job));
	ASSERT_EQ(0, job_submit(self->fd, &job));
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, call(vgem, VGEM_FENCE_SIGNAL, &signal));
	end = now_ns() + 10 * SECOND_NS;
	do {
		usleep(10000);
		ASSERT_EQ(0, region_info(other, LOOM_REGION_DRAM, &after));
	} while (after.blocks != before.blocks - 2 && now_ns() < end);
	EXPECT_EQ(before.blocks - 2, after.blocks);
	close(other);
	close(dmabuf);
	close(vgem);
}

TEST_F(loom, fdinfo_says_what_a_client_uses)
{
	char path[64], text[2048] = {}, want[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->fd);
	fd = open(path, O_RDONLY);
	ASSERT_GE(fd, 0);
	ASSERT_GT(read(fd, text, sizeof(text) - 1), 0);
	close(fd);
	EXPECT_NE(NULL, strstr(text, "drm-driver:\tloom\n"));
	EXPECT_NE(NULL, strstr(text, "drm-engine-loom:\t0 ns\n"));
	snprintf(want, sizeof(want), "drm-total-dram:\t%llu KiB\n",
		 (unsigned long long)self->bytes * 2 / 1024);
	EXPECT_NE(NULL, strstr(text, want));
	EXPECT_NE(NULL, strstr(text, "drm-total-sram:\t0"));
}

/* --------------------------------------------------------------- eviction */

/* Buffers of together more than the DRAM, as far as the machine has memory for them. */
TEST_F_TIMEOUT(loom, what_does_not_fit_is_evicted_and_comes_back, 120)
{
	uint32_t plan, handles[96], evicted = 0, fence, i, wrong = 0;
	struct drm_loom_region_info dram;
	struct drm_loom_bo_info info;
	long available = sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
	uint64_t size, total;
	struct job job;
	float *map;

	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &dram));
	total = dram.total_bytes * dram.banks;
	size = total / 64 / 4096 * 4096;
	if (total * 2 > (uint64_t)available)
		SKIP(return, "not enough memory to fill the DRAM (topology=tiny)");
	for (i = 0; i < 96; i++) {
		ASSERT_EQ(0, bo_create(self->fd, size, LOOM_REGION_DRAM, &handles[i]));
		map = bo_map(self->fd, handles[i], size);
		ASSERT_NE(MAP_FAILED, map);
		map[0] = i + 1;
		map[size / sizeof(float) - 1] = i;
		munmap(map, size);
	}
	for (i = 0; i < 96; i++) {
		ASSERT_EQ(0, bo_info(self->fd, handles[i], &info));
		if (info.flags & LOOM_BO_EVICTED) {
			EXPECT_EQ(0, info.address);
			evicted++;
		}
	}
	EXPECT_GE(evicted, 32);
	EXPECT_LE(evicted, 64);

	/* each is brought back by a job, in turn, and has kept its bytes */
	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_RELU, 1, &plan));
	fence = syncobj_create(self->fd, 0);
	for (i = 0; i < 96; i++) {
		job_init(&job, self, plan, 2, fence);
		job.bindings[0].handle = handles[i];
		ASSERT_EQ(0, job_submit(self->fd, &job));
		ASSERT_EQ(0, bo_info(self->fd, handles[i], &info));
		EXPECT_EQ(0, info.flags);
		if (i % 8)
			continue;
		ASSERT_EQ(0, bo_wait(self->fd, self->out, now_ns() + 30 * SECOND_NS));
		map = bo_map(self->fd, self->out, 4096);
		ASSERT_NE(MAP_FAILED, map);
		wrong += map[0] != i + 1;
		munmap(map, 4096);
	}
	EXPECT_EQ(0, wrong);
	for (i = 0; i < 96; i++) {
		map = bo_map(self->fd, handles[i], size);
		ASSERT_NE(MAP_FAILED, map);
		wrong += map[0] != i + 1 || map[size / sizeof(float) - 1] != i;
		munmap(map, size);
	}
	EXPECT_EQ(0, wrong);
}

/* ------------------------------------------------------ jobs that are ended */

static pid_t submit_in_child(const FIXTURE_DATA(loom) * self, uint32_t jobs)
{
	int pipefd[2];
	pid_t child;
	char byte;

	if (pipe(pipefd))
		return -1;
	child = fork();
	if (!child) {
		FIXTURE_DATA(loom) own = *self;
		struct job job;
		uint32_t plan;

		own.fd = node_open();
		if (context_create(own.fd, LOOM_PRIORITY_NORMAL, &own.context) ||
		    bo_create(own.fd, own.bytes, LOOM_REGION_DRAM, &own.in) ||
		    bo_create(own.fd, own.bytes, LOOM_REGION_DRAM, &own.out) ||
		    plan_create_rounds(own.fd, own.lanes, LOOM_UNARY_EXP, LONG_ROUNDS, &plan))
			_exit(1);
		while (jobs--)
			if (job_submit(own.fd, job_init(&job, &own, plan, 2, 0)))
				_exit(2);
		if (write(pipefd[1], "x", 1) != 1)
			_exit(3);
		pause();
	}
	close(pipefd[1]);
	if (read(pipefd[0], &byte, 1) != 1)
		child = -1;
	close(pipefd[0]);
	return child;
}

TEST_F_TIMEOUT(loom, a_client_killed_in_its_job_frees_the_device, 60)
{
	struct drm_loom_region_info before, after;
	uint32_t plan, fence;
	struct job job;
	int64_t start;
	pid_t child;
	int status;

	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &before));
	child = submit_in_child(self, 20);
	ASSERT_GT(child, 0);
	usleep(200000);
	ASSERT_EQ(0, plan_create_null(self->fd, self->lanes, &plan));
	fence = syncobj_create(self->fd, 0);
	ASSERT_EQ(0, job_submit(self->fd, job_init(&job, self, plan, 0, fence)));
	EXPECT_EQ(-ETIME, syncobj_wait(self->fd, fence, now_ns() + SECOND_NS / 10));
	start = now_ns();
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, syncobj_wait(self->fd, fence, start + 20 * SECOND_NS));
	EXPECT_LT(now_ns() - start, 20 * SECOND_NS);

	/* all it had is freed, soon */
	do {
		usleep(50000);
		ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_DRAM, &after));
	} while (after.allocated_bytes != before.allocated_bytes &&
		 now_ns() - start < 20 * SECOND_NS);
	EXPECT_EQ(before.allocated_bytes, after.allocated_bytes);
	ASSERT_EQ(0, region_info(self->fd, LOOM_REGION_SRAM, &after));
	EXPECT_EQ(0, after.scratch_bytes);
}

TEST_F_TIMEOUT(loom, closing_in_a_job_signals_its_fence, 60)
{
	uint32_t plan, fence;
	struct drm_syncobj_handle handle = {};
	struct job job;
	int other = node_open();

	/* the fence is kept by another file */
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_EXP, LONG_ROUNDS, &plan));
	fence = syncobj_create(self->fd, 0);
	ASSERT_EQ(0, job_submit(self->fd, job_init(&job, self, plan, 2, fence)));
	handle.handle = fence;
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &handle));
	ASSERT_EQ(0, call(other, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &handle));
	EXPECT_EQ(-ETIME, syncobj_wait(other, handle.handle, 0));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, syncobj_wait(other, handle.handle, now_ns() + 20 * SECOND_NS));
	close(handle.fd);
	close(other);
}

TEST_F_TIMEOUT(loom, a_destroyed_context_ends_its_jobs, 60)
{
	struct drm_loom_context_destroy context = { .context = self->context };
	struct drm_loom_plan_destroy plan = {};
	uint32_t fence = syncobj_create(self->fd, 0);
	struct job job;

	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_EXP, 200, &plan.plan));
	ASSERT_EQ(0, job_submit(self->fd, job_init(&job, self, plan.plan, 2, 0)));
	ASSERT_EQ(0, job_submit(self->fd, job_init(&job, self, plan.plan, 2, fence)));
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &plan));
	ASSERT_EQ(0, call(self->fd, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &context));
	ASSERT_EQ(0, bo_close(self->fd, self->in));
	ASSERT_EQ(0, bo_close(self->fd, self->out));
	EXPECT_EQ(0, syncobj_wait(self->fd, fence, now_ns() + 40 * SECOND_NS));
}

/* --------------------------------------------------- a device that vanishes */

/* The platform device is bound again with another timeout. */
static int rebind(const char *timeout_ms)
{
	int ret = write_file(PARAMETER, timeout_ms);

	return ret ?: write_file(BUS_DRIVER "unbind", "loom-soft") ?:
	       write_file(BUS_DRIVER "bind", "loom-soft");
}

TEST_F_TIMEOUT(loom, the_timeout_ends_a_job_and_spares_the_others, 120)
{
	FIXTURE_DATA(loom) own = *self;
	uint32_t plan, null, fence, other_fence, other_context, guilty, queued;
	struct drm_loom_context_query query;
	char old[16] = {};
	struct job job;
	int param;

	param = open(PARAMETER, O_RDONLY);
	if (param < 0 || read(param, old, sizeof(old) - 1) < 1)
		SKIP(return, "no module parameters");
	close(param);
	if (rebind("500"))
		SKIP(return, "cannot bind the device again");

	own.fd = node_open();
	ASSERT_GE(own.fd, 0);
	ASSERT_EQ(0, context_create(own.fd, LOOM_PRIORITY_NORMAL, &own.context));
	guilty = own.context;
	ASSERT_EQ(0, bo_create(own.fd, own.bytes, LOOM_REGION_DRAM, &own.in));
	ASSERT_EQ(0, bo_create(own.fd, own.bytes, LOOM_REGION_DRAM, &own.out));
	ASSERT_EQ(0, plan_create_rounds(own.fd, own.lanes, LOOM_UNARY_EXP, LONG_ROUNDS, &plan));
	ASSERT_EQ(0, plan_create_null(own.fd, own.lanes, &null));
	fence = syncobj_create(own.fd, 0);
	queued = syncobj_create(own.fd, 0);
	other_fence = syncobj_create(own.fd, 0);
	ASSERT_EQ(0, context_create(own.fd, LOOM_PRIORITY_NORMAL, &other_context));

	ASSERT_EQ(0, job_submit(own.fd, job_init(&job, &own, plan, 2, fence)));
	ASSERT_EQ(0, job_submit(own.fd, job_init(&job, &own, plan, 2, queued)));
	own.context = other_context;
	ASSERT_EQ(0, job_submit(own.fd, job_init(&job, &own, null, 0, other_fence)));
	EXPECT_EQ(0, syncobj_wait(own.fd, fence, now_ns() + 30 * SECOND_NS));
	EXPECT_EQ(0, syncobj_wait(own.fd, queued, now_ns() + 30 * SECOND_NS));
	EXPECT_EQ(0, syncobj_wait(own.fd, other_fence, now_ns() + 30 * SECOND_NS));

	ASSERT_EQ(0, context_query(own.fd, guilty, &query));
	EXPECT_EQ(LOOM_CONTEXT_GUILTY, query.flags);
	EXPECT_EQ(1, query.resets);
	EXPECT_EQ(1, query.counters.jobs);
	ASSERT_EQ(0, context_query(own.fd, other_context, &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, query.resets);
	EXPECT_EQ(1, query.counters.jobs);

	own.context = guilty;
	EXPECT_EQ(-ECANCELED, job_submit(own.fd, job_init(&job, &own, null, 0, 0)));
	own.context = other_context;
	EXPECT_EQ(0, job_submit(own.fd, job_init(&job, &own, null, 0, fence)));
	EXPECT_EQ(0, syncobj_wait(own.fd, fence, now_ns() + 30 * SECOND_NS));
	close(own.fd);
	EXPECT_EQ(0, rebind(old));
}

TEST_F_TIMEOUT(loom, unplugged_in_a_job, 120)
{
	struct drm_loom_query query = { .type = LOOM_QUERY_DEVICE };
	struct drm_loom_bo_info info;
	uint32_t plan, fence;
	unsigned char *map;
	struct job job;
	int fd;

	ASSERT_EQ(0, plan_create_rounds(self->fd, self->lanes, LOOM_UNARY_EXP, LONG_ROUNDS, &plan));
	fence = syncobj_create(self->fd, 0);
	map = bo_map(self->fd, self->in, self->bytes);
	ASSERT_NE(MAP_FAILED, map);
	map[0] = 1;
	ASSERT_EQ(0, job_submit(self->fd, job_init(&job, self, plan, 2, fence)));
	ASSERT_EQ(0, job_submit(self->fd, job_init(&job, self, plan, 2, fence)));
	if (write_file(BUS_DRIVER "unbind", "loom-soft"))
		SKIP(return, "cannot unbind the device");

	EXPECT_EQ(-ENODEV, call(self->fd, DRM_IOCTL_LOOM_QUERY, &query));
	EXPECT_EQ(-ENODEV, bo_info(self->fd, self->in, &info));
	EXPECT_EQ(-ENODEV, job_submit(self->fd, &job));
	EXPECT_EQ(-ENODEV, syncobj_wait(self->fd, fence, 0));
	/* no SIGBUS, and no bytes either */
	EXPECT_EQ(0, map[0]);
	map[0] = 2;
	fd = node_open();
	EXPECT_EQ(-ENODEV, fd);

	EXPECT_EQ(0, write_file(BUS_DRIVER "bind", "loom-soft"));
	fd = node_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, call(fd, DRM_IOCTL_LOOM_QUERY, &query));
	close(fd);
}

TEST_HARNESS_MAIN
