// SPDX-License-Identifier: GPL-2.0
/*
 * How clients share the SRAM: the floor of scratch that nobody can take, the share of a file in the
 * pool above it, exclusive contexts, and what becomes of their takings when somebody else comes.
 */
#include "loom_selftest.h"

#include <linux/dma-buf.h>
#include <sys/time.h>

#define ROW_BYTES	LOOM_ROW_BYTES

FIXTURE(sram)
{
	/* the first file, of a process without privileges */
	struct loom_client client;
	struct drm_loom_region_info sram;
	uint64_t base, pool;
};

FIXTURE_SETUP(sram)
{
	int ret = loom_client_open(&self->client);

	if (ret == -ENODEV)
		SKIP(return, "no loom device");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &self->sram));
	if (self->sram.blocks || self->sram.scratch_bytes)
		SKIP(return, "somebody else uses the device");
	if (loom_set_nice(false))
		SKIP(return, "capabilities cannot be changed");
	self->base = self->sram.bank_bytes - self->sram.total_bytes;
	self->pool = self->sram.total_bytes - self->sram.scratch_floor_bytes;
	ASSERT_LT(2 * ROW_BYTES, self->sram.scratch_floor_bytes);
}

/* After any test: closing the files has freed all that they took. */
FIXTURE_TEARDOWN(sram)
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
	EXPECT_EQ(0, after.share_used_bytes);
}

static int take(int fd, const struct drm_loom_region_info *sram, uint64_t bytes, uint64_t mask,
		uint32_t direction, struct drm_loom_bo_info *info)
{
	return loom_sram_take(fd, sram, bytes, mask, direction, info);
}

/* Slot 1 = |slot 0|, by way of the top row of @scratch bytes. */
static uint32_t plan_abs(const struct loom_client *client, uint64_t scratch)
{
	struct drm_loom_attr_unary attr = { .kind = DRM_LOOM_UNARY_ABS };
	struct loom_builder builder;
	uint32_t in, out, x, y;
	uint64_t size;
	void *blob;

	loom_builder_init(&builder, client->info.lanes, LOOM_COLUMNS);
	in = loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	out = loom_builder_slot(&builder, DRM_LOOM_SLOT_WRITE, 2, 2);
	x = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, 0, 0, 1);
	y = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, scratch - ROW_BYTES, 1, 2);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_LOAD, NULL, 0, x, in);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_UNARY, &attr, sizeof(attr), y, x);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_STORE, NULL, 0, out, y);
	blob = loom_builder_finish(&builder, &size);
	return loom_client_plan(client, blob, size);
}

/* Moves the upper of the two scratch tensors of a plan to the end of @scratch bytes. */
static void *raise_scratch(void *blob, uint64_t scratch)
{
	struct drm_loom_plan_header *header = blob;
	struct drm_loom_plan_tensor *tensors = (void *)((char *)blob + header->tensors.offset);

	header->scratch_bytes = scratch;
	tensors[header->tensors.count - 1].offset = scratch - ROW_BYTES;
	return blob;
}

/* Runs the plan, and looks at its result. Return: 0 or -errno, -EBADE for a wrong result. */
static int run_abs(const struct loom_client *client, uint32_t plan)
{
	float *in = loom_bo_map(client->fd, client->in, client->bytes);
	float *out = loom_bo_map(client->fd, client->out, client->bytes);
	uint64_t last = client->bytes / sizeof(float) - 1;
	int ret;

	if (in == MAP_FAILED || out == MAP_FAILED)
		return -ENOMEM;
	in[0] = -2.0f;
	in[last] = -3.0f;
	out[0] = 99.0f;
	out[last] = 99.0f;
	ret = loom_client_run(client, plan, 2, 0);
	if (!ret)
		ret = loom_bo_wait(client->fd, client->out, loom_soon());
	if (!ret && (out[0] != 2.0f || out[last] != 3.0f))
		ret = -EBADE;
	munmap(in, client->bytes);
	munmap(out, client->bytes);
	return ret;
}

static int plan_reserve(const struct loom_client *client, uint64_t scratch, uint32_t *plan)
{
	struct loom_builder builder;
	struct drm_loom_plan_create args = { .flags = DRM_LOOM_PLAN_RESERVE };
	uint64_t size;
	void *blob;
	int ret;

	loom_builder_init(&builder, client->info.lanes, LOOM_COLUMNS);
	builder.scratch_bytes = scratch;
	loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, scratch - ROW_BYTES, 0, 0);
	loom_builder_step(&builder);
	blob = loom_builder_finish(&builder, &size);
	args.ptr = (uintptr_t)blob;
	args.size = size;
	ret = loom_call(client->fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
	free(blob);
	*plan = args.plan;
	return ret;
}

/* ------------------------------------------------------------ the attacks */

