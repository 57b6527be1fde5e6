// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a list of buffers would fit: the answer agrees with BO_CREATE, changes nothing, names own
 * buffers in the way, and tells no more of others than their neighbours do.
 */
#include <sys/wait.h>

#include "loom_selftest.h"

FIXTURE(fit)
{
	struct loom_client client;
	/* of the client: SRAM from the first byte on, and all of it */
	uint32_t exclusive;
	struct drm_loom_region_info sram;
};

FIXTURE_SETUP(fit)
{
	ASSERT_EQ(0, loom_client_open(&self->client));
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &self->exclusive));
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &self->sram));
	if (self->sram.blocks || self->sram.scratch_bytes)
		SKIP(return, "somebody else uses the device");
}

FIXTURE_TEARDOWN(fit)
{
	loom_client_close(&self->client);
}

/* A buffer of one page in each bank. */
static struct drm_loom_bo_create in_each(const struct drm_loom_region_info *region, uint32_t id,
					 uint64_t pages)
{
	uint32_t page = region->align_bytes > 4096 ? region->align_bytes : 4096;

	return (struct drm_loom_bo_create) {
		.size = pages * page * region->banks, .region = id, .page_bytes = page,
	};
}

static int ask(int fd, const struct drm_loom_bo_create *buffers, uint32_t count, uint32_t *own,
	       uint32_t room, struct drm_loom_fit_list *list)
{
	uint32_t size = sizeof(*list);

	*list = (struct drm_loom_fit_list) {
		.allocations = { sizeof(*buffers), count, (uintptr_t)buffers },
		.own = { sizeof(*own), room, (uintptr_t)own },
	};
	return loom_query(fd, DRM_LOOM_QUERY_FIT_LIST, 0, list, &size) ?:
	       size == sizeof(*list) ? 0 : -EMSGSIZE;
}

TEST_F(fit, a_list_that_is_none)
{
	struct drm_loom_bo_create one = in_each(&self->sram, DRM_LOOM_REGION_SRAM, 1), bad = one;
	struct drm_loom_fit_list list = {};
	const int fd = self->client.fd;
	uint32_t size = 0;

	EXPECT_EQ(0, loom_query(fd, DRM_LOOM_QUERY_FIT_LIST, 0, NULL, &size));
	EXPECT_EQ(sizeof(list), size);
	size = offsetof(struct drm_loom_fit_list, flags) - 1;
	EXPECT_EQ(-EINVAL, loom_query(fd, DRM_LOOM_QUERY_FIT_LIST, 0, &list, &size));
	size = sizeof(list);
	EXPECT_EQ(-EINVAL, loom_query(fd, DRM_LOOM_QUERY_FIT_LIST, 1, &list, &size));
	list.pad = 1;
	EXPECT_EQ(-EINVAL, loom_query(fd, DRM_LOOM_QUERY_FIT_LIST, 0, &list, &size));
	EXPECT_EQ(0, ask(fd, NULL, 0, NULL, 0, &list));
	EXPECT_EQ(DRM_LOOM_FIT_NOW, list.flags);
	EXPECT_EQ(-E2BIG, ask(fd, &one, DRM_LOOM_MAX_FIT + 1, NULL, 0, &list));
	EXPECT_EQ(-E2BIG, ask(fd, &one, 1, NULL, DRM_LOOM_MAX_FIT + 1, &list));
	EXPECT_EQ(-EFAULT, ask(fd, (void *)16, 1, NULL, 0, &list));
	bad.flags = DRM_LOOM_BO_CREATE_PER_BANK << 1;
	EXPECT_EQ(-EINVAL, ask(fd, &bad, 1, NULL, 0, &list));
	bad = one;
	bad.region = DRM_LOOM_REGION_COUNT;
	EXPECT_EQ(-EINVAL, ask(fd, &bad, 1, NULL, 0, &list));
	/* more than 64 bits do not fit, which is an answer */
	bad = one;
	bad.size = UINT64_MAX;
	EXPECT_EQ(0, ask(fd, &bad, 1, NULL, 0, &list));
	EXPECT_EQ(0, list.flags);
	EXPECT_EQ(ENOSPC, list.error);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_TOO_LARGE, list.no_space.reason);
}

