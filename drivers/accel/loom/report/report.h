/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_REPORT_H
#define LOOM_REPORT_H

struct loom_job;
struct loom_report;

#ifdef CONFIG_DRM_ACCEL_LOOM_REPORTS
struct loom_report *loom_report_create(struct loom_job *job);
void loom_report_end(struct loom_report *report, struct loom_job *job);
#else
static inline struct loom_report *loom_report_create(struct loom_job *job)
{
	return NULL;
}

static inline void loom_report_end(struct loom_report *report, struct loom_job *job)
{
}
#endif

#endif /* LOOM_REPORT_H */
