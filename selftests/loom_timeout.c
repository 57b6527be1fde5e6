// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that take too long: they are ended, QUERY of their context says so, other jobs go on.
 *
 * The timeout is a module parameter that a device reads when it is bound, so these tests unbind and
 * bind the soft device.
 */
#include <linux/sync_file.h>

#include "loom_selftest.h"

#define PARAMETER	"/sys/module/loom/parameters/job_timeout_ms"
#define BUS_DRIVER	"/sys/bus/platform/drivers/loom-soft/"
#define TIMEOUT_MS	2000

static int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count;

	if (fd < 0)
		return -errno;
	count = read(fd, text, size - 1);
	close(fd);
	text[count > 0 ? count : 0] = 0;
	return count > 0 ? 0 : -EIO;
}

static int rebind(const char *timeout_ms)
{
	int ret = loom_write_file(PARAMETER, timeout_ms);

	return ret ?: loom_write_file(BUS_DRIVER "unbind", "loom-soft") ?:
	       loom_write_file(BUS_DRIVER "bind", "loom-soft");
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
	int fd;

	self->client.fd = -1;
	self->old[0] = 0;
	fd = loom_open();
	if (fd < 0)
		SKIP(return, "no loom device");
	close(fd);
	if (access(BUS_DRIVER "unbind", W_OK) ||
	    read_file(PARAMETER, self->old, sizeof(self->old)))
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

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
