// SPDX-License-Identifier: GPL-2.0
/* SUBMIT: results, fences in and out, order, and every wrong argument. */
#include "loom_selftest.h"

FIXTURE(submit)
{
	struct loom_client client;
	/* out = |in| */
	uint32_t plan;
	/* some work, and more than any test waits for */
	uint32_t busy, endless;
	uint32_t fence;
};

FIXTURE_SETUP(submit)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	self->plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	self->busy = loom_client_plan_busy(&self->client);
	self->endless = loom_client_plan_endless(&self->client);
	self->fence = loom_sync_create(self->client.fd, 0);
	ASSERT_NE(0, self->plan);
	ASSERT_NE(0, self->busy);
	ASSERT_NE(0, self->endless);
	ASSERT_NE(0, self->fence);
}

FIXTURE_TEARDOWN(submit)
{
	loom_client_close(&self->client);
}

TEST_F(submit, every_element_is_right)
{
	uint64_t count = self->client.bytes / sizeof(float), wrong = 0, i;
	float *in = loom_bo_map(self->client.fd, self->client.in, self->client.bytes);
	float *out = loom_bo_map(self->client.fd, self->client.out, self->client.bytes);

	ASSERT_NE(MAP_FAILED, in);
	ASSERT_NE(MAP_FAILED, out);
	for (i = 0; i < count; i++) {
		in[i] = (float)i * (i % 3 ? -1.25f : 0.5f);
		out[i] = -7;
	}
	ASSERT_EQ(0, loom_client_run(&self->client, self->plan, 2, self->fence));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	for (i = 0; i < count; i++)
		wrong += out[i] != (in[i] < 0 ? -in[i] : in[i]);
	EXPECT_EQ(0, wrong);
}

TEST_F(submit, a_sum_that_is_known)
{
	float *in = loom_bo_map(self->client.fd, self->client.in, self->client.bytes);
	float *out = loom_bo_map(self->client.fd, self->client.out, self->client.bytes);
	uint64_t count = self->client.bytes / sizeof(float), wrong = 0, i;

	ASSERT_NE(MAP_FAILED, in);
	ASSERT_NE(MAP_FAILED, out);
	for (i = 0; i < count; i++)
		in[i] = (float)(i % 100);
	ASSERT_EQ(0, loom_client_run(&self->client, self->busy, 2, self->fence));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	/* the plan reads each element 64 times */
	for (i = 0; i < count; i++)
		wrong += out[i] != (float)(i % 100) * 64;
	EXPECT_EQ(0, wrong);
}

TEST_F(submit, slots_at_an_offset_of_one_buffer)
{
	struct loom_job job;
	uint32_t handle;
	float *map;

	ASSERT_EQ(0, loom_bo_create(self->client.fd, 2 * self->client.bytes + 64,
				    DRM_LOOM_REGION_DRAM, &handle));
	map = loom_bo_map(self->client.fd, handle, 2 * self->client.bytes);
	ASSERT_NE(MAP_FAILED, map);
	map[16] = -4;
	loom_job_init(&job, &self->client, self->plan, 2, self->fence);
	job.bindings[0] = (struct drm_loom_binding) { 0, handle, 64 };
	job.bindings[1] = (struct drm_loom_binding) { 1, handle, self->client.bytes + 64 };
	ASSERT_EQ(0, loom_job_submit(self->client.fd, &job));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	EXPECT_EQ(4.0f, map[16 + self->client.bytes / sizeof(float)]);
	EXPECT_EQ(-4.0f, map[16]);

	/* the order of bindings does not matter */
	job.bindings[0] = (struct drm_loom_binding) { 1, handle, self->client.bytes + 64 };
	job.bindings[1] = (struct drm_loom_binding) { 0, handle, 64 };
	EXPECT_EQ(0, loom_job_submit(self->client.fd, &job));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));

	/* one unit closer, and what is written overlaps what is read */
	job.bindings[0].offset -= 64;
	EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));
	/* one unit further, and it does not fit */
	job.bindings[0].offset += 128;
	EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));
}

