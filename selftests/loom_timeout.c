// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that take too long: they are ended, QUERY of their context says so, other jobs go on.
 *
 * The timeout is a module parameter that a device reads when it is bound, so these tests unbind and
 * bind the soft device.
 */
#include <linux/sync_file.h>

#include "loom_dump.h"
#include "loom_selftest.h"

#define PARAMETER	"/sys/module/loom/parameters/job_timeout_ms"
#define TIMEOUT_MS	2000

static int rebind(const char *timeout_ms)
{
	return loom_write_file(PARAMETER, timeout_ms) ?: loom_unbind() ?: loom_bind();
}

FIXTURE(timeout)
{
	struct loom_client client;
	char old[16];
	uint32_t endless, plan, null;
	uint32_t fence;
};

FIXTURE_SETUP(timeout)
{
	char text[16];

	self->client.fd = -1;
	self->old[0] = 0;
	if (!loom_can_unbind() ||
	    loom_read_file(PARAMETER, self->old, sizeof(self->old)))
		SKIP(return, "no soft device, or not the right to bind it anew");
	snprintf(text, sizeof(text), "%u", TIMEOUT_MS);
	ASSERT_EQ(0, rebind(text));
	ASSERT_EQ(0, loom_client_open(&self->client));
	ASSERT_EQ(TIMEOUT_MS, self->client.info.job_timeout_ms);
	self->endless = loom_client_plan_endless(&self->client);
	self->plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	self->null = loom_client_plan_null(&self->client);
	self->fence = loom_sync_create(self->client.fd, 0);
	ASSERT_NE(0, self->endless);
	ASSERT_NE(0, self->plan);
	ASSERT_NE(0, self->null);
	ASSERT_NE(0, self->fence);
}

FIXTURE_TEARDOWN(timeout)
{
	loom_client_close(&self->client);
	if (!self->old[0])
		return;
	EXPECT_EQ(0, rebind(self->old));
}

/* Return: 1: ended without error, 0: has not ended, -errno: ended with that error. */
static int fence_status(int fd, uint32_t handle)
{
	struct drm_syncobj_handle export = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	struct sync_file_info info = {};
	int ret = loom_call(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export);

	if (ret)
		return ret;
	ret = loom_call(export.fd, SYNC_IOC_FILE_INFO, &info);
	close(export.fd);
	return ret ?: info.status;
}

TEST_F_TIMEOUT(timeout, a_job_that_takes_too_long_is_ended, 120)
{
	struct drm_loom_context_query query;
	struct drm_loom_region_info sram;
	int64_t start = loom_now_ns();

	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, self->fence));
	EXPECT_EQ(-ETIME, loom_sync_wait(self->client.fd, self->fence,
					 start + TIMEOUT_MS / 4 * LOOM_MSEC_NS));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	EXPECT_GE(loom_now_ns() - start, TIMEOUT_MS / 2 * LOOM_MSEC_NS);
	EXPECT_EQ(-ETIME, fence_status(self->client.fd, self->fence));
	EXPECT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, 0));

	ASSERT_EQ(0, loom_context_query(self->client.fd, self->client.context, &query));
	EXPECT_EQ(DRM_LOOM_CONTEXT_GUILTY, query.flags);
	EXPECT_EQ(1, query.resets);
	EXPECT_EQ(1, query.counters.jobs);
	EXPECT_NE(0, query.counters.busy_ns);
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(0, sram.scratch_bytes);
	EXPECT_TRUE(loom_device_works());
}

TEST_F_TIMEOUT(timeout, a_guilty_context_is_of_no_more_use, 120)
{
	struct drm_loom_context_query query;
	uint32_t queued = loom_sync_create(self->client.fd, 0);
	uint32_t guilty = self->client.context, other;

	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, self->fence));
	ASSERT_EQ(0, loom_client_run(&self->client, self->plan, 2, queued));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	/* jobs that were queued behind it are cancelled: neither run nor lost */
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, queued, loom_soon()));
	EXPECT_EQ(-ECANCELED, fence_status(self->client.fd, queued));
	EXPECT_EQ(-ECANCELED, loom_client_run(&self->client, self->null, 0, 0));
	EXPECT_EQ(-ECANCELED, loom_client_run(&self->client, self->plan, 2, 0));
	ASSERT_EQ(0, loom_context_query(self->client.fd, guilty, &query));
	EXPECT_EQ(1, query.resets);

	/* a new context is not guilty, with the same plan and buffers */
	ASSERT_EQ(0, loom_context_destroy(self->client.fd, guilty));
	ASSERT_EQ(0, loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_NORMAL, &other));
	self->client.context = other;
	ASSERT_EQ(0, loom_client_run(&self->client, self->plan, 2, self->fence));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	EXPECT_EQ(1, fence_status(self->client.fd, self->fence));
	ASSERT_EQ(0, loom_context_query(self->client.fd, other, &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, query.resets);
}

