// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: jobs of several contexts share the engine in time slices, by priority, then fairly between
 * clients, and what a job has in the scratch survives while others have their turn.
 *
 * Times are compared with what the engine did meanwhile, by counters, and with wide margins: a
 * machine that is emulated and busy does the same in another time.
 */
#include <linux/securebits.h>
#include <sys/resource.h>

#include "loom_selftest.h"

/* The default of the module, in ns. */
#define SLICE_NS	(10 * LOOM_MSEC_NS)

FIXTURE(turns)
{
	struct loom_client a, b;
};

FIXTURE_SETUP(turns)
{
	ASSERT_EQ(0, loom_client_open(&self->a));
	ASSERT_EQ(0, loom_client_open(&self->b));
	if (!loom_takes_turns(self->a.fd))
		SKIP(return, "jobs of this device take no turns");
}

FIXTURE_TEARDOWN(turns)
{
	loom_client_close(&self->a);
	loom_client_close(&self->b);
}

static uint64_t busy_ns(const struct loom_client *client, uint32_t context)
{
	struct drm_loom_context_query query = {};

	return loom_context_query(client->fd, context, &query) ? 0 : query.counters.busy_ns;
}

static void sleep_ms(uint32_t ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * LOOM_MSEC_NS };

	nanosleep(&time, NULL);
}

/* Until the engine has worked for @ns on jobs of @client. Return: whether it has, before long. */
static bool wait_engine(const struct loom_client *client, uint64_t ns)
{
	int64_t deadline = loom_soon();

	while (loom_engine_ns(client->fd) < ns) {
		if (loom_now_ns() > deadline)
			return false;
		sleep_ms(1);
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* ------------------------------------------------------------------- plans */

#define COPIES	5

static void add_binary(struct loom_builder *builder, uint32_t y, uint32_t a, uint32_t b)
{
	struct drm_loom_attr_binary attr = { .kind = DRM_LOOM_BINARY_ADD };

	loom_builder_step(builder);
	loom_builder_command(builder, DRM_LOOM_OP_BINARY, &attr, sizeof(attr), y, a);
	builder->views = realloc(builder->views, (builder->view_count + 1) *
				 sizeof(*builder->views));
	if (!builder->views)
		exit(KSFT_FAIL);
	loom_builder_view(builder, b);
	builder->commands[builder->command_count - 1].operands = 3;
}

/*
 * Slot 1 = slot 0, by way of x, -x, x, -x, x in the scratch, which are made first and summed up
 * last. In between there is work, @rounds times @repeat of it. Each byte that it has in the scratch
 * is kept over all of that, and looked at in the end. Exact for numbers that are whole.
 */
static void *blob_keeps(uint32_t lanes, uint32_t repeat, uint32_t rounds, uint64_t *size)
{
	struct drm_loom_attr_unary neg = { .kind = DRM_LOOM_UNARY_NEG };
	uint32_t in, out, copy[COPIES], work, y[2], i;
	struct loom_builder builder;
	uint64_t row;

	loom_builder_init(&builder, lanes, LOOM_COLUMNS);
	row = loom_builder_row_bytes(&builder);
	in = loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	out = loom_builder_slot(&builder, DRM_LOOM_SLOT_WRITE, 7, 7);
	for (i = 0; i < COPIES; i++)
		copy[i] = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, i * row, !!i, 6);
	work = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0, COPIES * row, 2, 2);
	for (i = 0; i < 2; i++)
		y[i] = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0,
					   (COPIES + 1 + i) * row, 3, 7);

	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_LOAD, NULL, 0, copy[0], in);
	loom_builder_step(&builder);
	for (i = 1; i < COPIES; i++)
		loom_builder_command(&builder, DRM_LOOM_OP_UNARY, &neg, sizeof(neg), copy[i],
				     copy[i - 1]);
	loom_builder_step(&builder);
	while (rounds--)
		loom_builder_sum(&builder, work, copy[0], repeat);
	add_binary(&builder, y[0], copy[0], copy[1]);
	for (i = 2; i < COPIES; i++)
		add_binary(&builder, y[(i + 1) % 2], y[i % 2], copy[i]);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_STORE, NULL, 0, out, y[COPIES % 2]);
	return loom_builder_finish(&builder, size);
}

static uint32_t plan_keeps(const struct loom_client *client, uint32_t rounds)
{
	uint64_t size;
	void *blob = blob_keeps(client->info.lanes, 64, rounds, &size);

	return loom_client_plan(client, blob, size);
}

