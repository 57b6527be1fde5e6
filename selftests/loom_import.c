// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers of others. Of another driver, vgem, that jobs of ours read and write. And two devices
 * that work on each other's buffers and wait for each other's jobs, of whatever kind: two cards, a
 * card and a soft device. Where there is only one, a soft one is made for it.
 */
#include <sys/mman.h>
#include <sys/mount.h>

#include "loom_selftest.h"

#define CONFIG	"/sys/kernel/config/loom"
#define NAME	CONFIG "/peer"
#define ROUNDS	12
/*
 * Of one buffer at a time: each import keeps its mapping of the pages until every job on them has
 * ended, those that were submitted after it was closed, too, and CONFIG_DMA_API_DEBUG warns where
 * there are more than seven.
 */
#define MAPPINGS	6

/* ---------------------------------------------------------- another driver */

FIXTURE(import)
{
	struct loom_client client;
	int vgem, dmabuf[2];
	uint32_t handle[2], plan;
};

FIXTURE_SETUP(import)
{
	int i;

	self->vgem = -1;
	ASSERT_EQ(0, loom_client_open(&self->client));
	self->vgem = vgem_open();
	if (self->vgem < 0)
		SKIP(return, "no vgem");
	for (i = 0; i < 2; i++) {
		self->dmabuf[i] = vgem_create(self->vgem, self->client.bytes);
		ASSERT_GE(self->dmabuf[i], 0);
		ASSERT_EQ(0, loom_bo_import(self->client.fd, self->dmabuf[i], &self->handle[i]));
	}
	ASSERT_EQ(0, loom_rounds_create(self->client.fd, self->client.info.lanes,
					DRM_LOOM_UNARY_RELU, 1, &self->plan));
}

FIXTURE_TEARDOWN(import)
{
	loom_client_close(&self->client);
	if (self->vgem >= 0)
		close(self->vgem);
}

static struct loom_job *import_job(FIXTURE_DATA(import) * self, struct loom_job *job)
{
	loom_job_init(job, &self->client, self->plan, 2, 0);
	job->bindings[0].handle = self->handle[0];
	job->bindings[1].handle = self->handle[1];
	return job;
}

static float *import_map(int dmabuf, uint64_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
}

/* Positive and negative numbers, which differ between rounds. */
static void import_fill(float *in, uint64_t count, int round)
{
	uint64_t i;

	for (i = 0; i < count; i++)
		in[i] = (i % 2 ? -1.0f : 1.0f) * (float)(i % 1000 + 1 + round);
}

static uint64_t import_wrong(const float *in, const float *out, uint64_t count)
{
	uint64_t i, wrong = 0;

	for (i = 0; i < count; i++)
		wrong += out[i] != (in[i] > 0 ? in[i] : 0);
	return wrong;
}

TEST_F(import, jobs_read_and_write_them)
{
	uint64_t bytes = self->client.bytes, count = bytes / sizeof(float);
	float *in = import_map(self->dmabuf[0], bytes), *out = import_map(self->dmabuf[1], bytes);
	struct drm_loom_bo_info info;
	struct loom_job job;
	float *ours;
	int round;

	ASSERT_NE(MAP_FAILED, (void *)in);
	ASSERT_NE(MAP_FAILED, (void *)out);
	for (round = 0; round < 3; round++) {
		import_fill(in, count, round);
		ASSERT_EQ(0, loom_job_submit(self->client.fd, import_job(self, &job)));
		ASSERT_EQ(0, loom_bo_wait(self->client.fd, self->handle[1], loom_soon()));
		EXPECT_EQ(0, import_wrong(in, out, count));
	}
	/*
	 * it is where a buffer of ours would be, but not in memory of the device's own, and our
	 * mapping shows the same pages
	 */
	ASSERT_EQ(0, loom_bo_info(self->client.fd, self->handle[1], &info));
	EXPECT_EQ(DRM_LOOM_REGION_DRAM, info.region);
	EXPECT_EQ(loom_is_own(self->client.fd, DRM_LOOM_REGION_DRAM) ? DRM_LOOM_BO_EVICTED : 0,
		  info.flags & DRM_LOOM_BO_EVICTED);
	EXPECT_GE(info.size, bytes);
	ours = loom_bo_map(self->client.fd, self->handle[1], bytes);
	ASSERT_NE(MAP_FAILED, (void *)ours);
	EXPECT_EQ(0, import_wrong(in, ours, count));
	ours[0] = 77;
	EXPECT_EQ(77, out[0]);
	munmap(ours, bytes);
	/* mapped longer than there is a handle */
	ours = loom_bo_map(self->client.fd, self->handle[1], bytes);
	ASSERT_NE(MAP_FAILED, (void *)ours);
	EXPECT_EQ(0, loom_bo_close(self->client.fd, self->handle[1]));
	EXPECT_EQ(77, ours[0]);
	munmap(ours, bytes);
	munmap(in, bytes);
	munmap(out, bytes);
}

