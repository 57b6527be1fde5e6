// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation, and every copy from or to the client, of every ioctl fails once: the first, the
 * second, and so on until a call runs through without a failure. A call that fails returns ENOMEM
 * or EFAULT and leaves the state as it was before: memory of the device, caps, ids, contexts that
 * work. Nothing is leaked or used after it was freed, which an instrumented kernel would show.
 *
 * A call that makes something has made it when only the copy of its answer fails (EFAULT): DRM
 * copies that when the driver is done. The client does not know the id then, and closing the file
 * releases it.
 *
 * Needs FAULT_INJECTION, FAILSLAB and FAIL_PAGE_ALLOC in the kernel, else skips. Copies fail too,
 * if it has FAULT_INJECTION_USERCOPY.
 */
#include <setjmp.h>

#include "loom_selftest.h"

#define FAULTS	"/sys/kernel/debug/fail"

/* State of the device that others can see; a call that fails must not change it. */
struct state {
	struct drm_loom_device_info device;
	struct drm_loom_region_info region[DRM_LOOM_REGION_COUNT];
};

struct _test_data_fail_nth;

/* A call on the client's file; its results are in @self. */
typedef int (*call_fn)(FIXTURE_DATA(fail_nth) * self);

FIXTURE(fail_nth)
{
	struct loom_client client;
	/* another client, which looks at the state */
	int watch, nth;
	uint32_t plan, made, binary, timeline, exclusive;
	uint64_t point;
	/* compare only what does not change when buffers are evicted */
	bool moves;
	struct state before;
	/* before each call, without failures */
	call_fn prepare;
	struct drm_prime_handle prime;
	struct drm_loom_bo_create bo;
	void *blob, *map;
	uint64_t blob_size;
	struct loom_job job;
};

static int fault_setup(const char *kind)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), FAULTS "%s/ignore-gfp-wait", kind);
	ret = loom_write_file(path, "N");
	/* copies have no such flag */
	if (ret == -ENOENT)
		ret = 0;
	snprintf(path, sizeof(path), FAULTS "%s/verbose", kind);
	return ret ?: loom_write_file(path, "0");
}

static int state_read(FIXTURE_DATA(fail_nth) * self, struct state *state)
{
	uint32_t region;
	int ret;

	memset(state, 0, sizeof(*state));
	ret = loom_query_device(self->watch, &state->device);
	for (region = 0; !ret && region < DRM_LOOM_REGION_COUNT; region++) {
		struct drm_loom_region_info *info = &state->region[region];

		ret = loom_query_region(self->watch, region, info);
		if (!ret && self->moves && region == DRM_LOOM_REGION_DRAM)
			memset(info, 0, sizeof(*info));
	}
	return ret;
}

static void state_print(const char *when, const struct state *state)
{
	ksft_print_msg("%s: %llu bytes in buffers, DRAM %llu, SRAM %llu, scratch %llu\n", when,
		       state->device.bo_bytes, state->region[0].allocated_bytes,
		       state->region[1].allocated_bytes, state->region[1].scratch_bytes);
}

/* Jobs and contexts are released some time after they have ended. */
static bool state_same(FIXTURE_DATA(fail_nth) * self)
{
	int64_t end = loom_now_ns() + 20 * LOOM_SECOND_NS;
	struct state now;

	while (!state_read(self, &now)) {
		if (!memcmp(&now, &self->before, sizeof(now)))
			return true;
		if (loom_now_ns() > end) {
			state_print("before", &self->before);
			state_print("now", &now);
			return false;
		}
		usleep(1000);
	}
	return false;
}

FIXTURE_SETUP(fail_nth)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	/* so that buffers can be in the way of scratch, and the whole bank be reserved */
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &self->exclusive));
	self->watch = loom_open();
	ASSERT_GE(self->watch, 0);
	self->nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (self->nth < 0 || fault_setup("slab") || fault_setup("_page_alloc"))
		SKIP(return, "no fault injection in this kernel");
	loom_write_file(FAULTS "_page_alloc/min-order", "0");
	loom_write_file(FAULTS "_page_alloc/ignore-gfp-highmem", "N");
	if (fault_setup("_usercopy"))
		TH_LOG("no failing copies in this kernel");
	ASSERT_EQ(0, loom_rounds_create(self->client.fd, self->client.info.lanes,
					DRM_LOOM_UNARY_RELU, 3, &self->plan));
	self->binary = loom_sync_create(self->client.fd, DRM_SYNCOBJ_CREATE_SIGNALED);
	self->timeline = loom_sync_create(self->client.fd, 0);
	ASSERT_EQ(0, state_read(self, &self->before));
}

