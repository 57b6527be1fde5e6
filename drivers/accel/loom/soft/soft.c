// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/fpu.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>

#include "core/loom_engine.h"
#include "loom_bo.h"
#include "loom_device.h"
#include "loom_job.h"
#include "loom_plan_object.h"
#include "soft.h"

/**
 * DOC: The soft back end
 *
 * A platform device that the module makes itself, and a worker that runs the
 * engine on it. A bus driver of its own, although there is no bus, because then
 * it can be bound and unbound like any other.
 *
 * The engine calculates with the FPU, and a kernel that does may neither sleep nor
 * be preempted. So a job is done in chunks, and between two of them the worker lets
 * others run and looks whether it shall stop. How much work is a chunk is found by
 * measuring: the budget is doubled while a chunk takes less than LOOM_SOFT_CHUNK_NS on
 * this machine, and cut to what would have taken as long when it takes more. It is
 * never above DRM_LOOM_MAX_UNIT_COST, which a client can have run without a break anyway: a
 * client that submits work that is cheaper than its count, and then work that is dearer, would
 * get a chunk of seconds otherwise.
 *
 * All jobs use one scratch buffer, one after the other. It grows when a plan is
 * submitted that needs more, while older jobs still hold the smaller one. It is
 * not cleared between clients: the verifier has proved that a plan reads nothing that
 * it has not written.
 */

#define LOOM_SOFT_CHUNK_NS	100000
#define LOOM_SOFT_BUDGET_START	4096
#define LOOM_SOFT_BUDGET_MIN	1024
#define LOOM_SOFT_BUDGET_MAX	DRM_LOOM_MAX_UNIT_COST

/**
 * struct loom_soft_scratch - the banks of the SRAM, as far as plans use them
 */
struct loom_soft_scratch {
	/** @ref: the device, and each job that was prepared */
	struct kref ref;
	/** @size: bytes of @bytes */
	u64 size;
	/** @bytes: bank after bank */
	u8 bytes[] __aligned(64);
};

/**
 * struct loom_soft - a soft device
 */
struct loom_soft {
	/** @wq: where the engine runs, one job at a time */
	struct workqueue_struct *wq;
	/** @lock: protects @scratch */
	struct mutex lock;
	/** @scratch: the largest so far, or NULL; grows only */
	struct loom_soft_scratch *scratch;
	/** @budget: element operations of a chunk; only the running job uses it */
	u64 budget;
};

/**
 * struct loom_soft_run - a job's part in the back end
 */
struct loom_soft_run {
	/** @work: on loom_soft.wq */
	struct work_struct work;
	/** @job: whose */
	struct loom_job *job;
	/** @scratch: with a reference, or NULL */
	struct loom_soft_scratch *scratch;
	/** @memory: what the engine works on */
	struct loom_memory memory;
	/** @engine: the run of the plan */
	struct loom_engine engine;
	/** @pitches: bytes from a bank to the next, of SRAM slots */
	u64 pitches[DRM_LOOM_MAX_SLOTS];
	/** @slots: first byte of what is bound to each slot */
	u8 *slots[];
};

static void loom_soft_scratch_release(struct kref *ref)
{
	vfree(container_of(ref, struct loom_soft_scratch, ref));
}

static void loom_soft_scratch_put(struct loom_soft_scratch *scratch)
{
	if (scratch)
		kref_put(&scratch->ref, loom_soft_scratch_release);
}

/* A reference to a buffer of at least @size bytes. */
static struct loom_soft_scratch *loom_soft_scratch_get(struct loom_soft *soft, u64 size)
{
	struct loom_soft_scratch *scratch;

