/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_FILE_H
#define LOOM_FILE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include <drm/loom_accel.h>

#include "backend/turn.h"
#include "sram/sram.h"

/* turns, limits and lanes are by user */
#ifdef CONFIG_DRM_ACCEL_LOOM_TURNS
#define LOOM_FILE_USERS
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_LIMITS
#define LOOM_FILE_USERS
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
#define LOOM_FILE_USERS
#endif

#ifdef LOOM_FILE_USERS
/**
 * struct loom_file_user - a user with open files of a device
 */
struct loom_file_user {
	/** @node: in the list of all, under its lock */
	struct list_head node;
	/** @files: number of open files, under the same lock */
	u32 files;
	/** @device: the device, must only be compared; constant */
	const void *device;
	/** @uid: effective, when the files were opened; constant */
	kuid_t uid;
#ifdef CONFIG_DRM_ACCEL_LOOM_LANES
	/** @lanes: number of lanes that its contexts own; see loom_lanes.c */
	u32 lanes;
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_TURNS
	/** @turns: nodes in the run queue, by priority */
	struct loom_user_turn turns[LOOM_PRIORITY_COUNT];
#endif
};
#endif

/**
 * struct loom_file - an open node
 *
 * The driver_priv of a &struct drm_file. Its contexts and buffers hold references to it, and jobs
 * hold their context.
 */
struct loom_file {
	/** @ref: held by the open node, and by each of its contexts, buffers and plans */
	struct kref ref;
	/** @plans: &struct loom_plan_object by id, under its own lock */
	struct xarray plans;
	/** @contexts: &struct loom_context by id, under its own lock */
	struct xarray contexts;
	/** @closed: its jobs are to end with -ECANCELED; set once, read with READ_ONCE() */
	bool closed;
	/** @id: drm_file.client_id, constant */
	u64 id;
	/** @queued_jobs: its jobs that have not ended */
	atomic64_t queued_jobs;
#ifdef CONFIG_DRM_ACCEL_LOOM_LIMITS
	/** @bo_bytes: bytes of its buffers, see loom_quota.c */
	atomic64_t bo_bytes;
	/** @plans_bytes: bytes of its plans, see loom_quota.c */
	atomic64_t plans_bytes;
	/** @context_count: its contexts that have an id */
	atomic64_t context_count;
#endif
	/**
	 * @busy_ns: engine time of its jobs: those that have ended, and reports of back ends for
	 * others
	 */
	atomic64_t busy_ns;
	/** @shown_ns: maximum that fdinfo has shown of it */
	atomic64_t shown_ns;
	/** @jobs: its jobs that have ended */
	atomic64_t jobs;
#ifdef LOOM_FILE_USERS
	/** @user: the user that opened it; constant */
	struct loom_file_user *user;
#endif
#ifdef CONFIG_DRM_ACCEL_LOOM_TURNS
	/** @turns: its nodes in the run queue, by priority */
	struct loom_file_turn turns[LOOM_PRIORITY_COUNT];
#endif
	/** @jobs_list: &loom_job.client_node of its jobs; under &loom_device.job_lock */
	struct list_head jobs_list;
#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
	/** @no_space_lock: protects @no_space */
	struct mutex no_space_lock;
	/** @no_space: of its last BO_CREATE that failed with ENOSPC */
	struct drm_loom_no_space no_space;
#endif
	/** @share: its bytes in the regions, under &loom_region.lock of each */
	struct loom_region_share share;
};

#ifdef LOOM_FILE_USERS
int __must_check loom_file_user_init(struct loom_file *client, const void *device);
void loom_file_user_fini(struct loom_file *client);
#else
static inline int loom_file_user_init(struct loom_file *client, const void *device)
{
	return 0;
}

static inline void loom_file_user_fini(struct loom_file *client)
{
}
#endif

static inline void loom_file_init_no_space(struct loom_file *client)
{
#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
	mutex_init(&client->no_space_lock);
#endif
}

static inline void loom_file_fini_no_space(struct loom_file *client)
{
#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
	mutex_destroy(&client->no_space_lock);
#endif
}

struct loom_file *loom_file_create(u64 id, const void *device);
struct loom_file *loom_file_get(struct loom_file *client);
void loom_file_put(struct loom_file *client);

#endif /* LOOM_FILE_H */
