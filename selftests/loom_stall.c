// SPDX-License-Identifier: GPL-2.0
/*
 * User memory that does not arrive. A client without privileges can have any pointer that it passes
 * refer to a page of a FUSE file whose server does not answer. The driver must not hold anything
 * there that others wait for: a device is unplugged meanwhile, the client's own or another one.
 */
#include "loom_selftest.h"

#include <linux/userfaultfd.h>

#define LATE_BYTES	(8 * LOOM_PAGE)

FIXTURE(stall)
{
	struct loom_client client;
	uint32_t plan, sync;
	/* a device that nobody uses */
	char bystander[32];
	int uffd;
	/* pages without a content, and the content that they shall have */
	char *late, *content;
};

struct call {
	const char *name;
	/* Fills in an argument of cmd, and the content of the pages. */
	void (*fill)(struct _test_data_stall *self, void *arg);
	unsigned long cmd;
	int want;
	/* the argument itself is late */
	bool whole;
};

static void fill_query(struct _test_data_stall *self, void *arg)
{
	*(struct drm_loom_query *)arg = (struct drm_loom_query) {
		.type = DRM_LOOM_QUERY_DEVICE,
		.ptr = (uintptr_t)self->late,
		.size = sizeof(struct drm_loom_device_info),
	};
}

static void fill_blocks(struct _test_data_stall *self, void *arg)
{
	*(struct drm_loom_query *)arg = (struct drm_loom_query) {
		.type = DRM_LOOM_QUERY_BLOCKS, .ptr = (uintptr_t)self->late, .size = LOOM_PAGE,
	};
}

static void fill_banks(struct _test_data_stall *self, void *arg)
{
	*(struct drm_loom_query *)arg = (struct drm_loom_query) {
		.type = DRM_LOOM_QUERY_BANKS, .ptr = (uintptr_t)self->late, .size = LOOM_PAGE,
	};
}

static void fill_fit(struct _test_data_stall *self, void *arg)
{
	*(struct drm_loom_query *)arg = (struct drm_loom_query) {
		.type = DRM_LOOM_QUERY_FIT,
		.index = self->plan,
		.ptr = (uintptr_t)self->late,
		.size = sizeof(struct drm_loom_fit),
	};
}

static void fill_last_no_space(struct _test_data_stall *self, void *arg)
{
	*(struct drm_loom_query *)arg = (struct drm_loom_query) {
		.type = DRM_LOOM_QUERY_NO_SPACE,
		.ptr = (uintptr_t)self->late,
		.size = sizeof(struct drm_loom_no_space),
	};
}

static void fill_mask(struct _test_data_stall *self, void *arg)
{
	*(uint64_t *)self->content = 1;
	*(struct drm_loom_bo_create *)arg = (struct drm_loom_bo_create) {
		.size = LOOM_PAGE, .bank_mask = (uintptr_t)self->late, .bank_mask_words = 1,
	};
}

static void fill_no_space(struct _test_data_stall *self, void *arg)
{
	*(struct drm_loom_bo_create *)arg = (struct drm_loom_bo_create) {
		.size = 1ull << 60,
		.no_space = (uintptr_t)self->late,
		.no_space_size = sizeof(struct drm_loom_no_space),
	};
}

static void fill_plan(struct _test_data_stall *self, void *arg)
{
	uint64_t size;
	void *blob = loom_plan_blob_unary(self->client.info.lanes, DRM_LOOM_UNARY_ABS, &size);

	memcpy(self->content, blob, size < LATE_BYTES ? size : LATE_BYTES);
	free(blob);
	*(struct drm_loom_plan_create *)arg = (struct drm_loom_plan_create) {
		.ptr = (uintptr_t)self->late, .size = size,
	};
}

static void fill_reject(struct _test_data_stall *self, void *arg)
{
	static const struct drm_loom_plan_header nothing;

	*(struct drm_loom_plan_create *)arg = (struct drm_loom_plan_create) {
		.ptr = (uintptr_t)&nothing,
		.size = sizeof(nothing),
		.reject = (uintptr_t)self->late,
		.reject_size = sizeof(struct drm_loom_reject),
	};
}

static struct drm_loom_submit *fill_submit(struct _test_data_stall *self, void *arg)
{
	static struct loom_job job;

