// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core/loom_code.h"
#include "loom_device.h"
#include "loom_plan_object.h"
#include "memory.h"
#include "pci.h"
#include "plan.h"

/**
 * DOC: Plans on the device
 *
 * A plan is encoded on creation, from the decoded form that was verified, and uploaded to the
 * device before the first job that needs it: once, and again after each reset, which discards
 * plans. So its bytes are kept, and mapped for the device, until the plan is destroyed. Plans are
 * in the queue of jobs without a partition, and the device has the jobs of others wait for theirs.
 *
 * A destroyed plan is dropped from the device before a later job: destroying it must not wait for a
 * sleeping device. Its number may be reused at once.
 *
 * Rejected: uploading in PLAN_CREATE. The device would have to be woken up and waited for, and
 * after a reset, where memory must not be allocated, a second path would be needed.
 */

static int loom_pci_plan_encode(struct loom_pci_plan *plan, struct loom_plan_object *object)
{
	plan->size = loom_code_bytes(object->plan);
	plan->bytes = __vmalloc(plan->size,
				GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!plan->bytes)
		return -ENOMEM;
	return loom_code_encode(object->plan, plan->bytes);
}

static int loom_pci_plan_pages(struct loom_pci_plan *plan, struct device *dev)
{
	u32 count = PFN_UP(plan->size), i;
	struct page **pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!pages)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		pages[i] = vmalloc_to_page(plan->bytes + ((u64)i << PAGE_SHIFT));
	ret = sg_alloc_table_from_pages_segment(&plan->pages, pages, count, 0, plan->size,
						loom_pci_segment(dev),
						GFP_KERNEL_ACCOUNT);
	kvfree(pages);
	return ret;
}

static int loom_pci_plan_map(struct loom_pci_plan *plan, struct device *dev)
{
	struct scatterlist *sg;
	int ret;
	u32 i;

	plan->extents = kmalloc_array(plan->pages.orig_nents, sizeof(*plan->extents),
				      GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!plan->extents)
		return -ENOMEM;
	ret = dma_map_sgtable(dev, &plan->pages, DMA_TO_DEVICE, 0);
	if (ret)
		return ret;
	for_each_sgtable_dma_sg(&plan->pages, sg, i)
		plan->extents[plan->count++] = (struct loom_pci_extent) {
			.address = cpu_to_le64(sg_dma_address(sg)),
			.bytes = cpu_to_le64(sg_dma_len(sg)),
		};
	plan->extents_dma = dma_map_single(dev, plan->extents,
					   plan->count * sizeof(*plan->extents), DMA_TO_DEVICE);
	if (!dma_mapping_error(dev, plan->extents_dma))
		return 0;
	dma_unmap_sgtable(dev, &plan->pages, DMA_TO_DEVICE, 0);
	return -ENOMEM;
}

static void loom_pci_plan_unmap_locked(struct loom_pci *pci, struct loom_pci_plan *plan)
{
	struct device *dev = &pci->pdev->dev;

	lockdep_assert_held(&pci->plan_lock);
	if (!plan->mapped)
		return;
	dma_unmap_single(dev, plan->extents_dma, plan->count * sizeof(*plan->extents),
			 DMA_TO_DEVICE);
	dma_unmap_sgtable(dev, &plan->pages, DMA_TO_DEVICE, 0);
	plan->mapped = false;
}

/* Assign a number and add the plan to the list. */
static int loom_pci_plan_enter(struct loom_pci *pci, struct loom_pci_plan *plan)
{
	int ret = -EDQUOT;

	mutex_lock(&pci->plan_lock);
	plan->number = find_first_zero_bit(pci->plan_numbers, pci->plan_limit);
	if (plan->number < pci->plan_limit)
		ret = loom_pci_plan_map(plan, &pci->pdev->dev);
	if (!ret) {
		plan->mapped = true;
		__set_bit(plan->number, pci->plan_numbers);
		list_add_tail(&plan->node, &pci->plans);
	}
	mutex_unlock(&pci->plan_lock);
	return ret;
}

static void loom_pci_plan_free(struct loom_pci_plan *plan)
{
	kfree(plan->extents);
	sg_free_table(&plan->pages);
	vfree(plan->bytes);
	kfree(plan);
}

/**
 * loom_pci_plan_create() - encode a plan for the device
 * @object: the plan
 *
 * Return: 0; -EDQUOT if the device has no numbers left; -errno.
 */
int loom_pci_plan_create(struct loom_plan_object *object)
{
	struct loom_pci *pci = to_loom_pci(object->loom);
	struct loom_pci_plan *plan = kzalloc(sizeof(*plan), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!plan)
		return -ENOMEM;
	ret = loom_pci_plan_encode(plan, object);
	if (!ret)
		ret = loom_pci_plan_pages(plan, &pci->pdev->dev);
	if (!ret)
		ret = loom_pci_plan_enter(pci, plan);
	if (ret) {
		loom_pci_plan_free(plan);
		return ret;
	}
	object->backend_data = plan;
	return 0;
}

/* Remove and free a plan. The device must not be reading it. */
static void loom_pci_plan_remove_locked(struct loom_pci *pci, struct loom_pci_plan *plan)
{
	struct loom_pci_ring *ring = &pci->ring;

	lockdep_assert_held(&pci->plan_lock);
	/* otherwise the driver is unbound, and the ring's tables are freed */
	if (plan->mapped) {
		spin_lock(&ring->lock);
		if (ring->plan_epochs[plan->number])
			__set_bit(plan->number, ring->plan_stale);
		spin_unlock(&ring->lock);
	}
	loom_pci_plan_unmap_locked(pci, plan);
	list_del(&plan->node);
	__clear_bit(plan->number, pci->plan_numbers);
	loom_pci_plan_free(plan);
}

