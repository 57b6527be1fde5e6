// SPDX-License-Identifier: GPL-2.0
/*
 * Images: their size, refusals, mappings, and plans that pool from one to another, whose slots must
 * be bound to images of the right kind.
 */
#include "loom_selftest.h"

FIXTURE(image)
{
	struct loom_client client;
	struct drm_loom_region_info region[DRM_LOOM_REGION_COUNT];
};

FIXTURE_SETUP(image)
{
	uint32_t i, context;

	ASSERT_EQ(0, loom_client_open(&self->client));
	/* images in the SRAM, too, from both ends and larger than a share */
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	for (i = 0; i < DRM_LOOM_REGION_COUNT; i++)
		ASSERT_EQ(0, loom_query_region(self->client.fd, i, &self->region[i]));
}

FIXTURE_TEARDOWN(image)
{
	loom_client_close(&self->client);
}

static int image_create(int fd, uint32_t width, uint32_t height, uint32_t dtype, uint32_t pitch,
			uint32_t *handle)
{
	struct drm_loom_bo_create args = {
		.layout = DRM_LOOM_LAYOUT_IMAGE,
		.width = width,
		.height = height,
		.dtype = dtype,
		.pitch_bytes = pitch,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

static void takes_what_it_says(struct __test_metadata *_metadata, int fd,
			       const struct drm_loom_region_info *r, uint32_t region,
			       struct drm_loom_bo_create args, uint32_t elem_bytes)
{
	uint64_t row = (uint64_t)args.width * elem_bytes;
	uint64_t pitch = args.pitch_bytes ?: round_up(row, r->align_bytes);
	uint64_t rows = round_up(args.height, r->banks) / r->banks;
	struct drm_loom_bo_info info;

	if (rows * pitch > r->largest_free_bytes)
		return;
	args.region = region;
	args.layout = DRM_LOOM_LAYOUT_IMAGE;
	ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_NE(0, args.handle);
	EXPECT_EQ(pitch, args.pitch_bytes);
	EXPECT_EQ(pitch * args.height, args.size);
	ASSERT_EQ(0, loom_bo_info(fd, args.handle, &info));
	EXPECT_EQ(DRM_LOOM_LAYOUT_IMAGE, info.layout);
	EXPECT_EQ(region, info.region);
	EXPECT_EQ(pitch * args.height, info.size);
	EXPECT_EQ(pitch, info.page_bytes);
	EXPECT_EQ(pitch, info.page_pitch_bytes);
	EXPECT_EQ(pitch, info.pitch_bytes);
	EXPECT_EQ(args.width, info.width);
	EXPECT_EQ(args.height, info.height);
	EXPECT_EQ(args.dtype, info.dtype);
	EXPECT_EQ(rows, info.rows_per_bank);
	EXPECT_EQ(rows * pitch, info.bytes_per_bank);
	EXPECT_EQ(rows * pitch * r->banks - row * args.height, info.padding_bytes);
	EXPECT_EQ(r->banks, info.banks);
	EXPECT_EQ(0, info.pad2);
	EXPECT_EQ(0, info.address % r->align_bytes);
	ASSERT_EQ(0, loom_bo_close(fd, args.handle));
}

TEST_F(image, takes_what_the_layout_says)
{
	static const uint32_t dtypes[] = { DRM_LOOM_DTYPE_U8, DRM_LOOM_DTYPE_F16,
					   DRM_LOOM_DTYPE_F32, DRM_LOOM_DTYPE_F64 };
	static const uint32_t sizes[] = { 1, 2, 7, 8, 9, 64, 333, 1024 };
	const uint32_t count = LOOM_ARRAY_SIZE(sizes);
	uint32_t region, t, i;

	for (region = UINT32_MAX; loom_next_region(self->client.fd, &region);)
		for (t = 0; t < LOOM_ARRAY_SIZE(dtypes); t++)
			for (i = 0; i < count * count; i++) {
				const struct drm_loom_region_info *r = &self->region[region];
				struct drm_loom_bo_create args = {
					.width = sizes[i / count],
					.height = sizes[i % count],
					.dtype = dtypes[t],
				};

				takes_what_it_says(_metadata, self->client.fd, r, region, args,
						   1 << t);
				args.pitch_bytes = round_up((uint64_t)args.width << t,
							    r->align_bytes) + 3 * r->align_bytes;
				takes_what_it_says(_metadata, self->client.fd, r, region, args,
						   1 << t);
			}
}

TEST_F(image, what_is_wrong_is_einval)
{
	const uint32_t align = self->region[DRM_LOOM_REGION_DRAM].align_bytes;
	const struct drm_loom_bo_create right = {
		.layout = DRM_LOOM_LAYOUT_IMAGE,
		.width = 32,
		.height = 4,
		.dtype = DRM_LOOM_DTYPE_F32,
		.pitch_bytes = round_up(128, align),
	};
	struct drm_loom_bo_create args = right;
	unsigned int cases = 0;

#define WRONG(_change) do {								\
	args = right;									\
	(void)(_change);								\
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args)) {	\
		TH_LOG("case %u: %s", cases, #_change);					\
	}										\
	EXPECT_EQ(0, args.handle);							\
	cases++;									\
} while (0)
	WRONG(args.size = 1);
	WRONG(args.size = (uint64_t)args.pitch_bytes * args.height);
	WRONG(args.page_bytes = 4096);
	WRONG(args.page_bytes = args.pitch_bytes);
	WRONG(args.layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK);
	WRONG(args.layout = DRM_LOOM_LAYOUT_SHARDED_BLOCK + 1);
	WRONG(args.page_columns = 1);
	WRONG(args.grid_columns = 1);
	WRONG(args.layout = UINT32_MAX);
	WRONG(args.region = DRM_LOOM_REGION_COUNT);
	WRONG(args.direction = DRM_LOOM_DIRECTION_TINY_APART + 1);
	WRONG(args.flags = 2);
	WRONG(args.width = 0);
	WRONG(args.height = 0);
	WRONG(args.dtype = 0);
	WRONG(args.dtype = DRM_LOOM_DTYPE_END);
	WRONG(args.dtype = UINT32_MAX);
	WRONG(args.width = args.pitch_bytes / 4 + 1);
	WRONG(args.width = UINT32_MAX);
	WRONG((args.width = UINT32_MAX, args.pitch_bytes = 0));
	WRONG((args.width = 1u << 30, args.pitch_bytes = 0));
	WRONG(args.dtype = (args.width = args.pitch_bytes / 8 + 1, DRM_LOOM_DTYPE_F64));
	WRONG(args.pitch_bytes += 1);
	WRONG(args.pitch_bytes += align / 2);
	WRONG(args.pitch_bytes -= align);
	WRONG(args.pitch_bytes = 1);
	WRONG(args.pitch_bytes = UINT32_MAX);
	/* fields that are for images only */
	WRONG((args.layout = DRM_LOOM_LAYOUT_INTERLEAVED, args.size = 4096));
	WRONG((args = (struct drm_loom_bo_create) { .size = 1, .width = 1 }));
	WRONG((args = (struct drm_loom_bo_create) { .size = 1, .height = 1 }));
	WRONG((args = (struct drm_loom_bo_create) { .size = 1, .dtype = 1 }));
	WRONG((args = (struct drm_loom_bo_create) { .size = 1, .pitch_bytes = 4096 }));
#undef WRONG
	args = right;
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, args.handle));
}

