// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers shared by two processes: sent as a dma-buf through a socket, used by both, kept when the
 * process that made them dies; mappings of a device that is unplugged; and that no process can read
 * what another has left.
 */
#include <sys/socket.h>

#include "loom_selftest.h"

FIXTURE(share)
{
	struct loom_client client;
	int socket[2];
};

FIXTURE_SETUP(share)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, self->socket));
}

FIXTURE_TEARDOWN(share)
{
	loom_client_close(&self->client);
}

/* ----------------------------------------------------------- the hand-over */

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static int send_fd(int socket, int fd)
{
	union control control = {};
	char byte = 'f';
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(socket, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int socket)
{
	union control control = {};
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(socket, &msg, 0) != 1 || control.header.cmsg_type != SCM_RIGHTS)
		return -EPIPE;
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

static void tell(int socket, char what)
{
	if (write(socket, &what, 1) != 1)
		_exit(KSFT_FAIL);
}

/* One byte from the other process, or zero when it has ended. */
static char hear(int socket)
{
	char what;

	return read(socket, &what, 1) == 1 ? what : 0;
}

static uint32_t region_blocks(int fd, uint32_t region)
{
	struct drm_loom_region_info info;

	return loom_query_region(fd, region, &info) ? UINT32_MAX : info.blocks;
}

/* Buffers of a killed process are freed soon: a device may still zero some of them. */
static bool settles_at(int fd, uint32_t region, uint32_t blocks)
{
	int64_t end = loom_soon();

	while (region_blocks(fd, region) != blocks) {
		if (loom_now_ns() > end)
			return false;
		usleep(1000);
	}
	return true;
}

/*
 * The other process: receives a buffer, checks its bytes, negates it on the device into a buffer of
 * its own, sends that back, waits until it was received, and is killed.
 */
static void negate_and_die(int socket)
{
	struct loom_client client;
	uint32_t plan, theirs;
	struct loom_job job;
	int dmabuf;
	float *map;

	if (loom_client_open(&client))
		_exit(1);
	dmabuf = receive_fd(socket);
	if (dmabuf < 0 || loom_bo_import(client.fd, dmabuf, &theirs))
		_exit(2);
	close(dmabuf);
	map = loom_bo_map(client.fd, theirs, client.bytes);
	if (map == MAP_FAILED || map[7] != 7)
		_exit(3);
	/* visible to the maker at once: it is the same memory */
	map[8] = 88;
	plan = loom_client_plan_unary(&client, DRM_LOOM_UNARY_NEG);
	loom_job_init(&job, &client, plan, 2, 0);
	job.bindings[0].handle = theirs;
	if (!plan || loom_job_submit(client.fd, &job))
		_exit(4);
	/* not waited for: the fence travels with the buffer */
	dmabuf = loom_bo_export(client.fd, client.out);
	if (dmabuf < 0 || send_fd(socket, dmabuf))
		_exit(5);
	hear(socket);
	_exit(6);
}

TEST_F_TIMEOUT(share, two_processes_work_on_each_others_buffers, 120)
{
	struct loom_client *client = &self->client;
	uint64_t count = client->bytes / sizeof(float), i, wrong = 0;
	uint32_t before = region_blocks(client->fd, DRM_LOOM_REGION_DRAM), theirs;
	struct drm_loom_bo_info mine_info, theirs_info;
	float *in, *out;
	int dmabuf, status;
	pid_t child;

	in = loom_bo_map(client->fd, client->in, client->bytes);
	ASSERT_NE(MAP_FAILED, in);
	for (i = 0; i < count; i++)
		in[i] = i;
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		close(self->socket[0]);
		negate_and_die(self->socket[1]);
	}
	close(self->socket[1]);
	dmabuf = loom_bo_export(client->fd, client->in);
	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(0, send_fd(self->socket[0], dmabuf));
	close(dmabuf);
	dmabuf = receive_fd(self->socket[0]);
	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(0, loom_bo_import(client->fd, dmabuf, &theirs));
	EXPECT_EQ(88, in[8]);
	EXPECT_EQ(0, loom_bo_wait(client->fd, theirs, loom_soon()));

	/* the process that made it was killed: its buffer lives on, at its address */
	ASSERT_EQ(0, loom_bo_info(client->fd, theirs, &theirs_info));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	close(dmabuf);
	out = loom_bo_map(client->fd, theirs, client->bytes);
	ASSERT_NE(MAP_FAILED, out);
	for (i = 0; i < count; i++)
		wrong += out[i] != (i == 8 ? -88.0f : -(float)i);
	EXPECT_EQ(0, wrong);
	ASSERT_EQ(0, loom_bo_info(client->fd, theirs, &mine_info));
	EXPECT_EQ(theirs_info.address, mine_info.address);
	munmap(out, client->bytes);
	munmap(in, client->bytes);
	ASSERT_EQ(0, loom_bo_close(client->fd, theirs));
	EXPECT_TRUE(settles_at(client->fd, DRM_LOOM_REGION_DRAM, before));
}