FIXTURE_TEARDOWN(fail_nth)
{
	loom_client_close(&self->client);
	if (self->watch >= 0)
		close(self->watch);
	free(self->blob);
}

/* Lets the n-th allocation or copy from now fail. */
static void fault_arm(int nth, int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(nth, text, length, 0) != length)
		abort();
}

/* Disarms; true if it went off. The failure may still be to come: then it hits this call. */
static bool fault_disarm(int nth)
{
	char text[16] = {};
	bool fired;

	while (pread(nth, text, sizeof(text) - 1, 0) < 1)
		;
	fired = text[0] == '0';
	while (pwrite(nth, "0", 1, 0) != 1)
		;
	return fired;
}

/*
 * Does @call with each of its failures in turn. It returns @want in the end, and @undo makes up for
 * it. After each failure the state is as before.
 */
static void fail_each(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) * self,
		      const char *name, int want, call_fn call, call_fn undo)
{
	/* calls of one loop fail alike: where a round is slow, one of several will do */
	int step = 100 / loom_effort(100), n, fired = 0, ret;
	bool again;

	for (n = 1, again = true; again; n += n < 100 ? 1 : step) {
		if (self->prepare)
			ASSERT_EQ(0, self->prepare(self));
		if (n == 1)
			ASSERT_EQ(0, state_read(self, &self->before));
		fault_arm(self->nth, n);
		ret = call(self);
		again = fault_disarm(self->nth);
		fired += again;
		EXPECT_TRUE(ret == want || (again && (ret == -ENOMEM || ret == -EFAULT))) {
			TH_LOG("%s: failure %d: %d", name, n, ret);
		}
		if (!ret && undo)
			EXPECT_EQ(0, undo(self));
		EXPECT_TRUE(state_same(self)) TH_LOG("%s: failure %d: %d", name, n, ret);
		ASSERT_LT(n, 3000);
	}
	EXPECT_EQ(want, ret);
	EXPECT_LT(0, fired) TH_LOG("%s", name);
	TH_LOG("%s: %d failures", name, fired);
}

/* A call that makes something on @fd; the id is in @self->made. */
typedef int (*make_fn)(FIXTURE_DATA(fail_nth) * self, int fd);

/*
 * Does @make with each of its failures in turn, on a new file each. The ids of a file are given
 * out from 1 on, so the next one tells whether anything was left.
 */
static void fail_each_make(struct __test_metadata *_metadata, FIXTURE_DATA(fail_nth) * self,
			   const char *name, make_fn make)
{
	int n, fired = 0, lost = 0, ret, fd;
	bool again;

	ASSERT_EQ(0, state_read(self, &self->before));
	for (n = 1, again = true; again; n++) {
		fd = loom_open();
		ASSERT_GE(fd, 0);
		fault_arm(self->nth, n);
		ret = make(self, fd);
		again = fault_disarm(self->nth);
		fired += again;
		EXPECT_TRUE(!ret || (again && (ret == -ENOMEM || ret == -EFAULT))) {
			TH_LOG("%s: failure %d: %d", name, n, ret);
		}
		if (ret) {
			if (ret == -ENOMEM)
				EXPECT_TRUE(state_same(self)) TH_LOG("%s: failure %d", name, n);
			EXPECT_EQ(0, make(self, fd)) TH_LOG("%s: failure %d", name, n);
			lost += self->made != 1;
			EXPECT_TRUE(self->made == 1 || (ret == -EFAULT && self->made == 2)) {
				TH_LOG("%s: failure %d: %d and id %u", name, n, ret, self->made);
			}
		}
		close(fd);
		EXPECT_TRUE(state_same(self)) TH_LOG("%s: failure %d: %d", name, n, ret);
		ASSERT_LT(n, 3000);
	}
	EXPECT_EQ(0, ret);
	EXPECT_LT(0, fired) TH_LOG("%s", name);
	TH_LOG("%s: %d failures, %d of them after it was made", name, fired, lost);
}

