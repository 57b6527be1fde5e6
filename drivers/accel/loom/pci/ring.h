/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_PCI_RING_H
#define LOOM_PCI_RING_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <drm/loom_accel.h>

#include "backend/backend.h"
#include "regs.h"

struct loom_pci;
struct loom_pci_plan;

/* LOOM_PCI_ENTRIES_WANTED: entries of a ring, if the device takes so many */
#define LOOM_PCI_ENTRIES_WANTED		256
/* LOOM_PCI_PLACES: how many jobs there are places for, if the device has @jobs at a time */
#define LOOM_PCI_PLACES(jobs)		(2 * (jobs))
/* LOOM_PCI_JOB_ENTRIES: most descriptors for a job: two old plans dropped, its plan, itself */
#define LOOM_PCI_JOB_ENTRIES		4

/**
 * struct loom_pci_request - a descriptor without a record
 */
struct loom_pci_request {
	/** @sequence: as given, 0: none */
	u64 sequence;
	/** @id: &loom_job.id, &loom_move.id, or number of the plan */
	u64 id;
	/** @kind: an &enum loom_pci_kind */
	u32 kind;
	/** @places: JOB: which places it has of &loom_pci_ring.places */
	u32 places;
	/** @aside: it is one of &loom_pci_ring.asides */
	bool aside;
};

/**
 * struct loom_pci_ring - rings, and what is on its way
 *
 * Memory is allocated in init and freed when the driver is unbound.
 */
struct loom_pci_ring {
	/** @submit: entries that the device reads, under @lock */
	struct loom_pci_descriptor *submit;
	/** @records: entries that the device writes at any time, read under @read_lock */
	const struct loom_pci_record *records;
	/** @places: places of each job in flight, that the device reads, by job, then by slot */
	struct loom_pci_place *places;
	/** @submit_dma: of @submit for the device, constant, as the two that follow */
	dma_addr_t submit_dma;
	/** @records_dma: of @records */
	dma_addr_t records_dma;
	/** @places_dma: of @places */
	dma_addr_t places_dma;
	/** @entries: of each ring, a power of two; constant */
	u32 entries;
	/** @jobs: most jobs that it has, constant */
	u32 jobs;
	/** @moves: most moves, constant */
	u32 moves;
	/** @read_lock: held by who reads records; protects @read and @stale */
	struct mutex read_lock;
	/** @read: records read since the reset */
	u32 read;
	/** @stale: records of other epochs that were seen */
	u32 stale;
	/** @lock: protects what follows */
	spinlock_t lock;
	/** @on: descriptors are taken: between start and stop */
	bool on;
	/** @epoch: the device's, when @on */
	u32 epoch;
	/** @written: descriptors since the reset */
	u32 written;
	/** @sequence: upper part of the last one that was given */
	u64 sequence;
	/** @count: number of @requests in use */
	u32 count;
	/** @asides: of these, what is neither a job's nor a move */
	u32 asides;
	/** @places_used: bit for each job's places that are in use */
	unsigned long places_used;
	/** @places_next: those that are tried first for the next job */
	u32 places_next;
	/** @requests: what has no record, as many as entries */
	struct loom_pci_request *requests;
	/** @plan_epochs: by number: the epoch in which the device has taken up a plan under it */
	u32 *plan_epochs;
	/** @plan_stale: bit for each number under which the device has a plan that is gone */
	unsigned long *plan_stale;
	/** @plan_uploads: by number: what the device may be reading, or NULL */
	struct loom_pci_plan **plan_uploads;
	/** @asked: sequence of a PROGRESS that is waited for, or 0 */
	u64 asked;
	/** @answer: to it */
	struct loom_job_position answer;
	/** @absent: the answer was that it has ended, or never was */
	bool absent;
	/** @answered: there is one */
	struct completion answered;
	/** @idle: for who waits until @count is 0 */
	wait_queue_head_t idle;
};

int loom_pci_ring_init(struct loom_pci *pci);
void loom_pci_ring_reset(struct loom_pci *pci);
void loom_pci_ring_on(struct loom_pci *pci, u32 epoch);
void loom_pci_ring_off(struct loom_pci *pci);
bool loom_pci_ring_drain(struct loom_pci *pci, u32 timeout_ms);
u64 loom_pci_ring_put_locked(struct loom_pci *pci, struct loom_pci_descriptor *descriptor,
			     u64 id, u32 places);
bool loom_pci_ring_has_aside_locked(struct loom_pci_ring *ring);
bool loom_pci_ring_has_locked(struct loom_pci_ring *ring, u64 sequence);
void loom_pci_ring_ring_locked(struct loom_pci *pci);

#endif /* LOOM_PCI_RING_H */
