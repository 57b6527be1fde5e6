// SPDX-License-Identifier: GPL-2.0
/*
 * Malicious and broken clients: random bytes to every ioctl, threads that destroy what others use,
 * memory that changes while the driver copies it. Any answer will do, as long as there is one, the
 * log of the kernel stays clean (the runner checks it) and a well-behaved client is served
 * afterwards. Also jobs that lock what others close.
 */

#include "loom_selftest.h"

/* A fixed seed, so that every run does the same. */
static uint32_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

static const unsigned long commands[] = {
	DRM_IOCTL_LOOM_QUERY,
	DRM_IOCTL_LOOM_BO_CREATE,
	DRM_IOCTL_LOOM_BO_INFO,
	DRM_IOCTL_LOOM_BO_WAIT,
	DRM_IOCTL_LOOM_PLAN_CREATE,
	DRM_IOCTL_LOOM_PLAN_DESTROY,
	DRM_IOCTL_LOOM_SUBMIT,
	DRM_IOCTL_LOOM_CONTEXT_CREATE,
	DRM_IOCTL_LOOM_CONTEXT_DESTROY,
	DRM_IOCTL_LOOM_CONTEXT_QUERY,
};

/* Runs a plain job with a new file. Return: 0 if the result is right. */
static int serve(void)
{
	struct drm_loom_device_info info;
	struct drm_loom_binding bindings[2] = { { .slot = 0 }, { .slot = 1 } };
	struct drm_loom_submit submit = {
		.bindings = { sizeof(bindings[0]), 2, (uintptr_t)bindings },
	};
	int fd = loom_open();
	uint64_t bytes;
	float *map;
	int ret;

	if (fd < 0)
		return fd;
	ret = loom_query_device(fd, &info);
	bytes = (uint64_t)info.lanes * LOOM_COLUMNS * sizeof(float);
	ret = ret ?: loom_bo_create(fd, bytes, DRM_LOOM_REGION_DRAM, &bindings[0].handle);
	ret = ret ?: loom_bo_create(fd, bytes, DRM_LOOM_REGION_DRAM, &bindings[1].handle);
	ret = ret ?: loom_context_create(fd, DRM_LOOM_PRIORITY_NORMAL, &submit.context);
	ret = ret ?: loom_rounds_create(fd, info.lanes, DRM_LOOM_UNARY_NEG, 1, &submit.plan);
	map = ret ? MAP_FAILED : loom_bo_map(fd, bindings[0].handle, bytes);
	if (map != MAP_FAILED) {
		map[bytes / sizeof(float) - 1] = 42;
		munmap(map, bytes);
	}
	ret = ret ?: loom_call(fd, DRM_IOCTL_LOOM_SUBMIT, &submit);
	ret = ret ?: loom_bo_wait(fd, bindings[1].handle, loom_now_ns() + 20 * LOOM_SECOND_NS);
	map = ret ? MAP_FAILED : loom_bo_map(fd, bindings[1].handle, bytes);
	if (!ret && (map == MAP_FAILED || map[bytes / sizeof(float) - 1] != -42))
		ret = -EIO;
	if (map != MAP_FAILED)
		munmap(map, bytes);
	close(fd);
	return ret;
}

FIXTURE(brawl)
{
	int fd;
	uint32_t lanes;
	struct drm_loom_region_info before[DRM_LOOM_REGION_COUNT];
};

FIXTURE_SETUP(brawl)
{
	struct drm_loom_device_info info;
	uint32_t i;

	self->fd = loom_open();
	if (self->fd < 0)
		SKIP(return, "no loom device");
	ASSERT_EQ(0, loom_query_device(self->fd, &info));
	self->lanes = info.lanes;
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		ASSERT_EQ(0, loom_query_region(self->fd, i, &self->before[i]));
}

