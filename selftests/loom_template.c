// SPDX-License-Identifier: GPL-2.0
/*
 * What the core makes of a device that takes a few jobs at a time, hangs, lies and dies: the
 * skeleton of a back end (loom_template.ko), whose device does nothing, and can be told to do that
 * wrong.
 */
#include <linux/sync_file.h>

#include "loom_selftest.h"

#define TIMEOUT		"/sys/module/loom/parameters/job_timeout_ms"
#define FAULT		"/sys/module/loom_template/parameters/fault"
#define DRIVER		"/sys/bus/platform/drivers/loom-template/"
#define NAME		"loom-template"
#define ASLEEP		"/sys/module/loom_sleep/parameters/asleep"
#define NODES		"/sys/bus/platform/devices/" NAME "/accel"

/* enum nothing_fault */
#define HANGS		"1"
#define SLOW		"2"
#define LIES		"3"
#define TWICE		"4"
#define OLD		"5"
#define GARBAGE		"6"
#define DIES		"7"

/* more than the device takes */
#define CONTEXTS	12

/* The node of the device. Return: a file, or -errno. */
static int template_open(void)
{
	DIR *dir = opendir(NODES);
	struct dirent *entry;
	int found = -ENODEV;
	char path[300];

	if (!dir)
		return -ENODEV;
	while (found < 0 && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "accel", 5))
			continue;
		snprintf(path, sizeof(path), "/dev/accel/%s", entry->d_name);
		found = open(path, O_RDWR | O_CLOEXEC);
		if (found < 0)
			found = -errno;
	}
	closedir(dir);
	return found;
}

static int template_unbind(void)
{
	return loom_write_file(DRIVER "unbind", NAME);
}

static int template_bind(void)
{
	return loom_write_file(DRIVER "bind", NAME);
}

FIXTURE(template)
{
	struct loom_client client;
	uint32_t contexts[CONTEXTS], syncs[CONTEXTS];
	uint32_t plan;
	char timeout[16];
};

static int template_clients(struct _test_data_template *self)
{
	uint32_t i;
	int ret = loom_client_open_fd(&self->client, template_open());

	if (ret)
		return ret;
	self->plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	if (!self->plan)
		return -ENOMEM;
	for (i = 0; !ret && i < CONTEXTS; i++) {
		self->syncs[i] = loom_sync_create(self->client.fd, 0);
		ret = loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_NORMAL,
					  &self->contexts[i]);
	}
	return ret;
}

FIXTURE_SETUP(template)
{
	int fd = template_open();

	self->client.fd = -1;
	if (fd < 0)
		SKIP(return, "no device that does nothing (loom_template.ko)");
	close(fd);
	if (access(DRIVER "unbind", W_OK) ||
	    loom_read_file(TIMEOUT, self->timeout, sizeof(self->timeout)))
		SKIP(return, "not the right to bind it anew");
	ASSERT_EQ(0, loom_write_file(TIMEOUT, "800"));
	ASSERT_EQ(0, template_unbind());
	ASSERT_EQ(0, template_bind());
	ASSERT_EQ(0, template_clients(self));
}

FIXTURE_TEARDOWN(template)
{
	loom_client_close(&self->client);
	if (self->timeout[0])
		loom_write_file(TIMEOUT, self->timeout);
}

static int run(struct _test_data_template *self, uint32_t index)
{
	self->client.context = self->contexts[index];
	return loom_client_run(&self->client, self->plan, 2, self->syncs[index]);
}

/* Return: 1: ended without error, -errno: ended with that error, or has not ended soon. */
static int end_of(struct _test_data_template *self, uint32_t index)
{
	int ret = loom_sync_wait(self->client.fd, self->syncs[index], loom_soon());

	return ret ?: loom_sync_status(self->client.fd, self->syncs[index]);
}

/*
 * One job of each context; the one that the device does wrong is that of the first, and has begun
 * before the others come. Return: 0 or -errno.
 */
static int run_all(struct _test_data_template *self, const char *fault)
{
	int ret = loom_write_file(FAULT, fault);
	int64_t end = loom_soon();
	char text[8] = "";
	uint32_t i;

	if (!ret)
		ret = run(self, 0);
	while (!ret && loom_now_ns() < end && !(text[0] == '0' && text[1] == '\n')) {
		ret = loom_read_file(FAULT, text, sizeof(text));
		usleep(1000);
	}
	for (i = 1; !ret && i < CONTEXTS; i++)
		ret = run(self, i);
	return ret;
}

