// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a device's own: a card, or the skeleton of a back end with own=1 (loom_template.ko).
 */
#include <pthread.h>

#include "loom_selftest.h"

#define TEMPLATE	"/sys/bus/platform/devices/loom-template/accel"

/*
 * Of any device that has it: loom_template.ko with own=1, a card. Bytes of a buffer are copied when
 * it is evicted and when it comes back, by the device.
 */
FIXTURE(own)
{
	struct loom_client client;
	struct drm_loom_region_info dram;
	struct drm_loom_region_info sram;
	/* its jobs do something */
	bool computes;
};

FIXTURE_SETUP(own)
{
	int fd = loom_open_in(TEMPLATE);

	self->computes = fd < 0;
	if (fd < 0)
		fd = loom_open();
	ASSERT_EQ(0, loom_client_open_fd(&self->client, fd));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_DRAM, &self->dram));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &self->sram));
	/* all of the DRAM is filled twice, and may not be more than the caps on buffers */
	if (self->dram.total_bytes * self->dram.banks > 64 << 20)
		SKIP(return, "more memory than can be tried");
	if (!(self->dram.flags & DRM_LOOM_REGION_OWN))
		SKIP(return, "no memory of its own");
}

FIXTURE_TEARDOWN(own)
{
	loom_client_close(&self->client);
}

static int create_paged(int fd, uint32_t region, uint64_t size, uint32_t page_bytes,
			uint32_t *handle)
{
	struct drm_loom_bo_create args = {
		.size = size, .region = region, .page_bytes = page_bytes,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

static void fill(void *map, uint64_t size, uint32_t seed)
{
	uint32_t *word = map;
	uint64_t i;

	for (i = 0; i < size / sizeof(*word); i++)
		word[i] = seed + i;
}

static bool is_filled(const void *map, uint64_t size, uint32_t seed)
{
	const uint32_t *word = map;
	uint64_t i;

	for (i = 0; i < size / sizeof(*word); i++)
		if (word[i] != (uint32_t)(seed + i))
			return false;
	return true;
}

static bool is_zero(const unsigned char *map, uint64_t size)
{
	return !map[0] && !memcmp(map, map + 1, size - 1);
}

static bool is_evicted(int fd, uint32_t handle)
{
	struct drm_loom_bo_info info;

	return !loom_bo_info(fd, handle, &info) && info.flags & DRM_LOOM_BO_EVICTED;
}

/* Twice as much as there is: all goes to the host at some time, and nothing is lost. */
TEST_F(own, bytes_survive_eviction)
{
	uint64_t size = self->dram.total_bytes * self->dram.banks / 4 / LOOM_PAGE * LOOM_PAGE;
	uint32_t handle[8], i, evicted = 0;
	void *map[8];

	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, loom_bo_create(self->client.fd, size, DRM_LOOM_REGION_DRAM,
					    &handle[i]));
		map[i] = loom_bo_map(self->client.fd, handle[i], size);
		ASSERT_NE(MAP_FAILED, map[i]);
		EXPECT_TRUE(is_zero(map[i], size));
		fill(map[i], size, i * 0x10000001);
	}
	for (i = 0; i < 8; i++) {
		EXPECT_TRUE(is_filled(map[i], size, i * 0x10000001));
		evicted += is_evicted(self->client.fd, handle[i]);
		munmap(map[i], size);
	}
	EXPECT_LE(4, evicted);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, loom_bo_close(self->client.fd, handle[i]));
}

/* Another file of the same node. */
static int open_again(int fd)
{
	char node[32];

	snprintf(node, sizeof(node), "/proc/self/fd/%d", fd);
	return open(node, O_RDWR);
}

/* How often somebody keeps the module of a device in memory, or -1. */
static long module_users(int fd)
{
	char path[100], text[32] = "";
	struct stat node;

	if (fstat(fd, &node))
		return -1;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/driver/module/refcnt",
		 major(node.st_rdev), minor(node.st_rdev));
	return loom_read_file(path, text, sizeof(text)) ? -1 : atol(text);
}

/* The device still zeroes its buffers when a file is closed, and nothing is left of them then. */
TEST_F_TIMEOUT(own, a_closed_file_leaves_nothing_behind, 60)
{
	uint64_t size = self->dram.total_bytes * self->dram.banks / 4 / LOOM_PAGE * LOOM_PAGE;
	long users = module_users(self->client.fd);
	int64_t end = loom_soon();
	uint32_t handle, i;
	int fd;

	if (users < 0)
		SKIP(return, "the kernel does not say who uses the module");
	for (i = 0; i < 8; i++) {
		fd = open_again(self->client.fd);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, loom_bo_create(fd, size, DRM_LOOM_REGION_DRAM, &handle));
		close(fd);
	}
	while (module_users(self->client.fd) > users && loom_now_ns() < end)
		usleep(1000);
	EXPECT_GE(users, module_users(self->client.fd));
}

