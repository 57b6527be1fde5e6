// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include <drm/ttm/ttm_tt.h>

#include "loom_bo.h"
#include "loom_context.h"
#include "loom_device.h"
#include "loom_job.h"
#include "loom_plan_object.h"
#include "loom_region.h"
#include "memory.h"
#include "pci.h"
#include "plan.h"
#include "record.h"

/* Timeout of PROGRESS, which the firmware answers at once. */
#define LOOM_PCI_ANSWER_MS	200

/**
 * struct loom_pci_shared - pages of a shared buffer of this device
 *
 * Mapped for the device once while any job uses them.
 */
struct loom_pci_shared {
	/** @node: in &loom_pci.shared */
	struct list_head node;
	/** @bo: the buffer */
	const struct loom_bo *bo;
	/** @users: number of slots that use it; under &loom_pci.shared_lock */
	u32 users;
	/** @pages: the mapped pages */
	struct sg_table pages;
};

/**
 * struct loom_pci_host - binding of a slot that needs memory of the host
 *
 * Either the bytes are in the host's memory, or the addresses of a buffer with one per bank.
 */
struct loom_pci_host {
	/** @shared: of a buffer of this device; NULL if it was imported */
	struct loom_pci_shared *shared;
	/** @scatter: its extents for the device, or its addresses */
	struct loom_pci_scatter scatter;
};

/**
 * struct loom_pci_job - state of a job in the back end
 *
 * job_run() copies @places to &loom_pci_ring.places for the device, so only buffers in the host's
 * memory need a mapping per job.
 */
struct loom_pci_job {
	/** @sequence: of its descriptor, once submitted; under &loom_pci_ring.lock */
	u64 sequence;
	/** @stopped: STOP was requested; under &loom_pci_ring.lock */
	bool stopped;
	/** @hosts: by slot, if one of them needs memory of the host; otherwise NULL */
	struct loom_pci_host *hosts;
	/** @places: binding of each slot */
	struct loom_pci_place places[];
};

/**
 * loom_pci_job_prepare() - allocate the state of a job
 * @job: the job
 *
 * Return: 0 or -ENOMEM.
 */
int loom_pci_job_prepare(struct loom_job *job)
{
	struct loom_pci_job *run = kzalloc(struct_size(run, places, job->slot_count),
					   GFP_KERNEL_ACCOUNT);

	job->run = run;
	return run ? 0 : -ENOMEM;
}

/* Return: where the memory of the host for a slot is described, or NULL. */
static struct loom_pci_host *loom_pci_job_host(struct loom_job *job, u32 index)
{
	struct loom_pci_job *run = job->run;

	if (!run->hosts)
		run->hosts = kcalloc(job->slot_count, sizeof(*run->hosts), GFP_KERNEL_ACCOUNT);
	return run->hosts ? &run->hosts[index] : NULL;
}

static int loom_pci_job_place_banks(struct loom_job *job, u32 index, struct loom_pci_place *place)
{
	const struct loom_bo *bo = job->slots[index].bo;
	struct loom_pci_host *host = loom_pci_job_host(job, index);
	u64 *addresses = loom_region_addresses(bo->tbo.resource);
	int ret = -ENOMEM;

	if (host && addresses)
		ret = loom_pci_scatter_banks(&host->scatter, job->loom->drm.dev, place, &bo->shape,
					     addresses);
	kfree(addresses);
	return ret;
}

static int loom_pci_job_place(struct loom_job *job, u32 index)
{
	const struct loom_job_slot *slot = &job->slots[index];
	struct loom_pci_job *run = job->run;
	struct loom_pci_place *place = &run->places[index];
	struct loom_shape shape = slot->bo->shape;

	/* pages in a single bank are contiguous, and bound as one page */
	if (shape.region == DRM_LOOM_REGION_SRAM && shape.layout.banks == 1 &&
	    shape.layout.page_bytes == shape.layout.page_pitch_bytes) {
		shape.layout.page_bytes = shape.layout.bytes_per_bank;
		shape.layout.page_pitch_bytes = shape.layout.bytes_per_bank;
	}
	loom_pci_place_fill(place, &shape, loom_region_address(slot->bo->tbo.resource),
			    slot->offset, slot->size);
	return shape.per_bank ? loom_pci_job_place_banks(job, index, place) : 0;
}