/* After any test: nothing is left allocated, and a plain job still works. */
FIXTURE_TEARDOWN(brawl)
{
	struct drm_loom_region_info after = {};
	int64_t end = loom_now_ns() + 20 * LOOM_SECOND_NS;
	uint32_t i;
	int fd;

	if (self->fd < 0)
		return;
	close(self->fd);
	EXPECT_EQ(0, serve());
	fd = loom_open();
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
		do {
			EXPECT_EQ(0, loom_query_region(fd, i, &after));
			if (after.allocated_bytes == self->before[i].allocated_bytes &&
			    !after.scratch_bytes)
				break;
			usleep(20000);
		} while (loom_now_ns() < end);
		EXPECT_EQ(self->before[i].allocated_bytes, after.allocated_bytes);
		EXPECT_EQ(self->before[i].blocks, after.blocks);
		EXPECT_EQ(0, after.scratch_bytes);
	}
	close(fd);
}

/* Numbers at limits, or near them. */
static uint64_t guess(uint64_t *seed, void *memory)
{
	static const uint64_t edges[] = { 0, 1, 2, 3, 4, 63, 64, 65, 4095, 4096, 1 << 20, INT32_MAX,
					  UINT32_MAX, 1ULL << 32, INT64_MAX, UINT64_MAX };

	switch (next(seed) % 4) {
	case 0:
		return edges[next(seed) % LOOM_ARRAY_SIZE(edges)];
	case 1:
		return next(seed) % 16;
	case 2:
		return (uintptr_t)memory;
	}
	return (uint64_t)next(seed) << 32 | next(seed);
}

TEST_F_TIMEOUT(brawl, random_arguments, 120)
{
	uint64_t seed = 1, words[32], memory[512], max_size = 1 << 20;
	uint32_t i, j;

	for (i = 0; i < loom_effort(60000); i++) {
		uint32_t which = next(&seed) % LOOM_ARRAY_SIZE(commands);
		unsigned long cmd = commands[which];

		for (j = 0; j < 32; j++)
			words[j] = next(&seed) % 3 ? 0 : guess(&seed, memory);
		for (j = 0; j < 8; j++)
			memory[next(&seed) % 512] = guess(&seed, memory);
		if (next(&seed) % 8 == 0)
			cmd = DRM_IOWR(DRM_COMMAND_BASE + next(&seed) % 16, uint64_t[32]);
		/* long waits and large sizes are valid, but would only take time */
		if (_IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_LOOM_BO_WAIT)
			words[1] = 0;
		if (_IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_LOOM_BO_CREATE && words[0] < 1ULL << 40)
			words[0] %= max_size;
		loom_call(self->fd, cmd, words);
		if (next(&seed) % 4 == 0)
			loom_bo_close(self->fd, next(&seed) % 64);
	}
}

TEST_F(brawl, no_memory_at_the_pointer)
{
	uint32_t i, size;
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, munmap(page + 4096, 4096));
	for (i = 0; i < LOOM_ARRAY_SIZE(commands); i++) {
		size = _IOC_SIZE(commands[i]);
		EXPECT_EQ(-EFAULT, loom_call(self->fd, commands[i], NULL));
		EXPECT_EQ(-EFAULT, loom_call(self->fd, commands[i], (void *)-4096L));
		/* the last word of the structure is not mapped */
		EXPECT_EQ(-EFAULT, loom_call(self->fd, commands[i], page + 4096 - size + 8));
	}
	/* it may be read, but not written */
	ASSERT_EQ(0, mprotect(page, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, loom_call(self->fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, page));
}

/* A plan of which any word is replaced, and which changes while it is copied. */
struct churn {
	uint64_t *words;
	uint32_t count;
	bool stop;
};

static void *churn_thread(void *arg)
{
	struct churn *churn = arg;
	uint64_t seed = 7;

	while (!__atomic_load_n(&churn->stop, __ATOMIC_RELAXED))
		__atomic_xor_fetch(&churn->words[next(&seed) % churn->count],
				   1ULL << next(&seed) % 64, __ATOMIC_RELAXED);
	return NULL;
}

