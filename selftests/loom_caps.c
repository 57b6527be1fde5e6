// SPDX-License-Identifier: GPL-2.0
/*
 * Caps on the bytes of buffers: of the device and of a file, exact, given back when a buffer goes.
 */
#include "loom_selftest.h"

#define PARAMETERS	"/sys/module/loom/parameters/"
#define BYTES		(16 * LOOM_PAGE)

FIXTURE(caps)
{
	int fd, other;
	bool set;
};

static int caps_set(uint64_t device, uint64_t file)
{
	char text[32];
	int ret;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)device);
	ret = loom_write_file(PARAMETERS "max_bytes", text);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)file);
	return loom_write_file(PARAMETERS "max_file_bytes", text);
}

FIXTURE_SETUP(caps)
{
	struct drm_loom_device_info info;

	self->fd = loom_open();
	if (self->fd < 0)
		SKIP(return, "no loom device");
	self->other = loom_open();
	ASSERT_GE(self->other, 0);
	ASSERT_EQ(0, loom_query_device(self->fd, &info));
	if (info.bo_bytes)
		SKIP(return, "somebody else uses the device");
	if (caps_set(0, 0))
		SKIP(return, "not allowed to set caps");
	self->set = true;
}

FIXTURE_TEARDOWN(caps)
{
	if (self->fd < 0)
		return;
	close(self->fd);
	close(self->other);
	if (self->set)
		EXPECT_EQ(0, caps_set(0, 0));
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
			if (loom_bo_create(fd, LOOM_PAGE, i & 1, &handle))
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

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