/* ----------------------------------------------------------------- buffers */

static int make_bo(FIXTURE_DATA(fail_nth) * self, int fd)
{
	struct drm_loom_bo_create args = self->bo;
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	self->made = args.handle;
	return ret;
}

TEST_F_TIMEOUT(fail_nth, bo_create, 120)
{
	uint64_t mask = 0x3;
	const struct {
		const char *name;
		struct drm_loom_bo_create args;
	} cases[] = {
		{ "64 KiB", { .size = 65536 } },
		{ "8 MiB", { .size = 8 << 20 } },
		/* twice in a file's share of the smallest device */
		{ "SRAM", {
			.size = 8192, .page_bytes = 512, .region = DRM_LOOM_REGION_SRAM,
		} },
		{ "SRAM on some banks", {
			.size = 4096, .page_bytes = 512, .region = DRM_LOOM_REGION_SRAM,
			.bank_mask = (uintptr_t)&mask, .bank_mask_words = 1,
		} },
		{ "an address per bank", {
			.size = 8192, .page_bytes = 512, .region = DRM_LOOM_REGION_SRAM,
			.flags = DRM_LOOM_BO_CREATE_PER_BANK,
		} },
		{ "image", {
			.layout = DRM_LOOM_LAYOUT_IMAGE, .width = 100, .height = 100,
			.dtype = DRM_LOOM_DTYPE_F16,
		} },
	};
	unsigned int i;

	for (i = 0; i < LOOM_ARRAY_SIZE(cases); i++) {
		self->bo = cases[i].args;
		fail_each_make(_metadata, self, cases[i].name, make_bo);
	}
}

static struct drm_loom_no_space no_space_record;

static int call_bo_too_large(FIXTURE_DATA(fail_nth) * self)
{
	struct drm_loom_bo_create args = {
		.size = 1ull << 60,
		.no_space = (uintptr_t)&no_space_record,
		.no_space_size = sizeof(no_space_record),
	};

	return loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args);
}

TEST_F(fail_nth, bo_create_without_room)
{
	fail_each(_metadata, self, "no space", -ENOSPC, call_bo_too_large, NULL);
}

static int call_bo_info(FIXTURE_DATA(fail_nth) * self)
{
	struct drm_loom_bo_info info;

	return loom_bo_info(self->client.fd, self->client.in, &info);
}

static int call_bo_wait(FIXTURE_DATA(fail_nth) * self)
{
	return loom_bo_wait(self->client.fd, self->client.in, loom_now_ns() + LOOM_MSEC_NS);
}

TEST_F(fail_nth, bo_info_and_wait)
{
	uint32_t plan = loom_client_plan_endless(&self->client);

	fail_each(_metadata, self, "BO_INFO", 0, call_bo_info, NULL);
	fail_each(_metadata, self, "BO_WAIT, idle", 0, call_bo_wait, NULL);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	fail_each(_metadata, self, "BO_WAIT, busy", -ETIME, call_bo_wait, NULL);
}

/* Buffers of a bank's half each: three of them are never in the device together. */
static int open_large(FIXTURE_DATA(fail_nth) * self, uint32_t *handle)
{
	struct drm_loom_region_info dram;
	int ret = loom_query_region(self->client.fd, DRM_LOOM_REGION_DRAM, &dram);
	uint32_t i;

	self->moves = true;
	self->bo = (struct drm_loom_bo_create) {
		.size = (dram.total_bytes * dram.banks / 16 * 7) & ~0xffffull,
	};
	if (!ret && dram.total_bytes * dram.banks > 64 << 20)
		return -ENODEV;
	for (i = 0; !ret && i < 3; i++)
		ret = loom_bo_create(self->client.fd, self->bo.size, DRM_LOOM_REGION_DRAM,
				     &handle[i]);
	return ret;
}