TEST_F(submit, jobs_of_a_context_end_in_order)
{
	uint32_t fences[20], i, j;

	for (i = 0; i < LOOM_ARRAY_SIZE(fences); i++) {
		fences[i] = loom_sync_create(self->client.fd, 0);
		ASSERT_EQ(0, loom_client_run(&self->client, i % 2 ? self->plan : self->busy, 2,
					     fences[i]));
	}
	for (i = 0; i < LOOM_ARRAY_SIZE(fences); i++) {
		ASSERT_EQ(0, loom_sync_wait(self->client.fd, fences[i], loom_soon()));
		for (j = 0; j < i; j++)
			ASSERT_EQ(0, loom_sync_wait(self->client.fd, fences[j], 0));
	}
}

TEST_F(submit, waits_for_its_in_fence)
{
	struct loom_client other = self->client;
	uint32_t second = loom_sync_create(self->client.fd, 0);
	struct loom_job job;

	/* another context: nothing but the fence keeps them in order */
	ASSERT_EQ(0, loom_context_create(other.fd, DRM_LOOM_PRIORITY_NORMAL, &other.context));
	ASSERT_EQ(0, loom_client_run(&self->client, self->busy, 2, self->fence));
	loom_job_init(&job, &other, self->plan, 2, second);
	job.args.in_syncs.count = 1;
	job.in.handle = self->fence;
	ASSERT_EQ(0, loom_job_submit(other.fd, &job));
	ASSERT_EQ(0, loom_sync_wait(other.fd, second, loom_soon()));
	EXPECT_EQ(0, loom_sync_wait(other.fd, self->fence, 0));
}

TEST_F_TIMEOUT(submit, does_not_start_before_its_in_fence, 60)
{
	struct drm_syncobj_handle export = { .handle = self->fence };
	struct loom_client other;
	uint32_t done, imported, plan;
	struct loom_job job;

	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, self->fence));

	/* another file waits for the fence of this one, with a buffer of its own */
	ASSERT_EQ(0, loom_client_open(&other));
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export));
	ASSERT_EQ(0, loom_call(other.fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &export));
	imported = export.handle;
	close(export.fd);
	done = loom_sync_create(other.fd, 0);
	plan = loom_client_plan_null(&other);
	ASSERT_NE(0, plan);
	loom_job_init(&job, &other, plan, 0, done);
	job.args.in_syncs.count = 1;
	job.in.handle = imported;
	ASSERT_EQ(0, loom_job_submit(other.fd, &job));
	EXPECT_EQ(-ETIME, loom_sync_wait(other.fd, done, loom_now_ns() + LOOM_SECOND_NS / 2));
	EXPECT_EQ(-ETIME, loom_sync_wait(other.fd, imported, 0));

	/* the first client ends and its job with it, so the second one runs */
	loom_client_close(&self->client);
	EXPECT_EQ(0, loom_sync_wait(other.fd, done, loom_soon()));
	loom_client_close(&other);
}

TEST_F(submit, timelines_in_and_out)
{
	uint32_t timeline = loom_sync_create(self->client.fd, 0);
	struct loom_job job;
	uint64_t point;

	for (point = 1; point <= 5; point++) {
		loom_job_init(&job, &self->client, point % 2 ? self->busy : self->plan, 2,
			      timeline);
		job.out.point = point * 10;
		if (point > 1) {
			job.args.in_syncs.count = 1;
			job.in.handle = timeline;
			job.in.point = (point - 1) * 10;
		}
		ASSERT_EQ(0, loom_job_submit(self->client.fd, &job));
	}
	ASSERT_EQ(0, loom_sync_wait_point(self->client.fd, timeline, 50, loom_soon()));
	for (point = 1; point <= 50; point++)
		EXPECT_EQ(0, loom_sync_wait_point(self->client.fd, timeline, point, 0));

	/* a point that has no fence yet is refused, not waited for */
	loom_job_init(&job, &self->client, self->plan, 2, 0);
	job.args.in_syncs.count = 1;
	job.in.handle = timeline;
	job.in.point = 51;
	EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));
	job.in.point = 1ull << 40;
	EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));
}

TEST_F(submit, points_have_64_bits)
{
	uint32_t timeline = loom_sync_create(self->client.fd, 0);
	struct drm_syncobj_timeline_array query = { .count_handles = 1 };
	const uint64_t far = (1ull << 40) + 7;
	struct loom_job job;
	uint64_t point = 0;

	loom_job_init(&job, &self->client, self->plan, 2, timeline);
	job.out.point = far;
	ASSERT_EQ(0, loom_job_submit(self->client.fd, &job));
	ASSERT_EQ(0, loom_sync_wait_point(self->client.fd, timeline, far, loom_soon()));
	query.handles = (uintptr_t)&timeline;
	query.points = (uintptr_t)&point;
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_QUERY, &query));
	EXPECT_EQ(far, point);
	loom_job_init(&job, &self->client, self->plan, 2, self->fence);
	job.args.in_syncs.count = 1;
	job.in.handle = timeline;
	job.in.point = far;
	ASSERT_EQ(0, loom_job_submit(self->client.fd, &job));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
}

