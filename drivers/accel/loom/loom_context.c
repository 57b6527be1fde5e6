// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_lanes.h"
#include "loom_quota.h"
#include "loom_user.h"

/**
 * DOC: Contexts
 *
 * A context is a queue of jobs: its jobs run in order, and those of different contexts share the
 * engine, see backend/turn.c. A context whose job was ended by the timeout stays guilty: its queued
 * jobs are cancelled, and SUBMIT refuses new ones. Other contexts are not affected.
 *
 * Each context has a scheduler (&struct drm_gpu_scheduler) of its own, with one queue and room for
 * one job in flight. One scheduler for all contexts with room for many jobs was rejected on paper,
 * for three reasons in its list of jobs in flight:
 *
 * * it frees jobs in the order in which they were started. The buffers of short jobs would be kept
 *   until the long job of another client has ended;
 * * it checks only the first of them on a timeout;
 * * a job that depends on one of the same scheduler is started when that one is, not when it has
 *   ended. That is right for an in-order engine, and wrong with preemption.
 *
 * The schedulers share the workqueues of the device.
 *
 * An exclusive context suspends the rules about the SRAM for its file, see sram/sram.c.
 *
 * Each job refers to its context. The last reference may be dropped on the scheduler's own
 * workqueue, where tearing down the queue would deadlock, so a workqueue of the module does that.
 * It must also wait for an RCU grace period: callbacks of fences access queue and scheduler, and
 * may still do so after another thread has ended the job (drm_sched_job_done() and
 * drm_sched_entity_wakeup() both end by accessing the scheduler). Such callbacks run under a
 * spinlock with interrupts off, which is an RCU read-side critical section.
 *
 * The scheduler's own way to end a queue that still has jobs (drm_sched_entity_fini(), which
 * kills them) was tried and rejected: if it runs between the scheduler's picking a queue and its
 * popping the job, pop_job() puts the dead queue back into the run queue, and both pop from it. So
 * a queue must be empty when it is torn down; that of a closed file becomes empty, because each job
 * ends after the one before it.
 */

static struct workqueue_struct *loom_context_wq;

static void loom_context_release_work(struct work_struct *work)
{
	struct loom_context *context = container_of(to_rcu_work(work), struct loom_context,
						    release);
	struct loom_device *loom = context->loom;

	/*
	 * No jobs are queued, because they hold references. The scheduler must be stopped twice,
	 * the second time by drm_sched_fini(): work that saw it running before the first stop may
	 * still queue other work.
	 */
	drm_sched_wqueue_stop(&context->sched);
	drm_sched_entity_fini(&context->entity);
	drm_sched_fini(&context->sched);
	loom_file_put(context->client);
	mutex_destroy(&context->push_lock);
	kfree(context);
	drm_dev_put(&loom->drm);
}

static void loom_context_release(struct kref *ref)
{
	struct loom_context *context = container_of(ref, struct loom_context, ref);

	/* immediately, because it may be charged to the client */
	if (context->backend_data)
		context->loom->backend->context_release(context);
	loom_lanes_give(context);
	queue_rcu_work(loom_context_wq, &context->release);
}

/* Take a reference. Return: @context. */
struct loom_context *loom_context_get(struct loom_context *context)
{
	kref_get(&context->ref);
	return context;
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

/* Look up a context by its id. Return: a reference, or NULL. */
struct loom_context *loom_context_lookup(struct loom_file *client, u32 id)
{
	struct loom_context *context;

	xa_lock(&client->contexts);
	context = xa_load(&client->contexts, id);
	if (context)
		loom_context_get(context);
	xa_unlock(&client->contexts);
	return context;
}

/* The context has lost its id. */
static void loom_context_drop(struct loom_context *context)
{
	loom_lanes_unclaim(context);
	loom_quota_uncharge(context->loom, context->client, LOOM_QUOTA_CONTEXTS, 1);
	loom_context_put(context);
}

/* A file is closed: its contexts lose their ids. */
void loom_context_drop_all(struct loom_file *client)
{
	struct loom_context *context;
	unsigned long id;

	xa_for_each(&client->contexts, id, context) {
		xa_erase(&client->contexts, id);
		loom_context_drop(context);
	}
}

/**
 * loom_context_account() - a job has ended
 * @context: its context
 * @counters: its counters
 * @timed_out: whether the timeout ended it
 *
 * Must be called before the job's fence signals, so that a client that has waited for it sees the
 * new sums.
 */
void loom_context_account(struct loom_context *context,
			  const struct drm_loom_counters *counters, bool timed_out)
{
	struct drm_loom_counters *sum = &context->counters;

	spin_lock(&context->lock);
	/* the device is not trusted: sums must not wrap */
	sum->dram_read_bytes = size_add(sum->dram_read_bytes, counters->dram_read_bytes);
	sum->dram_write_bytes = size_add(sum->dram_write_bytes, counters->dram_write_bytes);
	sum->sram_read_bytes = size_add(sum->sram_read_bytes, counters->sram_read_bytes);
	sum->sram_write_bytes = size_add(sum->sram_write_bytes, counters->sram_write_bytes);
	sum->rom_read_bytes = size_add(sum->rom_read_bytes, counters->rom_read_bytes);
	sum->macs = size_add(sum->macs, counters->macs);
	sum->steps = size_add(sum->steps, counters->steps);
	sum->commands = size_add(sum->commands, counters->commands);
	sum->jobs++;
	sum->busy_ns = size_add(sum->busy_ns, counters->busy_ns);
	sum->cycles = size_add(sum->cycles, counters->cycles);
	sum->dma_cycles = size_add(sum->dma_cycles, counters->dma_cycles);
	sum->compute_cycles = size_add(sum->compute_cycles, counters->compute_cycles);
	sum->energy_fj = size_add(sum->energy_fj, counters->energy_fj);
	context->resets += timed_out;
	spin_unlock(&context->lock);

	atomic64_inc(&context->client->jobs);
}

/*
 * Period of the scheduler's timeout checks. The timeout counts engine time, which jobs share, so a
 * single check after the timeout is not enough.
 */
static long loom_context_timeout_period(const struct loom_device *loom)
{
	return max_t(long, msecs_to_jiffies(loom->job_timeout_ms) / 8, 1);
}

/* CONTEXT_CREATE, with &struct drm_loom_context_create. Return: 0 or -errno. */
int loom_context_ioctl_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct loom_file *client = file->driver_priv;
	struct drm_loom_context_create *args = data, answer = *args;
	struct drm_gpu_scheduler *sched;
	struct loom_context *context;
	u32 id;
	int ret;

