/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_FILE_H
#define LOOM_FILE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

#include <drm/loom_accel.h>

struct drm_device;
struct drm_file;
struct drm_printer;

/**
 * struct loom_file - an open node
 *
 * Its contexts refer to it, and jobs to their context, so it can outlive the
 * &struct drm_file.
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
	/** @bo_bytes: what the buffers take that it has made, see loom_quota.c */
	atomic64_t bo_bytes;
	/** @busy_ns: time the engine took for its jobs, one that runs included */
	atomic64_t busy_ns;
	/** @jobs: its jobs that have ended */
	atomic64_t jobs;
	/** @no_space_lock: protects @no_space */
	struct mutex no_space_lock;
	/** @no_space: why its last buffer that found no room did not */
	struct drm_loom_no_space no_space;
};

int loom_file_open(struct drm_device *drm, struct drm_file *file);
void loom_file_close(struct drm_device *drm, struct drm_file *file);
void loom_file_show_fdinfo(struct drm_printer *p, struct drm_file *file);

struct loom_file *loom_file_get(struct loom_file *client);
void loom_file_put(struct loom_file *client);

#endif /* LOOM_FILE_H */
