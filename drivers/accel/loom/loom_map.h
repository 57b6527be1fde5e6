/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_MAP_H
#define LOOM_MAP_H

#include "loom_bo.h"

#ifdef CONFIG_DRM_ACCEL_LOOM_OPS
int loom_bo_map_locked(struct loom_bo *bo);
void loom_map_end_locked(struct ttm_buffer_object *tbo);
#else
/* the processor runs no jobs */
#define loom_map_end_locked	NULL
#endif

#endif /* LOOM_MAP_H */
