// SPDX-License-Identifier: GPL-2.0
/*
 * Structures that the driver writes may be older or newer than the client's: every record and every
 * answer of QUERY is asked for with less room than the driver's has, with the same, and with more;
 * every array also with such strides. Records are cut off at the client's size, its bytes that the
 * driver does not know are zero, and nothing is written behind that size.
 */
#include "loom_selftest.h"

#define POISON	0xaa
/* No record and no element grows past it; see the header. */
#define MAX_RECORD	4096

FIXTURE(growth)
{
	struct loom_client client;
	uint32_t plan;
	uint32_t exclusive;
	unsigned char *whole, *part;
};

FIXTURE_SETUP(growth)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	/* so that a plan may have scratch where a buffer can be in its way */
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &self->exclusive));
	self->plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	ASSERT_NE(0, self->plan);
	self->whole = malloc(1 << 20);
	self->part = malloc(1 << 20);
	ASSERT_NE(NULL, self->whole);
	ASSERT_NE(NULL, self->part);
}

FIXTURE_TEARDOWN(growth)
{
	loom_client_close(&self->client);
	free(self->whole);
	free(self->part);
}

static bool all(const unsigned char *bytes, unsigned char value, uint32_t count)
{
	while (count && *bytes == value) {
		bytes++;
		count--;
	}
	return !count;
}

/* Asks for a record of @size bytes at @to; with the errno that comes with it. */
typedef int (*record_fn)(const struct loom_client *client, void *to, uint32_t size);

/* Asks with all kinds of room: @record writes @size bytes and returns @error. */
static void check_record(struct __test_metadata *_metadata, FIXTURE_DATA(growth) * self,
			 const char *name, record_fn record, uint32_t size, int error)
{
	const uint32_t rooms[] = { 1, 4, 7, 8, size - 8, size - 1, size, size + 1, size + 8,
				   2 * size, MAX_RECORD - 1, MAX_RECORD };
	unsigned int i, tries;

	memset(self->whole, POISON, size);
	ASSERT_EQ(error, record(&self->client, self->whole, size)) TH_LOG("%s", name);
	for (i = 0; i < LOOM_ARRAY_SIZE(rooms); i++) {
		uint32_t room = rooms[i], known = room < size ? room : size;

		memset(self->part, POISON, 2 * MAX_RECORD);
		EXPECT_EQ(error, record(&self->client, self->part, room));
		/* sums change while what others have left behind is given back */
		for (tries = 50; tries && memcmp(self->whole, self->part, known); tries--) {
			usleep(20000);
			EXPECT_EQ(error, record(&self->client, self->whole, size));
			EXPECT_EQ(error, record(&self->client, self->part, room));
		}
		EXPECT_EQ(0, memcmp(self->whole, self->part, known)) {
			TH_LOG("%s: room for %u of %u: other bytes", name, room, size);
		}
		EXPECT_TRUE(all(self->part + known, 0, room - known)) {
			TH_LOG("%s: room for %u of %u: the tail is not zero", name, room, size);
		}
		EXPECT_TRUE(all(self->part + room, POISON, 2 * MAX_RECORD - room)) {
			TH_LOG("%s: room for %u of %u: written behind it", name, room, size);
		}
	}
	/* more than any record has: cleared up to there, and no further */
	memset(self->part, POISON, 1 << 20);
	EXPECT_EQ(error, record(&self->client, self->part, 1 << 20));
	EXPECT_TRUE(all(self->part + size, 0, MAX_RECORD - size)) {
		TH_LOG("%s: room for a megabyte: the tail is not zero", name);
	}
	EXPECT_TRUE(all(self->part + MAX_RECORD, POISON, (1 << 20) - MAX_RECORD));
	/* room of which only the part that the driver knows is there */
	EXPECT_EQ(-EFAULT, record(&self->client, loom_unmapped() - size, size + 8)) {
		TH_LOG("%s: a tail that is not mapped", name);
	}
}

/* ---------------------------------------------------------- records of calls */

static int reject_record(const struct loom_client *client, void *to, uint32_t size)
{
	uint64_t bytes;
	struct drm_loom_plan_header *header = loom_plan_blob_null(client->info.lanes, &bytes);
	struct drm_loom_plan_create args = {
		.ptr = (uintptr_t)header,
		.size = bytes,
		.reject = (uintptr_t)to,
		.reject_size = size,
	};
	int ret;

	header->magic++;
	ret = loom_call(client->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
	free(header);
	return ret;
}

static int no_space_record(const struct loom_client *client, void *to, uint32_t size)
{
	struct drm_loom_bo_create args = {
		.size = 1ull << 60,
		.no_space = (uintptr_t)to,
		.no_space_size = size,
	};

	return loom_call(client->fd, DRM_IOCTL_LOOM_BO_CREATE, &args);
}

/* A plan with a tensor at the very end of the SRAM. */
static void *top_plan(const struct loom_client *client, uint64_t *size)
{
	struct drm_loom_region_info sram;
	struct loom_builder builder;
	uint32_t in, x;

	if (loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram))
		return NULL;
	loom_builder_init(&builder, client->info.lanes, LOOM_COLUMNS);
	in = loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	x = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0,
				sram.total_bytes - loom_builder_row_bytes(&builder), 0, 0);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_LOAD, NULL, 0, x, in);
	return loom_builder_finish(&builder, size);
}

