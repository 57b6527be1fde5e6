// SPDX-License-Identifier: GPL-2.0
/*
 * TTM past its page limit: it swaps buffers out to shmem, whoever they belong to, when a buffer is
 * made, touched or brought back. Contents are compared to the byte, before and after jobs.
 *
 * The limit is a parameter of the ttm module; root can also ask for one buffer to be swapped out
 * by reading a file in debugfs. Tests skip where these files are missing.
 */
#include "loom_selftest.h"

#define PAGES_LIMIT	"/sys/module/ttm/parameters/pages_limit"
#define TT_SHRINK	"/sys/kernel/debug/ttm/tt_shrink"
#define WATERMARK	"/proc/sys/vm/watermark_scale_factor"
#define BUFFERS		8
#define NORMAL_BYTES	(64 * 1024)

struct buffer {
	uint32_t handle;
	uint64_t bytes;
};

FIXTURE(pressure)
{
	struct loom_client client;
	struct buffer buffer[BUFFERS];
	uint32_t count;
	uint32_t plan, fence;
	char limit[32];
};

/* Floats that are neither denormal nor NaN, every other one negative. */
static unsigned char pattern(uint32_t buffer, uint64_t at)
{
	if (at % 4 == 3)
		return at & 4 ? 0xc1 : 0x41;
	return at * 7 + (at >> 8) * 13 + buffer * 31 + 1;
}

static int fill(int fd, const struct buffer *buffer, uint32_t index)
{
	unsigned char *map = loom_bo_map(fd, buffer->handle, buffer->bytes);
	uint64_t i;

	if (map == MAP_FAILED)
		return -errno;
	for (i = 0; i < buffer->bytes; i++)
		map[i] = pattern(index, i);
	return munmap(map, buffer->bytes);
}

/* Return: how many bytes are not as fill() has left them, or -errno. */
static int64_t differ(int fd, const struct buffer *buffer, uint32_t index)
{
	unsigned char *map = loom_bo_map(fd, buffer->handle, buffer->bytes);
	int64_t wrong = 0;
	uint64_t i;

	if (map == MAP_FAILED)
		return -errno;
	for (i = 0; i < buffer->bytes; i++)
		wrong += map[i] != pattern(index, i);
	munmap(map, buffer->bytes);
	return wrong;
}

static int64_t differ_all(struct _test_data_pressure *self)
{
	int64_t wrong = 0;
	uint32_t i;

	for (i = 0; i < self->count; i++)
		wrong += llabs(differ(self->client.fd, &self->buffer[i], i));
	return wrong;
}

static int add(struct _test_data_pressure *self, struct drm_loom_bo_create *args)
{
	int ret = loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, args);
	struct buffer *buffer = &self->buffer[self->count];

	if (ret)
		return ret;
	buffer->handle = args->handle;
	buffer->bytes = args->size;
	return fill(self->client.fd, buffer, self->count++);
}

/* One of each kind that the driver tells apart. */
static int add_all(struct _test_data_pressure *self)
{
	uint64_t mask = 1, bytes = NORMAL_BYTES;
	struct drm_loom_bo_create create[] = {
		{ .size = bytes },
		{ .size = bytes + 100, .direction = DRM_LOOM_DIRECTION_TOP_DOWN },
		{ .size = bytes, .bank_mask = (uintptr_t)&mask, .bank_mask_words = 1 },
		{ .layout = DRM_LOOM_LAYOUT_IMAGE, .width = 100, .height = 37,
		  .dtype = DRM_LOOM_DTYPE_F32 },
		{ .layout = DRM_LOOM_LAYOUT_IMAGE, .width = 100, .height = 37,
		  .dtype = DRM_LOOM_DTYPE_F32,
		  .bank_mask = (uintptr_t)&mask, .bank_mask_words = 1 },
		{ .size = 4096, .region = DRM_LOOM_REGION_SRAM },
		{ .size = 1024, .region = DRM_LOOM_REGION_SRAM, .page_bytes = 64,
		  .bank_mask = (uintptr_t)&mask, .bank_mask_words = 1 },
		{ .size = bytes },
	};
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < LOOM_ARRAY_SIZE(create); i++)
		ret = add(self, &create[i]);
	return ret;
}

/* A job that reads a buffer of ours: in the client's output, sign bits are cleared. */
static int run(struct _test_data_pressure *self, uint32_t in)
{
	struct loom_job job;
	int ret;

	loom_job_init(&job, &self->client, self->plan, 2, self->fence);
	job.bindings[0].handle = in;
	ret = loom_job_submit(self->client.fd, &job);
	return ret ?: loom_sync_wait(self->client.fd, self->fence, loom_soon());
}