static struct loom_pci_shared *loom_pci_shared_find(struct loom_pci *pci, const struct loom_bo *bo)
{
	struct loom_pci_shared *shared, *found = NULL;

	spin_lock(&pci->shared_lock);
	list_for_each_entry(shared, &pci->shared, node)
		if (shared->bo == bo)
			found = shared;
	if (found)
		found->users++;
	spin_unlock(&pci->shared_lock);
	return found;
}

/*
 * The caller must hold the reservation, which excludes concurrent mapping. The pages cannot change
 * while jobs use them: a new export waits for moves, which wait for the jobs.
 */
static struct loom_pci_shared *loom_pci_shared_get(struct loom_pci *pci, const struct loom_bo *bo,
						   struct device *dev)
{
	struct loom_pci_shared *shared = loom_pci_shared_find(pci, bo);
	const struct ttm_tt *tt = bo->tbo.ttm;
	int ret;

	if (shared)
		return shared;
	shared = kzalloc(sizeof(*shared), GFP_KERNEL_ACCOUNT);
	if (!shared)
		return ERR_PTR(-ENOMEM);
	shared->bo = bo;
	shared->users = 1;
	ret = sg_alloc_table_from_pages_segment(&shared->pages, tt->pages, tt->num_pages, 0,
						(u64)tt->num_pages << PAGE_SHIFT,
						loom_pci_segment(dev), GFP_KERNEL);
	if (ret)
		goto err_free;
	/* no sync: importers have them mapped as well, and fences order accesses */
	ret = dma_map_sgtable(dev, &shared->pages, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	if (ret)
		goto err_table;
	spin_lock(&pci->shared_lock);
	list_add(&shared->node, &pci->shared);
	spin_unlock(&pci->shared_lock);
	return shared;

err_table:
	sg_free_table(&shared->pages);
err_free:
	kfree(shared);
	return ERR_PTR(ret);
}

static void loom_pci_shared_put(struct loom_pci *pci, struct loom_pci_shared *shared,
				struct device *dev)
{
	bool last;

	spin_lock(&pci->shared_lock);
	last = !--shared->users;
	if (last)
		list_del(&shared->node);
	spin_unlock(&pci->shared_lock);
	if (!last)
		return;
	dma_unmap_sgtable(dev, &shared->pages, DMA_BIDIRECTIONAL, DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(&shared->pages);
	kfree(shared);
}

/* Return: the pages of a slot's buffer, mapped for the device; ERR_PTR(-errno). */
static struct sg_table *loom_pci_job_pages(const struct loom_job_slot *slot,
					   struct loom_pci_host *host, struct device *dev)
{
	struct loom_pci_shared *shared;