TEST_F(fit, a_hole_between_own_buffers)
{
	const int fd = self->client.fd;
	uint64_t page = in_each(&self->sram, DRM_LOOM_REGION_SRAM, 1).page_bytes;
	uint64_t pages = self->sram.total_bytes / page;
	struct drm_loom_bo_create wanted[3];
	struct drm_loom_region_info before, after;
	struct drm_loom_bo_label label = { .size = 5, .ptr = (uintptr_t)"upper" };
	uint32_t handles[3], own[3] = {}, i;
	struct drm_loom_fit_list list;

	ASSERT_LE(8, pages);
	/* below, the middle, above; the middle is freed */
	for (i = 0; i < 3; i++) {
		wanted[i] = in_each(&self->sram, DRM_LOOM_REGION_SRAM, i == 1 ? 4 : 1);
		wanted[i].direction = DRM_LOOM_DIRECTION_BOTTOM_UP;
		ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &wanted[i]));
		handles[i] = wanted[i].handle;
	}
	ASSERT_EQ(0, loom_bo_close(fd, handles[1]));
	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_SRAM, &before));
	for (i = 0; i < 3; i++)
		wanted[i] = in_each(&self->sram, DRM_LOOM_REGION_SRAM, i ? 2 : pages - 6);
	ASSERT_EQ(0, ask(fd, wanted, 3, own, 3, &list));
	EXPECT_EQ(DRM_LOOM_FIT_NOW, list.flags);
	EXPECT_EQ(0, list.own.count);
	EXPECT_EQ(0, list.error);
	/* a page more */
	wanted[2] = in_each(&self->sram, DRM_LOOM_REGION_SRAM, 3);
	ASSERT_EQ(0, ask(fd, wanted, 3, own, 3, &list));
	EXPECT_EQ(0, list.flags);
	EXPECT_EQ(2, list.failed);
	EXPECT_EQ(ENOSPC, list.error);
	EXPECT_EQ(3 * page, list.no_space.bytes_per_bank);
	EXPECT_EQ(page, list.short_bytes);
	EXPECT_EQ(2, list.own.count);
	EXPECT_EQ(handles[0], own[0]);
	EXPECT_EQ(handles[2], own[1]);
	EXPECT_EQ(0, list.no_space.blocker[0]);
	/* the one with a name is named */
	label.handle = handles[2];
	ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_LOOM_BO_LABEL, &label));
	ASSERT_EQ(0, ask(fd, wanted, 3, own, 3, &list));
	EXPECT_STREQ("upper", list.no_space.blocker);
	EXPECT_EQ(page, list.no_space.blocker_bytes);
	/* with room for one, the number is told all the same */
	own[1] = 0x5a;
	ASSERT_EQ(0, ask(fd, wanted, 3, own, 1, &list));
	EXPECT_EQ(2, list.own.count);
	EXPECT_EQ(handles[0], own[0]);
	EXPECT_EQ(0x5a, own[1]);
	/* nothing has changed */
	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_SRAM, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
}

/* In the first two banks. */
static struct drm_loom_bo_create in_two(const uint64_t *mask, uint64_t bytes, uint32_t flags)
{
	return (struct drm_loom_bo_create) {
		.size = 2 * bytes, .region = DRM_LOOM_REGION_SRAM, .page_bytes = 4096,
		.bank_mask = (uintptr_t)mask, .bank_mask_words = 1, .flags = flags,
	};
}

