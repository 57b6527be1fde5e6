// SPDX-License-Identifier: GPL-2.0
/*
 * Caps: on the bytes of buffers and of plans, of the device and of a file, and on the contexts and
 * jobs of a file: exact, given back when what was counted goes.
 */
#include "loom_selftest.h"

#define PARAMETERS	"/sys/module/loom/parameters/"
#define BYTES		(16 * LOOM_PAGE)

/* With what is set while a test runs, where that is not "no cap". */
static const char *const caps[] = {
	"max_bytes", "max_file_bytes", "max_plans_bytes", "max_file_plans_bytes", "max_file_jobs",
	"max_file_contexts",
};

FIXTURE(caps)
{
	int fd, other;
	bool set;
	uint64_t before[LOOM_ARRAY_SIZE(caps)];
};

static int cap_set(const char *name, uint64_t cap)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)cap);
	return loom_write_file(path, text);
}

static int cap_get(const char *name, uint64_t *cap)
{
	unsigned long long value;
	char path[128];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	ret = fscanf(file, "%llu", &value) == 1 ? 0 : -EIO;
	fclose(file);
	*cap = value;
	return ret;
}

static int caps_set(uint64_t device, uint64_t file)
{
	return cap_set("max_bytes", device) ?: cap_set("max_file_bytes", file);
}

FIXTURE_SETUP(caps)
{
	struct drm_loom_device_info info;
	unsigned int i;

	self->set = false;
	self->fd = loom_open();
	ASSERT_GE(self->fd, 0);
	self->other = loom_open();
	ASSERT_GE(self->other, 0);
	ASSERT_EQ(0, loom_query_device(self->fd, &info));
	if (info.bo_bytes || info.plans_bytes)
		SKIP(return, "somebody else uses the device");
	for (i = 0; i < LOOM_ARRAY_SIZE(caps); i++)
		if (cap_get(caps[i], &self->before[i]) || cap_set(caps[i], self->before[i]))
			SKIP(return, "not allowed to set caps");
	self->set = true;
	for (i = 0; i < LOOM_ARRAY_SIZE(caps); i++)
		ASSERT_EQ(0, cap_set(caps[i], 0));
}

FIXTURE_TEARDOWN(caps)
{
	unsigned int i;

	if (self->fd < 0)
		return;
	close(self->fd);
	close(self->other);
	for (i = 0; self->set && i < LOOM_ARRAY_SIZE(caps); i++)
		EXPECT_EQ(0, cap_set(caps[i], self->before[i]));
}

static uint64_t used(int fd, bool file)
{
	struct drm_loom_device_info info;

	if (loom_query_device(fd, &info))
		return UINT64_MAX;
	return file ? info.file_bo_bytes : info.bo_bytes;
}

TEST_F(caps, are_reported)
{
	struct drm_loom_device_info info;
	uint32_t a, b;

	ASSERT_EQ(0, caps_set(7 * BYTES, 3 * BYTES));
	ASSERT_EQ(0, loom_bo_create(self->fd, BYTES, DRM_LOOM_REGION_DRAM, &a));
	/* counted in pages in every region */
	ASSERT_EQ(0, loom_bo_create(self->other, 1, DRM_LOOM_REGION_SRAM, &b));
	ASSERT_EQ(0, loom_query_device(self->fd, &info));
	EXPECT_EQ(7 * BYTES, info.max_bo_bytes);
	EXPECT_EQ(3 * BYTES, info.max_file_bo_bytes);
	EXPECT_EQ(BYTES, info.file_bo_bytes);
	EXPECT_EQ(BYTES + LOOM_PAGE, info.bo_bytes);
	ASSERT_EQ(0, loom_bo_close(self->fd, a));
	EXPECT_EQ(0, used(self->fd, true));
	EXPECT_EQ(LOOM_PAGE, used(self->fd, false));
	EXPECT_EQ(LOOM_PAGE, used(self->other, true));
}

