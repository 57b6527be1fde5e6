// SPDX-License-Identifier: MIT
#include "sim.h"

#include <errno.h>
#include <stdlib.h>

#include "base/thread.h"
#include "loom_code.h"
#include "loom_verify.h"

/* Threads that execute items: as many engines as jobs run, and one that moves bytes. */

static u32 work_nop(struct sim *sim, struct sim_item *item, u32 generation)
{
	(void)sim;
	(void)item;
	(void)generation;
	return LOOM_PCI_RESULT_OK;
}

/* A plan for fewer lanes is that of a chip with as many. */
static struct drm_loom_chip work_plan_chip(const struct sim *sim, const void *bytes, u64 size)
{
	const struct loom_code_header *header = bytes;
	struct drm_loom_chip chip = sim->chip;
	u32 *banks = &chip.region[DRM_LOOM_REGION_SRAM].banks;

	if (size >= sizeof(*header) && header->lanes)
		*banks = min(*banks, header->lanes);
	return chip;
}

static u32 work_plan_take(struct sim *sim, struct sim_item *item, u32 generation, void *bytes)
{
	u32 result = sim_host_move(sim, item, generation, false, item->scatter, item->count, bytes,
				   item->bytes);
	struct drm_loom_chip chip;
	struct loom_plan *plan;
	int ret;

	if (result)
		return result;
	chip = work_plan_chip(sim, bytes, item->bytes);
	ret = loom_code_decode(bytes, item->bytes, &chip, &plan);
	if (ret)
		return ret == -ENOMEM ? LOOM_PCI_RESULT_MEMORY : LOOM_PCI_RESULT_PLAN;
	if (sim_plans_add(&sim->plans, item->plan, plan))
		return LOOM_PCI_RESULT_OK;
	loom_plan_destroy(plan);
	return LOOM_PCI_RESULT_PLAN;
}

static u32 work_plan(struct sim *sim, struct sim_item *item, u32 generation)
{
	void *bytes;
	u32 result;

	if (item->bytes & 7 || item->bytes > LOOM_CODE_MAX_BYTES)
		return LOOM_PCI_RESULT_INVALID;
	bytes = malloc(item->bytes);
	if (!bytes)
		return LOOM_PCI_RESULT_MEMORY;
	result = work_plan_take(sim, item, generation, bytes);
	free(bytes);
	return result;
}

static u32 work_plan_drop(struct sim *sim, struct sim_item *item, u32 generation)
{
	(void)generation;
	return sim_plans_drop(&sim->plans, item->plan) ? LOOM_PCI_RESULT_OK :
							 LOOM_PCI_RESULT_PLAN;
}

/**
 * struct work_kind - how a kind of descriptor is executed
 * @engine: by the engine's worker
 * @run: executes it, outside of &sim.lock
 */
struct work_kind {
	bool engine;
	u32 (*run)(struct sim *sim, struct sim_item *item, u32 generation);
};

static const struct work_kind work_kinds[LOOM_PCI_KIND_END] = {
	[LOOM_PCI_KIND_NOP] = { false, work_nop },
	[LOOM_PCI_KIND_JOB] = { true, sim_job },
	[LOOM_PCI_KIND_COPY_IN] = { false, sim_copy },
	[LOOM_PCI_KIND_COPY_OUT] = { false, sim_copy },
	[LOOM_PCI_KIND_CLEAR] = { false, sim_clear },
	[LOOM_PCI_KIND_PLAN] = { false, work_plan },
	[LOOM_PCI_KIND_PLAN_DROP] = { false, work_plan_drop },
};

/* Whether a job cannot begin before the end of another item, in whatever queues they are. */
static bool work_needs(const struct sim_item *job, const struct sim_item *other)
{
	if (other->kind == LOOM_PCI_KIND_JOB)
		return loom_mask_overlaps(&job->lanes, &other->lanes);
	return (other->kind == LOOM_PCI_KIND_PLAN || other->kind == LOOM_PCI_KIND_PLAN_DROP) &&
	       other->plan == job->plan;
}

/* Whether it must wait for one before it that is not answered. */
static bool work_waits_locked(const struct sim *sim, const struct sim_item *item)
{
	const struct sim_item *other;

	for (other = sim->items; other != item; other = other->next)
		if (other->queue == item->queue ||
		    (item->kind == LOOM_PCI_KIND_JOB && work_needs(item, other)))
			return true;
	return false;
}

static struct sim_item *work_next_locked(struct sim *sim, bool engine)
{
	struct sim_item *item, *best = NULL;

	if (!(sim->status & LOOM_PCI_STATUS_READY))
		return NULL;
	for (item = sim->items; item; item = item->next) {
		if (item->running || work_kinds[item->kind].engine != engine ||
		    (best && item->priority <= best->priority) || work_waits_locked(sim, item))
			continue;
		best = item;
	}
	return best;
}

static void work_end_locked(struct sim *sim, struct sim_item *item)
{
	struct sim_item **link;

	for (link = &sim->items; *link != item; link = &(*link)->next)
		;
	*link = item->next;
	sim->item_count--;
	sim->busy--;
	free(item);
	pthread_cond_broadcast(&sim->changed);
}

/* Called and returns with the lock held. */
static void work_do_locked(struct sim *sim, struct sim_item *item)
{
	u32 generation = atomic_load(&sim->generation), result;

	item->running = true;
	sim->busy++;
	pthread_mutex_unlock(&sim->lock);
	result = work_kinds[item->kind].run(sim, item, generation);
	sim_record(sim, item, result, generation);
	pthread_mutex_lock(&sim->lock);
	work_end_locked(sim, item);
}

static int work_start_engine_locked(struct sim *sim);

static void worker(struct sim *sim, bool engine)
{
	struct sim_item *item;

	pthread_mutex_lock(&sim->lock);
	for (;;) {
		item = work_next_locked(sim, engine);
		if (!item) {
			pthread_cond_wait(&sim->changed, &sim->lock);
			continue;
		}
		/* invariant: one is idle for the next job; at most one more than partitions */
		if (engine && !--sim->idle_engines)
			work_start_engine_locked(sim);
		work_do_locked(sim, item);
		sim->idle_engines += engine;
	}
}

static void *work_engine(void *sim)
{
	worker(sim, true);
	return NULL;
}

static int work_start_engine_locked(struct sim *sim)
{
	pthread_t thread;
	int ret = loom_thread_start(&thread, work_engine, sim);

	if (!ret)
		sim->idle_engines++;
	return -ret;
}

int sim_engine_start(struct sim *sim)
{
	int ret;

	pthread_mutex_lock(&sim->lock);
	ret = work_start_engine_locked(sim);
	pthread_mutex_unlock(&sim->lock);
	return ret;
}

void *sim_dma_worker(void *sim)
{
	worker(sim, false);
	return NULL;
}
