// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "core/loom_verify.h"
#include "loom_conflict.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_plan_object.h"
#include "loom_trace.h"

/**
 * DOC: Plan objects
 *
 * The bytes of a client are copied in once, proved safe by core/, and dropped; what
 * is kept is the decoded plan, which nobody can change any more. So a plan
 * can be run by any number of jobs, and destroyed while they run.
 *
 * A plan that was made with DRM_LOOM_PLAN_RESERVE holds its scratch as a job does, as long as
 * it has an id. Holding it under the lock of placements was thought of and is not needed: a buffer
 * that is being placed has its address already or stays above what is held.
 */

static void loom_plan_object_free(struct kref *ref)
{
	struct loom_plan_object *object = container_of(ref, struct loom_plan_object, ref);

	loom_plan_destroy(object->plan);
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
 * Its jobs go on and hold their scratch themselves. What was reserved is free when the client hears
 * that the plan is gone, and not when the scheduler comes to free its last job.
 */
void loom_plan_object_drop(struct loom_plan_object *object)
{
	loom_region_release(&object->loom->region[DRM_LOOM_REGION_SRAM], &object->scratch);
	loom_plan_object_put(object);
}

/**
 * loom_plan_object_lookup() - a plan by its id
 * @client: whose plan
 * @id: its id
 *
 * Return: a reference, or NULL.
 */
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

static int loom_plan_copy_reject(const struct drm_loom_plan_create *args,
				 const struct drm_loom_reject *reject)
{
	size_t size = min_t(size_t, args->reject_size, sizeof(*reject));

	if (!args->reject)
		return 0;
	return copy_to_user(u64_to_user_ptr(args->reject), reject, size) ? -EFAULT : 0;
}

/* The only place where the bytes of a plan are read from a client. */
static int loom_plan_object_create(struct loom_device *loom, const struct loom_file *client,
				   const struct drm_loom_plan_create *args,
				   struct loom_plan_object *object)
{
	struct drm_loom_reject reject;
	void *blob;
	int ret;

	/* not an OOM kill for a large plan: the client hears about it */
	blob = kvmalloc(max_t(size_t, args->size, sizeof(struct drm_loom_plan_header)),
			GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!blob)
		return -ENOMEM;
	if (copy_from_user(blob, u64_to_user_ptr(args->ptr), args->size)) {
		ret = -EFAULT;
		goto out_free;
	}
	ret = loom_plan_create(blob, args->size, loom->topology, &object->plan, &reject);
	if (ret == -EBADMSG) {
		trace_loom_reject(loom_device_index(loom), client->id, reject.rule);
		if (loom_plan_copy_reject(args, &reject))
			ret = -EFAULT;
	}
out_free:
	kvfree(blob);
	return ret;
}

static int loom_plan_object_reserve(struct loom_plan_object *object,
				    const struct drm_loom_plan_create *args, struct drm_file *file)
{
	struct loom_region_conflict conflict;
	int ret = loom_region_hold(&object->loom->region[DRM_LOOM_REGION_SRAM], &object->scratch,
				   object->plan, &conflict);

	if (ret && loom_conflict_copy(&conflict, file, args->conflict, args->conflict_size))
		ret = -EFAULT;
	loom_conflict_fini(&conflict);
	return ret;
}

/**
 * loom_plan_ioctl_create() - PLAN_CREATE
 * @drm: the device
 * @data: &struct drm_loom_plan_create
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_plan_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct loom_file *client = file->driver_priv;
	struct drm_loom_plan_create *args = data;
	struct loom_plan_object *object;
	u32 id;
	int ret;

	if (args->flags & ~DRM_LOOM_PLAN_RESERVE || args->pad || args->pad2)
		return -EINVAL;
	if (args->size > DRM_LOOM_MAX_PLAN_BYTES)
		return -E2BIG;

	object = kzalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);
	if (!object)
		return -ENOMEM;
	kref_init(&object->ref);
	object->loom = loom;
	ret = loom_plan_object_create(loom, client, args, object);
	if (ret) {
		kfree(object);
		return ret;
	}
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
		args->plan = id;
	}
out_put:
	loom_plan_object_put(object);
	return ret;
}

/**
 * loom_plan_ioctl_destroy() - PLAN_DESTROY
 * @drm: the device
 * @data: &struct drm_loom_plan_destroy
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_plan_ioctl_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_file *client = file->driver_priv;
	struct drm_loom_plan_destroy *args = data;
	struct loom_plan_object *object;

	if (args->pad)
		return -EINVAL;
	object = xa_erase(&client->plans, args->plan);
	if (!object)
		return -ENOENT;
	loom_plan_object_drop(object);
	return 0;
}