/* Whether the job's output is right. */
static bool result_is_right(struct _test_data_pressure *self, uint32_t index)
{
	uint64_t bytes = self->client.bytes, i;
	unsigned char *map = loom_bo_map(self->client.fd, self->client.out, bytes);
	bool right = true;

	if (map == MAP_FAILED)
		return false;
	for (i = 0; i < bytes; i++)
		right &= map[i] == (pattern(index, i) & (i % 4 == 3 ? 0x7f : 0xff));
	munmap(map, bytes);
	return right;
}

FIXTURE_SETUP(pressure)
{
	self->limit[0] = 0;
	self->count = 0;
	ASSERT_EQ(0, loom_client_open(&self->client));
	if (loom_is_own(self->client.fd, DRM_LOOM_REGION_DRAM))
		SKIP(return, "resident buffers have no pages: these are the device's own memory");
	ASSERT_LE(self->client.bytes, NORMAL_BYTES);
	self->plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	self->fence = loom_sync_create(self->client.fd, 0);
	ASSERT_NE(0, self->plan);
	ASSERT_NE(0, self->fence);
	ASSERT_EQ(0, add_all(self));
}

FIXTURE_TEARDOWN(pressure)
{
	if (self->limit[0])
		EXPECT_EQ(0, loom_write_file(PAGES_LIMIT, self->limit));
	loom_client_close(&self->client);
}

/* Pages that were swapped out, or what the kernel said instead. */
static long shrink(void)
{
	char text[32];

	return loom_read_file(TT_SHRINK, text, sizeof(text)) ? -EIO : atol(text);
}

TEST_F_TIMEOUT(pressure, what_root_has_swapped_out_comes_back, 60)
{
	struct drm_loom_bo_info info;
	uint32_t round, i, swapped = 0, evicted;
	long pages;

	if (access(TT_SHRINK, R_OK))
		SKIP(return, "no " TT_SHRINK ", or not the right to read it");
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, run(self, self->buffer[0].handle));
		EXPECT_TRUE(result_is_right(self, 0));
		for (i = 0; i < 100 && (pages = shrink()) > 0; i++)
			swapped++;
		EXPECT_GE(pages, 0);
		evicted = 0;
		for (i = 0; i < self->count; i++) {
			ASSERT_EQ(0, loom_bo_info(self->client.fd, self->buffer[i].handle, &info));
			evicted += info.flags & DRM_LOOM_BO_EVICTED;
			/* buffers in the SRAM stay there */
			if (info.region == DRM_LOOM_REGION_SRAM)
				EXPECT_EQ(0, info.flags & DRM_LOOM_BO_EVICTED);
		}
		EXPECT_EQ(6, evicted);
		/* back by a job, or else by being looked at */
		if (round != 1)
			ASSERT_EQ(0, run(self, self->buffer[7].handle));
		EXPECT_EQ(0, differ_all(self));
	}
	EXPECT_GE(swapped, 6);
}

static void *shrinker(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_ACQUIRE))
		if (shrink() <= 0)
			usleep(1000);
	return NULL;
}

TEST_F_TIMEOUT(pressure, jobs_run_while_buffers_are_swapped_out, 60)
{
	uint32_t wrong = 0, i;
	bool stop = false;
	pthread_t thread;

	if (access(TT_SHRINK, R_OK))
		SKIP(return, "no " TT_SHRINK ", or not the right to read it");
	ASSERT_EQ(0, pthread_create(&thread, NULL, shrinker, &stop));
	for (i = 0; i < loom_effort(100); i++) {
		uint32_t in = i & 1 ? 7 : 0;

		if (run(self, self->buffer[in].handle))
			wrong++;
		else
			wrong += !result_is_right(self, in);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, differ_all(self));
}