TEST_F(image, more_than_the_banks_hold_is_enospc)
{
	const struct drm_loom_region_info *r = &self->region[DRM_LOOM_REGION_DRAM];
	uint64_t rows = r->total_bytes / r->align_bytes * r->banks;
	uint32_t handle;

	ASSERT_LT(rows, UINT32_MAX);
	EXPECT_EQ(-ENOSPC,
		  image_create(self->client.fd, 1, rows + 1, DRM_LOOM_DTYPE_U8, 0, &handle));
	EXPECT_EQ(-ENOSPC,
		  image_create(self->client.fd, 1, UINT32_MAX, DRM_LOOM_DTYPE_U8, 0, &handle));
	EXPECT_EQ(-ENOSPC, image_create(self->client.fd, 1, UINT32_MAX, DRM_LOOM_DTYPE_U8,
					UINT32_MAX / r->align_bytes * r->align_bytes, &handle));
}

TEST_F(image, is_mapped_row_after_row)
{
	/* rows that begin anywhere in a page of the processor, and rows of several pages */
	static const uint32_t widths[] = { 5, 100, 1023, 1024, 1025, 4099 };
	const uint32_t height = 37;
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(widths); i++) {
		uint32_t handle, x, y, wrong = 0;
		struct drm_loom_bo_info info;
		unsigned char *map, *again;

		ASSERT_EQ(0, image_create(self->client.fd, widths[i], height, DRM_LOOM_DTYPE_F32, 0,
					  &handle));
		ASSERT_EQ(0, loom_bo_info(self->client.fd, handle, &info));
		map = loom_bo_map(self->client.fd, handle, info.size);
		ASSERT_NE(MAP_FAILED, map);
		for (x = 0; x < info.size; x++)
			wrong += !!map[x];
		EXPECT_EQ(0, wrong);
		for (y = 0; y < height; y++)
			for (x = 0; x < widths[i]; x++)
				((uint32_t *)(map + y * info.pitch_bytes))[x] =
					(y * 65536 + x) * 2654435761u;
		again = mmap(NULL, info.size, PROT_READ, MAP_SHARED, self->client.fd,
			     info.mmap_offset);
		ASSERT_NE(MAP_FAILED, again);
		for (y = 0; y < height; y++)
			for (x = 0; x < widths[i]; x++)
				wrong += ((uint32_t *)(again + y * info.pitch_bytes))[x] !=
					 (y * 65536 + x) * 2654435761u;
		EXPECT_EQ(0, wrong);
		EXPECT_EQ(MAP_FAILED, mmap(NULL, round_up(info.size, LOOM_PAGE) + LOOM_PAGE,
					   PROT_READ, MAP_SHARED, self->client.fd,
					   info.mmap_offset));
		munmap(map, info.size);
		munmap(again, info.size);
		ASSERT_EQ(0, loom_bo_close(self->client.fd, handle));
	}
}

