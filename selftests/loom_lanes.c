// SPDX-License-Identifier: GPL-2.0
/*
 * Partitions: contexts that own lanes, which plans they run, and what others have of the device.
 */
#include "loom_selftest.h"

static int create(int fd, uint32_t priority, uint32_t lanes, uint64_t mask,
		  struct drm_loom_context_create *args)
{
	*args = (struct drm_loom_context_create) {
		.priority = priority, .lanes = lanes, .lane_mask = { mask },
	};
	return loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, args);
}

/* Lanes are given back when the last job has ended, which may be a little later. */
static int create_soon(int fd, uint32_t lanes, uint64_t mask, struct drm_loom_context_create *args)
{
	int64_t end = loom_soon();
	int ret;

	do {
		ret = create(fd, DRM_LOOM_PRIORITY_NORMAL, lanes, mask, args);
	} while (ret == -EBUSY && loom_now_ns() < end && !usleep(1000));
	return ret;
}

static void *map_ones(const struct loom_client *client, uint32_t handle, float value)
{
	float *map = loom_bo_map(client->fd, handle, client->bytes);
	uint64_t i;

	for (i = 0; map != MAP_FAILED && i < client->bytes / sizeof(*map); i++)
		map[i] = value;
	return map;
}

/* A client whose context owns @lanes of @mask, or any if that is 0; its buffers fit its plans. */
static int open_part(struct loom_client *client, uint32_t lanes, uint64_t mask)
{
	struct drm_loom_context_create args;
	int ret = loom_client_open(client);

	if (!ret)
		ret = create_soon(client->fd, lanes, mask, &args);
	if (!ret)
		loom_client_use_lanes(client, &args);
	return ret;
}

static bool computes(const struct loom_client *client)
{
	float *in = map_ones(client, client->in, -3.0f), *out = map_ones(client, client->out, 0.0f);
	uint32_t plan = loom_client_plan_unary(client, DRM_LOOM_UNARY_ABS);
	bool good = false;

	if (in == MAP_FAILED || out == MAP_FAILED || !plan)
		return false;
	in[client->bytes / sizeof(float) - 1] = -5.0f;
	good = !loom_client_run(client, plan, 2, 0) &&
	       !loom_bo_wait(client->fd, client->out, loom_soon()) && out[0] == 3.0f &&
	       out[client->bytes / sizeof(float) - 1] == 5.0f;
	munmap(in, client->bytes);
	munmap(out, client->bytes);
	return good;
}

static uint64_t jobs_of(const struct loom_client *client)
{
	struct drm_loom_context_query query;

	return loom_context_query(client->fd, client->context, &query) ? 0 : query.counters.jobs;
}

FIXTURE(lanes)
{
	struct loom_client client;
	uint32_t lanes;
};

FIXTURE_SETUP(lanes)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	self->lanes = self->client.info.lanes;
	if (!(self->client.info.flags & DRM_LOOM_DEVICE_LANES))
		SKIP(return, "the device has no partitions");
	if (self->lanes < 4)
		SKIP(return, "too few lanes");
}

FIXTURE_TEARDOWN(lanes)
{
	loom_client_close(&self->client);
}

TEST_F(lanes, arguments_are_checked)
{
	struct drm_loom_context_create args;
	int fd = self->client.fd;

	EXPECT_EQ(-EINVAL, create(fd, 1, self->lanes + 1, 0, &args));
	EXPECT_EQ(-EINVAL, create(fd, 1, UINT32_MAX, 0, &args));
	EXPECT_EQ(-EINVAL, create(fd, 1, 1, 0x3, &args));
	EXPECT_EQ(-EINVAL, create(fd, 1, 3, 0x3, &args));
	if (self->lanes < 64)
		EXPECT_EQ(-EINVAL, create(fd, 1, 0, 1ULL << self->lanes, &args));
	args = (struct drm_loom_context_create) {
		.priority = 1, .lane_mask = { [DRM_LOOM_MAX_BANKS / 64 - 1] = 1ULL << 63 },
	};
	if (self->lanes < DRM_LOOM_MAX_BANKS)
		EXPECT_EQ(-EINVAL, loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args));
	args = (struct drm_loom_context_create) { .priority = 1, .lanes = 1, .pad2 = 1 };
	EXPECT_EQ(-EINVAL, loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args));
	/* without lanes there is none to tell of */
	EXPECT_EQ(0, create(fd, 1, 0, 0, &args));
	EXPECT_EQ(0, args.lanes | args.lane_mask[0]);
}

