// SPDX-License-Identifier: GPL-2.0
/*
 * Malicious and broken clients. They get errnos, and all others still get a device that works.
 * A VM that runs this must check the log of its kernel.
 */
#include <sys/time.h>

#include "loom_selftest.h"

static uint64_t random_state = 0x10031;

static uint32_t random_below(uint32_t n)
{
	return loom_random_below(&random_state, n);
}

FIXTURE(hostile)
{
	struct loom_client client;
	struct drm_loom_region_info before[DRM_LOOM_REGION_COUNT];
};

FIXTURE_SETUP(hostile)
{
	int fd = loom_open();
	uint32_t i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		ASSERT_EQ(0, loom_query_region(fd, i, &self->before[i]));
	close(fd);
	ASSERT_EQ(0, loom_client_open(&self->client));
}

/* After any test: nothing is left allocated, and the device works. */
FIXTURE_TEARDOWN(hostile)
{
	struct drm_loom_region_info after[DRM_LOOM_REGION_COUNT];
	int64_t until = loom_soon();
	uint32_t i, left;
	int fd;

	loom_client_close(&self->client);
	fd = loom_open();
	ASSERT_GE(fd, 0);
	do {
		left = 0;
		for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
			ASSERT_EQ(0, loom_query_region(fd, i, &after[i]));
			left += after[i].blocks != self->before[i].blocks ||
				after[i].allocated_bytes != self->before[i].allocated_bytes ||
				after[i].scratch_bytes != self->before[i].scratch_bytes;
		}
		if (left)
			usleep(20000);
	} while (left && loom_now_ns() < until);
	EXPECT_EQ(0, left);
	close(fd);
	EXPECT_TRUE(loom_device_works());
}

TEST_F(hostile, ioctls_that_crash_other_accel_nodes)
{
	char name[64] = {};
	struct drm_unique unique = { .unique_len = sizeof(name), .unique = name };
	struct drm_auth auth = {};
	struct drm_set_version version = {};
	struct drm_client client = {};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_GET_UNIQUE, &unique));
		EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_GET_MAGIC, &auth));
		EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_AUTH_MAGIC, &auth));
		EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_SET_VERSION, &version));
		EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_GET_CLIENT, &client));
		EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_SET_MASTER, NULL));
		EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_DROP_MASTER, NULL));
	}
	EXPECT_EQ(0, name[0]);
}

/* Random bytes with some values that are plausible. */
static void fill_garbage(unsigned char *bytes, size_t size, void *valid)
{
	size_t i;

	for (i = 0; i < size; i += 4) {
		uint32_t value;

		switch (random_below(8)) {
		case 0:
		case 1:
		case 2:
			value = 0;
			break;
		case 3:
			value = random_below(4);
			break;
		case 4:
			value = UINT32_MAX;
			break;
		case 5:
			value = 1u << random_below(32);
			break;
		default:
			value = loom_random(&random_state);
		}
		memcpy(bytes + i, &value, 4);
	}
	/* a valid address where the structure has an address */
	for (i = 8; i + 8 <= size && size <= 256; i += 8)
		if (random_below(4) == 0)
			memcpy(bytes + i, &valid, 8);
}

/*
 * Random bytes may ask for a wait. A timer interrupts it by signals, again and again, since the
 * first may come before the wait.
 */
static void on_alarm(int signal)
{
}

