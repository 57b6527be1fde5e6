// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-fence.h>

#include <drm/drm_gem.h>

#include "core/loom_plan.h"
#include "loom_region.h"

/**
 * DOC: Scratch
 *
 * What jobs and reservations hold at the bottom of the SRAM, ordered by size, and which buffer is
 * in the way of more. A file of its own only because it is much; it belongs to loom_region.c.
 *
 * Scratch above the floor that an exclusive context has brought is lost when that has no effect any
 * more and another client needs the room: reservations do not count, and jobs are revoked. One that
 * has not started never will; one that is running is stopped, and waited for.
 *
 * A job begins and ends without &loom_region.lock, which a client holds that has all blocks listed:
 * what it changes is under a spinlock. Who goes by the tree to place something has both, so nothing
 * is added meanwhile; what goes away is no harm. With thousands of jobs in the tree a walk takes
 * long, so it lets jobs end in between, and &loom_region.scratch_next is moved out of their way.
 */

/* How many are looked at until jobs may begin and end again. */
#define LOOM_SCRATCH_LOOKS	32

/* Whether scratch above the floor has to make room for a buffer of another client. */
static bool loom_region_may_revoke_locked(struct loom_region *region,
					  const struct loom_region_scratch *scratch,
					  const struct loom_region_share *share)
{
	lockdep_assert_held(&region->lock);
	return scratch->bytes > region->sram.floor_bytes && scratch->share != share &&
	       !loom_sram_entitled(&region->sram, scratch->share);
}

/* The largest, for who has both locks and walks all. */
static struct loom_region_scratch *loom_region_scratch_first_locked(struct loom_region *region)
{
	lockdep_assert_held(&region->scratch_lock);
	return rb_entry_safe(rb_first_cached(&region->scratch), struct loom_region_scratch, node);
}

/* The next one, or NULL. @looks: how many there were, zero at first. Jobs may have ended. */
static struct loom_region_scratch *
loom_region_scratch_next_locked(struct loom_region *region, struct loom_region_scratch *scratch,
				u32 *looks)
{
	lockdep_assert_held(&region->lock);
	lockdep_assert_held(&region->scratch_lock);
	region->scratch_next = rb_next(&scratch->node);
	if (!(++*looks % LOOM_SCRATCH_LOOKS)) {
		spin_unlock(&region->scratch_lock);
		cond_resched();
		spin_lock(&region->scratch_lock);
	}
	return rb_entry_safe(region->scratch_next, struct loom_region_scratch, node);
}

/**
 * loom_region_scratch_locked() - bytes held at the bottom of a bank and of those behind it
 * @region: the SRAM, locked
 * @bank: the bank
 * @share: of the client that wants to know where a buffer of it can be
 *
 * What others have above the floor once their exclusive context has no effect does not count,
 * unless it is held by a job that may be using it, or that nobody has revoked yet.
 *
 * Return: bytes.
 */
u64 loom_region_scratch_locked(struct loom_region *region, u32 bank,
			       const struct loom_region_share *share)
{
	struct loom_region_scratch *scratch;
	u64 most = 0, bytes;
	u32 looks = 0;

	lockdep_assert_held(&region->lock);
	spin_lock(&region->scratch_lock);
	/* mostly the first one has the most */
	for (scratch = loom_region_scratch_first_locked(region); scratch && scratch->bytes > most;
	     scratch = loom_region_scratch_next_locked(region, scratch, &looks)) {
		bytes = scratch->plan->scratch_ends[bank];
		if (loom_region_may_revoke_locked(region, scratch, share) &&
		    (!scratch->job || (scratch->revoked && !scratch->fence)))
			bytes = min(bytes, region->sram.floor_bytes);
		most = max(most, bytes);
	}
	spin_unlock(&region->scratch_lock);
	return most;
}

static bool loom_region_larger(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct loom_region_scratch, node)->bytes >
	       rb_entry(b, struct loom_region_scratch, node)->bytes;
}

/*
 * Of the buffers that overlap a plan's scratch the one that reaches furthest below its end. @fixed:
 * of those that make no room for others.
 */
static bool loom_region_find_conflict_locked(struct loom_region *region,
					     const struct loom_plan *plan, bool fixed,
					     struct loom_region_conflict *conflict)
{
	u64 base = region->bank.base, worst = 0, end;
	struct loom_region_block *found = NULL;
	struct loom_bank_block *block;
	struct loom_bank_iter iter;
	u32 bank;

	lockdep_assert_held(&region->lock);
	loom_bank_walk(loom_region_bank_locked(region), NULL, &iter);
	/* from the lowest on, as long as one that starts there may reach further */
	while ((block = loom_bank_next_block(&iter)) &&
	       block->start + worst < base + plan->scratch_ends[0]) {
		struct loom_region_block *buffer =
			container_of(block, struct loom_region_block, block);

		/* in the first of its banks, the scratch ends highest */
		bank = loom_mask_next(&buffer->mask, 0);
		if (bank >= plan->lanes)
			continue;
		end = base + plan->scratch_ends[bank];
		if (end <= block->start || end - block->start <= worst ||
		    (fixed && loom_region_displaceable_locked(region, block)))
			continue;
		worst = end - block->start;
		found = buffer;
		*conflict = (struct loom_region_conflict) {
			.bank = bank,
			.start = base,
			.end = end,
			.address = block->start,
			.bytes = block->size,
			.freed = region->freed,
			.displaceable = loom_region_displaceable_locked(region, block),
		};
	}
	/* a buffer gives its block back before it is freed, so the pointer is valid */
	if (found && kref_get_unless_zero(&found->gem->refcount))
		conflict->gem = found->gem;
	return found;
}