/* A mapping outlives the handle, and the place in the region. */
TEST_F(own, a_mapping_keeps_the_bytes)
{
	uint64_t size = 64 * LOOM_PAGE;
	uint32_t handle;
	void *map;

	ASSERT_EQ(0, loom_bo_create(self->client.fd, size, DRM_LOOM_REGION_DRAM, &handle));
	map = loom_bo_map(self->client.fd, handle, size);
	ASSERT_NE(MAP_FAILED, map);
	fill(map, size, 77);
	ASSERT_EQ(0, loom_bo_close(self->client.fd, handle));
	EXPECT_TRUE(is_filled(map, size, 77));
	munmap(map, size);
}

/* Bytes of earlier owners are not seen, not even behind the last byte. */
TEST_F(own, new_buffers_are_zero)
{
	uint64_t size = self->dram.total_bytes * self->dram.banks / 2 / LOOM_PAGE * LOOM_PAGE;
	uint32_t handle, round;
	unsigned char *map;

	for (round = 0; round < 4; round++) {
		ASSERT_EQ(0, loom_bo_create(self->client.fd, size - 100 * round,
					    DRM_LOOM_REGION_DRAM, &handle));
		map = loom_bo_map(self->client.fd, handle, size - 100 * round);
		ASSERT_NE(MAP_FAILED, map);
		EXPECT_TRUE(is_zero(map, size));
		memset(map, 0xff, size);
		munmap(map, size);
		ASSERT_EQ(0, loom_bo_close(self->client.fd, handle));
	}
}

/* Pages that are none of the processor's: the buffer goes to the host when it is touched. */
TEST_F(own, any_layout_can_be_mapped_in_the_dram)
{
	uint64_t size = 1000 * 64 + 24;
	uint32_t handle;
	void *map;

	ASSERT_EQ(0, create_paged(self->client.fd, DRM_LOOM_REGION_DRAM, size,
				  self->dram.align_bytes, &handle));
	EXPECT_FALSE(is_evicted(self->client.fd, handle));
	map = loom_bo_map(self->client.fd, handle, size);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_TRUE(is_zero(map, size));
	EXPECT_TRUE(is_evicted(self->client.fd, handle));
	fill(map, size, 5);
	EXPECT_TRUE(is_filled(map, size, 5));
	munmap(map, size);
	EXPECT_EQ(0, loom_bo_close(self->client.fd, handle));
}

TEST_F(own, the_sram_is_mapped_in_place_or_not_at_all)
{
	uint64_t size = self->sram.banks * self->sram.align_bytes;
	uint32_t handle;
	void *map;

	ASSERT_EQ(0, create_paged(self->client.fd, DRM_LOOM_REGION_SRAM, size,
				  self->sram.align_bytes, &handle));
	errno = 0;
	EXPECT_EQ(MAP_FAILED, loom_bo_map(self->client.fd, handle, size));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_EQ(0, loom_bo_close(self->client.fd, handle));

	size = self->sram.banks * LOOM_PAGE;
	if (self->sram.share_bytes < LOOM_PAGE)
		SKIP(return, "the share of the SRAM is less than a page");
	ASSERT_EQ(0, create_paged(self->client.fd, DRM_LOOM_REGION_SRAM, size, LOOM_PAGE,
				  &handle));
	map = loom_bo_map(self->client.fd, handle, size);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_TRUE(is_zero(map, size));
	fill(map, size, 9);
	EXPECT_TRUE(is_filled(map, size, 9));
	EXPECT_FALSE(is_evicted(self->client.fd, handle));
	munmap(map, size);
	EXPECT_EQ(0, loom_bo_close(self->client.fd, handle));
}

/* ------------------------------------------------------------------ copies */

/* Layouts of which no page is one of the processor's. */
static const struct layout {
	const char *name;
	struct drm_loom_bo_create args;
} layouts[] = {
	{ "lines", { .size = 100 * 64 + 24, .page_bytes = 64 } },
	{ "pages with padding", { .size = 100 * 100 + 24, .page_bytes = 100 } },
	{ "long lines", { .size = 5 * 512 + 1, .page_bytes = 512 } },
	{ "an image", { .layout = DRM_LOOM_LAYOUT_IMAGE, .dtype = DRM_LOOM_DTYPE_F32,
			.width = 37, .height = 19 } },
	{ "an image of bytes", { .layout = DRM_LOOM_LAYOUT_IMAGE, .dtype = DRM_LOOM_DTYPE_I8,
				 .width = 3, .height = 50 } },
	{ "shards", { .size = 48 * 64, .layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK, .page_bytes = 64,
		      .page_columns = 8, .shard_rows = 3, .shard_columns = 4,
		      .grid_columns = 2 } },
};