/* The attack that was seen: a few bytes at the bottom, and nobody else's plan ever runs again. */
TEST_F(sram, a_few_bytes_at_the_bottom_stop_nobody)
{
	struct loom_client victim;
	struct drm_loom_bo_info info;
	uint32_t plan;

	ASSERT_EQ(0, loom_client_open(&victim));
	EXPECT_EQ(0, take(self->client.fd, &self->sram, 64, 0, DRM_LOOM_DIRECTION_BOTTOM_UP,
			  &info));
	EXPECT_EQ(0, take(self->client.fd, &self->sram, 64, 1, DRM_LOOM_DIRECTION_BOTTOM_UP,
			  &info));
	plan = loom_client_plan_unary(&victim, DRM_LOOM_UNARY_ABS);
	EXPECT_EQ(0, run_abs(&victim, plan));
	EXPECT_LE(self->base + self->sram.scratch_floor_bytes, info.address);
	loom_client_close(&victim);
}

/* The reverse one: scratch that is kept, and nobody else ever gets an SRAM buffer. */
TEST_F(sram, a_reservation_keeps_nobody_out)
{
	struct drm_loom_bo_info info;
	uint32_t plan;
	int other = loom_open();

	ASSERT_GE(other, 0);
	EXPECT_EQ(-EACCES, plan_reserve(&self->client, self->sram.total_bytes, &plan));
	EXPECT_EQ(0, take(other, &self->sram, 64, 0, DRM_LOOM_DIRECTION_DEFAULT, &info));
	/* what takes nothing from anybody needs no privilege */
	EXPECT_EQ(0, plan_reserve(&self->client, self->sram.scratch_floor_bytes, &plan));
	EXPECT_EQ(0, take(other, &self->sram, self->sram.share_bytes - 64, 0,
			  DRM_LOOM_DIRECTION_BOTTOM_UP, &info));
	close(other);
}

/* Another reverse one: jobs that need the whole bank, one behind the other for ever. */
TEST_F(sram, queued_jobs_keep_nobody_out)
{
	const struct loom_client *client = &self->client;
	uint32_t endless = loom_client_plan_endless(client), whole, plan;
	struct drm_loom_bo_info info;
	int other = loom_open();

	ASSERT_GE(other, 0);
	ASSERT_NE(0, endless);
	whole = plan_abs(client, self->sram.total_bytes);
	plan = plan_abs(client, self->sram.scratch_floor_bytes);
	ASSERT_NE(0, whole);
	ASSERT_NE(0, plan);
	EXPECT_EQ(0, loom_client_run(client, endless, 2, 0));
	EXPECT_EQ(-EACCES, loom_client_run(client, whole, 2, 0));
	EXPECT_EQ(0, loom_client_run(client, plan, 2, 0));
	EXPECT_EQ(0, take(other, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	close(other);
}

/* However much an attacker takes, and from wherever it can. */
TEST_F_TIMEOUT(sram, scratch_up_to_the_floor_always_runs, 60)
{
	struct drm_loom_region_info now;
	struct drm_loom_bo_info info;
	uint32_t i, plan, taken = 0, reserved;
	struct loom_client victim;
	int attacker[4];

	ASSERT_EQ(0, loom_client_open(&victim));
	plan = plan_abs(&victim, self->sram.scratch_floor_bytes);
	ASSERT_NE(0, plan);
	for (i = 0; i < LOOM_ARRAY_SIZE(attacker); i++) {
		uint64_t bytes = self->sram.total_bytes;

		attacker[i] = loom_open();
		ASSERT_GE(attacker[i], 0);
		for (; bytes >= self->sram.align_bytes; bytes -= bytes / 2 ?: bytes)
			while (!take(attacker[i], &self->sram, bytes, i % 2 ? 0x3 : 0,
				     i / 2 ? DRM_LOOM_DIRECTION_BOTTOM_UP :
					     DRM_LOOM_DIRECTION_TOP_DOWN, &info)) {
				taken++;
				EXPECT_LE(self->base + self->sram.scratch_floor_bytes,
					  info.address);
			}
	}
	EXPECT_LT(1, taken);
	EXPECT_EQ(-EACCES, plan_reserve(&self->client, self->sram.total_bytes, &reserved));
	ASSERT_EQ(0, loom_query_region(victim.fd, DRM_LOOM_REGION_SRAM, &now));
	/* the pool is gone, and nothing below it */
	EXPECT_EQ(self->pool, now.allocated_bytes);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, run_abs(&victim, plan));
	for (i = 0; i < LOOM_ARRAY_SIZE(attacker); i++)
		close(attacker[i]);
	loom_client_close(&victim);
}

/* ------------------------------------------------------------- the shares */

TEST_F(sram, query_tells_the_rules)
{
	struct drm_loom_region_info dram;

	EXPECT_LT(0, self->sram.scratch_floor_bytes);
	EXPECT_GT(self->sram.total_bytes, self->sram.scratch_floor_bytes);
	EXPECT_EQ(0, self->sram.scratch_floor_bytes % self->sram.align_bytes);
	EXPECT_LT(0, self->sram.share_bytes);
	EXPECT_GE(self->pool, 2 * self->sram.share_bytes);
	EXPECT_EQ(0, self->sram.share_used_bytes);
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_DRAM, &dram));
	EXPECT_EQ(0, dram.scratch_floor_bytes);
	EXPECT_EQ(0, dram.share_bytes);
	EXPECT_EQ(0, dram.share_used_bytes);
}