/* They can be mapped, but not copied: the driver does not know the exporter's kind of memory. */
TEST_F(import, they_are_not_copied)
{
	uint8_t byte = 0;

	EXPECT_EQ(-EOPNOTSUPP, loom_bo_read(self->client.fd, self->handle[0], 0, &byte, 1));
	EXPECT_EQ(-EOPNOTSUPP, loom_bo_write(self->client.fd, self->handle[0], 0, &byte, 1));
}

TEST_F(import, one_handle_and_one_buffer_each)
{
	uint32_t again;

	ASSERT_EQ(0, loom_bo_import(self->client.fd, self->dmabuf[0], &again));
	EXPECT_EQ(self->handle[0], again);
	EXPECT_NE(self->handle[0], self->handle[1]);
}

TEST_F(import, nothing_is_charged)
{
	struct drm_loom_device_info before = {}, after = {};
	uint32_t size = sizeof(before), handle;
	int dmabuf;

	ASSERT_EQ(0, loom_query(self->client.fd, DRM_LOOM_QUERY_DEVICE, 0, &before, &size));
	dmabuf = vgem_create(self->vgem, 1 << 20);
	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(0, loom_bo_import(self->client.fd, dmabuf, &handle));
	size = sizeof(after);
	ASSERT_EQ(0, loom_query(self->client.fd, DRM_LOOM_QUERY_DEVICE, 0, &after, &size));
	EXPECT_EQ(before.file_bo_bytes, after.file_bo_bytes);
	EXPECT_EQ(before.bo_bytes, after.bo_bytes);
	close(dmabuf);
}

TEST_F(import, too_small_for_its_slot)
{
	int i, dmabuf = vgem_create(self->vgem, 4096);
	struct loom_job job;
	uint32_t handle;

	ASSERT_GE(dmabuf, 0);
	ASSERT_EQ(0, loom_bo_import(self->client.fd, dmabuf, &handle));
	for (i = 0; i < 2; i++) {
		import_job(self, &job)->bindings[i].handle = handle;
		EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));
	}
	/* not past its end either */
	import_job(self, &job)->bindings[1].offset = 4096;
	EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));
	close(dmabuf);
}

