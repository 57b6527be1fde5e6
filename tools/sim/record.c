// SPDX-License-Identifier: MIT
#include "record.h"

#include <endian.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "sim.h"

void sim_records_init(struct sim_records *records)
{
	*records = (struct sim_records){ .irq_fd = -1 };
	pthread_mutex_init(&records->lock, NULL);
	pthread_mutex_init(&records->irq_lock, NULL);
}

void sim_records_reset(struct sim_records *records)
{
	pthread_mutex_lock(&records->lock);
	records->mark = 0;
	records->answered = 0;
	pthread_mutex_unlock(&records->lock);
	pthread_mutex_lock(&records->irq_lock);
	records->status = 0;
	records->enable = 0;
	pthread_mutex_unlock(&records->irq_lock);
}

/* --------------------------------------------------------------- interrupts */

void sim_irq_set_fd(struct sim_records *records, int fd)
{
	pthread_mutex_lock(&records->irq_lock);
	if (records->irq_fd >= 0)
		close(records->irq_fd);
	records->irq_fd = fd;
	pthread_mutex_unlock(&records->irq_lock);
}

static void irq_raise(struct sim_records *records)
{
	u64 one = 1;

	pthread_mutex_lock(&records->irq_lock);
	if (records->irq_fd >= 0 && write(records->irq_fd, &one, sizeof(one)) == sizeof(one))
		records->raised++;
	pthread_mutex_unlock(&records->irq_lock);
}

/**
 * struct irq_late - an interrupt that comes late
 * @sim: of whom
 * @generation: when it happened
 * @ms: how late
 */
struct irq_late {
	struct sim *sim;
	u32 generation;
	u64 ms;
};

static void *irq_late_thread(void *data)
{
	struct irq_late late = *(struct irq_late *)data;
	u64 end = sim_now_ns() + late.ms * 1000000;

	free(data);
	while (sim_now_ns() < end)
		sim_nap(1000000);
	if (!sim_is_over(late.sim, late.generation))
		irq_raise(&late.sim->records);
	return NULL;
}

static void irq_raise_late(struct sim *sim)
{
	struct irq_late *late = malloc(sizeof(*late));
	pthread_t thread;

	if (!late)
		return;
	*late = (struct irq_late){
		.sim = sim,
		.generation = atomic_load(&sim->generation),
		.ms = sim_fault_arg(&sim->faults, FAULT_IRQ_LATE),
	};
	if (pthread_create(&thread, NULL, irq_late_thread, late))
		free(late);
	else
		pthread_detach(thread);
}

void sim_irq(struct sim *sim, u32 bit)
{
	struct sim_records *records = &sim->records;
	bool enabled;

	pthread_mutex_lock(&records->irq_lock);
	records->status |= bit;
	enabled = records->enable & bit;
	pthread_mutex_unlock(&records->irq_lock);
	if (!enabled || sim_fault_due(&sim->faults, FAULT_IRQ_LOST))
		return;
	if (sim_fault_due(&sim->faults, FAULT_IRQ_LATE)) {
		irq_raise_late(sim);
		return;
	}
	irq_raise(records);
	if (sim_fault_due(&sim->faults, FAULT_IRQ_DOUBLE))
		irq_raise(records);
}

/* ------------------------------------------------------------------ records */

static void record_fill(struct loom_pci_record *record, const struct sim_item *item, u32 epoch,
			u32 result)
{
	const u64 *counters = (const u64 *)&item->counters;
	bool position = result == LOOM_PCI_RESULT_RUNNING || result == LOOM_PCI_RESULT_STOPPED;
	u32 i;

	*record = (struct loom_pci_record){
		.sequence = htole64(item->sequence),
		.epoch = htole32(epoch),
		.result = htole32(result),
		.kind = htole32(item->kind),
	};
	if (position) {
		record->step = htole32(item->step);
		record->command = htole32(item->command);
		record->unit = htole64(item->unit);
	}
	for (i = 0; i < LOOM_PCI_COUNTERS; i++)
		record->counters[i] = htole64(counters[i]);
}

