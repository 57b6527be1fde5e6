// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/mm.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include "loom_bo.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_lanes.h"
#include "loom_plan_object.h"
#include "loom_shape.h"
#include "loom_user.h"
#include "memory/label.h"
#include "sram/scratch.h"

/* Whether a plan would fit, and why its scratch does not; see loom_plan_object.c. */

/* The lowest handle that a client has for a buffer, zero for none. */
static u32 loom_plan_conflict_handle(struct drm_file *file, const struct drm_gem_object *gem)
{
	struct drm_gem_object *other;
	u32 found = 0;
	int handle;

	if (!gem)
		return 0;
	spin_lock(&file->table_lock);
	idr_for_each_entry(&file->object_idr, other, handle) {
		if (other == gem) {
			found = handle;
			break;
		}
	}
	spin_unlock(&file->table_lock);
	return found;
}

static void loom_plan_conflict_record(const struct loom_region_conflict *conflict,
				      struct drm_file *file,
				      struct drm_loom_scratch_conflict *record)
{
	struct loom_device *loom = to_loom_device(file->minor->dev);
	u64 total = loom_region_total(&loom->region[DRM_LOOM_REGION_SRAM]);

	*record = (struct drm_loom_scratch_conflict) {
		.bank = conflict->bank,
		.handle = loom_plan_conflict_handle(file, conflict->gem),
		.scratch_start = conflict->start,
		.scratch_end = conflict->end,
		.address = conflict->address,
		.bytes = conflict->bytes,
		.short_bytes = conflict->end - conflict->address,
	};
	if (!record->handle && !perfmon_capable()) {
		record->address = 0;
		record->bytes = 0;
		record->short_bytes = min(loom_user_rounded(record->short_bytes, 0, total),
					  conflict->end - conflict->start);
	}
}

/**
 * loom_plan_conflict_write() - tell a client why a plan's scratch cannot be held
 * @conflict: filled in by loom_region_hold()
 * @file: the client
 * @to: user address of a &struct drm_loom_conflict, or zero
 * @size: bytes there
 *
 * Return: 0 or -EFAULT.
 */
int loom_plan_conflict_write(const struct loom_region_conflict *conflict, struct drm_file *file,
			     u64 to, u32 size)
{
	struct drm_loom_conflict record = {};

	/* skip the search for the handle if no record was requested */
	if (!to)
		return 0;
	loom_plan_conflict_record(conflict, file, &record.scratch);
	/* without bytes the caller must not know the buffer */
	if (record.scratch.bytes && conflict->gem)
		loom_label_read(conflict->gem, record.label);
	return loom_user_write(to, size, &record, sizeof(record));
}

/*
 * Bytes per bank of all slots whose flags SRAM and ROM are these, each in a buffer of its own.
 * Saturates. Invariant: the chip has the regions of all slots.
 */
static u64 loom_plan_object_bytes(const struct loom_plan_object *object, u32 flags,
				  const struct drm_loom_chip_region *chip)
{
	const struct loom_plan *plan = object->plan;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < plan->slot_count; i++) {
		struct loom_layout layout;

		if ((plan->slots[i].flags & (DRM_LOOM_SLOT_SRAM | DRM_LOOM_SLOT_ROM)) != flags)
			continue;
		if (loom_layout_interleaved(&layout, plan->slots[i].size,
					    loom_layout_page_bytes(0, chip->align_bytes),
					    chip->banks, chip->align_bytes) ||
		    check_add_overflow(sum, layout.bytes_per_bank, &sum))
			return U64_MAX;
	}
	return sum;
}

/**
 * loom_plan_object_fit() - check whether a plan would fit now
 * @object: the plan
 * @file: the client
 * @fit: out
 */
void loom_plan_object_fit(struct loom_plan_object *object, struct drm_file *file,
			  struct drm_loom_fit *fit)
{
	struct loom_region *region = object->loom->region;
	struct loom_file *client = file->driver_priv;
	u64 dram_room = loom_region_total(&region[DRM_LOOM_REGION_DRAM]);
	u64 rom_room = loom_region_total(&region[DRM_LOOM_REGION_ROM]);
	struct loom_region_conflict conflict;

	*fit = (struct drm_loom_fit) {
		.scratch_bytes = object->plan->scratch_ends[0],
		.dram_bytes = loom_plan_object_bytes(object, 0,
						     region[DRM_LOOM_REGION_DRAM].chip),
		.rom_bytes = loom_plan_object_bytes(object, DRM_LOOM_SLOT_ROM,
						    region[DRM_LOOM_REGION_ROM].chip),
	};
	if (loom_region_holds(&region[DRM_LOOM_REGION_SRAM], &object->scratch))
		fit->flags |= DRM_LOOM_FIT_RESERVED;
	if (fit->scratch_bytes > region[DRM_LOOM_REGION_SRAM].sram.floor_bytes)
		fit->flags |= DRM_LOOM_FIT_EXCLUSIVE;
	if (fit->dram_bytes > dram_room)
		fit->dram_short_bytes = fit->dram_bytes - dram_room;
	if (fit->rom_bytes > rom_room)
		fit->rom_short_bytes = fit->rom_bytes - rom_room;
	if (loom_region_find_conflict(&region[DRM_LOOM_REGION_SRAM], object->plan, &conflict))
		loom_plan_conflict_record(&conflict, file, &fit->conflict);
	else if (!fit->dram_short_bytes && !fit->rom_short_bytes &&
		 (!(fit->flags & DRM_LOOM_FIT_EXCLUSIVE) ||
		  loom_region_entitled(&region[DRM_LOOM_REGION_SRAM], &client->share)))
		fit->flags |= DRM_LOOM_FIT_NOW;
	loom_region_conflict_fini(&conflict);
}
