// SPDX-License-Identifier: GPL-2.0
#include <linux/nospec.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_exec.h>
#include <drm/drm_file.h>

#include "backend/budget.h"
#include "backend/power.h"
#include "backend/refusal.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_event.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_job.h"
#include "loom_lanes.h"
#include "loom_leftover.h"
#include "loom_plan_object.h"
#include "loom_quota.h"
#include "loom_sync.h"
#include "loom_user.h"
#include "memory/evict.h"
#include "memory/seal.h"
#include "sched/sched.h"

/**
 * DOC: Submitting
 *
 * SUBMIT has these steps, and each but the last may fail:
 *
 * 1. look up: context, plan, buffers, syncobjs; check the bindings;
 * 2. prepare: allocate all memory for the scheduler and the back end;
 * 3. place: lock all buffers, bring them into the DRAM;
 * 4. depend: the job must wait for jobs of evicted buffers that still use its addresses (see
 *    loom_leftover.c);
 * 5. hold the scratch; displace conflicting buffers if possible and go back to 3; give the back end
 *    the addresses of the buffers;
 * 6. arm and queue: nothing may fail any more.
 *
 * Fast path: a job whose buffers are resident, or find free addresses, takes no lock of the device.
 * Otherwise steps 3 to 6 are repeated under &loom_device.place_lock, because two jobs could evict
 * each other's buffers in turn (livelock). The holder must not wait for jobs, nor for a thread that
 * does (see loom_bo.c). Rejected: one lock around all submits. They queued up behind one that
 * waited for an eviction.
 *
 * Jobs cannot deadlock: a job depends only on jobs that were armed before it. Fences in leftovers
 * were added to buffers when their jobs were armed, and no other thread sees the job's own fence
 * before step 6.
 */

/**
 * struct loom_submit - a call of SUBMIT
 */
struct loom_submit {
	/** @job: owned by the call until it is queued */
	struct loom_job *job;
	/** @out: syncobjs that it will signal */
	struct loom_sync_out out;
	/** @conflict: a buffer that overlaps its scratch, on -EBUSY */
	struct loom_region_conflict conflict;
};

static struct loom_job *loom_submit_create(struct loom_device *loom, struct loom_file *client,
					   const struct drm_loom_submit *args)
{
	struct loom_plan_object *plan;
	struct loom_context *context;
	struct loom_job *job;
	int ret;

	context = loom_context_lookup(client, args->context);
	plan = loom_plan_object_lookup(client, args->plan);
	if (!context || !plan) {
		ret = loom_refuse(&loom->drm, -ENOENT, "submit: no context %u or no plan %u",
				  args->context, args->plan);
		goto err_put;
	}
	if (atomic_read(&context->guilty)) {
		ret = loom_refuse(&loom->drm, -ECANCELED, "submit: context %u is guilty",
				  args->context);
		goto err_put;
	}
	ret = loom_lanes_check(context, plan->plan, args->conflict, args->conflict_size);
	if (ret)
		goto err_put;
	if (args->bindings.count != plan->plan->slot_count) {
		ret = loom_refuse(&loom->drm, -EINVAL, "submit: %u bindings for %u slots",
				  args->bindings.count, plan->plan->slot_count);
		goto err_put;
	}
	if (READ_ONCE(loom->wedged)) {
		ret = loom_refuse(&loom->drm, -EIO, "submit: the device is wedged");
		goto err_put;
	}
	if (loom_budget_refuses(loom, client)) {
		ret = loom_refuse(&loom->drm, -EIO, "submit: jobs of this user hang the device");
		goto err_put;
	}
	ret = loom_quota_charge(loom, client, LOOM_QUOTA_JOBS, 1);
	if (ret)
		goto err_put;
	ret = -ENOMEM;
	job = kzalloc(struct_size(job, slots, plan->plan->slot_count), GFP_KERNEL_ACCOUNT);
	if (!job) {
		loom_quota_uncharge(loom, client, LOOM_QUOTA_JOBS, 1);
		goto err_put;
	}
	job->charged = true;
	job->slot_count = plan->plan->slot_count;
	job->loom = loom;
	job->context = context;
	job->plan = plan;
	job->scratch.job = true;
	job->scratch.lanes = loom_context_lanes(context);
	loom_turn_init(&job->turn, client, context->priority);
	INIT_LIST_HEAD(&job->order_node);
	INIT_HLIST_NODE(&job->flight_node);
	return job;

err_put:
	loom_plan_object_put(plan);
	loom_context_put(context);
	return ERR_PTR(ret);
}

/* --------------------------------------------------------------- bindings */