TEST_F(submit, as_many_syncs_as_there_may_be)
{
	struct drm_loom_sync out[DRM_LOOM_MAX_SYNCS + 1], in[DRM_LOOM_MAX_SYNCS + 1];
	struct loom_job job;
	unsigned int i;

	for (i = 0; i <= DRM_LOOM_MAX_SYNCS; i++) {
		out[i] = (struct drm_loom_sync) {
			.handle = loom_sync_create(self->client.fd, 0),
			.point = i % 2 ? i : 0,
		};
		in[i] = (struct drm_loom_sync) {
			.handle = loom_sync_create(self->client.fd, DRM_SYNCOBJ_CREATE_SIGNALED),
		};
		ASSERT_NE(0, out[i].handle);
		ASSERT_NE(0, in[i].handle);
	}
	loom_job_init(&job, &self->client, self->plan, 2, 0);
	job.args.out_syncs = (struct drm_loom_array) {
		sizeof(out[0]), DRM_LOOM_MAX_SYNCS, (uintptr_t)out
	};
	job.args.in_syncs = (struct drm_loom_array) {
		sizeof(in[0]), DRM_LOOM_MAX_SYNCS, (uintptr_t)in
	};
	ASSERT_EQ(0, loom_job_submit(self->client.fd, &job));
	for (i = 0; i < DRM_LOOM_MAX_SYNCS; i++)
		EXPECT_EQ(0, loom_sync_wait_point(self->client.fd, out[i].handle, out[i].point,
						  loom_soon()));
	EXPECT_EQ(-EINVAL, loom_sync_wait(self->client.fd, out[DRM_LOOM_MAX_SYNCS].handle, 0));

	job.args.out_syncs.count++;
	EXPECT_EQ(-E2BIG, loom_job_submit(self->client.fd, &job));
	job.args.out_syncs.count--;
	job.args.in_syncs.count++;
	EXPECT_EQ(-E2BIG, loom_job_submit(self->client.fd, &job));
	job.args.in_syncs.count = UINT32_MAX;
	EXPECT_EQ(-E2BIG, loom_job_submit(self->client.fd, &job));
}

TEST_F(submit, its_fence_can_be_polled)
{
	struct drm_syncobj_handle export = {
		.handle = self->fence,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	struct pollfd poll_fd = { .events = POLLIN };

	ASSERT_EQ(0, loom_client_run(&self->client, self->busy, 2, self->fence));
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export));
	poll_fd.fd = export.fd;
	ASSERT_EQ(1, poll(&poll_fd, 1, LOOM_SOON_NS / LOOM_MSEC_NS));
	EXPECT_EQ(POLLIN, poll_fd.revents);
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->fence, 0));
	close(export.fd);
}

/* A SUBMIT that has to be refused without any effect. */
static void expect_refused(struct __test_metadata *_metadata, const struct loom_client *client,
			   struct loom_job *job, int err, const char *what)
{
	uint32_t fence = loom_sync_create(client->fd, 0);
	struct drm_loom_context_query before, after;

	if (!loom_context_query(client->fd, client->context, &before)) {
		if (job->args.out_syncs.count == 1 && !job->out.handle)
			job->out.handle = fence;
		EXPECT_EQ(err, loom_job_submit(client->fd, job)) {
			TH_LOG("%s", what);
		}
		/* the syncobj has no new fence, nothing ran, all buffers are idle */
		EXPECT_EQ(-EINVAL, loom_sync_wait(client->fd, fence, 0)) {
			TH_LOG("%s", what);
		}
		EXPECT_EQ(0, loom_context_query(client->fd, client->context, &after));
		EXPECT_EQ(before.counters.jobs, after.counters.jobs);
		EXPECT_EQ(0, loom_bo_wait(client->fd, client->out, 0));
	}
	loom_sync_destroy(client->fd, fence);
}

#define REFUSED(err, change) do {						\
	loom_job_init(&job, &self->client, self->plan, 2, 0);			\
	job.args.out_syncs.count = 1;						\
	change;									\
	expect_refused(_metadata, &self->client, &job, err, #change);		\
} while (0)

