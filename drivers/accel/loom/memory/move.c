// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "backend/budget.h"
#include "backend/memory.h"
#include "backend/power.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_leftover.h"
#include "loom_region.h"
#include "loom_sync.h"
#include "move.h"

/**
 * DOC: Moves
 *
 * In local memory the device's DMA engine copies the bytes of a buffer when it gets an address and
 * when it loses it. A move is such a copy, or the zeroing of a new buffer. It has a fence like a
 * job's, and waits for fences (jobs that still use the bytes, moves that still write there). Only
 * users of the bytes wait for it: jobs, page faults, moves.
 *
 * States: created, with all memory and DMA addresses that it needs; submitted, after which nothing
 * may fail; ready, when all its fences have signalled; running, on the device; ended, by a record.
 * Only fences order moves: one that waits for a long job does not block others.
 *
 * A move is idempotent, because users of the bytes wait for its end: after a reset the device gets
 * its running moves again. On an unplugged or wedged device they end with an error. Stale bytes do
 * not leak then: pages of the host are zeroed before a copy, and local memory is not mapped any
 * more (window.c).
 *
 * If the processor can access the banks, it zeroes a new buffer itself: a device that lies about
 * having done so would leak the bytes of others to a client.
 *
 * A device that does not end the oldest of its moves for LOOM_MOVE_DEADLINE_MS is reset. That is
 * long for a copy, and bounds the wait for fences. (Progress of other moves does not count, because
 * a single record may be lost.) When the same move has missed LOOM_MOVE_ATTEMPTS deadlines the
 * device is wedged, even if others have ended.
 *
 * Rejected: an entity of the scheduler for moves. It is in order, so a buffer that waits for a job
 * of a minute would block all others. One entity per move: a thousand bytes, a run queue and a
 * timeout instead of a counter. Rejected: fences of TTM's managers (&ttm_resource_manager.move),
 * see loom_leftover.c.
 */

#define LOOM_MOVE_DEADLINE_MS	20000
#define LOOM_MOVE_ATTEMPTS	3

/* ----------------------------------------------------------------- a move */

static void loom_move_release_work(struct work_struct *work)
{
	struct loom_move *move = container_of(work, struct loom_move, release);

	if (move->last)
		loom_region_reap_leftovers(move->loom->region);
	loom_move_free(move);
}

/* A move of all of the buffer, with no pages yet. */
static struct loom_move *loom_move_alloc(struct loom_bo *bo, enum loom_move_kind kind,
					 struct ttm_resource *resource)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	struct loom_move *move = kzalloc(sizeof(*move), GFP_KERNEL_ACCOUNT);

	if (!move)
		return NULL;
	if (bo->shape.per_bank) {
		move->addresses = loom_region_addresses(resource);
		if (!move->addresses) {
			kfree(move);
			return NULL;
		}
	}
	drm_dev_get(&loom->drm);
	INIT_LIST_HEAD(&move->node);
	INIT_WORK(&move->release, loom_move_release_work);
	move->loom = loom;
	move->id = atomic64_inc_return(&loom->moves.ids);
	move->kind = kind;
	move->shape = bo->shape;
	move->address = loom_region_address(resource);
	/* to the end of the last page: mappings must not show bytes of previous users */
	move->shape.layout.size = bo->shape.layout.pages * bo->shape.layout.page_bytes;
	move->bytes = move->shape.layout.size;
	atomic_set(&move->missing, 1);
	return move;
}

/* Return: @move, or ERR_PTR(-errno) after freeing it. */
static struct loom_move *loom_move_prepare(struct loom_move *move)
{
	struct loom_device *loom = move->loom;
	int ret = -ENOMEM;

	move->fence = loom_fence_create(loom);
	if (!move->fence)
		goto err_free;
	ret = loom_power_get(loom);
	if (ret)
		goto err_free;
	move->powered = true;
	ret = loom->backend->memory->prepare(move);
	if (ret)
		goto err_free;
	/* armed early, so that fences can refer to it before it is submitted */
	loom_fence_arm(move->fence, dma_fence_context_alloc(1), 1);
	return move;

err_free:
	loom_move_free(move);
	return ERR_PTR(ret);
}

/* Take references to the pages until the move is freed. Return: 0 or -ENOMEM. */
static int loom_move_hold(struct loom_move *move, struct page **pages)
{
	u64 i, count = PFN_UP(move->bytes);

	move->pages = kvmemdup(pages, count * sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!move->pages)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		get_page(move->pages[i]);
	move->holds = true;
	return 0;
}

