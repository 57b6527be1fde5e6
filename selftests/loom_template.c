// SPDX-License-Identifier: GPL-2.0
/*
 * The core with a device that takes a few jobs at a time, hangs, lies and dies: the skeleton of a
 * back end (loom_template.ko), whose device does nothing, and can be told to do that wrong.
 */
#include <linux/sync_file.h>
#include <sys/time.h>

#include "template/loom_template.h"

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
		/* a user that causes resets again and again is refused */
		ASSERT_EQ(0, bind_anew(self, "800"));
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
		/* its first record may be true */
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
	ASSERT_EQ(0, bind_anew(self, "60000"));
	ASSERT_EQ(0, run_all(self, SLOW));
	EXPECT_EQ(-EBUSY, loom_write_file(ASLEEP, "1"));
	loom_client_close(&self->client);
	ASSERT_EQ(0, template_clients(self));
	ASSERT_EQ(0, run(self, 0));
	EXPECT_EQ(1, end_of(self, 0));
}

/* ------------------------------------------------------------------- blame */

/* An interrupt gets lost: the record is found before anybody is blamed, and nothing is reset. */
TEST_F_TIMEOUT(template, a_lost_interrupt_is_nobodys_fault, 60)
{
	long resets = counted("resets");
	uint32_t i;

	ASSERT_EQ(0, run_all(self, MUTE));
	for (i = 0; i < CONTEXTS; i++)
		EXPECT_EQ(1, end_of(self, i)) TH_LOG("context %u", i);
	ASSERT_EQ(0, loom_write_file(FAULT, MUTE));
	ASSERT_EQ(0, run(self, 0));
	EXPECT_EQ(1, end_of(self, 0));
	EXPECT_EQ(resets, counted("resets"));
}

/* Jobs that completed before the reset do not run again, even if their records were unread. */
TEST_F_TIMEOUT(template, records_until_it_is_stopped_count, 60)
{
	long ran = counted("ran");
	uint32_t i;

	ASSERT_EQ(0, run_all(self, PASSED));
	EXPECT_EQ(-ETIME, end_of(self, 0));
	for (i = 1; i < CONTEXTS; i++)
		EXPECT_EQ(1, end_of(self, i)) TH_LOG("context %u", i);
	EXPECT_EQ(ran + CONTEXTS - 1, counted("ran"));
}

/* Its record comes before it was told all of the job. */
TEST_F_TIMEOUT(template, a_record_waits_until_the_job_is_given, 60)
{
	int ret;

	ASSERT_EQ(0, loom_write_file(FAULT, EARLY));
	ASSERT_EQ(0, run(self, 0));
	ret = end_of(self, 0);
	EXPECT_TRUE(ret == 1 || ret == -EIO) TH_LOG("%d", ret);
	/* the second record is that of no job */
	ret = run(self, 1);
	ASSERT_TRUE(!ret || ret == -EIO);
	while (run(self, CONTEXTS - 1) != -EIO)
		usleep(1000);
	ASSERT_EQ(0, is_wedged_until_bound_anew(self));
}

/* A job does not overtake another one that is being given: the right one is blamed. */
TEST_F_TIMEOUT(template, jobs_are_given_in_the_order_that_is_known, 60)
{
	long resets = counted("resets");

	ASSERT_EQ(0, loom_write_file(FAULT, DAWDLES));
	ASSERT_EQ(0, run(self, 0));
	usleep(20000);
	ASSERT_EQ(0, run(self, 1));
	EXPECT_EQ(-ETIME, end_of(self, 0));
	EXPECT_EQ(1, end_of(self, 1));
	EXPECT_EQ(resets, counted("resets"));
}

/* A device that does not say where it is may be all right. */
TEST_F_TIMEOUT(template, without_progress_a_job_is_stopped_first, 60)
{
	long resets = counted("resets");
	uint32_t i;

	ASSERT_EQ(0, run_all(self, SHY));
	EXPECT_EQ(-ETIME, end_of(self, 0));
	for (i = 1; i < CONTEXTS; i++)
		EXPECT_EQ(1, end_of(self, i)) TH_LOG("context %u", i);
	EXPECT_EQ(resets, counted("resets"));
}

