// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/pm_runtime.h>
#include <linux/sched/signal.h>

#include <drm/drm_drv.h>

#include "backend/memory.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_user.h"
#include "seal.h"
#include "window.h"

/**
 * DOC: Views
 *
 * To clients a buffer is linear (mmap()). System pages are mapped as they are. In local memory each
 * page of the linear view is in some bank, so the buffer's layout gives the frame of each of the
 * processor's pages (&loom_backend_memory.pfn): the banks are mapped directly, and nothing is
 * copied.
 *
 * This requires a layout whose pages, or the rows of an image, are whole pages of the processor
 * (&drm_loom_region_info.map_bytes), and memory that the processor can access. Any other buffer of
 * the DRAM or ROM is evicted to system pages on a page fault, by the DMA engine after its jobs, and
 * the next job brings it back. So every such buffer can be mapped; only the speed differs. A buffer
 * in the SRAM cannot be evicted, because its jobs would end (loom_ttm.c), so mmap() of such a
 * layout fails there.
 *
 * Rejected: refusing all of these. Clients that work on one device would fail on another because of
 * the pitch of an image. Rejected: a page fault on each access.
 *
 * A wedged device may not have completed its moves and clears, so its memory must not be mapped any
 * more: further page faults get zeroed pages, as after unplugging.
 */

/* Whether the processor can access all bytes of a buffer in all its banks. */
static bool loom_window_reaches(const struct loom_bo *bo)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	const struct loom_mask *mask = &bo->shape.mask;
	u64 first, last;
	unsigned long pfn;
	u32 bank;

	for (bank = loom_mask_next(mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(mask, bank + 1)) {
		first = loom_region_bank_address(bo->tbo.resource, bank);
		last = first + bo->shape.layout.bytes_per_bank - PAGE_SIZE;
		if (!loom->backend->memory->pfn(loom, bo->shape.region, bank, first, &pfn) ||
		    !loom->backend->memory->pfn(loom, bo->shape.region, bank, last, &pfn))
			return false;
	}
	return true;
}

/* Whether a buffer can be mapped directly at its current address. */
static bool loom_window_in_place(const struct loom_bo *bo)
{
	return loom_shape_in_place(&bo->shape, loom_region_map_bytes(loom_bo_region(bo))) &&
	       loom_window_reaches(bo);
}

static bool loom_window_is_refused(const struct loom_bo *bo)
{
	const struct loom_region *region = loom_bo_region(bo);

	return loom_region_is_local(region) && region->id == DRM_LOOM_REGION_SRAM &&
	       !loom_shape_in_place(&bo->shape, loom_region_map_bytes(region));
}

/**
 * loom_window_io_reserve() - TTM is about to map a resource
 * @ttm: of the device
 * @resource: the resource
 *
 * Return: 0; -EIO if the device is wedged or unplugged.
 */
int loom_window_io_reserve(struct ttm_device *ttm, struct ttm_resource *resource)
{
	struct loom_region *region;
	struct loom_device *loom;

	if (resource->mem_type == TTM_PL_SYSTEM)
		return 0;
	region = to_loom_region(ttm_manager_type(ttm, resource->mem_type));
	if (!loom_region_is_local(region))
		return 0;
	loom = container_of(ttm, struct loom_device, ttm);
	/* a clear may have failed; must be checked after its fence */
	if (READ_ONCE(loom->wedged))
		return -EIO;
	/* without an address TTM calls loom_window_io_pfn() for each page */
	resource->bus.is_iomem = true;
	resource->bus.caching = ttm_write_combined;
	return 0;
}

/**
 * loom_window_io_pfn() - page frame of a page of a buffer
 * @tbo: the buffer, resident and reserved, of which loom_window_in_place() is true
 * @page: number of the page
 *
 * Return: the frame.
 */
unsigned long loom_window_io_pfn(struct ttm_buffer_object *tbo, unsigned long page)
{
	struct loom_device *loom = to_loom_device(tbo->base.dev);
	const struct loom_bo *bo = to_loom_bo(tbo);
	unsigned long pfn = 0;
	u64 start, address;
	u32 bank;

	loom_layout_map(&bo->shape.layout, 0, (u64)page << PAGE_SHIFT, &bank, &address);
	bank = loom_shape_bank(&bo->shape, bank);
	start = loom_region_bank_address(tbo->resource, bank);
	/* cannot fail: loom_window_reaches() has checked the buffer */
	if (WARN_ON_ONCE(!loom->backend->memory->pfn(loom, bo->shape.region, bank,
						     start + address, &pfn)))
		loom->backend->memory->pfn(loom, bo->shape.region, bank, start, &pfn);
	return pfn;
}

static vm_fault_t loom_window_fault_reserved(struct loom_bo *bo, struct vm_fault *vmf)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .no_wait_gpu = true };
	int ret = 0;

	if (bo->resident && !loom_window_in_place(bo)) {
		/* the SRAM is accessible as a whole or not at all */
		if (bo->shape.region == DRM_LOOM_REGION_SRAM)
			return VM_FAULT_SIGBUS;
		ret = ttm_bo_validate(&bo->tbo, &loom_bo_system, &ctx);
	}
	if (ret == -ENOMEM)
		return VM_FAULT_OOM;
	if (ret)
		return ret == -EINTR || ret == -ERESTARTSYS ? VM_FAULT_NOPAGE : VM_FAULT_SIGBUS;
	return ttm_bo_vm_fault_reserved(vmf, vmf->vma->vm_page_prot, TTM_BO_VM_NUM_PREFAULT);
}

