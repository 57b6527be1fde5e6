// SPDX-License-Identifier: GPL-2.0
/*
 * Unplugging, over and over, with jobs in each state that a job can be in: all of them end, those
 * that did not with ENODEV, and their fences can be asked for their names by who has kept them.
 */

#include "loom_selftest.h"

#include <limits.h>
#include <sys/syscall.h>

#define CLIENTS		3
#define JOBS		6

FIXTURE(unplug)
{
	struct loom_client clients[CLIENTS];
	uint32_t endless[CLIENTS], plans[CLIENTS], contexts[CLIENTS];
	uint32_t syncs[CLIENTS][JOBS];
};

FIXTURE_SETUP(unplug)
{
	if (!loom_can_unbind())
		SKIP(return, "no soft device, or not the right to unbind it");
}

FIXTURE_TEARDOWN(unplug)
{
	/* fails if it is bound */
	loom_bind();
}

/*
 * Per client: a job that runs or wants to, one queued behind it, one on another context that waits
 * for a fence of the first, one that waits for that of the next client, one queued behind these,
 * and one that has ended.
 */
static int open_client(struct _test_data_unplug *self, uint32_t index)
{
	struct loom_client *client = &self->clients[index];
	uint32_t *syncs = self->syncs[index], i;
	int ret = loom_client_open(client);

	if (ret)
		return ret;
	self->endless[index] = loom_client_plan_endless(client);
	self->plans[index] = loom_client_plan_unary(client, DRM_LOOM_UNARY_ABS);
	for (i = 0; i < JOBS; i++)
		syncs[i] = loom_sync_create(client->fd, 0);
	ret = loom_context_create(client->fd, DRM_LOOM_PRIORITY_NORMAL, &self->contexts[index]);
	if (ret)
		return ret;
	return loom_client_run(client, self->plans[index], 2, syncs[5]) ?:
	       loom_sync_wait(client->fd, syncs[5], loom_soon());
}

/* When no job has to end any more: jobs may take no turns. */
static int start_client(struct _test_data_unplug *self, uint32_t index)
{
	struct loom_client *client = &self->clients[index], other = *client;
	uint32_t *syncs = self->syncs[index];
	struct loom_job job;
	int ret = loom_client_run(client, self->endless[index], 2, syncs[0]) ?:
		  loom_client_run(client, self->plans[index], 2, syncs[1]);

	if (ret)
		return ret;
	other.context = self->contexts[index];
	loom_job_init(&job, &other, self->plans[index], 2, syncs[2]);
	job.args.in_syncs.count = 1;
	job.in.handle = syncs[0];
	return loom_job_submit(other.fd, &job);
}

/* The fence of the next client's endless job, as a syncobj of this one. */
static int wait_for_next(struct _test_data_unplug *self, uint32_t index)
{
	struct loom_client *client = &self->clients[index], other = *client;
	uint32_t next = (index + 1) % CLIENTS;
	struct drm_syncobj_handle pass = { .handle = self->syncs[next][0] };
	struct loom_job job;
	int ret = loom_call(self->clients[next].fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &pass);

	if (!ret)
		ret = loom_call(client->fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &pass);
	if (ret)
		return ret;
	close(pass.fd);
	other.context = self->contexts[index];
	loom_job_init(&job, &other, self->plans[index], 2, self->syncs[index][3]);
	job.args.in_syncs.count = 1;
	job.in.handle = pass.handle;
	return loom_job_submit(other.fd, &job) ?:
	       loom_client_run(&other, self->plans[index], 2, self->syncs[index][4]);
}

/* Return: 1: ended without error, 0: has not ended, -errno: ended with that error. */
static int fence_info(int file, struct sync_fence_info *fence)
{
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)fence };
	int ret = loom_call(file, SYNC_IOC_FILE_INFO, &info);

	return ret ?: fence->status;
}

TEST_F_TIMEOUT(unplug, every_job_ends, 400)
{
	uint32_t rounds = loom_effort(10), round, i, j;
	struct drm_loom_device_info device;
	struct sync_fence_info info;
	struct drm_loom_bo_info bo;
	int files[CLIENTS][JOBS];

	for (round = 0; round < rounds; round++) {
		int64_t start;

		for (i = 0; i < CLIENTS; i++)
			ASSERT_EQ(0, open_client(self, i));
		for (i = 0; i < CLIENTS; i++)
			ASSERT_EQ(0, start_client(self, i));
		for (i = 0; i < CLIENTS; i++)
			ASSERT_EQ(0, wait_for_next(self, i));
		for (i = 0; i < CLIENTS; i++)
			for (j = 0; j < JOBS; j++) {
				files[i][j] = loom_sync_export(self->clients[i].fd,
							       self->syncs[i][j]);
				ASSERT_LE(0, files[i][j]);
			}
		/* at different moments of the engine's */
		usleep(round % 8 * 700);
		start = loom_now_ns();
		ASSERT_EQ(0, loom_unbind());
		EXPECT_LT(loom_now_ns() - start, LOOM_SOON_NS);
		/* all of them, without being waited for */
		for (i = 0; i < CLIENTS; i++)
			for (j = 0; j < JOBS; j++)
				EXPECT_EQ(j == 5 ? 1 : -ENODEV, fence_info(files[i][j], &info)) {
					TH_LOG("round %u client %u job %u", round, i, j);
				}
		EXPECT_EQ(-ENODEV, loom_client_run(&self->clients[0], self->plans[0], 2, 0));
		EXPECT_EQ(-ENODEV, loom_query_device(self->clients[0].fd, &device));
		EXPECT_EQ(-ENODEV, loom_bo_info(self->clients[0].fd, self->clients[0].in, &bo));
		for (i = 0; i < CLIENTS; i++)
			loom_client_close(&self->clients[i]);
		/* nobody has the device any more, but for these */
		usleep(50000);
		for (i = 0; i < CLIENTS; i++)
			for (j = 0; j < JOBS; j++) {
				fence_info(files[i][j], &info);
				/* newer kernels do not ask a fence that has signalled */
				if (strcmp(info.driver_name, "detached-driver"))
					EXPECT_STREQ("loom", info.driver_name);
				if (strcmp(info.obj_name, "signaled-timeline"))
					EXPECT_STREQ("job", info.obj_name);
				close(files[i][j]);
			}
		ASSERT_EQ(0, loom_bind());
	}
	EXPECT_TRUE(loom_device_works());
}