TEST_F_TIMEOUT(brawl, plans_that_change_while_they_are_read, 120)
{
	uint64_t good[1024] = {}, plan[1024];
	struct churn churn = { .words = plan };
	pthread_t thread;
	uint32_t i, id, accepted = 0;
	uint64_t size;

	size = loom_rounds_fill(good, sizeof(good), self->lanes, DRM_LOOM_UNARY_RELU, 4);
	ASSERT_NE(0, size);
	churn.count = size / 8;
	ASSERT_EQ(0, pthread_create(&thread, NULL, churn_thread, &churn));
	for (i = 0; i < loom_effort(3000); i++) {
		struct drm_loom_reject reject;
		struct drm_loom_plan_create args = {
			.ptr = (uintptr_t)plan,
			.size = size,
			.reject = (uintptr_t)&reject,
			.reject_size = sizeof(reject),
		};
		int ret;

		memcpy(plan, good, size);
		ret = loom_call(self->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
		if (ret)
			EXPECT_EQ(-EBADMSG, ret);
		accepted += !ret;
	}
	__atomic_store_n(&churn.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, loom_plan_create(self->fd, good, size, NULL, &id));
	TH_LOG("%u of %u accepted", accepted, loom_effort(3000));
}

/* Threads on one file that use and destroy the same few names. */
struct brawl {
	int fd;
	uint32_t lanes;
	uint64_t seed;
	int64_t end;
	uint32_t calls;
};

static void *brawl_thread(void *arg)
{
	struct brawl *brawl = arg;
	uint64_t *seed = &brawl->seed;
	uint64_t plan[1024];
	int fd = brawl->fd;

	while (loom_now_ns() < brawl->end) {
		uint32_t a = next(seed) % 12 + 1, b = next(seed) % 12 + 1;
		struct drm_loom_binding bindings[2] = { { 0, a, 0 }, { 1, b, 0 } };
		struct drm_loom_sync syncs[2] = {
			{ .handle = next(seed) % 4 + 1 },
			{ .handle = next(seed) % 4 + 1, .point = next(seed) % 100 },
		};
		struct drm_loom_submit submit = {
			.context = next(seed) % 4 + 1,
			.plan = next(seed) % 4 + 1,
			.bindings = { sizeof(bindings[0]), 2, (uintptr_t)bindings },
			.in_syncs = { sizeof(syncs[0]), next(seed) % 3, (uintptr_t)syncs },
			.out_syncs = { sizeof(syncs[0]), next(seed) % 3, (uintptr_t)syncs },
		};
		struct drm_loom_context_destroy context = { .context = submit.context };
		struct drm_loom_plan_destroy destroy = { .plan = submit.plan };
		struct drm_loom_context_query query;
		struct drm_syncobj_destroy syncobj = { .handle = a % 4 + 1 };
		struct drm_loom_bo_info info;
		struct drm_loom_plan_create create = { .ptr = (uintptr_t)plan };
		uint32_t out;
		float *map;

		brawl->calls++;
		switch (next(seed) % 16) {
		case 0:
			loom_bo_create(fd, next(seed) % (4 << 20) + 1, next(seed) % 8 == 0, &out);
			break;
		case 1:
			loom_bo_create(fd, 1 << 20, DRM_LOOM_REGION_DRAM, &out);
			break;
		case 2:
			loom_bo_close(fd, a);
			break;
		case 3:
			loom_context_create(fd, next(seed) % 3, &out);
			break;
		case 4:
			if (next(seed) % 4 == 0)
				loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &context);
			break;
		case 5:
			create.size = loom_rounds_fill(plan, sizeof(plan), brawl->lanes,
						       DRM_LOOM_UNARY_RELU, next(seed) % 8 + 1);
			loom_call(fd, DRM_IOCTL_LOOM_PLAN_CREATE, &create);
			break;
		case 6:
			if (next(seed) % 4 == 0)
				loom_call(fd, DRM_IOCTL_LOOM_PLAN_DESTROY, &destroy);
			break;
		case 7:
			loom_sync_create(fd, next(seed) % 2);
			break;
		case 8:
			if (next(seed) % 4 == 0)
				loom_call(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &syncobj);
			break;
		case 9:
			loom_bo_wait(fd, a, next(seed) % 2 ? 0 : loom_now_ns() + 1000000);
			break;
		case 10:
			loom_context_query(fd, submit.context, &query);
			break;
		case 11:
			map = loom_bo_map(fd, a, 4096);
			if (map != MAP_FAILED) {
				map[next(seed) % 1024] = 1;
				munmap(map, 4096);
			}
			break;
		case 12:
			loom_bo_info(fd, a, &info);
			break;
		default:
			loom_call(fd, DRM_IOCTL_LOOM_SUBMIT, &submit);
			break;
		}
	}
	return NULL;
}