/* Rows need no check: with the same pitch images are linear. */
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
 * The engine steps from bank to bank by a fixed stride, and the bytes of a buffer are its linear
 * view. So a binding must be in the first page of each bank; in a single bank pages are contiguous.
 * Pages without padding are multiples of the region's alignment, and so is that stride.
 */
static bool loom_submit_sram_fits(const struct loom_job *job, const struct loom_job_slot *slot)
{
	const struct loom_layout *layout = &slot->bo->shape.layout;
	const struct loom_mask *lanes = loom_context_lanes(job->context);
	u64 last_page = (u64)(job->plan->plan->lanes - 1) * layout->page_bytes, end;
	u64 room = layout->banks == 1 ? layout->size : layout->page_bytes;

	return slot->bo->shape.region == DRM_LOOM_REGION_SRAM &&
	       slot->bo->shape.kind == DRM_LOOM_LAYOUT_INTERLEAVED &&
	       layout->banks == job->plan->plan->lanes &&
	       layout->page_bytes == layout->page_pitch_bytes &&
	       (lanes ? loom_mask_same(&slot->bo->shape.mask, lanes) :
		loom_shape_bank(&slot->bo->shape, layout->banks - 1) == layout->banks - 1) &&
	       !check_add_overflow(slot->offset, slot->size, &end) && end <= room &&
	       last_page + end <= layout->size;
}

/* The engine steps through a slot of the SRAM by one address; another plan may say that it can. */
static int loom_submit_check_banks(const struct loom_job *job, const struct drm_loom_submit *args,
				   const struct drm_loom_binding *binding)
{
	const struct drm_loom_conflict record = {
		.per_bank_slot = binding->slot,
		.per_bank_handle = binding->handle,
	};
	const struct loom_job_slot *slot =
		&job->slots[array_index_nospec(binding->slot, job->slot_count)];

	if (!slot->bo->shape.per_bank || slot->flags & DRM_LOOM_SLOT_PER_BANK)
		return 0;
	if (loom_user_write(args->conflict, args->conflict_size, &record, sizeof(record)))
		return -EFAULT;
	return loom_refuse(&job->loom->drm, -EINVAL,
			   "submit: slot %u: buffer %u has an address per bank", binding->slot,
			   binding->handle);
}

static int loom_submit_bind_one(struct loom_job *job, struct drm_file *file,
				const struct drm_loom_binding *binding)
{
	struct drm_device *drm = &job->loom->drm;
	const struct loom_slot *want;
	struct loom_job_slot *slot;
	struct drm_gem_object *gem;
	u32 number, region;
	u64 size;

	if (binding->slot >= job->slot_count)
		return loom_refuse(drm, -EINVAL, "submit: no slot %u", binding->slot);
	number = array_index_nospec(binding->slot, job->slot_count);
	slot = &job->slots[number];
	if (slot->bo || binding->offset % 64)
		return loom_refuse(drm, -EINVAL, "submit: slot %u twice, or at offset %llu",
				   number, binding->offset);
	want = &job->plan->plan->slots[number];

	gem = drm_gem_object_lookup(file, binding->handle);
	if (!gem)
		return loom_refuse(drm, -ENOENT, "submit: slot %u: no buffer %u", number,
				   binding->handle);
	slot->bo = gem_to_loom_bo(gem);
	slot->offset = binding->offset;
	slot->size = want->size;
	slot->flags = want->flags;

	size = slot->bo->shape.layout.size;
	if (want->flags & DRM_LOOM_SLOT_SRAM) {
		if (loom_submit_sram_fits(job, slot))
			return 0;
		return loom_refuse(drm, -EINVAL, "submit: slot %u in SRAM does not fit buffer %u",
				   number, binding->handle);
	}
	region = want->flags & DRM_LOOM_SLOT_ROM ? DRM_LOOM_REGION_ROM : DRM_LOOM_REGION_DRAM;
	if (slot->bo->shape.region != region || slot->offset > size ||
	    slot->size > size - slot->offset)
		return loom_refuse(drm, -EINVAL, "submit: slot %u: %llu bytes at %llu of %llu",
				   number, slot->size, slot->offset, size);
	/* without SPREAD a plan may rely on pages interleaved over all banks */
	if (!(want->flags & DRM_LOOM_SLOT_SPREAD) &&
	    (slot->bo->shape.partial || loom_shape_sharded(&slot->bo->shape)))
		return loom_refuse(drm, -EINVAL, "submit: slot %u: buffer %u is spread", number,
				   binding->handle);
	if (want->dtype && !loom_submit_image_fits(&slot->bo->shape.layout, slot->offset, want))
		return loom_refuse(drm, -EINVAL, "submit: slot %u: buffer %u is no such image",
				   number, binding->handle);
	return 0;
}

