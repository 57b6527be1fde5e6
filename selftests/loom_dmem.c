// SPDX-License-Identifier: GPL-2.0
/*
 * Control groups with the dmem controller: charges of a group, its limit (dmem.max), and that a
 * group at its limit takes nothing from others. Skips where the kernel has no such controller, or
 * where it cannot be used.
 */
#include "loom_selftest.h"
#include <sys/mount.h>
#include <sys/stat.h>

#define BYTES		(64 * 1024)
/* The DRAM and the SRAM, which all presets have and no more. */
#define REGIONS		2
#define BUFFERS		4

FIXTURE(dmem)
{
	/* where the hierarchy is mounted, and a group of ours in it */
	char root[32], group[64];
	char region[REGIONS][64];
	struct loom_client client;
	/* charge of each of its two buffers: whole pages */
	uint64_t bytes;
	uint32_t theirs[BUFFERS];
	struct loom_client others;
};

/* -------------------------------------------------------------- the groups */

static int write_at(const char *folder, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return loom_write_file(path, text);
}

static char *read_at(const char *folder, const char *name)
{
	static char text[4096];
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return loom_read_file(path, text, sizeof(text)) ? NULL : text;
}

/* Where the controller is not, nothing stays mounted. */
static bool mount_groups(struct _test_data_dmem *self)
{
	const char *controllers;

	if (mount("none", self->root, "cgroup2", 0, NULL))
		return false;
	controllers = read_at(self->root, "cgroup.controllers");
	if (controllers && strstr(controllers, "dmem"))
		return true;
	umount(self->root);
	return false;
}

/* The figure behind the name of a region, -1 if there is none. */
static int64_t figure(struct _test_data_dmem *self, const char *folder, const char *name,
		      uint32_t region)
{
	const char *text = read_at(folder, name);
	size_t length = strlen(self->region[region]);

	while (text && *text) {
		if (!strncmp(text, self->region[region], length) && text[length] == ' ')
			return strtoll(text + length, NULL, 10);
		text = strchr(text, '\n');
		text += !!text;
	}
	return -1;
}

static int64_t used(struct _test_data_dmem *self, uint32_t region)
{
	return figure(self, self->group, "dmem.current", region);
}

static int limit(struct _test_data_dmem *self, uint32_t region, uint64_t bytes)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %llu", self->region[region], (unsigned long long)bytes);
	return write_at(self->group, "dmem.max", text);
}

static int enter(struct _test_data_dmem *self)
{
	return write_at(self->group, "cgroup.procs", "0");
}

static int leave(struct _test_data_dmem *self)
{
	return write_at(self->root, "cgroup.procs", "0");
}

/* The names of our regions; there may be others of other drivers. Return: how many there are. */
static int find_regions(struct _test_data_dmem *self)
{
	static const char * const ends[REGIONS] = { "/dram", "/sram" };
	char *line, *text = read_at(self->root, "dmem.capacity");
	int found = 0;
	uint32_t i;

	for (line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		char *end = strchr(line, ' ');

		if (!end || strncmp(line, "drm/loom", 8))
			continue;
		*end = 0;
		for (i = 0; i < REGIONS; i++) {
			if (strlen(line) < 5 || strcmp(end - 5, ends[i]))
				continue;
			snprintf(self->region[i], sizeof(self->region[i]), "%s", line);
			found++;
		}
	}
	return found;
}

/* ----------------------------------------------------------------- buffers */

static unsigned char pattern(uint32_t seed, uint64_t at)
{
	return at * 7 + (at >> 8) * 13 + seed * 31 + 1;
}

static int fill(int fd, uint32_t handle, uint32_t seed)
{
	unsigned char *map = loom_bo_map(fd, handle, BYTES);
	uint64_t i;

	if (map == MAP_FAILED)
		return -errno;
	for (i = 0; i < BYTES; i++)
		map[i] = pattern(seed, i);
	return munmap(map, BYTES);
}

