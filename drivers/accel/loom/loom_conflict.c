// SPDX-License-Identifier: GPL-2.0
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/loom_accel.h>

#include "loom_bo.h"
#include "loom_conflict.h"
#include "loom_device.h"
#include "loom_plan_object.h"

/**
 * DOC: Scratch conflicts
 *
 * A plan whose scratch would meet an SRAM buffer is refused, and the client is told which
 * buffer that is. By its handle if the client has one; of other clients' buffers it
 * gets the place, which QUERY tells everybody anyway.
 *
 * The same can be asked beforehand. The answer is true for the moment: who wants to rely on it
 * has the scratch reserved.
 */

/**
 * loom_conflict_fini() - drop what a conflict refers to
 * @conflict: filled in by the region
 */
void loom_conflict_fini(struct loom_region_conflict *conflict)
{
	if (conflict->gem)
		drm_gem_object_put(conflict->gem);
	conflict->gem = NULL;
}

/* The lowest handle that a client has for a buffer, zero for none. */
static u32 loom_conflict_handle(struct drm_file *file, const struct drm_gem_object *gem)
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

static void loom_conflict_record(const struct loom_region_conflict *conflict,
				 struct drm_file *file, struct drm_loom_scratch_conflict *record)
{
	*record = (struct drm_loom_scratch_conflict) {
		.bank = conflict->bank,
		.handle = loom_conflict_handle(file, conflict->gem),
		.scratch_start = conflict->start,
		.scratch_end = conflict->end,
		.address = conflict->address,
		.bytes = conflict->bytes,
		.short_bytes = conflict->end - conflict->address,
	};
}

/**
 * loom_conflict_copy() - tell a client
 * @conflict: what is in the way
 * @file: the client
 * @to: user address of a &struct drm_loom_scratch_conflict, or zero
 * @size: bytes there
 *
 * Return: 0 or -EFAULT.
 */
int loom_conflict_copy(const struct loom_region_conflict *conflict, struct drm_file *file, u64 to,
		       u32 size)
{
	struct drm_loom_scratch_conflict record;

	if (!to)
		return 0;
	loom_conflict_record(conflict, file, &record);
	return copy_to_user(u64_to_user_ptr(to), &record, min_t(size_t, size, sizeof(record))) ?
	       -EFAULT : 0;
}

/* Of all DRAM slots, in buffers of their own. Saturates. */
static u64 loom_conflict_dram_bytes(const struct loom_device *loom, const struct loom_plan *plan)
{
	const struct loom_region_topology *dram = &loom->topology->region[DRM_LOOM_REGION_DRAM];
	u64 sum = 0;
	u32 i;

	for (i = 0; i < plan->slot_count; i++) {
		struct loom_layout layout;

		if (plan->slots[i].flags & DRM_LOOM_SLOT_SRAM)
			continue;
		if (loom_layout_interleaved(&layout, plan->slots[i].size,
					    loom_shape_default_page_bytes(dram), dram->banks,
					    dram->align_bytes) ||
		    check_add_overflow(sum, layout.bytes_per_bank, &sum))
			return U64_MAX;
	}
	return sum;
}

/**
 * loom_conflict_fit() - would this plan fit now?
 * @loom: the device
 * @object: the plan
 * @file: the client
 * @fit: out
 */
void loom_conflict_fit(struct loom_device *loom, struct loom_plan_object *object,
		       struct drm_file *file, struct drm_loom_fit *fit)
{
	const struct loom_bank *dram = &loom->region[DRM_LOOM_REGION_DRAM].bank;
	u64 room = dram->limit - dram->base;
	struct loom_region_conflict conflict;

	*fit = (struct drm_loom_fit) {
		.scratch_bytes = object->plan->scratch_ends[0],
		.dram_bytes = loom_conflict_dram_bytes(loom, object->plan),
	};
	if (object->scratch.bytes)
		fit->flags |= DRM_LOOM_FIT_RESERVED;
	if (fit->dram_bytes > room)
		fit->dram_short_bytes = fit->dram_bytes - room;
	if (loom_region_meets(&loom->region[DRM_LOOM_REGION_SRAM], object->plan, &conflict))
		loom_conflict_record(&conflict, file, &fit->conflict);
	else if (!fit->dram_short_bytes)
		fit->flags |= DRM_LOOM_FIT_NOW;
	loom_conflict_fini(&conflict);
}
