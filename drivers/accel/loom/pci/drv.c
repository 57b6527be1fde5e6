// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/suspend.h>

#include "loom_compat.h"
#include "loom_device.h"
#include "loom_drv.h"
#include "pci.h"
#include "plan.h"
#include "record.h"

/**
 * DOC: Loom devices on the PCI bus
 *
 * The back end for devices with the registers and rings of regs.h, which is the contract between
 * driver and device, including the rules of trust. The operations are those of backend/backend.h.
 *
 * - chip.c: the device's description, checked;
 * - device.c: start, stop, reset, heartbeat;
 * - ring.c: descriptors, records, the interrupt;
 * - plan.c, job.c, move.c: entries of the ring;
 * - memory.c: addresses of bytes for the device and for the processor;
 * - sensor.c: hwmon.
 *
 * All regions are local memory. The device does not preempt jobs, so it gets a few at a time, and
 * the core queues the others (backend/flight.c). Each partition has a queue, so that their jobs run
 * at the same time; contexts without lanes share one, and moves have others. A job of a partition
 * that hangs is ended by a reset of its lanes (LOOM_PCI_KIND_JOB_RESET).
 *
 * A descriptor can only be revoked by STOP, by a new epoch, or by disabling bus mastering.
 * loom_pci_stop(), which is fence safe, disables bus mastering if any descriptor has no record.
 * Invariant: the device cannot write to host memory after it has returned, even if the firmware
 * hangs.
 *
 * Power: it sleeps with its memory (LOOM_PCI_POWER_RETAIN) and stays in D0, for runtime PM and when
 * the system idles. D3hot loses the memory, and so do sleep states of the firmware. So all buffers
 * must be moved to system pages before, and a new epoch begins afterwards. Queued jobs have
 * addresses, so a device with jobs keeps the system awake.
 *
 * Rejected: MSI-X and INTx (see regs.h); pci_reset_function() (see device.c).
 */

static const struct file_operations loom_pci_fops = { LOOM_DRV_FOPS };

static struct drm_driver loom_pci_drm __ro_after_init;

static const struct loom_backend_memory loom_pci_local = {
	.pfn = loom_pci_memory_pfn,
	.clear = loom_pci_memory_clear,
	.prepare = loom_pci_move_prepare,
	.run = loom_pci_move_run,
	.release = loom_pci_move_release,
};

static const struct loom_backend loom_pci_backend = {
	.name = "pci",
	.driver = &loom_pci_drm,
	.init = loom_pci_init,
	.start = loom_pci_start,
	.stop = loom_pci_stop,
	.reset = loom_pci_reset,
	.poll = loom_pci_poll,
	.dump = loom_pci_dump,
	.memory = &loom_pci_local,
	.plan_create = loom_pci_plan_create,
	.plan_destroy = loom_pci_plan_destroy,
	.job_prepare = loom_pci_job_prepare,
	.job_emit = loom_pci_job_emit,
	.job_unmap = loom_pci_job_unmap,
	.job_run = loom_pci_job_run,
	.job_progress = loom_pci_job_progress,
	.job_stop = loom_pci_job_stop,
	.job_reset = loom_pci_job_reset,
	.job_release = loom_pci_job_release,
	.has_lanes = true,
};

/* -------------------------------------------------------------------- probe */

static int loom_pci_map(struct loom_pci *pci)
{
	struct pci_dev *pdev = pci->pdev;
	int ret = pcim_enable_device(pdev);

	if (ret)
		return ret;
	if (pci_resource_len(pdev, LOOM_PCI_BAR_REGS) < LOOM_PCI_REGS_BYTES ||
	    !(pci_resource_flags(pdev, LOOM_PCI_BAR_MEMORY) & IORESOURCE_MEM))
		return dev_err_probe(&pdev->dev, -ENODEV, "BARs are missing or too small\n");
	ret = pcim_iomap_regions(pdev, BIT(LOOM_PCI_BAR_REGS), "loom");
	if (ret)
		return ret;
	pci->regs = pcim_iomap_table(pdev)[LOOM_PCI_BAR_REGS];
	pci->window = pci_resource_start(pdev, LOOM_PCI_BAR_MEMORY);
	if (!devm_request_mem_region(&pdev->dev, pci->window,
				     pci_resource_len(pdev, LOOM_PCI_BAR_MEMORY), "loom"))
		return -EBUSY;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	return 0;
}

