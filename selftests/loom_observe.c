// SPDX-License-Identifier: GPL-2.0
/*
 * Figures in fdinfo, tracepoints and debugfs. Each one is compared with the figure that the ioctls
 * report.
 */
#include "loom_selftest.h"

#include <sys/stat.h>

#define TRACEFS		"/sys/kernel/tracing"
#define INSTANCE	TRACEFS "/instances/loom-selftest-%d"
#define DEBUGFS		"/sys/kernel/debug/accel"

/*
 * All of a file whose content changes with each read, with a zero at its end; freed by the caller.
 */
static char *read_text(const char *path)
{
	size_t size = 0, room = 1 << 20;
	char *text = malloc(room);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;

	while (fd >= 0 && text && size < room - 1 &&
	       (got = read(fd, text + size, room - 1 - size)) > 0)
		size += got;
	if (fd >= 0)
		close(fd);
	if (fd < 0 || !text || got < 0) {
		free(text);
		return NULL;
	}
	text[size] = 0;
	return text;
}

/* "loom-banks-REGION: 0-LAST BYTES": true if it is one range over all banks, and how many bytes. */
static bool fdinfo_banks(int fd, const char *region, uint32_t banks, uint64_t *bytes)
{
	unsigned long long first = 1, last = 0, value = 0;
	char text[16384], want[64], *at;
	int count = 0;

	if (loom_read_fdinfo(fd, text, sizeof(text)))
		return false;
	snprintf(want, sizeof(want), "\nloom-banks-%s:\t", region);
	at = strstr(text, want);
	if (at)
		count = sscanf(at + strlen(want), "%llu-%llu %llu\n", &first, &last, &value);
	*bytes = value;
	return count == 3 && !first && last == banks - 1;
}

FIXTURE(fdinfo)
{
	struct loom_client client;
};

FIXTURE_SETUP(fdinfo)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
}

FIXTURE_TEARDOWN(fdinfo)
{
	loom_client_close(&self->client);
}

TEST_F(fdinfo, follows_buffers_of_each_region)
{
	static const char * const names[DRM_LOOM_REGION_COUNT] = { "dram", "sram", "rom" };
	int64_t total, resident, shared;
	struct drm_loom_region_info info;
	struct drm_loom_bo_info bo;
	uint64_t before, with;
	uint32_t region, handle;
	char key[64];
	int fd = self->client.fd;

	EXPECT_LT(0, loom_fdinfo(fd, "drm-client-id"));
	for (region = UINT32_MAX; loom_next_region(fd, &region);) {
		ASSERT_EQ(0, loom_query_region(fd, region, &info));
		snprintf(key, sizeof(key), "drm-total-%s", names[region]);
		total = loom_fdinfo(fd, key);
		ASSERT_LE(0, total);
		ASSERT_TRUE(fdinfo_banks(fd, names[region], info.banks, &before));
		ASSERT_EQ(0, loom_bo_create(fd, 12345, region, &handle));
		ASSERT_EQ(0, loom_bo_info(fd, handle, &bo));
		/* the size for clients: whole pages of the processor */
		EXPECT_EQ(total + 4 * LOOM_PAGE, loom_fdinfo(fd, key));
		/* bytes in the banks, as BO_INFO says */
		ASSERT_TRUE(fdinfo_banks(fd, names[region], info.banks, &with));
		EXPECT_EQ(before + bo.bytes_per_bank, with);
		snprintf(key, sizeof(key), "drm-resident-%s", names[region]);
		resident = loom_fdinfo(fd, key);
		EXPECT_EQ(total + 4 * LOOM_PAGE, resident);
		snprintf(key, sizeof(key), "drm-shared-%s", names[region]);
		shared = loom_fdinfo(fd, key);
		EXPECT_EQ(0, shared);
		ASSERT_EQ(0, loom_bo_close(fd, handle));
		snprintf(key, sizeof(key), "drm-resident-%s", names[region]);
		EXPECT_EQ(resident - 4 * LOOM_PAGE, loom_fdinfo(fd, key));
		ASSERT_TRUE(fdinfo_banks(fd, names[region], info.banks, &with));
		EXPECT_EQ(before, with);
	}
}

