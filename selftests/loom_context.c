// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: made, asked, destroyed, and what they count.
 */
#include "loom_selftest.h"

FIXTURE(context)
{
	struct loom_client client;
};

FIXTURE_SETUP(context)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
}

FIXTURE_TEARDOWN(context)
{
	loom_client_close(&self->client);
}

TEST_F(context, ids_are_never_zero_and_never_the_same)
{
	uint32_t ids[64], i, j;

	for (i = 0; i < LOOM_ARRAY_SIZE(ids); i++) {
		ASSERT_EQ(0, loom_context_create(self->client.fd, i % 2, &ids[i]));
		ASSERT_NE(0, ids[i]);
		for (j = 0; j < i; j++)
			ASSERT_NE(ids[j], ids[i]);
	}
	for (i = 0; i < LOOM_ARRAY_SIZE(ids); i++)
		EXPECT_EQ(0, loom_context_destroy(self->client.fd, ids[i]));
}

TEST_F(context, what_is_wrong_is_einval)
{
	static const struct drm_loom_context_create wrong[] = {
		{ .priority = 3 },
		{ .priority = UINT32_MAX },
		{ .flags = 1 },
		{ .flags = 1u << 31 },
		{ .pad = 1 },
	};
	struct drm_loom_context_destroy destroy = { self->client.context, 1 };
	struct drm_loom_context_query query = { .context = self->client.context, .pad = 1 };
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(wrong); i++) {
		struct drm_loom_context_create args = wrong[i];

		EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_CONTEXT_CREATE,
					     &args)) {
			TH_LOG("case %u", i);
		}
	}
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_CONTEXT_DESTROY, &destroy));
	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_CONTEXT_QUERY, &query));
	/* the context still exists */
	query.pad = 0;
	EXPECT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_CONTEXT_QUERY, &query));
}

TEST_F(context, ids_that_are_none_are_enoent)
{
	static const uint32_t wrong[] = { 0, 1000, 0x7fffffff, 0x80000000, UINT32_MAX };
	struct drm_loom_context_query query;
	unsigned int i;
	int other = loom_open();

	for (i = 0; i < LOOM_ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(-ENOENT, loom_context_query(self->client.fd, wrong[i], &query));
		EXPECT_EQ(-ENOENT, loom_context_destroy(self->client.fd, wrong[i]));
	}
	/* another file's */
	ASSERT_GE(other, 0);
	EXPECT_EQ(-ENOENT, loom_context_query(other, self->client.context, &query));
	EXPECT_EQ(-ENOENT, loom_context_destroy(other, self->client.context));
	close(other);
	/* one that was destroyed */
	EXPECT_EQ(0, loom_context_destroy(self->client.fd, self->client.context));
	EXPECT_EQ(-ENOENT, loom_context_destroy(self->client.fd, self->client.context));
	EXPECT_EQ(-ENOENT, loom_context_query(self->client.fd, self->client.context, &query));
}

TEST_F(context, high_priority_is_for_the_privileged)
{
	uint32_t context;
	pid_t child;
	int status;

	if (geteuid())
		SKIP(return, "needs root");
	EXPECT_EQ(0, loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_HIGH, &context));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		if (loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_HIGH,
					&context) != -EACCES)
			_exit(2);
		_exit(loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_NORMAL, &context) ||
		      loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_LOW, &context) ?
		      3 : 0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(context, counts_what_its_jobs_did)
{
	static const struct drm_loom_counters zero;
	struct drm_loom_context_query query, idle;
	uint32_t null = loom_client_plan_null(&self->client);
	uint32_t unary = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_RELU);
	uint32_t other, i;

	ASSERT_NE(0, null);
	ASSERT_NE(0, unary);
	ASSERT_EQ(0, loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_LOW, &other));
	ASSERT_EQ(0, loom_context_query(self->client.fd, self->client.context, &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, query.resets);
	EXPECT_EQ(0, memcmp(&zero, &query.counters, sizeof(zero)));

	for (i = 1; i <= 3; i++) {
		uint64_t bytes = i * self->client.bytes;

		ASSERT_EQ(0, loom_client_run(&self->client, unary, 2, 0));
		ASSERT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, loom_soon()));
		ASSERT_EQ(0, loom_context_query(self->client.fd, self->client.context, &query));
		EXPECT_EQ(i, query.counters.jobs);
		EXPECT_EQ(3 * i, query.counters.steps);
		EXPECT_EQ(3 * i, query.counters.commands);
		EXPECT_EQ(bytes, query.counters.dram_read_bytes);
		EXPECT_EQ(bytes, query.counters.dram_write_bytes);
		EXPECT_EQ(bytes, query.counters.sram_read_bytes);
		EXPECT_EQ(bytes, query.counters.sram_write_bytes);
		EXPECT_EQ(0, query.counters.macs);
		EXPECT_NE(0, query.counters.busy_ns);
		EXPECT_LE(query.counters.steps, query.counters.cycles);
	}

	/* a plan without commands is a job, too, and another context's */
	self->client.context = other;
	{
		uint32_t fence = loom_sync_create(self->client.fd, 0);

		ASSERT_EQ(0, loom_client_run(&self->client, null, 0, fence));
		ASSERT_EQ(0, loom_sync_wait(self->client.fd, fence, loom_soon()));
	}
	ASSERT_EQ(0, loom_context_query(self->client.fd, other, &idle));
	EXPECT_EQ(1, idle.counters.jobs);
	EXPECT_EQ(0, idle.counters.commands);
	EXPECT_EQ(0, idle.counters.dram_read_bytes);
}

