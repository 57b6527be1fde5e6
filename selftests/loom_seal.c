// SPDX-License-Identifier: GPL-2.0
/*
 * Sealed buffers: conditions of sealing, uses that remain, and those that are refused.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "loom_selftest.h"

#define SIZE	(4 * LOOM_PAGE)

static int seal(int fd, uint32_t handle)
{
	struct drm_loom_bo_seal args = { .handle = handle };

	return loom_call(fd, DRM_IOCTL_LOOM_BO_SEAL, &args);
}

/* Return: 0, and the mapping is gone again, or -errno. */
static int try_map(int fd, uint64_t offset, int prot)
{
	void *map = mmap(NULL, SIZE, prot, MAP_SHARED, fd, offset);

	return map == MAP_FAILED ? -errno : munmap(map, SIZE);
}

static bool is_sealed(int fd, uint32_t handle)
{
	struct drm_loom_bo_info info;

	return !loom_bo_info(fd, handle, &info) && info.flags & DRM_LOOM_BO_SEALED;
}

FIXTURE(seal)
{
	struct loom_client client;
	uint64_t offset;
	uint32_t handle;
	int fd;
};

FIXTURE_SETUP(seal)
{
	struct drm_loom_bo_info info;

	ASSERT_EQ(0, loom_client_open(&self->client));
	self->fd = self->client.fd;
	ASSERT_EQ(0, loom_bo_create(self->fd, SIZE, DRM_LOOM_REGION_DRAM, &self->handle));
	ASSERT_EQ(0, loom_bo_info(self->fd, self->handle, &info));
	self->offset = info.mmap_offset;
}

FIXTURE_TEARDOWN(seal)
{
	loom_client_close(&self->client);
}

TEST_F(seal, refuses_arguments)
{
	struct drm_loom_bo_seal args = { .handle = self->handle, .pad = 1 };

	EXPECT_EQ(-EINVAL, loom_call(self->fd, DRM_IOCTL_LOOM_BO_SEAL, &args));
	EXPECT_EQ(-ENOENT, seal(self->fd, 0));
	EXPECT_EQ(-ENOENT, seal(self->fd, 12345));
	EXPECT_FALSE(is_sealed(self->fd, self->handle));
	EXPECT_EQ(0, try_map(self->fd, self->offset, PROT_READ | PROT_WRITE));
}

