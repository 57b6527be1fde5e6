// SPDX-License-Identifier: GPL-2.0
/* Displacement of buffers and reservations in the SRAM when other clients need the room. */
#include "loom_sram.h"

#include <linux/dma-buf.h>
#include <pthread.h>
#include <sys/time.h>

/* Bytes that can be told from those of others. */
static uint32_t *fill(int fd, const struct drm_loom_bo_info *info, uint32_t seed)
{
	uint32_t *map = loom_bo_map(fd, info->handle, info->size), i;

	for (i = 0; map != MAP_FAILED && i < info->size / sizeof(*map); i++)
		map[i] = seed + i;
	return map;
}

static uint32_t wrong_bytes(const uint32_t *map, const struct drm_loom_bo_info *info,
			    uint32_t seed)
{
	uint32_t i, wrong = 0;

	for (i = 0; i < info->size / sizeof(*map); i++)
		wrong += map[i] != seed + i;
	return wrong;
}

TEST_F(sram, a_second_client_runs_where_the_first_had_buffers)
{
	struct drm_loom_bo_info low, high, now;
	struct drm_loom_fit fit = {};
	uint32_t context, plan, size = sizeof(fit), *map;
	struct loom_client second;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, loom_sram_take_mapped(self->client.fd, &self->sram, 128,
					   DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	ASSERT_EQ(0, take(self->client.fd, &self->sram, 128, 0, DRM_LOOM_DIRECTION_TOP_DOWN,
			  &high));
	EXPECT_EQ(loom_first_byte(&self->sram, low.page_bytes), low.address);
	map = fill(self->client.fd, &low, 0x1000);
	ASSERT_NE(MAP_FAILED, map);

	ASSERT_EQ(0, loom_client_open(&second));
	plan = plan_abs(&second, 2 * ROW_BYTES);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_query(second.fd, DRM_LOOM_QUERY_FIT, plan, &fit, &size));
	EXPECT_EQ(DRM_LOOM_FIT_NOW, fit.flags);
	/* nobody needed the room yet */
	ASSERT_EQ(0, loom_bo_info(self->client.fd, low.handle, &now));
	EXPECT_EQ(0, now.flags);
	EXPECT_EQ(0, run_abs(&second, plan));
	ASSERT_EQ(0, loom_bo_info(self->client.fd, low.handle, &now));
	EXPECT_EQ(DRM_LOOM_BO_EVICTED, now.flags);
	EXPECT_EQ(0, wrong_bytes(map, &low, 0x1000));
	/* a buffer that needs no privilege is left alone */
	ASSERT_EQ(0, loom_bo_info(self->client.fd, high.handle, &now));
	EXPECT_EQ(0, now.flags);
	EXPECT_EQ(high.address, now.address);
	munmap(map, low.size);
	loom_client_close(&second);
}

TEST_F(sram, a_reservation_makes_room_too)
{
	struct drm_loom_bo_info low, now;
	struct loom_client second;
	uint32_t context, plan;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, take(self->client.fd, &self->sram, 128, 0, DRM_LOOM_DIRECTION_BOTTOM_UP,
			  &low));
	ASSERT_EQ(0, loom_client_open(&second));
	EXPECT_EQ(0, plan_reserve(&second, 2 * ROW_BYTES, &plan));
	ASSERT_EQ(0, loom_bo_info(self->client.fd, low.handle, &now));
	EXPECT_EQ(DRM_LOOM_BO_EVICTED, now.flags);
	loom_client_close(&second);
}

TEST_F_TIMEOUT(sram, a_second_client_gets_its_share_of_a_full_sram, 60)
{
	struct drm_loom_bo_info mine[8], now, info;
	uint32_t context, i, *map[8], evicted = 0;
	const uint32_t page = self->sram.map_bytes ? self->sram.map_bytes : 64;
	const uint64_t piece = self->sram.total_bytes / 8 / page * page;
	int other;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, loom_sram_take_mapped(self->client.fd, &self->sram, piece,
						   DRM_LOOM_DIRECTION_DEFAULT, &mine[i]));
		map[i] = fill(self->client.fd, &mine[i], i << 24);
		ASSERT_NE(MAP_FAILED, map[i]);
	}
	other = loom_open();
	ASSERT_GE(other, 0);
	EXPECT_EQ(0, take(other, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_LE(self->base + self->sram.scratch_floor_bytes, info.address);
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, loom_bo_info(self->client.fd, mine[i].handle, &now));
		evicted += now.flags == DRM_LOOM_BO_EVICTED;
		EXPECT_EQ(0, wrong_bytes(map[i], &mine[i], i << 24));
		munmap(map[i], mine[i].size);
	}
	/* some, and no more than were in the way */
	EXPECT_LT(0, evicted);
	EXPECT_GT(8, evicted);
	close(other);
}