static void loom_pci_free_vectors(void *pdev)
{
	pci_free_irq_vectors(pdev);
}

/* Request the interrupt disabled; loom_pci_start() enables it. */
static int loom_pci_request_irq(struct loom_pci *pci)
{
	struct pci_dev *pdev = pci->pdev;
	int ret;

	writel(0, pci->regs + LOOM_PCI_IRQ_ENABLE);
	ret = pci_alloc_irq_vectors(pdev, LOOM_PCI_VECTORS, LOOM_PCI_VECTORS, PCI_IRQ_MSI);
	if (ret < 0)
		return dev_err_probe(&pdev->dev, ret, "no MSI\n");
	ret = devm_add_action_or_reset(&pdev->dev, loom_pci_free_vectors, pdev);
	if (ret)
		return ret;
	pci->irq = pci_irq_vector(pdev, 0);
	return devm_request_threaded_irq(&pdev->dev, pci->irq, NULL, loom_pci_record_interrupt,
					 IRQF_ONESHOT, "loom", pci);
}

static int loom_pci_setup(struct loom_pci *pci)
{
	int ret = loom_pci_map(pci);

	/* waiting for the reset of a removed device takes a minute */
	if (!ret && !pci_device_is_present(pci->pdev))
		ret = -ENODEV;
	/* reset state of a previous driver, which may have used the number of our first epoch */
	if (!ret)
		ret = pci_reset_function_locked(pci->pdev);
	if (!ret || ret == -ENOTTY)
		ret = loom_pci_chip_read(pci);
	if (!ret)
		ret = loom_pci_ring_init(pci);
	if (ret)
		return ret;
	if (pci->window_bytes)
		pci->memory = devm_ioremap_wc(&pci->pdev->dev, pci->window, pci->window_bytes);
	pci->plan_numbers = bitmap_zalloc(pci->plan_limit, GFP_KERNEL);
	if ((pci->window_bytes && !pci->memory) || !pci->plan_numbers)
		return -ENOMEM;
	pci->config.job_timeout_ms = loom_device_param_job_timeout_ms();
	pci->config.host_slots = true;
	pci->config.jobs_in_flight = pci->ring.jobs;
	pci->config.moves_in_flight = pci->ring.moves;
	pci->config.backend_data = pci;
	return loom_pci_request_irq(pci);
}

static void loom_pci_put_action(void *pci)
{
	loom_pci_put(pci);
}

static int loom_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct loom_pci *pci = kzalloc(sizeof(*pci), GFP_KERNEL);
	int ret;

	if (!pci)
		return -ENOMEM;
	kref_init(&pci->ref);
	mutex_init(&pci->plan_lock);
	INIT_LIST_HEAD(&pci->plans);
	spin_lock_init(&pci->shared_lock);
	INIT_LIST_HEAD(&pci->shared);
	pci->pdev = pdev;
	/* must be released last: the device may interrupt at any time until then */
	ret = devm_add_action_or_reset(&pdev->dev, loom_pci_put_action, pci);
	if (ret)
		return ret;
	ret = loom_pci_setup(pci);
	if (!ret)
		ret = loom_device_probe(&pdev->dev, &loom_pci_backend, &pci->config);
	if (ret)
		return ret;
	/* D3cold depends on the bridge */
	pci_d3cold_disable(pdev);
	pm_runtime_allow(&pdev->dev);
	ret = loom_pci_sensor_init(pci);
	if (ret)
		dev_warn(&pdev->dev, "hwmon registration failed: %d\n", ret);
	/* drop the reference that the PCI core holds during probe */
	pm_runtime_mark_last_busy(&pdev->dev);
	pm_runtime_put_autosuspend(&pdev->dev);
	return 0;
}

