// SPDX-License-Identifier: GPL-2.0
/*
 * Scratch and SRAM buffers: tensors that a buffer keeps from plan to plan, the record of a buffer
 * that overlaps the scratch of a plan, whether a plan would fit, scratch that is reserved.
 */
#include "loom_selftest.h"

#define ROW_BYTES	LOOM_ROW_BYTES

FIXTURE(scratch)
{
	struct loom_client client;
	/* of the client: SRAM from the first byte on, and all of it */
	uint32_t exclusive;
	struct drm_loom_region_info sram;
	/* out = |in|, with two rows of scratch */
	uint32_t plan;
	uint64_t scratch_bytes;
};

FIXTURE_SETUP(scratch)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &self->exclusive));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &self->sram));
	if (self->sram.blocks || self->sram.scratch_bytes)
		SKIP(return, "somebody else uses the device");
	self->plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	ASSERT_NE(0, self->plan);
	self->scratch_bytes = 2 * ROW_BYTES;
}

/* After any test: closing the file has freed all that it took. */
FIXTURE_TEARDOWN(scratch)
{
	struct drm_loom_region_info after;
	int ret;

	loom_client_close(&self->client);
	ret = loom_sram_settle(&after);
	if (ret == -ENODEV)
		return;
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, after.blocks);
	EXPECT_EQ(0, after.scratch_bytes);
}

/* ------------------------------------------------------------ the floor */

static int take(int fd, const struct drm_loom_region_info *sram, uint32_t direction,
		struct drm_loom_bo_info *info)
{
	return loom_sram_take(fd, sram, ROW_BYTES, 0, direction, info);
}

/* Below the floor it would have to make room for others, however well a hole there fits. */
TEST_F(scratch, what_can_be_above_the_floor_is_not_below)
{
	uint64_t floor = self->sram.bank_bytes - self->sram.total_bytes +
			 self->sram.scratch_floor_bytes;
	const int fd = self->client.fd;
	struct drm_loom_bo_info low[3], top;
	uint32_t i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, take(fd, &self->sram, DRM_LOOM_DIRECTION_BOTTOM_UP, &low[i]));
	ASSERT_EQ(0, loom_bo_close(fd, low[1].handle));
	ASSERT_EQ(0, take(fd, &self->sram, DRM_LOOM_DIRECTION_TOP_DOWN, &top));
	EXPECT_LE(floor, top.address);
	/* asked for from the bottom, it is what the client wants */
	ASSERT_EQ(0, take(fd, &self->sram, DRM_LOOM_DIRECTION_BOTTOM_UP, &low[1]));
	EXPECT_GT(low[2].address, low[1].address);
}

/* ------------------------------------------------- tensors in SRAM buffers */

/* A tensor in an SRAM slot of its size. */
static uint32_t bound_tensor(struct loom_builder *builder, uint32_t flags, uint32_t first,
			     uint32_t last)
{
	uint32_t tensor = loom_builder_slot(builder, flags | DRM_LOOM_SLOT_SRAM, first, last);
	struct drm_loom_plan_tensor *t = &builder->tensors[tensor];

	t->region = DRM_LOOM_REGION_SRAM;
	t->flags = DRM_LOOM_TENSOR_SLOT;
	t->size = loom_builder_row_bytes(builder);
	builder->slots[t->slot].size = t->size;
	return tensor;
}