/* Three quarters of a bank, if the module was not loaded otherwise, and half of what is left. */
TEST_F(sram, the_floor_is_what_the_module_was_told)
{
	const uint64_t units = self->sram.total_bytes / self->sram.align_bytes;
	uint64_t floor_units;
	unsigned int percent;
	FILE *file = fopen("/sys/module/loom/parameters/sram_floor_percent", "r");

	ASSERT_NE(NULL, file);
	EXPECT_EQ(1, fscanf(file, "%u", &percent));
	fclose(file);
	floor_units = units * (percent < 100 ? percent : 100) / 100;
	EXPECT_EQ(floor_units * self->sram.align_bytes, self->sram.scratch_floor_bytes);
	EXPECT_EQ((units - floor_units) / 2 * self->sram.align_bytes, self->sram.share_bytes);
}

TEST_F(sram, a_file_has_its_share_of_each_bank)
{
	const uint64_t share = self->sram.share_bytes, unit = self->sram.align_bytes;
	struct drm_loom_region_info now;
	struct drm_loom_bo_info all, one, two;
	int other = loom_open(), third = loom_open();

	ASSERT_GE(other, 0);
	ASSERT_GE(third, 0);
	EXPECT_EQ(-EDQUOT, take(self->client.fd, &self->sram, share + unit, 0,
				DRM_LOOM_DIRECTION_DEFAULT, &all));
	ASSERT_EQ(0, take(self->client.fd, &self->sram, share - unit, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &all));
	ASSERT_EQ(0, take(self->client.fd, &self->sram, unit, 1, DRM_LOOM_DIRECTION_DEFAULT, &one));
	EXPECT_EQ(-EDQUOT, take(self->client.fd, &self->sram, unit, 3, DRM_LOOM_DIRECTION_DEFAULT,
				&two));
	ASSERT_EQ(0, take(self->client.fd, &self->sram, unit, 2, DRM_LOOM_DIRECTION_DEFAULT, &two));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &now));
	EXPECT_EQ(share, now.share_used_bytes);
	/* others have theirs */
	ASSERT_EQ(0, loom_query_region(other, DRM_LOOM_REGION_SRAM, &now));
	EXPECT_EQ(0, now.share_used_bytes);
	EXPECT_EQ(0, take(other, &self->sram, share, 0, DRM_LOOM_DIRECTION_BOTTOM_UP, &two));
	/* of a pool that is empty now but for what rounding leaves */
	EXPECT_EQ(-ENOSPC, take(third, &self->sram, share, 0, DRM_LOOM_DIRECTION_DEFAULT, &two));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, all.handle));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &now));
	EXPECT_EQ(unit, now.share_used_bytes);
	close(third);
	close(other);
}

