/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_HOST_H
#define LOOM_HOST_H

#include "loom_bo.h"

#ifdef CONFIG_DRM_ACCEL_LOOM_MOVES
bool loom_bo_on_host(const struct loom_bo *bo);
bool loom_bo_has_no_pages(const struct loom_bo *bo);
bool loom_bo_stays_on_host(const struct loom_bo *bo);
#else
/* no local memory */
static inline bool loom_bo_has_no_pages(const struct loom_bo *bo)
{
	return false;
}

static inline bool loom_bo_stays_on_host(const struct loom_bo *bo)
{
	return false;
}
#endif

#endif /* LOOM_HOST_H */