TEST_F_TIMEOUT(timeout, others_do_not_notice, 120)
{
	struct drm_loom_context_query query;
	struct loom_client other;
	uint32_t plan, fence, i;

	ASSERT_EQ(0, loom_client_open(&other));
	plan = loom_client_plan_unary(&other, DRM_LOOM_UNARY_RELU);
	fence = loom_sync_create(other.fd, 0);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, self->fence));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, loom_client_run(&other, plan, 2, fence));
	EXPECT_EQ(0, loom_sync_wait(other.fd, fence, loom_soon()));
	EXPECT_EQ(1, fence_status(other.fd, fence));
	ASSERT_EQ(0, loom_context_query(other.fd, other.context, &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, query.resets);
	EXPECT_EQ(5, query.counters.jobs);
	EXPECT_EQ(0, loom_client_run(&other, plan, 2, fence));
	EXPECT_EQ(0, loom_sync_wait(other.fd, fence, loom_soon()));
	loom_client_close(&other);
}

TEST_F_TIMEOUT(timeout, who_waits_for_an_ended_job_goes_on, 120)
{
	struct loom_client other = self->client;
	uint32_t fence = loom_sync_create(self->client.fd, 0);
	struct loom_job job;

	ASSERT_EQ(0, loom_context_create(other.fd, DRM_LOOM_PRIORITY_NORMAL, &other.context));
	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, self->fence));
	loom_job_init(&job, &other, self->plan, 2, fence);
	job.args.in_syncs.count = 1;
	job.in.handle = self->fence;
	ASSERT_EQ(0, loom_job_submit(other.fd, &job));
	EXPECT_EQ(0, loom_sync_wait(other.fd, fence, loom_soon()));
	EXPECT_EQ(0, loom_sync_wait(other.fd, self->fence, 0));
}

TEST_F_TIMEOUT(timeout, is_per_job_and_not_per_queue, 240)
{
	struct drm_loom_context_query query;
	uint64_t size;
	/* about a hundredth of the timeout each: enough margin for a machine that is busy */
	void *blob = loom_plan_blob_work(self->client.info.lanes, 8, 1, &size);
	uint32_t small = loom_client_plan(&self->client, blob, size), i;

	ASSERT_NE(0, small);
	do {
		for (i = 0; i < 64; i++)
			ASSERT_EQ(0, loom_client_run(&self->client, small, 2, self->fence));
		ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
		ASSERT_EQ(0, loom_context_query(self->client.fd, self->client.context, &query));
		ASSERT_EQ(0, query.flags);
	} while (query.counters.busy_ns < 3 * TIMEOUT_MS / 2 * LOOM_MSEC_NS);
	EXPECT_EQ(0, query.resets);
}

TEST_F_TIMEOUT(timeout, again_and_again, 180)
{
	uint32_t i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_NORMAL,
						 &self->client.context));
		ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, self->fence));
		ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
		ASSERT_EQ(-ETIME, fence_status(self->client.fd, self->fence));
	}
	EXPECT_TRUE(loom_device_works());
}

TEST_F_TIMEOUT(timeout, a_partition_is_ended_and_the_other_goes_on, 240)
{
	struct drm_loom_context_create args[2];
	struct drm_loom_context_query query;
	struct loom_client parts[2];
	uint32_t i, plan, fences[2];

	if (!(self->client.info.flags & DRM_LOOM_DEVICE_LANES) || self->client.info.lanes < 2)
		SKIP(return, "the device has no partitions");
	for (i = 0; i < 2; i++) {
		args[i] = (struct drm_loom_context_create) { .priority = 1, .lanes = 1 };
		ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args[i]));
		parts[i] = self->client;
		parts[i].context = args[i].context;
		parts[i].info.lanes = 1;
		fences[i] = loom_sync_create(self->client.fd, 0);
		plan = i ? loom_client_plan_busy(&parts[i]) : loom_client_plan_endless(&parts[i]);
		ASSERT_NE(0, plan);
		ASSERT_EQ(0, loom_client_run(&parts[i], plan, 2, fences[i]));
	}
	/* one without lanes takes turns with both */
	ASSERT_EQ(0, loom_client_run(&self->client, self->plan, 2, self->fence));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	EXPECT_EQ(1, fence_status(self->client.fd, self->fence));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, loom_sync_wait(self->client.fd, fences[i], loom_soon()));
		ASSERT_EQ(0, loom_context_query(self->client.fd, parts[i].context, &query));
		EXPECT_EQ(!i, query.resets);
	}
	EXPECT_EQ(-ETIME, fence_status(self->client.fd, fences[0]));
	EXPECT_EQ(1, fence_status(self->client.fd, fences[1]));
	EXPECT_EQ(-ECANCELED, loom_client_run(&parts[0], plan, 2, 0));
	EXPECT_EQ(0, loom_client_run(&parts[1], plan, 2, 0));
	EXPECT_TRUE(loom_device_works());
}

/* -------------------------------------------------------------------- dump */

