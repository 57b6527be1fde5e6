// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation of every ioctl fails once: the first, the second, and so on until a call
 * succeeds without a failure. A call returns ENOMEM or success, and nothing is leaked or used after
 * it was freed, which the next call, the statistics of the region and an instrumented kernel would
 * show. Needs FAULT_INJECTION, FAILSLAB and FAIL_PAGE_ALLOC in the kernel, else skips.
 */
#include "loom_rounds.h"

#define FAULTS	"/sys/kernel/debug/fail"

FIXTURE(fail_nth)
{
	int fd, nth;
	uint32_t lanes, context, plan, in, out, binary, timeline;
	struct drm_loom_region_info before;
};

static int fault_setup(const char *kind)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), FAULTS "%s/ignore-gfp-wait", kind);
	ret = loom_write_file(path, "N");
	snprintf(path, sizeof(path), FAULTS "%s/verbose", kind);
	return ret ?: loom_write_file(path, "0");
}

FIXTURE_SETUP(fail_nth)
{
	struct drm_loom_device_info info;
	uint64_t bytes;

	self->fd = loom_open();
	if (self->fd < 0)
		SKIP(return, "no loom device");
	self->nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (self->nth < 0 || fault_setup("slab") || fault_setup("_page_alloc"))
		SKIP(return, "no fault injection in this kernel");
	loom_write_file(FAULTS "_page_alloc/min-order", "0");
	loom_write_file(FAULTS "_page_alloc/ignore-gfp-highmem", "N");
	ASSERT_EQ(0, loom_query_device(self->fd, &info));
	self->lanes = info.lanes;
	bytes = (uint64_t)self->lanes * LOOM_COLUMNS * sizeof(float);
	ASSERT_EQ(0, loom_bo_create(self->fd, bytes, DRM_LOOM_REGION_DRAM, &self->in));
	ASSERT_EQ(0, loom_bo_create(self->fd, bytes, DRM_LOOM_REGION_DRAM, &self->out));
	ASSERT_EQ(0, loom_context_create(self->fd, DRM_LOOM_PRIORITY_NORMAL, &self->context));
	ASSERT_EQ(0,
		  loom_rounds_create(self->fd, self->lanes, DRM_LOOM_UNARY_RELU, 3, &self->plan));
	self->binary = loom_sync_create(self->fd, DRM_SYNCOBJ_CREATE_SIGNALED);
	self->timeline = loom_sync_create(self->fd, 0);
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_DRAM, &self->before));
}

FIXTURE_TEARDOWN(fail_nth)
{
	if (self->fd >= 0)
		close(self->fd);
}

/* Lets the n-th allocation from now fail. */
static void fault_arm(int nth, int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(nth, text, length, 0) != length)
		abort();
}

/* Disarms; true if it went off. */
static bool fault_disarm(int nth)
{
	char text[16] = {};
	bool fired;

	if (pread(nth, text, sizeof(text) - 1, 0) < 1)
		abort();
	fired = text[0] == '0';
	fault_arm(nth, 0);
	return fired;
}

/* Runs @statement, which sets ret, with each of its allocations failing in turn. */
#define FAIL_EACH(statement, undo) do {						\
	int n, fired = 0, ret;							\
	bool again;								\
										\
	for (n = 1, again = true; again; n++) {					\
		fault_arm(self->nth, n);					\
		ret = (statement);						\
		again = fault_disarm(self->nth);				\
		fired += again;							\
		EXPECT_TRUE(!ret || ret == -ENOMEM);				\
		if (!ret)							\
			undo;							\
		ASSERT_LT(n, 2000);						\
	}									\
	EXPECT_EQ(0, ret);							\
	EXPECT_LT(0, fired);							\
	TH_LOG("%d allocations failed", fired);					\
} while (0)