/* It says so itself, so nobody waits for a timeout, and it is no job's fault. */
TEST_F_TIMEOUT(template, a_device_that_says_that_it_hangs_is_reset, 60)
{
	struct drm_loom_context_query query;
	uint32_t i;

	ASSERT_EQ(0, bind_anew(self, "60000"));
	ASSERT_EQ(0, run_all(self, CONFESSES));
	EXPECT_EQ(-ECANCELED, end_of(self, 0));
	for (i = 1; i < CONTEXTS; i++)
		EXPECT_EQ(1, end_of(self, i)) TH_LOG("context %u", i);
	ASSERT_EQ(0, loom_context_query(self->client.fd, self->contexts[0], &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, run(self, 0));
	EXPECT_EQ(1, end_of(self, 0));
}

TEST_F_TIMEOUT(template, a_job_that_fails_is_the_only_one, 60)
{
	long resets = counted("resets");
	uint32_t i;

	ASSERT_EQ(0, run_all(self, FAILS));
	EXPECT_EQ(-EIO, end_of(self, 0));
	for (i = 1; i < CONTEXTS; i++)
		EXPECT_EQ(1, end_of(self, i)) TH_LOG("context %u", i);
	EXPECT_EQ(resets, counted("resets"));
	EXPECT_EQ(0, run(self, 0));
	EXPECT_EQ(1, end_of(self, 0));
}

/* The dump was written before the reset, after which the device does not know of the job. */
TEST_F_TIMEOUT(template, the_dump_is_of_the_device_that_hung, 60)
{
	char text[8192] = "", path[300], job[40];
	int64_t end = loom_soon();
	struct dirent *entry;
	const char *line;
	uint32_t size = 0;
	DIR *dir;

	if (loom_query(self->client.fd, DRM_LOOM_QUERY_NO_SPACE, 0, NULL, &size))
		SKIP(return, "no reports in this kernel");
	ASSERT_EQ(0, run_all(self, HANGS));
	EXPECT_EQ(-ETIME, end_of(self, 0));
	while (!strstr(text, "backend: template\n") && loom_now_ns() < end) {
		dir = opendir(DUMPS);
		if (!dir)
			SKIP(return, "no devcoredump in this kernel");
		while ((entry = readdir(dir))) {
			snprintf(path, sizeof(path), DUMPS "%s/data", entry->d_name);
			if (entry->d_name[0] == '.' || loom_read_file(path, text, sizeof(text)))
				continue;
			/* it is the only one at a time */
			loom_write_file(path, "1");
			break;
		}
		closedir(dir);
		usleep(1000);
	}
	line = strstr(text, "\njob: ");
	ASSERT_NE(NULL, line);
	snprintf(job, sizeof(job), "\ncurrent_%.*s", (int)strcspn(line + 1, "\n") + 1, line + 1);
	EXPECT_NE(NULL, strstr(text, job)) TH_LOG("%s in %s", job, text);
}

/* -------------------------------------------------------- nobody waits for ever */

/* The timeout would look after it in ten minutes. */
TEST_F_TIMEOUT(template, nobody_wants_a_job_of_a_device_that_hangs, 60)
{
	struct loom_client other;
	uint32_t sync;

	ASSERT_EQ(0, bind_anew(self, "600000"));
	ASSERT_EQ(0, loom_client_open_fd(&other, template_open()));
	ASSERT_EQ(0, run_all(self, HANGS));
	sync = loom_sync_create(other.fd, 0);
	ASSERT_EQ(0, loom_client_run(&other, loom_client_plan_copy(&other), 2,
				     sync));
	loom_client_close(&self->client);
	EXPECT_EQ(0, loom_sync_wait(other.fd, sync, loom_now_ns() + 30 * LOOM_SECOND_NS));
	EXPECT_EQ(1, loom_sync_status(other.fd, sync));
	loom_client_close(&other);
}

/* It was told to stop while another had the device, and is stopped when it gets it. */
TEST_F_TIMEOUT(template, a_job_is_stopped_before_it_begins, 60)
{
	struct sync_file_info info = {};
	struct loom_client other;
	struct pollfd ready;
	uint32_t sync;

	ASSERT_EQ(0, loom_client_open_fd(&other, template_open()));
	sync = loom_sync_create(other.fd, 0);
	ASSERT_EQ(0, loom_write_file(FAULT, SLOW));
	ASSERT_EQ(0, run(self, 0));
	usleep(50000);
	ASSERT_EQ(0, loom_client_run(&other, loom_client_plan_copy(&other), 2,
				     sync));
	usleep(50000);
	ready = (struct pollfd) { .fd = loom_sync_export(other.fd, sync), .events = POLLIN };
	loom_client_close(&other);
	EXPECT_EQ(-ETIME, end_of(self, 0));
	ASSERT_EQ(1, poll(&ready, 1, 60000));
	ASSERT_EQ(0, loom_call(ready.fd, SYNC_IOC_FILE_INFO, &info));
	EXPECT_EQ(-ECANCELED, info.status);
	close(ready.fd);
}

#ifdef _LOOM_ACCEL_REPORT_H_
/* In an ioctl that waits until a job has left the SRAM, which never happens. */
TEST_F_TIMEOUT(template, who_waits_for_a_job_does_not_hold_up_unplugging, 60)
{
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info low, high;
	struct loom_client other, bound;
	uint32_t context, plan;
	int status = 0;
	pid_t child;

	if (loom_exclusive(self->client.fd, &context) == -EINVAL)
		SKIP(return, "no exclusive contexts in this kernel");
	ASSERT_EQ(0, loom_set_nice(false));
	ASSERT_EQ(0, bind_anew(self, "600000"));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, loom_sram_rows(self->client.fd, &sram, LOOM_ROW_BYTES,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	ASSERT_EQ(0, loom_sram_rows(self->client.fd, &sram, LOOM_ROW_BYTES, 0, &high));
	bound = loom_client_bound(&self->client, low.handle, high.handle);
	ASSERT_EQ(0, loom_write_file(FAULT, HANGS));
	ASSERT_NE(0, loom_client_run_bound(&bound, 2, 1));
	usleep(50000);
	child = loom_fork();
	if (!child) {
		/* two clients: the one does not have the bottom of the SRAM for itself any more */
		if (loom_client_open_fd(&other, template_open()))
			_exit(1);
		plan = loom_client_plan_copy(&other);
		_exit(-loom_client_run(&other, plan, 2, 0));
	}
	usleep(300000);
	EXPECT_EQ(0, waitpid(child, &status, WNOHANG));
	ASSERT_EQ(0, template_unbind());
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(!WEXITSTATUS(status) || WEXITSTATUS(status) == ENODEV);
	loom_client_close(&self->client);
	ASSERT_EQ(0, template_bind());
	ASSERT_EQ(0, template_clients(self));
}

/* A plan that needs the SRAM to its end. */
static uint32_t plan_whole(const struct loom_client *client, uint64_t bytes)
{
	struct loom_builder builder;
	uint64_t size;
	void *blob;

	loom_builder_init(&builder, client->info.lanes, LOOM_COLUMNS);
	builder.scratch_bytes = bytes;
	loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, bytes - LOOM_ROW_BYTES, 0, 0);
	loom_builder_step(&builder);
	blob = loom_builder_finish(&builder, &size);
	return loom_client_plan(client, blob, size);
}

static void on_alarm(int number)
{
}

/* The job whose scratch is in the way is told to end, and its device does not hear that. */
TEST_F_TIMEOUT(template, who_waits_for_the_scratch_of_a_job_may_give_up, 60)
{
	struct itimerval timer = { { .tv_usec = 100000 }, { .tv_usec = 100000 } }, none = {};
	struct sigaction action = { .sa_handler = on_alarm };
	struct drm_loom_bo_create args = { .region = DRM_LOOM_REGION_SRAM };
	struct drm_loom_region_info sram;
	int64_t end = loom_soon();
	uint32_t context, whole;
	char text[8] = "";
	int other, ret;

	if (loom_exclusive(self->client.fd, &context) == -EINVAL)
		SKIP(return, "no exclusive contexts in this kernel");
	ASSERT_EQ(0, loom_set_nice(false));
	ASSERT_EQ(0, bind_anew(self, "5000"));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	whole = plan_whole(&self->client, sram.total_bytes);
	ASSERT_NE(0, whole);
	ASSERT_EQ(0, loom_write_file(FAULT, HANGS));
	ASSERT_EQ(0, loom_client_run(&self->client, whole, 0, self->syncs[0]));
	while (strcmp(text, "0\n") && loom_now_ns() < end)
		ASSERT_EQ(0, loom_read_file(FAULT, text, sizeof(text)));
	other = template_open();
	ASSERT_GE(other, 0);
	args.size = sram.share_bytes * sram.banks;
	args.page_bytes = sram.align_bytes;
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	ret = ioctl(other, DRM_IOCTL_LOOM_BO_CREATE, &args) ? -errno : 0;
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &none, NULL));
	EXPECT_EQ(-EINTR, ret);
	EXPECT_EQ(0, loom_sync_status(self->client.fd, self->syncs[0]));
	close(other);
}
#endif

