// SPDX-License-Identifier: GPL-2.0
#include <linux/moduleparam.h>

#include <drm/loom_accel.h>

#include "loom_device.h"
#include "loom_file.h"
#include "loom_quota.h"

/**
 * DOC: Caps
 *
 * DRAM can be oversubscribed: buffers that no job uses are moved to system memory. So the buffers
 * of a client are bounded by the host's memory, and without a cap it could have all of that. There
 * are two caps: on all buffers of a device, and on those that one open file has made. Both count
 * the bytes that buffers take from the host, in whole pages, resident or evicted, DRAM or SRAM.
 * They can be changed at any time, and hold for buffers that are made from then on.
 *
 * A buffer is charged to the file that made it until its last user is done with it, even if the
 * maker has closed it and others go on: nobody else has asked for its bytes, and taking it from
 * one account to another could fail where nothing can be refused. A client that opens the node
 * many times has as many caps of the second kind; the first one bounds them all.
 *
 * Rejected: the memory cgroup alone. The pages of buffers are not charged to it by TTM in
 * this kernel.
 */

static unsigned long long loom_quota_max_bytes;
module_param_named(max_bytes, loom_quota_max_bytes, ullong, 0644);
MODULE_PARM_DESC(max_bytes, "Bytes that all buffers of a device may take (default: 0, no cap)");

static unsigned long long loom_quota_max_file_bytes;
module_param_named(max_file_bytes, loom_quota_max_file_bytes, ullong, 0644);
MODULE_PARM_DESC(max_file_bytes, "Bytes that the buffers of one open file may take (default: 0, none)");

/* Exact: two callers at the same time both succeed if both fit. */
static bool loom_quota_add(atomic64_t *used, u64 bytes, u64 cap)
{
	s64 now = atomic64_read(used);

	do {
		if (cap && (bytes > cap || now > cap - bytes))
			return false;
	} while (!atomic64_try_cmpxchg(used, &now, now + bytes));
	return true;
}

/**
 * loom_quota_charge() - before a buffer is made
 * @loom: the device
 * @client: who makes it
 * @bytes: what it takes; in whole pages
 *
 * Return: 0, or -EDQUOT.
 */
int loom_quota_charge(struct loom_device *loom, struct loom_file *client, u64 bytes)
{
	if (!loom_quota_add(&client->bo_bytes, bytes, READ_ONCE(loom_quota_max_file_bytes)))
		return -EDQUOT;
	if (loom_quota_add(&loom->bo_bytes, bytes, READ_ONCE(loom_quota_max_bytes)))
		return 0;
	atomic64_sub(bytes, &client->bo_bytes);
	return -EDQUOT;
}

/**
 * loom_quota_uncharge() - a buffer is freed
 * @loom: the device
 * @client: who made it
 * @bytes: as charged
 */
void loom_quota_uncharge(struct loom_device *loom, struct loom_file *client, u64 bytes)
{
	atomic64_sub(bytes, &client->bo_bytes);
	atomic64_sub(bytes, &loom->bo_bytes);
}

/**
 * loom_quota_info() - caps and what is used of them
 * @loom: the device
 * @client: who asks
 * @info: out: the fields about buffers
 */
void loom_quota_info(struct loom_device *loom, struct loom_file *client,
		     struct drm_loom_device_info *info)
{
	info->max_bo_bytes = READ_ONCE(loom_quota_max_bytes);
	info->bo_bytes = atomic64_read(&loom->bo_bytes);
	info->max_file_bo_bytes = READ_ONCE(loom_quota_max_file_bytes);
	info->file_bo_bytes = atomic64_read(&client->bo_bytes);
}
