// SPDX-License-Identifier: GPL-2.0
/*
 * A storm: in a random order from a seed, four clients open and close the node, run jobs, fill the
 * memories, pass buffers to each other, run into the timeout, and are killed wherever they are; the
 * device is unbound and bound under them. Two bystanders run jobs all the while and compare every
 * result to the bit. In the end nothing is left: no block, no process, no reference to the module.
 *
 * LOOM_STORM_ROUNDS and LOOM_STORM_SEED come from the environment; without, it is a short one.
 */
#include "loom_selftest.h"

#include <linux/sync_file.h>
#include <sys/socket.h>

#define CLIENTS		4
#define BYSTANDERS	2
#define ROUNDS		300
#define PARAMETER	"/sys/module/loom/parameters/job_timeout_ms"
#define TIMEOUT_MS	"3000"
/* A client that has not done what it was told by then is stuck. */
#define STUCK_NS	(200 * LOOM_SECOND_NS)
/* Limits of a client, so that the machine itself does not run out of memory. */
#define EXHAUST_BYTES	(48ull << 20)
#define EXHAUST_HANDLES	256

enum action {
	/* by a client */
	JOBS, REOPEN, ENDLESS, EXHAUST_DRAM, EXHAUST_SRAM, EXPORT, IMPORT, TIMEOUT, RESERVE, MAP,
	ASK, CLIENT_ACTIONS,
	/* by the parent */
	KILL = CLIENT_ACTIONS, BIND, ACTIONS,
};

static const char *const action_name[] = {
	"jobs", "reopen", "endless", "exhaust DRAM", "exhaust SRAM", "export", "import", "timeout",
	"reserve", "map", "ask", "kill", "bind",
};

/* How often each is done, relative to the others. */
static const unsigned int action_weight[ACTIONS] = {
	30, 20, 15, 6, 8, 12, 12, 3, 8, 8, 8, 30, 5,
};

/* Written by everybody, read by the parent. */
struct tally {
	uint64_t done[ACTIONS];
	/* jobs that ended well, whose results were compared; and those that differed */
	uint64_t results, mismatches;
	uint64_t imports, timeouts;
	/* of the bystanders alone */
	uint64_t watched, refused, reopened, wronged;
	/* an errno that nobody documents, and where it came from */
	uint64_t odd;
	int odd_action, odd_errno;
	bool stop;
};

static struct tally *tally;
static bool can_bind;
/* where dma-bufs are passed on */
static int mail[2];

