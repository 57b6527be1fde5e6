/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_RESET_H
#define LOOM_RESET_H

#include <linux/types.h>
#include <linux/workqueue.h>

#include "loom_device.h"

/**
 * loom_reset_later() - have the device reset, unless it has been meanwhile
 * @loom: the device
 * @epoch: &loom_device.epoch in which it was found to hang
 */
static inline void loom_reset_later(struct loom_device *loom, u32 epoch)
{
	WRITE_ONCE(loom->hang_epoch, epoch);
	queue_work(loom->timeout_wq, &loom->hang_work);
}

void loom_reset(struct loom_device *loom, u64 guilty);
void loom_reset_init(struct loom_device *loom);

#endif /* LOOM_RESET_H */