TEST_F_TIMEOUT(fail_nth, bo_create_evicts_another, 120)
{
	uint32_t handles[3], i;
	unsigned char *map[3];
	int ret = open_large(self, handles);

	if (ret == -ENODEV)
		SKIP(return, "needs a device with little memory (topology=tiny)");
	ASSERT_EQ(0, ret);
	for (i = 0; i < 3; i++) {
		map[i] = loom_bo_map(self->client.fd, handles[i], self->bo.size);
		ASSERT_NE(MAP_FAILED, map[i]);
		memset(map[i], 0x11 * (i + 1), self->bo.size);
	}
	fail_each_make(_metadata, self, "evicting", make_bo);
	for (i = 0; i < 3; i++) {
		uint64_t at, wrong = 0;

		for (at = 0; at < self->bo.size; at++)
			wrong += map[i][at] != 0x11 * (i + 1);
		EXPECT_EQ(0, wrong);
	}
}

/* ------------------------------------------------------ contexts and plans */

static int make_context(FIXTURE_DATA(fail_nth) * self, int fd)
{
	return loom_context_create(fd, DRM_LOOM_PRIORITY_LOW, &self->made);
}

static int make_partition(FIXTURE_DATA(fail_nth) * self, int fd)
{
	struct drm_loom_context_create args = { .priority = DRM_LOOM_PRIORITY_LOW, .lanes = 1 };
	int ret = loom_call(fd, DRM_IOCTL_LOOM_CONTEXT_CREATE, &args);

	self->made = args.context;
	return ret;
}

static int call_context_query(FIXTURE_DATA(fail_nth) * self)
{
	struct drm_loom_context_query query;

	return loom_context_query(self->client.fd, self->client.context, &query);
}

static int call_context_destroy(FIXTURE_DATA(fail_nth) * self)
{
	return loom_context_destroy(self->client.fd, self->made);
}

static int prepare_context(FIXTURE_DATA(fail_nth) * self)
{
	if (self->made)
		call_context_destroy(self);
	return make_context(self, self->client.fd);
}

TEST_F(fail_nth, contexts)
{
	fail_each_make(_metadata, self, "CONTEXT_CREATE", make_context);
	if (self->client.info.flags & DRM_LOOM_DEVICE_LANES)
		fail_each_make(_metadata, self, "CONTEXT_CREATE of lanes", make_partition);
	fail_each(_metadata, self, "CONTEXT_QUERY", 0, call_context_query, NULL);
	self->made = 0;
	self->prepare = prepare_context;
	fail_each(_metadata, self, "CONTEXT_DESTROY", 0, call_context_destroy, NULL);
	EXPECT_EQ(-ENOENT, call_context_destroy(self));
}

static int make_plan(FIXTURE_DATA(fail_nth) * self, int fd)
{
	struct drm_loom_reject reject;

	return loom_plan_create(fd, self->blob, self->blob_size, &reject, &self->made);
}

static int make_reserve(FIXTURE_DATA(fail_nth) * self, int fd)
{
	struct drm_loom_scratch_conflict conflict;
	struct drm_loom_plan_create args = {
		.ptr = (uintptr_t)self->blob,
		.size = self->blob_size,
		.flags = DRM_LOOM_PLAN_RESERVE,
		.conflict = (uintptr_t)&conflict,
		.conflict_size = sizeof(conflict),
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);

	self->made = args.plan;
	return ret;
}

static int call_plan_create(FIXTURE_DATA(fail_nth) * self)
{
	return make_plan(self, self->client.fd);
}

static int call_plan_reserve(FIXTURE_DATA(fail_nth) * self)
{
	return make_reserve(self, self->client.fd);
}

static int call_plan_destroy(FIXTURE_DATA(fail_nth) * self)
{
	return loom_plan_destroy(self->client.fd, self->made);
}

static void plan_blob(FIXTURE_DATA(fail_nth) * self, uint32_t rounds)
{
	self->blob = loom_plan_blob_rounds(self->client.info.lanes, DRM_LOOM_UNARY_RELU, rounds,
					   &self->blob_size);
}

TEST_F_TIMEOUT(fail_nth, plans, 120)
{
	plan_blob(self, 50);
	fail_each_make(_metadata, self, "PLAN_CREATE", make_plan);
	fail_each_make(_metadata, self, "PLAN_CREATE, reserving", make_reserve);
	ASSERT_EQ(0, call_plan_create(self));
	fail_each(_metadata, self, "PLAN_DESTROY", 0, call_plan_destroy, call_plan_create);
	EXPECT_EQ(0, call_plan_destroy(self));
	EXPECT_EQ(-ENOENT, call_plan_destroy(self));
	((struct drm_loom_plan_header *)self->blob)->lanes++;
	fail_each(_metadata, self, "PLAN_CREATE, refused", -EBADMSG, call_plan_create, NULL);
}

