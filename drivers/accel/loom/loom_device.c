// SPDX-License-Identifier: GPL-2.0
#include <linux/device.h>
#include <linux/moduleparam.h>
#include <linux/pm_runtime.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "backend/power.h"
#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_debugfs.h"
#include "loom_device.h"
#include "loom_drv.h"
#include "loom_job.h"
#include "loom_ttm.h"
#include "memory/share.h"
#include "sched/grace.h"
#include "sched/reset.h"
#include "sched/sched.h"

/**
 * DOC: Devices
 *
 * Resources of a device are released in reverse order when the last reference to the DRM device is
 * dropped. That can be long after unplugging, since a client may keep its file open, so resources
 * must not be tied to the bus (devm_*).
 *
 * Unplugging: no job is started any more; the device is stopped, and all jobs and moves end, so
 * that no ioctl waits for them, whatever the device does. New ioctls fail, running ones are waited
 * for, and jobs and moves that they have begun end as well, see sched/sched.c. Mappings of
 * buffers are torn down; a process that touches one again gets pages of zeroes.
 *
 * Power: see backend/power.c. Each job holds a reference of runtime PM, from SUBMIT (which may
 * sleep, as waking a device does; the thread that starts a job may not) until it is freed.
 */

static uint loom_device_job_timeout_ms = 300000;
module_param_named(job_timeout_ms, loom_device_job_timeout_ms, uint, 0644);
MODULE_PARM_DESC(job_timeout_ms, "A job that has the engine for longer is ended (default: 300000)");

/**
 * loom_device_param_job_timeout_ms() - value of the module parameter
 *
 * Return: milliseconds.
 */
u32 loom_device_param_job_timeout_ms(void)
{
	return clamp_t(uint, READ_ONCE(loom_device_job_timeout_ms), 1, INT_MAX);
}
EXPORT_SYMBOL_NS_GPL(loom_device_param_job_timeout_ms, LOOM_COMPAT_NS);

static void loom_device_job_fini(struct drm_device *drm, void *data)
{
	loom_moves_fini(to_loom_device(drm));
	loom_job_device_fini(to_loom_device(drm));
}

/* Check the configuration; the back end has checked the chip. */
static int loom_device_check(struct loom_device *loom)
{
	if (!loom->config.jobs_in_flight && !loom->backend->keeps_jobs) {
		dev_err(loom->drm.dev, "jobs_in_flight is 0 but the back end does not set keeps_jobs\n");
		return -EINVAL;
	}
	return loom_moves_init(loom, loom_bo_free);
}

static void loom_device_configure(struct loom_device *loom,
				  const struct loom_device_config *config)
{
	loom->config = *config;
	loom->chip = &loom->config.chip;
	loom_quota_device_init(loom);
	loom->job_timeout_ms = config->job_timeout_ms;
	loom->flight.limit = loom->config.jobs_in_flight;
	loom->backend_data = loom->config.backend_data;
}

/* All devices that are not released, of all drivers. */
static LIST_HEAD(loom_devices);
static DEFINE_SPINLOCK(loom_devices_lock);
static DECLARE_WAIT_QUEUE_HEAD(loom_devices_wait);

/* Last action of a device: no calls to its back end or to the core may follow. */
static void loom_device_released(struct drm_device *drm, void *data)
{
	spin_lock(&loom_devices_lock);
	list_del(&to_loom_device(drm)->node);
	wake_up_all(&loom_devices_wait);
	spin_unlock(&loom_devices_lock);
}

static bool loom_device_is_there(const struct drm_driver *driver)
{
	struct loom_device *loom;
	bool found = false;

	spin_lock(&loom_devices_lock);
	list_for_each_entry(loom, &loom_devices, node)
		found |= loom->drm.driver == driver;
	spin_unlock(&loom_devices_lock);
	return found;
}

/**
 * loom_driver_exit() - wait until all removed devices are released
 * @driver: as given to loom_driver_init()
 *
 * Must be called when the back end's module is unloaded, after all its devices were removed: jobs
 * and contexts of the last clients may still refer to a device, and call the back end when they are
 * released.
 */
void loom_driver_exit(const struct drm_driver *driver)
{
	wait_event(loom_devices_wait, !loom_device_is_there(driver));
}
EXPORT_SYMBOL_NS_GPL(loom_driver_exit, LOOM_COMPAT_NS);