TEST_F(fit, an_address_per_bank)
{
	static const uint64_t masks[] = { 1, 2, 3 };
	const uint64_t half = self->sram.total_bytes / 2 / 4096 * 4096;
	struct drm_loom_bo_create low, high, wanted[2], many[DRM_LOOM_MAX_FIT];
	struct drm_loom_region_info before, after;
	const int fd = self->client.fd;
	struct drm_loom_fit_list list;
	uint32_t own[2] = {}, i;

	if (half < 8192 || self->sram.banks < 2)
		SKIP(return, "the banks are too small");
	/* half of each bank is free, but not the same half */
	low = in_two(&masks[0], half / 2, 0);
	low.direction = DRM_LOOM_DIRECTION_BOTTOM_UP;
	high = in_two(&masks[1], half / 2, 0);
	high.direction = DRM_LOOM_DIRECTION_TOP_DOWN;
	ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &low));
	ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &high));
	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_SRAM, &before));
	wanted[0] = in_two(&masks[2], half, 0);
	ASSERT_EQ(0, ask(fd, wanted, 1, own, 2, &list));
	EXPECT_EQ(DRM_LOOM_NO_SPACE_LOCKSTEP, list.no_space.reason);
	wanted[0].flags = DRM_LOOM_BO_CREATE_PER_BANK;
	ASSERT_EQ(0, ask(fd, wanted, 1, own, 2, &list));
	EXPECT_EQ(DRM_LOOM_FIT_NOW, list.flags);
	/* beside one that leaves a page less in the second bank only, one page is missing there */
	wanted[0] = in_two(&masks[1], 2048, 0);
	wanted[1] = in_two(&masks[2], half, DRM_LOOM_BO_CREATE_PER_BANK);
	ASSERT_EQ(0, ask(fd, wanted, 2, own, 2, &list));
	EXPECT_EQ(1, list.failed);
	EXPECT_EQ(ENOSPC, list.error);
	EXPECT_EQ(DRM_LOOM_NO_SPACE_EXHAUSTED, list.no_space.reason);
	EXPECT_EQ(2, list.no_space.banks);
	EXPECT_EQ(half - (self->sram.total_bytes - half - 4096), list.short_bytes);
	EXPECT_EQ(2, list.own.count);
	EXPECT_EQ(low.handle, own[0]);
	EXPECT_EQ(high.handle, own[1]);
	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_SRAM, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
	/* as many addresses as there may be, and one buffer more */
	for (i = 0; i < DRM_LOOM_MAX_FIT; i++) {
		many[i] = in_each(&self->sram, DRM_LOOM_REGION_SRAM, 1);
		many[i].flags = DRM_LOOM_BO_CREATE_PER_BANK;
	}
	i = DRM_LOOM_MAX_FIT_ADDRESSES / self->sram.banks;
	EXPECT_EQ(0, ask(fd, many, i < DRM_LOOM_MAX_FIT ? i : DRM_LOOM_MAX_FIT, NULL, 0, &list));
	if (i < DRM_LOOM_MAX_FIT)
		EXPECT_EQ(-E2BIG, ask(fd, many, i + 1, NULL, 0, &list));
}

/* Half of the first bank, so that the caps on bytes of the host allow a few. */
static struct drm_loom_bo_create half(const struct drm_loom_region_info *dram, const uint64_t *mask)
{
	struct drm_loom_bo_create buffer = in_each(dram, DRM_LOOM_REGION_DRAM, 1);

	/* the client has small buffers there, too */
	buffer.size = (dram->total_bytes / buffer.page_bytes / 2 - 16) * buffer.page_bytes;
	buffer.bank_mask = (uintptr_t)mask;
	buffer.bank_mask_words = 1;
	return buffer;
}

TEST_F(fit, dram_with_evictions)
{
	static const uint64_t first_bank = 1;
	const int fd = self->client.fd;
	struct drm_loom_region_info dram;
	struct drm_loom_bo_create wanted[3];
	struct drm_loom_fit_list list;
	uint32_t own[2], i;

	ASSERT_EQ(0, loom_query_region(fd, DRM_LOOM_REGION_DRAM, &dram));
	for (i = 0; i < 3; i++)
		wanted[i] = half(&dram, &first_bank);
	ASSERT_EQ(0, ask(fd, wanted, 2, own, 2, &list));
	EXPECT_EQ(DRM_LOOM_FIT_NOW, list.flags);
	/* a resident buffer leaves room for one more, and can be evicted */
	ASSERT_EQ(0, loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &wanted[2]));
	ASSERT_EQ(0, ask(fd, wanted, 1, own, 2, &list));
	EXPECT_EQ(DRM_LOOM_FIT_NOW, list.flags);
	ASSERT_EQ(0, ask(fd, wanted, 2, own, 2, &list));
	EXPECT_EQ(DRM_LOOM_FIT_NOW | DRM_LOOM_FIT_EVICTS, list.flags);
	wanted[2] = wanted[0];
	ASSERT_EQ(0, ask(fd, wanted, 3, own, 2, &list));
	EXPECT_EQ(0, list.flags);
	EXPECT_EQ(2, list.failed);
	EXPECT_EQ(ENOSPC, list.error);
	EXPECT_EQ(0, list.own.count);
	EXPECT_EQ(3 * wanted[0].size - dram.total_bytes, list.short_bytes);
	/* more than a file may have, whatever the banks have */
	for (i = 0; i < 3; i++)
		wanted[i] = in_each(&dram, DRM_LOOM_REGION_DRAM,
				    dram.total_bytes / wanted[i].page_bytes);
	if (self->client.info.max_file_bo_bytes < wanted[0].size) {
		ASSERT_EQ(0, ask(fd, wanted, 1, own, 2, &list));
		EXPECT_EQ(EDQUOT, list.error);
		EXPECT_LE(wanted[0].size - self->client.info.max_file_bo_bytes, list.short_bytes);
	}
}

