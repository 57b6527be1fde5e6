// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "backend/backend.h"
#include "core/loom_native.h"
#include "core/loom_op.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_plan_object.h"
#include "loom_quota.h"
#include "loom_user.h"
#include "memory/fit.h"

/**
 * DOC: Queries
 *
 * The size of an answer is negotiated: a client with a smaller buffer gets the first bytes and the
 * whole size, so answers can grow. The elements of an array have the stride that the client asks
 * for, by default that of their first version.
 *
 * The sizes and addresses of others' buffers reveal what they run, and no client needs them,
 * because the driver places buffers. So without CAP_PERFMON maps show a client its own blocks only,
 * and those of others are rounded in sums (loom_user_rounded()). Reject records must follow the
 * same rules.
 *
 * The map is built as if there were no other blocks. Rejected: filtering the map of all clients.
 * Blocks on some banks only may overlap in it and are cut there, so that the ends of the client's
 * own blocks would reveal others.
 */

/* Sizes of the first versions, which never change. */
#define LOOM_QUERY_BLOCK_BYTES	24
#define LOOM_QUERY_BANK_BYTES	40
#define LOOM_QUERY_FORMAT_BYTES	16
#define LOOM_QUERY_CREATE_BYTES	offsetof(struct drm_loom_bo_create, width)
/* Bytes of a list that the caller must fill in. */
#define LOOM_QUERY_FIT_LIST_BYTES	offsetof(struct drm_loom_fit_list, flags)

static int loom_query_answer(struct loom_device *loom, struct drm_loom_query *args,
			     const void *answer, u64 size)
{
	if (args->stride)
		return loom_refuse(&loom->drm, -EINVAL, "query %u is no array: stride %u",
				   args->type, args->stride);
	if (loom_user_write(args->ptr, args->size, answer, size))
		return loom_refuse(&loom->drm, -EFAULT, "query %u: no room at %#llx", args->type,
				   args->ptr);
	args->size = size;
	return 0;
}

/* Stride of the client's array in bytes, or 0 if it is invalid. */
static u32 loom_query_stride(const struct drm_loom_query *args, u32 first_version)
{
	if (!args->stride)
		return first_version;
	return loom_user_check_stride(args->stride, first_version) ? 0 : args->stride;
}

static int loom_query_answer_array(struct loom_device *loom, struct drm_loom_query *args,
				   u32 stride, const void *elements, size_t size, u64 count)
{
	if (count > U32_MAX / stride)
		return loom_refuse(&loom->drm, -E2BIG, "query %u: %llu elements of %u bytes",
				   args->type, count, stride);
	if (loom_user_write_array(args->ptr, args->size, stride, elements, size, count))
		return loom_refuse(&loom->drm, -EFAULT, "query %u: no room at %#llx", args->type,
				   args->ptr);
	args->size = count * stride;
	return 0;
}

/* The region of a request, or NULL. */
static struct loom_region *loom_query_find_region(struct loom_device *loom,
						  const struct drm_loom_query *args, u32 id)
{
	if (id >= DRM_LOOM_REGION_COUNT) {
		loom_refuse(&loom->drm, -EINVAL, "query %u: no region %u", args->type, id);
		return NULL;
	}
	return &loom->region[array_index_nospec(id, DRM_LOOM_REGION_COUNT)];
}

/* Queries of the device as a whole have no index. */
static int loom_query_no_index(struct loom_device *loom, const struct drm_loom_query *args)
{
	if (!args->index)
		return 0;
	return loom_refuse(&loom->drm, -EINVAL, "query %u takes no index: %u", args->type,
			   args->index);
}

static int loom_query_device(struct loom_device *loom, struct drm_loom_query *args,
			     struct drm_file *file)
{
	struct drm_loom_device_info info = {
		.plan_version = DRM_LOOM_PLAN_VERSION,
		.lanes = loom->chip->region[DRM_LOOM_REGION_SRAM].banks,
		.dtypes = loom->chip->dtypes,
		.opcodes = loom->chip->opcodes,
		.compute_units = loom->chip->compute_units,
		.max_plan_bytes = DRM_LOOM_MAX_PLAN_BYTES,
		.max_unit_cost = DRM_LOOM_MAX_UNIT_COST,
		.max_tensors = DRM_LOOM_MAX_TENSORS,
		.max_commands = DRM_LOOM_MAX_COMMANDS,
		.max_slots = DRM_LOOM_MAX_SLOTS,
		.job_timeout_ms = loom->job_timeout_ms,
		.flags = (loom->flight.limit ? 0 : DRM_LOOM_DEVICE_TURNS) |
			 (perfmon_capable() ? 0 : DRM_LOOM_DEVICE_ROUNDED) |
			 (loom->backend->has_lanes ? DRM_LOOM_DEVICE_LANES : 0),
	};
	int ret = loom_query_no_index(loom, args);