TEST_F(lanes, are_owned_by_one_context)
{
	struct drm_loom_context_create first, second, args;
	int fd = self->client.fd;

	ASSERT_EQ(0, create_soon(fd, 0, 0x2, &first));
	EXPECT_EQ(1, first.lanes);
	EXPECT_EQ(0x2, first.lane_mask[0]);
	EXPECT_EQ(-EBUSY, create(fd, 1, 0, 0x3, &args));
	/* the driver chooses others */
	ASSERT_EQ(0, create_soon(fd, 1, 0, &second));
	EXPECT_EQ(1, second.lanes);
	EXPECT_EQ(1, __builtin_popcountll(second.lane_mask[0]));
	EXPECT_EQ(0, second.lane_mask[0] & first.lane_mask[0]);
	EXPECT_EQ(2, loom_fdinfo(fd, "loom-lanes"));
	ASSERT_EQ(0, loom_context_destroy(fd, first.context));
	EXPECT_EQ(1, loom_fdinfo(fd, "loom-lanes"));
	EXPECT_EQ(0, create_soon(fd, 0, 0x2, &args));
}

/* Half of them at most, in however many files and contexts; of three users each. */
static int take_too_many(uint32_t lanes)
{
	struct drm_loom_context_create args;
	int fd, other, user, bad = loom_set_nice(false) ? 64 : 0;

	for (user = 0; user < 3 && !loom_be_user(65000 + user); user++) {
		fd = loom_open();
		other = loom_open();
		bad |= create(fd, 1, lanes / 2 + 1, 0, &args) == -EDQUOT ? 0 : 1;
		if (user == 2)
			break;
		bad |= create_soon(fd, lanes / 2, 0, &args) ? 2 : 0;
		bad |= create(fd, 1, 1, 0, &args) == -EDQUOT ? 0 : 4;
		bad |= create(other, 1, 1, 0, &args) == -EDQUOT ? 0 : 8;
	}
	/* the third one has its turns */
	return bad | (create(fd, 1, 1 + lanes % 2, 0, &args) == -EBUSY && loom_device_works() ?
		      0 : 16);
}

TEST_F(lanes, of_a_user_are_half_of_the_device)
{
	struct drm_loom_context_create args;
	int status;
	pid_t child;

	if (geteuid())
		SKIP(return, "no capability to drop");
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(take_too_many(self->lanes));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	/* a client with the capability may have all of them */
	EXPECT_EQ(0, create_soon(self->client.fd, self->lanes, 0, &args));
}

TEST_F(lanes, of_plan_and_context_are_the_same_number)
{
	static const struct drm_loom_conflict none;
	struct drm_loom_conflict record;
	struct loom_client part = self->client;
	struct drm_loom_context_create args;
	uint32_t whole, half, more;
	struct loom_job job;
	uint64_t size;
	void *blob;

	ASSERT_EQ(0, create_soon(self->client.fd, self->lanes / 2, 0, &args));
	part.info.lanes = args.lanes;
	whole = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	half = loom_client_plan_unary(&part, DRM_LOOM_UNARY_ABS);
	ASSERT_NE(0, whole);
	ASSERT_NE(0, half);
	blob = loom_plan_blob_null(self->lanes + 1, &size);
	EXPECT_EQ(-EBADMSG, loom_plan_create(self->client.fd, blob, size, NULL, &more));
	free(blob);
	blob = loom_plan_blob_null(0, &size);
	EXPECT_EQ(-EBADMSG, loom_plan_create(self->client.fd, blob, size, NULL, &more));
	free(blob);

	loom_job_init(&job, &self->client, half, 2, 0);
	job.args.conflict = (uintptr_t)&record;
	job.args.conflict_size = sizeof(record);
	EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));
	EXPECT_EQ(self->lanes / 2, record.plan_lanes);
	EXPECT_EQ(self->lanes, record.context_lanes);
	EXPECT_EQ(0, memcmp(&none.scratch, &record.scratch, sizeof(none.scratch)));
	job.args.plan = whole;
	job.args.context = args.context;
	EXPECT_EQ(-EINVAL, loom_job_submit(self->client.fd, &job));
	EXPECT_EQ(self->lanes, record.plan_lanes);
	EXPECT_EQ(self->lanes / 2, record.context_lanes);
	job.args.plan = half;
	EXPECT_EQ(0, loom_job_submit(self->client.fd, &job));
	EXPECT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, loom_soon()));
}

