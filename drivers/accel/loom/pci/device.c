// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/iopoll.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "loom_device.h"
#include "pci.h"
#include "plan.h"
#include "record.h"

/* Timeouts for a new epoch, and for falling asleep. */
#define LOOM_PCI_RESET_MS	1000
#define LOOM_PCI_DRAIN_MS	100
/* Period of heartbeat checks, and limit of checks without a change. */
#define LOOM_PCI_BEAT_MS	1000
#define LOOM_PCI_SILENT		3

/**
 * loom_pci_read64() - read a constant register of 64 bits
 * @pci: the device
 * @offset: of its lower half
 *
 * Return: the value.
 */
u64 loom_pci_read64(struct loom_pci *pci, u32 offset)
{
	return lo_hi_readq(pci->regs + offset);
}

static void loom_pci_free(struct kref *ref)
{
	struct loom_pci *pci = container_of(ref, struct loom_pci, ref);

	mutex_destroy(&pci->plan_lock);
	bitmap_free(pci->plan_numbers);
	kfree(pci);
}

/**
 * loom_pci_put() - drop a reference
 * @pci: the device
 */
void loom_pci_put(struct loom_pci *pci)
{
	kref_put(&pci->ref, loom_pci_free);
}

static void loom_pci_fini(struct drm_device *drm, void *data)
{
	loom_pci_put(data);
}

/* --------------------------------------------------------------- heartbeat */

/*
 * Whether the device reports a fault, or is in another epoch because the function was reset behind
 * the driver's back. A read of all ones is ignored, because it may be transient; the next check
 * repeats it.
 */
static bool loom_pci_has_stopped(struct loom_pci *pci)
{
	u32 status = readl(pci->regs + LOOM_PCI_STATUS);
	u32 epoch = readl(pci->regs + LOOM_PCI_EPOCH);

	return (status != U32_MAX && status & LOOM_PCI_STATUS_FAULT) ||
	       (epoch != U32_MAX && epoch != pci->ring.epoch);
}

/* A device without a heartbeat is reset; all ones mean that it was removed. */
static void loom_pci_heartbeat(struct work_struct *work)
{
	struct loom_pci *pci = container_of(to_delayed_work(work), struct loom_pci, heartbeat);
	u32 beats = readl(pci->regs + LOOM_PCI_HEARTBEAT);
	bool skipped;

	if (!pci_device_is_present(pci->pdev)) {
		loom_device_wedge(pci->loom, "device removed");
		return;
	}
	/* an interrupt or a doorbell write may have been lost */
	loom_pci_record_process(pci);
	writel(LOOM_PCI_IRQ_ALL, pci->regs + LOOM_PCI_IRQ_ENABLE);
	spin_lock(&pci->ring.lock);
	loom_pci_ring_ring_locked(pci);
	spin_unlock(&pci->ring.lock);
	pci->silent = beats == pci->beats ? pci->silent + 1 : 0;
	pci->beats = beats;
	skipped = loom_pci_record_is_skipped(pci);
	if (pci->silent >= LOOM_PCI_SILENT || skipped || loom_pci_has_stopped(pci)) {
		drm_notice(&pci->loom->drm, "hangs: status %#x, epoch %u, fault %u, heartbeat %u%s\n",
			   readl(pci->regs + LOOM_PCI_STATUS), readl(pci->regs + LOOM_PCI_EPOCH),
			   readl(pci->regs + LOOM_PCI_FAULT), beats,
			   skipped ? ", record skipped" : "");
		loom_device_hang(pci->loom, pci->ring.epoch);
		return;
	}
	schedule_delayed_work(&pci->heartbeat, msecs_to_jiffies(LOOM_PCI_BEAT_MS));
}

/* -------------------------------------------------------------------- life */

/**
 * loom_pci_init() - allocate the rings
 * @loom: the device
 *
 * Return: 0 or -errno.
 */
int loom_pci_init(struct loom_device *loom)
{
	struct loom_pci *pci = to_loom_pci(loom);

	pci->loom = loom;
	INIT_WORK(&pci->plan_work, loom_pci_plan_reap);
	INIT_DELAYED_WORK(&pci->heartbeat, loom_pci_heartbeat);
	kref_get(&pci->ref);
	return drmm_add_action_or_reset(&loom->drm, loom_pci_fini, pci);
}

/* Start an epoch with the rings. Return: 0 or -ETIMEDOUT. */
static int loom_pci_handshake(struct loom_pci *pci, u32 epoch)
{
	u32 value;
	int ret;

	pci->epoch = epoch;
	loom_pci_record_forget(pci);
	writel(LOOM_PCI_POWER_RUN, pci->regs + LOOM_PCI_POWER);
	loom_pci_ring_reset(pci);
	writel(epoch, pci->regs + LOOM_PCI_RESET);
	ret = readl_poll_timeout(pci->regs + LOOM_PCI_EPOCH, value, value == epoch, 100,
				 LOOM_PCI_RESET_MS * USEC_PER_MSEC);
	if (ret) {
		dev_err(&pci->pdev->dev, "EPOCH is %#x %u ms after RESET was set to %#x\n", value,
			LOOM_PCI_RESET_MS, epoch);
		return ret;
	}
	ret = readl_poll_timeout(pci->regs + LOOM_PCI_STATUS, value,
				 value != U32_MAX && value & LOOM_PCI_STATUS_READY, 100,
				 LOOM_PCI_RESET_MS * USEC_PER_MSEC);
	if (ret)
		dev_err(&pci->pdev->dev, "STATUS is %#x, not ready, %u ms after a reset\n", value,
			LOOM_PCI_RESET_MS);
	return ret;
}