/* Turns are not charged by the run time that the device reports, which is 0 here. */
TEST_F_TIMEOUT(template, a_client_with_many_jobs_does_not_starve_others, 60)
{
	uint32_t contexts[64], syncs[64], i, plan, before = 0;
	struct loom_client many;
	uint64_t last = 0, end;

	ASSERT_EQ(0, run_all(self, SLOW));
	ASSERT_EQ(0, loom_client_open_fd(&many, template_open()));
	plan = loom_client_plan_copy(&many);
	for (i = 0; i < LOOM_ARRAY_SIZE(contexts); i++) {
		syncs[i] = loom_sync_create(many.fd, 0);
		ASSERT_EQ(0, loom_context_create(many.fd, DRM_LOOM_PRIORITY_NORMAL, &contexts[i]));
		many.context = contexts[i];
		ASSERT_EQ(0, loom_client_run(&many, plan, 2, syncs[i]));
	}
	for (i = 1; i < CONTEXTS; i++) {
		EXPECT_EQ(1, end_of(self, i));
		end = loom_sync_end(self->client.fd, self->syncs[i]);
		EXPECT_NE(UINT64_MAX, end);
		last = end > last ? end : last;
	}
	/* by when they ended, because this process may be late on a busy host */
	for (i = 0; i < LOOM_ARRAY_SIZE(contexts); i++)
		before += loom_sync_end(many.fd, syncs[i]) < last;
	/* all of them would be those that came last, and go first */
	EXPECT_GT(LOOM_ARRAY_SIZE(contexts) * 3 / 4, before);
	loom_client_close(&many);
}

