/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_PCI_PLAN_H
#define LOOM_PCI_PLAN_H

#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "regs.h"

struct loom_pci;
struct loom_plan_object;

/**
 * struct loom_pci_plan - state of a plan in the back end
 */
struct loom_pci_plan {
	/** @node: in &loom_pci.plans, under &loom_pci.plan_lock */
	struct list_head node;
	/** @number: of the plan on the device, constant */
	u32 number;
	/** @count: number of @extents, constant */
	u32 count;
	/** @bytes: the plan, encoded for the device; constant */
	void *bytes;
	/** @size: of @bytes, constant */
	u64 size;
	/** @pages: @bytes for the device, while @mapped */
	struct sg_table pages;
	/** @extents: the same, as extents for the device */
	struct loom_pci_extent *extents;
	/** @extents_dma: of @extents for the device, while @mapped */
	dma_addr_t extents_dma;
	/** @mapped: for the device, until the driver is unbound; under &loom_pci.plan_lock */
	bool mapped;
	/** @uploading: the device may be reading it; under &loom_pci_ring.lock */
	bool uploading;
	/** @dead: destroyed, kept while @uploading; under the same lock */
	bool dead;
};

int loom_pci_plan_create(struct loom_plan_object *object);
void loom_pci_plan_destroy(struct loom_plan_object *object);
void loom_pci_plan_upload_locked(struct loom_pci *pci, struct loom_pci_plan *plan);
void loom_pci_plan_uploaded(struct loom_pci *pci, u32 number, bool ok);
void loom_pci_plan_forget_locked(struct loom_pci *pci);
void loom_pci_plan_reap(struct work_struct *work);
void loom_pci_plan_unmap_all(struct loom_pci *pci);

#endif /* LOOM_PCI_PLAN_H */
