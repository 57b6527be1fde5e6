// SPDX-License-Identifier: GPL-2.0
/*
 * No client waits for another's job: while one runs jobs without end on buffers that fill the DRAM,
 * others make buffers and submit jobs, and those ioctls return long before it ends. Where a buffer
 * gets the address of one that jobs still use, its own jobs wait for them, and nobody else does.
 */
#include "loom_selftest.h"

/* An ioctl that waited for a job took a quarter of a minute or more; without, milliseconds. */
#define AT_ONCE_NS	(10 * LOOM_SECOND_NS)

/* -------------------------------------------------- beside a long job */

FIXTURE(latency)
{
	/* one that fills the DRAM, and one that must not wait for it */
	struct loom_client hog, client;
	struct drm_loom_region_info dram;
	uint32_t hog_bo[4];
	uint32_t endless, plan, null, fence;
};

FIXTURE_SETUP(latency)
{
	uint32_t i;

	self->client.fd = -1;
	/* memory that jobs of the test before have not given back yet is not free */
	ASSERT_EQ(0, loom_region_settle(DRM_LOOM_REGION_DRAM, &self->dram));
	ASSERT_EQ(0, loom_client_open(&self->hog));
	ASSERT_EQ(0, loom_client_open(&self->client));
	ASSERT_EQ(0, loom_query_region(self->hog.fd, DRM_LOOM_REGION_DRAM, &self->dram));
	self->endless = loom_hollow_plan_endless(&self->hog);
	self->plan = loom_hollow_plan_unary(&self->client, DRM_LOOM_UNARY_NEG);
	self->null = loom_client_plan_null(&self->client);
	self->fence = loom_sync_create(self->client.fd, 0);
	ASSERT_NE(0, self->endless);
	ASSERT_NE(0, self->plan);
	ASSERT_NE(0, self->null);
	ASSERT_NE(0, self->fence);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, loom_hollow_create(self->hog.fd, self->dram.banks,
						self->dram.largest_free_bytes / 4, self->hog.bytes,
						&self->hog_bo[i]));
}

FIXTURE_TEARDOWN(latency)
{
	loom_client_close(&self->hog);
	loom_client_close(&self->client);
}

static int hog_run(FIXTURE_DATA(latency) * self, uint32_t in, uint32_t out)
{
	struct loom_job job;

	loom_job_init(&job, &self->hog, self->endless, 2, 0);
	job.bindings[0].handle = self->hog_bo[in];
	job.bindings[1].handle = self->hog_bo[out];
	return loom_job_submit(self->hog.fd, &job);
}

static bool hog_runs(FIXTURE_DATA(latency) * self)
{
	return loom_bo_wait(self->hog.fd, self->hog_bo[1], 0) == -ETIME;
}

/* Whether a call is right, and took no longer than it may beside a job that does not end. */
#define EXPECT_AT_ONCE(want, call)						\
	do {									\
		int64_t start_ns = loom_now_ns();				\
										\
		EXPECT_EQ(want, call);						\
		EXPECT_LT(loom_now_ns() - start_ns, AT_ONCE_NS);		\
	} while (0)

