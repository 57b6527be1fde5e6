// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-fence.h>
#include <linux/interval_tree_generic.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "loom_bo.h"
#include "loom_file.h"
#include "loom_leftover.h"
#include "loom_region.h"

/**
 * DOC: Leftovers
 *
 * Outside of the SRAM a buffer may be evicted while jobs use it (memory/bytes.c). Its address is
 * free for others then, and the fences of these jobs are kept as a leftover in a tree of ranges.
 * A later job that uses another buffer at these addresses waits for them. So no other jobs wait for
 * them, and two running jobs never use an address for different buffers. A leftover stays in the
 * tree even after its range is reallocated. Each insertion checks a few of the oldest ones and
 * frees those that are done; as this is more than one, the size of the tree is bounded at constant
 * cost. The last ones are freed when a file is closed, or when the last job or move of a closed
 * file has ended, because their fences pin the module. The SRAM has no leftovers: jobs that use a
 * buffer end before it loses its address there.
 *
 * Rejected: passing the fences from block to block. A block would need space for those of all
 * blocks before it, which cannot be allocated under the lock. Also rejected: one fence per region
 * that new buffers wait for (TTM's ttm_resource_manager.move): a job of a minute would then block
 * all buffers placed after it.
 */

/**
 * struct loom_region_leftover - freed addresses with fences of jobs that may still use them
 *
 * Belongs to the block until that is given back, then to the region until its fences have
 * signalled.
 */
struct loom_region_leftover {
	/** @node: in &loom_leftovers.tree */
	struct rb_node node;
	/** @subtree_last: largest @last in the subtree */
	u64 subtree_last;
	/** @start: first byte, in each of the banks */
	u64 start;
	/** @last: last byte */
	u64 last;
	/** @mask: the banks */
	struct loom_mask mask;
	/** @age: in &loom_leftovers.age */
	struct list_head age;
	/** @fences: of the jobs, with references */
	struct dma_fence **fences;
	/** @count: number of @fences */
	u32 count;
};

#define LOOM_LEFTOVER_START(leftover)	((leftover)->start)
#define LOOM_LEFTOVER_LAST(leftover)	((leftover)->last)

INTERVAL_TREE_DEFINE(struct loom_region_leftover, node, u64, subtree_last, LOOM_LEFTOVER_START,
		     LOOM_LEFTOVER_LAST, static, loom_leftover)

/* Number of the oldest leftovers checked per insertion. */
#define LOOM_LEFTOVER_CHECKS	4

static void loom_region_leftover_free(struct loom_region_leftover *leftover)
{
	u32 i;

	for (i = 0; i < leftover->count; i++)
		dma_fence_put(leftover->fences[i]);
	kfree(leftover->fences);
	kfree(leftover);
}

static bool loom_region_leftover_is_over(const struct loom_region_leftover *leftover)
{
	u32 i;

	for (i = 0; i < leftover->count; i++)
		if (!dma_fence_is_signaled(leftover->fences[i]))
			return false;
	return true;
}

/* Free a leftover if all its fences have signalled. */
static bool loom_region_reap_leftover_locked(struct loom_region *region,
					     struct loom_region_leftover *leftover)
{
	lockdep_assert_held(&region->lock);
	if (!loom_region_leftover_is_over(leftover))
		return false;
	list_del(&leftover->age);
	loom_leftover_remove(leftover, &region->leftovers.tree);
	loom_region_leftover_free(leftover);
	return true;
}

static void loom_region_add_leftover_locked(struct loom_region *region,
					    struct loom_region_leftover *leftover)
{
	struct loom_region_leftover *oldest;
	u32 i;

	lockdep_assert_held(&region->lock);
	for (i = 0; i < LOOM_LEFTOVER_CHECKS && !list_empty(&region->leftovers.age); i++) {
		oldest = list_first_entry(&region->leftovers.age, struct loom_region_leftover, age);
		if (!loom_region_reap_leftover_locked(region, oldest))
			list_move_tail(&oldest->age, &region->leftovers.age);
	}
	loom_leftover_insert(leftover, &region->leftovers.tree);
	list_add_tail(&leftover->age, &region->leftovers.age);
}

/* The next leftover with pending fences in [@start, @end] after @last, or the first one. */
static struct loom_region_leftover *
loom_region_leftover_locked(struct loom_region *region, u64 start, u64 end,
			    const struct loom_mask *mask, struct loom_region_leftover *last)
{
	lockdep_assert_held(&region->lock);
	do {
		last = last ? loom_leftover_iter_next(last, start, end) :
			      loom_leftover_iter_first(&region->leftovers.tree, start, end);
	} while (last && (!loom_mask_overlaps(&last->mask, mask) ||
			  loom_region_leftover_is_over(last)));
	return last;
}

/**
 * loom_region_save_fences() - keep the fences of a block's jobs for its next users
 * @block: the block, its buffer reserved
 * @fences: of these jobs, at least one; consumed with the references, also on failure
 * @count: how many
 *
 * Return: 0 or -ENOMEM.
 */
int loom_region_save_fences(struct loom_region_block *block, struct dma_fence **fences, u32 count)
{
	struct loom_region_leftover *leftover = kzalloc(sizeof(*leftover), GFP_KERNEL_ACCOUNT);

	if (!leftover) {
		while (count--)
			dma_fence_put(fences[count]);
		kfree(fences);
		return -ENOMEM;
	}
	leftover->fences = fences;
	leftover->count = count;
	block->leftover = leftover;
	return 0;
}

/*
 * The addresses of a buffer, as one range in all of its banks: users of addresses in between wait
 * for fences that they need not wait for.
 */
static struct loom_region_leftover loom_region_cover(const struct loom_region_block *block)
{
	struct loom_region_leftover cover = { .start = U64_MAX };
	u32 i;

