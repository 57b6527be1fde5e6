// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "backend/backend.h"
#include "loom_compat.h"
#include "template.h"
#include "tile.h"

/**
 * DOC: A skeleton
 *
 * A template of a back end for hardware. The comment of each operation says what a back end for a
 * chip must do there; backend/backend.h has the guarantees of the core. It drives a dummy device
 * (nothing.c), with few entries in its rings, a reset, and faults. To support a chip, copy this
 * folder and replace the calls of nothing_*() one by one.
 *
 * It cannot run networks without native commands: only these, and with them LOAD, STORE, COPY and
 * FILL, write to buffers, with local memory (memory.c, native.c, data.c).
 */

#define TEMPLATE_NAME	"loom-template"

static unsigned int template_jobs = NOTHING_ENTRIES;
module_param_named(jobs, template_jobs, uint, 0600);
MODULE_PARM_DESC(jobs, "How many it takes at a time (1 to 4, default: 4)");

/* ----------------------------------------------------------------- device */

/*
 * A chip must read one record from its ring here. Rules for an untrusted peer: the driver must not
 * read back its own indices; it must read data of the device once, into its own memory, and check
 * the copy; an invalid value must wedge the device.
 */
static bool template_read(struct template *template, struct loom_job_record *record)
{
	/* pairs with nothing_write(): counted records are visible */
	u32 written = smp_load_acquire(&template->nothing.written);
	const struct nothing_record *from;

	if (written == template->read)
		return false;
	if (written - template->read > NOTHING_ENTRIES) {
		loom_device_wedge(template->loom, "completion records lost");
		return false;
	}
	from = &template->nothing.records[template->read++ % NOTHING_ENTRIES];
	*record = (struct loom_job_record) {
		.job = READ_ONCE(from->job),
		.epoch = READ_ONCE(from->epoch),
		.status = READ_ONCE(from->status),
		.counters.cycles = READ_ONCE(from->cycles),
	};
	template->stale += record->epoch != loom_device_epoch(template->loom);
	return true;
}

/* Also called before a job is blamed, because an interrupt may have been lost. */
static void template_poll(struct loom_device *loom)
{
	struct template *template = to_template(loom);
	bool signalling = dma_fence_begin_signalling();
	struct loom_job_record record;

	mutex_lock(&template->lock);
	while (template_read(template, &record))
		if (loom_jobs_complete(loom, &record, 1))
			break;
	mutex_unlock(&template->lock);
	dma_fence_end_signalling(signalling);
}

/*
 * For a chip, the thread of its interrupt. An interrupt is a hint: there may be no record, or many.
 */
static void template_interrupt(struct work_struct *work)
{
	struct template *template = container_of(work, struct template, nothing.interrupt);

	if (READ_ONCE(template->nothing.hangs))
		loom_device_hang(template->loom, loom_device_epoch(template->loom));
	template_poll(template->loom);
}

/*
 * A chip must check the id, version and firmware; map the registers; allocate rings in coherent
 * memory; request the interrupts, and leave them disabled.
 */
static int template_init(struct loom_device *loom)
{
	struct drm_device *drm = loom_device_drm(loom);
	struct template *template = drmm_kzalloc(drm, sizeof(*template), GFP_KERNEL);
	int ret;

	if (!template)
		return -ENOMEM;
	ret = drmm_mutex_init(drm, &template->lock);
	if (ret)
		return ret;
	template->loom = loom;
	nothing_init(&template->nothing, template_interrupt);
	*loom_device_data(loom) = template;
	return 0;
}

/*
 * A chip must load the firmware, write the addresses of the rings and the epoch, and wait until the
 * device is ready.
 */
static int template_start(struct loom_device *loom)
{
	struct template *template = to_template(loom);

	template->read = 0;
	return nothing_start(&template->nothing, loom_device_epoch(loom));
}

/*
 * A chip must mask the interrupts and wait for running handlers, and disable bus mastering. This
 * must also work if the device hangs or is unplugged.
 */
static void template_stop(struct loom_device *loom, enum loom_stop_reason why)
{
	struct template *template = to_template(loom);

	nothing_stop(&template->nothing);
	/* records written until then, with or without an interrupt */
	template_poll(loom);
}

/* A chip must reset its function, with a timeout. */
static int template_reset(struct loom_device *loom)
{
	struct template *template = to_template(loom);

	return nothing_reset(&template->nothing);
}

/* A chip should print its status and the firmware's log, read once, as numbers. */
static void template_dump(struct loom_device *loom, struct drm_printer *p)
{
	struct template *template = to_template(loom);

	drm_printf(p, "records: %u\nstale_records: %u\ncurrent_job: %llu\n", template->read,
		   template->stale, nothing_current(&template->nothing));
}

/* ------------------------------------------------------------------ plans */

/* A chip must encode the plan and upload it. */
static int template_plan_create(struct loom_plan_object *object)
{
	nothing_touch(&to_template(loom_plan_object_device(object))->nothing);
	return 0;
}

/* A chip must drop the plan from the device, if it is plugged in. */
static void template_plan_destroy(struct loom_plan_object *object)
{
}

/* ------------------------------------------------------------------- jobs */

/* A chip must allocate the descriptor and the memory it points to. */
static int template_prepare(struct loom_job *job)
{
	*loom_job_data(job) = kvzalloc(sizeof(struct template_run), GFP_KERNEL_ACCOUNT);
	return *loom_job_data(job) ? 0 : -ENOMEM;
}