/**
 * loom_pci_plan_destroy() - destroy a plan
 * @object: the plan
 *
 * The plan is kept while its upload is pending, for example of a job that was stopped early.
 */
void loom_pci_plan_destroy(struct loom_plan_object *object)
{
	struct loom_pci *pci = to_loom_pci(object->loom);
	struct loom_pci_plan *plan = object->backend_data;
	bool dead;

	mutex_lock(&pci->plan_lock);
	spin_lock(&pci->ring.lock);
	plan->dead = plan->uploading;
	dead = plan->dead;
	spin_unlock(&pci->ring.lock);
	if (!dead)
		loom_pci_plan_remove_locked(pci, plan);
	mutex_unlock(&pci->plan_lock);
}

/**
 * loom_pci_plan_reap() - free destroyed plans whose upload has ended
 * @work: &loom_pci.plan_work
 */
void loom_pci_plan_reap(struct work_struct *work)
{
	struct loom_pci *pci = container_of(work, struct loom_pci, plan_work);
	struct loom_pci_plan *plan, *next;
	bool free;

	mutex_lock(&pci->plan_lock);
	list_for_each_entry_safe(plan, next, &pci->plans, node) {
		spin_lock(&pci->ring.lock);
		free = plan->dead && !plan->uploading;
		spin_unlock(&pci->ring.lock);
		if (free)
			loom_pci_plan_remove_locked(pci, plan);
	}
	mutex_unlock(&pci->plan_lock);
}

static void loom_pci_plan_arrived_locked(struct loom_pci *pci, u32 number)
{
	struct loom_pci_plan *plan = pci->ring.plan_uploads[number];

	lockdep_assert_held(&pci->ring.lock);
	pci->ring.plan_uploads[number] = NULL;
	if (!plan)
		return;
	plan->uploading = false;
	if (plan->dead)
		schedule_work(&pci->plan_work);
}

/**
 * loom_pci_plan_uploaded() - the upload of a plan has ended
 * @pci: the device
 * @number: of the plan
 * @ok: the device has the plan; otherwise the next job uploads it again
 */
void loom_pci_plan_uploaded(struct loom_pci *pci, u32 number, bool ok)
{
	spin_lock(&pci->ring.lock);
	loom_pci_plan_arrived_locked(pci, number);
	if (!ok)
		pci->ring.plan_epochs[number] = 0;
	spin_unlock(&pci->ring.lock);
}

/**
 * loom_pci_plan_forget_locked() - the device has discarded all plans
 * @pci: the device, stopped
 */
void loom_pci_plan_forget_locked(struct loom_pci *pci)
{
	u32 number;

	for (number = 0; number < pci->plan_limit; number++) {
		loom_pci_plan_arrived_locked(pci, number);
		pci->ring.plan_epochs[number] = 0;
	}
	bitmap_zero(pci->ring.plan_stale, pci->plan_limit);
}

static void loom_pci_plan_drop_locked(struct loom_pci *pci, u32 number)
{
	struct loom_pci_descriptor descriptor = {
		.kind = cpu_to_le16(LOOM_PCI_KIND_PLAN_DROP),
		.priority = cpu_to_le16(DRM_LOOM_PRIORITY_HIGH),
		.plan = cpu_to_le32(number),
	};

	loom_pci_ring_put_locked(pci, &descriptor, number, 0);
	__clear_bit(number, pci->ring.plan_stale);
	pci->ring.plan_epochs[number] = 0;
}

/**
 * loom_pci_plan_upload_locked() - upload a plan unless the device has it
 * @pci: the device
 * @plan: the plan of the job that is put to the ring next
 *
 * Also drops destroyed plans: at most two per job, which is enough to bound their number.
 */
void loom_pci_plan_upload_locked(struct loom_pci *pci, struct loom_pci_plan *plan)
{
	struct loom_pci_ring *ring = &pci->ring;
	struct loom_pci_descriptor descriptor = {
		.kind = cpu_to_le16(LOOM_PCI_KIND_PLAN),
		.priority = cpu_to_le16(DRM_LOOM_PRIORITY_HIGH),
		.plan = cpu_to_le32(plan->number),
		.count = cpu_to_le32(plan->count),
		.scatter = cpu_to_le64(plan->extents_dma),
		.bytes = cpu_to_le64(plan->size),
	};
	u32 other;

	lockdep_assert_held(&ring->lock);
	if (test_bit(plan->number, ring->plan_stale))
		loom_pci_plan_drop_locked(pci, plan->number);
	other = find_first_bit(ring->plan_stale, pci->plan_limit);
	if (other < pci->plan_limit)
		loom_pci_plan_drop_locked(pci, other);
	if (ring->plan_epochs[plan->number] == ring->epoch)
		return;
	if (!loom_pci_ring_put_locked(pci, &descriptor, plan->number, 0))
		return;
	ring->plan_epochs[plan->number] = ring->epoch;
	ring->plan_uploads[plan->number] = plan;
	plan->uploading = true;
}

/**
 * loom_pci_plan_unmap_all() - the driver is being unbound
 * @pci: the device, stopped for good
 */
void loom_pci_plan_unmap_all(struct loom_pci *pci)
{
	struct loom_pci_plan *plan;

	mutex_lock(&pci->plan_lock);
	list_for_each_entry(plan, &pci->plans, node)
		loom_pci_plan_unmap_locked(pci, plan);
	mutex_unlock(&pci->plan_lock);
}