/* Slot 1 (an SRAM buffer) = slot 0; with @out slot 0 = slot 1, by way of the scratch. */
static uint32_t plan_bound(const struct loom_client *client, bool out)
{
	struct drm_loom_attr_unary attr = { .kind = DRM_LOOM_UNARY_NEG };
	struct loom_builder builder;
	uint32_t in, kept, x;
	uint64_t size;
	void *blob;

	loom_builder_init(&builder, client->info.lanes, LOOM_COLUMNS);
	in = loom_builder_slot(&builder, out ? DRM_LOOM_SLOT_WRITE : DRM_LOOM_SLOT_READ, out, out);
	kept = bound_tensor(&builder, out ? DRM_LOOM_SLOT_READ : DRM_LOOM_SLOT_WRITE, 0, 0);
	loom_builder_step(&builder);
	if (out) {
		x = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, 0, 0, 1);
		loom_builder_command(&builder, DRM_LOOM_OP_UNARY, &attr, sizeof(attr), x, kept);
		loom_builder_step(&builder);
		loom_builder_command(&builder, DRM_LOOM_OP_STORE, NULL, 0, in, x);
	} else {
		loom_builder_command(&builder, DRM_LOOM_OP_LOAD, NULL, 0, kept, in);
	}
	blob = loom_builder_finish(&builder, &size);
	return loom_client_plan(client, blob, size);
}

