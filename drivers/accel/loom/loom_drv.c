// SPDX-License-Identifier: GPL-2.0
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_print.h>
#include <drm/loom_accel.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_drv.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_lanes.h"
#include "loom_plan_object.h"
#include "loom_user.h"
#include "memory/share.h"
#include "sched/sched.h"

/**
 * DOC: The node
 *
 * The file operations are those of every accel node, but for ioctl: DRM's own
 * dispatcher offers calls of display devices, too, and some of them (GET_UNIQUE,
 * GET_MAGIC) follow a pointer that an accel node does not have. So only the ioctls in
 * loom_drv_core_ioctls are passed to it; other numbers are EINVAL, like unknown ones. An ioctl that
 * is not DRM's is ENOTTY.
 *
 * Some of DRM's ioctls allocate by a client's count, and the kernel warns if that is absurd. So the
 * count is checked here, and more than LOOM_DRV_MAX_HANDLES is E2BIG. A client that changes it
 * between this check and DRM's only causes that warning.
 *
 * Bytes beyond the structure that this driver knows must be zero, otherwise E2BIG.
 *
 * drm_ioctl() fails with ENODEV once the device is unplugged. An ioctl that began before may still
 * run when loom_device_remove() returns, so each part that touches the device is a critical section
 * of drm_dev_enter(). All DRM devices of the machine share that SRCU domain: a reader that does not
 * leave it blocks the unplugging of each of them. Such a section must therefore not access user
 * memory (a page of a FUSE file may never arrive), verify a plan, or wait for fences or
 * reservations. Rejected: one section around each ioctl, with which any client could block all
 * unplugging.
 */

#define LOOM_DRV_IOCTL(name, func)	DRM_IOCTL_DEF_DRV(LOOM_##name, func, DRM_RENDER_ALLOW)

static const struct drm_ioctl_desc loom_drv_ioctls[] = {
	LOOM_DRV_IOCTL(QUERY, loom_query_ioctl),
	LOOM_DRV_IOCTL(BO_CREATE, loom_bo_ioctl_create),
	LOOM_DRV_IOCTL(BO_INFO, loom_bo_ioctl_info),
	LOOM_DRV_IOCTL(BO_WAIT, loom_bo_ioctl_wait),
	LOOM_DRV_IOCTL(PLAN_CREATE, loom_plan_ioctl_create),
	LOOM_DRV_IOCTL(PLAN_DESTROY, loom_plan_ioctl_destroy),
	LOOM_DRV_IOCTL(SUBMIT, loom_submit_ioctl),
	LOOM_DRV_IOCTL(CONTEXT_CREATE, loom_context_ioctl_create),
	LOOM_DRV_IOCTL(CONTEXT_DESTROY, loom_context_ioctl_destroy),
	LOOM_DRV_IOCTL(CONTEXT_QUERY, loom_context_ioctl_query),
	LOOM_DRV_IOCTL(BO_READ, loom_copy_ioctl_read),
	LOOM_DRV_IOCTL(BO_WRITE, loom_copy_ioctl_write),
	LOOM_DRV_IOCTL(BO_LABEL, loom_label_ioctl),
	LOOM_DRV_IOCTL(BO_SEAL, loom_seal_ioctl),
};

/* Limit of syncobjs in one call: far above the need of clients, small enough to allocate. */
#define LOOM_DRV_MAX_HANDLES	1024

/* DRM ioctls of an accel node, and the offset of their count of handles. */
static const struct loom_drv_core_ioctl {
	u32 cmd;
	u32 count_offset;
} loom_drv_core_ioctls[] = {
	{ DRM_IOCTL_VERSION },
	{ DRM_IOCTL_GET_CAP },
	{ DRM_IOCTL_GEM_CLOSE },
	{ DRM_IOCTL_PRIME_HANDLE_TO_FD },
	{ DRM_IOCTL_PRIME_FD_TO_HANDLE },
	{ DRM_IOCTL_SYNCOBJ_CREATE },
	{ DRM_IOCTL_SYNCOBJ_DESTROY },
	{ DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD },
	{ DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE },
	{ DRM_IOCTL_SYNCOBJ_WAIT, offsetof(struct drm_syncobj_wait, count_handles) },
	{ DRM_IOCTL_SYNCOBJ_RESET, offsetof(struct drm_syncobj_array, count_handles) },
	{ DRM_IOCTL_SYNCOBJ_SIGNAL, offsetof(struct drm_syncobj_array, count_handles) },
	{ DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
	  offsetof(struct drm_syncobj_timeline_wait, count_handles) },
	{ DRM_IOCTL_SYNCOBJ_QUERY, offsetof(struct drm_syncobj_timeline_array, count_handles) },
	{ DRM_IOCTL_SYNCOBJ_TRANSFER },
	{ DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL,
	  offsetof(struct drm_syncobj_timeline_array, count_handles) },
	{ DRM_IOCTL_SYNCOBJ_EVENTFD },
};

static int loom_drv_check_own(struct drm_device *drm, u32 cmd, unsigned long arg)
{
	u32 index = DRM_IOCTL_NR(cmd) - DRM_COMMAND_BASE, size;
	int ret;

	if (index >= ARRAY_SIZE(loom_drv_ioctls))
		return loom_refuse(drm, -EINVAL, "no ioctl %#x", cmd);
	index = array_index_nospec(index, ARRAY_SIZE(loom_drv_ioctls));
	size = _IOC_SIZE(loom_drv_ioctls[index].cmd);
	if (_IOC_SIZE(cmd) <= size)
		return 0;
	ret = check_zeroed_user((void __user *)arg + size, _IOC_SIZE(cmd) - size);
	if (ret < 0)
		return loom_refuse(drm, ret, "ioctl %u: no argument", index);
	return ret ? 0 : loom_refuse(drm, -E2BIG, "ioctl %u: unknown bytes are set", index);
}

