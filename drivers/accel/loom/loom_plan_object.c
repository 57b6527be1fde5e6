// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include "backend/power.h"
#include "backend/refusal.h"
#include "core/loom_verify.h"
#include "loom_bo.h"
#include "loom_device.h"
#include "loom_event.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_lanes.h"
#include "loom_plan_object.h"
#include "loom_quota.h"
#include "loom_user.h"
#include "memory/evict.h"

/**
 * DOC: Plan objects
 *
 * The bytes of a client are copied in once, verified by core/, and dropped; only the decoded plan
 * is kept, which is immutable. So a plan can be run by any number of jobs, and destroyed while they
 * run.
 *
 * Its memory is charged to the file (loom_quota.c) before it is allocated. Verification can take
 * seconds for a plan at the limits: a fatal signal interrupts it, other signals wait for its end
 * (core/verify/work.h has the reason).
 *
 * A plan that was made with DRM_LOOM_PLAN_RESERVE holds its scratch as a job does, as long as
 * it has an id. Up to the floor of scratch any client may do that, since it takes nothing from
 * others; beyond, an exclusive context is needed, and the reservation counts only while that has an
 * effect. loom_device.place_lock is not needed for it: a buffer that is being placed either has its
 * address already and is found, or gets one above the reservation.
 *
 * A plan whose scratch overlaps an SRAM buffer is refused with EBUSY, and the conflict record names
 * the buffer: by its handle if the client has one; the address of other clients' buffers requires
 * CAP_PERFMON, as with QUERY; the overlap with the scratch is reported to all, because a client
 * could find it by trying smaller plans. QUERY_FIT reports the same beforehand. Its answer may be
 * outdated at once: a client that relies on it must reserve the scratch.
 */

/* Bytes copied between two checks for a fatal signal. */
#define LOOM_PLAN_COPY_BYTES	SZ_1M

static void loom_plan_object_free(struct kref *ref)
{
	struct loom_plan_object *object = container_of(ref, struct loom_plan_object, ref);

	if (object->created && object->loom->backend->plan_destroy)
		object->loom->backend->plan_destroy(object);
	loom_plan_destroy(object->plan);
	loom_quota_uncharge(object->loom, object->client, LOOM_QUOTA_PLAN_BYTES,
			    object->charged_bytes);
	loom_file_put(object->client);
	kfree(object);
}

/**
 * loom_plan_object_put() - drop a reference
 * @object: the plan, or NULL
 */
void loom_plan_object_put(struct loom_plan_object *object)
{
	if (object)
		kref_put(&object->ref, loom_plan_object_free);
}

/**
 * loom_plan_object_drop() - the plan has lost its id
 * @object: the plan
 *
 * Its jobs go on and hold their scratch themselves. The reservation is released here, so that it is
 * free when PLAN_DESTROY returns, and not when the scheduler frees the last job.
 */
void loom_plan_object_drop(struct loom_plan_object *object)
{
	loom_region_release(&object->loom->region[DRM_LOOM_REGION_SRAM], &object->scratch);
	loom_plan_object_put(object);
}

/* A file is closed: its plans lose their ids. */
void loom_plan_object_drop_all(struct loom_file *client)
{
	struct loom_plan_object *object;
	unsigned long id;

	xa_for_each(&client->plans, id, object) {
		xa_erase(&client->plans, id);
		loom_plan_object_drop(object);
	}
}

/* Look up a plan by its id. Return: a reference, or NULL. */
struct loom_plan_object *loom_plan_object_lookup(struct loom_file *client, u32 id)
{
	struct loom_plan_object *object;

	xa_lock(&client->plans);
	object = xa_load(&client->plans, id);
	if (object)
		kref_get(&object->ref);
	xa_unlock(&client->plans);
	return object;
}

/* ---------------------------------------------------------------- scratch */