static int sram_create(int fd, uint64_t size, uint32_t page_bytes, uint32_t direction,
		       uint32_t *handle)
{
	struct drm_loom_bo_create args = {
		.size = size,
		.region = DRM_LOOM_REGION_SRAM,
		.page_bytes = page_bytes,
		.direction = direction,
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*handle = args.handle;
	return ret;
}

static int submit_bound(const struct loom_client *client, uint32_t plan, uint32_t dram,
			uint32_t sram, uint64_t offset)
{
	struct loom_job job;

	loom_job_init(&job, client, plan, 2, 0);
	job.bindings[0].handle = dram;
	job.bindings[1].handle = sram;
	job.bindings[1].offset = offset;
	return loom_job_submit(client->fd, &job);
}

TEST_F_TIMEOUT(scratch, a_buffer_keeps_a_tensor_from_plan_to_plan, 60)
{
	const struct loom_client *client = &self->client;
	uint32_t lanes = client->info.lanes, page = 2 * ROW_BYTES, sram, lane, i, wrong = 0;
	float *in, *out, *kept;
	uint32_t load = plan_bound(client, false), store = plan_bound(client, true);

	ASSERT_NE(0, load);
	ASSERT_NE(0, store);
	ASSERT_EQ(0, sram_create(client->fd, (uint64_t)lanes * page, page, 0, &sram));
	in = loom_bo_map(client->fd, client->in, client->bytes);
	out = loom_bo_map(client->fd, client->out, client->bytes);
	kept = loom_bo_map(client->fd, sram, (uint64_t)lanes * page);
	ASSERT_NE(MAP_FAILED, in);
	ASSERT_NE(MAP_FAILED, out);
	ASSERT_NE(MAP_FAILED, kept);
	for (i = 0; i < client->bytes / sizeof(float); i++)
		in[i] = i + 1;

	/* the second row of each bank */
	ASSERT_EQ(0, submit_bound(client, load, client->in, sram, ROW_BYTES));
	/* another plan uses the scratch in between */
	ASSERT_EQ(0, loom_client_run(client, self->plan, 2, 0));
	ASSERT_EQ(0, submit_bound(client, store, client->out, sram, ROW_BYTES));
	ASSERT_EQ(0, loom_bo_wait(client->fd, client->out, loom_soon()));
	for (i = 0; i < client->bytes / sizeof(float); i++)
		wrong += out[i] != -in[i];
	EXPECT_EQ(0, wrong);

	/* bank after bank, and nothing else was written */
	for (lane = 0; lane < lanes; lane++) {
		const float *bank = kept + lane * page / sizeof(float);

		for (i = 0; i < LOOM_COLUMNS; i++)
			wrong += bank[i] != 0 ||
				 bank[LOOM_COLUMNS + i] != in[lane * LOOM_COLUMNS + i];
	}
	EXPECT_EQ(0, wrong);
	/* a mapping would keep the file open */
	munmap(in, client->bytes);
	munmap(out, client->bytes);
	munmap(kept, (uint64_t)lanes * page);
}

TEST_F(scratch, what_does_not_fit_an_sram_slot_is_einval)
{
	const struct loom_client *client = &self->client;
	uint32_t lanes = client->info.lanes, plan = plan_bound(client, false), sram;
	struct drm_loom_bo_create image = {
		.region = DRM_LOOM_REGION_SRAM,
		.layout = DRM_LOOM_LAYOUT_IMAGE,
		.width = LOOM_COLUMNS,
		.height = lanes,
		.dtype = DRM_LOOM_DTYPE_F32,
	};

	ASSERT_NE(0, plan);
	/* DRAM where SRAM is wanted, and the other way round */
	EXPECT_EQ(-EINVAL, submit_bound(client, plan, client->in, client->out, 0));
	ASSERT_EQ(0, sram_create(client->fd, lanes * ROW_BYTES, ROW_BYTES, 0, &sram));
	EXPECT_EQ(-EINVAL, submit_bound(client, plan, sram, sram, 0));
	EXPECT_EQ(0, submit_bound(client, plan, client->in, sram, 0));
	EXPECT_EQ(-EINVAL, submit_bound(client, plan, client->in, sram, 64));
	EXPECT_EQ(-EINVAL, submit_bound(client, plan, client->in, sram, 1));
	EXPECT_EQ(-EINVAL, submit_bound(client, plan, client->in, sram, -64));
	ASSERT_EQ(0, loom_bo_close(client->fd, sram));
	/* pages that are too small, a bank that is not there */
	ASSERT_EQ(0, sram_create(client->fd, lanes * ROW_BYTES, ROW_BYTES / 2, 0, &sram));
	EXPECT_EQ(-EINVAL, submit_bound(client, plan, client->in, sram, 0));
	ASSERT_EQ(0, loom_bo_close(client->fd, sram));
	ASSERT_EQ(0, sram_create(client->fd, lanes * ROW_BYTES - 1, ROW_BYTES, 0, &sram));
	EXPECT_EQ(-EINVAL, submit_bound(client, plan, client->in, sram, 0));
	ASSERT_EQ(0, loom_bo_close(client->fd, sram));
	/* an image has rows */
	ASSERT_EQ(0, loom_call(client->fd, DRM_IOCTL_LOOM_BO_CREATE, &image));
	EXPECT_EQ(-EINVAL, submit_bound(client, plan, client->in, image.handle, 0));
}

TEST_F(scratch, a_buffer_that_is_bound_may_not_lie_in_the_scratch_either)
{
	const struct loom_client *client = &self->client;
	uint32_t lanes = client->info.lanes, plan = plan_bound(client, true), sram;

	ASSERT_NE(0, plan);
	ASSERT_EQ(0, sram_create(client->fd, lanes * ROW_BYTES, ROW_BYTES,
				 DRM_LOOM_DIRECTION_BOTTOM_UP, &sram));
	EXPECT_EQ(-EBUSY, submit_bound(client, plan, client->out, sram, 0));
}

/* ---------------------------------------------------------------- conflicts */

static int submit_conflict(const struct loom_client *client, uint32_t plan,
			   struct drm_loom_scratch_conflict *conflict, uint32_t conflict_size)
{
	struct loom_job job;

	loom_job_init(&job, client, plan, 2, 0);
	job.args.conflict = (uintptr_t)conflict;
	job.args.conflict_size = conflict_size;
	return loom_job_submit(client->fd, &job);
}

TEST_F(scratch, a_conflict_names_the_buffer)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_scratch_conflict conflict, same;
	struct drm_loom_bo_info info;
	uint32_t handle, first, page = self->sram.align_bytes;
	uint64_t base = self->sram.bank_bytes - self->sram.total_bytes;
	int other = loom_open();

	ASSERT_GE(other, 0);
	/* the lowest one is gone by the time of the conflict */
	ASSERT_EQ(0, sram_create(client->fd, 1, page, DRM_LOOM_DIRECTION_BOTTOM_UP, &first));
	ASSERT_EQ(0, sram_create(client->fd, 1, 2 * page, DRM_LOOM_DIRECTION_BOTTOM_UP, &handle));
	ASSERT_EQ(0, loom_bo_close(client->fd, first));
	ASSERT_EQ(0, loom_bo_info(client->fd, handle, &info));
	EXPECT_EQ(base + page, info.address);

	memset(&conflict, 0xff, sizeof(conflict));
	EXPECT_EQ(-EBUSY, submit_conflict(client, self->plan, &conflict, sizeof(conflict)));
	EXPECT_EQ(handle, conflict.handle);
	EXPECT_EQ(0, conflict.bank);
	EXPECT_EQ(base, conflict.scratch_start);
	EXPECT_EQ(base + self->scratch_bytes, conflict.scratch_end);
	EXPECT_EQ(info.address, conflict.address);
	EXPECT_EQ(info.bytes_per_bank, conflict.bytes);
	EXPECT_EQ(self->scratch_bytes - page, conflict.short_bytes);

	/* neither more than the record has room for, nor to an invalid address */
	memset(&same, 0x5a, sizeof(same));
	EXPECT_EQ(-EBUSY, submit_conflict(client, self->plan, &same, 8));
	EXPECT_EQ(0, memcmp(&same, &conflict, 8));
	EXPECT_EQ(0x5a5a5a5a5a5a5a5aull, same.scratch_start);
	EXPECT_EQ(-EFAULT, submit_conflict(client, self->plan, (void *)8, sizeof(conflict)));
	EXPECT_EQ(-EBUSY, submit_conflict(client, self->plan, NULL, sizeof(conflict)));
	ASSERT_EQ(0, loom_bo_close(client->fd, handle));
	memset(&same, 0x5a, sizeof(same));
	EXPECT_EQ(0, submit_conflict(client, self->plan, &same, sizeof(same)));
	EXPECT_EQ(0x5a5a5a5a5a5a5a5aull, same.scratch_start);
	ASSERT_EQ(0, loom_bo_wait(client->fd, client->out, loom_soon()));

	/* of another client's buffer only the place is told */
	ASSERT_EQ(0, loom_context_destroy(client->fd, self->exclusive));
	ASSERT_EQ(0, loom_exclusive(other, &first));
	ASSERT_EQ(0, sram_create(other, 1, page, DRM_LOOM_DIRECTION_BOTTOM_UP, &handle));
	EXPECT_EQ(-EBUSY, submit_conflict(client, self->plan, &conflict, sizeof(conflict)));
	EXPECT_EQ(0, conflict.handle);
	EXPECT_EQ(base, conflict.address);
	EXPECT_EQ(self->scratch_bytes, conflict.short_bytes);
	close(other);
}