TEST_F(caps, of_a_file_are_its_own_and_exact)
{
	uint32_t a, b, c;

	ASSERT_EQ(0, caps_set(0, 2 * BYTES));
	ASSERT_EQ(0, loom_bo_create(self->fd, BYTES, DRM_LOOM_REGION_DRAM, &a));
	EXPECT_EQ(-EDQUOT, loom_bo_create(self->fd, BYTES + 1, DRM_LOOM_REGION_DRAM, &b));
	EXPECT_EQ(0, b);
	EXPECT_EQ(BYTES, used(self->fd, true));
	EXPECT_EQ(BYTES, used(self->fd, false));
	ASSERT_EQ(0, loom_bo_create(self->fd, BYTES, DRM_LOOM_REGION_DRAM, &b));
	EXPECT_EQ(-EDQUOT, loom_bo_create(self->fd, 1, DRM_LOOM_REGION_SRAM, &c));
	ASSERT_EQ(0, loom_bo_create(self->other, 2 * BYTES, DRM_LOOM_REGION_DRAM, &c));
	EXPECT_EQ(-EDQUOT, loom_bo_create(self->other, 1, DRM_LOOM_REGION_DRAM, &c));
	ASSERT_EQ(0, loom_bo_close(self->fd, a));
	EXPECT_EQ(0, loom_bo_create(self->fd, BYTES, DRM_LOOM_REGION_DRAM, &a));
	/* a request that is invalid for another reason is refused with that errno */
	EXPECT_EQ(-ENOSPC, loom_bo_create(self->fd, 1ull << 62, DRM_LOOM_REGION_DRAM, &c));
	EXPECT_EQ(-EINVAL, loom_bo_create(self->fd, 0, DRM_LOOM_REGION_DRAM, &c));
	/* and is not charged */
	EXPECT_EQ(2 * BYTES, used(self->fd, true));
	EXPECT_EQ(4 * BYTES, used(self->fd, false));
}

TEST_F(caps, of_the_device_are_shared)
{
	uint32_t a, b;

	ASSERT_EQ(0, caps_set(2 * BYTES, 0));
	ASSERT_EQ(0, loom_bo_create(self->fd, BYTES, DRM_LOOM_REGION_DRAM, &a));
	ASSERT_EQ(0, loom_bo_create(self->other, BYTES, DRM_LOOM_REGION_DRAM, &b));
	EXPECT_EQ(-EDQUOT, loom_bo_create(self->other, 1, DRM_LOOM_REGION_DRAM, &b));
	EXPECT_EQ(-EDQUOT, loom_bo_create(self->fd, 1, DRM_LOOM_REGION_DRAM, &b));
	/* the file was not charged for what the device refused */
	EXPECT_EQ(BYTES, used(self->fd, true));
	/* buffers stay when the cap is set below what they take */
	ASSERT_EQ(0, caps_set(1, 1));
	EXPECT_EQ(2 * BYTES, used(self->fd, false));
	ASSERT_EQ(0, loom_bo_close(self->fd, a));
	EXPECT_EQ(-EDQUOT, loom_bo_create(self->fd, 1, DRM_LOOM_REGION_DRAM, &a));
	ASSERT_EQ(0, caps_set(0, 0));
	EXPECT_EQ(0, loom_bo_create(self->fd, BYTES, DRM_LOOM_REGION_DRAM, &a));
}

/* The host's memory is the same for all of them. */
TEST_F(caps, all_devices_share_one)
{
	char name[32];
	uint32_t a, b;
	int fd;

	snprintf(name, sizeof(name), "caps-%d", getpid());
	if (!config_is_there() || config_make(name))
		SKIP(return, "no devices in configfs");
	EXPECT_EQ(0, config_set(name, "live", 1));
	fd = config_open(name);
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, caps_set(2 * BYTES, 0));
	EXPECT_EQ(0, loom_bo_create(self->fd, BYTES, DRM_LOOM_REGION_DRAM, &a));
	EXPECT_EQ(0, loom_bo_create(fd, BYTES, DRM_LOOM_REGION_DRAM, &b));
	EXPECT_EQ(-EDQUOT, loom_bo_create(fd, 1, DRM_LOOM_REGION_DRAM, &b));
	EXPECT_EQ(-EDQUOT, loom_bo_create(self->fd, 1, DRM_LOOM_REGION_DRAM, &b));
	/* neither file nor device was charged for what was refused */
	EXPECT_EQ(BYTES, used(fd, true));
	EXPECT_EQ(BYTES, used(fd, false));
	EXPECT_EQ(0, loom_bo_close(self->fd, a));
	EXPECT_EQ(0, loom_bo_create(fd, BYTES, DRM_LOOM_REGION_DRAM, &b));
	close(fd);
	EXPECT_EQ(0, config_remove(name));
}