static void set_alarm(unsigned int period_us)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval timer = {
		.it_value.tv_usec = period_us, .it_interval.tv_usec = period_us,
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

TEST_F_TIMEOUT(hostile, every_ioctl_number_with_garbage, 240)
{
	static const uint32_t sizes[] = { 0, 4, 8, 16, 24, 32, 40, 64, 88, 256, 16383 };
	static const uint32_t dirs[] = { _IOC_NONE, _IOC_READ, _IOC_WRITE, _IOC_READ | _IOC_WRITE };
	static unsigned char bytes[16384];
	void *target = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	void *const args[] = { NULL, bytes, bytes, bytes, loom_unmapped(), loom_unmapped() - 4,
			       (void *)-1ul };
	unsigned int type, nr, s, a, crashed = 0;
	int fd = loom_open();

	ASSERT_NE(MAP_FAILED, target);
	ASSERT_GE(fd, 0);
	set_alarm(20000);
	for (nr = 0; nr < 256; nr++)
		for (s = 0; s < LOOM_ARRAY_SIZE(sizes); s++)
			for (a = 0; a < LOOM_ARRAY_SIZE(args); a++) {
				uint32_t dir = dirs[random_below(4)];
				int ret;

				fill_garbage(bytes, sizes[s], target);
				ret = ioctl(fd, _IOC(dir, DRM_IOCTL_BASE, nr, sizes[s]), args[a]);
				/* any failure is an errno */
				crashed += ret < -1;
			}
	/* ioctls of another type are not ours */
	for (type = 0; type < 256; type++)
		for (nr = 0; nr < 256; nr += 5) {
			if (type == DRM_IOCTL_BASE)
				continue;
			/* the kernel answers some of these itself, for any file */
			if (type == 'T' || type == 'f' || type == 'X' || type == 0x12 ||
			    type == 0x15 || type == 0x94)
				continue;
			fill_garbage(bytes, 64, target);
			EXPECT_EQ(-1, ioctl(fd, _IOC(_IOC_WRITE, type, nr, 64), bytes));
			EXPECT_EQ(ENOTTY, errno);
		}
	set_alarm(0);
	EXPECT_EQ(0, crashed);
	close(fd);
}

/* All ioctls that take a structure by a pointer. */
static const unsigned long commands[] = {
	DRM_IOCTL_LOOM_QUERY, DRM_IOCTL_LOOM_BO_CREATE, DRM_IOCTL_LOOM_BO_INFO,
	DRM_IOCTL_LOOM_BO_WAIT, DRM_IOCTL_LOOM_PLAN_CREATE, DRM_IOCTL_LOOM_PLAN_DESTROY,
	DRM_IOCTL_LOOM_SUBMIT, DRM_IOCTL_LOOM_CONTEXT_CREATE, DRM_IOCTL_LOOM_CONTEXT_DESTROY,
	DRM_IOCTL_LOOM_CONTEXT_QUERY, DRM_IOCTL_LOOM_BO_READ, DRM_IOCTL_LOOM_BO_WRITE,
	DRM_IOCTL_LOOM_BO_LABEL, DRM_IOCTL_LOOM_BO_SEAL,
};

/* Numbers at limits, or near them. */
static uint64_t guess(void *memory)
{
	static const uint64_t edges[] = { 0, 1, 2, 3, 4, 63, 64, 65, 4095, 4096, 1 << 20, INT32_MAX,
					  UINT32_MAX, 1ULL << 32, INT64_MAX, UINT64_MAX };

	switch (random_below(4)) {
	case 0:
		return edges[random_below(LOOM_ARRAY_SIZE(edges))];
	case 1:
		return random_below(16);
	case 2:
		return (uintptr_t)memory;
	}
	return loom_random(&random_state);
}

/* Each ioctl with its own size, or any; random buffers are closed at times. */
TEST_F_TIMEOUT(hostile, random_arguments, 120)
{
	uint64_t words[32], *memory = (void *)(loom_unmapped() - LOOM_PAGE), max_size = 1 << 20;
	int fd = loom_open();
	uint32_t i, j;

	ASSERT_GE(fd, 0);
	for (i = 0; i < loom_effort(60000); i++) {
		unsigned long cmd = commands[random_below(LOOM_ARRAY_SIZE(commands))];

		for (j = 0; j < 32; j++)
			words[j] = random_below(3) ? 0 : guess(memory);
		for (j = 0; j < 8; j++)
			memory[random_below(512)] = guess(memory);
		if (random_below(8) == 0)
			cmd = DRM_IOWR(DRM_COMMAND_BASE + random_below(16), uint64_t[32]);
		/* long waits and large sizes are valid, but would only take time */
		if (_IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_LOOM_BO_WAIT)
			words[1] = 0;
		if (_IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_LOOM_BO_CREATE && words[0] < 1ULL << 40)
			words[0] %= max_size;
		EXPECT_GE(0, loom_call(fd, cmd, words));
		if (random_below(4) == 0)
			loom_bo_close(fd, random_below(64));
	}
	close(fd);
}

TEST_F(hostile, no_memory_at_the_pointer)
{
	uint32_t i, size;
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, munmap(page + 4096, 4096));
	for (i = 0; i < LOOM_ARRAY_SIZE(commands); i++) {
		size = _IOC_SIZE(commands[i]);
		EXPECT_EQ(-EFAULT, loom_call(self->client.fd, commands[i], NULL));
		EXPECT_EQ(-EFAULT, loom_call(self->client.fd, commands[i], (void *)-4096L));
		/* the last word of the structure is not mapped */
		EXPECT_EQ(-EFAULT, loom_call(self->client.fd, commands[i], page + 4096 - size + 8));
	}
	/* it may be read, but not written */
	ASSERT_EQ(0, mprotect(page, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, loom_call(self->client.fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, page));
}

TEST_F(hostile, arrays_of_syncobjs_past_all_measure)
{
	static const uint32_t counts[] = {
		1025, 1u << 20, 1u << 24, 1u << 28, 1u << 30, UINT32_MAX
	};
	uint32_t handle = loom_sync_create(self->client.fd, 0);
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(counts); i++) {
		struct drm_syncobj_wait wait = {
			.handles = (uintptr_t)&handle, .count_handles = counts[i],
		};
		struct drm_syncobj_timeline_wait timeline = {
			.handles = (uintptr_t)&handle, .count_handles = counts[i],
		};
		struct drm_syncobj_array array = {
			.handles = (uintptr_t)&handle, .count_handles = counts[i],
		};
		struct drm_syncobj_timeline_array points = {
			.handles = (uintptr_t)&handle, .count_handles = counts[i],
		};

		EXPECT_EQ(-E2BIG, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_WAIT, &wait));
		EXPECT_EQ(-E2BIG, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
					    &timeline));
		EXPECT_EQ(-E2BIG, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_RESET, &array));
		EXPECT_EQ(-E2BIG, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_SIGNAL, &array));
		EXPECT_EQ(-E2BIG, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_QUERY, &points));
		EXPECT_EQ(-E2BIG, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL,
					    &points));
	}
}