/* The device is broken, and is all right when it was bound anew. Return: 0 or -errno. */
static int is_wedged_until_bound_anew(struct _test_data_template *self)
{
	int ret = run(self, CONTEXTS - 1);

	if (ret != -EIO)
		return ret ?: -EEXIST;
	loom_client_close(&self->client);
	ret = template_unbind() ?: template_bind() ?: template_clients(self) ?: run(self, 0);
	if (ret)
		return ret;
	ret = end_of(self, 0);
	return ret == 1 ? 0 : ret ?: -ETIME;
}

TEST_F_TIMEOUT(template, more_jobs_than_it_takes_at_a_time, 60)
{
	uint32_t round, i;

	for (round = 0; round < loom_effort(10); round++) {
		ASSERT_EQ(0, run_all(self, "0"));
		for (i = 0; i < CONTEXTS; i++)
			EXPECT_EQ(1, end_of(self, i));
	}
}

TEST_F_TIMEOUT(template, a_job_that_moves_is_stopped, 60)
{
	uint32_t i;

	ASSERT_EQ(0, run_all(self, SLOW));
	EXPECT_EQ(-ETIME, end_of(self, 0));
	for (i = 1; i < CONTEXTS; i++)
		EXPECT_EQ(1, end_of(self, i)) TH_LOG("context %u", i);
	EXPECT_EQ(-ECANCELED, run(self, 0));
	EXPECT_EQ(0, run(self, 1));
	EXPECT_EQ(1, end_of(self, 1));
}

/* Those that it had not begun with, and those that waited, run after the reset. */
TEST_F_TIMEOUT(template, a_device_that_hangs_is_reset, 120)
{
	struct drm_loom_context_query query;
	uint32_t round, i;

	for (round = 0; round < loom_effort(5); round++) {
		ASSERT_EQ(0, run_all(self, HANGS));
		EXPECT_EQ(-ETIME, end_of(self, 0));
		for (i = 1; i < CONTEXTS; i++)
			EXPECT_EQ(1, end_of(self, i)) TH_LOG("round %u, context %u", round, i);
		ASSERT_EQ(0, loom_context_query(self->client.fd, self->contexts[0], &query));
		EXPECT_EQ(DRM_LOOM_CONTEXT_GUILTY, query.flags);
		EXPECT_EQ(1, query.resets);
		ASSERT_EQ(0, loom_context_destroy(self->client.fd, self->contexts[0]));
		ASSERT_EQ(0, loom_context_create(self->client.fd, DRM_LOOM_PRIORITY_NORMAL,
						 &self->contexts[0]));
	}
}

TEST_F_TIMEOUT(template, a_device_that_does_not_come_back_is_wedged, 60)
{
	uint32_t i;
	int ret;

	/* it may be found out before the last has come */
	ret = run_all(self, DIES);
	ASSERT_TRUE(!ret || ret == -EIO);
	for (i = 0; !ret && i < CONTEXTS; i++)
		EXPECT_EQ(-EIO, end_of(self, i)) TH_LOG("context %u", i);
	EXPECT_EQ(-EIO, end_of(self, 0));
	ASSERT_EQ(0, is_wedged_until_bound_anew(self));
}

TEST_F_TIMEOUT(template, a_device_that_lies_is_wedged, 120)
{
	static const char * const faults[] = { LIES, TWICE, GARBAGE };
	uint32_t i, fault;
	int end;

	for (fault = 0; fault < LOOM_ARRAY_SIZE(faults); fault++) {
		/* it may be found out before the last has come */
		end = run_all(self, faults[fault]);
		ASSERT_TRUE(!end || end == -EIO);
		/* what it says at first may be true */
		for (i = 0; !end && i < CONTEXTS; i++) {
			end = end_of(self, i);
			EXPECT_TRUE(end == -EIO || (!i && end == 1))
				TH_LOG("fault %s, context %u: %d", faults[fault], i, end);
			end = 0;
		}
		while (run(self, CONTEXTS - 1) != -EIO)
			usleep(1000);
		ASSERT_EQ(0, is_wedged_until_bound_anew(self));
	}
}

TEST_F_TIMEOUT(template, records_of_another_epoch_do_not_count, 60)
{
	uint32_t i;

	ASSERT_EQ(0, run_all(self, OLD));
	for (i = 0; i < CONTEXTS; i++)
		EXPECT_EQ(1, end_of(self, i));
}

