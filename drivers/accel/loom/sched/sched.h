/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SCHED_H
#define LOOM_SCHED_H

struct loom_bo;
struct loom_device;
struct loom_file;
struct loom_job;
struct loom_region_scratch;

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
void loom_job_revoked(struct loom_region_scratch *scratch);
int loom_job_revoke(struct loom_device *loom, struct loom_bo *bo);
void loom_job_enlist(struct loom_job *job);
void loom_job_delist_locked(struct loom_job *job);
#else
#define loom_job_revoked	NULL

static inline void loom_job_enlist(struct loom_job *job)
{
}

static inline void loom_job_delist_locked(struct loom_job *job)
{
}

static inline int loom_job_revoke(struct loom_device *loom, struct loom_bo *bo)
{
	return 0;
}
#endif

void loom_job_stop_all(struct loom_device *loom, struct loom_file *client);
void loom_job_free(struct loom_job *job);

int loom_job_device_init(struct loom_device *loom);
void loom_job_device_fini(struct loom_device *loom);

#endif /* LOOM_SCHED_H */
