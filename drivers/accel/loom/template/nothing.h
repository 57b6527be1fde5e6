/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LOOM_NOTHING_H
#define LOOM_NOTHING_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/* Limit of jobs, a power of two, and so of unread records. */
#define NOTHING_ENTRIES		4

/**
 * enum nothing_fault - injected fault, once, with the next job that begins
 */
enum nothing_fault {
	/** @NOTHING_FINE: no fault */
	NOTHING_FINE = 0,
	/** @NOTHING_HANGS: it does not end, and ignores stops */
	NOTHING_HANGS = 1,
	/** @NOTHING_SLOW: it runs until it is stopped */
	NOTHING_SLOW = 2,
	/** @NOTHING_LIES: a record for an unknown job */
	NOTHING_LIES = 3,
	/** @NOTHING_TWICE: two records */
	NOTHING_TWICE = 4,
	/** @NOTHING_OLD: a record of another epoch before the right one */
	NOTHING_OLD = 5,
	/** @NOTHING_GARBAGE: a record with an unknown status */
	NOTHING_GARBAGE = 6,
	/** @NOTHING_DIES: it hangs, and its reset fails */
	NOTHING_DIES = 7,
	/** @NOTHING_MUTE: a record without an interrupt */
	NOTHING_MUTE = 8,
	/** @NOTHING_PASSED: it hangs, and completes later jobs without an interrupt */
	NOTHING_PASSED = 9,
	/** @NOTHING_EARLY: a record during a slow submission of the next job */
	NOTHING_EARLY = 10,
	/** @NOTHING_DAWDLES: slow submission of the next job, which then is slow */
	NOTHING_DAWDLES = 11,
	/** @NOTHING_SHY: slow, and does not report progress */
	NOTHING_SHY = 12,
	/** @NOTHING_SLEEPS_ON: the next start fails */
	NOTHING_SLEEPS_ON = 13,
	/** @NOTHING_BUSY: job_prepare() fails with EAGAIN */
	NOTHING_BUSY = 14,
	/** @NOTHING_FAILS: it reports a failure */
	NOTHING_FAILS = 15,
	/** @NOTHING_CONFESSES: it hangs, and reports that */
	NOTHING_CONFESSES = 16,
	/** @NOTHING_SPILLS: without a job: its next move fails, and it reports that */
	NOTHING_SPILLS = 17,
	/** @NOTHING_STALLS: without a job: moves do not end until the fault is changed */
	NOTHING_STALLS = 18,
};

/**
 * struct nothing_record - completion record, in memory that the device may write at any time
 */
struct nothing_record {
	/** @job: as it was given */
	u64 job;
	/** @epoch: of the device */
	u32 epoch;
	/** @status: 0: ended, 1: stopped, 2: failed */
	u32 status;
	/** @cycles: as they were given */
	u64 cycles;
};

/**
 * struct nothing - a dummy device
 *
 * The driver may access the fields above the line; the rest is internal.
 */
struct nothing {
	/** @records: ring that the device writes */
	struct nothing_record records[NOTHING_ENTRIES];
	/** @written: number of records since the reset */
	u32 written;
	/** @hangs: it reports a hang */
	bool hangs;
	/** @interrupt: queued after a record, or when it hangs */
	struct work_struct interrupt;

	/* -------------------------------------------------------------- inside */

	/** @lock: protects the fields below */
	spinlock_t lock;
	/** @work: a time step of the device */
	struct delayed_work work;
	/** @on: it has power, and may write */
	bool on;
	/** @epoch: from nothing_start() */
	u32 epoch;
	/** @jobs: submitted jobs, by number modulo the entries */
	u64 jobs[NOTHING_ENTRIES];
	/** @cycles: cycles of @jobs */
	u64 cycles[NOTHING_ENTRIES];
	/** @given: number of submitted jobs since the reset */
	u32 given;
	/** @begun: number of begun jobs */
	u32 begun;
	/** @ended: number of ended jobs */
	u32 ended;
	/** @passed: number of completed jobs behind the current one, if that hangs */
	u32 passed;
	/** @stops: bitmap of stopped jobs, by number modulo the entries */
	unsigned long stops;
	/** @slow: the next job is slow */
	bool slow;
	/** @steps: completed steps of the current job */
	u32 steps;
	/** @fault: fault of the current job, or a permanent one */
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
void nothing_give(struct nothing *nothing, u64 job, u64 cycles);
void nothing_end(struct nothing *nothing, u64 job);
u32 nothing_steps(struct nothing *nothing, u64 job);
u64 nothing_current(struct nothing *nothing);

#endif /* LOOM_NOTHING_H */