	/* nothing that it points to changes from call to call */
	loom_job_init(&job, &self->client, self->plan, 2, self->sync);
	job.args.in_syncs.count = 0;
	*(struct drm_loom_submit *)arg = job.args;
	return arg;
}

static void fill_bindings(struct _test_data_stall *self, void *arg)
{
	struct drm_loom_array *bindings = &fill_submit(self, arg)->bindings;

	memcpy(self->content, (void *)(uintptr_t)bindings->ptr,
	       bindings->count * sizeof(struct drm_loom_binding));
	bindings->ptr = (uintptr_t)self->late;
}

static void fill_in_syncs(struct _test_data_stall *self, void *arg)
{
	struct drm_loom_submit *args = fill_submit(self, arg);

	args->in_syncs = (struct drm_loom_array) {
		.stride = sizeof(struct drm_loom_sync), .count = 1, .ptr = (uintptr_t)self->late,
	};
	*(struct drm_loom_sync *)self->content = (struct drm_loom_sync) { .handle = self->sync };
}

static void fill_out_syncs(struct _test_data_stall *self, void *arg)
{
	fill_submit(self, arg)->out_syncs.ptr = (uintptr_t)self->late;
	*(struct drm_loom_sync *)self->content = (struct drm_loom_sync) { .handle = self->sync };
}

static void fill_conflict(struct _test_data_stall *self, void *arg)
{
	struct drm_loom_submit *args = fill_submit(self, arg);

	args->conflict = (uintptr_t)self->late;
	args->conflict_size = sizeof(struct drm_loom_scratch_conflict);
}

static void fill_copy(struct _test_data_stall *self, void *arg)
{
	*(struct drm_loom_bo_copy *)arg = (struct drm_loom_bo_copy) {
		.handle = self->client.in, .size = 64, .ptr = (uintptr_t)self->late,
	};
}

static void fill_prime(struct _test_data_stall *self, void *arg)
{
	*(struct drm_prime_handle *)arg = (struct drm_prime_handle) { .handle = self->client.in };
}

/* A buffer of the device itself: its own handle is the answer. */
static void fill_import(struct _test_data_stall *self, void *arg)
{
	struct drm_prime_handle *prime = arg;

	fill_prime(self, prime);
	prime->flags = DRM_CLOEXEC;
	loom_call(self->client.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, prime);
}

static void fill_context(struct _test_data_stall *self, void *arg)
{
	*(struct drm_loom_context_create *)arg = (struct drm_loom_context_create) {
		.priority = DRM_LOOM_PRIORITY_NORMAL,
	};
}

static void fill_info(struct _test_data_stall *self, void *arg)
{
	*(struct drm_loom_bo_info *)arg = (struct drm_loom_bo_info) { .handle = self->client.in };
}

static const struct call calls[] = {
	{ "answer", fill_query, DRM_IOCTL_LOOM_QUERY, 0 },
	{ "blocks", fill_blocks, DRM_IOCTL_LOOM_QUERY, 0 },
	{ "banks", fill_banks, DRM_IOCTL_LOOM_QUERY, 0 },
	{ "fit", fill_fit, DRM_IOCTL_LOOM_QUERY, 0 },
	{ "last no-space record", fill_last_no_space, DRM_IOCTL_LOOM_QUERY, 0 },
	{ "bank mask", fill_mask, DRM_IOCTL_LOOM_BO_CREATE, 0 },
	{ "no-space record", fill_no_space, DRM_IOCTL_LOOM_BO_CREATE, -ENOSPC },
	{ "plan", fill_plan, DRM_IOCTL_LOOM_PLAN_CREATE, 0 },
	{ "reject record", fill_reject, DRM_IOCTL_LOOM_PLAN_CREATE, -EBADMSG },
	{ "conflict record", fill_conflict, DRM_IOCTL_LOOM_SUBMIT, -EBUSY },
	/* the buffer is in the scratch still, but that is found out later */
	{ "bindings", fill_bindings, DRM_IOCTL_LOOM_SUBMIT, -EBUSY },
	{ "in syncobjs", fill_in_syncs, DRM_IOCTL_LOOM_SUBMIT, -EBUSY },
	{ "out syncobjs", fill_out_syncs, DRM_IOCTL_LOOM_SUBMIT, -EBUSY },
	{ "read", fill_copy, DRM_IOCTL_LOOM_BO_READ, 0 },
	{ "write", fill_copy, DRM_IOCTL_LOOM_BO_WRITE, 0 },
	{ "argument of QUERY", fill_query, DRM_IOCTL_LOOM_QUERY, 0, true },
	{ "argument of BO_CREATE", fill_no_space, DRM_IOCTL_LOOM_BO_CREATE, -ENOSPC, true },
	{ "argument of BO_INFO", fill_info, DRM_IOCTL_LOOM_BO_INFO, 0, true },
	{ "argument of CONTEXT_CREATE", fill_context, DRM_IOCTL_LOOM_CONTEXT_CREATE, 0, true },
	{ "argument of SUBMIT", fill_conflict, DRM_IOCTL_LOOM_SUBMIT, -EBUSY, true },
	{ "argument of PRIME_HANDLE_TO_FD", fill_prime, DRM_IOCTL_PRIME_HANDLE_TO_FD, 0, true },
	{ "argument of PRIME_FD_TO_HANDLE", fill_import, DRM_IOCTL_PRIME_FD_TO_HANDLE, 0, true },
};