/* The structures as they were before there were images. */
#define OLD_IOCTL(_ioctl, _size) \
	_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, _IOC_NR(_ioctl), _size)
#define LARGER	(sizeof(struct drm_loom_bo_create) + 8)

TEST_F(image, clients_that_know_none_are_served)
{
	union {
		struct drm_loom_bo_create create;
		struct drm_loom_bo_info info;
		unsigned char bytes[128];
	} args;
	uint32_t handle, i, wrong = 0;

	memset(&args, 0xa5, sizeof(args));
	memset(&args, 0, 32);
	args.create.size = 4096;
	ASSERT_EQ(0, loom_call(self->client.fd, OLD_IOCTL(DRM_IOCTL_LOOM_BO_CREATE, 32), &args));
	for (i = 32; i < sizeof(args); i++)
		wrong += args.bytes[i] != 0xa5;
	handle = args.create.handle;
	ASSERT_NE(0, handle);

	memset(&args, 0xa5, sizeof(args));
	memset(&args, 0, 80);
	args.info.handle = handle;
	ASSERT_EQ(0, loom_call(self->client.fd, OLD_IOCTL(DRM_IOCTL_LOOM_BO_INFO, 80), &args));
	EXPECT_EQ(4096, args.info.size);
	for (i = 80; i < sizeof(args); i++)
		wrong += args.bytes[i] != 0xa5;
	EXPECT_EQ(0, wrong);
	/* an image needs width, height and type */
	memset(&args, 0, sizeof(args));
	args.create.layout = DRM_LOOM_LAYOUT_IMAGE;
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, OLD_IOCTL(DRM_IOCTL_LOOM_BO_CREATE, 32),
				     &args));
	/* a larger structure of a later client is taken if the rest is zero */
	memset(&args, 0, sizeof(args));
	args.create.size = 1;
	EXPECT_EQ(0, loom_call(self->client.fd, OLD_IOCTL(DRM_IOCTL_LOOM_BO_CREATE, LARGER),
			       &args));
	args.bytes[sizeof(args.create)] = 1;
	EXPECT_EQ(-E2BIG, loom_call(self->client.fd, OLD_IOCTL(DRM_IOCTL_LOOM_BO_CREATE, LARGER),
				    &args));
}