/**
 * loom_pci_start() - make the device take jobs
 * @loom: the device
 *
 * A sleeping device goes on with its plans and rings; any other gets a new epoch.
 *
 * Return: 0 or -errno.
 */
int loom_pci_start(struct loom_device *loom)
{
	struct loom_pci *pci = to_loom_pci(loom);
	int ret;

	pci_set_master(pci->pdev);
	writel(LOOM_PCI_POWER_RUN, pci->regs + LOOM_PCI_POWER);
	if (pci->ring.epoch != loom->epoch || pci->ring.count ||
	    readl(pci->regs + LOOM_PCI_EPOCH) != loom->epoch ||
	    readl(pci->regs + LOOM_PCI_STATUS) != LOOM_PCI_STATUS_READY) {
		ret = loom_pci_handshake(pci, pci->epoch == loom->epoch ?
					 loom_device_new_epoch(loom) : loom->epoch);
		if (ret) {
			pci_clear_master(pci->pdev);
			return ret;
		}
	}
	loom_pci_ring_on(pci, loom->epoch);
	writel(LOOM_PCI_IRQ_ALL, pci->regs + LOOM_PCI_IRQ_STATUS);
	writel(LOOM_PCI_IRQ_ALL, pci->regs + LOOM_PCI_IRQ_ENABLE);
	pci->silent = 0;
	schedule_delayed_work(&pci->heartbeat, msecs_to_jiffies(LOOM_PCI_BEAT_MS));
	return 0;
}

/**
 * loom_pci_stop() - stop all accesses of the device
 * @loom: the device, which may be unplugged
 * @why: the reason
 *
 * An idle device is put to sleep. Any other loses bus mastering.
 */
void loom_pci_stop(struct loom_device *loom, enum loom_stop_reason why)
{
	struct loom_pci *pci = to_loom_pci(loom);
	bool idle;

	cancel_delayed_work_sync(&pci->heartbeat);
	/* wait for answers to PROGRESS and STOP */
	idle = why != LOOM_STOP_RESET &&
	       loom_pci_ring_drain(pci, why == LOOM_STOP_SLEEP ? LOOM_PCI_DRAIN_MS : 0);
	writel(0, pci->regs + LOOM_PCI_IRQ_ENABLE);
	if (idle)
		writel(LOOM_PCI_POWER_RETAIN, pci->regs + LOOM_PCI_POWER);
	/* flush the posted write by a read, which may be all ones */
	readl(pci->regs + LOOM_PCI_POWER);
	pci_clear_master(pci->pdev);
	synchronize_irq(pci->irq);
	/* records written until then count */
	loom_pci_record_process(pci);
	loom_pci_ring_off(pci);
	if (!idle)
		loom_pci_record_forget(pci);
	/* descriptors without a record must not complete in the same epoch */
	if (!idle)
		pci->ring.epoch = 0;
}

/**
 * loom_pci_reset() - discard all state of the device
 * @loom: the device, stopped, with a new epoch
 *
 * Resets by the firmware, and if that hangs, by FLR.
 *
 * Return: 0 or -errno.
 */
int loom_pci_reset(struct loom_device *loom)
{
	struct loom_pci *pci = to_loom_pci(loom);
	int ret;

	if (!pci_device_is_present(pci->pdev))
		return -ENODEV;
	pci_set_master(pci->pdev);
	ret = loom_pci_handshake(pci, loom->epoch);
	if (ret) {
		/*
		 * pci_reset_function() would deadlock: it takes the lock of the device, and
		 * unplugging waits for this function with that lock held.
		 */
		pci_clear_master(pci->pdev);
		/* the BARs are inaccessible during the reset */
		loom_device_hide(loom);
		pci_save_state(pci->pdev);
		ret = pcie_reset_flr(pci->pdev, PCI_RESET_DO_RESET);
		pci_restore_state(pci->pdev);
		loom_device_show(loom);
		pci_set_master(pci->pdev);
		if (!ret)
			ret = loom_pci_handshake(pci, loom->epoch);
	}
	/* loom_pci_start() finds the new epoch */
	if (!ret)
		pci->ring.epoch = loom->epoch;
	else
		pci_clear_master(pci->pdev);
	return ret;
}

/**
 * loom_pci_poll() - look for records without an interrupt, and for a fault
 * @loom: the device
 */
void loom_pci_poll(struct loom_device *loom)
{
	struct loom_pci *pci = to_loom_pci(loom);

	loom_pci_record_process(pci);
	if (loom_pci_has_stopped(pci))
		loom_device_hang(loom, pci->ring.epoch);
}

/**
 * loom_pci_dump() - print state for a devcoredump
 * @loom: the device
 * @p: the printer
 */
void loom_pci_dump(struct loom_device *loom, struct drm_printer *p)
{
	struct loom_pci *pci = to_loom_pci(loom);
	struct loom_pci_ring *ring = &pci->ring;
	int idx;

	drm_printf(p, "firmware: %u.%u.%u\nepoch: %u\nrecords: %u\nstale_records: %u\n",
		   pci->firmware >> 24, pci->firmware >> 16 & 0xff, pci->firmware & 0xffff,
		   ring->epoch, ring->read, ring->stale);
	if (!drm_dev_enter(&loom->drm, &idx))
		return;
	drm_printf(p, "descriptors: %u\nunanswered: %u\n", READ_ONCE(ring->written),
		   READ_ONCE(ring->count));
	drm_printf(p, "status: %#x\nfault: %u\nheartbeat: %u\npower: %u\n",
		   readl(pci->regs + LOOM_PCI_STATUS), readl(pci->regs + LOOM_PCI_FAULT),
		   readl(pci->regs + LOOM_PCI_HEARTBEAT), readl(pci->regs + LOOM_PCI_POWER));
	drm_dev_exit(idx);
}