TEST_F(lanes, a_reservation_is_for_all_of_them)
{
	uint64_t size;
	void *blob = loom_plan_blob_unary(self->lanes / 2, DRM_LOOM_UNARY_ABS, &size);
	struct drm_loom_plan_create args = {
		.ptr = (uintptr_t)blob, .size = size, .flags = DRM_LOOM_PLAN_RESERVE,
	};

	EXPECT_EQ(-EINVAL, loom_call(self->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args));
	free(blob);
}

TEST_F(lanes, results_are_right_in_each_partition)
{
	struct loom_client parts[4];
	uint32_t i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, open_part(&parts[i], 0, 1ULL << i));
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(computes(&parts[i]));
	EXPECT_TRUE(loom_device_works());
	for (i = 0; i < 4; i++)
		loom_client_close(&parts[i]);
	ASSERT_EQ(0, open_part(&parts[0], 3, 0));
	EXPECT_TRUE(computes(&parts[0]));
	loom_client_close(&parts[0]);
	EXPECT_TRUE(loom_device_works());
}

/* Whether a snapshot of the jobs shows one of each client that has the engine. */
static bool both_run(const struct loom_client *parts)
{
	char want[2][64], line[512];
	int64_t end = loom_soon();
	uint32_t running, i;
	FILE *file;

	for (i = 0; i < 2; i++)
		snprintf(want[i], sizeof(want[i]), " of client %lld: ",
			 (long long)loom_fdinfo(parts[i].fd, "drm-client-id"));
	do {
		running = 0;
		file = popen("cat /sys/kernel/debug/accel/*/jobs", "r");
		while (file && fgets(line, sizeof(line), file))
			for (i = 0; i < 2; i++)
				if (strstr(line, want[i]) && strstr(line, "running"))
					running |= 1u << i;
		if (file)
			pclose(file);
	} while (running != 3 && loom_now_ns() < end);
	return running == 3;
}

/*
 * Endless jobs: if one had to wait for the end of another, its time would stay zero; and if they
 * took turns, they would not have the engine both.
 */
TEST_F_TIMEOUT(lanes, jobs_of_partitions_run_at_the_same_time, 120)
{
	struct loom_client parts[2];
	int64_t end = loom_soon(), ns[2];
	uint32_t i, plan;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, open_part(&parts[i], self->lanes / 2, 0));
		plan = loom_client_plan_endless(&parts[i]);
		ASSERT_NE(0, plan);
		ASSERT_EQ(0, loom_client_run(&parts[i], plan, 2, 0));
	}
	do {
		usleep(1000);
		ns[0] = loom_engine_ns(parts[0].fd);
		ns[1] = loom_engine_ns(parts[1].fd);
	} while ((ns[0] < 50000000 || ns[1] < 50000000) && loom_now_ns() < end);
	EXPECT_LE(50000000, ns[0]);
	EXPECT_LE(50000000, ns[1]);
	if (!access("/sys/kernel/debug/accel", R_OK))
		EXPECT_TRUE(both_run(parts));
	/* closing ends them, and the lanes are free again */
	loom_client_close(&parts[0]);
	loom_client_close(&parts[1]);
	ASSERT_EQ(0, open_part(&parts[0], self->lanes, 0));
	EXPECT_TRUE(computes(&parts[0]));
	loom_client_close(&parts[0]);
}

