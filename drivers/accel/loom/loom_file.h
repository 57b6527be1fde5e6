/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_FILE_H
#define LOOM_FILE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

#include <drm/loom_accel.h>

/**
 * struct loom_file - an open node
 *
 * The driver_priv of a &struct drm_file. Its contexts and the buffers that it made refer to it, and
 * jobs refer to their context.
 */
struct loom_file {
	/** @ref: the open node, each context, and each buffer that it made */
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
	/** @busy_ns: time that the engine worked on its jobs, a running one included */
	atomic64_t busy_ns;
	/** @jobs: its jobs that have ended */
	atomic64_t jobs;
	/** @no_space_lock: protects @no_space */
	struct mutex no_space_lock;
	/** @no_space: of its last BO_CREATE that failed with ENOSPC */
	struct drm_loom_no_space no_space;
};

struct loom_file *loom_file_create(u64 id);
struct loom_file *loom_file_get(struct loom_file *client);
void loom_file_put(struct loom_file *client);

#endif /* LOOM_FILE_H */