TEST_F(hostile, an_array_of_a_thousand_syncobjs)
{
	uint32_t handles[1024], i;
	struct drm_syncobj_wait wait = {
		.handles = (uintptr_t)handles,
		.count_handles = LOOM_ARRAY_SIZE(handles),
		.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
	};
	/* a structure that ends before the count: there are no fences to wait for */
	unsigned long shorter = DRM_IOWR(0xc3, uint64_t[2]);

	for (i = 0; i < LOOM_ARRAY_SIZE(handles); i++)
		handles[i] = loom_sync_create(self->client.fd, DRM_SYNCOBJ_CREATE_SIGNALED);
	EXPECT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_SYNCOBJ_WAIT, &wait));
	EXPECT_EQ(0, loom_call(self->client.fd, shorter, &wait));
}

TEST_F(hostile, the_other_calls_of_a_file)
{
	uint64_t offset;
	char text[4096];
	struct pollfd poll_fd = { .fd = self->client.fd, .events = POLLIN | POLLOUT };
	int flags = fcntl(self->client.fd, F_GETFL);

	ASSERT_EQ(0, fcntl(self->client.fd, F_SETFL, flags | O_NONBLOCK));
	EXPECT_EQ(-1, read(self->client.fd, text, sizeof(text)));
	EXPECT_EQ(-1, write(self->client.fd, text, sizeof(text)));
	EXPECT_EQ(-1, pread(self->client.fd, text, 1, UINT32_MAX));
	EXPECT_LE(0, poll(&poll_fd, 1, 0));
	lseek(self->client.fd, 1ll << 40, SEEK_SET);
	EXPECT_EQ(-1, ftruncate(self->client.fd, 0));
	EXPECT_EQ(0, isatty(self->client.fd));
	for (offset = 0; offset < 1ull << 63; offset = offset ? offset * 2 : LOOM_PAGE) {
		void *map = mmap(NULL, LOOM_PAGE, PROT_READ, MAP_SHARED, self->client.fd, offset);

		/* only offsets that BO_INFO gave out can be mapped, and this is none */
		if (map != MAP_FAILED)
			munmap(map, LOOM_PAGE);
	}
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 1ull << 40, PROT_READ, MAP_SHARED, self->client.fd, 0));
	ASSERT_EQ(0, loom_read_fdinfo(self->client.fd, text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "drm-driver:\tloom"));
}