	mutex_lock(&soft->lock);
	scratch = soft->scratch;
	if (!scratch || scratch->size < size) {
		scratch = __vmalloc(sizeof(*scratch) + size,
				    GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
		if (!scratch)
			goto out_unlock;
		kref_init(&scratch->ref);
		scratch->size = size;
		loom_soft_scratch_put(soft->scratch);
		soft->scratch = scratch;
	}
	kref_get(&scratch->ref);
out_unlock:
	mutex_unlock(&soft->lock);
	return scratch;
}

static void loom_soft_adapt(struct loom_soft *soft, u64 chunk_ns)
{
	if (chunk_ns > 2 * LOOM_SOFT_CHUNK_NS)
		soft->budget = max(div64_u64(soft->budget * LOOM_SOFT_CHUNK_NS, chunk_ns),
				   LOOM_SOFT_BUDGET_MIN);
	else if (chunk_ns < LOOM_SOFT_CHUNK_NS / 2)
		soft->budget = min(soft->budget * 2, LOOM_SOFT_BUDGET_MAX);
}

static void loom_soft_work(struct work_struct *work)
{
	struct loom_soft_run *run = container_of(work, struct loom_soft_run, work);
	struct loom_job *job = run->job;
	struct loom_soft *soft = job->loom->backend_data;
	struct drm_loom_counters *counters = &run->engine.counters;
	bool signalling = dma_fence_begin_signalling();
	bool done = false;
	int error;
	u32 i;

	/* buffers were mapped after this was prepared, and stay as long as it runs */
	for (i = 0; i < job->slot_count; i++)
		run->slots[i] = job->slots[i].bo->map.vaddr + job->slots[i].offset;
	loom_engine_init(&run->engine, job->plan->plan, &run->memory);

	do {
		u64 start, chunk_ns;

		error = loom_job_stop_reason(job);
		if (error)
			break;
		start = ktime_get_ns();
		kernel_fpu_begin();
		done = loom_engine_run(&run->engine, soft->budget);
		kernel_fpu_end();
		chunk_ns = ktime_get_ns() - start;
		counters->busy_ns += chunk_ns;
		loom_job_busy(job, chunk_ns);
		if (!done)
			loom_soft_adapt(soft, chunk_ns);
		cond_resched();
	} while (!done);

	loom_job_end(job, error, counters);
	dma_fence_end_signalling(signalling);
}

static int loom_soft_prepare(struct loom_job *job)
{
	const struct loom_plan *plan = job->plan->plan;
	struct loom_soft *soft = job->loom->backend_data;
	struct loom_soft_run *run;
	u64 pitch = round_up(plan->scratch_bytes, 64);
	u32 i;

	run = kzalloc(struct_size(run, slots, job->slot_count), GFP_KERNEL_ACCOUNT);
	if (!run)
		return -ENOMEM;
	INIT_WORK(&run->work, loom_soft_work);
	run->job = job;
	if (pitch) {
		run->scratch = loom_soft_scratch_get(soft, pitch * plan->lanes);
		if (!run->scratch) {
			kfree(run);
			return -ENOMEM;
		}
		run->memory.scratch = run->scratch->bytes;
	}
	run->memory.lanes = plan->lanes;
	run->memory.lane_pitch = pitch;
	run->memory.slots = run->slots;
	/* the linear view of an SRAM buffer is bank after bank, if there is one page in each */
	for (i = 0; i < job->slot_count; i++)
		run->pitches[i] = job->slots[i].bo->shape.layout.page_bytes;
	run->memory.slot_pitches = run->pitches;
	job->run = run;
	return 0;
}

static void loom_soft_run(struct loom_job *job)
{
	struct loom_soft *soft = job->loom->backend_data;
	struct loom_soft_run *run = job->run;

	queue_work(soft->wq, &run->work);
}

static void loom_soft_release(struct loom_job *job)
{
	struct loom_soft_run *run = job->run;

	loom_soft_scratch_put(run->scratch);
	kfree(run);
	job->run = NULL;
}

static void loom_soft_quiesce(struct loom_device *loom)
{
	struct loom_soft *soft = loom->backend_data;

	flush_workqueue(soft->wq);
}

static void loom_soft_fini(struct drm_device *drm, void *data)
{
	struct loom_soft *soft = data;

	destroy_workqueue(soft->wq);
	loom_soft_scratch_put(soft->scratch);
}

static int loom_soft_init(struct loom_device *loom)
{
	struct loom_soft *soft;
	int ret;

	if (!kernel_fpu_available())
		return -EOPNOTSUPP;
	soft = drmm_kzalloc(&loom->drm, sizeof(*soft), GFP_KERNEL);
	if (!soft)
		return -ENOMEM;
	soft->budget = LOOM_SOFT_BUDGET_START;
	ret = drmm_mutex_init(&loom->drm, &soft->lock);
	if (ret)
		return ret;
	soft->wq = alloc_ordered_workqueue("loom-soft", WQ_MEM_RECLAIM);
	if (!soft->wq)
		return -ENOMEM;
	loom->backend_data = soft;
	return drmm_add_action_or_reset(&loom->drm, loom_soft_fini, soft);
}

static const struct loom_backend loom_soft_backend = {
	.name = "soft",
	.init = loom_soft_init,
	.quiesce = loom_soft_quiesce,
	.prepare = loom_soft_prepare,
	.run = loom_soft_run,
	.cancel = loom_job_wait_end,
	.release = loom_soft_release,
};

static int loom_soft_probe(struct platform_device *pdev)
{
	/* dma-bufs are system pages: importers can have them wherever they are */
	int ret = dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));

	return ret ?: loom_device_probe(&pdev->dev, &loom_soft_backend);
}

static void loom_soft_remove(struct platform_device *pdev)
{
	loom_device_remove(&pdev->dev);
}

static struct platform_driver loom_soft_driver = {
	.driver = {
		.name = "loom-soft",
	},
	.probe = loom_soft_probe,
	.remove = loom_soft_remove,
};

static struct platform_device *loom_soft_pdev;

/**
 * loom_soft_module_init() - make the soft device
 *
 * Return: 0 or -errno.
 */
int loom_soft_module_init(void)
{
	int ret = platform_driver_register(&loom_soft_driver);

	if (ret)
		return ret;
	loom_soft_pdev = platform_device_register_simple("loom-soft", PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(loom_soft_pdev)) {
		platform_driver_unregister(&loom_soft_driver);
		return PTR_ERR(loom_soft_pdev);
	}
	return 0;
}

/**
 * loom_soft_module_exit() - unmake it
 */
void loom_soft_module_exit(void)
{
	platform_device_unregister(loom_soft_pdev);
	platform_driver_unregister(&loom_soft_driver);
}
