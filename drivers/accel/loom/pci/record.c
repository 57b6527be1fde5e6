// SPDX-License-Identifier: GPL-2.0
/*
 * Completion records. A record is read once, to the stack, and then checked; an invalid one wedges
 * the device. An interrupt is only a hint to check the next record.
 */
#include "record.h"

#include "backend/memory.h"
#include "loom_device.h"
#include "pci.h"
#include "plan.h"

/* Limit of a counter, so that sums do not wrap. */
#define LOOM_PCI_COUNTER_MAX	(U64_MAX >> 16)

static void loom_pci_record_counters(const struct loom_pci_record *record,
				     struct drm_loom_counters *counters)
{
	u64 word[LOOM_PCI_COUNTERS];
	u32 i;

	for (i = 0; i < LOOM_PCI_COUNTERS; i++)
		word[i] = min(le64_to_cpu(record->counters[i]), LOOM_PCI_COUNTER_MAX);
	memcpy(counters, word, sizeof(*counters));
	/* the core counts jobs itself */
	counters->jobs = 1;
}

/* Read the next record. Return: false if there is none. */
static bool loom_pci_record_read(struct loom_pci_ring *ring, struct loom_pci_record *copy)
{
	const struct loom_pci_record *record = &ring->records[ring->read & (ring->entries - 1)];

	if (le32_to_cpu(READ_ONCE(record->mark)) != ring->read + 1)
		return false;
	/* the device has written the rest before the mark */
	dma_rmb();
	memcpy(copy, record, sizeof(*copy));
	/* the compiler must not read the record again */
	barrier();
	ring->read++;
	return true;
}

/* Return: whether the record answers a request, which is removed then. */
static bool loom_pci_record_match(struct loom_pci_ring *ring, const struct loom_pci_record *record,
				  struct loom_pci_request *request)
{
	u64 sequence = le64_to_cpu(record->sequence);
	struct loom_pci_request *found = &ring->requests[sequence & (ring->entries - 1)];
	bool known;

	spin_lock(&ring->lock);
	known = ring->on && sequence && found->sequence == sequence &&
		found->kind == le32_to_cpu(record->kind) &&
		le32_to_cpu(record->result) < LOOM_PCI_RESULT_END;
	if (known) {
		*request = *found;
		found->sequence = 0;
		ring->controls -= found->control;
		if (request->kind == LOOM_PCI_KIND_JOB)
			ring->places_used &= ~BIT(request->places);
		if (!--ring->count)
			wake_up_all(&ring->idle);
	}
	spin_unlock(&ring->lock);
	return known;
}

static int loom_pci_record_job(struct loom_pci *pci, const struct loom_pci_request *request,
			       const struct loom_pci_record *record)
{
	struct loom_job_record out = {
		.job = request->id,
		.epoch = le32_to_cpu(record->epoch),
	};

	switch (le32_to_cpu(record->result)) {
	case LOOM_PCI_RESULT_OK:
		out.status = LOOM_JOB_DONE;
		break;
	case LOOM_PCI_RESULT_STOPPED:
		out.status = LOOM_JOB_STOPPED;
		break;
	case LOOM_PCI_RESULT_DMA:	/* of another device's memory, which may be removed */
	case LOOM_PCI_RESULT_PLAN:	/* no memory for the plan, or a read error */
	case LOOM_PCI_RESULT_MEMORY:
		out.status = LOOM_JOB_FAILED;
		break;
	default:
		loom_device_wedge(pci->loom, "device refused a valid job");
		return -EPROTO;
	}
	loom_pci_record_counters(record, &out.counters);
	return loom_jobs_complete(pci->loom, &out, 1);
}

static void loom_pci_record_progress(struct loom_pci_ring *ring,
				     const struct loom_pci_request *request,
				     const struct loom_pci_record *record)
{
	spin_lock(&ring->lock);
	if (ring->asked == request->sequence) {
		ring->asked = 0;
		ring->answer = (struct loom_job_position) {
			.step = le32_to_cpu(record->step),
			.command = le32_to_cpu(record->command),
			.unit = le64_to_cpu(record->unit),
		};
		ring->absent = le32_to_cpu(record->result) == LOOM_PCI_RESULT_ABSENT;
		loom_pci_record_counters(record, &ring->answer.counters);
		complete(&ring->answered);
	}
	spin_unlock(&ring->lock);
}