static void count(uint64_t *number)
{
	__atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------- a worker */

struct worker {
	struct loom_client client;
	uint32_t plan, endless;
	uint32_t *in, *out;
	uint32_t salt;
};

static void worker_close(struct worker *worker)
{
	if (worker->in)
		munmap(worker->in, worker->client.bytes);
	if (worker->out)
		munmap(worker->out, worker->client.bytes);
	loom_client_close(&worker->client);
	*worker = (struct worker) { .client.fd = -1, .salt = worker->salt };
}

static uint32_t *worker_map(struct worker *worker, uint32_t handle)
{
	void *map = loom_bo_map(worker->client.fd, handle, worker->client.bytes);

	return map == MAP_FAILED ? NULL : map;
}

static uint32_t worker_word(const struct worker *worker, uint32_t i)
{
	/* a finite float of either sign, so that its absolute value has other bits */
	return ((i * 2654435761u + worker->salt) & 0x807fffff) | 0x3f000000;
}

static int worker_plan(struct worker *worker, bool endless, uint32_t *plan)
{
	uint32_t lanes = worker->client.info.lanes;
	uint64_t size;
	void *blob = endless ? loom_plan_blob_work(lanes, 65536, 200, &size) :
			       loom_plan_blob_unary(lanes, DRM_LOOM_UNARY_ABS, &size);
	int ret = loom_plan_create(worker->client.fd, blob, size, NULL, plan);

	free(blob);
	return ret;
}

static int worker_open(struct worker *worker)
{
	uint32_t i, salt = worker->salt + 1;
	int ret;

	worker_close(worker);
	worker->salt = salt;
	ret = loom_client_open(&worker->client);
	if (!ret)
		ret = worker_plan(worker, false, &worker->plan);
	if (ret)
		return ret;
	worker->in = worker_map(worker, worker->client.in);
	worker->out = worker_map(worker, worker->client.out);
	if (!worker->in || !worker->out)
		return -ENODEV;
	for (i = 0; i < worker->client.bytes / 4; i++)
		worker->in[i] = worker_word(worker, i);
	return 0;
}

/* Waits for the fence of a syncobj, device or not. Return: 1, or the error of the fence. */
static int worker_fence(struct worker *worker, uint32_t sync, int timeout_ms)
{
	struct drm_syncobj_handle export = {
		.handle = sync,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
	};
	struct sync_file_info info = {};
	struct pollfd fence = { .events = POLLIN };
	int ret = loom_call(worker->client.fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export);

	if (ret)
		return ret;
	fence.fd = export.fd;
	if (poll(&fence, 1, timeout_ms) != 1)
		ret = -EPROTO;
	else
		ret = loom_call(fence.fd, SYNC_IOC_FILE_INFO, &info) ?: info.status;
	close(fence.fd);
	return ret;
}

/* Whether the device is gone: then mappings are of zeroes, and no result can be seen. */
static bool worker_gone(const struct worker *worker)
{
	struct drm_loom_device_info info;

	return loom_query_device(worker->client.fd, &info) == -ENODEV;
}

/* A job whose result is compared. Return: 0; -errno; -EBADE if it is wrong. */
static int worker_job(struct worker *worker)
{
	uint32_t sync = loom_sync_create(worker->client.fd, 0), i, wrong = 0;
	int ret;

	if (!sync)
		return -ENODEV;
	memset(worker->out, 0xff, worker->client.bytes);
	ret = loom_client_run(&worker->client, worker->plan, 2, sync);
	if (!ret)
		ret = worker_fence(worker, sync, STUCK_NS / LOOM_MSEC_NS);
	loom_sync_destroy(worker->client.fd, sync);
	if (ret != 1)
		return ret ?: -EPROTO;
	for (i = 0; i < worker->client.bytes / 4; i++)
		wrong += worker->out[i] != (worker_word(worker, i) & 0x7fffffff);
	if (wrong && worker_gone(worker))
		return -ENODEV;
	count(&tally->results);
	if (!wrong)
		return 0;
	count(&tally->mismatches);
	fprintf(stderr, "# %u of %llu words are wrong, the last is %08x\n", wrong,
		(unsigned long long)worker->client.bytes / 4,
		worker->out[worker->client.bytes / 4 - 1]);
	return -EBADE;
}

/* ------------------------------------------------------------------ bystanders */

static void bystander_run(unsigned int number)
{
	struct worker worker = { .client.fd = -1, .salt = number << 16 };
	int ret = -ENODEV;

	while (!__atomic_load_n(&tally->stop, __ATOMIC_RELAXED)) {
		if (ret == -ENODEV) {
			ret = worker_open(&worker);
			if (!ret)
				count(&tally->reopened);
		} else {
			ret = worker_job(&worker);
			if (!ret)
				count(&tally->watched);
		}
		switch (ret) {
		case 0:
		case -EBADE:
			break;
		case -ENODEV:
			usleep(2000);
			break;
		case -ENOSPC:
		case -ENOMEM:
		case -EDQUOT:
		case -EBUSY:
			/* others have taken all there is: later */
			count(&tally->refused);
			usleep(2000);
			if (!worker.out)
				ret = -ENODEV;
			break;
		default:
			count(&tally->wronged);
			fprintf(stderr, "# bystander %u: %s\n", number, strerror(-ret));
			ret = -ENODEV;
		}
	}
	worker_close(&worker);
	_exit(0);
}

/* --------------------------------------------------------------------- clients */

static int do_exhaust(struct worker *worker, uint32_t region, uint64_t *seed)
{
	uint32_t handles[EXHAUST_HANDLES], n = 0;
	uint64_t bytes = 0;
	int ret = 0;

	while (!ret && n < EXHAUST_HANDLES && bytes < EXHAUST_BYTES) {
		uint64_t size = 1 << (region == DRM_LOOM_REGION_SRAM ?
				      10 + loom_random_below(seed, 12) :
				      16 + loom_random_below(seed, 7));

		ret = loom_bo_create(worker->client.fd, size, region, &handles[n]);
		if (!ret)
			n++;
		bytes += size;
	}
	if (loom_random_below(seed, 2))
		ret = worker_job(worker) ?: ret;
	/* at times left to the end of the file */
	if (loom_random_below(seed, 4))
		while (n)
			loom_bo_close(worker->client.fd, handles[--n]);
	return ret;
}

static int do_export(struct worker *worker)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {};
	char byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes, .msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&msg);
	struct drm_prime_handle prime = {
		.handle = worker->client.in,
		.flags = DRM_RDWR | DRM_CLOEXEC,
	};
	int ret = loom_call(worker->client.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

	if (ret)
		return ret;
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &prime.fd, sizeof(int));
	/* if the mailbox is full it is not sent */
	sendmsg(mail[0], &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(prime.fd);
	return 0;
}