/* Offsets and sizes are inside of buffers, so their sums do not wrap. */
static bool loom_submit_slots_conflict(const struct loom_job_slot *a, const struct loom_job_slot *b)
{
	return a->bo == b->bo && ((a->flags | b->flags) & DRM_LOOM_SLOT_WRITE) &&
	       a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static int loom_submit_bind(struct loom_job *job, struct drm_file *file,
			    const struct drm_loom_submit *args)
{
	const struct drm_loom_array *bindings = &args->bindings;
	struct drm_loom_binding binding;
	u32 i, j;
	int ret;

	for (i = 0; i < bindings->count; i++) {
		ret = loom_user_array_read(&binding, sizeof(binding), bindings, i);
		if (ret)
			return loom_refuse(&job->loom->drm, ret, "submit: binding %u", i);
		ret = loom_submit_bind_one(job, file, &binding);
		if (!ret)
			ret = loom_submit_check_banks(job, args, &binding);
		if (ret)
			return ret;
	}
	/* the number of bindings is that of the slots and none is twice: all slots are bound */
	for (i = 0; i < job->slot_count; i++)
		for (j = 0; j < i; j++)
			if (loom_submit_slots_conflict(&job->slots[i], &job->slots[j]))
				return loom_refuse(&job->loom->drm, -EINVAL,
						   "submit: slots %u and %u share bytes", i, j);
	return 0;
}

/* ------------------------------------------------------------------ queue */

/* Slow work must be done before locks are taken that others wait for. */
static int loom_submit_populate_locked(struct loom_job *job)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < job->slot_count; i++)
		if (!job->slots[i].bo->resident)
			ret = loom_bo_populate_locked(job->slots[i].bo);
	return ret;
}

static int loom_submit_place_locked(struct loom_job *job, struct drm_exec *exec,
				    struct loom_bo_room *room)
{
	int ret;
	u32 i;

	for (i = 0; i < job->slot_count; i++)
		loom_bo_room_keep(room, exec, job->slots[i].bo);
	for (i = 0; i < job->slot_count; i++) {
		struct loom_bo *bo = job->slots[i].bo;

		if (job->slots[i].flags & DRM_LOOM_SLOT_WRITE && loom_bo_is_sealed(bo))
			return loom_refuse(&job->loom->drm, -EPERM,
					   "submit: slot %u: the buffer is sealed", i);
		ret = loom_bo_place_locked(bo, room);
		if (ret)
			return ret;
		ret = dma_resv_reserve_fences(bo->tbo.base.resv, 1);
		if (ret)
			return ret;
		ttm_bo_move_to_lru_tail_unlocked(&bo->tbo);
	}
	return 0;
}

static int loom_submit_lock(struct loom_job *job, struct drm_exec *exec, struct loom_bo_room *room)
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
		if (!room)
			ret = loom_submit_populate_locked(job);
		if (!ret)
			ret = loom_submit_place_locked(job, exec, room);
		drm_exec_retry_on_contention(exec);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * @data: a &struct loom_submit; consumes its job when it succeeds.
 *
 * The buffers are unlocked before the job is pushed. From the push on it may run, end and be freed,
 * and if its handles are closed meanwhile, the references of the job are the last but those of
 * drm_exec: that would free a buffer while the others are still locked. Until the push the job
 * belongs to this thread, and its references outlive the locks. A thread that locks a buffer in
 * between finds the fence of a job that is armed but not yet pushed, and waits for it; nothing
 * before the push waits for that thread. push_lock is held from before arming until after the
 * push, so each entity gets its jobs in the order in which they were armed.
 *
 * The job is armed and pushed in one critical section of drm_dev_enter(), so that a device that is
 * unplugged finds each job that was armed, and ends it (loom_job_end_all()).
 */