/* How many rounds of blob_keeps() keep the engine of this machine busy for @ns, about. */
static uint32_t rounds_for(const struct loom_client *client, uint64_t ns)
{
	uint32_t plan = plan_keeps(client, 2), sync = loom_sync_create(client->fd, 0);
	uint64_t before = loom_engine_ns(client->fd), one;

	if (!plan || loom_client_run(client, plan, 2, sync) ||
	    loom_sync_wait(client->fd, sync, loom_soon()))
		return 0;
	loom_plan_destroy(client->fd, plan);
	one = (loom_engine_ns(client->fd) - before) / 2;
	return one && ns / one < 4000 ? ns / one + 1 : 4000;
}

/* ------------------------------------------------------------------- tests */

TEST_F(turns, a_short_job_does_not_wait_for_a_long_one)
{
	uint32_t endless = loom_client_plan_endless(&self->a);
	uint32_t plan = loom_client_plan_unary(&self->b, DRM_LOOM_UNARY_ABS);
	uint32_t sync = loom_sync_create(self->b.fd, 0), i;
	uint64_t others[15];
	float *in, *out;

	ASSERT_NE(0, endless);
	ASSERT_NE(0, plan);
	in = loom_bo_map(self->b.fd, self->b.in, self->b.bytes);
	out = loom_bo_map(self->b.fd, self->b.out, self->b.bytes);
	ASSERT_NE(MAP_FAILED, in);
	ASSERT_NE(MAP_FAILED, out);
	ASSERT_EQ(0, loom_client_run(&self->a, endless, 2, 0));
	ASSERT_TRUE(wait_engine(&self->a, 1));

	for (i = 0; i < LOOM_ARRAY_SIZE(others); i++) {
		in[i] = -1.0f - i;
		others[i] = loom_engine_ns(self->a.fd);
		ASSERT_EQ(0, loom_client_run(&self->b, plan, 2, sync));
		ASSERT_EQ(0, loom_sync_wait(self->b.fd, sync, loom_soon()));
		others[i] = loom_engine_ns(self->a.fd) - others[i];
		EXPECT_EQ(1.0f + i, out[i]);
	}
	qsort(others, LOOM_ARRAY_SIZE(others), sizeof(*others), compare);
	ksft_print_msg("meanwhile the long job had the engine for %llu us (median), %llu us\n",
		       (unsigned long long)others[LOOM_ARRAY_SIZE(others) / 2] / 1000,
		       (unsigned long long)others[LOOM_ARRAY_SIZE(others) - 1] / 1000);
	EXPECT_LT(others[LOOM_ARRAY_SIZE(others) / 2], 100 * SLICE_NS);
	/* and that one is still at it */
	EXPECT_EQ(-ETIME, loom_bo_wait(self->a.fd, self->a.out, 0));
}

#define JOBS	4

TEST_F(turns, the_scratch_survives_the_turns_of_others)
{
	struct loom_client clients[JOBS] = { self->a, self->b, self->a, self->b };
	uint32_t rounds = rounds_for(&self->a, 20 * SLICE_NS), i, j, round;
	uint32_t plans[2], syncs[JOBS];
	float *in[JOBS], *out[JOBS];

	ASSERT_NE(0, rounds);
	plans[0] = plan_keeps(&self->a, rounds);
	plans[1] = plan_keeps(&self->b, rounds);
	for (i = 0; i < JOBS; i++) {
		struct loom_client *client = &clients[i];

		if (i >= 2) {
			ASSERT_EQ(0, loom_context_create(client->fd, DRM_LOOM_PRIORITY_NORMAL,
							 &client->context));
			ASSERT_EQ(0, loom_bo_create(client->fd, client->bytes,
						    DRM_LOOM_REGION_DRAM, &client->in));
			ASSERT_EQ(0, loom_bo_create(client->fd, client->bytes,
						    DRM_LOOM_REGION_DRAM, &client->out));
		}
		in[i] = loom_bo_map(client->fd, client->in, client->bytes);
		out[i] = loom_bo_map(client->fd, client->out, client->bytes);
		ASSERT_NE(MAP_FAILED, in[i]);
		ASSERT_NE(MAP_FAILED, out[i]);
		syncs[i] = loom_sync_create(client->fd, 0);
		ASSERT_NE(0, plans[i % 2]);
	}
	for (round = 0; round < 3; round++) {
		uint64_t before[2] = { loom_engine_ns(self->a.fd), loom_engine_ns(self->b.fd) };
		uint64_t during[2];
		uint64_t whole;

		for (i = 0; i < JOBS; i++) {
			for (j = 0; j < clients[i].bytes / sizeof(float); j++)
				in[i][j] = (float)(1 + i * 100003 + round * 10007 + j % 4096);
			memset(out[i], 0, clients[i].bytes);
			ASSERT_EQ(0, loom_client_run(&clients[i], plans[i % 2], 2, syncs[i]));
		}
		/* the first one of a is not through when the first one of b has begun */
		ASSERT_EQ(0, loom_sync_wait(clients[0].fd, syncs[0], loom_soon()));
		during[1] = loom_engine_ns(self->b.fd) - before[1];
		for (i = 1; i < JOBS; i++)
			ASSERT_EQ(0, loom_sync_wait(clients[i].fd, syncs[i], loom_soon()));
		whole = loom_engine_ns(self->b.fd) - before[1];
		EXPECT_GT(during[1], whole / 8);
		for (i = 0; i < JOBS; i++)
			EXPECT_EQ(0, memcmp(in[i], out[i], clients[i].bytes));
	}
}