static void record_break(struct sim *sim, struct loom_pci_record *record)
{
	struct sim_faults *faults = &sim->faults;
	u64 *words = (u64 *)(void *)record;
	u32 i;

	if (sim_fault_due(faults, FAULT_RECORD_SEQUENCE))
		record->sequence ^= htole64(1ULL << 62 | 1ULL << 40);
	if (sim_fault_due(faults, FAULT_RECORD_EPOCH))
		record->epoch = htole32(le32toh(record->epoch) - 1);
	if (sim_fault_due(faults, FAULT_RECORD_RESULT))
		record->result = htole32(0x7fff0000 | (sim_fault_random(faults) & 0xffff));
	if (sim_fault_due(faults, FAULT_COUNTERS_ONES)) {
		memset(record->counters, 0xff, sizeof(record->counters));
		record->step = UINT32_MAX;
		record->command = UINT32_MAX;
	}
	if (sim_fault_due(faults, FAULT_RECORD_GARBAGE))
		for (i = 0; i < sizeof(*record) / sizeof(*words); i++)
			words[i] = sim_fault_random(faults);
}

/* The mark last. With the lock of records held. */
static int record_write(struct sim *sim, struct loom_pci_record *record)
{
	const u64 body = offsetof(struct loom_pci_record, mark);
	u32 mark = sim->records.mark + 1;
	u64 at = sim->rings.record_base +
		 (u64)(sim->records.mark & (sim->rings.entries - 1)) * sizeof(*record);
	__le32 word = htole32(mark);
	bool half = sim_fault_due(&sim->faults, FAULT_RECORD_HALF);
	int ret;

	sim->records.mark = mark;
	ret = sim_dma_write(&sim->dma, at, record, half ? sizeof(*record) / 2 : body);
	return ret ? ret : sim_dma_write(&sim->dma, at + body, &word, sizeof(word));
}

/* Half a lap, so that others that are not read yet stay. With the lock of records held. */
static int record_flood(struct sim *sim, struct loom_pci_record *record)
{
	int ret = 0;
	u32 i;

	record->epoch = htole32(le32toh(record->epoch) - 1);
	for (i = 0; !ret && i < sim->rings.entries / 2; i++)
		ret = record_write(sim, record);
	return ret;
}

static bool record_is_move(const struct sim_item *item)
{
	return item->kind == LOOM_PCI_KIND_COPY_IN || item->kind == LOOM_PCI_KIND_COPY_OUT ||
	       item->kind == LOOM_PCI_KIND_CLEAR;
}

void sim_fault_locked(struct sim *sim, u32 fault)
{
	if (sim->status & LOOM_PCI_STATUS_FAULT)
		return;
	sim_say(sim, "stopped: fault %u", fault);
	atomic_fetch_add(&sim->generation, 1);
	sim->status = LOOM_PCI_STATUS_FAULT;
	sim->fault = fault;
	pthread_cond_broadcast(&sim->changed);
	sim_irq(sim, LOOM_PCI_IRQ_FAULT);
}

void sim_record(struct sim *sim, const struct sim_item *item, u32 result, u32 generation)
{
	struct loom_pci_record record;
	int ret = 0;

	record_fill(&record, item, sim->rings.epoch, result);
	sim_fuzz_nap(&sim->faults, 10);
	pthread_mutex_lock(&sim->records.lock);
	/* the ring of an earlier epoch must not be touched */
	if (sim_is_over(sim, generation)) {
		pthread_mutex_unlock(&sim->records.lock);
		return;
	}
	sim->records.answered++;
	record_break(sim, &record);
	sim_fuzz_record(&sim->faults, &record, &sim->records.last);
	sim->records.last = record;
	if (sim_fault_due(&sim->faults, FAULT_RECORD_SKIP))
		sim->records.mark++;
	if (!(record_is_move(item) && sim_fault_due(&sim->faults, FAULT_MOVE_SILENT)) &&
	    !sim_fault_due(&sim->faults, FAULT_RECORD_LOST))
		ret = record_write(sim, &record);
	if (!ret && sim_fault_due(&sim->faults, FAULT_RECORD_DOUBLE))
		ret = record_write(sim, &record);
	if (!ret && sim_fault_due(&sim->faults, FAULT_RECORD_FLOOD))
		ret = record_flood(sim, &record);
	pthread_mutex_unlock(&sim->records.lock);
	sim_say(sim, "record %llu kind %u result %u", (unsigned long long)item->sequence,
		item->kind, result);
	if (!ret) {
		sim_irq(sim, LOOM_PCI_IRQ_RECORD);
		return;
	}
	pthread_mutex_lock(&sim->lock);
	if (!sim_is_over(sim, generation))
		sim_fault_locked(sim, LOOM_PCI_FAULT_DMA);
	pthread_mutex_unlock(&sim->lock);
}