TEST_F(seal, is_read_and_not_written)
{
	unsigned char bytes[3] = { 1, 2, 3 }, back[3] = {}, *map;
	int dmabuf, memory;

	ASSERT_EQ(3, loom_bo_write(self->fd, self->handle, 5, bytes, 3));
	ASSERT_EQ(0, seal(self->fd, self->handle));
	EXPECT_EQ(0, seal(self->fd, self->handle));
	EXPECT_TRUE(is_sealed(self->fd, self->handle));

	EXPECT_EQ(-EPERM, loom_bo_write(self->fd, self->handle, 5, "x", 1));
	EXPECT_EQ(-EPERM, try_map(self->fd, self->offset, PROT_READ | PROT_WRITE));
	EXPECT_EQ(-EPERM, try_map(self->fd, self->offset, PROT_WRITE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, self->fd, self->offset));
	EXPECT_EQ(EINVAL, errno);
	dmabuf = loom_bo_export(self->fd, self->handle);
	ASSERT_GE(dmabuf, 0);
	EXPECT_EQ(-EPERM, try_map(dmabuf, 0, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, try_map(dmabuf, 0, PROT_READ));
	close(dmabuf);

	map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, self->fd, self->offset);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, memcmp(map + 5, bytes, 3));
	EXPECT_EQ(-1, mprotect(map, SIZE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	/* as a debugger would */
	memory = open("/proc/self/mem", O_RDWR);
	ASSERT_GE(memory, 0);
	EXPECT_EQ(-1, pwrite(memory, "x", 1, (off_t)(uintptr_t)map + 5));
	close(memory);
	EXPECT_EQ(3, loom_bo_read(self->fd, self->handle, 5, back, 3));
	EXPECT_EQ(0, memcmp(back, bytes, 3));
	EXPECT_EQ(0, memcmp(map + 5, bytes, 3));
	munmap(map, SIZE);
}

TEST_F(seal, jobs_read_it)
{
	struct loom_client *client = &self->client;
	uint32_t plan = loom_client_plan_copy(client);
	struct loom_job job;
	uint64_t i, wrong = 0;
	float *map, value = 3;

	ASSERT_NE(0, plan);
	for (i = 0; i < client->bytes; i += sizeof(value))
		ASSERT_EQ((int64_t)sizeof(value),
			  loom_bo_write(client->fd, client->in, i, &value, sizeof(value)));
	ASSERT_EQ(0, seal(client->fd, client->in));
	loom_job_init(&job, client, plan, 2, 0);
	ASSERT_EQ(0, loom_job_submit(client->fd, &job));
	ASSERT_EQ(0, loom_bo_wait(client->fd, client->out, loom_soon()));
	map = loom_bo_map(client->fd, client->out, client->bytes);
	ASSERT_NE(MAP_FAILED, (void *)map);
	for (i = 0; i < client->bytes / sizeof(value); i++)
		wrong += map[i] != 3;
	EXPECT_EQ(0, wrong);
	/* what a job writes is not constant, before it is sealed itself */
	EXPECT_EQ(-EBUSY, seal(client->fd, client->out));
	munmap(map, client->bytes);
	ASSERT_EQ(0, seal(client->fd, client->out));
	loom_job_init(&job, client, plan, 2, 0);
	EXPECT_EQ(-EPERM, loom_job_submit(client->fd, &job));
	EXPECT_TRUE(loom_device_works());
}

#ifdef _LOOM_ACCEL_OPS_H_
TEST_F(seal, waits_for_no_job)
{
	struct loom_client *client = &self->client;
	uint32_t plan = loom_client_plan_busy(client);
	struct loom_job job;

	ASSERT_NE(0, plan);
	loom_job_init(&job, client, plan, 2, 0);
	ASSERT_EQ(0, loom_job_submit(client->fd, &job));
	EXPECT_EQ(-EBUSY, seal(client->fd, client->out));
	EXPECT_FALSE(is_sealed(client->fd, client->out));
	ASSERT_EQ(0, loom_bo_wait(client->fd, client->out, loom_soon()));
	EXPECT_EQ(0, seal(client->fd, client->out));
}
#endif

TEST_F(seal, every_mapping_that_may_write_counts)
{
	char *map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, self->fd, self->offset), *moved;
	struct drm_prime_handle prime = { .handle = self->handle, .flags = DRM_CLOEXEC };
	int status;
	pid_t child;

	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(-EBUSY, seal(self->fd, self->handle));
	/* its parts, one of which moves */
	ASSERT_EQ(0, munmap(map + LOOM_PAGE, LOOM_PAGE));
	moved = mremap(map, LOOM_PAGE, LOOM_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, map + LOOM_PAGE);
	ASSERT_EQ(map + LOOM_PAGE, moved);
	ASSERT_EQ(0, munmap(map + 2 * LOOM_PAGE, 2 * LOOM_PAGE));
	EXPECT_EQ(-EBUSY, seal(self->fd, self->handle));
	/* that of another process */
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		pause();
		_exit(0);
	}
	ASSERT_EQ(0, munmap(moved, LOOM_PAGE));
	EXPECT_EQ(-EBUSY, seal(self->fd, self->handle));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	/* neither one that was refused, nor one through a descriptor for reading */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, self->fd,
				   self->offset));
	ASSERT_EQ(0, loom_call(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, prime.fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(0, seal(self->fd, self->handle));
	EXPECT_EQ(0, map[0]);
	munmap(map, SIZE);
	close(prime.fd);
}

TEST_F(seal, only_its_maker_seals_it)
{
	int other = loom_open();
	struct drm_loom_bo_info info;
	uint32_t theirs;
	char *map;

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_bo_share(self->fd, self->handle, other, &theirs));
	EXPECT_EQ(-EPERM, seal(other, theirs));
	ASSERT_EQ(0, loom_bo_info(other, theirs, &info));
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, other, info.mmap_offset);
	ASSERT_NE(MAP_FAILED, map);
	map[3] = 33;
	EXPECT_EQ(-EBUSY, seal(self->fd, self->handle));
	munmap(map, SIZE);
	EXPECT_EQ(0, seal(self->fd, self->handle));
	EXPECT_TRUE(is_sealed(other, theirs));
	EXPECT_EQ(-EPERM, try_map(other, info.mmap_offset, PROT_READ | PROT_WRITE));
	EXPECT_EQ(-EPERM, loom_bo_write(other, theirs, 3, "x", 1));
	/* it stays so without its maker */
	loom_client_close(&self->client);
	EXPECT_EQ(-EPERM, loom_bo_write(other, theirs, 3, "x", 1));
	map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, other, info.mmap_offset);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(33, map[3]);
	munmap(map, SIZE);
	close(other);
}

