// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include <drm/drm_exec.h>
#include <drm/drm_file.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_job.h"
#include "loom_plan_object.h"
#include "loom_sync.h"
#include "loom_trace.h"
#include "loom_user.h"

/**
 * DOC: Submitting
 *
 * SUBMIT goes through these steps, and the job can be refused in each of them but the last:
 *
 * 1. look up: context, plan, buffers, syncobjs; check the bindings;
 * 2. prepare: all memory that the job will need, in the scheduler, in the back end;
 * 3. place: lock all buffers, bring them into the DRAM, map them;
 * 4. hold the scratch;
 * 5. arm and queue: nothing can fail any more.
 *
 * Steps 3 to 5 are under one lock per device. Finer locking was tried on paper and
 * rejected: TTM gives up on a buffer that somebody else has locked, so two
 * clients that make room at the same time can both be told that there is none.
 * The price is that submits queue up behind one that waits for an eviction.
 */

static struct loom_job *loom_submit_create(struct loom_device *loom, struct loom_file *client,
					   const struct drm_loom_submit *args)
{
	struct loom_plan_object *plan;
	struct loom_context *context;
	struct loom_job *job;
	int ret = -ENOENT;

	context = loom_context_lookup(client, args->context);
	plan = loom_plan_object_lookup(client, args->plan);
	if (!context || !plan)
		goto err_put;
	ret = -ECANCELED;
	if (atomic_read(&context->guilty))
		goto err_put;
	ret = -EINVAL;
	if (args->bindings.count != plan->plan->slot_count)
		goto err_put;
	ret = -ENOMEM;
	job = kzalloc(struct_size(job, slots, plan->plan->slot_count), GFP_KERNEL_ACCOUNT);
	if (!job)
		goto err_put;
	job->slot_count = plan->plan->slot_count;
	job->loom = loom;
	job->context = context;
	job->plan = plan;
	return job;

err_put:
	loom_plan_object_put(plan);
	loom_context_put(context);
	return ERR_PTR(ret);
}

/* --------------------------------------------------------------- bindings */

/* Rows are not checked: with the same pitch they are bytes. */
static bool loom_submit_image_fits(const struct loom_layout *image, u64 offset,
				   const struct loom_slot *want)
{
	u64 rest;

	if (image->dtype != want->dtype || image->width < want->width ||
	    image->page_pitch_bytes != want->pitch_bytes)
		return false;
	div64_u64_rem(offset, want->pitch_bytes, &rest);
	return !rest;
}

/*
 * The engine goes from a bank to the next by a fixed step, and the bytes of a buffer are its linear
 * view. So what is bound lies in one page of each bank, the first.
 */
static bool loom_submit_sram_fits(const struct loom_job *job, const struct loom_job_slot *slot)
{
	const struct loom_layout *layout = &slot->bo->shape.layout;
	u64 last_page = (u64)(job->plan->plan->lanes - 1) * layout->page_bytes, end;

	return slot->bo->shape.region == DRM_LOOM_REGION_SRAM &&
	       slot->bo->shape.kind == DRM_LOOM_LAYOUT_INTERLEAVED &&
	       layout->banks == job->plan->plan->lanes &&
	       !check_add_overflow(slot->offset, slot->size, &end) && end <= layout->page_bytes &&
	       last_page + end <= layout->size;
}

static int loom_submit_bind_one(struct loom_job *job, struct drm_file *file,
				const struct drm_loom_binding *binding)
{
	const struct loom_slot *want;
	struct loom_job_slot *slot;
	struct drm_gem_object *gem;
	u64 size;

	if (binding->slot >= job->slot_count || job->slots[binding->slot].bo ||
	    binding->offset % 64)
		return -EINVAL;
	slot = &job->slots[binding->slot];
	want = &job->plan->plan->slots[binding->slot];

	gem = drm_gem_object_lookup(file, binding->handle);
	if (!gem)
		return -ENOENT;
	slot->bo = gem_to_loom_bo(gem);
	slot->offset = binding->offset;
	slot->size = want->size;
	slot->flags = want->flags;

	size = slot->bo->shape.layout.size;
	if (want->flags & DRM_LOOM_SLOT_SRAM)
		return loom_submit_sram_fits(job, slot) ? 0 : -EINVAL;
	if (slot->bo->shape.region != DRM_LOOM_REGION_DRAM || slot->offset > size ||
	    slot->size > size - slot->offset)
		return -EINVAL;
	/* a plan that does not say SPREAD may count on pages dealt out over all banks */
	if (!(want->flags & DRM_LOOM_SLOT_SPREAD) &&
	    (slot->bo->shape.partial || loom_shape_sharded(&slot->bo->shape)))
		return -EINVAL;
	if (want->dtype && !loom_submit_image_fits(&slot->bo->shape.layout, slot->offset, want))
		return -EINVAL;
	return 0;
}

