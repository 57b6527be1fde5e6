// SPDX-License-Identifier: GPL-2.0
/*
 * A device that sleeps: jobs stay where they are and go on afterwards, buffers keep their bytes;
 * and when it may lose its power.
 *
 * The device is put to sleep by a module for this test (tools/testing/sleep), while user space goes
 * on and looks.
 */
#include "loom_selftest.h"

#define ASLEEP	"/sys/module/loom_sleep/parameters/asleep"
#define STATUS	"/sys/bus/platform/devices/loom-soft/power/runtime_status"

/* Whether the engine works on the client's jobs, within a time that is enough for that. */
static bool engine_works(int fd)
{
	int64_t first = loom_engine_ns(fd), end = loom_soon();

	while (loom_now_ns() < end) {
		if (loom_engine_ns(fd) > first)
			return true;
		usleep(1000);
	}
	return false;
}

static bool power_becomes(const char *want)
{
	int64_t end = loom_soon();
	char status[32];

	do {
		loom_read_file(STATUS, status, sizeof(status));
		status[strcspn(status, "\n")] = 0;
		if (!strcmp(status, want))
			return true;
		usleep(10000);
	} while (loom_now_ns() < end);
	ksft_print_msg("runtime_status: %s\n", status);
	return false;
}

FIXTURE(suspend)
{
	struct loom_client client, other;
	uint32_t endless, plan;
	uint32_t fence;
};

FIXTURE_SETUP(suspend)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	ASSERT_EQ(0, loom_client_open(&self->other));
	self->endless = loom_client_plan_endless(&self->client);
	self->plan = loom_client_plan_unary(&self->other, DRM_LOOM_UNARY_ABS);
	self->fence = loom_sync_create(self->other.fd, 0);
	ASSERT_NE(0, self->endless);
	ASSERT_NE(0, self->plan);
	ASSERT_NE(0, self->fence);
}

FIXTURE_TEARDOWN(suspend)
{
	if (!access(ASLEEP, W_OK))
		EXPECT_EQ(0, loom_write_file(ASLEEP, "0"));
	loom_client_close(&self->client);
	loom_client_close(&self->other);
}

TEST_F_TIMEOUT(suspend, the_engine_stands_still, 120)
{
	float *in, *out;
	int64_t before;

	if (access(ASLEEP, W_OK))
		SKIP(return, "no module loom_sleep");
	in = loom_bo_map(self->other.fd, self->other.in, self->other.bytes);
	out = loom_bo_map(self->other.fd, self->other.out, self->other.bytes);
	ASSERT_NE(MAP_FAILED, (void *)in);
	ASSERT_NE(MAP_FAILED, (void *)out);
	in[0] = -2.0f;
	out[0] = 99.0f;
	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, 0));
	ASSERT_TRUE(engine_works(self->client.fd));

	ASSERT_EQ(0, loom_write_file(ASLEEP, "1"));
	before = loom_engine_ns(self->client.fd);
	/* a job that is submitted now waits */
	ASSERT_EQ(0, loom_client_run(&self->other, self->plan, 2, self->fence));
	EXPECT_EQ(-ETIME, loom_sync_wait(self->other.fd, self->fence,
					 loom_now_ns() + 300 * LOOM_MSEC_NS));
	EXPECT_EQ(before, loom_engine_ns(self->client.fd));
	EXPECT_EQ(-2.0f, in[0]);
	EXPECT_EQ(99.0f, out[0]);

	ASSERT_EQ(0, loom_write_file(ASLEEP, "0"));
	EXPECT_EQ(0, loom_sync_wait(self->other.fd, self->fence, loom_soon()));
	EXPECT_EQ(2.0f, out[0]);
	EXPECT_TRUE(engine_works(self->client.fd));
}

TEST_F_TIMEOUT(suspend, again_and_again, 240)
{
	uint32_t busy = loom_client_plan_busy(&self->client), rounds = loom_effort(50), i;

	if (access(ASLEEP, W_OK))
		SKIP(return, "no module loom_sleep");
	ASSERT_NE(0, busy);
	for (i = 0; i < rounds; i++) {
		ASSERT_EQ(0, loom_client_run(&self->client, busy, 2, 0));
		usleep(i % 10 * 1000);
		ASSERT_EQ(0, loom_write_file(ASLEEP, "1"));
		usleep(i % 3 * 1000);
		ASSERT_EQ(0, loom_write_file(ASLEEP, "0"));
		ASSERT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, loom_soon()));
	}
	EXPECT_TRUE(loom_device_works());
}

/* Killed while the device sleeps: nothing waits for the dead, and the next one is served. */
TEST_F_TIMEOUT(suspend, a_client_goes_meanwhile, 120)
{
	if (access(ASLEEP, W_OK))
		SKIP(return, "no module loom_sleep");
	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, 0));
	ASSERT_TRUE(engine_works(self->client.fd));
	ASSERT_EQ(0, loom_write_file(ASLEEP, "1"));
	loom_client_close(&self->client);
	ASSERT_EQ(0, loom_write_file(ASLEEP, "0"));
	EXPECT_TRUE(loom_device_works());
}

TEST_F_TIMEOUT(suspend, power_follows_jobs, 120)
{
	if (access(STATUS, R_OK))
		SKIP(return, "no runtime power management");
	ASSERT_EQ(0, loom_client_run(&self->client, self->endless, 2, 0));
	ASSERT_TRUE(engine_works(self->client.fd));
	/* longer than the device is kept awake for when it is idle */
	usleep(300000);
	EXPECT_TRUE(power_becomes("active"));
	loom_client_close(&self->client);
	EXPECT_TRUE(power_becomes("suspended"));
	EXPECT_TRUE(loom_device_works());
	EXPECT_TRUE(power_becomes("suspended"));
}