TEST_F(sram, a_reservation_is_lost)
{
	struct drm_loom_fit fit = {};
	uint32_t context, plan, size = sizeof(fit);
	struct drm_loom_bo_info info;
	int other;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	ASSERT_EQ(0, plan_reserve(&self->client, self->sram.total_bytes, &plan));
	ASSERT_EQ(0, loom_query(self->client.fd, DRM_LOOM_QUERY_FIT, plan, &fit, &size));
	EXPECT_EQ(DRM_LOOM_FIT_NOW | DRM_LOOM_FIT_RESERVED | DRM_LOOM_FIT_EXCLUSIVE, fit.flags);
	other = loom_open();
	ASSERT_GE(other, 0);
	EXPECT_EQ(0, take(other, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, loom_query(self->client.fd, DRM_LOOM_QUERY_FIT, plan, &fit, &size));
	EXPECT_EQ(DRM_LOOM_FIT_EXCLUSIVE, fit.flags);
	close(other);
}

/* A buffer makes room when its file has no exclusive context in effect, and not before. */
TEST_F(sram, what_a_privileged_client_has_stays)
{
	struct drm_loom_bo_info all, now, info;
	uint32_t context;
	int other = loom_open();

	ASSERT_GE(other, 0);
	ASSERT_EQ(0, loom_set_nice(true));
	ASSERT_EQ(0, loom_exclusive(other, &context));
	ASSERT_EQ(0, loom_set_nice(false));
	ASSERT_EQ(0, take(other, &self->sram, self->sram.total_bytes, 0,
			  DRM_LOOM_DIRECTION_BOTTOM_UP, &all));
	EXPECT_EQ(-ENOSPC, take(self->client.fd, &self->sram, self->sram.align_bytes, 0,
				DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, loom_bo_info(other, all.handle, &now));
	EXPECT_EQ(0, now.flags);
	ASSERT_EQ(0, loom_context_destroy(other, context));
	EXPECT_EQ(0, take(self->client.fd, &self->sram, self->sram.align_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, loom_bo_info(other, all.handle, &now));
	EXPECT_EQ(DRM_LOOM_BO_EVICTED, now.flags);
	close(other);
}

/* Jobs without scratch hold nothing, and reservations of others stay when they end. */
TEST_F(sram, jobs_without_scratch_hold_nothing)
{
	const struct loom_client *client = &self->client;
	uint32_t null = loom_client_plan_null(client), plan, fence, i;
	struct drm_loom_region_info now;

	ASSERT_NE(0, null);
	ASSERT_EQ(0, plan_reserve(client, 2 * ROW_BYTES, &plan));
	for (i = 0; i < 20; i++) {
		fence = loom_sync_create(client->fd, 0);
		ASSERT_EQ(0, loom_client_run(client, null, 0, fence));
		ASSERT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
		ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &now));
		EXPECT_EQ(2 * ROW_BYTES, now.scratch_bytes);
		ASSERT_EQ(0, run_abs(client, plan_abs(client, 3 * ROW_BYTES)));
	}
	ASSERT_EQ(0, loom_plan_destroy(client->fd, plan));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &now));
	EXPECT_EQ(0, now.scratch_bytes);
}