/* The file, the exporter's file, the dma-bufs and the handles: each of them may be the last. */
TEST_F(import, closed_in_any_order_while_a_job_uses_them)
{
	static const char orders[][5] = {
		"LVDH", "LDVH", "VLDH", "VDLH", "DLVH", "DVLH", "HLVD", "HVDL", "HDLV", "DVHL",
		"VHDL", "VDHL"
	};
	uint32_t n, plan, i;
	const char *step;

	for (n = 0; n < LOOM_ARRAY_SIZE(orders); n++) {
		FIXTURE_DATA(import) other = {};
		struct loom_job job;

		ASSERT_EQ(0, loom_client_open(&other.client));
		other.vgem = vgem_open();
		ASSERT_GE(other.vgem, 0);
		for (i = 0; i < 2; i++) {
			other.dmabuf[i] = vgem_create(other.vgem, other.client.bytes);
			ASSERT_EQ(0, loom_bo_import(other.client.fd, other.dmabuf[i],
						    &other.handle[i]));
		}
		ASSERT_EQ(0, loom_rounds_create(other.client.fd, other.client.info.lanes ?:
						self->client.info.lanes, DRM_LOOM_UNARY_EXP, 200,
						&plan));
		other.plan = plan;
		ASSERT_EQ(0, loom_job_submit(other.client.fd, import_job(&other, &job)));
		ASSERT_EQ(0, loom_job_submit(other.client.fd, import_job(&other, &job)));
		for (step = orders[n]; *step; step++)
			switch (*step) {
			case 'L':
				loom_client_close(&other.client);
				other.client.fd = -1;
				break;
			case 'V':
				close(other.vgem);
				break;
			case 'D':
				close(other.dmabuf[0]);
				close(other.dmabuf[1]);
				break;
			default:
				if (other.client.fd < 0)
					break;
				EXPECT_EQ(0, loom_bo_close(other.client.fd, other.handle[0]));
				EXPECT_EQ(0, loom_bo_close(other.client.fd, other.handle[1]));
			}
	}
}

/* ------------------------------------------------------------- two devices */

/* Two nodes, and what jobs need on each. Buffers are as large as the larger one's. */
FIXTURE(peer)
{
	struct loom_client client[2];
	uint32_t negate[2], busy[2];
	uint64_t bytes, count;
	bool made;
};

/* All nodes of this driver. Return: how many. */
static uint32_t open_nodes(int *fds, uint32_t most)
{
	uint32_t index, count = 0;
	char path[64];

	for (index = 0; index < 64 && count < most; index++) {
		struct drm_loom_device_info info;

		snprintf(path, sizeof(path), "/dev/accel/accel%u", index);
		fds[count] = open(path, O_RDWR | O_CLOEXEC);
		if (fds[count] < 0)
			continue;
		if (loom_query_device(fds[count], &info))
			close(fds[count]);
		else
			count++;
	}
	return count;
}

/* Return: whether there is a soft device more. */
static bool make_node(void)
{
	if (access(CONFIG, F_OK))
		mount("none", "/sys/kernel/config", "configfs", 0, NULL);
	return !mkdir(NAME, 0755) && !loom_write_file(NAME "/live", "1");
}

static void remove_node(void)
{
	loom_write_file(NAME "/live", "0");
	rmdir(NAME);
}

FIXTURE_SETUP(peer)
{
	uint32_t i, nodes;
	int fds[2];

	self->client[0].fd = -1;
	self->client[1].fd = -1;
	nodes = open_nodes(fds, 2);
	if (nodes == 1) {
		self->made = make_node();
		/* devtmpfs makes the node on another thread */
		for (i = 0; self->made && i < 100 && nodes == 1; i++) {
			close(fds[0]);
			usleep(20000);
			nodes = open_nodes(fds, 2);
		}
	}
	for (i = 0; i < nodes; i++)
		ASSERT_EQ(0, loom_client_open_fd(&self->client[i], fds[i]));
	if (nodes < 2)
		SKIP(return, "less than two devices");
	self->bytes = self->client[0].bytes;
	self->count = self->client[1].bytes;
	if (self->count > self->bytes) {
		self->count = self->bytes;
		self->bytes = self->client[1].bytes;
	}
	self->count /= sizeof(float);
	for (i = 0; i < 2; i++) {
		self->negate[i] = loom_client_plan_unary(&self->client[i], DRM_LOOM_UNARY_NEG);
		ASSERT_NE(0, self->negate[i]);
		self->busy[i] = loom_client_plan_busy(&self->client[i]);
		ASSERT_NE(0, self->busy[i]);
	}
}

FIXTURE_TEARDOWN(peer)
{
	loom_client_close(&self->client[0]);
	loom_client_close(&self->client[1]);
	if (self->made)
		remove_node();
}

static int create(FIXTURE_DATA(peer) * self, uint32_t index, uint32_t *handle)
{
	return loom_bo_create(self->client[index].fd, self->bytes, DRM_LOOM_REGION_DRAM, handle);
}

