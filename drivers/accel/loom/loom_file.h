/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_FILE_H
#define LOOM_FILE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include <drm/loom_accel.h>

#include "sram/sram.h"

/* Of &enum drm_loom_priority, the least urgent first. */
#define LOOM_PRIORITY_COUNT	(DRM_LOOM_PRIORITY_HIGH + 1)

/**
 * struct loom_file_turn - a client among those who want the engine, at one priority
 *
 * All is under the lock of who keeps order, see backend/turn.c.
 */
struct loom_file_turn {
	/** @node: in the back end's list while there are @jobs */
	struct list_head node;
	/** @jobs: its jobs that the back end has, the next one first */
	struct list_head jobs;
	/** @round: when @left_ns was filled up */
	u64 round;
	/** @left_ns: what is left of its time slice */
	u64 left_ns;
};

/**
 * struct loom_file - an open node
 *
 * The driver_priv of a &struct drm_file. Its contexts and the buffers that it made refer to it, and
 * jobs refer to their context.
 */
struct loom_file {
	/** @ref: the open node, each context, and each buffer and plan that it made */
	struct kref ref;
	/** @plans: &struct loom_plan_object by id, under its own lock */
	struct xarray plans;
	/** @contexts: &struct loom_context by id, under its own lock */
	struct xarray contexts;
	/** @closed: its jobs are to end with -ECANCELED; set once, read with READ_ONCE() */
	bool closed;
	/** @id: drm_file.client_id, constant */
	u64 id;
	/** @uid: real user of who opened it, constant */
	kuid_t uid;
	/** @bo_bytes: bytes of the buffers that it made, see loom_quota.c */
	atomic64_t bo_bytes;
	/** @plans_bytes: bytes of its plans, see loom_quota.c */
	atomic64_t plans_bytes;
	/** @queued_jobs: its jobs that have not ended */
	atomic64_t queued_jobs;
	/** @context_count: its contexts that have an id */
	atomic64_t context_count;
	/**
	 * @busy_ns: time that the engine worked on its jobs: those that have ended, and what back
	 * ends have said of others
	 */
	atomic64_t busy_ns;
	/** @shown_ns: most that fdinfo has shown of that */
	atomic64_t shown_ns;
	/** @jobs: its jobs that have ended */
	atomic64_t jobs;
	/** @turns: its place in the back end's order, by priority */
	struct loom_file_turn turns[LOOM_PRIORITY_COUNT];
	/** @jobs_list: &loom_job.client_node of its jobs; under &loom_device.job_lock */
	struct list_head jobs_list;
	/** @no_space_lock: protects @no_space */
	struct mutex no_space_lock;
	/** @no_space: of its last BO_CREATE that failed with ENOSPC */
	struct drm_loom_no_space no_space;
	/** @sram: what it has of the SRAM, under loom_region.lock of that */
	struct loom_sram_share sram;
};

struct loom_file *loom_file_create(u64 id);
struct loom_file *loom_file_get(struct loom_file *client);
void loom_file_put(struct loom_file *client);

#endif /* LOOM_FILE_H */