/* A plan whose only tensor lies at the very end of the SRAM. */
static void plan_top(FIXTURE_DATA(fail_nth) * self)
{
	struct loom_builder builder;
	uint32_t in, x;

	loom_builder_init(&builder, self->client.info.lanes, LOOM_COLUMNS);
	in = loom_builder_slot(&builder, DRM_LOOM_SLOT_READ, 0, 0);
	x = loom_builder_tensor(&builder, DRM_LOOM_REGION_SRAM, 0,
				self->before.region[DRM_LOOM_REGION_SRAM].total_bytes -
				loom_builder_row_bytes(&builder), 0, 0);
	loom_builder_step(&builder);
	loom_builder_command(&builder, DRM_LOOM_OP_LOAD, NULL, 0, x, in);
	self->blob = loom_builder_finish(&builder, &self->blob_size);
}

static int call_submit(FIXTURE_DATA(fail_nth) * self)
{
	return loom_job_submit(self->client.fd, &self->job);
}

TEST_F(fail_nth, scratch_that_is_taken)
{
	struct drm_loom_scratch_conflict conflict;
	uint32_t sram;

	plan_top(self);
	ASSERT_EQ(0, call_plan_create(self));
	ASSERT_EQ(0, loom_bo_create(self->client.fd, 64, DRM_LOOM_REGION_SRAM, &sram));
	fail_each(_metadata, self, "PLAN_CREATE, busy", -EBUSY, call_plan_reserve, NULL);
	loom_job_init(&self->job, &self->client, self->made, 1, 0);
	self->job.args.conflict = (uintptr_t)&conflict;
	self->job.args.conflict_size = sizeof(conflict);
	/* the id of the plan is in the job, call_plan_reserve() has overwritten ours */
	self->job.args.plan = 2;
	fail_each(_metadata, self, "SUBMIT, busy", -EBUSY, call_submit, NULL);
}

/* ------------------------------------------------------------------ queries */

static struct drm_loom_query query;

static int call_query(FIXTURE_DATA(fail_nth) * self)
{
	static unsigned char answer[65536];
	struct drm_loom_query args = query;

	args.ptr = (uintptr_t)answer;
	args.size = sizeof(answer);
	return loom_call(self->client.fd, DRM_IOCTL_LOOM_QUERY, &args);
}

/* A failed allocation must not be taken for "it fits not". */
static int call_fit_list(FIXTURE_DATA(fail_nth) * self)
{
	const struct drm_loom_bo_create one = {
		.size = 8192, .region = DRM_LOOM_REGION_SRAM, .flags = DRM_LOOM_BO_CREATE_PER_BANK,
	};
	struct drm_loom_fit_list list = { { sizeof(one), 1, (uintptr_t)&one } };
	struct drm_loom_query args = {
		.type = DRM_LOOM_QUERY_FIT_LIST, .ptr = (uintptr_t)&list, .size = sizeof(list),
	};

	return loom_call(self->client.fd, DRM_IOCTL_LOOM_QUERY, &args) ?:
	       list.flags == DRM_LOOM_FIT_NOW ? 0 : -EMSGSIZE;
}

TEST_F(fail_nth, queries)
{
	char name[32];

	fail_each(_metadata, self, "QUERY_FIT_LIST", 0, call_fit_list, NULL);
	/* a record for NO_SPACE */
	ASSERT_EQ(-ENOSPC, call_bo_too_large(self));
	for (query.type = 0; query.type <= DRM_LOOM_QUERY_NO_SPACE; query.type++) {
		query.index = query.type == DRM_LOOM_QUERY_FIT ? self->plan : 0;
		snprintf(name, sizeof(name), "QUERY %u", query.type);
		fail_each(_metadata, self, name, 0, call_query, NULL);
	}
	query = (struct drm_loom_query) { .type = DRM_LOOM_QUERY_BLOCKS, .stride = 64 };
	fail_each(_metadata, self, "QUERY with a stride", 0, call_query, NULL);
}

/* --------------------------------------------------------------------- jobs */

