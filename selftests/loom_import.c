// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers of another driver, vgem, that jobs of ours read and write.
 */
#include <sys/mman.h>

#include "loom_selftest.h"
#include "loom_vgem.h"

FIXTURE(import)
{
	struct loom_client client;
	int vgem, dmabuf[2];
	uint32_t handle[2], plan;
};

static int import_handle(int fd, int dmabuf, uint32_t *handle)
{
	struct drm_prime_handle prime = { .fd = dmabuf };
	int ret = loom_call(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);

	*handle = prime.handle;
	return ret;
}

FIXTURE_SETUP(import)
{
	int i, ret = loom_client_open(&self->client);

	self->vgem = -1;
	if (ret == -ENODEV)
		SKIP(return, "no loom device");
	ASSERT_EQ(0, ret);
	self->vgem = vgem_open();
	if (self->vgem < 0)
		SKIP(return, "no vgem");
	for (i = 0; i < 2; i++) {
		self->dmabuf[i] = vgem_create(self->vgem, self->client.bytes);
		ASSERT_GE(self->dmabuf[i], 0);
		ASSERT_EQ(0, import_handle(self->client.fd, self->dmabuf[i], &self->handle[i]));
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
	/* it is where a buffer of ours would be, and our mapping shows the same pages */
	ASSERT_EQ(0, loom_bo_info(self->client.fd, self->handle[1], &info));
	EXPECT_EQ(DRM_LOOM_REGION_DRAM, info.region);
	EXPECT_EQ(0, info.flags & DRM_LOOM_BO_EVICTED);
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

TEST_F(import, one_handle_and_one_buffer_each)
{
	uint32_t again;

	ASSERT_EQ(0, import_handle(self->client.fd, self->dmabuf[0], &again));
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
	ASSERT_EQ(0, import_handle(self->client.fd, dmabuf, &handle));
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
	ASSERT_EQ(0, import_handle(self->client.fd, dmabuf, &handle));
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
			ASSERT_EQ(0, import_handle(other.client.fd, other.dmabuf[i],
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

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