	/* mapped at the import */
	if (slot->bo->dmabuf)
		return slot->bo->tbo.sg;
	shared = loom_pci_shared_get(to_loom_pci(to_loom_device(slot->bo->tbo.base.dev)), slot->bo,
				     dev);
	if (IS_ERR(shared))
		return ERR_CAST(shared);
	host->shared = shared;
	return &shared->pages;
}

static int loom_pci_job_reach(struct loom_job *job, u32 index)
{
	const struct loom_job_slot *slot = &job->slots[index];
	struct device *dev = job->loom->drm.dev;
	struct loom_pci_host *host = loom_pci_job_host(job, index);
	struct loom_pci_job *run = job->run;
	struct sg_table *pages;
	int ret;

	if (!host)
		return -ENOMEM;
	pages = loom_pci_job_pages(slot, host, dev);
	if (IS_ERR(pages))
		return PTR_ERR(pages);
	ret = loom_pci_scatter_init(&host->scatter, dev, pages, slot->offset, slot->size);
	if (ret)
		return ret;
	run->places[index] = (struct loom_pci_place) {
		.region = cpu_to_le32(slot->bo->shape.region),
		.flags = cpu_to_le32(LOOM_PCI_PLACE_HOST),
		.address = cpu_to_le64(host->scatter.dma),
		.bytes = cpu_to_le64(slot->size),
		.banks = cpu_to_le32(host->scatter.count),
	};
	return 0;
}

/**
 * loom_pci_job_unmap() - undo the mappings of a job
 * @job: the job, that the device does not have
 */
void loom_pci_job_unmap(struct loom_job *job)
{
	struct device *dev = job->loom->drm.dev;
	struct loom_pci_job *run = job->run;
	u32 i;

	for (i = 0; run->hosts && i < job->slot_count; i++) {
		struct loom_pci_host *host = &run->hosts[i];

		loom_pci_scatter_fini(&host->scatter, dev);
		if (host->shared)
			loom_pci_shared_put(to_loom_pci(job->loom), host->shared, dev);
		host->shared = NULL;
	}
	kfree(run->hosts);
	run->hosts = NULL;
}

/**
 * loom_pci_job_emit() - record the addresses of a job's buffers
 * @job: the job
 *
 * Return: 0 or -errno.
 */
int loom_pci_job_emit(struct loom_job *job)
{
	int ret = 0;
	u32 i;

	/* SUBMIT may have started over */
	loom_pci_job_unmap(job);
	for (i = 0; !ret && i < job->slot_count; i++)
		if (job->slots[i].bo->resident)
			ret = loom_pci_job_place(job, i);
		else
			ret = loom_pci_job_reach(job, i);
	return ret;
}

/* Return: the sequence of the descriptor, or 0. */
static u64 loom_pci_job_tell_locked(struct loom_pci *pci, const struct loom_pci_job *run,
				    enum loom_pci_kind kind)
{
	struct loom_pci_descriptor descriptor = {
		.kind = cpu_to_le16(kind),
		.loom_pci_target = cpu_to_le64(run->sequence),
	};
	u64 sequence;