static int submit_done(FIXTURE_DATA(fail_nth) * self)
{
	return loom_bo_wait(self->client.fd, self->client.out, loom_soon());
}

static int call_submit_syncs(FIXTURE_DATA(fail_nth) * self)
{
	struct drm_loom_sync in = { .handle = self->binary };
	struct drm_loom_sync out[2] = {
		{ .handle = self->binary },
		{ .handle = self->timeline, .point = ++self->point },
	};
	struct loom_job *job = loom_job_init(&self->job, &self->client, self->plan, 2, 0);

	job->args.context = self->made;
	job->args.in_syncs = (struct drm_loom_array) { sizeof(in), 1, (uintptr_t)&in };
	job->args.out_syncs = (struct drm_loom_array) { sizeof(out[0]), 2, (uintptr_t)out };
	return loom_job_submit(self->client.fd, job);
}

/* The back end's part of a context is made with its first job and goes with the context. */
static int call_submit_undo(FIXTURE_DATA(fail_nth) * self)
{
	int ret = submit_done(self) ?: call_context_destroy(self);

	self->made = 0;
	return ret;
}

/* A new context. One whose job failed takes the same job again. */
static int prepare_submit(FIXTURE_DATA(fail_nth) * self)
{
	int ret = self->made ? call_submit_syncs(self) ?: call_submit_undo(self) : 0;

	return ret ?: make_context(self, self->client.fd);
}

TEST_F_TIMEOUT(fail_nth, submit, 120)
{
	self->prepare = prepare_submit;
	fail_each(_metadata, self, "SUBMIT", 0, call_submit_syncs, call_submit_undo);
	EXPECT_EQ(0, loom_sync_wait(self->client.fd, self->binary, loom_soon()));
}

TEST_F_TIMEOUT(fail_nth, submit_brings_buffers_in, 200)
{
	uint32_t handles[3];
	int ret = open_large(self, handles), n, fired = 0;
	bool again = true;

	if (ret == -ENODEV)
		SKIP(return, "needs a device with little memory (topology=tiny)");
	ASSERT_EQ(0, ret);
	for (n = 1; again; n++) {
		loom_job_init(&self->job, &self->client, self->plan, 2, 0);
		/* any two of them push the third one out */
		self->job.bindings[0].handle = handles[n % 3];
		self->job.bindings[1].handle = handles[(n + 1) % 3];
		fault_arm(self->nth, n);
		ret = call_submit(self);
		again = fault_disarm(self->nth);
		fired += again;
		EXPECT_TRUE(!ret || (again && (ret == -ENOMEM || ret == -EFAULT)))
			TH_LOG("failure %d: %d", n, ret);
		/* without a failure it works, and with the two others */
		self->job.bindings[1].handle = handles[(n + 2) % 3];
		EXPECT_EQ(0, call_submit(self)) TH_LOG("after failure %d", n);
		EXPECT_EQ(0, loom_bo_wait(self->client.fd, handles[(n + 2) % 3], loom_soon()));
		ASSERT_LT(n, 3000);
	}
	TH_LOG("SUBMIT, evicting: %d failures", fired);
}

/* ------------------------------------------------ files, mappings, dma-bufs */

static int call_open(FIXTURE_DATA(fail_nth) * self)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->client.fd);
	self->made = open(path, O_RDWR | O_CLOEXEC);
	return (int)self->made < 0 ? -errno : 0;
}

static int call_close(FIXTURE_DATA(fail_nth) * self)
{
	return close(self->made) ? -errno : 0;
}

TEST_F(fail_nth, open_and_close)
{
	int n;

	fail_each(_metadata, self, "open", 0, call_open, call_close);
	/* closing allocates nothing that must not fail; it always succeeds */
	for (n = 1; n <= 20; n++) {
		ASSERT_EQ(0, call_open(self));
		ASSERT_EQ(0, loom_bo_create(self->made, 4096, DRM_LOOM_REGION_DRAM, &self->plan));
		ASSERT_EQ(0, loom_context_create(self->made, 0, &self->plan));
		fault_arm(self->nth, n);
		EXPECT_EQ(0, call_close(self));
		fault_disarm(self->nth);
		EXPECT_TRUE(state_same(self));
	}
}

static sigjmp_buf bus_jump;

static void bus_handler(int signal)
{
	siglongjmp(bus_jump, signal);
}