TEST_F_TIMEOUT(timeout, leaves_a_dump, 120)
{
	struct drm_loom_bo_label label = {
		.handle = self->client.out, .size = 1, .ptr = (uintptr_t)"y",
	};
	struct drm_loom_context_query query;
	int64_t deadline = loom_soon();
	char text[4096], slot[128];

	if (access(LOOM_DUMPS, R_OK))
		SKIP(return, "no devcoredump in this kernel");
	loom_read_dump(text, sizeof(text), true);
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_LABEL, &label));
	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, self->fence));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	/* it is written a little later */
	do {
		usleep(1000);
		loom_read_dump(text, sizeof(text), false);
	} while (!text[0] && loom_now_ns() < deadline);
	ASSERT_NE(0, text[0]);

	ASSERT_EQ(0, loom_context_query(self->client.fd, self->client.context, &query));
	EXPECT_NE(NULL, strstr(text, "\nevent: timeout\n"));
	EXPECT_NE(NULL, strstr(text, "\nbackend: "));
	EXPECT_EQ(TIMEOUT_MS, loom_dump_value(text, "timeout_ms"));
	EXPECT_EQ(self->endless, loom_dump_value(text, "plan"));
	EXPECT_EQ(DRM_LOOM_PRIORITY_NORMAL, loom_dump_value(text, "priority"));
	/* load, 2000 times work, store: it was at the work */
	EXPECT_EQ(3, loom_dump_value(text, "steps"));
	EXPECT_EQ(2002, loom_dump_value(text, "commands"));
	snprintf(slot, sizeof(slot),
		 "\nslot: 1 region dram offset 0 size %llu flags 0x%x label y\n",
		 (unsigned long long)self->client.bytes, DRM_LOOM_SLOT_WRITE);
	EXPECT_NE(NULL, strstr(text, slot));
	/* a device may have forgotten by now where it was */
	if (!strstr(text, "\nbackend: soft\n")) {
		loom_read_dump(text, sizeof(text), true);
		return;
	}
	EXPECT_EQ(1, loom_dump_value(text, "step"));
	EXPECT_GT(2001, loom_dump_value(text, "command"));
	EXPECT_NE(0, loom_dump_value(text, "command"));
	/* the engine had it for as long as the timeout is, and not much longer */
	EXPECT_EQ(query.counters.busy_ns, loom_dump_value(text, "busy_ns"));
	EXPECT_EQ(query.counters.commands, loom_dump_value(text, "commands_done"));
	EXPECT_EQ(query.counters.dram_read_bytes, loom_dump_value(text, "dram_read_bytes"));
	EXPECT_EQ(query.counters.cycles, loom_dump_value(text, "cycles"));
	EXPECT_EQ(query.counters.dma_cycles, loom_dump_value(text, "dma_cycles"));
	loom_read_dump(text, sizeof(text), true);
}

/*
 * Ten at a time: each has the engine for a tenth of the time that passes, which is twice the
 * timeout, about, and a fifth of the timeout.
 */
TEST_F_TIMEOUT(timeout, counts_the_time_of_the_engine, 240)
{
	uint64_t size, rounds, whole_ns;
	struct drm_loom_context_query query;
	uint32_t small, plan, syncs[10], i;
	void *blob = loom_plan_blob_work(self->client.info.lanes, 64, 2, &size);
	int64_t start;

	if (!loom_takes_turns(self->client.fd))
		SKIP(return, "jobs of this device take no turns");
	small = loom_client_plan(&self->client, blob, size);
	ASSERT_EQ(0, loom_client_run(&self->client, small, 2, self->fence));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	ASSERT_EQ(0, loom_context_query(self->client.fd, self->client.context, &query));
	rounds = TIMEOUT_MS / 5 * LOOM_MSEC_NS / (query.counters.busy_ns / 2) + 1;
	blob = loom_plan_blob_work(self->client.info.lanes, 64, rounds, &size);
	plan = loom_client_plan(&self->client, blob, size);
	ASSERT_NE(0, plan);
	start = loom_now_ns();
	for (i = 0; i < LOOM_ARRAY_SIZE(syncs); i++) {
		struct loom_client more = self->client;

		ASSERT_EQ(0, loom_context_create(more.fd, DRM_LOOM_PRIORITY_NORMAL,
						 &more.context));
		ASSERT_EQ(0, loom_bo_create(more.fd, more.bytes, DRM_LOOM_REGION_DRAM, &more.out));
		syncs[i] = loom_sync_create(more.fd, 0);
		ASSERT_EQ(0, loom_client_run(&more, plan, 2, syncs[i]));
	}
	for (i = 0; i < LOOM_ARRAY_SIZE(syncs); i++) {
		ASSERT_EQ(0, loom_sync_wait(self->client.fd, syncs[i], loom_soon()));
		EXPECT_EQ(1, fence_status(self->client.fd, syncs[i]));
	}
	whole_ns = loom_now_ns() - start;
	ksft_print_msg("%llu ms for ten jobs, with a timeout of %u ms\n",
		       (unsigned long long)whole_ns / 1000000, TIMEOUT_MS);
}