static int query_fit(int fd, uint32_t plan, struct drm_loom_fit *fit)
{
	uint32_t size = sizeof(*fit);
	int ret;

	memset(fit, 0xff, sizeof(*fit));
	ret = loom_query(fd, DRM_LOOM_QUERY_FIT, plan, fit, &size);
	return ret ?: size == sizeof(*fit) ? 0 : -EMSGSIZE;
}

TEST_F(scratch, whether_a_plan_would_fit)
{
	const struct loom_client *client = &self->client;
	uint32_t handle, page = self->sram.align_bytes;
	struct drm_loom_region_info dram;
	struct drm_loom_scratch_conflict conflict;
	struct drm_loom_fit fit;

	EXPECT_EQ(-ENOENT, query_fit(client->fd, self->plan + 1000, &fit));
	EXPECT_EQ(-ENOENT, query_fit(client->fd, 0, &fit));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_DRAM, &dram));
	ASSERT_EQ(0, query_fit(client->fd, self->plan, &fit));
	EXPECT_EQ(DRM_LOOM_FIT_NOW, fit.flags);
	EXPECT_EQ(0, fit.pad);
	EXPECT_EQ(self->scratch_bytes, fit.scratch_bytes);
	/* two slots of a row for each lane, which is a page */
	EXPECT_EQ(2 * ((client->info.lanes + dram.banks - 1) / dram.banks) * LOOM_PAGE,
		  fit.dram_bytes);
	EXPECT_EQ(0, fit.dram_short_bytes);
	EXPECT_EQ(0, fit.conflict.short_bytes);
	EXPECT_EQ(0, fit.conflict.scratch_end);

	/* SUBMIT has to agree with the answer */
	ASSERT_EQ(0, sram_create(client->fd, 1, page, DRM_LOOM_DIRECTION_BOTTOM_UP, &handle));
	ASSERT_EQ(0, query_fit(client->fd, self->plan, &fit));
	EXPECT_EQ(0, fit.flags);
	EXPECT_EQ(handle, fit.conflict.handle);
	EXPECT_EQ(self->scratch_bytes, fit.conflict.short_bytes);
	EXPECT_EQ(-EBUSY, submit_conflict(client, self->plan, &conflict, sizeof(conflict)));
	EXPECT_EQ(0, memcmp(&conflict, &fit.conflict, sizeof(conflict)));
	ASSERT_EQ(0, loom_bo_close(client->fd, handle));
	ASSERT_EQ(0, query_fit(client->fd, self->plan, &fit));
	EXPECT_EQ(DRM_LOOM_FIT_NOW, fit.flags);
}