/**
 * loom_plan_conflict_solve() - displace a conflicting buffer, if it is displaceable
 * @loom: the device
 * @conflict: filled in by loom_region_hold()
 *
 * The caller must not hold locks.
 *
 * Return: -EAGAIN if it was displaced; -EBUSY if it stays; -ERESTARTSYS; -ENOMEM; -ENODEV.
 */
int loom_plan_conflict_solve(struct loom_device *loom, const struct loom_region_conflict *conflict)
{
	if (!conflict->gem)
		return loom_bo_wait_freed(loom, DRM_LOOM_REGION_SRAM, conflict->freed);
	if (!conflict->displaceable)
		return loom_refuse(&loom->drm, -EBUSY,
				   "a buffer at %#llx lies in the scratch, bank %u",
				   conflict->address, conflict->bank);
	return loom_bo_displace(conflict->gem) ?: -EAGAIN;
}

/* ----------------------------------------------------------------- ioctls */

static int loom_plan_object_charge(struct loom_plan_object *object, u64 bytes)
{
	int ret = loom_quota_charge(object->loom, object->client, LOOM_QUOTA_PLAN_BYTES, bytes);

	if (!ret)
		object->charged_bytes += bytes;
	return ret;
}

/* Reduce the charge to the memory of the decoded plan. */
static void loom_plan_object_charge_kept(struct loom_plan_object *object)
{
	u64 kept = PAGE_ALIGN(sizeof(*object) + loom_plan_bytes(object->plan));

	/* the charge was an upper bound, except for rounding up to whole pages */
	if (kept >= object->charged_bytes)
		return;
	loom_quota_uncharge(object->loom, object->client, LOOM_QUOTA_PLAN_BYTES,
			    object->charged_bytes - kept);
	object->charged_bytes = kept;
}