/* Whatever the caps are, a buffer is refused that would leave the host less. */
TEST_F_TIMEOUT(caps, an_eighth_of_the_memory_is_left, 120)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
	uint32_t handle;
	int ret;

	if (loom_effort(100) < 100)
		SKIP(return, "filling memory takes minutes on an instrumented kernel");
	do {
		ret = loom_bo_create(self->fd, 32 << 20, DRM_LOOM_REGION_DRAM, &handle);
	} while (!ret && loom_available_bytes() > memory / 16);
	if (ret == -ENOSPC)
		SKIP(return, "a small device");
	EXPECT_EQ(-ENOMEM, ret);
	EXPECT_LT(memory / 10, loom_available_bytes());
}

/* ----------------------------------------------------------- control group */

#define GROUPS		"/tmp/loom-groups"
#define GROUP		GROUPS "/loom-caps"
#define GROUP_BYTES	(32ull << 20)

/* In the group. Return: bytes of buffers until one was refused, in MiB, or 0. */
static int fill_group(void)
{
	struct drm_loom_bo_create args = { .size = 4 << 20 };
	int fd, mib = 0;

	if (loom_write_file(GROUP "/cgroup.procs", "0"))
		return 0;
	fd = loom_open();
	while (fd >= 0 && mib < 250) {
		struct drm_loom_bo_create one = args;

		if (loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &one))
			break;
		mib += args.size >> 20;
	}
	return mib;
}

/* The pages of buffers are the group's memory, and its limit refuses them without a kill. */
TEST_F(caps, a_control_group_is_charged_for_pages)
{
	int status = -1;
	pid_t child;

	if (loom_is_own(self->fd, DRM_LOOM_REGION_DRAM))
		SKIP(return, "memory of its own, which the dmem controller charges");
	mkdir(GROUPS, 0755);
	if (mount("none", GROUPS, "cgroup2", 0, NULL))
		SKIP(return, "no control groups");
	loom_write_file(GROUPS "/cgroup.subtree_control", "+memory");
	if (mkdir(GROUP, 0755) || loom_write_file(GROUP "/memory.max", "33554432")) {
		rmdir(GROUP);
		umount(GROUPS);
		SKIP(return, "no memory controller");
	}
	child = loom_fork();
	if (!child)
		_exit(fill_group());
	EXPECT_LT(0, child);
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status)) TH_LOG("status %#x", status);
	TH_LOG("%d MiB of buffers in a group of 32 MiB", WEXITSTATUS(status));
	EXPECT_LE(8, WEXITSTATUS(status));
	EXPECT_GE(GROUP_BYTES >> 20, WEXITSTATUS(status));
	rmdir(GROUP);
	umount(GROUPS);
}

