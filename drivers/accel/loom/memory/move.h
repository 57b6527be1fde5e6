/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_MOVE_H
#define LOOM_MOVE_H

#include <linux/dma-fence.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
#include "backend/memory.h"
#endif
#include "loom_shape.h"

struct loom_bo;
struct loom_device;
struct loom_fence;
struct loom_move;
struct page;
struct ttm_resource;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
/**
 * struct loom_move_wait - a fence that a move waits for
 */
struct loom_move_wait {
	/** @callback: of @fence, once the move was submitted */
	struct dma_fence_cb callback;
	/** @move: the waiting move */
	struct loom_move *move;
	/** @fence: with a reference */
	struct dma_fence *fence;
};

/**
 * struct loom_move - a copy of bytes of a buffer
 *
 * Owned by its creator until it is submitted, then by the device until it has ended. It has no
 * reference to the buffer: its fence keeps pages and addresses from being reused.
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
	/** @kind: its direction, constant */
	enum loom_move_kind kind;
	/** @shape: of the buffer, its size rounded up to whole pages of the layout; constant */
	struct loom_shape shape;
	/** @address: of the buffer, in each of its banks, or in the lowest one; constant */
	u64 address;
	/** @addresses: of a buffer with an address per bank: by bank; otherwise NULL; constant */
	u64 *addresses;
	/** @offset: first byte in the buffer, 0 for a whole buffer; constant */
	u64 offset;
	/** @bytes: number of bytes from @offset; constant */
	u64 bytes;
	/**
	 * @pages: of the host, from the begin of the first page; NULL for LOOM_MOVE_CLEAR; constant
	 */
	struct page **pages;
	/** @holds: it owns references to @pages, and the array */
	bool holds;
	/** @waits: its dependencies; owned by its creator until it is submitted */
	struct loom_move_wait *waits;
	/** @wait_count: number of @waits */
	u32 wait_count;
	/** @missing: number of pending @waits, plus one until it is submitted */
	atomic_t missing;
	/** @missed: number of missed deadlines, under &loom_moves.lock */
	u32 missed;
	/** @powered: holds a reference of runtime PM */
	bool powered;
	/** @last: leftovers of closed files must be freed with it */
	bool last;
	/** @run: owned by the back end */
	void *run;
	/** @release: frees it in a thread that may free the device */
	struct work_struct release;
};

/**
 * struct loom_moves - moves of a device
 */
struct loom_moves {
	/** @lock: protects all but @work, @deadline and @ids; taken with interrupts off */
	spinlock_t lock;
	/** @ready: moves whose dependencies have signalled */
	struct list_head ready;
	/** @running: moves on the device, the oldest first */
	struct list_head running;
	/** @count: number of @running */
	u32 count;
	/** @total: number of submitted moves that have not ended */
	u32 total;
	/** @orphans: a file was closed while moves were pending */
	bool orphans;
	/** @giving: &loom_move.id of the move being given to the device, or 0 */
	u64 giving;
	/** @limit: maximum of @count, constant */
	u32 limit;
	/** @paused: no moves are given to the device */
	bool paused;
	/** @idle: woken up when @count or @total becomes 0, or @giving changes */
	wait_queue_head_t idle;
	/** @work: gives moves to the device */
	struct work_struct work;
	/** @deadline: expires when the device does not end the oldest move */
	struct delayed_work deadline;
	/** @ids: the last &loom_move.id that was given */
	atomic64_t ids;
};

struct loom_move *loom_move_create(struct loom_bo *bo, enum loom_move_kind kind,
				   struct ttm_resource *resource, struct page **pages);
struct loom_move *loom_move_create_part(struct loom_bo *bo, enum loom_move_kind kind, u64 offset,
					u64 bytes, struct page **pages);
void loom_move_free(struct loom_move *move);
int __must_check loom_move_depend(struct loom_move *move, struct dma_fence *fence);
void loom_move_submit(struct loom_move *move);

int __must_check loom_moves_init(struct loom_device *loom, void (*free)(struct loom_bo *bo));
void loom_moves_fini(struct loom_device *loom);
void loom_moves_closed(struct loom_device *loom);
int loom_moves_pause(struct loom_device *loom, u32 timeout_ms);
void loom_moves_resume(struct loom_device *loom);
void loom_moves_renew(struct loom_device *loom);
void loom_moves_end_all(struct loom_device *loom, int error);
void loom_moves_drain(struct loom_device *loom);

/* Address of the buffer in a bank of its region. */
static inline u64 loom_move_address(const struct loom_move *move, u32 bank)
{
	return move->addresses ? move->addresses[bank] : move->address;
}
#else
/* no local memory */
static inline int loom_moves_init(struct loom_device *loom, void (*free)(struct loom_bo *bo))
{
	return 0;
}

static inline void loom_moves_fini(struct loom_device *loom)
{
}

static inline void loom_moves_closed(struct loom_device *loom)
{
}

static inline int loom_moves_pause(struct loom_device *loom, u32 timeout_ms)
{
	return 0;
}

static inline void loom_moves_resume(struct loom_device *loom)
{
}

static inline void loom_moves_renew(struct loom_device *loom)
{
}

static inline void loom_moves_end_all(struct loom_device *loom, int error)
{
}

static inline void loom_moves_drain(struct loom_device *loom)
{
}
#endif

#endif /* LOOM_MOVE_H */