static int conflict_of_reserve(const struct loom_client *client, void *to, uint32_t size)
{
	struct drm_loom_plan_create args = {
		.flags = DRM_LOOM_PLAN_RESERVE,
		.conflict = (uintptr_t)to,
		.conflict_size = size,
	};
	void *blob = top_plan(client, (uint64_t *)&args.size);
	int ret;

	args.ptr = (uintptr_t)blob;
	ret = loom_call(client->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
	free(blob);
	return ret;
}

static int conflict_of_submit(const struct loom_client *client, void *to, uint32_t size)
{
	struct loom_job job;
	uint64_t bytes;
	void *blob = top_plan(client, &bytes);
	uint32_t plan = loom_client_plan(client, blob, bytes);
	int ret;

	loom_job_init(&job, client, plan, 1, 0);
	job.args.conflict = (uintptr_t)to;
	job.args.conflict_size = size;
	ret = loom_job_submit(client->fd, &job);
	loom_plan_destroy(client->fd, plan);
	return ret;
}

TEST_F(growth, records_of_calls)
{
	uint32_t handle;

	check_record(_metadata, self, "reject", reject_record, sizeof(struct drm_loom_reject),
		     -EBADMSG);
	check_record(_metadata, self, "no_space", no_space_record,
		     sizeof(struct drm_loom_no_space), -ENOSPC);
	ASSERT_EQ(0, loom_bo_create(self->client.fd, 4096, DRM_LOOM_REGION_SRAM, &handle));
	check_record(_metadata, self, "conflict of SUBMIT", conflict_of_submit,
		     sizeof(struct drm_loom_scratch_conflict), -EBUSY);
	check_record(_metadata, self, "conflict of PLAN_CREATE", conflict_of_reserve,
		     sizeof(struct drm_loom_scratch_conflict), -EBUSY);
}

/* --------------------------------------------------------- answers of QUERY */

static int device_record(const struct loom_client *client, void *to, uint32_t size)
{
	return loom_query(client->fd, DRM_LOOM_QUERY_DEVICE, 0, to, &size);
}

static int region_record(const struct loom_client *client, void *to, uint32_t size)
{
	return loom_query(client->fd, DRM_LOOM_QUERY_REGION, DRM_LOOM_REGION_SRAM, to, &size);
}

/* The first plan of a file is its number one. */
static int fit_record(const struct loom_client *client, void *to, uint32_t size)
{
	return loom_query(client->fd, DRM_LOOM_QUERY_FIT, 1, to, &size);
}

static int no_space_query(const struct loom_client *client, void *to, uint32_t size)
{
	return loom_query(client->fd, DRM_LOOM_QUERY_NO_SPACE, 0, to, &size);
}

TEST_F(growth, answers)
{
	ASSERT_EQ(1, self->plan);
	check_record(_metadata, self, "QUERY_DEVICE", device_record,
		     sizeof(struct drm_loom_device_info), 0);
	check_record(_metadata, self, "QUERY_REGION", region_record,
		     sizeof(struct drm_loom_region_info), 0);
	check_record(_metadata, self, "QUERY_FIT", fit_record, sizeof(struct drm_loom_fit), 0);
	ASSERT_EQ(-ENOSPC, no_space_record(&self->client, NULL, 0));
	check_record(_metadata, self, "QUERY_NO_SPACE", no_space_query,
		     sizeof(struct drm_loom_no_space), 0);
}

/* ------------------------------------------------------------------- arrays */

static int query_array(int fd, uint32_t type, uint32_t index, uint32_t stride, void *to,
		       uint32_t *size)
{
	struct drm_loom_query args = {
		.type = type,
		.index = index,
		.ptr = (uintptr_t)to,
		.size = *size,
		.stride = stride,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_QUERY, &args);

	*size = args.size;
	return ret ?: args.stride == stride ? 0 : -EPROTO;
}

/* Elements of @first bytes in the first version, of @size now. */
static void check_array(struct __test_metadata *_metadata, FIXTURE_DATA(growth) * self,
			const char *name, uint32_t type, uint32_t index, uint32_t first,
			uint32_t size)
{
	const uint32_t strides[] = { first, first + 4, size, size + 1, size + 8, 2 * size, 4096 };
	uint32_t bytes = 1 << 20, stride, count, known, room, i, j;
	int fd = self->client.fd;

	ASSERT_EQ(0, query_array(fd, type, index, size, self->whole, &bytes)) TH_LOG("%s", name);
	ASSERT_EQ(0, bytes % size);
	count = bytes / size;
	ASSERT_LT(0, count);
	for (i = 0; i < LOOM_ARRAY_SIZE(strides); i++) {
		stride = strides[i];
		known = stride < size ? stride : size;
		memset(self->part, POISON, 1 << 20);
		bytes = 1 << 20;
		EXPECT_EQ(0, query_array(fd, type, index, stride, self->part, &bytes));
		EXPECT_EQ(count * stride, bytes) TH_LOG("%s: stride %u", name, stride);
		ASSERT_LE(count * stride, 1 << 20);
		for (j = 0; j < count; j++) {
			EXPECT_EQ(0, memcmp(self->whole + j * size, self->part + j * stride,
					    known)) {
				TH_LOG("%s: stride %u: element %u", name, stride, j);
			}
			EXPECT_TRUE(all(self->part + j * stride + known, 0, stride - known)) {
				TH_LOG("%s: stride %u: tail of element %u", name, stride, j);
			}
		}
		EXPECT_TRUE(all(self->part + count * stride, POISON, (1 << 20) - count * stride)) {
			TH_LOG("%s: stride %u: written behind the array", name, stride);
		}
		/* no room, room for some of the first element, for one and some of the next */
		for (room = 0; room <= 2 * stride && room < bytes; room += stride / 2 + 1) {
			memcpy(self->part + (1 << 19), self->part, room);
			memset(self->part, POISON, 1 << 18);
			bytes = room;
			EXPECT_EQ(0, query_array(fd, type, index, stride, self->part, &bytes));
			EXPECT_EQ(count * stride, bytes);
			EXPECT_EQ(0, memcmp(self->part, self->part + (1 << 19), room)) {
				TH_LOG("%s: stride %u, room for %u", name, stride, room);
			}
			EXPECT_TRUE(all(self->part + room, POISON, (1 << 18) - room));
			bytes = 1 << 20;
			EXPECT_EQ(0, query_array(fd, type, index, stride, self->part, &bytes));
		}
		/* the size alone */
		bytes = 77;
		EXPECT_EQ(0, query_array(fd, type, index, stride, NULL, &bytes));
		EXPECT_EQ(count * stride, bytes);
	}
	/* zero is the first version, for clients that are older than the stride */
	bytes = 1 << 20;
	EXPECT_EQ(0, query_array(fd, type, index, 0, self->part, &bytes));
	EXPECT_EQ(count * first, bytes);
	bytes = 1 << 20;
	EXPECT_EQ(0, query_array(fd, type, index, first, self->whole, &bytes));
	EXPECT_EQ(0, memcmp(self->whole, self->part, count * first));
	EXPECT_EQ(-EINVAL, query_array(fd, type, index, first - 1, self->part, &bytes));
	EXPECT_EQ(-EINVAL, query_array(fd, type, index, 1, self->part, &bytes));
	EXPECT_EQ(-EINVAL, query_array(fd, type, index, 4097, self->part, &bytes));
	EXPECT_EQ(-EINVAL, query_array(fd, type, index, UINT32_MAX, self->part, &bytes));
	EXPECT_EQ(-EINVAL, query_array(fd, type, index, UINT32_MAX, NULL, &bytes));
}

TEST_F(growth, arrays)
{
	uint32_t handles[3], i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, loom_bo_create(self->client.fd, 12345, DRM_LOOM_REGION_DRAM,
					    &handles[i]));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, handles[1]));
	check_array(_metadata, self, "QUERY_BLOCKS", DRM_LOOM_QUERY_BLOCKS, DRM_LOOM_REGION_DRAM,
		    24, sizeof(struct drm_loom_block));
	check_array(_metadata, self, "QUERY_BANKS", DRM_LOOM_QUERY_BANKS, DRM_LOOM_REGION_DRAM,
		    40, sizeof(struct drm_loom_bank_info));
	check_array(_metadata, self, "QUERY_BANK_BLOCKS", DRM_LOOM_QUERY_BANK_BLOCKS,
		    DRM_LOOM_REGION_DRAM + (1 << 16), 24, sizeof(struct drm_loom_block));
}

TEST_F(growth, what_is_not_an_array_has_no_stride)
{
	static const struct {
		uint32_t type, index;
	} single[] = {
		{ DRM_LOOM_QUERY_DEVICE, 0 }, { DRM_LOOM_QUERY_REGION, 0 },
		{ DRM_LOOM_QUERY_FIT, 1 }, { DRM_LOOM_QUERY_NO_SPACE, 0 },
		{ DRM_LOOM_QUERY_FIT_LIST, 0 },
	};
	uint32_t i, size;

	for (i = 0; i < LOOM_ARRAY_SIZE(single); i++) {
		size = 1 << 20;
		EXPECT_EQ(-EINVAL, query_array(self->client.fd, single[i].type, single[i].index, 8,
					       self->whole, &size));
	}
}