TEST_F(fail_nth, bo_create)
{
	struct drm_loom_region_info after;
	uint32_t handle;

	FAIL_EACH(loom_bo_create(self->fd, 65536, DRM_LOOM_REGION_DRAM, &handle),
		  loom_bo_close(self->fd, handle));
	FAIL_EACH(loom_bo_create(self->fd, 8 << 20, DRM_LOOM_REGION_DRAM, &handle),
		  loom_bo_close(self->fd, handle));
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_DRAM, &after));
	EXPECT_EQ(self->before.allocated_bytes, after.allocated_bytes);
	EXPECT_EQ(self->before.blocks, after.blocks);
}

TEST_F(fail_nth, bo_create_on_some_banks)
{
	uint64_t mask = 0x5;
	struct drm_loom_bo_create args = {
		.size = 8192,
		.region = DRM_LOOM_REGION_SRAM,
		.bank_mask = (uintptr_t)&mask,
		.bank_mask_words = 1,
	};
	struct drm_loom_region_info before, after;

	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_SRAM, &before));
	FAIL_EACH(loom_call(self->fd, DRM_IOCTL_LOOM_BO_CREATE, &args),
		  loom_bo_close(self->fd, args.handle));
	ASSERT_EQ(0, loom_query_region(self->fd, DRM_LOOM_REGION_SRAM, &after));
	EXPECT_EQ(before.allocated_bytes, after.allocated_bytes);
	EXPECT_EQ(before.blocks, after.blocks);
}

TEST_F(fail_nth, query_blocks)
{
	struct drm_loom_block blocks[16];
	struct drm_loom_query query = {
		.type = DRM_LOOM_QUERY_BLOCKS,
		.ptr = (uintptr_t)blocks,
	};

	FAIL_EACH((query.size = sizeof(blocks), loom_call(self->fd, DRM_IOCTL_LOOM_QUERY, &query)),
		  (void)0);
}

TEST_F(fail_nth, context_create)
{
	struct drm_loom_context_destroy destroy = {};

	FAIL_EACH(loom_context_create(self->fd, DRM_LOOM_PRIORITY_LOW, &destroy.context),
		  loom_call(self->fd, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &destroy));
}

TEST_F(fail_nth, plan_create)
{
	struct drm_loom_plan_destroy destroy = {};

	FAIL_EACH(loom_rounds_create(self->fd, self->lanes, DRM_LOOM_UNARY_RELU, 50, &destroy.plan),
		  loom_call(self->fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &destroy));
}

TEST_F(fail_nth, submit)
{
	struct drm_loom_binding bindings[2] = { { 0, self->in, 0 }, { 1, self->out, 0 } };
	struct drm_loom_sync in = { .handle = self->binary };
	struct drm_loom_sync out[2] = {
		{ .handle = self->binary },
		{ .handle = self->timeline, .point = 1 },
	};
	struct drm_loom_submit submit = {
		.context = self->context,
		.plan = self->plan,
		.bindings = { sizeof(bindings[0]), 2, (uintptr_t)bindings },
		.in_syncs = { sizeof(in), 1, (uintptr_t)&in },
		.out_syncs = { sizeof(out[0]), 2, (uintptr_t)out },
	};

	FAIL_EACH(loom_call(self->fd, DRM_IOCTL_LOOM_SUBMIT, &submit), out[1].point++);
	EXPECT_EQ(0, loom_bo_wait(self->fd, self->out, loom_now_ns() + 20 * LOOM_SECOND_NS));
}

TEST_F(fail_nth, open)
{
	int fd;

	FAIL_EACH((fd = loom_open(), fd < 0 ? -ENOMEM : 0), close(fd));
}

TEST_F(fail_nth, dma_buf)
{
	struct drm_prime_handle prime = { .handle = self->in, .flags = DRM_RDWR | DRM_CLOEXEC };
	int other = loom_open();
	uint32_t handle;

	FAIL_EACH((prime.handle = self->out,
		   loom_call(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime)),
		  close(prime.fd));
	prime.handle = self->in;
	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	handle = prime.handle;
	FAIL_EACH(loom_call(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime),
		  loom_bo_close(other, prime.handle));
	EXPECT_NE(0, handle);
	close(prime.fd);
	close(other);
}

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