/* Random pieces are written and read, and compared with a copy of ours. */
static void copy_pieces(struct __test_metadata *_metadata, int fd, uint32_t handle, uint64_t size,
			const char *name)
{
	uint8_t *want = calloc(1, size), *piece = malloc(size);
	uint32_t round, wrong = 0;
	uint64_t i;

	ASSERT_NE(NULL, want);
	ASSERT_NE(NULL, piece);
	/* zeroes at first, also between the rows of an image */
	memset(piece, 0xff, size);
	ASSERT_EQ(size, loom_bo_read(fd, handle, 0, piece, size)) TH_LOG("%s", name);
	EXPECT_EQ(0, memcmp(piece, want, size)) TH_LOG("%s", name);
	for (round = 0; round < 60; round++) {
		uint64_t at = random() % size, bytes = 1 + random() % (size - at);

		for (i = 0; i < bytes; i++)
			piece[i] = random();
		ASSERT_EQ(bytes, loom_bo_write(fd, handle, at, piece, bytes));
		memcpy(want + at, piece, bytes);
		at = random() % size;
		bytes = 1 + random() % (size - at);
		ASSERT_EQ(bytes, loom_bo_read(fd, handle, at, piece, bytes));
		wrong += !!memcmp(piece, want + at, bytes);
	}
	EXPECT_EQ(0, wrong) TH_LOG("%s", name);
	free(want);
	free(piece);
}

TEST_F_TIMEOUT(own, what_is_not_mapped_is_copied, 60)
{
	int fd = self->client.fd;
	uint32_t i, region, tried = 0;
	int ret;

	for (region = UINT32_MAX; loom_next_region(fd, &region);)
		for (i = 0; i < LOOM_ARRAY_SIZE(layouts); i++) {
			struct drm_loom_bo_create args = layouts[i].args;
			uint32_t handle;

			args.region = region;
			ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);
			/* of too few banks for the shards */
			if (ret == -EINVAL && args.layout == DRM_LOOM_LAYOUT_SHARDED_BLOCK)
				continue;
			ASSERT_EQ(0, ret) TH_LOG("%s", layouts[i].name);
			tried++;
			/* two of them: one must not write over the other */
			handle = args.handle;
			args = layouts[i].args;
			args.region = region;
			ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
			copy_pieces(_metadata, fd, args.handle, args.size, layouts[i].name);
			copy_pieces(_metadata, fd, handle, args.size, layouts[i].name);
			EXPECT_FALSE(is_evicted(fd, handle));
			EXPECT_FALSE(is_evicted(fd, args.handle));
			EXPECT_EQ(0, loom_bo_close(fd, handle));
			EXPECT_EQ(0, loom_bo_close(fd, args.handle));
		}
	TH_LOG("%u layouts", tried);
	EXPECT_LT(LOOM_ARRAY_SIZE(layouts), tried);
}

/* Where a buffer is makes no difference: in the banks, on the host, on its way. */
TEST_F_TIMEOUT(own, copies_of_what_is_evicted, 120)
{
	uint64_t size = self->dram.total_bytes * self->dram.banks / 4 / LOOM_PAGE * LOOM_PAGE;
	uint32_t handle[8], i, round, evicted = 0, wrong = 0;
	uint32_t *piece = malloc(size);

	ASSERT_NE(NULL, piece);
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, loom_bo_create(self->client.fd, size, DRM_LOOM_REGION_DRAM,
					    &handle[i]));
		fill(piece, size, i * 0x10000001);
		ASSERT_EQ(size, loom_bo_write(self->client.fd, handle[i], 0, piece, size));
	}
	for (round = 0; round < 2; round++)
		for (i = 0; i < 8; i++) {
			evicted += is_evicted(self->client.fd, handle[i]);
			memset(piece, 0, size);
			ASSERT_EQ(size, loom_bo_read(self->client.fd, handle[i], 0, piece, size));
			wrong += !is_filled(piece, size, i * 0x10000001);
		}
	EXPECT_EQ(0, wrong);
	EXPECT_LE(4, evicted);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, loom_bo_close(self->client.fd, handle[i]));
	free(piece);
}

/* One thread copies all the time while others push the buffer out, and jobs pull it back. */
struct evictor {
	int fd;
	uint64_t size;
	bool stop;
	int ret;
};

static void *evict_all(void *data)
{
	struct evictor *evictor = data;
	uint32_t handle[5], i;

	while (!__atomic_load_n(&evictor->stop, __ATOMIC_RELAXED) && !evictor->ret) {
		for (i = 0; i < 5 && !evictor->ret; i++)
			evictor->ret = loom_bo_create(evictor->fd, evictor->size,
						      DRM_LOOM_REGION_DRAM, &handle[i]);
		/* the last one was not made */
		if (evictor->ret)
			i--;
		while (i--)
			loom_bo_close(evictor->fd, handle[i]);
		/* closed buffers still have pages while the device copies there */
		if (evictor->ret == -EDQUOT)
			evictor->ret = 0;
		usleep(5000);
	}
	return NULL;
}

