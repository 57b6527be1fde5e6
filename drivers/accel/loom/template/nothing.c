// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/moduleparam.h>

#include "nothing.h"

/**
 * DOC: A device that does nothing
 *
 * A dummy in place of a chip for the skeleton of a back end: it takes jobs, lets each one last some
 * milliseconds, and reports its end, in order. The bytes of buffers do not change. Module parameter
 * fault injects faults to test the core; others are counters.
 */

#define NOTHING_STEP_MS		1
#define NOTHING_STEPS		3
/* Delay of slow operations. */
#define NOTHING_WHILE_MS	100

unsigned int nothing_fault;
module_param_named(fault, nothing_fault, uint, 0600);
MODULE_PARM_DESC(fault, "What the device does wrong with its next job or move (see template/nothing.h)");

static unsigned int nothing_ran;
module_param_named(ran, nothing_ran, uint, 0400);
MODULE_PARM_DESC(ran, "Jobs that the device has done");

static unsigned int nothing_resets;
module_param_named(resets, nothing_resets, uint, 0400);
MODULE_PARM_DESC(resets, "How often the device was reset");

unsigned int nothing_misused;
module_param_named(misused, nothing_misused, uint, 0400);
MODULE_PARM_DESC(misused, "How often the device was touched while it was stopped");

/**
 * nothing_has_fault() - whether to inject a fault now
 * @fault: the fault
 *
 * Return: true once, or for each move that stalls.
 */
bool nothing_has_fault(enum nothing_fault fault)
{
	if (fault == NOTHING_STALLS)
		return READ_ONCE(nothing_fault) == fault;
	return cmpxchg(&nothing_fault, fault, NOTHING_FINE) == fault;
}

/* Check that the device is on, before an access that requires that. */
void nothing_touch(const struct nothing *nothing)
{
	nothing_misused += !READ_ONCE(nothing->on);
}

static void nothing_interrupt(struct nothing *nothing)
{
	if (nothing->fault != NOTHING_MUTE && nothing->fault != NOTHING_PASSED)
		schedule_work(&nothing->interrupt);
}

static void nothing_write(struct nothing *nothing, u64 job, u32 epoch, u32 status)
{
	struct nothing_record *record = &nothing->records[nothing->written % NOTHING_ENTRIES];
	u32 i;

	*record = (struct nothing_record) { .job = job, .epoch = epoch, .status = status };
	for (i = 0; i < NOTHING_ENTRIES; i++)
		if (nothing->jobs[i] == job)
			record->cycles = nothing->cycles[i];
	/* pairs with template_read(): the record is visible before the count */
	smp_store_release(&nothing->written, nothing->written + 1);
	nothing_interrupt(nothing);
}

static bool nothing_is_stopped_locked(const struct nothing *nothing)
{
	return test_bit(nothing->ended % NOTHING_ENTRIES, &nothing->stops);
}

static void nothing_begin_locked(struct nothing *nothing)
{
	nothing->begun++;
	nothing->steps = 0;
	nothing->fault = nothing->slow ? NOTHING_SLOW : nothing_fault;
	nothing->slow = false;
	if (nothing_fault != NOTHING_STALLS)
		nothing_fault = NOTHING_FINE;
	if (nothing->fault != NOTHING_CONFESSES)
		return;
	WRITE_ONCE(nothing->hangs, true);
	nothing_interrupt(nothing);
}

static void nothing_end_locked(struct nothing *nothing)
{
	bool stopped = nothing_is_stopped_locked(nothing);
	u64 job = nothing->jobs[nothing->ended++ % NOTHING_ENTRIES];

	nothing_ran++;
	switch (nothing->fault) {
	case NOTHING_LIES:
		nothing_write(nothing, job + 1000000, nothing->epoch, 0);
		break;
	case NOTHING_TWICE:
		nothing_write(nothing, job, nothing->epoch, 0);
		break;
	case NOTHING_OLD:
		nothing_write(nothing, job, nothing->epoch - 1, 0);
		break;
	case NOTHING_GARBAGE:
		nothing_write(nothing, job, nothing->epoch, 0xffffffff);
		return;
	case NOTHING_FAILS:
		nothing_write(nothing, job, nothing->epoch, 2);
		return;
	}
	nothing_write(nothing, job, nothing->epoch, stopped);
}

static bool nothing_hangs_locked(const struct nothing *nothing)
{
	return nothing->fault == NOTHING_HANGS || nothing->fault == NOTHING_DIES ||
	       nothing->fault == NOTHING_PASSED || nothing->fault == NOTHING_CONFESSES;
}

/* Whether the current job has ended. */
static bool nothing_is_over_locked(const struct nothing *nothing)
{
	bool stopped = nothing_is_stopped_locked(nothing);

	if (nothing_hangs_locked(nothing))
		return false;
	if (nothing->fault == NOTHING_SLOW || nothing->fault == NOTHING_SHY)
		return stopped;
	return stopped || nothing->steps >= NOTHING_STEPS;
}

static void nothing_pass_locked(struct nothing *nothing)
{
	u64 job;

	if (nothing->fault != NOTHING_PASSED || nothing->given - nothing->begun <= nothing->passed)
		return;
	job = nothing->jobs[(nothing->begun + nothing->passed++) % NOTHING_ENTRIES];
	nothing_ran++;
	nothing_write(nothing, job, nothing->epoch, 0);
}