TEST_F(submit, what_is_wrong_is_refused)
{
	uint64_t unmapped = (uintptr_t)loom_unmapped();
	uint32_t sram, small, other_handle, other_plan, other_context, unsubmitted;
	struct drm_loom_binding three[3];
	struct loom_client other;
	struct loom_job job;

	ASSERT_EQ(0, loom_bo_create(self->client.fd, 1, DRM_LOOM_REGION_SRAM, &sram));
	ASSERT_EQ(0, loom_bo_create(self->client.fd, self->client.bytes - 1, DRM_LOOM_REGION_DRAM,
				    &small));
	unsubmitted = loom_sync_create(self->client.fd, 0);
	/* handles of another file */
	ASSERT_EQ(0, loom_client_open(&other));
	do {
		ASSERT_EQ(0, loom_bo_create(other.fd, self->client.bytes, DRM_LOOM_REGION_DRAM,
					    &other_handle));
	} while (other_handle <= small);
	do {
		other_plan = loom_client_plan_null(&other);
		ASSERT_NE(0, other_plan);
	} while (other_plan <= self->endless);
	do {
		ASSERT_EQ(0, loom_context_create(other.fd, 1, &other_context));
	} while (other_context <= self->client.context);

	REFUSED(-EINVAL, job.args.flags = 1);
	REFUSED(-EINVAL, job.args.flags = 1u << 31);
	REFUSED(-EINVAL, job.args.pad = 1);
	REFUSED(-ENOENT, job.args.context = 0);
	REFUSED(-ENOENT, job.args.context = UINT32_MAX);
	REFUSED(-ENOENT, job.args.context = other_context);
	REFUSED(-ENOENT, job.args.plan = 0);
	REFUSED(-ENOENT, job.args.plan = UINT32_MAX);
	REFUSED(-ENOENT, job.args.plan = other_plan);

	REFUSED(-EINVAL, job.args.bindings.count = 0);
	REFUSED(-EINVAL, job.args.bindings.count = 1);
	REFUSED(-EINVAL, (memset(three, 0, sizeof(three)), job.args.bindings.count = 3,
			  job.args.bindings.ptr = (uintptr_t)three));
	REFUSED(-E2BIG, job.args.bindings.count = DRM_LOOM_MAX_SLOTS + 1);
	REFUSED(-E2BIG, job.args.bindings.count = UINT32_MAX);
	REFUSED(-EINVAL, job.args.bindings.stride = 0);
	REFUSED(-EINVAL, job.args.bindings.stride = sizeof(job.bindings[0]) - 1);
	REFUSED(-EINVAL, job.args.bindings.stride = UINT32_MAX);
	REFUSED(-EFAULT, job.args.bindings.ptr = 0);
	REFUSED(-EFAULT, job.args.bindings.ptr = unmapped);
	/* of two entries only the first can be read */
	memcpy((void *)(unmapped - sizeof(job.bindings[0])),
	       &(struct drm_loom_binding){ 0, self->client.in, 0 }, sizeof(job.bindings[0]));
	REFUSED(-EFAULT, job.args.bindings.ptr = unmapped - sizeof(job.bindings[0]));
	REFUSED(-EFAULT, job.args.bindings.ptr = 0xffffffff81000000);
	REFUSED(-EINVAL, job.bindings[1].slot = 0);
	REFUSED(-EINVAL, job.bindings[1].slot = 2);
	REFUSED(-EINVAL, job.bindings[1].slot = UINT32_MAX);
	REFUSED(-ENOENT, job.bindings[1].handle = 0);
	REFUSED(-ENOENT, job.bindings[1].handle = UINT32_MAX);
	REFUSED(-ENOENT, job.bindings[1].handle = other_handle);
	REFUSED(-EINVAL, job.bindings[1].handle = small);
	REFUSED(-EINVAL, job.bindings[1].handle = sram);
	REFUSED(-EINVAL, job.bindings[1].handle = job.bindings[0].handle);
	REFUSED(-EINVAL, job.bindings[1].offset = 1);
	REFUSED(-EINVAL, job.bindings[1].offset = 63);
	REFUSED(-EINVAL, job.bindings[1].offset = 64);
	REFUSED(-EINVAL, job.bindings[1].offset = UINT64_MAX - 63);
	REFUSED(-EINVAL, job.bindings[1].offset = 1ull << 63);

	REFUSED(-EINVAL, (job.args.in_syncs.count = 1, job.in.handle = unsubmitted));
	REFUSED(-ENOENT, (job.args.in_syncs.count = 1, job.in.handle = 0));
	REFUSED(-ENOENT, (job.args.in_syncs.count = 1, job.in.handle = UINT32_MAX));
	REFUSED(-EINVAL, (job.args.in_syncs.count = 1, job.in.handle = unsubmitted,
			  job.in.flags = 1));
	REFUSED(-EINVAL, (job.args.in_syncs.count = 1, job.args.in_syncs.stride = 15));
	REFUSED(-EINVAL, (job.args.in_syncs.count = 1, job.args.in_syncs.stride = UINT32_MAX));
	REFUSED(-EFAULT, (job.args.in_syncs.count = 1, job.args.in_syncs.ptr = unmapped));
	REFUSED(-E2BIG, job.args.in_syncs.count = DRM_LOOM_MAX_SYNCS + 1);

	REFUSED(-ENOENT, job.out.handle = UINT32_MAX);
	REFUSED(-EINVAL, job.out.flags = 1);
	REFUSED(-EINVAL, job.args.out_syncs.stride = 8);
	REFUSED(-EFAULT, job.args.out_syncs.ptr = unmapped);
	REFUSED(-EFAULT, job.args.out_syncs.ptr = unmapped - 8);
	REFUSED(-E2BIG, job.args.out_syncs.count = DRM_LOOM_MAX_SYNCS + 1);
	loom_client_close(&other);

	/* after all that, a valid one still works */
	ASSERT_EQ(0, loom_client_run(&self->client, self->plan, 2, self->fence));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
}