/* Offsets and sizes are inside of buffers, so their sums do not wrap. */
static bool loom_submit_slots_conflict(const struct loom_job_slot *a, const struct loom_job_slot *b)
{
	return a->bo == b->bo && ((a->flags | b->flags) & DRM_LOOM_SLOT_WRITE) &&
	       a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static int loom_submit_bind(struct loom_job *job, struct drm_file *file,
			    const struct drm_loom_array *bindings)
{
	struct drm_loom_binding binding;
	u32 i, j;
	int ret;

	for (i = 0; i < bindings->count; i++) {
		ret = loom_user_array_read(&binding, sizeof(binding), bindings, i);
		if (ret)
			return ret;
		ret = loom_submit_bind_one(job, file, &binding);
		if (ret)
			return ret;
	}
	/* as many bindings as slots and none twice: all slots are bound */
	for (i = 0; i < job->slot_count; i++)
		for (j = 0; j < i; j++)
			if (loom_submit_slots_conflict(&job->slots[i], &job->slots[j]))
				return -EINVAL;
	return 0;
}

/* ------------------------------------------------------------------ queue */

static int loom_submit_lock(struct loom_job *job, struct drm_exec *exec)
{
	int ret = 0;
	u32 i;

	drm_exec_until_all_locked(exec) {
		for (i = 0; i < job->slot_count; i++) {
			ret = drm_exec_lock_obj(exec, &job->slots[i].bo->tbo.base);
			drm_exec_retry_on_contention(exec);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int loom_submit_place_locked(struct loom_job *job, struct drm_exec *exec)
{
	struct drm_gem_object *gem;
	int ret;

	drm_exec_for_each_locked_object(exec, gem) {
		struct loom_bo *bo = gem_to_loom_bo(gem);

		ret = loom_bo_place_locked(bo);
		if (ret)
			return ret;
		ret = loom_bo_map_locked(bo);
		if (ret)
			return ret;
		ret = dma_resv_reserve_fences(gem->resv, 1);
		if (ret)
			return ret;
		ttm_bo_move_to_lru_tail_unlocked(&bo->tbo);
	}
	return 0;
}

/*
 * Consumes the job when it succeeds.
 *
 * The buffers are unlocked before the job is pushed. From the push on it may run, end and be freed,
 * and if its handles are closed meanwhile, the references of the job are the last but those of
 * drm_exec: that would free a buffer while the others are still locked. Until the push the job
 * belongs to this thread, and its references outlive the locks. A thread that locks a buffer in
 * between finds the fence of a job that is armed but not yet pushed, and waits for it; nothing
 * before the push waits for that thread. place_lock is held from before arming until after the
 * push, so each entity gets its jobs in the order in which they were armed.
 */
static int loom_submit_queue(struct loom_job *job, struct loom_sync_out *out,
			     struct loom_region_conflict *conflict)
{
	struct loom_device *loom = job->loom;
	struct drm_gem_object *gem;
	struct dma_fence *fence;
	struct drm_exec exec;
	int ret;

	ret = mutex_lock_interruptible(&loom->place_lock);
	if (ret)
		return ret;
	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES,
		      job->slot_count);
	ret = loom_submit_lock(job, &exec);
	if (ret)
		goto err_unlock;
	ret = loom_submit_place_locked(job, &exec);
	if (ret)
		goto err_unlock;
	ret = loom_region_hold(&loom->region[DRM_LOOM_REGION_SRAM], &job->scratch,
			       job->plan->plan, conflict);
	if (ret)
		goto err_unlock;

	/* Nothing can fail from here on. */
	drm_sched_job_arm(&job->base);
	trace_loom_submit(loom_device_index(loom), job->context->client->id, job->base.id,
			  job->slot_count, job->plan->plan->scratch_bytes);
	fence = dma_fence_get(&job->base.s_fence->finished);
	drm_exec_for_each_locked_object(&exec, gem)
		dma_resv_add_fence(gem->resv, fence, DMA_RESV_USAGE_BOOKKEEP);
	drm_exec_fini(&exec);
	drm_sched_entity_push_job(&job->base);
	loom_sync_out_signal(out, fence);
	dma_fence_put(fence);
	mutex_unlock(&loom->place_lock);
	return 0;

err_unlock:
	drm_exec_fini(&exec);
	mutex_unlock(&loom->place_lock);
	return ret;
}

/**
 * loom_submit_ioctl() - SUBMIT
 * @drm: the device
 * @data: &struct drm_loom_submit
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct drm_loom_submit *args = data;
	struct loom_sync_out out = {};
	struct loom_region_conflict conflict = {};
	struct loom_job *job;
	int ret;

	if (args->flags || args->pad || args->pad2)
		return -EINVAL;
	ret = loom_user_array_check(&args->bindings, sizeof(struct drm_loom_binding),
				    DRM_LOOM_MAX_SLOTS);
	if (!ret)
		ret = loom_user_array_check(&args->in_syncs, sizeof(struct drm_loom_sync),
					    DRM_LOOM_MAX_SYNCS);
	if (!ret)
		ret = loom_user_array_check(&args->out_syncs, sizeof(struct drm_loom_sync),
					    DRM_LOOM_MAX_SYNCS);
	if (ret)
		return ret;

	job = loom_submit_create(loom, file->driver_priv, args);
	if (IS_ERR(job))
		return PTR_ERR(job);
	ret = loom_submit_bind(job, file, &args->bindings);
	if (ret)
		goto err_free;
	job->fence = loom_fence_create();
	if (!job->fence) {
		ret = -ENOMEM;
		goto err_free;
	}
	ret = loom_compat_sched_job_init(&job->base, &job->context->entity, file->client_id);
	if (ret)
		goto err_free;
	ret = loom_sync_in(&args->in_syncs, file, &job->base);
	if (ret)
		goto err_free;
	ret = loom_sync_out_init(&out, &args->out_syncs, file);
	if (ret)
		goto err_free;
	ret = loom->backend->prepare(job);
	if (ret)
		goto err_sync;
	ret = loom_submit_queue(job, &out, &conflict);
	if (ret == -EBUSY &&
	    loom_plan_conflict_write(&conflict, file, args->conflict, args->conflict_size))
		ret = -EFAULT;
	loom_region_conflict_fini(&conflict);
	if (ret)
		goto err_sync;
	loom_sync_out_fini(&out);
	return 0;

err_sync:
	loom_sync_out_fini(&out);
err_free:
	loom_job_free(job);
	return ret;
}
