// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/log2.h>
#include <linux/pci.h>

#include "backend/backend.h"
#include "loom_device.h"
#include "pci.h"

/**
 * DOC: Rings
 *
 * Descriptors go to the device in one ring, and records come back in the other, see regs.h. The
 * driver owns both indices and never reads them back. A descriptor without a record has a &struct
 * loom_pci_request, whose index is the lower bits of its sequence; the upper bits are a counter, so
 * that a stale record does not match a later request.
 *
 * Invariant: the ring has entries for all jobs and moves within the limits of the core, because
 * job_run() and move_run() must not fail. Other descriptors (PROGRESS, STOP, JOB_RESET) use the
 * remaining entries, and are omitted if there are none: the device is then so late that it will be
 * reset.
 *
 * Answers are read in record.c.
 */

/**
 * loom_pci_ring_init() - allocate the rings and the table of requests
 * @pci: the device, with its registers mapped
 *
 * Resources are released when the driver is unbound.
 *
 * Return: 0 or -errno.
 */
int loom_pci_ring_init(struct loom_pci *pci)
{
	struct device *dev = &pci->pdev->dev;
	struct loom_pci_ring *ring = &pci->ring;
	u32 most = readl(pci->regs + LOOM_PCI_MAX_ENTRIES);

	if (most < LOOM_PCI_MIN_ENTRIES || !is_power_of_2(most)) {
		dev_err(dev, "invalid MAX_ENTRIES %u\n", most);
		return -EINVAL;
	}
	spin_lock_init(&ring->lock);
	mutex_init(&ring->read_lock);
	init_waitqueue_head(&ring->idle);
	init_completion(&ring->answered);
	ring->entries = min_t(u32, most, LOOM_PCI_ENTRIES_WANTED);
	ring->jobs = clamp(ring->entries / 16, 1U, (u32)LOOM_PCI_JOBS);
	ring->moves = min(ring->entries / 4, (u32)LOOM_PCI_MOVES);

	ring->submit = dmam_alloc_coherent(dev, ring->entries * sizeof(*ring->submit),
					   &ring->submit_dma, GFP_KERNEL);
	ring->records = dmam_alloc_coherent(dev, ring->entries * sizeof(*ring->records),
					    &ring->records_dma, GFP_KERNEL);
	ring->places = dmam_alloc_coherent(dev, LOOM_PCI_PLACES(ring->jobs) * sizeof(*ring->places),
					   &ring->places_dma, GFP_KERNEL);
	ring->requests = devm_kcalloc(dev, ring->entries, sizeof(*ring->requests), GFP_KERNEL);
	ring->plan_epochs = devm_kcalloc(dev, pci->plan_limit, sizeof(*ring->plan_epochs),
					 GFP_KERNEL);
	ring->plan_uploads = devm_kcalloc(dev, pci->plan_limit, sizeof(*ring->plan_uploads),
					  GFP_KERNEL);
	ring->plan_stale = devm_bitmap_zalloc(dev, pci->plan_limit, GFP_KERNEL);
	if (!ring->submit || !ring->records || !ring->places || !ring->requests ||
	    !ring->plan_epochs || !ring->plan_uploads || !ring->plan_stale)
		return -ENOMEM;
	return 0;
}

/* ----------------------------------------------------------------- to it */

/**
 * loom_pci_ring_has_control_locked() - whether there is an entry for PROGRESS, STOP or JOB_RESET
 * @ring: the ring
 *
 * Return: true if there is.
 */
bool loom_pci_ring_has_control_locked(struct loom_pci_ring *ring)
{
	lockdep_assert_held(&ring->lock);
	return ring->on &&
	       ring->controls < ring->entries - ring->jobs * LOOM_PCI_JOB_ENTRIES - ring->moves;
}

/**
 * loom_pci_ring_has_locked() - whether a descriptor has no record yet
 * @ring: the ring
 * @sequence: of the descriptor
 *
 * Return: true if so.
 */
bool loom_pci_ring_has_locked(struct loom_pci_ring *ring, u64 sequence)
{
	lockdep_assert_held(&ring->lock);
	return sequence && ring->requests[sequence & (ring->entries - 1)].sequence == sequence;
}

static struct loom_pci_request *loom_pci_ring_free_locked(struct loom_pci_ring *ring)
{
	u32 i;

	/* usually the next one is free */
	for (i = 0; i < ring->entries; i++) {
		struct loom_pci_request *request =
			&ring->requests[(ring->written + i) & (ring->entries - 1)];

		if (!request->sequence)
			return request;
	}
	return NULL;
}