#define IN_WIDTH	150
#define IN_HEIGHT	18
#define OUT_WIDTH	(IN_WIDTH / 2)
#define OUT_HEIGHT	(IN_HEIGHT / 2)

/* One step, one command: slot 1 is the maxima of 2 x 2 of slot 0, both in images. */
struct pool_plan {
	struct drm_loom_plan_header header;
	struct drm_loom_plan_slot slots[2];
	struct drm_loom_plan_tensor tensors[2];
	struct drm_loom_plan_step steps[1];
	struct drm_loom_plan_command commands[1];
	struct drm_loom_plan_view views[2];
	struct drm_loom_attr_pool pool;
	struct drm_loom_plan_image images[2];
};

#define POOL_AT(_name)	offsetof(struct pool_plan, _name)

static void pool_plan_fill(struct pool_plan *plan, const struct loom_client *client, uint32_t align)
{
	static const uint32_t width[2] = { IN_WIDTH, OUT_WIDTH };
	static const uint32_t height[2] = { IN_HEIGHT, OUT_HEIGHT };
	uint32_t i;

	*plan = (struct pool_plan) {
		.header = {
			.magic = DRM_LOOM_PLAN_MAGIC,
			.version = DRM_LOOM_PLAN_VERSION,
			.size = sizeof(*plan),
			.lanes = client->info.lanes,
			.slots = { POOL_AT(slots), 2, sizeof(plan->slots[0]) },
			.tensors = { POOL_AT(tensors), 2, sizeof(plan->tensors[0]) },
			.steps = { POOL_AT(steps), 1, sizeof(plan->steps[0]) },
			.commands = { POOL_AT(commands), 1, sizeof(plan->commands[0]) },
			.views = { POOL_AT(views), 2, sizeof(plan->views[0]) },
			.attrs = { POOL_AT(pool), sizeof(plan->pool), 1 },
			.images = { POOL_AT(images), 2, sizeof(plan->images[0]) },
		},
		.steps = { { .compute_commands = 1 } },
		.commands = { {
			.opcode = DRM_LOOM_OP_POOL,
			.operands = 2,
			.attr_size = sizeof(plan->pool),
		} },
		.pool = {
			.kind = DRM_LOOM_POOL_MAX,
			.kernel = { 1, 2, 2 },
			.stride = { 1, 2, 2 },
			.dilation = { 1, 1, 1 },
		},
	};
	for (i = 0; i < 2; i++) {
		uint32_t pitch = round_up(width[i] * 4, align);

		plan->images[i] = (struct drm_loom_plan_image) {
			.slot = i,
			.dtype = DRM_LOOM_DTYPE_F32,
			.width = width[i],
			.height = height[i],
			.pitch_bytes = pitch,
		};
		plan->slots[i] = (struct drm_loom_plan_slot) {
			.size = (uint64_t)pitch * height[i],
			.flags = i ? DRM_LOOM_SLOT_WRITE : DRM_LOOM_SLOT_READ,
		};
		plan->tensors[i] = (struct drm_loom_plan_tensor) {
			.region = DRM_LOOM_REGION_DRAM,
			.slot = i,
			.size = (uint64_t)pitch * height[i],
			.dtype = DRM_LOOM_DTYPE_F32,
			.rank = 5,
			.dims = { 1, 1, 1, height[i], width[i] },
			.strides = { plan->slots[i].size, plan->slots[i].size, plan->slots[i].size,
				     pitch, 4 },
		};
		/* views are y, x */
		plan->views[!i] = (struct drm_loom_plan_view) {
			.tensor = i,
			.dtype = DRM_LOOM_DTYPE_F32,
			.rank = 5,
			.dims = { 1, 1, 1, height[i], width[i] },
			.strides = { 0, 0, 0, pitch, 4 },
		};
	}
}

static float pool_element(uint32_t x, uint32_t y)
{
	return (float)((y * IN_WIDTH + x) * 7919 % 10007) - 5000;
}