TEST_F(share, a_dma_buf_alone_keeps_the_bytes)
{
	struct loom_client *client = &self->client;
	uint32_t region, handle;
	int dmabuf, status;
	unsigned char *map;
	pid_t child;

	for (region = UINT32_MAX; loom_next_region(client->fd, &region);) {
		child = loom_fork();
		ASSERT_GE(child, 0);
		if (!child) {
			int fd = loom_open();

			if (loom_bo_create(fd, LOOM_PAGE, region, &handle))
				_exit(1);
			map = loom_bo_map(fd, handle, LOOM_PAGE);
			if (map == MAP_FAILED)
				_exit(2);
			map[17] = 71;
			_exit(send_fd(self->socket[1], loom_bo_export(fd, handle)) ? 3 : 0);
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_EQ(0, status);
		dmabuf = receive_fd(self->socket[0]);
		ASSERT_GE(dmabuf, 0);
		map = mmap(NULL, LOOM_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
		ASSERT_NE(MAP_FAILED, map);
		EXPECT_EQ(71, map[17]);
		map[18] = 81;
		ASSERT_EQ(0, loom_bo_import(client->fd, dmabuf, &handle));
		munmap(map, LOOM_PAGE);
		close(dmabuf);
		map = loom_bo_map(client->fd, handle, LOOM_PAGE);
		ASSERT_NE(MAP_FAILED, map);
		EXPECT_EQ(81, map[18]);
		munmap(map, LOOM_PAGE);
		ASSERT_EQ(0, loom_bo_close(client->fd, handle));
	}
}

TEST_F(share, one_process_gives_it_up_while_the_other_uses_it)
{
	struct loom_client *client = &self->client;
	uint32_t handle, imported, plan, i;
	struct loom_job job;
	int dmabuf, other;

	plan = loom_client_plan_busy(client);
	ASSERT_NE(0, plan);
	for (i = 0; i < 8; i++) {
		other = loom_open();
		ASSERT_GE(other, 0);
		ASSERT_EQ(0, loom_bo_create(other, client->bytes, DRM_LOOM_REGION_DRAM, &handle));
		dmabuf = loom_bo_export(other, handle);
		ASSERT_GE(dmabuf, 0);
		ASSERT_EQ(0, loom_bo_import(client->fd, dmabuf, &imported));
		loom_job_init(&job, client, plan, 2, 0);
		job.bindings[1].handle = imported;
		ASSERT_EQ(0, loom_job_submit(client->fd, &job));
		close(other);
		close(dmabuf);
		EXPECT_EQ(0, loom_bo_close(client->fd, imported));
		/* the next one is made while the job still writes to this one */
	}
	EXPECT_EQ(0, loom_bo_wait(client->fd, client->in, loom_soon()));
	EXPECT_TRUE(loom_device_works());
}

/* ---------------------------------------------------------- leftover bytes */

static uint64_t dirty(const unsigned char *map, uint64_t size)
{
	const uint64_t *words = (const uint64_t *)map;
	uint64_t found = 0, i;

	for (i = 0; i < size / sizeof(*words); i++)
		found += !!words[i];
	return found;
}

/* A page in each bank, if that is what a third of a file's share in the SRAM comes to. */
static uint64_t size_in(int fd, uint32_t region)
{
	struct drm_loom_region_info info;
	uint64_t bytes;

	if (region != DRM_LOOM_REGION_SRAM)
		return 1 << 20;
	if (loom_query_region(fd, region, &info))
		return 0;
	bytes = info.share_bytes / 3 / LOOM_PAGE * LOOM_PAGE;
	if (bytes < LOOM_PAGE)
		bytes = LOOM_PAGE;
	return bytes * info.banks < 64 << 10 ? bytes * info.banks : 64 << 10;
}

/* Allocates all of a region, more than once, and checks that every buffer is zero. */
TEST_F_TIMEOUT(share, nobody_finds_what_another_left, 120)
{
	uint64_t sizes[DRM_LOOM_REGION_COUNT], found = 0;
	uint32_t region, round, handles[64], count, i;
	unsigned char *map;

	for (region = UINT32_MAX; loom_next_region(self->client.fd, &region);)
		for (round = 0; round < 3; round++) {
			const uint32_t least = region == DRM_LOOM_REGION_SRAM ? 1 : 3;
			/* other buffers each time */
			int fd = loom_open();

			ASSERT_GE(fd, 0);
			sizes[region] = size_in(fd, region);
			for (count = 0; count < (sizes[region] >> 20 ? 16 : 64); count++) {
				if (loom_bo_create(fd, sizes[region], region, &handles[count]))
					break;
				map = loom_bo_map(fd, handles[count], sizes[region]);
				ASSERT_NE(MAP_FAILED, map);
				found += dirty(map, sizes[region]);
				memset(map, 0xa5, sizes[region]);
				munmap(map, sizes[region]);
			}
			ASSERT_GE(count, least);
			/* some are closed at once, the rest with the file */
			for (i = 0; i < count; i += 2)
				ASSERT_EQ(0, loom_bo_close(fd, handles[i]));
			close(fd);
		}
	EXPECT_EQ(0, found);
}

/* Bytes that a job wrote are cleared with the buffer, and so are evicted ones. */
TEST_F_TIMEOUT(share, nor_what_a_job_left, 120)
{
	struct loom_client *client = &self->client;
	uint32_t plan = loom_client_plan_unary(client, DRM_LOOM_UNARY_NEG), round, handle;
	struct loom_job job;
	uint64_t found = 0;
	unsigned char *map;

	map = loom_bo_map(client->fd, client->in, client->bytes);
	ASSERT_NE(MAP_FAILED, map);
	memset(map, 0x3f, client->bytes);
	munmap(map, client->bytes);
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0,
			  loom_bo_create(client->fd, client->bytes, DRM_LOOM_REGION_DRAM, &handle));
		map = loom_bo_map(client->fd, handle, client->bytes);
		ASSERT_NE(MAP_FAILED, map);
		found += dirty(map, client->bytes);
		munmap(map, client->bytes);
		loom_job_init(&job, client, plan, 2, 0);
		job.bindings[1].handle = handle;
		ASSERT_EQ(0, loom_job_submit(client->fd, &job));
		/* half of them while the job runs */
		if (round & 1)
			ASSERT_EQ(0, loom_bo_wait(client->fd, handle, loom_soon()));
		ASSERT_EQ(0, loom_bo_close(client->fd, handle));
	}
	EXPECT_EQ(0, found);
}