/* Checksum of a descriptor: difference to LOOM_PCI_DESCRIPTOR_SUM. */
static u32 loom_pci_ring_missing(const struct loom_pci_descriptor *descriptor)
{
	__le32 words[sizeof(*descriptor) / sizeof(__le32)];
	u32 missing = LOOM_PCI_DESCRIPTOR_SUM, i;

	memcpy(words, descriptor, sizeof(words));
	for (i = 0; i < ARRAY_SIZE(words); i++)
		missing -= le32_to_cpu(words[i]);
	return missing;
}

static bool loom_pci_ring_is_control(u32 kind)
{
	return kind >= LOOM_PCI_KIND_PROGRESS;
}

/**
 * loom_pci_ring_put_locked() - write a descriptor to the ring
 * @pci: the device
 * @descriptor: the descriptor, except sequence, epoch and sum
 * @id: &loom_pci_request.id
 * @places: &loom_pci_request.places
 *
 * The caller must call loom_pci_ring_ring_locked() afterwards.
 *
 * Return: its sequence; 0 if the ring is off, or full (never for jobs and moves).
 */
u64 loom_pci_ring_put_locked(struct loom_pci *pci, struct loom_pci_descriptor *descriptor,
			     u64 id, u32 places)
{
	struct loom_pci_ring *ring = &pci->ring;
	struct loom_pci_request *request;
	u32 kind = le16_to_cpu(descriptor->kind);

	lockdep_assert_held(&ring->lock);
	if (!ring->on || ring->count == ring->entries)
		return 0;
	request = loom_pci_ring_free_locked(ring);
	if (!request)
		return 0;
	*request = (struct loom_pci_request) {
		.sequence = ++ring->sequence * ring->entries + (request - ring->requests),
		.id = id,
		.kind = kind,
		.places = places,
		.control = loom_pci_ring_is_control(kind),
	};
	ring->count++;
	ring->controls += request->control;
	descriptor->sequence = cpu_to_le64(request->sequence);
	descriptor->epoch = cpu_to_le32(ring->epoch);
	descriptor->sum = 0;
	descriptor->sum = cpu_to_le32(loom_pci_ring_missing(descriptor));
	/* copy as a whole, because the ring must not be read back */
	memcpy(&ring->submit[ring->written++ & (ring->entries - 1)], descriptor,
	       sizeof(*descriptor));
	return request->sequence;
}

/**
 * loom_pci_ring_ring_locked() - ring the doorbell
 * @pci: the device
 */
void loom_pci_ring_ring_locked(struct loom_pci *pci)
{
	lockdep_assert_held(&pci->ring.lock);
	/* writel() orders memory before it */
	if (pci->ring.on)
		writel(pci->ring.written, pci->regs + LOOM_PCI_DOORBELL);
}

/* ------------------------------------------------------- start and stop */

/**
 * loom_pci_ring_reset() - write the addresses of the rings, before a reset
 * @pci: the device, stopped
 */
void loom_pci_ring_reset(struct loom_pci *pci)
{
	struct loom_pci_ring *ring = &pci->ring;

	/* clear the marks, without which a record is not read */
	memset((void *)ring->records, 0, ring->entries * sizeof(*ring->records));
	ring->read = 0;
	spin_lock(&ring->lock);
	ring->written = 0;
	spin_unlock(&ring->lock);
	lo_hi_writeq(ring->submit_dma, pci->regs + LOOM_PCI_SUBMIT_BASE);
	lo_hi_writeq(ring->records_dma, pci->regs + LOOM_PCI_RECORD_BASE);
	writel(ring->entries, pci->regs + LOOM_PCI_ENTRIES);
}

/**
 * loom_pci_ring_on() - begin to accept descriptors
 * @pci: the device, in the epoch
 * @epoch: the epoch
 */
void loom_pci_ring_on(struct loom_pci *pci, u32 epoch)
{
	spin_lock(&pci->ring.lock);
	pci->ring.epoch = epoch;
	pci->ring.on = true;
	spin_unlock(&pci->ring.lock);
}

/**
 * loom_pci_ring_off() - stop accepting descriptors and processing records
 * @pci: the device
 */
void loom_pci_ring_off(struct loom_pci *pci)
{
	spin_lock(&pci->ring.lock);
	WRITE_ONCE(pci->ring.on, false);
	spin_unlock(&pci->ring.lock);
}

/**
 * loom_pci_ring_drain() - wait until all descriptors have a record
 * @pci: the device
 * @timeout_ms: limit of the wait
 *
 * Return: true if they have.
 */
bool loom_pci_ring_drain(struct loom_pci *pci, u32 timeout_ms)
{
	return wait_event_timeout(pci->ring.idle, !READ_ONCE(pci->ring.count),
				  msecs_to_jiffies(timeout_ms));
}