TEST_F(image, is_pooled_where_it_is)
{
	const uint32_t align = self->region[DRM_LOOM_REGION_DRAM].align_bytes;
	const uint32_t in_pitch = round_up(IN_WIDTH * 4, align);
	const uint32_t out_pitch = round_up(OUT_WIDTH * 4, align);
	const struct loom_client *client = &self->client;
	struct drm_loom_context_query query;
	struct drm_loom_reject reject;
	uint32_t fence, plan, x, y, wrong = 0, touched = 0;
	struct pool_plan blob;
	struct loom_job job;
	unsigned char *in, *out;

	pool_plan_fill(&blob, client, align);
	ASSERT_EQ(0, loom_plan_create(client->fd, &blob, sizeof(blob), &reject, &plan)) {
		TH_LOG("rule %u tensor %u slot %u", reject.rule, reject.tensor, reject.slot);
	}
	fence = loom_sync_create(client->fd, 0);
	loom_job_init(&job, client, plan, 2, fence);
	ASSERT_EQ(0, image_create(client->fd, IN_WIDTH, IN_HEIGHT, DRM_LOOM_DTYPE_F32, 0,
				  &job.bindings[0].handle));
	ASSERT_EQ(0, image_create(client->fd, OUT_WIDTH, OUT_HEIGHT, DRM_LOOM_DTYPE_F32, 0,
				  &job.bindings[1].handle));
	in = loom_bo_map(client->fd, job.bindings[0].handle, in_pitch * IN_HEIGHT);
	out = loom_bo_map(client->fd, job.bindings[1].handle, out_pitch * OUT_HEIGHT);
	ASSERT_NE(MAP_FAILED, in);
	ASSERT_NE(MAP_FAILED, out);
	for (y = 0; y < IN_HEIGHT; y++)
		for (x = 0; x < IN_WIDTH; x++)
			((float *)(in + y * in_pitch))[x] = pool_element(x, y);
	memset(out, 0x77, out_pitch * OUT_HEIGHT);
	ASSERT_EQ(0, loom_job_submit(client->fd, &job));
	ASSERT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
	for (y = 0; y < OUT_HEIGHT; y++) {
		for (x = 0; x < OUT_WIDTH; x++) {
			float want = -1e9f, got = ((float *)(out + y * out_pitch))[x];
			uint32_t i;

			for (i = 0; i < 4; i++)
				if (pool_element(2 * x + i % 2, 2 * y + i / 2) > want)
					want = pool_element(2 * x + i % 2, 2 * y + i / 2);
			wrong += got != want;
		}
		for (x = OUT_WIDTH * 4; x < out_pitch; x++)
			touched += out[y * out_pitch + x] != 0x77;
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, touched);

	/* no DMA was needed, but what was read from DRAM and written to it is counted */
	ASSERT_EQ(0, loom_context_query(client->fd, client->context, &query));
	EXPECT_EQ(IN_WIDTH * IN_HEIGHT * 4, query.counters.dram_read_bytes);
	EXPECT_EQ(OUT_WIDTH * OUT_HEIGHT * 4, query.counters.dram_write_bytes);
	EXPECT_EQ(0, query.counters.sram_read_bytes);
	EXPECT_EQ(0, query.counters.sram_write_bytes);
}

