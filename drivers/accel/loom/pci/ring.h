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

/* LOOM_PCI_ENTRIES_WANTED: entries of a ring, if the device supports them */
#define LOOM_PCI_ENTRIES_WANTED		256
/* LOOM_PCI_PLACES: number of arrays of places for a limit of @jobs on the device */
#define LOOM_PCI_PLACES(jobs)		(2 * (jobs))
/* LOOM_PCI_JOB_ENTRIES: maximum per job: two PLAN_DROP, its PLAN, its JOB */
#define LOOM_PCI_JOB_ENTRIES		4

/**
 * struct loom_pci_places - memory of a job that the device reads
 */
struct loom_pci_places {
	/** @slot: places, by slot */
	struct loom_pci_place slot[DRM_LOOM_MAX_SLOTS];
	/** @lanes: banks of a context with lanes of its own */
	__le64 lanes[DRM_LOOM_MAX_BANKS / 64];
};

/**
 * struct loom_pci_request - a descriptor without a record
 */
struct loom_pci_request {
	/** @sequence: of the descriptor, 0: unused */
	u64 sequence;
	/** @id: &loom_job.id, &loom_move.id, or number of the plan */
	u64 id;
	/** @kind: an &enum loom_pci_kind */
	u32 kind;
	/** @places: JOB: index of its array in &loom_pci_ring.places */
	u32 places;
	/** @control: counted in &loom_pci_ring.controls */
	bool control;
};

/**
 * struct loom_pci_ring - rings and requests
 *
 * Memory is allocated in init and freed when the driver is unbound.
 */
struct loom_pci_ring {
	/** @submit: entries that the device reads, under @lock */
	struct loom_pci_descriptor *submit;
	/** @records: entries that the device writes at any time, read under @read_lock */
	const struct loom_pci_record *records;
	/** @places: read by the device, one for each job */
	struct loom_pci_places *places;
	/** @submit_dma: DMA address of @submit, constant, as the next two */
	dma_addr_t submit_dma;
	/** @records_dma: of @records */
	dma_addr_t records_dma;
	/** @places_dma: of @places */
	dma_addr_t places_dma;
	/** @entries: of each ring, a power of two; constant */
	u32 entries;
	/** @jobs: limit of jobs, constant */
	u32 jobs;
	/** @moves: limit of moves, constant */
	u32 moves;
	/** @read_lock: held while reading records; protects @read and @stale */
	struct mutex read_lock;
	/** @read: records read since the reset */
	u32 read;
	/** @stale: number of records of other epochs */
	u32 stale;
	/** @lock: protects the fields below */
	spinlock_t lock;
	/** @on: descriptors are accepted, between start and stop */
	bool on;
	/** @epoch: the device's, when @on */
	u32 epoch;
	/** @written: descriptors since the reset */
	u32 written;
	/** @sequence: upper part of the last sequence */
	u64 sequence;
	/** @count: number of @requests in use */
	u32 count;
	/** @controls: number of PROGRESS, STOP and JOB_RESET among these */
	u32 controls;
	/** @places_used: bitmap of arrays in use */
	unsigned long places_used;
	/** @places_next: array that is tried first for the next job */
	u32 places_next;
	/** @requests: descriptors without a record, by entry */
	struct loom_pci_request *requests;
	/** @plan_epochs: by number of the plan: epoch of its upload */
	u32 *plan_epochs;
	/** @plan_stale: bitmap of numbers with a destroyed plan on the device */
	unsigned long *plan_stale;
	/** @plan_uploads: by number: the plan that the device may be reading, or NULL */
	struct loom_pci_plan **plan_uploads;
	/** @asked: sequence of the pending PROGRESS, or 0 */
	u64 asked;
	/** @answer: to @asked */
	struct loom_job_position answer;
	/** @absent: the answer was LOOM_PCI_RESULT_ABSENT */
	bool absent;
	/** @answered: completed by the answer */
	struct completion answered;
	/** @idle: woken up when @count becomes 0 */
	wait_queue_head_t idle;
};

int loom_pci_ring_init(struct loom_pci *pci);
void loom_pci_ring_reset(struct loom_pci *pci);
void loom_pci_ring_on(struct loom_pci *pci, u32 epoch);
void loom_pci_ring_off(struct loom_pci *pci);
bool loom_pci_ring_drain(struct loom_pci *pci, u32 timeout_ms);
u64 loom_pci_ring_put_locked(struct loom_pci *pci, struct loom_pci_descriptor *descriptor,
			     u64 id, u32 places);
bool loom_pci_ring_has_control_locked(struct loom_pci_ring *ring);
bool loom_pci_ring_has_locked(struct loom_pci_ring *ring, u64 sequence);
void loom_pci_ring_ring_locked(struct loom_pci *pci);

#endif /* LOOM_PCI_RING_H */