TEST_F(submit, an_array_without_elements_has_no_pointer)
{
	uint32_t null = loom_client_plan_null(&self->client);
	struct loom_job job;

	loom_job_init(&job, &self->client, null, 0, 0);
	job.args.bindings = (struct drm_loom_array) { 0, 0, (uintptr_t)loom_unmapped() };
	job.args.in_syncs = job.args.bindings;
	job.args.out_syncs = (struct drm_loom_array) { 3, 0, UINT64_MAX };
	EXPECT_EQ(0, loom_job_submit(self->client.fd, &job));
}

TEST_F(submit, elements_may_grow_if_they_end_in_zeroes)
{
	struct {
		struct drm_loom_binding binding;
		uint32_t more[3];
	} longer[2] = {
		{ .binding = { 0, self->client.in, 0 } },
		{ .binding = { 1, self->client.out, 0 } },
	};
	struct loom_job job;

	loom_job_init(&job, &self->client, self->plan, 2, self->fence);
	job.args.bindings = (struct drm_loom_array) { sizeof(longer[0]), 2, (uintptr_t)longer };
	EXPECT_EQ(0, loom_job_submit(self->client.fd, &job));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	longer[1].more[2] = 1;
	EXPECT_EQ(-E2BIG, loom_job_submit(self->client.fd, &job));
}

TEST_F(submit, read_only_slots_may_share)
{
	struct drm_loom_binding bindings[2];
	struct loom_builder builder;
	struct loom_job job;
	uint32_t plan;
	uint64_t size;
	void *blob;

	loom_builder_init(&builder, self->client.info.lanes, LOOM_COLUMNS);
	loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	loom_builder_step(&builder);
	blob = loom_builder_finish(&builder, &size);
	plan = loom_client_plan(&self->client, blob, size);
	ASSERT_NE(0, plan);
	bindings[0] = (struct drm_loom_binding) { 0, self->client.in, 0 };
	bindings[1] = (struct drm_loom_binding) { 1, self->client.in, 0 };
	loom_job_init(&job, &self->client, plan, 2, self->fence);
	job.args.bindings.ptr = (uintptr_t)bindings;
	EXPECT_EQ(0, loom_job_submit(self->client.fd, &job));
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
}