/* ------------------------------------------------ a device that goes away */

static unsigned char peek(unsigned char *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static void poke(unsigned char *at, unsigned char value)
{
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
}

/* Maps a dma-buf and two buffers, and accesses them again after the device was unplugged. */
static void look_after_unplug(int socket)
{
	const uint64_t size = 4 * LOOM_PAGE;
	unsigned char *maps[3];
	uint32_t handles[2], i;
	int fd = loom_open(), dmabuf;

	for (i = 0; i < 2; i++) {
		if (loom_bo_create(fd, size, i, &handles[i]))
			_exit(1);
		maps[i] = loom_bo_map(fd, handles[i], size);
		if (maps[i] == MAP_FAILED)
			_exit(2);
		/* one page is accessed before, the others only after */
		poke(maps[i], 1);
	}
	dmabuf = receive_fd(socket);
	maps[2] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	if (maps[2] == MAP_FAILED || peek(maps[2]) != 5)
		_exit(3);
	tell(socket, 'r');
	if (hear(socket) != 'u')
		_exit(4);
	for (i = 0; i < 3; i++) {
		/* pages of a dma-buf that were accessed stay: they are not the node's */
		if ((i < 2 && peek(maps[i])) || peek(maps[i] + 3 * LOOM_PAGE))
			_exit(10 + i);
		/* it can be written; whether both addresses then share a page does not matter */
		poke(maps[i], 2);
		if (peek(maps[i]) != 2)
			_exit(20 + i);
		poke(maps[i] + 2 * LOOM_PAGE, 3);
		if (peek(maps[i] + 2 * LOOM_PAGE) != 3)
			_exit(30 + i);
	}
	_exit(0);
}

TEST_F_TIMEOUT(share, mappings_outlive_the_device, 120)
{
	struct loom_client *client = &self->client;
	uint32_t handle;
	unsigned char *map;
	int dmabuf, status;
	pid_t child;

	ASSERT_EQ(0, loom_bo_create(client->fd, 4 * LOOM_PAGE, DRM_LOOM_REGION_DRAM, &handle));
	map = loom_bo_map(client->fd, handle, 4 * LOOM_PAGE);
	ASSERT_NE(MAP_FAILED, map);
	map[0] = 5;
	dmabuf = loom_bo_export(client->fd, handle);
	ASSERT_GE(dmabuf, 0);
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		close(self->socket[0]);
		look_after_unplug(self->socket[1]);
	}
	close(self->socket[1]);
	ASSERT_EQ(0, send_fd(self->socket[0], dmabuf));
	ASSERT_EQ('r', hear(self->socket[0]));
	if (loom_unbind()) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		SKIP(return, "cannot unbind the device");
	}
	tell(self->socket[0], 'u');
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status)) {
		TH_LOG("killed by signal %d", WTERMSIG(status));
	}
	EXPECT_EQ(0, WEXITSTATUS(status));
	/* the exporter's mapping reads zeroes, too */
	EXPECT_EQ(0, map[0]);
	map[3 * LOOM_PAGE] = 9;
	EXPECT_EQ(-ENODEV, loom_bo_export(client->fd, handle));
	/* closed in any order, with the device gone */
	close(dmabuf);
	munmap(map, 4 * LOOM_PAGE);
	loom_client_close(client);

	EXPECT_EQ(0, loom_bind());
	EXPECT_TRUE(loom_device_works());
}