TEST_F(sram, it_says_that_the_rest_is_kept_for_scratch)
{
	const uint64_t share = self->sram.share_bytes;
	struct drm_loom_no_space record = {};
	struct drm_loom_bo_create args = {
		.size = share * self->sram.banks,
		.region = DRM_LOOM_REGION_SRAM,
		.page_bytes = self->sram.align_bytes,
		.no_space = (uintptr_t)&record,
		.no_space_size = sizeof(record),
	};
	struct drm_loom_bo_info info;
	int other[2] = { loom_open(), loom_open() };

	ASSERT_EQ(0, take(other[0], &self->sram, share, 0, DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, take(other[1], &self->sram, share, 0, DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_EQ(-ENOSPC, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	EXPECT_EQ(DRM_LOOM_NO_SPACE_SCRATCH, record.reason);
	EXPECT_EQ(self->sram.scratch_floor_bytes, record.scratch_bytes);
	EXPECT_LE(share, record.largest_free_bytes);
	close(other[0]);
	close(other[1]);
}

/* ---------------------------------------------------- exclusive contexts */

TEST_F(sram, the_only_client_may_have_all)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_context_query query;
	struct drm_loom_bo_info info;
	uint32_t context, plan, whole;

	whole = plan_abs(client, self->sram.total_bytes);
	EXPECT_EQ(-EACCES, loom_client_run(client, whole, 2, 0));
	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	ASSERT_EQ(0, loom_context_query(client->fd, context, &query));
	EXPECT_EQ(DRM_LOOM_CONTEXT_EXCLUSIVE, query.flags);
	EXPECT_EQ(0, run_abs(client, whole));
	ASSERT_EQ(0, plan_reserve(client, self->sram.total_bytes, &plan));
	EXPECT_EQ(-ENOSPC, take(client->fd, &self->sram, 64, 0, DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, loom_plan_destroy(client->fd, plan));
	ASSERT_EQ(0, take(client->fd, &self->sram, self->sram.total_bytes, 0,
			  DRM_LOOM_DIRECTION_BOTTOM_UP, &info));
	EXPECT_EQ(self->base, info.address);
	EXPECT_EQ(-EBUSY, loom_client_run(client, whole, 2, 0));
	EXPECT_EQ(-EBUSY, plan_reserve(client, 2 * ROW_BYTES, &plan));
	ASSERT_EQ(0, loom_bo_close(client->fd, info.handle));
	ASSERT_EQ(0, loom_context_destroy(client->fd, context));
	EXPECT_EQ(-EACCES, loom_client_run(client, whole, 2, 0));
	EXPECT_EQ(-EDQUOT, take(client->fd, &self->sram, self->sram.total_bytes, 0,
				DRM_LOOM_DIRECTION_BOTTOM_UP, &info));
}

/* All of a bank is free, and as much was asked for. */
TEST_F(sram, it_says_that_only_scratch_is_in_the_way)
{
	struct drm_loom_no_space record = {};
	struct drm_loom_bo_create args = {
		.size = self->sram.total_bytes * self->sram.banks,
		.region = DRM_LOOM_REGION_SRAM,
		.page_bytes = self->sram.align_bytes,
		.no_space = (uintptr_t)&record,
		.no_space_size = sizeof(record),
	};
	uint32_t context, plan;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, plan_reserve(&self->client, 2 * ROW_BYTES, &plan));
	EXPECT_EQ(-ENOSPC, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
	EXPECT_EQ(DRM_LOOM_NO_SPACE_SCRATCH, record.reason);
	EXPECT_EQ(2 * ROW_BYTES, record.scratch_bytes);
	EXPECT_EQ(self->sram.total_bytes, record.bytes_per_bank);
	EXPECT_EQ(self->sram.total_bytes, record.largest_free_bytes);
	ASSERT_EQ(0, loom_plan_destroy(self->client.fd, plan));
	EXPECT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
}

TEST_F(sram, who_is_not_alone_needs_the_capability)
{
	struct drm_loom_context_create args = { .flags = DRM_LOOM_CONTEXT_EXCLUSIVE << 1 };
	struct drm_loom_context_query query;
	struct drm_loom_bo_info info;
	uint32_t context, again, own;
	int other = loom_open();

	ASSERT_GE(other, 0);
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args));
	EXPECT_EQ(-EACCES, loom_exclusive(self->client.fd, &context));
	EXPECT_EQ(-EACCES, loom_exclusive(other, &context));
	ASSERT_EQ(0, loom_set_nice(true));
	ASSERT_EQ(0, loom_exclusive(other, &context));
	ASSERT_EQ(0, loom_exclusive(other, &again));
	EXPECT_EQ(-EBUSY, loom_exclusive(self->client.fd, &own));
	ASSERT_EQ(0, loom_set_nice(false));
	EXPECT_EQ(-EBUSY, loom_exclusive(self->client.fd, &own));
	/* it goes on to have it, and so does the file with one of them */
	ASSERT_EQ(0, loom_context_destroy(other, context));
	ASSERT_EQ(0, loom_context_query(other, again, &query));
	EXPECT_EQ(DRM_LOOM_CONTEXT_EXCLUSIVE, query.flags);
	ASSERT_EQ(0, take(other, &self->sram, 64, 0, DRM_LOOM_DIRECTION_BOTTOM_UP, &info));
	EXPECT_EQ(self->base, info.address);
	EXPECT_EQ(-EBUSY, loom_client_run(&self->client, plan_abs(&self->client, 2 * ROW_BYTES), 2,
					  0));
	/* without a context of that kind the floor is everybody's again */
	ASSERT_EQ(0, loom_context_destroy(other, again));
	EXPECT_EQ(0, run_abs(&self->client, plan_abs(&self->client, 2 * ROW_BYTES)));
	close(other);
}

TEST_F(sram, a_closed_file_is_not_exclusive)
{
	uint32_t context;
	int other;

	loom_client_close(&self->client);
	other = loom_open();
	ASSERT_EQ(0, loom_exclusive(other, &context));
	close(other);
	ASSERT_EQ(0, loom_client_open(&self->client));
	other = loom_open();
	EXPECT_EQ(-EACCES, loom_exclusive(other, &context));
	ASSERT_EQ(0, loom_set_nice(true));
	EXPECT_EQ(0, loom_exclusive(other, &context));
	close(other);
	EXPECT_EQ(0, loom_exclusive(self->client.fd, &context));
}

/* ------------------------------------------------------------ displacement */

/* Bytes that can be told from those of others. */
static uint32_t *fill(int fd, const struct drm_loom_bo_info *info, uint32_t seed)
{
	uint32_t *map = loom_bo_map(fd, info->handle, info->size), i;

	for (i = 0; map != MAP_FAILED && i < info->size / sizeof(*map); i++)
		map[i] = seed + i;
	return map;
}

static uint32_t wrong_bytes(const uint32_t *map, const struct drm_loom_bo_info *info,
			    uint32_t seed)
{
	uint32_t i, wrong = 0;

	for (i = 0; i < info->size / sizeof(*map); i++)
		wrong += map[i] != seed + i;
	return wrong;
}

TEST_F(sram, a_second_client_runs_where_the_first_had_buffers)
{
	struct drm_loom_bo_info low, high, now;
	struct drm_loom_fit fit = {};
	uint32_t context, plan, size = sizeof(fit), *map;
	struct loom_client second;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, loom_sram_take_mapped(self->client.fd, &self->sram, 128,
					   DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	ASSERT_EQ(0, take(self->client.fd, &self->sram, 128, 0, DRM_LOOM_DIRECTION_TOP_DOWN,
			  &high));
	EXPECT_EQ(loom_first_byte(&self->sram, low.page_bytes), low.address);
	map = fill(self->client.fd, &low, 0x1000);
	ASSERT_NE(MAP_FAILED, map);

	ASSERT_EQ(0, loom_client_open(&second));
	plan = plan_abs(&second, 2 * ROW_BYTES);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_query(second.fd, DRM_LOOM_QUERY_FIT, plan, &fit, &size));
	EXPECT_EQ(DRM_LOOM_FIT_NOW, fit.flags);
	/* nobody needed the room yet */
	ASSERT_EQ(0, loom_bo_info(self->client.fd, low.handle, &now));
	EXPECT_EQ(0, now.flags);
	EXPECT_EQ(0, run_abs(&second, plan));
	ASSERT_EQ(0, loom_bo_info(self->client.fd, low.handle, &now));
	EXPECT_EQ(DRM_LOOM_BO_EVICTED, now.flags);
	EXPECT_EQ(0, wrong_bytes(map, &low, 0x1000));
	/* what anybody may have is left alone */
	ASSERT_EQ(0, loom_bo_info(self->client.fd, high.handle, &now));
	EXPECT_EQ(0, now.flags);
	EXPECT_EQ(high.address, now.address);
	munmap(map, low.size);
	loom_client_close(&second);
}

TEST_F(sram, a_reservation_makes_room_too)
{
	struct drm_loom_bo_info low, now;
	struct loom_client second;
	uint32_t context, plan;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, take(self->client.fd, &self->sram, 128, 0, DRM_LOOM_DIRECTION_BOTTOM_UP,
			  &low));
	ASSERT_EQ(0, loom_client_open(&second));
	EXPECT_EQ(0, plan_reserve(&second, 2 * ROW_BYTES, &plan));
	ASSERT_EQ(0, loom_bo_info(self->client.fd, low.handle, &now));
	EXPECT_EQ(DRM_LOOM_BO_EVICTED, now.flags);
	loom_client_close(&second);
}

TEST_F_TIMEOUT(sram, a_second_client_gets_its_share_of_a_full_sram, 60)
{
	struct drm_loom_bo_info mine[8], now, info;
	uint32_t context, i, *map[8], evicted = 0;
	const uint32_t page = self->sram.map_bytes ? self->sram.map_bytes : 64;
	const uint64_t piece = self->sram.total_bytes / 8 / page * page;
	int other;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, loom_sram_take_mapped(self->client.fd, &self->sram, piece,
						   DRM_LOOM_DIRECTION_DEFAULT, &mine[i]));
		map[i] = fill(self->client.fd, &mine[i], i << 24);
		ASSERT_NE(MAP_FAILED, map[i]);
	}
	other = loom_open();
	ASSERT_GE(other, 0);
	EXPECT_EQ(0, take(other, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_LE(self->base + self->sram.scratch_floor_bytes, info.address);
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, loom_bo_info(self->client.fd, mine[i].handle, &now));
		evicted += now.flags == DRM_LOOM_BO_EVICTED;
		EXPECT_EQ(0, wrong_bytes(map[i], &mine[i], i << 24));
		munmap(map[i], mine[i].size);
	}
	/* some, and no more than were in the way */
	EXPECT_LT(0, evicted);
	EXPECT_GT(8, evicted);
	close(other);
}

