// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>

#include <drm/drm_file.h>

#include "loom_compat.h"
#include "loom_device.h"
#include "loom_ioctl.h"
#include "loom_user.h"
#include "seal.h"

/**
 * DOC: Seals
 *
 * A sealed buffer is never written again, by no client and no device, so processes that share it
 * need not trust each other: bytes that one of them has checked stay as they were. It is for the
 * weights of a network, which many processes of a machine run, and follows F_SEAL_WRITE of a memfd:
 * sealing fails with EBUSY while anything could still write, and cannot be undone.
 *
 * These can write to a buffer, and each is refused with EPERM once it is sealed:
 *
 * - a mapping that is writable, or that mprotect() could make writable (VM_MAYWRITE). They are
 *   counted in &loom_bo.writers, which a seal sets to -1. A mapping of a sealed buffer loses
 *   VM_MAYWRITE. Debuggers cannot access mappings (no access() of the VMA);
 * - a job with the buffer in a slot with DRM_LOOM_SLOT_WRITE. SUBMIT asks under the reservation
 *   lock, under which it adds the job's fence, and a seal looks for these fences;
 * - BO_WRITE, under the same lock. A seal waits for its copies in local memory, whose fences are
 *   kernel fences;
 * - an importer, which has the pages pinned (&loom_bo.exports), and may then map them for
 *   processes;
 * - a driver that maps a dma-buf for the kernel, attached or not. It is counted as a mapping.
 *
 * Only the client that made a buffer may seal it, otherwise any sharer could. A job that reads is
 * EBUSY, too, because its fence does not tell; a client seals before it shares.
 *
 * Rejected: tearing down the mappings and letting the page fault refuse writes. Each mapping of
 * each buffer would then need a fault for its first write to a page after a read (pfn_mkwrite()),
 * and a client that still writes would get SIGBUS instead of the sealing one EBUSY. Rejected:
 * exporting without DRM_RDWR. It binds the file descriptor only, and not the handle that an import
 * of the same device gives.
 */

/* &loom_bo.writers of a sealed buffer */
#define LOOM_SEALED	-1

/**
 * loom_seal_mmap() - count a new mapping that may write
 * @bo: the buffer
 * @vma: the mapping, undone by loom_seal_munmap() unless it has loom_seal_vm_open() and the others
 *
 * Return: 0, and the mapping stays readable only if the buffer is sealed; -EPERM if it is sealed
 * and the mapping writable; -EINVAL for a private one, as of TTM.
 */
int loom_seal_mmap(struct loom_bo *bo, struct vm_area_struct *vma)
{
	if (is_cow_mapping(vma->vm_flags))
		return -EINVAL;
	if (!(vma->vm_flags & VM_MAYWRITE) || !loom_seal_hold(bo))
		return 0;
	if (vma->vm_flags & VM_WRITE)
		return loom_refuse(bo->tbo.base.dev, -EPERM, "mmap: the buffer is sealed");
	vm_flags_clear(vma, VM_MAYWRITE);
	return 0;
}

/**
 * loom_seal_munmap() - undo loom_seal_mmap()
 * @bo: the buffer
 * @vma: the mapping
 */
void loom_seal_munmap(struct loom_bo *bo, const struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_MAYWRITE)
		loom_seal_release(bo);
}

static struct loom_bo *loom_seal_bo(const struct vm_area_struct *vma)
{
	return to_loom_bo(vma->vm_private_data);
}

/* A mapping is split, moved or inherited: its flags are those of one that was counted. */
void loom_seal_vm_open(struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_MAYWRITE)
		atomic_inc(&loom_seal_bo(vma)->writers);
	ttm_bo_vm_open(vma);
}

void loom_seal_vm_close(struct vm_area_struct *vma)
{
	loom_seal_munmap(loom_seal_bo(vma), vma);
	ttm_bo_vm_close(vma);
}

/* Lock the reservation while no move is pending. */
static int loom_seal_lock(struct dma_resv *resv)
{
	long left;
	int ret;

	for (;;) {
		ret = dma_resv_lock_interruptible(resv, NULL);
		if (ret || dma_resv_test_signaled(resv, DMA_RESV_USAGE_KERNEL))
			return ret;
		dma_resv_unlock(resv);
		left = dma_resv_wait_timeout(resv, DMA_RESV_USAGE_KERNEL, true,
					     MAX_SCHEDULE_TIMEOUT);
		if (left < 0)
			return left;
	}
}

static int loom_seal_bo_locked(struct loom_bo *bo)
{
	if (bo->exports || !loom_bo_is_idle(bo) ||
	    atomic_cmpxchg(&bo->writers, 0, LOOM_SEALED) > 0)
		return loom_refuse(bo->tbo.base.dev, -EBUSY,
				   "seal: %u importers, %d mappings may write, or a job runs",
				   bo->exports, atomic_read(&bo->writers));
	return 0;
}

/* BO_SEAL, with &struct drm_loom_bo_seal. Return: 0 or -errno. */
int loom_seal_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_bo_seal *args = data;
	struct drm_gem_object *gem;
	struct loom_bo *bo;
	int ret;

	if (args->pad)
		return loom_refuse(drm, -EINVAL, "seal: padding %#x", args->pad);
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return loom_refuse(drm, -ENOENT, "no buffer %u", args->handle);
	bo = gem_to_loom_bo(gem);
	/* an imported one has no owner */
	if (bo->owner != file->client_id) {
		ret = loom_refuse(drm, -EPERM, "seal: another client made buffer %u",
				  args->handle);
		goto out_put;
	}
	ret = loom_seal_lock(gem->resv);
	if (ret)
		goto out_put;
	ret = loom_bo_is_sealed(bo) ? 0 : loom_seal_bo_locked(bo);
	dma_resv_unlock(gem->resv);
out_put:
	drm_gem_object_put(gem);
	return ret;
}
