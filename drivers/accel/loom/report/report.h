/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_REPORT_H
#define LOOM_REPORT_H

struct loom_job;
struct loom_report;

struct loom_report *loom_report_create(struct loom_job *job);
void loom_report_end(struct loom_report *report, struct loom_job *job);

#endif /* LOOM_REPORT_H */
