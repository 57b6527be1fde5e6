// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-fence.h>

#include "loom_region.h"
#include "scratch.h"

/* Scratch above the floor of the SRAM, see scratch.c. */

/**
 * loom_region_revoke() - cancel jobs that only an exclusive context could submit
 * @region: the SRAM
 * @share: of the client that places a buffer
 *
 * Cancels jobs with scratch above the floor whose file has no effective exclusive context any more.
 * Waits for a running one, which takes one piece of work of the back end: too short to justify
 * passing its fence to users of the buffer.
 *
 * Return: 0 if there is nothing to cancel; -EAGAIN if there may be more space now; -ERESTARTSYS.
 */
int loom_region_revoke(struct loom_region *region, const struct loom_region_share *share)
{
	struct loom_region_scratch *scratch;
	struct dma_fence *fence = NULL;
	bool some = false;
	u32 visited = 0;
	long ret = 0;

	mutex_lock(&region->lock);
	spin_lock(&region->scratch_lock);
	for (scratch = loom_region_scratch_first_locked(region);
	     scratch && scratch->bytes > region->sram.floor_bytes;
	     scratch = loom_region_scratch_next_locked(region, scratch, &visited)) {
		if (!scratch->job || !loom_region_may_revoke_locked(region, scratch, share))
			continue;
		some |= !scratch->revoked || scratch->fence;
		WRITE_ONCE(scratch->revoked, true);
		if (!scratch->fence)
			continue;
		region->revoked(scratch);
		if (!fence)
			fence = dma_fence_get(scratch->fence);
	}
	spin_unlock(&region->scratch_lock);
	mutex_unlock(&region->lock);
	if (fence) {
		ret = dma_fence_wait(fence, true);
		dma_fence_put(fence);
	}
	return ret ?: some ? -EAGAIN : 0;
}

/**
 * loom_region_holds() - whether a hold of scratch is in effect
 * @region: the SRAM
 * @scratch: held or not
 *
 * Return: false if it is not held, or requires an exclusive context that has no effect any more.
 */
bool loom_region_holds(struct loom_region *region, const struct loom_region_scratch *scratch)
{
	bool holds;

	mutex_lock(&region->lock);
	spin_lock(&region->scratch_lock);
	holds = scratch->bytes && (scratch->bytes <= region->sram.floor_bytes ||
				   loom_sram_entitled(&region->sram, scratch->share));
	spin_unlock(&region->scratch_lock);
	mutex_unlock(&region->lock);
	return holds;
}

/**
 * loom_region_find_conflict() - find a fixed buffer that overlaps the scratch of a plan
 * @region: the SRAM
 * @plan: the plan; lane i is bank i
 * @conflict: out: the buffer, if any; the caller must call loom_region_conflict_fini()
 *
 * Return: true if there is one.
 */
bool loom_region_find_conflict(struct loom_region *region, const struct loom_plan *plan,
			       struct loom_region_conflict *conflict)
{
	bool found;

	*conflict = (struct loom_region_conflict) {};
	mutex_lock(&region->lock);
	found = loom_region_find_conflict_locked(region, plan, NULL, true, conflict);
	mutex_unlock(&region->lock);
	return found;
}