TEST_F(scratch, a_plan_with_more_than_the_dram)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_region_info dram;
	struct loom_builder builder;
	struct drm_loom_fit fit;
	uint64_t size, bank;
	uint32_t plan, i;
	void *blob;

	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_DRAM, &dram));
	/* whole pages in each bank, so that the sum is known */
	bank = dram.total_bytes / LOOM_PAGE / 2 * LOOM_PAGE;
	for (i = 2; i <= 3; i++) {
		loom_builder_init(&builder, client->info.lanes, LOOM_COLUMNS);
		while (builder.slot_count < i)
			builder.slots[builder.slot_count++] = (struct drm_loom_plan_slot) {
				.size = bank * dram.banks,
				.flags = DRM_LOOM_SLOT_READ,
			};
		blob = loom_builder_finish(&builder, &size);
		plan = loom_client_plan(client, blob, size);
		ASSERT_NE(0, plan);
		ASSERT_EQ(0, query_fit(client->fd, plan, &fit));
		EXPECT_EQ(i * bank, fit.dram_bytes);
		EXPECT_EQ(i == 2 ? 0 : 3 * bank - dram.total_bytes, fit.dram_short_bytes);
		EXPECT_EQ(i == 2 ? DRM_LOOM_FIT_NOW : 0, fit.flags);
	}
}

/* ----------------------------------------------------------- reservations */

