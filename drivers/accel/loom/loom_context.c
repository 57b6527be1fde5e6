// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"

/**
 * DOC: Contexts
 *
 * A context is a queue of its own: its jobs run in order, jobs of different
 * contexts in the order of priority, then age. A context whose job was ended by
 * the timeout is guilty for good: what it has queued is cancelled, what it
 * submits is refused. Others do not notice.
 *
 * Each job refers to its context. The last reference may be dropped on the
 * scheduler's own workqueue, where the queue cannot be taken down, so that is left to a
 * workqueue of the module.
 *
 * The scheduler's own way to end a queue that still has jobs (drm_sched_entity_fini(), which
 * kills them) was tried and rejected: when it comes between the scheduler's picking a
 * queue and its taking the job, pop_job() puts the dead queue back into the run
 * queue, and both take from it. So a queue is taken down when it is empty; jobs of a
 * closed file get there by themselves, as each is ended at once when its turn comes.
 */

static struct workqueue_struct *loom_context_wq;

static const enum drm_sched_priority loom_context_priority[] = {
	[DRM_LOOM_PRIORITY_LOW] = DRM_SCHED_PRIORITY_LOW,
	[DRM_LOOM_PRIORITY_NORMAL] = DRM_SCHED_PRIORITY_NORMAL,
	[DRM_LOOM_PRIORITY_HIGH] = DRM_SCHED_PRIORITY_HIGH,
};

static void loom_context_release_work(struct work_struct *work)
{
	struct loom_context *context = container_of(work, struct loom_context, release);
	struct loom_device *loom = context->loom;

	/* nothing is queued any more: jobs hold references */
	drm_sched_entity_fini(&context->entity);
	loom_file_put(context->client);
	kfree(context);
	drm_dev_put(&loom->drm);
}

static void loom_context_release(struct kref *ref)
{
	struct loom_context *context = container_of(ref, struct loom_context, ref);

	queue_work(loom_context_wq, &context->release);
}

/**
 * loom_context_put() - drop a reference
 * @context: the context, or NULL
 */
void loom_context_put(struct loom_context *context)
{
	if (context)
		kref_put(&context->ref, loom_context_release);
}

/**
 * loom_context_lookup() - a context by its id
 * @client: whose context
 * @id: its id
 *
 * Return: a reference, or NULL.
 */
struct loom_context *loom_context_lookup(struct loom_file *client, u32 id)
{
	struct loom_context *context;

	xa_lock(&client->contexts);
	context = xa_load(&client->contexts, id);
	if (context)
		kref_get(&context->ref);
	xa_unlock(&client->contexts);
	return context;
}

/**
 * loom_context_drop_all() - a file is closed: its contexts lose their ids
 * @client: the file
 */
void loom_context_drop_all(struct loom_file *client)
{
	struct loom_context *context;
	unsigned long id;

	xa_for_each(&client->contexts, id, context) {
		xa_erase(&client->contexts, id);
		loom_context_put(context);
	}
}

/**
 * loom_context_account() - a job has ended
 * @context: its context
 * @counters: what it did
 * @timed_out: whether the timeout ended it
 *
 * Called before the job's fence signals: a client that has waited for it sees the sums with it.
 */
void loom_context_account(struct loom_context *context,
			  const struct drm_loom_counters *counters, bool timed_out)
{
	struct drm_loom_counters *sum = &context->counters;

	spin_lock(&context->lock);
	sum->dram_read_bytes += counters->dram_read_bytes;
	sum->dram_write_bytes += counters->dram_write_bytes;
	sum->sram_read_bytes += counters->sram_read_bytes;
	sum->sram_write_bytes += counters->sram_write_bytes;
	sum->macs += counters->macs;
	sum->steps += counters->steps;
	sum->commands += counters->commands;
	sum->jobs++;
	sum->busy_ns += counters->busy_ns;
	context->resets += timed_out;
	spin_unlock(&context->lock);

	atomic64_inc(&context->client->jobs);
	if (timed_out)
		atomic_set(&context->guilty, 1);
}

/**
 * loom_context_ioctl_create() - CONTEXT_CREATE
 * @drm: the device
 * @data: &struct drm_loom_context_create
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_context_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct drm_gpu_scheduler *sched = &loom->sched;
	struct loom_file *client = file->driver_priv;
	struct drm_loom_context_create *args = data;
	struct loom_context *context;
	u32 id;
	int ret;

	if (args->priority >= ARRAY_SIZE(loom_context_priority) || args->flags || args->pad)
		return -EINVAL;
	if (args->priority == DRM_LOOM_PRIORITY_HIGH && !capable(CAP_SYS_NICE))
		return -EACCES;

	context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	if (!context)
		return -ENOMEM;
	ret = drm_sched_entity_init(&context->entity, loom_context_priority[args->priority],
				    &sched, 1, &context->guilty);
	if (ret) {
		kfree(context);
		return ret;
	}
	kref_init(&context->ref);
	spin_lock_init(&context->lock);
	INIT_WORK(&context->release, loom_context_release_work);
	drm_dev_get(drm);
	context->loom = loom;
	context->client = loom_file_get(client);

	ret = xa_alloc(&client->contexts, &id, context, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		loom_context_put(context);
		return ret;
	}
	args->context = id;
	return 0;
}

/**
 * loom_context_ioctl_destroy() - CONTEXT_DESTROY
 * @drm: the device
 * @data: &struct drm_loom_context_destroy
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_context_ioctl_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_context_destroy *args = data;
	struct loom_file *client = file->driver_priv;
	struct loom_context *context;

	if (args->pad)
		return -EINVAL;
	context = xa_erase(&client->contexts, args->context);
	if (!context)
		return -ENOENT;
	loom_context_put(context);
	return 0;
}

/**
 * loom_context_ioctl_query() - CONTEXT_QUERY
 * @drm: the device
 * @data: &struct drm_loom_context_query
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_context_ioctl_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_context_query *args = data;
	struct loom_context *context;

	if (args->pad)
		return -EINVAL;
	context = loom_context_lookup(file->driver_priv, args->context);
	if (!context)
		return -ENOENT;
	args->flags = atomic_read(&context->guilty) ? DRM_LOOM_CONTEXT_GUILTY : 0;
	spin_lock(&context->lock);
	args->resets = context->resets;
	args->counters = context->counters;
	spin_unlock(&context->lock);
	loom_context_put(context);
	return 0;
}

/**
 * loom_context_module_init() - what all devices share
 *
 * Return: 0 or -ENOMEM.
 */
int loom_context_module_init(void)
{
	loom_context_wq = alloc_workqueue("loom-release", WQ_UNBOUND, 0);
	return loom_context_wq ? 0 : -ENOMEM;
}

/**
 * loom_context_module_exit() - undo loom_context_module_init(), with what is still to be released
 */
void loom_context_module_exit(void)
{
	destroy_workqueue(loom_context_wq);
}