TEST_F(turns, more_contexts_are_not_more_time)
{
	uint32_t endless[2], i;
	uint64_t ns[2];

	endless[0] = loom_client_plan_endless(&self->a);
	endless[1] = loom_client_plan_endless(&self->b);
	ASSERT_EQ(0, loom_client_run(&self->a, endless[0], 2, 0));
	for (i = 1; i < JOBS; i++) {
		struct loom_client more = self->a;

		ASSERT_EQ(0, loom_context_create(more.fd, DRM_LOOM_PRIORITY_NORMAL,
						 &more.context));
		ASSERT_EQ(0, loom_bo_create(more.fd, more.bytes, DRM_LOOM_REGION_DRAM, &more.out));
		ASSERT_EQ(0, loom_client_run(&more, endless[0], 2, 0));
	}
	ASSERT_EQ(0, loom_client_run(&self->b, endless[1], 2, 0));
	ns[0] = loom_engine_ns(self->a.fd);
	ASSERT_TRUE(wait_engine(&self->b, 150 * SLICE_NS));
	ns[0] = loom_engine_ns(self->a.fd) - ns[0];
	ns[1] = loom_engine_ns(self->b.fd);
	ksft_print_msg("4 contexts of one client: %llu ms, 1 of another: %llu ms\n",
		       (unsigned long long)ns[0] / 1000000, (unsigned long long)ns[1] / 1000000);
	/* it would be 4 times as much, and a processor that is taken away counts, too */
	EXPECT_LT(ns[0], 3 * ns[1]);
	EXPECT_LT(ns[1], 3 * ns[0]);
}

/* From here on this process opens files as somebody else, with all that it may do. */
static int open_as(uid_t uid)
{
	if (geteuid() && uid)
		return -EPERM;
	return prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) || seteuid(uid) ? -errno : 0;
}

TEST_F(turns, more_files_are_not_more_time)
{
	struct loom_client more[3];
	uint64_t ns[2] = {};
	uint32_t i;

	if (geteuid())
		SKIP(return, "not allowed to be two users");
	loom_client_close(&self->b);
	ASSERT_EQ(0, open_as(65534));
	ASSERT_EQ(0, loom_client_open(&self->b));
	ASSERT_EQ(0, open_as(0));
	ASSERT_EQ(0, loom_client_run(&self->a, loom_client_plan_endless(&self->a), 2, 0));
	for (i = 0; i < LOOM_ARRAY_SIZE(more); i++) {
		ASSERT_EQ(0, loom_client_open(&more[i]));
		ASSERT_EQ(0, loom_client_run(&more[i], loom_client_plan_endless(&more[i]), 2, 0));
	}
	ASSERT_EQ(0, loom_client_run(&self->b, loom_client_plan_endless(&self->b), 2, 0));
	ASSERT_TRUE(wait_engine(&self->b, 1));
	ns[0] -= loom_engine_ns(self->a.fd);
	for (i = 0; i < LOOM_ARRAY_SIZE(more); i++)
		ns[0] -= loom_engine_ns(more[i].fd);
	ns[1] -= loom_engine_ns(self->b.fd);
	ASSERT_TRUE(wait_engine(&self->b, 150 * SLICE_NS));
	ns[0] += loom_engine_ns(self->a.fd);
	for (i = 0; i < LOOM_ARRAY_SIZE(more); i++) {
		ns[0] += loom_engine_ns(more[i].fd);
		/* files of the same user share its time */
		EXPECT_LT(2 * SLICE_NS, loom_engine_ns(more[i].fd));
		loom_client_close(&more[i]);
	}
	ns[1] += loom_engine_ns(self->b.fd);
	ksft_print_msg("4 files of one user: %llu ms, 1 of another: %llu ms\n",
		       (unsigned long long)ns[0] / 1000000, (unsigned long long)ns[1] / 1000000);
	/* it would be 4 times as much, and a processor that is taken away counts, too */
	EXPECT_LT(ns[0], 3 * ns[1]);
	EXPECT_LT(ns[1], 3 * ns[0]);
}

