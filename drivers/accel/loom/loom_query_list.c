// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "loom_device.h"
#include "loom_file.h"
#include "loom_plan_object.h"
#include "loom_query.h"
#include "loom_user.h"
#include "memory/fit.h"
#include "memory/no_space.h"

/* Queries of banks and blocks, and of what would fit. See loom_query.c. */

/* Sizes of the first versions, which never change. */
#define LOOM_QUERY_BLOCK_BYTES	24
#define LOOM_QUERY_BANK_BYTES	40
#define LOOM_QUERY_CREATE_BYTES	offsetof(struct drm_loom_bo_create, width)
/* Bytes of a list that the caller must fill in. */
#define LOOM_QUERY_FIT_LIST_BYTES	offsetof(struct drm_loom_fit_list, flags)

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

/* QUERY, the part with lists. Return: 0 or -errno. */
int loom_query_list(struct loom_device *loom, struct drm_loom_query *args, struct drm_file *file)
{
	switch (args->type) {
	case DRM_LOOM_QUERY_BLOCKS:
		return loom_query_region_blocks(loom, args, file->client_id);
	case DRM_LOOM_QUERY_BANKS:
		return loom_query_banks(loom, args, file->driver_priv);
	case DRM_LOOM_QUERY_BANK_BLOCKS:
		return loom_query_bank_blocks(loom, args, file->client_id);
	case DRM_LOOM_QUERY_FIT:
		return loom_query_fit(loom, args, file);
	case DRM_LOOM_QUERY_NO_SPACE:
		return loom_query_no_space(loom, args, file->driver_priv);
	case DRM_LOOM_QUERY_FIT_LIST:
		return loom_query_fit_list(loom, args, file);
	}
	return loom_refuse(&loom->drm, -EINVAL, "no query %u", args->type);
}
