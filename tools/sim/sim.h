/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_H
#define LOOM_SIM_H

/**
 * DOC: loom-sim
 *
 * A Loom device in a separate process: QEMU attaches it to a guest as a PCI function, by vfio-user,
 * and the guest's driver sees the behaviour of a chip. pci/regs.h is the contract.
 * Documentation/sim.rst describes its options and faults.
 *
 * Processes: a supervisor holds the connection (supervisor.c) and starts a model for each; when the
 * model dies, by accident or on demand, the supervisor shuts the connection down, drains and closes
 * it. QEMU treats that as a removed device; on a reset connection it would abort.
 *
 * Threads of the model, each in a file:
 *
 * * bus.c answers the client: registers, configuration, interrupts. A guest's processor waits for
 *   the answer, and with it at times the whole guest, so this thread must not compute, and must not
 *   wait for the others
 * * firmware.c takes descriptors from the ring, answers PROGRESS and STOP, resets
 * * worker.c: an engine for each job that runs, the DMA engine for everything else
 * * control.c: fault injection by tests (fault.c), or at random (fuzz.c)
 *
 * Helpers:
 *
 * * options.c: command line; config.c: PCI's configuration space; registers.c: BAR0
 * * memory.c: the banks; dma.c: the host's memory; record.c: completion records, and interrupts
 * * job.c: a run of a plan; copy.c: copies and clearing; plans.c: uploaded plans
 * * power.c: clock, temperature, energy
 * * wire.c, protocol.h: messages of vfio-user
 *
 * Order of locks: &sim.lock, then those of fault.c and power.c. &sim_records.lock must not be taken
 * inside of &sim.lock, because it is held while the host's memory is written; nor may those of
 * dma.c, which must not be held while waiting for another lock.
 *
 * Rejected: libvfio-user, which is in no distribution; a device in QEMU's own source, which would
 * run under its big lock, at TCG's speed, and could not die; MSI-X, because hot unplug of such a
 * device aborts QEMU 11.1; INTx, because the window is not mapped while it is in use.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "config.h"
#include "dma.h"
#include "fault.h"
#include "memory.h"
#include "options.h"
#include "plans.h"
#include "power.h"
#include "record.h"

/* SIM_ENTRIES, SIM_QUEUES: LOOM_PCI_MAX_ENTRIES, LOOM_PCI_QUEUES */
#define SIM_ENTRIES	1024
#define SIM_QUEUES	65536

/**
 * struct sim_item - a descriptor that was taken from the ring, until its record
 * @next: in &sim.items
 * @sequence: of it
 * @kind: an &enum loom_pci_kind
 * @priority: as in the descriptor
 * @queue: as in the descriptor
 * @plan: as in the descriptor
 * @count: as in the descriptor
 * @address: as in the descriptor
 * @scatter: as in the descriptor
 * @bytes: as in the descriptor
 * @lanes: banks of a job
 * @running: a worker has it
 * @stop: it must end soon
 * @reset: and whatever it does
 * @step: how far a job is
 * @command: how far a job is
 * @unit: how far a job is
 * @counters: counters of a job
 */
struct sim_item {
	struct sim_item *next;
	u64 sequence;
	u32 kind;
	u32 priority;
	u32 queue;
	u32 plan;
	u32 count;
	u64 address;
	u64 scatter;
	u64 bytes;
	struct loom_mask lanes;
	bool running;
	atomic_bool stop;
	atomic_bool reset;
	u32 step;
	u32 command;
	u64 unit;
	struct drm_loom_counters counters;
};

/**
 * struct sim_rings - addresses of the rings
 * @submit_base: LOOM_PCI_SUBMIT_BASE
 * @record_base: LOOM_PCI_RECORD_BASE
 * @entries: LOOM_PCI_ENTRIES
 * @epoch: of those in use
 */
struct sim_rings {
	u64 submit_base;
	u64 record_base;
	u32 entries;
	u32 epoch;
};