/* Takes a dma-buf out of the mailbox. Return: it, or -1. */
static int mail_take(void)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {};
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes, .msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *head;
	int fd = -1;

	if (recvmsg(mail[1], &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 1)
		return -1;
	head = CMSG_FIRSTHDR(&msg);
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(head), sizeof(int));
	return fd;
}

static int do_import(struct worker *worker)
{
	struct drm_prime_handle prime = { .fd = mail_take() };
	struct loom_job job;
	int ret;

	if (prime.fd < 0)
		return 0;
	ret = loom_call(worker->client.fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
	close(prime.fd);
	/* one of a device that was unbound is another driver's, and may not be taken */
	if (ret)
		return ret == -EINVAL || ret == -EOPNOTSUPP ? 0 : ret;
	count(&tally->imports);
	if (prime.handle == worker->client.in)
		return 0;
	loom_job_init(&job, &worker->client, worker->plan, 2, 0);
	job.bindings[0].handle = prime.handle;
	ret = loom_job_submit(worker->client.fd, &job);
	loom_bo_close(worker->client.fd, prime.handle);
	/* a buffer of a device that was unbound can be imported, but not be used by a job */
	return ret == -EINVAL ? 0 : ret;
}

static int do_endless(struct worker *worker, uint32_t sync)
{
	int ret = 0;

	if (!worker->endless)
		ret = worker_plan(worker, true, &worker->endless);
	return ret ?: loom_client_run(&worker->client, worker->endless, 2, sync);
}

/* The job is ended by the timeout, and its context is of no use any more. */
static int do_timeout(struct worker *worker)
{
	uint32_t sync = loom_sync_create(worker->client.fd, 0);
	int ret;

	if (!sync)
		return -ENODEV;
	ret = do_endless(worker, sync);
	if (ret)
		return ret;
	/* behind the endless jobs of others, each of which takes as long */
	ret = worker_fence(worker, sync, STUCK_NS / LOOM_MSEC_NS);
	if (ret == -ETIME)
		count(&tally->timeouts);
	if (ret != -ETIME && ret != -ECANCELED)
		return ret == 1 ? 0 : ret;
	ret = worker_job(worker);
	return ret == -ECANCELED ? 0 : ret ?: -EPROTO;
}

static int do_reserve(struct worker *worker)
{
	uint32_t lanes = worker->client.info.lanes;
	struct drm_loom_plan_create args = { .flags = DRM_LOOM_PLAN_RESERVE };
	void *blob = loom_plan_blob_unary(lanes, DRM_LOOM_UNARY_ABS, (uint64_t *)&args.size);
	int ret;

	args.ptr = (uintptr_t)blob;
	ret = loom_call(worker->client.fd, DRM_IOCTL_LOOM_PLAN_CREATE, &args);
	free(blob);
	/* for a privileged context only, where the driver says so */
	if (ret == -EACCES || ret == -EPERM)
		return 0;
	return ret ?: loom_plan_destroy(worker->client.fd, args.plan);
}

/* Mappings that are left to the end of the process, over buffers that are closed. */
static int do_map(struct worker *worker, uint64_t *seed)
{
	uint64_t size = 4096u << loom_random_below(seed, 6);
	uint32_t handle;
	char *map;
	int ret = loom_bo_create(worker->client.fd, size, loom_random_below(seed, 2), &handle);

	if (ret)
		return ret;
	map = loom_bo_map(worker->client.fd, handle, size);
	if (map != MAP_FAILED)
		memset(map, 0x5a, size);
	ret = loom_bo_close(worker->client.fd, handle);
	if (map != MAP_FAILED && loom_random_below(seed, 8))
		munmap(map, size);
	return ret;
}

static int do_ask(struct worker *worker)
{
	struct drm_loom_context_query query;
	struct drm_loom_block blocks[64];
	uint32_t type, size;
	int ret = loom_context_query(worker->client.fd, worker->client.context, &query);

	for (type = DRM_LOOM_QUERY_DEVICE; !ret && type <= DRM_LOOM_QUERY_NO_SPACE; type++) {
		size = sizeof(blocks);
		ret = loom_query(worker->client.fd, type,
				 type == DRM_LOOM_QUERY_FIT ? worker->plan : 0, blocks, &size);
	}
	return ret ?: loom_bo_wait(worker->client.fd, worker->client.out, 0);
}

static int client_do(struct worker *worker, enum action action, uint64_t *seed)
{
	uint32_t i, jobs;
	int ret = 0;

	switch (action) {
	case JOBS:
		jobs = 1 + loom_random_below(seed, 4);
		for (i = 0; !ret && i < jobs; i++)
			ret = worker_job(worker);
		return ret;
	case ENDLESS:
		return do_endless(worker, 0);
	case EXHAUST_DRAM:
		return do_exhaust(worker, DRM_LOOM_REGION_DRAM, seed);
	case EXHAUST_SRAM:
		return do_exhaust(worker, DRM_LOOM_REGION_SRAM, seed);
	case EXPORT:
		return do_export(worker);
	case IMPORT:
		return do_import(worker);
	case TIMEOUT:
		return can_bind ? do_timeout(worker) : 0;
	case RESERVE:
		return do_reserve(worker);
	case MAP:
		return do_map(worker, seed);
	case ASK:
		return do_ask(worker);
	default:
		return worker_open(worker);
	}
}

/* Errors that a client can get without anybody's fault but the storm's. */
static bool expected(int ret)
{
	switch (ret) {
	case 0:
	case -ENODEV:
	case -ENOSPC:
	case -ENOMEM:
	case -EDQUOT:
	case -EBUSY:
	case -ETIME:
	case -ECANCELED:
	case -EBADE:
		return true;
	}
	return false;
}

/* Does what it is told, byte by byte, until the pipe ends or it is killed. */
static void client(int orders, int answers, uint64_t seed)
{
	struct worker worker = { .client.fd = -1, .salt = seed };
	unsigned char action;

	while (read(orders, &action, 1) == 1) {
		int ret = 0;

		if (worker.client.fd < 0 || !worker.out)
			ret = worker_open(&worker);
		if (!ret)
			ret = client_do(&worker, action, &seed);
		if (!expected(ret)) {
			count(&tally->odd);
			tally->odd_action = action;
			tally->odd_errno = ret;
		}
		count(&tally->done[action]);
		if (ret == -ENODEV || ret == -ECANCELED || ret == -ETIME)
			worker_close(&worker);
		if (write(answers, &action, 1) != 1)
			break;
	}
	_exit(0);
}

/* ------------------------------------------------------------------- the storm */

struct child {
	pid_t pid;
	int orders, answers;
	/* has been told something that it has not answered */
	bool busy;
	enum action last;
};

static bool child_start(struct child *child, uint64_t seed)
{
	int orders[2], answers[2];

	if (pipe2(orders, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
		return false;
	*child = (struct child) { .orders = orders[1], .answers = answers[0] };
	child->pid = loom_fork();
	if (child->pid)
		goto out;
	close(orders[1]);
	close(answers[0]);
	client(orders[0], answers[1], seed);
out:
	close(orders[0]);
	close(answers[1]);
	return child->pid > 0;
}

/* Waits for its answer. */
static bool child_ready(struct child *child)
{
	struct pollfd answer = { .fd = child->answers, .events = POLLIN };
	unsigned char byte;

	if (!child->busy)
		return true;
	child->busy = false;
	return poll(&answer, 1, STUCK_NS / LOOM_MSEC_NS) == 1 &&
	       read(child->answers, &byte, 1) == 1;
}

static bool child_order(struct child *child, enum action action)
{
	unsigned char byte = action;

	child->busy = true;
	child->last = action;
	return write(child->orders, &byte, 1) == 1;
}

/* SIGKILL, wherever it is. It has to be gone soon. */
static bool child_kill(struct child *child)
{
	int64_t end = loom_now_ns() + STUCK_NS;
	pid_t ended;

	kill(child->pid, SIGKILL);
	do {
		ended = waitpid(child->pid, NULL, WNOHANG);
		if (!ended)
			usleep(500);
	} while (!ended && loom_now_ns() < end);
	close(child->orders);
	close(child->answers);
	return ended == child->pid;
}

static enum action pick_action(uint64_t *seed)
{
	unsigned int sum = 0, at, i;

	for (i = 0; i < ACTIONS; i++)
		sum += action_weight[i];
	at = loom_random_below(seed, sum);
	for (i = 0; at >= action_weight[i]; i++)
		at -= action_weight[i];
	return i;
}

static int rebind(void)
{
	return loom_unbind() ?: loom_bind();
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void print_tally(struct __test_metadata *_metadata, uint32_t rounds)
{
	unsigned int i;

	TH_LOG("%u rounds: %llu kills, %llu binds, %llu timeouts, %llu imports", rounds,
	       (unsigned long long)tally->done[KILL], (unsigned long long)tally->done[BIND],
	       (unsigned long long)tally->timeouts, (unsigned long long)tally->imports);
	for (i = 0; i < CLIENT_ACTIONS; i++)
		TH_LOG("  %s: %llu", action_name[i], (unsigned long long)tally->done[i]);
	TH_LOG("%llu results compared, %llu of them bystanders', %llu wrong",
	       (unsigned long long)tally->results, (unsigned long long)tally->watched,
	       (unsigned long long)tally->mismatches);
	TH_LOG("bystanders: %llu times opened, %llu times refused for lack of room, %llu wronged",
	       (unsigned long long)tally->reopened, (unsigned long long)tally->refused,
	       (unsigned long long)tally->wronged);
}

/* Whether the device is as if nobody had used it. */
static bool nothing_left(struct __test_metadata *_metadata)
{
	struct drm_loom_region_info region[DRM_LOOM_REGION_COUNT];
	struct drm_loom_device_info device;
	int64_t end = loom_soon();
	int fd = loom_open();
	uint32_t i;
	bool left;

	ASSERT_GE(fd, 0);
	do {
		left = false;
		for (i = 0; i < DRM_LOOM_REGION_COUNT; i++) {
			ASSERT_EQ(0, loom_query_region(fd, i, &region[i]));
			left |= region[i].blocks || region[i].scratch_bytes;
		}
		ASSERT_EQ(0, loom_query_device(fd, &device));
		left |= device.bo_bytes || device.plans_bytes;
	} while (left && loom_now_ns() < end && !usleep(10000));
	close(fd);
	if (left)
		TH_LOG("left: %llu bytes, of plans %llu, blocks %u and %u, scratch %llu",
		       device.bo_bytes, device.plans_bytes, region[0].blocks, region[1].blocks,
		       region[1].scratch_bytes);
	return !left;
}

/* Files that were closed are released by the kernel a little later. */
static int module_references(void)
{
	int64_t end = loom_soon();
	char text[16];
	int refs;

	do {
		if (loom_read_file("/sys/module/loom_soft/refcnt", text, sizeof(text)))
			return 0;
		refs = atoi(text);
	} while (refs && loom_now_ns() < end && !usleep(10000));
	return refs;
}

FIXTURE(storm)
{
};

FIXTURE_SETUP(storm)
{
}

FIXTURE_TEARDOWN(storm)
{
}

/* As many hours as it takes: the test itself finds stuck clients. */
TEST_F_TIMEOUT(storm, nothing_is_lost, 10000)
{
	uint32_t rounds = number("LOOM_STORM_ROUNDS", loom_effort(ROUNDS)), round;
	uint64_t seed = number("LOOM_STORM_SEED", loom_now_ns());
	struct child children[CLIENTS];
	pid_t watchers[BYSTANDERS];
	unsigned int i;
	int status, fd;

	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	ASSERT_NE(MAP_FAILED, tally);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, mail));
	TH_LOG("seed %llu", (unsigned long long)seed);
	can_bind = loom_can_unbind() && !loom_write_file(PARAMETER, TIMEOUT_MS) &&
		   !rebind();
	if (!can_bind)
		TH_LOG("cannot bind the device: no unbinding, no timeouts");
	for (i = 0; i < BYSTANDERS; i++) {
		watchers[i] = loom_fork();
		ASSERT_GE(watchers[i], 0);
		if (!watchers[i])
			bystander_run(i);
	}
	for (i = 0; i < CLIENTS; i++)
		ASSERT_TRUE(child_start(&children[i], seed + i));

	for (round = 0; round < rounds; round++) {
		enum action action = pick_action(&seed);
		struct child *child = &children[loom_random_below(&seed, CLIENTS)];

		if (action == BIND) {
			if (can_bind)
				ASSERT_EQ(0, rebind()) TH_LOG("round %u", round);
			count(&tally->done[BIND]);
		} else if (action == KILL) {
			if (!child->busy)
				child_order(child, loom_random_below(&seed, CLIENT_ACTIONS));
			usleep(loom_random_below(&seed, 20000));
			ASSERT_TRUE(child_kill(child)) {
				TH_LOG("round %u: a process in \"%s\" does not end", round,
				       action_name[child->last]);
			}
			count(&tally->done[KILL]);
			ASSERT_TRUE(child_start(child, seed + round));
		} else {
			ASSERT_TRUE(child_ready(child)) {
				TH_LOG("round %u: stuck in \"%s\"", round,
				       action_name[child->last]);
			}
			ASSERT_TRUE(child_order(child, action));
		}
		if (tally->odd) {
			TH_LOG("round %u: \"%s\" returned %d", round,
			       action_name[tally->odd_action], tally->odd_errno);
			EXPECT_EQ(0, tally->odd);
			break;
		}
		if (round % 1000 == 999)
			TH_LOG("%u rounds, %llu results", round + 1,
			       (unsigned long long)tally->results);
	}
	for (i = 0; i < CLIENTS; i++)
		EXPECT_TRUE(child_kill(&children[i]));

	__atomic_store_n(&tally->stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < BYSTANDERS; i++) {
		EXPECT_EQ(watchers[i], waitpid(watchers[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	while ((fd = mail_take()) >= 0)
		close(fd);
	print_tally(_metadata, round);
	EXPECT_EQ(0, tally->mismatches);
	EXPECT_EQ(0, tally->wronged);
	EXPECT_LT(0, tally->watched);
	EXPECT_TRUE(nothing_left(_metadata));
	EXPECT_EQ(0, module_references());
	if (can_bind) {
		/* as it is by default, for the tests after this one */
		EXPECT_EQ(0, loom_write_file(PARAMETER, "300000"));
		EXPECT_EQ(0, rebind());
	}
	EXPECT_TRUE(loom_device_works());
}
