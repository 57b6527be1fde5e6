// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/overflow.h>

#include <drm/loom_accel.h>

#include "loom_compat.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_quota.h"
#include "loom_user.h"

/**
 * DOC: Caps
 *
 * DRAM can be oversubscribed: buffers that no job uses are moved to system memory. So the buffers
 * of a client are bounded by the host's memory, and without a cap it could take all of it. There
 * are three caps: on the buffers of all devices, on those of one device where its configuration has
 * caps, and on those of one open file. All count host memory of buffers in whole pages, resident or
 * evicted, DRAM or SRAM. The first one is a module parameter, because all devices share the host's
 * memory.
 *
 * Plans have caps of the same kind. A plan is charged for its decoded form; during verification
 * also for the client's bytes and for the upper bound of the verifier's working set: up to nine
 * times the plan. So concurrent verification is bounded as well, without one waiting for another.
 * Rejected: a semaphore, by which one client could block others.
 *
 * Memory for the scratch of a preempted context counts as a buffer of its file, see
 * &loom_backend.job_prepare.
 *
 * Contexts and pending jobs have a cap per file.
 *
 * The caps are those of the device's own configuration, or the module's parameters. The latter can
 * be changed at any time, and apply to later allocations; zero is no cap. By default all buffers of
 * all devices may take half of the host's memory, and those of one file three quarters of that, so
 * that a single client cannot starve others, and a large model still fits; plans may take a
 * quarter, and those of one file an eighth. The defaults for jobs and contexts are some thousands:
 * enough for a program that queues jobs for a second without waiting.
 *
 * The error is EDQUOT, for jobs as well: EAGAIN would fit better, but libdrm's drmIoctl() would
 * retry in an endless loop. The debug log names the cap.
 *
 * A buffer or plan is charged to the file that created it until its last reference is dropped, even
 * if the creator has closed it and others go on: moving the charge to another account could fail
 * where no error can be returned. A client that opens the node many times has as many file caps;
 * the module's cap bounds them all.
 *
 * All allocations for a client, including the pages of buffers (loom_ttm.c), are charged to its
 * memory cgroup. Rejected: the cgroup alone. Most systems set no limit there.
 */

/* Placeholder until the module is loaded: the default depends on the host's memory. */
#define LOOM_QUOTA_DEFAULT	U64_MAX

struct loom_quota_caps loom_quota_params = {
	.max_bytes = LOOM_QUOTA_DEFAULT,
	.max_file_bytes = LOOM_QUOTA_DEFAULT,
	.max_plans_bytes = LOOM_QUOTA_DEFAULT,
	.max_file_plans_bytes = LOOM_QUOTA_DEFAULT,
	.max_file_jobs = 8192,
	.max_file_contexts = 1024,
};
EXPORT_SYMBOL_NS_GPL(loom_quota_params, LOOM_COMPAT_NS);

module_param_named(max_bytes, loom_quota_params.max_bytes, ullong, 0644);
MODULE_PARM_DESC(max_bytes,
		 "Bytes that the buffers of all devices may take (default: 1/2 of the memory; 0: no cap)");

module_param_named(max_file_bytes, loom_quota_params.max_file_bytes, ullong, 0644);
MODULE_PARM_DESC(max_file_bytes,
		 "Bytes that the buffers of one open file may take (default: 3/8 of the memory; 0: no cap)");

module_param_named(max_plans_bytes, loom_quota_params.max_plans_bytes, ullong, 0644);
MODULE_PARM_DESC(max_plans_bytes,
		 "Bytes that the plans of all devices may take (default: 1/4 of the memory; 0: no cap)");

module_param_named(max_file_plans_bytes, loom_quota_params.max_file_plans_bytes, ullong, 0644);
MODULE_PARM_DESC(max_file_plans_bytes,
		 "Bytes that the plans of one open file may take (default: 1/8 of the memory; 0: no cap)");

module_param_named(max_file_jobs, loom_quota_params.max_file_jobs, uint, 0644);
MODULE_PARM_DESC(max_file_jobs,
		 "Jobs of one open file that have not ended (default: 8192; 0: no cap)");

module_param_named(max_file_contexts, loom_quota_params.max_file_contexts, uint, 0644);
MODULE_PARM_DESC(max_file_contexts, "Contexts of one open file (default: 1024; 0: no cap)");