TEST_F_TIMEOUT(submit, a_busy_buffer_is_waited_for, 60)
{
	uint32_t other;

	ASSERT_EQ(0, loom_bo_create(self->client.fd, 1, DRM_LOOM_REGION_DRAM, &other));
	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, self->fence));
	EXPECT_EQ(-ETIME, loom_bo_wait(self->client.fd, self->client.out, 0));
	EXPECT_EQ(-ETIME, loom_bo_wait(self->client.fd, self->client.in, 0));
	EXPECT_EQ(-ETIME, loom_bo_wait(self->client.fd, self->client.out,
				       loom_now_ns() + 100 * LOOM_MSEC_NS));
	EXPECT_EQ(-ETIME, loom_bo_wait(self->client.fd, self->client.out, -1));
	EXPECT_EQ(0, loom_bo_wait(self->client.fd, other, 0));
	EXPECT_EQ(-ETIME, loom_sync_wait(self->client.fd, self->fence, 0));
	/* closing a busy buffer's handle is fine */
	EXPECT_EQ(0, loom_bo_close(self->client.fd, self->client.in));
}

static void on_alarm(int signal)
{
}

TEST_F_TIMEOUT(submit, a_wait_can_be_interrupted, 60)
{
	struct drm_loom_bo_wait args = {
		.handle = self->client.out,
		.timeout_ns = loom_now_ns() + 20 * LOOM_SECOND_NS,
	};
	struct drm_loom_bo_wait before = args;
	struct sigaction action = { .sa_handler = on_alarm };
	struct sigaction old;
	timer_t timer;
	struct itimerspec when = { .it_value.tv_nsec = 200 * LOOM_MSEC_NS };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };

	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, 0));
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, &old));
	ASSERT_EQ(0, timer_create(CLOCK_MONOTONIC, &event, &timer));
	ASSERT_EQ(0, timer_settime(timer, 0, &when, NULL));
	EXPECT_EQ(-1, ioctl(self->client.fd, DRM_IOCTL_LOOM_BO_WAIT, &args));
	EXPECT_EQ(EINTR, errno);
	EXPECT_EQ(0, memcmp(&before, &args, sizeof(args)));
	timer_delete(timer);
}

TEST_F_TIMEOUT(submit, scratch_and_sram_buffers_do_not_meet, 60)
{
	struct drm_loom_bo_create args = {
		.size = 1,
		.region = DRM_LOOM_REGION_SRAM,
		.direction = DRM_LOOM_DIRECTION_BOTTOM_UP,
	};
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info info;
	struct loom_job job;
	uint64_t scratch = 2 * LOOM_COLUMNS * sizeof(float);
	uint32_t context;

	/* buffers of others never lie where scratch may be */
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	/* a buffer where the scratch would be */
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, loom_bo_info(self->client.fd, args.handle, &info));
	loom_job_init(&job, &self->client, self->plan, 2, 0);
	EXPECT_EQ(-EBUSY, loom_job_submit(self->client.fd, &job));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, args.handle));

	/* a buffer at the other end is not in the way */
	args.direction = DRM_LOOM_DIRECTION_DEFAULT;
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	EXPECT_EQ(0, loom_job_submit(self->client.fd, &job));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, args.handle));

	/* while a job runs, buffers are placed above its scratch */
	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, 0));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(scratch, sram.scratch_bytes);
	args.direction = DRM_LOOM_DIRECTION_BOTTOM_UP;
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, loom_bo_info(self->client.fd, args.handle, &info));
	EXPECT_GE(info.address, sram.bank_bytes - sram.total_bytes + scratch);
}

TEST_F_TIMEOUT(submit, the_scratch_is_free_after_the_last_job, 60)
{
	struct drm_loom_region_info sram;
	uint32_t i;

	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, loom_client_run(&self->client, self->plan, 2, self->fence));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(0, sram.scratch_bytes);
}

TEST_F_TIMEOUT(submit, a_thousand_jobs, 120)
{
	struct drm_loom_context_query query;
	uint32_t null = loom_client_plan_null(&self->client);
	uint32_t i;

	ASSERT_NE(0, null);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, loom_client_run(&self->client, null, 0, self->fence));
	ASSERT_EQ(0, loom_sync_wait(self->client.fd, self->fence, loom_soon()));
	ASSERT_EQ(0, loom_context_query(self->client.fd, self->client.context, &query));
	EXPECT_EQ(1000, query.counters.jobs);
}

/* ------------------------------------------------------------ beside others */