TEST_F_TIMEOUT(latency, nobody_waits_for_the_jobs_of_others, 120)
{
	struct loom_client *client = &self->client;
	uint32_t sram, small, large, fence;
	struct drm_loom_bo_info info;
	struct loom_job job;
	float *in, *out;
	uint32_t i;

	ASSERT_EQ(0, hog_run(self, 0, 1));
	ASSERT_EQ(0, hog_run(self, 2, 3));
	in = loom_bo_map(client->fd, client->in, client->bytes);
	ASSERT_NE(MAP_FAILED, in);
	for (i = 0; i < client->bytes / sizeof(*in); i++)
		in[i] = i;

	EXPECT_AT_ONCE(0, loom_bo_create(client->fd, 4096, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_AT_ONCE(0, loom_client_run(client, self->null, 0, 0));
	EXPECT_AT_ONCE(0, loom_client_run(client, self->plan, 2, self->fence));
	/* half of the DRAM, which has only buffers with jobs and small ones */
	EXPECT_AT_ONCE(0, loom_hollow_create(client->fd, self->dram.banks,
					     self->dram.largest_free_bytes / 2, client->bytes,
					     &large));
	EXPECT_AT_ONCE(0, loom_bo_create(client->fd, client->bytes, DRM_LOOM_REGION_DRAM,
					 &small));
	EXPECT_AT_ONCE(0, loom_client_run(client, self->null, 0, 0));
	EXPECT_AT_ONCE(0, loom_bo_info(client->fd, large, &info));
	EXPECT_EQ(0, info.flags);
	/* back comes what had to go, out goes somebody else */
	EXPECT_AT_ONCE(0, hog_run(self, 0, 1));
	EXPECT_AT_ONCE(0, hog_run(self, 2, 3));

	/* more than there is: no waiting helps */
	EXPECT_AT_ONCE(-ENOSPC, loom_hollow_create(client->fd, self->dram.banks,
						   self->dram.total_bytes + LOOM_PAGE,
						   client->bytes, &i));
	EXPECT_TRUE(hog_runs(self));

	/* the job itself may have to wait, its submit and looking at its buffers do not */
	fence = loom_sync_create(client->fd, 0);
	ASSERT_NE(0, fence);
	loom_job_init(&job, client, self->plan, 2, fence);
	job.bindings[1].handle = large;
	EXPECT_AT_ONCE(0, loom_job_submit(client->fd, &job));
	out = loom_bo_map(client->fd, large, client->bytes);
	ASSERT_NE(MAP_FAILED, out);
	/* where bytes are in the device's own memory, they are there when nobody uses the place */
	if (!loom_is_own(client->fd, DRM_LOOM_REGION_DRAM))
		EXPECT_AT_ONCE(0, out[1] != 0 && out[1] != -1);
	EXPECT_TRUE(hog_runs(self));
	EXPECT_EQ(-ETIME, loom_sync_wait(client->fd, fence, 0));

	loom_client_close(&self->hog);
	EXPECT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
	EXPECT_EQ(0, loom_sync_wait(client->fd, self->fence, loom_soon()));
	for (i = 0; i < client->bytes / sizeof(*out); i++)
		if (out[i] != -in[i])
			break;
	EXPECT_EQ(client->bytes / sizeof(*out), i);
}

TEST_F_TIMEOUT(latency, an_idle_buffer_goes_before_one_in_use, 60)
{
	struct loom_client *client = &self->client;
	struct drm_loom_bo_info info;
	uint32_t mine, fence, i;
	struct loom_job job;

	/* 2 and 3 are in use; 0 and 1 are idle, and younger */
	ASSERT_EQ(0, hog_run(self, 2, 3));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, loom_bo_close(self->hog.fd, self->hog_bo[i]));
		ASSERT_EQ(0, loom_hollow_create(self->hog.fd, self->dram.banks,
						self->dram.largest_free_bytes / 4, self->hog.bytes,
						&self->hog_bo[i]));
	}
	fence = loom_sync_create(client->fd, 0);
	EXPECT_AT_ONCE(0, loom_hollow_create(client->fd, self->dram.banks,
					     self->dram.largest_free_bytes / 4, client->bytes,
					     &mine));
	for (i = 2; i < 4; i++) {
		ASSERT_EQ(0, loom_bo_info(self->hog.fd, self->hog_bo[i], &info));
		EXPECT_EQ(0, info.flags);
	}
	loom_job_init(&job, client, self->plan, 2, fence);
	job.bindings[1].handle = mine;
	EXPECT_AT_ONCE(0, loom_job_submit(client->fd, &job));
	EXPECT_EQ(-ETIME, loom_bo_wait(self->hog.fd, self->hog_bo[3], 0));
}

/* ------------------------------------------------- addresses in use */

FIXTURE(addresses)
{
	struct loom_client client;
	struct drm_loom_region_info dram;
	int vgem, dmabuf;
	struct vgem_fence_signal signal;
	uint32_t contexts[4], fences[4], blocker, plan;
	/* at the top of the DRAM, where the large ones do not reach */
	uint32_t in, out;
};