	if (ret)
		return ret;
	strscpy(info.name, loom->chip->name);
	loom_quota_info(loom, file->driver_priv, &info);
	return loom_query_answer(loom, args, &info, sizeof(info));
}

static int loom_query_region(struct loom_device *loom, struct drm_loom_query *args,
			     const struct loom_file *client)
{
	struct loom_region *region = loom_query_find_region(loom, args, args->index);
	struct drm_loom_region_info info;

	if (!region)
		return -EINVAL;
	loom_region_info(region, &client->share, &info);
	return loom_query_answer(loom, args, &info, sizeof(info));
}

static int loom_query_chip(struct loom_device *loom, struct drm_loom_query *args,
			   const struct loom_file *client)
{
	struct drm_loom_chip chip = *loom->chip;
	struct drm_loom_region_info sram;
	int ret = loom_query_no_index(loom, args);

	if (ret)
		return ret;
	/* the floor of the device, from the scratch reserved for its clients */
	loom_region_info(&loom->region[DRM_LOOM_REGION_SRAM], &client->share, &sram);
	chip.region[DRM_LOOM_REGION_SRAM].floor_bytes = sram.scratch_floor_bytes;
	return loom_query_answer(loom, args, &chip, sizeof(chip));
}

static int loom_query_fit(struct loom_device *loom, struct drm_loom_query *args,
			  struct drm_file *file)
{
	struct loom_plan_object *object = loom_plan_object_lookup(file->driver_priv, args->index);
	struct drm_loom_fit fit;

	if (!object)
		return loom_refuse(&loom->drm, -ENOENT, "query %u: no plan %u", args->type,
				   args->index);
	loom_plan_object_fit(object, file, &fit);
	loom_plan_object_put(object);
	return loom_query_answer(loom, args, &fit, sizeof(fit));
}

static int loom_query_fit_list(struct loom_device *loom, struct drm_loom_query *args,
			       struct drm_file *file)
{
	int ret = loom_query_no_index(loom, args);
	struct drm_loom_fit_list list = {};

	if (ret)
		return ret;
	if (!args->ptr || args->stride)
		return loom_query_answer(loom, args, &list, sizeof(list));
	if (args->size < LOOM_QUERY_FIT_LIST_BYTES)
		return loom_refuse(&loom->drm, -EINVAL, "query %u: %u bytes", args->type,
				   args->size);
	ret = copy_struct_from_user(&list, sizeof(list), u64_to_user_ptr(args->ptr), args->size);
	if (ret)
		return loom_refuse(&loom->drm, ret, "query %u: no list at %#llx", args->type,
				   args->ptr);
	ret = loom_user_array_check(&list.allocations, LOOM_QUERY_CREATE_BYTES, DRM_LOOM_MAX_FIT) ?:
	      loom_user_array_check(&list.own, sizeof(u32), DRM_LOOM_MAX_FIT);
	if (ret)
		return loom_refuse(&loom->drm, ret, "query %u: lists of %u and %u", args->type,
				   list.allocations.count, list.own.count);
	if (list.pad)
		return loom_refuse(&loom->drm, -EINVAL, "query %u: padding %#x", args->type,
				   list.pad);
	list = (struct drm_loom_fit_list) { .allocations = list.allocations, .own = list.own };
	ret = loom_fit_list(loom, file, &list);
	return ret ?: loom_query_answer(loom, args, &list, sizeof(list));
}

static int loom_query_blocks(struct loom_device *loom, struct loom_region *region,
			     const struct loom_mask *mask, struct drm_loom_query *args, u64 client)
{
	u32 stride = loom_query_stride(args, LOOM_QUERY_BLOCK_BYTES);
	struct drm_loom_block *blocks = NULL;
	u64 count, room = 0, asked;
	int ret;

	if (!stride)
		return loom_refuse(&loom->drm, -EINVAL, "query %u: stride %u", args->type,
				   args->stride);
	asked = args->ptr ? DIV_ROUND_UP_ULL(args->size, stride) : 0;
	/* memory is allocated without the region's lock, so the number may grow meanwhile */
	for (;;) {
		count = loom_region_blocks(region, mask, blocks, room, client,
					   perfmon_capable(), NULL);
		if (count <= room || asked <= room)
			break;
		kvfree(blocks);
		room = min(count + count / 8, asked);
		blocks = kvcalloc(room, sizeof(*blocks), GFP_KERNEL_ACCOUNT);
		if (!blocks)
			return -ENOMEM;
	}
	/* the count may exceed the list only if the client has no room for the rest */
	ret = loom_query_answer_array(loom, args, stride, blocks, sizeof(*blocks), count);
	kvfree(blocks);
	return ret;
}

