/* SPDX-License-Identifier: MIT */
#ifndef LOOM_SIM_H
#define LOOM_SIM_H

/**
 * DOC: loom-sim
 *
 * A Loom device that is a process of its own: QEMU attaches it to a guest as a PCI function, by
 * vfio-user, and the guest's driver meets what a chip would put it through. pci/regs.h is what both
 * have agreed on. Documentation/sim.rst says how it is started and what can be broken on it.
 *
 * Processes: a small one holds the connection (supervisor.c) and starts the model for each; when
 * the model dies, by accident or on demand, it shuts the connection down, reads what is left and
 * closes it. QEMU takes that for a device that is gone, where a connection that is just reset makes
 * it abort.
 *
 * Threads of the model, each in a file:
 *
 * * bus.c answers the client: registers, configuration, interrupts. A guest's processor waits for
 *   the answer, and with it at times the whole guest, so this one never computes and never waits
 *   for the others
 * * firmware.c takes descriptors from the ring, answers PROGRESS and STOP, resets
 * * worker.c, twice: the engine for jobs, the DMA engine for everything else
 * * control.c: somebody who tests breaks something (fault.c), or all of it at random (fuzz.c)
 *
 * What they use:
 *
 * * options.c: what the device shall be; config.c: PCI's configuration space; registers.c: BAR0
 * * memory.c: the banks; dma.c: the host's memory; record.c: completion records, and interrupts
 * * job.c: a run of a plan; copy.c: copies and clearing; plans.c: plans that were taken up
 * * power.c: clock, temperature, energy
 * * wire.c, protocol.h: messages of vfio-user
 *
 * Order of locks: &sim.lock, then those of fault.c and power.c. &sim_records.lock is not taken
 * inside of &sim.lock, as it is held while the host's memory is written; nor are those of dma.c,
 * which nobody holds while waiting for another.
 *
 * Rejected: libvfio-user, which is in no distribution; a device in QEMU's own source, which would
 * run in its big lock, at TCG's pace, and could not die; MSI-X, as hot unplug of such a device
 * aborts QEMU 11.1, and INTx, as the window is not mapped while it is in use.
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
 * @running: a worker has it
 * @stop: it shall end soon
 * @step: how far a job is
 * @command: how far a job is
 * @unit: how far a job is
 * @counters: what a job has counted
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
	bool running;
	atomic_bool stop;
	u32 step;
	u32 command;
	u64 unit;
	struct drm_loom_counters counters;
};

/**
 * struct sim_rings - where the rings are
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
 * @options: what it shall be
 * @chip: what it is made of
 * @memory: its banks
 * @dma: the host's memory
 * @config: configuration space
 * @records: the completion ring
 * @faults: what is to break
 * @power: clock and temperature
 * @plans: plans that were taken up
 * @lock: protects what follows
 * @changed: something of it has changed
 * @written: what the driver has written for the next reset
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
 * @retain: LOOM_PCI_POWER
 * @off: in D3hot
 * @generation: counts what ends all that was begun; also read without the lock
 * @started: when the firmware began, see LOOM_PCI_HEARTBEAT
 * @slept: nanoseconds of that in RETAIN
 * @slept_since: in RETAIN since
 * @frozen: what HEARTBEAT reads while it is stuck
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
void *sim_engine_worker(void *sim);
void *sim_dma_worker(void *sim);

/** struct sim_control - argument of sim_control(): @sim, and the @socket to listen on */
struct sim_control {
	struct sim *sim;
	int socket;
};

void *sim_control(void *control);

/* registers.c: BAR0 */
u32 sim_register_read(struct sim *sim, u32 offset);
void sim_register_write(struct sim *sim, u32 offset, u32 value);
/* The function is reset, and stays off with @off: nothing that was begun goes on. */
void sim_function_reset(struct sim *sim, bool off);
/* Whether what began at @generation shall end. */
static inline bool sim_is_over(struct sim *sim, u32 generation)
{
	return atomic_load(&sim->generation) != generation;
}

/* job.c, copy.c: execute an item; an enum loom_pci_result */
u32 sim_job(struct sim *sim, struct sim_item *item, u32 generation);
u32 sim_copy(struct sim *sim, struct sim_item *item, u32 generation);
u32 sim_clear(struct sim *sim, struct sim_item *item, u32 generation);
/*
 * Fetches the host's bytes that @count extents at @scatter name, all @size of them, or writes them
 * (@out), on behalf of an item; the latter to the end, also if the item is to stop.
 */
u32 sim_host_move(struct sim *sim, const struct sim_item *item, u32 generation, bool out,
		  u64 scatter, u32 count, void *bytes, u64 size);

#endif /* LOOM_SIM_H */
