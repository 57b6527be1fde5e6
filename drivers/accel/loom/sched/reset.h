/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_RESET_H
#define LOOM_RESET_H

#include <linux/types.h>

struct loom_device;

void loom_reset(struct loom_device *loom, u64 guilty);
void loom_reset_init(struct loom_device *loom);

#endif /* LOOM_RESET_H */