/* ------------------------------------------------------------- sudden ends */

static int closed_fence(struct __test_metadata *_metadata, struct loom_client *client,
			uint32_t jobs, int *keeper)
{
	struct drm_syncobj_handle handle = {};
	uint32_t plan = loom_client_plan_endless(client);

	handle.handle = loom_sync_create(client->fd, 0);
	*keeper = loom_open();
	ASSERT_GE(*keeper, 0);
	ASSERT_NE(0, plan);
	while (jobs--)
		ASSERT_EQ(0, loom_client_run(client, plan, 2, handle.handle));
	ASSERT_EQ(0, loom_call(client->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &handle));
	ASSERT_EQ(0, loom_call(*keeper, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &handle));
	close(handle.fd);
	return handle.handle;
}

TEST_F_TIMEOUT(hostile, closing_in_a_job, 120)
{
	uint32_t jobs, fence;
	int keeper;

	for (jobs = 1; jobs <= 16; jobs *= 4) {
		struct loom_client client;

		ASSERT_EQ(0, loom_client_open(&client));
		fence = closed_fence(_metadata, &client, jobs, &keeper);
		if (jobs > 1)
			usleep(20000);
		close(client.fd);
		/* others that wait for its fence are woken */
		EXPECT_EQ(0, loom_sync_wait(keeper, fence, loom_soon()));
		close(keeper);
	}
}

TEST_F_TIMEOUT(hostile, a_mapping_keeps_the_file_and_its_jobs, 120)
{
	struct loom_client client;
	uint32_t fence;
	int keeper;
	void *map;

	ASSERT_EQ(0, loom_client_open(&client));
	map = loom_bo_map(client.fd, client.in, client.bytes);
	ASSERT_NE(MAP_FAILED, map);
	fence = closed_fence(_metadata, &client, 1, &keeper);
	close(client.fd);
	EXPECT_EQ(-ETIME, loom_sync_wait(keeper, fence, loom_now_ns() + LOOM_SECOND_NS));
	munmap(map, client.bytes);
	EXPECT_EQ(0, loom_sync_wait(keeper, fence, loom_soon()));
	close(keeper);
}

/* Many short jobs, so that the file is often closed just when the scheduler takes the next one. */
TEST_F_TIMEOUT(hostile, closing_with_a_long_queue, 180)
{
	uint32_t round, i;

	for (round = 0; round < loom_effort(150); round++) {
		struct loom_client client;
		uint32_t plan;

		ASSERT_EQ(0, loom_client_open(&client));
		plan = loom_client_plan_null(&client);
		ASSERT_NE(0, plan);
		for (i = 0; i < 30 + round; i++)
			ASSERT_EQ(0, loom_client_run(&client, plan, 0, 0));
		loom_client_close(&client);
	}
}

/* A child that queues more jobs than it will live to see end, and has the engine. */
static pid_t spawn_with_jobs(uint32_t jobs)
{
	int pipefd[2];
	pid_t child;
	char byte;

	if (pipe(pipefd))
		return -1;
	child = loom_fork();
	if (!child) {
		int64_t end = loom_soon();
		struct loom_client client;
		uint32_t plan;

		if (loom_client_open(&client))
			_exit(1);
		plan = loom_client_plan_endless(&client);
		while (jobs--)
			if (!plan || loom_client_run(&client, plan, 2, 0))
				_exit(2);
		while (loom_engine_ns(client.fd) <= 0 && loom_now_ns() < end)
			usleep(1000);
		if (loom_engine_ns(client.fd) <= 0 || write(pipefd[1], "x", 1) != 1)
			_exit(3);
		/* it is in a wait when the signal comes */
		loom_bo_wait(client.fd, client.out, INT64_MAX);
		_exit(4);
	}
	close(pipefd[1]);
	if (read(pipefd[0], &byte, 1) != 1)
		child = -1;
	close(pipefd[0]);
	return child;
}

