// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_file.h>

#include "core/loom_op.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_plan_object.h"
#include "loom_quota.h"
#include "loom_user.h"

/**
 * DOC: Queries
 *
 * The size of an answer is negotiated: a client with less room than the answer takes gets its
 * first bytes and its whole size, so answers can grow.
 */

static int loom_query_answer(struct drm_loom_query *args, const void *answer, u64 size)
{
	if (size > U32_MAX)
		return -E2BIG;
	if (loom_user_write(args->ptr, args->size, answer, size))
		return -EFAULT;
	args->size = size;
	return 0;
}

static int loom_query_device(struct loom_device *loom, struct drm_loom_query *args,
			     struct drm_file *file)
{
	struct drm_loom_device_info info = {
		.plan_version = DRM_LOOM_PLAN_VERSION,
		.lanes = loom->topology->region[DRM_LOOM_REGION_SRAM].banks,
		.dtypes = GENMASK(DRM_LOOM_DTYPE_END - 1, DRM_LOOM_DTYPE_F32),
		.compute_units = loom->topology->compute_units,
		.max_plan_bytes = DRM_LOOM_MAX_PLAN_BYTES,
		.max_unit_cost = DRM_LOOM_MAX_UNIT_COST,
		.max_tensors = DRM_LOOM_MAX_TENSORS,
		.max_commands = DRM_LOOM_MAX_COMMANDS,
		.max_slots = DRM_LOOM_MAX_SLOTS,
		.job_timeout_ms = loom->job_timeout_ms,
	};
	u32 opcode;

	if (args->index)
		return -EINVAL;
	strscpy(info.name, loom->topology->name);
	for (opcode = 0; opcode < DRM_LOOM_OP_END; opcode++)
		if (loom_op_get(opcode))
			info.opcodes |= BIT_ULL(opcode);
	loom_quota_info(loom, file->driver_priv, &info);
	return loom_query_answer(args, &info, sizeof(info));
}

static int loom_query_region(struct loom_device *loom, struct drm_loom_query *args)
{
	struct drm_loom_region_info info;

	if (args->index >= DRM_LOOM_REGION_COUNT)
		return -EINVAL;
	loom_region_info(&loom->region[args->index], &info);
	return loom_query_answer(args, &info, sizeof(info));
}

static int loom_query_fit(struct loom_device *loom, struct drm_loom_query *args,
			  struct drm_file *file)
{
	struct loom_plan_object *object = loom_plan_object_lookup(file->driver_priv, args->index);
	struct drm_loom_fit fit;

	if (!object)
		return -ENOENT;
	loom_plan_object_fit(object, file, &fit);
	loom_plan_object_put(object);
	return loom_query_answer(args, &fit, sizeof(fit));
}

static int loom_query_blocks(struct loom_region *region, const struct loom_mask *mask,
			     struct drm_loom_query *args, u64 client)
{
	struct drm_loom_block *blocks = NULL;
	u64 count, room = 0, asked;
	int ret;

	asked = args->ptr ? DIV_ROUND_UP_ULL(args->size, sizeof(*blocks)) : 0;
	/* memory is allocated without the region's lock, so there may be more by then */
	for (;;) {
		count = loom_region_blocks(region, mask, blocks, room, client, NULL);
		if (count <= room || asked <= room)
			break;
		kvfree(blocks);
		room = min(count + count / 8, asked);
		blocks = kvcalloc(room, sizeof(*blocks), GFP_KERNEL_ACCOUNT);
		if (!blocks)
			return -ENOMEM;
	}
	ret = loom_query_answer(args, blocks, count * sizeof(*blocks));
	kvfree(blocks);
	return ret;
}

static int loom_query_region_blocks(struct loom_device *loom, struct drm_loom_query *args,
				    u64 client)
{
	if (args->index >= DRM_LOOM_REGION_COUNT)
		return -EINVAL;
	return loom_query_blocks(&loom->region[args->index], NULL, args, client);
}

static int loom_query_bank_blocks(struct loom_device *loom, struct drm_loom_query *args,
				  u64 client)
{
	u32 id = args->index & 0xffff, bank = args->index >> 16;
	struct loom_mask mask = {};

	if (id >= DRM_LOOM_REGION_COUNT || bank >= loom->topology->region[id].banks)
		return -EINVAL;
	loom_mask_set(&mask, bank);
	return loom_query_blocks(&loom->region[id], &mask, args, client);
}

static int loom_query_banks(struct loom_device *loom, struct drm_loom_query *args)
{
	struct drm_loom_bank_info *banks;
	u32 count, bank;
	int ret;

	if (args->index >= DRM_LOOM_REGION_COUNT)
		return -EINVAL;
	count = loom->topology->region[args->index].banks;
	banks = kcalloc(count, sizeof(*banks), GFP_KERNEL_ACCOUNT);
	if (!banks)
		return -ENOMEM;
	for (bank = 0; bank < count; bank++)
		loom_region_bank(&loom->region[args->index], bank, &banks[bank]);
	ret = loom_query_answer(args, banks, count * sizeof(*banks));
	kfree(banks);
	return ret;
}

static int loom_query_no_space(struct loom_file *client, struct drm_loom_query *args)
{
	struct drm_loom_no_space record;

	if (args->index)
		return -EINVAL;
	mutex_lock(&client->no_space_lock);
	record = client->no_space;
	mutex_unlock(&client->no_space_lock);
	return loom_query_answer(args, &record, sizeof(record));
}

/**
 * loom_query_ioctl() - QUERY
 * @drm: the device
 * @data: &struct drm_loom_query
 * @file: the client
 *
 * Return: 0 or -errno.
 */
int loom_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct drm_loom_query *args = data;

	if (args->pad)
		return -EINVAL;
	switch (args->type) {
	case DRM_LOOM_QUERY_DEVICE:
		return loom_query_device(loom, args, file);
	case DRM_LOOM_QUERY_REGION:
		return loom_query_region(loom, args);
	case DRM_LOOM_QUERY_BLOCKS:
		return loom_query_region_blocks(loom, args, file->client_id);
	case DRM_LOOM_QUERY_FIT:
		return loom_query_fit(loom, args, file);
	case DRM_LOOM_QUERY_BANKS:
		return loom_query_banks(loom, args);
	case DRM_LOOM_QUERY_BANK_BLOCKS:
		return loom_query_bank_blocks(loom, args, file->client_id);
	case DRM_LOOM_QUERY_NO_SPACE:
		return loom_query_no_space(file->driver_priv, args);
	}
	return -EINVAL;
}