/* With the capability it is nobody's who comes later. */
TEST_F(sram, a_privileged_reservation_is_kept)
{
	struct loom_client holder;
	struct drm_loom_bo_info info;
	uint32_t context, plan;

	ASSERT_EQ(0, loom_client_open(&holder));
	ASSERT_EQ(0, loom_set_nice(true));
	ASSERT_EQ(0, loom_exclusive(holder.fd, &context));
	ASSERT_EQ(0, loom_set_nice(false));
	ASSERT_EQ(0, plan_reserve(&holder, self->sram.total_bytes, &plan));
	EXPECT_EQ(-ENOSPC, take(self->client.fd, &self->sram, self->sram.align_bytes, 0,
				DRM_LOOM_DIRECTION_DEFAULT, &info));
	ASSERT_EQ(0, loom_plan_destroy(holder.fd, plan));
	EXPECT_EQ(0, take(self->client.fd, &self->sram, self->sram.align_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	loom_client_close(&holder);
}

/* Hours of jobs that the first client has queued for the whole bank when it was alone. */
TEST_F_TIMEOUT(sram, queued_jobs_make_room, 60)
{
	const struct loom_client *client = &self->client;
	uint32_t context, whole, fence, running, plan, i;
	struct drm_loom_context_query query;
	struct drm_loom_region_info now;
	struct drm_loom_bo_info info;
	struct loom_client second;
	uint64_t size, later;
	void *blob;

	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	fence = loom_sync_create(client->fd, 0);
	running = loom_sync_create(client->fd, 0);
	/* the endless plan, in all of the bank */
	blob = loom_plan_blob_endless(client->info.lanes, &size);
	whole = loom_client_plan(client, raise_scratch(blob, self->sram.total_bytes), size);
	ASSERT_NE(0, whole);
	ASSERT_EQ(0, loom_client_run(client, whole, 2, running));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, loom_client_run(client, whole, 2, fence));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &now));
	EXPECT_EQ(self->sram.total_bytes, now.scratch_bytes);

	ASSERT_EQ(0, loom_client_open(&second));
	/* a client that does not need the room does not cancel them */
	plan = plan_abs(&second, 2 * ROW_BYTES);
	EXPECT_EQ(-ETIME, loom_sync_wait(client->fd, running, 0));
	EXPECT_EQ(-EACCES, loom_client_run(client, whole, 2, 0));
	later = loom_now_ns() + 10 * LOOM_SECOND_NS;
	EXPECT_EQ(0, take(second.fd, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_GT(later, loom_now_ns());
	EXPECT_EQ(0, loom_sync_wait(client->fd, running, loom_soon()));
	EXPECT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
	EXPECT_EQ(0, run_abs(&second, plan));
	/* it is nobody's fault */
	ASSERT_EQ(0, loom_context_query(client->fd, client->context, &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, query.resets);
	loom_client_close(&second);
}

/* More of them than are looked at without a pause. */
TEST_F_TIMEOUT(sram, a_hundred_queued_jobs_make_room, 60)
{
	const struct loom_client *client = &self->client;
	uint32_t context, whole, fence, i;
	struct drm_loom_bo_info info;
	uint64_t size;
	int other;
	void *blob;

	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	fence = loom_sync_create(client->fd, 0);
	blob = loom_plan_blob_endless(client->info.lanes, &size);
	whole = loom_client_plan(client, raise_scratch(blob, self->sram.total_bytes), size);
	ASSERT_NE(0, whole);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, loom_client_run(client, whole, 2, fence));
	other = loom_open();
	ASSERT_GE(other, 0);
	EXPECT_EQ(0, take(other, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
	close(other);
}

/* It has the room when it is submitted, and is still in the queue when others get it. */
TEST_F(sram, a_job_that_waits_for_another_makes_room)
{
	const struct loom_client *client = &self->client;
	uint32_t endless = loom_client_plan_endless(client), context, whole, first;
	struct drm_loom_region_info now;
	struct drm_loom_bo_info info;
	struct loom_client queue;
	struct loom_job job;
	uint64_t size;
	int other;
	void *blob;

	ASSERT_NE(0, endless);
	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	blob = loom_plan_blob_endless(client->info.lanes, &size);
	whole = loom_client_plan(client, raise_scratch(blob, self->sram.total_bytes), size);
	ASSERT_NE(0, whole);
	first = loom_sync_create(client->fd, 0);
	ASSERT_EQ(0, loom_client_run(client, endless, 2, first));
	queue = loom_client_bound(client, client->in, client->out);
	loom_job_init(&job, &queue, whole, 2, 0);
	job.args.in_syncs.count = 1;
	job.in.handle = first;
	ASSERT_EQ(0, loom_job_submit(client->fd, &job));
	ASSERT_EQ(0, loom_query_region(client->fd, DRM_LOOM_REGION_SRAM, &now));
	EXPECT_EQ(self->sram.total_bytes, now.scratch_bytes);
	other = loom_open();
	ASSERT_GE(other, 0);
	EXPECT_EQ(0, take(other, &self->sram, self->sram.share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info));
	EXPECT_EQ(0, loom_sync_status(client->fd, first));
	close(other);
}

#define FENCES	8

/* The first two run, and the others are queued behind them. */
static void queue_hours(const struct loom_client *client, uint32_t in, uint32_t out,
			uint32_t *fences)
{
	struct loom_client queues[2];
	uint32_t i;

	queues[0] = loom_client_bound(client, in, out);
	queues[1] = loom_client_bound(client, in, out);
	for (i = 0; i < FENCES; i++)
		fences[i] = loom_client_run_bound(&queues[i % 2], 65536, 2000);
}

static uint32_t count_status(const struct loom_client *client, const uint32_t *fences, int status)
{
	uint32_t i, count = 0;

	for (i = 0; i < FENCES; i++) {
		if (status)
			loom_sync_wait(client->fd, fences[i], loom_soon());
		count += loom_sync_status(client->fd, fences[i]) == status;
	}
	return count;
}

/* The jobs of a buffer that is in the way go with it, and nobody waits for them. */
TEST_F_TIMEOUT(sram, jobs_of_a_displaced_buffer_end, 60)
{
	const struct loom_client *client = &self->client;
	uint32_t context, plan, bystander = 0, fence, fences[FENCES], *map;
	struct drm_loom_bo_info low, high[2];
	struct drm_loom_context_query query;
	struct loom_client second, user;
	int64_t later;

	if (self->sram.share_bytes < 3 * ROW_BYTES)
		SKIP(return, "a small SRAM");
	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &low));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &high[0]));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &high[1]));
	EXPECT_EQ(self->base, low.address);
	map = fill(client->fd, &low, 0x3f800000);
	ASSERT_NE(MAP_FAILED, map);
	queue_hours(client, low.handle, high[0].handle, fences);
	user = loom_client_bound(client, high[0].handle, high[1].handle);
	/* where jobs take no turns all others would wait for this one */
	if (loom_takes_turns(client->fd))
		bystander = loom_client_run_bound(&user, 65536, 2000);

	ASSERT_EQ(0, loom_client_open(&second));
	plan = plan_abs(&second, 2 * ROW_BYTES);
	EXPECT_EQ(FENCES, count_status(client, fences, 0));
	later = loom_now_ns() + 5 * LOOM_SECOND_NS;
	EXPECT_EQ(0, run_abs(&second, plan));
	EXPECT_GT(later, loom_now_ns());
	EXPECT_EQ(FENCES, count_status(client, fences, -ECANCELED));
	if (bystander)
		EXPECT_EQ(0, loom_sync_status(client->fd, bystander));
	EXPECT_EQ(0, wrong_bytes(map, &low, 0x3f800000));
	ASSERT_EQ(0, loom_bo_info(client->fd, low.handle, &low));
	EXPECT_EQ(DRM_LOOM_BO_EVICTED, low.flags);

	/* the owner goes on, by the rules for all */
	user = loom_client_bound(client, low.handle, high[0].handle);
	fence = loom_client_run_bound(&user, 2, 1);
	EXPECT_EQ(0, loom_sync_wait(client->fd, fence, loom_soon()));
	EXPECT_EQ(1, loom_sync_status(client->fd, fence));
	ASSERT_EQ(0, loom_bo_info(client->fd, low.handle, &low));
	EXPECT_EQ(0, low.flags);
	EXPECT_LE(self->base + self->sram.scratch_floor_bytes, low.address);
	EXPECT_EQ(0, wrong_bytes(map, &low, 0x3f800000));
	ASSERT_EQ(0, loom_context_query(client->fd, user.context, &query));
	EXPECT_EQ(0, query.flags);
	EXPECT_EQ(0, query.resets);
	munmap(map, low.size);
	loom_client_close(&second);
}