	lockdep_assert_held(&pci->ring.lock);
	if (!run->sequence || !loom_pci_ring_has_control_locked(&pci->ring))
		return 0;
	sequence = loom_pci_ring_put_locked(pci, &descriptor, 0, 0);
	loom_pci_ring_ring_locked(pci);
	return sequence;
}

static void loom_pci_job_tell_stop_locked(struct loom_pci *pci, struct loom_pci_job *run)
{
	if (!run->stopped)
		run->stopped = loom_pci_job_tell_locked(pci, run, LOOM_PCI_KIND_STOP);
}

/* Round robin: a device that still reads the places of an ended job does not see new ones soon. */
static u32 loom_pci_job_alloc_places_locked(struct loom_pci *pci, const struct loom_job *job)
{
	const struct loom_pci_job *run = job->run;
	struct loom_pci_ring *ring = &pci->ring;
	const struct loom_mask *lanes = &job->context->lanes;
	u32 count = LOOM_PCI_PLACES(ring->jobs), number, i;

	lockdep_assert_held(&ring->lock);
	for (i = 0; i < count && ring->places_used & BIT(ring->places_next); i++)
		ring->places_next = (ring->places_next + 1) % count;
	WARN_ON_ONCE(i == count);
	number = ring->places_next;
	ring->places_next = (number + 1) % count;
	ring->places_used |= BIT(number);
	memcpy(ring->places[number].slot, run->places, job->slot_count * sizeof(*run->places));
	for (i = 0; i < ARRAY_SIZE(lanes->word); i++)
		ring->places[number].lanes[i] = cpu_to_le64(lanes->word[i]);
	return number;
}

/* Queue 0 has plans and the jobs of all lanes; each partition has one, by its lowest lane. */
static u32 loom_pci_job_queue(const struct loom_job *job)
{
	return job->context->lane_count ? 1 + loom_mask_next(&job->context->lanes, 0) : 0;
}

/**
 * loom_pci_job_run() - submit a job and ring the doorbell
 * @job: the job
 */
void loom_pci_job_run(struct loom_job *job)
{
	struct loom_pci *pci = to_loom_pci(job->loom);
	struct loom_pci_plan *plan = job->plan->backend_data;
	struct loom_pci_ring *ring = &pci->ring;
	struct loom_pci_job *run = job->run;
	struct loom_pci_descriptor descriptor = {
		.kind = cpu_to_le16(LOOM_PCI_KIND_JOB),
		.priority = cpu_to_le16(DRM_LOOM_PRIORITY_NORMAL),
		.queue = cpu_to_le32(loom_pci_job_queue(job)),
		.plan = cpu_to_le32(plan->number),
		.count = cpu_to_le32(job->slot_count),
	};
	dma_addr_t address;
	u32 places;

	spin_lock(&ring->lock);
	run->sequence = 0;
	run->stopped = false;
	/* if the ring is off, the thread that stopped the device ends the job */
	if (ring->on) {
		places = loom_pci_job_alloc_places_locked(pci, job);
		address = ring->places_dma + places * sizeof(*ring->places);
		if (job->slot_count)
			descriptor.address = cpu_to_le64(address);
		if (job->context->lane_count)
			descriptor.scatter =
				cpu_to_le64(address + offsetof(struct loom_pci_places, lanes));
		loom_pci_plan_upload_locked(pci, plan);
		run->sequence = loom_pci_ring_put_locked(pci, &descriptor, job->id, places);
		loom_pci_ring_ring_locked(pci);
		if (loom_job_stop_reason(job))
			loom_pci_job_tell_stop_locked(pci, run);
	}
	spin_unlock(&ring->lock);
}

/**
 * loom_pci_job_stop() - make a job end soon
 * @job: the job, submitted or about to be
 */
void loom_pci_job_stop(struct loom_job *job)
{
	struct loom_pci *pci = to_loom_pci(job->loom);

	spin_lock(&pci->ring.lock);
	loom_pci_job_tell_stop_locked(pci, job->run);
	spin_unlock(&pci->ring.lock);
}

/**
 * loom_pci_job_reset() - reset the lanes of a job that hangs
 * @job: the job, submitted, of a partition
 */
void loom_pci_job_reset(struct loom_job *job)
{
	struct loom_pci *pci = to_loom_pci(job->loom);

	spin_lock(&pci->ring.lock);
	loom_pci_job_tell_locked(pci, job->run, LOOM_PCI_KIND_JOB_RESET);
	spin_unlock(&pci->ring.lock);
}

static bool loom_pci_job_ask(struct loom_pci *pci, const struct loom_pci_job *run)
{
	struct loom_pci_ring *ring = &pci->ring;

	spin_lock(&ring->lock);
	reinit_completion(&ring->answered);
	ring->asked = loom_pci_job_tell_locked(pci, run, LOOM_PCI_KIND_PROGRESS);
	spin_unlock(&ring->lock);
	return READ_ONCE(ring->asked);
}

/**
 * loom_pci_job_progress() - ask the device for the position of a job
 * @job: the job
 * @position: out; zero if the device does not answer
 *
 * Calls are serialised, because they all come from one ordered workqueue.
 *
 * A job that is absent without a record was lost by the device, or its record was. The device is
 * reset then, because otherwise the job would be blamed.
 */
void loom_pci_job_progress(struct loom_job *job, struct loom_job_position *position)
{
	struct loom_pci *pci = to_loom_pci(job->loom);
	struct loom_pci_ring *ring = &pci->ring;
	const struct loom_pci_job *run = job->run;
	bool lost;

	*position = (struct loom_job_position) {};
	if (!loom_pci_job_ask(pci, run))
		return;
	if (wait_for_completion_timeout(&ring->answered, msecs_to_jiffies(LOOM_PCI_ANSWER_MS))) {
		spin_lock(&ring->lock);
		*position = ring->answer;
		/* invariant: records written before the answer were read before it */
		lost = ring->absent && loom_pci_ring_has_locked(ring, run->sequence);
		ring->absent = false;
		spin_unlock(&ring->lock);
	} else {
		/* the answer may be the first record after a skipped one */
		lost = loom_pci_record_is_skipped(pci);
	}
	if (lost)
		loom_device_hang(job->loom, READ_ONCE(ring->epoch));
}

/**
 * loom_pci_job_release() - undo loom_pci_job_prepare()
 * @job: the job, that the device does not have
 */
void loom_pci_job_release(struct loom_job *job)
{
	/* for a failed SUBMIT; the device cannot be unplugged meanwhile */
	loom_pci_job_unmap(job);
	kfree(job->run);
	job->run = NULL;
}