#define BRAWLERS	4

static uint32_t brawl(int fd, uint32_t lanes, int64_t length_ns, uint64_t seed)
{
	struct brawl brawls[BRAWLERS];
	pthread_t threads[BRAWLERS];
	uint32_t i, calls = 0;

	for (i = 0; i < BRAWLERS; i++) {
		brawls[i] = (struct brawl) {
			.fd = fd,
			.lanes = lanes,
			.seed = seed + i,
			.end = loom_now_ns() + length_ns,
		};
		if (pthread_create(&threads[i], NULL, brawl_thread, &brawls[i]))
			return 0;
	}
	for (i = 0; i < BRAWLERS; i++) {
		pthread_join(threads[i], NULL);
		calls += brawls[i].calls;
	}
	return calls;
}

TEST_F_TIMEOUT(brawl, threads_that_destroy_what_others_use, 120)
{
	EXPECT_LT(100, brawl(self->fd, self->lanes, 4 * LOOM_SECOND_NS, 11));
}

TEST_F_TIMEOUT(brawl, clients_killed_at_any_time, 120)
{
	pid_t children[4] = {};
	uint64_t seed = 23;
	uint32_t i;

	for (i = 0; i < loom_effort(40); i++) {
		pid_t *child = &children[i % 4];
		int status;

		if (*child) {
			usleep(next(&seed) % 60000);
			kill(*child, SIGKILL);
			ASSERT_EQ(*child, waitpid(*child, &status, 0));
		}
		*child = loom_fork();
		ASSERT_GE(*child, 0);
		if (!*child) {
			int fd = loom_open();

			brawl(fd, self->lanes, 10 * LOOM_SECOND_NS, i);
			_exit(0);
		}
	}
	for (i = 0; i < 4 && children[i]; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

/* ------------------------------------------- buffers closed under jobs */

/*
 * Jobs that lock the same buffers in opposite order, while the handles of these buffers are closed:
 * the last reference to a buffer is then the job's, and the scheduler drops it as soon as the job
 * has ended, even while SUBMIT is still on its way out. A kernel with CONFIG_PROVE_LOCKING sees a
 * lock that is freed while it is held; one with CONFIG_DEBUG_WW_MUTEX_SLOWPATH makes each lock of a
 * long list contended once, so that lists are unlocked in another order than they were locked.
 */
#define SLOTS		DRM_LOOM_MAX_SLOTS
#define SYNCS		DRM_LOOM_MAX_SYNCS
#define SLOT_BYTES	64

FIXTURE(contend)
{
	struct loom_client client;
	/* many slots and no work, so that a job ends as soon as it may run */
	uint32_t plan;
	struct drm_loom_region_info before;
};

static void *plan_blob_slots(uint32_t lanes, uint64_t *size)
{
	struct loom_builder builder;
	uint32_t i;

	loom_builder_init(&builder, lanes, LOOM_COLUMNS);
	for (i = 0; i < SLOTS; i++)
		builder.slots[builder.slot_count++] = (struct drm_loom_plan_slot) {
			.size = SLOT_BYTES,
			.flags = DRM_LOOM_SLOT_READ,
		};
	return loom_builder_finish(&builder, size);
}

FIXTURE_SETUP(contend)
{
	int ret = loom_client_open(&self->client);
	uint64_t size;
	void *blob;

	if (ret == -ENODEV)
		SKIP(return, "no loom device");
	ASSERT_EQ(0, ret);
	blob = plan_blob_slots(self->client.info.lanes, &size);
	self->plan = loom_client_plan(&self->client, blob, size);
	ASSERT_NE(0, self->plan);
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_DRAM, &self->before));
}

