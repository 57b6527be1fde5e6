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
 * struct loom_turn_share - one of those who take turns
 *
 * All is under the lock of who keeps order, see backend/turn.c; as in the structures that follow.
 */
struct loom_turn_share {
	/** @node: in a &struct loom_turn_round while it has jobs */
	struct list_head node;
	/** @round: when @left_ns was filled up */
	u64 round;
	/** @left_ns: what is left of its time slice */
	u64 left_ns;
};

/**
 * struct loom_turn_round - those who take turns
 */
struct loom_turn_round {
	/** @active: &struct loom_turn_share with some of their slice left, the next one first */
	struct list_head active;
	/** @expired: those that wait for the next round */
	struct list_head expired;
	/** @round: number of this one */
	u64 round;
};

/**
 * struct loom_user_turn - a user among those who want the engine, at one priority
 */
struct loom_user_turn {
	/** @share: among the users */
	struct loom_turn_share share;
	/** @files: of &loom_file_turn.share: those with jobs */
	struct loom_turn_round files;
};

/**
 * struct loom_file_turn - a client among those of its user, at one priority
 */
struct loom_file_turn {
	/** @share: among the files of @user */
	struct loom_turn_share share;
	/** @jobs: its jobs that the back end has, the next one first */
	struct list_head jobs;
	/** @user: who opened it; constant */
	struct loom_user_turn *user;
};

/**
 * struct loom_file_user - a user who has files of a device open
 */
struct loom_file_user {
	/** @node: in the list of all, under its lock */
	struct list_head node;
	/** @files: how many, under the same lock */
	u32 files;
	/** @device: the device, only compared; constant */
	const void *device;
	/** @uid: effective, when the files were opened; constant */
	kuid_t uid;
	/** @turns: place in the back end's order, by priority */
	struct loom_user_turn turns[LOOM_PRIORITY_COUNT];
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
	/** @user: who opened it; constant */
	struct loom_file_user *user;
	/** @turns: its place in the back end's order, by priority */
	struct loom_file_turn turns[LOOM_PRIORITY_COUNT];
	/** @jobs_list: &loom_job.client_node of its jobs; under &loom_device.job_lock */
	struct list_head jobs_list;
	/** @no_space_lock: protects @no_space */
	struct mutex no_space_lock;
	/** @no_space: of its last BO_CREATE that failed with ENOSPC */
	struct drm_loom_no_space no_space;
	/** @share: what it has of the regions, under &loom_region.lock of each */
	struct loom_region_share share;
};

void loom_turn_round_init(struct loom_turn_round *round);
struct loom_file *loom_file_create(u64 id, const void *device);
struct loom_file *loom_file_get(struct loom_file *client);
void loom_file_put(struct loom_file *client);

#endif /* LOOM_FILE_H */