/*
 * A chip must fill in the descriptor. Addresses are those in the banks, or DMA addresses of the
 * pages of a shared buffer (&loom_device_config.host_slots), for which loom_job_slot_address()
 * returns false: it must map these, and job_unmap() must undo that.
 */
static int template_emit(struct loom_job *job)
{
	struct template_run *run = *loom_job_data(job);
	u32 i;

	if (nothing_has_fault(NOTHING_BUSY))
		return -EAGAIN;
	for (i = 0; i < loom_job_slot_count(job); i++)
		loom_job_slot_address(job, i, &run->at[i]);
	return 0;
}

/* A chip must copy the descriptor to the ring, and ring the doorbell. The ring is not full. */
static void template_run(struct loom_job *job)
{
	struct template *template = to_template(loom_job_device(job));

	nothing_give(&template->nothing, loom_job_id(job), 0);
}

/* A chip should read the position, if available. */
static void template_progress(struct loom_job *job, struct loom_job_position *position)
{
	struct template *template = to_template(loom_job_device(job));

	*position = (struct loom_job_position) {
		.step = nothing_steps(&template->nothing, loom_job_id(job)),
	};
}

/* A chip must write to a register that it polls between two commands. */
static void template_stop_job(struct loom_job *job)
{
	struct template *template = to_template(loom_job_device(job));

	nothing_end(&template->nothing, loom_job_id(job));
}

/* A chip must free the descriptor, which it does not read any more. */
static void template_release(struct loom_job *job)
{
	kvfree(*loom_job_data(job));
	*loom_job_data(job) = NULL;
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
	.poll = template_poll,
	.dump = template_dump,
	.plan_create = template_plan_create,
	.plan_destroy = template_plan_destroy,
	.job_prepare = template_prepare,
	.job_emit = template_emit,
	.job_run = template_run,
	.job_progress = template_progress,
	.job_stop = template_stop_job,
	.job_release = template_release,
	.native = &tile_native,
};

/* -------------------------------------------------------------------- bus */

/* A driver must read this from registers, and check it with loom_chip_check(). */
static const struct drm_loom_chip template_chip = {
	.name = "template",
	.dtypes = (1U << DRM_LOOM_DTYPE_END) - 2,
	.flags = DRM_LOOM_CHIP_OVERLAP,
	.opcodes = GENMASK_ULL(DRM_LOOM_OP_FILL, DRM_LOOM_OP_LOAD) | TEMPLATE_ARITHMETIC,
	.frequency_hz = 1000000000,
	.compute_units = 1,
	.region = {
		[DRM_LOOM_REGION_DRAM] = {
			.banks = 8, .sub_banks = 1, .bank_bytes = SZ_256M,
			.reserved_bytes = 64, .align_bytes = 64,
			.flags = DRM_LOOM_CHIP_SHARED, .read_rate = 16000, .write_rate = 16000,
		},
		[DRM_LOOM_REGION_SRAM] = {
			.banks = 16, .sub_banks = 16, .bank_bytes = SZ_256K, .align_bytes = 64,
			.read_rate = 1024000, .write_rate = 1024000,
		},
	},
	.type = {
		[DRM_LOOM_DTYPE_F32 ... DRM_LOOM_DTYPE_BOOL] = {
			.mac_rate = 64000, .op_rate = 64000,
		},
	},
};

static void template_configure(struct loom_device_config *config)
{
	*config = (struct loom_device_config) {
		.chip = template_chip,
		.job_timeout_ms = loom_device_param_job_timeout_ms(),
		.jobs_in_flight = min_t(u32, template_jobs, NOTHING_ENTRIES),
	};
}

static int template_probe(struct platform_device *pdev)
{
	const struct loom_backend *backend;
	struct loom_device_config *config;
	int ret = dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));

	if (ret)
		return ret;
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	config = kzalloc(sizeof(*config), GFP_KERNEL);
	if (!config)
		return -ENOMEM;
	template_configure(config);
	backend = template_own_backend(&template_backend, config);
	ret = loom_device_probe(&pdev->dev, backend, config);
	kfree(config);
	return ret;
}

static void template_remove(struct platform_device *pdev)
{
	loom_device_remove(&pdev->dev);
}

static void template_shutdown(struct platform_device *pdev)
{
	loom_device_shutdown(&pdev->dev);
}

static struct platform_driver template_driver = {
	.driver = {
		.name = TEMPLATE_NAME,
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
		.pm = pm_ptr(&loom_device_pm_ops),
	},
	.probe = template_probe,
	.remove = template_remove,
	.shutdown = template_shutdown,
};

static struct platform_device *template_pdev;

static int __init template_module_init(void)
{
	int ret;

	loom_driver_init(&template_drm, &template_fops);
	template_own_init(&template_backend);
	ret = platform_driver_register(&template_driver);
	if (ret)
		return ret;
	/* for a chip, its bus probes by a table of ids */
	template_pdev = platform_device_register_simple(TEMPLATE_NAME, PLATFORM_DEVID_NONE, NULL,
							0);
	if (!IS_ERR(template_pdev))
		return 0;
	platform_driver_unregister(&template_driver);
	loom_driver_exit(&template_drm);
	return PTR_ERR(template_pdev);
}

static void __exit template_module_exit(void)
{
	platform_device_unregister(template_pdev);
	platform_driver_unregister(&template_driver);
	loom_driver_exit(&template_drm);
}

module_init(template_module_init);
module_exit(template_module_exit);

MODULE_DESCRIPTION("Skeleton of a back end for Loom neural accelerators");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LOOM_COMPAT_NS);