TEST_F(seal, not_for_other_drivers)
{
	int vgem = vgem_open(), dmabuf;
	uint32_t theirs, ours;

	if (vgem < 0)
		SKIP(return, "no vgem");
	ASSERT_EQ(0, vgem_import(vgem, self->fd, self->handle, &theirs));
	EXPECT_EQ(-EBUSY, seal(self->fd, self->handle));
	ASSERT_EQ(0, loom_bo_close(vgem, theirs));
	EXPECT_EQ(0, seal(self->fd, self->handle));
	EXPECT_EQ(-EPERM, vgem_import(vgem, self->fd, self->handle, &theirs));
	/* what they made is theirs */
	dmabuf = vgem_create(vgem, SIZE);
	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(0, loom_bo_import(self->fd, dmabuf, &ours));
	EXPECT_EQ(-EPERM, seal(self->fd, ours));
	close(dmabuf);
	close(vgem);
}

/* ------------------------------------------------------------------- races */

struct racer {
	pthread_barrier_t barrier;
	uint64_t offset;
	void *map;
	int fd;
};

static void *race_map(void *arg)
{
	struct racer *racer = arg;

	pthread_barrier_wait(&racer->barrier);
	racer->map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, racer->fd,
			  racer->offset);
	return NULL;
}

TEST_F_TIMEOUT(seal, one_of_a_seal_and_a_mapping_wins, 120)
{
	struct racer racer = { .fd = self->fd };
	struct drm_loom_bo_info info;
	int round, ret, both = 0, none = 0;
	pthread_t thread;
	uint32_t handle;

	ASSERT_EQ(0, pthread_barrier_init(&racer.barrier, NULL, 2));
	for (round = 0; round < 200; round++) {
		ASSERT_EQ(0, loom_bo_create(self->fd, SIZE, DRM_LOOM_REGION_DRAM, &handle));
		ASSERT_EQ(0, loom_bo_info(self->fd, handle, &info));
		racer.offset = info.mmap_offset;
		ASSERT_EQ(0, pthread_create(&thread, NULL, race_map, &racer));
		pthread_barrier_wait(&racer.barrier);
		ret = seal(self->fd, handle);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		both += !ret && racer.map != MAP_FAILED;
		none += ret && racer.map == MAP_FAILED;
		if (racer.map != MAP_FAILED)
			munmap(racer.map, SIZE);
		ASSERT_EQ(0, loom_bo_close(self->fd, handle));
	}
	EXPECT_EQ(0, both);
	EXPECT_EQ(0, none);
	pthread_barrier_destroy(&racer.barrier);
}
