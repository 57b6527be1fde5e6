/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_NOTHING_H
#define LOOM_NOTHING_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/loom_accel.h>

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
	/** @NOTHING_MUTE: it does not interrupt when it has written the record */
	NOTHING_MUTE = 8,
	/** @NOTHING_PASSED: it hangs, and does those behind it without an interrupt */
	NOTHING_PASSED = 9,
	/** @NOTHING_EARLY: a record while it is told of the next job; that takes a while */
	NOTHING_EARLY = 10,
	/** @NOTHING_DAWDLES: it takes a while to be told of the next job, and then is slow */
	NOTHING_DAWDLES = 11,
	/** @NOTHING_SHY: slow, and does not say how far it is */
	NOTHING_SHY = 12,
	/** @NOTHING_SLEEPS_ON: it does not start the next time */
	NOTHING_SLEEPS_ON = 13,
	/** @NOTHING_BUSY: the driver refuses the next job with EAGAIN */
	NOTHING_BUSY = 14,
	/** @NOTHING_FAILS: it says that it could not do the job */
	NOTHING_FAILS = 15,
	/** @NOTHING_CONFESSES: it hangs, and says so */
	NOTHING_CONFESSES = 16,
	/** @NOTHING_SPILLS: not with a job: its next move fails, and it says so */
	NOTHING_SPILLS = 17,
	/** @NOTHING_STALLS: not with a job: no move ends, until it has another fault, or none */
	NOTHING_STALLS = 18,
};

/**
 * struct nothing_record - what the device says of a job, in memory that it writes at any time
 */
struct nothing_record {
	/** @job: as it was given */
	u64 job;
	/** @epoch: of the device */
	u32 epoch;
	/** @status: 0: ended, 1: stopped, 2: failed */
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
	/** @hangs: it knows that it does */
	bool hangs;
	/** @interrupt: queued when it has written one, or hangs */
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
	/** @slots: addresses that came with the last one */
	u64 slots[DRM_LOOM_MAX_SLOTS];
	/** @given: how many it was given since the reset */
	u32 given;
	/** @begun: how many it has begun with */
	u32 begun;
	/** @ended: how many it has done with */
	u32 ended;
	/** @passed: how many of those behind the current one it has done, if that hangs */
	u32 passed;
	/** @stops: bit by number modulo the entries: it was told to stop */
	unsigned long stops;
	/** @slow: the next one will be */
	bool slow;
	/** @steps: of the current one */
	u32 steps;
	/** @fault: what it does wrong with the current one, or does always */
	u32 fault;
};

extern unsigned int nothing_fault;
extern unsigned int nothing_misused;

bool nothing_has_fault(enum nothing_fault fault);

void nothing_init(struct nothing *nothing, work_func_t interrupt);
int nothing_start(struct nothing *nothing, u32 epoch);
void nothing_touch(const struct nothing *nothing);
void nothing_stop(struct nothing *nothing);
int nothing_reset(struct nothing *nothing);
void nothing_give(struct nothing *nothing, u64 job, const u64 *slots);
void nothing_end(struct nothing *nothing, u64 job);
u32 nothing_steps(struct nothing *nothing, u64 job);
u64 nothing_current(struct nothing *nothing);

#endif /* LOOM_NOTHING_H */