static void nothing_work(struct work_struct *work)
{
	struct nothing *nothing = container_of(to_delayed_work(work), struct nothing, work);

	spin_lock(&nothing->lock);
	if (nothing->begun == nothing->ended && nothing->ended != nothing->given)
		nothing_begin_locked(nothing);
	else if (nothing->begun != nothing->ended && nothing_is_over_locked(nothing))
		nothing_end_locked(nothing);
	else if (!nothing_hangs_locked(nothing))
		nothing->steps++;
	nothing_pass_locked(nothing);
	if (nothing->on && nothing->ended != nothing->given)
		schedule_delayed_work(&nothing->work, msecs_to_jiffies(NOTHING_STEP_MS));
	spin_unlock(&nothing->lock);
}

/**
 * nothing_init() - initialise, powered off
 * @nothing: the device
 * @interrupt: handler
 */
void nothing_init(struct nothing *nothing, work_func_t interrupt)
{
	spin_lock_init(&nothing->lock);
	INIT_DELAYED_WORK(&nothing->work, nothing_work);
	INIT_WORK(&nothing->interrupt, interrupt);
}

/**
 * nothing_start() - make it take jobs
 * @nothing: the device
 * @epoch: epoch of records
 *
 * Return: 0 or -EIO.
 */
int nothing_start(struct nothing *nothing, u32 epoch)
{
	if (nothing_has_fault(NOTHING_SLEEPS_ON))
		return -EIO;
	spin_lock(&nothing->lock);
	nothing->on = true;
	nothing->epoch = epoch;
	nothing->given = 0;
	nothing->begun = 0;
	nothing->ended = 0;
	nothing->passed = 0;
	nothing->stops = 0;
	nothing->slow = false;
	nothing->hangs = false;
	nothing->fault = nothing->fault == NOTHING_DIES ? NOTHING_DIES : NOTHING_FINE;
	nothing->written = 0;
	spin_unlock(&nothing->lock);
	return 0;
}

/* Stop records and interrupts. */
void nothing_stop(struct nothing *nothing)
{
	spin_lock(&nothing->lock);
	nothing->on = false;
	spin_unlock(&nothing->lock);
	cancel_delayed_work_sync(&nothing->work);
	cancel_work_sync(&nothing->interrupt);
}

/* Discard all state, slowly. Return: 0 or -EIO. */
int nothing_reset(struct nothing *nothing)
{
	nothing_resets++;
	msleep(NOTHING_WHILE_MS);
	return nothing->fault == NOTHING_DIES ? -EIO : 0;
}

/**
 * nothing_give() - submit a job
 * @nothing: the device, which must have fewer than NOTHING_ENTRIES jobs
 * @job: any number
 * @cycles: cycles that it has taken so far
 */
void nothing_give(struct nothing *nothing, u64 job, u64 cycles)
{
	bool early = nothing_has_fault(NOTHING_EARLY), slow = nothing_has_fault(NOTHING_DAWDLES);

	nothing_touch(nothing);
	if (early) {
		spin_lock(&nothing->lock);
		nothing_write(nothing, job, nothing->epoch, 0);
		spin_unlock(&nothing->lock);
	}
	spin_lock(&nothing->lock);
	nothing->slow |= slow;
	spin_unlock(&nothing->lock);
	if (early || slow)
		msleep(NOTHING_WHILE_MS);
	spin_lock(&nothing->lock);
	__clear_bit(nothing->given % NOTHING_ENTRIES, &nothing->stops);
	nothing->cycles[nothing->given % NOTHING_ENTRIES] = cycles;
	nothing->jobs[nothing->given++ % NOTHING_ENTRIES] = job;
	schedule_delayed_work(&nothing->work, 0);
	spin_unlock(&nothing->lock);
}

/**
 * nothing_end() - end a job soon, or as soon as it becomes the current one
 * @nothing: the device
 * @job: as it was given
 */
void nothing_end(struct nothing *nothing, u64 job)
{
	u32 number;

	nothing_touch(nothing);
	spin_lock(&nothing->lock);
	for (number = nothing->ended; number != nothing->given; number++)
		if (nothing->jobs[number % NOTHING_ENTRIES] == job)
			__set_bit(number % NOTHING_ENTRIES, &nothing->stops);
	spin_unlock(&nothing->lock);
}

/* The current job. Return: the job, or 0. */
u64 nothing_current(struct nothing *nothing)
{
	u64 job = 0;

	nothing_touch(nothing);
	spin_lock(&nothing->lock);
	if (nothing->begun != nothing->ended)
		job = nothing->jobs[nothing->ended % NOTHING_ENTRIES];
	spin_unlock(&nothing->lock);
	return job;
}

/**
 * nothing_steps() - progress of a job
 * @nothing: the device
 * @job: as it was given
 *
 * Return: number of completed steps, 0 if it is not the current one.
 */
u32 nothing_steps(struct nothing *nothing, u64 job)
{
	u32 steps = 0;

	nothing_touch(nothing);
	spin_lock(&nothing->lock);
	if (nothing->begun != nothing->ended && nothing->fault != NOTHING_SHY &&
	    nothing->jobs[nothing->ended % NOTHING_ENTRIES] == job)
		steps = nothing->steps;
	spin_unlock(&nothing->lock);
	return steps;
}