/* --------------------------------------------------------------- unloading */

/* References that keep the module in memory: a file, a fence, a dma-buf. */
struct last {
	int fds[3];
	uint32_t first, wait_us;
};

static void *close_all(void *data)
{
	const struct last *last = data;
	uint32_t i;

	for (i = 0; i < LOOM_ARRAY_SIZE(last->fds); i++) {
		usleep(last->wait_us);
		close(last->fds[(last->first + i) % LOOM_ARRAY_SIZE(last->fds)]);
	}
	return NULL;
}

static int open_last(struct last *last, uint32_t round)
{
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC };
	struct loom_client client;
	uint32_t plan, sync;
	int ret;

	*last = (struct last) { .first = round, .wait_us = round % 7 * 300 };
	ret = loom_client_open(&client);
	if (ret)
		return ret;
	/* one that has ended by then, or one that ends with its file and is freed later */
	plan = round % 2 ? loom_client_plan_endless(&client) :
			   loom_client_plan_unary(&client, DRM_LOOM_UNARY_ABS);
	sync = loom_sync_create(client.fd, 0);
	prime.handle = client.out;
	ret = loom_client_run(&client, plan, 2, sync) ?:
	      loom_call(client.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	last->fds[0] = client.fd;
	last->fds[1] = loom_sync_export(client.fd, sync);
	last->fds[2] = prime.fd;
	return ret;
}

/* The back end, and then what it needs. */
static int unload(void)
{
	if (syscall(SYS_delete_module, "loom_soft", O_NONBLOCK) && errno != ENOENT)
		return -errno;
	return syscall(SYS_delete_module, "loom", O_NONBLOCK) ? -errno : 0;
}

static int load_one(const char *path, const char *parameters)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* loom.ko and loom_soft.ko */
static int load_with(const char *path, const char *parameters)
{
	char soft[PATH_MAX];

	snprintf(soft, sizeof(soft), "%.*s_soft.ko", (int)(strlen(path) - 3), path);
	return load_one(path, parameters) ?: load_one(soft, "");
}

static int load(const char *path)
{
	return load_with(path, getenv("LOOM_MODULE_PARAMETERS") ?: "");
}

/*
 * While one thread drops the last references another unloads the module as soon as it can. Code of
 * the module that runs after its last reference would be gone under it.
 */
TEST_F_TIMEOUT(unplug, the_module_goes_when_nobody_has_anything_of_it, 120)
{
	const char *path = getenv("LOOM_MODULE");
	uint32_t rounds = loom_effort(30), round;

	if (!path || access(path, R_OK))
		SKIP(return, "LOOM_MODULE does not say where the module is");
	for (round = 0; round < rounds; round++) {
		int64_t end = loom_soon();
		pthread_t closer;
		struct last last;
		int ret;

		ASSERT_EQ(0, open_last(&last, round));
		ret = unload();
		if (ret == -EPERM)
			SKIP(return, "no right to unload the module");
		ASSERT_EQ(-EWOULDBLOCK, ret);
		if (round % 3 == 2)
			ASSERT_EQ(0, loom_unbind());
		ASSERT_EQ(0, pthread_create(&closer, NULL, close_all, &last));
		do {
			ret = unload();
		} while (ret == -EWOULDBLOCK && loom_now_ns() < end);
		ASSERT_EQ(0, pthread_join(closer, NULL));
		ASSERT_EQ(0, ret) TH_LOG("round %u", round);
		ASSERT_EQ(0, load(path));
		ASSERT_TRUE(loom_device_works());
	}
}

/* Nothing is left of the attempt: the next one loads. */
TEST_F(unplug, a_topology_that_there_is_not_is_no_device)
{
	const char *path = getenv("LOOM_MODULE");
	int64_t end = loom_soon();
	int ret;

	if (!path || access(path, R_OK))
		SKIP(return, "LOOM_MODULE does not say where the module is");
	while ((ret = unload()) == -EWOULDBLOCK && loom_now_ns() < end)
		;
	if (ret == -EPERM)
		SKIP(return, "no right to unload the module");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(-EINVAL, load_with(path, "topology=nowhere"));
	EXPECT_EQ(-ENODEV, loom_open());
	EXPECT_EQ(-ENOENT, unload());
	ASSERT_EQ(0, load(path));
	EXPECT_TRUE(loom_device_works());
}