/* ------------------------------------------------------------------ copies */

#define COPY_BYTES	5000

/* BO_WRITE of @byte and BO_READ of the client's buffer. Return: 0 or -errno. */
static int write_and_read(const struct loom_client *client, uint8_t byte)
{
	uint8_t bytes[COPY_BYTES];
	int64_t done;

	memset(bytes, byte, sizeof(bytes));
	done = loom_bo_write(client->fd, client->in, 0, bytes, sizeof(bytes));
	if (done == (int64_t)sizeof(bytes)) {
		memset(bytes, ~byte, sizeof(bytes));
		done = loom_bo_read(client->fd, client->in, 0, bytes, sizeof(bytes));
	}
	if (done != (int64_t)sizeof(bytes))
		return done < 0 ? done : -EAGAIN;
	return bytes[0] == byte && !memcmp(bytes, bytes + 1, sizeof(bytes) - 1) ? 0 : -EBADMSG;
}

/* Both refuse with @want, and touch no byte of the caller's. Return: 0, or what came instead. */
static int64_t copies_are_refused(const struct loom_client *client, int want)
{
	uint8_t byte = 0x55;
	int64_t ret = loom_bo_write(client->fd, client->in, 0, &byte, 1);

	if (ret == want)
		ret = loom_bo_read(client->fd, client->in, 0, &byte, 1);
	return ret != want ? ret : byte == 0x55 ? 0 : -EBADMSG;
}

