// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "backend/backend.h"
#include "core/loom_chip.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_drv.h"
#include "loom_job.h"
#include "loom_plan_object.h"
#include "loom_region.h"
#include "nothing.h"

/**
 * DOC: A skeleton
 *
 * What a back end for hardware looks like, with a comment at each operation that says what a chip
 * has to do there; backend/backend.h says what the core promises. It drives a device that does
 * nothing (nothing.c), with few entries in its rings, a reset, and faults. Who brings a chip copies
 * this folder and replaces, one by one, the calls of nothing_*().
 *
 * It is no use to anybody who runs networks: the results of its jobs are whatever was in the
 * buffers before.
 */

#define TEMPLATE_NAME	"loom-template"

/**
 * struct template - a device
 */
struct template {
	/** @loom: whose */
	struct loom_device *loom;
	/** @nothing: the hardware: for a chip, its registers and rings */
	struct nothing nothing;
	/** @read: records that were read since the reset; nobody but the driver writes it */
	u32 read;
	/** @stale: records of another epoch that were seen */
	u32 stale;
};

/**
 * struct template_run - a job's part in the back end: for a chip, its descriptor
 */
struct template_run {
	/** @slots: address of what is bound to each slot, in each of its banks */
	u64 slots[DRM_LOOM_MAX_SLOTS];
};

/* ----------------------------------------------------------------- device */

/*
 * A chip has one record read from its ring here. The rules for a peer that is not trusted: indices
 * of one's own are never read back; what it writes is read once, into memory of one's own, and
 * checked there; a number that cannot be is the end.
 */
static bool template_read(struct template *template, struct loom_job_record *record)
{
	/* pairs with nothing_write(): what is counted is there */
	u32 written = smp_load_acquire(&template->nothing.written);
	struct nothing_record copy;

	if (written == template->read)
		return false;
	if (written - template->read > NOTHING_ENTRIES) {
		loom_device_wedge(template->loom, "records were lost");
		return false;
	}
	memcpy(&copy, &template->nothing.records[template->read++ % NOTHING_ENTRIES],
	       sizeof(copy));
	*record = (struct loom_job_record) {
		.job = copy.job,
		.epoch = copy.epoch,
		.status = copy.status,
	};
	template->stale += copy.epoch != template->loom->epoch;
	return true;
}

/* A chip: the thread of its interrupt. An interrupt is a hint: there may be no record, or many. */
static void template_interrupt(struct work_struct *work)
{
	struct template *template = container_of(work, struct template, nothing.interrupt);
	bool signalling = dma_fence_begin_signalling();
	struct loom_job_record record;

	while (template_read(template, &record))
		if (loom_jobs_complete(template->loom, &record, 1))
			break;
	dma_fence_end_signalling(signalling);
}

/*
 * A chip: check that it is one that is known, with a version and a firmware that are; map its
 * registers; allocate rings in coherent memory; ask for its interrupts, and leave them off.
 */
static int template_init(struct loom_device *loom)
{
	struct template *template = drmm_kzalloc(&loom->drm, sizeof(*template), GFP_KERNEL);

	if (!template)
		return -ENOMEM;
	template->loom = loom;
	nothing_init(&template->nothing, template_interrupt);
	loom->backend_data = template;
	return 0;
}

/* A chip: load its firmware, tell it the rings and the epoch, wait until it is ready. */
static int template_start(struct loom_device *loom)
{
	struct template *template = loom->backend_data;

	template->read = 0;
	nothing_start(&template->nothing, loom->epoch);
	return 0;
}

/*
 * A chip: mask its interrupts and wait for those that are being handled; take the bus from it. It
 * may hang, or be gone: then that is all.
 */
static void template_stop(struct loom_device *loom)
{
	struct template *template = loom->backend_data;

	nothing_stop(&template->nothing);
}

/* A chip: a reset of its function, with a deadline. */
static int template_reset(struct loom_device *loom)
{
	struct template *template = loom->backend_data;

	return nothing_reset(&template->nothing);
}

/* A chip: its status, what its firmware has logged. Read once, and printed as numbers. */
static void template_dump(struct loom_device *loom, struct drm_printer *p)
{
	struct template *template = loom->backend_data;

	drm_printf(p, "records: %u\nstale_records: %u\n", template->read, template->stale);
}

/* ------------------------------------------------------------------ plans */