/**
 * loom_region_find_conflict() - whether a buffer overlaps the scratch of a plan, and stays there
 * @region: the SRAM
 * @plan: the plan
 * @conflict: out: which one, if there is one; to be given to loom_region_conflict_fini()
 *
 * Return: true if there is one.
 */
bool loom_region_find_conflict(struct loom_region *region, const struct loom_plan *plan,
			       struct loom_region_conflict *conflict)
{
	bool found;

	*conflict = (struct loom_region_conflict) {};
	mutex_lock(&region->lock);
	found = loom_region_find_conflict_locked(region, plan, true, conflict);
	mutex_unlock(&region->lock);
	return found;
}

/**
 * loom_region_conflict_fini() - drop the reference of a conflict
 * @conflict: filled in by loom_region_find_conflict() or loom_region_hold()
 */
void loom_region_conflict_fini(struct loom_region_conflict *conflict)
{
	if (conflict->gem)
		drm_gem_object_put(conflict->gem);
	conflict->gem = NULL;
}

/**
 * loom_region_hold() - keep the bottom of the SRAM for a job or a plan
 * @region: the SRAM
 * @scratch: zeroed or released
 * @plan: whose scratch; lives until it is released
 * @share: of the file that wants it, which lives as long
 * @conflict: out: which buffer overlaps it, if this fails with -EBUSY; to be given to
 *	loom_region_conflict_fini()
 *
 * Return: 0; -EBUSY when a buffer overlaps it; -EACCES when it ends above the floor and the file
 * has no exclusive context in effect.
 */
int loom_region_hold(struct loom_region *region, struct loom_region_scratch *scratch,
		     const struct loom_plan *plan, const struct loom_region_share *share,
		     struct loom_region_conflict *conflict)
{
	int ret = 0;

	*conflict = (struct loom_region_conflict) {};
	if (!plan->scratch_ends[0])
		return 0;
	mutex_lock(&region->lock);
	if (plan->scratch_ends[0] > region->sram.floor_bytes &&
	    !loom_sram_entitled(&region->sram, share)) {
		ret = -EACCES;
	} else if (loom_region_find_conflict_locked(region, plan, false, conflict)) {
		ret = -EBUSY;
	} else {
		spin_lock(&region->scratch_lock);
		scratch->bytes = plan->scratch_ends[0];
		scratch->plan = plan;
		scratch->share = share;
		/* what came of it when it was held before does not count */
		scratch->revoked = false;
		rb_add_cached(&scratch->node, &region->scratch, loom_region_larger);
		spin_unlock(&region->scratch_lock);
	}
	mutex_unlock(&region->lock);
	return ret;
}

/**
 * loom_region_start() - a job is about to use its scratch
 * @region: the SRAM
 * @scratch: held, or not if the job has none
 * @fence: signals when the job is done, after loom_region_release()
 *
 * Return: 0, or -ECANCELED when another client has got the room.
 */
int loom_region_start(struct loom_region *region, struct loom_region_scratch *scratch,
		      struct dma_fence *fence)
{
	int ret = 0;

	if (!scratch->bytes)
		return 0;
	spin_lock(&region->scratch_lock);
	if (scratch->revoked)
		ret = -ECANCELED;
	else
		scratch->fence = fence;
	spin_unlock(&region->scratch_lock);
	return ret;
}

/**
 * loom_region_revoke() - have jobs make room that only an exclusive context could submit
 * @region: the SRAM
 * @share: of the client that needs room for a buffer
 *
 * Jobs with scratch above the floor whose file has no exclusive context in effect any more are
 * cancelled. Waits for one that is running, which takes as long as a piece of work between two
 * looks at loom_job_stop_reason(): too short to let it have the room meanwhile and to hand its
 * fence to whoever uses the buffer.
 *
 * Return: 0 when there is nothing left to cancel; -EAGAIN when there may be more room now;
 * -ERESTARTSYS.
 */
int loom_region_revoke(struct loom_region *region, const struct loom_region_share *share)
{
	struct loom_region_scratch *scratch;
	struct dma_fence *fence = NULL;
	bool some = false;
	u32 looks = 0;
	long ret = 0;

	mutex_lock(&region->lock);
	spin_lock(&region->scratch_lock);
	for (scratch = loom_region_scratch_first_locked(region);
	     scratch && scratch->bytes > region->sram.floor_bytes;
	     scratch = loom_region_scratch_next_locked(region, scratch, &looks)) {
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
 * loom_region_holds() - whether scratch is still kept free of buffers
 * @region: the SRAM
 * @scratch: held or not
 *
 * Return: false if it is not held, or if that has no effect without an exclusive context.
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
 * loom_region_release() - undo loom_region_hold()
 * @region: the SRAM
 * @scratch: held or not
 */
void loom_region_release(struct loom_region *region, struct loom_region_scratch *scratch)
{
	if (!scratch->bytes)
		return;
	spin_lock(&region->scratch_lock);
	if (region->scratch_next == &scratch->node)
		region->scratch_next = rb_next(&scratch->node);
	rb_erase_cached(&scratch->node, &region->scratch);
	scratch->bytes = 0;
	scratch->fence = NULL;
	spin_unlock(&region->scratch_lock);
}