/* Beside a normal job without end, one of low priority ends. */
TEST_F_TIMEOUT(turns, low_priority_has_a_share, 120)
{
	uint32_t sync = loom_sync_create(self->b.fd, 0), plan;
	uint64_t ns[2];

	plan = plan_keeps(&self->b, rounds_for(&self->b, 4 * SLICE_NS));
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_context_destroy(self->b.fd, self->b.context));
	ASSERT_EQ(0, loom_context_create(self->b.fd, DRM_LOOM_PRIORITY_LOW, &self->b.context));
	ASSERT_EQ(0, loom_client_run(&self->a, loom_client_plan_endless(&self->a), 2, 0));
	ASSERT_TRUE(wait_engine(&self->a, 1));
	ns[0] = loom_engine_ns(self->a.fd);
	ns[1] = loom_engine_ns(self->b.fd);
	ASSERT_EQ(0, loom_client_run(&self->b, plan, 2, sync));
	EXPECT_EQ(0, loom_sync_wait(self->b.fd, sync, loom_soon()));
	EXPECT_EQ(-ETIME, loom_bo_wait(self->a.fd, self->a.out, 0));
	ns[0] = loom_engine_ns(self->a.fd) - ns[0];
	ns[1] = loom_engine_ns(self->b.fd) - ns[1];
	ksft_print_msg("normal: %llu ms, low: %llu ms\n", (unsigned long long)ns[0] / 1000000,
		       (unsigned long long)ns[1] / 1000000);
	EXPECT_LT(20 * ns[1], ns[0]);
}

/* Return: engine time of @low beside a job of @high, in percent of the time of that job. */
static uint32_t percent_beside(const struct loom_client *high, uint32_t plan,
			       const struct loom_client *low)
{
	uint32_t sync = loom_sync_create(high->fd, 0);
	uint64_t of_high = loom_engine_ns(high->fd), of_low = loom_engine_ns(low->fd);

	if (loom_client_run(high, plan, 2, sync) || loom_sync_wait(high->fd, sync, loom_soon()))
		return 1000;
	of_high = loom_engine_ns(high->fd) - of_high;
	of_low = loom_engine_ns(low->fd) - of_low;
	return of_high ? of_low * 100 / of_high : 1000;
}

TEST_F(turns, priority_goes_first)
{
	uint32_t endless = loom_client_plan_endless(&self->a), plan, percent[2];

	plan = plan_keeps(&self->b, rounds_for(&self->b, 100 * SLICE_NS));
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_context_destroy(self->a.fd, self->a.context));
	ASSERT_EQ(0, loom_context_create(self->a.fd, DRM_LOOM_PRIORITY_LOW, &self->a.context));
	ASSERT_EQ(0, loom_client_run(&self->a, endless, 2, 0));
	ASSERT_TRUE(wait_engine(&self->a, 1));
	percent[0] = percent_beside(&self->b, plan, &self->a);

	ASSERT_EQ(0, loom_context_destroy(self->b.fd, self->b.context));
	ASSERT_EQ(0, loom_context_create(self->b.fd, DRM_LOOM_PRIORITY_LOW, &self->b.context));
	percent[1] = percent_beside(&self->b, plan, &self->a);
	ksft_print_msg("a low one beside a normal one: %u %%, beside a low one: %u %%\n",
		       percent[0], percent[1]);
	EXPECT_LT(percent[0], 40);
	EXPECT_GT(percent[1], 33);
	EXPECT_LT(percent[1], 300);
}