static int top(FIXTURE_DATA(addresses) * self, uint32_t *handle)
{
	struct drm_loom_bo_create args = {
		.size = self->client.bytes,
		.direction = DRM_LOOM_DIRECTION_TOP_DOWN,
	};
	int ret = loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

/* A fence of vgem for the next job that is to be blocked: for ten seconds at most. */
static int block(FIXTURE_DATA(addresses) * self)
{
	if (self->dmabuf >= 0)
		close(self->dmabuf);
	self->signal = (struct vgem_fence_signal) {};
	self->dmabuf = vgem_create_fenced(self->vgem, &self->signal.fence);
	if (self->dmabuf < 0)
		return self->dmabuf;
	return syncobj_import(self->client.fd, self->blocker, self->dmabuf);
}

FIXTURE_SETUP(addresses)
{
	struct loom_client *client = &self->client;
	uint32_t i;

	client->fd = -1;
	self->dmabuf = -1;
	self->vgem = vgem_open();
	if (self->vgem < 0)
		SKIP(return, "no vgem");
	ASSERT_EQ(0, loom_region_settle(DRM_LOOM_REGION_DRAM, &self->dram));
	ASSERT_EQ(0, loom_client_open(client));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_DRAM, &self->dram));
	self->plan = loom_hollow_plan_unary(client, DRM_LOOM_UNARY_NEG);
	ASSERT_NE(0, self->plan);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, loom_context_create(client->fd, DRM_LOOM_PRIORITY_NORMAL,
						 &self->contexts[i]));
		self->fences[i] = loom_sync_create(client->fd, 0);
		ASSERT_NE(0, self->fences[i]);
	}
	ASSERT_EQ(0, top(self, &self->in));
	ASSERT_EQ(0, top(self, &self->out));
	self->blocker = loom_sync_create(client->fd, 0);
	ASSERT_EQ(0, block(self));
}

FIXTURE_TEARDOWN(addresses)
{
	loom_client_close(&self->client);
	if (self->dmabuf >= 0)
		close(self->dmabuf);
	if (self->vgem >= 0)
		close(self->vgem);
}

/* A job of context @index that writes @out. One that is blocked uses nothing at the top. */
static int run_on(FIXTURE_DATA(addresses) * self, uint32_t index, uint32_t out, bool blocked)
{
	struct loom_job job;

	loom_job_init(&job, &self->client, self->plan, 2, self->fences[index]);
	job.args.context = self->contexts[index];
	job.bindings[0].handle = blocked ? self->client.in : self->in;
	job.bindings[1].handle = out;
	job.args.in_syncs.count = blocked;
	job.in.handle = self->blocker;
	return loom_job_submit(self->client.fd, &job);
}

static int ended(FIXTURE_DATA(addresses) * self, uint32_t index, int64_t wait_ns)
{
	return loom_sync_wait(self->client.fd, self->fences[index], loom_now_ns() + wait_ns);
}

static int large(FIXTURE_DATA(addresses) * self, uint32_t *handle, struct drm_loom_bo_info *info)
{
	int ret = loom_hollow_create(self->client.fd, self->dram.banks,
				     self->dram.largest_free_bytes / 4 * 3, self->client.bytes,
				     handle);

	return ret ?: loom_bo_info(self->client.fd, *handle, info);
}

/* Two of them share addresses, whichever they are. */
static void share(struct __test_metadata *_metadata, const struct drm_loom_bo_info *a,
		  const struct drm_loom_bo_info *b)
{
	EXPECT_LT(a->address, b->address + b->bytes_per_bank);
	EXPECT_LT(b->address, a->address + a->bytes_per_bank);
}

TEST_F_TIMEOUT(addresses, are_not_used_for_two_buffers_at_a_time, 30)
{
	struct drm_loom_bo_info first, second;
	uint32_t a, b;

	/* the job on a does not start before the fence of vgem signals */
	ASSERT_EQ(0, large(self, &a, &first));
	ASSERT_EQ(0, run_on(self, 0, a, true));
	ASSERT_EQ(0, large(self, &b, &second));
	share(_metadata, &first, &second);
	ASSERT_EQ(0, run_on(self, 1, b, false));
	/* where nobody else was, nobody waits */
	ASSERT_EQ(0, run_on(self, 2, self->out, false));
	EXPECT_EQ(0, ended(self, 2, 5 * LOOM_SECOND_NS));
	EXPECT_EQ(-ETIME, ended(self, 1, LOOM_SECOND_NS / 2));
	EXPECT_EQ(-ETIME, ended(self, 0, 0));
	ASSERT_EQ(0, loom_call(self->vgem, VGEM_FENCE_SIGNAL, &self->signal));
	EXPECT_EQ(0, ended(self, 1, LOOM_SOON_NS));
	/* it has ended, so the first one has, too */
	EXPECT_EQ(0, ended(self, 0, 0));
}

