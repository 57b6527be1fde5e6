// SPDX-License-Identifier: GPL-2.0
/*
 * Resets have a budget: that of a user whose jobs have to be ended by them, and that of a device
 * which needs them for no reason of a client's. On the skeleton of a back end, as loom_template.
 */
#include "../pci/loom_watch.h"
#include "loom_template.h"

/* Until a fault that was written is that of a job, or of a move. Return: whether it is. */
static bool is_struck(void)
{
	int64_t end = loom_soon();
	char text[8] = "";

	while (strcmp(text, "0\n") && loom_now_ns() < end) {
		if (loom_read_file(FAULT, text, sizeof(text)))
			return false;
		usleep(1000);
	}
	return !strcmp(text, "0\n");
}

#define REFUSED_S	60

/* Three jobs that never end are queued, of which two come to run; then there is a minute's rest. */
TEST_F_TIMEOUT(template, a_user_whose_jobs_hang_the_device_is_refused, 240)
{
	struct loom_client other, again;
	int64_t start, end;
	long resets = counted("resets");
	uint32_t i, plan;

	ASSERT_EQ(0, loom_client_open_fd(&again, template_open()));
	ASSERT_EQ(0, loom_be_user(65533));
	ASSERT_EQ(0, loom_client_open_fd(&other, template_open()));
	plan = loom_client_plan_copy(&other);
	for (i = 0; i < 2; i++) {
		uint32_t sync = loom_sync_create(other.fd, 0);

		ASSERT_EQ(0, loom_write_file(FAULT, HANGS));
		ASSERT_EQ(0, run(self, i));
		ASSERT_TRUE(is_struck());
		ASSERT_EQ(0, loom_client_run(&other, plan, 2, sync));
		/* behind one that is another's */
		ASSERT_EQ(0, i ? run(self, 2) : 0);
		EXPECT_EQ(-ETIME, end_of(self, i));
		start = loom_now_ns();
		EXPECT_EQ(0, loom_sync_wait(other.fd, sync, loom_soon()));
		EXPECT_EQ(1, loom_sync_status(other.fd, sync)) TH_LOG("job %u of the other", i);
	}
	EXPECT_EQ(-EIO, end_of(self, 2));
	EXPECT_EQ(-EIO, run(self, 3));
	/* whatever file it is */
	plan = loom_client_plan_copy(&again);
	EXPECT_EQ(-EIO, loom_client_run(&again, plan, 2, 0));
	EXPECT_EQ(resets + 2, counted("resets"));
	plan = loom_client_plan_copy(&other);
	EXPECT_EQ(0, loom_client_run(&other, plan, 2, 0));
	EXPECT_EQ(0, loom_bo_wait(other.fd, other.out, loom_soon()));
	end = start + (REFUSED_S + 30) * LOOM_SECOND_NS;
	while (run(self, 3) == -EIO && loom_now_ns() < end)
		usleep(100000);
	EXPECT_EQ(1, end_of(self, 3));
	EXPECT_LT((REFUSED_S - 10) * LOOM_SECOND_NS, loom_now_ns() - start);
	loom_client_close(&again);
	loom_client_close(&other);
}

/* Nobody's job is to blame. A record in between says that the device does something after all. */
TEST_F_TIMEOUT(template, a_device_that_is_reset_too_often_is_wedged, 120)
{
	struct loom_watch watch;
	uint32_t i;

	ASSERT_EQ(0, loom_watch_open(&watch));
	ASSERT_EQ(0, bind_anew(self, "60000"));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, loom_write_file(FAULT, CONFESSES));
		ASSERT_EQ(0, run(self, 0));
		EXPECT_EQ(-ECANCELED, end_of(self, 0)) TH_LOG("reset %u", i);
		ASSERT_EQ(0, run(self, 1));
		EXPECT_EQ(1, end_of(self, 1));
	}
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, loom_write_file(FAULT, CONFESSES));
		ASSERT_EQ(0, run(self, 0));
		EXPECT_EQ(i < 2 ? -ECANCELED : -EIO, end_of(self, 0)) TH_LOG("reset %u", i);
	}
	EXPECT_EQ(0, is_wedged_until_bound_anew(self));
	loom_watch_look(&watch);
	EXPECT_EQ(1, watch.wedged);
	EXPECT_EQ(1, watch.wedged_events);
	loom_watch_close(&watch);
}