TEST_F(turns, who_is_nice_gets_less)
{
	uint32_t plans[2];
	uint64_t ns[2];

	/* long, and in pieces that are short compared to the slice of who is nice */
	plans[0] = plan_keeps(&self->a, rounds_for(&self->a, 1000 * SLICE_NS));
	plans[1] = plan_keeps(&self->b, rounds_for(&self->b, 1000 * SLICE_NS));
	ASSERT_NE(0, plans[0]);
	ASSERT_NE(0, plans[1]);
	ASSERT_EQ(0, loom_client_run(&self->a, plans[0], 2, 0));
	/* from here to its end this process, one per test, is nice */
	ASSERT_EQ(0, setpriority(PRIO_PROCESS, 0, 10));
	ASSERT_EQ(0, loom_client_run(&self->b, plans[1], 2, 0));
	ns[1] = loom_engine_ns(self->b.fd);
	ASSERT_TRUE(wait_engine(&self->b, ns[1] + 1));
	ns[0] = loom_engine_ns(self->a.fd);
	ns[1] = loom_engine_ns(self->b.fd);
	ASSERT_TRUE(wait_engine(&self->a, ns[0] + 60 * SLICE_NS));
	ns[0] = loom_engine_ns(self->a.fd) - ns[0];
	ns[1] = loom_engine_ns(self->b.fd) - ns[1];
	ksft_print_msg("nice 0: %llu ms, nice 10: %llu ms\n", (unsigned long long)ns[0] / 1000000,
		       (unsigned long long)ns[1] / 1000000);
	EXPECT_NE(0, ns[1]);
	EXPECT_GT(2 * ns[0], 3 * ns[1]);
}

TEST_F(turns, a_closed_file_leaves_the_engine)
{
	uint32_t endless = loom_client_plan_endless(&self->a), rounds;
	uint64_t before, whole;
	uint32_t plan, sync;

	ASSERT_EQ(0, loom_client_run(&self->a, endless, 2, 0));
	ASSERT_TRUE(wait_engine(&self->a, 1));
	rounds = rounds_for(&self->b, 10 * SLICE_NS);
	plan = plan_keeps(&self->b, rounds);
	sync = loom_sync_create(self->b.fd, 0);
	loom_client_close(&self->a);
	before = loom_now_ns();
	whole = loom_engine_ns(self->b.fd);
	ASSERT_EQ(0, loom_client_run(&self->b, plan, 2, sync));
	ASSERT_EQ(0, loom_sync_wait(self->b.fd, sync, loom_soon()));
	whole = loom_engine_ns(self->b.fd) - whole;
	ksft_print_msg("%llu ms of the engine took %llu ms\n", (unsigned long long)whole / 1000000,
		       (unsigned long long)(loom_now_ns() - before) / 1000000);
	EXPECT_NE(0, busy_ns(&self->b, self->b.context));
	EXPECT_TRUE(loom_device_works());
}

/* The fence of a syncobj of another client, as a syncobj of this one. */
static int pass_sync(const struct loom_client *from, uint32_t sync, const struct loom_client *to,
		     uint32_t *passed)
{
	struct drm_syncobj_handle pass = { .handle = sync };
	int ret = loom_call(from->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &pass);

	if (ret)
		return ret;
	ret = loom_call(to->fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &pass);
	close(pass.fd);
	*passed = pass.handle;
	return ret;
}

/* A turn that would never come: beside a job of a higher priority that has no end. */
TEST_F(turns, jobs_of_a_closed_file_do_not_wait_for_their_turn)
{
	uint32_t endless[2], sync, syncs[2], passed[2], i;

	endless[0] = loom_client_plan_endless(&self->a);
	endless[1] = loom_client_plan_endless(&self->b);
	sync = loom_sync_create(self->a.fd, 0);
	ASSERT_EQ(0, loom_client_run(&self->a, endless[0], 2, sync));
	ASSERT_TRUE(wait_engine(&self->a, 1));
	ASSERT_EQ(0, loom_context_destroy(self->b.fd, self->b.context));
	ASSERT_EQ(0, loom_context_create(self->b.fd, DRM_LOOM_PRIORITY_LOW, &self->b.context));
	for (i = 0; i < 2; i++) {
		syncs[i] = loom_sync_create(self->b.fd, 0);
		ASSERT_EQ(0, loom_client_run(&self->b, endless[1], 2, syncs[i]));
		ASSERT_EQ(0, pass_sync(&self->b, syncs[i], &self->a, &passed[i]));
	}
	/* the first one may have begun, and the other is queued behind it */
	sleep_ms(20);
	loom_client_close(&self->b);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, loom_sync_wait(self->a.fd, passed[i], loom_soon()));
	EXPECT_EQ(-ETIME, loom_sync_wait(self->a.fd, sync, 0));
}
