// SPDX-License-Identifier: MIT
#include "sim.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

/* Takes descriptors from the ring in their order, and answers those that cannot wait. */

static bool rings_ok(const struct sim_rings *rings)
{
	return rings->entries >= LOOM_PCI_MIN_ENTRIES && rings->entries <= SIM_ENTRIES &&
	       !(rings->entries & (rings->entries - 1)) && rings->submit_base &&
	       rings->record_base && !(rings->submit_base & 63) && !(rings->record_base & 63);
}

static void firmware_drop_items_locked(struct sim *sim)
{
	struct sim_item *item;

	while ((item = sim->items)) {
		sim->items = item->next;
		free(item);
	}
	sim->item_count = 0;
}

/* No worker has an item any more. */
static void firmware_reset_locked(struct sim *sim)
{
	firmware_drop_items_locked(sim);
	sim->rings = sim->written;
	sim->rings.epoch = sim->wanted;
	sim->doorbell = 0;
	sim->fetched = 0;
	sim_plans_drop_all(&sim->plans);
	sim_records_reset(&sim->records);
	sim->epoch = sim->wanted;
	sim->wanted = 0;
	sim->status = LOOM_PCI_STATUS_READY;
	sim_say(sim, "epoch %u, rings of %u", sim->epoch, sim->rings.entries);
	if (!rings_ok(&sim->rings))
		sim_fault_locked(sim, LOOM_PCI_FAULT_RINGS);
}

/* Whether an answer is due, at once, to something that is no work. */
static struct sim_item *firmware_find_locked(struct sim *sim, u64 sequence)
{
	struct sim_item *item;

	for (item = sim->items; item; item = item->next)
		if (item->sequence == sequence)
			return item;
	return NULL;
}

static u32 firmware_progress(struct sim *sim, struct sim_item *ask)
{
	u32 result = LOOM_PCI_RESULT_ABSENT;
	struct sim_item *item;

	pthread_mutex_lock(&sim->lock);
	item = firmware_find_locked(sim, ask->bytes);
	if (item && !item->running) {
		result = LOOM_PCI_RESULT_WAITS;
	} else if (item) {
		result = LOOM_PCI_RESULT_RUNNING;
		ask->step = item->step;
		ask->command = item->command;
		ask->unit = item->unit;
		ask->counters = item->counters;
	}
	pthread_mutex_unlock(&sim->lock);
	return result;
}

/* Takes it out of the list if it has not begun. */
static struct sim_item *firmware_stop_locked(struct sim *sim, const struct sim_item *ask,
					     bool *found)
{
	struct sim_item *item = firmware_find_locked(sim, ask->bytes), **link;

	*found = item;
	if (!item)
		return NULL;
	atomic_store(&item->stop, true);
	if (ask->kind == LOOM_PCI_KIND_JOB_RESET)
		atomic_store(&item->reset, true);
	if (item->running)
		return NULL;
	for (link = &sim->items; *link != item; link = &(*link)->next)
		;
	*link = item->next;
	sim->item_count--;
	/* others of its queue may have waited for it */
	pthread_cond_broadcast(&sim->changed);
	return item;
}

static void firmware_stop(struct sim *sim, const struct sim_item *ask, u32 generation)
{
	struct sim_item *waited;
	bool found;

	pthread_mutex_lock(&sim->lock);
	waited = firmware_stop_locked(sim, ask, &found);
	pthread_mutex_unlock(&sim->lock);
	sim_record(sim, ask, found ? LOOM_PCI_RESULT_OK : LOOM_PCI_RESULT_ABSENT, generation);
	if (waited)
		sim_record(sim, waited, LOOM_PCI_RESULT_STOPPED, generation);
	free(waited);
}

static void firmware_queue(struct sim *sim, const struct sim_item *item, u32 generation)
{
	struct sim_item *copy = malloc(sizeof(*copy)), **link;

	if (!copy) {
		sim_record(sim, item, LOOM_PCI_RESULT_MEMORY, generation);
		return;
	}
	*copy = *item;
	pthread_mutex_lock(&sim->lock);
	for (link = &sim->items; *link; link = &(*link)->next)
		;
	*link = copy;
	sim->item_count++;
	pthread_cond_broadcast(&sim->changed);
	pthread_mutex_unlock(&sim->lock);
}

/* Fields of each kind; all others must be zero. */
#define HAS_PLAN	0x1
#define HAS_COUNT	0x2
#define HAS_ADDRESS	0x4
#define HAS_SCATTER	0x8
#define HAS_BYTES	0x10

static const u8 firmware_fields[LOOM_PCI_KIND_END] = {
	[LOOM_PCI_KIND_NOP] = 0,
	[LOOM_PCI_KIND_JOB] = HAS_PLAN | HAS_COUNT | HAS_ADDRESS | HAS_SCATTER,
	[LOOM_PCI_KIND_COPY_IN] = HAS_COUNT | HAS_ADDRESS | HAS_SCATTER,
	[LOOM_PCI_KIND_COPY_OUT] = HAS_COUNT | HAS_ADDRESS | HAS_SCATTER,
	[LOOM_PCI_KIND_CLEAR] = HAS_ADDRESS,
	[LOOM_PCI_KIND_PLAN] = HAS_PLAN | HAS_COUNT | HAS_SCATTER | HAS_BYTES,
	[LOOM_PCI_KIND_PLAN_DROP] = HAS_PLAN,
	[LOOM_PCI_KIND_PROGRESS] = HAS_BYTES,
	[LOOM_PCI_KIND_STOP] = HAS_BYTES,
	[LOOM_PCI_KIND_JOB_RESET] = HAS_BYTES,
};

