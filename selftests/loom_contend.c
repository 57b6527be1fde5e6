// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that lock the same buffers in opposite order, while the handles of these buffers are closed:
 * the last reference to a buffer is then the job's, and the scheduler drops it as soon as the job
 * has ended, even while SUBMIT is still on its way out. A kernel with CONFIG_PROVE_LOCKING sees a
 * lock that is freed while it is held; one with CONFIG_DEBUG_WW_MUTEX_SLOWPATH makes each lock of a
 * long list contended once, so that lists are unlocked in another order than they were locked.
 */
#include "loom_selftest.h"

#define SLOTS		DRM_LOOM_MAX_SLOTS
#define SYNCS		DRM_LOOM_MAX_SYNCS
#define SLOT_BYTES	64

FIXTURE(contend)
{
	struct loom_client client;
	/* many slots and no work, so that a job ends as soon as it may run */
	uint32_t plan;
	struct drm_loom_region_info before;
};

static void *plan_blob_slots(uint32_t lanes, uint64_t *size)
{
	struct loom_builder builder;
	uint32_t i;

	loom_builder_init(&builder, lanes, LOOM_COLUMNS);
	for (i = 0; i < SLOTS; i++)
		builder.slots[builder.slot_count++] = (struct drm_loom_plan_slot) {
			.size = SLOT_BYTES,
			.flags = DRM_LOOM_SLOT_READ,
		};
	return loom_builder_finish(&builder, size);
}

FIXTURE_SETUP(contend)
{
	uint64_t size;
	void *blob;

	ASSERT_EQ(0, loom_client_open(&self->client));
	blob = plan_blob_slots(self->client.info.lanes, &size);
	self->plan = loom_client_plan(&self->client, blob, size);
	ASSERT_NE(0, self->plan);
	ASSERT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_DRAM, &self->before));
}

/* All buffers are freed, and others are served. */
FIXTURE_TEARDOWN(contend)
{
	struct drm_loom_region_info after = {};
	int64_t end = loom_soon();

	do {
		EXPECT_EQ(0, loom_query_region(self->client.fd, DRM_LOOM_REGION_DRAM, &after));
		if (after.allocated_bytes == self->before.allocated_bytes)
			break;
		usleep(20000);
	} while (loom_now_ns() < end);
	EXPECT_EQ(self->before.allocated_bytes, after.allocated_bytes);
	loom_client_close(&self->client);
	EXPECT_TRUE(loom_device_works());
}

/* One of two that submit. Buffers and barrier are shared, all else is its own. */
struct contender {
	int fd;
	uint32_t plan, context;
	bool descending;
	uint32_t rounds;
	/* made anew for each round by the test */
	const uint32_t *handles;
	pthread_barrier_t *barrier;
	struct drm_loom_sync out[SYNCS];
	/* jobs that were queued, and those whose buffers were closed too early */
	uint32_t queued, late;
	/* the first answer that should not be */
	int error;
};

/* The more there is to signal, the longer SUBMIT goes on after the job was queued. */
static int contender_init(struct contender *contender)
{
	uint32_t i;

	for (i = 0; i < SYNCS; i++) {
		contender->out[i].handle = loom_sync_create(contender->fd, 0);
		if (!contender->out[i].handle)
			return -ENOMEM;
	}
	return loom_context_create(contender->fd, DRM_LOOM_PRIORITY_NORMAL, &contender->context);
}

static void contender_round(struct contender *contender)
{
	struct drm_loom_binding bindings[SLOTS];
	struct drm_loom_submit submit = {
		.context = contender->context,
		.plan = contender->plan,
		.bindings = { sizeof(bindings[0]), SLOTS, (uintptr_t)bindings },
		.out_syncs = { sizeof(contender->out[0]), SYNCS, (uintptr_t)contender->out },
	};
	uint32_t i;
	int ret;

	for (i = 0; i < SLOTS; i++)
		bindings[i] = (struct drm_loom_binding) {
			.slot = i,
			.handle = contender->handles[contender->descending ? SLOTS - 1 - i : i],
		};
	ret = loom_call(contender->fd, DRM_IOCTL_LOOM_SUBMIT, &submit);
	contender->queued += !ret;
	contender->late += ret == -ENOENT;
	if (ret && ret != -ENOENT && !contender->error)
		contender->error = ret;
	/* the first to come here closes what the other is still busy with */
	for (i = 0; i < SLOTS; i++)
		loom_bo_close(contender->fd, contender->handles[i]);
}

static void *contender_thread(void *arg)
{
	struct contender *contender = arg;
	uint32_t round;

	for (round = 0; round < contender->rounds; round++) {
		pthread_barrier_wait(contender->barrier);
		contender_round(contender);
		pthread_barrier_wait(contender->barrier);
	}
	return NULL;
}

TEST_F_TIMEOUT(contend, buffers_closed_while_jobs_lock_them, 120)
{
	uint32_t handles[SLOTS] = {}, rounds = loom_effort(200), round, i, failed = 0;
	struct contender contenders[2];
	pthread_barrier_t barrier;
	pthread_t threads[2];

	ASSERT_EQ(0, pthread_barrier_init(&barrier, NULL, 3));
	for (i = 0; i < 2; i++) {
		contenders[i] = (struct contender) {
			.fd = self->client.fd,
			.plan = self->plan,
			.descending = i,
			.rounds = rounds,
			.handles = handles,
			.barrier = &barrier,
		};
		ASSERT_EQ(0, contender_init(&contenders[i]));
	}
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, contender_thread, &contenders[i]));
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < SLOTS; i++)
			failed += !!loom_bo_create(self->client.fd, SLOT_BYTES,
						   DRM_LOOM_REGION_DRAM, &handles[i]);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, contenders[i].error);
	}
	pthread_barrier_destroy(&barrier);
	EXPECT_EQ(0, failed);
	/* at least the first of each round comes before its buffers are closed */
	EXPECT_LE(rounds, contenders[0].queued + contenders[1].queued);
	TH_LOG("%u rounds: %u and %u queued, %u and %u too late", rounds, contenders[0].queued,
	       contenders[1].queued, contenders[0].late, contenders[1].late);
}
