/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_MOVE_H
#define LOOM_MOVE_H

#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "loom_shape.h"

struct loom_bo;
struct loom_device;
struct loom_fence;
struct loom_move;
struct page;

/**
 * enum loom_move_kind - what becomes of the bytes of a buffer
 */
enum loom_move_kind {
	/** @LOOM_MOVE_CLEAR: in the region they become zeroes, those behind the last one, too */
	LOOM_MOVE_CLEAR,
	/** @LOOM_MOVE_IN: they are copied from pages of the host to the region */
	LOOM_MOVE_IN,
	/** @LOOM_MOVE_OUT: they are copied from the region to pages of the host */
	LOOM_MOVE_OUT,
};

/**
 * struct loom_move_wait - a fence that a move waits for
 */
struct loom_move_wait {
	/** @callback: of @fence, once the move was let go */
	struct dma_fence_cb callback;
	/** @move: who waits */
	struct loom_move *move;
	/** @fence: with a reference */
	struct dma_fence *fence;
};

/**
 * struct loom_move - bytes of a buffer on their way
 *
 * Owned by who creates it until it is let go, then by the device, until it has ended. It refers to
 * no buffer: pages and addresses are kept for it by its fence.
 */
struct loom_move {
	/** @node: in &loom_moves.ready or &loom_moves.running, under &loom_moves.lock */
	struct list_head node;
	/** @loom: the device, with a reference */
	struct loom_device *loom;
	/** @fence: signals when it has ended */
	struct loom_fence *fence;
	/** @id: number of the move on its device, not zero; constant */
	u64 id;
	/** @kind: what it does, constant */
	enum loom_move_kind kind;
	/** @shape: of the buffer, its size rounded up to whole pages of the layout; constant */
	struct loom_shape shape;
	/** @address: of the buffer, in each of its banks; constant */
	u64 address;
	/** @offset: first byte of the buffer; not zero only if it is a part of it; constant */
	u64 offset;
	/** @bytes: how many, from @offset; constant */
	u64 bytes;
	/**
	 * @pages: of the host, the first of @bytes at the begin of the first page, but for
	 * LOOM_MOVE_CLEAR; constant
	 */
	struct page **pages;
	/** @holds: it has references to @pages, and the array is its own */
	bool holds;
	/** @waits: what it waits for; its creator's until it is let go */
	struct loom_move_wait *waits;
	/** @wait_count: number of @waits */
	u32 wait_count;
	/** @missing: how many of them have not signalled, and one while it is not let go */
	atomic_t missing;
	/** @missed: deadlines in which the device did not end it, under &loom_moves.lock */
	u32 missed;
	/** @powered: holds a reference of runtime PM */
	bool powered;
	/** @last: what files that were closed have left behind is to be freed with it */
	bool last;
	/** @run: owned by the back end */
	void *run;
	/** @release: frees it, from where the device may go with it */
	struct work_struct release;
};

/**
 * struct loom_moves - moves of a device
 */
struct loom_moves {
	/** @lock: protects what follows, but for @work, @deadline and @ids; a spinlock for irqs */
	spinlock_t lock;
	/** @ready: those that wait for nothing but the device to have room */
	struct list_head ready;
	/** @running: those that the device has, the oldest first */
	struct list_head running;
	/** @count: number of @running */
	u32 count;
	/** @total: number of all that were let go and have not ended */
	u32 total;
	/** @orphans: a file was closed before moves had ended that may be of its buffers */
	bool orphans;
	/** @giving: &loom_move.id of who is being given to the device, or 0 */
	u64 giving;
	/** @limit: most that @count may be, constant */
	u32 limit;
	/** @paused: none is given to the device */
	bool paused;
	/** @idle: for who waits until @count or @total is 0, or @giving is another */
	wait_queue_head_t idle;
	/** @work: gives moves to the device */
	struct work_struct work;
	/** @deadline: the device has not ended the oldest for long */
	struct delayed_work deadline;
	/** @ids: the last &loom_move.id that was given */
	atomic64_t ids;
};

struct loom_move *loom_move_create(struct loom_bo *bo, enum loom_move_kind kind, u64 address,
				   struct page **pages);
struct loom_move *loom_move_create_part(struct loom_bo *bo, enum loom_move_kind kind, u64 offset,
					u64 bytes, struct page **pages);
void loom_move_free(struct loom_move *move);
int __must_check loom_move_depend(struct loom_move *move, struct dma_fence *fence);
void loom_move_go(struct loom_move *move);

void loom_moves_init(struct loom_device *loom, u32 limit);
void loom_moves_closed(struct loom_device *loom);
int loom_moves_pause(struct loom_device *loom, u32 timeout_ms);
void loom_moves_resume(struct loom_device *loom);
void loom_moves_renew(struct loom_device *loom);
void loom_moves_end_all(struct loom_device *loom, int error);
void loom_moves_drain(struct loom_device *loom);

#endif /* LOOM_MOVE_H */