TEST_F(sram, a_reservation_is_lost)
{
	struct drm_loom_fit fit = {};
	uint32_t context, plan, size = sizeof(fit);
	struct drm_loom_bo_info info;
	int other;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, plan_reserve(&self->client, self->sram.total_bytes, &plan));
	ASSERT_EQ(0, loom_query(self->client.fd, DRM_LOOM_QUERY_FIT, plan, &fit, &size));
	EXPECT_EQ(DRM_LOOM_FIT_NOW | DRM_LOOM_FIT_RESERVED | DRM_LOOM_FIT_EXCLUSIVE, fit.flags);
	other = loom_open();
	ASSERT_GE(other, 0);
	EXPECT_EQ(0, take(other, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, loom_query(self->client.fd, DRM_LOOM_QUERY_FIT, plan, &fit, &size));
	EXPECT_EQ(DRM_LOOM_FIT_EXCLUSIVE, fit.flags);
	close(other);
}

/* A buffer makes room when its file has no exclusive context in effect, and not before. */
TEST_F(sram, what_a_privileged_client_has_stays)
{
	struct drm_loom_bo_info all, now, info;
	uint32_t context;
	int other = loom_open();

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_set_nice(true));
	ASSERT_EQ(0, loom_exclusive(other, &context));
	ASSERT_EQ(0, loom_set_nice(false));
	ASSERT_EQ(0, take(other, &self->sram, self->sram.total_bytes, 0,
			  DRM_LOOM_DIRECTION_BOTTOM_UP, &all));
	EXPECT_EQ(-ENOSPC, take(self->client.fd, &self->sram, self->sram.align_bytes, 0,
				DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, loom_bo_info(other, all.handle, &now));
	EXPECT_EQ(0, now.flags);
	ASSERT_EQ(0, loom_context_destroy(other, context));
	EXPECT_EQ(0, take(self->client.fd, &self->sram, self->sram.align_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, loom_bo_info(other, all.handle, &now));
	EXPECT_EQ(DRM_LOOM_BO_EVICTED, now.flags);
	close(other);
}

/* What jobs hold that use no scratch: nothing, and what others hold stays when they end. */
TEST_F(sram, jobs_without_scratch_hold_nothing)
{
	const struct loom_client *client = &self->client;
	uint32_t null = loom_client_plan_null(client), plan, fence, i;
	struct drm_loom_region_info now;

	ASSERT_NE(0, null);
	ASSERT_EQ(0, plan_reserve(client, 2 * ROW_BYTES, &plan));
	for (i = 0; i < 20; i++) {
		fence = loom_sync_create(client->fd, 0);
		ASSERT_EQ(0, loom_client_run(client, null, 0, fence));
		ASSERT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
		ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &now));
		EXPECT_EQ(2 * ROW_BYTES, now.scratch_bytes);
		ASSERT_EQ(0, run_abs(client, plan_abs(client, 3 * ROW_BYTES)));
	}
	ASSERT_EQ(0, loom_plan_destroy(client->fd, plan));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &now));
	EXPECT_EQ(0, now.scratch_bytes);
}