TEST_F_TIMEOUT(hostile, killed_in_a_job, 180)
{
	uint32_t round;

	for (round = 0; round < 5; round++) {
		pid_t child = spawn_with_jobs(1 + 3 * round);
		int status;

		ASSERT_GT(child, 0);
		usleep(30000 * round);
		ASSERT_EQ(0, kill(child, SIGKILL));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_TRUE(loom_device_works());
	}
}

/* ------------------------------------------------------------- at once */

/* Runs jobs with inputs of its own and checks each result. Return: number of wrong ones. */
static int work_alone(uint32_t seed, uint32_t rounds)
{
	struct loom_client client;
	uint32_t plan, round, wrong = 0;
	uint64_t count, i;
	float *in, *out;

	if (loom_client_open(&client))
		return 100;
	count = client.bytes / sizeof(float);
	plan = loom_client_plan_unary(&client, DRM_LOOM_UNARY_ABS);
	in = loom_bo_map(client.fd, client.in, client.bytes);
	out = loom_bo_map(client.fd, client.out, client.bytes);
	if (!plan || in == MAP_FAILED || out == MAP_FAILED)
		return 100;
	for (round = 0; round < rounds; round++) {
		float bias = (float)(seed * 1000 + round);

		for (i = 0; i < count; i++)
			in[i] = -(bias + (float)(i & 1023));
		if (loom_client_run(&client, plan, 2, 0) ||
		    loom_bo_wait(client.fd, client.out, loom_soon()))
			return 100;
		for (i = 0; i < count; i++)
			if (out[i] != bias + (float)(i & 1023)) {
				wrong++;
				break;
			}
	}
	loom_client_close(&client);
	return wrong;
}

struct racer {
	struct loom_client client;
	uint32_t plan;
	int64_t until_ns;
	uint32_t seed;
	uint32_t odd;
};

static bool is_expected(int ret)
{
	/* EDQUOT: contexts of the file; ETIME: waits */
	return !ret || ret == -ENOENT || ret == -EINVAL || ret == -ENOSPC || ret == -EBUSY ||
	       ret == -ENOMEM || ret == -EDQUOT || ret == -ETIME;
}

/* Creates, uses and destroys objects by handles that another thread uses, too. */
static void *race(void *data)
{
	struct racer *racer = data;
	uint32_t state = racer->seed;
	int fd = racer->client.fd;

	while (loom_now_ns() < racer->until_ns) {
		struct drm_loom_bo_info info;
		struct drm_loom_context_query query;
		struct loom_client client = racer->client;
		struct loom_job job;
		uint32_t id, pick, number;
		float *map;
		int ret = 0;

		state = state * 1664525 + 1013904223;
		pick = state >> 24;
		number = 1 + ((state >> 12) & 15);
		switch (pick % 13) {
		case 0:
			ret = loom_bo_create(fd, client.bytes, DRM_LOOM_REGION_DRAM, &id);
			break;
		case 1:
			ret = loom_bo_close(fd, number);
			break;
		case 2:
			ret = loom_bo_info(fd, number, &info);
			break;
		case 3:
			ret = loom_context_create(fd, pick & 1, &id);
			break;
		case 4:
			ret = loom_context_destroy(fd, number);
			break;
		case 5:
			ret = loom_context_query(fd, number, &query);
			break;
		case 6:
			id = loom_client_plan_unary(&client, DRM_LOOM_UNARY_NEG);
			break;
		case 7:
			ret = loom_plan_destroy(fd, number);
			break;
		case 8:
			id = loom_sync_create(fd, 0);
			ret = loom_sync_destroy(fd, number);
			break;
		case 9:
			ret = loom_bo_create(fd, 64, DRM_LOOM_REGION_SRAM, &id);
			if (!ret)
				loom_bo_close(fd, id);
			break;
		case 10:
			ret = loom_bo_wait(fd, number, pick & 1 ? 0 : loom_now_ns() + LOOM_MSEC_NS);
			break;
		case 11:
			map = loom_bo_map(fd, number, LOOM_PAGE);
			if (map != MAP_FAILED) {
				*map = 1;
				munmap(map, LOOM_PAGE);
			}
			break;
		default:
			client.context = number;
			loom_job_init(&job, &client, 1 + (state & 15), 2, 1 + (pick & 7));
			job.bindings[0].handle = 1 + ((state >> 4) & 15);
			job.bindings[1].handle = 1 + ((state >> 8) & 15);
			job.in.handle = 1 + (number & 7);
			job.args.in_syncs.count = state >> 20 & 1;
			ret = loom_job_submit(fd, &job);
		}
		racer->odd += !is_expected(ret);
	}
	return NULL;
}