/* The same for a buffer, and the jobs that use it there do not wait either. */
TEST_F_TIMEOUT(sram, a_buffer_takes_the_place_of_hours_of_jobs, 60)
{
	const struct loom_client *client = &self->client;
	struct drm_loom_bo_info most, rest, mine[2];
	struct loom_client second, user;
	uint32_t context, fence, fences[FENCES];
	int64_t later;

	if (self->sram.share_bytes < 2 * ROW_BYTES)
		SKIP(return, "a small SRAM");
	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, self->sram.total_bytes - ROW_BYTES,
				    0, &most));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &rest));
	queue_hours(client, most.handle, rest.handle, fences);
	ASSERT_EQ(0, loom_client_open(&second));
	EXPECT_EQ(FENCES, count_status(client, fences, 0));
	later = loom_now_ns() + 5 * LOOM_SECOND_NS;
	ASSERT_EQ(0, loom_sram_rows(second.fd, &self->sram, ROW_BYTES, 0, &mine[0]));
	ASSERT_EQ(0, loom_sram_rows(second.fd, &self->sram, ROW_BYTES, 0, &mine[1]));
	user = loom_client_bound(&second, mine[0].handle, mine[1].handle);
	fence = loom_client_run_bound(&user, 2, 1);
	EXPECT_EQ(0, loom_sync_wait(second.fd, fence, loom_soon()));
	EXPECT_GT(later, loom_now_ns());
	EXPECT_EQ(1, loom_sync_status(second.fd, fence));
	EXPECT_EQ(FENCES, count_status(client, fences, -ECANCELED));
	loom_client_close(&second);
}