static int loom_device_init(struct loom_device *loom)
{
	struct drm_device *drm = &loom->drm;
	int ret;

	ret = loom_ttm_init(loom);
	if (ret)
		return ret;
	loom->region[DRM_LOOM_REGION_SRAM].revoked = loom_job_revoked;
	ret = drmm_mutex_init(drm, &loom->power_lock);
	if (ret)
		return ret;
	loom_reset_init(loom);
	loom_grace_init(loom);
	ret = loom_flight_init(loom);
	if (ret)
		return ret;
	ret = loom_job_device_init(loom);
	if (ret)
		return ret;
	ret = drmm_add_action_or_reset(drm, loom_device_job_fini, NULL);
	if (ret)
		return ret;
	return loom->backend->init(loom);
}

static void loom_device_power_off(void *data)
{
	struct loom_device *loom = data;

	loom_power_set(loom, &loom->on, false);
}

static void loom_device_no_autosuspend(void *dev)
{
	pm_runtime_dont_use_autosuspend(dev);
}

static int loom_device_init_pm(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);
	int ret = loom_power_set(loom, &loom->on, true);

	if (ret)
		return ret;
	/* for a failing probe; after a remove it is already off */
	ret = devm_add_action_or_reset(dev, loom_device_power_off, loom);
	if (ret)
		return ret;
	pm_runtime_set_autosuspend_delay(dev, LOOM_POWER_IDLE_MS);
	pm_runtime_use_autosuspend(dev);
	/* some buses have enabled it, and keep the device awake until the end of the probe */
	if (pm_runtime_enabled(dev))
		return devm_add_action_or_reset(dev, loom_device_no_autosuspend, dev);
	pm_runtime_set_active(dev);
	return devm_pm_runtime_enable(dev);
}

/* ------------------------------------------------------------------- life */

/**
 * loom_device_probe() - create a Loom device for a device of a bus
 * @dev: the device of the bus
 * @backend: its operations
 * @config: its description; copied
 *
 * Return: 0 or -errno.
 */
int loom_device_probe(struct device *dev, const struct loom_backend *backend,
		      const struct loom_device_config *config)
{
	struct loom_device *loom;
	int ret;

	loom = devm_drm_dev_alloc(dev, backend->driver, struct loom_device, drm);
	if (IS_ERR(loom))
		return PTR_ERR(loom);
	spin_lock(&loom_devices_lock);
	list_add(&loom->node, &loom_devices);
	spin_unlock(&loom_devices_lock);
	ret = drmm_add_action_or_reset(&loom->drm, loom_device_released, NULL);
	if (ret)
		return ret;
	loom->backend = backend;
	loom_device_configure(loom, config);
	ret = loom_device_check(loom);
	if (ret)
		return ret;
	ret = loom_device_init(loom);
	if (ret)
		return ret;
	dev_set_drvdata(dev, loom);
	ret = loom_device_init_pm(dev);
	if (ret)
		return ret;
	loom_debugfs_init(loom);
	return drm_dev_register(&loom->drm, 0);
}
EXPORT_SYMBOL_NS_GPL(loom_device_probe, LOOM_COMPAT_NS);

/* Stop the device and end all jobs and moves. */
static void loom_device_quiesce(struct loom_device *loom)
{
	down_write(&loom->flight.gate);
	loom_power_set(loom, &loom->on, false);
	loom_job_end_all(loom, -ENODEV);
	loom_moves_end_all(loom, -ENODEV);
	up_write(&loom->flight.gate);
}

/**
 * loom_device_remove() - the device is unplugged, or its driver unbound
 * @dev: as probed
 */
void loom_device_remove(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);
	u32 id;

	/* must precede drm_dev_unplug(), which waits for ioctls that wait for jobs and moves */
	WRITE_ONCE(loom->unplugged, true);
	for (id = 0; id < DRM_LOOM_REGION_COUNT; id++)
		wake_up_all(&loom->region[id].freed_wait);
	if (READ_ONCE(loom->wedged))
		flush_work(&loom->wedge_work);
	loom_device_quiesce(loom);
	drm_dev_unplug(&loom->drm);
	/* end the jobs and moves that ioctls have begun in between */
	loom_device_quiesce(loom);
	loom_share_end_all(loom);
}
EXPORT_SYMBOL_NS_GPL(loom_device_remove, LOOM_COMPAT_NS);

/**
 * loom_device_shutdown() - stop all accesses of the device before a reboot or kexec
 * @dev: as probed
 */
void loom_device_shutdown(struct device *dev)
{
	struct loom_device *loom = dev_get_drvdata(dev);

	if (!loom)
		return;
	WRITE_ONCE(loom->unplugged, true);
	loom_device_quiesce(loom);
}
EXPORT_SYMBOL_NS_GPL(loom_device_shutdown, LOOM_COMPAT_NS);