static int loom_pci_record_dispatch(struct loom_pci *pci, const struct loom_pci_record *record)
{
	u32 result = le32_to_cpu(record->result);
	struct loom_pci_ring *ring = &pci->ring;
	struct loom_pci_request request;

	if (le32_to_cpu(record->epoch) != READ_ONCE(ring->epoch)) {
		/* the ring was empty when the epoch began, so the device is broken */
		ring->stale++;
		loom_device_hang(pci->loom, READ_ONCE(ring->epoch));
		return -ESTALE;
	}
	if (!loom_pci_record_match(ring, record, &request)) {
		loom_device_wedge(pci->loom, "completion record of an unknown descriptor");
		return -EPROTO;
	}
	switch (request.kind) {
	case LOOM_PCI_KIND_JOB:
		return loom_pci_record_job(pci, &request, record);
	case LOOM_PCI_KIND_COPY_IN:
	case LOOM_PCI_KIND_COPY_OUT:
	case LOOM_PCI_KIND_CLEAR:
		return loom_moves_complete(pci->loom, request.id, le32_to_cpu(record->epoch),
					   result != LOOM_PCI_RESULT_OK);
	case LOOM_PCI_KIND_PLAN:
		loom_pci_plan_uploaded(pci, request.id, result == LOOM_PCI_RESULT_OK);
		break;
	case LOOM_PCI_KIND_PROGRESS:
		loom_pci_record_progress(ring, &request, record);
		break;
	}
	return 0;
}

/**
 * loom_pci_record_process() - process all new records
 * @pci: the device; fence safe
 *
 * Reads at most as many records as the ring has entries. Later ones are not lost: they were written
 * during this call, and each of them raises an interrupt.
 *
 * Return: the number of records that were read.
 */
u32 loom_pci_record_process(struct loom_pci *pci)
{
	bool signalling = dma_fence_begin_signalling();
	struct loom_pci_ring *ring = &pci->ring;
	struct loom_pci_record record;
	int ret = 0;
	u32 count;

	mutex_lock(&ring->read_lock);
	for (count = 0; !ret && count < ring->entries; count++) {
		if (!READ_ONCE(ring->on) || READ_ONCE(pci->loom->wedged) ||
		    !loom_pci_record_read(ring, &record))
			break;
		ret = loom_pci_record_dispatch(pci, &record);
	}
	mutex_unlock(&ring->read_lock);
	dma_fence_end_signalling(signalling);
	return count;
}

static bool loom_pci_record_is_marked(const struct loom_pci_ring *ring, u32 index)
{
	const struct loom_pci_record *record = &ring->records[index & (ring->entries - 1)];

	return le32_to_cpu(READ_ONCE(record->mark)) == index + 1;
}

/**
 * loom_pci_record_is_skipped() - whether the device has skipped a record
 * @pci: the device
 *
 * Records are written in order, so a marked record after an unmarked one means that a mark was
 * lost. No later record will be read.
 *
 * Return: true if so.
 */
bool loom_pci_record_is_skipped(struct loom_pci *pci)
{
	struct loom_pci_ring *ring = &pci->ring;
	bool skipped = false;
	u32 i;

	mutex_lock(&ring->read_lock);
	for (i = 1; !skipped && i < ring->entries; i++)
		skipped = loom_pci_record_is_marked(ring, ring->read + i);
	/* the earlier one may have been written since; it is visible if the later one is */
	dma_rmb();
	skipped = skipped && !loom_pci_record_is_marked(ring, ring->read);
	mutex_unlock(&ring->read_lock);
	return skipped;
}

/**
 * loom_pci_record_interrupt() - threaded interrupt handler
 * @irq: the interrupt
 * @data: &struct loom_pci
 *
 * Runs in the thread of the interrupt.
 *
 * Return: IRQ_HANDLED, or IRQ_NONE if there were none: the kernel disables an interrupt that
 * storms.
 */
irqreturn_t loom_pci_record_interrupt(int irq, void *data)
{
	return loom_pci_record_process(data) ? IRQ_HANDLED : IRQ_NONE;
}

/**
 * loom_pci_record_forget() - discard all descriptors without a record
 * @pci: the device, stopped
 */
void loom_pci_record_forget(struct loom_pci *pci)
{
	struct loom_pci_ring *ring = &pci->ring;

	spin_lock(&ring->lock);
	memset(ring->requests, 0, ring->entries * sizeof(*ring->requests));
	ring->count = 0;
	ring->controls = 0;
	ring->places_used = 0;
	loom_pci_plan_forget_locked(pci);
	ring->asked = 0;
	complete_all(&ring->answered);
	spin_unlock(&ring->lock);
}