TEST_F(fdinfo, says_what_is_shared)
{
	struct drm_prime_handle prime = { .handle = self->client.in, .flags = DRM_CLOEXEC };
	int fd = self->client.fd;
	int64_t shared = loom_fdinfo(fd, "drm-shared-dram");

	EXPECT_EQ(0, shared);
	ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	EXPECT_LE((int64_t)self->client.bytes, loom_fdinfo(fd, "drm-shared-dram"));
	close(prime.fd);
}

/* So nobody's bytes in a bank are counted twice, and no list is walked for them. */
TEST_F(fdinfo, banks_count_for_the_file_that_has_made_a_buffer)
{
	struct drm_prime_handle prime = { .handle = self->client.in, .flags = DRM_CLOEXEC };
	int fd = self->client.fd, other = loom_open();
	struct drm_loom_region_info info;
	uint64_t own, made, imported;

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_DRAM, &info));
	ASSERT_TRUE(fdinfo_banks(fd, "dram", info.banks, &own));
	EXPECT_NE(0, own);
	ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	ASSERT_EQ(0, loom_call(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime));
	EXPECT_NE(0, loom_fdinfo(other, "drm-total-dram"));
	ASSERT_TRUE(fdinfo_banks(other, "dram", info.banks, &imported));
	EXPECT_EQ(0, imported);
	ASSERT_TRUE(fdinfo_banks(fd, "dram", info.banks, &made));
	EXPECT_EQ(own, made);
	close(prime.fd);
	close(other);
}

TEST_F(fdinfo, counts_jobs_and_their_time)
{
	int fd = self->client.fd;
	uint32_t plan = loom_client_plan_busy(&self->client);
	struct drm_loom_context_query query;
	uint32_t i;

	ASSERT_NE(0, plan);
	EXPECT_EQ(0, loom_engine_ns(fd));
	EXPECT_EQ(0, loom_fdinfo(fd, "loom-jobs"));
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
		ASSERT_EQ(0, loom_bo_wait(fd, self->client.out, loom_soon()));
		EXPECT_EQ(i, loom_fdinfo(fd, "loom-jobs"));
		ASSERT_EQ(0, loom_context_query(fd, self->client.context, &query));
		EXPECT_EQ((int64_t)query.counters.busy_ns, loom_engine_ns(fd));
	}
	EXPECT_LT(0, loom_engine_ns(fd));
}

TEST_F_TIMEOUT(fdinfo, shows_a_job_that_still_runs, 120)
{
	int64_t first, end = loom_soon();
	int fd = self->client.fd;
	uint32_t plan = loom_client_plan_endless(&self->client);

	ASSERT_NE(0, plan);
	EXPECT_EQ(0, loom_fdinfo(fd, "drm-active-dram"));
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	do {
		usleep(10000);
		first = loom_engine_ns(fd);
	} while (first <= 0 && loom_now_ns() < end);
	EXPECT_LT(0, first);
	while (loom_engine_ns(fd) <= first && loom_now_ns() < end)
		usleep(10000);
	EXPECT_LT(first, loom_engine_ns(fd));
	EXPECT_EQ(-ETIME, loom_bo_wait(fd, self->client.out, 0));
	EXPECT_EQ(0, loom_fdinfo(fd, "loom-jobs"));
	EXPECT_LE(2 * (int64_t)self->client.bytes, loom_fdinfo(fd, "drm-active-dram"));
}

/* ------------------------------------------------------------- tracepoints */

FIXTURE(trace)
{
	char dir[128];
	struct loom_client client;
	int64_t id;
};

/* A trace buffer of its own, so that tracing by others is not disturbed. */
FIXTURE_SETUP(trace)
{
	char path[256];

	if (access(TRACEFS "/events/loom", F_OK))
		SKIP(return, "no tracefs, or no right to it");
	snprintf(self->dir, sizeof(self->dir), INSTANCE, getpid());
	ASSERT_EQ(0, mkdir(self->dir, 0700));
	snprintf(path, sizeof(path), "%s/events/loom/enable", self->dir);
	ASSERT_EQ(0, loom_write_file(path, "1"));
	ASSERT_EQ(0, loom_client_open(&self->client));
	self->id = loom_fdinfo(self->client.fd, "drm-client-id");
	ASSERT_LT(0, self->id);
}

