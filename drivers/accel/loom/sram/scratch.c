// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-fence.h>

#include <drm/drm_gem.h>

#include "core/loom_plan.h"
#include "floor.h"
#include "loom_region.h"
#include "scratch.h"

/**
 * DOC: Scratch
 *
 * Scratch of jobs and reservations at the bottom of the SRAM, ordered by size, and the search for
 * conflicting buffers. Split from loom_region.c only because of its size.
 *
 * Scratch above the floor, from an exclusive context, is lost when that has no effect any more and
 * another client needs the space: reservations do not count, and jobs are revoked. A job that has
 * not started never will; a running one is stopped and waited for.
 *
 * A job must begin and end without &loom_region.lock, which a client may hold while it lists all
 * blocks: its changes are under a spinlock. A thread that places a buffer holds both locks, so
 * entries cannot be added meanwhile; removals are harmless. A walk over thousands of jobs takes
 * long, so it drops the spinlock at times, and a job that ends advances &loom_region.scratch_next
 * if that points to it.
 */

/* Number of entries visited before the spinlock is dropped. */
#define LOOM_SCRATCH_PIECE	32

/* Whether scratch above the floor must be revoked for a buffer of another client. */
bool loom_region_may_revoke_locked(struct loom_region *region,
				   const struct loom_region_scratch *scratch,
				   const struct loom_region_share *share)
{
	lockdep_assert_held(&region->lock);
	return scratch->bytes > region->sram.floor_bytes && scratch->share != share &&
	       !loom_sram_entitled(&region->sram, scratch->share);
}

/* Begin a walk at the largest entry. The caller must hold both locks. */
struct loom_region_scratch *loom_region_scratch_first_locked(struct loom_region *region)
{
	lockdep_assert_held(&region->scratch_lock);
	return rb_entry_safe(rb_first_cached(&region->scratch), struct loom_region_scratch, node);
}

/*
 * The next entry, or NULL. @visited: number of visited entries, zero at first. Jobs may have ended.
 */
struct loom_region_scratch *
loom_region_scratch_next_locked(struct loom_region *region, struct loom_region_scratch *scratch,
				u32 *visited)
{
	lockdep_assert_held(&region->lock);
	lockdep_assert_held(&region->scratch_lock);
	region->scratch_next = rb_next(&scratch->node);
	if (!(++*visited % LOOM_SCRATCH_PIECE)) {
		spin_unlock(&region->scratch_lock);
		cond_resched();
		spin_lock(&region->scratch_lock);
	}
	return rb_entry_safe(region->scratch_next, struct loom_region_scratch, node);
}

/* Bytes of a plan's scratch in a bank of @lanes, which are as &loom_region_scratch.lanes. */
static u64 loom_region_scratch_end(const struct loom_plan *plan, const struct loom_mask *lanes,
				   u32 bank)
{
	u32 lane = bank, i;

	if (lanes) {
		lane = hweight64(lanes->word[bank / 64] & (BIT_ULL(bank % 64) - 1));
		for (i = 0; i < bank / 64; i++)
			lane += hweight64(lanes->word[i]);
	}
	return lane < plan->lanes ? plan->scratch_ends[lane] : 0;
}

/* The first bank of a buffer that a plan may use, or DRM_LOOM_MAX_BANKS. */
static u32 loom_region_first_common(const struct loom_mask *mask, const struct loom_mask *lanes)
{
	struct loom_mask both = *mask;
	u32 i;

	for (i = 0; lanes && i < ARRAY_SIZE(both.word); i++)
		both.word[i] &= lanes->word[i];
	return loom_mask_next(&both, 0);
}

/**
 * loom_region_scratch_locked() - bytes held at the bottom of some banks
 * @region: the SRAM, locked
 * @mask: the banks
 * @share: of the client that places a buffer
 *
 * Scratch of others above the floor without an effective exclusive context does not count, unless a
 * job holds it that may be using it, or that is not yet revoked.
 *
 * Return: bytes, the maximum over the banks.
 */
u64 loom_region_scratch_locked(struct loom_region *region, const struct loom_mask *mask,
			       const struct loom_region_share *share)
{
	struct loom_region_scratch *scratch;
	u64 most = 0, bytes;
	u32 visited = 0, bank;

	lockdep_assert_held(&region->lock);
	spin_lock(&region->scratch_lock);
	/* usually the first one has the maximum */
	for (scratch = loom_region_scratch_first_locked(region); scratch && scratch->bytes > most;
	     scratch = loom_region_scratch_next_locked(region, scratch, &visited)) {
		/* the scratch ends highest in the first of its banks */
		bank = loom_region_first_common(mask, scratch->lanes);
		if (bank >= DRM_LOOM_MAX_BANKS)
			continue;
		bytes = loom_region_scratch_end(scratch->plan, scratch->lanes, bank);
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
 * Find the buffer with the largest overlap with a plan's scratch. @fixed: only buffers that are not
 * displaceable. @lanes: as &loom_region_scratch.lanes.
 */
bool loom_region_find_conflict_locked(struct loom_region *region, const struct loom_plan *plan,
				      const struct loom_mask *lanes, bool fixed,
				      struct loom_region_conflict *conflict)
{
	u64 base = region->bank.base, worst = 0, end;
	struct loom_region_block *found = NULL;
	struct loom_bank_block *block;
	struct loom_bank_iter iter;
	u32 bank;

	lockdep_assert_held(&region->lock);
	loom_bank_walk(loom_region_bank_locked(region), NULL, &iter);
	/* ascending addresses, until later buffers cannot overlap more */
	while ((block = loom_bank_next_block(&iter)) &&
	       block->start + worst < base + plan->scratch_ends[0]) {
		struct loom_region_block *buffer =
			container_of(block, struct loom_region_block, block);

		/* the scratch ends highest in the first bank of both */
		bank = loom_region_first_common(&buffer->mask, lanes);
		if (bank >= DRM_LOOM_MAX_BANKS)
			continue;
		end = base + loom_region_scratch_end(plan, lanes, bank);
		if (end <= block->start || end - block->start <= worst ||
		    (fixed && loom_region_displaceable_locked(region, buffer)))
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
			.displaceable = loom_region_displaceable_locked(region, buffer),
		};
	}
	/* a buffer frees its block before itself, so the pointer is valid */
	if (found && kref_get_unless_zero(&found->gem->refcount))
		conflict->gem = found->gem;
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
 * loom_region_hold() - hold the scratch of a job or a reservation
 * @region: the SRAM
 * @scratch: zeroed or released, with its lanes set
 * @plan: the plan; must live until the release
 * @share: of the file; must live until the release
 * @conflict: out: the overlapping buffer on -EBUSY; the caller must call
 *	loom_region_conflict_fini()
 *
 * Return: 0; -EBUSY if a buffer overlaps it; -EACCES if it ends above the floor and the file has no
 * effective exclusive context.
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
	} else if (loom_region_find_conflict_locked(region, plan, scratch->lanes, false,
						    conflict)) {
		ret = -EBUSY;
	} else {
		spin_lock(&region->scratch_lock);
		scratch->bytes = plan->scratch_ends[0];
		scratch->plan = plan;
		scratch->share = share;
		/* clear the state of an earlier hold */
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
 * Return: 0, or -ECANCELED if another client has got the space.
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