/* Fences that a client puts into a buffer keep its pages, and not the place. */
TEST_F(sram, a_freed_buffer_gives_its_place_back_at_once)
{
	const struct loom_client *client = &self->client;
	struct dma_buf_import_sync_file import = { .flags = DMA_BUF_SYNC_RW };
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC };
	struct drm_loom_bo_info floor, high[2];
	struct loom_client second, user;
	uint32_t context, fence, plan;

	ASSERT_EQ(0, loom_exclusive(client->fd, &context));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &high[0]));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, ROW_BYTES, 0, &high[1]));
	ASSERT_EQ(0, loom_sram_rows(client->fd, &self->sram, 2 * ROW_BYTES,
				    DRM_LOOM_DIRECTION_BOTTOM_UP, &floor));
	user = loom_client_bound(client, high[0].handle, high[1].handle);
	fence = loom_client_run_bound(&user, 65536, 2000);
	prime.handle = floor.handle;
	ASSERT_EQ(0, loom_call(client->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	import.fd = loom_sync_export(client->fd, fence);
	ASSERT_EQ(0, loom_call(prime.fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &import));
	close(import.fd);
	close(prime.fd);
	ASSERT_EQ(0, loom_client_open(&second));
	ASSERT_EQ(0, loom_bo_close(client->fd, floor.handle));
	if (!loom_takes_turns(client->fd)) {
		/* the place is there, the engine is not before the other job ends */
		plan = plan_abs(&second, 2 * ROW_BYTES);
		EXPECT_EQ(0, loom_client_run(&second, plan, 2, 0));
		EXPECT_EQ(0, loom_sync_status(client->fd, fence));
		loom_client_close(&self->client);
		EXPECT_EQ(0, run_abs(&second, plan));
	} else {
		EXPECT_EQ(0, run_abs(&second, plan_abs(&second, 2 * ROW_BYTES)));
		EXPECT_EQ(0, loom_sync_status(client->fd, fence));
	}
	loom_client_close(&second);
}

struct taker {
	int fd;
	const struct drm_loom_region_info *sram;
	/* when, or zero: not yet */
	int64_t at_ns;
	bool ready;
	int ret;
};

static void *take_share(void *arg)
{
	struct taker *taker = arg;
	struct drm_loom_bo_info info;
	int64_t at_ns;

	__atomic_store_n(&taker->ready, true, __ATOMIC_RELEASE);
	do {
		at_ns = __atomic_load_n(&taker->at_ns, __ATOMIC_ACQUIRE);
	} while (!at_ns || loom_now_ns() < at_ns);
	taker->ret = take(taker->fd, taker->sram, taker->sram->share_bytes, 0,
			  DRM_LOOM_DIRECTION_DEFAULT, &info);
	return NULL;
}

/*
 * A buffer in the way that its owner is freeing cannot be displaced any more, and stays until its
 * pages are freed: the client that needs the room must wait for that. Its request comes before the
 * free or after it, by another time in each round.
 */
TEST_F_TIMEOUT(sram, what_is_being_freed_is_waited_for, 120)
{
	uint32_t context, failed = 0, i;
	struct drm_loom_bo_info all;

	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	for (i = 0; i < loom_effort(300); i++) {
		struct taker taker = { .sram = &self->sram };
		pthread_t thread;
		int64_t close_ns;

		ASSERT_EQ(0, take(self->client.fd, &self->sram, self->sram.total_bytes, 0,
				  DRM_LOOM_DIRECTION_BOTTOM_UP, &all));
		taker.fd = loom_open();
		ASSERT_GE(taker.fd, 0);
		ASSERT_EQ(0, pthread_create(&thread, NULL, take_share, &taker));
		while (!__atomic_load_n(&taker.ready, __ATOMIC_ACQUIRE))
			sched_yield();
		close_ns = loom_now_ns() + 1500000;
		/* it has to get to where it looks for room */
		__atomic_store_n(&taker.at_ns, close_ns + ((int)(i % 32) - 24) * 50000LL,
				 __ATOMIC_RELEASE);
		while (loom_now_ns() < close_ns)
			;
		ASSERT_EQ(0, loom_bo_close(self->client.fd, all.handle));
		pthread_join(thread, NULL);
		failed += !!taker.ret;
		close(taker.fd);
	}
	EXPECT_EQ(0, failed);
}

static void on_alarm(int number)
{
}

TEST_F_TIMEOUT(sram, displacing_many_buffers_is_interrupted, 60)
{
	uint32_t context, count = loom_effort(3000), i, interrupted = 0;
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval timer = { { .tv_usec = 5000 }, { .tv_usec = 5000 } }, none = {};
	struct drm_loom_bo_info info;
	struct loom_client second;
	struct loom_job job;
	int ret;

	if (count > self->sram.scratch_floor_bytes / 64)
		count = self->sram.scratch_floor_bytes / 64;
	ASSERT_EQ(0, loom_exclusive(self->client.fd, &context));
	for (i = 0; i < count; i++)
		ASSERT_EQ(0, take(self->client.fd, &self->sram, 64, 0,
				  DRM_LOOM_DIRECTION_BOTTOM_UP, &info));
	ASSERT_EQ(0, loom_client_open(&second));
	loom_job_init(&job, &second, plan_abs(&second, self->sram.scratch_floor_bytes), 2, 0);
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &timer, NULL));
	while ((ret = ioctl(second.fd, DRM_IOCTL_LOOM_SUBMIT, &job.args)) && errno == EINTR)
		interrupted++;
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &none, NULL));
	EXPECT_EQ(0, ret);
	EXPECT_LT(0, interrupted);
	loom_client_close(&second);
}