/* Running, in flight, and waiting; on a device that does its work, and on one that hangs. */
TEST_F_TIMEOUT(template, jobs_of_a_closed_file_end, 120)
{
	static const char * const faults[] = { "0", SLOW, HANGS };
	uint32_t fault, i;
	int fence[CONTEXTS], end;

	for (fault = 0; fault < LOOM_ARRAY_SIZE(faults); fault++) {
		struct loom_client other;

		ASSERT_EQ(0, run_all(self, faults[fault]));
		for (i = 0; i < CONTEXTS; i++)
			fence[i] = loom_sync_export(self->client.fd, self->syncs[i]);
		loom_client_close(&self->client);
		ASSERT_EQ(0, loom_client_open_fd(&other, template_open()));
		for (i = 0; i < CONTEXTS; i++) {
			struct pollfd ready = { .fd = fence[i], .events = POLLIN };
			struct sync_file_info info = {};

			ASSERT_EQ(1, poll(&ready, 1, 60000)) TH_LOG("fault %u, %u", fault, i);
			ASSERT_EQ(0, loom_call(fence[i], SYNC_IOC_FILE_INFO, &info));
			end = info.status;
			/* the timeout may be faster than a slow machine */
			EXPECT_TRUE(end == -ECANCELED || end == 1 || (!i && end == -ETIME))
				TH_LOG("%u: %d", i, end);
			close(fence[i]);
		}
		loom_client_close(&other);
		ASSERT_EQ(0, template_clients(self));
	}
}

TEST_F_TIMEOUT(template, jobs_end_when_it_is_unplugged, 120)
{
	static const char * const faults[] = { "0", SLOW, HANGS };
	uint32_t fault, i;
	int end;

	for (fault = 0; fault < LOOM_ARRAY_SIZE(faults); fault++) {
		ASSERT_EQ(0, run_all(self, faults[fault]));
		ASSERT_EQ(0, template_unbind());
		for (i = 0; i < CONTEXTS; i++) {
			end = end_of(self, i);
			EXPECT_TRUE(end == -ENODEV || end == 1) TH_LOG("%u: %d", i, end);
		}
		loom_client_close(&self->client);
		/* it may not have come to that */
		ASSERT_EQ(0, loom_write_file(FAULT, "0"));
		ASSERT_EQ(0, template_bind());
		ASSERT_EQ(0, template_clients(self));
		ASSERT_EQ(0, run(self, 0));
		EXPECT_EQ(1, end_of(self, 0));
	}
}

/* Jobs that come meanwhile wait; those that it has come to their end first. */
TEST_F_TIMEOUT(template, it_sleeps_between_jobs, 120)
{
	uint32_t round, i;

	if (access(ASLEEP, W_OK))
		SKIP(return, "nothing to let it sleep with (loom_sleep.ko)");
	for (round = 0; round < loom_effort(20); round++) {
		ASSERT_EQ(0, run_all(self, "0"));
		ASSERT_EQ(0, loom_write_file(ASLEEP, "1"));
		ASSERT_EQ(0, loom_sync_reset(self->client.fd, self->syncs[0]));
		ASSERT_EQ(0, run(self, 0));
		EXPECT_EQ(-ETIME, loom_sync_wait(self->client.fd, self->syncs[0],
						 loom_now_ns() + 20 * LOOM_MSEC_NS));
		ASSERT_EQ(0, loom_write_file(ASLEEP, "0"));
		for (i = 0; i < CONTEXTS; i++)
			EXPECT_EQ(1, end_of(self, i));
	}
	/* it does not wait for ever, and nothing is lost by that */
	ASSERT_EQ(0, loom_write_file(TIMEOUT, "60000"));
	loom_client_close(&self->client);
	ASSERT_EQ(0, template_unbind());
	ASSERT_EQ(0, template_bind());
	ASSERT_EQ(0, template_clients(self));
	ASSERT_EQ(0, run_all(self, SLOW));
	EXPECT_EQ(-EBUSY, loom_write_file(ASLEEP, "1"));
	loom_client_close(&self->client);
	ASSERT_EQ(0, template_clients(self));
	ASSERT_EQ(0, run(self, 0));
	EXPECT_EQ(1, end_of(self, 0));
}

int main(int argc, char **argv)
{
	return loom_selftest_main(argc, argv);
}