	for (i = 0; i < block->count; i++) {
		const struct loom_bank_block *part = &block[i].block;

		cover.start = min(cover.start, part->start);
		cover.last = max(cover.last, part->start + part->size - 1);
		loom_mask_add(&cover.mask, &block[i].mask);
	}
	return cover;
}

/**
 * loom_region_fences() - fences that a user of a block must wait for
 * @region: the region
 * @block: the block, its buffer reserved
 * @fences: out: their fences with references, in an array for kvfree(), or NULL
 * @count: out: how many
 *
 * Fast path without a lock if there are none: once no job of others uses the addresses of a block,
 * none will until it is freed.
 *
 * Return: 0 or -ENOMEM.
 */
int loom_region_fences(struct loom_region *region, struct loom_region_block *block,
		       struct dma_fence ***fences, u32 *count)
{
	struct loom_region_leftover *leftover = NULL, cover;
	u32 room = 0, i;

	*fences = NULL;
	*count = 0;
	if (!block->on_leftovers)
		return 0;
	cover = loom_region_cover(block);
	mutex_lock(&region->lock);
	while ((leftover = loom_region_leftover_locked(region, cover.start, cover.last, &cover.mask,
						       leftover)))
		room += leftover->count;
	mutex_unlock(&region->lock);
	if (!room) {
		block->on_leftovers = false;
		return 0;
	}
	*fences = kvmalloc_array(room, sizeof(**fences), GFP_KERNEL_ACCOUNT);
	if (!*fences)
		return -ENOMEM;
	/* the number can only shrink, because the addresses are allocated */
	mutex_lock(&region->lock);
	while ((leftover = loom_region_leftover_locked(region, cover.start, cover.last, &cover.mask,
						       leftover)))
		for (i = 0; i < leftover->count && *count < room; i++)
			(*fences)[(*count)++] = dma_fence_get(leftover->fences[i]);
	mutex_unlock(&region->lock);
	return 0;
}

static int loom_leftover_add(struct drm_sched_job *job, struct dma_fence **fences, u32 count)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < count; i++)
		if (ret)
			dma_fence_put(fences[i]);
		else
			ret = drm_sched_job_add_dependency(job, fences[i]);
	kvfree(fences);
	return ret;
}

/**
 * loom_leftover_depend_locked() - make a job wait for jobs of former buffers at the same addresses
 * @job: the job
 * @bo: a buffer of it, reserved
 *
 * Also for moves of the bytes, of this device or of an exporter.
 *
 * Return: 0 or -errno.
 */
int loom_leftover_depend_locked(struct drm_sched_job *job, struct loom_bo *bo)
{
	struct loom_region *region = loom_bo_region(bo);
	struct dma_fence **fences;
	u32 count;
	int ret;

	if (bo->dmabuf || loom_region_is_local(region)) {
		ret = drm_sched_job_add_resv_dependencies(job, bo->tbo.base.resv,
							  DMA_RESV_USAGE_KERNEL);
		if (ret)
			return ret;
	}
	if (!bo->resident)
		return 0;
	ret = loom_region_fences(region, to_loom_region_block(bo->tbo.resource), &fences, &count);
	return ret ?: loom_leftover_add(job, fences, count);
}

static void loom_region_forget(struct loom_region *region)
{
	struct loom_region_leftover *leftover, *next;

	mutex_lock(&region->lock);
	list_for_each_entry_safe(leftover, next, &region->leftovers.age, age)
		loom_region_reap_leftover_locked(region, leftover);
	mutex_unlock(&region->lock);
}

/**
 * loom_region_reap_leftovers() - free all leftovers whose jobs have ended
 * @regions: those of a device; the SRAM never has any
 *
 * Must be called when a file is closed, and when the last job or move of a closed file is freed, so
 * that no leftover remains after the last of these.
 */
void loom_region_reap_leftovers(struct loom_region *regions)
{
	u32 id;

	for (id = 0; id < DRM_LOOM_REGION_COUNT; id++)
		if (id != DRM_LOOM_REGION_SRAM)
			loom_region_forget(&regions[id]);
}

/* A block has got its addresses. */
void loom_region_reach_leftovers_locked(struct loom_region *region,
					struct loom_region_block *block)
{
	struct loom_region_leftover cover = loom_region_cover(block);

	block->on_leftovers = loom_region_leftover_locked(region, cover.start, cover.last,
							  &cover.mask, NULL);
}

/**
 * loom_region_leave_leftover_locked() - a block is about to lose its addresses
 * @region: the region
 * @block: the block; its saved fences become a leftover
 */
void loom_region_leave_leftover_locked(struct loom_region *region, struct loom_region_block *block)
{
	struct loom_region_leftover *leftover = block->leftover, cover;

	if (!leftover)
		return;
	cover = loom_region_cover(block);
	leftover->start = cover.start;
	leftover->last = cover.last;
	leftover->mask = cover.mask;
	loom_region_add_leftover_locked(region, leftover);
	block->leftover = NULL;
}

/**
 * loom_region_job_freed() - a job is being freed
 * @regions: those of its device
 * @client: its file; the last job of a closed file frees the leftovers
 */
void loom_region_job_freed(struct loom_region *regions, const struct loom_file *client)
{
	if (READ_ONCE(client->closed) && !atomic64_read(&client->queued_jobs))
		loom_region_reap_leftovers(regions);
}

/**
 * loom_region_leftovers_fini() - free all leftovers
 * @region: the region, without blocks; jobs hold references to the device, so the fences have
 *	signalled
 */
void loom_region_leftovers_fini(struct loom_region *region)
{
	struct loom_region_leftover *leftover, *next;

	list_for_each_entry_safe(leftover, next, &region->leftovers.age, age)
		loom_region_leftover_free(leftover);
}