static float *map(FIXTURE_DATA(peer) * self, uint32_t index, uint32_t handle)
{
	return loom_bo_map(self->client[index].fd, handle, self->bytes);
}

/* A job that reads @in and writes @out, behind @wait if that is not zero. */
static int submit(FIXTURE_DATA(peer) * self, uint32_t index, uint32_t plan, uint32_t in,
		  uint32_t out, uint32_t wait, uint32_t signal)
{
	struct loom_job job;

	loom_job_init(&job, &self->client[index], plan, 2, signal);
	job.bindings[0].handle = in;
	job.bindings[1].handle = out;
	job.in.handle = wait;
	job.args.in_syncs.count = !!wait;
	return loom_job_submit(self->client[index].fd, &job);
}

static void fill(float *at, uint64_t count, float seed)
{
	uint64_t i;

	for (i = 0; i < count; i++)
		at[i] = seed + i;
}

static uint64_t wrong(const float *at, uint64_t count, float seed, float sign)
{
	uint64_t i, found = 0;

	for (i = 0; i < count; i++)
		found += at[i] != sign * (seed + i);
	return found;
}

/* Nobody waits in between: the jobs of one device wait for those of the other. */
TEST_F(peer, a_value_goes_from_one_to_the_other)
{
	uint32_t from, round, handle[4], sync[2], behind;
	struct loom_client *client = self->client;
	float *in, *out;

	for (from = 0; from < 2; from++) {
		uint32_t to = !from;

		/* in, and what is shared, which is the giver's; then the taker's name, and out */
		ASSERT_EQ(0, create(self, from, &handle[0]));
		ASSERT_EQ(0, create(self, from, &handle[1]));
		ASSERT_EQ(0, loom_bo_share(client[from].fd, handle[1], client[to].fd, &handle[2]));
		ASSERT_EQ(0, create(self, to, &handle[3]));
		sync[0] = loom_sync_create(client[from].fd, 0);
		sync[1] = loom_sync_create(client[to].fd, 0);
		behind = loom_sync_share(client[from].fd, sync[0], client[to].fd);
		ASSERT_NE(0, behind);
		in = map(self, from, handle[0]);
		out = map(self, to, handle[3]);
		for (round = 0; round < ROUNDS; round++) {
			fill(in, self->count, from * 1000 + round);
			ASSERT_EQ(0, submit(self, from, self->negate[from], handle[0], handle[1], 0,
					    sync[0]));
			ASSERT_EQ(0, submit(self, to, self->negate[to], handle[2], handle[3],
					    behind, sync[1]));
			ASSERT_EQ(0, loom_sync_wait(client[to].fd, sync[1], loom_soon()));
			EXPECT_EQ(1, loom_sync_status(client[to].fd, sync[1]));
			EXPECT_EQ(0, wrong(out, self->count, from * 1000 + round, 1));
		}
		/* the same, with what is shared being the taker's */
		EXPECT_EQ(0, loom_bo_close(client[to].fd, handle[2]));
		ASSERT_EQ(0, loom_bo_share(client[to].fd, handle[3], client[from].fd, &handle[2]));
		fill(in, self->count, 7);
		ASSERT_EQ(0, submit(self, from, self->negate[from], handle[0], handle[2], 0,
				    sync[0]));
		ASSERT_EQ(0, loom_bo_wait(client[to].fd, handle[3], loom_soon()));
		EXPECT_EQ(0, wrong(out, self->count, 7, -1));
		munmap(in, self->bytes);
		munmap(out, self->bytes);
	}
}