/* Copies in pieces, so that a killed client does not wait for half a gigabyte. */
static int loom_plan_object_copy(void *blob, const struct drm_loom_plan_create *args)
{
	const char __user *from = u64_to_user_ptr(args->ptr);
	u64 at, bytes;

	for (at = 0; at < args->size; at += bytes) {
		bytes = min_t(u64, args->size - at, LOOM_PLAN_COPY_BYTES);
		if (copy_from_user(blob + at, from + at, bytes))
			return -EFAULT;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* The only place where the bytes of a plan are read from a client. */
static int loom_plan_object_create(const struct drm_loom_plan_create *args,
				   struct loom_plan_object *object)
{
	struct loom_device *loom = object->loom;
	struct drm_loom_reject reject;
	void *blob;
	int ret;

	ret = loom_plan_object_charge(object, PAGE_SIZE + args->size);
	if (ret)
		return ret;
	/* a large plan must fail with an error instead of an OOM kill */
	blob = kvmalloc(max_t(size_t, args->size, sizeof(struct drm_loom_plan_header)),
			GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!blob)
		return loom_refuse(&loom->drm, -ENOMEM, "plan: %llu bytes", args->size);
	ret = loom_plan_object_copy(blob, args);
	if (ret == -EFAULT)
		loom_refuse(&loom->drm, ret, "plan: no %llu bytes at %#llx", args->size, args->ptr);
	if (ret)
		goto out_free;
	ret = loom_plan_object_charge(object, loom_plan_peak_bytes(blob, args->size));
	if (ret)
		goto out_free;
	ret = loom_lanes_plan_create(loom, blob, args->size, &object->plan, &reject);
	if (ret == -EBADMSG) {
		trace_loom_reject(loom_device_index(loom), object->client->id, reject.rule);
		loom_refuse(&loom->drm, ret, "plan: rule %u, step %u, command %u, tensor %u",
			    reject.rule, reject.step, reject.command, reject.tensor);
		if (loom_user_write(args->reject, args->reject_size, &reject, sizeof(reject)))
			ret = -EFAULT;
	}
out_free:
	kvfree(blob);
	if (!ret)
		loom_plan_object_charge_kept(object);
	return ret;
}

/* Call plan_create() of the back end, with the device plugged in and awake. */
static int loom_plan_object_tell(struct loom_plan_object *object)
{
	struct loom_device *loom = object->loom;
	int ret, idx;

	if (!drm_dev_enter(&loom->drm, &idx))
		return loom_refuse(&loom->drm, -ENODEV, "plan: the device is unplugged");
	ret = loom->backend->plan_create ? loom_power_get(loom) : 0;
	if (!ret && loom->backend->plan_create) {
		ret = loom_backend_errno(loom->backend->plan_create(object));
		loom_power_put(loom);
	}
	object->created = !ret;
	drm_dev_exit(idx);
	return ret;
}

static int loom_plan_object_reserve(struct loom_plan_object *object,
				    const struct drm_loom_plan_create *args, struct drm_file *file)
{
	struct loom_file *client = file->driver_priv;
	struct loom_region_conflict conflict;
	int ret;

	if (object->plan->lanes != object->loom->chip->region[DRM_LOOM_REGION_SRAM].banks)
		return loom_refuse(&object->loom->drm, -EINVAL,
				   "plan: a reservation for %u lanes", object->plan->lanes);
	do {
		ret = loom_region_hold(&object->loom->region[DRM_LOOM_REGION_SRAM],
				       &object->scratch, object->plan, &client->share, &conflict);
		if (ret == -EBUSY)
			ret = loom_plan_conflict_solve(object->loom, &conflict);
		if (ret == -EBUSY &&
		    loom_plan_conflict_write(&conflict, file, args->conflict, args->conflict_size))
			ret = -EFAULT;
		loom_region_conflict_fini(&conflict);
	} while (ret == -EAGAIN);
	return ret;
}

/* PLAN_CREATE, with &struct drm_loom_plan_create. Return: 0 or -errno. */
int loom_plan_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct loom_file *client = file->driver_priv;
	struct drm_loom_plan_create *args = data;
	struct loom_plan_object *object;
	u32 id;
	int ret;

	if (args->flags & ~DRM_LOOM_PLAN_RESERVE || args->pad || args->pad2)
		return loom_refuse(drm, -EINVAL, "plan: flags %#x, padding %#x %#x", args->flags,
				   args->pad, args->pad2);
	if (args->size > DRM_LOOM_MAX_PLAN_BYTES)
		return loom_refuse(drm, -E2BIG, "plan: %llu bytes", args->size);

	object = kzalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);
	if (!object)
		return -ENOMEM;
	kref_init(&object->ref);
	object->loom = loom;
	object->client = loom_file_get(client);
	ret = loom_plan_object_create(args, object);
	if (!ret)
		ret = loom_plan_object_tell(object);
	if (ret)
		goto out_put;
	if (args->flags & DRM_LOOM_PLAN_RESERVE) {
		ret = loom_plan_object_reserve(object, args, file);
		if (ret)
			goto out_put;
	}
	/* once it has an id, another thread may destroy it */
	kref_get(&object->ref);
	ret = xa_alloc(&client->plans, &id, object, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		loom_plan_object_drop(object);
	} else {
		trace_loom_plan(loom_device_index(loom), client->id, id, object->plan->step_count,
				object->plan->command_count, object->plan->scratch_bytes);
		object->id = id;
		args->plan = id;
	}
out_put:
	loom_plan_object_put(object);
	return ret;
}

/* PLAN_DESTROY, with &struct drm_loom_plan_destroy. Return: 0 or -errno. */
int loom_plan_ioctl_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_file *client = file->driver_priv;
	struct drm_loom_plan_destroy *args = data;
	struct loom_plan_object *object;

	if (args->pad)
		return loom_refuse(drm, -EINVAL, "plan: padding %#x", args->pad);
	object = xa_erase(&client->plans, args->plan);
	if (!object)
		return loom_refuse(drm, -ENOENT, "no plan %u", args->plan);
	loom_plan_object_drop(object);
	return 0;
}
