/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_SCRATCH_H
#define LOOM_SCRATCH_H

#include <linux/types.h>

struct loom_mask;
struct loom_plan;
struct loom_region;
struct loom_region_conflict;
struct loom_region_scratch;
struct loom_region_share;

bool loom_region_may_revoke_locked(struct loom_region *region,
				   const struct loom_region_scratch *scratch,
				   const struct loom_region_share *share);
struct loom_region_scratch *loom_region_scratch_first_locked(struct loom_region *region);
struct loom_region_scratch *
loom_region_scratch_next_locked(struct loom_region *region, struct loom_region_scratch *scratch,
				u32 *visited);
bool loom_region_find_conflict_locked(struct loom_region *region, const struct loom_plan *plan,
				      const struct loom_mask *lanes, bool fixed,
				      struct loom_region_conflict *conflict);

#if defined(CONFIG_DRM_ACCEL_LOOM_MOVES) || defined(CONFIG_DRM_ACCEL_LOOM_REPORTS)
int loom_region_revoke(struct loom_region *region, const struct loom_region_share *share);
bool loom_region_holds(struct loom_region *region, const struct loom_region_scratch *scratch);
bool loom_region_find_conflict(struct loom_region *region, const struct loom_plan *plan,
			       struct loom_region_conflict *conflict);
#endif

#endif /* LOOM_SCRATCH_H */