TEST_F(image, only_the_right_kind_can_be_bound)
{
	const uint32_t align = self->region[DRM_LOOM_REGION_DRAM].align_bytes;
	const uint32_t pitch = round_up(IN_WIDTH * 4, align);
	const struct loom_client *client = &self->client;
	struct drm_loom_reject reject;
	uint32_t fence, plan, out, i;
	struct pool_plan blob;
	struct loom_job job;
	const struct {
		uint32_t width, height, dtype, pitch;
		uint64_t offset;
		int error;
	} cases[] = {
		{ IN_WIDTH, IN_HEIGHT, DRM_LOOM_DTYPE_F32, 0, 0, 0 },
		/* larger ones, and part of their rows */
		{ pitch / 4, IN_HEIGHT, DRM_LOOM_DTYPE_F32, 0, 0, 0 },
		{ IN_WIDTH, IN_HEIGHT + 5, DRM_LOOM_DTYPE_F32, 0, 0, 0 },
		{ IN_WIDTH, IN_HEIGHT + 5, DRM_LOOM_DTYPE_F32, 0, 5 * pitch, 0 },
		{ IN_WIDTH, IN_HEIGHT + 5, DRM_LOOM_DTYPE_F32, 0, 6 * pitch, -EINVAL },
		{ IN_WIDTH, IN_HEIGHT + 5, DRM_LOOM_DTYPE_F32, 0, 64, -EINVAL },
		{ IN_WIDTH, IN_HEIGHT + 5, DRM_LOOM_DTYPE_F32, 0, pitch + 64, -EINVAL },
		{ IN_WIDTH, IN_HEIGHT, DRM_LOOM_DTYPE_F32, 0, pitch, -EINVAL },
		/* another shape */
		{ IN_WIDTH - 1, IN_HEIGHT, DRM_LOOM_DTYPE_F32, pitch, 0, -EINVAL },
		{ IN_WIDTH, IN_HEIGHT - 1, DRM_LOOM_DTYPE_F32, 0, 0, -EINVAL },
		{ IN_WIDTH, IN_HEIGHT, DRM_LOOM_DTYPE_F32, pitch + align, 0, -EINVAL },
		{ IN_WIDTH * 2, IN_HEIGHT, DRM_LOOM_DTYPE_F32, 0, 0, -EINVAL },
		/* another type, of the same size and of another */
		{ IN_WIDTH, IN_HEIGHT, DRM_LOOM_DTYPE_I32, 0, 0, -EINVAL },
		{ IN_WIDTH * 2, IN_HEIGHT, DRM_LOOM_DTYPE_F16, 0, 0, -EINVAL },
	};

	pool_plan_fill(&blob, client, align);
	ASSERT_EQ(0, loom_plan_create(client->fd, &blob, sizeof(blob), &reject, &plan));
	ASSERT_EQ(0, image_create(client->fd, OUT_WIDTH, OUT_HEIGHT, DRM_LOOM_DTYPE_F32, 0, &out));
	fence = loom_sync_create(client->fd, 0);
	for (i = 0; i < LOOM_ARRAY_SIZE(cases); i++) {
		loom_job_init(&job, client, plan, 2, fence);
		job.bindings[1].handle = out;
		ASSERT_EQ(0, image_create(client->fd, cases[i].width, cases[i].height,
					  cases[i].dtype, cases[i].pitch, &job.bindings[0].handle));
		job.bindings[0].offset = cases[i].offset;
		EXPECT_EQ(cases[i].error, loom_job_submit(client->fd, &job)) {
			TH_LOG("case %u", i);
		}
		if (!cases[i].error)
			EXPECT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
		ASSERT_EQ(0, loom_bo_close(client->fd, job.bindings[0].handle));
	}

	/* a linear buffer, however large */
	loom_job_init(&job, client, plan, 2, fence);
	job.bindings[1].handle = out;
	ASSERT_EQ(0, loom_bo_create(client->fd, 1 << 20, DRM_LOOM_REGION_DRAM,
				    &job.bindings[0].handle));
	EXPECT_EQ(-EINVAL, loom_job_submit(client->fd, &job));
}

TEST_F(image, is_bytes_to_a_plan_that_does_not_ask)
{
	const struct loom_client *client = &self->client;
	uint32_t plan = loom_client_plan_unary(client, DRM_LOOM_UNARY_ABS);
	uint32_t fence = loom_sync_create(client->fd, 0), i, wrong = 0;
	struct loom_job job;
	float *in, *out;

	ASSERT_NE(0, plan);
	loom_job_init(&job, client, plan, 2, fence);
	ASSERT_EQ(0, image_create(client->fd, LOOM_COLUMNS, client->info.lanes, DRM_LOOM_DTYPE_F32,
				  0, &job.bindings[0].handle));
	in = loom_bo_map(client->fd, job.bindings[0].handle, client->bytes);
	out = loom_bo_map(client->fd, client->out, client->bytes);
	ASSERT_NE(MAP_FAILED, in);
	ASSERT_NE(MAP_FAILED, out);
	for (i = 0; i < client->bytes / 4; i++)
		in[i] = -(float)i;
	ASSERT_EQ(0, loom_job_submit(client->fd, &job));
	ASSERT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
	for (i = 0; i < client->bytes / 4; i++)
		wrong += out[i] != (float)i;
	EXPECT_EQ(0, wrong);
}