TEST_F_TIMEOUT(sram, a_killed_holder_leaves_nothing, 60)
{
	struct drm_loom_region_info now;
	int64_t end = loom_soon();
	struct drm_loom_bo_info info;
	uint32_t context, plan;
	int pipefd[2], status;
	pid_t child;
	char byte;

	plan = plan_abs(&self->client, 2 * ROW_BYTES);
	ASSERT_NE(0, plan);
	ASSERT_EQ(0, loom_set_nice(true));
	ASSERT_EQ(0, pipe(pipefd));
	child = loom_fork();
	ASSERT_GE(child, 0);
	if (!child) {
		int fd = loom_open();

		byte = loom_exclusive(fd, &context) ||
		       take(fd, &self->sram, self->sram.total_bytes, 0,
			    DRM_LOOM_DIRECTION_BOTTOM_UP, &info) ? 'n' : 'y';
		if (write(pipefd[1], &byte, 1) != 1)
			_exit(1);
		pause();
	}
	close(pipefd[1]);
	ASSERT_EQ(1, read(pipefd[0], &byte, 1));
	EXPECT_EQ('y', byte);
	EXPECT_EQ(-EBUSY, loom_client_run(&self->client, plan, 2, 0));
	EXPECT_EQ(-EBUSY, loom_exclusive(self->client.fd, &context));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	do {
		ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_SRAM, &now));
	} while (now.blocks && loom_now_ns() < end);
	EXPECT_EQ(0, now.blocks);
	EXPECT_EQ(0, run_abs(&self->client, plan));
	EXPECT_EQ(0, loom_exclusive(self->client.fd, &context));
}
