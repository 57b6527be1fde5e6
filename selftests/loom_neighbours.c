// SPDX-License-Identifier: GPL-2.0
/*
 * The driver beside others: their buffers and fences, memory that is short, what fdinfo tells about
 * a client, and a device that is unplugged while clients use it.
 */
#include "loom_selftest.h"

/* ------------------------------------------------------------ the fixture */

FIXTURE(neighbours)
{
	struct loom_client client;
};

FIXTURE_SETUP(neighbours)
{
	uint32_t size = sizeof(self->client.info);
	ASSERT_EQ(0, loom_client_open(&self->client));
	ASSERT_NE(0, self->client.context);
	ASSERT_EQ(0, loom_query(self->client.fd, DRM_LOOM_QUERY_DEVICE, 0, &self->client.info,
				&size));
	ASSERT_EQ(sizeof(self->client.info), size);
}

FIXTURE_TEARDOWN(neighbours)
{
	loom_client_close(&self->client);
}

/* Rounds that take at least some seconds on any machine. */
#define LONG_ROUNDS	200000

/* ------------------------------------------------------------------ tests */

TEST_F(neighbours, others_take_our_buffers)
{
	struct loom_client *client = &self->client;
	struct drm_prime_handle prime = { .handle = client->in, .flags = DRM_RDWR | DRM_CLOEXEC };
	int vgem = vgem_open();
	struct loom_job job;
	uint32_t plan;

	if (vgem < 0)
		SKIP(return, "no vgem");
	ASSERT_EQ(0, loom_call(client->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	ASSERT_EQ(0, loom_call(vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	close(prime.fd);
	/* it is pinned from now on, and can be used as before */
	ASSERT_EQ(0, loom_rounds_create(client->fd, client->info.lanes, DRM_LOOM_UNARY_RELU, 1,
					&plan));
	ASSERT_EQ(0, loom_job_submit(client->fd, loom_job_init(&job, client, plan, 2, 0)));
	EXPECT_EQ(0, loom_bo_wait(client->fd, client->out, loom_now_ns() + 20 * LOOM_SECOND_NS));
	EXPECT_EQ(0, loom_bo_close(client->fd, client->in));
	close(vgem);
}

TEST_F_TIMEOUT(neighbours, a_job_waits_for_the_fences_of_others, 60)
{
	struct loom_client *client = &self->client;
	struct vgem_fence_signal signal = {};
	uint32_t plan, in, out, other_out;
	struct loom_job job;
	int dmabuf, vgem = vgem_open();

	if (vgem < 0)
		SKIP(return, "no vgem");
	dmabuf = vgem_create_fenced(vgem, &signal.fence);
	ASSERT_GE(dmabuf, 0);
	in = loom_sync_create(client->fd, 0);
	out = loom_sync_create(client->fd, 0);
	other_out = loom_sync_create(client->fd, 0);
	ASSERT_EQ(0, syncobj_import(client->fd, in, dmabuf));
	ASSERT_EQ(0, loom_rounds_create(client->fd, client->info.lanes, DRM_LOOM_UNARY_RELU, 1,
					&plan));
	loom_job_init(&job, client, plan, 2, out);
	job.args.in_syncs.count = 1;
	job.in.handle = in;
	ASSERT_EQ(0, loom_job_submit(client->fd, &job));
	EXPECT_EQ(-ETIME, loom_sync_wait(client->fd, out, loom_now_ns() + LOOM_SECOND_NS / 5));
	EXPECT_EQ(-ETIME, loom_bo_wait(client->fd, client->out, 0));

	/* jobs of another context overtake it */
	ASSERT_EQ(0, loom_context_create(client->fd, DRM_LOOM_PRIORITY_NORMAL, &client->context));
	ASSERT_EQ(0, loom_job_submit(client->fd, loom_job_init(&job, client, plan, 2, other_out)));
	EXPECT_EQ(0, loom_sync_wait(client->fd, other_out, loom_now_ns() + 5 * LOOM_SECOND_NS));
	EXPECT_EQ(-ETIME, loom_sync_wait(client->fd, out, 0));

	ASSERT_EQ(0, loom_call(vgem, VGEM_FENCE_SIGNAL, &signal));
	EXPECT_EQ(0, loom_sync_wait(client->fd, out, loom_now_ns() + 5 * LOOM_SECOND_NS));
	close(dmabuf);
	close(vgem);
}

TEST_F_TIMEOUT(neighbours, closing_while_a_job_waits_for_another_fence, 60)
{
	struct loom_client *client = &self->client;
	struct vgem_fence_signal signal = {};
	struct drm_loom_region_info before, after;
	int dmabuf, vgem = vgem_open(), other = loom_open();
	int64_t end;
	uint32_t plan, in;
	struct loom_job job;

	if (vgem < 0)
		SKIP(return, "no vgem");
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_query_region(other, DRM_LOOM_REGION_DRAM, &before));
	dmabuf = vgem_create_fenced(vgem, &signal.fence);
	ASSERT_GE(dmabuf, 0);
	in = loom_sync_create(client->fd, 0);
	ASSERT_EQ(0, syncobj_import(client->fd, in, dmabuf));
	ASSERT_EQ(0, loom_rounds_create(client->fd, client->info.lanes, DRM_LOOM_UNARY_RELU, 1,
					&plan));
	loom_job_init(&job, client, plan, 2, 0);
	job.args.in_syncs.count = 1;
	job.in.handle = in;
	ASSERT_EQ(0, loom_job_submit(client->fd, &job));
	ASSERT_EQ(0, loom_job_submit(client->fd, &job));
	close(client->fd);
	client->fd = -1;
	ASSERT_EQ(0, loom_call(vgem, VGEM_FENCE_SIGNAL, &signal));
	end = loom_now_ns() + 10 * LOOM_SECOND_NS;
	do {
		usleep(10000);
		ASSERT_EQ(0, loom_query_region(other, DRM_LOOM_REGION_DRAM, &after));
	} while (after.blocks != before.blocks - 2 && loom_now_ns() < end);
	EXPECT_EQ(before.blocks - 2, after.blocks);
	close(other);
	close(dmabuf);
	close(vgem);
}

TEST_F(neighbours, fdinfo_says_what_a_client_uses)
{
	struct loom_client *client = &self->client;
	char text[2048], want[64];

	ASSERT_EQ(0, loom_read_fdinfo(client->fd, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "drm-driver:\tloom\n"));
	EXPECT_NE(NULL, strstr(text, "drm-engine-loom:\t0 ns\n"));
	snprintf(want, sizeof(want), "drm-total-dram:\t%llu KiB\n",
		 (unsigned long long)client->bytes * 2 / 1024);
	EXPECT_NE(NULL, strstr(text, want));
	EXPECT_NE(NULL, strstr(text, "drm-total-sram:\t0"));
}

/* --------------------------------------------------------------- eviction */

/* Buffers that together are larger than the DRAM, as far as the machine has memory for them. */
TEST_F_TIMEOUT(neighbours, what_does_not_fit_is_evicted_and_comes_back, 120)
{
	struct loom_client *client = &self->client;
	uint32_t plan, handles[96], evicted = 0, fence, i, wrong = 0;
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
	ASSERT_EQ(0, loom_rounds_create(client->fd, client->info.lanes, DRM_LOOM_UNARY_RELU, 1,
					&plan));
	fence = loom_sync_create(client->fd, 0);
	for (i = 0; i < 96; i++) {
		loom_job_init(&job, client, plan, 2, fence);
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

/* --------------------------------------------------- a device that vanishes */

TEST_F_TIMEOUT(neighbours, unplugged_in_a_job, 120)
{
	struct loom_client *client = &self->client;
	struct drm_loom_query query = { .type = DRM_LOOM_QUERY_DEVICE };
	struct drm_loom_bo_info info;
	uint32_t plan, fence;
	unsigned char *map;
	struct loom_job job;
	int fd;

	ASSERT_EQ(0, loom_rounds_create(client->fd, client->info.lanes, DRM_LOOM_UNARY_EXP,
					LONG_ROUNDS, &plan));
	fence = loom_sync_create(client->fd, 0);
	map = loom_bo_map(client->fd, client->in, client->bytes);
	ASSERT_NE(MAP_FAILED, map);
	map[0] = 1;
	ASSERT_EQ(0, loom_job_submit(client->fd, loom_job_init(&job, client, plan, 2, fence)));
	ASSERT_EQ(0, loom_job_submit(client->fd, loom_job_init(&job, client, plan, 2, fence)));
	if (loom_unbind())
		SKIP(return, "cannot unbind the device");

	EXPECT_EQ(-ENODEV, loom_call(client->fd, DRM_IOCTL_LOOM_QUERY, &query));
	EXPECT_EQ(-ENODEV, loom_bo_info(client->fd, client->in, &info));
	EXPECT_EQ(-ENODEV, loom_job_submit(client->fd, &job));
	EXPECT_EQ(-ENODEV, loom_sync_wait(client->fd, fence, 0));
	/* no SIGBUS, and no bytes either */
	EXPECT_EQ(0, map[0]);
	map[0] = 2;
	fd = loom_open();
	EXPECT_EQ(-ENODEV, fd);

	EXPECT_EQ(0, loom_bind());
	fd = loom_open();
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_LOOM_QUERY, &query));
	close(fd);
}

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