static bool firmware_fields_ok(const struct sim_item *item)
{
	u8 has = firmware_fields[item->kind];

	return (has & HAS_PLAN || !item->plan) && (has & HAS_COUNT || !item->count) &&
	       (has & HAS_ADDRESS || !item->address) && (has & HAS_SCATTER || !item->scatter) &&
	       (has & HAS_BYTES || !item->bytes) && !(item->address & 7) && !(item->scatter & 7);
}

static bool firmware_sum_ok(const struct loom_pci_descriptor *raw)
{
	u32 words[sizeof(*raw) / sizeof(u32)], sum = 0, i;

	memcpy(words, raw, sizeof(words));
	for (i = 0; i < ARRAY_SIZE(words); i++)
		sum += le32toh(words[i]);
	return sum == LOOM_PCI_DESCRIPTOR_SUM;
}

static u32 firmware_check(struct sim *sim, const struct loom_pci_descriptor *raw,
			  const struct sim_item *item)
{
	if (!firmware_sum_ok(raw))
		return LOOM_PCI_RESULT_INVALID;
	if (le32toh(raw->epoch) != sim->rings.epoch)
		return LOOM_PCI_RESULT_EPOCH;
	if (item->kind >= LOOM_PCI_KIND_END || item->queue >= SIM_QUEUES || raw->reserved ||
	    !item->sequence || item->priority > DRM_LOOM_PRIORITY_HIGH ||
	    !firmware_fields_ok(item))
		return LOOM_PCI_RESULT_INVALID;
	return LOOM_PCI_RESULT_OK;
}

/* The banks of the lanes: all, or those that the descriptor names. */
static u32 firmware_find_lanes(struct sim *sim, struct sim_item *item)
{
	const struct loom_mask all = loom_mask_all(sim->chip.region[DRM_LOOM_REGION_SRAM].banks);
	u32 i;

	item->lanes = all;
	if (!item->scatter)
		return LOOM_PCI_RESULT_OK;
	if (sim_dma_read(&sim->dma, item->scatter, &item->lanes, sizeof(item->lanes)))
		return LOOM_PCI_RESULT_DMA;
	for (i = 0; i < ARRAY_SIZE(item->lanes.word); i++)
		item->lanes.word[i] = le64toh(item->lanes.word[i]);
	return loom_mask_within(&item->lanes, &all) ? LOOM_PCI_RESULT_OK : LOOM_PCI_RESULT_PLAN;
}

static void firmware_take(struct sim *sim, const struct loom_pci_descriptor *raw, u32 generation)
{
	struct sim_item item = {
		.sequence = le64toh(raw->sequence),
		.kind = le16toh(raw->kind),
		.priority = le16toh(raw->priority),
		.queue = le32toh(raw->queue),
		.plan = le32toh(raw->plan),
		.count = le32toh(raw->count),
		.address = le64toh(raw->address),
		.scatter = le64toh(raw->scatter),
		.bytes = le64toh(raw->bytes),
	};
	u32 result = firmware_check(sim, raw, &item);

	if (!result && item.kind == LOOM_PCI_KIND_JOB)
		result = firmware_find_lanes(sim, &item);
	if (result)
		sim_record(sim, &item, result, generation);
	else if (item.kind == LOOM_PCI_KIND_PROGRESS)
		sim_record(sim, &item, firmware_progress(sim, &item), generation);
	else if (item.kind >= LOOM_PCI_KIND_STOP)
		firmware_stop(sim, &item, generation);
	else
		firmware_queue(sim, &item, generation);
}

static void firmware_flip(struct sim *sim, void *bytes, u64 count)
{
	u64 bit;

	if (!count || !sim_fault_due(&sim->faults, FAULT_BIT_FLIP))
		return;
	bit = sim_fault_random(&sim->faults) % (count * 8);
	((u8 *)bytes)[bit / 8] ^= 1 << bit % 8;
}

/* The next one; called and returns with the lock held. */
static void firmware_fetch_locked(struct sim *sim)
{
	u32 generation = atomic_load(&sim->generation);
	struct loom_pci_descriptor raw;
	u64 at = sim->rings.submit_base +
		 (u64)(sim->fetched & (sim->rings.entries - 1)) * sizeof(raw);
	int ret;

	if (sim->doorbell - sim->records.answered > sim->rings.entries) {
		sim_fault_locked(sim, LOOM_PCI_FAULT_DOORBELL);
		return;
	}
	sim->fetched++;
	sim->fetching = true;
	pthread_mutex_unlock(&sim->lock);
	ret = sim_dma_read(&sim->dma, at, &raw, sizeof(raw));
	firmware_flip(sim, &raw, sizeof(raw));
	if (!ret)
		firmware_take(sim, &raw, generation);
	pthread_mutex_lock(&sim->lock);
	sim->fetching = false;
	if (ret && !sim_is_over(sim, generation))
		sim_fault_locked(sim, LOOM_PCI_FAULT_DMA);
}

void *sim_firmware(void *data)
{
	struct sim *sim = data;

	pthread_mutex_lock(&sim->lock);
	for (;;) {
		if (sim->wanted && !sim->busy &&
		    !sim_fault_due(&sim->faults, FAULT_RESET_HANG))
			firmware_reset_locked(sim);
		else if (sim->wanted && !sim->busy)
			sim->wanted = 0;
		else if (sim->status & LOOM_PCI_STATUS_READY && sim->fetched != sim->doorbell)
			firmware_fetch_locked(sim);
		else
			pthread_cond_wait(&sim->changed, &sim->lock);
	}
	return NULL;
}
