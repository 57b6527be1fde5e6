// SPDX-License-Identifier: GPL-2.0
/*
 * An entity of the scheduler is killed while the scheduler's worker takes a job from it:
 *
 *	insmod sched_kill.ko
 *
 * The worker is held in prepare_job(), between choosing the entity and taking the job, until
 * drm_sched_entity_fini() has taken the entity out of the run queue. Then the entity is
 * freed, and another one gets a job. All happens in the init function, which then returns
 * -ECANCELED, so the module is never loaded.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <drm/gpu_scheduler.h>

struct kill_job {
	struct drm_sched_job base;
	bool hold;
};

static struct drm_gpu_scheduler sched;
static DECLARE_COMPLETION(held);
static DECLARE_COMPLETION(go_on);
static atomic_t jobs = ATOMIC_INIT(0);

static struct dma_fence *kill_prepare_job(struct drm_sched_job *base,
					  struct drm_sched_entity *entity)
{
	struct kill_job *job = container_of(base, struct kill_job, base);

	if (job->hold) {
		job->hold = false;
		complete(&held);
		wait_for_completion(&go_on);
	}
	return NULL;
}

static struct dma_fence *kill_run_job(struct drm_sched_job *base)
{
	return NULL;
}

static enum drm_gpu_sched_stat kill_timedout_job(struct drm_sched_job *base)
{
	return DRM_GPU_SCHED_STAT_NOMINAL;
}

static void kill_free_job(struct drm_sched_job *base)
{
	struct kill_job *job = container_of(base, struct kill_job, base);

	drm_sched_job_cleanup(base);
	kfree(job);
	atomic_dec(&jobs);
}

static const struct drm_sched_backend_ops kill_ops = {
	.prepare_job = kill_prepare_job,
	.run_job = kill_run_job,
	.timedout_job = kill_timedout_job,
	.free_job = kill_free_job,
};

static int kill_push(struct drm_sched_entity *entity, bool hold)
{
	struct kill_job *job = kzalloc(sizeof(*job), GFP_KERNEL);
	int ret;

	if (!job)
		return -ENOMEM;
	job->hold = hold;
	ret = drm_sched_job_init(&job->base, entity, 1, NULL, 0);
	if (ret) {
		kfree(job);
		return ret;
	}
	atomic_inc(&jobs);
	drm_sched_job_arm(&job->base);
	drm_sched_entity_push_job(&job->base);
	return 0;
}

static struct drm_sched_entity *kill_entity(void)
{
	struct drm_sched_entity *entity = kzalloc(sizeof(*entity), GFP_KERNEL);
	struct drm_gpu_scheduler *list[] = { &sched };

	if (entity && drm_sched_entity_init(entity, DRM_SCHED_PRIORITY_NORMAL, list, 1, NULL)) {
		kfree(entity);
		return NULL;
	}
	return entity;
}

static int kill_thread(void *data)
{
	struct drm_sched_entity *entity = data;

	drm_sched_entity_fini(entity);
	return 0;
}

static void kill_wait_for_jobs(void)
{
	while (atomic_read(&jobs))
		msleep(20);
}

static void kill_try(struct drm_sched_entity *first, struct drm_sched_entity *second)
{
	struct task_struct *killer;
	int i;

	for (i = 0; i < 3; i++)
		if (kill_push(first, !i))
			return;
	wait_for_completion(&held);
	killer = kthread_create(kill_thread, first, "sched_kill");
	if (IS_ERR(killer)) {
		complete(&go_on);
		return;
	}
	get_task_struct(killer);
	wake_up_process(killer);
	while (!READ_ONCE(first->stopped))
		msleep(20);
	/* it still has to leave the run queue, under the same lock */
	spin_lock(&first->lock);
	spin_unlock(&first->lock);
	complete(&go_on);
	kthread_stop(killer);
	put_task_struct(killer);
	kill_wait_for_jobs();
	pr_info("sched_kill: after its end the entity is %s\n",
		RB_EMPTY_NODE(&first->rb_tree_node) ? "in no queue" : "queued");
	kfree(first);
	if (!kill_push(second, false))
		kill_wait_for_jobs();
	pr_info("sched_kill: the other entity's job has run\n");
}

static int __init kill_init(void)
{
	struct device *dev = root_device_register("sched_kill");
	const struct drm_sched_init_args args = {
		.ops = &kill_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = 4,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = "sched_kill",
		.dev = dev,
	};
	struct drm_sched_entity *first, *second;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	if (drm_sched_init(&sched, &args))
		goto unregister;
	first = kill_entity();
	second = kill_entity();
	if (first && second) {
		kill_try(first, second);
		drm_sched_entity_fini(second);
	}
	kfree(second);
	drm_sched_fini(&sched);
unregister:
	root_device_unregister(dev);
	return -ECANCELED;
}

module_init(kill_init);
MODULE_DESCRIPTION("Kill an entity while a job is taken from it");
MODULE_LICENSE("GPL");