/* With the capability it is nobody's who comes later. */
TEST_F(sram, a_privileged_reservation_is_kept)
{
	struct loom_client holder;
	struct drm_loom_bo_info info;
	uint32_t context, plan;

	ASSERT_EQ(0, loom_client_open(&holder));
	ASSERT_EQ(0, loom_set_nice(true));
	ASSERT_EQ(0, loom_exclusive(holder.fd, &context));
	ASSERT_EQ(0, loom_set_nice(false));
	ASSERT_EQ(0, plan_reserve(&holder, self->sram.total_bytes, &plan));
	EXPECT_EQ(-ENOSPC, take(self->client.fd, &self->sram, self->sram.align_bytes, 0,
				DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, loom_plan_destroy(holder.fd, plan));
	EXPECT_EQ(0, take(self->client.fd, &self->sram, self->sram.align_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	loom_client_close(&holder);
}

/* Hours of jobs that the first client has queued for the whole bank when it was alone. */
TEST_F_TIMEOUT(sram, queued_jobs_make_room, 60)
{
	const struct loom_client *client = &self->client;
	uint32_t context, whole, fence, running, plan, i;
	struct drm_loom_context_query query;
	struct drm_loom_region_info now;
	struct drm_loom_bo_info info;
	struct loom_client second;
	uint64_t size, later;
	void *blob;

	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	fence = loom_sync_create(client->fd, 0);
	running = loom_sync_create(client->fd, 0);
	/* the endless plan, in all of the bank */
	blob = loom_plan_blob_endless(client->info.lanes, &size);
	whole = loom_client_plan(client, raise_scratch(blob, self->sram.total_bytes), size);
	ASSERT_NE(0, whole);
	ASSERT_EQ(0, loom_client_run(client, whole, 2, running));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, loom_client_run(client, whole, 2, fence));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &now));
	EXPECT_EQ(self->sram.total_bytes, now.scratch_bytes);

	ASSERT_EQ(0, loom_client_open(&second));
	/* who does not need the room does not cancel them */
	plan = plan_abs(&second, 2 * ROW_BYTES);
	EXPECT_EQ(-ETIME, loom_sync_wait(client->fd, running, 0));
	EXPECT_EQ(-EACCES, loom_client_run(client, whole, 2, 0));
	later = loom_now_ns() + 10 * LOOM_SECOND_NS;
	EXPECT_EQ(0, take(second.fd, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_GT(later, loom_now_ns());
	EXPECT_EQ(0, loom_sync_wait(client->fd, running, loom_soon()));
	EXPECT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
	EXPECT_EQ(0, run_abs(&second, plan));
	/* it is nobody's fault */
	ASSERT_EQ(0, loom_context_query(client->fd, client->context, &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, query.resets);
	loom_client_close(&second);
}

/* More of them than are looked at without a pause. */
TEST_F_TIMEOUT(sram, a_hundred_queued_jobs_make_room, 60)
{
	const struct loom_client *client = &self->client;
	uint32_t context, whole, fence, i;
	struct drm_loom_bo_info info;
	uint64_t size;
	int other;
	void *blob;

	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	fence = loom_sync_create(client->fd, 0);
	blob = loom_plan_blob_endless(client->info.lanes, &size);
	whole = loom_client_plan(client, raise_scratch(blob, self->sram.total_bytes), size);
	ASSERT_NE(0, whole);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, loom_client_run(client, whole, 2, fence));
	other = loom_open();
	ASSERT_GE(other, 0);
	EXPECT_EQ(0, take(other, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
	close(other);
}

#define FENCES	8

/* The first two run, and the others are queued behind them. */
static void queue_hours(const struct loom_client *client, uint32_t in, uint32_t out,
			uint32_t *fences)
{
	struct loom_client queues[2];
	uint32_t i;

	queues[0] = loom_client_bound(client, in, out);
	queues[1] = loom_client_bound(client, in, out);
	for (i = 0; i < FENCES; i++)
		fences[i] = loom_client_run_bound(&queues[i % 2], 65536, 2000);
}

static uint32_t count_status(const struct loom_client *client, const uint32_t *fences, int status)
{
	uint32_t i, count = 0;

	for (i = 0; i < FENCES; i++) {
		if (status)
			loom_sync_wait(client->fd, fences[i], loom_soon());
		count += loom_sync_status(client->fd, fences[i]) == status;
	}
	return count;
}

/* The jobs of a buffer that is in the way go with it, and nobody waits for them. */
TEST_F_TIMEOUT(sram, jobs_of_a_displaced_buffer_end, 60)
{
	const struct loom_client *client = &self->client;
	uint32_t context, plan, bystander = 0, fence, fences[FENCES], *map;
	struct drm_loom_bo_info low, high[2];
	struct drm_loom_context_query query;
	struct loom_client second, user;
	int64_t later;

	if (self->sram.share_bytes < 3 * ROW_BYTES)
		SKIP(return, "a small SRAM");
	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &high[0]));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &high[1]));
	EXPECT_EQ(self->base, low.address);
	map = fill(client->fd, &low, 0x3f800000);
	ASSERT_NE(MAP_FAILED, map);
	queue_hours(client, low.handle, high[0].handle, fences);
	user = loom_client_bound(client, high[0].handle, high[1].handle);
	/* where jobs take no turns all others would wait for this one */
	if (loom_takes_turns(client->fd))
		bystander = loom_client_run_bound(&user, 65536, 2000);

	ASSERT_EQ(0, loom_client_open(&second));
	plan = plan_abs(&second, 2 * ROW_BYTES);
	EXPECT_EQ(FENCES, count_status(client, fences, 0));
	later = loom_now_ns() + 5 * LOOM_SECOND_NS;
	EXPECT_EQ(0, run_abs(&second, plan));
	EXPECT_GT(later, loom_now_ns());
	EXPECT_EQ(FENCES, count_status(client, fences, -ECANCELED));
	if (bystander)
		EXPECT_EQ(0, loom_sync_status(client->fd, bystander));
	EXPECT_EQ(0, wrong_bytes(map, &low, 0x3f800000));
	ASSERT_EQ(0, loom_bo_info(client->fd, low.handle, &low));
	EXPECT_EQ(DRM_LOOM_BO_EVICTED, low.flags);

	/* the owner goes on, by the rules for all */
	user = loom_client_bound(client, low.handle, high[0].handle);
	fence = loom_client_run_bound(&user, 2, 1);
	EXPECT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
	EXPECT_EQ(1, loom_sync_status(client->fd, fence));
	ASSERT_EQ(0, loom_bo_info(client->fd, low.handle, &low));
	EXPECT_EQ(0, low.flags);
	EXPECT_LE(self->base + self->sram.scratch_floor_bytes, low.address);
	EXPECT_EQ(0, wrong_bytes(map, &low, 0x3f800000));
	ASSERT_EQ(0, loom_context_query(client->fd, user.context, &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, query.resets);
	munmap(map, low.size);
	loom_client_close(&second);
}

/* The same for a buffer, and the jobs that use it there do not wait either. */
TEST_F_TIMEOUT(sram, a_buffer_takes_the_place_of_hours_of_jobs, 60)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_bo_info most, rest, mine[2];
	struct loom_client second, user;
	uint32_t context, fence, fences[FENCES];
	int64_t later;

	if (self->sram.share_bytes < 2 * ROW_BYTES)
		SKIP(return, "a small SRAM");
	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, self->sram.total_bytes - ROW_BYTES,
				    0, &most));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &rest));
	queue_hours(client, most.handle, rest.handle, fences);
	ASSERT_EQ(0, loom_client_open(&second));
	EXPECT_EQ(FENCES, count_status(client, fences, 0));
	later = loom_now_ns() + 5 * LOOM_SECOND_NS;
	ASSERT_EQ(0, loom_sram_rows(second.fd, &self->sram, ROW_BYTES, 0, &mine[0]));
	ASSERT_EQ(0, loom_sram_rows(second.fd, &self->sram, ROW_BYTES, 0, &mine[1]));
	user = loom_client_bound(&second, mine[0].handle, mine[1].handle);
	fence = loom_client_run_bound(&user, 2, 1);
	EXPECT_EQ(0, loom_sync_wait(second.fd, fence, loom_soon()));
	EXPECT_GT(later, loom_now_ns());
	EXPECT_EQ(1, loom_sync_status(second.fd, fence));
	EXPECT_EQ(FENCES, count_status(client, fences, -ECANCELED));
	loom_client_close(&second);
}