TEST_F_TIMEOUT(own, copies_of_what_moves, 120)
{
	struct evictor evictor = {
		.fd = open_again(self->client.fd),
		.size = self->dram.total_bytes * self->dram.banks / 4 / LOOM_PAGE * LOOM_PAGE,
	};
	uint64_t bytes = self->client.bytes, i;
	uint32_t plan = loom_client_plan_copy(&self->client);
	uint32_t round, wrong = 0, evicted = 0;
	float *in = malloc(bytes), *out = malloc(bytes);
	pthread_t thread;

	ASSERT_LE(0, evictor.fd);
	ASSERT_NE(0, plan);
	ASSERT_NE(NULL, in);
	ASSERT_NE(NULL, out);
	ASSERT_EQ(0, pthread_create(&thread, NULL, evict_all, &evictor));
	for (round = 0; round < loom_effort(40); round++) {
		for (i = 0; i < bytes / sizeof(*in); i++)
			in[i] = round * 1000.0f + i;
		ASSERT_EQ(bytes, loom_bo_write(self->client.fd, self->client.in, 0, in, bytes));
		ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
		/* behind moves of all of the memory: the test's own timeout is the end */
		ASSERT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, INT64_MAX));
		ASSERT_EQ(bytes, loom_bo_read(self->client.fd, self->client.out, 0, out, bytes));
		for (i = 0; self->computes && i < bytes / sizeof(*in); i++)
			wrong += out[i] != in[i];
		ASSERT_EQ(bytes, loom_bo_read(self->client.fd, self->client.in, 0, out, bytes));
		wrong += !!memcmp(in, out, bytes);
		evicted += is_evicted(self->client.fd, self->client.in);
	}
	__atomic_store_n(&evictor.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, evictor.ret);
	TH_LOG("evicted %u times", evicted);
	close(evictor.fd);
	free(in);
	free(out);
}

/* A killed client may keep its place in the SRAM for as long as the device copies there. */
static int create_in_sram(int fd, uint64_t size, uint32_t page_bytes, uint32_t *handle)
{
	int64_t end = loom_soon();
	int ret;

	for (;;) {
		ret = create_paged(fd, DRM_LOOM_REGION_SRAM, size, page_bytes, handle);
		if (ret != -ENOSPC || loom_now_ns() > end)
			return ret;
		usleep(1000);
	}
}

/* Copies all the time, until it is killed. */
static void copy_for_ever(int node, uint64_t size, uint32_t page_bytes)
{
	uint8_t *bytes = calloc(1, size);
	int fd = open_again(node);
	uint32_t handle;

	if (!bytes || fd < 0 || create_in_sram(fd, size, page_bytes, &handle))
		_exit(1);
	while (loom_bo_write(fd, handle, 0, bytes, size) == (int64_t)size &&
	       loom_bo_read(fd, handle, 0, bytes, size) == (int64_t)size)
		;
	_exit(2);
}

/* Its buffer goes while the device copies, and the next one that is there is zero. */
TEST_F_TIMEOUT(own, who_is_killed_leaves_nothing, 120)
{
	uint64_t share = self->sram.share_bytes ?: self->sram.total_bytes / 4;
	uint64_t size = share / self->sram.align_bytes / 2 * self->sram.align_bytes *
			self->sram.banks;
	uint32_t page = self->sram.align_bytes, round, handle;
	struct drm_loom_region_info after;
	uint8_t *bytes = malloc(size);
	int64_t end;
	int status;
	pid_t child;

	ASSERT_NE(NULL, bytes);
	for (round = 0; round < loom_effort(20); round++) {
		child = loom_fork();
		ASSERT_GE(child, 0);
		if (!child)
			copy_for_ever(self->client.fd, size, page);
		usleep(1000 + random() % 50000);
		kill(child, SIGKILL);
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
		ASSERT_EQ(0, create_in_sram(self->client.fd, size, page, &handle));
		memset(bytes, 0xff, size);
		ASSERT_EQ(size, loom_bo_read(self->client.fd, handle, 0, bytes, size));
		EXPECT_TRUE(is_zero(bytes, size));
		memset(bytes, 0xff, size);
		ASSERT_EQ(size, loom_bo_write(self->client.fd, handle, 0, bytes, size));
		EXPECT_EQ(0, loom_bo_close(self->client.fd, handle));
	}
	free(bytes);
	end = loom_soon();
	do {
		usleep(1000);
		ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &after));
	} while (after.blocks && loom_now_ns() < end);
	EXPECT_EQ(0, after.blocks);
}