FIXTURE_TEARDOWN(trace)
{
	if (!*self->dir)
		return;
	loom_client_close(&self->client);
	EXPECT_EQ(0, rmdir(self->dir));
}

#define traced(self, ...)							\
({										\
	char _want[256], _path[256], *_text;					\
	bool _found;								\
										\
	snprintf(_want, sizeof(_want), __VA_ARGS__);				\
	snprintf(_path, sizeof(_path), "%s/trace", (self)->dir);		\
	_text = read_text(_path);						\
	_found = _text && strstr(_text, _want);					\
	if (!_found)								\
		TH_LOG("no '%s' in: %s", _want, _text);				\
	free(_text);								\
	_found;									\
})

TEST_F(trace, a_buffer_comes_and_goes)
{
	struct drm_loom_bo_label label = { .size = 7, .ptr = (uintptr_t)"my name" };
	struct drm_loom_bo_info info;
	char block[128];
	uint32_t handle, context;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, loom_bo_create(self->client.fd, 98765, DRM_LOOM_REGION_SRAM, &handle));
	label.handle = handle;
	ASSERT_EQ(0, loom_bo_info(self->client.fd, handle, &info));
	snprintf(block, sizeof(block), "client=%lld region=1 start=0x%llx bytes=%llu label=\n",
		 (long long)self->id, (unsigned long long)info.address,
		 (unsigned long long)info.bytes_per_bank);
	EXPECT_TRUE(traced(self, "loom_alloc: dev="));
	EXPECT_TRUE(traced(self, "%s", block));
	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_LABEL, &label));
	EXPECT_TRUE(traced(self, "loom_label: dev="));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, handle));
	EXPECT_TRUE(traced(self, "loom_free: dev="));
	snprintf(block, sizeof(block), "start=0x%llx bytes=%llu label=my name\n",
		 (unsigned long long)info.address, (unsigned long long)info.bytes_per_bank);
	EXPECT_TRUE(traced(self, "%s", block));
}

TEST_F(trace, what_has_no_room_says_how_much_there_was)
{
	struct drm_loom_region_info sram;
	uint32_t handle, context;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	/* a buffer in the way of a second one that is as large as the region */
	ASSERT_EQ(0, loom_bo_create(self->client.fd, 4096, DRM_LOOM_REGION_SRAM, &handle));
	EXPECT_EQ(-ENOSPC, loom_bo_create(self->client.fd, sram.total_bytes / 4096 * 4096 *
					  sram.banks, DRM_LOOM_REGION_SRAM, &handle));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &sram));
	EXPECT_TRUE(traced(self, "client=%lld region=1 bytes=", (long long)self->id));
	EXPECT_TRUE(traced(self, "free=%llu largest=%llu\n", (unsigned long long)sram.free_bytes,
			   (unsigned long long)sram.largest_free_bytes));
}

TEST_F(trace, a_plan_a_job_and_its_end)
{
	uint32_t plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS), refused;
	struct drm_loom_reject reject = {};
	uint64_t size;
	void *blob;

	ASSERT_NE(0, plan);
	EXPECT_TRUE(traced(self, "client=%lld plan=%u steps=3 commands=3 scratch=",
			   (long long)self->id, plan));
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	ASSERT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, loom_soon()));
	EXPECT_TRUE(traced(self, "loom_submit: dev="));
	EXPECT_TRUE(traced(self, "loom_run: dev="));
	EXPECT_TRUE(traced(self, "loom_done: dev="));
	EXPECT_TRUE(traced(self, "error=0 busy_ns=%lld\n",
			   (long long)loom_engine_ns(self->client.fd)));

	blob = loom_plan_blob_null(self->client.info.lanes + 1, &size);
	ASSERT_EQ(-EBADMSG, loom_plan_create(self->client.fd, blob, size, &reject, &refused));
	free(blob);
	EXPECT_TRUE(traced(self, "client=%lld rule=%u\n", (long long)self->id, reject.rule));
}

