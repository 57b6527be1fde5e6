// SPDX-License-Identifier: GPL-2.0
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "label.h"
#include "loom_device.h"
#include "loom_ioctl.h"
#include "loom_trace.h"
#include "loom_user.h"

/**
 * DOC: Labels
 *
 * A label is a name that a client gives to a buffer, for people: it stands wherever the driver
 * describes the buffer, and has no other effect. It belongs to the buffer and not to a handle, so
 * all files with a handle share it, and it is lost with the buffer.
 *
 * Only printable ASCII is accepted, because root reads labels of any client in terminals, and no
 * control sequence must reach these. Without CAP_PERFMON a client sees the labels of buffers only
 * that it has made or has a handle for, as with addresses.
 *
 * The lock is a raw spinlock, because tracepoints copy labels with preemption disabled. Rejected: a
 * string of its own on the heap, as panthor has it. It saves 64 bytes of a structure of 700, and
 * costs an allocation and a lifetime.
 */

static bool loom_label_is_printable(const char *label, u32 size)
{
	while (size--)
		if (label[size] < 0x20 || label[size] > 0x7e)
			return false;
	return true;
}

static void loom_label_trace(struct loom_device *loom, struct loom_bo *bo)
{
	struct drm_gem_object *gem = &bo->tbo.base;

	u64 start = 0;

	/* never wait: another driver may hold the reservation of an imported buffer */
	if (dma_resv_trylock(gem->resv)) {
		if (bo->resident)
			start = loom_region_address(bo->tbo.resource);
		dma_resv_unlock(gem->resv);
	}
	trace_loom_label(loom_device_index(loom), bo->owner, bo->shape.region, start,
			 bo->shape.layout.bytes_per_bank, gem);
}

/* BO_LABEL, with &struct drm_loom_bo_label. Return: 0 or -errno. */
int loom_label_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_loom_bo_label *args = data;
	char label[DRM_LOOM_LABEL_BYTES] = {};
	struct drm_gem_object *gem;
	struct loom_bo *bo;

	if (args->size > sizeof(label))
		return loom_refuse(drm, -EINVAL, "label: %u characters, the limit is %zu",
				   args->size, sizeof(label));
	if (copy_from_user(label, u64_to_user_ptr(args->ptr), args->size))
		return loom_refuse(drm, -EFAULT, "label: no %u bytes at %#llx", args->size,
				   args->ptr);
	if (!loom_label_is_printable(label, args->size))
		return loom_refuse(drm, -EINVAL, "label: a character is not printable ASCII");
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return loom_refuse(drm, -ENOENT, "no buffer %u", args->handle);
	bo = gem_to_loom_bo(gem);
	raw_spin_lock(&bo->label_lock);
	memcpy(bo->label, label, sizeof(label));
	raw_spin_unlock(&bo->label_lock);
	if (trace_loom_label_enabled())
		loom_label_trace(to_loom_device(drm), bo);
	drm_gem_object_put(gem);
	return 0;
}