static int64_t differ(int fd, uint32_t handle, uint32_t seed)
{
	unsigned char *map = loom_bo_map(fd, handle, BYTES);
	int64_t wrong = 0;
	uint64_t i;

	if (map == MAP_FAILED)
		return -errno;
	for (i = 0; i < BYTES; i++)
		wrong += map[i] != pattern(seed, i);
	munmap(map, BYTES);
	return wrong;
}

static uint32_t evicted(int fd, const uint32_t *handles, uint32_t count)
{
	struct drm_loom_bo_info info;
	uint32_t found = 0, i;

	for (i = 0; i < count; i++)
		found += loom_bo_info(fd, handles[i], &info) || info.flags & DRM_LOOM_BO_EVICTED;
	return found;
}

/* Nothing of the others was evicted or changed. */
static bool others_have_all(struct _test_data_dmem *self)
{
	bool good = !evicted(self->others.fd, self->theirs, BUFFERS);
	uint32_t i;

	for (i = 0; i < BUFFERS; i++)
		good &= !differ(self->others.fd, self->theirs[i], 100 + i);
	return good;
}

/* Return: -errno of BO_CREATE, and why there was no room. */
static int refused(int fd, uint64_t size, uint32_t region, uint32_t *reason)
{
	struct drm_loom_no_space record = {};
	struct drm_loom_bo_create args = {
		.size = size,
		.region = region,
		.no_space = (uintptr_t)&record,
		.no_space_size = sizeof(record),
	};
	int ret = loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &args);

	*reason = record.reason;
	return ret;
}

/* ------------------------------------------------------------------- tests */

FIXTURE_SETUP(dmem)
{
	uint32_t i;

	snprintf(self->root, sizeof(self->root), "/tmp/loom-dmem-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->root));
	if (!mount_groups(self)) {
		rmdir(self->root);
		SKIP(return, "no cgroup2 with the dmem controller, or not the right to mount it");
	}
	ASSERT_EQ(0, write_at(self->root, "cgroup.subtree_control", "+dmem"));
	ASSERT_EQ(REGIONS, find_regions(self));
	snprintf(self->group, sizeof(self->group), "%s/loom-%d", self->root, getpid());
	ASSERT_EQ(0, mkdir(self->group, 0755));
	ASSERT_EQ(0, loom_client_open(&self->others));
	for (i = 0; i < BUFFERS; i++) {
		ASSERT_EQ(0, loom_bo_create(self->others.fd, BYTES, DRM_LOOM_REGION_DRAM,
					    &self->theirs[i]));
		ASSERT_EQ(0, fill(self->others.fd, self->theirs[i], 100 + i));
	}
	ASSERT_EQ(0, enter(self));
	ASSERT_EQ(0, loom_client_open(&self->client));
	self->bytes = (self->client.bytes + LOOM_PAGE - 1) / LOOM_PAGE * LOOM_PAGE;
}

FIXTURE_TEARDOWN(dmem)
{
	loom_client_close(&self->client);
	loom_client_close(&self->others);
	if (self->group[0]) {
		EXPECT_EQ(0, leave(self));
		EXPECT_EQ(0, rmdir(self->group));
	}
	EXPECT_EQ(0, umount(self->root));
	EXPECT_EQ(0, rmdir(self->root));
}

TEST_F(dmem, a_group_is_charged_for_what_is_in_a_region)
{
	const int64_t before = 2 * self->bytes;
	struct drm_loom_region_info info;
	uint32_t handle[REGIONS], i;

	for (i = 0; i < REGIONS; i++) {
		ASSERT_EQ(0, loom_query_region(self->client.fd, i, &info));
		EXPECT_EQ(info.banks * info.total_bytes,
			  figure(self, self->root, "dmem.capacity", i));
	}
	EXPECT_EQ(before, used(self, DRM_LOOM_REGION_DRAM));
	EXPECT_EQ(0, used(self, DRM_LOOM_REGION_SRAM));
	for (i = 0; i < REGIONS; i++)
		ASSERT_EQ(0, loom_bo_create(self->client.fd, LOOM_PAGE, i, &handle[i]));
	EXPECT_EQ(before + LOOM_PAGE, used(self, DRM_LOOM_REGION_DRAM));
	EXPECT_EQ(LOOM_PAGE, used(self, DRM_LOOM_REGION_SRAM));
	for (i = 0; i < REGIONS; i++)
		ASSERT_EQ(0, loom_bo_close(self->client.fd, handle[i]));
	EXPECT_EQ(before, used(self, DRM_LOOM_REGION_DRAM));
	EXPECT_EQ(0, used(self, DRM_LOOM_REGION_SRAM));
}

TEST_F(dmem, a_group_at_its_limit_evicts_its_own)
{
	uint32_t handle[BUFFERS], i;

	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_DRAM, 2 * BYTES));
	for (i = 0; i < BUFFERS; i++) {
		ASSERT_EQ(0, loom_bo_create(self->client.fd, BYTES, DRM_LOOM_REGION_DRAM,
					    &handle[i]));
		ASSERT_EQ(0, fill(self->client.fd, handle[i], i));
		EXPECT_LE(used(self, DRM_LOOM_REGION_DRAM), 2 * BYTES);
	}
	EXPECT_EQ(2, evicted(self->client.fd, handle, 2));
	EXPECT_EQ(0, evicted(self->client.fd, handle + 2, 2));
	for (i = 0; i < BUFFERS; i++)
		EXPECT_EQ(0, differ(self->client.fd, handle[i], i));
	EXPECT_TRUE(others_have_all(self));
}

