/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_POWER_H
#define LOOM_POWER_H

#include <linux/types.h>

struct device;
struct loom_device;

/* Idle time after which the device is stopped. */
#define LOOM_POWER_IDLE_MS	100

int loom_power_set(struct loom_device *loom, bool *what, bool value);
int loom_power_reset(struct loom_device *loom);

bool loom_power_hold(struct loom_device *loom);
void loom_power_release(struct loom_device *loom);
void loom_power_poll(struct loom_device *loom);
int loom_power_get(struct loom_device *loom);
void loom_power_put(struct loom_device *loom);

#endif /* LOOM_POWER_H */
