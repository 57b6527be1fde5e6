// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"

static void loom_fdinfo_add_banks(u64 *bytes, const struct loom_shape *shape)
{
	u32 bank;

	for (bank = loom_mask_next(&shape->mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(&shape->mask, bank + 1))
		bytes[bank] += shape->layout.bytes_per_bank;
}

/* Runs of banks that take as much. */
static void loom_fdinfo_print_banks(struct drm_printer *p, const char *region, const u64 *bytes,
				    u32 banks)
{
	u32 first = 0, bank;

	drm_printf(p, "loom-banks-%s:\t", region);
	for (bank = 1; bank <= banks; bank++) {
		if (bank < banks && bytes[bank] == bytes[first])
			continue;
		drm_printf(p, "%s%u-%u %llu", first ? " " : "", first, bank - 1, bytes[first]);
		first = bank;
	}
	drm_printf(p, "\n");
}

/* Never less than before, as who draws curves of it expects. */
static s64 loom_fdinfo_busy_ns(struct loom_device *loom, struct loom_file *client)
{
	s64 busy = atomic64_read(&client->busy_ns) + loom_flight_turn_ns(loom, client);
	s64 shown = atomic64_read(&client->shown_ns);

	do {
		if (busy <= shown)
			return shown;
	} while (!atomic64_try_cmpxchg(&client->shown_ns, &shown, busy));
	return busy;
}

/**
 * loom_fdinfo_show() - what a client uses
 * @p: where to
 * @file: the client
 *
 * Besides the keys that all DRM drivers have: loom-jobs, how many of its jobs have ended; and
 * loom-banks-REGION, pairs of a range of banks and the bytes that its resident buffers take in each
 * of them, padding included.
 */
void loom_fdinfo_show(struct drm_printer *p, struct drm_file *file)
{
	struct drm_memory_stats stats[DRM_LOOM_REGION_COUNT] = {};
	struct loom_device *loom = to_loom_device(file->minor->dev);
	struct loom_file *client = file->driver_priv;
	struct drm_gem_object *gem;
	u64 (*bank_bytes)[DRM_LOOM_MAX_BANKS];
	u32 region;
	int id;

	drm_printf(p, "drm-engine-loom:\t%lld ns\n", loom_fdinfo_busy_ns(loom, client));
	drm_printf(p, "loom-jobs:\t%lld\n", (s64)atomic64_read(&client->jobs));

	/* if there is no memory, only what is printed per bank is left out */
	bank_bytes = kcalloc(DRM_LOOM_REGION_COUNT, sizeof(*bank_bytes), GFP_KERNEL_ACCOUNT);
	spin_lock(&file->table_lock);
	idr_for_each_entry(&file->object_idr, gem, id) {
		struct loom_bo *bo = gem_to_loom_bo(gem);
		struct drm_memory_stats *s = &stats[bo->shape.region];

		if (drm_gem_object_is_shared_for_memory_stats(gem))
			s->shared += gem->size;
		else
			s->private += gem->size;
		if (READ_ONCE(bo->resident)) {
			s->resident += gem->size;
			if (bank_bytes)
				loom_fdinfo_add_banks(bank_bytes[bo->shape.region],
						      &bo->shape);
		}
		if (!dma_resv_test_signaled(gem->resv, DMA_RESV_USAGE_BOOKKEEP))
			s->active += gem->size;
	}
	spin_unlock(&file->table_lock);

	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++) {
		if (!loom_region_exists(&loom->region[region]))
			continue;
		drm_print_memory_stats(p, &stats[region], LOOM_COMPAT_GEM_STATUS,
				       loom_region_names[region]);
		if (bank_bytes)
			loom_fdinfo_print_banks(p, loom_region_names[region], bank_bytes[region],
						loom->chip->region[region].banks);
	}
	kfree(bank_bytes);
}