/* The first bank and the second: no address of the one is in the way of the other. */
TEST_F(dmem, a_limit_does_not_depend_on_banks)
{
	uint64_t mask[2] = { 1, 2 };
	struct drm_loom_bo_create args[2];
	uint32_t i;

	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_DRAM, BYTES));
	for (i = 0; i < 2; i++) {
		args[i] = (struct drm_loom_bo_create) {
			.size = BYTES, .bank_mask = (uintptr_t)&mask[i], .bank_mask_words = 1,
		};
		ASSERT_EQ(0, loom_call(self->client.fd, DRM_IOCTL_LOOM_BO_CREATE, &args[i]));
	}
	EXPECT_EQ(1, evicted(self->client.fd, &args[0].handle, 1));
	EXPECT_EQ(0, evicted(self->client.fd, &args[1].handle, 1));
}

/* Others are not evicted for what could not have room anyway. */
TEST_F(dmem, more_than_the_limit_is_refused)
{
	uint32_t reason, i;

	for (i = 0; i < REGIONS; i++) {
		ASSERT_EQ(0, limit(self, i, LOOM_PAGE));
		EXPECT_EQ(-ENOSPC, refused(self->client.fd, 2 * LOOM_PAGE, i, &reason));
		EXPECT_EQ(DRM_LOOM_NO_SPACE_LIMIT, reason);
		EXPECT_EQ(0, refused(self->client.fd, LOOM_PAGE, i, &reason));
	}
	EXPECT_TRUE(others_have_all(self));
	/* a buffer in the SRAM is not evicted for another one of its group */
	EXPECT_EQ(-ENOSPC, refused(self->client.fd, LOOM_PAGE, DRM_LOOM_REGION_SRAM, &reason));
	EXPECT_EQ(DRM_LOOM_NO_SPACE_LIMIT, reason);
	EXPECT_EQ(LOOM_PAGE, used(self, DRM_LOOM_REGION_SRAM));
}

TEST_F(dmem, a_job_runs_if_its_buffers_are_within_the_limit)
{
	uint32_t plan = loom_client_plan_unary(&self->client, DRM_LOOM_UNARY_ABS);
	uint64_t bytes = self->bytes;
	uint32_t spare;

	ASSERT_NE(0, plan);
	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_DRAM, 2 * bytes));
	/* one of the job's buffers has to go for it, and this one for the job */
	ASSERT_EQ(0, loom_bo_create(self->client.fd, bytes, DRM_LOOM_REGION_DRAM, &spare));
	EXPECT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	EXPECT_EQ(1, evicted(self->client.fd, &spare, 1));
	EXPECT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, loom_soon()));

	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_DRAM, 2 * bytes - 1));
	EXPECT_EQ(-ENOSPC, loom_client_run(&self->client, plan, 2, 0));
	EXPECT_TRUE(others_have_all(self));
	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_DRAM, 2 * bytes));
	EXPECT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	EXPECT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, loom_soon()));
}

