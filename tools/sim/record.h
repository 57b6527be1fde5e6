/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_RECORD_H
#define LOOM_SIM_RECORD_H

/* The completion ring, and its interrupt. */

#include <pthread.h>

#include "loom_core.h"
#include "pci/regs.h"

struct sim;
struct sim_item;

/**
 * struct sim_records - the completion ring
 * @lock: protects @mark, @answered and @last, and the order of records
 * @mark: records that were written since the reset
 * @answered: descriptors that were answered since the reset
 * @last: the last one that was written
 * @irq_lock: protects what follows
 * @irq_fd: where an interrupt is raised, or -1
 * @status: LOOM_PCI_IRQ_STATUS
 * @enable: LOOM_PCI_IRQ_ENABLE
 * @raised: interrupts so far
 */
struct sim_records {
	pthread_mutex_t lock;
	u32 mark;
	u32 answered;
	struct loom_pci_record last;
	pthread_mutex_t irq_lock;
	int irq_fd;
	u32 status;
	u32 enable;
	u64 raised;
};

/** sim_records_init() - no ring, no interrupts */
void sim_records_init(struct sim_records *records);
/** sim_records_reset() - the ring is empty; the interrupt is off */
void sim_records_reset(struct sim_records *records);
/** sim_record() - the answer to a descriptor that was taken at @generation */
void sim_record(struct sim *sim, const struct sim_item *item, u32 result, u32 generation);
/** sim_irq() - LOOM_PCI_IRQ_* has happened */
void sim_irq(struct sim *sim, u32 bit);
/** sim_fault_locked() - the device has stopped by itself; with the lock held */
void sim_fault_locked(struct sim *sim, u32 fault);
/** sim_irq_set_fd() - where interrupts are raised from now on: takes @fd, or -1 */
void sim_irq_set_fd(struct sim_records *records, int fd);

#endif /* LOOM_SIM_RECORD_H */