TEST_F_TIMEOUT(template, a_device_that_is_unplugged_copies_nothing, 60)
{
	int ret = write_and_read(&self->client, 1);

	if (ret == -EINVAL)
		SKIP(return, "no copies in this kernel");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, template_unbind());
	EXPECT_EQ(0, copies_are_refused(&self->client, -ENODEV));
	loom_client_close(&self->client);
	ASSERT_EQ(0, template_bind());
	ASSERT_EQ(0, template_clients(self));
	EXPECT_EQ(0, write_and_read(&self->client, 2));
}

/* Wherever the buffer is. */
TEST_F_TIMEOUT(template, a_device_that_is_wedged_copies_nothing, 60)
{
	int ret = write_and_read(&self->client, 1);

	if (ret == -EINVAL)
		SKIP(return, "no copies in this kernel");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, loom_write_file(FAULT, DIES));
	ASSERT_EQ(0, run(self, 0));
	EXPECT_EQ(-EIO, end_of(self, 0));
	EXPECT_EQ(0, copies_are_refused(&self->client, -EIO));
	ASSERT_EQ(0, is_wedged_until_bound_anew(self));
	EXPECT_EQ(0, write_and_read(&self->client, 2));
}

/* The copy is valid, so its failure means that the device is broken. */
TEST_F_TIMEOUT(template, a_copy_that_fails_wedges_the_device, 120)
{
	static const unsigned long copies[] = { DRM_IOCTL_LOOM_BO_READ, DRM_IOCTL_LOOM_BO_WRITE };
	uint32_t i;

	if (!has_own_memory(&self->client))
		SKIP(return, "no memory of its own (own=1)");
	for (i = 0; i < LOOM_ARRAY_SIZE(copies); i++) {
		uint8_t byte = 0x55;

		ASSERT_EQ(0, write_and_read(&self->client, 1));
		ASSERT_EQ(0, loom_write_file(FAULT, SPILLS));
		EXPECT_EQ(-EIO, loom_bo_copy(self->client.fd, copies[i], self->client.in, 7, &byte,
					     1));
		EXPECT_EQ(0x55, byte);
		EXPECT_EQ(0, copies_are_refused(&self->client, -EIO));
		ASSERT_EQ(0, is_wedged_until_bound_anew(self));
	}
	EXPECT_EQ(0, write_and_read(&self->client, 2));
}

TEST_F_TIMEOUT(template, who_copies_needs_a_device_that_wakes_up, 60)
{
	char status[16] = "";
	int64_t end = loom_soon();

	if (!has_own_memory(&self->client))
		SKIP(return, "no memory of its own (own=1)");
	ASSERT_EQ(0, write_and_read(&self->client, 1));
	ASSERT_EQ(0, loom_write_file(DEVICE "power/autosuspend_delay_ms", "20"));
	/* it sleeps, is woken up for that, and has forgotten nothing */
	while (strncmp(status, "suspended", 9) && loom_now_ns() < end)
		ASSERT_EQ(0, loom_read_file(DEVICE "power/runtime_status", status, sizeof(status)));
	EXPECT_EQ(0, write_and_read(&self->client, 2));
	memset(status, 0, sizeof(status));
	while (strncmp(status, "suspended", 9) && loom_now_ns() < end)
		ASSERT_EQ(0, loom_read_file(DEVICE "power/runtime_status", status, sizeof(status)));
	ASSERT_EQ(0, loom_write_file(FAULT, SLEEPS_ON));
	EXPECT_EQ(0, copies_are_refused(&self->client, -EIO));
	ASSERT_EQ(0, is_wedged_until_bound_anew(self));
}