static void loom_pci_remove(struct pci_dev *pdev)
{
	struct loom_device *loom = pci_get_drvdata(pdev);
	struct loom_pci *pci = to_loom_pci(loom);

	pm_runtime_get_noresume(&pdev->dev);
	pm_runtime_forbid(&pdev->dev);
	/* do not wait for answers of a removed device */
	if (!pci_device_is_present(pdev))
		loom_device_wedge(loom, "device removed");
	loom_device_remove(&pdev->dev);
	cancel_work_sync(&pci->plan_work);
	loom_pci_plan_reap(&pci->plan_work);
	loom_pci_plan_unmap_all(pci);
}

static void loom_pci_shutdown(struct pci_dev *pdev)
{
	loom_device_shutdown(&pdev->dev);
}

/* -------------------------------------------------------------------- power */

/* The PCI core saves the configuration space and picks the power state. */
static int loom_pci_pm_off(struct device *dev)
{
	struct loom_pci *pci = to_loom_pci(dev_get_drvdata(dev));
	int ret = loom_device_move_out(dev) ?: loom_device_pm_ops.suspend(dev);

	/* resume begins a new epoch */
	if (!ret)
		pci->ring.epoch = 0;
	return ret;
}

/* The driver saves the configuration space, so the PCI core leaves the device in D0. */
static int loom_pci_pm_suspend(struct device *dev)
{
	int ret;

	if (pm_suspend_via_firmware())
		return loom_pci_pm_off(dev);
	ret = loom_device_pm_ops.suspend(dev);
	return ret ?: pci_save_state(to_pci_dev(dev));
}

static int loom_pci_pm_resume(struct device *dev)
{
	return loom_device_pm_ops.resume(dev);
}

static int loom_pci_pm_runtime_suspend(struct device *dev)
{
	int ret = loom_device_pm_ops.runtime_suspend(dev);

	return ret ?: pci_save_state(to_pci_dev(dev));
}

static int loom_pci_pm_runtime_resume(struct device *dev)
{
	return loom_device_pm_ops.runtime_resume(dev);
}

static const struct dev_pm_ops loom_pci_pm_ops = {
	.suspend = pm_sleep_ptr(loom_pci_pm_suspend),
	.resume = pm_sleep_ptr(loom_pci_pm_resume),
	.freeze = pm_sleep_ptr(loom_pci_pm_off),
	.thaw = pm_sleep_ptr(loom_pci_pm_resume),
	.poweroff = pm_sleep_ptr(loom_pci_pm_off),
	.restore = pm_sleep_ptr(loom_pci_pm_resume),
	RUNTIME_PM_OPS(loom_pci_pm_runtime_suspend, loom_pci_pm_runtime_resume, NULL)
};

/* -------------------------------------------------------------------- reset */

static void loom_pci_reset_prepare(struct pci_dev *pdev)
{
	loom_device_reset_prepare(&pdev->dev);
}

static void loom_pci_reset_done(struct pci_dev *pdev)
{
	loom_device_reset_done(&pdev->dev);
}

/* Resets by the PCI core, for example through sysfs. */
static const struct pci_error_handlers loom_pci_err_handlers = {
	.reset_prepare = loom_pci_reset_prepare,
	.reset_done = loom_pci_reset_done,
};

static const struct pci_device_id loom_pci_ids[] = {
	{ PCI_DEVICE(LOOM_PCI_VENDOR, LOOM_PCI_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, loom_pci_ids);

static struct pci_driver loom_pci_driver = {
	.name = "loom_pci",
	.id_table = loom_pci_ids,
	.probe = loom_pci_probe,
	.remove = loom_pci_remove,
	.shutdown = loom_pci_shutdown,
	.err_handler = &loom_pci_err_handlers,
	.driver.pm = pm_ptr(&loom_pci_pm_ops),
};

static int __init loom_pci_module_init(void)
{
	int ret;

	loom_driver_init(&loom_pci_drm, &loom_pci_fops);
	ret = pci_register_driver(&loom_pci_driver);
	if (ret)
		loom_driver_exit(&loom_pci_drm);
	return ret;
}

static void __exit loom_pci_module_exit(void)
{
	pci_unregister_driver(&loom_pci_driver);
	loom_driver_exit(&loom_pci_drm);
}

module_init(loom_pci_module_init);
module_exit(loom_pci_module_exit);

MODULE_DESCRIPTION("Loom neural accelerators on the PCI bus");
MODULE_AUTHOR("Loom developers");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(LOOM_COMPAT_NS);