TEST_F(caps, who_made_a_buffer_is_charged_as_long_as_it_is_used)
{
	struct drm_prime_handle prime = { .flags = DRM_RDWR | DRM_CLOEXEC };

	ASSERT_EQ(0, loom_bo_create(self->other, BYTES, DRM_LOOM_REGION_DRAM, &prime.handle));
	ASSERT_EQ(0, loom_call(self->other, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	close(prime.fd);
	EXPECT_EQ(0, used(self->fd, true));
	EXPECT_EQ(BYTES, used(self->other, true));
	EXPECT_EQ(BYTES, used(self->fd, false));
	close(self->other);
	self->other = loom_open();
	EXPECT_EQ(BYTES, used(self->fd, false));
	EXPECT_EQ(0, used(self->fd, true));
	ASSERT_EQ(0, loom_bo_close(self->fd, prime.handle));
	EXPECT_EQ(0, used(self->fd, false));
}

TEST_F(caps, who_is_killed_gives_all_back)
{
	int pipefd[2], status;
	int64_t end = loom_soon();
	uint32_t handle;
	char byte;
	pid_t child;

	ASSERT_EQ(0, pipe(pipefd));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		int fd = loom_open(), i;
		void *map = NULL;

		for (i = 0; i < 8; i++) {
			/* a file's share in the SRAM may be one such buffer */
			if (loom_bo_create(fd, LOOM_PAGE, !i, &handle))
				_exit(1);
			map = loom_bo_map(fd, handle, LOOM_PAGE);
		}
		if (map == MAP_FAILED || write(pipefd[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	close(pipefd[1]);
	ASSERT_EQ(1, read(pipefd[0], &byte, 1));
	EXPECT_EQ(8 * LOOM_PAGE, used(self->fd, false));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	while (used(self->fd, false) && loom_now_ns() < end)
		usleep(1000);
	EXPECT_EQ(0, used(self->fd, false));
}

/* Threads that allocate at the same time never get more than the cap. */
static void *take(void *data)
{
	int fd = *(int *)data;
	uint32_t handle, i;

	for (i = 0; i < 64; i++)
		loom_bo_create(fd, LOOM_PAGE, DRM_LOOM_REGION_DRAM, &handle);
	return NULL;
}

TEST_F(caps, are_exact_with_many_at_once)
{
	pthread_t threads[4];
	uint32_t i;

	ASSERT_EQ(0, caps_set(100 * LOOM_PAGE, 0));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, take,
					    i & 1 ? &self->fd : &self->other));
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(100 * LOOM_PAGE, used(self->fd, false));
	EXPECT_EQ(100 * LOOM_PAGE, used(self->fd, true) + used(self->other, true));
}

/* As the module was loaded, if nobody has set others since. */
TEST_F(caps, are_on_by_default)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(caps); i++)
		EXPECT_NE(0, self->before[i]);
	/* the kernel's count of memory when the module is loaded may differ by a little */
	EXPECT_LT(memory / 2 - memory / 16, self->before[0]);
	EXPECT_GT(memory / 2 + memory / 16, self->before[0]);
	EXPECT_GT(self->before[0], self->before[1]);
	EXPECT_GT(self->before[0], self->before[2]);
	EXPECT_GT(self->before[2], self->before[3]);
}

/* Half of the memory, three eighths, a quarter and an eighth. */
TEST_F(caps, are_so_many_eighths_of_the_memory)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
	uint64_t eighth = self->before[3];

	EXPECT_LT(memory / 8 - memory / 128, eighth);
	EXPECT_GT(memory / 8 + memory / 128, eighth);
	EXPECT_EQ(4 * eighth, self->before[0]);
	EXPECT_EQ(3 * eighth, self->before[1]);
	EXPECT_EQ(2 * eighth, self->before[2]);
}

static struct drm_loom_device_info info_of(int fd)
{
	struct drm_loom_device_info info = {};

	loom_query_device(fd, &info);
	return info;
}

static int plan_create(int fd, uint32_t *plan)
{
	uint64_t size;
	void *blob = loom_plan_blob_unary(info_of(fd).lanes, DRM_LOOM_UNARY_ABS, &size);
	int ret = loom_plan_create(fd, blob, size, NULL, plan);

	free(blob);
	return ret;
}

/* The smallest cap with which a plan can be made: it counts while it is verified, too. */
static uint64_t plan_need(struct __test_metadata *_metadata, const char *cap, int fd)
{
	uint64_t low = 0, high = 1 << 24, used = info_of(fd).plans_bytes;
	uint32_t plan;
	int ret;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		EXPECT_EQ(0, cap_set(cap, middle));
		ret = plan_create(fd, &plan);
		if (!ret) {
			EXPECT_EQ(0, loom_plan_destroy(fd, plan));
			high = middle;
		} else {
			EXPECT_EQ(-EDQUOT, ret);
			low = middle;
		}
		EXPECT_EQ(used, info_of(fd).plans_bytes);
	}
	return high;
}

TEST_F(caps, of_plans_are_exact)
{
	uint64_t need, kept;
	uint32_t a, b, c;

	need = plan_need(_metadata, "max_file_plans_bytes", self->fd);
	ASSERT_EQ(0, cap_set("max_file_plans_bytes", need));
	EXPECT_EQ(need, info_of(self->fd).max_file_plans_bytes);
	ASSERT_EQ(0, plan_create(self->fd, &a));
	kept = info_of(self->fd).file_plans_bytes;
	EXPECT_LT(0, kept);
	EXPECT_GT(need, kept);
	EXPECT_EQ(kept, info_of(self->fd).plans_bytes);
	/* the second one needs room for itself beside the first */
	EXPECT_EQ(-EDQUOT, plan_create(self->fd, &b));
	EXPECT_EQ(0, b);
	EXPECT_EQ(kept, info_of(self->fd).file_plans_bytes);
	ASSERT_EQ(0, cap_set("max_file_plans_bytes", need + kept - 1));
	EXPECT_EQ(-EDQUOT, plan_create(self->fd, &b));
	ASSERT_EQ(0, cap_set("max_file_plans_bytes", need + kept));
	ASSERT_EQ(0, plan_create(self->fd, &b));
	EXPECT_EQ(-EDQUOT, plan_create(self->fd, &c));
	/* others have their own */
	ASSERT_EQ(0, plan_create(self->other, &c));
	EXPECT_EQ(kept, info_of(self->other).file_plans_bytes);
	EXPECT_EQ(3 * kept, info_of(self->other).plans_bytes);
	ASSERT_EQ(0, loom_plan_destroy(self->fd, a));
	EXPECT_EQ(kept, info_of(self->fd).file_plans_bytes);
	ASSERT_EQ(0, plan_create(self->fd, &a));
	/* closed without destroying them */
	close(self->fd);
	self->fd = loom_open();
	EXPECT_EQ(kept, info_of(self->fd).plans_bytes);
}