/* ------------------------------------------------------------------ pages */

static int late_open(struct _test_data_stall *self)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	self->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (self->uffd < 0)
		return -errno;
	self->late = mmap(NULL, LATE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	self->content = mmap(NULL, LATE_BYTES, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)self->late;
	range.range.len = LATE_BYTES;
	return loom_call(self->uffd, UFFDIO_API, &api) ?:
	       loom_call(self->uffd, UFFDIO_REGISTER, &range);
}

/* Whether somebody has touched the pages, sooner or later. */
static bool late_is_missed(const struct _test_data_stall *self)
{
	struct pollfd poll_uffd = { .fd = self->uffd, .events = POLLIN };
	struct uffd_msg msg;

	return poll(&poll_uffd, 1, LOOM_SOON_NS / LOOM_MSEC_NS) == 1 &&
	       read(self->uffd, &msg, sizeof(msg)) == sizeof(msg) &&
	       msg.event == UFFD_EVENT_PAGEFAULT;
}

static int late_arrive(const struct _test_data_stall *self)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)self->late,
		.src = (uintptr_t)self->content,
		.len = LATE_BYTES,
	};

	return loom_call(self->uffd, UFFDIO_COPY, &copy);
}

/* Nothing is there again. */
static void late_reset(struct _test_data_stall *self)
{
	madvise(self->late, LATE_BYTES, MADV_DONTNEED);
	memset(self->content, 0, LATE_BYTES);
}

/* ---------------------------------------------------------------- threads */

struct caller {
	int fd, ret;
	unsigned long cmd;
	void *arg;
	uint64_t space[64];
};

static void *run_caller(void *data)
{
	struct caller *caller = data;

	caller->ret = loom_call(caller->fd, caller->cmd, caller->arg);
	return NULL;
}

static int start_caller(struct _test_data_stall *self, const struct call *call,
			struct caller *caller, pthread_t *thread)
{
	*caller = (struct caller) {
		.fd = self->client.fd,
		.cmd = call->cmd,
		.arg = call->whole ? self->late : (void *)caller->space,
	};
	late_reset(self);
	call->fill(self, call->whole ? self->content : (void *)caller->space);
	return pthread_create(thread, NULL, run_caller, caller);
}

/* Takes a device away, in a thread of its own since that may not end. */
struct remover {
	const char *name;
	pthread_t thread;
	int ret, done;
};