static int plan_reserve(int fd, uint32_t lanes, struct drm_loom_scratch_conflict *conflict,
			uint32_t *plan)
{
	struct drm_loom_plan_create args = {
		.flags = DRM_LOOM_PLAN_RESERVE,
		.conflict = (uintptr_t)conflict,
		.conflict_size = conflict ? sizeof(*conflict) : 0,
	};
	void *blob = loom_plan_blob_unary(lanes, DRM_LOOM_UNARY_NEG, (uint64_t *)&args.size);
	int ret;

	args.ptr = (uintptr_t)blob;
	ret = loom_call(fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
	free(blob);
	*plan = args.plan;
	return ret;
}

TEST_F_TIMEOUT(scratch, reserved_while_the_plan_lives, 60)
{
	const struct loom_client *client = &self->client;
	uint64_t base = self->sram.bank_bytes - self->sram.total_bytes;
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info info;
	uint32_t plan, second, handle;
	struct drm_loom_fit fit;

	ASSERT_EQ(0, plan_reserve(client->fd, client->info.lanes, NULL, &plan));
	ASSERT_EQ(0, query_fit(client->fd, plan, &fit));
	EXPECT_EQ(DRM_LOOM_FIT_NOW | DRM_LOOM_FIT_RESERVED, fit.flags);
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(self->scratch_bytes, sram.scratch_bytes);
	/* all plans use the same bytes, so one reservation covers the other */
	ASSERT_EQ(0, plan_reserve(client->fd, client->info.lanes, NULL, &second));
	EXPECT_EQ(0, loom_client_run(client, self->plan, 2, 0));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(self->scratch_bytes, sram.scratch_bytes);

	/* buffers are placed above, so the plan can run at any time */
	ASSERT_EQ(0, sram_create(client->fd, 1, 0, DRM_LOOM_DIRECTION_BOTTOM_UP, &handle));
	ASSERT_EQ(0, loom_bo_info(client->fd, handle, &info));
	EXPECT_EQ(base + self->scratch_bytes, info.address);
	EXPECT_EQ(0, loom_client_run(client, plan, 2, 0));
	ASSERT_EQ(0, loom_bo_wait(client->fd, client->out, loom_soon()));
	EXPECT_EQ(-ENOSPC, sram_create(client->fd, self->sram.total_bytes * self->sram.banks, 0, 0,
				       &handle));

	/* until both are destroyed */
	ASSERT_EQ(0, loom_plan_destroy(client->fd, plan));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(self->scratch_bytes, sram.scratch_bytes);
	ASSERT_EQ(0, loom_plan_destroy(client->fd, second));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(0, sram.scratch_bytes);
	ASSERT_EQ(0, sram_create(client->fd, 1, 0, DRM_LOOM_DIRECTION_BOTTOM_UP, &handle));
	ASSERT_EQ(0, loom_bo_info(client->fd, handle, &info));
	EXPECT_EQ(base, info.address);
}

TEST_F(scratch, what_is_taken_is_not_reserved)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_region_info sram;
	struct drm_loom_scratch_conflict conflict = {};
	uint32_t plan, handle;

	ASSERT_EQ(0, sram_create(client->fd, 1, 0, DRM_LOOM_DIRECTION_BOTTOM_UP, &handle));
	EXPECT_EQ(-EBUSY, plan_reserve(client->fd, client->info.lanes, &conflict, &plan));
	EXPECT_EQ(handle, conflict.handle);
	EXPECT_EQ(self->scratch_bytes, conflict.short_bytes);
	EXPECT_EQ(-EBUSY, plan_reserve(client->fd, client->info.lanes, NULL, &plan));
	EXPECT_EQ(-EFAULT, plan_reserve(client->fd, client->info.lanes, (void *)8, &plan));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(0, sram.scratch_bytes);
	ASSERT_EQ(0, loom_bo_close(client->fd, handle));
	EXPECT_EQ(0, plan_reserve(client->fd, client->info.lanes, &conflict, &plan));
}

/* Another client's buffer is in the way. Return: bits of what is wrong. */
static int check_conflict_of_nobody(const struct loom_client *client, uint32_t plan,
				    uint64_t short_bytes)
{
	struct drm_loom_scratch_conflict conflict, reserved;
	struct drm_loom_fit fit;
	uint32_t more;
	int wrong = 0;

	if (loom_become_nobody())
		return 128;
	if (submit_conflict(client, plan, &conflict, sizeof(conflict)) != -EBUSY ||
	    query_fit(client->fd, plan, &fit) ||
	    plan_reserve(client->fd, client->info.lanes, &reserved, &more) != -EBUSY)
		return 64;
	if (memcmp(&conflict, &fit.conflict, sizeof(conflict)) ||
	    memcmp(&conflict, &reserved, sizeof(conflict)))
		wrong |= 1;
	if (conflict.handle || conflict.address || conflict.bytes)
		wrong |= 2;
	if (conflict.short_bytes != short_bytes)
		wrong |= 4;
	return wrong;
}

