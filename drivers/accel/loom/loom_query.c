// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "backend/backend.h"
#include "core/loom_native.h"
#include "core/loom_op.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_lanes.h"
#include "loom_query.h"
#include "loom_quota.h"
#include "loom_user.h"

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
#define LOOM_QUERY_FORMAT_BYTES	16

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
			 loom_lanes_device_flags(loom),
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

/* QUERY, with &struct drm_loom_query. Return: 0 or -errno. */
int loom_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct loom_device *loom = to_loom_device(drm);
	struct drm_loom_query *args = data;

	switch (args->type) {
	case DRM_LOOM_QUERY_DEVICE:
		return loom_query_device(loom, args, file);
	case DRM_LOOM_QUERY_REGION:
		return loom_query_region(loom, args, file->driver_priv);
	case DRM_LOOM_QUERY_CHIP:
		return loom_query_chip(loom, args, file->driver_priv);
	case DRM_LOOM_QUERY_FORMATS:
		return loom_query_formats(loom, args);
	}
	return loom_query_list(loom, args, file);
}