static void *run_remover(void *data)
{
	struct remover *remover = data;

	remover->ret = remover->name ? config_set(remover->name, "live", 0) : loom_unbind();
	__atomic_store_n(&remover->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Return: milliseconds until the device was gone, -1: it did not go. */
static int64_t remove_device(struct remover *remover)
{
	int64_t start = loom_now_ns();

	if (pthread_create(&remover->thread, NULL, run_remover, remover))
		return -1;
	while (!__atomic_load_n(&remover->done, __ATOMIC_ACQUIRE)) {
		if (loom_now_ns() - start > LOOM_SOON_NS)
			return -1;
		usleep(1000);
	}
	return (loom_now_ns() - start) / LOOM_MSEC_NS;
}

/* ------------------------------------------------------------------ tests */

/* A client with a plan, in whose scratch it has a buffer. Return: 0 or -errno. */
static int open_client(struct _test_data_stall *self)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_region_info sram;
	struct drm_loom_bo_info info;
	uint32_t exclusive;
	int ret = loom_client_open(&self->client);

	if (!ret)
		ret = loom_exclusive(client->fd, &exclusive);
	if (!ret)
		ret = loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &sram);
	if (!ret)
		ret = loom_sram_take(client->fd, &sram, 1, 0, DRM_LOOM_DIRECTION_BOTTOM_UP, &info);
	if (ret)
		return ret;
	self->plan = loom_client_plan_unary(client, DRM_LOOM_UNARY_ABS);
	self->sync = loom_sync_create(client->fd, DRM_SYNCOBJ_CREATE_SIGNALED);
	return self->plan && self->sync ? 0 : -EINVAL;
}

FIXTURE_SETUP(stall)
{
	int ret;

	self->uffd = -1;
	ASSERT_EQ(0, open_client(self));
	ret = late_open(self);
	if (self->uffd < 0)
		SKIP(return, "no userfaultfd: %d", ret);
	ASSERT_EQ(0, ret);
	snprintf(self->bystander, sizeof(self->bystander), "stall-%d", getpid());
}

FIXTURE_TEARDOWN(stall)
{
	loom_client_close(&self->client);
	config_remove(self->bystander);
	if (self->uffd >= 0)
		close(self->uffd);
}

TEST_F(stall, another_device_is_unplugged)
{
	uint32_t i;

	if (!config_is_there() || config_make(self->bystander))
		SKIP(return, "no devices in configfs");
	for (i = 0; i < LOOM_ARRAY_SIZE(calls); i++) {
		struct remover remover = { .name = self->bystander };
		struct caller caller;
		pthread_t thread;
		int64_t msec;

		ASSERT_EQ(0, config_set(self->bystander, "live", 1));
		ASSERT_EQ(0, start_caller(self, &calls[i], &caller, &thread));
		EXPECT_TRUE(late_is_missed(self)) TH_LOG("%s", calls[i].name);
		msec = remove_device(&remover);
		EXPECT_LE(0, msec) TH_LOG("%s: the other device was not unplugged", calls[i].name);
		TH_LOG("%s: unplugged in %lld ms", calls[i].name, (long long)msec);
		ASSERT_EQ(0, late_arrive(self));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_EQ(0, pthread_join(remover.thread, NULL));
		EXPECT_EQ(0, remover.ret);
		EXPECT_EQ(calls[i].want, caller.ret) TH_LOG("%s", calls[i].name);
	}
}

/* The late pages arrive after the device is gone; the call must do nothing with it then. */
TEST_F(stall, the_device_itself_is_unplugged)
{
	uint32_t i;

	if (!loom_can_unbind())
		SKIP(return, "no soft device, or not the right to unbind it");
	for (i = 0; i < LOOM_ARRAY_SIZE(calls); i++) {
		struct remover remover = {};
		struct caller caller;
		pthread_t thread;
		int64_t msec;

		ASSERT_EQ(0, start_caller(self, &calls[i], &caller, &thread));
		EXPECT_TRUE(late_is_missed(self)) TH_LOG("%s", calls[i].name);
		msec = remove_device(&remover);
		EXPECT_LE(0, msec) TH_LOG("%s: the device was not unplugged", calls[i].name);
		ASSERT_EQ(0, late_arrive(self));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		ASSERT_EQ(0, pthread_join(remover.thread, NULL));
		EXPECT_EQ(0, remover.ret);
		/* nothing that needs the device has come to pass */
		if (calls[i].cmd == DRM_IOCTL_LOOM_PLAN_CREATE && !calls[i].want)
			EXPECT_EQ(-ENODEV, caller.ret) TH_LOG("%s", calls[i].name);
		if (calls[i].cmd == DRM_IOCTL_LOOM_SUBMIT)
			EXPECT_GT(0, caller.ret) TH_LOG("%s", calls[i].name);
		loom_client_close(&self->client);
		ASSERT_EQ(0, loom_bind());
		EXPECT_TRUE(loom_device_works());
		ASSERT_EQ(0, open_client(self));
	}
}