static int loom_query_region_blocks(struct loom_device *loom, struct drm_loom_query *args,
				    u64 client)
{
	struct loom_region *region = loom_query_find_region(loom, args, args->index);

	if (!region)
		return -EINVAL;
	return loom_query_blocks(loom, region, NULL, args, client);
}

static int loom_query_bank_blocks(struct loom_device *loom, struct drm_loom_query *args,
				  u64 client)
{
	u32 id = args->index & 0xffff, bank = args->index >> 16;
	struct loom_region *region = loom_query_find_region(loom, args, id);
	struct loom_mask mask = {};
	u32 banks;

	if (!region)
		return -EINVAL;
	banks = region->banks;
	if (bank >= banks)
		return loom_refuse(&loom->drm, -EINVAL, "query %u: no bank %u", args->type, bank);
	loom_mask_set(&mask, array_index_nospec(bank, banks));
	return loom_query_blocks(loom, region, &mask, args, client);
}

static int loom_query_banks(struct loom_device *loom, struct drm_loom_query *args,
			    const struct loom_file *client)
{
	struct loom_region *region = loom_query_find_region(loom, args, args->index);
	u32 stride = loom_query_stride(args, LOOM_QUERY_BANK_BYTES);
	struct drm_loom_bank_info *banks;
	u32 count, bank;
	int ret;

	if (!region)
		return -EINVAL;
	if (!stride)
		return loom_refuse(&loom->drm, -EINVAL, "query %u: stride %u", args->type,
				   args->stride);
	count = region->banks;
	banks = kcalloc(count, sizeof(*banks), GFP_KERNEL_ACCOUNT);
	if (!banks)
		return -ENOMEM;
	for (bank = 0; bank < count; bank++)
		loom_region_bank(region, bank, &client->share, &banks[bank]);
	ret = loom_query_answer_array(loom, args, stride, banks, sizeof(*banks), count);
	kfree(banks);
	return ret;
}

static int loom_query_no_space(struct loom_device *loom, struct drm_loom_query *args,
			       struct loom_file *client)
{
	int ret = loom_query_no_index(loom, args);
	struct drm_loom_no_space record;

	if (ret)
		return ret;
	mutex_lock(&client->no_space_lock);
	record = client->no_space;
	mutex_unlock(&client->no_space_lock);
	return loom_query_answer(loom, args, &record, sizeof(record));
}

static int loom_query_formats(struct loom_device *loom, struct drm_loom_query *args)
{
	u32 stride = loom_query_stride(args, LOOM_QUERY_FORMAT_BYTES);
	const struct loom_native *native = loom->backend->native;
	int ret = loom_query_no_index(loom, args);

	if (ret)
		return ret;
	if (!stride)
		return loom_refuse(&loom->drm, -EINVAL, "query %u: stride %u", args->type,
				   args->stride);
	return loom_query_answer_array(loom, args, stride, native ? native->formats : NULL,
				       sizeof(struct drm_loom_format), native ? native->count : 0);
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

	switch (args->type) {
	case DRM_LOOM_QUERY_DEVICE:
		return loom_query_device(loom, args, file);
	case DRM_LOOM_QUERY_REGION:
		return loom_query_region(loom, args, file->driver_priv);
	case DRM_LOOM_QUERY_BLOCKS:
		return loom_query_region_blocks(loom, args, file->client_id);
	case DRM_LOOM_QUERY_FIT:
		return loom_query_fit(loom, args, file);
	case DRM_LOOM_QUERY_BANKS:
		return loom_query_banks(loom, args, file->driver_priv);
	case DRM_LOOM_QUERY_BANK_BLOCKS:
		return loom_query_bank_blocks(loom, args, file->client_id);
	case DRM_LOOM_QUERY_NO_SPACE:
		return loom_query_no_space(loom, args, file->driver_priv);
	case DRM_LOOM_QUERY_CHIP:
		return loom_query_chip(loom, args, file->driver_priv);
	case DRM_LOOM_QUERY_FORMATS:
		return loom_query_formats(loom, args);
	case DRM_LOOM_QUERY_FIT_LIST:
		return loom_query_fit_list(loom, args, file);
	}
	return loom_refuse(drm, -EINVAL, "no query %u", args->type);
}