/* The file is closed while two of its jobs wait for a fence of another driver. */
TEST_F_TIMEOUT(submit, closing_while_a_job_waits_for_another_fence, 60)
{
	struct vgem_fence_signal signal = {};
	struct drm_loom_region_info before, after;
	int dmabuf, vgem = vgem_open(), other = loom_open(), fd = self->client.fd;
	int64_t end = loom_soon();
	struct loom_job job;

	if (vgem < 0)
		SKIP(return, "no vgem");
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_query_region(other, DRM_LOOM_REGION_DRAM, &before));
	dmabuf = vgem_create_fenced(vgem, &signal.fence);
	ASSERT_GE(dmabuf, 0);
	loom_job_init(&job, &self->client, self->plan, 2, 0);
	job.args.in_syncs.count = 1;
	job.in.handle = loom_sync_create(fd, 0);
	ASSERT_EQ(0, syncobj_import(fd, job.in.handle, dmabuf));
	ASSERT_EQ(0, loom_job_submit(fd, &job));
	ASSERT_EQ(0, loom_job_submit(fd, &job));
	EXPECT_EQ(-ETIME, loom_bo_wait(fd, self->client.out, loom_now_ns() + LOOM_SECOND_NS / 5));
	/* jobs of another context overtake them */
	ASSERT_EQ(0, loom_context_create(fd, DRM_LOOM_PRIORITY_NORMAL, &self->client.context));
	ASSERT_EQ(0, loom_client_run(&self->client, self->plan, 2, self->fence));
	EXPECT_EQ(0, loom_sync_wait(fd, self->fence, end));
	EXPECT_EQ(-ETIME, loom_bo_wait(fd, self->client.out, 0));
	loom_client_close(&self->client);
	ASSERT_EQ(0, loom_call(vgem, VGEM_FENCE_SIGNAL, &signal));
	do {
		usleep(10000);
		ASSERT_EQ(0, loom_query_region(other, DRM_LOOM_REGION_DRAM, &after));
	} while (after.blocks != before.blocks - 2 && loom_now_ns() < end);
	EXPECT_EQ(before.blocks - 2, after.blocks);
	close(other);
	close(dmabuf);
	close(vgem);
}

/* Buffers that together are larger than the DRAM, as far as the machine has memory for them. */
TEST_F_TIMEOUT(submit, what_does_not_fit_is_evicted_and_comes_back, 120)
{
	const struct loom_client *client = &self->client;
	uint32_t handles[96], evicted = 0, i, wrong = 0;
	struct drm_loom_region_info dram;
	struct drm_loom_bo_info info;
	long available = sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
	uint64_t size, total;
	struct loom_job job;
	float *map;

	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_DRAM, &dram));
	total = dram.total_bytes * dram.banks;
	size = total / 64 / 4096 * 4096;
	if (total * 2 > (uint64_t)available)
		SKIP(return, "not enough memory to fill the DRAM (topology=tiny)");
	for (i = 0; i < 96; i++) {
		ASSERT_EQ(0, loom_bo_create(client->fd, size, DRM_LOOM_REGION_DRAM, &handles[i]));
		map = loom_bo_map(client->fd, handles[i], size);
		ASSERT_NE(MAP_FAILED, map);
		map[0] = i + 1;
		map[size / sizeof(float) - 1] = i;
		munmap(map, size);
	}
	for (i = 0; i < 96; i++) {
		ASSERT_EQ(0, loom_bo_info(client->fd, handles[i], &info));
		if (info.flags & DRM_LOOM_BO_EVICTED) {
			EXPECT_EQ(0, info.address);
			evicted++;
		}
	}
	EXPECT_GE(evicted, 32);
	EXPECT_LE(evicted, 64);

	/* each is brought back by a job in turn, with its bytes */
	for (i = 0; i < 96; i++) {
		loom_job_init(&job, client, self->plan, 2, self->fence);
		job.bindings[0].handle = handles[i];
		ASSERT_EQ(0, loom_job_submit(client->fd, &job));
		ASSERT_EQ(0, loom_bo_info(client->fd, handles[i], &info));
		EXPECT_EQ(0, info.flags);
		if (i % 8)
			continue;
		ASSERT_EQ(0, loom_bo_wait(client->fd, client->out, loom_soon()));
		map = loom_bo_map(client->fd, client->out, 4096);
		ASSERT_NE(MAP_FAILED, map);
		wrong += map[0] != i + 1;
		munmap(map, 4096);
	}
	EXPECT_EQ(0, wrong);
	for (i = 0; i < 96; i++) {
		map = loom_bo_map(client->fd, handles[i], size);
		ASSERT_NE(MAP_FAILED, map);
		wrong += map[0] != i + 1 || map[size / sizeof(float) - 1] != i;
		munmap(map, size);
	}
	EXPECT_EQ(0, wrong);
}
