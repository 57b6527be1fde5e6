// SPDX-License-Identifier: GPL-2.0
/*
 * How clients share the SRAM: the floor of scratch that nobody can take, the share of a file in the
 * pool above it, and exclusive contexts. sram/loom_displace.c tests displacement when others need
 * the room.
 */
#include "loom_sram.h"

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
	/* a reservation that takes nothing from anybody needs no privilege */
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