/* Makes a buffer in the SRAM and closes it. Return: 0 or -errno. */
static int come_and_go(int fd, const struct drm_loom_region_info *sram)
{
	struct drm_loom_bo_info info;
	int ret = loom_sram_rows(fd, sram, LOOM_ROW_BYTES, 0, &info);

	return ret ?: loom_bo_close(fd, info.handle);
}

/* Needs the bottom of the SRAM, from which another's buffer is moved. Return: 0 or -errno. */
static int displace(void)
{
	struct loom_client client;
	int ret = loom_client_open_fd(&client, template_open());
	uint32_t plan;

	if (ret)
		return ret;
	plan = loom_client_plan_copy(&client);
	return loom_client_run(&client, plan, 2, 0);
}

/* Return: milliseconds from being killed to being gone, -1: it has ended before. */
static int64_t kill_soon(pid_t child)
{
	int64_t start;
	int status;

	usleep(500000);
	start = loom_now_ns();
	kill(child, SIGKILL);
	if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
		return -1;
	return (loom_now_ns() - start) / LOOM_MSEC_NS;
}

/* Its jobs go on meanwhile, which says nothing of the moves. */
TEST_F_TIMEOUT(template, a_device_that_never_moves_is_wedged, 240)
{
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info low;
	struct loom_watch watch;
	int64_t start, msec;
	pid_t child;
	uint32_t context, null;
	int ret;

	if (!has_own_memory(&self->client))
		SKIP(return, "no memory of its own (own=1)");
	if (!config_is_there() || config_make(BYSTANDER))
		SKIP(return, "no devices in configfs");
	ASSERT_EQ(0, config_set(BYSTANDER, "live", 1));
	/* a job that times out beside other load would end all later ones of its context */
	ASSERT_EQ(0, bind_anew(self, "60000"));
	ASSERT_EQ(0, loom_watch_open(&watch));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	ASSERT_EQ(0, loom_set_nice(false));
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, loom_sram_rows(self->client.fd, &sram, LOOM_ROW_BYTES,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	/* it needs no scratch, and no moves once it was run */
	null = loom_client_plan_null(&self->client);
	ASSERT_EQ(0, loom_client_run(&self->client, null, 0, self->syncs[0]));
	ASSERT_EQ(1, end_of(self, 0));
	start = loom_now_ns();
	ASSERT_EQ(0, loom_write_file(FAULT, STALLS));

	child = loom_fork();
	if (!child)
		_exit(-come_and_go(self->client.fd, &sram));
	msec = kill_soon(child);
	EXPECT_LE(0, msec);
	EXPECT_GT(1000, msec) TH_LOG("a buffer in the SRAM: killed for %lld ms", (long long)msec);
	child = loom_fork();
	if (!child)
		_exit(-displace());
	msec = kill_soon(child);
	EXPECT_LE(0, msec);
	EXPECT_GT(1000, msec) TH_LOG("displacing: killed for %lld ms", (long long)msec);
	msec = loom_now_ns() / LOOM_MSEC_NS;
	EXPECT_EQ(0, config_set(BYSTANDER, "live", 0));
	EXPECT_GT(1000, loom_now_ns() / LOOM_MSEC_NS - msec);
	EXPECT_EQ(0, config_remove(BYSTANDER));

	do {
		usleep(100000);
		ret = loom_client_run(&self->client, null, 0, self->syncs[1]);
		ret = ret ?: end_of(self, 1);
		loom_watch_look(&watch);
	} while (ret != -EIO && loom_now_ns() - start < 120 * LOOM_SECOND_NS);
	EXPECT_EQ(-EIO, ret);
	ksft_print_msg("wedged after %lld ms and %u resets\n",
		       (long long)(loom_now_ns() - start) / LOOM_MSEC_NS, watch.resets);
	ASSERT_EQ(0, loom_write_file(FAULT, "0"));
	EXPECT_EQ(0, is_wedged_until_bound_anew(self));
	loom_watch_look(&watch);
	EXPECT_EQ(2, watch.resets);
	EXPECT_EQ(1, watch.wedged);
	EXPECT_EQ(1, watch.wedged_events);
	EXPECT_EQ(0, watch.trouble) TH_LOG("the kernel: %s", watch.first);
	loom_watch_close(&watch);
}