static int loom_submit_try(void *data, struct loom_bo_room *room)
{
	struct loom_submit *submit = data;
	struct loom_job *job = submit->job;
	struct loom_context *context = job->context;
	struct loom_device *loom = job->loom;
	struct loom_region *sram = &loom->region[DRM_LOOM_REGION_SRAM];
	struct drm_gem_object *gem;
	struct dma_fence *fence;
	struct drm_exec exec;
	int ret, idx;
	u32 i;

	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES,
		      job->slot_count);
	ret = loom_submit_lock(job, &exec, room);
	for (i = 0; !ret && i < job->slot_count; i++)
		ret = loom_leftover_depend_locked(&job->base, job->slots[i].bo);
	if (!ret)
		ret = loom_region_hold(sram, &job->scratch, job->plan->plan,
				       &context->client->share, &submit->conflict);
	if (ret)
		goto err_exec;
	ret = -ENODEV;
	if (!drm_dev_enter(&loom->drm, &idx))
		goto err_release;
	ret = loom_backend_errno(loom->backend->job_emit(job));
	if (!ret)
		ret = mutex_lock_interruptible(&context->push_lock);
	if (ret)
		goto err_exit;

	/* Nothing may fail from here on. The job's reference to its context is dropped with it. */
	loom_context_get(context);
	loom_job_arm(job);
	loom_job_enlist(job);
	trace_loom_submit(loom_device_index(loom), context->client->id, job->id,
			  job->slot_count, job->plan->plan->scratch_bytes);
	fence = dma_fence_get(&job->fence->base);
	drm_exec_for_each_locked_object(&exec, gem)
		dma_resv_add_fence(gem->resv, fence, DMA_RESV_USAGE_BOOKKEEP);
	drm_exec_fini(&exec);
	drm_sched_entity_push_job(&job->base);
	mutex_unlock(&context->push_lock);
	drm_dev_exit(idx);
	loom_context_put(context);
	loom_sync_out_signal(&submit->out, fence);
	dma_fence_put(fence);
	return 0;

err_exit:
	drm_dev_exit(idx);
err_release:
	loom_region_release(sram, &job->scratch);
err_exec:
	drm_exec_fini(&exec);
	return ret;
}

/* Call job_prepare() of the back end, with the device plugged in and awake. */
static int loom_submit_prepare(struct loom_job *job)
{
	struct loom_device *loom = job->loom;
	int ret, idx;

	if (!drm_dev_enter(&loom->drm, &idx))
		return loom_refuse(&loom->drm, -ENODEV, "submit: the device is unplugged");
	ret = loom_power_get(loom);
	if (!ret) {
		job->powered = true;
		ret = loom_backend_errno(loom->backend->job_prepare(job));
	}
	drm_dev_exit(idx);
	return ret;
}

/* SUBMIT, with &struct drm_loom_submit. Return: 0 or -errno. */
int loom_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct drm_loom_submit *args = data;
	struct loom_submit submit = {};
	struct loom_job *job;
	int ret;

	if (args->flags || args->pad || args->pad2)
		return loom_refuse(drm, -EINVAL, "submit: flags %#x, padding %#x %#x",
				   args->flags, args->pad, args->pad2);
	ret = loom_user_array_check(&args->bindings, sizeof(struct drm_loom_binding),
				    DRM_LOOM_MAX_SLOTS);
	if (!ret)
		ret = loom_user_array_check(&args->in_syncs, sizeof(struct drm_loom_sync),
					    DRM_LOOM_MAX_SYNCS);
	if (!ret)
		ret = loom_user_array_check(&args->out_syncs, sizeof(struct drm_loom_sync),
					    DRM_LOOM_MAX_SYNCS);
	if (ret)
		return loom_refuse(drm, ret,
				   "submit: %u bindings, %u and %u syncobjs of %u, %u, %u bytes",
				   args->bindings.count, args->in_syncs.count,
				   args->out_syncs.count, args->bindings.stride,
				   args->in_syncs.stride, args->out_syncs.stride);

	job = loom_submit_create(loom, file->driver_priv, args);
	if (IS_ERR(job))
		return PTR_ERR(job);
	submit.job = job;
	ret = loom_submit_bind(job, file, args);
	if (ret)
		goto err_free;
	job->fence = loom_fence_create(loom);
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
	ret = loom_sync_out_init(&submit.out, &args->out_syncs, file);
	if (ret)
		goto err_free;
	ret = loom_submit_prepare(job);
	if (ret)
		goto err_sync;
	do {
		ret = loom_submit_try(&submit, NULL);
		if (ret == -ENOSPC)
			ret = loom_bo_with_room(loom, loom_submit_try, &submit);
		if (ret == -EBUSY)
			ret = loom_plan_conflict_solve(loom, &submit.conflict);
		if (ret == -EBUSY &&
		    loom_plan_conflict_write(&submit.conflict, file, args->conflict,
					     args->conflict_size))
			ret = -EFAULT;
		loom_region_conflict_fini(&submit.conflict);
	} while (ret == -EAGAIN);
	if (ret)
		goto err_sync;
	loom_sync_out_fini(&submit.out);
	return 0;

err_sync:
	loom_sync_out_fini(&submit.out);
err_free:
	loom_job_free(job);
	return ret;
}
