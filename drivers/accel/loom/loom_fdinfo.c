// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>

#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include "loom_bo.h"
#include "loom_compat.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_file.h"
#include "loom_ioctl.h"
#include "loom_job.h"

/* Handles visited before the table's lock is dropped for others. */
#define LOOM_FDINFO_PIECE	256

/* Print runs of banks with equal bytes. */
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

/*
 * Time that the device has worked on the current jobs of a file so far, in ns; 0 if the back end
 * calls loom_job_busy().
 */
static u64 loom_fdinfo_turn_ns(struct loom_device *loom, const struct loom_file *client)
{
	struct loom_flight *flight = &loom->flight;
	struct loom_job *job;
	u64 ns = 0;

	spin_lock(&flight->lock);
	list_for_each_entry(job, &flight->order, order_node) {
		if (job->context->client != client)
			continue;
		spin_lock(&job->context->lock);
		ns += job->turn_ns ? ktime_get_ns() - job->turn_ns : 0;
		spin_unlock(&job->context->lock);
	}
	spin_unlock(&flight->lock);
	return ns;
}

/* Monotonic, as monitoring tools expect. */
static s64 loom_fdinfo_busy_ns(struct loom_device *loom, struct loom_file *client)
{
	s64 busy = atomic64_read(&client->busy_ns) + loom_fdinfo_turn_ns(loom, client);
	s64 shown = atomic64_read(&client->shown_ns);

	do {
		if (busy <= shown)
			return shown;
	} while (!atomic64_try_cmpxchg(&client->shown_ns, &shown, busy));
	return busy;
}

/* Lanes that the contexts of a client own. */
static u32 loom_fdinfo_lanes(struct loom_file *client)
{
	struct loom_context *context;
	unsigned long id;
	u32 lanes = 0;

	xa_lock(&client->contexts);
	xa_for_each(&client->contexts, id, context)
		lanes += context->lane_count;
	xa_unlock(&client->contexts);
	return lanes;
}

/**
 * loom_fdinfo_show() - print the resources of a client
 * @p: where to
 * @file: the client
 *
 * Keys in addition to those of all DRM drivers: loom-jobs, the number of jobs that have ended;
 * loom-lanes, the number of lanes that its contexts own; and loom-banks-REGION, pairs of a range of
 * banks and the bytes of its resident buffers in each of them, padding included.
 */
void loom_fdinfo_show(struct drm_printer *p, struct drm_file *file)
{
	struct drm_memory_stats stats[DRM_LOOM_REGION_COUNT] = {};
	struct loom_device *loom = to_loom_device(file->minor->dev);
	struct loom_file *client = file->driver_priv;
	struct drm_gem_object *gem;
	u32 region, handles = 0;
	int id;

	drm_printf(p, "drm-engine-loom:\t%lld ns\n", loom_fdinfo_busy_ns(loom, client));
	drm_printf(p, "loom-jobs:\t%lld\n", (s64)atomic64_read(&client->jobs));
	drm_printf(p, "loom-lanes:\t%u\n", loom_fdinfo_lanes(client));

	spin_lock(&file->table_lock);
	for (id = 0; (gem = idr_get_next(&file->object_idr, &id)); id++) {
		struct drm_memory_stats *s = &stats[gem_to_loom_bo(gem)->shape.region];

		if (drm_gem_object_is_shared_for_memory_stats(gem))
			s->shared += gem->size;
		else
			s->private += gem->size;
		if (READ_ONCE(gem_to_loom_bo(gem)->resident))
			s->resident += gem->size;
		if (!dma_resv_test_signaled(gem->resv, DMA_RESV_USAGE_BOOKKEEP))
			s->active += gem->size;
		if (++handles % LOOM_FDINFO_PIECE)
			continue;
		spin_unlock(&file->table_lock);
		cond_resched();
		spin_lock(&file->table_lock);
	}
	spin_unlock(&file->table_lock);

	for (region = 0; region < DRM_LOOM_REGION_COUNT; region++) {
		if (!loom_region_exists(&loom->region[region]))
			continue;
		drm_print_memory_stats(p, &stats[region], LOOM_COMPAT_GEM_STATUS,
				       loom_region_names[region]);
		loom_fdinfo_print_banks(p, loom_region_names[region], client->share.used[region],
					loom->region[region].banks);
	}
}