/**
 * loom_move_create() - prepare a move
 * @bo: the buffer, reserved
 * @kind: kind of the move
 * @resource: of the buffer, in its region
 * @pages: of the host, as many as the buffer has; the caller must keep them until the fence has
 *	signalled, except for LOOM_MOVE_OUT from the SRAM, where the move takes references
 *
 * Return: a move, for loom_move_submit() or loom_move_free(); ERR_PTR(-errno).
 */
struct loom_move *loom_move_create(struct loom_bo *bo, enum loom_move_kind kind,
				   struct ttm_resource *resource, struct page **pages)
{
	struct loom_move *move = loom_move_alloc(bo, kind, resource);

	if (!move)
		return ERR_PTR(-ENOMEM);
	if (pages)
		move->bytes = min_t(u64, move->bytes, bo->tbo.base.size);
	move->pages = pages;
	/* the waiting thread may be killed, and would free them early */
	if (kind == LOOM_MOVE_OUT && bo->shape.region == DRM_LOOM_REGION_SRAM &&
	    loom_move_hold(move, pages)) {
		loom_move_free(move);
		return ERR_PTR(-ENOMEM);
	}
	return loom_move_prepare(move);
}

/**
 * loom_move_create_part() - prepare a move of a part of a resident buffer
 * @bo: the buffer, resident and reserved
 * @kind: LOOM_MOVE_IN or LOOM_MOVE_OUT
 * @offset: first byte of the buffer
 * @bytes: how many, not zero
 * @pages: of the host, for these bytes; the move takes references
 *
 * Return: a move, for loom_move_submit() or loom_move_free(); ERR_PTR(-errno).
 */
struct loom_move *loom_move_create_part(struct loom_bo *bo, enum loom_move_kind kind, u64 offset,
					u64 bytes, struct page **pages)
{
	struct loom_move *move = loom_move_alloc(bo, kind, bo->tbo.resource);

	if (!move)
		return ERR_PTR(-ENOMEM);
	move->offset = offset;
	move->bytes = bytes;
	if (loom_move_hold(move, pages)) {
		loom_move_free(move);
		return ERR_PTR(-ENOMEM);
	}
	return loom_move_prepare(move);
}

/* The caller must have stopped accesses of the device. */
static void loom_move_drop_pages(struct loom_move *move)
{
	u64 i;

	for (i = 0; i < PFN_UP(move->bytes); i++)
		put_page(move->pages[i]);
	kvfree(move->pages);
}

/**
 * loom_move_free() - free a move that was not submitted, or has ended
 * @move: the move
 */
void loom_move_free(struct loom_move *move)
{
	struct loom_device *loom = move->loom;
	struct loom_fence *fence = move->fence;
	u32 i;

	if (move->run)
		loom->backend->memory->release(move);
	if (move->holds)
		loom_move_drop_pages(move);
	for (i = 0; i < move->wait_count; i++)
		dma_fence_put(move->waits[i].fence);
	kfree(move->waits);
	if (move->powered)
		loom_power_put(loom);
	kfree(move->addresses);
	kfree(move);
	drm_dev_put(&loom->drm);
	/* must be last: if the file is closed, the fence pins the module */
	if (fence)
		loom_fence_put(fence);
}

/**
 * loom_move_depend() - make a move wait for a fence
 * @move: the move, not yet submitted
 * @fence: of this device; this takes a reference
 *
 * Return: 0 or -ENOMEM.
 */
int loom_move_depend(struct loom_move *move, struct dma_fence *fence)
{
	struct loom_move_wait *waits;

	if (dma_fence_is_signaled(fence))
		return 0;
	waits = krealloc_array(move->waits, move->wait_count + 1, sizeof(*waits),
			       GFP_KERNEL_ACCOUNT);
	if (!waits)
		return -ENOMEM;
	waits[move->wait_count++] = (struct loom_move_wait) {
		.move = move, .fence = dma_fence_get(fence),
	};
	move->waits = waits;
	return 0;
}

