/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_REPORT_H
#define LOOM_REPORT_H

struct loom_job;

void loom_report_timeout(struct loom_job *job);

#endif /* LOOM_REPORT_H */