/* The client's own is. Return: as above. */
static int check_own_conflict_of_nobody(const struct loom_client *client, uint32_t plan,
					uint32_t handle)
{
	struct drm_loom_scratch_conflict conflict;
	struct drm_loom_bo_info info;

	if (loom_become_nobody())
		return 128;
	if (loom_bo_info(client->fd, handle, &info) ||
	    submit_conflict(client, plan, &conflict, sizeof(conflict)) != -EBUSY)
		return 64;
	return conflict.handle != handle || conflict.address != info.address ||
	       conflict.bytes != info.bytes_per_bank;
}

TEST_F(scratch, without_a_capability_a_conflict_tells_no_address)
{
	const struct loom_client *client = &self->client;
	int other = loom_open(), status;
	const uint64_t step = self->sram.total_bytes / 64, align = self->sram.align_bytes;
	uint64_t short_bytes;
	uint32_t handle, below, context;
	pid_t child;

	if (geteuid())
		SKIP(return, "no capability to drop");
	ASSERT_GE(other, 0);
	/* one file at a time */
	ASSERT_EQ(0, loom_context_destroy(client->fd, self->exclusive));
	ASSERT_EQ(0, loom_exclusive(other, &context));
	ASSERT_EQ(0, sram_create(other, 1, align, DRM_LOOM_DIRECTION_BOTTOM_UP, &below));
	ASSERT_EQ(0, sram_create(other, 1, align, DRM_LOOM_DIRECTION_BOTTOM_UP, &handle));
	ASSERT_EQ(0, loom_bo_close(other, below));
	/* not how far it is exactly */
	short_bytes = (self->scratch_bytes - align + step - 1) / step * step;
	if (short_bytes > self->scratch_bytes)
		short_bytes = self->scratch_bytes;
	EXPECT_NE(self->scratch_bytes - align, short_bytes);
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(check_conflict_of_nobody(client, self->plan, short_bytes));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	close(other);

	/* of its own it is told all */
	ASSERT_EQ(0, loom_exclusive(client->fd, &self->exclusive));
	ASSERT_EQ(0, sram_create(client->fd, 1, 64, DRM_LOOM_DIRECTION_BOTTOM_UP, &handle));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(check_own_conflict_of_nobody(client, self->plan, handle));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* A reservation ends at once, even if a job that has ended is not cleaned up yet. */
TEST_F_TIMEOUT(scratch, nothing_is_reserved_once_the_plan_is_gone, 60)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_region_info sram;
	uint32_t plan, i;

	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, plan_reserve(client->fd, client->info.lanes, NULL, &plan));
		ASSERT_EQ(0, loom_client_run(client, plan, 2, 0));
		ASSERT_EQ(0, loom_bo_wait(client->fd, client->out, loom_soon()));
		ASSERT_EQ(0, loom_plan_destroy(client->fd, plan));
		ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram));
		ASSERT_EQ(0, sram.scratch_bytes);
	}
}

TEST_F(scratch, a_client_that_is_killed_reserves_nothing)
{
	struct drm_loom_region_info sram;
	int64_t end = loom_soon();
	int pipefd[2], status;
	char byte;
	pid_t child;

	ASSERT_EQ(0, pipe(pipefd));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		uint32_t plan;
		int fd = loom_open();

		byte = plan_reserve(fd, self->client.info.lanes, NULL, &plan) ? 'n' : 'y';
		if (write(pipefd[1], &byte, 1) != 1)
			_exit(1);
		pause();
	}
	close(pipefd[1]);
	ASSERT_EQ(1, read(pipefd[0], &byte, 1));
	EXPECT_EQ('y', byte);
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_EQ(self->scratch_bytes, sram.scratch_bytes);
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	do {
		ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	} while (sram.scratch_bytes && loom_now_ns() < end);
	EXPECT_EQ(0, sram.scratch_bytes);
}