/* A chip: encode object->plan for it, and upload that. */
static int template_plan_create(struct loom_plan_object *object)
{
	object->backend_data = kzalloc(sizeof(u32), GFP_KERNEL_ACCOUNT);
	return object->backend_data ? 0 : -ENOMEM;
}

/* A chip: have it forget the plan, if it is there. */
static void template_plan_destroy(struct loom_plan_object *object)
{
	kfree(object->backend_data);
}

/* ------------------------------------------------------------------- jobs */

/* A chip: the memory of the descriptor, and of what it points to. */
static int template_prepare(struct loom_job *job)
{
	struct template_run *run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);

	job->run = run;
	return run ? 0 : -ENOMEM;
}

/* A chip: fill in the descriptor. Addresses are those in the banks. */
static int template_emit(struct loom_job *job)
{
	struct template_run *run = job->run;
	u32 i;

	for (i = 0; i < job->slot_count; i++)
		run->slots[i] = loom_region_address(job->slots[i].bo->tbo.resource) +
				job->slots[i].offset;
	return 0;
}

/* A chip: copy the descriptor to the ring, and ring the doorbell. There is room. */
static void template_run(struct loom_job *job)
{
	struct template *template = job->loom->backend_data;

	nothing_give(&template->nothing, job->id);
}

/* A chip: read where it is, if it tells. */
static void template_progress(struct loom_job *job, struct loom_job_position *position)
{
	struct template *template = job->loom->backend_data;

	*position = (struct loom_job_position) {
		.step = nothing_steps(&template->nothing, job->id),
	};
}

/* A chip: write to a register that it looks at between two commands. */
static void template_stop_job(struct loom_job *job)
{
	struct template *template = job->loom->backend_data;

	nothing_end(&template->nothing, job->id);
}

/* A chip: the memory of the descriptor is not read any more. */
static void template_release(struct loom_job *job)
{
	kfree(job->run);
	job->run = NULL;
}

static const struct file_operations template_fops = { LOOM_DRV_FOPS };

static struct drm_driver template_drm __ro_after_init;

static const struct loom_backend template_backend = {
	.name = "template",
	.driver = &template_drm,
	.init = template_init,
	.start = template_start,
	.stop = template_stop,
	.reset = template_reset,
	.dump = template_dump,
	.plan_create = template_plan_create,
	.plan_destroy = template_plan_destroy,
	.job_prepare = template_prepare,
	.job_emit = template_emit,
	.job_run = template_run,
	.job_progress = template_progress,
	.job_stop = template_stop_job,
	.job_release = template_release,
};

/* -------------------------------------------------------------------- bus */

/* A chip: from its registers, checked with loom_chip_check(). */
static struct loom_device_config template_config;

static int template_probe(struct platform_device *pdev)
{
	int ret = dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));

	if (ret)
		return ret;
	template_config = (struct loom_device_config) {
		.chip = *loom_preset_get(0),
		.caps = loom_quota_params,
		.job_timeout_ms = loom_device_param_job_timeout_ms(),
		.jobs_in_flight = NOTHING_ENTRIES,
	};
	strscpy(template_config.chip.name, "template");
	return loom_device_probe(&pdev->dev, &template_backend, &template_config);
}

static void template_remove(struct platform_device *pdev)
{
	loom_device_remove(&pdev->dev);
}

static struct platform_driver template_driver = {
	.driver = {
		.name = TEMPLATE_NAME,
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
		.pm = pm_ptr(&loom_device_pm_ops),
	},
	.probe = template_probe,
	.remove = template_remove,
};

static struct platform_device *template_pdev;

static int __init template_module_init(void)
{
	int ret;

	loom_driver_init(&template_drm, &template_fops);
	ret = platform_driver_register(&template_driver);
	if (ret)
		return ret;
	/* a chip is found by its bus, with a table of ids */
	template_pdev = platform_device_register_simple(TEMPLATE_NAME, PLATFORM_DEVID_NONE, NULL,
							0);
	if (!IS_ERR(template_pdev))
		return 0;
	platform_driver_unregister(&template_driver);
	loom_driver_exit();
	return PTR_ERR(template_pdev);
}

static void __exit template_module_exit(void)
{
	platform_device_unregister(template_pdev);
	platform_driver_unregister(&template_driver);
	loom_driver_exit();
}

module_init(template_module_init);
module_exit(template_module_exit);

MODULE_DESCRIPTION("Skeleton of a back end for Loom neural accelerators");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LOOM_COMPAT_NS);