/* Both sides have jobs without end, and both go on; so does a client that comes later. */
TEST_F_TIMEOUT(lanes, neither_partitions_nor_others_starve, 240)
{
	struct loom_client parts[4];
	uint32_t i, plan, whole = loom_client_plan_endless(&self->client);
	int64_t end = loom_soon(), before[5];
	bool all;

	if (!loom_takes_turns(self->client.fd))
		SKIP(return, "a job runs to completion");
	ASSERT_NE(0, whole);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, open_part(&parts[i], 1, 0));
		plan = loom_client_plan_endless(&parts[i]);
		ASSERT_NE(0, plan);
		ASSERT_EQ(0, loom_client_run(&parts[i], plan, 2, 0));
	}
	ASSERT_EQ(0, loom_client_run(&self->client, whole, 2, 0));
	for (i = 0; i < 5; i++)
		before[i] = loom_engine_ns(i < 4 ? parts[i].fd : self->client.fd);
	do {
		usleep(1000);
		all = true;
		for (i = 0; i < 5; i++)
			all &= loom_engine_ns(i < 4 ? parts[i].fd : self->client.fd) >=
			       before[i] + 30000000;
	} while (!all && loom_now_ns() < end);
	EXPECT_TRUE(all);
	EXPECT_TRUE(loom_device_works());
	for (i = 0; i < 4; i++)
		loom_client_close(&parts[i]);
	EXPECT_TRUE(loom_device_works());
}

static int compute_as_nobody(void)
{
	struct loom_client part;
	int fd;

	if (loom_become_nobody())
		return 1;
	fd = loom_open();
	if (fd < 0)
		return KSFT_SKIP;
	close(fd);
	return open_part(&part, 0, 0x2) || !computes(&part) || !loom_device_works();
}

/*
 * Many jobs are queued for a partition before one of another partition and one of the whole device,
 * which are run long before the last of them: users have equal shares.
 */
TEST_F_TIMEOUT(lanes, many_jobs_of_a_partition_do_not_delay_others, 240)
{
	struct loom_client part;
	uint32_t i, plan;
	pid_t child;
	int status;

	if (geteuid())
		SKIP(return, "no capability to drop");
	ASSERT_EQ(0, open_part(&part, 0, 0x1));
	plan = loom_client_plan_busy(&part);
	ASSERT_NE(0, plan);
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, loom_client_run(&part, plan, 2, 0));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(compute_as_nobody());
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	if (WEXITSTATUS(status) != KSFT_SKIP) {
		EXPECT_EQ(0, WEXITSTATUS(status));
		EXPECT_GT(20, jobs_of(&part));
	}
	EXPECT_EQ(0, loom_bo_wait(part.fd, part.out, loom_soon()));
	EXPECT_EQ(20, jobs_of(&part));
	loom_client_close(&part);
}

/* A stopped job of a partition ends while a job of a higher priority has the device. */
TEST_F_TIMEOUT(lanes, a_closed_file_does_not_wait_for_its_turn, 120)
{
	struct drm_loom_context_create args;
	struct loom_client part;
	uint32_t plan, whole;

	if (geteuid() || !loom_takes_turns(self->client.fd))
		SKIP(return, "no right to a high priority, or a job runs to completion");
	ASSERT_EQ(0, create(self->client.fd, DRM_LOOM_PRIORITY_HIGH, 0, 0, &args));
	self->client.context = args.context;
	whole = loom_client_plan_endless(&self->client);
	ASSERT_NE(0, whole);
	ASSERT_EQ(0, open_part(&part, 0, 0x1));
	plan = loom_client_plan_endless(&part);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_client_run(&part, plan, 2, 0));
	ASSERT_EQ(0, loom_client_run(&self->client, whole, 2, 0));
	loom_client_close(&part);
	EXPECT_EQ(0, create_soon(self->client.fd, 0, 0x1, &args));
}

