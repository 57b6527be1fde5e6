/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_TTM_H
#define LOOM_TTM_H

struct loom_device;

int loom_ttm_init(struct loom_device *loom);

#endif /* LOOM_TTM_H */
