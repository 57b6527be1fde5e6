/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_GRACE_H
#define LOOM_GRACE_H

#include <linux/types.h>

struct loom_device;
struct loom_job;

bool loom_grace_wait(struct loom_job *job, bool moves);
void loom_grace_init(struct loom_device *loom);

#endif /* LOOM_GRACE_H */