/* Scratch is compared with buffers in the banks of the partition, and in no others. */
TEST_F(lanes, scratch_is_in_the_banks_of_the_partition)
{
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info low;
	struct drm_loom_conflict record = {};
	uint32_t context, plan;
	struct loom_client part;
	struct loom_job job;

	if (geteuid())
		SKIP(return, "no right to an exclusive context");
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	/* the second lane of the partition, and one that is not in it */
	ASSERT_EQ(0, open_part(&part, 0, 0xa));
	plan = loom_client_plan_unary(&part, DRM_LOOM_UNARY_ABS);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_sram_take(self->client.fd, &sram, sram.align_bytes, 0x5,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	EXPECT_EQ(0, loom_client_run(&part, plan, 2, 0));
	EXPECT_EQ(0, loom_bo_wait(part.fd, part.out, loom_soon()));
	ASSERT_EQ(0, loom_sram_take(self->client.fd, &sram, sram.align_bytes, 0x8,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	loom_job_init(&job, &part, plan, 2, 0);
	job.args.conflict = (uintptr_t)&record;
	job.args.conflict_size = sizeof(record);
	EXPECT_EQ(-EBUSY, loom_job_submit(part.fd, &job));
	EXPECT_EQ(3, record.scratch.bank);
	EXPECT_EQ(0, record.scratch.handle);
	EXPECT_EQ(0, record.plan_lanes);
	loom_client_close(&part);
}

/* While a job holds scratch in upper banks only, a buffer is placed above it there. */
TEST_F_TIMEOUT(lanes, buffers_avoid_the_scratch_of_partitions, 120)
{
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info info;
	struct loom_client part;
	uint32_t context, plan;

	if (geteuid())
		SKIP(return, "no right to an exclusive context");
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	ASSERT_EQ(0, open_part(&part, 0, 0xc));
	plan = loom_client_plan_endless(&part);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_client_run(&part, plan, 2, 0));
	ASSERT_EQ(0, loom_sram_take(self->client.fd, &sram, sram.align_bytes, 0x3,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &info));
	EXPECT_EQ(sram.bank_bytes - sram.total_bytes, info.address);
	ASSERT_EQ(0, loom_sram_take(self->client.fd, &sram, sram.align_bytes, 0x9,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &info));
	EXPECT_LE(sram.bank_bytes - sram.total_bytes + LOOM_ROW_BYTES, info.address);
	loom_client_close(&part);
}

/* An SRAM buffer for a slot must be on exactly the banks of the partition. */
TEST_F(lanes, buffers_of_slots_are_on_the_banks_of_the_partition)
{
	struct drm_loom_bo_info in, out, other;
	struct drm_loom_region_info sram;
	struct loom_client part, bound;
	uint64_t size;
	uint32_t plan;
	void *blob;

	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	if (sram.share_bytes < 2 * LOOM_ROW_BYTES)
		SKIP(return, "the share of the SRAM is too small");
	ASSERT_EQ(0, open_part(&part, 0, 0x6));
	ASSERT_EQ(0, loom_sram_take_pages(part.fd, &sram, LOOM_ROW_BYTES, 0x6,
					  DRM_LOOM_DIRECTION_DEFAULT, LOOM_ROW_BYTES, &in));
	ASSERT_EQ(0, loom_sram_take_pages(part.fd, &sram, LOOM_ROW_BYTES, 0x6,
					  DRM_LOOM_DIRECTION_DEFAULT, LOOM_ROW_BYTES, &out));
	ASSERT_EQ(0, loom_sram_take_pages(part.fd, &sram, LOOM_ROW_BYTES, 0x9,
					  DRM_LOOM_DIRECTION_DEFAULT, LOOM_ROW_BYTES, &other));
	blob = loom_plan_blob_bound(part.info.lanes, 1, 1, &size);
	plan = loom_client_plan(&part, blob, size);
	ASSERT_NE(0, plan);
	bound = part;
	bound.in = in.handle;
	bound.out = other.handle;
	EXPECT_EQ(-EINVAL, loom_client_run(&bound, plan, 2, 0));
	bound.out = out.handle;
	EXPECT_EQ(0, loom_client_run(&bound, plan, 2, 0));
	EXPECT_EQ(0, loom_bo_wait(part.fd, out.handle, loom_soon()));
	EXPECT_EQ(1, jobs_of(&part));
	loom_client_close(&part);
}

/* Contexts come, run and go in many threads, beside jobs that have the whole device. */
static int storm_one(uint64_t seed)
{
	struct loom_client part, whole;
	uint32_t i, plan;

	for (i = 0; i < loom_effort(20); i++) {
		uint32_t lanes = 1 + loom_random_below(&seed, 2);

		if (loom_client_open(&whole) || open_part(&part, lanes, 0))
			return 1;
		/* an endless one would not let others run without turns */
		plan = loom_takes_turns(part.fd) && loom_random_below(&seed, 2) ?
			       loom_client_plan_endless(&part) : loom_client_plan_busy(&part);
		if (!plan || loom_client_run(&part, plan, 2, 0))
			return 2;
		plan = loom_client_plan_unary(&whole, DRM_LOOM_UNARY_ABS);
		if (!plan || loom_client_run(&whole, plan, 2, 0))
			return 3;
		if (loom_bo_wait(whole.fd, whole.out, loom_soon()))
			return 4;
		if (loom_random_below(&seed, 2))
			loom_context_destroy(part.fd, part.context);
		loom_client_close(&part);
		loom_client_close(&whole);
	}
	return 0;
}

TEST_F_TIMEOUT(lanes, storm, 600)
{
	pid_t children[4];
	uint32_t i;
	int status;

	for (i = 0; i < 4; i++) {
		children[i] = loom_fork();
		ASSERT_GE(children[i], 0);
		if (!children[i])
			_exit(storm_one(i + 1));
	}
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(children[i], waitpid(children[i], &status, 0));
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(0, WEXITSTATUS(status));
	}
	EXPECT_TRUE(loom_device_works());
}

/* Return: 1: ended without error, 0: has not ended, -errno: ended with that error. */
static int fence_status(int file)
{
	struct sync_file_info info = {};
	int ret = loom_call(file, SYNC_IOC_FILE_INFO, &info);

	return ret ?: info.status;
}

TEST_F_TIMEOUT(lanes, jobs_end_when_the_device_goes, 300)
{
	uint32_t rounds = loom_effort(6), round, i, plan, sync;
	struct loom_client clients[3];
	int files[3];

	if (!loom_can_unbind())
		SKIP(return, "no soft device, or not the right to unbind it");
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < 3; i++) {
			/* the third one has no lanes of its own */
			ASSERT_EQ(0, i < 2 ? open_part(&clients[i], 1, 0) :
				  loom_client_open(&clients[i]));
			plan = loom_client_plan_endless(&clients[i]);
			sync = loom_sync_create(clients[i].fd, 0);
			ASSERT_NE(0, plan);
			ASSERT_EQ(0, loom_client_run(&clients[i], plan, 2, sync));
			files[i] = loom_sync_export(clients[i].fd, sync);
			ASSERT_LE(0, files[i]);
		}
		usleep(round * 3000);
		ASSERT_EQ(0, loom_unbind());
		for (i = 0; i < 3; i++) {
			EXPECT_EQ(-ENODEV, fence_status(files[i]));
			close(files[i]);
			loom_client_close(&clients[i]);
		}
		ASSERT_EQ(0, loom_bind());
		ASSERT_EQ(0, open_part(&clients[0], self->lanes, 0));
		EXPECT_TRUE(computes(&clients[0]));
		loom_client_close(&clients[0]);
	}
}

TEST(a_device_without_partitions_refuses_them)
{
	struct drm_loom_context_create args;
	struct drm_loom_device_info info;
	int fd = loom_open();
	uint32_t plan;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, loom_query_device(fd, &info));
	if (info.flags & DRM_LOOM_DEVICE_LANES)
		SKIP(return, "the device has partitions");
	EXPECT_EQ(-EOPNOTSUPP, create(fd, DRM_LOOM_PRIORITY_NORMAL, 1, 0, &args));
	EXPECT_EQ(-EOPNOTSUPP, create(fd, DRM_LOOM_PRIORITY_NORMAL, 0, 0x1, &args));
	EXPECT_EQ(-EINVAL, create(fd, DRM_LOOM_PRIORITY_NORMAL, info.lanes + 1, 0, &args));
	EXPECT_EQ(0, create(fd, DRM_LOOM_PRIORITY_NORMAL, 0, 0, &args));
	if (info.lanes > 1)
		EXPECT_EQ(-EBADMSG, loom_plan_create_null(fd, info.lanes - 1, &plan));
	close(fd);
}