static int loom_drv_check_core(struct drm_device *drm, u32 cmd, unsigned long arg)
{
	const struct loom_drv_core_ioctl *core = loom_drv_core_ioctls;
	const struct loom_drv_core_ioctl *end = core + ARRAY_SIZE(loom_drv_core_ioctls);
	u32 count;

	while (core < end && DRM_IOCTL_NR(cmd) != DRM_IOCTL_NR(core->cmd))
		core++;
	if (core == end)
		return loom_refuse(drm, -EINVAL, "ioctl %#x is not for this node", cmd);
	if (!core->count_offset || _IOC_SIZE(cmd) <= core->count_offset)
		return 0;
	if (get_user(count, (u32 __user *)(arg + core->count_offset)))
		return loom_refuse(drm, -EFAULT, "ioctl %#x: no argument", cmd);
	if (count > LOOM_DRV_MAX_HANDLES)
		return loom_refuse(drm, -E2BIG, "ioctl %#x: %u handles", cmd, count);
	return 0;
}

static int loom_drv_check(struct file *filp, u32 cmd, unsigned long arg)
{
	struct drm_file *file = filp->private_data;
	struct drm_device *drm = file->minor->dev;
	u32 nr = DRM_IOCTL_NR(cmd);

	if (DRM_IOCTL_TYPE(cmd) != DRM_IOCTL_BASE)
		return loom_refuse(drm, -ENOTTY, "ioctl %#x is not DRM's", cmd);
	if (nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END)
		return loom_drv_check_own(drm, cmd, arg);
	return loom_drv_check_core(drm, cmd, arg);
}

/**
 * loom_drv_ioctl() - an ioctl on a node, see LOOM_DRV_FOPS
 * @filp: the open node
 * @cmd: which
 * @arg: its argument
 *
 * Return: 0 or -errno.
 */
long loom_drv_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return loom_drv_check(filp, cmd, arg) ?: drm_ioctl(filp, cmd, arg);
}
EXPORT_SYMBOL_NS_GPL(loom_drv_ioctl, LOOM_COMPAT_NS);

#ifdef CONFIG_COMPAT
/**
 * loom_drv_compat_ioctl() - the same, of a process of 32 bits
 * @filp: the open node
 * @cmd: which
 * @arg: its argument
 *
 * Return: 0 or -errno.
 */
long loom_drv_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return loom_drv_check(filp, cmd, (unsigned long)compat_ptr(arg)) ?:
	       drm_compat_ioctl(filp, cmd, arg);
}
EXPORT_SYMBOL_NS_GPL(loom_drv_compat_ioctl, LOOM_COMPAT_NS);
#endif

static int loom_drv_open(struct drm_device *drm, struct drm_file *file)
{
	file->driver_priv = loom_file_create(file->client_id, drm);
	if (!file->driver_priv)
		return -ENOMEM;
	loom_region_open(&to_loom_device(drm)->region[DRM_LOOM_REGION_SRAM]);
	return 0;
}

/*
 * Cancel the jobs of the file: those on the device end at once, the others when they reach the head
 * of their queue. Waiting for them was rejected: a killed client must not keep the device from
 * others, and nobody needs the results.
 */
static void loom_drv_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct loom_file *client = file->driver_priv;
	int idx;

	WRITE_ONCE(client->closed, true);
	if (drm_dev_enter(drm, &idx)) {
		loom_job_stop_all(loom, client);
		drm_dev_exit(idx);
	}
	loom_context_drop_all(client);
	loom_plan_object_drop_all(client);
	loom_moves_closed(loom);
	loom_region_close(&loom->region[DRM_LOOM_REGION_SRAM]);
	loom_file_put(client);
}

static const struct drm_driver loom_drv_driver = {
	.driver_features = DRIVER_COMPUTE_ACCEL | DRIVER_GEM | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.gem_prime_import = loom_share_import,
	.gem_prime_import_sg_table = loom_bo_import,
	.open = loom_drv_open,
	.postclose = loom_drv_postclose,
	.show_fdinfo = loom_fdinfo_show,
	.ioctls = loom_drv_ioctls,
	.num_ioctls = ARRAY_SIZE(loom_drv_ioctls),
	.name = "loom",
	.desc = "Loom neural accelerator",
	LOOM_COMPAT_DRIVER_DATE
	.major = LOOM_DRV_MAJOR,
	.minor = LOOM_DRV_MINOR,
};

/**
 * loom_driver_init() - fill in the &struct drm_driver of a back end
 * @driver: filled in; for &loom_backend.driver, and best put into __ro_after_init
 * @fops: LOOM_DRV_FOPS
 *
 * Must be called when the back end's module is loaded, before it has devices.
 */
void loom_driver_init(struct drm_driver *driver, const struct file_operations *fops)
{
	*driver = loom_drv_driver;
	driver->fops = fops;
}
EXPORT_SYMBOL_NS_GPL(loom_driver_init, LOOM_COMPAT_NS);