/* Fences that a client puts into a buffer keep its pages, and not the place. */
TEST_F(sram, a_freed_buffer_gives_its_place_back_at_once)
{
	const struct loom_client *client = &self->client;
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_RW };
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC };
	struct drm_loom_bo_info floor, high[2];
	struct loom_client second, user;
	uint32_t context, fence, plan;

	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &high[0]));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &high[1]));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, 2 * ROW_BYTES,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &floor));
	user = loom_client_bound(client, high[0].handle, high[1].handle);
	fence = loom_client_run_bound(&user, 65536, 2000);
	prime.handle = floor.handle;
	ASSERT_EQ(0, loom_call(client->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	import.fd = loom_sync_export(client->fd, fence);
	ASSERT_EQ(0, loom_call(prime.fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import));
	close(import.fd);
	close(prime.fd);
	ASSERT_EQ(0, loom_client_open(&second));
	ASSERT_EQ(0, loom_bo_close(client->fd, floor.handle));
	if (!loom_takes_turns(client->fd)) {
		/* the place is there, the engine is not before the other job ends */
		plan = plan_abs(&second, 2 * ROW_BYTES);
		EXPECT_EQ(0, loom_client_run(&second, plan, 2, 0));
		EXPECT_EQ(0, loom_sync_status(client->fd, fence));
		loom_client_close(&self->client);
		EXPECT_EQ(0, run_abs(&second, plan));
	} else {
		EXPECT_EQ(0, run_abs(&second, plan_abs(&second, 2 * ROW_BYTES)));
		EXPECT_EQ(0, loom_sync_status(client->fd, fence));
	}
	loom_client_close(&second);
}

static void on_alarm(int number)
{
}

TEST_F_TIMEOUT(sram, displacing_many_buffers_is_interrupted, 60)
{
	uint32_t context, count = loom_effort(3000), i, interrupted = 0;
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval timer = { { .tv_usec = 5000 }, { .tv_usec = 5000 } }, none = {};
	struct drm_loom_bo_info info;
	struct loom_client second;
	struct loom_job job;
	int ret;

	if (count > self->sram.scratch_floor_bytes / 64)
		count = self->sram.scratch_floor_bytes / 64;
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	for (i = 0; i < count; i++)
		ASSERT_EQ(0, take(self->client.fd, &self->sram, 64, 0,
				  DRM_LOOM_DIRECTION_BOTTOM_UP, &info));
	ASSERT_EQ(0, loom_client_open(&second));
	loom_job_init(&job, &second, plan_abs(&second, self->sram.scratch_floor_bytes), 2, 0);
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	while ((ret = ioctl(second.fd, DRM_IOCTL_LOOM_SUBMIT, &job.args)) && errno == EINTR)
		interrupted++;
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &none, NULL));
	EXPECT_EQ(0, ret);
	EXPECT_LT(0, interrupted);
	loom_client_close(&second);
}