/* Callback of a fence, in any context: the last one makes the move ready. */
static void loom_move_arrived(struct loom_move *move)
{
	struct loom_moves *moves = &move->loom->moves;
	unsigned long flags;

	if (!atomic_dec_and_test(&move->missing))
		return;
	spin_lock_irqsave(&moves->lock, flags);
	list_add_tail(&move->node, &moves->ready);
	queue_work(move->loom->sched_wq, &moves->work);
	spin_unlock_irqrestore(&moves->lock, flags);
}

static void loom_move_signalled(struct dma_fence *fence, struct dma_fence_cb *callback)
{
	loom_move_arrived(container_of(callback, struct loom_move_wait, callback)->move);
}

/**
 * loom_move_submit() - submit a move; nothing may fail after this
 * @move: the move, which may be freed before this returns
 */
void loom_move_submit(struct loom_move *move)
{
	struct loom_moves *moves = &move->loom->moves;
	struct loom_move_wait *wait;

	spin_lock_irq(&moves->lock);
	moves->total++;
	spin_unlock_irq(&moves->lock);
	for (wait = move->waits; wait < move->waits + move->wait_count; wait++) {
		atomic_inc(&move->missing);
		if (dma_fence_add_callback(wait->fence, &wait->callback, loom_move_signalled))
			atomic_dec(&move->missing);
	}
	loom_move_arrived(move);
}

/* End a move that is on no list. DMA mappings must be undone before its fence signals. */
static void loom_move_end(struct loom_move *move, int error)
{
	struct loom_moves *moves = &move->loom->moves;
	struct dma_fence *fence = &move->fence->base;

	if (move->run)
		move->loom->backend->memory->release(move);
	move->run = NULL;
	if (error)
		dma_fence_set_error(fence, error);
	dma_fence_signal(fence);
	spin_lock_irq(&moves->lock);
	if (!--moves->total) {
		move->last = moves->orphans;
		moves->orphans = false;
		wake_up_all(&moves->idle);
	}
	spin_unlock_irq(&moves->lock);
	/*
	 * it may have the last reference to the device, so it must not be freed on a workqueue of
	 * that
	 */
	loom_context_queue(&move->release);
}

/* -------------------------------------------------------------- the device */

static void loom_moves_expect_locked(struct loom_device *loom)
{
	struct loom_moves *moves = &loom->moves;

	lockdep_assert_held(&moves->lock);
	if (moves->count)
		mod_delayed_work(loom->timeout_wq, &moves->deadline,
				 msecs_to_jiffies(LOOM_MOVE_DEADLINE_MS));
}

static struct loom_move *loom_moves_next(struct loom_device *loom, bool dead)
{
	struct loom_moves *moves = &loom->moves;
	struct loom_move *move = NULL;

	spin_lock_irq(&moves->lock);
	if (dead || (!moves->paused && moves->count < moves->limit))
		move = list_first_entry_or_null(&moves->ready, struct loom_move, node);
	if (move && dead) {
		list_del_init(&move->node);
	} else if (move) {
		list_move_tail(&move->node, &moves->running);
		moves->giving = move->id;
		if (!moves->count++)
			loom_moves_expect_locked(loom);
	}
	spin_unlock_irq(&moves->lock);
	return move;
}

static void loom_moves_remove_locked(struct loom_device *loom, struct loom_move *move)
{
	struct loom_moves *moves = &loom->moves;
	bool oldest = list_is_first(&move->node, &moves->running);

	lockdep_assert_held(&moves->lock);
	list_del_init(&move->node);
	if (!--moves->count)
		wake_up_all(&moves->idle);
	if (oldest)
		loom_moves_expect_locked(loom);
}

