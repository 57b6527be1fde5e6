/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_POWER_H
#define LOOM_POWER_H

struct device;
struct loom_device;

/* After so long without a job the device is stopped. */
#define LOOM_POWER_IDLE_MS	100

int loom_power_init(struct loom_device *loom);
int loom_power_on(struct loom_device *loom);
void loom_power_off(struct loom_device *loom);
int loom_power_reset(struct loom_device *loom);

#endif /* LOOM_POWER_H */