/* Two shared buffers, one of each device, written in turn; only the last one is waited for. */
TEST_F(peer, values_go_to_and_fro)
{
	uint32_t name[2][2], sync[2], other[2], i, turn = 0, round;
	struct loom_client *client = self->client;
	float *first;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, create(self, i, &name[i][i]));
		ASSERT_EQ(0, loom_bo_share(client[i].fd, name[i][i], client[!i].fd, &name[!i][i]));
		sync[i] = loom_sync_create(client[i].fd, 0);
		other[!i] = loom_sync_share(client[i].fd, sync[i], client[!i].fd);
		ASSERT_NE(0, other[!i]);
	}
	first = map(self, 0, name[0][0]);
	fill(first, self->count, 5);
	/* 0 reads its own buffer and writes the other one, 1 the other way round: each negates */
	for (round = 0; round < 2 * ROUNDS; round++, turn = !turn)
		ASSERT_EQ(0, submit(self, turn, self->negate[turn], name[turn][turn],
				    name[turn][!turn], round ? other[turn] : 0, sync[turn]));
	ASSERT_EQ(0, loom_sync_wait(client[!turn].fd, sync[!turn], loom_soon()));
	EXPECT_EQ(0, wrong(first, self->count, 5, 1));
	munmap(first, self->bytes);
}

/* By a syncobj, by a file, and by the buffer's own reservation. */
TEST_F(peer, a_fence_of_one_holds_the_other)
{
	struct drm_syncobj_handle args = {
		.flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
	};
	struct loom_client *client = self->client;
	uint32_t from, sync, done, file, handle, shared;
	int status;

	for (from = 0; from < 2; from++) {
		uint32_t to = !from;

		ASSERT_EQ(0, create(self, from, &handle));
		ASSERT_EQ(0, loom_bo_share(client[from].fd, handle, client[to].fd, &shared));
		sync = loom_sync_create(client[from].fd, 0);
		done = loom_sync_create(client[to].fd, 0);
		file = loom_sync_create(client[to].fd, 0);
		ASSERT_EQ(0, submit(self, from, self->busy[from], client[from].in, handle, 0,
				    sync));
		args.fd = loom_sync_export(client[from].fd, sync);
		ASSERT_GE(args.fd, 0);
		args.handle = file;
		ASSERT_EQ(0, loom_call(client[to].fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args));
		close(args.fd);
		ASSERT_EQ(0, submit(self, to, self->negate[to], shared, client[to].out, file,
				    done));
		/* whichever is over first is not the one that waits */
		status = loom_sync_status(client[to].fd, done);
		if (status)
			EXPECT_EQ(1, loom_sync_status(client[from].fd, sync));
		EXPECT_EQ(0, loom_bo_wait(client[to].fd, shared, loom_soon()));
		EXPECT_EQ(1, loom_sync_status(client[from].fd, sync));
		EXPECT_EQ(0, loom_sync_wait(client[to].fd, done, loom_soon()));
		EXPECT_EQ(1, loom_sync_status(client[to].fd, done));
	}
}

/* Memory of a device's own: out while it is shared, with its bytes, and back afterwards. */
TEST_F(peer, a_buffer_comes_home)
{
	struct loom_client *client = self->client;
	uint32_t from, handle, shared, moved = 0;
	struct drm_loom_bo_info info;
	float *here, *there;
	int64_t end;

	for (from = 0; from < 2; from++) {
		uint32_t to = !from;

		if (!loom_is_own(client[from].fd, DRM_LOOM_REGION_DRAM))
			continue;
		moved++;
		ASSERT_EQ(0, create(self, from, &handle));
		here = map(self, from, handle);
		fill(here, self->count, 11);
		ASSERT_EQ(0, loom_bo_share(client[from].fd, handle, client[to].fd, &shared));
		ASSERT_EQ(0, loom_bo_info(client[from].fd, handle, &info));
		EXPECT_NE(0, info.flags & DRM_LOOM_BO_EVICTED);
		there = map(self, to, shared);
		EXPECT_EQ(0, wrong(there, self->count, 11, 1));
		/* both write */
		fill(there, self->count, 12);
		EXPECT_EQ(0, wrong(here, self->count, 12, 1));
		fill(here, self->count, 13);
		munmap(there, self->bytes);
		ASSERT_EQ(0, submit(self, from, self->negate[from], handle, client[from].out, 0,
				    0));
		ASSERT_EQ(0, loom_bo_info(client[from].fd, handle, &info));
		EXPECT_NE(0, info.flags & DRM_LOOM_BO_EVICTED);
		/* the job may be reading it where it was, and is waited for by who has closed it */
		EXPECT_EQ(0, loom_bo_close(client[to].fd, shared));
		end = loom_soon();
		do {
			ASSERT_EQ(0, submit(self, from, self->negate[from], handle,
					    client[from].out, 0, 0));
			ASSERT_EQ(0, loom_bo_info(client[from].fd, handle, &info));
			ASSERT_EQ(0, loom_bo_wait(client[from].fd, handle, loom_soon()));
		} while (info.flags & DRM_LOOM_BO_EVICTED && loom_now_ns() < end);
		EXPECT_EQ(0, info.flags & DRM_LOOM_BO_EVICTED);
		ASSERT_EQ(0, loom_bo_wait(client[from].fd, handle, loom_soon()));
		EXPECT_EQ(0, wrong(here, self->count, 13, 1));
		munmap(here, self->bytes);
		here = loom_bo_map(client[from].fd, client[from].out, client[from].bytes);
		EXPECT_EQ(0, wrong(here, self->count, 13, -1));
		munmap(here, client[from].bytes);
	}
	if (!moved)
		SKIP(return, "no memory of its own");
}