/**
 * struct sim - a device
 * @options: its options
 * @chip: its description
 * @memory: its banks
 * @dma: the host's memory
 * @config: configuration space
 * @records: the completion ring
 * @faults: injected faults
 * @power: clock and temperature
 * @plans: uploaded plans
 * @lock: protects the fields below
 * @changed: signalled when a field under @lock has changed
 * @written: ring registers for the next reset
 * @rings: those in use; changed while no worker has an item
 * @epoch: LOOM_PCI_EPOCH
 * @wanted: the epoch of a reset that was asked for, or zero
 * @status: LOOM_PCI_STATUS_*
 * @fault: an &enum loom_pci_fault
 * @doorbell: descriptors that the driver has written
 * @fetched: those that were taken
 * @items: those that are not answered, the oldest first
 * @item_count: number of @items
 * @fetching: the firmware has a descriptor that is not among @items yet
 * @busy: workers that have an item
 * @idle_engines: engines that have none
 * @retain: LOOM_PCI_POWER
 * @off: in D3hot
 * @generation: incremented by each event that ends all pending work; also read without the lock
 * @started: when the firmware began, see LOOM_PCI_HEARTBEAT
 * @slept: nanoseconds of that in RETAIN
 * @slept_since: in RETAIN since
 * @frozen: value of HEARTBEAT while it is stuck
 */
struct sim {
	const struct sim_options *options;
	struct drm_loom_chip chip;
	struct sim_memory memory;
	struct sim_dma dma;
	struct sim_config config;
	struct sim_records records;
	struct sim_faults faults;
	struct sim_power power;
	struct sim_plans plans;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct sim_rings written;
	struct sim_rings rings;
	u32 epoch;
	u32 wanted;
	u32 status;
	u32 fault;
	u32 doorbell;
	u32 fetched;
	struct sim_item *items;
	u32 item_count;
	bool fetching;
	u32 busy;
	u32 idle_engines;
	bool retain;
	bool off;
	atomic_uint generation;
	u64 started;
	u64 slept;
	u64 slept_since;
	u32 frozen;
};

/* clock.c, log.c */

/** sim_now_ns() - CLOCK_MONOTONIC */
u64 sim_now_ns(void);
/** sim_nap() - a moment of waiting, @ns at most ten milliseconds */
void sim_nap(u64 ns);
/** sim_say() - a line on stderr, with --verbose */
void sim_say(const struct sim *sim, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* model.c: plays the device on a connection until that ends; the exit status */
int sim_model(const struct sim_options *options, int socket, int control);
/* supervisor.c: listens, and starts a model for each connection; the exit status */
int sim_supervise(const struct sim_options *options);

/* bus.c: answers the client until the connection ends */
void sim_bus(struct sim *sim);
/* firmware.c, worker.c, control.c: threads */
void *sim_firmware(void *sim);
void *sim_dma_worker(void *sim);
/* Start an engine; 0 or an error number. */
int sim_engine_start(struct sim *sim);

/** struct sim_control - argument of sim_control(): @sim, and the @socket to listen on */
struct sim_control {
	struct sim *sim;
	int socket;
};

void *sim_control(void *control);

/* registers.c: BAR0 */
u32 sim_register_read(struct sim *sim, u32 offset);
void sim_register_write(struct sim *sim, u32 offset, u32 value);
/* Reset the function, which stays off with @off; all pending work ends. */
void sim_function_reset(struct sim *sim, bool off);
/* Whether work that began at @generation must end. */
static inline bool sim_is_over(struct sim *sim, u32 generation)
{
	return atomic_load(&sim->generation) != generation;
}

/* job.c, copy.c: execute an item; an enum loom_pci_result */
u32 sim_job(struct sim *sim, struct sim_item *item, u32 generation);
u32 sim_copy(struct sim *sim, struct sim_item *item, u32 generation);
/** sim_place_take() - checks a place whose addresses may be in the host's memory; a result */
u32 sim_place_take(struct sim *sim, struct sim_place *place, const struct loom_pci_place *raw);
u32 sim_clear(struct sim *sim, struct sim_item *item, u32 generation);
/*
 * Read @size bytes of the host from @count extents at @scatter, or write them (@out), for an item.
 * Writes complete even if the item must stop.
 */
u32 sim_host_move(struct sim *sim, const struct sim_item *item, u32 generation, bool out,
		  u64 scatter, u32 count, void *bytes, u64 size);

#endif /* LOOM_SIM_H */