TEST_F_TIMEOUT(pressure, past_the_page_limit_of_ttm, 60)
{
	struct drm_loom_bo_create args;
	uint32_t i, first = self->count;
	struct buffer more[16];

	if (access(PAGES_LIMIT, W_OK) ||
	    loom_read_file(PAGES_LIMIT, self->limit, sizeof(self->limit))) {
		self->limit[0] = 0;
		SKIP(return, "no " PAGES_LIMIT ", or not the right to write it");
	}
	/* a dozen pages: each buffer that is made, touched or used drives others out */
	ASSERT_EQ(0, loom_write_file(PAGES_LIMIT, "12"));
	for (i = 0; i < LOOM_ARRAY_SIZE(more); i++) {
		args = (struct drm_loom_bo_create) { .size = NORMAL_BYTES };
		ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
		more[i] = (struct buffer) { args.handle, args.size };
		ASSERT_EQ(0, fill(self->client.fd, &more[i], first + i));
		if (i % 4 == 0) {
			ASSERT_EQ(0, run(self, more[i / 2].handle));
			EXPECT_TRUE(result_is_right(self, first + i / 2));
		}
	}
	for (i = 0; i < LOOM_ARRAY_SIZE(more); i++)
		EXPECT_EQ(0, differ(self->client.fd, &more[i], first + i));
	EXPECT_EQ(0, differ_all(self));
	ASSERT_EQ(0, run(self, self->buffer[0].handle));
	EXPECT_TRUE(result_is_right(self, 0));
}

/* Four buffers of half of the DRAM each, whose pages vgem has. */
TEST_F_TIMEOUT(pressure, an_exported_buffer_keeps_its_pages_and_no_address, 60)
{
	int fd = self->client.fd, vgem = vgem_open();
	uint32_t exported[4], imported[4], evicted = 0, i;
	struct drm_loom_region_info dram;
	struct drm_loom_bo_info info;
	struct buffer half;

	if (vgem < 0)
		SKIP(return, "no vgem");
	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_DRAM, &dram));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, loom_hollow_create(fd, dram.banks, dram.total_bytes / 2 - LOOM_PAGE,
						NORMAL_BYTES, &exported[i]));
		half = (struct buffer) { exported[i], NORMAL_BYTES };
		ASSERT_EQ(0, fill(fd, &half, 100 + i));
		ASSERT_EQ(0, vgem_import(vgem, fd, exported[i], &imported[i]));
	}
	while (!access(TT_SHRINK, R_OK) && shrink() > 0)
		;
	for (i = 0; i < 4; i++) {
		half = (struct buffer) { exported[i], NORMAL_BYTES };
		EXPECT_EQ(0, differ(fd, &half, 100 + i));
		ASSERT_EQ(0, loom_bo_info(fd, exported[i], &info));
		evicted += !!(info.flags & DRM_LOOM_BO_EVICTED);
	}
	EXPECT_GE(evicted, 2);
	EXPECT_EQ(0, differ_all(self));
	/* closed in either order, the pages are free to go */
	close(vgem);
	for (i = 0; i < 4; i++) {
		half = (struct buffer) { exported[i], NORMAL_BYTES };
		EXPECT_EQ(0, differ(fd, &half, 100 + i));
		EXPECT_EQ(0, loom_bo_close(fd, exported[i]));
	}
}

/*
 * By a high watermark the kernel is made to say that little memory is available when there is
 * enough of it: the answer to whether a new buffer is reasonable, not whether to touch one is.
 */
TEST_F_TIMEOUT(pressure, a_swapped_buffer_is_not_refused, 60)
{
	const uint64_t bytes = 64 << 20, step = 16 << 20;
	struct drm_loom_bo_create args = { .size = bytes };
	struct buffer large;
	char old[32];
	void *hog[512];
	uint32_t hogs = 0, i, handle;

	if (access(TT_SHRINK, R_OK) || access(WATERMARK, W_OK) ||
	    loom_read_file(WATERMARK, old, sizeof(old)))
		SKIP(return, "no " TT_SHRINK " or " WATERMARK ", or not the right to them");
	if (loom_effort(100) < 100)
		SKIP(return, "filling memory takes minutes on an instrumented kernel");
	if (loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args))
		SKIP(return, "the DRAM is too small");
	large = (struct buffer) { args.handle, args.size };
	ASSERT_EQ(0, fill(self->client.fd, &large, 50));
	while (shrink() > 0)
		;
	ASSERT_EQ(0, loom_write_file(WATERMARK, "1000"));
	while (hogs < LOOM_ARRAY_SIZE(hog) && loom_available_bytes() > bytes / 2) {
		hog[hogs] = mmap(NULL, step, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (hog[hogs] == MAP_FAILED)
			break;
		hogs++;
	}
	EXPECT_LE(loom_available_bytes(), bytes / 2);
	EXPECT_EQ(-ENOMEM, loom_bo_create(self->client.fd, bytes, DRM_LOOM_REGION_DRAM, &handle));
	EXPECT_EQ(0, differ(self->client.fd, &large, 50));
	for (i = 0; i < hogs; i++)
		munmap(hog[i], step);
	EXPECT_EQ(0, loom_write_file(WATERMARK, old));
}