/* SRAM is what a buffer was made for, and no other device is there. */
TEST_F(peer, sram_of_its_own_is_not_shared)
{
	uint32_t from, handle, shared, tried = 0;
	struct loom_client *client = self->client;

	for (from = 0; from < 2; from++) {
		if (!loom_is_own(client[from].fd, DRM_LOOM_REGION_SRAM))
			continue;
		tried++;
		ASSERT_EQ(0, loom_bo_create(client[from].fd, LOOM_PAGE, DRM_LOOM_REGION_SRAM,
					    &handle));
		EXPECT_EQ(-EOPNOTSUPP, loom_bo_share(client[from].fd, handle, client[!from].fd,
						     &shared));
	}
	if (!tried)
		SKIP(return, "no memory of its own");
}

/* The files, the dma-buf and the handles: each may be the last, while jobs use the buffer. */
TEST_F(peer, closed_in_any_order)
{
	static const char orders[][5] = {
		"ABHD", "BAHD", "DHAB", "DHBA", "HABD", "HBDA", "ADBH", "BDAH"
	};
	uint32_t n;
	const char *step;

	for (n = 0; n < 2 * LOOM_ARRAY_SIZE(orders); n++) {
		FIXTURE_DATA(peer) other = *self;
		uint32_t from = n % 2, to = !from, handle, shared;
		int dmabuf, fds[2], i;

		ASSERT_EQ(2, open_nodes(fds, 2));
		for (i = 0; i < 2; i++) {
			ASSERT_EQ(0, loom_client_open_fd(&other.client[i], fds[i]));
			other.busy[i] = loom_client_plan_busy(&other.client[i]);
			other.negate[i] = loom_client_plan_unary(&other.client[i],
								 DRM_LOOM_UNARY_NEG);
		}
		ASSERT_EQ(0, create(&other, from, &handle));
		dmabuf = loom_bo_export(fds[from], handle);
		ASSERT_GE(dmabuf, 0);
		ASSERT_EQ(0, loom_bo_import(fds[to], dmabuf, &shared));
		for (i = 0; i < 2; i++) {
			ASSERT_EQ(0, submit(&other, from, other.busy[from], handle,
					    other.client[from].out, 0, 0));
			ASSERT_EQ(0, submit(&other, to, other.busy[to], shared,
					    other.client[to].out, 0, 0));
		}
		for (step = orders[n / 2]; *step; step++)
			switch (*step) {
			case 'A':
				loom_client_close(&other.client[from]);
				break;
			case 'B':
				loom_client_close(&other.client[to]);
				break;
			case 'D':
				close(dmabuf);
				break;
			default:
				if (other.client[from].fd >= 0)
					EXPECT_EQ(0, loom_bo_close(fds[from], handle));
				if (other.client[to].fd >= 0)
					EXPECT_EQ(0, loom_bo_close(fds[to], shared));
			}
	}
	EXPECT_EQ(0, loom_client_run(&self->client[0], self->negate[0], 2, 0));
	EXPECT_EQ(0, loom_client_run(&self->client[1], self->negate[1], 2, 0));
}