TEST_F_TIMEOUT(sram, a_killed_holder_leaves_nothing, 60)
{
	struct drm_loom_region_info now;
	int64_t end = loom_soon();
	struct drm_loom_bo_info info;
	uint32_t context, plan;
	int pipefd[2], status;
	pid_t child;
	char byte;

	plan = plan_abs(&self->client, 2 * ROW_BYTES);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_set_nice(true));
	ASSERT_EQ(0, pipe(pipefd));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		int fd = loom_open();

		byte = loom_exclusive(fd, &context) ||
		       take(fd, &self->sram, self->sram.total_bytes, 0,
			    DRM_LOOM_DIRECTION_BOTTOM_UP, &info) ? 'n' : 'y';
		if (write(pipefd[1], &byte, 1) != 1)
			_exit(1);
		pause();
	}
	close(pipefd[1]);
	ASSERT_EQ(1, read(pipefd[0], &byte, 1));
	EXPECT_EQ('y', byte);
	EXPECT_EQ(-EBUSY, loom_client_run(&self->client, plan, 2, 0));
	EXPECT_EQ(-EBUSY, loom_exclusive(self->client.fd, &context));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	do {
		ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &now));
	} while (now.blocks && loom_now_ns() < end);
	EXPECT_EQ(0, now.blocks);
	EXPECT_EQ(0, run_abs(&self->client, plan));
	EXPECT_EQ(0, loom_exclusive(self->client.fd, &context));
}

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