/* Evicted while the job uses it, as for any other client. */
TEST_F_TIMEOUT(dmem, who_submits_is_charged_and_a_job_keeps_nobody, 60)
{
	uint32_t plan = loom_client_plan_busy(&self->client), handle;
	uint64_t bytes = self->bytes;

	ASSERT_NE(0, plan);
	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_DRAM, 2 * bytes));
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	ASSERT_EQ(0, loom_bo_create(self->client.fd, 2 * bytes, DRM_LOOM_REGION_DRAM, &handle));
	EXPECT_EQ(1, evicted(self->client.fd, &self->client.in, 1));
	EXPECT_EQ(0, loom_bo_wait(self->client.fd, self->client.out, loom_soon()));
}

struct looker {
	int fd;
	const uint32_t *handles;
	bool stop;
};

/* Locks the buffers again and again. */
static void *look(void *data)
{
	struct looker *looker = data;

	while (!__atomic_load_n(&looker->stop, __ATOMIC_ACQUIRE))
		evicted(looker->fd, looker->handles, BUFFERS);
	return NULL;
}

TEST_F_TIMEOUT(dmem, who_looks_at_buffers_does_not_keep_them, 60)
{
	uint32_t handle[BUFFERS], more, failed = 0, i;
	struct looker looker = { self->client.fd, handle };
	pthread_t thread;

	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_DRAM, BUFFERS * BYTES));
	for (i = 0; i < BUFFERS; i++)
		ASSERT_EQ(0, loom_bo_create(self->client.fd, BYTES, DRM_LOOM_REGION_DRAM,
					    &handle[i]));
	ASSERT_EQ(0, pthread_create(&thread, NULL, look, &looker));
	for (i = 0; i < loom_effort(500); i++) {
		/* as much as the limit, so all have to go */
		failed += !!loom_bo_create(self->client.fd, BUFFERS * BYTES, DRM_LOOM_REGION_DRAM,
					   &more);
		failed += !!loom_bo_close(self->client.fd, more);
		failed += !!loom_bo_create(self->client.fd, BYTES, DRM_LOOM_REGION_DRAM, &more);
		failed += !!loom_bo_close(self->client.fd, more);
	}
	__atomic_store_n(&looker.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, failed);
	EXPECT_TRUE(others_have_all(self));
}

/* A buffer that is being freed is charged until its job ends; an allocation waits for that. */
TEST_F_TIMEOUT(dmem, a_buffer_that_is_being_freed_is_waited_for, 60)
{
	uint32_t plan = loom_client_plan_busy(&self->client), handle;
	uint64_t bytes = self->bytes;

	ASSERT_NE(0, plan);
	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_DRAM, 2 * bytes));
	ASSERT_EQ(0, loom_client_run(&self->client, plan, 2, 0));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, self->client.in));
	ASSERT_EQ(0, loom_bo_close(self->client.fd, self->client.out));
	EXPECT_EQ(0, loom_bo_create(self->client.fd, 2 * bytes, DRM_LOOM_REGION_DRAM, &handle));
}