/* All buffers are freed, and others are served. */
FIXTURE_TEARDOWN(contend)
{
	struct drm_loom_region_info after = {};
	int64_t end = loom_soon();

	if (self->client.fd < 0)
		return;
	do {
		EXPECT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_DRAM, &after));
		if (after.allocated_bytes == self->before.allocated_bytes)
			break;
		usleep(20000);
	} while (loom_now_ns() < end);
	EXPECT_EQ(self->before.allocated_bytes, after.allocated_bytes);
	loom_client_close(&self->client);
	EXPECT_TRUE(loom_device_works());
}

/* One of two that submit. Buffers and barrier are shared, all else is its own. */
struct contender {
	int fd;
	uint32_t plan, context;
	bool descending;
	uint32_t rounds;
	/* made anew for each round by the test */
	const uint32_t *handles;
	pthread_barrier_t *barrier;
	struct drm_loom_sync out[SYNCS];
	/* jobs that were queued, and those whose buffers were closed too early */
	uint32_t queued, late;
	/* the first answer that should not be */
	int error;
};

/* The more there is to signal, the longer SUBMIT goes on after the job was queued. */
static int contender_init(struct contender *contender)
{
	uint32_t i;

	for (i = 0; i < SYNCS; i++) {
		contender->out[i].handle = loom_sync_create(contender->fd, 0);
		if (!contender->out[i].handle)
			return -ENOMEM;
	}
	return loom_context_create(contender->fd, DRM_LOOM_PRIORITY_NORMAL, &contender->context);
}

static void contender_round(struct contender *contender)
{
	struct drm_loom_binding bindings[SLOTS];
	struct drm_loom_submit submit = {
		.context = contender->context,
		.plan = contender->plan,
		.bindings = { sizeof(bindings[0]), SLOTS, (uintptr_t)bindings },
		.out_syncs = { sizeof(contender->out[0]), SYNCS, (uintptr_t)contender->out },
	};
	uint32_t i;
	int ret;

	for (i = 0; i < SLOTS; i++)
		bindings[i] = (struct drm_loom_binding) {
			.slot = i,
			.handle = contender->handles[contender->descending ? SLOTS - 1 - i : i],
		};
	ret = loom_call(contender->fd, DRM_IOCTL_LOOM_SUBMIT, &submit);
	contender->queued += !ret;
	contender->late += ret == -ENOENT;
	if (ret && ret != -ENOENT && !contender->error)
		contender->error = ret;
	/* the first to come here closes what the other is still busy with */
	for (i = 0; i < SLOTS; i++)
		loom_bo_close(contender->fd, contender->handles[i]);
}

static void *contender_thread(void *arg)
{
	struct contender *contender = arg;
	uint32_t round;

	for (round = 0; round < contender->rounds; round++) {
		pthread_barrier_wait(contender->barrier);
		contender_round(contender);
		pthread_barrier_wait(contender->barrier);
	}
	return NULL;
}

TEST_F_TIMEOUT(contend, buffers_closed_while_jobs_lock_them, 120)
{
	uint32_t handles[SLOTS] = {}, rounds = loom_effort(200), round, i, failed = 0;
	struct contender contenders[2];
	pthread_barrier_t barrier;
	pthread_t threads[2];

	ASSERT_EQ(0, pthread_barrier_init(&barrier, NULL, 3));
	for (i = 0; i < 2; i++) {
		contenders[i] = (struct contender) {
			.fd = self->client.fd,
			.plan = self->plan,
			.descending = i,
			.rounds = rounds,
			.handles = handles,
			.barrier = &barrier,
		};
		ASSERT_EQ(0, contender_init(&contenders[i]));
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, contender_thread, &contenders[i]));
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < SLOTS; i++)
			failed += !!loom_bo_create(self->client.fd, SLOT_BYTES,
						   DRM_LOOM_REGION_DRAM, &handles[i]);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, contenders[i].error);
	}
	pthread_barrier_destroy(&barrier);
	EXPECT_EQ(0, failed);
	/* at least the first of each round comes before its buffers are closed */
	EXPECT_LE(rounds, contenders[0].queued + contenders[1].queued);
	TH_LOG("%u rounds: %u and %u queued, %u and %u too late", rounds, contenders[0].queued,
	       contenders[1].queued, contenders[0].late, contenders[1].late);
}

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