/* One more is shared than was, closed and shared again, while jobs of both use it. */
TEST_F(peer, shared_and_not_shared_in_turn)
{
	uint32_t from, round, handle, shared;
	struct loom_client *client = self->client;
	float *here;

	for (from = 0; from < 2; from++) {
		uint32_t to = !from;

		ASSERT_EQ(0, create(self, from, &handle));
		here = map(self, from, handle);
		fill(here, self->count, 21);
		for (round = 0; round < MAPPINGS; round++) {
			ASSERT_EQ(0, submit(self, from, self->busy[from], handle,
					    client[from].out, 0, 0));
			ASSERT_EQ(0, loom_bo_share(client[from].fd, handle, client[to].fd,
						   &shared));
			ASSERT_EQ(0, submit(self, from, self->negate[from], handle,
					    client[from].out, 0, 0));
			ASSERT_EQ(0, submit(self, to, self->negate[to], shared, client[to].out, 0,
					    0));
			EXPECT_EQ(0, loom_bo_close(client[to].fd, shared));
		}
		ASSERT_EQ(0, loom_bo_wait(client[from].fd, handle, loom_soon()));
		EXPECT_EQ(0, wrong(here, self->count, 21, 1));
		munmap(here, self->bytes);
	}
}

/* Of one that shares a node with loom_bus(). */
static bool is_first(const struct loom_client *client)
{
	struct stat a, b;
	int fd = loom_open();
	bool same = fd >= 0 && !fstat(fd, &a) && !fstat(client->fd, &b) && a.st_rdev == b.st_rdev;

	close(fd);
	return same;
}

/* Whichever device goes, jobs of the other one end, and its buffers keep their bytes. */
TEST_F(peer, one_is_unplugged)
{
	uint32_t gone, stays, handle[2], shared[2], i, sync;
	struct loom_client *client = self->client;
	float *here;

	if (!loom_can_unbind())
		SKIP(return, "no right to unbind the device");
	gone = is_first(&client[0]) ? 0 : 1;
	stays = !gone;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, create(self, i, &handle[i]));
		ASSERT_EQ(0, loom_bo_share(client[i].fd, handle[i], client[!i].fd, &shared[!i]));
	}
	here = map(self, stays, handle[stays]);
	fill(here, self->count, 31);
	sync = loom_sync_create(client[stays].fd, 0);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, submit(self, gone, self->busy[gone], shared[gone], handle[gone], 0,
				    0));
		ASSERT_EQ(0, submit(self, stays, self->busy[stays], handle[stays], shared[stays], 0,
				    0));
	}
	ASSERT_EQ(0, loom_unbind());
	/* its buffer is in the host's memory, and still there */
	ASSERT_EQ(0, submit(self, stays, self->negate[stays], handle[stays], shared[stays], 0,
			    sync));
	EXPECT_EQ(0, loom_sync_wait(client[stays].fd, sync, loom_soon()));
	EXPECT_EQ(1, loom_sync_status(client[stays].fd, sync));
	EXPECT_EQ(0, wrong(here, self->count, 31, 1));
	memset(here, 0, self->bytes);
	ASSERT_EQ(0, submit(self, stays, self->negate[stays], shared[stays], handle[stays], 0,
			    sync));
	EXPECT_EQ(0, loom_sync_wait(client[stays].fd, sync, loom_soon()));
	EXPECT_EQ(0, wrong(here, self->count, 31, 1));
	munmap(here, self->bytes);
	EXPECT_EQ(-ENODEV, submit(self, gone, self->negate[gone], shared[gone], handle[gone], 0,
				  0));
	EXPECT_EQ(0, loom_bo_close(client[stays].fd, shared[stays]));
	loom_client_close(&client[gone]);
	ASSERT_EQ(0, loom_bind());
}