static void loom_quota_set_default(u64 *cap, u64 eighths)
{
	if (*cap == LOOM_QUOTA_DEFAULT)
		*cap = ((u64)totalram_pages() << PAGE_SHIFT) / 8 * eighths;
}

/* Set the caps that depend on the host's memory. */
void loom_quota_module_init(void)
{
	loom_quota_set_default(&loom_quota_params.max_bytes, 4);
	loom_quota_set_default(&loom_quota_params.max_file_bytes, 3);
	loom_quota_set_default(&loom_quota_params.max_plans_bytes, 2);
	loom_quota_set_default(&loom_quota_params.max_file_plans_bytes, 1);
}

/**
 * loom_quota_device_init() - set the caps of a device
 * @loom: the device, configured
 */
void loom_quota_device_init(struct loom_device *loom)
{
	loom->caps = loom->config.has_caps ? &loom->config.caps : &loom_quota_params;
}

/* Exact: concurrent callers succeed if and only if all of them fit. */
static bool loom_quota_add(atomic64_t *used, u64 bytes, u64 cap)
{
	s64 now = atomic64_read(used);

	do {
		if (cap && (bytes > cap || now > cap - bytes))
			return false;
	} while (!atomic64_try_cmpxchg(used, &now, now + bytes));
	return true;
}

/* Return: 0, or -EDQUOT with a line in the debug log. */
static int loom_quota_charge_one(struct loom_device *loom, const char *what, atomic64_t *used,
				 u64 amount, u64 cap)
{
	if (loom_quota_add(used, amount, cap))
		return 0;
	return loom_refuse(&loom->drm, -EDQUOT, "%s: %llu more than %llu, the cap is %llu", what,
			   amount, (u64)atomic64_read(used), cap);
}

/* Sums over all devices. */
static atomic64_t loom_quota_bo_bytes, loom_quota_plans_bytes;

/**
 * struct loom_quota - counters and caps of one kind
 */
struct loom_quota {
	/** @file: amount of the file */
	atomic64_t *file;
	/** @device: amount of all files of the device; NULL: the cap of the file is the only one */
	atomic64_t *device;
	/** @module: amount of all devices */
	atomic64_t *module;
	/** @file_cap: limit of @file, or zero */
	u64 file_cap;
	/** @device_cap: limit of @device, or zero */
	u64 device_cap;
	/** @module_cap: limit of @module, or zero */
	u64 module_cap;
	/** @file_name: of @file, for the debug log */
	const char *file_name;
	/** @device_name: of @device, for the debug log */
	const char *device_name;
};

static struct loom_quota loom_quota_of(struct loom_device *loom, struct loom_file *client,
				       enum loom_quota_kind kind)
{
	switch (kind) {
	case LOOM_QUOTA_BO_BYTES:
		return (struct loom_quota) {
			.module = &loom_quota_bo_bytes,
			.module_cap = READ_ONCE(loom_quota_params.max_bytes),
			.file = &client->bo_bytes,
			.device = &loom->bo_bytes,
			.file_cap = READ_ONCE(loom->caps->max_file_bytes),
			.device_cap = READ_ONCE(loom->caps->max_bytes),
			.file_name = "bytes of a file's buffers",
			.device_name = "bytes of all buffers",
		};
	case LOOM_QUOTA_PLAN_BYTES:
		return (struct loom_quota) {
			.module = &loom_quota_plans_bytes,
			.module_cap = READ_ONCE(loom_quota_params.max_plans_bytes),
			.file = &client->plans_bytes,
			.device = &loom->plans_bytes,
			.file_cap = READ_ONCE(loom->caps->max_file_plans_bytes),
			.device_cap = READ_ONCE(loom->caps->max_plans_bytes),
			.file_name = "bytes of a file's plans",
			.device_name = "bytes of all plans",
		};
	case LOOM_QUOTA_JOBS:
		return (struct loom_quota) {
			.file = &client->queued_jobs,
			.file_cap = READ_ONCE(loom->caps->max_file_jobs),
			.file_name = "jobs of a file",
		};
	default:
		return (struct loom_quota) {
			.file = &client->context_count,
			.file_cap = READ_ONCE(loom->caps->max_file_contexts),
			.file_name = "contexts of a file",
		};
	}
}

/**
 * loom_quota_charge() - charge a file for something new
 * @loom: the device
 * @client: the file that creates it
 * @kind: its kind
 * @amount: bytes, of buffers in whole pages; or a number
 *
 * Return: 0, or -EDQUOT.
 */