/*
 * Allocates the DRAM twice over, so the first buffers have to be evicted. Only if the machine has
 * the memory.
 */
TEST_F_TIMEOUT(trace, what_is_evicted, 120)
{
	long available = sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
	struct drm_loom_region_info dram;
	struct drm_loom_bo_info info;
	uint64_t size, address;
	uint32_t handles[5], i;

	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_DRAM, &dram));
	size = dram.total_bytes / 4 / 4096 * 4096 * dram.banks;
	if (size * 6 > (uint64_t)available)
		SKIP(return, "not enough memory to fill the DRAM (topology=tiny)");
	address = 0;
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0,
			  loom_bo_create(self->client.fd, size, DRM_LOOM_REGION_DRAM, &handles[i]));
		ASSERT_EQ(0, loom_bo_info(self->client.fd, handles[i], &info));
		if (!i)
			address = info.address;
	}
	ASSERT_EQ(0, loom_bo_info(self->client.fd, handles[0], &info));
	EXPECT_EQ(DRM_LOOM_BO_EVICTED, info.flags);
	EXPECT_TRUE(traced(self, "loom_evict: dev="));
	EXPECT_TRUE(traced(self, "client=%lld region=0 start=0x%llx bytes=%llu label=\n",
			   (long long)self->id, (unsigned long long)address,
			   (unsigned long long)info.bytes_per_bank));
}

/* ----------------------------------------------------------------- debugfs */

FIXTURE(debugfs)
{
	char dir[300];
	struct loom_client client;
	int64_t id;
};

FIXTURE_SETUP(debugfs)
{
	DIR *dir = opendir(DEBUGFS);
	struct dirent *entry;
	char path[600];
	bool found = false;

	if (!dir)
		SKIP(return, "no debugfs, or no right to it");
	while (!found && (entry = readdir(dir))) {
		snprintf(self->dir, sizeof(self->dir), DEBUGFS "/%s", entry->d_name);
		snprintf(path, sizeof(path), "%s/plans", self->dir);
		found = !access(path, R_OK);
	}
	closedir(dir);
	ASSERT_TRUE(found);
	ASSERT_EQ(0, loom_client_open(&self->client));
	self->id = loom_fdinfo(self->client.fd, "drm-client-id");
}

FIXTURE_TEARDOWN(debugfs)
{
	loom_client_close(&self->client);
}

static char *read_debugfs(const char *dir, const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return read_text(path);
}

TEST_F(debugfs, memory_names_blocks_and_owners)
{
	struct drm_loom_bo_info info;
	uint32_t region, handle;
	struct drm_loom_bo_label label = { .size = 8, .ptr = (uintptr_t)"of debug" };
	char want[160], *text;

	for (region = UINT32_MAX; loom_next_region(self->client.fd, &region);) {
		ASSERT_EQ(0, loom_bo_create(self->client.fd, 54321, region, &handle));
		label.handle = handle;
		ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_LABEL, &label));
		ASSERT_EQ(0, loom_bo_info(self->client.fd, handle, &info));
		snprintf(want, sizeof(want),
			 "  0x%010llx..0x%010llx %12llu client %lld, pid %d (loom_observe), of debug\n",
			 (unsigned long long)info.address,
			 (unsigned long long)(info.address + info.bytes_per_bank),
			 (unsigned long long)info.bytes_per_bank, (long long)self->id, getpid());
		text = read_debugfs(self->dir, "memory");
		ASSERT_NE(NULL, text);
		EXPECT_NE(NULL, strstr(text, want)) {
			TH_LOG("no '%s' in: %s", want, text);
		}
		free(text);
	}
}