static int call_mmap(FIXTURE_DATA(fail_nth) * self)
{
	self->map = mmap(NULL, self->client.bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			 self->client.fd, (off_t)self->point);
	if (self->map == MAP_FAILED)
		return -errno;
	if (sigsetjmp(bus_jump, 1)) {
		munmap(self->map, self->client.bytes);
		return -ENOMEM;
	}
	__atomic_fetch_add((uint32_t *)self->map, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add((uint32_t *)(self->map + self->client.bytes) - 1, 1, __ATOMIC_RELAXED);
	return 0;
}

static int call_munmap(FIXTURE_DATA(fail_nth) * self)
{
	return munmap(self->map, self->client.bytes) ? -errno : 0;
}

TEST_F(fail_nth, mmap_and_fault)
{
	struct drm_loom_bo_info info;

	signal(SIGBUS, bus_handler);
	signal(SIGSEGV, bus_handler);
	ASSERT_EQ(0, loom_bo_info(self->client.fd, self->client.in, &info));
	self->point = info.mmap_offset;
	fail_each(_metadata, self, "mmap and page faults", 0, call_mmap, call_munmap);
	ASSERT_EQ(0, call_mmap(self));
	/* earlier writes are still there */
	EXPECT_LT(1, *(uint32_t *)self->map);
	EXPECT_EQ(0, call_munmap(self));
}

static int call_write(FIXTURE_DATA(fail_nth) * self)
{
	return loom_bo_write(self->client.fd, self->client.in, 5, self->map, self->point);
}

static int call_read(FIXTURE_DATA(fail_nth) * self)
{
	return loom_bo_read(self->client.fd, self->client.in, 5, self->map, self->point);
}

TEST_F(fail_nth, copies)
{
	uint8_t bytes[2 * LOOM_PAGE] = { 0x3c };

	self->map = bytes;
	self->point = sizeof(bytes);
	fail_each(_metadata, self, "BO_WRITE", sizeof(bytes), call_write, NULL);
	bytes[0] = 0;
	fail_each(_metadata, self, "BO_READ", sizeof(bytes), call_read, NULL);
	EXPECT_EQ(0x3c, bytes[0]);
}

/* A handle that was exported keeps its dma-buf, so each time a new buffer. */
static int prepare_export(FIXTURE_DATA(fail_nth) * self)
{
	if (self->made)
		loom_bo_close(self->client.fd, self->made);
	return loom_bo_create(self->client.fd, 4096, DRM_LOOM_REGION_DRAM, &self->made);
}

static int call_export(FIXTURE_DATA(fail_nth) * self)
{
	int next = dup(self->client.fd), ret;

	close(next);
	self->prime.handle = self->made;
	self->prime.flags = DRM_RDWR | DRM_CLOEXEC;
	ret = loom_call(self->client.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &self->prime);
	/* the descriptor that the client was not told, if it was made */
	if (ret == -EFAULT)
		close(next);
	return ret;
}

static int call_export_undo(FIXTURE_DATA(fail_nth) * self)
{
	return close(self->prime.fd) ? -errno : 0;
}

static int make_import(FIXTURE_DATA(fail_nth) * self, int fd)
{
	struct drm_prime_handle args = { .fd = self->prime.fd };
	int ret = loom_call(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	self->made = args.handle;
	return ret;
}

static int call_import_own(FIXTURE_DATA(fail_nth) * self)
{
	return make_import(self, self->client.fd) ?: self->made == self->bo.handle ? 0 : -EPROTO;
}

TEST_F(fail_nth, dma_bufs)
{
	self->prepare = prepare_export;
	fail_each(_metadata, self, "export", 0, call_export, call_export_undo);
	self->prepare = NULL;
	ASSERT_EQ(0, call_export(self));
	self->bo.handle = self->made;
	fail_each(_metadata, self, "import by the same file", 0, call_import_own, NULL);
	fail_each_make(_metadata, self, "import by another file", make_import);
	close(self->prime.fd);
}

static int call_fdinfo(FIXTURE_DATA(fail_nth) * self)
{
	char path[64], text[4096];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->client.fd);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

TEST_F(fail_nth, fdinfo)
{
	fail_each(_metadata, self, "fdinfo", 0, call_fdinfo, NULL);
}
