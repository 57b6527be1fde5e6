// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include "loom_bo.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_plan_object.h"

/**
 * DOC: Files
 *
 * A file owns names: ids of plans and contexts, and the GEM handles and syncobjs that DRM
 * keeps. What the names stand for is refcounted by itself, since jobs go on using it.
 *
 * Closing a file cancels its jobs. Waiting for them was rejected: a client that was
 * killed must not keep the device from others, and nobody is left to ask
 * for the results.
 */

static void loom_file_release(struct kref *ref)
{
	struct loom_file *client = container_of(ref, struct loom_file, ref);

	xa_destroy(&client->plans);
	xa_destroy(&client->contexts);
	mutex_destroy(&client->no_space_lock);
	kfree(client);
}

/**
 * loom_file_get() - take a reference
 * @client: the file
 *
 * Return: @client.
 */
struct loom_file *loom_file_get(struct loom_file *client)
{
	kref_get(&client->ref);
	return client;
}

/**
 * loom_file_put() - drop a reference
 * @client: the file
 */
void loom_file_put(struct loom_file *client)
{
	kref_put(&client->ref, loom_file_release);
}

/**
 * loom_file_open() - a client opens the node
 * @drm: the device
 * @file: the client
 *
 * Return: 0 or -ENOMEM.
 */
int loom_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct loom_file *client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);

	if (!client)
		return -ENOMEM;
	kref_init(&client->ref);
	mutex_init(&client->no_space_lock);
	client->id = file->client_id;
	/* ids are never zero */
	xa_init_flags(&client->plans, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&client->contexts, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	file->driver_priv = client;
	return 0;
}

/**
 * loom_file_close() - a client is gone
 * @drm: the device
 * @file: the client
 */
void loom_file_close(struct drm_device *drm, struct drm_file *file)
{
	struct loom_file *client = file->driver_priv;
	struct loom_plan_object *plan;
	struct loom_context *context;
	unsigned long id;

	WRITE_ONCE(client->closed, true);
	xa_for_each(&client->contexts, id, context) {
		xa_erase(&client->contexts, id);
		loom_context_put(context);
	}
	xa_for_each(&client->plans, id, plan) {
		xa_erase(&client->plans, id);
		loom_plan_object_drop(plan);
	}
	loom_file_put(client);
}

static void loom_file_add_banks(u64 *bytes, const struct loom_shape *shape)
{
	u32 bank;

	for (bank = loom_mask_next(&shape->mask, 0); bank < DRM_LOOM_MAX_BANKS;
	     bank = loom_mask_next(&shape->mask, bank + 1))
		bytes[bank] += shape->layout.bytes_per_bank;
}

/* Runs of banks that take as much. */
static void loom_file_print_banks(struct drm_printer *p, const char *region, const u64 *bytes,
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

/**
 * loom_file_show_fdinfo() - what a client uses
 * @p: where to
 * @file: the client
 *
 * Besides the keys that all DRM drivers have: loom-jobs, how many of its jobs have ended; and
 * loom-banks-REGION, pairs of a range of banks and the bytes that its resident buffers take in each
 * of them, padding included.
 */
void loom_file_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	static const char * const region_names[DRM_LOOM_REGION_COUNT] = { "dram", "sram" };
	struct drm_memory_stats stats[DRM_LOOM_REGION_COUNT] = {};
	struct loom_device *loom = to_loom_device(file->minor->dev);
	struct loom_file *client = file->driver_priv;
	struct drm_gem_object *gem;
	u64 (*bank_bytes)[DRM_LOOM_MAX_BANKS];
	u32 region;
	int id;

	drm_printf(p, "drm-engine-loom:\t%lld ns\n", (s64)atomic64_read(&client->busy_ns));
	drm_printf(p, "loom-jobs:\t%lld\n", (s64)atomic64_read(&client->jobs));

	/* without, what is said of banks is left out */
	bank_bytes = kcalloc(DRM_LOOM_REGION_COUNT, sizeof(*bank_bytes), GFP_KERNEL);
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
				loom_file_add_banks(bank_bytes[bo->shape.region],
						    &bo->shape);
		}
		if (!dma_resv_test_signaled(gem->resv, DMA_RESV_USAGE_BOOKKEEP))
			s->active += gem->size;
	}
	spin_unlock(&file->table_lock);

	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++) {
		drm_print_memory_stats(p, &stats[region], DRM_GEM_OBJECT_RESIDENT,
				       region_names[region]);
		if (bank_bytes)
			loom_file_print_banks(p, region_names[region], bank_bytes[region],
					      loom->topology->region[region].banks);
	}
	kfree(bank_bytes);
}