	if (args->priority >= LOOM_PRIORITY_COUNT || args->pad || args->pad2 ||
	    args->flags & ~LOOM_LANES_FLAGS)
		return loom_refuse(drm, -EINVAL, "context: priority %u, flags %#x, padding %#x %#x",
				   args->priority, args->flags, args->pad, args->pad2);
	if (args->priority == DRM_LOOM_PRIORITY_HIGH && !capable(CAP_SYS_NICE))
		return loom_refuse(drm, -EACCES, "context: high priority needs CAP_SYS_NICE");

	ret = loom_quota_charge(loom, client, LOOM_QUOTA_CONTEXTS, 1);
	if (ret)
		return ret;
	context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	if (!context) {
		loom_quota_uncharge(loom, client, LOOM_QUOTA_CONTEXTS, 1);
		return -ENOMEM;
	}
	sched = &context->sched;
	ret = loom_compat_sched_init(sched, loom->sched_ops, loom->sched_wq, loom->timeout_wq,
				     loom_context_timeout_period(loom), drm->dev);
	if (ret)
		goto err_free;
	/* any priority except KERNEL, which ignores @guilty; the scheduler has no other queue */
	ret = drm_sched_entity_init(&context->entity, DRM_SCHED_PRIORITY_HIGH, &sched, 1,
				    &context->guilty);
	if (ret)
		goto err_sched;
	kref_init(&context->ref);
	spin_lock_init(&context->lock);
	mutex_init(&context->push_lock);
	INIT_RCU_WORK(&context->release, loom_context_release_work);
	drm_dev_get(drm);
	context->loom = loom;
	context->client = loom_file_get(client);
	context->priority = array_index_nospec(args->priority, LOOM_PRIORITY_COUNT);
	context->timeline = dma_fence_context_alloc(1);

	ret = loom_lanes_take(context, &answer);
	/* once it has an id, another thread may destroy it */
	if (!ret)
		ret = xa_alloc(&client->contexts, &id, context, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		loom_context_drop(context);
		return ret;
	}
	answer.context = id;
	*args = answer;
	return 0;

err_sched:
	drm_sched_fini(sched);
err_free:
	kfree(context);
	loom_quota_uncharge(loom, client, LOOM_QUOTA_CONTEXTS, 1);
	return ret;
}

/* CONTEXT_DESTROY, with &struct drm_loom_context_destroy. Return: 0 or -errno. */
int loom_context_ioctl_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_context_destroy *args = data;
	struct loom_file *client = file->driver_priv;
	struct loom_context *context;

	if (args->pad)
		return loom_refuse(drm, -EINVAL, "context: padding %#x", args->pad);
	context = xa_erase(&client->contexts, args->context);
	if (!context)
		return loom_refuse(drm, -ENOENT, "no context %u", args->context);
	loom_context_drop(context);
	return 0;
}

/* CONTEXT_QUERY, with &struct drm_loom_context_query. Return: 0 or -errno. */
int loom_context_ioctl_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_context_query *args = data;
	struct loom_context *context;

	if (args->pad)
		return loom_refuse(drm, -EINVAL, "context: padding %#x", args->pad);
	context = loom_context_lookup(file->driver_priv, args->context);
	if (!context)
		return loom_refuse(drm, -ENOENT, "no context %u", args->context);
	args->flags = atomic_read(&context->guilty) ? DRM_LOOM_CONTEXT_GUILTY : 0;
	args->flags |= loom_lanes_flags(context);
	spin_lock(&context->lock);
	args->resets = context->resets;
	args->counters = context->counters;
	spin_unlock(&context->lock);
	loom_context_put(context);
	return 0;
}

/**
 * loom_context_queue() - queue work that must not run where jobs end
 * @work: the work; unloading the module waits for it
 */
void loom_context_queue(struct work_struct *work)
{
	queue_work(loom_context_wq, work);
}

/* Set up state shared by all devices. Return: 0 or -ENOMEM. */
int loom_context_module_init(void)
{
	loom_context_wq = alloc_workqueue("loom-release", WQ_UNBOUND, 0);
	return loom_context_wq ? 0 : -ENOMEM;
}

/* Undo loom_context_module_init(), after pending releases. */
void loom_context_module_exit(void)
{
	/* wait until all pending releases are on the workqueue */
	rcu_barrier();
	destroy_workqueue(loom_context_wq);
}
