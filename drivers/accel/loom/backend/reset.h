/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_RESET_H
#define LOOM_RESET_H

struct loom_device;
struct loom_job;

void loom_reset(struct loom_device *loom, struct loom_job *guilty);
void loom_reset_init(struct loom_device *loom);

#endif /* LOOM_RESET_H */
