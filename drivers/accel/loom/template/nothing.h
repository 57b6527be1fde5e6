/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_NOTHING_H
#define LOOM_NOTHING_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/* Jobs that it takes, a power of two, and so the most records that nobody has read. */
#define NOTHING_ENTRIES		4

/**
 * enum nothing_fault - what the device does wrong, once, with the next job that it begins
 */
enum nothing_fault {
	/** @NOTHING_FINE: nothing */
	NOTHING_FINE = 0,
	/** @NOTHING_HANGS: it comes to no end, and does not listen */
	NOTHING_HANGS = 1,
	/** @NOTHING_SLOW: it goes on until it is stopped */
	NOTHING_SLOW = 2,
	/** @NOTHING_LIES: a record of a job that it was never given */
	NOTHING_LIES = 3,
	/** @NOTHING_TWICE: two records */
	NOTHING_TWICE = 4,
	/** @NOTHING_OLD: a record of another epoch before the right one */
	NOTHING_OLD = 5,
	/** @NOTHING_GARBAGE: a record with a status that does not exist */
	NOTHING_GARBAGE = 6,
	/** @NOTHING_DIES: it hangs, and does not come back from a reset */
	NOTHING_DIES = 7,
};

/**
 * struct nothing_record - what the device says of a job, in memory that it writes at any time
 */
struct nothing_record {
	/** @job: as it was given */
	u64 job;
	/** @epoch: of the device */
	u32 epoch;
	/** @status: 0: ended, 1: stopped */
	u32 status;
};

/**
 * struct nothing - a device that does nothing, and says so
 *
 * All above the line is what driver and device share; the rest is inside of the device.
 */
struct nothing {
	/** @records: ring that the device writes */
	struct nothing_record records[NOTHING_ENTRIES];
	/** @written: how many it has written since the reset */
	u32 written;
	/** @interrupt: queued when it has written one */
	struct work_struct interrupt;

	/* -------------------------------------------------------------- inside */

	/** @lock: protects all that follows */
	spinlock_t lock;
	/** @work: a moment of its time */
	struct delayed_work work;
	/** @on: it has power, and may write */
	bool on;
	/** @epoch: as it was told */
	u32 epoch;
	/** @jobs: that it was given, by number modulo the entries */
	u64 jobs[NOTHING_ENTRIES];
	/** @given: how many it was given since the reset */
	u32 given;
	/** @begun: how many it has begun with */
	u32 begun;
	/** @ended: how many it has done with */
	u32 ended;
	/** @stopped: the current one was told to stop */
	bool stopped;
	/** @steps: of the current one */
	u32 steps;
	/** @fault: what it does wrong with the current one, or does always */
	u32 fault;
};

extern unsigned int nothing_fault;

void nothing_init(struct nothing *nothing, work_func_t interrupt);
void nothing_start(struct nothing *nothing, u32 epoch);
void nothing_stop(struct nothing *nothing);
int nothing_reset(struct nothing *nothing);
void nothing_give(struct nothing *nothing, u64 job);
void nothing_end(struct nothing *nothing, u64 job);
u32 nothing_steps(struct nothing *nothing, u64 job);

#endif /* LOOM_NOTHING_H */