int loom_quota_charge(struct loom_device *loom, struct loom_file *client,
		      enum loom_quota_kind kind, u64 amount)
{
	const struct loom_quota quota = loom_quota_of(loom, client, kind);
	int ret = loom_quota_charge_one(loom, quota.file_name, quota.file, amount, quota.file_cap);

	if (ret || !quota.device)
		return ret;
	ret = loom_quota_charge_one(loom, quota.device_name, quota.device, amount,
				    quota.device_cap);
	if (ret)
		goto err_file;
	ret = loom_quota_charge_one(loom, "bytes of all devices", quota.module, amount,
				    quota.module_cap);
	if (ret)
		goto err_device;
	return 0;

err_device:
	atomic64_sub(amount, quota.device);
err_file:
	atomic64_sub(amount, quota.file);
	return ret;
}
EXPORT_SYMBOL_NS_GPL(loom_quota_charge, LOOM_COMPAT_NS);

/**
 * loom_quota_uncharge() - undo loom_quota_charge()
 * @loom: the device
 * @client: the file that was charged
 * @kind: as charged
 * @amount: as charged, or a part of it
 */
void loom_quota_uncharge(struct loom_device *loom, struct loom_file *client,
			 enum loom_quota_kind kind, u64 amount)
{
	const struct loom_quota quota = loom_quota_of(loom, client, kind);

	atomic64_sub(amount, quota.file);
	if (!quota.device)
		return;
	atomic64_sub(amount, quota.device);
	atomic64_sub(amount, quota.module);
}
EXPORT_SYMBOL_NS_GPL(loom_quota_uncharge, LOOM_COMPAT_NS);

static u64 loom_quota_excess(const atomic64_t *used, u64 bytes, u64 cap)
{
	u64 now = atomic64_read(used), sum;

	if (!cap)
		return 0;
	return check_add_overflow(now, bytes, &sum) ? U64_MAX : sum > cap ? sum - cap : 0;
}

/**
 * loom_quota_missing() - bytes by which new buffers would exceed a cap
 * @loom: the device
 * @client: the file that would create them
 * @bytes: their size in whole pages
 *
 * Return: 0 if loom_quota_charge() would succeed; beyond the cap of a file exact, beyond those of
 * a device and of the module rounded, see loom_user_rounded().
 */
u64 loom_quota_missing(struct loom_device *loom, struct loom_file *client, u64 bytes)
{
	const struct loom_quota quota = loom_quota_of(loom, client, LOOM_QUOTA_BO_BYTES);
	u64 all = max(loom_quota_excess(quota.device, bytes, quota.device_cap),
		      loom_quota_excess(quota.module, bytes, quota.module_cap));

	return max(loom_quota_excess(quota.file, bytes, quota.file_cap),
		   loom_user_rounded(all, 0, max(all, (u64)totalram_pages() << PAGE_SHIFT)));
}

/**
 * loom_quota_info() - report caps and usage
 * @loom: the device
 * @client: the file
 * @info: out: the fields about caps
 */
void loom_quota_info(struct loom_device *loom, struct loom_file *client,
		     struct drm_loom_device_info *info)
{
	u64 total = (u64)totalram_pages() << PAGE_SHIFT;

	info->max_bo_bytes = READ_ONCE(loom->caps->max_bytes);
	info->max_file_bo_bytes = READ_ONCE(loom->caps->max_file_bytes);
	info->file_bo_bytes = atomic64_read(&client->bo_bytes);
	info->bo_bytes = loom_user_rounded(atomic64_read(&loom->bo_bytes), info->file_bo_bytes,
					   total);
	info->max_plans_bytes = READ_ONCE(loom->caps->max_plans_bytes);
	info->max_file_plans_bytes = READ_ONCE(loom->caps->max_file_plans_bytes);
	info->file_plans_bytes = atomic64_read(&client->plans_bytes);
	info->plans_bytes = loom_user_rounded(atomic64_read(&loom->plans_bytes),
					      info->file_plans_bytes, total);
	info->max_file_jobs = READ_ONCE(loom->caps->max_file_jobs);
	info->file_jobs = atomic64_read(&client->queued_jobs);
	info->max_file_contexts = READ_ONCE(loom->caps->max_file_contexts);
	info->file_contexts = atomic64_read(&client->context_count);
}