TEST_F_TIMEOUT(addresses, stay_in_use_whoever_had_them_meanwhile, 30)
{
	struct drm_loom_bo_info first, second, third;
	uint32_t a, b, c;

	ASSERT_EQ(0, large(self, &a, &first));
	ASSERT_EQ(0, run_on(self, 0, a, true));
	/* never used by a job, evicted; then one that is closed */
	ASSERT_EQ(0, large(self, &b, &second));
	ASSERT_EQ(0, large(self, &c, &third));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, c));
	ASSERT_EQ(0, large(self, &c, &third));
	share(_metadata, &first, &third);
	ASSERT_EQ(0, run_on(self, 1, c, false));
	/* and back, and forth: each waits for those before, and no two for each other */
	ASSERT_EQ(0, run_on(self, 2, a, false));
	ASSERT_EQ(0, run_on(self, 3, b, false));
	EXPECT_EQ(-ETIME, ended(self, 1, LOOM_SECOND_NS / 2));
	EXPECT_EQ(-ETIME, ended(self, 2, 0));
	EXPECT_EQ(-ETIME, ended(self, 3, 0));
	ASSERT_EQ(0, loom_call(self->vgem, VGEM_FENCE_SIGNAL, &self->signal));
	EXPECT_EQ(0, ended(self, 3, LOOM_SOON_NS));
	EXPECT_EQ(0, ended(self, 2, 0));
	EXPECT_EQ(0, ended(self, 1, 0));
	EXPECT_EQ(0, ended(self, 0, 0));
	/* nothing is left of it */
	ASSERT_EQ(0, run_on(self, 1, a, false));
	EXPECT_EQ(0, ended(self, 1, LOOM_SOON_NS));
}

/* --------------------------------------------- the end of a job */

#define LISTED_JOBS	128

/* As many as there can be in the SRAM, but for what jobs here have for scratch. */
static uint32_t fill_with_small_ones(int fd)
{
	struct drm_loom_bo_create args = {
		.region = DRM_LOOM_REGION_SRAM,
		.direction = DRM_LOOM_DIRECTION_TOP_DOWN,
	};
	struct drm_loom_region_info sram;
	uint32_t i, count;

	if (loom_query_region(fd, DRM_LOOM_REGION_SRAM, &sram))
		return 0;
	args.page_bytes = sram.align_bytes;
	count = sram.total_bytes / sram.align_bytes / 4 * 3;
	if (count > 16384)
		count = 16384;
	for (i = 0; i < count; i++) {
		args.size = (uint64_t)sram.align_bytes * sram.banks;
		if (loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args))
			break;
	}
	return i;
}

/* Shared by the test and a process that lists all blocks without end. */
struct lister {
	bool stop;
	uint32_t lists, wrong;
};

/* Return: whether the blocks tile the bank up to its end and no buffer is missing. */
static bool list(int fd, uint64_t total_bytes, uint32_t least)
{
	uint32_t count = 0, allocated = 0, i;
	struct drm_loom_block *blocks = loom_query_blocks(fd, DRM_LOOM_REGION_SRAM, &count);
	uint64_t end = 0, bytes = 0;
	bool tiles = blocks;

	for (i = 0; tiles && i < count; i++) {
		tiles = blocks[i].address == end;
		end += blocks[i].bytes;
		if (!(blocks[i].flags & DRM_LOOM_BLOCK_RESERVED))
			bytes += blocks[i].bytes;
		allocated += !!(blocks[i].flags & DRM_LOOM_BLOCK_OWN);
	}
	free(blocks);
	return tiles && bytes == total_bytes && allocated >= least;
}

static void list_without_end(int fd, struct lister *lister, uint64_t total_bytes, uint32_t least)
{
	while (!__atomic_load_n(&lister->stop, __ATOMIC_RELAXED)) {
		if (!list(fd, total_bytes, least))
			lister->wrong++;
		__atomic_fetch_add(&lister->lists, 1, __ATOMIC_RELAXED);
	}
	_exit(0);
}