/* Of two that wait for a copy that does not end, one is killed; the other is told. */
TEST_F_TIMEOUT(template, who_waits_for_a_copy_does_not_hold_up_unplugging, 120)
{
	uint32_t who;
	int status;

	if (!has_own_memory(&self->client))
		SKIP(return, "no memory of its own (own=1)");
	for (who = 0; who < 2; who++) {
		pid_t child;

		ASSERT_EQ(0, write_and_read(&self->client, 1));
		ASSERT_EQ(0, loom_write_file(FAULT, STALLS));
		child = loom_fork();
		ASSERT_LE(0, child);
		if (!child)
			_exit(-write_and_read(&self->client, 2));
		usleep(300000);
		EXPECT_EQ(0, waitpid(child, &status, WNOHANG));
		EXPECT_EQ(0, who ? template_unbind() : kill(child, SIGKILL));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_TRUE(who ? WIFEXITED(status) && WEXITSTATUS(status) == ENODEV :
			    WIFSIGNALED(status));
		ASSERT_EQ(0, who ? 0 : template_unbind());
		loom_client_close(&self->client);
		/* it may not have come to that */
		ASSERT_EQ(0, loom_write_file(FAULT, "0"));
		ASSERT_EQ(0, template_bind());
		ASSERT_EQ(0, template_clients(self));
	}
	EXPECT_EQ(0, write_and_read(&self->client, 3));
}

/* ---------------------------------------------------------------- refusals */

TEST_F_TIMEOUT(template, a_device_that_does_not_wake_up_is_wedged, 60)
{
	char status[16] = "";
	int64_t end = loom_soon();

	loom_client_close(&self->client);
	ASSERT_EQ(0, loom_write_file(DEVICE "power/autosuspend_delay_ms", "20"));
	ASSERT_EQ(0, template_clients(self));
	while (strncmp(status, "suspended", 9) && loom_now_ns() < end)
		ASSERT_EQ(0, loom_read_file(DEVICE "power/runtime_status", status, sizeof(status)));
	/* it sleeps, and is woken up for that */
	EXPECT_NE(0, loom_client_plan_copy(&self->client));
	memset(status, 0, sizeof(status));
	while (strncmp(status, "suspended", 9) && loom_now_ns() < end)
		ASSERT_EQ(0, loom_read_file(DEVICE "power/runtime_status", status, sizeof(status)));
	ASSERT_EQ(0, loom_write_file(FAULT, SLEEPS_ON));
	EXPECT_EQ(-EIO, run(self, 0));
	ASSERT_EQ(0, is_wedged_until_bound_anew(self));
}

/* An errno that SUBMIT would take for its own, and start over. */
TEST_F_TIMEOUT(template, a_back_end_that_is_busy_is_not_asked_again, 60)
{
	ASSERT_EQ(0, loom_write_file(FAULT, BUSY));
	EXPECT_EQ(-EIO, run(self, 0));
	EXPECT_EQ(0, run(self, 0));
	EXPECT_EQ(1, end_of(self, 0));
}

/* A device that forgets jobs when it sleeps, and does not say how many it takes. */
TEST_F(template, a_description_that_makes_no_sense_is_refused)
{
	loom_client_close(&self->client);
	ASSERT_EQ(0, template_unbind());
	ASSERT_EQ(0, loom_write_file(PARAMETERS "jobs", "0"));
	EXPECT_EQ(-EINVAL, template_bind());
	ASSERT_EQ(0, loom_write_file(PARAMETERS "jobs", "4"));
	ASSERT_EQ(0, template_bind());
	ASSERT_EQ(0, template_clients(self));
}