/* Cycles for an amount, at a rate per 1000 cycles. */
static uint64_t cycles_at(uint64_t amount, uint32_t rate)
{
	return (amount * 1000 + rate - 1) / rate;
}

static uint64_t in_bursts(uint64_t bytes, uint32_t burst)
{
	return burst < 2 ? bytes : (bytes + burst - 1) / burst * burst;
}

/* DRAM is dense; in the SRAM each lane has a row. */
static uint64_t move_cycles(const struct drm_loom_chip *chip, uint32_t lanes, uint64_t bytes,
			    bool load)
{
	const struct drm_loom_chip_region *dram = &chip->region[DRM_LOOM_REGION_DRAM];
	const struct drm_loom_chip_region *sram = &chip->region[DRM_LOOM_REGION_SRAM];
	uint64_t outside, inside;

	outside = in_bursts(bytes, dram->burst_bytes);
	inside = lanes * in_bursts(bytes / lanes, sram->burst_bytes);
	if (load) {
		outside = dram->read_latency + cycles_at(outside, dram->read_rate);
		inside = sram->write_latency + cycles_at(inside, sram->write_rate);
	} else {
		outside = dram->write_latency + cycles_at(outside, dram->write_rate);
		inside = sram->read_latency + cycles_at(inside, sram->read_rate);
	}
	return chip->dma_start + (outside > inside ? outside : inside);
}

/* A load, an operation on each element, a store, in a step each: by hand from the description. */
TEST_F(context, counts_the_cycles_of_its_jobs)
{
	struct loom_client *client = &self->client;
	struct drm_loom_context_query query;
	struct drm_loom_chip chip;
	uint32_t unary = loom_client_plan_unary(client, DRM_LOOM_UNARY_RELU);
	uint32_t size = sizeof(chip), i;
	uint64_t dma, compute;

	ASSERT_NE(0, unary);
	ASSERT_EQ(0, loom_query(client->fd, DRM_LOOM_QUERY_CHIP, 0, &chip, &size));
	ASSERT_EQ(sizeof(chip), size);
	dma = move_cycles(&chip, client->info.lanes, client->bytes, true) +
	      move_cycles(&chip, client->info.lanes, client->bytes, false);
	compute = chip.compute_start +
		  cycles_at(LOOM_COLUMNS, chip.type[DRM_LOOM_DTYPE_F32].op_rate);
	TH_LOG("%s: %llu cycles of DMA, %llu of computing", chip.name, (unsigned long long)dma,
	       (unsigned long long)compute);
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(0, loom_client_run(client, unary, 2, 0));
		ASSERT_EQ(0, loom_bo_wait(client->fd, client->out, loom_soon()));
		ASSERT_EQ(0, loom_context_query(client->fd, client->context, &query));
		EXPECT_EQ(i * dma, query.counters.dma_cycles);
		EXPECT_EQ(i * compute, query.counters.compute_cycles);
		EXPECT_EQ(i * (dma + compute), query.counters.cycles);
	}
}

TEST_F_TIMEOUT(context, destroyed_with_jobs_in_it, 60)
{
	uint32_t plan = loom_client_plan_busy(&self->client);
	uint32_t fence = loom_sync_create(self->client.fd, 0);
	uint32_t i;

	ASSERT_NE(0, plan);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, fence));
	ASSERT_EQ(0, loom_context_destroy(self->client.fd, self->client.context));
	EXPECT_EQ(-ENOENT, loom_client_run(&self->client, plan, 2, 0));
	/* submitted jobs still run */
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, fence, loom_soon()));
}

TEST_F_TIMEOUT(context, a_job_of_a_high_one_overtakes, 120)
{
	struct loom_client high = self->client;
	uint32_t busy = loom_client_plan_busy(&self->client);
	uint32_t null = loom_client_plan_null(&self->client);
	uint32_t first = loom_sync_create(self->client.fd, 0);
	uint32_t last = loom_sync_create(self->client.fd, 0);
	uint32_t overtaker = loom_sync_create(self->client.fd, 0);
	uint32_t i;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, loom_context_create(high.fd, DRM_LOOM_PRIORITY_HIGH, &high.context));
	ASSERT_EQ(0, loom_client_run(&self->client, busy, 2, first));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, loom_client_run(&self->client, busy, 2, last));
	ASSERT_EQ(0, loom_client_run(&high, null, 0, overtaker));
	EXPECT_EQ(0, loom_sync_wait(high.fd, overtaker, loom_soon()));
	EXPECT_EQ(-ETIME, loom_sync_wait(high.fd, last, 0));
	EXPECT_EQ(0, loom_sync_wait(high.fd, last, loom_soon()));
}

TEST_F(context, a_thousand_of_them)
{
	uint32_t null = loom_client_plan_null(&self->client);
	uint32_t fence = loom_sync_create(self->client.fd, 0);
	uint32_t i;

	ASSERT_NE(0, null);
	for (i = 0; i < 1000; i++) {
		ASSERT_EQ(0, loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_NORMAL,
						 &self->client.context));
		if (i % 10 == 0) {
			ASSERT_EQ(0, loom_client_run(&self->client, null, 0, fence));
			ASSERT_EQ(0, loom_sync_wait(self->client.fd, fence, loom_soon()));
		}
	}
	/* closing the file takes all of them */
	loom_client_close(&self->client);
	EXPECT_TRUE(loom_device_works());
}