/* Four threads race on a file. Return: answers that should not be. */
static uint32_t race_all(const struct loom_client *client, uint32_t seed, int64_t ns)
{
	struct racer racers[4];
	pthread_t threads[4];
	uint32_t odd = 0, i;

	for (i = 0; i < 4; i++) {
		racers[i] = (struct racer) {
			.client = *client,
			.until_ns = loom_now_ns() + ns,
			.seed = 77 * (seed + i),
		};
		if (pthread_create(&threads[i], NULL, race, &racers[i]))
			exit(KSFT_FAIL);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		odd += racers[i].odd;
	}
	return odd;
}

TEST_F_TIMEOUT(hostile, threads_that_pull_the_rug_from_each_other, 120)
{
	EXPECT_EQ(0, race_all(&self->client, 1, 8 * LOOM_SECOND_NS));
}

TEST_F_TIMEOUT(hostile, killed_in_a_race, 120)
{
	pid_t children[4] = {};
	uint32_t i;

	for (i = 0; i < loom_effort(40) + 4; i++) {
		pid_t *child = &children[i % 4];

		if (*child) {
			usleep(random_below(60000));
			ASSERT_EQ(0, kill(*child, SIGKILL));
			ASSERT_EQ(*child, waitpid(*child, NULL, 0));
			*child = 0;
		}
		if (i >= loom_effort(40))
			continue;
		*child = loom_fork();
		ASSERT_GE(*child, 0);
		if (!*child) {
			struct loom_client client;

			if (!loom_client_open(&client))
				race_all(&client, i, 10 * LOOM_SECOND_NS);
			_exit(0);
		}
	}
}

static void *close_soon(void *data)
{
	usleep(1000 + random_below(20000));
	close(*(int *)data);
	return NULL;
}

TEST_F_TIMEOUT(hostile, closing_under_an_ioctl, 120)
{
	unsigned int round;

	for (round = 0; round < 30; round++) {
		struct loom_client client;
		pthread_t thread;
		uint32_t plan;
		int fd;

		ASSERT_EQ(0, loom_client_open(&client));
		plan = loom_client_plan_unary(&client, DRM_LOOM_UNARY_ABS);
		fd = client.fd;
		ASSERT_EQ(0, pthread_create(&thread, NULL, close_soon, &fd));
		/* until the thread has closed the file */
		while (loom_client_run(&client, plan, 2, 0) != -EBADF)
			;
		pthread_join(thread, NULL);
	}
}

TEST_F_TIMEOUT(hostile, a_fork_bomb_of_clients, 120)
{
	pid_t children[16];
	unsigned int i;
	int status;

	for (i = 0; i < LOOM_ARRAY_SIZE(children); i++) {
		children[i] = loom_fork();
		ASSERT_GE(children[i], 0);
		if (!children[i]) {
			/* half of them end as they should */
			if (i % 2)
				_exit(work_alone(i, 3));
			work_alone(i, 1);
			kill(getpid(), SIGKILL);
		}
	}
	for (i = 0; i < LOOM_ARRAY_SIZE(children); i++) {
		ASSERT_EQ(children[i], waitpid(children[i], &status, 0));
		EXPECT_EQ(i % 2 == 0, WIFSIGNALED(status));
		EXPECT_TRUE(WIFSIGNALED(status) || status == 0);
	}
}