/* Zero the buffer's pages by the processor. Return: false if the device must do it. */
static bool loom_move_clear(struct loom_move *move)
{
	u64 bytes = move->shape.layout.bytes_per_bank, at, part;
	struct loom_device *loom = move->loom;
	u32 bank;

	if (move->kind != LOOM_MOVE_CLEAR || !loom->backend->memory->clear)
		return false;
	for (bank = loom_mask_next(&move->shape.mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(&move->shape.mask, bank + 1))
		for (at = 0; at < bytes && !READ_ONCE(loom->unplugged); at += part) {
			part = min_t(u64, bytes - at, SZ_1M);
			if (!loom->backend->memory->clear(loom, move->shape.region, bank,
							  loom_move_address(move, bank) + at,
							  part))
				return false;
			cond_resched();
		}
	/* complete the zeroes before readers, and before the device gets jobs */
	wmb();
	return true;
}

static void loom_moves_cleared(struct loom_move *move)
{
	struct loom_device *loom = move->loom;
	struct loom_moves *moves = &loom->moves;

	spin_lock_irq(&moves->lock);
	moves->giving = 0;
	loom_moves_remove_locked(loom, move);
	spin_unlock_irq(&moves->lock);
	loom_move_end(move, READ_ONCE(loom->unplugged) ? -ENODEV : 0);
}

/* A record that arrives meanwhile must wait, because it may free the move. */
static void loom_moves_give(struct loom_move *move)
{
	struct loom_device *loom = move->loom;
	struct loom_moves *moves = &loom->moves;

	loom->backend->memory->run(move);
	spin_lock_irq(&moves->lock);
	moves->giving = 0;
	spin_unlock_irq(&moves->lock);
	wake_up_all(&moves->idle);
}

/*
 * Holds the gate for reading, which excludes resets between list and device, and unplugging.
 * drm_dev_enter() would block the unplugging of other devices, too, and clearing takes long.
 */
static void loom_moves_work(struct work_struct *work)
{
	struct loom_device *loom = container_of(work, struct loom_device, moves.work);
	bool signalling, dead, cleared = false;
	struct loom_move *move;

	down_read(&loom->flight.gate);
	/* a writer of the gate may wait for work that signals fences, see &loom_backend.stop */
	signalling = dma_fence_begin_signalling();
	do {
		dead = READ_ONCE(loom->wedged) || READ_ONCE(loom->unplugged);
		move = loom_moves_next(loom, dead);
		cleared = move && !dead && loom_move_clear(move);
		if (cleared)
			loom_moves_cleared(move);
		else if (move && dead)
			loom_move_end(move, READ_ONCE(loom->unplugged) ? -ENODEV : -EIO);
		else if (move)
			loom_moves_give(move);
	} while (move && !cleared);
	dma_fence_end_signalling(signalling);
	up_read(&loom->flight.gate);
	/* let a waiting writer have the gate */
	if (cleared)
		queue_work(loom->sched_wq, &loom->moves.work);
}

/* Id of the oldest move on the device, or 0. */
static u64 loom_moves_first(struct loom_device *loom)
{
	struct loom_move *move;
	u64 id;

	spin_lock_irq(&loom->moves.lock);
	move = list_first_entry_or_null(&loom->moves.running, struct loom_move, node);
	id = move ? move->id : 0;
	spin_unlock_irq(&loom->moves.lock);
	return id;
}

/* Count a missed deadline. Return: their number so far; 0 if the move has ended. */
static u32 loom_moves_miss(struct loom_device *loom, u64 id)
{
	struct loom_moves *moves = &loom->moves;
	struct loom_move *move;
	u32 missed = 0;

	spin_lock_irq(&moves->lock);
	list_for_each_entry(move, &moves->running, node)
		if (move->id == id)
			missed = ++move->missed;
	spin_unlock_irq(&moves->lock);
	return missed;
}

static void loom_moves_deadline(struct work_struct *work)
{
	struct loom_device *loom = container_of(to_delayed_work(work), struct loom_device,
						moves.deadline);
	u32 missed = 0;
	u64 first;
	int idx;

	if (!drm_dev_enter(&loom->drm, &idx))
		return;
	first = loom_moves_first(loom);
	/* its record may have been written, and the interrupt lost */
	loom_power_poll(loom);
	if (first)
		missed = loom_moves_miss(loom, first);
	if (missed >= LOOM_MOVE_ATTEMPTS)
		loom_device_wedge(loom, "timeout of a move after resets");
	else if (missed && !READ_ONCE(loom->wedged))
		loom_device_hang(loom, READ_ONCE(loom->epoch));
	drm_dev_exit(idx);
}

/**
 * loom_moves_complete() - process a completion record of a move
 * @loom: the device
 * @id: &loom_move.id
 * @epoch: &loom_device.epoch when it was run
 * @failed: the device reports a failure
 *
 * Same rules as loom_jobs_complete(): records of an earlier epoch are dropped, and invalid ones
 * wedge the device. A failure also wedges the device, because all arguments of a move are valid.
 *
 * Return: 0, or -EPROTO when the device was wedged.
 */
int loom_moves_complete(struct loom_device *loom, u64 id, u32 epoch, bool failed)
{
	struct loom_moves *moves = &loom->moves;
	struct loom_move *move, *found = NULL;

	if (READ_ONCE(loom->wedged))
		return -EPROTO;
	if (epoch != READ_ONCE(loom->epoch))
		return 0;
	spin_lock_irq(&moves->lock);
	wait_event_lock_irq(moves->idle, moves->giving != id, moves->lock);
	list_for_each_entry(move, &moves->running, node)
		if (move->id == id) {
			found = move;
			break;
		}
	/* a failed move must not end before the device is off and cannot write any more */
	if (found && !failed)
		loom_moves_remove_locked(loom, found);
	spin_unlock_irq(&moves->lock);
	if (!found || failed) {
		loom_device_wedge(loom, found ? "move failed" :
						"completion record of an unknown move");
		return -EPROTO;
	}
	loom_budget_renew(loom);
	loom_move_end(found, 0);
	queue_work(loom->sched_wq, &moves->work);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(loom_moves_complete, LOOM_COMPAT_NS);

/**
 * loom_moves_pause() - give no moves to the device
 * @loom: the device
 * @timeout_ms: limit of the wait for the moves that it has
 *
 * Return: 0 if it has none; -EBUSY, and it is not paused.
 */
int loom_moves_pause(struct loom_device *loom, u32 timeout_ms)
{
	struct loom_moves *moves = &loom->moves;

	spin_lock_irq(&moves->lock);
	moves->paused = true;
	spin_unlock_irq(&moves->lock);
	if (wait_event_timeout(moves->idle, !READ_ONCE(moves->count),
			       msecs_to_jiffies(timeout_ms)))
		return 0;
	loom_moves_resume(loom);
	return -EBUSY;
}

/* Undo loom_moves_pause(). */
void loom_moves_resume(struct loom_device *loom)
{
	spin_lock_irq(&loom->moves.lock);
	loom->moves.paused = false;
	spin_unlock_irq(&loom->moves.lock);
	queue_work(loom->sched_wq, &loom->moves.work);
}

/**
 * loom_moves_renew() - make the running moves of a device that was reset ready again
 * @loom: the device; the caller must hold the gate for writing, and no records may arrive
 */
void loom_moves_renew(struct loom_device *loom)
{
	struct loom_moves *moves = &loom->moves;

	spin_lock_irq(&moves->lock);
	list_splice_init(&moves->running, &moves->ready);
	moves->count = 0;
	spin_unlock_irq(&moves->lock);
	wake_up_all(&moves->idle);
	queue_work(loom->sched_wq, &moves->work);
}

/**
 * loom_moves_end_all() - end the moves on the device
 * @loom: the device; it must be stopped, and the caller must hold the gate for writing
 * @error: -errno for their fences
 *
 * &loom_moves.work ends those that are ready, or become ready.
 */
void loom_moves_end_all(struct loom_device *loom, int error)
{
	struct loom_moves *moves = &loom->moves;
	struct loom_move *move;

	do {
		spin_lock_irq(&moves->lock);
		move = list_first_entry_or_null(&moves->running, struct loom_move, node);
		if (move) {
			list_del_init(&move->node);
			moves->count--;
		}
		spin_unlock_irq(&moves->lock);
		if (move)
			loom_move_end(move, error);
	} while (move);
	wake_up_all(&moves->idle);
	queue_work(loom->sched_wq, &moves->work);
}

/**
 * loom_moves_closed() - a file is being closed, after its buffers were released
 * @loom: the device
 *
 * Frees leftovers; the last move frees those that remain.
 */
void loom_moves_closed(struct loom_device *loom)
{
	spin_lock_irq(&loom->moves.lock);
	if (loom->moves.total)
		loom->moves.orphans = true;
	spin_unlock_irq(&loom->moves.lock);
	loom_region_reap_leftovers(loom->region);
}

/**
 * loom_moves_drain() - wait until no host memory is mapped for the device
 * @loom: the device, unplugged, or without sources of new moves
 */
void loom_moves_drain(struct loom_device *loom)
{
	wait_event(loom->moves.idle, !READ_ONCE(loom->moves.total));
}

/* Local memory requires operations to move, to map and to reset. */
static int loom_moves_check(struct loom_device *loom)
{
	const struct loom_device_config *config = &loom->config;
	const struct loom_backend *backend = loom->backend;
	u32 id;

	for (id = 0; id < DRM_LOOM_REGION_COUNT; id++) {
		const struct loom_device_memory *memory = &config->memory[id];

		loom->region[id].leftovers.tree = RB_ROOT_CACHED;
		INIT_LIST_HEAD(&loom->region[id].leftovers.age);
		if (!memory->own)
			continue;
		loom->memory = config->memory;
		loom->region[id].own = true;
		loom->region[id].map_bytes = memory->map_bytes;
		if (!backend->reset || !backend->memory || !backend->memory->prepare ||
		    !backend->memory->run || !backend->memory->release ||
		    !config->moves_in_flight ||
		    !IS_ALIGNED(memory->map_bytes, PAGE_SIZE) ||
		    (memory->map_bytes && !backend->memory->pfn))
			return -EINVAL;
	}
	return 0;
}

/**
 * loom_moves_init() - check a device's local memory, and initialise without moves
 * @loom: the device
 * @free: frees a buffer
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int loom_moves_init(struct loom_device *loom, void (*free)(struct loom_bo *bo))
{
	struct loom_moves *moves = &loom->moves;
	int ret = loom_moves_check(loom);

	if (!ret)
		ret = drmm_mutex_init(&loom->drm, &loom->place_lock);
	if (!ret)
		ret = drmm_mutex_init(&loom->drm, &loom->imports_lock);
	if (ret)
		return ret;
	INIT_LIST_HEAD(&loom->imports);
	init_rwsem(&loom->imports_gate);
	loom_dying_init(loom, free);
	spin_lock_init(&moves->lock);
	INIT_LIST_HEAD(&moves->ready);
	INIT_LIST_HEAD(&moves->running);
	moves->limit = loom->config.moves_in_flight;
	init_waitqueue_head(&moves->idle);
	INIT_WORK(&moves->work, loom_moves_work);
	INIT_DELAYED_WORK(&moves->deadline, loom_moves_deadline);
	return 0;
}

/**
 * loom_moves_fini() - undo loom_moves_init()
 * @loom: the device, without moves
 */
void loom_moves_fini(struct loom_device *loom)
{
	cancel_delayed_work_sync(&loom->moves.deadline);
	cancel_work_sync(&loom->moves.work);
}

/* ------------------------------------------------------------ for back ends */

void **loom_move_data(struct loom_move *move)
{
	return &move->run;
}
EXPORT_SYMBOL_NS_GPL(loom_move_data, LOOM_COMPAT_NS);

struct loom_device *loom_move_device(const struct loom_move *move)
{
	return move->loom;
}
EXPORT_SYMBOL_NS_GPL(loom_move_device, LOOM_COMPAT_NS);

u64 loom_move_id(const struct loom_move *move)
{
	return move->id;
}
EXPORT_SYMBOL_NS_GPL(loom_move_id, LOOM_COMPAT_NS);

enum loom_move_kind loom_move_direction(const struct loom_move *move)
{
	return move->kind;
}
EXPORT_SYMBOL_NS_GPL(loom_move_direction, LOOM_COMPAT_NS);

u64 loom_move_bytes(const struct loom_move *move)
{
	return move->bytes;
}
EXPORT_SYMBOL_NS_GPL(loom_move_bytes, LOOM_COMPAT_NS);

/**
 * loom_move_piece() - where bytes of a move are
 * @move: the move
 * @at: first byte in the move, less than loom_move_bytes()
 * @piece: out: as many bytes from there as are contiguous in the bank and in the page
 */
void loom_move_piece(const struct loom_move *move, u64 at, struct loom_move_piece *piece)
{
	const struct loom_layout *layout = &move->shape.layout;
	u64 rest;
	u32 bank;

	/* a page of the layout starts at a multiple of page_bytes of the buffer */
	div64_u64_rem(move->offset + at, layout->page_bytes, &rest);
	loom_layout_map(layout, 0, move->offset + at, &bank, &piece->address);
	piece->region = move->shape.region;
	piece->bank = loom_shape_bank(&move->shape, bank);
	piece->address += loom_move_address(move, piece->bank);
	piece->bytes = min3(move->bytes - at, PAGE_SIZE - at % PAGE_SIZE,
			    layout->page_bytes - rest);
	piece->page = move->pages ? move->pages[at >> PAGE_SHIFT] : NULL;
	piece->page_offset = offset_in_page(at);
}
EXPORT_SYMBOL_NS_GPL(loom_move_piece, LOOM_COMPAT_NS);