/* The same list as buffers: how many of them can be created, all at once. */
static uint32_t create_all(int fd, struct drm_loom_bo_create *buffers, uint32_t count, int *error)
{
	uint32_t i, done;

	*error = 0;
	for (done = 0; done < count && !*error; done += !*error)
		*error = -loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &buffers[done]);
	for (i = 0; i < done; i++)
		loom_bo_close(fd, buffers[i].handle);
	return done;
}

#define MOST	90

TEST_F_TIMEOUT(fit, agrees_with_bo_create, 120)
{
	static struct drm_loom_bo_create wanted[MOST];
	uint32_t round, i, count, done, kept;
	const int fd = self->client.fd;
	uint64_t state = 7, mask;
	struct drm_loom_fit_list list;
	int error;

	for (round = 0; round < loom_effort(60); round++) {
		/* now and then one stays, so that holes differ; later rounds have the limits */
		wanted[0] = in_each(&self->sram, DRM_LOOM_REGION_SRAM, 1);
		wanted[0].direction = loom_random_below(&state, 3);
		if (!loom_random_below(&state, 4))
			loom_call(fd, DRM_IOCTL_LOOM_BO_CREATE, &wanted[0]);
		if (round == loom_effort(60) / 2)
			ASSERT_EQ(0, loom_context_destroy(fd, self->exclusive));
		count = 1 + loom_random_below(&state, MOST);
		mask = 1 + loom_random_below(&state, (1 << self->sram.banks) - 1);
		for (i = 0; i < count; i++) {
			wanted[i] = (struct drm_loom_bo_create) {
				.size = 1 + loom_random_below(&state, 64 << (round % 10)),
				.region = loom_random_below(&state, 8) ? DRM_LOOM_REGION_SRAM :
									 DRM_LOOM_REGION_DRAM,
				.page_bytes = self->sram.align_bytes << (round % 3),
				.direction = loom_random_below(&state, 3),
			};
			if (wanted[i].region == DRM_LOOM_REGION_SRAM &&
			    loom_random_below(&state, 2)) {
				wanted[i].bank_mask = (uintptr_t)&mask;
				wanted[i].bank_mask_words = 1;
			}
			if (wanted[i].region == DRM_LOOM_REGION_DRAM)
				wanted[i].page_bytes = 0;
			if (!loom_random_below(&state, 3))
				wanted[i].flags = DRM_LOOM_BO_CREATE_PER_BANK;
		}
		ASSERT_EQ(0, ask(fd, wanted, count, &kept, 1, &list));
		done = create_all(fd, wanted, count, &error);
		if (list.flags & DRM_LOOM_FIT_NOW) {
			EXPECT_EQ(count, done);
		} else {
			EXPECT_EQ(list.failed, done);
			EXPECT_EQ(list.error, error);
			EXPECT_LT(0, list.short_bytes);
		}
	}
}

/* Checks as nobody that the bytes short of a buffer beside those of others are rounded. */
static int check_rounded(int fd, const struct drm_loom_region_info *sram, uint64_t exact)
{
	struct drm_loom_bo_create all = in_each(sram, DRM_LOOM_REGION_SRAM, 1);
	uint64_t step = sram->total_bytes / 64;
	struct drm_loom_fit_list list;

	all.size = exact * sram->banks;
	if (ask(fd, &all, 1, NULL, 0, &list) || list.flags || list.error != ENOSPC)
		return 1;
	if (list.short_bytes < all.page_bytes)
		return 2;
	if (list.short_bytes % step && list.short_bytes != list.no_space.bytes_per_bank)
		return 3;
	return list.own.count ? 4 : 0;
}

TEST_F(fit, rounded_for_those_who_may_not_see_others)
{
	uint64_t page = in_each(&self->sram, 0, 1).page_bytes, rest;
	struct drm_loom_bo_create theirs = in_each(&self->sram, DRM_LOOM_REGION_SRAM, 1);
	struct drm_loom_fit_list list;
	int status, other = loom_open();
	pid_t child;

	if (geteuid())
		SKIP(return, "no capability to drop");
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_call(other, DRM_IOCTL_LOOM_BO_CREATE, &theirs));
	/* the rest of the bank and a page more */
	rest = self->sram.total_bytes / page * page;
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		if (loom_become_nobody())
			_exit(100);
		_exit(check_rounded(self->client.fd, &self->sram, rest));
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	theirs.size = rest * self->sram.banks;
	ASSERT_EQ(0, ask(self->client.fd, &theirs, 1, NULL, 0, &list));
	EXPECT_EQ(ENOSPC, list.error);
	EXPECT_EQ(page - self->sram.total_bytes % page, list.short_bytes);
	close(other);
}