TEST_F(dmem, a_lower_limit_takes_effect_at_once)
{
	uint32_t handle[BUFFERS], sram, i;

	ASSERT_EQ(0, loom_bo_create(self->client.fd, LOOM_PAGE, DRM_LOOM_REGION_SRAM, &sram));
	for (i = 0; i < BUFFERS; i++) {
		ASSERT_EQ(0, loom_bo_create(self->client.fd, BYTES, DRM_LOOM_REGION_DRAM,
					    &handle[i]));
		ASSERT_EQ(0, fill(self->client.fd, handle[i], i));
	}
	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_DRAM, 2 * BYTES));
	EXPECT_LE(used(self, DRM_LOOM_REGION_DRAM), 2 * BYTES);
	EXPECT_EQ(2, evicted(self->client.fd, handle, BUFFERS));
	for (i = 0; i < BUFFERS; i++)
		EXPECT_EQ(0, differ(self->client.fd, handle[i], i));
	EXPECT_TRUE(others_have_all(self));
	/* but for the SRAM */
	ASSERT_EQ(0, limit(self, DRM_LOOM_REGION_SRAM, 0));
	EXPECT_EQ(0, evicted(self->client.fd, &sram, 1));
}

static int promise(struct _test_data_dmem *self, const char *folder, uint64_t bytes)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %llu", self->region[DRM_LOOM_REGION_DRAM],
		 (unsigned long long)bytes);
	return write_at(folder, "dmem.min", text);
}

/* Two groups below ours: to one of them its buffer is promised, the other fills the DRAM. */
TEST_F(dmem, what_was_promised_to_a_group_stays)
{
	struct drm_loom_region_info dram;
	uint32_t handle, half, whole;
	char one[80], two[80];

	snprintf(one, sizeof(one), "%s/one", self->group);
	snprintf(two, sizeof(two), "%s/two", self->group);
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_DRAM, &dram));
	/* a group with groups has no processes */
	ASSERT_EQ(0, leave(self));
	ASSERT_EQ(0, write_at(self->group, "cgroup.subtree_control", "+dmem"));
	ASSERT_EQ(0, mkdir(one, 0755));
	ASSERT_EQ(0, mkdir(two, 0755));
	ASSERT_EQ(0, promise(self, self->group, BYTES));
	ASSERT_EQ(0, promise(self, one, BYTES));
	ASSERT_EQ(0, write_at(one, "cgroup.procs", "0"));
	ASSERT_EQ(0, loom_bo_create(self->client.fd, BYTES, DRM_LOOM_REGION_DRAM, &handle));
	ASSERT_EQ(0, fill(self->client.fd, handle, 1));
	ASSERT_EQ(0, write_at(two, "cgroup.procs", "0"));
	EXPECT_EQ(0, loom_hollow_create(self->others.fd, dram.banks, dram.total_bytes / 2, BYTES,
					&half));
	EXPECT_EQ(-ENOSPC, loom_hollow_create(self->others.fd, dram.banks, dram.total_bytes, BYTES,
					      &whole));
	EXPECT_EQ(0, evicted(self->client.fd, &handle, 1));
	EXPECT_EQ(1, evicted(self->others.fd, &half, 1));
	EXPECT_EQ(0, differ(self->client.fd, handle, 1));
	/* without the promise it goes */
	EXPECT_EQ(0, promise(self, one, 0));
	EXPECT_EQ(0, loom_hollow_create(self->others.fd, dram.banks, dram.total_bytes, BYTES,
					&whole));
	EXPECT_EQ(1, evicted(self->client.fd, &handle, 1));
	EXPECT_EQ(0, differ(self->client.fd, handle, 1));
	EXPECT_EQ(0, leave(self));
	EXPECT_EQ(0, rmdir(one));
	EXPECT_EQ(0, rmdir(two));
}

/* A group may end before the buffers that it was charged for. */
TEST_F(dmem, a_buffer_outlives_its_group)
{
	uint32_t handle;

	ASSERT_EQ(0, loom_bo_create(self->client.fd, BYTES, DRM_LOOM_REGION_DRAM, &handle));
	ASSERT_EQ(0, fill(self->client.fd, handle, 1));
	ASSERT_EQ(0, leave(self));
	ASSERT_EQ(0, rmdir(self->group));
	self->group[0] = 0;
	EXPECT_EQ(0, differ(self->client.fd, handle, 1));
	EXPECT_EQ(0, loom_bo_close(self->client.fd, handle));
}