TEST_F(caps, of_plans_of_the_device_are_shared)
{
	uint32_t a, b;
	uint64_t need, kept;

	need = plan_need(_metadata, "max_plans_bytes", self->fd);
	ASSERT_EQ(0, cap_set("max_plans_bytes", need));
	ASSERT_EQ(0, plan_create(self->fd, &a));
	kept = info_of(self->fd).plans_bytes;
	ASSERT_EQ(0, cap_set("max_plans_bytes", need + kept - 1));
	EXPECT_EQ(-EDQUOT, plan_create(self->other, &b));
	/* the file was not charged for what the device refused */
	EXPECT_EQ(0, info_of(self->other).file_plans_bytes);
	ASSERT_EQ(0, cap_set("max_plans_bytes", need + kept));
	EXPECT_EQ(0, plan_create(self->other, &b));
}

TEST_F(caps, of_contexts_are_exact)
{
	uint32_t context[3], more, i;

	ASSERT_EQ(0, cap_set("max_file_contexts", 3));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, loom_context_create(self->fd, DRM_LOOM_PRIORITY_NORMAL, &context[i]));
	EXPECT_EQ(-EDQUOT, loom_context_create(self->fd, DRM_LOOM_PRIORITY_NORMAL, &more));
	EXPECT_EQ(0, more);
	EXPECT_EQ(3, info_of(self->fd).file_contexts);
	EXPECT_EQ(3, info_of(self->fd).max_file_contexts);
	EXPECT_EQ(0, loom_context_create(self->other, DRM_LOOM_PRIORITY_NORMAL, &more));
	ASSERT_EQ(0, loom_context_destroy(self->fd, context[1]));
	EXPECT_EQ(2, info_of(self->fd).file_contexts);
	EXPECT_EQ(0, loom_context_create(self->fd, DRM_LOOM_PRIORITY_NORMAL, &more));
	EXPECT_EQ(-EDQUOT, loom_context_create(self->fd, DRM_LOOM_PRIORITY_NORMAL, &more));
}

TEST_F_TIMEOUT(caps, of_jobs_are_exact, 120)
{
	struct loom_client client, other;
	uint32_t endless, null, fence, i;
	int64_t end = loom_soon();

	ASSERT_EQ(0, loom_client_open(&client));
	ASSERT_EQ(0, loom_client_open(&other));
	endless = loom_client_plan_endless(&client);
	null = loom_client_plan_null(&client);
	ASSERT_EQ(0, cap_set("max_file_jobs", 4));
	ASSERT_EQ(0, loom_client_run(&client, endless, 2, 0));
	for (i = 1; i < 4; i++)
		ASSERT_EQ(0, loom_client_run(&client, null, 0, 0));
	EXPECT_EQ(-EDQUOT, loom_client_run(&client, null, 0, 0));
	EXPECT_EQ(4, info_of(client.fd).file_jobs);
	EXPECT_EQ(4, info_of(client.fd).max_file_jobs);
	/* a refused job is not counted, whatever it was refused for */
	EXPECT_EQ(0, info_of(other.fd).file_jobs);
	EXPECT_EQ(-ENOENT, loom_client_run(&other, 4711, 0, 0));
	EXPECT_EQ(0, info_of(other.fd).file_jobs);
	loom_client_close(&client);

	/* jobs that end make room for as many more, as soon as their fence has signalled */
	null = loom_client_plan_null(&other);
	fence = loom_sync_create(other.fd, 0);
	ASSERT_NE(0, fence);
	ASSERT_EQ(0, cap_set("max_file_jobs", 1));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, loom_client_run(&other, null, 0, fence));
		ASSERT_EQ(0, loom_sync_wait(other.fd, fence, end));
	}
	EXPECT_EQ(0, info_of(other.fd).file_jobs);
	loom_client_close(&other);
}