/*
 * Each job takes its scratch and gives it back while somebody reads the list of 16384 blocks: none
 * of the jobs is lost or fails, and each list is whole, as if nothing had moved meanwhile.
 */
TEST_F_TIMEOUT(addresses, are_listed_while_jobs_end, 120)
{
	struct drm_loom_region_info sram;
	uint32_t context, count, first, i;
	struct lister *lister;
	int fd, status;
	pid_t child;

	fd = loom_open();
	ASSERT_GE(fd, 0);
	if (loom_exclusive(fd, &context))
		SKIP(return, "no right to fill the SRAM");
	lister = mmap(NULL, sizeof(*lister), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, lister);
	count = fill_with_small_ones(fd);
	ASSERT_LT(0, count);
	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_SRAM, &sram));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		list_without_end(fd, lister, sram.total_bytes, count);
	ASSERT_EQ(0, block(self));
	for (i = 0; i < LISTED_JOBS; i++)
		ASSERT_EQ(0, run_on(self, 0, self->out, !i));
	first = __atomic_load_n(&lister->lists, __ATOMIC_RELAXED);
	ASSERT_EQ(0, loom_call(self->vgem, VGEM_FENCE_SIGNAL, &self->signal));
	ASSERT_EQ(0, ended(self, 0, LOOM_SOON_NS));
	/* one that began before the last of the jobs ended is enough */
	while (__atomic_load_n(&lister->lists, __ATOMIC_RELAXED) == first)
		usleep(1000);
	__atomic_store_n(&lister->stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, lister->wrong);
	munmap(lister, sizeof(*lister));
	close(fd);
}

/* ---------------------------------------------------- concurrent evictions */

#define MAKERS	3

struct maker {
	int fd;
	uint32_t banks, rounds, seen;
	uint64_t bytes_per_bank;
	uint32_t handle;
	bool stop;
	int ret;
};

/* Three of four banks' worth each, so that no two are there at a time. */
static void *make(void *data)
{
	struct maker *maker = data;
	uint32_t i, handle;

	for (i = 0; !maker->ret && i < maker->rounds; i++) {
		maker->ret = loom_hollow_create(maker->fd, maker->banks, maker->bytes_per_bank, 1,
						&handle);
		if (!maker->ret && i % 3)
			maker->ret = loom_bo_close(maker->fd, handle);
		else
			__atomic_store_n(&maker->handle, handle, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Has the buffers of others locked as often as it can. */
static void *look(void *data)
{
	struct maker *maker = data;
	struct drm_loom_bo_info info;

	/* at least once, however late this thread runs: the first buffer stays */
	do {
		uint32_t handle = __atomic_load_n(&maker->handle, __ATOMIC_RELAXED);

		if (handle && !loom_bo_info(maker->fd, handle, &info))
			maker->seen++;
	} while (!__atomic_load_n(&maker->stop, __ATOMIC_RELAXED));
	return NULL;
}

TEST(who_make_room_at_once_all_get_it)
{
	struct drm_loom_region_info dram;
	struct maker makers[MAKERS];
	pthread_t threads[MAKERS], lookers[MAKERS];
	uint32_t i;

	for (i = 0; i < MAKERS; i++) {
		makers[i] = (struct maker) { .fd = loom_open(), .rounds = loom_effort(300) };
		ASSERT_GE(makers[i].fd, 0);
		ASSERT_EQ(0, loom_query_region(makers[i].fd, DRM_LOOM_REGION_DRAM, &dram));
		makers[i].banks = dram.banks;
		makers[i].bytes_per_bank = dram.total_bytes / 4 * 3;
	}
	for (i = 0; i < MAKERS; i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, make, &makers[i]));
		ASSERT_EQ(0, pthread_create(&lookers[i], NULL, look, &makers[i]));
	}
	for (i = 0; i < MAKERS; i++) {
		pthread_join(threads[i], NULL);
		__atomic_store_n(&makers[i].stop, true, __ATOMIC_RELAXED);
		pthread_join(lookers[i], NULL);
		EXPECT_EQ(0, makers[i].ret);
		EXPECT_NE(0, makers[i].seen);
		close(makers[i].fd);
	}
}