/* Two buffers at the same address, in different banks: both are seen. */
TEST_F(debugfs, banks_that_differ)
{
	uint64_t mask[2] = { 1, 2 };
	struct drm_loom_bo_info info[2];
	char want[160], *text, *at;
	unsigned int i;
	uint32_t context;

	/* the share of a small device would be too small */
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	for (i = 0; i < 2; i++) {
		struct drm_loom_bo_create args = {
			.size = 8192, .region = DRM_LOOM_REGION_SRAM, .bank_mask_words = 1,
			.bank_mask = (uintptr_t)&mask[i],
		};

		ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args));
		ASSERT_EQ(0, loom_bo_info(self->client.fd, args.handle, &info[i]));
	}
	ASSERT_EQ(info[0].address, info[1].address);
	snprintf(want, sizeof(want),
		 "  0x%010llx..0x%010llx %12u client %lld, pid %d (loom_observe), on some banks\n",
		 (unsigned long long)info[0].address, (unsigned long long)info[0].address + 8192,
		 8192, (long long)self->id, getpid());
	text = read_debugfs(self->dir, "memory");
	ASSERT_NE(NULL, text);
	at = strstr(text, "\n banks 0-1:\n");
	EXPECT_NE(NULL, at) {
		TH_LOG("memory: %s", text);
	}
	EXPECT_NE(NULL, at ? strstr(at, want) : NULL);
	EXPECT_NE(NULL, at ? strstr(at, "\n banks 2-") : NULL);
	free(text);
}

TEST_F(debugfs, a_block_outlives_the_file_it_was_made_on)
{
	struct drm_prime_handle prime = { .handle = self->client.in, .flags = DRM_CLOEXEC };
	char want[64], *text;

	ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	loom_client_close(&self->client);
	snprintf(want, sizeof(want), "client %lld, closed\n", (long long)self->id);
	text = read_debugfs(self->dir, "memory");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, want));
	free(text);
	close(prime.fd);
}

TEST_F_TIMEOUT(debugfs, plans_and_jobs, 120)
{
	uint32_t plan = loom_client_plan_endless(&self->client);
	int64_t end = loom_soon();
	char want[64], *text;
	bool runs = false;

	ASSERT_NE(0, plan);
	snprintf(want, sizeof(want), "  plan %u: 2 slots, ", plan);
	text = read_debugfs(self->dir, "plans");
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, want));
	free(text);
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	snprintf(want, sizeof(want), " of client %lld: 2 slots, ", (long long)self->id);
	do {
		text = read_debugfs(self->dir, "jobs");
		ASSERT_NE(NULL, text);
		runs = strstr(text, want) && strstr(text, "running\n") &&
		       strstr(text, ": 1 queued, 0 done, ");
		if (!runs && loom_now_ns() >= end)
			TH_LOG("jobs: %s", text);
		free(text);
		usleep(10000);
	} while (!runs && loom_now_ns() < end);
	EXPECT_TRUE(runs);
}

/* A thread reads debugfs all the time, while the device is unbound and bound and has a job. */
TEST_F_TIMEOUT(debugfs, read_while_the_device_goes, 120)
{
	static const char * const names[] = { "memory", "plans", "jobs" };
	uint32_t plan = loom_client_plan_endless(&self->client);
	unsigned int i;
	pid_t reader;

	ASSERT_NE(0, plan);
	if (!loom_can_unbind())
		SKIP(return, "no right to unbind");
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	reader = loom_fork();
	ASSERT_GE(reader, 0);
	if (!reader) {
		for (i = 0;; i++) {
			free(read_debugfs(self->dir, names[i % LOOM_ARRAY_SIZE(names)]));
			loom_fdinfo(self->client.fd, "drm-client-id");
		}
	}
	for (i = 0; i < 3; i++) {
		usleep(50000);
		ASSERT_EQ(0, loom_unbind());
		/* the files are removed with the device */
		EXPECT_EQ(NULL, read_debugfs(self->dir, "memory"));
		EXPECT_EQ(-1, loom_fdinfo(self->client.fd, "drm-client-id"));
		ASSERT_EQ(0, loom_bind());
	}
	kill(reader, SIGKILL);
	EXPECT_EQ(reader, waitpid(reader, NULL, 0));
	EXPECT_TRUE(loom_device_works());
}