/* Invariant: a mapped device is awake. Suspending it tears down all mappings (sched/sleep.c). */
static vm_fault_t loom_window_fault_awake(struct loom_bo *bo, struct vm_fault *vmf)
{
	struct loom_device *loom = to_loom_device(bo->tbo.base.dev);
	vm_fault_t fault = VM_FAULT_SIGBUS;

	if (!pm_runtime_resume_and_get(loom->drm.dev)) {
		fault = loom_window_fault_reserved(bo, vmf);
		pm_runtime_mark_last_busy(loom->drm.dev);
		pm_runtime_put_autosuspend(loom->drm.dev);
	}
	if (fault == VM_FAULT_SIGBUS && READ_ONCE(loom->wedged))
		fault = ttm_bo_vm_dummy_page(vmf, vmf->vma->vm_page_prot);
	return fault;
}

/**
 * loom_window_unmap_all() - tear down all mappings of local memory by processes
 * @loom: the device
 *
 * The next access faults, and may map it again.
 */
void loom_window_unmap_all(struct loom_device *loom)
{
	if (loom->memory)
		unmap_mapping_range(loom->drm.anon_inode->i_mapping, 0, 0, 1);
}

/**
 * loom_device_hide() - block accesses of processes to local memory
 * @loom: the device; the caller must hold &loom_flight.gate for writing; fence safe
 *
 * Page faults wait for loom_device_show().
 */
void loom_device_hide(struct loom_device *loom)
{
	WRITE_ONCE(loom->hidden, true);
	/* pairs with loom_window_fault(): one of both removes a mapping created meanwhile */
	smp_mb();
	loom_window_unmap_all(loom);
}
EXPORT_SYMBOL_NS_GPL(loom_device_hide, LOOM_COMPAT_NS);

/**
 * loom_device_show() - undo loom_device_hide()
 * @loom: the device
 */
void loom_device_show(struct loom_device *loom)
{
	WRITE_ONCE(loom->hidden, false);
	wake_up_all(&loom->shown);
}
EXPORT_SYMBOL_NS_GPL(loom_device_show, LOOM_COMPAT_NS);

/*
 * Wait for the moves of a buffer outside of drm_dev_enter(), with the buffer unlocked; the mapping
 * holds a reference. The wait is uninterruptible and must be short: the fault is retried until the
 * moves have ended, or the process is killed. Interruptible waits would spin if the fault is in the
 * kernel, where signals are not delivered.
 */
static vm_fault_t loom_window_wait(struct ttm_buffer_object *tbo, struct vm_fault *vmf)
{
	dma_resv_unlock(tbo->base.resv);
	if (fault_flag_allow_retry_first(vmf->flags) && vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	dma_resv_wait_timeout(tbo->base.resv, DMA_RESV_USAGE_KERNEL, false, HZ / 10);
	return fatal_signal_pending(current) ? VM_FAULT_SIGBUS : VM_FAULT_NOPAGE;
}

static vm_fault_t loom_window_fault(struct vm_fault *vmf)
{
	struct ttm_buffer_object *tbo = vmf->vma->vm_private_data;
	struct loom_device *loom = to_loom_device(tbo->base.dev);
	vm_fault_t fault;
	int idx;

	/* on a timeout the fault is retried */
	if (!wait_event_killable_timeout(loom->shown, !READ_ONCE(loom->hidden), HZ / 10))
		return VM_FAULT_NOPAGE;
	fault = ttm_bo_vm_reserve(tbo, vmf);
	if (fault)
		return fault;
	if (!dma_resv_test_signaled(tbo->base.resv, DMA_RESV_USAGE_KERNEL))
		return loom_window_wait(tbo, vmf);
	if (drm_dev_enter(tbo->base.dev, &idx)) {
		if (loom_region_is_local(loom_bo_region(to_loom_bo(tbo))))
			fault = loom_window_fault_awake(to_loom_bo(tbo), vmf);
		else
			fault = ttm_bo_vm_fault_reserved(vmf, vmf->vma->vm_page_prot,
							 TTM_BO_VM_NUM_PREFAULT);
		drm_dev_exit(idx);
	} else {
		fault = ttm_bo_vm_dummy_page(vmf, vmf->vma->vm_page_prot);
	}
	/* waiting for a move has unlocked it */
	if (fault == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return fault;
	dma_resv_unlock(tbo->base.resv);
	/* pairs with loom_device_hide() */
	smp_mb();
	if (READ_ONCE(loom->hidden))
		loom_window_unmap_all(loom);
	return fault;
}

static const struct vm_operations_struct loom_window_vm_ops = {
	.fault = loom_window_fault,
	.open = loom_seal_vm_open,
	.close = loom_seal_vm_close,
};

/**
 * loom_window_mmap() - prepare a mapping of a buffer
 * @bo: the buffer, of this driver
 * @vma: the mapping
 *
 * Return: 0; -EOPNOTSUPP for a buffer in local SRAM whose pages are no multiples of PAGE_SIZE.
 */
int loom_window_mmap(struct loom_bo *bo, struct vm_area_struct *vma)
{
	if (loom_window_is_refused(bo))
		return loom_refuse(bo->tbo.base.dev, -EOPNOTSUPP,
				   "mmap: pages of %llu bytes, %llu apart, in the SRAM",
				   bo->shape.layout.page_bytes,
				   bo->shape.layout.page_pitch_bytes);
	vma->vm_ops = &loom_window_vm_ops;
	return 0;
}
